/* fuzz_reader.h — what every fuzzer of a reader does with its input.
 *
 * The bytes are parsed several times, with options that lead through different code: by themselves,
 * as spheres with a radius for all, and as discs of the second frame. Beside what the sanitizers
 * watch, the promises of jostle/io.h are checked: success gives particles that a search accepts,
 * failure gives a status, a sentence and nothing allocated. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_demand(bool kept, const char *promise, const jo_error *error)
{
    if (kept) return;
    fprintf(stderr, "broken promise: %s (status %s, text '%s')\n", promise,
            jo_status_name(error->status), error->text);
    abort();
}

static inline void fuzz_once(const uint8_t *data, size_t size, const jo_read_options *options,
                             const char *name)
{
    jo_particles p;
    jo_error error = {JO_OK, ""};
    const jo_status status = jo_particles_parse(data, size, name, options, &p, &error);
    if (status == JO_OK) {
        const jo_bodies view = jo_particles_view(&p);
        fuzz_demand(p.x != NULL && p.y != NULL && p.r != NULL, "arrays are there", &error);
        fuzz_demand((p.q[0] != NULL) == (p.q[3] != NULL), "orientations are whole", &error);
        fuzz_demand((p.dim == 3) == (p.z != NULL), "z is there in three dimensions", &error);
        fuzz_demand(options->dim == 0 || options->dim == p.dim, "the dimension is obeyed", &error);
        fuzz_demand(jo_bodies_check(&view, p.has_domain ? &p.domain : NULL, &error) == JO_OK,
                    "a search accepts what was read", &error);
    } else {
        fuzz_demand(error.status == status, "the status is in the error", &error);
        fuzz_demand(error.text[0] != 0 && strchr(error.text, '\n') == NULL, "one sentence", &error);
        fuzz_demand(p.n == 0 && p.x == NULL && p.r == NULL, "nothing is left on failure", &error);
    }
    jo_particles_free(&p);
}

static inline int fuzz_reader(const uint8_t *data, size_t size, const char *format)
{
    jo_read_options options = jo_read_options_default();
    options.format = format;
    options.orientations = true;
    fuzz_once(data, size, &options, "input");
    options.dim = 3;
    options.radius = 0.5;
    fuzz_once(data, size, &options, "input.xyz");
    options.dim = 2;
    options.frame = 1;
    fuzz_once(data, size, &options, "input.txt");
    return 0;
}

#endif
