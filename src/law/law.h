/* law.h — a scene's contact law made ready: choices, and coefficients per pair of materials. */
#ifndef JO_LAW_LAW_H
#define JO_LAW_LAW_H

#include "jostle/model.h"

/* Coefficients as the kernels use them; what each means depends on the parts chosen. Doubles only,
 * in the order of law_pair4 (contact4.h): kernels gather them in rows of four. */
typedef struct law_pair {
    double kn;       /* linear: k_n; hertz: K_n, F = K_n sqrt(R) d^(3/2); energy: k_n / m* */
    double kt;       /* linear: k_t; mindlin: K_t, F = K_t sqrt(R d) xi; energy: k_t / m* */
    double damp_n;   /* restitution: F = damp_n sqrt(m* k) v, k the secant stiffness: k_n, or
                        K_n sqrt(R d) with hertz; viscous: gamma_n, F = m* gamma_n [sqrt(R d)] v */
    double damp_t;   /* viscous: gamma_t; restitution: F = damp_t sqrt(m* k_t) v */
    double mu;       /* Coulomb */
    double mu_r;     /* rolling */
    double kr;       /* epsd: k_r [N m]; NaN: 2.25 k_n (mu_r R)^2 with the normal stiffness now */
    double eta_r;    /* epsd: share of critical damping */
    double adhesion; /* jkr: w; sjkr: energy density; liquid: 2 pi gamma cos(theta) */
    double reach;    /* jkr: contact lasts to a gap of reach cbrt(R); liquid: to this gap */
    double bridge;   /* liquid: 1 / sqrt(volume) */
    double unused;   /* fills the last row */
} law_pair;

typedef struct law {
    jo_law parts;
    size_t materials;
    double turning; /* of a body rolling on its rim: (I + m R^2) / (m R^2) */
    law_pair pairs[JO_MATERIALS_MAX * JO_MATERIALS_MAX]; /* materials x materials, symmetric */
    bool drags;                                          /* some contact has a tangential dashpot */
    bool remembers_rolling;                              /* contacts carry a rolling history */
    bool notes_drag; /* the account needs the tangential dashpot's force a step ago */
    bool reaches;    /* contacts may last beyond touching */
} law;

/* JO_ERR_DATA when a coefficient that the law needs is missing or out of bounds. Pairs of materials
 * that only walls are made of may lack them: they are all 0 then. */
jo_status jo_law_prepare(const jo_scene *scene, law *out, jo_error *error);
/* The same for one pair of materials; reads the scene's law, dimension, materials and contacts. */
jo_status jo_law_prepare_pair(const jo_scene *scene, size_t a, size_t b, law_pair *out,
                              jo_error *error);

/* How far beyond touching any contact of two bodies with effective radius R can last. */
double jo_law_reach(const law *l, double radius);

/* Damping factor alpha of F = alpha sqrt(m* K) sqrt(R)^(1/2) d^(1/4) v (hertz) or
 * F = alpha sqrt(m* k) v (linear) for restitution e, with the attraction at the end of contact
 * allowed or clipped. */
double jo_law_damping_hertz(double restitution, bool clip);
double jo_law_damping_linear(double restitution, bool clip);

/* How long a linear contact with damping factor alpha lasts, times sqrt(k / m*): pi without
 * damping. Infinity where it never ends (overdamped, attraction allowed). */
double jo_law_duration_linear(double alpha, bool clip);

/* How long a collision of two bodies with that effective radius and mass lasts at speed v; with
 * cohesion at most half a period of the oscillation about the state in which the two stick. */
double jo_law_contact_time(const law *l, const law_pair *pair, double radius, double mass,
                           double speed);

/* The time of which steps are to be a fiftieth if energies are to add up to a millionth after a
 * collision: at most what it lasts, and shorter the more dashpots take of it. */
double jo_law_resolved_time(const law *l, const law_pair *pair, double radius, double mass,
                            double speed);

/* Half a period of the tangential spring, the overlap being what speed v brings about; infinity
 * without one. Shorter than the contact time for most Poisson ratios. */
double jo_law_tangential_time(const law *l, const law_pair *pair, double radius, double mass,
                              double speed);

#endif
