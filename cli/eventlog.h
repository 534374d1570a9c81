/* eventlog.h — events.csv: every collision of an event-driven run, one row each. */
#ifndef CLI_EVENTLOG_H
#define CLI_EVENTLOG_H

#include "cli.h"

typedef struct eventlog {
    FILE *file; /* NULL: none is written */
    char path[1200];
    uint64_t written; /* number of the event that comes next */
    long whole;       /* bytes of whole rows that are in the file; -1: not known */
} eventlog;

/* Opens the file for events from number `from` on. Rows of one that is there are kept up to that
 * number, so that a run that was stopped or killed goes on as if nothing had happened. */
jo_status eventlog_open(eventlog *log, const char *path, uint64_t from, jo_error *error);
/* Appends those that are new of the engine's latest; they are in the file when it returns. */
jo_status eventlog_append(eventlog *log, const jo_hard_event *events, size_t count, uint64_t first,
                          jo_error *error);
void eventlog_close(eventlog *log); /* zeroed is fine */

#endif
