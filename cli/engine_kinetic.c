/* engine_kinetic.c — hard polygons by kinetic triangulation behind the program's table of
 * operations. Ticks, slices and counters are those of engine_events.h. */
#include <math.h>

#include "engine_events.h"
#include "kinetic_draw.h"

static jo_status kinetic_create(const jo_scene *scene, int threads, jo_progress progress,
                                void *context, void **state, jo_error *error)
{
    const jo_polygons_options options = {progress, context};
    (void)threads; /* it uses one */
    return jo_polygons_create(scene, &options, (jo_polygons **)state, error);
}

static jo_status kinetic_restore(const jo_scene *scene, int threads, const jo_chunk *chunks,
                                 size_t count, void **state, jo_error *error)
{
    (void)threads;
    return jo_polygons_restore(scene, chunks, count, (jo_polygons **)state, error);
}

static void kinetic_destroy(void *state)
{
    jo_polygons_destroy(state);
}

static double kinetic_now(const void *state)
{
    return jo_polygons_time(state);
}

static uint64_t kinetic_count(const void *state)
{
    return jo_polygons_event_count(state);
}

static jo_status kinetic_step(void *state, double tick, uint64_t count, jo_error *error)
{
    return jo_polygons_advance(state, tick, count, error);
}

static jo_status kinetic_frame(void *state, jo_frame *frame, jo_error *error)
{
    return jo_polygons_frame(state, frame, error);
}

static jo_status kinetic_measure(void *state, jo_measures *measures, jo_error *error)
{
    return jo_polygons_measure(state, measures, error);
}

static const char *const extra_names[] = {"flips",    "collisions", "wall_collisions", "renewals",
                                          "rebuilds", "slow",       "added",           "left",
                                          "jammed",   "came"};

static void kinetic_extra(void *state, double *values)
{
    const jo_polygons_stats s = jo_polygons_statistics(state);
    const jo_kinetic_stats *k = &s.kinetic;
    const double all[] = {(double)k->flips,
                          (double)k->collisions,
                          (double)k->wall_collisions,
                          (double)k->renewals,
                          (double)k->rebuilds,
                          (double)k->slow,
                          k->added,
                          (double)s.removed,
                          isnan(s.jammed) ? 0.0 : 1.0,
                          (double)k->inserted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        values[i] = all[i];
}

static jo_wall_state kinetic_wall(const void *state, size_t wall)
{
    return jo_polygons_wall(state, wall);
}

static jo_status kinetic_change(void *state, const engine_change *c, jo_error *error)
{
    switch (c->kind) {
    case CHANGE_GRAVITY:
        return jo_polygons_set_gravity(state, c->gravity, error);
    case CHANGE_FRICTION:
        return jo_polygons_set_friction(state, c->a, c->b, c->value, error);
    case CHANGE_RESTITUTION:
        return jo_polygons_set_restitution(state, c->a, c->b, c->value, error);
    case CHANGE_WALL:
        return jo_polygons_set_wall(state, c->wall, c->present, error);
    case CHANGE_ADD:
        return jo_polygons_add(state, &c->body, NULL, error);
    }
    return cli_error(error, JO_ERR_DATA, "there is no such change");
}

static void kinetic_gravity(const void *state, double gravity[3])
{
    jo_polygons_gravity(state, gravity);
}

static jo_contact_def kinetic_contact(const void *state, uint32_t a, uint32_t b)
{
    return jo_polygons_contact_def(state, a, b);
}

static double kinetic_mass_beyond(void *state, size_t gate)
{
    return jo_polygons_mass_beyond(state, gate);
}

static const jo_alarm *kinetic_alarms(const void *state, size_t *count)
{
    return jo_polygons_alarms(state, count);
}

static engine_costs kinetic_costs(const void *state)
{
    const jo_polygons_stats s = jo_polygons_statistics(state);
    const jo_kinetic_stats *k = &s.kinetic;
    const uint64_t events = k->flips + k->collisions + k->wall_collisions;
    engine_costs c = {.stages = 2,
                      .stage = {"making", "events"},
                      .seconds = {s.seconds_making, k->seconds},
                      .calls = {1, events},
                      .work = (double)events,
                      .bytes = k->bytes,
                      .bytes_peak = k->bytes,
                      .search = "triangulation"};
    events_add_counter(&c, "flips", (double)k->flips);
    events_add_counter(&c, "collisions", (double)k->collisions);
    events_add_counter(&c, "wall_collisions", (double)k->wall_collisions);
    events_add_counter(&c, "renewals", (double)k->renewals);
    events_add_counter(&c, "predictions", (double)k->predictions);
    events_add_counter(&c, "void_plans", (double)k->stale);
    events_add_counter(&c, "rebuilds", (double)k->rebuilds);
    events_add_counter(&c, "slow", (double)k->slow);
    events_add_counter(&c, "nearest", k->nearest);
    events_add_counter(&c, "left", (double)s.removed);
    events_add_counter(&c, "came", (double)k->inserted);
    events_add_counter(&c, "jams", (double)s.jams);
    return c;
}

static jo_status kinetic_save(void *state, jo_chunk *chunks, size_t *count, jo_error *error)
{
    return jo_polygons_save(state, chunks, count, error);
}

static uint64_t kinetic_hash(void *state)
{
    return jo_polygons_hash(state);
}

static void kinetic_describe(const void *state, const jo_scene *scene, char *text, size_t size)
{
    static const char *const roots[] = {"fast", "sturm", "exact"};
    const jo_polygons_stats s = jo_polygons_statistics(state);
    snprintf(
        text, size,
        "none: from event to event; roots %s, gap %.3g, least speed of parting %.3g, period %.3g",
        roots[scene->kinetic.roots], s.kinetic.gap, s.kinetic.least_speed, s.kinetic.period);
}

static jo_status draw(void *state, const jo_scene *scene, const char *path, jo_error *error)
{
    return kinetic_draw(state, scene, path, error);
}

static jo_status kinetic_advance(void *state, double tick, double seconds, jo_error *error)
{
    return events_advance(&engine_kinetic, state, tick, seconds, error);
}

const engine_kind engine_kinetic = {
    .name = "kinetic",
    .unit = "events",
    .rate = "events",
    .summary = "polygons never overlap: exact collisions by a triangulation that moves with them",
    .create = kinetic_create,
    .restore = kinetic_restore,
    .destroy = kinetic_destroy,
    .tick = events_tick,
    .time_of = events_tick,
    .now = kinetic_now,
    .count = kinetic_count,
    .advance = kinetic_advance,
    .step = kinetic_step,
    .frame = kinetic_frame,
    .contacts = events_contacts,
    .measure = kinetic_measure,
    .extras = sizeof extra_names / sizeof *extra_names,
    .extra_names = extra_names,
    .extra = kinetic_extra,
    .wall = kinetic_wall,
    .change = kinetic_change,
    .gravity = kinetic_gravity,
    .contact = kinetic_contact,
    .changeable = 1u << CHANGE_GRAVITY | 1u << CHANGE_FRICTION | 1u << CHANGE_RESTITUTION |
                  1u << CHANGE_WALL | 1u << CHANGE_ADD,
    .mass_beyond = kinetic_mass_beyond,
    .alarms = kinetic_alarms,
    .costs = kinetic_costs,
    .save = kinetic_save,
    .hash = kinetic_hash,
    .describe = kinetic_describe,
    .draw = draw,
};
