/* press_islands.c — see press_islands.h. The islands themselves are found by press_near.c.
 *
 * Why the angles. Seen along the edge it passes under, the edge is a corner of the other body, with
 * an angle e inside, and the sharp corner a wedge with an angle c at least. All of the wedge goes
 * through both sides of that corner only if c + e < 180 degrees. The least c of a vertex is what
 * the two planes leave that differ most among those that touch the body there only: 180 degrees
 * less the largest angle between normals of its faces.
 *
 * Cost: vertices times faces, a few ns each. */
#include "narrow/press_islands.h"

#include <math.h>

#include "base/mix.h"
#include "narrow/press_piece.h"
#include "scene/poly.h"

static double angle_between(const jo_polyhedron *p, uint32_t f, uint32_t g)
{
    const double cosine = press_dot(p->planes + 4 * (size_t)f, p->planes + 4 * (size_t)g);
    return acos(fmin(fmax(cosine, -1), 1));
}

void jo_press_sharpness(const jo_polyhedron *body, double *at_vertices, double *at_edges)
{
    *at_vertices = *at_edges = 0;
    if (body->nf > ISLAND_FACES) return;
    for (size_t v = 0; v < body->nv; v++)
        for (uint32_t h = body->first[v]; h < body->first[v + 1]; h++) {
            const uint32_t f = body->face[h];
            *at_edges = fmax(*at_edges, angle_between(body, f, body->face[body->twin[h]]));
            for (uint32_t k = body->first[v]; k < h; k++)
                *at_vertices = fmax(*at_vertices, angle_between(body, f, body->face[k]));
        }
}

/* Where a vertex of one body is in the frame of the other, and beyond which of its faces. */
typedef struct corner {
    double x[3];
    uint32_t beyond;
} corner;

static double depth_below(const press_side *s, uint32_t f, const double x[3])
{
    const double *plane = s->body->planes + 4 * (size_t)f;
    return plane[3] + s->more - press_dot(plane, x);
}

static void place_corners(const press_side *own, const press_side *other, corner *corners)
{
    const double *m = own->pose->turn, *t = other->pose->turn;
    for (size_t v = 0; v < own->body->nv; v++) {
        corner *c = &corners[v];
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = press_dot(m + 3 * k, own->body->points + 3 * v) + own->pose->at[k] -
                   other->pose->at[k];
        for (int k = 0; k < 3; k++)
            c->x[k] = t[k] * d[0] + t[3 + k] * d[1] + t[6 + k] * d[2];
        c->beyond = 0;
        for (uint32_t f = 0; f < other->body->nf; f++)
            c->beyond |= (uint32_t)(depth_below(other, f, c->x) < 0) << f;
    }
}

/* By which faces of the other body an edge comes in and goes out again; UINT32_MAX: it ends inside.
 * False: it does not pass through. */
static bool pass_through(const press_side *other, const corner *from, const corner *to,
                         uint32_t by[2])
{
    double in = 0, out = 1;
    by[0] = by[1] = UINT32_MAX;
    if ((from->beyond & to->beyond) != 0) return false;
    for (uint32_t left = from->beyond | to->beyond; left != 0; left &= left - 1) {
        const uint32_t f = (uint32_t)__builtin_ctz(left);
        const double start = depth_below(other, f, from->x),
                     share = start / (start - depth_below(other, f, to->x));
        if (start < 0 && share >= in) {
            in = share;
            by[0] = f;
        } else if (start >= 0 && share <= out) {
            out = share;
            by[1] = f;
        }
    }
    return in < out;
}

/* The edges of one body, `which` of the two. */
static void list_edges(const press_side *own, const press_side *other, int which,
                       press_crossings *out)
{
    const jo_polyhedron *p = own->body;
    corner corners[ISLAND_CORNERS];
    place_corners(own, other, corners);
    for (uint32_t h = 0; h < p->nh; h++) {
        const corner *tail = &corners[p->origin[h]], *head = &corners[p->origin[p->twin[h]]];
        uint32_t by[2];
        if (h > p->twin[h] || !pass_through(other, tail, head, by)) continue;
        for (int end = 0; end < 2; end++) {
            if (by[end] == UINT32_MAX) continue;
            out->face[out->count][which] = p->face[h];
            out->face[out->count++][1 - which] = by[end];
            out->hash = jo_mix64(out->hash ^ ((uint64_t)h << 32 | by[end] << 2 | which << 1 | end));
        }
    }
}

void jo_press_crossings(const press_side *a, const press_side *b, press_crossings *out)
{
    out->count = 0;
    out->hash = 0;
    list_edges(a, b, 0, out);
    list_edges(b, a, 1, out);
}
