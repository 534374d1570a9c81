/* events.h — the loop over events, compiled once plain and once for AVX2 (events_plain.c,
 * events_avx2.c), and within each for the ways of finding neighbours, with and without what equal
 * elastic balls do not need.
 *
 * An event is the top of the calendar: one that was replaced is dropped; a crossing opens a face of
 * cells, or makes a list anew; a collision changes two ways and predicts both balls. */
#include <string.h>

#include "hard/approach.h"
#include "hard/collide.h"
#include "hard/motion.h"
#include "hard/renew.h"

/* ---- neighbours in cells ---- */

typedef struct around {
    uint32_t id[512];
    uint8_t code[512];
    uint32_t at, count;
} around;

/* Looks at all balls of the chains that begin in a->id, following them as it goes. */
ALWAYS_INLINE void search_chains(const jo_hard *h, const flyer *f, around *a, meeting *best,
                                 const int mode)
{
    meeting4 found = nobody_met();
    while (a->at < a->count) {
        /* Lanes left over look at the ball behind the last, which meets nobody and ends chains. */
        for (uint32_t k = 0; k < 4; k++) {
            a->id[a->count + k] = h->n;
            if (mode & MODE_TINY) a->code[a->count + k] = 0;
        }
        /* What is appended may belong to these four. */
        for (uint32_t k = a->at; k < a->at + 4; k++) {
            const uint32_t next = h->balls[a->id[k]].next;
            a->id[a->count] = next != NOBODY ? next : h->n;
            if (mode & MODE_TINY) a->code[a->count] = a->code[k];
            a->count += next != NOBODY;
        }
        try4(h, f, a->id + a->at, a->code + a->at, best, &found, mode);
        a->at += 4;
        if (a->at > 448 && a->at < a->count) {
            const uint32_t left = a->count - a->at;
            memmove(a->id, a->id + a->at, left * sizeof *a->id);
            memmove(a->code, a->code + a->at, left * sizeof *a->code);
            a->at = 0;
            a->count = left;
        }
    }
    keep_found(h, best, &found);
}

ALWAYS_INLINE void add_chain(const jo_hard *h, around *a, size_t cell, int code, const int mode)
{
    const uint32_t head = h->grid.heads[cell];
    a->id[a->count] = head;
    if (mode & MODE_TINY) a->code[a->count] = (uint8_t)code;
    a->count += head != NOBODY;
}

/* Three by three. */
ALWAYS_INLINE void add_nine(const jo_hard *h, around *a, grid_step layer, const grid_step *u,
                            const grid_step *w, const int mode)
{
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < 3; k++)
            add_chain(h, a, layer.cells + u[k].cells + w[l].cells,
                      layer.code + u[k].code + w[l].code, mode);
}

/* All cells around a place. */
ALWAYS_INLINE void search_cells(const jo_hard *h, const flyer *f, uint32_t packed, meeting *best,
                                const int mode)
{
    const ball_grid *g = &h->grid;
    int32_t place[3];
    around a;
    a.at = a.count = 0;
    grid_unpack(g, packed, place);
    const grid_step *x = g->step[0] + 3 * place[0], *y = g->step[1] + 3 * place[1],
                    *z = g->step[2] + 3 * place[2];
    if (g->flat) {
        add_nine(h, &a, z[1], x, y, mode);
    } else {
        add_nine(h, &a, z[0], x, y, mode);
        add_nine(h, &a, z[1], x, y, mode);
        add_nine(h, &a, z[2], x, y, mode);
    }
    search_chains(h, f, &a, best, mode);
}

/* The face of cells that a ball opens which has come to a place along an axis. */
ALWAYS_INLINE void search_face(const jo_hard *h, const flyer *f, const int32_t place[3], int axis,
                               int way, meeting *best, const int mode)
{
    const ball_grid *g = &h->grid;
    around a;
    a.at = a.count = 0;
    /* The axis, and the two others; in 2D z is one of them, and only its middle counts. */
    const int one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
    const grid_step p = g->step[axis][3 * place[axis] + 1 + way];
    const grid_step *u = g->step[one] + 3 * place[one], *w = g->step[two] + 3 * place[two];
    if (g->flat)
        for (int k = 0; k < 3; k++)
            add_chain(h, &a, p.cells + u[k].cells + w[1].cells, p.code + u[k].code + w[1].code,
                      mode);
    else
        add_nine(h, &a, p, u, w, mode);
    search_chains(h, f, &a, best, mode);
}

ALWAYS_INLINE void search_row(const jo_hard *h, const flyer *f, meeting *best, const int mode)
{
    const uint32_t *row = h->rows + (size_t)h->row_size * f->self;
    const uint32_t count = row[0];
    meeting4 found = nobody_met();
    for (uint32_t k = 1; k <= count; k += 4)
        try4(h, f, row + k, NULL, best, &found, mode);
    keep_found(h, best, &found);
}

/* ---- walls ---- */

static __attribute__((noinline)) void search_walls(const jo_hard *h, const flyer *f, size_t cell,
                                                   bool beyond, meeting *best)
{
    const near_walls *near = &h->near;
    const uint32_t *list = beyond ? near->all : near->list + near->first[cell];
    const uint32_t count = beyond ? near->all_count : near->first[cell + 1] - near->first[cell];
    approach_to b = {
        .r = f->r * f->scale, .r_rate = f->r * h->scale_rate, .time = h->base + f->now};
    double again = (double)INFINITY;
    for (int k = 0; k < 3; k++) {
        b.x[k] = f->x[k];
        b.v[k] = f->v[k];
        b.g[k] = h->falls ? h->g[k] : 0.0;
    }
    for (uint32_t k = 0; k < count; k++) {
        const double t =
            jo_surface_time(&h->surfaces[list[k]], h->dim, &b, best->time - f->now, &again);
        if (f->now + t < best->time) *best = (meeting){f->now + t, SURFACES + list[k]};
    }
    if (f->now + again < best->time) *best = (meeting){f->now + again, LOOK_AGAIN};
}

/* Looks at the walls near a ball's cell. */
ALWAYS_INLINE void try_walls(const jo_hard *h, const flyer *f, meeting *best, const int mode)
{
    if (!(mode & MODE_GENERAL) || h->surface_count == 0) return;
    const ball_grid *g = &h->grid;
    const int32_t *wraps = h->wraps + 3 * (size_t)f->self;
    int32_t place[3];
    grid_unpack(g, h->plans[f->self].place, place);
    const size_t cell = grid_cell(g, place);
    const bool beyond = (wraps[0] != 0 && g->period[0] == 0.0) ||
                        (wraps[1] != 0 && g->period[1] == 0.0) ||
                        (wraps[2] != 0 && g->period[2] == 0.0);
    if (!beyond && h->near.first[cell] == h->near.first[cell + 1]) return;
    search_walls(h, f, cell, beyond, best);
}

/* ---- predictions ---- */

/* The way of a ball has changed. */
ALWAYS_INLINE void count_turn(jo_hard *h, uint32_t i, const int mode)
{
    const uint32_t turns = ++h->plans[i].turns;
    if (mode & MODE_LISTS) h->balls[i].next = turns;
}

ALWAYS_INLINE void set_meeting(jo_hard *h, uint32_t i, const meeting *best, const int mode)
{
    plan *p = &h->plans[i];
    const uint32_t j = best->partner;
    p->meet = best->time;
    p->partner = (p->partner & ~PARTNER) | j;
    if (j < SURFACES) p->partner_turns = (mode & MODE_LISTS) ? h->balls[j].next : h->plans[j].turns;
    h->balls[i].bound = bound_of(h, p);
}

/* Predicts a ball against all its neighbours. When it leaves is known. */
ALWAYS_INLINE void foresee(jo_hard *h, uint32_t i, uint32_t skip, const int mode)
{
    flyer f;
    meeting best = {(mode & MODE_LISTS) && foreseen_on_leaving(h) ? h->plans[i].leave
                                                                  : (double)INFINITY,
                    PARTNER};
    flyer_at(h, i, skip, &f, mode);
    h->stats.predictions++;
    try_walls(h, &f, &best, mode);
    if (mode & MODE_LISTS)
        search_row(h, &f, &best, mode);
    else
        search_cells(h, &f, h->plans[i].place, &best, mode);
    if (best.partner == PARTNER) best.time = (double)INFINITY;
    set_meeting(h, i, &best, mode);
}

/* ---- events ---- */

ALWAYS_INLINE void cross(jo_hard *h, uint32_t i, const int mode)
{
    ball_grid *g = &h->grid;
    plan *p = &h->plans[i];
    const unsigned border = p->partner >> BORDER_SHIFT;
    const int axis = (int)(border >> 1), way = border & 1 ? 1 : -1;
    int32_t place[3];
    grid_unpack(g, p->place, place);
    chain_remove(h, grid_cell(g, place), i);
    place[axis] += way;
    if (place[axis] < 0 || place[axis] >= g->cells[axis]) {
        place[axis] -= way * g->cells[axis];
        h->balls[i].x[axis] -= way * g->period[axis];
        h->wraps[3 * (size_t)i + axis] += way;
    }
    p->place = grid_pack(g, place);
    chain_add(h, grid_cell(g, place), i);
    flyer f;
    flyer_at(h, i, NOBODY, &f, mode);
    meeting best = {p->meet, p->partner & PARTNER};
    try_walls(h, &f, &best, mode);
    search_face(h, &f, place, axis, way, &best, mode);
    if (best.time != p->meet || best.partner != (p->partner & PARTNER))
        set_meeting(h, i, &best, mode);
    set_leave(h, i, mode);
    h->stats.crossings++;
}

/* In gravity the time was only a bound: the list is made anew when the ball has come far enough. */
ALWAYS_INLINE bool still_inside(const jo_hard *h, uint32_t i, const int mode)
{
    if (!(mode & MODE_GENERAL) || !h->falls) return false;
    double x[3], v[3], d2 = 0.0;
    ball_now(h, i, x, v, mode);
    for (int k = 0; k < 3; k++) {
        const double d = x[k] - (double)h->shells[i].centre[k];
        d2 += d * d;
    }
    return d2 < 0.7 * h->reach * h->reach;
}

ALWAYS_INLINE void renew(jo_hard *h, uint32_t i, const int mode)
{
    if (!still_inside(h, i, mode)) {
        neighbours_renew(h, i);
        set_leave(h, i, mode);
        foresee(h, i, NOBODY, mode);
        h->stats.rebuilds++;
    } else {
        set_leave(h, i, mode);
    }
}

ALWAYS_INLINE void schedule(jo_hard *h, uint32_t i)
{
    calendar_put(&h->calendar, pending(&h->plans[i]), i);
}

/* Two equal elastic balls exchange their velocities along the line of centres. */
ALWAYS_INLINE void bounce_equal(jo_hard *h, uint32_t i, uint32_t j)
{
    double d[3];
    move_to_now(h, i, 0);
    move_to_now(h, j, 0);
    ball *a = &h->balls[i], *b = &h->balls[j];
    nearest_image(h, a->x, b->x, d);
    const double w[3] = {b->v[0] - a->v[0], b->v[1] - a->v[1], b->v[2] - a->v[2]};
    const double dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
    const double s = dw / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; k++) {
        a->v[k] += s * d[k];
        b->v[k] -= s * d[k];
        for (int l = 0; l < 3; l++)
            h->sums.stress[3 * k + l] -= h->mass * s * d[k] * d[l];
    }
    h->sums.collisions++;
    if (h->log != NULL) jo_log_event(h, JO_HARD_BALLS, 0, h->id[i], h->id[j], -dw / h->diameter);
}

ALWAYS_INLINE void collide(jo_hard *h, uint32_t i, uint32_t j, const int mode)
{
    if (mode & MODE_GENERAL)
        jo_collide_balls(h, i, j);
    else
        bounce_equal(h, i, j);
    h->event_count++;
    count_turn(h, i, mode);
    set_leave(h, i, mode);
    if ((mode & MODE_GENERAL) && j >= h->movers) {
        foresee(h, i, j, mode);
        return;
    }
    count_turn(h, j, mode);
    h->balls[j].bound = BOUND_NONE; /* what it had planned is off */
    set_leave(h, j, mode);
    foresee(h, i, j, mode);
    foresee(h, j, i, mode);
    schedule(h, j);
}

ALWAYS_INLINE void hit_wall(jo_hard *h, uint32_t i, uint32_t piece, const int mode)
{
    jo_collide_surface(h, i, piece);
    h->event_count++;
    count_turn(h, i, mode);
    set_leave(h, i, mode);
    foresee(h, i, NOBODY, mode);
}

ALWAYS_INLINE void take_event(jo_hard *h, uint32_t i, const int mode)
{
    const plan *p = &h->plans[i];
    if (p->meet <= p->leave) {
        const uint32_t j = p->partner & PARTNER;
        if ((mode & MODE_GENERAL) && j == LOOK_AGAIN) {
            foresee(h, i, NOBODY, mode);
        } else if ((mode & MODE_GENERAL) && j >= SURFACES) {
            hit_wall(h, i, j - SURFACES, mode);
        } else if (h->plans[j].turns == p->partner_turns) {
            collide(h, i, j, mode);
        } else {
            h->stats.invalid++;
            foresee(h, i, NOBODY, mode);
        }
    } else if (mode & MODE_LISTS) {
        renew(h, i, mode);
    } else {
        cross(h, i, mode);
    }
    schedule(h, i);
}

/* ---- looking ahead ---- */

/* Asks memory for what the events to come will touch, in the order in which one leads to the other:
 * the balls (their plans were read when their day was opened), then who they meet and where their
 * neighbours are noted, then the neighbours, then those of who they meet. */
enum { AHEAD_BALL = 18, AHEAD_NEAR = 12, AHEAD_NEXT = 7, AHEAD_LAST = 3 };

ALWAYS_INLINE void fetch_ball(const jo_hard *h, uint32_t i, const int mode)
{
    __builtin_prefetch(&h->balls[i], 1);
    if (mode & MODE_LISTS) __builtin_prefetch(&h->shells[i]);
}

/* Where ball i will be when it leaves its shell. */
ALWAYS_INLINE void place_on_leaving(const jo_hard *h, uint32_t i, int32_t place[3])
{
    const ball *b = &h->balls[i];
    const double flight = h->plans[i].leave - b->clock;
    float centre[3];
    for (int k = 0; k < 3; k++)
        centre[k] = (float)(b->x[k] + b->v[k] * flight);
    place_of(&h->grid, centre, place);
}

/* Looks at the cells around a place: asks for their heads, of which some share a line (blocks are
 * at least two wide: corners are enough), or for those at the head. */
ALWAYS_INLINE void fetch_around(const jo_hard *h, uint32_t i, const int32_t place[3],
                                const bool heads, const int mode)
{
    const ball_grid *g = &h->grid;
    const grid_step *x = g->step[0] + 3 * place[0], *y = g->step[1] + 3 * place[1],
                    *z = g->step[2] + 3 * place[2];
    for (int m = g->flat; m < 3 - g->flat; m += heads ? 2 : 1)
        for (int l = 0; l < 3; l += heads ? 2 : 1)
            for (int k = 0; k < 3; k += heads ? 2 : 1) {
                const uint32_t *head = &g->heads[x[k].cells + y[l].cells + z[m].cells];
                if (heads) {
                    __builtin_prefetch(head);
                    continue;
                }
                const uint32_t j = *head != NOBODY ? *head : i;
                __builtin_prefetch((mode & MODE_LISTS) ? (void *)&h->shells[j]
                                                       : (void *)&h->balls[j]);
            }
}

/* The same for the face that ball i opens when it crosses a border. */
ALWAYS_INLINE void fetch_face(const jo_hard *h, uint32_t i, const bool heads)
{
    const ball_grid *g = &h->grid;
    const unsigned border = h->plans[i].partner >> BORDER_SHIFT;
    const int axis = (int)(border >> 1), way = border & 1 ? 1 : -1;
    const int one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2, flat = two == 2 && g->flat;
    int32_t place[3];
    grid_unpack(g, h->plans[i].place, place);
    const grid_step *u = g->step[one] + 3 * place[one], *w = g->step[two] + 3 * place[two];
    int32_t to = place[axis] + way;
    to = to < 0 ? to + g->cells[axis] : to >= g->cells[axis] ? to - g->cells[axis] : to;
    const grid_step *p = g->step[axis] + 3 * to;
    if (heads) {
        /* It moves from one chain to another, too. */
        __builtin_prefetch(&g->heads[p[1 - way].cells + u[1].cells + w[1].cells], 1);
        __builtin_prefetch(&g->heads[p[1].cells + u[1].cells + w[1].cells], 1);
    }
    for (int l = flat; l < 3 - flat; l += heads ? 2 : 1)
        for (int k = 0; k < 3; k += heads ? 2 : 1) {
            const uint32_t *head = &g->heads[p[1 + way].cells + u[k].cells + w[l].cells];
            if (heads)
                __builtin_prefetch(head);
            else
                __builtin_prefetch(&h->balls[*head != NOBODY ? *head : i]);
        }
}

/* Where the neighbours of ball i are noted. */
ALWAYS_INLINE void fetch_near(const jo_hard *h, uint32_t i, bool crosses, const int mode)
{
    int32_t place[3];
    if (mode & MODE_LISTS) {
        const uint32_t *row = h->rows + (size_t)h->row_size * i;
        __builtin_prefetch(row);
        __builtin_prefetch(row + 16);
        if (!crosses) return;
        place_on_leaving(h, i, place);
    } else if (crosses) {
        fetch_face(h, i, true);
        return;
    } else {
        grid_unpack(&h->grid, h->plans[i].place, place);
    }
    fetch_around(h, i, place, true, mode);
}

/* And the neighbours. */
ALWAYS_INLINE void fetch_next(const jo_hard *h, uint32_t i, bool crosses, const int mode)
{
    int32_t place[3];
    if (mode & MODE_LISTS) {
        const uint32_t *row = h->rows + (size_t)h->row_size * i;
        const uint32_t count = row[0];
        for (uint32_t k = 1; k <= count; k++)
            __builtin_prefetch(&h->balls[row[k]]);
        if (!crosses) return;
        place_on_leaving(h, i, place);
    } else if (crosses) {
        fetch_face(h, i, false);
        return;
    } else {
        grid_unpack(&h->grid, h->plans[i].place, place);
    }
    fetch_around(h, i, place, false, mode);
}

/* Whether j has other neighbours than i: not if they share a cell. */
ALWAYS_INLINE bool has_others(const jo_hard *h, uint32_t i, uint32_t j, const int mode)
{
    return (mode & MODE_LISTS) || h->plans[i].place != h->plans[j].place;
}

ALWAYS_INLINE void look_ahead(const jo_hard *h, const int mode)
{
    const calendar *c = &h->calendar;
    const entry *at = c->run + c->run_at;
    const size_t left = c->run_count - c->run_at;
    if (left > AHEAD_BALL) fetch_ball(h, at[AHEAD_BALL].ball, mode);
    if (left > AHEAD_NEAR) {
        const uint32_t i = at[AHEAD_NEAR].ball;
        const plan *p = &h->plans[i];
        const bool crosses = p->leave < p->meet;
        const uint32_t j = p->partner & PARTNER;
        fetch_near(h, i, crosses, mode);
        if (!crosses && j < SURFACES) {
            fetch_ball(h, j, mode);
            __builtin_prefetch(&h->plans[j], 1);
        }
    }
    if (left > AHEAD_NEXT) {
        const uint32_t i = at[AHEAD_NEXT].ball;
        const plan *p = &h->plans[i];
        const bool crosses = p->leave < p->meet;
        const uint32_t j = p->partner & PARTNER;
        fetch_next(h, i, crosses, mode);
        if (!crosses && j < SURFACES && has_others(h, i, j, mode)) fetch_near(h, j, false, mode);
    }
    if (left > AHEAD_LAST) {
        const uint32_t i = at[AHEAD_LAST].ball;
        const plan *p = &h->plans[i];
        const uint32_t j = p->partner & PARTNER;
        if (p->meet <= p->leave && j < SURFACES && has_others(h, i, j, mode))
            fetch_next(h, j, false, mode);
    }
}

/* Kept out of the loop, which has few registers to spare. To the compiler they do nothing and could
 * be left out: hence the empty statement. */
static __attribute__((noinline)) void look_ahead_lists(const jo_hard *h)
{
    __asm__ volatile("");
    look_ahead(h, MODE_LISTS);
}
static __attribute__((noinline)) void look_ahead_cells(const jo_hard *h)
{
    __asm__ volatile("");
    look_ahead(h, 0);
}

ALWAYS_INLINE void run_loop(jo_hard *h, double limit, uint64_t collisions, const int mode)
{
    while (h->event_count < collisions && h->taken < h->taken_most) {
        const entry *e = calendar_peek(&h->calendar);
        if (e == NULL || e->time > limit) break;
        const uint32_t i = e->ball;
        const double time = e->time;
        if (h->prefetches && e != h->calendar.heap)
            (mode & MODE_LISTS) ? look_ahead_lists(h) : look_ahead_cells(h);
        calendar_drop(&h->calendar, e);
        if (time != pending(&h->plans[i])) {
            h->stats.stale++;
            continue;
        }
        h->now = time;
        h->taken++;
        take_event(h, i, mode);
    }
}

static void run_cells(jo_hard *h, double limit, uint64_t n)
{
    run_loop(h, limit, n, 0);
}
static void run_lists(jo_hard *h, double limit, uint64_t n)
{
    run_loop(h, limit, n, MODE_LISTS);
}
static void run_cells_general(jo_hard *h, double limit, uint64_t n)
{
    run_loop(h, limit, n, MODE_GENERAL);
}
static void run_lists_general(jo_hard *h, double limit, uint64_t n)
{
    run_loop(h, limit, n, MODE_LISTS | MODE_GENERAL);
}
static void run_tiny(jo_hard *h, double limit, uint64_t n)
{
    run_loop(h, limit, n, MODE_GENERAL | MODE_TINY);
}

void JO_HARD_RUN(jo_hard *h, double limit, uint64_t collisions)
{
    if (h->tiny)
        run_tiny(h, limit, collisions);
    else if (h->lists)
        (h->general ? run_lists_general : run_lists)(h, limit, collisions);
    else
        (h->general ? run_cells_general : run_cells)(h, limit, collisions);
}

/* One ball, whatever the mode; not for the loop. */
ALWAYS_INLINE void foresee_turned(jo_hard *h, uint32_t i, const int mode)
{
    count_turn(h, i, mode);
    set_leave(h, i, mode);
    foresee(h, i, NOBODY, mode);
}

static void foresee_any(jo_hard *h, uint32_t i)
{
    if (h->tiny)
        foresee_turned(h, i, MODE_GENERAL | MODE_TINY);
    else if (h->lists)
        foresee_turned(h, i, MODE_GENERAL | MODE_LISTS);
    else
        foresee_turned(h, i, MODE_GENERAL);
}

void JO_HARD_TURNED(jo_hard *h, uint32_t i)
{
    foresee_any(h, i);
    schedule(h, i);
}

void JO_HARD_FORESEE_ALL(jo_hard *h)
{
    for (uint32_t i = 0; i < h->n; i++)
        h->balls[i].bound = BOUND_NONE;
    for (uint32_t i = 0; i < h->movers; i++)
        foresee_any(h, i);
}
