/* kinetic_draw.h — a picture of hard polygons with their triangulation. */
#ifndef CLI_KINETIC_DRAW_H
#define CLI_KINETIC_DRAW_H

#include "cli.h"

/* To a PNG, SVG or PDF by the path's extension. */
jo_status kinetic_draw(jo_polygons *polygons, const jo_scene *scene, const char *path,
                       jo_error *error);

#endif
