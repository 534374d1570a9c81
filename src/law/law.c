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
 * once per pair of materials. */
#include "law/law.h"

#include <math.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846;

/* Restitution of x'' = -x^(3/2) - alpha x^(1/4) x' from x = 0, x' = 1 until the force vanishes, by
 * Runge-Kutta of fourth order. */
static double hertz_clipped_restitution(double alpha)
{
    const double dt = 1e-3;
    double x = 0, v = 1;
    for (int i = 0; i < 40000; i++) { /* a contact lasts 3.2 undamped; a slow end leaves no speed */
        double kx[4], kv[4], xs = x, vs = v;
        for (int s = 0; s < 4; s++) {
            const double c = xs > 0 ? xs : 0, h = s == 2 ? dt : 0.5 * dt;
            kx[s] = vs;
            kv[s] = -c * sqrt(c) - alpha * sqrt(sqrt(c)) * vs;
            xs = x + h * kx[s];
            vs = v + h * kv[s];
        }
        x += dt / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
        v += dt / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
        const double c = x > 0 ? x : 0;
        if (v < 0 && c * sqrt(c) + alpha * sqrt(sqrt(c)) * v <= 0)
            break;
    }
    return -v;
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
    if (beta == 1)
        return exp(-2.0);
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

/* Effective moduli of Hertz and Mindlin: 1/E* = sum (1 - nu^2)/E, 1/G* = sum 2 (2 - nu)(1 + nu)/E. */
static double effective_young(const jo_material *a, const jo_material *b)
{
    return 1 / ((1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young);
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

static jo_status normal_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                             law_pair *p, jo_error *error)
{
    p->kn = def->normal_stiffness;
    if (isnan(p->kn) && s->law.normal != JO_NORMAL_LINEAR)
        p->kn = 4.0 / 3.0 * effective_young(&s->materials[a], &s->materials[b]);
    if (!(p->kn > 0) || isinf(p->kn))
        return missing(s, a, b, "a normal stiffness above 0 (or moduli, with hertz)", error);
    return JO_OK;
}

static jo_status damping_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                              law_pair *p, jo_error *error)
{
    p->damp_n = p->damp_t = 0;
    if (s->law.damping == JO_DAMPING_RESTITUTION) {
        if (!(def->restitution > 0 && def->restitution <= 1))
            return missing(s, a, b, "a restitution above 0 and at most 1", error);
        const bool linear = s->law.normal == JO_NORMAL_LINEAR, clip = s->law.clip_attraction;
        p->damp_n = linear ? jo_law_damping_linear(def->restitution, clip)
                           : jo_law_damping_hertz(def->restitution, clip);
        p->damp_t = p->damp_n;
    } else if (s->law.damping == JO_DAMPING_VISCOUS) {
        p->damp_n = def->normal_damping;
        p->damp_t = isnan(def->tangential_damping) ? 0.5 * p->damp_n : def->tangential_damping;
        if (!(p->damp_n >= 0) || !(p->damp_t >= 0))
            return missing(s, a, b, "a normal damping of 0 or more", error);
    }
    if (!s->law.tangential_damping)
        p->damp_t = 0;
    return JO_OK;
}

static jo_status tangential_part(const jo_scene *s, size_t a, size_t b, const jo_contact_def *def,
                                 law_pair *p, jo_error *error)
{
    p->kt = 0;
    p->mu = def->friction;
    if (s->law.tangential == JO_TANGENTIAL_NONE)
        return JO_OK;
    p->kt = def->tangential_stiffness;
    if (isnan(p->kt))
        p->kt = s->law.tangential == JO_TANGENTIAL_LINEAR
                    ? 2.0 / 7.0 * p->kn
                    : 8 * effective_shear(&s->materials[a], &s->materials[b]);
    if (!(p->kt > 0) || isinf(p->kt))
        return missing(s, a, b, "a tangential stiffness above 0 (or moduli, with mindlin)", error);
    if (!(p->mu >= 0))
        return missing(s, a, b, "a friction of 0 or more", error);
    return JO_OK;
}

jo_status jo_law_prepare(const jo_scene *s, law *out, jo_error *error)
{
    *out = (law){ .parts = s->law, .materials = s->material_count };
    if (s->material_count < 1 || s->material_count > JO_MATERIALS_MAX)
        return jo_fail(error, JO_ERR_DATA, "a scene needs 1 to %d materials, not %zu",
                       JO_MATERIALS_MAX, s->material_count);
    for (size_t a = 0; a < s->material_count; a++)
        for (size_t b = 0; b < s->material_count; b++) {
            const jo_contact_def *def = &s->contacts[a * s->material_count + b];
            law_pair *p = &out->pairs[a * s->material_count + b];
            jo_status status = normal_part(s, a, b, def, p, error);
            if (status == JO_OK)
                status = damping_part(s, a, b, def, p, error);
            if (status == JO_OK)
                status = tangential_part(s, a, b, def, p, error);
            if (status != JO_OK)
                return status;
        }
    return JO_OK;
}

double jo_law_reach(const law *l, double radius)
{
    (void)radius;
    (void)l;
    return 0;
}

double jo_law_contact_time(const law *l, const law_pair *p, double radius, double mass, double speed)
{
    if (l->parts.normal == JO_NORMAL_LINEAR)
        return pi * sqrt(mass / p->kn);
    const double e = 0.75 * p->kn; /* E* */
    return 2.8683 * pow(mass * mass / (radius * e * e * speed), 0.2);
}
