/* test_rows.c — bodies sorted into rows of cells: the frame of integers, the order, the plan, and
 * that both compilations of the search find every pair once, in whatever table. */
#include "unit/classic_systems.h"

#include "broad/rows.h"

#pragma weak jo_rows_search_avx2 /* not there where the compiler cannot make it */

static bool have_avx2(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return jo_rows_search_avx2 != NULL && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static rows structure;
static pairparts parts;

static int tear_down(void **state)
{
    (void)state;
    jo_rows_release(&structure);
    structure = (rows){0};
    jo_pairparts_free(&parts);
    return 0;
}

typedef struct question {
    jo_bodies bodies;
    survey survey;
    jo_broad_def def;
    query q;
} question;

static void ask(question *k, const test_system *s, double cell)
{
    jo_error error = {0};
    k->bodies = system_bodies(s);
    k->def = jo_broad_def_default();
    k->def.domain = s->domain;
    k->def.cell = cell;
    must(jo_survey(&k->bodies, &k->def.domain, &k->survey, &error), &error);
    k->q = (query){.bodies = &k->bodies,
                   .domain = &k->def.domain,
                   .survey = &k->survey,
                   .def = &k->def,
                   .threads = 1,
                   .parts = &parts};
}

/* The structure for a system, and its pairs as they come. */
static void build(question *k, const test_system *s, int levels, double cell, pairlist *out)
{
    jo_error error = {0};
    jo_broad_stats stats = {0};
    ask(k, s, cell);
    pairlist_clear(out);
    must(jo_rows_find(&structure, &k->q, levels, out, &stats, &error), &error);
    assert_true(stats.rebuilds == 1 && stats.cells == structure.cell_count);
}

/* ---- the frame */

/* Every body once, in the slot of its cell, and its integers are its coordinates to a step. */
static void check_sorted(const question *k)
{
    const rows *s = &structure;
    bool seen[SYSTEM_MAX] = {false};
    uint32_t before = 0;
    for (uint32_t c = 0; c <= s->cell_count; c++) {
        assert_true(s->start[c] >= before && s->start[c] <= s->n);
        before = s->start[c];
    }
    assert_true(s->start[0] == 0 && s->start[s->cell_count] == s->n);
    for (size_t at = 0; at < s->n; at++) {
        const uint32_t id = s->id[at];
        assert_true(id < s->n && !seen[id]);
        seen[id] = true;
        const double r = body_radius(&k->bodies, id);
        assert_true(s->r[at] >= 0.0f && s->r[at] < 1.0f);
        assert_true(fabs(s->r[at] * s->unit - r) <= 1e-7 * r + 1e-44 * s->unit);
        for (int a = 0; a < s->dim; a++) {
            if (s->clamped && !s->periodic[a]) continue;
            double off = s->x[a][at] * s->step[a] - (body_centre(&k->bodies, id, a) - s->origin[a]);
            if (s->periodic[a]) off -= s->width[a] * rint(off / s->width[a]);
            assert_true(fabs(off) <= s->pad * s->unit);
            assert_true(s->periodic[a] || s->x[a][at] <= s->top[a]);
        }
    }
}

static void check_levels(void)
{
    const rows *s = &structure;
    for (int l = 0; l < s->levels; l++) {
        const rows_level *level = &s->level[l];
        const uint32_t end = l + 1 < s->levels ? s->level[l + 1].first_cell : s->cell_count;
        assert_true(level->first_cell + level->table[0] * level->table[1] * level->table[2] <= end);
        for (uint32_t at = s->start[level->first_cell]; at < s->start[end]; at++)
            assert_true(s->r[at] <= level->r_max);
        for (int a = 0; a < s->dim; a++) {
            assert_true(level->table[a] >= 1 && level->table[a] <= level->cells[a]);
            if (level->repeats[a] && s->periodic[a])
                assert_int_equal(level->cells[a] % level->table[a], 0);
        }
    }
}

static void bodies_are_sorted_in_an_exact_frame(void **state)
{
    (void)state;
    static test_system s;
    question k;
    pairlist out = {0};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        system_random(&s, seed);
        build(&k, &s, seed % 2 ? 1 : ROWS_LEVELS_MAX, 0.0, &out);
        check_sorted(&k);
        check_levels();
    }
    jo_pairlist_free(&out);
}

/* One body in the next galaxy must not cost the others their resolution. */
static void a_body_far_out_is_entered_at_the_edge(void **state)
{
    (void)state;
    static test_system s;
    question k;
    pairlist out = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        system_random(&s, seed);
        memset(&s.domain, 0, sizeof s.domain);
        s.shape = JO_SPHERES;
        s.n = 300;
        uint64_t u = seed;
        for (size_t i = 0; i < s.n; i++) {
            s.r[i] = 0.05;
            for (int a = 0; a < s.dim; a++)
                s.x[a][i] = uniform(&u);
        }
        s.x[0][7] = 1e30;
        s.x[1][8] = -1e140;
        build(&k, &s, 1, 0.0, &out);
        assert_true(structure.clamped);
        assert_true(structure.step[0] < 1e-2 && structure.step[1] < 1e-2);
        check_sorted(&k);
        compare_system(method_def("grid"), &s, 0, "far out", seed);
        compare_system(method_def("hgrid"), &s, 0, "far out", seed);
    }
    jo_pairlist_free(&out);
}

/* Bodies many periods outside, up to where not even the distance in periods is a double. */
static void periodic_axes_take_bodies_from_anywhere(void **state)
{
    (void)state;
    static test_system s;
    static const double away[] = {1.0, 1e6, 1e12, 1e17, 1e30, 1e149};
    static const double periods[] = {1.0, 1e-100, 1e-149};
    for (size_t p = 0; p < 3; p++)
        for (size_t k = 0; k < 6; k++)
            for (int boxes = 0; boxes < 2; boxes++) {
                uint64_t u = k + 1;
                memset(&s, 0, sizeof s);
                s.dim = 2;
                s.n = 60;
                s.shape = boxes ? JO_BOXES : JO_SPHERES;
                s.domain.periodic[0] = s.domain.periodic[1] = true;
                s.domain.hi[0] = s.domain.hi[1] = periods[p];
                for (size_t i = 0; i < s.n; i++) {
                    s.r[i] = 0.05 * periods[p];
                    for (int a = 0; a < 2; a++) {
                        s.x[a][i] = (uniform(&u) - 0.5) * (i % 2 ? away[k] : periods[p]);
                        s.upper[a][i] = s.x[a][i] + 0.1 * periods[p];
                    }
                }
                compare_system(method_def("grid"), &s, 1, "far away", k);
                compare_system(method_def("hgrid"), &s, 1, "far away", k);
            }
    /* All of them on one side of the box. */
    for (size_t i = 0; i < s.n; i++)
        s.x[0][i] = s.upper[0][i] = -1e20;
    compare_system(method_def("grid"), &s, 1, "all below", 0);
}

/* ---- the plan */

static void check_plan(const rows_plan *plan, int max_levels)
{
    assert_true(plan->levels >= 1 && plan->levels <= max_levels);
    assert_int_equal(plan->first_bin[0], 0);
    assert_int_equal(plan->first_bin[plan->levels], ROWS_BINS);
    for (int l = 0; l < plan->levels; l++) {
        assert_true(plan->first_bin[l] < plan->first_bin[l + 1]);
        assert_true(plan->edge[l] > 0.0 && isfinite(plan->edge[l]));
        assert_true(plan->edge_x[l] > 0.0 && isfinite(plan->edge_x[l]));
    }
}

static void plans_are_sane_for_any_sizes(void **state)
{
    (void)state;
    static test_system s;
    static double x[3][5000], r[5000];
    static const double sizes[] = {0.0, 1e-320, 1e-200, 1e-10, 1.0, 1e30, 1e150};
    static const double factors[] = {1.0, 1e3, 1e200};
    question k;
    system_random(&s, 1);
    memset(&s.domain, 0, sizeof s.domain);
    s.shape = JO_SPHERES;
    int most = 0;
    for (size_t large = 0; large < 7; large++)
        for (size_t small = 0; small <= large; small++)
            for (size_t w = 1; w < 7; w++)
                for (size_t f = 0; f < 3; f++) {
                    ask(&k, &s, 0.0);
                    uint64_t u = large * 49 + small * 7 + w;
                    for (size_t i = 0; i < 5000; i++) {
                        for (int a = 0; a < 3; a++)
                            x[a][i] = sizes[w] * uniform(&u);
                        r[i] = uniform(&u) < 0.9 ? sizes[small] : sizes[large] * uniform(&u);
                    }
                    k.bodies = jo_spheres(5000, 3, x[0], x[1], x[2], r);
                    jo_error error = {0};
                    must(jo_survey(&k.bodies, &k.def.domain, &k.survey, &error), &error);
                    const double width[3] = {sizes[w], sizes[w], sizes[w]};
                    rows_plan plan;
                    jo_rows_plan(&k.q, width, ROWS_LEVELS_MAX, 0.0, factors[f], &plan);
                    check_plan(&plan, ROWS_LEVELS_MAX);
                    if (plan.levels > most) most = plan.levels;
                    jo_rows_plan(&k.q, width, 1, 0.0, factors[f], &plan);
                    check_plan(&plan, 1);
                    jo_rows_plan(&k.q, width, 1, sizes[w], factors[f], &plan);
                    check_plan(&plan, 1);
                }
    assert_true(most > 1); /* sizes so different must have been told apart somewhere */
}

/* ---- the search */

static void search_by(void (*way)(rows_task *), const question *k, pairlist *out, uint64_t *tested)
{
    pairlist_clear(out);
    rows_task task = {.rows = &structure, .q = &k->q, .begin = 0, .end = structure.n, .out = out};
    way(&task);
    assert_false(task.failed);
    *tested = task.tested;
}

/* Both compilations list the same pairs in the same order: it does not depend on the processor. */
static void plain_and_avx2_agree(void **state)
{
    (void)state;
    if (!have_avx2()) skip();
    static test_system s;
    question k;
    pairlist out = {0}, plain = {0}, wide = {0};
    size_t pairs = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        uint64_t plain_tested, wide_tested;
        system_random(&s, seed);
        build(&k, &s, seed % 2 ? 1 : ROWS_LEVELS_MAX, seed % 3 ? 0.0 : 1e-3, &out);
        search_by(jo_rows_search_plain, &k, &plain, &plain_tested);
        search_by(jo_rows_search_avx2, &k, &wide, &wide_tested);
        assert_int_equal(plain_tested, wide_tested);
        assert_same_pairs((jo_pairs){pairlist_data(&wide), wide.count},
                          (jo_pairs){pairlist_data(&plain), plain.count}, "plain", seed);
        pairs += plain.count;
    }
    assert_true(pairs > 10000);
    jo_pairlist_free(&out);
    jo_pairlist_free(&plain);
    jo_pairlist_free(&wide);
}

/* Cells so small that the table repeats many times, on open and on periodic axes. */
static void repeating_tables(void **state)
{
    (void)state;
    static test_system s;
    question k;
    pairlist out = {0};
    int repeating[2] = {0, 0};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        system_random(&s, seed);
        jo_broad_def def = method_def("grid");
        uint64_t u = seed;
        def.cell = pow(10.0, -6.0 * uniform(&u)) * fmax(s.r[0], 1e-30);
        build(&k, &s, 1, def.cell, &out);
        for (int a = 0; a < s.dim; a++)
            if (structure.level[0].repeats[a]) repeating[structure.periodic[a]]++;
        compare_system(def, &s, 0, "small cells", seed);
    }
    assert_true(repeating[0] > 50 && repeating[1] > 50);
    jo_pairlist_free(&out);
}

/* Periods of one, two, three … cells: a window may meet itself, and no pair may come twice. */
static void periods_of_few_cells(void **state)
{
    (void)state;
    static test_system s;
    int full = 0, half = 0;
    question k;
    pairlist out = {0};
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t u = seed;
        memset(&s, 0, sizeof s);
        s.dim = seed % 2 ? 3 : 2;
        s.n = 30 + seed % 100;
        s.shape = seed % 5 ? JO_SPHERES : JO_BOXES;
        const double r = 0.05 + 0.1 * uniform(&u);
        for (int a = 0; a < s.dim; a++) {
            s.domain.periodic[a] = uniform(&u) < 0.8;
            s.domain.hi[a] = r * (0.5 + 9.0 * uniform(&u));
        }
        for (size_t i = 0; i < s.n; i++) {
            s.r[i] = r * (uniform(&u) < 0.8 ? 0.2 : 1.0) * uniform(&u);
            for (int a = 0; a < s.dim; a++) {
                s.x[a][i] = s.domain.hi[a] * (3.0 * uniform(&u) - 1.0);
                s.upper[a][i] = s.x[a][i] + 2 * s.r[i];
            }
        }
        jo_broad_def def = method_def("grid");
        def.cell = r * pow(2.0, 3.0 * uniform(&u) - 1.0);
        build(&k, &s, 1, def.cell, &out);
        *(structure.level[0].full ? &full : &half) += 1;
        compare_system(def, &s, 0, "few cells", seed);
        compare_system(method_def("hgrid"), &s, 0, "few cells", seed);
    }
    assert_true(full > 50 && half > 50);
    jo_pairlist_free(&out);
}

/* Sizes of many octaves: pairs of different levels are met from one side only. */
static void pairs_across_levels_come_once(void **state)
{
    (void)state;
    enum { N = 6000 };
    static double x[3][N], r[N];
    jo_error error = {0};
    for (int kind = 0; kind < 4; kind++) {
        uint64_t u = (uint64_t)kind + 1;
        const bool few_small = kind % 2 == 1; /* the plan may then search upward */
        for (size_t i = 0; i < N; i++) {
            for (int a = 0; a < 3; a++)
                x[a][i] = uniform(&u);
            const double p = uniform(&u);
            r[i] = few_small && p < 0.9 ? 0.02 : 0.03 * pow(3000.0, -(few_small ? uniform(&u) : p));
        }
        const jo_bodies bodies = jo_spheres(N, kind < 2 ? 2 : 3, x[0], x[1], x[2], r);
        jo_broad *a = search_create(method_def("hgrid")), *b = search_create(method_def("brute"));
        must(jo_broad_find(a, &bodies, &error), &error);
        must(jo_broad_find(b, &bodies, &error), &error);
        assert_same_pairs(jo_broad_contacts(a), jo_broad_contacts(b), "levels", (uint64_t)kind);
        assert_true(jo_broad_contacts(a).count > 100);
        jo_broad_destroy(a);
        jo_broad_destroy(b);
    }
}

static void same_as_brute_at_the_edges_of_doubles(void **state)
{
    (void)state;
    compare_extremes(method_def("grid"));
    compare_extremes(method_def("hgrid"));
    jo_broad_def def = method_def("grid");
    static const double cells[] = {1e-320, 1e-160, 1e-3, 1e150};
    for (size_t k = 0; k < 4; k++) {
        def.cell = cells[k];
        compare_extremes(def);
        compare_with_brute(def, 60, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_sorted_in_an_exact_frame),
        cmocka_unit_test(a_body_far_out_is_entered_at_the_edge),
        cmocka_unit_test(periodic_axes_take_bodies_from_anywhere),
        cmocka_unit_test(plans_are_sane_for_any_sizes),
        cmocka_unit_test(plain_and_avx2_agree),
        cmocka_unit_test(repeating_tables),
        cmocka_unit_test(periods_of_few_cells),
        cmocka_unit_test(pairs_across_levels_come_once),
        cmocka_unit_test(same_as_brute_at_the_edges_of_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
