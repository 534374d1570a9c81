/* group_outlines.c — what bodies of two dimensions look like as polygons: the outline of each body
 * of a group, drawn to its radius and turned.
 *
 * Outlines are made a hair smaller than the radius says, so that bodies whose circles touch do not.
 * Random grains belong to (seed of the group, number of the body) like all that is random. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "jostle/outline.h"
#include "scene/placing.h"

enum { STREAM_TURN = 0x7475726e };
static const double FULL_TURN = 6.283185307179586, SMALLER = 1.0 - 1e-6;

JO_API size_t jo_group_outline_room(const jo_group *group)
{
    const jo_polygon_shape *p = &group->polygon;
    if (p->kind == JO_POLYGON_OUTLINE) return p->count;
    const uint64_t most = p->corners_max > p->corners_min ? p->corners_max : p->corners_min;
    return most < JO_POLYGON_CORNERS_MAX ? (size_t)most : JO_POLYGON_CORNERS_MAX;
}

/* Of any size and place. */
static jo_status draw(const jo_group *g, uint64_t k, double *points, size_t *n, jo_error *error)
{
    const jo_polygon_shape *p = &g->polygon;
    if (p->kind == JO_POLYGON_OUTLINE) {
        *n = p->count;
        memcpy(points, p->points, 2 * p->count * sizeof *points);
        return jo_outline_check(points, *n, error);
    }
    if (p->corners_min < 3 || p->corners_max > JO_POLYGON_CORNERS_MAX)
        return jo_fail(error, JO_ERR_DATA, "polygons of %llu to %llu corners; there can be 3 to %d",
                       (unsigned long long)p->corners_min, (unsigned long long)p->corners_max,
                       JO_POLYGON_CORNERS_MAX);
    if (p->kind == JO_POLYGON_REGULAR) {
        *n = (size_t)p->corners_min;
        return jo_outline_disc(1.0, *n, points, error);
    }
    jo_grain_def def = jo_grain_def_default();
    def.corners_min = (size_t)p->corners_min;
    def.corners_max = (size_t)p->corners_max;
    def.irregularity = p->irregularity;
    def.aspect = p->aspect;
    def.seed = g->seed;
    return jo_outline_grain(&def, k, points, n, error);
}

/* By how much body k is turned. */
static double angle_of(const jo_group *g, uint64_t k)
{
    const double *q = g->orientation;
    if (!isnan(q[0])) return 2.0 * atan2(q[3], q[0]);
    random_stream r = jo_random_start(g->seed ^ STREAM_TURN, k);
    return FULL_TURN * jo_random_uniform(&r);
}

JO_API jo_status jo_group_outline(const jo_group *group, uint64_t k, double radius, double *points,
                                  size_t *n, jo_error *error)
{
    const jo_status status = draw(group, k, points, n, error);
    if (status != JO_OK) return status;
    const jo_outline_mass m = jo_outline_measure(points, *n);
    if (m.clockwise) jo_outline_reverse(points, *n);
    const double scale = radius * SMALLER / m.radius, angle = angle_of(group, k);
    const double c = scale * cos(angle), s = scale * sin(angle);
    for (size_t i = 0; i < *n; i++) {
        const double x = points[2 * i] - m.centre[0], y = points[2 * i + 1] - m.centre[1];
        points[2 * i] = c * x - s * y;
        points[2 * i + 1] = s * x + c * y;
    }
    return JO_OK;
}

jo_status jo_outlines_append(const jo_group *g, size_t before, jo_population *to, jo_error *error)
{
    const size_t start = before > 0 ? to->outline_first[before] : 0, added = to->n - before;
    const jo_population *listed =
        g->kind == JO_GROUP_EXPLICIT && g->listed.outline_first != NULL ? &g->listed : NULL;
    const size_t room =
        start + (listed != NULL ? listed->outline_first[added] : added * jo_group_outline_room(g));
    size_t *first = realloc(to->outline_first, (to->n + 1) * sizeof *first);
    if (first != NULL) to->outline_first = first;
    double *corners = realloc(to->outline, (2 * room + 1) * sizeof *corners);
    if (corners != NULL) to->outline = corners;
    if (first == NULL || corners == NULL)
        return jo_fail_memory(error, 16 * room, "the bodies' outlines");
    first[before] = start;
    for (size_t i = 0; i < added; i++) {
        size_t n = 0;
        double *points = corners + 2 * first[before + i];
        jo_status status = JO_OK;
        if (listed != NULL) {
            const size_t from = listed->outline_first[i];
            n = listed->outline_first[i + 1] - from;
            memcpy(points, listed->outline + 2 * from, 2 * n * sizeof *points);
        } else {
            status = jo_group_outline(g, i, to->r[before + i], points, &n, error);
        }
        if (status != JO_OK) return status;
        first[before + i + 1] = first[before + i] + n;
    }
    return JO_OK;
}
