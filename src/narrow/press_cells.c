/* press_cells.c — for each face of a convex body, the faces beside its room.
 *
 * Method. Face h is beside face f down to depth D if the polygon {l_f = l_h <= l_k for all k, 0 <=
 * l_f <= D} has an area, l being heights over planes. At a point x of it at depth t the feet on
 * both planes lie in the faces, x + t n_f and x + t n_h: so the faces are no farther apart than D
 * |n_f - n_h|. A tree over the faces, whose nodes hold boxes around corners and around normals,
 * finds all that come so near: on a body as round as a pebble some twenty, however many there are.
 * The polygon is then cut by those alone.
 *
 * Walls of no area (where more than three rooms meet along a line) are left out: what would lie
 * beyond is as small as rounding errors.
 *
 * Faces that share an edge are beside each other without a look: a coin's face has as many
 * neighbours as the coin has sides, and each would be cut by all others.
 *
 * Cost: O(faces log faces) for round bodies, some 10 us a face; once for each shape and size. */
#include "narrow/press_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/press_islands.h"
#include "narrow/press_piece.h"
#include "scene/poly.h"

enum { LEAF = 8, FEW = 64, LEVELS = 64 };

void jo_press_cells_free(press_cells *cells)
{
    jo_buffer_free(&cells->first);
    jo_buffer_free(&cells->beside);
}

/* ---- a tree over the faces ---- */

/* Corners lie in [lo, hi] and normals in [lo + 3, hi + 3]. */
typedef struct extent {
    double lo[6], hi[6];
} extent;

typedef struct node {
    extent box;
    uint32_t begin, end; /* of the order */
    uint32_t left;       /* right is the next one; 0: a leaf */
} node;

typedef struct maker {
    const jo_polyhedron *body;
    double depth;
    extent *extents; /* of faces */
    uint32_t *order;
    node *nodes;
    uint32_t *near; /* faces that may be beside one */
    size_t near_count;
    uint32_t *next_to; /* by face: the last one met that shares an edge with it */
    polygon room[2];
} maker;

static extent extent_of_face(const jo_polyhedron *p, size_t f)
{
    extent e;
    const uint32_t first = p->face_edge[f];
    for (int a = 0; a < 3; a++) {
        e.lo[a] = INFINITY;
        e.hi[a] = -INFINITY;
        e.lo[3 + a] = e.hi[3 + a] = p->planes[4 * f + (size_t)a];
    }
    uint32_t h = first;
    do {
        const double *x = p->points + 3 * (size_t)p->origin[h];
        for (int a = 0; a < 3; a++) {
            e.lo[a] = fmin(e.lo[a], x[a]);
            e.hi[a] = fmax(e.hi[a], x[a]);
        }
        h = p->next[h];
    } while (h != first);
    return e;
}

static extent extent_of_all(const maker *m, uint32_t begin, uint32_t end)
{
    extent e = m->extents[m->order[begin]];
    for (uint32_t k = begin + 1; k < end; k++)
        for (int a = 0; a < 6; a++) {
            const extent *one = &m->extents[m->order[k]];
            e.lo[a] = fmin(e.lo[a], one->lo[a]);
            e.hi[a] = fmax(e.hi[a], one->hi[a]);
        }
    return e;
}

/* Puts faces whose middle is below that of the box along its longest edge first. */
static uint32_t divide(const maker *m, const node *n)
{
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (n->box.hi[a] - n->box.lo[a] > n->box.hi[axis] - n->box.lo[axis]) axis = a;
    const double middle = n->box.lo[axis] + n->box.hi[axis];
    uint32_t at = n->begin;
    for (uint32_t k = n->begin; k < n->end; k++) {
        const uint32_t face = m->order[k];
        if (m->extents[face].lo[axis] + m->extents[face].hi[axis] >= middle) continue;
        m->order[k] = m->order[at];
        m->order[at++] = face;
    }
    return at > n->begin && at < n->end ? at : n->begin + (n->end - n->begin) / 2;
}

static void make_tree(maker *m)
{
    size_t count = 1;
    m->nodes[0] = (node){extent_of_all(m, 0, (uint32_t)m->body->nf), 0, (uint32_t)m->body->nf, 0};
    for (size_t k = 0; k < count; k++) {
        node *n = &m->nodes[k];
        if (n->end - n->begin <= LEAF) continue;
        const uint32_t at = divide(m, n);
        n->left = (uint32_t)count;
        m->nodes[count++] = (node){extent_of_all(m, n->begin, at), n->begin, at, 0};
        m->nodes[count++] = (node){extent_of_all(m, at, n->end), at, n->end, 0};
    }
}

/* Whether face f and one of those in the extent can be beside each other. */
static bool may_meet(const maker *m, const extent *f, const extent *other)
{
    double gap2 = 0, turn2 = 0;
    for (int a = 0; a < 3; a++) {
        const double gap = fmax(fmax(other->lo[a] - f->hi[a], f->lo[a] - other->hi[a]), 0);
        const double turn =
            fmax(fabs(other->hi[3 + a] - f->lo[3 + a]), fabs(f->lo[3 + a] - other->lo[3 + a]));
        gap2 += gap * gap;
        turn2 += turn * turn;
    }
    return gap2 <= m->depth * m->depth * turn2 * (1 + 1e-9);
}

static void find_near(maker *m, uint32_t f)
{
    uint32_t stack[2 * LEVELS], waiting = 0;
    m->near_count = 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        const node *n = &m->nodes[stack[--waiting]];
        if (!may_meet(m, &m->extents[f], &n->box)) continue;
        if (n->left != 0 && waiting + 2 <= 2 * LEVELS) {
            stack[waiting++] = n->left;
            stack[waiting++] = n->left + 1;
            continue;
        }
        for (uint32_t k = n->begin; k < n->end; k++)
            if (m->order[k] != f && may_meet(m, &m->extents[f], &m->extents[m->order[k]]))
                m->near[m->near_count++] = m->order[k];
    }
}

/* ---- walls between rooms ---- */

static double area_of(const polygon *p)
{
    double area = 0;
    for (size_t k = 1; k + 1 < p->n; k++)
        area += 0.5 * ((p->u[k] - p->u[0]) * (p->v[k + 1] - p->v[0]) -
                       (p->u[k + 1] - p->u[0]) * (p->v[k] - p->v[0]));
    return area;
}

/* Whether face h, the k-th of those near f, is beside it. The order of the others changes: what
 * cuts one wall to nothing will do so with the next. */
static bool beside(maker *m, uint32_t f, uint32_t h, uint32_t *others)
{
    const double *pf = m->body->planes + 4 * (size_t)f, *ph = m->body->planes + 4 * (size_t)h;
    const double across[3] = {ph[0] - pf[0], ph[1] - pf[1], ph[2] - pf[2]};
    const double length = sqrt(press_dot(across, across)), size = m->body->radius;
    sheet s;
    polygon *from = &m->room[0], *to = &m->room[1];
    if (length < 1e-9) return false;
    lay_sheet(&s, across, length, ph[3] - pf[3]);
    const linear low = height_on(&s, pf);
    start_polygon(from, 2 * size);
    cut_polygon(&from, &to, low, CUT_ZERO);
    cut_polygon(&from, &to, (linear){m->depth - low.c, -low.u, -low.v}, CUT_ZERO);
    size_t front = 0;
    for (size_t k = 0; k < m->near_count && from->n > 0; k++) {
        const uint32_t g = others[k];
        if (g == h) continue;
        const linear other = height_on(&s, m->body->planes + 4 * (size_t)g);
        if (!cut_polygon(&from, &to, (linear){other.c - low.c, other.u - low.u, other.v - low.v},
                         CUT_PART))
            continue;
        others[k] = others[front];
        others[front++] = g;
    }
    return from->n > 0 && area_of(from) > 1e-12 * size * size;
}

static void mark_neighbours(maker *m, uint32_t f)
{
    const jo_polyhedron *p = m->body;
    const uint32_t first = p->face_edge[f];
    uint32_t h = first;
    do {
        m->next_to[p->face[p->twin[h]]] = f;
        h = p->next[h];
    } while (h != first);
}

static bool list_face(maker *m, uint32_t f, uint32_t *others, size_t *count, press_cells *out)
{
    find_near(m, f);
    mark_neighbours(m, f);
    memcpy(others, m->near, m->near_count * sizeof *others);
    for (size_t k = 0; k < m->near_count; k++) {
        if (m->next_to[m->near[k]] != f && !beside(m, f, m->near[k], others)) continue;
        if (!jo_buffer_grow(&out->beside, *count * sizeof(uint32_t), *count + 1, sizeof(uint32_t)))
            return false;
        ((uint32_t *)out->beside.data)[(*count)++] = m->near[k];
    }
    return true;
}

bool jo_press_cells_make(const jo_polyhedron *body, press_cells *cells)
{
    const size_t nf = body->nf;
    maker m = {.body = body, .depth = nf <= FEW ? 2 * body->radius : 0.25 * body->radius};
    m.extents = malloc(nf * sizeof *m.extents);
    m.nodes = malloc((2 * nf + 2) * sizeof *m.nodes);
    m.order = malloc(4 * nf * sizeof *m.order);
    void *corners = malloc(polygons_size(nf + 8));
    bool fine = m.extents != NULL && m.nodes != NULL && m.order != NULL && corners != NULL &&
                jo_buffer_reserve(&cells->first, nf + 1, sizeof(uint32_t));
    if (fine) {
        size_t count = 0;
        uint32_t *first = cells->first.data;
        m.near = m.order + nf;
        m.next_to = m.order + 3 * nf;
        polygons_place(corners, nf + 8, m.room);
        for (size_t f = 0; f < nf; f++) {
            m.extents[f] = extent_of_face(body, f);
            m.order[f] = (uint32_t)f;
            m.next_to[f] = UINT32_MAX;
        }
        make_tree(&m);
        for (size_t f = 0; f < nf && fine; f++) {
            first[f] = (uint32_t)count;
            fine = list_face(&m, (uint32_t)f, m.order + 2 * nf, &count, cells);
        }
        first[nf] = (uint32_t)count;
        cells->depth = nf <= FEW ? (double)INFINITY : m.depth;
        jo_press_sharpness(body, &cells->at_vertices, &cells->at_edges);
    }
    free(m.extents);
    free(m.nodes);
    free(m.order);
    free(corners);
    if (!fine) jo_press_cells_free(cells);
    return fine;
}
