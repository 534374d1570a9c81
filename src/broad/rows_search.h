/* rows_search.h — the search through rows of cells; compiled once plain and once for AVX2.
 *
 * For every body, in sorted order: the window of cells its reach covers in its own level, forward
 * half only (rows after its own, and its own row after itself), then the windows in the finer (or
 * the coarser) levels, whole. A window is a cyclic span of slots per axis; along x it is one range
 * of the sorted arrays, or two around the end of a cyclic axis.
 *
 * Bodies are searched in blocks of the sorted order, first all of a block in their own level, then
 * in each coarser one: every such loop is a function of its own, so that its few constants stay in
 * registers. Blocks begin at multiples of ROWS_BLOCK whoever searches them, which makes the order
 * of the pairs independent of the number of threads. */
#include <math.h>

#include "broad/rows.h"
#include "scene/touch.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Margins for float arithmetic on the way to the compare: a dozen roundings of 2^-24 each. */
#define OUTER (1.0f + 0x1p-18f)
#define INNER (1.0f - 0x1p-16f)

#define INLINE   static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

enum { BATCH = 8 };

typedef struct probe { /* the body whose contacts are sought */
    uint32_t x[3];
    float r;
    float outer; /* r + pad: beyond this and the other's radius, no contact */
    float sure;  /* below this part of the outer distance², certain contact; at most 0: never */
    uint32_t id;
} probe;

typedef struct span { /* slots first, first + 1, … around the table's end */
    uint32_t first, count;
    uint32_t own; /* how many come before the body's own slot */
} span;

/* What the loops need, copied to local values: a store of pairs through a vector pointer may alias
 * anything in memory, and would make the compiler load it all again. */
typedef struct arrays {
    const uint32_t *x[3];
    const float *r;
    const uint32_t *id;
    const uint32_t *start;
    float scale[3];
    float pad, sure_pad;
} arrays;

typedef struct writer { /* where the next pair goes */
    jo_pair *next, *limit;
    uint64_t tested;
} writer;

INLINE arrays local_arrays(const rows *r, int dim)
{
    arrays s = {.r = r->r, .id = r->id, .start = r->start, .pad = r->pad, .sure_pad = r->sure_pad};
    for (int a = 0; a < dim; a++) {
        s.x[a] = r->x[a];
        s.scale[a] = r->scale[a];
    }
    return s;
}

INLINE probe make_probe(const arrays *s, size_t i, int dim)
{
    probe p = {.r = s->r[i], .id = s->id[i]};
    for (int a = 0; a < dim; a++)
        p.x[a] = s->x[a][i];
    p.outer = p.r + s->pad;
    /* For radii R in all: (R − pad)² ≥ (R + pad)² (1 − 4 pad / R), and R is at least r. */
    p.sure = INNER - 5.0f * s->sure_pad / p.r;
    return p;
}

/* Room for at least BATCH more pairs, or task->failed. */
NOINLINE writer make_room(rows_task *task, writer w)
{
    task->out->count = (size_t)(w.next - pairlist_data(task->out));
    if (task->beyond != NULL) {
        task->out = task->beyond;
        task->beyond = NULL;
    }
    if (!jo_pairlist_reserve(task->out, BATCH)) {
        task->failed = true;
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
NOINLINE unsigned ask_definition(const rows_task *task, uint32_t id, size_t at, unsigned mask,
                                 unsigned unsure)
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
            d2 = a == 0 ? dd : boxes ? _mm256_max_ps(d2, dd) : _mm256_add_ps(d2, dd);
        }
        const __m256 reach = _mm256_add_ps(_mm256_loadu_ps(s->r + k), _mm256_set1_ps(p->outer));
        const __m256 outer = _mm256_mul_ps(_mm256_mul_ps(reach, reach), _mm256_set1_ps(OUTER));
        const __m256 inner = _mm256_mul_ps(outer, _mm256_set1_ps(p->sure));
        const unsigned used = to - k < BATCH ? (1u << (to - k)) - 1 : 0xff;
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(d2, outer, _CMP_LE_OQ)) & used;
        const unsigned sure = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(d2, inner, _CMP_LT_OQ));
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
        const float reach = s->r[k] + p->outer;
        const float outer = reach * reach * OUTER;
        if (!(d2 <= outer)) continue;
        if (!(d2 < outer * p->sure) && !touch(task->q->bodies, task->q->domain, p->id, s->id[k]))
            continue;
        if (w->limit - w->next < BATCH) {
            *w = make_room(task, *w);
            if (task->failed) return;
        }
        *w->next++ = p->id < s->id[k] ? (jo_pair){p->id, s->id[k]} : (jo_pair){s->id[k], p->id};
    }
}
#endif

/* ---- windows */

/* How many steps a body of radius r must look to either side on axis a. At most 2^31: everything.
 */
INLINE uint64_t reach_steps(const rows *r, const rows_level *l, int a, float radius)
{
    const double steps = ((double)radius + l->r_max + r->pad) * r->steps_per_unit[a] + 1.0;
    return steps < 0x1p31 ? (uint64_t)steps : (uint64_t)1 << 31;
}

/* The slots on axis a within `steps` of x. Where that is all of them, the span is the whole table,
 * each slot once. */
INLINE span find_span(const rows *r, const rows_level *l, int a, uint32_t x, uint64_t steps)
{
    const uint64_t cells = l->cells[a];
    const uint32_t table = l->table[a], own = (uint32_t)(x * cells >> 32);
    const span whole = {.first = rows_slot(l, a, own), .count = table, .own = 0};
    uint32_t first, last;
    uint64_t count, before;
    if (r->periodic[a]) {
        if ((2 * steps + 1) * cells >= (cells - 1) << 32) return whole;
        first = (uint32_t)((uint64_t)(uint32_t)(x - steps) * cells >> 32);
        last = (uint32_t)((uint64_t)(uint32_t)(x + steps) * cells >> 32);
        count = (last >= first ? last - first : last + cells - first) + 1;
        before = own >= first ? own - first : own + cells - first;
    } else {
        const uint64_t low = x > steps ? x - steps : 0, high = x + steps;
        first = (uint32_t)(low * cells >> 32);
        last = (uint32_t)((high < r->top[a] ? high : r->top[a]) * cells >> 32);
        count = last - first + 1;
        before = own - first;
    }
    if (count > table) return whole;
    return (span){
        .first = rows_slot(l, a, first), .count = (uint32_t)count, .own = (uint32_t)before};
}

typedef struct window {
    span x, y, z;
} window;

INLINE window find_window(const rows *r, const rows_level *l, const probe *p, int dim)
{
    window v = {.z = {.count = 1}};
    v.x = find_span(r, l, 0, p->x[0], reach_steps(r, l, 0, p->r));
    v.y = find_span(r, l, 1, p->x[1], reach_steps(r, l, 1, p->r));
    if (dim == 3) v.z = find_span(r, l, 2, p->x[2], reach_steps(r, l, 2, p->r));
    return v;
}

/* The start of slot 0 in row (ky, kz) of a window. */
INLINE const uint32_t *row_start(const arrays *s, const rows_level *l, const window *v, uint32_t ky,
                                 uint32_t kz)
{
    uint32_t ty = v->y.first + ky, tz = v->z.first + kz;
    if (ty >= l->table[1]) ty -= l->table[1];
    if (tz >= l->table[2]) tz -= l->table[2];
    return s->start + l->first_cell + ((size_t)tz * l->table[1] + ty) * l->table[0];
}

/* The candidates of one row. Bodies before `after` are left out: 0 takes them all. */
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

/* ---- the four ways to search: bodies [begin, end), of one level */

/* Every row of the window in level l. In a body's own level only bodies after it are taken. */
INLINE writer search_whole(rows_task *task, writer w, const rows_level *l, bool own, size_t begin,
                           size_t end, int dim, bool boxes)
{
    const rows *r = task->rows;
    const arrays s = local_arrays(r, dim);
    for (size_t i = begin; i < end && !task->failed; i++) {
        const probe p = make_probe(&s, i, dim);
        const window v = find_window(r, l, &p, dim);
        for (uint32_t kz = 0; kz < v.z.count; kz++)
            for (uint32_t ky = 0; ky < v.y.count; ky++)
                scan_row(task, &s, &w, &p, row_start(&s, l, &v, ky, kz), v.x, l->table[0],
                         own ? i + 1 : 0, dim, boxes);
    }
    return w;
}

/* A coarser level whose windows are known to cover at most two rows on each axis: always all four
 * (in 2D two) are scanned, those outside with nothing in them, so that the processor has nothing to
 * guess. */
INLINE writer search_few(rows_task *task, writer w, const rows_level *l, size_t begin, size_t end,
                         int dim, bool boxes)
{
    const rows *r = task->rows;
    const arrays s = local_arrays(r, dim);
    for (size_t i = begin; i < end && !task->failed; i++) {
        const probe p = make_probe(&s, i, dim);
        const window v = find_window(r, l, &p, dim);
        const uint32_t past = v.x.first + v.x.count;
        if (past > l->table[0]) { /* around the end of a cyclic axis: rare */
            for (uint32_t kz = 0; kz < v.z.count; kz++)
                for (uint32_t ky = 0; ky < v.y.count; ky++)
                    scan_row(task, &s, &w, &p, row_start(&s, l, &v, ky, kz), v.x, l->table[0], 0,
                             dim, boxes);
            continue;
        }
        for (uint32_t kz = 0; kz < (dim == 3 ? 2 : 1); kz++)
            for (uint32_t ky = 0; ky < 2; ky++) {
                const uint32_t inside = (ky < v.y.count) & (kz < v.z.count);
                const uint32_t *start = row_start(&s, l, &v, ky * inside, kz * inside);
                const size_t from = start[v.x.first];
                scan(task, &s, &w, &p, from, from + (start[past] - from) * inside, dim, boxes);
            }
    }
    return w;
}

/* The forward half of the window in the bodies' own level. */
INLINE writer search_forward(rows_task *task, writer w, const rows_level *l, size_t begin,
                             size_t end, int dim, bool boxes)
{
    const rows *r = task->rows;
    const arrays s = local_arrays(r, dim);
    for (size_t i = begin; i < end && !task->failed; i++) {
        const probe p = make_probe(&s, i, dim);
        const window v = find_window(r, l, &p, dim);
        scan_own_row(task, &s, &w, &p, row_start(&s, l, &v, v.y.own, v.z.own), v.x, l->table[0], i,
                     dim, boxes);
        uint32_t ky = v.y.own + 1;
        for (uint32_t kz = v.z.own; kz < v.z.count; kz++, ky = 0)
            for (; ky < v.y.count; ky++)
                scan_row(task, &s, &w, &p, row_start(&s, l, &v, ky, kz), v.x, l->table[0], 0, dim,
                         boxes);
    }
    return w;
}

/* Where reaches are short against the height of rows, which rows a body needs depends on where in
 * its row it lies, unforeseeably; a processor loses more time to the wrong guesses than to a batch
 * in vain. So all bodies of a row take the same rows, found once per row. */
typedef struct forward_rows {
    const uint32_t *own;
    const uint32_t *after[ROWS_FORWARD_MAX]; /* starts of the rows forward of it */
    int count;
} forward_rows;

NOINLINE void find_forward_rows(const uint32_t *start, const rows_level *l, uint32_t row,
                                forward_rows *f)
{
    const uint32_t table_y = l->table[1], table_z = l->table[2];
    const int ty = (int)(row % table_y), tz = (int)(row / table_y);
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

INLINE uint32_t row_of(const rows_level *l, const probe *p, int dim)
{
    uint32_t row = rows_slot(l, 1, (uint32_t)((uint64_t)p->x[1] * l->cells[1] >> 32));
    if (dim == 3)
        row += rows_slot(l, 2, (uint32_t)((uint64_t)p->x[2] * l->cells[2] >> 32)) * l->table[1];
    return row;
}

INLINE writer search_same_rows(rows_task *task, writer w, const rows_level *l, size_t begin,
                               size_t end, int dim, bool boxes)
{
    const rows *r = task->rows;
    const arrays s = local_arrays(r, dim);
    const uint32_t table = l->table[0];
    forward_rows f;
    uint32_t row = UINT32_MAX;
    for (size_t i = begin; i < end && !task->failed; i++) {
        const probe p = make_probe(&s, i, dim);
        if (row_of(l, &p, dim) != row) find_forward_rows(s.start, l, row = row_of(l, &p, dim), &f);
        const span x = find_span(r, l, 0, p.x[0], reach_steps(r, l, 0, p.r));
        const uint32_t past = x.first + x.count;
        if (past > table) { /* around the end of a cyclic axis: rare */
            scan_own_row(task, &s, &w, &p, f.own, x, table, i, dim, boxes);
            for (int k = 0; k < f.count; k++)
                scan_row(task, &s, &w, &p, f.after[k], x, table, 0, dim, boxes);
            continue;
        }
        size_t from = i + 1, to = f.own[past];
        for (int k = 0;; k++) {
            scan(task, &s, &w, &p, from, to, dim, boxes);
            if (k == f.count) break;
            from = f.after[k][x.first];
            to = f.after[k][past];
        }
    }
    return w;
}

/* ---- blocks. Each way is compiled for 2D, 3D and boxes, as a function of its own. */

typedef writer (*way)(rows_task *task, writer w, const rows_level *l, size_t begin, size_t end);

typedef struct ways {
    way own_whole, own_forward, own_same_rows, other_whole, other_few;
} ways;

#define WAY(name)                                                                                  \
    NOINLINE writer name(rows_task *t, writer w, const rows_level *l, size_t b, size_t e)
#define DEFINE_WAYS(kind, dim, boxes)                                                              \
    WAY(own_whole_##kind)                                                                          \
    {                                                                                              \
        return search_whole(t, w, l, true, b, e, dim, boxes);                                      \
    }                                                                                              \
    WAY(own_forward_##kind)                                                                        \
    {                                                                                              \
        return search_forward(t, w, l, b, e, dim, boxes);                                          \
    }                                                                                              \
    WAY(own_same_rows_##kind)                                                                      \
    {                                                                                              \
        return search_same_rows(t, w, l, b, e, dim, boxes);                                        \
    }                                                                                              \
    WAY(other_whole_##kind)                                                                        \
    {                                                                                              \
        return search_whole(t, w, l, false, b, e, dim, boxes);                                     \
    }                                                                                              \
    WAY(other_few_##kind)                                                                          \
    {                                                                                              \
        return search_few(t, w, l, b, e, dim, boxes);                                              \
    }                                                                                              \
    static const ways ways_##kind = {own_whole_##kind, own_forward_##kind, own_same_rows_##kind,   \
                                     other_whole_##kind, other_few_##kind};

DEFINE_WAYS(2d, 2, false)
DEFINE_WAYS(3d, 3, false)
DEFINE_WAYS(boxes, t->rows->dim, true)

/* Bodies [begin, end), all of level `own`: in their own level, then in all finer or all coarser
 * ones. */
static writer search_level(rows_task *task, const ways *by, writer w, int own, size_t begin,
                           size_t end)
{
    const rows_level *l = &task->rows->level[own];
    const way in_own = l->full ? by->own_whole : l->same_rows ? by->own_same_rows : by->own_forward;
    w = in_own(task, w, l, begin, end);
    const int first = task->rows->plan.downward ? own + 1 : 0;
    const int last = task->rows->plan.downward ? task->rows->levels : own;
    for (int k = first; k < last; k++) {
        const rows_level *other = &task->rows->level[k];
        w = (l->r_max <= other->few ? by->other_few : by->other_whole)(task, w, other, begin, end);
    }
    return w;
}

void ROWS_SEARCH(rows_task *task)
{
    const rows *r = task->rows;
    const ways *by = r->boxes ? &ways_boxes : r->dim == 2 ? &ways_2d : &ways_3d;
    writer w = {.next = pairlist_data(task->out) + task->out->count,
                .limit = pairlist_data(task->out) + pairlist_capacity(task->out)};
    int own = 0;
    for (size_t i = task->begin; i < task->end && !task->failed;) {
        while (own + 1 < r->levels && i >= r->start[r->level[own + 1].first_cell])
            own++;
        size_t end = (i / ROWS_BLOCK + 1) * ROWS_BLOCK;
        if (end > task->end) end = task->end;
        if (own + 1 < r->levels && end > r->start[r->level[own + 1].first_cell])
            end = r->start[r->level[own + 1].first_cell];
        w = search_level(task, by, w, own, i, end);
        i = end;
    }
    task->tested = w.tested;
    if (!task->failed) task->out->count = (size_t)(w.next - pairlist_data(task->out));
}
