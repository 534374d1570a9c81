/* follow_steps.h — the axis of least depth, followed from step to step; compiled plain (follow.c,
 * walk.c) and for AVX2.
 *
 * The points a - b of two bodies make a polytope M; the overlap's depth along a normal of one of
 * M's faces is that face's distance from the origin. M is never made, but its faces and their
 * neighbours can be told from the bodies' own: on the sphere of directions each body is a map (a
 * face is a point, an edge the arc between its faces' normals, a vertex the cell between arcs), b's
 * map is turned inside out, and the faces of M are the points of both maps laid over each other: a
 * face of one body in the cell of a vertex of the other, or the crossing of two edges' arcs.
 * Neighbours are found by going along an arc to the next such point. From the axis of the step
 * before (moved to where it is now) the walk goes to the nearest neighbour, as long as that is
 * nearer to the origin.
 *
 * What it ends with is least among its neighbours; that no other axis far away is less, only
 * depth.c proves. For overlaps that are shallow compared with the bodies' width it practically
 * always is, and the normal changes with the motion instead of jumping. Cost: about the edges of a
 * face times those of a vertex for each step, one step as a rule; no dependence on the number of
 * faces. */
#ifndef JO_NARROW_FOLLOW_STEPS_H
#define JO_NARROW_FOLLOW_STEPS_H

#include <string.h>

#include "narrow/walk.h"

enum { STEPS_MAX = 1000 };

static void flip(double n[3])
{
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
}

/* Sets an axis from its outward direction in the frame of side i. */
static void set_direction(const walk *w, int i, const double n[3], walk_axis *axis)
{
    if (i == 0) {
        memcpy(axis->n, n, sizeof axis->n);
    } else {
        walk_turn(w, 1, n, axis->n);
        flip(axis->n);
    }
}

static walk_axis face_vertex(const walk *w, int i, uint32_t face, uint32_t vertex)
{
    const double *plane = w->side[i].p->planes + 4 * (size_t)face;
    const uint32_t corner = w->side[i].p->origin[w->side[i].p->face_edge[face]];
    double x[3];
    walk_axis t;
    walk_across(w, 1 - i, walk_point(w, 1 - i, vertex), x);
    t.depth = plane[3] - dot3(plane, x);
    t.a = i == 0 ? corner : vertex;
    t.b = i == 0 ? vertex : corner;
    t.feature[i] = (jo_feature){JO_FEATURE_FACE, face};
    t.feature[1 - i] = (jo_feature){JO_FEATURE_VERTEX, vertex};
    set_direction(w, i, plane, &t);
    return t;
}

/* Edges e of side 0 and g of side 1; the depth is infinite if they are parallel. */
static walk_axis crossing_axis(const walk *w, uint32_t e, uint32_t g)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const double *n0 = p->planes + 4 * (size_t)p->face[e];
    const double *n1 = p->planes + 4 * (size_t)p->face[p->twin[e]];
    double v[3], y[3], d[3];
    walk_axis t = {.a = p->origin[e],
                   .b = q->origin[g],
                   .depth = INFINITY,
                   .feature = {{JO_FEATURE_EDGE, e}, {JO_FEATURE_EDGE, g}}};
    walk_turn(w, 1, q->walls[g].ve, v);
    cross3(p->walls[e].ve, v, t.n);
    const double outwards = dot3(t.n, n0) + dot3(t.n, n1);
    if (!(dot3(t.n, t.n) > walk_parallel * walk_parallel)) {
        t.depth = walk_sliver(w, t.a, t.b, p->walls[e].ve, outwards, t.n);
        return t;
    }
    unit3(t.n);
    if (outwards < 0.0) flip(t.n);
    walk_across(w, 1, walk_point(w, 1, t.b), y);
    sub3(walk_point(w, 0, t.a), y, d);
    t.depth = dot3(t.n, d);
    return t;
}

static walk_axis crossing_of(const walk *w, int i, uint32_t own, uint32_t other)
{
    return i == 0 ? crossing_axis(w, own, other) : crossing_axis(w, other, own);
}

/* Along the arc of side i's half-edge h to the normal of its face, inside the cell of the other's
 * vertex v, from a direction `start` in the other's frame: the first face of M on the way. `skip`
 * is the edge at v whose arc it starts on, if any. */
static walk_axis along_arc(const walk *w, int i, uint32_t h, const double start[3], uint32_t v,
                           uint32_t skip)
{
    const jo_polyhedron *p = w->side[i].p, *q = w->side[1 - i].p;
    double end[3], first = INFINITY;
    uint32_t cut = UINT32_MAX;
    walk_turn(w, i, p->planes + 4 * (size_t)p->face[h], end);
    for (uint32_t g = q->first[v]; g < q->first[v + 1]; g++) {
        const double at_end = dot3(end, q->walls[g].ve);
        if (g == skip || at_end >= 0.0) continue;
        const double at_start = dot3(start, q->walls[g].ve);
        const double share = at_start > 0.0 ? at_start / (at_start - at_end) : 0.0;
        if (share < first) {
            first = share;
            cut = g;
        }
    }
    if (cut == UINT32_MAX) return face_vertex(w, i, p->face[h], v);
    return crossing_of(w, i, h, cut);
}

static void keep_better(walk_axis *best, walk_axis t)
{
    if (t.depth < best->depth) *best = t;
}

/* The neighbours of a face and a vertex: along the arcs of the edges around the face, but for those
 * that cannot be nearer (see follow_quick.h). */
static void around_face(const walk *w, int i, const walk_axis *t, walk_axis *best)
{
    const jo_polyhedron *p = w->side[i].p;
    const uint32_t f = t->feature[i].index, v = t->feature[1 - i].index;
    const uint32_t begin = p->face_edge[f];
    uint32_t h = begin;
    double start[3], x[3];
    walk_turn(w, i, p->planes + 4 * (size_t)f, start);
    walk_across(w, 1 - i, walk_point(w, 1 - i, v), x);
    do {
        const poly_walls *side = &p->walls[h];
        if (!(poly_side(side->fe, x) > t->depth * side->bend) || !(t->depth > 0.0))
            keep_better(best, along_arc(w, i, side->twin, start, v, UINT32_MAX));
        h = side->next;
    } while (h != begin);
}

/* Of two edges, how far the origin's foot is from the rims of their face of M: rim[i] from those at
 * the tail and the head of side i's edge. */
static void crossing_rims(const walk *w, const walk_axis *t, double rim[2][2])
{
    const poly_walls *e = &w->side[0].p->walls[t->feature[0].index];
    const poly_walls *g = &w->side[1].p->walls[t->feature[1].index];
    double v[3], b[3], r[3];
    walk_turn(w, 1, g->ve, v);
    walk_across(w, 1, g->from, b);
    sub3(e->from, b, r);
    const double c = dot3(e->ve, v), d = dot3(e->ve, r), f = dot3(v, r), det = 1.0 - c * c;
    const double sine = sqrt(det > 1e-6 ? det : 0.0), s = (c * f - d) / det, l = c * s + f;
    rim[0][0] = sine * s;
    rim[0][1] = sine * (e->length - s);
    rim[1][0] = sine * l;
    rim[1][1] = sine * (g->length - l);
}

/* The neighbours of two edges: along both arcs, both ways, but for those that cannot be nearer. */
static void around_crossing(const walk *w, const walk_axis *t, walk_axis *best)
{
    double rim[2][2];
    crossing_rims(w, t, rim);
    for (int i = 0; i < 2; i++) {
        const jo_polyhedron *p = w->side[i].p, *q = w->side[1 - i].p;
        const uint32_t h = t->feature[i].index, g = t->feature[1 - i].index;
        double start[3], end[3];
        if (i == 0) {
            walk_turn(w, 0, t->n, start);
        } else {
            memcpy(start, t->n, sizeof start);
            flip(start);
        }
        for (int way = 0; way < 2; way++) {
            const uint32_t to = way == 0 ? h : p->twin[h];
            walk_turn(w, i, p->planes + 4 * (size_t)p->face[to], end);
            /* The arc of g parts the cells of its two ends. */
            const uint32_t from = dot3(end, q->walls[g].ve) >= 0.0 ? g : q->twin[g];
            const double off = rim[1 - i][from == g ? 0 : 1], cosine = dot3(start, end);
            if (off > 0.0 && t->depth > 0.0 &&
                off * off * (1.0 + cosine) > 1.000001 * t->depth * t->depth * (1.0 - cosine))
                continue;
            keep_better(best, along_arc(w, i, to, start, q->origin[from], from));
        }
    }
}

/* Whether the arcs of two edges cross: each one's ends on both sides of the other, and the crossing
 * on this side of the sphere. */
static bool arcs_cross(const walk *w, uint32_t e, uint32_t g)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    double n0[3], n1[3], m0[3], m1[3];
    walk_turn(w, 0, p->planes + 4 * (size_t)p->face[e], n0);
    walk_turn(w, 0, p->planes + 4 * (size_t)p->face[p->twin[e]], n1);
    walk_turn(w, 1, q->planes + 4 * (size_t)q->face[g], m0);
    walk_turn(w, 1, q->planes + 4 * (size_t)q->face[q->twin[g]], m1);
    const double *v = q->walls[g].ve, *u = p->walls[e].ve;
    if (dot3(n0, v) * dot3(n1, v) >= 0.0 || dot3(m0, u) * dot3(m1, u) >= 0.0) return false;
    const walk_axis t = crossing_axis(w, e, g);
    return t.depth < INFINITY && dot3(t.n, m0) + dot3(t.n, m1) < 0.0;
}

/* Face f of side i and the vertex of the other that is extreme against it, climbing from v. */
static walk_axis face_axis(const walk *w, int i, uint32_t f, uint32_t v)
{
    double down[3];
    walk_turn(w, i, w->side[i].p->planes + 4 * (size_t)f, down);
    flip(down);
    return face_vertex(w, i, f, poly_climb(w->side[1 - i].p, down, v));
}

/* The axis of the features of a step before, now. Edges whose arcs no longer cross, or only touch,
 * leave it to their faces. */
static bool begin_axis(const walk *w, const jo_feature from[2], walk_axis *t)
{
    if (from[0].kind == JO_FEATURE_EDGE && from[1].kind == JO_FEATURE_EDGE) {
        t->depth = INFINITY;
        if (arcs_cross(w, from[0].index, from[1].index)) {
            *t = crossing_axis(w, from[0].index, from[1].index);
            return true;
        }
        for (int i = 0; i < 2; i++) {
            const jo_polyhedron *p = w->side[i].p;
            const uint32_t e = from[i].index, v = w->side[1 - i].p->origin[from[1 - i].index];
            keep_better(t, face_axis(w, i, p->face[e], v));
            keep_better(t, face_axis(w, i, p->face[p->twin[e]], v));
        }
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (from[i].kind != JO_FEATURE_FACE || from[1 - i].kind != JO_FEATURE_VERTEX) continue;
        *t = face_axis(w, i, from[i].index, from[1 - i].index);
        return true;
    }
    return false;
}

/* Goes from axis t to the least among neighbours; false when it is not there after `bound`
 * steps. */
static bool descend(const walk *w, walk_axis *t, int bound)
{
    for (int step = 0; step < bound; step++) {
        walk_axis best = *t;
        best.depth -= w->slack; /* a neighbour in the same plane is no progress */
        if (t->feature[0].kind == JO_FEATURE_EDGE)
            around_crossing(w, t, &best);
        else
            around_face(w, t->feature[0].kind == JO_FEATURE_FACE ? 0 : 1, t, &best);
        if (best.feature[0].kind == t->feature[0].kind &&
            best.feature[0].index == t->feature[0].index &&
            best.feature[1].index == t->feature[1].index)
            return t->depth >= 0.0;
        *t = best;
    }
    return false;
}

/* From w->start, which becomes the features found, to the axis least among its neighbours; false
 * when there is none above 0, or the bound was hit. */
static inline bool find_axis(walk *w, walk_axis *axis)
{
    if (!begin_axis(w, w->start, axis) || !(axis->depth > 0.0) || !descend(w, axis, STEPS_MAX))
        return false;
    w->start[0] = axis->feature[0];
    w->start[1] = axis->feature[1];
    return axis->depth > 0.0;
}

/* The same with its points. */
static inline bool follow_axis(walk *w, followed *t)
{
    const jo_feature kept[2] = {w->feature[0], w->feature[1]};
    walk_axis axis;
    double x[3], y[3];
    if (!find_axis(w, &axis)) return false;
    jo_axis_points(w, &axis, x, y);
    const jo_feature f0 = axis.feature[0], f1 = axis.feature[1];
    t->depth = axis.depth;
    t->proved = false;
    t->frame = f1.kind == JO_FEATURE_FACE ? 1 : 0; /* that of the body that has the face */
    if (t->frame == 1) {
        t->face = f1.index;
        walk_across(w, 0, x, t->inner);
        memcpy(t->n, w->side[1].p->planes + 4 * (size_t)t->face, sizeof t->n);
        along3(t->inner, t->depth, t->n, t->on);
    } else {
        t->face = f0.kind == JO_FEATURE_FACE ? f0.index : w->side[0].p->face[f0.index];
        memcpy(t->inner, y, sizeof y);
        memcpy(t->on, x, sizeof x);
        memcpy(t->n, axis.n, sizeof t->n);
    }
    memcpy(w->feature, kept, sizeof kept);
    return true;
}

/* Of the faces at vertex v of side i, the one that looks most along d; returns its normal's product
 * with d. */
static inline double facing(const walk *w, int i, uint32_t v, const double d[3], uint32_t *face)
{
    const jo_polyhedron *p = w->side[i].p;
    double most = -INFINITY;
    uint32_t found = 0;
    for (uint32_t h = p->first[v]; h < p->first[v + 1]; h++) {
        const uint32_t f = p->walls[h].face;
        const double along = dot3(p->planes + 4 * (size_t)f, d);
        const bool more = along > most; /* no branch: it would be predicted wrong */
        most = more ? along : most;
        found = more ? f : found;
    }
    *face = found;
    return most;
}

/* The axis least among its neighbours, from the line between the centres. */
static inline bool find_from_centres(walk *w, walk_axis *axis)
{
    double most[2];
    uint32_t v[2], face[2] = {0};
    for (int i = 0; i < 2; i++) {
        double to[3];
        walk_other(w, i, to);
        v[i] = w->side[i].p->map[poly_map_cell(to, w->side[i].p->map_size)];
        most[i] = facing(w, i, v[i], to, &face[i]);
    }
    const int i = most[0] > most[1] ? 0 : 1;
    w->start[i] = (jo_feature){JO_FEATURE_FACE, face[i]};
    w->start[1 - i] = (jo_feature){JO_FEATURE_VERTEX, v[1 - i]};
    return find_axis(w, axis);
}

#endif
