/* hopper.h — a hopper of polygons, the same for every engine that is measured.
 *
 * Centimetres and seconds. An outlet of width D centred at the origin; walls rise from it at 60
 * degrees to the width W, then vertically. Grains are random convex polygons on rows above the
 * outlet, with small random velocities. A lid closes the outlet until it is opened. Below the
 * outlet there is nothing but room to fall. */
#ifndef BENCH_HOPPER_H
#define BENCH_HOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HOPPER_CORNERS = 8, HOPPER_WALLS = 4 };

typedef struct hopper_grain {
    size_t n;
    double corner[2 * HOPPER_CORNERS]; /* counter-clockwise, about the centre of mass */
    double x[2], v[2];
    double area, inertia, radius;
} hopper_grain;

typedef struct hopper {
    size_t count;
    hopper_grain *grain;
    double outlet, width, top;
    double wall[HOPPER_WALLS][4]; /* segments x0, y0, x1, y1 */
    double lid[4];
    double friction, restitution, gravity;
    double least_speed, period; /* of jostle; 0: its default */
    int roots;                  /* of jostle: 0 fast, 1 sturm, 2 exact */
} hopper;

/* Where a grain is: place of the centre and angle. */
typedef struct hopper_pose {
    double x[2], angle;
} hopper_pose;

/* What an engine does. `rate` is steps per second where there are steps. */
typedef struct hopper_engine {
    const char *name;
    bool steps;
    void *(*create)(const hopper *h, double rate); /* NULL: failed */
    void (*open)(void *world);
    bool (*advance)(void *world, double until);
    void (*poses)(void *world, hopper_pose *out);
    void (*destroy)(void *world);
} hopper_engine;

extern const hopper_engine engine_box2d, engine_chipmunk, engine_jostle;

#ifdef __cplusplus
}
#endif
#endif
