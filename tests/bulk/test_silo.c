/* test_silo.c — a silo with a conical hopper after Dosta et al. (2024, Comput. Phys. Commun. 296).
 *
 * The small sister of it (scenes/bulk/silo.yaml) always runs, with a large and a small outlet. With
 * their published walls, in the folder that JOSTLE_BULK_DATA names, their silo of 100,000 grains
 * runs for half a second of flow, softened; without that variable this part is skipped.
 * JOSTLE_BULK_TIME changes the half second.
 *
 * Bands: the rate over that of Beverloo's law for a flat bottom (C 0.58, k 1.4) from 0.9 to 1.6:
 * cones are faster by 1.2 to 1.3, and C itself is known to 15 %. The rates of the two outlets in
 * the proportion of the law, 3.7, within 25 %. */
#include "bulk/bulk.h"

static const double grain = 0.004, g = 9.8;

static double beverloo(double density, double outlet)
{
    return 0.58 * density * sqrt(g) * pow(outlet - 1.4 * grain, 2.5);
}

/* Rate [kg/s] between `from` and `until` seconds. */
static double rate(jo_soft *soft, double from, double until)
{
    bulk_run(soft, from - jo_soft_time(soft));
    const double before = jo_soft_mass_beyond(soft, 0);
    while (jo_soft_time(soft) < until - 0.05) {
        bulk_run(soft, 0.1);
        print_message("  t %.2f s: %.4f kg have left\n", jo_soft_time(soft),
                      jo_soft_mass_beyond(soft, 0));
        fflush(stdout); /* the published one takes minutes */
    }
    return (jo_soft_mass_beyond(soft, 0) - before) / (jo_soft_time(soft) - from);
}

static double small_silo(double outlet)
{
    jo_scene scene = bulk_scene("silo");
    jo_wall *cone = bulk_wall(&scene, "hopper");
    const double end = cone->point[2] + cone->length, radius = outlet / 2;
    cone->radius = radius; /* at 45 degrees: the smaller outlet lies lower */
    cone->length = cone->radius_end - radius;
    cone->point[2] = end - cone->length;
    bulk_wall(&scene, "lid")->point[2] = cone->point[2];
    jo_soft *soft = bulk_start(&scene, NULL);
    const double found = rate(soft, 0.35, 0.65);
    const jo_measures m = bulk_measure(soft);
    print_message("  outlet %.0f mm: %.4f kg/s, mean overlap %.2f %% of the radius\n",
                  1000 * outlet, found, 100 * m.overlap_mean);
    bulk_end(soft);
    jo_scene_free(&scene);
    return found;
}

static void a_small_silo(void **state)
{
    (void)state;
    const double density = 0.59 * 2500, large = small_silo(0.03), small = small_silo(0.02);
    bulk_within("rate over Beverloo's for a flat bottom, 30 mm", large / beverloo(density, 0.03),
                0.9, 1.6);
    bulk_within("rate over Beverloo's for a flat bottom, 20 mm", small / beverloo(density, 0.02),
                0.9, 1.6);
    bulk_within("rate of 30 mm over that of 20 mm, over Beverloo's",
                large / small / (beverloo(density, 0.03) / beverloo(density, 0.02)), 0.75, 1.25);
}

static void the_published_silo(void **state)
{
    (void)state;
    const char *folder = getenv("JOSTLE_BULK_DATA"), *longer = getenv("JOSTLE_BULK_TIME");
    if (folder == NULL || folder[0] == '\0') skip();
    jo_scene scene = bulk_published("dosta-silo", folder);
    const double opened = bulk_wall(&scene, "lid")->until;
    jo_soft *soft = bulk_start(&scene, NULL);
    assert_int_equal(bulk_frame(soft).n, 100000);
    const double found =
        rate(soft, opened + 0.1, opened + (longer != NULL ? strtod(longer, NULL) : 0.5));
    const jo_measures m = bulk_measure(soft);
    const double mass = 2500 * bulk_pi / 6 * pow(grain, 3);
    print_message("  %.0f grains a second, mean overlap %.2f %% of the radius\n", found / mass,
                  100 * m.overlap_mean);
    bulk_within("rate over Beverloo's for a flat bottom", found / beverloo(0.59 * 2500, 0.06), 0.9,
                1.6);
    bulk_end(soft);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_silo),
                                       cmocka_unit_test(the_published_silo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
