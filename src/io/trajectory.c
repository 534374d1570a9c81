/* trajectory.c — trajectories as H5MD 1.1 files that stay valid whatever happens to the writer.
 *
 * Two kinds of change, two ways to be safe. Appending a frame or a row writes only to the ends of
 * datasets, in HDF5's single-writer mode through a durable store (h5store.c): after every single
 * write to the disk the file is valid, and a plain reader sees the frames so far. Everything else
 * (creating the file, the first frame with its datasets, cutting frames off) is done to a copy
 * beside the file, which is then renamed over it; so it happens as a whole or not at all. The
 * copy costs a pass over the file, but all of these happen while it is small, except cutting, which
 * happens when a run is resumed from a checkpoint older than the last frames.
 *
 * A frame's values go first and are flushed, then `time`, then `step`, which makes it count.
 *
 * A failed write (a full disk) leaves the file with the frames before it; the trajectory then
 * refuses every further call.
 *
 * Cost: 129 bytes per body and frame (105 in 2D), written once; three flushes per frame. */
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

#include "io/output.h"
#include "io/trajectory_make.h"

#define ROWS_MAX ((hsize_t)1 << 40)

/* Datasets that grow together, with their own step and time. */
typedef struct growing {
    hid_t step, time;
    hsize_t rows;
    size_t count;
    hid_t *set;
} growing;

struct jo_trajectory {
    char *path;
    int fd;
    h5_store store;
    hid_t file; /* negative: not open */
    int dim;
    bool broken; /* a write failed; the file is as it was before */
    growing bodies, observed, touching, sides;
    hid_t shear, pose;
    hsize_t columns;        /* bodies in a row, padding included */
    hsize_t contacts;       /* likewise */
    hsize_t side_columns;   /* likewise */
    double expected;        /* how many bodies there may be in the end; 0: as many as at first */
    trajectory_walls walls; /* of the scene, until they are written */
    h5md_outline_end outlines;
};

/* ---- opening and closing the datasets */

static void close_set(hid_t *set)
{
    if (*set >= 0) H5Dclose(*set);
    *set = -1;
}

static void growing_close(growing *g)
{
    close_set(&g->step);
    close_set(&g->time);
    for (size_t k = 0; k < g->count; k++)
        close_set(&g->set[k]);
    free(g->set);
    *g = (growing){.step = -1, .time = -1};
}

/* Opens FOLDER/NAME/value for every name; nothing is open when the first is not there. False: only
 * some are. */
static bool growing_open(growing *g, hid_t file, const char *folder, const char *const *names,
                         size_t count)
{
    char path[256];
    *g = (growing){.step = -1, .time = -1};
    if (count == 0) return true;
    g->set = malloc(count * sizeof *g->set);
    if (g->set == NULL) return false;
    for (size_t k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s/value", folder, names[k]);
        g->set[k] = jo_h5md_open(file, path);
        if (g->set[k] < 0) {
            g->count = k;
            growing_close(g);
            return k == 0;
        }
    }
    g->count = count;
    snprintf(path, sizeof path, "%s/%s/step", folder, names[0]);
    g->step = jo_h5md_open(file, path);
    snprintf(path, sizeof path, "%s/%s/time", folder, names[0]);
    g->time = jo_h5md_open(file, path);
    g->rows = jo_h5md_rows(g->step);
    return g->step >= 0 && g->time >= 0;
}

static void element_names(const h5md_element *elements, size_t count, const char **names)
{
    for (size_t k = 0; k < count; k++)
        names[k] = elements[k].name;
}

static hsize_t columns_of(const growing *g)
{
    hsize_t size[3] = {0, 0, 0};
    const hid_t space = g->count > 0 ? H5Dget_space(g->set[0]) : -1;
    if (space < 0) return 0;
    if (H5Sget_simple_extent_ndims(space) <= 3) H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    return size[1];
}

static bool open_observed(jo_trajectory *t)
{
    const hid_t set = jo_h5md_open(t->file, H5MD_OWN "/columns");
    if (set < 0) return true;
    const hsize_t count = jo_h5md_rows(set);
    const hid_t type = H5Dget_type(set);
    bool ok = count > 0 && count < 65536 && H5Tget_size(type) == H5MD_NAME;
    char(*texts)[H5MD_NAME + 1] = ok ? calloc((size_t)count, sizeof *texts) : NULL;
    char *packed = ok ? malloc((size_t)count * H5MD_NAME) : NULL;
    const char **names = ok ? malloc((size_t)count * sizeof *names) : NULL;
    ok = texts != NULL && packed != NULL && names != NULL &&
         H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0;
    for (size_t k = 0; ok && k < count; k++) {
        memcpy(texts[k], packed + k * H5MD_NAME, H5MD_NAME);
        names[k] = texts[k];
    }
    ok = ok && growing_open(&t->observed, t->file, "observables", names, (size_t)count);
    free(names);
    free(packed);
    free(texts);
    H5Tclose(type);
    H5Dclose(set);
    return ok;
}

static void close_sets(jo_trajectory *t)
{
    growing_close(&t->bodies);
    growing_close(&t->observed);
    growing_close(&t->touching);
    growing_close(&t->sides);
    close_set(&t->shear);
    close_set(&t->pose);
}

static bool open_sets(jo_trajectory *t)
{
    const char *names[H5MD_ELEMENTS];
    element_names(jo_h5md_elements, H5MD_ELEMENTS, names);
    const hid_t turned = jo_h5md_open(t->file, H5MD_BODIES "/orientation/value");
    const size_t count = turned >= 0 ? H5MD_ELEMENTS : H5MD_PLAIN;
    if (turned >= 0) H5Dclose(turned);
    bool ok = growing_open(&t->bodies, t->file, H5MD_BODIES, names, count);
    element_names(jo_h5md_contacts, H5MD_CONTACTS, names);
    ok = ok && growing_open(&t->touching, t->file, "connectivity", names, H5MD_CONTACTS);
    element_names(jo_h5md_sides, H5MD_SIDES, names);
    ok = ok && growing_open(&t->sides, t->file, "triangulation", names, H5MD_SIDES);
    t->shear = jo_h5md_open(t->file, H5MD_BODIES "/box/shear_offset/value");
    t->pose = jo_h5md_open(t->file, H5MD_OWN "/walls/pose/value");
    ok = ok && open_observed(t);
    t->columns = columns_of(&t->bodies);
    t->contacts = columns_of(&t->touching);
    t->side_columns = columns_of(&t->sides);
    return ok;
}

static bool close_file(jo_trajectory *t)
{
    bool ok = true;
    close_sets(t);
    if (t->file >= 0) ok = H5Fclose(t->file) >= 0;
    t->file = -1;
    if (t->fd >= 0 && t->store.failure == 0 && fsync(t->fd) != 0 && errno != EINVAL)
        t->store.failure = errno;
    if (t->fd >= 0) close(t->fd);
    t->fd = -1;
    return ok && t->store.failure == 0;
}

static jo_status open_file(jo_trajectory *t, jo_error *error)
{
    t->fd = open(t->path, O_RDWR | O_CLOEXEC);
    if (t->fd < 0)
        return jo_fail(error, JO_ERR_IO, "%.300s: cannot be opened: %s", t->path, strerror(errno));
    t->file = jo_h5_open(&t->store, t->fd, true, H5_APPEND);
    if (t->file >= 0 && open_sets(t)) return JO_OK;
    const jo_status status = jo_h5_fail(error, t->path, "opened for appending", &t->store);
    close_file(t);
    return status;
}

/* ---- changes of structure: to a copy that is renamed over the file */

typedef bool (*change)(jo_trajectory *t, hid_t file, void *context);

static void copy_bytes(int from, output *to)
{
    char *block = malloc(1 << 20);
    off_t at = 0;
    if (block == NULL) to->failure = ENOMEM;
    while (to->failure == 0) {
        const ssize_t count = pread(from, block, 1 << 20, at);
        if (count == 0) break;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            to->failure = errno;
            break;
        }
        for (ssize_t done = 0; done < count && to->failure == 0;) {
            const ssize_t wrote = pwrite(to->fd, block + done, (size_t)(count - done), at + done);
            if (wrote >= 0)
                done += wrote;
            else if (errno != EINTR)
                to->failure = errno;
        }
        at += count;
    }
    free(block);
}

/* Closes the file, applies `what` to a copy (or to an empty file), puts that in its place and opens
 * it. On failure the file is as it was and the trajectory broken. */
static jo_status rebuild(jo_trajectory *t, bool fresh, change what, void *context, jo_error *error)
{
    output out;
    t->broken = true;
    if (!close_file(t)) return jo_h5_fail(error, t->path, "written", &t->store);
    jo_status status = jo_output_open(&out, t->path, error);
    if (status != JO_OK) return status;
    const int old = fresh ? -1 : open(t->path, O_RDONLY | O_CLOEXEC);
    if (!fresh && old < 0) out.failure = errno;
    if (old >= 0) copy_bytes(old, &out);
    if (old >= 0) close(old);
    bool done = false;
    if (out.failure == 0) {
        const hid_t file = jo_h5_open(&t->store, out.fd, false, fresh ? H5_CREATE : H5_MODIFY);
        done = file >= 0 && what(t, file, context);
        if (file >= 0) done = H5Fclose(file) >= 0 && done;
        out.failure = t->store.failure;
    }
    if (out.failure == 0 && !done) {
        status = jo_h5_fail(error, t->path, "written", NULL);
        out.failure = EIO; /* discards the copy */
        (void)jo_output_finish(&out, NULL);
        return status;
    }
    status = jo_output_finish(&out, error);
    if (status == JO_OK) status = open_file(t, error);
    t->broken = status != JO_OK;
    return status;
}

/* ---- creating */

static bool make_file(jo_trajectory *t, hid_t file, void *context)
{
    (void)t;
    return jo_h5md_make_file(file, context);
}

static bool make_bodies(jo_trajectory *t, hid_t file, void *context)
{
    return jo_h5md_make_bodies(file, t->expected, &t->walls, context);
}

static bool make_contacts(jo_trajectory *t, hid_t file, void *context)
{
    (void)t;
    return jo_h5md_make_contacts(file, *(const size_t *)context);
}

static bool make_sides(jo_trajectory *t, hid_t file, void *context)
{
    (void)t;
    return jo_h5md_make_sides(file, *(const size_t *)context);
}

static bool make_observables(jo_trajectory *t, hid_t file, void *context)
{
    (void)t;
    return jo_h5md_make_observables(file, context);
}

/* How many bodies factories may add. */
static double expected_bodies(const jo_scene *scene)
{
    double sum = 0.0;
    for (size_t k = 0; k < scene->group_count; k++) {
        const jo_group *g = &scene->groups[k];
        if (g->kind != JO_GROUP_FACTORY) continue;
        const double long_ = fmin(g->stop, scene->duration) - fmax(g->start, 0.0);
        double count = g->count > 0 ? (double)g->count : INFINITY;
        if (g->rate > 0.0 && long_ > 0.0) count = fmin(count, g->rate * long_);
        if (isfinite(count)) sum += count;
    }
    return sum;
}

static jo_trajectory *allocate(const char *path)
{
    jo_trajectory *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->path = strdup(path);
    t->fd = -1;
    t->file = t->shear = t->pose = -1;
    t->bodies = t->observed = t->touching = t->sides = (growing){.step = -1, .time = -1};
    if (t->path != NULL) return t;
    free(t);
    return NULL;
}

static void release(jo_trajectory *t)
{
    jo_trajectory_walls_free(&t->walls);
    free(t->path);
    free(t);
}

jo_status jo_trajectory_create(const char *path, const jo_scene *scene, jo_trajectory **trajectory,
                               jo_error *error)
{
    *trajectory = NULL;
    jo_trajectory *t = allocate(path);
    if (t == NULL) return jo_fail_memory(error, sizeof *t, "a trajectory");
    t->dim = scene->dim;
    t->expected = expected_bodies(scene);
    jo_status status = jo_trajectory_walls_keep(&t->walls, scene, error);
    const h5_quiet before = jo_h5_hush();
    if (status == JO_OK) status = rebuild(t, true, make_file, (void *)scene, error);
    jo_h5_unhush(before);
    if (status == JO_OK)
        *trajectory = t;
    else
        release(t);
    return status;
}

/* ---- appending */

/* Row `row` of a dataset: `count` items of `components`, which lie `stride` apart in memory; the
 * dataset has `columns` of them. rank 1: a single number. */
static bool put_row(hid_t set, hsize_t row, int rank, hsize_t columns, hsize_t count,
                    hsize_t components, hsize_t stride, h5md_kind kind, const void *data)
{
    const hsize_t size[3] = {row + 1, columns, components}, from[3] = {row, 0, 0};
    const hsize_t part[3] = {1, count, components}, mine[3] = {1, count, stride};
    const hsize_t zero[3] = {0, 0, 0};
    if (H5Dset_extent(set, size) < 0) return false;
    if (rank > 1 && count == 0) return true;
    const hid_t there = H5Dget_space(set);
    const hid_t here = rank == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, mine, NULL);
    bool ok = there >= 0 && here >= 0 &&
              H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, part, NULL) >= 0;
    if (rank > 1) ok = ok && H5Sselect_hyperslab(here, H5S_SELECT_SET, zero, NULL, part, NULL) >= 0;
    ok = ok && H5Dwrite(set, jo_h5md_memory_type(kind), here, there, H5P_DEFAULT, data) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return ok;
}

static bool flush(const jo_trajectory *t)
{
    return H5Fflush(t->file, H5F_SCOPE_LOCAL) >= 0 && t->store.failure == 0;
}

/* The row counts from now on. */
static bool finish_row(jo_trajectory *t, growing *g, uint64_t step, double time)
{
    const int64_t number = (int64_t)step;
    const bool ok = put_row(g->time, g->rows, 1, 0, 0, 0, 0, H5MD_F64, &time) && flush(t) &&
                    put_row(g->step, g->rows, 1, 0, 0, 0, 0, H5MD_I64, &number) && flush(t);
    g->rows++;
    return ok;
}

static bool put_bodies(jo_trajectory *t, const jo_frame *f)
{
    const void *data[H5MD_ELEMENTS] = {
        [H5MD_POSITION] = f->x,  [H5MD_VELOCITY] = f->v,       [H5MD_SPIN] = f->w,
        [H5MD_FORCE] = f->force, [H5MD_RADIUS] = f->r,         [H5MD_MASS] = f->mass,
        [H5MD_ID] = f->id,       [H5MD_SPECIES] = f->material, [H5MD_TOUCHING] = f->touching,
        [H5MD_FIXED] = f->fixed, [H5MD_ORIENTATION] = f->q,    [H5MD_SHAPE] = f->shape,
    };
    if (f->n > t->columns) t->columns = f->n;
    for (size_t k = 0; k < t->bodies.count; k++) {
        const h5md_element *e = &jo_h5md_elements[k];
        const hsize_t components = e->components > 0 ? (hsize_t)e->components : (hsize_t)t->dim;
        /* An array that the caller does not have is left at its fill value. */
        const hsize_t count = data[k] != NULL ? f->n : 0;
        if (!put_row(t->bodies.set[k], t->bodies.rows, components > 1 ? 3 : 2, t->columns, count,
                     components, jo_h5md_stride(e), e->kind, data[k]))
            return false;
    }
    return put_row(t->shear, t->bodies.rows, 1, 0, 0, 0, 0, H5MD_F64, &f->shear_offset);
}

static bool put_poses(jo_trajectory *t, const jo_wall_state *walls, size_t count)
{
    if (t->pose < 0) return true;
    hsize_t size[3] = {0, 0, 0};
    const hid_t space = H5Dget_space(t->pose);
    H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    double *pose = calloc((size_t)size[1] * H5MD_POSE, sizeof *pose);
    if (pose == NULL) return false;
    for (size_t k = 0; k < size[1]; k++) {
        static const jo_wall_state still = {.present = true,
                                            .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const jo_wall_state *w = walls != NULL && k < count ? &walls[k] : &still;
        memcpy(pose + k * H5MD_POSE, w->displacement, 3 * sizeof *pose);
        memcpy(pose + k * H5MD_POSE + 3, w->rotation, 9 * sizeof *pose);
        pose[k * H5MD_POSE + 12] = w->present ? 1.0 : 0.0;
    }
    const bool ok =
        put_row(t->pose, t->bodies.rows, 3, size[1], size[1], H5MD_POSE, H5MD_POSE, H5MD_F64, pose);
    free(pose);
    return ok;
}

/* Contacts as arrays; a wall w is the body -2 - w. */
static bool put_contacts(jo_trajectory *t, const jo_soft_contact *contacts, size_t count)
{
    const size_t room = count > 0 ? count : 1;
    int64_t *pair = malloc(2 * room * sizeof *pair);
    double *numbers = malloc(7 * room * sizeof *numbers);
    bool ok = pair != NULL && numbers != NULL;
    double *force = numbers, *point = numbers + 3 * room, *overlap = numbers + 6 * room;
    for (size_t k = 0; ok && k < count; k++) {
        const jo_soft_contact *c = &contacts[k];
        pair[2 * k] = (int64_t)c->a;
        pair[2 * k + 1] = c->b == JO_NO_BODY ? -2 - (int64_t)c->wall : (int64_t)c->b;
        memcpy(force + 3 * k, c->force, sizeof c->force);
        memcpy(point + 3 * k, c->point, sizeof c->point);
        overlap[k] = c->overlap;
    }
    const void *data[H5MD_CONTACTS] = {pair, force, point, overlap};
    if (count > t->contacts) t->contacts = count;
    for (int k = 0; ok && k < H5MD_CONTACTS; k++) {
        const hsize_t components = (hsize_t)jo_h5md_contacts[k].components;
        ok = put_row(t->touching.set[k], t->touching.rows, components > 1 ? 3 : 2, t->contacts,
                     count, components, components, jo_h5md_contacts[k].kind, data[k]);
    }
    free(numbers);
    free(pair);
    return ok;
}

/* Rows that are shorter than the longest are filled with NaN. */
static bool put_sides(jo_trajectory *t, const jo_frame *f)
{
    double event[9] = {f->event_points};
    const size_t count = f->sides != NULL ? f->side_count : 0;
    memcpy(event + 1, f->event, sizeof f->event);
    if (count > t->side_columns) t->side_columns = count;
    return put_row(t->sides.set[H5MD_SIDE], t->sides.rows, 3, t->side_columns, count, 4, 4,
                   H5MD_F64, f->sides) &&
           put_row(t->sides.set[H5MD_EVENT], t->sides.rows, 3, 1, 1, 9, 9, H5MD_F64, event);
}

static jo_status refuse(const jo_trajectory *t, jo_error *error)
{
    return jo_fail(error, JO_ERR_IO, "%.300s: a write failed before; nothing more is written to it",
                   t->path);
}

static jo_status append(jo_trajectory *t, const jo_frame *frame, const jo_wall_state *walls,
                        size_t wall_count, const jo_soft_contact *contacts, size_t contact_count,
                        jo_error *error)
{
    jo_status status = JO_OK;
    if (t->bodies.count == 0) status = rebuild(t, false, make_bodies, (void *)frame, error);
    if (status == JO_OK && contacts != NULL && t->touching.count == 0)
        status = rebuild(t, false, make_contacts, &contact_count, error);
    if (status == JO_OK && frame->sides != NULL && t->sides.count == 0) {
        size_t sides = frame->side_count;
        status = rebuild(t, false, make_sides, &sides, error);
    }
    if (status != JO_OK) return status;
    bool ok = put_bodies(t, frame) && put_poses(t, walls, wall_count);
    if (frame->outline_first != NULL) ok = ok && jo_h5md_add_outlines(t->file, &t->outlines, frame);
    if (t->touching.count > 0)
        ok = ok && put_contacts(t, contacts, contacts != NULL ? contact_count : 0);
    if (t->sides.count > 0) ok = ok && put_sides(t, frame);
    ok = ok && flush(t);
    if (ok && t->sides.count > 0) ok = finish_row(t, &t->sides, frame->step, frame->time);
    if (ok && t->touching.count > 0) ok = finish_row(t, &t->touching, frame->step, frame->time);
    if (ok && finish_row(t, &t->bodies, frame->step, frame->time)) return JO_OK;
    t->broken = true;
    return jo_h5_fail(error, t->path, "written", &t->store);
}

jo_status jo_trajectory_append(jo_trajectory *trajectory, const jo_frame *frame,
                               const jo_wall_state *walls, size_t wall_count,
                               const jo_soft_contact *contacts, size_t contact_count,
                               jo_error *error)
{
    if (trajectory->broken) return refuse(trajectory, error);
    if (frame->dim != trajectory->dim)
        return jo_fail(error, JO_ERR_ARGUMENT, "%.300s: a frame in %dD for a trajectory in %dD",
                       trajectory->path, frame->dim, trajectory->dim);
    const h5_quiet before = jo_h5_hush();
    const jo_status status =
        append(trajectory, frame, walls, wall_count, contacts, contact_count, error);
    jo_h5_unhush(before);
    return status;
}

/* ---- observables */

/* Names of observables are names of groups: '/' and a leading '.' cannot be in them. */
static bool clean_names(column_names *c, const char *const *names, size_t count)
{
    *c = (column_names){.count = count, .text = calloc(count > 0 ? count : 1, sizeof *c->text)};
    if (c->text == NULL) return false;
    for (size_t k = 0; k < count; k++) {
        snprintf(c->text[k], sizeof c->text[k], "%s", names[k]);
        for (char *p = c->text[k]; *p != '\0'; p++)
            if (*p == '/' || (*p == '.' && p == c->text[k])) *p = '_';
    }
    return true;
}

static jo_status observe(jo_trajectory *t, uint64_t step, const char *const *names,
                         const double *values, size_t count, jo_error *error)
{
    if (t->observed.count == 0) {
        column_names columns;
        if (!clean_names(&columns, names, count))
            return jo_fail_memory(error, count * (H5MD_NAME + 1), "names of observables");
        const jo_status status = rebuild(t, false, make_observables, &columns, error);
        free(columns.text);
        if (status != JO_OK) return status;
    }
    if (t->observed.count != count)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "%.300s: a row of %zu observables where those before had %zu", t->path,
                       count, t->observed.count);
    bool ok = true;
    for (size_t k = 0; ok && k < count; k++)
        ok = put_row(t->observed.set[k], t->observed.rows, 1, 0, 0, 0, 0, H5MD_F64, &values[k]);
    if (ok && flush(t) && finish_row(t, &t->observed, step, values[0])) return JO_OK;
    t->broken = true;
    return jo_h5_fail(error, t->path, "written", &t->store);
}

jo_status jo_trajectory_observe(jo_trajectory *trajectory, uint64_t step, const char *const *names,
                                const double *values, size_t count, jo_error *error)
{
    if (trajectory->broken) return refuse(trajectory, error);
    if (count == 0) return jo_fail(error, JO_ERR_ARGUMENT, "a row of no observables");
    const h5_quiet before = jo_h5_hush();
    const jo_status status = observe(trajectory, step, names, values, count, error);
    jo_h5_unhush(before);
    return status;
}

/* ---- going on */

/* How many rows are not later than `step`. */
static bool rows_until(const growing *g, uint64_t step, hsize_t *keep)
{
    *keep = 0;
    if (g->count == 0 || g->rows == 0) return true;
    if (g->rows > ROWS_MAX) return false;
    int64_t *steps = malloc((size_t)g->rows * sizeof *steps);
    const bool ok = steps != NULL &&
                    H5Dread(g->step, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, steps) >= 0;
    while (ok && *keep < g->rows && steps[*keep] >= 0 && (uint64_t)steps[*keep] <= step)
        (*keep)++;
    free(steps);
    return ok;
}

static bool has_rows(hid_t set, hsize_t rows)
{
    return set < 0 || jo_h5md_rows(set) == rows;
}

static bool is_even(const growing *g, hsize_t rows)
{
    bool even = has_rows(g->step, rows) && has_rows(g->time, rows);
    for (size_t k = 0; even && k < g->count; k++)
        even = has_rows(g->set[k], rows);
    return even;
}

static bool cut_set(hid_t set, hsize_t rows)
{
    hsize_t size[3] = {0, 0, 0};
    if (set < 0) return true;
    const hid_t space = H5Dget_space(set);
    bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) <= 3 &&
              H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    size[0] = rows;
    return ok && H5Dset_extent(set, size) >= 0;
}

static bool cut_growing(growing *g, hsize_t rows)
{
    bool ok = cut_set(g->step, rows) && cut_set(g->time, rows);
    for (size_t k = 0; ok && k < g->count; k++)
        ok = cut_set(g->set[k], rows);
    return ok;
}

typedef struct lengths {
    hsize_t bodies, observed, touching, sides;
} lengths;

static bool cut_all(jo_trajectory *t, hid_t file, void *context)
{
    const lengths *keep = context;
    t->file = file;
    bool ok = open_sets(t);
    ok = ok && cut_growing(&t->bodies, keep->bodies) && cut_growing(&t->observed, keep->observed) &&
         cut_growing(&t->touching, keep->touching) && cut_growing(&t->sides, keep->sides) &&
         cut_set(t->shear, keep->bodies) && cut_set(t->pose, keep->bodies);
    close_sets(t);
    t->file = -1; /* whose it is closes it */
    return ok;
}

static jo_status continue_at(jo_trajectory *t, uint64_t step, jo_error *error)
{
    lengths keep = {0};
    jo_status status = open_file(t, error);
    if (status != JO_OK) return status;
    const hid_t own = H5Gopen2(t->file, H5MD_OWN, H5P_DEFAULT);
    const hid_t dimension = own >= 0 ? H5Aopen(own, "dimension", H5P_DEFAULT) : -1;
    bool ok = dimension >= 0 && H5Aread(dimension, H5T_NATIVE_INT, &t->dim) >= 0;
    if (dimension >= 0) H5Aclose(dimension);
    if (own >= 0) H5Gclose(own);
    if (!ok)
        return jo_fail(error, JO_ERR_DATA, "%.300s: is no trajectory that jostle wrote", t->path);
    ok = rows_until(&t->bodies, step, &keep.bodies) &&
         rows_until(&t->observed, step, &keep.observed) &&
         rows_until(&t->touching, step, &keep.touching) && rows_until(&t->sides, step, &keep.sides);
    if (!ok) return jo_h5_fail(error, t->path, "read", &t->store);
    if (is_even(&t->bodies, keep.bodies) && is_even(&t->observed, keep.observed) &&
        is_even(&t->touching, keep.touching) && is_even(&t->sides, keep.sides) &&
        has_rows(t->shear, keep.bodies) && has_rows(t->pose, keep.bodies))
        return JO_OK;
    return rebuild(t, false, cut_all, &keep, error);
}

jo_status jo_trajectory_continue(const char *path, uint64_t step, jo_trajectory **trajectory,
                                 jo_error *error)
{
    *trajectory = NULL;
    jo_trajectory *t = allocate(path);
    if (t == NULL) return jo_fail_memory(error, sizeof *t, "a trajectory");
    const h5_quiet before = jo_h5_hush();
    const jo_status status = continue_at(t, step, error);
    if (status != JO_OK) {
        close_file(t);
        release(t);
    } else {
        *trajectory = t;
    }
    jo_h5_unhush(before);
    return status;
}

jo_status jo_trajectory_close(jo_trajectory *trajectory, jo_error *error)
{
    if (trajectory == NULL) return JO_OK;
    const h5_quiet before = jo_h5_hush();
    jo_status status = JO_OK;
    const bool known = trajectory->broken; /* the caller was told */
    if (!close_file(trajectory) && !known)
        status = jo_h5_fail(error, trajectory->path, "written", &trajectory->store);
    jo_h5_unhush(before);
    release(trajectory);
    return status;
}

#else

static jo_status unsupported(const char *path, jo_error *error)
{
    return jo_fail(error, JO_ERR_UNSUPPORTED,
                   "%.300s: trajectories need HDF5, which this build of jostle has not; install "
                   "libhdf5-dev and build again",
                   path);
}

jo_status jo_trajectory_create(const char *path, const jo_scene *scene, jo_trajectory **trajectory,
                               jo_error *error)
{
    (void)scene;
    *trajectory = NULL;
    return unsupported(path, error);
}

jo_status jo_trajectory_continue(const char *path, uint64_t step, jo_trajectory **trajectory,
                                 jo_error *error)
{
    (void)step;
    *trajectory = NULL;
    return unsupported(path, error);
}

jo_status jo_trajectory_append(jo_trajectory *trajectory, const jo_frame *frame,
                               const jo_wall_state *walls, size_t wall_count,
                               const jo_soft_contact *contacts, size_t contact_count,
                               jo_error *error)
{
    (void)trajectory;
    (void)frame;
    (void)walls;
    (void)wall_count;
    (void)contacts;
    (void)contact_count;
    return unsupported("a trajectory", error);
}

jo_status jo_trajectory_observe(jo_trajectory *trajectory, uint64_t step, const char *const *names,
                                const double *values, size_t count, jo_error *error)
{
    (void)trajectory;
    (void)step;
    (void)names;
    (void)values;
    (void)count;
    return unsupported("a trajectory", error);
}

jo_status jo_trajectory_close(jo_trajectory *trajectory, jo_error *error)
{
    (void)trajectory;
    (void)error;
    return JO_OK;
}

#endif
