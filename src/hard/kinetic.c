/* kinetic.c — hard polygons: from event to event, epoch by epoch.
 *
 * kinetic_events.c says what an event does; here is the loop that takes them off the calendar
 * (calendar.h), and what happens between epochs: clocks are set back, and plans entered anew.
 *
 * Invariants: all bodies' clocks are at or before `now`; every plan is at or after it. */
#include "hard/kinetic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"

enum { EVENTS_PER_DAY = 8, STANDSTILL = 20000, CREEPING = 200000 };

static const double INSTANT = 1e-8; /* of the period: hardly anything moves by more than a gap */

void jo_kinetic_begin_epoch(jo_kinetic *k, double length)
{
    jo_calendar_begin(&k->calendar, length);
    for (uint32_t t = 0; t < k->mesh.count; t++)
        enter_plan(k, t);
    k->taken = 0;
    k->taken_most = (uint64_t)EVENTS_PER_DAY * k->calendar.days * 4;
}

static void set_back(jo_kinetic *k, double by)
{
    for (uint32_t i = 0; i < k->bodies; i++)
        k->body[i].clock -= by, k->body[i].since -= by;
    for (uint32_t t = 0; t < k->mesh.count; t++)
        k->plan[t].time -= by;
    k->base += by;
    k->now -= by;
    k->instant -= by;
    k->rest_at -= by;
}

static double earliest(const jo_kinetic *k)
{
    double least = (double)INFINITY;
    for (uint32_t t = 0; t < k->mesh.count; t++)
        least = fmin(least, k->plan[t].time);
    return least;
}

/* The next epoch that has events, or the one that has the local time `limit`. */
static void next_epoch(jo_kinetic *k, double limit)
{
    double length = k->calendar.length;
    const double wanted = (double)EVENTS_PER_DAY * k->calendar.days;
    const double skip = floor(fmin(fmin(earliest(k), k->rest_at), limit) / length);
    set_back(k, length * fmin(fmax(skip, 1.0), 1e15));
    if ((double)k->taken > 2.0 * wanted)
        length *= 0.5;
    else if ((double)k->taken < 0.5 * wanted)
        length *= 2.0;
    jo_kinetic_begin_epoch(k, length);
}

/* Too many events for the days of this epoch: the rest of it in shorter ones. */
static void cut_epoch(jo_kinetic *k)
{
    const double length = 0.5 * k->calendar.length;
    const double gone = floor(k->now / length);
    if (gone > 0.0) set_back(k, gone * length);
    jo_kinetic_begin_epoch(k, length);
}

static jo_status fail_still(jo_kinetic *k, uint32_t t, jo_error *error)
{
    const tri_input in = jo_kinetic_input(k);
    const uint32_t *v = k->mesh.t[t].v;
    return jo_fail(
        error, JO_ERR_PHYSICS,
        "time stands still at %.17g: %llu events at one instant, the last between %s, %s "
        "and %s; a greater least_speed than %g may help",
        k->base + k->now, (unsigned long long)k->crowd, jo_tri_name(&in, v[0]).text,
        jo_tri_name(&in, v[1]).text, jo_tri_name(&in, v[2]).text, k->least_speed);
}

/* Has time hardly moved for very many events, if only by rounding? */
static bool is_creeping(jo_kinetic *k)
{
    const double now = k->base + k->now;
    if (!(fabs(now - k->crowd_since) <= INSTANT * k->period)) {
        k->crowd = 0;
        k->crowd_since = now;
    }
    return ++k->crowd > CREEPING + 100 * (uint64_t)k->mesh.count;
}

/* Takes the event of triangle t at its time. */
static jo_status take(jo_kinetic *k, uint32_t t, jo_error *error)
{
    k->now = k->plan[t].time;
    k->at_instant = k->now > k->instant ? 0 : k->at_instant + 1;
    k->instant = k->now;
    k->taken++;
    if (k->at_instant > STANDSTILL + k->mesh.count || is_creeping(k))
        return fail_still(k, t, error);
    return jo_kinetic_happen(k, t, error);
}

/* Is it time to solve for bodies at rest? */
static bool is_rest_next(const jo_kinetic *k, const entry *next, double limit)
{
    if (!(k->rest_at <= limit)) return false;
    return next != NULL ? k->rest_at <= next->time : k->rest_at < k->calendar.length;
}

/* Runs up to the absolute time `until`, or until k->events is `target`. */
static jo_status run(jo_kinetic *k, double until, uint64_t target, jo_error *error)
{
    while (k->events < target) {
        if (k->calendar.failed) return jo_fail_memory(error, 0, "the calendar");
        if (k->taken >= k->taken_most && k->now > 0.0) {
            cut_epoch(k);
            continue;
        }
        const double limit = until - k->base;
        const entry *next = calendar_peek(&k->calendar);
        if (is_rest_next(k, next, limit)) {
            const jo_status status = jo_kinetic_rest(k, error);
            if (status != JO_OK) return status;
            continue;
        }
        if (next == NULL) {
            if (limit < k->calendar.length) break;
            if (isinf(limit) && isinf(earliest(k)))
                return jo_fail(error, JO_ERR_PHYSICS, "nothing will ever happen after time %g",
                               k->base + k->now);
            next_epoch(k, limit);
            continue;
        }
        if (next->time > limit) break;
        const entry e = *next;
        calendar_drop(&k->calendar, next);
        if (e.time != k->plan[e.ball].time) {
            k->stats.stale++;
            continue;
        }
        const jo_status status = take(k, e.ball, error);
        if (status != JO_OK) return status;
    }
    if (k->events < target) k->now = until - k->base;
    return JO_OK;
}

JO_API jo_status jo_kinetic_advance(jo_kinetic *k, double until, uint64_t events, jo_error *error)
{
    const double begin = jo_seconds();
    jo_error why;
    if (k->failed != JO_OK) return jo_fail(error, k->failed, "%s", k->failure);
    if (!(until >= k->base + k->now))
        return jo_fail(error, JO_ERR_ARGUMENT, "time is %g already; there is no way back to %g",
                       k->base + k->now, until);
    if (isinf(until) && events == 0)
        return jo_fail(error, JO_ERR_ARGUMENT, "a run needs an end: a time or a number of events");
    const jo_status status = run(k, until, events > 0 ? k->events + events : UINT64_MAX, &why);
    k->stats.seconds += jo_seconds() - begin;
    if (status == JO_OK) return JO_OK;
    k->failed = status;
    memcpy(k->failure, why.text, sizeof k->failure);
    return jo_fail(error, status, "%s", why.text);
}

JO_API double jo_kinetic_time(const jo_kinetic *k)
{
    return k->base + k->now;
}

JO_API jo_kinetic_stats jo_kinetic_statistics(const jo_kinetic *k)
{
    jo_kinetic_stats s = k->stats;
    for (uint32_t i = 0; i < k->bodies; i++) {
        const kin_body *b = &k->body[i];
        const flat_body *m = &b->motion;
        const double dt = k->now - b->clock;
        s.lost +=
            jo_kinetic_unpaid(k, i, (double[2]){m->x[0] + dt * m->v[0], m->x[1] + dt * m->v[1]});
    }
    s.gap = k->gap;
    s.least_speed = k->least_speed;
    s.period = k->period;
    s.bytes = k->mesh.memory_t.size + k->mesh.memory_at.size + jo_calendar_bytes(&k->calendar) +
              k->mesh.count * (sizeof *k->plan + sizeof *k->order) + k->bodies * sizeof *k->body +
              k->corners * (4 * sizeof(double) + 2 * sizeof(uint32_t));
    return s;
}
