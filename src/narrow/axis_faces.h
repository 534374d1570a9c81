/* axis_faces.h — the depth along the normals of faces, a part of least_axis.h: in float of all
 * faces of bodies that have few, eight at a time; in double of those that may be the least. */
#ifndef JO_NARROW_AXIS_FACES_H
#define JO_NARROW_AXIS_FACES_H

#include "narrow/arc_search.h"

/* All faces of a body are looked at if eights of them times the other's vertices are no more than
 * this (up to 76 triangles against each other), and its edges no more eights. From MANY_EIGHTS of
 * both bodies' faces on, those that cannot be the least are sorted out before the other's vertices
 * are held against them. */
enum { FEW_FACES = 400, FEW_EIGHTS = 16, MANY_EIGHTS = 7 };

/* How far body p reaches along d, and the vertex that does; of bodies without corners, climbing
 * from vertex `near`. */
static inline double reach_from(const jo_polyhedron *p, const double d[3], uint32_t near,
                                uint32_t *vertex)
{
    if (p->corners == NULL) {
        *vertex = poly_climb(p, d, near);
        return dot3(d, p->points + 3 * (size_t)*vertex);
    }
    const vec4 dx = v4_all(d[0]), dy = v4_all(d[1]), dz = v4_all(d[2]);
    const double *c = p->corners;
    vec4 along[POLY_CORNERS / 4], most = v4_all(-INFINITY);
    for (uint32_t k = 0; k < p->corner_fours; k++, c += 12) {
        along[k] = v4_load(c) * dx + v4_load(c + 4) * dy + v4_load(c + 8) * dz;
        most = v4_max(most, along[k]);
    }
    const vec4 highest = v4_all(-v4_least(-most));
    *vertex = near;
    for (uint32_t k = 0; k < p->corner_fours; k++) {
        const unsigned bits = v4_bits(along[k] == highest);
        if (bits == 0) continue;
        *vertex = 4 * k + (uint32_t)__builtin_ctz(bits);
        break;
    }
    return highest[0];
}

/* Face f of side i against the vertex of the other that reaches deepest. */
static inline void measure_face(const axis_search *s, int i, uint32_t f, walk_axis *best)
{
    const walk *w = s->w;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[1 - i].p;
    const double *plane = p->planes + 4 * (size_t)f;
    double down[3];
    walk_turn(w, i, plane, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    uint32_t other = 0;
    const double depth =
        plane[3] - dot3(plane, s->centre[i]) + reach_from(q, down, s->near[1 - i], &other);
    if (!(depth < best->depth)) return;
    const uint32_t own = p->walls[p->face_edge[f]].origin;
    best->depth = depth;
    best->feature[i] = (jo_feature){JO_FEATURE_FACE, f};
    best->feature[1 - i] = (jo_feature){JO_FEATURE_VERTEX, other};
    best->a = i == 0 ? own : other;
    best->b = i == 0 ? other : own;
    for (int k = 0; k < 3; k++)
        best->n[k] = i == 0 ? plane[k] : down[k];
}

/* Whether all faces of side i against all vertices of the other are fewer than what it takes to
 * sort them. */
static inline bool few_faces(const walk *w, int i)
{
    const uint32_t eights = w->side[i].p->face_eights;
    return eights > 0 && w->side[i].p->n_arcs <= FEW_EIGHTS && w->side[1 - i].p->spots != NULL &&
           eights * w->side[1 - i].p->nv <= FEW_FACES;
}

/* How deep up to three eights of side i's faces are, by float: within `face_loss`, in units of the
 * bodies' size. Each vertex of the other body is read once for all of them. */
static inline void some_faces(const axis_search *s, int i, const poly_faces *f, int count,
                              floats8 *depth)
{
    const float(*m)[4] = s->turn[i], *c = s->at[i];
    const jo_polyhedron *q = s->w->side[1 - i].p;
    floats8 dx[3], dy[3], dz[3], far[3];
    for (int k = 0; k < count; k++) {
        const floats8 x = f8_load(f[k].n[0]), y = f8_load(f[k].n[1]), z = f8_load(f[k].n[2]);
        dx[k] = f8_along(x, y, z, m[0][0], m[1][0], m[2][0]);
        dy[k] = f8_along(x, y, z, m[0][1], m[1][1], m[2][1]);
        dz[k] = f8_along(x, y, z, m[0][2], m[1][2], m[2][2]);
        far[k] = f8_all(INFINITY);
    }
    const float *end = q->spots + 3 * q->nv;
    for (const float *v = q->spots; v < end; v += 3)
        for (int k = 0; k < count; k++)
            far[k] = f8_min(far[k], f8_along(dx[k], dy[k], dz[k], v[0], v[1], v[2]));
    for (int k = 0; k < count; k++) {
        const floats8 x = f8_load(f[k].n[0]), y = f8_load(f[k].n[1]), z = f8_load(f[k].n[2]);
        depth[k] = f8_load(f[k].off) * s->own[i] - far[k] * s->own[1 - i] -
                   f8_along(x, y, z, c[0], c[1], c[2]);
    }
}

/* The same of one eight, whose offsets are from the other's centre. */
static inline void deep_faces(const axis_search *s, int i, const poly_faces *f, floats8 *depth)
{
    const float(*m)[4] = s->turn[i];
    const jo_polyhedron *q = s->w->side[1 - i].p;
    const floats8 x = f8_load(f->n[0]), y = f8_load(f->n[1]), z = f8_load(f->n[2]);
    const floats8 dx = f8_along(x, y, z, m[0][0], m[1][0], m[2][0]);
    const floats8 dy = f8_along(x, y, z, m[0][1], m[1][1], m[2][1]);
    const floats8 dz = f8_along(x, y, z, m[0][2], m[1][2], m[2][2]);
    floats8 far[2] = {f8_all(INFINITY), f8_all(INFINITY)};
    const float *v = q->spots, *end = q->spots + 3 * q->nv;
    for (; v + 3 < end; v += 6) {
        far[0] = f8_min(far[0], f8_along(dx, dy, dz, v[0], v[1], v[2]));
        far[1] = f8_min(far[1], f8_along(dx, dy, dz, v[3], v[4], v[5]));
    }
    if (v < end) far[0] = f8_min(far[0], f8_along(dx, dy, dz, v[0], v[1], v[2]));
    *depth = f8_load(f->off) - f8_min(far[0], far[1]) * s->own[1 - i];
}

/* Faces that may be the least, and how deep they are by float: `face` of lane k of all depths. */
typedef struct found_faces {
    floats8 depth[POLY_FACES / 8];
    uint32_t listed[POLY_FACES + 8];
    const uint32_t *face;
    uint32_t n;
} found_faces;

/* The same of two eights, for processors with AVX-512 (few_axis_avx512.c). */
void jo_two_eights_avx512(const axis_search *s, int i, const poly_faces f[2], floats8 depth[2]);

static inline void two_eights(const axis_search *s, int i, const poly_faces f[2], floats8 depth[2])
{
#ifdef JO_SIXTEEN_FACES
    jo_two_eights_avx512(s, i, f, depth);
#else
    some_faces(s, i, f, 2, depth);
#endif
}

static void all_faces(const axis_search *s, int i, found_faces *to)
{
    static const uint32_t each[8 * (MANY_EIGHTS - 2)] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
        20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39};
    const poly_faces *f = s->w->side[i].p->faces;
    const int eights = (int)s->w->side[i].p->face_eights;
    floats8 *depth = to->depth;
    int k = 0;
    for (; k + 3 <= eights; k += 3)
        some_faces(s, i, f + k, 3, depth + k);
    if (k + 2 == eights) two_eights(s, i, f + k, depth + k);
    if (k + 1 == eights) some_faces(s, i, f + k, 1, depth + k);
    to->face = each;
    to->n = (uint32_t)s->w->side[i].p->nf;
}

/* How far the faces of side i are above the other's centre; returns the least. */
static inline float faces_above(const axis_search *s, int i, floats8 *above)
{
    const jo_polyhedron *p = s->w->side[i].p;
    const float *c = s->at[i];
    floats8 least = f8_all(INFINITY);
    for (uint32_t k = 0; k < p->face_eights; k++) {
        const poly_faces *f = &p->faces[k];
        above[k] = f8_load(f->off) * s->own[i] -
                   f8_along(f8_load(f->n[0]), f8_load(f->n[1]), f8_load(f->n[2]), c[0], c[1], c[2]);
        least = f8_min(least, above[k]);
    }
    return f8_least(least);
}

/* Those faces of side i that are above the other's centre by no more than `below`, closed up to
 * eights: the first is repeated. */
static void listed_faces(const axis_search *s, int i, const floats8 *above, float below,
                         found_faces *to)
{
    const jo_polyhedron *p = s->w->side[i].p;
    const uint32_t last = p->face_eights - 1;
    const float *heights = (const float *)(const void *)above;
    uint32_t n = 0;
    for (uint32_t k = 0; k <= last; k++) {
        const unsigned there = k < last ? 255u : 255u >> (8 * last + 8 - (uint32_t)p->nf);
        n += (uint32_t)list_bits(there & f8_bits(above[k] <= f8_all(below)), 8 * k, to->listed + n);
    }
    const ints8 first = i8_all((int32_t)to->listed[0]);
    memcpy(to->listed + n, &first, sizeof first);
    to->face = to->listed;
    to->n = n;
    for (uint32_t k = 0; k < n; k += 8) {
        poly_faces f;
        float row[8][4];
        const float *rows[8];
        floats8 v[3];
        for (int l = 0; l < 8; l++) {
            const uint32_t face = to->listed[k + (uint32_t)l];
            row_to_floats(row[l], v4_load(p->planes + 4 * (size_t)face));
            f.off[l] = heights[face];
            rows[l] = row[l];
        }
        f8_columns(rows, v);
        memcpy(f.n, v, sizeof f.n);
        deep_faces(s, i, &f, to->depth + k / 8);
    }
}

/* Faces of both sides: of bodies with many, those alone that may be the least. A body reaches from
 * its centre no less than its inner radius and no more than the outer one, whatever the
 * direction. */
static inline void find_faces(const axis_search *s, const float inner[2], found_faces to[2])
{
    if (s->w->side[0].p->face_eights + s->w->side[1].p->face_eights < MANY_EIGHTS) {
        all_faces(s, 0, &to[0]);
        all_faces(s, 1, &to[1]);
        return;
    }
    floats8 above[2][POLY_FACES / 8];
    const float least0 = faces_above(s, 0, above[0]) + s->own[1];
    const float least1 = faces_above(s, 1, above[1]) + s->own[0];
    const float limit = (least0 < least1 ? least0 : least1) + 8e-6f;
    for (int i = 0; i < 2; i++)
        listed_faces(s, i, above[i], limit - inner[i], &to[i]);
}

#endif
