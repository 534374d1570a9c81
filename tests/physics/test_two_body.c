/* test_two_body.c — collisions of two bodies, or one and a wall, with closed-form answers:
 * restitution for every normal and damping law over six decades of speed, Newton's cradle,
 * adhesion. */
#include "physics/lab.h"

static const double young = 1e11, poisson = 0.3, density = 2500, radius = 0.01;

/* ---- restitution ---- */

static void give_moduli(lab *l, double e)
{
    l->materials[0].young = young;
    l->materials[0].poisson = poisson;
    l->materials[0].density = density;
    lab_contact(l, 0, 0)->restitution = e;
}

static double hertz_time(double mass, double r, double stiffness, double speed)
{
    return 2.868266 * pow(mass * mass / (r * stiffness * stiffness * speed), 0.2);
}

/* Speed after over speed before of two equal bodies (or one and a wall) in 2D or 3D. */
static double collide(const jo_law *law, const jo_contact_def *def, int dim, bool wall,
                      double speed, double duration, double steps)
{
    lab *l = lab_new(dim, law);
    give_moduli(l, def->restitution);
    *lab_contact(l, 0, 0) = *def;
    /* Contact begins within a step: where in it must not matter. */
    const double ahead = 0.3 * speed * duration / steps, r = radius;
    lab_body(l, r + ahead, 0, 0, r, 0);
    lab_velocity(l, 0, -speed, 0, 0);
    if (wall)
        lab_plane(l, 0, 0, 0, 1, 0, 0, 0);
    else
        lab_body(l, -r, 0, 0, r, 0);
    lab_start(l, duration / steps);
    lab_until_apart(l, 1000000);
    const double after = wall ? l->frame.v[0] : l->frame.v[0] - l->frame.v[3];
    lab_free(l);
    return after / speed;
}

static double mass_of(int dim)
{
    return density * (dim == 2 ? lab_pi * radius * radius : 4 / 3.0 * lab_pi * pow(radius, 3));
}

static void restitution_is_the_same_at_every_speed(void **unused)
{
    (void)unused;
    for (int i = 0; i < 96; i++) {
        const bool wall = i % 2, clip = i / 2 % 2;
        const int dim = 2 + i / 4 % 2;
        const double e = 0.1 + 0.9 * (i / 8 % 4) / 3, speed = pow(10, -4 + 3 * (i / 32 % 3));
        const double mass = mass_of(dim) / (wall ? 1 : 2), r = wall ? radius : radius / 2;
        jo_contact_def def = jo_contact_def_default();
        jo_law law = jo_law_default();
        law.clip_attraction = clip;
        law.tangential = JO_TANGENTIAL_NONE;
        def.restitution = e;
        /* Hertz: the dashpot begins with the fourth root of the overlap, which costs (1 /
         * steps)^1.25. */
        const double stiffness = young / (2 * (1 - poisson * poisson));
        double found =
            collide(&law, &def, dim, wall, speed, hertz_time(mass, r, stiffness, speed), 1000);
        lab_near(found, e, 2e-3, 1, "hertz", e);
        /* Linear: it begins with a jump; first order in the step where it is strong. */
        law.normal = JO_NORMAL_LINEAR;
        def.normal_stiffness = 1e7;
        found = collide(&law, &def, dim, wall, speed, lab_pi * sqrt(mass / 1e7), 1000);
        lab_near(found, e, 4e-3, 1, "linear", e);
        law.normal = JO_NORMAL_ENERGY;
        def.normal_stiffness = NAN;
        def.contact_time = 1e-4;
        found = collide(&law, &def, dim, wall, speed, 1e-4, 1000);
        lab_near(found, e, 4e-3, 1, "energy", e);
    }
}

/* The energy law: every pair of bodies takes the same time and has the same restitution. */
static void the_energy_law_keeps_time(void **unused)
{
    (void)unused;
    for (double ratio = 0.2; ratio < 6; ratio *= 1.7) {
        jo_law law = jo_law_default();
        law.normal = JO_NORMAL_ENERGY;
        law.tangential = JO_TANGENTIAL_NONE;
        lab *l = lab_new(3, &law);
        lab_contact(l, 0, 0)->restitution = 0.7;
        lab_contact(l, 0, 0)->contact_time = 1e-3;
        lab_body(l, 0.01 * ratio, 0, 0, 0.01 * ratio, 0);
        lab_body(l, -0.01 * (1 + 1e-9), 0, 0, 0.01, 0);
        lab_velocity(l, 1, 0.3, 0, 0);
        lab_start(l, 1e-6);
        lab_until_apart(l, 10000);
        lab_near(l->now.time, 1e-3, 3e-6, 1, "duration", ratio);
        lab_near((l->frame.v[0] - l->frame.v[3]) / 0.3, 0.7, 3e-3, 1, "restitution", ratio);
        lab_free(l);
    }
}

/* Linear with a given coefficient: e = exp(-gamma t / 2), t = pi / sqrt(k/m - gamma^2/4). */
static void viscous_damping_has_its_closed_form(void **unused)
{
    (void)unused;
    for (double gamma = 100; gamma < 1.5e4; gamma *= 3) {
        jo_law law = jo_law_default();
        law.normal = JO_NORMAL_LINEAR;
        law.damping = JO_DAMPING_VISCOUS;
        law.tangential = JO_TANGENTIAL_NONE;
        jo_contact_def def = jo_contact_def_default();
        const double mass = mass_of(3), k = 1e6;
        def.normal_stiffness = k;
        def.normal_damping = gamma;
        const double t = lab_pi / sqrt(k / mass - gamma * gamma / 4);
        lab_near(collide(&law, &def, 3, true, 0.1, t, 2000), exp(-gamma * t / 2), 1e-3, 1,
                 "viscous", gamma);
    }
}

/* ---- Newton's cradle ---- */

static void the_last_ball_leaves(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++) {
        jo_law law = jo_law_default();
        law.damping = JO_DAMPING_NONE;
        lab *l = lab_new(dim, &law);
        give_moduli(l, NAN);
        for (int i = 0; i < 5; i++) /* gaps, so that one collision is over when the next begins */
            lab_body(l, i * radius * 2.02, 0, 0, radius, 0);
        lab_velocity(l, 0, 2, 0, 0);
        const double t =
            hertz_time(mass_of(dim) / 2, radius / 2, young / (2 * (1 - poisson * poisson)), 2);
        lab_start(l, t / 200);
        lab_go(l, (uint64_t)(5 * 0.02 * radius / 2 / (t / 200)) + 3000);
        lab_look(l);
        for (int i = 0; i < 5; i++)
            /* Each contact begins somewhere in a step: (2.94 / 200)^2.5 of the energy or less. */
            lab_near(l->frame.v[3 * i], i == 4 ? 2 : 0, 3e-5, 2, "velocity in the cradle", i);
        assert_int_equal(l->now.contacts, 0);
        lab_free(l);
    }
}

/* ---- adhesion ---- */

static const double soft_young = 1e8, work = 0.5;

/* Pulled apart slowly between two planes, a sphere holds until 3/2 pi w R. */
static void jkr_holds_until_pull_off(void **unused)
{
    (void)unused;
    jo_law law = jo_law_default();
    law.cohesion = JO_COHESION_JKR;
    law.tangential = JO_TANGENTIAL_NONE;
    lab *l = lab_new(3, &law);
    l->materials[0].young = soft_young;
    l->materials[0].poisson = poisson;
    lab_contact(l, 0, 0)->restitution = 0.2;
    lab_contact(l, 0, 0)->surface_energy = work;
    const double r = 1e-3, stiffness = soft_young / (2 * (1 - poisson * poisson));
    const double b = cbrt(lab_pi * work * r * r / (8 * stiffness)), range = 3 * b * b / r;
    /* At first without force: a^(3/2) is six times that at the smallest overlap, so d is cbrt(6) 2
     * b^2/R. */
    const double slowly = 5e-5; /* the dashpot's share is then 0.2 % */
    const double rest = 2 * cbrt(6) * b * b / r;
    lab_body(l, 0, 0, r - rest, r, 0);
    lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
    jo_wall *top = lab_plane(l, 0, 0, 2 * (r - rest), 0, 0, -1, 0);
    top->motion.velocity[2] = slowly;
    lab_start(l, NAN);
    double most = 0;
    const uint64_t steps = (uint64_t)(12 * range / slowly / jo_soft_time_step(l->soft));
    /* Until one of the two gives way: the sphere then swings on the other. */
    for (uint64_t k = 0; k < steps && (k == 0 || lab_contacts(l) == 2); k++) {
        most = fmin(most, jo_soft_wall(l->soft, 1).force[2]); /* the sphere pulls the wall down */
        lab_go(l, 1);
    }
    lab_look(l);
    assert_true(l->now.wall_contacts < 2);
    lab_near(most, -1.5 * lab_pi * work * r, 5e-3, 1.5 * lab_pi * work * r, "pull-off force", work);
    lab_free(l);
}

/* An elastic sphere that comes and goes loses what the two jumps cost:
 * 3/5 pi w a0^2 at touching and 2/5 pi w a1^2 at parting, a0^3 = 16 a1^3 = 2 pi w R^2 / E. */
static void jkr_impact_loses_the_work_of_the_jumps(void **unused)
{
    (void)unused;
    jo_law law = jo_law_default();
    law.cohesion = JO_COHESION_JKR;
    law.damping = JO_DAMPING_NONE;
    law.tangential = JO_TANGENTIAL_NONE;
    const double r = 1e-3, stiffness = soft_young / (1 - poisson * poisson) / 2;
    const double mass = density * 4 / 3.0 * lab_pi * r * r * r;
    const double a0 = cbrt(2 * lab_pi * work * r * r / stiffness), a1 = a0 / cbrt(16);
    const double loss = lab_pi * work * (0.6 * a0 * a0 + 0.4 * a1 * a1),
                 sticks = sqrt(2 * loss / mass);
    for (double v = 0.5 * sticks; v < 5 * sticks; v *= 1.3) {
        lab *l = lab_new(3, &law);
        l->materials[0].young = soft_young;
        l->materials[0].poisson = poisson;
        lab_contact(l, 0, 0)->surface_energy = work;
        lab_body(l, 0, 0, r * (1 + 1e-9), r, 0);
        lab_velocity(l, 0, 0, 0, -v);
        lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
        lab_start(l, hertz_time(mass, r, stiffness, v) / 4000);
        if (v > sticks) {
            lab_until_apart(l, 100000);
            const double left = sqrt(v * v - sticks * sticks);
            /* The force jumps: first order in the step. */
            lab_near(l->frame.v[2], left, 2e-3, v * v / left, "speed after", v / sticks);
        } else {
            lab_go(l, 40000);
            lab_look(l);
            assert_int_equal(l->now.wall_contacts, 1);
        }
        lab_near(l->now.energy.balance, 0, 2e-3, 0.5 * mass * v * v, "balance", v / sticks);
        lab_free(l);
    }
}

/* A liquid bridge costs the work of drawing it out. */
static void a_bridge_costs_its_rupture(void **unused)
{
    (void)unused;
    jo_law law = jo_law_default();
    law.cohesion = JO_COHESION_LIQUID;
    law.damping = JO_DAMPING_NONE;
    law.tangential = JO_TANGENTIAL_NONE;
    const double r = 1e-3, volume = 1e-11, tension = 0.07, angle = 0.4;
    const double mass = density * 4 / 3.0 * lab_pi * r * r * r;
    const double scale = sqrt(2 * r / volume), end = (1 + angle / 2) * cbrt(volume) * scale;
    double drawn = 0; /* the integral of 1 / (1 + 1.05 x + 2.5 x^2), by Simpson's rule */
    for (int i = 0; i < 1000; i++) {
        const double h = end / 1000, x[3] = {i * h, (i + 0.5) * h, (i + 1) * h};
        double f[3];
        for (int k = 0; k < 3; k++)
            f[k] = 1 / (1 + 1.05 * x[k] + 2.5 * x[k] * x[k]);
        drawn += h / 6 * (f[0] + 4 * f[1] + f[2]);
    }
    const double loss = 2 * lab_pi * tension * cos(angle) * 2 * r * drawn / scale;
    const double sticks = sqrt(2 * loss / mass);
    for (double v = 0.5 * sticks; v < 5 * sticks; v *= 1.5) {
        lab *l = lab_new(3, &law);
        l->materials[0].young = soft_young;
        l->materials[0].poisson = poisson;
        jo_contact_def *c = lab_contact(l, 0, 0);
        c->liquid_volume = volume;
        c->surface_tension = tension;
        c->wetting_angle = angle;
        lab_body(l, 0, 0, r * (1 + 1e-9), r, 0);
        lab_velocity(l, 0, 0, 0, -v);
        lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
        lab_start(l, hertz_time(mass, r, soft_young / (1 - poisson * poisson) / 2, v) / 1000);
        if (v > sticks) {
            lab_until_apart(l, 1000000);
            const double left = sqrt(v * v - sticks * sticks);
            lab_near(l->frame.v[2], left, 2e-3, v * v / left, "speed after", v / sticks);
        } else {
            lab_go(l, 100000);
            lab_look(l);
            assert_int_equal(l->now.wall_contacts, 1);
        }
        lab_near(l->now.energy.balance, 0, 2e-3, 0.5 * mass * v * v, "balance", v / sticks);
        lab_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution_is_the_same_at_every_speed),
        cmocka_unit_test(the_energy_law_keeps_time),
        cmocka_unit_test(viscous_damping_has_its_closed_form),
        cmocka_unit_test(the_last_ball_leaves),
        cmocka_unit_test(jkr_holds_until_pull_off),
        cmocka_unit_test(jkr_impact_loses_the_work_of_the_jumps),
        cmocka_unit_test(a_bridge_costs_its_rupture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
