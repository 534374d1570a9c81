/* press_kept_eval.h — forces from a surface of which the pieces are known: press_kept.h.
 *
 * Coordinates. From a direction in which all of its pieces are seen, the surface is a graph over a
 * plane (u, v): with heights l = o + a u + b v + c w over faces i of one and j of the other, l_i =
 * l_j gives the piece's place w and depth p as linear functions of (u, v). So all pieces lie on one
 * plane, where the depth is a roof: concave, each slope a piece. A corner is where two further
 * heights (or the depth 0, or the border of a part) meet on a piece: two linear equations.
 *
 * Proof that it is still the same surface. The roof is that of all the faces that take part if no
 * side of a piece has turned around: a piece is on the inner side of its sides (corners turn left,
 * sides run forwards), and beyond each side is another piece that knows the same two corners, so
 * that the roof is concave across each of its edges, hence everywhere. Faces that take no part must
 * not be lower anywhere: those beside a face are asked one by one at the corners of its pieces, and
 * as long as no corner has moved by as much as it was away from where another face would be as low,
 * they need not be asked again.
 *
 * Integrals. Of a piece they are the sum over its sides of those over triangles with its first
 * corner as the third one, which follow from two points on the side. The depth is linear, so that
 * moments of area up to the third order suffice. Pieces, corners and sides are taken four at a
 * time, in the same order on all processors.
 *
 * Cost: 0.1 us and some 5 ns a side; a piece has four of them. */
#ifndef JO_NARROW_PRESS_KEPT_EVAL_H
#define JO_NARROW_PRESS_KEPT_EVAL_H

#include <math.h>
#include <string.h>

#include "base/vec4.h"
#include "narrow/press_kept.h"
#include "narrow/press_sums.h"
#include "scene/poly.h"

/* What was kept, by name. */
typedef struct kept_parts {
    const uint32_t *face;
    const float (*place)[4];
    const uint8_t (*piece)[3], (*corner)[3], (*side)[2];
} kept_parts;

static inline kept_parts parts_of(const press_kept *k)
{
    kept_parts p;
    p.face = (const uint32_t *)(const void *)(k + 1);
    p.place = (const float(*)[4])(const void *)(p.face + k->faces[0] + k->faces[1]);
    p.piece = (const uint8_t(*)[3])(p.place + k->corners);
    p.corner = p.piece + k->pieces;
    p.side = (const uint8_t(*)[2])(p.corner + k->corners);
    return p;
}

/* A row: a height as function of u, v, w, and with q times the depth. */
typedef struct kept_row {
    double a, b, c, q, o;
} kept_row;

typedef struct kept_corner {
    double u, v, w, p;
} kept_corner;
typedef struct kept_corners { /* four of them */
    vec4 u, v, w, p;
} kept_corners;

/* The axes u, v, w in the frame of one of the bodies, and the origin of u, v, w there; once more by
 * coordinates: the k-th of e, g, n and at. */
typedef struct kept_view {
    press_axes axes;
    row4 by[3];
} kept_view;

/* A piece: place w and depth p as functions of u and v; wide: its area over that in the plane. */
typedef struct kept_piece {
    double w0, wu, wv, wide, p0, pu, pv, unused;
} kept_piece;
typedef struct kept_pieces { /* four of them */
    vec4 w0, wu, wv, wide, p0, pu, pv;
} kept_pieces;

typedef struct kept_work {
    kept_view view[2], world; /* world: from the place of a */
    double deepest;
    kept_row row[KEPT_MOST];
    kept_piece piece[KEPT_MOST + 3];
    kept_pieces pieces[KEPT_MOST / 4 + 1];
    kept_corner corner[KEPT_MOST + 3];
    kept_corners corners[KEPT_MOST / 4 + 1];
} kept_work;

static inline void turn_view(kept_view *v)
{
    for (int k = 0; k < 3; k++)
        v->by[k] = (row4){v->axes.e[k], v->axes.g[k], v->axes.n[k], v->axes.at[k]};
}

/* The axes from the frame of a into the world, and into that of the other. */
static inline void set_views(const press_kept *kept, const press_side *a, const press_side *b,
                             kept_work *w)
{
    const double *m = a->pose->turn;
    kept_view *of_a = &w->view[0], *world = &w->world, *of_b = &w->view[1];
    memcpy(of_a->axes.e, kept->e, sizeof of_a->axes.e);
    memcpy(of_a->axes.g, kept->g, sizeof of_a->axes.g);
    memcpy(of_a->axes.n, kept->n, sizeof of_a->axes.n);
    memcpy(of_a->axes.at, kept->ref, sizeof of_a->axes.at);
    for (int k = 0; k < 3; k++) {
        world->axes.e[k] = press_dot(m + 3 * k, kept->e);
        world->axes.g[k] = press_dot(m + 3 * k, kept->g);
        world->axes.n[k] = press_dot(m + 3 * k, kept->n);
        world->axes.at[k] = press_dot(m + 3 * k, kept->ref);
    }
    turn_view(of_a);
    turn_view(world);
    *of_b = *world;
    if (b->body == NULL) return;
    const double *t = b->pose->turn;
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = a->pose->at[k] + world->axes.at[k] - b->pose->at[k];
    for (int k = 0; k < 3; k++) {
        of_b->axes.e[k] =
            t[k] * world->axes.e[0] + t[3 + k] * world->axes.e[1] + t[6 + k] * world->axes.e[2];
        of_b->axes.g[k] =
            t[k] * world->axes.g[0] + t[3 + k] * world->axes.g[1] + t[6 + k] * world->axes.g[2];
        of_b->axes.n[k] =
            t[k] * world->axes.n[0] + t[3 + k] * world->axes.n[1] + t[6 + k] * world->axes.n[2];
        of_b->axes.at[k] = t[k] * from[0] + t[3 + k] * from[1] + t[6 + k] * from[2];
    }
    turn_view(of_b);
}

/* A height over a plane as row; of a part, minus its vector and plus its number. */
static inline kept_row row_over(const kept_view *view, const double plane[3], double offset,
                                double q)
{
    const row4 along = view->by[0] * plane[0] + view->by[1] * plane[1] + view->by[2] * plane[2];
    kept_row r;
    row_store(&r.a, __builtin_shufflevector(-along, row_all(q), 0, 1, 2, 7));
    r.o = offset - along[3];
    return r;
}

static inline kept_row row_of_face(const kept_view *view, const press_side *side, uint32_t face)
{
    const double *plane =
        side->body != NULL ? side->body->planes + 4 * (size_t)face : side->planes[face];
    return row_over(view, plane, plane[3] + side->more, -1);
}

/* Four rows, one in each lane. */
typedef struct kept_four {
    vec4 a, b, c, q, o;
} kept_four;

static inline kept_four four_rows(const kept_row *w, const kept_row *x, const kept_row *y,
                                  const kept_row *z)
{
    const row4 rows[4] = {row_load(&w->a), row_load(&x->a), row_load(&y->a), row_load(&z->a)};
    vec4 out[4];
    v4_columns(rows, out);
    return (kept_four){out[0], out[1], out[2], out[3], {w->o, x->o, y->o, z->o}};
}

/* Four pieces at a time; beyond the last one, that again. False: the direction has turned too far,
 * some piece is seen from its edge. */
static inline bool place_pieces(const press_kept *kept, const kept_parts *is, kept_work *w)
{
    vec4 least = v4_all(1);
    const size_t last = kept->pieces - 1U;
    for (size_t k = 0; k <= last; k += 4) {
        const uint8_t *p0 = is->piece[k], *p1 = is->piece[k + 1 < last ? k + 1 : last],
                      *p2 = is->piece[k + 2 < last ? k + 2 : last],
                      *p3 = is->piece[k + 3 < last ? k + 3 : last];
        const kept_row *row = w->row;
        const kept_four i = four_rows(&row[p0[0]], &row[p1[0]], &row[p2[0]], &row[p3[0]]),
                        j = four_rows(&row[p0[1]], &row[p1[1]], &row[p2[1]], &row[p3[1]]);
        const vec4 steep = i.c - j.c, scale = 1 / steep;
        kept_pieces *t = &w->pieces[k / 4];
        row4 rows[4];
        least = v4_min(least, steep);
        t->w0 = (j.o - i.o) * scale;
        t->wu = (j.a - i.a) * scale;
        t->wv = (j.b - i.b) * scale;
        t->p0 = i.o + i.c * t->w0;
        t->pu = i.a + i.c * t->wu;
        t->pv = i.b + i.c * t->wv;
        t->wide = v4_sqrt(1 + t->wu * t->wu + t->wv * t->wv);
        v4_rows(t->w0, t->wu, t->wv, t->wide, rows);
        for (size_t l = 0; l < 4; l++)
            row_store(&w->piece[k + l].w0, rows[l]);
        v4_rows(t->p0, t->pu, t->pv, t->pv, rows);
        for (size_t l = 0; l < 4; l++)
            row_store(&w->piece[k + l].p0, rows[l]);
    }
    return v4_least(least) > 1e-3;
}

/* The pieces of four corners, one in each lane. */
static inline void four_pieces(const kept_work *w, const uint8_t *const c[4], kept_pieces *out)
{
    row4 rows[4];
    vec4 column[4];
    for (size_t l = 0; l < 4; l++)
        rows[l] = row_load(&w->piece[c[l][0]].w0);
    v4_columns(rows, column);
    out->w0 = column[0];
    out->wu = column[1];
    out->wv = column[2];
    for (size_t l = 0; l < 4; l++)
        rows[l] = row_load(&w->piece[c[l][0]].p0);
    v4_columns(rows, column);
    out->p0 = column[0];
    out->pu = column[1];
    out->pv = column[2];
}

/* Where the corners are, four at a time. False: lines are nearly parallel, or in another order. */
static inline bool place_corners(const press_kept *kept, const kept_parts *is, kept_work *w)
{
    vec4 least = v4_all(1), deepest = v4_zero();
    const size_t last = kept->corners - 1U;
    for (size_t k = 0; k <= last; k += 4) {
        const uint8_t *const c[4] = {is->corner[k], is->corner[k + 1 < last ? k + 1 : last],
                                     is->corner[k + 2 < last ? k + 2 : last],
                                     is->corner[k + 3 < last ? k + 3 : last]};
        const kept_row *row = w->row;
        kept_pieces t;
        row4 rows[4];
        four_pieces(w, c, &t);
        const kept_four f = four_rows(&row[c[0][1]], &row[c[1][1]], &row[c[2][1]], &row[c[3][1]]),
                        g = four_rows(&row[c[0][2]], &row[c[1][2]], &row[c[2][2]], &row[c[3][2]]);
        const vec4 fo = f.o + f.c * t.w0 + f.q * t.p0, fu = f.a + f.c * t.wu + f.q * t.pu,
                   fv = f.b + f.c * t.wv + f.q * t.pv;
        const vec4 go = g.o + g.c * t.w0 + g.q * t.p0, gu = g.a + g.c * t.wu + g.q * t.pu,
                   gv = g.b + g.c * t.wv + g.q * t.pv;
        const vec4 turn = fu * gv - fv * gu, scale = 1 / turn;
        const vec4 u = (fv * go - gv * fo) * scale, v = (gu * fo - fu * go) * scale,
                   p = t.p0 + t.pu * u + t.pv * v;
        least = v4_min(least, turn);
        deepest = v4_max(deepest, p);
        const vec4 high = t.w0 + t.wu * u + t.wv * v;
        w->corners[k / 4] = (kept_corners){u, v, high, p};
        v4_rows(u, v, high, p, rows);
        for (size_t l = 0; l < 4; l++)
            row_store(&w->corner[k + l].u, rows[l]);
    }
    w->deepest = -v4_least(-deepest);
    return v4_least(least) > 1e-12;
}

/* ---- faces that take no part ---- */

/* The least height over a row at all corners, less the depth there if it is a face's. */
static inline double least_over(const kept_work *w, const kept_row *r, size_t corners)
{
    double least = INFINITY;
    for (size_t k = 0; k < corners; k++) {
        const kept_corner *c = &w->corner[k];
        const double high = r->o + r->a * c->u + r->b * c->v + r->c * c->w + r->q * c->p;
        least = high < least ? high : least;
    }
    return least;
}

static inline bool takes_part(const uint32_t *faces, size_t count, uint32_t face)
{
    for (size_t k = 0; k < count; k++)
        if (faces[k] == face) return true;
    return false;
}

/* How far a corner can have moved in the frame of either body since other faces were asked: the
 * frame of u, v, w is a's, and that moved against b's. */
static inline double moved_by(const press_kept *kept, const kept_parts *is, const kept_work *w,
                              bool in_b)
{
    row4 most = row_all(0), far = row_all(0);
    double turned2 = 0, shifted2 = 0;
    for (size_t k = 0; k < kept->corners; k++) { /* the most along each axis */
        const row4 c = row_load(&w->corner[k].u), by = c - row_of_floats(is->place[k]);
        most = v4_max(most, by * by);
        far = v4_max(far, c * c);
    }
    const double most2 = most[0] + most[1] + most[2], far2 = far[0] + far[1] + far[2];
    if (!in_b) return sqrt(most2);
    const kept_view *b = &w->view[1];
    for (int k = 0; k < 3; k++) {
        const double e = b->axes.e[k] - (double)kept->view[0][k],
                     g = b->axes.g[k] - (double)kept->view[1][k],
                     n = b->axes.n[k] - (double)kept->view[2][k],
                     at = b->axes.at[k] - (double)kept->view[3][k];
        turned2 += e * e + g * g + n * n;
        shifted2 += at * at;
    }
    return sqrt(most2) + sqrt(turned2 * far2) + sqrt(shifted2);
}

/* Heights of four corners over a row, without the depth. */
static inline vec4 heights_over(const kept_row *r, const kept_corners *c)
{
    return r->o + r->a * c->u + r->b * c->v + r->c * c->w;
}

/* Minus the depth at the corners of pieces of face f, where its height is the depth; at others
 * infinite. */
static inline void corners_of_face(const kept_work *w, size_t fours, const kept_row *f,
                                   double slack, vec4 *less)
{
    for (size_t k = 0; k < fours; k++) {
        const vec4 p = w->corners[k].p;
        less[k] = v4_pick(heights_over(f, &w->corners[k]) - p < v4_all(1e4 * slack), -p,
                          v4_all(INFINITY));
    }
}

/* The least height over row h at these corners, less the depth there. */
static inline double least_beyond(const kept_work *w, size_t fours, const vec4 *less,
                                  const kept_row *h)
{
    vec4 least = v4_all(INFINITY);
    for (size_t k = 0; k < fours; k++)
        least = v4_min(least, heights_over(h, &w->corners[k]) + less[k]);
    return v4_least(least);
}

/* Asks the faces beside those that take part, one by one, at the corners of these: how far such a
 * corner is from where the other face would be as low. Below 0: one is lower. */
static inline double room_beside(const press_kept *kept, const kept_parts *is, int which,
                                 const press_side *side, const kept_work *w, double slack)
{
    const size_t begin = which == 0 ? 0 : kept->faces[0], count = kept->faces[which];
    const uint32_t *mine = is->face + begin;
    const uint32_t *first = side->cells->first.data, *beside = side->cells->beside.data;
    const size_t fours = (kept->corners + 3U) / 4;
    vec4 less[KEPT_MOST / 4 + 1];
    double room = INFINITY;
    for (size_t k = 0; k < count; k++) {
        const kept_row *f = &w->row[begin + k];
        corners_of_face(w, fours, f, slack, less);
        for (uint32_t at = first[mine[k]]; at < first[mine[k] + 1]; at++) {
            if (takes_part(mine, count, beside[at])) continue;
            const kept_row h = row_of_face(&w->view[which], side, beside[at]);
            const double a = h.a - f->a, b = h.b - f->b, c = h.c - f->c;
            const double least = least_beyond(w, fours, less, &h);
            if (!(least >= -slack)) return -1;
            room = fmin(room, larger(least, 0) / sqrt(a * a + b * b + c * c));
        }
    }
    return room;
}

/* Planes and parts of a wall that take no part; there are few. Where parts end pieces, nothing else
 * says that the depth is not below 0 there: that row is asked with them. */
static inline bool wall_is_higher(const press_kept *kept, const kept_parts *is, const press_side *b,
                                  const kept_work *w, double slack)
{
    const uint32_t *mine = is->face + kept->faces[0];
    const kept_row *end = &w->row[(size_t)kept->faces[0] + kept->faces[1]];
    double least = 0;
    for (uint32_t k = 0; k < b->plane_count; k++) {
        if (takes_part(mine, kept->faces[1], k)) continue;
        const kept_row r = row_of_face(&w->view[1], b, k);
        least = fmin(least, least_over(w, &r, kept->corners));
    }
    for (size_t p = 0; p <= kept->parts; p++)
        least = fmin(least, least_over(w, &end[p], kept->corners));
    return least >= -slack;
}

/* Whether faces that take no part are nowhere lower. */
static inline bool others_are_higher(press_kept *kept, const kept_parts *is, const press_side *a,
                                     const press_side *b, const kept_work *w, double slack)
{
    const bool in_b = b->body != NULL;
    if (!in_b && !wall_is_higher(kept, is, b, w, slack)) return false;
    if (kept->room > 0 && moved_by(kept, is, w, in_b) < kept->room) return true;
    double room = room_beside(kept, is, 0, a, w, slack);
    if (in_b && room >= 0) room = fmin(room, room_beside(kept, is, 1, b, w, slack));
    if (!(room >= 0)) return false;
    kept->room = room - 1e6 * slack; /* floats have their errors */
    float *place = (float *)(void *)(kept + 1) + kept->faces[0] + kept->faces[1];
    for (size_t k = 0; k < kept->corners; k++)
        row_to_floats(place + 4 * k, row_load(&w->corner[k].u));
    for (int k = 0; k < 3; k++) {
        kept->view[0][k] = (float)w->view[1].axes.e[k];
        kept->view[1][k] = (float)w->view[1].axes.g[k];
        kept->view[2][k] = (float)w->view[1].axes.n[k];
        kept->view[3][k] = (float)w->view[1].axes.at[k];
    }
    return true;
}

/* ---- sums ---- */

/* Integrals over four pieces, in the plane: of 1, and of the depth times 1, u, v, uu, uv, vv. */
typedef struct kept_integrals {
    vec4 area, t, u, v, uu, uv, vv;
} kept_integrals;

/* Sums over the sides of four pieces as seen from their first corners: of 1, u, v, uu, uv, vv, and
 * of how much deeper it is than in the first corner times the last three, each with a factor of its
 * own (integrals_of). */
typedef struct kept_moments {
    vec4 area, u, v, uu, uv, vv, duu, duv, dvv;
} kept_moments;

/* Where sides of four pieces end: u, v, and the depth, in the lanes. */
static inline vec4x3 four_ends(const uint8_t (*side)[2], const kept_work *w)
{
    row4 rows[4];
    vec4 out[4];
    for (size_t l = 0; l < 4; l++)
        rows[l] = row_load(&w->corner[side[l][1]].u);
    v4_columns(rows, out);
    return (vec4x3){out[0], out[1], out[3]};
}

/* The slopes along u and v of the rows of four sides: they are 0 on the side and grow towards the
 * piece. */
static inline void four_slopes(const uint8_t (*side)[2], const kept_work *w, const kept_pieces *t,
                               vec4 *along_u, vec4 *along_v)
{
    row4 rows[4];
    vec4 of[4]; /* a, b, c, q */
    for (size_t l = 0; l < 4; l++)
        rows[l] = row_load(&w->row[side[l][0]].a);
    v4_columns(rows, of);
    *along_u = of[0] + of[2] * t->wu + of[3] * t->pu;
    *along_v = of[1] + of[2] * t->wv + of[3] * t->pv;
}

/* One of the two points (u, v) on a side that tell the integral along it of whatever is a cubic
 * there. */
static inline void add_point(kept_moments *sum, vec4 twice, const kept_pieces *t, vec4 u, vec4 v)
{
    const vec4 tu = twice * u, tv = twice * v, uu = tu * u, uv = tu * v, vv = tv * v;
    const vec4 d = t->pu * u + t->pv * v;
    sum->uu += uu;
    sum->uv += uv;
    sum->vv += vv;
    sum->duu += d * uu;
    sum->duv += d * uv;
    sum->dvv += d * vv;
}

/* Adds triangles of four pieces: from their first corner over the sides from `from` to `to`, as
 * seen from that corner. Returns twice their areas. What is homogeneous of degree q has over a
 * triangle 2/(q + 2) of the area times its mean over the side, and that mean, up to cubics, at two
 * points (Gauss); here at twice their places. */
static inline vec4 add_triangles(kept_moments *sum, const kept_pieces *t, const vec4x3 *from,
                                 const vec4x3 *to)
{
    const double aside = 0.57735026918962576; /* 1/sqrt(3) */
    const vec4 twice = from->x * to->y - to->x * from->y;
    const vec4 su = from->x + to->x, sv = from->y + to->y;
    const vec4 hu = aside * (to->x - from->x), hv = aside * (to->y - from->y);
    sum->area += twice;
    sum->u += twice * su;
    sum->v += twice * sv;
    add_point(sum, twice, t, su - hu, sv - hv);
    add_point(sum, twice, t, su + hu, sv + hv);
    return twice;
}

/* From sums as seen from the first corners to integrals about the origin. */
static inline void integrals_of(const kept_moments *sum, const kept_pieces *t, const vec4x3 *first,
                                kept_integrals *out)
{
    const vec4 area = 0.5 * sum->area, u = sum->u * (1.0 / 6), v = sum->v * (1.0 / 6);
    const vec4 uu = sum->uu * (1.0 / 32), uv = sum->uv * (1.0 / 32), vv = sum->vv * (1.0 / 32);
    const vec4 d = first->z, pu = t->pu, pv = t->pv;
    const vec4 du = d * u + pu * uu + pv * uv, dv = d * v + pu * uv + pv * vv;
    out->area = area;
    out->t = d * area + pu * u + pv * v;
    out->u = du + first->x * out->t;
    out->v = dv + first->y * out->t;
    out->uu = d * uu + sum->duu * (1.0 / 80) + first->x * (du + out->u);
    out->uv = d * uv + sum->duv * (1.0 / 80) + first->x * out->v + first->y * du;
    out->vv = d * vv + sum->dvv * (1.0 / 80) + first->y * (dv + out->v);
}

/* Four pieces, side by side: the first and the last side of each meet in its first corner and make
 * no triangle with it. Returns by how much, as a length, sides run forwards at least. The first
 * side is asked itself, and all corners whether they are on its inner side, which tells of the last
 * one; the others by the areas of their triangles. Those have the sign of their sides: corners turn
 * left, and so the first corner is on the inner side of every line that is reached from the first
 * side, or from the last one backwards, by turning less than half around, as long as all sides on
 * that way run forwards. */
static inline double integrate(const uint8_t (*side)[2], size_t steps, const kept_pieces *t,
                               const kept_work *w, double slack, kept_integrals *out)
{
    const vec4 zero = v4_zero();
    kept_moments sum = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    const vec4x3 first = four_ends(side + 4 * (steps - 1), w);
    vec4x3 from = four_ends(side, w);
    vec4 slope_u, slope_v, smallest = zero;
    four_slopes(side, w, t, &slope_u, &slope_v);
    from.x -= first.x;
    from.y -= first.y;
    vec4 least = v4_min(zero, from.x * slope_v - from.y * slope_u);
    for (size_t s = 1; s + 1 < steps; s++) {
        side += 4;
        vec4x3 to = four_ends(side, w);
        to.x -= first.x;
        to.y -= first.y;
        least = v4_min(least, to.x * slope_u + to.y * slope_v);
        smallest = v4_min(smallest, add_triangles(&sum, t, &from, &to));
        from = to;
    }
    integrals_of(&sum, t, &first, out);
    /* An area becomes a length by the piece's size. */
    const vec4 across = v4_sqrt(v4_max(sum.area, zero) + slack * slack);
    return v4_least(v4_min(least, smallest / across));
}

/* Adds four pieces: sums about the origin of u, v, w, as press_sums.h has them. */
static inline void add_four(const kept_integrals *i, const kept_pieces *p, vec4 sum[PRESS_SUMS])
{
    const vec4 wu = p->wu, wv = p->wv, w0 = p->w0, wide = p->wide, t = i->t, tu = i->u, tv = i->v;
    const vec4 tw = w0 * t + wu * tu + wv * tv, uw = w0 * tu + wu * i->uu + wv * i->uv,
               vw = w0 * tv + wu * i->uv + wv * i->vv, ww = w0 * tw + wu * uw + wv * vw;
    sum[0] -= wu * t;
    sum[1] -= wv * t;
    sum[2] += t;
    sum[3] += tv + wv * tw;
    sum[4] -= wu * tw + tu;
    sum[5] += wu * tv - wv * tu;
    sum[6] -= wu * i->area;
    sum[7] -= wv * i->area;
    sum[8] += i->area;
    sum[9] += wide * t;
    sum[10] += wide * tu;
    sum[11] += wide * tv;
    sum[12] += wide * tw;
    sum[13] += wide * i->uu;
    sum[14] += wide * i->vv;
    sum[15] += wide * ww;
    sum[16] += wide * i->uv;
    sum[17] += wide * uw;
    sum[18] += wide * vw;
}

/* All pieces, four by four. False: a side has turned around, or there is no force. */
static inline bool sum_pieces(const press_kept *kept, const kept_parts *is, const kept_work *w,
                              double slack, double s[PRESS_SUMS])
{
    const uint8_t(*side)[2] = is->side;
    vec4 sum[PRESS_SUMS];
    double least = 0;
    for (int k = 0; k < PRESS_SUMS; k++)
        sum[k] = v4_zero();
    for (size_t k = 0; k < kept->pieces; k += 4) {
        kept_integrals four;
        const size_t steps = is->piece[k][2];
        const kept_pieces *t = &w->pieces[k / 4];
        least = fmin(least, integrate(side, steps, t, w, slack, &four));
        add_four(&four, t, sum);
        side += 4 * steps;
    }
    for (int k = 0; k < PRESS_SUMS; k++)
        s[k] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
    return least >= -slack && s[9] > 0;
}

/* ---- all of it ---- */

static inline void lay_rows(const press_kept *kept, const kept_parts *is, const press_side *a,
                            const press_side *b, const double (*parts)[4], kept_work *w)
{
    size_t k = 0;
    for (; k < kept->faces[0]; k++)
        w->row[k] = row_of_face(&w->view[0], a, is->face[k]);
    for (; k < (size_t)kept->faces[0] + kept->faces[1]; k++)
        w->row[k] = row_of_face(&w->view[1], b, is->face[k]);
    w->row[k++] = (kept_row){.q = 1};
    for (size_t p = 0; p < kept->parts; p++, k++) {
        const double plane[3] = {-parts[p][0], -parts[p][1], -parts[p][2]};
        w->row[k] = row_over(&w->world, plane, parts[p][3], 0);
    }
}

static inline bool again(press_kept *kept, const press_side *a, const press_side *b,
                         const double (*parts)[4], size_t part_count, double size, press *out)
{
    const kept_parts is = parts_of(kept);
    const double slack = 1e-13 * size;
    double sum[PRESS_SUMS];
    kept_work w;
    if (kept->pieces == 0 || kept->parts != part_count) return false;
    set_views(kept, a, b, &w);
    lay_rows(kept, &is, a, b, parts, &w);
    if (!place_pieces(kept, &is, &w) || !place_corners(kept, &is, &w) ||
        !sum_pieces(kept, &is, &w, slack, sum) || !others_are_higher(kept, &is, a, b, &w, slack))
        return false;
    if (w.deepest > a->cells->depth || (b->body != NULL && w.deepest > b->cells->depth))
        return false;
    sums_to_press(sum, &w.world.axes, out);
    out->deepest = w.deepest;
    out->a = kept->start[0];
    out->b = kept->start[1];
    out->pieces = kept->pieces;
    return true;
}

#endif
