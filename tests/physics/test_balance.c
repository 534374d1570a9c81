/* test_balance.c — kinetic, potential, elastic and dissipated energy together are constant, to a
 * millionth at the step recommended, whatever the law; and what is left vanishes with the square of
 * the step at least. The scene: bodies fall into a box and come to rest there. Single impacts:
 * test_impact_balance.c. */
#include "physics/lab_grains.h"

/* How far the balance is off at the worst of some moments, of what energy there was. `share`: of
 * the step recommended. */
static double collapse(int dim, const jo_law *law, double restitution, int layers, double share,
                       uint64_t from, double *settled)
{
    lab *l = lab_new(dim, law);
    materials_for_law(l);
    lab_contact(l, 0, 0)->restitution = restitution;
    const double r = 1e-3, width = 8e-3;
    seed = from;
    const int up = dim == 2 ? 1 : 2;
    l->scene.gravity[up] = -9.81;
    for (int k = 0; k < layers; k++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < (dim == 2 ? 1 : 5); j++) {
                const double x = (i - 2) * 2.6 * r + draw(-0.1, 0.1) * r, z = 1.5 * r + k * 2.5 * r;
                const double y = (j - 2) * 2.6 * r + draw(-0.1, 0.1) * r;
                const size_t b =
                    lab_body(l, x, dim == 2 ? z : y, dim == 2 ? 0 : z, r * draw(0.9, 1.1), 0);
                lab_velocity(l, b, draw(-0.15, 0.15), dim == 2 ? 0 : draw(-0.15, 0.15), 0);
            }
    lab_plane(l, 0, 0, 0, 0, dim == 2, dim == 3, 0);
    lab_plane(l, -width, 0, 0, 1, 0, 0, 0);
    lab_plane(l, width, 0, 0, -1, 0, 0, 0);
    if (dim == 3) {
        lab_plane(l, 0, -width, 0, 0, 1, 0, 0);
        lab_plane(l, 0, width, 0, 0, -1, 0, 0);
    }
    lab_start(l, NAN);
    const double dt = jo_soft_time_step(l->soft) * share;
    lab_stop(l);
    lab_start(l, dt);
    lab_look(l);
    const double before = l->now.energy.potential + l->now.energy.kinetic;
    double worst = 0;
    for (int part = 0; part < (layers > 6 ? 15 : 6); part++) {
        lab_go(l, (uint64_t)(0.012 / dt));
        lab_look(l);
        worst = fmax(worst, fabs(l->now.energy.balance));
    }
    *settled = l->now.energy.dissipated / before;
    lab_free(l);
    return worst / before;
}

static void a_collapsing_bed_balances(void **unused)
{
    (void)unused;
    double settled;
    const int part = lab_in_short() ? 3 : 1;
    for (int dim = 2; dim <= 3; dim++) {
        const double off = collapse(dim, NULL, 0.6, (dim == 2 ? 36 : 16) / part, 1, 4, &settled);
        assert_true(settled > 0.5 || lab_in_short());
        if (getenv("JOSTLE_TEST_TELL") != NULL) print_message("a bed in %dD: %.1e\n", dim, off);
        if (!(off < 1e-6)) fail_msg("a %dD bed's energy is off by %g of what it had", dim, off);
    }
    const double half = collapse(3, NULL, 0.6, 16 / part, 0.5, 4, &settled);
    if (!(half < 1.2e-7)) fail_msg("with half the step the energy is still off by %g", half);
}

/* Beds that fell from other places: every contact of each begins and ends at another moment of a
 * step. */
static void bed_balances(const jo_law *law, double restitution, const char *name)
{
    double settled, off[2] = {0, 0}, half = 0;
    const char *many = getenv("JOSTLE_TEST_SEEDS");
    const uint64_t seeds = many != NULL ? strtoull(many, NULL, 10) : 2;
    for (uint64_t k = 0; k < seeds; k++) {
        off[1] = fmax(off[1], collapse(3, law, restitution, 3, 1, 4 + k, &settled));
        if (k % 2 == 0) off[0] = fmax(off[0], collapse(2, law, restitution, 4, 1, 4 + k, &settled));
        if (k % 2 == 0) half = fmax(half, collapse(3, law, restitution, 3, 0.5, 4 + k, &settled));
    }
    if (getenv("JOSTLE_TEST_TELL") != NULL)
        print_message("%-40s 2D %.1e, 3D %.1e, half the step %.1e\n", name, off[0], off[1], half);
    for (int dim = 2; dim <= 3; dim++)
        if (!(off[dim - 2] <= 1e-6))
            fail_msg("%s: in %dD the energy is off by %g of what it was", name, dim, off[dim - 2]);
    if (!(half < fmax(off[1] / 4, 1e-7))) /* below that chance decides: the moments are few */
        fail_msg("%s: the energy is off by %g, with half the step still by %g", name, off[1], half);
}

static void law_balances(const jo_law *law, const char *name)
{
    bed_balances(law, 0.6, name);
}

/* Tangential dashpot, rolling resistance and cohesion, all of them together with all. */
static void every_law_balances(void **unused)
{
    (void)unused;
    static const char *const rolls[] = {"no rolling", "constant torque", "epsd"};
    static const char *const sticks[] = {"no cohesion", "jkr", "sjkr", "liquid"};
    for (int k = 0; k < 24; k++) {
        char name[80];
        jo_law law = jo_law_default();
        law.tangential_damping = k % 2;
        law.rolling = (jo_rolling_law)(k / 2 % 3);
        law.cohesion = (jo_cohesion_law)(k / 6 % 4);
        /* Of those that stick every third, and less in short. */
        if ((law.cohesion != JO_COHESION_NONE && k % 3 != 0) || (lab_in_short() && k % 4 != 3))
            continue;
        (void)snprintf(name, sizeof name, "%s dashpot, %s, %s", k % 2 ? "a" : "no",
                       rolls[k / 2 % 3], sticks[k / 6]);
        law_balances(&law, name);
    }
}

/* Other springs and dashpots. */
static void other_springs_balance(void **unused)
{
    (void)unused;
    for (int drag = 0; drag < 2; drag++) {
        jo_law law = jo_law_default();
        law.tangential_damping = drag;
        law.clip_attraction = true;
        law_balances(&law, "attraction clipped");
        law.clip_attraction = false;
        law.tangential = JO_TANGENTIAL_MINDLIN_FORCE;
        law_balances(&law, "incremental force");
        law.tangential = JO_TANGENTIAL_NONE;
        law_balances(&law, "no friction");
        law.tangential = JO_TANGENTIAL_MINDLIN;
        law.damping = drag ? JO_DAMPING_NONE : JO_DAMPING_VISCOUS;
        law_balances(&law, drag ? "no damping" : "viscous");
        law.normal = JO_NORMAL_LINEAR;
        law.tangential = JO_TANGENTIAL_LINEAR;
        law_balances(&law, drag ? "linear, no damping" : "linear, viscous");
        law.damping = JO_DAMPING_RESTITUTION;
        law_balances(&law, "linear");
        law.normal = JO_NORMAL_ENERGY;
        law_balances(&law, "energy law");
    }
}

/* Dashpots that leave next to nothing of an impact. */
static void beds_that_hardly_bounce_balance(void **unused)
{
    (void)unused;
    jo_law law = jo_law_default();
    if (!lab_in_short()) {
        bed_balances(&law, 0.1, "restitution 0.1");
        bed_balances(&law, 0.05, "restitution 0.05");
        law.clip_attraction = true;
        bed_balances(&law, 0.05, "restitution 0.05, attraction clipped");
        law.clip_attraction = false;
    }
    law.normal = JO_NORMAL_LINEAR;
    law.tangential = JO_TANGENTIAL_LINEAR;
    bed_balances(&law, 0.2, "restitution 0.2, linear");
    if (lab_in_short()) return;
    bed_balances(&law, 0.05, "restitution 0.05, linear");
    law.normal = JO_NORMAL_ENERGY;
    bed_balances(&law, 0.05, "restitution 0.05, energy law");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collapsing_bed_balances),
        cmocka_unit_test(every_law_balances),
        cmocka_unit_test(other_springs_balance),
        cmocka_unit_test(beds_that_hardly_bounce_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
