/* test_law.c — the contact law against an independent scalar reference in long double.
 *
 * The reference (law_reference.h) is asked for the force, torque and history of random states; the
 * four lanes must agree with it to rounding, with each other and with the AVX2 build to the last
 * bit. Damping factors are compared with published numbers, and energies with the integral of the
 * force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "unit/law_reference.h"

/* ---- every combination of parts ---- */

static jo_scene *scene_of(jo_law parts)
{
    static jo_material materials[1];
    static jo_contact_def contacts[1];
    static jo_scene scene;
    materials[0] = (jo_material){.name = "glass", .density = 2500, .young = 1e8, .poisson = 0.25};
    contacts[0] = (jo_contact_def){.normal_stiffness = NAN,
                                   .tangential_stiffness = NAN,
                                   .contact_time = NAN,
                                   .restitution = 0.6,
                                   .normal_damping = 1e3,
                                   .tangential_damping = NAN,
                                   .friction = 0.4,
                                   .rolling_friction = 0.05,
                                   .rolling_stiffness = NAN,
                                   .rolling_damping = NAN,
                                   .surface_energy = 0.1,
                                   .cohesion_density = 1e5,
                                   .liquid_volume = 1e-12,
                                   .surface_tension = 0.07,
                                   .wetting_angle = 0.3};
    if (parts.normal == JO_NORMAL_LINEAR) contacts[0].normal_stiffness = 1e4;
    if (parts.normal == JO_NORMAL_ENERGY) contacts[0].contact_time = 1e-4;
    if (parts.normal == JO_NORMAL_HERTZ && parts.damping == JO_DAMPING_VISCOUS)
        contacts[0].normal_damping = 1e7;
    if (parts.normal == JO_NORMAL_HERTZ && parts.tangential == JO_TANGENTIAL_LINEAR)
        contacts[0].tangential_stiffness = 3e3;
    memset(&scene, 0, sizeof scene);
    scene.dim = 3;
    scene.law = parts;
    scene.material_count = 1;
    scene.materials = materials;
    scene.contacts = contacts;
    return &scene;
}

/* The k-th combination that goes together; false beyond the last. */
static bool combination(unsigned k, jo_law *parts, bool *allowed)
{
    *parts = (jo_law){.normal = (jo_normal_law)(k % 3),
                      .damping = (jo_damping_law)(k / 3 % 3),
                      .tangential = (jo_tangential_law)(k / 9 % 4),
                      .rolling = (jo_rolling_law)(k / 36 % 3),
                      .cohesion = (jo_cohesion_law)(k / 108 % 4),
                      .tangential_damping = k / 432 % 2 == 0,
                      .clip_attraction = k / 864 % 2 == 1,
                      .dashpot_loads_spring = k / 1728 % 2 == 1};
    *allowed =
        !(parts->normal == JO_NORMAL_ENERGY && parts->tangential >= JO_TANGENTIAL_MINDLIN) &&
        !(parts->normal != JO_NORMAL_HERTZ && parts->cohesion == JO_COHESION_JKR) &&
        !(parts->normal == JO_NORMAL_LINEAR && parts->tangential >= JO_TANGENTIAL_MINDLIN &&
          parts->damping == JO_DAMPING_VISCOUS); /* units of gamma would not be one's guess */
    return k < 3456;
}

static void close_to(double found, long double wanted, double scale, const char *what, unsigned k)
{
    if (!(fabsl(found - wanted) <= 1e-9L * scale))
        fail_msg("%s of combination %u: %.17g, should be %.17Lg", what, k, found, wanted);
}

static void compare(const contact4 *k, int lane, const answer *want, const jo_law *parts,
                    unsigned number)
{
    const double way = fabs(k->closed[lane]);
    const double rough = parts->normal == JO_NORMAL_HERTZ && k->overlap[lane] < way
                             ? 1e3 * k->c.kn[lane] * sqrt(k->radius[lane] * way) * way
                             : 0;
    assert_int_equal(k->on[lane] != 0, want->on);
    const double *force[3] = {(const double *)&k->force.x, (const double *)&k->force.y,
                              (const double *)&k->force.z};
    const double torque[3] = {k->torque.x[lane], k->torque.y[lane], k->torque.z[lane]};
    const double xi[3] = {k->xi.x[lane], k->xi.y[lane], k->xi.z[lane]};
    const double roll[3] = {k->roll.x[lane], k->roll.y[lane], k->roll.z[lane]};
    /* Where contact begins or ends a zeta function is approximated: to 1e-6 of a small force. */
    close_to(k->normal[lane], want->normal, 1e-2 + rough, "normal force", number);
    if (want->on) close_to(k->pull[lane], want->pull, 1e-2, "dashpot", number);
    for (int a = 0; a < 3; a++) {
        close_to(force[a][lane], want->force[a], 1e-2 + rough, "force", number);
        close_to(torque[a], want->torque[a], 1e-6 + 1e-3 * rough, "torque", number);
        if (want->on && parts->tangential != JO_TANGENTIAL_NONE)
            close_to(xi[a], want->xi[a],
                     (1e-6 + fabs(xi[a])) * (rough > 0 ? 1e5 : 1) +
                         (parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE ? rough : 0),
                     "xi", number);
        if (want->on && parts->rolling == JO_ROLLING_EPSD)
            close_to(roll[a], want->roll[a], 1e-7 + 1e-3 * rough, "roll", number);
    }
}

static void every_combination_agrees_with_the_reference(void **unused)
{
    (void)unused;
    static law l;
    jo_law parts;
    bool allowed;
    size_t sliding = 0, sticking = 0, off = 0;
    for (unsigned c = 0; combination(c, &parts, &allowed); c++) {
        jo_error error = {0};
        if (!allowed) continue;
        const jo_status status = jo_law_prepare(scene_of(parts), &l, &error);
        if (status != JO_OK) fail_msg("combination %u: %s", c, error.text);
        for (int t = 0; t < 8; t++) {
            contact4 k = {0};
            state s[4];
            for (int lane = 0; lane < 4; lane++)
                s[lane] = random_state(), load(&k, lane, &s[lane], &l.pairs[0]);
            law_run_plain(&l, &k, 1);
            for (int lane = 0; lane < 4; lane++) {
                const answer want = reference(&l, &l.pairs[0], &s[lane]);
                if (parts.rolling == JO_ROLLING_NONE)
                    k.torque = (vec4x3){v4_zero(), v4_zero(), v4_zero()};
                compare(&k, lane, &want, &parts, c);
                off += !want.on;
                sliding += want.on && want.sliding;
                sticking += want.on && !want.sliding && parts.tangential != JO_TANGENTIAL_NONE;
            }
        }
    }
    /* The states must have been of all kinds. */
    assert_true(sliding > 1000 && sticking > 1000 && off > 100);
}

/* What the tangential force changed by is the law's to say, also where it has none: the caller's
 * room for it may hold anything. */
static void losses_do_not_depend_on_what_was_not_given(void **unused)
{
    (void)unused;
    static law l;
    jo_law parts;
    bool allowed;
    for (unsigned c = 0; combination(c, &parts, &allowed); c++) {
        jo_error error = {0};
        if (!allowed || parts.rolling == JO_ROLLING_NONE) continue;
        assert_int_equal(jo_law_prepare(scene_of(parts), &l, &error), JO_OK);
        contact4 k = {0}, dirty;
        for (int lane = 0; lane < 4; lane++) {
            const state s = random_state();
            load(&k, lane, &s, &l.pairs[0]);
        }
        k.account = true;
        k.drift.skew = v4_all(1.0);
        dirty = k;
        dirty.drift.jump = (vec4x3){v4_all(NAN), v4_all(NAN), v4_all(NAN)};
        law_run_plain(&l, &k, 1);
        law_run_plain(&l, &dirty, 1);
        if (memcmp(&k.dissipated, &dirty.dissipated, sizeof k.dissipated) != 0)
            fail_msg("combination %u: %g and %g are lost", c, k.dissipated[0], dirty.dissipated[0]);
    }
}

/* ---- same bits ---- */

static void lanes_and_builds_give_the_same_bits(void **unused)
{
    (void)unused;
    static law l;
    jo_law parts;
    bool allowed, avx2 = true;
    for (unsigned c = 0; combination(c, &parts, &allowed); c++) {
        jo_error error = {0};
        if (!allowed || jo_law_prepare(scene_of(parts), &l, &error) != JO_OK) continue;
        contact4 four, wide, alone[4];
        memset(&four, 0, sizeof four);
        memset(alone, 0, sizeof alone);
        for (int lane = 0; lane < 4; lane++) {
            const state s = random_state();
            load(&four, lane, &s, &l.pairs[0]);
            for (int copy = 0; copy < 4; copy++)
                load(&alone[lane], copy, &s, &l.pairs[0]);
        }
        wide = four;
        law_run_plain(&l, &four, 1);
        law_run_plain(&l, alone, 4);
        for (int lane = 0; lane < 4; lane++) {
            const double *one = (const double *)&alone[lane].force,
                         *all = (const double *)&four.force;
            const size_t outputs = (sizeof four - offsetof(contact4, force)) / sizeof(vec4);
            for (size_t f = 0; f < outputs; f++)
                assert_memory_equal(&one[4 * f + lane], &all[4 * f + lane], sizeof(double));
        }
        avx2 = avx2 && law_run_avx2(&l, &wide, 1);
        if (avx2) assert_memory_equal(&wide, &four, sizeof four);
    }
    if (!avx2) skip();
}

/* ---- damping factors ---- */

/* Speed after x'' = -x^(3/2) - alpha x^(1/4) x', x' = 1 at first, when the force has vanished: the
 * midpoint rule with steps so small that the sharp beginning does not matter. */
static double clipped_speed(double alpha)
{
    const double dt = 2e-5;
    double x = 0, v = 1;
    for (;;) {
        const double xm = x + 0.5 * dt * v;
        const double vm = v - 0.5 * dt * (x * sqrt(x) + alpha * sqrt(sqrt(x)) * v);
        const double a = xm > 0 ? -xm * sqrt(xm) - alpha * sqrt(sqrt(xm)) * vm : 0;
        if (vm < 0 && a >= 0) return -v;
        x += dt * vm;
        v += dt * a;
    }
}

static void damping_factors_are_the_published_ones(void **unused)
{
    (void)unused;
    /* e; attraction allowed until the bodies part; attraction clipped: independent integration. */
    static const double table[9][3] = {
        {0.1, 1.321865, 2.779882}, {0.2, 1.019535, 1.635130}, {0.3, 0.800197, 1.111868},
        {0.4, 0.626096, 0.792708}, {0.5, 0.481770, 0.570817}, {0.6, 0.358875, 0.404413},
        {0.7, 0.252248, 0.273282}, {0.8, 0.158427, 0.166264}, {0.9, 0.074950, 0.076620},
    };
    for (int i = 0; i < 9; i++) {
        const double e = table[i][0];
        assert_true(fabs(jo_law_damping_hertz(e, false) - table[i][1]) < 5e-6);
        /* The table was integrated with 4,000 steps per contact: restitution good to 2e-6. */
        assert_true(fabs(jo_law_damping_hertz(e, true) - table[i][2]) <
                    5e-6 + 1.5e-5 * table[i][2]);
        assert_true(fabs(clipped_speed(jo_law_damping_hertz(e, true)) - e) < 1e-6);
    }
    assert_true(jo_law_damping_hertz(1, false) == 0 && jo_law_damping_hertz(1, true) == 0);
}

/* Speed after a linear collision that came in at 1, m = k = 1, and its duration, by the exact
 * solution of the oscillator in steps so small that the end is sharp. */
static void linear_collision(long double alpha, bool clip, long double *speed, long double *time)
{
    const long double dt = 1e-5L;
    long double x = 0, v = 1, t = 0;
    do {
        const long double h = dt / 2, a = -x - alpha * v, xm = x + h * v, vm = v + h * a;
        x += dt * vm;
        v += dt * (-xm - alpha * vm);
        t += dt;
    } while (clip ? x + alpha * v > 0 : x > 0);
    *speed = -v;
    *time = t;
}

static void linear_damping_gives_restitution_and_duration(void **unused)
{
    (void)unused;
    for (int i = 1; i <= 10; i++)
        for (int clip = 0; clip < 2; clip++) {
            const double e = 0.1 * i, alpha = jo_law_damping_linear(e, clip);
            long double speed, time;
            linear_collision(alpha, clip, &speed, &time);
            assert_true(fabsl(speed - e) < 3e-5L); /* a step is 1e-5 */
            assert_true(fabsl(time - jo_law_duration_linear(alpha, clip)) < 3e-5L);
        }
}

/* ---- energies are integrals of forces ---- */

static double energy_at(const law *l, double overlap)
{
    const double none[3] = {0, 0, 0};
    return law_stored_energy(l, &l->pairs[0], overlap, 2e-3, 5e-5, none, NULL);
}

static double force_at(const law *l, double overlap)
{
    state s = {.n = {0, 0, 1}, .overlap = overlap, .radius = 2e-3, .mass = 5e-5, .step = 1e-6};
    contact4 k = {0};
    for (int lane = 0; lane < 4; lane++)
        load(&k, lane, &s, &l->pairs[0]);
    law_run_plain(l, &k, 1);
    return k.normal[0];
}

static void forces_derive_from_stored_energies(void **unused)
{
    (void)unused;
    static law l;
    for (int normal = 0; normal < 3; normal++)
        for (int cohesion = 0; cohesion < 4; cohesion++) {
            const jo_law parts = {.normal = (jo_normal_law)normal,
                                  .cohesion = (jo_cohesion_law)cohesion};
            if (cohesion == JO_COHESION_JKR && normal != JO_NORMAL_HERTZ) continue;
            jo_error error = {0};
            assert_int_equal(jo_law_prepare(scene_of(parts), &l, &error), JO_OK);
            const double reach = jo_law_reach(&l, 2e-3);
            assert_true(l.reaches == (reach > 0));
            for (int i = 1; i < 200; i++) {
                const double d = -reach + (reach + 1e-5) * i / 200, h = 1e-9;
                if (d < 2 * h && d > -2 * h) continue; /* the spring begins here */
                if (d < 0 && !l.reaches) continue;
                const double slope = (energy_at(&l, d + h) - energy_at(&l, d - h)) / (2 * h);
                const double force = force_at(&l, d);
                if (fabs(slope - force) > 1e-5 * (1e-3 + fabs(force)))
                    fail_msg("normal %d cohesion %d at %g: %g, slope %g", normal, cohesion, d,
                             force, slope);
            }
        }
}

/* Pull-off: the largest pull is 3/2 pi w R, the last contact at -3 b^2 / R. */
static void jkr_pulls_off_where_theory_says(void **unused)
{
    (void)unused;
    static law l;
    const jo_law parts = {.normal = JO_NORMAL_HERTZ, .cohesion = JO_COHESION_JKR};
    jo_error error = {0};
    assert_int_equal(jo_law_prepare(scene_of(parts), &l, &error), JO_OK);
    const double w = 0.1, R = 2e-3, young = 0.75 * l.pairs[0].kn, pi = (double)pi_l;
    const double b = cbrt(pi * w * R * R / (8 * young)), gap = 3 * b * b / R;
    assert_true(fabs(jo_law_reach(&l, R) / gap - 1) < 1e-12);
    double most = 0;
    for (int i = 0; i < 100000; i++)
        most = fmin(most, force_at(&l, -gap * i / 100000));
    assert_true(fabs(most / (-1.5 * pi * w * R) - 1) < 1e-8);
    assert_true(fabs(force_at(&l, -gap * (1 - 1e-12)) / (-5.0 / 6.0 * pi * w * R) - 1) < 1e-5);
    assert_true(force_at(&l, -gap * (1 + 1e-9)) == 0);
    /* Bodies that come near do not feel each other before they touch. */
    state s = {.n = {0, 0, 1}, .overlap = -0.5 * gap, .radius = R, .mass = 5e-5, .fresh = true};
    contact4 k = {0};
    for (int lane = 0; lane < 4; lane++)
        load(&k, lane, &s, &l.pairs[0]);
    law_run_plain(&l, &k, 1);
    assert_true(k.normal[0] == 0 && !v4_any(k.on));
}

/* ---- a sphere meets a wall: everything that is lost must be accounted ---- */

typedef struct ball {
    double height, v, vt[3], w[3]; /* half a step back, like the engine's */
    double a, at[3], aw[3];        /* last accelerations */
} ball;

typedef struct balance {
    double lost, energy_in, energy_out;
    bool stuck;
} balance;

static void kick(ball *b, const contact4 *k, double mass, double inertia, double radius)
{
    const double force[3] = {k->force.x[0], k->force.y[0], k->force.z[0]};
    b->a = force[2] / mass;
    for (int a = 0; a < 2; a++)
        b->at[a] = force[a] / mass;
    /* torque = -arm n x F, n = z */
    b->aw[0] = (radius * force[1] + k->torque.x[0]) / inertia;
    b->aw[1] = (-radius * force[0] + k->torque.y[0]) / inertia;
    b->aw[2] = k->torque.z[0] / inertia;
}

static double kinetic(const ball *b, double dt, double mass, double inertia)
{
    double v = b->v + 0.5 * dt * b->a, twice = mass * v * v;
    for (int a = 0; a < 2; a++)
        v = b->vt[a] + 0.5 * dt * b->at[a], twice += mass * v * v;
    for (int a = 0; a < 3; a++)
        v = b->w[a] + 0.5 * dt * b->aw[a], twice += inertia * v * v;
    return 0.5 * twice;
}

/* Velocity Verlet as the engine does it; the lever arm is the radius throughout. */
static balance collide(const law *l, double dt, double speed)
{
    const double R = 2e-3, mass = 5e-5, inertia = 0.4 * mass * R * R;
    ball b = {.height = R + 0.37 * dt * speed,
              .v = -speed,
              .vt = {0.4 * speed, 0.1 * speed, 0},
              .w = {20, -30, 5}};
    balance out = {.energy_in = kinetic(&b, dt, mass, inertia)};
    state s = {
        .n = {0, 0, 1}, .radius = R, .mass = mass, .step = dt, .fresh = true, .turns = 1 / inertia};
    bool was = false, ended = false;
    double stored = 0;
    for (int i = 0; i < 2000000 && !ended; i++) {
        b.v += dt * b.a;
        for (int a = 0; a < 3; a++)
            b.vt[a] += dt * b.at[a], b.w[a] += dt * b.aw[a];
        b.height += dt * b.v;
        s.overlap = R - b.height;
        s.closed = -dt * b.v;
        s.vn = b.v + 0.5 * dt * b.a;
        /* the surface: v - R w x n with n = z */
        const double u[3] = {b.vt[0] - R * b.w[1], b.vt[1] + R * b.w[0], 0};
        const double du[3] = {b.at[0] - R * b.aw[1], b.at[1] + R * b.aw[0], 0};
        for (int a = 0; a < 3; a++) {
            s.slid[a] = dt * u[a];
            s.vt[a] = u[a] + 0.5 * dt * du[a];
            s.rolled[a] = dt * b.w[a];
            s.spin[a] = b.w[a] + 0.5 * dt * b.aw[a];
        }
        s.fresh = !was;
        contact4 k = {0};
        for (int lane = 0; lane < 4; lane++)
            load(&k, lane, &s, &l->pairs[0]);
        k.torque = (vec4x3){v4_zero(), v4_zero(), v4_zero()};
        law_run_plain(l, &k, 1);
        out.lost += k.dissipated[0];
        kick(&b, &k, mass, inertia, R);
        const double xi[3] = {k.xi.x[0], k.xi.y[0], k.xi.z[0]};
        const double roll[3] = {k.roll.x[0], k.roll.y[0], k.roll.z[0]};
        ended = was && k.on[0] == 0;
        was = k.on[0] != 0;
        s.pull = k.pull[0];
        memcpy(s.xi, xi, sizeof xi);
        memcpy(s.roll, roll, sizeof roll);
        const double drag[3] = {k.drag.x[0], k.drag.y[0], k.drag.z[0]};
        const double twist[3] = {k.twist.x[0], k.twist.y[0], k.twist.z[0]};
        memcpy(s.drag, drag, sizeof drag);
        memcpy(s.twist, twist, sizeof twist);
        stored = was ? law_stored_energy(l, &l->pairs[0], s.overlap, R, mass, xi, roll) : 0;
        if (was && i * dt > 2e-3) {
            out.stuck = true;
            break;
        }
    }
    if (ended) /* the last force acts over half a step more */
        b.v += 0.5 * dt * b.a;
    out.energy_out = kinetic(&b, dt, mass, inertia) + stored;
    return out;
}

/* What a collision loses is what the law says it lost. The rest is the integrator's: it must be
 * small, and vanish with the step. */
static void losses_are_accounted(void **unused)
{
    (void)unused;
    static law l;
    jo_law parts;
    bool allowed;
    double worst = 0;
    for (unsigned c = 0; combination(c, &parts, &allowed); c++) {
        jo_error error = {0};
        if (!allowed || jo_law_prepare(scene_of(parts), &l, &error) != JO_OK) continue;
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            const balance b = collide(&l, fine ? 2.5e-7 : 1e-6, 0.5);
            off[fine] = fabs(b.energy_out + b.lost - b.energy_in) / b.energy_in;
        }
        if (off[0] > worst) worst = off[0];
        if (!(off[0] < 3e-4 && off[1] < 5e-5))
            fail_msg("combination %u (normal %d damping %d tangential %d rolling %d cohesion %d): "
                     "balance off by %g, with a quarter of the step by %g",
                     c, parts.normal, parts.damping, parts.tangential, parts.rolling,
                     parts.cohesion, off[0], off[1]);
    }
    print_message("worst balance of one collision: %g\n", worst);
}

/* On an edge the gap changes by more than the motion tells: the overlap a step ago comes out
 * negative, though springs were stretched. What is lost is still of the order of what they can
 * hold. */
static void a_gap_that_jumps_loses_no_more_than_was_held(void **unused)
{
    (void)unused;
    static law l;
    jo_law parts;
    bool allowed;
    size_t seen = 0;
    for (unsigned c = 0; combination(c, &parts, &allowed); c++) {
        jo_error error = {0};
        if (!allowed || jo_law_prepare(scene_of(parts), &l, &error) != JO_OK) continue;
        for (int parts_now = 0; parts_now < 2; parts_now++) {
            const double R = 2e-3, d = 1e-5, limit = 0.05 * R * force_at(&l, d);
            state s = {.n = {0, 0, 1},
                       .radius = R,
                       .mass = 5e-5,
                       .step = 1e-6,
                       .closed = 2 * d,
                       .overlap = parts_now ? -d : d,
                       .roll = {0.5 * limit, 0, 0}};
            if (parts.tangential == JO_TANGENTIAL_MINDLIN_FORCE) s.xi[0] = 0.2 * force_at(&l, d);
            contact4 k = {0};
            for (int lane = 0; lane < 4; lane++)
                load(&k, lane, &s, &l.pairs[0]);
            law_run_plain(&l, &k, 1);
            const double held = fabs(energy_at(&l, d)) + fabs(energy_at(&l, -d)) + 1e-9;
            if (!(fabs(k.dissipated[0]) < 100 * held))
                fail_msg("combination %u (normal %d tangential %d rolling %d cohesion %d): lost %g "
                         "of %g",
                         c, parts.normal, parts.tangential, parts.rolling, parts.cohesion,
                         k.dissipated[0], held);
            seen++;
        }
    }
    assert_true(seen > 2000);
}

/* ---- what prepare refuses ---- */

static void refused(jo_law parts, size_t field, double value, const char *word)
{
    static law l;
    jo_scene *s = scene_of(parts);
    ((double *)s->contacts)[field] = value;
    jo_error error = {0};
    assert_int_equal(jo_law_prepare(s, &l, &error), JO_ERR_DATA);
    if (strstr(error.text, word) == NULL || strstr(error.text, "glass") == NULL)
        fail_msg("'%s' does not name %s", error.text, word);
}

#define FIELD(name) (offsetof(jo_contact_def, name) / sizeof(double))

static void bad_coefficients_are_refused(void **unused)
{
    (void)unused;
    const jo_law hertz = {.normal = JO_NORMAL_HERTZ,
                          .damping = JO_DAMPING_RESTITUTION,
                          .tangential = JO_TANGENTIAL_MINDLIN};
    jo_law p = hertz;
    refused(p, FIELD(restitution), 0, "restitution");
    refused(p, FIELD(restitution), 1.01, "restitution");
    refused(p, FIELD(restitution), NAN, "restitution");
    refused(p, FIELD(normal_stiffness), -1, "normal stiffness");
    refused(p, FIELD(normal_stiffness), INFINITY, "normal stiffness");
    refused(p, FIELD(tangential_stiffness), 0, "tangential stiffness");
    refused(p, FIELD(friction), -0.1, "friction");
    refused(p, FIELD(friction), NAN, "friction");
    p.damping = JO_DAMPING_VISCOUS;
    refused(p, FIELD(normal_damping), -1, "damping");
    refused(p, FIELD(tangential_damping), -1, "damping");
    p = hertz;
    p.normal = JO_NORMAL_LINEAR;
    refused(p, FIELD(normal_stiffness), NAN, "normal stiffness");
    p.normal = JO_NORMAL_ENERGY;
    p.tangential = JO_TANGENTIAL_LINEAR;
    refused(p, FIELD(contact_time), NAN, "contact time");
    refused(p, FIELD(contact_time), 0, "contact time");
    refused(p, FIELD(normal_stiffness), 1e5, "stiffness");
    p.tangential = JO_TANGENTIAL_MINDLIN;
    refused(p, FIELD(contact_time), 1e-4, "tangential linear");
    p = hertz;
    p.tangential = JO_TANGENTIAL_LINEAR;
    refused(p, FIELD(tangential_stiffness), NAN, "tangential stiffness");
    p = hertz;
    p.rolling = JO_ROLLING_EPSD;
    refused(p, FIELD(rolling_friction), -1, "rolling friction");
    refused(p, FIELD(rolling_stiffness), 0, "rolling stiffness");
    refused(p, FIELD(rolling_damping), -1, "rolling damping");
    p = hertz;
    p.cohesion = JO_COHESION_JKR;
    refused(p, FIELD(surface_energy), -1, "surface energy");
    p.cohesion = JO_COHESION_SJKR;
    refused(p, FIELD(cohesion_density), NAN, "cohesion density");
    p.cohesion = JO_COHESION_LIQUID;
    refused(p, FIELD(liquid_volume), -1, "liquid volume");
    refused(p, FIELD(surface_tension), NAN, "surface tension");
    refused(p, FIELD(wetting_angle), 2, "wetting angle");
    p.normal = JO_NORMAL_LINEAR;
    p.cohesion = JO_COHESION_JKR;
    refused(p, FIELD(normal_stiffness), 1e5, "hertz");
}

/* ---- times ---- */

static void contact_times(void **unused)
{
    (void)unused;
    static law l;
    jo_error error = {0};
    jo_law parts = {.normal = JO_NORMAL_LINEAR,
                    .damping = JO_DAMPING_RESTITUTION,
                    .tangential = JO_TANGENTIAL_LINEAR,
                    .tangential_damping = true};
    const double pi = (double)pi_l, m = 5e-5;
    assert_int_equal(jo_law_prepare(scene_of(parts), &l, &error), JO_OK);
    /* t = pi / sqrt(k / m - (gamma / 2 m)^2), e = exp(-gamma t / 2 m) */
    const double t = jo_law_contact_time(&l, &l.pairs[0], 2e-3, m, 1);
    const double gamma = -2 * m * log(0.6) / t;
    assert_true(fabs(t * sqrt(1e4 / m - pow(gamma / (2 * m), 2)) / pi - 1) < 1e-12);
    /* k_t = 2/7 k_n moves 2/7 of the mass: half periods agree, without damping. */
    assert_true(fabs(jo_law_tangential_time(&l, &l.pairs[0], 2e-3, m, 1) / (pi * sqrt(m / 1e4)) -
                     1) < 1e-12);
    /* Steps: the contact would last pi sqrt(m / k) without its dashpot, and is to be resolved the
     * better the longer it does; one that never ends as if it lasted twice that. */
    const double free = pi * sqrt(m / 1e4);
    assert_true(fabs(jo_law_resolved_time(&l, &l.pairs[0], 2e-3, m, 1) * t / (free * free) - 1) <
                1e-12);
    l.pairs[0].damp_n = 2.1;
    assert_true(fabs(jo_law_resolved_time(&l, &l.pairs[0], 2e-3, m, 1) / (0.5 * free) - 1) < 1e-12);
    l.pairs[0].damp_n = 0;
    assert_true(fabs(jo_law_resolved_time(&l, &l.pairs[0], 2e-3, m, 1) / free - 1) < 1e-12);
    parts.normal = JO_NORMAL_ENERGY;
    for (int clip = 0; clip < 2; clip++) {
        parts.clip_attraction = clip;
        assert_int_equal(jo_law_prepare(scene_of(parts), &l, &error), JO_OK);
        for (double mass = 1e-6; mass < 1; mass *= 10)
            assert_true(fabs(jo_law_contact_time(&l, &l.pairs[0], 2e-3, mass, 1) / 1e-4 - 1) <
                        1e-12);
    }
    /* Hertz: two glass spheres of R = 0.01 at +-10 m/s; the figure has steps of 1/4,000. */
    const double young = 4.8e10 / (2 * (1 - 0.04)), mass = 0.5 * 2800 * 4 / 3.0 * pi * 1e-6;
    l.parts.normal = JO_NORMAL_HERTZ;
    l.pairs[0].kn = 4.0 / 3.0 * young;
    assert_true(fabs(jo_law_contact_time(&l, &l.pairs[0], 0.005, mass, 20) / 4.034367e-5 - 1) <
                2e-4);
    const double whole = jo_law_contact_time(&l, &l.pairs[0], 0.005, mass, 20);
    l.pairs[0].damp_n = 0.8; /* restitution 0.3 */
    assert_true(fabs(jo_law_resolved_time(&l, &l.pairs[0], 0.005, mass, 20) / whole - 1 / 1.2) <
                1e-12);
}

int main(void)
{
    seed = 20260101;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_agrees_with_the_reference),
        cmocka_unit_test(losses_do_not_depend_on_what_was_not_given),
        cmocka_unit_test(lanes_and_builds_give_the_same_bits),
        cmocka_unit_test(damping_factors_are_the_published_ones),
        cmocka_unit_test(linear_damping_gives_restitution_and_duration),
        cmocka_unit_test(forces_derive_from_stored_energies),
        cmocka_unit_test(jkr_pulls_off_where_theory_says),
        cmocka_unit_test(losses_are_accounted),
        cmocka_unit_test(a_gap_that_jumps_loses_no_more_than_was_held),
        cmocka_unit_test(bad_coefficients_are_refused),
        cmocka_unit_test(contact_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
