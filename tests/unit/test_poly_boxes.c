/* test_poly_boxes.c — boxes around turning polyhedra from six vertices that are climbed to, and the
 * pairs that sorted lists of such boxes give: both equal to brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "jostle/broad.h"
#include "physics/poly_scenes.h"
#include "scene/poly.h"
#include "soft/poly.h"

enum { SHAPES = 5, BODIES = 60, MOVES = 40 };

static jo_polyhedron *rock(size_t faces, double x, double y, double z)
{
    jo_rock_def def = jo_rock_def_default();
    jo_polyhedron *made;
    def.faces = faces;
    def.axes[0] = x;
    def.axes[1] = y;
    def.axes[2] = z;
    assert_int_equal(jo_polyhedron_rock(&def, &made, NULL), JO_OK);
    return made;
}

/* A round rock, a needle, a plate, a cube, and one of 100,000 faces. */
static void make_shapes(jo_polyhedron *shapes[SHAPES])
{
    const jo_solid_def cube = jo_solid_def_default("cube");
    shapes[0] = rock(80, 1, 0.9, 0.8);
    shapes[1] = rock(60, 1, 0.001, 0.001);
    shapes[2] = rock(60, 1, 1, 0.001);
    assert_int_equal(jo_polyhedron_solid(&cube, &shapes[3], NULL), JO_OK);
    shapes[4] = rock(100000, 1, 1, 1);
}

static void turn_by(random_stream *r, double angle, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; k++)
        q[k] += angle * jo_random_normal(r);
    for (int k = 0; k < 4; k++)
        length += q[k] * q[k];
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
}

static void brute_box(const jo_polyhedron *p, const double turn[9], double lo[3], double hi[3])
{
    for (int a = 0; a < 3; a++) {
        lo[a] = INFINITY;
        hi[a] = -INFINITY;
        for (size_t v = 0; v < p->nv; v++) {
            const double *x = p->points + 3 * v, *m = turn + 3 * a;
            const double at = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
            lo[a] = fmin(lo[a], at);
            hi[a] = fmax(hi[a], at);
        }
    }
}

/* Small turns and, now and then, an orientation that has nothing to do with the one before. */
static void test_boxes(void **state)
{
    jo_polyhedron *shapes[SHAPES];
    random_stream r = jo_random_start(3, 1);
    (void)state;
    make_shapes(shapes);
    for (int k = 0; k < SHAPES; k++) {
        const int moves = shapes[k]->nf > 1000 ? 60 : 2000;
        double q[4] = {1, 0, 0, 0};
        uint32_t extreme[6] = {UINT32_MAX, 0, 0, 0, 0, 0};
        for (int move = 0; move < moves; move++) {
            jo_pose pose;
            double lo[3], hi[3], low[3], high[3];
            turn_by(&r, move % 50 == 49 ? 10 : 0.01, q);
            jo_pose_turn(&pose, q);
            jo_poly_box(shapes[k], pose.turn, extreme, lo, hi);
            brute_box(shapes[k], pose.turn, low, high);
            for (int a = 0; a < 3;
                 a++) { /* signs are taken out of sums: bits may differ in nothing */
                assert_true(fabs(lo[a] - low[a]) <= 1e-15 * shapes[k]->radius);
                assert_true(fabs(hi[a] - high[a]) <= 1e-15 * shapes[k]->radius);
            }
        }
        jo_polyhedron_destroy(shapes[k]);
    }
}

/* Bodies that turn and drift: the pairs of `sweep`, updated, are those of brute force. */
static void test_pairs(void **state)
{
    jo_polyhedron *shapes[SHAPES];
    random_stream r = jo_random_start(3, 2);
    double at[BODIES][3], q[BODIES][4], lower[BODIES][3], upper[BODIES][3];
    uint32_t extreme[BODIES][6];
    jo_broad_def def = jo_broad_def_default();
    jo_broad *sweep, *brute;
    size_t met = 0, changed = 0;
    (void)state;
    make_shapes(shapes);
    memset(extreme, 0, sizeof extreme);
    for (int a = 0; a < 3; a++) {
        def.domain.hi[a] = 6;
        def.domain.periodic[a] = a < 2;
    }
    def.method = "sweep";
    assert_int_equal(jo_broad_create(&def, &sweep, NULL), JO_OK);
    def.method = "brute";
    assert_int_equal(jo_broad_create(&def, &brute, NULL), JO_OK);
    for (int k = 0; k < BODIES; k++)
        for (int a = 0; a < 4; a++) {
            if (a < 3) at[k][a] = 6 * jo_random_uniform(&r);
            q[k][a] = jo_random_normal(&r);
        }
    for (int move = 0; move < MOVES; move++) {
        for (int k = 0; k < BODIES; k++) {
            jo_pose pose;
            turn_by(&r, 0.02, q[k]);
            jo_pose_turn(&pose, q[k]);
            jo_poly_box(shapes[k % SHAPES], pose.turn, extreme[k], lower[k], upper[k]);
            for (int a = 0; a < 3; a++) {
                at[k][a] += 0.02 * jo_random_normal(&r);
                lower[k][a] += at[k][a];
                upper[k][a] += at[k][a];
            }
        }
        const jo_bodies boxes = jo_boxes_interleaved(BODIES, 3, lower[0], upper[0]);
        assert_int_equal(jo_broad_update(sweep, &boxes, NULL), JO_OK);
        assert_int_equal(jo_broad_update(brute, &boxes, NULL), JO_OK);
        const jo_pairs some = jo_broad_contacts(sweep), all = jo_broad_contacts(brute);
        assert_int_equal(some.count, all.count);
        assert_true(jo_pairs_hash(some) == jo_pairs_hash(all));
        met += all.count;
        changed += jo_broad_begun(sweep).count;
    }
    assert_true(met > 1000 && changed > 50);
    jo_broad_destroy(sweep);
    jo_broad_destroy(brute);
    for (int k = 0; k < SHAPES; k++)
        jo_polyhedron_destroy(shapes[k]);
}

static const char *const heap =
    "gravity: 9.81 m/s^2\n"
    "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: 0.4, friction: "
    "0.5}}\n"
    "bodies:\n"
    "  - {shape: cube, radius: 10 mm, velocity: [0, 0, -1], random: {count: 40}}\n"
    "  - {shape: {solid: rock, faces: 40, axes: [1, 0.3, 0.2]}, radius: 12 mm, random: {count: "
    "30}}\n"
    "  - {radius: 8 mm, random: {count: 40}}\n"
    "box: {lo: [-5 cm, -5 cm, 0], hi: [5 cm, 5 cm, 14 cm], periodic: [x, y]}\n"
    "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
    "duration: 1 s\n"
    "engine: {search: %s}\n";

/* The engine gets the same forces whatever finds its pairs, to the last bit; the lists of `sweep`
 * are kept. */
static void test_engine(void **state)
{
    static const char *const searches[] = {"sweep", "brute", "auto"};
    uint64_t hash[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1500];
        snprintf(text, sizeof text, heap, searches[k]);
        const jo_scene scene = read_scene(text);
        jo_soft *soft = start(&scene, k == 0 ? 2 : 1);
        advance(soft, 7000); /* spheres touch the floor while bodies are sorted anew */
        hash[k] = jo_soft_hash(soft);
        assert_true(measure(soft).contacts > 5);
        assert_true(jo_soft_statistics(soft).rebuilds > 3);
        jo_soft_destroy(soft);
        jo_scene_free((jo_scene *)&scene);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
