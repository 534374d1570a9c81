/* spot.h — a body reduced to 32 bytes, and the quick test that spares most calls of touch().
 *
 * Methods that look at many pairs copy the bodies into an array of spots, in whatever order they
 * visit them. A spot is a centre, wrapped into the box on periodic axes, and a radius widened by
 * the rounding errors of everything that was and will be done with it. spots_near() is then true
 * for every pair that touch() calls touching, and for hardly any other pair of spheres.
 *
 * Why widening each body by its own slack is enough: for two bodies in contact every separation is
 * at most the reach ri + rj but for a few roundings of the coordinates and radii of those two
 * bodies and of the box, and the two slacks together allow for 16 units in the last place of all of
 * these. */
#ifndef JO_BROAD_SPOT_H
#define JO_BROAD_SPOT_H

#include <math.h>

#include "broad/method.h"

typedef struct spot {
    double x[3]; /* the centre, wrapped; x[2] is 0 in 2D */
    double r;    /* the radius (boxes: half the longest edge) and its slack */
} spot;

/* What is common to all spots of a search. */
typedef struct spot_frame {
    const jo_bodies *bodies;
    double lo[3];     /* of periodic axes */
    double period[3]; /* INFINITY on open axes */
    double ground;    /* the largest magnitude of a periodic box's ends */
    double r_max;     /* the largest radius, with the largest slack */
    double slack;     /* the largest slack of any body */
    bool boxes;
} spot_frame;

static inline spot_frame spot_frame_of(const query *q)
{
    spot_frame f = {.bodies = q->bodies,
                    .boxes = q->bodies->shape == JO_BOXES,
                    .period = {INFINITY, INFINITY, INFINITY}};
    for (int a = 0; a < q->bodies->dim; a++) {
        if (!q->domain->periodic[a]) continue;
        f.lo[a] = q->domain->lo[a];
        f.period[a] = q->domain->hi[a] - q->domain->lo[a];
        f.ground = fmax(f.ground, fmax(fabs(q->domain->lo[a]), fabs(q->domain->hi[a])));
    }
    f.slack = body_slack(jo_survey_magnitude(q->survey, q->domain, q->bodies->dim));
    f.r_max = q->survey->r_max + f.slack;
    return f;
}

/* x brought into [lo, lo + period); x itself on an open axis. */
static inline double spot_wrap(const spot_frame *f, int axis, double x)
{
    const double period = f->period[axis], lo = f->lo[axis];
    if (period == (double)INFINITY || (x >= lo && x - lo < period)) return x;
    const double in = x - period * floor((x - lo) / period);
    return in >= lo && in - lo < period ? in : lo; /* rounding can leave it just outside */
}

static inline spot spot_of(const spot_frame *f, size_t i)
{
    spot s = {.r = body_radius(f->bodies, i)};
    double largest = f->ground;
    for (int a = 0; a < f->bodies->dim; a++) {
        const double x = body_centre(f->bodies, i, a);
        largest = fmax(largest, fabs(x));
        s.x[a] = spot_wrap(f, a, x);
    }
    s.r += body_slack(largest + s.r);
    return s;
}

/* The distance of two wrapped coordinates, on a periodic axis the shorter way round. */
static inline double spot_gap(const spot_frame *f, int axis, double a, double b)
{
    const double d = fabs(a - b), round = f->period[axis] - d;
    return d < round ? d : round;
}

/* May these two touch? Never false when touch() is true. */
static inline bool spots_near(const spot_frame *f, const spot *a, const spot *b)
{
    const double reach = a->r + b->r;
    const double dx = spot_gap(f, 0, a->x[0], b->x[0]);
    const double dy = spot_gap(f, 1, a->x[1], b->x[1]);
    const double dz = spot_gap(f, 2, a->x[2], b->x[2]);
    if (f->boxes) return dx <= reach && dy <= reach && dz <= reach;
    return dx * dx + dy * dy + dz * dz <= reach * reach;
}

#endif
