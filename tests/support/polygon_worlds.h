/* polygon_worlds.h — the polygons of polygon_scenes.h in motion, and what tests of that have in
 * common. */
#ifndef TESTS_POLYGON_WORLDS_H
#define TESTS_POLYGON_WORLDS_H

#include "jostle/kinetic.h"
#include "support/polygon_scenes.h"

typedef struct world_setting {
    uint32_t grains;
    polygon_kind kind;
    double restitution, friction, gravity;
    jo_kinetic_roots roots;
    uint64_t seed;
} world_setting;

/* With random velocities and spins of the order of 1. The test fails where it cannot be made. */
jo_kinetic *world_make(const world_setting *setting);

/* Goes on; the test fails where that fails. */
void world_advance(jo_kinetic *world, double until, uint64_t events);

/* The triangulation holds: at once, or when the few events of the same instant have been taken
 * (corners on one line with others make several triangles flat at once). */
void world_must_hold(jo_kinetic *world);

/* No two bodies overlap, by the judge of polygon_scenes.h. */
void world_must_be_apart(jo_kinetic *world);
void frame_must_be_apart(const jo_kinetic_frame *frame);

/* Saved, destroyed and restored. */
jo_kinetic *world_replaced(jo_kinetic *world);

double world_energy(jo_kinetic *world);

#endif
