/* The closest features of polyhedra that nearly touch, against proofs in long double.
 *
 * A vertex, edge or face of one body is laid on one of the other, edges along each other but for an
 * angle of 1e-11 to 1e-5, with a gap or overlap of 0 or 1e-14 to 1e-5 of the size: rounding alone
 * would decide which features look the closest. Each pair is asked without a start, from random
 * features and from its own answer. An answer is proved: its points are on both surfaces and on the
 * features told, the distance is that of the points, and the bodies are as far apart along the
 * normal told, which leads from the one to the other. Of an overlap so are the points of the depth.
 * None is told where a direction separates the bodies. Whether bodies within 1e-13 of their size
 * touch, rounding decides.
 *
 *   JOSTLE_FEATURES_PAIRS=1000000 test_features_near     as many pairs; 20,000 by itself */
#include <inttypes.h>
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
#include "support/draws.h"

enum { SHAPES = 9, STARTS = 4 };

typedef long double real;

typedef struct placed {
    const jo_polyhedron *shape;
    jo_polyhedron_view v;
    jo_pose pose;
} placed;

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const real a[3], const real b[3], real c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static real unit(real a[3])
{
    const real length = sqrtl(dot(a, a));
    for (int k = 0; k < 3; k++)
        a[k] /= length;
    return length;
}

/* ---- bodies ---- */

static void make_shapes(jo_polyhedron *shape[SHAPES])
{
    static const jo_solid_def def[SHAPES] = {
        {"tetrahedron", 1.0, 0, 0.0},  {"cube", 1.0, 0, 0.0},    {"octahedron", 0.4, 0, 0.0},
        {"dodecahedron", 1.0, 0, 0.0}, {"prism", 1.0, 3, 1.0},   {"prism", 1.0, 6, 1.0},
        {"prism", 1.0, 8, 0.001},      {"prism", 1.0, 4, 100.0}, {"prism", 0.1, 12, 0.3}};
    jo_error error = {0};
    for (int k = 0; k < SHAPES; k++)
        if (jo_polyhedron_solid(&def[k], &shape[k], &error) != JO_OK) fail_msg("%s", error.text);
}

/* A point of some feature, a direction in which it is extreme, and one along it. */
typedef struct spot {
    real x[3], n[3], u[3];
} spot;

static spot any_spot(random_stream *r, const jo_polyhedron_view *v, bool edge)
{
    const uint32_t h = below(r, 2 * v->edges), t = v->twin[h];
    const double *from = v->points + 3 * (size_t)v->origin[h];
    const double *to = v->points + 3 * (size_t)v->origin[t];
    const real share = !edge && below(r, 2) == 0 ? 0.0L : jo_random_uniform(r);
    real mixed = !edge && below(r, 2) == 0 ? 0.0L : jo_random_uniform(r);
    spot s;
    for (int k = 0; k < 3; k++) {
        const real n = v->planes[4 * (size_t)v->face[h] + (size_t)k];
        const real m = v->planes[4 * (size_t)v->face[t] + (size_t)k];
        s.u[k] = (real)to[k] - from[k];
        s.x[k] = from[k] + share * s.u[k];
        s.n[k] = (1.0L - mixed) * n + mixed * m;
    }
    unit(s.n);
    const real off = dot(s.u, s.n);
    for (int k = 0; k < 3; k++)
        s.u[k] -= off * s.n[k];
    unit(s.u);
    return s;
}

/* The matrix with columns u, n, u × n. */
static void frame(const real u[3], const real n[3], real m[9])
{
    real c[3];
    cross(u, n, c);
    for (int k = 0; k < 3; k++) {
        m[3 * k] = u[k];
        m[3 * k + 1] = n[k];
        m[3 * k + 2] = c[k];
    }
}

static void into_world(const jo_pose *pose, const real x[3], real y[3])
{
    for (int k = 0; k < 3; k++)
        y[k] =
            pose->turn[3 * k] * x[0] + pose->turn[3 * k + 1] * x[1] + pose->turn[3 * k + 2] * x[2];
}

/* Puts b on a: the spot of b on that of a, looking at each other, along each other but for a small
 * turn, `gap` away. */
static void lay_on(random_stream *r, placed *a, placed *b, real normal[3])
{
    const bool edges = below(r, 2) == 0;
    const spot s = any_spot(r, &a->v, edges), t = any_spot(r, &b->v, edges);
    real f[9], g[9], back[3], x[3], y[3];
    double q[4] = {1.0};
    jo_pose tilt;
    for (int k = 0; k < 3; k++) {
        q[k + 1] = below(r, 3) == 0 ? 0.0 : any_size(r, -11.0, -5.0);
        back[k] = -t.n[k];
    }
    jo_pose_turn(&tilt, q);
    frame(s.u, s.n, f);
    frame(t.u, back, g);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            real sum = 0.0L;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    real turned = 0.0L;
                    for (int m = 0; m < 3; m++)
                        turned += (real)a->pose.turn[3 * k + m] * f[3 * m + i];
                    sum += turned * tilt.turn[3 * i + j] * g[3 * l + j];
                }
            b->pose.turn[3 * k + l] = (double)sum;
        }
    const double size = a->v.radius + b->v.radius;
    const double gap = below(r, 4) == 0 ? 0.0 : size * any_size(r, -14.0, -5.0);
    into_world(&a->pose, s.n, normal);
    into_world(&a->pose, s.x, x);
    into_world(&b->pose, t.x, y);
    for (int k = 0; k < 3; k++)
        b->pose.at[k] = (double)(a->pose.at[k] + x[k] + gap * normal[k] - y[k]);
}

/* ---- proofs ---- */

static void corner(const placed *p, uint32_t v, real x[3])
{
    const double *own = p->v.points + 3 * (size_t)v;
    into_world(&p->pose, (real[3]){own[0], own[1], own[2]}, x);
    for (int k = 0; k < 3; k++)
        x[k] += p->pose.at[k];
}

static real apart_along(const placed *a, const placed *b, const real n[3])
{
    real most = -INFINITY, least = INFINITY, x[3];
    for (uint32_t v = 0; v < a->v.vertices; v++) {
        corner(a, v, x);
        most = fmaxl(most, dot(n, x));
    }
    for (uint32_t v = 0; v < b->v.vertices; v++) {
        corner(b, v, x);
        least = fminl(least, dot(n, x));
    }
    return least - most;
}

/* How far a point is above a face, and above the highest of all. */
static real above_face(const placed *p, uint32_t f, const double x[3])
{
    const double *plane = p->v.planes + 4 * (size_t)f;
    real n[3], sum = -plane[3];
    into_world(&p->pose, (real[3]){plane[0], plane[1], plane[2]}, n);
    for (int k = 0; k < 3; k++)
        sum += n[k] * ((real)x[k] - p->pose.at[k]);
    return sum;
}

static real above(const placed *p, const double x[3])
{
    real most = -INFINITY;
    for (uint32_t f = 0; f < p->v.faces; f++)
        most = fmaxl(most, above_face(p, f, x));
    return most;
}

static real off_feature(const placed *p, jo_feature f, const double x[3])
{
    if (f.kind == JO_FEATURE_FACE) return fabsl(above_face(p, f.index, x));
    real y[3], z[3], d[3], u[3] = {0.0L, 0.0L, 0.0L};
    const bool edge = f.kind == JO_FEATURE_EDGE;
    corner(p, edge ? p->v.origin[f.index] : f.index, y);
    if (edge) {
        corner(p, p->v.origin[p->v.twin[f.index]], z);
        for (int k = 0; k < 3; k++)
            u[k] = z[k] - y[k];
        unit(u);
    }
    for (int k = 0; k < 3; k++)
        d[k] = (real)x[k] - y[k];
    const real along = dot(d, u);
    for (int k = 0; k < 3; k++)
        d[k] -= along * u[k];
    return sqrtl(dot(d, d));
}

/* What is wrong with an answer; NULL: nothing. `normal`: the bodies were laid on each other so. */
static const char *judge(const placed *a, const placed *b, const real normal[3],
                         const jo_closest *o)
{
    const real size = a->v.radius + b->v.radius, d = o->distance;
    const real slack = 1e-13L * size, within = 1e-9L * fabsl(d) + 2.5L * slack;
    const real n[3] = {o->normal[0], o->normal[1], o->normal[2]};
    if (!o->exact) return "not exact";
    if (d < 0.0L || (o->overlap && d != 0.0L)) return "the sign of the distance";
    if (!(d >= apart_along(a, b, normal) - within)) return "less than they are apart";
    if (o->overlap) return NULL;
    real between[3], off[3];
    for (int k = 0; k < 3; k++) {
        between[k] = (real)o->on_b[k] - o->on_a[k];
        off[k] = between[k] - d * n[k];
    }
    if (!(fabsl(sqrtl(dot(n, n)) - 1.0L) <= 1e-14L)) return "the normal's length";
    if (!(fabsl(sqrtl(dot(between, between)) - d) <= slack)) return "not the points' distance";
    if (!(fabsl(above(a, o->on_a)) <= slack && fabsl(above(b, o->on_b)) <= slack))
        return "a point that is not on the surface";
    if (!(off_feature(a, o->features.a, o->on_a) <= slack &&
          off_feature(b, o->features.b, o->on_b) <= slack))
        return "a point that is not on its feature";
    if (!(apart_along(a, b, n) >= d - within)) return "not as far apart along the normal";
    return sqrtl(dot(off, off)) <= 1e-9L * size ? NULL : "the normal does not lead there";
}

/* The same of an overlap with its depth; *beside: how far its points are from being on one line
 * along the normal, of the size. */
static const char *judge_depth(const placed *a, const placed *b, const jo_closest *o, real *beside)
{
    const real size = a->v.radius + b->v.radius, d = o->distance;
    const real n[3] = {o->normal[0], o->normal[1], o->normal[2]};
    real off[3];
    for (int k = 0; k < 3; k++)
        off[k] = (real)o->on_b[k] - o->on_a[k] - d * n[k];
    if (d > 0.0L) return "the sign of the depth";
    if (!(fabsl(apart_along(a, b, n) - d) <= 1e-10L * -d + 1e-13L * size))
        return "not the depth along the normal";
    if (!(fabsl(above(a, o->on_a)) <= 1e-12L * size && fabsl(above(b, o->on_b)) <= 1e-12L * size))
        return "a point of an overlap that is not on the surface";
    *beside = sqrtl(dot(off, off)) / size;
    return NULL;
}

static jo_feature any_feature(random_stream *r, const jo_polyhedron_view *v)
{
    const size_t count[4] = {1, v->vertices, 2 * v->edges, v->faces};
    const uint32_t kind = 1 + below(r, 3);
    return (jo_feature){kind, below(r, count[kind])};
}

typedef struct tally {
    uint64_t apart, overlaps, beside;
} tally;

static int check_pair(uint64_t number, jo_polyhedron *const *shape, tally *sum)
{
    random_stream r = jo_random_start(34, number);
    placed a = {.shape = shape[below(&r, SHAPES)]}, b = {.shape = shape[below(&r, SHAPES)]};
    jo_feature_pair start = {0}, pair;
    double q[4];
    real normal[3];
    int faults = 0;
    a.v = jo_polyhedron_look(a.shape);
    b.v = jo_polyhedron_look(b.shape);
    for (int k = 0; k < 4; k++)
        q[k] = jo_random_normal(&r);
    jo_pose_turn(&a.pose, q);
    for (int k = 0; k < 3; k++)
        a.pose.at[k] = either(&r);
    lay_on(&r, &a, &b, normal);
    for (int s = 0; s < STARTS; s++) {
        jo_closest o;
        pair = start;
        jo_features_distance(a.shape, &a.pose, b.shape, &b.pose, &pair, &o);
        const char *fault = judge(&a, &b, normal, &o);
        if (o.overlap) {
            jo_feature_pair again = start;
            jo_features_contact(a.shape, &a.pose, b.shape, &b.pose, &again, &o);
            real beside = 0.0L;
            if (o.overlap) fault = judge_depth(&a, &b, &o, &beside);
            sum->overlaps++;
            sum->beside += beside > 1e-5L;
        }
        sum->apart += !o.overlap;
        if (fault != NULL && faults++ == 0)
            print_message("pair %" PRIu64 " (%zu and %zu faces) from %u:%u %u:%u: %s; told %.10g, "
                          "features %u:%u %u:%u\n",
                          number, a.v.faces, b.v.faces, start.a.kind, start.a.index, start.b.kind,
                          start.b.index, fault, o.distance, o.features.a.kind, o.features.a.index,
                          o.features.b.kind, o.features.b.index);
        start = s == STARTS - 2 ? pair
                                : (jo_feature_pair){any_feature(&r, &a.v), any_feature(&r, &b.v)};
    }
    return faults;
}

static void pairs(void **state)
{
    (void)state;
    const char *text = getenv("JOSTLE_FEATURES_PAIRS");
    const uint64_t count = text == NULL ? 20000 : strtoull(text, NULL, 10);
    jo_polyhedron *shape[SHAPES];
    tally sum = {0};
    int wrong = 0;
    make_shapes(shape);
    for (uint64_t k = 0; k < count && wrong < 20; k++)
        wrong += check_pair(k, shape, &sum) > 0;
    print_message("%" PRIu64 " apart, %" PRIu64 " overlaps, %" PRIu64
                  " of them with points not along "
                  "the normal\n",
                  sum.apart, sum.overlaps, sum.beside);
    assert_int_equal(wrong, 0);
    assert_true(4 * sum.apart > STARTS * count);
    assert_true(1000 * sum.beside <= sum.overlaps);
    for (int k = 0; k < SHAPES; k++)
        jo_polyhedron_destroy(shape[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
