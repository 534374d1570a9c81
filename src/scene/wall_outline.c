/* wall_outline.c — walls of two dimensions as polygons. Circles become polygons of CIRCLE corners:
 * inside of the circle where bodies are outside, and around it where they are inside, so that none
 * is nearer to the wall than the circle says by more than 0.13 % of its radius. */
#include "scene/wall_outline.h"

#include <math.h>
#include <string.h>

#include "jostle/outline.h"

enum { CIRCLE = 64 };

size_t jo_wall_corners(const jo_wall *w)
{
    switch (w->kind) {
    case JO_WALL_BOX:
        return 4;
    case JO_WALL_CYLINDER:
        return CIRCLE;
    case JO_WALL_MESH:
        return w->solid != JO_SOLID_NONE ? w->triangle_count : 0;
    case JO_WALL_PLANE:
    case JO_WALL_CONE:
        break;
    }
    return 0;
}

void jo_wall_outline(const jo_wall *w, double *corners)
{
    if (w->kind == JO_WALL_BOX) {
        const double box[8] = {w->lo[0], w->lo[1], w->hi[0], w->lo[1],
                               w->hi[0], w->hi[1], w->lo[0], w->hi[1]};
        memcpy(corners, box, sizeof box);
    }
    if (w->kind == JO_WALL_CYLINDER) {
        const double half = 3.141592653589793 / CIRCLE,
                     r = w->radius / (w->outside ? 1.0 : cos(half));
        for (int k = 0; k < CIRCLE; k++) {
            corners[2 * k] = w->point[0] + r * cos(2.0 * half * k);
            corners[2 * k + 1] = w->point[1] + r * sin(2.0 * half * k);
        }
    }
    for (size_t k = 0; k < w->triangle_count && w->kind == JO_WALL_MESH; k++)
        memcpy(corners + 2 * k, w->triangles + 4 * k, 2 * sizeof *corners);
}

bool jo_wall_is_around(const jo_wall *w)
{
    return w->kind == JO_WALL_MESH ? w->solid == JO_SOLID_OUTSIDE : !w->outside;
}
