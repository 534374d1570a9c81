/* test_drum.c — a drum with grains of two sizes after Dosta et al. (2024, Comput. Phys. Commun.
 * 296).
 *
 * The small sister of it (scenes/bulk/drum.yaml) always runs, for most of the turns that theirs
 * makes. With their published start and walls, in the folder that JOSTLE_BULK_DATA names, their
 * drum runs for its first second, softened; without that variable this part is skipped.
 * JOSTLE_BULK_TIME changes that second. drum_yade.py and drum.lmp run the same in YADE and LAMMPS.
 *
 * Measured: the slope of the bed, which is the angle of the line through its centre of mass and the
 * axis; the number of grains of each kind in the quadrants (x > 0, z > 0) and (x < 0, z < 0) of the
 * plane of rotation, as they do; and how far from the bed's centre of mass each kind lies: the
 * small and dense M1 form the core. */
#include "bulk/bulk.h"

static const double small_radius = 0.001;

typedef struct look {
    double angle;      /* of the bed's centre of mass about the axis, from straight down, degrees */
    double zone[2][2]; /* share of the kind (0: M1, small) in the quadrant (0: x, z > 0; 1: x, z <
                          0) */
    double centre[2][2]; /* of the kind, x and z */
    /* Root mean square distance from the bed's centre, in the plane of rotation. */
    double spread[2];
    double lost; /* share of grains outside the drum */
} look;

static look at(jo_soft *soft, double drum_radius)
{
    const jo_frame frame = bulk_frame(soft);
    look l = {0};
    double count[2] = {0}, mass = 0, centre[2] = {0};
    for (size_t i = 0; i < frame.n; i++) {
        const double x = frame.x[3 * i], z = frame.x[3 * i + 2];
        mass += frame.mass[i];
        centre[0] += frame.mass[i] * x;
        centre[1] += frame.mass[i] * z;
        l.lost += hypot(x, z) > drum_radius;
    }
    centre[0] /= mass;
    centre[1] /= mass;
    l.angle = atan2(-centre[0], -centre[1]) * 180 / bulk_pi;
    l.lost /= (double)frame.n;
    for (size_t i = 0; i < frame.n; i++) {
        const double x = frame.x[3 * i], z = frame.x[3 * i + 2];
        const int kind = frame.r[i] > 1.5 * small_radius;
        count[kind]++;
        l.centre[kind][0] += x;
        l.centre[kind][1] += z;
        l.zone[kind][0] += x > 0 && z > 0;
        l.zone[kind][1] += x < 0 && z < 0;
        l.spread[kind] += pow(x - centre[0], 2) + pow(z - centre[1], 2);
    }
    for (int k = 0; k < 2; k++) {
        l.zone[k][0] /= count[k];
        l.zone[k][1] /= count[k];
        l.centre[k][0] /= count[k];
        l.centre[k][1] /= count[k];
        l.spread[k] = sqrt(l.spread[k] / count[k]);
    }
    return l;
}

static void tell(double time, look l)
{
    print_message("  t %.2f s: bed at %5.1f degrees; in x,z > 0: %4.1f %% of M1, %4.1f %% of M2; "
                  "in x,z < 0: %4.1f %%, %4.1f %%; centres (%.2f, %.2f) and (%.2f, %.2f) mm; "
                  "spread %.2f and %.2f mm\n",
                  time, l.angle, 100 * l.zone[0][0], 100 * l.zone[1][0], 100 * l.zone[0][1],
                  100 * l.zone[1][1], 1000 * l.centre[0][0], 1000 * l.centre[0][1],
                  1000 * l.centre[1][0], 1000 * l.centre[1][1], 1000 * l.spread[0],
                  1000 * l.spread[1]);
}

static void a_small_drum(void **state)
{
    (void)state;
    jo_scene scene = bulk_scene("drum");
    const double radius = scene.walls[0].radius;
    jo_soft *soft = bulk_start(&scene, NULL);
    bulk_run(soft, 0.1);
    const look first = at(soft, radius);
    tell(0.1, first);
    double angle = 0, ratio = 0;
    enum { LOOKS = 20 };
    for (int k = 1; k <= LOOKS; k++) {
        bulk_run(soft, 0.1);
        const look now = at(soft, radius);
        if (k % 5 == 0) tell(0.1 + 0.1 * k, now);
        if (k > 10) angle += now.angle / (LOOKS - 10);
        if (k > 15) ratio += now.spread[0] / now.spread[1] / (LOOKS - 15);
    }
    bulk_within("angle at the start", first.angle, -3, 3);
    bulk_within("dynamic angle of the bed, degrees", angle, 20, 40);
    bulk_within("spread of M1 over that of M2, at the end", ratio, 0.5, 0.95);
    bulk_within("share lost", at(soft, radius).lost, 0, 0);
    bulk_end(soft);
    jo_scene_free(&scene);
}

static void the_published_drum(void **state)
{
    (void)state;
    const char *folder = getenv("JOSTLE_BULK_DATA"), *longer = getenv("JOSTLE_BULK_TIME");
    if (folder == NULL || folder[0] == '\0') skip();
    jo_scene scene = bulk_published("dosta-drum", folder);
    jo_population bodies;
    jo_error error = {0};
    if (jo_scene_populate(&scene, &bodies, NULL, NULL, &error) != JO_OK) fail_msg("%s", error.text);
    for (size_t i = 0; i < bodies.n; i++)
        bodies.material[i] = bodies.r[i] > 1.5 * small_radius; /* M1 is material 0, M2 material 1 */
    assert_int_equal(bodies.n, 38000);
    jo_soft *soft = bulk_start(&scene, &bodies);
    jo_population_free(&bodies);
    const double end = longer != NULL ? strtod(longer, NULL) : scene.duration, radius = 0.1;
    tell(0, at(soft, radius));
    for (double time = 0; time < end - 0.01; time += 0.1) {
        bulk_run(soft, 0.1);
        tell(time + 0.1, at(soft, radius));
        fflush(stdout);
    }
    const look last = at(soft, radius);
    bulk_within("angle of the bed, degrees", last.angle, 20, 40);
    bulk_within("share lost", last.lost, 0, 1e-4);
    bulk_end(soft);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_drum),
                                       cmocka_unit_test(the_published_drum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
