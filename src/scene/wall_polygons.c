/* wall_polygons.c — walls of two dimensions that are polygons: given by their corners, as thick
 * lines, and hoppers by their measures. All become meshes of segments that close, with a solid
 * side.
 *
 * A bar's sides run beside its path at half its thickness; where the path turns they meet on the
 * line that halves the angle, which must not be too sharp for that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/outline.h"
#include "scene/reader.h"

/* Segments from corners, which are checked to be simple. */
static void set_corners(reader *r, wall_entry *w, const double *points, size_t n,
                        jo_wall_solid solid)
{
    jo_error error;
    if (jo_outline_check(points, n, &error) != JO_OK) {
        jo_wrong(r, w->form_node, "%s: %s", w->form, error.text);
        return;
    }
    const jo_outline_mass m = jo_outline_measure(points, n);
    w->wall.triangles = calloc(n, 4 * sizeof *w->wall.triangles);
    if (w->wall.triangles == NULL) {
        r->out_of_memory = true;
        return;
    }
    for (size_t k = 0; k < n; k++) {
        memcpy(w->wall.triangles + 4 * k, points + 2 * k, 2 * sizeof *points);
        memcpy(w->wall.triangles + 4 * k + 2, points + 2 * ((k + 1) % n), 2 * sizeof *points);
    }
    w->wall.triangle_count = n;
    w->wall.solid = solid;
    for (int a = 0; a < 2 && !w->pivot_given; a++)
        w->wall.motion.pivot[a] = m.centre[a];
}

static void settle_corners(reader *r, wall_entry *w)
{
    double *points;
    size_t n;
    if (!jo_read_outline(r, w->path_node, "corners", DIM_LENGTH, &points, &n)) return;
    set_corners(r, w, points, n, w->around ? JO_SOLID_OUTSIDE : JO_SOLID_INSIDE);
    free(points);
}

/* ---- bars ---- */

static bool unit_along(const double a[2], const double b[2], double out[2])
{
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    out[0] = (b[0] - a[0]) / length;
    out[1] = (b[1] - a[1]) / length;
    return length > 0.0;
}

/* Where the left side of the bar is at point k, from the path; false where it turns too sharply. */
static bool offset_at(const double *p, size_t n, size_t k, double half, double out[2])
{
    double in[2] = {0, 0}, on[2] = {0, 0};
    bool fine = true;
    if (k > 0) fine = unit_along(p + 2 * (k - 1), p + 2 * k, in);
    if (k + 1 < n) fine = fine && unit_along(p + 2 * k, p + 2 * (k + 1), on);
    if (k == 0) memcpy(in, on, sizeof in);
    if (k + 1 == n) memcpy(on, in, sizeof on);
    const double across[2] = {-(in[1] + on[1]), in[0] + on[0]};
    const double square = across[0] * across[0] + across[1] * across[1];
    if (!fine || !(square > 0.2)) return false; /* it turns by more than 150 degrees */
    out[0] = 2.0 * half * across[0] / square;
    out[1] = 2.0 * half * across[1] / square;
    return true;
}

static void settle_bar(reader *r, wall_entry *w)
{
    const tree_node *n = jo_node(r, w->path_node);
    if (n->kind != TREE_LIST || n->count < 2) {
        jo_wrong(r, w->path_node, "path wants a list of at least two points [x, y]");
        return;
    }
    const size_t count = n->count;
    double *path = malloc(6 * count * sizeof *path), *ring = path + 2 * count;
    if (path == NULL) {
        r->out_of_memory = true;
        return;
    }
    bool fine = true;
    for (size_t k = 0; k < count && fine && jo_reader_visit(r, w->path_node); k++) {
        double point[3];
        fine = jo_read_vector(r, jo_child(r, w->path_node, k), "a point", DIM_LENGTH, point);
        if (fine) memcpy(path + 2 * k, point, 2 * sizeof *path);
    }
    for (size_t k = 0; k < count && fine; k++) {
        double out[2];
        fine = offset_at(path, count, k, 0.5 * w->thickness, out);
        if (!fine)
            jo_wrong(r, jo_child(r, w->path_node, k),
                     "the bar's path turns back at point %zu, or has two points in one place",
                     k + 1);
        for (int a = 0; a < 2 && fine; a++) { /* back along the left side */
            ring[2 * k + (size_t)a] = path[2 * k + (size_t)a] - out[a];
            ring[2 * (2 * count - 1 - k) + (size_t)a] = path[2 * k + (size_t)a] + out[a];
        }
    }
    if (fine) set_corners(r, w, ring, 2 * count, JO_SOLID_INSIDE);
    free(path);
}

/* ---- hoppers ---- */

static void settle_hopper(reader *r, wall_entry *w)
{
    const double half = 0.5 * w->width, neck = 0.5 * w->neck, x = w->wall.point[0],
                 y = w->wall.point[1];
    const double shoulder = (half - neck) * tan(w->slope);
    const double depth = isnan(w->depth) ? 1.25 * w->neck : w->depth, wide = neck + 0.6 * depth;
    if (!(neck < half)) {
        jo_wrong(r, w->form_node, "the hopper's neck of %g is not narrower than its width of %g",
                 w->neck, w->width);
        return;
    }
    if (!(shoulder < w->height)) {
        jo_wrong(r, w->form_node,
                 "the hopper's slopes rise to %g, its height is %g: make it higher, or the slope "
                 "less steep",
                 shoulder, w->height);
        return;
    }
    const double ring[20] = {
        x + neck,      y,        x + half,      y + shoulder,    x + half,
        y + w->height, x - half, y + w->height, x - half,        y + shoulder,
        x - neck,      y,        x - wide,      y - 0.1 * depth, x - wide,
        y - depth,     x + wide, y - depth,     x + wide,        y - 0.1 * depth};
    set_corners(r, w, ring, 10, JO_SOLID_OUTSIDE);
}

void jo_settle_polygon(reader *r, wall_entry *w)
{
    if (r->scene->dim != 2)
        jo_wrong(r, w->form_node, "a %s is for dimension 2; in 3D give a mesh", w->form);
    else if (strcmp(w->form, "polygon") == 0)
        settle_corners(r, w);
    else if (strcmp(w->form, "bar") == 0)
        settle_bar(r, w);
    else
        settle_hopper(r, w);
}
