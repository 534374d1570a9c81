/* features.c — the closest features of two polyhedra, as callers see it.
 *
 * A query brings both bodies into each other's frame, starts the walk (walk.c) at the cached pair, or
 * without one at the vertices that the maps of directions name for the line between the centres, and
 * turns where it ends into points of the world. The walk looks at a bounded number of states, some
 * times the square root of the number of edges: if rounding makes it go in circles, GJK (gjk.c)
 * decides, the walk is given a second chance from the features that found, and if that fails, too,
 * GJK's points are the answer and `exact` is false. Overlaps are measured by depth.c.
 *
 * Cost: coherent, some hundred floating-point operations whatever the number of faces; otherwise
 * O(sqrt faces) with a small factor. No memory. */
#include "narrow/walk.h"

#include <string.h>

/* Of bodies that are this near, relative to their size, the two points give no direction. */
static const double touching = 1e-13;

void jo_pose_turn(jo_pose *pose, const double q[4])
{
    const double s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    double *r = pose->turn;
    r[0] = 1.0 - s * (y * y + z * z);
    r[1] = s * (x * y - w * z);
    r[2] = s * (x * z + w * y);
    r[3] = s * (x * y + w * z);
    r[4] = 1.0 - s * (x * x + z * z);
    r[5] = s * (y * z - w * x);
    r[6] = s * (x * z - w * y);
    r[7] = s * (y * z + w * x);
    r[8] = 1.0 - s * (x * x + y * y);
}

/* y = mᵀ x */
static void turn_back(const double m[9], const double x[3], double y[3])
{
    y[0] = m[0] * x[0] + m[3] * x[1] + m[6] * x[2];
    y[1] = m[1] * x[0] + m[4] * x[1] + m[7] * x[2];
    y[2] = m[2] * x[0] + m[5] * x[1] + m[8] * x[2];
}

void jo_walk_open(walk *w, const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                  const jo_pose *pose_b)
{
    const double *ra = pose_a->turn, *rb = pose_b->turn;
    double between[3];
    w->side[0].p = a;
    w->side[1].p = b;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double r = rb[i] * ra[j] + rb[3 + i] * ra[3 + j] + rb[6 + i] * ra[6 + j];
            w->side[0].turn[3 * i + j] = r;
            w->side[1].turn[3 * j + i] = r;
        }
    sub3(pose_b->at, pose_a->at, between);
    turn_back(ra, between, w->side[1].at);
    turn_back(rb, between, w->side[0].at);
    for (int k = 0; k < 3; k++)
        w->side[0].at[k] = -w->side[0].at[k];
    w->iterations = 0;
    w->meet = 0.0;
    w->slack =
        1e-15 * (a->radius + b->radius + fabs(between[0]) + fabs(between[1]) + fabs(between[2]));
}

/* ---- points of the final pair ---- */

static double square_between(const double p[3], const double u[3], double s, const double q[3],
                             const double v[3], double t)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double d = (p[k] - q[k]) + (s * u[k] - t * v[k]);
        sum += d * d;
    }
    return sum;
}

static double unit_interval(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

void jo_segments(const double p[3], const double u[3], const double q[3], const double v[3],
                 double *s, double *t)
{
    double r[3];
    sub3(p, q, r);
    const double a = dot3(u, u), b = dot3(u, v), c = dot3(v, v), d = dot3(u, r), e = dot3(v, r);
    const double det = a * c - b * b;
    if (det > 1e-6 * a * c) {
        *s = (b * e - c * d) / det;
        /* The foot of s, not its own quotient: an error of s then hardly shows in the difference. */
        *t = (b * *s + e) / c;
        if (*s > 0.0 && *s < 1.0 && *t > 0.0 && *t < 1.0) return;
    }
    /* At a boundary, or nearly parallel: the best of the four ends and, for what it is worth, of the
     * inner point; ends that are equally near mark where the segments run side by side. */
    double cand_s[5] = {0.0, 1.0, unit_interval(-d / a), unit_interval((b - d) / a), 0.0};
    double cand_t[5] = {unit_interval(e / c), unit_interval((e + b) / c), 0.0, 1.0, 0.0};
    int n = 4;
    if (det > 0.0) {
        cand_s[4] = unit_interval((b * e - c * d) / det);
        cand_t[4] = unit_interval((b * cand_s[4] + e) / c);
        n = 5;
    }
    double square[5], least = INFINITY, sum_s = 0.0, sum_t = 0.0, count = 0.0;
    for (int k = 0; k < n; k++) {
        square[k] = square_between(p, u, cand_s[k], q, v, cand_t[k]);
        if (square[k] < least) least = square[k];
    }
    double lo_s = 1.0, hi_s = 0.0;
    for (int k = 0; k < n; k++) {
        if (square[k] > least * (1.0 + 1e-14)) continue;
        lo_s = fmin(lo_s, cand_s[k]);
        hi_s = fmax(hi_s, cand_s[k]);
        sum_s += cand_s[k];
        sum_t += cand_t[k];
        count += 1.0;
    }
    if (count > 1.0 && hi_s > lo_s) {
        *s = 0.5 * (lo_s + hi_s);
        *t = unit_interval((b * *s + e) / c);
        return;
    }
    *s = sum_s / count;
    *t = sum_t / count;
}

/* Vertex of side i against a feature of side j: both points and the unit vector from the feature to
 * the vertex, in the frame of j; returns the distance. */
static double vertex_points(const walk *w, int i, double x[3], double y[3], double n[3])
{
    const int j = 1 - i;
    const jo_polyhedron *q = w->side[j].p;
    const jo_feature f = w->feature[j];
    walk_across(w, i, walk_point(w, i, w->feature[i].index), x);
    if (f.kind == JO_FEATURE_FACE) {
        const double *plane = q->planes + 4 * (size_t)f.index;
        const double height = dot3(plane, x) - plane[3];
        along3(x, -height, plane, y);
        memcpy(n, plane, 3 * sizeof *n);
        return height;
    }
    if (f.kind == JO_FEATURE_VERTEX)
        memcpy(y, walk_point(w, j, f.index), 3 * sizeof *y);
    else
        along3(walk_point(w, j, q->origin[f.index]), poly_side(q->walls[f.index].ve, x),
               q->walls[f.index].ve, y);
    sub3(x, y, n);
    return unit3(n);
}

static void edge_points(const walk *w, double x[3], double y[3], double square[3])
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const uint32_t e = w->feature[0].index, f = w->feature[1].index;
    const double *a = walk_point(w, 0, p->origin[e]);
    double u[3], b[3], b1[3], v[3], s, t;
    sub3(walk_point(w, 0, walk_head(p, e)), a, u);
    walk_across(w, 1, walk_point(w, 1, q->origin[f]), b);
    walk_across(w, 1, walk_point(w, 1, walk_head(q, f)), b1);
    sub3(b1, b, v);
    jo_segments(a, u, b, v, &s, &t);
    along3(a, s, u, x);
    along3(b, t, v, y);
    /* Directions as they are stored: those of u and v have lost digits by being moved. */
    turn3(w->side[1].turn, q->walls[f].ve, v);
    cross3(p->walls[e].ve, v, square);
}

/* The normal of two edges is square to both: better than the difference of points that are near each
 * other. Where edges cross at an angle t, rounding turns the one by 1e-16/t and the other by
 * size/distance times as much, but by no more than t size/distance. */
double jo_walk_points(const walk *w, double x[3], double y[3], double n[3])
{
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    double square[3];
    if (w->feature[0].kind == JO_FEATURE_VERTEX) { /* found in the frame of side 1 */
        double x1[3], y1[3], back[3];
        const double distance = vertex_points(w, 0, x1, y1, back);
        memcpy(x, walk_point(w, 0, w->feature[0].index), 3 * sizeof *x);
        walk_across(w, 1, y1, y);
        turn3(w->side[1].turn, back, n);
        for (int k = 0; k < 3; k++)
            n[k] = -n[k];
        return distance;
    }
    if (w->feature[1].kind == JO_FEATURE_VERTEX) return vertex_points(w, 1, y, x, n);
    edge_points(w, x, y, square);
    sub3(y, x, n);
    const double distance = unit3(n), sign = dot3(square, n) < 0.0 ? -1.0 : 1.0;
    if (distance < size && dot3(square, square) * size > 1e-15 * distance && unit3(square) > 0.0)
        for (int k = 0; k < 3; k++)
            n[k] = sign * square[k];
    return distance;
}

/* Whether rounding may have made a pair of features the closest: of thin bodies, whose Voronoi planes
 * are nearly square to all that matters, it can do so at a larger distance. */
static bool too_near(const walk *w, double distance)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const double size = p->radius + q->radius;
    return distance <= touching * size ||
           distance * fmin(p->inradius, q->inradius) <= 1e-14 * size * size;
}

/* Points that coincide but for rounding give no direction, and do not even tell that the bodies are
 * apart (two equal bodies in one place have their vertices in common): the least depth does. */
static walk_end look_closer(const walk *w, double n[3])
{
    walk copy = *w;
    double depth, x[3], y[3];
    jo_depth(&copy, &depth, n, x, y);
    return depth > touching * (w->side[0].p->radius + w->side[1].p->radius) ? WALK_OVERLAP
                                                                            : WALK_APART;
}

/* A point that both bodies have, in the frame of side 0, after the walk ended with WALK_OVERLAP: a
 * vertex that is inside, or where an edge goes through a face. */
static void common_point(const walk *w, double x[3])
{
    double in_own[3];
    const int i = w->feature[0].kind == JO_FEATURE_FACE ? 1 : 0; /* the side without the face */
    const jo_polyhedron *p = w->side[i].p;
    const jo_feature f = w->feature[i];
    if (f.kind == JO_FEATURE_VERTEX) {
        memcpy(in_own, walk_point(w, i, f.index), sizeof in_own);
    } else {
        const double *a = walk_point(w, i, p->origin[f.index]);
        double u[3];
        sub3(walk_point(w, i, walk_head(p, f.index)), a, u);
        along3(a, w->meet, u, in_own);
    }
    if (i == 0)
        memcpy(x, in_own, sizeof in_own);
    else
        walk_across(w, 1, in_own, x);
}

/* ---- queries ---- */

static bool known(const jo_polyhedron *p, jo_feature f)
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

static void begin(walk *w, const jo_feature_pair *pair)
{
    const jo_polyhedron *a = w->side[0].p, *b = w->side[1].p;
    w->feature[0] = pair->a;
    w->feature[1] = pair->b;
    if (known(a, pair->a) && known(b, pair->b)) return;
    w->feature[0] =
        (jo_feature){JO_FEATURE_VERTEX, a->map[poly_map_cell(w->side[1].at, a->map_size)]};
    w->feature[1] =
        (jo_feature){JO_FEATURE_VERTEX, b->map[poly_map_cell(w->side[0].at, b->map_size)]};
}

static uint32_t bound_of(const walk *w)
{
    return 100 + w->side[0].p->bound + w->side[1].p->bound;
}

/* What the walk could not end. */
static walk_end second_chance(walk *w, jo_closest *out, double x[3], double y[3], double n[3])
{
    const walk_end found = jo_gjk(w, x, y);
    const jo_feature kept[2] = {w->feature[0], w->feature[1]};
    if (found == WALK_OVERLAP) return found;
    const walk_end end = jo_walk(w, 64);
    if (end == WALK_APART) out->distance = jo_walk_points(w, x, y, n);
    if (end == WALK_OVERLAP) common_point(w, x);
    if (end != WALK_BOUND) return end;
    w->feature[0] = kept[0];
    w->feature[1] = kept[1];
    sub3(y, x, n);
    out->distance = unit3(n);
    out->exact = false;
    return WALK_APART;
}

static void to_world(const jo_pose *pose, const double x[3], double y[3])
{
    turn3(pose->turn, x, y);
    for (int k = 0; k < 3; k++)
        y[k] += pose->at[k];
}

typedef enum depth_kind { DEPTH_NONE, DEPTH_LEAST, DEPTH_FOLLOWED } depth_kind;

static void query(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                  const jo_pose *pose_b, depth_kind kind, jo_feature_pair *pair, jo_closest *out)
{
    walk w;
    double x[3], y[3], n[3] = {0};
    jo_walk_open(&w, a, pose_a, b, pose_b);
    begin(&w, pair);
    const jo_feature from[2] = {w.feature[0], w.feature[1]};
    out->exact = true;
    walk_end end = jo_walk(&w, bound_of(&w));
    if (end == WALK_APART)
        out->distance = jo_walk_points(&w, x, y, n);
    else if (end == WALK_BOUND)
        end = second_chance(&w, out, x, y, n);
    else
        common_point(&w, x);
    if (end == WALK_APART && too_near(&w, out->distance)) end = look_closer(&w, n);
    out->overlap = end == WALK_OVERLAP;
    out->proved = true;
    if (out->overlap) {
        double depth = 0.0;
        memcpy(y, x, sizeof y);
        out->proved = false;
        if (kind != DEPTH_FOLLOWED || !jo_follow(&w, from, &depth, n, x, y)) {
            out->proved = kind != DEPTH_NONE && jo_depth(&w, &depth, n, x, y);
            if (kind != DEPTH_NONE) out->exact = out->exact && out->proved;
        }
        out->distance = -depth;
    }
    to_world(pose_a, x, out->on_a);
    to_world(pose_a, y, out->on_b);
    turn3(pose_a->turn, n, out->normal);
    out->iterations = w.iterations;
    out->features = *pair = (jo_feature_pair){w.feature[0], w.feature[1]};
}

void jo_features_distance(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                          const jo_pose *pose_b, jo_feature_pair *pair, jo_closest *out)
{
    query(a, pose_a, b, pose_b, DEPTH_NONE, pair, out);
}

void jo_features_contact(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                         const jo_pose *pose_b, jo_feature_pair *pair, jo_closest *out)
{
    query(a, pose_a, b, pose_b, DEPTH_LEAST, pair, out);
}

void jo_features_follow(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                        const jo_pose *pose_b, jo_feature_pair *pair, jo_closest *out)
{
    query(a, pose_a, b, pose_b, DEPTH_FOLLOWED, pair, out);
}
