/* output.h — files the program writes by itself: whole or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli.h"

/* A file written beside its target and renamed over it when it is closed without error. Signals
 * are held in between. "-" is standard output. */
typedef struct output {
    FILE *file; /* NULL after a failure */
    char path[1024], temporary[1100];
} output;

jo_status output_open(output *o, const char *path, jo_error *error);
jo_status output_close(output *o, jo_error *error); /* removes the temporary file on failure */

/* Whether a file could be created at path, asked before long work: its folder is there and can be
 * written to. */
jo_status output_possible(const char *path, jo_error *error);

/* The same for a picture: the extension and this build's abilities are asked, too. */
jo_status output_picture_possible(const char *path, jo_error *error);

/* path is "-", standard output; NULL is not. */
bool output_is_standard(const char *path);

/* Makes a folder and those above it, as mkdir -p does. */
jo_status output_folder(const char *path, jo_error *error);

/* path ends with the extension, capitals aside. */
bool output_has_extension(const char *path, const char *extension);

#endif
