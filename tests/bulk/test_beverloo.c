/* test_beverloo.c — how fast a flat-bottomed silo empties, over five outlets, against Beverloo's
 * law
 *
 *     W = C rho_b sqrt(g) (D - k d)^(5/2)
 *
 * (Beverloo et al. 1961). W^(2/5) is a straight line in D; its slope gives C, its zero k. All
 * outlets are opened under the same settled filling. The flow is measured between the time at which
 * it has spread through the silo and that at which 1,200 grains, or as many as the time allows,
 * have left: most of the filling is then still there, and the rate does not depend on it.
 *
 * Bands: C 0.55 to 0.65 and k 1.2 to 1.6 are the accepted ones (Nedderman 1992), for outlets of
 * many grains; below some ten diameters flows fall short of the law (Mankoc et al. 2007). Five
 * fillings from other seeds gave, with these outlets, C 0.550 to 0.586 and k 1.38 to 1.57: all
 * within. The test's bands are wider by that scatter, 0.02 and 0.05, where results came near them.
 * With k at the middle of its band single outlets gave 0.53 to 0.565 (from 0.50 here), their mean
 * 0.550 to 0.555. rho_b is that of the filling at rest. */
#include "bulk/bulk.h"

static const double settling = 12, diameter = 1, silo_radius = 11;

/* Mass per volume between two heights of the filling at rest. */
static double bulk_density(jo_soft *soft, double low, double high)
{
    const jo_frame frame = bulk_frame(soft);
    double mass = 0;
    for (size_t i = 0; i < frame.n; i++)
        if (frame.x[3 * i + 2] > low && frame.x[3 * i + 2] < high) mass += frame.mass[i];
    return mass / (bulk_pi * silo_radius * silo_radius * (high - low));
}

/* Mass per time through an outlet. */
static double discharge(jo_scene *scene, const jo_population *filling, double outlet)
{
    bulk_wall(scene, "bottom")->radius = outlet / 2;
    bulk_wall(scene, "lid")->until = 0;
    jo_soft *soft = bulk_start(scene, filling);
    const double from = 4, longest = 26, most = 1200;
    bulk_run(soft, from);
    const double before = jo_soft_mass_beyond(soft, 0);
    double out = before;
    while (jo_soft_time(soft) < longest && out - before < most) {
        bulk_run(soft, 0.3);
        out = jo_soft_mass_beyond(soft, 0);
    }
    const double rate = (out - before) / (jo_soft_time(soft) - from);
    print_message("  outlet %.2f d: %.2f grains per sqrt(d/g), over %.1f sqrt(d/g), %.0f grains\n",
                  outlet, rate, jo_soft_time(soft) - from, out - before);
    bulk_end(soft);
    return rate;
}

static void five_outlets(void **state)
{
    (void)state;
    static const double outlet[] = {6.5, 7.5, 8.5, 9.5, 11};
    enum { COUNT = sizeof outlet / sizeof *outlet };
    jo_scene scene = bulk_scene("beverloo");
    jo_soft *soft = bulk_start(&scene, NULL);
    bulk_run(soft, settling);
    const double density = bulk_density(soft, 2, 10);
    const jo_measures rest = bulk_measure(soft);
    jo_population filling = bulk_bodies(soft);
    print_message("  %zu grains, solid fraction %.3f, mean overlap %.2f %% of the radius\n",
                  filling.n, density * bulk_pi / 6, 100 * rest.overlap_mean);
    bulk_end(soft);

    double root[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        root[k] = pow(discharge(&scene, &filling, outlet[k]), 0.4);
    const bulk_line line = bulk_fit(COUNT, outlet, root);
    bulk_within("bulk solid fraction at rest", density * bulk_pi / 6, 0.52, 0.62);
    for (size_t k = 0; k < COUNT; k++)
        bulk_within("Beverloo's C of an outlet, k = 1.4",
                    pow(root[k], 2.5) / (density * pow(outlet[k] - 1.4 * diameter, 2.5)), 0.50,
                    0.65);
    bulk_within("Beverloo's C, fitted", pow(line.b, 2.5) / density, 0.53, 0.65);
    bulk_within("Beverloo's k, fitted", -line.a / line.b / diameter, 1.2, 1.65);
    bulk_within("scatter about the law, of W^(2/5)", line.residual / root[COUNT / 2], 0, 0.03);
    jo_population_free(&filling);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(five_outlets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
