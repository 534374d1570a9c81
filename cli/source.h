/* source.h — where a command's particles come from: a file, standard input or a named workload. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "args.h"

typedef struct source {
    const char *file;     /* NULL: the workload */
    const char *workload; /* NULL: the file */
    uint64_t n;
    bool n_set;
    uint64_t seed;
    bool seed_set;
    jo_read_options read;
    bool read_set; /* an option that only a file understands was given */
    bool periodic_set, periodic[3];
    double box[6];
    int box_numbers; /* 0, 1 (edge), 2, 4 or 6 */
    double read_seconds;
} source;

source source_default(void);

/* The options and the FILE argument, as an argp child; its input is a source. */
extern const struct argp source_argp;

/* Reads or makes the particles and settles the domain: particles->domain is what to search in.
 * Returns an exit code after printing what is wrong. */
int source_load(source *s, jo_particles *particles);

/* The file's or the workload's name for titles. */
const char *source_name(const source *s);

#endif
