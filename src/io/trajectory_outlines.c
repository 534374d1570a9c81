/* trajectory_outlines.c — the outlines of polygons in a trajectory, stored once, and the sides of their
 * triangulation, frame by frame.
 *
 * parameters/jostle/outlines holds, body after body: `id`, `corners` (how many), and `point` [corners][2],
 * from the centre of mass of a body that is not turned. A reader turns corner p of body i to
 * position + (orientation p orientation*): no scaling. triangulation/side holds x, y of both ends of every
 * side between two triangles, [frame][side][4], padded with NaN; triangulation/event what happened last:
 * the number of points (0, 3 or 4: jo_frame.event_points) and their coordinates. */
#include "io/trajectory_make.h"

#ifdef JO_HAVE_HDF5

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINES H5MD_OWN "/outlines"

bool jo_h5md_write_outlines(hid_t file, const jo_frame *f)
{
    const hid_t group = jo_h5_group(file, OUTLINES);
    uint32_t *corners = malloc((f->n + 1) * sizeof *corners);
    bool ok = group >= 0 && corners != NULL;
    for (size_t i = 0; i < f->n && ok; i++)
        corners[i] = (uint32_t)(f->outline_first[i + 1] - f->outline_first[i]);
    const size_t points = f->n > 0 ? f->outline_first[f->n] : 0;
    ok =
        ok && jo_h5md_write_array(group, "id", H5T_STD_U64LE, H5T_NATIVE_UINT64, f->n, 0, f->id) &&
        jo_h5md_write_array(group, "corners", H5T_STD_U32LE, H5T_NATIVE_UINT32, f->n, 0, corners) &&
        jo_h5md_write_array(group, "point", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, points, 2,
                            f->outline);
    if (group >= 0) H5Gclose(group);
    free(corners);
    return ok;
}

/* ---- reading */

static void *read_all(hid_t file, const char *path, hid_t type, size_t size, size_t most,
                      size_t *items)
{
    const hid_t set = jo_h5md_open(file, path);
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    void *data = NULL;
    *items = 0;
    if (n >= 0 && (double)n * (double)size <= (double)most) data = malloc(((size_t)n + 1) * size);
    if (data != NULL && n > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        free(data);
        data = NULL;
    }
    if (data != NULL) *items = (size_t)n;
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return data;
}

void jo_h5md_free_outlines(h5md_outlines *o)
{
    free(o->id);
    free(o->first);
    free(o->point);
    jo_buffer_free(&o->memory_first);
    jo_buffer_free(&o->memory_outline);
    jo_buffer_free(&o->memory_angle);
    *o = (h5md_outlines){0};
}

void jo_h5md_read_outlines(hid_t file, size_t bytes_most, h5md_outlines *o)
{
    size_t bodies = 0, counts = 0, numbers = 0;
    *o = (h5md_outlines){0};
    o->id = read_all(file, OUTLINES "/id", H5T_NATIVE_UINT64, 8, bytes_most, &bodies);
    uint32_t *corners =
        read_all(file, OUTLINES "/corners", H5T_NATIVE_UINT32, 4, bytes_most, &counts);
    o->point = read_all(file, OUTLINES "/point", H5T_NATIVE_DOUBLE, 8, bytes_most, &numbers);
    bool fine = o->id != NULL && corners != NULL && o->point != NULL && counts == bodies;
    if (fine) o->first = malloc((bodies + 1) * sizeof *o->first);
    fine = fine && o->first != NULL;
    if (fine) o->first[0] = 0;
    for (size_t i = 0; i < bodies && fine; i++) {
        o->first[i + 1] = o->first[i] + corners[i];
        fine = o->first[i + 1] <= numbers / 2 && (i == 0 || o->id[i] > o->id[i - 1]);
    }
    free(corners);
    o->count = fine ? bodies : 0;
    if (!fine) jo_h5md_free_outlines(o);
}

static size_t find(const h5md_outlines *o, uint64_t id)
{
    size_t lo = 0, hi = o->count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (o->id[middle] < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < o->count && o->id[lo] == id ? lo : o->count;
}

/* A body that has no outline gets none: it is drawn as a disc. */
bool jo_h5md_give_outlines(h5md_outlines *o, const double *q, jo_frame *f)
{
    size_t corners = 0;
    for (size_t i = 0; i < f->n; i++) {
        const size_t k = find(o, f->id[i]);
        if (k < o->count) corners += o->first[k + 1] - o->first[k];
    }
    if (!jo_buffer_reserve(&o->memory_first, f->n + 1, sizeof(size_t)) ||
        !jo_buffer_reserve(&o->memory_outline, 2 * corners + 1, sizeof(double)) ||
        !jo_buffer_reserve(&o->memory_angle, f->n + 1, sizeof(double)))
        return false;
    size_t *first = o->memory_first.data;
    double *outline = o->memory_outline.data, *angle = o->memory_angle.data;
    first[0] = 0;
    for (size_t i = 0; i < f->n; i++) {
        const size_t k = find(o, f->id[i]), n = k < o->count ? o->first[k + 1] - o->first[k] : 0;
        if (n > 0) memcpy(outline + 2 * first[i], o->point + 2 * o->first[k], 16 * n);
        first[i + 1] = first[i] + n;
        angle[i] = q != NULL ? 2.0 * atan2(q[4 * i + 3], q[4 * i]) : 0.0;
        if (!isfinite(angle[i])) angle[i] = 0.0;
    }
    f->outline_first = first;
    f->outline = outline;
    f->angle = angle;
    f->q = q;
    return true;
}

#endif
