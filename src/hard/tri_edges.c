/* tri_edges.c — mandatory edges put into a triangulation.
 *
 * As in the paper: the sides that the new edge p - q crosses are taken out, and the two polygons
 * left on either side of it are triangulated. The corners of such a polygon, in the order from p to
 * q, are a chain over the base p - q. Its triangle at the base gets the corner c for which no other
 * corner of the chain lies in (p, q, c): one pass finds it, since whenever a corner is found in the
 * triangle so far, its own triangle is part of that. Nothing else can be in the way: every corner
 * of the chain was joined with the other side of the base by a side that was taken out, so whatever
 * cut (p, q, c) in two would have crossed that. The rests of the chain, over the bases p - c and c
 * - q, have the same property, and are treated alike.
 *
 * A corner may occur twice in a chain, with a side between that has free room on both sides; then
 * corners between the two lie in the triangle of it, so it is not chosen before they are apart.
 *
 * All decisions are exact. Cost: O(k^2) at worst for k crossed sides, mostly O(k). */
#include "base/orient.h"
#include "hard/tri_local.h"

#define TRI_CUT 0xfffffffeu /* beyond this edge of a chain is the cavity itself */

enum { DEAD = 8 }; /* in tri_build.fixed: the triangle is crossed by the edge */

typedef struct chain {
    uint32_t *v;      /* corners, from one end of the edge to the other */
    uint32_t *beyond; /* the triangle beyond the edge from v[k] to v[k + 1] */
    uint8_t *fixed;
    uint32_t n;
} chain;

/* The triangles that the edge crosses, and the chains on its left and right. */
typedef struct cavity {
    chain left, right;
    uint32_t *dead;
    uint32_t dead_count, used;
    uint32_t *stack;
    uint32_t *cut; /* sides of new triangles in edges that occur twice: triangle, side */
    uint32_t cut_count;
} cavity;

/* Lists that no edge can fill: it crosses each triangle at most once. */
static cavity make_room(const tri_build *b)
{
    const size_t most = 2 * (size_t)b->in->vertices + 4;
    uint32_t *w = b->work;
    return (cavity){.left = {w, w + most, b->marks, 0},
                    .right = {w + 2 * most, w + 3 * most, b->marks + most, 0},
                    .dead = w + 4 * most,
                    .cut = w + 5 * most,
                    .stack = w + 7 * most}; /* 4 most: one entry for each edge of a chain */
}

static double turn(const tri_build *b, uint32_t p, uint32_t q, uint32_t r)
{
    return jo_orient(tri_place(b, p), tri_place(b, q), tri_place(b, r));
}

static jo_status fail_touch(const tri_build *b, uint32_t p, uint32_t v, jo_error *error)
{
    const double *at = tri_place(b, v);
    return jo_fail(error, JO_ERR_DATA, "a corner of %s lies on an edge of %s, at (%.9g, %.9g)",
                   jo_tri_name(b->in, v).text, jo_tri_name(b->in, p).text, at[0], at[1]);
}

static jo_status fail_cross(const tri_build *b, uint32_t p, uint32_t r, jo_error *error)
{
    const double *at = tri_place(b, p);
    if (b->in->owner[p] == b->in->owner[r])
        return jo_fail(error, JO_ERR_DATA, "the outline of %s crosses itself near (%.9g, %.9g)",
                       jo_tri_name(b->in, p).text, at[0], at[1]);
    const bool swap = b->in->owner[p] > b->in->owner[r];
    return jo_fail(error, JO_ERR_DATA, "%s and %s overlap near (%.9g, %.9g)",
                   jo_tri_name(b->in, swap ? r : p).text, jo_tri_name(b->in, swap ? p : r).text,
                   at[0], at[1]);
}

/* What lies at p in the direction of q: a triangle with the side p - q (*side >= 0), or one whose
 * far side the edge crosses (*side -1), or a corner on the way (*touched). */
static uint32_t look_from(const tri_build *b, uint32_t p, uint32_t q, int *side, uint32_t *touched)
{
    const triangle *tri = b->mesh->t;
    uint32_t t = b->mesh->at[p];
    *touched = TRI_NONE;
    for (;;) { /* clockwise to the hull, or once around */
        const uint32_t n = tri[t].n[TRI_NEXT[tri_corner(&tri[t], p)]];
        if (n == TRI_NONE || n == b->mesh->at[p]) break;
        t = n;
    }
    for (const uint32_t first = t;;) { /* counter-clockwise */
        const int k = tri_corner(&tri[t], p);
        const uint32_t right = tri[t].v[TRI_NEXT[k]], left = tri[t].v[TRI_PREVIOUS[k]];
        *side = tri_side_between(&tri[t], p, q);
        if (*side >= 0) return t;
        const double r = turn(b, p, right, q), l = turn(b, p, q, left);
        if (r > 0.0 && l > 0.0) return t;
        if (r == 0.0 && jo_on_segment(tri_place(b, p), tri_place(b, q), tri_place(b, right)))
            *touched = right;
        if (l == 0.0 && jo_on_segment(tri_place(b, p), tri_place(b, q), tri_place(b, left)))
            *touched = left;
        if (*touched != TRI_NONE) return t;
        t = tri[t].n[TRI_PREVIOUS[k]];
        JO_ASSERT(t != TRI_NONE && t != first);
    }
}

static void append(const tri_build *b, chain *c, uint32_t v, uint32_t t, int side)
{
    c->beyond[c->n - 1] = b->mesh->t[t].n[side];
    c->fixed[c->n - 1] = b->fixed[t] >> side & 1;
    c->v[c->n++] = v;
}

/* Walks along p - q from triangle t, and notes what it crosses. */
static jo_status walk(tri_build *b, cavity *c, uint32_t p, uint32_t q, uint32_t t, jo_error *error)
{
    const triangle *tri = b->mesh->t;
    int k = tri_corner(&tri[t], p);
    uint32_t right = tri[t].v[TRI_NEXT[k]], left = tri[t].v[TRI_PREVIOUS[k]];
    c->left.v[0] = c->right.v[0] = p;
    c->left.n = c->right.n = 1;
    c->dead_count = 0;
    append(b, &c->left, left, t, TRI_NEXT[k]);
    append(b, &c->right, right, t, TRI_PREVIOUS[k]);
    for (;;) {
        c->dead[c->dead_count++] = t;
        b->fixed[t] |= DEAD;
        if ((b->fixed[t] >> k & 1) || tri[t].n[k] == TRI_NONE)
            return fail_cross(b, p, right, error);
        const uint32_t from = t;
        t = tri[t].n[k];
        k = tri_side(&tri[t], from);
        const uint32_t apex = tri[t].v[k];
        const double side = apex == q ? 0.0 : turn(b, p, q, apex);
        if (apex != q && side == 0.0) return fail_touch(b, p, apex, error);
        const int at_left = tri_corner(&tri[t], left), at_right = tri_corner(&tri[t], right);
        if (apex == q || side > 0.0) append(b, &c->left, apex, t, at_right);
        if (apex == q || side < 0.0) append(b, &c->right, apex, t, at_left);
        if (apex == q) break;
        if (side > 0.0) {
            k = at_left;
            left = apex;
        } else {
            k = at_right;
            right = apex;
        }
    }
    c->dead[c->dead_count++] = t;
    b->fixed[t] |= DEAD;
    return JO_OK;
}

/* Edges with the cavity on both sides have no triangle beyond. */
static void find_cuts(const tri_build *b, chain *ch)
{
    for (uint32_t k = 0; k + 1 < ch->n; k++)
        if (ch->beyond[k] != TRI_NONE && (b->fixed[ch->beyond[k]] & DEAD)) ch->beyond[k] = TRI_CUT;
}

static void reverse(chain *c)
{
    for (uint32_t i = 0, j = c->n - 1; i < j; i++, j--) {
        const uint32_t v = c->v[i];
        c->v[i] = c->v[j];
        c->v[j] = v;
    }
    for (uint32_t i = 0, j = c->n - 1; i + 1 < j; i++, j--) {
        const uint32_t v = c->beyond[i];
        const uint8_t f = c->fixed[i];
        c->beyond[i] = c->beyond[j - 1];
        c->fixed[i] = c->fixed[j - 1];
        c->beyond[j - 1] = v;
        c->fixed[j - 1] = f;
    }
}

/* Side `side` of the new triangle t is the chain's edge k. */
static void close_side(tri_build *b, cavity *c, const chain *ch, uint32_t k, uint32_t t, int side)
{
    triangle *tri = b->mesh->t;
    const uint32_t beyond = ch->beyond[k];
    if (ch->fixed[k]) b->fixed[t] |= (uint8_t)(1 << side);
    if (beyond == TRI_CUT) {
        c->cut[2 * c->cut_count] = t;
        c->cut[2 * c->cut_count++ + 1] = (uint32_t)side;
        return;
    }
    tri[t].n[side] = beyond;
    if (beyond == TRI_NONE) return;
    tri[beyond].n[tri_side_between(&tri[beyond], ch->v[k], ch->v[k + 1])] = t;
}

/* The corner between i and j whose triangle over the base has no other in it. */
static uint32_t nearest(const tri_build *b, const chain *ch, uint32_t i, uint32_t j)
{
    const uint32_t p = ch->v[i], q = ch->v[j];
    uint32_t best = i + 1;
    for (uint32_t k = i + 2; k < j; k++) {
        const uint32_t c = ch->v[best], v = ch->v[k];
        if (v == c || v == p || v == q) continue;
        if (turn(b, q, c, v) >= 0.0 && turn(b, c, p, v) >= 0.0) best = k;
    }
    return best;
}

/* Triangulates a chain; returns the triangle at its base, whose side 2 that is. */
static uint32_t fill(tri_build *b, cavity *c, const chain *ch)
{
    triangle *tri = b->mesh->t;
    uint32_t *stack = c->stack, depth = 0, base = TRI_NONE;
    stack[depth++] = 0;
    stack[depth++] = ch->n - 1;
    stack[depth++] = TRI_NONE;
    stack[depth++] = 0;
    while (depth > 0) {
        const int side = (int)stack[--depth];
        const uint32_t parent = stack[--depth], j = stack[--depth], i = stack[--depth];
        if (j == i + 1) {
            close_side(b, c, ch, i, parent, side);
            continue;
        }
        const uint32_t m = nearest(b, ch, i, j), t = c->dead[c->used++];
        tri[t] = (triangle){{ch->v[i], ch->v[j], ch->v[m]}, {TRI_NONE, TRI_NONE, parent}};
        b->fixed[t] = 0;
        if (b->log != NULL) tri_note(b, t);
        for (int k = 0; k < 3; k++)
            b->mesh->at[tri[t].v[k]] = t;
        if (parent == TRI_NONE)
            base = t;
        else
            tri[parent].n[side] = t;
        const uint32_t todo[8] = {i, m, t, 1, m, j, t, 0};
        for (int k = 0; k < 8; k++)
            stack[depth++] = todo[k];
    }
    return base;
}

static void match_cuts(tri_build *b, const cavity *c)
{
    triangle *tri = b->mesh->t;
    for (uint32_t k = 0; k < c->cut_count; k++) {
        const uint32_t t = c->cut[2 * k], side = c->cut[2 * k + 1];
        const uint32_t p = tri[t].v[TRI_NEXT[side]], q = tri[t].v[TRI_PREVIOUS[side]];
        for (uint32_t m = 0; m < c->cut_count; m++) {
            const uint32_t u = c->cut[2 * m], other = c->cut[2 * m + 1];
            if (tri[u].v[TRI_NEXT[other]] == q && tri[u].v[TRI_PREVIOUS[other]] == p)
                tri[t].n[side] = u;
        }
        JO_ASSERT(tri[t].n[side] != TRI_NONE);
    }
}

jo_status jo_tri_insert_edge(tri_build *b, uint32_t p, uint32_t q, jo_error *error)
{
    triangle *tri = b->mesh->t;
    uint32_t touched;
    int side;
    const uint32_t t = look_from(b, p, q, &side, &touched);
    if (touched != TRI_NONE) return fail_touch(b, p, touched, error);
    if (side >= 0) {
        const uint32_t n = tri[t].n[side];
        b->fixed[t] |= (uint8_t)(1 << side);
        if (n != TRI_NONE) b->fixed[n] |= (uint8_t)(1 << tri_side(&tri[n], t));
        return JO_OK;
    }
    cavity c = make_room(b);
    const jo_status status = walk(b, &c, p, q, t, error);
    if (status != JO_OK) {
        for (uint32_t k = 0; k < c.dead_count; k++)
            b->fixed[c.dead[k]] &= (uint8_t)~DEAD;
        return status;
    }
    find_cuts(b, &c.left);
    find_cuts(b, &c.right);
    reverse(&c.right);
    const uint32_t one = fill(b, &c, &c.left), two = fill(b, &c, &c.right);
    JO_ASSERT(c.used == c.dead_count);
    match_cuts(b, &c);
    tri[one].n[2] = two;
    tri[two].n[2] = one;
    b->fixed[one] |= 4;
    b->fixed[two] |= 4;
    return JO_OK;
}
