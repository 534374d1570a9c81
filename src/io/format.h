/* format.h — what a particle file format is made of: one descriptor, one line in formats.c. */
#ifndef JO_IO_FORMAT_H
#define JO_IO_FORMAT_H

#include "io/input.h"
#include "io/output.h"
#include "jostle/io.h"

typedef struct format {
    jo_format_info info;
    /* How many frames the input holds, at least one; NULL: a file has but one. */
    jo_status (*count_frames)(input *in, size_t *frames, jo_error *error);
    /* Reads the input, which is not empty, into particles; leaves them alone on failure. */
    jo_status (*read)(input *in, jo_particles *particles, jo_error *error);
    /* Writes; failures of the output itself are found by jo_output_finish. */
    jo_status (*write)(output *out, const jo_particles *particles, jo_error *error);
    /* Whether a file that starts like this cannot be anything else. */
    bool (*starts)(const char *bytes, size_t count);
} format;

extern const format jo_format_csv;
extern const format jo_format_xyz;
extern const format jo_format_lammps;
extern const format jo_format_npy;
extern const format jo_format_raw;

/* Whether a path ends in one of the extensions, in any case. */
bool jo_path_has_extension(const char *path, const char *extensions);

#endif
