/* press_near.h — how two overlapping convex bodies press on each other, looking at faces near the
 * contact alone; see press_near.c. */
#ifndef JO_NARROW_PRESS_NEAR_H
#define JO_NARROW_PRESS_NEAR_H

#include "narrow/press.h"
#include "narrow/press_cells.h"

/* One of two bodies: a polyhedron, or a few planes in the world's axes, each beside all others. */
typedef struct press_side {
    const jo_polyhedron *body; /* NULL: planes */
    const press_cells *cells;  /* of the body */
    const jo_pose *pose;
    const double (*planes)[4]; /* unit normal, offset from the origin */
    size_t plane_count;
    double more;    /* added to offsets, see jo_press_cap */
    uint32_t start; /* a face, where to begin; anything is valid */
} press_side;

typedef enum press_found {
    PRESS_YES,
    PRESS_NO,   /* nothing of what they share lies within the parts */
    PRESS_LOST, /* no piece was found: perhaps they are apart; jo_press knows */
    PRESS_DEEP, /* deeper than the lists hold, or more faces beside a piece than there is room for:
                 * ask jo_press */
    PRESS_NO_MEMORY
} press_found;

/* As jo_press. `hint` is a point, from the origin, near which to begin if the faces say nothing. */
press_found jo_press_near(const press_side *a, const press_side *b, const double (*parts)[4],
                          size_t part_count, const double origin[3], double size,
                          const double hint[3], press_scratch *s, press *out);

#endif
