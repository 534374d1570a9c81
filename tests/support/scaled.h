/* scaled.h — how many random cases to try: JOSTLE_TEST_SCALE=k tries a k-th of them (sanitizers), a
 * fraction tries more (0.01: a hundred times as many). */
#ifndef JO_TEST_SCALED_H
#define JO_TEST_SCALED_H

#include <stddef.h>
#include <stdlib.h>

static inline size_t scaled(size_t count)
{
    const char *text = getenv("JOSTLE_TEST_SCALE");
    const double scale = text != NULL ? strtod(text, NULL) : 1.0;
    const double n = (double)count / (scale > 0.0 ? scale : 1.0);
    return n < 1.0 ? 1 : (size_t)n;
}

#endif
