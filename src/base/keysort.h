/* keysort.h — sorting 64-bit keys that carry an index, and doubles as such keys. */
#ifndef JO_BASE_KEYSORT_H
#define JO_BASE_KEYSORT_H

#include <stdint.h>
#include <string.h>

#include "jostle/base.h"

typedef struct keyed {
    uint64_t key;
    uint32_t id;
    uint32_t tag; /* free for the caller */
} keyed;

/* Bits that order as the doubles do: a < b gives a smaller key (and −0 comes just before +0). */
static inline uint64_t key_of_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Sorts by key, keeping the order of equal keys; scratch has room for n, too. Time O(n). */
void jo_keysort(keyed *items, keyed *scratch, size_t n);

#endif
