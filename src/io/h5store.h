/* h5store.h — HDF5 files on a file descriptor of ours: errors without noise, writes that cannot
 * tear. See h5store.c. Only where HDF5 is. */
#ifndef JO_IO_H5STORE_H
#define JO_IO_H5STORE_H

#include "jostle/base.h"

#ifdef JO_HAVE_HDF5

#include <hdf5.h>

#define H5_SUPER_SIZE 48 /* bytes of a superblock, version 3 */

typedef struct h5_store {
    int fd;         /* the caller's */
    bool durable;   /* valid after every single write; see h5store.c */
    int failure;    /* errno of the first write that failed; nothing is written after it */
    uint64_t size;  /* of the file */
    uint64_t bound; /* durable: the end of the file as the superblock states it */
    bool has_super;
    unsigned char super[H5_SUPER_SIZE]; /* durable: as last written */
} h5_store;

typedef enum h5_mode {
    H5_CREATE, /* an empty file */
    H5_MODIFY, /* anything may change; the file is invalid until it is closed */
    H5_APPEND, /* datasets grow, nothing is created; with `durable` the file is always valid */
    H5_READ    /* also while another process appends */
} h5_mode;

/* Opens what lies behind fd; negative: HDF5 does not like it. Close with H5Fclose, then look at
 * store->failure. */
hid_t jo_h5_open(h5_store *store, int fd, bool durable, h5_mode mode);

/* HDF5 prints its errors unless told not to, and remembers that for the whole process: callers'
 * own setting is put back at the end. */
typedef struct h5_quiet {
    H5E_auto2_t print;
    void *context;
} h5_quiet;
h5_quiet jo_h5_hush(void);
void jo_h5_unhush(h5_quiet before);

/* "PATH: cannot be WHAT: reason", the reason being that of the store (which may be NULL) or of
 * HDF5. */
jo_status jo_h5_fail(jo_error *error, const char *path, const char *what, const h5_store *store);

/* ---- small things; false or negative: HDF5 failed */
bool jo_h5_put_text(hid_t where, const char *name, const char *text); /* a scalar attribute */
/* Likewise one number, or an array of them. */
bool jo_h5_put_numbers(hid_t where, const char *name, hid_t type, const void *values, size_t count);
/* A scalar dataset of fixed length, which any length of text fits into. */
bool jo_h5_write_text(hid_t where, const char *name, const char *text);
/* Allocated; NULL when it is not there, or is no text of at most `most` bytes. */
char *jo_h5_read_text(hid_t where, const char *name, size_t most);
hid_t jo_h5_group(hid_t where, const char *name); /* with intermediate groups; close it */

#endif
#endif
