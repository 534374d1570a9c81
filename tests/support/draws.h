/* draws.h — random numbers as adversarial cases want them. */
#ifndef DRAWS_H
#define DRAWS_H

#include <math.h>

#include "base/random.h"

static inline double either(random_stream *r)
{
    return 2.0 * jo_random_uniform(r) - 1.0;
}

static inline uint32_t below(random_stream *r, size_t n)
{
    return (uint32_t)((double)n * jo_random_uniform(r));
}

/* Evenly distributed powers of ten, of either sign. */
static inline double any_size(random_stream *r, double least, double most)
{
    return copysign(pow(10.0, least + (most - least) * jo_random_uniform(r)), either(r));
}

#endif
