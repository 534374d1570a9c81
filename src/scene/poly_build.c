/* poly_build.c — a convex polyhedron from points and faces: checks, merging, half-edges.
 *
 * Method: every corner of a face is a half-edge; sorting them by their two ends pairs them. A
 * closed surface of one piece (Euler: V - E + F = 2) whose every edge is convex, and which seen
 * from inside covers the sphere of directions exactly once, is the boundary of a convex body: so
 * all checks are local or sums, O(n log n) in all, and 10^5 faces are no matter. What lies within
 * `slack` of the body's size counts as flat: neighbours that flat to each other are merged by
 * union-find, their outline is traced, vertices left with two edges disappear, and the result is
 * checked anew.
 *
 * Invariants: a polyhedron that leaves here has convex faces of at least three corners, no two
 * neighbours in one plane, at least three edges at each vertex, and half-edges sorted by origin. */
#include "scene/poly.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { PASSES_MAX = 4, SMALL = 256 };

/* Lengths whose fifth power, of which inertia is, is a number. */
static const double largest = 1e60, smallest = 1e-60;

/* Thinner bodies than this, relative to their size, leave queries too few digits. */
static const double thinnest = 1e-6;

/* A surface with its half-edges, numbered as its corners are. */
typedef struct links {
    size_t n; /* half-edges */
    uint32_t *face, *twin;
    uint32_t *group; /* of each face: the face that stands for all that are merged with it */
    double *planes;  /* 4 for each face */
    /* Half-edges that leave each point, interior ones of merged faces not counted. */
    uint32_t *kept;
    size_t flat; /* edges between faces in one plane */
} links;

/* What is not convex. */
static const char advice[] = "take the hull of its points ('hull: true' with a file)";

static jo_status refuse(const poly_surface *s, jo_error *error, const char *format, ...)
    JO_PRINTF(3, 4);

static jo_status refuse(const poly_surface *s, jo_error *error, const char *format, ...)
{
    char text[JO_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return jo_fail(error, JO_ERR_DATA, "%.200s%s%.280s", s->name ? s->name : "",
                   s->name ? ": " : "", text);
}

static const double *point(const poly_surface *s, uint32_t k)
{
    return s->points + 3 * (size_t)k;
}

/* A point or a face in a message: its number if the caller knows it, and where it is. */
typedef struct name_text {
    char text[88];
} name_text;

static name_text point_name(const poly_surface *s, uint32_t k)
{
    const double *x = point(s, k);
    name_text out;
    int used = s->unnumbered ? 0 : snprintf(out.text, sizeof out.text, "%u ", k);
    snprintf(out.text + used, sizeof out.text - (size_t)used, "(%.6g, %.6g, %.6g)", x[0], x[1],
             x[2]);
    return out;
}

static name_text face_name(const poly_surface *s, size_t f)
{
    const size_t begin = s->offset[f], end = s->offset[f + 1];
    double middle[3] = {0.0, 0.0, 0.0};
    name_text out;
    for (size_t h = begin; h < end; h++)
        for (int k = 0; k < 3; k++)
            middle[k] += point(s, s->corner[h])[k] / (double)(end - begin);
    if (s->unnumbered)
        snprintf(out.text, sizeof out.text, "the face around (%.6g, %.6g, %.6g)", middle[0],
                 middle[1], middle[2]);
    else
        snprintf(out.text, sizeof out.text, "face %zu", f);
    return out;
}

static size_t next_of(const poly_surface *s, const links *l, size_t h)
{
    const size_t f = l->face[h];
    return h + 1 < s->offset[f + 1] ? h + 1 : s->offset[f];
}

static size_t before(const poly_surface *s, const links *l, size_t h)
{
    const size_t f = l->face[h];
    return h > s->offset[f] ? h - 1 : s->offset[f + 1] - 1;
}

static double over(const double plane[4], const double x[3])
{
    return plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2] - plane[3];
}

/* ---- points ---- */

jo_status jo_poly_size(const poly_surface *s, double *size, jo_error *error)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = 0; k < 3 * s->n; k++) {
        const double x = s->points[k];
        if (!isfinite(x))
            return refuse(s, error, "point %zu has the coordinate %g; it must be finite", k / 3, x);
        if (fabs(x) > largest)
            return refuse(s, error,
                          "point %s has the coordinate %g; beyond %g its inertia overflows: choose "
                          "another unit",
                          point_name(s, (uint32_t)(k / 3)).text, x, largest);
        lo[k % 3] = fmin(lo[k % 3], x);
        hi[k % 3] = fmax(hi[k % 3], x);
    }
    *size = sqrt((hi[0] - lo[0]) * (hi[0] - lo[0]) + (hi[1] - lo[1]) * (hi[1] - lo[1]) +
                 (hi[2] - lo[2]) * (hi[2] - lo[2]));
    if (!(*size > 0.0))
        return refuse(s, error, "all points lie in one place; a polyhedron has an extent");
    if (*size < smallest)
        return refuse(s, error,
                      "the points are spread over %g; below %g the inertia has no digits: choose "
                      "another unit",
                      *size, smallest);
    return JO_OK;
}

static int by_place(const void *a, const void *b)
{
    const double *p = *(const double *const *)a, *q = *(const double *const *)b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return p < q ? -1 : p > q;
}

jo_status jo_poly_distinct(const poly_surface *s, jo_error *error)
{
    const double **order = malloc(s->n * sizeof *order);
    jo_status status = JO_OK;
    if (order == NULL) return jo_fail_memory(error, s->n * sizeof *order, "points");
    for (size_t k = 0; k < s->n; k++)
        order[k] = s->points + 3 * k;
    qsort(order, s->n, sizeof *order, by_place);
    for (size_t k = 0; k + 1 < s->n && status == JO_OK; k++) {
        const double *p = order[k], *q = order[k + 1];
        if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
            status =
                refuse(s, error,
                       "duplicate points: %zu and %zu are both at (%g, %g, %g); give each "
                       "place once",
                       (size_t)(p - s->points) / 3, (size_t)(q - s->points) / 3, p[0], p[1], p[2]);
    }
    free(order);
    return status;
}

/* ---- half-edges ---- */

typedef struct end_pair {
    uint32_t low, high, h;
} end_pair;

static int by_ends(const void *a, const void *b)
{
    const end_pair *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->h < q->h ? -1 : p->h > q->h;
}

/* Two half-edges on the same two points, or the third and the one alone that are wrong. */
static jo_status join(const poly_surface *s, links *l, const end_pair *e, size_t count,
                      jo_error *error)
{
    const uint32_t a = s->corner[e[0].h], f = l->face[e[0].h];
    const uint32_t b = a == e[0].low ? e[0].high : e[0].low;
    if (count == 1)
        return refuse(s, error,
                      "the surface is open: the edge from point %s to %s of %s has no face on its "
                      "other side",
                      point_name(s, a).text, point_name(s, b).text, face_name(s, f).text);
    if (count > 2)
        return refuse(s, error, "the edge between points %s and %s belongs to %zu faces, not two",
                      point_name(s, a).text, point_name(s, b).text, count);
    if (s->corner[e[1].h] == a)
        return refuse(s, error, "%s and %s both go from point %s to %s: one of them is inverted",
                      face_name(s, f).text, face_name(s, l->face[e[1].h]).text,
                      point_name(s, a).text, point_name(s, b).text);
    l->twin[e[0].h] = e[1].h;
    l->twin[e[1].h] = e[0].h;
    return JO_OK;
}

static jo_status pair_up(const poly_surface *s, links *l, jo_error *error)
{
    end_pair *ends = malloc(l->n * sizeof *ends);
    jo_status status = JO_OK;
    if (ends == NULL) return jo_fail_memory(error, l->n * sizeof *ends, "edges");
    for (size_t h = 0; h < l->n; h++) {
        const uint32_t a = s->corner[h], b = s->corner[next_of(s, l, h)];
        ends[h] = (end_pair){a < b ? a : b, a < b ? b : a, (uint32_t)h};
    }
    qsort(ends, l->n, sizeof *ends, by_ends);
    for (size_t k = 0, count; k < l->n && status == JO_OK; k += count) {
        count = 1;
        while (k + count < l->n && ends[k + count].low == ends[k].low &&
               ends[k + count].high == ends[k].high)
            count++;
        status = join(s, l, ends + k, count, error);
    }
    free(ends);
    return status;
}

static jo_status check_counts(const poly_surface *s, jo_error *error)
{
    if (s->n < 4 || s->faces < 4)
        return refuse(s, error, "%zu points and %zu faces; a polyhedron has at least four of both",
                      s->n, s->faces);
    if (s->n > JO_POLYHEDRON_EDGES_MAX || s->faces > JO_POLYHEDRON_EDGES_MAX ||
        s->offset[s->faces] > JO_POLYHEDRON_EDGES_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "a polyhedron may have %zu corners of faces, not %zu",
                       JO_POLYHEDRON_EDGES_MAX, s->offset[s->faces]);
    if (s->offset[0] != 0)
        return refuse(s, error, "the first face's corners begin at %zu, not 0", s->offset[0]);
    for (size_t f = 0; f < s->faces; f++) /* all of them, before a corner is looked at */
        if (s->offset[f + 1] < s->offset[f] || s->offset[f + 1] - s->offset[f] < 3)
            return refuse(s, error, "face %zu has fewer than three corners", f);
    for (size_t f = 0; f < s->faces; f++)
        for (size_t h = s->offset[f]; h < s->offset[f + 1]; h++)
            if (s->corner[h] >= s->n)
                return refuse(s, error, "face %zu names point %u; there are %zu, from 0", f,
                              s->corner[h], s->n);
    return JO_OK;
}

/* ---- geometry ---- */

/* Newell's normal: exact for a flat polygon, the best plane for one that is nearly flat. */
static bool face_plane(const poly_surface *s, size_t f, double plane[4])
{
    double n[3] = {0}, middle[3] = {0};
    const size_t begin = s->offset[f], end = s->offset[f + 1];
    const double *o = point(s, s->corner[begin]);
    for (size_t h = begin; h < end; h++) {
        const double *p = point(s, s->corner[h]);
        const double *q = point(s, s->corner[h + 1 < end ? h + 1 : begin]);
        const double a[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
        const double b[3] = {q[0] - o[0], q[1] - o[1], q[2] - o[2]};
        n[0] += a[1] * b[2] - a[2] * b[1];
        n[1] += a[2] * b[0] - a[0] * b[2];
        n[2] += a[0] * b[1] - a[1] * b[0];
        for (int k = 0; k < 3; k++)
            middle[k] += a[k] / (double)(end - begin);
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0.0)) return false;
    plane[3] = 0.0;
    for (int k = 0; k < 3; k++) {
        plane[k] = n[k] / length;
        plane[3] += plane[k] * (o[k] + middle[k]);
    }
    return true;
}

/* How far x stands to the right of the line from a to b, seen against the normal n. */
static double right_of(const double a[3], const double b[3], const double n[3], const double x[3])
{
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
    const double c = n[0] * (u[1] * v[2] - u[2] * v[1]) + n[1] * (u[2] * v[0] - u[0] * v[2]) +
                     n[2] * (u[0] * v[1] - u[1] * v[0]);
    return -c / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static jo_status check_face(const poly_surface *s, const links *l, size_t f, double slack,
                            jo_error *error)
{
    const double *plane = l->planes + 4 * f;
    for (size_t h = s->offset[f]; h < s->offset[f + 1]; h++) {
        const double *a = point(s, s->corner[h]);
        const size_t second = next_of(s, l, h), third = next_of(s, l, second);
        if (fabs(over(plane, a)) > slack)
            return refuse(s, error,
                          "%s is not flat: its point %s stands %g off its plane; cut it into "
                          "triangles",
                          face_name(s, f).text, point_name(s, s->corner[h]).text, over(plane, a));
        if (right_of(a, point(s, s->corner[second]), plane, point(s, s->corner[third])) > slack)
            return refuse(s, error, "%s is not convex at its point %s", face_name(s, f).text,
                          point_name(s, s->corner[second]).text);
    }
    return JO_OK;
}

/* How far the corners next to the edge of h's neighbour stand over the plane of h's face: the
 * highest and the lowest. */
static void neighbour_heights(const poly_surface *s, const links *l, size_t h, double *high,
                              double *low)
{
    const size_t t = l->twin[h];
    const double *plane = l->planes + 4 * (size_t)l->face[h];
    const double after = over(plane, point(s, s->corner[next_of(s, l, next_of(s, l, t))]));
    const double ahead = over(plane, point(s, s->corner[before(s, l, t)]));
    *high = fmax(after, ahead);
    *low = fmin(after, ahead);
}

static uint32_t leader(uint32_t *group, uint32_t f)
{
    while (group[f] != f)
        f = group[f] = group[group[f]];
    return f;
}

/* Every edge is convex, or between faces in one plane, which are then of one group. */
static jo_status check_edges(const poly_surface *s, links *l, double size, jo_error *error)
{
    double worst = 0.0;
    size_t where = 0;
    l->flat = 0;
    for (size_t h = 0; h < l->n; h++) {
        const uint32_t t = l->twin[h];
        double high, low, other_high, other_low;
        if (t < h) continue;
        neighbour_heights(s, l, h, &high, &low);
        neighbour_heights(s, l, t, &other_high, &other_low);
        high = fmax(high, other_high);
        low = fmin(low, other_low);
        if (high > worst) {
            worst = high;
            where = h;
        }
        if (low < -s->slack * size) continue;
        l->flat++;
        const uint32_t f = leader(l->group, l->face[h]), g = leader(l->group, l->face[t]);
        l->group[f < g ? g : f] = f < g ? f : g;
    }
    if (worst <= s->slack * size) return JO_OK;
    return refuse(s, error,
                  "the surface is not convex: at the edge between points %s and %s, %s stands %.3g "
                  "over the other's plane; %s",
                  point_name(s, s->corner[where]).text,
                  point_name(s, s->corner[next_of(s, l, where)]).text,
                  face_name(s, l->face[l->twin[where]]).text, worst, advice);
}

/* The solid angle of a face seen from c, the faces' sum for a convex body around c being 4 pi. */
static double solid_angle(const poly_surface *s, size_t f, const double c[3])
{
    double sum = 0.0;
    const size_t begin = s->offset[f];
    for (size_t h = begin + 1; h + 1 < s->offset[f + 1]; h++) {
        double p[3][3], r[3];
        const uint32_t corner[3] = {s->corner[begin], s->corner[h], s->corner[h + 1]};
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                p[i][k] = point(s, corner[i])[k] - c[k];
            r[i] = sqrt(p[i][0] * p[i][0] + p[i][1] * p[i][1] + p[i][2] * p[i][2]);
        }
        const double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                           p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        double dot[3];
        for (int i = 0; i < 3; i++) {
            const double *a = p[i], *b = p[(i + 1) % 3];
            dot[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
        sum += 2.0 * atan2(det, r[0] * r[1] * r[2] + dot[0] * r[2] + dot[1] * r[0] + dot[2] * r[1]);
    }
    return sum;
}

/* One piece, not flat, the right side out. *around: how often the surface goes around its
 * middle. */
static jo_status check_whole(const poly_surface *s, const links *l, double size, double *around,
                             jo_error *error)
{
    double c[3] = {0}, angle = 0.0, height = 0.0;
    for (size_t k = 0; k < 3 * s->n; k++)
        c[k % 3] += s->points[k] / (double)s->n;
    for (size_t k = 0; k < s->n; k++)
        if (l->kept[k] == 0)
            return refuse(s, error, "point %zu belongs to no face; leave it out", k);
    if (s->n + s->faces != l->n / 2 + 2)
        return refuse(s, error,
                      "the surface is not one closed piece: %zu points - %zu edges + %zu faces is "
                      "not 2",
                      s->n, l->n / 2, s->faces);
    for (size_t f = 0; f < s->faces; f++) {
        angle += solid_angle(s, f, c);
        height = fmax(height, fabs(over(l->planes + 4 * f, c)));
    }
    if (height <= s->slack * size)
        return refuse(s, error, "the body is flat: all its points lie in one plane");
    *around = angle / 12.566370614359172;
    if (*around < -0.5)
        return refuse(s, error,
                      "the surface is inverted: its faces go clockwise seen from outside; reverse "
                      "their corners");
    return JO_OK;
}

/* ---- merging faces in one plane ---- */

typedef struct merged {
    double *points;
    size_t *offset;
    uint32_t *corner, *number; /* number: of each old point, its new one */
    uint32_t
        *rim; /* of each group: a half-edge between it and another, UINT32_MAX before it is known */
} merged;

static bool is_kept(const links *l, size_t h)
{
    return l->group[l->face[h]] != l->group[l->face[l->twin[h]]];
}

/* Traces the outline of h's group; only vertices with three edges left are corners. Returns how
 * many half-edges it has. */
static size_t trace(const poly_surface *s, const links *l, size_t start, const merged *m,
                    size_t *at)
{
    size_t h = start, length = 0;
    do {
        if (l->kept[s->corner[h]] > 2) m->corner[(*at)++] = m->number[s->corner[h]];
        length++;
        h = next_of(s, l, h);
        for (size_t turns = 0; !is_kept(l, h) && turns < l->n; turns++)
            h = next_of(s, l, l->twin[h]);
    } while (h != start && length <= l->n);
    return length;
}

/* Of every group the last half-edge at its rim of the first face that has one: a face may lie all
 * inside its group. */
static void find_rims(const poly_surface *s, const links *l, uint32_t *rim)
{
    for (size_t f = 0; f < s->faces; f++)
        rim[f] = UINT32_MAX;
    for (size_t f = 0; f < s->faces; f++) {
        if (rim[l->group[f]] != UINT32_MAX) continue;
        for (size_t h = s->offset[f]; h < s->offset[f + 1]; h++)
            if (is_kept(l, h)) rim[l->group[f]] = (uint32_t)h;
    }
}

static jo_status merge_into(const poly_surface *s, links *l, merged *m, poly_surface *out,
                            jo_error *error)
{
    size_t at = 0, faces = 0, points = 0, left = 0, traced = 0;
    for (size_t f = 0; f < s->faces; f++)
        l->group[f] = leader(l->group, (uint32_t)f);
    memset(l->kept, 0, s->n * sizeof *l->kept);
    for (size_t h = 0; h < l->n; h++)
        if (is_kept(l, h)) {
            l->kept[s->corner[h]]++;
            left++;
        }
    for (size_t k = 0; k < s->n; k++) {
        if (l->kept[k] < 3) continue;
        memcpy(m->points + 3 * points, s->points + 3 * k, 3 * sizeof *m->points);
        m->number[k] = (uint32_t)points++;
    }
    find_rims(s, l, m->rim);
    for (size_t f = 0; f < s->faces; f++) {
        if (l->group[f] != f) continue;
        const size_t h = is_kept(l, s->offset[f]) ? s->offset[f] : m->rim[f];
        if (h == UINT32_MAX) break;
        m->offset[faces++] = at;
        traced += trace(s, l, h, m, &at);
    }
    m->offset[faces] = at;
    if (traced != left || points < 4 || faces < 4)
        return refuse(s, error, "the body is flat: too few of its faces lie in different planes");
    *out = (poly_surface){.points = m->points,
                          .n = points,
                          .offset = m->offset,
                          .corner = m->corner,
                          .faces = faces,
                          .name = s->name,
                          .unnumbered = true,
                          .slack = s->slack};
    return JO_OK;
}

static jo_status make(const poly_surface *s, int pass, jo_polyhedron **shape, jo_error *error);

static jo_status merge(const poly_surface *s, links *l, int pass, jo_polyhedron **shape,
                       jo_error *error)
{
    poly_surface out;
    merged m = {.points = malloc(3 * s->n * sizeof *m.points),
                .offset = malloc((s->faces + 1) * sizeof *m.offset),
                .corner = malloc(l->n * sizeof *m.corner),
                .number = malloc(s->n * sizeof *m.number),
                .rim = malloc(s->faces * sizeof *m.rim)};
    jo_status status;
    if (m.points == NULL || m.offset == NULL || m.corner == NULL || m.number == NULL ||
        m.rim == NULL)
        status = jo_fail_memory(error, l->n * 8, "merged faces");
    else
        status = merge_into(s, l, &m, &out, error);
    if (status == JO_OK) status = make(&out, pass + 1, shape, error);
    free(m.points);
    free(m.offset);
    free(m.corner);
    free(m.number);
    free(m.rim);
    return status;
}

/* ---- the polyhedron ---- */

static size_t map_size(size_t vertices)
{
    const double size = sqrt((double)vertices / 3.0);
    return size < 2.0 ? 2 : size > 96.0 ? 96 : (size_t)size;
}

static jo_polyhedron *allocate(size_t nv, size_t nh, size_t nf)
{
    const size_t cells = 6 * map_size(nv) * map_size(nv);
    const size_t doubles = 3 * nv + 4 * nf;
    const size_t ints = (nv + 1) + 4 * nh + nf + cells;
    const size_t arcs = jo_poly_arcs_bytes(nv, nh, nf);
    const size_t bytes = nh * sizeof(poly_walls) + arcs + doubles * 8 + ints * 4;
    jo_polyhedron *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    if (!jo_buffer_reserve(&p->memory, bytes, 1)) {
        free(p);
        return NULL;
    }
    *p = (jo_polyhedron){.nv = nv, .nh = nh, .nf = nf, .memory = p->memory};
    p->walls = p->memory.data;
    p->arcs = (poly_arcs *)(p->walls + nh);
    p->points = (double *)((char *)p->arcs + arcs);
    p->planes = p->points + 3 * nv;
    p->first = (uint32_t *)(p->planes + 4 * nf);
    p->origin = p->first + nv + 1;
    p->twin = p->origin + nh;
    p->next = p->twin + nh;
    p->face = p->next + nh;
    p->face_edge = p->face + nh;
    p->map = p->face_edge + nf;
    p->map_size = map_size(nv);
    p->bound = (uint32_t)(4.0 * sqrt((double)nh));
    return p;
}

typedef struct keyed {
    uint64_t key;
    uint32_t point;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

/* The new number of each point. What a walk reads next should lie near what it has read: of a body
 * that does not fit into the cache, points are numbered along Morton's curve. Smaller ones keep
 * their order. */
static bool number_points(const poly_surface *s, uint32_t *number)
{
    enum { BITS = 12 };
    for (size_t k = 0; k < s->n; k++)
        number[k] = (uint32_t)k;
    if (s->n < SMALL) return true;
    keyed *order = malloc(s->n * sizeof *order);
    if (order == NULL) return false;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, extent = 0.0;
    for (size_t k = 0; k < 3 * s->n; k++)
        lo[k % 3] = fmin(lo[k % 3], s->points[k]);
    for (size_t k = 0; k < 3 * s->n; k++)
        extent = fmax(extent, s->points[k] - lo[k % 3]);
    for (size_t k = 0; k < s->n; k++) {
        uint64_t key = 0;
        for (int i = 0; i < 3; i++) {
            const double part = (s->points[3 * k + (size_t)i] - lo[i]) / extent;
            const uint64_t cell = (uint64_t)(part * ((1 << BITS) - 1));
            for (int bit = 0; bit < BITS; bit++)
                key |= (cell >> bit & 1) << (3 * bit + i);
        }
        order[k] = (keyed){key, (uint32_t)k};
    }
    qsort(order, s->n, sizeof *order, by_key);
    for (size_t k = 0; k < s->n; k++)
        number[order[k].point] = (uint32_t)k;
    free(order);
    return true;
}

/* Half-edges numbered by their origin, place[h] being the new number of h. */
static void number_edges(const poly_surface *s, const links *l, const uint32_t *number,
                         jo_polyhedron *p, uint32_t *place)
{
    for (size_t k = 0; k < s->n; k++) {
        memcpy(p->points + 3 * (size_t)number[k], s->points + 3 * k, 3 * sizeof *p->points);
        p->first[number[k] + 1] = l->kept[k];
    }
    p->first[0] = 0;
    for (size_t k = 0; k < s->n; k++)
        p->first[k + 1] += p->first[k];
    for (size_t h = 0; h < l->n; h++)
        place[h] = p->first[number[s->corner[h]]]++;
    for (size_t k = s->n; k > 0; k--)
        p->first[k] = p->first[k - 1];
    p->first[0] = 0;
}

static void link_edges(const poly_surface *s, const links *l, const uint32_t *number,
                       const uint32_t *place, jo_polyhedron *p)
{
    for (size_t h = 0; h < l->n; h++) {
        const uint32_t k = place[h];
        p->origin[k] = number[s->corner[h]];
        p->twin[k] = place[l->twin[h]];
        p->next[k] = place[next_of(s, l, h)];
        p->face[k] = l->face[h];
        p->face_edge[l->face[h]] = k;
    }
}

/* Numbers the faces of a body with many points as its half-edges come; `number` is used up. */
static void number_faces(jo_polyhedron *p, uint32_t *number)
{
    uint32_t count = 0;
    if (p->nv < SMALL) return;
    memset(number, 0xFF, p->nf * sizeof *number);
    for (size_t h = 0; h < p->nh; h++) {
        uint32_t *f = &p->face[h];
        if (number[*f] == UINT32_MAX) {
            number[*f] = count;
            p->face_edge[count++] = (uint32_t)h;
        }
        *f = number[*f];
    }
}

static jo_status assemble(const poly_surface *s, const links *l, jo_polyhedron **shape,
                          jo_error *error)
{
    uint32_t *place = malloc(l->n * sizeof *place);
    uint32_t *number = malloc((s->n > s->faces ? s->n : s->faces) * sizeof *number);
    jo_polyhedron *p = allocate(s->n, l->n, s->faces);
    if (place == NULL || number == NULL || p == NULL || !number_points(s, number)) {
        free(place);
        free(number);
        jo_polyhedron_destroy(p);
        return jo_fail_memory(error, l->n * 100, "a polyhedron");
    }
    number_edges(s, l, number, p, place);
    link_edges(s, l, number, place, p);
    number_faces(p, number);
    free(place);
    free(number);
    if (!jo_poly_finish(p)) {
        jo_polyhedron_destroy(p);
        return refuse(s, error, "the body is flat: it has no volume");
    }
    if (!jo_poly_set_arcs(p)) {
        jo_polyhedron_destroy(p);
        return jo_fail_memory(error, l->n * 8, "the edges of a polyhedron");
    }
    if (p->inradius < thinnest * p->radius) {
        const double share = p->inradius / p->radius;
        jo_polyhedron_destroy(p);
        return refuse(s, error,
                      "the body is too thin: a sphere inside it has %.2g of the radius of one "
                      "around it; %g is the least",
                      share, thinnest);
    }
    *shape = p;
    return JO_OK;
}

static jo_status check(const poly_surface *s, links *l, jo_error *error)
{
    double size;
    jo_status status = jo_poly_size(s, &size, error);
    for (size_t f = 0; f < s->faces; f++) {
        l->group[f] = (uint32_t)f;
        for (size_t h = s->offset[f]; h < s->offset[f + 1]; h++) {
            l->face[h] = (uint32_t)f;
            l->kept[s->corner[h]]++;
        }
    }
    if (status == JO_OK) status = jo_poly_distinct(s, error);
    if (status == JO_OK) status = pair_up(s, l, error);
    for (size_t f = 0; f < s->faces && status == JO_OK; f++) {
        if (!face_plane(s, f, l->planes + 4 * f))
            status = refuse(s, error, "%s has no area", face_name(s, f).text);
        else
            status = check_face(s, l, f, s->slack * size, error);
    }
    if (status != JO_OK) return status;
    double around = 0.0;
    status = check_whole(s, l, size, &around, error);
    if (status == JO_OK) status = check_edges(s, l, size, error);
    if (status == JO_OK && !(fabs(around - 1.0) < 0.25))
        status =
            refuse(s, error,
                   "the surface is not convex: it goes around its middle %.3g times, not once; %s",
                   around, advice);
    return status;
}

static jo_status make(const poly_surface *s, int pass, jo_polyhedron **shape, jo_error *error)
{
    jo_status status = check_counts(s, error);
    if (status != JO_OK) return status;
    const size_t n = s->offset[s->faces];
    links l = {.n = n,
               .face = malloc(n * sizeof *l.face),
               .twin = malloc(n * sizeof *l.twin),
               .group = malloc(s->faces * sizeof *l.group),
               .planes = malloc(4 * s->faces * sizeof *l.planes),
               .kept = calloc(s->n, sizeof *l.kept)};
    if (!l.face || !l.twin || !l.group || !l.planes || !l.kept)
        status = jo_fail_memory(error, n * 24, "a surface");
    else
        status = check(s, &l, error);
    if (status == JO_OK && l.flat > 0 && pass < PASSES_MAX)
        status = merge(s, &l, pass, shape, error);
    else if (status == JO_OK && l.flat > 0)
        status = refuse(s, error, "the faces are too nearly in one plane to be told apart");
    else if (status == JO_OK)
        status = assemble(s, &l, shape, error);
    free(l.face);
    free(l.twin);
    free(l.group);
    free(l.planes);
    free(l.kept);
    return status;
}

jo_status jo_poly_make(const poly_surface *surface, jo_polyhedron **shape, jo_error *error)
{
    *shape = NULL;
    return make(surface, 0, shape, error);
}

jo_status jo_polyhedron_from_faces(const double *points, size_t n, const size_t *offset,
                                   const uint32_t *corner, size_t faces, jo_polyhedron **shape,
                                   jo_error *error)
{
    *shape = NULL;
    if (points == NULL || offset == NULL || corner == NULL)
        return jo_fail_missing(error, points == NULL   ? "the points"
                                      : offset == NULL ? "the faces' offsets"
                                                       : "the faces' corners");
    const poly_surface s = {.points = points,
                            .n = n,
                            .offset = offset,
                            .corner = corner,
                            .faces = faces,
                            .slack = 1e-12};
    return jo_poly_make(&s, shape, error);
}

void jo_polyhedron_destroy(jo_polyhedron *shape)
{
    if (shape == NULL) return;
    jo_buffer_free(&shape->memory);
    free(shape);
}
