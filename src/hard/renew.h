/* renew.h — one ball's list of neighbours made anew; included where it is compiled for a processor.
 *
 * Each ball has a shell, a sphere about where it was when its row was made; it may fly anywhere in
 * it. Two balls are in each other's rows exactly when the centres of their shells are nearer than
 * the sum of their radii and two reaches, so that balls that are not cannot meet before one of them
 * leaves its shell. Whether two are neighbours depends on the centres alone, so what has changed
 * when one moves is found without looking into rows. Rows begin with their count and are filled up
 * to a multiple of four with the ball itself, which never meets itself.
 *
 * Centres are floats: any point near the ball will do, as long as it is always the same. */
#ifndef JO_HARD_RENEW_H
#define JO_HARD_RENEW_H

#include <string.h>

#include "hard/motion.h"
#include "hard/neighbours.h"

static inline uint32_t *row_of(const jo_hard *h, uint32_t i)
{
    return h->rows + (size_t)h->row_size * i;
}

/* Which of four balls have shells near that centre. */
static inline unsigned near_four(const jo_hard *h, uint32_t i, const vec4x3 *at, const vec4x3 *x,
                                 const uint32_t *id)
{
    const ball_grid *g = &h->grid;
    vec4 range = v4_all(h->diameter + 2.0 * h->reach);
    if (h->poly)
        range = v4_all(h->r[i] + 2.0 * h->reach) +
                (vec4){h->r[id[0]], h->r[id[1]], h->r[id[2]], h->r[id[3]]};
    vec4x3 d = v4_sub3(*x, *at);
    d.x -= v4_all(g->period[0]) * v4_round(d.x * v4_all(g->per_period[0]));
    d.y -= v4_all(g->period[1]) * v4_round(d.y * v4_all(g->per_period[1]));
    d.z -= v4_all(g->period[2]) * v4_round(d.z * v4_all(g->per_period[2]));
    return v4_bits(v4_dot(d, d) < range * range);
}

/* Centres of four shells. */
static inline vec4x3 centres4(const jo_hard *h, const uint32_t *id)
{
    row4 rows[4];
    vec4 columns[4];
    for (int l = 0; l < 4; l++)
        rows[l] = row_of_floats(h->shells[id[l]].centre); /* and what follows, which is not used */
    v4_columns(rows, columns);
    return (vec4x3){columns[0], columns[1], columns[2]};
}

static inline vec4x3 all4(const float centre[3])
{
    return (vec4x3){v4_all((double)centre[0]), v4_all((double)centre[1]),
                    v4_all((double)centre[2])};
}

static inline void fill_up(uint32_t *row, uint32_t i, uint32_t room)
{
    for (uint32_t k = row[0] + 1; k < room && (k - 1) % 4 != 0; k++)
        row[k] = i;
}

static inline bool row_add(jo_hard *h, uint32_t i, uint32_t j)
{
    uint32_t *row = row_of(h, i);
    /* One number for the count, and room to fill up. */
    if (row[0] + 5 > h->row_size) {
        if (!jo_neighbours_widen(h, h->row_size + 16)) return false;
        row = row_of(h, i);
    }
    row[++row[0]] = j;
    fill_up(row, i, h->row_size);
    return true;
}

static inline void row_remove(jo_hard *h, uint32_t i, uint32_t j)
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

static inline void place_of(const ball_grid *g, const float centre[3], int32_t place[3])
{
    for (int k = 0; k < 3; k++) {
        const double at = ((double)centre[k] - g->lo[k]) * g->per[k];
        const int32_t n = g->cells[k];
        /* Inside, as it nearly always is, or somewhere else: the grid repeats itself. */
        int32_t cell = at >= 0.0 && at < n ? (int32_t)at : (int32_t)fmod(floor(at), n);
        place[k] = cell < 0 ? cell + n : cell;
    }
}

static inline size_t shell_cell(const jo_hard *h, uint32_t i)
{
    int32_t place[3];
    place_of(&h->grid, h->shells[i].centre, place);
    return grid_cell(&h->grid, place);
}

static inline void shell_add(jo_hard *h, size_t cell, uint32_t i)
{
    h->shells[i].next = h->grid.heads[cell];
    h->grid.heads[cell] = i;
}

static inline void shell_remove(jo_hard *h, size_t cell, uint32_t i)
{
    uint32_t *link = &h->grid.heads[cell];
    while (*link != i)
        link = &h->shells[*link].next;
    *link = h->shells[i].next;
}

/* Puts the shell where the ball is, which on periodic axes is brought back into the box. */
static inline void centre_shell(jo_hard *h, uint32_t i)
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

enum { NEAR_ROOM = 512 };

/* Of four candidates: adds those near the new shell that were not near the old one, or, without an
 * old one, all. */
static inline bool add_four(jo_hard *h, uint32_t i, const float *old, const uint32_t *id,
                            unsigned bits)
{
    const vec4x3 x = centres4(h, id), here = all4(h->shells[i].centre);
    bits &= near_four(h, i, &here, &x, id);
    if (bits != 0 && old != NULL) {
        const vec4x3 there = all4(old);
        bits &= ~near_four(h, i, &there, &x, id);
    }
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t j = id[__builtin_ctz(bits)];
        if (j != i && (!row_add(h, i, j) || !row_add(h, j, i))) return false;
    }
    return true;
}

/* The ball itself is in no chain at this moment. */
static inline bool add_near(jo_hard *h, uint32_t i, const float *old)
{
    const ball_grid *g = &h->grid;
    uint32_t id[NEAR_ROOM], at = 0, count = 0;
    int32_t place[3];
    place_of(g, h->shells[i].centre, place);
    const grid_step *x = g->step[0] + 3 * place[0], *y = g->step[1] + 3 * place[1],
                    *z = g->step[2] + 3 * place[2];
    for (int m = g->flat; m < 3 - g->flat; m++)
        for (int l = 0; l < 3; l++)
            for (int k = 0; k < 3; k++) {
                const uint32_t head = g->heads[x[k].cells + y[l].cells + z[m].cells];
                id[count] = head;
                count += head != NOBODY;
            }
    while (at < count) {
        /* Chains are followed as it goes; what is appended may belong to these four. */
        for (uint32_t k = at; k < at + 4 && k < count; k++) {
            const uint32_t next = h->shells[id[k]].next;
            id[count] = next;
            count += next != NOBODY;
        }
        const unsigned bits = count - at >= 4 ? 15u : (1u << (count - at)) - 1u;
        for (uint32_t k = count; k < at + 4; k++)
            id[k] = i;
        if (!add_four(h, i, old, id + at, bits)) return false;
        at += 4;
        if (at > NEAR_ROOM - 64 && at < count) {
            memmove(id, id + at, (count - at) * sizeof *id);
            count -= at;
            at = 0;
        }
    }
    return true;
}

static inline void neighbours_renew(jo_hard *h, uint32_t i)
{
    float old[3];
    memcpy(old, h->shells[i].centre, sizeof old);
    shell_remove(h, shell_cell(h, i), i);
    centre_shell(h, i);
    uint32_t *row = row_of(h, i);
    const uint32_t had = row[0];
    const vec4x3 here = all4(h->shells[i].centre);
    uint32_t kept = 0;
    for (uint32_t k = 1; k <= had; k += 4) {
        uint32_t id[4];
        memcpy(id, row + k, sizeof id);
        const vec4x3 x = centres4(h, id);
        const unsigned bits = near_four(h, i, &here, &x, id);
        for (uint32_t l = 0; l < 4 && k + l <= had; l++) {
            if (bits >> l & 1)
                row[++kept] = id[l];
            else
                row_remove(h, id[l], i);
        }
    }
    row[0] = kept;
    fill_up(row, i, h->row_size);
    if (!add_near(h, i, old)) h->calendar.failed = true;
    shell_add(h, shell_cell(h, i), i);
}

#endif
