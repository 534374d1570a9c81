/* picture_polygons.c — bodies that are polygons, drawn with cairo, so that they stay lines in an
 * SVG or PDF.
 *
 * From back to front: sides of triangles as thin lines, the quadrilateral of a flip, bodies filled
 * and with their mandatory edges as outlines, walls as thick lines, and a ring where bodies
 * collided. */
#include "io/picture_polygons.h"

#ifdef JO_HAVE_CAIRO

#include <math.h>

#include "scene/survey.h"

static void move_to(canvas *c, const view *v, double x, double y, bool first)
{
    const double at[3] = {x, y, 0.0};
    double px, py;
    jo_view_project(v, at, &px, &py, NULL);
    if (first)
        cairo_move_to(c->cr, px, py);
    else
        cairo_line_to(c->cr, px, py);
}

static void draw_sides(canvas *c, const view *v, const jo_picture *p, const theme *look)
{
    if (p->sides == NULL) return;
    jo_canvas_colour(c, look->faint);
    cairo_set_line_width(c->cr, p->side_count > 8000 ? 0.4 : 0.8);
    for (size_t k = 0; k < p->side_count; k++) {
        move_to(c, v, p->sides[4 * k], p->sides[4 * k + 1], true);
        move_to(c, v, p->sides[4 * k + 2], p->sides[4 * k + 3], false);
    }
    cairo_stroke(c->cr);
}

/* A body without corners is a disc. */
static void trace(canvas *c, const view *v, const jo_picture *p, const jo_bodies *bodies, size_t i)
{
    const double x = body_centre(bodies, i, 0), y = body_centre(bodies, i, 1);
    const double cosine = cos(p->angle[i]), sine = sin(p->angle[i]);
    const size_t from = p->outline_first[i], to = p->outline_first[i + 1];
    cairo_new_path(c->cr);
    for (size_t k = from; k < to; k++) {
        const double *r = p->outline + 2 * k;
        move_to(c, v, x + cosine * r[0] - sine * r[1], y + sine * r[0] + cosine * r[1], k == from);
    }
    if (from == to) {
        const double at[3] = {x, y, 0.0};
        double px, py;
        jo_view_project(v, at, &px, &py, NULL);
        cairo_arc(c->cr, px, py, body_radius(bodies, i) * v->scale, 0.0, 6.283185307179586);
    }
    cairo_close_path(c->cr);
}

static void draw_bodies(canvas *c, const view *v, const jo_picture *p, const jo_bodies *bodies,
                        const colouring *colours, const theme *look)
{
    cairo_set_line_width(c->cr, bodies->n > 3000 ? 0.5 : 1.1);
    for (size_t i = 0; i < bodies->n; i++) {
        const uint32_t rgb = jo_colouring_body(colours, bodies, i);
        trace(c, v, p, bodies, i);
        cairo_set_source_rgb(c->cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                             (rgb & 255) / 255.0);
        cairo_fill_preserve(c->cr);
        jo_canvas_colour(c, look->text);
        cairo_stroke(c->cr);
    }
}

static void draw_walls(canvas *c, const view *v, const jo_picture *p, const theme *look)
{
    jo_canvas_colour(c, look->wall_line);
    cairo_set_line_width(c->cr, fmax(1.5, c->width / 500.0));
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
    for (size_t k = 0; k < p->wall_count; k++) {
        const double *t = p->walls + 9 * k;
        move_to(c, v, t[0], t[1], true);
        move_to(c, v, t[3], t[4], false);
    }
    cairo_stroke(c->cr);
}

static void draw_event(canvas *c, const view *v, const jo_picture *p)
{
    const double *e = p->event;
    jo_canvas_colour(c, jo_colour_series(1));
    cairo_set_line_width(c->cr, 2.5);
    if (p->event_points == 4) {
        for (int k = 0; k < 4; k++)
            move_to(c, v, e[2 * k], e[2 * k + 1], k == 0);
        cairo_close_path(c->cr);
        move_to(c, v, e[0], e[1], true);
        move_to(c, v, e[4], e[5], false);
    } else if (p->event_points == 3) {
        const double at[3] = {e[0], e[1], 0.0};
        double px, py;
        jo_view_project(v, at, &px, &py, NULL);
        cairo_new_sub_path(c->cr);
        cairo_arc(c->cr, px, py, 9.0, 0.0, 6.283185307179586);
        move_to(c, v, e[2], e[3], true);
        move_to(c, v, e[4], e[5], false);
    }
    cairo_stroke(c->cr);
}

void jo_picture_polygons(canvas *c, const view *v, const jo_picture *p, const jo_bodies *bodies,
                         const colouring *colours, const theme *look)
{
    const window w = v->clip;
    cairo_save(c->cr);
    cairo_rectangle(c->cr, w.x0, w.y0, w.x1 - w.x0, w.y1 - w.y0);
    cairo_clip(c->cr);
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    draw_sides(c, v, p, look);
    draw_bodies(c, v, p, bodies, colours, look);
    draw_walls(c, v, p, look);
    draw_event(c, v, p);
    cairo_restore(c->cr);
}

#endif
