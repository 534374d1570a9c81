/* report.c — tables and plots: readable on the terminal, and as Markdown, HTML and CSV on disk. */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static FILE *open_in(const char *directory, const char *name, const char *extension)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, extension);
    FILE *file = fopen(path, "w");
    if (file == NULL) fprintf(stderr, "bench: cannot write %s\n", path);
    return file;
}

bool report_open(report *r, const options *o, const char *section, const char *title)
{
    *r = (report){.directory = o->directory};
    r->markdown = open_in(o->directory, section, "md");
    r->html = open_in(o->directory, section, "part.html");
    if (r->markdown == NULL || r->html == NULL) {
        report_close(r);
        return false;
    }
    printf("\n== %s\n", title);
    fprintf(r->markdown, "## %s\n", title);
    fprintf(r->html, "<h2>%s</h2>\n", title);
    return true;
}

void report_close(report *r)
{
    if (r->markdown != NULL) fclose(r->markdown);
    if (r->html != NULL) fclose(r->html);
    r->markdown = r->html = NULL;
}

static void write_html(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc(*text, file);
    }
}

void report_say(report *r, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%s\n", text);
    fprintf(r->markdown, "\n%s\n", text);
    fputs("<p>", r->html);
    write_html(r->html, text);
    fputs("</p>\n", r->html);
    fflush(stdout);
}

void report_plot(report *r, const char *name, const jo_plot *plot)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.svg", r->directory, name);
    jo_error error;
    const jo_status status = jo_plot_write(path, plot, &error);
    if (status != JO_OK) {
        fprintf(stderr, "bench: %s: no plot: %s\n", path, error.text);
        return;
    }
    fprintf(r->markdown, "\n![%s](%s.svg)\n", plot->title != NULL ? plot->title : name, name);
    fprintf(r->html, "<p><img src=\"%s.svg\" alt=\"%s\"></p>\n", name, name);
    printf("plot: %s\n", path);
}

table table_new(const char *title)
{
    return (table){.title = title};
}

static void push(table *t, const char *text)
{
    if (t->cells_used == t->capacity) {
        const size_t capacity = 2 * t->capacity + 64;
        char **cells = realloc(t->cells, capacity * sizeof *cells);
        if (cells == NULL) abort();
        t->cells = cells;
        t->capacity = capacity;
    }
    char *copy = strdup(text);
    if (copy == NULL) abort();
    t->cells[t->cells_used++] = copy;
}

void table_head(table *t, const char *heads)
{
    char *copy = strdup(heads), *rest = copy;
    if (copy == NULL) abort();
    for (char *head = strsep(&rest, "|"); head != NULL; head = strsep(&rest, "|")) {
        push(t, head);
        t->columns++;
    }
    free(copy);
}

void table_cell(table *t, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    push(t, text);
}

void table_number(table *t, double value)
{
    if (isnan(value))
        table_cell(t, "-");
    else if (fabs(value) >= 100)
        table_cell(t, "%.0f", value);
    else if (fabs(value) >= 10)
        table_cell(t, "%.1f", value);
    else
        table_cell(t, "%.2f", value);
}

/* Width on a terminal: UTF-8 continuation bytes take none. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void print_text(const table *t)
{
    printf("\n%s\n", t->title);
    for (size_t k = 0; k < t->cells_used; k++) {
        size_t widest = 0;
        for (size_t m = k % t->columns; m < t->cells_used; m += t->columns)
            widest = width_of(t->cells[m]) > widest ? width_of(t->cells[m]) : widest;
        const int pad = (int)(widest - width_of(t->cells[k]));
        if (k % t->columns == 0)
            printf("%s%*s", t->cells[k], pad, "");
        else
            printf("  %*s%s", pad, "", t->cells[k]);
        if ((k + 1) % t->columns == 0) printf("\n");
    }
    fflush(stdout);
}

void table_report(table *t, report *r)
{
    print_text(t);
    fprintf(r->markdown, "\n**%s**\n\n", t->title);
    fputs("<h3>", r->html);
    write_html(r->html, t->title);
    fputs("</h3>\n<table>\n", r->html);
    for (size_t k = 0; k < t->cells_used; k++) {
        const size_t column = k % t->columns;
        const char *tag = k < t->columns ? "th" : "td";
        fprintf(r->markdown, "%s%s ", column == 0 ? "| " : "| ", t->cells[k]);
        fprintf(r->html, "%s<%s>", column == 0 ? "<tr>" : "", tag);
        write_html(r->html, t->cells[k]);
        fprintf(r->html, "</%s>", tag);
        if (column + 1 < t->columns) continue;
        fputs("|\n", r->markdown);
        fputs("</tr>\n", r->html);
        if (k + 1 == t->columns) {
            for (size_t m = 0; m < t->columns; m++)
                fputs(m == 0 ? "| --- " : "| ---: ", r->markdown);
            fputs("|\n", r->markdown);
        }
    }
    fputs("</table>\n", r->html);
}

void table_csv(const table *t, const report *r, const char *name)
{
    FILE *file = open_in(r->directory, name, "csv");
    if (file == NULL) return;
    for (size_t k = 0; k < t->cells_used; k++) {
        const bool quote = strpbrk(t->cells[k], ",\"") != NULL;
        const char *text = strcmp(t->cells[k], "-") == 0 ? "" : t->cells[k];
        fprintf(file, quote ? "\"%s\"" : "%s", text);
        fputc((k + 1) % t->columns == 0 ? '\n' : ',', file);
    }
    fclose(file);
    printf("data: %s/%s.csv\n", r->directory, name);
}

void table_free(table *t)
{
    for (size_t k = 0; k < t->cells_used; k++)
        free(t->cells[k]);
    free(t->cells);
    *t = (table){0};
}
