/* law_reference.h — the contact law for one contact in long double, each part by its textbook
 * formula, and random states to ask it and src/law about. Shares nothing with src/law but the
 * meaning of the coefficients. */
#ifndef TESTS_LAW_REFERENCE_H
#define TESTS_LAW_REFERENCE_H

#include <math.h>
#include <string.h>

#include "support/law_run.h"

static const long double pi_l = 3.14159265358979323846264338327950288L;

/* ---- random states ---- */

static uint64_t seed;
static double draw(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

typedef struct state {
    double n[3], overlap, radius, mass, vn, vt[3], closed, slid[3], spin[3], rolled[3], step;
    double xi[3], pull, roll[3], drag[3], twist[3];
    double turns;
    bool fresh;
} state;

static void in_plane(const double n[3], double size, double out[3])
{
    double along = 0;
    for (int a = 0; a < 3; a++)
        out[a] = draw(-size, size);
    for (int a = 0; a < 3; a++)
        along += out[a] * n[a];
    for (int a = 0; a < 3; a++)
        out[a] -= along * n[a];
}

/* Contacts of millimetre grains, some of them sliding, some parting, some just begun. */
static state random_state(void)
{
    state s = {.radius = draw(1e-3, 5e-3), .mass = draw(1e-5, 1e-4), .step = 1e-6};
    double square = 0;
    for (int a = 0; a < 3; a++)
        s.n[a] = draw(-1, 1), square += s.n[a] * s.n[a];
    for (int a = 0; a < 3; a++)
        s.n[a] /= sqrt(square);
    s.overlap = draw(-0.02, 1) * 1e-5;
    s.vn = draw(-1, 1);
    s.closed = -s.vn * s.step * draw(0.9, 1.1);
    in_plane(s.n, 1, s.vt);
    in_plane(s.n, draw(0, 2e-6), s.slid);
    in_plane(s.n, draw(0, 3e-6), s.xi);
    in_plane(s.n, draw(0, 1e-6), s.roll);
    const double turned = 1e-3 * draw(-1, 1) * sqrt(s.xi[0] * s.xi[0] + s.xi[1] * s.xi[1]);
    for (int a = 0; a < 3; a++) {
        s.xi[a] += turned * s.n[a]; /* the plane has turned a little */
        s.spin[a] = draw(-100, 100);
        s.rolled[a] = s.spin[a] * s.step;
    }
    s.pull = draw(-1e-2, 1e-2);
    s.fresh = draw(0, 1) < 0.1;
    if (s.fresh) {
        memset(s.xi, 0, sizeof s.xi);
        memset(s.roll, 0, sizeof s.roll);
        s.pull = 0;
    }
    return s;
}

static void set3(vec4x3 *to, int lane, const double from[3])
{
    to->x[lane] = from[0];
    to->y[lane] = from[1];
    to->z[lane] = from[2];
}

/* For the account: normal and lever arm stay. */
static void load_drift(drift4 *d, int lane, const state *s)
{
    const double rate = s->step > 0 ? 1 / s->step : 0, un = -rate * s->closed;
    double first[3], second[3];
    for (int a = 0; a < 3; a++) {
        const double u = rate * s->slid[a];
        first[a] = u - 2 * (s->vt[a] - u) / 3;
        second[a] = u + 2 * (s->vt[a] - u) / 3;
    }
    set3(&d->first, lane, first);
    set3(&d->second, lane, second);
    d->first_in[lane] = 2 * (s->vn - un) / 3 - un;
    d->second_in[lane] = 2 * (un - s->vn) / 3 - un;
    d->gives[lane] = d->gave[lane] = 1 / s->mass + s->radius * s->radius * s->turns;
    d->skew[lane] = s->radius * s->turns;
}

static void load(contact4 *k, int lane, const state *s, const law_pair *p)
{
    const double *from = (const double *)p;
    for (size_t f = 0; f < sizeof *p / sizeof *from; f++)
        ((vec4 *)&k->c)[f][lane] = from[f];
    set3(&k->n, lane, s->n);
    k->overlap[lane] = s->overlap;
    k->radius[lane] = s->radius;
    k->mass[lane] = s->mass;
    k->vn[lane] = s->vn;
    set3(&k->vt, lane, s->vt);
    k->closed[lane] = s->closed;
    set3(&k->slid, lane, s->slid);
    set3(&k->spin, lane, s->spin);
    set3(&k->rolled, lane, s->rolled);
    set3(&k->xi, lane, s->xi);
    set3(&k->roll, lane, s->roll);
    set3(&k->drag, lane, s->drag);
    set3(&k->twist, lane, s->twist);
    k->turns[lane] = s->turns;
    load_drift(&k->drift, lane, s);
    k->pull[lane] = s->pull;
    k->step[lane] = s->step;
    k->fresh[lane] = s->fresh ? -1 : 0;
    k->on[lane] = -1;
    k->account = true;
}

/* ---- the reference ---- */

typedef long double real;
typedef struct answer {
    bool on, sliding;
    real force[3], torque[3], normal, xi[3], roll[3], pull;
} answer;

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static real length(const real a[3])
{
    return sqrtl(dot(a, a));
}

/* Into the contact plane; `keep`: the length stays (a vector that has turned with the contact). */
static void flatten(const double from[3], const double n[3], bool keep, real out[3])
{
    real along = 0, before = 0;
    for (int a = 0; a < 3; a++)
        along += (real)from[a] * n[a], before += (real)from[a] * from[a];
    for (int a = 0; a < 3; a++)
        out[a] = from[a] - along * n[a];
    const real after = length(out);
    if (keep && after > 0)
        for (int a = 0; a < 3; a++)
            out[a] *= sqrtl(before) / after;
}

/* JKR's contact radius by bisection of d(a) = a^2 / R - sqrt(2 pi w a / E), on the outer branch. */
static real jkr_radius(real w, real young, real radius, real overlap)
{
    real low = cbrtl(pi_l * w * radius * radius / (8 * young)), high = radius;
    for (int i = 0; i < 200; i++) {
        const real a = (low + high) / 2;
        if (a * a / radius - sqrtl(2 * pi_l * w * a / young) < overlap)
            low = a;
        else
            high = a;
    }
    return (low + high) / 2;
}

typedef struct springs {
    real contact; /* its radius, where the law has one */
    real force, stiffness, tangential, cohesion, friction_bonus;
} springs;

static springs springs_of(const jo_law *parts, const law_pair *p, const state *s)
{
    const real d = s->overlap > 0 ? s->overlap : 0, R = s->radius;
    springs out = {.contact = sqrtl(R * d)};
    if (parts->cohesion == JO_COHESION_JKR) {
        const real young = 0.75L * p->kn, w = p->adhesion;
        const real a = out.contact = jkr_radius(w, young, R, s->overlap);
        out.force = 4 * young * a * a * a / (3 * R) - sqrtl(8 * pi_l * w * young * a * a * a);
        out.friction_bonus = 2 * 1.5L * pi_l * w * R;
    }
    switch (parts->normal) {
    case JO_NORMAL_LINEAR:
        out.stiffness = p->kn;
        break;
    case JO_NORMAL_ENERGY:
        out.stiffness = (real)p->kn * s->mass;
        break;
    default:
        out.stiffness = p->kn * out.contact;
        break;
    }
    if (parts->cohesion != JO_COHESION_JKR) out.force = out.stiffness * d;
    out.tangential = parts->tangential >= JO_TANGENTIAL_MINDLIN ? p->kt * out.contact
                     : parts->normal == JO_NORMAL_ENERGY        ? (real)p->kt * s->mass
                                                                : (real)p->kt;
    if (parts->cohesion == JO_COHESION_SJKR) out.cohesion = -2 * pi_l * p->adhesion * R * d;
    if (parts->cohesion == JO_COHESION_LIQUID) {
        const real gap = s->overlap < 0 ? -s->overlap : 0;
        const real x = gap * sqrtl(2 * R) * p->bridge;
        out.cohesion = -(real)p->adhesion * 2 * R / (1 + 1.05L * x + 2.5L * x * x);
        if (s->overlap <= 0) out.stiffness = out.tangential = out.contact = 0;
    }
    return out;
}

/* Hurwitz's zeta function for s = -p, by Euler and Maclaurin. */
static real hurwitz(real p, real a)
{
    real sum = 0;
    int k = 0;
    for (; k < 30; k++)
        sum += powl(k + a, p);
    const real x = k + a;
    return sum - powl(x, p + 1) / (p + 1) + powl(x, p) / 2 - p * powl(x, p - 1) / 12 +
           p * (p - 1) * (p - 2) * powl(x, p - 3) / 720;
}

static real gap_of(const jo_law *parts, const law_pair *p, const state *s)
{
    const real b = cbrtl(pi_l * p->adhesion * s->radius * s->radius / (6 * (real)p->kn));
    return parts->cohesion == JO_COHESION_JKR      ? 3 * b * b / s->radius
           : parts->cohesion == JO_COHESION_LIQUID ? (real)p->reach
                                                   : 0;
}

static bool holds(const jo_law *parts, const law_pair *p, const state *s)
{
    return s->overlap >= 0 || (!s->fresh && -s->overlap < gap_of(parts, p, s));
}

static springs springs_at(const jo_law *parts, const law_pair *p, const state *s, real overlap)
{
    state at = *s;
    at.overlap = (double)overlap;
    return springs_of(parts, p, &at);
}

/* Energy of jkr as a function of the radius of contact. */
static real jkr_energy(const law_pair *p, const state *s, real a)
{
    const real w = p->adhesion, R = s->radius, young = 0.75L * p->kn;
    const real b = cbrtl(pi_l * w * R * R / (8 * young)), q = sqrtl(a / b);
    return pi_l * w * b * b * (powl(q, 10) / 15 - 2 * powl(q, 7) / 3 + powl(q, 4));
}

/* What the sum of forces times ways misses of a spring's energy from an edge on: x the overlap
 * inside, w the way over the edge, `ratio` that of the next one inwards to it. */
static real missed(const jo_law *parts, const law_pair *p, const state *s, real x, real w,
                   real ratio, real border)
{
    if (parts->cohesion == JO_COHESION_JKR) {
        const springs first = springs_at(parts, p, s, x), last = springs_at(parts, p, s, x + 3 * w);
        const real h = 1e-3L * w, energy = jkr_energy(p, s, first.contact);
        real rule = -(jkr_energy(p, s, last.contact) - energy);
        for (int j = 0; j < 3; j++)
            rule += w *
                    (springs_at(parts, p, s, x + j * w).force +
                     springs_at(parts, p, s, x + (j + 1) * w).force) /
                    2;
        rule -= w * w / 12 *
                (springs_at(parts, p, s, x + 3 * w + h).force -
                 springs_at(parts, p, s, x + 3 * w - h).force) /
                (2 * h);
        return energy - jkr_energy(p, s, springs_at(parts, p, s, border).contact) -
               first.force * w / 2 - ratio * rule;
    }
    const real power = parts->normal == JO_NORMAL_HERTZ ? 1.5L : 1, t = x / w;
    const real unit = parts->normal == JO_NORMAL_HERTZ    ? p->kn * sqrtl(s->radius * w) * w * w
                      : parts->normal == JO_NORMAL_ENERGY ? p->kn * (real)s->mass * w * w
                                                          : p->kn * w * w;
    const real rule = hurwitz(power, t) - powl(t, power) / 2 + powl(t, power + 1) / (power + 1);
    real out = unit * (powl(t, power + 1) / (power + 1) - powl(t, power) / 2 - ratio * rule);
    const real linear = hurwitz(1, t) - t / 2 + t * t / 2;
    if (parts->cohesion == JO_COHESION_SJKR)
        out += -2 * pi_l * p->adhesion * s->radius * w * w * (t * t / 2 - t / 2 - ratio * linear);
    return out;
}

/* What the sum of forces times ways takes more than a bridge does, from its kink at touching on
 * outwards: the step over it and three ways after, each shortened by the pull, less the rule's own
 * error from there on. */
static real bridge_excess(const jo_law *parts, const law_pair *p, const state *s, real x, real w,
                          real inner, real outer)
{
    const real h = 1e-4L * w, shortest = outer / 4;
    real way[6] = {inner, w, outer}, place[5] = {x}, out = 0;
    for (int j = 1; j < 5; j++) {
        place[j] = place[j - 1] - way[j];
        if (j > 1)
            way[j + 1] = fmaxl(way[j] + (real)s->step * s->step / s->mass *
                                            springs_at(parts, p, s, place[j - 1]).cohesion,
                               shortest);
    }
    for (int j = 1; j < 5; j++) {
        const real from = place[j - 1], to = place[j];
        const real f0 = springs_at(parts, p, s, from).cohesion,
                   f1 = springs_at(parts, p, s, to).cohesion;
        real integral = 0; /* by Simpson's rule, up to the kink and from there on */
        const real corner = from > 0 ? 0 : from;
        for (int k = 0; k < 200; k++) {
            const real a = corner + (to - corner) * k / 200,
                       b = corner + (to - corner) * (k + 1) / 200;
            integral += (a - b) / 6 *
                        (springs_at(parts, p, s, a).cohesion +
                         4 * springs_at(parts, p, s, (a + b) / 2).cohesion +
                         springs_at(parts, p, s, b).cohesion);
        }
        integral += (from - corner) * f0;
        out += integral - (f0 + f1) / 2 * way[j] - (f1 - f0) * (way[j + 1] - way[j - 1]) / 12;
    }
    const real slope = (springs_at(parts, p, s, place[4] - h).cohesion -
                        springs_at(parts, p, s, place[4] + h).cohesion) /
                       (2 * h);
    const real mean = (way[4] + way[5]) / 2;
    return out + slope * mean * mean / 12;
}

static real between(real low, real high, real a)
{
    return a < low ? low : a > high ? high : a;
}

/* The one force that makes up for a spring's beginning or end within the step; *out: it has ended.
 */
static real edge(const jo_law *parts, const law_pair *p, const state *s, const springs *k,
                 real pull, bool on, bool *out)
{
    const real gap = gap_of(parts, p, s), before = (real)s->overlap - s->closed;
    const bool jkr = parts->cohesion == JO_COHESION_JKR,
               liquid = parts->cohesion == JO_COHESION_LIQUID;
    const bool in = s->overlap >= 0 && s->overlap < s->closed && (s->fresh || liquid);
    *out = !s->fresh && s->closed < 0 && before > (jkr ? -gap : 0) && (jkr ? !on : s->overlap < 0);
    if (!in && !*out) return 0;
    const real x = *out ? before : s->overlap, w = fabsl((real)s->closed);
    const springs inside = springs_at(parts, p, s, x);
    const real spring = inside.force + (parts->cohesion == JO_COHESION_SJKR ? inside.cohesion : 0);
    const real change =
        *out ? -(spring + s->pull) : k->force + pull + (s->fresh && !jkr ? k->cohesion : 0);
    const real next = -((real)s->closed + 2 * (real)s->step * s->vn);
    const real after = next - (real)s->step * s->step * change / s->mass,
               earlier = 2 * (real)s->closed - next;
    const real inner = *out ? -earlier : after, outer = *out ? -after : after;
    real work = missed(parts, p, s, x, w, between(0.5L, 2, inner / w), *out ? -gap : 0) -
                spring * between(-w, w, after - earlier) / 12;
    if (liquid && !s->fresh)
        work += bridge_excess(parts, p, s, x, w, between(w / 2, 2 * w, inner),
                              between(w / 2, 2 * w, *out ? -after : earlier));
    const real acts = (w + between(w / 2, 2 * w, outer)) / 2, first = work / acts;
    /* It changes the way that follows. */
    const real h = 1e-4L * fmaxl(fabsl(x), w * 1e-3L), slows = (real)s->step * s->step / s->mass;
    const real slope =
        (springs_at(parts, p, s, x + h).force - springs_at(parts, p, s, x - h).force) / (2 * h);
    return first * (1 - between(-0.25L, 0.25L,
                                slows / (2 * acts) * (*out ? first : slope * w / 3 - first)));
}

static real dashpot(const jo_law *parts, const state *s, const springs *k, real factor,
                    real stiffness)
{
    if (parts->damping == JO_DAMPING_RESTITUTION) return factor * sqrtl(s->mass * stiffness);
    if (parts->damping == JO_DAMPING_NONE || k->stiffness == 0) return 0;
    return s->mass * factor * (parts->normal == JO_NORMAL_HERTZ ? k->contact : 1);
}

static state a_step_ago(const state *s)
{
    state old = *s;
    old.overlap -= s->closed;
    return old;
}

static void tangential(const jo_law *parts, const law_pair *p, const state *s, const springs *k,
                       real press, answer *out)
{
    const state old = a_step_ago(s);
    const real mean = (k->tangential + springs_of(parts, p, &old).tangential) / 2;
    const real c = dashpot(parts, s, k, p->damp_t, k->tangential);
    const bool incremental = parts->tangential == JO_TANGENTIAL_MINDLIN_FORCE;
    real spring[3], total[3];
    flatten(s->xi, s->n, true, spring);
    for (int a = 0; a < 3; a++)
        spring[a] =
            incremental ? spring[a] + mean * s->slid[a] : k->tangential * (spring[a] + s->slid[a]);
    const real limit = p->mu * fmaxl(press + k->friction_bonus, 0), stretch = length(spring);
    if (!parts->dashpot_loads_spring && stretch > limit) {
        out->sliding = true;
        for (int a = 0; a < 3; a++)
            spring[a] *= limit / stretch;
    }
    for (int a = 0; a < 3; a++)
        total[a] = spring[a] + c * s->vt[a];
    const real size = length(total);
    for (int a = 0; a < 3; a++) {
        if (size > limit) {
            out->sliding = true;
            total[a] *= limit / size;
            if (parts->dashpot_loads_spring) spring[a] = total[a] - c * s->vt[a];
        }
        out->xi[a] = incremental ? spring[a] : k->tangential > 0 ? spring[a] / k->tangential : 0;
        out->force[a] -= total[a];
    }
}

static void rolling(const law *l, const law_pair *p, const state *s, const springs *k, real press,
                    answer *out)
{
    real spin[3], turned[3], moment[3];
    flatten(s->spin, s->n, false, spin);
    flatten(s->rolled, s->n, false, turned);
    flatten(s->roll, s->n, true, moment);
    const real limit = p->mu_r * s->radius * press;
    const real inertia = (real)l->turning * s->mass * s->radius * s->radius;
    if (l->parts.rolling == JO_ROLLING_CONSTANT) {
        const real rate = fminl(4 * sqrtl(k->stiffness / s->mass), 1 / (4 * (real)s->step));
        for (int a = 0; a < 3; a++)
            out->torque[a] = -spin[a] * fminl(limit / length(spin), inertia * rate);
        return;
    }
    const real arm = p->mu_r * (real)s->radius;
    const real stiffness = isnan(p->kr) ? 2.25L * k->stiffness * arm * arm : (real)p->kr;
    const state old = a_step_ago(s);
    const real before =
        isnan(p->kr) ? 2.25L * springs_of(&l->parts, p, &old).stiffness * arm * arm : (real)p->kr;
    for (int a = 0; a < 3; a++)
        moment[a] += (stiffness + before) / 2 * turned[a];
    const real size = length(moment);
    const real damping = size > limit ? 0 : 2 * p->eta_r * sqrtl(inertia * stiffness);
    for (int a = 0; a < 3; a++) {
        out->roll[a] = size > limit ? moment[a] * limit / size : moment[a];
        out->torque[a] = -out->roll[a] - damping * spin[a];
    }
}

static answer reference(const law *l, const law_pair *p, const state *s)
{
    const jo_law *parts = &l->parts;
    answer out = {.on = holds(parts, p, s)};
    bool last;
    const springs k = springs_of(parts, p, s);
    out.pull = -dashpot(parts, s, &k, p->damp_n, k.stiffness) * s->vn;
    if (parts->clip_attraction) out.pull = fmaxl(out.pull, -fmaxl(k.force, 0));
    const real more = edge(parts, p, s, &k, out.pull, out.on, &last);
    const real press = k.force + out.pull + (last ? 0 : more);
    out.normal = (out.on ? press + k.cohesion : 0) + (last ? more : 0);
    for (int a = 0; a < 3; a++)
        out.force[a] = out.normal * s->n[a];
    if (!out.on) return out;
    if (parts->tangential != JO_TANGENTIAL_NONE) tangential(parts, p, s, &k, press, &out);
    if (parts->rolling != JO_ROLLING_NONE) rolling(l, p, s, &k, fmaxl(press, 0), &out);
    if (parts->cohesion == JO_COHESION_LIQUID && s->overlap <= 0) { /* nothing to remember */
        memset(out.xi, 0, sizeof out.xi);
        memset(out.roll, 0, sizeof out.roll);
    }
    return out;
}

#endif
