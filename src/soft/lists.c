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

/* What a contact remembers, while lists are made anew; rolling histories and what the account notes lie
 * behind all records, where the law has them. */
#define NO_ROW UINT32_MAX
typedef struct record {
    uint32_t a, b; /* its bodies as they were; then the rows of its new entries, or NO_ROW */
    double history[HISTORY];
} record;

typedef struct extras {
    double *rolls; /* rows of 4, or NULL */
    float *notes;  /* rows of NOTE, or NULL */
} extras;

/* Buffers whose size changes a little each time are made larger by this part, so that most of the time
 * they are large enough: fresh memory costs more than what is done with it. */
static bool reserve_more(buffer *b, size_t count, size_t size)
{
    enum { PART = 32 };
    if (count < SIZE_MAX / size && b->size >= count * size) return true;
    return jo_buffer_reserve(b, count + count / PART, size);
}

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

/* Contacts of one block that are on, each once; out may be NULL for counting. */
static size_t take_block(const view *s, size_t block, record *out, extras more)
{
    const block_list *list = &s->list[block];
    const uint32_t first = (uint32_t)block_first(block);
    size_t found = 0;
    for (size_t k = 0; k < (size_t)list->inner + list->outer; k++) {
        const size_t row = list->row + k;
        const uint32_t e = s->entry[row];
        const bool inner = k < list->inner;
        const uint32_t a = inner ? first + INNER_A(e) : first + s->own[list->own + k - list->inner];
        const uint32_t b = inner ? first + INNER_B(e) : e & ENTRY_BODY;
        if (!(e & ENTRY_TOUCHING) || b < a) continue;
        if (out != NULL) {
            out[found].a = a;
            out[found].b = b;
            memcpy(out[found].history, s->history + HISTORY * row, sizeof out[found].history);
            if (more.rolls != NULL)
                memcpy(more.rolls + 4 * found, s->roll + 4 * row, 4 * sizeof *s->roll);
            if (more.notes != NULL)
                memcpy(more.notes + NOTE * found, s->note + NOTE * row, NOTE * sizeof *s->note);
        }
        found++;
    }
    return found;
}

static bool takes_notes(const jo_soft *soft)
{
    return soft->law.notes && soft->s.account;
}

/* Those of `count` records, from the one numbered `from` on. */
static extras extras_of(const jo_soft *soft, size_t count, size_t from)
{
    extras more = {NULL, NULL};
    char *behind = (char *)soft->records.data + count * sizeof(record);
    if (soft->law.remembers_rolling) {
        more.rolls = (double *)(void *)behind + 4 * from;
        behind += count * 4 * sizeof(double);
    }
    if (takes_notes(soft)) more.notes = (float *)(void *)behind + NOTE * from;
    return more;
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

typedef struct taking {
    const jo_soft *soft;
    size_t *from; /* per block: how many records, then where they begin */
    record *records;
    size_t count;
} taking;

static void count_records(void *context, int t, size_t begin, size_t end)
{
    const taking *k = context;
    (void)t;
    for (size_t block = begin; block < end; block++)
        k->from[block] = take_block(&k->soft->s, block, NULL, (extras){NULL, NULL});
}

static void copy_records(void *context, int t, size_t begin, size_t end)
{
    const taking *k = context;
    (void)t;
    for (size_t block = begin; block < end; block++)
        take_block(&k->soft->s, block, k->records + k->from[block],
                   extras_of(k->soft, k->count, k->from[block]));
}

static jo_status take_records(jo_soft *soft, size_t *count, jo_error *error)
{
    const size_t blocks = soft->listed_blocks;
    taking k = {.soft = soft, .from = malloc((blocks + 1) * sizeof *k.from)};
    *count = 0;
    if (k.from == NULL) return jo_fail_memory(error, blocks * sizeof *k.from, "blocks");
    in_parts(soft, blocks, count_records, &k);
    for (size_t block = 0; block < blocks; block++) {
        const size_t more = k.from[block];
        k.from[block] = *count;
        *count += more;
    }
    const size_t size = sizeof(record) + (soft->law.remembers_rolling ? 4 * sizeof(double) : 0) +
                        (takes_notes(soft) ? NOTE * sizeof(float) : 0);
    const bool room = reserve_more(&soft->records, *count + 1, size);
    if (room) {
        k.records = soft->records.data;
        k.count = *count;
        in_parts(soft, blocks, copy_records, &k);
    }
    free(k.from);
    return room ? JO_OK : jo_fail_memory(error, *count * size, "contact histories");
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

static jo_status make_search(jo_soft *soft, jo_error *error)
{
    if (soft->search != NULL) return JO_OK;
    jo_broad_def def = jo_broad_def_default();
    def.method = soft->scene.broad[0] != '\0' ? soft->scene.broad : "auto";
    def.threads = soft->threads;
    def.ordered = false;
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
    if (entries >= NO_ROW)
        return jo_fail(
            error, JO_ERR_DATA,
            "%zu pairs of bodies are near each other, more than lists hold (%u): the skin "
            "is too large for so many bodies",
            entries, NO_ROW - 1);
    if (!reserve_more(&soft->entry, entries + 16, sizeof(uint32_t)) ||
        !reserve_more(&soft->own, outer + 16, sizeof(uint16_t)))
        return jo_fail_memory(error, entries * 4, "neighbour lists");
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

jo_status jo_lists_history(jo_soft *soft, jo_error *error)
{
    const size_t entries = soft->stats.list_pairs;
    if (!reserve_more(&soft->history, entries + 1, HISTORY * sizeof(double)) ||
        (soft->law.remembers_rolling &&
         !reserve_more(&soft->roll, entries + 1, 4 * sizeof(double))) ||
        (takes_notes(soft) && !reserve_more(&soft->note, entries + 1, NOTE * sizeof(float))))
        return jo_fail_memory(error, entries * 32, "contact histories");
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
        s->list[block] = (block_list){*entries, *outer, inner_sum, outer_sum, {{0}}};
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

/* The row of the entry that `owner` keeps for `other`; NO_ROW: there is none, the contact lasted beyond
 * touching and has just left the lists' reach. */
static uint32_t find_entry(const filler *f, uint32_t owner, uint32_t other)
{
    const view *s = f->s;
    const block_list *list = &s->list[owner / BLOCK_BODIES];
    const bool inner = owner / BLOCK_BODIES == other / BLOCK_BODIES;
    const atomic_uint *ends = inner ? f->at.inner : f->at.outer;
    const uint32_t from = owner % BLOCK_BODIES == 0 ? 0 : ends[owner - 1], end = ends[owner];
    const size_t base = list->row + (inner ? 0 : list->inner);
    const uint32_t wanted = inner ? INNER(owner % BLOCK_BODIES, other % BLOCK_BODIES) : other;
    for (uint32_t k = from; k < end; k++)
        if (s->entry[base + k] == wanted) return (uint32_t)(base + k);
    return NO_ROW;
}

/* What contacts remember on its way to their new entries. */
typedef struct handing {
    jo_soft *soft;
    const filler *f;
    record *records;
    extras more;
    uint32_t *place; /* where each row of the lists went when entries were put in order */
} handing;

/* Contacts find their entries: a record's bodies give way to the rows of its entries, one with
 * either body where those are in different blocks. */
static void find_rows(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    const uint32_t *map = h->soft->map;
    (void)t;
    for (size_t k = begin; k < end; k++) {
        record *r = &h->records[k];
        uint32_t a = map[r->a], b = map[r->b];
        const bool gone = a == UINT32_MAX || b == UINT32_MAX;
        r->a = r->b = NO_ROW;
        if (gone) continue;
        if (a > b) { /* seen from the other side */
            const uint32_t swap = a;
            a = b;
            b = swap;
            for (size_t c = 0; c < 3; c++) {
                r->history[c] = -r->history[c];
                if (h->more.rolls != NULL) h->more.rolls[4 * k + c] = -h->more.rolls[4 * k + c];
            }
            for (size_t c = 0; c < NOTE && h->more.notes != NULL; c++)
                h->more.notes[NOTE * k + c] = -h->more.notes[NOTE * k + c];
        }
        r->a = find_entry(h->f, a, b);
        if (a / BLOCK_BODIES != b / BLOCK_BODIES) r->b = find_entry(h->f, b, a);
    }
}

/* Apart from finding them: threads that look for entries must not meet others that change them. */
static void mark_rows(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    uint32_t *entry = h->soft->s.entry;
    (void)t;
    for (size_t k = begin; k < end; k++) {
        const record *r = &h->records[k];
        if (r->a != NO_ROW) entry[r->a] |= ENTRY_TOUCHING;
        if (r->b != NO_ROW) entry[r->b] |= ENTRY_TOUCHING;
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

/* Puts entries in the order of their classes, each class in its order; place tells where every row
 * went, `end` where classes end. own may be NULL. */
static void order_part(const jo_soft *soft, size_t block, bool outer, uint32_t *spare,
                       uint32_t *place)
{
    const view *s = &soft->s;
    block_list *list = &s->list[block];
    const size_t row = list->row + (outer ? list->inner : 0), first = block_first(block);
    const uint32_t count = outer ? list->outer : list->inner;
    uint32_t *entry = s->entry + row, next[NEAR_CLASSES + 1] = {0};
    uint16_t *own = s->own + list->own;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t e = entry[k] & ENTRY_BODY;
        const size_t a = first + (outer ? own[k] : INNER_A(e)), b = outer ? e : first + INNER_B(e);
        place[row + k] = class_of(soft, entry[k], a, b);
        next[place[row + k]]++;
        spare[2 * k] = entry[k];
        spare[2 * k + 1] = outer ? own[k] : 0;
    }
    uint32_t sum = 0;
    for (int c = 0; c <= NEAR_CLASSES; c++) {
        const uint32_t begin = sum;
        sum += next[c];
        next[c] = begin;
        list->end[outer][c] = sum;
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t to = next[place[row + k]]++;
        entry[to] = spare[2 * k];
        if (outer) own[to] = (uint16_t)spare[2 * k + 1];
        place[row + k] = (uint32_t)row + to;
    }
}

/* Histories of contacts lie together: rows of pairs that are only near are not even read. */
static void order_entries(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    uint32_t *spare = h->soft->scratch[t].words.data;
    for (size_t b = begin; b < end; b++) {
        order_part(h->soft, b, false, spare, h->place);
        order_part(h->soft, b, true, spare, h->place);
    }
}

static void put_history(const handing *h, uint32_t entry, size_t k)
{
    if (entry == NO_ROW) return;
    const view *s = &h->soft->s;
    const size_t row = h->place[entry];
    memcpy(s->history + HISTORY * row, h->records[k].history, sizeof h->records[k].history);
    if (h->more.rolls != NULL)
        memcpy(s->roll + 4 * row, h->more.rolls + 4 * k, 4 * sizeof *s->roll);
    if (h->more.notes != NULL)
        memcpy(s->note + NOTE * row, h->more.notes + NOTE * k, NOTE * sizeof *s->note);
}

static void put_histories(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    (void)t;
    for (size_t k = begin; k < end; k++) {
        put_history(h, h->records[k].a, k);
        put_history(h, h->records[k].b, k);
    }
}

/* What contacts remember goes to their new entries, and those go first. */
static jo_status hand_over(jo_soft *soft, const filler *f, size_t count, jo_error *error)
{
    const size_t entries = soft->stats.list_pairs;
    handing h = {soft, f, soft->records.data, extras_of(soft, count, 0), NULL};
    /* In the forces' room, between the ends of bodies' entries and the map, if it is large enough. */
    void *apart = NULL;
    if (entries <= 9 * soft->s.n)
        h.place = (uint32_t *)(void *)soft->s.f + 2 * soft->s.n;
    else
        h.place = apart = malloc((entries + 1) * sizeof *h.place);
    if (h.place == NULL) return jo_fail_memory(error, entries * sizeof *h.place, "neighbour lists");
    in_parts(soft, count, find_rows, &h);
    in_parts(soft, count, mark_rows, &h);
    in_parts(soft, soft->blocks, order_entries, &h);
    const jo_status status = jo_lists_history(soft, error);
    if (status == JO_OK) in_parts(soft, count, put_histories, &h);
    free(apart);
    return status;
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

static jo_status search_pairs(jo_soft *soft, filler *f, double *searching, jo_error *error)
{
    jo_bodies bodies;
    size_t ghosts;
    const double beyond = soft->skin + soft->s.reach;
    jo_status status = make_search(soft, error);
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
    soft->search_method = jo_broad_statistics(soft->search).method;
    return JO_OK;
}

static void note_bytes(jo_soft *soft)
{
    const size_t bytes = jo_state_bytes(soft) + jo_buffer_lent_unused();
    if (bytes > soft->stats.bytes_peak) soft->stats.bytes_peak = bytes;
}

/* Histories wait in `records` while the search has their memory, which it gives back before they return:
 * at no time is there room for both, and no page is asked for twice. */
static jo_status make_lists(jo_soft *soft, size_t records, double *searching, jo_error *error)
{
    filler f;
    size_t entries = 0, outer = 0;
    const bool kept = jo_poly_search_boxes(soft); /* and with it its memory */
    const bool lent = !kept && jo_buffer_lend(&soft->history);
    jo_buffer_free(&soft->roll);
    jo_buffer_free(&soft->note);
    jo_status status = search_pairs(soft, &f, searching, error);
    if (status == JO_OK) {
        count_entries(soft, &f, &entries, &outer);
        status = jo_lists_room(soft, entries, outer, error);
    }
    if (status == JO_OK) {
        fill_entries(soft, &f);
        status = jo_poly_lists(soft, f.pairs, f.ghosts_from, f.ghost_of, error);
        note_bytes(soft);
    }
    if (!kept || status != JO_OK) {
        jo_broad_destroy(soft->search);
        soft->search = NULL;
    }
    if (lent) jo_buffer_take_back(&soft->history);
    if (status == JO_OK) status = hand_over(soft, &f, records, error);
    /* Kept for the next time where that holds no more memory than the search did. */
    if (jo_state_bytes(soft) > soft->stats.bytes_peak) jo_buffer_free(&soft->records);
    if (status == JO_OK) note_bytes(soft);
    return status;
}

jo_status jo_lists_rebuild(jo_soft *soft, jo_error *error)
{
    const double begin = jo_seconds();
    size_t records = 0, wall_contacts = 0;
    const size_t blocks_before = soft->listed_blocks;
    double searching = 0;
    wall_contact *with_walls = NULL;
    jo_status status = take_records(soft, &records, error);
    if (status == JO_OK)
        status = jo_walls_take(soft, blocks_before, &with_walls, &wall_contacts, error);
    adapt_skin(soft);
    jo_box_wrap(soft);
    const double sorting = jo_seconds();
    if (status == JO_OK && soft->unsorted > 2 * soft->mean_radius)
        jo_state_sort(soft);
    else if (status == JO_OK)
        jo_state_keep(soft);
    if (status == JO_OK) jo_poly_indices(soft);
    const double sorted = jo_seconds();
    if (status == JO_OK) status = make_lists(soft, records, &searching, error);
    if (status == JO_OK) {
        for (size_t b = soft->blocks; b < blocks_before; b++)
            soft->s.walls[b].contact_count = soft->s.walls[b].near_count = 0;
        status = jo_walls_settle(soft, with_walls, wall_contacts, error);
    }
    free(with_walls);
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
