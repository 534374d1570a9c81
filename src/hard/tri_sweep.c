/* tri_sweep.c — points triangulated from left to right.
 *
 * As in the paper: points are sorted lexicographically, and each is joined with those before it
 * that it sees. What a new point sees of the triangulation is a piece of its convex hull, around
 * the point before it, which is always on the hull. So instead of trying all pairs (O(n^3) in the
 * paper's words), the hull is kept as a ring and walked from the last point both ways while its
 * edges face the new one; each edge that was walked leaves the hull for good. The same
 * triangulation in O(n log n), the sorting included.
 *
 * Points on one line with the first two have no triangle until the first point beside it comes. */
#include <math.h>

#include "base/keysort.h"
#include "base/orient.h"
#include "hard/tri_build.h"

/* Counter-clockwise ring; inside[v] is the triangle at the hull's edge from v to next[v]. */
typedef struct hull {
    uint32_t *next, *previous, *inside;
} hull;

static jo_status sort_points(tri_build *b, uint32_t *order, jo_error *error)
{
    const uint32_t n = b->in->vertices;
    buffer memory = {0};
    if (!jo_buffer_reserve(&memory, n, 2 * sizeof(keyed)))
        return jo_fail_memory(error, n * 2 * sizeof(keyed), "sorting corners");
    keyed *items = memory.data;
    for (uint32_t k = 0; k < n; k++)
        items[k] = (keyed){.key = key_of_double(tri_place(b, k)[1] + 0.0), .id = k};
    jo_keysort(items, items + n, n);
    for (uint32_t k = 0; k < n; k++)
        items[k].key = key_of_double(tri_place(b, items[k].id)[0] + 0.0);
    jo_keysort(items, items + n, n);
    for (uint32_t k = 0; k < n; k++)
        order[k] = items[k].id;
    jo_buffer_free(&memory);
    for (uint32_t k = 1; k < n; k++) {
        const double *p = tri_place(b, order[k - 1]), *q = tri_place(b, order[k]);
        if (p[0] == q[0] && p[1] == q[1])
            return jo_fail(error, JO_ERR_DATA, "%s and %s both have a corner at (%.17g, %.17g)",
                           jo_tri_name(b->in, order[k - 1]).text, jo_tri_name(b->in, order[k]).text,
                           p[0], p[1]);
    }
    return JO_OK;
}

static double turn(const tri_build *b, uint32_t p, uint32_t q, uint32_t r)
{
    return jo_orient(tri_place(b, p), tri_place(b, q), tri_place(b, r));
}

static uint32_t add(tri_build *b, uint32_t p, uint32_t q, uint32_t r)
{
    const uint32_t t = b->mesh->count++;
    b->mesh->t[t] = (triangle){{p, q, r}, {TRI_NONE, TRI_NONE, TRI_NONE}};
    b->mesh->at[p] = b->mesh->at[q] = b->mesh->at[r] = t;
    return t;
}

static void join(tri_build *b, uint32_t s, uint32_t t, uint32_t p, uint32_t q)
{
    triangle *tri = b->mesh->t;
    tri[s].n[tri_side_between(&tri[s], p, q)] = t;
    tri[t].n[tri_side_between(&tri[t], p, q)] = s;
}

/* The points before order[m] are on one line: a fan from order[m] to all of them. */
static void first_fan(tri_build *b, const uint32_t *order, uint32_t m, hull *h)
{
    const uint32_t apex = order[m];
    const bool left = turn(b, order[0], order[1], apex) > 0.0;
    for (uint32_t k = 0; k + 1 < m; k++) {
        const uint32_t p = left ? order[k] : order[m - 1 - k];
        const uint32_t q = left ? order[k + 1] : order[m - 2 - k];
        const uint32_t t = add(b, p, q, apex);
        if (k > 0) join(b, t - 1, t, p, apex);
        h->next[p] = q;
        h->previous[q] = p;
        h->inside[p] = t;
        if (k == 0) h->next[apex] = p, h->previous[p] = apex, h->inside[apex] = t;
        if (k + 2 == m) h->next[q] = apex, h->previous[apex] = q, h->inside[q] = t;
    }
}

/* Joins p, to the right of all, with the edges of the hull that it sees. */
static void add_point(tri_build *b, uint32_t p, uint32_t last, hull *h)
{
    uint32_t from = last, to = last;
    while (turn(b, h->previous[from], from, p) < 0.0)
        from = h->previous[from];
    while (turn(b, to, h->next[to], p) < 0.0)
        to = h->next[to];
    JO_ASSERT(from != to);
    uint32_t before = TRI_NONE;
    for (uint32_t v = from; v != to;) {
        const uint32_t w = h->next[v], t = add(b, p, w, v);
        join(b, t, h->inside[v], v, w);
        if (before != TRI_NONE) join(b, before, t, v, p);
        if (v == from) h->inside[from] = t;
        before = t;
        v = w;
    }
    h->next[from] = h->previous[to] = p;
    h->previous[p] = from;
    h->next[p] = to;
    h->inside[p] = before;
}

jo_status jo_tri_sweep(tri_build *b, jo_error *error)
{
    const uint32_t n = b->in->vertices;
    uint32_t *order = b->work;
    hull h = {order + n, order + 2 * (size_t)n, order + 3 * (size_t)n};
    const jo_status status = sort_points(b, order, error);
    if (status != JO_OK) return status;
    uint32_t m = 2;
    while (m < n && turn(b, order[0], order[1], order[m]) == 0.0)
        m++;
    if (m >= n)
        return jo_fail(error, JO_ERR_DATA,
                       "all %u corners lie on one line; there is no space to "
                       "triangulate",
                       n);
    b->mesh->count = 0;
    first_fan(b, order, m, &h);
    for (uint32_t k = m + 1; k < n; k++)
        add_point(b, order[k], order[k - 1], &h);
    return JO_OK;
}
