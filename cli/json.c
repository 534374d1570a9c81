/* json.c — writes one JSON value, with commas and quotes where they belong.
 *
 * Objects are spread over lines, two spaces per level, so that the output can be read by eye and by
 * every parser; or stand on one line for programs that read line by line. */
#include <math.h>
#include <stdlib.h>

#include "json.h"
#include "table.h"

json json_start(FILE *out)
{
    json j = {.out = out};
    j.first[0] = true;
    j.array[0] = true;
    return j;
}

json json_start_line(FILE *out)
{
    json j = json_start(out);
    j.line = true;
    return j;
}

static void break_line(const json *j)
{
    if (!j->line) fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void begin(json *j, const char *key)
{
    if (j->depth > 0) {
        if (!j->first[j->depth]) fputs(j->line ? ", " : ",", j->out);
        break_line(j);
        if (!j->array[j->depth] && key != NULL) {
            quote(j->out, key);
            fputs(": ", j->out);
        }
    }
    j->first[j->depth] = false;
}

static void open_level(json *j, const char *key, bool array)
{
    begin(j, key);
    fputc(array ? '[' : '{', j->out);
    if (j->depth < 31) j->depth++;
    j->first[j->depth] = true;
    j->array[j->depth] = array;
}

void json_object(json *j, const char *key)
{
    open_level(j, key, false);
}

void json_array(json *j, const char *key)
{
    open_level(j, key, true);
}

void json_end(json *j)
{
    const bool empty = j->first[j->depth], array = j->array[j->depth];
    j->depth--;
    if (!empty) break_line(j);
    fputc(array ? ']' : '}', j->out);
    if (j->depth == 0) fputc('\n', j->out);
}

void json_string(json *j, const char *key, const char *value)
{
    begin(j, key);
    if (value == NULL)
        fputs("null", j->out);
    else
        quote(j->out, value);
}

void json_real(json *j, const char *key, double value)
{
    char text[40];
    begin(j, key);
    if (!isfinite(value)) {
        fputs("null", j->out);
        return;
    }
    fputs(text_real(text, sizeof text, value), j->out);
}

void json_integer(json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_bool(json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}
