/* random.h — counter-based random numbers: a stream is a key and a counter, nothing else.
 *
 * Stream s of seed k gives the same numbers on every machine, in any order of asking for streams,
 * for any number of threads. Only additions, multiplications, comparisons and square roots are
 * used, so that no two mathematical libraries can disagree. */
#ifndef JO_BASE_RANDOM_H
#define JO_BASE_RANDOM_H

#include "base/mix.h"
#include "jostle/base.h"

typedef struct random_stream {
    uint64_t key, counter;
} random_stream;

static inline random_stream jo_random_start(uint64_t seed, uint64_t stream)
{
    return (random_stream){jo_mix64(jo_mix64(seed) ^ jo_mix64(~stream)), 0};
}

static inline uint64_t jo_random_bits(random_stream *r)
{
    return jo_mix64(r->key + 0x9E3779B97F4A7C15u * r->counter++);
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double jo_random_uniform(random_stream *r)
{
    return (double)(jo_random_bits(r) >> 11) * 0x1p-53;
}

/* A standard normal deviate. */
double jo_random_normal(random_stream *r);

/* exp(x) from basic arithmetic alone, accurate to a few ulps, for draws that must not depend on the
 * mathematical library. */
double jo_random_exp(double x);

#endif
