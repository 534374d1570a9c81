/* test_impact_balance.c — the energies of a single impact add up to a millionth at the step
 * recommended, and what is left vanishes with the square of the step at least: for every law, from
 * head-on to grazing, turning or not, slow to fast (grains of 10 MPa that overlap by up to a
 * seventh of the radius), against a plane, a larger sphere and an equal one, walls that curve
 * towards the body and away from it, still and turning, at any moment of the step, whatever
 * dashpots leave of it. All energy is in one contact here; in beds errors cancel. */
#include "physics/lab_grains.h"

/* Walls: the inside of a cylinder, still or turning, the outside of one, the inside of a cone; the
 * normal of all is -z where they are first touched. */
typedef enum partner { LARGER, EQUAL, PLANE, HOLLOW, DRUM, ROUND, FUNNEL, PARTNERS } partner;

typedef struct hit {
    partner with;
    double speed;    /* of approach */
    double aside[2]; /* velocity across it */
    double spin[3];
    double phase; /* of a step, when they meet */
    double share; /* of the step recommended */
} hit;

static void add_wall(lab *l, partner with, double r, double speed)
{
    const double wide = with == ROUND ? 3 * r : 5 * r, slope = 0.5; /* the funnel's, in radians */
    jo_wall *w = lab_plane(l, 0, 0, 0, 0, 0, -1, 0);
    if (with == PLANE) return;
    w->kind = with == FUNNEL ? JO_WALL_CONE : JO_WALL_CYLINDER;
    w->outside = with == ROUND;
    w->radius = wide;
    w->length = 200 * r;
    w->radius_end = w->length * tan(slope);
    w->point[0] = -0.5 * w->length;
    w->point[2] = with == ROUND ? wide : -wide;
    memcpy(w->axis, (double[3]){1, 0, 0}, sizeof w->axis);
    if (with == FUNNEL) { /* as wide as the others where it is touched */
        w->radius = w->point[2] = 0;
        w->point[0] = -wide / tan(slope);
        memcpy(w->axis, (double[3]){cos(slope), 0, -sin(slope)}, sizeof w->axis);
    }
    if (with != DRUM) return;
    memcpy(w->motion.spin, (double[3]){2 * speed / wide, 0, 0}, sizeof w->motion.spin);
    memcpy(w->motion.pivot, w->point, sizeof w->point);
}

/* How far the balance is off when the two have parted, of the energy before and what walls did; NAN
 * where they stay together. */
static double impact(const jo_law *law, double restitution, double friction, const hit *h)
{
    enum { LONGEST = 1000 }; /* steps; what stays together longer than that is stuck */
    lab *l = lab_new(3, law);
    materials_for_law(l);
    lab_contact(l, 0, 0)->restitution = restitution;
    lab_contact(l, 0, 0)->friction = friction;
    const double r = 1e-3, other = h->with == LARGER ? 1.2 * r : r;
    const bool wall = h->with >= PLANE;
    const double touch = wall ? -r : -(r + other);
    lab_body(l, 0, 0, touch - r, r, 0);
    lab_velocity(l, 0, h->aside[0], h->aside[1], h->speed);
    lab_spin(l, 0, h->spin[0], h->spin[1], h->spin[2]);
    if (wall)
        add_wall(l, h->with, r, h->speed);
    else
        lab_body(l, 0, 0, 0, other, 0);
    lab_start(l, NAN);
    const double dt = h->share * jo_soft_time_step(l->soft), ahead = (5 + h->phase) * dt;
    lab_stop(l);
    l->bodies.x[0] = -ahead * h->aside[0];
    l->bodies.x[1] = -ahead * h->aside[1];
    l->bodies.x[2] = touch - ahead * h->speed;
    lab_start(l, dt);
    lab_look(l);
    const double before = l->now.energy.kinetic;
    lab_go(l, 6);
    size_t contacts = lab_contacts(l);
    for (double t = 0; contacts > 0 && t < LONGEST * h->share; t += h->share) {
        lab_go(l, 1);
        contacts = lab_contacts(l);
    }
    lab_go(l, 2); /* the last force acts over half a step more */
    lab_look(l);
    const double off = l->now.energy.balance / (before + fabs(l->now.energy.work));
    lab_free(l);
    return contacts > 0 ? NAN : off;
}

typedef struct grain_law {
    const char *name;
    jo_law law;
    double restitution, friction;
} grain_law;

enum { LAWS_MAX = 40 };

static jo_law some(jo_normal_law normal, jo_damping_law damping, jo_tangential_law tangential)
{
    jo_law law = jo_law_default();
    law.normal = normal;
    law.damping = damping;
    law.tangential = tangential;
    return law;
}

static size_t springs(grain_law *out)
{
    const jo_normal_law HERTZ = JO_NORMAL_HERTZ, LINEAR = JO_NORMAL_LINEAR,
                        ENERGY = JO_NORMAL_ENERGY;
    const jo_damping_law KEEP = JO_DAMPING_RESTITUTION, VISCOUS = JO_DAMPING_VISCOUS,
                         NONE = JO_DAMPING_NONE;
    const jo_tangential_law MINDLIN = JO_TANGENTIAL_MINDLIN, FORCE = JO_TANGENTIAL_MINDLIN_FORCE,
                            PLAIN = JO_TANGENTIAL_LINEAR, SMOOTH = JO_TANGENTIAL_NONE;
    const grain_law all[] = {
        {"linear", some(LINEAR, KEEP, PLAIN), 0.6, 0.4},
        {"linear, viscous", some(LINEAR, VISCOUS, PLAIN), 0.6, 0.4},
        {"linear, no damping", some(LINEAR, NONE, PLAIN), 0.6, 0.4},
        {"linear, restitution 0.3", some(LINEAR, KEEP, PLAIN), 0.3, 0.4},
        {"linear, friction 1", some(LINEAR, KEEP, PLAIN), 0.6, 1},
        {"energy", some(ENERGY, KEEP, PLAIN), 0.6, 0.4},
        {"energy, restitution 0.3", some(ENERGY, KEEP, PLAIN), 0.3, 0.4},
        {"hertz", some(HERTZ, KEEP, MINDLIN), 0.6, 0.4},
        {"hertz, viscous", some(HERTZ, VISCOUS, MINDLIN), 0.6, 0.4},
        {"hertz, no damping", some(HERTZ, NONE, MINDLIN), 0.6, 0.4},
        {"hertz, no friction", some(HERTZ, KEEP, SMOOTH), 0.6, 0.4},
        {"hertz, incremental", some(HERTZ, KEEP, FORCE), 0.6, 0.4},
        {"hertz, restitution 0.9", some(HERTZ, KEEP, MINDLIN), 0.9, 0.4},
        {"hertz, restitution 0.3", some(HERTZ, KEEP, MINDLIN), 0.3, 0.4},
        {"hertz, friction 1", some(HERTZ, KEEP, MINDLIN), 0.6, 1},
        {"hertz, friction 0.1", some(HERTZ, KEEP, MINDLIN), 0.6, 0.1},
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Those that are composed of more parts. */
static size_t more_parts(grain_law *out)
{
    static const struct {
        const char *name;
        bool linear, clip, drags;
        jo_rolling_law rolling;
        jo_cohesion_law cohesion;
    } rows[] = {
        {"hertz, clipped", false, true, false, JO_ROLLING_NONE, JO_COHESION_NONE},
        {"linear, clipped", true, true, false, JO_ROLLING_NONE, JO_COHESION_NONE},
        {"hertz, dashpot", false, false, true, JO_ROLLING_NONE, JO_COHESION_NONE},
        {"linear, dashpot", true, false, true, JO_ROLLING_NONE, JO_COHESION_NONE},
        {"epsd", false, false, false, JO_ROLLING_EPSD, JO_COHESION_NONE},
        {"constant torque", false, false, false, JO_ROLLING_CONSTANT, JO_COHESION_NONE},
        {"dashpot, epsd", false, false, true, JO_ROLLING_EPSD, JO_COHESION_NONE},
        {"sjkr", false, false, false, JO_ROLLING_NONE, JO_COHESION_SJKR},
        {"linear, sjkr", true, false, false, JO_ROLLING_NONE, JO_COHESION_SJKR},
        {"sjkr, dashpot, torque", false, false, true, JO_ROLLING_CONSTANT, JO_COHESION_SJKR},
        {"jkr", false, false, false, JO_ROLLING_NONE, JO_COHESION_JKR},
        {"jkr, dashpot, epsd", false, false, true, JO_ROLLING_EPSD, JO_COHESION_JKR},
        {"liquid", false, false, false, JO_ROLLING_NONE, JO_COHESION_LIQUID},
        {"linear, liquid", true, false, false, JO_ROLLING_NONE, JO_COHESION_LIQUID},
        {"liquid, dashpot, epsd", false, false, true, JO_ROLLING_EPSD, JO_COHESION_LIQUID},
    };
    const size_t listed = sizeof rows / sizeof *rows;
    size_t count = listed;
    for (size_t k = 0; k < listed; k++) {
        out[k] = (grain_law){rows[k].name, jo_law_default(), 0.6, 0.4};
        if (rows[k].linear) {
            out[k].law.normal = JO_NORMAL_LINEAR;
            out[k].law.tangential = JO_TANGENTIAL_LINEAR;
        }
        out[k].law.clip_attraction = rows[k].clip;
        out[k].law.tangential_damping = rows[k].drags;
        out[k].law.rolling = rows[k].rolling;
        out[k].law.cohesion = rows[k].cohesion;
        if (strcmp(rows[k].name, "jkr") != 0 && strcmp(rows[k].name, "liquid") != 0) continue;
        out[count] = out[k]; /* once more without damping: nothing hides what jumps and kinks do */
        out[count].law.damping = JO_DAMPING_NONE;
        out[count++].name =
            rows[k].cohesion == JO_COHESION_JKR ? "jkr, no damping" : "liquid, no damping";
    }
    return count;
}

/* Ways to meet: what the velocity across is of that of approach, and the spin in units of it over
 * the radius. */
static const struct {
    const char *name;
    double aside[2], spin[3];
} ways[] = {
    {"head-on", {0, 0}, {0, 0, 0}},      {"6 degrees", {0, 0.1}, {0, 0, 0}},
    {"17 degrees", {0, 0.3}, {0, 0, 0}}, {"45 degrees", {0.6, 0.8}, {0, 0, 0}},
    {"72 degrees", {0, 3}, {0, 0, 0}},   {"84 degrees", {10, 0}, {0, 0, 0}},
    {"spinning", {0, 0}, {1, 0, 0}},     {"all at once", {0.5, 0.2}, {-0.3, 0.6, 0.8}},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The worst of all speeds, phases and partners. */
static double worst_of(const grain_law *g, int way, double share)
{
    static const double speeds[] = {0.02, 0.1, 0.5, 1, 2};
    const char *more = getenv("JOSTLE_TEST_PHASES");
    const int phases = more != NULL ? atoi(more) : lab_in_short() ? 1 : 3;
    double worst = 0;
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++)
        for (int k = 0; k < PARTNERS * phases; k++) {
            hit h = {.with = (partner)(k % PARTNERS), .speed = speeds[s], .share = share};
            h.phase = (k / PARTNERS + draw(0, 1)) / phases;
            if (h.with > PLANE && k / PARTNERS > 0 && more == NULL)
                continue; /* one phase will do */
            for (int a = 0; a < 2; a++)
                h.aside[a] = speeds[s] * ways[way].aside[a];
            for (int a = 0; a < 3; a++)
                h.spin[a] = speeds[s] / 1e-3 * ways[way].spin[a];
            const double off = fabs(impact(&g->law, g->restitution, g->friction, &h));
            if (off > worst) worst = off; /* those that stick together have none */
        }
    return worst;
}

/* `every`: of the ways to meet, 1 for all of them. */
static void balances(const grain_law *g, int every)
{
    const bool tell = getenv("JOSTLE_TEST_TELL") != NULL;
    /* Below this it depends on the phases drawn; jkr's contacts end where the force's slope is
     * infinite. */
    const double chance = g->law.cohesion == JO_COHESION_JKR ? 1.5e-7 : 5e-8;
    if (tell) print_message("%-24s", g->name);
    for (int way = 0; way < WAYS; way += every) {
        seed = 7;
        const double off = worst_of(g, way, 1), half = worst_of(g, way, 0.5);
        if (tell) print_message(" %.1e/%.1e", off, half);
        if (!(off > 0 && off <= 1e-6))
            fail_msg("%s, %s: the energy is off by %g", g->name, ways[way].name, off);
        if (!(half <= fmax(off / 3.5, chance)))
            fail_msg("%s, %s: off by %g, with half the step still by %g", g->name, ways[way].name,
                     off, half);
    }
    if (tell) print_message("\n");
}

static void impacts_balance(void **unused)
{
    (void)unused;
    grain_law laws[LAWS_MAX];
    const size_t count = springs(laws);
    for (size_t k = 0; k < count; k++)
        balances(&laws[k], 1);
}

static void impacts_with_more_parts_balance(void **unused)
{
    (void)unused;
    grain_law laws[LAWS_MAX];
    const size_t count = more_parts(laws);
    for (size_t k = 0; k < count; k++)
        balances(&laws[k], 1);
}

/* The less a dashpot leaves of an impact, the more steps the advice gives to it. */
static void impacts_of_all_restitutions_balance(void **unused)
{
    (void)unused;
    static const double restitutions[] = {0.05, 0.1, 0.2, 0.4, 0.7, 1};
    enum { COUNT = sizeof restitutions / sizeof *restitutions, NAME = 48 };
    const jo_tangential_law none = JO_TANGENTIAL_NONE, spring = JO_TANGENTIAL_LINEAR;
    jo_law hertz = some(JO_NORMAL_HERTZ, JO_DAMPING_RESTITUTION, none), clipped = hertz;
    jo_law sjkr = hertz, linear = some(JO_NORMAL_LINEAR, JO_DAMPING_RESTITUTION, none);
    jo_law linear_clipped = linear, drags = linear;
    clipped.clip_attraction = linear_clipped.clip_attraction = true;
    sjkr.cohesion = JO_COHESION_SJKR;
    drags.tangential = spring;
    drags.tangential_damping = true;
    const grain_law laws[] = {
        {"hertz, no friction", hertz, 0, 0.4},
        {"hertz", jo_law_default(), 0, 0.4},
        {"hertz, clipped, no friction", clipped, 0, 0.4},
        {"sjkr, no friction", sjkr, 0, 0.4},
        {"linear, no friction", linear, 0, 0.4},
        {"linear, clipped, no friction", linear_clipped, 0, 0.4},
        {"linear, dashpot", drags, 0, 0.4},
        {"energy", some(JO_NORMAL_ENERGY, JO_DAMPING_RESTITUTION, spring), 0, 0.4},
    };
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
        for (int r = lab_in_short() ? COUNT - 5 : 0; r < COUNT; r += lab_in_short() ? 4 : 1) {
            char name[NAME];
            grain_law g = laws[k];
            (void)snprintf(name, sizeof name, "%s, %g", laws[k].name, restitutions[r]);
            g.name = name;
            g.restitution = restitutions[r];
            balances(&g, 3); /* head-on, oblique and turning */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_balance),
        cmocka_unit_test(impacts_with_more_parts_balance),
        cmocka_unit_test(impacts_of_all_restitutions_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
