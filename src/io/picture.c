/* picture.c — pictures of bodies and their contacts.
 *
 * A page has a title, one or two panels, a legend (what the colours mean, and a length), and a
 * caption. In 2D the contacts are lines over the discs; where discs are smaller than a few pixels
 * the lines fade, the page shows density, and a lens in its corner magnifies a part. In 3D lines
 * over opaque spheres would show nothing of the inside, so the contacts get a panel of their own,
 * seen from the same side, near lines darker than far ones; where there are so many that they would
 * cover each other, the panel looks closer, at as much of the middle as can be told apart, and says
 * so. The panels stand side by side on a wide page, above each other on a tall one, and across the
 * diagonal of a square one, where the corners that a cube leaves empty hold the legend.
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
#include "io/picture_polygons.h"
#include "io/view.h"
#include "io/wall_view.h"

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

/* Two panels in the area (x0, y0) – (x1, y1) above the legend, with a line of words below the
 * second; on a square page they may use the area beside the legend too, down to `bottom`. */
static void split_panels(page *p, double x0, double y0, double x1, double y1, double bottom)
{
    const double wide = x1 - x0, tall = y1 - y0, gap = 1.5 * p->em, words = 1.4 * p->em;
    if (wide > 1.35 * tall) {
        p->bodies = rectangle(x0, y0, x0 + 0.5 * (wide - gap), y1);
        p->contacts = rectangle(x0 + 0.5 * (wide + gap), y0, x1, y1);
        p->legend_width = 0.5 * (wide - gap);
    } else if (tall > 1.5 * wide) {
        p->bodies = rectangle(x0, y0, x1, y0 + 0.55 * tall - gap);
        p->contacts = rectangle(x0, y0 + 0.55 * tall, x1, y1 - words);
    } else {
        p->bodies = rectangle(x0, y0, x0 + 0.74 * wide, y0 + 0.74 * (bottom - y0));
        p->contacts = rectangle(x0 + 0.57 * wide, y0 + 0.60 * (bottom - y0), x1, bottom - words);
        p->legend_width = 0.53 * wide;
    }
}

static page lay_out(const jo_picture *picture, bool with_contacts)
{
    const double w = picture->width, h = picture->height;
    page p = {.em = 4.0 + sqrt(w * h) / 75.0};
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
    view seen;        /* the panel of bodies */
    view network;     /* the panel of contacts, 3D; the lens, 2D */
    double magnified; /* how much the lens does; 0: there is none */
    wall_view walls;  /* as the panel of bodies shows them */
} drawing;

static float wall_line(const drawing *d)
{
    return (float)fmax(1.0, d->layout.em / 11.0);
}

/* ---- 2D */

/* The sides of the box on periodic axes. */
static bool frame_2d(drawing *d)
{
    const view *v = &d->seen;
    stroke lines[4];
    size_t n = 0;
    double x0, y0, x1, y1;
    jo_view_project(v, v->lo, &x0, &y1, NULL);
    jo_view_project(v, v->hi, &x1, &y0, NULL);
    for (int side = 0; side < 4; side++) {
        if (!v->periodic[side / 2]) continue;
        const bool upright = side < 2, high = side % 2 == 1;
        const double x = floor(high ? x1 + 0.5 : x0 + 0.5), y = floor(high ? y0 + 0.5 : y1 + 0.5);
        lines[n++] = (stroke){.x0 = (float)(upright ? x : x0),
                              .y0 = (float)(upright ? y0 : y),
                              .x1 = (float)(upright ? x : x1),
                              .y1 = (float)(upright ? y1 : y),
                              .width = (float)fmax(1.0, d->layout.em / 14.0),
                              .alpha = 1.0f,
                              .rgb = jo_colour_pack(d->look.text)};
    }
    return jo_raster_strokes(&d->image, (window){0, 0, d->image.width, d->image.height}, lines, n);
}

/* The lines, each on a halo that parts it from whatever colour lies below. */
static bool contacts_2d(drawing *d, const view *v)
{
    const network how = {.near_ink = d->look.ink, .far_ink = d->look.ink, .hide_small = true};
    marks lines = {0};
    bool ok = jo_view_strokes(v, d->bodies, d->contacts, &how, &lines);
    stroke *s = lines.memory.data;
    const uint32_t ink = jo_colour_pack(d->look.ink), halo = jo_colour_pack(d->look.casing);
    for (size_t k = 0; k < lines.count; k++) {
        s[k].rgb = halo;
        s[k].width *= 2.2f;
        s[k].alpha *= 0.65f;
    }
    ok = ok && jo_raster_strokes(&d->image, v->clip, s, lines.count);
    for (size_t k = 0; k < lines.count; k++) {
        s[k].rgb = ink;
        s[k].width /= 2.2f;
        s[k].alpha /= 0.65f;
    }
    ok = ok && jo_raster_strokes(&d->image, v->clip, s, lines.count);
    jo_buffer_free(&lines.memory);
    return ok;
}

static bool panel_2d(drawing *d, const view *v)
{
    marks bodies = {0};
    if (d->picture->outline_first != NULL) return true; /* cairo draws them: picture_polygons.c */
    bool ok = jo_view_marks(v, d->bodies, &d->colours, &bodies);
    ok = ok && jo_raster_flat(&d->image, v->clip, bodies.memory.data, bodies.count,
                              d->bodies->shape == JO_BOXES);
    jo_buffer_free(&bodies.memory);
    if (ok && d->picture->draw_contacts && d->contacts.count > 0) ok = contacts_2d(d, v);
    if (!ok || d->picture->wall_count == 0) return ok;
    wall_view walls; /* over the discs, which may reach a hair's breadth into them */
    ok = jo_wall_view_make(&walls, v, d->picture->walls, d->picture->wall_count) &&
         jo_wall_view_draw(&walls, &d->image, v->clip, &d->look, 1.6f * wall_line(d));
    jo_wall_view_free(&walls);
    return ok;
}

/* Whether bodies are too small to see who touches whom. */
static bool needs_lens(const drawing *d)
{
    const double r = d->sizes.r_mean * d->seen.scale;
    return d->picture->draw_contacts && d->contacts.count > 0 && d->layout.em > 0.0 && r < 2.5 &&
           r > 1e-9;
}

/* A corner of the picture, or its right half when it is wide, magnifies a part. */
static bool lens_2d(drawing *d, window place)
{
    const double side = place.x1 - place.x0, r = d->sizes.r_mean * d->seen.scale;
    d->network = d->seen;
    d->magnified = (9.0 + side / 70.0) / r; /* a mean body becomes that many pixels */
    jo_view_magnify(&d->network, d->bodies, d->contacts, side / d->magnified / d->seen.scale);
    jo_view_fit(&d->network, place);
    const uint32_t background = jo_colour_pack(d->look.background);
    for (int y = place.y0; y < place.y1; y++)
        for (int x = place.x0; x < place.x1; x++)
            d->image.pixels[(size_t)y * (size_t)d->image.stride + (size_t)x] = background;
    return panel_2d(d, &d->network);
}

/* Frames around the lens and around what it shows, and lines that join them. */
static void frame_lens(drawing *d, canvas *c)
{
    const window at = d->network.clip;
    double x0, y0, x1, y1;
    char text[32];
    jo_view_project(&d->seen, d->network.from, &x0, &y1, NULL);
    jo_view_project(&d->seen, d->network.to, &x1, &y0, NULL);
    jo_canvas_colour(c, d->look.text);
    cairo_set_line_width(c->cr, fmax(1.0, d->layout.em / 10.0));
    cairo_rectangle(c->cr, at.x0, at.y0, at.x1 - at.x0, at.y1 - at.y0);
    cairo_rectangle(c->cr, x0, y0, x1 - x0, y1 - y0);
    cairo_stroke(c->cr);
    cairo_set_line_width(c->cr, 1.0);
    const bool apart = at.x0 > d->seen.clip.x1 || at.x0 > x1 + 0.4 * c->width;
    cairo_move_to(c->cr, apart ? x1 : x0, y1);
    cairo_line_to(c->cr, at.x0, at.y1);
    cairo_move_to(c->cr, x1, y0);
    cairo_line_to(c->cr, apart ? at.x0 : at.x1, at.y0);
    cairo_stroke(c->cr);
    snprintf(text, sizeof text, d->magnified < 10.0 ? "\xC3\x97 %.2g" : "\xC3\x97 %.0f",
             d->magnified);
    const double em = d->layout.em, width = jo_canvas_text_width(c, text, em, false);
    jo_canvas_colour(c, d->look.background);
    cairo_rectangle(c->cr, at.x0 + 0.4 * em, at.y0 + 0.4 * em, width + em, 1.5 * em);
    cairo_fill(c->cr);
    jo_canvas_colour(c, d->look.text);
    jo_canvas_text(c, text, at.x0 + 0.9 * em, at.y0 + 1.15 * em, em, (placement){.down = 0.5});
}

static bool draw_2d(drawing *d)
{
    window all = d->layout.bodies;
    const int wide = all.x1 - all.x0, tall = all.y1 - all.y0, less = wide < tall ? wide : tall;
    jo_view_fit(&d->seen, all);
    const bool lens = needs_lens(d) && less > 300;
    int side = (int)(0.4 * less);
    if (lens && wide > 1.35 * tall) {
        const int half = (int)(0.5 * (wide - 2.0 * d->layout.em));
        side = half < tall ? half : tall;
        all.x1 -= side + (int)(2.0 * d->layout.em);
        jo_view_fit(&d->seen, all);
        all = d->layout.bodies;
    }
    if (!panel_2d(d, &d->seen) || !frame_2d(d)) return false;
    return !lens || lens_2d(d, (window){all.x1 - side, all.y1 - side, all.x1, all.y1});
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
    const bool periodic = !v->focused && (v->periodic[0] || v->periodic[1] || v->periodic[2]);
    const colour ink = jo_colour_mix(d->look.text, d->look.background, periodic ? 0.15 : 0.55);
    for (int a = 0; a < 3; a++)
        for (int corner = 0; corner < 4; corner++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const bool b_high = corner & 1, c_high = corner & 2;
            const bool far = b_high == (v->eye[b] < 0.0) && c_high == (v->eye[c] < 0.0);
            if (far != behind) continue;
            double p[3], q[3], x0, y0, x1, y1;
            p[a] = v->from[a], q[a] = v->to[a];
            p[b] = q[b] = b_high ? v->to[b] : v->from[b];
            p[c] = q[c] = c_high ? v->to[c] : v->from[c];
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

/* The spheres, and in front of them what walls there are. */
static bool bodies_and_front(drawing *d, const lighting *light)
{
    const view *v = &d->seen;
    marks bodies = {0};
    const size_t pixels = (size_t)(v->clip.x1 - v->clip.x0) * (size_t)(v->clip.y1 - v->clip.y0);
    float *depth = NULL;
    face_marks flat = {.count = 0};
    bool ok = jo_view_marks(v, d->bodies, &d->colours, &bodies);
    if (ok && v->shape != NULL) ok = jo_view_faces(v, d->bodies, d->picture, &d->colours, &flat);
    const facets faces = {flat.facet.data, flat.corner.data, flat.count};
    if (ok && d->picture->wall_count > 0) {
        depth = malloc(pixels * sizeof *depth);
        ok = depth != NULL;
    }
    ok = ok && jo_raster_solid(&d->image, v->clip, bodies.memory.data, bodies.count,
                               d->bodies->shape == JO_BOXES, &faces, light, depth);
    if (ok && depth != NULL)
        ok = jo_wall_view_draw_front(&d->walls, &d->image, v->clip, &d->look, wall_line(d), depth);
    free(depth);
    jo_buffer_free(&flat.facet);
    jo_buffer_free(&flat.corner);
    jo_buffer_free(&bodies.memory);
    return ok;
}

static bool bodies_3d(drawing *d)
{
    view *v = &d->seen;
    v->shape = d->picture->q != NULL && d->picture->shapes != NULL ? d->picture->shape : NULL;
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
    /* Walls show where things are; without them, or where things end at faces, the box does. */
    const bool boxed =
        d->picture->wall_count == 0 || v->periodic[0] || v->periodic[1] || v->periodic[2];
    bool ok = !boxed || box_edges(d, v, true);
    if (ok && d->picture->wall_count > 0)
        ok = jo_wall_view_make(&d->walls, v, d->picture->walls, d->picture->wall_count) &&
             jo_wall_view_draw(&d->walls, &d->image, v->clip, &d->look, wall_line(d));
    ok = ok && bodies_and_front(d, &light);
    jo_wall_view_free(&d->walls);
    return ok && (!boxed || box_edges(d, v, false));
}

/* As many lines as can be told apart: they cover less than half of the panel, for their length goes
 * with the inverse cube root of their number. */
static size_t lines_that_fit(window panel)
{
    const int wide = panel.x1 - panel.x0, tall = panel.y1 - panel.y0;
    const double side = wide < tall ? wide : tall;
    return side > 20.0 ? (size_t)pow(0.3 * side, 1.5) : 15;
}

/* Draws lines back to front, each with a gap of background to its sides where it passes others, so
 * that one sees which is in front. The gap stops short of the ends, where lines meet. */
static bool weave(drawing *d, const marks *lines, window clip)
{
    const stroke *s = lines->memory.data;
    stroke *both = malloc(2 * (lines->count > 0 ? lines->count : 1) * sizeof *both);
    if (both == NULL) return false;
    const uint32_t background = jo_colour_pack(d->look.background);
    for (size_t k = 0; k < lines->count; k++) {
        const float dx = 0.22f * (s[k].x1 - s[k].x0), dy = 0.22f * (s[k].y1 - s[k].y0);
        both[2 * k] = both[2 * k + 1] = s[k];
        both[2 * k].x0 += dx;
        both[2 * k].x1 -= dx;
        both[2 * k].y0 += dy;
        both[2 * k].y1 -= dy;
        both[2 * k].width = 2.4f * s[k].width;
        both[2 * k].alpha = 0.85f;
        both[2 * k].rgb = background;
    }
    const bool ok = jo_raster_strokes(&d->image, clip, both, 2 * lines->count);
    free(both);
    return ok;
}

static bool contacts_3d(drawing *d)
{
    view *v = &d->network;
    *v = d->seen;
    if (!jo_view_focus(v, d->bodies, d->contacts, lines_that_fit(d->layout.contacts))) return false;
    fit_3d(v, d->layout.contacts, v->focused ? 0.0 : d->sizes.r_max);
    const bool dark = d->picture->dark;
    const network how = {
        .near_ink = jo_colour_mix(d->look.ink, jo_colour_map(dark ? 0.7 : 0.15), 0.7),
        .far_ink = jo_colour_mix(d->look.background, jo_colour_map(dark ? 0.3 : 0.55), 0.5)};
    marks lines = {0};
    bool ok = box_edges(d, v, true) && jo_view_strokes(v, d->bodies, d->contacts, &how, &lines);
    ok = ok && weave(d, &lines, v->clip);
    jo_buffer_free(&lines.memory);
    return ok && box_edges(d, v, false);
}

/* ---- the whole */

static bool draw_bodies(drawing *d)
{
    if (d->bodies->dim == 2) return draw_2d(d);
    if (!bodies_3d(d)) return false;
    return d->layout.contacts.x1 == 0 || contacts_3d(d);
}

static void name_network(const drawing *d, canvas *c)
{
    const window panel = d->layout.contacts;
    const view *v = &d->network;
    const double em = d->layout.em;
    char text[128] = "contacts";
    double edge[3];
    for (int a = 0; a < 3; a++)
        edge[a] = v->to[a] - v->from[a];
    const bool cube =
        fabs(edge[1] - edge[0]) < 0.01 * edge[0] && fabs(edge[2] - edge[0]) < 0.01 * edge[0];
    if (v->focused && cube)
        snprintf(text, sizeof text, "contacts in the middle, a cube of edge %.3g", edge[0]);
    else if (v->focused)
        snprintf(text, sizeof text, "contacts in the middle, %.3g \xC3\x97 %.3g \xC3\x97 %.3g",
                 edge[0], edge[1], edge[2]);
    jo_canvas_text(c, text, 0.5 * (panel.x0 + panel.x1), panel.y1 + 0.5 * em, 0.85 * em,
                   (placement){.across = 0.5, .max_width = panel.x1 - panel.x0});
}

static void draw_words(drawing *d, canvas *c)
{
    const page *p = &d->layout;
    if (d->magnified > 0.0) frame_lens(d, c);
    if (p->em == 0.0) return;
    const double margin = 1.3 * p->em, width = c->width - 2.0 * margin;
    legend_place legend = {p->legend_x, p->legend_y, p->legend_width, p->em, d->seen.scale};
    if (d->bodies->dim == 2) { /* flush with the bodies, if they leave room for it */
        const double shown = (d->seen.to[0] - d->seen.from[0]) * d->seen.scale;
        if (shown > 28.0 * p->em && shown < width) {
            legend.x = floor(d->seen.x - 0.5 * shown + 0.5);
            legend.width = shown;
        }
    }
    jo_canvas_colour(c, d->look.text);
    jo_canvas_text(c, d->picture->title, legend.x, p->title_y, 1.3 * p->em,
                   (placement){.bold = true, .max_width = c->width - legend.x - margin});
    jo_canvas_text(c, d->picture->caption, legend.x, p->caption_y, 0.85 * p->em,
                   (placement){.down = 1.0, .max_width = c->width - legend.x - margin});
    if (p->contacts.x1 > 0) name_network(d, c);
    jo_legend_draw(c, &d->colours, jo_colouring_label(&d->colours, d->bodies), &d->look, legend);
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
    if (d->bodies->dim == 2 && d->picture->outline_first != NULL)
        jo_picture_polygons(c, &d->seen, d->picture, d->bodies, &d->colours, &d->look);
    draw_words(d, c);
    return JO_OK;
}

static jo_status check(const jo_picture *picture, const jo_bodies *bodies, jo_pairs contacts,
                       jo_error *error)
{
    if (!isfinite(picture->azimuth) || !isfinite(picture->elevation))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "the azimuth and elevation of a picture must be finite angles in degrees");
    if ((int)picture->colour < JO_COLOUR_SIZE || (int)picture->colour > JO_COLOUR_KIND)
        return jo_fail(error, JO_ERR_ARGUMENT, "unknown colouring %d: it must be a jo_colour_by",
                       (int)picture->colour);
    if (picture->colour == JO_COLOUR_VALUE && bodies->n > 0 && picture->values == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "colours by value, but no array of values");
    if (picture->colour == JO_COLOUR_KIND && bodies->n > 0 && picture->kinds == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "colours by kind, but no array of kinds");
    if (picture->wall_count > 0 && picture->walls == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "%zu triangles of walls, but no array of them",
                       picture->wall_count);
    for (size_t k = 0; k < 9 * picture->wall_count; k++)
        if (!(fabs(picture->walls[k]) <= JO_COORDINATE_MAX))
            return jo_fail(error, JO_ERR_DATA, "corner %zu of triangle %zu of the walls is at %g",
                           k % 9 / 3, k / 9, picture->walls[k]);
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

/* On axes that are not periodic, the view holds what the picture says, or walls as well. */
static void show_bounds(view *v, const jo_picture *picture, size_t bodies)
{
    for (int a = 0; a < v->dim; a++) {
        if (v->periodic[a]) continue;
        for (size_t k = 0; !picture->has_bounds && k < 3 * picture->wall_count; k++) {
            const double x = picture->walls[3 * k + (size_t)a];
            if (v->dim == 2 && k % 3 == 2) continue; /* segments have two corners */
            if ((k == 0 && bodies == 0) || x < v->lo[a]) v->lo[a] = x;
            if ((k == 0 && bodies == 0) || x > v->hi[a]) v->hi[a] = x;
        }
        if (picture->has_bounds) {
            v->lo[a] = picture->bounds_lo[a];
            v->hi[a] = picture->bounds_hi[a];
        }
        v->middle[a] = 0.5 * v->lo[a] + 0.5 * v->hi[a];
        v->from[a] = v->lo[a];
        v->to[a] = v->hi[a];
    }
}

/* Everything but opening and closing the canvas. */
static jo_status draw_on(canvas *c, drawing *d, const jo_domain *domain, jo_error *error)
{
    const jo_picture *picture = d->picture;
    const jo_bodies *bodies = d->bodies;
    uint32_t *counts = calloc(bodies->n > 0 ? bodies->n : 1, sizeof *counts);
    if (counts == NULL)
        return jo_fail_memory(error, bodies->n * sizeof *counts, "contacts per body");
    for (size_t k = 0; k < d->contacts.count; k++) {
        counts[d->contacts.pairs[k].i]++;
        counts[d->contacts.pairs[k].j]++;
    }
    jo_colouring_make(&d->colours, picture, bodies, &d->sizes,
                      picture->counts != NULL ? picture->counts : counts, &d->look);
    jo_view_make(&d->seen, bodies, domain, picture->azimuth, picture->elevation);
    show_bounds(&d->seen, picture, bodies->n);
    d->layout =
        lay_out(picture, bodies->dim == 3 && picture->draw_contacts && d->contacts.count > 0);
    const jo_status status = draw_page(d, c, error);
    free(counts);
    return status;
}

/* path NULL: into rgb. */
static jo_status draw_picture(const char *path, uint8_t *rgb, const jo_picture *picture,
                              const jo_bodies *bodies, const jo_domain *domain, jo_pairs contacts,
                              jo_error *error)
{
    const jo_picture usual = jo_picture_default();
    if (picture == NULL) picture = &usual;
    drawing d = {.picture = picture,
                 .bodies = bodies,
                 .contacts = contacts,
                 .look = jo_theme(picture->dark)};
    const jo_domain open = {.periodic = {false, false, false}};
    if (domain == NULL) domain = &open;
    jo_status status = jo_survey(bodies, domain, &d.sizes, error);
    if (status == JO_OK) status = check(picture, bodies, contacts, error);
    if (status != JO_OK) return status;
    canvas c;
    status = rgb != NULL ? jo_canvas_open_memory(&c, picture->width, picture->height, error)
                         : jo_canvas_open(&c, path, picture->width, picture->height, error);
    if (status != JO_OK) return status;
    status = draw_on(&c, &d, domain, error);
    if (status != JO_OK)
        jo_canvas_discard(&c);
    else if (rgb != NULL)
        status = jo_canvas_pixels(&c, rgb, error);
    else
        status = jo_canvas_finish(&c, error);
    return status;
}

jo_status jo_picture_write(const char *path, const jo_picture *picture, const jo_bodies *bodies,
                           const jo_domain *domain, jo_pairs contacts, jo_error *error)
{
    return draw_picture(path, NULL, picture, bodies, domain, contacts, error);
}

jo_status jo_picture_pixels(uint8_t *rgb, const jo_picture *picture, const jo_bodies *bodies,
                            const jo_domain *domain, jo_pairs contacts, jo_error *error)
{
    return draw_picture(NULL, rgb, picture, bodies, domain, contacts, error);
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

jo_status jo_picture_pixels(uint8_t *rgb, const jo_picture *picture, const jo_bodies *bodies,
                            const jo_domain *domain, jo_pairs contacts, jo_error *error)
{
    (void)rgb;
    return jo_picture_write(NULL, picture, bodies, domain, contacts, error);
}

#endif
