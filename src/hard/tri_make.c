/* tri_make.c — a triangulation of free space, stage by stage; and its elementary change, the flip.
 *
 *   1. all corners, from left to right (tri_sweep.c);
 *   2. mandatory edges, one by one (tri_edges.c);
 *   3. solids: triangles to the left of a polygon's edge are solid, and so is what can be reached
 * from them without crossing a mandatory edge. They are taken out. A polygon whose outside turns
 * out solid lies in another; a side on the hull that is left shows that the boundary does not
 * enclose everything. Cost: O(n log n) and what crossed edges cost. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hard/tri_build.h"

tri_name jo_tri_name(const tri_input *in, uint32_t corner)
{
    const uint32_t owner = in->owner[corner];
    tri_name name;
    if (owner == in->boundary)
        snprintf(name.text, sizeof name.text, "the boundary");
    else
        snprintf(name.text, sizeof name.text, "body %llu",
                 in->ids != NULL ? (unsigned long long)in->ids[owner] : (unsigned long long)owner);
    return name;
}

/* ---- flips ---- */

static void replace_neighbour(tri_mesh *m, uint32_t t, uint32_t old, uint32_t now)
{
    if (t != TRI_NONE) m->t[t].n[tri_side(&m->t[t], old)] = now;
}

void jo_tri_flip(tri_mesh *m, uint32_t t, int k)
{
    const triangle one = m->t[t];
    const uint32_t u = one.n[k];
    const triangle two = m->t[u];
    const int j = tri_side(&two, t);
    const uint32_t a = one.v[k], b = one.v[TRI_NEXT[k]], c = one.v[TRI_PREVIOUS[k]], d = two.v[j];
    const uint32_t ab = one.n[TRI_PREVIOUS[k]], ca = one.n[TRI_NEXT[k]];
    const uint32_t bd = two.n[TRI_NEXT[j]], dc = two.n[TRI_PREVIOUS[j]];
    m->t[t] = (triangle){{a, b, d}, {bd, u, ab}};
    m->t[u] = (triangle){{a, d, c}, {dc, ca, t}};
    replace_neighbour(m, bd, u, t);
    replace_neighbour(m, ca, t, u);
    m->at[a] = m->at[b] = t;
    m->at[c] = m->at[d] = u;
}

uint32_t jo_tri_find_side(const tri_mesh *m, uint32_t p, uint32_t q, int *side)
{
    const uint32_t first = m->at[p];
    uint32_t t = first;
    for (int way = 0; way < 2; way++) {
        t = first;
        do {
            const int k = tri_corner(&m->t[t], p);
            if (m->t[t].v[TRI_NEXT[k]] == q) {
                *side = TRI_PREVIOUS[k];
                return t;
            }
            t = m->t[t].n[way == 0 ? TRI_NEXT[k] : TRI_PREVIOUS[k]];
        } while (t != TRI_NONE && t != first);
    }
    return TRI_NONE;
}

/* ---- solids ---- */

/* Marks as solid, by the corner `from`, what is connected with t. */
static jo_status flood(tri_build *b, uint32_t t, uint32_t from, uint32_t *solid, uint32_t *stack,
                       jo_error *error)
{
    const triangle *tri = b->mesh->t;
    const uint32_t *owner = b->in->owner;
    uint32_t depth = 0;
    solid[t] = from;
    stack[depth++] = t;
    while (depth > 0) {
        t = stack[--depth];
        for (int k = 0; k < 3; k++) {
            const uint32_t n = tri[t].n[k];
            const uint32_t p = tri[t].v[TRI_NEXT[k]], q = tri[t].v[TRI_PREVIOUS[k]];
            if (b->fixed[t] >> k & 1) {
                if (b->in->next[p] == q) continue;
                const double *at = tri_place(b, p);
                if (owner[from] == b->in->boundary)
                    return jo_fail(error, JO_ERR_DATA,
                                   "%s, at (%.9g, %.9g), is outside the boundary",
                                   jo_tri_name(b->in, p).text, at[0], at[1]);
                return jo_fail(error, JO_ERR_DATA, "%s, at (%.9g, %.9g), lies in the solid of %s",
                               jo_tri_name(b->in, p).text, at[0], at[1],
                               jo_tri_name(b->in, from).text);
            }
            if (n == TRI_NONE || solid[n] != TRI_NONE) continue;
            solid[n] = from;
            stack[depth++] = n;
        }
    }
    return JO_OK;
}

static jo_status find_solids(tri_build *b, uint32_t *solid, uint32_t *stack, jo_error *error)
{
    const triangle *tri = b->mesh->t;
    memset(solid, 0xff, b->mesh->count * sizeof *solid);
    for (uint32_t t = 0; t < b->mesh->count; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t p = tri[t].v[TRI_NEXT[k]], q = tri[t].v[TRI_PREVIOUS[k]];
            if (b->in->next[p] != q || solid[t] != TRI_NONE) continue;
            const jo_status status = flood(b, t, p, solid, stack, error);
            if (status != JO_OK) return status;
        }
    for (uint32_t t = 0; t < b->mesh->count; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t p = tri[t].v[TRI_NEXT[k]], q = tri[t].v[TRI_PREVIOUS[k]];
            if (solid[t] != TRI_NONE || tri[t].n[k] != TRI_NONE || b->in->next[q] == p) continue;
            const double *at = tri_place(b, p);
            return jo_fail(error, JO_ERR_DATA,
                           "body %u, at (%.9g, %.9g), is not inside the boundary", b->in->owner[p],
                           at[0], at[1]);
        }
    return JO_OK;
}

/* Takes out what is solid; mandatory sides have no neighbour from then on. */
static void take_out(tri_build *b, uint32_t *solid)
{
    tri_mesh *m = b->mesh;
    uint32_t kept = 0;
    for (uint32_t t = 0; t < m->count; t++) /* solid[t] becomes the new number of t */
        solid[t] = solid[t] == TRI_NONE ? kept++ : TRI_NONE;
    for (uint32_t t = 0; t < m->count; t++) {
        if (solid[t] == TRI_NONE) continue;
        triangle now = m->t[t];
        for (int k = 0; k < 3; k++)
            now.n[k] = now.n[k] == TRI_NONE || (b->fixed[t] >> k & 1) ? TRI_NONE : solid[now.n[k]];
        m->t[solid[t]] = now;
        for (int k = 0; k < 3; k++)
            m->at[now.v[k]] = solid[t];
    }
    m->count = kept;
}

/* ---- all of it ---- */

static jo_status check_input(const tri_input *in, jo_error *error)
{
    if (in->vertices < 3)
        return jo_fail(error, JO_ERR_DATA, "%u corners; a triangle has three", in->vertices);
    if (in->vertices > 1u << 28)
        return jo_fail(error, JO_ERR_LIMIT, "%u corners; at most %u can be triangulated",
                       in->vertices, 1u << 28);
    for (uint32_t v = 0; v < in->vertices; v++) {
        const double *p = in->place + 2 * (size_t)v;
        if (!(fabs(p[0]) < 1e100 && fabs(p[1]) < 1e100))
            return jo_fail(error, JO_ERR_DATA, "a corner of %s is at (%g, %g)",
                           jo_tri_name(in, v).text, p[0], p[1]);
    }
    return JO_OK;
}

static jo_status make_room(tri_build *b, jo_error *error)
{
    const size_t n = b->in->vertices, most = 2 * n + 4;
    tri_mesh *m = b->mesh;
    if (!jo_buffer_reserve(&m->memory_t, most, sizeof *m->t) ||
        !jo_buffer_reserve(&m->memory_at, n, sizeof *m->at) ||
        !jo_buffer_reserve(&b->memory_fixed, most, 1) ||
        !jo_buffer_reserve(&b->memory_marks, 2 * most, 1) ||
        !jo_buffer_reserve(&b->memory_work, TRI_WORK * most, sizeof *b->work))
        return jo_fail_memory(error, 150 * n, "a triangulation");
    m->t = m->memory_t.data;
    m->at = m->memory_at.data;
    m->vertices = b->in->vertices;
    b->fixed = b->memory_fixed.data;
    b->marks = b->memory_marks.data;
    b->work = b->memory_work.data;
    memset(b->fixed, 0, most);
    return JO_OK;
}

static jo_status make(tri_build *b, jo_error *error)
{
    const tri_input *in = b->in;
    jo_status status = jo_tri_sweep(b, error);
    for (uint32_t v = 0; v < in->vertices && status == JO_OK; v++)
        if (in->next[v] != TRI_NONE) status = jo_tri_insert_edge(b, v, in->next[v], error);
    for (uint32_t k = 0; k < in->partitions && status == JO_OK; k++)
        status = jo_tri_insert_edge(b, in->partition[2 * (size_t)k],
                                    in->partition[2 * (size_t)k + 1], error);
    uint32_t *solid = b->work, *stack = b->work + 2 * (size_t)in->vertices + 4;
    if (status == JO_OK) status = find_solids(b, solid, stack, error);
    if (status == JO_OK) take_out(b, solid);
    return status;
}

jo_status jo_tri_make(tri_mesh *mesh, const tri_input *input, jo_error *error)
{
    tri_build b = {.mesh = mesh, .in = input};
    jo_status status = check_input(input, error);
    if (status == JO_OK) status = make_room(&b, error);
    if (status == JO_OK) status = make(&b, error);
    jo_buffer_free(&b.memory_fixed);
    jo_buffer_free(&b.memory_marks);
    jo_buffer_free(&b.memory_work);
    return status;
}

void jo_tri_free(tri_mesh *m)
{
    jo_buffer_free(&m->memory_t);
    jo_buffer_free(&m->memory_at);
    jo_buffer_free(&m->memory_marks);
    jo_buffer_free(&m->memory_edges);
    jo_buffer_free(&m->memory_log);
    jo_buffer_free(&m->memory_ring);
    *m = (tri_mesh){0};
}
