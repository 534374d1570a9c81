/* press_near.c — the surface between two pressing bodies, piece by piece, whatever the number of their faces.
 *
 * As press.c, which has the physics, but a piece between face f of a and face g of b is cut only by the
 * faces beside f and beside g (press_cells.c): no other face can be lower there. So a piece costs the same
 * on a cube and on a body of a hundred thousand faces, and planes are brought into the world's axes when
 * a piece first asks for them.
 *
 * Where to begin. With the faces of the strongest piece of the step before. If they no longer meet, a
 * point near the last centre of pressure is moved until both depths are equal there; the lowest face at
 * a point is found by going to lower ones beside, which cannot end anywhere else: the depth is a
 * concave function, its pieces the rooms of the faces. If that finds nothing either, the caller looks
 * at all planes.
 *
 * Cost: pieces times faces beside (six to eight of either body on the average), 0.1 us each. */
#include "narrow/press_near.h"

#include <string.h>

#include "narrow/press_piece.h"
#include "scene/poly.h"

enum { MOST_FACES = 65535, TRIES = 12, LONGEST_WALK = 4096 };

/* A body and those of its planes that were asked for, by number in that order. */
typedef struct near_body {
    const press_side *side;
    const double *origin;
    double at[3];
    uint32_t stamp, *stamps, *number; /* by face */
    buffer *planes, *faces;
    buffer *spans, *lists; /* near_span by number; numbers of the faces beside */
    size_t count, listed;
    bool failed;
} near_body;

/* Where the numbers of those beside a face begin; end 0: not looked up yet. */
typedef struct near_span {
    uint32_t from, end;
} near_span;

typedef struct nearby {
    near_body body[2];
    const double (*parts)[4];
    size_t part_count;
    double size, depth; /* lists hold down to there */
    press_scratch *s;
    size_t table_size, queue_count, visited, found;
    bool wide; /* also over pieces outside the parts, which may lead to some inside */
} nearby;

/* ---- planes ---- */

static bool body_begin(near_body *n, const press_side *side, const double origin[3], int which,
                       press_scratch *s)
{
    *n = (near_body){.side = side,
                     .planes = &s->near_planes[which],
                     .faces = &s->near_faces[which],
                     .spans = &s->near_spans[which],
                     .lists = &s->near_lists[which]};
    if (side->body == NULL) {
        n->count = side->plane_count;
        if (!jo_buffer_grow(n->planes, 0, 4 * n->count, sizeof(double)) ||
            !jo_buffer_grow(n->spans, 0, n->count, sizeof(near_span)) ||
            !jo_buffer_grow(n->lists, 0, n->count, sizeof(uint32_t)))
            return false;
        memcpy(n->planes->data, side->planes, 4 * n->count * sizeof(double));
        for (uint32_t k = 0; k < n->count; k++) {
            ((near_span *)n->spans->data)[k] = (near_span){0, (uint32_t)n->count};
            ((uint32_t *)n->lists->data)[k] = k;
        }
        return true;
    }
    buffer *stamps = &s->near_stamps[which], *numbers = &s->near_numbers[which];
    const size_t had = stamps->size, nf = side->body->nf;
    if (!jo_buffer_grow(stamps, had, nf, sizeof(uint32_t)) ||
        !jo_buffer_grow(numbers, numbers->size, nf, sizeof(uint32_t)))
        return false;
    if (stamps->size > had) memset((char *)stamps->data + had, 0, stamps->size - had);
    n->stamp = s->near_stamp;
    n->stamps = stamps->data;
    n->number = numbers->data;
    for (int a = 0; a < 3; a++)
        n->at[a] = side->pose->at[a] - origin[a];
    return true;
}

/* The number of a face's plane. */
static uint32_t number_of(near_body *n, uint32_t face)
{
    if (n->stamps[face] == n->stamp) return n->number[face];
    const size_t k = n->count;
    if (((k + 1) * 4 * sizeof(double) > n->planes->size ||
         (k + 1) * sizeof(near_span) > n->spans->size ||
         (k + 1) * sizeof(uint32_t) > n->faces->size) &&
        (!jo_buffer_grow(n->planes, 4 * k * sizeof(double), 4 * (k + 32), sizeof(double)) ||
         !jo_buffer_grow(n->spans, k * sizeof(near_span), k + 32, sizeof(near_span)) ||
         !jo_buffer_grow(n->faces, k * sizeof(uint32_t), k + 32, sizeof(uint32_t)))) {
        n->failed = true;
        return 0;
    }
    const double *m = n->side->pose->turn, *in = n->side->body->planes + 4 * (size_t)face;
    double *out = (double *)n->planes->data + 4 * k;
    for (int r = 0; r < 3; r++)
        out[r] = m[3 * r] * in[0] + m[3 * r + 1] * in[1] + m[3 * r + 2] * in[2];
    out[3] = in[3] + press_dot(out, n->at) + n->side->more;
    ((uint32_t *)n->faces->data)[k] = face;
    ((near_span *)n->spans->data)[k] = (near_span){0, 0};
    n->stamps[face] = n->stamp;
    n->number[face] = (uint32_t)k;
    n->count++;
    return (uint32_t)k;
}

static const double *plane_at(const near_body *n, uint32_t k)
{
    return (const double *)n->planes->data + 4 * (size_t)k;
}

/* Looks up the faces beside one. */
static near_span look_beside(near_body *n, uint32_t k)
{
    const uint32_t *first = n->side->cells->first.data, *beside = n->side->cells->beside.data,
                   face = ((const uint32_t *)n->faces->data)[k];
    const uint32_t count = first[face + 1] - first[face];
    near_span span = {(uint32_t)n->listed, (uint32_t)n->listed + count};
    if ((n->listed + count) * sizeof(uint32_t) > n->lists->size &&
        !jo_buffer_grow(n->lists, n->listed * sizeof(uint32_t), n->listed + count + 64,
                        sizeof(uint32_t))) {
        n->failed = true;
        return (near_span){0, 0};
    }
    uint32_t *out = (uint32_t *)n->lists->data + n->listed;
    for (uint32_t c = 0; c < count; c++)
        out[c] = number_of(n, beside[first[face] + c]);
    n->listed += count;
    if (!n->failed) ((near_span *)n->spans->data)[k] = span;
    return span;
}

static near_span beside(near_body *n, uint32_t k)
{
    const near_span span = ((const near_span *)n->spans->data)[k];
    return span.end > 0 ? span : look_beside(n, k);
}

/* ---- pieces ---- */

/* Pairs that were or will be looked at, in a table that is forgotten when the stamp changes. */
static bool go_to(nearby *w, uint32_t i, uint32_t j)
{
    press_scratch *s = w->s;
    if (2 * (w->queue_count + 1) > w->table_size) {
        const size_t larger = w->table_size > 0 ? 4 * w->table_size : 64;
        if (!jo_buffer_grow(&s->near_seen, 0, larger, sizeof(uint64_t)) ||
            !jo_buffer_grow(&s->near_queue, w->queue_count * sizeof(uint32_t), larger,
                            sizeof(uint32_t)))
            return false;
        uint64_t *table = s->near_seen.data;
        const uint32_t *queue = s->near_queue.data;
        memset(table, 0, larger * sizeof *table);
        w->table_size = larger;
        for (size_t k = 0; k < w->queue_count; k++) {
            size_t at = queue[k] * UINT32_C(2654435761) % larger;
            while (table[at] != 0)
                at = (at + 1) % larger;
            table[at] = (uint64_t)queue[k] + 1;
        }
    }
    uint64_t *table = s->near_seen.data;
    const uint32_t key = i << 16 | j;
    size_t at = key * UINT32_C(2654435761) % w->table_size;
    for (; table[at] != 0; at = (at + 1) % w->table_size)
        if (table[at] == (uint64_t)key + 1) return true;
    table[at] = (uint64_t)key + 1;
    ((uint32_t *)s->near_queue.data)[w->queue_count++] = key;
    return true;
}

/* Cuts by the faces beside face k of one body; cuts are numbered 2 k for a, 2 k + 1 for b. */
static void cut_beside(nearby *w, int which, uint32_t k, const sheet *s, linear low, polygon **from,
                       polygon **to)
{
    near_body *body = &w->body[which];
    const near_span span = beside(body, k);
    const uint32_t *list = body->lists->data;
    const double *planes = body->planes->data;
    for (uint32_t c = span.from; c < span.end && (*from)->n > 0; c++) {
        const uint32_t h = list[c];
        if (h == k) continue;
        const linear other = height_on(s, planes + 4 * (size_t)h);
        cut_polygon(from, to, (linear){other.c - low.c, other.u - low.u, other.v - low.v},
                    (int32_t)(2 * h) + which);
    }
}

static void cut_parts(const nearby *w, const sheet *s, polygon **from, polygon **to)
{
    for (size_t k = 0; k < w->part_count && (*from)->n > 0; k++) {
        const double *p = w->parts[k];
        const linear side = {press_dot(p, s->o) + p[3], press_dot(p, s->e), press_dot(p, s->g)};
        cut_polygon(from, to, side, CUT_PART);
    }
}

/* Room for a polygon between faces i and j. */
static bool corners_room(nearby *w, uint32_t i, uint32_t j, polygon room[2])
{
    const near_span a = beside(&w->body[0], i), b = beside(&w->body[1], j);
    const size_t most = 8 + w->part_count + (a.end - a.from) + (b.end - b.from);
    if (polygons_size(most) > w->s->corners.size &&
        !jo_buffer_grow(&w->s->corners, 0, polygons_size(most), 1))
        return false;
    polygons_place(w->s->corners.data, most, room);
    return true;
}

/* Those beside a piece of faces i and j are to be looked at. */
static bool go_on(nearby *w, uint32_t i, uint32_t j, const polygon *p)
{
    for (size_t c = 0; c < p->n; c++) {
        if (p->cut[c] < 0) continue;
        const uint32_t h = (uint32_t)p->cut[c] / 2;
        if (!(p->cut[c] % 2 == 0 ? go_to(w, h, j) : go_to(w, i, h))) return false;
    }
    return true;
}

/* Adds the piece between faces i and j, and those beside it to the queue. */
static press_found visit(nearby *w, uint32_t i, uint32_t j, press *out)
{
    polygon room[2], *from = &room[0], *to = &room[1];
    sheet s;
    if (!corners_room(w, i, j, room)) return PRESS_NO_MEMORY;
    const double *pi = plane_at(&w->body[0], i), *pj = plane_at(&w->body[1], j);
    const double across[3] = {pj[0] - pi[0], pj[1] - pi[1], pj[2] - pi[2]};
    const double length = sqrt(press_dot(across, across));
    if (length < 1e-9) return PRESS_LOST; /* one is always lower */
    lay_sheet(&s, across, length, pj[3] - pi[3]);
    const linear low = height_on(&s, pi);
    start_polygon(from, w->size);
    cut_polygon(&from, &to, low, CUT_ZERO);
    if (!w->wide) cut_parts(w, &s, &from, &to);
    cut_beside(w, 0, i, &s, low, &from, &to);
    cut_beside(w, 1, j, &s, low, &from, &to);
    if (from->n == 0) return PRESS_LOST;
    w->found++;
    if (!go_on(w, i, j, from)) return PRESS_NO_MEMORY;
    if (w->wide) cut_parts(w, &s, &from, &to);
    if (from->n > 0) add_piece(from, &s, low, out);
    if (w->body[0].failed || w->body[1].failed) return PRESS_NO_MEMORY;
    const bool many = w->body[0].count > MOST_FACES / 2 || w->body[1].count > MOST_FACES / 2;
    return out->deepest > w->depth || many ? PRESS_DEEP : PRESS_YES;
}

/* ---- where to begin ---- */

static double height(const near_body *n, uint32_t k, const double x[3])
{
    const double *p = plane_at(n, k);
    return p[3] - press_dot(p, x);
}

/* The lowest face at x, from face k on. */
static uint32_t lowest_at(near_body *n, uint32_t k, const double x[3])
{
    double low = height(n, k, x);
    for (int walked = 0; walked < LONGEST_WALK; walked++) {
        uint32_t best = k;
        const near_span span = beside(n, k);
        for (uint32_t c = span.from; c < span.end; c++) {
            const uint32_t h = ((const uint32_t *)n->lists->data)[c];
            const double there = height(n, h, x);
            if (there < low) {
                low = there;
                best = h;
            }
        }
        if (best == k || n->failed) return k;
        k = best;
    }
    return k;
}

/* Faces that meet on the surface near x. */
static bool settle(nearby *w, const double hint[3], uint32_t *i, uint32_t *j)
{
    double x[3] = {hint[0], hint[1], hint[2]};
    for (int tried = 0; tried < TRIES; tried++) {
        const uint32_t was_i = *i, was_j = *j;
        *i = lowest_at(&w->body[0], *i, x);
        *j = lowest_at(&w->body[1], *j, x);
        if (tried > 0 && *i == was_i && *j == was_j) return height(&w->body[0], *i, x) > 0;
        const double *pi = plane_at(&w->body[0], *i), *pj = plane_at(&w->body[1], *j);
        double slope[3], square = 0;
        for (int a = 0; a < 3; a++) {
            slope[a] = pj[a] - pi[a];
            square += slope[a] * slope[a];
        }
        if (square < 1e-12) return false;
        const double miss = height(&w->body[0], *i, x) - height(&w->body[1], *j, x);
        for (int a = 0; a < 3; a++)
            x[a] -= miss / square * slope[a];
    }
    return false;
}

static uint32_t first_face(near_body *n)
{
    const press_side *side = n->side;
    if (side->body == NULL) return side->start < n->count ? side->start : 0;
    return number_of(n, side->start < side->body->nf ? side->start : 0);
}

static uint32_t name_of(const near_body *n, uint32_t k)
{
    return n->side->body == NULL ? k : ((const uint32_t *)n->faces->data)[k];
}

/* Goes over all pieces that hang together with those in the queue. */
static press_found walk_on(nearby *w, press *out)
{
    double most = 0;
    while (w->visited < w->queue_count) {
        const uint32_t key = ((const uint32_t *)w->s->near_queue.data)[w->visited++];
        const double before = out->total;
        const press_found found = visit(w, key >> 16, key & 0xffff, out);
        if (found == PRESS_DEEP || found == PRESS_NO_MEMORY) return found;
        if (out->total - before <= most) continue;
        most = out->total - before;
        out->a = name_of(&w->body[0], key >> 16);
        out->b = name_of(&w->body[1], key & 0xffff);
    }
    return out->total > 0 ? PRESS_YES : PRESS_LOST;
}

press_found jo_press_near(const press_side *a, const press_side *b, const double (*parts)[4],
                          size_t part_count, const double origin[3], double size,
                          const double hint[3], press_scratch *s, press *out)
{
    nearby w = {.parts = parts, .part_count = part_count, .size = size, .s = s};
    *out = (press){.pieces = 0};
    if (++s->near_stamp == 0) { /* after four thousand million contacts */
        for (int k = 0; k < 2; k++)
            if (s->near_stamps[k].size > 0)
                memset(s->near_stamps[k].data, 0, s->near_stamps[k].size);
        s->near_stamp = 1;
    }
    if (!body_begin(&w.body[0], a, origin, 0, s) || !body_begin(&w.body[1], b, origin, 1, s))
        return PRESS_NO_MEMORY;
    w.depth = fmin(a->body != NULL ? a->cells->depth : (double)INFINITY,
                   b->body != NULL ? b->cells->depth : (double)INFINITY);
    uint32_t i = first_face(&w.body[0]), j = first_face(&w.body[1]);
    if (!go_to(&w, i, j)) return PRESS_NO_MEMORY;
    const press_found found = walk_on(&w, out);
    if (found != PRESS_LOST) return found;
    if (!settle(&w, hint, &i, &j))
        return w.body[0].failed || w.body[1].failed ? PRESS_NO_MEMORY : PRESS_LOST;
    w.queue_count = w.visited = w.table_size = 0;
    w.wide = part_count > 0;
    if (!go_to(&w, i, j)) return PRESS_NO_MEMORY;
    const press_found again = walk_on(&w, out);
    return again == PRESS_LOST && w.wide && w.found > 0 ? PRESS_NO : again;
}
