/* raw.c — bare little-endian doubles: x y r or x y z r, record after record, and nothing else.
 *
 * The file cannot say what it holds, so the dimension is the caller's (3 unless given), and the one
 * check there is, that the size is a whole number of records, is made. */
#include "base/error.h"
#include "io/binary.h"
#include "io/format.h"

static jo_status read_raw(input *in, jo_particles *particles, jo_error *error)
{
    const int dim = in->options->dim != 0 ? in->options->dim : 3;
    records r = {.item = 8,
                 .columns = (size_t)dim + 1,
                 .dim = dim,
                 .roles = {ROLE_X, ROLE_Y, dim == 3 ? ROLE_Z : ROLE_R, ROLE_R}};
    const size_t size = r.columns * r.item;
    size_t rows = 0;
    gather g = jo_gather_begin(dim, false);
    jo_status status = JO_OK;
    uint64_t rest = in->size_known ? in->size % size : 0;
    if (rest == 0) {
        status = jo_records_read(&r, in, JO_BODIES_MAX, &g, &rows, error);
        rest = (uint64_t)(in->end - in->at);
    }
    if (status == JO_OK && rest >= size)
        status = jo_input_fail_file(in, error, JO_ERR_LIMIT, "holds more than %zu particles",
                                    JO_BODIES_MAX);
    else if (status == JO_OK && rest != 0)
        status = jo_input_fail_file(in, error, JO_ERR_DATA,
                                    "%llu bytes are left over behind the last whole record; in %d "
                                    "dimensions a record is %zu "
                                    "doubles (%s), %zu bytes",
                                    (unsigned long long)rest, dim, r.columns,
                                    dim == 3 ? "x y z r" : "x y r", size);
    if (status == JO_OK) jo_gather_finish(&g, particles);
    jo_gather_free(&g);
    return status;
}

static jo_status write_raw(output *out, const jo_particles *particles, jo_error *error)
{
    (void)error;
    jo_records_write(out, particles);
    return JO_OK;
}

const format jo_format_raw = {
    .info = {.name = "raw",
             .extensions = ".raw .bin .f64",
             .summary =
                 "little-endian doubles x y z r (x y r when the dimension is 2), nothing else",
             .reads = true,
             .writes = true},
    .read = read_raw,
    .write = write_raw,
};
