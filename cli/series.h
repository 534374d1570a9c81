/* series.h — series.csv: one row of measures per moment, and rows that survive whatever happens. */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "engines.h"

enum { SERIES_NAME = 96 };

typedef struct series {
    const jo_scene *scene;
    const engine_kind *kind;
    size_t columns;
    char (*text)[SERIES_NAME]; /* the columns' names */
    const char **names;        /* the same, as an array of strings; names[0] is "time" */
    double *values;            /* of the row measured last */
    double previous_time;  /* of the row before; NaN: there was none. Mass flow counts from it */
    double *previous_mass; /* per gate */
    double bodies_most;    /* in any row measured so far */
    int file;              /* -1: not open */
    char *path;
} series;

/* Names the columns. */
jo_status series_start(series *s, const jo_scene *scene, jo_error *error);
void series_free(series *s); /* closes the file; zeroed is fine */

/* A new file with its header line. */
jo_status series_create(series *s, const char *path, jo_error *error);
/* Opens a file and cuts off rows later than `time` and a last line that is not whole. JO_ERR_DATA
 * when its columns are not this scene's. */
jo_status series_continue(series *s, const char *path, double time, jo_error *error);

/* Fills values with the present moment's. */
jo_status series_measure(series *s, const engine *e, jo_error *error);
/* Appends them to the file in one piece; after a failure the file is as before. */
jo_status series_append(series *s, jo_error *error);

#endif
