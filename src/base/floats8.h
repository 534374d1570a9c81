/* floats8.h — eight floats at once, for sorting out: what is kept is measured in double. */
#ifndef JO_BASE_FLOATS8_H
#define JO_BASE_FLOATS8_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

typedef float floats8 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));

static inline floats8 f8_load(const float *p)
{
    floats8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* All eight at once: a load of what was stored in two halves has to wait. */
static inline void f8_store(float *p, floats8 v)
{
    memcpy(p, &v, sizeof v);
}

static inline floats8 f8_all(float a)
{
    return (floats8){a, a, a, a, a, a, a, a};
}

static inline unsigned f8_bits(ints8 m)
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)m);
#else
    unsigned bits = 0;
    for (int l = 0; l < 8; l++)
        bits |= (unsigned)(m[l] < 0) << l;
    return bits;
#endif
}

static inline floats8 f8_sqrt(floats8 a)
{
#if defined(__AVX__)
    return (floats8)_mm256_sqrt_ps((__m256)a);
#else
    for (int l = 0; l < 8; l++)
        a[l] = sqrtf(a[l]);
    return a;
#endif
}

static inline floats8 f8_max(floats8 a, floats8 b)
{
#if defined(__AVX__)
    return (floats8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const ints8 m = a > b;
    return (floats8)((m & (ints8)a) | (~m & (ints8)b));
#endif
}

static inline floats8 f8_min(floats8 a, floats8 b)
{
#if defined(__AVX__)
    return (floats8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    const ints8 m = a < b;
    return (floats8)((m & (ints8)a) | (~m & (ints8)b));
#endif
}

/* a where the mask is set, b elsewhere. */
static inline floats8 f8_pick(ints8 m, floats8 a, floats8 b)
{
#if defined(__AVX__)
    return (floats8)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
#else
    return (floats8)((m & (ints8)a) | (~m & (ints8)b));
#endif
}

static inline floats8 f8_abs(floats8 a)
{
    return (floats8)((ints8)a & ~(ints8)f8_all(-0.0f));
}

/* a b + c d + e f: only sorts out, so that it does not matter how it is rounded. */
static inline floats8 f8_dot(floats8 a, floats8 b, floats8 c, floats8 d, floats8 e, floats8 f)
{
#if defined(__FMA__)
    const __m256 two = _mm256_fmadd_ps((__m256)c, (__m256)d, _mm256_mul_ps((__m256)a, (__m256)b));
    return (floats8)_mm256_fmadd_ps((__m256)e, (__m256)f, two);
#else
    return a * b + c * d + e * f;
#endif
}

/* The same with one vector for all. */
static inline floats8 f8_along(floats8 x, floats8 y, floats8 z, float a, float b, float c)
{
    return f8_dot(x, f8_all(a), y, f8_all(b), z, f8_all(c));
}

static inline float f8_least(floats8 a)
{
    const floats8 four = f8_min(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    const floats8 two = f8_min(four, __builtin_shufflevector(four, four, 2, 3, 0, 1, 6, 7, 4, 5));
    return two[0] < two[1] ? two[0] : two[1];
}

#endif
