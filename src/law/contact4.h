/* contact4.h — the contact law, four contacts at a time.
 *
 * A contact joins body a and body b (or a wall). n is the unit vector from b to a; forces are those
 * on a, b gets the opposite. The law is composed of parts, each a function below: normal spring,
 * normal dashpot, tangential spring with Coulomb's limit, rolling resistance, cohesion. Which parts
 * act is the same for all contacts of a scene, so the branches on it cost next to nothing, and four
 * contacts go through the arithmetic together.
 *
 * History. xi is the elastic part of the tangential displacement of a against b, carried from step
 * to step: turned with the contact plane, increased by what a slid along b in the last step, and cut
 * back where Coulomb's limit is reached so that force and spring agree. (With the incremental law it
 * is the tangential force itself, reversed.) `pull` is the dashpot's normal force a step ago: the
 * work of dashpots is summed by the trapezoidal rule, as the integrator does it.
 *
 * Everything here is inlined into the kernels of src/soft, which are compiled once plain and once
 * for AVX2; the results are the same bits. */
#ifndef JO_LAW_CONTACT4_H
#define JO_LAW_CONTACT4_H

#include "base/vec4.h"
#include "law/law.h"

/* Coefficients, lane by lane. */
typedef struct law_pair4 {
    vec4 kn, kt, damp_n, damp_t, mu, mu_r, kr, eta_r, adhesion, reach;
} law_pair4;

typedef struct contact4 {
    /* in */
    law_pair4 c;
    vec4x3 n;      /* unit vector from b to a */
    vec4 overlap;  /* > 0 where they overlap */
    vec4 radius;   /* effective: ra rb / (ra + rb); ra against a wall */
    vec4 mass;     /* effective */
    vec4 vn;       /* normal velocity of a against b now; negative while they approach */
    vec4x3 vt;     /* tangential velocity of a's surface against b's, now */
    vec4 closed;   /* approach over the last step: minus the normal displacement */
    vec4x3 slid;   /* tangential displacement of a's surface against b's over the last step */
    vec4x3 spin;   /* wa - wb now; rolling laws only */
    vec4x3 rolled; /* rotation of a against b over the last step; rolling laws only */
    mask4 on;      /* lanes that are contacts at all */
    mask4 fresh;   /* contacts that were none a step ago: history is zero */
    vec4 step;     /* the time step */
    bool account;  /* sum up dissipation */
    /* in and out */
    vec4x3 xi;
    vec4 pull;
    vec4x3 roll; /* rolling history; laws that remember rolling only */
    /* out */
    vec4x3 force;    /* on a */
    vec4x3 torque;   /* rolling resistance on a, b gets the opposite; rolling laws only. The torque
                        of `force` by its lever arms is the caller's */
    vec4 normal;     /* normal force: spring, dashpot, cohesion */
    vec4 dissipated; /* over the last step */
    mask4 sliding;   /* at Coulomb's limit */
} contact4;

/* Quantities that several parts need, computed once. */
typedef struct stiffness4 {
    vec4 root;    /* sqrt(R d) for hertz and mindlin; 1 for linear */
    vec4 normal;  /* secant stiffness F / d */
    vec4 tangent; /* tangential stiffness */
} stiffness4;

static inline stiffness4 law_stiffness(const jo_law *parts, const contact4 *k)
{
    stiffness4 s;
    const bool mindlin = parts->tangential >= JO_TANGENTIAL_MINDLIN;
    s.root = parts->normal != JO_NORMAL_LINEAR || mindlin
                 ? v4_sqrt(k->radius * v4_max(k->overlap, v4_zero()))
                 : v4_all(1);
    s.normal = parts->normal == JO_NORMAL_LINEAR ? k->c.kn : k->c.kn * s.root;
    s.tangent = mindlin ? k->c.kt * s.root : k->c.kt;
    return s;
}

/* The dashpots' coefficients: force per velocity. */
static inline vec4 law_dashpot(const jo_law *parts, const contact4 *k, const stiffness4 *s,
                               vec4 factor, vec4 stiffness)
{
    switch (parts->damping) {
    case JO_DAMPING_RESTITUTION: return factor * v4_sqrt(k->mass * stiffness);
    case JO_DAMPING_VISCOUS:
        return parts->normal == JO_NORMAL_LINEAR ? k->mass * factor : k->mass * factor * s->root;
    default: return v4_zero();
    }
}

/* Turns a vector that lay in the old contact plane into the new one, keeping its length. */
static inline vec4x3 law_turn(vec4x3 xi, vec4x3 n)
{
    const vec4 along = v4_dot(xi, n);
    const vec4 square = v4_dot(xi, xi);
    const vec4 longer = v4_all(1) + v4_all(0.5) * along * along / (square + v4_all(1e-300));
    return v4_scale3(longer, v4_sub3(xi, v4_scale3(along, n)));
}

/* What the tangential spring did not give back: the work done on it over the step by the trapezoidal
 * rule, less the energy it gained. `before` and `after` are its histories. */
static inline vec4 law_spring_loss(const jo_law *parts, const contact4 *k, const stiffness4 *s,
                                   vec4x3 before, vec4x3 after)
{
    const vec4 half = v4_all(0.5), tiny = v4_all(1e-300);
    vec4 old = s->tangent; /* the stiffness a step ago, from the overlap then */
    if (parts->tangential >= JO_TANGENTIAL_MINDLIN)
        old = k->c.kt * v4_sqrt(k->radius * v4_max(k->overlap - k->closed, v4_zero()));
    if (parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE) {
        const vec4 work = v4_dot(v4_add3(before, after), k->slid);
        const vec4 gained = v4_dot(after, after) / v4_max(s->tangent, tiny) -
                            v4_dot(before, before) / v4_max(old, tiny);
        return half * (work - gained);
    }
    const vec4 work = old * v4_dot(before, k->slid) + s->tangent * v4_dot(after, k->slid);
    const vec4 gained = s->tangent * v4_dot(after, after) - old * v4_dot(before, before);
    return half * (work - gained);
}

/* Spring, dashpot and Coulomb's limit in the contact plane. `press` is what friction lives on. */
static inline vec4x3 law_tangential(const jo_law *parts, contact4 *k, const stiffness4 *s, vec4 press)
{
    const bool incremental = parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE;
    const vec4 dashpot = law_dashpot(parts, k, s, k->c.damp_t, s->tangent);
    const vec4x3 before = law_turn(k->xi, k->n);
    const vec4x3 moved = incremental ? v4_scale3(s->tangent, k->slid) : k->slid;
    const vec4 spring = incremental ? v4_all(1) : s->tangent;
    const vec4x3 viscous = v4_scale3(dashpot, k->vt);
    vec4x3 xi = v4_add3(before, moved);
    vec4x3 against = v4_add3(v4_scale3(spring, xi), viscous);
    const vec4 limit = k->c.mu * v4_abs(press), square = v4_dot(against, against);
    k->sliding = square > limit * limit;
    if (v4_any(k->sliding)) {
        /* The spring gives way so that spring and dashpot together give the limit. */
        const vec4 scale = v4_pick(k->sliding, limit / v4_sqrt(square), v4_all(1));
        against = v4_scale3(scale, against);
        const vec4x3 held = v4_scale3(v4_all(1) / v4_max(spring, v4_all(1e-300)),
                                      v4_sub3(against, viscous));
        xi.x = v4_pick(k->sliding, held.x, xi.x);
        xi.y = v4_pick(k->sliding, held.y, xi.y);
        xi.z = v4_pick(k->sliding, held.z, xi.z);
    }
    if (k->account)
        k->dissipated += law_spring_loss(parts, k, s, before, xi) +
                         dashpot * v4_dot(k->vt, k->vt) * k->step;
    k->xi = xi;
    return (vec4x3){ -against.x, -against.y, -against.z };
}

/* The whole law. Lanes that are not `on` give zeros. */
static inline void law_evaluate(const law *l, contact4 *k)
{
    const jo_law *parts = &l->parts;
    const stiffness4 s = law_stiffness(parts, k);
    const vec4 elastic = s.normal * k->overlap;
    vec4 pull = -law_dashpot(parts, k, &s, k->c.damp_n, s.normal) * k->vn;
    if (parts->clip_attraction)
        pull = v4_max(pull, -elastic);
    k->normal = elastic + pull;
    k->dissipated = k->account ? v4_all(0.5) * (k->pull + pull) * k->closed : v4_zero();
    k->pull = pull;
    k->force = v4_scale3(k->normal, k->n);
    k->sliding = (mask4)v4_zero();
    if (parts->tangential != JO_TANGENTIAL_NONE)
        k->force = v4_add3(k->force, law_tangential(parts, k, &s, k->normal));
    k->force = v4_only3(k->on, k->force);
    k->normal = v4_only(k->on, k->normal);
    k->dissipated = v4_only(k->on, k->dissipated);
}

/* Energy stored in the springs of one contact, for measuring. */
static inline double law_elastic_energy(const law *l, const law_pair *p, double overlap, double radius,
                                        const double xi[3])
{
    const double d = overlap > 0 ? overlap : 0, root = sqrt(radius * d);
    const double square = xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2];
    double energy = l->parts.normal == JO_NORMAL_LINEAR ? 0.5 * p->kn * d * d
                                                        : 0.4 * p->kn * root * d * d;
    const double kt = l->parts.tangential >= JO_TANGENTIAL_MINDLIN ? p->kt * root : p->kt;
    if (l->parts.tangential == JO_TANGENTIAL_MINDLIN_FORCE)
        energy += kt > 0 ? 0.5 * square / kt : 0;
    else if (l->parts.tangential != JO_TANGENTIAL_NONE)
        energy += 0.5 * kt * square;
    return energy;
}

#endif
