/* tri_local.h — what putting a polygon in and taking one out share.
 *
 * A local change works on the mesh as tri.h has it: mandatory sides have no neighbour. Triangles
 * that are taken out leave free numbers, which new ones get; what is left over at the end is filled
 * with the last triangles. Marks (tri_build.fixed) are 0 between changes. */
#ifndef JO_HARD_TRI_LOCAL_H
#define JO_HARD_TRI_LOCAL_H

#include "hard/tri_build.h"

enum { TRI_MANDATORY = 7, TRI_CHANGED = 16 }; /* in tri_build.fixed */

/* Triangles that were changed (maybe several times, maybe gone since), numbers that are free, and
 * what got another number. */
typedef struct tri_log {
    uint32_t *changed, *unused, *moved;
    uint32_t changed_count, unused_count, moved_count, room;
    bool failed; /* memory ran out */
} tri_log;

/* A polygon without holes, counter-clockwise: corner k has the triangle beyond[k] on the other side
 * of the way to the next. Corners are taken out of it one by one. */
typedef struct tri_ring {
    uint32_t *v, *beyond, *next, *previous, *order;
    uint32_t count;
} tri_ring;

/* Room for a change with a polygon of that many corners; false: no memory. */
bool jo_tri_begin(tri_build *b, tri_log *log, tri_mesh *mesh, const tri_input *input,
                  uint32_t corners);
/* Numbers are made consecutive again; says what was changed. */
jo_status jo_tri_finish(tri_build *b, tri_changes *changes, jo_error *error);

/* Notes that triangle t has other corners now. */
void tri_note(tri_build *b, uint32_t t);
/* A number for a new triangle; and one that is free again. */
uint32_t tri_take_number(tri_build *b);
void tri_free_number(tri_build *b, uint32_t t);

/* An empty ring with room for that many corners; its count is 0 where memory ran out. */
tri_ring jo_tri_ring(tri_build *b, uint32_t room);
/* Finds an order in which corners can be cut off, each with a positive triangle. False: there is
 * none, the ring is not a simple polygon. */
bool jo_tri_ring_order(const tri_build *b, tri_ring *ring);
/* Triangulates it in that order. */
void jo_tri_ring_fill(tri_build *b, tri_ring *ring);

/* Takes corner v, which has triangles all around it, out. */
jo_status jo_tri_take_corner(tri_build *b, uint32_t v, jo_error *error);

#endif
