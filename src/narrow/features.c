/* features.c — the closest features of two polyhedra, as callers see it.
 *
 * A query brings both bodies into each other's frame, starts the walk (walk.c) at the cached pair,
 * or without one at the vertices that the maps of directions name for the line between the centres,
 * and turns where it ends into points of the world. The walk looks at a bounded number of states,
 * some times the square root of the number of edges: if rounding makes it go in circles, GJK
 * (gjk.c) decides, the walk is given a second chance from the features that found, and if that
 * fails, too, GJK's points are the answer and `exact` is false. Overlaps are measured by depth.c.
 *
 * Cost: coherent, some hundred floating-point operations whatever the number of faces; otherwise
 * O(sqrt faces) with a small factor. No memory. */
#include "narrow/walk.h"

#include <string.h>

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

/* ---- points ---- */

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
    double r[3], square[3], rv[3];
    sub3(p, q, r);
    cross3(u, v, square);
    cross3(r, v, rv);
    const double a = dot3(u, u), b = dot3(u, v), c = dot3(v, v), d = dot3(u, r), e = dot3(v, r);
    /* By the product u × v, which of segments at an angle t loses 1/t in digits, and not 1/t² as
     * a c - b² does. */
    const double det = dot3(square, square), across = -dot3(rv, square);
    if (det > 1e-6 * a * c) {
        *s = across / det;
        /* The foot of s, not its own quotient: an error of s then hardly shows in the
         * difference. */
        *t = (b * *s + e) / c;
        if (*s > 0.0 && *s < 1.0 && *t > 0.0 && *t < 1.0) return;
    }
    /* At a boundary, or nearly parallel: the best of the four ends and, for what it is worth, of
     * the inner point; ends that are equally near mark where the segments run side by side. */
    double cand_s[5] = {0.0, 1.0, unit_interval(-d / a), unit_interval((b - d) / a), 0.0};
    double cand_t[5] = {unit_interval(e / c), unit_interval((e + b) / c), 0.0, 1.0, 0.0};
    int n = 4;
    if (det > 0.0) {
        cand_s[4] = unit_interval(across / det);
        cand_t[4] = unit_interval((b * cand_s[4] + e) / c);
        n = 5;
    }
    double off[5], least = INFINITY, sum_s = 0.0, sum_t = 0.0, count = 0.0;
    for (int k = 0; k < n; k++) {
        off[k] = square_between(p, u, cand_s[k], q, v, cand_t[k]);
        if (off[k] < least) least = off[k];
    }
    double lo_s = 1.0, hi_s = 0.0;
    for (int k = 0; k < n; k++) {
        if (off[k] > least * (1.0 + 1e-14)) continue;
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

void jo_common_point(const walk *w, double x[3])
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

/* What the walk could not end. */
static walk_end second_chance(walk *w, jo_closest *out, double x[3], double y[3], double n[3])
{
    const walk_end found = jo_gjk(w, x, y);
    const jo_feature kept[2] = {w->feature[0], w->feature[1]};
    if (found == WALK_OVERLAP) return found;
    const walk_end end = jo_walk(w, 64);
    if (end == WALK_APART) out->distance = jo_walk_points(w, x, y, n);
    if (end == WALK_OVERLAP) jo_common_point(w, x);
    if (end != WALK_BOUND) return end;
    w->feature[0] = kept[0];
    w->feature[1] = kept[1];
    sub3(y, x, n);
    out->distance = unit3(n);
    out->exact = false;
    return WALK_APART;
}

typedef enum depth_kind { DEPTH_NONE, DEPTH_LEAST, DEPTH_FOLLOWED } depth_kind;

size_t jo_walk_levels(const walk_level *levels[3])
{
    size_t n = 0;
    levels[n++] = &jo_walk_plain;
#ifdef JO_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi"))
        levels[n++] = &jo_walk_avx2;
#endif
#ifdef JO_HAVE_AVX512
    if (n == 2 && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2"))
        levels[n++] = &jo_walk_avx512;
#endif
    return n;
}

/* The quickest one, asked for once. Threads that ask at the same time get the same answer. */
static inline const walk_level *level(void)
{
    static const walk_level *quickest;
    const walk_level *known = __atomic_load_n(&quickest, __ATOMIC_RELAXED);
    if (known != NULL) return known;
    const walk_level *levels[3];
    known = levels[jo_walk_levels(levels) - 1];
    __atomic_store_n(&quickest, known, __ATOMIC_RELAXED);
    return known;
}

bool jo_least_axis(const walk *w, const jo_feature from[2], double known, bool overlap,
                   walk_axis *best)
{
    return level()->least_axis(w, from, known, overlap, best);
}

/* The depth of an overlap, along the axis that is followed; where there is none, or where that is
 * deep and another way out may have become the shorter one, the least of all. */
static double measure(walk *w, depth_kind kind, double n[3], double x[3], double y[3],
                      jo_closest *out)
{
    const double deep = walk_deep * fmin(w->side[0].p->inradius, w->side[1].p->inradius);
    double depth = 0.0;
    out->proved = false;
    if (kind == DEPTH_NONE) return 0.0;
    if (kind == DEPTH_FOLLOWED && jo_follow(w, w->start, &depth, n, x, y) && depth <= deep)
        return depth;
    out->proved = jo_depth(w, &depth, n, x, y);
    out->exact = out->exact && out->proved;
    return fmax(depth, 0.0); /* bodies that touch, and overlap by rounding alone */
}

/* Overlaps, and what the walk alone could not decide. */
static void finish(walk *w, walk_end end, const jo_pose *pose_a, depth_kind kind,
                   jo_feature_pair *pair, jo_closest *out)
{
    double x[3], y[3], n[3] = {0};
    out->exact = true;
    if (end == WALK_BOUND)
        end = second_chance(w, out, x, y, n);
    else if (end == WALK_NEAR)
        out->distance = jo_walk_points(w, x, y, n);
    else
        jo_common_point(w, x);
    if (end == WALK_NEAR || end == WALK_APART) {
        end = WALK_APART;
        if (!out->exact || walk_near(w, out->distance) || !walk_shown(w))
            end = jo_look_elsewhere(w, &out->distance, x, y, n, &out->exact);
    }
    out->overlap = end == WALK_OVERLAP;
    out->proved = true;
    if (out->overlap) {
        memcpy(y, x, sizeof y);
        out->distance = 0.0 - measure(w, kind, n, x, y, out); /* 0, not -0 */
    }
    walk_to_world(pose_a, x, out->on_a);
    walk_to_world(pose_a, y, out->on_b);
    turn3(pose_a->turn, n, out->normal);
    out->iterations = w->iterations;
    out->features = *pair = (jo_feature_pair){w->feature[0], w->feature[1]};
}

static void query(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                  const jo_pose *pose_b, depth_kind kind, jo_feature_pair *pair, jo_closest *out)
{
    walk w;
    walk_query *ask = kind == DEPTH_NONE ? level()->apart : level()->contact;
    const walk_end end = ask(&w, a, pose_a, b, pose_b, pair, out);
    if (end != WALK_APART && end != WALK_FOLLOWED) finish(&w, end, pose_a, kind, pair, out);
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
    walk w;
    if (pair->a.kind == JO_FEATURE_NONE) {
        query(a, pose_a, b, pose_b, DEPTH_FOLLOWED, pair, out);
        return;
    }
    const walk_end end = level()->follow(&w, a, pose_a, b, pose_b, pair, out);
    if (end != WALK_APART && end != WALK_FOLLOWED)
        finish(&w, end, pose_a, DEPTH_FOLLOWED, pair, out);
}
