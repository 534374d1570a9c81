/* cube.h — paper 4's cube of balls: what kinetic theory says of it, the engines that run it, and
 * what is measured on them. */
#ifndef CLI_CUBE_H
#define CLI_CUBE_H

#include "reproduce.h"

/* Collisions, or collisions per unit time. */
typedef struct cube_rates {
    double balls; /* of two balls */
    double walls; /* of a ball and a wall */
} cube_rates;

/* The rates of n balls of radius r in equilibrium in a cube of edge w, where the mean square of a
 * velocity's component is kt (kT/m). Nothing is fitted; finite n and walls are accounted for. */
cube_rates cube_theory(size_t n, double w, double r, double kt);
/* The same far from walls: 1/2 N nu. */
double cube_theory_bulk(size_t n, double w, double r, double kt);

/* A way to run the cube. */
typedef struct cube_engine {
    const char *name;
    double growth; /* the time of a frame grows as nbs to this power */
    /* n balls of radius r in [-w/2, w/2]³ at time 0. */
    jo_status (*create)(size_t n, double w, double r, const double *x, const double *v, void **self,
                        jo_error *error);
    /* Goes on to a time, balls placed exactly there; adds the collisions to *count. */
    jo_status (*advance)(void *self, double until, cube_rates *count, jo_error *error);
    /* Centres, 3 n, now, in any order; the engine's. */
    jo_status (*places)(void *self, const double **x, jo_error *error);
    size_t (*bytes)(void *self); /* held */
    void (*destroy)(void *self);
} cube_engine;

extern const cube_engine cube_paper4, cube_hard;

/* The clock of the authors' program: edge of the cube, time units to a frame (velocities have
 * components uniform in ±1), seconds to a frame. */
extern const double cube_edge, cube_frame, cube_frame_seconds;

enum { CUBE_STAGES = 4, CUBE_SAMPLES = 50, CUBE_EVERY = 5 };

/* A cube that runs. */
typedef struct cube {
    const cube_engine *engine;
    void *self;
    size_t nbs, n;
    double r, kt, time;
    double frame;          /* time units to a frame: cube_frame, or what the caller sets */
    double *x, *v, *radii; /* at the start; radii for pictures */
    uint8_t *pixels;
} cube;

/* The paper's initial state. To be closed also when it fails. */
jo_status cube_open(const cube_engine *engine, size_t nbs, uint64_t seed, cube *c, jo_error *error);
void cube_close(cube *c);
/* Runs until equilibrium: four collisions per ball, by theory. */
jo_status cube_settle(cube *c, jo_error *error);

/* Where the balls are now: 3 n, the engine's. */
jo_status cube_places(cube *c, const double **x, jo_error *error);

typedef struct cube_samples {
    double stage[CUBE_STAGES]; /* mean seconds per frame: t01, t12, t23, t34 */
    double drawn;              /* samples in which t01 and t34 were measured */
    double mean, deviation;    /* collisions per frame, all kinds */
    int samples;
    double balls, walls, seconds; /* collisions in all frames, and what the physics of them took */
} cube_samples;

/* The paper's measurement: every CUBE_EVERY-th frame is a sample. Of `samples`, `drawn` are
 * drawn. */
jo_status cube_sample(cube *c, int samples, int drawn, cube_samples *s, jo_error *error);

/* Collisions over a longer time, as ratios to theory with their errors. */
typedef struct cube_verdict {
    cube_rates ratio, error;
    cube_rates predicted; /* per frame */
} cube_verdict;

jo_status cube_judge(cube *c, double collisions, cube_verdict *v, jo_error *error);

/* The largest nbs whose frames, of `frame` time units, take less than 1/20 s. */
typedef struct cube_limit {
    size_t nbs;     /* 0: not even 2 */
    double seconds; /* of a frame there */
    size_t above;   /* the smallest nbs found that takes longer */
    double seconds_above;
} cube_limit;

jo_status cube_largest(const cube_engine *engine, double frame, bool draw, double guess, int frames,
                       uint64_t seed, cube_limit *limit, jo_error *error);

/* The engine hard on cubes far beyond the paper's; paper4 makes so many collisions a second at nbs
 * = 11.
 */
jo_status cube_far(report *out, const effort *how, double paper4_speed, jo_error *error);

#endif
