/* test_paper4.c — paper 4's method: its initial state, its times and bounces, what its array
 * promises, and cases with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/paper4.h"

static jo_paper4 *make(size_t n, double w, double r, const double *x, const double *v)
{
    jo_error error = {0};
    jo_paper4 *balls = NULL;
    if (jo_paper4_create(n, w, r, x, v, &balls, &error) != JO_OK) fail_msg("%s", error.text);
    return balls;
}

static jo_paper4 *make_grid(size_t nbs, double speed, uint64_t seed)
{
    const size_t n = nbs * nbs * nbs;
    double *x = malloc(3 * n * sizeof *x), *v = malloc(3 * n * sizeof *v);
    assert_true(x != NULL && v != NULL);
    jo_paper4_grid(nbs, 1.0, speed, seed, x, v);
    jo_paper4 *balls = make(n, 1.0, jo_paper4_radius(nbs, 1.0), x, v);
    free(x);
    free(v);
    return balls;
}

/* ---- the initial state */

static void radius_fills_four_ninetieths(void **state)
{
    (void)state;
    for (size_t nbs = 1; nbs <= 100; nbs += 33) {
        const double r = jo_paper4_radius(nbs, 400.0);
        const double filled = (double)(nbs * nbs * nbs) * 4.0 / 3.0 * M_PI * r * r * r / 6.4e7;
        assert_true(fabs(filled - 4.0 / 90.0) < 1e-15);
    }
}

static void grid_is_regular_and_disjoint(void **state)
{
    (void)state;
    enum { NBS = 5, N = NBS * NBS * NBS };
    double x[3 * N], v[3 * N], again[3 * N], other[3 * N], mean2 = 0.0;
    jo_paper4_grid(NBS, 2.0, 3.0, 7, x, v);
    for (int i = 0; i < N; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double step = (x[3 * i + axis] + 1.0) / (2.0 / (NBS + 1));
            assert_true(fabs(step - rint(step)) < 1e-14 && step > 0.5 && step < NBS + 0.5);
            assert_true(v[3 * i + axis] >= -3.0 && v[3 * i + axis] < 3.0);
            mean2 += v[3 * i + axis] * v[3 * i + axis] / (3 * N);
        }
    /* Uniform in ±3: the mean square is 3, give or take 4 standard errors, 2.7 / sqrt(375). */
    assert_true(fabs(mean2 - 3.0) < 4.0 * 2.7 / sqrt(3 * N));
    jo_paper4_destroy(make(N, 2.0, jo_paper4_radius(NBS, 2.0), x, v)); /* disjoint and inside */
    jo_paper4_grid(NBS, 2.0, 3.0, 7, x, again);
    jo_paper4_grid(NBS, 2.0, 3.0, 8, x, other);
    assert_memory_equal(v, again, sizeof v);
    assert_memory_not_equal(v, other, sizeof v);
}

/* ---- bad input is named */

static void refused(size_t n, double w, double r, const double *x, const double *v,
                    jo_status status, const char *fragment)
{
    jo_error error = {0};
    jo_paper4 *balls = NULL;
    assert_int_equal(jo_paper4_create(n, w, r, x, v, &balls, &error), status);
    assert_null(balls);
    if (strstr(error.text, fragment) == NULL) fail_msg("'%s' lacks '%s'", error.text, fragment);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    const double x[] = {-2.0, 0.0, 0.0, 2.0, 0.0, 0.0}, v[6] = {0};
    const double out[] = {-2.0, 0.0, 0.0, 2.0, 4.5, 0.0};
    const double near[] = {-0.5, 0.0, 0.0, 0.5, 1.0, 0.0};
    const double wrong[] = {0.0, NAN, 0.0, 0.0, 0.0, 0.0};
    refused(0, 10.0, 1.0, x, v, JO_ERR_ARGUMENT, "at least one");
    refused(2, 10.0, -1.0, x, v, JO_ERR_ARGUMENT, "must be positive");
    refused(2, NAN, 1.0, x, v, JO_ERR_ARGUMENT, "must be positive");
    refused(2, 1.0, 1.0, x, v, JO_ERR_DATA, "do not fit");
    refused(2, 10.0, 1.0, out, v, JO_ERR_DATA, "ball 1 reaches out of the cube: its y is 4.5");
    refused(2, 10.0, 1.0, near, v, JO_ERR_DATA, "balls 0 and 1 overlap");
    refused(2, 10.0, 1.0, x, wrong, JO_ERR_DATA, "ball 0: its place or velocity is not finite");
    refused(JO_PAPER4_BALLS_MAX + 1, 10.0, 1.0, x, v, JO_ERR_LIMIT, "at most");
}

/* ---- times and bounces with known answers */

static void expect_event(jo_paper4 *balls, double time, int ball, int partner)
{
    jo_paper4_event event, ahead;
    assert_true(jo_paper4_next(balls, &ahead));
    assert_true(jo_paper4_collide(balls, &event));
    assert_memory_equal(&event, &ahead, sizeof event);
    if (event.ball != ball || event.partner != partner ||
        !(fabs(event.time - time) <= 1e-14 * time))
        fail_msg("(%d, %d) at %.17g instead of (%d, %d) at %.17g", event.ball, event.partner,
                 event.time, ball, partner, time);
}

static void head_on(void **state)
{
    (void)state;
    const double x[] = {-3.0, 0.0, 0.0, 2.0, 0.0, 0.0}, v[] = {2.0, 0.5, 0.0, -1.0, 0.0, 0.25};
    jo_paper4 *balls = make(2, 20.0, 1.0, x, v);
    /* |(5 - 3t, 0.5 t, -0.25 t)| = 2 */
    const double a = 9.0 + 0.25 + 0.0625, b = -15.0, c = 21.0;
    const double t = c / (-b + sqrt(b * b - a * c));
    expect_event(balls, t, 0, 1);
    const jo_paper4_state now = jo_paper4_now(balls);
    /* Normal parts exchanged: momentum and energy kept, tangential parts as they were. */
    double line[3], before = 0.0, after = 0.0, energy = 0.0;
    for (int k = 0; k < 3; k++) {
        line[k] = (now.x[3 + k] - now.x[k]) / 2.0;
        before += line[k] * (v[3 + k] - v[k]);
        after += line[k] * (now.v[3 + k] - now.v[k]);
        assert_true(fabs(now.v[k] + now.v[3 + k] - v[k] - v[3 + k]) < 1e-15);
        energy += now.v[k] * now.v[k] + now.v[3 + k] * now.v[3 + k];
    }
    assert_true(fabs(after + before) < 1e-14);
    assert_true(fabs(energy - 5.3125) < 1e-14);
    jo_paper4_destroy(balls);
}

static void walls_reflect_in_order(void **state)
{
    (void)state;
    const double x[] = {0.0, 0.0, 0.0}, v[] = {1.0, -2.0, 4.0};
    jo_paper4 *balls = make(1, 10.0, 1.0, x, v); /* reach 4: z at 1, y at 2, z at 3, x y z at 4 … */
    expect_event(balls, 1.0, 0, JO_PAPER4_UPPER_Z);
    expect_event(balls, 2.0, 0, JO_PAPER4_LOWER_Y);
    expect_event(balls, 3.0, 0, JO_PAPER4_LOWER_Z);
    expect_event(balls, 4.0, 0, JO_PAPER4_UPPER_X);
    expect_event(balls, 5.0, 0, JO_PAPER4_UPPER_Z);
    expect_event(balls, 6.0, 0, JO_PAPER4_UPPER_Y);
    const jo_paper4_state now = jo_paper4_now(balls);
    assert_true(now.v[0] == -1.0 && now.v[1] == -2.0 && now.v[2] == -4.0);
    assert_true(now.x[0] == 2.0 && now.x[1] == 4.0 && now.x[2] == 0.0);
    jo_paper4_destroy(balls);
}

/* Into an edge: two walls at one time, in their order. */
static void an_edge_is_two_walls(void **state)
{
    (void)state;
    const double x[] = {0.0, 0.0, 0.0}, v[] = {0.0, 2.0, 2.0};
    jo_paper4 *balls = make(1, 10.0, 1.0, x, v);
    for (int k = 0; k < 4; k++) {
        const int upper = k % 2 == 0;
        expect_event(balls, 2.0 + 4.0 * k, 0, upper ? JO_PAPER4_UPPER_Y : JO_PAPER4_LOWER_Y);
        expect_event(balls, 2.0 + 4.0 * k, 0, upper ? JO_PAPER4_UPPER_Z : JO_PAPER4_LOWER_Z);
    }
    jo_paper4_destroy(balls);
}

static void nothing_happens_to_balls_at_rest(void **state)
{
    (void)state;
    const double x[] = {-1.0, 0.0, 0.0, 1.0, 0.0, 0.0}, v[6] = {0};
    jo_paper4 *balls = make(2, 10.0, 1.0, x, v);
    jo_paper4_event event;
    assert_false(jo_paper4_next(balls, &event));
    assert_false(jo_paper4_collide(balls, NULL));
    assert_int_equal(jo_paper4_advance(balls, 100.0), 0);
    assert_true(jo_paper4_now(balls).time == 100.0);
    jo_paper4_destroy(balls);
}

/* Five touching balls, hit by a sixth: the blow goes through them at one time, and only the last
 * flies on. It comes back from the wall and the blow returns. */
static void newtons_cradle(void **state)
{
    (void)state;
    double x[18] = {0}, v[18] = {0};
    x[0] = -6.0;
    v[0] = 1.0;
    for (int k = 1; k < 6; k++)
        x[3 * k] = k - 1.0;
    jo_paper4 *balls = make(6, 20.0, 0.5, x, v);
    for (int k = 0; k < 5; k++)
        expect_event(balls, 5.0, k, k + 1);
    expect_event(balls, 10.5, 5, JO_PAPER4_UPPER_X);
    for (int k = 4; k >= 0; k--)
        expect_event(balls, 16.0, k, k + 1);
    expect_event(balls, 24.5, 0, JO_PAPER4_LOWER_X);
    const jo_paper4_state now = jo_paper4_now(balls);
    for (int k = 0; k < 18; k++)
        assert_true(now.v[k] == (k == 0 ? 1.0 : 0.0));
    jo_paper4_destroy(balls);
}

/* One ball meets two that touch, both at the same time: pairs by index, repeated until all part. */
static void three_at_once(void **state)
{
    (void)state;
    const double half = 0.5, back = -1.0 - sqrt(0.75);
    const double x[] = {back, 0.0, 0.0, 0.0, half, 0.0, 0.0, -half, 0.0};
    const double v[] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double first[9];
    for (int run = 0; run < 2; run++) {
        jo_paper4 *balls = make(3, 20.0, 0.5, x, v);
        jo_paper4_event event;
        int pairs = 0;
        for (; jo_paper4_next(balls, &event) && event.time < 1.0 + 1e-12; pairs++) {
            jo_paper4_collide(balls, &event);
            assert_true(fabs(event.time - 1.0) < 1e-14 && event.partner >= 0);
            if (pairs == 0) assert_true(event.ball == 0 && event.partner == 1);
        }
        const jo_paper4_state now = jo_paper4_now(balls);
        double momentum = 0.0, energy = 0.0;
        for (int k = 0; k < 9; k++)
            energy += now.v[k] * now.v[k];
        for (int k = 0; k < 3; k++)
            momentum += now.v[3 * k];
        assert_true(pairs >= 2 && pairs <= 6);
        assert_true(fabs(momentum - 1.0) < 1e-15 && fabs(energy - 1.0) < 1e-15);
        if (run == 0) memcpy(first, now.v, sizeof first);
        assert_memory_equal(first, now.v, sizeof first);
        jo_paper4_destroy(balls);
    }
}

/* One ball, 10^6 bounces: the axes are independent, so the k-th bounce of each has a closed
 * form. */
static void a_million_bounces(void **state)
{
    (void)state;
    const double x[] = {0.1, -0.2, 0.3}, v[] = {1.0, sqrt(2.0), -sqrt(5.0)};
    const double reach = 0.5 * 1.0 - 0.05;
    jo_paper4 *balls = make(1, 1.0, 0.05, x, v);
    double count[3] = {0}, worst = 0.0;
    for (int k = 0; k < 1000000; k++) {
        jo_paper4_event event;
        assert_true(jo_paper4_collide(balls, &event));
        const int axis = (-1 - event.partner) / 2;
        const double ahead = v[axis] > 0.0 ? reach - x[axis] : reach + x[axis];
        const double time = (ahead + count[axis]++ * 2.0 * reach) / fabs(v[axis]);
        worst = fmax(worst, fabs(event.time - time) / time);
    }
    if (!(worst < 1e-12)) fail_msg("times are off by %g", worst);
    const jo_paper4_stats stats = jo_paper4_statistics(balls);
    assert_int_equal(stats.with_walls, 1000000);
    assert_int_equal(stats.with_balls, 0);
    const jo_paper4_state now = jo_paper4_now(balls);
    for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(now.v[axis]) == fabs(v[axis]) && fabs(now.x[axis]) < reach + 1e-9);
    jo_paper4_destroy(balls);
}

/* ---- what the array promises */

/* The first collision of all, by looking at every pair and wall, with the textbook's root. */
static double first_of_all(const jo_paper4_state *s)
{
    const double reach = 0.5 * s->w - s->r;
    double first = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double x = s->x[3 * i + k], v = s->v[3 * i + k];
            if (v != 0.0) first = fmin(first, ((v > 0.0 ? reach : -reach) - x) / v);
        }
        for (size_t j = 0; j < i; j++) {
            double a = 0.0, b = 0.0, c = -4.0 * s->r * s->r;
            for (size_t k = 0; k < 3; k++) {
                const double r = s->x[3 * i + k] - s->x[3 * j + k];
                const double v = s->v[3 * i + k] - s->v[3 * j + k];
                a += v * v;
                b += r * v;
                c += r * r;
            }
            if (b < 0.0 && b * b > a * c) first = fmin(first, (-b - sqrt(b * b - a * c)) / a);
        }
    }
    return s->time + first;
}

static void the_next_collision_is_the_first_of_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        jo_paper4 *balls = make_grid(4, 1.0, seed);
        for (int k = 0; k < 3000; k++) {
            const jo_paper4_state now = jo_paper4_now(balls);
            const double want = first_of_all(&now);
            jo_paper4_event event;
            assert_true(jo_paper4_collide(balls, &event));
            if (!(fabs(event.time - want) < 1e-11))
                fail_msg("seed %d, event %d: %.17g instead of %.17g", (int)seed, k, event.time,
                         want);
        }
        jo_paper4_destroy(balls);
    }
}

static void nothing_overlaps_and_energy_stays(void **state)
{
    (void)state;
    jo_paper4 *balls = make_grid(5, 1.0, 11);
    jo_paper4_state now = jo_paper4_now(balls);
    double energy = 0.0, later = 0.0;
    for (size_t k = 0; k < 3 * now.n; k++)
        energy += now.v[k] * now.v[k];
    uint64_t collisions = 0;
    for (int frame = 1; frame <= 100; frame++) {
        collisions += jo_paper4_advance(balls, 0.1 * frame);
        now = jo_paper4_now(balls);
        assert_true(now.time == 0.1 * frame);
        for (size_t i = 0; i < now.n; i++)
            for (size_t j = 0; j < i; j++) {
                double d2 = 0.0;
                for (size_t k = 0; k < 3; k++)
                    d2 += pow(now.x[3 * i + k] - now.x[3 * j + k], 2.0);
                assert_true(sqrt(d2) > 2.0 * now.r - 1e-13);
            }
    }
    for (size_t k = 0; k < 3 * now.n; k++)
        later += now.v[k] * now.v[k];
    const jo_paper4_stats stats = jo_paper4_statistics(balls);
    assert_int_equal(stats.with_balls + stats.with_walls, collisions);
    assert_true(collisions > 5000);
    assert_true(fabs(later / energy - 1.0) < 1e-13);
    jo_paper4_destroy(balls);
}

/* O(n) per collision: the number of balls computed anew does not grow with n. */
static void few_balls_are_computed_anew(void **state)
{
    (void)state;
    for (size_t nbs = 4; nbs <= 10; nbs += 3) {
        jo_paper4 *balls = make_grid(nbs, 1.0, 5);
        for (int k = 0; k < 3000; k++)
            jo_paper4_collide(balls, NULL);
        const jo_paper4_stats stats = jo_paper4_statistics(balls);
        const double each =
            (double)stats.recalculated / (double)(stats.with_balls + stats.with_walls);
        if (!(each > 1.0 && each < 6.0)) fail_msg("nbs %zu: %g per collision", nbs, each);
        const uint64_t n = nbs * nbs * nbs;
        assert_int_equal(stats.pair_tests, (n + stats.recalculated) * (n - 1));
        jo_paper4_destroy(balls);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radius_fills_four_ninetieths),
        cmocka_unit_test(grid_is_regular_and_disjoint),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(head_on),
        cmocka_unit_test(walls_reflect_in_order),
        cmocka_unit_test(an_edge_is_two_walls),
        cmocka_unit_test(nothing_happens_to_balls_at_rest),
        cmocka_unit_test(newtons_cradle),
        cmocka_unit_test(three_at_once),
        cmocka_unit_test(a_million_bounces),
        cmocka_unit_test(the_next_collision_is_the_first_of_all),
        cmocka_unit_test(nothing_overlaps_and_energy_stays),
        cmocka_unit_test(few_balls_are_computed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
