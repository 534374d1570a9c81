/* Bodies placed at random and on lattices among walls: meshes are kept clear of, so are walls that
 * start away from where they are described, and what there is room for is placed. */
#include "unit/placing.h"

/* A scene with `walls` walls, all planes so far. */
static jo_scene walled(int dim, size_t walls)
{
    jo_scene s = start(dim, 1.0, false, 1);
    s.wall_count = walls;
    s.walls = calloc(walls, sizeof *s.walls);
    for (size_t k = 0; k < walls; k++) {
        s.walls[k] = jo_wall_default(JO_WALL_PLANE);
        snprintf(s.walls[k].name, sizeof s.walls[k].name, "wall%zu", k);
    }
    return s;
}

/* A square plate in the middle, leaning over: two triangles. Its own axes are u, v and w. */
static const double plate_u[3] = {0.8, 0.0, 0.6}, plate_v[3] = {0.0, 1.0, 0.0}, half = 0.3;

static void plate_corner(double u, double v, double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = 0.5 + half * (u * plate_u[a] + v * plate_v[a]);
}

static void make_plate(jo_wall *w)
{
    *w = jo_wall_default(JO_WALL_MESH);
    strcpy(w->name, "plate");
    w->triangle_count = 2;
    w->triangles = calloc(18, sizeof *w->triangles);
    static const double corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 6; k++)
        plate_corner(corners[k][0], corners[k][1], w->triangles + 3 * k);
}

static double plate_distance(const double x[3])
{
    double square = 0.0, u = 0.0, v = 0.0;
    for (int a = 0; a < 3; a++) {
        const double d = x[a] - 0.5;
        square += d * d;
        u += d * plate_u[a];
        v += d * plate_v[a];
    }
    const double height2 = square - u * u - v * v; /* out of the plane, squared */
    const double du = fmax(fabs(u) - half, 0.0), dv = fmax(fabs(v) - half, 0.0);
    return sqrt(fmax(height2, 0.0) + du * du + dv * dv);
}

static void expect_clear_of_plate(const jo_scene *s, const char *how)
{
    jo_population p = populate(s);
    size_t near = 0;
    assert_int_equal(contacts_of(s, &p), 0);
    for (size_t i = 0; i < p.n; i++) {
        const double d = plate_distance(p.x + 3 * i);
        if (!(d >= p.r[i] * (1.0 - 1e-8)))
            fail_msg("%s: body %zu, radius %g, is %g from the plate", how, i, p.r[i], d);
        near += d < 3.0 * p.r[i];
    }
    assert_true(near > 10); /* else it says nothing */
    jo_population_free(&p);
}

static void meshes_are_kept_clear_of(void **state)
{
    (void)state;
    jo_scene s = walled(3, 1);
    make_plate(&s.walls[0]);
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = 0.02, .b = 0.04};
    s.groups[0].fraction = 0.25;
    expect_clear_of_plate(&s, "one by one");
    s.groups[0].fraction = 0.5;
    expect_clear_of_plate(&s, "pushed apart");
    s.groups[0].kind = JO_GROUP_LATTICE;
    strcpy(s.groups[0].lattice, "fcc");
    s.groups[0].fraction = NAN;
    s.groups[0].spacing = 0.081;
    expect_clear_of_plate(&s, "on a lattice");
    jo_scene_free(&s);
}

static void segments_are_kept_clear_of(void **state)
{
    (void)state;
    jo_scene s = walled(2, 1);
    s.walls[0] = jo_wall_default(JO_WALL_MESH);
    strcpy(s.walls[0].name, "ramp");
    s.walls[0].triangle_count = 2;
    s.walls[0].triangles = calloc(8, sizeof(double));
    const double corners[8] = {0.2, 0.2, 0.6, 0.5, 0.6, 0.5, 0.6, 0.9};
    memcpy(s.walls[0].triangles, corners, sizeof corners);
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.015};
    const double fractions[] = {0.4, 0.7};
    for (int k = 0; k < 2; k++) {
        s.groups[0].fraction = fractions[k];
        jo_population p = populate(&s);
        assert_int_equal(contacts_of(&s, &p), 0);
        for (size_t i = 0; i < p.n; i++) {
            const double *x = p.x + 3 * i, least = p.r[i] * (1.0 - 1e-8);
            const double along = fmin(fmax(0.8 * (x[0] - 0.2) + 0.6 * (x[1] - 0.2), 0.0), 0.5);
            assert_true(hypot(x[0] - 0.2 - 0.8 * along, x[1] - 0.2 - 0.6 * along) >= least);
            assert_true(hypot(x[0] - 0.6, x[1] - fmin(fmax(x[1], 0.5), 0.9)) >= least);
        }
        jo_population_free(&p);
    }
    jo_scene_free(&s);
}

/* A shaken floor that starts at its highest; one that comes later does not count. */
static void walls_count_where_they_start(void **state)
{
    (void)state;
    jo_scene s = walled(3, 2);
    s.walls[0].motion.amplitude[2] = 0.2;
    s.walls[0].motion.frequency = 10.0;
    s.walls[0].motion.phase = 0.5 * pi;
    s.walls[1].point[2] = 0.6;
    s.walls[1].from = 0.1;
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.02};
    const double fractions[] = {0.2, 0.4};
    for (int k = 0; k < 2; k++) {
        double lowest = 1.0;
        s.groups[0].fraction = fractions[k];
        jo_population p = populate(&s);
        for (size_t i = 0; i < p.n; i++)
            lowest = fmin(lowest, p.x[3 * i + 2] - p.r[i]);
        assert_true(lowest >= 0.2 - 1e-9 && lowest < 0.25);
        jo_population_free(&p);
    }
    jo_scene_free(&s);
}

/* Filled to a half: a drum, endless, with open ends or closed; one that the region reaches beyond;
 * a closed hopper in a box that is three times as large. Small bodies, so that many start at
 * walls. */
static void round_vessels_fill(void **state)
{
    (void)state;
    enum { ENDLESS, OPEN, CLOSED, NARROW, HOPPER, KINDS };
    const double r = in_short() ? 0.05 : 0.018;
    for (int kind = 0; kind < KINDS; kind++) {
        jo_scene s = walled(3, 1);
        jo_wall *w = &s.walls[0];
        jo_region *region = &s.groups[0].region;
        *w = jo_wall_default(kind == HOPPER ? JO_WALL_CONE : JO_WALL_CYLINDER);
        strcpy(w->name, "vessel");
        w->point[0] = w->point[1] = 0.5;
        w->radius = kind == NARROW ? 0.45 : kind == HOPPER ? 0.1 : 0.5;
        w->radius_end = 0.5;
        w->length = kind == ENDLESS || kind == NARROW ? (double)INFINITY : 1.0;
        w->caps = kind == CLOSED || kind == HOPPER;
        if (kind != HOPPER)
            *region = (jo_region){.kind = JO_REGION_CYLINDER,
                                  .centre = {0.5, 0.5, 0.0},
                                  .axis = {0.0, 0.0, 1.0},
                                  .length = 1.0,
                                  .radius = 0.5};
        const double share = kind == NARROW ? 0.81 : kind == HOPPER ? pi / 3.0 * 0.31 : 1.0;
        s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = 0.9 * r, .b = 1.1 * r};
        s.groups[0].fraction = 0.5 * share;
        jo_population p = populate(&s);
        assert_int_equal(contacts_of(&s, &p), 0);
        for (size_t i = 0; i < p.n; i++) {
            const double *x = p.x + 3 * i, rho = hypot(x[0] - 0.5, x[1] - 0.5);
            const double cosine = 1.0 / hypot(1.0, 0.4); /* of the hopper's slope */
            const double room =
                kind == HOPPER ? (0.1 + 0.4 * x[2] - rho) * cosine : w->radius - rho;
            if (!(room >= p.r[i] * (1.0 - 1e-6)))
                fail_msg("vessel %d: body %zu, radius %g, has %g to the wall", kind, i, p.r[i],
                         room);
        }
        jo_population_free(&p);
        jo_scene_free(&s);
    }
}

/* A floor in the middle of the region, and a small group that fits above it alone. */
static void walls_that_take_room_are_told(void **state)
{
    (void)state;
    jo_scene s = walled(3, 1);
    jo_error error = {JO_OK, ""};
    jo_population p;
    s.walls[0].point[2] = 0.5;
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.03};
    s.groups[0].fraction = 0.28; /* of the region; 0.56 of what is left */
    p = populate(&s);
    assert_int_equal(contacts_of(&s, &p), 0);
    jo_population_free(&p);
    s.groups[0].fraction = 0.36;
    assert_int_equal(jo_scene_populate(&s, &p, NULL, NULL, &error), JO_ERR_DATA);
    if (strstr(error.text, "fill 0.36 of their region (walls and other bodies leave 0.5") == NULL ||
        strstr(error.text, "some still overlap by") == NULL)
        fail_msg("%s", error.text);
    jo_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_kept_clear_of),
        cmocka_unit_test(segments_are_kept_clear_of),
        cmocka_unit_test(walls_count_where_they_start),
        cmocka_unit_test(round_vessels_fill),
        cmocka_unit_test(walls_that_take_room_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
