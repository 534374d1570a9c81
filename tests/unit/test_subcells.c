/* test_subcells.c — bodies entered in every cell they cover: each pair once, bounded memory. */
#include "unit/classic_systems.h"

static void same_as_brute(void **state)
{
    (void)state;
    compare_with_brute(method_def("subcells"), 400, 0);
    compare_extremes(method_def("subcells"));
}

static void same_as_brute_for_any_cell(void **state)
{
    (void)state;
    const double cell[] = {1e-30, 0.01, 0.04, 0.11, 0.5, 1e6};
    for (int k = 0; k < 6; k++) {
        jo_broad_def def = method_def("subcells");
        def.cell = cell[k];
        compare_with_brute(def, 120, 0);
    }
}

/* Two large discs that share many cells, in a periodic box which they meet in from both sides. */
static void shared_cells_give_one_pair(void **state)
{
    (void)state;
    const double x[] = {0.2, 0.8}, y[] = {0.9, 0.1}, r[] = {0.45, 0.45};
    const jo_bodies bodies = jo_spheres(2, 2, x, y, NULL, r);
    jo_broad_def def = method_def("subcells");
    def.cell = 0.1;
    jo_error error = {0};
    for (int periodic = 0; periodic < 4; periodic++) {
        for (int a = 0; a < 2; a++) {
            def.domain.periodic[a] = periodic >> a & 1;
            def.domain.hi[a] = 1.0;
        }
        jo_broad *search = search_create(def);
        must(jo_broad_find(search, &bodies, &error), &error);
        assert_true(jo_broad_statistics(search).cells > 9);
        /* Open on both axes they are 1 apart, reach 0.9. */
        assert_int_equal(jo_broad_contacts(search).count, periodic ? 1 : 0);
        jo_broad_destroy(search);
    }
}

/* One body as large as the whole box among small ones, and absurdly small cells asked for. */
static void memory_is_bounded(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double x[3][N], r[N];
    uint64_t u = 11;
    for (size_t i = 0; i < N; i++) {
        for (int a = 0; a < 3; a++)
            x[a][i] = 100.0 * uniform(&u);
        r[i] = i % 10 == 0 ? 50.0 : 0.01;
    }
    const jo_bodies bodies = jo_spheres(N, 3, x[0], x[1], x[2], r);
    for (int k = 0; k < 2; k++) {
        jo_broad_def def = method_def("subcells");
        if (k == 1) def.cell = 1e-12;
        jo_broad *search = search_create(def);
        jo_error error = {0};
        must(jo_broad_find(search, &bodies, &error), &error);
        /* 32 + 24 bytes per body, up to 8 cells of 8 bytes, up to 32 entries of 4 bytes. */
        assert_true(jo_broad_statistics(search).bytes <
                    N * 300 + jo_broad_statistics(search).contacts * 16);
        jo_broad_destroy(search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute),
        cmocka_unit_test(same_as_brute_for_any_cell),
        cmocka_unit_test(shared_cells_give_one_pair),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
