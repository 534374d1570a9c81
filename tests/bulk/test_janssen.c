/* test_janssen.c — the force on the bottom of a cylinder against the mass that was filled in.
 *
 * Janssen (1895): with M_s = rho_b A lambda and lambda = D / (4 mu_w K), the bottom carries
 *
 *     M_s (1 - exp(-M / M_s)) g
 *
 * of a filling of mass M. One parameter, M_s, is fitted to six fillings up to six diameters high,
 * and K comes from it. Bands: K between 0.35, the active state for an angle of internal friction of
 * 28 degrees, and 1.2, above isotropic stress; the law itself within 12 % of the saturated force,
 * which is what packings this narrow scatter by. Without friction at the wall the bottom carries
 * everything: also tested.
 */
#include "bulk/bulk.h"

static const double sinks_at = 15, radius = 4;

typedef struct column {
    double mass, height, force; /* force: on the bottom, mean over the end of the run */
} column;

static column fill(jo_scene *scene, double length, double wall_friction)
{
    scene->groups[0].region.length = length;
    for (size_t k = 0; k < scene->material_count * scene->material_count; k++)
        if (k % (scene->material_count + 1) != 0) scene->contacts[k].friction = wall_friction;
    jo_soft *soft = bulk_start(scene, NULL);
    const size_t bottom = (size_t)(bulk_wall(scene, "bottom") - scene->walls);
    bulk_run(soft, sinks_at + 8);
    column c = {0};
    enum { LOOKS = 120 };
    for (int k = 0; k < LOOKS; k++) {
        bulk_run(soft, 0.09);
        c.force -= jo_soft_wall(soft, bottom).force[2] / LOOKS;
    }
    c.mass = bulk_measure(soft).mass;
    c.height = 2 * (bulk_measure(soft).centre[2] - jo_soft_wall(soft, bottom).displacement[2]);
    print_message("  %4.1f d high: %6.1f of %6.1f m g on the bottom\n", c.height, c.force, c.mass);
    bulk_end(soft);
    return c;
}

static double misfit(size_t n, const column *c, double saturated)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += pow(c[k].force - saturated * (1 - exp(-c[k].mass / saturated)), 2) / (double)n;
    return sqrt(sum);
}

static void six_fillings(void **state)
{
    (void)state;
    static const double length[] = {5, 10, 16, 24, 36, 48};
    enum { COUNT = sizeof length / sizeof *length };
    column c[COUNT];
    jo_scene scene = bulk_scene("janssen");
    const double friction = bulk_friction(0.5);
    for (size_t k = 0; k < COUNT; k++)
        c[k] = fill(&scene, length[k], friction);
    double best = 1;
    for (double s = 1; s < 20 * c[COUNT - 1].mass; s *= 1.001)
        if (misfit(COUNT, c, s) < misfit(COUNT, c, best)) best = s;
    /* rho_b A is mass over height of the tallest. */
    const double lambda = best / (c[COUNT - 1].mass / c[COUNT - 1].height);
    bulk_within("share of the weight on the bottom, tallest",
                c[COUNT - 1].force / c[COUNT - 1].mass, 0.05, 0.5);
    bulk_within("Janssen's K", 2 * radius / (4 * 0.5 * lambda), 0.35, 1.2);
    bulk_within("misfit over the saturated force", misfit(COUNT, c, best) / best, 0, 0.12);
    jo_scene_free(&scene);
}

static void a_smooth_wall_carries_nothing(void **state)
{
    (void)state;
    jo_scene scene = bulk_scene("janssen");
    const column c = fill(&scene, 24, 0);
    bulk_within("share of the weight on the bottom, smooth wall", c.force / c.mass, 0.98, 1.02);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(six_fillings),
                                       cmocka_unit_test(a_smooth_wall_carries_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
