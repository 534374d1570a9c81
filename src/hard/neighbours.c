/* neighbours.c — all lists of neighbours made anew; renew.h says what they are. */
#include "hard/neighbours.h"

#include <string.h>

#include "hard/renew.h"

/* All rows with more room each. */
bool jo_neighbours_widen(jo_hard *h, uint32_t room)
{
    buffer wider = {0};
    if (!jo_buffer_reserve(&wider, (size_t)room * h->n, sizeof *h->rows)) return false;
    uint32_t *to = wider.data;
    for (uint32_t i = 0; i < h->n; i++)
        memcpy(to + (size_t)room * i, row_of(h, i), h->row_size * sizeof *to);
    jo_buffer_free(&h->memory_rows);
    h->memory_rows = wider;
    h->rows = to;
    h->row_size = room;
    return true;
}

bool jo_neighbours_make(jo_hard *h, bool centred)
{
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t *row = row_of(h, i);
        h->balls[i].next = h->plans[i].turns;
        row[0] = 0;
        for (uint32_t k = 1; k < h->row_size; k++)
            row[k] = i;
    }
    for (uint32_t i = 0; i < h->n; i++) {
        if (centred) centre_shell(h, i);
        if (!add_near(h, i, NULL)) return false;
        shell_add(h, shell_cell(h, i), i);
    }
    return true;
}
