/* trajectory_make.h — the groups and empty datasets of a trajectory. Only where HDF5 is. */
#ifndef JO_IO_TRAJECTORY_MAKE_H
#define JO_IO_TRAJECTORY_MAKE_H

#include "base/memory.h"
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
/* Polygons likewise; trajectory_outlines.c. */
bool jo_h5md_make_outlines(hid_t file);
/* Where outlines are added next; zeroed: to be found in the file. */
typedef struct h5md_outline_end {
    bool known;
    size_t bodies, points;
    uint64_t next_id;
} h5md_outline_end;
/* Those of bodies with greater ids than all that are there. */
bool jo_h5md_add_outlines(hid_t file, h5md_outline_end *end, const jo_frame *frame);
typedef struct h5md_outlines {
    size_t count; /* of bodies; 0: there are none */
    uint64_t *id; /* ascending */
    size_t *first;
    double *point;
    buffer memory_first, memory_outline, memory_angle; /* of the frame given last */
} h5md_outlines;
void jo_h5md_read_outlines(hid_t file, size_t bytes_most, h5md_outlines *outlines);
void jo_h5md_free_outlines(h5md_outlines *outlines);
/* Gives a frame its outlines and angles, valid until the next call; false: no memory. */
bool jo_h5md_give_outlines(h5md_outlines *outlines, const double *q, jo_frame *frame);
bool jo_h5md_make_contacts(hid_t file, size_t expected);
/* Sides of a triangulation, and what happened last. */
bool jo_h5md_make_sides(hid_t file, size_t expected);
bool jo_h5md_make_observables(hid_t file, const column_names *columns);

#endif
#endif
