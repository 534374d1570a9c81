/* test_orient.c — the exact sign of a triangle's area, against integers of 2,048 bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/orient.h"
#include "base/random.h"

/* ---- a fixed-point number: word k counts in 2^(32 k - 1024) ---- */

enum { WORDS = 64, POINT = 1024 };

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

typedef struct wide {
    uint32_t word[WORDS];
} wide;

static void add_word(wide *w, int at, uint64_t value)
{
    for (; value != 0 && at < WORDS; at++) {
        value += w->word[at];
        w->word[at] = (uint32_t)value;
        value >>= 32;
    }
}

static void negate(wide *w)
{
    for (int k = 0; k < WORDS; k++)
        w->word[k] = ~w->word[k];
    add_word(w, 0, 1);
}

/* += x y, without error. */
static void add_product(wide *w, double x, double y)
{
    int ex, ey;
    const int64_t mx = (int64_t)ldexp(frexp(x, &ex), 53), my = (int64_t)ldexp(frexp(y, &ey), 53);
    if (mx == 0 || my == 0) return;
    const int128 product = (int128)mx * my;
    uint128 size = (uint128)(product < 0 ? -product : product);
    const int shift = ex + ey - 106 + POINT;
    assert_true(shift >= 0 && shift + 160 < 32 * WORDS);
    wide term = {0};
    for (int k = 0; k < 4; k++, size >>= 32)
        add_word(&term, shift / 32 + k, (uint64_t)(uint32_t)size << (shift % 32));
    if (product < 0) negate(&term);
    uint64_t carry = 0;
    for (int k = 0; k < WORDS; k++) {
        carry += (uint64_t)w->word[k] + term.word[k];
        w->word[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int exact_sign(const double a[2], const double b[2], const double c[2])
{
    wide w = {0};
    add_product(&w, a[0], b[1]);
    add_product(&w, -a[1], b[0]);
    add_product(&w, b[0], c[1]);
    add_product(&w, -b[1], c[0]);
    add_product(&w, c[0], a[1]);
    add_product(&w, -c[1], a[0]);
    if (w.word[WORDS - 1] >> 31) return -1;
    for (int k = 0; k < WORDS; k++)
        if (w.word[k] != 0) return 1;
    return 0;
}

/* ---- triangles ---- */

static int counts[3]; /* negative, flat, positive: a test must have seen them all */

static void judge(const double a[2], const double b[2], const double c[2])
{
    const int truth = exact_sign(a, b, c);
    const double *p[] = {a, b, c, a, b};
    for (int k = 0; k < 3; k++) {
        const double one = jo_orient(p[k], p[k + 1], p[k + 2]);
        const double two = jo_orient(p[k + 1], p[k], p[k + 2]);
        assert_int_equal((one > 0) - (one < 0), truth);
        assert_int_equal((two < 0) - (two > 0), truth);
    }
    counts[truth + 1]++;
}

static void begin(void)
{
    memset(counts, 0, sizeof counts);
}

static void saw_all(int least)
{
    for (int k = 0; k < 3; k++)
        assert_true(counts[k] >= least);
}

/* A few units in the last place around a flat triangle: where plain double errs most. */
static void neighbours_of_a_line(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            const double a[2] = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53};
            judge(a, (double[2]){12.0, 12.0}, (double[2]){24.0, 24.0});
            judge(a, (double[2]){8.8, 8.8}, (double[2]){12.1, 12.1});
        }
    saw_all(60);
}

static double step_ulps(double x, int steps)
{
    for (; steps > 0; steps--)
        x = nextafter(x, INFINITY);
    for (; steps < 0; steps++)
        x = nextafter(x, -INFINITY);
    return x;
}

/* c at a random place of the line ab, rounded, and moved by a few units in the last place. */
static void random_nearly_flat(void **state)
{
    (void)state;
    random_stream r = jo_random_start(5, 1);
    begin();
    for (int k = 0; k < 20000; k++) {
        double a[2], b[2], c[2];
        const double t = 3.0 * jo_random_uniform(&r) - 1.0;
        const double scale = ldexp(1.0, (int)(jo_random_uniform(&r) * 200.0) - 100);
        for (int d = 0; d < 2; d++) {
            a[d] = scale * (2.0 * jo_random_uniform(&r) - 1.0);
            b[d] = scale * (2.0 * jo_random_uniform(&r) - 1.0);
            c[d] = step_ulps(a[d] + t * (b[d] - a[d]), (int)(jo_random_bits(&r) % 7) - 3);
        }
        judge(a, b, c);
    }
    assert_true(counts[0] > 5000 && counts[2] > 5000);
}

/* Small integers, at any scale and moved far off: many exactly flat ones, differences not exact. */
static void lattices_far_away(void **state)
{
    (void)state;
    random_stream r = jo_random_start(5, 2);
    begin();
    for (int k = 0; k < 20000; k++) {
        double p[3][2];
        const double unit = ldexp(1.0, (int)(jo_random_bits(&r) % 40) - 60);
        const double off = k % 2 ? 0.0 : ldexp(1.0, (int)(jo_random_bits(&r) % 20) - 12);
        for (int i = 0; i < 3; i++)
            for (int d = 0; d < 2; d++)
                p[i][d] = off + unit * ((double)(jo_random_bits(&r) % 15) - 7.0);
        judge(p[0], p[1], p[2]);
    }
    saw_all(1000);
}

/* Sizes of all kinds in one triangle; zeros; corners that coincide. */
static void mixed_magnitudes(void **state)
{
    (void)state;
    random_stream r = jo_random_start(5, 3);
    begin();
    for (int k = 0; k < 20000; k++) {
        double p[3][2];
        for (int i = 0; i < 3; i++)
            for (int d = 0; d < 2; d++) {
                const uint64_t kind = jo_random_bits(&r) % 8;
                const double mantissa = 2.0 * jo_random_uniform(&r) - 1.0;
                p[i][d] = kind == 0 ? 0.0 : ldexp(mantissa, (int)(jo_random_bits(&r) % 400) - 200);
            }
        if (k % 16 == 0) memcpy(p[1], p[0], sizeof p[0]);
        if (k % 16 == 1)
            for (int d = 0; d < 2; d++)
                p[2][d] = 2.0 * p[1][d], p[0][d] = 0.5 * p[1][d]; /* a line through 0 */
        judge(p[0], p[1], p[2]);
    }
    saw_all(500);
}

static void segments(void **state)
{
    (void)state;
    const double a[2] = {0, 0}, b[2] = {4, 4}, c[2] = {0, 4}, d[2] = {4, 0}, m[2] = {2, 2};
    const double beyond[2] = {5, 5}, far[2] = {7, 7}, near[2] = {2.0, nextafter(2.0, 3.0)};
    assert_true(jo_segments_meet(a, b, c, d));
    assert_true(jo_segments_meet(a, b, c, m));     /* an end on the other */
    assert_false(jo_segments_meet(a, b, c, near)); /* one unit in the last place short of it */
    assert_true(jo_segments_meet(a, b, b, d));     /* a common end */
    assert_true(jo_segments_meet(a, b, m, far));   /* along one line, in part the same */
    assert_false(jo_segments_meet(a, b, beyond, far));
    assert_false(jo_segments_meet(a, c, b, d));
    assert_true(jo_on_segment(a, b, m));
    assert_false(jo_on_segment(a, b, b));
    assert_false(jo_on_segment(a, b, far));
    assert_true(jo_on_segment(a, c, (double[2]){0, 1}));
    assert_false(jo_on_segment(a, c, (double[2]){0, -1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_of_a_line),
        cmocka_unit_test(random_nearly_flat),
        cmocka_unit_test(lattices_far_away),
        cmocka_unit_test(mixed_magnitudes),
        cmocka_unit_test(segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
