/* test_wall_mesh.c — spheres against meshes: every answer equals a slow reference or an exact wall,
 * and balls that move over edges and corners touch each place once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/wall_cases.h"

enum { ROOM = 1 << 16 };
static uint32_t listed[ROOM], everything[ROOM];

static wall_shape *shape_of(const jo_wall *wall, int dim)
{
    jo_error error = {0};
    wall_shape *shape;
    if (jo_wall_shape_create(wall, dim, &shape, &error) != JO_OK) fail_msg("%s", error.text);
    return shape;
}

static wall_shape *soup_shape(const soup *s, int dim)
{
    const jo_wall wall = soup_wall(s);
    return shape_of(&wall, dim);
}

/* Touches by way of a list made with some more reach. */
static size_t touches_of(const wall_shape *shape, const double x[3], double reach, double skin,
                         wall_touch *touches)
{
    const size_t count = jo_wall_near(shape, x, reach + skin, listed, ROOM);
    assert_true(count <= ROOM);
    return jo_wall_touch(shape, x, reach, listed, count, touches);
}

static void print_touches(const char *what, const wall_touch *t, size_t n)
{
    for (size_t k = 0; k < n; k++)
        print_message("%s %zu: gap %.17g normal %.12g %.12g %.12g feature %u\n", what, k, t[k].gap,
                      t[k].normal[0], t[k].normal[1], t[k].normal[2], t[k].feature);
}

/* The same gaps and normals; touches of equal gap may come in any order. */
static bool same_touches(const wall_touch *a, size_t n, const wall_touch *b, size_t m, double slack)
{
    if (n != m) return false;
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t j = 0; j < m && !found; j++) {
            found = fabs(a[i].gap - b[j].gap) <= slack;
            for (int k = 0; k < 3; k++)
                found &= fabs(a[i].normal[k] - b[j].normal[k]) <= slack;
        }
        if (!found) return false;
    }
    return true;
}

static void must_be_same(const wall_touch *a, size_t n, const wall_touch *b, size_t m, double slack,
                         const double x[3], double reach)
{
    if (same_touches(a, n, b, m, slack)) return;
    print_touches("found", a, n);
    print_touches("expected", b, m);
    fail_msg("at %.17g %.17g %.17g within %.17g: %zu touches, expected %zu", x[0], x[1], x[2],
             reach, n, m);
}

/* All that can be said of one query: against the reference, and of lists. Whether a touch is closer
 * than reach or a local minimum may be decided by rounding; such rare cases may differ. */
static void check_query(const wall_shape *shape, const soup *s, int dim, const double x[3],
                        double reach, double skin)
{
    wall_touch found[WALL_TOUCHES], again[WALL_TOUCHES], expected[64];
    const size_t primitives = jo_wall_shape_primitives(shape);
    const size_t n = touches_of(shape, x, reach, skin, found);
    const size_t near = jo_wall_near(shape, x, reach, listed, ROOM);
    size_t at = 0;
    for (size_t k = 0; k < s->count; k++) {
        double p[3];
        bool inner;
        const double d = reference_nearest(s->data + (dim == 3 ? 9 : 4) * k, dim, x, p, &inner);
        const bool is_listed = at < near && listed[at] == k;
        if (d < reach * (1 - 1e-9)) assert_true(is_listed);
        if (d > reach * (1 + 1e-6)) assert_false(is_listed);
        at += is_listed;
    }
    assert_int_equal(at, near); /* so they are ascending, too */
    for (uint32_t k = 0; k < primitives; k++)
        everything[k] = k;
    assert_int_equal(jo_wall_touch(shape, x, reach, everything, primitives, again), n);
    for (size_t k = 0; k < n; k++) {
        assert_memory_equal(&found[k].normal, &again[k].normal, sizeof found[k].normal);
        assert_memory_equal(&found[k].gap, &again[k].gap, sizeof found[k].gap);
        assert_int_equal(found[k].feature, again[k].feature);
        assert_true(found[k].gap >= 0.0 && found[k].gap < reach);
        assert_true(k == 0 || found[k].gap >= found[k - 1].gap);
        for (size_t j = 0; j < k; j++)
            assert_int_not_equal(found[j].feature, found[k].feature);
    }
    const size_t m = reference_touches(s, dim, x, reach, expected, 64);
    if (m <= WALL_TOUCHES) must_be_same(found, n, expected, m, 1e-7, x, reach);
}

static void random_point(rng *g, const double lo[3], const double hi[3], double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = rng_between(g, lo[a], hi[a]);
}

static void queries(const soup *s, const double lo[3], const double hi[3], double reach,
                    size_t count, rng *g)
{
    wall_shape *shape = soup_shape(s, 3);
    for (size_t k = 0; k < count; k++) {
        double x[3];
        random_point(g, lo, hi, x);
        check_query(shape, s, 3, x, reach * rng_between(g, 0.2, 1.0), reach * rng_unit(g));
    }
    jo_wall_shape_destroy(shape);
}

/* ---- shapes ---- */

static const double zero[3] = {0, 0, 0}, unit[3] = {1, 1, 1};

/* A ball over a floor, however divided, also exactly over edges and corners: one touch, straight
 * up, always on the same feature. */
static void a_flat_floor_is_one_plane(void **state)
{
    (void)state;
    rng g = rng_seeded(1);
    for (size_t n = 1; n <= 12; n++) {
        soup s = {0};
        soup_add_patch(&s, zero, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, n, 2 * n, &g);
        soup_shuffle(&s, &g);
        wall_shape *shape = soup_shape(&s, 3);
        for (size_t k = 0; k < 4000; k++) {
            wall_touch t[WALL_TOUCHES];
            const double r = rng_between(&g, 0.02, 0.5);
            double x[3] = {rng_unit(&g), rng_unit(&g), r * rng_between(&g, 0.5, 0.999)};
            if (rng_chance(&g, 0.3)) x[0] = (double)rng_below(&g, n + 1) / (double)n;
            if (rng_chance(&g, 0.3)) x[1] = (double)rng_below(&g, 2 * n + 1) / (double)(2 * n);
            if (rng_chance(&g, 0.2)) x[0] += 1e-16, x[1] -= 1e-16;
            const size_t found = touches_of(shape, x, r, 0.1, t);
            if (found != 1) print_touches("found", t, found);
            assert_int_equal(found, 1);
            if (x[0] > 1e-9 && x[0] < 1 - 1e-9 && x[1] > 1e-9 && x[1] < 1 - 1e-9)
                assert_int_equal(t[0].feature, 0);
            assert_true(fabs(t[0].gap - x[2]) <= 1e-15);
            assert_true(fabs(t[0].normal[0]) <= 1e-14 && fabs(t[0].normal[1]) <= 1e-14);
        }
        jo_wall_shape_destroy(shape);
        soup_free(&s);
    }
}

/* The same, tilted and moved away, so that no coordinate is exact. */
static void a_tilted_floor_too(void **state)
{
    (void)state;
    rng g = rng_seeded(2);
    const double p[3] = {10.1, -3.7, 5.3}, a[3] = {0.6, 0.3, 0.9}, b[3] = {-0.5, 1.1, -0.1};
    double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    soup s = {0};
    soup_add_patch(&s, p, a, b, 7, 9, &g);
    soup_shuffle(&s, &g);
    wall_shape *shape = soup_shape(&s, 3);
    for (size_t k = 0; k < 40000; k++) {
        wall_touch t[WALL_TOUCHES];
        double u = rng_between(&g, 0.01, 0.99), v = rng_between(&g, 0.01, 0.99), x[3];
        if (rng_chance(&g, 0.3)) u = (double)(1 + rng_below(&g, 6)) / 7.0;
        if (rng_chance(&g, 0.3)) v = (double)(1 + rng_below(&g, 8)) / 9.0;
        const double r = rng_between(&g, 0.02, 0.5), h = r * rng_between(&g, 0.9, 0.9999);
        for (int i = 0; i < 3; i++)
            x[i] = p[i] + u * a[i] + v * b[i] + h * n[i] / length;
        assert_int_equal(touches_of(shape, x, r, 0.1, t), 1);
        assert_int_equal(t[0].feature, 0);
        assert_true(fabs(t[0].gap - h) <= 1e-13);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(t[0].normal[i] - n[i] / length) <= 1e-12);
    }
    jo_wall_shape_destroy(shape);
    soup_free(&s);
}

/* A tessellated box is a box: from inside the six planes, from outside the solid block. */
static void a_box_of_triangles_is_a_box(void **state)
{
    (void)state;
    rng g = rng_seeded(3);
    const double lo[3] = {-1, 0.5, 2}, hi[3] = {2, 1.75, 3};
    jo_wall exact = wall_plain(JO_WALL_BOX);
    memcpy(exact.lo, lo, sizeof lo);
    memcpy(exact.hi, hi, sizeof hi);
    for (size_t n = 1; n <= 8; n++) {
        soup s = {0};
        soup_add_box(&s, lo, hi, n, &g);
        soup_shuffle(&s, &g);
        wall_shape *mesh = soup_shape(&s, 3);
        exact.outside = false;
        wall_shape *inside = shape_of(&exact, 3);
        exact.outside = true;
        wall_shape *outside = shape_of(&exact, 3);
        for (size_t k = 0; k < 5000; k++) {
            wall_touch a[WALL_TOUCHES], b[WALL_TOUCHES];
            double x[3];
            random_point(&g, (double[3]){-2, -0.5, 1}, (double[3]){3, 2.75, 4}, x);
            if (rng_chance(&g, 0.2)) x[0] = rng_chance(&g, 0.5) ? lo[0] + 3.0 / (double)n : hi[0];
            if (rng_chance(&g, 0.2)) x[1] = rng_chance(&g, 0.5) ? lo[1] + 1.25 / (double)n : lo[1];
            bool within = true;
            for (int i = 0; i < 3; i++)
                within &= x[i] > lo[i] && x[i] < hi[i];
            const double reach = rng_between(&g, 0.05, 0.6);
            const size_t found = touches_of(mesh, x, reach, 0.2, a);
            const size_t expected = touches_of(within ? inside : outside, x, reach, 0.2, b);
            if (expected > 0 && b[0].gap == 0.0) continue; /* thin and solid differ there */
            must_be_same(a, found, b, expected, 1e-12, x, reach);
        }
        jo_wall_shape_destroy(mesh);
        jo_wall_shape_destroy(inside);
        jo_wall_shape_destroy(outside);
        soup_free(&s);
    }
}

/* Around a convex solid: one touch, whose normal turns no faster than the ball moves. */
static void a_ball_around_a_tetrahedron(void **state)
{
    (void)state;
    rng g = rng_seeded(4);
    const double c[4][3] = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}, {0.3, 0.4, 1.1}};
    soup s = {0};
    for (int k = 0; k < 4; k++)
        soup_add(&s, c[k], c[(k + 1) % 4], c[(k + 2) % 4]);
    wall_shape *shape = soup_shape(&s, 3);
    for (int path = 0; path < 200; path++) {
        wall_touch t[WALL_TOUCHES];
        double x[3], to[3], before[3] = {0}, last[3];
        bool had = false;
        for (int i = 0; i < 3; i++) {
            const double d = 0.8 * rng_between(&g, -1, 1);
            x[i] = 0.375 + d + 1.2 * copysign(1, d);
            to[i] = 0.375 + 2 * rng_between(&g, -1, 1);
        }
        for (int k = 0; k < 2000; k++) {
            double y[3];
            for (int i = 0; i < 3; i++)
                y[i] = x[i] + (to[i] - x[i]) * k / 2000.0;
            const size_t found = touches_of(shape, y, 5.0, 0.0, t);
            double p[3], best = INFINITY;
            bool inner;
            for (size_t f = 0; f < 4; f++)
                best = fmin(best, reference_nearest(s.data + 9 * f, 3, y, p, &inner));
            assert_true(found >= 1 && fabs(t[0].gap - best) < 1e-12);
            if (best < 0.05) break; /* it may go inside, where there are more */
            assert_int_equal(found, 1);
            double turned = 0.0, moved = 0.0;
            for (int i = 0; i < 3 && had; i++) {
                turned += (t[0].normal[i] - before[i]) * (t[0].normal[i] - before[i]);
                moved += (y[i] - last[i]) * (y[i] - last[i]);
            }
            assert_true(sqrt(turned) <= 1.01 * sqrt(moved) / (best - sqrt(moved)) + 1e-12);
            memcpy(before, t[0].normal, sizeof before);
            memcpy(last, y, sizeof last);
            had = true;
        }
    }
    queries(&s, (double[3]){-0.3, -0.3, -0.3}, (double[3]){1.3, 1.3, 1.3}, 0.5, 20000, &g);
    jo_wall_shape_destroy(shape);
    soup_free(&s);
}

static void at_the_corner_of_a_cube(void **state)
{
    (void)state;
    soup s = {0};
    soup_add_box(&s, zero, unit, 4, NULL);
    wall_shape *shape = soup_shape(&s, 3);
    wall_touch t[WALL_TOUCHES];
    assert_int_equal(touches_of(shape, (double[3]){0.1, 0.2, 0.15}, 0.25, 0.1, t), 3); /* inside */
    assert_true(t[0].gap == 0.1 && t[0].normal[0] == 1.0);
    assert_int_equal(touches_of(shape, (double[3]){0.1, 0.5, 0.15}, 0.25, 0.1, t), 2);
    assert_int_equal(touches_of(shape, (double[3]){-0.3, -0.4, 0.5}, 0.6, 0.1, t), 1); /* an edge */
    assert_true(fabs(t[0].gap - 0.5) < 1e-15 && fabs(t[0].normal[0] + 0.6) < 1e-15);
    const uint32_t edge = t[0].feature;
    assert_int_equal(touches_of(shape, (double[3]){-0.3, -0.4, -0.1}, 0.6, 0.1, t),
                     1); /* a corner */
    assert_int_not_equal(t[0].feature, edge);
    assert_true(fabs(t[0].gap - sqrt(0.26)) < 1e-15);
    assert_int_equal(touches_of(shape, (double[3]){-0.3, 0.3, 0.3}, 0.6, 0.1, t), 1); /* a face */
    assert_true(t[0].gap == 0.3 && t[0].normal[0] == -1.0);
    jo_wall_shape_destroy(shape);
    soup_free(&s);
}

/* A vertex in the middle of a cube's edge belongs to no face. */
static void vertices_on_edges_are_no_faces(void **state)
{
    (void)state;
    rng g = rng_seeded(11);
    enum { N = 4 };
    for (int round = 0; round < 20; round++) {
        soup s = {0};
        wall_touch t[WALL_TOUCHES];
        uint32_t face[6];
        soup_add_box(&s, zero, unit, N, &g);
        soup_shuffle(&s, &g);
        wall_shape *shape = soup_shape(&s, 3);
        for (int f = 0; f < 6; f++) {
            double x[3] = {0.3, 0.4, 0.6};
            x[f / 2] = f % 2 ? 1.1 : -0.1;
            assert_int_equal(touches_of(shape, x, 0.2, 0.1, t), 1);
            face[f] = t[0].feature;
            for (int j = 0; j < f; j++)
                assert_int_not_equal(face[j], face[f]);
        }
        for (int k = 0; k < 12 * (N + 1); k++) {
            const int axis = k % 3, side = k / 3 % 4, at = k / 12;
            double x[3];
            x[axis] = (double)at / N;
            x[(axis + 1) % 3] = side % 2 ? 1.1 : -0.1;
            x[(axis + 2) % 3] = side / 2 ? 1.1 : -0.1;
            assert_int_equal(touches_of(shape, x, 0.2, 0.1, t), 1);
            for (int f = 0; f < 6; f++)
                assert_int_not_equal(t[0].feature, face[f]);
        }
        jo_wall_shape_destroy(shape);
        soup_free(&s);
    }
}

/* Two triangles at a small angle are one feature, at a larger one two. */
static void what_counts_as_flat(void **state)
{
    (void)state;
    static const double angle[] = {0.0, 5e-5, 1e-3, 1e-2};
    for (int k = 0; k < 4; k++) {
        soup s = {0};
        wall_touch a[WALL_TOUCHES], b[WALL_TOUCHES];
        const double p[3] = {0, 1, 0}, q[3] = {0, -1, 0};
        soup_add(&s, p, q, (double[3]){-1, 0, 0});
        soup_add(&s, p, q, (double[3]){1, 0, -angle[k]});
        wall_shape *shape = soup_shape(&s, 3);
        assert_int_equal(touches_of(shape, (double[3]){-0.3, 0, 0.1}, 0.2, 0.1, a), 1);
        assert_int_equal(touches_of(shape, (double[3]){0.3, 0, 0.1}, 0.2, 0.1, b), 1);
        assert_int_equal(a[0].feature == b[0].feature, angle[k] < 1e-4);
        assert_int_equal(touches_of(shape, (double[3]){0, 0, 0.1}, 0.2, 0.1, b), 1);
        jo_wall_shape_destroy(shape);
        soup_free(&s);
    }
}

/* A smooth valley of many segments, all joined by flat corners: a disc that lies on both flanks
 * touches twice, and the two have numbers of their own. */
static void two_touches_on_one_smooth_surface(void **state)
{
    (void)state;
    soup s = {0};
    double x = -1.0 - 0.005, y = 0.0, slope = -0.05;
    for (int k = 0; k <= 2000; k++, slope += 5e-5) {
        const double step = k == 0 || k == 2000 ? 1.0 : 5e-6;
        soup_add_segment(&s, x, y, x + step, y + slope * step);
        x += step;
        y += slope * step;
    }
    wall_shape *shape = soup_shape(&s, 2);
    wall_touch t[WALL_TOUCHES];
    assert_int_equal(touches_of(shape, (double[3]){0.0, 0.95, 0.0}, 1.01, 0.1, t), 2);
    assert_true(fabs(t[0].gap - t[1].gap) < 1e-6);
    assert_true(fabs(t[0].normal[0] + t[1].normal[0]) < 1e-6 && fabs(t[0].normal[0]) > 0.04);
    assert_int_not_equal(t[0].feature, t[1].feature);
    jo_wall_shape_destroy(shape);
    soup_free(&s);
}

static void a_random_height_field(void **state)
{
    (void)state;
    rng g = rng_seeded(5);
    enum { N = 12 };
    for (int field = 0; field < 12; field++) {
        static double z[N + 1][N + 1];
        soup s = {0};
        const double rough = rng_log(&g, 1e-4, 0.3);
        for (int i = 0; i <= N; i++)
            for (int j = 0; j <= N; j++)
                z[i][j] = rough * rng_between(&g, -1, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double h = 1.0 / N;
                const double a[3] = {i * h, j * h, z[i][j]},
                             b[3] = {(i + 1) * h, j * h, z[i + 1][j]};
                const double c[3] = {(i + 1) * h, (j + 1) * h, z[i + 1][j + 1]};
                const double d[3] = {i * h, (j + 1) * h, z[i][j + 1]};
                soup_add(&s, a, b, c);
                soup_add(&s, c, d, a);
            }
        soup_shuffle(&s, &g);
        queries(&s, (double[3]){-0.1, -0.1, -0.3}, (double[3]){1.1, 1.1, 0.3}, 0.15, 600, &g);
        soup_free(&s);
    }
}

/* Neighbours divided differently, copies of triangles, and cracks of single precision or six
 * digits: still one floor. */
static void junctions_copies_and_cracks(void **state)
{
    (void)state;
    rng g = rng_seeded(6);
    for (int kind = 0; kind < 6; kind++) {
        soup s = {0};
        const double shift = kind >= 4 ? 2e-6 : kind >= 2 ? 5e-8 : 0.0;
        const double drop = kind % 2 == 1 ? shift : 0.0;
        soup_add_patch(&s, zero, (double[3]){0.5, 0, 0}, (double[3]){0, 1, 0}, 2, 3, &g);
        soup_add_patch(&s, (double[3]){0.5 + shift, 0, -drop}, (double[3]){0.5, 0, 0},
                       (double[3]){0, 1, 0}, 3, 5, &g);
        for (size_t k = 0; kind == 1 && k < 10; k++) {
            double t[9];
            memcpy(t, s.data + 9 * k, sizeof t);
            soup_add(&s, t, t + 3, t + 6);
        }
        soup_shuffle(&s, &g);
        wall_shape *shape = soup_shape(&s, 3);
        for (size_t k = 0; k < 20000; k++) {
            wall_touch t[WALL_TOUCHES];
            const double r = rng_between(&g, 0.05, 0.4);
            double x[3] = {rng_unit(&g), rng_unit(&g), r * rng_between(&g, 0.5, 0.99)};
            if (rng_chance(&g, 0.5)) x[0] = 0.5 + rng_log(&g, 1e-12, 0.1) * rng_between(&g, -1, 1);
            if (rng_chance(&g, 0.3)) x[1] = (double)rng_below(&g, 16) / 15.0;
            const size_t found = touches_of(shape, x, r, 0.1, t);
            if (found != 1) print_touches("found", t, found);
            if (found != 1) print_message("kind %d at %.17g %.17g %.17g\n", kind, x[0], x[1], x[2]);
            assert_int_equal(found, 1);
            assert_true(fabs(t[0].gap - x[2]) <= 2 * shift + 1e-9);
            assert_true(t[0].normal[2] > 1.0 - 1e-4);
        }
        jo_wall_shape_destroy(shape);
        soup_free(&s);
    }
}

/* Triangles anywhere, through each other or not. */
static void triangles_at_random(void **state)
{
    (void)state;
    rng g = rng_seeded(7);
    for (int round = 0; round < 60; round++) {
        soup s = {0};
        const size_t n = 1 + rng_below(&g, 40);
        for (size_t k = 0; k < n; k++) {
            double c[3][3];
            random_point(&g, zero, unit, c[0]);
            for (int i = 1; i < 3; i++)
                for (int a = 0; a < 3; a++)
                    c[i][a] = c[0][a] + rng_between(&g, -0.5, 0.5);
            soup_add(&s, c[0], c[1], c[2]);
        }
        queries(&s, (double[3]){-0.5, -0.5, -0.5}, (double[3]){1.5, 1.5, 1.5}, 0.4, 300, &g);
        soup_free(&s);
    }
}

/* A drum of facets against the exact one: gaps differ by no more than facets stand off it. */
static void a_drum_of_facets(void **state)
{
    (void)state;
    rng g = rng_seeded(8);
    jo_wall exact = wall_plain(JO_WALL_CYLINDER);
    exact.radius = 0.1;
    exact.length = INFINITY;
    wall_shape *cylinder = shape_of(&exact, 3);
    static const size_t facets[] = {16, 64, 360, 2000};
    for (size_t f = 0; f < 4; f++) {
        soup s = {0};
        soup_add_drum(&s, 0.1, 0.05, facets[f], 3);
        wall_shape *mesh = soup_shape(&s, 3);
        const double angle = acos(-1.0) / (double)facets[f];
        const double sagitta = 0.1 * (1.0 - cos(angle));
        for (size_t k = 0; k < 5000; k++) {
            wall_touch a[WALL_TOUCHES], b[WALL_TOUCHES];
            const double phi = rng_between(&g, 0, 7), rho = rng_between(&g, 0.085, 0.0999);
            const double x[3] = {rho * cos(phi), rho * sin(phi), rng_between(&g, 0.001, 0.049)};
            if (0.1 - rho < 1.5 * sagitta) continue; /* might be outside the facets */
            const double reach = (0.1 - rho) * 1.01;
            const size_t n = touches_of(mesh, x, reach, 0.01, a);
            assert_int_equal(touches_of(cylinder, x, reach, 0.01, b), 1);
            assert_true(n >= 1 && a[0].gap <= b[0].gap + 1e-15);
            assert_true(a[0].gap >= b[0].gap - sagitta - 1e-15);
            for (size_t j = 0; j < n; j++) {
                double along = 0.0;
                for (int i = 0; i < 3; i++)
                    along += a[j].normal[i] * b[0].normal[i];
                assert_true(n > 2 || along > cos(2.5 * angle) - 1e-12);
            }
        }
        jo_wall_shape_destroy(mesh);
        soup_free(&s);
    }
    jo_wall_shape_destroy(cylinder);
}

/* ---- 2D ---- */

static void chains_of_segments(void **state)
{
    (void)state;
    rng g = rng_seeded(9);
    for (int round = 0; round < 100; round++) {
        soup s = {0};
        double x = 0, y = 0;
        const double rough = rng_log(&g, 1e-3, 1);
        for (size_t k = 0; k < 30; k++) {
            const double nx = x + rng_between(&g, 0.05, 0.2),
                         ny = rough * rng_between(&g, -0.2, 0.2);
            soup_add_segment(&s, x, y, nx, ny);
            x = nx;
            y = ny;
        }
        wall_shape *shape = soup_shape(&s, 2);
        for (size_t k = 0; k < 400; k++) {
            const double p[3] = {rng_between(&g, -0.2, x + 0.2), rng_between(&g, -0.4, 0.4), 0};
            check_query(shape, &s, 2, p, rng_between(&g, 0.05, 0.4), 0.1);
        }
        jo_wall_shape_destroy(shape);
        soup_free(&s);
    }
    soup s = {0};
    for (size_t k = 0; k < 10; k++)
        soup_add_segment(&s, 0.1 * (double)(10 - k), 0, 0.1 * (double)(9 - k), 0);
    wall_shape *shape = soup_shape(&s, 2);
    for (size_t k = 0; k <= 1000; k++) {
        wall_touch t[WALL_TOUCHES];
        assert_int_equal(touches_of(shape, (double[3]){(double)k / 1000, 0.2, 0}, 0.25, 0.1, t), 1);
        if (k > 0 && k < 1000) assert_int_equal(t[0].feature, 0);
        assert_true(fabs(t[0].gap - 0.2) < 1e-15 && t[0].normal[1] > 1 - 1e-15);
    }
    jo_wall_shape_destroy(shape);
    soup_free(&s);
}

/* ---- size ---- */

/* 10^5 triangles: a query looks at few of them, and a ball much larger than the triangles still
 * touches a plane once. */
static void a_hundred_thousand_triangles(void **state)
{
    (void)state;
    rng g = rng_seeded(10);
    soup s = {0};
    soup_add_patch(&s, zero, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 224, 224, &g);
    soup_shuffle(&s, &g);
    wall_shape *shape = soup_shape(&s, 3);
    assert_int_equal(jo_wall_shape_primitives(shape), s.count);
    assert_true(jo_wall_shape_bytes(shape) < 500 * s.count);
    for (size_t k = 0; k < 200000; k++) {
        wall_touch t[WALL_TOUCHES];
        const double x[3] = {rng_unit(&g), rng_unit(&g), 0.0019};
        assert_int_equal(touches_of(shape, x, 0.002, 0.0005, t), 1);
    }
    for (size_t k = 0; k < 200; k++) {
        wall_touch t[WALL_TOUCHES];
        const double x[3] = {rng_unit(&g), rng_unit(&g), 0.095};
        assert_int_equal(touches_of(shape, x, 0.1, 0.01, t), 1);
        assert_int_equal(t[0].feature, 0);
        assert_true(t[0].gap == 0.095);
    }
    jo_wall_shape_destroy(shape);
    soup_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_floor_is_one_plane),
        cmocka_unit_test(a_tilted_floor_too),
        cmocka_unit_test(a_box_of_triangles_is_a_box),
        cmocka_unit_test(a_ball_around_a_tetrahedron),
        cmocka_unit_test(at_the_corner_of_a_cube),
        cmocka_unit_test(vertices_on_edges_are_no_faces),
        cmocka_unit_test(what_counts_as_flat),
        cmocka_unit_test(two_touches_on_one_smooth_surface),
        cmocka_unit_test(a_random_height_field),
        cmocka_unit_test(junctions_copies_and_cracks),
        cmocka_unit_test(triangles_at_random),
        cmocka_unit_test(a_drum_of_facets),
        cmocka_unit_test(chains_of_segments),
        cmocka_unit_test(a_hundred_thousand_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
