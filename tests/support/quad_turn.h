/* quad_turn.h — sine, cosine and square root in quadruple precision, of no library. */
#ifndef TESTS_QUAD_TURN_H
#define TESTS_QUAD_TURN_H

#include <math.h>

#include "support/quad_balls.h" /* what a quad is */

/* Sine and cosine by their series, of an angle halved until it is small. */
static inline void quad_turn(quad angle, quad *cosine, quad *sine)
{
    int halved = 0;
    for (; angle > (quad)0.05 || angle < (quad)-0.05; halved++)
        angle /= 2;
    quad term = 1, c = 0, s = 0;
    for (int k = 0; k < 24; k++) {
        if (k % 2 == 0)
            c += k % 4 == 0 ? term : -term;
        else
            s += k % 4 == 1 ? term : -term;
        term = term * angle / (k + 1);
    }
    for (; halved > 0; halved--) {
        const quad both = 2 * c * s;
        c = c * c - s * s;
        s = both;
    }
    *cosine = c;
    *sine = s;
}

/* Newton's method from double's root. */
static inline quad quad_root(quad a)
{
    if (a <= 0) return 0;
    quad r = sqrt((double)a);
    for (int k = 0; k < 3; k++)
        r = (r + a / r) / 2;
    return r;
}

#endif
