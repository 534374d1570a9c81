/* test_poly_motion.c — polyhedra that turn freely, and bits that do not depend on threads or stops.
 *
 * Closed forms: a free body keeps its angular momentum and its energy; a body with an axis of
 * symmetry precesses about its angular momentum L at the rate L / I, I its moment across the
 * axis. */
#include "physics/poly_scenes.h"
#include "soft/poly.h"

static uint64_t scaled_steps(uint64_t steps)
{
    const char *text = getenv("JOSTLE_TEST_SCALE");
    const double scale = text != NULL ? atof(text) : 1;
    return scale > 1 ? (uint64_t)((double)steps / scale) : steps;
}

static const char *const brick =
    "materials: {stone: {density: 2500, young: 5 MPa, poisson: 0.25, restitution: 0.5}}\n"
    "bodies:\n"
    "  - shape: {vertices: [[-1,-2,-3.5], [1,-2,-3.5], [-1,2,-3.5], [1,2,-3.5],\n"
    "                       [-1,-2,3.5], [1,-2,3.5], [-1,2,3.5], [1,2,3.5]]}\n"
    "    radius: 5 cm\n"
    "    list: [{position: [0, 0, 0], orientation: [1, 0.3, 0.2, 0.1], spin: [0.5, 8, 0.3]}]\n"
    "duration: 1000 s\n"
    "engine: {time_step: 1 ms}\n";

/* Near its middle axis, about which it turns over again and again. */
static void test_tumbling(void **state)
{
    (void)state;
    const uint64_t steps = scaled_steps(1000000), part = steps / 100;
    const jo_scene scene = read_scene(brick);
    jo_soft *soft = start(&scene, 1);
    const jo_measures first = measure(soft);
    double lo = INFINITY, hi = 0, early = 0, late = 0, over = 0;
    for (int k = 0; k < 100; k++) {
        advance(soft, part);
        const jo_measures m = measure(soft);
        const double ratio = m.energy.kinetic / first.energy.kinetic;
        lo = fmin(lo, ratio);
        hi = fmax(hi, ratio);
        *(k < 50 ? &early : &late) += ratio / 50;
        for (int a = 0; a < 3; a++)
            assert_true(fabs(m.angular_momentum[a] - first.angular_momentum[a]) <
                        1e-12 * first.energy.kinetic);
        const jo_frame f = frame_of(soft);
        over = fmax(over, fabs(f.w[0]));
    }
    printf("energy of a tumbling body over %llu steps: %.3g to %.3g of it off, mean moved %.2g\n",
           (unsigned long long)steps, lo - 1, hi - 1, late - early);
    assert_true(over > 2); /* it did turn over */
    assert_true(hi - lo < 1e-4);
    assert_true(fabs(late - early) < 2e-5);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
}

/* Two tetrahedra that meet at their sharp corners: one comes out again beyond an edge of the other.
 * What presses there counts, too: they part with the energy they came with. */
static void test_sharp(void **state)
{
    (void)state;
    const jo_scene scene = read_scene(
        "materials: {stone: {density: 2500, young: 5 MPa, poisson: 0.25, restitution: 1,\n"
        "                    friction: 0}}\n"
        "bodies:\n"
        "  - shape: tetrahedron\n"
        "    radius: 1 cm\n"
        "    list:\n"
        "      - {position: [-5.3421 mm, 1.4895 mm, -10.0440 mm], velocity: [0.3726, 0.3070, "
        "0.6299],\n"
        "         spin: [-28.53, 38.30, -8.57], orientation: [0.11922, 0.71760, -0.28737, "
        "0.62309]}\n"
        "      - {position: [0, 0, 0], velocity: [-0.0870, 0.4943, -0.7071],\n"
        "         spin: [-26.23, 105.64, 66.75], orientation: [-0.05601, -0.31908, -0.08747, "
        "0.94202]}\n"
        "duration: 6 ms\n");
    jo_soft *soft = start(&scene, 1);
    const jo_measures first = measure(soft);
    double elastic = 0;
    for (int k = 0; k < 60; k++) {
        advance_to(soft, 1e-4 * (k + 1));
        elastic = fmax(elastic, measure(soft).energy.elastic);
    }
    const jo_measures last = measure(soft);
    assert_true(elastic > 0.2 * first.energy.kinetic); /* they did meet */
    assert_true(fabs(last.energy.kinetic / first.energy.kinetic - 1) < 1e-5);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
}

static void test_precession(void **state)
{
    (void)state;
    const jo_scene scene = read_scene(
        "materials: {stone: {density: 1000, young: 5 MPa, poisson: 0.25, restitution: 1}}\n"
        "bodies:\n"
        "  - shape: {solid: prism, sides: 6, height: 4}\n"
        "    radius: 5 cm\n"
        "    list: [{position: [0, 0, 0], spin: [0, 3, 20]}]\n"
        "duration: 10 s\n"
        "engine: {time_step: 0.1 ms}\n");
    jo_soft *soft = start(&scene, 1);
    const jo_measures m = measure(soft);
    const double *l = m.angular_momentum, length = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    const double inertia = l[1] / 3; /* across the axis, which is z at the start */
    const double cosine = l[2] / length, rate = length / inertia;
    advance_to(soft, 5);
    const jo_frame f = frame_of(soft);
    const double *q = f.q, t = f.time;
    const double axis[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                            q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]};
    /* The axis turned about L: along it stays, across it goes around. */
    const double u[3] = {l[0] / length, l[1] / length, l[2] / length};
    double across[3], third[3], miss = 0;
    for (int a = 0; a < 3; a++)
        across[a] = (a == 2) - cosine * u[a];
    for (int a = 0; a < 3; a++)
        third[a] = u[(a + 1) % 3] * across[(a + 2) % 3] - u[(a + 2) % 3] * across[(a + 1) % 3];
    for (int a = 0; a < 3; a++) {
        const double there = cosine * u[a] + cos(rate * t) * across[a] + sin(rate * t) * third[a];
        miss = fmax(miss, fabs(there - axis[a]));
    }
    assert_true(rate * t > 6); /* around at least once */
    assert_true(miss < 2e-4);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
}

static const char *const heap =
    "gravity: 9.81 m/s^2\n"
    "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: 0.4, friction: "
    "0.5}}\n"
    "bodies:\n"
    "  - {shape: cube, radius: 10 mm, velocity: [0, 0, -1], random: {count: 60}}\n"
    "  - {shape: {solid: rock, faces: 40, axes: [1, 0.8, 0.7], variants: 4}, radius: {uniform: [7 "
    "mm, 11 mm]},\n"
    "     velocity: [0, 0, 0.5], random: {count: 40}}\n"
    "  - {radius: 8 mm, random: {count: 20}}\n"
    "box: {lo: [-6 cm, -6 cm, 0], hi: [6 cm, 6 cm, 14 cm], periodic: [x, y]}\n"
    "walls:\n"
    "  floor: {plane: {point: [0, 0, 0], normal: +z}}\n"
    "  cup: {cylinder: {point: [0, 0, -1 cm], radius: 55 mm, length: 40 cm}}\n"
    "  sheet: {mesh: {triangles: [[[-3 cm,-3 cm,2 cm],[3 cm,-3 cm,2 cm],[0,3 cm,3 cm]]]}}\n"
    "duration: 1 s\n";

/* Every other kind of wall: boxes and closed cylinders and cones from either side, endless ones,
 * open cones, and some that move; on all of them bodies lie or fall within the time simulated. */
static const char *const yard =
    "gravity: 9.81 m/s^2\n"
    "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: 0.4, friction: "
    "0.5}}\n"
    "bodies:\n"
    "  - {shape: cube, radius: 10 mm, velocity: [0, 0, -1], random: {count: 50, region: &all {lo: "
    "[-6 cm, -6 cm, 6 cm], hi: [6 cm, 6 cm, 16 cm]}}}\n"
    "  - {shape: {solid: rock, faces: 100}, radius: 9 mm, velocity: [0, 0, -1], random: {count: "
    "40, region: *all}}\n"
    "  - {radius: 8 mm, random: {count: 20, region: *all}}\n"
    "walls:\n"
    "  room: {box: {lo: [-7 cm, -7 cm, 0], hi: [7 cm, 7 cm, 30 cm]}}\n"
    "  block: {box: {lo: [-6 cm, -6 cm, 1 cm], hi: [-3 cm, -3 cm, 4 cm], outside: true}, motion: "
    "{spin: [0, 0, 1], pivot: [-45 mm, -45 mm, 0]}}\n"
    "  post: {cylinder: {point: [4 cm, 4 cm, 1 cm], axis: +z, length: 4 cm, radius: 1 cm, caps: "
    "true, outside: true}}\n"
    "  roll: {cylinder: {point: [0, 0, 2 cm], axis: +x, radius: 8 mm, outside: true}, motion: "
    "{spin: [3, 0, 0], pivot: [0, 0, 2 cm]}}\n"
    "  spike: {cone: {point: [-4 cm, 4 cm, 1 cm], axis: +z, length: 4 cm, radius: 2 cm, "
    "radius_end: 0, caps: true, outside: true}}\n"
    "  cup: {cone: {point: [4 cm, -4 cm, 1 cm], axis: +z, length: 4 cm, radius: 1 cm, radius_end: "
    "25 mm}}\n"
    "  drum: {cylinder: {point: [0, 0, -1 cm], axis: +z, length: 35 cm, radius: 95 mm, caps: "
    "true}}\n"
    "duration: 1 s\n";

/* Few enough to come to rest soon: most of their contacts then press by their tangents. */
static const char *const quiet =
    "gravity: 9.81 m/s^2\n"
    "materials: {stone: {density: 2500, young: 5 MPa, poisson: 0.25, restitution: 0.05, friction: "
    "0.8}}\n"
    "bodies:\n"
    "  - {shape: cube, radius: 10 mm, list: [{position: [0, 0, 6 mm]}, {position: [1 mm, 0, 18 "
    "mm]}, {position: [25 mm, 0, 8 mm], orientation: [1, 0.1, 0, 0]}]}\n"
    "  - {shape: {solid: rock, faces: 30, axes: [1, 0.8, 0.5]}, radius: 10 mm, list: [{position: "
    "[-25 mm, 0, 7 mm]}, {position: [0, 1 mm, 31 mm]}]}\n"
    "walls:\n"
    "  floor: {plane: {point: [0, 0, 0], normal: +z}}\n"
    "  block: {box: {lo: [-5 cm, -5 cm, -1 cm], hi: [-15 mm, 5 cm, 1 mm], outside: true}}\n"
    "duration: 1 s\n";

static size_t tangents_of(const jo_soft *soft)
{
    const poly_world *w = soft->poly;
    const poly_pair *pairs = w->pairs.data;
    size_t count = 0;
    for (size_t k = 0; k < w->pair_count; k++)
        count += poly_tangent(w, &pairs[k]) != NULL && poly_tangent(w, &pairs[k])->reach > 0;
    return count;
}

/* As it is for 1 and 2 threads, and saved and restored halfway. */
static void same_bits(const char *text, uint64_t steps, size_t contacts)
{
    const jo_scene scene = read_scene(text);
    jo_soft *one = start(&scene, 1), *two = start(&scene, 2), *third = NULL;
    advance(one, steps);
    advance(two, steps);
    assert_true(jo_soft_hash(one) == jo_soft_hash(two));
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_error error;
    assert_int_equal(jo_soft_save(one, chunks, &count, &error), JO_OK);
    if (jo_soft_restore(&scene, NULL, chunks, count, &third, &error) != JO_OK)
        fail_msg("%s", error.text);
    assert_true(jo_soft_hash(third) == jo_soft_hash(two));
    advance(two, steps);
    advance(third, steps);
    assert_true(jo_soft_hash(third) == jo_soft_hash(two));
    const jo_measures a = measure(two), b = measure(third);
    if (steps >= 1500)
        assert_true(a.contacts + a.wall_contacts >= contacts); /* else they still fall */
    assert_true(a.energy.balance == b.energy.balance);
    jo_soft_destroy(one);
    jo_soft_destroy(two);
    jo_soft_destroy(third);
    jo_scene_free((jo_scene *)&scene);
}

static void test_bits(void **state)
{
    (void)state;
    same_bits(heap, scaled_steps(3000) / 2, 10);
}

static void test_bits_walls(void **state)
{
    (void)state;
    same_bits(yard, scaled_steps(3000) / 2, 10);
}

/* Tangents are saved, too. */
static void test_bits_at_rest(void **state)
{
    (void)state;
    const uint64_t steps = 80000;
    const jo_scene scene = read_scene(quiet);
    jo_soft *soft = start(&scene, 1);
    advance(soft, steps);
    const jo_measures m = measure(soft);
    printf("at rest: %zu tangents, %zu contacts, %.2g J\n", tangents_of(soft),
           (size_t)(m.contacts + m.wall_contacts), m.energy.kinetic);
    assert_true(tangents_of(soft) > (m.contacts + m.wall_contacts) / 2);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    same_bits(quiet, steps, 5);
}

/* A restored state is checked: no index in it is trusted. */
static void test_bad_states(void **state)
{
    (void)state;
    const jo_scene scene = read_scene(heap);
    jo_soft *soft = start(&scene, 1), *again = NULL;
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_error error;
    advance(soft, 300);
    assert_int_equal(jo_soft_save(soft, chunks, &count, &error), JO_OK);
    int refused = 0;
    for (size_t k = 0; k < count; k++) {
        if (strncmp(chunks[k].name, "poly_", 5) != 0) continue;
        const size_t size = chunks[k].type == JO_CHUNK_F64   ? 8
                            : chunks[k].type == JO_CHUNK_U32 ? 4
                                                             : 1;
        const size_t bytes = size * chunks[k].count;
        const jo_chunk whole = chunks[k];
        uint8_t *copy = malloc(bytes + 1);
        for (int bad = 0; bad < 40; bad++) {
            memcpy(copy, whole.data, bytes);
            for (size_t at = (size_t)bad * 7 % 64; at < bytes; at += 61 + (size_t)bad)
                copy[at] = (uint8_t)(0xff - bad);
            chunks[k].data = copy;
            const jo_status status = jo_soft_restore(&scene, NULL, chunks, count, &again, &error);
            refused += status != JO_OK;
            jo_soft_destroy(again);
        }
        chunks[k] = whole;
        free(copy);
    }
    assert_true(refused > 100);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
}

/* ---- seams ---- */

/* A flat floor of eight triangles, the diagonals as the bits say. */
static void write_floor(char *to, size_t size, unsigned diagonals)
{
    static const int corner[4][2] = {{-2, -2}, {0, -2}, {-2, 0}, {0, 0}};
    static const int triangle[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
    size_t n = 0;
    for (unsigned q = 0; q < 4; q++)
        for (int t = 0; t < 2; t++) {
            int at[3][2];
            for (int k = 0; k < 3; k++) {
                const int c = triangle[diagonals >> q & 1][t][k];
                at[k][0] = corner[q][0] + (c == 1 || c == 2 ? 2 : 0);
                at[k][1] = corner[q][1] + (c > 1 ? 2 : 0);
            }
            n += (size_t)snprintf(to + n, size - n, "%s[[%d, %d, 0], [%d, %d, 0], [%d, %d, 0]]",
                                  n > 0 ? ", " : "", at[0][0], at[0][1], at[1][0], at[1][1],
                                  at[2][0], at[2][1]);
        }
}

/* A smooth cube slides over the seams of such a floor, also where several meet: no dashpot gives it
 * energy, the balance closes, and it goes on as on a plane. Its contacts with triangles end at
 * borders that nothing presses on, and at corners of those the depth may pass zero. */
static void test_seams(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 64; k++) {
        char floor[1024], text[2048];
        write_floor(floor, sizeof floor, k % 16);
        snprintf(text, sizeof text,
                 "materials: {m: {density: 2000, young: 1e6, poisson: 0.3, restitution: 0.5, "
                 "friction: 0}}\n"
                 "gravity: 9.81\n"
                 "bodies: [{shape: cube, radius: 0.05, velocity: [1, 0, 0], list: [{position: "
                 "[-0.1, %g, 0.0287936], orientation: [0.9, 0, 0, %g]}]}]\n"
                 "walls: {f: {mesh: {triangles: [%s]}}}\n"
                 "duration: 0.2\n",
                 -0.0525 + 0.0015 * k, 0.2 * (k % 5 - 1.0), floor);
        const jo_scene scene = read_scene(text);
        jo_soft *soft = start(&scene, 1);
        const double before = measure(soft).energy.kinetic;
        double lost = 0;
        for (int part = 1; part <= 100; part++) {
            advance_to(soft, 0.002 * part);
            const jo_measures m = measure(soft);
            if (!(m.energy.dissipated > lost - 1e-12 * before))
                fail_msg("floor %u: dashpots give energy, %g", k, lost - m.energy.dissipated);
            lost = m.energy.dissipated;
            if (!(fabs(m.energy.balance) < 1e-5 * before))
                fail_msg("floor %u: the energy is off by %g", k, m.energy.balance / before);
            if (!(fabs(m.energy.kinetic - before) < 2e-5 * before))
                fail_msg("floor %u: kinetic energy %g of what it was", k,
                         m.energy.kinetic / before);
        }
        jo_soft_destroy(soft);
        jo_scene_free((jo_scene *)&scene);
    }
}

/* The speed with which a cube leaves a floor that it hit flat with 0.2 m/s. */
static double rebound(const char *floor)
{
    char text[65536];
    snprintf(text, sizeof text,
             "materials: {m: {density: 2500, young: 8e6, poisson: 0.25, restitution: 0.5, "
             "friction: 0.2}}\n"
             "bodies: [{shape: cube, radius: 0.01, list: [{position: [0, 0, 0.006], velocity: [0, "
             "0, -0.2], orientation: [1, 0, 0, 0.2]}]}]\n"
             "walls: {f: {%s}}\n"
             "duration: 0.05\n",
             floor);
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    advance_to(soft, 0.05);
    const double speed = frame_of(soft).v[2];
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    return speed;
}

/* A floor of n x n squares, cut in two, that the cube covers a part of. */
static void write_squares(char *out, size_t size, int n)
{
    size_t used = (size_t)snprintf(out, size, "mesh: {triangles: [");
    for (int k = 0; k < 2 * n * n; k++) {
        const double wide = 0.1 / n, x = -0.05 + wide * (k / 2 % n), y = -0.05 + wide * (k / 2 / n);
        used += (size_t)snprintf(
            out + used, size - used, "%s[[%g, %g, 0], [%g, %g, 0], [%g, %g, 0]]", k > 0 ? ", " : "",
            x, y, x + wide, y + (k % 2 == 0 ? 0 : wide), x + (k % 2 == 0 ? wide : 0), y + wide);
    }
    snprintf(out + used, size - used, "]}");
}

/* Restitution does not depend on how a floor is cut into triangles. */
static void test_restitution_on_meshes(void **state)
{
    (void)state;
    const double plane = rebound("plane: {point: [0, 0, 0], normal: +z}");
    for (int n = 1; n <= 16; n *= 4) {
        char mesh[60000];
        write_squares(mesh, sizeof mesh, n);
        const double speed = rebound(mesh);
        printf("a floor of %d triangles: %.3g m/s, a plane %.3g\n", 2 * n * n, speed, plane);
        assert_true(fabs(speed - plane) < 0.01);
    }
}

/* What a cube that slid off the edge of a plate has left of its energy. */
static double after_the_edge(const char *plate)
{
    char text[4096];
    snprintf(text, sizeof text,
             "materials: {m: {density: 2500, young: 8e6, poisson: 0.25, restitution: 0.3, "
             "friction: 0.2}}\n"
             "gravity: 9.81\n"
             "bodies: [{shape: cube, radius: 0.01, list: [{position: [0, 0, 0.0059], velocity: [1, "
             "0.3, 0], orientation: [1, 0, 0, 0.3]}]}]\n"
             "walls: {plate: {%s}}\n"
             "duration: 0.12\n",
             plate);
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    advance_to(soft, 0.12);
    const double kinetic = measure(soft).energy.kinetic;
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    return kinetic;
}

/* A plate with a front as a mesh, and as a box, which is a polyhedron. */
static void test_edges(void **state)
{
    (void)state;
    const double box =
        after_the_edge("box: {lo: [-0.1, -0.1, -0.003], hi: [0.1, 0.1, 0], outside: true}");
    const double mesh =
        after_the_edge("mesh: {triangles: [[[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0]],\n"
                       "  [[-0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]],\n"
                       "  [[0.1, -0.1, -0.003], [0.1, 0.1, -0.003], [0.1, 0.1, 0]],\n"
                       "  [[0.1, -0.1, -0.003], [0.1, 0.1, 0], [0.1, -0.1, 0]]]}");
    assert_true(fabs(mesh / box - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tumbling),
                                       cmocka_unit_test(test_sharp),
                                       cmocka_unit_test(test_precession),
                                       cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_bits_walls),
                                       cmocka_unit_test(test_bits_at_rest),
                                       cmocka_unit_test(test_bad_states),
                                       cmocka_unit_test(test_seams),
                                       cmocka_unit_test(test_restitution_on_meshes),
                                       cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
