/* hard_cases.h — scenes of hard balls for tests: a few numbers instead of a file. */
#ifndef TESTS_HARD_CASES_H
#define TESTS_HARD_CASES_H

#include "jostle/hard.h"

/* A scene with one material of density 6 / pi (a ball of diameter 1 has mass 1; 2D: 4 / pi), a box
 * that is periodic along the axes given, and no bodies. Free with hard_scene_free. */
jo_scene hard_scene(int dim, const double size[3], const char *periodic);
void hard_scene_free(jo_scene *scene);
/* Adds a box of walls. */
void hard_scene_walls(jo_scene *scene);

/* n balls of diameter 1 (or radii r, if not NULL) at random places of the scene's box, with
 * velocities of temperature kT = 1 for mass 1 and no momentum in all. Free with
 * jo_population_free. */
jo_population hard_gas(const jo_scene *scene, size_t n, uint64_t seed);

/* The balls of a list, each {x, y, z, vx, vy, vz, r}. */
jo_population hard_balls(size_t n, double (*list)[7]);

/* The edge of a cube (square) in which n balls of diameter 1 fill that share. */
double hard_edge(int dim, size_t n, double fraction);

/* Created, or the test ends with the error's text. */
jo_hard *hard_make(const jo_scene *scene, const jo_population *bodies, size_t log);

#endif
