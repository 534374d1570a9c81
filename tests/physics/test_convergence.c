/* test_convergence.c — halving the step makes the error four times smaller: the integrator is of
 * second order, velocity-dependent forces and springs with history included, where the motion is
 * smooth.
 *
 * With results a, b, c for steps h, h/2, h/4 the order is log2 |a - b| / |b - c|. */
#include "physics/lab.h"

typedef struct result {
    double value[4];
} result;

typedef result (*experiment)(double step);

static void converges(experiment run, double step, int values, double order, const char *what)
{
    const result a = run(step), b = run(step / 2), c = run(step / 4);
    for (int k = 0; k < values; k++) {
        const double first = fabs(a.value[k] - b.value[k]), second = fabs(b.value[k] - c.value[k]);
        assert_true(first > 1e-13 * fabs(c.value[k])); /* not rounding alone */
        const double found = log2(first / second);
        if (!(found > order))
            fail_msg("%s: value %d is %.12g, %.12g, %.12g: of order %.2f only", what, k, a.value[k],
                     b.value[k], c.value[k], found);
    }
}

static lab *sphere(const jo_law *law, double friction)
{
    lab *l = lab_new(3, law);
    l->materials[0].young = 1e8;
    l->materials[0].poisson = 0.3;
    lab_contact(l, 0, 0)->restitution = 0.7;
    lab_contact(l, 0, 0)->friction = friction;
    return l;
}

static const double radius = 0.01;

/* An elastic sphere meets the wall at an angle, without slip: while it is in contact. */
static result oblique(double step)
{
    jo_law law = jo_law_default();
    law.damping = JO_DAMPING_NONE;
    lab *l = sphere(&law, 100);
    lab_body(l, 0, 0, radius, radius, 0);
    lab_velocity(l, 0, 0.3, 0.1, -1);
    lab_spin(l, 0, 10, 0, 0);
    lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
    lab_start(l, step);
    lab_go(l, (uint64_t)llround(4e-4 / step));
    lab_look(l);
    assert_int_equal(l->now.wall_contacts, 1);
    const result out = {{l->frame.x[2], l->frame.v[2], l->frame.v[0], l->frame.w[1]}};
    lab_free(l);
    return out;
}

static double depth(double weight)
{
    return pow(weight / (4 / 3.0 * 1e8 / (2 * (1 - 0.09)) * sqrt(radius)), 2 / 3.0);
}

/* A sphere that lies on the floor, disturbed: it bounces in contact, and its spin swings. */
static result resting(double step, const jo_law *law, double spin)
{
    lab *l = sphere(law, 10);
    lab_contact(l, 0, 0)->rolling_friction = 0.5;
    const double mass = 2500 * 4 / 3.0 * lab_pi * pow(radius, 3), g = 9.81, d = depth(mass * g);
    l->scene.gravity[2] = -g;
    lab_body(l, 0, 0, radius - 1.2 * d, radius, 0);
    lab_spin(l, 0, 0, spin, 0);
    lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
    lab_start(l, step);
    lab_go(l, (uint64_t)llround(6e-3 / step));
    lab_look(l);
    assert_int_equal(l->now.wall_contacts, 1);
    const result out = {{l->frame.x[2], l->frame.v[2], l->frame.v[0], l->frame.w[1]}};
    lab_free(l);
    return out;
}

static result bouncing(double step)
{
    return resting(step, NULL, 0);
}

static result rocking(double step)
{
    jo_law law = jo_law_default();
    law.tangential_damping = true;
    return resting(step, &law, 1e-3);
}

static result rocking_and_rolling(double step)
{
    jo_law law = jo_law_default();
    law.rolling = JO_ROLLING_EPSD;
    law.tangential_damping = true;
    return resting(step, &law, 1e-4);
}

/* Two that meet head on, damped. */
static result meeting(double step)
{
    lab *l = sphere(NULL, 0);
    lab_body(l, radius, 0, 0, radius, 0);
    lab_body(l, -radius, 0, 0, radius, 0);
    lab_velocity(l, 0, -1, 0, 0);
    lab_start(l, step);
    lab_go(l, (uint64_t)llround(2e-4 / step));
    lab_look(l);
    assert_int_equal(l->now.contacts, 1);
    const result out = {{l->frame.x[0], l->frame.v[0]}};
    lab_free(l);
    return out;
}

static void steps_converge(void **unused)
{
    (void)unused;
    /* Contact begins here: the spring's d^(1/2) leaves terms of order 5/2 beside those of order
     * 2. */
    converges(oblique, 5e-7, 4, 1.75, "oblique impact without slip");
    converges(bouncing, 1e-5, 2, 1.9, "damped oscillation in contact");
    converges(rocking, 1e-5, 4, 1.9, "rocking");
    converges(rocking_and_rolling, 1e-5, 4, 1.9, "rocking with rolling resistance");
    /* Its dashpot begins with the fourth root of the overlap: order 5/4. */
    converges(meeting, 2e-6, 2, 1.15, "a damped collision from its beginning");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_converge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
