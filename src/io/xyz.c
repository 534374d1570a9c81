/* xyz.c — XYZ and extended XYZ: a count, a comment, and a line per particle; frame after frame.
 *
 * Extended XYZ puts key=value pairs into the comment: Lattice (the box's edge vectors), Origin (its
 * lower corner), pbc (which axes are periodic) and Properties (the columns, name:type:count). The
 * definition is that of the extxyz specification (libatoms) and of OVITO, whose Origin is used too.
 * jostle adds dim=2, so that discs written with a z of 0 come back as discs.
 *
 * Without Properties a line is "species x y z", or three numbers alone, and radii are the caller's.
 * The count is never believed: memory grows with the lines that are there.
 *
 * Cost: one pass, see text.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/box.h"
#include "io/format.h"
#include "io/number.h"
#include "io/text.h"

#define REMEDY "Properties=species:S:1:pos:R:3:radius:R:1 in the comment line"

/* What a comment line says. */
typedef struct comment {
    text lattice, origin, pbc, properties, dim; /* .at is NULL where it says nothing */
} comment;

/* Takes the next key=value off *rest; words without '=' are passed over. */
static bool take_pair(text *rest, text *key, text *value)
{
    const char *p = rest->at;
    for (;;) {
        while (p < rest->end && is_space(*p))
            p++;
        if (p == rest->end) return false;
        key->at = p;
        while (p < rest->end && *p != '=' && !is_space(*p))
            p++;
        key->end = p;
        if (p < rest->end && *p == '=') break;
    }
    p++;
    const char closing = p == rest->end ? 0
                         : *p == '"'    ? '"'
                         : *p == '\''   ? '\''
                         : *p == '{'    ? '}'
                                        : 0;
    if (closing != 0) {
        value->at = ++p;
        const char *const close = memchr(p, closing, (size_t)(rest->end - p));
        value->end = close != NULL ? close : rest->end;
        rest->at = close != NULL ? close + 1 : rest->end;
        return true;
    }
    value->at = p;
    while (p < rest->end && !is_space(*p))
        p++;
    value->end = rest->at = p;
    return true;
}

static comment parse_comment(text line)
{
    comment c = {.lattice = {NULL, NULL}};
    text key, value;
    while (take_pair(&line, &key, &value)) {
        if (jo_text_is_any_case(key, "lattice"))
            c.lattice = value;
        else if (jo_text_is_any_case(key, "origin"))
            c.origin = value;
        else if (jo_text_is_any_case(key, "pbc"))
            c.pbc = value;
        else if (jo_text_is_any_case(key, "properties"))
            c.properties = value;
        else if (jo_text_is_any_case(key, "dim"))
            c.dim = value;
    }
    return c;
}

/* Exactly n numbers, separated by blanks or commas. */
static bool parse_numbers(text t, double *numbers, int n)
{
    text value;
    const char separator = jo_text_separator(t);
    for (int i = 0; i < n; i++)
        if (!jo_text_value(&t, separator, &value) || !jo_text_number(value, &numbers[i]) ||
            !(fabs(numbers[i]) <= JO_COORDINATE_MAX))
            return false;
    return !jo_text_value(&t, separator, &value);
}

static jo_status parse_pbc(const comment *c, jo_domain *box, const input *in, jo_error *error)
{
    char quoted[JO_QUOTED];
    text t = c->pbc, word;
    for (int a = 0; a < 3; a++) {
        const bool found = jo_text_value(&t, ' ', &word);
        const bool yes = found && (jo_text_is_any_case(word, "t") || jo_text_is(word, "1") ||
                                   jo_text_is_any_case(word, "true"));
        const bool no = found && (jo_text_is_any_case(word, "f") || jo_text_is(word, "0") ||
                                  jo_text_is_any_case(word, "false"));
        if (!yes && !no)
            return jo_input_fail(
                in, error, JO_ERR_DATA,
                "pbc is %s; expected T or F for each of three axes, as in \"T T F\"",
                jo_text_quote(c->pbc, quoted));
        box->periodic[a] = yes;
    }
    return JO_OK;
}

static jo_status parse_box(const comment *c, const input *in, jo_domain *box, bool *has_box,
                           jo_error *error)
{
    char quoted[JO_QUOTED];
    *box = (jo_domain){.periodic = {true, true, true}}; /* what Lattice means when pbc is missing */
    *has_box = c->lattice.at != NULL;
    if (c->pbc.at != NULL) {
        const jo_status status = parse_pbc(c, box, in, error);
        if (status != JO_OK) return status;
    }
    if (!*has_box) {
        if (c->pbc.at != NULL && (box->periodic[0] || box->periodic[1] || box->periodic[2]))
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "pbc names periodic axes, but no Lattice gives their length");
        return JO_OK;
    }
    double edges[9];
    if (!parse_numbers(c->lattice, edges, 9))
        return jo_input_fail(
            in, error, JO_ERR_DATA,
            "Lattice is %s; expected nine numbers, the three edge vectors of the box",
            jo_text_quote(c->lattice, quoted));
    for (int i = 0; i < 9; i++)
        if (i % 4 != 0 && edges[i] != 0.0)
            return jo_input_fail(
                in, error, JO_ERR_DATA,
                "Lattice is %s, a box that is not along the axes; only \"Lx 0 0 0 Ly "
                "0 0 0 Lz\" is read",
                jo_text_quote(c->lattice, quoted));
    if (c->origin.at != NULL && !parse_numbers(c->origin, box->lo, 3))
        return jo_input_fail(in, error, JO_ERR_DATA, "Origin is %s; expected three numbers",
                             jo_text_quote(c->origin, quoted));
    for (int a = 0; a < 3; a++)
        box->hi[a] = box->lo[a] + edges[4 * a];
    return JO_OK;
}

/* Appends the columns of one property. */
static bool add_property(table *t, text name, text type, uint64_t count)
{
    if (count < 1 || count > JO_COLUMNS_MAX - t->columns) return false;
    const bool real = jo_text_is(type, "R");
    for (uint64_t i = 0; i < count; i++) {
        role which = ROLE_NONE;
        if (real && jo_text_is_any_case(name, "pos") && count <= 3)
            which = (role)(ROLE_X + i);
        else if (real && count == 1 && jo_text_is_any_case(name, "radius"))
            which = ROLE_R;
        else if (real && count == 1 && jo_text_is_any_case(name, "diameter"))
            which = ROLE_D;
        t->roles[t->columns++] = (unsigned char)which;
    }
    return true;
}

/* Takes what comes before the next ':' off *rest. */
static bool take_part(text *rest, text *part)
{
    if (rest->at == NULL) return false;
    const char *const colon = memchr(rest->at, ':', text_length(*rest));
    *part = (text){rest->at, colon != NULL ? colon : rest->end};
    rest->at = colon != NULL ? colon + 1 : NULL;
    return true;
}

static jo_status parse_properties(text properties, table *t, const input *in, jo_error *error)
{
    text rest = properties, name, type, digits;
    t->columns = 0;
    while (take_part(&rest, &name)) {
        uint64_t count;
        char quoted[JO_QUOTED];
        if (!take_part(&rest, &type) || !take_part(&rest, &digits) ||
            !jo_text_integer(digits, &count) || !add_property(t, name, type, count))
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "Properties is %s; expected name:type:count for each, as in "
                                 "species:S:1:pos:R:3:radius:R:1, and at most %d columns",
                                 jo_text_quote(properties, quoted), JO_COLUMNS_MAX);
    }
    return jo_table_settle(t, in, "Properties", REMEDY, error);
}

/* Without Properties: "species x y z" and whatever follows, or "x y z". */
static jo_status settle_plain(table *t, text line, const input *in, jo_error *error)
{
    static const unsigned char roles[] = {ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z};
    const bool bare = jo_text_count(line, ' ') == 3;
    t->columns = bare ? 3 : 4;
    t->extra_allowed = !bare;
    memcpy(t->roles, bare ? roles + 1 : roles, t->columns);
    return jo_table_settle(t, in, "a comment line without Properties", REMEDY, error);
}

/* The line with the count; *found is false at the end of the file. Blank lines are passed over. */
static jo_status read_count(input *in, uint64_t *count, bool *found, jo_error *error)
{
    text line;
    do {
        const jo_status status = jo_input_line(in, &line, found, error);
        if (status != JO_OK || !*found) return status;
    } while (text_length(line) == 0);
    if (jo_text_integer(line, count)) {
        if (*count <= JO_BODIES_MAX) return JO_OK;
        char big[JO_QUOTED];
        return jo_input_fail(in, error, JO_ERR_LIMIT, "%s particles are announced; at most %zu fit",
                             jo_text_quote(line, big), JO_BODIES_MAX);
    }
    char quoted[JO_QUOTED];
    return jo_input_fail(in, error, JO_ERR_DATA,
                         "expected the number of particles on a line of its own, found %s%s",
                         jo_text_quote(line, quoted),
                         in->line == 1 ? "; lines of x y z alone are read as format csv, with "
                                         "dimension 3 and a radius"
                                       : "; are there more lines than the count before says?");
}

static jo_status fail_short(const input *in, uint64_t done, uint64_t count, jo_error *error)
{
    return jo_input_fail(in, error, JO_ERR_DATA, "the file ends after %llu of %llu particles",
                         (unsigned long long)done, (unsigned long long)count);
}

/* Passes over the frames before the one asked for, for the last one over all; *frames is how many,
 * *count is that of the frame asked for. */
static jo_status find_frame(input *in, uint64_t *count, size_t *frames, jo_error *error)
{
    for (size_t frame = 0;; frame++) {
        bool found;
        *frames = frame;
        text line;
        jo_status status = read_count(in, count, &found, error);
        if (status != JO_OK) return status;
        if (!found && frame == 0)
            return jo_input_fail_file(in, error, JO_ERR_DATA,
                                      "holds only blank lines; expected a number of particles");
        if (!found && in->options->frame == JO_FRAME_LAST) return JO_OK;
        if (!found) return jo_input_fail_frame(in, error, frame);
        if (frame == in->options->frame) return JO_OK;
        for (uint64_t i = 0; i < *count + 1; i++) {
            status = jo_input_line(in, &line, &found, error);
            if (status != JO_OK) return status;
            if (!found) return fail_short(in, i > 0 ? i - 1 : 0, *count, error);
        }
    }
}

static jo_status read_lines(input *in, const comment *c, uint64_t count, gather *g, int *dim,
                            jo_error *error)
{
    table t = {.separator = ' '};
    jo_status status = JO_OK;
    if (c->properties.at != NULL)
        status = parse_properties(c->properties, &t, in, error);
    else if (count == 0)
        t.dim = in->options->dim != 0 ? in->options->dim : 3;
    for (uint64_t i = 0; status == JO_OK && i < count; i++) {
        text line;
        bool found;
        status = jo_input_line(in, &line, &found, error);
        if (status != JO_OK) return status;
        if (!found) return fail_short(in, i, count, error);
        if (i == 0 && c->properties.at == NULL) status = settle_plain(&t, line, in, error);
        if (i == 0) *g = jo_gather_begin(t.dim, false);
        if (status == JO_OK) status = jo_table_row(&t, in, line, (size_t)count, g, error);
    }
    *dim = t.dim;
    if (status != JO_OK || count > 0) return status;
    *g = jo_gather_begin(t.dim, false);
    return jo_gather_more(g, 0, error);
}

static jo_status read_frame(input *in, gather *g, jo_domain *box, bool *has_box, jo_error *error)
{
    uint64_t count = 0;
    text line;
    bool found;
    size_t before;
    jo_status status = find_frame(in, &count, &before, error);
    if (status == JO_OK) status = jo_input_line(in, &line, &found, error);
    if (status != JO_OK) return status;
    if (!found)
        return jo_input_fail(in, error, JO_ERR_DATA,
                             "the file ends here; a comment line (it may be empty) must follow");
    /* The comment is used before the next line is read, except for what is settled from it here. */
    comment c = parse_comment(line);
    status = parse_box(&c, in, box, has_box, error);
    if (status != JO_OK) return status;
    jo_read_options options = *in->options;
    if (options.dim == 0 && c.dim.at != NULL && jo_text_is(c.dim, "2")) options.dim = 2;
    const jo_read_options *const given = in->options;
    in->options = &options;
    int dim = 0;
    status = read_lines(in, &c, count, g, &dim, error);
    in->options = given;
    if (status == JO_OK && *has_box) status = jo_box_settle(box, dim, in, error);
    if (status == JO_OK) status = read_count(in, &count, &found, error);
    return status;
}

static jo_status count_frames(input *in, size_t *frames, jo_error *error)
{
    uint64_t count;
    return find_frame(in, &count, frames, error);
}

static jo_status read_xyz(input *in, jo_particles *particles, jo_error *error)
{
    gather g = {.n = 0};
    jo_domain box;
    bool has_box = false;
    const jo_status status = read_frame(in, &g, &box, &has_box, error);
    if (status == JO_OK) {
        jo_gather_finish(&g, particles);
        particles->has_domain = has_box;
        if (has_box) particles->domain = box;
    }
    jo_gather_free(&g);
    return status;
}

/* A length that added to lo gives hi again, if there is one. */
static double length_of(double lo, double hi)
{
    const double length = hi - lo;
    if (lo + length == hi) return length;
    const double more = nextafter(length, INFINITY), less = nextafter(length, 0.0);
    return lo + more == hi ? more : lo + less == hi ? less : length;
}

static void put_number(output *out, const char *before, double value)
{
    jo_output_put(out, before, strlen(before));
    char *at = jo_output_room(out);
    jo_output_used(out, at + jo_number_format(value, at));
}

static void write_comment(output *out, const jo_particles *p)
{
    char flags[32] = "\" pbc=\"F F F\"";
    if (p->has_domain) {
        const jo_domain box = jo_box_for_writing(p);
        for (int a = 0; a < 3; a++) {
            put_number(out, a == 0 ? "Lattice=\"" : " 0 0 0 ", length_of(box.lo[a], box.hi[a]));
            if (box.periodic[a]) flags[7 + 2 * a] = 'T';
        }
        for (int a = 0; a < 3; a++)
            put_number(out, a == 0 ? "\" Origin=\"" : " ", box.lo[a]);
    }
    /* Without a box there is no quote to close before pbc. */
    const char *const from = p->has_domain ? flags : flags + 2;
    jo_output_put(out, from, strlen(from));
    const char *const rest = p->dim == 2 ? " dim=2 Properties=species:S:1:pos:R:3:radius:R:1\n"
                                         : " Properties=species:S:1:pos:R:3:radius:R:1\n";
    jo_output_put(out, rest, strlen(rest));
}

static jo_status write_xyz(output *out, const jo_particles *p, jo_error *error)
{
    (void)error;
    char *at = jo_output_room(out);
    at += jo_integer_format(p->n, at);
    *at++ = '\n';
    jo_output_used(out, at);
    write_comment(out, p);
    for (size_t i = 0; i < p->n && out->failure == 0; i++) {
        const double values[4] = {p->x[i], p->y[i], p->dim == 3 ? p->z[i] : 0.0, p->r[i]};
        at = jo_output_room(out);
        *at++ = 'A';
        for (int c = 0; c < 4; c++) {
            *at++ = ' ';
            at += jo_number_format(values[c], at);
        }
        *at++ = '\n';
        jo_output_used(out, at);
    }
    return JO_OK;
}

/* A first line that is one whole number, and something behind it. */
static bool starts_xyz(const char *bytes, size_t count)
{
    const char *const stop = count > 0 ? memchr(bytes, '\n', count) : NULL;
    if (stop == NULL || stop + 1 == bytes + count) return false;
    text rest = {bytes, stop}, word;
    uint64_t number;
    return jo_text_value(&rest, ' ', &word) && jo_text_integer(word, &number) &&
           !jo_text_value(&rest, ' ', &word);
}

const format jo_format_xyz = {
    .info = {.name = "xyz",
             .extensions = ".xyz .extxyz",
             .summary = "XYZ and extended XYZ: count, comment with Lattice and Properties, atoms",
             .reads = true,
             .writes = true},
    .count_frames = count_frames,
    .read = read_xyz,
    .write = write_xyz,
    .starts = starts_xyz,
};
