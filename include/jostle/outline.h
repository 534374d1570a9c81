/* jostle/outline.h — simple polygons as arrays of corners, convex or not: checks, mass, and grains
 * at random.
 *
 * An outline is n corners in order around it, x and y of each; either way round unless it says
 * otherwise. Lengths are in the caller's unit; density is 1, so that mass is area. All functions
 * are thread-safe. */
#ifndef JOSTLE_OUTLINE_H
#define JOSTLE_OUTLINE_H

#include "jostle/base.h"
#include "jostle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No outline has more corners. */
#define JO_OUTLINE_MAX ((size_t)1 << 24)

/* Is it the outline of a simple polygon? JO_ERR_DATA names corners or edges (edge k leads from
 * corner k to the next): coordinates that are not finite or above 1e100, two neighbouring corners
 * in one place, an edge that runs back along the one before, two edges that cross or touch, no
 * area. Exact: no tolerance. JO_ERR_MEMORY, JO_ERR_LIMIT. Cost: O(n log n) for outlines that are
 * not mostly vertical. */
JO_API jo_status jo_outline_check(const double *points, size_t n, jo_error *error);

typedef struct jo_outline_mass {
    double area;      /* > 0 */
    double centre[2]; /* of mass */
    double inertia;   /* about it */
    double radius;    /* of the circle around it that holds all corners */
    bool clockwise;   /* the order of the corners */
    bool convex;      /* turns one way only; corners in a straight line do not matter */
} jo_outline_mass;

/* Of an outline that jo_outline_check has passed. */
JO_API jo_outline_mass jo_outline_measure(const double *points, size_t n);

/* Reverses the order of the corners; the first stays. */
JO_API void jo_outline_reverse(double *points, size_t n);

/* Random convex grains: corners on a circle around the origin, that is then stretched. */
typedef struct jo_grain_def {
    jo_sizes radius;                 /* of the circle; default fixed 1 */
    size_t corners_min, corners_max; /* each number as likely; 3 to 100,000; default 5 to 8 */
    double irregularity; /* 0: corners evenly, below 1: each moved by up to half of that times the
                            angle between two; default 0.6 */
    double aspect;       /* length over width, >= 1, of the same area; default 1 */
    uint64_t seed;       /* default 1 */
} jo_grain_def;
JO_API jo_grain_def jo_grain_def_default(void);

/* Grain `index`: up to corners_max corners, counter-clockwise, turned at random, the centre of mass
 * at the origin. The same on every machine. JO_ERR_ARGUMENT names what is out of bounds. */
JO_API jo_status jo_outline_grain(const jo_grain_def *def, uint64_t index, double *points,
                                  size_t *n, jo_error *error);

/* A disc as a regular polygon of the same area: `sides` (3 to 100,000) corners counter-clockwise
 * around the origin, the first on the positive x axis. JO_ERR_ARGUMENT. */
JO_API jo_status jo_outline_disc(double radius, size_t sides, double *points, jo_error *error);

#ifdef __cplusplus
}
#endif
#endif
