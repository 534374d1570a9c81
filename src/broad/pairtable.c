/* pairtable.c — a set of pairs of bodies.
 *
 * Open addressing with linear probing, at most half full. Removing a pair moves later ones of the
 * same run back into the gap, so there are no tombstones and a table that lives for millions of
 * steps stays as quick as a new one. Order of the slots follows from the history alone: the same
 * calls give the same order on every machine. */
#include "broad/pairtable.h"

#include <string.h>

void jo_pairtable_free(pairtable *t)
{
    jo_buffer_free(&t->slots);
    *t = (pairtable){0};
}

static size_t capacity_for(size_t pairs)
{
    size_t capacity = 64;
    while (capacity / 2 < pairs)
        capacity *= 2;
    return capacity;
}

bool jo_pairtable_clear(pairtable *t, size_t expected)
{
    const size_t capacity = capacity_for(expected);
    if (!jo_buffer_reserve(&t->slots, capacity, sizeof(uint64_t))) return false;
    memset(t->slots.data, 0, capacity * sizeof(uint64_t));
    t->capacity = capacity;
    t->count = 0;
    return true;
}

static bool enlarge(pairtable *t)
{
    pairtable larger = {0};
    if (!jo_pairtable_clear(&larger, t->capacity)) return false;
    for (size_t k = 0; k < t->capacity; k++) {
        const uint64_t key = pairtable_slots(t)[k];
        if (key != 0) pairtable_slots(&larger)[pairtable_find(&larger, key)] = key;
    }
    larger.count = t->count;
    jo_buffer_free(&t->slots);
    *t = larger;
    return true;
}

bool jo_pairtable_insert(pairtable *t, uint32_t a, uint32_t b)
{
    if (2 * (t->count + 1) > t->capacity && !enlarge(t)) return false;
    const uint64_t key = pairtable_key(a, b);
    const size_t k = pairtable_find(t, key);
    t->count += pairtable_slots(t)[k] == 0;
    pairtable_slots(t)[k] = key;
    return true;
}

void jo_pairtable_erase(pairtable *t, uint32_t a, uint32_t b)
{
    if (t->count == 0) return;
    uint64_t *slots = pairtable_slots(t);
    const size_t mask = t->capacity - 1;
    size_t gap = pairtable_find(t, pairtable_key(a, b));
    if (slots[gap] == 0) return;
    /* A later key of the run may fill the gap if its own place is not after the gap. */
    for (size_t k = (gap + 1) & mask; slots[k] != 0; k = (k + 1) & mask) {
        const size_t home = jo_mix64(slots[k]) & mask;
        if (((k - home) & mask) < ((k - gap) & mask)) continue;
        slots[gap] = slots[k];
        gap = k;
    }
    slots[gap] = 0;
    t->count--;
}
