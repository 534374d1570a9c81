/* hand_over.h — between lists.c and hand_over.c: contacts while lists are made anew. */
#ifndef JO_SOFT_HAND_OVER_H
#define JO_SOFT_HAND_OVER_H

#include <stdatomic.h>

#include "soft/engine.h"

enum { LONG_MEMOS = 1 << 22 }; /* of a block, at most */

/* What is left of a block as it was. */
typedef struct block_before {
    size_t words; /* where its contacts of one word begin; before that, how many there are */
    size_t longs; /* likewise those of two */
    size_t page;  /* its first, of the pages before */
    uint32_t pages;
} block_before;

typedef struct taken {
    size_t contacts; /* each once */
    size_t blocks;
    block_before *block; /* and one more: where the last ends */
} taken;

/* Where each body's entries end, counted from the block's first of that kind, while lists are made:
 * in the forces' room. */
typedef struct spans {
    atomic_uint *inner, *outer;
} spans;

/* Work on [begin, end) of many things, by thread t. */
typedef void (*part_work)(void *context, int t, size_t begin, size_t end);
/* At the same time. No result may depend on how things are shared out. */
void jo_in_parts(const jo_soft *soft, size_t count, part_work work, void *context);

static inline void note_bytes(jo_soft *soft, size_t bytes)
{
    if (bytes > soft->stats.bytes_peak) soft->stats.bytes_peak = bytes;
}

/* Writes down all contacts and drops the old lists. all->block is for free(). */
jo_status jo_contacts_take(jo_soft *soft, taken *all, jo_error *error);
/* Puts the new entries, which stand in the order of bodies, in that of their classes, and gives
 * contacts their memos; `at` tells where each body's are. */
jo_status jo_contacts_hand_over(jo_soft *soft, spans at, const taken *before, jo_error *error);

#endif
