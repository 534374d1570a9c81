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
#include "base/timer.h"
#include "broad/columns.h"
#include "broad/spot.h"
#include "scene/touch.h"

/* Shifts are coded as base-3 numbers in an entry's tag, 13 for none. */
enum { UNSHIFTED = 13 };

typedef struct radial_state {
    columns sorted;
} radial_state;

typedef struct radial_search {
    const query *q;
    spot_frame frame;
    double x0[3];
    columns *sorted;
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

static bool add_entry(radial_search *c, column_entry e, double radius)
{
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
    return jo_columns_add(c->sorted, &e);
}

static bool add_body(radial_search *c, size_t i, bool periodic)
{
    const spot s = spot_of(&c->frame, i);
    const double radius = circumradius(c->q->bodies, i);
    const column_entry real = {.x = {s.x[0], s.x[1], s.x[2]}, .id = (uint32_t)i, .tag = UNSHIFTED};
    if (!add_entry(c, real, radius)) return false;
    for (uint32_t code = UNSHIFTED + 1; periodic && code < 27; code++) {
        int shift[3];
        shift_of(code, shift);
        if (!needs_ghost(c, &s, shift)) continue;
        column_entry ghost = real;
        ghost.tag = code;
        for (int a = 0; a < 3; a++)
            if (shift[a] != 0) ghost.x[a] += shift[a] * c->frame.period[a];
        if (!add_entry(c, ghost, radius)) return false;
    }
    return true;
}

static bool build(radial_search *c)
{
    const jo_bodies *b = c->q->bodies;
    bool periodic = false;
    for (int a = 0; a < b->dim; a++)
        periodic |= c->q->domain->periodic[a];
    if (!jo_columns_start(c->sorted, b->n)) return false;
    for (size_t i = 0; i < b->n; i++)
        if (!add_body(c, i, periodic)) return false;
    return jo_columns_sort(c->sorted);
}

/* Is this the one pair of entries to list two touching bodies from? */
static bool is_nearest_image(const radial_search *c, size_t i, size_t j)
{
    const columns *e = c->sorted;
    if (e->tag[i] != UNSHIFTED && e->tag[j] != UNSHIFTED) return false;
    const size_t real = e->tag[i] == UNSHIFTED ? i : j, other = real == i ? j : i;
    int shift[3];
    shift_of(e->tag[other], shift);
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

/* Compares entry i with those that begin before it ends. Ghosts stand for the way round. */
static bool scan(radial_search *c, size_t i)
{
    const columns *e = c->sorted;
    const size_t stop = jo_columns_stop(e, i + 1, e->end[i]);
    c->tested += stop - i - 1;
    for (size_t j = i + 1; j < stop; j += COLUMN_BLOCK) {
        double depth[COLUMN_BLOCK];
        if (!columns_near(e, i, j, NULL, depth)) continue;
        for (size_t k = 0; k < COLUMN_BLOCK && j + k < stop; k++) {
            if (!(depth[k] >= 0.0)) continue;
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
    radial_search c = {.q = q, .frame = spot_frame_of(q), .sorted = &t->sorted, .out = out};
    for (int a = 0; a < q->bodies->dim; a++)
        c.x0[a] = q->def->origin_set       ? q->def->origin[a]
                  : q->domain->periodic[a] ? q->domain->lo[a]
                                           : q->survey->lo[a];
    if (!build(&c)) return jo_fail_memory(error, q->bodies->n * 144, "bodies sorted by distance");
    const double built = jo_seconds();
    for (size_t i = 0; i < c.sorted->count; i++)
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
    jo_columns_free(&t->sorted);
}

static size_t bytes(const void *state)
{
    const radial_state *t = state;
    return jo_columns_bytes(&t->sorted);
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
