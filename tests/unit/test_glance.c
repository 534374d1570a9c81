/* test_glance.c — a glance shows what a frame does: places in the order of ids, while bodies are
 * moved about in memory, come and go. */
#include "jostle/scenefile.h"
#include "physics/lab.h"

/* Balls fall through a floor that is not there and leave the box; a factory brings others. */
static const char text[] =
    "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3, restitution: 0.5, friction: 0.4}}\n"
    "box: {lo: [0, 0, 0], hi: [20 mm, 20 mm, 20 mm], leaving: remove}\n"
    "bodies:\n"
    "  - radius: {uniform: [0.5 mm, 1 mm]}\n"
    "    random: {count: 300, region: {lo: [1 mm, 1 mm, 1 mm], hi: [19 mm, 19 mm, 14 mm]}}\n"
    "  - radius: 0.5 mm\n"
    "    factory: {rate: 1e4 1/s, count: 100, region: {lo: [1 mm, 1 mm, 16 mm], hi: [19 mm, 19 mm, "
    "19 mm]}}\n"
    "gravity: 9.81\n"
    "engine: {time_step: 10 us}\n"
    "duration: 1\n";

enum { ROOM = 1000 };

static void compare(jo_soft *soft, size_t *bodies, uint64_t *changes)
{
    static float x[3 * ROOM], speed[ROOM], spin[ROOM], force[ROOM];
    jo_error error = {0};
    jo_frame f;
    jo_glance g = {.origin = {1e-3, 2e-3, -3e-3},
                   .room = ROOM,
                   .x = x,
                   .speed = speed,
                   .force = force,
                   .spin = spin};
    assert_int_equal(jo_soft_glance(soft, &g, &error), JO_OK);
    assert_int_equal(jo_soft_frame(soft, &f, &error), JO_OK);
    assert_int_equal(g.n, f.n);
    assert_int_equal(g.step, f.step);
    assert_true(g.time == f.time);
    for (size_t i = 0; i < f.n; i++) {
        for (int a = 0; a < 3; a++)
            assert_true(x[3 * i + a] == (float)(f.x[3 * i + a] - g.origin[a]));
        const double *F = f.force + 3 * i, *v = f.v + 3 * i, *w = f.w + 3 * i;
        const double pull = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
        /* Velocities are those of half a step before: as far off as half a step of force brings. */
        const double off = 0.5 * 10e-6 * (pull / f.mass[i] + 9.81) + 1e-6;
        assert_true(fabs(force[i] - pull) <= 1e-6 * pull);
        assert_true(fabs(speed[i] - sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) <= off);
        assert_true(isfinite(spin[i]) &&
                    fabs(spin[i] - sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])) <=
                        2.5 * off / f.r[i] + 1e-6);
    }
    *bodies = f.n;
    *changes = g.changes;
}

static void a_glance_is_a_frame(void **unused)
{
    (void)unused;
    jo_scene scene;
    jo_error error = {0};
    const jo_status status =
        jo_scene_parse(text, strlen(text), "glance.yaml", NULL, &scene, NULL, &error);
    if (status == JO_ERR_UNSUPPORTED) skip();
    if (status != JO_OK) fail_msg("%s", error.text);
    jo_soft *soft = NULL;
    if (jo_soft_create(&scene, NULL, &soft, &error) != JO_OK) fail_msg("%s", error.text);
    size_t first, n = 0;
    uint64_t before, changes = 0;
    compare(soft, &first, &before);
    const uint64_t hash = jo_soft_hash(soft);
    compare(soft, &first, &before);
    assert_true(hash == jo_soft_hash(soft)); /* looking changes nothing */
    for (int k = 0; k < 40; k++) {
        if (jo_soft_advance(soft, 123, &error) != JO_OK) fail_msg("%s", error.text);
        compare(soft, &n, &changes);
    }
    assert_true(n != first && changes > before); /* bodies came and went */
    jo_glance small = {.room = n - 1};
    assert_int_equal(jo_soft_glance(soft, &small, &error), JO_ERR_LIMIT);
    assert_int_equal(small.n, n);
    jo_soft_destroy(soft);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_glance_is_a_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
