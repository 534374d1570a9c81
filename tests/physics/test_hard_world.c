/* test_hard_world.c — hard balls with walls, gravity, sizes, fixed balls, growth and a thermostat:
 * nothing overlaps, the accounts of energy balance, and what the scene is about comes out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/hard_cases.h"

static jo_error error;

static void advance(jo_hard *h, double until, uint64_t collisions)
{
    const jo_status status = jo_hard_advance(h, until, collisions, &error);
    if (status != JO_OK) print_error("%s\n", error.text);
    assert_int_equal(status, JO_OK);
}

static jo_measures measure(jo_hard *h)
{
    jo_measures m;
    assert_int_equal(jo_hard_measure(h, &m, &error), JO_OK);
    return m;
}

static jo_hard_observables observe(jo_hard *h)
{
    jo_hard_observables o;
    assert_int_equal(jo_hard_observe(h, &o, &error), JO_OK);
    return o;
}

/* Checks at every so many collisions. */
static void run_checked(jo_hard *h, int rounds, uint64_t collisions, double balance)
{
    for (int k = 0; k < rounds; k++) {
        jo_hard_check check;
        advance(h, INFINITY, collisions);
        assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
        if (check.overlaps > 0)
            print_error("round %d: %lld and %lld overlap by %g\n", k, (long long)check.a,
                        (long long)check.b, check.deepest);
        assert_int_equal(check.overlaps, 0);
        const jo_measures m = measure(h);
        const double turned = m.energy.kinetic + m.energy.dissipated + fabs(m.energy.work) + 1.0;
        if (!(fabs(m.energy.balance) <= balance * turned))
            print_error("round %d: the energy is off by %g of %g\n", k, m.energy.balance, turned);
        assert_true(fabs(m.energy.balance) <= balance * turned);
    }
}

/* n balls of many sizes in a box, at random places. */
static jo_population mixture(const jo_scene *scene, size_t n, double lo, double hi, uint64_t seed)
{
    jo_population p;
    jo_scene s = *scene;
    jo_group g = scene->groups[0];
    g.sizes.kind = JO_SIZE_UNIFORM;
    g.sizes.a = lo;
    g.sizes.b = hi;
    g.count = n;
    g.seed = seed;
    g.velocity_spread = 1.0;
    s.groups = &g;
    if (jo_scene_populate(&s, &p, NULL, NULL, &error) != JO_OK) {
        print_error("%s\n", error.text);
        assert_true(false);
    }
    return p;
}

static jo_wall mesh_floor(const double *triangles, size_t count, int dim)
{
    jo_wall w = jo_wall_default(JO_WALL_MESH);
    strcpy(w.name, "mesh");
    const size_t bytes = count * (dim == 2 ? 4 : 9) * sizeof *triangles;
    w.triangles = malloc(bytes);
    memcpy(w.triangles, triangles, bytes);
    w.triangle_count = count;
    return w;
}

/* Sizes 1 : 3, walls all around, elastic: equipartition, and both searches find all collisions. */
static void test_mixture(void **state)
{
    (void)state;
    const double size[3] = {12, 12, 12};
    const char *const periodic[3] = {"", "xy", "xyz"};
    for (int k = 0; k < 3; k++) {
        jo_scene s = hard_scene(3, size, periodic[k]);
        if (k == 0) hard_scene_walls(&s);
        if (k == 1) {
            for (int side = 0; side < 2; side++) {
                jo_wall w = jo_wall_default(JO_WALL_PLANE);
                w.point[2] = side ? 12 : 0;
                w.normal[2] = side ? -1 : 1;
                snprintf(w.name, sizeof w.name, "plane %d", side);
                s.walls[s.wall_count++] = w;
            }
        }
        jo_population p = mixture(&s, 300, 0.3, 0.9, 3);
        for (int search = 0; search < 2; search++) {
            strcpy(s.broad, search ? "verlet" : "cells");
            jo_hard *h = hard_make(&s, &p, 0);
            run_checked(h, 20, 1000, 1e-12);
            jo_hard_destroy(h);
        }
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

/* A box hardly larger than its balls: images of the same ball on both sides. */
static void test_tiny_boxes(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double w = 1.05 + 0.35 * k, size[3] = {w, w + 0.1, 3.0};
        jo_scene s = hard_scene(3, size, "xyz");
        double list[3][7] = {{0.1, 0.1, 0.5, 0.7, 0.3, -0.2, 0.5},
                             {0.4, 0.3, 1.55, -0.4, 0.8, 0.5, 0.5},
                             {0.9, 0.8, 2.52, 0.1, -0.5, -0.9, 0.48}};
        jo_population p = hard_balls(k < 1 ? 2 : 3, list);
        if (k < 1) p.x[5] = 1.9;
        jo_hard *h = hard_make(&s, &p, 0);
        run_checked(h, 20, 500, 1e-12);
        jo_hard_destroy(h);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
}

/* Inelastic rough balls fall on a floor of triangles in a box, and come to rest on it. */
static void test_heap(void **state)
{
    (void)state;
    const double size[3] = {10, 10, 30};
    jo_scene s = hard_scene(3, size, "");
    hard_scene_walls(&s);
    const double ramp[18] = {0, 0, 0.5, 10, 0, 2, 10, 10, 2, 0, 0, 0.5, 10, 10, 2, 0, 10, 0.5};
    s.walls[s.wall_count++] = mesh_floor(ramp, 2, 3);
    s.contacts[0].restitution = 0.6;
    s.contacts[0].friction = 0.3;
    s.gravity[2] = -10.0;
    s.groups[0].region.lo[2] = 3.0;
    jo_population p = mixture(&s, 100, 0.4, 0.6, 5);
    jo_hard *h = hard_make(&s, &p, 0);
    for (int k = 1; k <= 8; k++) {
        jo_hard_check check;
        advance(h, 0.5 * k, 0);
        assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
        if (check.overlaps > 0)
            print_error("%lld and %lld overlap by %g\n", (long long)check.a, (long long)check.b,
                        check.deepest);
        assert_int_equal(check.overlaps, 0);
    }
    const jo_measures m = measure(h);
    assert_true(m.energy.kinetic < 0.1 * m.energy.dissipated);
    assert_true(fabs(m.energy.balance) < 1e-9 * m.energy.dissipated);
    jo_frame f;
    assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
    for (size_t i = 0; i < f.n; i++)
        assert_true(f.x[3 * i + 2] > 0.5);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Discs through rows of fixed pins in gravity (Galton's board), 2D; the pins do not fall. */
static void test_pins(void **state)
{
    (void)state;
    enum { PINS = 45, DISCS = 30, ALL = PINS + DISCS };
    const double size[3] = {20, 40, 0};
    jo_scene s = hard_scene(2, size, "");
    hard_scene_walls(&s);
    s.contacts[0].restitution = 0.5;
    s.gravity[1] = -10.0;
    double list[ALL][7] = {{0}};
    int n = 0;
    for (int row = 0; row < 5; row++)
        for (int k = 0; k < 9; k++, n++) {
            const double pin[7] = {1.5 + 2 * k + (row % 2), 10 + 2 * row, 0, 0, 0, 0, 0.3};
            memcpy(list[n], pin, sizeof pin);
        }
    for (int k = 0; k < DISCS; k++, n++) {
        const double disc[7] = {
            7.0 + k % 6 + 0.01 * sin(k), 25 + k / 6, 0, 0.1 * cos(k), 0, 0, 0.4};
        memcpy(list[n], disc, sizeof disc);
    }
    jo_population p = hard_balls(ALL, list);
    for (int k = 0; k < PINS; k++)
        p.fixed[k] = 1;
    jo_hard *h = hard_make(&s, &p, 0);
    for (int k = 1; k <= 10; k++) {
        jo_hard_check check;
        advance(h, 1.0 * k, 0);
        assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
        if (check.overlaps > 0)
            print_error("%lld and %lld overlap by %g\n", (long long)check.a, (long long)check.b,
                        check.deepest);
        assert_int_equal(check.overlaps, 0);
    }
    jo_frame f;
    assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
    int below = 0;
    for (size_t i = 0; i < f.n; i++) {
        if (f.fixed[i]) assert_true(f.x[3 * i + 1] == list[i][1]);
        below += !f.fixed[i] && f.x[3 * i + 1] < 10.0;
    }
    assert_true(below >= DISCS - 2);
    const jo_measures m = measure(h);
    assert_true(fabs(m.energy.balance) < 1e-9 * m.energy.dissipated);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* A drum that turns: a cylinder with caps, balls carried up by friction. Then the same at rest. */
static void test_drum(void **state)
{
    (void)state;
    double height[2];
    for (int turning = 0; turning < 2; turning++) {
        const double size[3] = {12, 4, 12};
        jo_scene s = hard_scene(3, size, "");
        jo_wall w = jo_wall_default(JO_WALL_CYLINDER);
        strcpy(w.name, "drum");
        const double point[3] = {6, 0, 6}, axis[3] = {0, 1, 0};
        memcpy(w.point, point, sizeof point);
        memcpy(w.axis, axis, sizeof axis);
        memcpy(w.motion.pivot, point, sizeof point);
        w.length = 4;
        w.radius = 6;
        w.caps = true;
        if (turning) w.motion.spin[1] = 1.5;
        s.walls[s.wall_count++] = w;
        s.contacts[0].restitution = 0.7;
        s.contacts[0].friction = 0.6;
        s.gravity[2] = -10.0;
        s.groups[0].region.lo[0] = 3;
        s.groups[0].region.hi[0] = 9;
        s.groups[0].region.lo[2] = 2;
        s.groups[0].region.hi[2] = 8;
        jo_population p = mixture(&s, 60, 0.4, 0.5, 9);
        jo_hard *h = hard_make(&s, &p, 0);
        height[turning] = 0.0;
        for (int k = 1; k <= 20; k++) {
            jo_hard_check check;
            advance(h, 0.25 * k, 0);
            assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
            assert_int_equal(check.overlaps, 0);
            if (k > 12) height[turning] += measure(h).centre[2] / 8.0;
        }
        const jo_measures m = measure(h);
        assert_true(fabs(m.energy.balance) < 1e-9 * (m.energy.dissipated + fabs(m.energy.work)));
        assert_true(turning ? m.energy.work > 1.0 : fabs(m.energy.work) < 0.2);
        jo_hard_destroy(h);
        jo_population_free(&p);
        hard_scene_free(&s);
    }
    assert_true(height[1] > height[0] + 0.05);
}

/* A plate that vibrates under balls in gravity: they stay above it, and are kept hot. */
static void test_vibrated(void **state)
{
    (void)state;
    const double size[3] = {8, 8, 200};
    jo_scene s = hard_scene(3, size, "xy");
    jo_wall w = jo_wall_default(JO_WALL_PLANE);
    strcpy(w.name, "plate");
    w.motion.amplitude[2] = 0.3;
    w.motion.frequency = 5.0;
    s.walls[s.wall_count++] = w;
    s.contacts[0].restitution = 0.8;
    s.gravity[2] = -10.0;
    s.groups[0].region.lo[2] = 1.0;
    s.groups[0].region.hi[2] = 12.0;
    jo_population p = hard_gas(&s, 120, 3);
    jo_hard *h = hard_make(&s, &p, 0);
    for (int k = 1; k <= 40; k++) {
        jo_hard_check check;
        advance(h, 0.37 * k, 0);
        assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
        if (check.overlaps > 0)
            print_error("%lld and %lld overlap by %g\n", (long long)check.a, (long long)check.b,
                        check.deepest);
        assert_int_equal(check.overlaps, 0);
    }
    const jo_measures m = measure(h);
    assert_true(m.energy.kinetic > 1.0 * 120 && m.energy.work > 100.0);
    assert_true(fabs(m.energy.balance) < 1e-7 * m.energy.work);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* A piston at constant speed heats a gas as the work it does. */
static void test_piston(void **state)
{
    (void)state;
    const double size[3] = {8, 8, 16};
    jo_scene s = hard_scene(3, size, "xy");
    for (int side = 0; side < 2; side++) {
        jo_wall w = jo_wall_default(JO_WALL_PLANE);
        snprintf(w.name, sizeof w.name, "plane %d", side);
        w.point[2] = side ? 16 : 0;
        w.normal[2] = side ? -1 : 1;
        if (side) {
            w.motion.velocity[2] = -0.05;
            w.motion.start = 1.0;
            w.motion.stop = 81.0;
        }
        s.walls[s.wall_count++] = w;
    }
    jo_population p = hard_gas(&s, 100, 3);
    jo_hard *h = hard_make(&s, &p, 0);
    const double before = measure(h).energy.kinetic;
    for (int k = 1; k <= 10; k++) {
        jo_hard_check check;
        advance(h, 10.0 * k, 0);
        assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
        assert_int_equal(check.overlaps, 0);
    }
    const jo_measures m = measure(h);
    /* Adiabatic: T V^(2 Z / 3) stays; centres have 15, then 11 to move in, Z is about 1.24. */
    assert_true(m.energy.kinetic > 1.22 * before && m.energy.kinetic < 1.4 * before);
    assert_true(fabs(m.energy.kinetic - before - m.energy.work) < 1e-9 * before);
    jo_frame f;
    assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
    for (size_t i = 0; i < f.n; i++)
        assert_true(f.x[3 * i + 2] <= 11.5 + 1e-9);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Balls that grow to a dense fluid, and stop there (Lubachevsky and Stillinger 1990). */
static void test_growth(void **state)
{
    (void)state;
    const size_t n = 500;
    const double edge = hard_edge(3, n, 0.1), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    s.hard.growth = 0.1;
    s.hard.growth_until = 0.55;
    s.duration = 100.0;
    jo_population p = hard_gas(&s, n, 3);
    jo_hard *h = hard_make(&s, &p, 0);
    run_checked(h, 20, 10000, 1e-9);
    const jo_hard_observables o = observe(h);
    assert_true(fabs(o.fraction - 0.55) < 1e-9);
    assert_true(o.work > 0.0);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* A thermostat holds inelastic balls at its temperature, less what collisions take. */
static void test_thermostat(void **state)
{
    (void)state;
    const size_t n = 1000;
    const double edge = hard_edge(3, n, 0.1), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    s.hard.temperature = 4.0;
    s.hard.thermostat_rate = 1.0;
    jo_population p = hard_gas(&s, n, 3);
    jo_hard *h = hard_make(&s, &p, 0);
    double mean = 0.0;
    advance(h, 10.0, 0);
    for (int k = 1; k <= 20; k++) {
        advance(h, 10.0 + k, 0);
        mean += observe(h).temperature / 20.0;
    }
    assert_true(fabs(mean - 4.0) < 0.15);
    run_checked(h, 2, 1000, 1e-9);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* Scenes that cannot be are named, not run. */
static void test_refused(void **state)
{
    (void)state;
    const double size[3] = {10, 10, 10};
    jo_hard *h;
    jo_scene s = hard_scene(3, size, "xyz");
    double overlap[2][7] = {{5, 5, 5, 0, 0, 0, 0.5}, {5.9, 5, 5, 0, 0, 0, 0.5}};
    jo_population p = hard_balls(2, overlap);
    assert_int_equal(jo_hard_create_with(&s, &p, NULL, &h, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "bodies 0 and 1 overlap at the start"));
    p.x[3] = 7;
    p.r[1] = -0.5;
    assert_int_equal(jo_hard_create_with(&s, &p, NULL, &h, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "body 1 has radius -0.5"));
    p.r[1] = 0.5;
    hard_scene_walls(&s);
    s.domain.periodic[0] = s.domain.periodic[1] = s.domain.periodic[2] = false;
    p.x[3] = 9.7;
    assert_int_equal(jo_hard_create_with(&s, &p, NULL, &h, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "body 1 overlaps wall 'cube' at the start"));
    s.walls[0].kind = JO_WALL_CONE;
    s.law.cohesion = JO_COHESION_SJKR;
    assert_int_equal(jo_hard_create_with(&s, &p, NULL, &h, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "engine hard has no cohesion"));
    assert_null(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixture),    cmocka_unit_test(test_tiny_boxes),
        cmocka_unit_test(test_heap),       cmocka_unit_test(test_pins),
        cmocka_unit_test(test_drum),       cmocka_unit_test(test_vibrated),
        cmocka_unit_test(test_piston),     cmocka_unit_test(test_growth),
        cmocka_unit_test(test_thermostat), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
