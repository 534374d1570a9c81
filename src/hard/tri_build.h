/* tri_build.h — what the stages of a triangulation's making share. */
#ifndef JO_HARD_TRI_BUILD_H
#define JO_HARD_TRI_BUILD_H

#include "hard/tri.h"

enum { TRI_WORK = 11 };

/* While it is made the mesh covers the convex hull of all corners, n is TRI_NONE on the hull alone,
 * and mandatory sides are marked: bit k of fixed[t] for the side opposite corner k. */
typedef struct tri_build {
    tri_mesh *mesh;
    const tri_input *in;
    uint8_t *fixed;
    uint32_t *work;      /* lists of the stages: TRI_WORK each for 2 corners + 4 */
    uint8_t *marks;      /* the same, 2 */
    struct tri_log *log; /* of a local change: what is changed is noted; NULL: all is being made */
    buffer memory_fixed, memory_work, memory_marks;
} tri_build;

static inline const double *tri_place(const tri_build *b, uint32_t v)
{
    return b->in->place + 2 * (size_t)v;
}

/* Stage 1, tri_sweep.c: from left to right. */
jo_status jo_tri_sweep(tri_build *build, jo_error *error);

/* Stage 2, tri_edges.c: makes p - q a side, and marks it as mandatory. */
jo_status jo_tri_insert_edge(tri_build *build, uint32_t p, uint32_t q, jo_error *error);

#endif
