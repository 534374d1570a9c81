/* test_cells.c — linked cells: the choice of cells, paper 1's counts, Mio's model. */
#include "unit/classic_systems.h"

static void same_as_brute(void **state)
{
    (void)state;
    compare_with_brute(method_def("cells"), 300, 0);
    compare_extremes(method_def("cells"));
}

static void same_as_brute_per_cell(void **state)
{
    (void)state;
    const double per_cell[] = {0.1, 1.0, 5.0, 1e9};
    for (int k = 0; k < 4; k++) {
        jo_broad_def def = method_def("cells");
        def.per_cell = per_cell[k];
        compare_with_brute(def, 120, 0);
        compare_extremes(def);
    }
}

/* Cells of many sizes, most of them smaller than the bodies: several layers are searched. */
static void same_as_brute_small_cells(void **state)
{
    (void)state;
    const double cell[] = {1e-30, 0.003, 0.02, 0.07, 0.3, 5.0};
    for (int k = 0; k < 6; k++) {
        jo_broad_def def = method_def("cells");
        def.cell = cell[k];
        compare_with_brute(def, 120, 0);
    }
}

enum { MANY = 20000 };
static double many[4][MANY];

static jo_bodies many_bodies(int dim, double edge, double r)
{
    uint64_t u = 42;
    for (size_t i = 0; i < MANY; i++) {
        for (int a = 0; a < 3; a++)
            many[a][i] = edge * uniform(&u);
        many[3][i] = r;
    }
    return jo_spheres(MANY, dim, many[0], many[1], many[2], many[3]);
}

/* Paper 1: 4.5 (2D) or 13.5 (3D) times n p_avg tests, and n / p_avg cells. In a periodic box there
 * is no rim, and the counts must be met closely. */
static void tests_as_many_pairs_as_paper_1_says(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const double edge = dim == 2 ? 100.0 : 20.0;
        const jo_bodies bodies = many_bodies(dim, edge, 0.1);
        jo_broad_def def = method_def("cells");
        def.per_cell = 5.0;
        for (int a = 0; a < dim; a++) {
            def.domain.periodic[a] = true;
            def.domain.hi[a] = edge;
        }
        jo_broad *search = search_create(def);
        jo_error error = {0};
        must(jo_broad_find(search, &bodies, &error), &error);
        const jo_broad_stats stats = jo_broad_statistics(search);
        const double occupancy = (double)MANY / (double)stats.cells;
        assert_true(occupancy >= 5.0 && occupancy < 6.5);
        const double want = (dim == 2 ? 4.5 : 13.5) * MANY * occupancy;
        assert_true(fabs((double)stats.pairs_tested / want - 1.0) < 0.02);
        jo_broad_destroy(search);
    }
}

static uint64_t cells_used(jo_broad_def def, const jo_bodies *bodies)
{
    jo_broad *search = search_create(def);
    jo_error error = {0};
    must(jo_broad_find(search, bodies, &error), &error);
    const uint64_t cells = jo_broad_statistics(search).cells;
    jo_broad_destroy(search);
    return cells;
}

/* Whatever is asked for, an edge below the largest diameter is not used for per_cell, and memory
 * stays in proportion to the number of bodies. */
static void cells_are_bounded(void **state)
{
    (void)state;
    const jo_bodies bodies = many_bodies(3, 20.0, 0.5);
    jo_broad_def def = method_def("cells");
    def.per_cell = 0.01;
    const uint64_t finest = cells_used(def, &bodies);
    assert_true(finest > 15 * 15 * 15 && finest <= 20 * 20 * 20);
    def.per_cell = 0.0;
    def.cell = 1e-9;
    assert_true(cells_used(def, &bodies) <= 64 * MANY + 4096);
    many[0][7] = 1e100;
    assert_true(cells_used(method_def("cells"), &bodies) <= 16 * MANY + 64);
}

/* With the exact number of cells searched, 1 + 4 / lambda, the optimum has a closed form; the fit
 * must be near it, and L must have its least value there. */
static void model_has_its_minimum_where_it_should(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (int dim = 2; dim <= 3; dim++)
        for (double fraction = 0.1; fraction < 0.7; fraction += 0.1) {
            const double r = 0.37;
            const double density =
                dim == 2 ? fraction / (pi * r * r) : fraction / (4.0 / 3.0 * pi * r * r * r);
            const double best = jo_cell_optimum(r, density, dim, 10.47);
            const double least = jo_cell_load(best, r, density, dim, 10.47);
            for (double lambda = 0.25; lambda <= 20.0; lambda += 0.01)
                assert_true(jo_cell_load(lambda, r, density, dim, 10.47) >= least * (1 - 1e-7));
            const double closed = pow(8.0 / (10.47 * density * pow(r, dim)), 1.0 / (dim + 1));
            assert_true(fabs(best / closed - 1.0) < 0.06);
        }
}

/* Paper 2: lambda about 1.5 in dense systems, larger in dilute ones. */
static void model_agrees_with_the_lecture(void **state)
{
    (void)state;
    const double unit = 4.0 / 3.0 * 3.14159265358979323846;
    const double dense = jo_cell_optimum(1.0, 0.6 / unit, 3, 10.47);
    assert_true(fabs(dense - 1.564) < 2e-3);
    assert_true(jo_cell_optimum(1.0, 0.1 / unit, 3, 10.47) > 1.4 * dense);
    assert_true(fabs(jo_cell_optimum(1.0, 0.0, 3, 10.47) - 20.0) < 1e-3);
    assert_true(fabs(jo_cell_optimum(1.0, 1e9, 3, 10.47) - 0.25) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute),
        cmocka_unit_test(same_as_brute_per_cell),
        cmocka_unit_test(same_as_brute_small_cells),
        cmocka_unit_test(tests_as_many_pairs_as_paper_1_says),
        cmocka_unit_test(cells_are_bounded),
        cmocka_unit_test(model_has_its_minimum_where_it_should),
        cmocka_unit_test(model_agrees_with_the_lecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
