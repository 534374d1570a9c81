/* quad_compare.c — an engine's events beside the reference's, window by window. */
#include "support/quad_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

long quad_events(long events)
{
    const char *text = getenv("JOSTLE_TEST_SCALE");
    const long scale = text != NULL ? strtol(text, NULL, 10) : 1;
    return scale > 1 ? events / scale : events;
}

typedef struct track {
    const event_engine *engine;
    quad_balls *reference;
    double x[3 * QUAD_MAX], v[3 * QUAD_MAX], w[3 * QUAD_MAX], time;
    comparison found;
} track;

static void take_over(track *t)
{
    t->engine->state(t->engine->self, t->x, t->v, t->w, &t->time);
    quad_set(t->reference, t->x, t->v, t->w, t->time);
    quad_predict(t->reference);
}

static void widen(const double *got, const quad *want, double scale, double *size, double *apart)
{
    for (int k = 0; k < 3; k++) {
        *size = fmax(*size, scale * fabs(got[k]));
        *apart = fmax(*apart, scale * fabs((double)((quad)got[k] - want[k])));
    }
}

/* At the end of a window: how far velocities, and surfaces that spin, are apart. */
static void compare_velocities(track *t)
{
    double speed = 0.0, apart = 0.0;
    t->engine->state(t->engine->self, t->x, t->v, t->w, &t->time);
    for (int i = 0; i < t->reference->n; i++) {
        widen(t->v + 3 * i, t->reference->v[i], 1.0, &speed, &apart);
        widen(t->w + 3 * i, t->reference->w[i], (double)t->reference->radius[i], &speed, &apart);
    }
    if (speed > 0.0) t->found.worst_velocity = fmax(t->found.worst_velocity, apart / speed);
}

/* One collision of each; false when they are not the same. */
static bool compare_event(track *t, double flight)
{
    comparison *c = &t->found;
    quad_event want = {0};
    double time = 0.0;
    int ball = 0, partner = 0;
    const bool got = t->engine->collide(t->engine->self, &time, &ball, &partner);
    const bool wanted = quad_collide(t->reference, &want);
    const double off = fabs((double)((quad)time - want.time));
    if (got && wanted && ball == want.ball && partner == want.partner) {
        c->events++;
        c->worst_time = fmax(c->worst_time, off / fabs(time));
        if (flight > 0.0) c->worst_interval = fmax(c->worst_interval, off / flight);
        return true;
    }
    if (got && wanted && off <= 1e-13 * fabs(time)) { /* which of two comes first is rounding */
        c->events++;
        c->ties++;
        take_over(t);
        return true;
    }
    c->differs = true;
    snprintf(c->text, sizeof c->text,
             "event %ld: engine %s(%d, %d) at %.17g, reference %s(%d, %d) at %.17g", c->events,
             got ? "" : "none ", ball, partner, time, wanted ? "" : "none ", want.ball,
             want.partner, (double)want.time);
    return false;
}

comparison quad_follow(const event_engine *engine, quad_balls *reference, long events, int window)
{
    track t = {.engine = engine, .reference = reference};
    take_over(&t);
    const quad start = reference->time;
    for (long k = 0; k < events; k++) {
        if (k > 0 && window > 0 && k % window == 0) {
            compare_velocities(&t);
            take_over(&t);
        }
        /* n k collisions take as long as 2 k flights of each ball, roughly: walls count once. */
        const double elapsed = (double)(reference->time - start);
        if (!compare_event(&t, k > 100 ? elapsed * reference->n / (2.0 * (double)k) : 0.0)) break;
    }
    return t.found;
}
