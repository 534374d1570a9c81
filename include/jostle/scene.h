/* jostle/scene.h — bodies as arrays, and the domain they live in.
 *
 * Lengths are in whatever unit the caller uses; jostle never mixes in a unit of its own. */
#ifndef JOSTLE_SCENE_H
#define JOSTLE_SCENE_H

#include "jostle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most this many bodies in one search: pairs hold 32-bit indices. */
#define JO_BODIES_MAX ((size_t)0x7ffffffe)

/* Coordinates, radii and domain edges must not exceed this in magnitude, so that no square
 * overflows. Anything larger, infinite or NaN is a JO_ERR_DATA that names the body. */
#define JO_COORDINATE_MAX 1e150

typedef enum jo_shape {
    JO_SPHERES = 0, /* discs when dim is 2 */
    JO_BOXES = 1    /* axis-aligned boxes */
} jo_shape;

/* A view of the caller's bodies; jostle reads the arrays and keeps no pointer after a call.
 *
 * The value of body i on axis a is x[a][i * x_stride]: packed arrays have stride 1, an array of
 * xyz triples has x = {p, p + 1, p + 2} and stride 3. */
typedef struct jo_bodies {
    jo_shape shape;
    int dim;                /* 2 or 3; with 2 the third axis is not read */
    size_t n;               /* number of bodies, 0 to JO_BODIES_MAX */
    const double *x[3];     /* centres of spheres, or lower corners of boxes */
    const double *r;        /* radii of spheres, >= 0; not read for boxes */
    const double *upper[3]; /* upper corners of boxes, >= lower; not read for spheres */
    size_t x_stride;        /* in doubles, for x and upper; at least 1 */
    size_t r_stride;        /* in doubles, for r; at least 1 */
} jo_bodies;

/* Views over packed arrays. z may be NULL when dim is 2. */
JO_API jo_bodies jo_spheres(size_t n, int dim, const double *x, const double *y, const double *z,
                            const double *r);
/* Over interleaved centres: dim doubles per body. */
JO_API jo_bodies jo_spheres_interleaved(size_t n, int dim, const double *centres, const double *r);
/* Over interleaved corners: dim doubles per body in each array. */
JO_API jo_bodies jo_boxes_interleaved(size_t n, int dim, const double *lower, const double *upper);

/* The space bodies live in. An axis is open (no limits; lo and hi are not read) or periodic with
 * period hi - lo. Bodies may lie anywhere, also outside [lo, hi): a periodic axis wraps them.
 *
 * On periodic axes two bodies touch when any of their images touch, so a body larger than half the
 * period is handled exactly; a pair is listed once however many of its images touch, and a body is
 * never paired with its own image. */
typedef struct jo_domain {
    double lo[3];
    double hi[3];
    bool periodic[3];
} jo_domain;

/* Two bodies in contact, as indices into the caller's arrays, i < j. */
typedef struct jo_pair {
    uint32_t i;
    uint32_t j;
} jo_pair;

/* The definition of contact, the same for every method (closed: exact touching counts):
 *   spheres:  (ri + rj)² − |xi − xj|² >= 0, in double precision, nearest image on periodic axes;
 *   boxes:    the closed intervals overlap on every axis.
 * For testing one pair by hand; searches are in jostle/broad.h. domain may be NULL (all open).
 * The indices must be below bodies->n and the values valid. Thread-safe. */
JO_API bool jo_bodies_touch(const jo_bodies *bodies, const jo_domain *domain, size_t i, size_t j);

/* Checks a view and a domain as every search does: JO_ERR_ARGUMENT for a missing array or a bad
 * dimension, JO_ERR_DATA for the first body with a NaN, infinite, out-of-range or negative value,
 * JO_ERR_LIMIT for too many bodies. domain may be NULL. Thread-safe. */
JO_API jo_status jo_bodies_check(const jo_bodies *bodies, const jo_domain *domain, jo_error *error);

#ifdef __cplusplus
}
#endif
#endif
