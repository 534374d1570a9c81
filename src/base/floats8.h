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

static inline ints8 i8_all(int32_t a)
{
    return (ints8){a, a, a, a, a, a, a, a};
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

/* a where m is negative, b elsewhere. */
static inline floats8 f8_by_sign(ints8 m, floats8 a, floats8 b)
{
#if defined(__AVX__)
    return f8_pick(m, a, b);
#else
    return f8_pick(m < 0, a, b);
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

/* a b - c d. */
static inline floats8 f8_less(floats8 a, floats8 b, floats8 c, floats8 d)
{
#if defined(__FMA__)
    return (floats8)_mm256_fmsub_ps((__m256)a, (__m256)b, _mm256_mul_ps((__m256)c, (__m256)d));
#else
    return a * b - c * d;
#endif
}

/* 1/sqrt(a), within 4e-4 of it. */
static inline floats8 f8_rsqrt(floats8 a)
{
#if defined(__AVX__)
    return (floats8)_mm256_rsqrt_ps((__m256)a);
#else
    return 1.0f / f8_sqrt(a);
#endif
}

/* f8_dot with one vector for all. */
static inline floats8 f8_along(floats8 x, floats8 y, floats8 z, float a, float b, float c)
{
    return f8_dot(x, f8_all(a), y, f8_all(b), z, f8_all(c));
}

#if defined(__AVX2__)
/* Entry b of the table below, a byte for each lane: the places of the bits set in b, closed up. */
#define F8_ONES(b)                                                                                 \
    (((b)&1) + ((b) >> 1 & 1) + ((b) >> 2 & 1) + ((b) >> 3 & 1) + ((b) >> 4 & 1) +                 \
     ((b) >> 5 & 1) + ((b) >> 6 & 1))
#define F8_PLACE(b, l) ((uint64_t)(((b) >> (l)&1) * (l)) << (8 * F8_ONES((b) & ((1 << (l)) - 1))))
#define F8_ENTRY(b)                                                                                \
    (F8_PLACE(b, 1) | F8_PLACE(b, 2) | F8_PLACE(b, 3) | F8_PLACE(b, 4) | F8_PLACE(b, 5) |          \
     F8_PLACE(b, 6) | F8_PLACE(b, 7))
#define F8_4(b)  F8_ENTRY(b), F8_ENTRY((b) + 1), F8_ENTRY((b) + 2), F8_ENTRY((b) + 3)
#define F8_16(b) F8_4(b), F8_4((b) + 4), F8_4((b) + 8), F8_4((b) + 12)
#define F8_64(b) F8_16(b), F8_16((b) + 16), F8_16((b) + 32), F8_16((b) + 48)

/* The numbers of the bits set, closed up, and zeros behind them. */
static inline ints8 f8_kept(unsigned bits)
{
    static const uint64_t closed_up[256] = {F8_64(0), F8_64(64), F8_64(128), F8_64(192)};
    return (ints8)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)closed_up[bits]));
}
#undef F8_ONES
#undef F8_PLACE
#undef F8_ENTRY
#undef F8_4
#undef F8_16
#undef F8_64

#else
static inline ints8 f8_kept(unsigned bits)
{
    ints8 kept = {0};
    for (int l = 0, n = 0; l < 8; l++)
        if (bits >> l & 1) kept[n++] = l;
    return kept;
}
#endif

/* Two times four floats. */
static inline floats8 f8_load_halves(const float *low, const float *high)
{
#if defined(__AVX__)
    return (floats8)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)),
                                         _mm_loadu_ps(high), 1);
#else
    return (floats8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

/* Eight rows of four floats each to columns; the fourth of each row is left out. */
static inline void f8_columns(const float *const row[8], floats8 out[3])
{
    floats8 pair[4];
    for (int l = 0; l < 4; l++)
        pair[l] = f8_load_halves(row[l], row[l + 4]);
    const floats8 xy01 = __builtin_shufflevector(pair[0], pair[1], 0, 8, 1, 9, 4, 12, 5, 13),
                  z01 = __builtin_shufflevector(pair[0], pair[1], 2, 10, 3, 11, 6, 14, 7, 15),
                  xy23 = __builtin_shufflevector(pair[2], pair[3], 0, 8, 1, 9, 4, 12, 5, 13),
                  z23 = __builtin_shufflevector(pair[2], pair[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(z01, z23, 0, 1, 8, 9, 4, 5, 12, 13);
}

/* Lane l: number which[l] modulo 8 of a. */
static inline ints8 i8_permute(ints8 a, ints8 which)
{
#if defined(__AVX2__)
    return (ints8)_mm256_permutevar8x32_epi32((__m256i)a, (__m256i)which);
#else
    ints8 b;
    for (int l = 0; l < 8; l++)
        b[l] = a[which[l] & 7];
    return b;
#endif
}

static inline floats8 f8_permute(floats8 a, ints8 which)
{
    return (floats8)i8_permute((ints8)a, which);
}

static inline void i8_store(uint32_t *p, ints8 v)
{
    memcpy(p, &v, sizeof v);
}

static inline ints8 i8_bytes(const uint8_t *p)
{
#if defined(__AVX2__)
    return (ints8)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
#else
    return (ints8){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#endif
}

#if defined(__AVX2__)
/* Four times eight numbers as bytes of their signs: of a[0] to a[3] by fours, lanes 0 to 3 and then
 * 4 to 7. */
static inline __m256i f8_packed(const floats8 a[4])
{
    const __m256i low = _mm256_packs_epi32((__m256i)a[0], (__m256i)a[1]),
                  high = _mm256_packs_epi32((__m256i)a[2], (__m256i)a[3]);
    return _mm256_packs_epi16(low, high);
}
#endif

/* Signs of four times eight numbers, lane by lane: bit 4 l + k tells that lane l of a[k] is
 * negative. */
static inline uint32_t f8_signs(const floats8 a[4])
{
#if defined(__AVX2__)
    const __m256i by_lanes = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
                                              0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i bytes = f8_packed(a);
    return (uint32_t)_mm256_movemask_epi8(_mm256_shuffle_epi8(bytes, by_lanes));
#else
    uint32_t bits = 0;
    for (int l = 0; l < 8; l++)
        for (int k = 0; k < 4; k++)
            bits |= (uint32_t)(((ints8)a[k])[l] < 0) << (4 * l + k);
    return bits;
#endif
}

/* The same in bytes: the highest bit of byte l of to[k]. */
static inline void f8_sign_bytes(const floats8 a[4], uint64_t to[4])
{
#if defined(__AVX2__)
    const __m256i bytes = f8_packed(a), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(bytes, order));
#else
    for (int k = 0; k < 4; k++) {
        to[k] = 0;
        for (int l = 0; l < 8; l++)
            to[k] |= (uint64_t)(((ints8)a[k])[l] < 0) << (8 * l + 7);
    }
#endif
}

/* Lane l: nibble l. */
static inline ints8 i8_nibbles(uint32_t a)
{
    const ints8 by = {0, 4, 8, 12, 16, 20, 24, 28};
    return (i8_all((int32_t)a) >> by) & 15;
}

/* Bit k: the highest bit of byte which[k] of the eight. */
static inline uint32_t b8_picked(uint64_t eight, const uint8_t which[32])
{
#if defined(__AVX2__)
    const __m256i places = _mm256_loadu_si256((const __m256i *)(const void *)which);
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)eight), places));
#else
    uint32_t bits = 0;
    for (int k = 0; k < 32; k++)
        bits |= (uint32_t)(eight >> (8 * which[k] + 7) & 1) << k;
    return bits;
#endif
}

static inline float f8_least(floats8 a)
{
    const floats8 four = f8_min(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    const floats8 two = f8_min(four, __builtin_shufflevector(four, four, 2, 3, 0, 1, 6, 7, 4, 5));
    return two[0] < two[1] ? two[0] : two[1];
}

#endif
