/* orient.c — the sign of a 2 x 2 determinant of differences, exactly.
 *
 * After Shewchuk (Discrete & Computational Geometry 18:305, 1997): sums and products of two doubles
 * are split into a rounded result and its rounding error, which are doubles as well; a number is
 * then a sum of doubles that do not overlap (an expansion), and its sign is that of the largest.
 * Three tries, each with a bound on its error that says whether its sign can be trusted:
 *   1. the determinant in plain double: all but nearly flat triangles;
 *   2. differences in double, products and their difference without error: enough where the
 *      differences were exact, as they are between neighbouring points;
 *   3. the six products of coordinates, summed without error.
 *
 * Needs arithmetic that rounds to nearest even and is not contracted (-ffp-contract=off).
 * Cost: 7 operations in the first try, about 100 in the second, about 1,000 in the third. */
#include "base/orient.h"

#include <math.h>

#define ROUNDING 0x1p-53 /* the largest relative error of one operation */

static const double SPLITTER = 0x1p27 + 1.0;
static const double BOUND_PLAIN = (3.0 + 16.0 * ROUNDING) * ROUNDING;
static const double BOUND_DIFFERENCES = (2.0 + 12.0 * ROUNDING) * ROUNDING;

enum { TERMS = 12 };

/* a + b = *sum + *error. */
static inline void add_exactly(double a, double b, double *sum, double *error)
{
    const double x = a + b;
    const double b_seen = x - a;
    const double a_seen = x - b_seen;
    *error = (a - a_seen) + (b - b_seen);
    *sum = x;
}

/* What is lost in a - b. */
static inline double lost_in_difference(double a, double b, double difference)
{
    const double b_seen = a - difference;
    const double a_seen = difference + b_seen;
    return (a - a_seen) + (b_seen - b);
}

/* Halves of 26 bits, so that their products are exact. */
static inline void split(double a, double *high, double *low)
{
    const double c = SPLITTER * a;
    const double big = c - a;
    *high = c - big;
    *low = a - *high;
}

/* a b = *product + *error. */
static inline void multiply_exactly(double a, double b, double *product, double *error)
{
    double a_high, a_low, b_high, b_low;
    const double x = a * b;
    split(a, &a_high, &a_low);
    split(b, &b_high, &b_low);
    *error = a_low * b_low - (((x - a_high * b_high) - a_low * b_high) - a_high * b_low);
    *product = x;
}

/* Adds one double to an expansion of n terms, smallest first; it has n + 1 then. */
static void grow(double *terms, int n, double value)
{
    for (int k = 0; k < n; k++)
        add_exactly(value, terms[k], &value, &terms[k]);
    terms[n] = value;
}

static double largest(const double *terms, int n)
{
    for (int k = n - 1; k >= 0; k--)
        if (terms[k] != 0.0) return terms[k];
    return 0.0;
}

static double from_coordinates(const double a[2], const double b[2], const double c[2])
{
    const double *corner[4] = {a, b, c, a};
    double terms[TERMS];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        const double *p = corner[k], *q = corner[k + 1];
        double product, error;
        multiply_exactly(p[0], q[1], &product, &error);
        grow(terms, n++, error);
        grow(terms, n++, product);
        multiply_exactly(-p[1], q[0], &product, &error);
        grow(terms, n++, error);
        grow(terms, n++, product);
    }
    return largest(terms, n);
}

static double from_differences(const double a[2], const double b[2], const double c[2],
                               double magnitude)
{
    const double ax = a[0] - c[0], ay = a[1] - c[1], bx = b[0] - c[0], by = b[1] - c[1];
    double terms[4], product, error;
    multiply_exactly(ax, by, &product, &error);
    grow(terms, 0, error);
    grow(terms, 1, product);
    multiply_exactly(-ay, bx, &product, &error);
    grow(terms, 2, error);
    grow(terms, 3, product);
    const double sum = terms[0] + terms[1] + terms[2] + terms[3];
    if (fabs(sum) >= BOUND_DIFFERENCES * magnitude) return sum;
    const int exact =
        lost_in_difference(a[0], c[0], ax) == 0.0 && lost_in_difference(a[1], c[1], ay) == 0.0 &&
        lost_in_difference(b[0], c[0], bx) == 0.0 && lost_in_difference(b[1], c[1], by) == 0.0;
    return exact ? largest(terms, 4) : from_coordinates(a, b, c);
}

double jo_orient(const double a[2], const double b[2], const double c[2])
{
    const double left = (a[0] - c[0]) * (b[1] - c[1]);
    const double right = (a[1] - c[1]) * (b[0] - c[0]);
    const double det = left - right;
    const double magnitude = fabs(left) + fabs(right);
    if (fabs(det) > BOUND_PLAIN * magnitude) return det;
    return from_differences(a, b, c, magnitude);
}

static int sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* p on the line through a and b: is it in the segment, ends included? */
static int in_reach(const double a[2], const double b[2], const double p[2])
{
    return fmin(a[0], b[0]) <= p[0] && p[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= p[1] &&
           p[1] <= fmax(a[1], b[1]);
}

int jo_segments_meet(const double a[2], const double b[2], const double c[2], const double d[2])
{
    const int abc = sign(jo_orient(a, b, c)), abd = sign(jo_orient(a, b, d));
    const int cda = sign(jo_orient(c, d, a)), cdb = sign(jo_orient(c, d, b));
    if (abc * abd < 0 && cda * cdb < 0) return 1;
    return (abc == 0 && in_reach(a, b, c)) || (abd == 0 && in_reach(a, b, d)) ||
           (cda == 0 && in_reach(c, d, a)) || (cdb == 0 && in_reach(c, d, b));
}
