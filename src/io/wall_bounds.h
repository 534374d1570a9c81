/* wall_bounds.h — how much of an endless wall to show; see wall_bounds.c. */
#ifndef JO_IO_WALL_BOUNDS_H
#define JO_IO_WALL_BOUNDS_H

#include "jostle/model.h"

typedef struct wall_bounds {
    double lo[3], hi[3];
    bool empty; /* nothing was added yet: lo and hi are those of a cube around the origin */
    bool fixed; /* the scene's box: nothing widens it */
} wall_bounds;

/* The scene's box, or where it has none the bounds of its bounded walls and of what its bodies are
 * made in. */
wall_bounds jo_wall_bounds_of(const jo_scene *scene);

/* Makes them hold a ball, unless they are fixed. What is not finite is passed over. */
void jo_wall_bounds_add(wall_bounds *bounds, const double centre[3], double radius);

#endif
