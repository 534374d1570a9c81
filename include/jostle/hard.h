/* jostle/hard.h — the event-driven engine: hard balls and discs, collision by collision.
 *
 *     jo_hard *hard;
 *     jo_hard_create(&scene, NULL, &hard, &error);
 *     jo_hard_advance(hard, 10.0, 0, &error);           // to time 10
 *     jo_hard_advance(hard, INFINITY, 1000, &error);    // 1000 collisions more
 *     jo_frame frame;
 *     jo_hard_frame(hard, &frame, &error);              // where everything is now: free flight,
 * exact jo_hard_destroy(hard);
 *
 * Balls fly freely (or on parabolas) between collisions that take no time; the engine goes from one
 * to the next. The cost of a collision does not depend on the number of balls. Events at the same
 * time are taken in the order of the balls' indices, so a run is the same to the last bit whenever
 * it is repeated, however it is cut into calls of advance, and when it was saved and restored. A
 * jo_hard is used by one thread at a time, and uses no other. */
#ifndef JOSTLE_HARD_H
#define JOSTLE_HARD_H

#include "jostle/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_hard jo_hard;

/* What happened. */
typedef enum jo_hard_event_kind {
    JO_HARD_BALLS, /* two balls collided */
    JO_HARD_WALL   /* a ball hit a wall */
} jo_hard_event_kind;

typedef struct jo_hard_event {
    double time;
    jo_hard_event_kind kind;
    uint32_t face; /* wall: which of its faces. Box: 2 * axis, + 1 for the upper one; cylinder and
                      cone: 0 the side, 1 and 2 the caps, 3 and 4 the rims at its point and at the
                      other end; mesh: the number of a triangle; else 0 */
    uint64_t a;    /* id of the ball, of the one with the smaller id where there are two */
    uint64_t b;    /* id of the other ball, or index of the wall */
    double speed;  /* at which they approached, along the normal; > 0 */
} jo_hard_event;

typedef struct jo_hard_options {
    size_t log;           /* how many of the latest events are kept for jo_hard_log; default 0 */
    jo_progress progress; /* while bodies are being placed; may be NULL */
    void *progress_context;
} jo_hard_options;

JO_API jo_hard_options jo_hard_options_default(void);

/* Places the scene's bodies and finds the first events. The scene is copied as far as it is needed.
 * JO_ERR_DATA where bodies overlap each other or a wall, or the scene asks for what hard balls do
 * not have (cohesion, factories, servos). options may be NULL. */
JO_API jo_status jo_hard_create(const jo_scene *scene, const jo_hard_options *options,
                                jo_hard **hard, jo_error *error);
/* The same with bodies made by the caller instead of the scene's groups. */
JO_API jo_status jo_hard_create_with(const jo_scene *scene, const jo_population *bodies,
                                     const jo_hard_options *options, jo_hard **hard,
                                     jo_error *error);
JO_API void jo_hard_destroy(jo_hard *hard); /* NULL is fine */

/* Goes on to the time `until`, or for `collisions` collisions (of balls with balls and with walls;
 * 0: no limit), whichever comes first. With a limit the time is then that of the last collision.
 * Collisions at exactly `until` are included. until may be INFINITY where there is a limit;
 * JO_ERR_PHYSICS when nothing will ever happen again before the limit is reached, and when the
 * simulation went wrong (see the alarms). */
JO_API jo_status jo_hard_advance(jo_hard *hard, double until, uint64_t collisions, jo_error *error);

JO_API double jo_hard_time(const jo_hard *hard);
/* Collisions so far, of balls with balls and with walls. */
JO_API uint64_t jo_hard_event_count(const jo_hard *hard);

/* The latest events, oldest first, at most options.log; owned by the engine, valid until its next
 * call. `first` (may be NULL) gets the number, from 0, of the first of them in the whole run. */
JO_API const jo_hard_event *jo_hard_log(jo_hard *hard, size_t *count, uint64_t *first);

/* Bodies at the present moment, as jo_soft_frame. force, torque and touching are zero: contacts
 * take no time. */
JO_API jo_status jo_hard_frame(jo_hard *hard, jo_frame *frame, jo_error *error);

/* As jo_soft_measure, with what hard balls have: energies (elastic is always 0), momenta, stress as
 * the mean since the last jo_hard_mark, or the start (kinetic part now, and momentum passed on in
 * collisions), step is the number of collisions. */
JO_API jo_status jo_hard_measure(jo_hard *hard, jo_measures *measures, jo_error *error);

/* The next collisions as they are planned now, earliest first; how many, at most `room`. Each ball
 * plans its own next one only, with those near it now: a ball that comes to another cell may find
 * an earlier one, and what happens first may call off those after it. None will come before the
 * first but such. Their speed is NaN: nobody has asked yet. Cost: O(n). */
JO_API size_t jo_hard_upcoming(const jo_hard *hard, jo_hard_event *events, size_t room);

/* ---- changes while it runs: at the present moment, as in jostle/soft.h ----
 *
 * Every ball is predicted anew. A run with changes at the same times ends with the same bits
 * however it is cut; where it was stopped after a number of collisions, go on to its very time
 * first, so that collisions at the same moment are done. */
JO_API jo_status jo_hard_set_gravity(jo_hard *hard, const double gravity[3], jo_error *error);
/* Between two materials, by their indices in the scene, or one and itself. */
JO_API jo_status jo_hard_set_restitution(jo_hard *hard, uint32_t a, uint32_t b, double restitution,
                                         jo_error *error);
JO_API jo_status jo_hard_set_friction(jo_hard *hard, uint32_t a, uint32_t b, double friction,
                                      jo_error *error);
/* As they are now; of the contact restitution, its speed, friction and tangential restitution. */
JO_API void jo_hard_gravity(const jo_hard *hard, double gravity[3]);
JO_API jo_contact_def jo_hard_contact_def(const jo_hard *hard, uint32_t a, uint32_t b);

/* ---- observables of a gas ---- */
typedef struct jo_hard_observables {
    double since, time;  /* sums and means are over this interval */
    uint64_t collisions; /* between balls */
    uint64_t wall_collisions;
    double kinetic;    /* energy of translation, now */
    double rotational; /* energy of rotation, now */
    /* kT: 2/dim of the mean energy of translation about the centre of mass, now. */
    double temperature;
    double pressure; /* by the virial: n kT + sum of r . dp / (dim V dt); mean since `since` */
    double compressibility; /* Z = pressure / (n kT), kT the mean over the interval */
    double rate;      /* collisions between balls per ball and unit time: 2 collisions / (N dt) */
    double free_path; /* mean speed now / (rate of collisions of any kind) */
    double displacement2;   /* mean-square displacement since `since`, of balls that move */
    double v2, v4;          /* means of |v|^2 and |v|^4 about the centre of mass's velocity, now */
    double fraction;        /* volume (area) of the balls over that of the box or bounds */
    double dissipated;      /* energy lost in collisions since the start */
    double work;            /* put in by walls, growth and thermostat since the start */
    uint64_t tc_collisions; /* made elastic by the TC model since the start */
    double tc_energy;       /* that these kept */
} jo_hard_observables;
JO_API jo_status jo_hard_observe(jo_hard *hard, jo_hard_observables *observables, jo_error *error);
/* Starts the interval of the observables anew, here. */
JO_API jo_status jo_hard_mark(jo_hard *hard, jo_error *error);

/* Pair correlation g(r) at the present moment, in `bins` bins of [0, reach), over all pairs; on
 * periodic axes the nearest image, so that reach should be below half the box. */
JO_API jo_status jo_hard_pair_correlation(jo_hard *hard, double reach, size_t bins, double *g,
                                          jo_error *error);

/* ---- validation ---- */
typedef struct jo_hard_check {
    uint64_t pairs;    /* pairs looked at: all that are near one another */
    uint64_t overlaps; /* deeper than rounding: 1e-9 of the sum of radii */
    double deepest;    /* the deepest overlap over the sum of radii; <= 0: none */
    uint64_t a, b;     /* ids of that pair; b JO_NO_BODY: a wall; a JO_NO_BODY: none */
    uint32_t wall;     /* index of that wall */
} jo_hard_check;
/* Looks at all pairs, and all balls near walls, at the present moment. */
JO_API jo_status jo_hard_validate(jo_hard *hard, jo_hard_check *check, jo_error *error);

/* The force is the mean since the last jo_hard_mark, or the start; there is no torque. */
JO_API jo_wall_state jo_hard_wall(const jo_hard *hard, size_t wall);
/* Mass that lies, or lay when it was removed, beyond gate g. */
JO_API double jo_hard_mass_beyond(jo_hard *hard, size_t gate);

/* The kinds that went off; owned by the engine. */
JO_API const jo_alarm *jo_hard_alarms(const jo_hard *hard, size_t *count);

/* ---- counters ---- */
typedef struct jo_hard_stats {
    uint64_t collisions, wall_collisions;
    uint64_t crossings;    /* of cell borders */
    uint64_t rebuilds;     /* of one ball's list of neighbours */
    uint64_t invalid;      /* events whose partner had changed its way: predicted anew */
    uint64_t stale;        /* entries of the calendar that had been replaced */
    uint64_t predictions;  /* of one ball against all its neighbours */
    uint64_t candidates;   /* pairs looked at in them */
    uint64_t epochs;       /* the calendar was made anew and clocks were set back */
    double seconds;        /* in jo_hard_advance */
    double seconds_making; /* placing, first prediction, sorting */
    size_t bytes, bytes_peak;
    double cell;        /* size of a cell */
    double shell;       /* lists of neighbours: how far a ball goes before its list is made anew */
    const char *search; /* "cells" or "lists" */
    char why[160];      /* why that one */
} jo_hard_stats;
JO_API jo_hard_stats jo_hard_statistics(const jo_hard *hard);

/* ---- saving, as jo_soft_save ---- */
JO_API jo_status jo_hard_save(jo_hard *hard, jo_chunk *chunks, size_t *count, jo_error *error);
JO_API jo_status jo_hard_restore(const jo_scene *scene, const jo_hard_options *options,
                                 const jo_chunk *chunks, size_t count, jo_hard **hard,
                                 jo_error *error);

/* A hash of all ids, positions, velocities and spins at the present moment, bit by bit, in the
 * order of ids. */
JO_API uint64_t jo_hard_hash(jo_hard *hard);

#ifdef __cplusplus
}
#endif
#endif
