/* test_hard_exact.c — hard balls whose collisions are known without a computer. */
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

static void advance(jo_hard *h, double until, uint64_t collisions)
{
    const jo_status status = jo_hard_advance(h, until, collisions, &error);
    if (status != JO_OK) print_error("%s\n", error.text);
    assert_int_equal(status, JO_OK);
}

static jo_frame frame_of(jo_hard *h)
{
    jo_frame f;
    assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
    return f;
}

static void assert_valid(jo_hard *h)
{
    jo_hard_check check;
    assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
    if (check.overlaps > 0)
        print_error("%llu and %llu overlap by %g\n", (unsigned long long)check.a,
                    (unsigned long long)check.b, check.deepest);
    assert_int_equal(check.overlaps, 0);
}

static jo_wall plane(double x, double y, double z, double nx, double ny, double nz)
{
    jo_wall w = jo_wall_default(JO_WALL_PLANE);
    const double point[3] = {x, y, z}, normal[3] = {nx, ny, nz};
    strcpy(w.name, "plane");
    memcpy(w.point, point, sizeof point);
    memcpy(w.normal, normal, sizeof normal);
    return w;
}

/* A light ball between a wall and one 100^k times heavier: 3, 31, 314 collisions (Galperin
 * 2003). */
static void test_galperin(void **state)
{
    (void)state;
    const uint64_t expected[3] = {3, 31, 314};
    for (int k = 0; k < 3; k++) {
        const double size[3] = {1e4, 1e4, 1e4};
        jo_scene s = hard_scene(3, size, "");
        s.walls[s.wall_count++] = plane(0, 0, 0, 1, 0, 0);
        const double r = 0.5 * cbrt(pow(100.0, k));
        double list[2][7] = {{5, 50, 50, 0, 0, 0, 0.5}, {50, 50, 50, -1, 0, 0, r}};
        jo_population p = hard_balls(2, list);
        jo_hard *h = hard_make(&s, &p, 0);
        advance(h, 3000.0, 0);
        assert_int_equal(jo_hard_event_count(h), expected[k]);
        jo_hard_destroy(h);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

/* Five equal balls in a row: the first stops, the last goes on with its speed; in between they
 * touch, so all collisions are at the same time, in an order that is fixed. */
static void test_cradle(void **state)
{
    (void)state;
    const double size[3] = {40, 10, 10};
    jo_scene s = hard_scene(3, size, "");
    double list[5][7] = {{0}};
    for (int k = 0; k < 5; k++) {
        const double ball[7] = {k == 0 ? 2.0 : 9.0 + k, 5, 5, k == 0 ? 1.5 : 0, 0, 0, 0.5};
        memcpy(list[k], ball, sizeof ball);
    }
    jo_population p = hard_balls(5, list);
    jo_hard *h = hard_make(&s, &p, 16);
    advance(h, 10.0, 0);
    size_t count;
    uint64_t first;
    const jo_hard_event *log = jo_hard_log(h, &count, &first);
    assert_int_equal(count, 4);
    assert_int_equal(first, 0);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(log[k].kind, JO_HARD_BALLS);
        assert_int_equal(log[k].a, k);
        assert_int_equal(log[k].b, k + 1);
        assert_true(fabs(log[k].time - 7.0 / 1.5) < 1e-14 * 8.0);
        assert_true(log[k].speed == 1.5);
    }
    const jo_frame f = frame_of(h);
    for (size_t k = 0; k < 4; k++)
        assert_true(f.v[3 * k] == 0.0);
    assert_true(f.v[12] == 1.5);
    assert_true(fabs(f.x[12] - (13.0 + 1.5 * (10.0 - 7.0 / 1.5))) < 1e-13);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* A ball in a box for a million bounces: where it is follows from unfolding the box. */
static void test_million_bounces(void **state)
{
    (void)state;
    const double size[3] = {3, 4, 5};
    jo_scene s = hard_scene(3, size, "");
    hard_scene_walls(&s);
    double list[1][7] = {{1.25, 1.5, 2.25, 0.75, -1.125, 1.3125, 0.5}};
    jo_population p = hard_balls(1, list);
    jo_hard *h = hard_make(&s, &p, 0);
    advance(h, INFINITY, 1000000);
    const double t = jo_hard_time(h);
    const jo_frame f = frame_of(h);
    for (int k = 0; k < 3; k++) {
        const double room = size[k] - 1.0, way = list[0][k] - 0.5 + list[0][3 + k] * t;
        double at = fmod(way, 2.0 * room);
        if (at < 0.0) at += 2.0 * room;
        if (at > room) at = 2.0 * room - at;
        assert_true(fabs(f.x[k] - 0.5 - at) < 1e-7);
        assert_true(fabs(f.v[k]) == fabs(list[0][3 + k]));
    }
    assert_valid(h);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* A ball dropped with restitution e comes to rest after sqrt(2 h / g) (1 + e) / (1 - e). */
static void test_dropped(void **state)
{
    (void)state;
    const double size[3] = {10, 10, 10}, e = 0.7, drop = 4.0, g = 9.81;
    jo_scene s = hard_scene(3, size, "");
    s.walls[s.wall_count++] = plane(0, 0, 0, 0, 0, 1);
    s.contacts[0].restitution = e;
    s.gravity[2] = -g;
    s.hard.contact_duration = 1e-6;
    double list[1][7] = {{5, 5, 0.5 + drop, 0, 0, 0, 0.5}};
    jo_population p = hard_balls(1, list);
    jo_hard *h = hard_make(&s, &p, 0);
    const double rest = sqrt(2.0 * drop / g) * (1.0 + e) / (1.0 - e);
    double fall = sqrt(2.0 * drop / g), speed = g * fall, time = fall;
    for (int bounce = 1; bounce <= 20; bounce++) {
        advance(h, INFINITY, 1);
        assert_true(fabs(jo_hard_time(h) - time) < 1e-12 * time);
        speed *= e;
        assert_true(fabs(frame_of(h).v[2] - speed) < 1e-11);
        time += 2.0 * speed / g;
    }
    advance(h, rest + 0.01, 0);
    const jo_frame f = frame_of(h);
    assert_true(fabs(f.x[2] - 0.5) < 1e-9);
    assert_true(fabs(f.v[2]) < 1e-4);
    size_t count;
    const jo_alarm *alarms = jo_hard_alarms(h, &count);
    assert_int_equal(count, 1);
    assert_int_equal(alarms[0].kind, JO_ALARM_COLLAPSE);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Without the TC model that never ends: it is told, and the run does not hang. */
static void test_collapse(void **state)
{
    (void)state;
    const double size[3] = {10, 10, 10};
    jo_scene s = hard_scene(3, size, "");
    s.walls[s.wall_count++] = plane(0, 0, 0, 0, 0, 1);
    s.contacts[0].restitution = 0.7;
    s.gravity[2] = -9.81;
    s.hard.contact_duration = 0.0;
    double list[1][7] = {{5, 5, 4.5, 0, 0, 0, 0.5}};
    jo_population p = hard_balls(1, list);
    jo_hard *h = hard_make(&s, &p, 0);
    assert_int_equal(jo_hard_advance(h, 100.0, 0, &error), JO_ERR_PHYSICS);
    assert_non_null(strstr(error.text, "time stands still"));
    const double rest = sqrt(2.0 * 4.0 / 9.81) * 1.7 / 0.3;
    assert_true(fabs(jo_hard_time(h) - rest) < 1e-6);
    assert_int_equal(jo_hard_advance(h, 100.0, 0, &error), JO_ERR_PHYSICS);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Three discs meet at once: what happens does not depend on anything but their ids. */
static void test_simultaneous(void **state)
{
    (void)state;
    const double size[3] = {20, 20, 0};
    jo_scene s = hard_scene(2, size, "");
    uint64_t hash[2];
    for (int run = 0; run < 2; run++) {
        double list[3][7] = {{0}};
        for (int k = 0; k < 3; k++) {
            const double a = 2.0 * 3.14159265358979323846 * k / 3.0;
            const double ball[7] = {10 + 4 * cos(a), 10 + 4 * sin(a), 0, -cos(a), -sin(a), 0, 0.5};
            memcpy(list[k], ball, sizeof ball);
        }
        jo_population p = hard_balls(3, list);
        jo_hard *h = hard_make(&s, &p, 0);
        advance(h, 20.0, 0);
        jo_measures m;
        assert_int_equal(jo_hard_measure(h, &m, &error), JO_OK);
        assert_true(fabs(m.energy.kinetic - 1.5) < 1e-14);
        assert_true(fabs(m.momentum[0]) < 1e-14 && fabs(m.momentum[1]) < 1e-14);
        assert_in_range(jo_hard_event_count(h), 3, 6);
        assert_valid(h);
        hash[run] = jo_hard_hash(h);
        jo_hard_destroy(h);
        jo_population_free(&p);
    }
    assert_true(hash[0] == hash[1]);
    hard_scene_free(&s);
}

/* Equal balls on a line are free-flight lines relabelled: positions are those of ghosts that pass
 * through each other, sorted. */
static void test_line(void **state)
{
    (void)state;
    enum { N = 12 };
    const double size[3] = {4000, 10, 10};
    jo_scene s = hard_scene(3, size, "");
    double list[N][7] = {{0}}, ghost[N];
    for (int k = 0; k < N; k++) {
        const double v = sin(3.7 * k) + 0.3 * cos(11.0 * k);
        const double ball[7] = {1000.0 + 7.0 * k + 2.0 * sin(k), 5, 5, v, 0, 0, 0.5};
        memcpy(list[k], ball, sizeof ball);
    }
    jo_population p = hard_balls(N, list);
    jo_hard *h = hard_make(&s, &p, 0);
    const double t = 300.0;
    advance(h, t, 0);
    /* Ghosts have no size: ball k is moved back by k diameters. */
    for (int k = 0; k < N; k++)
        ghost[k] = list[k][0] - k + list[k][3] * t;
    for (int a = 0; a < N; a++)
        for (int b = a + 1; b < N; b++)
            if (ghost[b] < ghost[a]) {
                const double swap = ghost[a];
                ghost[a] = ghost[b];
                ghost[b] = swap;
            }
    const jo_frame f = frame_of(h);
    for (int k = 0; k < N; k++)
        assert_true(fabs(f.x[3 * k] - (ghost[k] + k)) < 1e-9);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* An oblique hit on a rough floor: sliding all through (Coulomb), and gripping (beta). */
static void test_rough_floor(void **state)
{
    (void)state;
    const double size[3] = {100, 100, 100}, e = 0.8;
    const double mu[2] = {0.05, 10.0}, beta = 0.4;
    for (int k = 0; k < 2; k++) {
        jo_scene s = hard_scene(3, size, "");
        s.walls[s.wall_count++] = plane(0, 0, 0, 0, 0, 1);
        s.contacts[0].restitution = e;
        s.contacts[0].friction = mu[k];
        s.contacts[0].tangential_restitution = beta;
        double list[1][7] = {{50, 50, 3, 1, 0, -2, 0.5}};
        jo_population p = hard_balls(1, list);
        jo_hard *h = hard_make(&s, &p, 0);
        advance(h, INFINITY, 1);
        const jo_frame f = frame_of(h);
        /* Impulses per mass: normal (1 + e) v; tangential mu times that, or 2/7 (1 + beta) v_t. */
        const double normal = (1.0 + e) * 2.0;
        const double tangential = k == 0 ? mu[0] * normal : 2.0 / 7.0 * (1.0 + beta) * 1.0;
        assert_true(fabs(f.v[2] - 2.0 * e) < 1e-14);
        assert_true(fabs(f.v[0] - (1.0 - tangential)) < 1e-14);
        assert_true(fabs(f.w[1] - 2.5 * tangential / 0.5) < 1e-13);
        jo_measures m;
        assert_int_equal(jo_hard_measure(h, &m, &error), JO_OK);
        assert_true(fabs(m.energy.balance) < 1e-13);
        jo_hard_destroy(h);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_galperin),        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_million_bounces), cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_simultaneous),    cmocka_unit_test(test_line),
        cmocka_unit_test(test_collapse),        cmocka_unit_test(test_rough_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
