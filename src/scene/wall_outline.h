/* wall_outline.h — walls of two dimensions as polygons: what engine "kinetic" takes them for. */
#ifndef JO_SCENE_WALL_OUTLINE_H
#define JO_SCENE_WALL_OUTLINE_H

#include "jostle/model.h"

/* How many corners it has; 0: it is none. */
size_t jo_wall_corners(const jo_wall *wall);
/* Where they are at time 0 without its motion, 2 numbers each, in order around it. */
void jo_wall_outline(const jo_wall *wall, double *corners);
/* Whether the bodies are inside. */
bool jo_wall_is_around(const jo_wall *wall);

#endif
