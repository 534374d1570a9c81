/* tri_change.c — a polygon taken out of a triangulation, or put into it, where it is and nowhere
 * else.
 *
 * Out: its inside is triangulated, so that its edges are sides as any others; then its corners are
 * taken out one by one. Around such a corner triangles form a polygon, all of which it sees; that
 * is triangulated without it.
 *
 * In: its corners are put in one by one, each found by walking from the one before along the edge
 * between them; a triangle that has it inside becomes three, two with it on their common side
 * become four. Then come its edges (tri_edges.c), and what is on their left is taken out. Where an
 * edge meets another polygon's, corners that are in already are taken out again.
 *
 * Exact, as everything about triangulations. Cost: what is around, whatever the number of
 * triangles. */
#include "base/orient.h"
#include "hard/tri_local.h"

enum { INSIDE = 8 /* in tri_build.fixed */, SETTLE_MOST = 64 };

static double turn(const tri_build *b, uint32_t p, uint32_t q, uint32_t r)
{
    return jo_orient(tri_place(b, p), tri_place(b, q), tri_place(b, r));
}

/* ---- out ---- */

/* Are all triangles at corner v, which is one of a polygon, positive? */
static bool fan_is_positive(const tri_build *b, uint32_t v)
{
    const triangle *tri = b->mesh->t;
    const uint32_t first = b->mesh->at[v];
    for (int way = 0; way < 2; way++)
        for (uint32_t t = first; t != TRI_NONE;) {
            if (!(turn(b, tri[t].v[0], tri[t].v[1], tri[t].v[2]) > 0.0)) return false;
            const int c = tri_corner(&tri[t], v);
            t = tri[t].n[way == 0 ? TRI_NEXT[c] : TRI_PREVIOUS[c]];
        }
    return true;
}

jo_status jo_tri_remove(tri_mesh *m, const tri_input *in, uint32_t first, uint32_t count,
                        tri_changes *changes, jo_error *error)
{
    tri_build b;
    tri_log log;
    if (!jo_tri_begin(&b, &log, m, in, count))
        return jo_fail_memory(error, 40 * (size_t)m->count, "a change of triangles");
    for (uint32_t v = first; v < first + count; v++)
        if (!fan_is_positive(&b, v))
            return jo_fail(error, JO_ERR_PHYSICS, "a triangle at %s is flat",
                           jo_tri_name(in, v).text);
    tri_ring ring = jo_tri_ring(&b, count);
    if (ring.count == 0) return jo_fail_memory(error, 20 * (size_t)count, "a change of triangles");
    for (uint32_t k = 0; k < count; k++) {
        int side;
        ring.v[k] = first + k;
        ring.beyond[k] = jo_tri_find_side(m, in->next[first + k], first + k, &side);
        JO_ASSERT(ring.beyond[k] != TRI_NONE);
    }
    if (!jo_tri_ring_order(&b, &ring))
        return jo_fail(error, JO_ERR_PHYSICS, "%s is flat somewhere", jo_tri_name(in, first).text);
    jo_tri_ring_fill(&b, &ring);
    for (uint32_t v = first; v < first + count; v++) {
        const jo_status status = jo_tri_take_corner(&b, v, error);
        if (status != JO_OK) return status;
    }
    return jo_tri_finish(&b, changes, error);
}

/* ---- in: corners ---- */

static jo_status fail_touch(const tri_build *b, uint32_t v, uint32_t other, jo_error *error)
{
    const double *at = tri_place(b, v);
    return jo_fail(error, JO_ERR_DATA, "%s touches %s, at (%.9g, %.9g)", jo_tri_name(b->in, v).text,
                   jo_tri_name(b->in, other).text, at[0], at[1]);
}

/* Corner v lies inside triangle t, or on its side from v[0] to v[1]. */
static void split(tri_build *b, uint32_t v, uint32_t t)
{
    tri_mesh *m = b->mesh;
    const uint32_t one = tri_take_number(b), two = tri_take_number(b);
    const triangle old = m->t[t];
    const uint32_t p = old.v[0], q = old.v[1], r = old.v[2];
    m->t[t] = (triangle){{p, q, v}, {one, two, old.n[2]}};
    m->t[one] = (triangle){{q, r, v}, {two, t, old.n[0]}};
    m->t[two] = (triangle){{r, p, v}, {t, one, old.n[1]}};
    if (old.n[0] != TRI_NONE) m->t[old.n[0]].n[tri_side(&m->t[old.n[0]], t)] = one;
    if (old.n[1] != TRI_NONE) m->t[old.n[1]].n[tri_side(&m->t[old.n[1]], t)] = two;
    m->at[p] = m->at[q] = m->at[v] = t;
    m->at[r] = one;
    tri_note(b, t);
}

/* Puts corner v into triangle t, where it is. */
static jo_status put_corner(tri_build *b, uint32_t v, uint32_t t, jo_error *error)
{
    tri_mesh *m = b->mesh;
    int on = -1, sides = 0;
    for (int k = 0; k < 3; k++) {
        if (turn(b, m->t[t].v[TRI_NEXT[k]], m->t[t].v[TRI_PREVIOUS[k]], v) > 0.0) continue;
        on = k;
        sides++;
    }
    if (sides > 1 || (on >= 0 && m->t[t].n[on] == TRI_NONE))
        return fail_touch(b, v, m->t[t].v[TRI_NEXT[on]], error);
    if (on >= 0) { /* that side becomes the one from v[0] to v[1] */
        const triangle old = m->t[t];
        for (int k = 0; k < 3; k++) {
            m->t[t].v[k] = old.v[(on + 1 + k) % 3];
            m->t[t].n[k] = old.n[(on + 1 + k) % 3];
        }
    }
    split(b, v, t);
    if (on < 0) return JO_OK;
    tri_note(b, m->t[t].n[2]);
    jo_tri_flip(m, t, 2); /* flat as it is; its neighbour gets the far corner */
    return JO_OK;
}

/* The triangle that corner q, not yet put in, lies in: walks from corner p straight to it. */
static jo_status walk(const tri_build *b, uint32_t p, uint32_t q, uint32_t *found, jo_error *error)
{
    const triangle *tri = b->mesh->t;
    const double *from = tri_place(b, p), *to = tri_place(b, q);
    uint32_t t = b->mesh->at[p], right, left;
    for (;; t = tri[t].n[TRI_NEXT[tri_corner(&tri[t], p)]]) {
        const int k = tri_corner(&tri[t], p);
        right = tri[t].v[TRI_NEXT[k]];
        left = tri[t].v[TRI_PREVIOUS[k]];
        if (turn(b, p, right, q) >= 0.0 && turn(b, p, q, left) > 0.0) break;
        JO_ASSERT(tri[t].n[TRI_NEXT[k]] != b->mesh->at[p]);
    }
    const double *r = tri_place(b, right);
    if (turn(b, p, right, q) == 0.0 &&
        (jo_on_segment(from, to, r) || (r[0] == to[0] && r[1] == to[1])))
        return fail_touch(b, q, right, error);
    while (turn(b, right, left, q) < 0.0) {
        const uint32_t before = t;
        t = tri[t].n[tri_side_between(&tri[t], right, left)];
        if (t == TRI_NONE)
            return jo_fail(error, JO_ERR_DATA, "%s and %s overlap near (%.9g, %.9g)",
                           jo_tri_name(b->in, q).text, jo_tri_name(b->in, right).text, to[0],
                           to[1]);
        const uint32_t apex = tri[t].v[tri_side(&tri[t], before)];
        const double *a = tri_place(b, apex), side = turn(b, p, q, apex);
        if (side == 0.0) {
            if (jo_on_segment(from, to, a) || (a[0] == to[0] && a[1] == to[1]))
                return fail_touch(b, q, apex, error);
            break; /* it is between the side and the apex */
        }
        if (side > 0.0)
            left = apex;
        else
            right = apex;
    }
    *found = t;
    return JO_OK;
}

/* ---- in: the whole polygon ---- */

/* Lists the triangles inside of the polygon, each with INSIDE for a mark; *other is a corner of
 * another polygon that is there, or TRI_NONE. */
static uint32_t find_inside(tri_build *b, uint32_t first, uint32_t count, uint32_t *inside,
                            uint32_t *other)
{
    const tri_mesh *m = b->mesh;
    uint32_t n = 0;
    int side;
    *other = TRI_NONE;
    inside[n++] = jo_tri_find_side(m, first, b->in->next[first], &side);
    b->fixed[inside[0]] |= INSIDE;
    for (uint32_t k = 0; k < n; k++) {
        const triangle *t = &m->t[inside[k]];
        for (int c = 0; c < 3; c++)
            if (t->v[c] < first || t->v[c] >= first + count) *other = t->v[c];
        for (int c = 0; c < 3 && *other == TRI_NONE; c++) {
            if ((b->fixed[inside[k]] >> c & 1) || (b->fixed[t->n[c]] & INSIDE)) continue;
            b->fixed[t->n[c]] |= INSIDE;
            inside[n++] = t->n[c];
        }
    }
    return n;
}

/* Takes out what is inside of the polygon. */
static jo_status hollow_out(tri_build *b, uint32_t first, uint32_t count, jo_error *error)
{
    tri_mesh *m = b->mesh;
    uint32_t *inside = b->work, other;
    const uint32_t n = find_inside(b, first, count, inside, &other);
    for (uint32_t k = 0; k < n; k++)
        b->fixed[inside[k]] &= (uint8_t)~INSIDE;
    if (other != TRI_NONE)
        return jo_fail(error, JO_ERR_DATA, "%s lies in the solid of %s",
                       jo_tri_name(b->in, other).text, jo_tri_name(b->in, first).text);
    JO_ASSERT(n + 2 == count);
    for (uint32_t k = 0; k < n; k++) {
        const triangle *t = &m->t[inside[k]];
        for (int c = 0; c < 3; c++) {
            if (!(b->fixed[inside[k]] >> c & 1)) continue;
            triangle *out = &m->t[t->n[c]];
            const int j = tri_side(out, inside[k]);
            out->n[j] = TRI_NONE;
            b->fixed[t->n[c]] &= (uint8_t) ~(1 << j);
            m->at[t->v[TRI_NEXT[c]]] = m->at[t->v[TRI_PREVIOUS[c]]] = t->n[c];
            tri_note(b, t->n[c]);
        }
    }
    for (uint32_t k = 0; k < n; k++)
        tri_free_number(b, inside[k]);
    return JO_OK;
}

/* Corners that were put in are taken out again. */
static jo_status undo(tri_build *b, uint32_t first, uint32_t put, jo_error *error)
{
    jo_status status = JO_OK;
    for (uint32_t k = 0; k < b->log->changed_count; k++)
        b->fixed[b->log->changed[k]] &= TRI_CHANGED;
    for (uint32_t v = first; v < first + put && status == JO_OK; v++)
        status = jo_tri_take_corner(b, v, error);
    return status;
}

/* The triangle that corner v lies in, found from one that it does but for rounding. */
static uint32_t settle(const tri_build *b, uint32_t v, uint32_t t)
{
    const triangle *tri = b->mesh->t;
    for (int step = 0; step < SETTLE_MOST; step++) {
        int beyond = -1;
        for (int k = 0; k < 3; k++)
            if (turn(b, tri[t].v[TRI_NEXT[k]], tri[t].v[TRI_PREVIOUS[k]], v) < 0.0) beyond = k;
        if (beyond < 0 || tri[t].n[beyond] == TRI_NONE) break;
        t = tri[t].n[beyond];
    }
    return t;
}

static jo_status put_polygon(tri_build *b, uint32_t first, uint32_t count, uint32_t start,
                             uint32_t *put, jo_error *error)
{
    jo_status status = put_corner(b, first, settle(b, first, start), error);
    *put = status == JO_OK;
    for (uint32_t v = first + 1; v < first + count && status == JO_OK; v++) {
        uint32_t t = TRI_NONE;
        status = walk(b, v - 1, v, &t, error);
        if (status == JO_OK) status = put_corner(b, v, t, error);
        *put += status == JO_OK;
    }
    for (uint32_t v = first; v < first + count && status == JO_OK; v++)
        status = jo_tri_insert_edge(b, v, b->in->next[v], error);
    return status == JO_OK ? hollow_out(b, first, count, error) : status;
}

jo_status jo_tri_insert(tri_mesh *m, const tri_input *in, uint32_t first, uint32_t count,
                        uint32_t start, tri_changes *changes, jo_error *error)
{
    const size_t most = 2 * (size_t)in->vertices + 4;
    const uint32_t vertices = m->vertices;
    uint32_t put = 0;
    tri_build b;
    tri_log log;
    *changes = (tri_changes){0};
    if (!jo_tri_begin(&b, &log, m, in, count) ||
        !jo_buffer_reserve(&m->memory_edges, TRI_WORK * most * sizeof *b.work + 2 * most, 1))
        return jo_fail_memory(error, 40 * (size_t)m->count, "a change of triangles");
    b.work = m->memory_edges.data;
    b.marks = (uint8_t *)(b.work + TRI_WORK * most);
    m->vertices = in->vertices;
    const jo_status status = put_polygon(&b, first, count, start, &put, error);
    jo_error ignored;
    if (status != JO_OK) {
        undo(&b, first, put, &ignored);
        m->vertices = vertices;
    }
    const jo_status finished = jo_tri_finish(&b, changes, status == JO_OK ? error : &ignored);
    return status == JO_OK ? finished : status;
}
