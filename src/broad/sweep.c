/* sweep.c — sweep and prune: sorted lists of end points on every axis, kept from step to step.
 *
 * Method (papers 2 and 3; Baraff 1993; Cohen et al. 1995): a body's bounding box is an interval on
 * each axis. All interval ends of an axis stand in one sorted list. When bodies have moved a little
 * the lists are almost sorted, and insertion sort repairs them by exchanging neighbours. Exactly
 * those exchanges tell what changed:
 *
 *     ] [   to   [ ]     two intervals begin to overlap on this axis: the pair enters the table if
 * its boxes overlap on the other axes, too [ ]   to   ] [     they cease to: the pair leaves the
 * table [ [  or  ] ]       nothing changes
 *
 * After all axes are sorted the table holds exactly the pairs whose boxes overlap, and those that
 * touch() are the contacts. All tests use the new boxes, which makes the order of axes irrelevant:
 * insertion sort exchanges a lower and an upper end at most once, and only if their order differs
 * between the old and the new state, so a pair that overlaps before and after is left alone; one
 * that newly overlaps does so by an exchange on some axis, when all its new boxes already overlap;
 * one that no longer does has such an exchange, too, on the axis that parted it.
 *
 * Closed intervals: ends are 64-bit keys that order as their values, with the lowest bit 0 for a
 * lower and 1 for an upper end. So at equal values the lower end comes first and the two overlap;
 * the bit lost is far below the slack by which boxes are widened (spot.h).
 *
 * find() is static: one axis, that of the largest variance, is sorted from scratch and swept.
 * update() needs the lists; the first one after a find builds them, and so does one in which the
 * exchanges cost more than that: bodies that jump make insertion sort O(n^2) (paper 3's footnote),
 * and here the work of a step never exceeds about twice that of building anew.
 *
 * Periodic axes: an interval is an arc of a circle, kept as its two ends, both wrapped into the
 * box. It is plain (lower < upper), wrapping (upper < lower: it runs over the face), or full (as
 * long as the period). Whether two arcs overlap depends on these kinds and on the order of lower
 * against upper ends alone: plain, plain      lower_i < upper_j and lower_j < upper_i wrapping,
 * plain   lower_j < upper_i or  lower_i < upper_j wrapping, wrapping, or one full: always So while
 * kinds stay, only exchanges of a lower with an upper end can change the answer; on a periodic axis
 * each such exchange looks up the answer and sets the table accordingly. A body whose kind changed
 * is compared with all others once. That happens to the few bodies that come to touch or leave a
 * face.
 *
 * Cost: update O(n + exchanges); in a dense 3D system the exchanges grow as n^(5/3) for steps of a
 * fixed part of a diameter, because each list is a projection of everything. find as the static
 * sweep: O(n) to sort, O(n^(5/3)) to sweep. Memory 64 bytes per body and 32 dim in the lists, about
 * 32 per overlapping pair in the table. */
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/timer.h"
#include "broad/columns.h"
#include "broad/pairtable.h"
#include "broad/spot.h"
#include "scene/touch.h"

enum { PLAIN = 0, WRAPPING = 1, FULL = 2 };

/* A body's box as keys, and its kind on each axis. */
typedef struct interval_box {
    _Alignas(64) uint64_t lower[3]; /* one cache line: boxes are looked up in random order */
    uint64_t upper[3];
    uint8_t kind[3];
    bool changed; /* its kind on some axis is not that of the last step */
} interval_box;

typedef struct sweep_state {
    buffer boxes, changed, list[3], scratch;
    columns sorted; /* of the static sweep */
    pairtable table;
    bool ready;      /* lists and table belong to the boxes */
    uint64_t budget; /* exchanges after which building anew is cheaper */
} sweep_state;

typedef struct sweep_search {
    const query *q;
    spot_frame frame;
    sweep_state *s;
    interval_box *boxes;
    int dim;
    pairlist *out; /* static sweep to contacts; NULL: to the table */
    uint64_t tested, swaps;
} sweep_search;

/* ---- boxes ---- */

/* The interval of body i on axis a, widened; unwrapped. */
static void widened_interval(const spot_frame *f, size_t i, int a, double *lower, double *upper)
{
    body_interval(f->bodies, i, a, lower, upper);
    const double r = f->boxes ? 0.0 : body_radius(f->bodies, i);
    const double slack = body_slack(fmax(fmax(fabs(*lower), fabs(*upper)), f->ground) + r);
    *lower -= slack;
    *upper += slack;
}

static interval_box box_of(const spot_frame *f, size_t i, int dim)
{
    interval_box b = {.changed = false};
    for (int a = 0; a < dim; a++) {
        double lower, upper;
        widened_interval(f, i, a, &lower, &upper);
        if (f->period[a] < (double)INFINITY) {
            const double rounding = 4.0 * body_slack(fmax(fabs(lower), fabs(upper)) + f->ground);
            if (upper - lower + rounding >= f->period[a]) b.kind[a] = FULL;
            lower = spot_wrap(f, a, lower);
            upper = spot_wrap(f, a, upper);
        }
        b.lower[a] = key_of_double(lower) & ~UINT64_C(1);
        b.upper[a] = key_of_double(upper) | 1;
        if (b.kind[a] == PLAIN && b.upper[a] < b.lower[a]) b.kind[a] = WRAPPING;
    }
    return b;
}

/* Whether two boxes overlap on an axis, by the table at the head of this file. */
static inline bool overlap_on(const interval_box *p, const interval_box *q, int a)
{
    const bool p_before = p->lower[a] < q->upper[a], q_before = q->lower[a] < p->upper[a];
    const int kinds = p->kind[a] + q->kind[a];
    if (kinds == PLAIN) return p_before && q_before;
    return kinds >= 2 || p_before || q_before;
}

static inline bool overlap(const interval_box *p, const interval_box *q, int dim)
{
    return overlap_on(p, q, 0) && overlap_on(p, q, 1) && (dim == 2 || overlap_on(p, q, 2));
}

/* ---- the static sweep over one axis ---- */

static int axis_of_largest_variance(const sweep_search *c)
{
    const size_t n = c->q->bodies->n;
    double largest = -1.0;
    int best = 0;
    for (int a = 0; a < c->dim; a++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += spot_wrap(&c->frame, a, body_centre(c->q->bodies, i, a));
        const double mean = sum / (double)n;
        for (size_t i = 0; i < n; i++) {
            const double d = spot_wrap(&c->frame, a, body_centre(c->q->bodies, i, a)) - mean;
            squares += d * d;
        }
        if (squares > largest) largest = squares, best = a;
    }
    return best;
}

/* Sorts the bodies by their lower ends on an axis. On a periodic one the upper end is kept beyond
 * the lower, where it may pass the end of the box. */
static bool sort_on_axis(sweep_search *c, int axis)
{
    const size_t n = c->q->bodies->n;
    columns *sorted = &c->s->sorted;
    if (!jo_columns_start(sorted, n)) return false;
    for (size_t i = 0; i < n; i++) {
        const spot s = spot_of(&c->frame, i);
        double lower, upper;
        widened_interval(&c->frame, i, axis, &lower, &upper);
        column_entry e = {.x = {s.x[0], s.x[1], s.x[2]}, .id = (uint32_t)i};
        /* Spheres are tested as such when contacts are wanted; a box is held by the sphere over the
         * cube of its longest edge, widened enough to hold all that the keys of boxes may round to.
         */
        e.r = c->out != NULL && !c->frame.boxes
                  ? s.r
                  : 1.7321 * s.r + 4.0 * body_slack(fabs(lower) + fabs(upper) + c->frame.ground);
        e.begin = spot_wrap(&c->frame, axis, lower);
        e.end = e.begin + (upper - lower) + body_slack(fabs(lower) + fabs(upper) + c->frame.ground);
        if (!jo_columns_add(sorted, &e)) return false;
    }
    return jo_columns_sort(sorted);
}

/* Two bodies near each other. Contacts are wanted, or all pairs of boxes that overlap. */
static bool meet(sweep_search *c, uint32_t i, uint32_t j)
{
    if (c->out != NULL)
        return !touch(c->q->bodies, c->q->domain, i, j) || pairlist_push(c->out, i, j);
    return !overlap(&c->boxes[i], &c->boxes[j], c->dim) || jo_pairtable_insert(&c->s->table, i, j);
}

/* Compares entry p with entries from `from` to `stop`; `over_face`: those it has not met otherwise.
 */
static inline bool meet_range(sweep_search *c, size_t p, size_t from, size_t stop,
                              const double *period, bool over_face)
{
    const columns *e = &c->s->sorted;
    for (size_t q = from; q < stop; q += COLUMN_BLOCK) {
        double depth[COLUMN_BLOCK];
        if (!columns_near(e, p, q, period, depth)) continue;
        for (size_t k = q; k < q + COLUMN_BLOCK && k < stop; k++) {
            if (!(depth[k - q] >= 0.0) || (over_face && e->begin[p] <= e->end[k])) continue;
            if (!meet(c, e->id[p], e->id[k])) return false;
        }
    }
    c->tested += stop - from;
    return true;
}

/* Compares each body with those that begin before it ends, and on a periodic axis over the face
 * with those at the beginning. */
static bool sweep_axis(sweep_search *c, int axis)
{
    const columns *e = &c->s->sorted;
    const double period = c->frame.period[axis];
    bool open = true;
    for (int a = 0; a < c->dim; a++)
        open &= c->frame.period[a] == (double)INFINITY;
    for (size_t p = 0; p < e->count; p++) {
        const size_t stop = jo_columns_stop(e, p + 1, e->end[p]);
        if (!(open ? meet_range(c, p, p + 1, stop, NULL, false)
                   : meet_range(c, p, p + 1, stop, c->frame.period, false)))
            return false;
        if (period == (double)INFINITY || e->begin[0] + period > e->end[p]) continue;
        size_t over = 0;
        while (over < p && e->begin[over] + period <= e->end[p])
            over++;
        if (!meet_range(c, p, 0, over, c->frame.period, true)) return false;
    }
    return true;
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    sweep_state *s = state;
    const size_t n = q->bodies->n;
    s->ready = false;
    if (n == 0) return JO_OK;
    const double start = jo_seconds();
    sweep_search c = {.q = q, .frame = spot_frame_of(q), .s = s, .dim = q->bodies->dim, .out = out};
    const int axis = axis_of_largest_variance(&c);
    if (!sort_on_axis(&c, axis)) return jo_fail_memory(error, n * 144, "sorted bodies");
    const double built = jo_seconds();
    if (!sweep_axis(&c, axis))
        return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    stats->pairs_tested += c.tested;
    stats->rebuilds++;
    stats->seconds[JO_STAGE_BUILD] += built - start;
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    return JO_OK;
}

/* ---- the persistent lists ---- */

static uint64_t end_key(const interval_box *boxes, const keyed *end, int a)
{
    const interval_box *b = &boxes[end->id];
    return end->key & 1 ? b->upper[a] : b->lower[a];
}

/* Sorts all lists and fills the table from scratch. */
static bool rebuild(sweep_search *c)
{
    sweep_state *s = c->s;
    const size_t n = c->q->bodies->n;
    if (!jo_buffer_reserve(&s->scratch, 2 * n, sizeof(keyed)) ||
        !jo_pairtable_clear(&s->table, s->table.count > n ? s->table.count : n))
        return false;
    for (int a = 0; a < c->dim; a++) {
        if (!jo_buffer_reserve(&s->list[a], 2 * n, sizeof(keyed))) return false;
        keyed *list = s->list[a].data;
        for (size_t i = 0; i < n; i++) {
            list[2 * i] = (keyed){.key = c->boxes[i].lower[a], .id = (uint32_t)i};
            list[2 * i + 1] = (keyed){.key = c->boxes[i].upper[a], .id = (uint32_t)i};
        }
        jo_keysort(list, s->scratch.data, 2 * n);
    }
    const uint64_t before = c->tested;
    const int axis = axis_of_largest_variance(c);
    if (!sort_on_axis(c, axis) || !sweep_axis(c, axis)) return false;
    s->budget = c->tested - before + 64 * n + 1000;
    return true;
}

/* A lower end and an upper end have changed places on axis a; `begins`: ][ became []. */
static inline bool exchange(sweep_search *c, int a, uint32_t i, uint32_t j, bool begins)
{
    if (i == j) return true; /* the two ends of a body that came over a face */
    const interval_box *p = &c->boxes[i], *q = &c->boxes[j];
    const bool plain = p->kind[a] + q->kind[a] == PLAIN;
    if (begins || !plain) {
        c->tested++;
        if (overlap(p, q, c->dim)) return jo_pairtable_insert(&c->s->table, i, j);
        if (plain) return true; /* it was not in the table */
    }
    jo_pairtable_erase(&c->s->table, i, j);
    return true;
}

typedef enum outcome { DONE, TOO_MUCH, NO_MEMORY } outcome;

/* Sorts one list by insertion, telling the table of every exchange. */
static outcome sort_list(sweep_search *c, int a)
{
    keyed *list = c->s->list[a].data;
    const size_t ends = 2 * c->q->bodies->n;
    for (size_t k = 0; k < ends; k++)
        list[k].key = end_key(c->boxes, &list[k], a);
    for (size_t k = 1; k < ends; k++) {
        const keyed moving = list[k];
        if (list[k - 1].key <= moving.key) continue;
        const bool silent = c->boxes[moving.id].changed; /* compared with all, later */
        size_t m = k;
        for (; m > 0 && list[m - 1].key > moving.key; m--) {
            const keyed passed = list[m - 1];
            list[m] = passed;
            if (((passed.key ^ moving.key) & 1) == 0 || silent) continue;
            if (!exchange(c, a, moving.id, passed.id, passed.key & 1)) return NO_MEMORY;
        }
        list[m] = moving;
        c->swaps += k - m;
        if (c->swaps > c->s->budget) return TOO_MUCH;
    }
    return DONE;
}

/* Drops the pairs of bodies whose kind changed and whose boxes no longer overlap. */
static void drop_changed(sweep_search *c)
{
    pairtable *t = &c->s->table;
    for (size_t k = 0; k < t->capacity;) {
        const uint64_t pair = pairtable_slots(t)[k];
        const uint32_t i = (uint32_t)(pair >> 32), j = (uint32_t)pair;
        const interval_box *p = &c->boxes[i], *q = &c->boxes[j];
        if (pair != 0 && (p->changed || q->changed) && !overlap(p, q, c->dim))
            jo_pairtable_erase(t, i, j); /* which may bring another pair to this slot */
        else
            k++;
    }
}

/* Compares the bodies whose kind changed, `ids`, with all others: in one pass over all, because the
 * changed ones are few and stay in the cache. */
static bool compare_changed(sweep_search *c, const uint32_t *ids, size_t changed)
{
    drop_changed(c);
    const size_t n = c->q->bodies->n;
    for (uint32_t j = 0; j < n; j++)
        for (size_t k = 0; k < changed; k++)
            if (ids[k] != j && overlap(&c->boxes[ids[k]], &c->boxes[j], c->dim) &&
                !jo_pairtable_insert(&c->s->table, ids[k], j))
                return false;
    c->tested += changed * (n - 1);
    return true;
}

/* Brings the boxes up to date and lists the bodies that changed kind. */
static size_t refresh_boxes(sweep_search *c, uint32_t *ids)
{
    size_t changed = 0;
    for (size_t i = 0; i < c->q->bodies->n; i++) {
        interval_box fresh = box_of(&c->frame, i, c->dim);
        if (c->s->ready)
            fresh.changed = memcmp(fresh.kind, c->boxes[i].kind, sizeof fresh.kind) != 0;
        if (fresh.changed) ids[changed++] = (uint32_t)i;
        c->boxes[i] = fresh;
    }
    return changed;
}

static outcome repair(sweep_search *c, const uint32_t *ids, size_t changed)
{
    if ((double)changed * (double)c->q->bodies->n > (double)c->s->budget) return TOO_MUCH;
    for (int a = 0; a < c->dim; a++) {
        const outcome o = sort_list(c, a);
        if (o != DONE) return o;
    }
    return changed == 0 || compare_changed(c, ids, changed) ? DONE : NO_MEMORY;
}

/* The pairs of the table that touch. */
static bool list_contacts(sweep_search *c, pairlist *out)
{
    const pairtable *t = &c->s->table;
    const uint64_t *slots = pairtable_slots(t);
    for (size_t k = 0; k < t->capacity; k++) {
        if (slots[k] == 0) continue;
        const uint32_t i = (uint32_t)(slots[k] >> 32), j = (uint32_t)slots[k];
        if (touch(c->q->bodies, c->q->domain, i, j) && !pairlist_push(out, i, j)) return false;
    }
    c->tested += t->count;
    return true;
}

static jo_status update(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                        jo_error *error)
{
    sweep_state *s = state;
    const size_t n = q->bodies->n;
    if (n == 0) return JO_OK;
    const double start = jo_seconds();
    if (!jo_buffer_reserve(&s->boxes, n, sizeof(interval_box)) ||
        !jo_buffer_reserve(&s->changed, n, sizeof(uint32_t)))
        return jo_fail_memory(error, n * (sizeof(interval_box) + 4), "boxes");
    sweep_search c = {
        .q = q, .frame = spot_frame_of(q), .s = s, .boxes = s->boxes.data, .dim = q->bodies->dim};
    const size_t changed = refresh_boxes(&c, s->changed.data);
    outcome o = s->ready ? repair(&c, s->changed.data, changed) : TOO_MUCH;
    s->ready = false; /* until all has gone well */
    if (o == TOO_MUCH) {
        o = rebuild(&c) ? DONE : NO_MEMORY;
        stats->rebuilds++;
    }
    if (o == NO_MEMORY)
        return jo_fail_memory(error, n * 6 * sizeof(keyed) + s->table.slots.size, "sorted lists");
    s->ready = true;
    const double built = jo_seconds();
    if (!list_contacts(&c, out))
        return jo_fail_memory(error, out->count * sizeof(jo_pair), "contacts");
    stats->swaps += c.swaps;
    stats->pairs_tested += c.tested;
    stats->seconds[JO_STAGE_BUILD] += built - start;
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    return JO_OK;
}

static void release(void *state)
{
    sweep_state *s = state;
    jo_buffer_free(&s->boxes);
    jo_buffer_free(&s->changed);
    for (int a = 0; a < 3; a++)
        jo_buffer_free(&s->list[a]);
    jo_buffer_free(&s->scratch);
    jo_columns_free(&s->sorted);
    jo_pairtable_free(&s->table);
}

static size_t bytes(const void *state)
{
    const sweep_state *s = state;
    return s->boxes.size + s->changed.size + s->list[0].size + s->list[1].size + s->list[2].size +
           s->scratch.size + jo_columns_bytes(&s->sorted) + s->table.slots.size;
}

const method jo_method_sweep = {
    .info = {.name = "sweep",
             .summary = "sweep and prune: sorted end points on all axes, kept from step to step",
             .source = "papers 2 and 3; Baraff (1993); Cohen, Lin, Manocha, Ponamgi (1995)",
             .cost =
                 "update O(N + exchanges), find O(N^(5/3)) in 3D; memory some 400 bytes per body",
             .when = "few thousand bodies of any sizes that move little per step",
             .options = "",
             .coherent = true},
    .state_size = sizeof(sweep_state),
    .find = find,
    .update = update,
    .release = release,
    .bytes = bytes,
};
