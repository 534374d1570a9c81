/* poly_hull.c — convex hulls by libqhull.
 *
 * Qhull's reentrant library merges facets that are flat within the rounding of the coordinates and
 * gives polygons; they are handed to poly_build.c, which trusts nothing. Points in one plane are
 * found here before, so that they can be named. Cost: O(n log n). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/poly.h"

#ifdef JO_HAVE_QHULL
#include <libqhull_r/qhull_ra.h>
#endif

/* Flatter than this, relative to the size, no direction of a face can be trusted. */
static const double flatness = 1e-10;

bool jo_hulls_available(void)
{
#ifdef JO_HAVE_QHULL
    return true;
#else
    return false;
#endif
}

/* ---- flat input ---- */

/* The point farthest from the first, from the line through two, from the plane through three: the
 * last distance is how thick the set is. */
static double farthest(const double *points, size_t n, const double *o, double base[3][3], int have,
                       size_t *which)
{
    double best = -1.0;
    for (size_t i = 0; i < n; i++) {
        double d[3], length = 0.0;
        for (int k = 0; k < 3; k++)
            d[k] = points[3 * i + (size_t)k] - o[k];
        for (int j = 0; j < have; j++) {
            const double along = d[0] * base[j][0] + d[1] * base[j][1] + d[2] * base[j][2];
            for (int k = 0; k < 3; k++)
                d[k] -= along * base[j][k];
        }
        length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (length <= best) continue;
        best = length;
        *which = i;
        for (int k = 0; k < 3; k++)
            base[have][k] = length > 0.0 ? d[k] / length : 0.0;
    }
    return best;
}

static jo_status check_thickness(const double *points, size_t n, const char *name, double size,
                                 jo_error *error)
{
    static const char *const flat[3] = {"in one place", "on one line", "in one plane"};
    double base[3][3];
    size_t which = 0;
    for (int have = 0; have < 3; have++) {
        const double thickness = farthest(points, n, points, base, have, &which);
        if (thickness <= flatness * size)
            return jo_fail(error, JO_ERR_DATA,
                           "%.200s%sthe points are flat: all %zu lie %s (within %.3g of a size of "
                           "%.3g); a polyhedron needs a volume",
                           name ? name : "", name ? ": " : "", n, flat[have], thickness, size);
    }
    return JO_OK;
}

#ifdef JO_HAVE_QHULL
/* ---- the hull ---- */

typedef struct faces {
    size_t *offset, count;
    uint32_t *corner, corners;
    uint32_t *number; /* of each point: its number among the vertices; UINT32_MAX: none */
    double *points;   /* of the vertices */
    size_t vertices;
} faces;

static void faces_free(faces *f)
{
    free(f->offset);
    free(f->corner);
    free(f->number);
    free(f->points);
}

/* The corners of a facet in order, counter-clockwise seen from outside. */
static void take_facet(qhT *qh, facetT *facet, const double *points, faces *out)
{
    vertexT *vertex, **vertexp;
    setT *corners = qh_facet3vertex(qh, facet);
    /* It orders by the facet's orientation in qhull's sense: clockwise for counter-clockwise. */
    const size_t begin = out->corners;
    FOREACHvertex_(corners)
    {
        const int id = qh_pointid(qh, vertex->point);
        if (out->number[id] == UINT32_MAX) {
            memcpy(out->points + 3 * out->vertices, points + 3 * (size_t)id, 3 * sizeof(double));
            out->number[id] = (uint32_t)out->vertices++;
        }
        out->corner[out->corners++] = out->number[id];
    }
    qh_settempfree(qh, &corners);
    /* Whatever the convention, the plane tells which way around is right. */
    double n[3] = {0};
    const double *o = out->points + 3 * (size_t)out->corner[begin];
    for (size_t k = begin + 1; k + 1 < out->corners; k++) {
        const double *p = out->points + 3 * (size_t)out->corner[k];
        const double *q = out->points + 3 * (size_t)out->corner[k + 1];
        const double a[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
        const double b[3] = {q[0] - o[0], q[1] - o[1], q[2] - o[2]};
        n[0] += a[1] * b[2] - a[2] * b[1];
        n[1] += a[2] * b[0] - a[0] * b[2];
        n[2] += a[0] * b[1] - a[1] * b[0];
    }
    const double *out_normal = facet->normal;
    if (n[0] * out_normal[0] + n[1] * out_normal[1] + n[2] * out_normal[2] < 0.0)
        for (size_t i = begin, j = out->corners - 1; i < j; i++, j--) {
            const uint32_t keep = out->corner[i];
            out->corner[i] = out->corner[j];
            out->corner[j] = keep;
        }
    out->offset[++out->count] = out->corners;
}

static jo_status take_hull(qhT *qh, const double *points, size_t n, faces *out, jo_error *error)
{
    facetT *facet;
    size_t count = 0, corners = 0;
    FORALLfacets
    {
        count++;
        corners += (size_t)qh_setsize(qh, facet->vertices);
    }
    *out = (faces){.offset = malloc((count + 1) * sizeof *out->offset),
                   .corner = malloc((corners + 1) * sizeof *out->corner),
                   .number = malloc(n * sizeof *out->number),
                   .points = malloc(3 * n * sizeof *out->points)};
    if (!out->offset || !out->corner || !out->number || !out->points)
        return jo_fail_memory(error, corners * 8, "a hull");
    memset(out->number, 0xff, n * sizeof *out->number);
    out->offset[0] = 0;
    FORALLfacets take_facet(qh, facet, points, out);
    return JO_OK;
}

/* Runs qhull with its words sent nowhere: the library never prints. */
static jo_status run_qhull(double *points, size_t n, const char *name, faces *out, jo_error *error)
{
    char command[] = "qhull Pp";
    FILE *nowhere = fopen("/dev/null", "w");
    qhT *qh = calloc(1, sizeof *qh);
    if (nowhere == NULL || qh == NULL) {
        if (nowhere != NULL) fclose(nowhere);
        free(qh);
        return jo_fail_memory(error, sizeof *qh, "qhull");
    }
    qh_zero(qh, nowhere);
    const int code = qh_new_qhull(qh, 3, (int)n, points, False, command, nowhere, nowhere);
    jo_status status;
    if (code == 0)
        status = take_hull(qh, points, n, out, error);
    else if (code == qh_ERRmem)
        status = jo_fail_memory(error, n * 100, "qhull");
    else
        status = jo_fail(error, JO_ERR_DATA,
                         "%.200s%sno hull was found for the %zu points (qhull's code %d): they are "
                         "too nearly flat",
                         name ? name : "", name ? ": " : "", n, code);
    int left, bytes;
    qh_freeqhull(qh, qh_ALL);
    qh_memfreeshort(qh, &left, &bytes);
    free(qh);
    fclose(nowhere);
    return status;
}

static jo_status hull(const double *points, size_t n, const char *name, jo_polyhedron **shape,
                      jo_error *error)
{
    faces f = {0};
    double *copy = malloc(3 * n * sizeof *copy); /* qhull's interface takes no const */
    if (copy == NULL) return jo_fail_memory(error, 24 * n, "points");
    memcpy(copy, points, 3 * n * sizeof *copy);
    jo_status status = run_qhull(copy, n, name, &f, error);
    if (status == JO_OK) {
        const poly_surface s = {.points = f.points,
                                .n = f.vertices,
                                .offset = f.offset,
                                .corner = f.corner,
                                .faces = f.count,
                                .name = name,
                                .unnumbered = true,
                                .slack = 1e-12};
        status = jo_poly_make(&s, shape, error);
    }
    faces_free(&f);
    free(copy);
    return status;
}
#else
static jo_status hull(const double *points, size_t n, const char *name, jo_polyhedron **shape,
                      jo_error *error)
{
    (void)points, (void)n, (void)name, (void)shape;
    return jo_fail(
        error, JO_ERR_UNSUPPORTED,
        "this build of jostle makes no convex hulls: it was built without libqhull; give "
        "the faces, too");
}
#endif

jo_status jo_poly_hull(const poly_surface *s, jo_polyhedron **shape, jo_error *error)
{
    const char *name = s->name;
    double size;
    *shape = NULL;
    if (s->n < 4)
        return jo_fail(error, JO_ERR_DATA, "%.200s%s%zu points; a polyhedron has at least four",
                       name ? name : "", name ? ": " : "", s->n);
    if (s->n > JO_POLYHEDRON_EDGES_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "a hull of at most %zu points is possible, not of %zu",
                       JO_POLYHEDRON_EDGES_MAX, s->n);
    jo_status status = jo_poly_size(s, &size, error);
    if (status == JO_OK) status = jo_poly_distinct(s, error);
    if (status == JO_OK) status = check_thickness(s->points, s->n, name, size, error);
    return status == JO_OK ? hull(s->points, s->n, name, shape, error) : status;
}

jo_status jo_polyhedron_from_points(const double *points, size_t n, jo_polyhedron **shape,
                                    jo_error *error)
{
    *shape = NULL;
    if (points == NULL) return jo_fail_missing(error, "the points");
    const poly_surface s = {.points = points, .n = n};
    return jo_poly_hull(&s, shape, error);
}
