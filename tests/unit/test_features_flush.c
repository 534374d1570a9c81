/* Closest features of bodies that lie on each other, face on face, but for a tilt of 1e-9 to 1e-4
 * and a gap of 0 to 1e-2: whatever features the walk begins with, the answer proves itself. Bodies
 * said to be apart lie on different sides of a plane, as far apart as said; those said to overlap
 * have a depth.
 *
 * And depths of such bodies, down to tilts of 1e-13, of any orientation, needles and plates as
 * well: the one told is that along the normal told, and no axis of all is less deep, in long
 * double. Edges of such bodies are nearly parallel, and rounding turns what is square to them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/random.h"
#include "jostle/features.h"

static const double tilts[] = {1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};
static const double gaps[] = {0.0, 1e-12, 1e-10, 1e-8, 1e-7, 1e-5, 1e-2};

static void tilt(random_stream *r, double by, jo_pose *pose)
{
    double q[4] = {1.0};
    for (int k = 1; k < 4; k++)
        q[k] = by * (2.0 * jo_random_uniform(r) - 1.0);
    jo_pose_turn(pose, q);
    for (int k = 0; k < 3; k++)
        pose->at[k] = 0.0;
}

/* How far a body reaches along n, or with sign -1 against it. */
static long double reach(const jo_polyhedron_view *v, const jo_pose *pose, const double n[3],
                         int sign)
{
    long double most = -INFINITY;
    for (size_t i = 0; i < v->vertices; i++) {
        long double sum = 0.0L;
        for (int k = 0; k < 3; k++) {
            long double x = pose->at[k];
            for (int l = 0; l < 3; l++)
                x += (long double)pose->turn[3 * k + l] * v->points[3 * i + (size_t)l];
            sum += sign * n[k] * x;
        }
        if (sum > most) most = sum;
    }
    return most;
}

/* How far a point is above the highest of a body's faces: 0 on its surface. */
static double above(const jo_polyhedron_view *v, const jo_pose *pose, const double x[3])
{
    double most = -INFINITY;
    for (size_t f = 0; f < v->faces; f++) {
        double height = -v->planes[4 * f + 3];
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                height +=
                    v->planes[4 * f + (size_t)l] * pose->turn[3 * k + l] * (x[k] - pose->at[k]);
        most = fmax(most, height);
    }
    return most;
}

/* The points told are on the surfaces, whether the bodies overlap or not. */
static void check_points(const jo_polyhedron_view *v, const jo_pose *a, const jo_pose *b,
                         const jo_closest *out)
{
    const double off_a = above(v, a, out->on_a), off_b = above(v, b, out->on_b);
    if (!(fabs(off_a) <= 1e-9 * v->radius && fabs(off_b) <= 1e-9 * v->radius))
        fail_msg("points %g and %g off the surfaces; distance %g, features %u %u", off_a, off_b,
                 out->distance, out->features.a.kind, out->features.b.kind);
}

static void check(const jo_polyhedron *shape, const jo_pose *a, const jo_pose *b, double depth,
                  jo_feature_pair pair)
{
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    const jo_feature_pair start = pair;
    jo_closest out;
    jo_features_distance(shape, a, shape, b, &pair, &out);
    if (!out.exact)
        fail_msg("not exact, from %u %u, %u %u", start.a.kind, start.a.index, start.b.kind,
                 start.b.index);
    if (out.overlap) {
        if (!(depth > -1e-12 * v.radius)) fail_msg("an overlap whose depth is %g", depth);
        return;
    }
    check_points(&v, a, b, &out);
    const long double gap = -reach(&v, b, out.normal, -1) - reach(&v, a, out.normal, 1);
    if (!(fabsl(gap - out.distance) <= 1e-12L * v.radius))
        fail_msg("%g apart, but %Lg along the normal; the depth is %g; from %u %u, %u %u",
                 out.distance, gap, depth, start.a.kind, start.a.index, start.b.kind,
                 start.b.index);
}

/* All pairs of features as where to begin. */
static void from_everywhere(const jo_polyhedron *shape, const jo_pose *a, const jo_pose *b)
{
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    const size_t count[4] = {0, v.vertices, v.edges, v.faces};
    jo_feature_pair none = {{JO_FEATURE_NONE, 0}, {JO_FEATURE_NONE, 0}};
    jo_closest out;
    jo_features_contact(shape, a, shape, b, &none, &out);
    for (uint32_t kind = 1; kind < 4; kind++)
        for (uint32_t i = 0; i < count[kind]; i++)
            for (uint32_t other = 1; other < 4; other++)
                for (uint32_t j = 0; j < count[other]; j++)
                    check(shape, a, b, -out.distance, (jo_feature_pair){{kind, i}, {other, j}});
}

static void flush(const char *name, size_t sides, int axis)
{
    jo_solid_def def = jo_solid_def_default(name);
    jo_polyhedron *shape;
    jo_error error = {0};
    random_stream r = jo_random_start(9, sides);
    def.sides = sides;
    if (jo_polyhedron_solid(&def, &shape, &error) != JO_OK) fail_msg("%s", error.text);
    const double height = 2.0 * jo_polyhedron_look(shape).hi[axis];
    for (size_t t = 0; t < sizeof tilts / sizeof *tilts; t++)
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
            for (int k = 0; k < 20; k++) {
                jo_pose a, b;
                tilt(&r, tilts[t], &a);
                tilt(&r, tilts[t], &b);
                b.at[axis] = height + gaps[g];
                from_everywhere(shape, &a, &b);
            }
    jo_polyhedron_destroy(shape);
}

static void cubes(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        flush("cube", 4, axis);
}

static void prisms(void **state)
{
    (void)state;
    flush("prism", 3, 2);
    flush("prism", 6, 2);
}

/* ---- depths ---- */

typedef struct body {
    jo_polyhedron_view v;
    long double x[64][3], n[64][3], u[128][3];
    size_t edges;
} body;

static void turn(const jo_pose *pose, const double x[3], long double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = 0.0L;
        for (int l = 0; l < 3; l++)
            out[k] += (long double)pose->turn[3 * k + l] * x[l];
    }
}

static body body_at(const jo_polyhedron *shape, const jo_pose *pose)
{
    body b = {.v = jo_polyhedron_look(shape)};
    const jo_polyhedron_view *v = &b.v;
    assert_true(v->vertices <= 64 && v->faces <= 64 && v->edges <= 128);
    for (size_t i = 0; i < v->vertices; i++) {
        turn(pose, v->points + 3 * i, b.x[i]);
        for (int k = 0; k < 3; k++)
            b.x[i][k] += pose->at[k];
    }
    for (size_t f = 0; f < v->faces; f++)
        turn(pose, v->planes + 4 * f, b.n[f]);
    for (size_t h = 0; h < 2 * v->edges; h++) {
        if (h > v->twin[h]) continue;
        for (int k = 0; k < 3; k++)
            b.u[b.edges][k] = b.x[v->origin[v->twin[h]]][k] - b.x[v->origin[h]][k];
        b.edges++;
    }
    return b;
}

/* The depth along n, which need not be a unit vector; infinite if it is none at all. */
static long double along(const body *a, const body *b, const long double n[3])
{
    const long double size = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    long double most = -INFINITY, least = INFINITY;
    if (!(size > 0.0L)) return INFINITY;
    for (size_t i = 0; i < a->v.vertices; i++)
        most = fmaxl(most, n[0] * a->x[i][0] + n[1] * a->x[i][1] + n[2] * a->x[i][2]);
    for (size_t i = 0; i < b->v.vertices; i++)
        least = fminl(least, n[0] * b->x[i][0] + n[1] * b->x[i][1] + n[2] * b->x[i][2]);
    return (most - least) / size;
}

static long double least_depth(const body *a, const body *b)
{
    long double least = INFINITY;
    for (size_t f = 0; f < a->v.faces; f++)
        least = fminl(least, along(a, b, a->n[f]));
    for (size_t f = 0; f < b->v.faces; f++)
        least = fminl(least, along(a, b, (long double[3]){-b->n[f][0], -b->n[f][1], -b->n[f][2]}));
    for (size_t i = 0; i < a->edges; i++)
        for (size_t j = 0; j < b->edges; j++)
            for (int sign = -1; sign < 2; sign += 2) {
                const long double *u = a->u[i], *v = b->u[j];
                const long double n[3] = {sign * (u[1] * v[2] - u[2] * v[1]),
                                          sign * (u[2] * v[0] - u[0] * v[2]),
                                          sign * (u[0] * v[1] - u[1] * v[0])};
                if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 1e-32L)
                    least = fminl(least, along(a, b, n));
            }
    return least;
}

static double either(random_stream *r)
{
    return 2.0 * jo_random_uniform(r) - 1.0;
}

/* A cube, or a prism that may be a needle or a plate. */
static jo_polyhedron *any_shape(random_stream *r)
{
    const bool cube = jo_random_uniform(r) < 0.3;
    jo_solid_def def = jo_solid_def_default(cube ? "cube" : "prism");
    jo_polyhedron *shape;
    jo_error error = {0};
    def.sides = 3 + (size_t)(14.0 * jo_random_uniform(r));
    if (!cube) def.height = pow(10.0, 3.0 * jo_random_uniform(r) - 2.0);
    if (jo_polyhedron_solid(&def, &shape, &error) != JO_OK) fail_msg("%s", error.text);
    return shape;
}

/* Two of them, faces nearly on each other, shifted sideways; one of the tilt's numbers is 0 now and
 * then. */
static void lay_flush(random_stream *r, const jo_polyhedron *shape, jo_pose *a, jo_pose *b)
{
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    const double small = pow(10.0, -13.0 + 9.0 * jo_random_uniform(r));
    double q[4] = {1.0, small * either(r), small * either(r), 0.0}, whole[4];
    jo_pose tilted;
    if (jo_random_uniform(r) < 0.5) q[3] = either(r);
    if (jo_random_uniform(r) < 0.3) q[1] = 0.0;
    for (int k = 0; k < 4; k++)
        whole[k] = either(r);
    jo_pose_turn(&tilted, q);
    jo_pose_turn(a, whole);
    for (int k = 0; k < 9; k++) {
        b->turn[k] = 0.0;
        for (int l = 0; l < 3; l++)
            b->turn[k] += a->turn[k / 3 * 3 + l] * tilted.turn[3 * l + k % 3];
    }
    for (int k = 0; k < 3; k++)
        a->at[k] = b->at[k] = 0.0;
    const size_t f = (size_t)((double)v.faces * jo_random_uniform(r));
    const body one = body_at(shape, a), other = body_at(shape, b);
    const long double *n = one.n[f];
    double up = (double)along(&one, &other, n), side[3], off = 0.0;
    up += (jo_random_uniform(r) < 0.7 ? -1.0 : 1.0) * pow(10.0, -1.0 - 10.0 * jo_random_uniform(r));
    for (int k = 0; k < 3; k++) {
        side[k] = 0.5 * v.radius * either(r);
        off += (double)n[k] * side[k];
    }
    for (int k = 0; k < 3; k++)
        b->at[k] = (double)n[k] * (up - off) + side[k];
}

static void depths(void **state)
{
    (void)state;
    random_stream r = jo_random_start(21, 0);
    int overlaps = 0;
    for (int k = 0; k < 3000; k++) {
        jo_polyhedron *shape = any_shape(&r);
        jo_pose pose[2];
        lay_flush(&r, shape, &pose[0], &pose[1]);
        for (int swapped = 0; swapped < 2; swapped++) {
            const jo_pose *a = &pose[swapped], *b = &pose[1 - swapped];
            const body one = body_at(shape, a), other = body_at(shape, b);
            jo_feature_pair pair = {{JO_FEATURE_NONE, 0}, {JO_FEATURE_NONE, 0}};
            jo_closest out, again;
            jo_features_contact(shape, a, shape, b, &pair, &out);
            const long double n[3] = {out.normal[0], out.normal[1], out.normal[2]};
            const long double told = -out.distance, is = along(&one, &other, n);
            const long double within = 1e-10L * fabsl(told) + 1e-11L * one.v.radius;
            if (!out.exact || !out.proved) fail_msg("%d: not exact", k);
            if (!(fabsl(is - told) <= within))
                fail_msg("%d: %Lg deep, but %Lg along its normal", k, told, is);
            check_points(&one.v, a, b, &out);
            jo_features_follow(shape, a, shape, b, &pair, &again);
            check_points(&one.v, a, b, &again);
            if (!out.overlap) {
                assert_true(told <= 0.0L);
                continue;
            }
            overlaps++;
            const long double least = least_depth(&one, &other);
            if (!(fabsl(least - told) <= within))
                fail_msg("%d: %Lg deep, the least is %Lg", k, told, least);
        }
        jo_polyhedron_destroy(shape);
    }
    assert_true(overlaps > 2000);
}

/* Long bars that lie on each other, crossing at a small angle: the points of the overlap are where
 * the faces they share cross, one above the other. */
static void bars(void **state)
{
    (void)state;
    const jo_solid_def def = {"prism", 1.0, 4, 1000.0};
    const double half = sqrt(0.5), depth = 0.01;
    random_stream r = jo_random_start(23, 0);
    jo_polyhedron *shape;
    jo_error error = {0};
    if (jo_polyhedron_solid(&def, &shape, &error) != JO_OK) fail_msg("%s", error.text);
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    for (int k = 0; k < 300; k++) {
        const double angle = pow(10.0, -3.0 + 2.5 * jo_random_uniform(&r));
        const double c = cos(angle), s = sin(angle);
        /* Along x, a side up; and the same turned about z. */
        const jo_pose a = {{0, 0, 0}, {0, 0, 1, half, half, 0, -half, half, 0}};
        const jo_pose b = {{400.0 * either(&r), 0.3 * either(&r), 2.0 * half - depth},
                           {-s * half, -s * half, c, c * half, c * half, s, -half, half, 0}};
        jo_feature_pair pair = {{JO_FEATURE_NONE, 0}, {JO_FEATURE_NONE, 0}};
        jo_closest out;
        jo_features_contact(shape, &a, shape, &b, &pair, &out);
        if (!(fabs(out.distance + depth) <= 1e-12)) fail_msg("%g deep", -out.distance);
        check_points(&v, &a, &b, &out);
        for (int i = 0; i < 3; i++)
            if (!(fabs(out.on_b[i] - out.on_a[i] - out.distance * out.normal[i]) <= 1e-9))
                fail_msg("%d: crossing at %g, the points are %g, %g beside each other", k, angle,
                         out.on_b[0] - out.on_a[0], out.on_b[1] - out.on_a[1]);
    }
    jo_polyhedron_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cubes), cmocka_unit_test(prisms),
                                       cmocka_unit_test(depths), cmocka_unit_test(bars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
