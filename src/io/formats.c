/* formats.c — the table of particle file formats, and how one is chosen for a file.
 *
 * A format named by the caller is used, whatever the file looks like. Else an extension decides,
 * unless one of csv's (.txt and .dat are anything) contradicts the first bytes; else the first
 * bytes decide; else it is csv, whose messages then say what was expected. */
#include "io/format.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const format *const formats[] = {&jo_format_csv, &jo_format_xyz, &jo_format_lammps,
                                        &jo_format_npy, &jo_format_raw};

enum { FORMATS = sizeof formats / sizeof formats[0], FIRST_BYTES = 4096 };

size_t jo_format_count(void)
{
    return FORMATS;
}

const jo_format_info *jo_format(size_t index)
{
    return index < FORMATS ? &formats[index]->info : NULL;
}

jo_read_options jo_read_options_default(void)
{
    return (jo_read_options){.radius = (double)NAN};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool jo_path_has_extension(const char *path, const char *extensions)
{
    const size_t length = strlen(path);
    for (const char *e = extensions; *e != 0;) {
        const size_t n = strcspn(e, " ");
        size_t same = 0;
        while (n <= length && same < n && lower(path[length - n + same]) == e[same])
            same++;
        if (n > 0 && same == n) return true;
        e += n + (e[n] == ' ');
    }
    return false;
}

static const format *by_name(const char *name)
{
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->info.name, name) == 0) return formats[i];
    return NULL;
}

static const format *by_extension(const char *path)
{
    for (int i = 0; i < FORMATS; i++)
        if (jo_path_has_extension(path, formats[i]->info.extensions)) return formats[i];
    return NULL;
}

static const format *by_first_bytes(const char *bytes, size_t count)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->starts != NULL && formats[i]->starts(bytes, count)) return formats[i];
    return NULL;
}

static jo_status fail_unknown(const char *name, jo_error *error)
{
    char list[128] = "";
    for (int i = 0; i < FORMATS; i++) {
        if (i > 0) strcat(list, ", ");
        strcat(list, formats[i]->info.name);
    }
    return jo_fail(error, JO_ERR_ARGUMENT, "unknown file format '%.40s'; the formats are %s", name,
                   list);
}

static const format *choose(const input *in)
{
    const size_t count = (size_t)(in->end - in->at);
    const format *const shown = by_first_bytes(in->at, count < FIRST_BYTES ? count : FIRST_BYTES);
    const format *const named = by_extension(in->name);
    if (named == NULL) return shown != NULL ? shown : &jo_format_csv;
    if (named == &jo_format_csv && shown != NULL) return shown;
    /* Bare lines of x y z are often called .xyz. They are taken for such only if the caller says
     * that they are in 3 dimensions and how large: as x y r they would be read without a complaint.
     */
    const jo_read_options *o = in->options;
    if (named == &jo_format_xyz && shown == NULL && o->dim == 3 && !isnan(o->radius))
        return &jo_format_csv;
    return named;
}

static jo_status check_options(const jo_read_options *o, jo_error *error)
{
    if (o->dim != 0 && o->dim != 2 && o->dim != 3)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "dimension is %d; it must be 2, 3, or 0 to take it from the file", o->dim);
    if (!isnan(o->radius) && !(o->radius >= 0.0 && o->radius <= JO_COORDINATE_MAX))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "the radius for all particles is %g; it must be finite and at least 0",
                       o->radius);
    if (o->format != NULL && by_name(o->format) == NULL) return fail_unknown(o->format, error);
    return JO_OK;
}

/* Passes over the file to count its frames, then reads the last one. */
static jo_status read_last(input *in, const format *f, jo_particles *particles, jo_error *error)
{
    const jo_read_options *const given = in->options;
    jo_read_options last = *given;
    size_t frames = 1;
    jo_status status = JO_OK;
    if (f->count_frames != NULL) {
        status = f->count_frames(in, &frames, error);
        if (status == JO_OK) status = jo_input_rewind(in, error);
    }
    if (status != JO_OK) return status;
    last.frame = frames - 1;
    in->options = &last;
    status = f->read(in, particles, error);
    in->options = given;
    return status;
}

static jo_status read_input(input *in, jo_particles *particles, jo_error *error)
{
    const jo_status status = jo_input_peek(in, FIRST_BYTES, error);
    if (status != JO_OK) return status;
    if (in->at == in->end)
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "is empty; even a file without particles needs a header");
    const jo_read_options *o = in->options;
    const format *const f = o->format != NULL ? by_name(o->format) : choose(in);
    if (o->frame == JO_FRAME_LAST) return read_last(in, f, particles, error);
    if (o->frame > 0 && f->count_frames == NULL)
        return jo_input_fail_file(in, error, JO_ERR_ARGUMENT,
                                  "frame %zu was asked for, but a %s file holds one frame, 0",
                                  o->frame, f->info.name);
    return f->read(in, particles, error);
}

jo_status jo_particles_read(const char *path, const jo_read_options *options,
                            jo_particles *particles, jo_error *error)
{
    const jo_read_options defaults = jo_read_options_default();
    const jo_read_options *const o = options != NULL ? options : &defaults;
    *particles = (jo_particles){0};
    if (path == NULL) return jo_fail(error, JO_ERR_ARGUMENT, "the path of the file is NULL");
    jo_status status = check_options(o, error);
    if (status != JO_OK) return status;
    input in;
    status = jo_input_open(&in, path, o, error);
    if (status != JO_OK) return status;
    status = read_input(&in, particles, error);
    jo_input_close(&in);
    return status;
}

jo_status jo_particles_parse(const void *data, size_t size, const char *name,
                             const jo_read_options *options, jo_particles *particles,
                             jo_error *error)
{
    const jo_read_options defaults = jo_read_options_default();
    const jo_read_options *const o = options != NULL ? options : &defaults;
    *particles = (jo_particles){0};
    if (data == NULL && size > 0)
        return jo_fail(error, JO_ERR_ARGUMENT, "the data to parse is NULL");
    const jo_status status = check_options(o, error);
    if (status != JO_OK) return status;
    input in;
    jo_input_memory(&in, data, size, name != NULL ? name : "memory", o);
    return read_input(&in, particles, error);
}

static jo_status check_particles(const jo_particles *p, jo_error *error)
{
    if (p->dim != 2 && p->dim != 3)
        return jo_fail(error, JO_ERR_ARGUMENT, "dimension is %d; it must be 2 or 3", p->dim);
    if (p->n > 0 && (p->x == NULL || p->y == NULL || p->r == NULL || (p->dim == 3 && p->z == NULL)))
        return jo_fail(error, JO_ERR_ARGUMENT, "an array of the particles to write is missing");
    return JO_OK;
}

jo_status jo_particles_write(const char *path, const char *format_name,
                             const jo_particles *particles, jo_error *error)
{
    if (path == NULL || particles == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "a path and particles are needed to write a file");
    jo_status status = check_particles(particles, error);
    if (status != JO_OK) return status;
    const format *const f = format_name != NULL      ? by_name(format_name)
                            : strcmp(path, "-") == 0 ? &jo_format_csv
                                                     : by_extension(path);
    if (f == NULL && format_name != NULL) return fail_unknown(format_name, error);
    if (f == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "%.300s: the extension names no format; use one such as .csv, or name the "
                       "format",
                       path);
    output out;
    status = jo_output_open(&out, path, error);
    if (status != JO_OK) return status;
    status = f->write(&out, particles, error);
    if (status != JO_OK) {
        out.failure = -1; /* so that nothing appears under the name */
        jo_output_finish(&out, NULL);
        return status;
    }
    return jo_output_finish(&out, error);
}
