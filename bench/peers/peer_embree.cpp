/* peer_embree.cpp — Embree's bounding volume hierarchy: rtcCollide of a scene with itself.
 *
 * The spheres are one user geometry whose bounds are rounded outward to single precision.
 * rtcCollide reports pairs of primitives whose leaves' boxes overlap, both orders and itself
 * included; those with i < j are tested exactly. Low build quality (Morton order): a better tree
 * costs more to build than it saves in one search; rtcCollide beats a point query per sphere. For
 * the moving system the geometry is refitted (RTC_BUILD_QUALITY_REFIT), the cheaper of its two ways
 * to follow motion. */
#include "peer.h"

#include <embree3/rtcore.h>

namespace {

struct State {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    const peer_spheres *s;
    peer_pairs *out;
    bool built;
};

void sphere_bounds(const RTCBoundsFunctionArguments *args)
{
    const State *own = static_cast<const State *>(args->geometryUserPtr);
    const peer_spheres *s = own->s;
    const unsigned i = args->primID;
    RTCBounds *b = args->bounds_o;
    b->lower_x = peer_below(s->x[i] - s->r[i]);
    b->lower_y = peer_below(s->y[i] - s->r[i]);
    b->upper_x = peer_above(s->x[i] + s->r[i]);
    b->upper_y = peer_above(s->y[i] + s->r[i]);
    if (s->dim == 3) {
        b->lower_z = peer_below(s->z[i] - s->r[i]);
        b->upper_z = peer_above(s->z[i] + s->r[i]);
    } else {
        b->lower_z = b->upper_z = 0;
    }
}

void no_ray(const RTCIntersectFunctionNArguments *) {}

void no_shadow(const RTCOccludedFunctionNArguments *) {}

void on_collisions(void *user, RTCCollision *collisions, unsigned count)
{
    const State *own = static_cast<const State *>(user);
    for (unsigned k = 0; k < count; k++)
        if (collisions[k].primID0 < collisions[k].primID1)
            peer_test(own->s, own->out, collisions[k].primID0, collisions[k].primID1);
}

void make_scene(State *own, const peer_spheres *s)
{
    own->scene = rtcNewScene(own->device);
    own->geometry = rtcNewGeometry(own->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(own->geometry, (unsigned)s->n);
    rtcSetGeometryUserData(own->geometry, own);
    rtcSetGeometryBoundsFunction(own->geometry, sphere_bounds, nullptr);
    rtcSetGeometryIntersectFunction(own->geometry, no_ray);
    rtcSetGeometryOccludedFunction(own->geometry, no_shadow);
    rtcSetSceneBuildQuality(own->scene, RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryBuildQuality(own->geometry, RTC_BUILD_QUALITY_LOW);
    rtcAttachGeometry(own->scene, own->geometry);
}

void drop_scene(State *own)
{
    rtcReleaseGeometry(own->geometry);
    rtcReleaseScene(own->scene);
}

void *create(const peer_spheres *s)
{
    State *own = new State();
    own->device = rtcNewDevice("threads=1,set_affinity=0");
    own->s = s;
    make_scene(own, s);
    return own;
}

void destroy(void *state)
{
    State *own = static_cast<State *>(state);
    drop_scene(own);
    rtcReleaseDevice(own->device);
    delete own;
}

bool search(State *own, const peer_spheres *s, peer_pairs *out)
{
    own->s = s;
    own->out = out;
    rtcCommitGeometry(own->geometry);
    rtcCommitScene(own->scene);
    rtcCollide(own->scene, own->scene, on_collisions, own);
    return rtcGetDeviceError(own->device) == RTC_ERROR_NONE;
}

bool find(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    rtcSetGeometryUserPrimitiveCount(own->geometry, (unsigned)s->n); /* marks it changed */
    return search(own, s, out);
}

bool update(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (!own->built) {
        drop_scene(own);
        make_scene(own, s);
        rtcSetSceneFlags(own->scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetGeometryBuildQuality(own->geometry, RTC_BUILD_QUALITY_REFIT);
        own->built = true;
    }
    return search(own, s, out);
}

} // namespace

extern "C" const peer peer_embree = {
    "embree",
    "Embree " RTC_VERSION_STRING,
    "BVH of a user geometry (Morton build), rtcCollide of the scene with itself; refit when moving",
    create,
    destroy,
    find,
    update,
    nullptr,
    PEER_STATIC | PEER_MOVING};
