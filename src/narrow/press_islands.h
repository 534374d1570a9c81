/* press_islands.h — where the surface between two pressing bodies may have islands.
 *
 * Mostly the surface (press.c) hangs together. But a sharp corner of one body that goes in through
 * a face of the other, under one of its edges, comes out beyond it: there it has an island. The
 * corner must be seen as narrower than the edge leaves room for; two cubes are just not sharp
 * enough, two tetrahedra are. The border of an island is where the surfaces of the bodies go
 * through each other: a ring with places where an edge of one goes through a face of the other. So
 * all of these are listed: pieces between faces that meet there are on all islands, and as long as
 * the places are the same, no island begins. */
#ifndef JO_NARROW_PRESS_ISLANDS_H
#define JO_NARROW_PRESS_ISLANDS_H

#include "narrow/press_near.h"

/* Of a body of up to ISLAND_FACES faces, the largest angles between the normals of two faces at one
 * vertex and at one edge; of others 0. */
enum { ISLAND_FACES = 32, ISLAND_CORNERS = 2 * ISLAND_FACES, MOST_CROSSINGS = 12 * ISLAND_FACES };
void jo_press_sharpness(const jo_polyhedron *body, double *at_vertices, double *at_edges);

/* Whether the surface between two bodies may have islands. */
static inline bool jo_press_sharp(const press_side *a, const press_side *b)
{
    const double just = 3.14159265358979323846 + 1e-6;
    return a->body != NULL && b->body != NULL &&
           (a->cells->at_vertices + b->cells->at_edges > just ||
            b->cells->at_vertices + a->cells->at_edges > just);
}

/* Faces of a and b that meet where an edge of one goes through a face of the other; of two such
 * bodies. */
typedef struct press_crossings {
    size_t count;
    uint32_t face[MOST_CROSSINGS][2];
    uint64_t hash; /* of which edges and faces they are */
} press_crossings;
void jo_press_crossings(const press_side *a, const press_side *b, press_crossings *out);

#endif
