/* pairlist.c — lists of pairs.
 *
 * Sorting: one pass deals the pairs into buckets by the high bits of i, few enough that every
 * bucket has an open cache line and small enough that a bucket stays in the cache; each bucket is
 * then sorted by itself by digits of 8 bits. Linear in the number of pairs, in parallel over
 * buckets. */
#include "broad/pairlist.h"

#include <string.h>

#include "base/threads.h"

void jo_pairlist_free(pairlist *list)
{
    jo_buffer_free(&list->memory);
    *list = (pairlist){0};
}

bool jo_pairlist_reserve(pairlist *list, size_t more)
{
    if (more > SIZE_MAX / sizeof(jo_pair) - list->count) return false;
    return jo_buffer_grow(&list->memory, list->count * sizeof(jo_pair), list->count + more + 64,
                          sizeof(jo_pair));
}

bool jo_pairparts_join(const pairparts *parts, int threads, pairlist *out)
{
    size_t more = 0;
    for (int t = 1; t < threads; t++)
        more += parts->part[t].count;
    if (more == 0) return true;
    if (!jo_pairlist_reserve(out, more)) return false;
    for (int t = 1; t < threads; t++) {
        const pairlist *part = &parts->part[t];
        if (part->count == 0) continue;
        memcpy(pairlist_data(out) + out->count, pairlist_data(part), part->count * sizeof(jo_pair));
        out->count += part->count;
    }
    return true;
}

bool jo_pairparts_share(pairparts *parts, int threads, size_t expected, pairlist *out,
                        pairlist share[JO_THREADS_MAX])
{
    if (!jo_pairlist_reserve(out, expected)) return false;
    const size_t each = expected / (size_t)threads;
    for (int t = 0; t < threads; t++) {
        pairlist_clear(&parts->part[t]);
        share[t] = (pairlist){.memory = {.data = pairlist_data(out) + out->count + (size_t)t * each,
                                         .size = each * sizeof(jo_pair)}};
    }
    return true;
}

static void move_pairs(jo_pair *to, const jo_pair *from, size_t count)
{
    if (count > 0 && to != from) memmove(to, from, count * sizeof *to);
}

/* Shares are first moved together, then, from the last on, apart again by what comes between
 * them. */
bool jo_pairparts_join_shares(const pairparts *parts, int threads, pairlist *out,
                              const pairlist share[JO_THREADS_MAX])
{
    const size_t before = out->count;
    size_t beyond = 0;
    for (int t = 0; t < threads; t++) {
        move_pairs(pairlist_data(out) + out->count, pairlist_data(&share[t]), share[t].count);
        out->count += share[t].count;
        beyond += parts->part[t].count;
    }
    if (beyond == 0) return true;
    size_t from = out->count, to = from + beyond;
    if (!jo_pairlist_reserve(out, beyond)) {
        out->count = before;
        return false;
    }
    out->count = to;
    jo_pair *all = pairlist_data(out);
    for (int t = threads - 1; t >= 0; t--) {
        to -= parts->part[t].count;
        move_pairs(all + to, pairlist_data(&parts->part[t]), parts->part[t].count);
        from -= share[t].count;
        to -= share[t].count;
        move_pairs(all + to, all + from, share[t].count);
    }
    return true;
}

void jo_pairparts_free(pairparts *parts)
{
    for (int t = 0; t < JO_THREADS_MAX; t++)
        jo_pairlist_free(&parts->part[t]);
}

size_t jo_pairparts_bytes(const pairparts *parts)
{
    size_t total = 0;
    for (int t = 0; t < JO_THREADS_MAX; t++)
        total += parts->part[t].memory.size;
    return total;
}

static uint64_t key_of(jo_pair p)
{
    return (uint64_t)p.i << 32 | p.j;
}

static void insertion_sort(jo_pair *p, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        const jo_pair x = p[k];
        const uint64_t key = key_of(x);
        size_t m = k;
        for (; m > 0 && key_of(p[m - 1]) > key; m--)
            p[m] = p[m - 1];
        p[m] = x;
    }
}

enum { BUCKETS_MAX = 4096, BUCKET_PAIRS = 8192, SMALL = 48, DIGIT_MAX = 11, DIGITS_MAX = 6 };

typedef struct sort_job {
    jo_pair *dealt, *out;
    const size_t *start; /* of each bucket, and the end of the last */
    size_t buckets;
    int bits_i, bits_j; /* of the key within a bucket */
} sort_job;

/* Sorts n pairs of one bucket by key = (low bits of i, j), digit by digit from the lowest, back and
 * forth between p and other. Returns where they ended: p or other. */
static jo_pair *radix_sort(const sort_job *job, jo_pair *p, jo_pair *other, size_t n)
{
    const int bits = job->bits_i + job->bits_j, digits = (bits + DIGIT_MAX - 1) / DIGIT_MAX;
    const int width = (bits + digits - 1) / digits;
    const uint64_t low_i = ((uint64_t)1 << job->bits_i) - 1, low = ((uint64_t)1 << width) - 1;
    uint32_t start[DIGITS_MAX][1 << DIGIT_MAX];
    for (int d = 0; d < digits; d++)
        memset(start[d], 0, sizeof(uint32_t) << width);
    for (size_t k = 0; k < n; k++) {
        const uint64_t key = (p[k].i & low_i) << job->bits_j | p[k].j;
        for (int d = 0; d < digits; d++)
            start[d][key >> d * width & low]++;
    }
    for (int d = 0; d < digits; d++) {
        uint32_t total = 0;
        for (size_t v = 0; v <= low; v++) {
            const uint32_t count = start[d][v];
            start[d][v] = total;
            total += count;
        }
        for (size_t k = 0; k < n; k++) {
            const uint64_t key = (p[k].i & low_i) << job->bits_j | p[k].j;
            other[start[d][key >> d * width & low]++] = p[k];
        }
        jo_pair *sorted = other;
        other = p;
        p = sorted;
    }
    return p;
}

static void sort_buckets(void *context, int thread, int threads)
{
    const sort_job *job = context;
    /* Buckets are dealt round robin: their sizes differ and neighbours are alike. */
    for (size_t b = (size_t)thread; b < job->buckets; b += (size_t)threads) {
        const size_t from = job->start[b], n = job->start[b + 1] - from;
        jo_pair *out = job->out + from, *sorted = job->dealt + from;
        if (n <= SMALL)
            insertion_sort(sorted, n);
        else
            sorted = radix_sort(job, sorted, out, n);
        if (sorted != out) memcpy(out, sorted, n * sizeof(jo_pair));
    }
}

static int bits_of(size_t v)
{
    int bits = 0;
    while (v >> bits != 0)
        bits++;
    return bits;
}

bool jo_pairlist_sort(pairlist *list, size_t n, buffer *scratch, int threads)
{
    if (list->sorted || list->count < 2) {
        list->sorted = true;
        return true;
    }
    size_t buckets = list->count / BUCKET_PAIRS + 1;
    if (buckets > BUCKETS_MAX) buckets = BUCKETS_MAX;
    int shift = 0;
    while ((n - 1) >> shift >= buckets)
        shift++;
    buckets = ((n - 1) >> shift) + 1;

    if (!jo_buffer_reserve(scratch, list->count, sizeof(jo_pair))) return false;
    jo_pair *dealt = scratch->data, *pairs = pairlist_data(list);
    size_t start[BUCKETS_MAX + 1] = {0}, fill[BUCKETS_MAX];
    for (size_t k = 0; k < list->count; k++)
        start[(pairs[k].i >> shift) + 1]++;
    for (size_t b = 0; b < buckets; b++) {
        start[b + 1] += start[b];
        fill[b] = start[b];
    }
    for (size_t k = 0; k < list->count; k++)
        dealt[fill[pairs[k].i >> shift]++] = pairs[k];

    sort_job job = {.dealt = dealt,
                    .out = pairs,
                    .start = start,
                    .buckets = buckets,
                    .bits_i = shift,
                    .bits_j = bits_of(n - 1)};
    jo_threads_run(list->count < 10000 ? 1 : threads, sort_buckets, &job);
    list->sorted = true;
    return true;
}

bool jo_pairlist_difference(const pairlist *before, const pairlist *now, pairlist *begun,
                            pairlist *ended)
{
    pairlist_clear(begun);
    pairlist_clear(ended);
    const jo_pair *b = pairlist_data(before), *b_end = b + before->count;
    const jo_pair *a = pairlist_data(now), *a_end = a + now->count;
    while (a < a_end || b < b_end) {
        if (a < a_end && b < b_end && key_of(*a) == key_of(*b)) {
            a++, b++;
        } else if (b == b_end || (a < a_end && key_of(*a) < key_of(*b))) {
            if (!pairlist_push(begun, a->i, a->j)) return false;
            a++;
        } else {
            if (!pairlist_push(ended, b->i, b->j)) return false;
            b++;
        }
    }
    begun->sorted = ended->sorted = true;
    return true;
}
