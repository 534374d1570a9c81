/* subcells.c — cells smaller than the bodies, a body entered in every cell it covers.
 *
 * Method (paper 2, "cell size may be smaller than particle size, a single particle may occupy
 * multiple cells"): every body is entered in all cells its bounding box overlaps. Bodies that touch
 * share at least one cell, so only bodies of the same cell are compared and no neighbours are
 * searched: large bodies simply cover more cells.
 *
 * Each pair once: two bodies may share many cells. They are listed in one of them, the cell of the
 * lower corner of the intersection of their cell ranges:
 *
 *     . a a a . .
 *     . a X b b .        X: the lower corner of what a and b share; listed here,
 *     . a b b b .           passed over in the other shared cells
 *     . . b b b .
 *
 * On a periodic axis the ranges are arcs of a circle of cells, and two arcs may meet twice. The
 * corner is then the first cell of the body with the larger index if that lies in the other's arc,
 * else the first cell of the other: one of the two is always shared, and the rule gives one cell
 * per pair.
 *
 * The edge is the caller's `cell`, or EDGE mean diameters. A lattice may have at most 8 cells per
 * body, and all bodies together at most 32 entries per body: past that the cells are made larger,
 * so that memory stays bounded whatever the sizes.
 *
 * Invariants: ranges come from boxes widened by rounding (spot.h) and a monotone map to cells, so
 * the ranges of touching bodies intersect.
 *
 * Cost: time and memory O(n + entries); 32 + 24 bytes per body, 4 per cell, 4 per entry. */
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "broad/lattice.h"
#include "scene/touch.h"

/* Cells in mean diameters, where not given: the best measured that is still below one. */
#define EDGE 0.9

#define CELLS_PER_BODY   8.0
#define ENTRIES_PER_BODY 32.0

/* The cells a body covers on each axis: `count` cells from `first` on, wrapping. */
typedef struct range {
    int32_t first[3], count[3];
} range;

typedef struct subcells_state {
    buffer spots, ranges, start, entries;
} subcells_state;

typedef struct subcells_search {
    const query *q;
    spot_frame frame;
    lattice l;
    const spot *spots;
    const range *ranges;
    pairlist *out;
    uint64_t tested;
} subcells_search;

/* The cells that [lower, upper] overlaps on axis a. */
static void cover(const lattice *l, int a, double lower, double upper, range *r)
{
    const double from = lattice_place(l, a, lower), to = lattice_place(l, a, upper);
    if (!l->periodic[a]) {
        r->first[a] = lattice_index(l, a, from);
        r->count[a] = lattice_index(l, a, to) - r->first[a] + 1;
        return;
    }
    const double first = floor(from), count = floor(to) - first + 1.0;
    if (!(count < l->m[a]) || l->m[a] == 1) { /* all the way round */
        r->first[a] = 0;
        r->count[a] = l->m[a];
        return;
    }
    const int32_t index = (int32_t)(first - l->m[a] * floor(first / l->m[a]));
    r->first[a] = index < l->m[a] ? index : 0;
    r->count[a] = (int32_t)count;
}

static range range_of(const subcells_search *c, size_t i, const spot *s)
{
    range r = {.count = {1, 1, 1}};
    const jo_bodies *b = c->q->bodies;
    for (int a = 0; a < b->dim; a++) {
        double half = s->r;
        if (b->shape == JO_BOXES) /* an edge may be shorter than the longest one */
            half -= body_radius(b, i) -
                    (0.5 * b->upper[a][i * b->x_stride] - 0.5 * b->x[a][i * b->x_stride]);
        cover(&c->l, a, s->x[a] - half, s->x[a] + half, &r);
    }
    return r;
}

/* Fills in all ranges and returns the number of entries they make. */
static double cover_all(const subcells_search *c, range *ranges)
{
    double entries = 0.0;
    for (size_t i = 0; i < c->q->bodies->n; i++) {
        ranges[i] = range_of(c, i, &c->spots[i]);
        const int32_t *count = ranges[i].count;
        entries += (double)count[0] * (double)count[1] * (double)count[2];
    }
    return entries;
}

/* Chooses the lattice: fine, but with few enough entries. */
static double choose_cells(subcells_search *c, range *ranges)
{
    const double n = (double)c->q->bodies->n, most = ENTRIES_PER_BODY * n + 64.0;
    const double wanted =
        c->q->def->cell > 0.0 ? c->q->def->cell : EDGE * 2.0 * c->q->survey->r_mean;
    /* With cells far below the slack every body would cover thousands for nothing. */
    double edge = fmax(wanted, c->frame.slack);
    for (;;) {
        c->l = jo_lattice_fit(c->q, edge, CELLS_PER_BODY * n + 64.0);
        const double entries = cover_all(c, ranges);
        if (entries <= most || lattice_cells(&c->l) == 1) return entries;
        for (int a = 0; a < c->q->bodies->dim; a++) /* not below what the lattice had to take */
            if (c->l.m[a] > 1) edge = fmax(edge, 0.5 * c->l.edge[a]);
        edge *= fmax(1.25, pow(entries / most, 0.25));
    }
}

/* Calls for every cell of a range: `start` is counted up, or entries are written. */
static void enter(const lattice *l, const range *r, uint32_t id, size_t *start, uint32_t *entries)
{
    for (int32_t kz = 0; kz < r->count[2]; kz++) {
        const int32_t z = r->first[2] + kz - (r->first[2] + kz >= l->m[2] ? l->m[2] : 0);
        for (int32_t ky = 0; ky < r->count[1]; ky++) {
            const int32_t y = r->first[1] + ky - (r->first[1] + ky >= l->m[1] ? l->m[1] : 0);
            size_t *row = start + ((size_t)z * (size_t)l->m[1] + (size_t)y) * (size_t)l->m[0];
            for (int32_t kx = 0; kx < r->count[0]; kx++) {
                const int32_t x = r->first[0] + kx - (r->first[0] + kx >= l->m[0] ? l->m[0] : 0);
                if (entries != NULL) entries[row[x]] = id;
                row[x]++;
            }
        }
    }
}

/* The entries of every cell, one cell after the other; start[k] is where cell k begins. */
static void fill(const subcells_search *c, size_t *start, uint32_t *entries)
{
    const size_t cells = lattice_cells(&c->l), n = c->q->bodies->n;
    memset(start, 0, (cells + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        enter(&c->l, &c->ranges[i], 0, start, NULL);
    size_t total = 0;
    for (size_t k = 0; k <= cells; k++) {
        const size_t count = start[k];
        start[k] = total;
        total += count;
    }
    for (size_t i = 0; i < n; i++)
        enter(&c->l, &c->ranges[i], (uint32_t)i, start, entries);
    memmove(start + 1, start, cells * sizeof *start); /* each had moved on to its own end */
    start[0] = 0;
}

/* Is `cell` the one in which the pair i < j is listed? */
static bool is_corner(const subcells_search *c, const int32_t cell[3], size_t i, size_t j)
{
    const range *p = &c->ranges[i], *q = &c->ranges[j];
    for (int a = 0; a < c->q->bodies->dim; a++) {
        int32_t into = q->first[a] - p->first[a];
        if (into < 0 && c->l.periodic[a]) into += c->l.m[a];
        const bool inside = into >= 0 && into < p->count[a];
        if (cell[a] != (inside ? q->first[a] : p->first[a])) return false;
    }
    return true;
}

/* Compares all bodies of a cell with each other. */
static bool search_cell(subcells_search *c, const int32_t cell[3], const uint32_t *ids,
                        size_t count)
{
    for (size_t k = 0; k + 1 < count; k++) {
        const uint32_t i = ids[k]; /* ids ascend within a cell */
        const spot *mine = &c->spots[i];
        for (size_t m = k + 1; m < count; m++) {
            const uint32_t j = ids[m];
            if (!spots_near(&c->frame, mine, &c->spots[j])) continue;
            if (!is_corner(c, cell, i, j) || !touch(c->q->bodies, c->q->domain, i, j)) continue;
            if (!pairlist_push(c->out, i, j)) return false;
        }
    }
    c->tested += count * (count - (count > 0)) / 2;
    return true;
}

static bool search_cells(subcells_search *c, const size_t *start, const uint32_t *entries)
{
    int32_t cell[3];
    for (cell[2] = 0; cell[2] < c->l.m[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < c->l.m[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < c->l.m[0]; cell[0]++, start++)
                if (!search_cell(c, cell, entries + start[0], start[1] - start[0])) return false;
    return true;
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    subcells_state *s = state;
    const size_t n = q->bodies->n;
    if (n == 0) return JO_OK;
    const double begun = jo_seconds();
    if (!jo_buffer_reserve(&s->spots, n, sizeof(spot)) ||
        !jo_buffer_reserve(&s->ranges, n, sizeof(range)))
        return jo_fail_memory(error, n * (sizeof(spot) + sizeof(range)), "bodies in cells");
    spot *spots = s->spots.data;
    subcells_search c = {
        .q = q, .frame = spot_frame_of(q), .spots = spots, .ranges = s->ranges.data, .out = out};
    for (size_t i = 0; i < n; i++)
        spots[i] = spot_of(&c.frame, i);
    const size_t entries = (size_t)choose_cells(&c, s->ranges.data);
    const size_t cells = lattice_cells(&c.l);
    if (!jo_buffer_reserve(&s->start, cells + 1, sizeof(size_t)) ||
        !jo_buffer_reserve(&s->entries, entries, sizeof(uint32_t)))
        return jo_fail_memory(error, cells * sizeof(size_t) + entries * 4, "cells");
    fill(&c, s->start.data, s->entries.data);
    const double built = jo_seconds();

    if (!search_cells(&c, s->start.data, s->entries.data))
        return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    stats->cells = cells;
    stats->rebuilds++;
    stats->pairs_tested += c.tested;
    stats->seconds[JO_STAGE_BUILD] += built - begun;
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    return JO_OK;
}

static void release(void *state)
{
    subcells_state *s = state;
    jo_buffer_free(&s->spots);
    jo_buffer_free(&s->ranges);
    jo_buffer_free(&s->start);
    jo_buffer_free(&s->entries);
}

static size_t bytes(const void *state)
{
    const subcells_state *s = state;
    return s->spots.size + s->ranges.size + s->start.size + s->entries.size;
}

const method jo_method_subcells = {
    .info = {.name = "subcells",
             .summary = "cells smaller than the bodies, each body entered in all it covers",
             .source = "paper 2 (lecture), cells smaller than particles",
             .cost = "time and memory O(N) for near-equal sizes; at most 32 entries per body",
             .when =
                 "moderate size ranges, elongated boxes; cells or grid are faster for equal sizes",
             .options = "cell"},
    .state_size = sizeof(subcells_state),
    .find = find,
    .release = release,
    .bytes = bytes,
};
