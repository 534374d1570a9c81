/* kinetic_picture.c — hard polygons and their triangulation drawn with cairo.
 *
 * From back to front: the boundary as free space on a solid ground, triangles' sides as thin lines,
 * the quadrilateral of the last flip, grains (coloured by their ids, fixed ones grey), and a ring
 * where the last collision was. Lengths are pixels. */
#include "jostle/kinetic.h"

#include <math.h>

#include "base/error.h"
#include "io/canvas.h"

JO_API jo_kinetic_picture jo_kinetic_picture_default(void)
{
    return (jo_kinetic_picture){.width = 1000, .height = 1000, .triangles = true};
}

#ifdef JO_HAVE_CAIRO

enum { MARGIN = 16, TITLE = 34, CAPTION = 26 };

typedef struct drawing {
    canvas c;
    const jo_kinetic_frame *f;
    const jo_kinetic_picture *p;
    theme look;
    double scale, left, bottom, lo[2];
} drawing;

static void to(const drawing *d, uint32_t v, bool first)
{
    const double x = d->left + d->scale * (d->f->corner[2 * (size_t)v] - d->lo[0]);
    const double y = d->bottom - d->scale * (d->f->corner[2 * (size_t)v + 1] - d->lo[1]);
    if (first)
        cairo_move_to(d->c.cr, x, y);
    else
        cairo_line_to(d->c.cr, x, y);
}

static void ring(const drawing *d, size_t from, size_t to_corner)
{
    for (size_t v = from; v < to_corner; v++)
        to(d, (uint32_t)v, v == from);
    cairo_close_path(d->c.cr);
}

static void frame_view(drawing *d, double lo[2], double hi[2])
{
    const jo_kinetic_frame *f = d->f;
    for (int k = 0; k < 2; k++) {
        lo[k] = d->p->lo[k];
        hi[k] = d->p->hi[k];
        if (lo[k] < hi[k]) continue;
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (size_t v = f->corners; v < f->corners + f->boundary; v++) {
            lo[k] = fmin(lo[k], f->corner[2 * v + (size_t)k]);
            hi[k] = fmax(hi[k], f->corner[2 * v + (size_t)k]);
        }
    }
}

static void lay_out(drawing *d)
{
    double lo[2], hi[2];
    frame_view(d, lo, hi);
    const double top = d->p->title != NULL ? TITLE : MARGIN;
    const double below = d->p->caption != NULL ? CAPTION : MARGIN;
    const double wide = d->p->width - 2.0 * MARGIN, high = d->p->height - top - below;
    d->scale = fmin(wide / (hi[0] - lo[0]), high / (hi[1] - lo[1]));
    d->left = MARGIN + 0.5 * (wide - d->scale * (hi[0] - lo[0]));
    d->bottom = top + high - 0.5 * (high - d->scale * (hi[1] - lo[1]));
    d->lo[0] = lo[0];
    d->lo[1] = lo[1];
    cairo_rectangle(d->c.cr, MARGIN, top, wide, high);
    cairo_clip(d->c.cr);
}

static void draw_triangles(drawing *d)
{
    const jo_kinetic_frame *f = d->f;
    jo_canvas_colour(&d->c, d->look.faint);
    cairo_set_line_width(d->c.cr, f->triangles > 5000 ? 0.4 : 0.8);
    for (size_t t = 0; t < f->triangles; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t p = f->triangle[3 * t + (size_t)((k + 1) % 3)];
            const uint32_t q = f->triangle[3 * t + (size_t)((k + 2) % 3)];
            if (p > q || (f->mandatory[t] >> k & 1)) continue; /* each side once */
            to(d, p, true);
            to(d, q, false);
        }
    cairo_stroke(d->c.cr);
}

static void draw_grains(drawing *d)
{
    const jo_kinetic_frame *f = d->f;
    cairo_set_line_width(d->c.cr, 1.2);
    for (size_t i = 0; i < f->bodies; i++) {
        const double t = (double)(f->id[i] * 0x9E3779B97F4A7C15u >> 11) * 0x1p-53;
        ring(d, f->first[i], f->first[i + 1]);
        jo_canvas_colour(&d->c, f->fixed[i] ? d->look.wall_shade
                                            : jo_colour_mix(jo_colour_map(0.15 + 0.8 * t),
                                                            d->look.background, 0.35));
        cairo_fill_preserve(d->c.cr);
        jo_canvas_colour(&d->c, d->look.text);
        cairo_stroke(d->c.cr);
    }
}

static void draw_event(drawing *d)
{
    const jo_kinetic_event *e = &d->f->last;
    cairo_t *cr = d->c.cr;
    jo_canvas_colour(&d->c, jo_colour_series(1));
    cairo_set_line_width(cr, 2.5);
    if (e->kind == JO_KINETIC_FLIP) {
        for (int k = 0; k < 4; k++)
            to(d, e->corner[k], k == 0);
        cairo_close_path(cr);
        to(d, e->corner[0], true);
        to(d, e->corner[2], false);
        cairo_stroke(cr);
    } else if (e->kind == JO_KINETIC_COLLISION) {
        const double *p = d->f->corner + 2 * (size_t)e->corner[0];
        cairo_arc(cr, d->left + d->scale * (p[0] - d->lo[0]),
                  d->bottom - d->scale * (p[1] - d->lo[1]), 9.0, 0.0, 6.283185307179586);
        cairo_stroke(cr);
        to(d, e->corner[1], true);
        to(d, e->corner[2], false);
        cairo_stroke(cr);
    }
}

static void draw_words(drawing *d)
{
    cairo_reset_clip(d->c.cr);
    jo_canvas_colour(&d->c, d->look.text);
    const double wide = d->p->width - 2.0 * MARGIN;
    if (d->p->title != NULL)
        jo_canvas_text(&d->c, d->p->title, 0.5 * d->p->width, 0.5 * TITLE, 16.0,
                       (placement){.across = 0.5, .down = 0.5, .max_width = wide, .bold = true});
    if (d->p->caption != NULL)
        jo_canvas_text(&d->c, d->p->caption, 0.5 * d->p->width, d->p->height - 0.5 * CAPTION, 12.0,
                       (placement){.across = 0.5, .down = 0.5, .max_width = wide});
}

JO_API jo_status jo_kinetic_draw(const char *path, const jo_kinetic_picture *picture,
                                 const jo_kinetic_frame *frame, jo_error *error)
{
    drawing d = {.f = frame, .p = picture, .look = jo_theme(picture->dark)};
    const jo_status status = jo_canvas_open(&d.c, path, picture->width, picture->height, error);
    if (status != JO_OK) return status;
    jo_canvas_colour(&d.c, d.look.background);
    cairo_paint(d.c.cr);
    lay_out(&d);
    ring(&d, frame->corners, frame->corners + frame->boundary);
    jo_canvas_colour(&d.c, d.look.background);
    cairo_fill_preserve(d.c.cr);
    jo_canvas_colour(&d.c, d.look.wall_line);
    cairo_set_line_width(d.c.cr, 2.5);
    cairo_stroke(d.c.cr);
    if (picture->triangles) draw_triangles(&d);
    draw_grains(&d);
    if (picture->event) draw_event(&d);
    draw_words(&d);
    return jo_canvas_finish(&d.c, error);
}

#else

JO_API jo_status jo_kinetic_draw(const char *path, const jo_kinetic_picture *picture,
                                 const jo_kinetic_frame *frame, jo_error *error)
{
    (void)path;
    (void)picture;
    (void)frame;
    return jo_fail(error, JO_ERR_UNSUPPORTED, "pictures need cairo, which this build lacks");
}

#endif
