/* sizes.c — distributions of radii.
 *
 * A draw depends on (seed, index) alone. Cut distributions are drawn by rejection: a deviate
 * outside [lo, hi] is drawn again, DRAWS times at most, after which a uniform one in [lo, hi] is
 * taken; the check of a scene refuses bounds so far off the middle that this would be more than
 * rare. Where lo or hi is NaN, three deviations from the middle are the bounds. */
#include "scene/sizes.h"

#include <math.h>

#include "base/random.h"

enum { DRAWS = 1000 };

void jo_sizes_bounds(const jo_sizes *s, double *lo, double *hi)
{
    const bool logarithmic = s->kind == JO_SIZE_LOGNORMAL;
    *lo = logarithmic ? s->a * jo_random_exp(-3.0 * s->b) : s->a - 3.0 * s->b;
    *hi = logarithmic ? s->a * jo_random_exp(3.0 * s->b) : s->a + 3.0 * s->b;
    if (!isnan(s->lo)) *lo = s->lo;
    if (!isnan(s->hi)) *hi = s->hi;
}

static double draw_cut(const jo_sizes *s, random_stream *r)
{
    double lo, hi;
    jo_sizes_bounds(s, &lo, &hi);
    for (int k = 0; k < DRAWS; k++) {
        const double z = jo_random_normal(r);
        const double value =
            s->kind == JO_SIZE_NORMAL ? s->a + s->b * z : s->a * jo_random_exp(s->b * z);
        if (value >= lo && value <= hi) return value;
    }
    return lo + (hi - lo) * jo_random_uniform(r);
}

static double draw_listed(const jo_sizes *s, random_stream *r)
{
    double total = 0.0;
    for (size_t k = 0; k < s->count; k++)
        total += s->weight[k];
    double at = total * jo_random_uniform(r);
    for (size_t k = 0; k + 1 < s->count; k++) {
        if (at < s->weight[k]) return s->value[k];
        at -= s->weight[k];
    }
    return s->count > 0 ? s->value[s->count - 1] : (double)NAN;
}

double jo_sizes_draw(const jo_sizes *sizes, uint64_t seed, uint64_t index)
{
    random_stream r = jo_random_start(seed, index);
    switch (sizes->kind) {
    case JO_SIZE_FIXED:
        return sizes->a;
    case JO_SIZE_UNIFORM:
        return sizes->a + (sizes->b - sizes->a) * jo_random_uniform(&r);
    case JO_SIZE_NORMAL:
    case JO_SIZE_LOGNORMAL:
        return draw_cut(sizes, &r);
    case JO_SIZE_LIST:
        return draw_listed(sizes, &r);
    }
    return (double)NAN;
}

static double extreme(const jo_sizes *s, bool largest)
{
    double lo, hi;
    switch (s->kind) {
    case JO_SIZE_FIXED:
        return s->a;
    case JO_SIZE_UNIFORM:
        return largest ? fmax(s->a, s->b) : fmin(s->a, s->b);
    case JO_SIZE_NORMAL:
    case JO_SIZE_LOGNORMAL:
        jo_sizes_bounds(s, &lo, &hi);
        return largest ? hi : lo;
    case JO_SIZE_LIST:
        lo = hi = (double)NAN;
        for (size_t k = 0; k < s->count; k++) {
            if (s->weight[k] == 0.0) continue;
            lo = fmin(lo, s->value[k]);
            hi = fmax(hi, s->value[k]);
        }
        return largest ? hi : lo;
    }
    return (double)NAN;
}

double jo_sizes_smallest(const jo_sizes *sizes)
{
    return extreme(sizes, false);
}

double jo_sizes_largest(const jo_sizes *sizes)
{
    return extreme(sizes, true);
}

static double below(double z) /* the normal distribution function */
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

/* Means of the cut distributions in closed form. */
static double mean_cut(const jo_sizes *s)
{
    double lo, hi;
    jo_sizes_bounds(s, &lo, &hi);
    if (s->b == 0.0) return s->a;
    if (s->kind == JO_SIZE_NORMAL) {
        const double a = (lo - s->a) / s->b, b = (hi - s->a) / s->b;
        const double density = (exp(-0.5 * a * a) - exp(-0.5 * b * b)) / sqrt(8.0 * atan(1.0));
        return s->a + s->b * density / (below(b) - below(a));
    }
    const double a = log(lo / s->a) / s->b, b = log(hi / s->a) / s->b;
    return s->a * exp(0.5 * s->b * s->b) * (below(b - s->b) - below(a - s->b)) /
           (below(b) - below(a));
}

double jo_sizes_mean(const jo_sizes *sizes)
{
    double sum = 0.0, total = 0.0;
    switch (sizes->kind) {
    case JO_SIZE_FIXED:
        return sizes->a;
    case JO_SIZE_UNIFORM:
        return 0.5 * (sizes->a + sizes->b);
    case JO_SIZE_NORMAL:
    case JO_SIZE_LOGNORMAL:
        return mean_cut(sizes);
    case JO_SIZE_LIST:
        for (size_t k = 0; k < sizes->count; k++) {
            sum += sizes->weight[k] * sizes->value[k];
            total += sizes->weight[k];
        }
        return sum / total;
    }
    return (double)NAN;
}
