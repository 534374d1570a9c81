/* shape_bullet.cpp — Bullet: btGjkPairDetector on btConvexHullShape without margins, depth by EPA. The separating
 * axis of the query before is kept where queries are coherent. In double precision, which Debian has beside the
 * single one; a support looks at all vertices. */
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <memory>
#include <vector>

#include "shapes.h"

namespace {

struct State {
    btConvexHullShape a, b;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    std::unique_ptr<btGjkPairDetector> detector;
    std::vector<btTransform> poses;
};

void fill(btConvexHullShape *shape, const jo_polyhedron *p)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    for (size_t k = 0; k < v.vertices; k++)
        shape->addPoint(btVector3((btScalar)v.points[3 * k], (btScalar)v.points[3 * k + 1],
                                  (btScalar)v.points[3 * k + 2]),
                        false);
    shape->setMargin(0);
    shape->recalcLocalAabb();
}

void *create(const jo_polyhedron *a, const jo_polyhedron *b, shape_task)
{
    State *s = new State;
    fill(&s->a, a);
    fill(&s->b, b);
    s->detector.reset(new btGjkPairDetector(&s->a, &s->b, &s->simplex, &s->epa));
    return s;
}

void poses(void *own, const jo_pose *now, size_t pairs)
{
    State *s = static_cast<State *>(own);
    s->poses.resize(2 * pairs);
    for (size_t k = 0; k < 2 * pairs; k++) {
        btScalar m[9];
        for (int i = 0; i < 9; i++)
            m[i] = (btScalar)now[k].turn[i];
        s->poses[k].setBasis(btMatrix3x3(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]));
        s->poses[k].setOrigin(
            btVector3((btScalar)now[k].at[0], (btScalar)now[k].at[1], (btScalar)now[k].at[2]));
    }
}

void query(void *own, bool coherent, double *distance)
{
    State *s = static_cast<State *>(own);
    for (size_t k = 0; 2 * k < s->poses.size(); k++) {
        btPointCollector result;
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = s->poses[2 * k];
        input.m_transformB = s->poses[2 * k + 1];
        if (!coherent) s->detector->setCachedSeparatingAxis(btVector3(0, 1, 0));
        s->detector->getClosestPoints(input, result, nullptr);
        distance[k] = result.m_hasResult ? (double)result.m_distance : 0.0;
    }
}

void destroy(void *own)
{
    delete static_cast<State *>(own);
}

} // namespace

extern "C" {
extern const shape_peer shape_bullet;
const shape_peer shape_bullet = {
    "Bullet", "GJK and EPA, double precision", true, true, 1e-3, create, poses, query, destroy};
}
