/* engines.h — what the program needs of an engine, as one table of operations.
 *
 * Commands know this table alone; an engine joins by a descriptor of its own and a line in
 * engines.c. Moments are counted in ticks: whatever the engine can stop at. The soft engine stops
 * after whole time steps, so its ticks are step numbers; an event-driven engine can stop at any
 * time, so its ticks are times. Ticks compare exactly, times need not. */
#ifndef CLI_ENGINES_H
#define CLI_ENGINES_H

#include "cli.h"

enum { ENGINE_STAGES = 16, ENGINE_COUNTERS = 12 };

/* Where the time went, and what was counted. */
typedef struct engine_costs {
    size_t stages;
    const char *stage[ENGINE_STAGES];
    double seconds[ENGINE_STAGES];
    uint64_t calls[ENGINE_STAGES];
    size_t counters;
    const char *counter[ENGINE_COUNTERS];
    double count[ENGINE_COUNTERS];
    double work;              /* bodies times steps, or events: what `rate` counts */
    size_t bytes, bytes_peak; /* held by the engine */
    const char *search;       /* the contact search in use; may be NULL */
} engine_costs;

/* What can be changed while a run goes on. */
typedef enum engine_change_kind {
    CHANGE_GRAVITY,
    CHANGE_FRICTION,
    CHANGE_RESTITUTION,
    CHANGE_WALL,
    CHANGE_ADD
} engine_change_kind;

typedef struct engine_change {
    engine_change_kind kind;
    double gravity[3];
    uint32_t a, b; /* friction, restitution: materials */
    double value;
    size_t wall;
    bool present;
    jo_body_def body;
} engine_change;

typedef struct engine_kind {
    const char *name; /* as in the scene's `engine` */
    const char *unit; /* what a run counts: "steps" */
    const char *rate; /* what costs.work counts, per second: "body-steps" */
    const char *summary;

    jo_status (*create)(const jo_scene *scene, int threads, jo_progress progress, void *context,
                        void **state, jo_error *error);
    jo_status (*restore)(const jo_scene *scene, int threads, const jo_chunk *chunks, size_t count,
                         void **state, jo_error *error);
    void (*destroy)(void *state); /* NULL is fine */

    bool counted;                                      /* ticks are numbers of steps; else times */
    double (*tick)(const void *state, double time);    /* the tick nearest to a time */
    double (*time_of)(const void *state, double tick); /* and back */
    double (*now)(const void *state);                  /* the present tick */
    uint64_t (*count)(const void *state);              /* steps or events so far */

    /* Goes towards `tick` and comes back when it is there, or after about `seconds` of work. */
    jo_status (*advance)(void *state, double tick, double seconds, jo_error *error);

    /* Goes towards `tick`, but at most `count` steps or events. */
    jo_status (*step)(void *state, double tick, uint64_t count, jo_error *error);

    jo_status (*frame)(void *state, jo_frame *frame, jo_error *error);
    /* The same for pictures, cheaper; NULL: there is none. */
    jo_status (*glance)(void *state, jo_glance *glance, jo_error *error);
    jo_status (*contacts)(void *state, const jo_soft_contact **contacts, size_t *count,
                          jo_error *error);
    jo_status (*measure)(void *state, jo_measures *measures, jo_error *error);
    /* Columns of series.csv of its own; extras 0: none. */
    size_t extras;
    const char *const *extra_names;
    void (*extra)(void *state, double *values);
    jo_wall_state (*wall)(const void *state, size_t wall);
    /* Changes the run at its present tick; JO_ERR_DATA: refused, nothing is changed. NULL, like the
     * next two: it cannot be. changeable has a bit for each engine_change_kind. */
    jo_status (*change)(void *state, const engine_change *change, jo_error *error);
    void (*gravity)(const void *state, double gravity[3]);
    jo_contact_def (*contact)(const void *state, uint32_t a, uint32_t b);
    unsigned changeable;
    /* The next events; NULL: there are none. */
    size_t (*upcoming)(const void *state, jo_hard_event *events, size_t room);
    double (*mass_beyond)(void *state, size_t gate);
    const jo_alarm *(*alarms)(const void *state, size_t *count);
    /* From now on every event goes to that file, see eventlog_open; NULL: there are no events. */
    jo_status (*log_events)(void *state, const char *path, jo_error *error);
    engine_costs (*costs)(const void *state);
    /* A picture of the present with what the engine works with; NULL: there is none. */
    jo_status (*draw)(void *state, const jo_scene *scene, const char *path, jo_error *error);

    /* chunks has room for JO_CHUNKS_MAX. */
    jo_status (*save)(void *state, jo_chunk *chunks, size_t *count, jo_error *error);
    uint64_t (*hash)(void *state);

    /* One line: how time is divided, and why so. */
    void (*describe)(const void *state, const jo_scene *scene, char *text, size_t size);
} engine_kind;

/* An engine at work. */
typedef struct engine {
    const engine_kind *kind;
    void *state;
} engine;

/* The engine a scene asks for; JO_ERR_DATA, naming those there are. */
jo_status engine_find(const jo_scene *scene, const engine_kind **kind, jo_error *error);

/* The engines, in order; NULL from the last on. */
const engine_kind *engine_number(size_t k);

extern const engine_kind engine_soft, engine_hard, engine_kinetic;

#endif
