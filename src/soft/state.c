/* state.c — the engine's arrays: room for them, filling them, and keeping them in spatial order.
 *
 * Order: bodies are sorted along a Hilbert curve over cells of about a diameter, so that bodies
 * close in space are close in memory and a block is a compact lump. Sorting happens when lists are
 * made; forces are dead then, and their array is the scratch space. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "soft/poly.h"

/* Large buffers all begin at the same place of a page, and rows of one body in several of them
 * would fall into the same few sets of the caches. So the k-th array of rows begins k of these
 * later: 17152 bytes, an odd number of lines and of pages and no simple part of either (960,000
 * bodies: 4 % faster). */
enum { LATER = 67 * 256 };

static size_t later(int k)
{
    return (size_t)k * LATER;
}

/* The first `before` bytes are not used. */
static jo_status grow(buffer *b, size_t before, size_t used, size_t count, size_t size,
                      jo_error *error)
{
    if (!jo_buffer_grow(b, used > 0 ? before + used * size : 0, before / size + count, size))
        return jo_fail_memory(error, count * size, "bodies");
    return JO_OK;
}

jo_status jo_state_room(jo_soft *soft, size_t n, jo_error *error)
{
    const size_t used = soft->s.n, blocks = (n + BLOCK_BODIES - 1) / BLOCK_BODIES;
    const struct {
        buffer *b;
        size_t before, used, count, size;
    } all[] = {
        {&soft->x, 0, 4 * used, 4 * n, sizeof(double)},
        {&soft->v, later(1), 4 * used, 4 * n, sizeof(double)},
        {&soft->w, later(2), 4 * used, 4 * n, sizeof(double)},
        {&soft->c, later(3), 6 * used, 6 * n + 2, sizeof(float)},  /* loads reach one beyond */
        {&soft->f, later(4), 6 * used, 6 * n + 8, sizeof(double)}, /* likewise */
        {&soft->id, 0, used, n, sizeof(uint64_t)},
        {&soft->material, 0, used, n, sizeof(uint8_t)},
        {&soft->list, 0, soft->listed_blocks, blocks, sizeof(block_list)},
        {&soft->sums, 0, 0, blocks, sizeof(block_sums)},
        {&soft->wall_forces, 0, 0, 6 * blocks * soft->wall_count + 1, sizeof(double)},
        {&soft->block_walls, 0, soft->block_walls_made, blocks, sizeof(block_walls)},
    };
    if (n > JO_BODIES_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "%zu bodies are more than the %zu that fit", n,
                       JO_BODIES_MAX);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const jo_status status =
            grow(all[k].b, all[k].before, all[k].used, all[k].count, all[k].size, error);
        if (status != JO_OK) return status;
    }
    const jo_status status = jo_poly_room(soft, n, error);
    if (status != JO_OK) return status;
    block_walls *walls = soft->block_walls.data;
    for (; soft->block_walls_made < blocks; soft->block_walls_made++)
        walls[soft->block_walls_made] = (block_walls){0};
    jo_state_view(soft);
    return JO_OK;
}

/* Of one radius, and of one mass those that are not fixed. */
static void are_they_alike(view *s)
{
    double lightness = 0;
    s->radius = s->lightness = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double own = s->v[4 * i + 3];
        if (lightness == 0) lightness = own;
        if (s->x[4 * i + 3] != s->x[3] || (own != lightness && own != 0)) return;
    }
    if (s->n == 0 || lightness == 0) return;
    s->radius = s->x[3];
    s->lightness = lightness;
}

void jo_state_uniform(jo_soft *soft)
{
    const uint8_t *material = soft->material.data;
    soft->s.uniform =
        soft->s.n > 0 ? &soft->law.pairs[material[0] * (soft->law.materials + 1)] : NULL;
    for (size_t i = 1; i < soft->s.n; i++)
        if (material[i] != material[0]) soft->s.uniform = NULL;
    are_they_alike(&soft->s);
}

static void *rows_of(const buffer *b, int k)
{
    return b->data != NULL ? (char *)b->data + later(k) : NULL;
}

void jo_state_view(jo_soft *soft)
{
    view *s = &soft->s;
    s->x = soft->x.data;
    s->v = rows_of(&soft->v, 1);
    s->w = rows_of(&soft->w, 2);
    s->c = rows_of(&soft->c, 3);
    s->f = rows_of(&soft->f, 4);
    s->material = soft->material.data;
    s->list = soft->list.data;
    s->entry = soft->entry.data;
    s->own = soft->own.data;
    s->late = soft->late_memo.data;
    s->page = soft->page.data;
    s->pool = &soft->pool;
    s->sums = soft->sums.data;
    s->walls = soft->block_walls.data;
    s->wall_forces = soft->wall_forces.data;
    s->live = soft->live;
    s->wall_count = soft->wall_count;
    s->law = &soft->law;
    soft->blocks = (s->n + BLOCK_BODIES - 1) / BLOCK_BODIES;
}

/* Writes body i, whose room is there, at rest in its accelerations. */
void jo_state_put(jo_soft *soft, size_t i, uint64_t id, const double x[3], const double v[3],
                  const double w[3], double r, uint32_t material, bool fixed)
{
    const view *s = &soft->s;
    const double pi = 3.14159265358979323846, density = soft->materials[material].density;
    const double mass = s->dim == 2 ? density * pi * r * r : density * 4 / 3 * pi * r * r * r;
    const double inertia = s->dim == 2 ? 0.5 * mass * r * r : 0.4 * mass * r * r;
    for (int a = 0; a < 3; a++) {
        const bool flat = s->dim == 2;
        s->x[4 * i + a] = flat && a == 2 ? 0 : x[a];
        s->v[4 * i + a] = fixed || (flat && a == 2) ? 0 : v[a];
        s->w[4 * i + a] = fixed || (flat && a != 2) ? 0 : w[a];
    }
    s->x[4 * i + 3] = r;
    s->v[4 * i + 3] = fixed ? 0 : 1 / mass;
    s->w[4 * i + 3] = fixed ? 0 : 1 / inertia;
    memset(s->c + 6 * i, 0, 6 * sizeof *s->c);
    memset(s->f + 6 * i, 0, 6 * sizeof *s->f);
    s->material[i] = (uint8_t)material;
    ((uint64_t *)soft->id.data)[i] = id;
    soft->ranked = false;
}

/* Place on the Hilbert curve of 2^bits cells per axis: going down from the coarsest bit, the octant
 * is read off, and the frame is mirrored and its axes exchanged so that each octant's piece of
 * curve begins where the one before ended. */
static uint64_t hilbert(uint32_t p[3], int bits, int dim)
{
    for (uint32_t top = 1u << (bits - 1); top > 1; top >>= 1) {
        const uint32_t below = top - 1;
        for (int a = 0; a < dim; a++) {
            if (p[a] & top)
                p[0] ^= below; /* mirrored */
            else {
                const uint32_t swap = (p[0] ^ p[a]) & below; /* axes 0 and a exchanged */
                p[0] ^= swap;
                p[a] ^= swap;
            }
        }
    }
    for (int a = 1; a < dim; a++) /* octants in the order of a Gray code */
        p[a] ^= p[a - 1];
    uint32_t odd = 0;
    for (uint32_t top = 1u << (bits - 1); top > 1; top >>= 1)
        if (p[dim - 1] & top) odd ^= top - 1;
    uint64_t key = 0;
    for (int b = bits - 1; b >= 0; b--)
        for (int a = 0; a < dim; a++)
            key = key << 1 | (((p[a] ^ odd) >> b) & 1);
    return key;
}

/* Keys of all bodies; those whose radius has been made negative are gone and come last. */
static size_t curve_keys(const jo_soft *soft, keyed *items)
{
    const view *s = &soft->s;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < s->n; i++)
        for (int a = 0; a < s->dim; a++) {
            lo[a] = fmin(lo[a], s->x[4 * i + a]);
            hi[a] = fmax(hi[a], s->x[4 * i + a]);
        }
    double extent = 0;
    for (int a = 0; a < s->dim; a++)
        extent = fmax(extent, hi[a] - lo[a]);
    int bits = 1;
    while (bits < 20 && ldexp(soft->mean_radius * 2, bits) < extent)
        bits++;
    const double cells = ldexp(1, bits), scale = extent > 0 ? (cells - 0.5) / extent : 0;
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t p[3] = {0, 0, 0};
        for (int a = 0; a < s->dim; a++)
            p[a] = (uint32_t)fmin(fmax((s->x[4 * i + a] - lo[a]) * scale, 0), cells - 1);
        const bool gone = s->x[4 * i + 3] < 0;
        items[i] = (keyed){gone ? UINT64_MAX : hilbert(p, bits, s->dim), (uint32_t)i, 0};
        kept += !gone;
    }
    return kept;
}

static void permute(void *array, size_t size, const keyed *items, size_t n, void *room)
{
    const char *from = array;
    char *to = room;
    for (size_t k = 0; k < n; k++)
        memcpy(to + k * size, from + items[k].id * size, size);
    memcpy(array, room, n * size);
}

void jo_state_sort(jo_soft *soft)
{
    view *s = &soft->s;
    soft->unsorted = 0;
    soft->ranked = false;
    soft->map = NULL;
    if (s->n == 0) return;
    /* In the forces' room of 48 bytes a body: keys (16), and 32 for sorting and for moving rows. */
    keyed *items = (keyed *)(void *)s->f, *room = items + s->n;
    const size_t before = s->n, kept = curve_keys(soft, items);
    jo_keysort(items, room, before);
    s->n = kept;
    permute(s->x, 4 * sizeof *s->x, items, kept, room);
    permute(s->v, 4 * sizeof *s->v, items, kept, room);
    permute(s->w, 4 * sizeof *s->w, items, kept, room);
    permute(s->c, 6 * sizeof *s->c, items, kept, room);
    permute(soft->id.data, sizeof(uint64_t), items, kept, room);
    permute(s->material, 1, items, kept, room);
    if (soft->poly->on) permute(soft->poly->slot.data, sizeof(uint32_t), items, kept, room);
    soft->map = (uint32_t *)(void *)s->f + 11 * before; /* behind what lists will put there */
    for (size_t k = 0; k < before; k++)
        soft->map[items[k].id] = k < kept ? (uint32_t)k : UINT32_MAX;
    soft->blocks = (s->n + BLOCK_BODIES - 1) / BLOCK_BODIES;
}

void jo_state_velocity(const jo_soft *soft, size_t i, double v[3], double w[3])
{
    const view *s = &soft->s;
    const double half = 0.5 * s->step, lightness = s->v[4 * i + 3], turn = s->w[4 * i + 3];
    for (int a = 0; a < 3; a++) {
        const double g = lightness > 0 ? s->gravity[a] : 0;
        v[a] = s->v[4 * i + a] + half * (s->f[6 * i + a] * lightness + g);
        w[a] = s->w[4 * i + a] + half * (s->f[6 * i + 3 + a] * turn);
    }
    double momentum[3];
    if (jo_poly_is(soft, i)) jo_poly_spin(soft, i, w, momentum);
}

jo_status jo_state_order(jo_soft *soft, uint32_t **order, jo_error *error)
{
    const size_t n = soft->s.n;
    if (!jo_buffer_reserve(&soft->order, 2 * n + 1, sizeof(keyed)))
        return jo_fail_memory(error, 2 * n * sizeof(keyed), "the order of ids");
    keyed *items = soft->order.data;
    const uint64_t *id = soft->id.data;
    for (size_t i = 0; i < n; i++)
        items[i] = (keyed){id[i], (uint32_t)i, 0};
    jo_keysort(items, items + n, n);
    uint32_t *out = soft->order.data; /* keys are wider than what replaces them */
    for (size_t i = 0; i < n; i++)
        out[i] = items[i].id;
    *order = out;
    return JO_OK;
}

size_t jo_state_bytes(const jo_soft *soft)
{
    const buffer *all[] = {&soft->x,
                           &soft->v,
                           &soft->w,
                           &soft->c,
                           &soft->f,
                           &soft->id,
                           &soft->material,
                           &soft->list,
                           &soft->entry,
                           &soft->own,
                           &soft->late_memo,
                           &soft->page,
                           &soft->pages_before,
                           &soft->sums,
                           &soft->wall_forces,
                           &soft->block_walls,
                           &soft->records,
                           &soft->ghosts,
                           &soft->ghost_of,
                           &soft->poly->slot,
                           &soft->poly->bodies,
                           &soft->poly->pairs,
                           &soft->poly->spare,
                           &soft->poly->boxes,
                           &soft->poly->surfaces,
                           &soft->poly->moved};
    size_t bytes = sizeof *soft + soft->rank.size + soft->pool.bytes;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        bytes += all[k]->size;
    for (int t = 0; t < soft->threads && soft->scratch != NULL; t++)
        bytes +=
            soft->scratch[t].sums.size + soft->scratch[t].words.size + soft->scratch[t].walls.size;
    if (soft->search != NULL) {
        const jo_broad_stats stats = jo_broad_statistics(soft->search);
        bytes += stats.bytes + stats.bytes_lists;
    }
    const block_walls *walls = soft->block_walls.data;
    for (size_t b = 0; b < soft->block_walls_made; b++)
        bytes += walls[b].near.size + walls[b].primitives.size + walls[b].contacts.size;
    return bytes;
}
