/* shapes.h — what the benchmark of closest features asks of a library of convex shapes. */
#ifndef JO_BENCH_SHAPES_H
#define JO_BENCH_SHAPES_H

#include "jostle/features.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bodies apart, their distance wanted; or overlapping, their depth. */
typedef enum shape_task { TASK_DISTANCE, TASK_DEPTH } shape_task;

typedef struct shape_peer {
    const char *name, *how;
    bool distance, depth; /* what it can tell */
    double exact;         /* of its answers, relative to the bodies' radius: its own tolerance */
    void *(*create)(const jo_polyhedron *a, const jo_polyhedron *b, shape_task task);
    /* Takes over poses, a and b in turn, into the library's own form; not timed. */
    void (*poses)(void *own, const jo_pose *poses, size_t pairs);
    /* Answers all pairs of poses; below 0: minus the depth. coherent: each may start from what is
     * kept of the one before. */
    void (*query)(void *own, bool coherent, double *distance);
    void (*destroy)(void *own);
} shape_peer;

#ifdef __cplusplus
}
#endif
#endif
