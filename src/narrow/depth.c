/* depth.c — how deep two polyhedra overlap, and which way out is the shortest.
 *
 * First all axes that can be the least are looked at, if they are few (least_axis.h). What follows
 * is for the rest: thin bodies, and bodies with many faces that overlap deeply.
 *
 * Method: the points a - b of the two bodies make a convex polytope M that holds the origin; the
 * shortest way out is to its nearest face. M has up to (faces of a) × (faces of b) faces, so it is
 * not made: a polytope inside M is grown from four of its corners (expanding polytopes, G. van den
 * Bergen 2001). The facet of it that is nearest to the origin is asked for M's corner farthest
 * along its normal: if that is in its plane, the facet lies in a face of M, and since the polytope
 * is inside M no face of M can be nearer; otherwise the polytope takes that corner in. Distances
 * are signed, so the origin need not be inside the polytope at first.
 *
 * The normal so found is then replaced by the exact one: of a face of a or b, or square to an edge
 * of each, whichever near it gives the least depth, and the depth is taken from the support of both
 * bodies along it. So what is returned separates the bodies whatever happened before; if the
 * polytope's bound was hit or its facets degenerate, it may not be the least, and false is
 * returned.
 *
 * Cost: some 10 to 40 corners, each a climb on both bodies and a look at all facets. */
#include <string.h>

#include "narrow/walk.h"

enum { CORNERS_MAX = 256, FACETS_MAX = 2 * CORNERS_MAX, LEVEL_STEPS = 1000 };

static const uint32_t NO_EDGE = UINT32_MAX;

typedef struct corner {
    double w[3];
    uint32_t a, b;
} corner;

typedef struct facet {
    double n[3], d;     /* unit outward normal, signed distance of the origin below it */
    uint16_t corner[3]; /* counter-clockwise seen from outside */
    uint16_t beyond[3]; /* the facet behind the edge from corner k to k + 1 */
    bool alive;
} facet;

typedef struct polytope {
    const walk *w;
    double size;
    int corners, facets;
    corner corner[CORNERS_MAX];
    facet facet[FACETS_MAX];
    uint16_t rim_facet[FACETS_MAX], rim_edge[FACETS_MAX];
    int rim;
    uint16_t stack[FACETS_MAX], fresh[FACETS_MAX], spare[FACETS_MAX]; /* spare: taken away */
    int spares;
    uint32_t a, b; /* where the last climb ended */
} polytope;

/* ---- the polytope ---- */

static void take_corner(polytope *p, const double n[3])
{
    corner *c = &p->corner[p->corners++];
    walk_support(p->w, n, &p->a, &p->b, c->w);
    c->a = p->a;
    c->b = p->b;
}

static uint16_t add_facet(polytope *p, uint16_t i, uint16_t j, uint16_t k)
{
    const uint16_t number = p->spares > 0 ? p->spare[--p->spares] : (uint16_t)p->facets++;
    facet *f = &p->facet[number];
    const double *a = p->corner[i].w;
    double u[3], v[3];
    f->corner[0] = i;
    f->corner[1] = j;
    f->corner[2] = k;
    f->alive = true;
    sub3(p->corner[j].w, a, u);
    sub3(p->corner[k].w, a, v);
    cross3(u, v, f->n);
    const double longest = fmax(dot3(u, u), dot3(v, v));
    /* A sliver has no direction: it closes the surface but is never chosen. */
    const bool sliver = !(unit3(f->n) > 1e-13 * longest);
    f->d = sliver ? INFINITY : dot3(f->n, a);
    return number;
}

/* The farther of the two corners of M along n and -n from a point on the line or plane. */
static void far_corner(polytope *p, const double n[3], const double *from)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double d[3];
    take_corner(p, n);
    sub3(p->corner[p->corners - 1].w, from, d);
    const double ahead = dot3(d, n);
    take_corner(p, back);
    sub3(p->corner[p->corners - 1].w, from, d);
    if (ahead >= dot3(d, back))
        p->corners--;
    else
        p->corner[p->corners - 2] = p->corner[p->corners - 1], p->corners--;
}

/* Four corners of M with a volume. */
static bool first_simplex(polytope *p, const double guess[3])
{
    double n[3] = {guess[0], guess[1], guess[2]}, u[3], v[3], side[3];
    if (!(unit3(n) > 0.0)) n[0] = 1.0;
    take_corner(p, n);
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
    take_corner(p, n);
    sub3(p->corner[1].w, p->corner[0].w, u);
    const int least = fabs(u[0]) < fabs(u[1]) ? (fabs(u[0]) < fabs(u[2]) ? 0 : 2)
                                              : (fabs(u[1]) < fabs(u[2]) ? 1 : 2);
    double axis[3] = {0};
    axis[least] = 1.0;
    cross3(u, axis, side);
    if (!(unit3(side) > 0.0)) return false;
    far_corner(p, side, p->corner[0].w);
    sub3(p->corner[2].w, p->corner[0].w, v);
    cross3(u, v, side);
    if (!(unit3(side) > 0.0)) return false;
    far_corner(p, side, p->corner[0].w);
    sub3(p->corner[3].w, p->corner[0].w, v);
    const bool below = dot3(v, side) < 0.0;
    const uint16_t i = 0, j = below ? 1 : 2, k = below ? 2 : 1, l = 3;
    add_facet(p, i, j, k); /* away from corner 3 */
    add_facet(p, i, l, j);
    add_facet(p, j, l, k);
    add_facet(p, k, l, i);
    static const uint16_t beyond[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++)
        memcpy(p->facet[f].beyond, beyond[f], sizeof beyond[f]);
    return fabs(dot3(v, side)) > 1e-14 * p->size;
}

static int nearest(const polytope *p)
{
    int best = -1;
    for (int f = 0; f < p->facets; f++)
        if (p->facet[f].alive && (best < 0 || p->facet[f].d < p->facet[best].d)) best = f;
    return best;
}

/* Takes away all facets that the new corner sees, from facet f on, and lists the edges around
 * them. */
static void cut(polytope *p, int f, const double x[3])
{
    int depth = 0;
    p->rim = 0;
    p->stack[depth++] = (uint16_t)f;
    p->facet[f].alive = false;
    while (depth > 0) {
        const uint16_t g = p->stack[--depth];
        p->spare[p->spares++] = g;
        for (uint16_t k = 0; k < 3; k++) {
            const uint16_t o = p->facet[g].beyond[k];
            facet *other = &p->facet[o];
            if (!other->alive) continue;
            if (dot3(other->n, x) > other->d + 1e-14 * p->size) {
                other->alive = false;
                p->stack[depth++] = o;
                continue;
            }
            for (uint16_t e = 0; e < 3; e++)
                if (other->beyond[e] == g && other->corner[e] == p->facet[g].corner[(k + 1) % 3]) {
                    p->rim_facet[p->rim] = o;
                    p->rim_edge[p->rim++] = e;
                }
        }
    }
}

/* Closes the hole with facets between its rim and the newest corner. False when the rim is no
 * ring. */
static bool close_up(polytope *p)
{
    const uint16_t top = (uint16_t)(p->corners - 1);
    if (p->rim < 3 || p->facets - p->spares + p->rim > FACETS_MAX) return false;
    for (int k = 0; k < p->rim; k++) {
        facet *o = &p->facet[p->rim_facet[k]];
        const uint16_t e = p->rim_edge[k];
        const uint16_t f = add_facet(p, o->corner[(e + 1) % 3], o->corner[e], top);
        p->facet[f].beyond[0] = p->rim_facet[k];
        o->beyond[e] = f;
        p->fresh[k] = f;
    }
    for (int i = 0; i < p->rim; i++) {
        facet *f = &p->facet[p->fresh[i]];
        int found = 0;
        for (int j = 0; j < p->rim; j++) {
            facet *g = &p->facet[p->fresh[j]];
            if (g->corner[0] != f->corner[1]) continue;
            f->beyond[1] = p->fresh[j];
            g->beyond[2] = p->fresh[i];
            found++;
        }
        if (found != 1) return false;
    }
    return true;
}

/* ---- the exact axis ---- */

/* Measures an axis, and keeps it if it is the best; two edges must be better than rounding can
 * tell, for where they lie in a face, the face is the better name. */
static void try_axis(const walk *w, const double n[3], const walk_axis *near, jo_feature f0,
                     jo_feature f1, walk_axis *best)
{
    walk_axis t = {.a = near->a, .b = near->b, .feature = {f0, f1}};
    double point[3];
    walk_support(w, n, &t.a, &t.b, point);
    t.depth = dot3(n, point);
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    const double lead = f0.kind == JO_FEATURE_EDGE ? 1e-14 * size : 0.0;
    if (!(t.depth < best->depth - lead)) return;
    memcpy(t.n, n, sizeof t.n);
    if (f0.kind == JO_FEATURE_VERTEX) t.feature[0].index = t.a;
    if (f1.kind == JO_FEATURE_VERTEX) t.feature[1].index = t.b;
    *best = t;
}

static bool alike(const double n[3], const double m[3])
{
    return dot3(n, m) > 1.0 - 1e-7;
}

/* The faces and pairs of edges at the vertices a and b whose axis is close to n. */
static void polish(const walk *w, const walk_axis *near, walk_axis *best)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const jo_feature va = {JO_FEATURE_VERTEX, near->a}, vb = {JO_FEATURE_VERTEX, near->b};
    for (uint32_t h = p->first[near->a]; h < p->first[near->a + 1]; h++) {
        const double *n = p->planes + 4 * (size_t)p->face[h];
        if (alike(n, near->n))
            try_axis(w, n, near, (jo_feature){JO_FEATURE_FACE, p->face[h]}, vb, best);
    }
    for (uint32_t h = q->first[near->b]; h < q->first[near->b + 1]; h++) {
        double m[3];
        walk_turn(w, 1, q->planes + 4 * (size_t)q->face[h], m);
        for (int k = 0; k < 3; k++)
            m[k] = -m[k];
        if (alike(m, near->n))
            try_axis(w, m, near, va, (jo_feature){JO_FEATURE_FACE, q->face[h]}, best);
    }
    for (uint32_t h = q->first[near->b]; h < q->first[near->b + 1]; h++) {
        double v[3];
        walk_turn(w, 1, q->walls[h].ve, v);
        if (fabs(dot3(v, near->n)) > 1e-3) continue; /* not nearly in the facet's plane */
        for (uint32_t k = p->first[near->a]; k < p->first[near->a + 1]; k++) {
            double c[3];
            cross3(p->walls[k].ve, v, c);
            if (!isfinite(walk_sliver(w, near->a, near->b, p->walls[k].ve, dot3(c, near->n), c)))
                continue;
            if (alike(c, near->n))
                try_axis(w, c, near, (jo_feature){JO_FEATURE_EDGE, k},
                         (jo_feature){JO_FEATURE_EDGE, h}, best);
        }
    }
}

/* ---- the points ---- */

/* The point of edge h nearest to z; returns the square of how far that is. */
static double nearest_on_edge(const jo_polyhedron *p, uint32_t h, const double z[3], double x[3])
{
    const poly_walls *e = &p->walls[h];
    double d[3];
    along3(e->from, fmin(fmax(poly_side(e->ve, z), 0.0), e->length), e->ve, x);
    sub3(z, x, d);
    return dot3(d, d);
}

/* The point of a feature nearest to z; *edge is the edge it is on, NO_EDGE where it is none. */
static void nearest_on(const jo_polyhedron *p, jo_feature f, const double z[3], double x[3],
                       uint32_t *edge)
{
    *edge = NO_EDGE;
    if (f.kind == JO_FEATURE_VERTEX) {
        memcpy(x, p->points + 3 * (size_t)f.index, 3 * sizeof *x);
    } else if (f.kind == JO_FEATURE_EDGE) {
        nearest_on_edge(p, f.index, z, x);
        *edge = f.index;
    } else {
        const double *plane = p->planes + 4 * (size_t)f.index;
        double foot[3], least = INFINITY;
        along3(z, plane[3] - dot3(plane, z), plane, foot);
        memcpy(x, foot, sizeof foot);
        if (walk_in_face(p, f.index, foot, 0.0)) return;
        uint32_t h = p->face_edge[f.index];
        do {
            double y[3];
            const double square = nearest_on_edge(p, h, foot, y);
            if (square < least) {
                least = square;
                *edge = h;
                memcpy(x, y, sizeof y);
            }
            h = p->walls[h].next;
        } while (h != p->face_edge[f.index]);
    }
}

/* The point of edge e of side 0 that edge g of the other crosses, seen along the axis; false when
 * they do not. */
static bool seen_crossing(const walk *w, const double axis[3], uint32_t e, uint32_t g, double x[3])
{
    if (e == NO_EDGE || g == NO_EDGE) return false;
    const poly_walls *a = &w->side[0].p->walls[e], *b = &w->side[1].p->walls[g];
    double v[3], from[3], r[3], rv[3], ru[3], uv[3];
    walk_turn(w, 1, b->ve, v);
    walk_across(w, 1, b->from, from);
    sub3(a->from, from, r);
    cross3(r, v, rv);
    cross3(r, a->ve, ru);
    cross3(a->ve, v, uv);
    const double sine = dot3(axis, uv), s = -dot3(axis, rv) / sine, t = -dot3(axis, ru) / sine;
    if (!(s >= 0.0 && s <= a->length && t >= 0.0 && t <= b->length)) return false;
    along3(a->from, s, a->ve, x);
    return true;
}

/* Points of the two surfaces on one line along the axis, where the features named do not see each
 * other: they are parts of faces or edges square to it, which do. From the one to the nearest point
 * of the other, again and again: that ends where they overlap. Between two edges that cross at a
 * small angle it would take for ever: there it goes on from where they cross. Where the features do
 * not overlap (the axis is the least but for rounding, or not at all), the points are as near to
 * that as was found; false. */
static bool level_points(const walk *w, const walk_axis *t, double x[3], double y[3])
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const double close = 1e-12 * (p->radius + q->radius), level = 1e-9;
    double down[3], at[3], own[3], on[3], other[3], d[3], off = INFINITY, last = INFINITY;
    uint32_t edge[2];
    jo_feature f = t->feature[0], g = t->feature[1];
    walk_turn(w, 0, t->n, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    if (f.kind != JO_FEATURE_FACE) f = jo_level_feature(p, t->a, t->n, level, at);
    if (g.kind != JO_FEATURE_FACE) g = jo_level_feature(q, t->b, down, level, at);
    memcpy(on, x, sizeof on);
    for (int step = 0; step < LEVEL_STEPS && off > close; step++) {
        walk_across(w, 0, on, at);
        nearest_on(q, g, at, own, &edge[1]);
        walk_across(w, 1, own, other);
        nearest_on(p, f, other, on, &edge[0]);
        sub3(on, other, d);
        along3(d, -t->depth, t->n, d);
        const double now = norm3(d);
        if (now < off) {
            off = now;
            memcpy(x, on, sizeof on);
            memcpy(y, other, sizeof other);
        }
        const bool crossing = now > 0.5 * last && seen_crossing(w, t->n, edge[0], edge[1], on);
        if (!crossing && now > 0.999 * last) break;
        last = now;
    }
    return off <= close;
}

/* Points of two edges where their lines are nearest, or as near to that as they reach: told by the
 * product of their directions, which of edges at an angle t loses 1/t in digits. */
static void crossing_points(const walk *w, uint32_t e, uint32_t g, double x[3], double y[3])
{
    const poly_walls *a = &w->side[0].p->walls[e], *b = &w->side[1].p->walls[g];
    double v[3], from[3], r[3], square[3], rv[3], d[3];
    walk_turn(w, 1, b->ve, v);
    walk_across(w, 1, b->from, from);
    sub3(a->from, from, r);
    cross3(a->ve, v, square);
    cross3(r, v, rv);
    const double sine2 = dot3(square, square), s = sine2 > 0.0 ? -dot3(rv, square) / sine2 : 0.0;
    along3(a->from, fmin(fmax(s, 0.0), a->length), a->ve, x);
    sub3(x, from, d);
    along3(from, fmin(fmax(dot3(d, v), 0.0), b->length), v, y);
}

void jo_axis_points(walk *w, const walk_axis *t, double x[3], double y[3])
{
    const double close = 1e-12 * (w->side[0].p->radius + w->side[1].p->radius);
    const jo_feature f = t->feature[0], g = t->feature[1];
    double own[3], d[3];
    bool meet = true;
    w->feature[0] = f;
    w->feature[1] = g;
    if (f.kind == JO_FEATURE_EDGE) {
        crossing_points(w, f.index, g.index, x, y);
        sub3(x, y, d);
        along3(d, -t->depth, t->n, d);
        meet = dot3(d, d) <= close * close;
        if (!meet) along3(y, t->depth, t->n, x);
    } else if (f.kind == JO_FEATURE_FACE) {
        walk_across(w, 1, walk_point(w, 1, t->b), y);
        along3(y, t->depth, t->n, x);
        meet = walk_in_face(w->side[0].p, f.index, x, -close);
    } else {
        memcpy(x, walk_point(w, 0, t->a), 3 * sizeof *x);
        along3(x, -t->depth, t->n, y);
        walk_across(w, 0, y, own);
        meet = g.kind == JO_FEATURE_FACE && walk_in_face(w->side[1].p, g.index, own, -close);
    }
    w->on_both = meet || level_points(w, t, x, y);
}

static bool grow(polytope *p, const double guess[3], walk_axis *near)
{
    if (!first_simplex(p, guess)) return false;
    for (;;) {
        const int f = nearest(p);
        if (f < 0 || p->facet[f].d == INFINITY) return false;
        const facet *face = &p->facet[f];
        const corner *c = &p->corner[face->corner[0]];
        p->a = c->a;
        p->b = c->b;
        const bool full = p->corners == CORNERS_MAX;
        if (full) p->corners--;
        take_corner(p, face->n);
        const corner *top = &p->corner[p->corners - 1];
        const double height = dot3(face->n, top->w);
        if (height < near->depth) {
            memcpy(near->n, face->n, sizeof near->n);
            near->depth = height;
            near->a = top->a;
            near->b = top->b;
        }
        if (height - face->d <= 1e-13 * p->size) return true;
        if (full) return false;
        cut(p, f, top->w);
        if (!close_up(p)) return false;
    }
}

bool jo_depth_polytope(walk *w, double *depth, double n[3], double x[3], double y[3])
{
    polytope p;
    p.w = w;
    p.size = w->side[0].p->radius + w->side[1].p->radius;
    p.corners = p.facets = p.spares = 0;
    p.a = p.b = 0;
    walk_axis near = {.depth = INFINITY}, best = {.depth = INFINITY};
    double guess[3], back[3];
    walk_other(w, 0, guess);
    walk_other(w, 1, back);
    p.a = w->side[0].p->map[poly_map_cell(guess, w->side[0].p->map_size)];
    p.b = w->side[1].p->map[poly_map_cell(back, w->side[1].p->map_size)];
    bool exact = grow(&p, guess, &near);
    polish(w, &near, &best);
    if (!(best.depth <= near.depth + 1e-12 * p.size)) {
        /* No exact axis is as good: keep the polytope's, with the vertices it touches. */
        best = near;
        best.feature[0] = (jo_feature){JO_FEATURE_VERTEX, near.a};
        best.feature[1] = (jo_feature){JO_FEATURE_VERTEX, near.b};
        exact = false;
    }
    *depth = best.depth;
    memcpy(n, best.n, sizeof best.n);
    jo_axis_points(w, &best, x, y);
    return exact;
}

bool jo_depth(walk *w, double *depth, double n[3], double x[3], double y[3])
{
    walk_axis t;
    if (!jo_least_axis(w, NULL, INFINITY, false, &t)) return jo_depth_polytope(w, depth, n, x, y);
    *depth = t.depth;
    memcpy(n, t.n, sizeof t.n);
    jo_axis_points(w, &t, x, y);
    return true;
}
