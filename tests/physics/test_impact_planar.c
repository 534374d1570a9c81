/* test_impact_planar.c — planar impacts with friction: exact cases, the table of Wang & Mason, slow
 * integration of the impact in small portions of impulse, and what must hold of every impact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "law/impact_planar.h"
#include "support/scaled.h"

static double between(random_stream *r, double lo, double hi)
{
    return lo + (hi - lo) * jo_random_uniform(r);
}

/* Rational arithmetic by hand: a disc on a wall, a rod that falls at 45 degrees. */
static void test_exact_cases(void **state)
{
    (void)state;
    static const struct {
        double b1, b2, b3, slide, normal, friction, restitution, px, py;
        planar_mode mode;
    } cases[] = {
        {3, 1, 0, 6, -1, 0.3, 0.5, -9.0 / 20, 3.0 / 2, PLANAR_SLIDING},
        {3, 1, 0, 1, -1, 0.3, 0.5, -1.0 / 3, 3.0 / 2, PLANAR_STICKS_RESTITUTION},
        {3, 1, 0, 0.5, -1, 0.3, 0.5, -1.0 / 6, 3.0 / 2, PLANAR_STICKS_COMPRESSION},
        {2.5, 2.5, 1.5, 0, -1, 0.5, 0.5, 3.0 / 7, 6.0 / 7, PLANAR_REVERSE_COMPRESSION},
        {2.5, 2.5, 1.5, 0, -1, 0.7, 0.5, 9.0 / 16, 15.0 / 16, PLANAR_STICKS_COMPRESSION},
        {2.5, 2.5, 1.5, 0.5, -1, 0.3, 0.5, 26.0 / 615, 24.0 / 41, PLANAR_REVERSE_COMPRESSION},
        {2.5, 2.5, 1.5, 1, -1, 0.3, 0.5, -101.0 / 885, 30.0 / 59, PLANAR_REVERSE_RESTITUTION},
        {2.5, 2.5, 1.5, 2, -1, 0.3, 0.5, -9.0 / 59, 30.0 / 59, PLANAR_SLIDING},
        {2.5, 2.5, 1.5, -1, -1, 0.3, 0.5, 9.0 / 41, 30.0 / 41, PLANAR_SLIDING},
        {2.5, 2.5, 1.5, 1, -1, 0.7, 0.5, -52.0 / 355, 30.0 / 71, PLANAR_STICKS_RESTITUTION},
        {2.5, 2.5, 1.5, -1, -1, 2, 0.5, 13.0 / 10, 3.0 / 2, PLANAR_STICKS_COMPRESSION},
        {2.5, 2.5, 1.5, -1, 0, 2, 0.5, 59.0 / 80, 9.0 / 16, PLANAR_STICKS_COMPRESSION},
        {2.5, 2.5, 1.5, 1, 0, 2, 0.5, 0, 0, PLANAR_APART}, /* grazes without jamming */
        {2.5, 2.5, 1.5, 1, 0.1, 2, 0.5, 0, 0, PLANAR_APART},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const planar_contact c = {cases[k].b1, cases[k].b2, cases[k].b3, cases[k].slide,
                                  cases[k].normal};
        const planar_impulse p = jo_planar_impact(&c, cases[k].friction, cases[k].restitution, 0.0);
        if (!(fabs(p.px - cases[k].px) < 1e-15 && fabs(p.py - cases[k].py) < 2e-15))
            fail_msg("case %zu: (%.17g, %.17g), not (%.17g, %.17g)", k, p.px, p.py, cases[k].px,
                     cases[k].py);
        assert_int_equal(p.mode, cases[k].mode);
    }
}

/* Wang & Mason's table, for s S0 >= 0. */
static void table_of_cases(const planar_contact *c, double mu, double e, double *px, double *py)
{
    const long double b1 = c->b1, b2 = c->b2, b3 = c->b3, s0 = c->slide, c0 = c->normal;
    const long double s = s0 < 0 ? -1 : 1, pd = (b2 + s * mu * b3) * s * s0;
    const long double pq = (mu * b1 + s * b3) * -c0, q = s0 / (b3 + s * mu * b1);
    long double x, y;
    if (pd >= (1 + e) * pq) {
        y = -(1 + e) * c0 / (b2 + s * mu * b3);
        x = -s * mu * y;
    } else if (mu >= fabsl(b3 / b1)) {
        y = pd <= pq ? -(1 + e) * (b1 * c0 + b3 * s0) / (b1 * b2 - b3 * b3)
                     : -(1 + e) * c0 / (b2 + s * mu * b3);
        x = (b3 * y - s0) / b1;
    } else {
        y = pd <= pq ? -(1 + e) * (c0 + 2 * s * mu * b3 * q) / (b2 - s * mu * b3)
                     : -(1 + e) * c0 / (b2 + s * mu * b3);
        x = s * mu * (y - 2 * q);
    }
    *px = (double)x;
    *py = (double)y;
}

/* Two bodies of random mass, size and speed that touch at the origin; body 2 may be a wall. */
typedef struct collision {
    planar_body one, two;
    double arm1[2], arm2[2], n[2], friction, restitution;
} collision;

static planar_body random_body(random_stream *r)
{
    const double mass = exp(between(r, -3, 3)), gyration = exp(between(r, -1.5, 1.0));
    return (planar_body){.inverse_mass = 1.0 / mass,
                         .inverse_inertia = 1.0 / (mass * gyration * gyration),
                         .v = {between(r, -1, 1), between(r, -1, 1)},
                         .spin = between(r, -2, 2)};
}

static collision random_collision(random_stream *r)
{
    collision c = {.one = random_body(r), .two = random_body(r)};
    const double angle = between(r, 0, 6.283185307179586);
    c.n[0] = cos(angle);
    c.n[1] = sin(angle);
    for (int k = 0; k < 2; k++) {
        c.arm1[k] = between(r, -1, 1);
        c.arm2[k] = between(r, -1, 1);
    }
    const double kind = jo_random_uniform(r);
    if (kind < 0.3) { /* a wall, at rest or moving */
        c.two.inverse_mass = c.two.inverse_inertia = 0.0;
        if (kind < 0.2) c.two.v[0] = c.two.v[1] = c.two.spin = 0.0;
    }
    const double rough = jo_random_uniform(r), bouncy = jo_random_uniform(r);
    c.friction = rough < 0.1 ? 0.0 : rough < 0.9 ? between(r, 0, 1.5) : between(r, 1.5, 100);
    c.restitution = bouncy < 0.1 ? 0.0 : bouncy < 0.2 ? 1.0 : between(r, 0, 1);
    return c;
}

static double kinetic_energy(const planar_body *b)
{
    if (b->inverse_mass == 0.0) return 0.0;
    return 0.5 * (b->v[0] * b->v[0] + b->v[1] * b->v[1]) / b->inverse_mass +
           0.5 * b->spin * b->spin / b->inverse_inertia;
}

/* Energy, cone, parting, of 10^7 impacts; and all modes occur. */
static void test_every_impact(void **state)
{
    (void)state;
    random_stream r = jo_random_start(6, 1);
    size_t seen[PLANAR_MODES] = {0};
    const size_t count = scaled(10000000);
    for (size_t k = 0; k < count; k++) {
        collision c = random_collision(&r);
        const planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        const double least = k % 3 == 0 ? 0.01 : 0.0;
        const planar_impulse p = jo_planar_impact(&at, c.friction, c.restitution, least);
        seen[p.mode]++;
        if (p.mode == PLANAR_APART) continue;
        /* A wall that moves does work, so energy is that of relative motion: as seen from the
         * wall. */
        if (c.two.inverse_mass == 0.0) {
            for (int i = 0; i < 2; i++)
                c.one.v[i] -= c.two.v[i] + (i == 0 ? -1.0 : 1.0) * c.two.spin * c.arm2[1 - i];
            c.two.v[0] = c.two.v[1] = c.two.spin = 0.0;
        }
        const double before = kinetic_energy(&c.one) + kinetic_energy(&c.two);
        jo_planar_apply(&p, &c.one, &c.two, c.arm1, c.arm2, c.n);
        const double after = kinetic_energy(&c.one) + kinetic_energy(&c.two);
        const planar_contact end = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        const double speed = fabs(at.slide) - at.normal, noise = 1e-12 * (before + 1e-30);
        if (!(p.lost >= -noise && p.added >= -noise))
            fail_msg("impact %zu: lost %g, added %g of %g", k, p.lost, p.added, before);
        if (!(fabs(before - p.lost + p.added - after) <= noise))
            fail_msg("impact %zu: energy %g, lost %g, added %g, then %g", k, before, p.lost,
                     p.added, after);
        if (least == 0.0 && !(after <= before + noise)) fail_msg("impact %zu: energy grows", k);
        if (!(p.py >= 0.0 && fabs(p.px) <= c.friction * p.py * (1.0 + 1e-14)))
            fail_msg("impact %zu: impulse (%g, %g) outside the cone %g", k, p.px, p.py, c.friction);
        if (!(end.normal >= least - 1e-11 * speed))
            fail_msg("impact %zu: still approaching with %g", k, end.normal);
    }
    for (int mode = 0; mode < PLANAR_MODES; mode++)
        assert_true(seen[mode] * 500 > count);
}

static void test_against_table(void **state)
{
    (void)state;
    random_stream r = jo_random_start(6, 2);
    const size_t count = scaled(1000000);
    for (size_t k = 0; k < count; k++) {
        const collision c = random_collision(&r);
        const planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        if (!(at.normal < -1e-3)) continue;
        const planar_impulse p = jo_planar_impact(&at, c.friction, c.restitution, 0.0);
        double px, py;
        table_of_cases(&at, c.friction, c.restitution, &px, &py);
        if (!(fabs(p.px - px) + fabs(p.py - py) <= 1e-10 * (fabs(px) + fabs(py))))
            fail_msg("impact %zu: (%.17g, %.17g), not (%.17g, %.17g)", k, p.px, p.py, px, py);
    }
}

/* Normal impulse in small portions dp; each moves the tangential one by Coulomb's law. */
static planar_impulse integrate(const planar_contact *c, double friction, double restitution,
                                double dp)
{
    planar_impulse p = {.mode = PLANAR_APART};
    double slide = c->slide, normal = c->normal, end = INFINITY;
    while (p.py < end) {
        /* What would end the slip within this portion, if friction can. */
        double dx = -(slide - c->b3 * dp) / c->b1;
        if (fabs(dx) > friction * dp)
            dx = (slide > 0.0 || (slide == 0.0 && dx < 0.0)) ? -friction * dp : friction * dp;
        p.px += dx;
        p.py += dp;
        slide += c->b1 * dx - c->b3 * dp;
        normal += c->b2 * dp - c->b3 * dx;
        if (normal >= 0.0 && end == (double)INFINITY) end = (1.0 + restitution) * p.py;
    }
    return p;
}

static void test_against_integration(void **state)
{
    (void)state;
    random_stream r = jo_random_start(6, 3);
    const size_t count = scaled(400);
    size_t seen[PLANAR_MODES] = {0};
    for (size_t k = 0; k < count;) {
        const collision c = random_collision(&r);
        const planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        if (!(at.normal < -0.1)) continue;
        const planar_impulse p = jo_planar_impact(&at, c.friction, c.restitution, 0.0);
        if (c.friction > 3.0) continue; /* steps along the cone would be too coarse */
        const planar_impulse slow = integrate(&at, c.friction, c.restitution, p.py / 50000.0);
        const double bound = 2e-3 * (fabs(p.px) + p.py);
        if (!(fabs(p.px - slow.px) < bound && fabs(p.py - slow.py) < bound))
            fail_msg("impact %zu: (%g, %g), in small portions (%g, %g)", k, p.px, p.py, slow.px,
                     slow.py);
        seen[p.mode]++;
        k++;
    }
    if (count < 400) return;
    for (int mode = PLANAR_SLIDING; mode < PLANAR_MODES; mode++)
        assert_true(seen[mode] > 0);
}

/* Momentum, and the angular one about the point of contact of each body, are kept. */
static void test_momentum(void **state)
{
    (void)state;
    random_stream r = jo_random_start(6, 4);
    for (int k = 0; k < 10000; k++) {
        collision c = random_collision(&r);
        if (c.two.inverse_mass == 0.0) continue;
        const collision old = c;
        const planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        const planar_impulse p = jo_planar_impact(&at, c.friction, c.restitution, 0.0);
        jo_planar_apply(&p, &c.one, &c.two, c.arm1, c.arm2, c.n);
        const planar_contact end = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        const double scale = 1e-13 * (1.0 + p.py + fabs(p.px)) * 30.0;
        for (int i = 0; i < 2; i++) {
            const double change = (c.one.v[i] - old.one.v[i]) / c.one.inverse_mass +
                                  (c.two.v[i] - old.two.v[i]) / c.two.inverse_mass;
            assert_true(fabs(change) < scale);
        }
        assert_true(fabs(end.slide - (at.slide + at.b1 * p.px - at.b3 * p.py)) <
                    10.0 * scale * at.b1);
        assert_true(fabs(end.normal - (at.normal - at.b3 * p.px + at.b2 * p.py)) <
                    10.0 * scale * at.b2);
    }
}

/* Head-on without friction: both hypotheses give -e; a mirror image gives a mirrored impulse. */
static void test_simple_and_mirrored(void **state)
{
    (void)state;
    random_stream r = jo_random_start(6, 5);
    for (int k = 0; k < 10000; k++) {
        const collision c = random_collision(&r);
        planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        if (!(at.normal < 0.0)) continue;
        const planar_impulse smooth = jo_planar_impact(&at, 0.0, c.restitution, 0.0);
        assert_true(smooth.px == 0.0);
        assert_true(fabs(at.b2 * smooth.py + (1.0 + c.restitution) * at.normal) <
                    1e-14 * -at.normal);
        const planar_impulse newton = jo_planar_impact_newton(&at, c.friction, c.restitution);
        const double end = at.normal - at.b3 * newton.px + at.b2 * newton.py;
        assert_true(fabs(end + c.restitution * at.normal) <
                    1e-12 * (fabs(at.normal) + fabs(at.b3 * newton.px) + at.b2 * newton.py));
        const planar_impulse p = jo_planar_impact(&at, c.friction, c.restitution, 0.0);
        at.slide = -at.slide;
        at.b3 = -at.b3;
        const planar_impulse q = jo_planar_impact(&at, c.friction, c.restitution, 0.0);
        if (at.slide != 0.0) assert_true(q.px == -p.px && q.py == p.py && q.mode == p.mode);
    }
}

/* Newton's hypothesis makes energy in a known case (Kane's rod), Poisson's does not. */
static void test_newton_makes_energy(void **state)
{
    (void)state;
    size_t made = 0;
    random_stream r = jo_random_start(6, 6);
    for (int k = 0; k < 100000; k++) {
        const collision c = random_collision(&r);
        const planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        made += jo_planar_impact_newton(&at, c.friction, c.restitution).lost < -1e-6;
    }
    assert_true(made > 100);
}

/* The least speed of parting is reached, also in jams, and adds no more than its share. */
static void test_least_speed(void **state)
{
    (void)state;
    random_stream r = jo_random_start(6, 7);
    for (int k = 0; k < 200000; k++) {
        const collision c = random_collision(&r);
        planar_contact at = jo_planar_contact(&c.one, &c.two, c.arm1, c.arm2, c.n);
        at.normal = -exp(between(&r, -40, 0));
        const double least = 0.1;
        const planar_impulse p = jo_planar_impact(&at, c.friction, c.restitution, least);
        const double end = at.normal - at.b3 * p.px + at.b2 * p.py;
        const double speed = fabs(at.slide) + 1.0;
        assert_true(end >= least - 1e-11 * speed);
        const double slope = at.b2 - at.b3 * at.b3 / at.b1;
        assert_true(p.added <= 0.5 * least * least / fmin(slope, at.b2) * (1.0 + 1e-9) +
                                   1e-12 * speed * speed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_cases),
        cmocka_unit_test(test_every_impact),
        cmocka_unit_test(test_against_table),
        cmocka_unit_test(test_against_integration),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_simple_and_mirrored),
        cmocka_unit_test(test_newton_makes_energy),
        cmocka_unit_test(test_least_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
