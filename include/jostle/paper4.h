/* jostle/paper4.h — equal elastic balls in a cube, collision by collision, as paper 4 does it.
 *
 * The reference implementation of that paper's method: an array with the next collision of every
 * ball, O(n) work per collision. It is exact and simple, made to be compared with; for many balls
 * use the engine `hard`. What the paper says and where it had to be completed:
 * docs/methods/paper4.md.
 *
 * The cube is [-w/2, w/2]³. Lengths and times are in whatever unit the caller uses; the mass of a
 * ball is 1. Vectors are interleaved, three doubles a ball. One simulation is used by one thread at
 * a time. */
#ifndef JOSTLE_PAPER4_H
#define JOSTLE_PAPER4_H

#include "jostle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most this many balls: the first array of collisions costs n² tests. */
#define JO_PAPER4_BALLS_MAX ((size_t)1 << 20)

/* The walls as partners of a collision. */
enum {
    JO_PAPER4_LOWER_X = -1,
    JO_PAPER4_UPPER_X = -2,
    JO_PAPER4_LOWER_Y = -3,
    JO_PAPER4_UPPER_Y = -4,
    JO_PAPER4_LOWER_Z = -5,
    JO_PAPER4_UPPER_Z = -6
};

/* The paper's radius for nbs³ balls in a cube of edge w, w / ((30 pi)^(1/3) nbs): the balls then
 * fill 4/90 of the cube. */
JO_API double jo_paper4_radius(size_t nbs, double w);

/* The paper's initial state, initPointsOnGrid: nbs³ balls on a cubic grid of spacing w / (nbs + 1),
 * the components of their velocities uniform in [-speed, speed). Fills x and v, 3 nbs³ doubles
 * each. The same on every machine for the same seed. */
JO_API void jo_paper4_grid(size_t nbs, double w, double speed, uint64_t seed, double *x, double *v);

typedef struct jo_paper4 jo_paper4;

/* A simulation of n balls of radius r at x with velocities v, copied, at time 0. JO_ERR_DATA names
 * the ball that is outside the cube or not finite, or two that overlap (touching is fine);
 * JO_ERR_ARGUMENT: n = 0, w or r not positive; JO_ERR_LIMIT: too many; JO_ERR_MEMORY. */
JO_API jo_status jo_paper4_create(size_t n, double w, double r, const double *x, const double *v,
                                  jo_paper4 **balls, jo_error *error);
JO_API void jo_paper4_destroy(jo_paper4 *balls); /* NULL is fine */

/* One collision. */
typedef struct jo_paper4_event {
    double time;
    int32_t ball;    /* the smaller index, where two balls meet */
    int32_t partner; /* another ball, or a wall, below 0 */
} jo_paper4_event;

/* The next collision, not yet carried out. Simultaneous ones come in the order of the smallest
 * index that takes part, walls before balls. False when nothing will ever happen (all balls at
 * rest). */
JO_API bool jo_paper4_next(const jo_paper4 *balls, jo_paper4_event *event);

/* Moves all balls to the next collision and carries it out; *event tells which (may be NULL). False
 * as above, and nothing is done. */
JO_API bool jo_paper4_collide(jo_paper4 *balls, jo_paper4_event *event);

/* Carries out every collision up to time `until` and leaves the balls there, which must not lie in
 * the past. Returns the number of collisions. */
JO_API uint64_t jo_paper4_advance(jo_paper4 *balls, double until);

/* The state now; the arrays belong to the simulation and change with it. */
typedef struct jo_paper4_state {
    size_t n;
    double w, r, time;
    const double *x, *v; /* at `time`, 3 n each */
} jo_paper4_state;
JO_API jo_paper4_state jo_paper4_now(const jo_paper4 *balls);

/* What it cost, since the start. */
typedef struct jo_paper4_stats {
    uint64_t with_balls, with_walls; /* collisions */
    uint64_t recalculated; /* next collisions of one ball computed because of a collision */
    uint64_t pair_tests;   /* collision times of two balls computed, initialisation included */
    size_t bytes;          /* held */
} jo_paper4_stats;
JO_API jo_paper4_stats jo_paper4_statistics(const jo_paper4 *balls);

#ifdef __cplusplus
}
#endif
#endif
