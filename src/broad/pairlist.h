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

/* What an empty list takes that has been asked to have room for so many. */
static inline size_t pairlist_bytes(size_t count)
{
    const size_t most = SIZE_MAX / sizeof(jo_pair) - 1024;
    return ((count < most ? count : most) + 64) * sizeof(jo_pair);
}

/* Makes sure that `more` pairs can be written after the last one. False: out of memory. */
bool jo_pairlist_reserve(pairlist *list, size_t more);

/* Appends a pair in either order. False: out of memory. */
static inline bool pairlist_push(pairlist *list, size_t i, size_t j)
{
    if (list->count == pairlist_capacity(list) && !jo_pairlist_reserve(list, 1)) return false;
    pairlist_data(list)[list->count++] =
        i < j ? (jo_pair){(uint32_t)i, (uint32_t)j} : (jo_pair){(uint32_t)j, (uint32_t)i};
    return true;
}

/* Lists for threads to write to at the same time: the first writes to the result itself, the others
 * to parts that are then joined to it in order. Owned by the search and reused. */
typedef struct pairparts {
    pairlist part[JO_THREADS_MAX]; /* the first is used beside shares only */
} pairparts;

/* The empty list of thread t, or `out` for the first. */
static inline pairlist *pairparts_list(pairparts *parts, int t, pairlist *out)
{
    if (t == 0) return out;
    pairlist_clear(&parts->part[t]);
    return &parts->part[t];
}

/* Appends the parts of threads 1 … threads − 1 to out. False: out of memory. */
bool jo_pairparts_join(const pairparts *parts, int threads, pairlist *out);
/* Where it is known about how many pairs there will be: each thread gets a share of the result's
 * own room, after the pairs that are there, and writes to its empty part only what goes beyond it.
 * Joined, the pairs stand in the order of threads, those of the share before those beyond. False:
 * out of memory. */
bool jo_pairparts_share(pairparts *parts, int threads, size_t expected, pairlist *out,
                        pairlist share[JO_THREADS_MAX]);
bool jo_pairparts_join_shares(const pairparts *parts, int threads, pairlist *out,
                              const pairlist share[JO_THREADS_MAX]);
void jo_pairparts_free(pairparts *parts);
size_t jo_pairparts_bytes(const pairparts *parts);

/* Sorts by (i, j), all indices below n; scratch is kept between calls. False: out of memory. */
bool jo_pairlist_sort(pairlist *list, size_t n, buffer *scratch, int threads);

/* From two sorted lists: what is only in `now` and what is only in `before`, both sorted. */
bool jo_pairlist_difference(const pairlist *before, const pairlist *now, pairlist *begun,
                            pairlist *ended);

#endif
