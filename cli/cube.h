/* cube.h — paper 4's cube of balls: what kinetic theory says of it, and the engines that run it. */
#ifndef CLI_CUBE_H
#define CLI_CUBE_H

#include "cli.h"

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
    /* n balls of radius r in [-w/2, w/2]³ at time 0. */
    jo_status (*create)(size_t n, double w, double r, const double *x, const double *v, void **self,
                        jo_error *error);
    /* Goes on to a time, balls placed exactly there; adds the collisions to *count. */
    jo_status (*advance)(void *self, double until, cube_rates *count, jo_error *error);
    /* Centres, 3 n, now, in any order; the engine's. */
    jo_status (*places)(void *self, const double **x, jo_error *error);
    void (*destroy)(void *self);
} cube_engine;

extern const cube_engine cube_paper4;

#endif
