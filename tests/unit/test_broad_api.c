/* test_broad_api.c — the search as a caller meets it: definitions, errors, statistics, memory,
 * order, events, the hash. What each method finds is the oracle's business. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/systems.h"

static void contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* All methods by name, "auto" last, then NULL. */
static const char *method_name(size_t k)
{
    const size_t count = jo_broad_method_count();
    return k < count ? jo_broad_method(k)->name : k == count ? "auto" : NULL;
}

static jo_broad *create(const char *method, int threads, bool ordered)
{
    jo_broad_def def = jo_broad_def_default();
    jo_broad *search;
    jo_error error = {0};
    def.method = method;
    def.threads = threads;
    def.ordered = ordered;
    if (jo_broad_create(&def, &search, &error) != JO_OK) fail_msg("%s", error.text);
    return search;
}

/* ---- n spheres at random, about two contacts each */

enum { MANY = 3000 };
static double xs[3][MANY], rs[MANY];

static jo_bodies random_spheres(size_t n, uint64_t seed)
{
    rng g = rng_seeded(seed);
    const double edge = cbrt((double)n);
    for (size_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++)
            xs[a][i] = edge * rng_unit(&g);
        rs[i] = rng_between(&g, 0.4, 0.55);
    }
    return jo_spheres(n, 3, xs[0], xs[1], xs[2], rs);
}

/* ---- methods */

static void methods_describe_themselves(void **state)
{
    (void)state;
    const size_t count = jo_broad_method_count();
    assert_true(count >= 1);
    assert_null(jo_broad_method(count));
    assert_string_equal(jo_broad_method(0)->name, "brute");
    for (size_t k = 0; k < count; k++) {
        const jo_method_info *m = jo_broad_method(k);
        assert_string_not_equal(m->name, "auto");
        assert_true(strlen(m->summary) > 10 && strlen(m->source) > 3);
        assert_true(strlen(m->cost) > 5 && strlen(m->when) > 10);
        assert_non_null(m->options);
        for (size_t other = 0; other < k; other++)
            assert_string_not_equal(m->name, jo_broad_method(other)->name);
    }
    for (int s = 0; s < JO_STAGE_COUNT; s++)
        assert_string_not_equal(jo_broad_stage_name((jo_broad_stage)s), "unknown");
    assert_string_equal(jo_broad_stage_name(JO_STAGE_COUNT), "unknown");
}

/* ---- definitions */

static void bad_definitions_are_explained_at_once(void **state)
{
    (void)state;
    jo_error error = {0};
    jo_broad_def def = jo_broad_def_default();
    assert_int_equal(jo_broad_def_check(&def, &error), JO_OK);
    assert_int_equal(error.status, JO_OK); /* untouched */

    def.method = "quick";
    def.threads = -1;
    def.skin = NAN;
    def.cell = -1.0;
    assert_int_equal(jo_broad_def_check(&def, &error), JO_ERR_ARGUMENT);
    contains(error.text, "no method 'quick'");
    contains(error.text, "brute");
    contains(error.text, "threads is -1");
    contains(error.text, "skin");
    contains(error.text, "cell must");
    contains(error.text, "; ");

    def = jo_broad_def_default();
    def.method = NULL;
    def.cell = 1.0;
    def.per_cell = 1.0;
    def.origin_set = true;
    def.origin[1] = INFINITY;
    def.domain.periodic[1] = true; /* from 0 to 0 */
    assert_int_equal(jo_broad_def_check(&def, &error), JO_ERR_ARGUMENT);
    contains(error.text, "NULL");
    contains(error.text, "both set");
    contains(error.text, "origin");
    contains(error.text, "periodic box on y");
    assert_int_equal(jo_broad_def_check(&def, NULL), JO_ERR_ARGUMENT);
    assert_int_equal(jo_broad_def_check(NULL, &error), JO_ERR_ARGUMENT);
}

static void single_mistakes(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        double value;
        const char *says;
    } cases[] = {
        {offsetof(jo_broad_def, skin), INFINITY, "skin"},
        {offsetof(jo_broad_def, cell), NAN, "cell"},
        {offsetof(jo_broad_def, cell), INFINITY, "cell"},
        {offsetof(jo_broad_def, per_cell), -3, "per_cell"},
        {offsetof(jo_broad_def, per_cell), NAN, "per_cell"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jo_broad_def def = jo_broad_def_default();
        jo_error error = {0};
        jo_broad *search = (jo_broad *)&def;
        memcpy((char *)&def + cases[k].offset, &cases[k].value, sizeof(double));
        assert_int_equal(jo_broad_create(&def, &search, &error), JO_ERR_ARGUMENT);
        assert_null(search);
        contains(error.text, cases[k].says);
    }
    jo_broad_def def = jo_broad_def_default();
    jo_error error = {0};
    def.threads = JO_THREADS_MAX + 1;
    assert_int_equal(jo_broad_def_check(&def, &error), JO_ERR_ARGUMENT);
    contains(error.text, "256");
    def = jo_broad_def_default();
    def.domain = (jo_domain){.lo = {NAN}, .hi = {1}, .periodic = {true}};
    assert_int_equal(jo_broad_def_check(&def, &error), JO_ERR_DATA);
    def.domain = (jo_domain){.lo = {2}, .hi = {1}, .periodic = {true}};
    assert_int_equal(jo_broad_def_check(&def, &error), JO_ERR_DATA);
    def.domain.periodic[0] = false; /* then its ends are not read */
    assert_int_equal(jo_broad_def_check(&def, &error), JO_OK);
    assert_int_equal(jo_broad_create(NULL, NULL, &error), JO_ERR_ARGUMENT);
    jo_broad_destroy(NULL);
}

static void null_means_the_default(void **state)
{
    (void)state;
    jo_broad *search = NULL;
    assert_int_equal(jo_broad_create(NULL, &search, NULL), JO_OK);
    const jo_bodies bodies = random_spheres(100, 1);
    assert_int_equal(jo_broad_find(search, &bodies, NULL), JO_OK);
    assert_true(jo_broad_contacts(search).count > 0);
    assert_true(strlen(jo_broad_why(search)) > 5);
    jo_broad_destroy(search);
}

/* ---- bodies */

static void good_again(jo_broad *search)
{
    const jo_bodies bodies = random_spheres(200, 2);
    pair_array wanted = {0};
    assert_true(pairs_by_definition(&bodies, NULL, &wanted));
    assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
    const jo_pairs found = jo_broad_contacts(search), begun = jo_broad_begun(search);
    assert_int_equal(found.count, wanted.count);
    assert_memory_equal(found.pairs, wanted.pairs, found.count * sizeof *found.pairs);
    assert_int_equal(begun.count, wanted.count); /* after a failure everything is new */
    assert_int_equal(jo_broad_ended(search).count, 0);
    pairs_free(&wanted);
}

static void rejected(jo_broad *search, const jo_bodies *bodies, jo_status status, const char *says)
{
    for (int update = 0; update <= 1; update++) {
        jo_error error = {0};
        assert_int_equal(update ? jo_broad_update(search, bodies, &error)
                                : jo_broad_find(search, bodies, &error),
                         status);
        assert_int_equal(error.status, status);
        contains(error.text, says);
        assert_int_equal(jo_broad_contacts(search).count, 0);
        assert_int_equal(jo_broad_begun(search).count, 0);
        assert_int_equal(jo_broad_ended(search).count, 0);
        error = (jo_error){0};
        assert_int_equal(jo_bodies_check(bodies, NULL, &error), status);
        good_again(search);
    }
}

static void bad_numbers_name_the_body(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1.1e150, -1e300};
    enum { N = 5000 };
    static double at[4][N];
    for (size_t k = 0; method_name(k) != NULL; k++) {
        if (k > 0 && k < jo_broad_method_count())
            continue; /* brute and auto: the check is shared */
        jo_broad *search = create(method_name(k), 1, true);
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
            for (int a = 0; a < 4; a++) {
                const size_t who = (size_t)(b * 997 + (size_t)a * 1234) % N;
                memset(at, 0, sizeof at);
                at[a][who] = bad[b];
                const jo_bodies bodies = jo_spheres(N, 3, at[0], at[1], at[2], at[3]);
                char name[40];
                snprintf(name, sizeof name, "body %zu: ", who);
                rejected(search, &bodies, JO_ERR_DATA, name);
            }
        memset(at, 0, sizeof at);
        at[3][77] = -1e-300;
        const jo_bodies bodies = jo_spheres(N, 3, at[0], at[1], at[2], at[3]);
        rejected(search, &bodies, JO_ERR_DATA, "body 77: radius");
        jo_broad_destroy(search);
    }
}

static void bad_boxes_name_the_body(void **state)
{
    (void)state;
    double lower[40] = {0}, upper[40] = {0};
    jo_broad *search = create("brute", 1, true);
    const jo_bodies bodies = jo_boxes_interleaved(20, 2, lower, upper);
    lower[2 * 7 + 1] = 0.5; /* above the upper y of body 7 */
    rejected(search, &bodies, JO_ERR_DATA, "body 7: upper y");
    lower[2 * 7 + 1] = 0.0;
    upper[2 * 13] = NAN;
    rejected(search, &bodies, JO_ERR_DATA, "body 13");
    upper[2 * 13] = 1e151;
    rejected(search, &bodies, JO_ERR_DATA, "body 13");
    jo_broad_destroy(search);
}

static void bad_views_are_arguments(void **state)
{
    (void)state;
    const double v[8] = {0};
    jo_broad *search = create("brute", 1, true);
    jo_bodies b = jo_spheres(2, 3, v, v, v, v);
    for (int dim = -1; dim <= 5; dim++) {
        b.dim = dim;
        if (dim < 2 || dim > 3) rejected(search, &b, JO_ERR_ARGUMENT, "2 or 3");
    }
    b = jo_spheres(2, 3, v, v, NULL, v);
    rejected(search, &b, JO_ERR_ARGUMENT, "z");
    b = jo_spheres(2, 3, NULL, v, v, v);
    rejected(search, &b, JO_ERR_ARGUMENT, "x");
    b = jo_spheres(2, 3, v, v, v, NULL);
    rejected(search, &b, JO_ERR_ARGUMENT, "radii");
    b = jo_spheres(2, 3, v, v, v, v);
    b.x_stride = 0;
    rejected(search, &b, JO_ERR_ARGUMENT, "stride");
    b.x_stride = 1;
    b.r_stride = 0;
    rejected(search, &b, JO_ERR_ARGUMENT, "stride");
    b = jo_boxes_interleaved(2, 2, v, v);
    b.upper[1] = NULL;
    rejected(search, &b, JO_ERR_ARGUMENT, "y");
    b = jo_spheres(JO_BODIES_MAX + 1, 3, v, v, v, v);
    rejected(search, &b, JO_ERR_LIMIT, "bodies");
    b = jo_spheres(2, 3, v, v, v, v);
    b.shape = (jo_shape)9;
    rejected(search, &b, JO_ERR_ARGUMENT, "shape");
    assert_int_equal(jo_broad_find(search, NULL, NULL), JO_ERR_ARGUMENT);
    assert_int_equal(jo_broad_update(NULL, &b, NULL), JO_ERR_ARGUMENT);
    assert_int_equal(jo_bodies_check(NULL, NULL, NULL), JO_ERR_ARGUMENT);
    jo_broad_destroy(search);
}

static void no_bodies_need_no_arrays(void **state)
{
    (void)state;
    for (size_t k = 0; method_name(k) != NULL; k++) {
        jo_broad *search = create(method_name(k), 2, true);
        const jo_bodies none = jo_spheres(0, 3, NULL, NULL, NULL, NULL);
        assert_int_equal(jo_broad_find(search, &none, NULL), JO_OK);
        assert_int_equal(jo_broad_contacts(search).count, 0);
        good_again(search);
        assert_int_equal(jo_broad_update(search, &none, NULL), JO_OK);
        assert_int_equal(jo_broad_contacts(search).count, 0);
        assert_true(jo_broad_ended(search).count > 0);
        jo_broad_destroy(search);
    }
}

/* ---- statistics and memory */

static void statistics_count(void **state)
{
    (void)state;
    jo_broad *search = create("brute", 1, true);
    const jo_bodies bodies = random_spheres(100, 3);
    assert_int_equal(jo_broad_find(search, &bodies, NULL), JO_OK);
    assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
    jo_broad_stats s = jo_broad_statistics(search);
    assert_string_equal(s.method, "brute");
    assert_int_equal(s.searches, 2);
    assert_int_equal(s.pairs_tested, 2 * 100 * 99 / 2);
    assert_int_equal(s.contacts, jo_broad_contacts(search).count);
    assert_true(s.contacts > 10);
    assert_true(s.bytes_lists >= s.contacts * sizeof(jo_pair));
    jo_broad_statistics_reset(search);
    s = jo_broad_statistics(search);
    assert_int_equal(s.searches, 0);
    assert_int_equal(s.pairs_tested, 0);
    assert_true(s.contacts > 10); /* as of now */
    for (int stage = 0; stage < JO_STAGE_COUNT; stage++)
        assert_true(s.seconds[stage] == 0.0);
    jo_broad_destroy(search);
}

static void every_method_keeps_statistics(void **state)
{
    (void)state;
    for (size_t k = 0; method_name(k) != NULL; k++) {
        jo_broad *search = create(method_name(k), 1, true);
        const jo_bodies bodies = random_spheres(MANY, 4);
        for (int round = 0; round < 3; round++)
            assert_int_equal(round == 0 ? jo_broad_find(search, &bodies, NULL)
                                        : jo_broad_update(search, &bodies, NULL),
                             JO_OK);
        const jo_broad_stats s = jo_broad_statistics(search);
        double total = 0.0;
        for (int stage = 0; stage < JO_STAGE_COUNT; stage++) {
            assert_true(s.seconds[stage] >= 0.0 && s.seconds[stage] < 600.0);
            total += s.seconds[stage];
        }
        assert_true(total > 0.0);
        assert_int_equal(s.searches, 3);
        /* Every contact was at least looked at once. */
        if (s.pairs_tested < s.contacts)
            fail_msg("%s: %llu pairs tested, %llu contacts", method_name(k),
                     (unsigned long long)s.pairs_tested, (unsigned long long)s.contacts);
        assert_true(strlen(s.method) > 0 && strcmp(s.method, "auto") != 0);
        assert_true(strlen(jo_broad_why(search)) > 5);
        jo_broad_destroy(search);
    }
}

static void memory_is_reused(void **state)
{
    (void)state;
    for (size_t k = 0; method_name(k) != NULL; k++)
        for (int update = 0; update <= 1; update++) {
            jo_broad *search = create(method_name(k), 2, true);
            const jo_bodies bodies = random_spheres(MANY, 5);
            jo_broad_stats settled = {0};
            for (int round = 0; round < 8; round++) {
                assert_int_equal(update ? jo_broad_update(search, &bodies, NULL)
                                        : jo_broad_find(search, &bodies, NULL),
                                 JO_OK);
                const jo_broad_stats s = jo_broad_statistics(search);
                /* A find is settled at once, an update when both of its lists have been used. */
                if (round == (update ? 2 : 0)) settled = s;
                if (round <= (update ? 2 : 0)) continue;
                if (s.bytes != settled.bytes || s.bytes_lists != settled.bytes_lists)
                    fail_msg("%s: %zu + %zu bytes became %zu + %zu in round %d", method_name(k),
                             settled.bytes, settled.bytes_lists, s.bytes, s.bytes_lists, round);
            }
            jo_broad_destroy(search);
        }
}

/* ---- order, events, hash */

static void without_order_the_same_set_in_one_order(void **state)
{
    (void)state;
    pair_array wanted = {0};
    jo_bodies bodies = random_spheres(MANY, 6);
    assert_true(pairs_by_definition(&bodies, NULL, &wanted));
    for (size_t k = 0; method_name(k) != NULL; k++) {
        jo_pair *first = NULL;
        for (int threads = 1; threads <= 4; threads++) {
            jo_broad *search = create(method_name(k), threads, false);
            assert_int_equal(jo_broad_find(search, &bodies, NULL), JO_OK);
            const jo_pairs found = jo_broad_contacts(search);
            const size_t bytes = found.count * sizeof *found.pairs;
            assert_int_equal(found.count, wanted.count);
            assert_true(jo_pairs_hash(found) ==
                        jo_pairs_hash((jo_pairs){wanted.pairs, wanted.count}));
            if (first == NULL) {
                first = malloc(bytes);
                assert_non_null(first);
                memcpy(first, found.pairs, bytes);
            }
            assert_memory_equal(first, found.pairs, bytes);
            jo_broad_destroy(search);
        }
        pairs_sort(first, wanted.count);
        assert_memory_equal(first, wanted.pairs, wanted.count * sizeof *first);
        free(first);
    }
    pairs_free(&wanted);
}

static void events_follow_the_contacts(void **state)
{
    (void)state;
    for (size_t k = 0; method_name(k) != NULL; k++) {
        double x[3] = {0, 1, 5}, y[3] = {0}, r[3] = {0.5, 0.5, 0.5};
        const jo_bodies bodies = jo_spheres(3, 2, x, y, NULL, r);
        jo_broad *search = create(method_name(k), 1, true);
        assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
        assert_int_equal(jo_broad_begun(search).count, 1); /* the first update: all begins */
        assert_int_equal(jo_broad_ended(search).count, 0);
        x[2] = 2; /* touches 1 */
        x[0] = -1;
        assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
        const jo_pairs begun = jo_broad_begun(search), ended = jo_broad_ended(search);
        assert_int_equal(begun.count, 1);
        assert_int_equal(ended.count, 1);
        assert_int_equal(begun.pairs[0].i, 1);
        assert_int_equal(begun.pairs[0].j, 2);
        assert_int_equal(ended.pairs[0].i, 0);
        assert_int_equal(ended.pairs[0].j, 1);
        assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
        assert_int_equal(jo_broad_begun(search).count + jo_broad_ended(search).count, 0);
        r[0] = 1; /* growth counts as motion: 0 reaches 1 again */
        r[1] = 1;
        assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
        assert_int_equal(jo_broad_begun(search).count, 1);
        assert_int_equal(jo_broad_find(search, &bodies, NULL), JO_OK);
        assert_int_equal(jo_broad_begun(search).count, 0); /* empty after a find */
        jo_broad_destroy(search);
    }
}

/* splitmix64 as its author writes it: a state that is advanced, then mixed. */
static uint64_t splitmix64(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z ^= z >> 30;
    z *= 0xbf58476d1ce4e5b9;
    z ^= z >> 27;
    z *= 0x94d049bb133111eb;
    z ^= z >> 31;
    return z;
}

static void the_hash_is_the_sum_of_splitmix64(void **state)
{
    (void)state;
    assert_true(jo_pairs_hash((jo_pairs){0}) == 0);
    const jo_pair one = {0, 1};
    assert_true(jo_pairs_hash((jo_pairs){&one, 1}) == 0x910A2DEC89025CC1u);

    rng g = rng_seeded(8);
    jo_pair pairs[300];
    uint64_t sum = 0;
    for (size_t k = 0; k < 300; k++) {
        pairs[k] = (jo_pair){(uint32_t)rng_below(&g, 0x7fffffff), (uint32_t)rng_next(&g)};
        uint64_t z = (uint64_t)pairs[k].i * 4294967296u + pairs[k].j;
        sum += splitmix64(&z);
    }
    assert_true(jo_pairs_hash((jo_pairs){pairs, 300}) == sum);
    pairs_sort(pairs, 300); /* the order does not matter */
    assert_true(jo_pairs_hash((jo_pairs){pairs, 300}) == sum);
    assert_false(jo_pairs_hash((jo_pairs){pairs, 299}) == sum);
}

static void searches_are_independent(void **state)
{
    (void)state;
    jo_broad *a = create("brute", 1, true), *b = create("auto", 1, true);
    const jo_bodies many = random_spheres(500, 9);
    assert_int_equal(jo_broad_find(a, &many, NULL), JO_OK);
    const size_t contacts = jo_broad_contacts(a).count;
    const double x[2] = {0, 1}, r[2] = {1, 1};
    const jo_bodies two = jo_spheres(2, 2, x, x, NULL, r);
    assert_int_equal(jo_broad_find(b, &two, NULL), JO_OK);
    assert_int_equal(jo_broad_contacts(b).count, 1);
    assert_int_equal(jo_broad_contacts(a).count, contacts);
    jo_broad_destroy(a);
    assert_int_equal(jo_broad_contacts(b).count, 1);
    jo_broad_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_describe_themselves),
        cmocka_unit_test(bad_definitions_are_explained_at_once),
        cmocka_unit_test(single_mistakes),
        cmocka_unit_test(null_means_the_default),
        cmocka_unit_test(bad_numbers_name_the_body),
        cmocka_unit_test(bad_boxes_name_the_body),
        cmocka_unit_test(bad_views_are_arguments),
        cmocka_unit_test(no_bodies_need_no_arrays),
        cmocka_unit_test(statistics_count),
        cmocka_unit_test(every_method_keeps_statistics),
        cmocka_unit_test(memory_is_reused),
        cmocka_unit_test(without_order_the_same_set_in_one_order),
        cmocka_unit_test(events_follow_the_contacts),
        cmocka_unit_test(the_hash_is_the_sum_of_splitmix64),
        cmocka_unit_test(searches_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
