/* keysort.c — a radix sort of 64-bit keys, from the lowest byte up.
 *
 * One pass counts all eight digits; then each digit in which the keys differ moves the items once
 * between the two arrays. The papers sort by QuickSort; digits need no comparisons, take the same
 * time for any input, and keep equal keys in order, so that the result is the same everywhere.
 * Short arrays are sorted by insertion: counting would cost more than sorting.
 *
 * Cost: at most 9 passes over 16 n bytes, and a scratch array of the same size. */
#include "base/keysort.h"

enum { SHORT = 40 };

static void insertion_sort(keyed *items, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        const keyed moving = items[k];
        size_t m = k;
        for (; m > 0 && items[m - 1].key > moving.key; m--)
            items[m] = items[m - 1];
        items[m] = moving;
    }
}

void jo_keysort(keyed *items, keyed *scratch, size_t n)
{
    if (n <= SHORT) {
        insertion_sort(items, n);
        return;
    }
    size_t start[8][256] = {{0}};
    for (size_t k = 0; k < n; k++)
        for (int digit = 0; digit < 8; digit++)
            start[digit][items[k].key >> (8 * digit) & 0xff]++;

    keyed *from = items, *to = scratch;
    for (int digit = 0; digit < 8; digit++) {
        size_t *place = start[digit];
        if (place[from[0].key >> (8 * digit) & 0xff] == n) continue; /* all keys agree here */
        size_t total = 0;
        for (int d = 0; d < 256; d++) {
            const size_t count = place[d];
            place[d] = total;
            total += count;
        }
        for (size_t k = 0; k < n; k++)
            to[place[from[k].key >> (8 * digit) & 0xff]++] = from[k];
        keyed *const other = from;
        from = to;
        to = other;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}
