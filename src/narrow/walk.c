/* walk.c — the walk over pairs of features to the closest pair.
 *
 * Method: B. Mirtich, "V-Clip: fast and robust polyhedral collision detection", ACM Transactions on
 * Graphics 17 (1998), after M. C. Lin's closest features (1993), which paper 3 uses. The state is a
 * pair of features. If each feature's closest point lies in the Voronoi region of the other, the pair
 * is the closest; otherwise a violated plane names the neighbour to go on with. Every step lowers
 * the distance of the features, or keeps it and lowers their dimension.
 *
 * Where this differs from V-Clip:
 * - vertex against edge tests the foot of the vertex on the edge instead of clipping the edge: the
 *   foot is well defined there, and one point is cheaper than two;
 * - an edge outside the prism over a face goes on with the nearest of the face's edges, by distance;
 * - a vertex below a face and no edge that leads out: V-Clip looks at all faces for one that the
 *   vertex is above. Here a ray from the centre through the vertex is followed to the face it leaves
 *   by: that maximises n·x/d over the faces (n·y = d is a face's plane), a linear function on the
 *   dual polytope, so climbing from face to neighbouring face finds it. The vertex is inside if and
 *   only if it does not lie beyond that face: the same answer in O(sqrt faces) instead of O(faces).
 *
 * Care: a Voronoi plane is one set of numbers for both of its sides, and a slope along an edge against
 * a face is one product, whichever of the two asks. "On the plane" is inside for both. A step to a
 * feature of higher dimension must gain more than rounding could feign (`slack` for lengths, `level`
 * for slopes); one to a lower dimension need not gain anything. So states that are equal but for
 * rounding cannot send each other back and forth. What an answer can lose by this is below rounding:
 * a point that is `slack` beyond a plane is slack²/2d farther than it should be. */
#include "narrow/walk.h"

/* An edge that descends less than this, as the sine of its angle, is level. */
static const double level = 1e-15;

static walk_end vertex_vertex(walk *w)
{
    for (int i = 0; i < 2; i++) {
        const jo_polyhedron *p = w->side[i].p;
        const uint32_t v = w->feature[i].index;
        double x[3], worst = w->slack;
        uint32_t edge = UINT32_MAX;
        walk_across(w, 1 - i, walk_point(w, 1 - i, w->feature[1 - i].index), x);
        for (uint32_t h = p->first[v]; h < p->first[v + 1]; h++) {
            const double s = poly_side(p->walls[h].ve, x);
            if (s > worst) {
                worst = s;
                edge = h;
            }
        }
        if (edge != UINT32_MAX) {
            w->feature[i] = (jo_feature){JO_FEATURE_EDGE, edge};
            return WALK_ON;
        }
    }
    return WALK_APART;
}

/* Side i has the vertex, the other the edge. */
static walk_end vertex_edge(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[j].p;
    const uint32_t v = w->feature[i].index, h = w->feature[j].index, t = q->twin[h];
    const poly_walls *wh = &q->walls[h], *wt = &q->walls[t];
    double x[3], y[3], foot[3], worst = w->slack;
    walk_across(w, i, walk_point(w, i, v), x);
    const double from_tail = poly_side(wh->ve, x);
    if (from_tail < 0.0) {
        w->feature[j] = (jo_feature){JO_FEATURE_VERTEX, q->origin[h]};
        return WALK_ON;
    }
    if (poly_side(wt->ve, x) < 0.0) {
        w->feature[j] = (jo_feature){JO_FEATURE_VERTEX, q->origin[t]};
        return WALK_ON;
    }
    const double left = poly_side(wh->fe, x), right = poly_side(wt->fe, x);
    if (left > w->slack || right > w->slack) {
        w->feature[j] = (jo_feature){JO_FEATURE_FACE, q->face[left > right ? h : t]};
        return WALK_ON;
    }
    along3(walk_point(w, j, q->origin[h]), from_tail, wh->ve, foot);
    walk_across(w, j, foot, y);
    uint32_t edge = UINT32_MAX;
    for (uint32_t k = p->first[v]; k < p->first[v + 1]; k++) {
        const double s = poly_side(p->walls[k].ve, y);
        if (s > worst) {
            worst = s;
            edge = k;
        }
    }
    if (edge == UINT32_MAX) return WALK_APART;
    w->feature[i] = (jo_feature){JO_FEATURE_EDGE, edge};
    return WALK_ON;
}

uint32_t jo_ray_face(const jo_polyhedron *p, const double x[3], uint32_t f)
{
    const double *n = p->planes + 4 * (size_t)f;
    double best = dot3(n, x) / n[3];
    for (;;) {
        const uint32_t start = p->face_edge[f];
        uint32_t h = start, better = f;
        do {
            const uint32_t g = p->face[p->twin[h]];
            const double *m = p->planes + 4 * (size_t)g;
            const double value = dot3(m, x) / m[3];
            if (value > best) {
                best = value;
                better = g;
            }
            h = p->next[h];
        } while (h != start);
        if (better == f) return f;
        f = better;
    }
}

/* Side i has the vertex, the other the face. */
static walk_end vertex_face(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[j].p;
    const uint32_t v = w->feature[i].index, f = w->feature[j].index;
    const double *plane = q->planes + 4 * (size_t)f;
    double x[3], m[3], worst = 0.0;
    uint32_t edge = UINT32_MAX, h = q->face_edge[f];
    const uint32_t start = h;
    walk_across(w, i, walk_point(w, i, v), x);
    do {
        const double s = poly_side(q->walls[h].fe, x);
        if (s < worst) {
            worst = s;
            edge = h;
        }
        h = q->next[h];
    } while (h != start);
    if (edge != UINT32_MAX) {
        w->feature[j] = (jo_feature){JO_FEATURE_EDGE, edge};
        return WALK_ON;
    }
    const double height = dot3(plane, x) - plane[3], sign = height > 0.0 ? 1.0 : -1.0;
    turn3(w->side[j].turn, plane, m);
    worst = -level;
    for (uint32_t k = p->first[v]; k < p->first[v + 1]; k++) {
        const double slope = sign * dot3(m, p->walls[k].ve);
        if (slope < worst) {
            worst = slope;
            edge = k;
        }
    }
    if (edge != UINT32_MAX) {
        w->feature[i] = (jo_feature){JO_FEATURE_EDGE, edge};
        return WALK_ON;
    }
    if (height > 0.0) return WALK_APART;
    const uint32_t out = jo_ray_face(q, x, f);
    const double *beyond = q->planes + 4 * (size_t)out;
    if (dot3(beyond, x) - beyond[3] <= 0.0) return WALK_OVERLAP;
    w->feature[j] = (jo_feature){JO_FEATURE_FACE, out};
    return WALK_ON;
}

/* A segment p0 + l (p1 - p0) being clipped: what is left of it, and which neighbours cut it. */
typedef struct clip {
    double p0[3], u[3];
    double low, high;
    jo_feature at_low, at_high;
} clip;

static void clip_open(const walk *w, int i, uint32_t h, clip *c)
{
    const jo_polyhedron *p = w->side[i].p;
    double p1[3];
    walk_across(w, i, walk_point(w, i, p->origin[h]), c->p0);
    walk_across(w, i, walk_point(w, i, walk_head(p, h)), p1);
    sub3(p1, c->p0, c->u);
    c->low = 0.0;
    c->high = 1.0;
    c->at_low = c->at_high = (jo_feature){JO_FEATURE_NONE, 0};
}

/* Keeps what is on the positive side of a plane, whose other side belongs to `behind`. False when
 * nothing of the whole segment is. */
static bool clip_by(clip *c, double s0, double s1, jo_feature behind)
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

/* How the height over a face of side j changes along the half-edge e of side i. Everyone who needs it
 * asks here. */
static inline double slope_over(const walk *w, int i, uint32_t e, const double *plane)
{
    double m[3];
    turn3(w->side[1 - i].turn, plane, m);
    return dot3(m, w->side[i].p->walls[e].ve);
}

/* The sign of how the distance to a feature of the other body changes along the edge of side i, where
 * it is cut at l. */
static double slope_to(const walk *w, int i, const clip *c, double l, jo_feature feature)
{
    const jo_polyhedron *q = w->side[1 - i].p;
    double x[3];
    along3(c->p0, l, c->u, x);
    if (feature.kind == JO_FEATURE_VERTEX) {
        double d[3];
        sub3(x, q->points + 3 * (size_t)feature.index, d);
        return dot3(d, c->u);
    }
    const double *plane = q->planes + 4 * (size_t)feature.index;
    const double slope = slope_over(w, i, w->feature[i].index, plane);
    if (fabs(slope) <= level) return 0.0;
    return dot3(plane, x) - plane[3] > 0.0 ? slope : -slope;
}

/* The feature on the other side of a cut towards which the segment still comes nearer; kind NONE when
 * the nearest point is between the cuts. */
static jo_feature beyond_cut(const walk *w, int i, const clip *c)
{
    if (c->at_low.kind != JO_FEATURE_NONE && slope_to(w, i, c, c->low, c->at_low) > 0.0)
        return c->at_low;
    if (c->at_high.kind != JO_FEATURE_NONE && slope_to(w, i, c, c->high, c->at_high) < 0.0)
        return c->at_high;
    return (jo_feature){JO_FEATURE_NONE, 0};
}

/* The edge of side i against the Voronoi region of the other's edge: true when that one was left. */
static bool leave_edge(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *q = w->side[j].p;
    const uint32_t h = w->feature[j].index, t = q->twin[h];
    clip c;
    double p1[3];
    clip_open(w, i, w->feature[i].index, &c);
    along3(c.p0, 1.0, c.u, p1);
    for (int end = 0; end < 2; end++) {
        const uint32_t k = end == 0 ? h : t;
        const jo_feature vertex = {JO_FEATURE_VERTEX, q->origin[k]};
        const double *plane = q->walls[k].ve;
        if (!clip_by(&c, poly_side(plane, c.p0), poly_side(plane, p1), vertex)) {
            w->feature[j] = vertex;
            return true;
        }
    }
    jo_feature to = beyond_cut(w, i, &c);
    if (to.kind == JO_FEATURE_NONE) {
        for (int end = 0; end < 2; end++) {
            const uint32_t k = end == 0 ? h : t;
            const jo_feature face = {JO_FEATURE_FACE, q->face[k]};
            const double *plane = q->walls[k].fe;
            if (!clip_by(&c, w->slack - poly_side(plane, c.p0), w->slack - poly_side(plane, p1),
                         face)) {
                w->feature[j] = face;
                return true;
            }
        }
        to = beyond_cut(w, i, &c);
        /* Cut away by two planes together: either side will do. */
        if (to.kind == JO_FEATURE_NONE && c.low > c.high)
            to = c.at_low.kind != JO_FEATURE_NONE ? c.at_low : c.at_high;
    }
    if (to.kind == JO_FEATURE_NONE) return false;
    w->feature[j] = to;
    return true;
}

static walk_end edge_edge(walk *w)
{
    return leave_edge(w, 0) || leave_edge(w, 1) ? WALK_ON : WALK_APART;
}

/* Of the edges around face f of side j, the one nearest to the segment. */
static uint32_t nearest_edge(const walk *w, int j, uint32_t f, const clip *c)
{
    const jo_polyhedron *q = w->side[j].p;
    const uint32_t start = q->face_edge[f];
    uint32_t h = start, best = start;
    double least = INFINITY;
    do {
        const double *a = walk_point(w, j, q->origin[h]);
        double v[3], x[3], y[3], d[3], s, t;
        sub3(walk_point(w, j, walk_head(q, h)), a, v);
        jo_segments(c->p0, c->u, a, v, &s, &t);
        along3(c->p0, s, c->u, x);
        along3(a, t, v, y);
        sub3(x, y, d);
        const double square = dot3(d, d);
        if (square < least) {
            least = square;
            best = h;
        }
        h = q->next[h];
    } while (h != start);
    return best;
}

/* Side i has the edge, the other the face. */
static walk_end edge_face(walk *w, int i)
{
    const int j = 1 - i;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[j].p;
    const uint32_t e = w->feature[i].index, f = w->feature[j].index, start = q->face_edge[f];
    const double *plane = q->planes + 4 * (size_t)f;
    clip c;
    double p1[3], x[3];
    bool inside = true;
    uint32_t h = start;
    clip_open(w, i, e, &c);
    along3(c.p0, 1.0, c.u, p1);
    do {
        const double *side = q->walls[h].fe;
        inside = clip_by(&c, poly_side(side, c.p0), poly_side(side, p1),
                         (jo_feature){JO_FEATURE_EDGE, h});
        h = q->next[h];
    } while (inside && h != start);
    if (!inside || c.low > c.high) {
        w->feature[j] = (jo_feature){JO_FEATURE_EDGE, nearest_edge(w, j, f, &c)};
        return WALK_ON;
    }
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
    const jo_feature cut = slope >= 0.0 ? c.at_low : c.at_high;
    if (cut.kind != JO_FEATURE_NONE)
        w->feature[j] = cut;
    else
        w->feature[i] =
            (jo_feature){JO_FEATURE_VERTEX, slope >= 0.0 ? p->origin[e] : walk_head(p, e)};
    return WALK_ON;
}

static walk_end face_face(walk *w)
{
    const jo_polyhedron *p = w->side[0].p;
    w->feature[0] = (jo_feature){JO_FEATURE_EDGE, p->face_edge[w->feature[0].index]};
    return WALK_ON;
}

walk_end jo_walk(walk *w, uint32_t bound)
{
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
