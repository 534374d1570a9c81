/* polygon.c — convex polygons: checks, area, centre and inertia, the lines of their edges.
 *
 * A boundary whose corners all turn left and which turns by 2 pi in all is that of a convex
 * polygon. Corners that turn by less than rounding are left out. Moments are sums over triangles,
 * taken about a corner to find the centre and then about the centre. Cost: O(n). */
#include "scene/polygon.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum { CORNERS_MAX = 1 << 24 };

static double cross2(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

/* How far c is to the left of the line from a to b. */
static double left_of(const double a[2], const double b[2], const double c[2])
{
    return cross2(a, b, c) / hypot(b[0] - a[0], b[1] - a[1]);
}

static jo_status check_points(const double *p, size_t n, double *size, jo_error *error)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    if (n < 3) return jo_fail(error, JO_ERR_DATA, "%zu corners; a polygon has at least three", n);
    if (n > CORNERS_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "a polygon has at most %d corners, not %zu",
                       CORNERS_MAX, n);
    for (size_t k = 0; k < 2 * n; k++) {
        if (!(fabs(p[k]) <= 1e100))
            return jo_fail(error, JO_ERR_DATA,
                           "corner %zu has the coordinate %g; it must be finite", k / 2, p[k]);
        lo[k % 2] = fmin(lo[k % 2], p[k]);
        hi[k % 2] = fmax(hi[k % 2], p[k]);
    }
    *size = hypot(hi[0] - lo[0], hi[1] - lo[1]);
    for (size_t k = 0; k < n; k++) {
        const double *a = p + 2 * k, *b = p + 2 * ((k + 1) % n);
        if (a[0] == b[0] && a[1] == b[1])
            return jo_fail(error, JO_ERR_DATA, "corners %zu and %zu are both at (%g, %g)", k,
                           (k + 1) % n, a[0], a[1]);
    }
    return JO_OK;
}

/* Copies the corners that turn; *turned is the sum of all turns. */
static jo_status keep_corners(const double *p, size_t n, double size, double *out, size_t *kept,
                              double *turned, jo_error *error)
{
    *kept = 0;
    *turned = 0.0;
    for (size_t k = 0; k < n; k++) {
        const double *a = p + 2 * ((k + n - 1) % n), *b = p + 2 * k, *c = p + 2 * ((k + 1) % n);
        const double left = left_of(a, b, c);
        const double ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
        *turned += atan2(cross2(a, b, c), ahead);
        if (left < -1e-12 * size)
            return jo_fail(error, JO_ERR_DATA,
                           "the polygon turns right at corner %zu: it is not convex there, or its "
                           "corners go clockwise",
                           k);
        if (left <= 1e-12 * size && ahead > 0.0) continue;
        out[2 * *kept] = b[0];
        out[2 * (*kept)++ + 1] = b[1];
    }
    return JO_OK;
}

static void moments(const jo_polygon *p, double *area, double first[2], double *second)
{
    *area = first[0] = first[1] = *second = 0.0;
    for (size_t k = 0; k < p->n; k++) {
        const double *a = p->points + 2 * k, *b = p->points + 2 * ((k + 1) % p->n);
        const double c = a[0] * b[1] - a[1] * b[0];
        *area += 0.5 * c;
        first[0] += c * (a[0] + b[0]) / 6.0;
        first[1] += c * (a[1] + b[1]) / 6.0;
        const double squares =
            a[0] * a[0] + a[0] * b[0] + b[0] * b[0] + a[1] * a[1] + a[1] * b[1] + b[1] * b[1];
        *second += c * squares / 12.0;
    }
}

static void shift(jo_polygon *p, double x, double y)
{
    for (size_t k = 0; k < p->n; k++) {
        p->points[2 * k] -= x;
        p->points[2 * k + 1] -= y;
    }
    p->centre[0] += x;
    p->centre[1] += y;
}

static bool finish(jo_polygon *p)
{
    double first[2];
    shift(p, p->points[0], p->points[1]);
    moments(p, &p->area, first, &p->inertia);
    if (!(p->area > 0.0)) return false;
    shift(p, first[0] / p->area, first[1] / p->area);
    moments(p, &p->area, first, &p->inertia);
    p->inradius = INFINITY;
    for (size_t k = 0; k < p->n; k++) {
        const double *a = p->points + 2 * k, *b = p->points + 2 * ((k + 1) % p->n);
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        double *line = p->lines + 3 * k;
        line[0] = (b[1] - a[1]) / length;
        line[1] = -(b[0] - a[0]) / length;
        line[2] = line[0] * a[0] + line[1] * a[1];
        p->inradius = fmin(p->inradius, line[2]);
        p->radius = fmax(p->radius, hypot(a[0], a[1]));
    }
    return p->inradius > 0.0;
}

jo_status jo_polygon_create(const double *points, size_t n, jo_polygon **shape, jo_error *error)
{
    double size = 0.0, turned = 0.0;
    *shape = NULL;
    if (points == NULL) return jo_fail_missing(error, "the points");
    jo_status status = check_points(points, n, &size, error);
    if (status != JO_OK) return status;
    jo_polygon *p = calloc(1, sizeof *p);
    if (p != NULL) p->points = malloc(2 * n * sizeof *p->points);
    if (p != NULL) p->lines = malloc(3 * n * sizeof *p->lines);
    if (p == NULL || p->points == NULL || p->lines == NULL)
        status = jo_fail_memory(error, 40 * n, "a polygon");
    if (status == JO_OK) status = keep_corners(points, n, size, p->points, &p->n, &turned, error);
    if (status == JO_OK && (p->n < 3 || !(fabs(turned) > 1.0)))
        status =
            jo_fail(error, JO_ERR_DATA, "the polygon has no area: its corners lie on one line");
    if (status == JO_OK && !(fabs(turned - 6.283185307179586) < 1e-6))
        status = jo_fail(error, JO_ERR_DATA,
                         "the polygon is not convex: its boundary goes around %.3g times, not once",
                         turned / 6.283185307179586);
    if (status == JO_OK && !finish(p))
        status = jo_fail(error, JO_ERR_DATA, "the polygon has no area");
    if (status != JO_OK) {
        jo_polygon_destroy(p);
        return status;
    }
    *shape = p;
    return JO_OK;
}

void jo_polygon_destroy(jo_polygon *shape)
{
    if (shape == NULL) return;
    free(shape->points);
    free(shape->lines);
    free(shape);
}

jo_polygon_view jo_polygon_look(const jo_polygon *p)
{
    return (jo_polygon_view){.n = p->n,
                             .points = p->points,
                             .lines = p->lines,
                             .origin_moved = {p->centre[0], p->centre[1]},
                             .area = p->area,
                             .inertia = p->inertia,
                             .radius = p->radius,
                             .inradius = p->inradius};
}
