/* hard_change.c — what comes next, and a run that is changed while it goes on.
 *
 * A change concerns every way to come: all balls are moved to the present moment, the value is set,
 * what follows from it is adapted, and everything is predicted anew. The moment is a time, not a
 * number of events, so that a run repeats however it is cut. Cost of a change: O(n). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "hard/motion.h"
#include "hard/rest.h"

/* ---- what comes next ---- */

/* Whether what ball i plans is a collision that still can be. */
static bool plans_to_meet(const jo_hard *h, uint32_t i, uint32_t *partner)
{
    const plan *p = &h->plans[i];
    *partner = p->partner & PARTNER;
    if (!(p->meet < (double)INFINITY) || *partner == PARTNER || *partner == LOOK_AGAIN)
        return false;
    if (*partner >= SURFACES) return true;
    const uint32_t turns = h->lists ? h->balls[*partner].next : h->plans[*partner].turns;
    return p->partner_turns == turns;
}

static jo_hard_event event_of(const jo_hard *h, uint32_t i, uint32_t partner)
{
    jo_hard_event e = {.time = h->base + h->plans[i].meet, .a = h->id[i], .speed = (double)NAN};
    if (partner >= SURFACES) {
        const surface *s = &h->surfaces[partner - SURFACES];
        e.kind = JO_HARD_WALL;
        e.b = s->wall;
        e.face = s->face;
        return e;
    }
    const uint64_t other = h->id[partner];
    e.kind = JO_HARD_BALLS;
    e.b = other > e.a ? other : e.a;
    e.a = other > e.a ? e.a : other;
    return e;
}

static bool comes_before(const jo_hard_event *a, const jo_hard_event *b)
{
    if (a->time != b->time) return a->time < b->time;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static bool same_event(const jo_hard_event *a, const jo_hard_event *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->face == b->face;
}

JO_API size_t jo_hard_upcoming(const jo_hard *h, jo_hard_event *events, size_t room)
{
    size_t count = 0;
    for (uint32_t i = 0; i < h->movers && room > 0; i++) {
        uint32_t partner;
        if (!plans_to_meet(h, i, &partner)) continue;
        const jo_hard_event e = event_of(h, i, partner);
        if (count == room && !comes_before(&e, &events[count - 1])) continue;
        bool known = false; /* both balls of a pair may have planned it */
        for (size_t k = 0; k < count && !known; k++)
            known = same_event(&events[k], &e);
        if (known) continue;
        size_t k = count < room ? count++ : count - 1;
        for (; k > 0 && comes_before(&e, &events[k - 1]); k--)
            events[k] = events[k - 1];
        events[k] = e;
    }
    return count;
}

/* ---- changes ---- */

static jo_status can_change(const jo_hard *h, jo_error *error)
{
    return h->rest->failed != JO_OK ? jo_fail(error, h->rest->failed, "%s", h->rest->failure)
                                    : JO_OK;
}

static double potential_of(const jo_hard *h)
{
    double translation, rotation, potential;
    jo_hard_energies(h, &translation, &rotation, &potential);
    return potential;
}

/* Clocks are set while ways are still what they were. */
static void stop_clocks(jo_hard *h)
{
    for (uint32_t i = 0; i < h->movers; i++)
        move_to_now(h, i, MODE_GENERAL);
}

static jo_status go_on_changed(jo_hard *h, jo_error *error)
{
    const jo_status status = jo_hard_adapt(h, error);
    h->rest->changed = true;
    if (status != JO_OK) return status;
    jo_hard_restart(h);
    return h->calendar.failed ? jo_fail_memory(error, h->n, "the calendar") : JO_OK;
}

JO_API void jo_hard_gravity(const jo_hard *h, double gravity[3])
{
    memcpy(gravity, h->g, sizeof h->g);
}

JO_API jo_status jo_hard_set_gravity(jo_hard *h, const double gravity[3], jo_error *error)
{
    const jo_status status = can_change(h, error);
    if (status != JO_OK) return status;
    for (int k = 0; k < 3; k++)
        if (!(fabs(gravity[k]) <= JO_COORDINATE_MAX))
            return jo_fail(error, JO_ERR_DATA, "gravity must be finite");
    if (h->dim == 2 && gravity[2] != 0.0)
        return jo_fail(error, JO_ERR_DATA,
                       "gravity points out of the plane of a scene of dimension 2");
    const double before = potential_of(h);
    stop_clocks(h);
    memcpy(h->g, gravity, sizeof h->g);
    h->sums.work += potential_of(h) - before;
    return go_on_changed(h, error);
}

JO_API jo_contact_def jo_hard_contact_def(const jo_hard *h, uint32_t a, uint32_t b)
{
    jo_contact_def def = jo_contact_def_default();
    if (a >= h->material_count || b >= h->material_count) return def;
    const impact_pair *p = &h->impacts[a * h->material_count + b];
    def.restitution = p->restitution;
    def.restitution_speed = p->speed > 0.0 ? p->speed : (double)NAN;
    def.friction = p->friction;
    def.tangential_restitution = p->tangential;
    return def;
}

static jo_status known_pair(const jo_hard *h, uint32_t a, uint32_t b, jo_error *error)
{
    const jo_status status = can_change(h, error);
    if (status != JO_OK) return status;
    if (a < h->material_count && b < h->material_count) return JO_OK;
    return jo_fail(error, JO_ERR_DATA, "there are %zu materials, and no number %u",
                   h->material_count, a < h->material_count ? b : a);
}

static void put_impact(jo_hard *h, uint32_t a, uint32_t b, double restitution, double friction)
{
    impact_pair *one = &h->impacts[a * h->material_count + b];
    one->restitution = restitution;
    one->friction = friction;
    h->impacts[b * h->material_count + a] = *one;
}

JO_API jo_status jo_hard_set_restitution(jo_hard *h, uint32_t a, uint32_t b, double restitution,
                                         jo_error *error)
{
    const jo_status status = known_pair(h, a, b, error);
    if (status != JO_OK) return status;
    if (!(restitution > 0.0 && restitution <= 1.0))
        return jo_fail(error, JO_ERR_DATA, "restitution is %g; it must be above 0 and at most 1",
                       restitution);
    stop_clocks(h);
    put_impact(h, a, b, restitution, h->impacts[a * h->material_count + b].friction);
    return go_on_changed(h, error);
}

JO_API jo_status jo_hard_set_friction(jo_hard *h, uint32_t a, uint32_t b, double friction,
                                      jo_error *error)
{
    const jo_status status = known_pair(h, a, b, error);
    if (status != JO_OK) return status;
    if (!(friction >= 0.0 && isfinite(friction)))
        return jo_fail(error, JO_ERR_DATA, "friction is %g; it must be 0 or more", friction);
    stop_clocks(h);
    put_impact(h, a, b, h->impacts[a * h->material_count + b].restitution, friction);
    return go_on_changed(h, error);
}

/* ---- saving ---- */

size_t jo_hard_changes_count(const jo_hard *h)
{
    return h->rest->changed ? 4 + 2 * h->material_count * h->material_count : 0;
}

void jo_hard_changes_pack(const jo_hard *h, double *out)
{
    memcpy(out, h->g, sizeof h->g);
    out[3] = h->spins;
    for (size_t k = 0; k < h->material_count * h->material_count; k++) {
        out[4 + 2 * k] = h->impacts[k].restitution;
        out[5 + 2 * k] = h->impacts[k].friction;
    }
}

bool jo_hard_changes_unpack(jo_hard *h, const double *in)
{
    h->falls = false;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(in[k]) <= JO_COORDINATE_MAX)) return false;
        h->g[k] = in[k];
        h->falls = h->falls || in[k] != 0.0;
    }
    h->fixed_falls = h->falls && h->movers < h->n;
    h->spins = in[3] != 0.0;
    h->general = true;
    for (size_t k = 0; k < h->material_count * h->material_count; k++) {
        if (!(in[4 + 2 * k] > 0.0 && in[4 + 2 * k] <= 1.0) || !(in[5 + 2 * k] >= 0.0)) return false;
        h->impacts[k].restitution = in[4 + 2 * k];
        h->impacts[k].friction = in[5 + 2 * k];
    }
    return true;
}
