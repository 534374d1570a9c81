/* test_repose.c — the slope that stays on a ledge (scenes/bulk/repose.yaml) against friction.
 *
 * Spheres that can roll keep slopes of about 20 degrees, more friction adding little beyond 0.5;
 * less friction lowers the slope, and resistance to rolling raises it to that of sand. The bands
 * are the ranges of the literature (see the scene), some three degrees wider: a heap twenty grains
 * wide does not do better. Without any friction a large heap would keep 6 degrees (Peyneau and Roux
 * 2008), one as small as this on a bumpy ledge keeps about 11. The order of the angles is tested as
 * well. */
#include "bulk/bulk.h"

static const double length = 20, width = 4;
enum { ALONG = 20, ACROSS = 4 };

/* Inclination, in degrees, of the line through the top of the heap. */
static double slope(jo_soft *soft)
{
    const jo_frame frame = bulk_frame(soft);
    double top[ALONG][ACROSS] = {0};
    for (size_t i = 0; i < frame.n; i++) {
        const double *x = &frame.x[3 * i];
        if (frame.fixed[i] || x[0] < 0 || x[0] >= length) continue;
        double *t = &top[(int)(x[0] / length * ALONG)][(int)(x[1] / width * ACROSS) % ACROSS];
        *t = fmax(*t, x[2] + frame.r[i]);
    }
    double place[ALONG], height[ALONG];
    size_t count = 0;
    for (int k = 1; k < ALONG - 1; k++) {
        place[count] = (k + 0.5) * length / ALONG;
        height[count] = 0;
        for (int j = 0; j < ACROSS; j++)
            height[count] += top[k][j] / ACROSS;
        count++;
    }
    return -atan(bulk_fit(count, place, height).b) * 180 / bulk_pi;
}

static double heap(double friction, double rolling)
{
    jo_scene scene = bulk_scene("repose");
    bulk_set_friction(&scene, bulk_friction(friction));
    for (size_t k = 0; k < scene.material_count * scene.material_count; k++)
        scene.contacts[k].rolling_friction = rolling;
    jo_soft *soft = bulk_start(&scene, NULL);
    /* Slopes creep for long: until a grain's mean energy is that of a hop of a thousandth of its
     * size. */
    bulk_run(soft, 40);
    for (jo_measures m = bulk_measure(soft); m.energy.kinetic > 1e-3 * m.mass && m.time < 160;
         m = bulk_measure(soft))
        bulk_run(soft, 5);
    const double angle = slope(soft);
    const jo_measures m = bulk_measure(soft);
    print_message("  friction %.1f, rolling friction %.1f: %5.2f degrees, %llu bodies left at "
                  "%.0f, kinetic energy %.2g\n",
                  friction, rolling, angle, (unsigned long long)m.bodies, m.time, m.energy.kinetic);
    bulk_end(soft);
    jo_scene_free(&scene);
    return angle;
}

static void angle_against_friction(void **state)
{
    (void)state;
    const double none = heap(0, 0), low = heap(0.1, 0), middle = heap(0.3, 0), high = heap(0.5, 0),
                 rolling = heap(0.5, 0.2);
    bulk_within("angle of repose, friction 0", none, 0, 14);
    bulk_within("angle of repose, friction 0.1", low, 14, 22);
    bulk_within("angle of repose, friction 0.3", middle, 18, 27);
    bulk_within("angle of repose, friction 0.5", high, 19, 28);
    bulk_within("angle of repose, friction 0.5 and rolling friction 0.2", rolling, 27, 40);
    assert_true(none < low && low < middle && middle < high + 1 && high < rolling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(angle_against_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
