/* roots.h — the times at which a polynomial goes from above to below zero. */
#ifndef JO_HARD_ROOTS_H
#define JO_HARD_ROOTS_H

enum { JO_FALLS_DEGREE = 8 }; /* the highest */

/* The smallest t in [0, until] at which p(t) = c[0] + c[1] t + … + c[degree] t^degree falls and is zero
 * or below. That is where it comes down to zero, or, where it was not above zero by rounding, where it
 * begins to fall. INFINITY if there is none; until may be INFINITY. */
double jo_first_fall(const double *c, int degree, double until);

/* All of them in order, one for each stretch on which p falls: t has room for JO_FALLS_DEGREE. Returns
 * how many. */
int jo_falls(const double *c, int degree, double until, double *t);

#endif
