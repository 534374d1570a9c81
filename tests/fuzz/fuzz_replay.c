/* fuzz_replay.c — the reader of trajectories on files that are not as they should be.
 *
 * Bytes that begin like HDF5 are read as they are. All others are a recipe: for each dataset of a
 * trajectory a byte says whether it is right, missing, or of another shape, type or size, among
 * them sizes that no file of a few kilobytes can hold; the file is then made by HDF5 itself, so
 * that what is wrong with it is for our reader to notice. Everything that can be asked for is asked
 * for, and every value looked at. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jostle/trajectory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the recipe */

typedef struct recipe {
    const uint8_t *data;
    size_t size;
} recipe;

static unsigned next(recipe *r)
{
    if (r->size == 0) return 1;
    r->size--;
    return *r->data++;
}

/* Sizes by name: frames, bodies, dimensions, walls, triangles. */
enum { FRAMES = 1001, BODIES, AXES, WALLS, TRIANGLES, COLUMNS };
typedef enum kind { REAL, WHOLE, WORD, BYTE, NAME, SINGLE, VARIABLE, PAIR, KINDS } kind;

static const struct part {
    const char *path;
    kind type;
    int rank;
    int size[3];
} parts[] = {
    {"particles/all/position/value", REAL, 3, {FRAMES, BODIES, AXES}},
    {"particles/all/position/step", WHOLE, 1, {FRAMES}},
    {"particles/all/position/time", REAL, 1, {FRAMES}},
    {"particles/all/radius/value", REAL, 2, {FRAMES, BODIES}},
    {"particles/all/id/value", WHOLE, 2, {FRAMES, BODIES}},
    {"particles/all/velocity/value", REAL, 3, {FRAMES, BODIES, AXES}},
    {"particles/all/angular_velocity/value", REAL, 3, {FRAMES, BODIES, 3}},
    {"particles/all/force/value", REAL, 3, {FRAMES, BODIES, AXES}},
    {"particles/all/mass/value", REAL, 2, {FRAMES, BODIES}},
    {"particles/all/species/value", WORD, 2, {FRAMES, BODIES}},
    {"particles/all/contacts/value", WORD, 2, {FRAMES, BODIES}},
    {"particles/all/fixed/value", BYTE, 2, {FRAMES, BODIES}},
    {"particles/all/box/edges", REAL, 1, {AXES}},
    {"particles/all/box/shear_offset/value", REAL, 1, {FRAMES}},
    {"parameters/jostle/scene", NAME, 0, {0}},
    {"parameters/jostle/title", NAME, 0, {0}},
    {"parameters/jostle/materials", NAME, 1, {2}},
    {"parameters/jostle/columns", NAME, 1, {COLUMNS}},
    {"parameters/jostle/walls/triangles", REAL, 2, {TRIANGLES, 9}},
    {"parameters/jostle/walls/wall", WORD, 1, {TRIANGLES}},
    {"parameters/jostle/walls/pivot", REAL, 2, {WALLS, 3}},
    {"parameters/jostle/walls/pose/value", REAL, 3, {FRAMES, WALLS, 13}},
    {"observables/a/step", WHOLE, 1, {FRAMES}},
    {"observables/a/value", REAL, 1, {FRAMES}},
    {"observables/b/value", REAL, 1, {FRAMES}},
};

static hid_t type_of(kind k)
{
    hid_t type = -1;
    switch (k) {
    case REAL:
        return H5Tcopy(H5T_IEEE_F64LE);
    case WHOLE:
        return H5Tcopy(H5T_STD_I64LE);
    case WORD:
        return H5Tcopy(H5T_STD_I32LE);
    case BYTE:
        return H5Tcopy(H5T_STD_U8LE);
    case SINGLE:
        return H5Tcopy(H5T_IEEE_F32BE);
    case NAME:
    case VARIABLE:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, k == NAME ? 64 : H5T_VARIABLE);
        return type;
    default:
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, "x", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(type, "y", 8, H5T_NATIVE_DOUBLE);
        return type;
    }
}

static const hsize_t odd_sizes[16] = {0,  1,  2,  3,   4,       5,       6,          7,
                                      13, 64, 65, 300, 1 << 16, 1 << 24, 1ull << 31, 1ull << 40};

static void fill(hid_t set, kind type, recipe *r)
{
    static const double some[8] = {0.0, 1.0, -1.0, 0.5, 1e300, -3.0, 2.0, 7.0};
    static double values[4096];
    static char names[64 * 64];
    const hid_t space = H5Dget_space(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if (count <= 0 || count > 4096) return;
    if (type == NAME) { /* the first two are the observables' names */
        for (size_t k = 0; k < sizeof names; k++)
            names[k] = k < 3 * 64 ? (char)(k % 64 == 0 ? "abc"[k / 64] : '\0') : (char)next(r);
        const hid_t stored = H5Dget_type(set);
        if (count <= 64) H5Dwrite(set, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, names);
        H5Tclose(stored);
        return;
    }
    if (type == VARIABLE || type == PAIR) return;
    for (hssize_t k = 0; k < count; k++) {
        const unsigned byte = next(r);
        values[k] = byte < 200 ? (double)(byte % 8) : some[byte % 8];
    }
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

static void make_part(hid_t file, const struct part *p, const int named[6], recipe *r)
{
    const unsigned what = next(r);
    if (what % 16 == 15) return; /* missing */
    kind type = p->type;
    int rank = p->rank;
    hsize_t size[3], chunk[3];
    for (int a = 0; a < 3; a++)
        size[a] = (hsize_t)(p->size[a] >= FRAMES ? named[p->size[a] - FRAMES] : p->size[a]);
    if (what % 16 == 14) type = (kind)(next(r) % KINDS);
    if (what % 16 == 13) rank = (int)(next(r) % 4);
    if (what % 16 >= 11 && what % 16 <= 13) size[what / 16 % 3] = odd_sizes[next(r) % 16];
    for (int a = 0; a < 3; a++)
        chunk[a] = size[a] > 0 && size[a] < 64 ? size[a] : 64;
    const hid_t h5 = type_of(type), links = H5Pcreate(H5P_LINK_CREATE);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, NULL);
    H5Pset_create_intermediate_group(links, 1);
    if (rank > 0) H5Pset_chunk(creation, rank, chunk);
    const hid_t set = H5Dcreate2(file, p->path, h5, space, links, creation, H5P_DEFAULT);
    if (set >= 0) fill(set, type, r);
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(links);
    H5Tclose(h5);
}

static void make_file(const char *path, recipe *r)
{
    const int named[6] = {(int)(next(r) % 4), (int)(next(r) % 6), 2 + (int)(next(r) % 2),
                          (int)(next(r) % 3), (int)(next(r) % 4), (int)(next(r) % 3)};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, true); /* written when it is closed */
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file < 0) abort();
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        make_part(file, &parts[k], named, r);
    H5Fclose(file);
    H5Pclose(access);
}

/* ---- reading */

static void demand(bool kept, const char *promise, const jo_error *error)
{
    if (kept) return;
    fprintf(stderr, "broken promise: %s (status %s, text '%s')\n", promise,
            jo_status_name(error->status), error->text);
    abort();
}

static double sum_of(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++)
        sum += values[k];
    return sum;
}

static double look_at_frame(jo_replay *replay, size_t k)
{
    jo_error error = {JO_OK, ""};
    jo_frame f;
    const double *triangles;
    const uint32_t *wall;
    size_t count;
    double sum = 0.0;
    if (jo_replay_frame(replay, k, &f, &error) == JO_OK) {
        demand(f.dim == 2 || f.dim == 3, "a frame has two or three dimensions", &error);
        sum += sum_of(f.x, 3 * f.n) + sum_of(f.v, 3 * f.n) + sum_of(f.w, 3 * f.n) +
               sum_of(f.force, 3 * f.n) + sum_of(f.r, f.n) + sum_of(f.mass, f.n);
        for (size_t i = 0; i < f.n; i++)
            sum += (double)f.id[i] + f.material[i] + f.fixed[i] + f.touching[i];
    } else {
        demand(error.text[0] != '\0' && f.n == 0, "a sentence and no frame", &error);
    }
    if (jo_replay_walls(replay, k, &triangles, &wall, &count, &error) == JO_OK) {
        sum += sum_of(triangles, 9 * count);
        for (size_t t = 0; t < count; t++)
            sum += wall[t];
    }
    return sum;
}

static void read_file(const char *path)
{
    jo_error error = {JO_OK, ""};
    jo_replay *replay;
    const char *const *names;
    const double *values;
    size_t columns, rows;
    volatile double sum = 0.0;
    const jo_status status = jo_replay_open(path, &replay, &error);
    if (status != JO_OK) {
        demand(replay == NULL && error.text[0] != '\0' && error.status == status,
               "a sentence and no replay", &error);
        return;
    }
    for (size_t k = 0; k < jo_replay_frames(replay) && k < 5; k++)
        sum += look_at_frame(replay, k);
    demand(jo_replay_frame(replay, jo_replay_frames(replay), &(jo_frame){0}, &error) != JO_OK,
           "no frame behind the last", &error);
    if (jo_replay_series(replay, &names, &columns, &values, &rows, &error) == JO_OK) {
        sum += sum_of(values, columns * rows);
        for (size_t k = 0; k < columns; k++)
            sum += (double)strlen(names[k]);
    }
    sum += (double)(strlen(jo_replay_scene(replay)) + strlen(jo_replay_title(replay)) +
                    strlen(jo_replay_material(replay, 0)) + strlen(jo_replay_material(replay, 99)));
    jo_replay_close(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/dev/shm/jostle-fuzz-XXXXXX";
    static const uint8_t signature[4] = {0x89, 'H', 'D', 'F'};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const int fd = mkstemp(path);
    if (fd < 0) abort();
    if (size >= 4 && memcmp(data, signature, 4) == 0) {
        if (write(fd, data, size) != (ssize_t)size) abort();
    } else {
        recipe r = {data, size};
        make_file(path, &r);
    }
    read_file(path);
    close(fd);
    unlink(path);
    return 0;
}
