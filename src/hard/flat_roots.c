/* flat_roots.c — the first root of a polynomial of degree 8 in [0, 1], fast.
 *
 * Most triangles do not go flat, and are told apart first: with t the sum of |c_k| from k = 3 on,
 * the polynomial is at least c0 + c1 s + c2 s^2 - t s^3, whose coefficients in Bernstein's basis
 * are four simple sums; all positive means no root. Next comes the polynomial that falls all the
 * way: its root, if it has one, is found by Newton's method in a bracket.
 *
 * What is left is written in Bernstein's basis of degree n, where by Descartes' rule the number of
 * roots is at most that of the sign changes of the coefficients, and the polynomial lies between
 * the smallest and the largest of them. No sign change: no root. One: one root. Else the
 * differences of the coefficients are looked at, which are the derivative's: with one sign change
 * among them the polynomial falls to a single lowest place and rises after, which decides; a
 * grazing pass is settled here. Else the interval is halved (de Casteljau), the left half first.
 *
 * No root is missed unless the polynomial dips below zero by less than its own rounding, about
 * 1e-15 of the sum of |c_k|. Halving ends where all coefficients are within that rounding: then
 * zero is what it is. */
#include "hard/flat_roots.h"

#include <stdbool.h>

enum { STEPS_MAX = 200, DEPTH_MAX = 48 };

/* The root between lo and hi, where the polynomial is above zero and not above zero, beginning at
 * t; on the side of lo. */
static double refine(const double *c, int n, double lo, double hi, double t)
{
    double back = 4.0 * 0x1p-53;
    for (int step = 0; step < STEPS_MAX; step++) {
        double slope;
        const double p = flat_poly_slope(c, n, t, &slope);
        if (p > 0.0)
            lo = t;
        else
            hi = t;
        double next = t - p / slope;
        if (!(next >= lo && next <= hi)) next = 0.5 * (lo + hi);
        if (fabs(next - t) <= 0x1p-51 * t) {
            /* Back to where it is above zero. */
            const double before = t - back * t;
            if (before <= lo) return lo;
            if (flat_poly(c, n, before) > 0.0) return before;
            hi = before;
            back *= 2.0;
            next = fmax(lo, before - back * t);
            if (back > 0x1p-40) next = 0.5 * (lo + hi);
        }
        t = next;
    }
    return lo;
}

static int derivative(const double *c, int n, double *out)
{
    for (int k = 1; k <= n; k++)
        out[k - 1] = k * c[k];
    return n > 0 ? n - 1 : 0;
}

double jo_flat_inverted(const double *c, int n, flat_isolator isolate)
{
    double d[FLAT_DEGREE + 1] = {0}, moved[FLAT_DEGREE + 1];
    const double *slope = d;
    int m = derivative(c, n, d);
    while (m > 0 && *slope == 0.0)
        slope++, m--;
    if (!(*slope > 0.0)) return *slope < 0.0 ? 0.0 : (double)INFINITY;
    const double top = isolate(slope, m);
    if (!(top < 1.0)) return (double)INFINITY;
    if (!(flat_poly(c, n, top) > 0.0)) return top;
    /* It got above zero: the same polynomial from there on, its interval [top, 1] become [0, 1]. */
    memcpy(moved, c, ((size_t)n + 1) * sizeof *moved);
    for (int i = 0; i < n; i++)
        for (int k = n - 1; k >= i; k--)
            moved[k] += top * moved[k + 1];
    double power = 1.0;
    for (int k = 0; k <= n; k++, power *= 1.0 - top)
        moved[k] *= power;
    if (!(moved[0] > 0.0)) return top;
    const double rest = isolate(moved, n);
    return rest <= 1.0 ? top + (1.0 - top) * rest : (double)INFINITY;
}

typedef struct bernstein {
    const double *c; /* in powers, over [0, 1] */
    int n;
    double noise; /* what rounding can do to a value */
} bernstein;

/* The lowest place between lo and hi, where the slope is negative, and positive. */
static double lowest(const bernstein *p, double lo, double hi)
{
    double d[FLAT_DEGREE + 1], t = 0.5 * (lo + hi);
    const int m = derivative(p->c, p->n, d);
    for (int step = 0; step < STEPS_MAX; step++) {
        double curve;
        const double slope = flat_poly_slope(d, m, t, &curve);
        if (slope < 0.0)
            lo = t;
        else
            hi = t;
        double next = t - slope / curve;
        if (!(next >= lo && next <= hi)) next = 0.5 * (lo + hi);
        if (fabs(next - t) <= 1e-10 * t) return next; /* its square is what the value misses by */
        t = next;
    }
    return t;
}

typedef struct signs {
    int changes; /* + to - or back; zero counts as - */
    int turns;   /* from falling to rising or back; level counts as neither */
    bool falls;  /* before the first of them */
    double size; /* largest magnitude */
} signs;

static signs look(const double *b, int n)
{
    signs s = {.size = fabs(b[0])};
    int before = 0;
    for (int k = 1; k <= n; k++) {
        s.changes += (b[k] > 0.0) != (b[k - 1] > 0.0);
        s.size = fmax(s.size, fabs(b[k]));
        const int way = (b[k] > b[k - 1]) - (b[k] < b[k - 1]);
        if (way != 0) {
            if (before == 0) s.falls = way < 0;
            s.turns += before != 0 && way != before;
            before = way;
        }
    }
    return s;
}

static void halve(const double *b, int n, double *left, double *right)
{
    double work[FLAT_DEGREE + 1];
    memcpy(work, b, ((size_t)n + 1) * sizeof *work);
    for (int k = 0; k <= n; k++) {
        left[k] = work[0];
        right[n - k] = work[n - k];
        for (int i = 0; i < n - k; i++)
            work[i] = 0.5 * (work[i] + work[i + 1]);
    }
}

/* The first root in [lo, hi], where the polynomial has the coefficients b. */
static double descend(const bernstein *p, const double *b, double lo, double hi, int depth)
{
    const int n = p->n;
    if (!(b[0] > 0.0)) return lo;
    const signs s = look(b, n);
    if (s.changes == 0) return (double)INFINITY;
    /* Where the last coefficient is no more than rounding, its sign proves nothing about those
     * before. */
    if (s.changes == 1 && (b[n] < -p->noise || s.turns == 0 || (s.turns == 1 && !s.falls)))
        return refine(p->c, n, lo, hi, lo + (hi - lo) * b[0] / (b[0] - b[n]));
    if (s.turns == 1 && s.falls) {
        const double bottom = lowest(p, lo, hi);
        if (flat_poly(p->c, n, bottom) > 0.0) return (double)INFINITY;
        return refine(p->c, n, lo, bottom, lo + 0.5 * (bottom - lo));
    }
    if (s.size <= p->noise || depth == DEPTH_MAX) return lo;
    double left[FLAT_DEGREE + 1], right[FLAT_DEGREE + 1];
    const double mid = 0.5 * (lo + hi);
    halve(b, n, left, right);
    const double found = descend(p, left, lo, mid, depth + 1);
    return found <= mid ? found : descend(p, right, mid, hi, depth + 1);
}

static double by_bernstein(const double *c, int n, double size)
{
    static const double choose[FLAT_DEGREE + 1][FLAT_DEGREE + 1] = {
        {1},
        {1, 1},
        {1, 2, 1},
        {1, 3, 3, 1},
        {1, 4, 6, 4, 1},
        {1, 5, 10, 10, 5, 1},
        {1, 6, 15, 20, 15, 6, 1},
        {1, 7, 21, 35, 35, 21, 7, 1},
        {1, 8, 28, 56, 70, 56, 28, 8, 1},
    };
    double b[FLAT_DEGREE + 1];
    for (int k = 0; k <= n; k++)
        b[k] = c[k] / choose[n][k];
    for (int i = 1; i <= n; i++)
        for (int k = n; k >= i; k--)
            b[k] += b[k - 1];
    const bernstein p = {c, n, 0x1p-51 * size};
    return descend(&p, b, 0.0, 1.0, 0);
}

double jo_flat_isolate(const double *c, int n)
{
    double all[3] = {0}, tail = 0.0, steep = 0.0;
    for (int k = 0; k <= n && k < 3; k++)
        all[k] = c[k];
    for (int k = 3; k <= n; k++) {
        tail += fabs(c[k]);
        steep += k * fabs(c[k]);
    }
    const double c0 = all[0], c1 = all[1], c2 = all[2], end = c0 + c1 + c2;
    if (end > tail && 3.0 * c0 + c1 > 0.0 && 3.0 * c0 + 2.0 * c1 + c2 > 0.0)
        return (double)INFINITY;
    if (fmax(c1, c1 + 2.0 * c2) + steep < 0.0) { /* falls all the way */
        const double last = flat_poly(c, n, 1.0);
        if (last > 0.0) return (double)INFINITY;
        /* The first three terms are most of it. */
        const double square = c1 * c1 - 4.0 * c0 * c2;
        const double guess = square > 0.0 ? 2.0 * c0 / (sqrt(square) - c1) : c0 / (c0 - last);
        return refine(c, n, 0.0, 1.0, guess <= 1.0 ? guess : c0 / (c0 - last));
    }
    return by_bernstein(c, n, c0 + fabs(c1) + fabs(c2) + tail);
}

double jo_flat_root_fast(const double c[FLAT_DEGREE + 1], bool touching)
{
    return flat_first_fall(c, touching, jo_flat_isolate);
}
