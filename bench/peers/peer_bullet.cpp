/* peer_bullet.cpp — Bullet's dynamic bounding volume tree and its sweep and prune.
 *
 * bullet-dbvt: the bare btDbvt, without the pair cache of btDbvtBroadphase that would only cost
 * more: leaves inserted one by one, then collided with itself (rebuilding the tree top down before
 * that, or improving it incrementally, costs more than it saves in one search). Moving:
 * btDbvt::update with a margin of 5 % of the mean diameter, so that most leaves stay where they
 * are, an incremental improvement of 1 % of the leaves, as btDbvtBroadphase does, and a self
 * collision each step. bullet-sap: bt32BitAxisSweep3 (btAxisSweep3 itself holds 16,384 bodies) with
 * its hashed pair cache, filled with proxies; moving: setAabb for each body. Bounds are single
 * precision, rounded outward. */
#include "peer.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <vector>

namespace {

btVector3 lower(const peer_spheres *s, size_t i)
{
    return {peer_below(s->x[i] - s->r[i]), peer_below(s->y[i] - s->r[i]),
            peer_below(s->z[i] - s->r[i])};
}

btVector3 upper(const peer_spheres *s, size_t i)
{
    return {peer_above(s->x[i] + s->r[i]), peer_above(s->y[i] + s->r[i]),
            peer_above(s->z[i] + s->r[i])};
}

/* ---- btDbvt */

struct TreeState {
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;
};

struct Tester : btDbvt::ICollide {
    const peer_spheres *s;
    peer_pairs *out;
    void Process(const btDbvtNode *a, const btDbvtNode *b) override
    {
        peer_test(s, out, (size_t)a->data, (size_t)b->data);
    }
};

void *tree_create(const peer_spheres *)
{
    return new TreeState;
}

void tree_destroy(void *state)
{
    delete static_cast<TreeState *>(state);
}

void tree_collide(TreeState *own, const peer_spheres *s, peer_pairs *out)
{
    Tester tester;
    tester.s = s;
    tester.out = out;
    own->tree.selfCollideTT(own->tree.m_root, tester);
}

bool tree_find(void *state, const peer_spheres *s, peer_pairs *out)
{
    TreeState *own = static_cast<TreeState *>(state);
    own->tree.clear();
    own->leaves.resize(s->n);
    for (size_t i = 0; i < s->n; i++)
        own->leaves[i] =
            own->tree.insert(btDbvtVolume::FromMM(lower(s, i), upper(s, i)), (void *)i);
    tree_collide(own, s, out);
    return true;
}

bool tree_update(void *state, const peer_spheres *s, peer_pairs *out)
{
    TreeState *own = static_cast<TreeState *>(state);
    if (own->leaves.size() != s->n) return tree_find(state, s, out);
    const btScalar margin = (btScalar)(0.05 * (s->r_min + s->r_max));
    for (size_t i = 0; i < s->n; i++) {
        btDbvtVolume volume = btDbvtVolume::FromMM(lower(s, i), upper(s, i));
        own->tree.update(own->leaves[i], volume, margin);
    }
    own->tree.optimizeIncremental((int)(s->n / 100));
    tree_collide(own, s, out);
    return true;
}

/* ---- bt32BitAxisSweep3 */

struct SweepState {
    bt32BitAxisSweep3 *sweep = nullptr;
    std::vector<btBroadphaseProxy *> proxies;
};

void *sweep_create(const peer_spheres *)
{
    return new SweepState;
}

void sweep_destroy(void *state)
{
    SweepState *own = static_cast<SweepState *>(state);
    delete own->sweep;
    delete own;
}

bool sweep_report(SweepState *own, const peer_spheres *s, peer_pairs *out)
{
    own->sweep->calculateOverlappingPairs(nullptr);
    btOverlappingPairCache *cache = own->sweep->getOverlappingPairCache();
    const btBroadphasePair *pairs = cache->getOverlappingPairArrayPtr();
    const int count = cache->getNumOverlappingPairs();
    for (int k = 0; k < count; k++)
        peer_test(s, out, (size_t)pairs[k].m_pProxy0->m_clientObject,
                  (size_t)pairs[k].m_pProxy1->m_clientObject);
    return true;
}

bool sweep_find(void *state, const peer_spheres *s, peer_pairs *out)
{
    SweepState *own = static_cast<SweepState *>(state);
    delete own->sweep;
    const btScalar pad = (btScalar)(2 * s->r_max);
    own->sweep = new bt32BitAxisSweep3(
        {(btScalar)s->lo[0] - pad, (btScalar)s->lo[1] - pad, (btScalar)s->lo[2] - pad},
        {(btScalar)s->hi[0] + pad, (btScalar)s->hi[1] + pad, (btScalar)s->hi[2] + pad},
        (unsigned)s->n + 2, nullptr, true /* no ray-cast tree beside it */);
    own->proxies.resize(s->n);
    for (size_t i = 0; i < s->n; i++)
        own->proxies[i] =
            own->sweep->createProxy(lower(s, i), upper(s, i), 0, (void *)i, 1, 1, nullptr);
    return sweep_report(own, s, out);
}

bool sweep_update(void *state, const peer_spheres *s, peer_pairs *out)
{
    SweepState *own = static_cast<SweepState *>(state);
    if (own->sweep == nullptr) return sweep_find(state, s, out);
    for (size_t i = 0; i < s->n; i++)
        own->sweep->setAabb(own->proxies[i], lower(s, i), upper(s, i), nullptr);
    return sweep_report(own, s, out);
}

} // namespace

extern "C" const peer peer_bullet_dbvt = {
    "bullet-dbvt",
    "Bullet " BULLET_VERSION_TEXT,
    "btDbvt: insert, selfCollideTT; moving: update with a margin of 5 % of a mean diameter",
    tree_create,
    tree_destroy,
    tree_find,
    tree_update,
    nullptr,
    PEER_STATIC | PEER_MOVING};

extern "C" const peer peer_bullet_sap = {
    "bullet-sap",
    "Bullet " BULLET_VERSION_TEXT,
    "bt32BitAxisSweep3 with its pair cache; moving: setAabb for each body",
    sweep_create,
    sweep_destroy,
    sweep_find,
    sweep_update,
    nullptr,
    PEER_STATIC | PEER_MOVING};
