/* The closest features of convex polyhedra against proofs and brute force in long double.
 *
 * Pairs of shapes and poses, random and made to be hard: parallel faces and edges, a vertex over
 * the middle of a face, touching exactly, deep, concentric, needles and plates (aspect 1000),
 * coplanar faces, hulls of 10^5 faces. Each is asked without a start, from a random pair of
 * features and again from its own answer. Every answer is proved (support/convex_judge.h), some are
 * compared with brute force over all pairs of features, every small overlap with brute force over
 * all axes.
 *
 *   JOSTLE_FEATURES_PAIRS=1000000 test_features_oracle     as many pairs; a share of 20,000 by
 * itself JOSTLE_FEATURES_FROM=k                                 beginning with pair k
 *   JOSTLE_FEATURES_KIND=k                                 one kind alone, of the twelve in
 * make_pair JOSTLE_FEATURES_CASE=k                                 one pair alone */
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
#include "support/convex_judge.h"

enum { KINDS = 12, SHAPES_MAX = 64, LARGE_MAX = 8 };

typedef struct fixture {
    jo_polyhedron *small[SHAPES_MAX], *thin[SHAPES_MAX], *large[LARGE_MAX];
    size_t n_small, n_thin, n_large;
} fixture;

typedef struct pair_case {
    const jo_polyhedron *a, *b;
    jo_pose pose_a, pose_b;
    const char *kind;
} pair_case;

/* ---- shapes ---- */

static jo_polyhedron *solid(const char *name, double radius, size_t sides, double height)
{
    const jo_solid_def def = {name, radius, sides, height};
    jo_polyhedron *p;
    jo_error error = {0};
    if (jo_polyhedron_solid(&def, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static jo_polyhedron *rock(size_t faces, double x, double y, double z, double rough, uint64_t seed)
{
    const jo_rock_def def = {faces, {x, y, z}, rough, seed};
    jo_polyhedron *p;
    jo_error error = {0};
    if (jo_polyhedron_rock(&def, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static fixture make_shapes(void)
{
    fixture f = {.n_small = 0};
    for (const char *const *name = jo_solid_names(); *name != NULL; name++)
        f.small[f.n_small++] = solid(*name, 1.0, 6, 1.0);
    f.small[f.n_small++] = solid("prism", 0.7, 3, 1.5);
    f.small[f.n_small++] = solid("prism", 1.0, 17, 0.6);
    f.thin[f.n_thin++] = solid("prism", 1.0, 5, 1000.0);
    f.thin[f.n_thin++] = solid("prism", 500.0, 7, 1.0);
    f.thin[f.n_thin++] = solid("prism", 1.0, 4, 300.0);
    if (!jo_hulls_available()) return f;
    static const size_t faces[] = {4, 6, 8, 12, 20, 32, 40, 60, 80};
    for (size_t k = 0; k < sizeof faces / sizeof *faces; k++)
        for (uint64_t seed = 0; seed < 3; seed++)
            f.small[f.n_small++] = rock(faces[k], 1.0, seed == 1 ? 0.6 : 1.0, seed == 2 ? 0.3 : 1.0,
                                        0.5 * (double)seed, seed + 100 * k);
    f.thin[f.n_thin++] = rock(20, 1000.0, 1.0, 1.0, 0.5, 3);
    f.thin[f.n_thin++] = rock(40, 1000.0, 1000.0, 1.0, 0.5, 4);
    f.thin[f.n_thin++] = rock(80, 1.0, 30.0, 1000.0, 1.0, 5);
    f.large[f.n_large++] = rock(920, 1.0, 1.0, 1.0, 0.5, 6);
    f.large[f.n_large++] = rock(5000, 1.0, 0.8, 0.6, 1.0, 7);
    f.large[f.n_large++] = rock(100000, 1.0, 1.0, 1.0, 0.5, 8);
    f.large[f.n_large++] = rock(100000, 1.0, 0.7, 0.5, 1.0, 9);
    return f;
}

static void free_shapes(fixture *f)
{
    for (size_t k = 0; k < f->n_small; k++)
        jo_polyhedron_destroy(f->small[k]);
    for (size_t k = 0; k < f->n_thin; k++)
        jo_polyhedron_destroy(f->thin[k]);
    for (size_t k = 0; k < f->n_large; k++)
        jo_polyhedron_destroy(f->large[k]);
}

/* ---- poses ---- */

static void turn_at_random(random_stream *r, jo_pose *pose)
{
    double q[4];
    for (int k = 0; k < 4; k++)
        q[k] = jo_random_normal(r);
    jo_pose_turn(pose, q);
}

static void direction(random_stream *r, double n[3])
{
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
        n[k] = jo_random_normal(r);
        length += n[k] * n[k];
    }
    for (int k = 0; k < 3; k++)
        n[k] /= sqrt(length);
}

static void turn(const double m[9], const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++)
        y[k] = m[3 * k] * x[0] + m[3 * k + 1] * x[1] + m[3 * k + 2] * x[2];
}

static double reach(const jo_polyhedron *p, const jo_pose *pose, const double n[3])
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    double most = -INFINITY;
    for (size_t k = 0; k < v.vertices; k++) {
        double y[3];
        turn(pose->turn, v.points + 3 * k, y);
        most = fmax(most, y[0] * n[0] + y[1] * n[1] + y[2] * n[2]);
    }
    return most;
}

/* Puts b before a along n so that their planes across n are `gap` apart, moved sideways at will. */
static void put_along(pair_case *c, const double n[3], double gap, const double side[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double total = reach(c->a, &c->pose_a, n) + reach(c->b, &c->pose_b, back) + gap;
    const double along = side[0] * n[0] + side[1] * n[1] + side[2] * n[2];
    for (int k = 0; k < 3; k++)
        c->pose_b.at[k] = c->pose_a.at[k] + total * n[k] + side[k] - along * n[k];
}

static void axis_turn(jo_pose *pose, int axis, double angle)
{
    double q[4] = {cos(0.5 * angle), 0.0, 0.0, 0.0};
    q[1 + axis] = sin(0.5 * angle);
    jo_pose_turn(pose, q);
}

/* Turns a pose so that the body's direction d looks along the world's n. */
static void turn_towards(jo_pose *pose, const double d[3], const double n[3])
{
    const double c = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
    double q[4] = {1.0 + c, d[1] * n[2] - d[2] * n[1], d[2] * n[0] - d[0] * n[2],
                   d[0] * n[1] - d[1] * n[0]};
    if (c < -0.999999) {
        q[0] = 0.0;
        q[1] = fabs(d[0]) < 0.9 ? 0.0 : -d[1];
        q[2] = fabs(d[0]) < 0.9 ? -d[2] : d[0];
        q[3] = fabs(d[0]) < 0.9 ? d[1] : 0.0;
    }
    jo_pose_turn(pose, q);
}

static const jo_polyhedron *pick(random_stream *r, jo_polyhedron *const *from, size_t n)
{
    return from[jo_random_bits(r) % n];
}

static const double right_angle = 1.5707963267948966;

/* Pair k: its kind goes around, the rest is random. */
static pair_case make_pair(const fixture *f, uint64_t k, bool *large)
{
    random_stream r = jo_random_start(20, k);
    pair_case c = {.a = pick(&r, f->small, f->n_small), .b = pick(&r, f->small, f->n_small)};
    double n[3], side[3];
    const double u = jo_random_uniform(&r);
    turn_at_random(&r, &c.pose_a);
    turn_at_random(&r, &c.pose_b);
    direction(&r, n);
    direction(&r, side);
    *large = false;
    switch (k % KINDS) {
    case 0:
        c.kind = "random, apart or not";
        for (int i = 0; i < 3; i++)
            c.pose_b.at[i] = 2.2 * u * n[i];
        break;
    case 1:
        c.kind = "parallel faces";
        axis_turn(&c.pose_a, 0, right_angle * (double)(jo_random_bits(&r) % 4));
        axis_turn(&c.pose_b, 1, right_angle * (double)(jo_random_bits(&r) % 4));
        c.a = f->small[k % 2 == 0 ? 1 : 5];
        c.b = f->small[u < 0.5 ? 1 : 5];
        n[0] = n[1] = 0.0, n[2] = 1.0;
        for (int i = 0; i < 3; i++)
            side[i] = 0.25 * floor(5.0 * side[i]);
        put_along(&c, n, u < 0.3 ? 0.0 : u - 0.4, side);
        break;
    case 2:
        c.kind = "parallel edges";
        c.a = f->small[1];
        c.b = f->small[u < 0.5 ? 1 : 6];
        axis_turn(&c.pose_a, 0, 0.5 * right_angle);
        axis_turn(&c.pose_b, 0, 0.5 * right_angle + 0.3 * (u - 0.5));
        n[0] = 0.0, n[1] = 0.0, n[2] = 1.0;
        put_along(&c, n, 0.2 * u, side);
        break;
    case 3: {
        c.kind = "vertex over the middle of a face";
        const jo_polyhedron_view v = jo_polyhedron_look(c.a), w = jo_polyhedron_look(c.b);
        const size_t face = jo_random_bits(&r) % v.faces, vertex = jo_random_bits(&r) % w.vertices;
        const double *x = w.points + 3 * vertex;
        double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), back[3], d[3], zero[3] = {0};
        turn(c.pose_a.turn, v.planes + 4 * face, n);
        for (int i = 0; i < 3; i++) {
            back[i] = -n[i];
            d[i] = x[i] / length;
        }
        turn_towards(&c.pose_b, d, back);
        put_along(&c, n, u < 0.2 ? 0.0 : u - 0.3, zero);
        break;
    }
    case 4:
        c.kind = "touching exactly";
        put_along(&c, n, 0.0, (const double[3]){0.0, 0.0, 0.0});
        break;
    case 5:
        c.kind = "deep";
        for (int i = 0; i < 3; i++)
            c.pose_b.at[i] = 0.4 * u * n[i];
        break;
    case 6:
        c.kind = "concentric";
        if (u < 0.3) c.pose_b = c.pose_a;
        if (u < 0.1) c.b = c.a;
        break;
    case 7:
        c.kind = "needles and plates";
        c.a = pick(&r, f->thin, f->n_thin);
        if (u < 0.6) c.b = pick(&r, f->thin, f->n_thin);
        if (jo_random_uniform(&r) < 0.5) { /* crossing in the middle, or beside each other there */
            if (u < 0.3) c.pose_b = c.pose_a;
            for (int i = 0; i < 3; i++)
                c.pose_b.at[i] =
                    c.pose_a.at[i] + 4.0 * (u < 0.1 ? pow(10.0, -150.0 * u) : u) * side[i];
            if (u < 0.05) c.b = c.a;
        } else {
            put_along(&c, n, u, side);
        }
        break;
    case 8:
        c.kind = "coplanar faces";
        c.a = c.b = f->small[1];
        c.pose_b = c.pose_a;
        for (int i = 0; i < 3; i++) /* slid along a face's plane, or touching with it */
            c.pose_b.at[i] = c.pose_a.turn[3 * i] * 2.0 / sqrt(3.0) +
                             (u < 0.5 ? 0.0 : c.pose_a.turn[3 * i + 1] * 2.0 * (u - 0.5));
        break;
    case 9:
        c.kind = "tiny gaps";
        put_along(&c, n, pow(10.0, -12.0 + 9.0 * u), (const double[3]){0.0, 0.0, 0.0});
        break;
    case 10:
        c.kind = "shallow overlaps";
        put_along(&c, n, -0.05 * u, (const double[3]){0.0, 0.0, 0.0});
        break;
    default:
        c.kind = "many faces";
        *large = true;
        if (f->n_large == 0) break;
        c.a = pick(&r, f->large, f->n_large);
        c.b = pick(&r, u < 0.7 ? f->large : f->small, u < 0.7 ? f->n_large : f->n_small);
        put_along(&c, n,
                  u < 0.2   ? -0.02
                  : u < 0.3 ? -1.0
                            : 0.3 * u,
                  (const double[3]){0.05 * side[0], 0.05 * side[1], 0.05 * side[2]});
    }
    return c;
}

/* ---- asking ---- */

typedef struct tally {
    uint64_t asked, overlaps, inexact_distance, inexact_depth, depths, bruted;
    long double worst, worst_depth;
    uint64_t iterations_max;
} tally;

/* Faults are counted and the first of them told, so that a long run finds all. */
static uint64_t faults;

static void complain(uint64_t k, const pair_case *c, const jo_closest *o, const char *fault,
                     long double is, long double should)
{
    if (faults++ >= 20) return;
    print_error("pair %" PRIu64 " (%s, %zu and %zu faces): %s: %.17g, features %u:%u %u:%u, "
                "%u iterations; %.18Lg, expected %.18Lg\n",
                k, c->kind, jo_polyhedron_look(c->a).faces, jo_polyhedron_look(c->b).faces, fault,
                o->distance, o->features.a.kind, o->features.a.index, o->features.b.kind,
                o->features.b.index, o->iterations, is, should);
}

static jo_feature any_feature(random_stream *r, const jo_polyhedron *p)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    const size_t count[4] = {1, v.vertices, 2 * v.edges, v.faces};
    const uint32_t kind = 1 + (uint32_t)(jo_random_bits(r) % 3);
    return (jo_feature){kind, (uint32_t)(jo_random_bits(r) % count[kind])};
}

static void check_depth(uint64_t k, const pair_case *c, const jo_closest *o, bool large, tally *t)
{
    const jo_polyhedron_view a = jo_polyhedron_look(c->a), b = jo_polyhedron_look(c->b);
    const double size = a.radius + b.radius;
    double back[3], gap[3], along = 0.0;
    for (int i = 0; i < 3; i++) {
        back[i] = -o->normal[i];
        gap[i] = c->pose_b.at[i] - c->pose_a.at[i];
        along += gap[i] * o->normal[i];
    }
    /* Moved by the depth the bodies touch: that much is true of any axis. */
    const double depth = reach(c->a, &c->pose_a, o->normal) + reach(c->b, &c->pose_b, back) - along;
    if (!(fabs(depth + o->distance) <= 1e-13 * size))
        complain(k, c, o, "not the depth along its normal", -depth, o->distance);
    t->depths++;
    if (!o->exact) t->inexact_depth++;
    if (large) return;
    const long double brute = brute_distance(c->a, &c->pose_a, c->b, &c->pose_b);
    const long double error = fabsl(brute - o->distance) / (1e-10L * fabsl(brute) + 1e-13L * size);
    t->worst_depth = fmaxl(t->worst_depth, error);
    if (o->exact && error > 1) complain(k, c, o, "not the least depth", o->distance, brute);
}

static void check_pair(uint64_t k, const pair_case *c, bool large, tally *t)
{
    random_stream r = jo_random_start(21, k);
    jo_feature_pair pair = {0};
    for (int start = 0; start < 3; start++) {
        jo_closest o, again;
        if (start == 1) pair = (jo_feature_pair){any_feature(&r, c->a), any_feature(&r, c->b)};
        jo_features_distance(c->a, &c->pose_a, c->b, &c->pose_b, &pair, &o);
        const verdict v = judge_distance(c->a, &c->pose_a, c->b, &c->pose_b, &o);
        t->asked++;
        t->overlaps += o.overlap;
        t->inexact_distance += !o.exact;
        if (o.iterations > t->iterations_max) t->iterations_max = o.iterations;
        t->worst = fmaxl(t->worst, v.error);
        if (v.fault != NULL) complain(k, c, &o, v.fault, v.lower, v.upper);
        jo_feature_pair cached = pair;
        jo_features_distance(c->a, &c->pose_a, c->b, &c->pose_b, &cached, &again);
        if (!o.overlap && (again.iterations != 1 || again.distance != o.distance))
            complain(k, c, &again, "another answer from its own pair", again.iterations, 1);
        if (start == 0 && o.overlap) {
            jo_features_contact(c->a, &c->pose_a, c->b, &c->pose_b, &cached, &again);
            check_depth(k, c, &again, large, t);
            const double least = again.distance;
            jo_feature_pair fresh = {0};
            jo_closest first;
            jo_features_contact(c->a, &c->pose_a, c->b, &c->pose_b, &fresh, &first);
            check_depth(k, c, &first, large, t);
            jo_features_follow(c->a, &c->pose_a, c->b, &c->pose_b, &cached, &again);
            const double size = jo_polyhedron_look(c->a).radius + jo_polyhedron_look(c->b).radius;
            if (!(fabs(again.distance - least) <= 1e-13 * size) && o.exact)
                complain(k, c, &again, "followed from the least depth to another", again.distance,
                         least);
        } else if (start == 0 && !large && k % 7 == 0) {
            const long double brute = brute_distance(c->a, &c->pose_a, c->b, &c->pose_b);
            const jo_polyhedron_view a = jo_polyhedron_look(c->a), b = jo_polyhedron_look(c->b);
            t->bruted++;
            if (!(fabsl(brute - o.distance) <= 1e-10L * brute + 1e-14L * (a.radius + b.radius)))
                complain(k, c, &o, "brute force disagrees", o.distance, brute);
        }
    }
}

/* JOSTLE_TEST_SCALE: a sanitizer makes everything slow, so that fewer pairs will do. */
static uint64_t scale(void)
{
    const char *text = getenv("JOSTLE_TEST_SCALE");
    const uint64_t value = text != NULL ? strtoull(text, NULL, 10) : 1;
    return value > 0 ? value : 1;
}

static void pairs(void **state)
{
    fixture *f = *state;
    const char *many = getenv("JOSTLE_FEATURES_PAIRS"), *one = getenv("JOSTLE_FEATURES_CASE");
    const uint64_t count = many != NULL ? strtoull(many, NULL, 10) : 20000 / scale();
    const char *first = one != NULL ? one : getenv("JOSTLE_FEATURES_FROM");
    const uint64_t from = first != NULL ? strtoull(first, NULL, 10) : 0;
    const char *only = getenv("JOSTLE_FEATURES_KIND");
    tally t = {0};
    for (uint64_t k = from; k < (one != NULL ? from + 1 : from + count); k++) {
        bool large;
        if (only != NULL && k % KINDS != strtoull(only, NULL, 10)) continue;
        const pair_case c = make_pair(f, k, &large);
        /* Proofs for 10^5 faces take a millisecond each: fewer of them. */
        if (large && one == NULL && k / KINDS % 10 != 0) continue;
        check_pair(k, &c, large, &t);
    }
    print_message(
        "%" PRIu64 " queries, %" PRIu64 " overlaps; largest error %.3Lg of what is allowed; "
        "%" PRIu64 " by brute force; at most %" PRIu64 " iterations; %" PRIu64 " ended by GJK\n",
        t.asked, t.overlaps, t.worst, t.bruted, t.iterations_max, t.inexact_distance);
    print_message("%" PRIu64 " depths, %" PRIu64
                  " not proved least, largest error of the others %.3Lg\n",
                  t.depths, t.inexact_depth, t.worst_depth);
    assert_int_equal(faults, 0);
}

/* Bodies that turn and move a little at each step, overlapping by up to two fifths of their radius:
 * the axis that is followed is a way out at every step, and nearly always the shortest. */
static void followed(void **state)
{
    const fixture *f = *state;
    uint64_t overlaps = 0, other = 0;
    double worst = 0.0;
    for (uint64_t k = 0; k < 300; k += scale()) {
        random_stream r = jo_random_start(22, k);
        pair_case c = {.a = pick(&r, f->small, f->n_small),
                       .b = pick(&r, f->small, f->n_small),
                       .kind = "followed"};
        jo_feature_pair pair = {0};
        double q[2][4], spin[2][4], n[3];
        direction(&r, n);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 4; j++) {
                q[i][j] = jo_random_normal(&r);
                spin[i][j] = 0.005 * jo_random_normal(&r);
            }
        for (int step = 0; step < 200; step++) {
            jo_closest o, least;
            for (int i = 0; i < 2; i++) {
                for (int j = 0; j < 4; j++)
                    q[i][j] += spin[i][j];
                jo_pose_turn(i == 0 ? &c.pose_a : &c.pose_b, q[i]);
            }
            put_along(&c, n, -0.2 + 0.2 * sin(0.05 * step), (const double[3]){0.0, 0.0, 0.0});
            jo_features_follow(c.a, &c.pose_a, c.b, &c.pose_b, &pair, &o);
            if (!o.overlap) continue;
            jo_feature_pair fresh = {0};
            tally ignored = {0};
            check_depth(k, &c, &o, true, &ignored);
            jo_features_contact(c.a, &c.pose_a, c.b, &c.pose_b, &fresh, &least);
            overlaps++;
            if (!(least.distance - o.distance > 1e-12)) continue;
            other++;
            worst = fmax(worst, (least.distance - o.distance) / -least.distance);
        }
    }
    print_message("%" PRIu64 " overlaps followed, %" PRIu64 " (%.2g %%) not along the shortest way "
                  "out; the longest was %.2g times as deep\n",
                  overlaps, other, 100.0 * (double)other / (double)overlaps, 1.0 + worst);
    assert_int_equal(faults, 0);
    assert_true(overlaps > 10000 / scale());
    assert_true(other <= overlaps / 200 && worst < 0.5);
}

int main(void)
{
    fixture f = make_shapes();
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(pairs, &f),
                                       cmocka_unit_test_prestate(followed, &f)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_shapes(&f);
    return failed;
}
