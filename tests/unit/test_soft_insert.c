/* test_soft_insert.c — factories: what they insert touches neither bodies nor walls, moving ones
 * included. */
#include "jostle/scenefile.h"
#include "physics/lab.h"

/* A box of 20 mm, full of factory, with a plate (two triangles, turning), a floor that has risen
 * and a pole in it; what is inserted stays where it is. */
static const char text[] =
    "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3, restitution: 0.5}}\n"
    "bodies:\n"
    "  - radius: {uniform: [0.5 mm, 1 mm]}\n"
    "    factory: {rate: 5e4 1/s, count: 250, region: {lo: [0, 0, 0], hi: [20 mm, 20 mm, 20 mm]}}\n"
    "walls:\n"
    "  floor: {plane: {point: [0, 0, -10 mm], normal: +z}, motion: {velocity: [0, 0, 1], stop: 15 "
    "ms}}\n"
    "  pole: {cylinder: {point: [5 mm, 5 mm, 0], axis: +z, length: 20 mm, radius: 2 mm, outside: "
    "true, caps: true}}\n"
    "gravity: 0\n"
    "engine: {time_step: 10 us}\n"
    "duration: 1\n";

static void what_is_inserted_touches_nothing(void **unused)
{
    (void)unused;
    jo_scene scene;
    jo_error error = {0};
    const jo_status status =
        jo_scene_parse(text, strlen(text), "factory.yaml", NULL, &scene, NULL, &error);
    if (status == JO_ERR_UNSUPPORTED) skip();
    if (status != JO_OK) fail_msg("%s", error.text);
    /* A wall made by hand: a plate that stands on its side once the factory starts. */
    jo_wall *walls = realloc(scene.walls, (scene.wall_count + 1) * sizeof *walls);
    jo_wall *plate = &walls[scene.wall_count++];
    scene.walls = walls;
    *plate = jo_wall_default(JO_WALL_MESH);
    strcpy(plate->name, "plate");
    const double corners[18] = {2e-3, 2e-3, 0.01, 18e-3, 2e-3,  0.01, 18e-3, 18e-3, 0.01,
                                2e-3, 2e-3, 0.01, 18e-3, 18e-3, 0.01, 2e-3,  18e-3, 0.01};
    plate->triangles = malloc(sizeof corners);
    memcpy(plate->triangles, corners, sizeof corners);
    plate->triangle_count = 2;
    for (int a = 0; a < 3; a++)
        plate->motion.pivot[a] = 0.01;
    plate->motion.spin[0] = 0.5 * lab_pi / 0.02;
    plate->motion.stop = 0.02;
    scene.groups[0].start = 0.02;
    jo_soft *soft = NULL;
    jo_soft_options options = jo_soft_options_default();
    options.threads = 1;
    if (jo_soft_create(&scene, &options, &soft, &error) != JO_OK ||
        jo_soft_advance(soft, 4000, &error) != JO_OK)
        fail_msg("%s", error.text);
    jo_frame frame;
    jo_measures m;
    assert_int_equal(jo_soft_frame(soft, &frame, &error), JO_OK);
    assert_int_equal(jo_soft_measure(soft, &m, &error), JO_OK);
    assert_int_equal(frame.n, 250);
    assert_int_equal(m.contacts + m.wall_contacts, 0);
    assert_true(m.energy.kinetic == 0);
    size_t near = 0;
    for (size_t i = 0; i < frame.n; i++) {
        const double *x = frame.x + 3 * i, r = frame.r[i] * (1 - 1e-5);
        const double plate_d = hypot(hypot(fmax(fmax(2e-3 - x[0], x[0] - 18e-3), 0), x[1] - 0.01),
                                     fmax(fmax(2e-3 - x[2], x[2] - 18e-3), 0));
        const double pole_d = hypot(x[0] - 5e-3, x[1] - 5e-3) - 2e-3;
        assert_true(plate_d >= r && pole_d >= r && x[2] - 5e-3 >= r);
        near += plate_d < 2 * r || pole_d < 2 * r;
    }
    assert_true(near > 10);
    jo_soft_destroy(soft);
    jo_scene_free(&scene);
}

/* A factory at one side of a periodic box, balls that do not move at the other: they reach
 * across. */
static void touches_no_images(const char *box, const char *region, int across)
{
    char scene_text[8192], *at = scene_text;
    jo_scene scene;
    jo_error error = {0};
    at += sprintf(at,
                  "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3, restitution: 0.5}}\n"
                  "box: {lo: [0, 0, 0], hi: [20 mm, 20 mm, 20 mm], %s}\n"
                  "engine: {time_step: 10 us}\n"
                  "duration: 1\n"
                  "bodies:\n"
                  "  - {radius: 0.5 mm, factory: {rate: 1e7 1/s, count: 150, region: {%s}}}\n"
                  "  - {radius: 1 mm, fixed: true, list: [",
                  box, region);
    for (int k = 0; k < 25; k++) {
        const double one = 1 + 4 * (k % 5), other = 2 + 4 * (k / 5);
        at += across == 0 ? sprintf(at, "{position: [0.05 mm, %g mm, %g mm]}, ", one, other)
                          : sprintf(at, "{position: [%g mm, 0.05 mm, %g mm]}, ", one, other);
    }
    sprintf(at - 2, "]}\n");
    const jo_status status =
        jo_scene_parse(scene_text, strlen(scene_text), "factory.yaml", NULL, &scene, NULL, &error);
    if (status == JO_ERR_UNSUPPORTED) skip();
    if (status != JO_OK) fail_msg("%s", error.text);
    jo_soft *soft = NULL;
    jo_soft_options options = jo_soft_options_default();
    options.threads = 1;
    jo_measures m;
    if (jo_soft_create(&scene, &options, &soft, &error) != JO_OK ||
        jo_soft_advance(soft, 50, &error) != JO_OK || jo_soft_measure(soft, &m, &error) != JO_OK)
        fail_msg("%s", error.text);
    assert_int_equal(m.bodies, 175);
    assert_int_equal(m.contacts, 0);
    jo_soft_destroy(soft);
    jo_scene_free(&scene);
}

static void what_is_inserted_touches_no_images(void **unused)
{
    (void)unused;
    touches_no_images("periodic: [x]", "lo: [17 mm, 0, 0], hi: [20 mm, 20 mm, 20 mm]", 0);
    /* Sheared: by then images are 2 mm further, where gaps were. */
    touches_no_images("periodic: [x, y], shear_rate: 200 1/s",
                      "lo: [0, 17 mm, 0], hi: [20 mm, 20 mm, 20 mm]", 1);
    touches_no_images("periodic: [x, y], shear_rate: 200 1/s",
                      "lo: [0, 0, 0], hi: [20 mm, 20 mm, 20 mm]", 1);
}

/* A factory that is asked for more than has room tells so, even where some bodies find a place. */
static void too_much_is_told(void **unused)
{
    (void)unused;
    static const char full[] =
        "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3, restitution: 0.5}}\n"
        "bodies: [{radius: 1 mm, factory: {rate: %s 1/s, region: {lo: [0, 0, 0], hi: [8 mm, 8 mm, "
        "8 mm]}}}]\n"
        "gravity: 0\n"
        "engine: {time_step: 10 us}\n"
        "duration: 1\n";
    static const char *const rates[] = {"1e30", "1e5", "100"};
    for (int k = 0; k < 3; k++) {
        char scene_text[sizeof full + 16];
        jo_scene scene;
        jo_error error = {0};
        jo_soft *soft = NULL;
        snprintf(scene_text, sizeof scene_text, full, rates[k]);
        const jo_status status =
            jo_scene_parse(scene_text, strlen(scene_text), "full.yaml", NULL, &scene, NULL, &error);
        if (status == JO_ERR_UNSUPPORTED) skip();
        assert_int_equal(status, JO_OK);
        assert_int_equal(jo_soft_create(&scene, NULL, &soft, &error), JO_OK);
        assert_int_equal(jo_soft_advance(soft, 1000, &error), JO_OK);
        size_t count;
        const jo_alarm *alarms = jo_soft_alarms(soft, &count);
        assert_int_equal(count, k < 2);
        if (count > 0) {
            assert_int_equal(alarms[0].kind, JO_ALARM_INSERT);
            assert_true(alarms[0].count == 1 && strstr(alarms[0].text, "finds no room") != NULL);
        }
        jo_soft_destroy(soft);
        jo_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_inserted_touches_nothing),
                                       cmocka_unit_test(what_is_inserted_touches_no_images),
                                       cmocka_unit_test(too_much_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
