/* rows.h — bodies sorted into rows of cells: the structure behind `grid` and `hgrid`.
 *
 * The idea. Bodies are sorted by cell, cells along x being neighbours in memory. All candidates of
 * a body in one row of cells are then ONE contiguous range, scanned eight at a time. Bodies of very
 * different size go to different levels, each a grid of its own over the same sorted arrays; a body
 * looks forward in its own level and everywhere near it in the finer ones (or, where the plan finds
 * that cheaper, in the coarser ones), so that every pair is met exactly once.
 *
 * Coordinates are 32-bit integers over a frame: on a periodic axis 2^32 steps are one period, so
 * the wrap-around of integer subtraction IS the nearest image; on an open axis the bodies lie in
 * the lower half of the range and nothing wraps. Radii are floats in units of `unit`. One compare
 * with a margin that covers every rounding on the way discards; one with the opposite margin
 * accepts; only the pairs between the two (about one in 10^6) are asked of the definition in double
 * precision. So the result is the definition's, and the sorted copy takes 20 bytes a body instead
 * of 36.
 *
 * A table of cells need not cover the whole frame: where there would be many more cells than bodies
 * (clusters far apart) the table repeats itself like a torus, and distant bodies that share a slot
 * are told apart by their coordinates. */
#ifndef JO_BROAD_ROWS_H
#define JO_BROAD_ROWS_H

#include "broad/method.h"

enum { ROWS_BINS = 32, ROWS_LEVELS_MAX = 32, ROWS_FORWARD_MAX = 12, ROWS_BLOCK = 512 };

/* How the bodies are to be divided: made by jo_rows_plan from a sample. Lengths are in the caller's
 * unit. Bin b holds the radii in (top / 2^(b+1), top / 2^b]; a level is a run of bins. */
typedef struct rows_plan {
    int levels;                         /* 1 = one grid for all; level 0 holds the largest */
    int first_bin[ROWS_LEVELS_MAX + 1]; /* level l has bins first_bin[l] … first_bin[l + 1] − 1 */
    double edge[ROWS_LEVELS_MAX];       /* height of a row: its extent on y (and z) */
    double edge_x[ROWS_LEVELS_MAX];     /* length of a cell along the row */
    bool downward;                      /* bodies search finer levels, not coarser ones */
    bool same_rows[ROWS_LEVELS_MAX];    /* all bodies of a row search the same rows */
    double nanoseconds;                 /* predicted cost per body; comparable between plans */
    double nanoseconds_one;             /* the same with one level for all */
} rows_plan;

typedef struct rows_level {
    float r_max;         /* largest radius in the level, in units; 0 if empty */
    uint32_t first_cell; /* of this level in `start` */
    uint32_t cells[3];   /* over the 2^32 steps of the frame, per axis */
    uint32_t table[3];   /* slots per axis */
    bool repeats[3];     /* there are more cells than slots: a cell's slot is cell % table */
    bool cyclic[3];      /* slots are neighbours around the end: periodic or repeating */
    float few;           /* a body of at most this radius meets at most two rows on each axis */
    int rows_y, rows_z;  /* how many rows any window reaches to either side */
    bool same_rows;      /* all bodies of a row search the same rows: few and foreseeable */
    bool full;           /* a window may meet itself: search all of it, keep j > i */
} rows_level;

static inline uint32_t rows_slot(const rows_level *l, int a, uint32_t cell)
{
    return l->repeats[a] ? cell % l->table[a] : cell;
}

typedef struct rows {
    int dim, levels;
    rows_plan plan; /* the one it was built by */
    bool boxes;     /* bodies are boxes: the filter compares the longest half-edges */
    size_t n;
    rows_level level[ROWS_LEVELS_MAX];
    uint8_t level_of_bin[ROWS_BINS];
    uint32_t cell_count; /* of all levels */

    double width[3]; /* of the frame, a length */
    double unit;     /* a length; all radii are below 1 in it */
    double inv_unit;
    double origin[3];   /* of the frame */
    double inv_step[3]; /* steps per length */
    double step[3];     /* length of a step */
    uint32_t top[3];    /* the largest coordinate on an open axis, in steps */
    bool periodic[3];
    double steps_per_unit[3]; /* unit / step */
    bool clamped;             /* bodies beyond the frame are entered at its edge */
    bool far[3];              /* periodic axis with bodies so far out that wrapping needs fmod */
    float scale[3];           /* step / unit */
    float pad;                /* bounds the error of a filtered distance, in units */
    float sure_pad;           /* the same for accepting; infinite when nothing may be accepted */

    /* sorted by (level, cell): views into `memory`, each with room for 8 more */
    uint32_t *x[3];
    float *r;
    uint32_t *id;
    uint32_t *start; /* cell_count + 1 */

    buffer sorted, cells, dealt, counts;
} rows;

/* A thread's part of the search: bodies [begin, end) of the sorted order. */
typedef struct rows_task {
    const rows *rows;
    const query *q;
    size_t begin, end;
    pairlist *out;
    pairlist *beyond; /* where it goes on when `out` is full; NULL: `out` grows */
    uint64_t tested;
    bool failed; /* out of memory */
} rows_task;

/* Chooses levels and cells for the least predicted time; with max_levels = 1, one level.
 * `density_factor` scales the density the model assumes: above 1 when bodies are known to be
 * clumped. `edge` > 0 fixes the height of rows (one level only). */
void jo_rows_plan(const query *q, const double width[3], int max_levels, double edge,
                  double density_factor, rows_plan *plan);

/* Sorts the bodies into at most max_levels levels (replanning by itself when they turn out
 * clumped), searches, and appends to out in an order independent of the number of threads. Times,
 * counters as a method's find. */
jo_status jo_rows_find(rows *s, const query *q, int max_levels, pairlist *out,
                       jo_broad_stats *stats, jo_error *error);
void jo_rows_release(void *state); /* of a rows */
size_t jo_rows_bytes(const void *state);

/* The search of one task, twice from the same source: plain C and AVX2. */
void jo_rows_search_plain(rows_task *task);
void jo_rows_search_avx2(rows_task *task);

#endif
