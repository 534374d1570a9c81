/* wall_oracle.h — how far a centre is from a wall, in long double and from the wall's description
 * alone: what the event-driven engine's hits are judged by.
 *
 * Nothing is shared with the library: no pieces, no polynomials, no features. A wall is a set of
 * points at a time, and the distance of a centre from it, less the radius, is the ball's
 * clearance. */
#ifndef TESTS_WALL_ORACLE_H
#define TESTS_WALL_ORACLE_H

#include "jostle/model.h"

typedef long double real;

/* Distance of x from the wall as it is at time t; negative inside of what is solid. */
real oracle_distance(const jo_wall *wall, int dim, real t, const real x[3]);
/* Velocity of the wall's translation then, and the most it ever has. */
void oracle_velocity(const jo_wall *wall, real t, real v[3]);
real oracle_speed(const jo_wall *wall);

#endif
