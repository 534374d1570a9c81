/* test_hard_gas.c — gases of hard balls against kinetic theory, with bands from the number of samples. */
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

/* Z from molecular dynamics of a million balls (public tables) at n sigma^3 = 0.1, 0.5, 0.9; Carnahan and
 * Starling's is within 0.3 % of it. */
static void test_pressure(void **state)
{
    (void)state;
    const double density[3] = {0.1, 0.5, 0.9}, z[3] = {1.2397212, 3.269393, 10.76249};
    const double each[3] = {1200.0, 600.0, 900.0}, band[3] = {0.002, 0.003, 0.006};
    for (int k = 0; k < 3; k++) {
        const double f = density[k] * pi / 6.0;
        /* The rate follows from the same contact value as Z = 1 + 4 phi g. */
        gas("auto", f, 1372, each[k], z[k], band[k], (z[k] - 1.0) / (4.0 * f));
    }
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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Velocities become Maxwell's whatever they were: all balls start with the same speed, and components
 * are compared with the normal distribution (Kolmogorov and Smirnov, 0.1 %). */
static void test_maxwell(void **state)
{
    (void)state;
    const size_t n = 4000;
    const double edge = hard_edge(3, n, 0.1), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    jo_population p = hard_gas(&s, n, 5);
    for (size_t i = 0; i < n; i++) {
        double *v = p.v + 3 * i;
        const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int k = 0; k < 3; k++)
            v[k] *= sqrt(3.0) / speed;
    }
    jo_hard *h = hard_make(&s, &p, 0);
    jo_frame f;
    jo_hard_observables seen;
    advance(h, INFINITY, 10 * n);
    assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
    assert_int_equal(jo_hard_observe(h, &seen, &error), JO_OK);
    double *v = malloc(3 * n * sizeof *v), worst = 0.0;
    memcpy(v, f.v, 3 * n * sizeof *v);
    qsort(v, 3 * n, sizeof *v, by_value);
    for (size_t k = 0; k < 3 * n; k++) {
        const double expected = 0.5 * erfc(-v[k] / sqrt(2.0 * seen.temperature));
        worst = fmax(worst, fabs(expected - ((double)k + 0.5) / (3.0 * (double)n)));
    }
    assert_near("Kolmogorov and Smirnov's distance", worst, 0.0, 1.95 / sqrt(3.0 * (double)n));
    assert_near("<v^4> / <v^2>^2", seen.v4 / (seen.v2 * seen.v2), 5.0 / 3.0, 0.08);
    free(v);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Haff (1983): T = T0 exp(-(1 - e^2) C / 3) with C collisions per ball, and T = T0 / (1 + t / tau)^2. */
static void test_cooling(void **state)
{
    (void)state;
    const size_t n = 1000;
    const double f = 2.0 / 45.0, e = 0.9, edge = hard_edge(3, n, f), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    s.contacts[0].restitution = e;
    jo_population p = hard_gas(&s, n, 11);
    jo_hard *h = hard_make(&s, &p, 0);
    jo_hard_observables seen;
    const double rate = 24.0 * f * contact_value(f) / sqrt(pi), tau = 6.0 / ((1.0 - e * e) * rate);
    for (int k = 1; k <= 4; k++) {
        advance(h, INFINITY, 2 * n);
        assert_int_equal(jo_hard_observe(h, &seen, &error), JO_OK);
        const double each = 2.0 * (double)seen.collisions / (double)n, t = jo_hard_time(h);
        const double by_count = exp(-(1.0 - e * e) * each / 3.0);
        assert_near("T by collisions", seen.temperature, by_count, 0.08 * by_count);
        assert_near("T by time", seen.temperature, pow(1.0 + t / tau, -2.0),
                    0.1 * seen.temperature);
    }
    jo_measures m;
    assert_int_equal(jo_hard_measure(h, &m, &error), JO_OK);
    assert_near("the balance of energy", m.energy.balance, 0.0, 1e-9 * (double)n);
    assert_valid(h);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Diffusion at n sigma^3 = 0.5 and N = 1372: D = 0.247 (public tables, this size). */
static void test_diffusion(void **state)
{
    (void)state;
    const size_t n = 1372;
    const double edge = cbrt((double)n / 0.5), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    jo_population p = hard_gas(&s, n, 13);
    jo_hard *h = hard_make(&s, &p, 0);
    jo_hard_observables one, two;
    advance(h, 5.0, 0);
    double sum = 0.0;
    for (int k = 0; k < 6; k++) {
        const double t = jo_hard_time(h);
        assert_int_equal(jo_hard_mark(h, &error), JO_OK);
        advance(h, t + 5.0, 0);
        assert_int_equal(jo_hard_observe(h, &one, &error), JO_OK);
        advance(h, t + 15.0, 0);
        assert_int_equal(jo_hard_observe(h, &two, &error), JO_OK);
        sum += (two.displacement2 - one.displacement2) / (6.0 * 10.0) / 6.0;
    }
    assert_near("D", sum, 0.247, 0.02);
    double g[40];
    assert_int_equal(jo_hard_pair_correlation(h, 2.0, 40, g, &error), JO_OK);
    for (int k = 0; k < 20; k++)
        assert_true(g[k] == 0.0);
    /* Contact value 1 + ... = (Z - 1) / (4 phi) = 2.167 at contact, less within the first bin. */
    assert_near("g(sigma)", g[20], 2.08, 0.12);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure), cmocka_unit_test(test_searches),
        cmocka_unit_test(test_discs),    cmocka_unit_test(test_maxwell),
        cmocka_unit_test(test_cooling),  cmocka_unit_test(test_diffusion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
