/* report.c — numbers beside a paper's: collected, printed, written as JSON and CSV, plotted.
 *
 * A report owns copies of everything, so that measuring and writing are apart: `--json` prints the
 * rows and never touches a file, a full run writes a folder. Running out of memory is remembered
 * and reported once, at the end. The HTML page is in html.c. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "json.h"
#include "output.h"
#include "report.h"
#include "table.h"

/* Room for one more element; false (and remembered) when there is no memory. */
static bool make_room(report *r, void **array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    const size_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    void *grown = realloc(*array, wanted * size);
    if (grown == NULL) {
        r->failed = true;
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

void report_section(report *r, const char *name)
{
    snprintf(r->section, sizeof r->section, "%s", name);
}

void report_row_add(report *r, const char *name, double paper, double ours, const char *unit,
                    const char *note, ...)
{
    void *rows = r->rows;
    if (!make_room(r, &rows, r->n_rows, &r->rows_capacity, sizeof *r->rows)) return;
    r->rows = rows;
    report_row *row = &r->rows[r->n_rows++];
    *row = (report_row){.paper = paper, .ours = ours};
    snprintf(row->section, sizeof row->section, "%s", r->section);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    va_list arguments;
    va_start(arguments, note);
    vsnprintf(row->note, sizeof row->note, note, arguments);
    va_end(arguments);
}

void report_finding(report *r, const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strlen(text);
    char *grown = realloc(r->findings, r->findings_size + length + 2);
    if (grown == NULL) {
        r->failed = true;
        return;
    }
    r->findings = grown;
    memcpy(grown + r->findings_size, text, length);
    memcpy(grown + r->findings_size + length, "\n", 2);
    r->findings_size += length + 1;
}

/* ---- plots */

report_plot *report_plot_add(report *r, const char *file, const char *title, const char *x_label,
                             const char *y_label, bool x_log, bool y_log)
{
    void *plots = r->plots;
    if (!make_room(r, &plots, r->n_plots, &r->plots_capacity, sizeof *r->plots)) return NULL;
    r->plots = plots;
    report_plot *p = &r->plots[r->n_plots++];
    *p = (report_plot){.x_log = x_log, .y_log = y_log};
    snprintf(p->file, sizeof p->file, "%s", file);
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->x_label, sizeof p->x_label, "%s", x_label);
    snprintf(p->y_label, sizeof p->y_label, "%s", y_label);
    return p;
}

static size_t find_series(const report_plot *plot, const char *name)
{
    size_t k = 0;
    while (k < plot->series && strcmp(plot->names[k], name) != 0)
        k++;
    return k;
}

static bool append(double **values, size_t n, double value)
{
    if ((n & (n - 1)) == 0) { /* room is doubled at powers of two */
        double *grown = realloc(*values, (n > 0 ? 2 * n : 1) * sizeof **values);
        if (grown == NULL) return false;
        *values = grown;
    }
    (*values)[n] = value;
    return true;
}

void report_point(report *r, report_plot *plot, const char *series, double x, double y)
{
    if (plot == NULL) return;
    const size_t k = find_series(plot, series);
    if (k == REPORT_SERIES) return;
    if (k == plot->series) {
        snprintf(plot->names[k], sizeof plot->names[k], "%s", series);
        plot->series++;
    }
    if (append(&plot->x[k], plot->n[k], x) && append(&plot->y[k], plot->n[k], y))
        plot->n[k]++;
    else
        r->failed = true;
}

void report_point_error(report *r, report_plot *plot, const char *series, double x, double y,
                        double error)
{
    if (plot == NULL) return;
    const size_t k = find_series(plot, series), n = k < plot->series ? plot->n[k] : 0;
    if (k < REPORT_SERIES && !append(&plot->error[k], n, error))
        r->failed = true;
    else
        report_point(r, plot, series, x, y);
}

void report_bar_name(report *r, report_plot *plot, size_t index, const char *name)
{
    if (plot == NULL) return;
    if (index >= plot->n_bars) {
        void *grown = realloc(plot->bar_names, (index + 1) * sizeof *plot->bar_names);
        if (grown == NULL) {
            r->failed = true;
            return;
        }
        plot->bar_names = grown;
        for (; plot->n_bars <= index; plot->n_bars++)
            plot->bar_names[plot->n_bars][0] = '\0';
    }
    plot->bars = true;
    snprintf(plot->bar_names[index], sizeof plot->bar_names[index], "%s", name);
}

void report_dashed(report_plot *plot, const char *series)
{
    if (plot != NULL && find_series(plot, series) < plot->series)
        plot->dashed[find_series(plot, series)] = true;
}

void report_points_only(report_plot *plot, const char *series)
{
    if (plot != NULL && find_series(plot, series) < plot->series)
        plot->points[find_series(plot, series)] = true;
}

jo_status report_draw(const report_plot *plot, const char *path, jo_error *error)
{
    jo_series series[REPORT_SERIES];
    const char *names[64];
    for (size_t k = 0; k < plot->series; k++)
        series[k] = (jo_series){.name = plot->names[k],
                                .n = plot->n[k],
                                .x = plot->x[k],
                                .y = plot->y[k],
                                .error = plot->error[k],
                                .dashed = plot->dashed[k],
                                .points_only = plot->points[k]};
    for (size_t k = 0; k < plot->n_bars && k < 64; k++)
        names[k] = plot->bar_names[k];
    const jo_plot drawn = {.title = plot->title,
                           .subtitle = plot->subtitle[0] != '\0' ? plot->subtitle : NULL,
                           .x_label = plot->x_label,
                           .y_label = plot->y_label,
                           .x_log = plot->x_log,
                           .y_log = plot->y_log,
                           .series = series,
                           .n_series = plot->series,
                           .x_names = plot->bars ? names : NULL,
                           .n_x_names = plot->bars ? plot->n_bars : 0};
    return jo_plot_write(path, &drawn, error);
}

/* ---- pictures */

report_picture *report_picture_add(report *r, const char *file, const char *title, size_t n,
                                   const double *x, double radius, double edge)
{
    void *pictures = r->pictures;
    if (!make_room(r, &pictures, r->n_pictures, &r->pictures_capacity, sizeof *r->pictures))
        return NULL;
    r->pictures = pictures;
    report_picture p = {.n = n, .edge = edge};
    p.x = malloc(3 * n * sizeof *p.x);
    p.r = malloc(n * sizeof *p.r);
    if (p.x == NULL || p.r == NULL) {
        free(p.x);
        free(p.r);
        r->failed = true;
        return NULL;
    }
    memcpy(p.x, x, 3 * n * sizeof *x);
    for (size_t k = 0; k < n; k++)
        p.r[k] = radius;
    snprintf(p.file, sizeof p.file, "%s", file);
    snprintf(p.title, sizeof p.title, "%s", title);
    r->pictures[r->n_pictures] = p;
    return &r->pictures[r->n_pictures++];
}

report_picture *
report_drawing_add(report *r, const char *file, const char *title,
                   jo_status (*draw)(const report_picture *, const char *, jo_error *), void *drawn)
{
    void *pictures = r->pictures;
    if (!make_room(r, &pictures, r->n_pictures, &r->pictures_capacity, sizeof *r->pictures)) {
        free(drawn);
        return NULL;
    }
    r->pictures = pictures;
    report_picture *p = &r->pictures[r->n_pictures++];
    *p = (report_picture){.draw = draw, .drawn = drawn};
    snprintf(p->file, sizeof p->file, "%s", file);
    snprintf(p->title, sizeof p->title, "%s", title);
    return p;
}

static jo_status draw_picture(const report_picture *p, const char *path, jo_error *error)
{
    const double h = 0.5 * p->edge;
    const double floor[] = {-h, -h, -h, h, -h, -h, h, h, -h, -h, -h, -h, h, h, -h, -h, h, -h};
    jo_picture picture = jo_picture_default();
    picture.width = picture.height = 900;
    picture.title = p->title;
    picture.caption = p->caption[0] != '\0' ? p->caption : NULL;
    picture.colour = JO_COLOUR_INDEX;
    picture.draw_contacts = false;
    picture.walls = floor;
    picture.wall_count = 2;
    picture.has_bounds = true;
    for (int axis = 0; axis < 3; axis++) {
        picture.bounds_lo[axis] = -h;
        picture.bounds_hi[axis] = h;
    }
    const jo_bodies bodies = jo_spheres_interleaved(p->n, 3, p->x, p->r);
    return jo_picture_write(path, &picture, &bodies, NULL, (jo_pairs){0}, error);
}

/* ---- printing */

static const char *text_number(char *text, size_t size, double value)
{
    if (isnan(value))
        snprintf(text, size, "-");
    else if (value == rint(value) && fabs(value) < 1e9)
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, "%.4g", value);
    return text;
}

void report_print(const report *r, FILE *out)
{
    const char *section = "";
    table t = {0};
    fprintf(out, "Paper %d: ", r->paper);
    text_wrap(out, r->title, 9, 110);
    for (size_t k = 0; k < r->n_rows; k++) {
        const report_row *row = &r->rows[k];
        char paper[32], ours[32];
        if (strcmp(section, row->section) != 0) {
            if (t.rows > 0) table_print(&t, out, "  ");
            table_free(&t);
            section = row->section;
            fprintf(out, "\n%s\n", section);
            t = table_start("what|paper|ours|unit|note");
        }
        table_row(&t, "%s|%s|%s|%s|%s", row->name, text_number(paper, sizeof paper, row->paper),
                  text_number(ours, sizeof ours, row->ours), row->unit, row->note);
    }
    if (t.rows > 0) table_print(&t, out, "  ");
    table_free(&t);
    if (r->findings != NULL) fprintf(out, "\nFindings\n");
    for (const char *line = r->findings; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char text[2000];
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        fputs("  * ", out);
        text_wrap(out, text, 4, 110);
        line += length + 1;
    }
}

void report_json(const report *r, FILE *out)
{
    json j = json_start(out);
    json_object(&j, NULL);
    json_integer(&j, "paper", (uint64_t)r->paper);
    json_string(&j, "title", r->title);
    json_array(&j, "rows");
    for (size_t k = 0; k < r->n_rows; k++) {
        const report_row *row = &r->rows[k];
        json_object(&j, NULL);
        json_string(&j, "name", row->name);
        json_real(&j, "paper", row->paper);
        json_real(&j, "ours", row->ours);
        json_string(&j, "unit", row->unit);
        json_string(&j, "note", row->note);
        json_string(&j, "section", row->section);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "findings");
    for (const char *line = r->findings; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char text[2000];
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        json_string(&j, NULL, text);
        line += length + 1;
    }
    json_end(&j);
    json_end(&j);
}

/* ---- files */

static void csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_number(FILE *out, double value)
{
    if (!isnan(value)) fprintf(out, "%.10g", value);
}

static jo_status rows_csv(const report *r, const char *path, jo_error *error)
{
    output o;
    if (output_open(&o, path, error) != JO_OK) return error->status;
    fputs("section,name,paper,ours,unit,note\n", o.file);
    for (size_t k = 0; k < r->n_rows; k++) {
        const report_row *row = &r->rows[k];
        csv_text(o.file, row->section);
        fputc(',', o.file);
        csv_text(o.file, row->name);
        fputc(',', o.file);
        csv_number(o.file, row->paper);
        fputc(',', o.file);
        csv_number(o.file, row->ours);
        fputc(',', o.file);
        csv_text(o.file, row->unit);
        fputc(',', o.file);
        csv_text(o.file, row->note);
        fputc('\n', o.file);
    }
    return output_close(&o, error);
}

jo_status report_plot_csv(const report_plot *plot, const char *path, jo_error *error)
{
    output o;
    if (output_open(&o, path, error) != JO_OK) return error->status;
    fputs("series,x,y,error\n", o.file);
    for (size_t s = 0; s < plot->series; s++)
        for (size_t k = 0; k < plot->n[s]; k++) {
            const size_t bar = (size_t)plot->x[s][k];
            csv_text(o.file, plot->names[s]);
            fputc(',', o.file);
            if (plot->bars && bar < plot->n_bars)
                csv_text(o.file, plot->bar_names[bar]);
            else
                csv_number(o.file, plot->x[s][k]);
            fputc(',', o.file);
            csv_number(o.file, plot->y[s][k]);
            fputc(',', o.file);
            csv_number(o.file, plot->error[s] != NULL ? plot->error[s][k] : NAN);
            fputc('\n', o.file);
        }
    return output_close(&o, error);
}

jo_status report_write(const report *r, const char *folder, jo_error *error)
{
    char path[1400];
    jo_status status = output_folder(folder, error);
    if (status != JO_OK) return status;
    snprintf(path, sizeof path, "%.1000s/rows.csv", folder);
    status = rows_csv(r, path, error);
    for (size_t k = 0; k < r->n_plots && status == JO_OK; k++) {
        snprintf(path, sizeof path, "%.1000s/%s.csv", folder, r->plots[k].file);
        status = report_plot_csv(&r->plots[k], path, error);
        snprintf(path, sizeof path, "%.1000s/%s.svg", folder, r->plots[k].file);
        if (status == JO_OK && jo_pictures_available())
            status = report_draw(&r->plots[k], path, error);
        snprintf(path, sizeof path, "%.1000s/%s.png", folder, r->plots[k].file);
        if (status == JO_OK && jo_pictures_available())
            status = report_draw(&r->plots[k], path, error);
    }
    for (size_t k = 0; k < r->n_pictures && status == JO_OK && jo_pictures_available(); k++) {
        snprintf(path, sizeof path, "%.1000s/%s.png", folder, r->pictures[k].file);
        const report_picture *p = &r->pictures[k];
        status = p->draw != NULL ? p->draw(p, path, error) : draw_picture(p, path, error);
    }
    return status == JO_OK ? html_write(r, folder, error) : status;
}

void report_free(report *r)
{
    for (size_t k = 0; k < r->n_plots; k++) {
        for (size_t s = 0; s < r->plots[k].series; s++) {
            free(r->plots[k].x[s]);
            free(r->plots[k].y[s]);
            free(r->plots[k].error[s]);
        }
        free(r->plots[k].bar_names);
    }
    for (size_t k = 0; k < r->n_pictures; k++) {
        free(r->pictures[k].x);
        free(r->pictures[k].r);
        free(r->pictures[k].drawn);
    }
    free(r->rows);
    free(r->plots);
    free(r->pictures);
    free(r->findings);
    *r = (report){0};
}
