/* table.h — text in columns, and numbers a person reads at a glance. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 12, TABLE_TEXT = 160 };

/* Rows are kept until printed, so that columns fit their widest entry. Columns that hold numbers
 * only are aligned to the right. */
typedef struct table {
    size_t columns, rows, capacity;
    char (*cells)[TABLE_TEXT]; /* row-major; row 0 is the header */
    bool failed;               /* out of memory: rows are missing */
} table;

/* Starts a table with its header: names separated by '|'. */
table table_start(const char *header);
/* Adds a row: fields separated by '|' after formatting. */
void table_row(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_print(const table *t, FILE *out, const char *indent);
void table_free(table *t);

/* Three significant digits with a unit: "1.23 ms". Return text. */
const char *text_seconds(char *text, size_t size, double seconds);
const char *text_bytes(char *text, size_t size, double bytes);
/* The fewest of 15 to 17 digits that read back as the same number. */
const char *text_real(char *text, size_t size, double value);
/* With separators: 1 234 567. */
const char *text_count(char *text, size_t size, double count);

/* Prints text wrapped at `width` columns, lines after the first indented by `indent` spaces. */
void text_wrap(FILE *out, const char *text, int indent, int width);

#endif
