/* cells.c — linked cells.
 *
 * Method: space is divided into a lattice of cells; a header array holds the first body of every
 * cell, a second array links each body to the next one of its cell (paper 1, section 2.1; Allen and
 * Tildesley). A body is then compared with the bodies of its own cell that follow it in the list
 * and with those of neighbouring cells, of which only the later half is visited, so that every pair
 * is looked at once.
 *
 *     . . . . . . .        i searches the cells marked #: those that its reach r_i + r_max overlaps
 *     . . # # # . .        and that come after its own (*) in the order of rows. The cells before
 *     . . . * # . .        it have found, or will find, the pair from their side.
 *     . . . . . . .
 *
 * Three ways to choose the edge:
 *   per_cell  paper 1's LCM1, LCM5, …: as many cells as give that mean number of bodies per cell,
 *             but edges of at least the largest diameter. The whole of the 3^dim cells around is
 *             searched, so that 4.5 (13.5) n per_cell pairs are tested, as the paper counts.
 *   cell      the caller's edge. Cells smaller than a diameter are fine: more layers are searched.
 *   neither   for near-equal sizes the optimum of Mio et al. (paper 2, cell_model.c); else the
 *             largest diameter, paper 1's smallest allowed edge.
 * In the last two ways a body searches only the cells its own reach overlaps, as Mio's model
 * assumes.
 *
 * Periodic axes: cells wrap. An axis too short for the 2 layers + 1 cells that keep a neighbour
 * from being met from both sides becomes one cell, whose bodies are compared all with all.
 *
 * Invariants: a body is in exactly one list; the place of a body plus its reach, in cells, covers
 * every cell in which a touching body can lie, rounding included (see spot.h).
 *
 * Cost: time O(n) for near-equal sizes, O(n^2) in the limit of wide ranges; memory 36 bytes per
 * body and 4 per cell, at most 16 cells per body (64 when the caller chose the edge). */
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "broad/lattice.h"
#include "scene/touch.h"

#define NONE UINT32_MAX

/* More layers than this are not searched: the cell is made larger. 0.25 radii need 9. */
enum { LAYERS_MAX = 10 };

/* The time of one pair tested over that of one cell looked into, as measured for this code; Mio et
 * al. found 10.47 for theirs. See docs/methods/cells.md. */
#define KAPPA 1.5

/* r_max / r_mean up to which sizes count as near-equal. */
#define NEAR_EQUAL 2.0

typedef struct cells_state {
    buffer spots, next, head;
} cells_state;

typedef struct cells_search {
    const query *q;
    const spot_frame *frame;
    lattice l;
    int32_t layers[3];
    bool whole; /* search all cells within the layers, not only those within reach */
    const spot *spots;
    uint32_t *head, *next;
    pairlist *out;
    uint64_t tested;
} cells_search;

/* The optimum of paper 2 for bodies that search r_mean + r_max to either side. */
static double model_edge(const query *q)
{
    const survey *s = q->survey;
    const double r = 0.5 * (s->r_mean + s->r_max);
    double density = (double)q->bodies->n;
    for (int a = 0; a < q->bodies->dim; a++) {
        /* A layer of bodies is as thick as a body, not as the extent of its centres. */
        const double length = q->domain->periodic[a] ? q->domain->hi[a] - q->domain->lo[a]
                                                     : s->hi[a] - s->lo[a] + 2.0 * r;
        density *= r / length;
    }
    /* In units of r, so that no power of a tiny or huge radius leaves the range of doubles. */
    return r * jo_cell_optimum(1.0, density, q->bodies->dim, KAPPA);
}

static lattice choose_lattice(const query *q, double reach)
{
    const double n = (double)q->bodies->n;
    const jo_broad_def *def = q->def;
    if (def->per_cell > 0.0) return jo_lattice_fit(q, reach, n / def->per_cell);
    const double least = reach / (LAYERS_MAX - 1);
    if (def->cell > 0.0) return jo_lattice_fit(q, fmax(def->cell, least), 64.0 * n + 4096.0);
    const survey *s = q->survey;
    if (s->r_max == 0.0) return jo_lattice_fit(q, reach, n); /* points: one per cell */
    const bool near_equal = s->r_max <= NEAR_EQUAL * s->r_mean;
    return jo_lattice_fit(q, near_equal ? fmax(model_edge(q), least) : reach, 16.0 * n + 64.0);
}

/* Decides how many layers of cells to search on each axis. */
static void choose_layers(cells_search *c, double reach)
{
    for (int a = 0; a < 3; a++) {
        lattice *l = &c->l;
        if (l->m[a] == 1) continue;
        c->layers[a] = (int32_t)fmin(ceil(reach * l->inverse[a] * (1 + 1e-15)), l->m[a]);
        if (!l->periodic[a] || l->m[a] >= 2 * c->layers[a] + 1) continue;
        const double coarse = floor(l->length[a] / (reach * (1 + 1e-15)));
        const bool fits = coarse >= 3.0 && coarse <= l->m[a];
        jo_lattice_divide(l, a, fits ? (int32_t)coarse : 1);
        c->layers[a] = fits ? 1 : 0;
    }
}

static size_t cell_of(const lattice *l, const spot *s)
{
    size_t cell = 0;
    for (int a = 2; a >= 0; a--)
        cell = cell * (size_t)l->m[a] + (size_t)lattice_index(l, a, lattice_place(l, a, s->x[a]));
    return cell;
}

static void fill(cells_search *c, spot *spots)
{
    const size_t n = c->q->bodies->n, cells = lattice_cells(&c->l);
    memset(c->head, 0xff, cells * sizeof *c->head);
    for (size_t i = n; i-- > 0;) { /* downwards, so that lists run upwards */
        spots[i] = spot_of(c->frame, i);
        const size_t cell = cell_of(&c->l, &spots[i]);
        c->next[i] = c->head[cell];
        c->head[cell] = (uint32_t)i;
    }
}

/* Compares body i with the list that begins with j. */
static inline bool search_list(cells_search *c, uint32_t i, uint32_t j)
{
    const spot *const mine = &c->spots[i];
    for (; j != NONE; j = c->next[j]) {
        c->tested++;
        if (!spots_near(c->frame, mine, &c->spots[j])) continue;
        if (touch(c->q->bodies, c->q->domain, i, j) && !pairlist_push(c->out, i, j)) return false;
    }
    return true;
}

/* The cells a body searches on one axis, as indices that may lie outside and then wrap. */
typedef struct span {
    int32_t from, to;
} span;

static inline span span_of(const cells_search *c, int a, int32_t cell, const spot *s)
{
    const lattice *l = &c->l;
    span p = {cell - c->layers[a], cell + c->layers[a]};
    if (!c->whole && l->m[a] > 1) {
        const double place = lattice_place(l, a, s->x[a]);
        const double reach = (s->r + c->frame->r_max) * l->inverse[a];
        /* Shifted to be above zero, where truncation is the floor. */
        const int32_t shift = c->layers[a] + 2;
        const int32_t low = (int32_t)(place - reach + shift) - shift;
        const int32_t high = (int32_t)(place + reach + shift) - shift;
        if (low > p.from) p.from = low < cell ? low : cell;
        if (high < p.to) p.to = high > cell ? high : cell;
    }
    if (!l->periodic[a]) {
        if (p.from < 0) p.from = 0;
        if (p.to >= l->m[a]) p.to = l->m[a] - 1;
    }
    return p;
}

static inline int32_t wrap_index(int32_t k, int32_t m)
{
    return k < 0 ? k + m : k >= m ? k - m : k;
}

static bool search_row(cells_search *c, uint32_t i, int32_t z, int32_t y, int32_t from, int32_t to)
{
    const int32_t *m = c->l.m;
    const uint32_t *row =
        c->head +
        ((size_t)wrap_index(z, m[2]) * (size_t)m[1] + (size_t)wrap_index(y, m[1])) * (size_t)m[0];
    for (int32_t x = from; x <= to; x++)
        if (!search_list(c, i, row[wrap_index(x, m[0])])) return false;
    return true;
}

/* Compares body i, in cell `at`, with those after it in the order of cells and lists. */
static bool search_body(cells_search *c, uint32_t i, const int32_t at[3])
{
    const spot *s = &c->spots[i];
    if (!search_list(c, i, c->next[i])) return false;
    const span x = span_of(c, 0, at[0], s), y = span_of(c, 1, at[1], s);
    const span z = span_of(c, 2, at[2], s);
    if (!search_row(c, i, at[2], at[1], at[0] + 1, x.to)) return false;
    for (int32_t ky = at[1] + 1; ky <= y.to; ky++)
        if (!search_row(c, i, at[2], ky, x.from, x.to)) return false;
    for (int32_t kz = at[2] + 1; kz <= z.to; kz++)
        for (int32_t ky = y.from; ky <= y.to; ky++)
            if (!search_row(c, i, kz, ky, x.from, x.to)) return false;
    return true;
}

static bool search_cells(cells_search *c)
{
    const uint32_t *head = c->head;
    int32_t at[3];
    for (at[2] = 0; at[2] < c->l.m[2]; at[2]++)
        for (at[1] = 0; at[1] < c->l.m[1]; at[1]++)
            for (at[0] = 0; at[0] < c->l.m[0]; at[0]++)
                for (uint32_t i = *head++; i != NONE; i = c->next[i])
                    if (!search_body(c, i, at)) return false;
    return true;
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    cells_state *s = state;
    const size_t n = q->bodies->n;
    if (n == 0) return JO_OK;
    const double start = jo_seconds();
    const spot_frame frame = spot_frame_of(q);
    const double reach = 2.0 * frame.r_max;
    cells_search c = {.q = q,
                      .frame = &frame,
                      .out = out,
                      .whole = q->def->per_cell > 0.0,
                      .l = choose_lattice(q, reach)};
    choose_layers(&c, reach);
    const size_t cells = lattice_cells(&c.l);
    if (!jo_buffer_reserve(&s->spots, n, sizeof(spot)) ||
        !jo_buffer_reserve(&s->next, n, sizeof(uint32_t)) ||
        !jo_buffer_reserve(&s->head, cells, sizeof(uint32_t)))
        return jo_fail_memory(error, n * (sizeof(spot) + 4) + cells * 4, "linked cells");
    c.spots = s->spots.data;
    c.next = s->next.data;
    c.head = s->head.data;
    fill(&c, s->spots.data);
    const double built = jo_seconds();

    if (!search_cells(&c)) return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    stats->cells = cells;
    stats->rebuilds++;
    stats->pairs_tested += c.tested;
    stats->seconds[JO_STAGE_BUILD] += built - start;
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    return JO_OK;
}

static void release(void *state)
{
    cells_state *s = state;
    jo_buffer_free(&s->spots);
    jo_buffer_free(&s->next);
    jo_buffer_free(&s->head);
}

static size_t bytes(const void *state)
{
    const cells_state *s = state;
    return s->spots.size + s->next.size + s->head.size;
}

const method jo_method_cells = {
    .info = {.name = "cells",
             .summary = "linked cells: a header array and a linked list, half the neighbours",
             .source = "paper 1 (Leszczynski and Ciesielski), section 2.1; cell size: paper 2, Mio "
                       "et al. (2005)",
             .cost = "time O(N) for near-equal sizes, towards O(N^2) for wide ranges; memory 36 "
                     "bytes per body and 4 per cell",
             .when = "near-equal sizes; not when few large bodies stand among many small ones",
             .options = "cell per_cell"},
    .state_size = sizeof(cells_state),
    .find = find,
    .release = release,
    .bytes = bytes,
};
