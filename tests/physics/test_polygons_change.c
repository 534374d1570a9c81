/* test_polygons_change.c — scenes of hard polygons changed while they run: what is changed is felt,
 * energies add up, what cannot be is refused, and a run with the same changes at the same times
 * ends with the same bits, cut into other pieces, saved and restored. */
#include "jostle/polygons.h"
#include "jostle/scenefile.h"
#include "physics/lab.h"

static const char text[] =
    "dimension: 2\n"
    "engine: {type: kinetic, least_speed: 5 cm/s}\n"
    "gravity: 9.81 m/s^2\n"
    "materials: {grain: {density: 10, restitution: 0.5, friction: 0.2}}\n"
    "bodies: [{radius: 2 cm, shape: {solid: grain, corners: [5, 8]}, "
    "random: {count: 20, region: {lo: [-15 cm, 0], hi: [15 cm, 20 cm]}}}]\n"
    "walls:\n"
    "  frame: {box: {lo: [-16 cm, -20 cm], hi: [16 cm, 30 cm]}}\n"
    "  shelf: {bar: {path: [[-15.5 cm, -2 cm], [15.5 cm, -2 cm]], thickness: 1 cm}}\n"
    "duration: 1\n";

static jo_scene scene(void)
{
    jo_scene made;
    jo_error error = {0};
    const jo_status status =
        jo_scene_parse(text, strlen(text), "change.yaml", NULL, &made, NULL, &error);
    if (status == JO_ERR_UNSUPPORTED) skip();
    if (status != JO_OK) fail_msg("%s", error.text);
    return made;
}

static void must(jo_status status, const jo_error *error)
{
    if (status != JO_OK) fail_msg("%s", error->text);
}

static size_t below_shelf(jo_polygons *p)
{
    jo_frame f;
    jo_error error = {0};
    size_t below = 0;
    must(jo_polygons_frame(p, &f, &error), &error);
    for (size_t i = 0; i < f.n; i++)
        below += f.x[3 * i + 1] < -0.03;
    return below;
}

enum { CHANGES = 6 };

static void change(jo_polygons *p, int which)
{
    static const double up[3] = {0.5, 3.0, 0.0}, down[3] = {0.0, -9.81, 0.0};
    jo_error error = {0};
    jo_body_def body = jo_body_def_default();
    jo_status status = JO_OK;
    body.r = 0.01;
    body.x[1] = -0.1;
    body.v[0] = 0.2;
    switch (which) {
    case 0:
        status = jo_polygons_set_friction(p, 0, 0, 0.6, &error);
        break;
    case 1:
        status = jo_polygons_set_gravity(p, up, &error);
        break;
    case 2:
        status = jo_polygons_add(p, &body, NULL, &error);
        break;
    case 3:
        status = jo_polygons_set_gravity(p, down, &error);
        break;
    case 4:
        status = jo_polygons_set_restitution(p, 0, 0, 0.8, &error);
        break;
    default:
        status = jo_polygons_set_wall(p, 1, false, &error);
    }
    must(status, &error);
}

/* A number of events between changes: these then come right after an event. */
static uint64_t with_events(const jo_scene *s, double times[CHANGES])
{
    jo_polygons *p = NULL;
    jo_error error = {0};
    jo_measures before, m;
    must(jo_polygons_create(s, NULL, &p, &error), &error);
    must(jo_polygons_measure(p, &before, &error), &error);
    for (int k = 0; k < CHANGES; k++) {
        must(jo_polygons_advance(p, 0.1 * (k + 1), 400, &error), &error);
        change(p, k);
        times[k] = jo_polygons_time(p);
        must(jo_polygons_check(p, &error), &error);
    }
    assert_int_equal(below_shelf(p), 1); /* the one that was added: the shelf carries the rest */
    must(jo_polygons_advance(p, 0.9, 0, &error), &error);
    assert_true(below_shelf(p) > 10); /* and was taken away */
    must(jo_polygons_check(p, &error), &error);
    must(jo_polygons_measure(p, &m, &error), &error);
    assert_int_equal(m.bodies, before.bodies + 1);
    if (!(fabs(m.energy.balance) < 1e-9 * (m.energy.dissipated + fabs(m.energy.potential))))
        fail_msg("the energies are off by %g of %g", m.energy.balance, m.energy.dissipated);
    const uint64_t hash = jo_polygons_hash(p);
    jo_polygons_destroy(p);
    return hash;
}

/* The same changes at these times, cut otherwise, and saved before each if asked for. */
static uint64_t with_times(const jo_scene *s, const double times[CHANGES], bool saved)
{
    jo_polygons *p = NULL, *again = NULL;
    jo_error error = {0};
    must(jo_polygons_create(s, NULL, &p, &error), &error);
    for (int k = 0; k < CHANGES; k++) {
        must(jo_polygons_advance(p, 0.5 * (jo_polygons_time(p) + times[k]), 0, &error), &error);
        must(jo_polygons_advance(p, times[k], 0, &error), &error);
        change(p, k);
        assert_true(jo_polygons_time(p) == times[k]);
        if (!saved) continue;
        jo_chunk chunks[JO_CHUNKS_MAX];
        size_t count = 0;
        must(jo_polygons_save(p, chunks, &count, &error), &error);
        must(jo_polygons_restore(s, chunks, count, &again, &error), &error);
        jo_polygons_destroy(p);
        p = again;
    }
    must(jo_polygons_advance(p, 0.9, 0, &error), &error);
    const uint64_t hash = jo_polygons_hash(p);
    jo_polygons_destroy(p);
    return hash;
}

static void changes_are_repeated(void **unused)
{
    (void)unused;
    jo_scene s = scene();
    double times[CHANGES];
    const uint64_t hash = with_events(&s, times);
    assert_true(with_times(&s, times, false) == hash);
    assert_true(with_times(&s, times, true) == hash);
    jo_scene_free(&s);
}

/* Without gravity nothing falls; with it bodies lie still in the end, and rise when it is turned
 * round. */
static void gravity_is_felt(void **unused)
{
    (void)unused;
    jo_scene s = scene();
    jo_polygons *p = NULL;
    jo_error error = {0};
    jo_measures m, later;
    const double none[3] = {0}, down[3] = {0, -9.81, 0}, up[3] = {0, 9.81, 0};
    must(jo_polygons_create(&s, NULL, &p, &error), &error);
    must(jo_polygons_set_gravity(p, none, &error), &error);
    must(jo_polygons_measure(p, &m, &error), &error);
    must(jo_polygons_advance(p, 0.2, 0, &error), &error);
    must(jo_polygons_measure(p, &later, &error), &error);
    assert_true(later.centre[1] == m.centre[1]);
    must(jo_polygons_set_gravity(p, down, &error), &error);
    must(jo_polygons_advance(p, 1.5, 0, &error), &error);
    must(jo_polygons_measure(p, &m, &error), &error);
    assert_true(m.centre[1] < later.centre[1] - 0.02);
    must(jo_polygons_set_gravity(p, up, &error), &error);
    const double time = jo_polygons_time(p);
    must(jo_polygons_advance(p, time + 0.05, 0, &error), &error);
    must(jo_polygons_measure(p, &later, &error), &error);
    assert_true(later.centre[1] > m.centre[1] + 0.4 * 9.81 * 0.05 * 0.05);
    jo_polygons_destroy(p);
    jo_scene_free(&s);
}

static void what_cannot_be_is_refused(void **unused)
{
    (void)unused;
    jo_scene s = scene();
    jo_polygons *p = NULL;
    jo_error error = {0};
    const double deep[3] = {0, 0, 1};
    jo_body_def body = jo_body_def_default();
    must(jo_polygons_create(&s, NULL, &p, &error), &error);
    must(jo_polygons_advance(p, 0.3, 0, &error), &error);
    const uint64_t hash = jo_polygons_hash(p);
    assert_int_equal(jo_polygons_set_gravity(p, deep, &error), JO_ERR_DATA);
    assert_int_equal(jo_polygons_set_friction(p, 0, 0, -1.0, &error), JO_ERR_DATA);
    assert_int_equal(jo_polygons_set_restitution(p, 0, 0, 1.5, &error), JO_ERR_DATA);
    assert_int_equal(jo_polygons_set_restitution(p, 0, 7, 0.5, &error), JO_ERR_DATA);
    assert_int_equal(jo_polygons_set_wall(p, 0, false, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "'frame' is around everything"));
    body.r = 0.05;
    body.x[1] = -0.02;
    assert_int_equal(jo_polygons_add(p, &body, NULL, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "cannot be added"));
    assert_true(jo_polygons_hash(p) == hash);
    /* Shut onto what has fallen: refused; opened and shut where nothing is in the way: as
     * before. */
    must(jo_polygons_set_wall(p, 1, false, &error), &error);
    must(jo_polygons_set_wall(p, 1, true, &error), &error);
    must(jo_polygons_check(p, &error), &error);
    assert_true(jo_polygons_wall(p, 1).present);
    must(jo_polygons_set_wall(p, 1, false, &error), &error);
    must(jo_polygons_advance(p, 0.36, 0, &error), &error);
    assert_int_equal(jo_polygons_set_wall(p, 1, true, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "wall 'shelf' cannot be shut"));
    assert_false(jo_polygons_wall(p, 1).present);
    jo_polygons_destroy(p);
    jo_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_are_repeated),
                                       cmocka_unit_test(gravity_is_felt),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
