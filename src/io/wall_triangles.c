/* wall_triangles.c — any wall as triangles, for pictures and ParaView.
 *
 * Planes and endless cylinders are cut to the box the caller gives: a plane is a large square
 * clipped by the six faces (Sutherland and Hodgman), an endless cylinder as long as the box is
 * along its axis. Round walls get 64 facets, whose corners lie on the wall. In 2D a wall is
 * segments, each a triangle whose last two corners are the same. A plane that misses the box gives
 * none.
 *
 * Corners of boxes and caps run counter-clockwise seen from outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "jostle/trajectory.h"

enum { FACETS = 64, CORNERS_MAX = 12 };

typedef struct triangle_list {
    double *data;
    size_t count, room;
} triangle_list;

/* ---- the list ---- */

static void add(triangle_list *list, const double a[3], const double b[3], const double c[3])
{
    JO_ASSERT(list->count < list->room);
    double *to = list->data + 9 * list->count++;
    memcpy(to, a, 3 * sizeof *to);
    memcpy(to + 3, b, 3 * sizeof *to);
    memcpy(to + 6, c, 3 * sizeof *to);
}

static void add_fan(triangle_list *list, double (*corner)[3], size_t corners)
{
    for (size_t k = 2; k < corners; k++)
        add(list, corner[0], corner[k - 1], corner[k]);
}

/* ---- planes ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Two unit vectors that make a right-handed frame with the unit vector n. */
static void frame(const double n[3], double u[3], double v[3])
{
    int thin = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) < fabs(n[thin])) thin = k;
    double e[3] = {0.0, 0.0, 0.0};
    e[thin] = 1.0;
    cross(n, e, u);
    const double length = sqrt(dot(u, u));
    for (int k = 0; k < 3; k++)
        u[k] /= length;
    cross(n, u, v);
}

/* Keeps the part of a polygon where sign (x - limit) <= 0 on an axis; returns its corners. */
static size_t clip(double (*corner)[3], size_t corners, int axis, double sign, double limit)
{
    double kept[CORNERS_MAX][3];
    size_t n = 0;
    for (size_t k = 0; k < corners; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % corners];
        const double from = sign * (a[axis] - limit), to = sign * (b[axis] - limit);
        if (from <= 0.0) memcpy(kept[n++], a, sizeof kept[0]);
        if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0)) {
            const double t = from / (from - to);
            for (int i = 0; i < 3; i++)
                kept[n][i] = a[i] + t * (b[i] - a[i]);
            kept[n++][axis] = limit;
        }
    }
    memcpy(corner, kept, n * sizeof *kept);
    return n;
}

/* The unit vector along v; false if it has none. */
static bool direction(const double v[3], int dim, double out[3])
{
    const double w[3] = {v[0], v[1], dim == 2 ? 0.0 : v[2]};
    const double length = sqrt(dot(w, w));
    for (int k = 0; k < 3; k++)
        out[k] = w[k] / length;
    return length > 0.0 && isfinite(length);
}

static void plane_triangles(const jo_wall *wall, int dim, const double n[3], const double lo[3],
                            const double hi[3], triangle_list *list)
{
    double u[3], v[3], centre[3], size = 0.0, height = 0.0, corner[CORNERS_MAX][3];
    for (int k = 0; k < dim; k++) {
        size += hi[k] - lo[k];
        height += n[k] * (0.5 * (lo[k] + hi[k]) - wall->point[k]);
    }
    for (int k = 0; k < 3; k++)
        centre[k] = k < dim ? 0.5 * (lo[k] + hi[k]) - height * n[k] : 0.0;
    if (dim == 2)
        memcpy(u, (double[3]){-n[1], n[0], 0.0}, sizeof u);
    else
        frame(n, u, v);
    size_t corners = dim == 2 ? 2 : 4;
    for (size_t k = 0; k < corners; k++)
        for (int i = 0; i < 3; i++) {
            const double along = k == 0 || k == 3 ? -size : size;
            corner[k][i] =
                centre[i] + along * u[i] + (dim == 2 ? 0.0 : (k < 2 ? -size : size) * v[i]);
        }
    /* A floor in a face of the box is in the box: rounding must not cut it away. */
    const double slack = 1e-9 * size;
    for (int axis = 0; axis < dim && corners > 0; axis++) {
        corners = clip(corner, corners, axis, -1.0, lo[axis] - slack);
        if (corners > 0) corners = clip(corner, corners, axis, 1.0, hi[axis] + slack);
    }
    if (dim == 3)
        add_fan(list, corner, corners);
    else if (corners >= 2)
        add(list, corner[0], corner[1], corner[1]);
}

/* ---- boxes ---- */

static void box_triangles(const jo_wall *wall, int dim, triangle_list *list)
{
    const double *ends[2] = {wall->lo, wall->hi};
    static const int round[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double corner[5][3] = {{0}};
    for (int k = 0; dim == 2 && k < 4; k++) {
        for (int i = 0; i < 2; i++) {
            corner[0][i] = ends[round[k][i]][i];
            corner[1][i] = ends[round[(k + 1) % 4][i]][i];
        }
        add(list, corner[0], corner[1], corner[1]);
    }
    for (int axis = 0; dim == 3 && axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            const int a = (axis + 1) % 3, b = (axis + 2) % 3;
            for (int k = 0; k < 4; k++) {
                const int *at = round[side ? k : 3 - k];
                corner[k][axis] = ends[side][axis];
                corner[k][a] = ends[at[0]][a];
                corner[k][b] = ends[at[1]][b];
            }
            add_fan(list, corner, 4);
        }
}

/* ---- cylinders and cones ---- */

static void ring_point(const double centre[3], const double u[3], const double v[3], double radius,
                       int k, double out[3])
{
    const double angle = 6.283185307179586476925286766559 * (k % FACETS) / FACETS;
    for (int i = 0; i < 3; i++)
        out[i] = centre[i] + radius * (cos(angle) * u[i] + sin(angle) * v[i]);
}

static void circle_triangles(const jo_wall *wall, triangle_list *list)
{
    const double centre[3] = {wall->point[0], wall->point[1], 0.0};
    for (int k = 0; k < FACETS; k++) {
        double a[3], b[3];
        ring_point(centre, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, wall->radius, k, a);
        ring_point(centre, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, wall->radius, k + 1, b);
        add(list, a, b, b);
    }
}

static void round_triangles(const jo_wall *wall, const double axis[3], const double lo[3],
                            const double hi[3], triangle_list *list)
{
    const double radius[2] = {wall->radius,
                              wall->kind == JO_WALL_CONE ? wall->radius_end : wall->radius};
    double from = 0.0, to = wall->length, end[2][3], u[3], v[3];
    if (isinf(wall->length)) {
        from = to = 0.0;
        for (int k = 0; k < 3; k++) {
            const double a = axis[k] * (lo[k] - wall->point[k]),
                         b = axis[k] * (hi[k] - wall->point[k]);
            from += fmin(a, b);
            to += fmax(a, b);
        }
    }
    for (int i = 0; i < 3; i++) {
        end[0][i] = wall->point[i] + from * axis[i];
        end[1][i] = wall->point[i] + to * axis[i];
    }
    frame(axis, u, v);
    for (int k = 0; k < FACETS; k++) {
        double p[2][2][3];
        for (int e = 0; e < 2; e++)
            for (int j = 0; j < 2; j++)
                ring_point(end[e], u, v, radius[e], k + j, p[e][j]);
        if (radius[0] > 0.0) add(list, p[0][0], p[0][1], p[1][1]);
        if (radius[1] > 0.0) add(list, p[0][0], p[1][1], p[1][0]);
        if (!wall->caps || isinf(wall->length)) continue;
        if (radius[0] > 0.0) add(list, end[0], p[0][1], p[0][0]);
        if (radius[1] > 0.0) add(list, end[1], p[1][0], p[1][1]);
    }
}

/* ---- meshes ---- */

static void mesh_triangles(const jo_wall *wall, int dim, triangle_list *list)
{
    for (size_t f = 0; f < wall->triangle_count; f++) {
        const double *t = wall->triangles + (dim == 3 ? 9 : 4) * f;
        if (dim == 3) {
            add(list, t, t + 3, t + 6);
        } else {
            const double a[3] = {t[0], t[1], 0.0}, b[3] = {t[2], t[3], 0.0};
            add(list, a, b, b);
        }
    }
}

jo_status jo_wall_triangles(const jo_wall *wall, int dim, const double lo[3], const double hi[3],
                            double **triangles, size_t *count, jo_error *error)
{
    *triangles = NULL;
    *count = 0;
    const bool plane = wall->kind == JO_WALL_PLANE, mesh = wall->kind == JO_WALL_MESH;
    const bool round = wall->kind == JO_WALL_CYLINDER || wall->kind == JO_WALL_CONE;
    double axis[3] = {0.0, 0.0, 1.0};
    if ((plane && !direction(wall->normal, dim, axis)) ||
        (round && dim == 3 && !direction(wall->axis, dim, axis)))
        return jo_fail(error, JO_ERR_DATA, "wall '%s': its %s must be a vector that is not zero",
                       wall->name, plane ? "normal" : "axis");
    triangle_list list = {.room = mesh ? wall->triangle_count : 4 * FACETS};
    list.data = malloc((list.room > 0 ? list.room : 1) * 9 * sizeof *list.data);
    if (list.data == NULL)
        return jo_fail_memory(error, list.room * 9 * sizeof *list.data, "a wall's triangles");
    if (plane)
        plane_triangles(wall, dim, axis, lo, hi, &list);
    else if (wall->kind == JO_WALL_BOX)
        box_triangles(wall, dim, &list);
    else if (mesh)
        mesh_triangles(wall, dim, &list);
    else if (dim == 2)
        circle_triangles(wall, &list);
    else
        round_triangles(wall, axis, lo, hi, &list);
    *triangles = list.data;
    *count = list.count;
    return JO_OK;
}
