/* view_pair.h — what the page is told about bodies that lie together: the closest features of two,
 * and what one touches in a stored run. */
#ifndef CLI_VIEW_PAIR_H
#define CLI_VIEW_PAIR_H

#include "json.h"
#include "viewer.h"

/* Walls as triangles, 9 doubles each (2D: segments, the last corner not used), and the wall of
 * each. */
typedef struct wall_triangles {
    const double *corners;
    const uint32_t *owner;
    size_t count;
} wall_triangles;

/* Where a body with that id is in a frame; f->n: it is not there. */
size_t frame_index(const jo_frame *f, uint64_t id);

/* An object with the closest features of two bodies, and the Voronoi regions of those of
 * polyhedra. */
void put_feature_pair(json *j, const jo_frame *f, uint64_t a, uint64_t b);

/* An array `contacts`: what body i touches, found from where everything is. */
void put_touched(json *j, const jo_frame *f, size_t i, const wall_triangles *walls);

#endif
