/* hard.c — the event-driven engine: creating it, and going on in time.
 *
 * events.h has the loop over events. Here is what happens around it: epochs, at the end of which
 * the clocks are set back and the calendar is made anew from all plans; and what concerns all balls
 * at once (the thermostat's kicks, the end of growth), between which the loop runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "hard/ball_grid.h"
#include "hard/motion.h"
#include "hard/neighbours.h"
#include "hard/rest.h"

enum { EVENTS_PER_DAY = 8, SAMPLE = 1001 };
/* The pressure of growing balls is looked at after so many collisions of each, and at least so
 * many. */
enum { LOOK_EVERY = 10, LOOK_LEAST = 1000 };

JO_API jo_hard_options jo_hard_options_default(void)
{
    return (jo_hard_options){.log = 0};
}

/* ---- epochs ---- */

void jo_hard_begin_epoch(jo_hard *h, double length)
{
    jo_calendar_begin(&h->calendar, length);
    for (uint32_t i = 0; i < h->movers; i++)
        calendar_put(&h->calendar, pending(&h->plans[i]), i);
    h->taken = 0;
    h->taken_most = (uint64_t)EVENTS_PER_DAY * h->calendar.days * 4;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* A power of two near twice the time in which half of the balls have an event. */
static double first_length(const jo_hard *h)
{
    double sample[SAMPLE];
    size_t n = 0;
    const uint32_t step = h->movers / SAMPLE + 1;
    for (uint32_t i = 0; i < h->movers && n < SAMPLE; i += step) {
        const double t = pending(&h->plans[i]) - h->now;
        if (t > 0.0 && isfinite(t)) sample[n++] = t;
    }
    if (n == 0) return 1.0;
    qsort(sample, n, sizeof *sample, by_value);
    return ldexp(1.0, ilogb(sample[n / 2]) + 1);
}

static double earliest(const jo_hard *h)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < h->movers; i++)
        least = fmin(least, pending(&h->plans[i]));
    return least;
}

/* Sets all clocks back by `by`, which is exact for whatever is not far off. */
static void set_back(jo_hard *h, double by)
{
    for (uint32_t i = 0; i < h->n; i++) {
        plan *p = &h->plans[i];
        h->balls[i].clock = i < h->movers ? h->balls[i].clock - by : 0.0;
        p->meet -= by;
        p->leave -= by;
        h->balls[i].bound = bound_of(h, p);
    }
    h->base += by;
    h->now -= by;
    h->scale += h->scale_rate * by;
}

/* Sorts balls again when they have wandered far: it changes speed, and nothing else. */
static void tidy(jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    const double each = 2.0 * (double)h->sums.collisions / (h->movers + 1.0);
    const double often = h->lists ? 2000.0 : 40.0;
    jo_error ignored;
    if (h->n < 50000 || each - rest->sorted_at < often) return;
    rest->sorted_at = each;
    rest->order_known = false;
    if (jo_hard_sort(h, &ignored) != JO_OK) return;
    if (h->lists) {
        memset(h->grid.heads, 0xff, jo_ball_grid_cells(&h->grid) * sizeof *h->grid.heads);
        if (!jo_neighbours_make(h, false)) h->calendar.failed = true;
    } else {
        jo_ball_grid_link(h);
    }
}

/* The next epoch: its length follows the rate of events, and empty ones are skipped, up to the
 * local time `limit`. */
static void next_epoch(jo_hard *h, double limit)
{
    double length = h->calendar.length;
    const double wanted = (double)EVENTS_PER_DAY * h->calendar.days;
    const double skip = floor(fmin(earliest(h), limit) / length);
    set_back(h, length * fmin(fmax(skip, 1.0), 1e15));
    if ((double)h->taken > 2.0 * wanted)
        length *= 0.5;
    else if ((double)h->taken < 0.5 * wanted)
        length *= 2.0;
    tidy(h);
    jo_hard_begin_epoch(h, length);
    h->stats.epochs++;
    const size_t bytes = jo_hard_bytes(h);
    if (bytes > h->rest->bytes_peak) h->rest->bytes_peak = bytes;
}

/* Events have become so many that days are too full: the rest of the epoch in shorter ones. */
static void cut_epoch(jo_hard *h)
{
    const double length = 0.5 * h->calendar.length;
    const double gone = floor(h->now / length);
    if (gone > 0.0) set_back(h, gone * length);
    jo_hard_begin_epoch(h, length);
    h->stats.epochs++;
}

/* Everything is predicted anew: all ways, or sizes, have changed. */
void jo_hard_restart(jo_hard *h)
{
    h->foresee_all(h);
    if (!(h->calendar.length > 0.0)) h->calendar.length = h->rest->first_length = first_length(h);
    jo_hard_begin_epoch(h, h->calendar.length);
}

/* ---- what concerns all balls ---- */

/* When growth ends balls keep the size they have. */
static void end_growth(jo_hard *h, double grown)
{
    h->scale = h->rest->grown = grown;
    h->scale_rate = 0.0;
    h->rest->grow_stop = (double)INFINITY;
    h->rest->look_at = UINT64_MAX;
    h->grows = h->scale != 1.0; /* radii are still not those of the start */
    jo_hard_restart(h);
}

static void look_again(jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    const uint64_t each = (uint64_t)LOOK_EVERY * h->movers / 2;
    rest->look_at = h->event_count + (each > LOOK_LEAST ? each : LOOK_LEAST);
    rest->looked_at = h->base + h->now;
    rest->looked_stress = h->sums.stress[0] + h->sums.stress[4] + h->sums.stress[8];
}

/* Ends growth where the reduced pressure since the last look is what was asked for. Looks are made
 * at numbers of events, so that they do not depend on how a run is cut. */
static void look_at_pressure(jo_hard *h)
{
    const struct hard_rest *rest = h->rest;
    const double stress = h->sums.stress[0] + h->sums.stress[4] + h->sums.stress[8];
    const double time = h->base + h->now - rest->looked_at, energy = 2.0 * jo_hard_thermal(h);
    if (stress - rest->looked_stress >= (rest->grow_pressure - 1.0) * energy * time)
        end_growth(h, growth_now(h));
    else
        look_again(h);
}

static double exponential(random_stream *r)
{
    return -log1p(-jo_random_uniform(r));
}

/* The thermostat gives one ball, drawn by lot, the velocity of one at its temperature (Andersen
 * 1980). Lots are drawn by ids: the order in memory is not the run's business. */
static void kick_one(jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    uint32_t i = jo_hard_order(h)[jo_random_bits(&rest->kicks) % h->n];
    while (i >= h->movers)
        i = jo_hard_order(h)[jo_random_bits(&rest->kicks) % h->n];
    move_to_now(h, i, MODE_GENERAL);
    const double spread = sqrt(rest->temperature * h->inverse_mass[i]);
    const double *v = h->balls[i].v;
    const double before = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    for (int k = 0; k < h->dim; k++)
        h->balls[i].v[k] = spread * jo_random_normal(&rest->kicks);
    const double after = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    h->sums.work += 0.5 * (after - before) / h->inverse_mass[i];
    h->turned(h, i);
}

static double next_change(const jo_hard *h)
{
    return fmin(h->rest->grow_stop, h->rest->next_kick);
}

static void change(jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    if (rest->grow_stop <= rest->next_kick) {
        end_growth(h, rest->grown);
        return;
    }
    kick_one(h);
    rest->next_kick += exponential(&rest->kicks) / (rest->kick_rate * h->movers);
}

/* ---- going on ---- */

static jo_status fail_run(jo_hard *h, jo_status status, jo_error *error)
{
    h->rest->failed = status;
    return jo_fail(error, status, "%s", h->rest->failure);
}

static jo_status fail_collapsed(jo_hard *h, jo_error *error)
{
    snprintf(h->rest->failure, sizeof h->rest->failure,
             "time stands still at %.17g: collisions follow each other without end (inelastic "
             "collapse, or balls that are jammed); give engine.contact_duration a value above %g",
             h->base + h->now, h->tc);
    jo_hard_raise(h, JO_ALARM_COLLAPSE, JO_NO_BODY, "%s",
                  "time stands still: collisions follow each other without end");
    return fail_run(h, JO_ERR_PHYSICS, error);
}

/* Runs up to the absolute time `until`, where nothing that concerns all balls happens before. */
static jo_status run_to(jo_hard *h, double until, uint64_t collisions, jo_error *error)
{
    for (;;) {
        const double limit = until - h->base;
        h->run(h, limit, collisions);
        if (h->calendar.failed) {
            strcpy(h->rest->failure, "memory ran out during the run");
            return fail_run(h, JO_ERR_MEMORY, error);
        }
        if (h->event_count >= collisions) return JO_OK;
        if (h->taken >= h->taken_most) {
            if (h->calendar.length < 1e-12 * h->rest->first_length) return fail_collapsed(h, error);
            cut_epoch(h);
            continue;
        }
        if (limit < h->calendar.length) break;
        if (isinf(until) && isinf(earliest(h))) {
            return jo_fail(error, JO_ERR_PHYSICS,
                           "nothing will happen any more after time %g: no ball meets another or a "
                           "wall",
                           h->base + h->now);
        }
        next_epoch(h, limit);
    }
    h->now = until - h->base;
    return JO_OK;
}

static void note_alarms(jo_hard *h)
{
    const hard_sums *s = &h->sums;
    jo_alarm *collapse = &h->rest->alarms[JO_ALARM_COLLAPSE];
    if (s->tc_collisions > 0 && collapse->count == 0)
        jo_hard_raise(
            h, JO_ALARM_COLLAPSE, JO_NO_BODY,
            "collisions followed each other within %.3g: the TC model made them elastic to "
            "keep an inelastic collapse from stopping the run; the statistics say how "
            "often and what energy it kept",
            h->tc);
    collapse->count = s->tc_collisions;
    if (h->rest->has_box && h->rest->leaving == JO_LEAVING_ALARM) jo_hard_find_escaped(h);
}

JO_API jo_status jo_hard_advance(jo_hard *h, double until, uint64_t collisions, jo_error *error)
{
    struct hard_rest *rest = h->rest;
    const double begin = jo_seconds();
    const uint64_t target = collisions > 0 ? h->event_count + collisions : UINT64_MAX;
    if (rest->failed != JO_OK) return jo_fail(error, rest->failed, "%s", rest->failure);
    if (!(until >= h->time))
        return jo_fail(error, JO_ERR_ARGUMENT, "time is %g already; there is no way back to %g",
                       h->time, until);
    if (isinf(until) && collisions == 0)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "a run needs an end: a time or a number of collisions");
    jo_status status = JO_OK;
    bool there = false;
    while (status == JO_OK && !there) {
        const double at = next_change(h);
        const uint64_t events = rest->look_at < target ? rest->look_at : target;
        status = run_to(h, fmin(at, until), events, error);
        there = h->event_count >= target || (h->event_count < events && until < at);
        if (status != JO_OK) break;
        if (h->event_count >= rest->look_at)
            look_at_pressure(h);
        else if (!there)
            change(h);
    }
    h->time = h->event_count >= target || status != JO_OK ? h->base + h->now : until;
    note_alarms(h);
    h->stats.seconds += jo_seconds() - begin;
    return status;
}

JO_API double jo_hard_time(const jo_hard *h)
{
    return h->time;
}

JO_API uint64_t jo_hard_event_count(const jo_hard *h)
{
    return h->event_count;
}

/* ---- creating ---- */

static jo_status fill(jo_hard *h, const jo_population *p, jo_error *error)
{
    size_t fixed = 0;
    for (size_t i = 0; i < p->n; i++) {
        ball *b = &h->balls[i];
        const bool held = p->fixed[i] != 0;
        const double r = p->r[i], density = h->rest->densities[p->material[i]];
        const double pi = 3.14159265358979323846;
        const double mass = h->dim == 2 ? density * pi * r * r : density * 4 / 3 * pi * r * r * r;
        if (!(r > 0.0) || !(mass > 0.0) || !isfinite(mass))
            return jo_fail(error, JO_ERR_DATA,
                           "body %llu has radius %g and mass %g; both must be above 0",
                           (unsigned long long)p->id[i], r, mass);
        for (int k = 0; k < 3; k++) {
            const bool flat = h->dim == 2 && k == 2;
            b->x[k] = flat ? 0.0 : p->x[3 * i + k];
            b->v[k] = held || flat ? 0.0 : p->v[3 * i + k];
            h->spin[3 * i + k] = held || (h->dim == 2 && k != 2) ? 0.0 : p->w[3 * i + k];
            if (!isfinite(b->x[k]) || !isfinite(b->v[k]) || !isfinite(h->spin[3 * i + k]))
                return jo_fail(error, JO_ERR_DATA,
                               "body %llu has a position, velocity or spin that is not finite",
                               (unsigned long long)p->id[i]);
        }
        h->id[i] = p->id[i];
        h->r[i] = r;
        h->material[i] = p->material[i];
        h->inverse_mass[i] = held ? 0.0 : 1.0 / mass;
        h->plans[i] =
            (plan){.meet = (double)INFINITY, .leave = (double)INFINITY, .partner = PARTNER};
        fixed += held;
    }
    h->movers = (uint32_t)(p->n - fixed);
    return JO_OK;
}

static jo_status start(jo_hard *h, const jo_scene *scene, const jo_population *bodies,
                       jo_error *error)
{
    struct hard_rest *rest = h->rest;
    double translation, rotation, potential;
    jo_status status = fill(h, bodies, error);
    if (status == JO_OK) status = jo_hard_arrange(h, scene, false, error);
    if (status == JO_OK) status = jo_hard_sort(h, error);
    if (status == JO_OK) status = jo_hard_settle(h, error);
    if (status == JO_OK) status = jo_hard_no_overlaps(h, error);
    if (status != JO_OK) return status;
    rest->next_kick = (double)INFINITY;
    rest->look_at = UINT64_MAX;
    if (!isnan(rest->grow_pressure) && h->scale_rate > 0.0) look_again(h);
    if (!isnan(rest->temperature) && h->movers > 0)
        rest->next_kick = exponential(&rest->kicks) / (rest->kick_rate * h->movers);
    jo_hard_restart(h);
    jo_hard_energies(h, &translation, &rotation, &potential);
    rest->energy_start = translation + rotation + potential;
    rest->observed.kinetic = jo_hard_thermal(h);
    return h->calendar.failed ? jo_fail_memory(error, h->n, "the calendar") : JO_OK;
}

JO_API jo_status jo_hard_create_with(const jo_scene *scene, const jo_population *bodies,
                                     const jo_hard_options *options, jo_hard **hard,
                                     jo_error *error)
{
    const double begin = jo_seconds();
    *hard = NULL;
    jo_status status = jo_scene_check(scene, error);
    if (status != JO_OK) return status;
    for (size_t i = 0; i < bodies->n; i++)
        if (bodies->material[i] >= scene->material_count)
            return jo_fail(error, JO_ERR_DATA, "body %llu has material %u; there are %zu",
                           (unsigned long long)bodies->id[i], bodies->material[i],
                           scene->material_count);
    jo_hard *h;
    status = jo_hard_prepare(scene, options, bodies->n, &h, error);
    if (status != JO_OK) return status;
    status = start(h, scene, bodies, error);
    if (status != JO_OK) {
        jo_hard_destroy(h);
        return status;
    }
    h->rest->bytes_peak = jo_hard_bytes(h);
    h->stats.seconds_making = jo_seconds() - begin;
    *hard = h;
    return JO_OK;
}

JO_API jo_status jo_hard_create(const jo_scene *scene, const jo_hard_options *options,
                                jo_hard **hard, jo_error *error)
{
    jo_population bodies = {0};
    *hard = NULL;
    jo_status status = jo_scene_check(scene, error);
    if (status == JO_OK)
        status = jo_scene_populate(scene, &bodies, options != NULL ? options->progress : NULL,
                                   options != NULL ? options->progress_context : NULL, error);
    if (status == JO_OK) status = jo_hard_create_with(scene, &bodies, options, hard, error);
    jo_population_free(&bodies);
    return status;
}
