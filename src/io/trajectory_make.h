/* trajectory_make.h — the groups and empty datasets of a trajectory. Only where HDF5 is. */
#ifndef JO_IO_TRAJECTORY_MAKE_H
#define JO_IO_TRAJECTORY_MAKE_H

#include "io/h5md.h"
#include "io/trajectory_walls.h"

#ifdef JO_HAVE_HDF5

/* Names of observables as they can be names of groups. */
typedef struct column_names {
    size_t count;
    char (*text)[H5MD_NAME + 1];
} column_names;

/* Each makes its part in a file that is being modified; false: HDF5 or memory failed. */
bool jo_h5md_make_file(hid_t file, const jo_scene *scene);
/* expected: how many bodies may be added in the end. */
bool jo_h5md_make_bodies(hid_t file, double expected, trajectory_walls *walls,
                         const jo_frame *frame);
/* The frame's shapes, once; trajectory_shapes.c. */
bool jo_h5md_write_shapes(hid_t file, const jo_frame *frame);
/* Shapes read back: NULL when there are none, or they cannot be right. */
jo_polyhedron **jo_h5md_read_shapes(hid_t file, size_t bytes_most, size_t *count);
bool jo_h5md_make_contacts(hid_t file, size_t expected);
bool jo_h5md_make_observables(hid_t file, const column_names *columns);

#endif
#endif
