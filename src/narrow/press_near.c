/* press_near.c — the surface between two pressing bodies, piece by piece, whatever the number of
 * their faces.
 *
 * As press.c, which has the physics, but a piece between face f of a and face g of b is cut only by
 * the faces beside f and beside g (press_cells.c): no other face can be lower there. So a piece
 * costs the same on a cube and on a body of a hundred thousand faces, and planes are brought into
 * the world's axes when a piece first asks for them.
 *
 * Where to begin. With the faces of the strongest piece of the step before. If they no longer meet,
 * a point near the last centre of pressure is moved until both depths are equal there; the lowest
 * face at a point is found by going to lower ones beside, which cannot end anywhere else: the depth
 * is a concave function, its pieces the rooms of the faces. If that finds nothing either, the
 * caller looks at all planes.
 *
 * Islands. The surface between sharp bodies need not hang together: see press_islands.h.
 *
 * Cost: pieces times faces beside (six to eight of either body on the average), 0.1 us each. */
#include "narrow/press_near.h"

#include <string.h>

#include "narrow/press_islands.h"
#include "narrow/press_piece.h"
#include "scene/poly.h"

enum { TRIES = 12, LONGEST_WALK = 4096 };

/* A body and those of its planes that were asked for, by number in that order. */
typedef struct near_body {
    const press_side *side;
    const double *origin;
    double at[3];
    uint32_t stamp, *stamps, *number; /* by face */
    buffer *planes, *faces;
    buffer *spans, *lists; /* near_span by number; numbers of the faces beside */
    buffer *columns; /* of a span of c faces: c of the first number of planes, c of the second … */
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
    double most; /* the strongest piece's share of the pressure */
    bool wide;   /* also over pieces outside the parts, which may lead to some inside */
} nearby;

/* ---- planes ---- */

static bool body_begin(near_body *n, const press_side *side, const double origin[3], int which,
                       press_scratch *s)
{
    *n = (near_body){.side = side,
                     .planes = &s->near_planes[which],
                     .faces = &s->near_faces[which],
                     .spans = &s->near_spans[which],
                     .lists = &s->near_lists[which],
                     .columns = &s->near_columns[which]};
    if (side->body == NULL) {
        n->count = side->plane_count;
        if (!jo_buffer_grow(n->planes, 0, 4 * n->count, sizeof(double)) ||
            !jo_buffer_grow(n->spans, 0, n->count, sizeof(near_span)) ||
            !jo_buffer_grow(n->lists, 0, n->count, sizeof(uint32_t)) ||
            !jo_buffer_grow(n->columns, 0, 4 * n->count, sizeof(double)))
            return false;
        memcpy(n->planes->data, side->planes, 4 * n->count * sizeof(double));
        for (size_t k = 0; k < 4 * n->count; k++)
            ((double *)n->columns->data)[k] = side->planes[k % n->count][k / n->count];
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
    if (((n->listed + count) * sizeof(uint32_t) > n->lists->size ||
         (n->listed + count) * 4 * sizeof(double) > n->columns->size) &&
        (!jo_buffer_grow(n->lists, n->listed * sizeof(uint32_t), n->listed + count + 64,
                         sizeof(uint32_t)) ||
         !jo_buffer_grow(n->columns, n->listed * 4 * sizeof(double), 4 * (n->listed + count + 64),
                         sizeof(double)))) {
        n->failed = true;
        return (near_span){0, 0};
    }
    uint32_t *out = (uint32_t *)n->lists->data + n->listed;
    double *column = (double *)n->columns->data + 4 * n->listed;
    for (uint32_t c = 0; c < count; c++) {
        out[c] = number_of(n, beside[first[face] + c]);
        if (n->failed) return (near_span){0, 0};
        for (uint32_t a = 0; a < 4; a++)
            column[a * count + c] = plane_at(n, out[c])[a];
    }
    n->listed += count;
    ((near_span *)n->spans->data)[k] = span;
    return span;
}

static near_span beside(near_body *n, uint32_t k)
{
    const near_span span = ((const near_span *)n->spans->data)[k];
    return span.end > 0 ? span : look_beside(n, k);
}

/* ---- pieces ---- */

/* A piece to look at, and a point of the edge over which it was found. */
typedef struct near_step {
    uint32_t i, j;
    int32_t via; /* the line of that edge, numbered as cuts; negative: unknown */
    double at[3];
} near_step;

static size_t slot_of(uint64_t key, size_t size)
{
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (size - 1);
}

/* Makes the table of pieces larger. */
static bool make_table(nearby *w)
{
    press_scratch *s = w->s;
    const size_t larger = w->table_size > 0 ? 4 * w->table_size : 64;
    if (!jo_buffer_grow(&s->near_seen, 0, larger, sizeof(uint64_t)) ||
        !jo_buffer_grow(&s->near_queue, w->queue_count * sizeof(near_step), larger,
                        sizeof(near_step)))
        return false;
    uint64_t *table = s->near_seen.data;
    const near_step *queue = s->near_queue.data;
    memset(table, 0, larger * sizeof *table);
    w->table_size = larger;
    for (size_t k = 0; k < w->queue_count; k++) {
        const uint64_t key = ((uint64_t)queue[k].i << 32 | queue[k].j) + 1;
        size_t at = slot_of(key, larger);
        while (table[at] != 0)
            at = (at + 1) & (larger - 1);
        table[at] = key;
    }
    return true;
}

/* A piece is to be looked at, unless it was. NULL: no memory; else where to write how it was
 * found. */
static near_step *go_to(nearby *w, uint32_t i, uint32_t j, near_step *known)
{
    if (2 * (w->queue_count + 1) > w->table_size && !make_table(w)) return NULL;
    uint64_t *table = w->s->near_seen.data;
    const uint64_t key = ((uint64_t)i << 32 | j) + 1;
    size_t at = slot_of(key, w->table_size);
    for (; table[at] != 0; at = (at + 1) & (w->table_size - 1))
        if (table[at] == key) return known;
    table[at] = key;
    near_step *step = (near_step *)w->s->near_queue.data + w->queue_count++;
    *step = (near_step){.i = i, .j = j, .via = -1};
    return step;
}

/* Lines on a sheet, on whose positive side the piece is. */
enum { MOST_LINES = 256 };
typedef struct lines {
    size_t count;
    double c[MOST_LINES], u[MOST_LINES], v[MOST_LINES];
    int32_t cut[MOST_LINES];
} lines;

static void add_line(lines *l, linear h, int32_t cut)
{
    l->c[l->count] = h.c;
    l->u[l->count] = h.u;
    l->v[l->count] = h.v;
    l->cut[l->count++] = cut;
}

/* Heights over the faces beside face k of one body less the piece's own; cuts are numbered 2 k for
 * a, 2 k + 1 for b. */
static void lines_beside(near_body *body, int which, uint32_t k, const sheet *s, linear low,
                         lines *l)
{
    const near_span span = beside(body, k);
    const uint32_t *list = body->lists->data, count = span.end - span.from;
    const double *x = (const double *)body->columns->data + 4 * (size_t)span.from, *y = x + count,
                 *z = y + count, *d = z + count;
    double *hc = l->c + l->count, *hu = l->u + l->count, *hv = l->v + l->count;
    for (uint32_t m = 0; m < count; m++) {
        hc[m] = d[m] - (x[m] * s->o[0] + y[m] * s->o[1] + z[m] * s->o[2]) - low.c;
        hu[m] = -(x[m] * s->e[0] + y[m] * s->e[1] + z[m] * s->e[2]) - low.u;
        hv[m] = -(x[m] * s->g[0] + y[m] * s->g[1] + z[m] * s->g[2]) - low.v;
        l->cut[l->count + m] = (int32_t)(2 * list[span.from + m]) + which;
    }
    if (body->side->body == NULL) { /* planes: it is among those beside itself, and in no way */
        hc[k] = 1;
        hu[k] = hv[k] = 0;
    }
    l->count += count;
}

/* Goes around the piece from a point on line `from`, always to the line that is met first. False:
 * the way did not lead back, as rounding errors may have it where many lines meet. */
static bool trace(const lines *l, size_t from, double x, double y, polygon *p)
{
    size_t n = 0, k = from;
    do {
        const double du = l->v[k], dv = -l->u[k];
        double ahead[MOST_LINES], closing[MOST_LINES], best = 0, speed = 0;
        size_t next = SIZE_MAX;
        for (size_t m = 0; m < l->count; m++) {
            ahead[m] = l->c[m] + l->u[m] * x + l->v[m] * y;
            closing[m] = -(l->u[m] * du + l->v[m] * dv);
        }
        for (size_t m = 0; m < l->count; m++) {
            if (!(closing[m] > 0) || m == k) continue;
            if (next != SIZE_MAX && !(ahead[m] * speed < best * closing[m])) continue;
            best = ahead[m];
            speed = closing[m];
            next = m;
        }
        if (next == SIZE_MAX || n == l->count) return false;
        const double time = best > 0 ? best / speed : 0;
        x += time * du;
        y += time * dv;
        p->u[n] = x;
        p->v[n] = y;
        p->cut[n++] = l->cut[next];
        k = next;
    } while (k != from);
    polygon_close(p, n > 2 ? n : 0);
    return n > 2;
}

/* The piece by cutting a large square by one line after the other. */
static const polygon *cut_out(const nearby *w, const lines *l, polygon room[2])
{
    polygon *from = &room[0], *to = &room[1];
    start_polygon(from, w->size);
    for (size_t k = 0; k < l->count && from->n > 0; k++)
        cut_polygon(&from, &to, (linear){l->c[k], l->u[k], l->v[k]}, l->cut[k]);
    return from;
}

static linear line_of_part(const double p[4], const sheet *s)
{
    return (linear){press_dot(p, s->o) + p[3], press_dot(p, s->e), press_dot(p, s->g)};
}

/* Those beside a piece are to be looked at. */
static bool go_on(nearby *w, const near_step *step, const sheet *s, const polygon *p)
{
    near_step known;
    for (size_t c = 0; c < p->n; c++) {
        if (p->cut[c] < 0) continue;
        const uint32_t h = (uint32_t)p->cut[c] / 2;
        const bool of_a = p->cut[c] % 2 == 0;
        near_step *next = go_to(w, of_a ? h : step->i, of_a ? step->j : h, &known);
        if (next == NULL) return false;
        if (next == &known) continue;
        const size_t d = c + 1 < p->n ? c + 1 : 0;
        const double u = 0.5 * (p->u[c] + p->u[d]), v = 0.5 * (p->v[c] + p->v[d]);
        next->via = of_a ? (int32_t)(2 * step->i) : (int32_t)(2 * step->j) + 1;
        for (int a = 0; a < 3; a++)
            next->at[a] = s->o[a] + u * s->e[a] + v * s->g[a];
    }
    return true;
}

/* The piece of a step on its sheet; NULL: there is none. */
static const polygon *make_piece(nearby *w, const near_step *step, const sheet *s, linear low,
                                 polygon room[2])
{
    lines l;
    l.count = 0;
    add_line(&l, low, CUT_ZERO);
    for (size_t k = 0; k < w->part_count && !w->wide; k++)
        add_line(&l, line_of_part(w->parts[k], s), CUT_PART - (int32_t)k);
    lines_beside(&w->body[0], 0, step->i, s, low, &l);
    lines_beside(&w->body[1], 1, step->j, s, low, &l);
    if (step->via >= 0) {
        size_t k = 0;
        double x[3];
        while (k < l.count && l.cut[k] != step->via)
            k++;
        for (int a = 0; a < 3; a++)
            x[a] = step->at[a] - s->o[a];
        if (k < l.count && trace(&l, k, press_dot(x, s->e), press_dot(x, s->g), &room[0]))
            return &room[0];
    }
    const polygon *p = cut_out(w, &l, room);
    return p->n > 0 ? p : NULL;
}

/* For jo_press_keep. */
static bool note_piece(press_scratch *s, const near_step *step, const polygon *p)
{
    const size_t k = s->recorded, c = s->recorded_cuts;
    if (((k + 1) * 3 * sizeof(uint32_t) > s->record_pieces.size ||
         (c + p->n) * sizeof(int32_t) > s->record_cuts.size) &&
        (!jo_buffer_grow(&s->record_pieces, 3 * k * sizeof(uint32_t), 3 * (k + 64),
                         sizeof(uint32_t)) ||
         !jo_buffer_grow(&s->record_cuts, c * sizeof(int32_t), c + p->n + 256, sizeof(int32_t))))
        return false;
    uint32_t *piece = (uint32_t *)s->record_pieces.data + 3 * k;
    piece[0] = step->i;
    piece[1] = step->j;
    piece[2] = (uint32_t)p->n;
    memcpy((int32_t *)s->record_cuts.data + c, p->cut, p->n * sizeof(int32_t));
    s->recorded++;
    s->recorded_cuts += p->n;
    return true;
}

/* Adds a piece, and those beside it to the queue. */
static press_found visit(nearby *w, const near_step *step, press *out)
{
    polygon room[2];
    sheet s;
    const near_span a = beside(&w->body[0], step->i), b = beside(&w->body[1], step->j);
    const size_t most = 1 + w->part_count + (a.end - a.from) + (b.end - b.from);
    if (w->body[0].failed || w->body[1].failed) return PRESS_NO_MEMORY;
    if (most > MOST_LINES) return PRESS_DEEP;
    if (polygons_size(MOST_LINES + 8) > w->s->corners.size &&
        !jo_buffer_grow(&w->s->corners, 0, polygons_size(MOST_LINES + 8), 1))
        return PRESS_NO_MEMORY;
    polygons_place(w->s->corners.data, MOST_LINES + 8, room);
    const double *pi = plane_at(&w->body[0], step->i), *pj = plane_at(&w->body[1], step->j);
    const double across[3] = {pj[0] - pi[0], pj[1] - pi[1], pj[2] - pi[2]};
    const double length = sqrt(press_dot(across, across));
    if (length < 1e-9) return PRESS_LOST; /* one is always lower */
    lay_sheet(&s, across, length, pj[3] - pi[3]);
    const linear low = height_on(&s, pi);
    const polygon *p = make_piece(w, step, &s, low, room);
    if (p == NULL) return PRESS_LOST;
    w->found++;
    if (!go_on(w, step, &s, p)) return PRESS_NO_MEMORY;
    polygon *from = p == &room[0] ? &room[0] : &room[1], *to = p == &room[0] ? &room[1] : &room[0];
    for (size_t k = 0; k < w->part_count && w->wide && from->n > 0; k++)
        cut_polygon(&from, &to, line_of_part(w->parts[k], &s), CUT_PART - (int32_t)k);
    if (from->n > 0) {
        add_piece(from, &s, low, out);
        if (!note_piece(w->s, step, from)) return PRESS_NO_MEMORY;
    }
    return out->deepest > w->depth ? PRESS_DEEP : PRESS_YES;
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
    while (w->visited < w->queue_count) {
        const near_step step = ((const near_step *)w->s->near_queue.data)[w->visited++];
        const double before = out->total;
        const press_found found = visit(w, &step, out);
        if (found == PRESS_DEEP || found == PRESS_NO_MEMORY) return found;
        if (out->total - before <= w->most) continue;
        w->most = out->total - before;
        out->a = name_of(&w->body[0], step.i);
        out->b = name_of(&w->body[1], step.j);
    }
    for (int k = 0; k < 2; k++)
        w->s->near_count[k] = w->body[k].count;
    return out->total > 0 ? PRESS_YES : PRESS_LOST;
}

static press_found walk_from(nearby *w, uint32_t i, uint32_t j, press *out)
{
    near_step known;
    w->queue_count = w->visited = w->table_size = 0;
    w->most = 0;
    w->s->recorded = w->s->recorded_cuts = 0;
    if (go_to(w, i, j, &known) == NULL) return PRESS_NO_MEMORY;
    return walk_on(w, out);
}

/* ---- islands ---- */

/* Goes over the pieces at all places where an edge of one body goes through a face of the other,
 * and on from those that were not met yet. */
static press_found visit_islands(nearby *w, press *out)
{
    press_crossings crossings;
    near_step known;
    const uint32_t before = out->pieces;
    jo_press_crossings(w->body[0].side, w->body[1].side, &crossings);
    for (size_t k = 0; k < crossings.count; k++) {
        const uint32_t i = number_of(&w->body[0], crossings.face[k][0]),
                       j = number_of(&w->body[1], crossings.face[k][1]);
        if (w->body[0].failed || w->body[1].failed || go_to(w, i, j, &known) == NULL)
            return PRESS_NO_MEMORY;
    }
    const press_found found = walk_on(w, out);
    out->islands = out->pieces > before;
    return found;
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
    const bool sharp = jo_press_sharp(a, b);
    const press_found found = walk_from(&w, i, j, out);
    if (found == PRESS_YES && sharp) return visit_islands(&w, out);
    if (found != PRESS_LOST) return found;
    if (!settle(&w, hint, &i, &j))
        return w.body[0].failed || w.body[1].failed ? PRESS_NO_MEMORY : PRESS_LOST;
    w.wide = part_count > 0;
    const press_found again = walk_from(&w, i, j, out);
    if (again == PRESS_YES && sharp) return visit_islands(&w, out);
    return again == PRESS_LOST && w.wide && w.found > 0 ? PRESS_NO : again;
}
