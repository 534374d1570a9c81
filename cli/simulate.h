/* simulate.h — a run from its first moment, or from a checkpoint, to its end. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "args.h"
#include "changes.h"
#include "recorder.h"
#include "scene_load.h"
#include "view_live.h"

typedef struct run_options {
    const char *missing; /* what to say when there is no input; NULL: nothing */
    const char *input;   /* scene, checkpoint or the name of a demo */
    const char *folder;  /* NULL: chosen */
    int threads;         /* 0: as many as there are */
    double until;        /* NaN: the scene's */
    bool json, quiet, force;
    settings set;
    const char *replay; /* a file of changes; NULL: none */
    const char *png;    /* a picture of the end; NULL: none */
    view_choice view;
} run_options;

run_options run_options_default(void);
/* The options that run, resume and demo share, as the only argp child; its input is a
 * run_options. */
extern const struct argp_child run_options_child[];

typedef enum run_outcome { RUN_COMPLETE, RUN_INTERRUPTED, RUN_BLEW_UP, RUN_FAILED } run_outcome;

typedef struct simulation {
    const run_options *options;
    const jo_scene *scene;
    const char *name; /* what was read, for messages */
    engine engine;
    recorder recorder;
    changes changes;
    view_live *view; /* NULL: nobody watches */
    double until;    /* end of the run */
    double begin_tick, end_tick;
    engine_costs begin;   /* the costs of the engine when this process began */
    double started;       /* cli_seconds() when the engine was ready */
    double seconds;       /* of wall time in all */
    double advancing;     /* of these, spent in the engine */
    size_t alarms_told;   /* kinds */
    unsigned alarm_kinds; /* a bit each */
    bool resumed;
    run_outcome outcome;
} simulation;

/* Runs to the end and reports; the engine is made and the recorder open. Returns an exit code, or
 * ends the program by the signal that stopped it. Everything is closed and freed. */
int simulate(simulation *s);

/* Can the engine draw, where a picture is asked for? */
jo_status can_draw(const simulation *s, jo_error *error);

/* Changes the run at the present moment and notes it in the run's folder; JO_ERR_DATA: refused. */
jo_status simulation_change(simulation *s, const char *text, jo_error *error);

/* summary.c */
void summary_plan(const simulation *s);  /* what is about to be done */
void summary_alarms(simulation *s);      /* alarms that have not been told yet, on stderr */
void summary_print(const simulation *s); /* the table at the end */
void summary_json(const simulation *s, FILE *out); /* the same as one line of JSON */

/* `jostle run` with a scene's path. */
int run_scene(const run_options *options, const char *path);

#endif
