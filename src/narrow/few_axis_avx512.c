/* few_axis_avx512.c — few_axis.h for processors with AVX-512, entered only after asking: bodies of
 * up to sixteen faces and sixteen edges, sixteen faces or crossings at a time.
 *
 * What is sorted out is the same, the order is another: signs of all faces along all edges first,
 * as rows of bits; then both bodies' rows are brought together, which takes turning one of them on
 * its side; what crosses falls out at once. */
#if defined(__AVX512VBMI2__)
#include "narrow/few_axis.h"

typedef __m512 floats16;

/* Up to 64 pairs of edges whose arcs cross: sixteen times side 0's plus side 1's, and zeros behind
 * them. */
typedef struct crossed_pairs {
    _Alignas(64) uint8_t pair[64];
    int n;
} crossed_pairs;

static inline floats16 along16(floats16 x, floats16 y, floats16 z, float a, float b, float c)
{
    const floats16 two = _mm512_fmadd_ps(y, _mm512_set1_ps(b), _mm512_mul_ps(x, _mm512_set1_ps(a)));
    return _mm512_fmadd_ps(z, _mm512_set1_ps(c), two);
}

static inline floats16 dot16(const floats16 a[3], const floats16 b[3])
{
    const floats16 two = _mm512_fmadd_ps(a[1], b[1], _mm512_mul_ps(a[0], b[0]));
    return _mm512_fmadd_ps(a[2], b[2], two);
}

static inline floats16 load_halves(const float *low, const float *high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(low)), _mm256_loadu_ps(high),
                              1);
}

/* How deep two eights of side i's faces are, within `face_loss`, in units of the bodies' size. On
 * the way, unless it is NULL: heights of the other's vertices along these faces' normals, from the
 * other's centre and in units of its radius. */
static inline floats16 depths16(const axis_search *s, int i, const poly_faces *f,
                                const poly_faces *g, float *height)
{
    const jo_polyhedron *q = s->w->side[1 - i].p;
    const float(*m)[4] = s->turn[i], *c = s->at[i];
    const floats16 x = load_halves(f->n[0], g->n[0]), y = load_halves(f->n[1], g->n[1]),
                   z = load_halves(f->n[2], g->n[2]), off = load_halves(f->off, g->off);
    const floats16 nx = along16(x, y, z, m[0][0], m[1][0], m[2][0]);
    const floats16 ny = along16(x, y, z, m[0][1], m[1][1], m[2][1]);
    const floats16 nz = along16(x, y, z, m[0][2], m[1][2], m[2][2]);
    floats16 least = _mm512_set1_ps(INFINITY);
    const float *v = q->spots, *end = v + 3 * q->nv;
    for (; v < end; v += 3) {
        const floats16 high = along16(nx, ny, nz, v[0], v[1], v[2]);
        if (height != NULL) {
            _mm512_store_ps(height, high);
            height += 16;
        }
        least = _mm512_min_ps(least, high);
    }
    const floats16 above = _mm512_fnmadd_ps(least, _mm512_set1_ps(s->own[1 - i]), off * s->own[i]);
    return above - along16(x, y, z, c[0], c[1], c[2]);
}

void jo_two_eights_avx512(const axis_search *s, int i, const poly_faces f[2], floats8 depth[2])
{
    _mm512_storeu_ps(depth, depths16(s, i, &f[0], &f[1], NULL));
}

/* Of a body with no more faces; one eight is taken twice. */
static inline floats16 few_depths16(const axis_search *s, int i, float *height)
{
    const jo_polyhedron *p = s->w->side[i].p;
    return depths16(s, i, p->faces, p->faces + p->face_eights - 1, height);
}

/* By faces: which of the other's edges each one points against, a bit each; *nearest becomes
 * less. */
static inline __m512i few_against16(const jo_polyhedron *q, const float *height, floats16 *nearest)
{
    const poly_few *f = q->few;
    __m512i signs = _mm512_setzero_si512();
    for (size_t k = q->nh / 2; k-- > 0;) {
        const floats16 along =
            _mm512_sub_ps(_mm512_load_ps(height + f->head[k]), _mm512_load_ps(height + f->tail[k]));
        *nearest = _mm512_range_ps(*nearest, along, 10); /* the nearer to zero, without sign */
        signs = _mm512_shldi_epi32(signs, _mm512_castps_si512(along), 1);
    }
    return signs;
}

/* A row of sixteen bits for each edge: of the face left of it, and in the upper half of the face
 * right of it. */
static inline __m512i rows_beside(const poly_few *p, __m512i faces)
{
    const __m512i which =
        _mm512_cvtepu8_epi16(_mm256_load_si256((const __m256i *)(const void *)p->faces));
    return _mm512_permutexvar_epi16(which, _mm512_castsi256_si512(_mm512_cvtepi32_epi16(faces)));
}

/* Rows to columns in both halves: bytes of eight rows to words, in each of them rows to columns by
 * exchanging neighbours, pairs and fours of bits, and the bytes to rows. */
static inline __m512i turned_rows(__m512i rows)
{
    typedef uint64_t words8 __attribute__((vector_size(64)));
#define EIGHT(from, by)                                                                            \
    (from), (from) + (by), (from) + 2 * (by), (from) + 3 * (by), (from) + 4 * (by),                \
        (from) + 5 * (by), (from) + 6 * (by), (from) + 7 * (by)
#define PAIRS8(from)                                                                               \
    (from), (from) + 16, (from) + 1, (from) + 17, (from) + 2, (from) + 18, (from) + 3,             \
        (from) + 19, (from) + 4, (from) + 20, (from) + 5, (from) + 21, (from) + 6, (from) + 22,    \
        (from) + 7, (from) + 23
    static const _Alignas(64)
        uint8_t to_words[64] = {EIGHT(0, 2),  EIGHT(1, 2),  EIGHT(16, 2), EIGHT(17, 2),
                                EIGHT(32, 2), EIGHT(33, 2), EIGHT(48, 2), EIGHT(49, 2)};
    static const _Alignas(64) uint8_t to_rows[64] = {PAIRS8(0), PAIRS8(8), PAIRS8(32), PAIRS8(40)};
#undef EIGHT
#undef PAIRS8
    words8 v = (words8)_mm512_permutexvar_epi8(_mm512_load_si512(to_words), rows);
    words8 x = (v ^ v >> 7) & 0x00aa00aa00aa00aa;
    v ^= x ^ x << 7;
    x = (v ^ v >> 14) & 0x0000cccc0000cccc;
    v ^= x ^ x << 14;
    x = (v ^ v >> 28) & 0x00000000f0f0f0f0;
    v ^= x ^ x << 28;
    return _mm512_permutexvar_epi8(_mm512_load_si512(to_rows), (__m512i)v);
}

/* All places from n on. */
static inline __mmask64 places_from(int n)
{
    return n < 64 ? UINT64_MAX << n : 0;
}

/* The numbers of the bits set in four words, closed up; *n becomes how many there are. Beyond 64
 * they are lost. */
static inline __m512i places_of(__m256i words, int *n)
{
    const __m512i each = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i next = _mm512_set1_epi8(64), after = _mm512_set1_epi8(-128); /* modulo 256 */
    const uint64_t a = (uint64_t)_mm256_extract_epi64(words, 0),
                   b = (uint64_t)_mm256_extract_epi64(words, 1),
                   c = (uint64_t)_mm256_extract_epi64(words, 2),
                   d = (uint64_t)_mm256_extract_epi64(words, 3);
    const int na = __builtin_popcountll(a), nb = __builtin_popcountll(b),
              nc = __builtin_popcountll(c);
    const __m512i of_a = _mm512_maskz_compress_epi8(a, each);
    const __m512i of_b = _mm512_maskz_compress_epi8(b, _mm512_add_epi8(each, next));
    const __m512i of_c = _mm512_maskz_compress_epi8(c, _mm512_sub_epi8(each, after));
    const __m512i of_d = _mm512_maskz_compress_epi8(d, _mm512_sub_epi8(each, next));
    const __m512i ab = _mm512_mask_expand_epi8(of_a, places_from(na), of_b);
    const __m512i cd = _mm512_mask_expand_epi8(of_c, places_from(nc), of_d);
    *n = na + nb + nc + __builtin_popcountll(d);
    return _mm512_mask_expand_epi8(ab, places_from(na + nb), cd);
}

/* The pairs of arcs that cross; false when they are too many, or a normal is too near to square to
 * an edge for float. */
static inline bool few_crossings16(const axis_search *s, float height[2][16 * POLY_FEW_VERTICES],
                                   crossed_pairs *to)
{
    const jo_polyhedron *p = s->w->side[0].p, *q = s->w->side[1].p;
    floats16 nearest = _mm512_set1_ps(INFINITY);
    const __m512i beside = rows_beside(p->few, few_against16(q, height[0], &nearest));
    const __m512i other = turned_rows(rows_beside(q->few, few_against16(p, height[1], &nearest)));
    const __m512i off = beside ^ other;
    const __m256i differ = _mm512_castsi512_si256(beside) ^ _mm512_extracti64x4_epi64(beside, 1);
    const __m256i either = _mm512_castsi512_si256(off) | _mm512_extracti64x4_epi64(off, 1);
    _mm512_store_si512(to->pair, places_of(_mm256_andnot_si256(either, differ), &to->n));
    return to->n <= 64 && _mm512_cmp_ps_mask(nearest, _mm512_set1_ps(4e-6f), _CMP_LT_OQ) == 0;
}

static inline floats16 some16(const float *from, __m512i which)
{
    return _mm512_permutexvar_ps(which, _mm512_load_ps(from));
}

/* Sixteen pairs of arcs that cross, from number `at` on: see few_eight. */
static inline floats16 few_sixteen(const axis_search *s, const crossed_pairs *pairs, int at,
                                   floats16 *most)
{
    const poly_few *p = s->w->side[0].p->few, *q = s->w->side[1].p->few;
    const float(*m)[4] = s->turn[1], *c = s->at[0];
    const floats16 loss = _mm512_set1_ps(4e-6f);
    const __m128i sixteen = _mm_load_si128((const __m128i *)(const void *)(pairs->pair + at));
    const __m512i place = _mm512_cvtepu8_epi32(sixteen), of_p = _mm512_srli_epi32(place, 4);
    const __mmask16 there = (__mmask16)(pairs->n - at < 16 ? (1u << (pairs->n - at)) - 1u : 65535u);
    floats16 u[3], a[3], v[3], b[3], t[3];
    for (int k = 0; k < 3; k++) {
        u[k] = some16(p->u[k], of_p);
        a[k] = some16(p->from[k], of_p);
        t[k] = some16(q->u[k], place);
    }
    for (int r = 0; r < 3; r++)
        v[r] = along16(t[0], t[1], t[2], m[0][r], m[1][r], m[2][r]);
    for (int k = 0; k < 3; k++)
        t[k] = some16(q->from[k], place);
    for (int r = 0; r < 3; r++)
        b[r] = _mm512_fmadd_ps(along16(t[0], t[1], t[2], m[0][r], m[1][r], m[2][r]),
                               _mm512_set1_ps(s->own[1]), _mm512_set1_ps(c[r]));
    const floats16 n[3] = {_mm512_fmsub_ps(u[1], v[2], u[2] * v[1]),
                           _mm512_fmsub_ps(u[2], v[0], u[0] * v[2]),
                           _mm512_fmsub_ps(u[0], v[1], u[1] * v[0])};
    const floats16 share = _mm512_rsqrt14_ps(_mm512_max_ps(dot16(n, n), _mm512_set1_ps(1e-12f)));
    const floats16 reach = dot16(n, a) * s->own[0];
    const floats16 gap = (reach - dot16(n, b)) * share, either = _mm512_abs_ps(gap);
    const floats16 within = _mm512_fmadd_ps(share, loss, either * 5e-4f);
    const __mmask16 sure = _mm512_cmp_ps_mask(_mm512_abs_ps(reach), loss, _CMP_GT_OQ);
    const floats16 sign = _mm512_and_ps(reach, _mm512_set1_ps(-0.0f));
    const floats16 depth = _mm512_xor_ps(gap, sign);
    const floats16 highest = _mm512_mask_blend_ps(sure, either, depth) + within;
    *most = _mm512_mask_min_ps(*most, there, *most, highest);
    return _mm512_mask_blend_ps(there, _mm512_set1_ps(INFINITY),
                                _mm512_mask_blend_ps(sure, -either, depth) - within);
}

static inline void measure_crossed(const axis_search *s, const crossed_pairs *pairs, int k,
                                   walk_axis *best)
{
    measure_pair(s, pairs->pair[k] / 16, pairs->pair[k] % 16, best);
}

/* See few_least. */
static inline void few_least16(const axis_search *s, const floats16 depth[2],
                               const crossed_pairs *pairs, walk_axis *best)
{
    const uint32_t nf = (uint32_t)s->w->side[0].p->nf, other_nf = (uint32_t)s->w->side[1].p->nf;
    floats16 least[4], most = _mm512_min_ps(depth[0], depth[1]) + face_loss;
    const int n = pairs->n;
    least[0] = _mm512_set1_ps(INFINITY);
    for (int k = 0; k < n; k += 16)
        least[k / 16] = few_sixteen(s, pairs, k, &most);
    const float limit = _mm512_reduce_min_ps(most);
    const floats16 limits = _mm512_set1_ps(limit), faces = _mm512_set1_ps(limit + face_loss);
    uint64_t bits = (_mm512_cmp_ps_mask(depth[0], faces, _CMP_LE_OQ) & ((1u << nf) - 1u)) |
                    (_mm512_cmp_ps_mask(depth[1], faces, _CMP_LE_OQ) & ((1u << other_nf) - 1u))
                        << 16;
    bits |= (uint64_t)_mm512_cmp_ps_mask(least[0], limits, _CMP_LE_OQ) << 32;
    if (n <= 16 && is_guess(s, bits, 16, pairs->pair)) {
        *best = *s->guess;
        return;
    }
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(bits);
        if (k < 32)
            measure_face(s, (int)(k / 16), k % 16, best);
        else
            measure_crossed(s, pairs, (int)k - 32, best);
    }
    for (int k = 16; k < n; k += 16) {
        unsigned others = _mm512_cmp_ps_mask(least[k / 16], limits, _CMP_LE_OQ);
        for (; others != 0; others &= others - 1)
            measure_crossed(s, pairs, k + __builtin_ctz(others), best);
    }
}

few_end jo_least_of_few_avx512(const axis_search *s, bool overlap, walk_axis *best)
{
    _Alignas(64) float height[2][16 * POLY_FEW_VERTICES];
    const floats16 depth[2] = {few_depths16(s, 0, height[0]), few_depths16(s, 1, height[1])};
    const floats16 least = _mm512_min_ps(depth[0], depth[1]);
    if (overlap && _mm512_cmp_ps_mask(least, _mm512_set1_ps(-face_loss), _CMP_LE_OQ) != 0)
        return FEW_APART;
    crossed_pairs pairs;
    if (!few_crossings16(s, height, &pairs)) return FEW_UNSURE;
    few_least16(s, depth, &pairs, best);
    return FEW_FOUND;
}
#else
typedef int few_axis_avx512_is_empty_here;
#endif
