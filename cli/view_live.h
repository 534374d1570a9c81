/* view_live.h — a run that is watched in the browser while it goes on. */
#ifndef CLI_VIEW_LIVE_H
#define CLI_VIEW_LIVE_H

#include "viewer.h"

struct simulation;

typedef struct view_choice {
    bool on;
    viewer_options server;
    bool wait;  /* begin when someone looks */
    bool pause; /* begin paused */
    bool keep;  /* stay after the end, until a signal comes */
} view_choice;

typedef struct view_live view_live;

/* Starts the server, if the options say so, before anything is on disk; *made is NULL if not.
 * JO_ERR_UNSUPPORTED where this build has no viewer. */
jo_status view_live_start(const struct simulation *s, view_live **made, jo_error *error);
void view_live_free(view_live *live); /* where the run does not begin; NULL is fine */
/* The run begins: says where to look, and waits for someone if it was asked to. NULL is fine. */
void view_live_begin(view_live *live, struct simulation *s);
/* Between two slices of the run: shows the present moment if that is due, and does what watchers
 * ask for. Comes back at once, unless they paused the run. */
void view_live_look(view_live *live, struct simulation *s);
/* How many steps (or events) to take before looking again; 0: as many as fit into a slice. */
uint64_t view_live_steps(const view_live *live);
/* So many of them were taken, in so many seconds. */
void view_live_took(view_live *live, uint64_t steps, double seconds);
/* How long a slice may last, in seconds. */
double view_live_slice(const view_live *live, double otherwise);
/* A row of measures was made. */
void view_live_row(view_live *live, const double *values, size_t columns);
/* The run is over: tells so, waits if it was asked to, and frees everything. NULL is fine. */
void view_live_end(view_live *live, struct simulation *s);

#endif
