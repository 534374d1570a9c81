/* axis_faces.h — the depth along the normals of faces, a part of least_axis.h: in float of all faces of bodies that have
 * few, eight at a time; in double of those that may be the least. */
#ifndef JO_NARROW_AXIS_FACES_H
#define JO_NARROW_AXIS_FACES_H

#include "narrow/arc_search.h"

/* All faces of a body are looked at if eights of them times the other's vertices are no more than this (up to 48 triangles
 * against each other), and its edges no more eights. */
enum { FEW_FACES = 200, FEW_EIGHTS = 16 };

/* How far body p reaches along d, and the vertex that does; of bodies without corners, climbing from vertex `near`. */
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

/* Whether all faces of side i against all vertices of the other are fewer than what it takes to sort them. */
static inline bool few_faces(const walk *w, int i)
{
    const uint32_t eights = w->side[i].p->face_eights;
    return eights > 0 && w->side[i].p->n_arcs <= FEW_EIGHTS && w->side[1 - i].p->spots != NULL &&
           eights * w->side[1 - i].p->nv <= FEW_FACES;
}

/* How deep up to three eights of side i's faces are, by float: within `face_loss`, in units of the bodies' size. Each
 * vertex of the other body is read once for all of them. */
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

static void all_faces(const axis_search *s, int i, floats8 *depth)
{
    const poly_faces *f = s->w->side[i].p->faces;
    const int eights = (int)s->w->side[i].p->face_eights;
    int k = 0;
    for (; k + 3 <= eights; k += 3)
        some_faces(s, i, f + k, 3, depth + k);
    if (k + 2 == eights) some_faces(s, i, f + k, 2, depth + k);
    if (k + 1 == eights) some_faces(s, i, f + k, 1, depth + k);
}

#endif
