/* box.c — the box that some particle files state.
 *
 * Cost: one pass over the particles when a box has to be found for them. */
#include "io/box.h"

#include <math.h>

#include "base/error.h"

jo_status jo_box_settle(jo_domain *box, int dim, const input *in, jo_error *error)
{
    if (dim == 2) {
        box->periodic[2] = false;
        box->lo[2] = box->hi[2] = 0.0;
    }
    const jo_bodies none = jo_spheres(0, dim, NULL, NULL, NULL, NULL);
    jo_error wrong;
    if (jo_bodies_check(&none, box, &wrong) == JO_OK) return JO_OK;
    return jo_input_fail(in, error, JO_ERR_DATA, "%s", wrong.text);
}

static void extend(const double *x, const double *r, size_t n, double *lo, double *hi)
{
    if (n > 0) {
        *lo = INFINITY;
        *hi = -INFINITY;
    }
    for (size_t i = 0; i < n; i++) {
        *lo = fmin(*lo, x[i] - r[i]);
        *hi = fmax(*hi, x[i] + r[i]);
    }
    if (!(*hi > *lo)) {
        *lo -= 0.5;
        *hi += 0.5;
    }
}

jo_domain jo_box_for_writing(const jo_particles *p)
{
    jo_domain box = {.lo = {0.0, 0.0, -0.5}, .hi = {0.0, 0.0, 0.5}};
    const double *const x[3] = {p->x, p->y, p->z};
    for (int a = 0; a < p->dim; a++) {
        box.periodic[a] = p->has_domain && p->domain.periodic[a];
        if (p->has_domain && p->domain.hi[a] > p->domain.lo[a]) {
            box.lo[a] = p->domain.lo[a];
            box.hi[a] = p->domain.hi[a];
        } else {
            extend(x[a], p->r, p->n, &box.lo[a], &box.hi[a]);
        }
    }
    return box;
}
