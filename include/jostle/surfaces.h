/* jostle/surfaces.h — the walls of a scene as they stand at time 0: is a sphere clear of them, and
 * which way is out?
 *
 * For whoever places bodies. The answers are those of the engines' own contacts with walls: every
 * kind of wall counts, meshes and moved ones included; walls that come later do not. */
#ifndef JOSTLE_SURFACES_H
#define JOSTLE_SURFACES_H

#include "jostle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_surfaces jo_surfaces;

/* The scene is not needed afterwards. JO_ERR_DATA names a wall that cannot be, JO_ERR_MEMORY.
 * *surfaces is for jo_surfaces_destroy, NULL on failure. */
JO_API jo_status jo_surfaces_create(const jo_scene *scene, jo_surfaces **surfaces, jo_error *error);
JO_API void jo_surfaces_destroy(jo_surfaces *surfaces); /* NULL is fine */

/* Whether a sphere (disc) overlaps no wall. Lying on one to 1e-9 of the radius is clear of it. One
 * thread at a time. */
JO_API bool jo_surfaces_clear(jo_surfaces *surfaces, const double x[3], double r);

/* Adds to push how far the sphere would have to move to be clear, for each place where it touches.
 * Nothing where it is clear. One thread at a time. */
JO_API void jo_surfaces_push(jo_surfaces *surfaces, const double x[3], double r, double push[3]);

#ifdef __cplusplus
}
#endif
#endif
