/* viewer_outlines.c — polygons for the page: the triangles that fill a simple polygon.
 *
 * Ears are cut off one after the other: a corner that turns left and has no other corner in its
 * triangle. A simple polygon always has two (Meisters 1975). Cost: O(n^2) for almost all, O(n^3) at
 * worst. */
#include <stdlib.h>

#include "viewer_outlines.h"

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool is_ear(const double *p, const uint32_t *left, size_t n, size_t k)
{
    const uint32_t i = left[(k + n - 1) % n], j = left[k], l = left[(k + 1) % n];
    const double *a = p + 2 * (size_t)i, *b = p + 2 * (size_t)j, *c = p + 2 * (size_t)l;
    if (!(turn(a, b, c) > 0.0)) return false;
    for (size_t m = 0; m < n; m++) {
        const double *x = p + 2 * (size_t)left[m];
        if (left[m] == i || left[m] == j || left[m] == l) continue;
        if (turn(a, b, x) >= 0.0 && turn(b, c, x) >= 0.0 && turn(c, a, x) >= 0.0) return false;
    }
    return true;
}

bool fill_outline(const double *points, size_t n, uint32_t *corner)
{
    uint32_t *left = malloc((n + 1) * sizeof *left);
    if (left == NULL) return false;
    for (size_t k = 0; k < n; k++)
        left[k] = (uint32_t)k;
    for (size_t count = n; count >= 3; count--) {
        size_t ear = 0;
        while (ear < count && !is_ear(points, left, count, ear))
            ear++;
        if (ear == count) ear = 0; /* flat by rounding: any will do */
        *corner++ = left[(ear + count - 1) % count];
        *corner++ = left[ear];
        *corner++ = left[(ear + 1) % count];
        for (size_t k = ear; k + 1 < count; k++)
            left[k] = left[k + 1];
    }
    free(left);
    return true;
}
