/* least_axis.h — the axis of least depth among all, found by sorting out; compiled plain (walk.c)
 * and for AVX2.
 *
 * Depth along a unit vector n from a to b is h(n) = max n·a - min n·b. Its least value is at the
 * normal of a face of the polytope M of all differences: a face of one body, or a crossing of two
 * edges' arcs (see follow.c). There are few of them that matter. Each body holds a sphere around
 * its centre, so with R the sum of their radii and c the way between the centres h(n) >= R - n·c:
 * once some axis of depth d is known, only normals in the cap n·c > R - d can be better. Of bodies
 * that overlap little the cap is small: it holds some ten arcs of each body whatever the number of
 * faces, and those are found from above (scene/poly_arcs.c).
 *
 * Faces are measured first, which makes d smaller; then every arc that can hold a better axis
 * (arcs_below) is held against every one of the other body, eight at a time and in float with a
 * margin; those that cross and may be the least are measured in double. So nothing is missed: the
 * result is proved to be the least. Where the cap holds too many arcs (thin bodies, deep overlaps
 * of bodies with many faces) it gives up, and depth.c grows a polytope. Bodies of few faces have
 * all of them looked at in float, tetrahedra and those of up to eight faces all arcs, too: that
 * takes less than sorting them out.
 *
 * Which arcs and faces are left differs from query to query, and a branch on it is mostly predicted
 * wrong. So each pass writes a list without asking, and the next goes through it four or eight at a
 * time.
 *
 * Crossing: with n0, n1 the normals left and right of an edge along u, n0 × n1 is along u. The arc
 * of u crosses that of v, the latter turned inside out (-m0 to -m1), if n0·v, -n1·v, m0·u, -m1·u
 * all have one sign; the normal there is u × v if they are positive, else its opposite. */
#ifndef JO_NARROW_LEAST_AXIS_H
#define JO_NARROW_LEAST_AXIS_H

#include "narrow/axis_faces.h"
#include "narrow/few_axis.h"
#include "narrow/tetra_axis.h"

enum { TRIED_MAX = 8192 };

/* The depth along n, a unit vector in the frame of side 0. */
static inline double depth_along(axis_search *s, const double n[3])
{
    double down[3];
    walk_turn(s->w, 0, n, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    return reach_from(s->w->side[0].p, n, s->near[0], &s->near[0]) +
           reach_from(s->w->side[1].p, down, s->near[1], &s->near[1]) - dot3(n, s->centre[0]);
}

/* The direction of the axis of features `from`, if they are such. */
static inline bool direction_of(const axis_search *s, const jo_feature from[2], double n[3])
{
    const walk *w = s->w;
    if (from[0].kind == JO_FEATURE_EDGE && from[1].kind == JO_FEATURE_EDGE) {
        double v[3];
        walk_turn(w, 1, w->side[1].p->walls[from[1].index].ve, v);
        cross3(w->side[0].p->walls[from[0].index].ve, v, n);
        const double sign = dot3(n, s->centre[0]) < 0.0 ? -1.0 : 1.0;
        if (!(unit3(n) > 1e-6)) return false;
        for (int k = 0; k < 3; k++)
            n[k] *= sign;
        return true;
    }
    if (from[0].kind == JO_FEATURE_FACE) {
        memcpy(n, w->side[0].p->planes + 4 * (size_t)from[0].index, 3 * sizeof *n);
        return true;
    }
    if (from[1].kind != JO_FEATURE_FACE) return false;
    walk_turn(w, 1, w->side[1].p->planes + 4 * (size_t)from[1].index, n);
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
    return true;
}

/* Some depth that the least is below or equal to: of the axis of `from`, else of the line between
 * centres. */
static double known_depth(axis_search *s, const jo_feature from[2])
{
    double n[3];
    if (from == NULL || !direction_of(s, from, n)) {
        const double way = norm3(s->centre[0]);
        for (int k = 0; k < 3; k++)
            n[k] = way > 0.0 ? s->centre[0][k] / way : (double)(k == 0);
    }
    return depth_along(s, n);
}

/* The faces of side i that may be better; eights without arcs that may be are taken off. False when
 * they are too many. */
static bool measure_faces(axis_search *s, int i, walk_axis *best)
{
    const jo_polyhedron *p = s->w->side[i].p;
    arc_limits c = limits_of(s, i, best->depth);
    uint32_t slot[2 * ARCS_MAX + 16];
    int n = 0, kept = 0;
    limit_faces(s, i, best->depth, &c);
    for (int k = 0; k < s->eights[i]; k++) {
        const uint32_t eight = s->eight[i][k];
        const poly_arcs *a = &p->arcs[eight];
        const arc_bits bits = faces_below(a, &c, arcs_below(a, &c));
        s->eight[i][kept] = eight;
        kept += bits.arcs != 0;
        if (n > 2 * ARCS_MAX - 16) return false;
        if ((bits.end[0] | bits.end[1]) == 0) continue;
        n += list_bits(bits.end[0], 16 * eight, slot + n);
        n += list_bits(bits.end[1], 16 * eight + 8, slot + n);
    }
    s->eights[i] = kept;
    for (int k = 0; k < n; k++)
        measure_face(s, i, p->arcs[slot[k] / 16].face[slot[k] % 16], best);
    return true;
}

/* ---- bodies of few faces ---- */

/* The arcs of side i whose reach is below. */
static inline void list_reaching(axis_search *s, int i, const floats8 *reach, float below)
{
    const jo_polyhedron *p = s->w->side[i].p;
    arc_list *to = &s->list[i];
    const uint32_t last = p->n_arcs - 1;
    const floats8 all = f8_all(below);
    int n = 0;
    for (uint32_t k = 0; k < last; k++)
        n += list_bits(f8_bits(reach[k] < all), 8 * k, to->arc + n);
    const unsigned there = (1u << p->arcs[last].count) - 1u;
    n += list_bits(there & f8_bits(reach[last] < all), 8 * last, to->arc + n);
    const ints8 first = i8_all((int32_t)to->arc[0]);
    memcpy(to->arc + n, &first, sizeof first);
    to->n = n;
}

/* Those of the faces that may be the least. */
static void measure_few(const axis_search *s, const found_faces *found, float limit,
                        walk_axis *best)
{
    uint64_t bits[2] = {0};
    for (int i = 0; i < 2; i++) {
        const uint32_t n = found[i].n;
        if (n == 0) continue;
        for (uint32_t k = 0; 8 * k < n; k++)
            bits[i] |= (uint64_t)f8_bits(found[i].depth[k] <= f8_all(limit)) << (8 * k);
        bits[i] &= UINT64_MAX >> (64 - n);
    }
    while ((bits[0] | bits[1]) != 0) {
        const int i = bits[0] == 0;
        const uint32_t face = found[i].face[__builtin_ctzll(bits[i])];
        bits[i] &= bits[i] - 1;
        measure_face(s, i, face, best);
    }
}

/* Of bodies with few faces: all of them in float, then arcs that may be better; only what may be
 * the least is measured in double. How far the arcs reach is found before a depth is known: each
 * step waits for the one before, and what does not have to wait goes on beside it. (Not inlined:
 * bodies of many faces would pay for its registers.) */
static __attribute__((noinline)) bool least_of_few(axis_search *s, bool overlap, walk_axis *best)
{
    const walk *w = s->w;
    found_faces found[2];
    floats8 least = f8_all(INFINITY);
    floats8 reach[2][FEW_EIGHTS];
    float inner[2];
    looked_at l;
    for (int i = 0; i < 2; i++) {
        inner[i] = (float)(w->side[1 - i].p->inradius / s->size);
        for (uint32_t k = 0; k < w->side[i].p->n_arcs; k++)
            reach[i][k] = arcs_reach(&w->side[i].p->arcs[k], s->own[i], s->at[i]);
    }
    find_faces(s, inner, found);
    if (found[0].n > 64 || found[1].n > 64) return false; /* more than the bits of measure_few */
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; 8 * k < found[i].n; k++)
            least = f8_min(least, found[i].depth[k]);
    float limit = f8_least(least) + face_loss;
    if (overlap && !(limit > 0.0f)) return false;
    for (int i = 0; i < 2; i++)
        list_reaching(s, i, reach[i], limit + 4e-6f - inner[i]);
    if (s->list[0].n * s->list[1].n > TRIED_MAX) return false;
    /* Faces before crossings: of two that are equal, the face is the better name. */
    if (s->list[0].n * s->list[1].n > 4 * LOOKED_MAX)
        measure_few(s, found, limit + face_loss, best);
    try_crossings(s, &l, &limit, best);
    measure_few(s, found, limit + face_loss, best);
    measure_looked(s, &l, limit, best);
    return true;
}

/* A vertex of side i that reaches far towards the other: of the features `from`, else by the map of
 * directions. */
static inline uint32_t near_vertex(const axis_search *s, int i, const jo_feature from[2])
{
    const jo_polyhedron *p = s->w->side[i].p;
    const uint32_t kind = from != NULL ? from[i].kind : JO_FEATURE_NONE;
    if (kind == JO_FEATURE_VERTEX) return from[i].index;
    if (kind == JO_FEATURE_EDGE) return p->walls[from[i].index].origin;
    if (kind == JO_FEATURE_FACE) return p->walls[p->face_edge[from[i].index]].origin;
    return p->map[poly_map_cell(s->centre[i], p->map_size)];
}

/* Measures the axis of features `from`, if they are such. Done before the search for which is the
 * least it does not wait for that. */
static inline bool guess_axis(const axis_search *s, const jo_feature from[2], walk_axis *guess)
{
    if (from == NULL) return false;
    guess->depth = INFINITY;
    if (from[0].kind == JO_FEATURE_EDGE && from[1].kind == JO_FEATURE_EDGE)
        measure_edges(s, from[0].index, from[1].index, guess);
    else if (from[0].kind == JO_FEATURE_FACE)
        measure_face(s, 0, from[0].index, guess);
    else if (from[1].kind == JO_FEATURE_FACE)
        measure_face(s, 1, from[1].index, guess);
    return guess->depth < INFINITY;
}

/* Bodies of so few faces that all arcs are looked at; unsure of others. */
static inline few_end few_end_of(axis_search *s, const jo_feature from[2], bool overlap,
                                 walk_axis *best)
{
    const jo_polyhedron *p = s->w->side[0].p, *q = s->w->side[1].p;
    walk_axis guess;
    if (p->few == NULL || q->few == NULL) return FEW_UNSURE;
#ifndef JO_SIXTEEN_FACES
    if (p->nf > 8 || q->nf > 8) return FEW_UNSURE;
#endif
    s->guess = guess_axis(s, from, &guess) ? &guess : NULL;
#ifdef JO_SIXTEEN_FACES
    return jo_least_of_few_avx512(s, overlap, best);
#else
    return least_of_fewest(s, overlap, best);
#endif
}

/* See jo_least_axis. */
static inline bool least_axis(const walk *w, const jo_feature from[2], double known, bool overlap,
                              walk_axis *best)
{
    axis_search s;
    s.w = w;
    walk_other(w, 0, s.centre[0]);
    walk_other(w, 1, s.centre[1]);
    if (overlap && w->side[0].p->tetra != NULL && w->side[1].p->tetra != NULL)
        return least_of_tetrahedra(&s, best);
    s.size = w->side[0].p->radius + w->side[1].p->radius;
    in_float(&s);
    best->feature[0].kind = best->feature[1].kind = JO_FEATURE_NONE;
    if (few_faces(w, 0) && few_faces(w, 1)) {
        best->depth = INFINITY;
        s.near[0] = s.near[1] = 0;
        const few_end end = few_end_of(&s, from, overlap, best);
        if (end == FEW_APART) return false;
        if (end == FEW_UNSURE && !least_of_few(&s, overlap, best)) return false;
        return best->feature[0].kind != JO_FEATURE_NONE;
    }
    for (int i = 0; i < 2; i++)
        s.near[i] = near_vertex(&s, i, from);
    if (!(known < INFINITY)) known = known_depth(&s, from);
    if (!(known < INFINITY) || (overlap && !(known > 0.0))) return false;
    best->depth = known + 1e-12 * s.size;
    for (int i = 0; i < 2; i++) {
        const arc_limits c = limits_of(&s, i, best->depth);
        if (!find_eights(&s, i, &c)) return false;
    }
    if (!measure_faces(&s, 0, best) || !measure_faces(&s, 1, best)) return false;
    for (int i = 0; i < 2; i++) {
        const arc_limits c = limits_of(&s, i, best->depth);
        if (!list_arcs(&s, i, &c)) return false;
    }
    if (s.list[0].n * s.list[1].n > TRIED_MAX) return false;
    looked_at l;
    float limit = (float)(best->depth / s.size) + 1e-6f;
    try_crossings(&s, &l, &limit, best);
    measure_looked(&s, &l, limit, best);
    return best->feature[0].kind != JO_FEATURE_NONE;
}

#endif
