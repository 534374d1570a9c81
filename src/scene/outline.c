/* outline.c — simple polygons: are they simple, what do they weigh, grains at random.
 *
 * Edges are sorted by their left ends; each is compared with those that begin before it ends, by
 * exact predicates. Neighbours share a corner and may share no more: they do not where the corner
 * turns, or goes straight on. Moments are sums over triangles from the first corner.
 *
 * Grains use sine and cosine of their own, from basic arithmetic alone, so that a seed gives the
 * same grain whatever the mathematical library. */
#include "jostle/outline.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/orient.h"
#include "base/random.h"

enum { CORNERS_MAX = 100000 };

/* ---- checks ---- */

typedef struct span {
    double lo, hi; /* in x */
    size_t edge;
} span;

static int by_left_end(const void *a, const void *b)
{
    const span *p = a, *q = b;
    if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
    return p->edge < q->edge ? -1 : p->edge > q->edge;
}

static jo_status check_corners(const double *p, size_t n, jo_error *error)
{
    if (n < 3) return jo_fail(error, JO_ERR_DATA, "%zu corners; a polygon has at least three", n);
    if (n > JO_OUTLINE_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "a polygon has at most %zu corners, not %zu",
                       JO_OUTLINE_MAX, n);
    for (size_t k = 0; k < 2 * n; k++)
        if (!(fabs(p[k]) <= 1e100))
            return jo_fail(error, JO_ERR_DATA,
                           "corner %zu has the coordinate %g; it must be finite, at most 1e100",
                           k / 2, p[k]);
    for (size_t k = 0; k < n; k++) {
        const double *a = p + 2 * k, *b = p + 2 * ((k + 1) % n);
        if (a[0] == b[0] && a[1] == b[1])
            return jo_fail(error, JO_ERR_DATA, "corners %zu and %zu are both at (%g, %g)", k,
                           (k + 1) % n, a[0], a[1]);
    }
    return JO_OK;
}

/* Does the outline go back the way it came at corner b? */
static bool turns_back(const double a[2], const double b[2], const double c[2])
{
    return jo_orient(a, b, c) == 0.0 &&
           (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0.0;
}

static jo_status compare(const double *p, size_t n, size_t i, size_t j, jo_error *error)
{
    const double *a = p + 2 * i, *b = p + 2 * ((i + 1) % n);
    const double *c = p + 2 * j, *d = p + 2 * ((j + 1) % n);
    if ((i + 1) % n == j || (j + 1) % n == i) return JO_OK;
    if (fmin(a[1], b[1]) > fmax(c[1], d[1]) || fmin(c[1], d[1]) > fmax(a[1], b[1])) return JO_OK;
    if (!jo_segments_meet(a, b, c, d)) return JO_OK;
    const size_t first = i < j ? i : j, second = i < j ? j : i;
    return jo_fail(
        error, JO_ERR_DATA,
        "the polygon crosses or touches itself: the edge from corner %zu to %zu meets that "
        "from corner %zu to %zu",
        first, (first + 1) % n, second, (second + 1) % n);
}

static jo_status check_edges(const double *p, size_t n, jo_error *error)
{
    jo_status status = JO_OK;
    span *all = malloc(n * sizeof *all);
    if (all == NULL) return jo_fail_memory(error, n * sizeof *all, "a polygon's edges");
    for (size_t k = 0; k < n; k++) {
        const double x = p[2 * k], y = p[2 * ((k + 1) % n)];
        all[k] = (span){fmin(x, y), fmax(x, y), k};
    }
    qsort(all, n, sizeof *all, by_left_end);
    for (size_t i = 0; i < n && status == JO_OK; i++)
        for (size_t j = i + 1; j < n && all[j].lo <= all[i].hi && status == JO_OK; j++)
            status = compare(p, n, all[i].edge, all[j].edge, error);
    free(all);
    return status;
}

jo_status jo_outline_check(const double *points, size_t n, jo_error *error)
{
    jo_status status = check_corners(points, n, error);
    if (status != JO_OK) return status;
    bool turns = false;
    for (size_t k = 0; k < n && !turns; k++)
        turns = jo_orient(points, points + 2, points + 2 * k) != 0.0;
    if (!turns)
        return jo_fail(error, JO_ERR_DATA, "the polygon has no area: its corners lie on one line");
    for (size_t k = 0; k < n; k++)
        if (turns_back(points + 2 * ((k + n - 1) % n), points + 2 * k, points + 2 * ((k + 1) % n)))
            return jo_fail(error, JO_ERR_DATA,
                           "the polygon goes back the way it came at corner %zu", k);
    status = check_edges(points, n, error);
    if (status == JO_OK && !(jo_outline_measure(points, n).area > 0.0))
        status = jo_fail(error, JO_ERR_DATA, "the polygon has no area");
    return status;
}

/* ---- mass ---- */

jo_outline_mass jo_outline_measure(const double *points, size_t n)
{
    double area = 0.0, x = 0.0, y = 0.0, second = 0.0;
    size_t left = 0, right = 0;
    const double *o = points;
    for (size_t k = 0; k < n; k++) {
        const double *p = points + 2 * k, *q = points + 2 * ((k + 1) % n);
        const double ax = p[0] - o[0], ay = p[1] - o[1], bx = q[0] - o[0], by = q[1] - o[1];
        const double c = ax * by - ay * bx;
        area += 0.5 * c;
        x += c * (ax + bx) / 6.0;
        y += c * (ay + by) / 6.0;
        second += c * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by) / 12.0;
        const double turn = jo_orient(p, q, points + 2 * ((k + 2) % n));
        left += turn > 0.0;
        right += turn < 0.0;
    }
    x /= area;
    y /= area;
    jo_outline_mass m = {.area = fabs(area),
                         .centre = {o[0] + x, o[1] + y},
                         .inertia = fabs(second - area * (x * x + y * y)),
                         .clockwise = area < 0.0,
                         .convex = left == 0 || right == 0};
    for (size_t k = 0; k < n; k++)
        m.radius =
            fmax(m.radius, hypot(points[2 * k] - m.centre[0], points[2 * k + 1] - m.centre[1]));
    return m;
}

void jo_outline_reverse(double *points, size_t n)
{
    for (size_t i = 1, j = n - 1; i < j; i++, j--)
        for (int k = 0; k < 2; k++) {
            const double keep = points[2 * i + k];
            points[2 * i + k] = points[2 * j + k];
            points[2 * j + k] = keep;
        }
}

/* ---- grains ---- */

/* Cosine and sine of a part of the full turn, from basic arithmetic. */
static void turn_by(double part, double out[2])
{
    part -= floor(part);
    const int eighths = (int)floor(8.0 * part + 0.5), quarter = (eighths + 1) / 2 % 4;
    const double rest = part - 0.25 * ((eighths + 1) / 2); /* in [-3/16, 3/16] */
    const double a = 6.283185307179586 * rest, a2 = a * a;
    double c = 0.0, s = 0.0;
    for (int k = 26; k > 0; k -= 2) {
        c = 1.0 - c * a2 / (k * (k - 1));
        s = 1.0 - s * a2 / (k * (k + 1));
    }
    s *= a;
    out[0] = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    out[1] = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

jo_grain_def jo_grain_def_default(void)
{
    return (jo_grain_def){.radius = {.kind = JO_SIZE_FIXED, .a = 1.0},
                          .corners_min = 5,
                          .corners_max = 8,
                          .irregularity = 0.6,
                          .aspect = 1.0,
                          .seed = 1};
}

static jo_status check_grain(const jo_grain_def *d, double radius, jo_error *error)
{
    if (d->corners_min < 3 || d->corners_max < d->corners_min || d->corners_max > CORNERS_MAX)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "grains with %zu to %zu corners; the numbers must be from 3 to %d, in order",
                       d->corners_min, d->corners_max, CORNERS_MAX);
    if (!(d->irregularity >= 0.0 && d->irregularity < 1.0))
        return jo_fail(error, JO_ERR_ARGUMENT, "irregularity %g; it must be from 0 to below 1",
                       d->irregularity);
    if (!(d->aspect >= 1.0 && d->aspect <= 1e3))
        return jo_fail(error, JO_ERR_ARGUMENT, "aspect %g; it must be from 1 to 1000", d->aspect);
    if (!(radius > 0.0 && radius <= 1e100))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "a grain of radius %g; it must be above 0 and finite", radius);
    return JO_OK;
}

jo_status jo_outline_grain(const jo_grain_def *def, uint64_t index, double *points, size_t *n,
                           jo_error *error)
{
    const double radius = jo_sizes_draw(&def->radius, def->seed, index);
    const jo_status status = check_grain(def, radius, error);
    if (status != JO_OK) return status;
    random_stream r = jo_random_start(~def->seed, index);
    const double choices = (double)(def->corners_max - def->corners_min + 1);
    const size_t count = def->corners_min + (size_t)(choices * jo_random_uniform(&r));
    const double phase = jo_random_uniform(&r), stretch = sqrt(def->aspect);
    double axis[2], corner[2];
    turn_by(jo_random_uniform(&r), axis);
    for (size_t k = 0; k < count; k++) {
        const double moved = def->irregularity * (jo_random_uniform(&r) - 0.5);
        turn_by(phase + ((double)k + moved) / (double)count, corner);
        const double x = radius * stretch * corner[0], y = radius / stretch * corner[1];
        points[2 * k] = axis[0] * x - axis[1] * y;
        points[2 * k + 1] = axis[1] * x + axis[0] * y;
    }
    const jo_outline_mass m = jo_outline_measure(points, count);
    for (size_t k = 0; k < 2 * count; k++)
        points[k] -= m.centre[k % 2];
    *n = count;
    return JO_OK;
}

jo_status jo_outline_disc(double radius, size_t sides, double *points, jo_error *error)
{
    if (!(radius > 0.0 && radius <= 1e100))
        return jo_fail(error, JO_ERR_ARGUMENT, "a disc of radius %g; it must be above 0 and finite",
                       radius);
    if (sides < 3 || sides > CORNERS_MAX)
        return jo_fail(error, JO_ERR_ARGUMENT, "a disc of %zu sides; it must be from 3 to %d",
                       sides, CORNERS_MAX);
    double step[2];
    turn_by(1.0 / (double)sides, step);
    const double area = 0.5 * (double)sides * step[1];
    const double out = radius * sqrt(3.141592653589793 / area);
    for (size_t k = 0; k < sides; k++) {
        turn_by((double)k / (double)sides, points + 2 * k);
        points[2 * k] *= out;
        points[2 * k + 1] *= out;
    }
    return JO_OK;
}
