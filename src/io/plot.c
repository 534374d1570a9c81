/* plot.c — line plots, scatter plots and grouped bar charts.
 *
 * The page is laid out from the outside in: title and subtitle at the top, the legend to the right
 * of the data (or below it when names are long), so that it never covers a point, then the axes
 * with room for the widest number, then the data. Series differ by colour and by marker, so that
 * they can be told apart in grey too; the ninth to sixteenth repeat the colours with hollow
 * markers. Dashed series, for models and other people's numbers, have dashed lines and hatched
 * bars.
 *
 * NaN, infinite and absurdly large values are gaps, and so are values without a logarithm on
 * logarithmic axes. Linear axes of positive values begin at zero unless that would squeeze the data
 * into the upper part.
 *
 * Cost: O(points). Lines longer than some thousand points are one cairo path each. */
#include "jostle/picture.h"

#ifdef JO_HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/axis.h"
#include "io/canvas.h"

#define PI 3.14159265358979323846

typedef struct figure {
    canvas *c;
    const jo_plot *plot;
    theme look;
    double em;
    double width, height;            /* of the figure: the page, or its part of it */
    double left, right, top, bottom; /* of the data area, pixels */
    axis x, y;
    bool bars;
    bool legend_below;
    double legend_width; /* of one entry, pixels; 0: no legend */
    bool slanted;        /* names of groups */
    size_t points;       /* that can be drawn */
} figure;

/* ---- data */

static double x_of(const jo_series *s, size_t k)
{
    return s->x != NULL ? s->x[k] : (double)k;
}

/* Whether point k has a place on the axes. */
static bool visible(const figure *f, const jo_series *s, size_t k)
{
    const double x = x_of(s, k), y = s->y[k];
    if (!isfinite(x) || !isfinite(y)) return false;
    if (fabs(x) > 1e150 || fabs(y) > 1e150) return false; /* beyond what axes can hold */
    if (f->plot->y_log && !(y > 0.0)) return false;
    if (f->bars) return x > -0.5 && x < (double)f->plot->n_x_names - 0.5;
    return !f->plot->x_log || x > 0.0;
}

typedef struct range {
    double lo, hi;
} range;

static void widen(range *r, double v)
{
    if (!isfinite(v)) return;
    if (!(r->lo <= v)) r->lo = v; /* NaN at first */
    if (!(r->hi >= v)) r->hi = v;
}

static void measure(figure *f, range *x, range *y)
{
    *x = *y = (range){NAN, NAN};
    for (size_t s = 0; s < f->plot->n_series; s++) {
        const jo_series *series = &f->plot->series[s];
        for (size_t k = 0; k < series->n; k++) {
            if (!visible(f, series, k)) continue;
            f->points++;
            widen(x, x_of(series, k));
            widen(y, series->y[k]);
            if (series->error == NULL || !isfinite(series->error[k])) continue;
            widen(y, series->y[k] + fabs(series->error[k]));
            const double low = series->y[k] - fabs(series->error[k]);
            if (!f->plot->y_log || low > 0.0) widen(y, low);
        }
    }
}

static range padded(range r, bool logarithmic, double share)
{
    if (!(r.lo <= r.hi)) return r;
    if (logarithmic) {
        const double factor = pow(r.hi / r.lo, share);
        return (range){r.lo / factor, r.hi * factor};
    }
    return (range){r.lo - share * (r.hi - r.lo), r.hi + share * (r.hi - r.lo)};
}

static void make_axes(figure *f, double width, double height)
{
    range x, y;
    measure(f, &x, &y);
    const int across = (int)(width / (5.5 * f->em)) + 1, down = (int)(height / (3.2 * f->em)) + 1;
    if (f->bars) {
        f->x = (axis){.lo = -0.5, .hi = (double)f->plot->n_x_names - 0.5};
        if (f->plot->n_x_names == 0) f->x.hi = 0.5;
    } else {
        x = padded(x, f->plot->x_log, 0.04);
        jo_axis_make(&f->x, x.lo, x.hi, f->plot->x_log, false, across);
    }
    if (f->plot->y_log) {
        y = padded(y, true, 0.06);
        if (f->bars && y.lo > 0.0) y.lo = pow(10.0, floor(log10(y.lo) - 0.15)); /* bars need feet */
        if (f->bars) y.hi *= pow(y.hi / y.lo, 0.04);
    } else {
        if (y.lo > 0.0 && (f->bars || y.lo < 0.6 * y.hi)) y.lo = 0.0;
        if (f->bars && y.hi < 0.0) y.hi = 0.0;
        if (y.hi > 0.0) y.hi += 0.04 * (y.hi - y.lo);
    }
    jo_axis_make(&f->y, y.lo, y.hi, f->plot->y_log, !f->plot->y_log, down < 8 ? down : 8);
}

static double px(const figure *f, double x)
{
    return f->left + jo_axis_position(&f->x, x) * (f->right - f->left);
}

static double py(const figure *f, double y)
{
    return f->bottom - jo_axis_position(&f->y, y) * (f->bottom - f->top);
}

/* ---- layout */

static double widest_number(figure *f, const axis *a)
{
    double widest = 0.0;
    for (size_t k = 0; k < a->count; k++)
        widest = fmax(widest, jo_canvas_text_width(f->c, a->tick[k].text, 0.85 * f->em, false));
    return widest;
}

static const char *name_of(const jo_series *s)
{
    return s->name != NULL ? s->name : "";
}

static void place_legend(figure *f)
{
    double widest = 0.0;
    for (size_t s = 0; s < f->plot->n_series; s++)
        widest = fmax(
            widest, jo_canvas_text_width(f->c, name_of(&f->plot->series[s]), 0.88 * f->em, false));
    if (!(widest > 0.0)) return;
    f->legend_width = widest + 3.2 * f->em;
    f->legend_below = f->legend_width > 0.3 * f->width ||
                      (double)f->plot->n_series * 1.5 * f->em > 0.8 * f->height;
    if (f->legend_width > f->width - 2.4 * f->em) f->legend_width = f->width - 2.4 * f->em;
}

static size_t legend_columns(const figure *f)
{
    const double columns = (f->width - 2.4 * f->em) / (f->legend_width + f->em);
    return columns > 1.0 ? (size_t)columns : 1;
}

/* Names of groups too wide for their slot are slanted; returns the height they need. */
static double names_height(figure *f, double width)
{
    double widest = 0.0;
    for (size_t k = 0; k < f->plot->n_x_names; k++) {
        const char *name = f->plot->x_names[k];
        if (name != NULL)
            widest = fmax(widest, jo_canvas_text_width(f->c, name, 0.85 * f->em, false));
    }
    const double slot = width / (double)(f->plot->n_x_names > 0 ? f->plot->n_x_names : 1);
    f->slanted = widest > 0.92 * slot;
    return f->slanted ? fmin(widest, 11.0 * f->em) * 0.64 + 0.9 * f->em : 1.1 * f->em;
}

static void lay_out(figure *f)
{
    const double w = f->width, h = f->height, margin = 1.2 * f->em;
    place_legend(f);
    f->top = margin + 0.4 * f->em;
    if (f->plot->title != NULL) f->top += 1.9 * f->em;
    if (f->plot->subtitle != NULL) f->top += 1.5 * f->em;
    f->left = margin + (f->plot->y_label != NULL ? 1.6 * f->em : 0.0);
    f->right = w - margin;
    f->bottom = h - margin - (f->plot->x_label != NULL ? 1.7 * f->em : 0.0);
    if (f->legend_width > 0.0 && !f->legend_below) f->right -= f->legend_width + 0.8 * f->em;
    if (f->legend_width > 0.0 && f->legend_below) {
        const size_t columns = legend_columns(f);
        const double rows = (double)((f->plot->n_series + columns - 1) / columns);
        f->bottom -= 1.5 * f->em * rows + 0.5 * f->em;
    }
    f->bottom -= f->bars ? names_height(f, f->right - f->left) : 1.3 * f->em;
    make_axes(f, f->right - f->left, f->bottom - f->top);
    f->left += widest_number(f, &f->y) + 0.8 * f->em;
    /* A page too small for its words still shows something. */
    if (f->right < f->left + 2.0) f->left = 0.1 * w, f->right = 0.9 * w;
    if (f->bottom < f->top + 2.0) f->top = 0.1 * h, f->bottom = 0.9 * h;
}

/* ---- axes */

static void line(figure *f, double x0, double y0, double x1, double y1, double width, colour ink)
{
    jo_canvas_colour(f->c, ink);
    cairo_set_line_width(f->c->cr, width);
    cairo_move_to(f->c->cr, x0, y0);
    cairo_line_to(f->c->cr, x1, y1);
    cairo_stroke(f->c->cr);
}

/* The middle of the pixel: a line one pixel wide is crisp there. */
static double crisp(double v)
{
    return floor(v) + 0.5;
}

static void draw_y_axis(figure *f)
{
    const colour grid = jo_colour_mix(f->look.background, f->look.faint, 0.35);
    for (size_t k = 0; k < f->y.count; k++) {
        const axis_tick *t = &f->y.tick[k];
        const double y = crisp(py(f, t->value));
        if (y < f->top - 1.0 || y > f->bottom + 1.0) continue;
        if (t->major) line(f, f->left, y, f->right, y, 1.0, grid);
        line(f, f->left, y, f->left - (t->major ? 0.35 : 0.18) * f->em, y, 1.0, f->look.text);
        jo_canvas_colour(f->c, f->look.text);
        jo_canvas_text(f->c, t->text, f->left - 0.55 * f->em, y, 0.85 * f->em,
                       (placement){.across = 1.0, .down = 0.5});
    }
}

static void draw_x_axis(figure *f)
{
    const colour grid = jo_colour_mix(f->look.background, f->look.faint, 0.35);
    for (size_t k = 0; k < f->x.count; k++) {
        const axis_tick *t = &f->x.tick[k];
        const double x = crisp(px(f, t->value));
        if (x < f->left - 1.0 || x > f->right + 1.0) continue;
        if (t->major) line(f, x, f->top, x, f->bottom, 1.0, grid);
        line(f, x, f->bottom, x, f->bottom + (t->major ? 0.35 : 0.18) * f->em, 1.0, f->look.text);
        jo_canvas_colour(f->c, f->look.text);
        jo_canvas_text(f->c, t->text, x, f->bottom + 0.6 * f->em, 0.85 * f->em,
                       (placement){.across = 0.5});
    }
}

static void draw_names(figure *f)
{
    const double slot = (f->right - f->left) / (double)f->plot->n_x_names;
    jo_canvas_colour(f->c, f->look.text);
    for (size_t k = 0; k < f->plot->n_x_names; k++) {
        const double x = px(f, (double)k);
        if (f->slanted)
            jo_canvas_text(
                f->c, f->plot->x_names[k], x + 0.3 * f->em, f->bottom + 0.5 * f->em,
                fmin(0.85 * f->em, 1.1 * slot),
                (placement){
                    .across = 1.0, .down = 0.3, .angle = -0.22 * PI, .max_width = 11.0 * f->em});
        else
            jo_canvas_text(f->c, f->plot->x_names[k], x, f->bottom + 0.5 * f->em, 0.85 * f->em,
                           (placement){.across = 0.5});
    }
}

static void draw_labels(figure *f)
{
    const jo_plot *p = f->plot;
    const double w = f->width, margin = 1.2 * f->em;
    double y = margin;
    jo_canvas_colour(f->c, f->look.text);
    if (p->title != NULL) {
        jo_canvas_text(f->c, p->title, margin, y, 1.2 * f->em,
                       (placement){.bold = true, .max_width = w - 2.0 * margin});
        y += 1.7 * f->em;
    }
    jo_canvas_text(f->c, p->x_label, 0.5 * (f->left + f->right),
                   f->legend_below && f->legend_width > 0.0
                       ? f->bottom + (f->bars ? names_height(f, f->right - f->left) : 1.3 * f->em) +
                             1.7 * f->em
                       : f->height - margin,
                   0.95 * f->em,
                   (placement){.across = 0.5, .down = 1.0, .max_width = f->right - f->left});
    jo_canvas_text(f->c, p->y_label, margin, 0.5 * (f->top + f->bottom), 0.95 * f->em,
                   (placement){.across = 0.5,
                               .angle = -0.5 * PI,
                               .max_width = f->bottom - f->top + 3.0 * f->em});
    jo_canvas_colour(f->c, jo_colour_mix(f->look.text, f->look.background, 0.25));
    jo_canvas_text(f->c, p->subtitle, margin, y, 0.88 * f->em,
                   (placement){.max_width = w - 2.0 * margin});
}

/* ---- series */

static void dashes(figure *f, bool dashed)
{
    const double pattern[2] = {0.45 * f->em, 0.3 * f->em};
    cairo_set_dash(f->c->cr, pattern, dashed ? 2 : 0, 0.0);
}

/* The outline of marker number k, of radius r. */
static void marker_path(cairo_t *cr, size_t k, double x, double y, double r)
{
    /* corners, first angle in units of pi, relative size; 0 corners: a circle */
    static const struct {
        int corners;
        double turn, size;
    } shape[JO_PALETTE_SIZE] = {{0, 0.0, 1.0},  {4, 0.25, 1.25}, {3, -0.5, 1.35}, {4, 0.0, 1.3},
                                {3, 0.5, 1.35}, {5, -0.5, 1.2},  {6, 0.0, 1.15},  {3, 0.0, 1.35}};
    const int corners = shape[k % JO_PALETTE_SIZE].corners;
    cairo_new_sub_path(cr);
    if (corners == 0) {
        cairo_arc(cr, x, y, r, 0.0, 2.0 * PI);
    } else {
        for (int c = 0; c < corners; c++) {
            const double angle = PI * (shape[k % JO_PALETTE_SIZE].turn + 2.0 * c / corners);
            const double size = r * shape[k % JO_PALETTE_SIZE].size;
            cairo_line_to(cr, x + size * cos(angle), y + size * sin(angle));
        }
    }
    cairo_close_path(cr);
}

static void draw_marker(figure *f, size_t s, double x, double y)
{
    const bool hollow = s / JO_PALETTE_SIZE % 2 == 1 || f->plot->series[s].dashed;
    const double r = 0.24 * f->em;
    marker_path(f->c->cr, s, x, y, r);
    jo_canvas_colour(f->c, hollow ? f->look.background : jo_colour_series(s));
    cairo_fill_preserve(f->c->cr);
    jo_canvas_colour(f->c, hollow ? jo_colour_series(s) : f->look.background);
    cairo_set_line_width(f->c->cr, hollow ? 0.1 * f->em : 0.05 * f->em);
    cairo_stroke(f->c->cr);
}

static void draw_error(figure *f, const jo_series *series, size_t k, double x, colour ink)
{
    if (series->error == NULL || !isfinite(series->error[k]) || series->error[k] == 0.0) return;
    const double e = fabs(series->error[k]), low = series->y[k] - e, cap = 0.2 * f->em;
    const double y0 = py(f, series->y[k] + e);
    const double y1 = f->plot->y_log && !(low > f->y.lo) ? f->bottom : py(f, low);
    line(f, x, y0, x, y1, 0.07 * f->em, ink);
    line(f, x - cap, y0, x + cap, y0, 0.07 * f->em, ink);
    if (y1 < f->bottom) line(f, x - cap, y1, x + cap, y1, 0.07 * f->em, ink);
}

/* A model computed at many points is a curve; markers would make it look measured. */
static bool has_markers(const jo_series *s)
{
    return !s->line_only && (s->points_only || !s->dashed || s->n <= 12);
}

static void draw_line_series(figure *f, size_t s)
{
    const jo_series *series = &f->plot->series[s];
    const colour ink = jo_colour_series(s);
    cairo_set_line_join(f->c->cr, CAIRO_LINE_JOIN_ROUND);
    bool pen_down = false;
    for (size_t k = 0; k < series->n && !series->points_only; k++) {
        if (!visible(f, series, k)) {
            pen_down = false;
            continue;
        }
        const double x = px(f, x_of(series, k)), y = py(f, series->y[k]);
        if (pen_down)
            cairo_line_to(f->c->cr, x, y);
        else
            cairo_move_to(f->c->cr, x, y);
        pen_down = true;
    }
    jo_canvas_colour(f->c, ink);
    cairo_set_line_width(f->c->cr, 0.13 * f->em);
    dashes(f, series->dashed);
    cairo_stroke(f->c->cr);
    dashes(f, false);
    /* Markers every few points where they would otherwise run together. */
    const double room = (f->right - f->left) / (0.9 * f->em);
    const size_t every = series->points_only || (double)series->n <= room
                             ? 1
                             : (size_t)((double)series->n / room) + 1;
    const bool marked = has_markers(series);
    for (size_t k = 0; k < series->n; k++) {
        if (!visible(f, series, k)) continue;
        const double x = px(f, x_of(series, k));
        draw_error(f, series, k, x, ink);
        if (k % every == 0 && marked) draw_marker(f, s, x, py(f, series->y[k]));
    }
}

/* ---- bars */

static void fill_bar(figure *f, size_t s, double x, double y, double w, double h)
{
    cairo_t *cr = f->c->cr;
    const colour ink = jo_colour_series(s);
    const bool light = f->plot->series[s].dashed || s / JO_PALETTE_SIZE % 2 == 1;
    jo_canvas_colour(f->c, light ? jo_colour_mix(f->look.background, ink, 0.25) : ink);
    cairo_rectangle(cr, x, y, w, h);
    cairo_fill(cr);
    if (!light) return;
    cairo_save(cr);
    cairo_rectangle(cr, x, y, w, h);
    cairo_clip(cr);
    jo_canvas_colour(f->c, ink);
    cairo_set_line_width(cr, 0.07 * f->em);
    const double gap = 0.42 * f->em, first = floor((x - y - h) / gap), last = (x + w - y) / gap;
    for (double k = first; k <= last && k - first < 4096.0; k++) {
        cairo_move_to(cr, k * gap + y, y);
        cairo_line_to(cr, k * gap + y + h, y + h);
    }
    cairo_stroke(cr);
    cairo_rectangle(cr, x, y, w, h);
    cairo_set_line_width(cr, 0.14 * f->em);
    cairo_stroke(cr);
    cairo_restore(cr);
}

static void bar_number(figure *f, double value, double x, double y, double room, bool below)
{
    char text[32];
    const double size = 0.7 * f->em;
    snprintf(text, sizeof text, fabs(value) >= 1000.0 && fabs(value) < 1e6 ? "%.0f" : "%.3g",
             value);
    jo_canvas_colour(f->c, f->look.text);
    if (jo_canvas_text_width(f->c, text, size, false) < 0.98 * room)
        jo_canvas_text(f->c, text, x, y + (below ? 0.25 : -0.25) * f->em, size,
                       (placement){.across = 0.5, .down = below ? 0.0 : 1.0});
    else if (room > 0.62 * f->em) /* upright, where the bar is narrow */
        jo_canvas_text(f->c, text, x, y + (below ? 0.25 : -0.25) * f->em, size,
                       (placement){.across = below ? 1.0 : 0.0, .down = 0.5, .angle = -0.5 * PI});
}

static void draw_bar_series(figure *f, size_t s)
{
    const jo_series *series = &f->plot->series[s];
    const double slot = (f->right - f->left) / (double)f->plot->n_x_names;
    const double each = fmin(0.84 * slot / (double)f->plot->n_series, 6.0 * f->em);
    const double shift = each * ((double)s - 0.5 * (double)f->plot->n_series);
    const double foot = f->plot->y_log ? f->bottom : py(f, f->y.lo > 0.0 ? f->y.lo : 0.0);
    for (size_t k = 0; k < series->n; k++) {
        if (!visible(f, series, k)) continue;
        const double x = px(f, floor(x_of(series, k) + 0.5)) + shift, y = py(f, series->y[k]);
        const double gap = fmin(1.0, 0.1 * each);
        fill_bar(f, s, x, fmin(y, foot), each - gap, fabs(foot - y));
        draw_error(f, series, k, x + 0.5 * each, f->look.text);
        if (series->error == NULL)
            bar_number(f, series->y[k], x + 0.5 * (each - gap), y, each, series->y[k] < 0.0);
    }
}

/* ---- legend */

static void draw_legend(figure *f)
{
    if (!(f->legend_width > 0.0)) return;
    const size_t columns = f->legend_below ? legend_columns(f) : 1;
    const double rows = (double)((f->plot->n_series + columns - 1) / columns);
    const double step =
        fmin(1.5 * f->em, f->legend_below ? 1.5 * f->em : (f->bottom - f->top) / fmax(rows, 1.0));
    const double x0 = f->legend_below ? 1.2 * f->em : f->right + 1.0 * f->em;
    const double y0 =
        f->legend_below ? f->height - 1.2 * f->em - step * rows : f->top - 0.2 * f->em;
    for (size_t s = 0; s < f->plot->n_series; s++) {
        const jo_series *series = &f->plot->series[s];
        const double x = x0 + (double)(s % columns) * (f->legend_width + f->em);
        const double y = y0 + ((double)(s / columns) + 0.5) * step, length = 1.9 * f->em;
        if (f->bars) {
            fill_bar(f, s, x + 0.4 * f->em, y - 0.4 * f->em, 1.2 * f->em, 0.8 * f->em);
        } else {
            dashes(f, series->dashed);
            if (!series->points_only)
                line(f, x, y, x + length, y, 0.13 * f->em, jo_colour_series(s));
            dashes(f, false);
            if (has_markers(series)) draw_marker(f, s, x + 0.5 * length, y);
        }
        jo_canvas_colour(f->c, f->look.text);
        jo_canvas_text(f->c, name_of(series), x + length + 0.5 * f->em, y, 0.88 * f->em,
                       (placement){.down = 0.5, .max_width = f->legend_width - 2.4 * f->em});
    }
}

/* ---- the whole */

static void draw(figure *f)
{
    lay_out(f);
    draw_y_axis(f);
    if (f->bars && f->plot->n_x_names > 0)
        draw_names(f);
    else
        draw_x_axis(f);
    for (size_t s = 0; s < f->plot->n_series; s++) {
        if (f->bars)
            draw_bar_series(f, s);
        else
            draw_line_series(f, s);
    }
    line(f, crisp(f->left), f->top, crisp(f->left), f->bottom, 1.0, f->look.text);
    line(f, f->left, crisp(f->bottom), f->right, crisp(f->bottom), 1.0, f->look.text);
    if (f->points == 0) {
        jo_canvas_colour(f->c, f->look.faint);
        jo_canvas_text(f->c, "no data", 0.5 * (f->left + f->right), 0.5 * (f->top + f->bottom),
                       1.2 * f->em, (placement){.across = 0.5, .down = 0.5});
    }
    draw_labels(f);
    draw_legend(f);
}

static jo_status check(const jo_plot *plot, jo_error *error)
{
    if (plot->n_series > 0 && plot->series == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "a plot of %zu series without their array",
                       plot->n_series);
    for (size_t s = 0; s < plot->n_series; s++)
        if (plot->series[s].n > 0 && plot->series[s].y == NULL)
            return jo_fail(error, JO_ERR_ARGUMENT, "series %zu (%s) has %zu points but no y array",
                           s, name_of(&plot->series[s]), plot->series[s].n);
    return JO_OK;
}

static void draw_figure(canvas *c, const jo_plot *plot, double width, double height, double em)
{
    figure f = {.c = c,
                .plot = plot,
                .look = jo_theme(false),
                .em = em,
                .width = width,
                .height = height,
                .bars = plot->x_names != NULL};
    draw(&f);
}

static void blank(canvas *c)
{
    jo_canvas_colour(c, jo_theme(false).background);
    cairo_paint(c->cr);
}

jo_status jo_plot_write(const char *path, const jo_plot *plot, jo_error *error)
{
    if (plot == NULL) return jo_fail(error, JO_ERR_ARGUMENT, "no plot to write");
    jo_status status = check(plot, error);
    if (status != JO_OK) return status;
    const int width = plot->width != 0 ? plot->width : 900;
    const int height = plot->height != 0 ? plot->height : 600;
    canvas c;
    status = jo_canvas_open(&c, path, width, height, error);
    if (status != JO_OK) return status;
    blank(&c);
    draw_figure(&c, plot, width, height, fmax(sqrt((double)width * (double)height) / 46.0, 3.0));
    return jo_canvas_finish(&c, error);
}

/* ---- several */

/* The title and subtitle of a page; returns the height they take. */
static double draw_heading(canvas *c, const jo_panels *p, double em)
{
    const theme look = jo_theme(false);
    double y = 1.2 * em;
    if (p->title != NULL) {
        jo_canvas_colour(c, look.text);
        jo_canvas_text(c, p->title, 1.2 * em, y, 1.4 * em,
                       (placement){.bold = true, .max_width = c->width - 2.4 * em});
        y += 2.0 * em;
    }
    if (p->subtitle != NULL) {
        jo_canvas_colour(c, jo_colour_mix(look.text, look.background, 0.25));
        jo_canvas_text(c, p->subtitle, 1.2 * em, y, em,
                       (placement){.max_width = c->width - 2.4 * em});
        y += 1.5 * em;
    }
    return p->title != NULL || p->subtitle != NULL ? y : 0.0;
}

jo_status jo_panels_write(const char *path, const jo_panels *panels, jo_error *error)
{
    if (panels == NULL || panels->count == 0 || panels->plots == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "no plots to write");
    for (size_t k = 0; k < panels->count; k++) {
        const jo_status status = check(&panels->plots[k], error);
        if (status != JO_OK) return status;
    }
    size_t columns = panels->columns > 0 ? panels->columns : panels->count > 4 ? 3 : 2;
    if (columns > panels->count) columns = panels->count;
    const size_t rows = (panels->count + columns - 1) / columns;
    const int width = panels->width != 0 ? panels->width : 520 * (int)columns;
    const int height = panels->height != 0 ? panels->height : 330 * (int)rows + 70;
    canvas c;
    const jo_status status = jo_canvas_open(&c, path, width, height, error);
    if (status != JO_OK) return status;
    blank(&c);
    const double wide = floor((double)width / (double)columns);
    const double em = fmax(sqrt(wide * (double)height / (double)rows) / 34.0, 3.0);
    const double top = floor(draw_heading(&c, panels, em));
    const double tall = floor((height - top) / (double)rows);
    for (size_t k = 0; k < panels->count; k++) {
        cairo_save(c.cr);
        cairo_translate(c.cr, (double)(k % columns) * wide, top + (double)(k / columns) * tall);
        draw_figure(&c, &panels->plots[k], wide, tall, em);
        cairo_restore(c.cr);
    }
    return jo_canvas_finish(&c, error);
}

#else

#include "base/error.h"

jo_status jo_plot_write(const char *path, const jo_plot *plot, jo_error *error)
{
    (void)plot;
    return jo_fail(error, JO_ERR_UNSUPPORTED,
                   "cannot draw %s: this build of jostle has no cairo; install libcairo2-dev and "
                   "build again",
                   path != NULL ? path : "a plot");
}

jo_status jo_panels_write(const char *path, const jo_panels *panels, jo_error *error)
{
    (void)panels;
    return jo_plot_write(path, NULL, error);
}

#endif
