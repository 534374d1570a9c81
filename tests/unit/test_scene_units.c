/* Numbers with units: values to the last bit, dimensions, sentences for what is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "scene/units.h"

static const double pi = 3.14159265358979323846;

typedef struct good_case {
    const char *text;
    dimension want;
    double value;
} good_case;

static void values(void **state)
{
    (void)state;
    const good_case cases[] = {
        {"5", DIM_LENGTH, 5.0},
        {"-2.5e3", DIM_NUMBER, -2500.0},
        {".5", DIM_NUMBER, 0.5},
        {"5.", DIM_NUMBER, 5.0},
        {"+3", DIM_NUMBER, 3.0},
        {"0.5 mm", DIM_LENGTH, 0.0005},
        {"1.1 mm", DIM_LENGTH, 0.0011},
        {"0.3um", DIM_LENGTH, 0.3e-6},
        {"0.3 \xc2\xb5m", DIM_LENGTH, 0.3e-6},
        {"0.3 \xce\xbcm", DIM_LENGTH, 0.3e-6},
        {"7 km", DIM_LENGTH, 7000.0},
        {"2 g/cm^3", DIM_DENSITY, 2000.0},
        {"2.5 g cm^-3", DIM_DENSITY, 2500.0},
        {"2.5 kg/m3", DIM_DENSITY, 2.5},
        {"2.5 kg/m\xc2\xb3", DIM_DENSITY, 2.5},
        {"3 g/m^2", DIM_DENSITY_2D, 0.003},
        {"1e7MPa", DIM_PRESSURE, 1e13},
        {"1e7 Pa", DIM_PRESSURE, 1e7},
        {"5 MPa", DIM_PRESSURE, 5e6},
        {"5 N/mm^2", DIM_PRESSURE, 5e6},
        {"1 bar", DIM_PRESSURE, 1e5},
        {"30 deg", DIM_ANGLE, 30.0 * (pi / 180.0)},
        {"30deg", DIM_ANGLE, 30.0 * (pi / 180.0)},
        {"60 rpm", DIM_SPIN, 60.0 * (pi / 30.0)},
        {"2 rev/s", DIM_SPIN, 2.0 * (2.0 * pi)},
        {"3 rad/s", DIM_SPIN, 3.0},
        {"10 ms", DIM_TIME, 0.01},
        {"2 min", DIM_TIME, 120.0},
        {"2 h", DIM_TIME, 7200.0},
        {"20 kHz", DIM_FREQUENCY, 20000.0},
        {"500 1/s", DIM_RATE, 500.0},
        {"500/s", DIM_RATE, 500.0},
        {"500 s^-1", DIM_RATE, 500.0},
        {"500 s\xe2\x81\xbb\xc2\xb9", DIM_RATE, 500.0},
        {"9.81 m/s^2", DIM_ACCELERATION, 9.81},
        {"9.81 m s**-2", DIM_ACCELERATION, 9.81},
        {"9.81 N/kg", DIM_ACCELERATION, 9.81},
        {"3 kg/(m s^2)", DIM_PRESSURE, 3.0},
        {"3 1/(m s)", DIM_DAMPING_AREA, 3.0},
        {"2 cm/s", DIM_SPEED, 0.02},
        {"72 mN/m", DIM_STIFFNESS, 0.072},
        {"5 N m", DIM_MOMENT, 5.0},
        {"5 N*m", DIM_MOMENT, 5.0},
        {"5 N\xc2\xb7m", DIM_MOMENT, 5.0},
        {"1 ul", DIM_VOLUME, 1e-9},
        {"1 mm^3", DIM_VOLUME, 1e-9},
        {"20 g/s", DIM_MASS_RATE, 0.02},
        {"1e-3 m/(N s)", DIM_GAIN, 1e-3},
        {"50 %", DIM_NUMBER, 0.5},
        {"1e-400", DIM_NUMBER, 0.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value = (double)NAN;
        char why[240] = "";
        if (!jo_quantity_read(cases[k].text, cases[k].want, &value, why, sizeof why))
            fail_msg("'%s' was refused: it %s", cases[k].text, why);
        if (value != cases[k].value)
            fail_msg("'%s' is %.17g, expected %.17g", cases[k].text, value, cases[k].value);
    }
}

static void frequencies_may_turn(void **state)
{
    (void)state;
    double value;
    char why[240];
    assert_true(jo_quantity_read("60 rpm", DIM_FREQUENCY, &value, why, sizeof why));
    assert_true(fabs(value - 1.0) < 1e-15);
    assert_false(jo_quantity_read("1 Hz", DIM_SPIN, &value, why, sizeof why));
    assert_true(jo_quantity_read("inf", DIM_TIME, &value, why, sizeof why));
    assert_true(isinf(value) && value > 0.0);
    assert_true(jo_quantity_read("-.inf", DIM_TIME, &value, why, sizeof why));
    assert_true(isinf(value) && value < 0.0);
}

typedef struct refused_case {
    const char *text;
    dimension want;
    const char *fragment;
} refused_case;

static void refusals(void **state)
{
    (void)state;
    const refused_case cases[] = {
        {"5 s", DIM_LENGTH, "is '5 s', a time; it wants a length such as 0.5 mm"},
        {"5 mm", DIM_TIME, "a length; it wants a time"},
        {"5 kg", DIM_LENGTH, "'5 kg', a mass; it wants a length"},
        {"5 kg m", DIM_LENGTH, "in kg m;"},
        {"5 1/m s", DIM_LENGTH, "in s/m;"},
        {"5 inch", DIM_LENGTH, "'inch'; an inch is 25.4 mm"},
        {"5 mPA", DIM_PRESSURE, "unknown unit 'mPA'; did you mean"},
        {"5 furlongs", DIM_LENGTH, "unknown unit 'furlongs'"},
        {"", DIM_LENGTH, "is empty"},
        {"   ", DIM_LENGTH, "is empty"},
        {"mm", DIM_LENGTH, "is 'mm'; it wants a length"},
        {"1,5 mm", DIM_LENGTH, "decimal point"},
        {"nan", DIM_LENGTH, "is no number"},
        {".NaN", DIM_LENGTH, "is no number"},
        {"1e999", DIM_LENGTH, "too large"},
        {"5 m^", DIM_LENGTH, "power"},
        {"5 m^99", DIM_LENGTH, "power"},
        {"5 (m", DIM_LENGTH, "never closed"},
        {"5 m)", DIM_LENGTH, "behind its unit"},
        {"5 m/", DIM_LENGTH, "a unit was expected"},
        {"5 ((((((((((m", DIM_LENGTH, "too many parentheses"},
        {"30 deg", DIM_NUMBER, "an angle; it wants a plain number"},
        {"0x10", DIM_NUMBER, "unknown unit"},
        {"--5", DIM_NUMBER, "it wants a plain number"},
        {"5 5", DIM_NUMBER, "a unit was expected"},
        {"2500 kg/m^3", DIM_DENSITY_2D, "a density; it wants a mass per area"},
        {"2500 kg/m^3", DIM_DENSITY_2D, "2.5 kg/m^2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value = 7.0;
        char why[240] = "";
        if (jo_quantity_read(cases[k].text, cases[k].want, &value, why, sizeof why))
            fail_msg("'%s' was taken as %g", cases[k].text, value);
        if (strstr(why, cases[k].fragment) == NULL)
            fail_msg("'%s': '%s', expected '%s'", cases[k].text, why, cases[k].fragment);
    }
}

/* A prefix moves the decimal point and nothing else: the bits of the number with its exponent. */
static void decimals_agree_with_strtod(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (int k = 0; k < 20000; k++) {
        char text[64], plain[64], why[240];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double mantissa = (double)(seed >> 20) * 0x1p-30;
        snprintf(text, sizeof text, "%.*f mm", k % 15, mantissa);
        snprintf(plain, sizeof plain, "%.*fe-3", k % 15, mantissa);
        double value;
        assert_true(jo_quantity_read(text, DIM_LENGTH, &value, why, sizeof why));
        if (value != strtod(plain, NULL)) fail_msg("%s is %.17g", text, value);
    }
}

static void suggestions(void **state)
{
    (void)state;
    static const char *const names[] = {"density", "young", "poisson", "friction", "x"};
    const size_t n = sizeof names / sizeof *names;
    assert_string_equal(jo_suggest("densty", names, n, sizeof *names), "density");
    assert_string_equal(jo_suggest("Young", names, n, sizeof *names), "young");
    assert_string_equal(jo_suggest("poission", names, n, sizeof *names), "poisson");
    assert_string_equal(jo_suggest("fricton", names, n, sizeof *names), "friction");
    assert_string_equal(jo_suggest("youngs_modulus", names, n, sizeof *names), "young");
    assert_null(jo_suggest("colour", names, n, sizeof *names));
    assert_null(jo_suggest("y", names, n, sizeof *names));
    assert_null(jo_suggest("", names, n, sizeof *names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),      cmocka_unit_test(frequencies_may_turn),
        cmocka_unit_test(refusals),    cmocka_unit_test(decimals_agree_with_strtod),
        cmocka_unit_test(suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
