/* impact_planar.h — two rigid bodies of the plane collide with friction and restitution.
 *
 * Routh's construction as given by Wang & Mason (1992): while the impact lasts, normal impulse
 * grows, the tangential one follows Coulomb's law (sliding, sticking, or sliding the other way),
 * compression ends when the bodies no longer approach, and by Poisson's hypothesis the normal
 * impulse after that is restitution times the one before. Energy never grows as long as restitution
 * is at most 1.
 *
 * Resting contacts would collide infinitely often. `least`, a least speed of parting, prevents it:
 * where the bodies would part more slowly, normal impulse goes on until they part with that speed.
 * What energy this adds is told (`added`): at most least^2 / (2 k), k the rise of normal velocity
 * per impulse, at least b2 - b3^2 / b1.
 *
 * The frame: n is the unit normal pointing from body 2 into body 1, t is n turned clockwise by a
 * right angle, so that (t, n) is right-handed. All impulses act on body 1, and their opposites on
 * body 2. */
#ifndef JO_LAW_IMPACT_PLANAR_H
#define JO_LAW_IMPACT_PLANAR_H

#include "jostle/base.h"

typedef enum planar_mode {
    PLANAR_APART,               /* the bodies do not approach: nothing happens */
    PLANAR_SLIDING,             /* slides one way all the time */
    PLANAR_STICKS_COMPRESSION,  /* sliding ends in compression, and it sticks */
    PLANAR_STICKS_RESTITUTION,  /* … in restitution */
    PLANAR_REVERSE_COMPRESSION, /* sliding ends in compression, and turns round */
    PLANAR_REVERSE_RESTITUTION, /* … in restitution */
    PLANAR_MODES
} planar_mode;

/* What an impulse at the point of contact does to the relative velocity there (of body 1's point
 * less body 2's): slide += b1 px - b3 py, normal += b2 py - b3 px. */
typedef struct planar_contact {
    double b1, b2, b3;    /* 1/mass; b1, b2 > 0, b1 b2 >= b3^2 */
    double slide, normal; /* relative velocity before, along t and n; normal < 0: they approach */
} planar_contact;

typedef struct planar_impulse {
    planar_mode mode;
    double px, py; /* along t and n; py >= 0 */
    double lost;   /* kinetic energy, by restitution and friction */
    double added;  /* kinetic energy that the least speed of parting put in; the change is added -
                      lost */
} planar_impulse;

/* One body: a wall has inverse mass and inertia 0 (its v and spin may be anything). */
typedef struct planar_body {
    double inverse_mass, inverse_inertia;
    double v[2], spin; /* before the impact, and after jo_planar_apply */
} planar_body;

/* arm1, arm2: from the bodies' centres to the point of contact; n as above. At least one of the
 * bodies has an inverse mass. */
planar_contact jo_planar_contact(const planar_body *one, const planar_body *two,
                                 const double arm1[2], const double arm2[2], const double n[2]);

/* The impulse. friction >= 0, finite; restitution in [0, 1]; least >= 0 as above, 0 for none.
 * Bodies that do not approach get none, but a purely tangential impact (normal = 0) that jams
 * does. */
planar_impulse jo_planar_impact(const planar_contact *contact, double friction, double restitution,
                                double least);

/* The same under Newton's hypothesis (the normal velocity after is -restitution times that before),
 * for comparison: with friction it can create energy, which is then a negative loss. */
planar_impulse jo_planar_impact_newton(const planar_contact *contact, double friction,
                                       double restitution);

/* Gives the bodies their velocities after the impulse. */
void jo_planar_apply(const planar_impulse *impulse, planar_body *one, planar_body *two,
                     const double arm1[2], const double arm2[2], const double n[2]);

#endif
