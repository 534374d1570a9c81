/* checkpoint.c — the complete state of an engine as an HDF5 file that is whole or not there.
 *
 * Layout: the attributes `format` ("jostle checkpoint") and `version` of the root, the datasets
 * `scene` and `folder` (text), one dataset per chunk in the group `chunks`, in the order they were
 * given, and in the group `geometry`, which is there if there are such files, one group per file
 * that the scene has a shape or a mesh from: `name` (text) and `bytes`. Behind the end of the HDF5
 * data, where HDF5 does not look, stand 64 bytes: a signature, the version, the number of bytes
 * before them and a 128-bit hash of those. The hash is checked before anything else is done with a
 * file, so that damage (a flipped bit, a cut end) is told from a checkpoint in every case, and
 * HDF5, which trusts what it reads, never sees it.
 *
 * The file is written beside the target, flushed to the disk and renamed: see output.c. Chunks are
 * written from where the caller has them; nothing is copied.
 *
 * Files of geometry are written each time: a checkpoint is one file, whole by itself.
 *
 * Cost: one pass to write and one to hash, at some GB/s. */
#include "jostle/trajectory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/geometry_files.h"

void jo_checkpoint_free(jo_checkpoint *checkpoint)
{
    if (checkpoint == NULL) return;
    for (size_t k = 0; k < checkpoint->count; k++)
        free((void *)checkpoint->chunks[k].data);
    free(checkpoint->chunks);
    free(checkpoint->scene_text);
    free(checkpoint->scene_folder);
    jo_geometry_files_free(checkpoint->geometry, checkpoint->geometry_count);
    *checkpoint = (jo_checkpoint){0};
}

#ifdef JO_HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mix.h"
#include "io/h5store.h"
#include "io/output.h"

enum { VERSION = 1, TRAILER = 64, SIGNATURE_SIZE = 24, BLOCK = 1 << 20 };
static const char signature[SIGNATURE_SIZE] = "jostle checkpoint\n"; /* zeros behind it */
#define TEXT_MAX ((size_t)1 << 30)

/* ---- the hash: four lanes of 64 bits over words of 8 bytes */

typedef struct digest {
    uint64_t lane[4];
    uint64_t words;
} digest;

/* count is a multiple of 8 in every call but the last. */
static void digest_add(digest *d, const unsigned char *bytes, size_t count)
{
    for (size_t k = 0; k < count; k += 8, d->words++) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, count - k < 8 ? count - k : 8);
        uint64_t *lane = &d->lane[d->words & 3];
        const uint64_t mixed = (*lane ^ word) * 0x9E3779B97F4A7C15u;
        *lane = mixed << 29 | mixed >> 35;
    }
}

static void digest_end(const digest *d, uint64_t size, uint64_t hash[2])
{
    hash[0] = jo_mix64(size);
    for (int k = 0; k < 4; k++)
        hash[0] = jo_mix64(hash[0] ^ d->lane[k]);
    hash[1] = hash[0];
    for (int k = 3; k >= 0; k--)
        hash[1] = jo_mix64(hash[1] + d->lane[k]);
}

static bool read_at(int fd, void *bytes, size_t count, uint64_t at)
{
    char *to = bytes;
    while (count > 0) {
        const ssize_t done = pread(fd, to, count, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            if (done == 0) errno = EIO; /* shorter than it just was */
            return false;
        }
        to += done;
        at += (uint64_t)done;
        count -= (size_t)done;
    }
    return true;
}

/* The hash of the first `size` bytes; false: errno says why. */
static bool hash_file(int fd, uint64_t size, uint64_t hash[2])
{
    digest d = {.lane = {1, 2, 3, 4}};
    unsigned char *block = malloc(BLOCK);
    bool ok = block != NULL;
    for (uint64_t at = 0; ok && at < size; at += BLOCK) {
        const size_t count = size - at < BLOCK ? (size_t)(size - at) : BLOCK;
        ok = read_at(fd, block, count, at);
        if (ok) digest_add(&d, block, count);
    }
    free(block);
    digest_end(&d, size, hash);
    return ok;
}

static void make_trailer(unsigned char trailer[TRAILER], uint64_t size, const uint64_t hash[2])
{
    const uint64_t numbers[5] = {VERSION, size, hash[0], hash[1], 0};
    memset(trailer, 0, TRAILER);
    memcpy(trailer, signature, SIGNATURE_SIZE);
    for (int k = 0; k < 5; k++)
        for (int b = 0; b < 8; b++)
            trailer[SIGNATURE_SIZE + 8 * k + b] = (unsigned char)(numbers[k] >> (8 * b));
}

/* ---- chunks as datasets */

static hid_t file_type(jo_chunk_type type)
{
    switch (type) {
    case JO_CHUNK_F64:
        return H5T_IEEE_F64LE;
    case JO_CHUNK_F32:
        return H5T_IEEE_F32LE;
    case JO_CHUNK_U64:
        return H5T_STD_U64LE;
    case JO_CHUNK_U32:
        return H5T_STD_U32LE;
    case JO_CHUNK_U8:
        return H5T_STD_U8LE;
    }
    return -1;
}

static hid_t memory_type(jo_chunk_type type)
{
    switch (type) {
    case JO_CHUNK_F64:
        return H5T_NATIVE_DOUBLE;
    case JO_CHUNK_F32:
        return H5T_NATIVE_FLOAT;
    case JO_CHUNK_U64:
        return H5T_NATIVE_UINT64;
    case JO_CHUNK_U32:
        return H5T_NATIVE_UINT32;
    case JO_CHUNK_U8:
        return H5T_NATIVE_UINT8;
    }
    return -1;
}

static size_t element_size(jo_chunk_type type)
{
    switch (type) {
    case JO_CHUNK_F64:
    case JO_CHUNK_U64:
        return 8;
    case JO_CHUNK_F32:
    case JO_CHUNK_U32:
        return 4;
    case JO_CHUNK_U8:
        return 1;
    }
    return 0;
}

static bool write_chunk(hid_t group, const jo_chunk *chunk)
{
    const hsize_t count = chunk->count;
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t set = H5Dcreate2(group, chunk->name, file_type(chunk->type), space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0;
    if (ok && count > 0)
        ok = H5Dwrite(set, memory_type(chunk->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, chunk->data) >=
             0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    return ok;
}

/* Numbers name the groups: the files' names may have slashes. */
static bool write_geometry(hid_t file, const jo_scene *scene)
{
    bool ok = true;
    for (size_t k = 0; ok && scene != NULL && k < scene->geometry_count; k++) {
        const jo_geometry_file *from = &scene->geometry[k];
        const jo_chunk bytes = {
            .name = "bytes", .type = JO_CHUNK_U8, .count = from->size, .data = from->bytes};
        char place[40];
        snprintf(place, sizeof place, "geometry/%zu", k);
        const hid_t group = jo_h5_group(file, place);
        ok =
            group >= 0 && jo_h5_write_text(group, "name", from->name) && write_chunk(group, &bytes);
        if (group >= 0) H5Gclose(group);
    }
    return ok;
}

static bool write_contents(hid_t file, const jo_scene *scene, const jo_chunk *chunks, size_t count)
{
    const int version = VERSION;
    bool ok = jo_h5_put_text(file, "format", "jostle checkpoint") &&
              jo_h5_put_text(file, "creator", "jostle " JO_VERSION_STRING) &&
              jo_h5_put_numbers(file, "version", H5T_NATIVE_INT, &version, 1);
    const char *source = scene != NULL && scene->source != NULL ? scene->source : "";
    const char *folder = scene != NULL && scene->folder != NULL ? scene->folder : "";
    ok = ok && jo_h5_write_text(file, "scene", source) &&
         jo_h5_write_text(file, "folder", folder) && write_geometry(file, scene);
    const hid_t list = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t group = H5Gcreate2(file, "chunks", H5P_DEFAULT, list, H5P_DEFAULT);
    ok = ok && group >= 0;
    for (size_t k = 0; ok && k < count; k++)
        ok = write_chunk(group, &chunks[k]);
    if (group >= 0) H5Gclose(group);
    if (list >= 0) H5Pclose(list);
    return ok;
}

static jo_status check_chunks(const jo_chunk *chunks, size_t count, jo_error *error)
{
    if (count > JO_CHUNKS_MAX || (count > 0 && chunks == NULL))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "a checkpoint of %zu chunks: there can be 0 to %d, with their array", count,
                       JO_CHUNKS_MAX);
    for (size_t k = 0; k < count; k++) {
        const jo_chunk *c = &chunks[k];
        if (c->name[0] == '\0' || memchr(c->name, '\0', sizeof c->name) == NULL ||
            strchr(c->name, '/') != NULL || strcmp(c->name, ".") == 0)
            return jo_fail(error, JO_ERR_ARGUMENT,
                           "the name of chunk %zu must have 1 to %zu characters, none of them '/'",
                           k, sizeof c->name - 1);
        if (element_size(c->type) == 0 || (c->count > 0 && c->data == NULL))
            return jo_fail(error, JO_ERR_ARGUMENT, "chunk %s has no data, or an unknown type",
                           c->name);
        for (size_t other = 0; other < k; other++)
            if (strcmp(chunks[other].name, c->name) == 0)
                return jo_fail(error, JO_ERR_ARGUMENT, "there are two chunks named %s", c->name);
    }
    return JO_OK;
}

/* Everything into the open file, trailer included; sets out->failure. False: HDF5 failed. */
static bool fill_file(output *out, const jo_scene *scene, const jo_chunk *chunks, size_t count)
{
    h5_store store;
    const hid_t file = jo_h5_open(&store, out->fd, false, H5_CREATE);
    bool ok = file >= 0 && write_contents(file, scene, chunks, count);
    if (file >= 0) ok = H5Fclose(file) >= 0 && ok;
    out->failure = store.failure;
    uint64_t hash[2];
    unsigned char trailer[TRAILER];
    if (!ok || out->failure != 0) return ok || out->failure != 0;
    if (!hash_file(out->fd, store.size, hash)) {
        out->failure = errno;
        return true;
    }
    make_trailer(trailer, store.size, hash);
    if (lseek(out->fd, (off_t)store.size, SEEK_SET) < 0)
        out->failure = errno;
    else
        jo_output_put(out, trailer, sizeof trailer);
    return true;
}

jo_status jo_checkpoint_write(const char *path, const jo_scene *scene, const jo_chunk *chunks,
                              size_t count, jo_error *error)
{
    jo_status status = check_chunks(chunks, count, error);
    output out;
    if (status == JO_OK) status = jo_output_open(&out, path, error);
    if (status != JO_OK) return status;
    const h5_quiet before = jo_h5_hush();
    if (!fill_file(&out, scene, chunks, count)) {
        status = jo_h5_fail(error, path, "written", NULL);
        out.failure = EIO; /* discards what was written */
        (void)jo_output_finish(&out, NULL);
    } else {
        status = jo_output_finish(&out, error);
    }
    jo_h5_unhush(before);
    return status;
}

/* ---- reading */

static uint64_t number_at(const unsigned char *p)
{
    uint64_t value = 0;
    for (int b = 7; b >= 0; b--)
        value = value << 8 | p[b];
    return value;
}

static jo_status check_file(const char *path, int fd, jo_error *error)
{
    struct stat facts;
    unsigned char trailer[TRAILER];
    uint64_t hash[2];
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return jo_fail(error, JO_ERR_IO, "%.300s: is not a file that can be read", path);
    const uint64_t size = (uint64_t)facts.st_size;
    if (size >= TRAILER && !read_at(fd, trailer, TRAILER, size - TRAILER))
        return jo_fail(error, JO_ERR_IO, "%.300s: cannot be read: %s", path, strerror(errno));
    if (size < TRAILER || memcmp(trailer, signature, SIGNATURE_SIZE) != 0)
        return jo_fail(error, JO_ERR_DATA,
                       "%.300s: is no checkpoint of jostle, or its end is missing; jostle run "
                       "writes checkpoints",
                       path);
    const unsigned char *numbers = trailer + SIGNATURE_SIZE;
    if (number_at(numbers) != VERSION)
        return jo_fail(error, JO_ERR_DATA,
                       "%.300s: is a checkpoint of version %llu; this jostle reads version %d",
                       path, (unsigned long long)number_at(numbers), VERSION);
    if (number_at(numbers + 8) != size - TRAILER)
        return jo_fail(
            error, JO_ERR_DATA, "%.300s: is damaged: it holds %llu bytes where %llu were written",
            path, (unsigned long long)(size - TRAILER), (unsigned long long)number_at(numbers + 8));
    if (!hash_file(fd, size - TRAILER, hash))
        return jo_fail(error, JO_ERR_IO, "%.300s: cannot be read: %s", path, strerror(errno));
    if (hash[0] != number_at(numbers + 16) || hash[1] != number_at(numbers + 24))
        return jo_fail(error, JO_ERR_DATA,
                       "%.300s: is damaged: its contents are not what was written", path);
    return JO_OK;
}

static bool type_of(hid_t type, jo_chunk_type *found)
{
    for (int k = JO_CHUNK_F64; k <= JO_CHUNK_U8; k++)
        if (H5Tequal(type, file_type((jo_chunk_type)k)) > 0) {
            *found = (jo_chunk_type)k;
            return true;
        }
    return false;
}

/* The chunk's name says which. */
static bool read_chunk(hid_t group, jo_chunk *chunk)
{
    const hid_t set = H5Dopen2(group, chunk->name, H5P_DEFAULT);
    if (set < 0) return false;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    bool ok = count >= 0 && type_of(type, &chunk->type) && (uint64_t)count < SIZE_MAX / 8;
    if (ok) {
        chunk->count = (size_t)count;
        chunk->data = malloc(chunk->count > 0 ? chunk->count * element_size(chunk->type) : 1);
        ok = chunk->data != NULL;
    }
    if (ok && count > 0)
        ok = H5Dread(set, memory_type(chunk->type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     (void *)chunk->data) >= 0;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Dclose(set);
    return ok;
}

static bool read_next_chunk(hid_t group, size_t k, jo_chunk *chunk)
{
    const ssize_t length =
        H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, (hsize_t)k, chunk->name,
                           sizeof chunk->name, H5P_DEFAULT);
    return length > 0 && (size_t)length < sizeof chunk->name && read_chunk(group, chunk);
}

static bool read_geometry_file(hid_t geometry, size_t k, jo_geometry_file *to)
{
    jo_chunk bytes = {.name = "bytes"};
    char number[24];
    snprintf(number, sizeof number, "%zu", k);
    const hid_t group = H5Gopen2(geometry, number, H5P_DEFAULT);
    if (group < 0) return false;
    to->name = jo_h5_read_text(group, "name", TEXT_MAX);
    const bool ok = to->name != NULL && read_chunk(group, &bytes) && bytes.type == JO_CHUNK_U8;
    to->bytes = (void *)bytes.data;
    to->size = bytes.count;
    H5Gclose(group);
    return ok;
}

static bool read_geometry(hid_t file, jo_checkpoint *c)
{
    if (H5Lexists(file, "geometry", H5P_DEFAULT) <= 0) return true;
    const hid_t group = H5Gopen2(file, "geometry", H5P_DEFAULT);
    H5G_info_t facts;
    bool ok = group >= 0 && H5Gget_info(group, &facts) >= 0;
    if (ok) c->geometry = calloc((size_t)facts.nlinks + 1, sizeof *c->geometry);
    ok = ok && c->geometry != NULL;
    for (size_t k = 0; ok && k < facts.nlinks; k++) {
        c->geometry_count = k + 1; /* what it has so far is freed with it */
        ok = read_geometry_file(group, k, &c->geometry[k]);
    }
    if (group >= 0) H5Gclose(group);
    return ok;
}

static bool read_contents(hid_t file, jo_checkpoint *c)
{
    c->scene_text = jo_h5_read_text(file, "scene", TEXT_MAX);
    c->scene_folder = jo_h5_read_text(file, "folder", TEXT_MAX);
    const hid_t group = H5Gopen2(file, "chunks", H5P_DEFAULT);
    H5G_info_t facts;
    bool ok = c->scene_text != NULL && c->scene_folder != NULL && group >= 0 &&
              H5Gget_info(group, &facts) >= 0 && facts.nlinks <= JO_CHUNKS_MAX;
    if (ok) c->chunks = calloc(facts.nlinks > 0 ? (size_t)facts.nlinks : 1, sizeof *c->chunks);
    ok = ok && c->chunks != NULL;
    for (size_t k = 0; ok && k < facts.nlinks; k++) {
        c->count = k + 1; /* what it has so far is freed with it */
        ok = read_next_chunk(group, k, &c->chunks[k]);
    }
    if (group >= 0) H5Gclose(group);
    return ok && read_geometry(file, c);
}

jo_status jo_checkpoint_read(const char *path, jo_checkpoint *checkpoint, jo_error *error)
{
    *checkpoint = (jo_checkpoint){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return jo_fail(error, JO_ERR_IO, "%.300s: cannot be opened: %s", path, strerror(errno));
    jo_status status = check_file(path, fd, error);
    if (status == JO_OK) {
        h5_store store;
        const h5_quiet before = jo_h5_hush();
        const hid_t file = jo_h5_open(&store, fd, false, H5_READ);
        if (file < 0 || !read_contents(file, checkpoint)) {
            status = jo_h5_fail(error, path, "read", NULL);
            jo_checkpoint_free(checkpoint);
        }
        if (file >= 0) H5Fclose(file);
        jo_h5_unhush(before);
    }
    close(fd);
    return status;
}

#else

static jo_status unsupported(const char *path, jo_error *error)
{
    return jo_fail(error, JO_ERR_UNSUPPORTED,
                   "%.300s: checkpoints need HDF5, which this build of jostle has not; install "
                   "libhdf5-dev and build again",
                   path);
}

jo_status jo_checkpoint_write(const char *path, const jo_scene *scene, const jo_chunk *chunks,
                              size_t count, jo_error *error)
{
    (void)scene;
    (void)chunks;
    (void)count;
    return unsupported(path, error);
}

jo_status jo_checkpoint_read(const char *path, jo_checkpoint *checkpoint, jo_error *error)
{
    *checkpoint = (jo_checkpoint){0};
    return unsupported(path, error);
}

#endif
