/* What two bodies have in common: closed forms of boxes, all faces against all planes in long
 * double, the gradient of the volume against its differences, and that nothing jumps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "jostle/features.h"

typedef long double real;

enum { SHAPES = 9, CORNERS = 512 };

static const jo_pose upright = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static jo_polyhedron *solid(const char *name, double radius, size_t sides, double height)
{
    const jo_solid_def def = {name, radius, sides, height};
    jo_polyhedron *p;
    jo_error error = {0};
    if (jo_polyhedron_solid(&def, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static jo_polyhedron *rock(size_t faces, double y, uint64_t seed)
{
    const jo_rock_def def = {faces, {1.0, y, 1.0}, 0.5, seed};
    jo_polyhedron *p;
    jo_error error = {0};
    if (!jo_hulls_available()) return solid("prism", 1.0, faces / 4 + 3, y);
    if (jo_polyhedron_rock(&def, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static void near(double a, double b, double allowed)
{
    if (!(fabs(a - b) <= allowed)) fail_msg("%.17g is not %.17g within %g", a, b, allowed);
}

static void near3(const double a[3], const double b[3], double allowed)
{
    for (int k = 0; k < 3; k++)
        near(a[k], b[k], allowed);
}

/* ---- every face of each body cut by every plane of the other ---- */

typedef struct whole {
    real volume, first[3], area[3], moment[3];
} whole;

static void in_world(const jo_pose *pose, const double x[3], bool vector, real y[3])
{
    for (int k = 0; k < 3; k++)
        y[k] = (real)pose->turn[3 * k] * x[0] + (real)pose->turn[3 * k + 1] * x[1] +
               (real)pose->turn[3 * k + 2] * x[2] + (vector ? 0.0L : (real)pose->at[k]);
}

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const real a[3], const real b[3], real c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static int cut(real (*x)[3], int n, const real normal[3], real d)
{
    real y[CORNERS][3];
    int m = 0;
    for (int k = 0; k < n; k++) {
        const real *p = x[k], *q = x[(k + 1) % n];
        const real s = dot(normal, p) - d, t = dot(normal, q) - d;
        if (s <= 0) memcpy(y[m++], p, sizeof y[0]);
        if ((s < 0 && t > 0) || (s > 0 && t < 0)) {
            for (int i = 0; i < 3; i++)
                y[m][i] = p[i] + s / (s - t) * (q[i] - p[i]);
            m++;
        }
    }
    memcpy(x, y, (size_t)m * sizeof y[0]);
    return m < 3 ? 0 : m;
}

/* Tetrahedra between a corner of the world and the triangles of the polygon. */
static void add(real (*x)[3], int n, bool surface, whole *w)
{
    for (int k = 1; k + 1 < n; k++) {
        real u[3], v[3], c[3], m[3], sum[3];
        for (int i = 0; i < 3; i++) {
            u[i] = x[k][i] - x[0][i];
            v[i] = x[k + 1][i] - x[0][i];
            sum[i] = x[0][i] + x[k][i] + x[k + 1][i];
        }
        cross(u, v, c);
        cross(sum, c, m);
        const real volume = dot(c, x[0]) / 6;
        w->volume += volume;
        for (int i = 0; i < 3; i++) {
            w->first[i] += volume * sum[i] / 4;
            if (surface) w->area[i] += c[i] / 2;
            if (surface) w->moment[i] += m[i] / 6;
        }
    }
}

static void add_faces(const jo_polyhedron *p, const jo_pose *pose, const jo_polyhedron *by,
                      const jo_pose *by_pose, bool surface, whole *w)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p), u = jo_polyhedron_look(by);
    for (size_t f = 0; f < v.faces; f++) {
        real x[CORNERS][3];
        int n = 0;
        uint32_t h = v.face_edge[f];
        do {
            in_world(pose, v.points + 3 * (size_t)v.origin[h], false, x[n++]);
            h = v.next[h];
        } while (h != v.face_edge[f]);
        for (size_t g = 0; g < u.faces && n > 0; g++) {
            real normal[3], at[3] = {by_pose->at[0], by_pose->at[1], by_pose->at[2]};
            in_world(by_pose, u.planes + 4 * g, true, normal);
            n = cut(x, n, normal, u.planes[4 * g + 3] + dot(normal, at));
        }
        add(x, n, surface, w);
    }
}

static jo_pose random_pose(random_stream *r, double distance)
{
    jo_pose pose;
    double q[4], length = 0.0;
    for (int k = 0; k < 4; k++)
        q[k] = jo_random_normal(r);
    jo_pose_turn(&pose, q);
    for (int k = 0; k < 3; k++) {
        pose.at[k] = jo_random_normal(r);
        length += pose.at[k] * pose.at[k];
    }
    for (int k = 0; k < 3; k++)
        pose.at[k] *= distance / sqrt(length);
    return pose;
}

static void make_shapes(jo_polyhedron *shape[SHAPES])
{
    shape[0] = solid("tetrahedron", 1.0, 6, 1.0);
    shape[1] = solid("cube", 1.0, 6, 1.0);
    shape[2] = solid("icosahedron", 1.0, 6, 1.0);
    shape[3] = solid("prism", 0.8, 5, 1.4);
    shape[4] = solid("prism", 1.0, 60, 0.5);
    shape[5] = rock(40, 0.7, 5);
    shape[6] = rock(100, 1.0, 6);
    shape[7] = solid("dodecahedron", 1.0, 6, 1.0);
    shape[8] = rock(920, 0.8, 7);
}

static void free_shapes(jo_polyhedron *shape[SHAPES])
{
    for (int k = 0; k < SHAPES; k++)
        jo_polyhedron_destroy(shape[k]);
}

static void brute_force(void **state)
{
    (void)state;
    jo_polyhedron *shape[SHAPES];
    int measured = 0;
    make_shapes(shape);
    for (uint64_t k = 0; k < 3000; k++) {
        random_stream r = jo_random_start(31, k);
        const jo_polyhedron *a = shape[jo_random_bits(&r) % SHAPES];
        const jo_polyhedron *b = shape[jo_random_bits(&r) % SHAPES];
        const jo_pose pose_a = random_pose(&r, 0.5);
        jo_pose pose_b = random_pose(&r, 2.0 * jo_random_uniform(&r));
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_patch o;
        for (int i = 0; i < 3; i++)
            pose_b.at[i] += pose_a.at[i];
        if (k % 4 == 0)
            pose_b = (jo_pose){{pose_b.at[0], pose_b.at[1], pose_b.at[2]},
                               {pose_a.turn[0], pose_a.turn[1], pose_a.turn[2], pose_a.turn[3],
                                pose_a.turn[4], pose_a.turn[5], pose_a.turn[6], pose_a.turn[7],
                                pose_a.turn[8]}};
        jo_features_patch(a, &pose_a, b, &pose_b, &pair, &o);
        whole w = {.volume = 0};
        add_faces(a, &pose_a, b, &pose_b, true, &w);
        add_faces(b, &pose_b, a, &pose_a, false, &w);
        if (!o.closest.overlap) {
            near((double)w.volume, 0.0, 1e-15);
            assert_true(o.volume == 0.0 && o.area == 0.0);
            continue;
        }
        if (!o.measured && (a == shape[8] || b == shape[8])) continue;
        if (!o.measured) fail_msg("pair %llu does not fit", (unsigned long long)k);
        measured++;
        near(o.volume, (double)w.volume, 2e-13);
        real lever[3] = {o.point[0], o.point[1], o.point[2]}, moved[3];
        cross(lever, w.area, moved);
        for (int i = 0; i < 3; i++) {
            near(o.push[i], (double)w.area[i], 1e-10);
            near(o.twist[i], (double)(w.moment[i] - moved[i]), 1e-10);
            if (w.volume > 1e-9L) near(o.point[i], (double)(w.first[i] / w.volume), 1e-10);
        }
    }
    assert_true(measured > 1000);
    free_shapes(shape);
}

/* Cubes of edge 2, upright: boxes. Flush sides, equal cubes in one place, one inside the other. */
static void boxes(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube", sqrt(3.0), 6, 1.0),
                  *small = solid("cube", 0.5 * sqrt(3.0), 6, 1.0);
    static const double shift[][3] = {{0.0, 0.0, 1.99},  {0.5, 0.0, 1.9}, {1.0, 1.5, 1.75},
                                      {0.0, 0.0, 0.0},   {1.5, 0.0, 0.0}, {0.0, 1.0, 1.0},
                                      {0.0, 1.999, 0.0}, {0.3, 0.2, 1.0}};
    for (size_t k = 0; k < 8; k++) {
        jo_pose there = upright;
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_patch o;
        double volume = 1.0, middle[3], face = 1.0;
        int along = 0;
        for (int i = 0; i < 3; i++) {
            there.at[i] = shift[k][i];
            volume *= 2.0 - shift[k][i];
            middle[i] = 0.5 * shift[k][i];
            if (shift[k][i] > shift[k][along]) along = i;
        }
        for (int i = 0; i < 3; i++)
            if (i != along) face *= 2.0 - shift[k][i];
        jo_features_patch(cube, &upright, cube, &there, &pair, &o);
        assert_true(o.measured);
        near(o.volume, volume, 1e-12);
        near3(o.point, middle, 1e-12);
        if (k == 0 || k == 6) {
            near(o.push[along], face, 1e-12);
            near(o.area, face, 1e-12);
            near3(o.twist, (const double[3]){0, 0, 0}, 1e-12);
        }
    }
    jo_pose inside = upright;
    jo_feature_pair pair = {{0, 0}, {0, 0}};
    jo_patch o;
    inside.at[0] = 0.25;
    jo_features_patch(cube, &upright, small, &inside, &pair, &o);
    near(o.volume, 1.0, 1e-13);
    near3(o.point, inside.at, 1e-13);
    near3(o.push, (const double[3]){0, 0, 0}, 1e-13);
    jo_polyhedron_destroy(cube);
    jo_polyhedron_destroy(small);
}

static void turn_by(jo_pose *pose, const double centre[3], const double axis[3], double angle)
{
    jo_pose by;
    const double s = sin(0.5 * angle),
                 q[4] = {cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]};
    double turn[9], at[3];
    jo_pose_turn(&by, q);
    for (int i = 0; i < 3; i++) {
        at[i] = centre[i];
        for (int j = 0; j < 3; j++) {
            at[i] += by.turn[3 * i + j] * (pose->at[j] - centre[j]);
            turn[3 * i + j] = by.turn[3 * i] * pose->turn[j] +
                              by.turn[3 * i + 1] * pose->turn[3 + j] +
                              by.turn[3 * i + 2] * pose->turn[6 + j];
        }
    }
    memcpy(pose->turn, turn, sizeof turn);
    memcpy(pose->at, at, sizeof at);
}

/* push and twist are what the volume changes by: central differences, moved and turned. */
static void gradient(void **state)
{
    (void)state;
    jo_polyhedron *shape[SHAPES];
    const double step = 1e-5;
    make_shapes(shape);
    for (uint64_t k = 0; k < 400; k++) {
        random_stream r = jo_random_start(32, k);
        const jo_polyhedron *a = shape[jo_random_bits(&r) % SHAPES];
        const jo_polyhedron *b = shape[jo_random_bits(&r) % SHAPES];
        const jo_pose pose_a = random_pose(&r, 0.0),
                      pose_b = random_pose(&r, 1.6 * jo_random_uniform(&r));
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_patch o, side[2];
        jo_feature f = {0, 0};
        jo_features_patch(a, &pose_a, b, &pose_b, &pair, &o);
        if (!o.closest.overlap) continue;
        for (int i = 0; i < 6; i++) {
            double axis[3] = {0}, volume[2];
            axis[i % 3] = 1.0;
            for (int j = 0; j < 2; j++) {
                jo_pose moved = pose_b;
                const double by = j == 0 ? -step : step;
                if (i < 3)
                    moved.at[i] += by;
                else
                    turn_by(&moved, o.point, axis, by);
                jo_feature_pair own = pair;
                jo_features_patch(a, &pose_a, b, &moved, &own, &side[j]);
                volume[j] = side[j].volume;
            }
            near((volume[1] - volume[0]) / (2.0 * step), i < 3 ? -o.push[i] : -o.twist[i - 3],
                 1e-7);
        }
        /* The same against a plane: its volume over its offset. */
        const double up[3] = {0, 0, 1};
        for (int j = 0; j < 2; j++)
            jo_features_plane_patch(a, &pose_a, up, (double)k / 800.0 + (j == 0 ? -step : step), &f,
                                    &side[j]);
        jo_features_plane_patch(a, &pose_a, up, (double)k / 800.0, &f, &o);
        if (!o.measured) continue;
        near((side[1].volume - side[0].volume) / (2.0 * step), o.area, 1e-7);
        near3(o.push, (const double[3]){0, 0, -o.area}, 1e-13);
    }
    free_shapes(shape);
}

/* The lower half of a body, and all of it. */
static void planes(void **state)
{
    (void)state;
    jo_polyhedron *shape[SHAPES];
    random_stream r = jo_random_start(33, 0);
    const double up[3] = {0, 0, 1};
    make_shapes(shape);
    for (int k = 0; k < SHAPES; k++) {
        const jo_polyhedron_view v = jo_polyhedron_look(shape[k]);
        for (int i = 0; i < 20; i++) {
            const jo_pose pose = random_pose(&r, 1.0);
            jo_feature f = {0, 0};
            jo_patch o;
            jo_features_plane_patch(shape[k], &pose, up, 5.0, &f, &o);
            if (v.faces > 200) {
                assert_false(o.measured);
                continue;
            }
            near(o.volume, v.volume, 1e-12);
            near3(o.point, pose.at, 1e-12);
            near3(o.push, (const double[3]){0, 0, 0}, 1e-12);
            jo_features_plane_patch(shape[k], &pose, up, -5.0, &f, &o);
            assert_true(o.volume == 0.0 && o.area == 0.0 && o.measured);
        }
    }
    /* A cube of edge 2 sunk by a quarter, standing on a face, then on an edge. */
    jo_polyhedron *cube = solid("cube", sqrt(3.0), 6, 1.0);
    jo_pose pose = upright;
    jo_feature f = {0, 0};
    jo_patch o;
    pose.at[2] = 0.75;
    jo_features_plane_patch(cube, &pose, up, 0.0, &f, &o);
    near(o.volume, 1.0, 1e-14);
    near(o.area, 4.0, 1e-14);
    near3(o.point, (const double[3]){0, 0, -0.125}, 1e-14);
    near3(o.push, (const double[3]){0, 0, -4.0}, 1e-14);
    turn_by(&pose, pose.at, (const double[3]){1, 0, 0}, 0.25 * 3.14159265358979323846);
    pose.at[2] = sqrt(2.0) - 0.5;
    jo_features_plane_patch(cube, &pose, up, 0.0, &f, &o);
    near(o.volume, 0.5, 1e-14);
    near(o.area, 2.0, 1e-14);
    near3(o.point, (const double[3]){0, 0, -0.5 / 3.0}, 1e-14);
    jo_polyhedron_destroy(cube);
    free_shapes(shape);
}

static void spheres(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube", sqrt(3.0), 6, 1.0);
    const double step = 1e-6;
    for (int k = 0; k < 40; k++) {
        const double x = 1.55 - 0.03 * k;
        jo_patch o, side[2];
        jo_feature f = {0, 0};
        jo_features_sphere_patch(cube, &upright, (const double[3]){x, 0.2, 0.1}, 0.5, &f, &o);
        if (x >= 1.5) {
            assert_true(o.volume == 0.0 && o.area == 0.0);
            continue;
        }
        for (int j = 0; j < 2; j++) {
            const double c[3] = {x + (j == 0 ? -step : step), 0.2, 0.1};
            jo_features_sphere_patch(cube, &upright, c, 0.5, &f, &side[j]);
        }
        near((side[1].volume - side[0].volume) / (2.0 * step), -o.push[0], 1e-6);
        near(o.area, o.push[0], 1e-15);
        if (x > 1.0) { /* a cap of height h of a sphere with radius 1/2 */
            const double h = 1.5 - x;
            near(o.volume, 3.14159265358979323846 * h * h * (0.5 - h / 3.0), 1e-15);
        }
    }
    jo_polyhedron_destroy(cube);
}

/* A cube rolls over another's top and beyond its rim in small steps: point, volume and push change
 * by no more than the steps allow, whatever the axis of least depth does. (At t = 0 its sides are
 * flush with the other's, where push does jump: the volume has a ridge there.) */
static void nothing_jumps(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube", sqrt(3.0), 6, 1.0);
    jo_feature_pair pair = {{0, 0}, {0, 0}};
    jo_patch o, before = {.volume = -1.0};
    jo_pose pose = upright;
    double most = 0.0, most_push = 0.0;
    int axes = 0;
    for (int k = 0; k < 40000; k++) {
        const double t = 1e-4 * k + 0.01;
        jo_pose_turn(&pose, (const double[4]){cos(t), 0.6 * sin(t), 0.64 * sin(t), 0.48 * sin(t)});
        pose.at[0] = 0.3 * t;
        pose.at[1] = 0.1 * t;
        pose.at[2] = 1.7;
        jo_features_patch(cube, &upright, cube, &pose, &pair, &o);
        assert_true(o.closest.overlap);
        if (before.volume >= 0.0) {
            double moved = 0.0, pushed = 0.0, jumped = 0.0;
            for (int i = 0; i < 3; i++) {
                moved += pow(o.point[i] - before.point[i], 2.0);
                pushed += pow(o.push[i] - before.push[i], 2.0);
                jumped += pow(o.closest.normal[i] - before.closest.normal[i], 2.0);
            }
            most = fmax(most, sqrt(moved));
            most_push = fmax(most_push, sqrt(pushed));
            axes += sqrt(jumped) > 0.05;
        }
        before = o;
    }
    assert_true(axes > 0); /* there was something to jump with */
    near(most, 0.0, 2e-3);
    near(most_push, 0.0, 4e-3);
    jo_polyhedron_destroy(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),  cmocka_unit_test(brute_force), cmocka_unit_test(gradient),
        cmocka_unit_test(planes), cmocka_unit_test(spheres),     cmocka_unit_test(nothing_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
