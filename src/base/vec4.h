/* vec4.h — four doubles at once, the same bits with and without AVX2.
 *
 * GCC and clang vector types: arithmetic is element by element in IEEE double, so the compiler's
 * choice of instructions cannot change a result. Comparisons give lanes of all ones or zeros. */
#ifndef JO_BASE_VEC4_H
#define JO_BASE_VEC4_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

typedef double vec4 __attribute__((vector_size(32)));
typedef int64_t mask4 __attribute__((vector_size(32)));

static inline vec4 v4_all(double a) { return (vec4){ a, a, a, a }; }
static inline vec4 v4_zero(void) { return (vec4){ 0, 0, 0, 0 }; }

/* Unaligned. */
static inline vec4 v4_load(const double *p)
{
    vec4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void v4_store(double *p, vec4 v) { memcpy(p, &v, sizeof v); }

static inline vec4 v4_sqrt(vec4 a)
{
#ifdef __AVX__
    return (vec4)_mm256_sqrt_pd((__m256d)a);
#else
    return (vec4){ sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]) };
#endif
}

/* a where the mask is set, b elsewhere. */
static inline vec4 v4_pick(mask4 m, vec4 a, vec4 b)
{
    return (vec4)((m & (mask4)a) | (~m & (mask4)b));
}
/* a where the mask is set, 0 elsewhere. */
static inline vec4 v4_only(mask4 m, vec4 a) { return (vec4)(m & (mask4)a); }
static inline vec4 v4_max(vec4 a, vec4 b) { return v4_pick(a > b, a, b); }
static inline vec4 v4_min(vec4 a, vec4 b) { return v4_pick(a < b, a, b); }
static inline vec4 v4_abs(vec4 a)
{
    return (vec4)((mask4)a & (mask4){ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX });
}
/* To the nearest integer, ties to even; |a| < 2^51. */
static inline vec4 v4_round(vec4 a)
{
    const vec4 magic = v4_all(6755399441055744.0); /* 1.5 * 2^52 */
    return (a + magic) - magic;
}

static inline int v4_any(mask4 m)
{
#ifdef __AVX__
    return _mm256_movemask_pd((__m256d)m) != 0;
#else
    return (m[0] | m[1] | m[2] | m[3]) < 0;
#endif
}

/* Rows to columns: *a becomes (a0, b0, c0, d0) and so on. */
static inline void v4_transpose(vec4 *a, vec4 *b, vec4 *c, vec4 *d)
{
    const vec4 p = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
    const vec4 q = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    const vec4 r = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
    const vec4 s = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    *b = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    *c = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    *d = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

/* Three components of four vectors. */
typedef struct vec4x3 {
    vec4 x, y, z;
} vec4x3;

static inline vec4 v4_dot(vec4x3 a, vec4x3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec4x3 v4_cross(vec4x3 a, vec4x3 b)
{
    return (vec4x3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static inline vec4x3 v4_add3(vec4x3 a, vec4x3 b) { return (vec4x3){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static inline vec4x3 v4_sub3(vec4x3 a, vec4x3 b) { return (vec4x3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static inline vec4x3 v4_scale3(vec4 s, vec4x3 a) { return (vec4x3){ s * a.x, s * a.y, s * a.z }; }
static inline vec4x3 v4_only3(mask4 m, vec4x3 a)
{
    return (vec4x3){ v4_only(m, a.x), v4_only(m, a.y), v4_only(m, a.z) };
}

#endif
