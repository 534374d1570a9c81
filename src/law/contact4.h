/* contact4.h — the contact law, four contacts at a time.
 *
 * A contact joins body a and body b (or a wall). n is the unit vector from b to a; forces are those
 * on a, b gets the opposite. The law is composed of parts, each a function below or in cohesion4.h
 * and rolling4.h: normal spring, normal dashpot, tangential spring with Coulomb's limit, rolling
 * resistance, cohesion. Which parts act is the same for all contacts of a scene, so the branches on
 * it cost next to nothing, and four contacts go through the arithmetic together.
 *
 * History. xi is the elastic part of the tangential displacement of a against b, carried from step
 * to step: turned with the contact plane, increased by what a slid along b in the last step, and
 * cut back where Coulomb's limit is reached so that force and spring agree. (With the incremental
 * law it is the tangential force itself, reversed.) `pull` is the dashpot's normal force a step
 * ago, `drag` that of the tangential one, `twist` the torque of rolling resistance: the work of
 * what resists is summed by the trapezoidal rule, as the integrator does it. The last two are for
 * the account alone.
 *
 * Beginning and end. `on` comes in with the lanes to look at: bodies that touch, or touched a step
 * ago, or (laws that reach) are within reach. It goes out with those that are contacts now. A lane
 * that is no contact any more has one more half step of work by last step's forces, and gives up
 * what its springs still held: that is accounted here, too.
 *
 * Everything here is inlined into the kernels of src/soft, which are compiled once plain and once
 * for AVX2; the results are the same bits. */
#ifndef JO_LAW_CONTACT4_H
#define JO_LAW_CONTACT4_H

#include "base/vec4.h"
#include "law/law.h"

/* What runs for every contact is inlined whatever its size: a contact that is passed by address has
 * to be in memory, all of it, which costs more than the arithmetic. */
#define LAW_INLINE static inline __attribute__((always_inline))
#define LAW_RARE   static __attribute__((noinline, unused))

/* Coefficients, lane by lane, in the order of law_pair. */
typedef struct law_pair4 {
    vec4 kn, kt, damp_n, damp_t, mu, mu_r, kr, eta_r, adhesion, reach, bridge, unused;
} law_pair4;

/* What the account wants to know of the motion; see law_spring_loss. */
typedef struct drift4 {
    vec4x3 first, second; /* velocities of the surfaces over which the tangential force acts, that
                             of a step ago and that of now */
    vec4 first_in, second_in; /* of approach, for the normal force */
    vec4 gives;               /* acceleration of the surfaces by a tangential force of 1 */
    vec4 gave;                /* the same by one a step ago, whose torque had longer arms */
    vec4 skew; /* acceleration of the relative spin by a tangential force of 1; rolling laws only */
    vec4x3 jump;   /* what the tangential force changed by over the step; rolling laws only */
    vec4x3 branch; /* from b's centre to a's a step ago; contacts between bodies only */
    vec4 apart;    /* its length */
} drift4;

typedef struct contact4 {
    /* in */
    law_pair4 c;
    vec4x3 n;     /* unit vector from b to a */
    vec4 overlap; /* > 0 where they overlap */
    vec4 radius;  /* effective: ra rb / (ra + rb); ra against a wall */
    vec4 mass;    /* effective */
    vec4 vn;      /* normal velocity of a against b now; negative while they approach */
    vec4x3 vt;    /* tangential velocity of a's surface against b's, now */
    vec4 closed;  /* approach over the last step: minus the normal displacement */
    vec4x3 slid;  /* tangential displacement of a's surface against b's over the last step, while in
                      contact */
    drift4 drift; /* for the account */
    vec4x3 spin;  /* wa - wb now; rolling laws only */
    vec4x3 rolled; /* rotation of a against b over the last step; rolling laws only */
    vec4 turns;    /* 1 / moment of inertia, of a and b together; rolling laws only */
    mask4 fresh;   /* contacts that were none a step ago: history is zero */
    vec4 step;     /* the time step */
    bool account;  /* sum up dissipation */
    /* in and out; history goes out with any values in lanes that are no contacts */
    mask4 on; /* in: lanes to look at; out: contacts */
    vec4x3 xi;
    vec4 pull;
    vec4x3 roll;        /* rolling history; laws that remember rolling only */
    vec4x3 drag, twist; /* on b, as xi: laws with notes, and only for the account */
    /* out; zero in lanes that are no contacts, but for `dissipated` where one has just ended */
    vec4x3 force;    /* on a */
    vec4x3 torque;   /* rolling resistance on a, b gets the opposite; rolling laws only. The torque
                        of `force` by its lever arms is the caller's */
    vec4 normal;     /* normal force: spring, dashpot, cohesion */
    vec4 dissipated; /* over the last step */
    mask4 sliding;   /* at Coulomb's limit */
} contact4;

/* Quantities that several parts need, computed once. */
typedef struct stiffness4 {
    vec4 root;    /* contact radius: sqrt(R d) for hertz and mindlin, a for jkr; 1 for linear */
    vec4 normal;  /* secant stiffness F / d */
    vec4 tangent; /* tangential stiffness */
    vec4 elastic; /* normal force of the spring; with jkr adhesion included */
    vec4 pull;    /* cohesion beside the spring: <= 0 */
} stiffness4;

LAW_INLINE bool law_is_linear(const jo_law *parts)
{
    return parts->normal != JO_NORMAL_HERTZ;
}
LAW_INLINE bool law_is_mindlin(const jo_law *parts)
{
    return parts->tangential >= JO_TANGENTIAL_MINDLIN;
}

/* Turns a vector that lay in the old contact plane into the new one, keeping its length. */
LAW_INLINE vec4x3 law_turn(vec4x3 xi, vec4x3 n)
{
    const vec4 along = v4_dot(xi, n);
    const vec4 square = v4_dot(xi, xi);
    const vec4 longer = v4_all(1) + along * along * (v4_all(0.5) / (square + v4_all(1e-300)));
    return v4_scale3(longer, v4_sub3(xi, v4_scale3(along, n)));
}

LAW_INLINE vec4x3 law_negative(vec4x3 a)
{
    return (vec4x3){-a.x, -a.y, -a.z};
}

#include "law/cohesion4.h"

LAW_INLINE stiffness4 law_stiffness(const jo_law *parts, const contact4 *k)
{
    stiffness4 s = {.pull = v4_zero()};
    if (parts->cohesion == JO_COHESION_JKR) {
        const jkr4 j = law_jkr(k, k->overlap);
        s.root = j.radius;
        s.elastic = j.force;
    } else
        s.root = law_is_linear(parts) && !law_is_mindlin(parts)
                     ? v4_all(1)
                     : v4_sqrt(k->radius * v4_max(k->overlap, v4_zero()));
    s.normal = parts->normal == JO_NORMAL_HERTZ    ? k->c.kn * s.root
               : parts->normal == JO_NORMAL_ENERGY ? k->c.kn * k->mass
                                                   : k->c.kn;
    s.tangent = law_is_mindlin(parts)               ? k->c.kt * s.root
                : parts->normal == JO_NORMAL_ENERGY ? k->c.kt * k->mass
                                                    : k->c.kt;
    if (parts->cohesion == JO_COHESION_JKR) return s;
    if (parts->cohesion == JO_COHESION_LIQUID) { /* a bridge without touch has no springs */
        const mask4 touch = k->overlap > v4_zero();
        s.normal = v4_only(touch, s.normal);
        s.tangent = v4_only(touch, s.tangent);
        s.root = v4_only(touch, s.root);
    }
    s.elastic = s.normal * k->overlap;
    if (parts->cohesion != JO_COHESION_NONE) s.pull = law_cohesion(parts, k, k->overlap).force;
    return s;
}

/* A dashpot's coefficient: force per velocity. */
LAW_INLINE vec4 law_dashpot(const jo_law *parts, const contact4 *k, const stiffness4 *s,
                            vec4 factor, vec4 stiffness)
{
    switch (parts->damping) {
    case JO_DAMPING_RESTITUTION:
        return factor * v4_sqrt(k->mass * stiffness);
    case JO_DAMPING_VISCOUS:
        if (!law_is_linear(parts)) return k->mass * factor * s->root;
        if (parts->cohesion != JO_COHESION_LIQUID) return k->mass * factor;
        return v4_only(s->normal > v4_zero(), k->mass * factor);
    default:
        return v4_zero();
    }
}

/* What resists a motion takes the integral of its force f along the way. The trapezoidal rule,
 * (f0 + f1) / 2 times the way, is what the integrator makes of it; the integral is that plus dt^2 /
 * 6 times the integral of the rate of f and the acceleration a, up to fourth order. Without this
 * the balance of energy would be off by what resistance makes of the integrator's error. Over a
 * step the sum is dt / 2 (f0 (u - dt a / 3) + f1 (u + dt a / 3)), u being the velocity halfway.
 * Forces turn with the contact, and their torques have the lever arms of their moment: u and a are
 * those of the surfaces as the normal and the arms of f0 make them in the first term, and those of
 * f1 in the second. (With one geometry for both the work of friction would be off by dt^2 times the
 * rates of force, arm and spin, ten millionths of an impact that overlaps by a twelfth of the
 * radius.)
 *
 * a is that of a step ago. The mean of that and of now's is meant, which differs by half the change
 * of all forces and torques of the bodies: (f1 - f0) (sum of changes) dt^2 / 12 m, large where a
 * force begins with a kink. Of those changes the contact's own are known here. */

/* The radius of contact a step ago, from the overlap then; hertz and mindlin only. */
LAW_INLINE vec4 law_root_before(const jo_law *parts, const contact4 *k)
{
    const vec4 overlap = k->overlap - k->closed;
    return parts->cohesion == JO_COHESION_JKR ? law_jkr(k, overlap).radius
                                              : v4_sqrt(k->radius * v4_max(overlap, v4_zero()));
}

/* The same for springs that remember a force: what they held is its square over the stiffness. On
 * an edge, or from one face to the next, the gap may change by more than the motion tells, and the
 * overlap a step ago comes out as nothing: hence at least a share of what it is now and of the
 * way. */
LAW_INLINE vec4 law_root_held(const jo_law *parts, const contact4 *k)
{
    const vec4 least = v4_all(0.1) * v4_max(k->overlap, -k->overlap) +
                       v4_all(0.01) * v4_max(k->closed, -k->closed);
    return v4_max(law_root_before(parts, k), v4_sqrt(k->radius * least));
}

/* The spring's normal force a step ago. */
LAW_INLINE vec4 law_elastic_before(const jo_law *parts, const contact4 *k)
{
    const vec4 overlap = k->overlap - k->closed;
    if (parts->cohesion == JO_COHESION_JKR) return law_jkr(k, overlap).force;
    const vec4 stiffness = parts->normal == JO_NORMAL_HERTZ    ? k->c.kn * law_root_before(parts, k)
                           : parts->normal == JO_NORMAL_ENERGY ? k->c.kn * k->mass
                                                               : k->c.kn;
    return stiffness * v4_max(overlap, v4_zero());
}

/* The tangential stiffness a step ago. */
LAW_INLINE vec4 law_tangent_before(const jo_law *parts, const contact4 *k)
{
    if (law_is_mindlin(parts)) return k->c.kt * law_root_before(parts, k);
    return parts->normal == JO_NORMAL_ENERGY ? k->c.kt * k->mass : k->c.kt;
}

/* What tangential spring and dashpot did not give back: the work done on them over the step less
 * the energy the spring gained. `before` and `after` are its histories, `tangent` its stiffness
 * after, `drag0` and `drag1` the dashpot's forces. */
LAW_INLINE vec4 law_spring_loss(const law *l, const jo_law *parts, contact4 *k, vec4 tangent,
                                vec4x3 before, vec4x3 after, vec4x3 drag0, vec4x3 drag1)
{
    const vec4 half = v4_all(0.5), tiny = v4_all(1e-300);
    vec4x3 force0 = before, force1 = after; /* those of the incremental law */
    vec4 kept = half / v4_max(tangent, tiny), held;
    if (parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE)
        held = half / v4_max(k->c.kt * law_root_held(parts, k), tiny);
    else {
        const vec4 old = law_tangent_before(parts, k);
        force0 = v4_scale3(old, before);
        force1 = v4_scale3(tangent, after);
        held = half;
        kept = half;
    }
    const vec4 gained =
        v4_dot(force1, v4_scale3(kept, after)) - v4_dot(force0, v4_scale3(held, before));
    if (l->drags) {
        force0 = v4_add3(force0, drag0);
        force1 = v4_add3(force1, drag1);
    }
    const drift4 *d = &k->drift;
    const vec4x3 jump = v4_sub3(force1, force0);
    if (parts->rolling != JO_ROLLING_NONE) k->drift.jump = jump;
    const vec4 own = d->gives * v4_dot(jump, force1) - d->gave * v4_dot(jump, force0);
    return half * k->step *
               (v4_dot(force0, d->first) + v4_dot(force1, d->second) -
                k->step * own * v4_all(1.0 / 6.0)) -
           gained;
}

#include "law/edge4.h"
#include "law/rolling4.h"

LAW_INLINE vec4x3 law_pick3(mask4 m, vec4x3 a, vec4x3 b)
{
    return (vec4x3){v4_pick(m, a.x, b.x), v4_pick(m, a.y, b.y), v4_pick(m, a.z, b.z)};
}

/* What |a| is to be scaled by so as not to be above the limit; `beyond`: where it is. */
LAW_INLINE vec4 law_cut(vec4 limit, vec4x3 a, mask4 *beyond)
{
    const vec4 square = v4_dot(a, a);
    *beyond = square > limit * limit;
    return v4_pick(*beyond, limit / v4_sqrt(square), v4_all(1));
}

/* Spring, dashpot and Coulomb's limit in the contact plane. `press` is what friction lives on.
 * Where the limit is reached the spring gives way, and the dashpot adds what is left up to the
 * limit. */
LAW_INLINE vec4x3 law_tangential(const law *l, const jo_law *parts, contact4 *k,
                                 const stiffness4 *s, vec4 press)
{
    const bool drags = l->drags;
    const bool incremental = parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE;
    const vec4x3 before = law_turn(k->xi, k->n);
    vec4x3 moved = k->slid;
    if (incremental) /* by the mean stiffness: else of first order only */
        moved = v4_scale3(v4_all(0.5) * (s->tangent + law_tangent_before(parts, k)), moved);
    const vec4 spring = incremental ? v4_all(1) : s->tangent;
    const vec4 limit = k->c.mu * v4_max(press, v4_zero());
    /* A spring that was cut to the limit is at it, though rounding may say otherwise. */
    const vec4 square = limit * limit * v4_all(1 - 1e-12);
    vec4x3 xi = v4_add3(before, moved), held = v4_scale3(spring, xi), against = held;
    vec4x3 viscous = {v4_zero(), v4_zero(), v4_zero()};
    mask4 slides = v4_dot(held, held) > square;
    if (drags) {
        viscous = v4_scale3(law_dashpot(parts, k, s, k->c.damp_t, s->tangent), k->vt);
        against = v4_add3(held, viscous);
        slides |= v4_dot(against, against) > square;
    }
    if (v4_any(slides)) {
        mask4 beyond;
        if (!parts->dashpot_loads_spring) {
            const vec4 give = law_cut(limit, held, &beyond);
            xi = v4_scale3(give, xi);
            held = v4_scale3(give, held);
            against = v4_add3(held, viscous);
            against = v4_scale3(law_cut(limit, against, &beyond), against);
        } else {
            against = v4_scale3(law_cut(limit, against, &slides), against);
            held = law_pick3(slides, v4_sub3(against, viscous), held);
            xi = law_pick3(slides, v4_scale3(v4_all(1) / v4_max(spring, v4_all(1e-300)), held), xi);
        }
    }
    k->sliding = slides;
    if (k->account) {
        const vec4x3 drag = v4_sub3(against, held);
        k->dissipated += law_spring_loss(l, parts, k, s->tangent, k->xi, xi, k->drag, drag);
        k->drag = drag;
    }
    k->xi = xi;
    return law_negative(against);
}

/* Which of the lanes are contacts now. */
LAW_INLINE mask4 law_holds(bool reaches, const contact4 *k, vec4 gap)
{
    mask4 on = k->overlap >= v4_zero();
    if (reaches) on |= ~k->fresh & (k->overlap > -gap);
    return on & k->on;
}

/* What the normal dashpot took over the step, its force being `pull` now and the spring's
 * `elastic`. */
LAW_INLINE vec4 law_dashpot_loss(const jo_law *parts, const contact4 *k, vec4 pull, vec4 elastic)
{
    const vec4 jump = pull - k->pull;
    const vec4 before = v4_only(~k->fresh, law_elastic_before(parts, k));
    return v4_all(0.5) * k->step *
           (k->pull * k->drift.first_in + pull * k->drift.second_in -
            k->step * jump * (jump + elastic - before) / (v4_all(6) * k->mass));
}

/* What a contact that has just ended loses: half a step of the dashpot's and the cohesion's last
 * forces, and what the springs still held. `out`: it ended where it should. */
LAW_INLINE vec4 law_parting(const law *l, const jo_law *parts, contact4 *k, mask4 out, vec4 gap)
{
    const vec4x3 none = {v4_zero(), v4_zero(), v4_zero()};
    vec4 lost = law_dashpot_loss(parts, k, v4_zero(), v4_zero());
    if (parts->tangential != JO_TANGENTIAL_NONE)
        lost += law_spring_loss(l, parts, k, v4_zero(), k->xi, none, k->drag, none);
    if (parts->rolling != JO_ROLLING_NONE) lost += law_torque_loss(k, k->twist, none);
    if (parts->rolling == JO_ROLLING_EPSD)
        lost -= law_rolling_gain(parts, k, v4_zero(), law_turn(k->roll, k->n), none);
    if (parts->cohesion == JO_COHESION_JKR || parts->cohesion == JO_COHESION_LIQUID)
        lost += law_snap_off(parts, k, out, gap);
    return lost;
}

/* The law with the parts given. Kernels that know them when they are compiled pass constants, and
 * what does not act is not there. `steady`: the caller has seen that all lanes were contacts and
 * are. */
LAW_INLINE void law_apply(const law *l, const jo_law *parts, bool reaches, bool steady, contact4 *k)
{
    const vec4 gap = reaches ? law_gap(parts, k) : v4_zero();
    const mask4 on = steady ? k->on : law_holds(reaches, k, gap);
    if (parts->rolling != JO_ROLLING_NONE && parts->tangential == JO_TANGENTIAL_NONE)
        k->drift.jump = (vec4x3){v4_zero(), v4_zero(), v4_zero()}; /* else law_spring_loss says */
    /* Where nothing begins or ends there is no more to say about it; springs under bridges do it
     * within a contact. */
    const bool changes = parts->cohesion == JO_COHESION_LIQUID ||
                         (!steady && v4_any(k->on & ((mask4)~k->fresh ^ on)));
    crossing4 crossed = {v4_none(), v4_none()};
    vec4 lost = v4_zero();
    if (changes) {
        crossed = law_crossings(parts, k, on, gap);
        if (k->account) {
            const mask4 parted = k->on & ~(on | k->fresh);
            if (v4_any(parted)) lost = v4_only(parted, law_parting(l, parts, k, crossed.out, gap));
        }
    }
    k->on = on;
    const stiffness4 s = law_stiffness(parts, k);
    vec4 pull = -law_dashpot(parts, k, &s, k->c.damp_n, s.normal) * k->vn;
    if (parts->clip_attraction) pull = v4_max(pull, -v4_max(s.elastic, v4_zero()));
    vec4 edge = v4_zero(), press = s.elastic;
    if (changes && v4_any(crossed.in | crossed.out)) {
        edge = law_edge(parts, k, &s, crossed, gap, pull);
        press = v4_pick(crossed.in, press + edge, press);
    }
    press += pull;
    vec4 normal = press;
    const vec4 begun = v4_only(k->fresh, s.pull);
    k->dissipated = k->account ? law_dashpot_loss(parts, k, pull, s.elastic + begun) : v4_zero();
    k->pull = pull;
    if (parts->cohesion != JO_COHESION_NONE) {
        normal += s.pull;
        if (k->account) {
            const bool jkr = parts->cohesion == JO_COHESION_JKR; /* its spring is the bond */
            k->dissipated += law_snap(parts, k, crossed.in, jkr ? pull : pull + s.elastic);
        }
    }
    vec4x3 force = v4_scale3(normal, k->n);
    k->sliding = (mask4)v4_zero();
    if (parts->tangential != JO_TANGENTIAL_NONE)
        force = v4_add3(force, law_tangential(l, parts, k, &s, law_press(parts, k, press)));
    if (parts->rolling != JO_ROLLING_NONE)
        k->torque = v4_only3(on, law_rolling(l, parts, k, s.normal, v4_max(press, v4_zero())));
    if (parts->cohesion == JO_COHESION_LIQUID) { /* a bridge without touch remembers nothing */
        const mask4 touch = k->overlap > v4_zero();
        k->xi = v4_only3(touch, k->xi);
        k->roll = v4_only3(touch, k->roll);
    }
    k->sliding &= on;
    k->force = v4_only3(on, force);
    k->normal = v4_only(on, normal);
    if (changes && v4_any(crossed.out)) { /* the last of the spring, at the first gap */
        k->normal = v4_pick(crossed.out, k->normal + edge, k->normal);
        k->force = law_pick3(crossed.out, v4_add3(k->force, v4_scale3(edge, k->n)), k->force);
    }
    k->dissipated = v4_only(on, k->dissipated) + lost;
}

/* The whole law. */
LAW_INLINE void law_evaluate(const law *l, contact4 *k)
{
    if (l->parts.cohesion != JO_COHESION_NONE || l->parts.rolling != JO_ROLLING_NONE) {
        law_apply(l, &l->parts, l->reaches, false, k);
        return;
    }
    jo_law springs = l->parts;
    springs.cohesion = JO_COHESION_NONE;
    springs.rolling = JO_ROLLING_NONE;
    law_apply(l, &springs, false, false, k);
}

/* How fast the work of the normal spring grows along a straight path, its part in the account's own
 * term (measure.c): the slope of its force times vn^2, less the force times how centres that pass
 * each other part (`swing`). */
LAW_RARE double law_normal_bend(const law *l, const law_pair *p, double overlap, double radius,
                                double mass, double vn, double swing)
{
    contact4 k = {.radius = v4_all(radius), .mass = v4_all(mass)};
    k.c.kn = v4_all(p->kn);
    k.c.adhesion = v4_all(p->adhesion);
    k.c.reach = v4_all(p->reach);
    k.c.bridge = v4_all(p->bridge);
    const double part = 1e-3 * fabs(overlap) + 1e-9 * radius;
    k.overlap = (vec4){overlap - part, overlap + part, overlap, overlap};
    const stiffness4 s = law_stiffness(&l->parts, &k);
    const double slope = (s.elastic[1] + s.pull[1] - s.elastic[0] - s.pull[0]) / (2 * part);
    return slope * vn * vn - (s.elastic[2] + s.pull[2]) * swing;
}

/* Energy stored in one contact: springs and adhesion; for measuring. roll may be NULL. */
LAW_RARE double law_stored_energy(const law *l, const law_pair *p, double overlap, double radius,
                                  double mass, const double xi[3], const double *roll)
{
    const jo_law *parts = &l->parts;
    contact4 k = {.radius = v4_all(radius), .mass = v4_all(mass), .overlap = v4_all(overlap)};
    k.c.kn = v4_all(p->kn);
    k.c.kt = v4_all(p->kt);
    k.c.mu_r = v4_all(p->mu_r);
    k.c.kr = v4_all(p->kr);
    k.c.adhesion = v4_all(p->adhesion);
    k.c.reach = v4_all(p->reach);
    k.c.bridge = v4_all(p->bridge);
    const stiffness4 s = law_stiffness(parts, &k);
    const double d = overlap > 0 ? overlap : 0, kt = s.tangent[0];
    double energy = parts->cohesion == JO_COHESION_JKR ? 0
                    : law_is_linear(parts)             ? 0.5 * s.normal[0] * d * d
                                                       : 0.4 * s.normal[0] * d * d;
    if (parts->cohesion != JO_COHESION_NONE) energy += law_cohesion(parts, &k, k.overlap).energy[0];
    const double square = xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2];
    if (parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE)
        energy += kt > 0 ? 0.5 * square / kt : 0;
    else if (parts->tangential != JO_TANGENTIAL_NONE)
        energy += 0.5 * kt * square;
    if (parts->rolling == JO_ROLLING_EPSD && roll != NULL) {
        const double kr = law_rolling_stiffness(&k, s.normal)[0];
        const double moment = roll[0] * roll[0] + roll[1] * roll[1] + roll[2] * roll[2];
        energy += kr > 0 ? 0.5 * moment / kr : 0;
    }
    return energy;
}

#endif
