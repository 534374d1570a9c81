/* test_keysort.c — sorting keys, and the sorted columns and lattices built on them. */
#include "unit/classic_systems.h"

#include "base/keysort.h"
#include "broad/columns.h"
#include "broad/lattice.h"

static void keys_order_as_doubles(void **state)
{
    (void)state;
    const double v[] = {-INFINITY, -1e150, -1.0, -1e-310, -0.0, 0.0, 1e-310, 1.0, 1e150, INFINITY};
    for (size_t k = 0; k + 1 < sizeof v / sizeof *v; k++)
        assert_true(key_of_double(v[k]) < key_of_double(v[k + 1]));
}

/* Short, long, with many equal keys, with keys that differ in one byte only. */
static void keys_are_sorted_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static keyed items[MOST], scratch[MOST];
    const size_t counts[] = {0, 1, 2, 39, 40, 41, 300, MOST};
    uint64_t u = 1;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int kind = 0; kind < 4; kind++) {
            const size_t n = counts[c];
            for (size_t k = 0; k < n; k++) {
                const uint64_t random = jo_mix64(++u);
                const uint64_t key[] = {random, random % 10, random << 56, 7};
                items[k] = (keyed){.key = key[kind], .id = (uint32_t)k};
            }
            jo_keysort(items, scratch, n);
            uint64_t seen = 0;
            for (size_t k = 0; k < n; k++) {
                seen += items[k].id;
                if (k == 0) continue;
                assert_true(items[k - 1].key <= items[k].key);
                if (items[k - 1].key == items[k].key) assert_true(items[k - 1].id < items[k].id);
            }
            assert_int_equal(seen, n * (n - (n > 0)) / 2);
        }
}

static void columns_scan_in_order(void **state)
{
    (void)state;
    columns c = {0};
    uint64_t u = 9;
    enum { N = 200 };
    assert_true(jo_columns_start(&c, 1)); /* too little: adding grows it */
    for (uint32_t i = 0; i < N; i++) {
        const double x = uniform(&u);
        const column_entry e = {.x = {x, 0.0, 0.0}, .r = 0.01, .begin = x, .end = x + 0.1, .id = i};
        assert_true(jo_columns_add(&c, &e));
    }
    assert_true(jo_columns_sort(&c));
    for (size_t i = 0; i < N; i++) {
        const size_t stop = jo_columns_stop(&c, i, c.end[i]);
        assert_true(i == 0 || c.begin[i - 1] <= c.begin[i]);
        assert_true(stop > i && c.begin[stop - 1] <= c.end[i]);
        assert_true(stop == N || c.begin[stop] > c.end[i]);
        for (size_t j = i; j < N; j += COLUMN_BLOCK) { /* the last block reaches past the end */
            double depth[COLUMN_BLOCK];
            const bool near = columns_near(&c, i, j, NULL, depth);
            bool any = false;
            for (size_t k = 0; k < COLUMN_BLOCK; k++) {
                const bool want = j + k < N && fabs(c.x[0][j + k] - c.x[0][i]) <= 0.02;
                assert_int_equal(depth[k] >= 0.0, want);
                any |= want;
            }
            assert_int_equal(near, any);
        }
    }
    jo_columns_free(&c);
}

/* Cells are as many as allowed, no smaller than asked for, and hold every centre. */
static void lattices_fit(void **state)
{
    (void)state;
    static test_system s;
    int divided = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        system_random(&s, seed);
        const jo_bodies bodies = system_bodies(&s);
        survey found;
        jo_error error = {0};
        must(jo_survey(&bodies, &s.domain, &found, &error), &error);
        const jo_broad_def def = jo_broad_def_default();
        const query q = {
            .bodies = &bodies, .domain = &s.domain, .survey = &found, .def = &def, .threads = 1};
        uint64_t u = seed;
        const double longest = fmax(found.hi[0] - found.lo[0], s.domain.hi[0] - s.domain.lo[0]);
        const double edge = longest * pow(10.0, -4.0 * uniform(&u)), most = 1 + 500 * uniform(&u);
        const lattice l = jo_lattice_fit(&q, edge, most);
        assert_true((double)lattice_cells(&l) <= most);
        divided += lattice_cells(&l) > 1;
        for (int a = 0; a < s.dim; a++) {
            assert_true(l.m[a] == 1 || l.edge[a] >= edge * (1 - 1e-12));
            if (s.domain.periodic[a]) continue;
            assert_int_equal(lattice_index(&l, a, lattice_place(&l, a, found.lo[a])), 0);
            assert_int_equal(lattice_index(&l, a, lattice_place(&l, a, found.hi[a])), l.m[a] - 1);
        }
    }
    assert_true(divided > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_order_as_doubles),
        cmocka_unit_test(keys_are_sorted_and_equal_ones_keep_their_order),
        cmocka_unit_test(columns_scan_in_order),
        cmocka_unit_test(lattices_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
