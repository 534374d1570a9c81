/* neighbours.c — lists of neighbours that are made anew one ball at a time.
 *
 * Each ball has a shell, a sphere about where it was when its row was made; it may fly anywhere in
 * it. Two balls are in each other's rows exactly when the centres of their shells are nearer than the
 * sum of their radii and two reaches, so that balls that are not cannot meet before one of them
 * leaves its shell. Whether two are neighbours depends on the centres alone, so what has changed when
 * one moves is found without looking into rows. Rows begin with their count and are filled up to a
 * multiple of four with the ball itself, which never meets itself.
 *
 * Centres are floats: any point near the ball will do, as long as it is always the same. */
#include "hard/neighbours.h"

#include <string.h>

#include "hard/motion.h"

static inline uint32_t *row_of(const jo_hard *h, uint32_t i)
{
    return h->rows + (size_t)h->row_size * i;
}

static inline bool are_near(const jo_hard *h, const float a[3], const float b[3], double range)
{
    const ball_grid *g = &h->grid;
    double r2 = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)b[k] - (double)a[k];
        d -= g->period[k] * rint(d * g->per_period[k]);
        r2 += d * d;
    }
    return r2 < range * range;
}

static inline double range_of(const jo_hard *h, uint32_t i, uint32_t j)
{
    const double sum = h->poly ? h->r[i] + h->r[j] : h->diameter;
    return sum + 2.0 * h->reach;
}

static void fill_up(uint32_t *row, uint32_t i, uint32_t room)
{
    for (uint32_t k = row[0] + 1; k < room && (k - 1) % 4 != 0; k++)
        row[k] = i;
}

/* All rows with more room each. */
static bool widen_rows(jo_hard *h, uint32_t room)
{
    buffer wider = {0};
    if (!jo_buffer_reserve(&wider, (size_t)room * h->n, sizeof *h->rows)) return false;
    uint32_t *to = wider.data;
    for (uint32_t i = 0; i < h->n; i++)
        memcpy(to + (size_t)room * i, row_of(h, i), h->row_size * sizeof *to);
    jo_buffer_free(&h->memory_rows);
    h->memory_rows = wider;
    h->rows = to;
    h->row_size = room;
    return true;
}

static bool row_add(jo_hard *h, uint32_t i, uint32_t j)
{
    uint32_t *row = row_of(h, i);
    /* One number for the count, and room to fill up. */
    if (row[0] + 5 > h->row_size) {
        if (!widen_rows(h, h->row_size + 16)) return false;
        row = row_of(h, i);
    }
    row[++row[0]] = j;
    fill_up(row, i, h->row_size);
    return true;
}

static void row_remove(jo_hard *h, uint32_t i, uint32_t j)
{
    uint32_t *row = row_of(h, i);
    uint32_t k = 1;
    while (row[k] != j)
        k++;
    row[k] = row[row[0]];
    row[row[0]] = i;
    row[0]--;
}

/* ---- shells in cells ---- */

static void place_of(const ball_grid *g, const float centre[3], int32_t place[3])
{
    for (int k = 0; k < 3; k++) {
        const double at = floor(((double)centre[k] - g->lo[k]) * g->per[k]);
        const int32_t n = g->cells[k];
        const int32_t cell = (int32_t)fmod(at, n);
        place[k] = cell < 0 ? cell + n : cell;
    }
}

static size_t shell_cell(const jo_hard *h, uint32_t i)
{
    int32_t place[3];
    place_of(&h->grid, h->shells[i].centre, place);
    return grid_cell(&h->grid, place);
}

static void shell_add(jo_hard *h, size_t cell, uint32_t i)
{
    h->shells[i].next = h->grid.heads[cell];
    h->grid.heads[cell] = i;
}

static void shell_remove(jo_hard *h, size_t cell, uint32_t i)
{
    uint32_t *link = &h->grid.heads[cell];
    while (*link != i)
        link = &h->shells[*link].next;
    *link = h->shells[i].next;
}

/* Puts the shell where the ball is, which on periodic axes is brought back into the box. */
static void centre_shell(jo_hard *h, uint32_t i)
{
    const ball_grid *g = &h->grid;
    ball *b = &h->balls[i];
    double x[3], v[3];
    ball_now(h, i, x, v, MODE_GENERAL);
    for (int k = 0; k < 3; k++) {
        const double turns = floor((x[k] - g->lo[k]) * g->per_period[k]);
        if (turns != 0.0) {
            b->x[k] -= turns * g->period[k];
            h->wraps[3 * (size_t)i + k] += (int32_t)turns;
        }
        h->shells[i].centre[k] = (float)(x[k] - turns * g->period[k]);
        if (g->period[k] == 0.0) /* an open axis: is it beyond the grid? */
            h->wraps[3 * (size_t)i + k] =
                (int32_t)floor((x[k] - g->lo[k]) * g->per[k] / g->cells[k]);
    }
    int32_t place[3];
    place_of(g, h->shells[i].centre, place);
    h->plans[i].place = grid_pack(g, place);
}

/* Adds those near the new shell that were not near the old one, or, without an old one, all. */
static bool add_near(jo_hard *h, uint32_t i, const float *old)
{
    const ball_grid *g = &h->grid;
    const float *centre = h->shells[i].centre;
    int32_t at[3];
    place_of(g, centre, at);
    for (int32_t dz = g->flat ? 0 : -1; dz <= (g->flat ? 0 : 1); dz++)
        for (int32_t dy = -1; dy <= 1; dy++)
            for (int32_t dx = -1; dx <= 1; dx++) {
                const size_t cell = g->step[0][3 * at[0] + 1 + dx].cells +
                                    g->step[1][3 * at[1] + 1 + dy].cells +
                                    g->step[2][3 * at[2] + 1 + dz].cells;
                for (uint32_t j = g->heads[cell]; j != NOBODY; j = h->shells[j].next) {
                    const double range = range_of(h, i, j);
                    if (j == i || !are_near(h, centre, h->shells[j].centre, range)) continue;
                    if (old != NULL && are_near(h, old, h->shells[j].centre, range)) continue;
                    if (!row_add(h, i, j) || !row_add(h, j, i)) return false;
                }
            }
    return true;
}

void jo_neighbours_renew(jo_hard *h, uint32_t i)
{
    float old[3];
    memcpy(old, h->shells[i].centre, sizeof old);
    shell_remove(h, shell_cell(h, i), i);
    centre_shell(h, i);
    const float *centre = h->shells[i].centre;
    uint32_t *row = row_of(h, i);
    uint32_t kept = 0;
    for (uint32_t k = 1; k <= row[0]; k++) {
        const uint32_t j = row[k];
        if (are_near(h, centre, h->shells[j].centre, range_of(h, i, j)))
            row[++kept] = j;
        else
            row_remove(h, j, i);
    }
    row[0] = kept;
    fill_up(row, i, h->row_size);
    if (!add_near(h, i, old)) h->calendar.failed = true;
    shell_add(h, shell_cell(h, i), i);
}

bool jo_neighbours_make(jo_hard *h, bool centred)
{
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t *row = row_of(h, i);
        row[0] = 0;
        for (uint32_t k = 1; k < h->row_size; k++)
            row[k] = i;
    }
    for (uint32_t i = 0; i < h->n; i++) {
        if (centred) centre_shell(h, i);
        if (!add_near(h, i, NULL)) return false;
        shell_add(h, shell_cell(h, i), i);
    }
    return true;
}
