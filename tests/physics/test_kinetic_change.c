/* test_kinetic_change.c — hard polygons that come and go: the triangulation holds after each, only
 * triangles around are asked again, energy is what it must be, and runs repeat to the last bit,
 * saved or not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/polygon_worlds.h"
#include "support/scaled.h"

/* A polygon of n corners between two circles; corners within are not convex. */
static size_t star(double *p, double x, double y, double size, double inner, random_stream *r)
{
    const size_t n = 4 + 2 * (size_t)(jo_random_bits(r) % 5);
    const double phase = 6.283 * jo_random_uniform(r);
    for (size_t k = 0; k < n; k++) {
        const double angle = phase + 6.283185 * (double)k / (double)n;
        const double d = k % 2 ? size * inner : size;
        p[2 * k] = x + d * cos(angle);
        p[2 * k + 1] = y + d * sin(angle);
    }
    return n;
}

/* Tries to put a polygon in; counted where there is room. */
static bool put(jo_kinetic *world, const double *p, size_t n, const double v[2], double spin,
                jo_error *error)
{
    const size_t first[] = {0, n};
    size_t inserted;
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = 1;
    def.first = first;
    def.corners = p;
    def.v = v;
    def.spin = &spin;
    const jo_status status = jo_kinetic_insert(world, &def, &inserted, error);
    assert_true(status == JO_OK || status == JO_ERR_DATA);
    assert_int_equal(inserted, status == JO_OK);
    return status == JO_OK;
}

/* The id of some body. */
static uint64_t any(jo_kinetic *world, random_stream *r, size_t *bodies)
{
    jo_kinetic_frame f;
    jo_error error;
    assert_int_equal(jo_kinetic_look(world, &f, &error), JO_OK);
    *bodies = f.bodies;
    return f.bodies > 0 ? f.id[jo_random_bits(r) % f.bodies] : 0;
}

typedef struct totals {
    uint64_t in, out, refused, rebuilds;
} totals;

/* One body in or out, and a look at everything. */
static void change(jo_kinetic *world, double width, random_stream *r, totals *sum)
{
    double p[64];
    size_t bodies;
    jo_error error;
    const uint64_t id = any(world, r, &bodies);
    if (jo_random_uniform(r) < 0.5 && bodies > 0) {
        if (jo_kinetic_remove(world, &id, 1, &error) != JO_OK) fail_msg("%s", error.text);
        sum->out++;
    } else {
        const double x = -0.6 + (width + 0.2) * jo_random_uniform(r);
        const double y = -0.6 + (width + 0.2) * jo_random_uniform(r);
        const double v[2] = {jo_random_normal(r), jo_random_normal(r)};
        const size_t n =
            star(p, x, y, 0.05 + 0.4 * jo_random_uniform(r), 0.2 + 0.8 * jo_random_uniform(r), r);
        if (put(world, p, n, v, 2.0 * jo_random_normal(r), &error))
            sum->in++;
        else
            sum->refused++;
    }
    world_must_hold(world);
}

static void anything_comes_and_goes(void **state)
{
    (void)state;
    totals sum = {0};
    for (int kind = 0; kind < POLYGONS_KINDS; kind++)
        for (int losses = 0; losses < 2; losses++) {
            const world_setting s = {16,
                                     (polygon_kind)kind,
                                     losses ? 0.5 : 1.0,
                                     losses ? 0.3 : 0.0,
                                     losses ? 1.0 : 0.0,
                                     JO_KINETIC_FAST,
                                     3 + (uint64_t)kind};
            jo_kinetic *world = world_make(&s);
            random_stream r = jo_random_start(8, (uint64_t)(2 * kind + losses));
            for (size_t k = 0; k < 40 + scaled(160); k++) {
                change(world, 4.0, &r, &sum);
                for (int e = 0; e < 5; e++) {
                    world_advance(world, jo_kinetic_time(world) + 1.0, 1);
                    world_must_hold(world);
                }
                if (k % 10 == 0) world_must_be_apart(world);
            }
            sum.rebuilds += jo_kinetic_statistics(world).rebuilds;
            jo_kinetic_destroy(world);
        }
    printf("    %llu in, %llu out, %llu refused; %llu times all was triangulated anew\n",
           (unsigned long long)sum.in, (unsigned long long)sum.out, (unsigned long long)sum.refused,
           (unsigned long long)sum.rebuilds);
    assert_true(sum.in > 50 && sum.out > 50 && sum.refused > 50);
    assert_true(20 * sum.rebuilds <= sum.in + sum.out);
}

/* What is asked again when a body goes or comes does not depend on how many there are. */
static void only_triangles_around_are_asked(void **state)
{
    (void)state;
    double most[2] = {0.0, 0.0};
    const uint32_t counts[2] = {100, 2500};
    for (int c = 0; c < 2; c++) {
        const world_setting s = {counts[c], POLYGONS_CONVEX, 1.0, 0.0, 0.0, JO_KINETIC_FAST, 5};
        jo_kinetic *world = world_make(&s);
        world_advance(world, 0.01, 0);
        const double middle = 0.5 * sqrt(counts[c]);
        for (uint64_t k = 0; k < 20; k++) {
            jo_error error;
            double p[64];
            const double still[2] = {0.0, 0.0};
            random_stream r = jo_random_start(k, 1);
            uint64_t before = jo_kinetic_statistics(world).predictions;
            const uint64_t id = 3 + 4 * k;
            assert_int_equal(jo_kinetic_remove(world, &id, 1, &error), JO_OK);
            most[c] = fmax(most[c], (double)(jo_kinetic_statistics(world).predictions - before));
            before = jo_kinetic_statistics(world).predictions;
            const double x = floor(middle) + 0.5, y = floor(middle) - 0.5 - (double)(k % 4);
            const size_t n = star(p, x, y, 0.1, 1.0, &r);
            put(world, p, n, still, 0.0, &error);
            most[c] = fmax(most[c], (double)(jo_kinetic_statistics(world).predictions - before));
        }
        assert_int_equal(jo_kinetic_statistics(world).rebuilds, 0);
        assert_true(jo_kinetic_statistics(world).inserted > 0);
        world_must_hold(world);
        jo_kinetic_destroy(world);
    }
    printf("    predictions for one body: at most %.0f of 100 bodies, %.0f of 2,500\n", most[0],
           most[1]);
    assert_true(most[0] < 120.0 && most[1] < 120.0);
}

/* An elastic gas has, at any time, what came in with its bodies less what went out with them. */
static void energy_comes_and_goes_with_bodies(void **state)
{
    (void)state;
    const world_setting s = {16, POLYGONS_STARS, 1.0, 0.0, 0.0, JO_KINETIC_FAST, 6};
    jo_kinetic *world = world_make(&s);
    random_stream r = jo_random_start(1, 9);
    totals sum = {0};
    double expected = world_energy(world);
    for (size_t k = 0; k < scaled(200); k++) {
        const double before = world_energy(world);
        change(world, 4.0, &r, &sum);
        expected += world_energy(world) - before;
        world_advance(world, jo_kinetic_time(world) + 0.2, 20);
        const double added = jo_kinetic_statistics(world).added;
        assert_true(fabs(world_energy(world) - expected - added) < 1e-11 * fabs(expected) + 1e-12);
    }
    jo_kinetic_destroy(world);
}

/* A world that is looked at, saved and restored all the time goes the same way as one that is
 * not. */
static void changed_runs_repeat(void **state)
{
    (void)state;
    for (int kind = 0; kind < POLYGONS_KINDS; kind++) {
        uint64_t hash[3];
        for (int way = 0; way < 3; way++) {
            const world_setting s = {16, (polygon_kind)kind, 0.7, 0.3, 1.0, JO_KINETIC_FAST, 2};
            jo_kinetic *world = world_make(&s);
            random_stream r = jo_random_start(4, 4);
            for (uint64_t k = 0; k < 60; k++) {
                double p[64];
                jo_error error;
                const double v[2] = {0.3, -0.5};
                world_advance(world, 0.05 * (double)(k + 1), 0);
                if (k % 4 == 0 && k < 48) { /* without a look at bodies, which packs numbers */
                    const uint64_t id = k / 4;
                    assert_int_equal(jo_kinetic_remove(world, &id, 1, &error), JO_OK);
                }
                const size_t n = star(p, 4.0 * jo_random_uniform(&r) - 0.4,
                                      4.0 * jo_random_uniform(&r) - 0.4, 0.15, 0.6, &r);
                put(world, p, n, v, 1.0, &error);
                if (way == 1) world_must_be_apart(world);
                if (way == 2) world = world_replaced(world);
            }
            world_advance(world, 4.0, 0);
            assert_true(jo_kinetic_statistics(world).inserted > 5);
            hash[way] = jo_kinetic_hash(world);
            jo_kinetic_destroy(world);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

/* ---- what cannot be put in ---- */

static void refuse(jo_kinetic *world, const double *p, size_t n, const char *words)
{
    const double still[2] = {0.0, 0.0};
    jo_error error;
    const uint64_t hash = jo_kinetic_hash(world);
    assert_false(put(world, p, n, still, 0.0, &error));
    if (strstr(error.text, words) == NULL) fail_msg("'%s' is not in: %s", words, error.text);
    assert_true(jo_kinetic_hash(world) == hash);
    assert_int_equal(jo_kinetic_check(world, &error), JO_OK);
}

static void bad_bodies_are_refused(void **state)
{
    (void)state;
    const double box[] = {0, 0, 10, 0, 10, 10, 0, 10};
    /* A cup with a ball in it, open to the top. */
    const double p[] = {2, 2, 8, 2, 8, 7, 7, 7, 7, 3, 3, 3, 3, 7, 2, 7, 4, 4, 5, 4, 5, 5, 4, 5};
    const size_t first[] = {0, 8, 12};
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = 2;
    def.first = first;
    def.corners = p;
    def.boundary = 4;
    def.boundary_corners = box;
    jo_kinetic *world;
    jo_error error;
    assert_int_equal(jo_kinetic_create(&def, &world, &error), JO_OK);
    refuse(world, (double[]){4.2, 4.2, 4.4, 4.2, 4.4, 4.4}, 3, "lies in the solid of another");
    refuse(world, (double[]){11, 1, 12, 1, 12, 2}, 3, "outside the boundary");
    refuse(world, (double[]){4.5, 4.5, 6, 4, 6, 6}, 3, "lies in the solid");
    refuse(world, (double[]){6, 6, 4.5, 4.6, 6, 4}, 3, "overlap");
    refuse(world, (double[]){6.5, 8.5, 9, 3, 9, 8}, 3, "overlap");
    refuse(world, (double[]){3.5, 3.5, 5.5, 3.5, 5.5, 5.5, 3.5, 5.5}, 4,
           "body 1 lies in the solid");
    refuse(world, (double[]){5, 5, 6, 6, 5, 6}, 3, "touches");
    refuse(world, (double[]){4.5, 5, 6, 6, 4.5, 6}, 3, "touches");
    refuse(world, (double[]){3.5, 6, 5, 5, 3.5, 6.5, 5.5, 6.5}, 4, "touches");
    refuse(world, (double[]){9, 9, 9.5, 9.5, 9.5, 9, 9, 9.6}, 4, "crosses itself");
    refuse(world, (double[]){9, 9, 9.5, 9.5}, 2, "2 corners");
    refuse(world, (double[]){9, 9, 9.5, 9.5, 10, 10}, 3, "no area");
    /* Room in the cup, then the cup goes, and what is in it stays. */
    const double still[2] = {0.0, 0.0};
    assert_true(put(world, (double[]){5.5, 4, 6, 4, 6, 5}, 3, still, 0.0, &error));
    const uint64_t cup = 0;
    assert_int_equal(jo_kinetic_remove(world, &cup, 1, &error), JO_OK);
    assert_int_equal(jo_kinetic_check(world, &error), JO_OK);
    assert_int_equal(jo_kinetic_remove(world, &cup, 1, &error), JO_ERR_ARGUMENT);
    /* On the lines of others, exactly, and on the diagonals of the square. */
    assert_true(put(world, (double[]){1, 1, 2, 1, 2, 2, 1, 2}, 4, still, 0.0, &error));
    assert_true(put(world, (double[]){7, 7, 9, 7, 9, 9, 7, 9, 8, 8}, 5, still, 0.0, &error));
    assert_int_equal(jo_kinetic_check(world, &error), JO_OK);
    const uint64_t id[] = {3, 4, 1, 2};
    if (jo_kinetic_remove(world, id, 3, &error) != JO_OK) fail_msg("%s", error.text);
    jo_kinetic_frame f;
    assert_int_equal(jo_kinetic_look(world, &f, &error), JO_OK);
    assert_true(f.bodies == 1 && f.triangles == f.corners + f.boundary);
    assert_int_equal(jo_kinetic_remove(world, id + 3, 1, &error), JO_OK);
    assert_int_equal(jo_kinetic_look(world, &f, &error), JO_OK);
    assert_true(f.bodies == 0 && f.triangles == 2);
    assert_int_equal(jo_kinetic_check(world, &error), JO_OK);
    jo_kinetic_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_comes_and_goes),
        cmocka_unit_test(only_triangles_around_are_asked),
        cmocka_unit_test(energy_comes_and_goes_with_bodies),
        cmocka_unit_test(changed_runs_repeat),
        cmocka_unit_test(bad_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
