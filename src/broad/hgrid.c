/* hgrid.c — grids in levels by size, for bodies of any mix of sizes.
 *
 * Method: the structure of rows.h with as many levels as pay. Each body is entered once, in the
 * level of its size; it searches its own level forward and every finer level around itself (or,
 * where the plan finds that cheaper, every coarser one), so a pair is met from one of its bodies
 * alone. The cost does not depend on the ratio of sizes but on the number of octaves that are
 * really occupied, and the division into levels is the one a cost model predicts to be the fastest:
 * bodies of similar size end in one level, and hgrid is then the same as grid.
 *
 * Cost: O(N) times the number of occupied levels. Memory as grid's. */
#include "broad/rows.h"

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    return jo_rows_find(state, q, ROWS_LEVELS_MAX, out, stats, error);
}

const method jo_method_hgrid = {
    .info =
        {.name = "hgrid",
         .summary = "cell-sorted rows in levels by size: cost does not depend on the size ratio",
         .source = "jostle",
         .cost = "time O(N) per occupied level; about 47 bytes a body, at most 60",
         .when =
             "wide ranges of sizes, from about 1:10 to 1:10^6 and beyond; a few giants among many",
         .options = "",
         .threaded = true},
    .state_size = sizeof(rows),
    .find = find,
    .release = jo_rows_release,
    .bytes = jo_rows_bytes,
};
