/* h5md.c — the tables of a trajectory's layout; see h5md.h. */
#include "io/h5md.h"

#include <stdlib.h>

#ifdef JO_HAVE_HDF5

#include <string.h>

const h5md_element jo_h5md_elements[H5MD_ELEMENTS] = {
    [H5MD_POSITION] = {"position", H5MD_F64, 0},
    [H5MD_VELOCITY] = {"velocity", H5MD_F64, 0},
    [H5MD_SPIN] = {"angular_velocity", H5MD_F64, 3},
    [H5MD_FORCE] = {"force", H5MD_F64, 0},
    [H5MD_RADIUS] = {"radius", H5MD_F64, 1},
    [H5MD_MASS] = {"mass", H5MD_F64, 1},
    [H5MD_ID] = {"id", H5MD_I64, 1},
    [H5MD_SPECIES] = {"species", H5MD_I32, 1},
    [H5MD_TOUCHING] = {"contacts", H5MD_I32, 1},
    [H5MD_FIXED] = {"fixed", H5MD_U8, 1},
    [H5MD_ORIENTATION] = {"orientation", H5MD_F64, 4},
    [H5MD_SHAPE] = {"shape", H5MD_I32, 1},
};

const h5md_element jo_h5md_contacts[H5MD_CONTACTS] = {
    [H5MD_PAIR] = {"contacts", H5MD_I64, 2},
    [H5MD_CONTACT_FORCE] = {"contact_force", H5MD_F64, 3},
    [H5MD_CONTACT_POINT] = {"contact_point", H5MD_F64, 3},
    [H5MD_OVERLAP] = {"contact_overlap", H5MD_F64, 1},
};

const h5md_element jo_h5md_sides[H5MD_SIDES] = {
    [H5MD_SIDE] = {"side", H5MD_F64, 4},
    [H5MD_EVENT] = {"event", H5MD_F64, 9},
};

hid_t jo_h5md_file_type(h5md_kind kind)
{
    switch (kind) {
    case H5MD_F64:
        return H5T_IEEE_F64LE;
    case H5MD_I64:
        return H5T_STD_I64LE;
    case H5MD_I32:
        return H5T_STD_I32LE;
    case H5MD_U8:
        return H5T_STD_U8LE;
    }
    return -1;
}

hid_t jo_h5md_memory_type(h5md_kind kind)
{
    switch (kind) {
    case H5MD_F64:
        return H5T_NATIVE_DOUBLE;
    case H5MD_I64:
        return H5T_NATIVE_INT64;
    case H5MD_I32:
        return H5T_NATIVE_INT32;
    case H5MD_U8:
        return H5T_NATIVE_UINT8;
    }
    return -1;
}

size_t jo_h5md_size(h5md_kind kind)
{
    return kind == H5MD_U8 ? 1 : kind == H5MD_I32 ? 4 : 8;
}

/* H5Lexists fails where a group on the way is missing; so does this, without an error. */
hid_t jo_h5md_open(hid_t file, const char *path)
{
    char part[256];
    for (const char *slash = path; *slash != '\0'; slash++) {
        slash += strcspn(slash, "/");
        const size_t length = (size_t)(slash - path);
        if (length >= sizeof part) return -1;
        memcpy(part, path, length);
        part[length] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return -1;
        if (*slash == '\0') break;
    }
    return H5Dopen2(file, path, H5P_DEFAULT);
}

hsize_t jo_h5md_rows(hid_t set)
{
    hsize_t size[H5S_MAX_RANK] = {0};
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    if (space < 0) return 0;
    if (H5Sget_simple_extent_ndims(space) < 1 || H5Sget_simple_extent_dims(space, size, NULL) < 0)
        size[0] = 0;
    H5Sclose(space);
    return size[0];
}

void *jo_h5md_read_all(hid_t file, const char *path, hid_t type, size_t size, size_t most,
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

#endif
