/* wall_cases.h — walls for tests, meshes made of them, and reference answers by other means. */
#ifndef TESTS_SUPPORT_WALL_CASES_H
#define TESTS_SUPPORT_WALL_CASES_H

#include "narrow/wall.h"
#include "support/systems.h"

/* A wall that stands still, with nothing else set. */
jo_wall wall_plain(jo_wall_kind kind);

/* Triangles (2D: segments) that grow. */
typedef struct soup {
    double *data; /* 9 each (2D: 4), for jo_wall.triangles */
    size_t count, room;
} soup;

void soup_free(soup *s);
void soup_add(soup *s, const double a[3], const double b[3], const double c[3]);
void soup_add_segment(soup *s, double ax, double ay, double bx, double by);
/* The parallelogram p + s a + t b, 0 <= s, t <= 1, as nx x ny cells of two triangles each; the
 * diagonals run either way at random where g is not NULL. */
void soup_add_patch(soup *s, const double p[3], const double a[3], const double b[3], size_t nx,
                    size_t ny, rng *g);
void soup_add_box(soup *s, const double lo[3], const double hi[3], size_t n, rng *g);
/* The side of a cylinder about the z axis from z = 0, with corners on it. */
void soup_add_drum(soup *s, double radius, double length, size_t facets, size_t layers);
/* Puts the triangles in random order, each with its corners turned and perhaps mirrored. */
void soup_shuffle(soup *s, rng *g);
jo_wall soup_wall(const soup *s); /* a mesh; the soup keeps the triangles */

/* The point of a triangle (2D: of a segment) nearest to x, by trying everything it could be. */
double reference_nearest(const double *triangle, int dim, const double x[3], double point[3],
                         bool *inner);

/* Touches by definition: local minima of the distance that no face hides, each normal once;
 * compared over all pairs of triangles. Sorted by gap. */
size_t reference_touches(const soup *s, int dim, const double x[3], double reach,
                         wall_touch *touches, size_t room);

#endif
