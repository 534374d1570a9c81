/* stl.c — triangles from STL (ASCII and binary), OBJ, OFF and tables of nine columns.
 *
 * Which one it is, the content tells: a file whose size is that which the count at byte 80 promises
 * is binary STL (such files may begin with "solid", too); of text the first word behind lines of
 * comment says it: "solid" ASCII STL; v, f, o, g … OBJ, OFF (COFF, NOFF …) OFF; a number, or a
 * header that names "vertex", a table. The normals that STL carries are not read: they follow from
 * the corners, and programs write them carelessly. Triangles without area, of which files from
 * drawing programs have some, are no part of a surface and left out.
 *
 * Invariants: every triangle kept is finite and has an area. Memory is claimed as triangles come,
 * never by what a header promises. Cost: O(size). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "io/input.h"
#include "io/text.h"

enum { HEADER = 80, RECORD = 50 };

typedef struct mesh {
    input in;
    buffer triangles;   /* 9 doubles each */
    size_t count, read; /* those with an area; all */
    buffer points;      /* OBJ, OFF: 3 doubles each */
    size_t point_count;
    bool binary; /* there are no lines to name */
    jo_error *error;
} mesh;

/* Twice the area over the square of the longest edge, 0 for a triangle without area. */
static double shape(const double t[9])
{
    const double u[3] = {t[3] - t[0], t[4] - t[1], t[5] - t[2]};
    const double v[3] = {t[6] - t[0], t[7] - t[1], t[8] - t[2]};
    const double w[3] = {v[0] - u[0], v[1] - u[1], v[2] - u[2]};
    const double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    const double longest = fmax(
        u[0] * u[0] + u[1] * u[1] + u[2] * u[2],
        fmax(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    if (!(longest > 0.0)) return 0.0;
    return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) / longest;
}

static jo_status check_numbers(const mesh *m, const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        if (fabs(x[k]) <= JO_COORDINATE_MAX) continue;
        char where[40] = "", why[48] = "is not finite";
        if (m->binary) snprintf(where, sizeof where, "triangle %zu: ", m->read + 1);
        if (isfinite(x[k])) snprintf(why, sizeof why, "is beyond %g", JO_COORDINATE_MAX);
        return (m->binary ? jo_input_fail_file : jo_input_fail)(
            &m->in, m->error, JO_ERR_DATA, "%sthe coordinate %g %s", where, x[k], why);
    }
    return JO_OK;
}

static jo_status add_triangle(mesh *m, const double t[9])
{
    const jo_status status = check_numbers(m, t, 9);
    m->read++;
    if (status != JO_OK || !(shape(t) > 1e-12)) return status;
    const size_t used = m->count * 9 * sizeof(double);
    if (!jo_buffer_grow(&m->triangles, used, m->count + 1, 9 * sizeof(double)))
        return jo_fail_memory(m->error, used, "a mesh");
    memcpy((double *)m->triangles.data + 9 * m->count, t, 9 * sizeof *t);
    m->count++;
    return JO_OK;
}

/* ---- binary STL: 80 bytes, a count, and 50 bytes for each triangle, little-endian ---- */

static uint32_t little32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static jo_status read_binary(mesh *m)
{
    const uint32_t promised = little32((const unsigned char *)m->in.at + HEADER);
    jo_status status = jo_input_take(&m->in, HEADER + 4, m->error);
    m->binary = true;
    for (uint32_t k = 0; k < promised && status == JO_OK; k++) {
        status = jo_input_peek(&m->in, RECORD, m->error);
        if (status != JO_OK) break;
        if (m->in.end - m->in.at < RECORD)
            return jo_input_fail_file(
                &m->in, m->error, JO_ERR_DATA,
                "ends in triangle %u of the %u its header promises; the file is "
                "cut short",
                k + 1, promised);
        double t[9];
        for (size_t c = 0; c < 9; c++) {
            const uint32_t bits = little32((const unsigned char *)m->in.at + 12 + 4 * c);
            float value;
            memcpy(&value, &bits, sizeof value);
            t[c] = value;
        }
        status = jo_input_take(&m->in, RECORD, m->error);
        if (status == JO_OK) status = add_triangle(m, t);
    }
    if (status == JO_OK) status = jo_input_peek(&m->in, RECORD, m->error);
    if (status == JO_OK && m->in.end - m->in.at >= RECORD) /* less may be padding */
        return jo_input_fail_file(&m->in, m->error, JO_ERR_DATA,
                                  "goes on after the %u triangles its header promises; correct the "
                                  "count at byte %d",
                                  promised, HEADER);
    return status;
}

/* ---- text ---- */

/* The next line with something on it; found is false at the end. */
static jo_status next_line(mesh *m, text *line, bool *found)
{
    jo_status status;
    do
        status = jo_input_line(&m->in, line, found, m->error);
    while (status == JO_OK && *found && (line->at == line->end || *line->at == '#'));
    return status;
}

/* n numbers that are all the rest of a line (more may follow if `more`). */
static bool read_numbers(text rest, double *values, int n, bool more)
{
    text value;
    for (int k = 0; k < n; k++)
        if (!jo_text_value(&rest, ' ', &value) || !jo_text_number(value, &values[k])) return false;
    return more || !jo_text_value(&rest, ' ', &value);
}

static jo_status expected(const mesh *m, const char *what, text line)
{
    char quoted[JO_QUOTED];
    return jo_input_fail(&m->in, m->error, JO_ERR_DATA, "%s expected, not %s", what,
                         jo_text_quote(line, quoted));
}

/* Takes the first word of a line off. */
static text first_word(text *line)
{
    text word = {line->at, line->at};
    if (!jo_text_value(line, ' ', &word)) word = (text){line->at, line->at};
    return word;
}

/* One facet after its "facet" line: outer loop, three vertices, endloop, endfacet. */
static jo_status read_facet(mesh *m)
{
    static const char *const words[] = {"outer",  "vertex",  "vertex",
                                        "vertex", "endloop", "endfacet"};
    static const char *const names[] = {"'outer loop'",   "'vertex X Y Z'", "'vertex X Y Z'",
                                        "'vertex X Y Z'", "'endloop'",      "'endfacet'"};
    double t[9];
    for (int k = 0; k < 6; k++) {
        text line;
        bool found;
        const jo_status status = next_line(m, &line, &found);
        if (status != JO_OK) return status;
        if (!found)
            return jo_input_fail(&m->in, m->error, JO_ERR_DATA,
                                 "the file ends inside a facet; it is cut short");
        const text whole = line;
        if (!jo_text_is_any_case(first_word(&line), words[k])) return expected(m, names[k], whole);
        if (k >= 1 && k <= 3 && !read_numbers(line, t + 3 * (k - 1), 3, false))
            return expected(m, names[k], whole);
        if (k >= 1 && k <= 3) {
            const jo_status fine = check_numbers(m, t + 3 * (k - 1), 3);
            if (fine != JO_OK) return fine;
        }
    }
    return add_triangle(m, t);
}

static jo_status read_ascii(mesh *m)
{
    bool found, open = false;
    text line;
    for (;;) {
        jo_status status = next_line(m, &line, &found);
        if (status != JO_OK) return status;
        if (!found) break;
        const text whole = line, word = first_word(&line);
        if (jo_text_is_any_case(word, "solid"))
            open = true;
        else if (jo_text_is_any_case(word, "endsolid"))
            open = false;
        else if (!jo_text_is_any_case(word, "facet") || !open)
            return expected(m, "'facet normal …'", whole);
        else
            status = read_facet(m);
        if (status != JO_OK) return status;
    }
    if (open)
        return jo_input_fail(&m->in, m->error, JO_ERR_DATA,
                             "the file ends without 'endsolid'; it is cut short");
    return JO_OK;
}

static jo_status add_point(mesh *m, text rest, const char *form)
{
    const size_t used = m->point_count * 3 * sizeof(double);
    if (!jo_buffer_grow(&m->points, used, m->point_count + 1, 3 * sizeof(double)))
        return jo_fail_memory(m->error, used, "a mesh");
    if (!read_numbers(rest, (double *)m->points.data + 3 * m->point_count, 3, true))
        return expected(m, form, rest);
    m->point_count++;
    return check_numbers(m, (const double *)m->points.data + 3 * (m->point_count - 1), 3);
}

/* A face, as triangles around its first corner: the corners one by one, however many there are. */
typedef struct fan {
    size_t first, last, n;
} fan;

static jo_status fan_corner(mesh *m, fan *f, size_t corner)
{
    const double *p = m->points.data;
    jo_status status = JO_OK;
    if (f->n == 0) f->first = corner;
    if (f->n >= 2) {
        double t[9];
        memcpy(t, p + 3 * f->first, 3 * sizeof *t);
        memcpy(t + 3, p + 3 * f->last, 3 * sizeof *t);
        memcpy(t + 6, p + 3 * corner, 3 * sizeof *t);
        status = add_triangle(m, t);
    }
    f->last = corner;
    f->n++;
    return status;
}

static jo_status fan_end(mesh *m, const fan *f)
{
    if (f->n >= 3) return JO_OK;
    return jo_input_fail(&m->in, m->error, JO_ERR_DATA, "a face with %zu corners; it needs three",
                         f->n);
}

/* A corner "7", "7/1", "7//3" or "-1": the point it names, from 0; false if there is none. */
static bool obj_corner(const mesh *m, text word, size_t *index)
{
    text number = {word.at, word.at};
    while (number.end < word.end && *number.end != '/')
        number.end++;
    const bool back = number.at < number.end && *number.at == '-';
    uint64_t value;
    if (back) number.at++;
    if (!jo_text_integer(number, &value) || value == 0 || value > m->point_count) return false;
    *index = back ? m->point_count - (size_t)value : (size_t)value - 1;
    return true;
}

static jo_status obj_face(mesh *m, text rest)
{
    fan f = {0};
    text word;
    size_t corner;
    while (jo_text_value(&rest, ' ', &word) && word.at < word.end) {
        if (jo_text_is(word, "\\"))
            return jo_input_fail(&m->in, m->error, JO_ERR_DATA,
                                 "the face goes on in the next line ('\\'); write it in one line");
        if (!obj_corner(m, word, &corner)) return expected(m, "the number of a point above", word);
        const jo_status status = fan_corner(m, &f, corner);
        if (status != JO_OK) return status;
    }
    return fan_end(m, &f);
}

/* Words of OBJ that say nothing about the shape. */
static bool obj_other(text word)
{
    static const char *const words[] = {"vn", "vt",     "vp",     "o", "g",
                                        "s",  "usemtl", "mtllib", "l", "p"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (jo_text_is(word, words[k])) return true;
    return false;
}

static jo_status read_obj(mesh *m)
{
    bool found;
    text line;
    for (;;) {
        jo_status status = next_line(m, &line, &found);
        if (status != JO_OK || !found) return status;
        const text whole = line, word = first_word(&line);
        if (jo_text_is(word, "v"))
            status = add_point(m, line, "'v X Y Z'");
        else if (jo_text_is(word, "f"))
            status = obj_face(m, line);
        else if (!obj_other(word))
            return expected(m, "a line of OBJ (v, f …)", whole);
        if (status != JO_OK) return status;
    }
}

/* ---- OFF: "OFF", three counts, points, faces as "3 0 1 2" ---- */

/* Points may have a place on a picture, a colour and a normal behind their coordinates. */
static bool is_off(text word)
{
    static const char *const words[] = {"off",   "coff",   "noff",   "cnoff",
                                        "stoff", "stcoff", "stnoff", "stcnoff"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (jo_text_is_any_case(word, words[k])) return true;
    return false;
}

/* A line that must be there: the file promised it. */
static jo_status promised_line(mesh *m, const char *what, text *line)
{
    bool found;
    const jo_status status = next_line(m, line, &found);
    if (status == JO_OK && !found)
        return jo_input_fail_file(&m->in, m->error, JO_ERR_DATA,
                                  "ends where %s should come; the file is cut short", what);
    return status;
}

static jo_status off_face(mesh *m, text rest)
{
    const text whole = rest;
    fan f = {0};
    uint64_t n, point;
    text word;
    if (!jo_text_value(&rest, ' ', &word) || !jo_text_integer(word, &n))
        return expected(m, "'N A B C …', the corners of a face,", whole);
    for (uint64_t k = 0; k < n; k++) {
        if (!jo_text_value(&rest, ' ', &word)) word = (text){rest.at, rest.at};
        if (!jo_text_integer(word, &point) || point >= m->point_count)
            return expected(m, "the number of a point, from 0,", word);
        const jo_status status = fan_corner(m, &f, (size_t)point);
        if (status != JO_OK) return status;
    }
    return fan_end(m, &f); /* a colour may follow */
}

static jo_status read_off(mesh *m)
{
    text line;
    double counts[3];
    jo_status status = promised_line(m, "'OFF'", &line);
    if (status != JO_OK) return status;
    first_word(&line);
    if (line.at == line.end) status = promised_line(m, "the line of counts", &line);
    if (status != JO_OK) return status;
    if (!read_numbers(line, counts, 3, false) || !(counts[0] >= 0.0) || !(counts[1] >= 0.0))
        return expected(m, "the numbers of points, faces and edges", line);
    for (double k = 0.0; k < counts[0] && status == JO_OK; k += 1.0) {
        status = promised_line(m, "a point", &line);
        if (status == JO_OK) status = add_point(m, line, "'X Y Z'");
    }
    for (double k = 0.0; k < counts[1] && status == JO_OK; k += 1.0) {
        status = promised_line(m, "a face", &line);
        if (status == JO_OK) status = off_face(m, line);
    }
    bool more = false;
    if (status == JO_OK) status = next_line(m, &line, &more);
    if (status == JO_OK && more)
        return jo_input_fail(&m->in, m->error, JO_ERR_DATA,
                             "goes on after the %g faces its line of counts promises; correct the "
                             "count",
                             counts[1]);
    return status;
}

static jo_status read_table(mesh *m)
{
    bool found, first = true;
    text line;
    for (;;) {
        const jo_status status = next_line(m, &line, &found);
        if (status != JO_OK || !found) return status;
        double t[9];
        const char separator = jo_text_separator(line);
        text rest = line, value;
        int n = 0;
        while (n < 9 && jo_text_value(&rest, separator, &value) && jo_text_number(value, &t[n]))
            n++;
        const bool header = first && n == 0 && jo_text_starts(line, "vertex");
        first = false;
        if (header) continue;
        if (n < 9 || jo_text_value(&rest, separator, &value))
            return expected(m, "nine numbers, three corners of a triangle,", line);
        const jo_status added = add_triangle(m, t);
        if (added != JO_OK) return added;
    }
}

/* ---- which one it is ---- */

static bool looks_binary(const input *in)
{
    const size_t have = (size_t)(in->end - in->at);
    if (have < HEADER + 4) return false;
    const uint64_t promised = little32((const unsigned char *)in->at + HEADER);
    if (in->size_known && in->size == HEADER + 4 + promised * RECORD) return true;
    /* No text has such bytes: a binary file, whole or not. */
    for (size_t k = 0; k < HEADER + 4; k++) {
        const unsigned char c = (unsigned char)in->at[k];
        if (c == 0 || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) return true;
    }
    return false;
}

/* A byte-order mark is no text: UTF-8's is passed over, others say the file is not to be read. */
static jo_status take_byte_order(mesh *m)
{
    const size_t have = (size_t)(m->in.end - m->in.at);
    if (have >= 2 && (memcmp(m->in.at, "\xFF\xFE", 2) == 0 || memcmp(m->in.at, "\xFE\xFF", 2) == 0))
        return jo_input_fail_file(&m->in, m->error, JO_ERR_DATA,
                                  "is text in UTF-16; save it as UTF-8 or plain ASCII");
    return have >= 3 && memcmp(m->in.at, "\xEF\xBB\xBF", 3) == 0
               ? jo_input_take(&m->in, 3, m->error)
               : JO_OK;
}

/* The first word that is no comment, of what is at hand. */
static text leading_word(const input *in)
{
    text word = {in->at, in->at};
    while (word.at < in->end && (is_space(*word.at) || *word.at == '\n' || *word.at == '#')) {
        const bool comment = *word.at == '#';
        while (comment && word.at < in->end && *word.at != '\n')
            word.at++;
        if (word.at < in->end) word.at++;
    }
    word.end = word.at;
    while (word.end < in->end && !is_space(*word.end) && *word.end != '\n')
        word.end++;
    return word;
}

static jo_status dispatch(mesh *m)
{
    jo_status status = jo_input_peek(&m->in, JO_BLOCK_MAX, m->error);
    if (status == JO_OK) status = take_byte_order(m);
    if (status != JO_OK) return status;
    if (looks_binary(&m->in)) return read_binary(m);
    const text word = leading_word(&m->in);
    if (word.at == m->in.end)
        return jo_input_fail_file(&m->in, m->error, JO_ERR_DATA, "is empty; a mesh has triangles");
    if (jo_text_is_any_case(word, "solid")) return read_ascii(m);
    if (is_off(word)) return read_off(m);
    const bool number = (*word.at >= '0' && *word.at <= '9') || *word.at == '-' ||
                        *word.at == '+' || *word.at == '.';
    if (number || jo_text_starts(word, "vertex")) return read_table(m);
    if (jo_text_is(word, "v") || jo_text_is(word, "f") || obj_other(word)) return read_obj(m);
    char quoted[JO_QUOTED];
    return jo_input_fail_file(
        &m->in, m->error, JO_ERR_DATA,
        "begins with %s; it is neither STL nor OBJ nor OFF nor a table of nine columns",
        jo_text_quote(word, quoted));
}

static jo_status finish(mesh *m, double **triangles, size_t *count)
{
    jo_status status = dispatch(m);
    if (status == JO_OK && m->count == 0)
        status = jo_input_fail_file(&m->in, m->error, JO_ERR_DATA, "has no triangles%s",
                                    m->read > 0 ? " with an area" : "");
    if (status == JO_OK) {
        /* Copied, because buffers are aligned memory of their own size; the caller calls free(). */
        *triangles = malloc(m->count * 9 * sizeof **triangles);
        if (*triangles == NULL)
            status = jo_fail_memory(m->error, m->count * 72, "a mesh");
        else
            memcpy(*triangles, m->triangles.data, m->count * 9 * sizeof **triangles);
        if (status == JO_OK) *count = m->count;
    }
    jo_buffer_free(&m->triangles);
    jo_buffer_free(&m->points);
    jo_input_close(&m->in);
    return status;
}

jo_status jo_mesh_parse(const void *data, size_t size, const char *name, double **triangles,
                        size_t *count, jo_error *error)
{
    const jo_read_options options = jo_read_options_default();
    mesh m = {.error = error};
    *triangles = NULL;
    *count = 0;
    jo_input_memory(&m.in, data, size, name, &options);
    return finish(&m, triangles, count);
}

jo_status jo_mesh_read(const char *path, double **triangles, size_t *count, jo_error *error)
{
    const jo_read_options options = jo_read_options_default();
    mesh m = {.error = error};
    size_t size;
    *triangles = NULL;
    *count = 0;
    jo_status status = jo_file_size(path, &size, error);
    if (status == JO_OK) status = jo_input_open(&m.in, path, &options, error);
    return status == JO_OK ? finish(&m, triangles, count) : status;
}
