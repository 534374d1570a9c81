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

enum { CALENDAR_BALLS = 5000 };

/* The ball whose event is first: by time, then by id, which run against the indices. */
static size_t first_due(const plan *plans)
{
    size_t first = 0;
    for (size_t i = 1; i < CALENDAR_BALLS; i++)
        if (pending(&plans[i]) <= pending(&plans[first])) first = i;
    return first;
}

static void put_due(calendar *c, plan *plans, size_t ball, double time)
{
    plans[ball] = (plan){.meet = (ball & 1) != 0 ? time : (double)INFINITY,
                         .leave = (ball & 1) != 0 ? (double)INFINITY : time};
    calendar_put(c, time, (uint32_t)ball);
}

/* What is put in before and while others are taken comes out in the order of time, then id, and
 * what was replaced does not. `spread` is how far into the future new ones go; `same`: many have
 * the same time as another; `far_apart`: pages are waited for. */
static void run_calendar(uint32_t days, size_t start, size_t more, double spread, bool same,
                         bool far_apart)
{
    static uint64_t id[CALENDAR_BALLS];
    static plan plans[CALENDAR_BALLS];
    calendar c = {.id = id, .plans = plans, .far_apart = far_apart};
    random_stream r = jo_random_start(days, start);
    size_t taken = 0, stale = 0;
    for (size_t i = 0; i < CALENDAR_BALLS; i++) {
        id[i] = CALENDAR_BALLS - i;
        plans[i] = (plan){.meet = (double)INFINITY, .leave = (double)INFINITY};
    }
    assert_true(jo_calendar_make(&c, days));
    jo_calendar_begin(&c, 4.0);
    for (size_t k = 0; k < start; k++) {
        double t = 5.0 * jo_random_uniform(&r);
        if (same) t = floor(8.0 * t) / 8.0;
        put_due(&c, plans, jo_random_bits(&r) % CALENDAR_BALLS, t);
    }
    for (;;) {
        const entry *e = calendar_peek(&c);
        if (e == NULL) break;
        const entry got = *e;
        calendar_drop(&c, e);
        if (got.time != pending(&plans[got.ball])) {
            stale++;
            continue;
        }
        assert_int_equal(first_due(plans), got.ball);
        plans[got.ball].meet = plans[got.ball].leave = (double)INFINITY;
        taken++;
        for (int k = 0; k < 2 && more > 0; k++, more--) {
            double t = got.time + spread * jo_random_uniform(&r);
            if (same) t = ceil(8.0 * t) / 8.0;
            put_due(&c, plans, jo_random_bits(&r) % CALENDAR_BALLS, t);
        }
    }
    /* What is left is due beyond the epoch. */
    assert_true(pending(&plans[first_due(plans)]) >= 4.0);
    assert_true(taken > 0);
    assert_true(stale < taken);
    assert_false(c.failed);
    jo_calendar_free(&c);
}

static void test_calendar(void **state)
{
    (void)state;
    for (int far_apart = 0; far_apart < 2; far_apart++) {
        run_calendar(100, 500, 1500, 0.01, false, far_apart);
        run_calendar(100, 500, 1500, 1.0, false, far_apart);
        run_calendar(16, 2000, 500, 0.5, true, far_apart);
        run_calendar(2000, 50, 1000, 3.0, false, far_apart);
        run_calendar(16, 3, 10, 1.0, false, far_apart);
        run_calendar(16, 20000, 4000, 0.5, true, far_apart);
        run_calendar(400, 4000, 8000, 0.02, false, far_apart);
    }
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
