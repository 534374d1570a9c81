/* replay.c — reading a trajectory: frames, walls as posed, observables.
 *
 * Files are opened as by a reader beside a writer: blocks that are just being written are read
 * again until they are whole, and nothing is locked. The number of frames is that of the moment of
 * opening. A frame is complete when `step` has it. Files of other programs are read, too, if they
 * have positions and radii: what is missing is zero, ids are indices.
 *
 * Nothing in a file is believed: every dataset must have the shape it should have, and sizes are
 * bounded before memory is taken.
 *
 * Cost: one read per dataset and frame, into memory that is reused. */
#include "jostle/trajectory.h"

#include "base/error.h"

#ifdef JO_HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/h5md.h"
#include "io/trajectory_make.h"

#define FRAMES_MAX    ((hsize_t)1 << 32)
#define TEXT_MAX      ((size_t)1 << 30)
#define TRIANGLES_MAX ((hsize_t)1 << 28)

struct jo_replay {
    char *path;
    int fd;
    h5_store store;
    hid_t file;
    size_t frames;
    int dim;
    hsize_t columns; /* bodies in a row, padding included */
    jo_domain domain;
    hid_t step, time, shear, set[H5MD_ELEMENTS]; /* negative: not there */
    buffer data[H5MD_ELEMENTS];
    char *scene, *title;
    jo_polyhedron **shapes;
    size_t shape_count;
    h5md_outlines outlines;
    hid_t sides, event;
    buffer memory_sides;
    size_t material_count;
    char (*materials)[JO_NAME_SIZE];
    bool walls_read;
    size_t wall_count, triangle_count;
    double *triangles, *posed, *pivot; /* 9 each, 9 each, 3 each */
    uint32_t *owner, *shown;
    hid_t pose;
    bool series_read;
    size_t columns_observed, rows_observed;
    char (*names)[H5MD_NAME + 1];
    const char **name_list;
    double *observed;
};

/* ---- datasets of a known shape */

/* The sizes of a dataset of `rank` axes; false when it has another rank. */
static bool shape_of(hid_t set, int rank, hsize_t size[3])
{
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                    H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    return ok;
}

/* Row `row`, its first `count` items of `components`, to memory where they lie `stride` apart. */
static bool get_row(hid_t set, hsize_t row, int rank, hsize_t count, hsize_t components,
                    hsize_t stride, h5md_kind kind, void *data)
{
    const hsize_t from[3] = {row, 0, 0}, part[3] = {1, count, components};
    const hsize_t mine[3] = {1, count, stride}, zero[3] = {0, 0, 0};
    const hid_t there = H5Dget_space(set);
    const hid_t here = rank == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, mine, NULL);
    bool ok = there >= 0 && here >= 0 &&
              H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, part, NULL) >= 0;
    if (rank > 1) ok = ok && H5Sselect_hyperslab(here, H5S_SELECT_SET, zero, NULL, part, NULL) >= 0;
    ok = ok && H5Dread(set, jo_h5md_memory_type(kind), here, there, H5P_DEFAULT, data) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return ok;
}

/* The most bytes that this file can hold, decompressed: deflate makes a thousandth of them at best.
 * Without this a file of a few bytes could ask for any memory, by a dataset that nobody wrote. */
static double bytes_most(const jo_replay *r)
{
    return 1100.0 * (double)r->store.size + 0x1p20;
}

static bool can_hold(const jo_replay *r, hsize_t items, size_t size)
{
    return (double)items * (double)size <= bytes_most(r);
}

/* A whole two-dimensional dataset (columns 0: one-dimensional), allocated; NULL when it is not
 * there, has another shape or more than `most` rows, or more than the file can hold. */
static void *get_all(const jo_replay *r, const char *path, hid_t type, size_t size, hsize_t columns,
                     hsize_t most, size_t *rows)
{
    hsize_t shape[3] = {0, 0, 0};
    const hid_t set = jo_h5md_open(r->file, path);
    void *data = NULL;
    if (shape_of(set, columns > 0 ? 2 : 1, shape) && shape[0] <= most &&
        (columns == 0 || shape[1] == columns) &&
        can_hold(r, shape[0] * (columns > 0 ? columns : 1), size))
        data = malloc((size_t)(shape[0] + 1) * (size_t)(columns > 0 ? columns : 1) * size);
    if (data != NULL && shape[0] > 0 &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        free(data);
        data = NULL;
    }
    if (set >= 0) H5Dclose(set);
    *rows = (size_t)shape[0];
    return data;
}

/* ---- opening */

static int components_of(const jo_replay *r, int element)
{
    const int components = jo_h5md_elements[element].components;
    return components > 0 ? components : r->dim;
}

/* Whether an element's dataset fits to the positions. Columns may differ where a writer died while
 * it made room for more bodies: those of the complete frames are in all. */
static bool fits(jo_replay *r, int element)
{
    hsize_t size[3] = {0, 0, 0};
    const hsize_t components = (hsize_t)components_of(r, element);
    if (!shape_of(r->set[element], components > 1 ? 3 : 2, size) || size[0] < r->frames ||
        (components > 1 && size[2] != components))
        return false;
    if (size[1] < r->columns) r->columns = size[1];
    return true;
}

static void read_box(jo_replay *r)
{
    size_t rows = 0;
    double *edges =
        get_all(r, H5MD_BODIES "/box/edges", H5T_NATIVE_DOUBLE, sizeof *edges, 0, 3, &rows);
    double lower[3] = {0.0, 0.0, 0.0};
    char boundary[3][9] = {{0}};
    const hid_t box = H5Gopen2(r->file, H5MD_BODIES "/box", H5P_DEFAULT);
    const hid_t lower_at = box >= 0 ? H5Aopen(box, "lower", H5P_DEFAULT) : -1;
    const hid_t boundary_at = box >= 0 ? H5Aopen(box, "boundary", H5P_DEFAULT) : -1;
    const hid_t space = lower_at >= 0 ? H5Aget_space(lower_at) : -1;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == r->dim)
        H5Aread(lower_at, H5T_NATIVE_DOUBLE, lower);
    if (space >= 0) H5Sclose(space);
    const hid_t list = boundary_at >= 0 ? H5Aget_space(boundary_at) : -1;
    const hid_t stored = boundary_at >= 0 ? H5Aget_type(boundary_at) : -1;
    if (list >= 0 && H5Sget_simple_extent_npoints(list) == r->dim && stored >= 0 &&
        H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0) {
        const hid_t type = H5Tcopy(stored);
        H5Tset_size(type, sizeof boundary[0]);
        H5Aread(boundary_at, type, boundary);
        H5Tclose(type);
    }
    for (int a = 0; a < r->dim && edges != NULL && rows == (size_t)r->dim; a++) {
        r->domain.lo[a] = lower[a];
        r->domain.hi[a] = lower[a] + edges[a];
        r->domain.periodic[a] = edges[a] > 0.0 && strncmp(boundary[a], "periodic", 8) == 0;
    }
    if (stored >= 0) H5Tclose(stored);
    if (list >= 0) H5Sclose(list);
    if (boundary_at >= 0) H5Aclose(boundary_at);
    if (lower_at >= 0) H5Aclose(lower_at);
    if (box >= 0) H5Gclose(box);
    free(edges);
}

static jo_status open_bodies(jo_replay *r, jo_error *error)
{
    char path[128];
    hsize_t size[3] = {0, 0, 0};
    for (int k = 0; k < H5MD_ELEMENTS; k++) {
        snprintf(path, sizeof path, "%s/%s/value", H5MD_BODIES, jo_h5md_elements[k].name);
        r->set[k] = jo_h5md_open(r->file, path);
    }
    r->step = jo_h5md_open(r->file, H5MD_BODIES "/position/step");
    r->time = jo_h5md_open(r->file, H5MD_BODIES "/position/time");
    r->shear = jo_h5md_open(r->file, H5MD_BODIES "/box/shear_offset/value");
    if (r->set[H5MD_POSITION] < 0) { /* a run that wrote no frame yet */
        const hid_t own = H5Gopen2(r->file, H5MD_OWN, H5P_DEFAULT);
        if (own >= 0) H5Gclose(own);
        if (own >= 0) return JO_OK;
        return jo_fail(error, JO_ERR_DATA, "%.300s: has no particles/all/position; is it H5MD?",
                       r->path);
    }
    if (!shape_of(r->set[H5MD_POSITION], 3, size) || (size[2] != 2 && size[2] != 3) ||
        size[0] > FRAMES_MAX || size[1] > JO_BODIES_MAX)
        return jo_fail(error, JO_ERR_DATA,
                       "%.300s: particles/all/position/value must be frames x bodies x 2 or 3",
                       r->path);
    hsize_t steps[3] = {0, 0, 0}, times[3] = {0, 0, 0};
    if (!shape_of(r->step, 1, steps) || !shape_of(r->time, 1, times))
        return jo_fail(error, JO_ERR_DATA, "%.300s: particles/all/position has no step and time",
                       r->path);
    if (steps[0] > times[0]) steps[0] = times[0];
    r->frames = (size_t)(steps[0] < size[0] ? steps[0] : size[0]);
    r->columns = size[1];
    r->dim = (int)size[2];
    for (int k = 0; k < H5MD_ELEMENTS; k++)
        if (r->set[k] >= 0 && !fits(r, k))
            return jo_fail(error, JO_ERR_DATA,
                           "%.300s: particles/all/%s has another shape than the positions", r->path,
                           jo_h5md_elements[k].name);
    if (!can_hold(r, r->columns * (hsize_t)r->dim, sizeof(double)))
        return jo_fail(error, JO_ERR_DATA,
                       "%.300s: claims %llu bodies, more than a file of its size can hold", r->path,
                       (unsigned long long)r->columns);
    if (r->set[H5MD_RADIUS] < 0)
        return jo_fail(error, JO_ERR_DATA, "%.300s: has no particles/all/radius", r->path);
    if (r->shear >= 0 && (!shape_of(r->shear, 1, size) || size[0] < r->frames)) {
        H5Dclose(r->shear);
        r->shear = -1;
    }
    return JO_OK;
}

static void read_materials(jo_replay *r)
{
    hsize_t size[3] = {0, 0, 0};
    const hid_t set = jo_h5md_open(r->file, H5MD_OWN "/materials");
    const hid_t type = set >= 0 ? H5Dget_type(set) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tget_size(type) == JO_NAME_SIZE &&
        shape_of(set, 1, size) && size[0] <= JO_MATERIALS_MAX)
        r->materials = calloc((size_t)size[0] + 1, sizeof *r->materials);
    if (r->materials != NULL &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->materials) >= 0)
        r->material_count = (size_t)size[0];
    for (size_t k = 0; k < r->material_count; k++)
        r->materials[k][JO_NAME_SIZE - 1] = '\0';
    if (type >= 0) H5Tclose(type);
    if (set >= 0) H5Dclose(set);
}

static jo_status open_replay(jo_replay *r, jo_error *error)
{
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0)
        return jo_fail(error, JO_ERR_IO, "%.300s: cannot be opened: %s", r->path, strerror(errno));
    r->file = jo_h5_open(&r->store, r->fd, false, H5_READ);
    if (r->file < 0)
        return jo_fail(error, JO_ERR_DATA, "%.300s: is not an HDF5 file, or a damaged one",
                       r->path);
    const jo_status status = open_bodies(r, error);
    if (status != JO_OK) return status;
    if (r->dim > 0) read_box(r);
    if (r->set[H5MD_ORIENTATION] >= 0)
        r->shapes =
            jo_h5md_read_shapes(r->file, (size_t)fmin(bytes_most(r), 1e15), &r->shape_count);
    if (r->set[H5MD_ORIENTATION] >= 0)
        jo_h5md_read_outlines(r->file, (size_t)fmin(bytes_most(r), 1e15), &r->outlines);
    r->sides = jo_h5md_open(r->file, "triangulation/side/value");
    r->event = jo_h5md_open(r->file, "triangulation/event/value");
    if (H5Lexists(r->file, "parameters", H5P_DEFAULT) > 0) {
        const size_t most = (size_t)fmin(bytes_most(r), (double)TEXT_MAX);
        r->scene = jo_h5_read_text(r->file, H5MD_OWN "/scene", most);
        r->title = jo_h5_read_text(r->file, H5MD_OWN "/title", most);
        read_materials(r);
    }
    return JO_OK;
}

jo_status jo_replay_open(const char *path, jo_replay **replay, jo_error *error)
{
    *replay = NULL;
    jo_replay *r = calloc(1, sizeof *r);
    if (r == NULL) return jo_fail_memory(error, sizeof *r, "a trajectory");
    r->fd = -1;
    r->file = r->step = r->time = r->shear = r->pose = r->sides = r->event = -1;
    for (int k = 0; k < H5MD_ELEMENTS; k++)
        r->set[k] = -1;
    r->path = strdup(path);
    if (r->path == NULL) {
        free(r);
        return jo_fail_memory(error, strlen(path), "a file name");
    }
    const h5_quiet before = jo_h5_hush();
    const jo_status status = open_replay(r, error);
    jo_h5_unhush(before);
    if (status == JO_OK)
        *replay = r;
    else
        jo_replay_close(r);
    return status;
}

void jo_replay_close(jo_replay *replay)
{
    if (replay == NULL) return;
    const h5_quiet before = jo_h5_hush();
    if (replay->file >= 0) H5Fclose(replay->file); /* and all that is open in it */
    jo_h5_unhush(before);
    if (replay->fd >= 0) close(replay->fd);
    for (int k = 0; k < H5MD_ELEMENTS; k++)
        jo_buffer_free(&replay->data[k]);
    for (size_t k = 0; k < replay->shape_count; k++)
        jo_polyhedron_destroy(replay->shapes[k]);
    free(replay->shapes);
    jo_h5md_free_outlines(&replay->outlines);
    jo_buffer_free(&replay->memory_sides);
    free(replay->path);
    free(replay->scene);
    free(replay->title);
    free(replay->materials);
    free(replay->triangles);
    free(replay->posed);
    free(replay->pivot);
    free(replay->owner);
    free(replay->shown);
    free(replay->names);
    free(replay->name_list);
    free(replay->observed);
    free(replay);
}

size_t jo_replay_frames(const jo_replay *replay)
{
    return replay->frames;
}

const char *jo_replay_scene(const jo_replay *replay)
{
    return replay->scene != NULL ? replay->scene : "";
}

const char *jo_replay_title(const jo_replay *replay)
{
    return replay->title != NULL ? replay->title : "";
}

const char *jo_replay_material(const jo_replay *replay, size_t k)
{
    return k < replay->material_count ? replay->materials[k] : "";
}

/* ---- frames */

/* Element k of a frame's first n bodies; vectors get three components. */
static bool read_element(jo_replay *r, int k, size_t frame, size_t n)
{
    const h5md_element *e = &jo_h5md_elements[k];
    const int components = components_of(r, k);
    const size_t stride = jo_h5md_stride(e), bytes = stride * jo_h5md_size(e->kind);
    if (!jo_buffer_reserve(&r->data[k], n + 1, bytes)) return false;
    memset(r->data[k].data, 0, (n + 1) * bytes);
    if (r->set[k] < 0 || n == 0) {
        int64_t *id = r->data[H5MD_ID].data;
        for (size_t i = 0; k == H5MD_ID && i < n; i++)
            id[i] = (int64_t)i;
        return true;
    }
    return get_row(r->set[k], frame, components > 1 ? 3 : 2, n, (hsize_t)components, stride,
                   e->kind, r->data[k].data);
}

/* Polyhedra; a body whose shape or orientation cannot be right is shown as a sphere. */
static void give_shapes(jo_replay *r, jo_frame *frame)
{
    uint32_t *shape = r->data[H5MD_SHAPE].data;
    const double *q = r->data[H5MD_ORIENTATION].data;
    for (size_t i = 0; i < frame->n; i++) {
        const double square = q[4 * i] * q[4 * i] + q[4 * i + 1] * q[4 * i + 1] +
                              q[4 * i + 2] * q[4 * i + 2] + q[4 * i + 3] * q[4 * i + 3];
        if (shape[i] >= r->shape_count || !(fabs(square - 1.0) < 1e-3)) shape[i] = JO_NO_SHAPE;
    }
    frame->shape = shape;
    frame->q = q;
    frame->shapes = (const jo_polyhedron *const *)r->shapes;
    frame->shape_count = r->shape_count;
}

/* The triangulation between polygons, where the file has it. */
static bool read_sides(jo_replay *r, size_t k, jo_frame *frame)
{
    hsize_t size[3] = {0, 0, 0}, one[3] = {0, 0, 0};
    double event[9];
    if (!shape_of(r->sides, 3, size) || size[0] <= k || size[2] != 4 || size[1] > TRIANGLES_MAX ||
        !can_hold(r, 4 * size[1], sizeof(double)))
        return true;
    if (!jo_buffer_reserve(&r->memory_sides, 4 * (size_t)size[1] + 1, sizeof(double))) return false;
    double *sides = r->memory_sides.data;
    if (size[1] > 0 && !get_row(r->sides, k, 3, size[1], 4, 4, H5MD_F64, sides)) return false;
    size_t count = (size_t)size[1];
    while (count > 0 && isnan(sides[4 * count - 1]))
        count--;
    frame->sides = sides;
    frame->side_count = count;
    if (!shape_of(r->event, 3, one) || one[0] <= k || one[1] != 1 || one[2] != 9) return true;
    if (!get_row(r->event, k, 3, 1, 9, 9, H5MD_F64, event)) return false;
    frame->event_points = event[0] == 3.0 ? 3 : event[0] == 4.0 ? 4 : 0;
    memcpy(frame->event, event + 1, sizeof frame->event);
    return true;
}

static jo_status read_frame(jo_replay *r, size_t k, jo_frame *frame, jo_error *error)
{
    int64_t step = 0;
    size_t n = (size_t)r->columns;
    bool ok = read_element(r, H5MD_ID, k, n) && get_row(r->step, k, 1, 0, 0, 0, H5MD_I64, &step) &&
              get_row(r->time, k, 1, 0, 0, 0, H5MD_F64, &frame->time);
    const int64_t *id = r->data[H5MD_ID].data;
    while (ok && n > 0 && id[n - 1] < 0)
        n--;
    for (size_t i = 0; ok && i < n; i++)
        if (id[i] < 0)
            return jo_fail(error, JO_ERR_DATA,
                           "%.300s: frame %zu: body %zu is missing (id %lld) among others", r->path,
                           k, i, (long long)id[i]);
    for (int e = 0; ok && e < H5MD_ELEMENTS; e++)
        if (e != H5MD_ID) ok = read_element(r, e, k, n);
    if (ok && r->shear >= 0) ok = get_row(r->shear, k, 1, 0, 0, 0, H5MD_F64, &frame->shear_offset);
    if (!ok) return jo_h5_fail(error, r->path, "read", NULL);
    frame->step = (uint64_t)step;
    frame->dim = r->dim;
    frame->n = n;
    frame->id = r->data[H5MD_ID].data;
    frame->x = r->data[H5MD_POSITION].data;
    frame->v = r->data[H5MD_VELOCITY].data;
    frame->w = r->data[H5MD_SPIN].data;
    frame->force = r->data[H5MD_FORCE].data;
    frame->r = r->data[H5MD_RADIUS].data;
    frame->mass = r->data[H5MD_MASS].data;
    frame->material = r->data[H5MD_SPECIES].data;
    frame->touching = r->data[H5MD_TOUCHING].data;
    frame->fixed = r->data[H5MD_FIXED].data;
    frame->domain = r->domain;
    if (r->shapes != NULL && r->set[H5MD_SHAPE] >= 0) give_shapes(r, frame);
    if (r->outlines.count > 0 &&
        !jo_h5md_give_outlines(&r->outlines, r->data[H5MD_ORIENTATION].data, frame))
        return jo_fail_memory(error, n, "outlines");
    if (!read_sides(r, k, frame)) return jo_h5_fail(error, r->path, "read", NULL);
    return JO_OK;
}

static jo_status check_index(const jo_replay *r, size_t k, jo_error *error)
{
    if (k < r->frames) return JO_OK;
    return jo_fail(error, JO_ERR_ARGUMENT, "%.300s: frame %zu was asked for, but it has %zu%s",
                   r->path, k, r->frames, r->frames > 0 ? ", from 0" : "");
}

jo_status jo_replay_frame(jo_replay *replay, size_t k, jo_frame *frame, jo_error *error)
{
    *frame = (jo_frame){0};
    jo_status status = check_index(replay, k, error);
    if (status != JO_OK) return status;
    const h5_quiet before = jo_h5_hush();
    status = read_frame(replay, k, frame, error);
    jo_h5_unhush(before);
    if (status != JO_OK) *frame = (jo_frame){0};
    return status;
}

/* ---- walls */

static bool load_walls(jo_replay *r)
{
    size_t owners = 0;
    hsize_t size[3] = {0, 0, 0};
    r->walls_read = true;
    r->pose = jo_h5md_open(r->file, H5MD_OWN "/walls/pose/value");
    if (r->pose < 0) return true;
    r->triangles = get_all(r, H5MD_OWN "/walls/triangles", H5T_NATIVE_DOUBLE, sizeof(double), 9,
                           TRIANGLES_MAX, &r->triangle_count);
    r->owner = get_all(r, H5MD_OWN "/walls/wall", H5T_NATIVE_UINT32, sizeof(uint32_t), 0,
                       TRIANGLES_MAX, &owners);
    r->pivot = get_all(r, H5MD_OWN "/walls/pivot", H5T_NATIVE_DOUBLE, sizeof(double), 3,
                       JO_WALLS_MAX, &r->wall_count);
    bool ok = r->triangles != NULL && r->owner != NULL && r->pivot != NULL &&
              owners == r->triangle_count && shape_of(r->pose, 3, size) && size[0] >= r->frames &&
              size[1] == r->wall_count && size[2] == H5MD_POSE;
    for (size_t k = 0; ok && k < owners; k++)
        ok = r->owner[k] < r->wall_count;
    if (ok) {
        r->posed = malloc((r->triangle_count + 1) * 9 * sizeof *r->posed);
        r->shown = malloc((r->triangle_count + 1) * sizeof *r->shown);
        ok = r->posed != NULL && r->shown != NULL;
    }
    if (!ok) r->triangle_count = r->wall_count = 0;
    return ok;
}

static void pose_corner(const double *pose, const double *pivot, const double *from, double *to)
{
    const double d[3] = {from[0] - pivot[0], from[1] - pivot[1], from[2] - pivot[2]};
    for (int a = 0; a < 3; a++)
        to[a] = pivot[a] + pose[a] + pose[3 + 3 * a] * d[0] + pose[4 + 3 * a] * d[1] +
                pose[5 + 3 * a] * d[2];
}

static jo_status posed_walls(jo_replay *r, size_t k, size_t *count, jo_error *error)
{
    if (!r->walls_read && !load_walls(r))
        return jo_fail(error, JO_ERR_DATA, "%.300s: %s/walls is not as jostle writes it", r->path,
                       H5MD_OWN);
    if (r->triangle_count == 0) return JO_OK;
    double *pose = malloc(r->wall_count * H5MD_POSE * sizeof *pose);
    if (pose == NULL) return jo_fail_memory(error, r->wall_count * H5MD_POSE * 8, "walls");
    jo_status status = JO_OK;
    if (!get_row(r->pose, k, 3, r->wall_count, H5MD_POSE, H5MD_POSE, H5MD_F64, pose))
        status = jo_h5_fail(error, r->path, "read", NULL);
    for (size_t t = 0; status == JO_OK && t < r->triangle_count; t++) {
        const uint32_t wall = r->owner[t];
        if (pose[wall * H5MD_POSE + 12] == 0.0) continue;
        for (int c = 0; c < 3; c++)
            pose_corner(pose + wall * H5MD_POSE, r->pivot + 3 * wall, r->triangles + 9 * t + 3 * c,
                        r->posed + 9 * *count + 3 * c);
        r->shown[(*count)++] = wall;
    }
    free(pose);
    return status;
}

jo_status jo_replay_walls(jo_replay *replay, size_t k, const double **triangles,
                          const uint32_t **wall, size_t *count, jo_error *error)
{
    *count = 0;
    jo_status status = check_index(replay, k, error);
    if (status != JO_OK) return status;
    const h5_quiet before = jo_h5_hush();
    status = posed_walls(replay, k, count, error);
    jo_h5_unhush(before);
    *triangles = replay->posed;
    *wall = replay->shown;
    return status;
}

/* ---- observables */

static bool read_names(jo_replay *r)
{
    const hid_t set = jo_h5md_open(r->file, H5MD_OWN "/columns");
    if (set < 0) return true; /* none were written */
    hsize_t size[3] = {0, 0, 0};
    const hid_t type = H5Dget_type(set);
    bool ok = shape_of(set, 1, size) && size[0] < 65536 && type >= 0 &&
              H5Tget_class(type) == H5T_STRING && H5Tget_size(type) == H5MD_NAME;
    const size_t count = (size_t)size[0];
    char *packed = ok ? malloc((count + 1) * H5MD_NAME) : NULL;
    r->names = ok ? calloc(count + 1, sizeof *r->names) : NULL;
    r->name_list = ok ? calloc(count + 1, sizeof *r->name_list) : NULL;
    ok = packed != NULL && r->names != NULL && r->name_list != NULL && count > 0 &&
         H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0;
    for (size_t k = 0; ok && k < count; k++) {
        memcpy(r->names[k], packed + k * H5MD_NAME, H5MD_NAME);
        r->name_list[k] = r->names[k];
    }
    if (ok) r->columns_observed = count;
    free(packed);
    if (type >= 0) H5Tclose(type);
    H5Dclose(set);
    return ok;
}

/* All rows of all columns, row by row. */
static bool read_columns(jo_replay *r)
{
    char path[128];
    const size_t columns = r->columns_observed;
    snprintf(path, sizeof path, "observables/%s/step", r->names[0]);
    const hid_t steps = jo_h5md_open(r->file, path);
    hsize_t size[3] = {0, 0, 0};
    bool ok = shape_of(steps, 1, size) && size[0] <= FRAMES_MAX &&
              can_hold(r, size[0] * columns, sizeof(double));
    if (steps >= 0) H5Dclose(steps);
    const size_t rows = ok ? (size_t)size[0] : 0;
    const hsize_t start = 0, count = rows;
    double *column = ok ? malloc((rows + 1) * sizeof *column) : NULL;
    r->observed = ok ? malloc((rows * columns + 1) * sizeof *r->observed) : NULL;
    ok = column != NULL && r->observed != NULL;
    const hid_t here = H5Screate_simple(1, &count, NULL);
    for (size_t k = 0; ok && rows > 0 && k < columns; k++) {
        snprintf(path, sizeof path, "observables/%s/value", r->names[k]);
        const hid_t set = jo_h5md_open(r->file, path);
        const hid_t there = set >= 0 ? H5Dget_space(set) : -1;
        ok = shape_of(set, 1, size) && size[0] >= rows &&
             H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
             H5Dread(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, column) >= 0;
        for (size_t i = 0; ok && i < rows; i++)
            r->observed[i * columns + k] = column[i];
        if (there >= 0) H5Sclose(there);
        if (set >= 0) H5Dclose(set);
    }
    if (here >= 0) H5Sclose(here);
    free(column);
    r->rows_observed = ok ? rows : 0;
    return ok;
}

jo_status jo_replay_series(jo_replay *replay, const char *const **names, size_t *columns,
                           const double **values, size_t *rows, jo_error *error)
{
    jo_status status = JO_OK;
    if (!replay->series_read) {
        const h5_quiet before = jo_h5_hush();
        replay->series_read = true;
        if (!read_names(replay) || (replay->columns_observed > 0 && !read_columns(replay)))
            status = jo_fail(error, JO_ERR_DATA,
                             "%.300s: its observables are not as jostle writes them", replay->path);
        jo_h5_unhush(before);
    }
    *names = replay->name_list;
    *columns = replay->columns_observed;
    *values = replay->observed;
    *rows = replay->rows_observed;
    return status;
}

#else

jo_status jo_replay_open(const char *path, jo_replay **replay, jo_error *error)
{
    *replay = NULL;
    return jo_fail(error, JO_ERR_UNSUPPORTED,
                   "%.300s: trajectories need HDF5, which this build of jostle has not; install "
                   "libhdf5-dev and build again",
                   path);
}

/* Without HDF5 there is never a replay to call these with. */
void jo_replay_close(jo_replay *replay)
{
    (void)replay;
}

size_t jo_replay_frames(const jo_replay *replay)
{
    (void)replay;
    return 0;
}

const char *jo_replay_scene(const jo_replay *replay)
{
    (void)replay;
    return "";
}

const char *jo_replay_title(const jo_replay *replay)
{
    (void)replay;
    return "";
}

const char *jo_replay_material(const jo_replay *replay, size_t k)
{
    (void)replay;
    (void)k;
    return "";
}

jo_status jo_replay_frame(jo_replay *replay, size_t k, jo_frame *frame, jo_error *error)
{
    (void)replay;
    (void)k;
    *frame = (jo_frame){0};
    return jo_fail(error, JO_ERR_UNSUPPORTED, "trajectories need HDF5");
}

jo_status jo_replay_walls(jo_replay *replay, size_t k, const double **triangles,
                          const uint32_t **wall, size_t *count, jo_error *error)
{
    (void)replay;
    (void)k;
    *triangles = NULL;
    *wall = NULL;
    *count = 0;
    return jo_fail(error, JO_ERR_UNSUPPORTED, "trajectories need HDF5");
}

jo_status jo_replay_series(jo_replay *replay, const char *const **names, size_t *columns,
                           const double **values, size_t *rows, jo_error *error)
{
    (void)replay;
    *names = NULL;
    *values = NULL;
    *columns = *rows = 0;
    return jo_fail(error, JO_ERR_UNSUPPORTED, "trajectories need HDF5");
}

#endif
