/* Closest features where the answer is known in closed form: cubes, spheres, planes, polygons;
 * caches, bounds, GJK, which runs only when the walk fails, and the least depth by two methods. */
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
#include "narrow/walk.h"

static const jo_pose upright = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const double pi = 3.14159265358979323846;

static jo_polyhedron *solid(const char *name, double radius)
{
    jo_solid_def def = jo_solid_def_default(name);
    jo_polyhedron *p;
    jo_error error = {0};
    def.radius = radius;
    if (jo_polyhedron_solid(&def, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static void near(double a, double b, double allowed)
{
    if (!(fabs(a - b) <= allowed)) fail_msg("%.17g is not %.17g", a, b);
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

/* Cubes of edge 2 beside each other: the distance and depth along each axis are those of boxes. */
static void boxes(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube", sqrt(3.0));
    static const double shift[][4] = {
        {3.0, 0.0, 0.0, 1.0},   {3.0, 0.5, -0.7, 1.0}, {0.1, 2.5, 0.1, 0.5},
        {3.0, 4.0, 0.0, 0.0},   {3.0, 4.0, 5.0, 0.0},  {1.5, 0.2, 0.1, -0.5},
        {0.1, 0.2, -1.9, -0.1}, {2.0, 0.0, 0.0, 0.0},  {0.25, 0.0, 0.0, -1.75},
    };
    for (size_t k = 0; k < sizeof shift / sizeof *shift; k++) {
        jo_pose there = upright;
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_closest o;
        double square = 0.0;
        for (int i = 0; i < 3; i++) {
            there.at[i] = shift[k][i];
            square += pow(fmax(0.0, fabs(shift[k][i]) - 2.0), 2.0);
        }
        jo_features_contact(cube, &upright, cube, &there, &pair, &o);
        const double expected = shift[k][3] < 0.0 ? shift[k][3] : sqrt(square);
        near(o.distance, expected, 1e-15);
        assert_true(o.exact);
        if (expected != 0.0) assert_int_equal(o.overlap, expected < 0.0);
        for (int i = 0; i < 3; i++)
            near(o.on_b[i] - o.on_a[i], o.distance * o.normal[i], 1e-15);
    }
    jo_polyhedron_destroy(cube);
}

/* Far points lie on spheres: a body against a sphere is what it is against the sphere's centre. */
static void spheres(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube", sqrt(3.0));
    random_stream r = jo_random_start(5, 0);
    jo_feature cache = {0, 0};
    for (int k = 0; k < 20000; k++) {
        const jo_pose pose = random_pose(&r, 3.0);
        double x[3], c[3], square = 0.0, inside = -INFINITY;
        const double radius = 0.3 * jo_random_uniform(&r);
        for (int i = 0; i < 3; i++) {
            x[i] = 2.5 * (2.0 * jo_random_uniform(&r) - 1.0);
            square += pow(fmax(0.0, fabs(x[i]) - 1.0), 2.0);
            inside = fmax(inside, fabs(x[i]) - 1.0);
        }
        for (int i = 0; i < 3; i++)
            c[i] = pose.at[i] + pose.turn[3 * i] * x[0] + pose.turn[3 * i + 1] * x[1] +
                   pose.turn[3 * i + 2] * x[2];
        jo_closest o;
        if (k % 3 == 0) cache.kind = 0;
        jo_features_sphere(cube, &pose, c, radius, &cache, &o);
        const double expected = (inside < 0.0 ? inside : sqrt(square)) - radius;
        near(o.distance, expected, 1e-14);
        assert_true(o.exact && o.overlap == (o.distance <= 0.0));
        for (int i = 0; i < 3; i++)
            near(o.on_b[i] - o.on_a[i], o.distance * o.normal[i], 1e-14);
        jo_feature again = cache;
        jo_features_sphere(cube, &pose, c, radius, &again, &o);
        if (inside > 1e-12) assert_int_equal(o.iterations, 1);
    }
    jo_polyhedron_destroy(cube);
}

static void planes(void **state)
{
    (void)state;
    jo_polyhedron *ico = solid("icosahedron", 1.0), *cube = solid("cube", sqrt(3.0));
    const jo_polyhedron_view v = jo_polyhedron_look(ico);
    random_stream r = jo_random_start(6, 0);
    jo_feature cache = {0, 0};
    jo_closest o;
    for (int k = 0; k < 5000; k++) {
        const jo_pose pose = random_pose(&r, 2.0), other = random_pose(&r, 1.0);
        const double *n = other.at, offset = jo_random_uniform(&r);
        double least = INFINITY;
        for (size_t i = 0; i < v.vertices; i++) {
            double along = -offset;
            for (int a = 0; a < 3; a++)
                along += n[a] * (pose.at[a] + pose.turn[3 * a] * v.points[3 * i] +
                                 pose.turn[3 * a + 1] * v.points[3 * i + 1] +
                                 pose.turn[3 * a + 2] * v.points[3 * i + 2]);
            least = fmin(least, along);
        }
        jo_features_plane(ico, &pose, n, offset, &cache, &o);
        near(o.distance, least, 2e-15);
        assert_int_equal(o.features.a.kind, JO_FEATURE_VERTEX);
        for (int i = 0; i < 3; i++)
            near(o.on_b[i] - o.on_a[i], o.distance * o.normal[i], 1e-14);
    }
    /* A cube on its face, its edge, its corner. */
    static const double up[3] = {0, 0, 1};
    jo_pose pose = upright;
    pose.at[2] = 1.25;
    cache.kind = 0;
    jo_features_plane(cube, &pose, up, 0.0, &cache, &o);
    assert_int_equal(o.features.a.kind, JO_FEATURE_FACE);
    near(o.distance, 0.25, 1e-15);
    near(o.on_a[0], 0.0, 1e-15);
    near(o.on_a[2], 0.25, 1e-15);
    jo_pose_turn(&pose, (const double[4]){cos(pi / 8), sin(pi / 8), 0, 0});
    jo_features_plane(cube, &pose, up, 0.0, &cache, &o);
    assert_int_equal(o.features.a.kind, JO_FEATURE_EDGE);
    near(o.distance, 1.25 - sqrt(2.0), 1e-15);
    near(o.on_a[0], 0.0, 1e-15);
    assert_true(o.overlap);
    jo_polyhedron_destroy(ico);
    jo_polyhedron_destroy(cube);
}

/* A cache that names what is not there is no start, and no harm. */
static void wrong_caches(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube", sqrt(3.0));
    jo_pose there = upright;
    there.at[0] = 3.0;
    static const uint32_t bad[] = {0, 8, 24, 1000, UINT32_MAX};
    for (uint32_t kind = 0; kind < 6; kind++)
        for (size_t k = 0; k < 5; k++) {
            jo_feature_pair pair = {{kind, bad[k]}, {kind + 1, bad[k]}};
            jo_feature one = {kind, bad[k]};
            jo_closest o;
            jo_features_contact(cube, &upright, cube, &there, &pair, &o);
            near(o.distance, 1.0, 1e-15);
            jo_features_sphere(cube, &upright, there.at, 0.5, &one, &o);
            near(o.distance, 1.5, 1e-15);
            one = (jo_feature){kind, bad[k]};
            jo_features_plane(cube, &upright, (const double[3]){1, 0, 0}, -3.0, &one, &o);
            near(o.distance, 2.0, 1e-15);
        }
    jo_polyhedron_destroy(cube);
}

/* Bodies all but in one place: the way between their centres is too short to be divided by. (What
 * that did was undefined, and shows in a build with sanitizers.) */
static void subnormal(void **state)
{
    (void)state;
    static const double way[][3] = {{5e-324, 0, 0}, {0, -5e-324, 5e-324}, {-1e-310, 1e-320, 0}};
    jo_polyhedron *cube = solid("cube", sqrt(3.0));
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        jo_pose pose = upright;
        jo_feature_pair pair = {{JO_FEATURE_NONE, 0}, {JO_FEATURE_NONE, 0}};
        jo_closest out;
        memcpy(pose.at, way[k], sizeof pose.at);
        jo_features_distance(cube, &upright, cube, &pose, &pair, &out);
        assert_true(out.overlap);
        jo_features_contact(cube, &upright, cube, &pose, &pair, &out);
        near(out.distance, -2.0, 1e-14);
    }
    jo_polyhedron_destroy(cube);
}

/* The second opinion agrees with the first, also on where. */
static void gjk(void **state)
{
    (void)state;
    static const char *const names[] = {"tetrahedron", "cube", "icosahedron", "dodecahedron"};
    jo_polyhedron *shape[4];
    random_stream r = jo_random_start(7, 0);
    int met = 0;
    for (int k = 0; k < 4; k++)
        shape[k] = solid(names[k], 1.0);
    for (int k = 0; k < 20000; k++) {
        const jo_polyhedron *a = shape[k % 4], *b = shape[k / 4 % 4];
        const jo_pose pa = random_pose(&r, 1.0), pb = random_pose(&r, 1.0 + (double)(k % 3) * 0.4);
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_closest o;
        walk w;
        double x[3], y[3], d[3];
        jo_features_distance(a, &pa, b, &pb, &pair, &o);
        jo_walk_open(&w, a, &pa, b, &pb);
        const walk_end end = jo_gjk(&w, x, y);
        assert_int_equal(end, o.overlap ? WALK_OVERLAP : WALK_APART);
        met += o.overlap;
        if (o.overlap) continue;
        sub3(y, x, d);
        near(norm3(d), o.distance, 1e-12);
        /* From the features of its simplex the walk is soon at the end. */
        assert_int_equal(jo_walk(&w, 8), WALK_APART);
        near(jo_walk_points(&w, x, y, d), o.distance, 1e-14);
    }
    assert_in_range(met, 1000, 19000);
    for (int k = 0; k < 4; k++)
        jo_polyhedron_destroy(shape[k]);
}

/* The bound is obeyed, wherever the walk is. */
static void bound(void **state)
{
    (void)state;
    jo_polyhedron *ico = solid("icosahedron", 1.0);
    random_stream r = jo_random_start(8, 0);
    for (int k = 0; k < 1000; k++) {
        const jo_pose pa = random_pose(&r, 1.0), pb = random_pose(&r, 3.0);
        walk w;
        jo_walk_open(&w, ico, &pa, ico, &pb);
        w.feature[0] = w.feature[1] = (jo_feature){JO_FEATURE_FACE, (uint32_t)(k % 20)};
        assert_int_equal(jo_walk(&w, 2), WALK_BOUND); /* from two faces it takes three at least */
        assert_int_equal(w.iterations, 2);
    }
    jo_polyhedron_destroy(ico);
}

/* The least of all axes by sorting out and by growing a polytope: two methods that have nothing in
 * common, and both prove their answer. Both ways of compiling the first give the same bits. */
static void least_axes(void **state)
{
    (void)state;
    static const char *const names[] = {"tetrahedron", "cube", "octahedron", "icosahedron"};
    static const size_t faces[] = {20, 80, 400, 920, 5000};
    jo_polyhedron *shape[9];
    size_t shapes = 0;
    random_stream r = jo_random_start(9, 0);
    int found[9] = {0}, apart = 0;
    jo_error error = {0};
    for (size_t k = 0; k < 4; k++)
        shape[shapes++] = solid(names[k], 1.0);
    for (size_t k = 0; k < 5 && jo_hulls_available(); k++) {
        const jo_rock_def def = {faces[k], {1.0, 1.0, 0.95}, 0.5, k};
        if (jo_polyhedron_rock(&def, &shape[shapes++], &error) != JO_OK) fail_msg("%s", error.text);
    }
    for (size_t k = 0; k < 400 * shapes; k++) {
        const jo_polyhedron *a = shape[k % shapes], *b = shape[(k / shapes) % shapes];
        const double inner = jo_polyhedron_look(a).inradius + jo_polyhedron_look(b).inradius;
        const double share = k % 7 == 0 ? 0.0 : 0.9 + 0.2 * jo_random_uniform(&r);
        const jo_pose pa = random_pose(&r, 0.0), pb = random_pose(&r, share * inner);
        walk w;
        walk_axis t, plain;
        double depth, n[3], x[3], y[3];
        jo_walk_open(&w, a, &pa, b, &pb);
        if (!jo_least_axis(&w, NULL, INFINITY, false, &t)) continue;
        assert_true(jo_walk_plain.least_axis(&w, NULL, INFINITY, false, &plain));
        assert_memory_equal(t.n, plain.n, sizeof t.n);
        assert_memory_equal(&t.depth, &plain.depth, sizeof t.depth);
        assert_memory_equal(t.feature, plain.feature, sizeof t.feature);
        found[k % shapes]++;
        if (!jo_depth_polytope(&w, &depth, n, x, y)) continue;
        assert_true((t.depth < 0.0) == (depth < 0.0));
        apart += t.depth < 0.0;
        if (depth >= 0.0) near(t.depth, depth, 2e-12); /* apart: any axis that shows it */
    }
    assert_in_range(apart, 1, 3000);
    for (size_t k = 0; k < shapes; k++) {
        assert_in_range(found[k], 40, 400);
        jo_polyhedron_destroy(shape[k]);
    }
}

/* Four random points, flattened at times, or a corner of a cube. */
static jo_polyhedron *tetrahedron(random_stream *r, int kind, double size)
{
    double x[12] = {0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size};
    static const size_t offset[5] = {0, 3, 6, 9, 12};
    const uint32_t corner[2][12] = {{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
                                    {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2}};
    jo_polyhedron *p;
    jo_error error = {0};
    for (int k = 0; k < 12 && kind > 0; k++)
        x[k] = size * jo_random_normal(r) * (kind == 2 && k % 3 == 2 ? 0.01 : 1.0);
    for (size_t way = 0; way < 2; way++)
        if (jo_polyhedron_from_faces(x, 4, offset, corner[way], 4, &p, &error) == JO_OK) return p;
    return NULL; /* flat */
}

/* Case k of two bodies that overlap, or nearly: in one place at times, or with parallel edges and
 * faces. */
static void open_near(walk *w, const jo_polyhedron *a, const jo_polyhedron *b, int k,
                      random_stream *r)
{
    const double inner = jo_polyhedron_look(a).inradius + jo_polyhedron_look(b).inradius;
    const double share = k % 7 == 0 ? 0.0 : 1.5 * jo_random_uniform(r);
    const jo_pose pa = random_pose(r, 0.0), turned = random_pose(r, share * inner);
    jo_pose pb = k % 11 == 0 ? pa : turned;
    memcpy(pb.at, turned.at, sizeof pb.at);
    jo_walk_open(w, a, &pa, b, &pb);
}

/* Tetrahedra have a search of their own: it gives what the one for all bodies gives, compiled
 * either way. */
static void tetrahedra(void **state)
{
    (void)state;
    random_stream r = jo_random_start(11, 0);
    int overlaps = 0, edges = 0;
    for (int k = 0; k < 20000; k++) {
        const double size = k % 5 == 0 ? 1e-4 : k % 5 == 1 ? 0.1 : 1.0;
        jo_polyhedron *a = tetrahedron(&r, k % 3, 1.0), *b = tetrahedron(&r, k / 3 % 3, size);
        if (a != NULL && b != NULL) {
            walk w;
            walk_axis all, own, plain;
            open_near(&w, a, b, k, &r);
            assert_true(jo_least_axis(&w, NULL, INFINITY, false, &all));
            const double slack = 1e-14 * (w.side[0].p->radius + w.side[1].p->radius);
            const bool met = jo_least_axis(&w, NULL, INFINITY, true, &own);
            assert_int_equal(met, jo_walk_plain.least_axis(&w, NULL, INFINITY, true, &plain));
            if (all.depth > 1e8 * slack) assert_true(met);
            if (met) {
                near(own.depth, all.depth, slack);
                assert_memory_equal(own.n, plain.n, sizeof own.n);
                assert_memory_equal(&own.depth, &plain.depth, sizeof own.depth);
                assert_memory_equal(own.feature, plain.feature, sizeof own.feature);
                overlaps++;
                edges += own.feature[0].kind == JO_FEATURE_EDGE;
            }
        }
        jo_polyhedron_destroy(a);
        jo_polyhedron_destroy(b);
    }
    assert_in_range(overlaps, 8000, 20000);
    assert_in_range(edges, 1000, overlaps - 1000);
}

/* A prism over a polygon that leans, or two pyramids over one; flat at times. */
static jo_polyhedron *few_faced(random_stream *r, int kind)
{
    const int sides = 3 + kind % 3;
    const double high = kind % 5 == 0 ? 0.01 : 0.3 + jo_random_uniform(r),
                 lean = jo_random_normal(r);
    double x[3 * 10];
    jo_polyhedron *p;
    jo_error error = {0};
    size_t n = 0;
    for (int k = 0; k < sides; k++) {
        const double angle = 2.0 * pi * (k + 0.3 * jo_random_uniform(r) * (kind % 2)) / sides;
        const double at[3] = {cos(angle), sin(angle), 0.0};
        memcpy(x + 3 * n++, at, sizeof at);
        if (kind % 4 == 0) continue;
        const double above[3] = {at[0] + 0.2 * lean, at[1], high};
        memcpy(x + 3 * n++, above, sizeof above);
    }
    for (int k = 0; k < 2 && kind % 4 == 0; k++) { /* on both sides of the polygon */
        const double tip[3] = {0.3 * lean, 0.1, k == 0 ? high : -high};
        memcpy(x + 3 * n++, tip, sizeof tip);
    }
    return jo_polyhedron_from_points(x, n, &p, &error) == JO_OK ? p : NULL;
}

/* The least depth along all normals of faces and all directions square to two edges: no other can
 * be the least. */
static double least_of_all(const walk *w)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    double least = INFINITY;
    for (size_t k = 0; k < p->nf + q->nf + p->nh * q->nh; k++) {
        double n[3], v[3], own = -INFINITY, other = INFINITY;
        const size_t pair = k - p->nf - q->nf;
        if (k < p->nf) {
            memcpy(n, p->planes + 4 * k, sizeof n);
        } else if (k < p->nf + q->nf) {
            walk_turn(w, 1, q->planes + 4 * (k - p->nf), v);
            for (int i = 0; i < 3; i++)
                n[i] = -v[i];
        } else {
            walk_turn(w, 1, q->walls[pair % q->nh].ve, v);
            cross3(p->walls[pair / q->nh].ve, v, n);
            if (!(unit3(n) > 1e-5)) continue;
        }
        for (size_t i = 0; i < p->nv; i++)
            own = fmax(own, dot3(n, p->points + 3 * i));
        for (size_t i = 0; i < q->nv; i++) {
            walk_across(w, 1, q->points + 3 * i, v);
            other = fmin(other, dot3(n, v));
        }
        least = fmin(least, own - other);
    }
    return least;
}

/* Bodies of up to eight faces have a search of their own, too. */
static void few_faces_each(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    random_stream r = jo_random_start(12, 0);
    int few = 0, edges = 0;
    for (int k = 0; k < 6000; k++) {
        jo_polyhedron *a = few_faced(&r, k), *b = few_faced(&r, k / 7);
        if (a != NULL && b != NULL) {
            walk w;
            walk_axis t, plain;
            open_near(&w, a, b, k, &r);
            assert_true(jo_least_axis(&w, NULL, INFINITY, false, &t));
            assert_true(jo_walk_plain.least_axis(&w, NULL, INFINITY, false, &plain));
            assert_memory_equal(t.n, plain.n, sizeof t.n);
            assert_memory_equal(&t.depth, &plain.depth, sizeof t.depth);
            assert_memory_equal(t.feature, plain.feature, sizeof t.feature);
            if (t.depth > 0.0) near(t.depth, least_of_all(&w), 1e-13);
            few += w.side[0].p->few != NULL && w.side[1].p->few != NULL;
            edges += t.feature[0].kind == JO_FEATURE_EDGE;
        }
        jo_polyhedron_destroy(a);
        jo_polyhedron_destroy(b);
    }
    assert_in_range(few, 4000, 6000);
    assert_in_range(edges, 600, 5000);
}

/* Followed from features that mean nothing, of bodies thick and thin: an axis that is deep is told
 * only if none is less. */
static void followed_deep(void **state)
{
    (void)state;
    random_stream r = jo_random_start(61, 0);
    jo_polyhedron *shape[8];
    jo_error error = {0};
    int deep = 0;
    for (size_t k = 0; k < 8; k++) {
        const jo_solid_def prism = {"prism", 1.0, 3 + 7 * k, k % 2 == 0 ? 0.01 : 1.0};
        if (jo_polyhedron_solid(&prism, &shape[k], &error) != JO_OK) fail_msg("%s", error.text);
    }
    for (int k = 0; k < 20000; k++) {
        const jo_polyhedron *a = shape[k % 8], *b = shape[k / 8 % 8];
        const jo_polyhedron_view v = jo_polyhedron_look(a), u = jo_polyhedron_look(b);
        const jo_pose here = random_pose(&r, 0.0);
        const jo_pose there = random_pose(&r, 1.2 * jo_random_uniform(&r));
        jo_feature_pair none = {{0, 0}, {0, 0}};
        jo_feature_pair pair = {
            {JO_FEATURE_FACE, (uint32_t)((double)v.faces * jo_random_uniform(&r))},
            {JO_FEATURE_VERTEX, (uint32_t)((double)u.vertices * jo_random_uniform(&r))}};
        jo_closest o, least;
        jo_features_follow(a, &here, b, &there, &pair, &o);
        if (!(-o.distance > 0.25 * fmin(v.inradius, u.inradius))) continue;
        jo_features_contact(a, &here, b, &there, &none, &least);
        assert_true(o.proved && least.proved);
        near(o.distance, least.distance, 1e-13);
        deep++;
    }
    assert_true(deep > 5000);
    for (size_t k = 0; k < 8; k++)
        jo_polyhedron_destroy(shape[k]);
}

/* How far a point is above the highest of a body's faces: 0 on its surface. */
static double above(const jo_polyhedron *p, const jo_pose *pose, const double x[3])
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    double most = -INFINITY;
    for (size_t f = 0; f < v.faces; f++) {
        double height = -v.planes[4 * f + 3];
        for (int k = 0; k < 3; k++)
            for (size_t l = 0; l < 3; l++)
                height +=
                    v.planes[4 * f + l] * pose->turn[3 * (size_t)k + l] * (x[k] - pose->at[k]);
        most = fmax(most, height);
    }
    return most;
}

/* A tetrahedron that nearly touches a prism of so many sides that its axes are not all looked at:
 * what is found instead has vertices for features, which need not see each other. */
static void points_of_many_axes(void **state)
{
    (void)state;
    const jo_solid_def prism = {"prism", 1.0, 300, 1.0};
    const jo_pose pose_a = {{-0.32897471253873362, -0.4022178644509955, 0.76415671706608346},
                            {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const jo_pose pose_b = {{0.11302474835925104, -1.4555519698566461, 1.2933159193289685},
                            {-0.55750210236179021, -0.0080904188394655512, -0.83013610389211845,
                             -0.57096608826498019, -0.72216175593261933, 0.39048703476517993,
                             -0.60265175011242678, 0.69167690679342331, 0.39798734238052236}};
    jo_polyhedron *a = solid("tetrahedron", 0.3), *b;
    jo_feature_pair pair = {{0, 0}, {0, 0}};
    jo_closest o;
    jo_error error = {0};
    if (jo_polyhedron_solid(&prism, &b, &error) != JO_OK) fail_msg("%s", error.text);
    jo_features_distance(a, &pose_a, b, &pose_b, &pair, &o);
    assert_false(o.overlap);
    near(above(a, &pose_a, o.on_a), 0.0, 1e-15);
    near(above(b, &pose_b, o.on_b), 0.0, 1e-15);
    jo_polyhedron_destroy(a);
    jo_polyhedron_destroy(b);
}

/* ---- polygons ---- */

static jo_polygon *polygon(random_stream *r, size_t n, double a, double b)
{
    double points[128], angle[64];
    jo_polygon *p;
    jo_error error = {0};
    for (size_t k = 0; k < n; k++)
        angle[k] = 2.0 * pi * ((double)k + 0.8 * jo_random_uniform(r)) / (double)n;
    for (size_t k = 0; k < n; k++) {
        points[2 * k] = a * cos(angle[k]);
        points[2 * k + 1] = b * sin(angle[k]);
    }
    if (jo_polygon_create(points, n, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static void world(const jo_polygon *p, const jo_pose2 *pose, double *x)
{
    const jo_polygon_view v = jo_polygon_look(p);
    for (size_t k = 0; k < v.n; k++) {
        const double *q = v.points + 2 * k;
        x[2 * k] = pose->at[0] + pose->cosine * q[0] - pose->sine * q[1];
        x[2 * k + 1] = pose->at[1] + pose->sine * q[0] + pose->cosine * q[1];
    }
}

/* The least depth over all edges of a (negative: separated by that), and the distance of a's
 * corners from b's edges. */
static void brute(const double *a, size_t n, const double *b, size_t m, double *depth,
                  double *distance)
{
    for (size_t k = 0; k < n; k++) {
        const double *p = a + 2 * k, *q = a + 2 * ((k + 1) % n);
        const double u[2] = {q[0] - p[0], q[1] - p[1]}, length = hypot(u[0], u[1]);
        double least = INFINITY;
        for (size_t i = 0; i < m; i++) {
            const double *x = b + 2 * i;
            least = fmin(least, (u[1] * (x[0] - p[0]) - u[0] * (x[1] - p[1])) / length);
            const double s = fmin(
                fmax((u[0] * (x[0] - p[0]) + u[1] * (x[1] - p[1])) / (length * length), 0.0), 1.0);
            *distance = fmin(*distance, hypot(p[0] + s * u[0] - x[0], p[1] + s * u[1] - x[1]));
        }
        *depth = fmin(*depth, -least);
    }
}

static void polygons(void **state)
{
    (void)state;
    random_stream r = jo_random_start(9, 0);
    jo_polygon *shape[12];
    int met = 0;
    uint32_t most = 0;
    for (size_t k = 0; k < 12; k++)
        shape[k] = polygon(&r, 3 + (k < 8 ? k : 5 * k), 1.0, k % 3 == 0 ? 0.05 : 1.0);
    for (int k = 0; k < 100000; k++) {
        const jo_polygon *a = shape[k % 12], *b = shape[k / 12 % 12];
        const size_t n = jo_polygon_look(a).n, m = jo_polygon_look(b).n;
        double x[128], y[128], depth = INFINITY, distance = INFINITY;
        jo_pose2 pa, pb;
        const double t = 2.0 * pi * jo_random_uniform(&r), s = 2.0 * pi * jo_random_uniform(&r);
        const double far = 3.0 * jo_random_uniform(&r), way = 2.0 * pi * jo_random_uniform(&r);
        pa = (jo_pose2){{0.3, -0.2}, cos(t), sin(t)};
        pb = (jo_pose2){{0.3 + far * cos(way), -0.2 + far * sin(way)}, cos(s), sin(s)};
        if (k % 10 == 0) pb.cosine = pa.cosine, pb.sine = pa.sine; /* parallel edges */
        if (k % 50 == 0) pb = pa, b = a;
        world(a, &pa, x);
        world(b, &pb, y);
        const size_t count = b == a ? n : m;
        brute(x, n, y, count, &depth, &distance);
        brute(y, count, x, n, &depth, &distance);
        const double expected = depth >= 0.0 ? -depth : distance;
        jo_feature_pair pair = {{(uint32_t)k % 3, (uint32_t)k % 3}, {(uint32_t)k % 4, 1}};
        jo_closest o;
        jo_features_polygons(a, &pa, b, &pb, &pair, &o);
        if (!(fabs(o.distance - expected) <= 1e-14))
            fail_msg("%d: %.17g is not %.17g", k, o.distance, expected);
        if (fabs(expected) > 1e-14) assert_int_equal(o.overlap, expected < 0.0);
        for (int i = 0; i < 3; i++)
            near(o.on_b[i] - o.on_a[i], o.distance * o.normal[i], 1e-14);
        near(o.normal[0] * o.normal[0] + o.normal[1] * o.normal[1], 1.0, 1e-14);
        jo_closest again;
        if (!o.overlap) jo_features_polygons(a, &pa, b, &pb, &pair, &again);
        if (!o.overlap && o.distance > 1e-12) assert_int_equal(again.iterations, 1);
        met += o.overlap;
        if (o.iterations > most) most = o.iterations;
    }
    assert_in_range(met, 10000, 90000);
    if (most > 150) fail_msg("%u iterations", most);
    for (size_t k = 0; k < 12; k++)
        jo_polygon_destroy(shape[k]);
}

static void polygon_shapes(void **state)
{
    (void)state;
    static const double box[] = {1, 1, 4, 1, 4, 2, 4, 3, 1, 3};
    static const struct {
        double points[12];
        size_t n;
        const char *word;
    } bad[] = {
        {{0, 0, 1, 0}, 2, "at least three"},
        {{0, 0, 1, 0, NAN, 1}, 3, "corner 2"},
        {{0, 0, 1, 0, 1, 0, 0, 1}, 4, "corners 1 and 2"},
        {{0, 0, 0, 1, 1, 0}, 3, "clockwise"},
        {{0, 0, 2, 0, 0.5, 0.5, 0, 2}, 4, "corner 2"},
        {{0, 0, 1, 1, 2, 2}, 3, "no area"},
    };
    jo_polygon *p;
    jo_error error = {0};
    assert_int_equal(jo_polygon_create(box, 5, &p, &error), JO_OK);
    const jo_polygon_view v = jo_polygon_look(p);
    assert_int_equal(v.n, 4);
    near(v.area, 6.0, 1e-14);
    near(v.inertia, 6.0 * (9.0 + 4.0) / 12.0, 1e-14);
    near(v.origin_moved[0], 2.5, 1e-15);
    near(v.origin_moved[1], 2.0, 1e-15);
    near(v.inradius, 1.0, 1e-15);
    jo_polygon_destroy(p);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        p = (jo_polygon *)1;
        assert_int_equal(jo_polygon_create(bad[k].points, bad[k].n, &p, &error), JO_ERR_DATA);
        assert_null(p);
        if (strstr(error.text, bad[k].word) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, bad[k].word);
    }
    double star[10]; /* a pentagram turns left at every corner */
    for (int k = 0; k < 5; k++) {
        star[2 * k] = cos(0.8 * pi * k);
        star[2 * k + 1] = sin(0.8 * pi * k);
    }
    assert_int_equal(jo_polygon_create(star, 5, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "around 2 times"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),         cmocka_unit_test(spheres),
        cmocka_unit_test(planes),        cmocka_unit_test(wrong_caches),
        cmocka_unit_test(subnormal),     cmocka_unit_test(gjk),
        cmocka_unit_test(bound),         cmocka_unit_test(least_axes),
        cmocka_unit_test(tetrahedra),    cmocka_unit_test(few_faces_each),
        cmocka_unit_test(followed_deep), cmocka_unit_test(points_of_many_axes),
        cmocka_unit_test(polygons),      cmocka_unit_test(polygon_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
