/* hand_over.c — what contacts remember goes from the old lists to the new ones.
 *
 * Before the search: contacts are written down in a word or two each, and the old lists can go.
 * After it: the new entries of contacts are marked, entries are put in order, contacts first, and
 * then each block's memos are handed over, page by page. Entries are looked for twice, in their
 * bodies' few: noting where they are would take as much memory as the lists. Nothing here depends
 * on how many threads there are. Cost: linear. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "soft/hand_over.h"

/* A contact while lists are made anew, as the block saw it that listed it: places in the block of
 * both bodies and the number of the memo in one word; where the other body is of another block, or
 * the number is large, the other's index in a second one. Blocks write down all they list, so that
 * either block of a contact hands on its own memo. */
enum { PLACE_BITS = 10, SHORT_MEMOS = 1 << 12 };
_Static_assert(BLOCK_BODIES == 1 << PLACE_BITS, "places in a block do not fit");

typedef struct seen {
    uint32_t own, other; /* bodies as they were */
    uint32_t memo;       /* of the block of `own` */
} seen;

/* Writes down the contacts of a block that are on. NULL: only counts those of one word and of
 * two. */
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

/* The contact at `word`: of one word before `longs`, of two from there on. Returns where the next
 * is. */
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

/* ---- what waits while lists are made ---- */

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

jo_status jo_contacts_take(jo_soft *soft, taken *all, jo_error *error)
{
    *all = (taken){.blocks = soft->listed_blocks};
    all->block = malloc((all->blocks + 1) * sizeof *all->block);
    if (all->block == NULL)
        return jo_fail_memory(error, all->blocks * sizeof *all->block, "blocks");
    taking k = {soft, all, NULL};
    jo_in_parts(soft, all->blocks, count_seen, &k);
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
    /* First into the forces' room, which is dead, if it is large enough: then the old lists can go
     * before there is other room for them. */
    const size_t bytes = words * sizeof(uint32_t);
    const bool waits = bytes <= 6 * soft->s.n * sizeof(double);
    if (waits) {
        k.words = (uint32_t *)(void *)soft->s.f;
        jo_in_parts(soft, all->blocks, write_seen, &k);
        drop_entries(soft);
    }
    if (soft->records.size < bytes + sizeof(uint32_t)) jo_buffer_free(&soft->records);
    if (!jo_buffer_reserve(&soft->records, words + 1, sizeof(uint32_t)))
        return jo_fail_memory(error, bytes, "contacts");
    note_bytes(soft, jo_state_bytes(soft));
    if (waits && bytes > 0) memcpy(soft->records.data, k.words, bytes);
    if (!waits) {
        k.words = soft->records.data;
        jo_in_parts(soft, all->blocks, write_seen, &k);
        drop_entries(soft);
    }
    const buffer swap = soft->page;
    soft->page = soft->pages_before;
    soft->pages_before = swap;
    return JO_OK;
}

/* ---- history ---- */

/* Memos on their way to the blocks of their contacts' new entries. */
typedef struct handing {
    jo_soft *soft;
    spans at;
    const taken *before;
    bool alone; /* one thread does it all */
    atomic_bool no_room;
} handing;

/* The entry that `owner` keeps for `other`, counted from its part's first; NO_ROW: there is none,
 * the contact lasted beyond touching and has just left the lists' reach. Others may mark entries
 * meanwhile. */
static uint32_t find_entry(const handing *h, uint32_t owner, uint32_t other)
{
    const view *s = &h->soft->s;
    const block_list *list = &s->list[owner / BLOCK_BODIES];
    const bool inner = owner / BLOCK_BODIES == other / BLOCK_BODIES;
    const atomic_uint *ends = inner ? h->at.inner : h->at.outer;
    const uint32_t from = owner % BLOCK_BODIES == 0 ? 0 : ends[owner - 1], end = ends[owner];
    const atomic_uint *entry =
        (atomic_uint *)(void *)(s->entry + list->row + (inner ? 0 : list->inner));
    const uint32_t wanted = inner ? INNER(owner % BLOCK_BODIES, other % BLOCK_BODIES) : other;
    for (uint32_t k = from; k < end; k++)
        if ((atomic_load_explicit(&entry[k], memory_order_relaxed) & ENTRY_BODY) == wanted)
            return k;
    return NO_ROW;
}

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

/* An entry has one who marks it, and those who look for others meanwhile ignore the mark. */
static void mark_entry(const handing *h, uint32_t owner, uint32_t other)
{
    const block_list *list = &h->soft->s.list[owner / BLOCK_BODIES];
    const bool inner = owner / BLOCK_BODIES == other / BLOCK_BODIES;
    const uint32_t at = find_entry(h, owner, other);
    if (at == NO_ROW) return;
    uint32_t *entry = &h->soft->s.entry[list->row + (inner ? 0 : list->inner) + at];
    if (h->alone)
        *entry |= ENTRY_TOUCHING;
    else
        atomic_fetch_or_explicit((atomic_uint *)(void *)entry, ENTRY_TOUCHING,
                                 memory_order_relaxed);
}

/* What was a contact is listed among contacts, whether it still is one or not. */
static void mark_entries(void *context, int t, size_t begin, size_t end)
{
    const handing *h = context;
    const uint32_t *words = h->soft->records.data;
    (void)t;
    for (size_t b = begin; b < end; b++) {
        const block_before *block = &h->before->block[b];
        const uint32_t *word = words + block->words, *last = words + block[1].words;
        while (word < last) {
            seen c;
            word = see(word, words + block->longs, (uint32_t)block_first(b), &c);
            const heirs to = heirs_of(h->soft, c);
            for (int k = 0; k < to.count; k++)
                mark_entry(h, to.owner[k], to.other[k]);
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

/* Puts entries in the order of their classes, each class in its order; `end` tells where classes
 * end, and `ends` from now on where each body's of the first class do. */
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
        order_part(h->soft, b, false, spare, h->at.inner);
        order_part(h->soft, b, true, spare, h->at.outer);
    }
}

static bool put_memo(const handing *h, uint32_t owner, uint32_t other, const char *from,
                     bool turned)
{
    const view *s = &h->soft->s;
    const block_list *list = &s->list[owner / BLOCK_BODIES];
    const uint32_t at = find_entry(h, owner, other);
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
jo_status jo_contacts_hand_over(jo_soft *soft, spans at, const taken *before, jo_error *error)
{
    handing h = {soft, at, before, soft->threads == 1 || soft->blocks <= 1, false};
    jo_in_parts(soft, before->blocks, mark_entries, &h);
    jo_in_parts(soft, soft->blocks, order_entries, &h);
    const jo_status status = jo_lists_memos(soft, error);
    if (status != JO_OK) return status;
    jo_in_parts(soft, before->blocks, put_memos, &h);
    jo_in_parts(soft, soft->blocks, fill_pages, &h);
    if (h.no_room) return jo_fail_memory(error, soft->pool.page_size, "what contacts remember");
    return JO_OK;
}
