/* engine_hard.c — the event-driven engine behind the program's table of operations.
 * Ticks, slices and counters are those of engine_events.h. */
#include <math.h>
#include <stdlib.h>

#include "engine_events.h"
#include "eventlog.h"

/* As many events are kept until they are written. */
enum { EVENTS_KEPT = 1 << 14 };

typedef struct hard_state {
    jo_hard *hard;
    bool logs;
    eventlog events;
} hard_state;

static jo_status make_state(hard_state **made, jo_error *error)
{
    *made = calloc(1, sizeof **made);
    if (*made != NULL) return JO_OK;
    error->status = JO_ERR_MEMORY;
    snprintf(error->text, sizeof error->text, "not enough memory for the engine");
    return JO_ERR_MEMORY;
}

static void hard_destroy(void *state)
{
    hard_state *s = state;
    if (s == NULL) return;
    jo_hard_destroy(s->hard);
    eventlog_close(&s->events);
    free(s);
}

static jo_status hard_create(const jo_scene *scene, int threads, jo_progress progress,
                             void *context, void **state, jo_error *error)
{
    hard_state *s;
    jo_hard_options options = jo_hard_options_default();
    (void)threads; /* it uses one */
    options.progress = progress;
    options.progress_context = context;
    options.log = scene->outputs.events ? EVENTS_KEPT : 0;
    jo_status status = make_state(&s, error);
    if (status != JO_OK) return status;
    s->logs = scene->outputs.events;
    status = jo_hard_create(scene, &options, &s->hard, error);
    if (status == JO_OK) status = jo_hard_mark(s->hard, error);
    if (status != JO_OK) {
        hard_destroy(s);
        return status;
    }
    *state = s;
    return JO_OK;
}

static jo_status hard_restore(const jo_scene *scene, int threads, const jo_chunk *chunks,
                              size_t count, void **state, jo_error *error)
{
    hard_state *s;
    jo_hard_options options = jo_hard_options_default();
    (void)threads;
    options.log = scene->outputs.events ? EVENTS_KEPT : 0;
    jo_status status = make_state(&s, error);
    if (status != JO_OK) return status;
    s->logs = scene->outputs.events;
    status = jo_hard_restore(scene, &options, chunks, count, &s->hard, error);
    if (status != JO_OK) {
        free(s);
        return status;
    }
    *state = s;
    return JO_OK;
}

static jo_hard *hard_of(const void *state)
{
    return ((const hard_state *)state)->hard;
}

static double hard_now(const void *state)
{
    return jo_hard_time(hard_of(state));
}

static uint64_t hard_count(const void *state)
{
    return jo_hard_event_count(hard_of(state));
}

static jo_status hard_log_events(void *state, const char *path, jo_error *error)
{
    hard_state *s = state;
    return eventlog_open(&s->events, path, jo_hard_event_count(s->hard), error);
}

static jo_status write_events(hard_state *s, jo_error *error)
{
    size_t count;
    uint64_t first;
    if (!s->logs) return JO_OK;
    const jo_hard_event *events = jo_hard_log(s->hard, &count, &first);
    if (events == NULL && jo_hard_event_count(s->hard) > s->events.written) {
        error->status = JO_ERR_MEMORY;
        snprintf(error->text, sizeof error->text, "not enough memory for the log of events");
        return JO_ERR_MEMORY;
    }
    return eventlog_append(&s->events, events, count, first, error);
}

static jo_status hard_step(void *state, double tick, uint64_t count, jo_error *error)
{
    hard_state *s = state;
    if (s->logs && count > EVENTS_KEPT) count = EVENTS_KEPT;
    const jo_status status = jo_hard_advance(s->hard, tick, count, error);
    jo_error later = {0}; /* what happened before a failure is written, too */
    const jo_status written = write_events(s, status == JO_OK ? error : &later);
    return status == JO_OK ? written : status;
}

static jo_status hard_frame(void *state, jo_frame *frame, jo_error *error)
{
    return jo_hard_frame(hard_of(state), frame, error);
}

static jo_status hard_measure(void *state, jo_measures *measures, jo_error *error)
{
    return jo_hard_measure(hard_of(state), measures, error);
}

static const char *const extra_names[] = {
    "collisions", "wall_collisions", "translational", "rotational", "temperature",
    "pressure",   "compressibility", "rate",          "free_path",  "displacement2",
    "kurtosis",   "fraction",        "tc_collisions", "tc_energy"};

/* Means are over the whole run. */
static void hard_extra(void *state, double *values)
{
    jo_hard_observables o = {0};
    jo_error error;
    jo_hard_observe(hard_of(state), &o, &error);
    const double all[] = {(double)o.collisions,
                          (double)o.wall_collisions,
                          o.kinetic,
                          o.rotational,
                          o.temperature,
                          o.pressure,
                          o.compressibility,
                          o.rate,
                          o.free_path,
                          o.displacement2,
                          o.v2 > 0.0 ? o.v4 / (o.v2 * o.v2) : (double)NAN,
                          o.fraction,
                          (double)o.tc_collisions,
                          o.tc_energy};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        values[k] = all[k];
}

static jo_wall_state hard_wall(const void *state, size_t wall)
{
    return jo_hard_wall(hard_of(state), wall);
}

/* At a time, not after a number of events: those of the same moment are done first. */
static jo_status hard_change(void *state, const engine_change *c, jo_error *error)
{
    hard_state *s = state;
    jo_status status = jo_hard_advance(s->hard, jo_hard_time(s->hard), 0, error);
    if (status == JO_OK) status = write_events(s, error);
    if (status != JO_OK) return status;
    switch (c->kind) {
    case CHANGE_GRAVITY:
        return jo_hard_set_gravity(s->hard, c->gravity, error);
    case CHANGE_FRICTION:
        return jo_hard_set_friction(s->hard, c->a, c->b, c->value, error);
    case CHANGE_RESTITUTION:
        return jo_hard_set_restitution(s->hard, c->a, c->b, c->value, error);
    case CHANGE_WALL:
        return cli_error(error, JO_ERR_DATA, "engine hard cannot open walls while it runs");
    case CHANGE_ADD:
        return cli_error(error, JO_ERR_DATA, "engine hard cannot add bodies while it runs");
    }
    return cli_error(error, JO_ERR_DATA, "there is no such change");
}

static void hard_gravity(const void *state, double gravity[3])
{
    jo_hard_gravity(hard_of(state), gravity);
}

static jo_contact_def hard_contact(const void *state, uint32_t a, uint32_t b)
{
    return jo_hard_contact_def(hard_of(state), a, b);
}

static size_t hard_upcoming(const void *state, jo_hard_event *events, size_t room)
{
    return jo_hard_upcoming(hard_of(state), events, room);
}

static double hard_mass_beyond(void *state, size_t gate)
{
    return jo_hard_mass_beyond(hard_of(state), gate);
}

static const jo_alarm *hard_alarms(const void *state, size_t *count)
{
    return jo_hard_alarms(hard_of(state), count);
}

static engine_costs hard_costs(const void *state)
{
    const jo_hard_stats stats = jo_hard_statistics(hard_of(state));
    jo_hard_observables seen = {0};
    jo_error error;
    engine_costs c = {.stages = 2,
                      .stage = {"making", "events"},
                      .seconds = {stats.seconds_making, stats.seconds},
                      .calls = {1, stats.collisions + stats.wall_collisions},
                      .work = (double)(stats.collisions + stats.wall_collisions),
                      .bytes = stats.bytes,
                      .bytes_peak = stats.bytes_peak,
                      .search = stats.search};
    jo_hard_observe(hard_of(state), &seen, &error);
    events_add_counter(&c, "collisions", (double)stats.collisions);
    events_add_counter(&c, "wall_collisions", (double)stats.wall_collisions);
    events_add_counter(&c, "crossings", (double)stats.crossings);
    events_add_counter(&c, "lists_renewed", (double)stats.rebuilds);
    events_add_counter(&c, "predictions", (double)stats.predictions);
    events_add_counter(&c, "void_plans", (double)stats.invalid);
    events_add_counter(&c, "epochs", (double)stats.epochs);
    events_add_counter(&c, "tc_collisions", (double)seen.tc_collisions);
    events_add_counter(&c, "temperature", seen.temperature);
    events_add_counter(&c, "compressibility", seen.compressibility);
    events_add_counter(&c, "fraction", seen.fraction);
    return c;
}

static jo_status hard_save(void *state, jo_chunk *chunks, size_t *count, jo_error *error)
{
    return jo_hard_save(hard_of(state), chunks, count, error);
}

static uint64_t hard_hash(void *state)
{
    return jo_hard_hash(hard_of(state));
}

static void hard_describe(const void *state, const jo_scene *scene, char *text, size_t size)
{
    const jo_hard_stats stats = jo_hard_statistics(hard_of(state));
    (void)scene;
    snprintf(text, size, "none: from collision to collision; neighbours by %s: %s", stats.search,
             stats.why);
}

static jo_status hard_advance(void *state, double tick, double seconds, jo_error *error)
{
    return events_advance(&engine_hard, state, tick, seconds, error);
}

const engine_kind engine_hard = {
    .name = "hard",
    .unit = "events",
    .rate = "collisions",
    .summary = "bodies never overlap: exact collisions, one by one, as events",
    .create = hard_create,
    .restore = hard_restore,
    .destroy = hard_destroy,
    .tick = events_tick,
    .time_of = events_tick,
    .now = hard_now,
    .count = hard_count,
    .advance = hard_advance,
    .step = hard_step,
    .frame = hard_frame,
    .contacts = events_contacts,
    .measure = hard_measure,
    .extras = sizeof extra_names / sizeof *extra_names,
    .extra_names = extra_names,
    .extra = hard_extra,
    .wall = hard_wall,
    .change = hard_change,
    .gravity = hard_gravity,
    .contact = hard_contact,
    .changeable = 1u << CHANGE_GRAVITY | 1u << CHANGE_FRICTION | 1u << CHANGE_RESTITUTION,
    .upcoming = hard_upcoming,
    .mass_beyond = hard_mass_beyond,
    .alarms = hard_alarms,
    .log_events = hard_log_events,
    .costs = hard_costs,
    .save = hard_save,
    .hash = hard_hash,
    .describe = hard_describe,
};
