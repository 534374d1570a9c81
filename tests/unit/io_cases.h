/* io_cases.h — what the tests of the file readers share: parsing exact copies, tables of bad files.
 */
#ifndef IO_CASES_H
#define IO_CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jostle/io.h"

/* Parses a copy that ends where the data ends, so that a sanitizer sees a read beyond it. */
static inline jo_status parse_bytes(const char *name, const void *data, size_t size,
                                    const jo_read_options *options, jo_particles *p,
                                    jo_error *error)
{
    char *copy = malloc(size + (size == 0));
    memcpy(copy, data, size);
    const jo_status status = jo_particles_parse(copy, size, name, options, p, error);
    free(copy);
    return status;
}

static inline jo_status parse_text(const char *name, const char *data,
                                   const jo_read_options *options, jo_particles *p, jo_error *error)
{
    return parse_bytes(name, data, strlen(data), options, p, error);
}

static inline jo_read_options options_of(int dim, double radius, size_t frame)
{
    jo_read_options options = jo_read_options_default();
    options.dim = dim;
    options.radius = radius;
    options.frame = frame;
    return options;
}

/* Parses what must be right. */
static inline jo_particles parse_good(const char *name, const char *data, int dim, double radius,
                                      size_t frame)
{
    jo_particles p;
    jo_error error = {0};
    const jo_read_options options = options_of(dim, radius, frame);
    if (parse_text(name, data, &options, &p, &error) != JO_OK)
        fail_msg("'%s' was refused: %s", data, error.text);
    return p;
}

/* A text that must be refused with bad data, and a piece of the message. */
typedef struct bad_case {
    const char *text;
    int dim;
    double radius;
    const char *fragment;
} bad_case;

static inline void expect_refused(const char *name, const char *format, const bad_case *cases,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jo_particles p = {.n = 99};
        jo_error error = {0};
        jo_read_options options = options_of(cases[i].dim, cases[i].radius, 0);
        options.format = format;
        const jo_status status = parse_text(name, cases[i].text, &options, &p, &error);
        if (status != JO_ERR_DATA || error.status != status ||
            strstr(error.text, cases[i].fragment) == NULL)
            fail_msg("case %zu: '%s' gave %s: '%s', expected '%s'", i, cases[i].text,
                     jo_status_name(status), error.text, cases[i].fragment);
        assert_null(p.x);
        assert_int_equal(p.n, 0);
        /* The same without an error to fill. */
        assert_int_equal(parse_text(name, cases[i].text, &options, &p, NULL), status);
    }
}

static inline void expect_particle(const jo_particles *p, size_t i, double x, double y, double z,
                                   double r)
{
    assert_true(i < p->n);
    const double z_got = p->dim == 3 ? p->z[i] : 0.0;
    if (!(p->x[i] == x && p->y[i] == y && z_got == z && p->r[i] == r))
        fail_msg("particle %zu is %.17g %.17g %.17g r %.17g, expected %.17g %.17g %.17g r %.17g", i,
                 p->x[i], p->y[i], z_got, p->r[i], x, y, z, r);
}

#endif
