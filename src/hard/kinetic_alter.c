/* kinetic_alter.c — hard polygons: other gravity, other contacts, from the present time on.
 *
 * Coefficients are read at a collision, so no plan depends on them. Gravity is part of every
 * motion: bodies at rest first get the weight that was held back for them, as at the end of any
 * period of rest (kinetic_rest.c); then all are brought to the present, get the new acceleration,
 * and every triangle is asked again. Where gravity was 0 or becomes 0, rest begins or ends with it;
 * then the least speed, which without gravity may be far too small, becomes at least what a world
 * with gravity begins with.
 *
 * Cost: a prediction for every triangle. */
#include "hard/kinetic_alter.h"

#include <math.h>

#include "base/error.h"

void jo_kinetic_set_contact(jo_kinetic *k, uint32_t a, uint32_t b, double friction,
                            double restitution)
{
    const size_t one = (size_t)a * k->materials + b, two = (size_t)b * k->materials + a;
    k->friction[one] = k->friction[two] = friction;
    k->restitution[one] = k->restitution[two] = restitution;
}

static const double FALL =
    0.1; /* part of the speed of a fall by the mean radius, as in kinetic_make.c */

static double mean_radius(const jo_kinetic *k)
{
    double sum = 0.0;
    size_t n = 0;
    for (uint32_t i = 0; i < k->bodies; i++) {
        if (k->body[i].gone || k->body[i].inverse_mass == 0.0) continue;
        sum += k->body[i].radius;
        n++;
    }
    return n > 0 ? sum / (double)n : 0.0;
}

jo_status jo_kinetic_set_gravity(jo_kinetic *k, const double gravity[2], jo_error *error)
{
    if (isfinite(k->rest_at)) {
        k->rest_at = k->now;
        const jo_status status = jo_kinetic_rest(k, error);
        if (status != JO_OK) return status;
    }
    const double size = mean_radius(k), g = hypot(gravity[0], gravity[1]);
    const bool none = !(g > 0.0), had = k->gravity[0] != 0.0 || k->gravity[1] != 0.0;
    if (!none && !had) k->least_speed = fmax(k->least_speed, FALL * sqrt(2.0 * g * size));
    for (uint32_t i = 0; i < k->bodies; i++) {
        kin_body *b = &k->body[i];
        if (b->gone || b->still) continue;
        jo_kinetic_bring(k, i);
        if (b->inverse_mass == 0.0) continue;
        b->held = b->held && !none;
        for (int d = 0; d < 2; d++)
            b->motion.a[d] = b->held ? 0.0 : gravity[d];
    }
    k->gravity[0] = gravity[0];
    k->gravity[1] = gravity[1];
    k->rest_period = k->rest_gap = k->part_speed = 0.0;
    jo_kinetic_choose_rest(k, size);
    k->rest_at += k->now; /* it is a period, or infinite */
    k->round++;
    for (uint32_t t = 0; t < k->mesh.count; t++)
        jo_kinetic_predict(k, t, false);
    return k->calendar.failed ? jo_fail_memory(error, k->mesh.count, "the calendar") : JO_OK;
}
