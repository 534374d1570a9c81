/* ball_grid.c — cells for balls or their shells, and which walls are near each of them.
 *
 * On a periodic axis a whole number of cells makes up the period. On an open axis the grid covers
 * where bodies and walls are at the start and repeats itself beyond: balls far apart may then share
 * a cell, which costs a look and nothing else. */
#include <string.h>

#include "base/error.h"
#include "hard/ball_grid.h"
#include "hard/motion.h"

enum { CELLS_PER_BALL = 8, CELLS_FREE = 4096 };

static int bits_for(int32_t n)
{
    int bits = 1;
    while (bits < 31 && (INT64_C(1) << bits) < n)
        bits++;
    return bits;
}

/* How many cells of at least that size; 1e300: their coordinates do not fit into 32 bits. */
static double count_cells(ball_grid *g, int dim, const double lo[3], const double hi[3],
                          double size)
{
    double total = 1.0;
    for (int k = 0; k < 3; k++) {
        double n = 1.0;
        if (k < dim) {
            n = g->period[k] > 0.0 ? floor(g->period[k] / size) : ceil((hi[k] - lo[k]) / size);
            n = fmin(fmax(n, 1.0), 1e9);
        }
        g->cells[k] = (int32_t)n;
        g->size[k] = g->period[k] > 0.0 ? g->period[k] / n : size;
        total *= n;
    }
    const int bits = bits_for(g->cells[0]) + bits_for(g->cells[1]) + bits_for(g->cells[2]);
    return bits <= 32 ? total : 1e300;
}

/* Sixteen cells that make up a block are a line of memory, so that those around a place are on
 * few. */
static const int32_t block_2d[3] = {4, 4, 1}, block_3d[3] = {4, 2, 2};

static uint32_t blocks_along(const ball_grid *g, int k)
{
    const int32_t size = (g->flat ? block_2d : block_3d)[k];
    return (uint32_t)((g->cells[k] + size - 1) / size);
}

size_t jo_ball_grid_cells(const ball_grid *g)
{
    return (size_t)16 * blocks_along(g, 0) * blocks_along(g, 1) * blocks_along(g, 2);
}

static void fill_steps(ball_grid *g, grid_step *room)
{
    const int32_t base[3] = {1, 3, 9}, *size = g->flat ? block_2d : block_3d;
    uint32_t inside = 1, block = 16; /* from cell to cell in a block, and from block to block */
    for (int k = 0; k < 3; k++) {
        g->step[k] = room;
        for (int32_t at = 0; at < g->cells[k]; at++)
            for (int32_t way = -1; way <= 1; way++) {
                int32_t to = at + way, code = 0;
                if (to < 0) to += g->cells[k], code = 1;
                if (to >= g->cells[k]) to -= g->cells[k], code = 2;
                *room++ = (grid_step){block * (uint32_t)(to / size[k]) +
                                          inside * (uint32_t)(to % size[k]),
                                      base[k] * code};
            }
        inside *= (uint32_t)size[k];
        block *= blocks_along(g, k);
    }
    for (int code = 0; code < 27; code++) {
        const int way[3] = {code % 3, code / 3 % 3, code / 9};
        for (int k = 0; k < 3; k++)
            g->image[code][k] = way[k] == 1 ? -g->period[k] : way[k] == 2 ? g->period[k] : 0.0;
    }
}

jo_status jo_ball_grid_make(jo_hard *h, const double lo[3], const double hi[3], double size,
                            jo_error *error)
{
    ball_grid *g = &h->grid;
    const double most = (double)CELLS_PER_BALL * h->n + CELLS_FREE;
    double total = count_cells(g, h->dim, lo, hi, size);
    while (total > most) {
        size *= 1.1;
        total = count_cells(g, h->dim, lo, hi, size);
    }
    for (int k = 0; k < 3; k++)
        g->lo[k] = lo[k];
    return jo_ball_grid_build(h, error);
}

jo_status jo_ball_grid_build(jo_hard *h, jo_error *error)
{
    ball_grid *g = &h->grid;
    g->flat = h->dim == 2;
    const size_t total = jo_ball_grid_cells(g);
    g->shift[1] = bits_for(g->cells[0]);
    g->shift[2] = g->shift[1] + bits_for(g->cells[1]);
    for (int k = 0; k < 3; k++)
        g->per[k] = 1.0 / g->size[k];
    const size_t steps = 3 * ((size_t)g->cells[0] + (size_t)g->cells[1] + (size_t)g->cells[2]);
    if (!jo_buffer_reserve(&h->memory_heads, total, sizeof *g->heads) ||
        !jo_buffer_reserve(&h->memory_steps, steps, sizeof(grid_step)))
        return jo_fail_memory(error, total * sizeof *g->heads, "cells");
    g->heads = h->memory_heads.data;
    fill_steps(g, h->memory_steps.data);
    h->stats.cell = g->size[0];
    return JO_OK;
}

/* ---- walls ---- */

typedef struct cell_range {
    int32_t lo[3], hi[3];
} cell_range;

/* The cells whose balls may touch the box around a surface that has ends and stays; else all. */
static cell_range range_of(const jo_hard *h, const surface *s, double reach)
{
    const ball_grid *g = &h->grid;
    cell_range range;
    double low[3], high[3];
    const bool bounded = !s->moves && !s->swings && jo_piece_bounds(s, h->dim, low, high);
    for (int k = 0; k < 3; k++) {
        range.lo[k] = 0;
        range.hi[k] = g->cells[k] - 1;
        if (!bounded || k >= h->dim || g->period[k] > 0.0) continue;
        const double from = floor((low[k] - reach - g->lo[k]) * g->per[k]) - 1.0,
                     to = floor((high[k] + reach - g->lo[k]) * g->per[k]) + 1.0;
        range.lo[k] = (int32_t)fmin(fmax(from, 0.0), g->cells[k]);
        range.hi[k] = (int32_t)fmax(fmin(to, g->cells[k] - 1.0), -1.0);
    }
    return range;
}

/* Counts the surface in the cells it is near, or, with a list, notes it there. */
static void note_surface(jo_hard *h, uint32_t index, double reach, uint32_t *at, uint32_t *list)
{
    const ball_grid *g = &h->grid;
    const surface *s = &h->surfaces[index];
    const cell_range r = range_of(h, s, reach);
    int32_t place[3];
    for (place[2] = r.lo[2]; place[2] <= r.hi[2]; place[2]++)
        for (place[1] = r.lo[1]; place[1] <= r.hi[1]; place[1]++)
            for (place[0] = r.lo[0]; place[0] <= r.hi[0]; place[0]++) {
                double lo[3], hi[3];
                for (int k = 0; k < 3; k++) {
                    lo[k] = g->lo[k] + place[k] * g->size[k];
                    hi[k] = lo[k] + g->size[k];
                }
                if (!jo_surface_near(s, h->dim, lo, hi, reach)) continue;
                const size_t cell = grid_cell(g, place);
                if (list != NULL) list[at[cell]] = index;
                at[cell]++;
            }
}

jo_status jo_ball_grid_walls(jo_hard *h, double reach, jo_error *error)
{
    const size_t cells = jo_ball_grid_cells(&h->grid);
    near_walls *near = &h->near;
    if (h->surface_count == 0) return JO_OK;
    buffer counted = {0};
    if (!jo_buffer_reserve(&counted, cells + 2, sizeof(uint32_t)))
        return jo_fail_memory(error, cells * sizeof(uint32_t), "walls");
    uint32_t *count = counted.data;
    memset(count, 0, (cells + 2) * sizeof *count);
    for (uint32_t k = 0; k < h->surface_count; k++)
        note_surface(h, k, reach, count, NULL);
    size_t total = 0;
    for (size_t c = 0; c < cells; c++)
        total += count[c];
    const size_t words = cells + 1 + total + h->surface_count;
    if (!jo_buffer_reserve(&h->memory_near, words, sizeof(uint32_t))) {
        jo_buffer_free(&counted);
        return jo_fail_memory(error, words * sizeof(uint32_t), "walls");
    }
    near->first = h->memory_near.data;
    near->list = near->first + cells + 1;
    near->all = near->list + total;
    near->all_count = h->surface_count;
    uint32_t sum = 0;
    for (size_t c = 0; c < cells; c++) {
        near->first[c] = sum;
        sum += count[c];
        count[c] = near->first[c];
    }
    near->first[cells] = sum;
    for (uint32_t k = 0; k < h->surface_count; k++) {
        note_surface(h, k, reach, count, near->list);
        near->all[k] = k;
    }
    jo_buffer_free(&counted);
    return JO_OK;
}

/* ---- balls in cells ---- */

void jo_ball_grid_place(jo_hard *h, uint32_t i)
{
    const ball_grid *g = &h->grid;
    ball *b = &h->balls[i];
    int32_t place[3];
    for (int k = 0; k < 3; k++) {
        int32_t *wraps = &h->wraps[3 * (size_t)i + k];
        if (g->period[k] > 0.0) {
            const double turns = floor((b->x[k] - g->lo[k]) * g->per_period[k]);
            b->x[k] -= turns * g->period[k];
            *wraps += (int32_t)turns;
        }
        const double at = floor((b->x[k] - g->lo[k]) * g->per[k]);
        if (g->period[k] > 0.0) {
            place[k] = (int32_t)fmin(fmax(at, 0.0), g->cells[k] - 1.0);
        } else {
            *wraps = (int32_t)floor(at / g->cells[k]);
            place[k] = (int32_t)(at - (double)*wraps * g->cells[k]);
        }
    }
    h->plans[i].place = grid_pack(g, place);
}

void jo_ball_grid_link(jo_hard *h)
{
    const ball_grid *g = &h->grid;
    memset(g->heads, 0xff, jo_ball_grid_cells(g) * sizeof *g->heads);
    for (uint32_t i = 0; i < h->n; i++) {
        int32_t place[3];
        grid_unpack(g, h->plans[i].place, place);
        chain_add(h, grid_cell(g, place), i);
    }
}
