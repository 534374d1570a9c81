/* h5store.c — HDF5 on a file descriptor of ours, so that a process killed at any moment leaves a
 * file that every HDF5 program opens.
 *
 * HDF5 reaches its file through a driver; this is one. It does three things that HDF5's own do not.
 *
 * 1. Failures. A driver that reports a full disk leaves HDF5 with objects it cannot close. This one
 *    remembers the errno, says that all is well, and writes nothing from then on: what is on the
 *    disk is a state the file was in a moment earlier.
 *
 * 2. Growing files (`durable`). In its single-writer-multiple-reader mode HDF5 orders its writes
 *    such that nothing is referred to before it is there: nodes of indices are written to new
 *    places and the references to them last. Two things spoil the file for readers that know
 *    nothing of that mode. The superblock carries a mark "being written", which stays when the
 *    writer dies and makes plain readers refuse; and it states where the file ends, which is
 *    brought up to date only on closing, so that what was appended counts as out of bounds. Here
 *    the superblock is rewritten on its way to the disk: without the mark, and with an end that is
 *    always beyond everything written and never beyond the file itself. To that purpose the file is
 *    made longer first (a hole, in steps of 1 MiB), then the superblock is written (48 bytes within
 *    one page: such a write is done or not done), and only then the data. Closing cuts the hole off
 *    in the opposite order.
 *
 * 3. No locks: readers and the writer do not stop each other, on any file system.
 *
 * A block of metadata that crosses a page of the file could still be cut in two by a kill between
 * the pages. Files are therefore made with paged allocation (see the callers): blocks of metadata
 * up to 4 KiB do not cross. tests/unit/test_trajectory_kill.c kills a writer before every
 * single write of a page and reads what is left.
 *
 * Cost: one pwrite for each write of HDF5. */
#include "io/h5store.h"

#ifdef JO_HAVE_HDF5

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

#include "base/error.h"

/* Beside a writer a block may be read half written: HDF5 then waits and reads again, twice as long
 * each time, from a nanosecond on. Its own 100 times would never end for a block that is broken for
 * good; these are 0.03 s. */
enum { READ_ATTEMPTS = 25 };

#define STEP ((uint64_t)1 << 20) /* a growing file is made longer by this much */

/* ---- the superblock, version 3: signature 8, version 1, sizes 2, flags 1, base 8, extension 8,
 * end 8, root 8, checksum 4 */
enum { SUPER_VERSION_AT = 8, SUPER_FLAGS_AT = 11, SUPER_END_AT = 28, SUPER_SUM_AT = 44 };

static uint32_t turn(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

static uint32_t word_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_bytes(unsigned char *p, uint64_t value, int count)
{
    for (int k = 0; k < count; k++)
        p[k] = (unsigned char)(value >> (8 * k));
}

/* The checksum that HDF5's metadata carries: Bob Jenkins' lookup3 (2006), here for the 44 bytes of
 * a superblock, which are three blocks of three words and a rest of two. */
static uint32_t super_sum(const unsigned char *bytes)
{
    static const int mixing[6] = {4, 6, 8, 16, 19, 4};
    static const int ending[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeefu + SUPER_SUM_AT;
    for (int block = 0; block < 3; block++) {
        for (int k = 0; k < 3; k++)
            s[k] += word_at(bytes + 12 * block + 4 * k);
        for (int k = 0; k < 6; k++) {
            uint32_t *a = &s[k % 3], *b = &s[(k + 1) % 3], *c = &s[(k + 2) % 3];
            *a = (*a - *c) ^ turn(*c, mixing[k]);
            *c += *b;
        }
    }
    s[0] += word_at(bytes + 36);
    s[1] += word_at(bytes + 40);
    for (int k = 0; k < 7; k++) { /* c, a, b, c, a, b, c */
        uint32_t *a = &s[(k + 2) % 3];
        const uint32_t before = s[(k + 1) % 3];
        *a = (*a ^ before) - turn(before, ending[k]);
    }
    return s[2];
}

/* ---- writing */

static void write_at(h5_store *s, const void *bytes, size_t count, uint64_t at)
{
    const char *from = bytes;
    while (count > 0 && s->failure == 0) {
        const ssize_t done = pwrite(s->fd, from, count, (off_t)at);
        if (done >= 0) {
            from += done;
            at += (uint64_t)done;
            count -= (size_t)done;
        } else if (errno != EINTR) {
            s->failure = errno;
        }
    }
    if (s->failure == 0 && at > s->size) s->size = at;
}

static void resize(h5_store *s, uint64_t size)
{
    if (s->failure != 0 || size == s->size) return;
    if (ftruncate(s->fd, (off_t)size) != 0)
        s->failure = errno;
    else
        s->size = size;
}

static void write_super(h5_store *s)
{
    s->super[SUPER_FLAGS_AT] = 0;
    put_bytes(s->super + SUPER_END_AT, s->bound, 8);
    put_bytes(s->super + SUPER_SUM_AT, super_sum(s->super), 4);
    write_at(s, s->super, sizeof s->super, 0);
}

/* Everything below `end` may be referred to from now on. */
static void grow(h5_store *s, uint64_t end)
{
    if (end <= s->bound) return;
    s->bound = (end + STEP - 1) / STEP * STEP;
    if (s->bound > s->size) resize(s, s->bound);
    if (s->has_super) write_super(s);
}

/* Whether these bytes are a superblock that we know how to write. */
static bool is_super(uint64_t at, const unsigned char *bytes, size_t count)
{
    return at == 0 && count == H5_SUPER_SIZE && bytes[SUPER_VERSION_AT] == 3 &&
           word_at(bytes + SUPER_SUM_AT) == super_sum(bytes);
}

/* ---- the driver */

typedef struct driver_file {
    H5FD_t shared; /* HDF5's; first */
    h5_store *store;
    haddr_t allocated; /* the end of what HDF5 has given out */
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)flags;
    (void)most;
    h5_store *const *store = H5Pget_driver_info(access);
    driver_file *f = store != NULL ? calloc(1, sizeof *f) : NULL;
    if (f == NULL) return NULL;
    f->store = *store;
    return &f->shared;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

/* No two opens are the same file to HDF5, so that one can read what the other writes. */
static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    return a < b ? -1 : a > b;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_AGGREGATE_METADATA |
             H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->allocated;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((driver_file *)file)->allocated = end;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->store->size;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t count,
                          void *bytes)
{
    (void)type;
    (void)transfer;
    const h5_store *s = ((driver_file *)file)->store;
    char *to = bytes;
    while (count > 0) {
        const ssize_t done = pread(s->fd, to, count, (off_t)at);
        if (done < 0 && errno != EINTR) return -1;
        if (done == 0) { /* behind the end there are zeros */
            memset(to, 0, count);
            return 0;
        }
        if (done > 0) to += done, at += (haddr_t)done, count -= (size_t)done;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t count,
                           const void *bytes)
{
    (void)type;
    (void)transfer;
    h5_store *s = ((driver_file *)file)->store;
    if (s->durable && is_super(at, bytes, count)) {
        memcpy(s->super, bytes, sizeof s->super);
        s->has_super = true;
        write_super(s);
        return 0;
    }
    if (s->durable) grow(s, at + count);
    write_at(s, bytes, count, at);
    return 0;
}

/* HDF5 wants the file to be as long as what it has given out. */
static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    const driver_file *f = (const driver_file *)file;
    h5_store *s = f->store;
    if (!s->durable) {
        resize(s, f->allocated);
    } else if (!closing) {
        grow(s, f->allocated);
    } else {
        s->bound = f->allocated;
        if (s->has_super) write_super(s);
        resize(s, s->bound);
    }
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 14, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)300, /* from the range for drivers that are not registered */
#endif
    .name = "jostle",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG, /* closing a file closes what was left open in it */
    .fapl_size = sizeof(h5_store *),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Registered once and kept: when a file lets go of the last reference to its driver, HDF5 1.10
 * frees the driver and then calls it. It is asked for each time because H5close forgets it. */
static hid_t driver_id(void)
{
    static hid_t id = -1;
    if (id < 0 || H5Iget_type(id) != H5I_VFL) id = H5FDregister(&driver);
    return id;
}

static hid_t access_list(h5_store *store)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS), id = driver_id();
    bool ok = list >= 0 && id >= 0 && H5Pset_driver(list, id, &store) >= 0;
    ok = ok && H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0;
    ok = ok && H5Pset_metadata_read_attempts(list, READ_ATTEMPTS) >= 0;
    if (ok) return list;
    if (list >= 0) H5Pclose(list);
    return -1;
}

static hid_t creation_list(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_CREATE);
    if (list < 0) return -1;
    if (H5Pset_file_space_strategy(list, H5F_FSPACE_STRATEGY_PAGE, false, 1) >= 0 &&
        H5Pset_file_space_page_size(list, 4096) >= 0)
        return list;
    H5Pclose(list);
    return -1;
}

hid_t jo_h5_open(h5_store *store, int fd, bool durable, h5_mode mode)
{
    struct stat facts;
    *store = (h5_store){.fd = fd, .durable = durable};
    if (fstat(fd, &facts) != 0) return -1;
    store->size = (uint64_t)facts.st_size;
    if (durable) { /* what is there already is within bounds */
        store->bound = store->size;
        store->has_super = pread(fd, store->super, H5_SUPER_SIZE, 0) == H5_SUPER_SIZE &&
                           is_super(0, store->super, H5_SUPER_SIZE);
    }
    const hid_t list = access_list(store), creation = mode == H5_CREATE ? creation_list() : -1;
    hid_t file = -1;
    if (list >= 0 && mode != H5_CREATE)
        file = H5Fopen("jostle",
                       mode == H5_READ     ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ
                       : mode == H5_MODIFY ? H5F_ACC_RDWR
                                           : H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE,
                       list);
    else if (list >= 0 && creation >= 0)
        file = H5Fcreate("jostle", H5F_ACC_TRUNC, creation, list);
    if (creation >= 0) H5Pclose(creation);
    if (list >= 0) H5Pclose(list);
    return file;
}

/* ---- errors */

h5_quiet jo_h5_hush(void)
{
    h5_quiet before = {0};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void jo_h5_unhush(h5_quiet before)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, before.print, before.context);
}

static herr_t first_reason(unsigned n, const H5E_error2_t *e, void *context)
{
    (void)n;
    const char **reason = context;
    if (*reason == NULL && e->desc != NULL && e->desc[0] != '\0') *reason = e->desc;
    return 0;
}

jo_status jo_h5_fail(jo_error *error, const char *path, const char *what, const h5_store *store)
{
    if (store != NULL && store->failure != 0)
        return jo_error_file(error, path, what, store->failure);
    const char *reason = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, &reason);
    return jo_fail(error, JO_ERR_IO, "%.300s: cannot be %s: %s", path, what,
                   reason != NULL ? reason : "HDF5 gives no reason");
}

/* ---- small things */

static hid_t text_type(size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, length > 0 ? length : 1) >= 0 &&
        H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    if (type >= 0) H5Tclose(type);
    return -1;
}

bool jo_h5_put_text(hid_t where, const char *name, const char *text)
{
    const hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

bool jo_h5_put_numbers(hid_t where, const char *name, hid_t type, const void *values, size_t count)
{
    const hsize_t size = count;
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    const hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = attribute >= 0 && H5Awrite(attribute, type, values) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    return ok;
}

bool jo_h5_write_text(hid_t where, const char *name, const char *text)
{
    const hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

char *jo_h5_read_text(hid_t where, const char *name, size_t most)
{
    const hid_t set = H5Dopen2(where, name, H5P_DEFAULT);
    if (set < 0) return NULL;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t length = type >= 0 ? H5Tget_size(type) : 0;
    char *text = NULL;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1 && length <= most)
        text = calloc(length + 1, 1);
    const hid_t wanted = text != NULL ? H5Tcopy(type) : -1;
    if (text != NULL && H5Dread(set, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        free(text);
        text = NULL;
    }
    if (wanted >= 0) H5Tclose(wanted);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Dclose(set);
    return text;
}

hid_t jo_h5_group(hid_t where, const char *name)
{
    const hid_t list = H5Pcreate(H5P_LINK_CREATE);
    if (list < 0) return -1;
    H5Pset_create_intermediate_group(list, 1);
    const hid_t group = H5Gcreate2(where, name, list, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(list);
    return group;
}

#endif
