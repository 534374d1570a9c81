/* picture.c — pictures of bodies and their contacts.
 *
 * A page has a title, one or two panels, a legend (what the colours mean, and a length), and a
 * caption. In 2D the contacts are lines over the discs; where discs are smaller than a few pixels
 * the lines fade and the page shows density. In 3D lines over opaque spheres would show nothing of
 * the inside, so the contacts get a panel of their own, seen from the same side, near lines darker
 * than far ones; where there are so many that they would cover each other, only a slice through the
 * middle is drawn, and the panel says so. The panels stand side by side on a wide page, above each
 * other on a tall one, and across the diagonal of a square one, where the corners that a cube
 * leaves empty hold the legend.
 *
 * The bodies are drawn by raster.c and solid.c; cairo adds the text and writes the file. In an SVG
 * or PDF the bodies are an image and the text stays text.
 *
 * Cost: that of the rasterisers; 28 bytes per body and 32 per contact line while drawing. */
#include "jostle/picture.h"

jo_picture jo_picture_default(void)
{
    return (jo_picture){.width = 1200,
                        .height = 1200,
                        .colour = JO_COLOUR_CONTACTS,
                        .draw_contacts = true,
                        .azimuth = 35.0,
                        .elevation = 25.0};
}

#ifdef JO_HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/axis.h"
#include "io/canvas.h"
#include "io/colouring.h"
#include "io/legend.h"
#include "io/view.h"

bool jo_pictures_available(void)
{
    return true;
}

/* ---- the page */

typedef struct page {
    double em;       /* the size of ordinary text; 0: the page is too small for any */
    window bodies;   /* the panel of bodies */
    window contacts; /* the panel of contacts, 3D; empty when there is none */
    double title_y, caption_y;
    double legend_x, legend_y, legend_width; /* its upper left corner */
} page;

static window rectangle(double x0, double y0, double x1, double y1)
{
    return (window){(int)x0, (int)y0, (int)x1, (int)y1};
}

/* Two panels in the area (x0, y0) – (x1, y1) above the legend; on a square page they may use the
 * area beside the legend too, down to `bottom`. */
static void split_panels(page *p, double x0, double y0, double x1, double y1, double bottom)
{
    const double wide = x1 - x0, tall = y1 - y0, gap = 1.5 * p->em, head = 1.8 * p->em;
    if (wide > 1.35 * tall) {
        p->bodies = rectangle(x0, y0, x0 + 0.5 * (wide - gap), y1);
        p->contacts = rectangle(x0 + 0.5 * (wide + gap), y0 + head, x1, y1);
    } else if (tall > 1.5 * wide) {
        p->bodies = rectangle(x0, y0, x1, y0 + 0.55 * tall - gap);
        p->contacts = rectangle(x0, y0 + 0.55 * tall + head, x1, y1);
    } else {
        p->bodies = rectangle(x0, y0, x0 + 0.73 * wide, y0 + 0.73 * (bottom - y0));
        p->contacts = rectangle(x0 + 0.56 * wide, y0 + 0.58 * (bottom - y0), x1, bottom);
        p->legend_width = 0.5 * wide;
    }
}

static page lay_out(const jo_picture *picture, bool with_contacts)
{
    const double w = picture->width, h = picture->height;
    page p = {.em = sqrt(w * h) / 60.0};
    if (p.em > 0.045 * (w < h ? w : h)) p.em = 0.045 * (w < h ? w : h);
    if (p.em < 6.0) p.em = 0.0;
    const double margin = p.em > 0.0 ? 1.3 * p.em : 2.0;
    double top = margin, bottom = h - margin;
    if (picture->title != NULL && p.em > 0.0) {
        p.title_y = top;
        top += 2.3 * p.em;
    }
    if (picture->caption != NULL && p.em > 0.0) {
        p.caption_y = bottom;
        bottom -= 1.9 * p.em;
    }
    p.legend_x = margin;
    p.legend_y = bottom - LEGEND_EMS * p.em;
    p.legend_width = w - 2.0 * margin;
    const double above = p.legend_y - 0.9 * p.em;
    p.bodies = rectangle(margin, top, w - margin, above);
    if (with_contacts) split_panels(&p, margin, top, w - margin, above, bottom);
    return p;
}

/* ---- what all stages need */

typedef struct drawing {
    const jo_picture *picture;
    const jo_bodies *bodies;
    jo_pairs contacts;
    theme look;
    survey sizes;
    colouring colours;
    page layout;
    raster image;
    view seen;    /* the panel of bodies */
    double slice; /* 3D: thickness of the slice of contacts drawn, a length; 0: all */
} drawing;

/* ---- 2D */

static void frame_2d(drawing *d, canvas *c)
{
    const view *v = &d->seen;
    double x0, y0, x1, y1;
    jo_view_project(v, v->lo, &x0, &y1, NULL);
    jo_view_project(v, v->hi, &x1, &y0, NULL);
    x1 = floor(x1 + 0.5);
    y1 = floor(y1 + 0.5);
    jo_canvas_colour(c, d->look.text);
    cairo_set_line_width(c->cr, d->layout.em > 0.0 ? fmax(1.0, d->layout.em / 14.0) : 1.0);
    for (int side = 0; side < 2; side++) {
        const double x = side == 0 ? x0 : x1, y = side == 0 ? y0 : y1;
        if (v->periodic[0]) cairo_move_to(c->cr, x, y0), cairo_line_to(c->cr, x, y1);
        if (v->periodic[1]) cairo_move_to(c->cr, x0, y), cairo_line_to(c->cr, x1, y);
    }
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_SQUARE);
    cairo_stroke(c->cr);
}

/* The lines, each on a halo that parts it from whatever colour lies below. */
static bool contacts_2d(drawing *d)
{
    const network how = {.near_ink = d->look.ink, .far_ink = d->look.ink, .hide_small = true};
    marks lines = {0};
    bool ok = jo_view_strokes(&d->seen, d->bodies, d->contacts, &how, &lines);
    stroke *s = lines.memory.data;
    const uint32_t ink = jo_colour_pack(d->look.ink), halo = jo_colour_pack(d->look.casing);
    for (size_t k = 0; k < lines.count; k++) {
        s[k].rgb = halo;
        s[k].width *= 2.2f;
        s[k].alpha *= 0.65f;
    }
    ok = ok && jo_raster_strokes(&d->image, d->seen.clip, s, lines.count);
    for (size_t k = 0; k < lines.count; k++) {
        s[k].rgb = ink;
        s[k].width /= 2.2f;
        s[k].alpha /= 0.65f;
    }
    ok = ok && jo_raster_strokes(&d->image, d->seen.clip, s, lines.count);
    jo_buffer_free(&lines.memory);
    return ok;
}

static bool draw_2d(drawing *d)
{
    marks bodies = {0};
    jo_view_fit(&d->seen, d->layout.bodies);
    bool ok = jo_view_marks(&d->seen, d->bodies, &d->colours, &bodies);
    ok = ok && jo_raster_flat(&d->image, d->seen.clip, bodies.memory.data, bodies.count,
                              d->bodies->shape == JO_BOXES);
    jo_buffer_free(&bodies.memory);
    if (ok && d->picture->draw_contacts && d->contacts.count > 0) ok = contacts_2d(d);
    return ok;
}

/* ---- 3D */

/* Fits the box and what sticks out of it on periodic axes. */
static void fit_3d(view *v, window target, double r_max)
{
    const int side = target.x1 - target.x0 < target.y1 - target.y0 ? target.x1 - target.x0
                                                                   : target.y1 - target.y0;
    jo_view_fit(v, target);
    if (!v->periodic[0] && !v->periodic[1] && !v->periodic[2]) return;
    const double most = 0.08 * side, over = r_max * v->scale;
    const int pad = (int)(over < most ? over : most);
    jo_view_fit(v, (window){target.x0 + pad, target.y0 + pad, target.x1 - pad, target.y1 - pad});
    v->clip = target;
}

/* The edges of the box: those that meet at its farthest corner, or the others. */
static bool box_edges(drawing *d, const view *v, bool behind)
{
    stroke lines[12];
    size_t n = 0;
    const bool periodic = v->periodic[0] || v->periodic[1] || v->periodic[2];
    const colour ink = jo_colour_mix(d->look.text, d->look.background, periodic ? 0.15 : 0.55);
    for (int a = 0; a < 3; a++)
        for (int corner = 0; corner < 4; corner++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const bool b_high = corner & 1, c_high = corner & 2;
            const bool far = b_high == (v->eye[b] < 0.0) && c_high == (v->eye[c] < 0.0);
            if (far != behind) continue;
            double p[3], q[3], x0, y0, x1, y1;
            p[a] = v->lo[a], q[a] = v->hi[a];
            p[b] = q[b] = b_high ? v->hi[b] : v->lo[b];
            p[c] = q[c] = c_high ? v->hi[c] : v->lo[c];
            jo_view_project(v, p, &x0, &y0, NULL);
            jo_view_project(v, q, &x1, &y1, NULL);
            lines[n++] = (stroke){.x0 = (float)x0,
                                  .y0 = (float)y0,
                                  .x1 = (float)x1,
                                  .y1 = (float)y1,
                                  .width = (float)fmax(1.0, d->layout.em / 14.0),
                                  .alpha = behind ? 0.45f : 0.85f,
                                  .rgb = jo_colour_pack(ink)};
        }
    return jo_raster_strokes(&d->image, v->clip, lines, n);
}

static bool bodies_3d(drawing *d)
{
    view *v = &d->seen;
    marks bodies = {0};
    fit_3d(v, d->layout.bodies, d->sizes.r_max);
    lighting light = {.depth_lo = (float)v->depth_lo,
                      .depth_hi = (float)v->depth_hi,
                      .haze = jo_colour_pack(d->look.background),
                      .haze_most = 0.35f,
                      .typical = (float)fmin(d->sizes.r_mean * v->scale, 1e4)};
    for (int a = 0; a < 3; a++) {
        light.axes[a][0] = (float)v->right[a];
        light.axes[a][1] = (float)v->up[a];
        light.axes[a][2] = (float)v->eye[a];
    }
    bool ok = box_edges(d, v, true) && jo_view_marks(v, d->bodies, &d->colours, &bodies);
    ok = ok && jo_raster_solid(&d->image, v->clip, bodies.memory.data, bodies.count,
                               d->bodies->shape == JO_BOXES, &light);
    jo_buffer_free(&bodies.memory);
    return ok && box_edges(d, v, false);
}

/* How much of the depth to draw so that lines of contacts do not hide each other: 1 is all. */
static double visible_share(const drawing *d, const view *v)
{
    double wide = 0.0, tall = 0.0;
    for (int a = 0; a < 3; a++) {
        wide += (v->hi[a] - v->lo[a]) * fabs(v->right[a]) * v->scale;
        tall += (v->hi[a] - v->lo[a]) * fabs(v->up[a]) * v->scale;
    }
    const double length = fmax(1.6 * d->sizes.r_mean * v->scale, 1.0); /* of a line, roughly */
    const double covered = (double)d->contacts.count * length / fmax(0.7 * wide * tall, 1.0);
    return covered > 0.9 ? 0.9 / covered : 1.0;
}

static bool contacts_3d(drawing *d)
{
    view v = d->seen;
    fit_3d(&v, d->layout.contacts, d->sizes.r_max);
    const double share = visible_share(d, &v), middle = 0.5 * (v.depth_lo + v.depth_hi);
    const double half = share < 1.0 ? 0.5 * share * (v.depth_hi - v.depth_lo) : 1e9;
    d->slice = share < 1.0 ? 2.0 * half / v.scale : 0.0;
    network how = {.near_ink = jo_colour_mix(d->look.ink, jo_colour_map(0.15), 0.6),
                   .far_ink = jo_colour_mix(d->look.background, jo_colour_map(0.45), 0.45),
                   .near = middle + fmin(half, v.depth_hi + 1.0),
                   .far = middle - fmin(half, v.depth_hi + 1.0)};
    if (share >= 1.0) how.near = v.depth_hi + 1.0, how.far = v.depth_lo - 1.0;
    marks lines = {0};
    bool ok = box_edges(d, &v, true) && jo_view_strokes(&v, d->bodies, d->contacts, &how, &lines);
    ok = ok && jo_raster_strokes(&d->image, v.clip, lines.memory.data, lines.count);
    jo_buffer_free(&lines.memory);
    return ok && box_edges(d, &v, false);
}

/* ---- the whole */

static bool draw_bodies(drawing *d)
{
    if (d->bodies->dim == 2) return draw_2d(d);
    if (!bodies_3d(d)) return false;
    return d->layout.contacts.x1 == 0 || contacts_3d(d);
}

static void draw_words(drawing *d, canvas *c)
{
    const page *p = &d->layout;
    if (d->bodies->dim == 2) frame_2d(d, c);
    if (p->em == 0.0) return;
    const double left = p->legend_x, width = c->width - 2.0 * left;
    jo_canvas_colour(c, d->look.text);
    jo_canvas_text(c, d->picture->title, left, p->title_y, 1.3 * p->em,
                   (placement){.bold = true, .max_width = width});
    jo_canvas_text(c, d->picture->caption, left, p->caption_y, 0.85 * p->em,
                   (placement){.down = 1.0, .max_width = width});
    if (p->contacts.x1 > 0) {
        char text[96] = "contacts";
        if (d->slice > 0.0) snprintf(text, sizeof text, "contacts in a slice %.3g thick", d->slice);
        jo_canvas_text(
            c, text, 0.5 * (p->contacts.x0 + p->contacts.x1), p->contacts.y0 - 0.4 * p->em,
            0.85 * p->em,
            (placement){.across = 0.5, .down = 1.0, .max_width = p->contacts.x1 - p->contacts.x0});
    }
    jo_legend_draw(c, &d->colours, jo_colouring_label(&d->colours, d->bodies), &d->look,
                   (legend_place){p->legend_x, p->legend_y, p->legend_width, p->em, d->seen.scale});
}

static jo_status draw_page(drawing *d, canvas *c, jo_error *error)
{
    cairo_surface_t *bodies =
        c->is_png ? cairo_surface_reference(c->surface)
                  : cairo_image_surface_create(CAIRO_FORMAT_RGB24, c->width, c->height);
    cairo_surface_flush(bodies);
    d->image = (raster){.width = c->width,
                        .height = c->height,
                        .stride = cairo_image_surface_get_stride(bodies) / 4,
                        .pixels = (uint32_t *)(void *)cairo_image_surface_get_data(bodies)};
    const uint32_t background = jo_colour_pack(d->look.background);
    bool ok = d->image.pixels != NULL;
    for (int y = 0; ok && y < c->height; y++)
        for (int x = 0; x < c->width; x++)
            d->image.pixels[(size_t)y * (size_t)d->image.stride + (size_t)x] = background;
    ok = ok && draw_bodies(d);
    cairo_surface_mark_dirty(bodies);
    if (ok && !c->is_png) {
        cairo_set_source_surface(c->cr, bodies, 0.0, 0.0);
        cairo_paint(c->cr);
    }
    cairo_surface_destroy(bodies);
    if (!ok)
        return jo_fail(error, JO_ERR_MEMORY, "out of memory drawing %zu bodies and %zu contacts",
                       d->bodies->n, d->contacts.count);
    draw_words(d, c);
    return JO_OK;
}

static jo_status check(const jo_picture *picture, const jo_bodies *bodies, jo_pairs contacts,
                       jo_error *error)
{
    if (!isfinite(picture->azimuth) || !isfinite(picture->elevation))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "the azimuth and elevation of a picture must be finite angles in degrees");
    if (picture->colour != JO_COLOUR_SIZE && picture->colour != JO_COLOUR_CONTACTS &&
        picture->colour != JO_COLOUR_INDEX)
        return jo_fail(error, JO_ERR_ARGUMENT, "unknown colouring %d: it must be a jo_colour_by",
                       (int)picture->colour);
    if (contacts.count > 0 && contacts.pairs == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "%zu contacts, but no array of them",
                       contacts.count);
    for (size_t k = 0; k < contacts.count; k++)
        if (contacts.pairs[k].i >= bodies->n || contacts.pairs[k].j >= bodies->n)
            return jo_fail(error, JO_ERR_DATA,
                           "contact %zu is between bodies %lu and %lu, but there are only %zu", k,
                           (unsigned long)contacts.pairs[k].i, (unsigned long)contacts.pairs[k].j,
                           bodies->n);
    return JO_OK;
}

jo_status jo_picture_write(const char *path, const jo_picture *picture, const jo_bodies *bodies,
                           const jo_domain *domain, jo_pairs contacts, jo_error *error)
{
    const jo_picture usual = jo_picture_default();
    if (picture == NULL) picture = &usual;
    drawing d = {.picture = picture,
                 .bodies = bodies,
                 .contacts = contacts,
                 .look = jo_theme(picture->dark)};
    jo_status status = jo_survey(bodies, domain, &d.sizes, error);
    if (status == JO_OK) status = check(picture, bodies, contacts, error);
    if (status != JO_OK) return status;

    canvas c;
    status = jo_canvas_open(&c, path, picture->width, picture->height, error);
    if (status != JO_OK) return status;
    uint32_t *counts = calloc(bodies->n > 0 ? bodies->n : 1, sizeof *counts);
    if (counts == NULL) {
        jo_canvas_discard(&c);
        return jo_fail_memory(error, bodies->n * sizeof *counts, "contacts per body");
    }
    for (size_t k = 0; k < contacts.count; k++) {
        counts[contacts.pairs[k].i]++;
        counts[contacts.pairs[k].j]++;
    }
    jo_colouring_make(&d.colours, picture->colour, bodies, &d.sizes, counts, &d.look);
    jo_view_make(&d.seen, bodies, domain, picture->azimuth, picture->elevation);
    d.layout = lay_out(picture, bodies->dim == 3 && picture->draw_contacts && contacts.count > 0);
    status = draw_page(&d, &c, error);
    free(counts);
    if (status == JO_OK) return jo_canvas_finish(&c, error);
    jo_canvas_discard(&c);
    return status;
}

#else /* without cairo: the same functions, which say so */

#include "base/error.h"

bool jo_pictures_available(void)
{
    return false;
}

jo_status jo_picture_write(const char *path, const jo_picture *picture, const jo_bodies *bodies,
                           const jo_domain *domain, jo_pairs contacts, jo_error *error)
{
    (void)picture, (void)bodies, (void)domain, (void)contacts;
    return jo_fail(error, JO_ERR_UNSUPPORTED,
                   "cannot draw %s: this build of jostle has no cairo; install libcairo2-dev and "
                   "build again",
                   path != NULL ? path : "a picture");
}

#endif
