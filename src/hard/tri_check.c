/* tri_check.c — is a triangulation what tri.h says it is?
 *
 * If all triangles are counter-clockwise, neighbours agree about their common side, the sides
 * without a neighbour are exactly the mandatory ones, and the number of triangles is Euler's, then
 * the triangles cover free space once: solids do not overlap. Areas are compared as well, by sums
 * with the carry of each addition kept, so that they agree to rounding for any number of
 * triangles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/orient.h"
#include "hard/tri.h"

/* Neumaier's sum. */
typedef struct careful {
    double sum, lost;
} careful;

static void add(careful *c, double x)
{
    const double s = c->sum + x;
    c->lost += fabs(c->sum) >= fabs(x) ? (c->sum - s) + x : (x - s) + c->sum;
    c->sum = s;
}

static const double *place(const tri_input *in, uint32_t v)
{
    return in->place + 2 * (size_t)v;
}

static jo_status bad(const tri_input *in, const tri_mesh *m, uint32_t t, const char *what,
                     jo_error *error)
{
    const uint32_t *v = m->t[t].v;
    return jo_fail(error, JO_ERR_PHYSICS,
                   "triangle %u (corners %u, %u, %u of %s, %s and %s, near (%.9g, %.9g)) %s", t,
                   v[0], v[1], v[2], jo_tri_name(in, v[0]).text, jo_tri_name(in, v[1]).text,
                   jo_tri_name(in, v[2]).text, place(in, v[0])[0], place(in, v[0])[1], what);
}

static bool is_mandatory(const tri_input *in, uint32_t p, uint32_t q)
{
    if (in->next[q] == p) return true; /* the solid is to the right of p -> q */
    for (uint32_t k = 0; k < in->partitions; k++) {
        const uint32_t *e = in->partition + 2 * (size_t)k;
        if ((e[0] == p && e[1] == q) || (e[0] == q && e[1] == p)) return true;
    }
    return false;
}

/* Of a triangle, by its longest side. */
static double height(const tri_input *in, const triangle *t, double twice)
{
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        const double *a = place(in, t->v[k]), *b = place(in, t->v[TRI_NEXT[k]]);
        longest = fmax(longest, hypot(a[0] - b[0], a[1] - b[1]));
    }
    return twice / longest / longest;
}

static jo_status bad_shape(const tri_input *in, const tri_mesh *m, uint32_t t, double twice,
                           jo_error *error)
{
    char what[96];
    snprintf(what, sizeof what, "is flat or inverted: its height is %.3g of its longest side",
             height(in, &m->t[t], twice));
    return bad(in, m, t, what, error);
}

static jo_status check_triangle(const tri_mesh *m, const tri_input *in, uint32_t t, uint32_t *sides,
                                jo_error *error)
{
    const triangle *tri = &m->t[t];
    for (int k = 0; k < 3; k++)
        if (tri->v[k] >= m->vertices)
            return bad(in, m, t, "has a corner that does not exist", error);
    const double twice =
        jo_orient(place(in, tri->v[0]), place(in, tri->v[1]), place(in, tri->v[2]));
    if (!(twice > 0.0)) return bad_shape(in, m, t, twice, error);
    for (int k = 0; k < 3; k++) {
        const uint32_t p = tri->v[TRI_NEXT[k]], q = tri->v[TRI_PREVIOUS[k]], n = tri->n[k];
        if (n == TRI_NONE) {
            if (!is_mandatory(in, p, q)) return bad(in, m, t, "lacks a neighbour", error);
            ++*sides;
            continue;
        }
        if (is_mandatory(in, p, q)) return bad(in, m, t, "has a neighbour in a solid", error);
        if (n >= m->count) return bad(in, m, t, "has a neighbour that does not exist", error);
        const triangle *other = &m->t[n];
        const int j = tri_side_between(other, p, q);
        if (j < 0 || other->n[j] != t || other->v[TRI_NEXT[j]] != q)
            return bad(in, m, t, "and its neighbour disagree", error);
    }
    return JO_OK;
}

/* How many rings the mandatory sides form, walked with free space on the left. seen: 3 per
 * triangle. */
static uint32_t count_rings(const tri_mesh *m, uint8_t *seen)
{
    uint32_t rings = 0;
    for (uint32_t first = 0; first < 3 * m->count; first++) {
        if (m->t[first / 3].n[first % 3] != TRI_NONE || seen[first]) continue;
        rings++;
        uint32_t t = first / 3;
        int k = (int)(first % 3);
        while (!seen[3 * t + (uint32_t)k]) {
            seen[3 * t + (uint32_t)k] = 1;
            const uint32_t q = m->t[t].v[TRI_PREVIOUS[k]];
            k = TRI_NEXT[k];
            while (m->t[t].n[k] != TRI_NONE) {
                t = m->t[t].n[k];
                k = TRI_PREVIOUS[tri_corner(&m->t[t], q)];
            }
        }
    }
    return rings;
}

/* How many parts free space has. */
static uint32_t count_parts(const tri_mesh *m, uint8_t *seen, uint32_t *stack)
{
    uint32_t parts = 0;
    for (uint32_t first = 0; first < m->count; first++) {
        if (seen[first]) continue;
        parts++;
        uint32_t depth = 0;
        seen[first] = 1;
        stack[depth++] = first;
        while (depth > 0) {
            const triangle *t = &m->t[stack[--depth]];
            for (int k = 0; k < 3; k++) {
                if (t->n[k] == TRI_NONE || seen[t->n[k]]) continue;
                seen[t->n[k]] = 1;
                stack[depth++] = t->n[k];
            }
        }
    }
    return parts;
}

static uint32_t count_polygons(const tri_input *in, uint8_t *seen)
{
    uint32_t polygons = 0;
    for (uint32_t v = 0; v < in->vertices; v++) {
        if (in->next[v] == TRI_NONE || seen[v]) continue;
        polygons++;
        for (uint32_t u = v; u != TRI_NONE && !seen[u]; u = in->next[u])
            seen[u] = 1;
    }
    return polygons;
}

static jo_status check_counts(const tri_mesh *m, const tri_input *in, uint32_t sides,
                              jo_error *error)
{
    const size_t bytes = 4 * (size_t)m->count + in->vertices;
    uint32_t expected = 2 * in->partitions;
    uint8_t *seen = calloc(bytes, 1);
    uint32_t *stack = malloc(((size_t)m->count + 1) * sizeof *stack);
    if (seen == NULL || stack == NULL) {
        free(seen);
        free(stack);
        return jo_fail_memory(error, 2 * bytes, "checking a triangulation");
    }
    const uint32_t rings = count_rings(m, seen);
    const uint32_t parts = count_parts(m, seen + 3 * (size_t)m->count, stack);
    const uint32_t polygons = count_polygons(in, seen + 4 * (size_t)m->count);
    free(seen);
    free(stack);
    for (uint32_t v = 0; v < in->vertices; v++)
        if (in->next[v] != TRI_NONE) expected++;
    if (sides != expected)
        return jo_fail(error, JO_ERR_PHYSICS, "%u mandatory sides are in the triangulation, not %u",
                       sides, expected);
    if (in->partitions == 0 && rings != polygons)
        return jo_fail(error, JO_ERR_PHYSICS, "%u polygons, but %u rings of mandatory sides",
                       polygons, rings);
    const int64_t euler = (int64_t)sides + 2 * ((int64_t)rings - 2 * (int64_t)parts);
    if (m->count != euler)
        return jo_fail(
            error, JO_ERR_PHYSICS,
            "%u triangles, not %lld as Euler's formula has it for %u sides, %u rings and "
            "%u parts",
            m->count, (long long)euler, sides, rings, parts);
    return JO_OK;
}

static jo_status check_corners(const tri_mesh *m, jo_error *error)
{
    for (uint32_t v = 0; v < m->vertices; v++) {
        const uint32_t t = m->at[v];
        if (t >= m->count || m->t[t].v[tri_corner(&m->t[t], v)] != v)
            return jo_fail(error, JO_ERR_PHYSICS, "corner %u is not in the triangle it knows", v);
    }
    return JO_OK;
}

jo_status jo_tri_check(const tri_mesh *m, const tri_input *in, tri_report *report, jo_error *error)
{
    careful area = {0}, solid = {0};
    tri_report found = {.triangles = m->count, .least = INFINITY};
    uint32_t sides = 0;
    const double *o = place(in, 0);
    for (uint32_t t = 0; t < m->count; t++) {
        const jo_status status = check_triangle(m, in, t, &sides, error);
        if (status != JO_OK) return status;
        const uint32_t *v = m->t[t].v;
        const double twice = jo_orient(place(in, v[0]), place(in, v[1]), place(in, v[2]));
        add(&area, 0.5 * twice);
        found.least = fmin(found.least, height(in, &m->t[t], twice));
    }
    double scale = 0.0;
    for (uint32_t v = 0; v < in->vertices; v++) {
        if (in->next[v] == TRI_NONE) continue;
        const double twice = -jo_orient(o, place(in, v), place(in, in->next[v]));
        add(&solid, 0.5 * twice);
        scale = fmax(scale, fabs(twice));
    }
    found.free_area = area.sum + area.lost;
    found.solid_area = solid.sum + solid.lost;
    if (report != NULL) *report = found;
    if (!(fabs(found.free_area - found.solid_area) <= 1e-12 * fmax(scale, found.free_area)))
        return jo_fail(error, JO_ERR_PHYSICS,
                       "triangles cover an area of %.17g; the boundary less the grains is %.17g",
                       found.free_area, found.solid_area);
    const jo_status status = check_corners(m, error);
    return status == JO_OK ? check_counts(m, in, sides, error) : status;
}
