/* test_kinetic.c — hard polygons by kinetic triangulation: the triangulation holds after every
 * event, no two bodies overlap (by a judge that knows no triangles), energy is what it must be,
 * collisions come when the true motion says, and runs repeat to the last bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "polygon_hopper.h"
#include "support/polygon_worlds.h"
#include "support/scaled.h"

/* A scene in motion. */
typedef struct moving {
    jo_kinetic *world;
    double start; /* energy */
} moving;

static moving begin(uint32_t n, polygon_kind kind, double restitution, double friction, double g,
                    jo_kinetic_roots roots, uint64_t seed)
{
    const world_setting s = {n, kind, restitution, friction, g, roots, seed};
    moving m = {.world = world_make(&s)};
    m.start = world_energy(m.world);
    return m;
}

static void end(moving *m)
{
    jo_kinetic_destroy(m->world);
}

/* Goes on event by event, `every` at a time, and looks. */
static void go(moving *m, uint64_t events, uint64_t every)
{
    for (uint64_t k = 0; k < events; k += every) {
        world_advance(m->world, INFINITY, every);
        world_must_hold(m->world);
        if (k / every % 50 == 0) world_must_be_apart(m->world);
    }
    world_must_be_apart(m->world);
}

static void gas_keeps_its_energy(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 2, 5, 20};
    for (int kind = 0; kind < POLYGONS_KINDS; kind++)
        for (int c = 0; c < 4; c++)
            for (int roots = 0; roots < 3; roots++) {
                moving m = begin(counts[c], (polygon_kind)kind, 1.0, 0.0, 0.0,
                                 (jo_kinetic_roots)roots, 5 + (uint64_t)c);
                go(&m, 200 + scaled(1800), 1);
                const jo_kinetic_stats s = jo_kinetic_statistics(m.world);
                assert_true(fabs(world_energy(m.world) / m.start - 1.0) < 1e-12);
                assert_true(fabs(s.lost) < 1e-12 * m.start && s.added < 1e-6 * m.start);
                assert_true(s.flips > 0 && s.collisions + s.wall_collisions > 0);
                assert_true(s.nearest > 0.9);
                end(&m);
            }
}

/* With gravity, friction and losses everything comes to rest, as far as it does. */
static void heap_loses_what_is_counted(void **state)
{
    (void)state;
    for (int kind = 0; kind < POLYGONS_KINDS; kind++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            moving m = begin(20, (polygon_kind)kind, 0.5, 0.3, 1.0, JO_KINETIC_FAST, seed);
            go(&m, scaled(8000), 1);
            const jo_kinetic_stats s = jo_kinetic_statistics(m.world);
            const double expected = m.start - s.lost + s.added;
            assert_true(fabs(world_energy(m.world) - expected) < 1e-11 * fabs(m.start));
            assert_true(s.lost > 0.0 && s.added < 1e-3 * s.lost);
            assert_true(s.nearest > 0.0);
            end(&m);
        }
}

static void many_grains(void **state)
{
    (void)state;
    moving gas = begin(200, POLYGONS_CONVEX, 1.0, 0.0, 0.0, JO_KINETIC_FAST, 3);
    go(&gas, scaled(100000), 100);
    assert_true(fabs(world_energy(gas.world) / gas.start - 1.0) < 1e-12);
    end(&gas);
    moving heap = begin(200, POLYGONS_STARS, 0.8, 0.5, 1.0, JO_KINETIC_FAST, 3);
    go(&heap, scaled(50000), 100);
    end(&heap);
}

/* A frictionless pair in free flight: momentum and angular momentum are those of the start until
 * something hits the boundary. */
static void pairs_keep_their_momenta(void **state)
{
    (void)state;
    const double friction = 0.4, restitution = 0.6;
    random_stream r = jo_random_start(4, 4);
    int met = 0;
    for (int k = 0; k < 200; k++) {
        polygon_scene s =
            polygon_scene_make(2, k % 2 ? POLYGONS_STARS : POLYGONS_CONVEX, (uint64_t)k);
        const double far[] = {-50, -50, 50, -50, 50, 50, -50, 50};
        const double v[] = {1.0 + jo_random_uniform(&r), 0.2 * jo_random_normal(&r), -1.0, 0.0};
        const double spin[] = {jo_random_normal(&r), jo_random_normal(&r)};
        const size_t first[] = {0, s.first[2] - 4, s.first[3] - 4};
        jo_kinetic_def def = jo_kinetic_def_default();
        def.bodies = 2;
        def.first = first;
        def.corners = s.place + 8;
        def.v = v;
        def.spin = spin;
        def.boundary = 4;
        def.boundary_corners = far;
        def.restitution = &restitution;
        def.friction = &friction;
        jo_kinetic *world;
        jo_error error;
        assert_int_equal(jo_kinetic_create(&def, &world, &error), JO_OK);
        const jo_kinetic_energy a = jo_kinetic_measure(world);
        assert_int_equal(jo_kinetic_advance(world, 5.0, 0, &error), JO_OK);
        const jo_kinetic_energy b = jo_kinetic_measure(world);
        met += jo_kinetic_statistics(world).collisions > 0;
        assert_int_equal(jo_kinetic_statistics(world).wall_collisions, 0);
        for (int d = 0; d < 2; d++)
            assert_true(fabs(a.momentum[d] - b.momentum[d]) < 1e-13);
        assert_true(fabs(a.angular_momentum - b.angular_momentum) < 1e-12);
        jo_kinetic_destroy(world);
        polygon_scene_free(&s);
    }
    assert_true(met > 100);
}

/* ---- against dense sampling of the true motion ---- */

typedef struct rigid {
    double x[2], v[2], spin, g;
    size_t n;
    const double *arm; /* at time 0 */
} rigid;

static void corner_at(const rigid *b, size_t c, long double t, long double out[2])
{
    const long double k = cosl(b->spin * t), s = sinl(b->spin * t);
    const double *r = b->arm + 2 * c;
    out[0] = b->x[0] + b->v[0] * t + k * r[0] - s * r[1];
    out[1] = b->x[1] + b->v[1] * t - 0.5L * b->g * t * t + s * r[0] + k * r[1];
}

/* The least distance of a corner of one from an edge of the other; both ways. */
static long double apart(const rigid *a, const rigid *b, long double t)
{
    long double least = 1e9L;
    for (int way = 0; way < 2; way++) {
        const rigid *one = way ? a : b, *two = way ? b : a;
        for (size_t c = 0; c < one->n; c++)
            for (size_t e = 0; e < two->n; e++) {
                long double x[2], p[2], q[2];
                corner_at(one, c, t, x);
                corner_at(two, e, t, p);
                corner_at(two, (e + 1) % two->n, t, q);
                const long double u = q[0] - p[0], w = q[1] - p[1], l2 = u * u + w * w;
                long double s = ((x[0] - p[0]) * u + (x[1] - p[1]) * w) / l2;
                s = s < 0.0L ? 0.0L : s > 1.0L ? 1.0L : s;
                least = fminl(least, hypotl(x[0] - p[0] - s * u, x[1] - p[1] - s * w));
            }
    }
    return least;
}

/* The first time at which they are as near as `gap`, or -1 where that is not before `until`. No
 * step is longer than the distance allows at the greatest speed of approach. */
static long double first_touch(const rigid *a, const rigid *b, long double gap, long double until,
                               long double fastest)
{
    long double t = 0.0L;
    while (t < until) {
        const long double free = apart(a, b, t) - gap;
        if (free < 1e-15L) return t;
        t += free / fastest;
    }
    return -1.0L;
}

static void collisions_come_when_they_must(void **state)
{
    (void)state;
    random_stream r = jo_random_start(8, 1);
    const double far[] = {-50, -50, 50, -50, 50, 50, -50, 50};
    int met = 0, missed = 0;
    double worst[3] = {0};
    for (uint64_t k = 0; k < scaled(400); k++) {
        polygon_scene s = polygon_scene_make(2, k % 2 ? POLYGONS_STARS : POLYGONS_CONVEX, k);
        const double v[] = {1.0, 0.5 * jo_random_normal(&r), -1.0, 0.5 * jo_random_normal(&r)};
        const double spin[] = {4.0 * jo_random_normal(&r), 4.0 * jo_random_normal(&r)};
        const size_t first[] = {0, s.first[2] - 4, s.first[3] - 4};
        jo_kinetic_def def = jo_kinetic_def_default();
        def.bodies = 2;
        def.first = first;
        def.corners = s.place + 8;
        def.v = v;
        def.spin = spin;
        def.gravity[1] = -0.5;
        def.boundary = 4;
        def.boundary_corners = far;
        for (int roots = 0; roots < 3; roots++) {
            jo_kinetic *world;
            jo_kinetic_frame f;
            jo_error error;
            def.roots = (jo_kinetic_roots)roots;
            assert_int_equal(jo_kinetic_create(&def, &world, &error), JO_OK);
            const double gap = jo_kinetic_statistics(world).gap;
            assert_int_equal(jo_kinetic_look(world, &f, &error), JO_OK);
            double arms[128];
            rigid b[2];
            for (size_t i = 0; i < 2; i++) {
                b[i] = (rigid){{f.x[2 * i], f.x[2 * i + 1]}, {v[2 * i], v[2 * i + 1]}, spin[i], 0.5,
                               f.first[i + 1] - f.first[i],  arms + 2 * f.first[i]};
                for (size_t c = f.first[i]; c < f.first[i + 1]; c++)
                    for (size_t d = 0; d < 2; d++)
                        arms[2 * c + d] = f.corner[2 * c + d] - f.x[2 * i + d];
            }
            const long double fastest =
                hypotl(v[0] - v[2], v[1] - v[3]) + 0.5L * (fabs(spin[0]) + fabs(spin[1])) + 0.01L;
            const long double truth = first_touch(&b[0], &b[1], gap, 2.0L, fastest);
            double found = -1.0;
            while (found < 0.0 && jo_kinetic_advance(world, 2.0, 1, &error) == JO_OK &&
                   jo_kinetic_time(world) < 2.0)
                if (jo_kinetic_statistics(world).collisions > 0) found = jo_kinetic_time(world);
            /* Within a gap of a corner reach is measured along the edge, not to its end. */
            if ((found < 0.0) != (truth < 0.0L))
                missed++;
            else if (found >= 0.0)
                worst[roots] = fmax(worst[roots], fabs(found - (double)truth)), met++;
            jo_kinetic_destroy(world);
        }
        polygon_scene_free(&s);
    }
    printf("    %d collisions; times differ by at most %.2g fast, %.2g sturm, %.2g exact\n", met,
           worst[0], worst[1], worst[2]);
    assert_true((size_t)met > scaled(400)); /* of three times as many */
    assert_int_equal(missed, 0);
    assert_true(worst[0] < 1e-9 && worst[1] < 1e-9 && worst[2] < 1e-9);
}

/* ---- repeating, removing, refusing ---- */

static void runs_repeat(void **state)
{
    (void)state;
    uint64_t hash[3];
    jo_error error;
    for (int k = 0; k < 3; k++) {
        moving m = begin(30, POLYGONS_CONVEX, 0.9, 0.2, 0.3, JO_KINETIC_FAST, 9);
        for (int part = 1; part <= (k == 2 ? 97 : 1); part++) {
            jo_kinetic_frame f;
            const double until = k == 2 ? 5.0 * part / 97.0 : 5.0;
            assert_int_equal(jo_kinetic_advance(m.world, part == 97 ? 5.0 : until, 0, &error),
                             JO_OK);
            assert_int_equal(jo_kinetic_look(m.world, &f, &error), JO_OK); /* changes nothing */
        }
        assert_true(jo_kinetic_time(m.world) == 5.0);
        hash[k] = jo_kinetic_hash(m.world);
        end(&m);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void bodies_are_removed(void **state)
{
    (void)state;
    moving m = begin(20, POLYGONS_STARS, 0.9, 0.2, 1.0, JO_KINETIC_FAST, 4);
    jo_error error;
    for (uint64_t id = 0; id < 18; id += 2) {
        const uint64_t ids[] = {id, 19 - id};
        assert_int_equal(jo_kinetic_advance(m.world, 0.2 * (double)(id + 1), 0, &error), JO_OK);
        if (id < 10) assert_int_equal(jo_kinetic_remove(m.world, ids, 2, &error), JO_OK);
        world_must_hold(m.world);
    }
    jo_kinetic_frame f;
    assert_int_equal(jo_kinetic_look(m.world, &f, &error), JO_OK);
    assert_int_equal(f.bodies, 10);
    for (size_t i = 0; i < f.bodies; i++)
        assert_int_equal(f.id[i] % 2, f.id[i] < 10);
    const uint64_t nobody = 0;
    assert_int_equal(jo_kinetic_remove(m.world, &nobody, 1, &error), JO_ERR_ARGUMENT);
    end(&m);
}

/* A hopper with a wide neck empties; one narrower than a grain does not, and says so. */
static void hoppers_empty_or_jam(void **state)
{
    (void)state;
    hopper_options o = hopper_default();
    jo_error error;
    hopper h;
    hopper_outcome outcome;
    o.grains = 40;
    o.neck = 9.0;
    assert_int_equal(hopper_make(&o, &h, &error), JO_OK);
    if (hopper_empty(&h, 0.2, 1.0, NULL, NULL, &outcome, &error) != JO_OK)
        fail_msg("%s", error.text);
    assert_false(outcome.jammed);
    assert_int_equal(outcome.left, 0);
    assert_true(outcome.out[outcome.points - 1] == 40 && outcome.rate > 50.0);
    assert_true(outcome.stats.nearest > 0.5 && outcome.stats.least_speed == 10.0);
    hopper_free(&h);
    o.neck = 0.9;
    assert_int_equal(hopper_make(&o, &h, &error), JO_OK);
    assert_int_equal(hopper_empty(&h, 0.2, 0.2, NULL, NULL, &outcome, &error), JO_OK);
    assert_true(outcome.jammed && outcome.left == 40);
    hopper_free(&h);
    o.slope = 90.0;
    assert_int_equal(hopper_make(&o, &h, &error), JO_ERR_ARGUMENT);
}

static void refuse(const jo_kinetic_def *def, const char *words)
{
    jo_kinetic *world;
    jo_error error;
    const jo_status status = jo_kinetic_create(def, &world, &error);
    assert_true(status == JO_ERR_DATA || status == JO_ERR_ARGUMENT);
    assert_null(world);
    if (strstr(error.text, words) == NULL) fail_msg("'%s' is not in: %s", words, error.text);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    const double box[] = {0, 0, 10, 0, 10, 10, 0, 10};
    const uint64_t id[] = {7, 9};
    const size_t first[] = {0, 4, 8};
    double p[] = {1, 1, 2, 1, 2, 2, 1, 2, 5, 5, 5, 6, 6, 6, 6, 5}; /* the second goes clockwise */
    jo_kinetic_def def = jo_kinetic_def_default();
    jo_kinetic *world;
    jo_error error;
    def.bodies = 2;
    def.first = first;
    def.corners = p;
    def.id = id;
    refuse(&def, "there is no boundary");
    def.boundary = 4;
    def.boundary_corners = box;
    assert_int_equal(jo_kinetic_create(&def, &world, &error), JO_OK);
    jo_kinetic_destroy(world);
    p[8] = 1.5, p[9] = 1.5;
    refuse(&def, "body 7 and body 9 overlap");
    p[8] = -5, p[9] = 5;
    refuse(&def, "overlap");
    p[8] = 5, p[9] = 5;
    const double square[] = {1, 1, 2, 1, 2, 2, 1, 2}, crossed[] = {1, 1, 2, 2, 2, 1, 1, 2.5};
    memcpy(p, crossed, sizeof crossed);
    refuse(&def, "the outline of body 7 crosses itself");
    memcpy(p, square, sizeof square);
    p[6] = NAN;
    refuse(&def, "corner 3 of body 7");
    p[6] = 1;
    const double restitution = 1.5;
    def.restitution = &restitution;
    refuse(&def, "restitution 1.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas_keeps_its_energy),
        cmocka_unit_test(heap_loses_what_is_counted),
        cmocka_unit_test(many_grains),
        cmocka_unit_test(pairs_keep_their_momenta),
        cmocka_unit_test(collisions_come_when_they_must),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(bodies_are_removed),
        cmocka_unit_test(hoppers_empty_or_jam),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
