/* kinetic_save.c — the whole state of hard polygons as named arrays, and back.
 *
 * What is saved is what decides the bits to come: bodies with their own clocks, their corners, the
 * triangles with their plans, the epoch. The calendar is made anew from the plans: the order of
 * events does not depend on what else it held. Where it does on its number of days (they bound the
 * events of an epoch), that is kept.
 *
 * A restored state is checked as any input is: nothing in it is trusted to index an array,
 * neighbours must agree on each other, and the triangles around a corner must end at mandatory
 * sides, so that no walk around one can go on for ever. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hard/kinetic.h"
#include "scene/saved.h"

enum { SAVE_VERSION = 3 };

/* Single numbers, in the order they are saved. */
/* clang-format off */
#define REALS(USE)                                                                                 \
    USE(base) USE(now) USE(instant) USE(gravity[0]) USE(gravity[1]) USE(gap) USE(least_speed)      \
    USE(period) USE(turn_most) USE(calendar.length) USE(stats.lost) USE(stats.added)               \
    USE(stats.work) USE(stats.nearest) USE(last.time) USE(last.speed) USE(rest_at)                 \
    USE(rest_period) USE(rest_gap) USE(part_speed) USE(elastic_speed)
#define COUNTS(USE)                                                                                \
    USE(bodies) USE(corners) USE(mesh.count) USE(boundary) USE(calendar.days) USE(materials)       \
    USE(method) USE(failed) USE(taken) USE(taken_most) USE(at_instant) USE(events)                 \
    USE(stats.flips) USE(stats.collisions) USE(stats.wall_collisions) USE(stats.renewals)          \
    USE(stats.predictions) USE(stats.stale) USE(stats.rebuilds) USE(stats.slow) USE(last.kind)     \
    USE(last.corner[0]) USE(last.corner[1]) USE(last.corner[2]) USE(last.corner[3]) USE(touches)   \
    USE(stats.rests) USE(stats.sweeps) USE(stats.calms) USE(stats.limited) USE(stats.touches)      \
    USE(stats.held) USE(stats.inserted) USE(stats.removed) USE(next_id)
/* Of each body. */
#define BODY_REALS(USE)                                                                            \
    USE(motion.x[0]) USE(motion.x[1]) USE(motion.v[0]) USE(motion.v[1]) USE(motion.a[0])           \
    USE(motion.a[1]) USE(motion.spin) USE(clock) USE(angle) USE(inverse_mass)                      \
    USE(inverse_inertia) USE(mass) USE(inertia) USE(radius) USE(since) USE(held_x[0])              \
    USE(held_x[1])
#define BODY_WORDS(USE)                                                                            \
    USE(first) USE(count) USE(material) USE(still) USE(held) USE(hits)
/* clang-format on */

#define ONE(field) +1
enum {
    REAL_COUNT = 0 REALS(ONE),
    COUNT_COUNT = 1 COUNTS(ONE),
    BODY_REAL_COUNT = 0 BODY_REALS(ONE),
    BODY_WORD_COUNT = 0 BODY_WORDS(ONE),
    TRIANGLE_WORDS = 7 /* corners, neighbours, kind of plan */
};

/* ---- saving ---- */

static void pack_bodies(const jo_kinetic *k, packer *p, jo_chunk *chunks, size_t *count)
{
    const size_t n = k->bodies;
    double *reals = take(p, BODY_REAL_COUNT * n, sizeof *reals);
    uint32_t *words = take(p, BODY_WORD_COUNT * n, sizeof *words);
    uint64_t *ids = take(p, n, sizeof *ids);
    size_t r = 0, w = 0;
    for (size_t i = 0; i < n; i++) {
        const kin_body *b = &k->body[i];
        ids[i] = b->id;
#define PUT(field) reals[r++] = b->field;
        BODY_REALS(PUT)
#undef PUT
#define PUT(field) words[w++] = (uint32_t)b->field;
        BODY_WORDS(PUT)
#undef PUT
    }
    add_chunk(chunks, count, "body_reals", JO_CHUNK_F64, BODY_REAL_COUNT * n, reals);
    add_chunk(chunks, count, "body_words", JO_CHUNK_U32, BODY_WORD_COUNT * n, words);
    add_chunk(chunks, count, "id", JO_CHUNK_U64, n, ids);
    add_chunk(chunks, count, "corner", JO_CHUNK_F64, 2 * (size_t)k->corners, k->local);
    add_chunk(chunks, count, "arm", JO_CHUNK_F64, 2 * (size_t)k->corners, k->arm);
}

static void pack_triangles(const jo_kinetic *k, packer *p, jo_chunk *chunks, size_t *count)
{
    const size_t n = k->mesh.count;
    double *times = take(p, n, sizeof *times);
    uint32_t *words = take(p, TRIANGLE_WORDS * n, sizeof *words);
    for (size_t t = 0; t < n; t++) {
        const triangle *tri = &k->mesh.t[t];
        times[t] = k->plan[t].time;
        memcpy(words + TRIANGLE_WORDS * t, tri->v, sizeof tri->v);
        memcpy(words + TRIANGLE_WORDS * t + 3, tri->n, sizeof tri->n);
        words[TRIANGLE_WORDS * t + 6] = (uint32_t)k->plan[t].kind;
    }
    add_chunk(chunks, count, "due", JO_CHUNK_F64, n, times);
    add_chunk(chunks, count, "triangles", JO_CHUNK_U32, TRIANGLE_WORDS * n, words);
    add_chunk(chunks, count, "at", JO_CHUNK_U32, k->corners, k->mesh.at);
}

static void pack_touches(const jo_kinetic *k, packer *p, jo_chunk *chunks, size_t *count)
{
    const size_t n = k->touches;
    uint64_t *keys = take(p, n, sizeof *keys);
    double *impulses = take(p, 2 * n, sizeof *impulses);
    for (size_t i = 0; i < n; i++) {
        keys[i] = k->touch[i].key;
        impulses[2 * i] = k->touch[i].push;
        impulses[2 * i + 1] = k->touch[i].rub;
    }
    add_chunk(chunks, count, "touch", JO_CHUNK_U64, n, keys);
    add_chunk(chunks, count, "impulse", JO_CHUNK_F64, 2 * n, impulses);
}

JO_API jo_status jo_kinetic_save(jo_kinetic *k, jo_chunk *chunks, size_t *count, jo_error *error)
{
    jo_kinetic_pack(k);
    const size_t room = 8 * (REAL_COUNT + COUNT_COUNT) + 256 +
                        k->bodies * (8 * BODY_REAL_COUNT + 4 * BODY_WORD_COUNT + 8) +
                        k->mesh.count * (8 + 4 * TRIANGLE_WORDS) + 24 * k->touches + 192;
    if (!jo_buffer_reserve(&k->memory_saved, room, 1)) return jo_fail_memory(error, room, "saving");
    packer p = {k->memory_saved.data, (char *)k->memory_saved.data + room};
    double *reals = take(&p, REAL_COUNT, sizeof *reals);
    uint64_t *counts = take(&p, COUNT_COUNT, sizeof *counts);
    const size_t tables = (size_t)k->materials * k->materials;
    size_t at = 0;
#define PUT(field) reals[at++] = k->field;
    REALS(PUT)
#undef PUT
    at = 0;
    counts[at++] = SAVE_VERSION;
#define PUT(field) counts[at++] = (uint64_t)k->field;
    COUNTS(PUT)
#undef PUT
    *count = 0;
    add_chunk(chunks, count, "counts", JO_CHUNK_U64, COUNT_COUNT, counts);
    add_chunk(chunks, count, "reals", JO_CHUNK_F64, REAL_COUNT, reals);
    add_chunk(chunks, count, "friction", JO_CHUNK_F64, tables, k->friction);
    add_chunk(chunks, count, "restitution", JO_CHUNK_F64, tables, k->restitution);
    pack_bodies(k, &p, chunks, count);
    pack_triangles(k, &p, chunks, count);
    pack_touches(k, &p, chunks, count);
    return JO_OK;
}

/* ---- back ---- */

static bool is_power_of_two(double x)
{
    int exponent;
    return x > 0.0 && isfinite(x) && frexp(x, &exponent) == 0.5;
}

/* Sizes and choices; what they must be is checked before anything is made to fit them. */
static void read_counts(source *from, jo_kinetic *k)
{
    const uint64_t *counts = want(from, "counts", JO_CHUNK_U64, COUNT_COUNT);
    if (counts == NULL) return;
    size_t at = 1;
    if (counts[0] != SAVE_VERSION) {
        wrong(from, "it is of another version");
        return;
    }
    for (size_t c = 1; c <= 8; c++)
        if (counts[c] > 1u << 30) wrong(from, "a count is out of bounds");
#define GET(field) k->field = (__typeof__(k->field))counts[at++];
    COUNTS(GET)
#undef GET
    if (k->failed != JO_OK) wrong(from, "the run had failed");
    if (k->bodies < 1 || k->boundary >= k->bodies || k->corners < 3 || k->materials < 1 ||
        k->materials > 1024 || k->mesh.count < 1 ||
        k->mesh.count > (uint64_t)k->corners + 2 * (uint64_t)k->bodies || k->calendar.days < 1 ||
        k->calendar.days > 1u << 24 || k->method > FLAT_EXACT || k->last.kind > JO_KINETIC_REST)
        wrong(from, "a count is out of bounds");
    for (int c = 0; c < 4 && k->last.kind != JO_KINETIC_NOTHING; c++)
        if (k->last.corner[c] >= k->corners) wrong(from, "a corner does not exist");
}

static void read_reals(source *from, jo_kinetic *k)
{
    const double *reals = want(from, "reals", JO_CHUNK_F64, REAL_COUNT);
    if (reals == NULL) return;
    size_t at = 0;
#define GET(field) k->field = reals[at++];
    REALS(GET)
#undef GET
    for (size_t r = 0; r < REAL_COUNT; r++)
        if (isnan(reals[r])) wrong(from, "a number is not one");
    if (!isfinite(k->base) || !isfinite(k->now) || !isfinite(k->gravity[0]) ||
        !isfinite(k->gravity[1]) || !(k->gap > 0.0) || !(k->least_speed > 0.0) ||
        !(k->period > 0.0) || !isfinite(k->period) || !(k->turn_most > 0.0) ||
        !is_power_of_two(k->calendar.length) || !(k->rest_at >= k->now) ||
        !(k->rest_period >= 0.0) || !(k->part_speed >= 0.0) || !(k->elastic_speed > 0.0) ||
        (k->rest_period == 0.0 && !isinf(k->rest_at)) || !isfinite(k->rest_gap))
        wrong(from, "a number is out of bounds");
}

static void read_materials(source *from, jo_kinetic *k)
{
    const size_t n = (size_t)k->materials * k->materials;
    copy_chunk(from, "friction", JO_CHUNK_F64, n, k->friction);
    copy_chunk(from, "restitution", JO_CHUNK_F64, n, k->restitution);
    for (size_t i = 0; i < n && from->status == JO_OK; i++)
        if (!(k->friction[i] >= 0.0 && isfinite(k->friction[i])) ||
            !(k->restitution[i] >= 0.0 && k->restitution[i] <= 1.0))
            wrong(from, "a coefficient is out of bounds");
}

/* A body's corners follow those of the one before. */
static void check_body(source *from, const jo_kinetic *k, uint32_t i, uint32_t corners)
{
    const kin_body *b = &k->body[i];
    const flat_body *m = &b->motion;
    if (b->first != corners || b->count < 3 || b->count > k->corners - corners ||
        b->material >= k->materials)
        wrong(from, "a body's corners or material do not exist");
    if (!isfinite(m->x[0] + m->x[1] + m->v[0] + m->v[1] + m->a[0] + m->a[1] + m->spin + b->clock +
                  b->angle + b->mass + b->inertia + b->radius + b->since + b->held_x[0] +
                  b->held_x[1]) ||
        !(b->inverse_mass >= 0.0) || !(b->inverse_inertia >= 0.0) || b->clock > k->now)
        wrong(from, "a body's motion is out of bounds");
    if (i == k->boundary && !b->still) wrong(from, "the boundary moves");
}

static void read_bodies(source *from, jo_kinetic *k)
{
    const size_t n = k->bodies;
    const double *reals = want(from, "body_reals", JO_CHUNK_F64, BODY_REAL_COUNT * n);
    const uint32_t *words = want(from, "body_words", JO_CHUNK_U32, BODY_WORD_COUNT * n);
    const uint64_t *ids = want(from, "id", JO_CHUNK_U64, n);
    copy_chunk(from, "corner", JO_CHUNK_F64, 2 * (size_t)k->corners, k->local);
    copy_chunk(from, "arm", JO_CHUNK_F64, 2 * (size_t)k->corners, k->arm);
    uint32_t corners = 0;
    for (uint32_t i = 0; i < n && from->status == JO_OK; i++) {
        kin_body *b = &k->body[i];
        b->id = k->ids[i] = ids[i];
#define GET(field) b->field = *reals++;
        BODY_REALS(GET)
#undef GET
#define GET(field) b->field = (__typeof__(b->field))*words++;
        BODY_WORDS(GET)
#undef GET
        check_body(from, k, i, corners);
        for (uint32_t c = 0; c < b->count && from->status == JO_OK; c++, corners++) {
            k->owner[corners] = i;
            k->next[corners] = c + 1 < b->count ? corners + 1 : b->first;
        }
    }
    if (corners != k->corners) wrong(from, "corners belong to no body");
    for (size_t c = 0; c < 2 * (size_t)corners && from->status == JO_OK; c++)
        if (!isfinite(k->local[c]) || !isfinite(k->arm[c])) wrong(from, "a corner is not finite");
}

/* Side c of triangle t: its neighbour has it, too, or it is an edge of a body. */
static bool side_is_sound(const jo_kinetic *k, uint32_t t, int c)
{
    const triangle *tri = &k->mesh.t[t];
    const uint32_t p = tri->v[TRI_NEXT[c]], q = tri->v[TRI_PREVIOUS[c]], n = tri->n[c];
    if (n == TRI_NONE) return k->next[q] == p;
    if (n >= k->mesh.count || n == t) return false;
    const int back = tri_side_between(&k->mesh.t[n], p, q);
    return back >= 0 && k->mesh.t[n].n[back] == t && k->mesh.t[n].v[TRI_NEXT[back]] == q;
}

/* The triangles around a corner end at a mandatory side on both ends. */
static bool fan_is_sound(const jo_kinetic *k, uint32_t v)
{
    const triangle *all = k->mesh.t;
    const uint32_t first = k->mesh.at[v];
    for (int way = 0; way < 2; way++) {
        const int *side = way == 0 ? TRI_NEXT : TRI_PREVIOUS;
        uint32_t t = first, steps = 0;
        while (t != TRI_NONE && steps++ <= k->mesh.count) {
            const int at = tri_corner(&all[t], v);
            if (all[t].v[at] != v) return false;
            t = all[t].n[side[at]];
        }
        if (t != TRI_NONE) return false;
    }
    return true;
}

static void check_mesh(source *from, const jo_kinetic *k)
{
    bool sound = true;
    for (uint32_t t = 0; t < k->mesh.count && sound; t++)
        for (int c = 0; c < 3; c++)
            sound = sound && side_is_sound(k, t, c);
    for (uint32_t v = 0; v < k->corners && sound; v++)
        sound = k->mesh.at[v] < k->mesh.count && fan_is_sound(k, v);
    if (!sound) wrong(from, "its triangles do not fit together");
}

static void read_triangles(source *from, jo_kinetic *k)
{
    const size_t n = k->mesh.count;
    const double *times = want(from, "due", JO_CHUNK_F64, n);
    const uint32_t *words = want(from, "triangles", JO_CHUNK_U32, TRIANGLE_WORDS * n);
    if (!jo_buffer_reserve(&k->mesh.memory_t, n, sizeof *k->mesh.t) ||
        !jo_buffer_reserve(&k->mesh.memory_at, k->corners, sizeof *k->mesh.at)) {
        from->status = jo_fail_memory(from->error, n * sizeof *k->mesh.t, "triangles");
        return;
    }
    k->mesh.t = k->mesh.memory_t.data;
    k->mesh.at = k->mesh.memory_at.data;
    k->mesh.vertices = k->corners;
    copy_chunk(from, "at", JO_CHUNK_U32, k->corners, k->mesh.at);
    for (size_t t = 0; t < n && from->status == JO_OK; t++, words += TRIANGLE_WORDS) {
        triangle *tri = &k->mesh.t[t];
        memcpy(tri->v, words, sizeof tri->v);
        memcpy(tri->n, words + 3, sizeof tri->n);
        k->plan[t] = (kin_plan){.time = times[t], .kind = (plan_kind)words[6]};
        for (int c = 0; c < 3; c++)
            if (tri->v[c] >= k->corners) wrong(from, "a triangle's corner does not exist");
        if (words[6] > PLAN_CORNERS || !(times[t] >= k->now))
            wrong(from, "a triangle's plan cannot be");
    }
    if (from->status == JO_OK) check_mesh(from, k);
}

static void read_touches(source *from, jo_kinetic *k)
{
    const size_t n = k->touches;
    const uint64_t *keys = want(from, "touch", JO_CHUNK_U64, n);
    const double *impulses = want(from, "impulse", JO_CHUNK_F64, 2 * n);
    if (from->status != JO_OK) return;
    if (!jo_buffer_reserve(&k->memory_touch, n, sizeof *k->touch)) {
        from->status = jo_fail_memory(from->error, n * sizeof *k->touch, "contacts");
        return;
    }
    k->touch = k->memory_touch.data;
    for (size_t i = 0; i < n; i++) {
        k->touch[i] = (kin_touch){keys[i], impulses[2 * i], impulses[2 * i + 1]};
        if (!(impulses[2 * i] >= 0.0) || !isfinite(impulses[2 * i] + impulses[2 * i + 1]) ||
            (i > 0 && keys[i] <= keys[i - 1]) || (uint32_t)keys[i] >= k->corners ||
            (keys[i] << 1 >> 33) >= k->corners)
            wrong(from, "a contact's impulse cannot be");
    }
}

static void read_all(source *from, jo_kinetic *k)
{
    read_counts(from, k);
    if (from->status == JO_OK) read_reals(from, k);
    /* Sizes are believed only as far as their data goes. */
    if (from->status == JO_OK) want(from, "id", JO_CHUNK_U64, k->bodies);
    if (from->status == JO_OK) want(from, "corner", JO_CHUNK_F64, 2 * (size_t)k->corners);
    if (from->status == JO_OK && !jo_kinetic_make_room(k, k->bodies, k->corners, k->materials))
        from->status = jo_fail_memory(from->error, k->bodies * sizeof *k->body, "hard polygons");
    if (from->status == JO_OK) read_materials(from, k);
    if (from->status == JO_OK) read_bodies(from, k);
    if (from->status == JO_OK) read_triangles(from, k);
    if (from->status == JO_OK) read_touches(from, k);
}

/* The calendar, with as many days as it had. */
static jo_status resume(jo_kinetic *k, uint32_t days, jo_error *error)
{
    const uint64_t taken = k->taken, taken_most = k->taken_most;
    if (!jo_calendar_make(&k->calendar, days)) return jo_fail_memory(error, days, "the calendar");
    jo_kinetic_begin_epoch(k, k->calendar.length);
    k->taken = taken;
    k->taken_most = taken_most;
    return k->calendar.failed ? jo_fail_memory(error, days, "the calendar") : JO_OK;
}

JO_API jo_status jo_kinetic_restore(const jo_chunk *chunks, size_t count, jo_kinetic **world,
                                    jo_error *error)
{
    source from = {chunks, count, error, JO_OK};
    *world = NULL;
    jo_kinetic *k = calloc(1, sizeof *k);
    if (k == NULL) return jo_fail_memory(error, sizeof *k, "hard polygons");
    const uint64_t *counts = want(&from, "counts", JO_CHUNK_U64, COUNT_COUNT);
    const uint32_t days = counts != NULL && counts[5] < 1u << 30 ? (uint32_t)counts[5] : 0;
    read_all(&from, k);
    if (from.status == JO_OK) from.status = resume(k, days, error);
    if (from.status != JO_OK) {
        jo_kinetic_destroy(k);
        return from.status;
    }
    *world = k;
    return JO_OK;
}
