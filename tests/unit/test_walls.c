/* test_walls.c — exact walls against numerical searches of their surfaces, how walls move, the
 * servo, what is refused, and walls as triangles. Meshes: tests/oracle/test_wall_mesh.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jostle/trajectory.h"
#include "support/wall_cases.h"

static wall_shape *shape_of(const jo_wall *wall, int dim)
{
    jo_error error = {0};
    wall_shape *shape;
    if (jo_wall_shape_create(wall, dim, &shape, &error) != JO_OK) fail_msg("%s", error.text);
    return shape;
}

/* Touches through a list made with some more reach; the list itself must be right. */
static size_t touches_of(const wall_shape *shape, const double x[3], double reach,
                         wall_touch *touches)
{
    uint32_t list[64], all[64];
    wall_touch again[WALL_TOUCHES];
    const size_t count = jo_wall_near(shape, x, reach + 0.1, list, 64);
    const size_t primitives = jo_wall_shape_primitives(shape);
    assert_true(count <= primitives && primitives <= 64);
    for (uint32_t k = 0; k < primitives; k++)
        all[k] = k;
    const size_t n = jo_wall_touch(shape, x, reach, list, count, touches);
    assert_int_equal(jo_wall_touch(shape, x, reach, all, primitives, again), n);
    for (size_t k = 0; k < n; k++) {
        const double *m = touches[k].normal;
        assert_true(fabs(m[0] * m[0] + m[1] * m[1] + m[2] * m[2] - 1.0) < 1e-14);
        assert_true(touches[k].gap < reach && touches[k].gap == again[k].gap);
        assert_true(k == 0 || touches[k].gap >= touches[k - 1].gap);
        for (size_t j = 0; j < k; j++)
            assert_int_not_equal(touches[j].feature, touches[k].feature);
    }
    return n;
}

static void random_unit(rng *g, double u[3])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; k++) {
            u[k] = rng_between(g, -1, 1);
            square += u[k] * u[k];
        }
    } while (square > 1.0 || square < 0.01);
    for (int k = 0; k < 3; k++)
        u[k] /= sqrt(square);
}

/* ---- flat walls ---- */

static void planes(void **state)
{
    (void)state;
    rng g = rng_seeded(1);
    for (int k = 0; k < 1000; k++) {
        jo_wall wall = wall_plain(JO_WALL_PLANE);
        const int dim = k % 2 ? 2 : 3;
        random_unit(&g, wall.normal);
        if (dim == 2) wall.normal[2] = 0.0, wall.normal[0] += 0.1;
        const double length =
            sqrt(wall.normal[0] * wall.normal[0] + wall.normal[1] * wall.normal[1] +
                 wall.normal[2] * wall.normal[2]);
        wall_shape *shape = shape_of(&wall, dim);
        const double h = rng_between(&g, -2, 2), reach = rng_unit(&g);
        double x[3], c[3] = {0, 0, 0};
        random_unit(&g, x);
        if (dim == 3) { /* a step along the plane changes nothing */
            c[0] = wall.normal[1] * x[2] - wall.normal[2] * x[1];
            c[1] = wall.normal[2] * x[0] - wall.normal[0] * x[2];
            c[2] = wall.normal[0] * x[1] - wall.normal[1] * x[0];
        } else {
            c[0] = 3 * wall.normal[1];
            c[1] = -3 * wall.normal[0];
        }
        for (int i = 0; i < 3; i++)
            x[i] = h * wall.normal[i] / length + c[i];
        wall_touch t[WALL_TOUCHES];
        const size_t n = touches_of(shape, x, reach, t);
        assert_int_equal(n, h < reach);
        if (n > 0) assert_true(fabs(t[0].gap - h) < 1e-14);
        for (int i = 0; i < 3 && n > 0; i++)
            assert_true(fabs(t[0].normal[i] - wall.normal[i] / length) < 1e-15);
        jo_wall_shape_destroy(shape);
    }
}

/* Inside: each face by itself. Outside: the nearest of many points of the block. */
static void boxes(void **state)
{
    (void)state;
    rng g = rng_seeded(2);
    for (int k = 0; k < 4000; k++) {
        const int dim = k % 2 ? 2 : 3;
        jo_wall wall = wall_plain(JO_WALL_BOX);
        double x[3] = {0}, nearest[3] = {0}, depth = INFINITY;
        bool within = true;
        size_t expected = 0;
        const double reach = rng_unit(&g);
        for (int a = 0; a < dim; a++) {
            wall.lo[a] = rng_between(&g, -1, 1);
            wall.hi[a] = wall.lo[a] + rng_between(&g, 0.1, 1);
            x[a] = rng_between(&g, wall.lo[a] - 0.5, wall.hi[a] + 0.5);
            nearest[a] = fmin(fmax(x[a], wall.lo[a]), wall.hi[a]);
            within &= nearest[a] == x[a];
            depth = fmin(depth, fmin(x[a] - wall.lo[a], wall.hi[a] - x[a]));
            expected += (size_t)(x[a] - wall.lo[a] < reach) + (wall.hi[a] - x[a] < reach);
        }
        wall_touch t[WALL_TOUCHES];
        wall_shape *shape = shape_of(&wall, dim);
        assert_int_equal(touches_of(shape, x, reach, t), expected);
        for (size_t j = 0; j < expected; j++) {
            const int a = (int)t[j].feature / 2;
            assert_true(t[j].gap == (t[j].feature % 2 ? wall.hi[a] - x[a] : x[a] - wall.lo[a]));
            assert_true(t[j].normal[a] == (t[j].feature % 2 ? -1.0 : 1.0));
        }
        jo_wall_shape_destroy(shape);
        wall.outside = true;
        shape = shape_of(&wall, dim);
        const double away =
            sqrt(pow(x[0] - nearest[0], 2) + pow(x[1] - nearest[1], 2) + pow(x[2] - nearest[2], 2));
        const double gap = within ? -depth : away;
        assert_int_equal(touches_of(shape, x, reach, t), gap < reach);
        if (gap < reach) assert_true(fabs(t[0].gap - gap) < 1e-15);
        for (int a = 0; a < 3 && gap < reach && !within; a++)
            assert_true(fabs(x[a] - gap * t[0].normal[a] - nearest[a]) < 1e-15);
        jo_wall_shape_destroy(shape);
    }
}

/* A block's features: 6 faces, 12 edges, 8 corners, each with a number of its own. */
static void features_of_a_block(void **state)
{
    (void)state;
    jo_wall wall = wall_plain(JO_WALL_BOX);
    wall.outside = true;
    bool seen[27] = {false};
    for (int a = 0; a < 3; a++)
        wall.hi[a] = 1.0;
    wall_shape *shape = shape_of(&wall, 3);
    for (int k = 0; k < 27; k++) {
        if (k == 13) continue;
        const double x[3] = {-0.2 + 0.7 * (k % 3), -0.2 + 0.7 * (k / 3 % 3), -0.2 + 0.7 * (k / 9)};
        wall_touch t[WALL_TOUCHES];
        assert_int_equal(touches_of(shape, x, 0.5, t), 1);
        assert_true(t[0].feature < 27 && !seen[t[0].feature]);
        seen[t[0].feature] = true;
    }
    jo_wall_shape_destroy(shape);
}

/* ---- round walls ---- */

/* Distance from x to the generating line of the side at an angle; the lines are straight. */
static double to_line(const jo_wall *w, const double u[3], const double v[3], double angle,
                      const double x[3])
{
    double line[6], p[3];
    const double end = w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
    for (int k = 0; k < 3; k++) {
        const double out = cos(angle) * u[k] + sin(angle) * v[k];
        line[k] = w->point[k] + w->radius * out;
        line[3 + k] = w->point[k] + w->length * w->axis[k] + end * out;
    }
    double along = 0, square = 0, d = 0;
    for (int k = 0; k < 3; k++) {
        along += (x[k] - line[k]) * (line[3 + k] - line[k]);
        square += (line[3 + k] - line[k]) * (line[3 + k] - line[k]);
    }
    const double t = fmin(fmax(along / square, 0.0), 1.0);
    for (int k = 0; k < 3; k++) {
        p[k] = line[k] + t * (line[3 + k] - line[k]);
        d += (x[k] - p[k]) * (x[k] - p[k]);
    }
    return sqrt(d);
}

static void frame_of(const double axis[3], double u[3], double v[3])
{
    double length = 0.0;
    const double e[3] = {fabs(axis[0]) < 0.5, fabs(axis[0]) >= 0.5, 0.0};
    u[0] = axis[1] * e[2] - axis[2] * e[1];
    u[1] = axis[2] * e[0] - axis[0] * e[2];
    u[2] = axis[0] * e[1] - axis[1] * e[0];
    for (int k = 0; k < 3; k++)
        length += u[k] * u[k];
    for (int k = 0; k < 3; k++)
        u[k] /= sqrt(length);
    v[0] = axis[1] * u[2] - axis[2] * u[1];
    v[1] = axis[2] * u[0] - axis[0] * u[2];
    v[2] = axis[0] * u[1] - axis[1] * u[0];
}

/* The nearest distance of the side, by trying angles and then narrowing in. */
static double to_side(const jo_wall *w, const double x[3])
{
    double u[3], v[3], best = INFINITY, at = 0.0;
    frame_of(w->axis, u, v);
    for (int k = 0; k < 90; k++) {
        const double angle = k * (acos(-1.0) / 45), d = to_line(w, u, v, angle, x);
        if (d < best) best = d, at = angle;
    }
    double lo = at - 0.08, hi = at + 0.08;
    for (int k = 0; k < 60; k++) {
        const double a = lo + 0.382 * (hi - lo), b = hi - 0.382 * (hi - lo);
        if (to_line(w, u, v, a, x) < to_line(w, u, v, b, x))
            hi = b;
        else
            lo = a;
    }
    return fmin(best, to_line(w, u, v, 0.5 * (lo + hi), x));
}

/* Height along the axis and distance from it. */
static void place_of(const jo_wall *w, const double x[3], double *z, double *rho)
{
    double square = 0.0;
    *z = 0.0;
    for (int k = 0; k < 3; k++)
        *z += (x[k] - w->point[k]) * w->axis[k];
    for (int k = 0; k < 3; k++)
        square += pow(x[k] - w->point[k] - *z * w->axis[k], 2);
    *rho = sqrt(square);
}

static double to_surface(const jo_wall *w, const double x[3])
{
    double z, rho, best = to_side(w, x);
    place_of(w, x, &z, &rho);
    const double end = w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
    if (!w->caps) return best;
    best = fmin(best, hypot(z, fmax(0.0, rho - w->radius)));
    return fmin(best, hypot(z - w->length, fmax(0.0, rho - end)));
}

static bool is_inside(const jo_wall *w, const double x[3])
{
    double z, rho;
    place_of(w, x, &z, &rho);
    const double end = w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
    return z > 0.0 && z < w->length && rho < w->radius + (end - w->radius) * z / w->length;
}

static jo_wall random_round(rng *g)
{
    jo_wall w = wall_plain(rng_chance(g, 0.5) ? JO_WALL_CYLINDER : JO_WALL_CONE);
    random_unit(g, w.axis);
    for (int k = 0; k < 3; k++)
        w.point[k] = rng_between(g, -1, 1);
    w.radius = rng_between(g, 0.2, 1);
    w.radius_end = rng_between(g, 0.2, 1);
    if (w.kind == JO_WALL_CONE && rng_chance(g, 0.2))
        w.radius = 0.0;
    else if (w.kind == JO_WALL_CONE && rng_chance(g, 0.2))
        w.radius_end = 0.0;
    w.length = rng_between(g, 0.2, 2);
    w.caps = rng_chance(g, 0.5);
    w.outside = rng_chance(g, 0.5);
    return w;
}

/* The nearest touch is the nearest point, with the right sign; every touch is a point of the
 * wall. */
static void cylinders_and_cones(void **state)
{
    (void)state;
    rng g = rng_seeded(3);
    for (int k = 0; k < 8000; k++) {
        const jo_wall w = random_round(&g);
        wall_shape *shape = shape_of(&w, 3);
        double x[3];
        for (int i = 0; i < 3; i++)
            x[i] = w.point[i] + 0.5 * w.length * w.axis[i] + rng_between(&g, -1, 1);
        wall_touch t[WALL_TOUCHES];
        const double reach = rng_between(&g, 0.1, 0.5), d = to_surface(&w, x);
        const bool inside = is_inside(&w, x), wrong = w.caps && inside == w.outside;
        const size_t n = touches_of(shape, x, reach, t);
        if (!wrong) {
            if (fabs(d - reach) > 1e-6) assert_int_equal(n > 0, d < reach);
            if (n > 0) assert_true(fabs(t[0].gap - d) < 1e-7);
            for (size_t j = 0; j < n; j++) {
                double p[3];
                for (int i = 0; i < 3; i++)
                    p[i] = x[i] - t[j].gap * t[j].normal[i];
                assert_true(to_surface(&w, p) < 1e-7);
            }
            if (w.caps && w.outside) assert_true(n <= 1);
        } else {
            assert_true(n >= 1 && t[0].gap <= 0.0);
            if (w.outside) assert_true(n == 1 && fabs(t[0].gap + d) < 1e-7);
        }
        jo_wall_shape_destroy(shape);
    }
}

static void endless_cylinders_and_circles(void **state)
{
    (void)state;
    rng g = rng_seeded(4);
    for (int k = 0; k < 2000; k++) {
        jo_wall w = random_round(&g);
        const int dim = k % 2 ? 2 : 3;
        w.kind = JO_WALL_CYLINDER;
        w.caps = false;
        w.length = INFINITY;
        w.radius += 0.01;
        if (dim == 2) memcpy(w.axis, (double[3]){0, 0, 1}, sizeof w.axis);
        double x[3], z, rho;
        for (int i = 0; i < 3; i++)
            x[i] = w.point[i] + rng_between(&g, -2, 2);
        place_of(&w, x, &z, &rho);
        if (dim == 2) w.length = NAN; /* not asked for in 2D */
        wall_shape *shape = shape_of(&w, dim);
        const double gap = w.outside ? rho - w.radius : w.radius - rho, reach = rng_unit(&g);
        wall_touch t[WALL_TOUCHES];
        assert_int_equal(touches_of(shape, x, reach, t), gap < reach);
        if (gap < reach) {
            double p[3], d;
            assert_true(fabs(t[0].gap - gap) < 1e-14);
            for (int i = 0; i < 3; i++)
                p[i] = x[i] - t[0].gap * t[0].normal[i];
            place_of(&w, p, &d, &rho);
            assert_true(fabs(rho - w.radius) < 1e-14 && fabs(d - z) < 1e-14);
        }
        jo_wall_shape_destroy(shape);
    }
}

static void caps_and_rims(void **state)
{
    (void)state;
    jo_wall w = wall_plain(JO_WALL_CYLINDER);
    wall_touch t[WALL_TOUCHES];
    w.radius = 1.0;
    w.length = 2.0;
    wall_shape *open = shape_of(&w, 3);
    w.caps = true;
    wall_shape *drum = shape_of(&w, 3);
    w.outside = true;
    wall_shape *rod = shape_of(&w, 3);
    const double corner[3] = {0.9, 0, 0.2}, above[3] = {1.06, 0, 2.08}, beside[3] = {1.1, 0, 1};
    assert_int_equal(touches_of(drum, corner, 0.3, t), 2); /* side and cap */
    assert_true(fabs(t[0].gap - 0.1) < 1e-15 && fabs(t[1].gap - 0.2) < 1e-15);
    assert_int_equal(touches_of(open, corner, 0.3, t), 1); /* no cap there */
    assert_int_equal(touches_of(open, above, 0.3, t), 1);  /* a rim */
    assert_true(fabs(t[0].gap - 0.1) < 1e-15 && fabs(t[0].normal[0] - 0.6) < 1e-14);
    const uint32_t rim = t[0].feature;
    assert_int_equal(touches_of(rod, above, 0.3, t), 1);
    assert_true(fabs(t[0].gap - 0.1) < 1e-15 && t[0].feature == rim);
    assert_int_equal(touches_of(open, beside, 0.3, t), 1); /* a shell is felt from outside, too */
    assert_true(t[0].normal[0] == 1.0);
    assert_int_equal(touches_of(rod, (double[3]){0.5, 0, 2.2}, 0.3, t), 1);
    assert_true(fabs(t[0].gap - 0.2) < 1e-15 && t[0].normal[2] == 1.0);
    w = wall_plain(JO_WALL_CONE); /* a needle's far side is out of reach for who is beside it */
    w.radius = 0.02;
    w.radius_end = 0.01;
    w.length = 1.0;
    wall_shape *needle = shape_of(&w, 3);
    assert_int_equal(touches_of(needle, (double[3]){0.5, 0, 0.5}, 0.6, t), 1);
    assert_int_equal(touches_of(needle, (double[3]){0.05, 0, 1.5}, 0.6, t), 1);
    assert_int_equal(touches_of(needle, (double[3]){0.005, 0, 1.5}, 0.6, t),
                     2); /* above its hole */
    jo_wall_shape_destroy(needle);
    jo_wall_shape_destroy(open);
    jo_wall_shape_destroy(drum);
    jo_wall_shape_destroy(rod);
}

/* A ball in the tip of a funnel, or on a rim: across the axis the forces of both sides cancel, and
 * they change without a jump as it crosses. */
static void a_ball_in_a_funnel(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        jo_wall w = wall_plain(kind == 2 ? JO_WALL_CYLINDER : JO_WALL_CONE);
        w.radius = kind == 2 ? 0.6 : 0.0;
        w.radius_end = w.length = kind == 2 ? 2.0 : 4.0;
        w.caps = kind == 1;
        wall_shape *shape = shape_of(&w, 3);
        const double z = kind == 2 ? 2.75 : 1.35, r = 1.0;
        double before = NAN;
        for (int k = -100; k <= 100; k++) {
            const double x[3] = {6e-4 * k, 8e-4 * k, z};
            wall_touch t[WALL_TOUCHES];
            const size_t n = touches_of(shape, x, r, t);
            double across = 0.0, up = 0.0, turn = 0.0;
            for (size_t j = 0; j < n; j++) {
                across += (r - t[j].gap) * (0.6 * t[j].normal[0] + 0.8 * t[j].normal[1]);
                turn += (r - t[j].gap) * (0.8 * t[j].normal[0] - 0.6 * t[j].normal[1]);
                up += (r - t[j].gap) * t[j].normal[2];
            }
            if (k == 0) {
                assert_int_equal(n, 2);
                assert_true(fabs(across) < 1e-15 && up > 0.0);
            }
            assert_true(fabs(turn) < 1e-12 || k == 0);
            assert_true(k == -100 || fabs(across - before) < 3e-3);
            assert_true(across * k <= 1e-15); /* drives it back */
            before = across;
        }
        jo_wall_shape_destroy(shape);
    }
}

/* ---- what is refused ---- */

static void must_refuse(const jo_wall *wall, int dim, const char *words)
{
    jo_error error = {0};
    wall_shape *shape = (wall_shape *)&error;
    assert_int_equal(jo_wall_shape_create(wall, dim, &shape, &error), JO_ERR_DATA);
    assert_null(shape);
    if (strstr(error.text, words) == NULL || strstr(error.text, "test") == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void what_is_refused(void **state)
{
    (void)state;
    jo_wall w = wall_plain(JO_WALL_PLANE);
    w.normal[2] = 0.0;
    must_refuse(&w, 3, "normal");
    w = wall_plain(JO_WALL_BOX);
    must_refuse(&w, 3, "axis x");
    w = wall_plain(JO_WALL_CYLINDER);
    w.length = 1.0;
    must_refuse(&w, 3, "radius");
    w.radius = 1.0;
    w.axis[2] = 0.0;
    must_refuse(&w, 3, "axis");
    w.axis[2] = 1.0;
    w.length = -1.0;
    must_refuse(&w, 3, "length");
    w.length = INFINITY;
    w.caps = true;
    must_refuse(&w, 3, "finite");
    w.kind = JO_WALL_CONE;
    w.caps = false;
    must_refuse(&w, 3, "finite");
    must_refuse(&w, 2, "3D only");
    w.radius = 0.0;
    w.length = 1.0;
    must_refuse(&w, 3, "both 0");
    w = wall_plain(JO_WALL_MESH);
    must_refuse(&w, 3, "at least one triangle");
    double t[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
                    0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    w.triangles = t;
    w.triangle_count = 3;
    must_refuse(&w, 3, "triangle 2 of 3");
    t[18] = t[19] = 1.0 + 1e-12; /* two corners closer than can be told apart */
    t[21] = t[22] = t[23] = 1.0;
    must_refuse(&w, 3, "triangle 2 of 3");
    t[13] = NAN;
    must_refuse(&w, 3, "triangle 1 ");
    t[0] = t[1] = t[2] = t[3] = 1.0;
    w.triangle_count = 1;
    must_refuse(&w, 2, "segment 0 of 1");
}

/* ---- motion ---- */

static void random_motion(rng *g, jo_wall *w)
{
    jo_motion *m = &w->motion;
    for (int k = 0; k < 3; k++) {
        m->velocity[k] = rng_between(g, -1, 1);
        m->spin[k] = rng_between(g, -3, 3);
        m->pivot[k] = rng_between(g, -1, 1);
        m->amplitude[k] = rng_between(g, -1, 1);
    }
    m->frequency = rng_between(g, 0, 2);
    m->phase = rng_between(g, 0, 6);
    m->start = rng_between(g, 0, 1);
    m->stop = rng_chance(g, 0.5) ? INFINITY : m->start + 2.0;
}

static void carry(const wall_pose *p, const double point[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = p->pivot[i] + p->displacement[i];
        for (int j = 0; j < 3; j++)
            out[i] += p->rotation[3 * i + j] * (point[j] - p->pivot[j]);
    }
}

/* Poses are rotations, and points move as velocity and spin say, within the bound. */
static void walls_move_rigidly(void **state)
{
    (void)state;
    rng g = rng_seeded(5);
    for (int k = 0; k < 2000; k++) {
        jo_wall w = wall_plain(JO_WALL_PLANE);
        random_motion(&g, &w);
        const double t = rng_between(&g, -0.5, 4), h = 1e-5;
        if (fabs(t - w.motion.start) < 2 * h || fabs(t - w.motion.stop) < 2 * h) continue;
        wall_pose at, before, after;
        jo_wall_pose(&w, t, &at);
        jo_wall_pose(&w, t - h, &before);
        jo_wall_pose(&w, t + h, &after);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double product = 0.0;
                for (int l = 0; l < 3; l++)
                    product += at.rotation[3 * i + l] * at.rotation[3 * j + l];
                assert_true(fabs(product - (i == j)) < 1e-14);
            }
        const double point[3] = {rng_between(&g, -2, 2), rng_between(&g, -2, 2),
                                 rng_between(&g, -2, 2)};
        double x[3], x0[3], x1[3], speed = 0.0, range = 0.0;
        carry(&at, point, x);
        carry(&before, point, x0);
        carry(&after, point, x1);
        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            const double ra = x[a] - at.pivot[a] - at.displacement[a];
            const double rb = x[b] - at.pivot[b] - at.displacement[b];
            const double v = at.velocity[i] + at.spin[a] * rb - at.spin[b] * ra;
            assert_true(fabs((x1[i] - x0[i]) / (2 * h) - v) < 1e-6);
            speed += v * v;
            range += (point[i] - at.pivot[i]) * (point[i] - at.pivot[i]);
        }
        assert_true(sqrt(speed) <= jo_wall_speed_bound(&w, sqrt(range)));
        if (t < w.motion.start || t > w.motion.stop) assert_true(speed == 0.0);
    }
}

static void turning_and_standing(void **state)
{
    (void)state;
    jo_wall w = wall_plain(JO_WALL_PLANE);
    wall_pose p;
    w.motion.spin[2] = acos(-1.0) / 2;
    w.motion.start = 1.0;
    w.motion.stop = 2.0;
    w.motion.pivot[0] = 1.0;
    double x[3];
    jo_wall_pose(&w, 0.5, &p);
    carry(&p, (double[3]){2, 0, 0}, x);
    assert_true(x[0] == 2.0 && x[1] == 0.0 && p.angle == 0.0);
    jo_wall_pose(&w, 7.0, &p); /* a quarter turn to the left, about (1, 0) */
    carry(&p, (double[3]){2, 0, 0}, x);
    assert_true(fabs(x[0] - 1.0) < 1e-15 && fabs(x[1] - 1.0) < 1e-15 && p.spin[2] == 0.0);
    assert_true(jo_wall_speed_bound(&w, 0.0) == 0.0);
    assert_true(fabs(jo_wall_speed_bound(&w, 2.0) - acos(-1.0)) < 1e-15);
}

/* A wall on a spring: the force must settle at the target whatever the stiffness, and not swing. */
static void the_servo_settles(void **state)
{
    (void)state;
    jo_servo s = {.on = true,
                  .direction = {0, 0, -1},
                  .stress = 50.0,
                  .area = 2.0,
                  .force = NAN,
                  .gain = NAN,
                  .speed_max = 0.5};
    const double dt = 1e-4;
    for (double k = 1e3; k < 1e11; k *= 3.0) {
        double place = -0.01, speed = 0.0, most = 0.0, least_late = INFINITY, most_late = 0.0;
        for (int step = 0; step < 200000; step++) {
            const double force = place > 0.0 ? k * place : 0.0;
            most = fmax(most, force);
            if (step > 190000) {
                least_late = fmin(least_late, force);
                most_late = fmax(most_late, force);
            }
            speed = jo_wall_servo_speed(&s, (double[3]){5, 7, force}, speed, dt);
            assert_true(fabs(speed) <= s.speed_max);
            place += speed * dt;
        }
        assert_true(fabs(least_late - 100.0) < 1e-3 && fabs(most_late - 100.0) < 1e-3);
        /* Without overshoot where a step is short against the target's compression. */
        if (k * s.speed_max * dt < 0.9 * 100.0) assert_true(most <= 100.0 * (1 + 1e-9));
    }
    s.stress = NAN;
    s.force = 30.0;
    s.gain = 1e-3;
    assert_true(fabs(jo_wall_servo_speed(&s, (double[3]){0, 0, 10.0}, 9.0, dt) - 0.02) < 1e-15);
    assert_true(jo_wall_servo_speed(&s, (double[3]){0, 0, 1e9}, 0.0, dt) == -0.5);
    s.gain = NAN; /* no load wanted: it goes back until nothing presses */
    s.force = 0.0;
    assert_true(jo_wall_servo_speed(&s, (double[3]){0, 0, 1.0}, -0.4, dt) < 0.0);
    assert_true(jo_wall_servo_speed(&s, (double[3]){0, 0, 0.0}, -0.4, dt) == 0.0);
}

/* Bodies answer late: a chain of masses and springs between the wall and the ground. A fast wall
 * makes it swing, but not for ever. */
static void the_servo_calms_a_chain(void **state)
{
    (void)state;
    enum { N = 20 };
    const double k = 1e4, c = 10.0, dt = 4e-4;
    jo_servo s = {.on = true, .direction = {0, 0, -1}, .stress = NAN, .force = 10.0, .gain = NAN};
    for (s.speed_max = 1e-3; s.speed_max < 20.0; s.speed_max *= 10.0) {
        double u[N] = {0}, v[N] = {0}, f[N + 1], wall = 1e-3, speed = 0.0;
        for (int step = 0; step < 400000; step++) {
            for (int i = 0; i < N; i++)
                f[i] =
                    k * ((i > 0 ? u[i - 1] : 0.0) - u[i]) + c * ((i > 0 ? v[i - 1] : 0.0) - v[i]);
            f[N] =
                u[N - 1] > wall ? fmax(0.0, k * (u[N - 1] - wall) + c * (v[N - 1] + speed)) : 0.0;
            for (int i = 0; i < N; i++)
                v[i] += (f[i] - f[i + 1]) * dt;
            for (int i = 0; i < N; i++)
                u[i] += v[i] * dt;
            speed = jo_wall_servo_speed(&s, (double[3]){0, 0, f[N]}, speed, dt);
            wall -= speed * dt;
            if (step > 380000) assert_true(fabs(f[N] - 10.0) < 0.01);
        }
    }
}

/* ---- walls as triangles ---- */

static double area_of(const double *t, size_t count)
{
    double area = 0.0;
    for (size_t k = 0; k < count; k++, t += 9) {
        double c[3];
        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            c[i] = (t[3 + a] - t[a]) * (t[6 + b] - t[b]) - (t[3 + b] - t[b]) * (t[6 + a] - t[a]);
        }
        area += 0.5 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    }
    return area;
}

static double length_of(const double *t, size_t count)
{
    double length = 0.0;
    for (size_t k = 0; k < count; k++, t += 9) {
        assert_memory_equal(t + 3, t + 6, 3 * sizeof *t);
        length += hypot(t[3] - t[0], t[4] - t[1]);
    }
    return length;
}

/* Makes the triangles, checks that their corners are on the wall, and returns area (2D: length). */
static double drawn(const jo_wall *wall, int dim, size_t *count)
{
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    jo_error error = {0};
    double *t;
    assert_int_equal(jo_wall_triangles(wall, dim, lo, hi, &t, count, &error), JO_OK);
    assert_non_null(t);
    wall_shape *shape = shape_of(wall, dim);
    for (size_t k = 0; k < 3 * *count; k++) {
        wall_touch touch[WALL_TOUCHES];
        uint32_t list[64];
        const size_t n = jo_wall_near(shape, t + 3 * k, 1e-3, list, 64);
        const bool cap_centre = wall->caps && k % 3 == 0; /* nothing else is there to be nearest */
        assert_true(n > 0);
        assert_true(jo_wall_touch(shape, t + 3 * k, 1e-3, list, n, touch) > 0);
        assert_true(cap_centre || fabs(touch[0].gap) < 1e-8);
        if (wall->kind == JO_WALL_PLANE)
            for (int a = 0; a < dim; a++)
                assert_true(t[3 * k + a] > -1e-8 && t[3 * k + a] < 1 + 1e-8);
    }
    jo_wall_shape_destroy(shape);
    const double size = dim == 3 ? area_of(t, *count) : length_of(t, *count);
    free(t);
    return size;
}

static void walls_as_triangles(void **state)
{
    (void)state;
    const double pi = acos(-1.0), tiny = 1e-7;
    size_t n;
    jo_wall w = wall_plain(JO_WALL_PLANE);
    assert_true(fabs(drawn(&w, 3, &n) - 1.0) < tiny); /* a floor in the box's face */
    for (int k = 0; k < 3; k++)
        w.normal[k] = 1 / sqrt(3), w.point[k] = 0.5;
    assert_true(fabs(drawn(&w, 3, &n) - 0.75 * sqrt(3)) < tiny); /* a hexagon */
    assert_int_equal(n, 4);
    w.point[0] = 5.0;
    assert_true(drawn(&w, 3, &n) == 0.0 && n == 0);
    w = wall_plain(JO_WALL_PLANE);
    memcpy(w.normal, (double[3]){1 / sqrt(2), 1 / sqrt(2), 0}, sizeof w.normal);
    w.point[0] = 1.0;
    assert_true(fabs(drawn(&w, 2, &n) - sqrt(2)) < tiny && n == 1);
    w = wall_plain(JO_WALL_BOX);
    memcpy(w.hi, (double[3]){1, 2, 3}, sizeof w.hi);
    assert_true(fabs(drawn(&w, 3, &n) - 22) < 1e-12 && n == 12);
    assert_true(fabs(drawn(&w, 2, &n) - 6) < 1e-12 && n == 4);
    w = wall_plain(JO_WALL_CYLINDER);
    w.radius = 2.0;
    w.length = 3.0;
    const double chord = 64 * sin(pi / 64) / pi, disc = 64 * sin(pi / 32) / (2 * pi);
    assert_true(fabs(drawn(&w, 3, &n) - 12 * pi * chord) < 1e-12 && n == 128);
    assert_true(fabs(drawn(&w, 2, &n) - 4 * pi * chord) < 1e-12 && n == 64);
    w.caps = true;
    assert_true(fabs(drawn(&w, 3, &n) - (12 * chord + 8 * disc) * pi) < 1e-12 && n == 256);
    w.caps = false;
    w.length = INFINITY; /* as long as the box */
    assert_true(fabs(drawn(&w, 3, &n) - 4 * pi * chord) < 1e-12);
    w = wall_plain(JO_WALL_CONE);
    w.length = 4.0;
    w.radius_end = 3.0;
    assert_true(fabs(drawn(&w, 3, &n) / (15 * pi) - 1) < 2e-3 && n == 64);
    double mesh[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    w = wall_plain(JO_WALL_MESH);
    w.triangles = mesh;
    w.triangle_count = 1;
    assert_true(drawn(&w, 3, &n) == 0.5 && n == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes),
        cmocka_unit_test(boxes),
        cmocka_unit_test(features_of_a_block),
        cmocka_unit_test(cylinders_and_cones),
        cmocka_unit_test(endless_cylinders_and_circles),
        cmocka_unit_test(caps_and_rims),
        cmocka_unit_test(a_ball_in_a_funnel),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(walls_move_rigidly),
        cmocka_unit_test(turning_and_standing),
        cmocka_unit_test(the_servo_settles),
        cmocka_unit_test(the_servo_calms_a_chain),
        cmocka_unit_test(walls_as_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
