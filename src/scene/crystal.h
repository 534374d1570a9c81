/* crystal.h — the lattices on which bodies are placed. */
#ifndef JO_SCENE_CRYSTAL_H
#define JO_SCENE_CRYSTAL_H

#include "jostle/model.h"

/* An orthogonal cell and the sites in it. */
typedef struct crystal {
    const char *name;
    int dim, sites;
    double edge[3];  /* for nearest neighbours at distance 1 */
    double at[4][3]; /* in edges */
} crystal;

/* The one of a group; NULL: that dimension has none of its name. */
const crystal *jo_crystal(const jo_group *group, int dim);

/* How deep neighbours overlap if all bodies have that shape, size and orientation (a quaternion):
 * the depth of the deepest overlap, or 0. Neighbours that are more than a few cells away, as those
 * of bodies much longer than the spacing, are left out. */
double jo_crystal_overlap(const crystal *c, double spacing, const jo_polyhedron *shape,
                          double radius, const double orientation[4]);

#endif
