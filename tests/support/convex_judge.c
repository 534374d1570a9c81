/* convex_judge.c — see convex_judge.h. */
#include "support/convex_judge.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

typedef struct placed {
    jo_polyhedron_view v;
    real *x, *n; /* vertices; face normals and offsets, in the world */
} placed;

static real dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const real *a, const real *b, real *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void minus(const real *a, const real *b, real *c)
{
    for (int k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

static void place_faces(placed *p)
{
    for (size_t f = 0; f < p->v.faces; f++) {
        real *n = p->n + 4 * f, sum[3] = {0}, corners = 0;
        const uint32_t start = p->v.face_edge[f];
        const real *o = p->x + 3 * p->v.origin[start];
        uint32_t h = start;
        n[0] = n[1] = n[2] = 0;
        do {
            real a[3], b[3], c[3];
            minus(p->x + 3 * p->v.origin[h], o, a);
            minus(p->x + 3 * p->v.origin[p->v.next[h]], o, b);
            cross(a, b, c);
            for (int k = 0; k < 3; k++) {
                n[k] += c[k];
                sum[k] += a[k];
            }
            corners += 1;
            h = p->v.next[h];
        } while (h != start);
        const real length = sqrtl(dot(n, n));
        n[3] = 0;
        for (int k = 0; k < 3; k++) {
            n[k] /= length;
            n[3] += n[k] * (o[k] + sum[k] / corners);
        }
    }
}

static placed place(const jo_polyhedron *shape, const jo_pose *pose)
{
    placed p = {.v = jo_polyhedron_look(shape)};
    p.x = malloc(3 * p.v.vertices * sizeof *p.x);
    p.n = malloc(4 * p.v.faces * sizeof *p.n);
    if (p.x == NULL || p.n == NULL) abort();
    for (size_t i = 0; i < p.v.vertices; i++)
        for (int k = 0; k < 3; k++) {
            p.x[3 * i + (size_t)k] = pose->at[k];
            for (int j = 0; j < 3; j++)
                p.x[3 * i + (size_t)k] +=
                    (real)pose->turn[3 * k + j] * p.v.points[3 * i + (size_t)j];
        }
    place_faces(&p);
    return p;
}

static void unplace(placed *p)
{
    free(p->x);
    free(p->n);
}

/* How far x is outside, at most; below 0: inside. */
static real outside(const placed *p, const real *x)
{
    real most = -INFINITY;
    for (size_t f = 0; f < p->v.faces; f++) {
        const real height = dot(p->n + 4 * f, x) - p->n[4 * f + 3];
        if (height > most) most = height;
    }
    return most;
}

static real support(const placed *p, const real *n)
{
    real most = -INFINITY;
    for (size_t k = 0; k < p->v.vertices; k++) {
        const real along = dot(p->x + 3 * k, n);
        if (along > most) most = along;
    }
    return most;
}

/* ---- judging ---- */

static bool on_feature(const placed *p, jo_feature f, const real *x, real slack)
{
    if (f.kind == JO_FEATURE_FACE)
        return f.index < p->v.faces &&
               fabsl(dot(p->n + 4 * f.index, x) - p->n[4 * f.index + 3]) <= slack;
    if (f.kind == JO_FEATURE_EDGE) {
        real u[3], d[3], c[3];
        if (f.index >= 2 * p->v.edges) return false;
        const real *a = p->x + 3 * p->v.origin[f.index];
        minus(p->x + 3 * p->v.origin[p->v.twin[f.index]], a, u);
        minus(x, a, d);
        cross(u, d, c);
        return sqrtl(dot(c, c) / dot(u, u)) <= slack;
    }
    real d[3];
    if (f.kind != JO_FEATURE_VERTEX || f.index >= p->v.vertices) return false;
    minus(x, p->x + 3 * f.index, d);
    return sqrtl(dot(d, d)) <= slack;
}

static real clamp(real x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* The point of a feature that is nearest to x. */
static void foot(const placed *p, jo_feature f, const real *x, real *y)
{
    if (f.kind == JO_FEATURE_FACE) {
        const real *n = p->n + 4 * f.index, height = dot(n, x) - n[3];
        for (int k = 0; k < 3; k++)
            y[k] = x[k] - height * n[k];
    } else if (f.kind == JO_FEATURE_EDGE) {
        const real *a = p->x + 3 * p->v.origin[f.index];
        real u[3], d[3];
        minus(p->x + 3 * p->v.origin[p->v.twin[f.index]], a, u);
        minus(x, a, d);
        const real s = clamp(dot(u, d) / dot(u, u));
        for (int k = 0; k < 3; k++)
            y[k] = a[k] + s * u[k];
    } else {
        for (int k = 0; k < 3; k++)
            y[k] = p->x[3 * f.index + (size_t)k];
    }
}

/* The closest points of two features, from points that are nearly those. */
static void refine(const placed *a, const placed *b, jo_feature_pair f, real *x, real *y)
{
    if (f.a.kind == JO_FEATURE_EDGE && f.b.kind == JO_FEATURE_EDGE) {
        real u[3], v[3], r[3];
        const real *p = a->x + 3 * a->v.origin[f.a.index], *q = b->x + 3 * b->v.origin[f.b.index];
        minus(a->x + 3 * a->v.origin[a->v.twin[f.a.index]], p, u);
        minus(b->x + 3 * b->v.origin[b->v.twin[f.b.index]], q, v);
        minus(p, q, r);
        const real c = dot(v, v), m = dot(u, v), det = dot(u, u) * c - m * m;
        if (det > 1e-9L * dot(u, u) * c) {
            const real s = clamp((m * dot(v, r) - c * dot(u, r)) / det);
            for (int k = 0; k < 3; k++)
                x[k] = p[k] + s * u[k];
        } else {
            foot(a, f.a, y, x);
        }
        foot(b, f.b, x, y);
        foot(a, f.a, y, x);
    } else if (f.a.kind == JO_FEATURE_VERTEX) {
        foot(a, f.a, y, x);
        foot(b, f.b, x, y);
    } else {
        foot(b, f.b, x, y);
        foot(a, f.a, y, x);
    }
}

/* The unit vector from a to b that the features themselves have: a face's normal, or square to two
 * edges. False when only their points tell it. */
static bool own_direction(const placed *a, const placed *b, jo_feature_pair f, const real *towards,
                          real *n)
{
    if (f.a.kind == JO_FEATURE_FACE || f.b.kind == JO_FEATURE_FACE) {
        const real *plane =
            f.a.kind == JO_FEATURE_FACE ? a->n + 4 * f.a.index : b->n + 4 * f.b.index;
        for (int k = 0; k < 3; k++)
            n[k] = plane[k];
    } else if (f.a.kind == JO_FEATURE_EDGE && f.b.kind == JO_FEATURE_EDGE) {
        real u[3], v[3];
        minus(a->x + 3 * a->v.origin[a->v.twin[f.a.index]], a->x + 3 * a->v.origin[f.a.index], u);
        minus(b->x + 3 * b->v.origin[b->v.twin[f.b.index]], b->x + 3 * b->v.origin[f.b.index], v);
        cross(u, v, n);
        if (!(dot(n, n) > 1e-6L * dot(u, u) * dot(v, v))) return false;
    } else {
        return false;
    }
    const real length = dot(n, towards) < 0 ? -sqrtl(dot(n, n)) : sqrtl(dot(n, n));
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    return true;
}

static void judge_apart(const placed *a, const placed *b, real *x, real *y, real size,
                        const jo_closest *answer, verdict *v)
{
    real d[3], n[3], back[3], off = 0;
    if (!on_feature(a, answer->features.a, x, 1e-13L * size))
        v->fault = "the point of a is not on its feature";
    if (!on_feature(b, answer->features.b, y, 1e-13L * size))
        v->fault = "the point of b is not on its feature";
    if (v->fault != NULL) return;
    /* The bounds are of the features' own points: those given are rounded, which shows in the
     * direction between them when they are near each other. */
    refine(a, b, answer->features, x, y);
    minus(y, x, d);
    const real length = sqrtl(dot(d, d));
    v->upper = length + fmaxl(0, outside(a, x)) + fmaxl(0, outside(b, y));
    const bool tiny = length <= 1e-12L * size;
    const bool own = !tiny && own_direction(a, b, answer->features, d, n);
    for (int k = 0; k < 3; k++) {
        if (!own) n[k] = tiny ? answer->normal[k] : d[k] / length;
        back[k] = -n[k];
        off = fmaxl(off, fabsl(n[k] - answer->normal[k]));
    }
    v->lower = -support(b, back) - support(a, n);
    if (off > 1e-14L + 1e-14L * size / length) v->fault = "not the normal";
}

verdict judge_distance(const jo_polyhedron *shape_a, const jo_pose *pose_a,
                       const jo_polyhedron *shape_b, const jo_pose *pose_b,
                       const jo_closest *answer)
{
    placed a = place(shape_a, pose_a), b = place(shape_b, pose_b);
    verdict v = {0};
    real x[3], y[3];
    /* What rounding of the world's coordinates allows, as well. */
    real size = a.v.radius + b.v.radius;
    for (int k = 0; k < 3; k++) {
        x[k] = answer->on_a[k];
        y[k] = answer->on_b[k];
        size = fmaxl(size, fabsl(x[k]));
    }
    if (!answer->overlap) {
        judge_apart(&a, &b, x, y, size, answer, &v);
        if (!(answer->distance >= 0.0)) v.fault = "a negative distance without an overlap";
    } else {
        /* Common to both within rounding; the depth is judged elsewhere. */
        v.upper = fmaxl(0, outside(&a, x)) + fmaxl(0, outside(&b, y));
    }
    const real given = answer->overlap ? 0 : answer->distance;
    /* Voronoi planes of thin bodies tell less: a common point is known to fewer digits. */
    const real thin = answer->overlap ? 0.1L * size / fminl(a.v.inradius, b.v.inradius) : 1;
    const real allowed = 1e-10L * given + 1e-14L * size * fmaxl(1, thin);
    v.error = fmaxl(v.upper - given, given - v.lower) / allowed;
    if (v.fault == NULL && !(v.error <= 1))
        v.fault = answer->overlap ? "no common point" : "not the distance";
    unplace(&a);
    unplace(&b);
    return v;
}

/* ---- brute force ---- */

static real between(const real *p, const real *u, real s, const real *q, const real *v, real t)
{
    real sum = 0;
    for (int k = 0; k < 3; k++) {
        const real d = p[k] + s * u[k] - q[k] - t * v[k];
        sum += d * d;
    }
    return sqrtl(sum);
}

static real segments(const real *p, const real *p1, const real *q, const real *q1)
{
    real u[3], v[3], r[3];
    minus(p1, p, u);
    minus(q1, q, v);
    minus(p, q, r);
    const real a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, r), e = dot(v, r);
    const real det = a * c - b * b;
    real least = between(p, u, 0, q, v, clamp(e / c));
    least = fminl(least, between(p, u, 1, q, v, clamp((e + b) / c)));
    least = fminl(least, between(p, u, clamp(-d / a), q, v, 0));
    least = fminl(least, between(p, u, clamp((b - d) / a), q, v, 1));
    if (det > 0) {
        const real s = clamp((b * e - c * d) / det), t = clamp((b * s + e) / c);
        least = fminl(least, between(p, u, s, q, v, t));
    }
    return least;
}

/* Vertices of a over faces of b. */
static real over_faces(const placed *a, const placed *b)
{
    real least = INFINITY;
    for (size_t k = 0; k < a->v.vertices; k++)
        for (size_t f = 0; f < b->v.faces; f++) {
            const real *x = a->x + 3 * k, *n = b->n + 4 * f;
            const real height = dot(n, x) - n[3];
            const uint32_t start = b->v.face_edge[f];
            uint32_t h = start;
            bool inside = height > 0 && height < least;
            while (inside) {
                real u[3], d[3], c[3];
                const real *o = b->x + 3 * b->v.origin[h];
                minus(b->x + 3 * b->v.origin[b->v.next[h]], o, u);
                minus(x, o, d);
                cross(u, d, c);
                inside = dot(c, n) >= 0;
                h = b->v.next[h];
                if (h == start) break;
            }
            if (inside) least = height;
        }
    return least;
}

static real apart(const placed *a, const placed *b)
{
    real least = fminl(over_faces(a, b), over_faces(b, a));
    for (size_t e = 0; e < 2 * a->v.edges; e++)
        for (size_t f = 0; f < 2 * b->v.edges && e < a->v.twin[e]; f++)
            if (f < b->v.twin[f])
                least = fminl(least, segments(a->x + 3 * a->v.origin[e],
                                              a->x + 3 * a->v.origin[a->v.twin[e]],
                                              b->x + 3 * b->v.origin[f],
                                              b->x + 3 * b->v.origin[b->v.twin[f]]));
    return least;
}

/* The least depth over the axes of a's faces. */
static real face_axes(const placed *a, const placed *b)
{
    real least = INFINITY;
    for (size_t f = 0; f < a->v.faces; f++) {
        const real *n = a->n + 4 * f, back[3] = {-n[0], -n[1], -n[2]};
        least = fminl(least, n[3] + support(b, back));
    }
    return least;
}

/* Whether the arcs between the normals of the faces at two edges cross on the sphere of directions:
 * only then do the edges make a face of the bodies' difference. */
static bool arcs_cross(const real *a, const real *b, const real *c, const real *d)
{
    real bxa[3], dxc[3];
    cross(b, a, bxa);
    cross(d, c, dxc);
    const real cba = dot(c, bxa), dba = dot(d, bxa), adc = dot(a, dxc), bdc = dot(b, dxc);
    return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

static real edge_axes(const placed *a, const placed *b)
{
    real least = INFINITY;
    for (size_t e = 0; e < 2 * a->v.edges; e++) {
        const size_t et = a->v.twin[e];
        const real *p = a->x + 3 * a->v.origin[e], *n0 = a->n + 4 * a->v.face[e];
        const real *n1 = a->n + 4 * a->v.face[et];
        real u[3];
        if (et < e) continue;
        minus(a->x + 3 * a->v.origin[et], p, u);
        for (size_t f = 0; f < 2 * b->v.edges; f++) {
            const size_t ft = b->v.twin[f];
            if (ft < f) continue;
            const real *q = b->x + 3 * b->v.origin[f];
            real m0[3], m1[3], v[3], n[3], d[3];
            for (int k = 0; k < 3; k++) {
                m0[k] = -b->n[4 * b->v.face[f] + (size_t)k];
                m1[k] = -b->n[4 * b->v.face[ft] + (size_t)k];
            }
            if (!arcs_cross(n0, n1, m0, m1)) continue;
            minus(b->x + 3 * b->v.origin[ft], q, v);
            cross(u, v, n);
            const real length = sqrtl(dot(n, n));
            if (!(length > 0)) continue;
            minus(p, q, d);
            const real sign = dot(n, n0) + dot(n, n1) < 0 ? -1 : 1;
            if (sign * dot(n, d) / length >= least) continue;
            /* Where arcs touch rather than cross, the edges need not be what is extreme. */
            real back[3];
            for (int k = 0; k < 3; k++) {
                n[k] *= sign / length;
                back[k] = -n[k];
            }
            least = fminl(least, support(a, n) + support(b, back));
        }
    }
    return least;
}

long double brute_distance(const jo_polyhedron *shape_a, const jo_pose *pose_a,
                           const jo_polyhedron *shape_b, const jo_pose *pose_b)
{
    placed a = place(shape_a, pose_a), b = place(shape_b, pose_b);
    const real depth = fminl(edge_axes(&a, &b), fminl(face_axes(&a, &b), face_axes(&b, &a)));
    const real distance = depth >= 0 ? -depth : apart(&a, &b);
    unplace(&a);
    unplace(&b);
    return distance;
}
