/* floor.c — the least a search from scratch could cost, from memory traffic alone.
 *
 * Every search must read positions and radii once (8 (dim + 1) bytes, in order), write them sorted
 * by place (one random write), look at each body together with its neighbours (one random read of a
 * cache line) and write the contacts (8 bytes each, in order). The four are measured here, on
 * arrays as large as the search's own, right when the search is measured; they are added up as if
 * nothing overlapped, which a processor can beat, and nothing is counted for arithmetic, which it
 * cannot. */
#include "bench.h"

#include <math.h>
#include <string.h>

typedef struct arrays {
    double *from, *to; /* n bodies of `width` doubles */
    uint32_t *order;   /* a random permutation */
    size_t n, width;
} arrays;

static volatile double sink; /* keeps the reads from being optimised away */

static double timed(void (*work)(arrays *), arrays *a)
{
    double best = INFINITY;
    for (int run = 0; run < 5; run++) {
        const clocks start = clocks_now();
        work(a);
        const double seconds = clocks_now().cpu - start.cpu;
        best = seconds < best ? seconds : best;
    }
    return best * 1e9 / (double)a->n;
}

static void read_all(arrays *a)
{
    double sums[4] = {0};
    const size_t total = a->n * a->width / 4 * 4;
    for (size_t k = 0; k < total; k += 4)
        for (size_t m = 0; m < 4; m++)
            sums[m] += a->from[k + m];
    sink = sums[0] + sums[1] + sums[2] + sums[3];
}

static void scatter_all(arrays *a)
{
    for (size_t i = 0; i < a->n; i++)
        memcpy(a->to + a->order[i] * a->width, a->from + i * a->width,
               a->width == 4 ? 4 * sizeof(double) : 3 * sizeof(double));
}

static void look_all(arrays *a)
{
    double sum = 0;
    for (size_t i = 0; i < a->n; i++) {
        const double *at = a->to + a->order[i] * a->width;
        sum += at[0] + at[a->width - 1];
    }
    sink = sum;
}

static void copy_all(arrays *a)
{
    memcpy(a->to, a->from, a->n * a->width * sizeof(double));
}

floor_parts floor_measure(size_t n, int dim, double contacts_per_body)
{
    floor_parts parts = {NAN, NAN, NAN, NAN, NAN, NAN};
    arrays a = {.n = n, .width = (size_t)dim + 1};
    a.from = malloc((n + 8) * a.width * sizeof *a.from);
    a.to = malloc((n + 8) * a.width * sizeof *a.to);
    a.order = malloc((n + 1) * sizeof *a.order);
    if (a.from != NULL && a.to != NULL && a.order != NULL && n > 0) {
        for (size_t k = 0; k < n * a.width; k++)
            a.from[k] = a.to[k] = (double)k;
        for (size_t k = 0; k < n; k++)
            a.order[k] = (uint32_t)k;
        for (size_t k = n - 1; k > 0; k--) {
            const size_t other = (size_t)(scene_random(1, 0, k) * (double)(k + 1));
            const uint32_t held = a.order[k];
            a.order[k] = a.order[other];
            a.order[other] = held;
        }
        const double copy = timed(copy_all, &a), bytes = (double)(a.width * sizeof(double));
        parts.copy_gb = bytes / copy;
        parts.read = timed(read_all, &a);
        parts.scatter = timed(scatter_all, &a);
        parts.look = timed(look_all, &a);
        parts.write = contacts_per_body * 8.0 / parts.copy_gb;
        /* scatter reads its source in order, so the reading is in it already */
        parts.total = parts.scatter + parts.look + parts.write;
    }
    free(a.from);
    free(a.to);
    free(a.order);
    return parts;
}
