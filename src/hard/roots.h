/* roots.h — the first time at which a polynomial goes from above to below zero; where it turns. */
#ifndef JO_HARD_ROOTS_H
#define JO_HARD_ROOTS_H

enum { JO_DEGREE_MAX = 8 };

/* The smallest t in [0, until] at which p(t) = c[0] + c[1] t + … + c[degree] t^degree falls and is
 * zero or below. That is where it comes down to zero, or, where it was not above zero by rounding,
 * where it begins to fall. INFINITY if there is none; until may be INFINITY. */
double jo_first_fall(const double *c, int degree, double until);

/* The times in (0, until) at which p turns from rising to falling or back, in order, and last
 * `until`, or a time beyond which p has no zero if that is earlier: between one and the next p is
 * monotone. turn has room for degree of them, at least 1; returns how many. */
int jo_turns(const double *c, int degree, double until, double *turn);

#endif
