/* Closest features of bodies that lie on each other, face on face, but for a tilt of 1e-9 to 1e-4 and a gap of
 * 0 to 1e-2: whatever features the walk begins with, the answer proves itself. Bodies said to be apart lie on
 * different sides of a plane, as far apart as said; those said to overlap have a depth. */
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

static const double tilts[] = {1e-4, 1e-6, 1e-7, 1e-8, 1e-9};
static const double gaps[] = {0.0, 1e-8, 1e-7, 1e-5, 1e-2};

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
        if (!(depth > 0.0)) fail_msg("an overlap whose depth is %g", depth);
        return;
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cubes), cmocka_unit_test(prisms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
