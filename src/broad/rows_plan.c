/* rows_plan.c — how high the rows, how long the cells, how many levels: the cheapest predicted way.
 *
 * The model. Bodies are taken as spread evenly at the density measured. A body of radius r that looks
 * into a level with largest radius R and rows of height h reaches c = r + R to every side, so it meets
 * (2c/h + 1)^(dim−1) rows with density · h^(dim−1) · (2c + e) bodies in each, e being the length of a
 * cell; half as many in its own level. A row costs a fixed time, a batch of eight candidates another,
 * a cell a third. Those three constants were measured (docs/methods/grid.md) and matter only as
 * ratios.
 *
 * Radii are binned by octaves from a sample. A level is a run of bins. What a level costs depends on
 * its own bins and on all finer ones, which look into it, but not on how the finer ones are divided;
 * so the best division is found exactly by dynamic programming from the finest bin to the coarsest.
 *
 * Cost: some microseconds for one octave, a fraction of a millisecond for twenty. */
#include <math.h>
#include <string.h>

#include "broad/rows.h"

enum { SAMPLE = 2048 };

/* Nanoseconds on the machine they were measured on. */
#define COST_ROW   1.9  /* looking up a row's range and entering the scan */
#define COST_BATCH 2.6  /* eight candidates */
#define COST_CELL  1.2  /* a cell of the table: counting, prefix sum, cache */
#define COST_LEVEL 6.0  /* a body turning to another level: its window */
#define COST_BODY  38.0 /* survey, count, deal, sort, window */

typedef struct model {
    int dim, bins;
    double volume;             /* that the bodies occupy, divided by the density factor */
    double n;
    double count[ROWS_BINS];   /* bodies per bin */
    double r_mean[ROWS_BINS];  /* their mean radius */
    double r_top[ROWS_BINS];   /* the largest radius a bin may hold */
} model;

static void sample_radii(const query *q, model *m)
{
    const size_t n = q->bodies->n, count = n < SAMPLE ? n : SAMPLE;
    const double top = q->survey->r_max * (1 + 0x1p-20);
    double weight[ROWS_BINS] = {0}, sum[ROWS_BINS] = {0};
    m->bins = 1;
    for (size_t k = 0; k < count; k++) {
        const double r = body_radius(q->bodies, k * (n / count));
        int bin = r > 0.0 ? -ilogb(r / top) - 1 : ROWS_BINS - 1;
        bin = bin < 0 ? 0 : bin >= ROWS_BINS ? ROWS_BINS - 1 : bin;
        weight[bin] += 1.0;
        sum[bin] += r;
        if (bin >= m->bins) m->bins = bin + 1;
    }
    for (int b = 0; b < m->bins; b++) {
        m->count[b] = weight[b] / (double)count * m->n;
        m->r_mean[b] = weight[b] > 0 ? sum[b] / weight[b] : 0.0;
        m->r_top[b] = ldexp(top, -b);
    }
    /* The sample may have missed the one largest body; the top bin always exists. */
    if (m->count[0] < 1.0) m->count[0] = 1.0, m->r_mean[0] = q->survey->r_max;
}

static double occupied_volume(const query *q)
{
    double volume = 1.0;
    for (int a = 0; a < q->bodies->dim; a++) {
        const double width = q->domain->periodic[a] ? q->domain->hi[a] - q->domain->lo[a]
                                                    : q->survey->hi[a] - q->survey->lo[a];
        volume *= fmax(width, fmax(2.0 * q->survey->r_mean, 1e-100));
    }
    return fmin(fmax(volume, 1e-290), 1e290);
}

/* Time for all bodies of the bins from `first` down to look into the level of bins first … last − 1,
 * whose rows have height h and cells length e. */
static double level_cost(const model *m, int first, int last, double h, double e)
{
    double bodies = 0.0, cost = 0.0;
    for (int b = first; b < last; b++)
        bodies += m->count[b];
    const double density = bodies / m->volume;
    const double face = m->dim == 3 ? h * h : h;
    for (int b = first; b < m->bins; b++) {
        if (m->count[b] == 0.0) continue;
        const double c = m->r_mean[b] + m->r_top[first];
        const double across = 2.0 * c / h + 1.0;
        const double met = (m->dim == 3 ? across * across : across) * (b < last ? 0.5 : 1.0);
        const double candidates = density * face * (2.0 * c + e);
        /* A range of k candidates takes ceil(k / 8) batches: for random k about 7/16 more than k/8
         * when there are many, and one whenever there is any. */
        const double batches = candidates / 8.0 + (1.0 - exp(-candidates)) * 7.0 / 16.0 +
                               exp(-0.25 * candidates) * (1.0 - exp(-candidates)) * 0.4;
        cost += m->count[b] * (met * (COST_ROW + COST_BATCH * batches) + COST_LEVEL);
    }
    return cost + COST_CELL * m->volume / (face * e);
}

/* The best height and length for a level; both are tried on a ladder of factors of √2 around the two
 * lengths that matter, the reach and the mean distance. */
static double best_cells(const model *m, int first, int last, double fixed, double *h, double *e)
{
    double bodies = 0.0, best = INFINITY;
    for (int b = first; b < last; b++)
        bodies += m->count[b];
    const double apart = pow(m->volume / fmax(bodies, 1.0), 1.0 / m->dim);
    const double reach = 2.0 * m->r_top[first];
    const double low = fixed > 0.0 ? fixed : 0.25 * fmin(apart, fmax(reach, 1e-9 * apart));
    const double high = fixed > 0.0 ? fixed : 4.0 * fmax(apart, reach);
    *h = *e = fixed > 0.0 ? fixed : high;
    double worse = 0;
    for (double height = high; height >= low * 0.999 && worse < 6; height *= M_SQRT1_2) {
        bool better = false;
        for (int k = 0; k < 3; k++) {
            const double length = height * (k == 0 ? 1.0 : k == 1 ? 0.5 : 0.25);
            const double cost = level_cost(m, first, last, height, length);
            if (cost < best) {
                best = cost;
                *h = height;
                *e = length;
                better = true;
            }
        }
        worse = better ? 0 : worse + 1;
    }
    return best;
}

/* best[b]: the least cost of dividing bins b … bins − 1 into levels; next[b]: where the first ends. */
static void divide(const model *m, int max_levels, double fixed, rows_plan *plan)
{
    double best[ROWS_BINS + 1], h[ROWS_BINS], e[ROWS_BINS];
    int next[ROWS_BINS];
    best[m->bins] = 0.0;
    for (int b = m->bins - 1; b >= 0; b--) {
        best[b] = INFINITY;
        for (int end = max_levels == 1 ? m->bins : b + 1; end <= m->bins; end++) {
            double height, length;
            const double cost = best_cells(m, b, end, fixed, &height, &length) + best[end];
            if (cost < best[b]) {
                best[b] = cost;
                next[b] = end;
                h[b] = height;
                e[b] = length;
            }
        }
        if (max_levels == 1 && b > 0) b = 1; /* only the division that starts at bin 0 counts */
    }
    plan->levels = 0;
    for (int b = 0; b < m->bins; b = next[b]) {
        plan->first_bin[plan->levels] = b;
        plan->edge[plan->levels] = h[b];
        plan->edge_x[plan->levels++] = e[b];
    }
    plan->first_bin[plan->levels] = ROWS_BINS;
    plan->nanoseconds = best[0] / m->n + COST_BODY;
}

void jo_rows_plan(const query *q, int max_levels, double edge, double density_factor,
                  rows_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    if (q->bodies->n == 0 || q->survey->r_max == 0.0) {
        /* Points touch only where they coincide: any cells of about one body will do. */
        plan->levels = 1;
        plan->first_bin[1] = ROWS_BINS;
        const double n = fmax(1.0, (double)q->bodies->n) * density_factor;
        plan->edge[0] = edge > 0.0 ? edge : pow(occupied_volume(q) / n, 1.0 / q->bodies->dim);
        plan->edge_x[0] = plan->edge[0];
        plan->nanoseconds = COST_BODY;
        return;
    }
    model m = {.dim = q->bodies->dim, .n = (double)q->bodies->n};
    m.volume = occupied_volume(q) / density_factor;
    sample_radii(q, &m);
    divide(&m, max_levels, edge, plan);
}
