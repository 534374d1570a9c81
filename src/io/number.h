/* number.h — doubles from decimal text and back, exact and fast; see number.c. */
#ifndef JO_IO_NUMBER_H
#define JO_IO_NUMBER_H

#include "jostle/base.h"

/* Reads the decimal number that starts at `at` and ends before `end`: sign, digits with at most one
 * point, an exponent (e, E, d or D), or nan, inf, infinity in any case. Returns where it stopped,
 * or NULL if no number starts there. The value is correctly rounded; too large becomes infinite. */
const char *jo_number_parse(const char *at, const char *end, double *value);

#define JO_NUMBER_LENGTH 32

/* Writes the first of 15, 16 or 17 significant digits that reads back as the very same double,
 * without trailing zeros, and returns the length, below JO_NUMBER_LENGTH. No terminator. The
 * decimal point is a point whatever the locale. */
size_t jo_number_format(double value, char *text);

/* The same for an unsigned integer. */
size_t jo_integer_format(uint64_t value, char *text);

#endif
