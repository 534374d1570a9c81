/* report.h — numbers beside a paper's, and the page that shows them. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli.h"

enum { REPORT_NAME = 96, REPORT_NOTE = 400, REPORT_SERIES = 16 };

/* One number of a paper beside ours. */
typedef struct report_row {
    char section[REPORT_NAME];
    char name[REPORT_NAME];
    double paper; /* NaN: the paper gives none */
    double ours;
    char unit[32];
    char note[REPORT_NOTE];
} report_row;

/* A plot with its own copy of the data. */
typedef struct report_plot {
    char file[64]; /* without extension */
    char title[160], subtitle[240], x_label[80], y_label[80];
    bool x_log, y_log;
    char names[REPORT_SERIES][64];
    double *x[REPORT_SERIES], *y[REPORT_SERIES];
    double *error[REPORT_SERIES]; /* half-height of error bars; NULL: the series has none */
    size_t n[REPORT_SERIES];
    bool dashed[REPORT_SERIES], points[REPORT_SERIES];
    size_t series;
    bool bars; /* x is 0, 1, 2 …, named by bar_names */
    char (*bar_names)[64];
    size_t n_bars;
} report_plot;

/* A picture of equal balls in a cube around the origin, with its own copy of them; or one that is
 * drawn by a function. */
typedef struct report_picture report_picture;
struct report_picture {
    char file[64]; /* without extension */
    char title[160], caption[240];
    size_t n;
    double edge;   /* of the cube */
    double *x, *r; /* 3 n centres; n radii */
    jo_status (*draw)(const report_picture *picture, const char *path, jo_error *error);
    void *drawn; /* for draw; freed with the report */
};

typedef struct report {
    int paper;
    char title[300];
    char section[REPORT_NAME]; /* of the rows that follow */
    report_row *rows;
    size_t n_rows, rows_capacity;
    report_plot *plots;
    size_t n_plots, plots_capacity;
    report_picture *pictures;
    size_t n_pictures, pictures_capacity;
    char *findings; /* paragraphs, each ended by '\n' */
    size_t findings_size;
    bool failed; /* out of memory: something is missing */
} report;

void report_section(report *r, const char *name);
/* Adds a row; note is formatted. */
void report_row_add(report *r, const char *name, double paper, double ours, const char *unit,
                    const char *note, ...) JO_PRINTF(6, 7);
/* A paragraph for the top of the page: what was found, what cannot be right. */
void report_finding(report *r, const char *format, ...) JO_PRINTF(2, 3);

/* Starts a plot; fields of the result may be changed. NULL when out of memory. */
report_plot *report_plot_add(report *r, const char *file, const char *title, const char *x_label,
                             const char *y_label, bool x_log, bool y_log);
/* Adds a point to the series of that name, which is created when new. */
void report_point(report *r, report_plot *plot, const char *series, double x, double y);
/* The same with an error bar; all points of such a series have one. */
void report_point_error(report *r, report_plot *plot, const char *series, double x, double y,
                        double error);
/* Names the bars of a bar chart; series then have x = 0, 1, 2 … */
void report_bar_name(report *r, report_plot *plot, size_t index, const char *name);
/* The series is a model or another's numbers: dashed. */
void report_dashed(report_plot *plot, const char *series);
void report_points_only(report_plot *plot, const char *series);

/* Adds a picture of n balls of radius r in a cube; title and caption may be changed. NULL when out
 * of memory. */
report_picture *report_picture_add(report *r, const char *file, const char *title, size_t n,
                                   const double *x, double radius, double edge);

/* Adds one that is drawn by a function from a block of memory that the report will free, now if it
 * is out of memory (NULL). */
report_picture *report_drawing_add(report *r, const char *file, const char *title,
                                   jo_status (*draw)(const report_picture *, const char *,
                                                     jo_error *),
                                   void *drawn);

void report_print(const report *r, FILE *out); /* a table for a person */
void report_json(const report *r, FILE *out);
/* Writes rows.csv, one plot and CSV per plot, the pictures, and index.html into the folder. */
jo_status report_write(const report *r, const char *folder, jo_error *error);
/* One plot to a file by its extension. */
jo_status report_draw(const report_plot *plot, const char *path, jo_error *error);
jo_status report_plot_csv(const report_plot *plot, const char *path, jo_error *error);
void report_free(report *r);

#endif
