/* same_place.c — two bodies at the very same point: no force could part them, for it has no
 * direction.
 *
 * Positions, wrapped into the box on periodic axes, are put into a hash table one by one; bodies
 * that do not move may share a place, for nothing acts between them. Cost: O(n), 8 bytes a body
 * that are given back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "soft/engine.h"

static void place_of(const jo_soft *soft, size_t i, double x[3])
{
    const box4 *box = &soft->s.box;
    for (int a = 0; a < 3; a++) {
        x[a] = soft->s.x[4 * i + a] + 0.0; /* -0 becomes 0 */
        if (box->periodic[a])
            x[a] -= box->size[a] * floor((x[a] - soft->scene.domain.lo[a]) * box->inverse[a]);
    }
}

static uint64_t hash_of(const double x[3])
{
    uint64_t bits[3], h = 0;
    memcpy(bits, x, sizeof bits);
    for (int a = 0; a < 3; a++)
        h = jo_mix64(h ^ bits[a]);
    return h;
}

static bool moves(const jo_soft *soft, size_t i)
{
    return soft->s.v[4 * i + 3] > 0; /* the inverse of its mass */
}

static jo_status tell(const jo_soft *soft, size_t i, size_t j, const double x[3], jo_error *error)
{
    const uint64_t *id = soft->id.data;
    const uint64_t a = id[i] < id[j] ? id[i] : id[j], b = id[i] < id[j] ? id[j] : id[i];
    return jo_fail(error, JO_ERR_DATA,
                   "bodies %llu and %llu are both at (%g, %g, %g): no force has a direction that "
                   "could part them; move or remove one",
                   (unsigned long long)a, (unsigned long long)b, x[0], x[1], x[2]);
}

jo_status jo_same_place(const jo_soft *soft, jo_error *error)
{
    size_t slots = 16;
    while (slots < 2 * soft->s.n)
        slots *= 2;
    uint32_t *table = malloc(slots * sizeof *table);
    if (table == NULL) return jo_fail_memory(error, slots * sizeof *table, "the bodies' places");
    memset(table, 0xff, slots * sizeof *table);
    jo_status status = JO_OK;
    for (size_t i = 0; i < soft->s.n && status == JO_OK; i++) {
        double x[3], other[3];
        place_of(soft, i, x);
        size_t slot = (size_t)hash_of(x) & (slots - 1);
        for (; table[slot] != UINT32_MAX && status == JO_OK; slot = (slot + 1) & (slots - 1)) {
            const size_t j = table[slot];
            place_of(soft, j, other);
            if (memcmp(x, other, sizeof x) == 0 && (moves(soft, i) || moves(soft, j)))
                status = tell(soft, i, j, x, error);
        }
        table[slot] = (uint32_t)i;
    }
    free(table);
    return status;
}
