/* wall_mesh.c — a sphere against a mesh of thin triangles (2D: a disc against segments).
 *
 * The nearest point of each face lies in the face, on one of its edges or at a corner. As a
 * function of the surface, the distance from the centre has a local minimum there unless another
 * face goes through that very point and comes nearer. That is the whole rule: a touch is a local
 * minimum of the distance. It gives
 *   - a flat floor, however it is divided: one touch, the foot of the perpendicular;
 *   - a convex edge or corner: one touch, with the normal turning smoothly around it;
 *   - a concave edge: one touch with each face, and none with the edge.
 *
 * Which faces go through the point is first asked of the mesh's own adjacency, which settles nearly
 * all; what remains is compared with every face listed, by geometry: a corner that lies in the
 * middle of a neighbour's edge (a T-junction), cracks of the size of rounding, faces through faces.
 * There a face beats an edge or corner at the same place even if rounding makes it a little
 * farther.
 *
 * A touch on the far side of another face is none: the back of a thin wedge cannot be felt through
 * its front. Last, of touches with (nearly) the same normal the nearest is kept: copies of a face,
 * faces closely behind each other, and both sides of an edge at which the two answers differ by
 * rounding. Since only a *nearer* face rules out a touch, the nearest touch of all is never lost.
 *
 * Features: faces joined by flat edges share one number, and so do the edges and corners within, so
 * that a body rolling over a tessellated floor stays on one feature (wall_mesh_make.c).
 *
 * What comes out depends only on the faces closer than reach, so lists may hold others at will: the
 * result has the same bits however old a list is. Cost: about 60 operations a listed face, 20 for
 * those whose plane is too far; listing O(log n) by the tree. Nothing is allocated or written. */
#include "narrow/wall_mesh.h"

#include <string.h>

#include "narrow/vec3.h"

/* Distances that differ by less than this are equal: rounding of a squared distance, generously. It
 * must stay so small that two points it does not tell apart have the same normal. */
static const double same_d2 = 1e-10;
/* Cosine above which normals are the same: an angle of 0.001. */
static const double same_normal = 1.0 - 5e-7;

/* ---- the nearest point of a face ---- */

/* Of the segment from a to b. Which third of space x is in is decided by products that do not
 * depend on the direction of the edge, so that all faces at it agree. */
static void nearest_on_edge(const double a[3], const double b[3], const double x[3], int k,
                            int next, mesh_nearest *out)
{
    double ab[3], ax[3], bx[3], d[3];
    sub3(b, a, ab);
    sub3(x, a, ax);
    sub3(x, b, bx);
    const double from_a = dot3(ab, ax), from_b = -dot3(ab, bx);
    if (from_a <= 0.0) {
        memcpy(out->point, a, sizeof out->point);
        out->place = ON_CORNER;
        out->k = k;
    } else if (from_b <= 0.0) {
        memcpy(out->point, b, sizeof out->point);
        out->place = ON_CORNER;
        out->k = next;
    } else {
        along3(a, from_a / (from_a + from_b), ab, out->point);
        out->place = ON_EDGE;
        out->k = k;
    }
    sub3(x, out->point, d);
    out->d2 = dot3(d, d);
}

static void nearest_within(const mesh_face *f, const double x[3], double height, mesh_nearest *out)
{
    along3(x, -height, f->n, out->point);
    out->d2 = height * height;
    out->place = ON_FACE;
    out->k = 0;
}

static double height_above(const mesh_face *f, const double x[3])
{
    double d[3];
    sub3(x, f->v[0], d);
    return dot3(f->n, d);
}

bool jo_mesh_nearest(const wall_mesh *mesh, uint32_t face, const double x[3], double reach,
                     mesh_nearest *out)
{
    const mesh_face *f = &mesh->faces[face];
    const double height = height_above(f, x);
    if (fabs(height) > reach) return false;
    if (mesh->corners == 2) {
        nearest_on_edge(f->v[0], f->v[1], x, 0, 1, out);
        if (out->place == ON_EDGE) nearest_within(f, x, height, out);
        return true;
    }
    double inward[3];
    for (int k = 0; k < 3; k++) {
        double d[3];
        sub3(x, f->v[k], d);
        inward[k] = dot3(f->in[k], d);
        if (inward[k] < -reach) return false;
    }
    if (inward[0] >= 0.0 && inward[1] >= 0.0 && inward[2] >= 0.0) {
        nearest_within(f, x, height, out);
        return true;
    }
    out->d2 = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (inward[k] >= 0.0) continue;
        const int next = k == 2 ? 0 : k + 1;
        mesh_nearest candidate;
        nearest_on_edge(f->v[k], f->v[next], x, k, next, &candidate);
        if (candidate.d2 < out->d2) *out = candidate;
    }
    return true;
}

/* ---- touches ---- */

/* A face's nearest point, a touch unless ruled out. */
typedef struct mesh_candidate {
    mesh_nearest at;
    uint32_t face;
} mesh_candidate;

enum { CANDIDATES = 64 };

/* Below this two places are one: what the mesh's file may have rounded, if that is little against
 * the body. */
static double slack_of(const wall_mesh *m, double reach)
{
    return fmin(m->tolerance, 5e-4 * reach);
}

/* Whether a face that shares the edge or corner is nearer; with `inside`, at a point inside of it.
 */
static bool neighbour_is_nearer(const wall_mesh *m, const double x[3], const mesh_candidate *c,
                                bool inside)
{
    const size_t at = 3 * (size_t)c->face + (size_t)c->at.k;
    const bool edge = c->at.place == ON_EDGE;
    const uint32_t *start = edge ? m->edge_start + m->edge[at] : m->vertex_start + m->vertex[at];
    const uint32_t *faces = edge ? m->edge_face : m->vertex_face;
    for (uint32_t j = start[0]; j < start[1]; j++) {
        mesh_nearest other;
        if (faces[j] == c->face) continue;
        jo_mesh_nearest(m, faces[j], x, INFINITY, &other);
        if (inside && other.place != ON_FACE) continue;
        if (other.d2 < c->at.d2 * (1.0 - same_d2)) return true;
    }
    return false;
}

static bool share_corner(const wall_mesh *m, uint32_t a, uint32_t b)
{
    const uint32_t *v = &m->vertex[3 * (size_t)a], *w = &m->vertex[3 * (size_t)b];
    for (int i = 0; i < m->corners; i++)
        for (int j = 0; j < m->corners; j++)
            if (v[i] == w[j]) return true;
    return false;
}

/* Whether any listed face closer than reach goes through the point and is nearer. */
static bool is_hidden(const wall_mesh *m, const double x[3], const mesh_candidate *c, double reach,
                      const uint32_t *primitives, size_t count)
{
    const double tolerance = slack_of(m, reach), distance = sqrt(c->at.d2);
    for (size_t k = 0; k < count; k++) {
        const uint32_t face = primitives[k];
        if (face == c->face) continue;
        mesh_nearest other;
        if (!jo_mesh_nearest(m, face, c->at.point, tolerance, &other)) continue;
        if (other.d2 > tolerance * tolerance) continue;
        if (!jo_mesh_nearest(m, face, x, reach, &other) || !(other.d2 < reach * reach)) continue;
        if (other.d2 < c->at.d2 * (1.0 - same_d2)) return true;
        /* Across a crack it may be a little farther: what counts is that it is or leads on to a
         * face there. (Within one piece of the mesh it would lead back here.) */
        if (sqrt(other.d2) > distance + tolerance) continue;
        const mesh_candidate beyond = {.at = other, .face = face};
        if (other.place == ON_FACE) return true;
        if (!share_corner(m, face, c->face) && neighbour_is_nearer(m, x, &beyond, true))
            return true;
    }
    return false;
}

/* Whether the way from x to the point leads through a listed face. Such a face is closer than the
 * point, and so is in every list. */
static bool is_behind(const wall_mesh *m, const double x[3], const mesh_candidate *c, double reach,
                      const uint32_t *primitives, size_t count)
{
    const double rounding = 1e-3 * slack_of(m, reach);
    for (size_t k = 0; k < count; k++) {
        const mesh_face *f = &m->faces[primitives[k]];
        const double from = height_above(f, x), to = height_above(f, c->at.point);
        /* A face the point lies on is not in the way. */
        if (primitives[k] == c->face || fabs(to) <= rounding || from * to >= 0.0) continue;
        double way[3], crossing[3];
        mesh_nearest at;
        sub3(c->at.point, x, way);
        along3(x, from / (from - to), way, crossing);
        jo_mesh_nearest(m, primitives[k], crossing, INFINITY, &at);
        if (at.place == ON_FACE) return true;
    }
    return false;
}

/* Keeps the nearest CANDIDATES in order; equal ones in order of arrival. */
static void keep(mesh_candidate *list, size_t *count, const mesh_candidate *c)
{
    size_t k = *count < CANDIDATES ? (*count)++ : CANDIDATES;
    if (k == CANDIDATES) {
        if (c->at.d2 >= list[--k].at.d2) return;
    }
    for (; k > 0 && list[k - 1].at.d2 > c->at.d2; k--)
        list[k] = list[k - 1];
    list[k] = *c;
}

static uint32_t feature_of(const wall_mesh *m, const mesh_candidate *c)
{
    const size_t at = 3 * (size_t)c->face + (size_t)c->at.k;
    if (c->at.place == ON_FACE) return m->face_feature[c->face];
    return c->at.place == ON_EDGE ? m->edge_feature[m->edge[at]] : m->vertex_feature[m->vertex[at]];
}

static wall_touch touch_of(const wall_mesh *m, const double x[3], const mesh_candidate *c)
{
    wall_touch t = {.gap = sqrt(c->at.d2), .feature = feature_of(m, c)};
    if (c->at.place != ON_FACE && t.gap > 0.0) {
        for (int k = 0; k < 3; k++)
            t.normal[k] = (x[k] - c->at.point[k]) / t.gap;
        return t;
    }
    /* The face's own normal is good to the last bit even where the gap vanishes. */
    const double *n = m->faces[c->face].n;
    const double sign = height_above(&m->faces[c->face], x) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++)
        t.normal[k] = sign * n[k];
    return t;
}

size_t jo_wall_mesh_touch(const wall_mesh *m, const double x[3], double reach,
                          const uint32_t *primitives, size_t count,
                          wall_touch touches[WALL_TOUCHES])
{
    mesh_candidate list[CANDIDATES];
    size_t listed = 0, found = 0;
    if (!(reach > 0.0)) return 0; /* a thin wall has no behind */
    for (size_t k = 0; k < count; k++) {
        mesh_candidate c = {.face = primitives[k]};
        if (!jo_mesh_nearest(m, c.face, x, reach, &c.at)) continue;
        if (!(c.at.d2 < reach * reach)) continue;
        if (c.at.place != ON_FACE && neighbour_is_nearer(m, x, &c, false)) continue;
        keep(list, &listed, &c);
    }
    for (size_t k = 0; k < listed && found < WALL_TOUCHES; k++) {
        wall_touch t = touch_of(m, x, &list[k]);
        bool again = false, taken = false;
        for (size_t j = 0; j < found; j++) {
            again |= dot3(t.normal, touches[j].normal) > same_normal;
            taken |= t.feature == touches[j].feature;
        }
        if (again || (found > 0 && is_behind(m, x, &list[k], reach, primitives, count))) continue;
        if (list[k].at.place != ON_FACE && is_hidden(m, x, &list[k], reach, primitives, count))
            continue;
        /* Faces of a gently curved surface may share a number: two touches must not. */
        if (taken)
            t.feature = (uint32_t)(m->count + m->edge_count + m->vertex_count) + list[k].face;
        touches[found++] = t;
    }
    /* Where something is in reach there is a touch, whatever cracks hid from each other. */
    if (found == 0 && listed > 0) touches[found++] = touch_of(m, x, &list[0]);
    return found;
}
