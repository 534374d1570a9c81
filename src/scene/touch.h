/* touch.h — the definition of contact, inlined into every method.
 *
 * Every method ends here, or has proved by an error bound that it would get the same answer. All
 * arithmetic is in double, in one order, and symmetric under exchange of the two bodies. */
#ifndef JO_SCENE_TOUCH_H
#define JO_SCENE_TOUCH_H

#include <math.h>

#include "jostle/scene.h"

/* The separation of two coordinates; on a periodic axis, of their nearest images. */
static inline double touch_separation(const jo_domain *domain, int axis, double a, double b)
{
    const double d = a - b;
    if (!domain->periodic[axis]) return d;
    const double period = domain->hi[axis] - domain->lo[axis];
    if (fabs(d) < 0.499 * period) return d; /* the same bits, without the division */
    return d - period * rint(d / period);
}

static inline bool touch_spheres(const jo_bodies *b, const jo_domain *domain, size_t i, size_t j)
{
    double distance2 = 0.0;
    for (int a = 0; a < b->dim; a++) {
        const double d =
            touch_separation(domain, a, b->x[a][i * b->x_stride], b->x[a][j * b->x_stride]);
        distance2 += d * d;
    }
    const double reach = b->r[i * b->r_stride] + b->r[j * b->r_stride];
    return reach * reach - distance2 >= 0.0;
}

static inline bool touch_boxes(const jo_bodies *b, const jo_domain *domain, size_t i, size_t j)
{
    for (int a = 0; a < b->dim; a++) {
        const double lower_i = b->x[a][i * b->x_stride], upper_i = b->upper[a][i * b->x_stride];
        const double lower_j = b->x[a][j * b->x_stride], upper_j = b->upper[a][j * b->x_stride];
        double shift = 0.0; /* brings j's image nearest to i */
        if (domain->periodic[a]) {
            const double period = domain->hi[a] - domain->lo[a];
            const double centres = 0.5 * (lower_i + upper_i) - 0.5 * (lower_j + upper_j);
            shift = period * rint(centres / period);
        }
        /* Compared as differences, so that exchanging i and j changes only signs. */
        if (lower_i - upper_j > shift || upper_i - lower_j < shift) return false;
    }
    return true;
}

static inline bool touch(const jo_bodies *b, const jo_domain *domain, size_t i, size_t j)
{
    return b->shape == JO_SPHERES ? touch_spheres(b, domain, i, j) : touch_boxes(b, domain, i, j);
}

#endif
