/* The closest features of convex polygons against brute force in long double.
 *
 * Pairs made to be hard: a corner exactly on an edge or a corner, edges flush on each other but for
 * a tilt of 1e-14 to 1e-3 and a gap or an overlap of any size, needles, corners that nearly
 * coincide, in one place; and random ones. Each is asked without a start, from random pairs of
 * features and again from its own answer. Demanded, within 1e-10 of the distance + 1e-13 of the
 * size: the distance is that of all corners from all edges, or the depth the least over the normals
 * of all edges; both points are on their polygon and on the feature told; the normal leads from the
 * one to the other, and the polygons are as far apart along it as told.
 *
 *   JOSTLE_FEATURES_PAIRS=1000000 test_polygon_features     as many pairs; 40,000 by itself
 *   JOSTLE_FEATURES_CASE=k                                  one pair alone */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "jostle/features.h"
#include "support/draws.h"

enum { CORNERS_MAX = 16, STARTS = 5 };

typedef struct flat_body {
    jo_polygon *shape;
    jo_polygon_view v;
    jo_pose2 pose;
    long double x[CORNERS_MAX][2]; /* corners in the world */
} flat_body;

typedef struct truth {
    long double apart;    /* along the best edge's normal; below 0: minus the least depth */
    long double distance; /* of corners from edges */
} truth;

/* ---- polygons ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A square, or corners of an ellipse, which may be a needle; some have corners very near each
 * other. */
static bool make_polygon(random_stream *r, jo_polygon **shape)
{
    const double square[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
    double angle[CORNERS_MAX], points[2 * CORNERS_MAX];
    jo_error error;
    if (below(r, 6) == 0) return jo_polygon_create(square, 4, shape, &error) == JO_OK;
    const size_t n = 3 + below(r, CORNERS_MAX - 2);
    const double wide = below(r, 5) == 0 ? pow(10.0, 2.0 * either(r)) : 1.0;
    const double thin = below(r, 3) == 0 ? pow(10.0, -5.0 * jo_random_uniform(r)) : 1.0;
    const bool regular = below(r, 4) == 0;
    for (size_t k = 0; k < n; k++)
        angle[k] = 6.283185307179586 * (regular ? (double)k / (double)n : jo_random_uniform(r));
    if (below(r, 6) == 0) angle[1] = angle[0] + any_size(r, -9.0, -3.0);
    qsort(angle, n, sizeof *angle, by_size);
    for (size_t k = 0; k < n; k++) {
        points[2 * k] = wide * cos(angle[k]);
        points[2 * k + 1] = wide * thin * sin(angle[k]);
    }
    return jo_polygon_create(points, n, shape, &error) == JO_OK;
}

static void make_body(random_stream *r, flat_body *b)
{
    while (!make_polygon(r, &b->shape))
        continue;
    b->v = jo_polygon_look(b->shape);
}

static void turn(const jo_pose2 *pose, const double x[2], long double y[2])
{
    y[0] = (long double)pose->cosine * x[0] - (long double)pose->sine * x[1];
    y[1] = (long double)pose->sine * x[0] + (long double)pose->cosine * x[1];
}

static void set_corners(flat_body *b)
{
    for (size_t k = 0; k < b->v.n; k++) {
        turn(&b->pose, b->v.points + 2 * k, b->x[k]);
        for (int c = 0; c < 2; c++)
            b->x[k][c] += b->pose.at[c];
    }
}

static const long double *head(const flat_body *b, size_t edge)
{
    return b->x[(edge + 1) % b->v.n];
}

static void set_angle(jo_pose2 *pose, double angle)
{
    pose->cosine = cos(angle);
    pose->sine = sin(angle);
}

/* The corner of b that is the lowest along `up`. */
static size_t lowest(const flat_body *b, const long double up[2])
{
    size_t best = 0;
    for (size_t k = 1; k < b->v.n; k++)
        if (up[0] * (b->x[k][0] - b->x[best][0]) + up[1] * (b->x[k][1] - b->x[best][1]) < 0.0L)
            best = k;
    return best;
}

/* The second with a corner or, if flush, one of its edges on an edge or a corner of the first. */
static void lay_on(random_stream *r, flat_body *a, flat_body *b)
{
    const size_t e = below(r, a->v.n), f = below(r, b->v.n);
    const double *n = a->v.lines + 3 * e, *last = a->v.lines + 3 * ((e + a->v.n - 1) % a->v.n);
    const double *m = b->v.lines + 3 * f;
    const bool flush = below(r, 3) > 0, corners = below(r, 3) == 0;
    const double size = a->v.radius + b->v.radius, mixed = jo_random_uniform(r);
    const double gap = below(r, 2) == 0 ? 0.0 : size * any_size(r, -17.0, -1.0);
    double angle = 3.141592653589793 * either(r), out[2];
    long double up[2];
    for (int c = 0; c < 2; c++)
        out[c] = corners ? mixed * n[c] + (1.0 - mixed) * last[c] : n[c];
    turn(&a->pose, out, up);
    if (flush) {
        angle = (double)atan2l(up[1], up[0]) + 3.141592653589793 - atan2(m[1], m[0]);
        if (below(r, 3) > 0) angle += any_size(r, -14.0, -3.0);
    }
    set_angle(&b->pose, angle);
    b->pose.at[0] = b->pose.at[1] = 0.0;
    set_corners(b);
    const long double share = corners ? 0.0L : jo_random_uniform(r);
    const long double *y = b->x[flush ? f : lowest(b, up)];
    for (int c = 0; c < 2; c++) {
        const long double x = a->x[e][c] + share * (head(a, e)[c] - a->x[e][c]);
        b->pose.at[c] = (double)(x - y[c] + gap * up[c] / hypotl(up[0], up[1]));
    }
}

static void make_pair(uint64_t number, flat_body *a, flat_body *b, random_stream *r)
{
    *r = jo_random_start(33, number);
    make_body(r, a);
    make_body(r, b);
    a->pose.at[0] = either(r);
    a->pose.at[1] = either(r);
    set_angle(&a->pose, below(r, 3) == 0 ? 0.0 : 3.141592653589793 * either(r));
    b->pose = a->pose;
    set_corners(a);
    const double reach = (a->v.radius + b->v.radius) * jo_random_uniform(r);
    switch (below(r, 6)) {
    case 0:
        set_angle(&b->pose, 3.141592653589793 * either(r));
        b->pose.at[0] += reach * either(r);
        b->pose.at[1] += reach * either(r);
        break;
    case 1: /* in one place, or nearly */
        if (below(r, 2) == 0) b->pose.at[0] += reach * any_size(r, -17.0, 0.0);
        break;
    default:
        lay_on(r, a, b);
    }
    set_corners(b);
}

/* ---- brute force ---- */

static long double from_edge(const flat_body *b, size_t edge, const long double x[2])
{
    const long double *p = b->x[edge], *q = head(b, edge);
    const long double u[2] = {q[0] - p[0], q[1] - p[1]}, d[2] = {x[0] - p[0], x[1] - p[1]};
    const long double s = (u[0] * d[0] + u[1] * d[1]) / (u[0] * u[0] + u[1] * u[1]);
    const long double t = fminl(fmaxl(s, 0.0L), 1.0L);
    return hypotl(d[0] - t * u[0], d[1] - t * u[1]);
}

static long double above_edge(const flat_body *b, size_t edge, const long double x[2])
{
    const long double *p = b->x[edge], *q = head(b, edge);
    const long double u[2] = {q[0] - p[0], q[1] - p[1]};
    return (u[1] * (x[0] - p[0]) - u[0] * (x[1] - p[1])) / hypotl(u[0], u[1]);
}

static truth find_truth(const flat_body *a, const flat_body *b)
{
    truth t = {-INFINITY, INFINITY};
    const flat_body *body[2] = {a, b};
    for (int i = 0; i < 2; i++)
        for (size_t e = 0; e < body[i]->v.n; e++) {
            long double least = INFINITY;
            for (size_t k = 0; k < body[1 - i]->v.n; k++) {
                least = fminl(least, above_edge(body[i], e, body[1 - i]->x[k]));
                t.distance = fminl(t.distance, from_edge(body[i], e, body[1 - i]->x[k]));
            }
            t.apart = fmaxl(t.apart, least);
        }
    return t;
}

/* ---- answers ---- */

static long double from_feature(const flat_body *b, jo_feature f, const double point[3])
{
    const long double x[2] = {point[0], point[1]};
    assert_true(f.index < b->v.n);
    if (f.kind == JO_FEATURE_EDGE) return from_edge(b, f.index, x);
    assert_int_equal(f.kind, JO_FEATURE_VERTEX);
    return hypotl(x[0] - b->x[f.index][0], x[1] - b->x[f.index][1]);
}

static long double apart_along(const flat_body *a, const flat_body *b, const double n[3])
{
    long double most = -INFINITY, least = INFINITY;
    for (size_t k = 0; k < a->v.n; k++)
        most = fmaxl(most, n[0] * a->x[k][0] + n[1] * a->x[k][1]);
    for (size_t k = 0; k < b->v.n; k++)
        least = fminl(least, n[0] * b->x[k][0] + n[1] * b->x[k][1]);
    return least - most;
}

/* Largest errors, in units of what is allowed. */
typedef struct tally {
    uint64_t asked, overlaps;
    long double distance, along, points, vector;
} tally;

/* What is wrong with an answer; NULL: nothing. */
static const char *judge(const flat_body *a, const flat_body *b, const truth *t,
                         const jo_closest *o, tally *sum)
{
    const long double size = a->v.radius + b->v.radius;
    const long double is = t->apart > 0.0L ? t->distance : t->apart;
    const long double within = 1e-10L * fabsl(is) + 1e-13L * size;
    const double *n = o->normal;
    const long double distance = fabsl(o->distance - is) / within;
    const long double along = fabsl(o->distance - apart_along(a, b, n)) / within;
    const long double points =
        fmaxl(from_feature(a, o->features.a, o->on_a), from_feature(b, o->features.b, o->on_b)) /
        within;
    const long double vector = hypotl(o->on_b[0] - o->on_a[0] - (long double)o->distance * n[0],
                                      o->on_b[1] - o->on_a[1] - (long double)o->distance * n[1]) /
                               (2.0L * within);
    sum->asked++;
    sum->overlaps += o->overlap;
    sum->distance = fmaxl(sum->distance, distance);
    sum->along = fmaxl(sum->along, along);
    sum->points = fmaxl(sum->points, points);
    sum->vector = fmaxl(sum->vector, vector);
    if (!o->exact || !o->proved) return "not exact";
    if (!(distance <= 1.0L)) return "the distance";
    if (o->overlap != (is <= 0.0L) && fabsl(is) > within) return "whether they overlap";
    if (o->overlap ? o->distance > 0.0 : o->distance < 0.0) return "the sign of the distance";
    if (!(fabs(hypot(n[0], n[1]) - 1.0) <= 1e-14)) return "the normal's length";
    if (!(along <= 1.0L)) return "how far they are apart along the normal";
    if (!(points <= 1.0L)) return "a point that is not on its feature";
    return vector <= 1.0L ? NULL : "the points are not apart along the normal";
}

static void show(const flat_body *b)
{
    const jo_pose2 *p = &b->pose;
    print_message("at (%.17g, %.17g) turned by (%.17g, %.17g):", p->at[0], p->at[1], p->cosine,
                  p->sine);
    for (size_t k = 0; k < b->v.n; k++)
        print_message(" %.17g,%.17g,", b->v.points[2 * k], b->v.points[2 * k + 1]);
    print_message("\n");
}

static int check_pair(uint64_t number, tally *sum)
{
    random_stream r;
    flat_body a, b;
    jo_feature_pair start = {0}, pair;
    int faults = 0;
    make_pair(number, &a, &b, &r);
    const truth t = find_truth(&a, &b);
    for (int s = 0; s < STARTS; s++) {
        jo_closest o;
        pair = start;
        jo_features_polygons(a.shape, &a.pose, b.shape, &b.pose, &pair, &o);
        const char *fault = judge(&a, &b, &t, &o, sum);
        if (fault != NULL && faults++ == 0) {
            print_message(
                "pair %" PRIu64 " from %u:%u %u:%u: %s; told %.10g, overlap %d, features "
                "%u:%u %u:%u; apart by %.10Lg, corners from edges %.10Lg, apart along the "
                "normal by %.10Lg\n",
                number, start.a.kind, start.a.index, start.b.kind, start.b.index, fault, o.distance,
                o.overlap, o.features.a.kind, o.features.a.index, o.features.b.kind,
                o.features.b.index, t.apart, t.distance, apart_along(&a, &b, o.normal));
            show(&a);
            show(&b);
        }
        if (s == STARTS - 2) {
            start = pair; /* its own answer */
        } else {
            start.a = (jo_feature){1 + (uint32_t)below(&r, 2), (uint32_t)below(&r, a.v.n)};
            start.b = (jo_feature){1 + (uint32_t)below(&r, 2), (uint32_t)below(&r, b.v.n)};
        }
    }
    jo_polygon_destroy(a.shape);
    jo_polygon_destroy(b.shape);
    return faults;
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void pairs(void **state)
{
    (void)state;
    const uint64_t one = number_from("JOSTLE_FEATURES_CASE", UINT64_MAX);
    const uint64_t first = one == UINT64_MAX ? 0 : one;
    const uint64_t end = one == UINT64_MAX ? number_from("JOSTLE_FEATURES_PAIRS", 40000) : one + 1;
    tally sum = {0};
    int wrong = 0;
    for (uint64_t k = first; k < end && wrong < 20; k++)
        wrong += check_pair(k, &sum) > 0;
    print_message("%" PRIu64 " queries, %" PRIu64 " overlaps; largest errors, of what is allowed: "
                  "distance %.2Lg, along the normal %.2Lg, points %.2Lg, between them %.2Lg\n",
                  sum.asked, sum.overlaps, sum.distance, sum.along, sum.points, sum.vector);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
