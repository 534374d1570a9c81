/* test_rolling.c — a body on a plane under gravity: sliding until it rolls, rolling until it
 * stops. */
#include "physics/lab.h"

static const double g = 9.81, radius = 0.01, density = 2500;

static double mass_of(int dim)
{
    return density * (dim == 2 ? lab_pi * radius * radius : 4 / 3.0 * lab_pi * pow(radius, 3));
}

/* A body at rest at its depth of equilibrium on a floor (2D: normal along y), free to move along
 * x. */
static lab *on_the_floor(int dim, const jo_law *law, double friction, double rolling)
{
    lab *l = lab_new(dim, law);
    jo_contact_def *c = lab_contact(l, 0, 0);
    l->materials[0].young = 1e10;
    l->materials[0].poisson = 0.3;
    l->materials[0].density = density;
    c->restitution = 0.5;
    c->friction = friction;
    c->rolling_friction = rolling;
    const double stiffness = 1e10 / (2 * (1 - 0.09)), weight = mass_of(dim) * g;
    double depth = pow(weight / (4 / 3.0 * stiffness * sqrt(radius)), 2 / 3.0);
    if (law != NULL && law->normal == JO_NORMAL_LINEAR) {
        c->normal_stiffness = 1e6;
        depth = weight / 1e6;
    }
    const int up = dim == 2 ? 1 : 2;
    l->scene.gravity[up] = -g;
    const double height = radius - depth;
    lab_body(l, 0, dim == 2 ? height : 0, dim == 2 ? 0 : height, radius, 0);
    lab_plane(l, 0, 0, 0, 0, dim == 2, dim == 3, 0);
    return l;
}

static double rolling_spin(const lab *l, int dim)
{
    return dim == 2 ? -l->frame.w[2] : l->frame.w[1];
}

/* Slides with v0 - mu g t until it rolls at t = (1 - k) v0 / (mu g), v = k v0: k = 5/7, disc
 * 2/3. */
static void slides_until_it_rolls(void **unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++) {
        const int dim = 2 + i % 2;
        jo_law law = jo_law_default();
        law.tangential_damping = i / 2 % 2;
        if (i / 4 % 2) {
            law.normal = JO_NORMAL_LINEAR;
            law.tangential = JO_TANGENTIAL_LINEAR;
        }
        const double v0 = 0.5, mu = 0.2, k = dim == 2 ? 2 / 3.0 : 5 / 7.0,
                     t = (1 - k) * v0 / (mu * g);
        lab *l = on_the_floor(dim, &law, mu, 0);
        lab_velocity(l, 0, v0, 0, 0);
        lab_start(l, NAN);
        const double dt = jo_soft_time_step(l->soft);
        for (int part = 1; part <= 9; part++) {
            lab_go(l, (uint64_t)(t * part / 10 / dt) - jo_soft_step_count(l->soft));
            lab_look(l);
            /* Less what the spring takes to be stretched at first. */
            lab_near(l->frame.v[0], v0 - mu * g * l->now.time, 1e-4, v0, "while sliding", part);
            assert_int_equal(l->now.sliding, 1);
        }
        lab_go(l, (uint64_t)(1.2 * t / dt) - jo_soft_step_count(l->soft));
        lab_look(l);
        /* Friction's lever ends at the floor, a depth of 5e-4 radii nearer than the rim. A spring
         * without dashpot goes on swinging by some 1e-3. */
        const double tolerance = law.tangential_damping ? 5e-4 : 5e-3;
        lab_near(l->frame.v[0], k * v0, tolerance, v0, "rolling", dim);
        lab_near(radius * rolling_spin(l, dim), k * v0, 2 * tolerance, v0, "spin", dim);
        /* It slid, and then rolled, this far. */
        const double slid = (1 - k * k) * v0 * v0 / (2 * mu * g);
        lab_near(l->frame.x[0], slid + k * v0 * (l->now.time - t), 3e-4, slid, "distance", dim);
        assert_int_equal(l->now.sliding, 0);
        lab_free(l);
    }
}

/* Torque mu_r R m g slows rolling by mu_r g / (1 + I / m R^2), to a stop, and then nothing
 * moves. */
static void rolls_until_it_stops(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const int dim = 2 + i % 2;
        jo_law law = jo_law_default();
        law.rolling = i / 2 % 2 ? JO_ROLLING_EPSD : JO_ROLLING_CONSTANT;
        law.tangential_damping = true;
        const double v0 = 0.2, mu_r = 0.02, slow = mu_r * g / (dim == 2 ? 1.5 : 1.4), t = v0 / slow;
        lab *l = on_the_floor(dim, &law, 0.5, mu_r);
        lab_velocity(l, 0, v0, 0, 0);
        lab_spin(l, 0, 0, dim == 3 ? v0 / radius : 0, dim == 2 ? -v0 / radius : 0);
        lab_start(l, NAN);
        const double dt = jo_soft_time_step(l->soft);
        for (int part = 1; part <= 9; part++) {
            lab_go(l, (uint64_t)(t * part / 10 / dt) - jo_soft_step_count(l->soft));
            lab_look(l);
            /* The spring of EPSD takes a moment, a turn by about mu_r R F / k_r, to be
             * stretched. */
            lab_near(l->frame.v[0], v0 - slow * l->now.time,
                     law.rolling == JO_ROLLING_EPSD ? 2e-2 : 1e-3, v0, "while rolling", part);
        }
        lab_go(l, (uint64_t)(2 * t / dt) - jo_soft_step_count(l->soft));
        lab_look(l);
        const double stop = l->frame.x[0];
        /* Stretching the spring of EPSD at speed, its dashpot takes some 2 % of the energy. */
        lab_near(stop, 0.5 * v0 * t, law.rolling == JO_ROLLING_EPSD ? 0.03 : 1e-3, 0.5 * v0 * t,
                 "distance", dim);
        assert_true(fabs(l->frame.v[0]) < 1e-3 * v0);
        lab_go(l, (uint64_t)(t / dt));
        lab_look(l);
        assert_true(fabs(l->frame.v[0]) < 1e-4 * v0);
        lab_near(l->frame.x[0], stop, 1e-3, stop, "still there", dim);
        /* The dashpot of EPSD begins at full speed: its first half step is not seen. */
        lab_near(l->now.energy.balance, 0, law.rolling == JO_ROLLING_EPSD ? 5e-4 : 1e-5,
                 0.5 * mass_of(dim) * v0 * v0, "balance", dim);
        lab_free(l);
    }
}

/* On a slope a body held by EPSD stays where one with less rolling friction than the slope does
 * not. */
static void holds_on_a_slope(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        jo_law law = jo_law_default();
        law.rolling = JO_ROLLING_EPSD;
        law.tangential_damping = true;
        const double slope = 0.05, mu_r = k ? 1.3 * slope : 0.7 * slope;
        lab *l = on_the_floor(3, &law, 0.5, mu_r);
        l->scene.gravity[0] = g * slope;
        lab_start(l, NAN);
        lab_go(l, (uint64_t)(0.5 / jo_soft_time_step(l->soft)));
        lab_look(l);
        if (k)
            assert_true(fabs(l->frame.v[0]) < 1e-4 && l->frame.x[0] < 0.02 * radius);
        else
            lab_near(l->frame.v[0], (slope - mu_r) * g / 1.4 * 0.5, 0.03, 0.05, "down the slope",
                     mu_r);
        lab_free(l);
    }
}

/* A body in a drum that turns: what resists rolling turns the drum back as much as the body, and
 * takes its share of the work. Angular momentum about the axis is what the drum's torque has given;
 * energies add up. */
static void drums_feel_what_they_roll(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const int dim = 2 + i % 2, axis = dim == 2 ? 2 : 1;
        jo_law law = jo_law_default();
        law.rolling = i / 2 % 2 ? JO_ROLLING_EPSD : JO_ROLLING_CONSTANT;
        lab *l = lab_new(dim, &law);
        l->materials[0].young = 1e8;
        l->materials[0].poisson = 0.3;
        jo_contact_def *c = lab_contact(l, 0, 0);
        c->restitution = 0.5;
        c->friction = 0.5;
        c->rolling_friction = 0.3;
        jo_wall *drum = &l->walls[l->scene.wall_count++];
        *drum = jo_wall_default(JO_WALL_CYLINDER);
        drum->radius = 5 * radius;
        drum->axis[axis] = 1;
        drum->axis[2] = axis == 2;
        drum->motion.spin[axis] = 20;
        lab_body(l, 4 * radius - 1e-6, 0, 0, radius, 0);
        lab_velocity(l, 0, 1, 0, 0);
        lab_start(l, NAN);
        const double dt = jo_soft_time_step(l->soft);
        double given = 0;
        for (int k = 0; k < 3000; k++) {
            lab_go(l, 1);
            given -= dt * jo_soft_wall(l->soft, 0).torque[axis];
        }
        lab_look(l);
        const double *x = l->frame.x, *v = l->frame.v;
        const double orbit = axis == 2 ? x[0] * v[1] - x[1] * v[0] : x[2] * v[0] - x[0] * v[2];
        const double inertia = (dim == 2 ? 0.5 : 0.4) * radius * radius;
        const double found = l->frame.mass[0] * (orbit + inertia * l->frame.w[axis]);
        assert_true(l->now.energy.work > 0 && found > 0);
        lab_near(given, found, 1e-3, found, "angular momentum", i);
        /* The account of friction on walls that curve is not as good as on planes. */
        lab_near(l->now.energy.balance, 0, 5e-4, l->now.energy.work, "balance", i);
        lab_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_until_it_rolls),
        cmocka_unit_test(rolls_until_it_stops),
        cmocka_unit_test(holds_on_a_slope),
        cmocka_unit_test(drums_feel_what_they_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
