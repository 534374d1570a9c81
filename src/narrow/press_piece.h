/* press_piece.h — the flat pieces of the surface between two pressing bodies: convex polygons on a
 * sheet, cut by half-planes, and what the pressure on one adds to the sums; see press.c. */
#ifndef JO_NARROW_PRESS_PIECE_H
#define JO_NARROW_PRESS_PIECE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "narrow/one_run.h"
#include "narrow/press.h"

/* Edges that no other face made; those of part k are CUT_PART - k. */
enum { CUT_ZERO = -1, CUT_FRAME = -2, CUT_PART = -3 };

/* fmax of numbers, without a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double press_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A convex polygon on a sheet. Arrays have room for four corners more than it has: what lies there
 * is a copy of its last corner, so that corners can be looked at four at a time. */
typedef struct polygon {
    size_t n;
    double *u, *v, *side; /* side: scratch */
    int32_t *cut;         /* what made the edge from this corner to the next one */
} polygon;

/* Bytes for two polygons that get no more than `most` corners. */
static inline size_t polygons_size(size_t most)
{
    return 2 * (most + 8) * (3 * sizeof(double) + sizeof(int32_t));
}

static inline void polygons_place(void *memory, size_t most, polygon p[2])
{
    double *at = memory;
    for (int k = 0; k < 2; k++) {
        p[k] = (polygon){.u = at, .v = at + (most + 8), .side = at + 2 * (most + 8)};
        at += 3 * (most + 8);
    }
    p[0].cut = (int32_t *)(void *)at;
    p[1].cut = p[0].cut + (most + 8);
}

/* A plane of space with coordinates. */
typedef struct sheet {
    double o[3], e[3], g[3], n[3]; /* a point, two unit vectors in it, the normal */
} sheet;

static inline void lay_sheet(sheet *s, const double normal[3], double length, double offset)
{
    int least = 0;
    const double scale = 1 / length;
    for (int a = 0; a < 3; a++) {
        s->n[a] = normal[a] * scale;
        s->o[a] = s->n[a] * (offset * scale);
        if (fabs(s->n[a]) < fabs(s->n[least])) least = a;
    }
    double e[3] = {0, 0, 0}, norm = 0;
    e[least] = 1;
    for (int a = 0; a < 3; a++) {
        s->e[a] = e[a] - s->n[least] * s->n[a];
        norm += s->e[a] * s->e[a];
    }
    const double shorter = 1 / sqrt(norm);
    for (int a = 0; a < 3; a++)
        s->e[a] *= shorter;
    s->g[0] = s->n[1] * s->e[2] - s->n[2] * s->e[1];
    s->g[1] = s->n[2] * s->e[0] - s->n[0] * s->e[2];
    s->g[2] = s->n[0] * s->e[1] - s->n[1] * s->e[0];
}

/* A height as a function of the sheet's coordinates: value, and slopes along u and v. */
typedef struct linear {
    double c, u, v;
} linear;

static inline linear height_on(const sheet *s, const double plane[4])
{
    return (linear){plane[3] - press_dot(plane, s->o), -press_dot(plane, s->e),
                    -press_dot(plane, s->g)};
}

static inline void polygon_close(polygon *p, size_t n)
{
    p->n = n;
    for (size_t k = n; k < n + 4 && n > 0; k++) {
        p->u[k] = p->u[n - 1];
        p->v[k] = p->v[n - 1];
    }
}

static inline void start_polygon(polygon *p, double size)
{
    static const double u[4] = {-1, 1, 1, -1}, v[4] = {-1, -1, 1, 1};
    for (int k = 0; k < 4; k++) {
        p->u[k] = size * u[k];
        p->v[k] = size * v[k];
        p->cut[k] = CUT_FRAME;
    }
    polygon_close(p, 4);
}

/* The part whose `side` is not below 0, in `to`; false where the polygon is left more than once. */
static inline bool clip_in_one(const polygon *p, polygon *to, int32_t cut)
{
    size_t kept = 0, changes = 0;
    for (size_t k = 0; k < p->n; k++) {
        const size_t next = k + 1 < p->n ? k + 1 : 0;
        const double here = p->side[k], there = p->side[next];
        if (stays(here)) {
            to->u[kept] = p->u[k];
            to->v[kept] = p->v[k];
            to->cut[kept++] = p->cut[k];
        }
        if (stays(here) == stays(there)) continue;
        if (++changes > 2) return false;
        const double t = here / (here - there);
        to->u[kept] = p->u[k] + t * (p->u[next] - p->u[k]);
        to->v[kept] = p->v[k] + t * (p->v[next] - p->v[k]);
        to->cut[kept++] = stays(here) ? cut : p->cut[k];
    }
    polygon_close(to, kept > 2 ? kept : 0);
    return true;
}

static inline void polygon_clip(const polygon *p, polygon *to, int32_t cut)
{
    if (clip_in_one(p, to, cut)) return;
    one_run(p->side, p->n);
    clip_in_one(p, to, cut);
}

/* Keeps the part where h >= 0. *from and *to are exchanged, and the answer is true, where something
 * was cut off. */
static inline bool cut_polygon(polygon **from, polygon **to, linear h, int32_t cut)
{
    polygon *p = *from;
    double least[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < p->n; k += 4)
        for (size_t l = 0; l < 4; l++) {
            const double side = h.c + h.u * p->u[k + l] + h.v * p->v[k + l];
            p->side[k + l] = side;
            least[l] = side < least[l] ? side : least[l];
        }
    if (!(least[0] < 0 || least[1] < 0 || least[2] < 0 || least[3] < 0)) return false;
    polygon_clip(p, *to, cut);
    *from = *to;
    *to = p;
    return true;
}

/* The integrals over a piece, in the sheet's coordinates and exact: pressure is linear. Of three
 * linear functions with values f, g, h in a triangle's corners and sums F, G, H the product has the
 * mean (F G H + F Σgh + G Σfh + H Σfg + 2 Σfgh) / 60. */
static inline void add_piece(const polygon *p, const sheet *s, linear low, press *out)
{
    double total = 0, area = 0, fu = 0, fv = 0, uu = 0, uv = 0, vv = 0, deepest = out->deepest;
    double d0 = larger(low.c + low.u * p->u[0] + low.v * p->v[0], 0),
           d1 = larger(low.c + low.u * p->u[1] + low.v * p->v[1], 0);
    deepest = larger(deepest, larger(d0, d1));
    for (size_t k = 1; k + 1 < p->n; k++) {
        const double u[3] = {p->u[0], p->u[k], p->u[k + 1]}, v[3] = {p->v[0], p->v[k], p->v[k + 1]};
        const double d[3] = {d0, d1, larger(low.c + low.u * u[2] + low.v * v[2], 0)};
        const double part = 0.5 * ((u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]));
        const double sum = d[0] + d[1] + d[2], su = u[0] + u[1] + u[2], sv = v[0] + v[1] + v[2];
        const double du[3] = {d[0] * u[0], d[1] * u[1], d[2] * u[2]},
                     dv[3] = {d[0] * v[0], d[1] * v[1], d[2] * v[2]};
        const double sdu = du[0] + du[1] + du[2], sdv = dv[0] + dv[1] + dv[2], tiny = part / 60;
        const double pu = sum * su + sdu, pv = sum * sv + sdv;
        area += part;
        total += part / 3 * sum;
        fu += part / 12 * pu;
        fv += part / 12 * pv;
        uu += tiny * (pu * su + su * sdu + sum * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
                      2 * (du[0] * u[0] + du[1] * u[1] + du[2] * u[2]));
        uv += tiny * (pu * sv + su * sdv + sum * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) +
                      2 * (du[0] * v[0] + du[1] * v[1] + du[2] * v[2]));
        vv += tiny * (pv * sv + sv * sdv + sum * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                      2 * (dv[0] * v[0] + dv[1] * v[1] + dv[2] * v[2]));
        d1 = d[2];
        deepest = larger(deepest, d1);
    }
    const double *o = s->o, *e = s->e, *g = s->g, *t = s->n;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double first[3], a[3], b[3];
    for (int k = 0; k < 3; k++) {
        first[k] = total * o[k] + fu * e[k] + fv * g[k];
        a[k] = uu * e[k] + uv * g[k] + fu * o[k];
        b[k] = uv * e[k] + vv * g[k] + fv * o[k];
        out->first[k] += first[k];
        out->force[k] += total * t[k];
        out->area[k] += area * t[k];
    }
    for (int k = 0; k < 6; k++)
        out->second[k] +=
            first[row[k]] * o[column[k]] + a[row[k]] * e[column[k]] + b[row[k]] * g[column[k]];
    out->moment[0] += first[1] * t[2] - first[2] * t[1];
    out->moment[1] += first[2] * t[0] - first[0] * t[2];
    out->moment[2] += first[0] * t[1] - first[1] * t[0];
    out->total += total;
    out->deepest = deepest;
    out->pieces++;
}

#endif
