/* placing.h — what the ways of placing bodies share: the bodies made so far, and the group at hand.
 */
#ifndef JO_SCENE_PLACING_H
#define JO_SCENE_PLACING_H

#include "jostle/surfaces.h"
#include "scene/nest.h"

typedef struct placing {
    const jo_scene *scene;
    nest placed; /* all bodies so far, those of the group at hand included once they are settled */
    jo_surfaces *walls; /* that bodies keep clear of */
    jo_progress progress;
    void *context;
    size_t group; /* at hand */
    jo_error *error;
} placing;

/* Bodies of one group: n centres and radii, in the order of their ids. */
typedef struct batch {
    double *x, *r; /* 3 n, n */
    size_t n, capacity;
    /* Given by a file: 4 n, n; NULL: drawn. */
    double *q;
    uint32_t *shape;
} batch;

bool jo_batch_add(batch *b, const double x[3], double r);
void jo_batch_free(batch *b);

/* "bodies 'name'" for messages. */
const char *jo_placing_who(const placing *p, char text[JO_NAME_SIZE]);

/* Calls progress with the share of this group that is done; JO_ERR_CANCELLED when asked to stop. */
jo_status jo_placing_report(placing *p, double share);

jo_status jo_place_lattice(placing *p, const jo_group *g, batch *out); /* place_lattice.c */
jo_status jo_place_random(placing *p, const jo_group *g, batch *out);  /* place_random.c */

/* group_outlines.c: the outlines of the bodies from `before` on, which are those of the group. */
jo_status jo_outlines_append(const jo_group *g, size_t before, jo_population *to, jo_error *error);

/* place_dense.c: moves n bodies, which may overlap each other, until none overlaps another, a body
 * placed before, a wall or the border of the region. JO_ERR_DATA when that does not come about:
 * *overlap is then the deepest that is left, as a share of the diameter. */
jo_status jo_place_dense(placing *p, const jo_group *g, batch *out, double *overlap);

#endif
