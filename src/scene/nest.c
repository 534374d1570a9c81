/* nest.c — spheres placed one by one: does a new one overlap any that is there?
 *
 * Bodies are kept in one grid for each factor of two in radius (as in hierarchical grids), each a
 * hash table of cells as wide as the largest diameter of its level, so a test looks at a few cells
 * of each level whatever the mix of sizes. Cells next to each other along x are next to each other
 * in the table. On periodic axes the number of cells is whole and indices wrap.
 *
 * Two spheres count as touching by the definition in touch.h. Bodies in the same slot of different
 * cells are told apart by their coordinates, so the hash decides about speed alone.
 * Cost: O(1) per test for levels at least as large as the new body; for smaller ones, the number of
 * cells it covers or the number of bodies there, whichever is less. */
#include "scene/nest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/touch.h"

void jo_nest_start(nest *t, int dim, const jo_domain *domain, double largest)
{
    *t = (nest){.dim = dim, .domain = *domain, .unit = largest};
    for (int a = 0; a < 3; a++) {
        if (a >= dim) t->domain.periodic[a] = false;
        t->near[a] =
            t->domain.periodic[a] ? 0.49 * (domain->hi[a] - domain->lo[a]) : (double)INFINITY;
    }
}

void jo_nest_free(nest *t)
{
    for (int k = 0; k < NEST_LEVELS; k++)
        free(t->levels[k].heads);
    free(t->bodies);
    free(t->next);
    free(t->peer);
    *t = (nest){0};
}

static int level_of(const nest *t, double r)
{
    int k;
    if (r >= t->unit) return 0;
    frexp(t->unit / r, &k); /* unit / r in [2^(k-1), 2^k) */
    return k - 1 < NEST_LEVELS ? k - 1 : NEST_LEVELS - 1;
}

static const uint64_t factors[3] = {1, 0x9E3779B1u, 0x85EBCA77C2B2u};

static size_t slot_of(const nest_level *l, const int64_t c[3])
{
    uint64_t h = 0;
    for (int a = 0; a < 3; a++)
        h += (uint64_t)c[a] * factors[a];
    return (size_t)h & (l->slots - 1);
}

static int64_t cell_of(const nest *t, const nest_level *l, int a, double x)
{
    double c = floor((x - t->domain.lo[a]) / l->edge[a]);
    if (l->cells[a] > 0) {
        c -= (double)l->cells[a] * floor(c / (double)l->cells[a]);
        return c >= (double)l->cells[a] ? 0 : (int64_t)c;
    }
    return c > 9e15 ? (int64_t)9e15 : c < -9e15 ? (int64_t)-9e15 : (int64_t)c;
}

static void link_body(nest *t, nest_level *l, uint32_t i)
{
    int64_t c[3] = {0, 0, 0};
    for (int a = 0; a < t->dim; a++)
        c[a] = cell_of(t, l, a, t->bodies[i].x[a]);
    const size_t slot = slot_of(l, c);
    t->next[i] = l->heads[slot];
    l->heads[slot] = i;
}

/* Makes the table anew with more slots, and all bodies of the level in it. */
static bool rebuild(nest *t, nest_level *l, size_t slots)
{
    uint32_t *heads = malloc(slots * sizeof *heads);
    if (heads == NULL) return false;
    free(l->heads);
    l->heads = heads;
    l->slots = slots;
    memset(heads, 0xFF, slots * sizeof *heads);
    for (uint32_t i = l->first; i != NEST_NONE; i = t->peer[i])
        link_body(t, l, i);
    return true;
}

static bool open_level(nest *t, nest_level *l, int k)
{
    const double width = 2.0 * t->unit * ldexp(1.0, -k);
    l->first = NEST_NONE;
    for (int a = 0; a < 3; a++) {
        l->edge[a] = width;
        l->cells[a] = 0;
        if (!t->domain.periodic[a]) continue;
        const double period = t->domain.hi[a] - t->domain.lo[a];
        const double cells = floor(period / width);
        l->cells[a] = cells < 1.0 ? 1 : cells > 1e9 ? 1000000000 : (int64_t)cells;
        l->edge[a] = period / (double)l->cells[a];
    }
    return rebuild(t, l, 1024);
}

static bool make_room(nest *t)
{
    if (t->n < t->capacity) return true;
    const size_t more = t->capacity < 512 ? 1024 : 2 * t->capacity;
    nest_body *bodies = realloc(t->bodies, more * sizeof *bodies);
    if (bodies != NULL) t->bodies = bodies;
    uint32_t *next = realloc(t->next, more * sizeof *next);
    if (next != NULL) t->next = next;
    uint32_t *peer = realloc(t->peer, more * sizeof *peer);
    if (peer != NULL) t->peer = peer;
    if (bodies == NULL || next == NULL || peer == NULL) return false;
    t->capacity = more;
    return true;
}

bool jo_nest_add(nest *t, const double x[3], double r)
{
    const int k = level_of(t, r);
    nest_level *l = &t->levels[k];
    if (!make_room(t)) return false;
    if (l->slots == 0 && !open_level(t, l, k)) return false;
    if (k >= t->used) t->used = k + 1;
    if (l->count >= l->slots && !rebuild(t, l, 2 * l->slots)) return false;
    const uint32_t i = (uint32_t)t->n++;
    t->bodies[i] = (nest_body){{x[0], x[1], x[2]}, r};
    t->peer[i] = l->first;
    l->first = i;
    l->count++;
    if (r > l->largest) l->largest = r;
    link_body(t, l, i);
    return true;
}

static inline bool touches_body(const nest *t, uint32_t i, const double x[3], double r)
{
    const nest_body *b = &t->bodies[i];
    double square = 0.0;
    for (int a = 0; a < 3; a++) { /* in 2D the third is 0 - 0 */
        double d = x[a] - b->x[a];
        if (fabs(d) >= t->near[a]) d = touch_separation(&t->domain, a, x[a], b->x[a]);
        square += d * d;
    }
    const double reach = r + b->r;
    return reach * reach - square >= 0.0;
}

/* The cells along an axis that may hold bodies closer than reach: first and how many. */
static double cell_range(const nest *t, const nest_level *l, int a, double x, double reach,
                         int64_t *first)
{
    if (a >= t->dim) {
        *first = 0;
        return 1.0;
    }
    const double lo = floor((x - reach - t->domain.lo[a]) / l->edge[a]);
    const double hi = floor((x + reach - t->domain.lo[a]) / l->edge[a]);
    const double span = hi - lo + 1.0;
    if (l->cells[a] > 0 && span >= (double)l->cells[a]) {
        *first = 0;
        return (double)l->cells[a];
    }
    *first = lo > 9e15 ? (int64_t)9e15 : lo < -9e15 ? (int64_t)-9e15 : (int64_t)lo;
    return span;
}

static int64_t wrapped(int64_t c, int64_t cells)
{
    if (cells == 0) return c;
    if (c < 0) return c + cells >= 0 ? c + cells : (c % cells + cells) % cells;
    return c < cells ? c : c % cells;
}

enum { SPAN_SMALL = 8 };

/* The usual case, a few cells along each axis: their share of the slot's number is made once. */
static bool touches_near(const nest *t, const nest_level *l, const double x[3], double r,
                         const int64_t first[3], const int64_t count[3])
{
    uint64_t part[3][SPAN_SMALL];
    for (int a = 0; a < 3; a++)
        for (int64_t k = 0; k < count[a]; k++)
            part[a][k] = (uint64_t)wrapped(first[a] + k, l->cells[a]) * factors[a];
    const uint64_t mask = l->slots - 1;
    for (int64_t k = 0; k < count[2]; k++)
        for (int64_t j = 0; j < count[1]; j++) {
            const uint64_t row = part[1][j] + part[2][k];
            for (int64_t i = 0; i < count[0]; i++)
                for (uint32_t b = l->heads[(part[0][i] + row) & mask]; b != NEST_NONE;
                     b = t->next[b])
                    if (touches_body(t, b, x, r)) return true;
        }
    return false;
}

static bool touches_far(const nest *t, const nest_level *l, const double x[3], double r,
                        const int64_t first[3], const int64_t count[3])
{
    int64_t c[3];
    for (int64_t k = 0; k < count[2]; k++)
        for (int64_t j = 0; j < count[1]; j++)
            for (int64_t i = 0; i < count[0]; i++) {
                c[0] = wrapped(first[0] + i, l->cells[0]);
                c[1] = wrapped(first[1] + j, l->cells[1]);
                c[2] = wrapped(first[2] + k, l->cells[2]);
                for (uint32_t b = l->heads[slot_of(l, c)]; b != NEST_NONE; b = t->next[b])
                    if (touches_body(t, b, x, r)) return true;
            }
    return false;
}

static bool touches_level(const nest *t, const nest_level *l, const double x[3], double r)
{
    int64_t first[3], count[3];
    double total = 1.0, spans[3], longest = 0.0;
    const double reach = (r + l->largest) * (1.0 + 1e-12);
    for (int a = 0; a < 3; a++) {
        spans[a] = cell_range(t, l, a, x[a], reach, &first[a]);
        total *= spans[a];
        longest = fmax(longest, spans[a]);
    }
    if (total >= (double)l->count) {
        for (uint32_t i = l->first; i != NEST_NONE; i = t->peer[i])
            if (touches_body(t, i, x, r)) return true;
        return false;
    }
    for (int a = 0; a < 3; a++)
        count[a] = (int64_t)spans[a];
    return longest <= SPAN_SMALL ? touches_near(t, l, x, r, first, count)
                                 : touches_far(t, l, x, r, first, count);
}

bool jo_nest_touches(const nest *t, const double x[3], double r)
{
    for (int k = 0; k < t->used; k++)
        if (t->levels[k].count > 0 && touches_level(t, &t->levels[k], x, r)) return true;
    return false;
}
