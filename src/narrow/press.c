/* press.c — how two overlapping convex bodies press on each other.
 *
 * Why this way. A force at the deepest corner jumps from corner to corner, and a force that only
 * knows the volume of the overlap does not notice a cube that rocks on its face. Here each body has
 * a field p(x), the depth of x below its surface: the least of the heights l_f(x) = d_f - n_f·x
 * over its faces. The potential of two bodies is U = integral over what they share of min(p_a,
 * p_b). Move a: on the border of what they share the smaller depth is 0, so only the part where p_a
 * is the smaller one contributes, and there the integral of the gradient of p_a becomes one over
 * the surface G where p_a = p_b, between both. So the force on a is the integral of p n over G, n
 * pointing from b to a; its moment that of r x (p n); b gets the opposite on the same surface.
 * Energy, momentum and angular momentum are therefore kept to rounding errors, whatever touches
 * what: faces, edges, corners. A face on a face is a mattress of springs, which is why cubes stand.
 * (The field is that of elastic foundations; two such fields, and the surface between them, are
 * known as hydroelastic contact.)
 *
 * G consists of flat pieces: where face f of a and face g of b are the lowest, it lies in the plane
 * l_f = l_g, cut by l_h >= l_f for all other faces h. The edges of a piece say which faces rule
 * beyond them, so the pieces are found by walking from one to the next, beginning with one of the
 * step before. Pieces number about as many as faces near the contact, however many the bodies have:
 * only the planes that jo_press_cap finds count. In its direction `up` let the bodies overlap by
 * `depth`: what they share lies between a's topmost point and that depth below it, and a's surface
 * there belongs to faces that come so high.
 *
 * The potential itself is the sum of l_f over the cells in which f is the lowest. On each cell
 * div(l_f (x - q)) = 4 l_f for any q in the plane of f, so that it becomes a quarter of integrals
 * over the borders of cells: those between a face of a and one of b, two of a, two of b, and the
 * borders given as `parts`.
 *
 * Cost: (faces near the contact)² comparisons of corners with planes; no memory but the scratch. */
#include "narrow/press.h"

#include <math.h>
#include <string.h>

#include "narrow/press_piece.h"
#include "scene/poly.h"

void jo_press_scratch_free(press_scratch *s)
{
    jo_buffer_free(&s->vertex_seen);
    jo_buffer_free(&s->face_seen);
    jo_buffer_free(&s->stack);
    jo_buffer_free(&s->corners);
    jo_buffer_free(&s->seen);
    jo_buffer_free(&s->queue);
    jo_buffer_free(&s->order);
    for (int k = 0; k < 2; k++) {
        jo_buffer_free(&s->near_stamps[k]);
        jo_buffer_free(&s->near_numbers[k]);
        jo_buffer_free(&s->near_planes[k]);
        jo_buffer_free(&s->near_faces[k]);
        jo_buffer_free(&s->near_spans[k]);
        jo_buffer_free(&s->near_lists[k]);
        jo_buffer_free(&s->near_columns[k]);
    }
    jo_buffer_free(&s->near_seen);
    jo_buffer_free(&s->near_queue);
    jo_buffer_free(&s->record_pieces);
    jo_buffer_free(&s->record_cuts);
}

void jo_press_planes_free(press_planes *p)
{
    jo_buffer_free(&p->planes);
    jo_buffer_free(&p->faces);
}

bool jo_press_plane(press_planes *out, const double normal[3], double offset, uint32_t face)
{
    const size_t n = out->count;
    if (!jo_buffer_grow(&out->planes, 4 * n * sizeof(double), 4 * (n + 1), sizeof(double)) ||
        !jo_buffer_grow(&out->faces, n * sizeof(uint32_t), n + 1, sizeof(uint32_t)))
        return false;
    double *plane = (double *)out->planes.data + 4 * n;
    memcpy(plane, normal, 3 * sizeof *plane);
    plane[3] = offset;
    ((uint32_t *)out->faces.data)[n] = face;
    out->count++;
    return true;
}

/* ---- which faces can matter ---- */

/* Room for stamps of all vertices and faces, and a new stamp. */
static bool begin_walk(press_scratch *s, const jo_polyhedron *body)
{
    const size_t had_v = s->vertex_seen.size, had_f = s->face_seen.size;
    if (!jo_buffer_grow(&s->vertex_seen, had_v, body->nv, sizeof(uint32_t)) ||
        !jo_buffer_grow(&s->face_seen, had_f, body->nf, sizeof(uint32_t)) ||
        !jo_buffer_grow(&s->stack, 0, body->nv, sizeof(uint32_t)))
        return false;
    if (s->vertex_seen.size > had_v)
        memset((char *)s->vertex_seen.data + had_v, 0, s->vertex_seen.size - had_v);
    if (s->face_seen.size > had_f)
        memset((char *)s->face_seen.data + had_f, 0, s->face_seen.size - had_f);
    if (++s->stamp == 0) { /* after four thousand million walks */
        memset(s->vertex_seen.data, 0, s->vertex_seen.size);
        memset(s->face_seen.data, 0, s->face_seen.size);
        s->stamp = 1;
    }
    return true;
}

bool jo_press_cap(const jo_polyhedron *body, const jo_pose *pose, const double origin[3],
                  const double up[3], uint32_t top, double depth, double more, press_scratch *s,
                  press_planes *out)
{
    const double *m = pose->turn;
    double d[3], at[3];
    if (!begin_walk(s, body)) return false;
    for (int a = 0; a < 3; a++) {
        d[a] = m[a] * up[0] + m[3 + a] * up[1] + m[6 + a] * up[2];
        at[a] = pose->at[a] - origin[a];
    }
    uint32_t *vertices = s->vertex_seen.data, *faces = s->face_seen.data, *stack = s->stack.data;
    /* A hair deeper than asked for: rounding must not lose a face. */
    const double level =
        press_dot(d, body->points + 3 * (size_t)top) - depth - 1e-12 * body->radius;
    size_t waiting = 0;
    stack[waiting++] = top;
    vertices[top] = s->stamp;
    while (waiting > 0) {
        const uint32_t v = stack[--waiting];
        for (uint32_t h = body->first[v]; h < body->first[v + 1]; h++) {
            const uint32_t f = body->face[h], to = body->origin[body->twin[h]];
            if (faces[f] != s->stamp) {
                const double *plane = body->planes + 4 * (size_t)f;
                double n[3];
                faces[f] = s->stamp;
                for (int r = 0; r < 3; r++)
                    n[r] = m[3 * r] * plane[0] + m[3 * r + 1] * plane[1] + m[3 * r + 2] * plane[2];
                if (!jo_press_plane(out, n, plane[3] + press_dot(n, at) + more, f)) return false;
            }
            if (vertices[to] == s->stamp) continue;
            vertices[to] = s->stamp;
            if (press_dot(d, body->points + 3 * (size_t)to) >= level) stack[waiting++] = to;
        }
    }
    return true;
}

/* ---- the pieces ---- */

/* All planes, a's first. */
typedef struct pressing {
    const double *a, *b; /* planes */
    size_t na, nb;
    const double (*parts)[4];
    size_t part_count;
    double size;
    polygon room[2];
    uint32_t *order; /* of planes: those that cut the piece before come first */
} pressing;

static const double *plane_of(const pressing *w, size_t k)
{
    return k < w->na ? w->a + 4 * k : w->b + 4 * (k - w->na);
}

static bool pressing_begin(pressing *w, const press_planes *a, const press_planes *b,
                           const double (*parts)[4], size_t part_count, double size,
                           press_scratch *s)
{
    const size_t corners = a->count + b->count + part_count + 8;
    if (!jo_buffer_grow(&s->corners, 0, polygons_size(corners), 1) ||
        !jo_buffer_grow(&s->order, 0, corners, sizeof(uint32_t)))
        return false;
    *w = (pressing){.a = a->planes.data,
                    .b = b->planes.data,
                    .na = a->count,
                    .nb = b->count,
                    .parts = parts,
                    .part_count = part_count,
                    .size = size};
    polygons_place(s->corners.data, corners, w->room);
    w->order = s->order.data;
    for (size_t k = 0; k < w->na + w->nb; k++)
        w->order[k] = (uint32_t)k;
    return true;
}

/* Cuts a polygon on the sheet by what faces `i` and `j` (which may be the same) must fulfil to be
 * the lowest; `low` is their height. */
static const polygon *cut_by_all(pressing *w, const sheet *s, linear low, size_t i, size_t j,
                                 size_t without_part)
{
    polygon *from = &w->room[0], *to = &w->room[1];
    start_polygon(from, w->size);
    cut_polygon(&from, &to, low, CUT_ZERO);
    for (size_t k = 0; k < w->part_count && from->n > 0; k++) {
        if (k == without_part) continue;
        const double *p = w->parts[k];
        const linear side = {press_dot(p, s->o) + p[3], press_dot(p, s->e), press_dot(p, s->g)};
        cut_polygon(&from, &to, side, CUT_PART);
    }
    size_t front = 0;
    for (size_t k = 0; k < w->na + w->nb && from->n > 0; k++) {
        const uint32_t h = w->order[k];
        if (h == i || h == j) continue;
        const linear other = height_on(s, plane_of(w, h));
        if (!cut_polygon(&from, &to, (linear){other.c - low.c, other.u - low.u, other.v - low.v},
                         (int32_t)h))
            continue;
        w->order[k] = w->order[front]; /* it will probably cut the next piece, too */
        w->order[front++] = h;
    }
    return from->n > 0 ? from : NULL;
}

/* The border between the cells of faces i and j, seen from i towards j. NULL: there is none. */
static const polygon *piece_between(pressing *w, size_t i, size_t j, sheet *s, linear *low)
{
    const double *pi = plane_of(w, i), *pj = plane_of(w, j);
    const double m[3] = {pj[0] - pi[0], pj[1] - pi[1], pj[2] - pi[2]},
                 length = sqrt(press_dot(m, m));
    if (length < 1e-9) return NULL; /* faces in the same direction: one is always lower */
    lay_sheet(s, m, length, pj[3] - pi[3]);
    *low = height_on(s, pi);
    return cut_by_all(w, s, *low, i, j, SIZE_MAX);
}

/* Integral of a height over a polygon. */
static double sum_over(const polygon *p, linear low)
{
    double sum = 0;
    for (size_t k = 1; k + 1 < p->n; k++) {
        const double area = 0.5 * ((p->u[k] - p->u[0]) * (p->v[k + 1] - p->v[0]) -
                                   (p->u[k + 1] - p->u[0]) * (p->v[k] - p->v[0]));
        const double u = p->u[0] + p->u[k] + p->u[k + 1], v = p->v[0] + p->v[k] + p->v[k + 1];
        sum += area * (low.c + (low.u * u + low.v * v) / 3);
    }
    return sum;
}

/* Pieces that wait, and those that have been seen: pairs (i, j) of `wide` x `tall`. */
typedef struct walk {
    uint8_t *seen;
    uint32_t *queue;
    size_t wide, waiting;
} walk;

static bool walk_begin(walk *k, size_t wide, size_t tall, press_scratch *s)
{
    if (!jo_buffer_grow(&s->seen, 0, wide * tall, 1) ||
        !jo_buffer_grow(&s->queue, 0, wide * tall, sizeof(uint32_t)))
        return false;
    *k = (walk){s->seen.data, s->queue.data, wide, 0};
    memset(k->seen, 0, wide * tall);
    return true;
}

static void walk_to(walk *k, size_t i, size_t j)
{
    const size_t at = j * k->wide + i;
    if (k->seen[at]) return;
    k->seen[at] = 1;
    k->queue[k->waiting++] = (uint32_t)at;
}

static size_t find_face(const press_planes *p, uint32_t face)
{
    const uint32_t *faces = p->faces.data;
    for (size_t k = 0; k < p->count; k++)
        if (faces[k] == face) return k;
    return SIZE_MAX;
}

/* Looks at piece (i, j) and lets the walk go on to its neighbours. */
static bool visit(pressing *w, walk *k, size_t i, size_t j, press *out)
{
    sheet s;
    linear low;
    const polygon *p = piece_between(w, i, w->na + j, &s, &low);
    if (p == NULL) return false;
    add_piece(p, &s, low, out);
    for (size_t c = 0; c < p->n; c++) {
        if (p->cut[c] < 0) continue;
        const size_t h = (size_t)p->cut[c];
        if (h < w->na)
            walk_to(k, h, j);
        else
            walk_to(k, i, h - w->na);
    }
    return true;
}

bool jo_press(const press_planes *a, const press_planes *b, const double (*parts)[4],
              size_t part_count, double size, uint32_t start_a, uint32_t start_b, press_scratch *s,
              press *out)
{
    pressing w;
    walk k;
    *out = (press){.pieces = 0};
    if (!pressing_begin(&w, a, b, parts, part_count, size, s) ||
        !walk_begin(&k, a->count, b->count, s)) {
        out->pieces = UINT32_MAX;
        return false;
    }
    size_t i = find_face(a, start_a), j = find_face(b, start_b);
    bool found = i != SIZE_MAX && j != SIZE_MAX;
    if (found) {
        k.seen[j * k.wide + i] = 1;
        found = visit(&w, &k, i, j, out);
    }
    for (j = 0; j < b->count && !found; j++)
        for (i = 0; i < a->count && !found; i++) {
            if (k.seen[j * k.wide + i]) continue;
            k.seen[j * k.wide + i] = 1;
            found = visit(&w, &k, i, j, out);
            start_a = ((const uint32_t *)a->faces.data)[i];
            start_b = ((const uint32_t *)b->faces.data)[j];
        }
    double most = out->total;
    while (k.waiting > 0) {
        const size_t at = k.queue[--k.waiting];
        const double before = out->total;
        i = at % k.wide;
        j = at / k.wide;
        visit(&w, &k, i, j, out);
        if (out->total - before <= most) continue;
        most = out->total - before;
        start_a = ((const uint32_t *)a->faces.data)[i];
        start_b = ((const uint32_t *)b->faces.data)[j];
    }
    out->a = start_a;
    out->b = start_b;
    return out->total > 0;
}

/* ---- the potential ---- */

/* Cells against the borders that `parts` are. */
static double energy_at_parts(pressing *w)
{
    double sum = 0;
    for (size_t k = 0; k < w->part_count; k++) {
        const double *p = w->parts[k], length = sqrt(press_dot(p, p));
        sheet s;
        lay_sheet(&s, p, length, -p[3]);
        for (size_t i = 0; i < w->na + w->nb; i++) {
            const double *plane = plane_of(w, i), foot = plane[3] * press_dot(plane, p) + p[3];
            const linear low = height_on(&s, plane);
            const polygon *cell = cut_by_all(w, &s, low, i, i, k);
            if (cell != NULL) sum += sum_over(cell, low) * foot / length;
        }
    }
    return sum;
}

double jo_press_energy(const press_planes *a, const press_planes *b, const double (*parts)[4],
                       size_t part_count, double size, const press *known, press_scratch *s)
{
    pressing w;
    walk k;
    const size_t all = a->count + b->count;
    if (!pressing_begin(&w, a, b, parts, part_count, size, s) || !walk_begin(&k, all, all, s))
        return (double)NAN;
    const size_t i0 = find_face(a, known->a), j0 = find_face(b, known->b);
    double sum = energy_at_parts(&w);
    if (i0 == SIZE_MAX || j0 == SIZE_MAX) return 0;
    walk_to(&k, i0, a->count + j0);
    while (k.waiting > 0) {
        const size_t at = k.queue[--k.waiting], i = at % all, j = at / all;
        sheet on;
        linear low;
        const polygon *p = piece_between(&w, i, j, &on, &low);
        if (p == NULL) continue;
        const double *pi = plane_of(&w, i), *pj = plane_of(&w, j);
        const double apart = pj[3] * press_dot(pj, on.n) - pi[3] * press_dot(pi, on.n);
        sum += sum_over(p, low) * apart;
        for (size_t c = 0; c < p->n; c++) {
            if (p->cut[c] < 0) continue;
            const size_t h = (size_t)p->cut[c];
            walk_to(&k, i < h ? i : h, i < h ? h : i);
            walk_to(&k, j < h ? j : h, j < h ? h : j);
        }
    }
    return 0.25 * sum;
}
