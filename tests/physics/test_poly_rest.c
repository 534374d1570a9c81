/* test_poly_rest.c — polyhedra at rest, sliding, falling over: friction angles, stacks, dominoes,
 * spinning flat, and the balance of energy. */
#include "physics/poly_scenes.h"

#define STONE                                                                                      \
    "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: 0.3, "          \
    "friction: 0.5}}\n"

#define SOFTER                                                                                     \
    "materials: {stone: {density: 2500, young: 5 MPa, poisson: 0.25, restitution: 0.3, friction: " \
    "0.5}}\n"

/* How far a cube slid down an incline in a second, having settled for a tenth of one. */
static double slide(double degrees, double *speed)
{
    char text[1000];
    snprintf(text, sizeof text,
             STONE "gravity: {magnitude: 9.81, tilt: %g deg}\n"
                   "bodies: [{shape: cube, radius: 2 cm, list: [{position: [0, 0, 11.547 mm], "
                   "orientation: [1, 0, 0, 0.3]}]}]\n"
                   "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
                   "duration: 2 s\n",
             degrees);
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    advance_to(soft, 0.1);
    const double from = frame_of(soft).x[0], speed_from = frame_of(soft).v[0];
    advance_to(soft, 1.1);
    const jo_frame f = frame_of(soft);
    const double slid = f.x[0] - from;
    *speed = f.v[0] - speed_from;
    assert_true(lean(f.q, 2) < 1e-3);
    assert_true(imbalance(&(jo_measures){.energy = measure(soft).energy}) < 1e-3);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    return slid;
}

static void test_incline(void **state)
{
    (void)state;
    double speed;
    const double limit = atan(0.5),
                 degree = 3.14159265358979 / 180; /* the friction angle, 26.57 degrees */
    const double below = slide(0.98 * limit / degree, &speed);
    printf("cube at 0.98 of the friction angle: slid %.2g m, gained %.2g m/s in a second\n", below,
           speed);
    assert_true(fabs(below) < 2e-5 && fabs(speed) < 1e-6);
    static const double above[] = {1.02, 1.054};
    for (int k = 0; k < 2; k++) {
        const double angle = above[k] * limit, g = 9.81 * (sin(angle) - 0.5 * cos(angle));
        slide(angle / degree, &speed);
        printf("at %g of it: gained %.4g m/s in a second, closed form %.4g\n", above[k], speed, g);
        assert_true(fabs(speed - g) < 0.01 * g);
    }
}

/* Cubes and a ball lie on a plate until it is gone, by the scene or by hand: what they had stored
 * in it is gone, too, as its work, and the energy balances. */
static void test_floor_that_goes(void **state)
{
    (void)state;
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        char text[1000];
        snprintf(text, sizeof text,
                 SOFTER "gravity: [1, 0, -9.81]\n"
                        "bodies:\n"
                        "  - {shape: cube, radius: 1 cm, list: [{position: [0, 0, 5.8 mm]}, "
                        "{position: [10 cm, 0, 5.8 mm], orientation: [1, 0, 0, 0.3]}]}\n"
                        "  - {radius: 1 cm, list: [{position: [20 cm, 0, 1 cm]}]}\n"
                        "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}%s}}\n"
                        "duration: 1 s\n",
                 by_hand ? "" : ", until: 0.2 s");
        const jo_scene scene = read_scene(text);
        jo_soft *soft = start(&scene, 1);
        jo_error error = {0};
        advance_to(soft, 0.19);
        const double before = measure(soft).energy.balance;
        assert_int_equal(measure(soft).wall_contacts, 3);
        advance_to(soft, 0.2);
        if (by_hand) assert_int_equal(jo_soft_set_wall(soft, 0, false, &error), JO_OK);
        advance_to(soft, 0.25);
        const jo_energy e = measure(soft).energy;
        printf("floor that goes: work %.3g, the balance moved by %.2g\n", e.work,
               e.balance - before);
        assert_int_equal(measure(soft).wall_contacts, 0);
        assert_true(e.work < -1e-6 && e.elastic == 0);
        assert_true(fabs(e.balance - before) < 1e-3 * fabs(e.work));
        jo_soft_destroy(soft);
        jo_scene_free((jo_scene *)&scene);
    }
}

/* Ten cubes, each turned against the next, and `crooked` off the line; how far they moved between a
 * tenth of the time and its end, in edges. */
static double stand(double crooked, double time)
{
    const double side = 0.02;
    char text[3000];
    size_t n = (size_t)snprintf(text, sizeof text,
                                SOFTER "gravity: 9.81\n"
                                       "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
                                       "duration: 10 s\nbodies:\n  - shape: cube\n"
                                       "    radius: 17.320508 mm\n    list:\n");
    for (int k = 0; k < 10; k++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "      - {position: [%g, %g, %g], orientation: [1, 0, 0, %g]}\n",
                              crooked * (k % 3 - 1), crooked * (k % 2), side * (k + 0.5),
                              0.05 * ((k * 7) % 5 - 2));
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    double x[30], moved = 0, fastest = 0;
    advance_to(soft, 0.1 * time);
    memcpy(x, frame_of(soft).x, sizeof x);
    advance_to(soft, time);
    const jo_frame f = frame_of(soft);
    for (int k = 0; k < 30; k++) {
        moved = fmax(moved, fabs(f.x[k] - x[k]));
        fastest = fmax(fastest, fabs(f.v[k]));
    }
    for (int k = 0; k < 10; k++)
        assert_true(lean(f.q + 4 * k, 2) < 0.01);
    const jo_measures m = measure(soft);
    printf("ten cubes for %g seconds: moved %.2g of an edge, speed %.2g, balance %.2g\n", time,
           moved / side, fastest, imbalance(&m));
    assert_int_equal(m.contacts, 9);
    assert_true(f.x[29] > 9.4 * side && f.x[29] < 9.5 * side);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    return moved / side;
}

static void test_stack(void **state)
{
    (void)state;
    assert_true(stand(0, 10) < 1e-5);
    /* Built by hand it sways, and slowly: dashpots are made for contacts, which last a thousandth
     * of that. */
    assert_true(stand(0.0004, 2) < 0.02);
}

/* Slabs of 1 : 4 : 8, the first pushed. */
static void test_dominoes(void **state)
{
    (void)state;
    enum { SLABS = 8 };
    char text[3000];
    const double half = 0.04, radius = half * sqrt(1 + 0.25 + 1.0 / 64);
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         STONE "gravity: 9.81\n"
                               "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
                               "duration: 3 s\nbodies:\n"
                               "  - shape: {vertices: [[-1,-4,-8],[1,-4,-8],[-1,4,-8],[1,4,-8],\n"
                               "                       [-1,-4,8],[1,-4,8],[-1,4,8],[1,4,8]]}\n"
                               "    radius: %.9g\n    list:\n",
                         radius);
    for (int k = 0; k < SLABS; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "      - {position: [%g, 0, %g]%s}\n",
                              0.035 * k, half,
                              k == 0 ? ", spin: [0, 5, 0], velocity: [0.2, 0, 0]" : "");
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    double fell[SLABS];
    for (int k = 0; k < SLABS; k++)
        fell[k] = INFINITY;
    for (double t = 0.02; t < 2.5; t += 0.02) {
        advance_to(soft, t);
        const jo_frame f = frame_of(soft);
        for (int k = 0; k < SLABS; k++)
            if (lean(f.q + 4 * k, 2) > 0.6) fell[k] = fmin(fell[k], t);
    }
    for (int k = 0; k < SLABS; k++)
        assert_true(isfinite(fell[k]));
    for (int k = 1; k < SLABS; k++)
        assert_true(fell[k] >= fell[k - 1]);
    assert_true(fell[SLABS - 1] > fell[0] + 0.1);
    const jo_measures m = measure(soft);
    printf("dominoes: the wave takes %.3g s, balance %.2g\n", fell[SLABS - 1] - fell[0],
           imbalance(&m));
    assert_true(imbalance(&m) < 3e-3); /* of second order: 8e-5 with a third of the step */
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
}

static const char *const crowd =
    "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: %s, friction: "
    "%s}}\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  - {shape: tetrahedron, radius: 10 mm, random: {count: 10}}\n"
    "  - {shape: cube, radius: 10 mm, random: {count: 15}}\n"
    "  - {shape: {solid: rock, faces: 40}, radius: {uniform: [7 mm, 11 mm]}, random: {count: 15}}\n"
    "  - {radius: 8 mm, random: {count: 10}}\n"
    "box: {lo: [0, 0, 0], hi: [8 cm, 8 cm, 12 cm]}\n"
    "walls: {cup: {box: {lo: [0, 0, 0], hi: [8 cm, 8 cm, 1 m]}}}\n"
    "duration: 0.3 s\n";

static void test_balance(void **state)
{
    (void)state;
    static const char *const restitutions[] = {"1", "0.4"}, *const frictions[] = {"0", "0.5"};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, crowd, restitutions[k], frictions[k]);
        const jo_scene scene = read_scene(text);
        jo_soft *soft = start(&scene, 2);
        const jo_measures before = measure(soft);
        advance_to(soft, 0.3);
        const jo_measures m = measure(soft);
        const double fallen = before.energy.potential - m.energy.potential;
        printf("fifty bodies, restitution %s: balance %.2g of the energy that fell\n",
               restitutions[k], m.energy.balance / fallen);
        assert_true(fallen > 0);
        assert_true(fabs(m.energy.balance) < 2e-3 * fallen);
        if (k == 0) assert_true(fabs(m.energy.dissipated) < 1e-9 * fallen);
        jo_soft_destroy(soft);
        jo_scene_free((jo_scene *)&scene);
    }
}

/* A rough cube stands on an incline close to where it tips. A push lets it rock, and that dies
 * away: no force may turn a cube that rolls without rolling one that turns, or it would dance. */
static void test_steep(void **state)
{
    (void)state;
    static const double restitutions[] = {0.3, 0.3, 0.9}, degrees[] = {40, 42, 38};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: "
                 "%g, friction: 2}}\n"
                 "gravity: {magnitude: 9.81, tilt: %g deg}\n"
                 "bodies: [{shape: cube, radius: 2 cm, spin: [0.01, 0, 0], list: [{position: [0, "
                 "0, 11.546 mm]}]}]\n"
                 "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
                 "duration: 1 s\n",
                 restitutions[k], degrees[k]);
        const jo_scene scene = read_scene(text);
        jo_soft *soft = start(&scene, 1);
        advance_to(soft, 0.1);
        const jo_frame before = frame_of(soft);
        const double x[3] = {before.x[0], before.x[1], before.x[2]};
        advance_to(soft, 1);
        const jo_frame f = frame_of(soft);
        const double moved = hypot(hypot(f.x[0] - x[0], f.x[1] - x[1]), f.x[2] - x[2]);
        const double spin = hypot(hypot(f.w[0], f.w[1]), f.w[2]);
        printf("cube with restitution %g at %g degrees, friction 2: moved %.2g m, spin %.2g\n",
               restitutions[k], degrees[k], moved, spin);
        assert_true(moved < 5e-4 && spin < 0.2);
        jo_soft_destroy(soft);
        jo_scene_free((jo_scene *)&scene);
    }
}

/* A cube's speed after it met a wall with 1 m/s, turned by q. */
static double rebound(const char *law, const char *q)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: 0.5%s}}\n"
        "law: {normal: %s, tangential: none}\n"
        "bodies: [{shape: cube, radius: 2 cm, list: [{position: [0, 0, 2.1 cm], velocity: [0, 0, "
        "-1], orientation: %s}]}]\n"
        "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
        "duration: 0.1 s\n",
        strcmp(law, "linear") == 0 ? ", stiffness: 1e5" : "", law, q);
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    advance_to(soft, 0.06);
    const double speed = frame_of(soft).v[2];
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    return speed;
}

static void test_restitution(void **state)
{
    (void)state;
    static const char *const flat = "[1, 0, 0, 0.2]", *const corner = "[0.888, -0.325, 0.325, 0]";
    const double linear = rebound("linear", flat), hertz = rebound("hertz", flat);
    const double sharp = rebound("hertz", corner);
    printf("restitution 0.5: faces %.3g (linear), %.3g (hertz), corners %.3g\n", linear, hertz,
           sharp);
    assert_true(fabs(linear - 0.5) < 0.01);
    assert_true(fabs(hertz - 0.5) < 0.03);
    assert_true(sharp > 0.3 && sharp < 0.7);
}

/* Many faces make a sphere: mass, inertia, how it bounces and how it rolls. */
static void test_round(void **state)
{
    (void)state;
    const jo_scene scene =
        read_scene("materials: {stone: {density: 2500, young: 5 MPa, poisson: 0.25, restitution: "
                   "1, friction: 0.5}}\n"
                   "gravity: {magnitude: 9.81, tilt: 10 deg}\n"
                   "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
                   "duration: 1 s\n"
                   "bodies: [{shape: {solid: rock, faces: 2000, irregularity: 0}, radius: 2 cm,\n"
                   "          list: [{position: [0, 0, 19.9 mm]}]},\n"
                   "         {radius: 2 cm, list: [{position: [0, 1, 19.99 mm]}]}]\n");
    jo_soft *soft = start(&scene, 1);
    const jo_frame f = frame_of(soft);
    assert_true(fabs(f.mass[0] / f.mass[1] - 1) < 0.01);
    advance_to(soft, 0.5);
    const jo_frame later = frame_of(soft);
    const double pi = 3.14159265358979, along = 5.0 / 7 * 9.81 * sin(10 * pi / 180) * 0.5;
    printf("rolling: 2,000 faces %.4g m/s, a sphere %.4g, closed form %.4g\n", later.v[0],
           later.v[3], along);
    assert_true(fabs(later.v[3] - along) < 0.01 * along);
    assert_true(fabs(later.v[0] - along) < 0.05 * along);
    assert_true(fabs(later.w[1] * 0.02 / later.v[0] - 1) < 0.05);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
}

/* ---- sliding and spinning ---- */

/* A square slab that slides and spins flat on a floor, half an edge `half`. */
typedef struct slip {
    double half, height, friction, speed, spin;
} slip;

/* How it comes to rest: when half its spin is gone, when it stands, how far it went. */
typedef struct stop {
    double half_spin, end, slid;
} stop;

/* As Coulomb's friction spread evenly over its face has it, summed over a grid. */
static stop stop_of_face(slip s)
{
    enum { GRID = 40 };
    const double dt = 1e-4, inertia = 2.0 / 3 * s.half * s.half, first = s.spin;
    stop out = {0};
    while (s.speed > 1e-3 || s.spin > 0.01 * first) {
        double force = 0, torque = 0;
        for (int i = 0; i < GRID; i++)
            for (int j = 0; j < GRID; j++) {
                const double x = s.half * ((2 * i + 1.0) / GRID - 1),
                             y = s.half * ((2 * j + 1.0) / GRID - 1);
                const double vx = s.speed - s.spin * y, vy = s.spin * x, v = hypot(vx, vy) + 1e-9;
                force += vx / v;
                torque += (x * vy - y * vx) / v;
            }
        const double each = 9.81 * s.friction / (GRID * GRID) * dt;
        s.speed -= each * force;
        s.spin -= each * torque / inertia;
        out.slid += s.speed * dt;
        out.end += dt;
        if (s.spin > 0.5 * first) out.half_spin = out.end;
    }
    return out;
}

/* As the engine has it; *drift is how far it went to the side. */
static stop stop_of_slab(slip s, double *drift)
{
    char text[1200];
    snprintf(text, sizeof text,
             "materials: {stone: {density: 2500, young: 20 MPa, poisson: 0.25, restitution: 0.3, "
             "friction: %g}}\n"
             "gravity: 9.81\n"
             "bodies: [{shape: {vertices: [[-1,-1,-%g],[1,-1,-%g],[-1,1,-%g],[1,1,-%g],[-1,-1,%g],"
             "[1,-1,%g],[-1,1,%g],[1,1,%g]]}, radius: %.9g, velocity: [%g, 0, 0], spin: [0, 0, %g],"
             " list: [{position: [0, 0, %.9g]}]}]\n"
             "walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}\n"
             "duration: 1 s\n",
             s.friction, s.height, s.height, s.height, s.height, s.height, s.height, s.height,
             s.height, s.half * sqrt(2 + s.height * s.height), s.speed, s.spin,
             s.half * s.height - 5e-7);
    const jo_scene scene = read_scene(text);
    jo_soft *soft = start(&scene, 1);
    stop out = {0};
    jo_frame f = frame_of(soft);
    while (out.end < 1 && (f.v[0] > 1e-3 || f.w[2] > 0.01 * s.spin)) {
        advance_to(soft, out.end + 1e-4);
        f = frame_of(soft);
        out.end = f.time;
        if (f.w[2] > 0.5 * s.spin) out.half_spin = f.time;
    }
    out.slid = f.x[0];
    *drift = fabs(f.x[1]);
    assert_true(lean(f.q, 2) < 1e-3);
    assert_true(imbalance(&(jo_measures){.energy = measure(soft).energy}) < 1e-5);
    jo_soft_destroy(soft);
    jo_scene_free((jo_scene *)&scene);
    return out;
}

/* A cube that spins flat stops as its face's mean arm says, 0.7652 of half an edge, and stays in
 * its place: what turning takes of friction is not there for sliding. */
static void test_spin(void **state)
{
    (void)state;
    const slip cube = {.half = 0.01, .height = 1, .friction = 0.3, .spin = 40};
    const double slowing = 0.3 * 9.81 * 0.7652 * 0.01 / (2.0 / 3 * 0.01 * 0.01);
    double drift;
    const stop s = stop_of_slab(cube, &drift);
    printf("spinning cube: half after %.4g s, closed form %.4g; still after %.4g s, closed form "
           "%.4g; moved %.2g m\n",
           s.half_spin, 20 / slowing, s.end, 40 / slowing, hypot(s.slid, drift));
    assert_true(fabs(s.half_spin * slowing / 20 - 1) < 0.02);
    assert_true(fabs(s.end * slowing / 40 - 1) < 0.03);
    assert_true(hypot(s.slid, drift) < 1e-8);
}

/* Sliding and spinning share what friction holds: both last longer than each alone, and end
 * together. The ellipsoid is near to what friction spread over the face holds, not the same. */
static void test_slide_and_spin(void **state)
{
    (void)state;
    static const slip slabs[] = {
        {.half = 0.01, .height = 0.3, .friction = 0.3, .speed = 0.05, .spin = 30},
        {.half = 0.01, .height = 0.3, .friction = 0.3, .speed = 0.05, .spin = 60},
        {.half = 0.01, .height = 0.3, .friction = 0.3, .speed = 0.2, .spin = 20}};
    for (int k = 0; k < 3; k++) {
        double drift;
        const stop s = stop_of_slab(slabs[k], &drift), face = stop_of_face(slabs[k]);
        printf("sliding with %g m/s and %g rad/s, to what is integrated: half the spin after %.3g, "
               "still after %.3g, slid %.3g; aside %.2g m\n",
               slabs[k].speed, slabs[k].spin, s.half_spin / face.half_spin, s.end / face.end,
               s.slid / face.slid, drift);
        assert_true(fabs(s.end / face.end - 1) < 0.08);
        assert_true(fabs(s.half_spin / face.half_spin - 1) < 0.2);
        assert_true(fabs(s.slid / face.slid - 1) < 0.12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline),        cmocka_unit_test(test_floor_that_goes),
        cmocka_unit_test(test_stack),          cmocka_unit_test(test_dominoes),
        cmocka_unit_test(test_balance),        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_round),          cmocka_unit_test(test_spin),
        cmocka_unit_test(test_slide_and_spin), cmocka_unit_test(test_steep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
