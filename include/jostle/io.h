/* jostle/io.h — particle files in, particle and pair files out.
 *
 * Readers report errors as "FILE:LINE: what is wrong; what would be right". Writers write beside
 * the target and rename over it, so a failure leaves the old file as it was. */
#ifndef JOSTLE_IO_H
#define JOSTLE_IO_H

#include "jostle/broad.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Spheres (or discs) owned by the library: free with jo_particles_free. */
typedef struct jo_particles {
    size_t n;
    int dim;
    double *x, *y, *z, *r; /* z is NULL when dim is 2 */
    double *q[4];          /* orientations, quaternions (w, x, y, z) as the file has them; NULL: not
                              asked for, or not there */
    double *shape;    /* beside q: the number of each body's shape in the run that wrote the file,
                         whole, from 1; 0: a sphere. May be NULL */
    bool has_domain;  /* the file stated a box */
    jo_domain domain; /* that box, with the periodicity the file states */
} jo_particles;

/* Allocates uninitialised arrays for n particles. *particles is zeroed on failure. */
JO_API jo_status jo_particles_allocate(jo_particles *particles, size_t n, int dim, jo_error *error);
JO_API void jo_particles_free(jo_particles *particles); /* zeroes it; NULL and zeroed are fine */
JO_API jo_bodies jo_particles_view(const jo_particles *particles);

/* A particle file format. */
typedef struct jo_format_info {
    const char *name;       /* "csv" */
    const char *extensions; /* ".csv .txt", the first is the usual one */
    const char *summary;    /* one line */
    bool reads, writes;
} jo_format_info;

JO_API size_t jo_format_count(void);
JO_API const jo_format_info *jo_format(size_t index);

#define JO_FRAME_LAST SIZE_MAX

typedef struct jo_read_options {
    const char *format;   /* NULL (default): by the file's extension, then by its first bytes */
    int dim;              /* 2, 3, or 0 (default): from the file */
    double radius;        /* used where the file has no radii; NaN (default): that is an error */
    size_t frame;         /* formats with several frames: which one, from 0 (default 0), or
                             JO_FRAME_LAST, which regular files and memory have */
    bool orientations;    /* LAMMPS dumps: read q and shape, where they are (default false) */
    jo_progress progress; /* may be NULL */
    void *progress_context;
} jo_read_options;

JO_API jo_read_options jo_read_options_default(void);

/* Reads a file into new arrays. path "-" is standard input (without a format: by its first bytes).
 * JO_ERR_IO when it cannot be opened or read, JO_ERR_DATA when it is malformed: the text then
 * names file and line (text formats) or byte (binary ones). Nothing is allocated on failure. */
JO_API jo_status jo_particles_read(const char *path, const jo_read_options *options,
                                   jo_particles *particles, jo_error *error);

/* The same from memory; name is used in messages. For tests and embedding. */
JO_API jo_status jo_particles_parse(const void *data, size_t size, const char *name,
                                    const jo_read_options *options, jo_particles *particles,
                                    jo_error *error);

/* Whether path is a regular file, a LAMMPS dump whose first frame has velocities or spins (columns
 * vx, vy, vz, omegax, omegay, omegaz): they are never read. */
JO_API bool jo_dump_has_velocities(const char *path);

/* Writes a file; format NULL: by extension. path "-" is standard output. */
JO_API jo_status jo_particles_write(const char *path, const char *format,
                                    const jo_particles *particles, jo_error *error);

/* Writes pairs as "csv" (header i,j) or "npy" (uint32, shape (count, 2)); format NULL: by
 * extension. */
JO_API jo_status jo_pairs_write(const char *path, const char *format, jo_pairs pairs,
                                jo_error *error);

/* Triangles of a surface: STL (ASCII or binary), OBJ or OFF (faces with more than three corners are
 * cut into triangles), or a text table of nine columns with a header or none, told apart by their
 * content. Nine doubles for each triangle, owned by the caller: free(). Triangles without area are
 * left out. JO_ERR_IO when the file cannot be read (it must be a regular one), JO_ERR_DATA with
 * file and line (or triangle) when it is malformed or cut short, has a number that is not finite or
 * no triangle. *triangles is NULL on failure. */
JO_API jo_status jo_mesh_read(const char *path, double **triangles, size_t *count, jo_error *error);
/* The same from memory; name is used in messages. */
JO_API jo_status jo_mesh_parse(const void *data, size_t size, const char *name, double **triangles,
                               size_t *count, jo_error *error);

#ifdef __cplusplus
}
#endif
#endif
