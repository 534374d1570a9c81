/* kinetic_see.h — how corners lie over edges, seen from the triangles they are in. Bodies that are
 * asked about were brought to the present. */
#ifndef JO_HARD_KINETIC_SEE_H
#define JO_HARD_KINETIC_SEE_H

#include <math.h>

#include "hard/kinetic.h"

/* A corner over a mandatory side. */
typedef struct over_edge {
    double length, height, along; /* of the side; of the corner over it, and from its first end */
    double normal[2];             /* from the side to the corner */
} over_edge;

/* The corner over the mandatory side from `first` to `last`, as a free triangle has it. */
static inline over_edge see_over(const jo_kinetic *k, uint32_t first, uint32_t last,
                                 uint32_t corner)
{
    double p[2], q[2], c[2];
    corner_place(k, first, p);
    corner_place(k, last, q);
    corner_place(k, corner, c);
    const double e[2] = {q[0] - p[0], q[1] - p[1]}, r[2] = {c[0] - p[0], c[1] - p[1]};
    const double length = sqrt(e[0] * e[0] + e[1] * e[1]);
    return (over_edge){.length = length,
                       .height = (e[0] * r[1] - e[1] * r[0]) / length,
                       .along = (e[0] * r[0] + e[1] * r[1]) / length,
                       .normal = {-e[1] / length, e[0] / length}};
}

static inline bool in_reach(const jo_kinetic *k, const over_edge *e)
{
    return e->along >= -k->gap && e->along <= e->length + k->gap;
}

static inline int mandatory_side(const triangle *t)
{
    return t->n[0] == TRI_NONE ? 0 : t->n[1] == TRI_NONE ? 1 : t->n[2] == TRI_NONE ? 2 : -1;
}

static inline double twice_area(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The longest side of a triangle, its length squared, and twice the triangle's area. */
static inline int longest_side(const jo_kinetic *k, const triangle *t, double *square,
                               double *twice)
{
    double p[3][2], most = -1.0;
    int longest = 0;
    for (int c = 0; c < 3; c++)
        corner_place(k, t->v[c], p[c]);
    for (int c = 0; c < 3; c++) {
        const double *q = p[TRI_NEXT[c]], *r = p[TRI_PREVIOUS[c]];
        const double l2 = (q[0] - r[0]) * (q[0] - r[0]) + (q[1] - r[1]) * (q[1] - r[1]);
        if (l2 > most) most = l2, longest = c;
    }
    *square = most;
    *twice = twice_area(p[0], p[1], p[2]);
    return longest;
}

static inline uint32_t corner_before(const jo_kinetic *k, uint32_t v)
{
    const kin_body *b = &k->body[k->owner[v]];
    return v == b->first ? b->first + b->count - 1 : v - 1;
}

/* Is corner v over one of the edges at the corner `end` of another body, by more than `margin` from
 * there on? */
static inline bool is_over(const jo_kinetic *k, uint32_t v, uint32_t end, double margin)
{
    const over_edge e = see_over(k, end, corner_before(k, end), v);
    const over_edge f = see_over(k, k->next[end], end, v);
    return (e.along >= margin && e.height > 0.0) ||
           (f.along <= f.length - margin && f.height > 0.0);
}

/* Triangle t has the end b of a mandatory edge for a corner. Of its other corners, x is the one
 * next to that edge in the fan of b, d the one beyond: how does d lie over the edge? The triangles
 * between are done away with by flipping sides from b, the first of them that from x. There are six
 * ways to look. */
typedef struct fan_view {
    uint32_t first, last, d, x; /* the edge as a free triangle has it; corners */
    int side;                   /* from b to x: opposite d */
} fan_view;

static inline fan_view look_over(const jo_kinetic *k, const triangle *t, int way)
{
    const int at = way / 2, after = TRI_NEXT[at], before = TRI_PREVIOUS[at];
    const uint32_t b = t->v[at];
    if (way % 2 == 0) return (fan_view){b, corner_before(k, b), t->v[before], t->v[after], before};
    return (fan_view){k->next[b], b, t->v[after], t->v[before], after};
}

/* Do corners u and v of two bodies collide now? As a corner over an edge: `height` is their
 * distance, the normal from v to u. */
bool jo_kinetic_corners_meet(const jo_kinetic *k, uint32_t u, uint32_t v, over_edge *out);
/* When that is to be asked again, no later than `until`; not flat: they are certain not to meet
 * before. */
flat_answer jo_kinetic_corners_time(const jo_kinetic *k, uint32_t u, uint32_t v, double until);

#endif
