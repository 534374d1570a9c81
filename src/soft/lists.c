/* lists.c — who is near whom, and what contacts remember when lists are made anew.
 *
 * Lists hold all pairs closer than contact by `skin` (and by what cohesion reaches). They stay valid
 * while no two bodies can have come nearer by more than the skin: instead of keeping old positions, the
 * largest difference of velocities in each step is summed up. For walls the largest speed counts. A pair
 * within a block is listed there once; one between two blocks is listed by both.
 *
 * Skin: unless the scene fixes it, it grows while lists last less than 20 steps and shrinks when
 * they last more than 400: the choice depends on steps alone, never on a clock, so it is the same on
 * every machine and after a restart. Bodies are put in order again when neighbours can have moved by
 * about a diameter. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/threads.h"
#include "base/timer.h"
#include "soft/poly.h"

/* A contact while lists are made anew, as the block saw it that listed it: places in the block of both
 * bodies and the number of the memo in one word, the first of which is listed; where the other body is of
 * another block or the number is large, the other's index in a second one. Blocks write down all they
 * list, so that either block of a contact hands on its own memo. */
enum { PLACE_BITS = 10, SHORT_MEMOS = 1 << 12, LONG_MEMOS = 1 << 22 };
_Static_assert(BLOCK_BODIES == 1 << PLACE_BITS, "places in a block do not fit");

typedef struct seen {
    uint32_t own, other; /* bodies as they were */
    uint32_t memo;       /* of the block of `own` */
} seen;

/* What is left of a block as it was. */
typedef struct block_before {
    size_t words,
        longs;   /* where its contacts of one word and those of two begin; before that, how many */
    size_t page; /* its first, of the pages before */
    uint32_t pages;
} block_before;

typedef struct taken {
    size_t contacts; /* each once */
    size_t blocks;
    block_before *block; /* and one more: where the last ends */
} taken;

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

/* Writes down the contacts of a block that are on. NULL: only counts those of one word and of two. */
static void take_block(const view *s, size_t block, uint32_t *words, uint32_t *longs,
                       size_t count[2])
{
    const block_list *list = &s->list[block];
    const uint32_t first = (uint32_t)block_first(block), *entry = s->entry + list->row;
    count[0] = count[1] = 0;
    for (uint32_t k = 0; k < list->inner + list->outer; k++) {
        if (!(entry[k] & ENTRY_TOUCHING)) continue;
        const bool inner = k < list->inner;
        const uint32_t at = inner ? k : k - list->inner, e = entry[k] & ENTRY_BODY;
        const uint32_t memo = memo_of(s, list, !inner, at);
        const bool one = inner && memo < SHORT_MEMOS;
        const size_t n = count[!one]++;
        if (words == NULL) continue;
        const uint32_t own = inner ? INNER_A(e) : s->own[list->own + at];
        if (one)
            words[n] = own | INNER_B(e) << PLACE_BITS | memo << 2 * PLACE_BITS;
        else {
            longs[2 * n] = own | memo << PLACE_BITS;
            longs[2 * n + 1] = inner ? first + INNER_B(e) : e;
        }
    }
}

/* The contact at `word`, of which there is one more before `longs`. Returns the next. */
static inline const uint32_t *see(const uint32_t *word, const uint32_t *longs, uint32_t first,
                                  seen *out)
{
    const uint32_t places = BLOCK_BODIES - 1;
    out->own = first + (word[0] & places);
    if (word < longs) {
        out->other = first + (word[0] >> PLACE_BITS & places);
        out->memo = word[0] >> 2 * PLACE_BITS;
        return word + 1;
    }
    out->other = word[1];
    out->memo = word[0] >> PLACE_BITS;
    return word + 2;
}

/* ---- at the same time ---- */

/* Work on [begin, end) of many things, by thread t. */
typedef void (*part_work)(void *context, int t, size_t begin, size_t end);

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

/* No result may depend on how things are shared out. */
static void in_parts(const jo_soft *soft, size_t count, part_work work, void *context)
{
    parts p = {work, context, count};
    jo_threads_run(crew_of(soft), do_part, &p);
}

/* ---- what waits while lists are made ---- */

static void note_bytes(jo_soft *soft, size_t bytes)
{
    if (bytes > soft->stats.bytes_peak) soft->stats.bytes_peak = bytes;
}

/* They are made again when the search has no more need of memory. */
static void drop_entries(jo_soft *soft)
{
    jo_buffer_free(&soft->entry);
    jo_buffer_free(&soft->own);
    jo_buffer_free(&soft->late_memo);
}

typedef struct taking {
    const jo_soft *soft;
    const taken *all;
    uint32_t *words;
} taking;

static void count_seen(void *context, int t, size_t begin, size_t end)
{
    const taking *k = context;
    (void)t;
    for (size_t b = begin; b < end; b++) {
        const block_list *list = &k->soft->s.list[b];
        size_t count[2];
        take_block(&k->soft->s, b, NULL, NULL, count);
        k->all->block[b] = (block_before){count[0], count[1], list->page,
                                          (list->memos + MEMO_ROWS - 1) / MEMO_ROWS};
    }
}

static void write_seen(void *context, int t, size_t begin, size_t end)
{
    const taking *k = context;
    uint32_t *words = k->words;
    size_t count[2];
    (void)t;
    for (size_t b = begin; b < end; b++)
        take_block(&k->soft->s, b, words + k->all->block[b].words, words + k->all->block[b].longs,
                   count);
}

static jo_status take_records(jo_soft *soft, taken *all, jo_error *error)
{
    *all = (taken){.blocks = soft->listed_blocks};
    all->block = malloc((all->blocks + 1) * sizeof *all->block);
    if (all->block == NULL)
        return jo_fail_memory(error, all->blocks * sizeof *all->block, "blocks");
    taking k = {soft, all, NULL};
    in_parts(soft, all->blocks, count_seen, &k);
    size_t words = 0, twice = 0;
    for (size_t b = 0; b < all->blocks; b++) {
        block_before *block = &all->block[b];
        const size_t shorts = block->words, longs = block->longs;
        block->words = words;
        block->longs = words + shorts;
        words = block->longs + 2 * longs;
        all->contacts += shorts;
        twice += longs;
    }
    all->contacts += twice / 2;
    all->block[all->blocks] = (block_before){.words = words, .longs = words};
    /* First into the forces' room, which is dead, if it is large enough: then the old lists can go before
     * there is other room for them. */
    const size_t bytes = words * sizeof(uint32_t);
    const bool waits = bytes <= 6 * soft->s.n * sizeof(double);
    if (waits) {
        k.words = (uint32_t *)(void *)soft->s.f;
        in_parts(soft, all->blocks, write_seen, &k);
        drop_entries(soft);
    }
    if (soft->records.size < bytes + sizeof(uint32_t)) jo_buffer_free(&soft->records);
    if (!jo_buffer_reserve(&soft->records, words + 1, sizeof(uint32_t)))
        return jo_fail_memory(error, bytes, "contacts");
    note_bytes(soft, jo_state_bytes(soft));
    if (waits && bytes > 0) memcpy(soft->records.data, k.words, bytes);
    if (!waits) {
        k.words = soft->records.data;
        in_parts(soft, all->blocks, write_seen, &k);
        drop_entries(soft);
    }
    const buffer swap = soft->page;
    soft->page = soft->pages_before;
    soft->pages_before = swap;
    return JO_OK;
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
    if (jo_poly_search_boxes(soft)) {
        jo_poly_boxes_to_search(soft, beyond, bodies);
        return JO_OK;
    }
    if (!s->box.sheared) {
        double *grown = s->f; /* dead until the next forces */
        growing g = {s, grown, 0.5 * beyond};
        in_parts(soft, s->n, grow_part, &g);
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

/* Where each body's entries begin and end, while lists are made: in the forces' room. */
typedef struct spans {
    atomic_uint *inner,
        *outer; /* per body: end of its entries, from the block's first of that kind */
} spans;

typedef struct filler {
    const view *s;
    jo_pairs pairs;
    size_t ghosts_from; /* indices from here on are ghosts */
    const uint32_t *ghost_of;
    spans at;
    uint32_t
        *fixed; /* a bit per body, in the forces' room: velocities would be a cache line each */
    bool alone; /* one thread does it all */
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
    in_parts(soft, (s->n + 31) / 32, note_fixed, f);
    in_parts(soft, f->pairs.count, count_part, f);
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

/* Each body's entries ascend: the order of sums must depend neither on how the search listed pairs nor
 * on which thread came first. */
static void fill_entries(jo_soft *soft, filler *f)
{
    f->s = &soft->s;
    in_parts(soft, f->pairs.count, fill_part, f);
    in_parts(soft, soft->blocks, sort_part, f);
}

/* ---- history ---- */

/* The entry that `owner` keeps for `other`, counted from its part's first; NO_ROW: there is none, the contact
 * lasted beyond touching and has just left the lists' reach. Others may mark entries meanwhile. */
static uint32_t find_entry(const filler *f, uint32_t owner, uint32_t other)
{
    const view *s = f->s;
    const block_list *list = &s->list[owner / BLOCK_BODIES];
    const bool inner = owner / BLOCK_BODIES == other / BLOCK_BODIES;
    const atomic_uint *ends = inner ? f->at.inner : f->at.outer;
    const uint32_t from = owner % BLOCK_BODIES == 0 ? 0 : ends[owner - 1], end = ends[owner];
    const atomic_uint *entry =
        (atomic_uint *)(void *)(s->entry + list->row + (inner ? 0 : list->inner));
    const uint32_t wanted = inner ? INNER(owner % BLOCK_BODIES, other % BLOCK_BODIES) : other;
    for (uint32_t k = from; k < end; k++)
        if ((atomic_load_explicit(&entry[k], memory_order_relaxed) & ENTRY_BODY) == wanted)
            return k;
    return NO_ROW;
}

/* Memos on their way to the blocks of their contacts' new entries. */
typedef struct handing {
    jo_soft *soft;
    const filler *f;
    const taken *before;
    atomic_bool no_room;
} handing;

/* The new entries to which a block hands what it remembers of a contact, by their bodies. */
typedef struct heirs {
    int count;
    uint32_t owner[2], other[2];
    bool turned; /* the contact is now seen from the other body */
} heirs;

static inline heirs heirs_of(const jo_soft *soft, seen c)
{
    const uint32_t own = now_at(soft, c.own), other = now_at(soft, c.other);
    heirs h = {.owner = {own, other}, .other = {other, own}};
    if (own == UINT32_MAX || other == UINT32_MAX) return h; /* gone */
    h.turned = (c.own < c.other) != (own < other);
    const bool was_inner = c.own / BLOCK_BODIES == c.other / BLOCK_BODIES;
    if (own / BLOCK_BODIES != other / BLOCK_BODIES)
        h.count = was_inner ? 2 : 1; /* where two blocks had it, the other's heir is the other's */
    else if (was_inner || c.own < c.other) { /* one of two will do */
        h.count = 1;
        h.owner[0] = own < other ? own : other;
        h.other[0] = own < other ? other : own;
    }
    return h;
}

/* What was a contact is listed among contacts, whether it still is one or not. */
static void mark_entries(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    const view *s = &h->soft->s;
    const uint32_t *words = h->soft->records.data;
    (void)t;
    for (size_t b = begin; b < end; b++) {
        const block_before *block = &h->before->block[b];
        const uint32_t *word = words + block->words, *last = words + block[1].words;
        while (word < last) {
            seen c;
            word = see(word, words + block->longs, (uint32_t)block_first(b), &c);
            const heirs to = heirs_of(h->soft, c);
            for (int k = 0; k < to.count; k++) {
                const block_list *list = &s->list[to.owner[k] / BLOCK_BODIES];
                const bool inner = to.owner[k] / BLOCK_BODIES == to.other[k] / BLOCK_BODIES;
                const uint32_t at = find_entry(h->f, to.owner[k], to.other[k]);
                if (at == NO_ROW) continue;
                uint32_t *entry = &s->entry[list->row + (inner ? 0 : list->inner) + at];
                if (h->f->alone) /* entries have one writer, and those who look for others ignore the bit */
                    *entry |= ENTRY_TOUCHING;
                else
                    atomic_fetch_or_explicit((atomic_uint *)(void *)entry, ENTRY_TOUCHING,
                                             memory_order_relaxed);
            }
        }
    }
}

/* The class of an entry: 0 for contacts and whatever touches, k + 1 for the k-th part of what lists
 * reach beyond contact. */
static unsigned class_of(const jo_soft *soft, uint32_t entry, size_t a, size_t b)
{
    const view *s = &soft->s;
    const double *xa = s->x + 4 * a, *xb = s->x + 4 * b, beyond = soft->skin + s->reach;
    if (entry & ENTRY_TOUCHING) return 0;
    double d[3] = {xa[0] - xb[0], xa[1] - xb[1], xa[2] - xb[2]};
    if (s->box.sheared) d[0] -= s->box.offset * nearbyint(d[1] * s->box.inverse[1]);
    for (int c = 0; c < 3; c++)
        if (s->box.periodic[c]) d[c] -= s->box.size[c] * nearbyint(d[c] * s->box.inverse[c]);
    const double gap = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - (xa[3] + xb[3]);
    if (gap <= 0) return 0;
    /* A rounding error less than it is: a pair looked at too early is no mistake. */
    const double part = NEAR_CLASSES * (gap / beyond - 1e-9);
    return part < NEAR_CLASSES - 1 ? 1 + (unsigned)fmax(part, 0) : NEAR_CLASSES;
}

/* Puts entries in the order of their classes, each class in its order; `end` tells where classes end, and
 * `ends` from now on where each body's of the first class do. */
static void order_part(const jo_soft *soft, size_t block, bool outer, uint32_t *spare,
                       atomic_uint *ends)
{
    const view *s = &soft->s;
    block_list *list = &s->list[block];
    const size_t row = list->row + (outer ? list->inner : 0), first = block_first(block);
    const uint32_t count = outer ? list->outer : list->inner;
    uint32_t *entry = s->entry + row, next[NEAR_CLASSES + 1] = {0};
    uint16_t *own = s->own + list->own;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t e = entry[k] & ENTRY_BODY, place = outer ? own[k] : INNER_A(e);
        const size_t a = first + place, b = outer ? e : first + INNER_B(e);
        const unsigned class = class_of(soft, entry[k], a, b);
        next[class]++;
        spare[2 * k] = entry[k];
        spare[2 * k + 1] = place | class << 16;
    }
    uint32_t sum = 0;
    for (int c = 0; c <= NEAR_CLASSES; c++) {
        const uint32_t begin = sum;
        sum += next[c];
        next[c] = begin;
        list->end[outer][c] = sum;
    }
    const uint32_t bodies = (uint32_t)block_count(s, block);
    uint32_t body = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t place = spare[2 * k + 1] & 0xffff;
        for (; body < place; body++)
            atomic_store_explicit(&ends[first + body], next[0], memory_order_relaxed);
        const uint32_t to = next[spare[2 * k + 1] >> 16]++;
        entry[to] = spare[2 * k];
        if (outer) own[to] = (uint16_t)place;
    }
    for (; body < bodies; body++)
        atomic_store_explicit(&ends[first + body], next[0], memory_order_relaxed);
}

/* Contacts come first, so that their memos lie in their order. */
static void order_entries(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    uint32_t *spare = h->soft->scratch[t].words.data;
    for (size_t b = begin; b < end; b++) {
        order_part(h->soft, b, false, spare, h->f->at.inner);
        order_part(h->soft, b, true, spare, h->f->at.outer);
    }
}

static bool put_memo(const handing *h, uint32_t owner, uint32_t other, const char *from,
                     bool turned)
{
    const view *s = &h->soft->s;
    const block_list *list = &s->list[owner / BLOCK_BODIES];
    const uint32_t at = find_entry(h->f, owner, other);
    if (at == NO_ROW) return true;
    const bool inner = owner / BLOCK_BODIES == other / BLOCK_BODIES;
    const uint32_t memo = inner ? at : list->end[0][0] + at;
    char *page = jo_memo_page(s->pool, &s->page[list->page + memo / MEMO_ROWS]);
    if (page == NULL) return false;
    char *to = page + (size_t)(memo % MEMO_ROWS) * s->memo.size;
    memcpy(to, from, s->memo.size);
    if (turned) jo_memo_turn(&s->memo, to);
    return true;
}

/* Block by block as they were: pages that have been read to the end are the next to be written. */
static void put_memos(void *context, int t, size_t begin, size_t end)
{
    handing *h = context;
    const view *s = &h->soft->s;
    const uint32_t *words = h->soft->records.data;
    (void)t;
    for (size_t b = begin; b < end; b++) {
        const block_before *block = &h->before->block[b];
        const memo_page *pages = (const memo_page *)h->soft->pages_before.data + block->page;
        const uint32_t *word = words + block->words, *last = words + block[1].words;
        while (word < last) {
            seen c;
            word = see(word, words + block->longs, (uint32_t)block_first(b), &c);
            const heirs to = heirs_of(h->soft, c);
            const char *from =
                pages[c.memo / MEMO_ROWS] + (size_t)(c.memo % MEMO_ROWS) * s->memo.size;
            for (int k = 0; k < to.count; k++)
                if (!put_memo(h, to.owner[k], to.other[k], from, to.turned))
                    atomic_store(&h->no_room, true);
        }
        for (uint32_t p = 0; p < block->pages; p++)
            jo_memo_give(s->pool, pages[p]);
    }
}

/* The first entries have memos whether they are contacts yet or not. */
static void fill_pages(void *context, int t, size_t begin, size_t end)
{
    handing *h = context;
    const view *s = &h->soft->s;
    (void)t;
    for (size_t b = begin; b < end; b++)
        for (uint32_t memo = 0; memo < s->list[b].memos; memo += MEMO_ROWS)
            if (jo_memo_page(s->pool, &s->page[s->list[b].page + memo / MEMO_ROWS]) == NULL)
                atomic_store(&h->no_room, true);
}

/* Contacts' memos go to their new entries, and those go first. */
static jo_status hand_over(jo_soft *soft, const filler *f, const taken *before, jo_error *error)
{
    handing h = {soft, f, before, false};
    in_parts(soft, before->blocks, mark_entries, &h);
    in_parts(soft, soft->blocks, order_entries, &h);
    const jo_status status = jo_lists_memos(soft, error);
    if (status != JO_OK) return status;
    in_parts(soft, before->blocks, put_memos, &h);
    in_parts(soft, soft->blocks, fill_pages, &h);
    if (h.no_room) return jo_fail_memory(error, soft->pool.page_size, "what contacts remember");
    return JO_OK;
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

/* The forces' room is lent to the search, but for what lies at its ends: radii, then places of entries
 * and who is fixed; and the map. */
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
    if (status == JO_OK) status = hand_over(soft, &f, before, error);
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
    jo_status status = take_records(soft, &before, error);
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
