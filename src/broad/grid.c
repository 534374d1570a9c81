/* grid.c — one grid of cell-sorted rows, for bodies of similar size.
 *
 * Method: the structure of rows.h with a single level. Bodies are sorted by cell, so that the
 * candidates in a row of cells are one contiguous range; ranges are filtered eight bodies at a time
 * in single precision with a margin, and the definition of contact is asked only about the few that
 * fall within it. Rows need not be as high as the largest diameter: a body looks at the rows its
 * own reach covers, and the height is the one a cost model predicts to be the fastest.
 *
 * Cost: O(N) for similar sizes. Memory about 46 bytes a body, cells
 * included, and at most 60. */
#include "broad/rows.h"

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    return jo_rows_find(state, q, 1, out, stats, error);
}

const method jo_method_grid = {
    .info = {.name = "grid",
             .summary = "cell-sorted rows, eight candidates at a time: fastest for similar sizes",
             .source = "jostle",
             .cost = "time O(N) for similar sizes; about 46 bytes a body, at most 60",
             .when = "sizes within a factor of about ten; for wider ranges hgrid",
             .options = "cell",
             .threaded = true},
    .state_size = sizeof(rows),
    .find = find,
    .release = jo_rows_release,
    .bytes = jo_rows_bytes,
};
