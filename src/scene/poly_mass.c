/* poly_mass.c — what a polyhedron weighs, where its centre is, and the tables that queries read.
 *
 * Volume, centre and inertia are sums over tetrahedra between a point inside and the triangles of
 * the faces; each integral of a polynomial of degree two over a tetrahedron has a closed form, so
 * nothing is approximated. They are taken twice: about the mean of the vertices to find the centre,
 * then about the centre. Cost: O(faces). */
#include <math.h>
#include <string.h>

#include "scene/poly.h"

typedef struct moments {
    double volume, first[3], second[3][3];
} moments;

/* Adds the tetrahedron between the origin and a, b, c: with x = s a + t b + u c,
 *   ∫ 1 = det/6,  ∫ x = det/24 (a + b + c),
 *   ∫ x xᵀ = det/120 (a aᵀ + b bᵀ + c cᵀ + m mᵀ),  m = a + b + c. */
static void add_tetrahedron(moments *m, const double a[3], const double b[3], const double c[3])
{
    const double det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0]);
    double sum[3];
    m->volume += det / 6.0;
    for (int i = 0; i < 3; i++) {
        sum[i] = a[i] + b[i] + c[i];
        m->first[i] += det / 24.0 * sum[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i][j] +=
                det / 120.0 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
}

static moments integrate(const jo_polyhedron *p)
{
    moments m = {0};
    for (size_t f = 0; f < p->nf; f++) {
        const uint32_t start = p->face_edge[f];
        const double *a = p->points + 3 * (size_t)p->origin[start];
        for (uint32_t h = p->next[start]; p->next[h] != start; h = p->next[h])
            add_tetrahedron(&m, a, p->points + 3 * (size_t)p->origin[h],
                            p->points + 3 * (size_t)p->origin[p->next[h]]);
    }
    return m;
}

static void shift(jo_polyhedron *p, const double by[3])
{
    for (size_t k = 0; k < 3 * p->nv; k++)
        p->points[k] -= by[k % 3];
    for (int k = 0; k < 3; k++)
        p->centre[k] += by[k];
}

static void set_inertia(jo_polyhedron *p, const moments *m)
{
    const double trace = m->second[0][0] + m->second[1][1] + m->second[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p->inertia[3 * i + j] = (i == j ? trace : 0.0) - m->second[i][j];
}

/* ---- planes ---- */

static void set_face(jo_polyhedron *p, size_t f)
{
    double n[3] = {0}, middle[3] = {0}, *plane = p->planes + 4 * f;
    const uint32_t start = p->face_edge[f];
    const double *o = p->points + 3 * (size_t)p->origin[start];
    double corners = 0.0;
    uint32_t h = start;
    do {
        const double *x = p->points + 3 * (size_t)p->origin[h];
        const double *y = p->points + 3 * (size_t)p->origin[p->next[h]];
        const double a[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
        const double b[3] = {y[0] - o[0], y[1] - o[1], y[2] - o[2]};
        n[0] += a[1] * b[2] - a[2] * b[1];
        n[1] += a[2] * b[0] - a[0] * b[2];
        n[2] += a[0] * b[1] - a[1] * b[0];
        for (int k = 0; k < 3; k++)
            middle[k] += a[k];
        corners += 1.0;
        h = p->next[h];
    } while (h != start);
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    p->area += 0.5 * length;
    plane[3] = 0.0;
    for (int k = 0; k < 3; k++) {
        plane[k] = n[k] / length;
        plane[3] += plane[k] * (o[k] + middle[k] / corners);
    }
}

/* tan(t/2) = sin t / (1 + cos t) of the angle between two unit vectors; rounded up. */
static double bend_of(const double n[3], const double m[3])
{
    const double c[3] = {n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2],
                         n[0] * m[1] - n[1] * m[0]};
    const double sine = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    const double cosine = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
    return cosine > -1.0 + 1e-10 ? 1.000001 * sine / (1.0 + cosine) : INFINITY;
}

static void set_walls(jo_polyhedron *p, size_t h)
{
    const double *a = p->points + 3 * (size_t)p->origin[h];
    const double *b = p->points + 3 * (size_t)p->origin[p->twin[h]];
    const double *n = p->planes + 4 * (size_t)p->face[h];
    poly_walls *w = &p->walls[h];
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++)
        w->ve[k] = u[k] /= length;
    w->ve[3] = -(u[0] * a[0] + u[1] * a[1] + u[2] * a[2]);
    w->fe[0] = n[1] * u[2] - n[2] * u[1];
    w->fe[1] = n[2] * u[0] - n[0] * u[2];
    w->fe[2] = n[0] * u[1] - n[1] * u[0];
    w->fe[3] = -(w->fe[0] * a[0] + w->fe[1] * a[1] + w->fe[2] * a[2]);
    w->next = p->next[h];
    w->twin = p->twin[h];
    w->face = p->face[h];
    w->origin = p->origin[h];
    w->bend = bend_of(n, p->planes + 4 * (size_t)p->face[p->twin[h]]);
    w->first = p->first[w->origin];
    w->edges = p->first[w->origin + 1] - w->first;
    w->length = length;
    memcpy(w->from, a, sizeof w->from);
}

static void set_bounds(jo_polyhedron *p)
{
    p->inradius = INFINITY;
    for (size_t f = 0; f < p->nf; f++)
        p->inradius = fmin(p->inradius, p->planes[4 * f + 3]);
    for (int k = 0; k < 3; k++) {
        p->lo[k] = INFINITY;
        p->hi[k] = -INFINITY;
    }
    for (size_t v = 0; v < p->nv; v++) {
        const double *x = p->points + 3 * v;
        p->radius = fmax(p->radius, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        for (int k = 0; k < 3; k++) {
            p->lo[k] = fmin(p->lo[k], x[k]);
            p->hi[k] = fmax(p->hi[k], x[k]);
        }
    }
}

/* Neighbouring cells have neighbouring vertices: each climbs from the one before. */
static void set_map(jo_polyhedron *p)
{
    const size_t n = p->map_size;
    uint32_t from = 0;
    for (size_t side = 0; side < 6; side++)
        for (size_t v = 0; v < n; v++)
            for (size_t i = 0; i < n; i++) {
                const size_t u = v % 2 == 0 ? i : n - 1 - i; /* to and fro */
                const size_t k = side / 2;
                double d[3];
                d[k] = side % 2 == 0 ? 1.0 : -1.0;
                d[k == 0 ? 1 : 0] = (2.0 * (double)u + 1.0) / (double)n - 1.0;
                d[k == 2 ? 1 : 2] = (2.0 * (double)v + 1.0) / (double)n - 1.0;
                from = poly_climb(p, d, from);
                p->map[(side * n + v) * n + u] = from;
            }
}

bool jo_poly_finish(jo_polyhedron *p)
{
    double middle[3] = {0};
    for (size_t k = 0; k < 3 * p->nv; k++)
        middle[k % 3] += p->points[k] / (double)p->nv;
    shift(p, middle);
    moments m = integrate(p);
    if (!(m.volume > 0.0)) return false;
    shift(p,
          (const double[3]){m.first[0] / m.volume, m.first[1] / m.volume, m.first[2] / m.volume});
    m = integrate(p);
    p->volume = m.volume;
    set_inertia(p, &m);
    for (size_t f = 0; f < p->nf; f++)
        set_face(p, f);
    for (size_t h = 0; h < p->nh; h++)
        set_walls(p, h);
    set_bounds(p);
    set_map(p);
    return p->volume > 0.0 && p->inradius > 0.0;
}

jo_polyhedron_view jo_polyhedron_look(const jo_polyhedron *p)
{
    jo_polyhedron_view view = {.vertices = p->nv,
                               .edges = p->nh / 2,
                               .faces = p->nf,
                               .points = p->points,
                               .planes = p->planes,
                               .first = p->first,
                               .origin = p->origin,
                               .twin = p->twin,
                               .next = p->next,
                               .face = p->face,
                               .face_edge = p->face_edge,
                               .volume = p->volume,
                               .area = p->area,
                               .radius = p->radius,
                               .inradius = p->inradius};
    for (int k = 0; k < 3; k++) {
        view.origin_moved[k] = p->centre[k];
        view.lo[k] = p->lo[k];
        view.hi[k] = p->hi[k];
    }
    for (int k = 0; k < 9; k++)
        view.inertia[k] = p->inertia[k];
    return view;
}
