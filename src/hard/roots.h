/* roots.h — the first time at which a polynomial goes from above to below zero. */
#ifndef JO_HARD_ROOTS_H
#define JO_HARD_ROOTS_H

/* The smallest t in [0, until] at which p(t) = c[0] + c[1] t + … + c[degree] t^degree reaches zero
 * while falling; degree at most 4. Where p(0) <= 0 that is 0 if p falls at 0 (its first derivative
 * that is not zero is negative), else the search goes on behind the moment it has become positive.
 * INFINITY if there is none. until may be INFINITY. */
double jo_first_fall(const double *c, int degree, double until);

#endif
