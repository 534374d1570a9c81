/* impact.h — what a collision that takes no time does to two bodies' velocities and spins.
 *
 * The normal part of the relative velocity at the point of contact is reversed and shrinks by the
 * restitution e, which may depend on speed: e(v) = 1 - (1 - e) (v / v0)^(3/4) below a speed v0
 * (Bizon et al. 1998), e above. The tangential part is reversed and shrinks by the tangential
 * restitution beta (-1: it stays, 0: it ends, 1: it is reversed) as long as the impulse that takes
 * is at most friction times the normal one; else that is the impulse, and the contact slides
 * (Walton 1993). */
#ifndef JO_LAW_IMPACT_H
#define JO_LAW_IMPACT_H

#include <math.h>

#include "jostle/model.h"

typedef struct impact_pair {
    double restitution; /* e */
    double speed;       /* v0; 0: the restitution is the same at every speed */
    double friction;    /* Coulomb's coefficient; 0: smooth */
    double tangential;  /* beta */
} impact_pair;

/* What the scene's materials do to each other, materials x materials, into `pairs`. */
void jo_impact_prepare(const jo_scene *scene, impact_pair *pairs);

/* One of the two bodies that meet; a wall has no inverse mass. */
typedef struct impact_body {
    double inverse_mass;
    double turning; /* r^2 m / I: 5/2 for balls, 2 for discs; 0: does not turn */
} impact_body;

typedef struct impact_result {
    double normal;        /* impulse along the normal, >= 0, pushing apart */
    double tangential[3]; /* impulse on the second body */
    double lost;          /* kinetic energy */
} impact_result;

static inline double impact_restitution(const impact_pair *p, double speed)
{
    if (!(speed < p->speed)) return p->restitution;
    const double s = sqrt(speed / p->speed);
    return 1.0 - (1.0 - p->restitution) * s * sqrt(s);
}

/* The impulses for a contact whose surfaces approach with `approach` > 0 along the normal, and
 * slide over each other with `slide` (of the second over the first). */
static inline impact_result impact_solve(const impact_pair *p, double restitution, impact_body a,
                                         impact_body b, double approach, const double slide[3])
{
    const double inverse = a.inverse_mass + b.inverse_mass;
    impact_result out = {.normal = (1.0 + restitution) * approach / inverse};
    out.lost = 0.5 * (1.0 - restitution * restitution) * approach * approach / inverse;
    const double speed2 = slide[0] * slide[0] + slide[1] * slide[1] + slide[2] * slide[2];
    if (p->friction <= 0.0 || speed2 <= 0.0) return out;
    const double speed = sqrt(speed2);
    const double response =
        inverse + a.turning * a.inverse_mass + b.turning * b.inverse_mass; /* dv per impulse */
    const double limit = p->friction * out.normal, full = (1.0 + p->tangential) * speed / response;
    const double impulse = full < limit ? full : limit;
    for (int k = 0; k < 3; k++)
        out.tangential[k] = -impulse * slide[k] / speed;
    const double after = speed - impulse * response;
    out.lost += 0.5 * (speed - after) * (speed + after) / response;
    return out;
}

#endif
