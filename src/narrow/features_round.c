/* features_round.c — a polyhedron against a sphere, and against a plane.
 *
 * A sphere's centre is a point: the walk of walk.c with one side of it, from vertex to edge to face
 * while the point lies beyond a Voronoi plane. A centre inside the body is nearest to the face it
 * is the least below: found from the feature before by going to neighbours, as long as that is
 * less; without such a feature all faces are looked at, O(faces). A plane needs the vertex that is
 * deepest, found by climbing from the one before; O(1) when coherent. Both are bounded; a walk that
 * hits the bound (rounding) is replaced by looking at every face. */
#include <string.h>

#include "narrow/walk.h"

static const double touching = 1e-13;

static void to_body(const jo_pose *pose, const double x[3], double y[3])
{
    const double *m = pose->turn;
    double d[3];
    sub3(x, pose->at, d);
    for (int k = 0; k < 3; k++)
        y[k] = m[k] * d[0] + m[3 + k] * d[1] + m[6 + k] * d[2];
}

/* ---- a point ---- */

/* One state: the feature to go on with; the same one when it is the nearest, kind NONE inside. */
static jo_feature step(const jo_polyhedron *p, const double x[3], jo_feature f, double slack)
{
    jo_feature to = f;
    double worst = 0.0;
    if (f.kind == JO_FEATURE_VERTEX) {
        worst = slack;
        for (uint32_t h = p->first[f.index]; h < p->first[f.index + 1]; h++) {
            const double s = poly_side(p->walls[h].ve, x);
            if (s > worst) {
                worst = s;
                to = (jo_feature){JO_FEATURE_EDGE, h};
            }
        }
        return to;
    }
    if (f.kind == JO_FEATURE_EDGE) {
        const uint32_t h = f.index, t = p->twin[h];
        if (poly_side(p->walls[h].ve, x) < 0.0)
            return (jo_feature){JO_FEATURE_VERTEX, p->origin[h]};
        if (poly_side(p->walls[t].ve, x) < 0.0)
            return (jo_feature){JO_FEATURE_VERTEX, p->origin[t]};
        const double left = poly_side(p->walls[h].fe, x), right = poly_side(p->walls[t].fe, x);
        if (left > slack || right > slack)
            to = (jo_feature){JO_FEATURE_FACE, p->face[left > right ? h : t]};
        return to;
    }
    const uint32_t start = p->face_edge[f.index];
    uint32_t h = start;
    do {
        const double s = poly_side(p->walls[h].fe, x);
        if (s < worst) {
            worst = s;
            to = (jo_feature){JO_FEATURE_EDGE, h};
        }
        h = p->next[h];
    } while (h != start);
    const double *plane = p->planes + 4 * (size_t)f.index;
    if (to.kind == JO_FEATURE_EDGE || dot3(plane, x) - plane[3] > 0.0) return to;
    to.index = jo_ray_face(p, x, f.index);
    plane = p->planes + 4 * (size_t)to.index;
    if (dot3(plane, x) - plane[3] <= 0.0) to.kind = JO_FEATURE_NONE;
    return to;
}

static void foot_on(const jo_polyhedron *p, jo_feature f, const double x[3], double y[3])
{
    if (f.kind == JO_FEATURE_VERTEX) {
        memcpy(y, p->points + 3 * (size_t)f.index, 3 * sizeof *y);
    } else if (f.kind == JO_FEATURE_EDGE) {
        const double *ve = p->walls[f.index].ve;
        along3(p->points + 3 * (size_t)p->origin[f.index], poly_side(ve, x), ve, y);
    } else {
        const double *plane = p->planes + 4 * (size_t)f.index;
        along3(x, plane[3] - dot3(plane, x), plane, y);
    }
}

static uint32_t highest_face(const jo_polyhedron *p, const double x[3])
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (size_t f = 0; f < p->nf; f++) {
        const double *plane = p->planes + 4 * f;
        const double height = dot3(plane, x) - plane[3];
        if (height > most) {
            most = height;
            best = (uint32_t)f;
        }
    }
    return best;
}

/* A face near the feature of a step before. */
static uint32_t face_at(const jo_polyhedron *p, jo_feature f)
{
    if (f.kind == JO_FEATURE_FACE) return f.index;
    return p->face[f.kind == JO_FEATURE_EDGE ? f.index : p->first[f.index]];
}

/* The face that x is the least below among its neighbours, from face f on. */
static uint32_t climb_faces(const jo_polyhedron *p, const double x[3], uint32_t f)
{
    const double *plane = p->planes + 4 * (size_t)f;
    double most = dot3(plane, x) - plane[3];
    for (;;) {
        const uint32_t start = p->face_edge[f];
        uint32_t h = start, better = f;
        do {
            const uint32_t g = p->walls[p->walls[h].twin].face;
            const double *other = p->planes + 4 * (size_t)g;
            const double height = dot3(other, x) - other[3];
            if (height > most) {
                most = height;
                better = g;
            }
            h = p->walls[h].next;
        } while (h != start);
        if (better == f) return f;
        f = better;
    }
}

/* Every vertex, edge and face whose foot is on it: the nearest. */
static jo_feature try_all(const jo_polyhedron *p, const double x[3])
{
    jo_feature best = {JO_FEATURE_FACE, highest_face(p, x)};
    double least = INFINITY, y[3], d[3];
    for (uint32_t h = 0; h < p->nh; h++) {
        const jo_feature all[2] = {{JO_FEATURE_VERTEX, p->origin[h]}, {JO_FEATURE_EDGE, h}};
        const bool on =
            poly_side(p->walls[h].ve, x) >= 0.0 && poly_side(p->walls[p->twin[h]].ve, x) >= 0.0;
        for (int k = 0; k < (on ? 2 : 1); k++) {
            foot_on(p, all[k], x, y);
            sub3(x, y, d);
            if (dot3(d, d) >= least) continue;
            least = dot3(d, d);
            best = all[k];
        }
    }
    for (uint32_t f = 0; f < p->nf; f++) {
        const jo_feature face = {JO_FEATURE_FACE, f};
        uint32_t h = p->face_edge[f];
        bool over = true;
        do {
            over = poly_side(p->walls[h].fe, x) >= 0.0;
            h = p->next[h];
        } while (over && h != p->face_edge[f]);
        foot_on(p, face, x, y);
        sub3(x, y, d);
        if (!over || dot3(d, d) >= least) continue;
        least = dot3(d, d);
        best = face;
    }
    return best;
}

/* The sum of the normals around a feature: outwards, for a point that lies on it. */
static void outwards(const jo_polyhedron *p, jo_feature f, double n[3])
{
    n[0] = n[1] = n[2] = 0.0;
    if (f.kind == JO_FEATURE_EDGE) {
        along3(n, 1.0, p->planes + 4 * (size_t)p->face[f.index], n);
        along3(n, 1.0, p->planes + 4 * (size_t)p->face[p->twin[f.index]], n);
    } else {
        for (uint32_t h = p->first[f.index]; h < p->first[f.index + 1]; h++)
            along3(n, 1.0, p->planes + 4 * (size_t)p->face[h], n);
    }
    unit3(n);
}

void jo_features_sphere(const jo_polyhedron *a, const jo_pose *pose_a, const double centre[3],
                        double radius, jo_feature *feature, jo_closest *out)
{
    const size_t count[4] = {0, a->nv, a->nh, a->nf};
    double x[3], y[3], n[3];
    jo_feature f = *feature, before;
    to_body(pose_a, centre, x);
    const bool coherent = f.kind >= 1 && f.kind <= 3 && f.index < count[f.kind];
    if (!coherent) f = (jo_feature){JO_FEATURE_VERTEX, a->map[poly_map_cell(x, a->map_size)]};
    const double slack = 1e-15 * (a->radius + fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
    const uint32_t bound = 100 + a->bound;
    out->iterations = 0;
    do {
        before = f;
        f = step(a, x, f, slack);
        out->iterations++;
    } while (f.kind != JO_FEATURE_NONE && (f.kind != before.kind || f.index != before.index) &&
             out->iterations < bound);
    out->exact = out->iterations < bound;
    out->proved = true;
    if (!out->exact) f = try_all(a, x);
    if (f.kind == JO_FEATURE_NONE) {
        const uint32_t face =
            coherent ? climb_faces(a, x, face_at(a, *feature)) : highest_face(a, x);
        f = (jo_feature){JO_FEATURE_FACE, face};
        out->proved = !coherent;
    }
    foot_on(a, f, x, y);
    sub3(x, y, n);
    double distance = unit3(n);
    if (f.kind == JO_FEATURE_FACE) {
        const double *plane = a->planes + 4 * (size_t)f.index;
        distance = dot3(plane, x) - plane[3];
        memcpy(n, plane, sizeof n);
    } else if (distance <= touching * a->radius) {
        outwards(a, f, n);
    }
    out->distance = distance - radius;
    out->overlap = out->distance <= 0.0;
    walk_to_world(pose_a, y, out->on_a);
    turn3(pose_a->turn, n, out->normal);
    along3(centre, -radius, out->normal, out->on_b);
    out->features = (jo_feature_pair){f, {JO_FEATURE_NONE, 0}};
    *feature = f;
}

/* ---- a plane ---- */

/* The middle of face f, weighted by area. */
static void middle_of_face(const jo_polyhedron *p, uint32_t f, double x[3])
{
    const uint32_t start = p->face_edge[f];
    const double *o = p->points + 3 * (size_t)p->origin[start];
    double sum[3] = {0}, total = 0.0;
    for (uint32_t h = p->next[start]; p->next[h] != start; h = p->next[h]) {
        double u[3], v[3], c[3];
        sub3(p->points + 3 * (size_t)p->origin[h], o, u);
        sub3(p->points + 3 * (size_t)p->origin[p->next[h]], o, v);
        cross3(u, v, c);
        const double area = dot3(c, p->planes + 4 * (size_t)f);
        total += area;
        for (int k = 0; k < 3; k++)
            sum[k] += area * (u[k] + v[k]) / 3.0;
    }
    along3(o, 1.0 / total, sum, x);
}

jo_feature jo_level_feature(const jo_polyhedron *p, uint32_t v, const double d[3], double within,
                            double x[3])
{
    const double *top = p->points + 3 * (size_t)v;
    const double low = dot3(d, top) - within * p->radius;
    jo_feature found = {JO_FEATURE_VERTEX, v};
    memcpy(x, top, 3 * sizeof *x);
    for (uint32_t h = p->first[v]; h < p->first[v + 1]; h++) {
        const double *end = p->points + 3 * (size_t)walk_head(p, h);
        if (dot3(d, end) < low) continue;
        bool flat = true;
        for (uint32_t k = p->next[h]; k != h && flat; k = p->next[k])
            flat = dot3(d, p->points + 3 * (size_t)p->origin[k]) >= low;
        if (flat) {
            middle_of_face(p, p->face[h], x);
            return (jo_feature){JO_FEATURE_FACE, p->face[h]};
        }
        found = (jo_feature){JO_FEATURE_EDGE, h};
        for (int k = 0; k < 3; k++)
            x[k] = 0.5 * (top[k] + end[k]);
    }
    return found;
}

static uint32_t vertex_of(const jo_polyhedron *p, jo_feature f, const double d[3])
{
    if (f.kind == JO_FEATURE_VERTEX && f.index < p->nv) return f.index;
    if (f.kind == JO_FEATURE_EDGE && f.index < p->nh) return p->origin[f.index];
    if (f.kind == JO_FEATURE_FACE && f.index < p->nf) return p->origin[p->face_edge[f.index]];
    return p->map[poly_map_cell(d, p->map_size)];
}

void jo_features_plane(const jo_polyhedron *a, const jo_pose *pose_a, const double normal[3],
                       double offset, jo_feature *feature, jo_closest *out)
{
    const double *m = pose_a->turn;
    double d[3], x[3];
    for (int k = 0; k < 3; k++)
        d[k] = -(m[k] * normal[0] + m[3 + k] * normal[1] + m[6 + k] * normal[2]);
    const uint32_t v = poly_climb(a, d, vertex_of(a, *feature, d));
    *feature = jo_level_feature(a, v, d, 1e-12, x);
    walk_to_world(pose_a, x, out->on_a);
    out->distance = dot3(normal, pose_a->at) - dot3(d, a->points + 3 * (size_t)v) - offset;
    along3(out->on_a, offset - dot3(normal, out->on_a), normal, out->on_b);
    for (int k = 0; k < 3; k++)
        out->normal[k] = -normal[k];
    out->overlap = out->distance <= 0.0;
    out->exact = out->proved = true;
    out->iterations = 1;
    out->features = (jo_feature_pair){*feature, {JO_FEATURE_NONE, 0}};
}
