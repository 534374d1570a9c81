/* arc_crossings.h — arcs of one body that cross arcs of the other, and how deep the bodies overlap
 * there; a part of least_axis.h, where all of it is explained.
 *
 * Arcs that may matter are listed by coordinate. Each one of side 0 is held against eight of side
 * 1: do they cross, and how deep are they at least and at most, both in float with a margin. What
 * is less deep at least than the best is at most is measured in double: one crossing, as a rule. No
 * branch depends on a single pair. */
#ifndef JO_NARROW_ARC_CROSSINGS_H
#define JO_NARROW_ARC_CROSSINGS_H

#include <stddef.h>

#include "narrow/arc_search.h"

enum { LOOKED_MAX = 64 };

/* The arcs of side i that may be better, and more of the same up to a multiple of eight; false when
 * they are too many. */
static inline bool list_arcs(axis_search *s, int i, const arc_limits *c)
{
    const jo_polyhedron *p = s->w->side[i].p;
    arc_list *to = &s->list[i];
    int n = 0;
    for (int k = 0; k < s->eights[i]; k++) {
        const uint32_t eight = s->eight[i][k];
        n += list_bits(arcs_below(&p->arcs[eight], c).arcs, 8 * eight, to->arc + n);
        if (n > ARCS_MAX - 8) return false;
    }
    const ints8 first = i8_all((int32_t)to->arc[0]);
    memcpy(to->arc + n, &first, sizeof first);
    to->n = n;
    return true;
}

/* The axis of two half-edges, at `share` times n. */
static inline void keep_crossing(const walk *w, uint32_t h, uint32_t g, double depth,
                                 const double n[3], double share, walk_axis *best)
{
    best->depth = depth;
    for (int k = 0; k < 3; k++)
        best->n[k] = share * n[k];
    best->feature[0] = (jo_feature){JO_FEATURE_EDGE, h};
    best->feature[1] = (jo_feature){JO_FEATURE_EDGE, g};
    best->a = w->side[0].p->walls[h].origin;
    best->b = w->side[1].p->walls[g].origin;
}

static inline double least4(double a, double b, double c, double d)
{
    const double ab = a < b ? a : b, cd = c < d ? c : d;
    return ab < cd ? ab : cd;
}

/* The same of edges that are nearly parallel: n is the product of their directions. */
static __attribute__((noinline)) void measure_sliver(const axis_search *s, uint32_t h, uint32_t g,
                                                     double sign, double n[3], walk_axis *best)
{
    const poly_walls *e = &s->w->side[0].p->walls[h], *f = &s->w->side[1].p->walls[g];
    const double depth = walk_sliver(s->w, e->origin, f->origin, e->ve, sign, n);
    if (depth < best->depth - 1e-14 * s->size) keep_crossing(s->w, h, g, depth, n, 1.0, best);
}

/* Half-edges h of side 0 and g of side 1: do their arcs cross, and how deep is it there? */
static inline void measure_crossing(const axis_search *s, uint32_t h, uint32_t g, walk_axis *best)
{
    const walk *w = s->w;
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const poly_walls *e = &p->walls[h], *f = &q->walls[g];
    const double *n0 = p->planes + 4 * (size_t)e->face, *m0 = q->planes + 4 * (size_t)f->face;
    const double *n1 = p->planes + 4 * (size_t)p->face[e->twin];
    const double *m1 = q->planes + 4 * (size_t)q->face[f->twin];
    double u[3], v[3], b[3], d[3], n[3];
    walk_turn(w, 0, e->ve, u);
    walk_turn(w, 1, f->ve, v);
    const double s0 = dot3(n0, v), s1 = -dot3(n1, v), s2 = dot3(m0, u), s3 = -dot3(m1, u);
    /* By least and most: which of the two signs it is cannot be predicted. */
    const double low = least4(s0, s1, s2, s3), high = -least4(-s0, -s1, -s2, -s3);
    if (!((low > 0.0) | (high < 0.0))) return;
    walk_across(w, 1, f->from, b);
    sub3(e->from, b, d);
    cross3(e->ve, v, n);
    const double square = dot3(n, n), share = copysign(1.0 / sqrt(square), s0);
    if (!(square > walk_parallel * walk_parallel)) {
        measure_sliver(s, h, g, s0, n, best);
        return;
    }
    const double depth = share * dot3(n, d);
    if (!(depth < best->depth - 1e-14 * s->size)) return;
    keep_crossing(w, h, g, depth, n, share, best);
}

/* Crossings looked at: how deep they are at least, in units of the bodies' size, and of which arcs:
 * `arc` of one side's list and the eight from `eight` on of the other's, which is `wide`. Lane by
 * lane: the lowest of these, whose it is, and the next. */
typedef struct looked_at {
    floats8 least[LOOKED_MAX];
    floats8 lowest, next;
    ints8 whose;
    uint8_t arc[LOOKED_MAX], eight[LOOKED_MAX];
    int n;
} looked_at;

/* An arc of one side and eight of the other: how deep the bodies are at least where they cross,
 * infinite where they do not. A root within 4e-4 will do: two crossings hardly ever are as near to
 * each other. `bound` becomes what the least of those that do cross surely is below, lane by
 * lane. */
static inline floats8 cross_eight(const poly_arc *a, floats8 own, const arc_eight *b,
                                  floats8 *bound)
{
    const float margin = 4e-6f, loss = 4e-6f;
    const floats8 vx = b->u[0], vy = b->u[1], vz = b->u[2], none = f8_all(INFINITY);
    const floats8 ux = f8_all(a->u[0]), uy = f8_all(a->u[1]), uz = f8_all(a->u[2]);
    const floats8 s0 = f8_along(vx, vy, vz, a->n0[0], a->n0[1], a->n0[2]);
    const floats8 s1 = f8_along(vx, vy, vz, a->n1[0], a->n1[1], a->n1[2]);
    const floats8 s2 = f8_dot(b->n0[0], ux, b->n0[1], uy, b->n0[2], uz);
    const floats8 s3 = f8_dot(b->n1[0], ux, b->n1[1], uy, b->n1[2], uz);
    const floats8 high = f8_max(f8_max(s0, s1), f8_max(s2, s3));
    const floats8 low = f8_min(f8_min(s0, s1), f8_min(s2, s3));
    const floats8 x = f8_less(uy, vz, uz, vy), y = f8_less(uz, vx, ux, vz),
                  z = f8_less(ux, vy, uy, vx);
    const floats8 off = f8_dot(x, f8_all(a->a[0]) * own - b->a[0], y,
                               f8_all(a->a[1]) * own - b->a[1], z, f8_all(a->a[2]) * own - b->a[2]);
    const floats8 share = f8_rsqrt(f8_max(f8_dot(x, x, y, y, z, z), f8_all(1e-12f)));
    const floats8 depth = off * share, back = -depth, within = share * loss + f8_abs(depth) * 5e-4f;
    const floats8 sure =
        f8_pick(low > f8_all(margin), depth, f8_pick(high < f8_all(-margin), back, none));
    *bound = f8_min(*bound, sure + within);
    return f8_min(f8_pick(low > f8_all(-margin), depth, none),
                  f8_pick(high < f8_all(margin), back, none)) -
           within;
}

static inline void look_afresh(looked_at *l)
{
    l->lowest = l->next = f8_all(INFINITY);
    l->whose = i8_all(0);
    l->n = 0;
}

/* The crossing in lane `at` of what was looked at as number k. */
static inline void measure_one(const axis_search *s, const looked_at *l, int k, int at,
                               walk_axis *best)
{
    const jo_polyhedron *p = s->w->side[1 - s->wide].p, *q = s->w->side[s->wide].p;
    const uint32_t one = s->list[1 - s->wide].arc[l->arc[k]];
    const uint32_t other = s->list[s->wide].arc[l->eight[k] + at];
    const uint32_t e = p->arcs[one / 8].edge[one % 8], f = q->arcs[other / 8].edge[other % 8];
    measure_crossing(s, s->wide == 1 ? e : f, s->wide == 1 ? f : e, best);
}

/* Measures those that may be the best, and forgets the others. */
static void measure_looked(const axis_search *s, looked_at *l, float limit, walk_axis *best)
{
    const unsigned lanes = f8_bits(l->lowest <= f8_all(limit));
    if ((lanes & (lanes - 1)) != 0 || f8_bits(l->next <= f8_all(limit)) != 0) {
        /* More than one, in the order of the lists: of two that are equal the first counts. */
        for (int k = 0; k < l->n; k++)
            for (unsigned bits = f8_bits(l->least[k] <= f8_all(limit)); bits != 0; bits &= bits - 1)
                measure_one(s, l, k, __builtin_ctz(bits), best);
    } else if (lanes != 0) {
        const int at = __builtin_ctz(lanes);
        measure_one(s, l, l->whose[at], at, best);
    }
    look_afresh(l);
}

/* One of the four vectors of eight arcs, given by places in bytes, into the other frame. */
static inline void bring_eight(const float (*m)[4], const char *arcs, const size_t at[8],
                               floats8 to[3])
{
    const float *row[8];
    floats8 v[3];
    for (int l = 0; l < 8; l++)
        row[l] = (const float *)(const void *)(arcs + at[l]);
    f8_columns(row, v);
    for (int r = 0; r < 3; r++)
        to[r] = f8_along(v[0], v[1], v[2], m[0][r], m[1][r], m[2][r]);
}

/* Brings the arcs of the wide side into the frame of the other. */
static inline void bring_together(axis_search *s)
{
    const int i = s->wide;
    const char *arcs = (const char *)s->w->side[i].p->arc;
    const axis_search *known_of = s;
    const float(*m)[4] = known_of->turn[i];
    for (int k = 0; k < s->list[i].n; k += 8) {
        arc_eight *to = &s->other[k / 8];
        to->there = (ints8){0, 1, 2, 3, 4, 5, 6, 7} < i8_all(s->list[i].n - k);
        size_t at[8];
        for (int l = 0; l < 8; l++)
            at[l] = sizeof(poly_arc) * s->list[i].arc[k + l];
        bring_eight(m, arcs + offsetof(poly_arc, u), at, to->u);
        bring_eight(m, arcs + offsetof(poly_arc, n0), at, to->n0);
        bring_eight(m, arcs + offsetof(poly_arc, n1), at, to->n1);
        bring_eight(m, arcs + offsetof(poly_arc, a), at, to->a);
        for (int x = 0; x < 3; x++)
            to->a[x] = to->a[x] * s->own[i] + s->at[1 - i][x];
    }
}

/* Takes note of how deep number l->n is at least. */
static inline void look_at(looked_at *l, floats8 least)
{
    const ints8 lower = least < l->lowest;
    l->next = f8_min(l->next, f8_max(least, l->lowest));
    l->whose = (lower & i8_all(l->n)) | (~lower & l->whose);
    l->lowest = f8_min(least, l->lowest);
    l->least[l->n++] = least;
}

/* Every arc of one side on the list against every one of the other; *limit, in units of the bodies'
 * size, is what the least is below, and becomes less. */
static inline void try_crossings(axis_search *s, looked_at *l, float *limit, walk_axis *best)
{
    const int n0 = s->list[0].n, n1 = s->list[1].n;
    s->wide = n0 * ((n1 + 7) / 8) <= n1 * ((n0 + 7) / 8) ? 1 : 0;
    const int i = 1 - s->wide;
    const poly_arc *arc = s->w->side[i].p->arc;
    const floats8 own = f8_all(s->own[i]);
    floats8 bound = f8_all(*limit);
    look_afresh(l);
    bring_together(s);
    for (int k = 0; k < s->list[i].n; k++)
        for (int eight = 0; eight < s->list[1 - i].n; eight += 8) {
            if (l->n == LOOKED_MAX) measure_looked(s, l, f8_least(bound), best);
            const floats8 least =
                cross_eight(&arc[s->list[i].arc[k]], own, &s->other[eight / 8], &bound);
            l->arc[l->n] = (uint8_t)k;
            l->eight[l->n] = (uint8_t)eight;
            look_at(l, f8_pick(s->other[eight / 8].there, least, f8_all(INFINITY)));
        }
    *limit = f8_least(bound);
}

#endif
