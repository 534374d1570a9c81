/* Random numbers and distributions of radii: bounds, moments against closed forms, the same draws
 * for the same seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "jostle/model.h"

enum { DRAWS = 200000 };
static const double none = (double)NAN;

static void moments(const jo_sizes *s, double *mean, double *deviation, double *lo, double *hi)
{
    double sum = 0.0, square = 0.0;
    *lo = (double)INFINITY;
    *hi = -(double)INFINITY;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double r = jo_sizes_draw(s, 42, i);
        sum += r;
        square += r * r;
        *lo = fmin(*lo, r);
        *hi = fmax(*hi, r);
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(fmax(0.0, square / DRAWS - *mean * *mean));
}

/* Draws lie within smallest and largest, and their mean within five standard errors of the stated
 * one. */
static void expect_distribution(const jo_sizes *s)
{
    double mean, deviation, lo, hi;
    moments(s, &mean, &deviation, &lo, &hi);
    assert_true(lo >= jo_sizes_smallest(s) && hi <= jo_sizes_largest(s));
    const double error = 5.0 * deviation / sqrt((double)DRAWS) + 1e-9 * mean;
    if (!(fabs(mean - jo_sizes_mean(s)) <= error))
        fail_msg("mean %g, stated %g, allowed error %g", mean, jo_sizes_mean(s), error);
}

static void distributions(void **state)
{
    (void)state;
    const jo_sizes all[] = {
        {.kind = JO_SIZE_FIXED, .a = 0.3},
        {.kind = JO_SIZE_UNIFORM, .a = 1.0, .b = 3.0},
        {.kind = JO_SIZE_NORMAL, .a = 2.0, .b = 0.3, .lo = none, .hi = none},
        {.kind = JO_SIZE_NORMAL, .a = 2.0, .b = 0.3, .lo = 1.9, .hi = 2.8},
        {.kind = JO_SIZE_NORMAL, .a = 2.0, .b = 0.0, .lo = none, .hi = none},
        {.kind = JO_SIZE_LOGNORMAL, .a = 2.0, .b = 0.4, .lo = none, .hi = none},
        {.kind = JO_SIZE_LOGNORMAL, .a = 2.0, .b = 0.4, .lo = 1.8, .hi = 9.0},
        {.kind = JO_SIZE_LIST, .count = 3, .value = {1.0, 2.0, 5.0}, .weight = {3.0, 0.0, 1.0}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        expect_distribution(&all[k]);
    /* A size of weight 0 is never drawn and does not count as the middle one. */
    for (uint64_t i = 0; i < 10000; i++)
        assert_true(jo_sizes_draw(&all[7], 1, i) != 2.0);
    assert_true(jo_sizes_smallest(&all[7]) == 1.0 && jo_sizes_largest(&all[7]) == 5.0);
}

static void spread_of_the_uniform_and_normal(void **state)
{
    (void)state;
    double mean, deviation, lo, hi;
    const jo_sizes uniform = {.kind = JO_SIZE_UNIFORM, .a = 1.0, .b = 3.0};
    moments(&uniform, &mean, &deviation, &lo, &hi);
    assert_true(fabs(deviation - 2.0 / sqrt(12.0)) < 0.005);
    assert_true(lo < 1.001 && hi > 2.999);
    random_stream r = jo_random_start(7, 9);
    double sum = 0.0, square = 0.0, fourth = 0.0;
    size_t beyond = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double z = jo_random_normal(&r);
        sum += z;
        square += z * z;
        fourth += z * z * z * z;
        beyond += fabs(z) > 2.0;
    }
    assert_true(fabs(sum / DRAWS) < 5.0 / sqrt((double)DRAWS));
    assert_true(fabs(square / DRAWS - 1.0) < 5.0 * sqrt(2.0 / DRAWS));
    assert_true(fabs(fourth / DRAWS - 3.0) < 5.0 * sqrt(96.0 / DRAWS));
    /* 4.55 % lie beyond two deviations. */
    assert_true(fabs((double)beyond / DRAWS - 0.0455003) < 5.0 * sqrt(0.0455 / DRAWS));
}

static void the_exponential_is_one(void **state)
{
    (void)state;
    for (double x = -700.0; x < 700.0; x += 0.37)
        assert_true(fabs(jo_random_exp(x) / exp(x) - 1.0) < 1e-14);
    assert_true(jo_random_exp(0.0) == 1.0 && isnan(jo_random_exp(none)));
    assert_true(jo_random_exp(-1000.0) == 0.0 && isinf(jo_random_exp(1000.0)));
}

static void draws_repeat(void **state)
{
    (void)state;
    const jo_sizes s = {.kind = JO_SIZE_LOGNORMAL, .a = 1.0, .b = 0.5, .lo = none, .hi = none};
    size_t different = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const double a = jo_sizes_draw(&s, 5, i), b = jo_sizes_draw(&s, 5, i);
        assert_true(a == b);
        different += a != jo_sizes_draw(&s, 6, i);
    }
    assert_true(different > 990);
    /* Known values: a change here changes every scene with random sizes. */
    random_stream r = jo_random_start(1, 2);
    assert_true(jo_random_uniform(&r) >= 0.0);
    random_stream again = jo_random_start(1, 2);
    assert_true(jo_random_bits(&again) == jo_mix64(jo_mix64(jo_mix64(1) ^ jo_mix64(~UINT64_C(2)))));
}

static double below(double z) /* the normal distribution function */
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

/* Polyhedra have few sizes: of all that is drawn their mean cube is that in closed form within five
 * standard errors, that of the same draws without rounding within 0.2 %, and the smallest and the
 * largest possible are among them. */
static void expect_mass(const jo_sizes *s, double mean_cube)
{
    jo_group g = jo_group_default(JO_GROUP_RANDOM);
    g.sizes = *s;
    g.seed = 42;
    double smallest = (double)INFINITY, largest = 0.0, drawn = 0.0, sum = 0.0, square = 0.0;
    double seen[JO_SHAPE_SIZES + 1];
    size_t sizes = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        g.shapes = 0;
        const double as_drawn = jo_group_radius(&g, i);
        assert_true(as_drawn == jo_sizes_draw(s, g.seed, i));
        g.shapes = 1;
        const double r = jo_group_radius(&g, i), cube = r * r * r;
        size_t k = 0;
        while (k < sizes && seen[k] != r)
            k++;
        assert_true(k < JO_SHAPE_SIZES);
        seen[k] = r;
        sizes = k == sizes ? sizes + 1 : sizes;
        smallest = fmin(smallest, r);
        largest = fmax(largest, r);
        drawn += as_drawn * as_drawn * as_drawn;
        sum += cube;
        square += cube * cube;
    }
    const double mean = sum / DRAWS, error = sqrt((square / DRAWS - mean * mean) / DRAWS);
    assert_int_equal(sizes, JO_SHAPE_SIZES);
    assert_true(smallest == jo_sizes_smallest(s));
    assert_true(fabs(largest / jo_sizes_largest(s) - 1.0) < 1e-15);
    assert_true(largest <= jo_sizes_largest(s));
    if (!(fabs(mean - mean_cube) < 5.0 * error))
        fail_msg("mean cube %g, in closed form %g, allowed %g", mean, mean_cube, 5.0 * error);
    if (!(fabs(sum / drawn - 1.0) < 0.002))
        fail_msg("mean cube %g, of what was drawn %g", mean, drawn / DRAWS);
}

static void few_sizes_keep_the_mass(void **state)
{
    (void)state;
    const jo_sizes uniform = {.kind = JO_SIZE_UNIFORM, .a = 1.0, .b = 10.0};
    expect_mass(&uniform, (1e4 - 1.0) / (4.0 * 9.0));
    const jo_sizes logarithmic = {
        .kind = JO_SIZE_LOGNORMAL, .a = 3.0, .b = 0.4, .lo = none, .hi = none};
    const double shift = 3.0 * 0.4; /* of a cut lognormal's exponent, when weighed by the cube */
    expect_mass(&logarithmic, 27.0 * exp(0.5 * shift * shift) *
                                  (below(3.0 - shift) - below(-3.0 - shift)) /
                                  (below(3.0) - below(-3.0)));
    /* A normal one, mean 2, deviation 0.2, cut symmetrically at 3: E r^3 = m^3 + 3 m s^2 v. */
    const jo_sizes normal = {.kind = JO_SIZE_NORMAL, .a = 2.0, .b = 0.2, .lo = none, .hi = none};
    const double density = exp(-4.5) / sqrt(8.0 * atan(1.0));
    const double variance = 1.0 - 6.0 * density / (below(3.0) - below(-3.0));
    expect_mass(&normal, 8.0 + 3.0 * 2.0 * 0.04 * variance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distributions),
        cmocka_unit_test(spread_of_the_uniform_and_normal),
        cmocka_unit_test(the_exponential_is_one),
        cmocka_unit_test(draws_repeat),
        cmocka_unit_test(few_sizes_keep_the_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
