/* test_outline.c — simple polygons: what is refused and in which words, masses, random grains,
 * discs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "jostle/outline.h"
#include "jostle/polyhedron.h"

static jo_error error;

static void refused(const double *p, size_t n, const char *words)
{
    assert_int_equal(jo_outline_check(p, n, &error), JO_ERR_DATA);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void test_refused(void **state)
{
    (void)state;
    const double two[4] = {0, 0, 1, 0}, odd[6] = {0, 0, NAN, 0, 1, 1};
    const double twice[8] = {0, 0, 1, 0, 1, 0, 0, 1}, line[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    const double bow[8] = {0, 0, 1, 1, 1, 0, 0, 1}, spike[10] = {0, 0, 1, 0, 3, 0, 1, 0.0, 0, 1};
    const double touch[12] = {0, 0, 4, 0, 4, 2, 2, 0, 0, 2, 0, 1};  /* a corner on an edge */
    const double corner[12] = {0, 0, 1, 1, 2, 0, 2, 2, 1, 1, 0, 2}; /* twice through (1, 1) */
    refused(two, 2, "at least three");
    refused(odd, 3, "corner 1 has the coordinate");
    refused(twice, 4, "corners 1 and 2 are both at (1, 0)");
    refused(line, 4, "on one line");
    refused(bow, 4, "the edge from corner 0 to 1 meets that from corner 2 to 3");
    refused(spike, 5, "goes back the way it came at corner 2");
    refused(touch, 6, "crosses or touches itself");
    refused(corner, 6, "crosses or touches itself");
}

/* A comb of many teeth, either way round; then one tooth longer than the back is thick. */
static void test_comb(void **state)
{
    (void)state;
    enum { TEETH = 500 };
    double p[2 * (2 * TEETH + 2)];
    size_t n = 0;
    for (int k = 0; k < TEETH; k++) {
        const double tooth[4] = {k, 0.0, k + 0.5, 10.0};
        memcpy(p + 2 * n, tooth, sizeof tooth);
        n += 2;
    }
    const double back[4] = {TEETH, 11.0, 0.0, 11.0};
    memcpy(p + 2 * n, back, sizeof back);
    n += 2;
    assert_int_equal(jo_outline_check(p, n, &error), JO_OK);
    const jo_outline_mass m = jo_outline_measure(p, n);
    assert_true(!m.clockwise && !m.convex);
    jo_outline_reverse(p, n);
    const jo_outline_mass back_to_front = jo_outline_measure(p, n);
    assert_true(back_to_front.clockwise && fabs(m.area - back_to_front.area) < 1e-9 * m.area);
    assert_int_equal(jo_outline_check(p, n, &error), JO_OK);
    p[2 * 10 + 1] = p[2 * 10 + 1] == 10.0 ? 11.5 : p[2 * 10 + 1];
    p[2 * 11 + 1] = p[2 * 11 + 1] == 10.0 ? 11.5 : p[2 * 11 + 1];
    refused(p, n, "crosses or touches itself");
}

/* Every pair of edges of random closed lines against plain arithmetic on integers. */
static int side(const int a[2], const int b[2], const int c[2])
{
    const int d = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return (d > 0) - (d < 0);
}

static bool within(int a, int b, int c) /* c between a and b */
{
    return (a <= c && c <= b) || (b <= c && c <= a);
}

static bool meets(const int a[2], const int b[2], const int c[2], const int d[2])
{
    const int s1 = side(a, b, c), s2 = side(a, b, d), s3 = side(c, d, a), s4 = side(c, d, b);
    if (s1 * s2 < 0 && s3 * s4 < 0) return true;
    return (s1 == 0 && within(a[0], b[0], c[0]) && within(a[1], b[1], c[1])) ||
           (s2 == 0 && within(a[0], b[0], d[0]) && within(a[1], b[1], d[1])) ||
           (s3 == 0 && within(c[0], d[0], a[0]) && within(c[1], d[1], a[1])) ||
           (s4 == 0 && within(c[0], d[0], b[0]) && within(c[1], d[1], b[1]));
}

static bool simple(int (*p)[2], int n)
{
    for (int i = 0; i < n; i++) {
        const int *a = p[i], *b = p[(i + 1) % n], *c = p[(i + 2) % n];
        if (a[0] == b[0] && a[1] == b[1]) return false;
        if (side(a, b, c) == 0 && (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0)
            return false;
        for (int j = i + 2; j < n; j++)
            if ((j + 1) % n != i && meets(a, b, p[j], p[(j + 1) % n])) return false;
    }
    return n > 3 || side(p[0], p[1], p[2]) != 0;
}

static void test_random_closed_lines(void **state)
{
    (void)state;
    size_t good = 0;
    random_stream r = jo_random_start(3, 1);
    for (int k = 0; k < 50000; k++) {
        int p[7][2];
        double q[14];
        const int n = 3 + (int)(5.0 * jo_random_uniform(&r)), size = k % 2 == 0 ? 4 : 100;
        for (int i = 0; i < 2 * n; i++)
            q[i] = p[i / 2][i % 2] = (int)(size * jo_random_uniform(&r));
        const bool expected = simple(p, n);
        const bool got = jo_outline_check(q, (size_t)n, &error) == JO_OK;
        if (got != expected) fail_msg("case %d: %s", k, got ? "passed" : error.text);
        good += got;
    }
    assert_true(good > 5000);
}

/* An L of three squares, and what any polygon keeps when it is moved. */
static void test_mass(void **state)
{
    (void)state;
    const double l[12] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2};
    const jo_outline_mass m = jo_outline_measure(l, 6);
    assert_true(fabs(m.area - 3.0) < 1e-15 && !m.convex && !m.clockwise);
    assert_true(fabs(m.centre[0] - 5.0 / 6.0) < 1e-15 && fabs(m.centre[1] - 5.0 / 6.0) < 1e-15);
    /* Three squares: about their own centres, plus how far these are from the centre of all. */
    double inertia = 0.0;
    const double centre[3][2] = {{0.5, 0.5}, {1.5, 0.5}, {0.5, 1.5}};
    for (int k = 0; k < 3; k++)
        inertia += 1.0 / 6.0 + pow(centre[k][0] - 5.0 / 6.0, 2) + pow(centre[k][1] - 5.0 / 6.0, 2);
    assert_true(fabs(m.inertia - inertia) < 1e-14);
    double moved[12];
    for (int k = 0; k < 6; k++) { /* by 0.6, 0.8 and far away */
        moved[2 * k] = 0.6 * l[2 * k] - 0.8 * l[2 * k + 1] + 1e3;
        moved[2 * k + 1] = 0.8 * l[2 * k] + 0.6 * l[2 * k + 1] - 1e3;
    }
    const jo_outline_mass far = jo_outline_measure(moved, 6);
    assert_true(fabs(far.inertia - m.inertia) < 1e-11 && fabs(far.radius - m.radius) < 1e-11);
}

static void test_grains(void **state)
{
    (void)state;
    jo_grain_def def = jo_grain_def_default();
    def.radius = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = 0.5, .b = 1.0};
    double p[16], q[16], smallest = INFINITY, largest = 0.0, area = 0.0;
    size_t n, m, seen[9] = {0};
    for (uint64_t k = 0; k < 20000; k++) {
        def.aspect = k % 2 == 0 ? 1.0 : 2.5;
        assert_int_equal(jo_outline_grain(&def, k, p, &n, &error), JO_OK);
        assert_true(n >= 5 && n <= 8);
        seen[n]++;
        if (k % 100 == 0) {
            jo_polygon *shape;
            assert_int_equal(jo_outline_check(p, n, &error), JO_OK);
            assert_int_equal(jo_polygon_create(p, n, &shape, &error), JO_OK);
            const jo_polygon_view v = jo_polygon_look(shape);
            const jo_outline_mass mass = jo_outline_measure(p, n);
            assert_true(fabs(v.area - mass.area) < 1e-14 && fabs(v.inertia - mass.inertia) < 1e-14);
            jo_polygon_destroy(shape);
        }
        const jo_outline_mass mass = jo_outline_measure(p, n);
        assert_true(mass.convex && !mass.clockwise);
        assert_true(hypot(mass.centre[0], mass.centre[1]) < 1e-15);
        if (k % 2 == 1) continue;
        area += mass.area / 10000.0;
        smallest = fmin(smallest, mass.radius);
        largest = fmax(largest, mass.radius);
    }
    assert_true(smallest > 0.5 && largest < 1.4);
    assert_true(area > 1.40 && area < 1.56); /* 1.48 for these sizes */
    for (int k = 5; k <= 8; k++)
        assert_true(seen[k] > 4600);
    assert_int_equal(jo_outline_grain(&def, 7, p, &n, &error), JO_OK);
    assert_int_equal(jo_outline_grain(&def, 7, q, &m, &error), JO_OK);
    assert_true(n == m && memcmp(p, q, 2 * n * sizeof *p) == 0);
}

static void wrong_grain(jo_grain_def def, const char *words)
{
    double p[16];
    size_t n;
    assert_int_equal(jo_outline_grain(&def, 0, p, &n, &error), JO_ERR_ARGUMENT);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void test_wrong_grains(void **state)
{
    (void)state;
    jo_grain_def def = jo_grain_def_default();
    def.corners_min = 2;
    wrong_grain(def, "2 to 8 corners");
    def = jo_grain_def_default();
    def.corners_min = 9;
    wrong_grain(def, "9 to 8 corners");
    def = jo_grain_def_default();
    def.irregularity = 1.0;
    wrong_grain(def, "irregularity 1");
    def = jo_grain_def_default();
    def.aspect = 0.5;
    wrong_grain(def, "aspect 0.5");
    def = jo_grain_def_default();
    def.radius.a = -1.0;
    wrong_grain(def, "radius -1");
    double p[6];
    assert_int_equal(jo_outline_disc(1.0, 2, p, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_outline_disc(0.0, 3, p, &error), JO_ERR_ARGUMENT);
}

static void test_discs(void **state)
{
    (void)state;
    static double p[2000];
    for (size_t sides = 3; sides <= 1000; sides++) {
        assert_int_equal(jo_outline_disc(2.0, sides, p, &error), JO_OK);
        for (size_t k = 0; k < sides; k++) {
            const double at = 6.283185307179586 * (double)k / (double)sides, r = hypot(p[0], p[1]);
            assert_true(hypot(p[2 * k] - r * cos(at), p[2 * k + 1] - r * sin(at)) < 2e-15 * r);
        }
        const jo_outline_mass m = jo_outline_measure(p, sides);
        assert_true(fabs(m.area - 4.0 * 3.141592653589793) < 1e-13 && m.convex);
        if (sides == 1000) assert_true(fabs(m.inertia - 0.5 * m.area * 4.0) < 1e-5 * m.inertia);
    }
    assert_int_equal(jo_outline_check(p, 1000, &error), JO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_comb),
        cmocka_unit_test(test_random_closed_lines),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_grains),
        cmocka_unit_test(test_wrong_grains),
        cmocka_unit_test(test_discs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
