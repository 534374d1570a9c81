/* measure.h — how long a method takes: searches from scratch, and searches that follow motion.
 *
 * Times are wall time, but processor time when the search has one thread: other programs on the
 * machine then disturb it least. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "cli.h"

typedef struct measurement {
    double seconds;     /* best of the repeats (a search), or mean per step (motion) */
    double work;        /* the part of it that builds and tests; checking and sorting are not in */
    double searching;   /* the part of it that tests pairs */
    uint64_t tested;    /* pairs tested by one search, or per step */
    uint64_t contacts;  /* of the last search */
    uint64_t hash;      /* of the contacts; with motion, mixed over all steps */
    uint64_t rebuilds;  /* of all steps */
    uint64_t swaps;     /* of all steps */
    double cells;       /* of the last grid built */
    double skin;        /* at the end */
    double bytes;       /* held beyond the contact lists */
    const char *method; /* that ran last */
    bool stopped;       /* motion: given up after the first steps, seconds is an estimate */
} measurement;

/* Searches `repeat` times from scratch (after one search to warm up if repeat > 1). */
jo_status measure_find(const jo_broad_def *def, const jo_bodies *bodies, int repeat, measurement *m,
                       jo_error *error);

/* A motion: every particle steps `length` in a random direction each round. */
typedef struct motion {
    int steps;
    double length;   /* per step */
    bool persistent; /* straight lines instead of a random walk */
    uint64_t seed;
    double limit; /* seconds a method may take in all; 0: any */
} motion;

/* Follows the motion with jo_broad_update from the particles' present places, on a copy of them.
 * The time to move them is not counted, nor that of the first search. */
jo_status measure_motion(const jo_broad_def *def, const jo_particles *particles, const motion *how,
                         measurement *m, jo_error *error);

/* A copy; free with jo_particles_free. */
jo_status copy_particles(const jo_particles *from, jo_particles *to, jo_error *error);

/* The particles inside a box around the middle that should hold `share` of them, as a copy without
 * a periodic domain: the same surroundings, fewer of them. */
jo_status take_middle(const jo_particles *from, double share, jo_particles *to, jo_error *error);

double mean_radius(const jo_particles *p);

#endif
