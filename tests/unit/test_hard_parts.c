/* test_hard_parts.c — the parts of the event-driven engine: calendar, roots, impact law. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "hard/calendar.h"
#include "hard/roots.h"
#include "law/impact.h"

/* ---- calendar ---- */

static int by_time(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->ball < y->ball ? 1 : x->ball > y->ball ? -1 : 0; /* ids run against the indices */
}

/* Entries put in before and while others are taken come out in the order of time, then id. `spread` is how
 * far into the future new ones go, in days; `same` how many have the same time as another. */
static void run_calendar(uint32_t days, size_t start, size_t more, double spread, bool same)
{
    enum { BALLS = 5000 };
    static uint64_t id[BALLS];
    calendar c = {.id = id};
    random_stream r = jo_random_start(days, start);
    entry *all = malloc((start + more) * sizeof *all);
    size_t put = 0, taken = 0, lost = 0;
    double now = 0.0;
    for (size_t i = 0; i < BALLS; i++)
        id[i] = BALLS - i;
    assert_true(jo_calendar_make(&c, days));
    jo_calendar_begin(&c, 4.0);
    while (put < start) {
        double t = 5.0 * jo_random_uniform(&r);
        if (same) t = floor(8.0 * t) / 8.0;
        all[put] = (entry){t, (uint32_t)(jo_random_bits(&r) % BALLS), 0};
        calendar_put(&c, all[put].time, all[put].ball);
        put++;
    }
    for (;;) {
        const entry *e = calendar_peek(&c);
        if (e == NULL) break;
        assert_true(e->time >= now);
        now = e->time;
        taken++;
        const entry got = *e;
        calendar_drop(&c, e);
        /* It was put in, and not taken before. */
        size_t k = 0;
        while (k < put && (all[k].time != got.time || all[k].ball != got.ball || all[k].spare != 0))
            k++;
        assert_true(k < put);
        all[k].spare = 1;
        /* Nothing that is still in is before it. */
        if (taken % 50 == 0)
            for (size_t q = 0; q < put; q++)
                assert_true(all[q].spare != 0 || by_time(&all[q], &got) >= 0);
        if (put < start + more) {
            all[put] = (entry){now + spread * jo_random_uniform(&r),
                               (uint32_t)(jo_random_bits(&r) % BALLS), 0};
            calendar_put(&c, all[put].time, all[put].ball);
            put++;
        }
    }
    for (size_t k = 0; k < put; k++)
        lost += all[k].spare == 0 && all[k].time < 4.0;
    assert_int_equal(lost, 0);
    assert_false(c.failed);
    jo_calendar_free(&c);
    free(all);
}

static void test_calendar(void **state)
{
    (void)state;
    run_calendar(100, 500, 1500, 0.01, false);
    run_calendar(100, 500, 1500, 1.0, false);
    run_calendar(16, 2000, 500, 0.5, true);
    run_calendar(2000, 50, 1000, 3.0, false);
    run_calendar(16, 0, 10, 1.0, false);
}

/* ---- roots ---- */

/* The first fall by walking along in small steps. */
static double walk(const double *c, int degree, double until)
{
    const int steps = 200000;
    double before = INFINITY;
    for (int k = 0; k <= steps; k++) {
        const double t = until * k / steps;
        double p = c[degree];
        for (int d = degree - 1; d >= 0; d--)
            p = p * t + c[d];
        if (p <= 0.0 && before > 0.0 && k > 0) return t;
        before = p;
    }
    return INFINITY;
}

static void test_roots(void **state)
{
    (void)state;
    random_stream r = jo_random_start(3, 1);
    int found = 0;
    for (int k = 0; k < 40; k++) {
        double c[5];
        const int degree = 1 + k % 4;
        for (int d = 0; d <= degree; d++)
            c[d] = jo_random_normal(&r);
        c[0] = fabs(c[0]) + 0.01;
        const double t = jo_first_fall(c, degree, 3.0), slow = walk(c, degree, 3.0);
        if (isinf(slow)) continue; /* a walk may miss two roots close together */
        found++;
        assert_true(t <= slow + 1e-12);
        assert_true(t > slow - 4e-5 || t < slow);
        double p = c[degree];
        for (int d = degree - 1; d >= 0; d--)
            p = p * t + c[d];
        assert_true(fabs(p) < 1e-13 * (1.0 + fabs(c[0])));
    }
    assert_true(found > 10);
    /* Four roots: 1, 2, 3, 4, rising first. */
    const double four[5] = {24, -50, 35, -10, 1};
    assert_true(fabs(jo_first_fall(four, 4, INFINITY) - 1.0) < 1e-14);
    assert_true(isinf(jo_first_fall(four, 4, 0.5)));
    /* On the ground by rounding, rising by less than that: it meets when it begins to fall. */
    const double low[3] = {-1e-16, 1e-10, -1.0};
    assert_true(fabs(jo_first_fall(low, 2, INFINITY) - 0.5e-10) < 1e-20);
    const double rises[2] = {-1e-16, 1.0}, falls[2] = {-1e-16, -1.0}, flat[1] = {-1.0};
    assert_true(isinf(jo_first_fall(rises, 1, INFINITY)));
    assert_true(jo_first_fall(falls, 1, INFINITY) == 0.0);
    assert_true(isinf(jo_first_fall(flat, 0, INFINITY)));
}

/* ---- impact law ---- */

static void test_impact(void **state)
{
    (void)state;
    const impact_pair p = {.restitution = 0.6, .speed = 2.0, .friction = 0.3, .tangential = 0.5};
    assert_true(impact_restitution(&p, 3.0) == 0.6);
    assert_true(fabs(impact_restitution(&p, 0.5) - (1.0 - 0.4 * pow(0.25, 0.75))) < 1e-15);
    /* Two unequal balls: momentum is what is exchanged; the energy lost is what is missing. */
    const impact_body a = {1.0 / 3.0, 2.5}, b = {1.0 / 7.0, 2.5};
    const double slide[2][3] = {{0.1, 0.05, 0}, {4, 3, 0}};
    for (int k = 0; k < 2; k++) {
        const impact_result out = impact_solve(&p, 0.6, a, b, 2.0, slide[k]);
        const double reduced = 1.0 / (a.inverse_mass + b.inverse_mass);
        assert_true(fabs(out.normal - 1.6 * 2.0 * reduced) < 1e-14);
        const double t = hypot(out.tangential[0], out.tangential[1]);
        const double speed = hypot(slide[k][0], slide[k][1]), response = 3.5 / reduced;
        const double expected = k == 0 ? 1.5 * speed / response : 0.3 * out.normal;
        assert_true(fabs(t - expected) < 1e-14);
        const double after = speed - t * response;
        const double lost =
            0.5 * reduced * (4.0 - 1.44) + 0.5 * (speed * speed - after * after) / response;
        assert_true(fabs(out.lost - lost) < 1e-13);
        assert_true(out.tangential[0] < 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
