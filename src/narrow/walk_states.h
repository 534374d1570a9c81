/* walk_states.h — the walk over pairs of features to the closest pair; compiled plain (walk.c) and
 * for AVX2.
 *
 * Method: B. Mirtich, "V-Clip: fast and robust polyhedral collision detection", ACM Transactions on
 * Graphics 17 (1998), after M. C. Lin's closest features (1993), which paper 3 uses. The state is a
 * pair of features. If each feature's closest point lies in the Voronoi region of the other, the
 * pair is the closest; otherwise a violated plane names the neighbour to go on with. Every step
 * lowers the distance of the features, or keeps it and lowers their dimension.
 *
 * Where this differs from V-Clip:
 * - vertex against edge tests the foot of the vertex on the edge instead of clipping the edge: the
 *   foot is well defined there, and one point is cheaper than two;
 * - two edges whose lines come nearest between their ends, with the difference inside both Voronoi
 *   regions, are the closest at once; clipping only tells where to go if they are not;
 * - an edge outside the prism over a face goes on with the nearest of the face's edges, by
 * distance;
 * - a vertex below a face and no edge that leads out: V-Clip looks at all faces for one that the
 *   vertex is above. Here a ray from the centre through the vertex is followed to the face it
 * leaves by: that maximises n·x/d over the faces (n·y = d is a face's plane), a linear function on
 * the dual polytope, so climbing from face to neighbouring face finds it. The vertex is inside if
 * and only if it does not lie beyond that face: the same answer in O(sqrt faces) instead of
 * O(faces).
 *
 * Care: a Voronoi plane is one set of numbers for both of its sides, and a slope along an edge
 * against a face is one product, whichever of the two asks. "On the plane" is inside for both. A
 * step to a feature of higher dimension must gain more than rounding could feign (`slack` for
 * lengths, `level` for slopes); one to a lower dimension need not gain anything. So states that are
 * equal but for rounding cannot send each other back and forth. What an answer can lose by this is
 * below rounding: a point that is `slack` beyond a plane is slack²/2d farther than it should be.
 *
 * A state that is the last one leaves point, normal and distance in the walk: they were needed to
 * see that it is. */
#ifndef JO_NARROW_WALK_STATES_H
#define JO_NARROW_WALK_STATES_H

#include <string.h>

#include "narrow/walk.h"

/* An edge that descends less than this, as the sine of its angle, is level. */
static const double level = 1e-15;

/* The closest points: y on side j, x on the other, both in the frame of j. */
static inline walk_end end_between(walk *w, int j, const double x[3], const double y[3])
{
    double d[3];
    sub3(x, y, d);
    const double distance = norm3(d), share = distance > 0.0 ? 1.0 / distance : 0.0;
    w->frame = j;
    w->distance = distance;
    for (int k = 0; k < 3; k++) {
        w->on[k] = y[k];
        w->n[k] = share * d[k];
    }
    return WALK_APART;
}

/* To a feature of side i by one of its half-edges, which stays at hand: what is around a feature
 * is found from there, not by way of tables. */
static inline walk_end go_to_edge(walk *w, int i, uint32_t h)
{
    w->feature[i] = (jo_feature){JO_FEATURE_EDGE, h};
    w->edge[i] = h;
    return WALK_ON;
}

static inline walk_end go_to_face(walk *w, int i, uint32_t h)
{
    w->feature[i] = (jo_feature){JO_FEATURE_FACE, w->side[i].p->walls[h].face};
    w->edge[i] = h;
    return WALK_ON;
}

static inline walk_end go_to_vertex(walk *w, int i, uint32_t h)
{
    const poly_walls *from = &w->side[i].p->walls[h];
    w->feature[i] = (jo_feature){JO_FEATURE_VERTEX, from->origin};
    w->edge[i] = from->first;
    w->edges[i] = from->edges;
    return WALK_ON;
}

/* The edge at the vertex of side i beyond whose plane x lies the most. */
static inline uint32_t edge_beyond(const walk *w, int i, const double x[3])
{
    const poly_walls *walls = w->side[i].p->walls;
    const uint32_t first = w->edge[i], end = first + w->edges[i];
    uint32_t edge = UINT32_MAX;
    double worst = w->slack;
    for (uint32_t h = first; h < end; h++) {
        const double s = poly_side(walls[h].ve, x);
        if (s > worst) {
            worst = s;
            edge = h;
        }
    }
    return edge;
}

static walk_end vertex_vertex(walk *w)
{
    const double *own[2];
    double x[2][3]; /* vertex 1 - i in the frame of i */
    for (int i = 0; i < 2; i++)
        own[i] = walk_point(w, i, w->feature[i].index);
    for (int i = 0; i < 2; i++) {
        walk_across(w, 1 - i, own[1 - i], x[i]);
        const uint32_t edge = edge_beyond(w, i, x[i]);
        if (edge != UINT32_MAX) return go_to_edge(w, i, edge);
    }
    return end_between(w, 0, x[0], own[0]);
}

/* Side i has the vertex, the other the edge. */
static inline walk_end vertex_edge(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *q = w->side[j].p;
    const uint32_t v = w->feature[i].index, h = w->edge[j];
    const poly_walls *wh = &q->walls[h], *wt = &q->walls[wh->twin];
    double x[3], y[3], foot[3];
    walk_across(w, i, walk_point(w, i, v), x);
    const double from_tail = poly_side(wh->ve, x);
    if (from_tail < 0.0) return go_to_vertex(w, j, h);
    if (poly_side(wt->ve, x) < 0.0) return go_to_vertex(w, j, wh->twin);
    const double left = poly_side(wh->fe, x), right = poly_side(wt->fe, x);
    if (left > w->slack || right > w->slack) return go_to_face(w, j, left > right ? h : wh->twin);
    along3(wh->from, from_tail, wh->ve, foot);
    walk_across(w, j, foot, y);
    const uint32_t edge = edge_beyond(w, i, y);
    return edge == UINT32_MAX ? end_between(w, j, x, foot) : go_to_edge(w, i, edge);
}

/* See jo_ray_face. */
static uint32_t ray_face(const jo_polyhedron *p, const double x[3], uint32_t f)
{
    const double *n = p->planes + 4 * (size_t)f;
    double best = dot3(n, x) / n[3];
    for (;;) {
        const uint32_t start = p->face_edge[f];
        uint32_t h = start, better = f;
        do {
            const uint32_t g = p->walls[p->walls[h].twin].face;
            const double *m = p->planes + 4 * (size_t)g;
            const double value = dot3(m, x) / m[3];
            if (value > best) {
                best = value;
                better = g;
            }
            h = p->walls[h].next;
        } while (h != start);
        if (better == f) return f;
        f = better;
    }
}

/* Side i has the vertex, the other the face. */
static inline walk_end vertex_face(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[j].p;
    const uint32_t v = w->feature[i].index, f = w->feature[j].index;
    const double *plane = q->planes + 4 * (size_t)f;
    double x[3], m[3], worst = 0.0;
    const uint32_t start = w->edge[j], first = w->edge[i], end = first + w->edges[i];
    uint32_t edge = UINT32_MAX, h = start;
    walk_across(w, i, walk_point(w, i, v), x);
    do {
        const poly_walls *side = &q->walls[h];
        const double s = poly_side(side->fe, x);
        if (s < worst) {
            worst = s;
            edge = h;
        }
        h = side->next;
    } while (h != start);
    if (edge != UINT32_MAX) return go_to_edge(w, j, edge);
    const double height = dot3(plane, x) - plane[3], sign = height > 0.0 ? 1.0 : -1.0;
    walk_turn(w, j, plane, m);
    worst = -level;
    for (uint32_t k = first; k < end; k++) {
        const double slope = sign * dot3(m, p->walls[k].ve);
        if (slope < worst) {
            worst = slope;
            edge = k;
        }
    }
    if (edge != UINT32_MAX) return go_to_edge(w, i, edge);
    if (height > 0.0) {
        w->frame = j;
        w->distance = height;
        along3(x, -height, plane, w->on);
        memcpy(w->n, plane, sizeof w->n);
        return WALK_APART;
    }
    const uint32_t out = ray_face(q, x, f);
    const double *beyond = q->planes + 4 * (size_t)out;
    if (dot3(beyond, x) - beyond[3] <= 0.0) return WALK_OVERLAP;
    return go_to_face(w, j, q->face_edge[out]);
}

/* A feature by one of its half-edges; kind NONE: none. */
typedef struct neighbour {
    uint32_t kind, edge;
} neighbour;

static const neighbour nobody = {JO_FEATURE_NONE, 0};

static inline walk_end go_to(walk *w, int i, neighbour to)
{
    if (to.kind == JO_FEATURE_EDGE) return go_to_edge(w, i, to.edge);
    return to.kind == JO_FEATURE_FACE ? go_to_face(w, i, to.edge) : go_to_vertex(w, i, to.edge);
}

/* A segment p0 + l (p1 - p0) being clipped: what is left of it, and which neighbours cut it. */
typedef struct clip {
    double p0[3], u[3];
    double low, high;
    neighbour at_low, at_high;
} clip;

static inline void clip_open(const walk *w, int i, uint32_t h, clip *c)
{
    const poly_walls *from = &w->side[i].p->walls[h], *to = &w->side[i].p->walls[from->twin];
    double p1[3];
    walk_across(w, i, from->from, c->p0);
    walk_across(w, i, to->from, p1);
    sub3(p1, c->p0, c->u);
    c->low = 0.0;
    c->high = 1.0;
    c->at_low = c->at_high = nobody;
}

/* Keeps what is on the positive side of a plane, whose other side belongs to `behind`. False when
 * nothing of the whole segment is. */
static inline bool clip_by(clip *c, double s0, double s1, neighbour behind)
{
    if (s0 < 0.0) {
        if (s1 < 0.0) return false;
        const double l = s0 / (s0 - s1);
        if (l > c->low) {
            c->low = l;
            c->at_low = behind;
        }
    } else if (s1 < 0.0) {
        const double l = s0 / (s0 - s1);
        if (l < c->high) {
            c->high = l;
            c->at_high = behind;
        }
    }
    return true;
}

/* How the height over a face of side j changes along the half-edge e of side i. Everyone who needs
 * it asks here. */
static inline double slope_over(const walk *w, int i, uint32_t e, const double *plane)
{
    double m[3];
    walk_turn(w, 1 - i, plane, m);
    return dot3(m, w->side[i].p->walls[e].ve);
}

/* The sign of how the distance to a feature of the other body changes along the edge of side i,
 * where it is cut at l. */
static double slope_to(const walk *w, int i, const clip *c, double l, neighbour to)
{
    const jo_polyhedron *q = w->side[1 - i].p;
    double x[3];
    along3(c->p0, l, c->u, x);
    if (to.kind == JO_FEATURE_VERTEX) {
        /* x is over the vertex, seen along the edge v that ends there. What rounding leaves of d
         * along v is taken out: of edges nearly parallel it would be all. */
        const double *v = q->walls[w->feature[1 - i].index].ve;
        double d[3];
        sub3(x, q->walls[to.edge].from, d);
        return dot3(d, c->u) - dot3(v, c->u) * dot3(v, d);
    }
    const double *plane = q->planes + 4 * (size_t)q->walls[to.edge].face;
    const double slope = slope_over(w, i, w->feature[i].index, plane);
    if (fabs(slope) <= level) return 0.0;
    return dot3(plane, x) - plane[3] > 0.0 ? slope : -slope;
}

/* The feature on the other side of a cut towards which the segment still comes nearer; kind NONE
 * when the nearest point is between the cuts. */
static neighbour beyond_cut(const walk *w, int i, const clip *c)
{
    if (c->at_low.kind != JO_FEATURE_NONE && slope_to(w, i, c, c->low, c->at_low) > 0.0)
        return c->at_low;
    if (c->at_high.kind != JO_FEATURE_NONE && slope_to(w, i, c, c->high, c->at_high) < 0.0)
        return c->at_high;
    return nobody;
}

/* The edge of side i against the Voronoi region of the other's edge: true when that one was
 * left. */
static bool leave_edge(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *q = w->side[j].p;
    const uint32_t h = w->feature[j].index, t = q->walls[h].twin;
    clip c;
    double p1[3];
    clip_open(w, i, w->feature[i].index, &c);
    along3(c.p0, 1.0, c.u, p1);
    for (int end = 0; end < 2; end++) {
        const uint32_t k = end == 0 ? h : t;
        const neighbour vertex = {JO_FEATURE_VERTEX, k};
        const double *plane = q->walls[k].ve;
        if (!clip_by(&c, poly_side(plane, c.p0), poly_side(plane, p1), vertex)) {
            go_to_vertex(w, j, k);
            return true;
        }
    }
    neighbour to = beyond_cut(w, i, &c);
    if (to.kind == JO_FEATURE_NONE) {
        for (int end = 0; end < 2; end++) {
            const uint32_t k = end == 0 ? h : t;
            const neighbour face = {JO_FEATURE_FACE, k};
            const double *plane = q->walls[k].fe;
            if (!clip_by(&c, w->slack - poly_side(plane, c.p0), w->slack - poly_side(plane, p1),
                         face)) {
                go_to_face(w, j, k);
                return true;
            }
        }
        to = beyond_cut(w, i, &c);
        /* Cut away by two planes together: either side will do. */
        if (to.kind == JO_FEATURE_NONE && c.low > c.high)
            to = c.at_low.kind != JO_FEATURE_NONE ? c.at_low : c.at_high;
    }
    if (to.kind == JO_FEATURE_NONE) return false;
    go_to(w, j, to);
    return true;
}

/* The nearest points of two edges that the clipping found to be the closest features. Where they
 * lie between the edges' ends the normal is square to both. Of edges that cross at an angle t,
 * rounding turns that by 1e-16/t, and the difference of points by 1e-16 size/distance: the better
 * of the two is taken. */
static walk_end end_edges(walk *w)
{
    const poly_walls *e = &w->side[0].p->walls[w->feature[0].index];
    const poly_walls *f = &w->side[1].p->walls[w->feature[1].index];
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    double u[3], b[3], b1[3], v[3], s, t, x[3], y[3], square[3];
    sub3(w->side[0].p->walls[e->twin].from, e->from, u);
    walk_across(w, 1, f->from, b);
    walk_across(w, 1, w->side[1].p->walls[f->twin].from, b1);
    sub3(b1, b, v);
    jo_segments(e->from, u, b, v, &s, &t);
    along3(e->from, s, u, x);
    along3(b, t, v, y);
    end_between(w, 0, y, x);
    if (!(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)) return WALK_APART;
    /* Directions as they are stored: those of u and v have lost digits by being moved. */
    walk_turn(w, 1, f->ve, v);
    cross3(e->ve, v, square);
    if (!(unit3(square) * size > w->distance)) return WALK_APART;
    const double cosine = dot3(square, w->n);
    double off[3];
    along3(w->n, -cosine, square, off);
    /* Edges so nearly parallel that their ends are as near have no crossing. */
    if (norm3(off) * w->distance > 16.0 * w->slack) return WALK_APART;
    for (int k = 0; k < 3; k++)
        w->n[k] = cosine < 0.0 ? -square[k] : square[k];
    return WALK_APART;
}

/* The same planes asked again about the direction `square` from edge 0 to edge 1, not about points:
 * at a small distance d a direction can be off by slack/d and its points still be within slack of a
 * plane, and over the size of the bodies that is much more than rounding (faces that lie on each
 * other but for a tilt of 1e-9). What is asked is, but for its sign, the slope of one edge over the
 * face of the other, as edge_face has it. */
static inline bool leave_tilted(walk *w, const double square[3])
{
    double back[3];
    walk_turn(w, 0, square, back);
    for (int i = 0; i < 2; i++) {
        const jo_polyhedron *p = w->side[i].p;
        const poly_walls *e = &p->walls[w->feature[i].index], *t = &p->walls[e->twin];
        const double left = i == 0 ? dot3(e->fe, square) : -dot3(e->fe, back);
        const double right = i == 0 ? dot3(t->fe, square) : -dot3(t->fe, back);
        if (left > 2.0 * level || right > 2.0 * level) {
            go_to_face(w, i, left > right ? w->edge[i] : e->twin);
            return true;
        }
    }
    return false;
}

/* Whether the point of an edge nearest to another edge is on this side of a plane by more than
 * rounding could make it, which has come a long way there: and the less the edges differ in
 * direction (det: the square of the sine), the farther along them it puts the point. What is plain
 * by direction only, `leave_tilted` sees. */
static inline bool beyond_doubt(const walk *w, double side, double det)
{
    const double slack = 4.0 * w->slack;
    return side > slack && side * side * det > slack * slack;
}

/* Two edges whose lines come nearest at s and t, not both on them: their own nearest points lie at
 * one end or two, which the walk goes on with: that is no farther. */
static inline walk_end edges_ended(walk *w, double s, double t, double c, double d, double g,
                                   double det)
{
    const poly_walls *e = &w->side[0].p->walls[w->edge[0]], *f = &w->side[1].p->walls[w->edge[1]];
    const double doubt = 16.0 * w->slack / det;
    if (!(s < -doubt || s > e->length + doubt || t < -doubt || t > f->length + doubt))
        return WALK_BOUND;
    s = fmin(fmax(s, 0.0), e->length);
    t = fmin(fmax(c * s + g, 0.0), f->length);
    s = c * t - d;
    if (s <= 0.0 || s >= e->length) go_to_vertex(w, 0, s <= 0.0 ? w->edge[0] : e->twin);
    if (t <= 0.0 || t >= f->length) go_to_vertex(w, 1, t <= 0.0 ? w->edge[1] : f->twin);
    return WALK_ON;
}

/* Whether the lines of two edges come nearest between their ends, at points in the Voronoi regions
 * of the other: then that is the end. If only a face's plane is in the way, the way leads over it:
 * the distance to the edge falls up to that plane and beyond. Nearly parallel edges and others are
 * left to the clipping: WALK_BOUND. */
static inline walk_end edges_closest(walk *w)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const poly_walls *e = &p->walls[w->feature[0].index], *f = &q->walls[w->feature[1].index];
    double v[3], b0[3], r[3], x[3], y[3], x1[3];
    walk_turn(w, 1, f->ve, v);
    walk_across(w, 1, f->from, b0);
    sub3(e->from, b0, r);
    const double *u = e->ve;
    const double c = dot3(u, v), d = dot3(u, r), g = dot3(v, r), det = 1.0 - c * c;
    if (!(det > 1e-4)) return WALK_BOUND;
    const double s = (c * g - d) / det, t = c * s + g;
    if (!(s > 0.0 && s < e->length && t > 0.0 && t < f->length))
        return edges_ended(w, s, t, c, d, g, det);
    along3(e->from, s, u, x);
    along3(b0, t, v, y);
    walk_across(w, 0, x, x1);
    const poly_walls *et = &p->walls[e->twin], *ft = &q->walls[f->twin];
    const double left[2] = {poly_side(e->fe, y), poly_side(f->fe, x1)};
    const double right[2] = {poly_side(et->fe, y), poly_side(ft->fe, x1)};
    if (beyond_doubt(w, left[1], det) || beyond_doubt(w, right[1], det))
        return go_to_face(w, 1, left[1] > right[1] ? w->edge[1] : f->twin);
    if (beyond_doubt(w, left[0], det) || beyond_doubt(w, right[0], det))
        return go_to_face(w, 0, left[0] > right[0] ? w->edge[0] : e->twin);
    end_between(w, 0, y, x);
    if (w->distance > 0.01 * (p->radius + q->radius)) return WALK_APART;
    double square[3]; /* as in end_edges */
    cross3(u, v, square);
    const double sign = dot3(square, w->n) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++)
        square[k] *= sign;
    /* Nearer than that the sign is rounding's. */
    if (!walk_near(w, w->distance) && leave_tilted(w, square)) return WALK_ON;
    unit3(square);
    memcpy(w->n, square, sizeof square);
    return WALK_APART;
}

static walk_end edges_clipped(walk *w)
{
    return leave_edge(w, 0) || leave_edge(w, 1) ? WALK_ON : end_edges(w);
}

static inline walk_end edge_edge(walk *w)
{
    const walk_end end = edges_closest(w);
    return end != WALK_BOUND ? end : edges_clipped(w);
}

/* Of the edges around the face of side j, the one nearest to the segment. */
static uint32_t nearest_edge(const walk *w, int j, const clip *c)
{
    const jo_polyhedron *q = w->side[j].p;
    const uint32_t start = w->edge[j];
    uint32_t h = start, best = start;
    double least = INFINITY;
    do {
        const double *a = q->walls[h].from;
        double v[3], x[3], y[3], d[3], s, t;
        sub3(q->walls[q->walls[h].twin].from, a, v);
        jo_segments(c->p0, c->u, a, v, &s, &t);
        along3(c->p0, s, c->u, x);
        along3(a, t, v, y);
        sub3(x, y, d);
        const double square = dot3(d, d);
        if (square < least) {
            least = square;
            best = h;
        }
        h = q->walls[h].next;
    } while (h != start);
    return best;
}

/* Side i has the edge, the other the face. */
static walk_end edge_face(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[j].p;
    const uint32_t e = w->edge[i], start = w->edge[j];
    const double *plane = q->planes + 4 * (size_t)w->feature[j].index;
    clip c;
    double p1[3], x[3];
    bool inside = true;
    uint32_t h = start;
    clip_open(w, i, e, &c);
    along3(c.p0, 1.0, c.u, p1);
    do {
        const poly_walls *side = &q->walls[h];
        inside = clip_by(&c, poly_side(side->fe, c.p0), poly_side(side->fe, p1),
                         (neighbour){JO_FEATURE_EDGE, h});
        h = side->next;
    } while (inside && h != start);
    if (!inside || c.low > c.high) return go_to_edge(w, j, nearest_edge(w, j, &c));
    along3(c.p0, c.low, c.u, x);
    const double at_low = dot3(plane, x) - plane[3];
    along3(c.p0, c.high, c.u, x);
    const double at_high = dot3(plane, x) - plane[3];
    if (at_low * at_high <= 0.0) {
        const double share = at_low != at_high ? at_low / (at_low - at_high) : 0.5;
        w->meet = c.low + share * (c.high - c.low);
        return WALK_OVERLAP;
    }
    /* Not the difference of the heights: rounding would make it another number. */
    const double slope = (at_low > 0.0 ? 1.0 : -1.0) * slope_over(w, i, e, plane);
    const neighbour cut = slope >= 0.0 ? c.at_low : c.at_high;
    if (cut.kind != JO_FEATURE_NONE) return go_to_edge(w, j, cut.edge);
    return go_to_vertex(w, i, slope >= 0.0 ? e : p->walls[e].twin);
}

static walk_end face_face(walk *w)
{
    return go_to_edge(w, 0, w->edge[0]);
}

/* A row of three numbers; `row` 2 of a rotation must not be read beyond its end. */
static inline vec4 row_of(const double m[9], int row)
{
    if (row < 2) return v4_load(m + 3 * row);
    const vec4 v = v4_load(m + 5);
    return (vec4){v[1], v[2], v[3], v[3]};
}

/* The columns of a rotation given by its rows. */
static inline void columns_of(const vec4 row[3], vec4 column[3])
{
    const vec4 even = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const vec4 odd = __builtin_shufflevector(row[0], row[1], 1, 5, 1, 5);
    column[0] = __builtin_shufflevector(even, row[2], 0, 1, 4, 4);
    column[1] = __builtin_shufflevector(odd, row[2], 0, 1, 5, 5);
    column[2] = __builtin_shufflevector(even, row[2], 2, 3, 6, 6);
}

static inline void open_walk(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                             const jo_polyhedron *b, const jo_pose *pose_b)
{
    const double *ra = pose_a->turn, *rb = pose_b->turn;
    double d[3];
    vec4 row_a[3], row_b[3];
    for (int k = 0; k < 3; k++) {
        row_a[k] = row_of(ra, k);
        row_b[k] = row_of(rb, k);
        d[k] = pose_b->at[k] - pose_a->at[k];
    }
    w->side[0].p = a;
    w->side[1].p = b;
    for (int j = 0; j < 3; j++)
        w->side[1].column[j] = row_a[0] * rb[j] + row_a[1] * rb[3 + j] + row_a[2] * rb[6 + j];
    columns_of(w->side[1].column, w->side[0].column);
    w->side[0].at = -(row_b[0] * d[0] + row_b[1] * d[1] + row_b[2] * d[2]);
    w->side[1].at = row_a[0] * d[0] + row_a[1] * d[1] + row_a[2] * d[2];
    w->iterations = 0;
    w->meet = 0.0;
    w->slack = 1e-15 * (a->radius + b->radius + fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
}

/* The half-edges of the features that a walk begins with. */
static inline void find_edges(walk *w)
{
    for (int i = 0; i < 2; i++) {
        const jo_polyhedron *p = w->side[i].p;
        const uint32_t k = w->feature[i].index;
        w->edge[i] = k;
        w->edges[i] = 0;
        if (w->feature[i].kind == JO_FEATURE_FACE) w->edge[i] = p->face_edge[k];
        if (w->feature[i].kind != JO_FEATURE_VERTEX) continue;
        w->edge[i] = p->first[k];
        w->edges[i] = p->first[k + 1] - p->first[k];
    }
}

static inline walk_end walk_on(walk *w, uint32_t bound)
{
    find_edges(w);
    for (uint32_t k = 0; k < bound; k++) {
        walk_end end;
        w->iterations++;
        switch (4 * w->feature[0].kind + w->feature[1].kind) {
        case 4 * JO_FEATURE_VERTEX + JO_FEATURE_VERTEX:
            end = vertex_vertex(w);
            break;
        case 4 * JO_FEATURE_VERTEX + JO_FEATURE_EDGE:
            end = vertex_edge(w, 0);
            break;
        case 4 * JO_FEATURE_EDGE + JO_FEATURE_VERTEX:
            end = vertex_edge(w, 1);
            break;
        case 4 * JO_FEATURE_VERTEX + JO_FEATURE_FACE:
            end = vertex_face(w, 0);
            break;
        case 4 * JO_FEATURE_FACE + JO_FEATURE_VERTEX:
            end = vertex_face(w, 1);
            break;
        case 4 * JO_FEATURE_EDGE + JO_FEATURE_EDGE:
            end = edge_edge(w);
            break;
        case 4 * JO_FEATURE_EDGE + JO_FEATURE_FACE:
            end = edge_face(w, 0);
            break;
        case 4 * JO_FEATURE_FACE + JO_FEATURE_EDGE:
            end = edge_face(w, 1);
            break;
        default:
            end = face_face(w);
        }
        if (end != WALK_ON) return end;
    }
    return WALK_BOUND;
}

/* ---- a query ---- */

static inline bool known(const jo_polyhedron *p, jo_feature f)
{
    switch (f.kind) {
    case JO_FEATURE_VERTEX:
        return f.index < p->nv;
    case JO_FEATURE_EDGE:
        return f.index < p->nh;
    case JO_FEATURE_FACE:
        return f.index < p->nf;
    default:
        return false;
    }
}

static inline void begin_walk(walk *w, const jo_feature_pair *pair)
{
    const jo_polyhedron *a = w->side[0].p, *b = w->side[1].p;
    double to[3];
    w->feature[0] = pair->a;
    w->feature[1] = pair->b;
    w->start[0] = pair->a;
    w->start[1] = pair->b;
    if (known(a, pair->a) && known(b, pair->b)) return;
    w->start[0].kind = w->start[1].kind = JO_FEATURE_NONE;
    walk_other(w, 0, to);
    w->feature[0] = (jo_feature){JO_FEATURE_VERTEX, a->map[poly_map_cell(to, a->map_size)]};
    walk_other(w, 1, to);
    w->feature[1] = (jo_feature){JO_FEATURE_VERTEX, b->map[poly_map_cell(to, b->map_size)]};
}

/* Into the world: a point on the body of side `frame` and the unit vector from there to the point
 * of the other, at a distance that is negative where the bodies overlap. */
static inline void tell_points(int frame, const double on[3], const double n[3], double distance,
                               const jo_pose *pose_a, const jo_pose *pose_b, jo_closest *out)
{
    const jo_pose *pose = frame == 0 ? pose_a : pose_b;
    double *own = frame == 0 ? out->on_a : out->on_b, *other = frame == 0 ? out->on_b : out->on_a;
    const vec4 row[3] = {row_of(pose->turn, 0), row_of(pose->turn, 1), row_of(pose->turn, 2)};
    vec4 c[3];
    columns_of(row, c);
    const vec4 at = {pose->at[0], pose->at[1], pose->at[2], 0.0};
    const vec4 normal = c[0] * n[0] + c[1] * n[1] + c[2] * n[2];
    const vec4 near = c[0] * on[0] + c[1] * on[1] + c[2] * on[2] + at;
    const vec4 far = near + distance * normal, ahead = frame == 0 ? normal : -normal;
    for (int k = 0; k < 3; k++) {
        own[k] = near[k];
        other[k] = far[k];
        out->normal[k] = ahead[k];
    }
    out->distance = distance;
}

/* From where the walk stands to the answer for bodies apart; for anything else, what it ended
 * with. */
static inline walk_end walk_apart(walk *w, const jo_pose *pose_a, const jo_pose *pose_b,
                                  jo_feature_pair *pair, jo_closest *out)
{
    const walk_end end = walk_on(w, walk_bound(w));
    if (end != WALK_APART) return end;
    if (walk_near(w, w->distance) || !walk_shown(w)) return WALK_NEAR;
    tell_points(w->frame, w->on, w->n, w->distance, pose_a, pose_b, out);
    out->overlap = false;
    out->exact = out->proved = true;
    out->iterations = w->iterations;
    out->features = *pair = (jo_feature_pair){w->feature[0], w->feature[1]};
    return WALK_APART;
}

static inline walk_end query_apart(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                                   const jo_polyhedron *b, const jo_pose *pose_b,
                                   jo_feature_pair *pair, jo_closest *out)
{
    open_walk(w, a, pose_a, b, pose_b);
    begin_walk(w, pair);
    return walk_apart(w, pose_a, pose_b, pair, out);
}

#endif
