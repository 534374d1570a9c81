/* jostle/polyhedron.h — convex polyhedra as shapes of bodies.
 *
 * A polyhedron is made once and never changes: any number of threads may read it, and any number of
 * bodies may share it. Its frame has the origin at the centre of mass, so that a body's position is
 * that of its centre. Lengths are in the caller's unit; the density is 1, so that mass is volume.
 *
 * Faces are convex polygons, no two neighbours in one plane (such are merged), corners counter-
 * clockwise seen from outside. Edges are stored as pairs of half-edges: half-edge h leads from
 * `origin[h]` to `origin[twin[h]]` with `face[h]` on its left, and `next[h]` follows it around that
 * face. The half-edges that leave vertex v are first[v] … first[v + 1] - 1. */
#ifndef JOSTLE_POLYHEDRON_H
#define JOSTLE_POLYHEDRON_H

#include "jostle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most this many corners of all faces together (half-edges). */
#define JO_POLYHEDRON_EDGES_MAX ((size_t)1 << 24)

typedef struct jo_polyhedron jo_polyhedron;

/* Where an index of a shape is wanted: a sphere. */
#define JO_NO_SHAPE UINT32_MAX

/* All there is to know, as arrays that live as long as the polyhedron. */
typedef struct jo_polyhedron_view {
    size_t vertices, edges, faces; /* edges counted once; of half-edges there are 2 * edges */
    const double *points;          /* 3 for each vertex */
    const double *planes;          /* 4 for each face: unit normal n, offset d; inside n·x < d */
    const uint32_t *first;         /* vertices + 1 */
    const uint32_t *origin, *twin, *next, *face; /* of each half-edge */
    const uint32_t *face_edge;                   /* of each face: one of its half-edges */
    double origin_moved[3]; /* the centre of mass in the frame of what it was made from */
    double volume, area;
    double inertia[9]; /* about the centre, for density 1; symmetric */
    double radius;     /* of the smallest sphere around the centre that holds it */
    double inradius;   /* of the largest sphere around the centre that it holds */
    double lo[3], hi[3];
} jo_polyhedron_view;

JO_API jo_polyhedron_view jo_polyhedron_look(const jo_polyhedron *shape);
JO_API void jo_polyhedron_destroy(jo_polyhedron *shape); /* NULL is fine */

/* From points (3 doubles each) and faces: face f has the corners corner[offset[f]] …
 * corner[offset[f + 1] - 1], counter-clockwise seen from outside; offset[0] is 0. Refused with
 * JO_ERR_DATA and a sentence that names point, edge or face: coordinates that are not finite, two
 * points in one place, points that no face uses, faces that are not flat or whose corners make no
 * convex polygon, a surface that is open, that is more than one, that is inverted or not convex, a
 * body without volume or thinner than 1e-6 of its size. Neighbouring faces in one plane are merged,
 * and vertices that then are none left out. JO_ERR_LIMIT, JO_ERR_MEMORY. Free with
 * jo_polyhedron_destroy; *shape is NULL on failure. */
JO_API jo_status jo_polyhedron_from_faces(const double *points, size_t n, const size_t *offset,
                                          const uint32_t *corner, size_t faces,
                                          jo_polyhedron **shape, jo_error *error);

/* The convex hull of n points; those inside do not matter. JO_ERR_DATA: a coordinate that is not
 * finite, two points in one place, all points (nearly) in one plane or on one line. Needs libqhull:
 * JO_ERR_UNSUPPORTED without (jo_hulls_available). */
JO_API jo_status jo_polyhedron_from_points(const double *points, size_t n, jo_polyhedron **shape,
                                           jo_error *error);
JO_API bool jo_hulls_available(void);

/* From triangles (9 doubles each), as STL files have them: equal corners are joined, then as
 * jo_polyhedron_from_faces; messages say where points are. A surface that differs from that of the
 * hull of its corners by rounding alone (1e-6 of its size: corners that should be one, slivers,
 * edges that end in the middle of others, dents) is replaced by that hull, in which corners so near
 * are one. `name` begins messages; may be NULL. */
JO_API jo_status jo_polyhedron_from_triangles(const double *triangles, size_t count,
                                              const char *name, jo_polyhedron **shape,
                                              jo_error *error);

/* From a file: STL, OBJ or OFF, told apart by content; see jo_mesh_read. Messages name the file. */
JO_API jo_status jo_polyhedron_read(const char *path, jo_polyhedron **shape, jo_error *error);
/* jo_polyhedron_read from memory; name is used in messages. */
JO_API jo_status jo_polyhedron_parse(const void *data, size_t size, const char *name,
                                     jo_polyhedron **shape, jo_error *error);
/* The convex hull of all that such a file has, whether its surface is closed, convex or neither;
 * corners within 1e-6 of the size are one. Needs libqhull, as jo_polyhedron_from_points. */
JO_API jo_status jo_polyhedron_parse_hull(const void *data, size_t size, const char *name,
                                          jo_polyhedron **shape, jo_error *error);

/* Solids by name: "tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron", with corners
 * on the sphere of the given radius; "prism" with `sides` (3 to 100,000) corners of the base, on
 * the cylinder of that radius, and the given height (of the prism alone). JO_ERR_ARGUMENT
 * otherwise. */
typedef struct jo_solid_def {
    const char *name;
    double radius; /* default 1 */
    size_t sides;  /* of a prism; default 6 */
    double height; /* of a prism; default 1 */
} jo_solid_def;
JO_API jo_solid_def jo_solid_def_default(const char *name);
JO_API jo_status jo_polyhedron_solid(const jo_solid_def *def, jo_polyhedron **shape,
                                     jo_error *error);
JO_API const char *const *jo_solid_names(void); /* ends with NULL */

/* A rock: the hull of points on an ellipsoid, `faces` triangles. The points lie on a spiral that
 * covers it evenly, each moved at random. */
typedef struct jo_rock_def {
    size_t faces;        /* even, 4 to 2,000,000; default 100 */
    double axes[3];      /* half axes of the ellipsoid; default 1, 1, 1 */
    double irregularity; /* 0: evenly, 1: places independent of each other; default 0.5 */
    uint64_t seed;       /* default 1 */
} jo_rock_def;
JO_API jo_rock_def jo_rock_def_default(void);
/* JO_ERR_ARGUMENT names what is out of bounds; JO_ERR_UNSUPPORTED without libqhull. The same seed
 * gives the same points on every machine. */
JO_API jo_status jo_polyhedron_rock(const jo_rock_def *def, jo_polyhedron **shape, jo_error *error);

/* Convex polygons, the bodies of two dimensions: n corners counter-clockwise, 2 doubles each, the
 * centre of mass at the origin. Mass is area. */
typedef struct jo_polygon jo_polygon;

typedef struct jo_polygon_view {
    size_t n;
    const double *points; /* 2 n */
    const double *lines;  /* 3 for edge k, from corner k to k + 1: unit outward normal, offset */
    double origin_moved[2];
    double area, inertia;    /* about the centre, for density 1 */
    double radius, inradius; /* of circles around the centre */
} jo_polygon_view;

/* JO_ERR_DATA names the corner: not finite, twice in one place, clockwise, not convex, no area, a
 * boundary that goes around more than once. Corners in a straight line are left out. n up to
 * 2^24. */
JO_API jo_status jo_polygon_create(const double *points, size_t n, jo_polygon **shape,
                                   jo_error *error);
JO_API jo_polygon_view jo_polygon_look(const jo_polygon *shape);
JO_API void jo_polygon_destroy(jo_polygon *shape); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
