/* hard_measure.c — what can be seen of the engine at the present moment: frames, energies, alarms.
 *
 * Nothing here changes the state: balls are seen where free flight has brought them, their own
 * clocks stay as they are, and sums run over ids, so that looking never changes a bit of what
 * follows. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "hard/motion.h"
#include "hard/rest.h"
#include "narrow/vec3.h"
#include "narrow/wall.h"

#define PI 3.14159265358979323846

/* ---- order ---- */

static bool make_order(jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    buffer keys = {0};
    if (!jo_buffer_reserve(&rest->order, h->n + 1, sizeof(uint32_t)) ||
        !jo_buffer_reserve(&keys, 2 * (size_t)h->n + 1, sizeof(keyed)))
        return false;
    keyed *key = keys.data;
    uint32_t *order = rest->order.data;
    for (uint32_t i = 0; i < h->n; i++)
        key[i] = (keyed){.key = h->id[i], .id = i};
    jo_keysort(key, key + h->n, h->n);
    for (uint32_t k = 0; k < h->n; k++)
        order[k] = key[k].id;
    jo_buffer_free(&keys);
    rest->order_known = true;
    return true;
}

const uint32_t *jo_hard_order(jo_hard *h)
{
    if (!h->rest->order_known && !make_order(h)) return NULL;
    return h->rest->order.data;
}

/* ---- alarms ---- */

void jo_hard_raise(jo_hard *h, jo_alarm_kind kind, uint64_t id, const char *format, ...)
{
    jo_alarm *alarm = &h->rest->alarms[kind];
    if (alarm->count++ > 0) return;
    alarm->kind = kind;
    alarm->time = h->base + h->now;
    alarm->id = id;
    va_list args;
    va_start(args, format);
    vsnprintf(alarm->text, sizeof alarm->text, format, args);
    va_end(args);
}

JO_API const jo_alarm *jo_hard_alarms(const jo_hard *h, size_t *count)
{
    struct hard_rest *rest = h->rest;
    *count = 0;
    for (int k = 0; k < JO_ALARM_COUNT; k++)
        if (rest->alarms[k].count > 0) rest->raised[(*count)++] = rest->alarms[k];
    return rest->raised;
}

void jo_hard_find_escaped(jo_hard *h)
{
    const jo_domain *box = &h->rest->domain;
    for (uint32_t i = 0; i < h->movers; i++) {
        double x[3], v[3];
        ball_now(h, i, x, v, MODE_GENERAL);
        for (int k = 0; k < h->dim; k++)
            if (!box->periodic[k] && (x[k] < box->lo[k] || x[k] > box->hi[k])) {
                jo_hard_raise(
                    h, JO_ALARM_ESCAPE, h->id[i],
                    "body %llu is at %c = %g, outside the box (%g … %g); it flies on. Put a "
                    "wall there, or say 'leaving: keep'",
                    (unsigned long long)h->id[i], "xyz"[k], x[k], box -> lo[k], box -> hi[k]);
                return;
            }
    }
}

/* ---- energies ---- */

void jo_hard_energies(const jo_hard *h, double *translation, double *rotation, double *potential)
{
    *translation = *rotation = *potential = 0.0;
    const double grown = growth_now(h);
    for (uint32_t i = 0; i < h->movers; i++) {
        double x[3], v[3];
        ball_now(h, i, x, v, MODE_GENERAL);
        const double m = 1.0 / h->inverse_mass[i], r = h->r[i] * grown;
        const double *w = h->spin + 3 * (size_t)i;
        *translation += 0.5 * m * dot3(v, v);
        *rotation += 0.5 * m * r * r / h->turning * dot3(w, w);
        *potential -= m * dot3(h->g, x);
    }
}

double jo_hard_thermal(const jo_hard *h)
{
    double sum[3] = {0}, mass = 0.0, energy = 0.0;
    for (uint32_t i = 0; i < h->movers; i++) {
        double x[3], v[3];
        ball_now(h, i, x, v, MODE_GENERAL);
        const double m = 1.0 / h->inverse_mass[i];
        mass += m;
        energy += 0.5 * m * dot3(v, v);
        for (int k = 0; k < 3; k++)
            sum[k] += m * v[k];
    }
    return mass > 0.0 ? energy - 0.5 * dot3(sum, sum) / mass : 0.0;
}

/* ---- frames ---- */

static jo_status frame_room(jo_hard *h, jo_error *error)
{
    struct hard_rest *f = h->rest;
    const size_t n = (size_t)h->n + 1;
    const struct {
        buffer *b;
        size_t size;
    } all[] = {{&f->frame_x, 24},      {&f->frame_v, 24},       {&f->frame_w, 24},
               {&f->frame_zero, 24},   {&f->frame_r, 8},        {&f->frame_mass, 8},
               {&f->frame_id, 8},      {&f->frame_material, 4}, {&f->frame_fixed, 1},
               {&f->frame_touching, 4}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!jo_buffer_reserve(all[k].b, n, all[k].size))
            return jo_fail_memory(error, n * all[k].size, "a frame");
    return JO_OK;
}

JO_API jo_status jo_hard_frame(jo_hard *h, jo_frame *out, jo_error *error)
{
    struct hard_rest *f = h->rest;
    jo_status status = frame_room(h, error);
    if (status != JO_OK) return status;
    const uint32_t *order = jo_hard_order(h);
    if (order == NULL) return jo_fail_memory(error, h->n, "a frame");
    double *x = f->frame_x.data, *v = f->frame_v.data, *w = f->frame_w.data;
    const ball_grid *g = &h->grid;
    memset(f->frame_zero.data, 0, 24 * (size_t)h->n);
    memset(f->frame_touching.data, 0, 4 * (size_t)h->n);
    for (uint32_t k = 0; k < h->n; k++) {
        const uint32_t i = order[k];
        const size_t at = 3 * (size_t)k;
        ball_now(h, i, x + at, v + at, MODE_GENERAL);
        for (int a = 0; a < 3; a++) {
            if (g->period[a] > 0.0)
                x[at + a] -= g->period[a] * floor((x[at + a] - g->lo[a]) * g->per_period[a]);
            w[at + a] = h->spin[3 * (size_t)i + a];
        }
        ((double *)f->frame_r.data)[k] = h->r[i] * growth_now(h);
        ((double *)f->frame_mass.data)[k] = jo_ball_mass(h, i);
        ((uint64_t *)f->frame_id.data)[k] = h->id[i];
        ((uint32_t *)f->frame_material.data)[k] = h->material[i];
        ((uint8_t *)f->frame_fixed.data)[k] = i >= h->movers;
    }
    *out = (jo_frame){.time = h->time,
                      .step = h->event_count,
                      .dim = h->dim,
                      .n = h->n,
                      .id = f->frame_id.data,
                      .x = x,
                      .v = v,
                      .w = w,
                      .force = f->frame_zero.data,
                      .torque = f->frame_zero.data,
                      .r = f->frame_r.data,
                      .mass = f->frame_mass.data,
                      .material = f->frame_material.data,
                      .fixed = f->frame_fixed.data,
                      .touching = f->frame_touching.data,
                      .domain = f->domain};
    for (int a = 0; a < 3; a++)
        out->domain.periodic[a] = g->period[a] > 0.0;
    return JO_OK;
}

JO_API uint64_t jo_hard_hash(jo_hard *h)
{
    jo_frame f;
    if (jo_hard_frame(h, &f, NULL) != JO_OK) return 0;
    uint64_t hash = jo_mix64(f.n ^ f.step << 32);
    for (size_t k = 0; k < f.n; k++) {
        uint64_t words[10] = {f.id[k]};
        memcpy(words + 1, f.x + 3 * k, 24);
        memcpy(words + 4, f.v + 3 * k, 24);
        memcpy(words + 7, f.w + 3 * k, 24);
        for (int j = 0; j < 10; j++)
            hash = jo_mix64(hash ^ words[j]);
    }
    return hash;
}

JO_API const jo_hard_event *jo_hard_log(jo_hard *h, size_t *count, uint64_t *first)
{
    const uint64_t all = h->event_count;
    const size_t n = all < h->log_size ? (size_t)all : h->log_size;
    *count = 0;
    if (first != NULL) *first = all - n;
    if (n == 0 || !jo_buffer_reserve(&h->rest->log_out, n, sizeof *h->log)) return NULL;
    jo_hard_event *out = h->rest->log_out.data;
    for (size_t k = 0; k < n; k++)
        out[k] = h->log[(all - n + k) % h->log_size];
    *count = n;
    return out;
}

JO_API jo_hard_stats jo_hard_statistics(const jo_hard *h)
{
    jo_hard_stats s = h->stats;
    s.collisions = h->sums.collisions;
    s.wall_collisions = h->sums.wall_collisions;
    s.bytes = jo_hard_bytes(h);
    s.bytes_peak = s.bytes > h->rest->bytes_peak ? s.bytes : h->rest->bytes_peak;
    return s;
}

/* ---- walls, gates ---- */

JO_API jo_wall_state jo_hard_wall(const jo_hard *h, size_t wall)
{
    const struct hard_rest *rest = h->rest;
    const jo_wall *w = &rest->walls[wall];
    wall_pose pose;
    jo_wall_pose(w, h->time, &pose);
    jo_wall_state state = {.angle = pose.angle,
                           .present = h->time >= w->from && h->time < w->until};
    memcpy(state.displacement, pose.displacement, sizeof state.displacement);
    memcpy(state.velocity, pose.velocity, sizeof state.velocity);
    memcpy(state.rotation, pose.rotation, sizeof state.rotation);
    /* Contacts take no time: the mean since the mark. */
    const double since = h->time - rest->observed.time;
    for (int k = 0; k < 3 && since > 0.0; k++)
        state.force[k] = (h->wall_impulse[3 * wall + k] - rest->wall_marked[3 * wall + k]) / since;
    return state;
}

JO_API double jo_hard_mass_beyond(jo_hard *h, size_t gate)
{
    const jo_gate *g = &h->rest->gates[gate];
    double mass = 0.0;
    for (uint32_t i = 0; i < h->movers; i++) {
        double x[3], v[3], d[3];
        ball_now(h, i, x, v, MODE_GENERAL);
        sub3(x, g->point, d);
        if (dot3(d, g->normal) > 0.0) mass += 1.0 / h->inverse_mass[i];
    }
    return mass;
}
