/* law.c — from moduli, restitution and friction to the coefficients that kernels use.
 *
 * Restitution. Linear spring and dashpot, attraction allowed until the bodies part:
 *     e = exp(-beta pi / sqrt(1 - beta^2)),   F = 2 beta sqrt(m k) v.
 * Where attraction is clipped the contact ends when the force vanishes, and (Schwager and Poeschel
 * 2007)   e = exp(-beta / w * atan2(2 beta w, 2 beta^2 - 1)),  w = sqrt(1 - beta^2),
 * continued analytically beyond beta = 1; solved for beta by bisection.
 * Hertz with Tsuji's dashpot: the reduced equation x'' = -x^(3/2) - alpha x^(1/4) x' has the same
 * restitution at every speed. With attraction, e(alpha) is the linear one with
 * beta = alpha / sqrt(5); clipped, the equation is integrated numerically and solved by bisection,
 * once per pair of materials.
 * Energy law: spring and dashpot per effective mass, made from the duration of a collision and its
 * restitution, so that both are the same for every pair of bodies, whatever their masses. */
#include "law/law.h"

#include <math.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846;

/* One step of Runge-Kutta of fourth order for x'' = -x^(3/2) - alpha x^(1/4) x' in the variable
 * q = t^(1/4), in which the solution is smooth where contact begins. y is x, x'. */
static void hertz_step(double alpha, double q, double h, double y[2])
{
    double slope[4][2], at[2] = {y[0], y[1]};
    for (int s = 0; s < 4; s++) {
        const double now = q + (s == 0 ? 0 : s == 3 ? h : 0.5 * h), rate = 4 * now * now * now;
        const double x = at[0] > 0 ? at[0] : 0;
        slope[s][0] = rate * at[1];
        slope[s][1] = -rate * (x * sqrt(x) + alpha * sqrt(sqrt(x)) * at[1]);
        for (int k = 0; k < 2; k++)
            at[k] = y[k] + (s == 2 ? h : 0.5 * h) * slope[s][k];
    }
    for (int k = 0; k < 2; k++)
        y[k] += h / 6 * (slope[0][k] + 2 * slope[1][k] + 2 * slope[2][k] + slope[3][k]);
}

/* Restitution of that equation from x = 0, x' = 1 until the force vanishes; the step is halved
 * there until the moment is sharp. */
static double hertz_clipped_restitution(double alpha)
{
    double q = 0, h = 2e-3, y[2] = {0, 1};
    for (int i = 0; i < 4000 && h > 1e-9; i++) { /* a slow end leaves no speed */
        double next[2] = {y[0], y[1]};
        hertz_step(alpha, q, h, next);
        const double x = next[0] > 0 ? next[0] : 0;
        if (next[1] < 0 && x * sqrt(x) + alpha * sqrt(sqrt(x)) * next[1] <= 0) {
            h *= 0.5;
            continue;
        }
        q += h;
        y[0] = next[0];
        y[1] = next[1];
    }
    return -y[1];
}

double jo_law_damping_hertz(double e, bool clip)
{
    if (!clip || e >= 1) {
        const double l = log(e);
        return -sqrt(5.0) * l / sqrt(l * l + pi * pi);
    }
    double low = 0, high = 100;
    for (int k = 0; k < 50; k++) {
        const double alpha = 0.5 * (low + high);
        if (hertz_clipped_restitution(alpha) > e)
            low = alpha;
        else
            high = alpha;
    }
    return 0.5 * (low + high);
}

/* Restitution of a linear dashpot whose force is clipped at zero. */
static double linear_clipped_restitution(double beta)
{
    if (beta < 1) {
        const double w = sqrt(1 - beta * beta);
        return exp(-beta / w * atan2(2 * beta * w, 2 * beta * beta - 1));
    }
    if (beta == 1) return exp(-2.0);
    const double w = sqrt(beta * beta - 1);
    return exp(-beta / w * log((beta + w) / (beta - w)));
}

double jo_law_damping_linear(double e, bool clip)
{
    if (!clip) {
        const double l = log(e);
        return -2 * l / sqrt(l * l + pi * pi);
    }
    double low = 0, high = 1e3;
    for (int k = 0; k < 200; k++) {
        const double beta = 0.5 * (low + high);
        if (linear_clipped_restitution(beta) > e)
            low = beta;
        else
            high = beta;
    }
    return low + high;
}

double jo_law_duration_linear(double alpha, bool clip)
{
    const double beta = 0.5 * alpha;
    if (!clip) return beta < 1 ? pi / sqrt(1 - beta * beta) : (double)INFINITY;
    if (beta < 1) {
        const double w = sqrt(1 - beta * beta);
        return atan2(2 * beta * w, 2 * beta * beta - 1) / w;
    }
    if (beta == 1) return 2;
    const double w = sqrt(beta * beta - 1);
    return log((beta + w) / (beta - w)) / w;
}

/* Effective moduli of Hertz and Mindlin: 1/E* = sum (1 - nu^2)/E, 1/G* = sum 2 (2 - nu)(1 +
 * nu)/E. */
static double effective_young(const jo_material *a, const jo_material *b)
{
    return 1 /
           ((1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young);
}

static double effective_shear(const jo_material *a, const jo_material *b)
{
    return 1 / (2 * (2 - a->poisson) * (1 + a->poisson) / a->young +
                2 * (2 - b->poisson) * (1 + b->poisson) / b->young);
}

static jo_status missing(const jo_scene *s, size_t a, size_t b, const char *what, jo_error *error)
{
    return jo_fail(error, JO_ERR_DATA, "contact of '%s' with '%s' needs %s", s->materials[a].name,
                   s->materials[b].name, what);
}

static bool given(double value)
{
    return !isnan(value) && value != 0;
}
static bool positive(double value)
{
    return value > 0 && isfinite(value);
}
static bool not_negative(double value)
{
    return value >= 0 && isfinite(value);
}

/* Restitution per collision that the law asks for: 1 without a dashpot. */
static double restitution_of(const jo_scene *s, const jo_contact_def *def)
{
    return s->law.damping == JO_DAMPING_RESTITUTION ? def->restitution : 1;
}

/* k / m* such that a collision lasts contact_time. */
static jo_status energy_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                             law_pair *p, jo_error *error)
{
    const double t = def->contact_time;
    if (!positive(t)) return missing(s, a, b, "a contact time above 0 (normal law energy)", error);
    if (given(def->normal_stiffness) || given(def->tangential_stiffness))
        return missing(s, a, b, "no stiffness: the energy law makes it from the contact time",
                       error);
    if (s->law.tangential >= JO_TANGENTIAL_MINDLIN)
        return missing(s, a, b, "tangential linear or none, which go with the energy law", error);
    if (s->law.damping == JO_DAMPING_VISCOUS) {
        /* Given gamma: pi / sqrt(k / m - gamma^2 / 4) = t. */
        const double half = 0.5 * def->normal_damping;
        p->kn = pi * pi / (t * t) + half * half;
        return JO_OK;
    }
    const double alpha = jo_law_damping_linear(restitution_of(s, def), s->law.clip_attraction);
    const double omega = jo_law_duration_linear(alpha, s->law.clip_attraction) / t;
    p->kn = omega * omega;
    return JO_OK;
}

static jo_status normal_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                             law_pair *p, jo_error *error)
{
    if (s->law.damping == JO_DAMPING_RESTITUTION &&
        !(def->restitution > 0 && def->restitution <= 1))
        return missing(s, a, b, "a restitution above 0 and at most 1", error);
    if (s->law.normal == JO_NORMAL_ENERGY) return energy_part(s, a, b, def, p, error);
    p->kn = def->normal_stiffness;
    if (isnan(p->kn) && s->law.normal == JO_NORMAL_HERTZ)
        p->kn = 4.0 / 3.0 * effective_young(&s->materials[a], &s->materials[b]);
    if (!positive(p->kn))
        return missing(s, a, b,
                       s->law.normal == JO_NORMAL_HERTZ
                           ? "a normal stiffness above 0, or Young's moduli and Poisson ratios"
                           : "a normal stiffness above 0",
                       error);
    return JO_OK;
}

static jo_status damping_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                              law_pair *p, jo_error *error)
{
    p->damp_n = p->damp_t = 0;
    const bool clip = s->law.clip_attraction;
    if (s->law.damping == JO_DAMPING_RESTITUTION) {
        if (s->law.normal == JO_NORMAL_HERTZ) {
            p->damp_n = jo_law_damping_hertz(def->restitution, clip);
            p->damp_t = sqrt(2.0 / 3.0) * p->damp_n; /* 2 sqrt(5/6) beta, as for the normal */
        } else {
            p->damp_n = p->damp_t = jo_law_damping_linear(def->restitution, clip);
            /* The energy law: as the normal, for the mass that a tangential force moves. */
            if (s->law.normal == JO_NORMAL_ENERGY)
                p->damp_t *= sqrt(s->dim == 2 ? 1.0 / 3.0 : 2.0 / 7.0);
        }
    } else if (s->law.damping == JO_DAMPING_VISCOUS) {
        p->damp_n = def->normal_damping;
        p->damp_t = isnan(def->tangential_damping) ? 0.5 * p->damp_n : def->tangential_damping;
        if (!not_negative(p->damp_n) || !not_negative(p->damp_t))
            return missing(s, a, b, "a normal damping of 0 or more", error);
    }
    if (s->law.damping == JO_DAMPING_RESTITUTION && !s->law.tangential_damping) p->damp_t = 0;
    return JO_OK;
}

static jo_status tangential_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                                 law_pair *p, jo_error *error)
{
    p->kt = 0;
    p->mu = def->friction;
    if (s->law.tangential == JO_TANGENTIAL_NONE) return JO_OK;
    const double share = s->law.normal == JO_NORMAL_ENERGY && s->dim == 2 ? 1.0 / 3.0 : 2.0 / 7.0;
    p->kt = s->law.normal == JO_NORMAL_ENERGY ? share * p->kn : def->tangential_stiffness;
    if (isnan(p->kt))
        p->kt = s->law.tangential == JO_TANGENTIAL_LINEAR
                    ? share * p->kn
                    : 8 * effective_shear(&s->materials[a], &s->materials[b]);
    if (s->law.tangential == JO_TANGENTIAL_LINEAR && s->law.normal == JO_NORMAL_HERTZ &&
        isnan(def->tangential_stiffness))
        return missing(s, a, b, "a tangential stiffness (hertz with linear tangential)", error);
    if (!positive(p->kt))
        return missing(s, a, b, "a tangential stiffness above 0 (or moduli, with mindlin)", error);
    if (!not_negative(p->mu)) return missing(s, a, b, "a friction of 0 or more", error);
    return JO_OK;
}

static jo_status rolling_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                              law_pair *p, jo_error *error)
{
    if (s->law.rolling == JO_ROLLING_NONE) return JO_OK;
    p->mu_r = def->rolling_friction;
    p->kr = def->rolling_stiffness;
    p->eta_r = isnan(def->rolling_damping) ? 0.3 : def->rolling_damping;
    if (!not_negative(p->mu_r)) return missing(s, a, b, "a rolling friction of 0 or more", error);
    if (s->law.rolling != JO_ROLLING_EPSD) return JO_OK;
    if (!isnan(p->kr) && !positive(p->kr))
        return missing(s, a, b, "a rolling stiffness above 0, or none: then it is derived", error);
    if (!not_negative(p->eta_r)) return missing(s, a, b, "a rolling damping of 0 or more", error);
    return JO_OK;
}

static jo_status liquid_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                             law_pair *p, jo_error *error)
{
    if (!not_negative(def->liquid_volume))
        return missing(s, a, b, "a liquid volume of 0 or more", error);
    if (!not_negative(def->surface_tension))
        return missing(s, a, b, "a surface tension of 0 or more", error);
    if (!(def->wetting_angle >= 0 && def->wetting_angle <= pi / 2))
        return missing(s, a, b, "a wetting angle between 0 and pi/2", error);
    if (def->liquid_volume > 0 && def->surface_tension > 0) {
        p->adhesion = 2 * pi * def->surface_tension * cos(def->wetting_angle);
        p->reach = (1 + 0.5 * def->wetting_angle) * cbrt(def->liquid_volume);
        p->bridge = 1 / sqrt(def->liquid_volume);
    }
    return JO_OK;
}

static jo_status cohesion_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                               law_pair *p, jo_error *error)
{
    switch (s->law.cohesion) {
    case JO_COHESION_JKR:
        if (s->law.normal != JO_NORMAL_HERTZ)
            return missing(s, a, b, "the normal law hertz, which jkr goes with", error);
        p->adhesion = def->surface_energy;
        if (!not_negative(p->adhesion))
            return missing(s, a, b, "a surface energy of 0 or more", error);
        p->reach = 3 * pow(cbrt(pi * p->adhesion / (6 * p->kn)), 2);
        return JO_OK;
    case JO_COHESION_SJKR:
        p->adhesion = def->cohesion_density;
        if (!not_negative(p->adhesion))
            return missing(s, a, b, "a cohesion density of 0 or more", error);
        return JO_OK;
    case JO_COHESION_LIQUID:
        return liquid_part(s, a, b, def, p, error);
    default:
        return JO_OK;
    }
}

static bool walls_of(const jo_scene *s, size_t material)
{
    for (size_t k = 0; k < s->wall_count; k++)
        if (s->walls[k].material == material) return true;
    return false;
}

/* Without groups nobody knows: bodies come from elsewhere. */
static bool bodies_of(const jo_scene *s, size_t material)
{
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        if (g->kind != JO_GROUP_EXPLICIT && g->material == material) return true;
        for (size_t i = 0; g->kind == JO_GROUP_EXPLICIT && i < g->listed.n; i++)
            if (g->listed.material[i] == material) return true;
    }
    return s->group_count == 0;
}

/* Two that only walls are made of never touch, and need no coefficients; nor does what nothing is
 * made of: a pattern for others, perhaps. */
static bool can_meet(const jo_scene *s, size_t a, size_t b)
{
    const bool bodies_a = bodies_of(s, a), bodies_b = bodies_of(s, b);
    return (bodies_a && (bodies_b || walls_of(s, b))) || (bodies_b && walls_of(s, a));
}

/* Nothing can be made of it later, either: a body is refused whose material has no stiffness
 * against itself. */
static void give_up(law *out, size_t material)
{
    for (size_t k = 0; k < out->materials; k++)
        out->pairs[material * out->materials + k] = out->pairs[k * out->materials + material] =
            (law_pair){0};
}

jo_status jo_law_prepare_pair(const jo_scene *s, size_t a, size_t b, law_pair *out, jo_error *error)
{
    typedef jo_status (*part)(const jo_scene *, size_t, size_t, const jo_contact_def *, law_pair *,
                              jo_error *);
    const part parts[] = {normal_part, damping_part, tangential_part, rolling_part, cohesion_part};
    jo_status status = JO_OK;
    *out = (law_pair){0};
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == JO_OK; k++)
        status = parts[k](s, a, b, &s->contacts[a * s->material_count + b], out, error);
    return status;
}

jo_status jo_law_prepare(const jo_scene *s, law *out, jo_error *error)
{
    *out = (law){.parts = s->law, .materials = s->material_count};
    out->turning = s->dim == 2 ? 1.5 : 1.4;
    out->remembers_rolling = s->law.rolling == JO_ROLLING_EPSD;
    out->reaches = s->law.cohesion == JO_COHESION_JKR || s->law.cohesion == JO_COHESION_LIQUID;
    if (s->material_count < 1 || s->material_count > JO_MATERIALS_MAX)
        return jo_fail(error, JO_ERR_DATA, "a scene needs 1 to %d materials, not %zu",
                       JO_MATERIALS_MAX, s->material_count);
    bool lacking[JO_MATERIALS_MAX] = {false};
    for (size_t a = 0; a < s->material_count; a++)
        for (size_t b = 0; b < s->material_count; b++) {
            const size_t at = a * s->material_count + b;
            const jo_status status = jo_law_prepare_pair(s, a, b, &out->pairs[at], error);
            if (status != JO_OK && can_meet(s, a, b)) return status;
            if (status != JO_OK) out->pairs[at] = (law_pair){0};
            lacking[a] = lacking[a] || (status != JO_OK && !bodies_of(s, a) && !walls_of(s, a));
            lacking[b] = lacking[b] || (status != JO_OK && !bodies_of(s, b) && !walls_of(s, b));
            out->drags = out->drags || out->pairs[at].damp_t > 0;
        }
    for (size_t k = 0; k < s->material_count; k++)
        if (lacking[k]) give_up(out, k);
    /* A restitution of 1 may be changed while it runs. */
    const bool may_drag = s->law.damping == JO_DAMPING_RESTITUTION && s->law.tangential_damping;
    out->notes_drag = out->drags || may_drag;
    return JO_OK;
}

double jo_law_reach(const law *l, double radius)
{
    double far = 0;
    for (size_t k = 0; k < l->materials * l->materials && l->reaches; k++)
        far = fmax(far, l->pairs[k].reach);
    return l->parts.cohesion == JO_COHESION_JKR ? far * cbrt(radius) : far;
}

/* Stiffness about the overlap at which cohesion and spring balance; 0 without cohesion. */
static double sticking_stiffness(const law *l, const law_pair *p, double radius, double mass)
{
    const double young = 0.75 * p->kn, w = p->adhesion;
    const bool hertz = l->parts.normal == JO_NORMAL_HERTZ;
    const double kn = l->parts.normal == JO_NORMAL_ENERGY ? p->kn * mass : p->kn;
    if (w == 0) return 0;
    switch (l->parts.cohesion) {
    case JO_COHESION_JKR: /* F = 0 at a^3 = 9 pi w R^2 / (2 E), where dF/dd = 6/5 E a */
        return 1.2 * young * cbrt(4.5 * pi * w * radius * radius / young);
    case JO_COHESION_SJKR:
        return hertz ? pi * w * radius : kn;
    case JO_COHESION_LIQUID:
        return hertz ? 1.5 * p->kn * sqrt(radius) * cbrt(2 * w * radius / (p->kn * sqrt(radius)))
                     : kn;
    default:
        return 0;
    }
}

static double linear_stiffness(const law *l, const law_pair *p, double mass)
{
    return l->parts.normal == JO_NORMAL_ENERGY ? p->kn * mass : p->kn;
}

/* Of a linear contact, times sqrt(k / m*); infinite where it never ends. */
static double linear_duration(const law *l, const law_pair *p, double mass)
{
    const double kn = linear_stiffness(l, p, mass);
    const double alpha =
        l->parts.damping == JO_DAMPING_VISCOUS ? p->damp_n / sqrt(kn / mass) : p->damp_n;
    return jo_law_duration_linear(alpha, l->parts.clip_attraction);
}

double jo_law_contact_time(const law *l, const law_pair *p, double radius, double mass,
                           double speed)
{
    double time;
    if (l->parts.normal == JO_NORMAL_HERTZ) {
        const double e = 0.75 * p->kn; /* E* */
        time = 2.868266 * pow(mass * mass / (radius * e * e * speed), 0.2);
    } else {
        const double turns = linear_duration(l, p, mass);
        time = (isfinite(turns) ? turns : pi) * sqrt(mass / linear_stiffness(l, p, mass));
    }
    const double stiffness = sticking_stiffness(l, p, radius, mass);
    return stiffness > 0 ? fmin(time, pi * sqrt(mass / stiffness)) : time;
}

/* The largest overlap: hertz, 2/5 K sqrt(R) d^(5/2) = m v^2 / 2; linear, k d^2 = m v^2. */
static double deepest(const law *l, const law_pair *p, double radius, double mass, double speed)
{
    return l->parts.normal == JO_NORMAL_HERTZ
               ? pow(1.25 * mass * speed * speed / (p->kn * sqrt(radius)), 0.4)
               : speed * sqrt(mass / p->kn);
}

/* Linear: a dashpot that makes a collision last longer makes its start faster, where most is
 * dissipated. Hertz: its dashpot begins with an infinite slope, whose error grows with it. Both are
 * fitted to what energies are off by in impacts of all kinds and in beds (test_impact_balance.c,
 * test_balance.c). */
double jo_law_resolved_time(const law *l, const law_pair *p, double radius, double mass,
                            double speed)
{
    const double time = jo_law_contact_time(l, p, radius, mass, speed);
    if (l->parts.normal == JO_NORMAL_HERTZ) {
        double alpha = p->damp_n;
        if (l->parts.damping == JO_DAMPING_VISCOUS)
            alpha *= sqrt(mass * sqrt(radius * deepest(l, p, radius, mass, speed)) / p->kn);
        return time / (1 + 0.25 * alpha);
    }
    const double longer = linear_duration(l, p, mass) / pi;
    const double free = pi * sqrt(mass / linear_stiffness(l, p, mass));
    return longer > 1 ? fmin(time, fmax(free / longer, 0.5 * free)) : time;
}

double jo_law_tangential_time(const law *l, const law_pair *p, double radius, double mass,
                              double speed)
{
    if (l->parts.tangential == JO_TANGENTIAL_NONE) return (double)INFINITY;
    double kt = l->parts.normal == JO_NORMAL_ENERGY ? p->kt * mass : p->kt;
    if (l->parts.tangential >= JO_TANGENTIAL_MINDLIN)
        kt *= sqrt(radius * deepest(l, p, radius, mass, speed));
    /* A force on the rim moves it as if the body had 1 / (1 + m R^2 / I) of its mass. */
    const double share = 1 - 1 / l->turning;
    return pi * sqrt(share * mass / kt);
}
