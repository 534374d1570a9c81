/* h5md.h — the layout of a trajectory (H5MD 1.1), shared by its writer and its reader.
 *
 *     h5md                            version, author, creator
 *     particles/all/box               dimension, boundary, edges; jostle's `lower` corner
 *     particles/all/ELEMENT/{step, time, value[frame][body][component]}
 *     observables/NAME/{step, time, value[row]}
 *     connectivity/contacts/{step, time, value[frame][contact][2]}, contact_force, ...
 *     parameters/jostle               scene, columns, walls/{triangles, wall, pivot, pose}
 *     parameters/jostle/shapes        of polyhedra: point, corner, and how many of each
 *     parameters/jostle/outlines      of polygons: id, corners, point
 *     triangulation/side, event       between polygons, where it is wanted
 *
 * step and time are one pair of datasets for all elements, linked from each. A frame is complete
 * when `step` has it: it is written last. Frames with fewer bodies than the largest are padded with
 * bodies of id -1. Docs: docs/formats.md. */
#ifndef JO_IO_H5MD_H
#define JO_IO_H5MD_H

#include "io/h5store.h"

#ifdef JO_HAVE_HDF5

enum h5md_which {
    H5MD_POSITION,
    H5MD_VELOCITY,
    H5MD_SPIN,
    H5MD_FORCE,
    H5MD_RADIUS,
    H5MD_MASS,
    H5MD_ID,
    H5MD_SPECIES,
    H5MD_TOUCHING,
    H5MD_FIXED,
    H5MD_PLAIN, /* so many elements all trajectories have; those of polyhedra the rest, too */
    H5MD_ORIENTATION = H5MD_PLAIN,
    H5MD_SHAPE,
    H5MD_ELEMENTS
};

typedef enum h5md_kind { H5MD_F64, H5MD_I64, H5MD_I32, H5MD_U8 } h5md_kind;

typedef struct h5md_element {
    const char *name;
    h5md_kind kind;
    int components; /* 0: as many as dimensions; 1: no third axis */
} h5md_element;

extern const h5md_element jo_h5md_elements[H5MD_ELEMENTS];

hid_t jo_h5md_file_type(h5md_kind kind);   /* HDF5's own; not to be closed */
hid_t jo_h5md_memory_type(h5md_kind kind); /* likewise */
size_t jo_h5md_size(h5md_kind kind);
/* Numbers that each body takes in memory. */
static inline size_t jo_h5md_stride(const h5md_element *e)
{
    return e->components == 1 ? 1 : e->components == 4 ? 4 : 3;
}

#define H5MD_BODIES "particles/all"
#define H5MD_OWN    "parameters/jostle"
#define H5MD_POSE   13 /* displacement 3, rotation 9, present 1 */
#define H5MD_NAME   64 /* bytes of the name of an observable */

/* Contacts: what is kept of each, [frame][contact][components]. */
enum h5md_contact {
    H5MD_PAIR,
    H5MD_CONTACT_FORCE,
    H5MD_CONTACT_POINT,
    H5MD_OVERLAP,
    H5MD_CONTACTS
};
extern const h5md_element jo_h5md_contacts[H5MD_CONTACTS];

/* The triangulation between polygons, [frame][side][4], and what happened last, [frame][1][9]. */
enum h5md_side { H5MD_SIDE, H5MD_EVENT, H5MD_SIDES };
extern const h5md_element jo_h5md_sides[H5MD_SIDES];

/* Opens what is there; negative and no error where it is not. */
hid_t jo_h5md_open(hid_t file, const char *path);
/* All of a dataset, of items of that size, allocated; NULL where it is not there, or has more bytes
 * than `most`. */
void *jo_h5md_read_all(hid_t file, const char *path, hid_t type, size_t size, size_t most,
                       size_t *items);
/* The length of the first axis; 0 when it cannot be had. */
hsize_t jo_h5md_rows(hid_t set);

#endif
#endif
