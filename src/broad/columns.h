/* columns.h — bodies sorted along one coordinate and kept as columns, for scans along it.
 *
 * The distance sort and the static sweep do the same: order bodies by where they begin in some
 * coordinate, and compare each with those that begin before it ends. */
#ifndef JO_BROAD_COLUMNS_H
#define JO_BROAD_COLUMNS_H

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { COLUMN_BLOCK = 8 };

/* One body (or image of one), as the method makes it. */
typedef struct column_entry {
    double x[3];
    double r;          /* of a sphere that holds the body, widened by rounding */
    double begin, end; /* in the coordinate sorted by */
    uint32_t id, tag;  /* the tag is the method's own */
} column_entry;

/* The entries in order, one array per value, so that a scan is a run through memory. Behind the
 * last one stand COLUMN_BLOCK entries at infinity, near nothing. */
typedef struct columns {
    buffer found, keys, scratch, memory;
    size_t count;
    double *begin, *end, *x[3], *r;
    uint32_t *id, *tag;
} columns;

void jo_columns_free(columns *c);
size_t jo_columns_bytes(const columns *c);

/* Starts a new collection with room for n entries. False: out of memory. */
bool jo_columns_start(columns *c, size_t n);
bool jo_columns_add(columns *c, const column_entry *e);

/* Sorts what was added by `begin`; equal ones stay in the order they were added. */
bool jo_columns_sort(columns *c);

/* The first entry at or after `from` that begins beyond `end`. */
size_t jo_columns_stop(const columns *c, size_t from, double end);

/* How deep the sphere of entry i is in those of COLUMN_BLOCK entries from j on; negative: not at
 * all. On periodic axes (period NULL: there are none; INFINITY: this one is not) the shorter way
 * round. Returns false if all are negative, which is the rule. Written without branches over the
 * block, for the compiler to use vectors. */
static inline bool columns_near(const columns *c, size_t i, size_t j, const double *period,
                                double depth[COLUMN_BLOCK])
{
    const double x = c->x[0][i], y = c->x[1][i], z = c->x[2][i], r = c->r[i];
    for (size_t k = 0; k < COLUMN_BLOCK; k++) {
        double dx = fabs(c->x[0][j + k] - x), dy = fabs(c->x[1][j + k] - y);
        double dz = fabs(c->x[2][j + k] - z);
        if (period != NULL) {
            const double rx = period[0] - dx, ry = period[1] - dy, rz = period[2] - dz;
            dx = rx < dx ? rx : dx;
            dy = ry < dy ? ry : dy;
            dz = rz < dz ? rz : dz;
        }
        const double reach = c->r[j + k] + r;
        depth[k] = reach * reach - (dx * dx + dy * dy + dz * dz);
    }
    uint64_t bits[COLUMN_BLOCK], all = UINT64_MAX;
    memcpy(bits, depth, sizeof bits);
    for (size_t k = 0; k < COLUMN_BLOCK; k++)
        all &= bits[k];
    return all >> 63 == 0;
}

#endif
