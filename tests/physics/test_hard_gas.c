/* test_hard_gas.c — gases of hard balls against kinetic theory: both searches, discs, pair
 * correlation. Pressure, velocities, diffusion and cooling in full are in test_hard_fluid.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hard_cases.h"

static jo_error error;
static const double pi = 3.14159265358979323846;

static void advance(jo_hard *h, double until, uint64_t collisions)
{
    const jo_status status = jo_hard_advance(h, until, collisions, &error);
    if (status != JO_OK) print_error("%s\n", error.text);
    assert_int_equal(status, JO_OK);
}

static void assert_valid(jo_hard *h)
{
    jo_hard_check check;
    assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
    if (check.overlaps > 0)
        print_error("%llu and %llu overlap by %g\n", (unsigned long long)check.a,
                    (unsigned long long)check.b, check.deepest);
    assert_int_equal(check.overlaps, 0);
}

static void assert_near(const char *what, double value, double expected, double band)
{
    if (!(fabs(value - expected) <= band))
        print_error("%s is %.6g, expected %.6g within %.2g\n", what, value, expected, band);
    assert_true(fabs(value - expected) <= band);
}

/* Compressibility and collision rate of a gas: n balls, `each` collisions of each after as many. */
static void gas(const char *search, double fraction, size_t n, double each, double z, double z_band,
                double contact)
{
    const double edge = hard_edge(3, n, fraction), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    strcpy(s.broad, search);
    jo_population p = hard_gas(&s, n, 7);
    jo_hard *h = hard_make(&s, &p, 0);
    jo_hard_observables seen;
    jo_measures m;
    advance(h, INFINITY, (uint64_t)(0.25 * each * (double)n));
    assert_int_equal(jo_hard_mark(h, &error), JO_OK);
    advance(h, INFINITY, (uint64_t)(0.5 * each * (double)n));
    assert_int_equal(jo_hard_observe(h, &seen, &error), JO_OK);
    assert_near("kT", seen.temperature, 1.0, 1e-10);
    assert_near("Z", seen.compressibility, z, z_band * z);
    /* Enskog: 24 phi g / sqrt(pi), and the virial per collision ties Z to it. */
    const double rate = 24.0 * fraction * contact / sqrt(pi);
    assert_near("the rate", seen.rate, rate, 0.006 * rate);
    assert_near("the free path", seen.free_path, sqrt(8.0 / pi) / rate,
                0.03 * sqrt(8.0 / pi) / rate);
    assert_int_equal(jo_hard_measure(h, &m, &error), JO_OK);
    for (int k = 0; k < 3; k++)
        assert_near("momentum", m.momentum[k], 0.0, 1e-10);
    assert_near("the balance of energy", m.energy.balance, 0.0, 1e-10 * m.energy.kinetic);
    assert_valid(h);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

static double contact_value(double f)
{
    return (1.0 - 0.5 * f) / pow(1.0 - f, 3.0);
}

/* Both searches, and Carnahan and Starling. */
static void test_searches(void **state)
{
    (void)state;
    const double f = 0.3, g = contact_value(f), z = 1.0 + 4.0 * f * g;
    gas("cells", f, 1000, 500.0, z, 0.006, g);
    gas("verlet", f, 1000, 500.0, z, 0.006, g);
}

/* Discs: Henderson's Z = (1 + phi^2 / 8) / (1 - phi)^2. */
static void test_discs(void **state)
{
    (void)state;
    const size_t n = 1000;
    const double f = 0.4, edge = hard_edge(2, n, f), size[3] = {edge, edge, 0};
    jo_scene s = hard_scene(2, size, "xy");
    jo_population p = hard_gas(&s, n, 3);
    jo_hard *h = hard_make(&s, &p, 0);
    jo_hard_observables seen;
    advance(h, INFINITY, 100 * n);
    assert_int_equal(jo_hard_mark(h, &error), JO_OK);
    advance(h, INFINITY, 300 * n);
    assert_int_equal(jo_hard_observe(h, &seen, &error), JO_OK);
    const double z = (1.0 + f * f / 8.0) / pow(1.0 - f, 2.0);
    assert_near("Z", seen.compressibility, z, 0.006 * z);
    const double g = (1.0 - 7.0 * f / 16.0) / pow(1.0 - f, 2.0);
    const double rate = 2.0 * (f * 4.0 / pi) * g * sqrt(pi);
    assert_near("the rate", seen.rate, rate, 0.006 * rate);
    assert_near("<v^4> / <v^2>^2", seen.v4 / (seen.v2 * seen.v2), 2.0, 0.15);
    assert_valid(h);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* The pair correlation at n sigma^3 = 0.5: nothing within a diameter, and at contact what the
 * pressure says. */
static void test_pair_correlation(void **state)
{
    (void)state;
    const size_t n = 1372;
    const double edge = cbrt((double)n / 0.5), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    jo_population p = hard_gas(&s, n, 13);
    jo_hard *h = hard_make(&s, &p, 0);
    double g[40], near = 0.0, far = 0.0;
    advance(h, 5.0, 0);
    for (int look = 0; look < 10; look++) {
        advance(h, jo_hard_time(h) + 1.0, 0);
        assert_int_equal(jo_hard_pair_correlation(h, 2.0, 40, g, &error), JO_OK);
        for (int k = 0; k < 20; k++)
            assert_true(g[k] == 0.0);
        near += g[20] / 10.0;
        far += g[39] / 10.0;
    }
    /* Contact value (Z - 1) / (4 phi) = 2.167, less within the first bin of 0.05. */
    assert_near("g(sigma)", near, 2.08, 0.05);
    assert_near("g(2 sigma)", far, 1.0, 0.08);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_discs),
        cmocka_unit_test(test_pair_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
