/* roots.c — where polynomials of degree up to eight fall, and where they turn.
 *
 * Between two neighbouring zeros of its derivative a polynomial is monotone and has at most one
 * root, which bisection cannot miss; the zeros of the derivative are found the same way, down to a
 * quadratic. Newton steps that stay inside the bracket make it fast: no root is ever skipped,
 * however close two of them are, unless they are the same to the last bits, where the body only
 * grazes. */
#include "hard/roots.h"

#include <math.h>
#include <stdbool.h>

enum { DEGREE_MAX = JO_DEGREE_MAX, STEPS_MAX = 200 };

static double value(const double *c, int degree, double t)
{
    double p = c[degree];
    for (int k = degree - 1; k >= 0; k--)
        p = p * t + c[k];
    return p;
}

/* The root between lo and hi, where the polynomial has different signs. */
static double between(const double *c, const double *slope, int degree, double lo, double hi)
{
    const bool falls = value(c, degree, lo) > 0.0;
    double t = 0.5 * (lo + hi);
    for (int step = 0; step < STEPS_MAX; step++) {
        const double p = value(c, degree, t);
        if ((p > 0.0) == falls)
            lo = t;
        else
            hi = t;
        const double d = value(slope, degree - 1, t);
        const double newton = t - p / d;
        const double next = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
        if (next == t || next <= lo || next >= hi) break;
        if (fabs(next - t) <= 1e-16 * fabs(t)) return next;
        t = next;
    }
    return t;
}

/* Beyond this no root is larger (Cauchy's bound). */
static double bound(const double *c, int degree)
{
    double most = 0.0;
    for (int k = 0; k < degree; k++)
        most = fmax(most, fabs(c[k] / c[degree]));
    return 1.0 + most;
}

static int trim(const double *c, int degree)
{
    while (degree > 0 && c[degree] == 0.0)
        degree--;
    return degree;
}

/* All sign changes in (0, until), in order; returns how many. */
static int sign_changes(const double *c, int degree, double until, double *root)
{
    degree = trim(c, degree);
    if (degree == 0) return 0;
    double slope[DEGREE_MAX + 1] = {0}, turn[DEGREE_MAX + 1];
    for (int k = 1; k <= degree; k++)
        slope[k - 1] = k * c[k];
    const double end = fmin(until, bound(c, degree));
    int turns = degree > 1 ? sign_changes(slope, degree - 1, end, turn) : 0;
    turn[turns++] = end;
    int found = 0;
    double lo = 0.0, at_lo = value(c, degree, 0.0);
    for (int k = 0; k < turns; k++) {
        const double at = value(c, degree, turn[k]);
        if ((at_lo > 0.0 && at <= 0.0) || (at_lo < 0.0 && at >= 0.0))
            root[found++] = at == 0.0 ? turn[k] : between(c, slope, degree, lo, turn[k]);
        if (at != 0.0) at_lo = at;
        lo = turn[k];
    }
    return found;
}

int jo_turns(const double *c, int degree, double until, double *turn)
{
    double slope[DEGREE_MAX + 1] = {0};
    degree = trim(c, degree);
    for (int k = 1; k <= degree; k++)
        slope[k - 1] = k * c[k];
    const double end = degree > 0 ? fmin(until, bound(c, degree)) : 0.0;
    const int turns = degree > 1 ? sign_changes(slope, degree - 1, end, turn) : 0;
    turn[turns] = end;
    return turns + 1;
}

double jo_first_fall(const double *c, int degree, double until)
{
    double slope[DEGREE_MAX + 1] = {0}, turn[DEGREE_MAX + 1];
    degree = trim(c, degree);
    if (degree == 0) return (double)INFINITY;
    for (int k = 1; k <= degree; k++)
        slope[k - 1] = k * c[k];
    const int turns = jo_turns(c, degree, until, turn);
    double lo = 0.0, at_lo = c[0];
    for (int k = 0; k < turns; k++) {
        const double hi = turn[k], at = value(c, degree, hi);
        if (value(slope, degree - 1, 0.5 * (lo + hi)) < 0.0) {
            if (at_lo <= 0.0) return lo;
            if (at <= 0.0) return between(c, slope, degree, lo, hi);
        }
        lo = hi;
        at_lo = at;
    }
    return (double)INFINITY;
}
