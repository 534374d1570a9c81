/* lists.c — who is near whom. What contacts remember is carried over by hand_over.c.
 *
 * Lists hold all pairs closer than contact by `skin` (and by what cohesion reaches). They stay
 * valid while no two bodies can have come nearer by more than the skin: instead of keeping old
 * positions, the largest difference of velocities in each step is summed up. For walls the largest
 * speed counts. A pair within a block is listed there once; one between two blocks is listed by
 * both.
 *
 * Skin: unless the scene fixes it, it grows while lists last less than 20 steps and shrinks when
 * they last more than 400: the choice depends on steps alone, never on a clock, so it is the same
 * on every machine and after a restart. Bodies are put in order again when neighbours can have
 * moved by about a diameter. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/threads.h"
#include "base/timer.h"
#include "soft/hand_over.h"
#include "soft/poly.h"

/* Also when bodies have moved by a radius: whoever left the box is noticed when lists are made. */
bool jo_lists_due(const jo_soft *soft)
{
    /* Polyhedra are listed by boxes, out of which they may also turn. */
    const double turned = soft->poly->on ? 2 * soft->poly->turned : 0;
    return soft->apart + soft->shear_travel + turned > soft->skin ||
           (soft->wall_count > 0 && soft->travel + soft->wall_travel > soft->skin) ||
           soft->travel > fmax(soft->skin, soft->mean_radius);
}

/* Class k holds pairs at least k / NEAR_CLASSES of what lists reach beyond contact apart. */
void jo_lists_awake(jo_soft *soft)
{
    const double beyond = soft->skin + soft->s.reach;
    const double nearer = soft->apart + soft->shear_travel + soft->s.reach;
    const double classes =
        beyond > 0 ? NEAR_CLASSES * nearer / beyond * (1 + 1e-9) + 1 : NEAR_CLASSES;
    soft->s.classes = classes < NEAR_CLASSES ? (int)classes : NEAR_CLASSES;
}

/* ---- at the same time ---- */

typedef struct parts {
    part_work work;
    void *context;
    size_t count;
} parts;

static void do_part(void *context, int t, int threads)
{
    const parts *p = context;
    size_t begin, end;
    jo_thread_share(p->count, t, threads, &begin, &end);
    if (begin < end) p->work(p->context, t, begin, end);
}

static int crew_of(const jo_soft *soft)
{
    return soft->blocks > 1 ? soft->threads : 1;
}

void jo_in_parts(const jo_soft *soft, size_t count, part_work work, void *context)
{
    parts p = {work, context, count};
    jo_threads_run(crew_of(soft), do_part, &p);
}

/* ---- the search ---- */

typedef struct growing {
    const view *s;
    double *grown, by;
} growing;

static void grow_part(void *context, int t, size_t begin, size_t end)
{
    const growing *g = context;
    (void)t;
    for (size_t i = begin; i < end; i++)
        g->grown[i] = g->s->x[4 * i + 3] + g->by;
}

/* Bodies as the search sees them: radii grown by half of what lists reach beyond contact, and in a
 * sheared box copies of those near one boundary beside the other. Ghost g is body ghost_of[g]. */
static jo_status search_bodies(jo_soft *soft, double beyond, jo_bodies *bodies, size_t *ghosts,
                               jo_error *error)
{
    view *s = &soft->s;
    *ghosts = 0;
    jo_poly_boxes(soft);
    if (jo_poly_search_boxes(soft)) return jo_poly_boxes_to_search(soft, beyond, bodies, error);
    if (!s->box.sheared) {
        double *grown = s->f; /* dead until the next forces */
        growing g = {s, grown, 0.5 * beyond};
        jo_in_parts(soft, s->n, grow_part, &g);
        *bodies = (jo_bodies){.shape = JO_SPHERES,
                              .dim = s->dim,
                              .n = s->n,
                              .x = {s->x, s->x + 1, s->x + 2},
                              .r = grown,
                              .x_stride = 4,
                              .r_stride = 1};
        return JO_OK;
    }
    const double low = soft->scene.domain.lo[1], near = 2 * soft->largest + beyond;
    if (!jo_buffer_reserve(&soft->ghosts, 8 * s->n, sizeof(double)) ||
        !jo_buffer_reserve(&soft->ghost_of, s->n, sizeof(uint32_t)))
        return jo_fail_memory(error, 68 * s->n, "the sheared box");
    double *rows = soft->ghosts.data;
    uint32_t *of = soft->ghost_of.data;
    size_t n = s->n;
    for (size_t i = 0; i < s->n; i++) {
        memcpy(rows + 4 * i, s->x + 4 * i, 4 * sizeof *rows);
        rows[4 * i + 3] += 0.5 * beyond;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->x[4 * i + 1] - low <= near) {
            memcpy(rows + 4 * n, rows + 4 * i, 4 * sizeof *rows);
            rows[4 * n] += s->box.offset;
            rows[4 * n + 1] += s->box.size[1];
            of[n++ - s->n] = (uint32_t)i;
        }
    *ghosts = n - s->n;
    *bodies = (jo_bodies){.shape = JO_SPHERES,
                          .dim = s->dim,
                          .n = n,
                          .x = {rows, rows + 1, rows + 2},
                          .r = rows + 3,
                          .x_stride = 4,
                          .r_stride = 4};
    return JO_OK;
}

/* Contacts stay, and pairs that are only near are as many more as lists reach farther. */
static size_t expected_pairs(const jo_soft *soft, size_t contacts)
{
    const size_t last = soft->pairs_found;
    const double farther = (soft->skin + soft->s.reach) / fmax(soft->found_within, 1e-300);
    if (last == 0 || !(farther < 100)) return 0;
    const size_t near = last > contacts ? last - contacts : 0;
    return (size_t)(1.03 * ((double)contacts + farther * (double)near)) + 1;
}

static jo_status make_search(jo_soft *soft, size_t contacts, jo_error *error)
{
    if (soft->search != NULL) return JO_OK;
    jo_broad_def def = jo_broad_def_default();
    def.method = soft->scene.broad[0] != '\0' ? soft->scene.broad : "auto";
    def.threads = soft->threads;
    def.ordered = false;
    def.once = !jo_poly_search_boxes(soft);
    def.expected = def.once ? expected_pairs(soft, contacts) : 0;
    for (int a = 0; a < 3; a++) {
        def.domain.lo[a] = soft->scene.domain.lo[a];
        def.domain.hi[a] = soft->scene.domain.hi[a];
        def.domain.periodic[a] = soft->s.box.periodic[a] && !(soft->s.box.sheared && a == 1);
    }
    return jo_broad_create(&def, &soft->search, error);
}

/* ---- pairs to lists: the places of entries ---- */

typedef struct filler {
    const view *s;
    jo_pairs pairs;
    size_t ghosts_from; /* indices from here on are ghosts */
    const uint32_t *ghost_of;
    spans at;
    /* A bit per body, in the forces' room: velocities would be a cache line each. */
    uint32_t *fixed;
    bool alone;          /* one thread does it all */
    const jo_soft *poly; /* pairs with polyhedra are listed elsewhere; NULL: there are none */
    bool boxes;          /* pairs are of boxes: spheres among them may be farther apart */
} filler;

/* The two bodies of a pair, smaller index first; false where the pair is not to be listed. */
static inline bool pair_bodies(const filler *f, jo_pair pair, uint32_t *a, uint32_t *b)
{
    uint32_t i = pair.i, j = pair.j;
    if (j >= f->ghosts_from) {
        if (i >= f->ghosts_from) return false; /* the originals are listed */
        j = f->ghost_of[j - f->ghosts_from];
        if (i == j) return false;
    }
    *a = i < j ? i : j;
    *b = i < j ? j : i;
    if (f->poly != NULL && (jo_poly_is(f->poly, i) || jo_poly_is(f->poly, j))) return false;
    if (f->boxes && !jo_poly_within_reach(f->poly, i, j)) return false;
    return !(f->fixed[i / 32] >> i % 32 & f->fixed[j / 32] >> j % 32 & 1);
}

jo_status jo_lists_room(jo_soft *soft, size_t entries, size_t outer, jo_error *error)
{
    size_t most = 0;
    const size_t pages = jo_lists_pages(soft);
    if (pages > NO_ROW / MEMO_ROWS - 1)
        return jo_fail(
            error, JO_ERR_DATA,
            "%zu pairs of bodies are near each other, more than lists hold (%u): the skin "
            "is too large for so many bodies",
            entries, NO_ROW - 1);
    for (size_t b = 0; b < soft->blocks; b++)
        if ((size_t)soft->s.list[b].inner + soft->s.list[b].outer > LONG_MEMOS)
            return jo_fail(error, JO_ERR_DATA,
                           "%d bodies have %zu others near them, more than lists hold (%d)",
                           BLOCK_BODIES, (size_t)soft->s.list[b].inner + soft->s.list[b].outer,
                           LONG_MEMOS);
    if (!jo_lists_reserve(&soft->entry, entries + 16, sizeof(uint32_t)) ||
        !jo_lists_reserve(&soft->own, outer + 16, sizeof(uint16_t)) ||
        !jo_lists_reserve(&soft->page, pages + 1, sizeof(memo_page)))
        return jo_fail_memory(error, entries * 4, "neighbour lists");
    memset(soft->page.data, 0, pages * sizeof(memo_page));
    for (size_t b = 0; b < soft->blocks; b++) {
        const block_list *list = &soft->s.list[b];
        most = list->inner > most ? list->inner : most;
        most = list->outer > most ? list->outer : most;
    }
    for (int t = 0; t < soft->threads; t++) {
        scratch *own = &soft->scratch[t];
        if (!jo_buffer_reserve(&own->words, 2 * (most + 16), sizeof(uint32_t)))
            return jo_fail_memory(error, 8 * most, "contacts of a block");
        own->room = most + 16;
    }
    soft->stats.list_pairs = entries;
    jo_state_view(soft);
    return JO_OK;
}

/* A counter's value before it is raised. Where nobody else counts, without what that costs. */
static inline uint32_t next_of(const filler *f, atomic_uint *counter)
{
    if (!f->alone) return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    const uint32_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + 1, memory_order_relaxed);
    return value;
}

static void count_part(void *context, int t, size_t begin, size_t end)
{
    const filler *f = context;
    (void)t;
    for (size_t k = begin; k < end; k++) {
        uint32_t a, b;
        if (!pair_bodies(f, f->pairs.pairs[k], &a, &b)) continue;
        if (a / BLOCK_BODIES == b / BLOCK_BODIES)
            next_of(f, &f->at.inner[a]);
        else {
            next_of(f, &f->at.outer[a]);
            next_of(f, &f->at.outer[b]);
        }
    }
}

static void note_fixed(void *context, int t, size_t begin, size_t end)
{
    const filler *f = context;
    (void)t;
    for (size_t word = begin; word < end; word++) {
        uint32_t bits = 0;
        for (size_t i = 32 * word; i < 32 * (word + 1) && i < f->s->n; i++)
            bits |= (uint32_t) !(f->s->v[4 * i + 3] > 0) << i % 32;
        f->fixed[word] = bits;
    }
}

/* Counts entries body by body, then makes the counts into places. */
static void count_entries(jo_soft *soft, filler *f, size_t *entries, size_t *outer)
{
    view *s = &soft->s;
    f->at.inner = (atomic_uint *)(void *)s->f;
    f->at.outer = f->at.inner + s->n;
    f->fixed = (uint32_t *)(void *)s->f + 2 * s->n;
    memset(s->f, 0, 2 * s->n * sizeof *f->at.inner);
    jo_in_parts(soft, (s->n + 31) / 32, note_fixed, f);
    jo_in_parts(soft, f->pairs.count, count_part, f);
    *entries = *outer = 0;
    for (size_t block = 0; block < soft->blocks; block++) {
        const size_t first = block_first(block), count = block_count(s, block);
        uint32_t inner_sum = 0, outer_sum = 0;
        for (size_t i = first; i < first + count; i++) {
            const uint32_t inner = f->at.inner[i], out = f->at.outer[i];
            atomic_init(&f->at.inner[i], inner_sum);
            atomic_init(&f->at.outer[i], outer_sum);
            inner_sum += inner;
            outer_sum += out;
        }
        s->list[block] =
            (block_list){.row = *entries, .own = *outer, .inner = inner_sum, .outer = outer_sum};
        *entries += (size_t)inner_sum + outer_sum;
        *outer += outer_sum;
    }
}

static inline void put_outer(const filler *f, uint32_t owner, uint32_t other)
{
    const block_list *list = &f->s->list[owner / BLOCK_BODIES];
    const uint32_t at = next_of(f, &f->at.outer[owner]);
    f->s->entry[list->row + list->inner + at] = other;
    f->s->own[list->own + at] = (uint16_t)(owner % BLOCK_BODIES);
}

static void sort_words(uint32_t *words, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        const uint32_t value = words[k];
        uint32_t at = k;
        for (; at > 0 && words[at - 1] > value; at--)
            words[at] = words[at - 1];
        words[at] = value;
    }
}

static void fill_part(void *context, int t, size_t begin, size_t end)
{
    const filler *f = context;
    const view *s = f->s;
    (void)t;
    for (size_t k = begin; k < end; k++) {
        uint32_t a, b;
        if (!pair_bodies(f, f->pairs.pairs[k], &a, &b)) continue;
        const size_t block = a / BLOCK_BODIES;
        if (block == b / BLOCK_BODIES)
            s->entry[s->list[block].row + next_of(f, &f->at.inner[a])] =
                INNER(a % BLOCK_BODIES, b % BLOCK_BODIES);
        else {
            put_outer(f, a, b);
            put_outer(f, b, a);
        }
    }
}

static void sort_part(void *context, int t, size_t begin, size_t end)
{
    const filler *f = context;
    const view *s = f->s;
    (void)t;
    for (size_t block = begin; block < end; block++) {
        const size_t first = block_first(block), count = block_count(s, block);
        const block_list *list = &s->list[block];
        uint32_t inner = 0, outer = 0;
        for (size_t i = first; i < first + count; i++) {
            sort_words(s->entry + list->row + inner, f->at.inner[i] - inner);
            sort_words(s->entry + list->row + list->inner + outer, f->at.outer[i] - outer);
            inner = f->at.inner[i];
            outer = f->at.outer[i];
        }
    }
}

/* Each body's entries ascend: the order of sums must depend neither on how the search listed pairs
 * nor on which thread came first. */
static void fill_entries(jo_soft *soft, filler *f)
{
    f->s = &soft->s;
    jo_in_parts(soft, f->pairs.count, fill_part, f);
    jo_in_parts(soft, soft->blocks, sort_part, f);
}

/* ---- all of it ---- */

static void adapt_skin(jo_soft *soft)
{
    if (soft->stats.rebuilds == 0) return;
    const uint64_t lasted = soft->steps - soft->list_step;
    if (lasted < 20)
        soft->skin = fmin(1.5 * soft->skin, soft->skin_high);
    else if (lasted > 400)
        soft->skin = fmax(0.7 * soft->skin, soft->skin_low);
}

static jo_status search_pairs(jo_soft *soft, size_t contacts, filler *f, double *searching,
                              jo_error *error)
{
    jo_bodies bodies;
    size_t ghosts;
    const double beyond = soft->skin + soft->s.reach;
    jo_status status = make_search(soft, contacts, error);
    if (status == JO_OK) status = search_bodies(soft, beyond, &bodies, &ghosts, error);
    const double t = jo_seconds();
    if (status == JO_OK)
        status = jo_poly_search_boxes(soft) ? jo_broad_update(soft->search, &bodies, error)
                                            : jo_broad_find(soft->search, &bodies, error);
    *searching = jo_seconds() - t;
    if (status != JO_OK) return status;
    *f = (filler){.s = &soft->s,
                  .pairs = jo_broad_contacts(soft->search),
                  .ghosts_from = soft->s.n,
                  .ghost_of = soft->ghost_of.data,
                  .alone = crew_of(soft) == 1,
                  .poly = soft->poly->on ? soft : NULL,
                  .boxes = jo_poly_search_boxes(soft)};
    const jo_broad_stats stats = jo_broad_statistics(soft->search);
    soft->search_method = stats.method;
    note_bytes(soft, jo_state_bytes(soft) - stats.bytes - stats.bytes_lists + stats.bytes_peak);
    soft->pairs_found = f->pairs.count;
    soft->found_within = beyond;
    return JO_OK;
}

/* The forces' room is lent to the search, but for what lies at its ends: radii, then places of
 * entries and who is fixed; and the map. */
static bool lend_forces(const jo_soft *soft)
{
    const size_t n = soft->s.n, before = 8 * n + n / 8 + 64,
                 end = (soft->map != NULL ? 44 : 48) * n;
    return before < end && jo_buffer_lend((char *)soft->s.f + before, end - before);
}

static jo_status make_lists(jo_soft *soft, const taken *before, double *searching, jo_error *error)
{
    filler f;
    size_t entries = 0, outer = 0;
    const bool kept = jo_poly_search_boxes(soft); /* and with it its memory */
    const bool lent = !kept && lend_forces(soft);
    jo_status status = search_pairs(soft, before->contacts, &f, searching, error);
    if (lent) jo_buffer_lend_stop();
    if (status == JO_OK) {
        count_entries(soft, &f, &entries, &outer);
        status = jo_lists_room(soft, entries, outer, error);
    }
    if (status == JO_OK) {
        fill_entries(soft, &f);
        status = jo_poly_lists(soft, f.pairs, f.ghosts_from, f.ghost_of, error);
        /* What the search has in the forces' room is counted there. */
        note_bytes(soft, jo_state_bytes(soft) - (lent ? jo_buffer_lent_used() : 0));
    }
    if (!kept || status != JO_OK) {
        jo_broad_destroy(soft->search);
        soft->search = NULL;
    }
    if (lent) jo_buffer_lend_end();
    if (status == JO_OK) status = jo_contacts_hand_over(soft, f.at, before, error);
    note_bytes(soft, jo_state_bytes(soft));
    /* Kept for the next time where that holds no more memory than has been needed. */
    const size_t late = soft->stats.list_pairs * sizeof(uint32_t);
    if (jo_state_bytes(soft) + late > soft->stats.bytes_peak) jo_buffer_free(&soft->records);
    if (status == JO_OK) status = jo_lists_late(soft, error);
    note_bytes(soft, jo_state_bytes(soft));
    return status;
}

jo_status jo_lists_rebuild(jo_soft *soft, jo_error *error)
{
    const double begin = jo_seconds();
    size_t wall_contacts = 0;
    taken before;
    const size_t blocks_before = soft->listed_blocks;
    double searching = 0;
    wall_contact *with_walls = NULL;
    jo_status status = jo_contacts_take(soft, &before, error);
    adapt_skin(soft);
    jo_box_wrap(soft);
    const double sorting = jo_seconds();
    if (status == JO_OK && soft->unsorted > 2 * soft->mean_radius)
        jo_state_sort(soft);
    else
        soft->map = NULL;
    if (status == JO_OK) jo_poly_indices(soft);
    const double sorted = jo_seconds();
    if (status == JO_OK) status = make_lists(soft, &before, &searching, error);
    if (status == JO_OK) /* now that there is room for a copy */
        status = jo_walls_take(soft, blocks_before, &with_walls, &wall_contacts, error);
    if (status == JO_OK) {
        for (size_t b = soft->blocks; b < blocks_before; b++)
            soft->s.walls[b].contact_count = soft->s.walls[b].near_count = 0;
        status = jo_walls_settle(soft, with_walls, wall_contacts, error);
    }
    free(with_walls);
    free(before.block);
    if (status != JO_OK) jo_lists_drop(soft);
    jo_state_uniform(soft);
    soft->apart = soft->travel = soft->wall_travel = soft->shear_travel = 0;
    soft->list_step = soft->steps;
    soft->listed_blocks = soft->blocks;
    if (status == JO_OK) status = jo_walls_near(soft, error);
    soft->stats.rebuilds++;
    soft->stats.seconds[JO_SOFT_SORT] += sorted - sorting;
    soft->stats.seconds[JO_SOFT_SEARCH] += searching;
    soft->stats.seconds[JO_SOFT_LIST] += jo_seconds() - begin - searching - (sorted - sorting);
    soft->stats.calls[JO_SOFT_SORT]++;
    soft->stats.calls[JO_SOFT_SEARCH]++;
    soft->stats.calls[JO_SOFT_LIST]++;
    return status;
}
