/* test_hard_save.c — runs of hard balls that were cut up, or saved and restored, give the same
 * bits; saved states that cannot be are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hard_cases.h"

static jo_error error;

static jo_hard *copy_of(const jo_scene *scene, jo_hard *h)
{
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_hard *copy;
    assert_int_equal(jo_hard_save(h, chunks, &count, &error), JO_OK);
    assert_true(count <= JO_CHUNKS_MAX);
    const jo_status status = jo_hard_restore(scene, NULL, chunks, count, &copy, &error);
    if (status != JO_OK) print_error("%s\n", error.text);
    assert_int_equal(status, JO_OK);
    return copy;
}

static void advance(jo_hard *h, double until, uint64_t collisions)
{
    assert_int_equal(jo_hard_advance(h, until, collisions, &error), JO_OK);
}

/* One run in one go, one in pieces with looks in between, one saved and restored on the way. */
static void compare(const jo_scene *s, const jo_population *p, double end)
{
    jo_hard *whole = hard_make(s, p, 0), *cut = hard_make(s, p, 0), *saved = hard_make(s, p, 0);
    jo_measures m;
    jo_hard_check check;
    advance(whole, end, 0);
    for (int k = 1; k <= 13; k++) {
        advance(cut, end * k / 13.0, 0);
        assert_int_equal(jo_hard_measure(cut, &m, &error), JO_OK);
        assert_int_equal(jo_hard_validate(cut, &check, &error), JO_OK);
        assert_int_equal(check.overlaps, 0);
        (void)jo_hard_hash(cut);
    }
    for (int k = 1; k <= 5; k++) {
        advance(saved, end * k / 5.0, 0);
        jo_hard *copy = copy_of(s, saved);
        assert_true(jo_hard_hash(copy) == jo_hard_hash(saved));
        jo_hard_destroy(saved);
        saved = copy;
    }
    assert_true(jo_hard_event_count(whole) > 500);
    assert_int_equal(jo_hard_event_count(cut), jo_hard_event_count(whole));
    assert_int_equal(jo_hard_event_count(saved), jo_hard_event_count(whole));
    assert_true(jo_hard_hash(cut) == jo_hard_hash(whole));
    assert_true(jo_hard_hash(saved) == jo_hard_hash(whole));
    jo_hard_destroy(whole);
    jo_hard_destroy(cut);
    jo_hard_destroy(saved);
}

static void test_gas(void **state)
{
    (void)state;
    const char *const searches[2] = {"cells", "verlet"};
    for (int k = 0; k < 2; k++) {
        const double edge = hard_edge(3, 500, 0.3), size[3] = {edge, edge, edge};
        jo_scene s = hard_scene(3, size, "xyz");
        strcpy(s.broad, searches[k]);
        jo_population p = hard_gas(&s, 500, 3);
        compare(&s, &p, 1.0);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

/* Gravity, walls, friction, the TC model, a thermostat: everything that has a state. */
static void test_world(void **state)
{
    (void)state;
    const char *const searches[2] = {"cells", "verlet"};
    for (int k = 0; k < 4; k++) {
        const double size[3] = {9, 9, 9};
        jo_scene s = hard_scene(3, size, k < 2 ? "" : "xy");
        strcpy(s.broad, searches[k % 2]);
        if (k < 2) hard_scene_walls(&s);
        jo_wall w = jo_wall_default(JO_WALL_PLANE);
        strcpy(w.name, "plate");
        w.point[2] = k < 2 ? -1.0 : 0.0;
        w.motion.amplitude[2] = 0.1;
        w.motion.frequency = 3.0;
        if (k >= 2) s.groups[0].region.lo[2] = 0.2;
        s.walls[s.wall_count++] = w;
        s.contacts[0].restitution = 0.8;
        s.contacts[0].friction = 0.3;
        s.gravity[2] = -2.0;
        s.hard.temperature = 1.0;
        s.hard.thermostat_rate = 0.5;
        jo_population p = hard_gas(&s, 150, 3);
        compare(&s, &p, 3.0);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

static void test_growth(void **state)
{
    (void)state;
    const double edge = hard_edge(3, 200, 0.1), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    s.hard.growth = 0.2;
    s.hard.growth_until = 0.4;
    s.duration = 5.0;
    jo_population p = hard_gas(&s, 200, 3);
    compare(&s, &p, 5.0);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Every number of a saved state changed in turn to one that cannot be: refused or harmless, never a
 * crash. */
static void test_damaged(void **state)
{
    (void)state;
    const double edge = hard_edge(3, 60, 0.2), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    jo_population p = hard_gas(&s, 60, 3);
    jo_hard *h = hard_make(&s, &p, 0), *copy;
    advance(h, 1.0, 0);
    jo_chunk chunks[JO_CHUNKS_MAX], lacking[JO_CHUNKS_MAX];
    size_t count, refused = 0;
    assert_int_equal(jo_hard_save(h, chunks, &count, &error), JO_OK);
    for (size_t k = 0; k < count; k++) {
        memcpy(lacking, chunks, sizeof chunks);
        lacking[k].name[0] = '?';
        const bool may_lack = strcmp(chunks[k].name, "marked") == 0;
        const jo_status status = jo_hard_restore(&s, NULL, lacking, count, &copy, &error);
        assert_int_equal(status, may_lack ? JO_OK : JO_ERR_DATA);
        if (status == JO_OK) jo_hard_destroy(copy);
        const size_t sizes[] = {8, 4, 8, 4, 1}, bytes = chunks[k].count * sizes[chunks[k].type];
        unsigned char *bad = malloc(bytes + 1);
        for (size_t at = 0; at < bytes; at += 1 + bytes / 40) {
            memcpy(bad, chunks[k].data, bytes);
            bad[at] ^= 0xff;
            memcpy(lacking, chunks, sizeof chunks);
            lacking[k].data = bad;
            if (jo_hard_restore(&s, NULL, lacking, count, &copy, &error) == JO_OK)
                jo_hard_destroy(copy);
            else
                refused++;
        }
        free(bad);
    }
    assert_true(refused > 20);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gas),
        cmocka_unit_test(test_world),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
