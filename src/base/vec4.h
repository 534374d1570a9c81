/* vec4.h — four doubles at once, the same bits whatever the processor.
 *
 * Vector types of GCC and clang: arithmetic is element by element in IEEE double, so the compiler's
 * choice of instructions cannot change a result. Comparisons give lanes of all ones or zeros. A
 * vec4 holds one number of four contacts, a row4 four numbers of one body as they lie in memory.
 * (Eight lanes with AVX-512 were tried: little is gained; its 32 registers help four.) */
#ifndef JO_BASE_VEC4_H
#define JO_BASE_VEC4_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#define JO_LANES 4

typedef double vec4 __attribute__((vector_size(32)));
typedef int64_t mask4 __attribute__((vector_size(32)));
typedef double row4 __attribute__((vector_size(32)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef float floats4 __attribute__((vector_size(16)));
typedef float floats8 __attribute__((vector_size(32)));

static inline vec4 v4_all(double a)
{
    return (vec4){a, a, a, a};
}
static inline vec4 v4_zero(void)
{
    return v4_all(0);
}
static inline mask4 v4_none(void)
{
    return (mask4)v4_all(0);
}

/* Unaligned. */
static inline vec4 v4_load(const double *p)
{
    vec4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void v4_store(double *p, vec4 v)
{
    memcpy(p, &v, sizeof v);
}
static inline row4 row_load(const void *p)
{
    row4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void row_store(void *p, row4 v)
{
    memcpy(p, &v, sizeof v);
}
static inline row4 row_all(double a)
{
    return (row4){a, a, a, a};
}

static inline vec4 v4_sqrt(vec4 a)
{
#if defined(__AVX__)
    return (vec4)_mm256_sqrt_pd((__m256d)a);
#else
    for (int l = 0; l < JO_LANES; l++)
        a[l] = sqrt(a[l]);
    return a;
#endif
}

static inline vec4 v4_cbrt(vec4 a)
{
    for (int l = 0; l < JO_LANES; l++)
        a[l] = cbrt(a[l]);
    return a;
}

/* a where the mask is set, b elsewhere. */
static inline vec4 v4_pick(mask4 m, vec4 a, vec4 b)
{
    return (vec4)((m & (mask4)a) | (~m & (mask4)b));
}
/* a where the mask is set, 0 elsewhere. */
static inline vec4 v4_only(mask4 m, vec4 a)
{
    return (vec4)(m & (mask4)a);
}
static inline vec4 v4_max(vec4 a, vec4 b)
{
#if defined(__AVX__)
    return (vec4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return v4_pick(a > b, a, b);
#endif
}
static inline vec4 v4_min(vec4 a, vec4 b)
{
#if defined(__AVX__)
    return (vec4)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return v4_pick(a < b, a, b);
#endif
}
static inline vec4 v4_abs(vec4 a)
{
    return (vec4)((mask4)a & ~(mask4)v4_all(-0.0));
}

/* To the nearest integer, ties to even; |a| < 2^51. */
#define V4_ROUND 6755399441055744.0 /* 1.5 * 2^52 */
static inline vec4 v4_round(vec4 a)
{
    const vec4 magic = v4_all(V4_ROUND);
    return (a + magic) - magic;
}

/* One bit per lane that is set. */
static inline unsigned v4_bits(mask4 m)
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#else
    unsigned bits = 0;
    for (int l = 0; l < JO_LANES; l++)
        bits |= (unsigned)(m[l] < 0) << l;
    return bits;
#endif
}

static inline int v4_any(mask4 m)
{
    return v4_bits(m) != 0;
}

/* The mask whose lanes are the bits. */
static inline mask4 v4_mask(unsigned bits)
{
    const mask4 place = {1, 2, 4, 8};
    const int64_t b = bits;
    return ((mask4){b, b, b, b} & place) != 0;
}

/* Rows to columns: out[c] holds element c of each lane's row. */
static inline void v4_columns(const row4 rows[JO_LANES], vec4 out[4])
{
    const vec4 p = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    const vec4 q = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    const vec4 r = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
    const vec4 s = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

/* And back: rows[l] holds lane l of each column. */
static inline void v4_rows(vec4 a, vec4 b, vec4 c, vec4 d, row4 rows[JO_LANES])
{
    const row4 in[4] = {a, b, c, d};
    v4_columns(in, rows);
}

/* The columns of four rows that lie in memory. Halves of rows are put together as they are loaded,
 * which leaves half the work for the shuffling units, of which a processor has few. */
static inline void v4_gather(const void *const at[JO_LANES], vec4 out[4])
{
#ifdef __AVX__
    for (int half = 0; half < 2; half++) {
        __m256d even = _mm256_castpd128_pd256(_mm_loadu_pd((const double *)at[0] + 2 * half));
        __m256d odd = _mm256_castpd128_pd256(_mm_loadu_pd((const double *)at[1] + 2 * half));
        even = _mm256_insertf128_pd(even, _mm_loadu_pd((const double *)at[2] + 2 * half), 1);
        odd = _mm256_insertf128_pd(odd, _mm_loadu_pd((const double *)at[3] + 2 * half), 1);
        out[2 * half] = (vec4)_mm256_unpacklo_pd(even, odd);
        out[2 * half + 1] = (vec4)_mm256_unpackhi_pd(even, odd);
    }
#else
    row4 rows[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        rows[l] = row_load(at[l]);
    v4_columns(rows, out);
#endif
}

/* And back: the first `lanes` rows of four columns, written by halves. */
static inline void v4_scatter(void *const at[JO_LANES], int lanes, vec4 a, vec4 b, vec4 c, vec4 d)
{
#ifdef __AVX__
    const __m256d even[2] = {_mm256_unpacklo_pd((__m256d)a, (__m256d)b),
                             _mm256_unpacklo_pd((__m256d)c, (__m256d)d)};
    const __m256d odd[2] = {_mm256_unpackhi_pd((__m256d)a, (__m256d)b),
                            _mm256_unpackhi_pd((__m256d)c, (__m256d)d)};
    for (int half = 0; half < 2; half++) {
        _mm_storeu_pd((double *)at[0] + 2 * half, _mm256_castpd256_pd128(even[half]));
        if (lanes > 1) _mm_storeu_pd((double *)at[1] + 2 * half, _mm256_castpd256_pd128(odd[half]));
        if (lanes > 2)
            _mm_storeu_pd((double *)at[2] + 2 * half, _mm256_extractf128_pd(even[half], 1));
        if (lanes > 3)
            _mm_storeu_pd((double *)at[3] + 2 * half, _mm256_extractf128_pd(odd[half], 1));
    }
#else
    row4 rows[JO_LANES];
    v4_rows(a, b, c, d, rows);
    for (int l = 0; l < lanes; l++)
        row_store(at[l], rows[l]);
#endif
}

static inline row4 row_of_floats(const void *p)
{
    floats4 f;
    memcpy(&f, p, sizeof f);
#ifdef __AVX__
    return (row4)_mm256_cvtps_pd((__m128)f);
#else
    return __builtin_convertvector(f, row4);
#endif
}

static inline floats4 v4_to_floats(vec4 a)
{
#ifdef __AVX__
    return (floats4)_mm256_cvtpd_ps((__m256d)a);
#else
    return __builtin_convertvector(a, floats4);
#endif
}
static inline void row_to_floats(float *p, row4 a)
{
    const floats4 f = v4_to_floats(a);
    memcpy(p, &f, sizeof f);
}
static inline vec4 v4_of_floats(floats4 a)
{
#ifdef __AVX__
    return (vec4)_mm256_cvtps_pd((__m128)a);
#else
    return __builtin_convertvector(a, vec4);
#endif
}
/* Two floats in the place of a double, which is only to be moved; and back. */
static inline vec4 v4_two_floats(vec4 a, vec4 b)
{
    return (vec4)__builtin_shufflevector(v4_to_floats(a), v4_to_floats(b), 0, 4, 1, 5, 2, 6, 3, 7);
}
static inline void v4_of_two_floats(vec4 both, vec4 *a, vec4 *b)
{
    const floats8 f = (floats8)both;
    *a = v4_of_floats(__builtin_shufflevector(f, f, 0, 2, 4, 6));
    *b = v4_of_floats(__builtin_shufflevector(f, f, 1, 3, 5, 7));
}

/* Without the last of four. */
static inline void row_to_three_floats(void *p, row4 a)
{
    const floats4 f = v4_to_floats(a);
    const float last = f[2];
    memcpy(p, &f, 2 * sizeof last);
    memcpy((char *)p + 2 * sizeof last, &last, sizeof last);
}

/* The least of the four. */
static inline double v4_least(vec4 a)
{
    const vec4 swapped = __builtin_shufflevector(a, a, 2, 3, 0, 1), two = v4_min(a, swapped);
    return two[0] < two[1] ? two[0] : two[1];
}

static inline words4 words_load(const uint32_t *p)
{
    words4 w;
    memcpy(&w, p, sizeof w);
    return w;
}
static inline void words_store(uint32_t *p, words4 w)
{
    memcpy(p, &w, sizeof w);
}

/* JO_LANES words, each in its lane, and one word in all lanes. */
static inline mask4 words_wide(const uint32_t *p)
{
#if defined(__AVX2__)
    return (mask4)_mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)p));
#else
    return (mask4){p[0], p[1], p[2], p[3]};
#endif
}
static inline mask4 words_all(uint32_t word)
{
    const int64_t w = word;
    return (mask4){w, w, w, w};
}

static inline mask4 words_widen(words4 w)
{
#if defined(__AVX2__)
    return (mask4)_mm256_cvtepu32_epi64((__m128i)w);
#else
    return __builtin_convertvector(w, mask4);
#endif
}

/* Highest bits, one per lane. */
static inline unsigned words_high(words4 w)
{
#if defined(__AVX__)
    return (unsigned)_mm_movemask_ps((__m128)w);
#else
    unsigned bits = 0;
    for (int l = 0; l < JO_LANES; l++)
        bits |= w[l] >> 31 << l;
    return bits;
#endif
}

#ifdef __AVX__
/* The lanes whose bits are set, closed up. */
static inline __m128 lanes_keep(__m128 all, unsigned bits)
{
    static const int32_t closed_up[16][JO_LANES] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    const __m128i which = _mm_loadu_si128((const __m128i *)(const void *)closed_up[bits]);
    return _mm_permutevar_ps(all, which);
}
#endif

/* Writes the words whose bits are set, closed up, and returns where the next go. Up to JO_LANES
 * words from `to` on may be overwritten. */
static inline uint32_t *words_keep(const uint32_t *p, unsigned bits, uint32_t *to)
{
#ifdef __AVX__
    const __m128 all = _mm_loadu_ps((const float *)(const void *)p);
    _mm_storeu_ps((float *)(void *)to, lanes_keep(all, bits));
    return to + __builtin_popcount(bits);
#else
    for (int l = 0; l < JO_LANES; l++) {
        *to = p[l];
        to += bits >> l & 1;
    }
    return to;
#endif
}

/* Three components of a vector, in each lane. */
typedef struct vec4x3 {
    vec4 x, y, z;
} vec4x3;

static inline vec4 v4_dot(vec4x3 a, vec4x3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec4x3 v4_cross(vec4x3 a, vec4x3 b)
{
    return (vec4x3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec4x3 v4_add3(vec4x3 a, vec4x3 b)
{
    return (vec4x3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec4x3 v4_sub3(vec4x3 a, vec4x3 b)
{
    return (vec4x3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec4x3 v4_scale3(vec4 s, vec4x3 a)
{
    return (vec4x3){s * a.x, s * a.y, s * a.z};
}
static inline vec4x3 v4_only3(mask4 m, vec4x3 a)
{
    return (vec4x3){v4_only(m, a.x), v4_only(m, a.y), v4_only(m, a.z)};
}

#endif
