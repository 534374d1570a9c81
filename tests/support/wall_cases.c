/* wall_cases.c — see wall_cases.h. The reference works with another method than the library: the
 * nearest point is the best of all candidates (foot, feet on edges, corners), and the neighbours of
 * a point are found by measuring, without any adjacency. */
#include "support/wall_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

jo_wall wall_plain(jo_wall_kind kind)
{
    jo_wall w = {.kind = kind, .name = "test"};
    w.motion.stop = w.until = INFINITY;
    w.normal[2] = w.axis[2] = 1.0;
    return w;
}

/* ---- meshes ---- */

static double *soup_room(soup *s, size_t doubles)
{
    if (s->count == s->room) {
        s->room = 2 * s->room + 64;
        s->data = realloc(s->data, s->room * doubles * sizeof *s->data);
        if (s->data == NULL) abort();
    }
    return s->data + doubles * s->count++;
}

void soup_free(soup *s)
{
    free(s->data);
    *s = (soup){0};
}

void soup_add(soup *s, const double a[3], const double b[3], const double c[3])
{
    double *to = soup_room(s, 9);
    memcpy(to, a, 3 * sizeof *a);
    memcpy(to + 3, b, 3 * sizeof *a);
    memcpy(to + 6, c, 3 * sizeof *a);
}

void soup_add_segment(soup *s, double ax, double ay, double bx, double by)
{
    memcpy(soup_room(s, 4), (double[4]){ax, ay, bx, by}, 4 * sizeof ax);
}

void soup_add_patch(soup *s, const double p[3], const double a[3], const double b[3], size_t nx,
                    size_t ny, rng *g)
{
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ny; j++) {
            double c[4][3];
            for (size_t k = 0; k < 4; k++)
                for (int d = 0; d < 3; d++)
                    c[k][d] = p[d] + a[d] * ((double)(i + (k == 1 || k == 2)) / (double)nx) +
                              b[d] * ((double)(j + (k >= 2)) / (double)ny);
            const size_t turn = g != NULL && rng_chance(g, 0.5);
            soup_add(s, c[turn], c[1 + turn], c[2 + turn]);
            soup_add(s, c[2 + turn], c[(3 + turn) % 4], c[turn]);
        }
}

void soup_add_box(soup *s, const double lo[3], const double hi[3], size_t n, rng *g)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            double p[3] = {lo[0], lo[1], lo[2]}, a[3] = {0}, b[3] = {0};
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            p[axis] = side ? hi[axis] : lo[axis];
            a[u] = hi[u] - lo[u];
            b[v] = hi[v] - lo[v];
            soup_add_patch(s, p, a, b, n, n, g);
        }
}

void soup_add_drum(soup *s, double radius, double length, size_t facets, size_t layers)
{
    for (size_t k = 0; k < facets; k++)
        for (size_t l = 0; l < layers; l++) {
            double c[4][3];
            for (size_t i = 0; i < 4; i++) {
                const size_t at = (k + (i == 1 || i == 2)) % facets;
                const double angle = 2.0 * acos(-1.0) * (double)at / (double)facets;
                c[i][0] = radius * cos(angle);
                c[i][1] = radius * sin(angle);
                c[i][2] = length * (double)(l + (i >= 2)) / (double)layers;
            }
            soup_add(s, c[0], c[1], c[2]);
            soup_add(s, c[2], c[3], c[0]);
        }
}

void soup_shuffle(soup *s, rng *g)
{
    for (size_t k = s->count; k > 0; k--) {
        const size_t other = rng_below(g, k), turn = 3 * rng_below(g, 3);
        double t[9], u[9];
        memcpy(t, s->data + 9 * (k - 1), sizeof t);
        memcpy(u, s->data + 9 * other, sizeof u);
        memcpy(s->data + 9 * other, t, sizeof t);
        for (size_t i = 0; i < 9; i++)
            s->data[9 * (k - 1) + i] = u[(i + turn) % 9];
        if (!rng_chance(g, 0.5)) continue;
        memcpy(t, s->data + 9 * (k - 1), 3 * sizeof *t);
        memcpy(s->data + 9 * (k - 1), s->data + 9 * (k - 1) + 3, 3 * sizeof *t);
        memcpy(s->data + 9 * (k - 1) + 3, t, 3 * sizeof *t);
    }
}

jo_wall soup_wall(const soup *s)
{
    jo_wall w = wall_plain(JO_WALL_MESH);
    w.triangles = s->data;
    w.triangle_count = s->count;
    return w;
}

/* ---- the reference ---- */

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void try_point(const double x[3], const double candidate[3], double *best, double point[3])
{
    const double d = distance(x, candidate);
    if (d >= *best) return;
    *best = d;
    memcpy(point, candidate, 3 * sizeof *point);
}

static void try_edge(const double x[3], const double a[3], const double b[3], double *best,
                     double point[3], bool *inner)
{
    double along = 0.0, square = 0.0, p[3];
    for (int k = 0; k < 3; k++) {
        along += (x[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    const double t = fmin(fmax(along / square, 0.0), 1.0);
    for (int k = 0; k < 3; k++)
        p[k] = a[k] + t * (b[k] - a[k]);
    try_point(x, p, best, point);
    *inner = t > 0.0 && t < 1.0;
}

double reference_nearest(const double *t, int dim, const double x[3], double point[3], bool *inner)
{
    double best = INFINITY;
    bool on_edge;
    if (dim == 2) {
        const double a[3] = {t[0], t[1], 0.0}, b[3] = {t[2], t[3], 0.0};
        try_edge(x, a, b, &best, point, inner);
        return best;
    }
    for (int k = 0; k < 3; k++)
        try_edge(x, t + 3 * k, t + 3 * ((k + 1) % 3), &best, point, &on_edge);
    /* The foot in the plane, by barycentric coordinates from the normal equations. */
    double aa = 0, ab = 0, bb = 0, ax = 0, bx = 0, p[3];
    for (int k = 0; k < 3; k++) {
        const double a = t[3 + k] - t[k], b = t[6 + k] - t[k], d = x[k] - t[k];
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ax += a * d;
        bx += b * d;
    }
    const double det = aa * bb - ab * ab;
    const double u = (bb * ax - ab * bx) / det, v = (aa * bx - ab * ax) / det;
    *inner = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    if (!*inner) return best;
    for (int k = 0; k < 3; k++)
        p[k] = t[k] + u * (t[3 + k] - t[k]) + v * (t[6 + k] - t[k]);
    memcpy(point, p, sizeof p);
    return distance(x, p);
}

/* Whether the segment from x to p goes through the inside of a triangle, some way from both ends.
 */
static bool reference_crosses(const double *t, int dim, const double x[3], const double p[3])
{
    double a[3], b[3], c[3] = {0, 0, 1}, d[3];
    for (int k = 0; k < 3; k++) { /* x + s (p - x) = corner + u e + v f */
        a[k] = dim == 3 ? t[3 + k] - t[k] : (k < 2 ? t[2 + k] - t[k] : 0.0);
        b[k] = dim == 3 ? t[6 + k] - t[k] : (k == 2);
        c[k] = x[k] - p[k];
        d[k] = x[k] - (dim == 3 || k < 2 ? t[k] : 0.0);
    }
#define DET(p, q, r)                                                                               \
    (p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) +                     \
     p[2] * (q[0] * r[1] - q[1] * r[0]))
    const double det = DET(a, b, c);
    if (det == 0.0) return false;
    const double u = DET(d, b, c) / det, v = DET(a, d, c) / det, s = DET(a, b, d) / det;
    if (dim == 2) return u >= 0 && u <= 1 && s > 0 && s < 1 - 1e-6;
    return u >= 0 && v >= 0 && u + v <= 1 && s > 0 && s < 1 - 1e-6;
}

size_t reference_touches(const soup *s, int dim, const double x[3], double reach,
                         wall_touch *touches, size_t room)
{
    const size_t doubles = dim == 3 ? 9 : 4;
    size_t found = 0;
    for (size_t k = 0; k < s->count; k++) {
        double p[3], q[3];
        bool inner, other_inner;
        const double d = reference_nearest(s->data + doubles * k, dim, x, p, &inner);
        if (!(d < reach)) continue;
        bool minimum = true;
        for (size_t j = 0; j < s->count && minimum && !inner; j++) {
            if (reference_nearest(s->data + doubles * j, dim, p, q, &other_inner) > 1e-9) continue;
            minimum = !(reference_nearest(s->data + doubles * j, dim, x, q, &other_inner) <
                        d * (1 - 1e-9));
        }
        for (size_t j = 0; j < s->count && minimum; j++)
            minimum = j == k || !reference_crosses(s->data + doubles * j, dim, x, p);
        if (!minimum || found == room) continue;
        wall_touch t = {.gap = d};
        for (int a = 0; a < 3; a++)
            t.normal[a] = (x[a] - p[a]) / d;
        size_t at = found++;
        for (; at > 0 && touches[at - 1].gap > t.gap; at--)
            touches[at] = touches[at - 1];
        touches[at] = t;
    }
    size_t kept = 0; /* each normal once, the nearest */
    for (size_t k = 0; k < found; k++) {
        bool again = false;
        for (size_t j = 0; j < kept; j++)
            again |= distance(touches[k].normal, touches[j].normal) < 1e-3;
        if (!again) touches[kept++] = touches[k];
    }
    return kept;
}
