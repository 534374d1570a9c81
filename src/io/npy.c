/* npy.c — NumPy arrays of shape (n, 3) or (n, 4), as numpy.save writes them.
 *
 * The file is a magic string, a version (1, 2 or 3), a length, a Python dictionary with the keys
 * descr, fortran_order and shape, and the numbers; defined in NumPy's documentation of
 * numpy.lib.format. Little-endian float64 and float32 are read, in C order (records, one per
 * particle) and in Fortran order (columns, one behind the other). The size the header claims is
 * compared with what the file holds before anything is allocated; from a pipe, memory grows with
 * what arrives.
 *
 * Cost: memory speed. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "io/binary.h"
#include "io/format.h"
#include "io/text.h"

enum { PREFIX = 8, SHAPE_MAX = 8 };

/* What the header of an array says. */
typedef struct array_header {
    text type;
    bool fortran;
    size_t axes;
    uint64_t shape[SHAPE_MAX];
    bool has_type, has_order, has_shape;
} array_header;

static bool starts_npy(const char *bytes, size_t count)
{
    return count >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

static void skip_blanks(text *t)
{
    while (t->at < t->end && (is_space(*t->at) || *t->at == '\n'))
        t->at++;
}

static bool take_char(text *t, char c)
{
    skip_blanks(t);
    if (t->at == t->end || *t->at != c) return false;
    t->at++;
    return true;
}

static bool take_string(text *t, text *string)
{
    skip_blanks(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"')) return false;
    const char quote = *t->at++;
    const char *const closing = memchr(t->at, quote, text_length(*t));
    if (closing == NULL) return false;
    *string = (text){t->at, closing};
    t->at = closing + 1;
    return true;
}

static bool take_word(text *t, const char *word)
{
    skip_blanks(t);
    if (!jo_text_starts(*t, word)) return false;
    t->at += strlen(word);
    return true;
}

static bool take_shape(text *t, array_header *h)
{
    if (!take_char(t, '(')) return false;
    while (!take_char(t, ')')) {
        text digits = {t->at, t->at};
        while (digits.end < t->end && *digits.end >= '0' && *digits.end <= '9')
            digits.end++;
        if (h->axes == SHAPE_MAX || !jo_text_integer(digits, &h->shape[h->axes])) return false;
        h->axes++;
        t->at = digits.end;
        take_word(t, "L"); /* written by Python 2 */
        if (!take_char(t, ',') && (skip_blanks(t), t->at == t->end || *t->at != ')')) return false;
    }
    return true;
}

/* Parses the dictionary; false if it is not one, or a value is of an unexpected kind. */
static bool parse_dictionary(text t, array_header *h)
{
    if (!take_char(&t, '{')) return false;
    while (!take_char(&t, '}')) {
        text key;
        if (!take_string(&t, &key) || !take_char(&t, ':')) return false;
        if (jo_text_is(key, "descr") && !h->has_type) {
            if (!take_string(&t, &h->type)) return false;
            h->has_type = true;
        } else if (jo_text_is(key, "fortran_order") && !h->has_order) {
            h->fortran = take_word(&t, "True");
            if (!h->fortran && !take_word(&t, "False")) return false;
            h->has_order = true;
        } else if (jo_text_is(key, "shape") && !h->has_shape) {
            if (!take_shape(&t, h)) return false;
            h->has_shape = true;
        } else {
            return false;
        }
        if (!take_char(&t, ',') && (t.at == t.end || *t.at != '}')) return false;
    }
    return h->has_type && h->has_order && h->has_shape;
}

/* Takes everything before the numbers; *h points into a copy of the dictionary kept in
 * `dictionary`. */
static jo_status read_header(input *in, array_header *h, buffer *dictionary, jo_error *error)
{
    const unsigned char *b = (const unsigned char *)in->at;
    const size_t at_hand = (size_t)(in->end - in->at);
    if (!starts_npy(in->at, at_hand))
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "byte 0: a NumPy file starts with \\x93NUMPY; this one does not");
    if (at_hand < PREFIX + 4)
        return jo_input_fail_file(in, error, JO_ERR_DATA, "byte %zu: ends within its header",
                                  at_hand);
    const unsigned version = b[6];
    if (version < 1 || version > 3)
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "byte 6: version %u of the NumPy format; 1, 2 and 3 are known",
                                  version);
    const size_t length_bytes = version == 1 ? 2 : 4;
    const size_t length = version == 1 ? (size_t)b[8] | (size_t)b[9] << 8 : load_u32(b + 8);
    const size_t prefix = PREFIX + length_bytes;
    if (length > JO_BLOCK_MAX - prefix)
        return jo_input_fail_file(
            in, error, JO_ERR_DATA,
            "byte 8: the header claims to be %zu bytes long; that is no array "
            "of particles",
            length);
    jo_status status = jo_input_peek(in, prefix + length, error);
    if (status != JO_OK) return status;
    if ((size_t)(in->end - in->at) < prefix + length)
        return jo_input_fail_file(in, error, JO_ERR_DATA, "byte %zu: ends within its header",
                                  (size_t)(in->end - in->at));
    if (!jo_buffer_reserve(dictionary, length + 1, 1))
        return jo_fail_memory(error, length, "the header of a NumPy file");
    memcpy(dictionary->data, in->at + prefix, length);
    const char *const copy = dictionary->data;
    if (!parse_dictionary((text){copy, copy + length}, h))
        return jo_input_fail_file(
            in, error, JO_ERR_DATA,
            "byte %zu: the header is not understood; expected {'descr': '<f8', "
            "'fortran_order': False, 'shape': (n, 4), }",
            prefix);
    return jo_input_take(in, prefix + length, error);
}

/* What the numbers are, and how many particles there are. */
static jo_status settle(const input *in, const array_header *h, records *r, size_t *rows,
                        jo_error *error)
{
    char quoted[JO_QUOTED];
    if (jo_text_is(h->type, "<f8"))
        r->item = 8;
    else if (jo_text_is(h->type, "<f4"))
        r->item = 4;
    else
        return jo_input_fail_file(
            in, error, JO_ERR_DATA,
            "holds numbers of type %s; little-endian float64 ('<f8') or float32 "
            "('<f4') are read",
            jo_text_quote(h->type, quoted));
    if (h->axes != 2)
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "is an array with %zu axes; expected the shape (n, 3) or (n, 4)",
                                  h->axes);
    if (!jo_records_by_count(r, h->shape[1] <= 4 ? (size_t)h->shape[1] : 0, in->options))
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "has the shape (%llu, %llu); expected (n, 3) for x y r or (n, 4) "
                                  "for x y z r, or x y z with dimension 3 and a radius",
                                  (unsigned long long)h->shape[0], (unsigned long long)h->shape[1]);
    if (h->shape[0] > JO_BODIES_MAX)
        return jo_input_fail_file(in, error, JO_ERR_LIMIT, "claims %llu particles; at most %zu fit",
                                  (unsigned long long)h->shape[0], JO_BODIES_MAX);
    *rows = (size_t)h->shape[0];
    return JO_OK;
}

static jo_status fail_size(const input *in, const records *r, size_t rows, const char *verdict,
                           jo_error *error)
{
    return jo_input_fail_file(
        in, error, JO_ERR_DATA,
        "byte %llu: the shape (%zu, %zu) means %llu bytes of numbers, but the "
        "file holds %s",
        (unsigned long long)jo_input_offset(in), rows, r->columns,
        (unsigned long long)rows * r->columns * r->item, verdict);
}

/* Appends one column of Fortran order to an array, or passes over it. */
static jo_status read_column(const records *r, input *in, size_t rows, buffer *array,
                             jo_error *error)
{
    for (size_t done = 0; done < rows;) {
        size_t block = JO_BLOCK_MAX / r->item;
        if (block > rows - done) block = rows - done;
        jo_status status = jo_input_peek(in, block * r->item, error);
        if (status != JO_OK) return status;
        if ((size_t)(in->end - in->at) < block * r->item)
            return fail_size(in, r, rows, "fewer", error);
        if (array != NULL) {
            const size_t room = in->size_known ? rows : done + block;
            if (!jo_buffer_grow(array, done * sizeof(double), room, sizeof(double)))
                return jo_fail_memory(error, room * sizeof(double), "particles");
            double *const to = (double *)array->data + done;
            for (size_t i = 0; i < block; i++)
                to[i] = r->item == 8 ? load_f64(in->at + 8 * i) : load_f32(in->at + 4 * i);
        }
        done += block;
        status = jo_input_take(in, block * r->item, error);
        if (status != JO_OK) return status;
    }
    return JO_OK;
}

static jo_status read_columns(const records *r, input *in, size_t rows, gather *g, jo_error *error)
{
    const uint64_t first = jo_input_offset(in);
    bool radii = false;
    for (size_t c = 0; c < r->columns; c++) {
        const role which = (role)r->roles[c];
        radii |= which == ROLE_R;
        const jo_status status =
            read_column(r, in, rows, which == ROLE_NONE ? NULL : &g->column[which], error);
        if (status != JO_OK) return status;
    }
    if (!radii) {
        if (!jo_buffer_reserve(&g->column[ROLE_R], rows, sizeof(double)))
            return jo_fail_memory(error, rows * sizeof(double), "particles");
        for (size_t i = 0; i < rows; i++)
            gathered(g, ROLE_R)[i] = r->radius;
    }
    g->n = g->capacity = rows;
    for (size_t i = 0; i < rows; i++) {
        const jo_status status = jo_records_check(r, in, g, i, first + i * r->item, error);
        if (status != JO_OK) return status;
    }
    return JO_OK;
}

static jo_status read_array(input *in, gather *g, buffer *dictionary, jo_error *error)
{
    array_header h = {.axes = 0};
    records r = {.columns = 0};
    size_t rows = 0, found = 0;
    jo_status status = read_header(in, &h, dictionary, error);
    if (status == JO_OK) status = settle(in, &h, &r, &rows, error);
    if (status != JO_OK) return status;
    const uint64_t bytes = (uint64_t)rows * r.columns * r.item; /* no overflow: rows < 2^31 */
    if (in->size_known && in->size - jo_input_offset(in) != bytes)
        return fail_size(in, &r, rows, in->size - jo_input_offset(in) < bytes ? "fewer" : "more",
                         error);
    *g = jo_gather_begin(r.dim, false);
    if (rows == 0) {
        status = jo_gather_more(g, 0, error);
    } else if (h.fortran) {
        status = read_columns(&r, in, rows, g, error);
    } else {
        status = jo_records_read(&r, in, rows, g, &found, error);
        if (status == JO_OK && found < rows) status = fail_size(in, &r, rows, "fewer", error);
    }
    if (status == JO_OK) status = jo_input_peek(in, 1, error);
    if (status == JO_OK && in->at < in->end) status = fail_size(in, &r, rows, "more", error);
    return status;
}

static jo_status read_npy(input *in, jo_particles *particles, jo_error *error)
{
    gather g = {.n = 0};
    buffer dictionary = {.size = 0};
    const jo_status status = read_array(in, &g, &dictionary, error);
    if (status == JO_OK) jo_gather_finish(&g, particles);
    jo_gather_free(&g);
    jo_buffer_free(&dictionary);
    return status;
}

static jo_status write_npy(output *out, const jo_particles *particles, jo_error *error)
{
    (void)error;
    jo_npy_header(out, "<f8", particles->n, (size_t)particles->dim + 1);
    jo_records_write(out, particles);
    return JO_OK;
}

const format jo_format_npy = {
    .info = {.name = "npy",
             .extensions = ".npy",
             .summary =
                 "NumPy array of float64 or float32, shape (n, 3) for x y r or (n, 4) for x y z r",
             .reads = true,
             .writes = true},
    .read = read_npy,
    .write = write_npy,
    .starts = starts_npy,
};
