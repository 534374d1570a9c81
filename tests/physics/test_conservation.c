/* test_conservation.c — what must not change: momentum to rounding, angular momentum, and the sum
 * of all energies, in 2D and 3D, between bodies, with walls, across periodic and sheared
 * boundaries. */
#include "physics/lab_grains.h"

static double per_body(const lab *l, size_t i)
{
    return l->frame.mass[i];
}

static jo_law law_number(int k)
{
    jo_law law = jo_law_default();
    law.tangential_damping = k % 2;
    law.rolling = (jo_rolling_law)(k / 2 % 3);
    law.cohesion = (jo_cohesion_law)(k / 6 % 4);
    return law;
}

/* Two bodies: the forces are each other's opposite to the last bit; momentum and angular momentum
 * stay. */
static void pairs_conserve_momentum(void **unused)
{
    (void)unused;
    seed = 1;
    for (int k = 0; k < 24; k++)
        for (int dim = 2; dim <= 3; dim++) {
            const jo_law law = law_number(k);
            lab *l = lab_new(dim, &law);
            materials(l);
            const double deep = dim == 3;
            lab_body(l, 0.9e-3, 0.3e-3, 0.2e-3 * deep, 1e-3, 0);
            lab_body(l, -1.2e-3, 0, -0.3e-3 * deep, 1.3e-3, 0);
            for (size_t i = 0; i < 2; i++) {
                lab_velocity(l, i, i == 0 ? -0.4 : 0.3, draw(-0.2, 0.2), deep * draw(-0.2, 0.2));
                lab_spin(l, i, deep * draw(-100, 100), deep * draw(-100, 100), draw(-100, 100));
            }
            lab_start(l, 1e-6);
            lab_look(l);
            const jo_measures first = l->now;
            double speed = 0, turn = 0;
            for (size_t i = 0; i < 2; i++) {
                speed += per_body(l, i) * 0.5;
                turn += per_body(l, i) * 1e-3 * 0.5;
            }
            bool touched = false;
            for (int step = 0; step < 600; step++) {
                lab_go(l, 1);
                lab_look(l);
                touched = touched || l->now.contacts > 0;
                for (int a = 0; a < 3; a++)
                    assert_true(l->frame.force[a] == -l->frame.force[3 + a]);
            }
            assert_true(touched);
            for (int a = 0; a < 3; a++) {
                lab_near(l->now.momentum[a], first.momentum[a], 1e-14, speed, "momentum", k);
                lab_near(l->now.angular_momentum[a], first.angular_momentum[a], 1e-12, turn,
                         "angular momentum", k);
            }
            lab_free(l);
        }
}

/* ---- many bodies ---- */

/* A box, periodic, with bodies on a shaken lattice. */
static lab *gas(int dim, const jo_law *law, double shear)
{
    const int n = dim == 2 ? 14 : 7;
    const double r = 1e-3, spacing = 2.6 * r;
    lab *l = lab_new(dim, law);
    materials(l);
    l->scene.has_box = true;
    l->scene.shear_rate = shear;
    for (int a = 0; a < 3; a++) {
        l->scene.domain.lo[a] = 0;
        l->scene.domain.hi[a] = n * spacing;
        l->scene.domain.periodic[a] = a < dim;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < (dim == 2 ? 1 : n); k++) {
                const double x = (i + 0.5) * spacing + draw(-0.2, 0.2) * r;
                const double y = (j + 0.5) * spacing + draw(-0.2, 0.2) * r;
                const double z = dim == 2 ? 0 : (k + 0.5) * spacing + draw(-0.2, 0.2) * r;
                const size_t b = lab_body(l, x, y, z, r * draw(0.8, 1.05), 0);
                const double flow = shear * (y - 0.5 * n * spacing), deep = dim == 3;
                lab_velocity(l, b, flow + draw(-1, 1), draw(-1, 1), deep * draw(-1, 1));
                lab_spin(l, b, deep * draw(-300, 300), deep * draw(-300, 300), draw(-300, 300));
            }
    return l;
}

static double quantity_of_motion(const lab *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->frame.n; i++)
        sum += per_body(l, i) * sqrt(l->frame.v[3 * i] * l->frame.v[3 * i] +
                                     l->frame.v[3 * i + 1] * l->frame.v[3 * i + 1] +
                                     l->frame.v[3 * i + 2] * l->frame.v[3 * i + 2]);
    return sum;
}

static void a_periodic_gas_keeps_its_momentum(void **unused)
{
    (void)unused;
    seed = 2;
    for (int dim = 2; dim <= 3; dim++) {
        lab *l = gas(dim, NULL, 0);
        lab_start(l, NAN);
        lab_look(l);
        const jo_measures first = l->now;
        const double scale = quantity_of_motion(l);
        lab_go(l, 4000);
        lab_look(l);
        assert_true(l->now.energy.dissipated > 0.1 * first.energy.kinetic);
        for (int a = 0; a < 3; a++)
            lab_near(l->now.momentum[a], first.momentum[a], 1e-13, scale, "momentum", dim);
        lab_near(l->now.energy.balance, 0, 3e-6, first.energy.kinetic, "balance of a gas", dim);
        lab_free(l);
    }
}

/* Lees-Edwards: contacts do not change the momentum across the flow, and along it only crossings
 * do, by multiples of a body's mass times the jump; work is accounted. */
static void a_sheared_gas_balances(void **unused)
{
    (void)unused;
    seed = 3;
    for (int dim = 2; dim <= 3; dim++) {
        lab *l = gas(dim, NULL, 100);
        lab_start(l, NAN);
        lab_look(l);
        const jo_measures first = l->now;
        const double scale = quantity_of_motion(l);
        lab_go(l, 8000);
        lab_look(l);
        for (int a = 1; a < 3; a++)
            lab_near(l->now.momentum[a], first.momentum[a], 1e-13, scale, "momentum across", dim);
        assert_true(fabs(l->now.energy.work) > 0.02 * first.energy.kinetic);
        lab_near(l->now.energy.balance, 0, 1e-5, first.energy.kinetic, "balance in shear", dim);
        lab_free(l);
    }
}

/* A collision across the periodic boundary is the collision inside. */
static void images_collide_like_bodies(void **unused)
{
    (void)unused;
    for (int axis = 0; axis < 3; axis++) {
        double v[2][6], w[2][6];
        for (int across = 0; across < 2; across++) {
            lab *l = lab_new(3, NULL);
            materials(l);
            l->scene.has_box = true;
            for (int a = 0; a < 3; a++) {
                l->scene.domain.lo[a] = -0.02;
                l->scene.domain.hi[a] = 0.02;
                l->scene.domain.periodic[a] = true;
            }
            double x[2][3] = {{1.005e-3, 1e-4, 2e-4}, {-1.005e-3, 0, 0}};
            for (int i = 0; i < 2; i++) {
                double at[3];
                for (int a = 0; a < 3; a++)
                    at[(a + axis) % 3] = x[i][a];
                if (across) { /* half a box further: the first one leaves and comes back in */
                    at[axis] += 0.02;
                    at[axis] -= at[axis] > 0.02 ? 0.04 : 0;
                }
                lab_body(l, at[0], at[1], at[2], 1e-3, 0);
                double u[3];
                for (int a = 0; a < 3; a++)
                    u[(a + axis) % 3] = a == 0 ? (i == 0 ? -0.5 : 0.5) : a == 1 ? 0.3 * i : 0;
                lab_velocity(l, (size_t)i, u[0], u[1], u[2]);
            }
            lab_start(l, 1e-6);
            lab_go(l, 500);
            lab_look(l);
            assert_true(l->now.energy.dissipated > 0);
            memcpy(v[across], l->frame.v, sizeof v[across]);
            memcpy(w[across], l->frame.w, sizeof w[across]);
            lab_free(l);
        }
        for (int a = 0; a < 6;
             a++) { /* positions are rounded differently: 1e-17 of 1e-6 overlaps */
            lab_near(v[0][a], v[1][a], 1e-9, 1, "velocity across", axis);
            lab_near(w[0][a], w[1][a], 1e-9, 1e3, "spin across", axis);
        }
    }
}

/* Bodies at rest on either side of a sheared boundary: nothing moves but the image of the one,
 * until it hits the other. Lists must be made anew for that. */
static void images_arrive_at_bodies_at_rest(void **unused)
{
    (void)unused;
    const double r = 1e-3, size = 20 * r, rate = 50;
    lab *l = lab_new(3, NULL);
    materials(l);
    l->scene.has_box = true;
    l->scene.shear_rate = rate;
    for (int a = 0; a < 3; a++) {
        l->scene.domain.lo[a] = 0;
        l->scene.domain.hi[a] = size;
        l->scene.domain.periodic[a] = true;
    }
    /* The lower one's image, seen from the upper one, lies 1.8 r above and goes along x. */
    lab_body(l, 12 * r, size - 0.9 * r, 10 * r, r, 0);
    lab_body(l, 6 * r, 0.9 * r, 10 * r, r, 0);
    lab_start(l, 1e-6);
    const double gap = 6 * r - sqrt(4 - 1.8 * 1.8) * r, arrival = gap / (rate * size);
    lab_go(l, (uint64_t)(0.98 * arrival / 1e-6));
    lab_look(l);
    assert_int_equal(l->now.contacts, 0);
    lab_go(l, (uint64_t)(0.04 * arrival / 1e-6));
    lab_look(l);
    assert_int_equal(l->now.contacts, 1);
    lab_free(l);
}

static uint64_t energy_alarms(lab *l)
{
    size_t count;
    const jo_alarm *alarms = jo_soft_alarms(l->soft, &count);
    for (size_t k = 0; k < count; k++)
        if (alarms[k].kind == JO_ALARM_ENERGY) return alarms[k].count;
    return 0;
}

/* A ball that falls on a floor: with a step of a third of a contact it gains energy at every
 * bounce, and that is told; with the step recommended nothing is. */
static void a_balance_that_is_off_is_told(void **unused)
{
    (void)unused;
    for (int wild = 0; wild < 2; wild++) {
        jo_law law = jo_law_default();
        law.damping = JO_DAMPING_NONE;
        lab *l = lab_new(3, &law);
        materials(l);
        l->scene.gravity[2] = -9.81;
        lab_body(l, 0, 0, 12e-3, 5e-3, 0);
        lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
        lab_start(l, NAN);
        const double step = jo_soft_time_step(l->soft), long_step = 18 * step;
        if (wild) {
            lab_stop(l);
            lab_start(l, long_step);
        }
        for (int k = 0; k < 20; k++) {
            lab_go(l, (uint64_t)(0.02 / (wild ? long_step : step)));
            lab_look(l);
        }
        assert_int_equal(energy_alarms(l) > 0, wild);
        lab_free(l);
    }
}

/* ---- walls that move do work ---- */

/* The worst the energy balance is off while a ball is moved by a wall, over the work done: on a
 * belt that starts below it and stops again, in a drum that does the same, on a plate that shakes,
 * between a floor and a lid that comes down on it and stops under its load, in the middle of a
 * step, or a lid that presses. */
typedef enum mover { BELT, DRUM, SHAKER, PRESS, LID, MOVERS } mover;

static double moved_by_wall(mover how, double share)
{
    lab *l = lab_new(3, NULL);
    materials(l);
    lab_body(l, 0, 0, 5e-3, 5e-3, 0);
    jo_wall *floor = lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
    l->scene.gravity[2] = -9.81;
    if (how == BELT) floor->motion.velocity[0] = 0.5;
    if (how == DRUM) {
        floor->kind = JO_WALL_CYLINDER;
        floor->radius = floor->point[2] = floor->motion.pivot[2] = 25e-3;
        memcpy(floor->axis, (double[3]){0, 1, 0}, sizeof floor->axis);
        floor->length = INFINITY;
        floor->motion.spin[1] = 20;
    }
    if (how == BELT || how == DRUM) floor->motion.stop = 0.03;
    if (how == SHAKER) {
        floor->motion.amplitude[2] = 1e-3;
        floor->motion.frequency = 30;
    }
    if (how == PRESS) {
        jo_motion *motion = &lab_plane(l, 0, 0, 10.02e-3, 0, 0, -1, 0)->motion;
        motion->velocity[2] = -0.02;
        motion->stop = 2.34567e-3;
    }
    if (how == LID) {
        jo_servo *servo = &lab_plane(l, 0, 0, 11e-3, 0, 0, -1, 0)->servo;
        *servo = (jo_servo){.on = true,
                            .direction = {0, 0, -1},
                            .stress = NAN,
                            .force = 0.5,
                            .area = NAN,
                            .gain = NAN,
                            .speed_max = 0.1};
    }
    lab_start(l, NAN);
    const double step = jo_soft_time_step(l->soft) * share;
    lab_stop(l);
    lab_start(l, step);
    double worst = 0, work = 0;
    for (int part = 0; part < 200; part++) {
        lab_go(l, (uint64_t)(1e-3 / step));
        lab_look(l);
        worst = fmax(worst, fabs(l->now.energy.balance));
        work = fmax(work, fabs(l->now.energy.work));
    }
    assert_int_equal(energy_alarms(l), 0);
    lab_free(l);
    return worst / work;
}

/* At the recommended step, and of second order at least. Lids, whose speed jumps from step to step,
 * come last in precision. */
static void walls_that_move_balance(void **unused)
{
    (void)unused;
    static const double most[MOVERS] = {
        [BELT] = 1e-8, [DRUM] = 2e-8, [SHAKER] = 3e-6, [PRESS] = 6e-5, [LID] = 6e-5};
    for (int how = 0; how < MOVERS; how++) {
        const double off = moved_by_wall((mover)how, 1), half = moved_by_wall((mover)how, 0.5);
        if (getenv("JOSTLE_TEST_TELL") != NULL)
            print_message("mover %d: %g, with half the step %g\n", how, off, half);
        if (!(off < most[how] && half < 0.4 * off))
            fail_msg("mover %d: the energy is off by %g of the work, with half the step by %g", how,
                     off, half);
    }
}

/* A plate that shakes fast is followed around its way: forty steps a period, and the account holds.
 * Slowly, contacts ask for shorter steps. */
static void a_fast_shaker_bounds_the_step(void **unused)
{
    (void)unused;
    double still = 0;
    for (int k = 0; k < 3; k++) {
        static const double frequency[3] = {0, 30, 5e3};
        lab *l = lab_new(3, NULL);
        materials(l);
        l->scene.gravity[2] = -9.81;
        lab_body(l, 0, 0, 5e-3, 5e-3, 0);
        jo_motion *motion = &lab_plane(l, 0, 0, 0, 0, 0, 1, 0)->motion;
        motion->amplitude[2] = k > 0 ? 1e-6 : 0;
        motion->frequency = frequency[k];
        lab_start(l, NAN);
        const jo_step_advice advice = jo_soft_advice(l->soft);
        const double step = jo_soft_time_step(l->soft);
        if (k == 0) still = step;
        if (k == 1) assert_true(fabs(step - still) < 0.1 * still);
        if (k == 2) {
            assert_true(1 / (40 * frequency[2]) < 0.5 * still);
            assert_true(step <= 1.000001 / (40 * frequency[2]));
            assert_non_null(strstr(advice.why, "shakes"));
            double worst = 0;
            for (int part = 0; part < 50; part++) {
                lab_go(l, (uint64_t)(1e-4 / step));
                lab_look(l);
                worst = fmax(worst, fabs(l->now.energy.balance));
            }
            assert_true(l->now.energy.work > 0 && worst < 1e-2 * l->now.energy.work);
            assert_int_equal(energy_alarms(l), 0);
        }
        lab_free(l);
    }
}

/* A wall that comes where balls are, one at rest and one that moves, pushes them away: the energy
 * is its work, and it stays balanced while they fly, meet it again and come to rest. */
static void walls_that_come_balance(void **unused)
{
    (void)unused;
    for (int how = 0; how < 2; how++) {
        lab *l = lab_new(3, NULL);
        materials(l);
        lab_body(l, 0, 0, 4.9e-3, 5e-3, 0);
        lab_velocity(l, lab_body(l, 0.02, 0, 4.8e-3, 5e-3, 0), 0.1, 0, how == 0 ? 0.05 : -0.05);
        jo_wall *wall = lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
        wall->from = how == 0 ? 1e-3 : 1.2345e-3;
        lab_start(l, NAN);
        const double step = jo_soft_time_step(l->soft);
        double worst = 0;
        for (int part = 0; part < 200; part++) {
            lab_go(l, (uint64_t)(1e-4 / step));
            lab_look(l);
            worst = fmax(worst, fabs(l->now.energy.balance));
        }
        if (getenv("JOSTLE_TEST_TELL") != NULL)
            print_message("come %d: %g of %g\n", how, worst, l->now.energy.work);
        assert_true(l->now.energy.work > 1e-6);
        if (!(worst < 1e-4 * l->now.energy.work))
            fail_msg("a wall that comes: the energy is off by %g of its work %g", worst,
                     l->now.energy.work);
        assert_int_equal(energy_alarms(l), 0);
        lab_free(l);
    }
}

/* A ball that falls into the tip of a cone and comes to rest there touches it along a circle. */
static double falls_into_cone(double wide, double friction, double restitution, double share)
{
    lab *l = lab_new(3, NULL);
    l->materials[0].young = 5e6;
    l->materials[0].poisson = 0.3;
    lab_contact(l, 0, 0)->restitution = restitution;
    lab_contact(l, 0, 0)->friction = friction;
    l->scene.gravity[2] = -9.81;
    const double deep = 5e-3 / sin(atan(wide / 0.1)); /* of the centre, at rest */
    const size_t b = lab_body(l, 5e-4, 2e-4, deep + 0.03, 5e-3, 0);
    lab_velocity(l, b, 0.05, 0.02, 0);
    jo_wall *cone = lab_plane(l, 0, 0, 0, 0, 0, 1, 0);
    cone->kind = JO_WALL_CONE;
    cone->axis[2] = 1;
    cone->length = 0.1;
    cone->radius = 0;
    cone->radius_end = wide;
    lab_start(l, NAN);
    const double dt = jo_soft_time_step(l->soft) * share;
    lab_stop(l);
    lab_start(l, dt);
    lab_look(l);
    const double before = l->now.energy.potential + l->now.energy.kinetic;
    double worst = 0;
    for (int part = 0; part < 20; part++) {
        lab_go(l, (uint64_t)(0.05 / dt));
        lab_look(l);
        worst = fmax(worst, fabs(l->now.energy.balance));
    }
    assert_true(l->now.energy.dissipated > 0.1 * before);
    lab_free(l);
    return worst / before;
}

/* Each time the centre passes the axis the two sides change places: their histories must not. When
 * they did, it was off by up to 1.3e-2. */
static void a_ball_in_a_cone_balances(void **unused)
{
    (void)unused;
    static const double wide[3] = {0.008, 0.02, 0.06};
    for (int k = 0; k < 3; k++)
        for (int rough = 0; rough < 2; rough++)
            for (int soft = 0; soft < 2; soft++) {
                const double off = falls_into_cone(wide[k], 0.5 * rough, soft ? 0.5 : 0.8, 1);
                if (getenv("JOSTLE_TEST_TELL") != NULL)
                    print_message("cone %d, friction %g: %g\n", k, 0.5 * rough, off);
                if (!(off < 3e-6))
                    fail_msg("cone %d, %s, restitution %s: the energy is off by %g of what it was",
                             k, rough ? "rough" : "smooth", soft ? "0.5" : "0.8", off);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_conserve_momentum),
        cmocka_unit_test(a_periodic_gas_keeps_its_momentum),
        cmocka_unit_test(a_sheared_gas_balances),
        cmocka_unit_test(images_collide_like_bodies),
        cmocka_unit_test(images_arrive_at_bodies_at_rest),
        cmocka_unit_test(a_balance_that_is_off_is_told),
        cmocka_unit_test(walls_that_move_balance),
        cmocka_unit_test(walls_that_come_balance),
        cmocka_unit_test(a_fast_shaker_bounds_the_step),
        cmocka_unit_test(a_ball_in_a_cone_balances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
