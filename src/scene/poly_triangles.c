/* poly_triangles.c — polyhedra from triangles, as files have them.
 *
 * Corners in one place are joined, and the surface goes through all checks (poly_build.c). Files
 * round their coordinates, though, each corner for itself, and programs that draw leave slivers and
 * edges that end in the middle of others. What all these leave as it was is the body. So a surface
 * that fails a check is compared with the hull of its corners: where its triangles lie in the
 * hull's surface and cover it, all within the rounding, the hull is what was meant.
 *
 * No triangle is deeper inside the hull than three times its corners and its middle: depth is
 * concave on it. That they cover the surface, once and the right side out, is shown by sums: their
 * area is the hull's, their area vectors add up to nothing, and what they enclose is its volume.
 * Cost: O(n log n); how deep a corner is, the face of the hull above it tells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/poly.h"

/* What files round, relative to the size of the body. */
static const double rounding = 1e-6;

/* What of a surface may be missing, or there twice: cracks that are no wider than that. */
static const double covered = 1e-5;

typedef struct place {
    double along; /* what it is sorted by, or not used */
    const double *x;
    size_t corner;
} place;

static int by_coordinates(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return p->corner < q->corner ? -1 : p->corner > q->corner;
}

static int by_height(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->along != q->along) return p->along < q->along ? -1 : 1;
    return p->corner < q->corner ? -1 : p->corner > q->corner;
}

/* Corners in one place become one point. Returns the number of points. */
static size_t weld(const double *triangles, size_t corners, place *order, double *points,
                   uint32_t *corner)
{
    size_t n = 0;
    for (size_t k = 0; k < corners; k++)
        order[k] = (place){.x = triangles + 3 * k, .corner = k};
    qsort(order, corners, sizeof *order, by_coordinates);
    for (size_t k = 0; k < corners; k++) {
        const double *x = order[k].x;
        const double *last = n > 0 ? points + 3 * (n - 1) : NULL;
        if (last == NULL || x[0] != last[0] || x[1] != last[1] || x[2] != last[2])
            memcpy(points + 3 * n++, x, 3 * sizeof *points);
        corner[order[k].corner] = (uint32_t)(n - 1);
    }
    return n;
}

static double square_between(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Copies those points that are farther than `within` from all that were copied before. They are
 * sorted along a direction square to no face that bodies have, so that few are level. */
static size_t thin_out(const double *points, size_t n, double within, place *order, double *out)
{
    static const double up[3] = {0.4242640687, 0.5477225575, 0.7211102551};
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        const double *x = points + 3 * k;
        order[k] = (place){up[0] * x[0] + up[1] * x[1] + up[2] * x[2], x, k};
    }
    qsort(order, n, sizeof *order, by_height);
    for (size_t k = 0; k < n; k++) {
        const place here = order[k];
        bool near = false;
        for (size_t j = kept; j-- > 0 && !near && here.along - order[j].along <= 1.01 * within;)
            near = square_between(order[j].x, here.x) <= within * within;
        if (near) continue;
        memcpy(out + 3 * kept, here.x, 3 * sizeof *out);
        order[kept++] = here;
    }
    return kept;
}

/* ---- a surface and its hull ---- */

static double below(const jo_polyhedron *p, uint32_t face, const double x[3])
{
    const double *plane = p->planes + 4 * (size_t)face;
    return plane[3] - (plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2]);
}

/* Whether x, within the body, is no deeper than `depth`: it may be below *face, that of the point
 * before. Else faces are climbed to the one through which the ray from the centre leaves; that or
 * one beside it is the nearest to a point that is hardly inside. */
static bool is_at_surface(const jo_polyhedron *p, const double x[3], double depth, uint32_t *face)
{
    if (below(p, *face, x) <= depth) return true;
    *face = p->face[p->first[poly_support(p, x)]];
    for (;;) {
        double lowest = below(p, *face, x) / p->planes[4 * (size_t)*face + 3];
        uint32_t best = *face, h = p->face_edge[*face];
        if (below(p, *face, x) <= depth) return true;
        do {
            const uint32_t g = p->face[p->twin[h]];
            const double share = below(p, g, x) / p->planes[4 * (size_t)g + 3];
            if (share < lowest) {
                lowest = share;
                best = g;
            }
            if (below(p, g, x) <= depth) {
                *face = g;
                return true;
            }
            h = p->next[h];
        } while (h != p->face_edge[*face]);
        if (best == *face) return false;
        *face = best;
    }
}

/* What triangles add up to, seen from the origin. */
typedef struct sums {
    double volume, area, vector[3];
} sums;

static void add_up(const double t[3][3], sums *sum)
{
    const double u[3] = {t[1][0] - t[0][0], t[1][1] - t[0][1], t[1][2] - t[0][2]};
    const double w[3] = {t[2][0] - t[0][0], t[2][1] - t[0][1], t[2][2] - t[0][2]};
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double area = 0.5 * (u[i] * w[j] - u[j] * w[i]);
        sum->vector[k] += area;
        sum->volume += area * t[0][k] / 3.0;
        square += area * area;
    }
    sum->area += sqrt(square);
}

/* Whether the triangles are the hull's surface but for so much. */
static bool is_its_hull(const double *triangles, size_t count, const jo_polyhedron *hull,
                        double slack)
{
    sums sum = {0.0, 0.0, {0.0, 0.0, 0.0}};
    uint32_t face = 0;
    for (size_t k = 0; k < count; k++) {
        double t[3][3], middle[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++) {
                t[c][a] = triangles[9 * k + (size_t)(3 * c + a)] - hull->centre[a];
                middle[a] += t[c][a] / 3.0;
            }
        bool at_surface = is_at_surface(hull, middle, slack, &face);
        for (int c = 0; c < 3 && at_surface; c++)
            at_surface = is_at_surface(hull, t[c], slack, &face);
        if (!at_surface) return false;
        add_up((const double(*)[3])t, &sum);
    }
    const double open = sqrt(square_between(sum.vector, (const double[3]){0.0, 0.0, 0.0}));
    return open <= covered * hull->area && fabs(sum.area - hull->area) <= covered * hull->area &&
           fabs(sum.volume - hull->volume) <= fmin(4.0 * slack * hull->area, 0.01 * hull->volume);
}

/* ---- polyhedra ---- */

/* Triangles with their corners joined, and room to work. */
typedef struct welded {
    place *order;
    double *points, *spare;
    uint32_t *corner;
    size_t *offset, n;
} welded;

static void welded_free(welded *w)
{
    free(w->order);
    free(w->points);
    free(w->spare);
    free(w->corner);
    free(w->offset);
}

static jo_status weld_all(const double *triangles, size_t count, welded *w, jo_error *error)
{
    const size_t corners = 3 * count;
    *w = (welded){.order = NULL};
    if (triangles == NULL && count > 0) return jo_fail_missing(error, "the triangles");
    if (count > JO_POLYHEDRON_EDGES_MAX / 3)
        return jo_fail(error, JO_ERR_LIMIT, "a polyhedron may have %zu triangles, not %zu",
                       JO_POLYHEDRON_EDGES_MAX / 3, count);
    w->order = malloc((corners + 1) * sizeof *w->order);
    w->points = malloc((corners + 1) * 3 * sizeof *w->points);
    w->spare = malloc((corners + 1) * 3 * sizeof *w->spare);
    w->corner = malloc((corners + 1) * sizeof *w->corner);
    w->offset = malloc((count + 1) * sizeof *w->offset);
    if (!w->order || !w->points || !w->spare || !w->corner || !w->offset)
        return jo_fail_memory(error, corners * 24, "triangles");
    w->n = weld(triangles, corners, w->order, w->points, w->corner);
    for (size_t k = 0; k <= count; k++)
        w->offset[k] = 3 * k;
    return JO_OK;
}

/* The hull of the points, those within the rounding being one; *size is theirs. */
static jo_status hull_of(welded *w, const char *name, double *size, jo_polyhedron **shape,
                         jo_error *error)
{
    poly_surface s = {.points = w->points, .n = w->n, .name = name, .unnumbered = true};
    const jo_status status = jo_poly_size(&s, size, error);
    if (status != JO_OK) return status;
    s.n = thin_out(w->points, w->n, rounding * *size, w->order, w->spare);
    s.points = w->spare;
    return jo_poly_hull(&s, shape, error);
}

/* The hull of a surface that is one but for rounding; else JO_ERR_DATA. */
static jo_status hull_instead(const double *triangles, size_t count, welded *w,
                              jo_polyhedron **shape, jo_error *error)
{
    double size;
    jo_status status = hull_of(w, NULL, &size, shape, error);
    /* Points that were joined may have been moved by as much. */
    if (status == JO_OK && !is_its_hull(triangles, count, *shape, 2.0 * rounding * size))
        status = JO_ERR_DATA;
    if (status != JO_OK) {
        jo_polyhedron_destroy(*shape);
        *shape = NULL;
    }
    return status;
}

jo_status jo_polyhedron_from_triangles(const double *triangles, size_t count, const char *name,
                                       jo_polyhedron **shape, jo_error *error)
{
    welded w;
    jo_error first;
    *shape = NULL;
    jo_status status = weld_all(triangles, count, &w, &first);
    if (status == JO_OK) {
        const poly_surface s = {.points = w.points,
                                .n = w.n,
                                .offset = w.offset,
                                .corner = w.corner,
                                .faces = count,
                                .name = name,
                                .unnumbered = true,
                                .slack = 1e-12};
        status = jo_poly_make(&s, shape, &first);
        if (status == JO_ERR_DATA) {
            jo_error second;
            const jo_status other = hull_instead(triangles, count, &w, shape, &second);
            if (other == JO_ERR_MEMORY) first = second;
            if (other == JO_ERR_MEMORY || other == JO_OK) status = other;
        }
    }
    welded_free(&w);
    if (status != JO_OK && error != NULL) *error = first;
    return status;
}

jo_status jo_poly_hull_of_triangles(const double *triangles, size_t count, const char *name,
                                    jo_polyhedron **shape, jo_error *error)
{
    welded w;
    double size;
    *shape = NULL;
    jo_status status = weld_all(triangles, count, &w, error);
    if (status == JO_OK) status = hull_of(&w, name, &size, shape, error);
    welded_free(&w);
    return status;
}
