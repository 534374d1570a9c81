/* test_sweep.c — sweep and prune: the swaps, the table after many moves, periodic faces. */
#include "unit/classic_systems.h"

#include "broad/pairtable.h"

static void same_as_brute(void **state)
{
    (void)state;
    compare_with_brute(method_def("sweep"), 400, 0);
    compare_extremes(method_def("sweep"));
}

static void same_as_brute_over_many_moves(void **state)
{
    (void)state;
    compare_with_brute(method_def("sweep"), 150, 100);
}

typedef struct counts {
    uint64_t swaps, rebuilds;
    size_t contacts, begun, ended;
} counts;

/* An update, and what it did by itself. */
static counts step(jo_broad *search, const jo_bodies *bodies)
{
    jo_error error = {0};
    jo_broad_statistics_reset(search);
    must(jo_broad_update(search, bodies, &error), &error);
    const jo_broad_stats s = jo_broad_statistics(search);
    return (counts){s.swaps, s.rebuilds, jo_broad_contacts(search).count,
                    jo_broad_begun(search).count, jo_broad_ended(search).count};
}

/* The first update is a find, which keeps no lists; the second builds them. */
static void build_lists(jo_broad *search, const jo_bodies *bodies)
{
    step(search, bodies);
    const counts c = step(search, bodies);
    assert_true(c.rebuilds == 1 && c.swaps == 0);
}

/* Two discs, counted by hand: every end that passes another is one swap on its axis. */
static void swaps_are_counted(void **state)
{
    (void)state;
    double x[] = {0.0, 3.0}, y[] = {0.0, 0.5}, r[] = {1.0, 1.0};
    const jo_bodies bodies = jo_spheres(2, 2, x, y, NULL, r);
    jo_broad *search = search_create(method_def("sweep"));
    build_lists(search, &bodies);
    counts c = step(search, &bodies); /* at rest */
    assert_true(c.swaps == 0 && c.rebuilds == 0 && c.contacts == 0);
    x[1] = 1.5; /* its lower end passes body 0's upper end */
    c = step(search, &bodies);
    assert_true(c.swaps == 1 && c.contacts == 1 && c.begun == 1);
    x[1] = -0.5; /* past body 0's centre: lower past lower, upper past upper */
    c = step(search, &bodies);
    assert_true(c.swaps == 2 && c.contacts == 1 && c.begun == 0 && c.ended == 0);
    x[1] = -5.0; /* upper past lower: away */
    c = step(search, &bodies);
    assert_true(c.swaps == 1 && c.contacts == 0 && c.ended == 1);
    x[1] = 5.0; /* through body 0 in one step: all four exchanges, no contact */
    c = step(search, &bodies);
    assert_true(c.swaps == 4 && c.rebuilds == 0 && c.contacts == 0 && c.begun == 0);
    jo_broad_destroy(search);
}

/* Boxes that overlap on one axis only are no contact, until the other axis follows. */
static void all_axes_must_overlap(void **state)
{
    (void)state;
    double x[] = {0.0, 5.0}, y[] = {0.0, 5.0}, r[] = {1.0, 1.0};
    const jo_bodies bodies = jo_spheres(2, 2, x, y, NULL, r);
    jo_broad *search = search_create(method_def("sweep"));
    build_lists(search, &bodies);
    x[1] = 1.0;
    counts c = step(search, &bodies);
    assert_true(c.swaps == 1 && c.contacts == 0);
    y[1] = 1.0;
    c = step(search, &bodies);
    assert_true(c.swaps == 1 && c.contacts == 1);
    y[1] = 2.0, x[1] = 0.0; /* touching exactly: closed intervals overlap */
    assert_int_equal(step(search, &bodies).contacts, 1);
    jo_broad_destroy(search);
}

/* A disc that drifts round a periodic box twenty times meets the other once per round. */
static void faces_are_crossed(void **state)
{
    (void)state;
    double x[] = {0.05, 0.5}, y[] = {0.5, 0.5}, r[] = {0.1, 0.12};
    const jo_bodies bodies = jo_spheres(2, 2, x, y, NULL, r);
    jo_broad_def def = method_def("sweep");
    def.domain.periodic[0] = true;
    def.domain.hi[0] = 1.0;
    jo_broad *search = search_create(def);
    build_lists(search, &bodies);
    size_t begun = 0, ended = 0, rebuilds = 0;
    for (int k = 0; k < 2000; k++) {
        x[1] = 0.5 + 0.01 * k;
        const counts c = step(search, &bodies);
        begun += c.begun;
        ended += c.ended;
        rebuilds += c.rebuilds;
    }
    assert_int_equal(begun, 20);
    assert_int_equal(ended, 20);
    assert_int_equal(rebuilds, 0);
    jo_broad_destroy(search);
}

enum { MANY = 3000 };

/* Small steps are repaired by swaps; teleporting everything costs a rebuild, not n^2 swaps. */
static void work_is_bounded(void **state)
{
    (void)state;
    static double x[3][MANY], r[MANY];
    uint64_t u = 17;
    for (size_t i = 0; i < MANY; i++) {
        for (int a = 0; a < 3; a++)
            x[a][i] = 10.0 * uniform(&u);
        r[i] = 0.02 + 0.1 * uniform(&u);
    }
    const jo_bodies bodies = jo_spheres(MANY, 3, x[0], x[1], x[2], r);
    jo_broad *search = search_create(method_def("sweep"));
    build_lists(search, &bodies);
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < MANY; i++)
            x[k % 3][i] += 0.002 * (uniform(&u) - 0.5);
        const counts c = step(search, &bodies);
        assert_true(c.rebuilds == 0 && c.swaps > 0);
    }
    for (size_t i = 0; i < MANY; i++)
        x[0][i] = 10.0 * uniform(&u);
    const counts c = step(search, &bodies);
    assert_true(c.rebuilds == 1);
    assert_true(c.swaps < (uint64_t)MANY * MANY / 2);
    jo_broad_destroy(search);
}

/* A step at rest tests the pairs of the table and no others: they must be the pairs of boxes that
 * overlap, no more and no fewer, after any number of moves. */
static void table_is_the_overlapping_boxes(void **state)
{
    (void)state;
    enum { N = 300 };
    static double x[3][N], lower[3 * N], upper[3 * N], r[N];
    uint64_t u = 29;
    jo_broad_def def = method_def("sweep"), brute = method_def("brute");
    def.domain.periodic[1] = true;
    def.domain.hi[1] = 1.0;
    brute.domain = def.domain;
    jo_broad *search = search_create(def), *boxes_search = search_create(brute);
    for (size_t i = 0; i < N; i++) {
        for (int a = 0; a < 3; a++)
            x[a][i] = uniform(&u);
        r[i] = 0.01 + 0.1 * uniform(&u);
    }
    const jo_bodies spheres = jo_spheres(N, 3, x[0], x[1], x[2], r);
    const jo_bodies boxes = jo_boxes_interleaved(N, 3, lower, upper);
    jo_error error = {0};
    build_lists(search, &spheres);
    for (int k = 0; k < 60; k++) {
        for (size_t i = 0; i < N; i++)
            for (int a = 0; a < 3; a++) {
                x[a][i] += 0.05 * (uniform(&u) - 0.5);
                lower[3 * i + (size_t)a] = x[a][i] - r[i];
                upper[3 * i + (size_t)a] = x[a][i] + r[i];
            }
        must(jo_broad_update(search, &spheres, &error), &error);
        const counts c = step(search, &spheres);
        assert_true(c.swaps == 0 && c.rebuilds == 0);
        must(jo_broad_find(boxes_search, &boxes, &error), &error);
        assert_int_equal(jo_broad_statistics(search).pairs_tested,
                         jo_broad_contacts(boxes_search).count);
    }
    jo_broad_destroy(search);
    jo_broad_destroy(boxes_search);
}

/* The table against a plain array of flags, through growth and removal. */
static void table_holds_what_was_put_in(void **state)
{
    (void)state;
    enum { N = 60 };
    static bool there[N][N];
    pairtable t = {0};
    assert_true(jo_pairtable_clear(&t, 0));
    uint64_t u = 5;
    size_t count = 0;
    for (int k = 0; k < 40000; k++) {
        const uint32_t i = (uint32_t)(N * uniform(&u)), j = (uint32_t)(N * uniform(&u));
        if (i == j) continue;
        const uint32_t a = i < j ? i : j, b = i < j ? j : i;
        if (uniform(&u) < (k / 5000 % 2 ? 0.3 : 0.7)) {
            assert_true(jo_pairtable_insert(&t, i, j));
            count += !there[a][b];
            there[a][b] = true;
        } else {
            jo_pairtable_erase(&t, i, j);
            count -= there[a][b];
            there[a][b] = false;
        }
        assert_int_equal(t.count, count);
        if (k % 500 != 0) continue;
        for (uint32_t p = 0; p < N; p++)
            for (uint32_t q = p + 1; q < N; q++)
                assert_int_equal(pairtable_slots(&t)[pairtable_find(&t, pairtable_key(p, q))] != 0,
                                 there[p][q]);
    }
    jo_pairtable_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute),
        cmocka_unit_test(same_as_brute_over_many_moves),
        cmocka_unit_test(swaps_are_counted),
        cmocka_unit_test(all_axes_must_overlap),
        cmocka_unit_test(faces_are_crossed),
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(table_holds_what_was_put_in),
        cmocka_unit_test(table_is_the_overlapping_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
