/* legend.c — the colour bar and the scale bar below a picture.
 *
 * Contacts few enough to count get one box per number; else the bar is continuous, with round
 * numbers under it. Bodies without contacts have a box of their own in front. The scale bar is 1, 2
 * or 5 times a power of ten long. */
#include "io/legend.h"

#ifdef JO_HAVE_CAIRO

#include <math.h>
#include <stdio.h>

#include "io/axis.h"

typedef struct bar {
    canvas *c;
    const colouring *colours;
    const theme *look;
    double x, y, width, height; /* pixels */
    double left, right;         /* nothing is written beyond */
    double em;
} bar;

static void swatch(const bar *b, double x, double width, uint32_t rgb)
{
    cairo_set_source_rgb(b->c->cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                         (rgb & 255) / 255.0);
    cairo_rectangle(b->c->cr, x, b->y, width, b->height);
    cairo_fill(b->c->cr);
}

/* Under x; a number at an end of the bar moves inwards rather than out of the picture. */
static double within(const bar *b, double x, const char *text)
{
    const double half = 0.5 * jo_canvas_text_width(b->c, text, 0.78 * b->em, false);
    return fmax(fmin(x, b->right - half), b->left + half);
}

static void number(const bar *b, double x, const char *text)
{
    x = within(b, x, text);
    jo_canvas_colour(b->c, b->look->text);
    jo_canvas_text(b->c, text, x, b->y + b->height + 0.35 * b->em, 0.78 * b->em,
                   (placement){.across = 0.5});
}

static void counted_boxes(const bar *b)
{
    const int most = (int)b->colours->hi;
    const double each = fmin(b->width / most, 2.2 * b->em);
    for (int k = 1; k <= most; k++) {
        char text[16];
        snprintf(text, sizeof text, k == most && b->colours->exceeded ? "%d+" : "%d", k);
        swatch(b, b->x + (k - 1) * each, each - fmin(1.0, 0.1 * each),
               jo_colouring_rgb(b->colours, k));
        number(b, b->x + (k - 0.5) * each, text);
    }
}

static void tick(const bar *b, double value, const char *text, double *taken)
{
    const double x = b->x + jo_colouring_position(b->colours, value) * b->width;
    const double half = 0.5 * jo_canvas_text_width(b->c, text, 0.78 * b->em, false);
    const double middle = within(b, x, text);
    if (middle - half < *taken) return;
    *taken = middle + half + 0.5 * b->em;
    jo_canvas_colour(b->c, b->look->text);
    cairo_set_line_width(b->c->cr, 1.0);
    cairo_move_to(b->c->cr, x, b->y + b->height);
    cairo_rel_line_to(b->c->cr, 0.0, 0.2 * b->em);
    cairo_stroke(b->c->cr);
    number(b, x, text);
}

static void continuous(const bar *b)
{
    const int steps = (int)b->width > 1 ? (int)b->width : 1;
    for (int k = 0; k < steps; k++) {
        const int entry = (int)((k + 0.5) / steps * (COLOURING_STEPS - 1) + 0.5);
        /* Neighbours overlap by a pixel, or their seams would show. */
        swatch(b, b->x + k * b->width / steps, b->width / steps + (k + 1 < steps ? 1.0 : 0.0),
               b->colours->table[entry]);
    }
    axis scale;
    jo_axis_make(&scale, b->colours->lo, b->colours->hi, b->colours->logarithmic, false, 5);
    double taken = -1e9;
    for (size_t k = 0; k < scale.count; k++)
        if (scale.tick[k].major && scale.tick[k].value >= b->colours->lo * (1.0 - 1e-9) &&
            scale.tick[k].value <= b->colours->hi * (1.0 + 1e-9))
            tick(b, scale.tick[k].value, scale.tick[k].text, &taken);
    if (!b->colours->exceeded) return;
    jo_canvas_colour(b->c, b->look->text); /* an arrow: there is more beyond the end */
    cairo_move_to(b->c->cr, b->x + b->width + 0.15 * b->em, b->y);
    cairo_rel_line_to(b->c->cr, 0.5 * b->em, 0.5 * b->height);
    cairo_rel_line_to(b->c->cr, -0.5 * b->em, 0.5 * b->height);
    cairo_fill(b->c->cr);
}

static void same_for_all(const bar *b)
{
    char text[32];
    swatch(b, b->x, 2.2 * b->em, jo_colouring_rgb(b->colours, b->colours->lo));
    snprintf(text, sizeof text, "%.4g", b->colours->lo);
    number(b, b->x + 1.1 * b->em, text);
}

/* A box and a name for each kind. */
static void kinds(const bar *b)
{
    double x = b->x;
    for (size_t k = 0; k < b->colours->kind_count; k++) {
        char text[80];
        const char *name = b->colours->kind_names != NULL ? b->colours->kind_names[k] : NULL;
        if (name != NULL && name[0] != '\0')
            snprintf(text, sizeof text, "%.70s", name);
        else
            snprintf(text, sizeof text, "%zu", k);
        const double wide = jo_canvas_text_width(b->c, text, 0.78 * b->em, false);
        if (x + 1.8 * b->em + wide > b->x + b->width && k > 0) return;
        swatch(b, x, 1.2 * b->em, jo_colouring_kind(b->colours, k));
        jo_canvas_colour(b->c, b->look->text);
        jo_canvas_text(b->c, text, x + 1.6 * b->em, b->y + 0.5 * b->height, 0.78 * b->em,
                       (placement){.down = 0.5});
        x += wide + 3.0 * b->em;
    }
}

static void scale_bar(const bar *b, double right, double scale)
{
    const double room = 7.0 * b->em, length = jo_nice_below(room / scale), pixels = length * scale;
    if (!(pixels > 1.0) || !isfinite(length)) return;
    const double y = b->y + 0.5 * b->height, tall = 0.28 * b->em;
    jo_canvas_colour(b->c, b->look->text);
    cairo_set_line_width(b->c->cr, fmax(1.0, 0.09 * b->em));
    cairo_move_to(b->c->cr, right - pixels, y);
    cairo_line_to(b->c->cr, right, y);
    for (int end = 0; end < 2; end++) {
        cairo_move_to(b->c->cr, right - end * pixels, y - tall);
        cairo_rel_line_to(b->c->cr, 0.0, 2.0 * tall);
    }
    cairo_stroke(b->c->cr);
    char text[32];
    snprintf(text, sizeof text, "%g", length);
    number(b, right - 0.5 * pixels, text);
}

void jo_legend_draw(canvas *c, const colouring *colours, const char *label, const theme *look,
                    legend_place at)
{
    const double em = at.em;
    if (!(em > 0.0)) return;
    const bool scaled = at.scale > 0.0 && at.width > 22.0 * em;
    bar b = {.c = c, .colours = colours, .look = look, .x = at.x, .em = em};
    b.left = at.x;
    b.right = at.x + at.width;
    b.y = at.y + 1.15 * em;
    b.height = 0.85 * em;
    b.width = fmin(at.width - (scaled ? 10.0 * em : 0.0), 26.0 * em);
    jo_canvas_colour(c, look->text);
    jo_canvas_text(c, label, at.x, at.y, 0.85 * em, (placement){.max_width = b.width});
    if (scaled) scale_bar(&b, at.x + at.width, at.scale);
    if (colours->by == JO_COLOUR_CONTACTS && colours->any_free) {
        swatch(&b, b.x, 2.2 * em, colours->free_rgb);
        number(&b, b.x + 1.1 * em, "0");
        b.x += 2.8 * em;
        b.width -= 2.8 * em;
    }
    if (b.width < 3.0 * em) return;
    if (colours->by == JO_COLOUR_KIND)
        kinds(&b);
    else if (colours->discrete)
        counted_boxes(&b);
    else if (colours->uniform)
        same_for_all(&b);
    else
        continuous(&b);
}

#endif
