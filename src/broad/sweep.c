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
 * sweep: O(n) to sort, O(n^(5/3)) to sweep. Memory 56 bytes per body and 32 dim in the lists, about
 * 32 per overlapping pair in the table. */
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/timer.h"
#include "broad/pairtable.h"
#include "broad/spot.h"
#include "scene/touch.h"

enum { PLAIN = 0, WRAPPING = 1, FULL = 2 };

/* A body's box as keys, and its kind on each axis. */
typedef struct interval_box {
    uint64_t lower[3], upper[3];
    uint8_t kind[3];
    bool changed; /* its kind on some axis is not that of the last step */
} interval_box;

/* A body in the order of the static sweep. */
typedef struct lane {
    spot s;
    double lower, upper; /* on the swept axis; upper may pass the end of a periodic box */
    uint32_t id;
} lane;

typedef struct sweep_state {
    buffer boxes, list[3], scratch, lanes;
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

static int axis_of_largest_variance(const sweep_search *c, const lane *lanes)
{
    const size_t n = c->q->bodies->n;
    double largest = -1.0;
    int best = 0;
    for (int a = 0; a < c->dim; a++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += lanes[i].s.x[a];
        const double mean = sum / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += (lanes[i].s.x[a] - mean) * (lanes[i].s.x[a] - mean);
        if (squares > largest) largest = squares, best = a;
    }
    return best;
}

/* The lanes in order of their lower ends on the best axis, or NULL: out of memory. */
static lane *sorted_lanes(sweep_search *c, int *axis)
{
    sweep_state *s = c->s;
    const size_t n = c->q->bodies->n;
    if (!jo_buffer_reserve(&s->lanes, 2 * n, sizeof(lane)) ||
        !jo_buffer_reserve(&s->scratch, 2 * n, sizeof(keyed)))
        return NULL;
    lane *found = s->lanes.data, *sorted = found + n;
    keyed *keys = s->scratch.data;
    for (size_t i = 0; i < n; i++)
        found[i] = (lane){.s = spot_of(&c->frame, i), .id = (uint32_t)i};
    const int a = *axis = axis_of_largest_variance(c, found);
    for (size_t i = 0; i < n; i++) {
        double lower, upper;
        widened_interval(&c->frame, i, a, &lower, &upper);
        found[i].lower = spot_wrap(&c->frame, a, lower);
        /* The length is kept, and rounded up by more than wrapping and adding can lose. */
        found[i].upper = found[i].lower + (upper - lower) +
                         body_slack(fabs(lower) + fabs(upper) + c->frame.ground);
        keys[i] = (keyed){.key = key_of_double(found[i].lower), .id = (uint32_t)i};
    }
    jo_keysort(keys, keys + n, n);
    for (size_t k = 0; k < n; k++)
        sorted[k] = found[keys[k].id];
    return sorted;
}

/* A pair that overlaps on the swept axis. Contacts are wanted, or all pairs of boxes that overlap.
 */
static inline bool meet(sweep_search *c, const lane *p, const lane *q)
{
    if (c->out != NULL) {
        if (!spots_near(&c->frame, &p->s, &q->s)) return true;
        if (!touch(c->q->bodies, c->q->domain, p->id, q->id)) return true;
        return pairlist_push(c->out, p->id, q->id);
    }
    if (!overlap(&c->boxes[p->id], &c->boxes[q->id], c->dim)) return true;
    return jo_pairtable_insert(&c->s->table, p->id, q->id);
}

static bool sweep_axis(sweep_search *c, const lane *lanes, double period)
{
    const size_t n = c->q->bodies->n;
    for (size_t p = 0; p < n; p++) {
        const lane *mine = &lanes[p];
        size_t q = p + 1;
        for (; q < n && lanes[q].lower <= mine->upper; q++)
            if (!meet(c, mine, &lanes[q])) return false;
        c->tested += q - p - 1;
        if (period == (double)INFINITY) continue;
        /* Over the face to those that begin the list, unless they have met this one already. */
        for (q = 0; q < p && lanes[q].lower + period <= mine->upper; q++)
            if (mine->lower > lanes[q].upper && !meet(c, mine, &lanes[q])) return false;
        c->tested += q;
    }
    return true;
}

static bool sweep_statically(sweep_search *c)
{
    int axis;
    const lane *lanes = sorted_lanes(c, &axis);
    return lanes != NULL && sweep_axis(c, lanes, c->frame.period[axis]);
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
    int axis;
    const lane *lanes = sorted_lanes(&c, &axis);
    if (lanes == NULL) return jo_fail_memory(error, 2 * n * sizeof(lane), "sorted bodies");
    const double built = jo_seconds();
    if (!sweep_axis(&c, lanes, c.frame.period[axis]))
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
    if (!sweep_statically(c)) return false;
    s->budget = c->tested - before + 64 * n + 1000;
    return true;
}

/* A lower end and an upper end have changed places on axis a; `begins`: ][ became []. */
static inline bool exchange(sweep_search *c, int a, uint32_t i, uint32_t j, bool begins)
{
    if (i == j) return true; /* the two ends of a body that came over a face */
    const bool circular = c->frame.period[a] < (double)INFINITY;
    if (begins || circular) {
        c->tested++;
        if (overlap(&c->boxes[i], &c->boxes[j], c->dim))
            return jo_pairtable_insert(&c->s->table, i, j);
        if (begins && !circular) return true; /* it was not in the table */
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

/* Compares a body whose kind changed with all others. */
static bool compare_with_all(sweep_search *c, uint32_t i)
{
    const size_t n = c->q->bodies->n;
    c->tested += n - 1;
    for (uint32_t j = 0; j < n; j++) {
        if (j == i) continue;
        if (!overlap(&c->boxes[i], &c->boxes[j], c->dim))
            jo_pairtable_erase(&c->s->table, i, j);
        else if (!jo_pairtable_insert(&c->s->table, i, j))
            return false;
    }
    return true;
}

/* Brings boxes up to date; returns how many bodies changed kind. */
static size_t refresh_boxes(sweep_search *c)
{
    size_t changed = 0;
    for (size_t i = 0; i < c->q->bodies->n; i++) {
        interval_box fresh = box_of(&c->frame, i, c->dim);
        if (c->s->ready)
            fresh.changed = memcmp(fresh.kind, c->boxes[i].kind, sizeof fresh.kind) != 0;
        changed += fresh.changed;
        c->boxes[i] = fresh;
    }
    return changed;
}

static outcome repair(sweep_search *c, size_t changed)
{
    const size_t n = c->q->bodies->n;
    if ((double)changed * (double)n > (double)c->s->budget) return TOO_MUCH;
    for (int a = 0; a < c->dim; a++) {
        const outcome o = sort_list(c, a);
        if (o != DONE) return o;
    }
    for (uint32_t i = 0; changed > 0 && i < n; i++)
        if (c->boxes[i].changed && !compare_with_all(c, i)) return NO_MEMORY;
    return DONE;
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
    if (!jo_buffer_reserve(&s->boxes, n, sizeof(interval_box)))
        return jo_fail_memory(error, n * sizeof(interval_box), "boxes");
    sweep_search c = {
        .q = q, .frame = spot_frame_of(q), .s = s, .boxes = s->boxes.data, .dim = q->bodies->dim};
    const size_t changed = refresh_boxes(&c);
    outcome o = s->ready ? repair(&c, changed) : TOO_MUCH;
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
    for (int a = 0; a < 3; a++)
        jo_buffer_free(&s->list[a]);
    jo_buffer_free(&s->scratch);
    jo_buffer_free(&s->lanes);
    jo_pairtable_free(&s->table);
}

static size_t bytes(const void *state)
{
    const sweep_state *s = state;
    return s->boxes.size + s->list[0].size + s->list[1].size + s->list[2].size + s->scratch.size +
           s->lanes.size + s->table.slots.size;
}

const method jo_method_sweep = {
    .info = {.name = "sweep",
             .summary = "sweep and prune: sorted end points on all axes, kept from step to step",
             .source = "papers 2 and 3; Baraff (1993); Cohen, Lin, Manocha, Ponamgi (1995)",
             .cost =
                 "update O(N + exchanges), find O(N^(5/3)) in 3D; memory some 300 bytes per body",
             .when = "few thousand bodies of any sizes that move little per step",
             .options = "",
             .coherent = true},
    .state_size = sizeof(sweep_state),
    .find = find,
    .update = update,
    .release = release,
    .bytes = bytes,
};
