/* tetra_axis.h — the axis of least depth of two tetrahedra that overlap: all eight faces and all 36
 * pairs of edges in float, and what may be the least in double; a part of least_axis.h, where
 * crossings of arcs are explained.
 *
 * Everything is in the frame of side 0. Eight lanes hold the faces of both bodies, then, for each
 * edge of side 0, the six edges of side 1. Products of normals with vertices serve twice: the least
 * of a face is its depth, differences of two are the normal's product with an edge, which tells on
 * which side of an arc another ends. The numbering of a tetrahedron (scene/poly.h) makes all places
 * known when this is compiled. */
#ifndef JO_NARROW_TETRA_AXIS_H
#define JO_NARROW_TETRA_AXIS_H

#include "narrow/arc_crossings.h"
#include "narrow/axis_faces.h"

/* Two tetrahedra in the frame of side 0 and in units of their size. */
typedef struct tetra_pair {
    floats8 depth;            /* along the normals of faces: four of side 0, four of side 1 */
    floats8 edge[3], from[3]; /* of side 1, by edges: unit vector and where it begins */
    floats8 own[4], back[4]; /* by faces of side 0: its normal, and minus that, along those edges */
    floats8 left[4], right[4]; /* by vertices of side 0: its height above the faces left and right
                                  of those edges */
    float start[3][4];         /* the vertices of side 0 */
} tetra_pair;

/* [a b] of four each: the lower half of a and of b, or the upper ones. */
static inline floats8 f8_lower(floats8 a, floats8 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}
static inline floats8 f8_upper(floats8 a, floats8 b)
{
    return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

/* Component x of all vertices k: of each half. */
static inline floats8 f8_each(floats8 a, int k)
{
    switch (k) {
    case 0:
        return __builtin_shufflevector(a, a, 0, 0, 0, 0, 4, 4, 4, 4);
    case 1:
        return __builtin_shufflevector(a, a, 1, 1, 1, 1, 5, 5, 5, 5);
    case 2:
        return __builtin_shufflevector(a, a, 2, 2, 2, 2, 6, 6, 6, 6);
    default:
        return __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7);
    }
}

static inline void bring_tetrahedra(const axis_search *s, tetra_pair *t)
{
    const poly_tetra *a = s->w->side[0].p->tetra, *b = s->w->side[1].p->tetra;
    const float(*m)[4] = s->turn[1], *at = s->at[0], r0 = s->own[0], r1 = s->own[1];
    const floats8 bx = f8_load(b->body[0]), by = f8_load(b->body[1]), bz = f8_load(b->body[2]);
    const floats8 ux = f8_load(b->u[0]), uy = f8_load(b->u[1]), uz = f8_load(b->u[2]);
    const floats8 scale0 = {r0, r0, r0, r0, 1, 1, 1, 1}, scale1 = {r1, r1, r1, r1, 1, 1, 1, 1};
    floats8 n[3], x[3], high = f8_all(0.0f);
    for (int k = 0; k < 3; k++) {
        const float c = at[k];
        const floats8 turned = f8_along(bx, by, bz, m[0][k], m[1][k], m[2][k]) * scale1;
        const floats8 other = turned + (floats8){c, c, c, c, 0, 0, 0, 0};
        const floats8 own = f8_load(a->body[k]) * scale0;
        n[k] = f8_upper(own, other);
        x[k] = f8_lower(other, own);
        high += n[k] * (floats8){0, 0, 0, 0, c, c, c, c};
        t->edge[k] = f8_along(ux, uy, uz, m[0][k], m[1][k], m[2][k]);
        t->from[k] = __builtin_shufflevector(other, other, 0, 0, 0, 1, 1, 2, 0, 0);
        memcpy(t->start[k], &own, sizeof t->start[k]);
    }
    floats8 low = f8_all(INFINITY);
    for (int k = 0; k < 4; k++) {
        const floats8 d =
            f8_dot(n[0], f8_each(x[0], k), n[1], f8_each(x[1], k), n[2], f8_each(x[2], k));
        low = f8_min(low, d);
        t->left[k] = __builtin_shufflevector(d, d, 6, 7, 5, 4, 6, 4, 4, 4);
        t->right[k] = __builtin_shufflevector(d, d, 7, 5, 6, 7, 4, 5, 4, 4);
        t->own[k] = f8_along(t->edge[0], t->edge[1], t->edge[2], a->body[0][4 + k],
                             a->body[1][4 + k], a->body[2][4 + k]);
        t->back[k] = -t->own[k];
    }
    floats8 off = {a->off[0], a->off[1], a->off[2], a->off[3],
                   b->off[0], b->off[1], b->off[2], b->off[3]};
    off *= (floats8){r0, r0, r0, r0, r1, r1, r1, r1};
    t->depth = off + high - low;
}

/* Edge e of side 0, from vertex i to j with faces l and r left and right of it, against all of side
 * 1: what is at least the depth where they cross. *most becomes what the least of those that do
 * cross surely is below. */
static inline floats8 tetra_crossings(const poly_tetra *a, const tetra_pair *t, int e, int i, int j,
                                      int l, int r, floats8 *most)
{
    const float margin = 4e-6f, loss = 4e-6f;
    const floats8 s0 = t->own[l], s1 = t->back[r];
    const floats8 s2 = t->left[j] - t->left[i], s3 = t->right[i] - t->right[j];
    const floats8 high = f8_max(f8_max(s0, s1), f8_max(s2, s3));
    const floats8 low = f8_min(f8_min(s0, s1), f8_min(s2, s3));
    const floats8 ux = f8_all(a->u[0][e]), uy = f8_all(a->u[1][e]), uz = f8_all(a->u[2][e]);
    const floats8 vx = t->edge[0], vy = t->edge[1], vz = t->edge[2];
    const floats8 x = f8_less(uy, vz, uz, vy), y = f8_less(uz, vx, ux, vz),
                  z = f8_less(ux, vy, uy, vx);
    const floats8 off = f8_dot(x, t->start[0][i] - t->from[0], y, t->start[1][i] - t->from[1], z,
                               t->start[2][i] - t->from[2]);
    const floats8 share = f8_rsqrt(f8_max(f8_dot(x, x, y, y, z, z), f8_all(1e-12f)));
    const floats8 depth = off * share, back = -depth, none = f8_all(INFINITY);
    const floats8 within = share * loss + f8_abs(depth) * 5e-4f;
    const floats8 sure =
        f8_pick(low > f8_all(margin), depth, f8_pick(high < f8_all(-margin), back, none));
    *most = f8_min(*most, sure + within);
    return f8_min(f8_pick(low > f8_all(-margin), depth, none),
                  f8_pick(high < f8_all(margin), back, none)) -
           within;
}

static inline bool least_of_tetrahedra(axis_search *s, walk_axis *best)
{
    const poly_tetra *a = s->w->side[0].p->tetra, *b = s->w->side[1].p->tetra;
    tetra_pair t;
    s->size = s->w->side[0].p->radius + s->w->side[1].p->radius;
    s->near[0] = s->near[1] = 0;
    in_float(s);
    bring_tetrahedra(s, &t);
    floats8 most = t.depth + f8_all(face_loss);
    const floats8 low[6] = {
        tetra_crossings(a, &t, 0, 0, 1, 2, 3, &most), tetra_crossings(a, &t, 1, 0, 2, 3, 1, &most),
        tetra_crossings(a, &t, 2, 0, 3, 1, 2, &most), tetra_crossings(a, &t, 3, 1, 2, 0, 3, &most),
        tetra_crossings(a, &t, 4, 1, 3, 2, 0, &most), tetra_crossings(a, &t, 5, 2, 3, 0, 1, &most)};
    const float limit = f8_least(most);
    if (!(limit > 0.0f)) return false;
    const floats8 all = f8_all(limit);
    best->depth = INFINITY;
    for (unsigned bits = f8_bits(t.depth <= all + face_loss); bits != 0; bits &= bits - 1) {
        const int k = __builtin_ctz(bits);
        measure_face(s, k / 4, k < 4 ? a->face[k] : b->face[k - 4], best);
    }
    uint64_t bits = 0;
    for (int e = 0; e < 6; e++)
        bits |= (uint64_t)(f8_bits(low[e] <= all) & 63u) << (8 * e);
    for (; bits != 0; bits &= bits - 1) {
        const int k = __builtin_ctzll(bits);
        measure_crossing(s, a->edge[k / 8], b->edge[k % 8], best);
    }
    return best->depth < INFINITY;
}

#endif
