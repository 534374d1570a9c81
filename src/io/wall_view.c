/* wall_view.c — walls in pictures: glass with edges.
 *
 * A wall should be seen and hide nothing. Its triangles are therefore blended thinly onto the empty
 * page, farthest first, before any body is drawn; where a wall lies in front of bodies it is
 * afterwards blended over them once more, thinner still. Lines carry the shape: rims (edges of one
 * triangle), creases (two triangles at more than 25 degrees) and outlines (one faces the eye, the
 * other does not). They are drawn below the bodies, and faintly above those they pass in front of.
 *
 * Neighbouring triangles share the pixels along their common edge exactly (each pixel's middle
 * belongs to one of them), for otherwise every edge of a mesh would show as a seam. To that end the
 * side of an edge on which a middle lies is always computed from the same end of it.
 *
 * Cost: O(T log T) for the edges, O(pixels covered) for filling; about 500 bytes per triangle. */
#include "io/wall_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- edges */

typedef struct raw_edge {
    double end[6];    /* the lesser corner first */
    double normal[3]; /* of the triangle, as its corners run */
    bool reversed;    /* the triangle runs it from the greater end */
} raw_edge;

static int compare_corners(const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const raw_edge *p = a, *q = b;
    const int first = compare_corners(p->end, q->end);
    return first != 0 ? first : compare_corners(p->end + 3, q->end + 3);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The unit normal; zero for a triangle without area. */
static void normal_of(const double *t, double n[3])
{
    const double u[3] = {t[3] - t[0], t[4] - t[1], t[5] - t[2]};
    const double v[3] = {t[6] - t[0], t[7] - t[1], t[8] - t[2]};
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    const double length = sqrt(dot(n, n));
    for (int a = 0; a < 3; a++)
        n[a] = length > 0.0 ? n[a] / length : 0.0;
}

static void fill_edge(raw_edge *e, const double *a, const double *b, const double normal[3])
{
    e->reversed = compare_corners(a, b) > 0;
    memcpy(e->end, e->reversed ? b : a, 3 * sizeof *a);
    memcpy(e->end + 3, e->reversed ? a : b, 3 * sizeof *a);
    memcpy(e->normal, normal, sizeof e->normal);
}

/* Whether `count` triangles that meet at an edge make it worth a line. */
static bool worth_a_line(const raw_edge *e, size_t count, const double eye[3])
{
    if (count != 2) return true;
    if (fabs(dot(e[0].normal, e[1].normal)) < 0.906) return true; /* 25 degrees */
    /* Two that run it the same way are turned against each other: turn one. */
    const double sign = e[0].reversed == e[1].reversed ? -1.0 : 1.0;
    return (dot(e[0].normal, eye) > 0.0) != (sign * dot(e[1].normal, eye) > 0.0);
}

static void add_edge(wall_view *w, const view *v, const double *from, const double *to)
{
    seen_edge *edge = (seen_edge *)w->edge_memory.data + w->edge_count++;
    jo_view_project(v, from, &edge->x[0], &edge->y[0], &edge->depth[0]);
    jo_view_project(v, to, &edge->x[1], &edge->y[1], &edge->depth[1]);
}

static bool find_edges(wall_view *w, const view *v, const double *triangles, size_t count)
{
    raw_edge *edges = malloc((3 * count + 1) * sizeof *edges);
    if (edges == NULL || !jo_buffer_reserve(&w->edge_memory, 3 * count + 1, sizeof(seen_edge))) {
        free(edges);
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        const double *t = triangles + 9 * k;
        double normal[3];
        normal_of(t, normal);
        for (int c = 0; c < 3; c++)
            fill_edge(&edges[3 * k + (size_t)c], t + 3 * c, t + 3 * ((c + 1) % 3), normal);
    }
    qsort(edges, 3 * count, sizeof *edges, compare_edges);
    for (size_t k = 0, same; k < 3 * count; k += same) {
        for (same = 1; k + same < 3 * count && compare_edges(&edges[k], &edges[k + same]) == 0;)
            same++;
        if (worth_a_line(&edges[k], same, v->eye)) add_edge(w, v, edges[k].end, edges[k].end + 3);
    }
    free(edges);
    return true;
}

/* ---- projection */

static int farther_first(const void *a, const void *b)
{
    const seen_triangle *p = a, *q = b;
    const double x = p->depth[0] + p->depth[1] + p->depth[2],
                 y = q->depth[0] + q->depth[1] + q->depth[2];
    return (x > y) - (x < y);
}

bool jo_wall_view_make(wall_view *w, const view *v, const double *triangles, size_t count)
{
    *w = (wall_view){0};
    if (v->dim == 2) { /* segments */
        if (!jo_buffer_reserve(&w->edge_memory, count + 1, sizeof(seen_edge))) return false;
        for (size_t k = 0; k < count; k++)
            add_edge(w, v, triangles + 9 * k, triangles + 9 * k + 3);
        return true;
    }
    if (!jo_buffer_reserve(&w->triangle_memory, count + 1, sizeof(seen_triangle))) return false;
    seen_triangle *seen = w->triangle_memory.data;
    for (size_t k = 0; k < count; k++) {
        static const double lamp[3] = {-0.42, 0.56, 0.714}; /* right, up, towards the eye */
        double n[3];
        normal_of(triangles + 9 * k, n);
        const double turned[3] = {dot(n, v->right), dot(n, v->up), dot(n, v->eye)};
        seen[k].facing = (float)fabs(turned[2]);
        seen[k].lit = (float)fabs(dot(turned, lamp));
        for (int c = 0; c < 3; c++)
            jo_view_project(v, triangles + 9 * k + 3 * c, &seen[k].x[c], &seen[k].y[c],
                            &seen[k].depth[c]);
    }
    w->triangle_count = count;
    qsort(seen, count, sizeof *seen, farther_first);
    return find_edges(w, v, triangles, count);
}

void jo_wall_view_free(wall_view *w)
{
    jo_buffer_free(&w->triangle_memory);
    jo_buffer_free(&w->edge_memory);
    *w = (wall_view){0};
}

/* ---- filling */

/* Twice the area of (a, b, p), the same but for its sign whichever end comes first. */
static double side(double ax, double ay, double bx, double by, double px, double py)
{
    if (ax < bx || (ax == bx && ay < by)) return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
    return -((ax - bx) * (py - by) - (ay - by) * (px - bx));
}

/* Whether a pixel's middle belongs to a triangle on whose edge it lies. */
static bool owns(double value, double ax, double ay, double bx, double by)
{
    return value > 0.0 || (value == 0.0 && (ax < bx || (ax == bx && ay < by)));
}

static uint32_t blended(uint32_t below, uint32_t above, float alpha)
{
    uint32_t out = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const float a = (float)(below >> shift & 255), b = (float)(above >> shift & 255);
        out |= (uint32_t)(a + alpha * (b - a) + 0.5f) << shift;
    }
    return out;
}

/* The pixels between two coordinates, cut to [first, last). */
static void span(double lo, double hi, int first, int last, int *begin, int *end)
{
    *begin = lo <= first ? first : (lo >= last ? last : (int)lo);
    *end = hi >= last ? last : (hi <= first ? first : (int)hi + 1);
}

typedef struct paint {
    raster *image;
    window clip;
    const float *depth; /* NULL: everything, no bodies yet */
    uint32_t rgb;
    float alpha;
} paint;

static bool in_front(const paint *p, int x, int y, double depth)
{
    if (p->depth == NULL) return true;
    const float body = p->depth[(size_t)(y - p->clip.y0) * (size_t)(p->clip.x1 - p->clip.x0) +
                                (size_t)(x - p->clip.x0)];
    return body > -1e38f && depth > (double)body;
}

static void fill(const paint *p, const seen_triangle *t)
{
    const double area = side(t->x[0], t->y[0], t->x[1], t->y[1], t->x[2], t->y[2]);
    if (!(fabs(area) > 1e-9) || !(fabs(area) < 1e14)) return;
    const int b = area > 0.0 ? 1 : 2, c = 3 - b; /* corners 0, b, c run the positive way */
    int i0, i1, j0, j1;
    span(fmin(t->x[0], fmin(t->x[1], t->x[2])), fmax(t->x[0], fmax(t->x[1], t->x[2])), p->clip.x0,
         p->clip.x1, &i0, &i1);
    span(fmin(t->y[0], fmin(t->y[1], t->y[2])), fmax(t->y[0], fmax(t->y[1], t->y[2])), p->clip.y0,
         p->clip.y1, &j0, &j1);
    for (int j = j0; j < j1; j++) {
        uint32_t *row = p->image->pixels + (size_t)j * (size_t)p->image->stride;
        for (int i = i0; i < i1; i++) {
            const double x = i + 0.5, y = j + 0.5;
            const double u = side(t->x[b], t->y[b], t->x[c], t->y[c], x, y);
            const double v = side(t->x[c], t->y[c], t->x[0], t->y[0], x, y);
            const double w = side(t->x[0], t->y[0], t->x[b], t->y[b], x, y);
            if (!owns(u, t->x[b], t->y[b], t->x[c], t->y[c]) ||
                !owns(v, t->x[c], t->y[c], t->x[0], t->y[0]) ||
                !owns(w, t->x[0], t->y[0], t->x[b], t->y[b]))
                continue;
            const double depth =
                (u * t->depth[0] + v * t->depth[b] + w * t->depth[c]) / (u + v + w);
            if (in_front(p, i, j, depth)) row[i] = blended(row[i], p->rgb, p->alpha);
        }
    }
}

/* Glass is seen more where one looks along it. */
static void fill_all(const wall_view *w, paint p, const theme *look, float alpha)
{
    const seen_triangle *t = w->triangle_memory.data;
    for (size_t k = 0; k < w->triangle_count; k++) {
        const colour shade =
            jo_colour_mix(look->wall_shade, look->wall, 0.35 + 0.65 * (double)t[k].lit);
        p.rgb = jo_colour_pack(shade);
        p.alpha = alpha * (1.0f + 1.2f * (1.0f - t[k].facing) * (1.0f - t[k].facing));
        fill(&p, &t[k]);
    }
}

/* ---- lines */

static float limited(double pixels)
{
    return (float)(pixels > 1e6 ? 1e6 : (pixels > -1e6 ? pixels : -1e6));
}

/* Not translucent: where two meet, the overlap would show as a dot. */
static bool draw_edges(const wall_view *w, raster *image, window clip, const theme *look,
                       float width)
{
    /* A 3D wall's lines stand back a little behind the bodies; in 2D they are all there is of it.
     */
    const colour ink =
        jo_colour_mix(look->wall_line, look->background, w->triangle_count > 0 ? 0.2 : 0.0);
    const seen_edge *e = w->edge_memory.data;
    stroke *lines = malloc((w->edge_count + 1) * sizeof *lines);
    if (lines == NULL) return false;
    for (size_t k = 0; k < w->edge_count; k++)
        lines[k] = (stroke){.x0 = limited(e[k].x[0]),
                            .y0 = limited(e[k].y[0]),
                            .x1 = limited(e[k].x[1]),
                            .y1 = limited(e[k].y[1]),
                            .width = width,
                            .alpha = 1.0f,
                            .rgb = jo_colour_pack(ink)};
    const bool ok = jo_raster_strokes(image, clip, lines, w->edge_count);
    free(lines);
    return ok;
}

#define PIECE      3.0 /* pixels: lines are cut to this length to see which parts are in front */
#define PIECES_MAX 4096

/* The parts of a line that lie in front of bodies, joined; returns how many were added to `lines`,
 * which has room for PIECES_MAX. */
static size_t front_parts(const seen_edge *e, const paint *p, stroke *lines, const stroke *like)
{
    const double dx = e->x[1] - e->x[0], dy = e->y[1] - e->y[0];
    double pieces = ceil(hypot(dx, dy) / PIECE);
    pieces = pieces < 1.0 ? 1.0 : (pieces < PIECES_MAX ? pieces : PIECES_MAX);
    size_t count = 0;
    bool open = false;
    for (double k = 0.0; k < pieces; k++) {
        const double t = (k + 0.5) / pieces, x = e->x[0] + t * dx, y = e->y[0] + t * dy;
        const bool inside = x >= p->clip.x0 && x < p->clip.x1 && y >= p->clip.y0 && y < p->clip.y1;
        const bool front =
            inside && in_front(p, (int)x, (int)y, e->depth[0] + t * (e->depth[1] - e->depth[0]));
        if (front && !open) {
            lines[count] = *like;
            lines[count].x0 = limited(e->x[0] + k / pieces * dx);
            lines[count++].y0 = limited(e->y[0] + k / pieces * dy);
        }
        if (front) {
            lines[count - 1].x1 = limited(e->x[0] + (k + 1.0) / pieces * dx);
            lines[count - 1].y1 = limited(e->y[0] + (k + 1.0) / pieces * dy);
        }
        open = front;
    }
    return count;
}

static bool draw_front_edges(const wall_view *w, const paint *p, const stroke *like)
{
    const seen_edge *e = w->edge_memory.data;
    size_t count = 0, room = 4 * PIECES_MAX;
    stroke *lines = malloc(room * sizeof *lines);
    bool ok = lines != NULL;
    for (size_t k = 0; ok && k < w->edge_count; k++) {
        count += front_parts(&e[k], p, lines + count, like);
        if (room - count >= PIECES_MAX && k + 1 < w->edge_count) continue;
        ok = jo_raster_strokes(p->image, p->clip, lines, count);
        count = 0;
    }
    free(lines);
    return ok;
}

/* ---- both passes */

bool jo_wall_view_draw(const wall_view *w, raster *image, window clip, const theme *look,
                       float line_width)
{
    fill_all(w, (paint){.image = image, .clip = clip}, look, 0.17f);
    return draw_edges(w, image, clip, look, line_width);
}

bool jo_wall_view_draw_front(const wall_view *w, raster *image, window clip, const theme *look,
                             float line_width, const float *depth)
{
    const paint p = {.image = image, .clip = clip, .depth = depth};
    const stroke like = {
        .width = line_width, .alpha = 0.55f, .rgb = jo_colour_pack(look->wall_line)};
    fill_all(w, p, look, 0.06f);
    return draw_front_edges(w, &p, &like);
}
