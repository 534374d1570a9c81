/* random.c — normal deviates by comparing uniform ones.
 *
 * Karney's algorithm N (ACM Trans. Math. Software 42, 3, 2016): an integer k and a fraction x are
 * accepted with probabilities exp(-k/2), exp(-k(k-1)/2) and exp(-x(2k+x)/2), each decided by von
 * Neumann's comparison of a falling sequence of uniform numbers, so neither logarithm nor cosine is
 * needed and the deviates are the same everywhere. About 14 uniform numbers for one deviate. */
#include "base/random.h"

#include <math.h>

/* True with probability exp(-p), 0 <= p <= 1: the length of the falling run that starts at p is
 * even. */
static bool with_probability_exp(random_stream *r, double p)
{
    bool even = true;
    double last = p;
    for (;;) {
        const double u = jo_random_uniform(r);
        if (u >= last) return even;
        last = u;
        even = !even;
    }
}

/* k >= 0 with probability proportional to exp(-k/2), then accepted with exp(-k(k-1)/2). */
static bool whole_part(random_stream *r, int *k)
{
    *k = 0;
    while (with_probability_exp(r, 0.5))
        ++*k;
    for (int i = 0; i < *k * (*k - 1); i++)
        if (!with_probability_exp(r, 0.5)) return false;
    return true;
}

double jo_random_normal(random_stream *r)
{
    for (;;) {
        int k;
        if (!whole_part(r, &k)) continue;
        const double x = jo_random_uniform(r);
        /* exp(-x(2k+x)/2) = exp(-x x/2) times k factors exp(-x). */
        bool accepted = with_probability_exp(r, 0.5 * x * x);
        for (int i = 0; i < k && accepted; i++)
            accepted = with_probability_exp(r, x);
        if (!accepted) continue;
        const double value = (double)k + x;
        return jo_random_bits(r) >> 63 ? -value : value;
    }
}

double jo_random_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 709.0) return (double)INFINITY;
    if (x < -740.0) return 0.0;
    const double n = rint(x * 1.4426950408889634);
    /* ln 2 in two parts, so that n times the first is exact. */
    const double rest = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int k = 18; k >= 1; k--)
        sum = 1.0 + rest * sum / (double)k;
    return ldexp(sum, (int)n);
}
