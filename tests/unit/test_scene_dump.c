/* Bodies that begin where a run has left them: polyhedra from a dump of its own. */
#include "physics/poly_scenes.h"

#include <unistd.h>

#include "jostle/trajectory.h"

#define FRAME                                                                                      \
    "materials: {m: {density: 2000, young: 5 MPa, poisson: 0.3, restitution: 0.3, friction: "      \
    "0.5}}\nbox: {lo: [0, 0, 0], hi: [0.05, 0.05, 0.4]}\nwalls: {w: {box: {lo: [0, 0, 0], hi: "    \
    "[0.05, 0.05, 0.4]}}}\ngravity: [0, 0, -9.81]\nduration: 1\n"

static const char path[] = "dump.lammpstrj";

static int enter_folder(void **state)
{
    static char folder[] = "/tmp/jostle-dump-XXXXXX";
    *state = folder;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    unlink(path);
    return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

/* Two frames: the beginning, and what has come to lie on the floor. */
static void write_run(jo_soft *soft)
{
    jo_error error;
    unlink(path);
    for (int k = 0; k < 2; k++) {
        const jo_frame f = frame_of(soft);
        if (jo_dump_append(path, &f, &error) != JO_OK) fail_msg("%s", error.text);
        if (k == 0) advance_to(soft, 0.4);
    }
}

static void expect_same(const jo_frame *a, const jo_frame *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->shape[i], b->shape[i]);
        assert_true(a->r[i] == b->r[i]);
        for (size_t c = 3 * i; c < 3 * i + 3; c++)
            assert_true(a->x[c] == b->x[c]);
        for (size_t c = 4 * i; c < 4 * i + 4; c++)
            if (!(fabs(a->q[c] - b->q[c]) < 1e-15))
                fail_msg("body %zu is turned by %.17g, not %.17g", i, b->q[c], a->q[c]);
    }
}

/* What was filled starts another run as it was left: places and radii to the last bit, orientations
 * but for the rounding of a turn to the principal axes. Overlaps are what they were; of the elastic
 * energy the springs of friction, which begin anew, are missing. */
static void expect_again(const char *bodies, const char *from_file)
{
    jo_scene filled = read_scene(bodies), again;
    jo_soft *soft = start(&filled, 1), *second;
    write_run(soft);
    again = read_scene(from_file);
    second = start(&again, 1);
    const jo_frame a = frame_of(soft), b = frame_of(second);
    expect_same(&a, &b);
    const jo_measures before = measure(soft), after = measure(second);
    assert_true(before.contacts > 0);
    assert_int_equal(after.contacts, before.contacts);
    assert_true(fabs(after.overlap_max / before.overlap_max - 1) < 1e-9);
    assert_true(after.energy.elastic <= before.energy.elastic &&
                after.energy.elastic > 0.8 * before.energy.elastic);
    advance(second, 10);
    size_t alarms;
    (void)jo_soft_alarms(second, &alarms);
    assert_int_equal(alarms, 0);
    jo_soft_destroy(soft);
    jo_soft_destroy(second);
    jo_scene_free(&filled);
    jo_scene_free(&again);
}

static void cubes_of_many_sizes(void **state)
{
    (void)state;
    expect_again(FRAME "bodies: [{radius: {uniform: [8 mm, 12 mm]}, shape: cube, random: {count: "
                       "20}}]",
                 FRAME "bodies: [{shape: cube, file: {path: dump.lammpstrj, frame: last}}]");
}

static void rocks_of_several_shapes(void **state)
{
    (void)state;
    expect_again(FRAME "bodies: [{radius: 1 cm, shape: {solid: rock, faces: 20, variants: 5}, "
                       "random: {count: 15}}]",
                 FRAME "bodies: [{shape: {solid: rock, faces: 20, variants: 5}, file: {path: "
                       "dump.lammpstrj, frame: last}}]");
}

static void expect_refusal(const char *scene_text, const char *says)
{
    jo_scene scene = read_scene(scene_text);
    jo_population p;
    jo_error error = {JO_OK, ""};
    assert_int_equal(jo_scene_populate(&scene, &p, NULL, NULL, &error), JO_ERR_DATA);
    if (strstr(error.text, says) == NULL) fail_msg("'%s' does not say '%s'", error.text, says);
    jo_scene_free(&scene);
}

static void what_a_group_cannot_be(void **state)
{
    (void)state;
    jo_scene mixed =
        read_scene(FRAME "bodies:\n  - {radius: 1 cm, shape: cube, random: {count: 3}}\n"
                         "  - {radius: 1 cm, shape: octahedron, random: {count: 3}}\n"
                         "  - {radius: 1 cm, random: {count: 2}}\n");
    jo_soft *soft = start(&mixed, 1);
    unlink(path);
    const jo_frame f = frame_of(soft);
    assert_int_equal(jo_dump_append(path, &f, NULL), JO_OK);
    expect_refusal(FRAME "bodies: [{shape: cube, file: dump.lammpstrj}]",
                   "bodies are of several shapes (column shape: 1, 2), those of the group of one");
    expect_refusal(FRAME "bodies: [{file: dump.lammpstrj}]",
                   "body 1 is no sphere (column shape: 1), but the group names no 'shape'");
    jo_soft_destroy(soft);
    jo_scene_free(&mixed);
    FILE *file = fopen(path, "w");
    fputs("ITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS x y z radius quatw quati quatj quatk shape\n"
          "0.02 0.02 0.05 0.01 1 0 0 0 1\n0.02 0.02 0.1 0.01 0 0 0 0 4\n",
          file);
    fclose(file);
    expect_refusal(FRAME "bodies: [{shape: {solid: rock, variants: 3}, file: dump.lammpstrj}]",
                   "body 2 is of shape 4, but the group has 3");
    expect_refusal(FRAME "bodies: [{shape: {solid: rock, variants: 4}, file: dump.lammpstrj}]",
                   "body 2 has the orientation (0, 0, 0, 0), which is no rotation");
}

/* Spheres of a mixed file stay spheres, and one shape may have any number. */
static void spheres_among_polyhedra(void **state)
{
    (void)state;
    FILE *file = fopen(path, "w");
    fputs("ITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS x y z radius quatw quati quatj quatk shape\n"
          "0.02 0.02 0.05 0.01 2 0 0 2 7\n0.02 0.02 0.1 0.01 1 0 0 0 0\n",
          file);
    fclose(file);
    jo_scene scene = read_scene(FRAME "bodies: [{shape: cube, file: dump.lammpstrj}]");
    jo_population p;
    assert_int_equal(jo_scene_populate(&scene, &p, NULL, NULL, NULL), JO_OK);
    assert_true(p.shape[0] == 0 && p.shape[1] == JO_NO_SHAPE);
    assert_true(fabs(p.q[0] - sqrt(0.5)) < 1e-15 && fabs(p.q[3] - sqrt(0.5)) < 1e-15);
    jo_population_free(&p);
    jo_scene_free(&scene);
}

/* Velocities of a dump are not read, and that is told. */
static void velocities_are_told(void **state)
{
    (void)state;
    static const char text[] = FRAME "bodies: [{name: few, file: dump.lammpstrj}]";
    static const char *const columns[] = {"x y z radius vx vy vz\n1 1 1 1 1 0 0\n",
                                          "x y z radius\n1 1 1 1\n"};
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(path, "w");
        fprintf(file, "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS %s", columns[k]);
        fclose(file);
        jo_scene scene;
        jo_problems problems;
        assert_int_equal(jo_scene_parse(text, strlen(text), "test", NULL, &scene, &problems, NULL),
                         JO_OK);
        assert_int_equal(problems.count, k == 0 ? 1 : 0);
        if (k == 0)
            assert_string_equal(problems.list[0].text,
                                "bodies 'few' come from a dump with velocities or spins, which are "
                                "not read: they begin with the velocity and spin of their group");
        jo_problems_free(&problems);
        jo_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_of_many_sizes),    cmocka_unit_test(rocks_of_several_shapes),
        cmocka_unit_test(what_a_group_cannot_be), cmocka_unit_test(spheres_among_polyhedra),
        cmocka_unit_test(velocities_are_told),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
