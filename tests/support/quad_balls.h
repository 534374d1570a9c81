/* quad_balls.h — hard balls followed event by event in quadruple precision: what engines are
 * compared with.
 *
 * 113 bits of mantissa: a time is off by 1e-33 of the numbers involved, so an event that engine and
 * reference order differently, or time differently by more than double's rounding, is the engine's
 * mistake. Independent of the library: its own way of finding events, its own roots.
 *
 * Two or three dimensions; every axis open, periodic or closed by walls; radii and masses of their
 * own; gravity; restitution, constant or falling with speed; friction, tangential restitution and
 * spin; radii that grow. */
#ifndef TESTS_QUAD_BALLS_H
#define TESTS_QUAD_BALLS_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SIZEOF_FLOAT128__)
#define QUAD_AVAILABLE 1
__extension__ typedef __float128 quad;
#elif LDBL_MANT_DIG >= 113
#define QUAD_AVAILABLE 1
typedef long double quad;
#else /* no such type here: tests that need it are skipped */
#define QUAD_AVAILABLE 0
typedef long double quad;
#endif

enum { QUAD_MAX = 64 }; /* balls */

typedef enum quad_edge { QUAD_OPEN, QUAD_PERIODIC, QUAD_WALLS } quad_edge;

typedef struct quad_event {
    quad time;
    int ball, partner; /* a smaller index first; walls: -1 - 2 axis for the lower, one less for the
                          upper */
} quad_event;

typedef struct quad_balls {
    int n, dim;
    quad_edge edge[3];
    quad lo[3], hi[3]; /* of periodic axes and walls */
    quad gravity[3];
    quad restitution, wall_restitution;
    quad restitution_speed; /* v0: slower than this, 1 - (1 - e) (v/v0)^(3/4); 0: e */
    quad friction, tangential_restitution; /* Coulomb's; -1 (as it was) to 1 (reversed) */
    quad growth;                           /* radii are radius * (1 + growth * time) */
    quad radius[QUAD_MAX], mass[QUAD_MAX];
    quad x[QUAD_MAX][3], v[QUAD_MAX][3], w[QUAD_MAX][3], time; /* places, velocities, spins */
    /* When each pair meets and each ball meets a face; INFINITY: never. */
    quad pair[QUAD_MAX][QUAD_MAX], face[QUAD_MAX];
    int face_of[QUAD_MAX];
    int8_t image[QUAD_MAX][QUAD_MAX][3]; /* in periods: of j as i meets it */
    /* The present rounded to double, to sort out pairs that are far from meeting. */
    double rough_x[QUAD_MAX][3], rough_v[QUAD_MAX][3], rough_r[QUAD_MAX];
} quad_balls;

/* A system of n balls of radius 1 and mass 1 at rest at the origin: fill in, then quad_predict. */
void quad_start(quad_balls *s, int n, int dim);
/* Places, velocities and spins, n * 3 doubles each, as they are; and the time. */
void quad_set(quad_balls *s, const double *x, const double *v, const double *w, double time);
/* Computes all that will happen. To be called after any change from outside. */
void quad_predict(quad_balls *s);
/* Goes to the next collision and carries it out. False: nothing will happen any more. */
bool quad_collide(quad_balls *s, quad_event *event);
/* Moves everything to a time before the next collision. */
void quad_fly(quad_balls *s, quad until);
quad quad_sqrt(quad x);
quad quad_energy(const quad_balls *s); /* kinetic, of spin, and potential */

#endif
