/* test_hard_change.c — hard balls whose gravity and impacts are changed while they fly: closed
 * forms, refusals, the same bits however a run is cut or restored; and the next events, as they
 * then happen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hard_cases.h"

static jo_error error;

static void accept(jo_status status)
{
    if (status != JO_OK) fail_msg("%s", error.text);
}

static void refuse(jo_status status, const char *part)
{
    assert_int_equal(status, JO_ERR_DATA);
    if (strstr(error.text, part) == NULL) fail_msg("'%s' lacks '%s'", error.text, part);
}

/* One ball above a floor that flew straight begins to fall, and bounces at the new restitution. */
static void a_ball_begins_to_fall(void **state)
{
    (void)state;
    const double size[3] = {10, 10, 10}, g[3] = {0, 0, -2};
    jo_scene s = hard_scene(3, size, "");
    hard_scene_walls(&s);
    double list[1][7] = {{5, 5, 5, 0, 0, 0, 0.5}};
    jo_population p = hard_balls(1, list);
    jo_hard *h = hard_make(&s, &p, 4);
    jo_frame f;
    jo_measures m;
    double now[3];
    size_t count;
    accept(jo_hard_advance(h, 1.0, 0, &error));
    accept(jo_hard_set_gravity(h, g, &error));
    jo_hard_gravity(h, now);
    assert_memory_equal(now, g, sizeof g);
    jo_hard_event next[4];
    assert_int_equal(jo_hard_upcoming(h, next, 4), 1);
    assert_true(fabs(next[0].time - (1.0 + sqrt(4.5))) < 1e-12); /* 4.5 = g t^2 / 2 */
    assert_int_equal(next[0].kind, JO_HARD_WALL);
    accept(jo_hard_advance(h, 2.0, 0, &error));
    accept(jo_hard_frame(h, &f, &error));
    assert_true(fabs(f.x[2] - 4.0) < 1e-12 && fabs(f.v[2] + 2.0) < 1e-12);
    accept(jo_hard_set_restitution(h, 0, 0, 0.5, &error));
    assert_true(jo_hard_contact_def(h, 0, 0).restitution == 0.5);
    accept(jo_hard_advance(h, 4.0, 0, &error));
    const jo_hard_event *log = jo_hard_log(h, &count, NULL);
    assert_int_equal(count, 1);
    assert_true(fabs(log[0].time - next[0].time) < 1e-12);
    const double hit = 2.0 * sqrt(4.5), after = 4.0 - log[0].time;
    accept(jo_hard_frame(h, &f, &error));
    assert_true(fabs(f.v[2] - (0.5 * hit - 2.0 * after)) < 1e-9);
    accept(jo_hard_measure(h, &m, &error));
    assert_true(fabs(m.energy.balance) < 1e-9);
    const uint64_t hash = jo_hard_hash(h);
    const double bad[3] = {(double)INFINITY, 0, 0};
    refuse(jo_hard_set_gravity(h, bad, &error), "finite");
    refuse(jo_hard_set_restitution(h, 0, 0, 0.0, &error), "above 0");
    refuse(jo_hard_set_restitution(h, 0, 1, 0.5, &error), "no number 1");
    refuse(jo_hard_set_friction(h, 0, 0, -1.0, &error), "0 or more");
    assert_true(jo_hard_hash(h) == hash);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

static jo_hard *copy_of(const jo_scene *scene, jo_hard *h)
{
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_hard *copy;
    accept(jo_hard_save(h, chunks, &count, &error));
    accept(jo_hard_restore(scene, NULL, chunks, count, &copy, &error));
    jo_hard_destroy(h);
    return copy;
}

/* A gas that is changed at five moments; in between it is advanced in `cuts` pieces, by time and by
 * numbers of collisions, or saved and restored. */
static uint64_t eventful(const jo_scene *s, const jo_population *p, int cuts, bool restores)
{
    jo_hard *h = hard_make(s, p, 0);
    jo_hard_check check;
    for (int k = 1; k <= 6; k++) {
        const double until = 0.13 * k;
        for (int c = 1; c < cuts; c++) {
            const double part = until - 0.13 + 0.13 * c / cuts;
            if (jo_hard_time(h) < part) accept(jo_hard_advance(h, part, 0, &error));
            accept(jo_hard_advance(h, until, 3, &error));
        }
        accept(jo_hard_advance(h, until, 0, &error));
        const double g[3] = {0.1 * k, 0.0, s->dim == 3 ? -k : 0.0};
        if (k == 1 || k == 4) accept(jo_hard_set_gravity(h, g, &error));
        if (k == 2) accept(jo_hard_set_restitution(h, 0, 0, 0.7, &error));
        if (k == 3) accept(jo_hard_set_friction(h, 0, 0, 0.3, &error));
        const double none[3] = {0};
        if (k == 5) accept(jo_hard_set_gravity(h, none, &error));
        if (restores) h = copy_of(s, h);
        accept(jo_hard_validate(h, &check, &error));
        assert_int_equal(check.overlaps, 0);
    }
    assert_true(jo_hard_event_count(h) > 300);
    const uint64_t hash = jo_hard_hash(h);
    jo_hard_destroy(h);
    return hash;
}

static void changed_runs_repeat(void **state)
{
    (void)state;
    const char *const searches[2] = {"cells", "verlet"};
    for (int k = 0; k < 4; k++) {
        const double edge = hard_edge(3, 400, 0.3), size[3] = {edge, edge, edge};
        jo_scene s = hard_scene(3, size, k < 2 ? "xyz" : "");
        if (k >= 2) hard_scene_walls(&s);
        strcpy(s.broad, searches[k % 2]);
        jo_population p = hard_gas(&s, 400, 3);
        const uint64_t hash = eventful(&s, &p, 1, false);
        assert_true(eventful(&s, &p, 7, false) == hash);
        assert_true(eventful(&s, &p, 1, true) == hash);
        assert_true(eventful(&s, &p, 4, true) == hash);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

/* The first of the planned events is the next that happens, unless a ball that changed its cell
 * found an earlier one; and the list is sorted and has no event twice. */
static void the_next_event_happens(void **state)
{
    (void)state;
    const double edge = hard_edge(3, 200, 0.3), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "");
    hard_scene_walls(&s);
    jo_population p = hard_gas(&s, 200, 5);
    jo_hard *h = hard_make(&s, &p, 1);
    int as_planned = 0;
    for (int k = 0; k < 500; k++) {
        jo_hard_event next[20];
        size_t count;
        const size_t n = jo_hard_upcoming(h, next, 20);
        assert_int_equal(n, 20);
        for (size_t j = 1; j < n; j++) {
            assert_true(next[j].time >= next[j - 1].time);
            for (size_t i = 0; i < j; i++)
                assert_false(next[i].kind == next[j].kind && next[i].a == next[j].a &&
                             next[i].b == next[j].b && next[i].face == next[j].face);
        }
        assert_true(next[0].time >= jo_hard_time(h));
        accept(jo_hard_advance(h, (double)INFINITY, 1, &error));
        const jo_hard_event *log = jo_hard_log(h, &count, NULL);
        assert_int_equal(count, 1);
        assert_true(log[0].time <= next[0].time);
        if (log[0].time < next[0].time) continue;
        as_planned++;
        assert_int_equal(log[0].kind, next[0].kind);
        assert_int_equal(log[0].a, next[0].a);
        assert_int_equal(log[0].b, next[0].b);
        assert_int_equal(log[0].face, next[0].face);
    }
    if (as_planned < 450) fail_msg("only %d of 500 events came as planned", as_planned);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_begins_to_fall),
        cmocka_unit_test(changed_runs_repeat),
        cmocka_unit_test(the_next_event_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
