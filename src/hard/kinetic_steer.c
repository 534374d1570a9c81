/* kinetic_steer.c — hard polygons: fixed bodies that are given another velocity on the way.
 *
 * The body is brought to the present, and every triangle at one of its corners is asked again.
 * Cost: predictions for the triangles of the body. */
#include <math.h>

#include "hard/kinetic.h"

uint32_t jo_kinetic_find(const jo_kinetic *k, uint64_t id)
{
    for (uint32_t i = k->bodies; i-- > 0;)
        if (k->ids[i] == id && i != k->boundary && !k->body[i].gone) return i;
    return TRI_NONE;
}

JO_API jo_status jo_kinetic_steer(jo_kinetic *k, uint64_t id, const double v[2], double spin,
                                  jo_error *error)
{
    const uint32_t i = jo_kinetic_find(k, id);
    if (i == TRI_NONE || k->body[i].inverse_mass > 0.0 || k->body[i].still)
        return jo_fail(error, JO_ERR_ARGUMENT, "there is no body %llu that can be steered",
                       (unsigned long long)id);
    if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(spin))
        return jo_fail(error, JO_ERR_ARGUMENT, "body %llu is to move at (%g, %g), turning at %g",
                       (unsigned long long)id, v[0], v[1], spin);
    jo_kinetic_bring(k, i);
    k->body[i].motion.v[0] = v[0];
    k->body[i].motion.v[1] = v[1];
    k->body[i].motion.spin = spin;
    k->round++;
    jo_kinetic_predict_body(k, i, TRI_NONE);
    return k->calendar.failed ? jo_fail_memory(error, k->mesh.count, "the calendar") : JO_OK;
}
