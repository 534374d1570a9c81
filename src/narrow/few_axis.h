/* few_axis.h — the axis of least depth of two bodies of up to eight faces and sixteen edges: all
 * faces and all pairs of edges; a part of least_axis.h, where crossings of arcs are explained.
 *
 * How high the other's vertices are along a face's normal tells the face's depth; the difference
 * between an edge's two vertices tells on which side of that edge's great circle the normal lies:
 * one bit, eight faces at a time. Two arcs cross if each one's ends are on different sides of the
 * other, and on the same ones: that is asked of an edge and all of the other body's at once. Of 144
 * pairs of edges of two octahedra some eleven cross: those alone are measured, in float, and of
 * them in double what may be the least. Where a normal is so nearly square to an edge that float
 * cannot tell the side, the search for all bodies is left to find out.
 *
 * The axis of the step before is measured first, beside all that: mostly it is the one that may be
 * the least. */
#ifndef JO_NARROW_FEW_AXIS_H
#define JO_NARROW_FEW_AXIS_H

#include "narrow/arc_crossings.h"
#include "narrow/axis_faces.h"

enum { FEW_CROSSINGS = POLY_FEW_EDGES * POLY_FEW_EDGES };

/* Whether the least axis was found; or that the bodies are apart; or that a normal is too near to
 * square to an edge for float. */
typedef enum few_end { FEW_FOUND, FEW_APART, FEW_UNSURE } few_end;

/* The axis of least depth, by processors with AVX-512 and of up to sixteen faces
 * (few_axis_avx512.c). */
few_end jo_least_of_few_avx512(const axis_search *s, bool overlap, walk_axis *best);

/* Heights of the other's vertices along the normals of side i's faces, from the other's centre and
 * in units of its radius; returns the least. */
static inline floats8 few_heights(const axis_search *s, int i, float height[16 * POLY_FEW_VERTICES])
{
    const jo_polyhedron *q = s->w->side[1 - i].p;
    const poly_faces *f = s->w->side[i].p->faces;
    const float(*m)[4] = s->turn[i];
    const floats8 x = f8_load(f->n[0]), y = f8_load(f->n[1]), z = f8_load(f->n[2]);
    const floats8 nx = f8_along(x, y, z, m[0][0], m[1][0], m[2][0]);
    const floats8 ny = f8_along(x, y, z, m[0][1], m[1][1], m[2][1]);
    const floats8 nz = f8_along(x, y, z, m[0][2], m[1][2], m[2][2]);
    floats8 least = f8_all(INFINITY);
    const float *v = q->spots;
    for (size_t k = 0; k < q->nv; k++, v += 3) {
        const floats8 high = f8_along(nx, ny, nz, v[0], v[1], v[2]);
        f8_store(height + 16 * k, high);
        least = f8_min(least, high);
    }
    return least;
}

/* How deep side i's faces are, within `face_loss`, in units of the bodies' size. */
static inline floats8 few_depths(const axis_search *s, int i, floats8 least)
{
    const poly_faces *f = s->w->side[i].p->faces;
    const float *c = s->at[i];
    return f8_load(f->off) * s->own[i] - least * s->own[1 - i] -
           f8_along(f8_load(f->n[0]), f8_load(f->n[1]), f8_load(f->n[2]), c[0], c[1], c[2]);
}

/* How far the edges k to k + 3 of body q go along each face's normal; *nearest becomes less. */
static inline void few_along(const poly_few *q, size_t k, const float *height, floats8 along[4],
                             floats8 *nearest)
{
    for (size_t l = 0; l < 4; l++) {
        along[l] = f8_load(height + q->head[k + l]) - f8_load(height + q->tail[k + l]);
        *nearest = f8_min(*nearest, f8_abs(along[l]));
    }
}

/* The place of the lowest bit; without any, some number up to 64. Never by a branch, as compilers
 * make of a question. */
static inline uint64_t lowest_bit(uint64_t bits)
{
#ifdef __BMI__
    return _tzcnt_u64(bits);
#else
    return (uint64_t)__builtin_ctzll(bits | 1ull << 63);
#endif
}

/* Writes base + l for each bit l that is set; up to eight bytes behind them are overwritten. The
 * first six without asking: how many there are cannot be predicted. */
static inline int few_places(uint64_t bits, uint32_t base, uint8_t *to)
{
    const int n = __builtin_popcountll(bits);
    uint64_t places = base * 0x0101010101010101u;
    for (int k = 0; k < 6; k++, bits &= bits - 1)
        places += lowest_bit(bits) << (8 * k);
    memcpy(to, &places, sizeof places);
    for (int k = 6; bits != 0; k++, bits &= bits - 1)
        to[k] = (uint8_t)(base + (uint32_t)__builtin_ctzll(bits));
    return n;
}

/* Pairs of arcs that cross: 16 times side 0's plus side 1's, and sixteen times the first behind
 * them; negative when a normal is too near to square to an edge for float. height[i]: along the
 * normals of side i's faces. */
static inline int few_crossings(const axis_search *s, float height[2][16 * POLY_FEW_VERTICES],
                                uint8_t pair[FEW_CROSSINGS + 16])
{
    const poly_few *p = s->w->side[0].p->few, *q = s->w->side[1].p->few;
    const size_t edges[2] = {s->w->side[0].p->nh / 2, s->w->side[1].p->nh / 2};
    floats8 along[4], nearest = f8_all(INFINITY);
    ints8 against = {0}; /* face k of side 0: edges of side 1 that it points against, a bit each */
    _Alignas(32) uint32_t ends[POLY_FEW_EDGES], differ[POLY_FEW_EDGES];
    int n = 0;
    for (size_t k = 0; k < edges[1]; k += 4) {
        few_along(q, k, height[0], along, &nearest);
        against |= i8_nibbles(f8_signs(along)) << (int)k;
    }
    against &= i8_all((int32_t)(1u << edges[1]) - 1);
    /* Edges of side 0: those of side 1 that its left face points against, and sixteen bits up that
     * its right one does. */
    for (size_t k = 0; k < edges[0]; k += 8) {
        const ints8 left = i8_permute(against, i8_bytes(p->faces + k));
        const ints8 right = i8_permute(against, i8_bytes(p->faces + POLY_FEW_EDGES + k));
        i8_store(ends + k, left | right << 16);
        i8_store(differ + k, left ^ right);
    }
    /* The same the other way round: each row now has the left and right faces of side 1. Both must
     * be equal. */
    for (size_t k = 0; k < edges[0]; k += 4) {
        uint64_t sign[4];
        few_along(p, k, height[1], along, &nearest);
        f8_sign_bytes(along, sign);
        uint64_t crossed = 0;
        for (size_t l = 0; l < 4; l++) {
            const uint32_t off = ends[k + l] ^ b8_picked(sign[l], q->faces);
            crossed |= (uint64_t)(differ[k + l] & ~(off | off >> 16)) << (16 * l);
        }
        n += few_places(crossed, 16 * (uint32_t)k, pair + n);
    }
    if (n > 0) memset(pair + n, pair[0], 16);
    return f8_bits(nearest < f8_all(4e-6f)) == 0 ? n : -1;
}

/* Eight of sixteen numbers. */
static inline floats8 few_some(const float *from, ints8 which)
{
    return f8_by_sign(which << 28, f8_permute(f8_load(from + 8), which),
                      f8_permute(f8_load(from), which));
}

/* Eight pairs of arcs that cross: how deep the bodies are there at least; *most becomes what the
 * least of them is below, lane by lane. Each body's centre is inside it, which tells the sign of
 * the normal, unless the edges are nearly parallel. */
static __attribute__((noinline)) floats8 few_eight(const axis_search *s, const uint8_t pair[8],
                                                   floats8 *most)
{
    const float loss = 4e-6f;
    const poly_few *p = s->w->side[0].p->few, *q = s->w->side[1].p->few;
    const float(*m)[4] = s->turn[1], *c = s->at[0];
    const ints8 pairs = i8_bytes(pair), of_p = pairs >> 4, of_q = pairs & 15;
    floats8 u[3], a[3], v[3], b[3], t[3];
    for (int k = 0; k < 3; k++) {
        u[k] = few_some(p->u[k], of_p);
        a[k] = few_some(p->from[k], of_p);
        t[k] = few_some(q->u[k], of_q);
    }
    for (int r = 0; r < 3; r++)
        v[r] = f8_along(t[0], t[1], t[2], m[0][r], m[1][r], m[2][r]);
    for (int k = 0; k < 3; k++)
        t[k] = few_some(q->from[k], of_q);
    for (int r = 0; r < 3; r++)
        b[r] = f8_along(t[0], t[1], t[2], m[0][r], m[1][r], m[2][r]) * s->own[1] + c[r];
    const floats8 x = f8_less(u[1], v[2], u[2], v[1]), y = f8_less(u[2], v[0], u[0], v[2]),
                  z = f8_less(u[0], v[1], u[1], v[0]);
    const floats8 share = f8_rsqrt(f8_max(f8_dot(x, x, y, y, z, z), f8_all(1e-12f)));
    const floats8 reach = f8_dot(x, a[0], y, a[1], z, a[2]) * s->own[0];
    const floats8 gap = (reach - f8_dot(x, b[0], y, b[1], z, b[2])) * share, either = f8_abs(gap);
    const floats8 within = share * loss + either * 5e-4f;
    const floats8 depth = f8_by_sign((ints8)reach, -gap, gap);
    const ints8 sure = f8_abs(reach) > f8_all(loss);
    *most = f8_min(*most, f8_pick(sure, depth, either) + within);
    return f8_pick(sure, depth, -either) - within;
}

/* The same of one pair in double; kept if it is better by more than rounding. */
static inline void measure_edges(const axis_search *s, uint32_t h, uint32_t g, walk_axis *best)
{
    const walk *w = s->w;
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const poly_walls *e = &p->walls[h], *f = &q->walls[g];
    double v[3], from[3], d[3], n[3];
    walk_turn(w, 1, f->ve, v);
    walk_across(w, 1, f->from, from);
    sub3(e->from, from, d);
    cross3(e->ve, v, n);
    const double square = dot3(n, n), outwards = dot3(n, e->from);
    if (!(square > walk_parallel * walk_parallel)) {
        measure_sliver(s, h, g, outwards, n, best);
        return;
    }
    const double share = copysign(1.0 / sqrt(square), outwards);
    const double depth = share * dot3(n, d);
    if (depth < best->depth - 1e-14 * s->size) keep_crossing(w, h, g, depth, n, share, best);
}

static inline void measure_pair(const axis_search *s, uint32_t a, uint32_t b, walk_axis *best)
{
    const poly_arcs *p = s->w->side[0].p->arcs, *q = s->w->side[1].p->arcs;
    measure_edges(s, p[a / 8].edge[a % 8], q[b / 8].edge[b % 8], best);
}

/* Whether but one axis may be the least, and is the one that is measured already. Bits tell which
 * may: of the faces of side 0, from `lanes` on of side 1, and from twice as many on of pairs. */
static inline bool is_guess(const axis_search *s, uint64_t bits, uint32_t lanes,
                            const uint8_t *pair)
{
    if (s->guess == NULL || bits == 0 || (bits & (bits - 1)) != 0) return false;
    const jo_feature *known = s->guess->feature;
    const uint32_t k = (uint32_t)lowest_bit(bits);
    if (k < 2 * lanes) {
        const jo_feature *face = &known[k / lanes];
        return face->kind == JO_FEATURE_FACE && face->index == k % lanes;
    }
    const uint32_t a = pair[k - 2 * lanes] / 16, b = pair[k - 2 * lanes] % 16;
    const poly_arcs *p = s->w->side[0].p->arcs, *q = s->w->side[1].p->arcs;
    return known[0].kind == JO_FEATURE_EDGE && known[0].index == p[a / 8].edge[a % 8] &&
           known[1].index == q[b / 8].edge[b % 8];
}

/* The axis that is the least, given the faces' depths and the pairs of arcs that cross. In double
 * only what may be the least: one of all, as a rule. Faces before crossings, for of two that are
 * equal the face is the better name. */
static inline void few_least(const axis_search *s, const floats8 depth[2], const uint8_t *pair,
                             int n, walk_axis *best)
{
    const uint32_t nf = (uint32_t)s->w->side[0].p->nf, other_nf = (uint32_t)s->w->side[1].p->nf;
    floats8 least[FEW_CROSSINGS / 8 + 1], most = f8_min(depth[0], depth[1]) + face_loss;
    least[0] = least[1] = f8_all(INFINITY);
    for (int k = 0; k < n; k += 16) {
        least[k / 8] = few_eight(s, pair + k, &most);
        least[k / 8 + 1] = few_eight(s, pair + k + 8, &most);
    }
    const float limit = f8_least(most);
    const floats8 limits = f8_all(limit), faces = f8_all(limit + face_loss);
    uint64_t bits = (f8_bits(depth[0] <= faces) & ((1u << nf) - 1u)) |
                    (f8_bits(depth[1] <= faces) & ((1u << other_nf) - 1u)) << 8;
    const uint64_t pairs = f8_bits(least[0] <= limits) | f8_bits(least[1] <= limits) << 8;
    bits |= (pairs & ((1ull << (n < 16 ? n : 16)) - 1u)) << 16;
    if (n <= 16 && is_guess(s, bits, 8, pair)) {
        *best = *s->guess;
        return;
    }
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(bits);
        if (k < 16)
            measure_face(s, (int)(k / 8), k % 8, best);
        else
            measure_pair(s, pair[k - 16] / 16, pair[k - 16] % 16, best);
    }
    for (int k = 16; k < n; k++)
        if (f8_bits(least[k / 8] <= limits) >> (k % 8) & 1)
            measure_pair(s, pair[k] / 16, pair[k] % 16, best);
}

static __attribute__((noinline, unused)) few_end least_of_fewest(const axis_search *s, bool overlap,
                                                                 walk_axis *best)
{
    _Alignas(32) float height[2][16 * POLY_FEW_VERTICES];
    floats8 depth[2];
    uint8_t pair[FEW_CROSSINGS + 16];
    for (int i = 0; i < 2; i++)
        depth[i] = few_depths(s, i, few_heights(s, i, height[i]));
    const floats8 least = f8_min(depth[0], depth[1]);
    if (overlap && f8_bits(least <= f8_all(-face_loss)) != 0) return FEW_APART;
    const int n = few_crossings(s, height, pair);
    if (n < 0) return FEW_UNSURE;
    few_least(s, depth, pair, n, best);
    return FEW_FOUND;
}

#endif
