/* engine_events.h — what engines that go from event to event have in common behind the program's
 * table of operations. */
#ifndef CLI_ENGINE_EVENTS_H
#define CLI_ENGINE_EVENTS_H

#include "engines.h"

/* Ticks are times: such an engine stops at any. Both ways. */
double events_tick(const void *state, double time);

/* Advances by steps of so many events as take about a part of the wall time asked for; where a run
 * is cut never changes its result. */
jo_status events_advance(const engine_kind *kind, void *state, double tick, double seconds,
                         jo_error *error);

/* Contacts take no time: there are none at any moment. */
jo_status events_contacts(void *state, const jo_soft_contact **contacts, size_t *count,
                          jo_error *error);

void events_add_counter(engine_costs *costs, const char *name, double count);

#endif
