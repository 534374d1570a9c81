/* features2d.c — the closest features of two convex polygons.
 *
 * The walk of walk.c with a dimension less: a vertex's region is bounded by the lines through it
 * square to its two edges, an edge's by those through its ends. The nearest pair always has a
 * vertex, so there are three states: vertex and vertex, vertex and edge either way. A vertex before
 * an edge from which an edge of its own leads nearer goes on with the nearest features of the two
 * edges, which may also cross; one behind it is inside, or is before the edge by which the ray from
 * the centre through it leaves. The depth is the least over the normals of all edges, the other
 * polygon's farthest corner moving along with them: O(corners).
 *
 * An answer "apart" is proved: the polygons must be as far apart along the normal told as their
 * points are. Where they are not (rounding, corners that nearly coincide), and where the walk saw
 * an overlap or hit its bound, the normals of all edges decide. If the farthest-apart of them does
 * not show which features are the nearest, all pairs are tried. */
#include <math.h>
#include <string.h>

#include "jostle/features.h"
#include "scene/polygon.h"

/* x of this polygon is (c x - s y, s x + c y) + at in the other's frame. */
typedef struct flat_side {
    const jo_polygon *p;
    double c, s, at[2];
} flat_side;

typedef struct flat_walk {
    flat_side side[2];
    jo_feature feature[2];
    double slack;
    uint32_t iterations;
} flat_walk;

typedef enum flat_end { FLAT_ON, FLAT_APART, FLAT_OVERLAP } flat_end;

static void across(const flat_walk *w, int i, const double x[2], double y[2])
{
    const flat_side *f = &w->side[i];
    y[0] = f->c * x[0] - f->s * x[1] + f->at[0];
    y[1] = f->s * x[0] + f->c * x[1] + f->at[1];
}

/* A direction of side i in the other's frame. */
static void across_turn(const flat_walk *w, int i, const double x[2], double y[2])
{
    const flat_side *f = &w->side[i];
    const double c = f->c * x[0] - f->s * x[1];
    y[1] = f->s * x[0] + f->c * x[1];
    y[0] = c;
}

static const double *corner(const jo_polygon *p, size_t k)
{
    return p->points + 2 * (k < p->n ? k : k - p->n);
}

static size_t previous(const jo_polygon *p, size_t k)
{
    return k > 0 ? k - 1 : p->n - 1;
}

static size_t following(const jo_polygon *p, size_t k)
{
    return k + 1 < p->n ? k + 1 : 0;
}

/* How far x is along edge k from its first corner: the edge's direction is its normal turned
 * left. */
static double along_edge(const jo_polygon *p, size_t k, const double x[2])
{
    const double *line = p->lines + 3 * k, *a = corner(p, k);
    return -line[1] * (x[0] - a[0]) + line[0] * (x[1] - a[1]);
}

/* How edge k rises along n. */
static double rise(const jo_polygon *p, size_t k, const double n[2])
{
    const double *line = p->lines + 3 * k;
    return line[0] * n[1] - line[1] * n[0];
}

static double height(const jo_polygon *p, size_t k, const double x[2])
{
    const double *line = p->lines + 3 * k;
    return line[0] * x[0] + line[1] * x[1] - line[2];
}

/* If x is beside an edge of vertex v rather than before v, goes to that edge. */
static bool leave_vertex(flat_walk *w, int i, const double x[2])
{
    const jo_polygon *p = w->side[i].p;
    const size_t v = w->feature[i].index, before = previous(p, v);
    const double ahead = along_edge(p, v, x);
    const double *a = corner(p, v), *line = p->lines + 3 * before;
    const double back = line[1] * (x[0] - a[0]) - line[0] * (x[1] - a[1]);
    if (ahead <= w->slack && back <= w->slack) return false;
    w->feature[i] = (jo_feature){JO_FEATURE_EDGE, (uint32_t)(ahead > back ? v : before)};
    return true;
}

static flat_end vertex_vertex(flat_walk *w)
{
    for (int i = 0; i < 2; i++) {
        double x[2];
        across(w, 1 - i, corner(w->side[1 - i].p, w->feature[1 - i].index), x);
        if (leave_vertex(w, i, x)) return FLAT_ON;
    }
    return FLAT_APART;
}

/* The edge by which the ray from the centre through x leaves p, climbing from edge k. */
static size_t ray_edge(const jo_polygon *p, const double x[2], size_t k)
{
    double best = (height(p, k, x) + p->lines[3 * k + 2]) / p->lines[3 * k + 2];
    for (size_t moved = 0; moved <= p->n; moved++) {
        const size_t try[2] = {previous(p, k), following(p, k)};
        size_t better = k;
        for (int i = 0; i < 2; i++) {
            const double d = p->lines[3 * try[i] + 2], value = (height(p, try[i], x) + d) / d;
            if (value > best) {
                best = value;
                better = try[i];
            }
        }
        if (better == k) break;
        k = better;
    }
    return k;
}

/* The distance of vertex v of side i from edge e of the other, as a segment; the features are those
 * of the two nearest points. */
static double to_segment(const flat_walk *w, int i, size_t v, size_t e, jo_feature feature[2])
{
    const jo_polygon *q = w->side[1 - i].p;
    double x[2];
    across(w, i, corner(w->side[i].p, v), x);
    const double s = along_edge(q, e, x), length = along_edge(q, e, corner(q, e + 1));
    feature[i] = (jo_feature){JO_FEATURE_VERTEX, (uint32_t)v};
    feature[1 - i] = (jo_feature){JO_FEATURE_EDGE, (uint32_t)e};
    if (s > 0.0 && s < length) return fabs(height(q, e, x));
    const size_t end = s > 0.0 ? following(q, e) : e;
    const double *y = corner(q, end);
    feature[1 - i] = (jo_feature){JO_FEATURE_VERTEX, (uint32_t)end};
    return hypot(x[0] - y[0], x[1] - y[1]);
}

/* Edge f of side i against edge e of the other, which do not cross: goes on with the nearest pair
 * of their features if that is nearer than `distance`. */
static flat_end edge_edge(flat_walk *w, int i, size_t f, size_t e, double distance)
{
    const size_t ends[2][2] = {{f, following(w->side[i].p, f)},
                               {e, following(w->side[1 - i].p, e)}};
    flat_end end = FLAT_APART;
    for (int k = 0; k < 4; k++) {
        jo_feature feature[2];
        const double d = k < 2 ? to_segment(w, i, ends[0][k], e, feature)
                               : to_segment(w, 1 - i, ends[1][k - 2], f, feature);
        if (!(d < distance - w->slack)) continue;
        distance = d;
        memcpy(w->feature, feature, sizeof feature);
        end = FLAT_ON;
    }
    return end;
}

/* Side i has the vertex, the other the edge. */
static flat_end vertex_edge(flat_walk *w, int i)
{
    const int j = 1 - i;
    const jo_polygon *p = w->side[i].p, *q = w->side[j].p;
    const size_t v = w->feature[i].index, e = w->feature[j].index;
    double x[2], n[2];
    across(w, i, corner(p, v), x);
    if (along_edge(q, e, x) < 0.0) {
        w->feature[j] = (jo_feature){JO_FEATURE_VERTEX, (uint32_t)e};
        return FLAT_ON;
    }
    const double *b = corner(q, e + 1), *line = q->lines + 3 * e;
    if (-line[1] * (x[0] - b[0]) + line[0] * (x[1] - b[1]) > 0.0) {
        w->feature[j] = (jo_feature){JO_FEATURE_VERTEX, (uint32_t)following(q, e)};
        return FLAT_ON;
    }
    const double h = height(q, e, x);
    if (h <= 0.0) {
        const size_t out = ray_edge(q, x, e);
        if (height(q, out, x) <= 0.0) return FLAT_OVERLAP;
        w->feature[j] = (jo_feature){JO_FEATURE_EDGE, (uint32_t)out};
        return FLAT_ON;
    }
    /* Nearer to the edge's line along one of the vertex's own edges? */
    across_turn(w, j, line, n);
    const size_t before = previous(p, v), after = following(p, v);
    const double *a = corner(p, v), *c = corner(p, after), *d = corner(p, before);
    const double fall_c = n[0] * (c[0] - a[0]) + n[1] * (c[1] - a[1]);
    const double fall_d = n[0] * (d[0] - a[0]) + n[1] * (d[1] - a[1]);
    if (!(fall_c < -w->slack || fall_d < -w->slack)) return FLAT_APART;
    const size_t to = fall_c < fall_d ? after : before;
    double y[2];
    across(w, i, corner(p, to), y);
    const double below = height(q, e, y);
    if (below <=
        0.0) { /* through the edge itself? Then neither polygon need have a vertex inside */
        const double s0 = along_edge(q, e, x), s1 = along_edge(q, e, y);
        const double meet = s0 + (s1 - s0) * h / (h - below);
        if (meet >= 0.0 && meet <= along_edge(q, e, b)) return FLAT_OVERLAP;
    }
    return edge_edge(w, i, to == after ? v : before, e, h);
}

/* All pairs of vertex and edge of polygons that do not overlap; returns the distance. */
static double try_all(flat_walk *w)
{
    double least = INFINITY;
    for (int i = 0; i < 2; i++)
        for (size_t v = 0; v < w->side[i].p->n; v++)
            for (size_t e = 0; e < w->side[1 - i].p->n; e++) {
                jo_feature feature[2];
                const double d = to_segment(w, i, v, e, feature);
                if (d >= least) continue;
                least = d;
                memcpy(w->feature, feature, sizeof feature);
            }
    return least;
}

/* ---- along a direction ---- */

/* The corner that is the lowest along n, climbing down from corner k. Edges are asked by direction,
 * not the corners' heights, of which the shortest edges lose all digits. */
static size_t lowest(const jo_polygon *p, const double n[2], size_t k)
{
    const size_t from = k;
    for (size_t moved = 0; moved < p->n && rise(p, k, n) < 0.0; moved++)
        k = following(p, k);
    if (k != from) return k;
    for (size_t moved = 0; moved < p->n && rise(p, previous(p, k), n) > 0.0; moved++)
        k = previous(p, k);
    return k;
}

/* How far the polygons are apart along n, in the frame of side j and away from it; below 0 if they
 * overlap along it. */
static double apart_along(const flat_walk *w, int j, const double n[2])
{
    const jo_polygon *p = w->side[1 - j].p, *q = w->side[j].p;
    const double down[2] = {-n[0], -n[1]};
    double m[2], x[2];
    across_turn(w, j, n, m);
    across(w, 1 - j, corner(p, lowest(p, m, w->feature[1 - j].index)), x);
    const double *y = corner(q, lowest(q, down, w->feature[j].index));
    return n[0] * (x[0] - y[0]) + n[1] * (x[1] - y[1]);
}

/* ---- depth ---- */

/* The normal of an edge, and the corner of the other polygon that is the deepest along it; a depth
 * below 0 separates the polygons. */
typedef struct flat_axis {
    double depth;
    jo_feature feature[2];
} flat_axis;

static void least_depth(const flat_walk *w, int i, flat_axis *least)
{
    const int j = 1 - i;
    const jo_polygon *p = w->side[i].p, *q = w->side[j].p;
    size_t far = 0;
    for (size_t e = 0; e < p->n; e++) {
        double n[2], x[2];
        across_turn(w, i, p->lines + 3 * e, n);
        /* It goes around as n does: each corner is passed once. */
        far = lowest(q, n, far);
        across(w, j, corner(q, far), x);
        const double depth = -height(p, e, x);
        if (depth >= least->depth) continue;
        least->depth = depth;
        least->feature[i] = (jo_feature){JO_FEATURE_EDGE, (uint32_t)e};
        least->feature[j] = (jo_feature){JO_FEATURE_VERTEX, (uint32_t)far};
    }
}

/* How far corner v of side i is beyond the ends of edge e of the other. */
static double beyond_ends(const flat_walk *w, int i, size_t v, size_t e)
{
    const jo_polygon *q = w->side[1 - i].p;
    double x[2];
    across(w, i, corner(w->side[i].p, v), x);
    const double s = along_edge(q, e, x), length = along_edge(q, e, corner(q, e + 1));
    return fmax(fmax(-s, s - length), 0.0);
}

/* Takes corner v of side i and edge e of the other for the axis, if they are as deep and v is less
 * far beyond the ends of e than `off`, which is what is returned otherwise. */
static double keep_nearer(const flat_walk *w, int i, size_t v, size_t e, double off,
                          flat_axis *axis)
{
    const jo_polygon *q = w->side[1 - i].p;
    const double level = 16.0 * w->slack, beyond = beyond_ends(w, i, v, e);
    double x[2];
    across(w, i, corner(w->side[i].p, v), x);
    const double above = height(q, e, x);
    if (beyond >= off || fabs(above + axis->depth) > level) return off;
    const bool deepest = apart_along(w, 1 - i, q->lines + 3 * e) >= above - level;
    if (!deepest) return off;
    axis->feature[i] = (jo_feature){JO_FEATURE_VERTEX, (uint32_t)v};
    axis->feature[1 - i] = (jo_feature){JO_FEATURE_EDGE, (uint32_t)e};
    return beyond;
}

/* The deepest corner of an axis can lie beyond the ends of the edge where it is a corner of an edge
 * flush with that one: rounding chose the corner. Then the other three ends of the two edges are
 * tried; of two edges that lie on each other, one has an end on the other. */
static void choose_end(const flat_walk *w, double touching, flat_axis *axis)
{
    const int i = axis->feature[0].kind == JO_FEATURE_VERTEX ? 0 : 1, j = 1 - i;
    const jo_polygon *p = w->side[i].p, *q = w->side[j].p;
    const size_t v = axis->feature[i].index, e = axis->feature[j].index;
    const size_t flush[2] = {v, previous(p, v)}, others[2] = {following(p, v), previous(p, v)};
    double off = beyond_ends(w, i, v, e);
    for (int k = 0; k < 2 && off > touching; k++) {
        off = keep_nearer(w, i, others[k], e, off, axis);
        off = keep_nearer(w, j, e, flush[k], off, axis);
        off = keep_nearer(w, j, following(q, e), flush[k], off, axis);
    }
}

/* ---- the query ---- */

static void open_walk(flat_walk *w, const jo_polygon *a, const jo_pose2 *pa, const jo_polygon *b,
                      const jo_pose2 *pb, const jo_feature_pair *pair)
{
    const double d[2] = {pb->at[0] - pa->at[0], pb->at[1] - pa->at[1]};
    const double c = pa->cosine * pb->cosine + pa->sine * pb->sine;
    const double s = pa->sine * pb->cosine - pa->cosine * pb->sine;
    w->side[0] = (flat_side){
        a, c, s, {-(pb->cosine * d[0] + pb->sine * d[1]), pb->sine * d[0] - pb->cosine * d[1]}};
    w->side[1] = (flat_side){
        b, c, -s, {pa->cosine * d[0] + pa->sine * d[1], pa->cosine * d[1] - pa->sine * d[0]}};
    w->slack = 1e-15 * (a->radius + b->radius + fabs(d[0]) + fabs(d[1]));
    w->iterations = 0;
    w->feature[0] = pair->a;
    w->feature[1] = pair->b;
    for (int i = 0; i < 2; i++)
        if (w->feature[i].kind < JO_FEATURE_VERTEX || w->feature[i].kind > JO_FEATURE_EDGE ||
            w->feature[i].index >= w->side[i].p->n)
            w->feature[i] = (jo_feature){JO_FEATURE_VERTEX, 0};
    if (w->feature[0].kind == JO_FEATURE_EDGE && w->feature[1].kind == JO_FEATURE_EDGE)
        w->feature[0].kind = JO_FEATURE_VERTEX; /* the edge's first corner has its number */
}

static flat_end run(flat_walk *w, uint32_t bound)
{
    while (w->iterations < bound) {
        w->iterations++;
        const bool edge0 = w->feature[0].kind == JO_FEATURE_EDGE;
        const bool edge1 = w->feature[1].kind == JO_FEATURE_EDGE;
        flat_end end;
        if (edge0 && edge1) { /* vertex_vertex may leave both, one after the other */
            w->feature[0].kind = JO_FEATURE_VERTEX;
            end = FLAT_ON;
        } else if (edge0 || edge1) {
            end = vertex_edge(w, edge0 ? 1 : 0);
        } else {
            end = vertex_vertex(w);
        }
        if (end != FLAT_ON) return end;
    }
    return FLAT_ON;
}

static void place(const jo_pose2 *pose, const double x[2], double y[3])
{
    y[0] = pose->at[0] + pose->cosine * x[0] - pose->sine * x[1];
    y[1] = pose->at[1] + pose->sine * x[0] + pose->cosine * x[1];
    y[2] = 0.0;
}

/* Unit vectors into the world: n looks from side j to the other in the frame of j. */
static void place_normal(const jo_pose2 *pose[2], int j, const double n[2], jo_closest *out)
{
    double world[3];
    place(&(jo_pose2){{0.0, 0.0}, pose[j]->cosine, pose[j]->sine}, n, world);
    for (int k = 0; k < 3; k++)
        out->normal[k] = j == 0 ? world[k] : -world[k];
}

/* Points and normal of the pair: the vertex's side is i, x its vertex and y the other's foot, both
 * in the frame of the other. Returns how far the polygons are apart along that normal. */
static double report(const flat_walk *w, const jo_pose2 *pose[2], jo_closest *out)
{
    const int i = w->feature[1].kind == JO_FEATURE_VERTEX && w->feature[0].kind == JO_FEATURE_EDGE;
    const int j = 1 - i;
    const jo_polygon *q = w->side[j].p;
    const size_t f = w->feature[j].index;
    const double *line = q->lines + 3 * f;
    double x[2], y[2], n[2], *on[2] = {out->on_a, out->on_b}, distance;
    across(w, i, corner(w->side[i].p, w->feature[i].index), x);
    if (w->feature[j].kind == JO_FEATURE_EDGE) {
        distance = height(q, f, x);
        memcpy(n, line, sizeof n);
        y[0] = x[0] - distance * n[0];
        y[1] = x[1] - distance * n[1];
    } else {
        memcpy(y, corner(q, f), sizeof y);
        n[0] = x[0] - y[0];
        n[1] = x[1] - y[1];
        distance = hypot(n[0], n[1]);
        n[0] = distance > 0.0 ? n[0] / distance : line[0];
        n[1] = distance > 0.0 ? n[1] / distance : line[1];
    }
    place(pose[i], corner(w->side[i].p, w->feature[i].index), on[i]);
    place(pose[j], y, on[j]);
    place_normal(pose, j, n, out);
    out->distance = fmax(distance, 0.0);
    return apart_along(w, j, n);
}

/* The normals of all edges tell whether the polygons overlap. */
static void ask_axes(flat_walk *w, const jo_pose2 *pose[2], double touching, jo_closest *out)
{
    flat_axis axis = {.depth = INFINITY};
    least_depth(w, 0, &axis);
    least_depth(w, 1, &axis);
    choose_end(w, touching, &axis);
    const int j = axis.feature[0].kind == JO_FEATURE_EDGE ? 0 : 1;
    const uint32_t v = axis.feature[1 - j].index, e = axis.feature[j].index;
    out->overlap = axis.depth > touching;
    if (!out->overlap) {
        /* The axis's own features are the nearest if they are no farther apart than the polygons
         * are along it. Sharp corners that point at each other can be well apart, but along no
         * edge's normal by more than rounding. */
        double distance = to_segment(w, 1 - j, v, e, w->feature);
        if (distance > 4.0 * w->slack - axis.depth) distance = try_all(w);
        out->overlap = axis.depth >= 0.0 && distance <= touching;
    }
    if (out->overlap) memcpy(w->feature, axis.feature, sizeof w->feature);
    const double apart = report(w, pose, out);
    if (out->overlap)
        out->distance = 0.0 - axis.depth;
    else if (apart < -axis.depth) /* the direction between points that near is rounding */
        place_normal(pose, j, w->side[j].p->lines + 3 * (size_t)e, out);
}

void jo_features_polygons(const jo_polygon *a, const jo_pose2 *pose_a, const jo_polygon *b,
                          const jo_pose2 *pose_b, jo_feature_pair *pair, jo_closest *out)
{
    const jo_pose2 *pose[2] = {pose_a, pose_b};
    const double size = a->radius + b->radius, touching = 1e-13 * size;
    flat_walk w;
    open_walk(&w, a, pose_a, b, pose_b, pair);
    bool shown = false;
    if (run(&w, (uint32_t)(64 + a->n + b->n)) == FLAT_APART) {
        const double apart = report(&w, pose, out);
        shown = out->distance > touching && apart >= out->distance * (1.0 - 1e-11) - 1e-14 * size;
        out->overlap = false;
    }
    if (!shown) ask_axes(&w, pose, touching, out);
    out->exact = out->proved = true; /* trying all is exact, too */
    out->iterations = w.iterations;
    out->features = *pair = (jo_feature_pair){w.feature[0], w.feature[1]};
}
