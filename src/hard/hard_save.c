/* hard_save.c — the whole state as named arrays, and back.
 *
 * What is saved is what decides the bits to come: balls with their own clocks and plans in their
 * order in memory, shells, sums, the grid they live in. Chains, rows and the calendar are made
 * anew: none of them decides anything but speed. A restored state is checked as any input is:
 * nothing in it is trusted to index an array. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "hard/ball_grid.h"
#include "hard/motion.h"
#include "hard/neighbours.h"
#include "hard/rest.h"
#include "scene/saved.h"

enum { SAVE_VERSION = 2 };

/* Single numbers, in the order they are saved. */
/* clang-format off */
#define REALS(USE)                                                                                 \
    USE(now) USE(base) USE(time) USE(reach) USE(tc) USE(scale) USE(scale_rate)                     \
    USE(calendar.length) USE(rest->volume) USE(rest->largest) USE(rest->grown)                     \
    USE(rest->grow_stop) USE(rest->next_kick) USE(rest->energy_start) USE(rest->first_length)      \
    USE(rest->sorted_at) USE(rest->looked_at) USE(rest->looked_stress)
#define COUNTS(USE)                                                                                \
    USE(n) USE(movers) USE(lists) USE(event_count) USE(taken) USE(rest->kicks.counter)             \
    USE(stats.crossings) USE(stats.rebuilds) USE(stats.invalid) USE(stats.stale)                   \
    USE(stats.predictions) USE(stats.epochs) USE(rest->wall_count) USE(rest->look_at)
/* clang-format on */

#define ONE(field) +1
enum { REAL_COUNT = 0 REALS(ONE), COUNT_COUNT = 1 COUNTS(ONE) };
enum { PLAN_WORDS = 4, BALL_REALS = 7, SUM_REALS = 12, SUM_COUNTS = 3, GRID_REALS = 6 };
enum { ALARM_COUNTS = 2 };

static void pack_sums(const hard_sums *s, double *reals, uint64_t *counts)
{
    memcpy(reals, s->stress, sizeof s->stress);
    reals[9] = s->dissipated;
    reals[10] = s->work;
    reals[11] = s->tc_energy;
    counts[0] = s->collisions;
    counts[1] = s->wall_collisions;
    counts[2] = s->tc_collisions;
}

static void unpack_sums(hard_sums *s, const double *reals, const uint64_t *counts)
{
    memcpy(s->stress, reals, sizeof s->stress);
    s->dissipated = reals[9];
    s->work = reals[10];
    s->tc_energy = reals[11];
    s->collisions = counts[0];
    s->wall_collisions = counts[1];
    s->tc_collisions = counts[2];
}

static void pack_balls(const jo_hard *h, packer *p, jo_chunk *chunks, size_t *count)
{
    const size_t n = h->n;
    double *flight = take(p, BALL_REALS * n + 1, sizeof *flight);
    double *times = take(p, 2 * n + 1, sizeof *times);
    uint32_t *words = take(p, PLAN_WORDS * n + 1, sizeof *words);
    float *centres = take(p, h->lists ? 3 * n + 1 : 1, sizeof *centres);
    for (size_t i = 0; i < n; i++) {
        const ball *b = &h->balls[i];
        const plan *q = &h->plans[i];
        memcpy(flight + BALL_REALS * i, b->x, sizeof b->x);
        memcpy(flight + BALL_REALS * i + 3, b->v, sizeof b->v);
        flight[BALL_REALS * i + 6] = b->clock;
        times[2 * i] = q->meet;
        times[2 * i + 1] = q->leave;
        const uint32_t four[PLAN_WORDS] = {q->turns, q->partner, q->partner_turns, q->place};
        memcpy(words + PLAN_WORDS * i, four, sizeof four);
        if (h->lists) memcpy(centres + 3 * i, h->shells[i].centre, sizeof h->shells[i].centre);
    }
    add_chunk(chunks, count, "flight", JO_CHUNK_F64, BALL_REALS * n, flight);
    add_chunk(chunks, count, "times", JO_CHUNK_F64, 2 * n, times);
    add_chunk(chunks, count, "plans", JO_CHUNK_U32, PLAN_WORDS * n, words);
    if (h->lists) add_chunk(chunks, count, "centres", JO_CHUNK_F32, 3 * n, centres);
    add_chunk(chunks, count, "id", JO_CHUNK_U64, n, h->id);
    add_chunk(chunks, count, "radius", JO_CHUNK_F64, n, h->r);
    add_chunk(chunks, count, "inverse_mass", JO_CHUNK_F64, n, h->inverse_mass);
    add_chunk(chunks, count, "spin", JO_CHUNK_F64, 3 * n, h->spin);
    add_chunk(chunks, count, "material", JO_CHUNK_U32, n, h->material);
    add_chunk(chunks, count, "wraps", JO_CHUNK_U32, 3 * n, h->wraps);
    if (h->tc > 0.0) add_chunk(chunks, count, "last", JO_CHUNK_F64, n, h->last);
    if (h->rest->marked != NULL)
        add_chunk(chunks, count, "marked", JO_CHUNK_F64, 3 * n, h->rest->marked);
}

static void pack_alarms(const jo_hard *h, packer *p, jo_chunk *chunks, size_t *count)
{
    const jo_alarm *alarms = h->rest->alarms;
    const size_t size = sizeof alarms[0].text;
    uint64_t *counts = take(p, ALARM_COUNTS * JO_ALARM_COUNT, sizeof *counts);
    double *times = take(p, JO_ALARM_COUNT, sizeof *times);
    char *texts = take(p, JO_ALARM_COUNT, size);
    for (size_t k = 0; k < JO_ALARM_COUNT; k++) {
        counts[ALARM_COUNTS * k] = alarms[k].count;
        counts[ALARM_COUNTS * k + 1] = alarms[k].id;
        times[k] = alarms[k].time;
        memcpy(texts + k * size, alarms[k].text, size);
    }
    add_chunk(chunks, count, "alarms", JO_CHUNK_U64, ALARM_COUNTS * JO_ALARM_COUNT, counts);
    add_chunk(chunks, count, "alarm_times", JO_CHUNK_F64, JO_ALARM_COUNT, times);
    add_chunk(chunks, count, "alarm_texts", JO_CHUNK_U8, JO_ALARM_COUNT * size, texts);
}

JO_API jo_status jo_hard_save(jo_hard *h, jo_chunk *chunks, size_t *count, jo_error *error)
{
    struct hard_rest *rest = h->rest;
    const size_t room = 8192 + JO_ALARM_COUNT * 512 + (size_t)h->n * (56 + 16 + 16 + 12) + 256 +
                        8 * jo_hard_changes_count(h);
    if (!jo_buffer_reserve(&rest->saved, room, 1)) return jo_fail_memory(error, room, "saving");
    packer p = {rest->saved.data, (char *)rest->saved.data + room};
    double *reals = take(&p, REAL_COUNT, sizeof *reals);
    uint64_t *counts = take(&p, COUNT_COUNT, sizeof *counts);
    double *grid = take(&p, GRID_REALS, sizeof *grid);
    uint64_t *cells = take(&p, 3, sizeof *cells);
    double *sum_reals = take(&p, 2 * SUM_REALS + 2, sizeof *sum_reals);
    uint64_t *sum_counts = take(&p, 2 * SUM_COUNTS, sizeof *sum_counts);
    size_t k = 0;
#define PUT(field) reals[k++] = h->field;
    REALS(PUT)
#undef PUT
    k = 0;
    counts[k++] = SAVE_VERSION;
#define PUT(field) counts[k++] = h->field;
    COUNTS(PUT)
#undef PUT
    for (int a = 0; a < 3; a++) {
        grid[a] = h->grid.lo[a];
        grid[3 + a] = h->grid.size[a];
        cells[a] = (uint64_t)h->grid.cells[a];
    }
    pack_sums(&h->sums, sum_reals, sum_counts);
    pack_sums(&rest->observed.sums, sum_reals + SUM_REALS, sum_counts + SUM_COUNTS);
    sum_reals[2 * SUM_REALS] = rest->observed.time;
    sum_reals[2 * SUM_REALS + 1] = rest->observed.kinetic;
    *count = 0;
    add_chunk(chunks, count, "counts", JO_CHUNK_U64, COUNT_COUNT, counts);
    add_chunk(chunks, count, "reals", JO_CHUNK_F64, REAL_COUNT, reals);
    add_chunk(chunks, count, "grid", JO_CHUNK_F64, GRID_REALS, grid);
    add_chunk(chunks, count, "cells", JO_CHUNK_U64, 3, cells);
    add_chunk(chunks, count, "sums", JO_CHUNK_F64, 2 * SUM_REALS + 2, sum_reals);
    add_chunk(chunks, count, "sum_counts", JO_CHUNK_U64, 2 * SUM_COUNTS, sum_counts);
    add_chunk(chunks, count, "wall_impulse", JO_CHUNK_F64, 3 * rest->wall_count, h->wall_impulse);
    add_chunk(chunks, count, "wall_marked", JO_CHUNK_F64, 3 * rest->wall_count, rest->wall_marked);
    add_chunk(chunks, count, "why", JO_CHUNK_U8, sizeof h->stats.why, h->stats.why);
    pack_balls(h, &p, chunks, count);
    pack_alarms(h, &p, chunks, count);
    if (jo_hard_changes_count(h) > 0) {
        double *changes = take(&p, jo_hard_changes_count(h), sizeof *changes);
        jo_hard_changes_pack(h, changes);
        add_chunk(chunks, count, "changes", JO_CHUNK_F64, jo_hard_changes_count(h), changes);
    }
    return JO_OK;
}

/* ---- back ---- */

static void read_numbers(source *from, jo_hard *h, const uint64_t *counts)
{
    double reals[REAL_COUNT];
    copy_chunk(from, "reals", JO_CHUNK_F64, REAL_COUNT, reals);
    if (from->status != JO_OK) return;
    const uint64_t n = h->n, walls = h->rest->wall_count;
    size_t k = 0;
#define GET(field) h->field = reals[k++];
    REALS(GET)
#undef GET
    for (size_t r = 0; r < REAL_COUNT; r++)
        if (isnan(reals[r])) wrong(from, "a number is not one");
    k = 1;
    /* Types differ: each count is checked against what it has to be where that matters. */
#define GET(field) h->field = (__typeof__(h->field))counts[k++];
    COUNTS(GET)
#undef GET
    if (h->rest->wall_count != walls) wrong(from, "the scene has other walls");
    h->rest->wall_count = walls;
    if (h->n != n || counts[2] > n || counts[3] > 1) wrong(from, "a count is out of bounds");
    int exponent;
    if (!(h->calendar.length > 0.0 && isfinite(h->calendar.length)) ||
        frexp(h->calendar.length, &exponent) != 0.5 || !isfinite(h->base) || !isfinite(h->now) ||
        !(h->reach >= 0.0) || !(h->tc >= 0.0) || !(h->rest->volume > 0.0) || !(h->scale > 0.0))
        wrong(from, "a number is out of bounds");
}

static void read_grid(source *from, jo_hard *h)
{
    double grid[GRID_REALS];
    uint64_t cells[3];
    copy_chunk(from, "grid", JO_CHUNK_F64, GRID_REALS, grid);
    copy_chunk(from, "cells", JO_CHUNK_U64, 3, cells);
    if (from->status != JO_OK) return;
    double total = 1.0;
    for (int k = 0; k < 3; k++) {
        total *= (double)cells[k];
        if (!isfinite(grid[k]) || !(grid[3 + k] > 0.0) || cells[k] == 0 || cells[k] > 1000000000) {
            wrong(from, "a cell's size is out of bounds");
            return;
        }
        h->grid.lo[k] = grid[k];
        h->grid.size[k] = grid[3 + k];
        h->grid.cells[k] = (int32_t)cells[k];
    }
    if (total > 16.0 * h->n + 65536.0) wrong(from, "there are too many cells");
}

static void read_sums(source *from, jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    const double *reals = want(from, "sums", JO_CHUNK_F64, 2 * SUM_REALS + 2);
    const uint64_t *counts = want(from, "sum_counts", JO_CHUNK_U64, 2 * SUM_COUNTS);
    copy_chunk(from, "wall_impulse", JO_CHUNK_F64, 3 * rest->wall_count, h->wall_impulse);
    copy_chunk(from, "wall_marked", JO_CHUNK_F64, 3 * rest->wall_count, rest->wall_marked);
    copy_chunk(from, "why", JO_CHUNK_U8, sizeof h->stats.why, h->stats.why);
    h->stats.why[sizeof h->stats.why - 1] = '\0';
    if (from->status != JO_OK) return;
    unpack_sums(&h->sums, reals, counts);
    unpack_sums(&rest->observed.sums, reals + SUM_REALS, counts + SUM_COUNTS);
    rest->observed.time = reals[2 * SUM_REALS];
    rest->observed.kinetic = reals[2 * SUM_REALS + 1];
}

static void read_balls(source *from, jo_hard *h)
{
    const size_t n = h->n;
    const double *flight = want(from, "flight", JO_CHUNK_F64, BALL_REALS * n);
    copy_chunk(from, "id", JO_CHUNK_U64, n, h->id);
    copy_chunk(from, "radius", JO_CHUNK_F64, n, h->r);
    copy_chunk(from, "inverse_mass", JO_CHUNK_F64, n, h->inverse_mass);
    copy_chunk(from, "spin", JO_CHUNK_F64, 3 * n, h->spin);
    copy_chunk(from, "material", JO_CHUNK_U32, n, h->material);
    copy_chunk(from, "wraps", JO_CHUNK_U32, 3 * n, h->wraps);
    for (size_t i = 0; i < n && from->status == JO_OK; i++) {
        ball *b = &h->balls[i];
        memcpy(b->x, flight + BALL_REALS * i, sizeof b->x);
        memcpy(b->v, flight + BALL_REALS * i + 3, sizeof b->v);
        b->clock = flight[BALL_REALS * i + 6];
        for (int k = 0; k < BALL_REALS; k++)
            if (!isfinite(flight[BALL_REALS * i + k])) wrong(from, "a ball's flight is not finite");
        if (!(h->r[i] > 0.0) || !(h->inverse_mass[i] >= 0.0) ||
            (h->inverse_mass[i] > 0.0) != (i < h->movers) || h->material[i] >= h->material_count)
            wrong(from, "a ball's radius, mass or material is out of bounds");
    }
}

/* Plans name balls, surfaces and cells that exist. */
static void read_plans(source *from, jo_hard *h)
{
    const size_t n = h->n;
    const double *times = want(from, "times", JO_CHUNK_F64, 2 * n);
    const uint32_t *words = want(from, "plans", JO_CHUNK_U32, PLAN_WORDS * n);
    for (size_t i = 0; i < n && from->status == JO_OK; i++) {
        const uint32_t *w = words + PLAN_WORDS * i;
        const uint32_t partner = w[1] & PARTNER;
        int32_t place[3];
        h->plans[i] = (plan){times[2 * i], times[2 * i + 1], w[0], w[1], w[2], w[3]};
        h->balls[i].bound = bound_of(h, &h->plans[i]);
        grid_unpack(&h->grid, w[3], place);
        const bool known = partner < n || partner == PARTNER || partner == LOOK_AGAIN ||
                           (partner >= SURFACES && partner - SURFACES < h->surface_count);
        bool inside = w[1] >> BORDER_SHIFT < 6;
        for (int k = 0; k < 3; k++)
            inside = inside && place[k] >= 0 && place[k] < h->grid.cells[k];
        if (!known || !inside || isnan(times[2 * i]) || isnan(times[2 * i + 1]) ||
            (partner == PARTNER && !isinf(times[2 * i])))
            wrong(from, "a plan names a ball, wall or cell that does not exist");
    }
    if (from->status == JO_OK && h->tc > 0.0) copy_chunk(from, "last", JO_CHUNK_F64, n, h->last);
}

static void read_lists(source *from, jo_hard *h)
{
    const float *centres = want(from, "centres", JO_CHUNK_F32, 3 * (size_t)h->n);
    if (centres == NULL) return;
    for (size_t i = 0; i < h->n; i++)
        for (int k = 0; k < 3; k++) {
            h->shells[i].centre[k] = centres[3 * i + k];
            if (!isfinite((double)centres[3 * i + k])) {
                wrong(from, "a shell is not finite");
                return;
            }
        }
    memset(h->grid.heads, 0xff, jo_ball_grid_cells(&h->grid) * sizeof *h->grid.heads);
    if (!jo_neighbours_make(h, false)) from->status = jo_fail_memory(from->error, h->n, "lists");
}

static void read_rest(source *from, jo_hard *h)
{
    struct hard_rest *rest = h->rest;
    const size_t size = sizeof rest->alarms[0].text;
    const uint64_t *counts = want(from, "alarms", JO_CHUNK_U64, ALARM_COUNTS * JO_ALARM_COUNT);
    const double *times = want(from, "alarm_times", JO_CHUNK_F64, JO_ALARM_COUNT);
    const char *texts = want(from, "alarm_texts", JO_CHUNK_U8, JO_ALARM_COUNT * size);
    if (from->status != JO_OK) return;
    for (size_t k = 0; k < JO_ALARM_COUNT; k++) {
        rest->alarms[k] = (jo_alarm){.kind = (jo_alarm_kind)k,
                                     .count = counts[ALARM_COUNTS * k],
                                     .id = counts[ALARM_COUNTS * k + 1],
                                     .time = times[k]};
        memcpy(rest->alarms[k].text, texts + k * size, size - 1);
    }
    if (find_chunk(from, "marked") == NULL) return;
    if (!jo_buffer_reserve(&rest->marked_memory, 3 * (size_t)h->n + 1, sizeof *rest->marked)) {
        from->status = jo_fail_memory(from->error, 24 * (size_t)h->n, "positions at the mark");
        return;
    }
    rest->marked = rest->marked_memory.data;
    copy_chunk(from, "marked", JO_CHUNK_F64, 3 * (size_t)h->n, rest->marked);
}

/* Only runs that were changed while they went on have them. */
static void read_changes(source *from, jo_hard *h)
{
    if (find_chunk(from, "changes") == NULL) return;
    h->rest->changed = true;
    const double *changes = want(from, "changes", JO_CHUNK_F64, jo_hard_changes_count(h));
    if (changes != NULL && !jo_hard_changes_unpack(h, changes))
        wrong(from, "gravity or an impact was changed to what cannot be");
}

JO_API jo_status jo_hard_restore(const jo_scene *scene, const jo_hard_options *options,
                                 const jo_chunk *chunks, size_t count, jo_hard **out,
                                 jo_error *error)
{
    source from = {chunks, count, error, JO_OK};
    uint64_t counts[COUNT_COUNT];
    jo_hard *h = NULL;
    *out = NULL;
    from.status = jo_scene_check(scene, error);
    copy_chunk(&from, "counts", JO_CHUNK_U64, COUNT_COUNT, counts);
    if (from.status == JO_OK && counts[0] != SAVE_VERSION) wrong(&from, "it is of another version");
    /* The number of balls is believed only as far as their data goes. */
    if (from.status == JO_OK) want(&from, "id", JO_CHUNK_U64, counts[1]);
    if (from.status == JO_OK) from.status = jo_hard_prepare(scene, options, counts[1], &h, error);
    if (from.status == JO_OK) read_numbers(&from, h, counts);
    if (from.status == JO_OK) read_grid(&from, h);
    if (from.status == JO_OK) read_balls(&from, h);
    if (from.status == JO_OK) read_changes(&from, h);
    if (from.status == JO_OK) from.status = jo_hard_arrange(h, scene, true, error);
    if (from.status == JO_OK) read_changes(&from, h);
    if (from.status == JO_OK) read_plans(&from, h);
    if (from.status == JO_OK) read_sums(&from, h);
    if (from.status == JO_OK && h->lists)
        read_lists(&from, h);
    else if (from.status == JO_OK)
        jo_ball_grid_link(h);
    if (from.status == JO_OK) read_rest(&from, h);
    if (from.status != JO_OK) {
        jo_hard_destroy(h);
        return from.status;
    }
    const uint64_t taken = h->taken;
    jo_hard_begin_epoch(h, h->calendar.length);
    h->taken = taken;
    *out = h;
    return JO_OK;
}
