/* test_kinetic_long.c — hard polygons for many events: gases, heaps that come to rest, and hoppers
 * that flow, of 2 to 2,000 grains, convex or not; the triangulation is checked every so many events
 * (up to nine grains: every one), and every so many checks all bodies are compared edge by edge,
 * exactly, by a judge that knows no triangles. Short as a matter of course; JOSTLE_TEST_SCALE=0.001
 * makes fourteen million events of it, and JOSTLE_TEST_SCENE=k (0 to 49) runs one scene alone. */
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
#include "support/polygon_worlds.h"
#include "support/scaled.h"

typedef struct totals {
    uint64_t events, checks, judged;
    double nearest;
} totals;

static totals all = {.nearest = INFINITY};

enum { JUDGED_EVERY = 40 }; /* of the checks */

/* Is the next of all scenes one to run? */
static bool is_wanted(void)
{
    static int next = 0;
    const char *text = getenv("JOSTLE_TEST_SCENE");
    const int number = next++;
    return text == NULL || number == atoi(text);
}

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

static uint64_t go(jo_kinetic *world, uint64_t events, uint64_t every)
{
    uint64_t checks = 0;
    for (uint64_t k = 0; k < events; k += every, checks++) {
        world_advance(world, INFINITY, every);
        world_must_hold(world);
        if (checks % JUDGED_EVERY != 0) continue;
        world_must_be_apart(world);
        all.judged++;
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
            if (!is_wanted()) continue;
            const world_setting s = {
                n, (polygon_kind)kind, 1.0, 0.0, 0.0, JO_KINETIC_FAST, 11 + (uint64_t)c};
            jo_kinetic *world = world_make(&s);
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
            if (!is_wanted()) continue;
            uint64_t seed = 1;
            for (uint64_t left = scaled(200); left > 0; left -= left < each ? left : each, seed++) {
                const world_setting s = {n,   (polygon_kind)kind, 0.4, 0.4,
                                         1.0, JO_KINETIC_FAST,    seed};
                jo_kinetic *world = world_make(&s);
                count(world, go(world, left < each ? left : each, 1 + n / 10), "heap", n,
                      seed == 1);
                jo_kinetic_destroy(world);
            }
        }
}

static bool judge_hopper(void *context, const jo_kinetic_frame *f, uint32_t out)
{
    int *looks = context;
    (void)out;
    if ((*looks)++ % 10 != 0) return true;
    frame_must_be_apart(f);
    all.judged++;
    return true;
}

/* Hoppers, checked every hundredth of a second, all bodies compared every tenth. */
static void hoppers(void **state)
{
    (void)state;
    const uint32_t most = scaled(100) >= 100000 ? 2000 : scaled(100) >= 1000 ? 400 : 40;
    for (uint32_t seed = 1; seed <= 2; seed++) {
        hopper_options o = hopper_default();
        hopper h;
        hopper_outcome outcome;
        jo_error error;
        int looks = 0;
        if (!is_wanted()) continue;
        o.grains = most;
        o.neck = 11.0 + seed;
        o.seed = seed;
        assert_int_equal(hopper_make(&o, &h, &error), JO_OK);
        if (hopper_empty(&h, 0.5, 1.0, judge_hopper, &looks, &outcome, &error) != JO_OK)
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
    printf(
        "    in all: %llu events, %llu checks, %llu times judged, nearest collision at %.3g gaps\n",
        (unsigned long long)all.events, (unsigned long long)all.checks,
        (unsigned long long)all.judged, all.nearest);
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
