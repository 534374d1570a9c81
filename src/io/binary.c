/* binary.c — records of little-endian numbers: what the array formats share.
 *
 * Records pass through the input's window a block at a time and are spread to the arrays of a
 * gather, each checked as it passes. No more memory is taken than records have been seen (or than
 * the size of the file proves), whatever a header claims.
 *
 * Cost: memory speed; about 1 ns per number. */
#include "io/binary.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

bool jo_records_by_count(records *r, size_t columns, const jo_read_options *options)
{
    const bool radius = !isnan(options->radius);
    static const unsigned char flat[] = {ROLE_X, ROLE_Y, ROLE_R};
    static const unsigned char deep[] = {ROLE_X, ROLE_Y, ROLE_Z, ROLE_R};
    const unsigned char *roles = NULL;
    if (columns == 4)
        roles = deep;
    else if (columns == 3 && options->dim != 3)
        roles = flat;
    else if (columns == 3 && radius)
        roles = deep; /* without its r */
    else if (columns == 2 && options->dim != 3 && radius)
        roles = flat;
    if (roles == NULL) return false;
    r->columns = columns;
    memcpy(r->roles, roles, columns);
    r->radius = options->radius;
    r->dim = options->dim != 0 ? options->dim : roles == deep ? 3 : 2;
    if (roles == deep && r->dim == 2) r->roles[2] = ROLE_NONE;
    return true;
}

jo_status jo_records_check(const records *r, const input *in, const gather *g, size_t index,
                           uint64_t byte, jo_error *error)
{
    double values[ROLE_GATHERED];
    for (int which = 0; which < ROLE_GATHERED; which++)
        values[which] = g->used[which] ? gathered(g, (role)which)[index] : 0.0;
    role bad;
    if (jo_values_good(values, r->dim, &bad)) return JO_OK;
    return jo_input_fail_file(in, error, JO_ERR_DATA, "byte %llu: particle %zu: %s is %g; %s",
                              (unsigned long long)byte, index, jo_role_names[bad], values[bad],
                              jo_role_demand(bad));
}

/* Spreads one record into row n of the gather. */
static void spread(const records *r, const char *bytes, gather *g)
{
    gathered(g, ROLE_R)[g->n] = r->radius;
    for (size_t c = 0; c < r->columns; c++) {
        if (r->roles[c] == ROLE_NONE) continue;
        const char *const at = bytes + c * r->item;
        gathered(g, (role)r->roles[c])[g->n] = r->item == 8 ? load_f64(at) : load_f32(at);
    }
}

jo_status jo_records_read(const records *r, input *in, size_t rows, gather *g, size_t *read,
                          jo_error *error)
{
    const size_t size = r->columns * r->item;
    const uint64_t first = jo_input_offset(in);
    const size_t before = g->n;
    jo_status status = JO_OK;
    *read = 0;
    while (*read < rows) {
        size_t block = JO_BLOCK_MAX / size;
        if (block > rows - *read) block = rows - *read;
        status = jo_input_peek(in, block * size, error);
        if (status != JO_OK) return status;
        const size_t here = (size_t)(in->end - in->at) / size;
        if (here < block) block = here;
        if (block == 0) break;
        /* The size of a regular file has been compared with the claim by now. */
        const size_t expected =
            in->size_known && in->size > first ? (size_t)(in->size - first) / size + before : 0;
        for (size_t i = 0; i < block; i++) {
            status = jo_gather_more(g, expected, error);
            if (status != JO_OK) return status;
            spread(r, in->at + i * size, g);
            status = jo_records_check(r, in, g, g->n, first + (*read + i) * size, error);
            if (status != JO_OK) return status;
            g->n++;
        }
        *read += block;
        status = jo_input_take(in, block * size, error);
        if (status != JO_OK) return status;
    }
    return JO_OK;
}

void jo_records_write(output *out, const jo_particles *p)
{
    const size_t columns = (size_t)p->dim + 1;
    const double *const arrays[4] = {p->x, p->y, p->dim == 3 ? p->z : p->r, p->r};
    for (size_t i = 0; i < p->n && out->failure == 0; i++) {
        char *at = jo_output_room(out);
        for (size_t c = 0; c < columns; c++, at += 8)
            store_f64(arrays[c][i], at);
        jo_output_used(out, at);
    }
}

void jo_npy_header(output *out, const char *type, size_t rows, size_t columns)
{
    /* Magic, version 1.0, length, dictionary, blanks and a newline up to a multiple of 64. */
    enum { SIZE = 128, PREFIX = 10 };
    char header[SIZE];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(SIZE - PREFIX);
    header[9] = 0;
    const int n = snprintf(header + PREFIX, SIZE - PREFIX,
                           "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }", type,
                           rows, columns);
    header[PREFIX + n] = ' ';
    header[SIZE - 1] = '\n';
    jo_output_put(out, header, sizeof header);
}
