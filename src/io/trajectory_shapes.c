/* trajectory_shapes.c — the shapes of polyhedra in a trajectory, stored once.
 *
 * parameters/jostle/shapes holds, shape after shape: `point` [points][3], of radius 1 about the
 * centre of mass; `corner`, indices into the points of the shape, face after face,
 * counter-clockwise from outside; and how many: `points` and `faces` of each shape, `corners` of
 * each face. A reader turns point p of body i to  position + radius · (orientation p
 * orientation*). */
#include "io/trajectory_make.h"

#ifdef JO_HAVE_HDF5

#include <stdlib.h>
#include <string.h>

#define SHAPES H5MD_OWN "/shapes"

/* All shapes, one array behind the other. */
typedef struct shape_arrays {
    double *point;
    uint32_t *corner, *corners, *points, *faces;
    size_t point_count, corner_count, face_count, shape_count;
} shape_arrays;

static void arrays_free(shape_arrays *a)
{
    free(a->point);
    free(a->corner);
    free(a->corners);
    free(a->points);
    free(a->faces);
}

static bool arrays_make(const jo_frame *frame, shape_arrays *a)
{
    *a = (shape_arrays){.shape_count = frame->shape_count};
    for (size_t k = 0; k < frame->shape_count; k++) {
        const jo_polyhedron_view v = jo_polyhedron_look(frame->shapes[k]);
        a->point_count += v.vertices;
        a->face_count += v.faces;
        a->corner_count += 2 * v.edges;
    }
    a->point = malloc((3 * a->point_count + 1) * sizeof *a->point);
    a->corner = malloc((a->corner_count + 1) * sizeof *a->corner);
    a->corners = malloc((a->face_count + 1) * sizeof *a->corners);
    a->points = malloc((a->shape_count + 1) * sizeof *a->points);
    a->faces = malloc((a->shape_count + 1) * sizeof *a->faces);
    if (a->point == NULL || a->corner == NULL || a->corners == NULL || a->points == NULL ||
        a->faces == NULL)
        return false;
    size_t point = 0, corner = 0, face = 0;
    for (size_t k = 0; k < frame->shape_count; k++) {
        const jo_polyhedron_view v = jo_polyhedron_look(frame->shapes[k]);
        memcpy(a->point + 3 * point, v.points, 3 * v.vertices * sizeof *a->point);
        a->points[k] = (uint32_t)v.vertices;
        a->faces[k] = (uint32_t)v.faces;
        for (size_t f = 0; f < v.faces; f++) {
            const size_t from = corner;
            uint32_t h = v.face_edge[f];
            do {
                a->corner[corner++] = v.origin[h];
                h = v.next[h];
            } while (h != v.face_edge[f]);
            a->corners[face++] = (uint32_t)(corner - from);
        }
        point += v.vertices;
    }
    return true;
}

bool jo_h5md_write_shapes(hid_t file, const jo_frame *frame)
{
    shape_arrays a;
    const hid_t group = jo_h5_group(file, SHAPES);
    const hid_t u32 = H5T_STD_U32LE, own = H5T_NATIVE_UINT32;
    bool ok = arrays_make(frame, &a) && group >= 0;
    ok = ok &&
         jo_h5md_write_array(group, "point", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, a.point_count, 3,
                             a.point) &&
         jo_h5md_write_array(group, "corner", u32, own, a.corner_count, 0, a.corner) &&
         jo_h5md_write_array(group, "corners", u32, own, a.face_count, 0, a.corners) &&
         jo_h5md_write_array(group, "points", u32, own, a.shape_count, 0, a.points) &&
         jo_h5md_write_array(group, "faces", u32, own, a.shape_count, 0, a.faces);
    if (group >= 0) H5Gclose(group);
    arrays_free(&a);
    return ok;
}

/* ---- reading */

/* Makes shape k, which begins at the places given, and moves those on. */
static jo_polyhedron *make_shape(const shape_arrays *a, size_t k, size_t *point, size_t *corner,
                                 size_t *face)
{
    const size_t points = a->points[k], faces = a->faces[k];
    jo_polyhedron *made = NULL;
    if (*point + points > a->point_count || *face + faces > a->face_count) return NULL;
    size_t *offset = malloc((faces + 1) * sizeof *offset), n = 0;
    if (offset == NULL) return NULL;
    bool fine = true;
    for (size_t f = 0; f < faces && fine; f++) {
        offset[f] = n;
        n += a->corners[*face + f];
        fine = *corner + n <= a->corner_count;
    }
    offset[faces] = n;
    for (size_t c = 0; c < n && fine; c++)
        fine = a->corner[*corner + c] < points;
    if (fine)
        (void)jo_polyhedron_from_faces(a->point + 3 * *point, points, offset, a->corner + *corner,
                                       faces, &made, NULL);
    free(offset);
    *point += points;
    *face += faces;
    *corner += n;
    return made;
}

jo_polyhedron **jo_h5md_read_shapes(hid_t file, size_t bytes_most, size_t *count)
{
    shape_arrays a = {0};
    size_t numbers, faces, point = 0, corner = 0, face = 0;
    jo_polyhedron **shapes = NULL;
    const hid_t u32 = H5T_NATIVE_UINT32;
    *count = 0;
    a.point = jo_h5md_read_all(file, SHAPES "/point", H5T_NATIVE_DOUBLE, 8, bytes_most, &numbers);
    a.corner = jo_h5md_read_all(file, SHAPES "/corner", u32, 4, bytes_most, &a.corner_count);
    a.corners = jo_h5md_read_all(file, SHAPES "/corners", u32, 4, bytes_most, &a.face_count);
    a.points = jo_h5md_read_all(file, SHAPES "/points", u32, 4, bytes_most, &a.shape_count);
    a.faces = jo_h5md_read_all(file, SHAPES "/faces", u32, 4, bytes_most, &faces);
    a.point_count = numbers / 3;
    if (a.point != NULL && a.corner != NULL && a.corners != NULL && a.points != NULL &&
        a.faces != NULL && faces == a.shape_count && faces > 0)
        shapes = calloc(faces, sizeof(jo_polyhedron *));
    bool fine = shapes != NULL;
    for (size_t k = 0; k < faces && fine; k++) {
        shapes[k] = make_shape(&a, k, &point, &corner, &face);
        fine = shapes[k] != NULL;
    }
    if (fine)
        *count = faces;
    else {
        for (size_t k = 0; shapes != NULL && k < faces; k++)
            jo_polyhedron_destroy(shapes[k]);
        free(shapes);
        shapes = NULL;
    }
    arrays_free(&a);
    return shapes;
}

#endif
