/* output.h — files that are either written whole or not at all; see output.c. */
#ifndef JO_IO_OUTPUT_H
#define JO_IO_OUTPUT_H

#include "jostle/base.h"

typedef struct output {
    const char *path; /* as the caller named it, for messages */
    char *target;     /* what is renamed over; NULL when written to directly */
    char *beside;     /* the file being written, renamed to target in the end */
    int fd;
    bool owns_fd;
    char *bytes; /* waiting to be written */
    size_t used;
    int failure; /* errno of the first write that failed; 0 while all is well */
} output;

/* Bytes that jo_output_room can promise at once. */
#define JO_OUTPUT_ROOM ((size_t)4096)

/* path "-" is standard output. On success end with jo_output_finish, on failure nothing is left. */
jo_status jo_output_open(output *out, const char *path, jo_error *error);

/* Appends. Failures are remembered and reported by jo_output_finish. */
void jo_output_put(output *out, const void *bytes, size_t count);

/* Where up to JO_OUTPUT_ROOM bytes may be put; then say with jo_output_used how many were. */
char *jo_output_room(output *out);
static inline void jo_output_used(output *out, const char *end)
{
    out->used = (size_t)(end - out->bytes);
}

/* Makes the file appear under its name if every write succeeded; else removes what was written. */
jo_status jo_output_finish(output *out, jo_error *error);

#endif
