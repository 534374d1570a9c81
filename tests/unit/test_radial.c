/* test_radial.c — the distance sort of paper 1: the scan's bound, the choice of origin, ghosts. */
#include "unit/classic_systems.h"

static void same_as_brute(void **state)
{
    (void)state;
    compare_with_brute(method_def("radial"), 400, 0);
    compare_extremes(method_def("radial"));
}

static void same_as_brute_from_any_origin(void **state)
{
    (void)state;
    const double origins[][3] = {{0.5, 0.5, 0.5}, {-3.0, 7.0, 0.1}, {1e20, 0.0, 0.0}};
    for (int k = 0; k < 3; k++) {
        jo_broad_def def = method_def("radial");
        def.origin_set = true;
        memcpy(def.origin, origins[k], sizeof def.origin);
        compare_with_brute(def, 100, 0);
    }
}

static uint64_t pairs_tested(jo_broad_def def, const jo_bodies *bodies)
{
    jo_broad *search = search_create(def);
    jo_error error = {0};
    must(jo_broad_find(search, bodies, &error), &error);
    const uint64_t tested = jo_broad_statistics(search).pairs_tested;
    jo_broad_destroy(search);
    return tested;
}

/* Paper 1's step 3, counted by hand on a line: l = x − r, and j follows i while l_j − l_i <= 2 r_i.
 */
static void scan_stops_where_the_paper_says(void **state)
{
    (void)state;
    /*                    l:  -1   1.5  2    4    8.5  */
    const double x[] = {0.0, 2.5, 4.0, 5.0, 9.0}, y[5] = {0};
    const double r[] = {1.0, 1.0, 2.0, 1.0, 0.5};
    const jo_bodies bodies = jo_spheres(5, 2, x, y, NULL, r);
    /* 0 ends at 1: none; 1 ends at 3.5: {2}; 2 ends at 6: {3}; 3 ends at 6: none. */
    assert_int_equal(pairs_tested(method_def("radial"), &bodies), 2);
    jo_broad_def def = method_def("radial");
    def.origin_set = true;
    def.origin[0] = 9.0;
    /* From the other end l is 8, 5.5, 3, 3, -0.5: 4 ends at 0.5: none; 2 (ends 7): {3, 1}; 3 (ends
     * 5): none; 1 (ends 7.5): none. Bodies 2 and 3 begin alike; listed by index, 2 scans 3. */
    assert_int_equal(pairs_tested(def, &bodies), 2);
}

/* Touching exactly at the end of the scan counts. */
static void scan_includes_its_end(void **state)
{
    (void)state;
    const double x[] = {0.0, 2.0, 4.0}, y[3] = {0}, r[] = {1.0, 1.0, 1.0};
    const jo_bodies bodies = jo_spheres(3, 2, x, y, NULL, r);
    assert_int_equal(pairs_tested(method_def("radial"), &bodies), 2);
}

/* The paper: the number of tests hardly depends on how sizes are spread, for the same mean. */
static void one_giant_costs_one_scan(void **state)
{
    (void)state;
    enum { N = 2000 };
    static double x[N], y[N], r[N];
    uint64_t u = 3;
    for (size_t i = 0; i < N; i++) {
        x[i] = 40.0 * uniform(&u);
        y[i] = 40.0 * uniform(&u);
        r[i] = 0.1;
    }
    const jo_bodies bodies = jo_spheres(N, 2, x, y, NULL, r);
    const uint64_t before = pairs_tested(method_def("radial"), &bodies);
    r[0] = 10.0;
    const uint64_t after = pairs_tested(method_def("radial"), &bodies);
    assert_true(after > before && after < before + N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute),
        cmocka_unit_test(same_as_brute_from_any_origin),
        cmocka_unit_test(scan_stops_where_the_paper_says),
        cmocka_unit_test(scan_includes_its_end),
        cmocka_unit_test(one_giant_costs_one_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
