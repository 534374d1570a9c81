/* kernel_collect.h — which pairs of a block are in contact; a part of kernel.h. */
#ifndef JO_SOFT_KERNEL_COLLECT_H
#define JO_SOFT_KERNEL_COLLECT_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

/* Which of the pairs touch, or may for laws that reach further: a bit each. Radii are added as rows
 * are subtracted. */
INLINE unsigned touching(const view *s, const alike4 *same, const body_at *a, const body_at *b)
{
    vec4 c[4], up;
    if (same->are) {
        const vec4x3 d = alike_between(s, same, a, b);
        return v4_bits(same->near2 - v4_dot(d, d) >= v4_zero());
    }
    row4 r[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_load(row_of(s->x, a[l])) - fourth_negative(row_load(row_of(s->x, b[l])));
    v4_columns(r, c);
    const vec4x3 d = nearest(&s->box, s->box.sheared, three(c), &up);
    const vec4 sum = c[3] + v4_all(s->reach);
    return v4_bits(sum * sum - v4_dot(d, d) >= v4_zero());
}

enum { ALL_LANES = (1 << JO_LANES) - 1 };

/* Contacts of a block: their entries, with the bit that says whether they were contacts a step ago,
 * and the rows where those lie, from the block's first. */
typedef struct found {
    uint32_t *entry, *row;
    size_t count;
} found;

INLINE void write_places(body_at *to, words4 index)
{
    const mask4 places = words_widen(index) << 3;
    memcpy(to, &places, sizeof places);
}

/* Bodies of outer entries, the smaller index first; returns where that is the own one. */
INLINE words4 outer_bodies(words4 entry, words4 own, body_at *a, body_at *b)
{
    typedef int32_t ints4 __attribute__((vector_size(16)));
    const words4 other = entry & ENTRY_BODY, both = own ^ other;
    const words4 first = (words4)((ints4)own < (ints4)other); /* both are below 2^31 */
    const words4 smaller = (both & first) ^ other;
    write_places(a, smaller);
    write_places(b, smaller ^ both);
    return first;
}

/* Of JO_LANES entries, of which the first is in row `from`, those whose bits are set. */
INLINE void keep(const uint32_t *entry, uint32_t from, unsigned kept, found *f)
{
    const words4 rows = from + (words4){0, 1, 2, 3};
    if (kept == ALL_LANES) {
        words_store(f->entry + f->count, words_load(entry));
        words_store(f->row + f->count, rows);
        f->count += JO_LANES;
        return;
    }
    uint32_t row[JO_LANES];
    words_store(row, rows);
    words_keep(entry, kept, f->entry + f->count);
    words_keep(row, kept, f->row + f->count);
    f->count += (size_t)__builtin_popcount(kept);
}

/* A pair is kept if it touches, and once more after it has parted: the law settles accounts. So
 * what was a contact need not be looked at here. */
INLINE void keep_inner(const view *s, const alike4 *same, const uint32_t *entry, size_t first,
                       uint32_t from, unsigned lanes, found *f)
{
    unsigned kept = words_high(words_load(entry)) & lanes;
    if (kept != lanes) {
        body_at a[JO_LANES], b[JO_LANES];
        const words4 pair = words_load(entry);
        write_places(a, INNER_A(pair) + (uint32_t)first);
        write_places(b, INNER_B(pair) + (uint32_t)first);
        kept |= touching(s, same, a, b) & lanes;
    }
    keep(entry, from, kept, f);
}

/* Nothing is done here for each pair that is kept: how many of four they are nobody can foresee. */
static void collect_inner(const view *s, const alike4 *same, size_t block, found *f)
{
    const block_list *list = &s->list[block];
    const uint32_t *entry = s->entry + list->row, count = list->end[0][s->classes];
    const size_t first = block_first(block);
    places_ahead places = outer_places(s, list);
    const size_t each = list->end[1][s->classes] / (count / JO_LANES + 1) + 1;
    uint32_t last[JO_LANES] = {0}, k = 0;
    for (; k + JO_LANES <= count; k += JO_LANES) {
        if (s->ahead) fetch_places(s, &places, each);
        keep_inner(s, same, entry + k, first, k, ALL_LANES, f);
    }
    if (k < count) { /* lanes beyond the end: the block's first body, masked */
        memcpy(last, entry + k, (count - k) * sizeof *last);
        keep_inner(s, same, last, first, k, (1u << (count - k)) - 1, f);
    }
}

/* Up to JO_LANES outer entries, the first of which is the list's k-th. */
INLINE void keep_outer(const view *s, const alike4 *same, size_t block, const uint32_t *entry,
                       const uint16_t *place, uint32_t k, unsigned lanes, found *f)
{
    unsigned kept = words_high(words_load(entry)) & lanes;
    if (kept != lanes) {
        body_at a[JO_LANES], b[JO_LANES];
        const words4 own = {place[0], place[1], place[2], place[3]};
        outer_bodies(words_load(entry), own + (uint32_t)block_first(block), a, b);
        kept |= touching(s, same, a, b) & lanes;
    }
    keep(entry, k, kept, f);
}

static void collect_outer(const view *s, const alike4 *same, size_t block, found *f)
{
    const block_list *list = &s->list[block];
    const uint32_t *entry = s->entry + list->row + list->inner, count = list->end[1][s->classes];
    const uint16_t *place = s->own + list->own;
    uint32_t k = 0;
    for (; k + JO_LANES <= count; k += JO_LANES)
        keep_outer(s, same, block, entry + k, place + k, k, ALL_LANES, f);
    if (k < count) { /* lanes beyond the end: the last entry once more, masked */
        uint32_t last[JO_LANES];
        uint16_t where[JO_LANES];
        for (uint32_t l = 0; l < JO_LANES; l++) {
            last[l] = entry[k + l < count ? k + l : count - 1];
            where[l] = place[k + l < count ? k + l : count - 1];
        }
        keep_outer(s, same, block, last, where, k, (1u << (count - k)) - 1, f);
    }
}

#endif
