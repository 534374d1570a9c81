/* test_broad_oracle.c — every method finds the same contacts as the definition, on 2,400 systems.
 *
 * Each system (tests/support/systems.c: random, degenerate and adversarial ones, spheres and boxes,
 * open and periodic) is searched by every method that the library lists and by "auto", with 1 and 2
 * threads, and compared pair by pair with the definition applied to all n (n − 1) / 2 pairs. About
 * a third of the systems then make 100 random moves, and after each one the updated contacts and
 * what began and ended are compared too. Searches that do not ask for order must still give the
 * same order for 1 and 2 threads.
 *
 * JOSTLE_TEST_SCALE=k runs every k-th system only and a quarter of the large ones (for sanitizers);
 * JOSTLE_TEST_CASE=k runs one system; JOSTLE_TEST_METHOD=name runs one method. A failure prints
 * what to set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/systems.h"

enum { SYSTEMS = 2400, MOVES = 100, CONTESTANTS_MAX = 64, FAILURES_MAX = 12 };
enum { LARGE_MOVES = 3, LARGE_BODIES = 20500 };

/* Large systems on which no method takes more than a second: equal spheres, boxes, a giant, wide
 * sizes, a chain, outliers; 2D and 3D, open and periodic. */
static const unsigned long large[] = {100019, 100026, 100010, 100047, 100057, 100006,
                                      100035, 100049, 100009, 100003, 100043, 100040};
enum { LARGE_SYSTEMS = sizeof large / sizeof *large };

/* One method with one number of threads. */
typedef struct contestant {
    const char *method;
    int threads;
    bool ordered;
    jo_broad *search;
    pair_array sorted; /* its contacts, sorted by us when it did not */
} contestant;

typedef struct contest {
    test_system system;
    int step; /* 0: the first search; 1 … MOVES: after so many moves */
    pair_array contacts, before, begun, ended;
    contestant entries[CONTESTANTS_MAX];
    size_t count;
    int failures;
    int threads;         /* of the second of each two entries */
    jo_broad *reference; /* NULL: all pairs by the definition */
} contest;

static unsigned long from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoul(text, NULL, 10) : otherwise;
}

static void report(contest *c, const contestant *e, const char *what)
{
    c->failures++;
    print_error("system %llu (%s), method %s, %d thread%s, after %d moves: %s\n"
                "    again: JOSTLE_TEST_CASE=%llu JOSTLE_TEST_METHOD=%s\n",
                (unsigned long long)c->system.number, c->system.label, e->method, e->threads,
                e->threads > 1 ? "s" : "", c->step, what, (unsigned long long)c->system.number,
                e->method);
}

static void print_body(char *text, size_t size, const jo_bodies *b, size_t i)
{
    size_t used = (size_t)snprintf(text, size, "%zu (", i);
    for (int a = 0; a < b->dim && used < size; a++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", a > 0 ? ", " : "",
                                 b->x[a][i * b->x_stride]);
    if (b->shape == JO_SPHERES && used < size)
        used += (size_t)snprintf(text + used, size - used, "; r %.17g", b->r[i * b->r_stride]);
    for (int a = 0; b->shape == JO_BOXES && a < b->dim && used < size; a++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", a > 0 ? ", " : " to ",
                                 b->upper[a][i * b->x_stride]);
    if (used < size) snprintf(text + used, size - used, ")");
}

/* Compares two sorted lists; says which pair is missing, too many or listed twice. */
static bool same(contest *c, const contestant *e, const char *list, const jo_pair *found,
                 size_t found_count, const pair_array *wanted)
{
    size_t k = 0;
    while (k < found_count && k < wanted->count && found[k].i == wanted->pairs[k].i &&
           found[k].j == wanted->pairs[k].j)
        k++;
    if (k == found_count && k == wanted->count) return true;

    char text[1024], first[256] = "", second[256] = "";
    const jo_pair none = {UINT32_MAX, UINT32_MAX};
    const jo_pair f = k < found_count ? found[k] : none;
    const jo_pair w = k < wanted->count ? wanted->pairs[k] : none;
    const bool missing = w.i < f.i || (w.i == f.i && w.j < f.j);
    const jo_pair odd = missing ? w : f;
    const bool twice = !missing && k > 0 && found[k - 1].i == odd.i && found[k - 1].j == odd.j;
    if (odd.j < c->system.bodies.n && odd.i < odd.j) {
        print_body(first, sizeof first, &c->system.bodies, odd.i);
        print_body(second, sizeof second, &c->system.bodies, odd.j);
    }
    snprintf(text, sizeof text, "%s: %zu found, %zu wanted; pair %u %u is %s: %s and %s", list,
             found_count, wanted->count, odd.i, odd.j,
             missing ? "missing"
             : twice ? "listed twice"
                     : "too many",
             first, second);
    report(c, e, text);
    return false;
}

static bool copy_sorted(contestant *e)
{
    const jo_pairs found = jo_broad_contacts(e->search);
    if (found.count > e->sorted.room) {
        free(e->sorted.pairs);
        e->sorted =
            (pair_array){.pairs = malloc(found.count * sizeof(jo_pair)), .room = found.count};
        if (e->sorted.pairs == NULL) return false;
    }
    e->sorted.count = found.count;
    if (found.count > 0) memcpy(e->sorted.pairs, found.pairs, found.count * sizeof(jo_pair));
    if (!e->ordered) pairs_sort(e->sorted.pairs, e->sorted.count);
    return true;
}

/* Searches with one contestant and compares; false after a difference. */
static bool judge(contest *c, contestant *e, bool update)
{
    jo_error error = {0};
    const jo_bodies *bodies = &c->system.bodies;
    const jo_status status = update ? jo_broad_update(e->search, bodies, &error)
                                    : jo_broad_find(e->search, bodies, &error);
    if (status != JO_OK) {
        report(c, e, error.text);
        return false;
    }
    static const pair_array none = {0};
    const jo_pairs begun = jo_broad_begun(e->search), ended = jo_broad_ended(e->search);
    assert_true(copy_sorted(e));
    return same(c, e, "contacts", e->sorted.pairs, e->sorted.count, &c->contacts) &&
           same(c, e, "begun", begun.pairs, begun.count, update ? &c->begun : &none) &&
           same(c, e, "ended", ended.pairs, ended.count, update ? &c->ended : &none);
}

/* Entries come in twos, 1 and 2 threads of one method, and both must list in the same order. */
static bool same_order(contest *c, size_t one)
{
    const jo_pairs a = jo_broad_contacts(c->entries[one].search);
    const jo_pairs b = jo_broad_contacts(c->entries[one + 1].search);
    if (a.count == b.count &&
        (a.count == 0 || memcmp(a.pairs, b.pairs, a.count * sizeof *a.pairs) == 0))
        return true;
    report(c, &c->entries[one + 1], "the order of contacts differs from that of 1 thread");
    return false;
}

static void find_reference(contest *c)
{
    if (c->reference == NULL) {
        assert_true(pairs_by_definition(&c->system.bodies, &c->system.domain, &c->contacts));
        return;
    }
    contestant r = {.search = c->reference, .ordered = true, .sorted = c->contacts};
    assert_int_equal(jo_broad_find(c->reference, &c->system.bodies, NULL), JO_OK);
    assert_true(copy_sorted(&r));
    c->contacts = r.sorted;
}

static void judge_all(contest *c, bool update)
{
    find_reference(c);
    assert_true(pairs_minus(&c->contacts, &c->before, &c->begun));
    assert_true(pairs_minus(&c->before, &c->contacts, &c->ended));
    for (size_t k = 0; k < c->count; k += 2) {
        /* A method that has failed on this system is not heard again on it. */
        if (c->entries[k].search == NULL) continue;
        if (judge(c, &c->entries[k], update) && judge(c, &c->entries[k + 1], update) &&
            same_order(c, k))
            continue;
        jo_broad_destroy(c->entries[k].search);
        jo_broad_destroy(c->entries[k + 1].search);
        c->entries[k].search = c->entries[k + 1].search = NULL;
    }
}

/* Options that change how a method works and never what it finds. */
static void choose_options(jo_broad_def *def, const test_system *s)
{
    rng g = rng_seeded(s->number ^ 0xABCDEF);
    def->ordered = !rng_chance(&g, 0.3);
    if (rng_chance(&g, 0.6)) return;
    if (rng_chance(&g, 0.5))
        def->cell = s->unit * rng_log(&g, 0.2, 20);
    else
        def->per_cell = rng_log(&g, 0.3, 200);
    if (rng_chance(&g, 0.5)) def->skin = rng_chance(&g, 0.2) ? 0.0 : s->unit * rng_log(&g, 1e-3, 3);
    def->origin_set = rng_chance(&g, 0.5);
    for (int a = 0; a < 3; a++)
        def->origin[a] = s->lo[a] + s->edge[a] * rng_between(&g, -1, 2);
}

static void enter(contest *c, const char *method)
{
    const char *only = getenv("JOSTLE_TEST_METHOD");
    if (only != NULL && *only != '\0' && strcmp(only, method) != 0) return;
    jo_broad_def def = jo_broad_def_default();
    choose_options(&def, &c->system);
    def.method = method;
    def.domain = c->system.domain;
    for (int second = 0; second <= 1; second++) {
        contestant *e = &c->entries[c->count++];
        jo_error error = {0};
        def.threads = second ? c->threads : 1;
        e->method = method;
        e->threads = def.threads;
        e->ordered = def.ordered;
        if (jo_broad_create(&def, &e->search, &error) != JO_OK)
            fail_msg("system %llu: %s", (unsigned long long)c->system.number, error.text);
    }
}

static void play(contest *c, int moves)
{
    rng g = rng_seeded(c->system.number ^ 0x123456);
    c->before.count = 0;
    c->step = 0;
    judge_all(c, rng_chance(&g, 0.5));
    for (c->step = 1; c->step <= moves; c->step++) {
        const pair_array old = c->before;
        c->before = c->contacts;
        c->contacts = old;
        system_move(&c->system);
        judge_all(c, !rng_chance(&g, 0.05)); /* now and then a find among the updates */
    }
    for (size_t k = 0; k < c->count; k++)
        jo_broad_destroy(c->entries[k].search);
    system_free(&c->system);
}

static void enter_all(contest *c, bool brute)
{
    c->count = 0;
    for (size_t k = brute ? 0 : 1; k < jo_broad_method_count(); k++)
        enter(c, jo_broad_method(k)->name);
    enter(c, "auto");
    assert_in_range(c->count, 0, CONTESTANTS_MAX);
}

static void release(contest *c)
{
    for (size_t k = 0; k < CONTESTANTS_MAX; k++)
        pairs_free(&c->entries[k].sorted);
    pairs_free(&c->contacts);
    pairs_free(&c->before);
    pairs_free(&c->begun);
    pairs_free(&c->ended);
    jo_broad_destroy(c->reference);
    c->reference = NULL;
}

static void every_method_equals_the_definition(void **state)
{
    (void)state;
    static contest c = {.threads = 2};
    const unsigned long scale = from_environment("JOSTLE_TEST_SCALE", 1);
    const unsigned long only = from_environment("JOSTLE_TEST_CASE", SYSTEMS);
    unsigned long systems = 0, moving = 0;
    const unsigned long stride = scale > 0 ? scale : 1;
    for (unsigned long k = 0; k < SYSTEMS && c.failures < FAILURES_MAX; k += stride) {
        if (only != SYSTEMS) k = only;
        if (k >= SYSTEMS) break; /* one of the large systems is asked for */
        assert_true(system_make(&c.system, k));
        enter_all(&c, true);
        systems++;
        moving += c.system.moving;
        play(&c, c.system.moving ? MOVES : 0);
        if (only != SYSTEMS) break;
    }
    release(&c);
    if (c.failures > 0) fail_msg("%d differences in %lu systems", c.failures, systems);
    if (systems == 0) return;
    print_message("%lu systems (%lu of them through %d moves), %zu methods, 1 and %d threads: all "
                  "equal to brute force\n",
                  systems, moving, MOVES, c.count / 2, c.threads);
}

static void threads_agree_on_large_systems(void **state)
{
    (void)state;
    static contest c = {.threads = 3};
    const unsigned long scale = from_environment("JOSTLE_TEST_SCALE", 1);
    const unsigned long only = from_environment("JOSTLE_TEST_CASE", 0);
    unsigned long systems = 0;
    const unsigned long stride = scale != 1 ? 4 : 1;
    for (unsigned long k = 0; k < LARGE_SYSTEMS; k += stride) {
        if (only != 0 && only != large[k]) continue;
        jo_broad_def def = jo_broad_def_default();
        assert_true(system_make_large(&c.system, large[k], LARGE_BODIES + 500 * k));
        def.method = "cells";
        def.threads = 1;
        def.domain = c.system.domain;
        assert_int_equal(jo_broad_create(&def, &c.reference, NULL), JO_OK);
        enter_all(&c, k == 0 && scale == 1);
        play(&c, LARGE_MOVES);
        jo_broad_destroy(c.reference);
        c.reference = NULL;
        systems++;
    }
    release(&c);
    if (c.failures > 0) fail_msg("%d differences in %lu systems", c.failures, systems);
    print_message(
        "%lu systems of more than %d bodies through %d moves, %zu methods, 1 and %d threads: "
        "all equal\n",
        systems, LARGE_BODIES - 1, LARGE_MOVES, c.count / 2, c.threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_equals_the_definition),
        cmocka_unit_test(threads_agree_on_large_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
