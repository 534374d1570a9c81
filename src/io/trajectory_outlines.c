/* trajectory_outlines.c — the outlines of polygons in a trajectory, each stored once when its body
 * first appears, and the sides of their triangulation, frame by frame.
 *
 * parameters/jostle/outlines holds, body after body: `id` (ascending), `corners` (how many), and
 * `point` [corners][2], from the centre of mass of a body that is not turned. A reader turns corner
 * p of body i to position + (orientation p orientation*): no scaling. triangulation/side holds x, y
 * of both ends of every side between two triangles, [frame][side][4], padded with NaN;
 * triangulation/event what happened last: the number of points (0, 3 or 4: jo_frame.event_points)
 * and their coordinates. */
#include "io/trajectory_make.h"

#ifdef JO_HAVE_HDF5

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINES H5MD_OWN "/outlines"

/* ---- writing */

enum { CHUNK = 1024 };

/* An empty array that can grow. */
static bool make_array(hid_t group, const char *name, hid_t type, int rank)
{
    const hsize_t size[2] = {0, 2}, most[2] = {H5S_UNLIMITED, 2}, chunk[2] = {CHUNK, 2};
    const hid_t space = H5Screate_simple(rank, size, most), list = H5Pcreate(H5P_DATASET_CREATE);
    const bool ok = space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunk) >= 0;
    const hid_t set =
        ok ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    if (set >= 0) H5Dclose(set);
    if (list >= 0) H5Pclose(list);
    if (space >= 0) H5Sclose(space);
    return set >= 0;
}

bool jo_h5md_make_outlines(hid_t file)
{
    const hid_t group = jo_h5_group(file, OUTLINES);
    const bool ok = group >= 0 && make_array(group, "id", H5T_STD_U64LE, 1) &&
                    make_array(group, "corners", H5T_STD_U32LE, 1) &&
                    make_array(group, "point", H5T_IEEE_F64LE, 2);
    if (group >= 0) H5Gclose(group);
    return ok;
}

/* Rows are put behind the first `before` of an array. */
static bool add_rows(hid_t file, const char *path, hid_t type, int rank, size_t before,
                     size_t count, const void *data)
{
    const hsize_t start[2] = {before, 0}, size[2] = {count, 2}, all[2] = {before + count, 2};
    const hid_t set = jo_h5md_open(file, path);
    bool ok = set >= 0 && H5Dset_extent(set, all) >= 0;
    const hid_t space = ok ? H5Dget_space(set) : -1, memory = H5Screate_simple(rank, size, NULL);
    ok = ok && space >= 0 && memory >= 0 &&
         H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
         H5Dwrite(set, type, memory, space, H5P_DEFAULT, data) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return ok;
}

/* What the file has, when it was opened to be continued. */
static void find_end(hid_t file, h5md_outline_end *end)
{
    size_t bodies, counts;
    uint64_t *id = jo_h5md_read_all(file, OUTLINES "/id", H5T_NATIVE_UINT64, 8, SIZE_MAX, &bodies);
    uint32_t *corners =
        jo_h5md_read_all(file, OUTLINES "/corners", H5T_NATIVE_UINT32, 4, SIZE_MAX, &counts);
    *end = (h5md_outline_end){.known = true};
    if (bodies > counts) bodies = counts;
    for (size_t i = 0; i < bodies; i++)
        end->points += corners[i];
    end->bodies = bodies;
    if (bodies > 0) end->next_id = id[bodies - 1] + 1;
    free(id);
    free(corners);
}

bool jo_h5md_add_outlines(hid_t file, h5md_outline_end *end, const jo_frame *f)
{
    if (!end->known) find_end(file, end);
    size_t from = f->n;
    while (from > 0 && f->id[from - 1] >= end->next_id)
        from--;
    const size_t added = f->n - from;
    if (added == 0) return true;
    const size_t points = f->outline_first[f->n] - f->outline_first[from];
    uint32_t *corners = malloc(added * sizeof *corners);
    if (corners == NULL) return false;
    for (size_t i = 0; i < added; i++)
        corners[i] = (uint32_t)(f->outline_first[from + i + 1] - f->outline_first[from + i]);
    /* The ids last: what has none does not count. */
    const bool ok =
        add_rows(file, OUTLINES "/point", H5T_NATIVE_DOUBLE, 2, end->points, points,
                 f->outline + 2 * f->outline_first[from]) &&
        add_rows(file, OUTLINES "/corners", H5T_NATIVE_UINT32, 1, end->bodies, added, corners) &&
        H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 &&
        add_rows(file, OUTLINES "/id", H5T_NATIVE_UINT64, 1, end->bodies, added, f->id + from);
    free(corners);
    end->points += points;
    end->bodies += added;
    end->next_id = f->id[f->n - 1] + 1;
    return ok;
}

/* ---- reading */

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
    o->id = jo_h5md_read_all(file, OUTLINES "/id", H5T_NATIVE_UINT64, 8, bytes_most, &bodies);
    uint32_t *corners =
        jo_h5md_read_all(file, OUTLINES "/corners", H5T_NATIVE_UINT32, 4, bytes_most, &counts);
    o->point =
        jo_h5md_read_all(file, OUTLINES "/point", H5T_NATIVE_DOUBLE, 8, bytes_most, &numbers);
    bool fine = o->id != NULL && corners != NULL && o->point != NULL && counts >= bodies;
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
