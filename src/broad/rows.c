/* rows.c — sorting bodies into rows of cells (rows.h tells the idea).
 *
 * The sort is a counting sort by cell in two rounds, so that every write is close to the one before
 * it. Round one deals the bodies into buckets, a bucket being a run of about a thousand cells;
 * round two sorts each bucket by cell while it is in the cache. Both rounds are stable and the
 * buckets are filled in the order of the input whatever the number of threads, so the sorted order
 * depends on the bodies alone.
 *
 * Counting the buckets also measures how evenly the bodies are spread. If they are clumped, the
 * plan is made again for the density they really have, with smaller cells; the table of cells then
 * repeats itself instead of growing.
 *
 * Cost: three passes over the input (survey, count, deal), one over the buckets; 24 bytes a body
 * for the buckets, 20 for the sorted arrays, 4 for each cell. */
#include "broad/rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "base/timer.h"

enum {
    BUCKETS_MAX = 4096,
    ROUNDS_MAX = 8,
    CLUMP_MIN = 250,
    FEW_BODIES = 5000,
    CLUMPED_CELLS = 25,
    SPARE = 8
};
#define STEPS_PERIODIC 4294967296.0 /* 2^32 */
#define STEPS_OPEN     2147482624.0 /* 2^31 − 2^10: differences never wrap */
#define SLOTS_MAX      1073741824.0 /* 2^30: two numbers of slots add up to a 32-bit one */

typedef struct record {
    uint32_t x[3];
    float r;
    uint32_t id;
    uint32_t cell;
} record;

/* ---- the frame: lengths to integers */

enum { SAMPLE = 512 };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the bulk of the bodies lies on axis a, from a sample: the middle nine tenths. */
static void find_bulk(const jo_bodies *b, int a, double *low, double *high)
{
    double sample[SAMPLE];
    const size_t fair =
        b->n / 16 + 40; /* of few bodies, fewer: the sort must not cost more than it saves */
    const size_t count = b->n < fair ? b->n : fair < SAMPLE ? fair : SAMPLE;
    for (size_t k = 0; k < count; k++)
        sample[k] = body_centre(b, k * (b->n / count), a);
    qsort(sample, count, sizeof *sample, compare_doubles);
    *low = sample[count / 20];
    *high = sample[count - 1 - count / 20];
}

/* The part of an open axis that is told apart: all of it, unless a few bodies are so far out that
 * the rest would be squeezed into too few steps. */
static void open_frame(const query *q, int a, double *lo, double *width)
{
    const survey *v = q->survey;
    *lo = v->lo[a];
    *width = v->hi[a] - v->lo[a];
    const double fine = fmax(v->r_mean, v->r_max * 0x1p-10) * 0x1p25;
    if (*width <= fine || q->bodies->n < 4) return;

    double low, high;
    find_bulk(q->bodies, a, &low, &high);
    const double bulk = fmax(4.0 * (high - low), fine);
    if (bulk >= *width || bulk <= 0.0) return;
    *lo = fmax(v->lo[a], 0.5 * (low + high) - 0.5 * bulk);
    *width = bulk;
}

static void make_frame(rows *s, const query *q)
{
    const survey *v = q->survey;
    const jo_domain *domain = q->domain;
    double lo[3] = {0}, width[3] = {0}, widest = 0.0;
    s->clamped = false;
    for (int a = 0; a < s->dim; a++) {
        if (domain->periodic[a]) {
            lo[a] = domain->lo[a];
            width[a] = domain->hi[a] - domain->lo[a];
        } else {
            open_frame(q, a, &lo[a], &width[a]);
            s->clamped |= lo[a] > v->lo[a] || lo[a] + width[a] < v->hi[a];
        }
        widest = fmax(widest, width[a]);
    }
    /* Just above the largest radius, so that bin 0 is [1/2, 1). The bounds keep squares in
     * float. */
    s->unit = fmax(fmax(v->r_max * (1 + 0x1p-20), widest * 0x1p-30), 1e-150);
    s->inv_unit = 1.0 / s->unit;

    const double slack = body_slack(jo_survey_magnitude(v, domain, s->dim));
    double coarsest = 0.0;
    for (int a = 0; a < s->dim; a++) {
        const double steps = domain->periodic[a] ? STEPS_PERIODIC : STEPS_OPEN;
        if (!domain->periodic[a]) width[a] = fmax(width[a], s->unit * 0x1p-4);
        s->origin[a] = lo[a];
        s->width[a] = width[a];
        s->step[a] = width[a] / steps;
        s->inv_step[a] = steps / width[a];
        s->scale[a] = (float)(s->step[a] / s->unit);
        s->steps_per_unit[a] = s->unit * s->inv_step[a];
        s->periodic[a] = domain->periodic[a];
        s->top[a] = 0;
        if (!domain->periodic[a])
            s->top[a] = (uint32_t)fmin(STEPS_OPEN, (v->hi[a] - lo[a]) * s->inv_step[a] + 1);
        const double farthest = fmax(fabs(v->lo[a] - lo[a]), fabs(v->hi[a] - lo[a])) + slack;
        s->far[a] = domain->periodic[a] && farthest * s->inv_step[a] > 0x1p62;
        coarsest = fmax(coarsest, s->step[a]);
    }
    /* A coordinate is off by at most a step for truncation and, where it is wrapped or is the
     * middle of a box, by the rounding of that; a separation by twice that on every axis. */
    double error = 4.0 * coarsest + 2e-160;
    bool rounded = s->boxes;
    for (int a = 0; a < s->dim; a++)
        rounded |= domain->periodic[a];
    if (rounded) error += slack;
    s->pad = (float)fmin(error / s->unit * 1.001, 1e30) + FLT_MIN;
    s->sure_pad = s->clamped || s->boxes ? INFINITY : s->pad;
}

/* Not plain: bodies may lie beyond the frame. Boxes always may, by a rounding, when a neighbour
 * list has grown them since the survey. */
static inline uint32_t fixed(const rows *s, int a, double x, bool plain)
{
    double d = x - s->origin[a];
    if (!plain && s->far[a]) d = fmod(d, s->width[a]);
    double v = d * s->inv_step[a];
    if (!plain && !s->periodic[a]) v = v < 0.0 ? 0.0 : v > s->top[a] ? s->top[a] : v;
    return (uint32_t)(int64_t)v; /* modulo 2^32: the period */
}

/* The bin of a radius in units, from the float's exponent: [1/2, 1) is 0, [1/4, 1/2) is 1, … */
static inline int bin_of(float r)
{
    union {
        float f;
        uint32_t u;
    } bits = {.f = r};
    const int bin = 126 - (int)(bits.u >> 23);
    return bin < 0 ? 0 : bin < ROWS_BINS ? bin : ROWS_BINS - 1;
}

/* What the loops over all bodies are compiled for. */
typedef struct variant {
    int dim;
    bool boxes;
    bool plain;  /* no body beyond the frame: no clamping, no fmod */
    bool levels; /* more than one */
} variant;

static inline record make_record(const rows *s, const jo_bodies *b, size_t i, variant v)
{
    record rec = {.id = (uint32_t)i};
    for (int a = 0; a < v.dim; a++)
        rec.x[a] = fixed(s, a, v.boxes ? body_centre(b, i, a) : b->x[a][i * b->x_stride], v.plain);
    rec.r = (float)((v.boxes ? body_radius(b, i) : b->r[i * b->r_stride]) * s->inv_unit);

    const rows_level *l = &s->level[v.levels ? s->level_of_bin[bin_of(rec.r)] : 0];
    uint32_t cell = 0;
    for (int a = v.dim - 1; a >= 0; a--) {
        const uint32_t c = (uint32_t)((uint64_t)rec.x[a] * l->cells[a] >> 32);
        cell = cell * l->table[a] + rows_slot(l, a, c);
    }
    rec.cell = l->first_cell + cell;
    return rec;
}

/* ---- the tables of cells */

static bool coprime(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

/* Shrinks tables, largest first, until at most `limit` slots are left: they then repeat. Repeating
 * tables get lengths without a common divisor, so that bodies along a straight line, in whatever
 * direction, spread over all slots and not over a diagonal. */
static void repeat_tables(rows_level *l, const jo_domain *domain, int dim, double limit)
{
    for (;;) {
        double slots = 1.0;
        int a = 0;
        for (int k = 0; k < dim; k++) {
            slots *= l->table[k];
            if (l->table[k] > l->table[a]) a = k;
        }
        if (slots <= limit || l->table[a] <= 4) break;
        l->table[a] = (uint32_t)fmax(4.0, 0.8 * l->table[a]);
        l->repeats[a] = l->cyclic[a] = true;
    }
    for (int a = 0; a < dim; a++) {
        if (!l->repeats[a]) continue;
        for (int k = 0; k < a; k++)
            if (l->repeats[k] && !coprime(l->table[a], l->table[k])) {
                l->table[a]--;
                k = -1; /* all over again with the smaller one */
            }
        /* Around a periodic axis the table must repeat a whole number of times. */
        if (domain->periodic[a]) l->cells[a] -= l->cells[a] % l->table[a];
    }
}

static void make_table(const rows *s, const query *q, double edge_x, double edge, double limit,
                       rows_level *l)
{
    *l = (rows_level){.cells = {1, 1, 1}, .table = {1, 1, 1}};
    for (int a = 0; a < s->dim; a++) {
        const double frame = STEPS_PERIODIC * s->step[a];
        const double cells = floor(frame / (a == 0 ? edge_x : edge));
        l->cells[a] = cells >= 0x1p31 ? 0x80000000u : cells >= 1.0 ? (uint32_t)cells : 1;
        l->cyclic[a] = q->domain->periodic[a];
        l->table[a] = l->cells[a];
        if (!l->cyclic[a]) l->table[a] = (uint32_t)((uint64_t)s->top[a] * l->cells[a] >> 32) + 1;
    }
    repeat_tables(l, q->domain, s->dim, limit);
}

/* Lays the levels' cells one after the other, each starting a bucket. Returns the bucket's
 * shift. */
static int make_tables(rows *s, const query *q, const rows_plan *plan)
{
    const double limit = fmin(fmax(64.0, 4.0 * (double)s->n), SLOTS_MAX);
    double slots = 0.0;
    s->levels = plan->levels;
    for (int l = 0; l < s->levels; l++) {
        make_table(s, q, plan->edge_x[l], plan->edge[l], limit / s->levels, &s->level[l]);
        for (int b = plan->first_bin[l]; b < plan->first_bin[l + 1]; b++)
            s->level_of_bin[b] = (uint8_t)l;
        slots += (double)s->level[l].table[0] * s->level[l].table[1] * s->level[l].table[2];
    }
    int shift = 6;
    while (slots / (double)((size_t)1 << shift) > BUCKETS_MAX / 2 ||
           (shift < 10 && slots / (double)((size_t)1 << shift) > 64))
        shift++;
    uint32_t cell = 0;
    for (int l = 0; l < s->levels; l++) {
        rows_level *level = &s->level[l];
        level->first_cell = cell;
        cell += level->table[0] * level->table[1] * level->table[2];
        cell = (cell + ((uint32_t)1 << shift) - 1) >> shift << shift;
    }
    s->cell_count = cell;
    return shift;
}

/* ---- counting, dealing, sorting */

typedef struct sort_job {
    rows *s;
    const query *q;
    int shift;
    size_t buckets;
    uint32_t *counts;       /* [thread][bucket]; after the prefix sum: where to write */
    uint32_t *bucket_start; /* buckets + 1 */
    record *dealt;
    float (*largest)[ROWS_BINS]; /* [thread][bin]: largest radius */
    float *others;               /* [bucket]: sum over its bodies of the others in their cell */
} sort_job;

static inline void count_loop(sort_job *job, int t, size_t begin, size_t end, variant v)
{
    uint32_t *counts = job->counts + (size_t)t * job->buckets;
    float *largest = job->largest[t];
    for (size_t i = begin; i < end; i++) {
        const record rec = make_record(job->s, job->q->bodies, i, v);
        if (v.levels) {
            float *top = &largest[bin_of(rec.r)];
            *top = rec.r > *top ? rec.r : *top;
        }
        counts[rec.cell >> job->shift]++;
    }
}

static inline void deal_loop(sort_job *job, int t, size_t begin, size_t end, variant v)
{
    uint32_t *next = job->counts + (size_t)t * job->buckets;
    for (size_t i = begin; i < end; i++) {
        const record rec = make_record(job->s, job->q->bodies, i, v);
        job->dealt[next[rec.cell >> job->shift]++] = rec;
    }
}

/* Runs a loop compiled for what the bodies are; the common variants have one of their own. */
#define RUN_VARIANT(loop, job, t, begin, end)                                                      \
    do {                                                                                           \
        const rows *s_ = (job)->s;                                                                 \
        const bool plain_ = !s_->clamped && !s_->far[0] && !s_->far[1] && !s_->far[2];             \
        if (s_->boxes || !plain_)                                                                  \
            loop(job, t, begin, end, (variant){s_->dim, s_->boxes, false, true});                  \
        else if (s_->dim == 2 && s_->levels == 1)                                                  \
            loop(job, t, begin, end, (variant){2, false, true, false});                            \
        else if (s_->dim == 2)                                                                     \
            loop(job, t, begin, end, (variant){2, false, true, true});                             \
        else if (s_->levels == 1)                                                                  \
            loop(job, t, begin, end, (variant){3, false, true, false});                            \
        else                                                                                       \
            loop(job, t, begin, end, (variant){3, false, true, true});                             \
    } while (0)

static void count_bodies(void *context, int t, int threads)
{
    sort_job *job = context;
    size_t begin, end;
    jo_thread_share(job->s->n, t, threads, &begin, &end);
    memset(job->counts + (size_t)t * job->buckets, 0, job->buckets * sizeof(uint32_t));
    memset(job->largest[t], 0, sizeof job->largest[t]);
    /* With one level the survey knows the largest radius already. */
    if (job->s->levels == 1) job->largest[t][0] = (float)(job->q->survey->r_max * job->s->inv_unit);
    RUN_VARIANT(count_loop, job, t, begin, end);
}

static void deal_bodies(void *context, int t, int threads)
{
    sort_job *job = context;
    size_t begin, end;
    jo_thread_share(job->s->n, t, threads, &begin, &end);
    RUN_VARIANT(deal_loop, job, t, begin, end);
}

static inline void write_sorted(rows *s, const record *rec, uint32_t at, int dim)
{
    for (int a = 0; a < dim; a++)
        s->x[a][at] = rec->x[a];
    s->r[at] = rec->r;
    s->id[at] = rec->id;
}

static void sort_bucket(sort_job *job, size_t bucket)
{
    rows *s = job->s;
    const uint32_t first = (uint32_t)(bucket << job->shift), width = (uint32_t)1 << job->shift;
    const uint32_t from = job->bucket_start[bucket], to = job->bucket_start[bucket + 1];
    const record *dealt = job->dealt;
    uint32_t *start = s->start + first;
    memset(start, 0, width * sizeof *start);
    for (uint32_t k = from; k < to; k++)
        start[dealt[k].cell - first]++;
    uint32_t next = from;
    uint64_t others = 0;
    for (uint32_t c = 0; c < width; c++) {
        const uint32_t count = start[c];
        start[c] = next;
        next += count;
        others += (uint64_t)count * count;
    }
    job->others[bucket] = (float)(others - (to - from));
    if (s->dim == 2)
        for (uint32_t k = from; k < to; k++)
            write_sorted(s, &dealt[k], start[dealt[k].cell - first]++, 2);
    else
        for (uint32_t k = from; k < to; k++)
            write_sorted(s, &dealt[k], start[dealt[k].cell - first]++, 3);
    /* The fill moved every start to the start of the next cell: move them back. */
    memmove(start + 1, start, (width - 1) * sizeof *start);
    start[0] = from;
}

static void sort_buckets(void *context, int t, int threads)
{
    sort_job *job = context;
    for (size_t b = (size_t)t; b < job->buckets; b += (size_t)threads)
        sort_bucket(job, b);
}

/* Turns counts per thread and bucket into places. */
static void place_buckets(sort_job *job, int threads)
{
    uint32_t next = 0;
    for (size_t b = 0; b < job->buckets; b++) {
        job->bucket_start[b] = next;
        for (int t = 0; t < threads; t++) {
            uint32_t *count = &job->counts[(size_t)t * job->buckets + b];
            const uint32_t c = *count;
            *count = next;
            next += c;
        }
    }
    job->bucket_start[job->buckets] = next;
}

/* How clumped the bodies are: the mean over bodies of the number of others in their bucket (in
 * their cell, once that is known), over what an even spread would give, level by level. */
static double clumping(const sort_job *job, bool by_cell)
{
    const rows *s = job->s;
    double clumped = 0.0;
    for (int l = 0; l < s->levels; l++) {
        const size_t begin = s->level[l].first_cell >> job->shift;
        const size_t end =
            l + 1 < s->levels ? s->level[l + 1].first_cell >> job->shift : job->buckets;
        const double bodies = job->bucket_start[end] - job->bucket_start[begin];
        double others = 0.0;
        for (size_t b = begin; b < end; b++) {
            const double c = job->bucket_start[b + 1] - job->bucket_start[b];
            others += by_cell ? job->others[b] : c * (c - 1);
        }
        /* The last bucket of a level is only partly used: count slots, not buckets. */
        const double slots =
            (double)s->level[l].table[0] * s->level[l].table[1] * s->level[l].table[2];
        const double used = by_cell ? slots : fmax(1.0, slots / (double)((size_t)1 << job->shift));
        if (bodies > 64) clumped += others * used / bodies;
    }
    return clumped / fmax((double)s->n, 1.0);
}

static bool reserve_counts(rows *s, sort_job *job, int threads)
{
    job->buckets = s->cell_count >> job->shift;
    const size_t counts = (size_t)threads * job->buckets, starts = job->buckets + 1;
    const size_t tops = (size_t)threads * ROWS_BINS;
    if (!jo_buffer_reserve(&s->counts, counts + starts + tops + job->buckets, sizeof(uint32_t)))
        return false;
    job->counts = s->counts.data;
    job->bucket_start = job->counts + counts;
    job->largest = (float(*)[ROWS_BINS])(job->bucket_start + starts);
    job->others = (float *)(job->bucket_start + starts + tops);
    return true;
}

static bool reserve_sorted(rows *s, const query *q)
{
    const size_t each = (s->n + SPARE + 15) / 16 * 16;
    /* Where memory is lent, the contacts are to find room in it that only `dealt` has taken by
     * then. */
    if (q->def->once) jo_buffer_lend_leave(pairlist_bytes(q->def->expected));
    bool enough = jo_buffer_reserve(&s->cells, (size_t)s->cell_count + 1, sizeof(uint32_t)) &&
                  jo_buffer_reserve(&s->sorted, each * (size_t)(s->dim + 2), sizeof(uint32_t));
    if (q->def->once) jo_buffer_lend_leave(0);
    enough = enough && jo_buffer_reserve(&s->dealt, s->n, sizeof(record));
    if (!enough) return false;
    uint32_t *next = s->sorted.data;
    for (int a = 0; a < s->dim; a++, next += each)
        s->x[a] = next;
    s->id = next;
    s->r = (float *)(next + each);
    s->start = s->cells.data;
    /* The scan loads eight at a time and masks what lies beyond the end. */
    for (size_t k = s->n; k < each; k++) {
        for (int a = 0; a < s->dim; a++)
            s->x[a][k] = 0;
        s->id[k] = 0;
        s->r[k] = 0;
    }
    return true;
}

/* With the largest radius of each level known: can a window meet itself around a cyclic axis? */
static void finish_levels(rows *s, const sort_job *job, const rows_plan *plan, int threads)
{
    for (int l = 0; l < s->levels; l++) {
        rows_level *level = &s->level[l];
        for (int b = plan->first_bin[l]; b < plan->first_bin[l + 1]; b++)
            for (int t = 0; t < threads; t++)
                level->r_max = fmaxf(level->r_max, job->largest[t][b]);
        level->few = INFINITY;
        for (int a = 0; a < s->dim; a++) {
            const double reach = (2.0 * level->r_max + s->pad) * s->unit * s->inv_step[a] + 4;
            const double window = floor(reach * level->cells[a] / STEPS_PERIODIC) + 1;
            if (level->cyclic[a] && 2 * window + 1 > level->table[a]) level->full = true;
            /* A window no longer than a cell lies in at most two. */
            const double half = 0.5 * STEPS_PERIODIC / level->cells[a] - 8;
            if (a > 0)
                level->few = fminf(level->few, (float)(half / s->steps_per_unit[a]) * 0.9999f -
                                                   level->r_max - s->pad);
            if (a == 1) level->rows_y = (int)fmin(window, 1e6);
            if (a == 2) level->rows_z = (int)fmin(window, 1e6);
        }
        const double forward = level->rows_y + (2.0 * level->rows_y + 1) * level->rows_z;
        level->same_rows = plan->same_rows[l] && forward <= ROWS_FORWARD_MAX;
    }
}

/* The frame's volume over that of the bulk of the bodies: large when a few are far out. */
static double emptiness(const rows *s, const query *q)
{
    double ratio = 1.0;
    for (int a = 0; a < s->dim; a++) {
        double low, high;
        find_bulk(q->bodies, a, &low, &high);
        const double bulk = fmax(high - low, 2.0 * q->survey->r_mean);
        if (!s->periodic[a] && bulk > 0.0) ratio *= fmax(1.0, 0.9 * s->width[a] / bulk);
    }
    return ratio;
}

/* How many times denser than evenly spread the bodies would be if each had a cube of its own mean
 * diameter: no plan for a greater density is of use. */
static double touching_density(const rows *s, const query *q)
{
    double log_ratio = -log((double)s->n);
    for (int a = 0; a < s->dim; a++)
        log_ratio += log(fmax(1.0, s->width[a] / fmax(2.0 * q->survey->r_mean, 1e-150)));
    return exp(fmin(log_ratio, 600.0));
}

/* The density to plan for next, when planning for `factor` times the even one left bodies
 * clumped. */
static double denser(const rows *s, const query *q, double factor, double clumped, int round)
{
    const double most = fmax(1.0, touching_density(s, q));
    if (s->n < FEW_BODIES) return most; /* planning again and again would cost more */
    if (round == 0) return fmin(most, fmax(clumped, emptiness(s, q)));
    return fmin(most, fmax(factor * clumped, sqrt(factor * most)));
}

static jo_status sort_bodies(rows *s, sort_job *job, int threads, jo_error *error)
{
    finish_levels(s, job, &s->plan, threads);
    if (!reserve_sorted(s, job->q))
        return jo_fail_memory(error, s->n * sizeof(record), "sorted bodies");
    job->dealt = s->dealt.data;
    jo_threads_run(threads, deal_bodies, job);
    jo_threads_run(threads, sort_buckets, job);
    s->start[s->cell_count] = (uint32_t)s->n;
    return JO_OK;
}

static jo_status build(rows *s, const query *q, int max_levels, jo_error *error)
{
    const double edge = max_levels == 1 ? q->def->cell : 0.0;
    s->n = q->bodies->n;
    s->dim = q->bodies->dim;
    s->boxes = q->bodies->shape == JO_BOXES;
    const int threads = s->n < 20000 ? 1 : q->threads;
    make_frame(s, q);

    sort_job job = {.s = s, .q = q};
    double factor = 1.0, edge_before = 0.0;
    for (int round = 0;; round++) {
        jo_rows_plan(q, s->width, max_levels, edge, factor, &s->plan);
        job.shift = make_tables(s, q, &s->plan);
        if (!reserve_counts(s, &job, threads))
            return jo_fail_memory(error, s->cell_count * sizeof(uint32_t), "counting bodies");
        jo_threads_run(threads, count_bodies, &job);
        place_buckets(&job, threads);
        const bool last = round + 1 == ROUNDS_MAX || s->n < CLUMP_MIN || edge > 0.0 ||
                          s->plan.edge[0] == edge_before;
        double clumped = clumping(&job, false);
        if (last || clumped < 2.0) {
            const jo_status status = sort_bodies(s, &job, threads, error);
            if (status != JO_OK || last) return status;
            /* Evenly over the buckets, yet heaped in few cells: bodies along a line. Rare, and dear
             * to find out so late, so go all the way at once. */
            if (clumping(&job, true) < CLUMPED_CELLS) return JO_OK;
            clumped = INFINITY;
        }
        edge_before = s->plan.edge[0];
        factor = denser(s, q, factor, clumped, round);
    }
}

/* ---- searching */

static void run_task(void *context, int t, int threads)
{
    (void)threads;
    rows_task *task = (rows_task *)context + t;
#if defined(JO_HAVE_AVX2)
    if (__builtin_cpu_supports("avx2")) {
        jo_rows_search_avx2(task);
        return;
    }
#endif
    jo_rows_search_plain(task);
}

static jo_status search(const rows *s, const query *q, pairlist *out, uint64_t *tested,
                        jo_error *error)
{
    const int threads = s->n < 20000 ? 1 : q->threads;
    const size_t expected = q->def->expected;
    const bool shared = threads > 1 && expected > 0;
    rows_task task[JO_THREADS_MAX];
    pairlist share[JO_THREADS_MAX];
    bool failed = shared ? !jo_pairparts_share(q->parts, threads, expected, out, share)
                         : expected > 0 && !jo_pairlist_reserve(out, expected);
    for (int t = 0; t < threads; t++) {
        size_t begin, end;
        jo_thread_share((s->n + ROWS_BLOCK - 1) / ROWS_BLOCK, t, threads, &begin, &end);
        begin *= ROWS_BLOCK;
        end = end * ROWS_BLOCK < s->n ? end * ROWS_BLOCK : s->n;
        task[t] = (rows_task){.rows = s, .q = q, .begin = begin, .end = end};
        task[t].out = shared ? &share[t] : pairparts_list(q->parts, t, out);
        if (shared) task[t].beyond = &q->parts->part[t];
    }
    if (!failed) jo_threads_run(threads, run_task, task);
    for (int t = 0; t < threads; t++) {
        *tested += task[t].tested;
        failed |= task[t].failed;
    }
    if (failed || !(shared ? jo_pairparts_join_shares(q->parts, threads, out, share)
                           : jo_pairparts_join(q->parts, threads, out)))
        return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    return JO_OK;
}

/* The most it holds at a time, beyond what it was lent. */
static void note_peak(const rows *s, size_t lists, jo_broad_stats *stats)
{
    const size_t bytes = jo_rows_bytes(s) + lists, lent = jo_buffer_lent_used();
    if (bytes > lent && bytes - lent > stats->bytes_peak) stats->bytes_peak = bytes - lent;
}

jo_status jo_rows_find(rows *s, const query *q, int max_levels, pairlist *out,
                       jo_broad_stats *stats, jo_error *error)
{
    const double start = jo_seconds();
    jo_status status = build(s, q, max_levels, error);
    if (status != JO_OK) return status;
    const double built = jo_seconds();
    note_peak(s, 0, stats);
    if (q->def->once) {
        jo_buffer_free(&s->dealt);
        jo_buffer_free(&s->counts);
    }
    status = search(s, q, out, &stats->pairs_tested, error);
    stats->seconds[JO_STAGE_BUILD] += built - start;
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    stats->cells = s->cell_count;
    stats->rebuilds++;
    note_peak(s, out->memory.size + jo_pairparts_bytes(q->parts), stats);
    if (q->def->once) {
        jo_rows_release(s);
        jo_pairparts_free(q->parts);
    }
    return status;
}

void jo_rows_release(void *state)
{
    rows *s = state;
    jo_buffer_free(&s->sorted);
    jo_buffer_free(&s->cells);
    jo_buffer_free(&s->dealt);
    jo_buffer_free(&s->counts);
}

size_t jo_rows_bytes(const void *state)
{
    const rows *s = state;
    return s->sorted.size + s->cells.size + s->dealt.size + s->counts.size;
}
