/* barrier.h — where a body may be at the start: inside its region, clear of walls. */
#ifndef JO_SCENE_BARRIER_H
#define JO_SCENE_BARRIER_H

#include "jostle/model.h"

/* Whether a sphere is clear of the wall as it stands at time 0. Meshes are not looked at (they
 * count as clear), nor are walls that come later. */
bool jo_wall_clear(const jo_wall *wall, int dim, const double x[3], double r);

/* Adds to push how far the sphere would have to move to be clear of the wall, or inside the region.
 */
void jo_wall_push(const jo_wall *wall, int dim, const double x[3], double r, double push[3]);
void jo_region_push(const jo_region *region, int dim, const bool open[3], const double x[3],
                    double r, double push[3]);

/* Whether it is clear of all walls of a scene. */
bool jo_walls_clear(const jo_scene *scene, const double x[3], double r);

#endif
