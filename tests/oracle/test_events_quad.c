/* test_events_quad.c — event-driven engines against hard balls in quadruple precision.
 *
 * See support/quad_compare.h for what is compared and why in windows. First the reference itself is
 * held against closed forms: whatever else is wrong, it must not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/paper4.h"
#include "support/quad_compare.h"
#include "support/systems.h"

#if QUAD_AVAILABLE

static double off(quad a, quad b)
{
    return fabs((double)(a - b));
}

/* ---- the reference against closed forms */

static void roots_have_thirty_digits(void **state)
{
    (void)state;
    for (double x = 1e-30; x < 1e30; x *= 7.3) {
        const quad root = quad_sqrt((quad)x);
        assert_true(off(root * root / (quad)x, 1) < 1e-32);
    }
}

static void next_is(quad_balls *s, quad time, int ball, int partner)
{
    quad_event event;
    assert_true(quad_collide(s, &event));
    if (event.ball != ball || event.partner != partner || off(event.time, time) > 1e-29)
        fail_msg("(%d, %d) at %.17g instead of (%d, %d) at %.17g", event.ball, event.partner,
                 (double)event.time, ball, partner, (double)time);
}

/* A ball dropped from h onto a floor with restitution e bounces at sqrt(2h/g) (1 + 2e + 2e² +
 * …). */
static void reference_bounces(void **state)
{
    (void)state;
    quad_balls s;
    quad_start(&s, 1, 3);
    s.edge[2] = QUAD_WALLS;
    s.lo[2] = 0;
    s.hi[2] = 1000;
    s.gravity[2] = -10;
    s.wall_restitution = (quad)0.5;
    s.x[0][2] = 6; /* radius 1: falls 5 in 1 */
    quad_predict(&s);
    quad time = 1, flight = 1;
    for (int k = 0; k < 20; k++) {
        next_is(&s, time, 0, -5);
        time += flight; /* up and down again at half the speed: 2 * flight / 2 */
        flight /= 2;
    }
}

/* A light ball between a wall and one 100^k times heavier collides 3, 31, 314 times (Galperin). */
static void reference_counts_pi(void **state)
{
    (void)state;
    const int want[] = {3, 31, 314};
    for (int k = 0; k < 3; k++) {
        quad_balls s;
        quad_start(&s, 2, 2);
        s.edge[0] = QUAD_WALLS;
        s.lo[0] = 0;
        s.hi[0] = (quad)1e9;
        s.mass[1] = (quad)pow(100.0, k);
        s.x[0][0] = 3;
        s.x[1][0] = 10;
        s.v[1][0] = -1;
        quad_predict(&s);
        int count = 0;
        for (quad_event event; quad_collide(&s, &event) && event.time < (quad)1e6; count++)
            assert_true(event.partner == 1 || event.partner == -1);
        assert_int_equal(count, want[k]);
    }
}

/* Across a periodic face, an image is met; also one's partner again after once round the box. */
static void reference_meets_images(void **state)
{
    (void)state;
    quad_balls s;
    quad_start(&s, 2, 3);
    for (int axis = 0; axis < 3; axis++) {
        s.edge[axis] = QUAD_PERIODIC;
        s.hi[axis] = 10;
    }
    s.x[0][0] = 2;
    s.x[1][0] = 7;
    s.v[0][0] = -1; /* 5 to go to the image of ball 1 at -3, less two radii */
    quad_predict(&s);
    next_is(&s, 3, 0, 1);
    /* Ball 1 took the velocity; 10 - 2 radii later it has gone round and meets ball 0 again. */
    for (int k = 1; k < 10; k++)
        next_is(&s, 3 + 6 * (quad)k + 0, 0, 1);
}

/* Energy and momentum in a periodic mixture, over 2000 events: exact to quadruple rounding. */
static void reference_conserves(void **state)
{
    (void)state;
    quad_balls s;
    rng g = rng_seeded(3);
    quad_start(&s, 8, 3);
    for (int axis = 0; axis < 3; axis++) {
        s.edge[axis] = QUAD_PERIODIC;
        s.hi[axis] = 4;
    }
    for (int i = 0; i < 8; i++) {
        s.radius[i] = (quad)rng_between(&g, 0.3, 0.9);
        s.mass[i] = (quad)rng_between(&g, 0.2, 5.0);
        for (int axis = 0; axis < 3; axis++) {
            s.x[i][axis] = 2 * (i >> axis & 1);
            s.v[i][axis] = (quad)rng_between(&g, -1.0, 1.0);
        }
    }
    quad_predict(&s);
    quad momentum[3] = {0}, later[3] = {0};
    const quad energy = quad_energy(&s);
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
            momentum[axis] += s.mass[i] * s.v[i][axis];
    for (int k = 0; k < 2000; k++) {
        quad_event event;
        assert_true(quad_collide(&s, &event));
    }
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
            later[axis] += s.mass[i] * s.v[i][axis];
    assert_true(off(quad_energy(&s) / energy, 1) < 1e-29);
    for (int axis = 0; axis < 3; axis++)
        assert_true(off(momentum[axis], later[axis]) < 1e-29);
}

/* Oblique onto a rough floor: the closed forms of a ball that sticks, and of one that slides. */
static void reference_rubs(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int slides = 0; slides < 2; slides++) {
            quad_balls s;
            const int up = dim - 1;
            const double grip = dim == 2 ? 1.0 / 3.0 : 2.0 / 7.0, mu = slides ? 0.1 : 1.0;
            quad_start(&s, 1, dim);
            s.edge[up] = QUAD_WALLS;
            s.hi[up] = 100;
            s.x[0][up] = 2;
            s.v[0][up] = -1;
            s.v[0][0] = 1;
            s.wall_restitution = (quad)0.5;
            s.friction = (quad)mu;
            s.tangential_restitution = (quad)0.25;
            quad_predict(&s);
            next_is(&s, 1, 0, -1 - 2 * up);
            /* Along x: 1.25 of the surface's velocity times the grip, or friction times 1.5. */
            const double lost = slides ? mu * 1.5 : 1.25 * grip;
            const double spin = (dim == 2 ? 2.0 : 2.5) * lost;
            assert_true(off(s.v[0][0], (quad)(1.0 - lost)) < 1e-15);
            assert_true(off(s.v[0][up], (quad)0.5) < 1e-30);
            /* It rolls forward: about -z in 2D (up is y), about +y in 3D (up is z). */
            assert_true(off(s.w[0][dim == 2 ? 2 : 1], (quad)(dim == 2 ? -spin : spin)) < 1e-15);
            if (!slides) /* the surface's velocity is reversed and a quarter of it left */
                assert_true(fabs((double)s.v[0][0] - spin + 0.25) < 1e-15);
        }
}

/* Rough balls: momentum, angular momentum and, with beta = 1 and enough friction, energy are
 * kept. */
static void reference_spins(void **state)
{
    (void)state;
    quad_balls s;
    rng g = rng_seeded(8);
    quad_start(&s, 2, 3);
    s.mass[1] = 3;
    s.radius[1] = 2;
    s.friction = 1000;
    s.tangential_restitution = 1;
    s.x[1][0] = 10;
    s.v[0][0] = 1;
    for (int k = 0; k < 3; k++) {
        s.x[1][k] += (quad)rng_unit(&g);
        s.w[0][k] = (quad)rng_between(&g, -1.0, 1.0);
        s.w[1][k] = (quad)rng_between(&g, -1.0, 1.0);
    }
    quad_predict(&s);
    const quad before = quad_energy(&s);
    quad L[2] = {0, 0};
    for (int later = 0; later < 2; later++) {
        for (int i = 0; i < 2; i++) /* about z */
            L[later] += s.mass[i] * (s.x[i][0] * s.v[i][1] - s.x[i][1] * s.v[i][0]) +
                        2 * s.mass[i] * s.radius[i] * s.radius[i] * s.w[i][2] / 5;
        quad_event event;
        if (!later) assert_true(quad_collide(&s, &event));
    }
    assert_true(off(quad_energy(&s) / before, 1) < 1e-31);
    assert_true(off(L[0], L[1]) < 1e-30);
    assert_true(off(s.v[0][0] + 3 * s.v[1][0], 1) < 1e-31);
}

/* Balls at rest that grow: they meet when their radii fill the gap, and part at twice the rate at
 * which their surfaces met. A wall likewise. */
static void reference_grows(void **state)
{
    (void)state;
    quad_balls s;
    quad_start(&s, 2, 3);
    s.growth = (quad)0.25;
    s.x[1][0] = 3;
    s.v[1][1] = s.v[0][1] = 1; /* together */
    quad_predict(&s);
    next_is(&s, 2, 0, 1); /* 2 (1 + t/4) = 3 */
    assert_true(off(s.v[1][0] - s.v[0][0], 1) < 1e-31);
    assert_true(off(s.v[1][0] + s.v[0][0], 0) < 1e-31);
    quad_start(&s, 1, 2);
    s.growth = (quad)0.25;
    s.edge[0] = QUAD_WALLS;
    s.hi[0] = 10;
    s.x[0][0] = 2;
    quad_predict(&s);
    next_is(&s, 4, 0, -1); /* 1 + t/4 = 2 */
    assert_true(off(s.v[0][0], (quad)0.5) < 1e-31);
    /* 10 - 2 - (t - 4)/2 = 2 + (t - 4)/4 at t = 12; it then moves on at -0.5 - 0.25 - 0.25. */
    next_is(&s, 12, 0, -2);
    assert_true(off(s.v[0][0], -1) < 1e-31);
}

/* ---- paper4 */

static bool paper4_collide(void *self, double *time, int *ball, int *partner)
{
    jo_paper4_event event;
    if (!jo_paper4_collide(self, &event)) return false;
    *time = event.time;
    *ball = event.ball;
    *partner = event.partner;
    return true;
}

static void paper4_state(void *self, double *x, double *v, double *w, double *time)
{
    const jo_paper4_state now = jo_paper4_now(self);
    memcpy(x, now.x, 3 * now.n * sizeof *x);
    memcpy(v, now.v, 3 * now.n * sizeof *v);
    memset(w, 0, 3 * now.n * sizeof *w);
    *time = now.time;
}

/* n balls that fill a share of a cube of edge 2, on places of a grid chosen at random. */
static jo_paper4 *scatter(int n, double filled, uint64_t seed, quad_balls *reference)
{
    double x[3 * QUAD_MAX], v[3 * QUAD_MAX];
    const double w = 2.0, r = cbrt(filled * w * w * w / (n * 4.0 / 3.0 * M_PI));
    rng g = rng_seeded(seed);
    int cells = (int)ceil(cbrt(n));
    bool taken[64] = {false};
    for (int i = 0; i < n; i++) {
        size_t place = rng_below(&g, (size_t)(cells * cells * cells));
        while (taken[place])
            place = (place + 1) % (size_t)(cells * cells * cells);
        taken[place] = true;
        const int at[3] = {(int)place / (cells * cells), (int)place / cells % cells,
                           (int)place % cells};
        const double room = w / cells - 2.0 * r;
        assert_true(room > 0.0);
        for (int axis = 0; axis < 3; axis++) {
            x[3 * i + axis] =
                w * at[axis] / cells - 0.5 * w + r + room * rng_between(&g, 0.01, 0.99);
            v[3 * i + axis] = rng_between(&g, -1.0, 1.0);
        }
    }
    quad_start(reference, n, 3);
    for (int axis = 0; axis < 3; axis++) {
        reference->edge[axis] = QUAD_WALLS;
        reference->lo[axis] = -1;
        reference->hi[axis] = 1;
    }
    for (int i = 0; i < n; i++)
        reference->radius[i] = (quad)r;
    jo_error error = {0};
    jo_paper4 *balls = NULL;
    if (jo_paper4_create((size_t)n, w, r, x, v, &balls, &error) != JO_OK)
        fail_msg("%s", error.text);
    return balls;
}

static void show(const char *what, int n, double filled, const comparison *c)
{
    print_message("%s, %2d balls, %4.1f %% filled: %ld events, times off by %.1e (over a flight "
                  "%.1e), velocities by %.1e; %ld ties%s%s\n",
                  what, n, 100.0 * filled, c->events, c->worst_time, c->worst_interval,
                  c->worst_velocity, c->ties, c->differs ? "; " : "", c->text);
}

/* The same events for 10^4 events, times to 1e-12: windows of about one collision per ball. */
static void paper4_in_windows(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 5, 10, 20, 50};
    const double filled[] = {4.0 / 90.0, 0.12};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int dense = 0; dense < 2; dense++) {
            quad_balls reference;
            const int n = sizes[k];
            jo_paper4 *balls = scatter(n, filled[dense], 100 + k, &reference);
            const event_engine engine = {balls, paper4_collide, paper4_state};
            const long events = quad_events(10000);
            const comparison c = quad_follow(&engine, &reference, events, 4 + n / 4);
            show("paper4", n, filled[dense], &c);
            jo_paper4_destroy(balls);
            assert_int_equal(c.events, events);
            assert_int_equal(c.ties, 0);
            assert_true(c.worst_time < 1e-12);
            assert_true(c.worst_interval < 1e-10);
            assert_true(c.worst_velocity < 1e-12);
        }
}

/* Without windows: how long one start keeps double and quadruple together. Errors grow tenfold or
 * so with every collision of a ball, so that it cannot be long; an engine with an error of its own,
 * and not of rounding, falls far short of it. */
static void paper4_from_one_start(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 5, 10, 20, 50};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        quad_balls reference;
        const int n = sizes[k];
        jo_paper4 *balls = scatter(n, 4.0 / 90.0, 200 + k, &reference);
        const event_engine engine = {balls, paper4_collide, paper4_state};
        const comparison c = quad_follow(&engine, &reference, 10000, 0);
        show("paper4, one start", n, 4.0 / 90.0, &c);
        jo_paper4_destroy(balls);
        assert_true(c.events >= 6 * n);
    }
}

/* Balls on a line exchange velocities: nothing grows, and one start must last. */
static void paper4_on_a_line(void **state)
{
    (void)state;
    enum { N = 10 };
    quad_balls reference;
    double x[3 * N] = {0}, v[3 * N] = {0};
    rng g = rng_seeded(5);
    quad_start(&reference, N, 3);
    for (int axis = 0; axis < 3; axis++) {
        reference.edge[axis] = QUAD_WALLS;
        reference.lo[axis] = -1;
        reference.hi[axis] = 1;
    }
    for (int i = 0; i < N; i++) {
        reference.radius[i] = (quad)0.05;
        x[3 * i] = -0.9 + 0.2 * i + rng_between(&g, -0.04, 0.04);
        v[3 * i] = rng_between(&g, -1.0, 1.0);
    }
    jo_error error = {0};
    jo_paper4 *balls = NULL;
    assert_int_equal(jo_paper4_create(N, 2.0, 0.05, x, v, &balls, &error), JO_OK);
    const event_engine engine = {balls, paper4_collide, paper4_state};
    const comparison c = quad_follow(&engine, &reference, 10000, 0);
    show("paper4 on a line", N, 0.0, &c);
    jo_paper4_destroy(balls);
    assert_int_equal(c.events, 10000);
    assert_true(c.worst_time < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_have_thirty_digits), cmocka_unit_test(reference_bounces),
        cmocka_unit_test(reference_counts_pi),      cmocka_unit_test(reference_meets_images),
        cmocka_unit_test(reference_conserves),      cmocka_unit_test(reference_rubs),
        cmocka_unit_test(reference_grows),          cmocka_unit_test(reference_spins),
        cmocka_unit_test(paper4_in_windows),        cmocka_unit_test(paper4_from_one_start),
        cmocka_unit_test(paper4_on_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("no quadruple precision on this machine: skipped");
    return 0;
}

#endif
