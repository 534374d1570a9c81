/* view_pair.c — what the page is told about bodies that lie together.
 *
 * Closest features. Shapes of a frame have radius 1; the two are made anew at their sizes
 * (O(faces)) and asked for their closest features. The Voronoi region of a feature is all space
 * that is nearer to it than to any other of its body; what bounds it is drawn: over a face, planes
 * upright on its edges; over an edge, planes upright on it along both faces' normals, and at its
 * ends; over a vertex, the cone of the normals around it. Regions have no end; the pictures reach a
 * radius far.
 *
 * Stored runs have no contacts, but positions: spheres by the definition of contact, polyhedra by
 * their closest features, walls by their triangles (for spheres alone). On periodic axes nearest
 * images. */
#include "view_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/features.h"

size_t frame_index(const jo_frame *f, uint64_t id)
{
    size_t lo = 0, hi = f->n;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (f->id[middle] < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < f->n && f->id[lo] == id ? lo : f->n;
}

/* ---- bodies as the search for features wants them */

static bool is_solid(const jo_frame *f, size_t i)
{
    return f->shape != NULL && f->q != NULL && f->shape[i] < f->shape_count;
}

/* The shape of body i at its size; NULL: no memory. */
static jo_polyhedron *solid_of(const jo_frame *f, size_t i)
{
    const jo_polyhedron_view v = jo_polyhedron_look(f->shapes[f->shape[i]]);
    double *points = malloc(3 * v.vertices * sizeof *points);
    size_t *offset = malloc((v.faces + 1) * sizeof *offset), n = 0;
    uint32_t *corner = malloc(2 * v.edges * sizeof *corner);
    jo_polyhedron *made = NULL;
    jo_error error;
    if (points != NULL && offset != NULL && corner != NULL) {
        for (size_t k = 0; k < 3 * v.vertices; k++)
            points[k] = f->r[i] * v.points[k];
        for (size_t face = 0; face < v.faces; face++) {
            uint32_t h = v.face_edge[face];
            offset[face] = n;
            do {
                corner[n++] = v.origin[h];
                h = v.next[h];
            } while (h != v.face_edge[face]);
        }
        offset[v.faces] = n;
        jo_polyhedron_from_faces(points, v.vertices, offset, corner, v.faces, &made, &error);
    }
    free(points);
    free(offset);
    free(corner);
    return made;
}

static jo_pose pose_of(const jo_frame *f, size_t i)
{
    jo_pose pose;
    memcpy(pose.at, f->x + 3 * i, sizeof pose.at);
    jo_pose_turn(&pose, f->q + 4 * i);
    return pose;
}

/* From body i to the nearest image of j. In a sheared box the image above lies elsewhere along
 * x. */
static void between(const jo_frame *f, size_t i, size_t j, double d[3])
{
    static const int order[3] = {1, 0, 2};
    for (int a = 0; a < 3; a++)
        d[a] = f->x[3 * j + (size_t)a] - f->x[3 * i + (size_t)a];
    for (int k = 0; k < 3; k++) {
        const int a = order[k];
        const double period = f->domain.hi[a] - f->domain.lo[a];
        if (!f->domain.periodic[a] || !(period > 0.0)) continue;
        const double times = nearbyint(d[a] / period);
        d[a] -= period * times;
        if (a == 1) d[0] -= f->shear_offset * times;
    }
}

/* ---- closest features */

static jo_closest closest_of_spheres(const jo_frame *f, size_t i, size_t j)
{
    jo_closest c = {.exact = true};
    double d[3];
    between(f, i, j, d);
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    c.distance = length - f->r[i] - f->r[j];
    c.overlap = c.distance <= 0.0;
    for (int a = 0; a < 3; a++) {
        c.normal[a] = length > 0.0 ? d[a] / length : a == 2;
        c.on_a[a] = f->x[3 * i + (size_t)a] + f->r[i] * c.normal[a];
        c.on_b[a] = f->x[3 * i + (size_t)a] + d[a] - f->r[j] * c.normal[a];
    }
    return c;
}

static void turn_around(jo_closest *c)
{
    for (int a = 0; a < 3; a++) {
        const double swap = c->on_a[a];
        c->on_a[a] = c->on_b[a];
        c->on_b[a] = swap;
        c->normal[a] = -c->normal[a];
    }
    c->features = (jo_feature_pair){c->features.b, c->features.a};
}

/* b in the image that is nearest to a. False: no memory. */
static bool find_closest(const jo_frame *f, size_t i, size_t j, const jo_polyhedron *one,
                         const jo_polyhedron *other, jo_closest *out)
{
    double d[3], centre[3];
    between(f, i, j, d);
    for (int a = 0; a < 3; a++)
        centre[a] = f->x[3 * i + (size_t)a] + d[a];
    if (!is_solid(f, i) && !is_solid(f, j)) {
        *out = closest_of_spheres(f, i, j);
        return true;
    }
    if ((is_solid(f, i) && one == NULL) || (is_solid(f, j) && other == NULL)) return false;
    if (one != NULL && other != NULL) {
        jo_feature_pair pair = {{0}, {0}};
        const jo_pose pose_a = pose_of(f, i);
        jo_pose pose_b = pose_of(f, j);
        memcpy(pose_b.at, centre, sizeof centre);
        jo_features_contact(one, &pose_a, other, &pose_b, &pair, out);
        return true;
    }
    jo_feature feature = {0};
    if (one != NULL) {
        const jo_pose pose = pose_of(f, i);
        jo_features_sphere(one, &pose, centre, f->r[j], &feature, out);
        return true;
    }
    jo_pose pose = pose_of(f, j);
    memcpy(pose.at, centre, sizeof centre);
    jo_features_sphere(other, &pose, f->x + 3 * i, f->r[i], &feature, out);
    turn_around(out);
    return true;
}

/* ---- regions */

typedef struct region {
    json *j;
    const jo_pose *pose;
    const jo_polyhedron_view *v;
    double reach;
} region;

static const double *point_of(const region *r, uint32_t edge)
{
    return r->v->points + 3 * (size_t)r->v->origin[edge];
}

/* A corner at `from`, moved by reach along the face's normal if there is one. */
static void put_corner(const region *r, const double *from, const double *normal)
{
    double own[3];
    for (int a = 0; a < 3; a++)
        own[a] = from[a] + (normal != NULL ? r->reach * normal[a] : 0.0);
    for (int a = 0; a < 3; a++) {
        double x = r->pose->at[a];
        for (int b = 0; b < 3; b++)
            x += r->pose->turn[3 * a + b] * own[b];
        json_real(r->j, NULL, x);
    }
}

static const double *normal_of(const region *r, uint32_t face)
{
    return r->v->planes + 4 * (size_t)face;
}

/* The upright over an edge, along a normal: two triangles. */
static void put_upright(const region *r, uint32_t edge, const double *normal)
{
    const double *p = point_of(r, edge), *q = point_of(r, r->v->twin[edge]);
    put_corner(r, p, NULL);
    put_corner(r, q, NULL);
    put_corner(r, q, normal);
    put_corner(r, p, NULL);
    put_corner(r, q, normal);
    put_corner(r, p, normal);
}

static void put_wedge(const region *r, const double *p, const double *one, const double *other)
{
    put_corner(r, p, NULL);
    put_corner(r, p, one);
    put_corner(r, p, other);
}

static void put_region(json *j, const char *key, const jo_polyhedron *shape, const jo_pose *pose,
                       jo_feature feature, double reach)
{
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    const region r = {j, pose, &v, reach};
    json_array(j, key);
    if (feature.kind == JO_FEATURE_FACE) {
        const uint32_t first = v.face_edge[feature.index];
        uint32_t h = first;
        do {
            put_upright(&r, h, normal_of(&r, feature.index));
            h = v.next[h];
        } while (h != first);
    } else if (feature.kind == JO_FEATURE_EDGE) {
        const uint32_t h = feature.index, back = v.twin[h];
        const double *one = normal_of(&r, v.face[h]), *other = normal_of(&r, v.face[back]);
        put_upright(&r, h, one);
        put_upright(&r, h, other);
        put_wedge(&r, point_of(&r, h), one, other);
        put_wedge(&r, point_of(&r, back), one, other);
    } else if (feature.kind == JO_FEATURE_VERTEX) {
        for (uint32_t h = v.first[feature.index]; h < v.first[feature.index + 1]; h++)
            put_wedge(&r, point_of(&r, h), normal_of(&r, v.face[h]),
                      normal_of(&r, v.face[v.twin[h]]));
    }
    json_end(j);
}

static void put_point(json *j, const char *key, const double *v)
{
    json_array(j, key);
    for (int a = 0; a < 3; a++)
        json_real(j, NULL, v[a]);
    json_end(j);
}

static void put_side(json *j, const jo_frame *f, size_t i, const double at[3],
                     const jo_polyhedron *solid, jo_feature feature)
{
    static const char *const kinds[] = {"none", "vertex", "edge", "face"};
    json_object(j, NULL);
    json_integer(j, "id", f->id[i]);
    json_string(j, "feature",
                solid != NULL && feature.kind <= JO_FEATURE_FACE ? kinds[feature.kind] : "sphere");
    json_integer(j, "index", feature.index);
    if (solid != NULL) {
        jo_pose pose = pose_of(f, i);
        memcpy(pose.at, at, sizeof pose.at);
        put_region(j, "region", solid, &pose, feature, 1.2 * f->r[i]);
    }
    json_end(j);
}

void put_feature_pair(json *j, const jo_frame *f, uint64_t a, uint64_t b)
{
    const size_t i = frame_index(f, a), k = frame_index(f, b);
    json_object(j, NULL);
    json_integer(j, "a", a);
    json_integer(j, "b", b);
    const bool there = i < f->n && k < f->n && i != k;
    json_bool(j, "there", there);
    if (there) {
        jo_closest c;
        double d[3], at[3];
        jo_polyhedron *one = is_solid(f, i) ? solid_of(f, i) : NULL;
        jo_polyhedron *other = is_solid(f, k) ? solid_of(f, k) : NULL;
        between(f, i, k, d);
        for (int x = 0; x < 3; x++)
            at[x] = f->x[3 * i + (size_t)x] + d[x];
        if (find_closest(f, i, k, one, other, &c)) {
            json_real(j, "distance", c.distance);
            json_bool(j, "overlap", c.overlap);
            json_integer(j, "iterations", c.iterations);
            put_point(j, "on_a", c.on_a);
            put_point(j, "on_b", c.on_b);
            json_array(j, "sides");
            put_side(j, f, i, f->x + 3 * i, one, c.features.a);
            put_side(j, f, k, at, other, c.features.b);
            json_end(j);
        }
        jo_polyhedron_destroy(one);
        jo_polyhedron_destroy(other);
    }
    json_end(j);
}

/* ---- what a body touches */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Square of the distance of p from the segment a b. */
static double from_segment(const double p[3], const double a[3], const double b[3])
{
    double ab[3], ap[3], d[3];
    for (int k = 0; k < 3; k++)
        ab[k] = b[k] - a[k], ap[k] = p[k] - a[k];
    const double length2 = dot(ab, ab);
    const double t = length2 > 0.0 ? fmin(fmax(dot(ap, ab) / length2, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; k++)
        d[k] = ap[k] - t * ab[k];
    return dot(d, d);
}

/* Square of the distance of p from a triangle: its plane where p lies over it, else its edges. */
static double from_triangle(const double p[3], const double *c)
{
    double u[3], v[3], n[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = c[3 + k] - c[k], v[k] = c[6 + k] - c[k], w[k] = p[k] - c[k];
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v),
                 all = uu * vv - uv * uv;
    const double s = vv * wu - uv * wv, t = uu * wv - uv * wu;
    if (all > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= all) {
        const double along = dot(w, n);
        return along * along / dot(n, n);
    }
    return fmin(from_segment(p, c, c + 3),
                fmin(from_segment(p, c + 3, c + 6), from_segment(p, c + 6, c)));
}

static void put_contact(json *j, const char *what, uint64_t number, double overlap)
{
    json_object(j, NULL);
    json_integer(j, what, number);
    json_real(j, "overlap", overlap);
    json_end(j);
}

static void put_touched_walls(json *j, const jo_frame *f, size_t i, const wall_triangles *walls)
{
    const double *x = f->x + 3 * i;
    for (size_t t = 0; t < walls->count;) {
        const uint32_t wall = walls->owner[t];
        double nearest = (double)INFINITY;
        for (; t < walls->count && walls->owner[t] == wall; t++) {
            const double *c = walls->corners + 9 * t;
            const double square = f->dim == 2 ? from_segment(x, c, c + 3) : from_triangle(x, c);
            nearest = fmin(nearest, square);
        }
        if (nearest <= f->r[i] * f->r[i]) put_contact(j, "wall", wall, f->r[i] - sqrt(nearest));
    }
}

void put_touched(json *j, const jo_frame *f, size_t i, const wall_triangles *walls)
{
    jo_polyhedron *own = is_solid(f, i) ? solid_of(f, i) : NULL;
    json_array(j, "contacts");
    for (size_t k = 0; k < f->n; k++) {
        double d[3];
        between(f, i, k, d);
        const double sum = f->r[i] + f->r[k];
        if (k == i || sum * sum - dot(d, d) < 0.0) continue;
        jo_closest c;
        jo_polyhedron *other = is_solid(f, k) ? solid_of(f, k) : NULL;
        if (find_closest(f, i, k, own, other, &c) && (c.overlap || c.distance <= 0.0))
            put_contact(j, "body", f->id[k], -c.distance);
        jo_polyhedron_destroy(other);
    }
    if (!is_solid(f, i)) put_touched_walls(j, f, i, walls);
    json_end(j);
    jo_polyhedron_destroy(own);
}
