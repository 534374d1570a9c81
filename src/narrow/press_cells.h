/* press_cells.h — which faces of a convex body bound the room that one of them rules.
 *
 * The room of face f are the points inside the body of which f's plane is the nearest. It is
 * convex, and its walls stand between f and other faces: `beside`. Down to `depth` below the
 * surface the lists are complete, so whoever stays in that layer need not look at any other face:
 * see press_near.c. */
#ifndef JO_NARROW_PRESS_CELLS_H
#define JO_NARROW_PRESS_CELLS_H

#include "base/memory.h"
#include "jostle/polyhedron.h"

typedef struct press_cells {
    buffer first, beside; /* uint32_t: nf + 1 places, and the faces */
    double depth;
    double at_vertices, at_edges; /* how sharp it is: press_islands.h */
} press_cells;

/* Lists for a body; *cells is empty before. False: no memory. Bodies of few faces get lists for any
 * depth, others down to a quarter of their radius. */
bool jo_press_cells_make(const jo_polyhedron *body, press_cells *cells);
void jo_press_cells_free(press_cells *cells);

#endif
