/* text.c — words of a line, and lines of numbers: what the text formats share.
 *
 * A row is read in one pass: each value is parsed where it stands, and what follows it must be a
 * separator. Nothing is copied and nothing is allocated per line. Only when a row turns out to be
 * wrong is it taken apart a second time, slowly, to say what exactly is wrong with it: the number
 * of values, the value that is no number, or the number that is out of range.
 *
 * Cost: for rows of four 17-digit numbers about 100 ns. */
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/number.h"

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* The value that starts at `at`, and where it ends: at the separator behind it or at the end. */
static const char *value_at(const char *at, const char *end, char separator, text *value)
{
    const char *p = at;
    if (p < end && *p == '"') {
        const char *const closing = memchr(p + 1, '"', (size_t)(end - p - 1));
        if (closing != NULL) p = closing + 1;
    }
    while (p < end && (separator == ' ' ? !is_space(*p) : *p != separator))
        p++;
    *value = (text){at, p};
    while (value->end > value->at && is_space(value->end[-1]))
        value->end--;
    if (text_length(*value) >= 2 && *value->at == '"' && value->end[-1] == '"') {
        value->at++;
        value->end--;
    }
    return p;
}

bool jo_text_value(text *rest, char separator, text *value)
{
    if (rest->at == NULL) return false;
    const char *p = skip_spaces(rest->at, rest->end);
    if (p == rest->end && separator == ' ') return false;
    p = value_at(p, rest->end, separator, value);
    /* NULL marks that the line is used up: behind a last separator one empty value remains. */
    rest->at = p < rest->end ? p + 1 : separator == ' ' ? p : NULL;
    return true;
}

size_t jo_text_count(text line, char separator)
{
    size_t n = 0;
    text value;
    while (jo_text_value(&line, separator, &value))
        n++;
    return n;
}

char jo_text_separator(text line)
{
    if (memchr(line.at, ';', text_length(line)) != NULL) return ';';
    return memchr(line.at, ',', text_length(line)) != NULL ? ',' : ' ';
}

bool jo_text_is(text t, const char *word)
{
    return strlen(word) == text_length(t) && memcmp(t.at, word, text_length(t)) == 0;
}

bool jo_text_is_any_case(text t, const char *word)
{
    if (strlen(word) != text_length(t)) return false;
    for (size_t i = 0; i < text_length(t); i++) {
        const char c = t.at[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != word[i]) return false;
    }
    return true;
}

bool jo_text_starts(text t, const char *word)
{
    const size_t length = strlen(word);
    return text_length(t) >= length && memcmp(t.at, word, length) == 0;
}

bool jo_text_number(text t, double *value)
{
    return text_length(t) > 0 && jo_number_parse(t.at, t.end, value) == t.end;
}

bool jo_text_integer(text t, uint64_t *value)
{
    if (t.at == t.end) return false;
    uint64_t n = 0;
    for (; t.at < t.end; t.at++) {
        if (*t.at < '0' || *t.at > '9') return false;
        const uint64_t digit = (uint64_t)(*t.at - '0');
        n = n > (UINT64_MAX - digit) / 10 ? UINT64_MAX : n * 10 + digit;
    }
    *value = n;
    return true;
}

const char *jo_text_quote(text t, char buffer_of[JO_QUOTED])
{
    const size_t room = JO_QUOTED - 6; /* two quotes, three dots, the terminator */
    const size_t shown = text_length(t) <= room ? text_length(t) : room;
    char *p = buffer_of;
    *p++ = '\'';
    for (size_t i = 0; i < shown; i++) {
        const unsigned char c = (unsigned char)t.at[i];
        *p++ = c == '\t' ? ' ' : c < 0x20 || c > 0x7e ? '?' : (char)c;
    }
    *p++ = '\'';
    strcpy(p, shown < text_length(t) ? "..." : "");
    return buffer_of;
}

/* "x y z r" for messages; long lists end in dots. */
static const char *column_list(const table *t, char *list, size_t size)
{
    enum { SHOWN = 8 };
    size_t used = 0;
    list[0] = 0;
    for (size_t c = 0; c < t->columns && c <= SHOWN && used < size; c++)
        used += (size_t)snprintf(list + used, size - used, "%s%s", c > 0 ? " " : "",
                                 c == SHOWN ? "..." : jo_role_names[t->roles[c]]);
    return list;
}

jo_status jo_table_settle(table *t, const input *in, const char *where, const char *remedy,
                          jo_error *error)
{
    const jo_read_options *o = in->options;
    int found[ROLE_COUNT] = {0};
    for (size_t c = 0; c < t->columns; c++)
        found[t->roles[c]]++;
    for (int which = 0; which < ROLE_NONE; which++)
        if (found[which] > 1)
            return jo_input_fail(in, error, JO_ERR_DATA, "%s names %s %d times; once is needed",
                                 where, jo_role_names[which], found[which]);
    t->dim = o->dim != 0 ? o->dim : found[ROLE_Z] ? 3 : 2;
    for (int a = 0; a < t->dim; a++)
        if (!found[ROLE_X + a])
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "%s names no column for %s; columns x, y, z and r (or d for "
                                 "diameters) are read%s",
                                 where, jo_role_names[ROLE_X + a],
                                 a == 2 ? ", and z is optional when the dimension is 2" : "");
    const bool radii = found[ROLE_R] || found[ROLE_D];
    if (!radii && isnan(o->radius))
        return jo_input_fail(
            in, error, JO_ERR_DATA,
            "%s names no radii, and no radius for all was given; %s is needed, or a radius "
            "for all",
            where, remedy);
    for (int which = ROLE_QW; which <= ROLE_QZ; which++)
        if (found[which] != found[ROLE_QW])
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "%s names some of quatw, quati, quatj, quatk; an orientation is "
                                 "all four",
                                 where);
    t->turned = found[ROLE_QW] > 0;
    t->shaped = t->turned && found[ROLE_SHAPE] > 0;
    t->radius = o->radius;
    t->diameters = found[ROLE_D] && !found[ROLE_R];
    for (size_t c = 0; c < t->columns; c++) {
        const bool unwanted =
            (t->roles[c] == ROLE_Z && t->dim == 2) || (t->roles[c] == ROLE_D && found[ROLE_R]) ||
            (t->roles[c] == ROLE_ID && !t->ids) || (t->roles[c] == ROLE_SHAPE && !t->shaped);
        if (unwanted) t->roles[c] = ROLE_NONE;
    }
    t->rows_at = jo_input_offset(in);
    return JO_OK;
}

/* One pass over a row; false if anything about it is not as it should be. */
static bool parse_row(const table *t, text line, double values[ROLE_COUNT])
{
    const char *p = line.at;
    const char *const end = line.end;
    const char separator = t->separator;
    for (size_t c = 0; c < t->columns; c++) {
        const role which = (role)t->roles[c];
        p = skip_spaces(p, end);
        if (which == ROLE_NONE || (p < end && *p == '"')) {
            text value;
            if (p == end && separator == ' ') return false;
            p = value_at(p, end, separator, &value);
            if (which != ROLE_NONE && !jo_text_number(value, &values[which])) return false;
        } else {
            p = jo_number_parse(p, end, &values[which]);
            if (p == NULL) return false;
            if (p < end && !is_space(*p) && *p != separator) return false;
        }
        p = skip_spaces(p, end);
        if (separator == ' ' || c + 1 == t->columns) continue;
        if (p == end || *p != separator) return false;
        p++;
    }
    if (t->extra_allowed) return true;
    if (p < end && *p == separator) p = skip_spaces(p + 1, end); /* one separator may trail */
    return p == end;
}

/* Says what is wrong with a row that parse_row refused. */
static jo_status diagnose(const table *t, const input *in, text line, jo_error *error)
{
    char list[128], quoted[JO_QUOTED];
    if (memchr(line.at, 0, text_length(line)) != NULL)
        return jo_input_fail(in, error, JO_ERR_DATA,
                             "the line holds a NUL byte; is this a text file?");
    size_t found = jo_text_count(line, t->separator);
    text rest = line, value;
    for (size_t c = 0; c < t->columns && jo_text_value(&rest, t->separator, &value); c++) {
        const role which = (role)t->roles[c];
        double number;
        if (which == ROLE_NONE || jo_text_number(value, &number)) continue;
        if (text_length(value) == 0 && c + 1 == found && found < t->columns) {
            found--; /* nothing behind the last separator: not a value, but one too few */
            break;
        }
        if (text_length(value) == 0)
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "column %zu (%s) is empty; a number is "
                                 "needed",
                                 c + 1, jo_role_names[which]);
        if (t->separator == ';' && memchr(value.at, ',', text_length(value)) != NULL)
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "%s is not a number (column %zu, %s); numbers need a decimal "
                                 "point, not a comma",
                                 jo_text_quote(value, quoted), c + 1, jo_role_names[which]);
        return jo_input_fail(in, error, JO_ERR_DATA, "%s is not a number (column %zu, %s)",
                             jo_text_quote(value, quoted), c + 1, jo_role_names[which]);
    }
    return jo_input_fail(
        in, error, JO_ERR_DATA, "expected %zu values (%s), found %zu%s", t->columns,
        column_list(t, list, sizeof list), found,
        found > t->columns && t->comments ? "; put # before a line that is not a particle" : "");
}

static bool is_id(double value)
{
    return value >= 0.0 && value <= 9007199254740992.0 && floor(value) == value;
}

jo_status jo_table_row(const table *t, const input *in, text line, size_t limit, gather *g,
                       jo_error *error)
{
    double values[ROLE_COUNT] = {0.0};
    values[ROLE_R] = t->radius;
    if (!parse_row(t, line, values)) return diagnose(t, in, line, error);
    if (t->diameters) values[ROLE_R] = 0.5 * values[ROLE_D];
    role bad;
    if (!jo_values_good(values, t->dim, &bad))
        return jo_input_fail(in, error, JO_ERR_DATA, "%s is %g; %s", jo_role_names[bad],
                             values[bad], jo_role_demand(bad));
    if (t->ids && !is_id(values[ROLE_ID]))
        return jo_input_fail(in, error, JO_ERR_DATA,
                             "id is %g; ids are whole numbers from 0 to 2^53", values[ROLE_ID]);
    if (g->n == g->capacity) {
        size_t expected = jo_gather_guess(g, in, t->rows_at);
        if (limit != 0 && expected > limit) expected = limit;
        const jo_status status = jo_gather_more(g, expected, error);
        if (status != JO_OK) return status;
    }
    if (t->shaped && !is_id(values[ROLE_SHAPE]))
        return jo_input_fail(in, error, JO_ERR_DATA,
                             "shape is %g; shapes are whole numbers, 0 for a sphere",
                             values[ROLE_SHAPE]);
    for (int which = 0; which < ROLE_GATHERED; which++)
        if (g->used[which]) gathered(g, (role)which)[g->n] = values[which];
    g->n++;
    return JO_OK;
}
