/* press_kept_eval.h — forces from a surface of which the pieces are known: press_kept.h.
 *
 * Coordinates. From a direction in which all of its pieces are seen, the surface is a graph over a plane (u, v):
 * with heights l = o + a u + b v + c w over faces i of one and j of the other, l_i = l_j gives the piece's
 * place w and depth p as linear functions of (u, v). So all pieces lie on one plane, where the depth is a
 * roof: concave, each slope a piece. A corner is where two further heights (or the depth 0, or the border
 * of a part) meet on a piece: two linear equations.
 *
 * Proof that it is still the same surface. The roof is that of all the faces that take part if no side of
 * a piece has turned around: a piece is on the inner side of its sides (corners turn left, sides run
 * forwards), and beyond each side is another piece that knows the same two corners, so that the roof is
 * concave across each of its edges, hence everywhere. Faces that take no part must not be lower
 * anywhere: those beside are asked one by one at all corners. Heights and depths change by no more than the
 * distance, so until a corner has moved by half of the least that was found they need not be asked again.
 *
 * Integrals. Of a piece they are the sum over its sides of those over triangles with the origin as the
 * third corner; sides are taken four at a time, in the same order on all processors.
 *
 * Cost: about 8 ns a side; a piece has five on the average. */
#ifndef JO_NARROW_PRESS_KEPT_EVAL_H
#define JO_NARROW_PRESS_KEPT_EVAL_H

#include <math.h>
#include <string.h>

#include "narrow/press_kept.h"
#include "narrow/press_piece.h"
#include "scene/poly.h"

/* What was kept, by name. */
typedef struct kept_parts {
    const uint32_t *face;
    const float (*place)[3];
    const uint8_t (*piece)[3], (*corner)[3], (*side)[2];
} kept_parts;

static inline kept_parts parts_of(const press_kept *k)
{
    kept_parts p;
    p.face = (const uint32_t *)(const void *)(k + 1);
    p.place = (const float(*)[3])(const void *)(p.face + k->faces[0] + k->faces[1]);
    p.piece = (const uint8_t(*)[3])(p.place + k->corners);
    p.corner = p.piece + k->pieces;
    p.side = (const uint8_t(*)[2])(p.corner + k->corners);
    return p;
}

/* A row: a height as function of u, v, w, and with q times the depth. */
typedef struct kept_row {
    double o, a, b, c, q;
} kept_row;

typedef struct kept_corner {
    double u, v, w, p;
} kept_corner;

/* The axes u, v, w in the frame of one of the bodies, and the origin of u, v, w there. */
typedef struct kept_view {
    double e[3], g[3], n[3], at[3];
} kept_view;

typedef struct kept_piece {
    double w0, wu, wv, p0, pu, pv, wide; /* wide: area of it over that in the plane */
} kept_piece;

typedef struct kept_work {
    kept_view view[2], world; /* world: from the place of a */
    double deepest;
    kept_row row[KEPT_MOST];
    kept_piece piece[KEPT_MOST];
    kept_corner corner[KEPT_MOST];
} kept_work;

/* The axes from the frame of a into the world, and into that of the other. */
static inline void set_views(const press_kept *kept, const press_side *a, const press_side *b,
                             kept_work *w)
{
    const double *m = a->pose->turn;
    kept_view *of_a = &w->view[0], *world = &w->world, *of_b = &w->view[1];
    memcpy(of_a->e, kept->e, sizeof of_a->e);
    memcpy(of_a->g, kept->g, sizeof of_a->g);
    memcpy(of_a->n, kept->n, sizeof of_a->n);
    memcpy(of_a->at, kept->ref, sizeof of_a->at);
    for (int k = 0; k < 3; k++) {
        world->e[k] = press_dot(m + 3 * k, kept->e);
        world->g[k] = press_dot(m + 3 * k, kept->g);
        world->n[k] = press_dot(m + 3 * k, kept->n);
        world->at[k] = press_dot(m + 3 * k, kept->ref);
    }
    *of_b = *world;
    if (b->body == NULL) return;
    const double *t = b->pose->turn;
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = a->pose->at[k] + world->at[k] - b->pose->at[k];
    for (int k = 0; k < 3; k++) {
        of_b->e[k] = t[k] * world->e[0] + t[3 + k] * world->e[1] + t[6 + k] * world->e[2];
        of_b->g[k] = t[k] * world->g[0] + t[3 + k] * world->g[1] + t[6 + k] * world->g[2];
        of_b->n[k] = t[k] * world->n[0] + t[3 + k] * world->n[1] + t[6 + k] * world->n[2];
        of_b->at[k] = t[k] * from[0] + t[3 + k] * from[1] + t[6 + k] * from[2];
    }
}

/* A height over a plane as row; of a part, minus its vector and plus its number. */
static inline kept_row row_over(const kept_view *view, const double plane[3], double offset,
                                double q)
{
    return (kept_row){offset - press_dot(plane, view->at), -press_dot(plane, view->e),
                      -press_dot(plane, view->g), -press_dot(plane, view->n), q};
}

static inline kept_row row_of_face(const kept_view *view, const press_side *side, uint32_t face)
{
    const double *plane =
        side->body != NULL ? side->body->planes + 4 * (size_t)face : side->planes[face];
    return row_over(view, plane, plane[3] + side->more, -1);
}

/* Of a line on a piece: value at the origin and slopes. */
static inline linear line_on(const kept_row *r, const kept_piece *t)
{
    return (linear){r->o + r->c * t->w0 + r->q * t->p0, r->a + r->c * t->wu + r->q * t->pu,
                    r->b + r->c * t->wv + r->q * t->pv};
}

static inline bool place_pieces(const press_kept *kept, const kept_parts *is, kept_work *w)
{
    double least = 1;
    for (size_t k = 0; k < kept->pieces; k++) {
        const kept_row *i = &w->row[is->piece[k][0]], *j = &w->row[is->piece[k][1]];
        const double steep = i->c - j->c, scale = 1 / steep;
        least = steep < least ? steep : least;
        kept_piece *t = &w->piece[k];
        t->w0 = (j->o - i->o) * scale;
        t->wu = (j->a - i->a) * scale;
        t->wv = (j->b - i->b) * scale;
        t->p0 = i->o + i->c * t->w0;
        t->pu = i->a + i->c * t->wu;
        t->pv = i->b + i->c * t->wv;
        t->wide = sqrt(1 + t->wu * t->wu + t->wv * t->wv);
    }
    return least > 1e-3; /* else the normal has turned too far: some piece is seen from its edge */
}

/* Where the corners are. */
static inline bool place_corners(const press_kept *kept, const kept_parts *is, kept_work *w)
{
    double least = 1, deepest = 0;
    for (size_t k = 0; k < kept->corners; k++) {
        const uint8_t *c = is->corner[k];
        const kept_piece *t = &w->piece[c[0]];
        const linear f = line_on(&w->row[c[1]], t), g = line_on(&w->row[c[2]], t);
        const double turn = f.u * g.v - f.v * g.u, scale = 1 / turn;
        least = turn < least ? turn : least;
        const double u = (f.v * g.c - g.v * f.c) * scale, v = (g.u * f.c - f.u * g.c) * scale;
        const double deep = t->p0 + t->pu * u + t->pv * v;
        w->corner[k] = (kept_corner){u, v, t->w0 + t->wu * u + t->wv * v, deep};
        deepest = larger(deepest, deep);
    }
    w->deepest = deepest;
    return least > 1e-12; /* lines that are nearly parallel, or in another order */
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

/* How far a corner can have moved in the frame of either body since other faces were asked: the frame of u,
 * v, w is a's, and that moved against b's. */
static inline double moved_by(const press_kept *kept, const kept_parts *is, const kept_work *w,
                              bool in_b)
{
    double most2 = 0, far2 = 0, turned2 = 0, shifted2 = 0;
    for (size_t k = 0; k < kept->corners; k++) {
        const kept_corner *c = &w->corner[k];
        const double u = c->u - (double)is->place[k][0], v = c->v - (double)is->place[k][1],
                     h = c->w - (double)is->place[k][2];
        most2 = larger(most2, u * u + v * v + h * h);
        far2 = larger(far2, c->u * c->u + c->v * c->v + c->w * c->w);
    }
    if (!in_b) return sqrt(most2);
    const kept_view *b = &w->view[1];
    for (int k = 0; k < 3; k++) {
        const double e = b->e[k] - (double)kept->view[0][k], g = b->g[k] - (double)kept->view[1][k],
                     n = b->n[k] - (double)kept->view[2][k],
                     at = b->at[k] - (double)kept->view[3][k];
        turned2 += e * e + g * g + n * n;
        shifted2 += at * at;
    }
    return sqrt(most2) + sqrt(turned2 * far2) + sqrt(shifted2);
}

/* Asks the faces beside those that take part, one by one: the least of their heights over the depth. */
static inline double least_beside(const press_kept *kept, const kept_parts *is, int which,
                                  const press_side *side, const kept_work *w)
{
    const uint32_t *mine = is->face + (which == 0 ? 0 : kept->faces[0]);
    const uint32_t *first = side->cells->first.data, *beside = side->cells->beside.data;
    double least = INFINITY;
    for (size_t k = 0; k < kept->faces[which]; k++)
        for (uint32_t h = first[mine[k]]; h < first[mine[k] + 1]; h++) {
            if (takes_part(mine, kept->faces[which], beside[h])) continue;
            const kept_row r = row_of_face(&w->view[which], side, beside[h]);
            const double one = least_over(w, &r, kept->corners);
            least = one < least ? one : least;
        }
    return least;
}

/* Planes and parts of a wall that take no part; there are few. */
static inline bool wall_is_higher(const press_kept *kept, const kept_parts *is, const press_side *b,
                                  const kept_work *w, double slack)
{
    const uint32_t *mine = is->face + kept->faces[0];
    const kept_row *part = &w->row[(size_t)kept->faces[0] + kept->faces[1] + 1];
    double least = 0;
    for (uint32_t k = 0; k < b->plane_count; k++) {
        if (takes_part(mine, kept->faces[1], k)) continue;
        const kept_row r = row_of_face(&w->view[1], b, k);
        least = fmin(least, least_over(w, &r, kept->corners));
    }
    for (size_t p = 0; p < kept->parts; p++)
        least = fmin(least, least_over(w, &part[p], kept->corners));
    return least >= -slack;
}

/* Whether faces that take no part are nowhere lower. */
static inline bool others_are_higher(press_kept *kept, const kept_parts *is, const press_side *a,
                                     const press_side *b, const kept_work *w, double slack)
{
    const bool in_b = b->body != NULL;
    if (!in_b && !wall_is_higher(kept, is, b, w, slack)) return false;
    if (kept->room > 0 && moved_by(kept, is, w, in_b) < kept->room) return true;
    double least = least_beside(kept, is, 0, a, w);
    if (in_b) least = fmin(least, least_beside(kept, is, 1, b, w));
    if (!(least >= -slack)) return false;
    /* Moving a corner changes height and depth by as much; floats have their errors. */
    kept->room = 0.5 * least - 1e6 * slack;
    float *place = (float *)(void *)(kept + 1) + kept->faces[0] + kept->faces[1];
    for (size_t k = 0; k < kept->corners; k++) {
        *place++ = (float)w->corner[k].u;
        *place++ = (float)w->corner[k].v;
        *place++ = (float)w->corner[k].w;
    }
    for (int k = 0; k < 3; k++) {
        kept->view[0][k] = (float)w->view[1].e[k];
        kept->view[1][k] = (float)w->view[1].g[k];
        kept->view[2][k] = (float)w->view[1].n[k];
        kept->view[3][k] = (float)w->view[1].at[k];
    }
    return true;
}

/* ---- sums ---- */

enum { KEPT_SUMS = 19 };

/* Four sides: both ends, the depth at the origin, and the piece. */
typedef struct kept_four {
    double u1[4], v1[4], d1[4], u2[4], v2[4], d2[4], d0[4], w0[4], wu[4], wv[4], wide[4];
} kept_four;

/* Lays sides four by four; false: one has turned around. */
static inline bool lay_sides(const press_kept *kept, const kept_parts *is, const kept_work *w,
                             double slack, kept_four *out)
{
    size_t at = 0;
    double least = 0;
    for (size_t k = 0; k < kept->pieces; k++) {
        const kept_piece *t = &w->piece[k];
        const size_t n = is->piece[k][2];
        const kept_corner *c = &w->corner[is->side[at][1]];
        for (size_t s = 0; s < n; s++) {
            const size_t here = at + s, l = here % 4, next = s + 1 < n ? here + 1 : at;
            const kept_corner *d = &w->corner[is->side[next][1]];
            const kept_row *r = &w->row[is->side[here][0]];
            const double lu = r->a + r->c * t->wu + r->q * t->pu,
                         lv = r->b + r->c * t->wv + r->q * t->pv;
            const double forwards = (d->u - c->u) * lv - (d->v - c->v) * lu;
            least = forwards < least ? forwards : least;
            kept_four *to = &out[here / 4];
            to->u1[l] = c->u;
            to->v1[l] = c->v;
            to->d1[l] = c->p;
            to->u2[l] = d->u;
            to->v2[l] = d->v;
            to->d2[l] = d->p;
            to->d0[l] = t->p0;
            to->w0[l] = t->w0;
            to->wu[l] = t->wu;
            to->wv[l] = t->wv;
            to->wide[l] = t->wide;
            c = d;
        }
        at += n;
    }
    for (; at % 4 != 0; at++) {
        kept_four *to = &out[at / 4];
        const size_t l = at % 4;
        to->u1[l] = to->v1[l] = to->d1[l] = to->u2[l] = to->v2[l] = to->d2[l] = 0;
        to->d0[l] = to->w0[l] = to->wu[l] = to->wv[l] = to->wide[l] = 0;
    }
    return least >= -slack;
}

/* Adds four sides: force 0-2 and moment 3-5 about the origin of u, v, w, area 6-8, total 9, first 10-12,
 * second 13-18. As add_piece, with one corner at the origin. */
static inline void add_four(const kept_four *s, double sum[KEPT_SUMS][4])
{
    for (size_t l = 0; l < 4; l++) {
        const double u1 = s->u1[l], u2 = s->u2[l], v1 = s->v1[l], v2 = s->v2[l];
        const double d1 = s->d1[l], d2 = s->d2[l], wu = s->wu[l], wv = s->wv[l], w0 = s->w0[l],
                     wide = s->wide[l];
        const double part = 0.5 * (u1 * v2 - u2 * v1), d = s->d0[l] + d1 + d2;
        const double su = u1 + u2, sv = v1 + v2, tiny = part * (1.0 / 60);
        const double du1 = d1 * u1, du2 = d2 * u2, dv1 = d1 * v1, dv2 = d2 * v2;
        const double sdu = du1 + du2, sdv = dv1 + dv2, pu = d * su + sdu, pv = d * sv + sdv;
        const double t = part * (1.0 / 3) * d, tu = 5 * tiny * pu, tv = 5 * tiny * pv;
        const double uu =
            tiny * (pu * su + su * sdu + d * (u1 * u1 + u2 * u2) + 2 * (du1 * u1 + du2 * u2));
        const double uv =
            tiny * (pu * sv + su * sdv + d * (u1 * v1 + u2 * v2) + 2 * (du1 * v1 + du2 * v2));
        const double vv =
            tiny * (pv * sv + sv * sdv + d * (v1 * v1 + v2 * v2) + 2 * (dv1 * v1 + dv2 * v2));
        const double tw = w0 * t + wu * tu + wv * tv, uw = w0 * tu + wu * uu + wv * uv,
                     vw = w0 * tv + wu * uv + wv * vv, ww = w0 * tw + wu * uw + wv * vw;
        sum[0][l] -= wu * t;
        sum[1][l] -= wv * t;
        sum[2][l] += t;
        sum[3][l] += tv + wv * tw;
        sum[4][l] -= wu * tw + tu;
        sum[5][l] += wu * tv - wv * tu;
        sum[6][l] -= wu * part;
        sum[7][l] -= wv * part;
        sum[8][l] += part;
        sum[9][l] += wide * t;
        sum[10][l] += wide * tu;
        sum[11][l] += wide * tv;
        sum[12][l] += wide * tw;
        sum[13][l] += wide * uu;
        sum[14][l] += wide * vv;
        sum[15][l] += wide * ww;
        sum[16][l] += wide * uv;
        sum[17][l] += wide * uw;
        sum[18][l] += wide * vw;
    }
}

static inline void into_world(const kept_view *axes, const double in[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = axes->e[k] * in[0] + axes->g[k] * in[1] + axes->n[k] * in[2];
}

/* Sums about the origin of u, v, w become those about the origin, in the world's axes. */
static inline void tell(const double s[KEPT_SUMS], const kept_view *axes, press *out)
{
    const double *near = axes->at;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double moment[3], first[3], half[3][3];
    into_world(axes, s, out->force);
    into_world(axes, s + 3, moment);
    into_world(axes, s + 6, out->area);
    into_world(axes, s + 10, first);
    out->total = s[9];
    const double *f = out->force;
    out->moment[0] = moment[0] + near[1] * f[2] - near[2] * f[1];
    out->moment[1] = moment[1] + near[2] * f[0] - near[0] * f[2];
    out->moment[2] = moment[2] + near[0] * f[1] - near[1] * f[0];
    const double second[3][3] = {
        {s[13], s[16], s[17]}, {s[16], s[14], s[18]}, {s[17], s[18], s[15]}};
    for (int k = 0; k < 3; k++) {
        out->first[k] = first[k] + s[9] * near[k];
        into_world(axes, second[k], half[k]); /* rows u, v, w; columns of the world */
    }
    for (int k = 0; k < 6; k++) {
        const int r = row[k], c = column[k];
        out->second[k] = axes->e[r] * half[0][c] + axes->g[r] * half[1][c] +
                         axes->n[r] * half[2][c] + near[r] * first[c] + first[r] * near[c] +
                         s[9] * near[r] * near[c];
    }
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
    w->row[k++] = (kept_row){0, 0, 0, 0, 1};
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
    kept_work w;
    kept_four sides[(KEPT_SIDES + 3) / 4];
    if (kept->pieces == 0 || kept->parts != part_count) return false;
    set_views(kept, a, b, &w);
    lay_rows(kept, &is, a, b, parts, &w);
    if (!place_pieces(kept, &is, &w) || !place_corners(kept, &is, &w) ||
        !lay_sides(kept, &is, &w, slack, sides) || !others_are_higher(kept, &is, a, b, &w, slack))
        return false;
    if (w.deepest > a->cells->depth || (b->body != NULL && w.deepest > b->cells->depth))
        return false;
    double sum[KEPT_SUMS][4] = {{0}}, s[KEPT_SUMS];
    for (size_t k = 0; k < kept->sides; k += 4)
        add_four(&sides[k / 4], sum);
    for (int k = 0; k < KEPT_SUMS; k++)
        s[k] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
    if (!(s[9] > 0)) return false;
    tell(s, &w.world, out);
    out->deepest = w.deepest;
    out->a = kept->start[0];
    out->b = kept->start[1];
    out->pieces = kept->pieces;
    return true;
}

#endif
