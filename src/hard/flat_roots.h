/* flat_roots.h — what the root finders of flat times share: where a polynomial first falls to zero,
 * told in terms of the first root of one that begins above zero. */
#ifndef JO_HARD_FLAT_ROOTS_H
#define JO_HARD_FLAT_ROOTS_H

#include <math.h>
#include <string.h>

#include "hard/flat_time.h"

/* The first root in (0, 1] of a polynomial of degree n with c[0] > 0; INFINITY if there is none. A
 * place where it only touches zero counts, within rounding. */
typedef double (*flat_isolator)(const double *c, int n);

static inline double flat_poly(const double *c, int n, double s)
{
    double p = c[n];
    for (int k = n - 1; k >= 0; k--)
        p = p * s + c[k];
    return p;
}

static inline double flat_poly_slope(const double *c, int n, double s, double *slope)
{
    double p = c[n], d = 0.0;
    for (int k = n - 1; k >= 0; k--) {
        d = d * s + p;
        p = p * s + c[k];
    }
    *slope = d;
    return p;
}

/* The isolator of jo_flat_root_fast. */
double jo_flat_isolate(const double *c, int n);

/* Where a polynomial that is below zero at 0 begins to fall, or, if it gets above zero before,
 * where it comes down again. */
double jo_flat_inverted(const double *c, int n, flat_isolator isolate);

/* See jo_flat_root_fast. Zeros at the start are divided out: s^k q(s) falls at once if q(0) < 0,
 * and where q does otherwise. */
static inline double flat_first_fall(const double *c, bool touching, flat_isolator isolate)
{
    int n = FLAT_DEGREE;
    if (!touching && c[0] < 0.0) return jo_flat_inverted(c, n, isolate);
    if (touching) c++, n--;
    while (n > 0 && *c == 0.0)
        c++, n--;
    if (*c > 0.0) return isolate(c, n);
    return *c < 0.0 ? 0.0 : (double)INFINITY;
}

#endif
