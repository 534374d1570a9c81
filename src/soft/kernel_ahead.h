/* kernel_ahead.h — memory that is needed soon is asked for in time; a part of kernel.h.
 *
 * A processor waits for some two dozen lines of the cache at once and forgets what it is asked for
 * beyond that. So lines are asked for a few at a time all along the work on a block, in the order
 * in which they lie where possible: then it foresees what follows.
 *
 * Few bodies of a single thread lie in the last cache, which answers soon enough without. */
#ifndef JO_SOFT_KERNEL_AHEAD_H
#define JO_SOFT_KERNEL_AHEAD_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

enum { LINE = 64, AHEAD_PARTS = 10 };

/* Memory of the block that comes next, as runs of lines. */
typedef struct ahead {
    const char *at[AHEAD_PARTS];
    size_t lines[AHEAD_PARTS]; /* left of each */
    int parts, part;
    size_t left, turn; /* lines in all, and to be asked for in one turn */
} ahead;

static void add_part(ahead *next, const void *from, size_t bytes)
{
    const size_t before = (uintptr_t)from % LINE, lines = (before + bytes + LINE - 1) / LINE;
    next->at[next->parts] = (const char *)from - before;
    next->lines[next->parts++] = lines;
    next->left += lines;
}

/* The lists of a block: of one part, entries that are looked at, and which memos those have that
 * became contacts late. */
static void add_list(const view *s, const block_list *list, int part, ahead *next)
{
    const uint32_t count = list->end[part][s->classes], first = list->end[part][0];
    add_part(next, s->entry + list->row + (part ? list->inner : 0), count * sizeof(uint32_t));
    add_part(next, late_of(s, list, part, first), (count - first) * sizeof(uint32_t));
}

/* Only what stays as it is during a step is read: another thread may be at work on that block. */
static ahead look_ahead(const view *s, size_t block)
{
    ahead next = {.left = 0};
    if (!s->ahead || block_first(block) >= s->n) return next;
    const size_t first = block_first(block), n = block_count(s, block);
    const block_list *list = &s->list[block];
    add_list(s, list, 0, &next);
    add_part(&next, s->x + 4 * first, 4 * n * sizeof *s->x);
    add_part(&next, s->v + 4 * first, 4 * n * sizeof *s->v);
    add_part(&next, s->w + 4 * first, 4 * n * sizeof *s->w);
    add_part(&next, s->c + 6 * first, 6 * n * sizeof *s->c);
    add_list(s, list, 1, &next);
    add_part(&next, s->own + list->own, list->end[1][s->classes] * sizeof *s->own);
    const size_t memos = (size_t)list->end[0][0] + list->end[1][0];
    add_part(&next, s->page + list->page, (memos / MEMO_ROWS + 1) * sizeof *s->page);
    return next;
}

/* All that is left will be asked for in so many turns. */
static void in_turns(ahead *next, size_t turns)
{
    next->turn = next->left / (turns + 1) + 1;
}

INLINE void fetch_turn(ahead *next)
{
    for (size_t lines = next->turn; lines > 0 && next->left > 0;) {
        const size_t left = next->lines[next->part], now = lines < left ? lines : left;
        const char *at = next->at[next->part];
        for (size_t k = 0; k < now; k++)
            __builtin_prefetch(at + LINE * k, 1, 2);
        next->at[next->part] += LINE * now;
        next->lines[next->part] -= now;
        next->left -= now;
        lines -= now;
        if (now == left) next->part++;
    }
}

/* Places of bodies of other blocks, which may be far away in memory: those that the search for
 * contacts comes to later. */
typedef struct places_ahead {
    const uint32_t *entry, *end;
} places_ahead;

static places_ahead outer_places(const view *s, const block_list *list)
{
    const uint32_t *entry = s->entry + list->row + list->inner;
    return (places_ahead){entry, entry + list->end[1][s->classes]};
}

INLINE void fetch_places(const view *s, places_ahead *next, size_t count)
{
    for (; count > 0 && next->entry < next->end; count--, next->entry++)
        __builtin_prefetch(row_of(s->x, 8 * (body_at)(*next->entry & ENTRY_BODY)), 0, 2);
}

#endif
