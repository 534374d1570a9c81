/* packing.h — between generate.c and packing.c. */
#ifndef SCENES_PACKING_H
#define SCENES_PACKING_H

#include "jostle/io.h"

/* Moves the centres of spheres that overlap apart until no pair overlaps by more than `tolerance`
 * of the sum of its radii. Periodic axes of particles->domain wrap; on open axes spheres are kept
 * between walls at the domain's ends. JO_ERR_LIMIT when that was not reached in `rounds` rounds;
 * the centres are then the best that was found. */
jo_status scene_relax(jo_particles *particles, double tolerance, int rounds, jo_error *error);

/* Fills error (may be NULL) and returns status. */
jo_status scene_fail(jo_error *error, jo_status status, const char *format, ...) JO_PRINTF(3, 4);

#endif
