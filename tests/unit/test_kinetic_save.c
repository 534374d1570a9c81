/* test_kinetic_save.c — runs of hard polygons that were cut up, or saved and restored at random
 * moments, give the same bits and the same events; saved states that cannot be are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "jostle/kinetic.h"
#include "support/polygon_worlds.h"

static jo_error error;

static void must_be_same(jo_kinetic *a, jo_kinetic *b)
{
    const jo_kinetic_stats s = jo_kinetic_statistics(a), t = jo_kinetic_statistics(b);
    jo_kinetic_frame f, g;
    assert_int_equal(s.flips, t.flips);
    assert_int_equal(s.collisions, t.collisions);
    assert_int_equal(s.wall_collisions, t.wall_collisions);
    assert_int_equal(s.renewals, t.renewals);
    assert_int_equal(s.slow, t.slow);
    assert_true(s.lost == t.lost && s.added == t.added && s.nearest == t.nearest);
    assert_true(jo_kinetic_hash(a) == jo_kinetic_hash(b));
    assert_int_equal(jo_kinetic_look(a, &f, &error), JO_OK);
    assert_int_equal(jo_kinetic_look(b, &g, &error), JO_OK);
    assert_int_equal(f.triangles, g.triangles);
    assert_memory_equal(f.triangle, g.triangle, 3 * f.triangles * sizeof *f.triangle);
    assert_memory_equal(f.mandatory, g.mandatory, f.triangles);
    assert_int_equal(f.last.kind, g.last.kind);
    assert_true(f.last.time == g.last.time && f.last.speed == g.last.speed);
}

/* One run in one go; one cut at random times and numbers of events, with looks in between; one that
 * is saved and restored each time. */
static void compare(const world_setting *s, double end, int cuts, uint64_t seed)
{
    jo_kinetic *whole = world_make(s), *cut = world_make(s), *saved = world_make(s);
    random_stream r = jo_random_start(seed, 1);
    world_advance(whole, end, 0);
    for (int k = 0; k < cuts; k++) {
        const double now = jo_kinetic_time(cut), left = end - now;
        const double until = now + left * jo_random_uniform(&r) / (cuts - k);
        const uint64_t events = k % 3 == 0 ? 1 + (uint64_t)(100.0 * jo_random_uniform(&r)) : 0;
        jo_kinetic_frame f;
        world_advance(cut, until, events);
        assert_int_equal(jo_kinetic_look(cut, &f, &error), JO_OK);
        (void)jo_kinetic_hash(cut);
        world_advance(saved, until, events);
        saved = world_replaced(saved);
    }
    world_advance(cut, end, 0);
    world_advance(saved, end, 0);
    assert_true(jo_kinetic_statistics(whole).flips > 100);
    must_be_same(whole, cut);
    must_be_same(whole, saved);
    jo_kinetic_destroy(whole);
    jo_kinetic_destroy(cut);
    jo_kinetic_destroy(saved);
}

static void test_gas(void **state)
{
    (void)state;
    for (int kind = 0; kind < POLYGONS_KINDS; kind++)
        for (int roots = 0; roots < 3; roots++) {
            const world_setting s = {12,  (polygon_kind)kind,      1.0, 0.0,
                                     0.0, (jo_kinetic_roots)roots, 9};
            compare(&s, 4.0, 30, (uint64_t)(3 * kind + roots));
        }
}

static void test_heap(void **state)
{
    (void)state;
    const world_setting s = {16, POLYGONS_CONVEX, 0.5, 0.4, 1.0, JO_KINETIC_FAST, 9};
    compare(&s, 1.5, 25, 1);
}

/* Two bodies far apart: epochs without a single event. */
static void test_sparse(void **state)
{
    (void)state;
    const world_setting s = {2, POLYGONS_CONVEX, 0.9, 0.1, 0.0, JO_KINETIC_FAST, 9};
    compare(&s, 300.0, 400, 3);
}

/* A body taken out on the way. */
static void test_removal(void **state)
{
    (void)state;
    const world_setting s = {20, POLYGONS_STARS, 0.8, 0.2, 1.0, JO_KINETIC_FAST, 9};
    jo_kinetic *whole = world_make(&s), *saved = world_make(&s);
    for (uint64_t id = 3; id < 12; id++) {
        world_advance(whole, (double)id / 4.0, 0);
        world_advance(saved, (double)id / 4.0, 0);
        saved = world_replaced(saved);
        assert_int_equal(jo_kinetic_remove(whole, &id, 1, &error), JO_OK);
        assert_int_equal(jo_kinetic_remove(saved, &id, 1, &error), JO_OK);
        saved = world_replaced(saved);
    }
    world_advance(whole, 5.0, 0);
    world_advance(saved, 5.0, 0);
    must_be_same(whole, saved);
    jo_kinetic_destroy(whole);
    jo_kinetic_destroy(saved);
}

/* Every chunk missing, cut short, and with bytes changed in turn: refused or harmless, never a
 * crash. */
static void test_damaged(void **state)
{
    (void)state;
    const world_setting s = {10, POLYGONS_CONVEX, 0.9, 0.2, 1.0, JO_KINETIC_FAST, 9};
    jo_kinetic *world = world_make(&s), *copy;
    world_advance(world, 1.0, 0);
    jo_chunk chunks[JO_CHUNKS_MAX], bad[JO_CHUNKS_MAX];
    size_t count, refused = 0, tried = 0;
    assert_int_equal(jo_kinetic_save(world, chunks, &count, &error), JO_OK);
    for (size_t k = 0; k < count; k++) {
        memcpy(bad, chunks, sizeof chunks);
        bad[k].name[0] = '?';
        assert_int_equal(jo_kinetic_restore(bad, count, &copy, &error), JO_ERR_DATA);
        assert_non_null(strstr(error.text, chunks[k].name));
        memcpy(bad, chunks, sizeof chunks);
        bad[k].count--;
        assert_int_equal(jo_kinetic_restore(bad, count, &copy, &error), JO_ERR_DATA);
        const size_t sizes[] = {8, 4, 8, 4, 1}, bytes = chunks[k].count * sizes[chunks[k].type];
        unsigned char *changed = malloc(bytes + 1);
        for (size_t at = 0; at < bytes; at += 1 + bytes / 60, tried++) {
            memcpy(changed, chunks[k].data, bytes);
            changed[at] ^= 0xff;
            memcpy(bad, chunks, sizeof chunks);
            bad[k].data = changed;
            if (jo_kinetic_restore(bad, count, &copy, &error) == JO_OK) {
                (void)jo_kinetic_hash(copy);
                (void)jo_kinetic_advance(copy, INFINITY, 30, &error);
                jo_kinetic_destroy(copy);
            } else {
                refused++;
            }
        }
        free(changed);
    }
    assert_true(refused > tried / 4);
    jo_kinetic_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gas),     cmocka_unit_test(test_heap),
        cmocka_unit_test(test_sparse),  cmocka_unit_test(test_removal),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
