/* arc_search.h — edges as arcs on the sphere of directions, found from above by what may be less
 * deep than a known axis (scene/poly_arcs.c); a part of least_axis.h, where all of it is
 * explained. */
#ifndef JO_NARROW_ARC_SEARCH_H
#define JO_NARROW_ARC_SEARCH_H

#include "base/floats8.h"
#include "narrow/walk.h"

enum { ARCS_MAX = 128, ARCS_ROW = 136, EIGHTS_MAX = 64 };

/* What the search for side i's arcs needs, in float and in units of the bodies' size: the other's
 * centre, the own radius, and what n·(a - c) must be below. `way`: between the centres. */
typedef struct arc_limits {
    float x, y, z, own, below, least, way;
    float vertex[3],
        depth; /* of a face: a vertex of the other body, which it must not be above by more */
} arc_limits;

/* Arcs that may matter: their places in the body's list. */
typedef struct arc_list {
    uint32_t arc[ARCS_ROW];
    int n;
} arc_list;

/* Eight arcs in the frame of the other side; the edge's origin is in units of the bodies' size.
 * `there`: which of them are on the list. */
typedef struct arc_eight {
    floats8 u[3], n0[3], n1[3], a[3];
    ints8 there;
} arc_eight;

typedef struct axis_search {
    const walk *w;
    double centre[2][3]; /* the other's, in the frame of each */
    double size;
    const walk_axis *guess; /* an axis that is measured already, or NULL */
    /* The same in float and in units of the size: the other's centre, the own radius, and the turn
     * into the other's frame by columns. */
    float at[2][4], own[2], turn[2][3][4];
    uint32_t near[2]; /* vertices that are extreme towards the other, of bodies without corners */
    uint32_t eight[2][EIGHTS_MAX + 8];
    int eights[2];
    arc_list list[2];
    int wide; /* the side whose arcs are taken eight at a time: */
    arc_eight other[ARCS_ROW / 8];
} axis_search;

/* What float can lose of the depth along a face's normal, in units of the size. */
static const float face_loss = 2e-6f;

static inline void in_float(axis_search *s)
{
    const double share = 1.0 / s->size;
    for (int i = 0; i < 2; i++) {
        s->own[i] = (float)(s->w->side[i].p->radius * share);
        row_to_floats(s->at[i], s->w->side[1 - i].at * share);
        for (int x = 0; x < 3; x++)
            row_to_floats(s->turn[i][x], s->w->side[i].column[x]);
    }
}

static inline arc_limits limits_of(const axis_search *s, int i, double depth)
{
    const double share = 1.0 / s->size;
    const double below = (depth - s->w->side[1 - i].p->inradius) * share;
    const float x = s->at[i][0], y = s->at[i][1], z = s->at[i][2];
    return (arc_limits){.x = x,
                        .y = y,
                        .z = z,
                        .own = s->own[i],
                        .below = (float)below + 2e-6f,
                        .least = below < 0.0 ? (float)(below * below) - 8e-6f : -1.0f,
                        .way = sqrtf(x * x + y * y + z * z)};
}

static inline void limit_faces(const axis_search *s, int i, double depth, arc_limits *c)
{
    const walk *w = s->w;
    double x[3];
    walk_across(w, 1 - i, walk_point(w, 1 - i, s->near[1 - i]), x);
    for (int k = 0; k < 3; k++)
        c->vertex[k] = (float)(x[k] / s->size);
    c->depth = (float)(depth / s->size) + 2e-6f;
}

/* Which of the eight cones may hold such a normal: n·c > reach - below somewhere in the cone. */
static inline unsigned cones_below(const poly_cones *p, const arc_limits *c)
{
    const floats8 needed = f8_load(p->reach) * c->own - c->below, way = f8_all(c->way);
    const floats8 square = f8_max(way * way - needed * needed, f8_all(0.0f));
    const floats8 along = f8_load(p->x) * c->x + f8_load(p->y) * c->y + f8_load(p->z) * c->z;
    /* cos(t + s) of the cone's angle t and the cap's angle s, cos s = needed/way. */
    const floats8 least = f8_load(p->cosine) * needed - f8_load(p->sine) * f8_sqrt(square);
    return f8_bits(((along > least - 1e-5f) & (needed < way)) | (needed < f8_all(0.0f)));
}

/* Of eight arcs, bits: `arcs` of those that have a normal n with h(n) < depth, as far as the sphere
 * inside the other body tells, `end[i]` of those whose normal n_i is one. Along the arc the own
 * body reaches n·a, so that h(n) >= n·(a - c) + r: a sinusoid, least at an end or where n is
 * opposite to a - c, if it falls from both ends. */
typedef struct arc_bits {
    unsigned arcs, end[2];
} arc_bits;

/* m·(a - c) of eight edges, given m·a in units of the own radius. */
static inline floats8 arcs_off(const float off[8], float own, const float m[3][8], float x, float y,
                               float z)
{
    return f8_load(off) * own - f8_along(f8_load(m[0]), f8_load(m[1]), f8_load(m[2]), x, y, z);
}

static inline arc_bits arcs_below(const poly_arcs *a, const arc_limits *c)
{
    const floats8 cosine = f8_load(a->cosine), sine = f8_load(a->sine);
    const floats8 at0 = arcs_off(a->off0, c->own, a->n0, c->x, c->y, c->z);
    const floats8 slope0 = arcs_off(a->rise, c->own, a->t, c->x, c->y, c->z);
    const floats8 at1 = cosine * at0 + sine * slope0, slope1 = f8_less(sine, at0, cosine, slope0);
    const ints8 low = f8_max(slope0, slope1) < f8_all(2e-6f);
    const ints8 inside = low & (at0 * at0 + slope0 * slope0 > f8_all(c->least));
    const ints8 below0 = at0 < f8_all(c->below), below1 = at1 < f8_all(c->below);
    const unsigned there = (1u << a->count) - 1u;
    return (arc_bits){.arcs = there & f8_bits(inside | below0 | below1),
                      .end = {there & f8_bits(below0), there & f8_bits(below1)}};
}

/* Of eight arcs, what n·(a - c) is at least along each: as above, c in the units and the frame of
 * `at`. What it takes does not depend on a depth, so that it is there when one becomes known. */
static inline floats8 arcs_reach(const poly_arcs *a, float own, const float at[4])
{
    const floats8 cosine = f8_load(a->cosine), sine = f8_load(a->sine);
    const floats8 at0 = arcs_off(a->off0, own, a->n0, at[0], at[1], at[2]);
    const floats8 slope0 = arcs_off(a->rise, own, a->t, at[0], at[1], at[2]);
    const floats8 at1 = cosine * at0 + sine * slope0, slope1 = f8_less(sine, at0, cosine, slope0);
    const ints8 low = f8_max(slope0, slope1) < f8_all(2e-6f);
    /* The root is rounded up: one that is within 4e-4 takes less, and lets hardly more arcs
     * pass. */
    const floats8 square = at0 * at0 + slope0 * slope0 + 1e-12f;
    return f8_pick(low, f8_rsqrt(square) * square * -1.0005f, f8_min(at0, at1));
}

/* Of those ends, the ones that the vertex of the other body does not show to be no better. */
static inline arc_bits faces_below(const poly_arcs *a, const arc_limits *c, arc_bits bits)
{
    const float x = c->vertex[0], y = c->vertex[1], z = c->vertex[2];
    const floats8 at0 = f8_load(a->off0) * c->own -
                        (f8_load(a->n0[0]) * x + f8_load(a->n0[1]) * y + f8_load(a->n0[2]) * z);
    const floats8 at1 = f8_load(a->off1) * c->own +
                        (f8_load(a->n1[0]) * x + f8_load(a->n1[1]) * y + f8_load(a->n1[2]) * z);
    bits.end[0] &= f8_bits(at0 < f8_all(c->depth)) & a->first_of[0];
    bits.end[1] &= f8_bits(at1 < f8_all(c->depth)) & a->first_of[1];
    return bits;
}

/* Writes base + l for each bit l that is set, closed up; up to eight words from `to` on are
 * overwritten. */
static inline int list_bits(unsigned bits, uint32_t base, uint32_t *to)
{
    const ints8 places = f8_kept(bits) + i8_all((int32_t)base);
    memcpy(to, &places, sizeof places);
    return __builtin_popcount(bits);
}

/* The eights of arcs that may matter; false when they are too many. */
static inline bool find_eights(axis_search *s, int i, const arc_limits *c)
{
    const jo_polyhedron *p = s->w->side[i].p;
    uint32_t from[EIGHTS_MAX + 8], *to = s->eight[i];
    int n = 1;
    if (p->n_arcs <= 8) {
        static const uint32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        memcpy(to, all, sizeof all);
        s->eights[i] = (int)p->n_arcs;
        return true;
    }
    to[0] = 0;
    for (uint32_t l = p->levels; l-- > 0;) {
        const uint32_t below = l > 0 ? p->level_count[l - 1] : p->n_arcs;
        const int m = n;
        memcpy(from, to, (size_t)n * sizeof *from);
        n = 0;
        for (int k = 0; k < m; k++) {
            const uint32_t begin = 8 * from[k], left = below - begin;
            const unsigned bits = cones_below(&p->cones[p->level[l] + from[k]], c);
            n += list_bits(bits & (left < 8 ? (1u << left) - 1u : 255u), begin, to + n);
            if (n > EIGHTS_MAX) return false;
        }
    }
    s->eights[i] = n;
    return true;
}

#endif
