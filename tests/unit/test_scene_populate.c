/* Bodies of a scene: no overlaps (as jo_broad sees them), inside their regions, clear of walls, the
 * same for the same seed. */
#include "unit/placing.h"

#include <unistd.h>

static void expect_inside(const jo_scene *s, const jo_population *p, double lo, double hi)
{
    for (size_t i = 0; i < p->n; i++)
        for (int a = 0; a < s->dim; a++) {
            const double rim = s->domain.periodic[a] ? 0.0 : p->r[i], x = p->x[3 * i + (size_t)a];
            if (!(x - rim >= lo && x + rim <= hi))
                fail_msg("body %zu is at %g on axis %d, radius %g", i, x, a, p->r[i]);
        }
}

static void random_groups(void **state)
{
    (void)state;
    const struct {
        int dim;
        bool periodic;
        double fraction, a, b;
    } cases[] = {
        {3, false, 0.05, 0.02, 0.02}, {3, true, 0.25, 0.02, 0.02},   {3, false, 0.25, 0.01, 0.05},
        {3, true, 0.3, 0.005, 0.1},   {2, false, 0.4, 0.01, 0.01},   {2, true, 0.45, 0.005, 0.05},
        {3, true, 0.5, 0.03, 0.03},   {3, false, 0.5, 0.02, 0.04},   {3, true, 0.6, 0.03, 0.04},
        {2, true, 0.7, 0.01, 0.02},   {2, false, 0.75, 0.01, 0.015}, {3, true, 0.3, 0.4, 0.4},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jo_scene s = start(cases[k].dim, 1.0, cases[k].periodic, 1);
        s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = cases[k].a, .b = cases[k].b};
        s.groups[0].fraction = cases[k].fraction;
        jo_population p = populate(&s);
        assert_int_equal(contacts_of(&s, &p), 0);
        expect_inside(&s, &p, 0.0, 1.0);
        /* The fraction is met to within half of the largest body. */
        const double each =
            cases[k].dim == 3 ? 4.0 / 3.0 * pi * pow(cases[k].b, 3) : pi * pow(cases[k].b, 2);
        assert_true(fabs(filled(&s, &p) - cases[k].fraction) <= 0.5 * each + 1e-12);
        for (size_t i = 0; cases[k].dim == 2 && i < p.n; i++)
            assert_true(p.x[3 * i + 2] == 0.0);
        jo_population_free(&p);
        jo_scene_free(&s);
    }
}

/* Later groups keep clear of earlier ones, whatever their kinds; ids go through. */
static void groups_avoid_each_other(void **state)
{
    (void)state;
    jo_scene s = start(3, 1.0, true, 4);
    s.groups[0].kind = JO_GROUP_EXPLICIT;
    assert_int_equal(jo_population_allocate(&s.groups[0].listed, 1, NULL), JO_OK);
    for (int a = 0; a < 3; a++)
        s.groups[0].listed.x[a] = 0.5;
    s.groups[0].listed.r[0] = 0.2;
    s.groups[0].listed.v[1] = 3.0;
    s.groups[1].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.04};
    s.groups[1].count = 200;
    s.groups[1].velocity_spread = 0.5;
    s.groups[2].kind = JO_GROUP_LATTICE;
    strcpy(s.groups[2].lattice, "cubic");
    s.groups[2].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.01};
    s.groups[2].spacing = 0.05;
    s.groups[3].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.012};
    s.groups[3].count = 3000;
    jo_population p = populate(&s);
    assert_int_equal(contacts_of(&s, &p), 0);
    assert_true(p.n > 3201 && p.r[0] == 0.2 && p.v[1] == 3.0);
    double sum = 0.0;
    for (size_t i = 1; i <= 200; i++)
        sum += p.v[3 * i] * p.v[3 * i];
    assert_true(fabs(sum / 200.0 - 0.25) < 0.15);
    jo_population again = populate(&s);
    assert_int_equal(again.n, p.n);
    assert_memory_equal(again.x, p.x, 3 * p.n * sizeof *p.x);
    assert_memory_equal(again.v, p.v, 3 * p.n * sizeof *p.v);
    s.groups[3].seed = 99;
    jo_population other = populate(&s);
    assert_true(memcmp(other.x, p.x, 3 * p.n * sizeof *p.x) != 0);
    jo_population_free(&p);
    jo_population_free(&again);
    jo_population_free(&other);
    jo_scene_free(&s);
}

/* Lattices fill space as their packing says, and sit at their spacing. */
static void lattices(void **state)
{
    (void)state;
    const struct {
        int dim;
        const char *name;
        double packing;
    } cases[] = {{3, "cubic", 0.5235987755982989},  {3, "bcc", 0.6801747615878317},
                 {3, "fcc", 0.7404804896930611},    {3, "hcp", 0.7404804896930611},
                 {2, "square", 0.7853981633974483}, {2, "hexagonal", 0.9068996821171089}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jo_scene s = start(cases[k].dim, 1.0, false, 1);
        jo_group *g = &s.groups[0];
        g->kind = JO_GROUP_LATTICE;
        strcpy(g->lattice, cases[k].name);
        g->sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.00999};
        g->spacing = 0.02;
        jo_population p = populate(&s);
        assert_int_equal(contacts_of(&s, &p), 0);
        expect_inside(&s, &p, 0.0, 1.0);
        /* The rim of a box of fifty spacings is not filled everywhere: a tenth at most. */
        const double share = filled(&s, &p) / cases[k].packing;
        if (!(share > 0.9 && share <= 1.0)) fail_msg("%s fills %g", cases[k].name, share);
        /* Grown by a little, neighbours touch: six to twelve each in 3D, four to six in 2D. */
        for (size_t i = 0; i < p.n; i++)
            p.r[i] = 0.01001;
        const double coordination = 2.0 * (double)contacts_of(&s, &p) / (double)p.n;
        const double most[] = {6, 8, 12, 12, 4, 6};
        assert_true(coordination > 0.85 * most[k] && coordination <= most[k]);
        jo_population_free(&p);
        jo_scene_free(&s);
    }
}

static void lattices_on_periodic_axes_fill_from_below(void **state)
{
    (void)state;
    jo_scene s = start(3, 1.0, true, 1);
    jo_group *g = &s.groups[0];
    s.domain.periodic[2] = false;
    g->kind = JO_GROUP_LATTICE;
    strcpy(g->lattice, "cubic");
    g->sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.05};
    g->spacing = 0.1000001;
    g->count = 81;
    jo_population p = populate(&s);
    assert_int_equal(p.n, 81);
    assert_int_equal(contacts_of(&s, &p), 0);
    for (size_t i = 0; i < p.n; i++)
        assert_true(p.x[3 * i + 2] == 0.05);
    jo_population_free(&p);
    jo_scene_free(&s);
}

/* Spheres and cylinders as regions; walls of all simple kinds are kept clear of. */
static void regions_and_walls(void **state)
{
    (void)state;
    jo_scene s = start(3, 2.0, false, 2);
    s.groups[0].region =
        (jo_region){.kind = JO_REGION_SPHERE, .centre = {0.5, 0.5, 0.5}, .radius = 0.4};
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.02};
    s.groups[0].count = 1000;
    s.groups[1].region = (jo_region){.kind = JO_REGION_CYLINDER,
                                     .centre = {1.4, 1.4, 0.3},
                                     .axis = {0.0, 0.6, 0.8},
                                     .length = 0.5,
                                     .radius = 0.3};
    s.groups[1].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.02};
    s.groups[1].fraction = 0.36;
    s.wall_count = 3;
    s.walls = calloc(3, sizeof *s.walls);
    s.walls[0] = jo_wall_default(JO_WALL_PLANE);
    s.walls[0].point[2] = 0.4;
    s.walls[1] = jo_wall_default(JO_WALL_BOX);
    s.walls[1].outside = true;
    for (int a = 0; a < 3; a++) {
        s.walls[1].lo[a] = 0.5;
        s.walls[1].hi[a] = 0.7;
    }
    s.walls[2] = jo_wall_default(JO_WALL_CYLINDER);
    s.walls[2].radius = 0.1;
    s.walls[2].length = 1.0;
    s.walls[2].point[0] = s.walls[2].point[1] = 0.35;
    strcpy(s.walls[0].name, "a");
    strcpy(s.walls[1].name, "b");
    strcpy(s.walls[2].name, "c");
    jo_population p = populate(&s);
    assert_int_equal(contacts_of(&s, &p), 0);
    for (size_t i = 0; i < p.n; i++) {
        const double *x = p.x + 3 * i, r = p.r[i] * (1.0 - 1e-9);
        double square = 0.0, d[3], along = 0.0;
        assert_true(x[2] - r >= 0.4);
        for (int a = 0; a < 3; a++) {
            d[a] = fmax(fmax(0.5 - x[a], x[a] - 0.7), 0.0);
            square += d[a] * d[a];
        }
        assert_true(square >= r * r);
        const double rho = hypot(x[0] - 0.35, x[1] - 0.35);
        if (x[2] < 1.0) assert_true(fabs(rho - 0.1) >= r);
        const double centre[2][3] = {{0.5, 0.5, 0.5}, {1.4, 1.4, 0.3}};
        const size_t g = i >= 1000;
        square = 0.0;
        for (int a = 0; a < 3; a++) {
            d[a] = x[a] - centre[g][a];
            square += d[a] * d[a];
        }
        along = 0.6 * d[1] + 0.8 * d[2];
        if (g == 0)
            assert_true(sqrt(square) + r <= 0.4);
        else
            assert_true(along >= r && along + r <= 0.5 &&
                        sqrt(square - along * along) + r <= 0.3 + 1e-12);
    }
    jo_population_free(&p);
    jo_scene_free(&s);
}

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/jostle-bodies-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs("x,y,z\n0.1,0.2,0.3\n0.4,0.5,0.6\n", file);
    fclose(file);
    jo_scene s = start(3, 1.0, false, 1);
    s.groups[0].kind = JO_GROUP_FILE;
    s.groups[0].path = strdup(path);
    s.groups[0].file_format = strdup("csv");
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = 0.01, .b = 0.02};
    jo_population p = populate(&s);
    assert_int_equal(p.n, 2);
    assert_true(p.x[3] == 0.4 && p.x[5] == 0.6 && p.r[0] >= 0.01 && p.r[1] <= 0.02 &&
                p.r[0] != p.r[1]);
    jo_population_free(&p);
    unlink(path);
    jo_error error = {JO_OK, ""};
    assert_int_equal(jo_scene_populate(&s, &p, NULL, NULL, &error), JO_ERR_IO);
    assert_null(p.x);
    jo_scene_free(&s);
}

static bool stop_at_once(void *context, double fraction)
{
    (void)fraction;
    ++*(int *)context;
    return false;
}

static void what_cannot_be_done(void **state)
{
    (void)state;
    jo_error error = {JO_OK, ""};
    jo_population p;
    int asked = 0;
    jo_scene s = start(3, 1.0, false, 1);
    s.groups[0].sizes = (jo_sizes){.kind = JO_SIZE_FIXED, .a = 0.1};
    s.groups[0].fraction = 0.72;
    assert_int_equal(jo_scene_populate(&s, &p, NULL, NULL, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "cannot be placed at random"));
    assert_null(p.x);
    s.groups[0].sizes.a = 0.02;
    s.groups[0].fraction = 0.2;
    assert_int_equal(jo_scene_populate(&s, &p, stop_at_once, &asked, &error), JO_ERR_CANCELLED);
    assert_int_equal(asked, 1);
    s.groups[0].sizes.a = -1.0;
    assert_int_equal(jo_scene_populate(&s, &p, NULL, NULL, &error), JO_ERR_DATA);
    assert_int_equal(jo_population_allocate(&p, JO_BODIES_MAX + 1, &error), JO_ERR_LIMIT);
    jo_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_groups),
        cmocka_unit_test(groups_avoid_each_other),
        cmocka_unit_test(lattices),
        cmocka_unit_test(lattices_on_periodic_axes_fill_from_below),
        cmocka_unit_test(regions_and_walls),
        cmocka_unit_test(files),
        cmocka_unit_test(what_cannot_be_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
