/* rows_search.h — the search through rows of cells; compiled once plain and once for AVX2.
 *
 * For every body, in sorted order: the window of cells its reach covers in its own level, forward
 * half only (rows after its own, and its own row after itself), then the windows in the coarser
 * levels, whole. A window is a cyclic span of slots per axis; along x it is one range of the sorted
 * arrays, or two around the end of a cyclic axis. */
#include <math.h>

#include "broad/rows.h"
#include "scene/touch.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Margins for float arithmetic on the way to the compare: a dozen roundings of 2^-24 each. */
#define OUTER (1.0f + 0x1p-18f)
#define INNER (1.0f - 0x1p-18f)

/* Everything the inner loop needs lives in local values, never behind a pointer: a store of pairs
 * through a vector pointer may alias anything, and would make the compiler load it all again. */
#define INLINE static inline __attribute__((always_inline))

typedef struct probe { /* the body whose contacts are sought */
    uint32_t x[3];
    float r;
    uint32_t id;
} probe;

typedef struct span { /* slots first, first + 1, … around the table's end */
    uint32_t first, count;
    uint32_t own; /* how many come before the body's own slot */
} span;

typedef struct arrays { /* the sorted bodies, and how to compare them */
    const uint32_t *x[3];
    const float *r;
    const uint32_t *id;
    const uint32_t *start;
    float scale[3];
    float pad, sure_pad;
    double steps_per_unit[3];
    uint32_t top[3];
    bool periodic[3];
} arrays;

typedef struct writer { /* where the next pair goes */
    jo_pair *next, *limit;
    uint64_t tested;
} writer;

/* At least BATCH pairs of room, or task->failed. */
enum { BATCH = 8 };
static __attribute__((noinline)) writer make_room(rows_task *task, writer w)
{
    task->out->count = (size_t)(w.next - pairlist_data(task->out));
    if (!jo_pairlist_reserve(task->out, BATCH)) {
        task->failed = true;
        w.next = pairlist_data(task->out); /* what is written now is not looked at */
        return w;
    }
    w.next = pairlist_data(task->out) + task->out->count;
    w.limit = pairlist_data(task->out) + pairlist_capacity(task->out);
    return w;
}

#if defined(__AVX2__)
/* For each mask of 8 lanes, the lanes that are set, in order, one per byte; filled by the compiler.
 */
#define BITS_SET(v)                                                                                \
    (((v)&1) + ((v) >> 1 & 1) + ((v) >> 2 & 1) + ((v) >> 3 & 1) + ((v) >> 4 & 1) +                 \
     ((v) >> 5 & 1) + ((v) >> 6 & 1))
#define LANE(m, k) ((m) >> (k)&1 ? (uint64_t)(k) << 8 * BITS_SET((m) & ((1 << (k)) - 1)) : 0)
#define LANES(m)                                                                                   \
    (LANE(m, 0) | LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) |    \
     LANE(m, 7))
#define LANES_4(m)  LANES(m), LANES(m + 1), LANES(m + 2), LANES(m + 3)
#define LANES_16(m) LANES_4(m), LANES_4(m + 4), LANES_4(m + 8), LANES_4(m + 12)
#define LANES_64(m) LANES_16(m), LANES_16(m + 16), LANES_16(m + 32), LANES_16(m + 48)
static const uint64_t lanes_of_mask[256] = {LANES_64(0), LANES_64(64), LANES_64(128),
                                            LANES_64(192)};

/* Clears the lanes of `unsure` whose pair does not touch by the definition. */
static __attribute__((noinline)) unsigned ask_definition(const rows_task *task, uint32_t id,
                                                         size_t at, unsigned mask, unsigned unsure)
{
    for (; unsure != 0; unsure &= unsure - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(unsure);
        if (!touch(task->q->bodies, task->q->domain, id, task->rows->id[at + lane]))
            mask &= ~(1u << lane);
    }
    return mask;
}

/* Tests the bodies at sorted places [from, to) against p and appends those that touch. Written
 * without a branch on what is found: every batch stores eight pairs and moves on by as many as
 * touch. */
INLINE void scan(rows_task *task, const arrays *s, writer *w, const probe *p, size_t from,
                 size_t to, int dim, bool boxes)
{
    const __m256 r_out = _mm256_set1_ps(p->r + s->pad), r_in = _mm256_set1_ps(p->r - s->sure_pad);
    const __m256i id = _mm256_set1_epi32((int)p->id);
    w->tested += to - from;
    size_t k = from;
    do {
        __m256 d2 = _mm256_setzero_ps();
        for (int a = 0; a < dim; a++) {
            const __m256i x = _mm256_loadu_si256((const __m256i *)(s->x[a] + k));
            const __m256i step = _mm256_sub_epi32(x, _mm256_set1_epi32((int)p->x[a]));
            const __m256 d = _mm256_mul_ps(_mm256_cvtepi32_ps(step), _mm256_set1_ps(s->scale[a]));
            const __m256 dd = _mm256_mul_ps(d, d);
            d2 = boxes ? _mm256_max_ps(d2, dd) : _mm256_add_ps(d2, dd);
        }
        const __m256 r = _mm256_loadu_ps(s->r + k);
        const __m256 outer = _mm256_add_ps(r, r_out);
        const __m256 outer2 = _mm256_mul_ps(_mm256_mul_ps(outer, outer), _mm256_set1_ps(OUTER));
        const unsigned lanes_used = to - k < BATCH ? (1u << (to - k)) - 1 : 0xff;
        unsigned mask =
            (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(d2, outer2, _CMP_LE_OQ)) & lanes_used;
        const __m256 inner = _mm256_max_ps(_mm256_add_ps(r, r_in), _mm256_setzero_ps());
        const __m256 inner2 = _mm256_mul_ps(_mm256_mul_ps(inner, inner), _mm256_set1_ps(INNER));
        const unsigned sure = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(d2, inner2, _CMP_LT_OQ));
        if ((mask & ~sure) != 0) mask = ask_definition(task, p->id, k, mask, mask & ~sure);

        if (w->limit - w->next < BATCH) {
            *w = make_room(task, *w);
            if (task->failed) return;
        }
        const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of_mask[mask]));
        const __m256i ids =
            _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(s->id + k)), lanes);
        const __m256i low = _mm256_min_epu32(ids, id), high = _mm256_max_epu32(ids, id);
        const __m256i even = _mm256_unpacklo_epi32(low, high);
        const __m256i odd = _mm256_unpackhi_epi32(low, high);
        _mm256_storeu_si256((__m256i *)w->next, _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *)(w->next + 4), _mm256_permute2x128_si256(even, odd, 0x31));
        w->next += __builtin_popcount(mask);
        k += BATCH;
    } while (k < to);
}
#else
/* Tests the bodies at sorted places [from, to) against p and appends those that touch. */
INLINE void scan(rows_task *task, const arrays *s, writer *w, const probe *p, size_t from,
                 size_t to, int dim, bool boxes)
{
    w->tested += to - from;
    for (size_t k = from; k < to; k++) {
        float d2 = 0.0f;
        for (int a = 0; a < dim; a++) {
            const float d = (float)(int32_t)(s->x[a][k] - p->x[a]) * s->scale[a];
            const float dd = d * d;
            d2 = boxes ? (dd > d2 ? dd : d2) : d2 + dd;
        }
        const float outer = s->r[k] + (p->r + s->pad);
        if (!(d2 <= outer * outer * OUTER)) continue;
        const float inner = s->r[k] + (p->r - s->sure_pad);
        const bool sure = inner > 0.0f && d2 < inner * inner * INNER;
        if (!sure && !touch(task->q->bodies, task->q->domain, p->id, s->id[k])) continue;
        if (w->limit - w->next < BATCH) {
            *w = make_room(task, *w);
            if (task->failed) return;
        }
        *w->next++ = p->id < s->id[k] ? (jo_pair){p->id, s->id[k]} : (jo_pair){s->id[k], p->id};
    }
}
#endif

/* The slots on axis a within `reach` steps of x. Where that is all of them, the span is the whole
 * table, each slot once. */
INLINE span find_span(const arrays *s, const rows_level *l, int a, uint32_t x, double reach)
{
    const uint64_t cells = l->cells[a];
    const uint32_t table = l->table[a], own = (uint32_t)(x * cells >> 32);
    const span whole = {.first = own & l->mask[a], .count = table, .own = 0};
    const uint64_t steps = reach < 0x1p31 ? (uint64_t)reach + 1 : (uint64_t)1 << 31;
    uint32_t first, last;
    uint64_t count, before;
    if (s->periodic[a]) {
        if ((2 * steps + 1) * cells >= (cells - 1) << 32) return whole;
        first = (uint32_t)((uint64_t)(uint32_t)(x - steps) * cells >> 32);
        last = (uint32_t)((uint64_t)(uint32_t)(x + steps) * cells >> 32);
        count = (last >= first ? last - first : last + cells - first) + 1;
        before = own >= first ? own - first : own + cells - first;
    } else {
        const uint64_t low = x > steps ? x - steps : 0, high = x + steps;
        first = (uint32_t)(low * cells >> 32);
        last = (uint32_t)((high < s->top[a] ? high : s->top[a]) * cells >> 32);
        count = last - first + 1;
        before = own - first;
    }
    if (count > table) return whole;
    return (span){.first = first & l->mask[a], .count = (uint32_t)count, .own = (uint32_t)before};
}

/* The candidates of one row; `start` is that of the row's slot 0. Bodies before `after` are left
 * out: 0 takes them all. */
INLINE void scan_row(rows_task *task, const arrays *s, writer *w, const probe *p,
                     const uint32_t *start, span x, uint32_t table, size_t after, int dim,
                     bool boxes)
{
    const uint32_t end = x.first + x.count;
    size_t from = start[x.first], to = start[end < table ? end : table];
    if (from < after) from = after;
    if (from < to) scan(task, s, w, p, from, to, dim, boxes);
    if (end > table) {
        from = start[0] < after ? after : start[0];
        to = start[end - table];
        if (from < to) scan(task, s, w, p, from, to, dim, boxes);
    }
}

/* The body's own row, from the body itself (at sorted place i) forward. */
INLINE void scan_own_row(rows_task *task, const arrays *s, writer *w, const probe *p,
                         const uint32_t *start, span x, uint32_t table, size_t i, int dim,
                         bool boxes)
{
    const uint32_t end = x.first + x.count;
    if (x.first + x.own >= table) { /* the body's slot comes after the turn */
        scan(task, s, w, p, i + 1, start[end - table], dim, boxes);
        return;
    }
    scan(task, s, w, p, i + 1, start[end < table ? end : table], dim, boxes);
    if (end > table) scan(task, s, w, p, start[0], start[end - table], dim, boxes);
}

typedef struct window {
    span x, y, z;
} window;

INLINE window find_window(const arrays *s, const rows_level *l, const probe *p, int dim)
{
    const double reach = (double)p->r + l->r_max + s->pad;
    window v = {.z = {.count = 1}};
    v.x = find_span(s, l, 0, p->x[0], reach * s->steps_per_unit[0]);
    v.y = find_span(s, l, 1, p->x[1], reach * s->steps_per_unit[1]);
    if (dim == 3) v.z = find_span(s, l, 2, p->x[2], reach * s->steps_per_unit[2]);
    return v;
}

INLINE const uint32_t *row_start(const arrays *s, const rows_level *l, span y, uint32_t ky, span z,
                                 uint32_t kz)
{
    uint32_t ty = y.first + ky, tz = z.first + kz;
    if (ty >= l->table[1]) ty -= l->table[1];
    if (tz >= l->table[2]) tz -= l->table[2];
    return s->start + l->first_cell + ((size_t)tz * l->table[1] + ty) * l->table[0];
}

/* Every row of the window; bodies at sorted places before `after` are left out. */
INLINE void search_whole(rows_task *task, const arrays *s, writer *w, const probe *p,
                         const rows_level *l, size_t after, int dim, bool boxes)
{
    const window v = find_window(s, l, p, dim);
    for (uint32_t kz = 0; kz < v.z.count; kz++)
        for (uint32_t ky = 0; ky < v.y.count; ky++)
            scan_row(task, s, w, p, row_start(s, l, v.y, ky, v.z, kz), v.x, l->table[0], after, dim,
                     boxes);
}

/* The same where the window is known to cover at most two rows on each axis: always all four (in 2D
 * two) are scanned, those outside with nothing in them, so that the processor has nothing to guess.
 */
INLINE void search_few(rows_task *task, const arrays *s, writer *w, const probe *p,
                       const rows_level *l, int dim, bool boxes)
{
    const window v = find_window(s, l, p, dim);
    const uint32_t end = v.x.first + v.x.count;
    if (end > l->table[0]) { /* around the end of a cyclic axis: rare */
        search_whole(task, s, w, p, l, 0, dim, boxes);
        return;
    }
    for (uint32_t kz = 0; kz < (dim == 3 ? 2 : 1); kz++)
        for (uint32_t ky = 0; ky < 2; ky++) {
            const uint32_t inside = (ky < v.y.count) & (kz < v.z.count);
            const uint32_t *start = row_start(s, l, v.y, ky * inside, v.z, kz * inside);
            const size_t from = start[v.x.first];
            scan(task, s, w, p, from, from + (start[end] - from) * inside, dim, boxes);
        }
}

/* The forward half of the window in the body's own level. */
INLINE void search_forward(rows_task *task, const arrays *s, writer *w, const probe *p,
                           const rows_level *l, size_t i, int dim, bool boxes)
{
    const window v = find_window(s, l, p, dim);
    scan_own_row(task, s, w, p, row_start(s, l, v.y, v.y.own, v.z, v.z.own), v.x, l->table[0], i,
                 dim, boxes);
    uint32_t ky = v.y.own + 1;
    for (uint32_t kz = v.z.own; kz < v.z.count; kz++, ky = 0)
        for (; ky < v.y.count; ky++)
            scan_row(task, s, w, p, row_start(s, l, v.y, ky, v.z, kz), v.x, l->table[0], 0, dim,
                     boxes);
}

/* Where reaches are short against the height of rows, which rows a body needs depends on where in
 * its row it lies, unforeseeably; a processor loses more time to the wrong guesses than to a batch
 * in vain. So all bodies of a row take the same rows, found once per row. */
typedef struct forward_rows {
    uint32_t row; /* whose they are */
    const uint32_t *own;
    const uint32_t *after[ROWS_FORWARD_MAX]; /* starts of the rows forward of it */
    int count;
} forward_rows;

static __attribute__((noinline)) void find_forward_rows(const uint32_t *start, const rows_level *l,
                                                        uint32_t row, forward_rows *f)
{
    const uint32_t table_y = l->table[1], table_z = l->table[2];
    const int ty = (int)(row % table_y), tz = (int)(row / table_y);
    f->row = row;
    f->own = start + l->first_cell + (size_t)row * l->table[0];
    f->count = 0;
    for (int dz = 0; dz <= l->rows_z; dz++)
        for (int dy = dz == 0 ? 1 : -l->rows_y; dy <= l->rows_y; dy++) {
            int y = ty + dy, z = tz + dz;
            if (l->cyclic[1]) y = (y + (int)table_y) % (int)table_y;
            if (l->cyclic[2]) z = z % (int)table_z;
            if (y < 0 || y >= (int)table_y || z >= (int)table_z) continue;
            f->after[f->count++] =
                start + l->first_cell + ((size_t)z * table_y + (size_t)y) * l->table[0];
        }
}

INLINE void search_same_rows(rows_task *task, const arrays *s, writer *w, const probe *p,
                             const rows_level *l, const rows_level *in_memory, size_t i,
                             forward_rows *f, int dim, bool boxes)
{
    uint32_t row = (uint32_t)((uint64_t)p->x[1] * l->cells[1] >> 32) & l->mask[1];
    if (dim == 3)
        row += ((uint32_t)((uint64_t)p->x[2] * l->cells[2] >> 32) & l->mask[2]) * l->table[1];
    if (row != f->row) find_forward_rows(s->start, in_memory, row, f);
    const double reach = (double)p->r + l->r_max + s->pad;
    const span x = find_span(s, l, 0, p->x[0], reach * s->steps_per_unit[0]);
    const uint32_t table = l->table[0], end = x.first + x.count;
    if (end > table) { /* around the end of a cyclic axis: rare */
        scan_own_row(task, s, w, p, f->own, x, table, i, dim, boxes);
        for (int k = 0; k < f->count; k++)
            scan_row(task, s, w, p, f->after[k], x, table, 0, dim, boxes);
        return;
    }
    scan(task, s, w, p, i + 1, f->own[end], dim, boxes);
    for (int k = 0; k < f->count; k++)
        scan(task, s, w, p, f->after[k][x.first], f->after[k][end], dim, boxes);
}

INLINE void search_bodies(rows_task *task, int dim, bool boxes)
{
    const rows *r = task->rows;
    arrays s = {.r = r->r, .id = r->id, .start = r->start, .pad = r->pad, .sure_pad = r->sure_pad};
    for (int a = 0; a < dim; a++) {
        s.x[a] = r->x[a];
        s.scale[a] = r->scale[a];
        s.steps_per_unit[a] = r->steps_per_unit[a];
        s.top[a] = r->top[a];
        s.periodic[a] = r->periodic[a];
    }
    writer w = {.next = pairlist_data(task->out) + task->out->count,
                .limit = pairlist_data(task->out) + pairlist_capacity(task->out)};
    forward_rows forward = {.row = UINT32_MAX};
    int own = 0;
    rows_level l = r->level[0];
    for (size_t i = task->begin; i < task->end && !task->failed; i++) {
        while (own + 1 < r->levels && i >= s.start[r->level[own + 1].first_cell]) {
            l = r->level[++own];
            forward.row = UINT32_MAX;
        }
        probe p = {.r = s.r[i], .id = s.id[i]};
        for (int a = 0; a < dim; a++)
            p.x[a] = s.x[a][i];
        if (l.full)
            search_whole(task, &s, &w, &p, &l, i + 1, dim, boxes);
        else if (l.same_rows)
            search_same_rows(task, &s, &w, &p, &l, &r->level[own], i, &forward, dim, boxes);
        else
            search_forward(task, &s, &w, &p, &l, i, dim, boxes);
        for (int k = 0; k < own; k++) {
            if (p.r <= r->level[k].few)
                search_few(task, &s, &w, &p, &r->level[k], dim, boxes);
            else
                search_whole(task, &s, &w, &p, &r->level[k], 0, dim, boxes);
        }
    }
    task->tested = w.tested;
    if (!task->failed) task->out->count = (size_t)(w.next - pairlist_data(task->out));
}

void ROWS_SEARCH(rows_task *task)
{
    if (task->rows->boxes)
        search_bodies(task, task->rows->dim, true);
    else if (task->rows->dim == 2)
        search_bodies(task, 2, false);
    else
        search_bodies(task, 3, false);
}
