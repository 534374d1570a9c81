/* poly_file.c — convex polyhedra from files of triangles.
 *
 * The mesh reader (stl.c) gives triangles, whatever the format; corners in one place are joined,
 * faces in one plane merged, and what is not the surface of a convex body is refused by name
 * (poly_triangles.c and poly_build.c in src/scene). Cost: O(n log n). */
#include <stdlib.h>

#include "base/error.h"
#include "jostle/io.h"
#include "scene/poly.h"

/* What makes a body of a mesh: its surface, or its hull. */
typedef jo_status make_body(const double *triangles, size_t count, const char *name,
                            jo_polyhedron **shape, jo_error *error);

static jo_status parse(const void *data, size_t size, const char *name, make_body *make,
                       jo_polyhedron **shape, jo_error *error)
{
    double *triangles;
    size_t count;
    *shape = NULL;
    if (data == NULL) return jo_fail_missing(error, "the data");
    if (name == NULL) name = "data";
    jo_status status = jo_mesh_parse(data, size, name, &triangles, &count, error);
    if (status == JO_OK) status = make(triangles, count, name, shape, error);
    free(triangles);
    return status;
}

jo_status jo_polyhedron_parse(const void *data, size_t size, const char *name,
                              jo_polyhedron **shape, jo_error *error)
{
    return parse(data, size, name, jo_polyhedron_from_triangles, shape, error);
}

jo_status jo_polyhedron_parse_hull(const void *data, size_t size, const char *name,
                                   jo_polyhedron **shape, jo_error *error)
{
    return parse(data, size, name, jo_poly_hull_of_triangles, shape, error);
}

jo_status jo_polyhedron_read(const char *path, jo_polyhedron **shape, jo_error *error)
{
    double *triangles;
    size_t count;
    *shape = NULL;
    if (path == NULL) return jo_fail_missing(error, "the path");
    jo_status status = jo_mesh_read(path, &triangles, &count, error);
    if (status == JO_OK)
        status = jo_polyhedron_from_triangles(triangles, count, path, shape, error);
    free(triangles);
    return status;
}
