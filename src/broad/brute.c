/* brute.c — all pairs: the oracle.
 *
 * Method: test every pair with the definition of contact (paper 2, "Brute Force": N(N−1)/2 checks).
 * It is the method the others are compared with, so it does nothing else: no filter, no structure.
 * Pairs come out sorted by construction; rows are dealt to threads in blocks and joined in order.
 *
 * Cost: N(N−1)/2 tests, no memory beyond the contacts. */
#include "base/error.h"
#include "base/threads.h"
#include "base/timer.h"
#include "broad/method.h"
#include "scene/touch.h"

typedef struct brute_job {
    const query *q;
    pairlist *out;
    bool failed[JO_THREADS_MAX];
} brute_job;

/* Row i has n − 1 − i pairs; thread t takes rows so that the pairs are shared evenly. */
static size_t first_row(size_t n, int t, int threads)
{
    size_t row = 0;
    const double all = 0.5 * (double)n * (double)(n - 1), mine = all * t / threads;
    /* Pairs before row i: i n − i (i + 1) / 2. A bisection is exact and cannot go astray. */
    size_t lo = 0, hi = n;
    while (lo < hi) {
        row = (lo + hi) / 2;
        const double before = (double)row * (double)n - 0.5 * (double)row * ((double)row + 1);
        if (before < mine)
            lo = row + 1;
        else
            hi = row;
    }
    return lo;
}

static void search_rows(void *context, int t, int threads)
{
    brute_job *job = context;
    const jo_bodies *b = job->q->bodies;
    const jo_domain *domain = job->q->domain;
    pairlist *out = pairparts_list(job->q->parts, t, job->out);
    const size_t end = t + 1 == threads ? b->n : first_row(b->n, t + 1, threads);
    for (size_t i = first_row(b->n, t, threads); i < end; i++)
        for (size_t j = i + 1; j < b->n; j++)
            if (touch(b, domain, i, j) && !pairlist_push(out, i, j)) {
                job->failed[t] = true;
                return;
            }
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    (void)state;
    const double start = jo_seconds();
    const int threads = q->bodies->n < 512 ? 1 : q->threads;
    brute_job job = {.q = q, .out = out};
    jo_threads_run(threads, search_rows, &job);
    bool failed = false;
    for (int t = 0; t < threads; t++)
        failed |= job.failed[t];
    if (failed || !jo_pairparts_join(q->parts, threads, out))
        return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    out->sorted = true;
    const double n = (double)q->bodies->n;
    stats->pairs_tested += (uint64_t)(0.5 * n * (n - (n > 0)));
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - start;
    return JO_OK;
}

const method jo_method_brute = {
    .info = {.name = "brute",
             .summary = "all pairs, N(N-1)/2 tests: the oracle",
             .source = "paper 2 (lecture), brute force",
             .cost = "time O(N^2); no memory beyond the contacts",
             .when = "up to some dozens of bodies, or to check another method",
             .options = "",
             .threaded = true},
    .find = find,
};
