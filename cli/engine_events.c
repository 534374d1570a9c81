/* engine_events.c — see engine_events.h. */
#include "engine_events.h"

double events_tick(const void *state, double time)
{
    (void)state;
    return time;
}

jo_status events_advance(const engine_kind *kind, void *state, double tick, double seconds,
                         jo_error *error)
{
    const double begin = cli_seconds(), end = begin + seconds;
    /* Events are counted off, so that a slice ends however long they take. */
    uint64_t slice = 1000;
    for (double time = begin; kind->now(state) < tick && time < end;) {
        const jo_status status = kind->step(state, tick, slice, error);
        if (status != JO_OK) return status;
        const double after = cli_seconds(), took = after - time;
        if (took < 0.1 * seconds) slice *= 2;
        if (took > 0.4 * seconds && slice > 100) slice /= 2;
        time = after;
    }
    return JO_OK;
}

jo_status events_contacts(void *state, const jo_soft_contact **contacts, size_t *count,
                          jo_error *error)
{
    (void)state;
    (void)error;
    *contacts = NULL;
    *count = 0;
    return JO_OK;
}

void events_add_counter(engine_costs *costs, const char *name, double count)
{
    costs->counter[costs->counters] = name;
    costs->count[costs->counters++] = count;
}
