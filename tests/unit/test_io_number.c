/* test_io_number.c — numbers in and out against strtod, which glibc rounds correctly: random bits,
 * random decimals of every length, midpoints between doubles, the ends of the range; other locales.
 */
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>

#include "io/number.h"
#include "unit/io_cases.h"

static uint64_t state_of_random = 88172645463325252u;

static uint64_t next_random(void)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Parses an exact copy of a text and compares with strtod, bit for bit. */
static void expect_like_strtod(const char *decimal)
{
    const size_t length = strlen(decimal);
    char *copy = malloc(length);
    memcpy(copy, decimal, length);
    double value = 0.0;
    const char *const stop = jo_number_parse(copy, copy + length, &value);
    const double expected = strtod(decimal, NULL);
    if (stop != copy + length || to_bits(value) != to_bits(expected))
        fail_msg("'%s' read as %.17g, not %.17g", decimal, value, expected);
    free(copy);
}

static void random_decimals(void **state)
{
    (void)state;
    char decimal[128];
    for (int i = 0; i < 300000; i++) {
        const int digits = 1 + (int)(next_random() % 40);
        const int point = (int)(next_random() % 45) - 2;
        int n = 0;
        if (next_random() & 1) decimal[n++] = '-';
        for (int d = 0; d < digits; d++) {
            if (d == point) decimal[n++] = '.';
            decimal[n++] = (char)('0' + next_random() % 10);
        }
        decimal[n] = 0;
        const int kind = (int)(next_random() % 3);
        if (kind == 1) sprintf(decimal + n, "e%d", (int)(next_random() % 60) - 30);
        if (kind == 2) sprintf(decimal + n, "E%+d", (int)(next_random() % 700) - 350);
        expect_like_strtod(decimal);
    }
}

static void midpoints_and_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0e99999",
        "9007199254740993", /* 2^53 + 1, a midpoint: to even, down */
        "9007199254740995", /* a midpoint: to even, up */
        "9007199254740993.0000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1e400",
        "1e-400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
        "123456789012345678900000000000000000000",
        "0.000000000000000000000000000000000000000000001",
        "8.5",
        "1.",
        ".5",
        "+7",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_like_strtod(texts[i]);
    /* Exact midpoints, printed in full, and a hair to either side. */
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = (uint64_t)(1023 + (int)(next_random() % 120) - 60) << 52 |
                              (next_random() & 0xfffffffffffffu);
        const double low = from_bits(bits), high = from_bits(bits + 1);
        char decimal[1400];
        const int n = sprintf(decimal, "%.200Lf", (long double)low / 2 + (long double)high / 2);
        expect_like_strtod(decimal);
        decimal[n - 1]++;
        expect_like_strtod(decimal);
    }
    /* A thousand digits, the last of which decides. */
    char decimal[1100] = "9007199254740993.";
    memset(decimal + 17, '0', 1000);
    decimal[1016] = '1';
    decimal[1017] = 0;
    expect_like_strtod(decimal);
}

static void not_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "-", "+",   ".",  "-.", "e5",
                                        ".e5", "x", "--1", "na", "in"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value;
        assert_null(jo_number_parse(texts[i], texts[i] + strlen(texts[i]), &value));
    }
    static const struct {
        const char *text;
        size_t taken;
    } parts[] = {{"1e", 1}, {"1e+", 1}, {"1.5.5", 3}, {"12abc", 2}, {"1,5", 1}, {"infinite", 3}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        double value;
        const char *const t = parts[i].text;
        assert_int_equal(jo_number_parse(t, t + strlen(t), &value) - t, parts[i].taken);
    }
}

/* Formats, reads back with both readers, and compares bits; returns the length. */
static size_t expect_round_trip(double value)
{
    char printed[JO_NUMBER_LENGTH + 1];
    const size_t n = jo_number_format(value, printed);
    assert_true(n < JO_NUMBER_LENGTH);
    printed[n] = 0;
    double back = 0.0;
    assert_ptr_equal(jo_number_parse(printed, printed + n, &back), printed + n);
    if (to_bits(back) != to_bits(value) || to_bits(strtod(printed, NULL)) != to_bits(value))
        fail_msg("%.17g was printed as '%s'", value, printed);
    return n;
}

static void round_trips(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const double any = from_bits(next_random());
        if (isfinite(any)) expect_round_trip(any);
        expect_round_trip((double)next_random() * 0x1p-64 * 100.0);
        expect_round_trip((double)(next_random() % 1000000) / 1000.0);
    }
    static const double ends[] = {0.0,
                                  -0.0,
                                  1.0,
                                  0.1,
                                  1e22,
                                  1e23,
                                  1e-5,
                                  9.9999999999999995e-6,
                                  1e16,
                                  1e17,
                                  123456789012345680.0,
                                  5e-324,
                                  2.2250738585072014e-308,
                                  1.7976931348623157e308,
                                  0.3,
                                  2.0 / 3.0,
                                  1e-11,
                                  1e43,
                                  9e15};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        expect_round_trip(ends[i]);
}

static void prints_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {100.0, "100"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e17"},
                 {0.001, "0.001"},
                 {1e-5, "0.00001"},
                 {1e-6, "1e-6"},
                 {1.5e-7, "1.5e-7"},
                 {123.456, "123.456"},
                 {0.3, "0.3"},
                 {2.5e20, "2.5e20"},
                 {1.0 / 3.0, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char printed[JO_NUMBER_LENGTH + 1];
        printed[jo_number_format(cases[i].value, printed)] = 0;
        assert_string_equal(printed, cases[i].text);
    }
    char printed[JO_NUMBER_LENGTH + 1];
    printed[jo_integer_format(UINT64_MAX, printed)] = 0;
    assert_string_equal(printed, "18446744073709551615");
    printed[jo_integer_format(0, printed)] = 0;
    assert_string_equal(printed, "0");
}

/* Numbers that need strtod and printf, in a locale whose decimal point is a comma. */
static void any_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < 4 && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]) != NULL;
    double value;
    const char text_of[] = "2.2250738585072014e-308";
    assert_non_null(jo_number_parse(text_of, text_of + strlen(text_of), &value));
    assert_true(value == 0x1p-1022);
    char printed[JO_NUMBER_LENGTH + 1];
    printed[jo_number_format(value, printed)] = 0;
    assert_non_null(strchr(printed, '.'));
    assert_null(strchr(printed, ','));
    setlocale(LC_NUMERIC, "C");
    if (!set)
        print_message("no locale with a decimal comma is installed; tried with \"C\" alone\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_decimals), cmocka_unit_test(midpoints_and_ends),
        cmocka_unit_test(not_numbers),     cmocka_unit_test(round_trips),
        cmocka_unit_test(prints_short),    cmocka_unit_test(any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
