/* columns.c — bodies sorted along one coordinate.
 *
 * Entries are collected in any order, their begins are sorted as keys (keysort.h), and the values
 * are dealt out to columns in that order. Cost O(n); 56 + 32 + 56 bytes per entry. */
#include "broad/columns.h"

#include "base/keysort.h"

void jo_columns_free(columns *c)
{
    jo_buffer_free(&c->found);
    jo_buffer_free(&c->keys);
    jo_buffer_free(&c->scratch);
    jo_buffer_free(&c->memory);
    *c = (columns){0};
}

size_t jo_columns_bytes(const columns *c)
{
    return c->found.size + c->keys.size + c->scratch.size + c->memory.size;
}

bool jo_columns_start(columns *c, size_t n)
{
    c->count = 0;
    return jo_buffer_reserve(&c->found, n, sizeof(column_entry));
}

bool jo_columns_add(columns *c, const column_entry *e)
{
    if (!jo_buffer_grow(&c->found, c->count * sizeof *e, c->count + 1, sizeof *e)) return false;
    ((column_entry *)c->found.data)[c->count++] = *e;
    return true;
}

static void write_row(columns *c, size_t k, const column_entry *e)
{
    for (int a = 0; a < 3; a++)
        c->x[a][k] = e->x[a];
    c->r[k] = e->r;
    c->begin[k] = e->begin;
    c->end[k] = e->end;
    c->id[k] = e->id;
    c->tag[k] = e->tag;
}

bool jo_columns_sort(columns *c)
{
    const size_t count = c->count, rows = count + COLUMN_BLOCK;
    if (!jo_buffer_reserve(&c->keys, count, sizeof(keyed)) ||
        !jo_buffer_reserve(&c->scratch, count, sizeof(keyed)) ||
        !jo_buffer_reserve(&c->memory, rows, 7 * sizeof(double)))
        return false;
    keyed *keys = c->keys.data;
    const column_entry *found = c->found.data;
    for (size_t k = 0; k < count; k++)
        keys[k] = (keyed){.key = key_of_double(found[k].begin), .id = (uint32_t)k};
    jo_keysort(keys, c->scratch.data, count);

    double *next = c->memory.data;
    double **const column[] = {&c->x[0], &c->x[1], &c->x[2], &c->r, &c->begin, &c->end};
    for (size_t k = 0; k < sizeof column / sizeof *column; k++, next += rows)
        *column[k] = next;
    c->id = (uint32_t *)next;
    c->tag = c->id + rows;
    for (size_t k = 0; k < count; k++)
        write_row(c, k, &found[keys[k].id]);
    const column_entry nowhere = {.x = {INFINITY, INFINITY, INFINITY}, .begin = INFINITY};
    for (size_t k = count; k < rows; k++)
        write_row(c, k, &nowhere);
    return true;
}

size_t jo_columns_stop(const columns *c, size_t from, double end)
{
    size_t lo = from, hi = c->count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (c->begin[middle] <= end)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}
