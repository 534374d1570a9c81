/* table.c — text in columns, and numbers a person reads at a glance.
 *
 * Widths count characters, not bytes, so that UTF-8 text lines up. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += !is_continuation(*text);
    return width;
}

static void add_row(table *t, const char *line)
{
    if (t->rows == t->capacity) {
        const size_t capacity = t->capacity > 0 ? 2 * t->capacity : 16;
        void *grown = realloc(t->cells, capacity * t->columns * TABLE_TEXT);
        if (grown == NULL) {
            t->failed = true;
            return;
        }
        t->cells = grown;
        t->capacity = capacity;
    }
    for (size_t c = 0; c < t->columns; c++) {
        const size_t length = strcspn(line, "|");
        char *cell = t->cells[t->rows * t->columns + c];
        snprintf(cell, TABLE_TEXT, "%.*s", (int)length, line);
        line += length + (line[length] == '|');
    }
    t->rows++;
}

table table_start(const char *header)
{
    table t = {.columns = 1};
    for (const char *c = header; *c != '\0'; c++)
        t.columns += *c == '|';
    add_row(&t, header);
    return t;
}

void table_row(table *t, const char *format, ...)
{
    char line[TABLE_COLUMNS * TABLE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add_row(t, line);
}

/* A number, perhaps with a unit or separators behind a blank: "1.23 ms", "10 010", "-4e-05". */
static bool looks_numeric(const char *cell)
{
    if (*cell == '\0' || strcmp(cell, "-") == 0) return true;
    const char *rest = cell + (*cell == '-');
    if (!isdigit((unsigned char)*rest)) return false;
    rest += strspn(rest, "0123456789.eE+-");
    return *rest == '\0' || *rest == ' ';
}

static bool is_numeric(const table *t, size_t column)
{
    for (size_t r = 1; r < t->rows; r++)
        if (!looks_numeric(t->cells[r * t->columns + column])) return false;
    return t->rows > 1;
}

void table_print(const table *t, FILE *out, const char *indent)
{
    size_t width[TABLE_COLUMNS] = {0};
    bool right[TABLE_COLUMNS] = {false};
    for (size_t c = 0; c < t->columns && c < TABLE_COLUMNS; c++) {
        right[c] = is_numeric(t, c);
        for (size_t r = 0; r < t->rows; r++) {
            const size_t w = width_of(t->cells[r * t->columns + c]);
            if (w > width[c]) width[c] = w;
        }
    }
    for (size_t r = 0; r < t->rows; r++) {
        fputs(indent, out);
        for (size_t c = 0; c < t->columns && c < TABLE_COLUMNS; c++) {
            const char *cell = t->cells[r * t->columns + c];
            const int pad = (int)(width[c] - width_of(cell));
            const bool last = c + 1 == t->columns;
            if (right[c])
                fprintf(out, "%*s%s", pad, "", cell);
            else
                fprintf(out, "%s%*s", cell, last ? 0 : pad, "");
            if (!last) fputs("  ", out);
        }
        fputc('\n', out);
    }
    if (t->failed) fprintf(out, "%s(out of memory: rows are missing)\n", indent);
}

void table_free(table *t)
{
    free(t->cells);
    *t = (table){0};
}

static const char *with_unit(char *text, size_t size, double value, const char *unit)
{
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, size, "%.*f %s", decimals, value, unit);
    return text;
}

const char *text_seconds(char *text, size_t size, double seconds)
{
    if (!isfinite(seconds))
        snprintf(text, size, "-");
    else if (seconds >= 0.9995)
        with_unit(text, size, seconds, "s");
    else if (seconds >= 0.9995e-3)
        with_unit(text, size, seconds * 1e3, "ms");
    else
        with_unit(text, size, seconds * 1e6, "us");
    return text;
}

const char *text_bytes(char *text, size_t size, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    if (bytes < 1023.5) {
        snprintf(text, size, "%.0f B", bytes);
        return text;
    }
    for (; bytes >= 1023.5 && unit < 4; unit++)
        bytes /= 1024.0;
    return with_unit(text, size, bytes, units[unit]);
}

const char *text_real(char *text, size_t size, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

const char *text_count(char *text, size_t size, double count)
{
    char digits[40];
    if (!(fabs(count) < 1e18)) { /* nobody reads so many digits */
        snprintf(text, size, "%.3g", count);
        return text;
    }
    snprintf(digits, sizeof digits, "%.0f", count);
    const size_t length = strlen(digits);
    size_t used = 0;
    for (size_t k = 0; k < length && used + 2 < size; k++) {
        if (k > 0 && (length - k) % 3 == 0 && digits[k - 1] != '-') text[used++] = ' ';
        text[used++] = digits[k];
    }
    if (size > 0) text[used] = '\0';
    return text;
}

void text_wrap(FILE *out, const char *text, int indent, int width)
{
    int column = indent;
    while (*text != '\0') {
        while (*text == ' ')
            text++;
        const size_t length = strcspn(text, " ");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), text);
        const int w = (int)width_of(word);
        if (column > indent && column + 1 + w > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fputs(word, out);
        column += w;
        text += length;
    }
    fputc('\n', out);
}
