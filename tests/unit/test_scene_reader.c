/* Scene files: every key ends where it belongs, defaults, aliases, and what is wrong at which
 * place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "jostle/jostle.h"
#include "scene/tree.h"

/* Whether the library was built with libyaml: it says so. */
static bool have_yaml(void)
{
    tree t;
    tree_error wrong;
    const jo_status status = jo_tree_parse("a: b", 4, &t, &wrong);
    jo_tree_free(&t);
    return status != JO_ERR_UNSUPPORTED;
}

/* Reads a copy that ends where the text ends, so that a sanitizer sees a read beyond it. */
static jo_status parse(const char *text, jo_scene *scene, jo_problems *problems, jo_error *error)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + (size == 0));
    memcpy(copy, text, size);
    const jo_status status = jo_scene_parse(copy, size, "test.yaml", NULL, scene, problems, error);
    free(copy);
    return status;
}

static jo_scene parse_good(const char *text)
{
    jo_scene scene;
    jo_problems problems;
    jo_error error = {JO_OK, ""};
    if (parse(text, &scene, &problems, &error) != JO_OK) fail_msg("refused: %s", error.text);
    assert_int_equal(problems.errors, 0);
    jo_problems_free(&problems);
    return scene;
}

static const char *const everything =
    "title: all of it\n"
    "dimension: 3\n"
    "box: {lo: [-1, -2, -3 cm], hi: [1, 2, 3], periodic: [x, y], leaving: remove, shear_rate: 2 "
    "1/s}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "seed: 77\n"
    "law: {normal: hertz, damping: viscous, tangential: mindlin_force, rolling: epsd, cohesion: "
    "jkr,\n"
    "      tangential_damping: false, attraction: clip}\n"
    "materials:\n"
    "  a: {density: 2 g/cm^3, young: 5 MPa, poisson: 0.25, friction: 0.4, damping: 8, "
    "surface_energy: 0.1,\n"
    "      rolling_friction: 0.05}\n"
    "  b: {density: 1000, young: 7 MPa, poisson: 0.3, friction: 0.2, damping: 4, restitution: "
    "0.5}\n"
    "contacts:\n"
    "  - {between: [b, a], friction: 0.9, stiffness: 3 Pa, tangential_stiffness: 4 Pa, "
    "restitution: 0.7,\n"
    "     damping: 5, tangential_damping: 6, rolling_friction: 0.1, rolling_stiffness: 7 N m,\n"
    "     rolling_damping: 0.4, surface_energy: 0.2, cohesion_density: 8, liquid_volume: 1 mm^3,\n"
    "     surface_tension: 72 mN/m, wetting_angle: 90 deg, contact_time: 1 ms}\n"
    "bodies:\n"
    "  - name: one\n"
    "    material: b\n"
    "    radius: 1 cm\n"
    "    velocity: [1, 2, 3]\n"
    "    spin: [0, 0, 60 rpm]\n"
    "    list:\n"
    "      - {position: [0.1, 0.2, 0.3]}\n"
    "      - {position: [0.4, 0.5, 0.6], diameter: 4 cm, velocity: [7, 8, 9], spin: [1, 0, 0], "
    "fixed: true,\n"
    "         material: a}\n"
    "  - {material: a, diameter: {values: [2 mm, 4 mm], weights: [1, 3]}, seed: 5,\n"
    "     lattice: {kind: fcc, spacing: 5 mm, count: 9, region: {lo: [0, 0, 0], hi: [0.1, 0.1, "
    "0.1]}}}\n"
    "  - {material: a, radius: {lognormal: {median: 1 mm, deviation: 0.2, lo: 0.5 mm, hi: 2 mm}},\n"
    "     velocity_spread: 1 mm/s, fixed: true,\n"
    "     random: {fraction: 0.1, region: {base: [0, 0, 1], axis: [0, 0, 2], length: 1, radius: 20 "
    "cm}}}\n"
    "  - {material: b, radius: {normal: {mean: 1 mm, deviation: 0.1 mm}},\n"
    "     factory: {mass_rate: 20 g/s, count: 500, start: 1, stop: 2, region: {centre: [0, 0, 1], "
    "radius: 0.5}}}\n"
    "walls:\n"
    "  floor: {material: b, plane: {point: [0, 0, -1 mm], normal: [0, 0, 5]}, from: 1 s, until: 2 "
    "s}\n"
    "  crate: {material: a, box: {lo: [5, 5, 5], hi: [6, 6, 6], outside: true}}\n"
    "  tube: {material: a, cylinder: {point: [1, 0, 0], axis: +y, length: 3, radius: 2, caps: "
    "true},\n"
    "         motion: {spin: [0, 30 rpm, 0], velocity: [1, 0, 0], amplitude: [0, 0, 1 mm], "
    "frequency: 20 Hz,\n"
    "                  phase: 90 deg, start: 1, stop: 4}}\n"
    "  cone: {material: a, cone: {point: [0, 0, 0], length: 3, radius: 2, radius_end: 1}}\n"
    "  press: {material: b, plane: {point: [0, 0, 2], normal: -z},\n"
    "          servo: {direction: -z, stress: 2 kPa, speed_max: 1 mm/s, gain: 2}}\n"
    "  sheet: {material: b, mesh: {triangles: [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], scale: 2, "
    "shift: [0, 0, 1]}}\n"
    "gates: {out: {point: [0, 0, 1], normal: -z}}\n"
    "engine: {type: soft, time_step: 1 us, skin: 1 mm, search: grid, account_energy: no, "
    "overlap_alarm: 0.2}\n"
    "duration: 3 s\n"
    "output: {trajectory: 10 ms, vtp: {every: 20 ms}, dump: 30 ms, series: 1 ms, checkpoint: 1, \n"
    "         checkpoint_wall: 5 min, contacts: true}\n";

static void contacts_are_read(const jo_scene *s)
{
    const jo_contact_def *c = &s->contacts[1];
    assert_true(c->friction == 0.9 && c->normal_stiffness == 3.0 && c->tangential_stiffness == 4.0);
    assert_true(c->restitution == 0.7 && c->normal_damping == 5.0 && c->tangential_damping == 6.0);
    assert_true(c->rolling_friction == 0.1 && c->rolling_stiffness == 7.0 &&
                c->rolling_damping == 0.4);
    assert_true(c->surface_energy == 0.2 && c->cohesion_density == 8.0 && c->liquid_volume == 1e-9);
    assert_true(c->surface_tension == 0.072 && fabs(c->wetting_angle - 1.5707963267948966) < 1e-15);
    assert_true(c->contact_time == 0.001);
    assert_memory_equal(c, &s->contacts[2], sizeof *c);
    assert_true(s->contacts[0].friction == 0.4 && isnan(s->contacts[0].restitution));
    assert_true(s->contacts[0].surface_energy == 0.1 && s->contacts[3].surface_energy == 0.0);
    assert_true(s->contacts[3].restitution == 0.5 && isnan(s->contacts[3].normal_stiffness));
}

static void groups_are_read(const jo_scene *s)
{
    assert_int_equal(s->group_count, 4);
    const jo_group *g = s->groups;
    const double turn = 2.0 * 3.14159265358979323846;
    assert_true(g[0].kind == JO_GROUP_EXPLICIT && g[0].listed.n == 2 &&
                strcmp(g[0].name, "one") == 0);
    const jo_population *p = &g[0].listed;
    assert_true(p->r[0] == 0.01 && p->r[1] == 0.02 && p->material[0] == 1 && p->material[1] == 0);
    assert_true(p->v[2] == 3.0 && p->v[3] == 7.0 && fabs(p->w[2] - turn) < 1e-12 && p->w[3] == 1.0);
    assert_true(p->fixed[0] == 0 && p->fixed[1] == 1 && p->x[1] == 0.2 && p->x[5] == 0.6);
    assert_true(g[1].kind == JO_GROUP_LATTICE && g[1].seed == 5 && g[1].count == 9 &&
                g[1].spacing == 0.005);
    assert_true(g[1].sizes.kind == JO_SIZE_LIST && g[1].sizes.value[1] == 0.002 &&
                g[1].sizes.weight[1] == 3.0);
    assert_string_equal(g[1].lattice, "fcc");
    assert_true(g[2].kind == JO_GROUP_RANDOM && g[2].fraction == 0.1 && g[2].fixed &&
                g[2].count == 0);
    assert_true(g[2].region.kind == JO_REGION_CYLINDER && g[2].region.axis[2] == 1.0 &&
                g[2].region.radius == 0.2);
    assert_true(g[2].sizes.kind == JO_SIZE_LOGNORMAL && g[2].sizes.lo == 0.0005 &&
                g[2].sizes.b == 0.2);
    assert_true(g[2].velocity_spread == 0.001 && g[2].seed == 77 + 2);
    assert_true(g[3].kind == JO_GROUP_FACTORY && g[3].mass_rate == 0.02 && isnan(g[3].rate));
    assert_true(g[3].count == 500 && g[3].start == 1.0 && g[3].stop == 2.0);
    assert_true(g[3].region.kind == JO_REGION_SPHERE && g[3].sizes.kind == JO_SIZE_NORMAL);
}

static void walls_are_read(const jo_scene *s)
{
    assert_int_equal(s->wall_count, 6);
    const jo_wall *w = s->walls;
    const double pi = 3.14159265358979323846;
    assert_true(w[0].kind == JO_WALL_PLANE && w[0].normal[2] == 1.0 && w[0].point[2] == -0.001);
    assert_true(w[0].from == 1.0 && w[0].until == 2.0 && w[0].material == 1);
    assert_true(w[1].kind == JO_WALL_BOX && w[1].outside && w[1].hi[2] == 6.0);
    assert_true(isinf(w[1].until) && isinf(w[1].motion.stop));
    assert_true(w[2].kind == JO_WALL_CYLINDER && w[2].caps && w[2].axis[1] == 1.0 &&
                w[2].radius == 2.0);
    const jo_motion *m = &w[2].motion;
    assert_true(fabs(m->spin[1] - pi) < 1e-12 && m->velocity[0] == 1.0 && m->amplitude[2] == 0.001);
    assert_true(m->frequency == 20.0 && fabs(m->phase - 0.5 * pi) < 1e-12 && m->start == 1.0 &&
                m->stop == 4.0);
    assert_true(m->pivot[0] == 1.0);
    assert_true(w[3].kind == JO_WALL_CONE && w[3].radius_end == 1.0 && w[3].length == 3.0);
    const jo_servo *v = &w[4].servo;
    assert_true(v->on && v->stress == 2000.0 && v->area == 8.0 && isnan(v->force) &&
                v->gain == 2.0);
    assert_true(v->direction[2] == -1.0 && v->speed_max == 0.001 && !w[3].servo.on);
    assert_true(w[5].kind == JO_WALL_MESH && w[5].triangle_count == 1);
    assert_true(w[5].triangles[3] == 2.0 && w[5].triangles[2] == 1.0 &&
                w[5].motion.pivot[2] == 1.0);
}

static void every_key(void **state)
{
    (void)state;
    if (!have_yaml()) skip();
    jo_scene s = parse_good(everything);
    assert_string_equal(s.title, "all of it");
    assert_true(s.has_box && s.domain.lo[2] == -0.03 && s.domain.periodic[1] &&
                !s.domain.periodic[2]);
    assert_true(s.leaving == JO_LEAVING_REMOVE && s.shear_rate == 2.0 && s.gravity[2] == -9.81);
    assert_true(s.law.normal == JO_NORMAL_HERTZ && s.law.damping == JO_DAMPING_VISCOUS);
    assert_true(s.law.tangential == JO_TANGENTIAL_MINDLIN_FORCE &&
                s.law.rolling == JO_ROLLING_EPSD);
    assert_true(s.law.cohesion == JO_COHESION_JKR && s.law.clip_attraction &&
                !s.law.tangential_damping);
    assert_true(s.material_count == 2 && s.materials[0].density == 2000.0 &&
                s.materials[1].young == 7e6);
    contacts_are_read(&s);
    groups_are_read(&s);
    walls_are_read(&s);
    assert_true(s.gate_count == 1 && strcmp(s.gates[0].name, "out") == 0 &&
                s.gates[0].normal[2] == -1.0);
    assert_true(s.time_step == 1e-6 && s.skin == 0.001 && !s.account_energy &&
                s.overlap_alarm == 0.2);
    assert_string_equal(s.broad, "grid");
    assert_true(s.duration == 3.0 && s.seed == 77 && s.outputs.trajectory == 0.01 &&
                s.outputs.vtp == 0.02);
    assert_true(s.outputs.dump == 0.03 && s.outputs.series == 0.001 && s.outputs.checkpoint == 1.0);
    assert_true(s.outputs.checkpoint_wall == 300.0 && s.outputs.contacts);
    assert_string_equal(s.source, everything);
    jo_error error;
    assert_int_equal(jo_scene_check(&s, &error), JO_OK);
    jo_scene_free(&s);
    assert_null(s.walls);
}

#define REST                                                                                       \
    "materials: {g: {density: 1, young: 1e7, poisson: 0.2, restitution: 0.9}}\n"                   \
    "duration: 1\n"

static void defaults_and_two_dimensions(void **state)
{
    (void)state;
    if (!have_yaml()) skip();
    jo_scene s = parse_good(REST "bodies: [{list: [{position: [0, 0, 0], radius: 1}]}]\n");
    const jo_scene plain = jo_scene_default();
    assert_true(s.dim == 3 && !s.has_box && isnan(s.time_step) && s.seed == plain.seed);
    assert_memory_equal(&s.law, &plain.law, sizeof s.law);
    assert_true(s.contacts[0].friction == 0.0 && s.wall_count == 0 && isnan(s.outputs.trajectory));
    jo_scene_free(&s);
    s = parse_good("dimension: 2\n" REST "gravity: 9.81\n"
                   "bodies: [{spin: 2, list: [{position: [0, 1], radius: 1}]}]\n"
                   "walls: [{mesh: {path: [[0, 0], [1, 0], [1, 1]], closed: true}, motion: {spin: "
                   "3 rad/s}}]\n");
    assert_true(s.dim == 2 && s.gravity[1] == -9.81 && s.gravity[2] == 0.0);
    assert_true(s.groups[0].listed.w[2] == 2.0 && s.walls[0].motion.spin[2] == 3.0);
    const double segments[12] = {0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0};
    assert_int_equal(s.walls[0].triangle_count, 3);
    assert_memory_equal(s.walls[0].triangles, segments, sizeof segments);
    assert_string_equal(s.walls[0].name, "wall1");
    jo_scene_free(&s);
    s = parse_good(REST "gravity: {magnitude: 2, tilt: 30 deg}\nengine: soft\n"
                        "bodies: [{list: [{position: [0, 0, 0], radius: 1}]}]\n");
    assert_true(fabs(s.gravity[0] - 1.0) < 1e-15 && fabs(s.gravity[2] + sqrt(3.0)) < 1e-15);
    jo_scene_free(&s);
}

/* Names go into files as they lie in memory, all of their bytes. */
static void names_end_in_zeros(void **state)
{
    (void)state;
    jo_scene s = parse_good("materials:\n"
                            "  a_name_that_is_long_enough_to_leave_something_behind: {density: 1, "
                            "young: 1 MPa, poisson: 0, restitution: 1}\n"
                            "  b: {density: 1, young: 1 MPa, poisson: 0, restitution: 1}\n"
                            "bodies: [{material: b, list: [{position: [0, 0, 0], radius: 1}]}]\n"
                            "duration: 1\n");
    for (size_t k = 0; k < s.material_count; k++)
        for (size_t c = strlen(s.materials[k].name); c < sizeof s.materials[k].name; c++)
            assert_int_equal(s.materials[k].name[c], 0);
    jo_scene_free(&s);
}

/* Listed bodies that all say what they are made of need no group that does. */
static void bodies_of_their_own_materials(void **state)
{
    (void)state;
    jo_scene s = parse_good("materials: {wall: {young: 1e7, poisson: 0.2, restitution: 0.9},\n"
                            "  a: {density: 1, young: 1e7, poisson: 0.2, restitution: 0.9},\n"
                            "  b: {density: 2, young: 1e7, poisson: 0.2, restitution: 0.9}}\n"
                            "bodies: [{radius: 1, list: [{position: [0, 0, 0], material: b},\n"
                            "  {position: [0, 0, 3], material: a}]}]\n"
                            "duration: 1\n");
    assert_int_equal(s.groups[0].listed.material[0], 2);
    assert_int_equal(s.groups[0].listed.material[1], 1);
    jo_scene_free(&s);
}

static void aliases_and_merging(void **state)
{
    (void)state;
    if (!have_yaml()) skip();
    jo_scene s = parse_good(REST "bodies:\n"
                                 "  - &g {radius: 1 mm, list: &l [{position: [0, 0, 0]}]}\n"
                                 "  - {<<: *g, radius: 2 mm, velocity: [1, 0, 0]}\n"
                                 "  - {list: *l, radius: 3 mm}\n");
    assert_int_equal(s.group_count, 3);
    assert_true(s.groups[0].listed.r[0] == 0.001 && s.groups[1].listed.r[0] == 0.002);
    assert_true(s.groups[1].listed.v[0] == 1.0 && s.groups[2].listed.r[0] == 0.003);
    jo_scene_free(&s);
    jo_problems problems;
    jo_error error;
    assert_int_equal(parse("&a {bodies: *a, <<: *a}", &s, &problems, &error), JO_ERR_DATA);
    jo_problems_free(&problems);
}

/* All problems come in the order of the file; the error is the first of them. */
static void problems_in_order(void **state)
{
    (void)state;
    if (!have_yaml()) skip();
    jo_scene s = {.dim = 99};
    jo_problems problems;
    jo_error error = {JO_OK, ""};
    const char *text =
        "materials:\n  g: {density: -1, yung: 5}\nbodies: [{radius: 5 s, random: {count: 2}}]\n"
        "duration: x\nbox: {lo: [0, 0, 0], hi: [1, 1, -1]}\n";
    assert_int_equal(parse(text, &s, &problems, &error), JO_ERR_DATA);
    const struct {
        unsigned line, column;
        const char *fragment;
    } expected[] = {{2, 16, "density is '-1'"},
                    {2, 20, "did you mean 'young'"},
                    {3, 19, "radius is '5 s'"},
                    {4, 11, "duration is 'x'"},
                    {5, 6, "lo must be below hi"}};
    assert_int_equal(problems.errors, 5);
    for (size_t k = 0; k < 5; k++)
        if (problems.list[k].line != expected[k].line ||
            problems.list[k].column != expected[k].column ||
            strstr(problems.list[k].text, expected[k].fragment) == NULL)
            fail_msg("problem %zu is %u:%u %s", k, problems.list[k].line, problems.list[k].column,
                     problems.list[k].text);
    assert_non_null(strstr(error.text, "test.yaml:2:16: density"));
    assert_non_null(strstr(error.text, "(and 4 more)"));
    assert_true(s.dim == 0 && s.groups == NULL);
    jo_problems_free(&problems);
    /* Without a place for problems, or an error. */
    assert_int_equal(parse(text, &s, NULL, NULL), JO_ERR_DATA);
    assert_int_equal(jo_scene_read("/nonexistent/scene.yaml", &s, &problems, &error), JO_ERR_IO);
    assert_int_equal(problems.count, 0);
}

static void messages_are_clean(void **state)
{
    (void)state;
    if (!have_yaml()) skip();
    jo_scene s;
    jo_problems problems;
    jo_error error = {JO_OK, ""};
    assert_int_equal(
        parse(REST "\"a\\e[31m\\nb\": 1\ntitle: \"a\\0b\"\nbodies: []\n", &s, &problems, &error),
        JO_ERR_DATA);
    for (size_t k = 0; k < problems.count; k++)
        for (const char *c = problems.list[k].text; *c != '\0'; c++)
            assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
    jo_problems_free(&problems);
}

/* ---- scenes made in C ---- */

static void checks_for_scenes_made_in_c(void **state)
{
    (void)state;
    jo_scene s = jo_scene_default();
    jo_error error = {JO_OK, ""};
    assert_int_equal(jo_scene_check(&s, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "duration"));
    assert_non_null(strstr(error.text, "; there are no materials"));
    assert_non_null(strstr(error.text, "; there are no bodies"));
    s.dim = 4;
    assert_int_equal(jo_scene_check(&s, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "dimension is 4"));
    jo_scene_free(&s);
    jo_scene_free(NULL);
    jo_population_free(NULL);
}

static jo_scene parse_checkpoint(const jo_checkpoint *c)
{
    jo_scene scene;
    jo_error error = {JO_OK, ""};
    if (jo_scene_parse_checkpoint(c, "c.h5", &scene, NULL, &error) != JO_OK)
        fail_msg("refused: %s", error.text);
    return scene;
}

/* The geometry of a checkpoint goes before files; where it lacks one, the file is read. */
static void geometry_of_checkpoints(void **state)
{
    (void)state;
    char folder[] = "/tmp/jostle-test-XXXXXX", name[] = "m.txt", path[64];
    char kept[] = "0 0 3  1 0 3  0 1 3\n", changed[] = "0 0 4  1 0 4  0 1 4\n";
    char text[] = "materials: {g: {density: 1, young: 1e7, poisson: 0.2, restitution: 0.9}}\n"
                  "bodies: [{file: bodies.csv}]\n"
                  "walls: {a: {mesh: {file: m.txt}}, b: {mesh: {file: m.txt, scale: 2}}}\n"
                  "duration: 1\n";
    jo_geometry_file file = {name, kept, strlen(kept)};
    jo_checkpoint c = {.scene_text = text, .scene_folder = folder};
    jo_error error = {JO_OK, ""};
    jo_scene scene;
    if (!have_yaml()) skip();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.txt", folder);

    assert_int_equal(jo_scene_parse_checkpoint(&c, "c.h5", &scene, NULL, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "m.txt: cannot be opened"));

    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(changed, f) >= 0 && fclose(f) == 0);
    scene = parse_checkpoint(&c);
    assert_true(scene.walls[0].triangles[2] == 4.0);
    assert_int_equal(scene.geometry_count, 1);
    assert_string_equal(scene.geometry[0].name, name);
    assert_int_equal(scene.geometry[0].size, strlen(changed));
    assert_memory_equal(scene.geometry[0].bytes, changed, strlen(changed));
    jo_scene_free(&scene);

    c.geometry = &file;
    c.geometry_count = 1;
    for (int there = 1; there >= 0; there--) {
        scene = parse_checkpoint(&c);
        assert_true(scene.walls[0].triangles[2] == 3.0);
        assert_true(scene.walls[1].triangles[2] == 6.0);
        assert_int_equal(scene.geometry_count, 1);
        assert_memory_equal(scene.geometry[0].bytes, kept, strlen(kept));
        jo_scene_free(&scene);
        if (there) assert_int_equal(unlink(path), 0);
    }
    rmdir(folder);
}

static void collect(void *context, const char *text)
{
    *(size_t *)context += strlen(text);
}

static void the_reference_is_printed(void **state)
{
    (void)state;
    for (int style = JO_SCHEMA_TEXT; style <= JO_SCHEMA_JSON; style++) {
        size_t size = 0;
        jo_schema_print((jo_schema_style)style, collect, &size);
        assert_true(size > 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key),
        cmocka_unit_test(defaults_and_two_dimensions),
        cmocka_unit_test(bodies_of_their_own_materials),
        cmocka_unit_test(aliases_and_merging),
        cmocka_unit_test(names_end_in_zeros),
        cmocka_unit_test(problems_in_order),
        cmocka_unit_test(messages_are_clean),
        cmocka_unit_test(checks_for_scenes_made_in_c),
        cmocka_unit_test(geometry_of_checkpoints),
        cmocka_unit_test(the_reference_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
