/* rows_plan.c — how high the rows, how long the cells, how many levels: the cheapest predicted way.
 *
 * The model. Bodies are taken as spread evenly at the density measured. A body of radius r that
 * looks into a level with largest radius R and rows of height h reaches c = r + R to every side, so
 * it meets (2c/h + 1)^(dim−1) rows with density · h^(dim−1) · (2c + e) bodies in each, e being the
 * length of a cell; half as many in its own level. Or all bodies of a row take the same rows, those
 * that the longest reach covers: more rows, but the processor foresees them. The same holds for a
 * finer body whose window is no longer than a cell: it takes two rows on each axis. A row costs a
 * fixed time, a batch of eight candidates another, a cell a third. The constants were fitted to 229
 * measured searches with different h and e of paper 1's six workloads, a dense packing and a wide
 * range of sizes; the fit is within 20 % for 95 % of them, and only ratios matter here.
 *
 * Radii are binned by octaves from a sample. A level is a run of bins. What a level costs depends
 * on its own bins and on all finer ones, which look into it, but not on how the finer ones are
 * divided; so the best division is found exactly by dynamic programming from the finest bin to the
 * coarsest.
 *
 * Lengths are measured in mean distances between bodies, so that the density is 1 and nothing
 * overflows whatever the caller's unit.
 *
 * Cost: some microseconds for one octave, a fraction of a millisecond for twenty. */
#include <math.h>
#include <string.h>

#include "broad/rows.h"

enum { SAMPLE = 1024, SHORTEST_CELL = 4 };

/* Nanoseconds on the machine they were measured on. */
#define COST_BODY       20.0 /* survey, count, deal, sort */
#define COST_CELL       0.3  /* a cell of the table: counting, prefix sum, cache */
#define COST_SAME       3.0  /* a body that takes the rows of its neighbours */
#define COST_SAME_ROW   4.0
#define COST_SAME_BATCH 3.0
#define COST_FEW        12.0 /* a body that looks into a level of much larger ones */
#define COST_FEW_ROW    3.5
#define COST_FEW_BATCH  5.0 /* more than above: how many batches a row has is a guess */
#define COST_OWN_2D                                                                                \
    11.9 /* a body that finds its own rows, wrong guesses of the processor included */
#define COST_OWN_3D    19.2
#define COST_OWN_ROW   5.1
#define COST_OWN_BATCH 2.5

typedef struct model {
    int dim;
    int bins, octaves;        /* of radii, and how many octaves make a bin */
    double apart;             /* the unit: the mean distance between bodies */
    double share[ROWS_BINS];  /* of the bodies, per bin */
    double r_mean[ROWS_BINS]; /* their mean radius */
    double r_top[ROWS_BINS];  /* the largest radius a bin may hold */
} model;

/* A level's cells. */
typedef struct cells {
    double height, length;
    bool same_rows;
    double cost; /* nanoseconds per body of all */
} cells;

/* The edge of the cube that each body has to itself, if they are spread evenly. */
static double mean_distance(const query *q, const double width[3], double density_factor)
{
    const int dim = q->bodies->dim;
    double log_volume = 0.0;
    for (int a = 0; a < dim; a++)
        log_volume += log(fmax(width[a], fmax(2.0 * q->survey->r_mean, 1e-150)));
    return exp((log_volume - log((double)q->bodies->n * density_factor)) / dim);
}

/* How finely sizes are told apart: planning takes time that few bodies do not earn back. */
static int most_bins(size_t n)
{
    return n < 500 ? 1 : n < 4000 ? 5 : n < 40000 ? 8 : 14;
}

static void sample_radii(const query *q, model *m)
{
    const size_t n = q->bodies->n, count = n < SAMPLE ? n : SAMPLE;
    const double top = q->survey->r_max * (1 + 0x1p-20);
    double number[ROWS_BINS] = {0}, sum[ROWS_BINS] = {0};
    int used = 1;
    for (size_t k = 0; k < count; k++) {
        const double r = body_radius(q->bodies, k * (n / count));
        const double part = r / top; /* 0 where it underflows; not a number if all radii are 0 */
        int bin = part > 0.0 ? -ilogb(part) - 1 : ROWS_BINS - 1;
        bin = bin < 0 ? 0 : bin >= ROWS_BINS ? ROWS_BINS - 1 : bin;
        number[bin] += 1.0;
        sum[bin] += r;
        if (bin >= used) used = bin + 1;
    }
    m->octaves = (used + most_bins(n) - 1) / most_bins(n);
    m->bins = (used + m->octaves - 1) / m->octaves;
    for (int b = 0; b < m->bins; b++) {
        double bodies = 0.0, radii = 0.0;
        for (int k = b * m->octaves; k < (b + 1) * m->octaves && k < used; k++) {
            bodies += number[k];
            radii += sum[k];
        }
        m->share[b] = bodies / (double)count;
        m->r_mean[b] = bodies > 0 ? radii / bodies / m->apart : 0.0;
        m->r_top[b] = ldexp(top / m->apart, -b * m->octaves);
    }
    /* The sample may have missed the one largest body; the top bin always exists. */
    if (m->share[0] == 0.0) {
        m->share[0] = 1.0 / (double)n;
        m->r_mean[0] = q->survey->r_max / m->apart;
    }
}

/* Batches of eight to scan a row of k candidates, k being random with this mean: ceil(k / 8). */
static double batches(double mean)
{
    if (mean > 8.0) return mean / 8.0 + 0.5;
    const double any = 1.0 - 1.0 / (1.0 + mean * (1.0 + mean / 2.0 * (1.0 + mean / 3.0)));
    return any + 0.1 * fmax(0.0, mean - 6.0);
}

/* Bodies that reach no farther than half a cell: two rows on each axis, known beforehand. */
static double cost_few_rows(const model *m, int b, double density, double reach, const cells *c)
{
    const double face = m->dim == 3 ? c->height * c->height : c->height;
    const double candidates = density * face * (2.0 * reach + c->length);
    const double each = COST_FEW_ROW + COST_FEW_BATCH * fmax(1.0, batches(candidates));
    return m->share[b] * (COST_FEW + (m->dim == 3 ? 4.0 : 2.0) * each);
}

/* Time for the bodies of bin b to search a level whose top bin is `first`: each finding its own
 * rows. */
static double cost_own_rows(const model *m, int b, int first, bool half, double density,
                            const cells *c)
{
    const double reach = m->r_mean[b] + m->r_top[first];
    if (!half && 2.001 * (m->r_top[b] + m->r_top[first]) < c->height)
        return cost_few_rows(m, b, density, reach, c);
    const double across = 2.0 * reach / c->height + 1.0;
    const double rows_met = (m->dim == 3 ? across * across : across) * (half ? 0.5 : 1.0) + 0.5;
    const double face = m->dim == 3 ? c->height * c->height : c->height;
    const double each =
        COST_OWN_ROW + COST_OWN_BATCH * batches(density * face * (2.0 * reach + c->length));
    return m->share[b] * ((m->dim == 3 ? COST_OWN_3D : COST_OWN_2D) + rows_met * each);
}

/* The same in their own level, all bodies of a row taking the same rows; infinite if too many. */
static double cost_same_rows(const model *m, int b, int first, double density, const cells *c)
{
    const double side = floor(2.0 * m->r_top[first] / c->height) + 1.0;
    const double forward = m->dim == 3 ? side + (2.0 * side + 1.0) * side : side;
    if (forward > ROWS_FORWARD_MAX) return INFINITY;
    const double face = m->dim == 3 ? c->height * c->height : c->height;
    const double candidates = density * face * (2.0 * (m->r_mean[b] + m->r_top[first]) + c->length);
    const double each = COST_SAME_ROW + COST_SAME_BATCH * fmax(1.0, batches(candidates));
    return m->share[b] * (COST_SAME + (forward + 1.0) * each);
}

/* Fills in the cost of a level of bins first … last − 1 with cells of this height and length,
 * searched by its own bodies, in the cheaper of the two ways, and by all coarser ones (downward) or
 * all finer ones. */
static void cost_level(const model *m, int first, int last, bool downward, cells *c)
{
    double density = 0.0, own = 0.0, same = 0.0, others = 0.0;
    for (int b = first; b < last; b++)
        density += m->share[b];
    for (int b = downward ? 0 : first; b < (downward ? last : m->bins); b++) {
        if (m->share[b] == 0.0) continue;
        if (b < first || b >= last) {
            others += cost_own_rows(m, b, first, false, density, c);
        } else {
            own += cost_own_rows(m, b, first, true, density, c);
            same += cost_same_rows(m, b, first, density, c);
        }
    }
    c->same_rows = same < own;
    const double face = m->dim == 3 ? c->height * c->height : c->height;
    c->cost = (c->same_rows ? same : own) + others + COST_CELL / (face * c->length);
}

static void try_cells(const model *m, int first, int last, bool downward, double height, int parts,
                      cells *best)
{
    cells c = {.height = height, .length = height / parts};
    cost_level(m, first, last, downward, &c);
    if (c.cost < best->cost) *best = c;
}

/* The best cells for a level. Heights are tried on a ladder of factors 2 that contains the longest
 * reach itself (just above it a window needs one row less to either side), downward from well above
 * both the reach and the mean distance until it gets worse; then more closely around the best. */
static cells best_cells(const model *m, int first, int last, bool downward, double fixed_height)
{
    cells best = {.height = 1.0, .length = 1.0, .cost = INFINITY};
    if (fixed_height > 0.0) {
        for (int parts = 1; parts <= SHORTEST_CELL; parts *= 2)
            try_cells(m, first, last, downward, fixed_height, parts, &best);
        return best;
    }
    const double reach = fmax(2.0 * m->r_top[first] * 1.002, 1e-6);
    double height = reach;
    while (height < 2.0 || height < 2.0 * reach)
        height *= 2.0;
    double last_cost = INFINITY;
    for (int worse = 0; worse < 2 && height > 1e-9; height *= 0.5) {
        try_cells(m, first, last, downward, height, 2, &best);
        worse = best.cost < last_cost ? 0 : worse + 1;
        last_cost = best.cost;
    }
    const double middle = best.height;
    for (int rung = -2; rung <= 2; rung++)
        for (int parts = 1; parts <= SHORTEST_CELL; parts *= 2)
            try_cells(m, first, last, downward, middle * exp2(rung / 3.0), parts, &best);
    return best;
}

/* Divides the bins into levels, and takes it as the plan if that is cheaper: whole[b] is the least
 * cost of bins b … bins − 1, begun by a level that ends before next[b]. */
static void divide(const model *m, bool downward, const cells *one, rows_plan *plan)
{
    double whole[ROWS_BINS + 1];
    cells level[ROWS_BINS];
    int next[ROWS_BINS];
    whole[m->bins] = 0.0;
    for (int b = m->bins - 1; b >= 0; b--) {
        whole[b] = INFINITY;
        next[b] = m->bins;
        level[b] = *one;
        for (int end = b + 1; end <= m->bins; end++) {
            const cells c = b == 0 && end == m->bins ? *one : best_cells(m, b, end, downward, 0.0);
            if (c.cost + whole[end] < whole[b]) {
                whole[b] = c.cost + whole[end];
                next[b] = end;
                level[b] = c;
            }
        }
    }
    if (!(whole[0] + COST_BODY < plan->nanoseconds)) return;
    plan->levels = 0;
    plan->downward = downward;
    for (int b = 0; b < m->bins; b = next[b]) {
        const int l = plan->levels++;
        plan->first_bin[l] = b * m->octaves;
        plan->edge[l] = level[b].height * m->apart;
        plan->edge_x[l] = level[b].length * m->apart;
        plan->same_rows[l] = level[b].same_rows;
    }
    plan->first_bin[plan->levels] = ROWS_BINS;
    plan->nanoseconds = whole[0] + COST_BODY;
}

void jo_rows_plan(const query *q, const double width[3], int max_levels, double edge,
                  double density_factor, rows_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->levels = 1;
    plan->first_bin[1] = ROWS_BINS;
    plan->edge[0] = plan->edge_x[0] = edge > 0.0 ? edge : 1.0;
    if (q->bodies->n == 0) return;

    model m = {.dim = q->bodies->dim, .apart = mean_distance(q, width, density_factor)};
    sample_radii(q, &m);
    const cells one = best_cells(&m, 0, m.bins, true, edge / m.apart);
    plan->edge[0] = one.height * m.apart;
    plan->edge_x[0] = one.length * m.apart;
    plan->same_rows[0] = one.same_rows;
    plan->nanoseconds = plan->nanoseconds_one = one.cost + COST_BODY;
    if (max_levels == 1 || m.bins == 1) return;
    divide(&m, true, &one, plan);
    /* Upward pays only if the small ones are in the minority. */
    double large = 0.0;
    for (int b = 0; b < m.bins / 2; b++)
        large += m.share[b];
    if (large > 0.5) divide(&m, false, &one, plan);
}
