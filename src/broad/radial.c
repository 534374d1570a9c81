/* radial.c — paper 1's own algorithm: bodies sorted by their distance from a point.
 *
 * Method (Leszczynski and Ciesielski, algorithm 1): for a point x0, l_i = |x_i − x0| − r_i is where
 * sphere i begins as seen from x0, and l_i + 2 r_i is where it ends. Two spheres that touch overlap
 * in this one coordinate, by the triangle inequality. So sort by l and compare each body with those
 * that follow it for as long as l_j − l_i <= 2 r_i.
 *
 *     x0 ──────[ i ]──────────────▶ distance
 *     x0 ────────[  j  ]──────────▶       compared with i
 *     x0 ────────────[ k ]────────▶       begins where i has ended: i's scan stops here
 *
 * x0 is the lower corner of the centres' extents, from which all coordinates are positive, as the
 * paper asks, or the caller's `origin`. Boxes take part by their circumscribed spheres.
 *
 * Periodic axes: distances from a point know nothing of images. Bodies are wrapped into the box,
 * and one whose reach crosses a face gets ghosts, copies moved by a period. Only real bodies are
 * compared with ghosts, and only ghosts whose shift (sx, sy, sz) is lexicographically positive are
 * made: the pair that shift s would give is also given by shift −s with the roles exchanged. A body
 * larger than half the period can meet several images of the same partner; the pair is listed from
 * the shift that brings the two centres nearest, and from no other.
 *
 * Invariants: the order is by l, widened by the rounding errors of l (see spot.h), so no contact is
 * cut off; a pair is listed from exactly one pair of entries.
 *
 * Cost: the sort is O(n); the scan compares each body with all in a shell one diameter thick:
 * O(n^(1 + (dim − 1) / dim)) at constant density. Memory 144 bytes per body and ghost. */
#include "base/error.h"
#include "base/keysort.h"
#include "base/timer.h"
#include "broad/spot.h"
#include "scene/touch.h"

/* A body or a ghost. Shifts are coded as base-3 numbers, 13 for none. */
typedef struct entry {
    double x[3];
    double begin, end; /* as seen from x0 */
    double r;          /* of the circumscribed sphere, widened */
    uint32_t id;
    uint32_t shift;
} entry;

enum { UNSHIFTED = 13, BLOCK = 8 };

/* The entries in order, one array per value, so that a scan is a run through memory. Behind the
 * last one stand BLOCK entries at infinity, which nothing touches. */
typedef struct sorted {
    double *begin, *x[3], *r, *end;
    uint32_t *id, *shift;
} sorted;

typedef struct radial_state {
    buffer found, keys, scratch, columns;
} radial_state;

typedef struct radial_search {
    const query *q;
    spot_frame frame;
    double x0[3];
    sorted e;
    size_t count;
    pairlist *out;
    uint64_t tested;
} radial_search;

static void shift_of(uint32_t code, int shift[3])
{
    shift[0] = (int)(code / 9) - 1;
    shift[1] = (int)(code / 3 % 3) - 1;
    shift[2] = (int)(code % 3) - 1;
}

/* Half the diagonal of a box; the radius of a sphere. */
static double circumradius(const jo_bodies *b, size_t i)
{
    if (b->shape == JO_SPHERES) return body_radius(b, i);
    double square = 0.0;
    for (int a = 0; a < b->dim; a++) {
        const double half = 0.5 * b->upper[a][i * b->x_stride] - 0.5 * b->x[a][i * b->x_stride];
        square += half * half;
    }
    return sqrt(square);
}

/* Whether body i, wrapped to s, needs a ghost at this shift. */
static bool needs_ghost(const radial_search *c, const spot *s, const int shift[3])
{
    const double reach = s->r + c->frame.r_max;
    for (int a = 0; a < 3; a++) {
        if (shift[a] == 0) continue;
        const double period = c->frame.period[a];
        if (period == (double)INFINITY) return false;
        const double from_lo = s->x[a] - c->frame.lo[a];
        if ((shift[a] > 0 ? from_lo : period - from_lo) > reach) return false;
    }
    return true;
}

static bool add_entry(radial_state *t, radial_search *c, entry e, double radius)
{
    if (!jo_buffer_grow(&t->found, c->count * sizeof(entry), c->count + 1, sizeof(entry)))
        return false;
    double square = 0.0, largest = c->frame.ground;
    for (int a = 0; a < c->q->bodies->dim; a++) {
        const double d = e.x[a] - c->x0[a];
        square += d * d;
        /* A wrapped coordinate is as inexact as the caller's coordinate was large. */
        largest = fmax(largest, fabs(body_centre(c->q->bodies, e.id, a)));
    }
    const double distance = sqrt(square);
    e.r = radius + body_slack(distance + radius + largest);
    e.begin = distance - e.r;
    e.end = distance + e.r;
    ((entry *)t->found.data)[c->count++] = e;
    return true;
}

static bool add_body(radial_state *t, radial_search *c, size_t i, bool periodic)
{
    const spot s = spot_of(&c->frame, i);
    const double radius = circumradius(c->q->bodies, i);
    const entry real = {.x = {s.x[0], s.x[1], s.x[2]}, .id = (uint32_t)i, .shift = UNSHIFTED};
    if (!add_entry(t, c, real, radius)) return false;
    for (uint32_t code = UNSHIFTED + 1; periodic && code < 27; code++) {
        int shift[3];
        shift_of(code, shift);
        if (!needs_ghost(c, &s, shift)) continue;
        entry ghost = real;
        ghost.shift = code;
        for (int a = 0; a < 3; a++)
            if (shift[a] != 0) ghost.x[a] += shift[a] * c->frame.period[a];
        if (!add_entry(t, c, ghost, radius)) return false;
    }
    return true;
}

static void write_column(sorted *e, size_t k, const entry *from)
{
    e->begin[k] = from->begin;
    for (int a = 0; a < 3; a++)
        e->x[a][k] = from->x[a];
    e->r[k] = from->r;
    e->end[k] = from->end;
    e->id[k] = from->id;
    e->shift[k] = from->shift;
}

/* Sorts the entries by where they begin. */
static bool sort_entries(radial_state *t, radial_search *c)
{
    const size_t count = c->count, padded = count + BLOCK;
    if (!jo_buffer_reserve(&t->keys, count, sizeof(keyed)) ||
        !jo_buffer_reserve(&t->scratch, count, sizeof(keyed)) ||
        !jo_buffer_reserve(&t->columns, padded, 7 * sizeof(double)))
        return false;
    keyed *keys = t->keys.data;
    const entry *found = t->found.data;
    for (size_t k = 0; k < count; k++)
        keys[k] = (keyed){.key = key_of_double(found[k].begin), .id = (uint32_t)k};
    jo_keysort(keys, t->scratch.data, count);

    double *column = t->columns.data;
    sorted *e = &c->e;
    *e = (sorted){.begin = column, .r = column + 4 * padded, .end = column + 5 * padded};
    for (size_t a = 0; a < 3; a++)
        e->x[a] = column + (a + 1) * padded;
    e->id = (uint32_t *)(column + 6 * padded);
    e->shift = e->id + padded;
    for (size_t k = 0; k < count; k++)
        write_column(e, k, &found[keys[k].id]);
    const entry nowhere = {.x = {INFINITY, INFINITY, INFINITY}, .begin = INFINITY};
    for (size_t k = count; k < padded; k++)
        write_column(e, k, &nowhere);
    return true;
}

static bool build(radial_state *t, radial_search *c)
{
    const jo_bodies *b = c->q->bodies;
    bool periodic = false;
    for (int a = 0; a < b->dim; a++)
        periodic |= c->q->domain->periodic[a];
    if (!jo_buffer_reserve(&t->found, b->n, sizeof(entry))) return false;
    for (size_t i = 0; i < b->n; i++)
        if (!add_body(t, c, i, periodic)) return false;
    return sort_entries(t, c);
}

/* Is this the one pair of entries to list two touching bodies from? */
static bool is_nearest_image(const radial_search *c, size_t i, size_t j)
{
    const sorted *e = &c->e;
    if (e->shift[i] != UNSHIFTED && e->shift[j] != UNSHIFTED) return false;
    const size_t real = e->shift[i] == UNSHIFTED ? i : j, other = real == i ? j : i;
    int shift[3];
    shift_of(e->shift[other], shift);
    for (int a = 0; a < c->q->bodies->dim; a++) {
        const double period = c->frame.period[a];
        if (period == (double)INFINITY) continue;
        /* From the unshifted centres: the same from either side but for the sign. */
        const double d = spot_wrap(&c->frame, a, body_centre(c->q->bodies, e->id[other], a)) -
                         spot_wrap(&c->frame, a, body_centre(c->q->bodies, e->id[real], a));
        if (shift[a] != -(int)rint(d / period)) return false;
    }
    return true;
}

/* The first entry after i that begins beyond `end`. */
static size_t scan_end(const radial_search *c, size_t i, double end)
{
    size_t lo = i + 1, hi = c->count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (c->e.begin[middle] <= end)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Compares entry i with those that begin before it ends, BLOCK at a time: the circumscribed spheres
 * are tested without branches, and hardly any block has one that overlaps. */
static bool scan(radial_search *c, size_t i)
{
    const sorted *e = &c->e;
    const double x = e->x[0][i], y = e->x[1][i], z = e->x[2][i], r = e->r[i];
    const size_t end = scan_end(c, i, e->end[i]);
    c->tested += end - i - 1;
    for (size_t j = i + 1; j < end; j += BLOCK) {
        double excess[BLOCK];
        uint64_t bits[BLOCK], all_negative = UINT64_MAX;
        for (size_t k = 0; k < BLOCK; k++) {
            const double dx = e->x[0][j + k] - x, dy = e->x[1][j + k] - y;
            const double dz = e->x[2][j + k] - z, reach = e->r[j + k] + r;
            excess[k] = reach * reach - (dx * dx + dy * dy + dz * dz);
        }
        memcpy(bits, excess, sizeof bits);
        for (size_t k = 0; k < BLOCK; k++)
            all_negative &= bits[k];
        if (all_negative >> 63) continue;
        for (size_t k = 0; k < BLOCK && j + k < end; k++) {
            if (!(excess[k] >= 0.0)) continue;
            const uint32_t a = e->id[i], b = e->id[j + k];
            if (a == b) continue; /* a body and its own ghost */
            if (!touch(c->q->bodies, c->q->domain, a, b) || !is_nearest_image(c, i, j + k))
                continue;
            if (!pairlist_push(c->out, a, b)) return false;
        }
    }
    return true;
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    radial_state *t = state;
    if (q->bodies->n == 0) return JO_OK;
    const double start = jo_seconds();
    radial_search c = {.q = q, .frame = spot_frame_of(q), .out = out};
    for (int a = 0; a < q->bodies->dim; a++)
        c.x0[a] = q->def->origin_set       ? q->def->origin[a]
                  : q->domain->periodic[a] ? q->domain->lo[a]
                                           : q->survey->lo[a];
    if (!build(t, &c))
        return jo_fail_memory(error, c.count * (sizeof(entry) + 2 * sizeof(keyed) + 56),
                              "bodies sorted by distance");
    const double built = jo_seconds();
    for (size_t i = 0; i < c.count; i++)
        if (!scan(&c, i)) return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    stats->rebuilds++;
    stats->pairs_tested += c.tested;
    stats->seconds[JO_STAGE_BUILD] += built - start;
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    return JO_OK;
}

static void release(void *state)
{
    radial_state *t = state;
    jo_buffer_free(&t->found);
    jo_buffer_free(&t->keys);
    jo_buffer_free(&t->scratch);
    jo_buffer_free(&t->columns);
}

static size_t bytes(const void *state)
{
    const radial_state *t = state;
    return t->found.size + t->keys.size + t->scratch.size + t->columns.size;
}

const method jo_method_radial = {
    .info = {.name = "radial",
             .summary = "bodies sorted by distance from a point, scanned while they can overlap",
             .source = "paper 1 (Leszczynski and Ciesielski), algorithm 1",
             .cost =
                 "time O(N^(5/3)) in 3D, O(N^(3/2)) in 2D at constant density; memory 144 bytes "
                 "per body",
             .when = "small or dilute systems of any sizes; it needs no tuning",
             .options = "origin"},
    .state_size = sizeof(radial_state),
    .find = find,
    .release = release,
    .bytes = bytes,
};
