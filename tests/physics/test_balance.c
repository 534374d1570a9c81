/* test_balance.c — kinetic, potential, elastic and dissipated energy together are constant, to a millionth
 * at the step recommended, whatever the law; and what is left vanishes with the square of the step at
 * least. The scene: bodies fall into a box and come to rest there. */
#include "physics/lab_grains.h"

static void materials_for_law(lab *l)
{
    materials(l);
    jo_contact_def *c = lab_contact(l, 0, 0);
    if (l->scene.law.normal == JO_NORMAL_LINEAR) c->normal_stiffness = 1e4;
    if (l->scene.law.normal == JO_NORMAL_ENERGY) c->contact_time = 1e-4;
    if (l->scene.law.damping == JO_DAMPING_VISCOUS)
        c->normal_damping = l->scene.law.normal == JO_NORMAL_LINEAR ? 500 : 2e5;
}

/* How far the balance is off at the worst of some moments, of what energy there was. `share`: of the step
 * recommended. */
static double collapse(int dim, const jo_law *law, int layers, double share, double *settled)
{
    lab *l = lab_new(dim, law);
    materials_for_law(l);
    const double r = 1e-3, width = 8e-3;
    seed = 4;
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
        const double off = collapse(dim, NULL, (dim == 2 ? 36 : 16) / part, 1, &settled);
        assert_true(settled > 0.5 || lab_in_short());
        if (!(off < 5e-7)) /* 4e-9 in 2D and 2e-7 in 3D */
            fail_msg("a %dD bed's energy is off by %g of what it had", dim, off);
    }
    const double half = collapse(3, NULL, 16 / part, 0.5, &settled);
    if (!(half < 5e-8)) fail_msg("with half the step the energy is still off by %g", half);
}

/* At 1 m/s and more a linear spring's dashpot, and JKR's adhesion, begin with a jump within a step: the
 * energies then are as good as the moment of the jump is known. */
static const double most_jkr = 8e-6, most_linear = 8e-6;

static void law_balances(const jo_law *law, double most, const char *name)
{
    double settled;
    const double off = collapse(3, law, 3, 1, &settled), half = collapse(3, law, 3, 0.5, &settled);
    if (getenv("JOSTLE_TEST_TELL") != NULL)
        print_message("%s: %.2g, half the step: %.2g\n", name, off, half);
    if (!(off < most)) fail_msg("%s: the energy is off by %g of what it was", name, off);
    if (!(half < fmax(off / 3, 4e-7))) /* below that chance decides: the moments are few */
        fail_msg("%s: the energy is off by %g, with half the step still by %g", name, off, half);
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
        law_balances(&law, law.cohesion == JO_COHESION_JKR ? most_jkr : 1e-6, name);
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
        law_balances(&law, 1e-6, "attraction clipped");
        law.clip_attraction = false;
        law.tangential = JO_TANGENTIAL_MINDLIN_FORCE;
        law_balances(&law, 1e-6, "incremental force");
        law.tangential = JO_TANGENTIAL_NONE;
        law_balances(&law, 1e-6, "no friction");
        law.tangential = JO_TANGENTIAL_MINDLIN;
        law.damping = drag ? JO_DAMPING_NONE : JO_DAMPING_VISCOUS;
        law_balances(&law, 1e-6, drag ? "no damping" : "viscous");
        law.normal = JO_NORMAL_LINEAR;
        law.tangential = JO_TANGENTIAL_LINEAR;
        law_balances(&law, most_linear, drag ? "linear, no damping" : "linear, viscous");
        law.damping = JO_DAMPING_RESTITUTION;
        law_balances(&law, most_linear, "linear");
        law.normal = JO_NORMAL_ENERGY;
        law_balances(&law, most_linear, "energy law");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collapsing_bed_balances),
        cmocka_unit_test(every_law_balances),
        cmocka_unit_test(other_springs_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
