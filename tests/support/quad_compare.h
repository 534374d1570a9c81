/* quad_compare.h — an event-driven engine beside the reference in quadruple precision.
 *
 * Hard balls are chaotic: a deviation grows by about (free path)/(diameter) at every collision of a
 * ball, so that double's 1e-16 becomes 1 after some ten collisions per ball, whatever the engine. A
 * run of 10^4 events that starts alike therefore cannot stay alike, and that it does not says
 * nothing. What can be demanded, and is here: after every few events the reference takes over the
 * engine's state as it is, bit by bit, and both go on. Within such a window errors have no time to
 * grow: the events must be the same and their times equal to rounding. Every event of the run is
 * checked that way, at full strength, for as long as one likes. */
#ifndef TESTS_QUAD_COMPARE_H
#define TESTS_QUAD_COMPARE_H

#include "support/quad_balls.h"

/* An engine seen as a sequence of collisions. */
typedef struct event_engine {
    void *self;
    /* Carries out the next collision; numbering as in quad_event. False: nothing happens any
     * more. */
    bool (*collide)(void *self, double *time, int *ball, int *partner);
    /* The state at the time of the last collision, n * 3 doubles each. */
    void (*state)(void *self, double *x, double *v, double *w, double *time);
} event_engine;

typedef struct comparison {
    long events;           /* compared, until the first that differs */
    long ties;             /* of them, exchanged with another at the same time to rounding */
    double worst_time;     /* largest deviation of a time over that time */
    double worst_interval; /* the same over the mean time a ball flies between collisions */
    double worst_velocity; /* largest deviation of a velocity over the largest speed; spins too */
    bool differs;
    char text[200]; /* what differed */
} comparison;

/* How many events to follow where `events` are wanted: fewer where JOSTLE_TEST_SCALE says that a
 * sanitizer makes everything slow. */
long quad_events(long events);

/* Follows `events` collisions; the reference (its box, radii and masses set) takes over the
 * engine's state before each window of `window` collisions, or only once if that is 0. */
comparison quad_follow(const event_engine *engine, quad_balls *reference, long events, int window);

#endif
