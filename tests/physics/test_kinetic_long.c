/* test_kinetic_long.c — hard polygons for many events: gases, heaps that come to rest, and hoppers that flow,
 * of 2 to 2,000 grains, convex or not; the triangulation is checked every so many events. Short as a
 * matter of course; JOSTLE_TEST_SCALE=0.001 makes fourteen million events of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "polygon_hopper.h"
#include "support/polygon_scenes.h"
#include "support/scaled.h"

typedef struct totals {
    uint64_t events, checks;
    double nearest;
} totals;

static totals all = {0, 0, INFINITY};

/* What a world has seen goes into the totals. */
static void count(jo_kinetic *world, uint64_t checks, const char *what, uint32_t grains, bool tell)
{
    const jo_kinetic_stats s = jo_kinetic_statistics(world);
    const uint64_t events = s.flips + s.collisions + s.wall_collisions + s.rests;
    if (tell)
        printf("    %-14s %4u grains: %9llu events (%llu flips, %llu collisions, %llu at rest), "
               "%llu checks, "
               "nearest %.3g gaps, %.0f events/s, time %.3g\n",
               what, grains, (unsigned long long)events, (unsigned long long)s.flips,
               (unsigned long long)(s.collisions + s.wall_collisions), (unsigned long long)s.rests,
               (unsigned long long)checks, s.nearest, (double)events / s.seconds,
               jo_kinetic_time(world));
    fflush(stdout);
    all.events += events;
    all.checks += checks;
    all.nearest = fmin(all.nearest, s.nearest);
    assert_true(s.nearest > 0.0);
}

static jo_kinetic *begin(uint32_t n, polygon_kind kind, double restitution, double friction,
                         double g, uint64_t seed)
{
    polygon_scene s = polygon_scene_make(n, kind, seed);
    size_t *first = malloc((n + 1) * sizeof *first);
    double *v = malloc(2 * n * sizeof *v), *spin = malloc(n * sizeof *spin);
    random_stream r = jo_random_start(seed, 78);
    for (uint32_t i = 0; i <= n; i++)
        first[i] = s.first[i + 1] - s.first[1];
    for (uint32_t i = 0; i < 2 * n; i++)
        v[i] = jo_random_normal(&r);
    for (uint32_t i = 0; i < n; i++)
        spin[i] = 2.0 * jo_random_normal(&r);
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = n;
    def.first = first;
    def.corners = s.place + 2 * s.first[1];
    def.v = v;
    def.spin = spin;
    def.boundary = 4;
    def.boundary_corners = s.place;
    def.restitution = &restitution;
    def.friction = &friction;
    def.gravity[1] = -g;
    jo_kinetic *world;
    jo_error error;
    if (jo_kinetic_create(&def, &world, &error) != JO_OK) fail_msg("%s", error.text);
    free(first);
    free(v);
    free(spin);
    polygon_scene_free(&s);
    return world;
}

/* The triangulation holds now, or after the few events of the same instant. */
static void must_hold(jo_kinetic *world)
{
    jo_error error, found;
    if (jo_kinetic_check(world, &found) == JO_OK) return;
    const double time = jo_kinetic_time(world);
    for (int k = 0; k < 12; k++) {
        assert_int_equal(jo_kinetic_advance(world, INFINITY, 1, &error), JO_OK);
        if (!(jo_kinetic_time(world) - time < 1e-9)) break;
        if (jo_kinetic_check(world, &error) == JO_OK) return;
    }
    fail_msg("at %.17g: %s", time, found.text);
}

static uint64_t go(jo_kinetic *world, uint64_t events, uint64_t every)
{
    uint64_t checks = 0;
    jo_error error;
    for (uint64_t k = 0; k < events; k += every, checks++) {
        if (jo_kinetic_advance(world, INFINITY, every, &error) != JO_OK) fail_msg("%s", error.text);
        must_hold(world);
    }
    return checks;
}

static const uint32_t counts[] = {2, 5, 20, 100, 500, 2000};
enum { COUNTS = sizeof counts / sizeof *counts };

/* Nothing ever rests: flips and collisions alone. */
static void gases(void **state)
{
    (void)state;
    for (int kind = 0; kind < POLYGONS_KINDS; kind++)
        for (int c = 0; c < COUNTS; c++) {
            const uint32_t n = counts[c];
            jo_kinetic *world = begin(n, (polygon_kind)kind, 1.0, 0.0, 0.0, 11 + (uint64_t)c);
            count(world, go(world, scaled(400), 1 + n / 10), "gas", n, true);
            jo_kinetic_destroy(world);
        }
}

/* Falling, then at rest; seeds follow each other, as a heap at rest has little to show. */
static void heaps(void **state)
{
    (void)state;
    for (int kind = 0; kind < POLYGONS_KINDS; kind++)
        for (int c = 0; c < COUNTS; c++) {
            const uint32_t n = counts[c];
            const uint64_t each = 500 + 40 * (uint64_t)n;
            uint64_t seed = 1;
            for (uint64_t left = scaled(200); left > 0; left -= left < each ? left : each, seed++) {
                jo_kinetic *world = begin(n, (polygon_kind)kind, 0.4, 0.4, 1.0, seed);
                count(world, go(world, left < each ? left : each, 1 + n / 10), "heap", n,
                      seed == 1);
                jo_kinetic_destroy(world);
            }
        }
}

/* Hoppers, checked every hundredth of a second. */
static void hoppers(void **state)
{
    (void)state;
    const uint32_t most = scaled(100) >= 100000 ? 2000 : scaled(100) >= 1000 ? 400 : 40;
    for (uint32_t seed = 1; seed <= 2; seed++) {
        hopper_options o = hopper_default();
        hopper h;
        hopper_outcome outcome;
        jo_error error;
        o.grains = most;
        o.neck = 11.0 + seed;
        o.seed = seed;
        assert_int_equal(hopper_make(&o, &h, &error), JO_OK);
        if (hopper_empty(&h, 0.5, 1.0, NULL, NULL, &outcome, &error) != JO_OK)
            fail_msg("%s", error.text);
        const jo_kinetic_stats *s = &outcome.stats;
        const uint64_t events = s->flips + s->collisions + s->wall_collisions + s->rests;
        printf("    hopper of %u grains: %llu events, %llu checks, %u left, %.3g s\n", most,
               (unsigned long long)events, (unsigned long long)outcome.checks, outcome.left,
               s->seconds);
        all.events += events;
        all.checks += outcome.checks;
        all.nearest = fmin(all.nearest, s->nearest);
        assert_int_equal(outcome.left, 0);
        hopper_free(&h);
    }
    printf("    in all: %llu events, %llu checks, nearest collision at %.3g gaps\n",
           (unsigned long long)all.events, (unsigned long long)all.checks, all.nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gases),
        cmocka_unit_test(heaps),
        cmocka_unit_test(hoppers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
