/* pairlist.h — a growing list of pairs, its sorting and its comparison. */
#ifndef JO_BROAD_PAIRLIST_H
#define JO_BROAD_PAIRLIST_H

#include "base/memory.h"
#include "jostle/scene.h"

typedef struct pairlist {
    buffer memory;
    size_t count;
    bool sorted; /* by (i, j); set by whoever knows, cleared by jo_pairlist_clear */
} pairlist;

static inline jo_pair *pairlist_data(const pairlist *list)
{
    return (jo_pair *)list->memory.data;
}

static inline size_t pairlist_capacity(const pairlist *list)
{
    return list->memory.size / sizeof(jo_pair);
}

static inline void pairlist_clear(pairlist *list)
{
    list->count = 0;
    list->sorted = false;
}

void jo_pairlist_free(pairlist *list);

/* Makes sure that `more` pairs can be written after the last one. False: out of memory. */
bool jo_pairlist_reserve(pairlist *list, size_t more);

/* Appends a pair in either order. False: out of memory. */
static inline bool pairlist_push(pairlist *list, size_t i, size_t j)
{
    if (list->count == pairlist_capacity(list) && !jo_pairlist_reserve(list, 1)) return false;
    pairlist_data(list)[list->count++] = i < j ? (jo_pair){(uint32_t)i, (uint32_t)j}
                                               : (jo_pair){(uint32_t)j, (uint32_t)i};
    return true;
}

/* Sorts by (i, j), all indices below n; scratch is kept between calls. False: out of memory. */
bool jo_pairlist_sort(pairlist *list, size_t n, buffer *scratch, int threads);

/* From two sorted lists: what is only in `now` and what is only in `before`, both sorted. */
bool jo_pairlist_difference(const pairlist *before, const pairlist *now, pairlist *begun,
                            pairlist *ended);

#endif
