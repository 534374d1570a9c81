/* region.h — where bodies are placed: is a sphere inside, how large is it, where may a centre
 * be. */
#ifndef JO_SCENE_REGION_H
#define JO_SCENE_REGION_H

#include "jostle/model.h"

/* Whether a sphere (disc) lies wholly inside. Axes with open[a] set have no limits: periodic ones
 * that the region spans. */
bool jo_region_holds(const jo_region *g, int dim, const bool open[3], const double x[3], double r);

/* Adds to push how far a sphere would have to move to lie inside. */
void jo_region_push(const jo_region *g, int dim, const bool open[3], const double x[3], double r,
                    double push[3]);

/* Volume (2D: area). */
double jo_region_volume(const jo_region *g, int dim);

/* The smallest box around it. */
void jo_region_bounds(const jo_region *g, int dim, double lo[3], double hi[3]);

/* The radius of the largest sphere that fits, the periodic axes it spans aside. */
double jo_region_room(const jo_region *g, int dim, const bool open[3]);

/* A box region's axes that span a whole period of the domain: there bodies may stick out, because
 * the other side continues. */
void jo_region_open_axes(const jo_region *g, const jo_scene *scene, bool open[3]);

/* A place for a body of radius r wholly inside the region, drawn with u, three numbers from 0 to 1.
 * False: it is too large for it. */
bool jo_region_draw(const jo_region *g, int dim, double r, const double u[3], double x[3]);

#endif
