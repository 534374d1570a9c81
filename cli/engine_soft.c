/* engine_soft.c — the time-stepped engine behind the program's table of operations.
 *
 * Ticks are step numbers, exact in a double up to 2^53. Advancing is cut into slices of about the
 * wall time asked for, by the speed of the slices before; where a run is cut never changes its
 * result. */
#include <math.h>
#include <stdlib.h>

#include "engines.h"

typedef struct soft_state {
    jo_soft *soft;
    double step_seconds; /* what a step took lately; 0: not known yet */
} soft_state;

static jo_soft_options options_of(int threads, jo_progress progress, void *context)
{
    jo_soft_options options = jo_soft_options_default();
    options.threads = threads;
    options.progress = progress;
    options.progress_context = context;
    return options;
}

static jo_status make_state(soft_state **made, jo_error *error)
{
    *made = calloc(1, sizeof **made);
    if (*made != NULL) return JO_OK;
    return cli_error(error, JO_ERR_MEMORY, "not enough memory for the engine");
}

static void soft_destroy(void *state)
{
    soft_state *s = state;
    if (s == NULL) return;
    jo_soft_destroy(s->soft);
    free(s);
}

static jo_status soft_create(const jo_scene *scene, int threads, jo_progress progress,
                             void *context, void **state, jo_error *error)
{
    soft_state *s;
    const jo_soft_options options = options_of(threads, progress, context);
    jo_status status = make_state(&s, error);
    if (status != JO_OK) return status;
    status = jo_soft_create(scene, &options, &s->soft, error);
    if (status != JO_OK) {
        free(s);
        return status;
    }
    *state = s;
    return JO_OK;
}

static jo_status soft_restore(const jo_scene *scene, int threads, const jo_chunk *chunks,
                              size_t count, void **state, jo_error *error)
{
    soft_state *s;
    const jo_soft_options options = options_of(threads, NULL, NULL);
    jo_status status = make_state(&s, error);
    if (status != JO_OK) return status;
    status = jo_soft_restore(scene, &options, chunks, count, &s->soft, error);
    if (status != JO_OK) {
        free(s);
        return status;
    }
    *state = s;
    return JO_OK;
}

static jo_soft *soft_of(const void *state)
{
    return ((const soft_state *)state)->soft;
}

static double soft_tick(const void *state, double time)
{
    return rint(time / jo_soft_time_step(soft_of(state)));
}

static double soft_time_of(const void *state, double tick)
{
    return tick > 0.0 ? jo_soft_time_at(soft_of(state), (uint64_t)tick) : 0.0;
}

static double soft_now(const void *state)
{
    return (double)jo_soft_step_count(soft_of(state));
}

static uint64_t soft_count(const void *state)
{
    return jo_soft_step_count(soft_of(state));
}

static jo_status soft_advance(void *state, double tick, double seconds, jo_error *error)
{
    soft_state *s = state;
    const double begin = cli_seconds(), end = begin + seconds;
    for (double left = tick - soft_now(s), time = begin; left >= 1.0 && time < end;) {
        /* Half of what should fit: the speed may change. */
        double fit = s->step_seconds > 0.0 ? floor(0.5 * (end - time) / s->step_seconds) : 1.0;
        fit = fmax(1.0, fmin(fit, left));
        const jo_status status = jo_soft_advance(s->soft, (uint64_t)fit, error);
        if (status != JO_OK) return status;
        const double after = cli_seconds();
        s->step_seconds = (after - time) / fit;
        left -= fit;
        time = after;
    }
    return JO_OK;
}

static jo_status soft_step(void *state, double tick, uint64_t count, jo_error *error)
{
    const double left = fmax(tick - soft_now(state), 0.0);
    return jo_soft_advance(soft_of(state), (uint64_t)fmin(left, (double)count), error);
}

static jo_status soft_frame(void *state, jo_frame *frame, jo_error *error)
{
    return jo_soft_frame(soft_of(state), frame, error);
}

static jo_status soft_glance(void *state, jo_glance *glance, jo_error *error)
{
    return jo_soft_glance(soft_of(state), glance, error);
}

static jo_status soft_contacts(void *state, const jo_soft_contact **contacts, size_t *count,
                               jo_error *error)
{
    return jo_soft_contacts(soft_of(state), contacts, count, error);
}

static jo_status soft_measure(void *state, jo_measures *measures, jo_error *error)
{
    return jo_soft_measure(soft_of(state), measures, error);
}

static jo_wall_state soft_wall(const void *state, size_t wall)
{
    return jo_soft_wall(soft_of(state), wall);
}

static jo_status soft_change(void *state, const engine_change *c, jo_error *error)
{
    jo_soft *soft = soft_of(state);
    switch (c->kind) {
    case CHANGE_GRAVITY:
        return jo_soft_set_gravity(soft, c->gravity, error);
    case CHANGE_FRICTION:
        return jo_soft_set_friction(soft, c->a, c->b, c->value, error);
    case CHANGE_RESTITUTION:
        return jo_soft_set_restitution(soft, c->a, c->b, c->value, error);
    case CHANGE_WALL:
        return jo_soft_set_wall(soft, c->wall, c->present, error);
    case CHANGE_ADD:
        return jo_soft_add(soft, &c->body, NULL, error);
    }
    return cli_error(error, JO_ERR_DATA, "there is no such change");
}

static void soft_gravity(const void *state, double gravity[3])
{
    jo_soft_gravity(soft_of(state), gravity);
}

static jo_contact_def soft_contact(const void *state, uint32_t a, uint32_t b)
{
    return jo_soft_contact_def(soft_of(state), a, b);
}

static double soft_mass_beyond(void *state, size_t gate)
{
    return jo_soft_mass_beyond(soft_of(state), gate);
}

static const jo_alarm *soft_alarms(const void *state, size_t *count)
{
    return jo_soft_alarms(soft_of(state), count);
}

static void add_counter(engine_costs *c, const char *name, double count)
{
    c->counter[c->counters] = name;
    c->count[c->counters++] = count;
}

static engine_costs soft_costs(const void *state)
{
    const jo_soft_stats stats = jo_soft_statistics(soft_of(state));
    engine_costs c = {.stages = JO_SOFT_STAGES,
                      .work = (double)stats.body_steps,
                      .bytes = stats.bytes,
                      .bytes_peak = stats.bytes_peak,
                      .search = stats.search};
    _Static_assert((int)JO_SOFT_STAGES <= (int)ENGINE_STAGES, "room for every stage");
    for (int k = 0; k < JO_SOFT_STAGES; k++) {
        c.stage[k] = jo_soft_stage_name((jo_soft_stage)k);
        c.seconds[k] = stats.seconds[k];
        c.calls[k] = stats.calls[k];
    }
    add_counter(&c, "rebuilds", (double)stats.rebuilds);
    add_counter(&c, "list_pairs", (double)stats.list_pairs);
    add_counter(&c, "skin", stats.skin);
    return c;
}

static jo_status soft_save(void *state, jo_chunk *chunks, size_t *count, jo_error *error)
{
    return jo_soft_save(soft_of(state), chunks, count, error);
}

static uint64_t soft_hash(void *state)
{
    return jo_soft_hash(soft_of(state));
}

static void soft_describe(const void *state, const jo_scene *scene, char *text, size_t size)
{
    const jo_step_advice advice = jo_soft_advice(soft_of(state));
    const double step = jo_soft_time_step(soft_of(state));
    if (isnan(scene->time_step))
        snprintf(text, size, "%.4g, chosen: %s", step, advice.why);
    else if (step > advice.largest)
        snprintf(text, size, "%.4g, as the scene says: too large, it should be %.4g (%s)", step,
                 advice.recommended, advice.why);
    else
        snprintf(text, size, "%.4g, as the scene says; recommended %.4g (%s)", step,
                 advice.recommended, advice.why);
}

const engine_kind engine_soft = {
    .name = "soft",
    .unit = "steps",
    .rate = "body-steps",
    .summary = "bodies overlap and push each other: time steps, all contact laws",
    .create = soft_create,
    .restore = soft_restore,
    .destroy = soft_destroy,
    .counted = true,
    .tick = soft_tick,
    .time_of = soft_time_of,
    .now = soft_now,
    .count = soft_count,
    .advance = soft_advance,
    .step = soft_step,
    .frame = soft_frame,
    .glance = soft_glance,
    .contacts = soft_contacts,
    .measure = soft_measure,
    .wall = soft_wall,
    .change = soft_change,
    .gravity = soft_gravity,
    .contact = soft_contact,
    .changeable = 1u << CHANGE_GRAVITY | 1u << CHANGE_FRICTION | 1u << CHANGE_RESTITUTION |
                  1u << CHANGE_WALL | 1u << CHANGE_ADD,
    .mass_beyond = soft_mass_beyond,
    .alarms = soft_alarms,
    .costs = soft_costs,
    .save = soft_save,
    .hash = soft_hash,
    .describe = soft_describe,
};
