/* peer_fcl.cpp — the Flexible Collision Library's broad-phase managers.
 *
 * fcl: DynamicAABBTreeCollisionManager_Array, the best of its managers on these workloads (the
 * pointer tree is slower, SaP, SSaP, interval tree and spatial hash far slower; set
 * JOSTLE_BENCH_FCL to tree, array, sap, ssap, interval or hash to measure another one). Spheres are
 * collision objects made once; find moves them, clears the manager and registers them again. Pairs
 * of boxes are tested exactly in the callback. */
#include "peer.h"

#include <cstring>
#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <fcl/broadphase/broadphase_interval_tree.h>
#include <fcl/broadphase/broadphase_spatialhash.h>
#include <fcl/config.h>
#include <fcl/geometry/shape/sphere.h>
#include <memory>
#include <vector>

namespace {

using Object = fcl::CollisionObjectd;

struct State {
    std::vector<std::unique_ptr<Object>> objects;
    std::vector<Object *> pointers;
    std::unique_ptr<fcl::BroadPhaseCollisionManagerd> manager;
};

fcl::BroadPhaseCollisionManagerd *make_manager(const peer_spheres *s)
{
    const char *choice = getenv("JOSTLE_BENCH_FCL");
    const std::string name = choice ? choice : "array";
    if (name == "tree") return new fcl::DynamicAABBTreeCollisionManagerd;
    if (name == "sap") return new fcl::SaPCollisionManagerd;
    if (name == "ssap") return new fcl::SSaPCollisionManagerd;
    if (name == "interval") return new fcl::IntervalTreeCollisionManagerd;
    if (name == "hash")
        return new fcl::SpatialHashingCollisionManager<double>(
            2 * s->r_max, fcl::Vector3d(s->lo[0], s->lo[1], s->lo[2]),
            fcl::Vector3d(s->hi[0], s->hi[1], s->hi[2]), (unsigned)s->n);
    return new fcl::DynamicAABBTreeCollisionManager_Array<double>;
}

void move_objects(State *own, const peer_spheres *s)
{
    for (size_t i = 0; i < s->n; i++) {
        own->objects[i]->setTranslation(fcl::Vector3d(s->x[i], s->y[i], s->z[i]));
        own->objects[i]->computeAABB();
    }
}

void *create(const peer_spheres *s)
{
    State *own = new State;
    own->manager.reset(make_manager(s));
    for (size_t i = 0; i < s->n; i++) {
        /* A hair larger, as x - r may round inward. */
        auto sphere = std::make_shared<fcl::Sphered>(s->r[i] * (1 + 1e-9) + 1e-12 * s->r_max);
        own->objects.emplace_back(new Object(sphere));
        own->objects.back()->setUserData((void *)i);
        own->pointers.push_back(own->objects.back().get());
    }
    return own;
}

void destroy(void *state)
{
    delete static_cast<State *>(state);
}

struct Sink {
    const peer_spheres *s;
    peer_pairs *out;
};

bool on_pair(Object *a, Object *b, void *data)
{
    const Sink *sink = static_cast<const Sink *>(data);
    peer_test(sink->s, sink->out, (size_t)a->getUserData(), (size_t)b->getUserData());
    return false;
}

bool find(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    own->manager->clear();
    move_objects(own, s);
    own->manager->registerObjects(own->pointers);
    own->manager->setup();
    Sink sink{s, out};
    own->manager->collide(&sink, on_pair);
    return true;
}

bool update(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (own->manager->empty()) return find(state, s, out);
    move_objects(own, s);
    own->manager->update();
    Sink sink{s, out};
    own->manager->collide(&sink, on_pair);
    return true;
}

} // namespace

extern "C" const peer peer_fcl = {
    "fcl",
    "FCL " FCL_VERSION,
    "DynamicAABBTreeCollisionManager_Array, its best manager here, exact test in the callback",
    create,
    destroy,
    find,
    update,
    nullptr,
    PEER_STATIC | PEER_MOVING};
