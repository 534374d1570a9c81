/* test_flat_time.c — when triangles of moving corners go flat, against the true motion in quadruple
 * precision.
 *
 * Random pairs and triples of bodies: a corner of one and an edge of another, three bodies, a body
 * and a wall, a start that is flat, a gap to be kept. The reference knows nothing of the library's
 * ways: it looks at 400 places (and at the lowest place wherever three of them make a valley), and
 * where the sign changes first, bisects in quadruple precision with its own sine and cosine.
 * Demanded:
 *
 *   of `exact`: the same time within 1e-12, and no answer where the reference has none; where the
 *     triangle goes flat so slowly that rounding of places decides, that the area is then zero
 * within it; of `fast` and `sturm`: that the true area at their time is within jo_flat_series_error
 * of zero, and was not below minus that before; with spins that keep the period.
 *
 * JOSTLE_TEST_SCALE=0.05 tries 10^5. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/quad_balls.h" /* what a quad is */

#if QUAD_AVAILABLE

#include "base/random.h"
#include "hard/flat_time.h"
#include "support/quad_turn.h"
#include "support/scaled.h"

enum { PLACES = 400, KINDS = 5 };

typedef struct setup {
    flat_body body[3];
    flat_triangle triangle;
} setup;

static double between(random_stream *r, double lo, double hi)
{
    return lo + (hi - lo) * jo_random_uniform(r);
}

static void quad_place(const flat_corner *c, quad u, quad p[2])
{
    const flat_body *b = c->body;
    quad co, si;
    quad_turn((quad)b->spin * u, &co, &si);
    for (int i = 0; i < 2; i++)
        p[i] = (quad)b->x[i] + u * ((quad)b->v[i] + u * (quad)b->a[i] / 2);
    p[0] += co * c->r[0] - si * c->r[1];
    p[1] += co * c->r[1] + si * c->r[0];
}

static quad quad_area(const flat_triangle *t, quad u)
{
    quad p[3][2];
    for (int k = 0; k < 3; k++)
        quad_place(&t->corner[k], u, p[k]);
    return (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]) -
           (quad)t->level;
}

static double rough_area(const flat_triangle *t, double u)
{
    double p[3][2];
    for (int k = 0; k < 3; k++) {
        const flat_corner *c = &t->corner[k];
        const double co = cos(c->body->spin * u), si = sin(c->body->spin * u);
        for (int i = 0; i < 2; i++)
            p[k][i] = c->body->x[i] + u * (c->body->v[i] + 0.5 * u * c->body->a[i]);
        p[k][0] += co * c->r[0] - si * c->r[1];
        p[k][1] += co * c->r[1] + si * c->r[0];
    }
    return (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]) -
           t->level;
}

static quad bisect(const flat_triangle *t, quad zero, quad lo, quad hi)
{
    for (int k = 0; k < 80; k++) {
        const quad mid = (lo + hi) / 2;
        if (quad_area(t, mid) > zero)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The lowest place between a and c. */
static double valley(const flat_triangle *t, double a, double c)
{
    for (int k = 0; k < 60; k++) {
        const double l = a + (c - a) * 0.382, r = a + (c - a) * 0.618;
        if (rough_area(t, l) < rough_area(t, r))
            c = r;
        else
            a = l;
    }
    return 0.5 * (a + c);
}

/* The first fall to zero, the area at the start being above zero or counted as zero and rising; -1:
 * none. */
static double reference(const flat_triangle *t)
{
    const quad zero = t->touching ? quad_area(t, 0) : 0;
    const double base = (double)zero;
    double at[2] = {0.0, 0.0}, value[2] = {1.0, 1.0}; /* the two places before */
    for (int k = 1; k <= PLACES; k++) {
        /* Closer together at the start, where what has just been zero may be so again. */
        const double f = (double)k / PLACES, u = t->until * (t->touching ? f * f * f : f);
        const double v = rough_area(t, u) - base;
        if (k > 2 && v > value[1] && value[1] < value[0] && value[1] > 0.0) {
            const double low = valley(t, at[0], u);
            if (quad_area(t, low) < zero) return (double)bisect(t, zero, at[0], low);
        }
        if (v <= 0.0) return (double)bisect(t, zero, at[1], u);
        at[0] = at[1];
        value[0] = value[1];
        at[1] = u;
        value[1] = v;
    }
    return -1.0;
}

static flat_body random_body(random_stream *r, double spin)
{
    flat_body b = {.a = {0.0, -9.81}, .spin = between(r, -spin, spin)};
    for (int i = 0; i < 2; i++)
        b.v[i] = between(r, -1, 1);
    return b;
}

static void set_corner(setup *s, int corner, int body, double x, double y)
{
    s->triangle.corner[corner] =
        (flat_corner){&s->body[body], {x - s->body[body].x[0], y - s->body[body].x[1]}};
}

/* A triangle with corners 0 and 1 about one apart and 2 above them; bodies somewhere around. */
static void make(random_stream *r, int kind, double spin, setup *s)
{
    for (int k = 0; k < 3; k++)
        s->body[k] = random_body(r, spin);
    const double offset[2] = {between(r, -30, 30), between(r, -30, 30)};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            s->body[k].x[i] = offset[i] + between(r, -1, 1);
    if (kind == 2) s->body[0] = (flat_body){.x = {offset[0], offset[1]}};
    s->triangle = (flat_triangle){.until = between(r, 0.05, 1.0), .touching = kind == 3};
    const double angle = between(r, 0, 6.283185307179586), c = cos(angle), sn = sin(angle);
    const double height = kind == 3 ? 0.0 : between(r, 0.001, 0.3), along = between(r, -0.2, 1.2);
    const double place[3][2] = {{0, 0}, {1, 0}, {along, height}};
    const int of[KINDS][3] = {{0, 0, 1}, {0, 1, 2}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    for (int k = 0; k < 3; k++)
        set_corner(s, k, of[kind][k], offset[0] + c * place[k][0] - sn * place[k][1],
                   offset[1] + sn * place[k][0] + c * place[k][1]);
    if (kind == 4) s->triangle.level = height * between(r, 0, 0.9);
}

static double slope_at(const flat_triangle *t, double u)
{
    const quad h = (quad)1e-12;
    return (double)((quad_area(t, u + h) - quad_area(t, u - h)) / (2 * h));
}

static void judge_exact(const flat_triangle *t, const flat_answer *got, size_t number)
{
    const double noise = 4e-13; /* of areas, of places up to 30 */
    const double expected = reference(t);
    if (got->flat) {
        const quad zero = t->touching ? quad_area(t, 0) : 0;
        const double left = (double)(quad_area(t, got->when) - zero);
        if (!(fabs(left) < noise))
            fail_msg("triangle %zu: a ghost at %.17g, area %g", number, got->when, left);
    }
    const double horizon = got->flat ? got->when : t->until;
    if (expected < 0.0 || (expected > got->when && !got->flat)) return;
    const double slope = slope_at(t, expected);
    if (fabs(slope) < 1e-1) return; /* a grazing pass: places, rounded at 30, decide when */
    if (!got->flat || !(fabs(got->when - expected) <= 1e-12))
        fail_msg("triangle %zu: %s %.17g, not %.17g (until %g, slope %g)", number,
                 got->flat ? "flat at" : "not flat until", horizon, expected, t->until, slope);
}

static size_t judged;

static void test_exact(void **state)
{
    (void)state;
    const size_t count = scaled(5000);
    size_t flat = 0, cut = 0;
    for (size_t k = 0; k < count; k++) {
        random_stream r = jo_random_start(11, k);
        setup s;
        make(&r, (int)(k % KINDS), k % 2 == 0 ? 20.0 : 2.0, &s);
        const flat_answer got = jo_flat_time(&s.triangle, FLAT_EXACT);
        assert_true(got.when >= 0.0 && got.when <= s.triangle.until);
        flat += got.flat;
        cut += !got.flat && got.when < s.triangle.until;
        if (s.triangle.touching) {
            double slope;
            jo_flat_value(&s.triangle, 0.0, &slope);
            if (slope < 0.0) {
                assert_true(got.flat && got.when == 0.0);
                continue;
            }
        }
        judge_exact(&s.triangle, &got, k);
        judged++;
    }
    assert_true(4 * flat > count && 4 * (count - flat) > count && 200 * cut <= count);
}

static void judge_series(const flat_triangle *t, const flat_answer *got, const char *name,
                         size_t number)
{
    const double zero = t->touching ? rough_area(t, 0.0) : 0.0;
    const double bound = jo_flat_series_error(t) + 4e-13;
    for (int k = 0; k <= PLACES; k++) {
        const double u = got->when * k / PLACES, v = rough_area(t, u) - zero;
        if (v < -bound)
            fail_msg("%s, triangle %zu: missed, at %g of %g it is %g, bound %g", name, number, u,
                     got->when, v, bound);
    }
    if (!got->flat) return;
    const double left = (double)quad_area(t, got->when) - zero;
    if (!(fabs(left) <= bound))
        fail_msg("%s, triangle %zu: a ghost at %.17g, area %g, bound %g", name, number, got->when,
                 left, bound);
}

static void test_series(void **state)
{
    (void)state;
    const size_t count = scaled(5000);
    const flat_method method[2] = {FLAT_FAST, FLAT_STURM};
    size_t flat = 0;
    for (size_t k = 0; k < count; k++) {
        random_stream r = jo_random_start(12, k);
        const double accuracy = k % 2 == 0 ? 8.4e-8 : 1e-11;
        setup s;
        make(&r, (int)(k % KINDS), 20.0, &s);
        double spin = 0.0;
        for (int i = 0; i < 3; i++)
            spin = fmax(spin, fabs(s.body[i].spin));
        s.triangle.until = fmin(s.triangle.until, jo_flat_period(spin, accuracy));
        /* The stated bound itself: 2 * 30 |r| accuracy covers edges of length up to 10. */
        assert_true(jo_flat_series_error(&s.triangle) <= 100.0 * accuracy);
        double time[2];
        for (int m = 0; m < 2; m++) {
            const flat_answer got = jo_flat_time(&s.triangle, method[m]);
            judge_series(&s.triangle, &got, m == 0 ? "fast" : "sturm", k);
            time[m] = got.flat ? got.when : INFINITY;
            flat += got.flat;
        }
        double slope = 1.0;
        if (time[0] < (double)INFINITY) jo_flat_value(&s.triangle, time[0], &slope);
        if (fabs(slope) > 1e-2 && time[0] != time[1])
            assert_true(fabs(time[0] - time[1]) < 1e-13 / fabs(slope) + 1e-15);
    }
    assert_true(10 * flat > count);
}

/* What is defined for triangles that are flat at the start. */
static void test_flat_start(void **state)
{
    (void)state;
    const flat_body still = {.x = {0.0, 0.0}};
    flat_body moving = {.x = {0.5, 0.0}};
    flat_triangle t = {.corner = {{&still, {0, 0}}, {&still, {1, 0}}, {&moving, {0, 0}}},
                       .until = 1.0};
    const flat_method all[3] = {FLAT_FAST, FLAT_STURM, FLAT_EXACT};
    for (int k = 0; k < 12; k++) {
        const flat_method m = all[k % 3];
        t.touching = k / 3 % 2 == 1;
        moving.v[0] = k < 6 ? 0.0 : 0.3;
        moving.v[1] = moving.a[1] = 0.0; /* rests on the edge, or slides along it */
        flat_answer a = jo_flat_time(&t, m);
        assert_true(!a.flat && a.when == 1.0);
        moving.v[1] = -1e-9; /* goes in */
        a = jo_flat_time(&t, m);
        assert_true(a.flat && a.when == 0.0);
        moving.v[1] = 1e-9; /* leaves, and falls back after two nanoseconds: lower than rounding */
        moving.a[1] = -1.0;
        a = jo_flat_time(&t, m);
        assert_true(a.flat && fabs(a.when - 2e-9) < 1e-20);
        moving.v[1] = 0.0; /* is pressed in */
        a = jo_flat_time(&t, m);
        assert_true(a.flat && a.when == 0.0);
        moving.a[1] = 1.0; /* is lifted */
        a = jo_flat_time(&t, m);
        assert_true(!a.flat && a.when == 1.0);
    }
    t.corner[2].body = &still; /* of one body, whatever the rest */
    assert_true(!jo_flat_time(&t, FLAT_FAST).flat);
}

/* A body that begins inverted by a little and comes out is left in peace; one that goes deeper is
 * not. */
static void test_inverted_start(void **state)
{
    (void)state;
    const flat_body still = {.x = {0.0, 0.0}};
    flat_body moving = {.x = {0.5, -1e-9}};
    flat_triangle t = {.corner = {{&still, {0, 0}}, {&still, {1, 0}}, {&moving, {0, 0}}},
                       .until = 1.0};
    const flat_method all[3] = {FLAT_FAST, FLAT_STURM, FLAT_EXACT};
    for (int k = 0; k < 3; k++) {
        moving.v[1] = 1.0;
        moving.a[1] = 0.0;
        assert_true(!jo_flat_time(&t, all[k]).flat);
        moving.a[1] = -4.0; /* up, and down again at 1/2 */
        const flat_answer a = jo_flat_time(&t, all[k]);
        assert_true(a.flat && fabs(a.when - 0.5) < 1e-8);
        moving.v[1] = -1.0;
        const flat_answer b = jo_flat_time(&t, all[k]);
        assert_true(b.flat && b.when == 0.0);
        moving.v[1] = 1e-6; /* rises by 1e-13 only: falls again at 2.5e-7 */
        const flat_answer c = jo_flat_time(&t, all[k]);
        assert_true(c.flat && fabs(c.when - 2.5e-7) < 1e-12);
    }
}

/* Places of a corner by the true motion. */
static void corner_at(const flat_corner *c, double u, double out[2])
{
    const flat_body b = jo_flat_body_at(c->body, u);
    double arm[2];
    jo_flat_arm_at(c->body, c->r, u, arm);
    out[0] = b.x[0] + arm[0];
    out[1] = b.x[1] + arm[1];
}

static double distance_at(const flat_triangle *t, double u)
{
    double p[2], q[2];
    corner_at(&t->corner[0], u, p);
    corner_at(&t->corner[1], u, q);
    return hypot(p[0] - q[0], p[1] - q[1]);
}

/* When the distance of two corners falls to a level: against dense sampling of the true motion. */
static void test_distances(void **state)
{
    (void)state;
    random_stream r = jo_random_start(5, 3);
    const flat_method all[3] = {FLAT_FAST, FLAT_STURM, FLAT_EXACT};
    int met = 0;
    const int count = (int)scaled(3000), samples = 2000;
    for (int n = 0; n < count; n++) {
        flat_body body[2];
        flat_triangle t = {.until = 0.02, .distance = true};
        for (int k = 0; k < 2; k++) {
            body[k] = (flat_body){.a = {0.0, k == 0 ? -9.81 : 0.0}, .spin = between(&r, -4, 4)};
            for (int i = 0; i < 2; i++) {
                body[k].v[i] = between(&r, -1, 1);
                t.corner[k].r[i] = between(&r, -1, 1);
            }
            t.corner[k].body = &body[k];
        }
        for (int i = 0; i < 2; i++)
            body[1].x[i] = t.corner[0].r[i] - t.corner[1].r[i] + between(&r, -0.02, 0.02);
        t.corner[2] = t.corner[1];
        const double level = 0.5 * distance_at(&t, 0.0);
        t.level = level * level;
        double first = INFINITY;
        for (int k = 1; k <= samples && isinf(first); k++)
            if (distance_at(&t, t.until * k / samples) < level) first = t.until * k / samples;
        met += !isinf(first);
        for (int k = 0; k < 3; k++) {
            const flat_answer a = jo_flat_time(&t, all[k]);
            assert_true(a.flat || isinf(first));
            if (!a.flat) continue;
            assert_true(a.when <= first && fabs(distance_at(&t, a.when) - level) < 1e-7);
            if (all[k] == FLAT_EXACT) assert_true(fabs(distance_at(&t, a.when) - level) < 1e-14);
        }
    }
    assert_true(8 * met > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),      cmocka_unit_test(test_series),
        cmocka_unit_test(test_flat_start), cmocka_unit_test(test_inverted_start),
        cmocka_unit_test(test_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("no quadruple precision on this machine: skipped");
    return 0;
}

#endif
