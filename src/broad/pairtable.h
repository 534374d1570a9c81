/* pairtable.h — a set of pairs of bodies: open addressing, for pairs that come and go one by one.
 */
#ifndef JO_BROAD_PAIRTABLE_H
#define JO_BROAD_PAIRTABLE_H

#include "base/memory.h"
#include "base/mix.h"
#include "jostle/scene.h"

/* A free slot is 0: no pair is, because i < j means j >= 1. */
typedef struct pairtable {
    buffer slots;    /* of uint64_t: i << 32 | j with i < j */
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} pairtable;

static inline uint64_t *pairtable_slots(const pairtable *t)
{
    return t->slots.data;
}

static inline uint64_t pairtable_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* The slot that holds the key, or the free one where it would go. The table must have a free slot.
 */
static inline size_t pairtable_find(const pairtable *t, uint64_t key)
{
    const uint64_t *slots = pairtable_slots(t);
    size_t k = jo_mix64(key) & (t->capacity - 1);
    while (slots[k] != 0 && slots[k] != key)
        k = (k + 1) & (t->capacity - 1);
    return k;
}

void jo_pairtable_free(pairtable *t);

/* Empties it and makes room for `expected` pairs. False: out of memory, the table is as before. */
bool jo_pairtable_clear(pairtable *t, size_t expected);

/* Adds a pair if it is not there. False: out of memory. */
bool jo_pairtable_insert(pairtable *t, uint32_t a, uint32_t b);

/* Removes a pair if it is there. */
void jo_pairtable_erase(pairtable *t, uint32_t a, uint32_t b);

#endif
