/* polygon_scenes.h — random scenes of polygons for tests of the triangulation, and a judge of
 * overlap that knows nothing of triangles. */
#ifndef TESTS_POLYGON_SCENES_H
#define TESTS_POLYGON_SCENES_H

#include "base/random.h"
#include "hard/tri.h"

typedef struct polygon_scene {
    uint32_t vertices, bodies, partitions;
    double *place;
    uint32_t *next, *owner;
    uint32_t *first; /* first corner of each body; bodies + 1. Body 0 is the boundary */
    uint32_t partition[16];
} polygon_scene;

typedef enum polygon_kind {
    POLYGONS_CONVEX,
    POLYGONS_STARS,   /* not convex */
    POLYGONS_COMBS,   /* deeply not convex, with parallel edges */
    POLYGONS_SQUARES, /* on a lattice: many corners on one line */
    POLYGONS_KINDS
} polygon_kind;

/* `grains` of them on a jittered lattice, inside a rectangle that fits. */
polygon_scene polygon_scene_make(uint32_t grains, polygon_kind kind, uint64_t seed);
void polygon_scene_free(polygon_scene *scene);
tri_input polygon_scene_input(const polygon_scene *scene);

/* The first pair of bodies whose edges meet, or of which one lies in the other (all in body 0, the
 * boundary): false if there is none. Exact; compares each edge with all edges that overlap it in
 * x. */
bool polygon_scene_overlap(const polygon_scene *scene, uint32_t pair[2]);

#endif
