/* csv.c — columns of numbers: x, y[, z], r, with or without a header.
 *
 * The format nobody defined is read as people write it: values separated by commas, semicolons, or
 * blanks and tabs; comments from '#' to the end of the line; blank lines; Windows line ends; a
 * UTF-8 byte-order mark. The first line that is not blank decides: if none of its values is a
 * number it is a header, whose names (any case, any order, units in brackets ignored) give the
 * columns their meaning; else the number of values does. A header hidden in the last comment before
 * the data, as numpy.savetxt writes it, counts if it names as many columns as there are: ignoring
 * "# r x y z" would turn radii into coordinates without a word.
 *
 * Cost: one pass, see text.c. docs/formats.md defines the format for users. */
#include <string.h>

#include "base/error.h"
#include "io/binary.h"
#include "io/format.h"
#include "io/number.h"
#include "io/text.h"

#define REMEDY "a column r or d"

enum { NAME_MAX_LENGTH = 32, COMMENT_KEPT = 1024 };

/* The bare name of a column: lower case, without units, blanks and punctuation. */
static void bare_name(text name, char bare[NAME_MAX_LENGTH])
{
    size_t n = 0;
    for (; name.at < name.end && n + 1 < NAME_MAX_LENGTH; name.at++) {
        const char c = *name.at;
        if (c == '[' || c == '(' || c == '/') break;
        if (c >= 'A' && c <= 'Z')
            bare[n++] = (char)(c + 32);
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80))
            bare[n++] = c;
    }
    bare[n] = 0;
}

/* Whether a name is the one of x with that letter exchanged for another axis'. */
static bool is_axis_name(const char *name, const char *x_name, char axis)
{
    for (; *x_name != 0; x_name++, name++)
        if (*name != (*x_name == 'x' ? axis : *x_name)) return false;
    return *name == 0;
}

static role role_of(text name)
{
    static const char *const x_names[] = {"x",           "posx",    "xpos",    "positionx",
                                          "xposition",   "coordx",  "xcoord",  "coordinatex",
                                          "xcoordinate", "centerx", "centrex", "xcenter",
                                          "xcentre",     "cx",      "xc",      "px"};
    static const char *const radius_names[] = {"r", "radius", "rad", "particleradius"};
    static const char *const diameter_names[] = {"d", "diameter", "diam", "dia",
                                                 "particlediameter"};
    char bare[NAME_MAX_LENGTH];
    bare_name(name, bare);
    for (size_t i = 0; i < sizeof radius_names / sizeof radius_names[0]; i++)
        if (strcmp(bare, radius_names[i]) == 0) return ROLE_R;
    for (size_t i = 0; i < sizeof diameter_names / sizeof diameter_names[0]; i++)
        if (strcmp(bare, diameter_names[i]) == 0) return ROLE_D;
    /* ParaView counts axes. */
    if (strncmp(bare, "points", 6) == 0 && bare[6] >= '0' && bare[6] <= '2' && bare[7] == 0)
        return (role)(ROLE_X + (bare[6] - '0'));
    for (size_t i = 0; i < sizeof x_names / sizeof x_names[0]; i++)
        for (int axis = 0; axis < 3; axis++)
            if (is_axis_name(bare, x_names[i], "xyz"[axis])) return (role)(ROLE_X + axis);
    return ROLE_NONE;
}

/* A unit that stands alone, as in "Radius [m]" separated by blanks, is no column. */
static bool is_unit(text name)
{
    return text_length(name) >= 2 && (*name.at == '[' || *name.at == '(');
}

/* Fills the table's columns from names; false if there are too many. */
static bool name_columns(table *t, text names)
{
    const char separator = jo_text_separator(names);
    text name;
    t->columns = 0;
    while (jo_text_value(&names, separator, &name)) {
        if (separator == ' ' && is_unit(name)) continue;
        if (t->columns == JO_COLUMNS_MAX) return false;
        t->roles[t->columns++] = (unsigned char)role_of(name);
    }
    /* "x,y,r," has three columns. */
    if (separator != ' ' && t->columns > 1 && text_length(name) == 0) t->columns--;
    return true;
}

static bool any_number(text line)
{
    const char separator = jo_text_separator(line);
    text value;
    double number;
    while (jo_text_value(&line, separator, &value))
        if (jo_text_number(value, &number)) return true;
    return false;
}

/* Columns without names: their number says what they are. */
static jo_status count_columns(table *t, const input *in, text line, jo_error *error)
{
    size_t n = jo_text_count(line, t->separator);
    if (n > 1 && t->separator != ' ' && line.end[-1] == t->separator) n--;
    records r;
    if (jo_records_by_count(&r, n, in->options)) {
        t->columns = n;
        memcpy(t->roles, r.roles, n);
        return JO_OK;
    }
    if (n == 3)
        return jo_input_fail(
            in, error, JO_ERR_DATA,
            "3 columns without a header are x, y, r; in 3 dimensions x, y, z, r are "
            "needed, or x, y, z and one radius for all");
    return jo_input_fail(in, error, JO_ERR_DATA,
                         "expected 3 values (x y r) or 4 (x y z r), found %zu; %s", n,
                         n == 1   ? "commas, semicolons, tabs or blanks separate values"
                         : n == 2 ? "x and y alone need one radius for all"
                                  : "more columns need a header that names them");
}

/* Everything before '#', without blanks at its end. */
static text without_comment(text line)
{
    const char *const hash = memchr(line.at, '#', text_length(line));
    if (hash == NULL) return line;
    line.end = hash;
    while (line.end > line.at && is_space(line.end[-1]))
        line.end--;
    return line;
}

static jo_status check_first_bytes(input *in, jo_error *error)
{
    const unsigned char *b = (const unsigned char *)in->at;
    const size_t n = (size_t)(in->end - in->at);
    if (n >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "is UTF-16 text; save it as UTF-8 or ASCII");
    if (n >= 2 && b[0] == 0x1f && b[1] == 0x8b)
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "is compressed; decompress it with gunzip first");
    if (n >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) in->at += 3;
    return JO_OK;
}

/* What came before the first row. */
typedef struct preface {
    char comment[COMMENT_KEPT]; /* the last comment, if it was short enough to be a header */
    size_t comment_length;
    bool header;
} preface;

/* Takes lines up to the first row; *line is that row, *found whether there is one. */
static jo_status read_preface(input *in, table *t, preface *p, text *line, bool *found,
                              jo_error *error)
{
    for (;;) {
        const jo_status status = jo_input_line(in, line, found, error);
        if (status != JO_OK || !*found) return status;
        if (line->at < line->end && *line->at == '#') {
            p->comment_length = text_length(*line) - 1;
            if (p->comment_length > COMMENT_KEPT) p->comment_length = 0;
            memcpy(p->comment, line->at + 1, p->comment_length);
        }
        *line = without_comment(*line);
        if (text_length(*line) == 0) continue;
        if (p->header || any_number(*line)) return JO_OK;
        char quoted[JO_QUOTED];
        if (memchr(line->at, 0, text_length(*line)) != NULL)
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "the line holds a NUL byte; is this a text file?");
        if (!name_columns(t, *line))
            return jo_input_fail(in, error, JO_ERR_DATA, "the header names more than %d columns",
                                 JO_COLUMNS_MAX);
        char where[JO_QUOTED + 16] = "the header ";
        const jo_status settled =
            jo_table_settle(t, in, strcat(where, jo_text_quote(*line, quoted)), REMEDY, error);
        if (settled != JO_OK) return settled;
        p->header = true;
    }
}

/* The meaning of columns that no header line named, by the first row. */
static jo_status settle_without_header(table *t, const input *in, const preface *p, text line,
                                       jo_error *error)
{
    const text comment = {p->comment, p->comment + p->comment_length};
    if (p->comment_length > 0 && !any_number(comment) && name_columns(t, comment) &&
        t->columns == jo_text_count(line, t->separator)) {
        if (jo_table_settle(t, in, "the comment", REMEDY, NULL) == JO_OK) return JO_OK;
    }
    const jo_status status = count_columns(t, in, line, error);
    return status != JO_OK ? status : jo_table_settle(t, in, "the first row", REMEDY, error);
}

static jo_status read_rows(input *in, gather *g, jo_error *error)
{
    table t = {.comments = true};
    preface p = {.header = false};
    text line;
    bool found;
    jo_status status = check_first_bytes(in, error);
    if (status == JO_OK) status = read_preface(in, &t, &p, &line, &found, error);
    if (status != JO_OK) return status;
    if (!found && !p.header)
        return jo_input_fail_file(
            in, error, JO_ERR_DATA,
            "holds no particles and no header; a header such as x,y,z,r makes "
            "an empty list of particles valid");
    if (found) {
        t.separator = jo_text_separator(line);
        if (!p.header) status = settle_without_header(&t, in, &p, line, error);
        if (status != JO_OK) return status;
    }
    *g = jo_gather_begin(t.dim, false);
    if (!found) return jo_gather_more(g, 0, error);
    while (found) {
        if (text_length(line) > 0) status = jo_table_row(&t, in, line, 0, g, error);
        if (status == JO_OK) status = jo_input_line(in, &line, &found, error);
        if (status != JO_OK) return status;
        if (found) line = without_comment(line);
    }
    return JO_OK;
}

static jo_status read_csv(input *in, jo_particles *particles, jo_error *error)
{
    gather g = {0};
    const jo_status status = read_rows(in, &g, error);
    if (status == JO_OK) jo_gather_finish(&g, particles);
    jo_gather_free(&g);
    return status;
}

static jo_status write_csv(output *out, const jo_particles *p, jo_error *error)
{
    (void)error;
    const double *const columns[4] = {p->x, p->y, p->dim == 3 ? p->z : p->r, p->r};
    const int count = p->dim + 1;
    const char *const header = p->dim == 3 ? "x,y,z,r\n" : "x,y,r\n";
    jo_output_put(out, header, strlen(header));
    for (size_t i = 0; i < p->n && out->failure == 0; i++) {
        char *at = jo_output_room(out);
        for (int c = 0; c < count; c++) {
            at += jo_number_format(columns[c][i], at);
            *at++ = c + 1 < count ? ',' : '\n';
        }
        jo_output_used(out, at);
    }
    return JO_OK;
}

const format jo_format_csv = {
    .info = {.name = "csv",
             .extensions = ".csv .txt .tsv .dat",
             .summary = "columns x, y[, z], r separated by commas, semicolons, tabs or blanks",
             .reads = true,
             .writes = true},
    .read = read_csv,
    .write = write_csv,
};
