/* test_flat_roots.c — first roots of polynomials of degree 8 against quadruple precision.
 *
 * A polynomial's coefficients are what they are, in double; what it does is then known to 33
 * digits: its lowest value on [0, x] lies at an end or where the derivative, whose roots are found
 * the same way, is zero. Of an answer x (or none) two things are demanded, with eps = 4e-15 times
 * the sum of |c_k|, which is what double precision cannot see:
 *
 *   none missed: the polynomial is above -eps on all of [0, x), or on [0, 1];
 *   no ghost: at x it is within eps of zero.
 *
 * The polynomials: random coefficients; those that shrink as a motion's do; made from roots
 * anywhere; with double roots; with roots at 0 and 1; with clusters of three to six; that graze;
 * with roots spaced evenly. JOSTLE_TEST_SCALE=0.02 tries 10^6. */
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
#include "support/scaled.h"

enum { N = FLAT_DEGREE, FAMILIES = 10 };

typedef double (*finder)(const double c[N + 1], bool touching);

static quad value(const quad *c, int n, quad s)
{
    quad p = c[n];
    for (int k = n - 1; k >= 0; k--)
        p = p * s + c[k];
    return p;
}

static quad magnitude(quad x)
{
    return x < 0 ? -x : x;
}

/* The root between lo and hi, where the signs differ: Newton's method in a bracket. */
static quad bracketed(const quad *c, const quad *d, int n, quad lo, quad hi)
{
    const bool rises = value(c, n, hi) > 0;
    quad t = (lo + hi) / 2;
    for (int step = 0; step < 400; step++) {
        const quad p = value(c, n, t), slope = value(d, n - 1, t);
        if ((p > 0) == rises)
            hi = t;
        else
            lo = t;
        quad next = slope != 0 ? t - p / slope : lo;
        if (!(next > lo && next < hi)) next = (lo + hi) / 2;
        if (magnitude(next - t) <= (quad)1e-33 * magnitude(t) || next == lo || next == hi)
            return next;
        t = next;
    }
    return t;
}

/* All places in (0, end) where c changes its sign. */
static int sign_changes(const quad *c, int n, quad end, quad *root)
{
    if (n == 0) return 0;
    quad d[N + 1], turn[N + 2];
    for (int k = 1; k <= n; k++)
        d[k - 1] = k * c[k];
    int turns = sign_changes(d, n - 1, end, turn), found = 0;
    turn[turns++] = end;
    quad lo = 0;
    for (int k = 0; k < turns; k++) {
        const quad a = value(c, n, lo), b = value(c, n, turn[k]);
        if ((a > 0) != (b > 0)) root[found++] = bracketed(c, d, n, lo, turn[k]);
        lo = turn[k];
    }
    return found;
}

static quad lowest_until(const double *c, quad x)
{
    quad q[N + 1], d[N + 1], turn[N + 1];
    for (int k = 0; k <= N; k++)
        q[k] = c[k];
    for (int k = 1; k <= N; k++)
        d[k - 1] = k * q[k];
    quad low = q[0];
    const int turns = sign_changes(d, N - 1, x, turn);
    turn[turns] = x;
    for (int k = 0; k <= turns; k++) {
        const quad v = value(q, N, turn[k]);
        if (v < low) low = v;
    }
    return low;
}

static double between(random_stream *r, double lo, double hi)
{
    return lo + (hi - lo) * jo_random_uniform(r);
}

static double tiny(random_stream *r, double decades)
{
    return pow(10.0, -between(r, 0, decades));
}

/* Multiplies by (s - root), or by (s - root)^2 + apart. */
static int times_root(quad *c, int n, quad root)
{
    c[n + 1] = 0;
    for (int k = n + 1; k > 0; k--)
        c[k] = c[k - 1] - root * c[k];
    c[0] = -root * c[0];
    return n + 1;
}

static int times_pair(quad *c, int n, quad root, quad apart)
{
    quad out[N + 3] = {0};
    const quad b = -2 * root, a = root * root + apart;
    for (int k = 0; k <= n; k++) {
        out[k] += a * c[k];
        out[k + 1] += b * c[k];
        out[k + 2] += c[k];
    }
    for (int k = 0; k <= n + 2; k++)
        c[k] = out[k];
    return n + 2;
}

static int add_roots(random_stream *r, quad *c, int n, int family)
{
    switch (family) {
    case 3:
        return times_pair(c, n, between(r, 0, 1), 0); /* double */
    case 4:
        return times_root(c, n, jo_random_uniform(r) < 0.5 ? 1 : between(r, 0, 1)); /* at the end */
    case 5:
        return times_root(c, n, tiny(r, 14)); /* near the start */
    case 6: {                                 /* cluster */
        const double at = between(r, 0, 1), width = tiny(r, 8);
        const int count = 3 + (int)between(r, 0, 4);
        for (int k = 0; k < count; k++)
            n = times_root(c, n, at + width * between(r, -1, 1));
        return n;
    }
    case 7: /* grazes: from above, or just below */
        return times_pair(c, n, between(r, 0, 1),
                          (jo_random_uniform(r) < 0.5 ? 1 : -1) * tiny(r, 18));
    case 8: /* evenly spaced */
        for (int k = 0; k < N; k++)
            n = times_root(c, n, (k + between(r, 0.2, 0.8)) / N);
        return n;
    default:
        return n;
    }
}

static void make(random_stream *r, int family, double c[N + 1])
{
    if (family <= 1) { /* random; shrinking as in a motion */
        const double shrink = family == 0 ? 1.0 : tiny(r, 2);
        double power = 1.0;
        for (int k = 0; k <= N; k++, power *= shrink)
            c[k] = between(r, -1, 1) * (k > 1 ? power : 1.0);
    } else if (family == 9) { /* a motion that nearly grazes */
        const double at = between(r, 0, 1), curve = between(r, 0, 1);
        c[0] = curve * at * at + (jo_random_uniform(r) < 0.5 ? 1 : -1) * tiny(r, 17);
        c[1] = -2 * curve * at;
        c[2] = curve;
        for (int k = 3; k <= N; k++)
            c[k] = 0.0;
        const double extra = tiny(r, 17);
        for (int k = 3; k <= N; k++)
            c[k] = extra * between(r, -1, 1);
    } else {
        quad q[N + 3] = {1};
        int n = add_roots(r, q, 0, family);
        while (n < N) {
            if (n < N - 1 && jo_random_uniform(r) < 0.5) {
                const double apart = between(r, -1, 1);
                n = times_pair(q, n, between(r, -1, 2), (quad)apart * apart);
            } else {
                n = times_root(q, n, between(r, -1, 2));
            }
        }
        for (int k = 0; k <= N; k++)
            c[k] = (double)q[k];
    }
    const double sign = c[0] < 0.0 ? -1.0 : 1.0, scale = pow(2.0, floor(between(r, -30, 30)));
    for (int k = 0; k <= N; k++)
        c[k] *= sign * scale;
}

static void judge(const double c[N + 1], double x, int family, size_t number, const char *name)
{
    double size = 0.0;
    quad q[N + 1];
    for (int k = 0; k <= N; k++) {
        size += fabs(c[k]);
        q[k] = c[k];
    }
    const double eps = 4e-15 * size;
    const bool found = x <= 1.0;
    const double low = (double)lowest_until(c, found ? x : 1);
    if (low < -eps)
        fail_msg("%s, family %d, polynomial %zu: missed, %g of %g before %.17g", name, family,
                 number, low, size, x);
    if (!found) return;
    const double at = (double)value(q, N, x);
    if (!(x >= 0.0 && fabs(at) <= eps))
        fail_msg("%s, family %d, polynomial %zu: a ghost at %.17g, %g of %g", name, family, number,
                 x, at, size);
}

static void try_all(finder find, const char *name)
{
    const size_t count = scaled(20000);
    size_t found[FAMILIES] = {0};
    for (size_t k = 0; k < count; k++) {
        const int family = (int)(k % FAMILIES);
        random_stream r = jo_random_start(8, k);
        double c[N + 1];
        make(&r, family, c);
        if (!(c[0] > 0.0)) continue;
        const double x = find(c, false);
        judge(c, x, family, k, name);
        found[family] += x <= 1.0;
    }
    for (int f = 0; f < FAMILIES; f++) /* the cases are not trivial */
        if (count >= 1000) assert_true(found[f] * FAMILIES * 50 > count);
}

static void test_fast(void **state)
{
    (void)state;
    try_all(jo_flat_root_fast, "fast");
}

static void test_sturm(void **state)
{
    (void)state;
    try_all(jo_flat_root_sturm, "sturm");
}

/* A start that counts as zero is divided out, whatever rounding made of it. */
static void test_touching(void **state)
{
    (void)state;
    const finder find[2] = {jo_flat_root_fast, jo_flat_root_sturm};
    const size_t count = scaled(10000);
    for (size_t k = 0; k < count; k++) {
        random_stream r = jo_random_start(9, k);
        double q[N + 1], c[N + 1];
        make(&r, (int)(k % FAMILIES), q);
        c[0] = (k % 3 == 0 ? 1e-16 : k % 3 == 1 ? -1e-16 : 0.0) * fabs(q[1]);
        for (int i = 1; i <= N; i++)
            c[i] = q[i - 1];
        q[N] = 0.0;
        const bool falls = k % 5 == 0;
        if (falls) c[1] = q[0] = -q[0];
        if (q[0] == 0.0) continue;
        for (int f = 0; f < 2; f++) {
            const double x = find[f](c, true);
            if (falls)
                assert_true(x == 0.0);
            else
                judge(q, x, (int)(k % FAMILIES), k, f == 0 ? "touching, fast" : "touching, sturm");
        }
    }
    /* Derivatives decide in their order; nothing moves: never. */
    const double zero[N + 1] = {0}, up[N + 1] = {0, 0, 1}, down[N + 1] = {0, 0, -1};
    const double later[N + 1] = {1e-18, 0, 0, 1, -2};
    for (int f = 0; f < 2; f++) {
        assert_true(find[f](zero, true) > 1.0);
        assert_true(find[f](zero, false) > 1.0);
        assert_true(find[f](up, true) > 1.0);
        assert_true(find[f](down, true) == 0.0);
        assert_true(fabs(find[f](later, true) - 0.5) < 1e-15);
    }
}

/* A start below zero: falls at once, or where it begins to fall, or comes down again. */
static void test_inverted(void **state)
{
    (void)state;
    const finder find[2] = {jo_flat_root_fast, jo_flat_root_sturm};
    const double falls[N + 1] = {-1, -1}, rises[N + 1] = {-1, 1, 0, 0.1}, still[N + 1] = {-1};
    const double hill[N + 1] = {-1, 1, -1};           /* highest at 1/2, below zero */
    const double crosses[N + 1] = {-2, 14, -16};      /* zero at 0.18, 0.69 */
    const double flat_hill[N + 1] = {-1, 0, 0.5, -1}; /* slope zero at the start; turns at 1/3 */
    for (int f = 0; f < 2; f++) {
        assert_true(find[f](falls, false) == 0.0);
        assert_true(find[f](rises, false) > 1.0);
        assert_true(find[f](still, false) > 1.0);
        assert_true(fabs(find[f](hill, false) - 0.5) < 1e-7);
        assert_true(fabs(find[f](crosses, false) - (7.0 + sqrt(17.0)) / 16.0) < 1e-15);
        assert_true(fabs(find[f](flat_hill, false) - 1.0 / 3.0) < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast),
        cmocka_unit_test(test_sturm),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_inverted),
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
