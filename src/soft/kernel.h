/* kernel.h — the inner loops of the soft engine: moving bodies, forces of pairs and of walls,
 * measuring.
 *
 * Included by kernel_plain.c, kernel_avx2.c and kernel_avx512.c, which differ in compiler options
 * alone: the results are the same bits (base/vec4.h). */
#ifndef JO_SOFT_KERNEL_H
#define JO_SOFT_KERNEL_H

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "law/contact4.h"
#include "soft/engine.h"

/* What runs for every contact is inlined whatever its size. */
#define INLINE static inline __attribute__((always_inline))

/* Writes two numbers to memory, past the cache; what is written so is seen by others after the
 * end. */
INLINE void two_past_cache(double *to, double a, double b)
{
#ifdef __SSE2__
    _mm_stream_pd(to, _mm_set_pd(b, a));
#else
    to[0] = a;
    to[1] = b;
#endif
}
/* The first three of both, as floats. */
INLINE void write_change(float *to, row4 velocity, row4 spin)
{
    row_to_floats(to, velocity); /* and a fourth, over which the next are written */
    row_to_three_floats(to + 3, spin);
}
INLINE void change_past_cache(float *to, row4 velocity, row4 spin)
{
#if defined(__AVX__) && defined(__x86_64__)
    const __m128 v = _mm256_cvtpd_ps((__m256d)velocity), w = _mm256_cvtpd_ps((__m256d)spin);
    const __m128 middle = _mm_shuffle_ps(v, w, _MM_SHUFFLE(0, 0, 2, 2)); /* z, z, x, x */
    const __m128 two = _mm_shuffle_ps(middle, w, _MM_SHUFFLE(2, 1, 2, 0));
    long long *at = (long long *)(void *)to;
    _mm_stream_si64(at, _mm_cvtsi128_si64(_mm_castps_si128(v)));
    _mm_stream_si64(at + 1, _mm_cvtsi128_si64(_mm_castps_si128(two)));
    _mm_stream_si64(at + 2, _mm_extract_epi64(_mm_castps_si128(two), 1));
#else
    write_change(to, velocity, spin);
#endif
}
INLINE void past_cache_end(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

static inline row4 first_three(row4 a)
{
    typedef int64_t bits4 __attribute__((vector_size(32)));
    return (row4)((bits4)a & (bits4){-1, -1, -1, 0});
}

/* Kick and drift: v(t + dt/2) = v(t - dt/2) + dt a(t), x(t + dt) = x(t) + dt v(t + dt/2). */
static void move_block(const view *s, size_t block)
{
    const size_t first = block_first(block), end = first + block_count(s, block);
    const row4 dt = {s->step, s->step, s->step, 0}, half = row_all(0.5) * dt;
    const row4 gravity = {s->gravity[0], s->gravity[1], s->gravity[2], 0};
    double fastest = 0;
    row4 low = row_all(INFINITY), high = row_all(-INFINITY);
    uint32_t lost = UINT32_MAX;
    const bool many = s->n >= s->many;
    double *const xs = s->x, *const vs = s->v, *const ws = s->w;
    const double *const fs = s->f;
    float *const cs = s->c;
    for (size_t i = first; i < end; i++) {
        const row4 force = first_three(row_load(fs + 6 * i));
        const row4 torque = first_three(row_load(fs + 6 * i + 3));
        const double lightness = vs[4 * i + 3];
        const row4 a = force * row_all(lightness) + (lightness > 0 ? gravity : row_all(0));
        const row4 turn = torque * row_all(ws[4 * i + 3]);
        const row4 v = row_load(vs + 4 * i) + dt * a, w = row_load(ws + 4 * i) + dt * turn;
        row_store(vs + 4 * i, v);
        row_store(ws + 4 * i, w);
        row_store(xs + 4 * i, row_load(xs + 4 * i) + dt * v);
        if (many)
            change_past_cache(cs + 6 * i, half * a, half * turn);
        else
            write_change(cs + 6 * i, half * a, half * turn);
        low = v4_min(low, v);
        high = v4_max(high, v);
        const row4 vv = v * v, ww = w * w;
        const double speed2 = vv[0] + vv[1] + vv[2];
        if (speed2 > fastest) fastest = speed2;
        if (!(speed2 + ww[0] + ww[1] + ww[2] < 1e300) && lost == UINT32_MAX) lost = (uint32_t)i;
    }
    if (many) past_cache_end();
    s->sums[block].speed2_max = fastest;
    row_store(s->sums[block].slowest, low);
    row_store(s->sums[block].fastest, high);
    s->sums[block].lost = lost;
}

#include "soft/kernel_gather.h"
#include "soft/kernel_alike.h"
#include "soft/kernel_ahead.h"
#include "soft/kernel_collect.h"
#include "soft/kernel_pairs.h"
#include "soft/kernel_walls.h"
#include "soft/kernel_measure.h"

#endif
