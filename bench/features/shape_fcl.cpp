/* shape_fcl.cpp — the Flexible Collision Library: fcl::distance and fcl::collide on fcl::Convex, with
 * either of its solvers. Convex climbs from vertex to vertex by itself. */
#include <cmath>

#include <fcl/config.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <memory>
#include <vector>

#include "shapes.h"

namespace {

using Shape = fcl::Convexd;

struct State {
    std::unique_ptr<Shape> a, b;
    shape_task task;
    fcl::GJKSolverType solver;
    std::vector<fcl::Transform3d> poses;
};

std::unique_ptr<Shape> make(const jo_polyhedron *p)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    auto points = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (size_t k = 0; k < v.vertices; k++)
        points->emplace_back(v.points[3 * k], v.points[3 * k + 1], v.points[3 * k + 2]);
    for (size_t f = 0; f < v.faces; f++) {
        const size_t count = faces->size();
        faces->push_back(0);
        uint32_t h = v.face_edge[f];
        do {
            faces->push_back((int)v.origin[h]);
            (*faces)[count]++;
            h = v.next[h];
        } while (h != v.face_edge[f]);
    }
    std::unique_ptr<Shape> shape(new Shape(points, (int)v.faces, faces));
    shape->computeLocalAABB();
    return shape;
}

void *create(const jo_polyhedron *a, const jo_polyhedron *b, shape_task task,
             fcl::GJKSolverType solver)
{
    State *s = new State;
    s->a = make(a);
    s->b = make(b);
    s->task = task;
    s->solver = solver;
    return s;
}

void *create_ccd(const jo_polyhedron *a, const jo_polyhedron *b, shape_task task)
{
    return create(a, b, task, fcl::GST_LIBCCD);
}

void *create_own(const jo_polyhedron *a, const jo_polyhedron *b, shape_task task)
{
    return create(a, b, task, fcl::GST_INDEP);
}

void poses(void *own, const jo_pose *now, size_t pairs)
{
    State *s = static_cast<State *>(own);
    s->poses.resize(2 * pairs);
    for (size_t k = 0; k < 2 * pairs; k++) {
        fcl::Matrix3d turn;
        for (int i = 0; i < 9; i++)
            turn(i / 3, i % 3) = now[k].turn[i];
        s->poses[k] = fcl::Transform3d::Identity();
        s->poses[k].linear() = turn;
        s->poses[k].translation() = fcl::Vector3d(now[k].at[0], now[k].at[1], now[k].at[2]);
    }
}

void query(void *own, bool coherent, double *distance)
{
    State *s = static_cast<State *>(own);
    fcl::CollisionRequestd collide(1, true);
    collide.gjk_solver_type = s->solver;
    for (size_t k = 0; 2 * k < s->poses.size(); k++) {
        if (s->task == TASK_DISTANCE) {
            fcl::DistanceRequestd request(true);
            fcl::DistanceResultd result;
            request.gjk_solver_type = s->solver;
            fcl::distance(s->a.get(), s->poses[2 * k], s->b.get(), s->poses[2 * k + 1], request,
                          result);
            distance[k] = result.min_distance;
        } else {
            fcl::CollisionResultd result;
            collide.enable_cached_gjk_guess = coherent;
            fcl::collide(s->a.get(), s->poses[2 * k], s->b.get(), s->poses[2 * k + 1], collide,
                         result);
            if (coherent) collide.cached_gjk_guess = result.cached_gjk_guess;
            /* One of the solvers has it below 0. */
            distance[k] = result.numContacts() > 0
                              ? -std::fabs(result.getContact(0).penetration_depth)
                              : 0.0;
        }
    }
}

void destroy(void *own)
{
    delete static_cast<State *>(own);
}

} // namespace

extern "C" {
extern const shape_peer shape_fcl_ccd, shape_fcl_own;
const shape_peer shape_fcl_ccd = {"FCL, libccd", "GST_LIBCCD", true,  true,   1e-3,
                                  create_ccd,    poses,        query, destroy};
const shape_peer shape_fcl_own = {"FCL, own", "GST_INDEP", true,  true,   1e-3,
                                  create_own, poses,       query, destroy};
}
