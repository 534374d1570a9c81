/* barrier.c — is a sphere clear of a wall at the start?
 *
 * Planes, boxes and infinite cylinders keep bodies on one side; finite cylinders and cones are
 * surfaces that a body may be on either side of, beyond their ends, too, and their distance is that
 * of a point from line segments in the plane through their axis. */
#include "scene/barrier.h"

#include <math.h>

static double distance_segment(const double p[2], const double a[2], const double b[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    const double square = d[0] * d[0] + d[1] * d[1];
    double t = square > 0.0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double u = p[0] - a[0] - t * d[0], v = p[1] - a[1] - t * d[1];
    return sqrt(u * u + v * v);
}

static bool clear_of_box(const jo_wall *w, int dim, const double x[3], double r)
{
    double square = 0.0;
    for (int a = 0; a < dim; a++) {
        if (!w->outside && (x[a] - r < w->lo[a] || x[a] + r > w->hi[a])) return false;
        const double d = fmax(fmax(w->lo[a] - x[a], x[a] - w->hi[a]), 0.0);
        square += d * d;
    }
    return !w->outside || square >= r * r;
}

static bool clear_of_round(const jo_wall *w, int dim, const double x[3], double r)
{
    double along = 0.0, square = 0.0;
    for (int a = 0; a < dim && dim == 3; a++)
        along += (x[a] - w->point[a]) * w->axis[a];
    for (int a = 0; a < dim; a++) {
        const double d = x[a] - w->point[a] - (dim == 3 ? along * w->axis[a] : 0.0);
        square += d * d;
    }
    const double p[2] = {sqrt(square), along};
    const double end = w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
    if (dim == 2 || isinf(w->length))
        return w->outside ? p[0] - r >= w->radius : p[0] + r <= w->radius;
    const double near[2] = {w->radius, 0.0}, far[2] = {end, w->length};
    if (distance_segment(p, near, far) < r) return false;
    if (!w->caps) return true;
    const double near_axis[2] = {0.0, 0.0}, far_axis[2] = {0.0, w->length};
    const bool inside = along > 0.0 && along < w->length &&
                        p[0] < w->radius + (end - w->radius) * along / w->length;
    return inside == !w->outside && distance_segment(p, near_axis, near) >= r &&
           distance_segment(p, far_axis, far) >= r;
}

bool jo_wall_clear(const jo_wall *w, int dim, const double x[3], double r)
{
    double height = 0.0;
    if (w->from > 0.0) return true;
    r *= 1.0 - 1e-9; /* lying on a wall to the last bit is clear of it */
    switch (w->kind) {
    case JO_WALL_PLANE:
        for (int a = 0; a < dim; a++)
            height += (x[a] - w->point[a]) * w->normal[a];
        return height >= r;
    case JO_WALL_BOX:
        return clear_of_box(w, dim, x, r);
    case JO_WALL_CYLINDER:
    case JO_WALL_CONE:
        return clear_of_round(w, dim, x, r);
    case JO_WALL_MESH:
        return true;
    }
    return true;
}

bool jo_walls_clear(const jo_scene *scene, const double x[3], double r)
{
    for (size_t k = 0; k < scene->wall_count; k++)
        if (!jo_wall_clear(&scene->walls[k], scene->dim, x, r)) return false;
    return true;
}

/* ---- how far to move a sphere to be clear ---- */

static void push_from_box(const jo_wall *w, int dim, const double x[3], double r, double push[3])
{
    double away[3] = {0.0, 0.0, 0.0}, square = 0.0, nearest = (double)INFINITY;
    int face = 0;
    for (int a = 0; a < dim; a++) {
        const double below = w->lo[a] - x[a], above = x[a] - w->hi[a];
        if (!w->outside) push[a] += fmax(below + r, 0.0) - fmax(above + r, 0.0);
        away[a] = below > 0.0 ? -below : above > 0.0 ? above : 0.0;
        square += away[a] * away[a];
        if (-fmax(below, above) < nearest) {
            nearest = -fmax(below, above);
            face = a;
        }
    }
    if (!w->outside || square >= r * r) return;
    if (square > 0.0) {
        const double distance = sqrt(square);
        for (int a = 0; a < dim; a++)
            push[a] += away[a] / distance * (r - distance);
        return;
    }
    /* The centre is inside: out through the nearest face. */
    const bool up = x[face] - w->lo[face] > w->hi[face] - x[face];
    push[face] += up ? nearest + r : -(nearest + r);
}

/* Away from a segment in the plane through the axis. */
static void push_from_segment(const double p[2], const double a[2], const double b[2], double r,
                              double out[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    const double square = d[0] * d[0] + d[1] * d[1];
    double t = square > 0.0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double u = p[0] - a[0] - t * d[0], v = p[1] - a[1] - t * d[1],
                 distance = sqrt(u * u + v * v);
    if (distance >= r || distance == 0.0) return;
    out[0] += u / distance * (r - distance);
    out[1] += v / distance * (r - distance);
}

static void push_from_round(const jo_wall *w, int dim, const double x[3], double r, double push[3])
{
    double along = 0.0, square = 0.0, radial[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < dim && dim == 3; a++)
        along += (x[a] - w->point[a]) * w->axis[a];
    for (int a = 0; a < dim; a++) {
        radial[a] = x[a] - w->point[a] - (dim == 3 ? along * w->axis[a] : 0.0);
        square += radial[a] * radial[a];
    }
    const double p[2] = {sqrt(square), along};
    double out[2] = {0.0, 0.0};
    const double end = w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
    if (dim == 2 || isinf(w->length)) {
        out[0] = w->outside ? fmax(w->radius + r - p[0], 0.0) : -fmax(p[0] + r - w->radius, 0.0);
    } else {
        const double near[2] = {w->radius, 0.0}, far[2] = {end, w->length};
        const double near_axis[2] = {0.0, 0.0}, far_axis[2] = {0.0, w->length};
        push_from_segment(p, near, far, r, out);
        if (w->caps) push_from_segment(p, near_axis, near, r, out);
        if (w->caps) push_from_segment(p, far_axis, far, r, out);
    }
    for (int a = 0; a < dim; a++) {
        const double outward = p[0] > 0.0 ? radial[a] / p[0] : 0.0;
        push[a] += outward * out[0] + (dim == 3 ? w->axis[a] * out[1] : 0.0);
    }
}

void jo_wall_push(const jo_wall *w, int dim, const double x[3], double r, double push[3])
{
    double height = 0.0;
    if (w->from > 0.0) return;
    switch (w->kind) {
    case JO_WALL_PLANE:
        for (int a = 0; a < dim; a++)
            height += (x[a] - w->point[a]) * w->normal[a];
        for (int a = 0; a < dim && height < r; a++)
            push[a] += w->normal[a] * (r - height);
        return;
    case JO_WALL_BOX:
        push_from_box(w, dim, x, r, push);
        return;
    case JO_WALL_CYLINDER:
    case JO_WALL_CONE:
        push_from_round(w, dim, x, r, push);
        return;
    case JO_WALL_MESH:
        return;
    }
}

void jo_region_push(const jo_region *g, int dim, const bool open[3], const double x[3], double r,
                    double push[3])
{
    if (g->kind == JO_REGION_BOX) {
        for (int a = 0; a < dim; a++)
            if (!open[a])
                push[a] += fmax(g->lo[a] + r - x[a], 0.0) - fmax(x[a] + r - g->hi[a], 0.0);
        return;
    }
    const bool cylinder = g->kind == JO_REGION_CYLINDER;
    double along = 0.0, square = 0.0, radial[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < dim && cylinder; a++)
        along += (x[a] - g->centre[a]) * g->axis[a];
    for (int a = 0; a < dim; a++) {
        radial[a] = x[a] - g->centre[a] - along * (cylinder ? g->axis[a] : 0.0);
        square += radial[a] * radial[a];
    }
    const double distance = sqrt(square), excess = distance + r - g->radius;
    const double lift = cylinder ? fmax(r - along, 0.0) - fmax(along + r - g->length, 0.0) : 0.0;
    for (int a = 0; a < dim; a++) {
        if (excess > 0.0 && distance > 0.0) push[a] -= radial[a] / distance * excess;
        if (cylinder) push[a] += g->axis[a] * lift;
    }
}
