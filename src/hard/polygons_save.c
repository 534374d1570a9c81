/* polygons_save.c — scenes of hard polygons saved and restored: the chunks of the world, and what
 * polygons.h adds. Walls, gates and options are those of the scene, which must be the same. */
#include <math.h>
#include <string.h>

#include "hard/polygons.h"
#include "scene/saved.h"

enum { SAVE_VERSION = 2, REALS = 7, COUNTS = 10, WALL_REALS = 2, ALARM_COUNTS = 2, MADE = 3 };

static void pack_alarms(const jo_polygons *p, packer *to, jo_chunk *chunks, size_t *count)
{
    const size_t size = sizeof p->alarms[0].text;
    uint64_t *counts = take(to, ALARM_COUNTS * JO_ALARM_COUNT, sizeof *counts);
    double *times = take(to, JO_ALARM_COUNT, sizeof *times);
    char *texts = take(to, JO_ALARM_COUNT, size);
    for (size_t k = 0; k < JO_ALARM_COUNT; k++) {
        counts[ALARM_COUNTS * k] = p->alarms[k].count;
        counts[ALARM_COUNTS * k + 1] = p->alarms[k].id;
        times[k] = p->alarms[k].time;
        memcpy(texts + k * size, p->alarms[k].text, size);
    }
    add_chunk(chunks, count, "alarms", JO_CHUNK_U64, ALARM_COUNTS * JO_ALARM_COUNT, counts);
    add_chunk(chunks, count, "alarm_times", JO_CHUNK_F64, JO_ALARM_COUNT, times);
    add_chunk(chunks, count, "alarm_texts", JO_CHUNK_U8, JO_ALARM_COUNT * size, texts);
}

static void pack_factories(const jo_polygons *p, packer *to, jo_chunk *chunks, size_t *count)
{
    const size_t n = p->factory_count;
    double *paid = take(to, n + 1, sizeof *paid);
    uint64_t *made = take(to, MADE * n + 1, sizeof *made);
    for (size_t k = 0; k < n; k++) {
        const polygon_factory *f = &p->factories[k];
        paid[k] = f->paid;
        memcpy(made + MADE * k, (uint64_t[MADE]){f->made, f->tries, f->blocked}, 8 * MADE);
    }
    add_chunk(chunks, count, "factory_paid", JO_CHUNK_F64, n, paid);
    add_chunk(chunks, count, "factory_made", JO_CHUNK_U64, MADE * n, made);
}

JO_API jo_status jo_polygons_save(jo_polygons *p, jo_chunk *chunks, size_t *count, jo_error *error)
{
    const size_t room = 4096 + JO_ALARM_COUNT * 512 + 64 * (p->wall_count + p->factory_count);
    jo_status status = jo_kinetic_save(p->world, chunks, count, error);
    if (status != JO_OK) return status;
    if (!jo_buffer_reserve(&p->memory_saved, room, 1)) return jo_fail_memory(error, room, "saving");
    packer to = {p->memory_saved.data, (char *)p->memory_saved.data + room};
    double *reals = take(&to, REALS, sizeof *reals);
    uint64_t *counts = take(&to, COUNTS, sizeof *counts);
    double *times = take(&to, WALL_REALS * p->wall_count + 1, sizeof *times);
    uint8_t *gone = take(&to, p->wall_count + 1, sizeof *gone);
    const double all[REALS] = {p->time, p->look_every, p->patience, p->last_left,
                               p->gone, p->start,      p->mark_time};
    const uint64_t numbers[COUNTS] = {SAVE_VERSION, p->wall_count,   p->gate_count, p->looks,
                                      p->removed,   p->inserted,     p->jammed,     p->mark_every,
                                      p->next_id,   p->factory_count};
    memcpy(reals, all, sizeof all);
    memcpy(counts, numbers, sizeof numbers);
    for (size_t w = 0; w < p->wall_count; w++) {
        times[WALL_REALS * w] = p->walls[w].until;
        times[WALL_REALS * w + 1] = p->walls[w].turn;
        gone[w] = p->walls[w].gone;
    }
    add_chunk(chunks, count, "scene_counts", JO_CHUNK_U64, COUNTS, counts);
    add_chunk(chunks, count, "scene_reals", JO_CHUNK_F64, REALS, reals);
    add_chunk(chunks, count, "wall_times", JO_CHUNK_F64, WALL_REALS * p->wall_count, times);
    add_chunk(chunks, count, "wall_gone", JO_CHUNK_U8, p->wall_count, gone);
    add_chunk(chunks, count, "beyond", JO_CHUNK_F64, p->gate_count, p->beyond);
    pack_factories(p, &to, chunks, count);
    pack_alarms(p, &to, chunks, count);
    return JO_OK;
}

/* ---- back ---- */

static void read_numbers(source *from, jo_polygons *p)
{
    const double *reals = want(from, "scene_reals", JO_CHUNK_F64, REALS);
    const uint64_t *counts = want(from, "scene_counts", JO_CHUNK_U64, COUNTS);
    if (from->status != JO_OK) return;
    if (counts[0] != SAVE_VERSION) wrong(from, "it is of another version");
    if (counts[1] != p->wall_count || counts[2] != p->gate_count)
        wrong(from, "the scene has other walls or gates");
    if (counts[9] != p->factory_count) wrong(from, "the scene has other factories");
    p->next_id = counts[8];
    p->looks = counts[3];
    p->removed = counts[4];
    p->inserted = counts[5];
    p->jammed = counts[6] != 0;
    p->time = reals[0];
    p->look_every = reals[1];
    p->patience = reals[2];
    p->last_left = reals[3];
    p->gone = reals[4];
    p->start = reals[5];
    p->mark_time = reals[6];
    p->mark_every = counts[7];
    for (size_t k = 0; k < REALS; k++)
        if (!isfinite(reals[k])) wrong(from, "a number is not finite");
    if (p->mark_every == 0) wrong(from, "a count is out of bounds");
    if (!(p->look_every > 0.0) || !(p->patience > 0.0) || !(p->time >= 0.0))
        wrong(from, "a time is out of bounds");
}

static void read_walls(source *from, jo_polygons *p)
{
    const double *times = want(from, "wall_times", JO_CHUNK_F64, WALL_REALS * p->wall_count);
    const uint8_t *gone = want(from, "wall_gone", JO_CHUNK_U8, p->wall_count);
    copy_chunk(from, "beyond", JO_CHUNK_F64, p->gate_count, p->beyond);
    for (size_t w = 0; w < p->wall_count && from->status == JO_OK; w++) {
        p->walls[w].until = times[WALL_REALS * w];
        p->walls[w].turn = times[WALL_REALS * w + 1];
        p->walls[w].gone = gone[w] != 0;
        const bool there = jo_polygons_wall_body(p, w) != TRI_NONE;
        if (isnan(p->walls[w].until) || isnan(p->walls[w].turn) ||
            (isfinite(fmin(p->walls[w].until, p->walls[w].turn)) && !there))
            wrong(from, "a wall is not there, or its time is out of bounds");
    }
}

static void read_factories(source *from, jo_polygons *p)
{
    const size_t n = p->factory_count;
    const double *paid = want(from, "factory_paid", JO_CHUNK_F64, n);
    const uint64_t *made = want(from, "factory_made", JO_CHUNK_U64, MADE * n);
    for (size_t k = 0; k < n && from->status == JO_OK; k++) {
        polygon_factory *f = &p->factories[k];
        f->paid = paid[k];
        f->made = made[MADE * k];
        f->tries = made[MADE * k + 1];
        f->blocked = made[MADE * k + 2];
        if (!isfinite(f->paid)) wrong(from, "a number is not finite");
    }
}

static void read_alarms(source *from, jo_polygons *p)
{
    const size_t size = sizeof p->alarms[0].text;
    const uint64_t *counts = want(from, "alarms", JO_CHUNK_U64, ALARM_COUNTS * JO_ALARM_COUNT);
    const double *times = want(from, "alarm_times", JO_CHUNK_F64, JO_ALARM_COUNT);
    const char *texts = want(from, "alarm_texts", JO_CHUNK_U8, JO_ALARM_COUNT * size);
    for (size_t k = 0; k < JO_ALARM_COUNT && from->status == JO_OK; k++) {
        p->alarms[k] = (jo_alarm){.kind = (jo_alarm_kind)k,
                                  .count = counts[ALARM_COUNTS * k],
                                  .id = counts[ALARM_COUNTS * k + 1],
                                  .time = times[k]};
        memcpy(p->alarms[k].text, texts + k * size, size - 1);
    }
}

JO_API jo_status jo_polygons_restore(const jo_scene *scene, const jo_chunk *chunks, size_t count,
                                     jo_polygons **polygons, jo_error *error)
{
    source from = {chunks, count, error, JO_OK};
    jo_polygons *p = NULL;
    *polygons = NULL;
    from.status = jo_scene_check(scene, error);
    if (from.status == JO_OK) from.status = jo_polygons_prepare(scene, &p, error);
    if (from.status == JO_OK) from.status = jo_kinetic_restore(chunks, count, &p->world, error);
    if (from.status == JO_OK) memcpy(p->gravity, p->world->gravity, sizeof p->gravity);
    if (from.status == JO_OK) read_numbers(&from, p);
    if (from.status == JO_OK) read_walls(&from, p);
    if (from.status == JO_OK) read_factories(&from, p);
    if (from.status == JO_OK) read_alarms(&from, p);
    if (from.status != JO_OK) {
        jo_polygons_destroy(p);
        return from.status;
    }
    *polygons = p;
    return JO_OK;
}
