/* json.h — writes one JSON value, with commas and quotes where they belong. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int depth;
    bool first[32]; /* nothing written yet at this depth */
    bool array[32];
    bool line; /* all of it on one line */
} json;

/* key is NULL inside arrays and for the outermost value. */
json json_start(FILE *out);
json json_start_line(FILE *out);
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end(json *j); /* closes the innermost object or array; a newline after the outermost */
void json_string(json *j, const char *key, const char *value); /* NULL becomes null */
void json_real(json *j, const char *key, double value);        /* NaN and infinities become null */
void json_integer(json *j, const char *key, uint64_t value);
void json_bool(json *j, const char *key, bool value);

#endif
