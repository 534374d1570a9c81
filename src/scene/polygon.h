/* polygon.h — how a convex polygon lies in memory; see polygon.c. */
#ifndef JO_SCENE_POLYGON_H
#define JO_SCENE_POLYGON_H

#include "jostle/polyhedron.h"

struct jo_polygon {
    size_t n;
    double *points, *lines; /* 2 n, 3 n */
    double centre[2], area, inertia, radius, inradius;
};

#endif
