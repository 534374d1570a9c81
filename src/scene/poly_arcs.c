/* poly_arcs.c — the edges of a polyhedron as arcs on the sphere of directions, to be searched from
 * above.
 *
 * An edge is the arc between the normals of its two faces. Eight arcs that are neighbours lie
 * together with a cone around each; eight cones around those eights make the next level, and so on
 * to the top. A search for all arcs that reach into a cap of the sphere tests eight cones at a time
 * and goes down where they meet it (narrow/least_axis.h).
 *
 * Bodies of few vertices or faces have those by fours and eights as well, so that all can be looked
 * at.
 *
 * Method: arcs are sorted along Morton's curve by the middle of their normals. Cones are rounded
 * outwards by far more than float can lose. Cost: O(edges log edges) when a shape is made, some 150
 * bytes an edge. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/poly.h"

typedef struct keyed_edge {
    uint64_t key;
    uint32_t edge;
} keyed_edge;

static int by_key(const void *a, const void *b)
{
    const keyed_edge *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return p->edge < q->edge ? -1 : p->edge > q->edge;
}

static size_t eights(size_t n)
{
    return (n + 7) / 8;
}

/* Of all levels together. */
static size_t cones_of(size_t arcs)
{
    size_t sum = 0;
    for (size_t n = arcs; n > 1; n = eights(n))
        sum += eights(n);
    return sum;
}

static size_t corner_bytes(size_t nv)
{
    return nv <= POLY_CORNERS ? (nv + 3) / 4 * 12 * sizeof(double) : 0;
}

static size_t face_bytes(size_t nv, size_t nf)
{
    return nf <= POLY_FACES ? eights(nf) * sizeof(poly_faces) + 3 * nv * sizeof(float) : 0;
}

static bool is_few(size_t nh, size_t nf)
{
    return nf <= POLY_FEW_FACES && nh / 2 <= POLY_FEW_EDGES;
}

size_t jo_poly_arcs_bytes(size_t nv, size_t nh, size_t nf)
{
    const size_t arcs = eights(nh / 2);
    const size_t bytes = arcs * sizeof(poly_arcs) + nh / 2 * sizeof(poly_arc) +
                         cones_of(arcs) * sizeof(poly_cones) + corner_bytes(nv) +
                         face_bytes(nv, nf) + (nf == 4 ? sizeof(poly_tetra) + JO_ALIGNMENT : 0) +
                         (is_few(nh, nf) ? sizeof(poly_few) + JO_ALIGNMENT : 0);
    return (bytes + JO_ALIGNMENT - 1) / JO_ALIGNMENT * JO_ALIGNMENT;
}

/* The cosine of a cone that is too wide to tell anything: whatever comes is above it. */
static const float too_wide = -1e6f;

/* Sets cone l around unit axis a, which need not be exactly one, and everything within `cosine` of
 * it. */
static void set_cone(poly_cones *c, size_t l, const double a[3], double cosine, double reach)
{
    const double loss = 1e-5;
    c->reach[l] = (float)(reach - 1e-6);
    c->x[l] = (float)a[0];
    c->y[l] = (float)a[1];
    c->z[l] = (float)a[2];
    c->cosine[l] = too_wide;
    c->sine[l] = 0.0f;
    if (!(cosine > 0.1)) return;
    const double wide = fmin(cosine, 1.0) - loss;
    c->cosine[l] = (float)wide;
    c->sine[l] = (float)sqrt(1.0 - wide * wide);
}

static bool unit(double a[3])
{
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    if (!(length > 1e-3)) return false;
    for (int k = 0; k < 3; k++)
        a[k] /= length;
    return true;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint64_t morton(const double n[3])
{
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) {
        const uint64_t cell = (uint64_t)(0.5 * (n[i] + 1.000001) * 4095.0);
        for (int bit = 0; bit < 12; bit++)
            key |= (cell >> bit & 1) << (3 * bit + i);
    }
    return key;
}

static const double *normal(const jo_polyhedron *p, uint32_t h)
{
    return p->planes + 4 * (size_t)p->face[h];
}

static void set_arc(jo_polyhedron *p, size_t at, uint32_t h)
{
    poly_arcs *a = &p->arcs[at / 8];
    const size_t l = at % 8;
    const uint32_t twin = p->twin[h];
    const double *n0 = normal(p, h), *n1 = normal(p, twin), *u = p->walls[h].ve;
    poly_arc *one = &p->arc[at];
    double middle[3], t[3];
    for (int k = 0; k < 3; k++) {
        const int x = (k + 1) % 3, y = (k + 2) % 3;
        t[k] = u[x] * n0[y] - u[y] * n0[x];
        one->u[k] = (float)u[k];
        a->t[k][l] = (float)t[k];
        one->n0[k] = a->n0[k][l] = (float)n0[k];
        one->n1[k] = a->n1[k][l] = (float)-n1[k];
        one->a[k] = (float)(p->walls[h].from[k] / p->radius);
        middle[k] = n0[k] + n1[k];
    }
    a->cosine[l] = (float)dot(n0, n1);
    a->sine[l] = (float)dot(t, n1);
    a->off0[l] = (float)(n0[3] / p->radius);
    a->off1[l] = (float)(n1[3] / p->radius);
    a->rise[l] = (float)(dot(t, p->walls[h].from) / p->radius);
    const bool known = unit(middle);
    set_cone(&a->cone, l, middle, known ? fmin(dot(middle, n0), dot(middle, n1)) : -1.0,
             fmin(n0[3], n1[3]) / p->radius);
    a->edge[l] = h;
    a->face[l] = p->face[h];
    a->face[8 + l] = p->face[twin];
    const uint32_t speaks[2] = {p->face_edge[p->face[h]], p->face_edge[p->face[twin]]};
    for (int i = 0; i < 2; i++)
        if (speaks[i] == h || speaks[i] == twin) a->first_of[i] |= 1u << l;
    a->count = (uint32_t)l + 1;
}

/* The cone around `count` cones. */
static void set_parent(const poly_cones *c, size_t count, poly_cones *to, size_t l)
{
    double axis[3] = {0}, reach = INFINITY;
    for (size_t k = 0; k < count; k++) {
        reach = fmin(reach, (double)c->reach[k]);
        axis[0] += (double)c->x[k];
        axis[1] += (double)c->y[k];
        axis[2] += (double)c->z[k];
    }
    if (!unit(axis)) {
        set_cone(to, l, axis, -1.0, reach);
        return;
    }
    double widest = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double child[3] = {(double)c->x[k], (double)c->y[k], (double)c->z[k]};
        if (c->cosine[k] < -1.0f) widest = 4.0;
        const double off = acos(fmax(-1.0, fmin(1.0, dot(axis, child))));
        widest = fmax(widest, off + acos(fmax(-1.0, (double)c->cosine[k])));
    }
    set_cone(to, l, axis, widest < 1.5 ? cos(widest) : -1.0, reach);
}

static void set_levels(jo_polyhedron *p)
{
    uint32_t at = 0;
    size_t below = p->n_arcs;
    p->levels = 0;
    while (below > 1) {
        const size_t level = p->levels++, here = eights(below);
        p->level[level] = at;
        p->level_count[level] = (uint32_t)here;
        memset(p->cones + at, 0, here * sizeof *p->cones);
        for (size_t k = 0; k < below; k++) {
            const poly_cones *child =
                level == 0 ? &p->arcs[k].cone : &p->cones[p->level[level - 1] + k];
            size_t count = level == 0 ? p->arcs[k].count : 8;
            if (level > 0 && k + 1 == below) {
                const size_t under = level == 1 ? p->n_arcs : p->level_count[level - 2];
                count = under - 8 * k;
            }
            set_parent(child, count, &p->cones[at + k / 8], k % 8);
        }
        at += (uint32_t)here;
        below = here;
    }
}

static void set_corners(jo_polyhedron *p)
{
    if (p->nv > POLY_CORNERS) {
        p->corners = NULL;
        p->corner_fours = 0;
        return;
    }
    p->corner_fours = (uint32_t)((p->nv + 3) / 4);
    for (size_t k = 0; k < 4 * (size_t)p->corner_fours; k++)
        for (size_t i = 0; i < 3; i++)
            p->corners[12 * (k / 4) + 4 * i + k % 4] =
                p->points[3 * (k < p->nv ? k : p->nv - 1) + i];
}

static void set_faces(jo_polyhedron *p)
{
    p->face_eights = p->nf <= POLY_FACES ? (uint32_t)eights(p->nf) : 0;
    if (p->face_eights == 0) {
        p->faces = NULL;
        p->spots = NULL;
        return;
    }
    p->spots = (float *)(p->faces + p->face_eights);
    for (size_t k = 0; k < 8 * (size_t)p->face_eights; k++) {
        const double *plane = p->planes + 4 * (k < p->nf ? k : p->nf - 1);
        for (size_t i = 0; i < 3; i++)
            p->faces[k / 8].n[i][k % 8] = (float)plane[i];
        p->faces[k / 8].off[k % 8] = (float)(plane[3] / p->radius);
    }
    for (size_t k = 0; k < 3 * p->nv; k++)
        p->spots[k] = (float)(p->points[k] / p->radius);
}

/* The half-edge from one vertex to another, or its twin, whichever comes first. */
static uint32_t edge_between(const jo_polyhedron *p, uint32_t from, uint32_t to)
{
    uint32_t h = p->first[from];
    while (p->origin[p->twin[h]] != to)
        h++;
    return h < p->twin[h] ? h : p->twin[h];
}

/* The face of a tetrahedron that does not have vertex v. */
static uint32_t face_without(const jo_polyhedron *p, uint32_t v)
{
    for (uint32_t f = 0; f < 3; f++) {
        const uint32_t h = p->face_edge[f], g = p->next[h];
        if (p->origin[h] != v && p->origin[g] != v && p->origin[p->next[g]] != v) return f;
    }
    return 3;
}

static void set_tetra(jo_polyhedron *p, void *memory)
{
    static const uint8_t tail[6] = {0, 0, 0, 1, 1, 2}, head[6] = {1, 2, 3, 2, 3, 3};
    p->tetra = NULL;
    if (p->nf != 4) return;
    poly_tetra *t = (poly_tetra *)((char *)memory + (-(uintptr_t)memory) % JO_ALIGNMENT);
    p->tetra = t;
    memset(t, 0, sizeof *t);
    for (uint32_t k = 0; k < 4; k++)
        t->vertex[k] = k;
    const double *x = p->points;
    double a[3], b[3], c[3];
    for (int k = 0; k < 3; k++) {
        a[k] = x[3 + k] - x[k];
        b[k] = x[6 + k] - x[k];
        c[k] = x[9 + k] - x[k];
    }
    const double turn[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                            a[0] * b[1] - a[1] * b[0]};
    if (dot(turn, c) < 0.0) {
        t->vertex[2] = 3;
        t->vertex[3] = 2;
    }
    for (int k = 0; k < 4; k++) {
        t->face[k] = face_without(p, t->vertex[k]);
        const double *plane = p->planes + 4 * (size_t)t->face[k];
        t->off[k] = (float)(plane[3] / p->radius);
        for (int i = 0; i < 3; i++) {
            t->body[i][k] = (float)(x[3 * t->vertex[k] + (uint32_t)i] / p->radius);
            t->body[i][4 + k] = (float)plane[i];
        }
    }
    for (int e = 0; e < 6; e++) {
        const uint32_t h = edge_between(p, t->vertex[tail[e]], t->vertex[head[e]]);
        const double sign = p->origin[h] == t->vertex[tail[e]] ? 1.0 : -1.0;
        t->edge[e] = h;
        for (int i = 0; i < 3; i++)
            t->u[i][e] = (float)(sign * p->walls[h].ve[i]);
    }
}

static void set_few(jo_polyhedron *p, void *memory)
{
    p->few = NULL;
    if (!is_few(p->nh, p->nf)) return;
    poly_few *f = (poly_few *)((char *)memory + (-(uintptr_t)memory) % JO_ALIGNMENT);
    p->few = f;
    memset(f, 0, sizeof *f);
    for (size_t k = 0; k < p->nh / 2; k++) {
        const uint32_t h = p->arcs[k / 8].edge[k % 8], twin = p->twin[h];
        for (int i = 0; i < 3; i++) {
            f->u[i][k] = p->arc[k].u[i];
            f->from[i][k] = p->arc[k].a[i];
        }
        f->faces[k] = (uint8_t)p->face[h];
        f->faces[POLY_FEW_EDGES + k] = (uint8_t)p->face[twin];
    }
    for (size_t k = 0; k < POLY_FEW_EDGES; k++) {
        const size_t like = k < p->nh / 2 ? k : 0;
        const uint32_t h = p->arcs[like / 8].edge[like % 8];
        f->tail[k] = (uint16_t)(16 * p->origin[h]);
        f->head[k] = (uint16_t)(16 * p->origin[p->twin[h]]);
    }
}

bool jo_poly_set_arcs(jo_polyhedron *p)
{
    keyed_edge *order = malloc(p->nh / 2 * sizeof *order);
    size_t n = 0;
    if (order == NULL) return false;
    for (uint32_t h = 0; h < p->nh; h++) {
        double middle[3];
        if (p->twin[h] < h) continue;
        for (int k = 0; k < 3; k++)
            middle[k] = normal(p, h)[k] + normal(p, p->twin[h])[k];
        unit(middle);
        order[n++] = (keyed_edge){morton(middle), h};
    }
    qsort(order, n, sizeof *order, by_key);
    p->n_arcs = (uint32_t)eights(n);
    p->arc = (poly_arc *)(p->arcs + p->n_arcs);
    p->cones = (poly_cones *)(p->arc + n);
    p->corners = (double *)(p->cones + cones_of(p->n_arcs));
    memset(p->arcs, 0, p->n_arcs * sizeof *p->arcs);
    memset(p->arc, 0, n * sizeof *p->arc);
    for (size_t k = 0; k < n; k++)
        set_arc(p, k, order[k].edge);
    free(order);
    p->faces = (poly_faces *)(p->corners + corner_bytes(p->nv) / sizeof *p->corners);
    set_levels(p);
    set_corners(p);
    set_faces(p);
    char *behind = (char *)p->faces + face_bytes(p->nv, p->nf);
    set_tetra(p, behind);
    if (p->tetra != NULL) behind = (char *)(p->tetra + 1);
    set_few(p, behind);
    return true;
}
