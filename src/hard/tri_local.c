/* tri_local.c — the parts that local changes of a triangulation are made of.
 *
 * A polygon without holes is triangulated by cutting off corners: one that points outwards and
 * whose triangle holds no other corner of the polygon, not even on its sides. There always is one,
 * also where corners lie on a line. Of all that can be cut off the one with the shortest cut is,
 * and none as flat as rounding would make it of corners on a line, if there is another: they might
 * be of one body, and stay so. All decisions are exact. Cost: O(n^3) at worst for n corners, of
 * which there are few: those around a corner that is taken out. */
#include "hard/tri_local.h"

#include <string.h>

#include "base/orient.h"

static const double SLACK = 1e-6;

/* ---- what was changed ---- */

bool jo_tri_begin(tri_build *b, tri_log *log, tri_mesh *m, const tri_input *in, uint32_t corners)
{
    const size_t most = (size_t)m->count + 2 * (size_t)corners + 8, old = m->memory_marks.size;
    if (!jo_buffer_grow(&m->memory_t, m->count * sizeof *m->t, most, sizeof *m->t) ||
        !jo_buffer_grow(&m->memory_at, m->vertices * sizeof *m->at, in->vertices, sizeof *m->at) ||
        !jo_buffer_grow(&m->memory_marks, old, most, 1))
        return false;
    if (m->memory_marks.size > old)
        memset((char *)m->memory_marks.data + old, 0, m->memory_marks.size - old);
    m->t = m->memory_t.data;
    m->at = m->memory_at.data;
    const size_t room = m->memory_log.size / (4 * sizeof(uint32_t));
    uint32_t *w = m->memory_log.data;
    *log = (tri_log){0};
    if (room > 0)
        *log = (tri_log){
            .changed = w, .unused = w + room, .moved = w + 2 * room, .room = (uint32_t)room};
    *b = (tri_build){.mesh = m, .in = in, .fixed = m->memory_marks.data, .log = log};
    return true;
}

/* Room for one more entry in each list of the log. */
static bool grow_log(tri_build *b)
{
    tri_log *l = b->log;
    const uint32_t room = 2 * l->room + 256;
    buffer larger = {0};
    if (!jo_buffer_reserve(&larger, 4 * (size_t)room, sizeof(uint32_t))) {
        l->failed = true;
        return false;
    }
    uint32_t *to = larger.data;
    if (l->room > 0) {
        memcpy(to, l->changed, l->changed_count * sizeof *to);
        memcpy(to + room, l->unused, l->unused_count * sizeof *to);
        memcpy(to + 2 * (size_t)room, l->moved, 2 * l->moved_count * sizeof *to);
    }
    jo_buffer_free(&b->mesh->memory_log);
    b->mesh->memory_log = larger;
    *l = (tri_log){.changed = to,
                   .unused = to + room,
                   .moved = to + 2 * (size_t)room,
                   .changed_count = l->changed_count,
                   .unused_count = l->unused_count,
                   .moved_count = l->moved_count,
                   .room = room};
    return true;
}

void tri_note(tri_build *b, uint32_t t)
{
    tri_log *l = b->log;
    if (l->changed_count == l->room && !grow_log(b)) return;
    b->fixed[t] |= TRI_CHANGED;
    l->changed[l->changed_count++] = t;
}

uint32_t tri_take_number(tri_build *b)
{
    tri_log *l = b->log;
    const uint32_t t = l->unused_count > 0 ? l->unused[--l->unused_count] : b->mesh->count++;
    tri_note(b, t);
    return t;
}

void tri_free_number(tri_build *b, uint32_t t)
{
    tri_log *l = b->log;
    if (l->unused_count == l->room && !grow_log(b)) return;
    b->fixed[t] = 0;
    l->unused[l->unused_count++] = t;
}

/* The last triangle gets the number `to`. */
static void move_last(tri_build *b, uint32_t to)
{
    tri_mesh *m = b->mesh;
    tri_log *l = b->log;
    const uint32_t from = --m->count;
    if (from == to) return;
    const triangle *t = &m->t[from];
    for (int k = 0; k < 3; k++) {
        if (t->n[k] != TRI_NONE) m->t[t->n[k]].n[tri_side(&m->t[t->n[k]], from)] = to;
        if (m->at[t->v[k]] == from) m->at[t->v[k]] = to;
    }
    m->t[to] = *t;
    const bool changed = b->fixed[from] & TRI_CHANGED;
    b->fixed[from] = 0;
    if (changed) {
        tri_note(b, to);
        return;
    }
    if (l->moved_count == l->room && !grow_log(b)) return;
    l->moved[2 * l->moved_count] = from;
    l->moved[2 * l->moved_count++ + 1] = to;
}

static void sort_down(uint32_t *a, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t x = a[i];
        uint32_t j = i;
        for (; j > 0 && a[j - 1] < x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

jo_status jo_tri_finish(tri_build *b, tri_changes *changes, jo_error *error)
{
    tri_log *l = b->log;
    sort_down(l->unused, l->unused_count);
    for (uint32_t k = 0; k < l->unused_count; k++)
        move_last(b, l->unused[k]);
    if (l->failed) return jo_fail_memory(error, 16 * (size_t)l->room, "a change of triangles");
    uint32_t kept = 0;
    for (uint32_t k = 0; k < l->changed_count; k++) {
        const uint32_t t = l->changed[k];
        if (!(b->fixed[t] & TRI_CHANGED)) continue; /* listed before, or gone since */
        b->fixed[t] = 0;
        l->changed[kept++] = t;
    }
    *changes = (tri_changes){l->changed, kept, l->moved, l->moved_count};
    return JO_OK;
}

/* ---- rings ---- */

tri_ring jo_tri_ring(tri_build *b, uint32_t room)
{
    if (!jo_buffer_reserve(&b->mesh->memory_ring, 5 * (size_t)room, sizeof(uint32_t))) {
        b->log->failed = true;
        return (tri_ring){0};
    }
    uint32_t *w = b->mesh->memory_ring.data;
    return (tri_ring){
        w, w + room, w + 2 * (size_t)room, w + 3 * (size_t)room, w + 4 * (size_t)room, room};
}

static void join_ring(tri_ring *r)
{
    for (uint32_t k = 0; k < r->count; k++) {
        r->next[k] = k + 1 < r->count ? k + 1 : 0;
        r->previous[k] = k > 0 ? k - 1 : r->count - 1;
    }
}

static void leave_ring(tri_ring *r, uint32_t k)
{
    r->next[r->previous[k]] = r->next[k];
    r->previous[r->next[k]] = r->previous[k];
}

static double square(const double p[2], const double q[2])
{
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
}

/* Can corner k be cut off? With some slack (of the length of the triangle) it can only where the
 * triangle is not nearly flat, and no corner nearly in it. */
static bool is_ear(const tri_build *b, const tri_ring *r, uint32_t k, double slack)
{
    const uint32_t i = r->previous[k], j = r->next[k];
    const double *p = tri_place(b, r->v[i]), *c = tri_place(b, r->v[k]), *q = tri_place(b, r->v[j]);
    const double all = square(p, c) + square(c, q) + square(q, p), least = slack * all;
    if (!(jo_orient(p, c, q) > least)) return false;
    for (uint32_t m = r->next[j]; m != i; m = r->next[m]) {
        const double *x = tri_place(b, r->v[m]);
        if (jo_orient(q, p, x) >= -least && jo_orient(p, c, x) >= -least &&
            jo_orient(c, q, x) >= -least)
            return false;
    }
    return true;
}

/* The corner that is cut off with the shortest cut; TRI_NONE: none can be. */
static uint32_t choose_ear(const tri_build *b, const tri_ring *r, uint32_t first, double slack)
{
    uint32_t best = TRI_NONE, k = first;
    double least = 0.0;
    do {
        const double *p = tri_place(b, r->v[r->previous[k]]), *q = tri_place(b, r->v[r->next[k]]);
        const double cut = square(p, q);
        if ((best == TRI_NONE || cut < least) && is_ear(b, r, k, slack)) best = k, least = cut;
        k = r->next[k];
    } while (k != first);
    return best;
}

bool jo_tri_ring_order(const tri_build *b, tri_ring *r)
{
    uint32_t first = 0;
    join_ring(r);
    for (uint32_t left = r->count; left > 3; left--) {
        uint32_t ear = choose_ear(b, r, first, SLACK);
        if (ear == TRI_NONE) ear = choose_ear(b, r, first, 0.0);
        if (ear == TRI_NONE) return false;
        r->order[r->count - left] = ear;
        leave_ring(r, ear);
        first = r->next[ear];
    }
    r->order[r->count - 3] = first;
    return is_ear(b, r, first, 0.0);
}

/* Side `side` of triangle t is the ring's way from corner k on. */
static void meet(tri_build *b, const tri_ring *r, uint32_t k, uint32_t t, int side)
{
    const uint32_t n = r->beyond[k];
    b->mesh->t[t].n[side] = n;
    if (n == TRI_NONE) return;
    triangle *other = &b->mesh->t[n];
    other->n[tri_side_between(other, r->v[k], r->v[r->next[k]])] = t;
}

void jo_tri_ring_fill(tri_build *b, tri_ring *r)
{
    tri_mesh *m = b->mesh;
    join_ring(r);
    for (uint32_t step = 0; step + 2 < r->count; step++) {
        const uint32_t k = r->order[step], i = r->previous[k], j = r->next[k];
        const uint32_t t = tri_take_number(b);
        m->t[t] = (triangle){{r->v[i], r->v[k], r->v[j]}, {TRI_NONE, TRI_NONE, TRI_NONE}};
        for (int c = 0; c < 3; c++)
            m->at[m->t[t].v[c]] = t;
        meet(b, r, i, t, 2);
        meet(b, r, k, t, 0);
        if (step + 3 == r->count) {
            meet(b, r, j, t, 1);
            break;
        }
        leave_ring(r, k);
        r->beyond[i] = t;
    }
}

jo_status jo_tri_take_corner(tri_build *b, uint32_t v, jo_error *error)
{
    const tri_mesh *m = b->mesh;
    const uint32_t first = m->at[v];
    uint32_t degree = 0, t = first;
    do {
        degree++;
        t = m->t[t].n[TRI_NEXT[tri_corner(&m->t[t], v)]]; /* counter-clockwise */
        JO_ASSERT(t != TRI_NONE);
    } while (t != first);
    tri_ring ring = jo_tri_ring(b, degree);
    if (ring.count == 0) return jo_fail_memory(error, 20 * (size_t)degree, "a change of triangles");
    for (uint32_t k = 0; k < degree; k++) {
        const int c = tri_corner(&m->t[t], v);
        ring.v[k] = m->t[t].v[TRI_NEXT[c]];
        ring.beyond[k] = m->t[t].n[c];
        t = m->t[t].n[TRI_NEXT[c]];
    }
    const bool simple = jo_tri_ring_order(b, &ring); /* all of it is seen from v */
    JO_ASSERT(simple);
    for (uint32_t k = 0; k < degree; k++) {
        const uint32_t after = m->t[t].n[TRI_NEXT[tri_corner(&m->t[t], v)]];
        tri_free_number(b, t);
        t = after;
    }
    jo_tri_ring_fill(b, &ring);
    return JO_OK;
}
