/* near.c — bodies apart by so little that rounding decides which features look the closest.
 *
 * Points a distance d apart tell their direction only to rounding/d, and over the size of the
 * bodies that is more than the distance. So what the walk ended with is compared with what is known
 * for certain: the bodies are as far apart as they are along any direction. Where the two differ,
 * the axis along which they are the farthest apart (depth.c) says where to look: the walk begins
 * again there, and if that is not enough, all features are tried that reach as near to the gap
 * between the bodies as closest points must; where those are too many, the axis's own points are
 * taken if both surfaces have them. The direction told is that of the points, turned by what
 * rounding can have turned it by.
 *
 * Cost: that of the least depth; of trying all, the features that are level with the gap within the
 * distance, squared; no more than CORNERS_MAX corners of each body. */
#include "narrow/walk.h"

enum { CORNERS_MAX = 64, CLAMPS_MAX = 16 };

/* The corners of a body that are below its top by no more than so much, seen along a direction. */
typedef struct cap {
    const jo_polyhedron *p;
    uint32_t n, corner[CORNERS_MAX];
    double below[CORNERS_MAX];
} cap;

static bool listed(const cap *c, uint32_t v)
{
    for (uint32_t k = 0; k < c->n; k++)
        if (c->corner[k] == v) return true;
    return false;
}

/* False when there are too many. */
static bool fill_cap(const jo_polyhedron *p, const double n[3], uint32_t top, double depth, cap *c)
{
    const double most = dot3(n, p->points + 3 * (size_t)top);
    c->p = p;
    c->n = 1;
    c->corner[0] = top;
    c->below[0] = 0.0;
    for (uint32_t k = 0; k < c->n; k++)
        for (uint32_t h = p->first[c->corner[k]]; h < p->first[c->corner[k] + 1]; h++) {
            const uint32_t v = walk_head(p, h);
            const double below = most - dot3(n, p->points + 3 * (size_t)v);
            if (below > depth || listed(c, v)) continue;
            if (c->n == CORNERS_MAX) return false;
            c->corner[c->n] = v;
            c->below[c->n++] = below;
        }
    return true;
}

/* ---- points ---- */

/* Points on both bodies, in the frame of side 0, and the features they are on. */
typedef struct points {
    double distance, x[3], y[3];
    jo_feature feature[2];
} points;

/* A vertex of each feature, from which climbs begin. */
static void vertices_of(const walk *w, const points *at, uint32_t v[2])
{
    for (int i = 0; i < 2; i++) {
        const jo_polyhedron *p = w->side[i].p;
        const jo_feature f = at->feature[i];
        v[i] = f.index;
        if (f.kind == JO_FEATURE_EDGE) v[i] = p->origin[f.index];
        if (f.kind == JO_FEATURE_FACE) v[i] = p->origin[p->face_edge[f.index]];
    }
}

static jo_feature edge_or_end(const jo_polyhedron *p, uint32_t h, double share)
{
    if (share <= 0.0) return (jo_feature){JO_FEATURE_VERTEX, p->origin[h]};
    if (share >= 1.0) return (jo_feature){JO_FEATURE_VERTEX, walk_head(p, h)};
    return (jo_feature){JO_FEATURE_EDGE, h};
}

static void try_edges(const walk *w, uint32_t e, uint32_t g, points *best)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const double *a = p->walls[e].from;
    double u[3], b[3], v[3], s, t, d[3];
    points found;
    sub3(p->walls[p->twin[e]].from, a, u);
    walk_across(w, 1, q->walls[g].from, b);
    walk_across(w, 1, q->walls[q->twin[g]].from, v);
    sub3(v, b, v);
    jo_segments(a, u, b, v, &s, &t);
    along3(a, s, u, found.x);
    along3(b, t, v, found.y);
    sub3(found.y, found.x, d);
    found.distance = norm3(d);
    if (!(found.distance < best->distance)) return;
    found.feature[0] = edge_or_end(p, e, s);
    found.feature[1] = edge_or_end(q, g, t);
    *best = found;
}

/* Vertex v of side i over face f of the other, or under it by rounding. */
static void try_face(const walk *w, int i, uint32_t v, uint32_t f, points *best)
{
    const double *plane = w->side[1 - i].p->planes + 4 * (size_t)f, *own = walk_point(w, i, v);
    double x[3], foot[3];
    walk_across(w, i, own, x);
    const double height = dot3(plane, x) - plane[3];
    along3(x, -height, plane, foot);
    if (!(fabs(height) < best->distance)) return;
    if (!walk_in_face(w->side[1 - i].p, f, foot, 0.0)) return;
    best->distance = fabs(height);
    memcpy(i == 0 ? best->x : best->y, i == 0 ? own : x, sizeof x);
    if (i == 0)
        walk_across(w, 1, foot, best->y);
    else
        memcpy(best->x, foot, sizeof foot);
    best->feature[i] = (jo_feature){JO_FEATURE_VERTEX, v};
    best->feature[1 - i] = (jo_feature){JO_FEATURE_FACE, f};
}

/* Everything at corner k of one cap against everything at corner l of the other. */
static void try_corners(const walk *w, const cap *c, uint32_t k, uint32_t l, points *best)
{
    const uint32_t a = c[0].corner[k], b = c[1].corner[l];
    const jo_polyhedron *p = c[0].p, *q = c[1].p;
    for (uint32_t g = q->first[b]; g < q->first[b + 1]; g++)
        try_face(w, 0, a, q->face[g], best);
    for (uint32_t e = p->first[a]; e < p->first[a + 1]; e++) {
        try_face(w, 1, b, p->face[e], best);
        for (uint32_t g = q->first[b]; g < q->first[b + 1]; g++)
            try_edges(w, e, g, best);
    }
}

/* All features that have points as near to the gap along n, which is `gap` wide, as the closest
 * points must be. False when they are too many. */
static bool try_near(const walk *w, const double n[3], double gap, points *best)
{
    cap c[2];
    uint32_t top[2];
    double down[3], point[3];
    const double depth = best->distance - gap;
    vertices_of(w, best, top);
    walk_support(w, n, &top[0], &top[1], point);
    walk_turn(w, 0, n, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    if (!fill_cap(w->side[0].p, n, top[0], depth, &c[0])) return false;
    if (!fill_cap(w->side[1].p, down, top[1], depth, &c[1])) return false;
    for (uint32_t k = 0; k < c[0].n; k++)
        for (uint32_t l = 0; l < c[1].n; l++)
            if (gap + c[0].below[k] + c[1].below[l] < best->distance) try_corners(w, c, k, l, best);
    return true;
}

/* ---- direction ---- */

/* The unit vector n from x to y, but for what rounding has turned it by: where other corners of the
 * bodies are nearer to each other along it than x and y, it is turned back so far that they are
 * not. Returns how far apart the bodies are along it. */
static double direction(const walk *w, const points *best, double n[3])
{
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    double m[3], between[3], most = -INFINITY;
    uint32_t v[2];
    vertices_of(w, best, v);
    sub3(best->y, best->x, between);
    memcpy(m, between, sizeof m);
    for (int k = 0; k < CLAMPS_MAX && unit3(m) > 0.0; k++) {
        double point[3], off[3];
        walk_support(w, m, &v[0], &v[1], point);
        const double apart = -dot3(m, point);
        if (apart > most) {
            most = apart;
            memcpy(n, m, sizeof m);
        }
        if (apart >= best->distance * (1.0 - 1e-10) - 1e-15 * size) break;
        for (int l = 0; l < 3; l++)
            off[l] = point[l] + between[l];
        along3(m, -dot3(m, off) / dot3(off, off), off, m);
    }
    return most;
}

/* ---- the query ---- */

/* An axis along which the bodies are `gap` apart, or overlap, as jo_depth found it. */
typedef struct farthest {
    walk from; /* at the axis's features */
    double n[3], gap;
    points on;
    bool least; /* no axis separates them more */
} farthest;

static void find_axis(const walk *w, farthest *axis)
{
    double depth, between[3];
    axis->from = *w;
    axis->least = jo_depth(&axis->from, &depth, axis->n, axis->on.x, axis->on.y);
    axis->gap = -depth;
    memcpy(axis->on.feature, axis->from.feature, sizeof axis->on.feature);
    sub3(axis->on.y, axis->on.x, between);
    axis->on.distance = norm3(between);
}

/* Whether points are known to be the closest, the bodies being so far apart along some direction.
 */
static bool closest(const walk *w, const points *p, double apart, double within)
{
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    return p->distance <= apart + 1e-10 * p->distance + within * size;
}

/* Points that are nearer than the walk's, from the axis on. */
static void improve(const walk *w, const farthest *axis, points *best)
{
    walk again = axis->from;
    double n[3];
    if (jo_walk(&again, walk_bound(w)) == WALK_APART && again.distance < best->distance) {
        best->distance = jo_walk_points(&again, best->x, best->y, n);
        memcpy(best->feature, again.feature, sizeof best->feature);
        if (closest(w, best, fmax(direction(w, best, n), axis->gap), 1e-14)) return;
    }
    if (!try_near(w, axis->n, axis->gap, best) && axis->from.on_both &&
        axis->on.distance < best->distance)
        *best = axis->on;
}

/* Whether the bodies overlap though the walk ended with points apart; x is a point of both. Points
 * that coincide do not show that the bodies are apart; others do, but for an axis that is the least
 * or a walk that finds an overlap. */
static bool overlap(walk *w, const farthest *axis, double distance, double x[3])
{
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    walk again = axis->from;
    if (!(-axis->gap > walk_touching * size)) return false;
    if (walk_near(w, distance)) return true;
    const walk_end end = jo_walk(&again, walk_bound(w));
    if (!axis->least && end != WALK_OVERLAP) return false;
    memcpy(x, axis->on.x, sizeof axis->on.x);
    if (end == WALK_OVERLAP) jo_common_point(&again, x);
    memcpy(w->feature, again.feature, sizeof w->feature);
    return true;
}

walk_end jo_look_elsewhere(walk *w, double *distance, double x[3], double y[3], double n[3],
                           bool *exact)
{
    points best = {.distance = *distance, .feature = {w->feature[0], w->feature[1]}};
    farthest axis;
    memcpy(best.x, x, sizeof best.x);
    memcpy(best.y, y, sizeof best.y);
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    find_axis(w, &axis);
    *exact = true;
    if (overlap(w, &axis, *distance, x)) return WALK_OVERLAP;
    double apart = direction(w, &best, n);
    if (!closest(w, &best, fmax(apart, axis.gap), 1e-14)) {
        improve(w, &axis, &best);
        apart = direction(w, &best, n);
    }
    /* Points that coincide tell no direction. */
    const bool coincide = best.distance <= walk_touching * size;
    if (axis.gap > apart - 1e-14 * size && (coincide || !closest(w, &best, apart, 1e-14))) {
        apart = axis.gap;
        memcpy(n, axis.n, sizeof axis.n);
    }
    memcpy(w->feature, best.feature, sizeof best.feature);
    memcpy(x, best.x, sizeof best.x);
    memcpy(y, best.y, sizeof best.y);
    *distance = best.distance;
    *exact = closest(w, &best, fmax(apart, 0.0), walk_touching);
    return WALK_APART;
}
