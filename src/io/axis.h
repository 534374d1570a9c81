/* axis.h — where ticks go and how their numbers are written. */
#ifndef JO_IO_AXIS_H
#define JO_IO_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define AXIS_TICKS_MAX 256
#define AXIS_TEXT_MAX  32

typedef struct axis_tick {
    double value;
    bool major; /* has a number */
    char text[AXIS_TEXT_MAX];
} axis_tick;

typedef struct axis {
    double lo, hi; /* finite, lo < hi; lo > 0 when logarithmic */
    bool logarithmic;
    axis_tick tick[AXIS_TICKS_MAX];
    size_t count;
} axis;

/* An axis from lo to hi with about `want` numbers. With `round`, lo and hi are moved outwards to
 * ticks. Limits that are no use (NaN, infinite, equal, not positive when logarithmic) are replaced
 * by ones that are. */
void jo_axis_make(axis *a, double lo, double hi, bool logarithmic, bool round, int want);

/* Where a value lies: 0 at lo, 1 at hi; not clamped. NaN where it has no place. */
double jo_axis_position(const axis *a, double value);

/* The largest of 1, 2, 5 times a power of ten that is at most `value` (> 0). */
double jo_nice_below(double value);

#endif
