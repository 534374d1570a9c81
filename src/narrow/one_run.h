/* one_run.h — what stays of a convex polygon that is cut by a line, where rounding has a say. */
#ifndef JO_NARROW_ONE_RUN_H
#define JO_NARROW_ONE_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a corner stays, by which side of the line it is on. */
static inline bool stays(double side)
{
    return side >= 0.0;
}

/* Corners that lie nearly on the line may stay and go in turn, by rounding. Of those that stay only
 * the ones next to the farthest do after this, so that a cut adds one corner at most: rooms for
 * polygons count on it. */
static inline void one_run(double *side, size_t n)
{
    size_t best = 0, low, high;
    for (size_t k = 1; k < n; k++)
        if (side[k] > side[best]) best = k;
    low = high = best;
    for (size_t k = 1; k < n && stays(side[(high + 1) % n]); k++)
        high = (high + 1) % n;
    for (size_t k = 1; k < n && stays(side[(low + n - 1) % n]); k++)
        low = (low + n - 1) % n;
    for (size_t k = (high + 1) % n; k != low; k = (k + 1) % n)
        if (stays(side[k])) side[k] = -1.0;
}

#endif
