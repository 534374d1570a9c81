/* save.c — the whole state as named arrays, and back.
 *
 * What is saved is what decides the bits to come: bodies in their order in memory, lists with their
 * histories, how far bodies have moved since lists were made, walls, factories, sums of energy.
 * What follows from it (near lists of walls, room for threads) is made anew. A restored state is
 * checked as any input is: nothing in it is trusted to index an array. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/saved.h"
#include "soft/poly.h"

enum { SAVE_VERSION = 11 };

/* Single numbers, in the order they are saved. */
/* clang-format off */
#define REALS(USE)                                                                                 \
    USE(s.step) USE(clock.numerator) USE(clock.denominator) USE(skin) USE(skin_low)                \
    USE(skin_high) USE(apart) USE(unsorted) USE(travel) USE(wall_travel) USE(shear_travel)         \
    USE(dissipated) USE(work) USE(gone) USE(energy_start) USE(late) USE(mean_radius) USE(largest)  \
    USE(smallest) USE(wall_range) USE(s.box.offset) USE(s.reach) USE(poly->turned)
#define COUNTS(USE)                                                                                \
    USE(s.n) USE(steps) USE(next_id) USE(list_step) USE(inserted) USE(removed)                     \
    USE(stats.rebuilds) USE(wall_count) USE(factory_count) USE(scene.gate_count)
/* clang-format on */

#define ONE(field) +1
enum { REAL_COUNT = 0 REALS(ONE), COUNT_COUNT = 1 COUNTS(ONE) };

/* Per wall, wall contact, factory, alarm. */
enum {
    WALL_REALS = 8,
    CONTACT_WORDS = 4,
    CONTACT_REALS = HISTORY + 7,
    FACTORY_COUNTS = 3,
    ALARM_COUNTS = 2,
    LIST_COUNTS = 2
};

static size_t wall_contact_total(const jo_soft *soft)
{
    size_t n = 0;
    for (size_t b = 0; b < soft->blocks; b++)
        n += soft->s.walls[b].contact_count;
    return n;
}

static void pack_walls(const jo_soft *soft, packer *p, jo_chunk *chunks, size_t *count)
{
    const size_t n = wall_contact_total(soft);
    double *walls = take(p, WALL_REALS * soft->wall_count + 1, sizeof *walls);
    for (size_t k = 0; k < soft->wall_count; k++) {
        const wall_live *w = &soft->live[k];
        double *out = walls + WALL_REALS * k;
        out[0] = w->servo_shift;
        out[1] = w->servo_speed;
        memcpy(out + 2, w->force, sizeof w->force);
        memcpy(out + 5, w->torque, sizeof w->torque);
    }
    uint32_t *words = take(p, CONTACT_WORDS * n + 1, sizeof *words);
    double *reals = take(p, CONTACT_REALS * n + 1, sizeof *reals);
    float *notes = take(p, NOTE * n + 1, sizeof *notes);
    size_t k = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        const wall_contact *c = soft->s.walls[b].contacts.data;
        for (size_t j = 0; j < soft->s.walls[b].contact_count; j++, k++) {
            const uint32_t four[CONTACT_WORDS] = {c[j].body, c[j].wall, c[j].feature, c[j].matched};
            memcpy(words + CONTACT_WORDS * k, four, sizeof four);
            memcpy(reals + CONTACT_REALS * k, c[j].history, sizeof c[j].history);
            double *to = reals + CONTACT_REALS * k;
            memcpy(to + HISTORY, c[j].roll, sizeof c[j].roll);
            memcpy(to + HISTORY + 3, c[j].normal, sizeof c[j].normal);
            to[HISTORY + 6] = c[j].gap;
            memcpy(notes + NOTE * k, c[j].note, sizeof c[j].note);
        }
    }
    add_chunk(chunks, count, "walls", JO_CHUNK_F64, WALL_REALS * soft->wall_count, walls);
    add_chunk(chunks, count, "wall_contacts", JO_CHUNK_U32, CONTACT_WORDS * n, words);
    add_chunk(chunks, count, "wall_history", JO_CHUNK_F64, CONTACT_REALS * n, reals);
    add_chunk(chunks, count, "wall_notes", JO_CHUNK_F32, NOTE * n, notes);
}

static void pack_rest(const jo_soft *soft, packer *p, jo_chunk *chunks, size_t *count)
{
    double *owed = take(p, soft->factory_count + 1, sizeof *owed);
    uint64_t *made = take(p, FACTORY_COUNTS * soft->factory_count + 1, sizeof *made);
    for (size_t k = 0; k < soft->factory_count; k++) {
        owed[k] = soft->factories[k].owed;
        made[FACTORY_COUNTS * k] = soft->factories[k].made;
        made[FACTORY_COUNTS * k + 1] = soft->factories[k].tries;
        made[FACTORY_COUNTS * k + 2] = soft->factories[k].blocked;
    }
    uint64_t *alarms = take(p, ALARM_COUNTS * JO_ALARM_COUNT, sizeof *alarms);
    double *times = take(p, JO_ALARM_COUNT, sizeof *times);
    char *texts = take(p, JO_ALARM_COUNT, sizeof soft->alarms[0].text);
    for (size_t k = 0; k < JO_ALARM_COUNT; k++) {
        alarms[ALARM_COUNTS * k] = soft->alarms[k].count;
        alarms[ALARM_COUNTS * k + 1] = soft->alarms[k].id;
        times[k] = soft->alarms[k].time;
        memcpy(texts + k * sizeof soft->alarms[k].text, soft->alarms[k].text,
               sizeof soft->alarms[k].text);
    }
    add_chunk(chunks, count, "factory_owed", JO_CHUNK_F64, soft->factory_count, owed);
    add_chunk(chunks, count, "factory_made", JO_CHUNK_U64, FACTORY_COUNTS * soft->factory_count,
              made);
    add_chunk(chunks, count, "alarms", JO_CHUNK_U64, ALARM_COUNTS * JO_ALARM_COUNT, alarms);
    add_chunk(chunks, count, "alarm_times", JO_CHUNK_F64, JO_ALARM_COUNT, times);
    add_chunk(chunks, count, "alarm_texts", JO_CHUNK_U8,
              JO_ALARM_COUNT * sizeof soft->alarms[0].text, texts);
    add_chunk(chunks, count, "gates", JO_CHUNK_F64, soft->scene.gate_count, soft->beyond_removed);
}

/* Every contact of the lists with where it remembers, in the order of entries. */
typedef bool (*memo_use)(void *context, const view *s, block_list *list, int part, uint32_t k);

static bool for_each_memo(const jo_soft *soft, memo_use use, void *context)
{
    const view *s = &soft->s;
    for (size_t b = 0; b < soft->blocks; b++) {
        block_list *list = &s->list[b];
        for (uint32_t k = 0; k < list->inner; k++)
            if ((s->entry[list->row + k] & ENTRY_TOUCHING) && !use(context, s, list, 0, k))
                return false;
        for (uint32_t k = 0; k < list->outer; k++)
            if ((s->entry[list->row + list->inner + k] & ENTRY_TOUCHING) &&
                !use(context, s, list, 1, k))
                return false;
    }
    return true;
}

static bool count_memo(void *context, const view *s, block_list *list, int part, uint32_t k)
{
    (void)s, (void)list, (void)part, (void)k;
    ++*(size_t *)context;
    return true;
}

static bool pack_memo(void *context, const view *s, block_list *list, int part, uint32_t k)
{
    char **to = context;
    memcpy(*to, memo_at(s, list, memo_of(s, list, part, k)), s->memo.size);
    *to += s->memo.size;
    return true;
}

static bool unpack_memo(void *context, const view *s, block_list *list, int part, uint32_t k)
{
    const char **from = context;
    char *to = jo_lists_remember(s, list, part, k);
    if (to != NULL) memcpy(to, *from, s->memo.size);
    *from += s->memo.size;
    return to != NULL;
}

JO_API jo_status jo_soft_save(jo_soft *soft, jo_chunk *chunks, size_t *count, jo_error *error)
{
    const view *s = &soft->s;
    const size_t entries = soft->stats.list_pairs, contacts = wall_contact_total(soft);
    size_t touching = 0;
    for_each_memo(soft, count_memo, &touching);
    const size_t memo_bytes = touching * s->memo.size;
    const size_t contact_bytes =
        CONTACT_WORDS * sizeof(uint32_t) + CONTACT_REALS * sizeof(double) + NOTE * sizeof(float);
    const size_t room = 4096 + WALL_REALS * 8 * soft->wall_count + contacts * contact_bytes +
                        soft->factory_count * 64 + JO_ALARM_COUNT * 512 +
                        8 * LIST_COUNTS * (soft->blocks + 1) + 8 * jo_changes_count(soft) +
                        jo_poly_save_bytes(soft) + memo_bytes;
    if (!jo_buffer_reserve(&soft->saved, room, 1)) return jo_fail_memory(error, room, "saving");
    packer p = {soft->saved.data, (char *)soft->saved.data + room};
    char *memos = take(&p, memo_bytes + 1, 1), *end = memos;
    for_each_memo(soft, pack_memo, &end);
    double *reals = take(&p, REAL_COUNT, sizeof *reals);
    uint64_t *counts = take(&p, COUNT_COUNT, sizeof *counts);
    uint64_t *lists = take(&p, LIST_COUNTS * soft->blocks + 1, sizeof *lists);
    size_t k = 0;
#define PUT(field) reals[k++] = soft->field;
    REALS(PUT)
#undef PUT
    k = 0;
    counts[k++] = SAVE_VERSION;
#define PUT(field) counts[k++] = soft->field;
    COUNTS(PUT)
#undef PUT
    size_t outer = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        lists[LIST_COUNTS * b] = s->list[b].inner;
        lists[LIST_COUNTS * b + 1] = s->list[b].outer;
        outer += s->list[b].outer;
    }
    *count = 0;
    add_chunk(chunks, count, "counts", JO_CHUNK_U64, COUNT_COUNT, counts);
    add_chunk(chunks, count, "reals", JO_CHUNK_F64, REAL_COUNT, reals);
    add_chunk(chunks, count, "x", JO_CHUNK_F64, 4 * s->n, s->x);
    add_chunk(chunks, count, "v", JO_CHUNK_F64, 4 * s->n, s->v);
    add_chunk(chunks, count, "w", JO_CHUNK_F64, 4 * s->n, s->w);
    add_chunk(chunks, count, "c", JO_CHUNK_F32, 6 * s->n, s->c);
    add_chunk(chunks, count, "f", JO_CHUNK_F64, 6 * s->n, s->f);
    add_chunk(chunks, count, "id", JO_CHUNK_U64, s->n, soft->id.data);
    add_chunk(chunks, count, "material", JO_CHUNK_U8, s->n, s->material);
    add_chunk(chunks, count, "lists", JO_CHUNK_U64, LIST_COUNTS * soft->blocks, lists);
    add_chunk(chunks, count, "own", JO_CHUNK_U8, sizeof *s->own * outer, s->own);
    add_chunk(chunks, count, "entry", JO_CHUNK_U32, entries, s->entry);
    add_chunk(chunks, count, "memos", JO_CHUNK_U8, memo_bytes, memos);
    pack_walls(soft, &p, chunks, count);
    pack_rest(soft, &p, chunks, count);
    if (jo_changes_count(soft) > 0) {
        double *changes = take(&p, jo_changes_count(soft), sizeof *changes);
        jo_changes_pack(soft, changes);
        add_chunk(chunks, count, "changes", JO_CHUNK_F64, jo_changes_count(soft), changes);
    }
    jo_poly_save(soft, take(&p, jo_poly_save_bytes(soft) + 1, 1), chunks, count);
    return JO_OK;
}

/* ---- back ---- */

static void read_numbers(source *from, jo_soft *soft)
{
    double reals[REAL_COUNT];
    uint64_t counts[COUNT_COUNT];
    copy_chunk(from, "reals", JO_CHUNK_F64, REAL_COUNT, reals);
    copy_chunk(from, "counts", JO_CHUNK_U64, COUNT_COUNT, counts);
    if (from->status != JO_OK) return;
    if (counts[0] != SAVE_VERSION) {
        wrong(from, "it is of another version");
        return;
    }
    const size_t walls = soft->wall_count, factories = soft->factory_count,
                 gates = soft->scene.gate_count;
    size_t k = 0;
#define GET(field) soft->field = reals[k++];
    REALS(GET)
#undef GET
    for (size_t r = 0; r < REAL_COUNT; r++)
        if (!isfinite(reals[r])) wrong(from, "a number is not finite");
    k = 1;
#define GET(field) soft->field = counts[k++];
    COUNTS(GET)
#undef GET
    if (soft->wall_count != walls || soft->factory_count != factories ||
        soft->scene.gate_count != gates)
        wrong(from, "the scene has other walls, factories or gates");
    soft->wall_count = walls;
    soft->factory_count = factories;
    soft->scene.gate_count = gates;
    if (soft->s.n > JO_BODIES_MAX || !(soft->s.step > 0) || !(soft->clock.numerator > 0) ||
        !(soft->clock.denominator > 0) || !(soft->skin >= 0) || soft->stats.rebuilds == 0)
        wrong(from, "a count or a length is out of bounds");
}

static void read_bodies(source *from, jo_soft *soft)
{
    const size_t n = soft->s.n;
    soft->s.n = 0;
    if (from->status == JO_OK && want(from, "x", JO_CHUNK_F64, 4 * n) != NULL)
        from->status = jo_state_room(soft, n, from->error);
    soft->s.n = from->status == JO_OK ? n : 0;
    jo_state_view(soft);
    if (from->status != JO_OK) return;
    view *s = &soft->s;
    copy_chunk(from, "x", JO_CHUNK_F64, 4 * n, s->x);
    copy_chunk(from, "v", JO_CHUNK_F64, 4 * n, s->v);
    copy_chunk(from, "w", JO_CHUNK_F64, 4 * n, s->w);
    copy_chunk(from, "c", JO_CHUNK_F32, 6 * n, s->c);
    copy_chunk(from, "f", JO_CHUNK_F64, 6 * n, s->f);
    copy_chunk(from, "id", JO_CHUNK_U64, n, soft->id.data);
    soft->ranked = false;
    copy_chunk(from, "material", JO_CHUNK_U8, n, s->material);
    for (size_t i = 0; i < n && from->status == JO_OK; i++) {
        if (s->material[i] >= soft->law.materials)
            wrong(from, "a body is of a material that the scene does not have");
        for (int a = 0; a < 4; a++)
            if (!isfinite(s->x[4 * i + a]) || !isfinite(s->v[4 * i + a]) ||
                !isfinite(s->w[4 * i + a]))
                wrong(from, "a body's position, velocity or spin is not finite");
    }
}

/* Entries name bodies that exist. */
static void check_lists(source *from, const jo_soft *soft)
{
    const view *s = &soft->s;
    for (size_t b = 0; b < soft->blocks && from->status == JO_OK; b++) {
        const block_list *list = &s->list[b];
        const size_t count = block_count(s, b);
        bool fine = true;
        for (size_t k = 0; k < list->inner; k++) {
            const uint32_t e = s->entry[list->row + k];
            fine = fine && INNER_A(e) < INNER_B(e) && INNER_B(e) < count;
        }
        for (size_t k = 0; k < list->outer; k++)
            fine = fine && (s->entry[list->row + list->inner + k] & ENTRY_BODY) < s->n &&
                   s->own[list->own + k] < count;
        if (!fine) wrong(from, "a list names a body that does not exist");
    }
}

static void read_memos(source *from, jo_soft *soft)
{
    size_t touching = 0;
    for_each_memo(soft, count_memo, &touching);
    const char *memos = want(from, "memos", JO_CHUNK_U8, touching * soft->s.memo.size);
    if (memos != NULL && !for_each_memo(soft, unpack_memo, &memos))
        from->status =
            jo_fail_memory(from->error, touching * soft->s.memo.size, "what contacts remember");
}

static void read_lists(source *from, jo_soft *soft)
{
    const uint64_t *lists = want(from, "lists", JO_CHUNK_U64, LIST_COUNTS * soft->blocks);
    if (lists == NULL) return;
    view *s = &soft->s;
    size_t entries = 0, outer = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        const uint64_t in = lists[LIST_COUNTS * b], out = lists[LIST_COUNTS * b + 1];
        if (in > UINT32_MAX || out > UINT32_MAX) {
            wrong(from, "a list is too long");
            return;
        }
        s->list[b] = (block_list){
            .row = entries, .own = outer, .inner = (uint32_t)in, .outer = (uint32_t)out};
        for (int k = 1; k <= NEAR_CLASSES;
             k++) { /* all of them are looked at: nothing is lost by it */
            s->list[b].end[0][k] = (uint32_t)in;
            s->list[b].end[1][k] = (uint32_t)out;
        }
        entries += in + out;
        outer += out;
    }
    if (want(from, "entry", JO_CHUNK_U32, entries) == NULL) return;
    soft->listed_blocks = soft->blocks;
    soft->pairs_found = entries - outer / 2; /* so that the next search knows what to expect */
    soft->found_within = soft->skin + s->reach;
    from->status = jo_lists_room(soft, entries, outer, from->error);
    if (from->status == JO_OK) from->status = jo_lists_memos(soft, from->error);
    if (from->status == JO_OK) from->status = jo_lists_late(soft, from->error);
    copy_chunk(from, "entry", JO_CHUNK_U32, entries, s->entry);
    copy_chunk(from, "own", JO_CHUNK_U8, sizeof *s->own * outer, s->own);
    if (from->status == JO_OK) check_lists(from, soft);
    if (from->status == JO_OK) read_memos(from, soft);
}

static void read_wall_contacts(source *from, jo_soft *soft)
{
    size_t n = 0;
    for (size_t k = 0; k < from->count; k++)
        if (strcmp(from->chunks[k].name, "wall_contacts") == 0)
            n = from->chunks[k].count / CONTACT_WORDS;
    const uint32_t *words = want(from, "wall_contacts", JO_CHUNK_U32, CONTACT_WORDS * n);
    const double *reals = want(from, "wall_history", JO_CHUNK_F64, CONTACT_REALS * n);
    const float *notes = want(from, "wall_notes", JO_CHUNK_F32, NOTE * n);
    size_t at = 0;
    for (size_t b = 0; b < soft->blocks && from->status == JO_OK; b++) {
        block_walls *w = &soft->s.walls[b];
        const size_t end = block_first(b) + block_count(&soft->s, b);
        for (w->contact_count = 0; at < n && words[CONTACT_WORDS * at] < end; at++) {
            const uint32_t *four = words + CONTACT_WORDS * at;
            if (four[0] < block_first(b) || four[1] >= soft->wall_count || four[3] > 1) {
                wrong(from, "a contact with a wall names a body or wall that does not exist");
                return;
            }
            if (!jo_buffer_grow(&w->contacts, w->contact_count * sizeof(wall_contact),
                                w->contact_count + 1, sizeof(wall_contact))) {
                from->status =
                    jo_fail_memory(from->error, sizeof(wall_contact), "contacts with walls");
                return;
            }
            wall_contact *c = (wall_contact *)w->contacts.data + w->contact_count++;
            const double *held = reals + CONTACT_REALS * at;
            *c = (wall_contact){
                .body = four[0], .wall = four[1], .feature = four[2], .matched = four[3]};
            memcpy(c->history, held, sizeof c->history);
            memcpy(c->roll, held + HISTORY, sizeof c->roll);
            memcpy(c->normal, held + HISTORY + 3, sizeof c->normal);
            c->gap = held[HISTORY + 6];
            memcpy(c->note, notes + NOTE * at, sizeof c->note);
        }
    }
    if (at != n) wrong(from, "a contact with a wall names a body that does not exist");
}

static void read_rest(source *from, jo_soft *soft)
{
    const double *walls = want(from, "walls", JO_CHUNK_F64, WALL_REALS * soft->wall_count);
    const double *owed = want(from, "factory_owed", JO_CHUNK_F64, soft->factory_count);
    const uint64_t *made =
        want(from, "factory_made", JO_CHUNK_U64, FACTORY_COUNTS * soft->factory_count);
    const uint64_t *alarms = want(from, "alarms", JO_CHUNK_U64, ALARM_COUNTS * JO_ALARM_COUNT);
    const double *times = want(from, "alarm_times", JO_CHUNK_F64, JO_ALARM_COUNT);
    const size_t size = sizeof soft->alarms[0].text;
    const char *texts = want(from, "alarm_texts", JO_CHUNK_U8, JO_ALARM_COUNT * size);
    copy_chunk(from, "gates", JO_CHUNK_F64, soft->scene.gate_count, soft->beyond_removed);
    if (from->status != JO_OK) return;
    for (size_t k = 0; k < soft->wall_count; k++) {
        wall_live *w = &soft->live[k];
        w->servo_shift = walls[WALL_REALS * k];
        w->servo_speed = walls[WALL_REALS * k + 1];
        memcpy(w->force, walls + WALL_REALS * k + 2, sizeof w->force);
        memcpy(w->torque, walls + WALL_REALS * k + 5, sizeof w->torque);
    }
    for (size_t k = 0; k < soft->factory_count; k++) {
        soft->factories[k].owed = owed[k];
        soft->factories[k].made = made[FACTORY_COUNTS * k];
        soft->factories[k].tries = made[FACTORY_COUNTS * k + 1];
        soft->factories[k].blocked = made[FACTORY_COUNTS * k + 2];
    }
    for (size_t k = 0; k < JO_ALARM_COUNT; k++) {
        soft->alarms[k] = (jo_alarm){.kind = (jo_alarm_kind)k,
                                     .count = alarms[ALARM_COUNTS * k],
                                     .id = alarms[ALARM_COUNTS * k + 1],
                                     .time = times[k]};
        memcpy(soft->alarms[k].text, texts + k * size, size - 1);
    }
}

/* Only runs that were changed while they went on have them. */
static void read_changes(source *from, jo_soft *soft)
{
    if (find_chunk(from, "changes") == NULL) return;
    soft->changed = true;
    const double *changes = want(from, "changes", JO_CHUNK_F64, jo_changes_count(soft));
    if (changes != NULL && !jo_changes_unpack(soft, changes, from->error))
        wrong(from, "gravity, a wall or a contact was changed to what cannot be");
}

JO_API jo_status jo_soft_restore(const jo_scene *scene, const jo_soft_options *options,
                                 const jo_chunk *chunks, size_t count, jo_soft **out,
                                 jo_error *error)
{
    source from = {chunks, count, error, JO_OK};
    from.status = jo_soft_make(scene, options, out, error);
    jo_soft *soft = *out;
    if (from.status == JO_OK) read_numbers(&from, soft);
    if (from.status == JO_OK) read_bodies(&from, soft);
    if (from.status == JO_OK) read_lists(&from, soft);
    if (from.status == JO_OK) read_wall_contacts(&from, soft);
    if (from.status == JO_OK) read_rest(&from, soft);
    if (from.status == JO_OK) read_changes(&from, soft);
    if (from.status == JO_OK) from.status = jo_poly_restore(soft, chunks, count, error);
    if (from.status == JO_OK) {
        const double range = soft->wall_range; /* decides when lists are made: keep it */
        jo_walls_move(soft, jo_soft_time(soft), 0);
        jo_advice(soft);
        jo_state_uniform(soft);
        from.status = jo_walls_near(soft, error);
        soft->wall_range = range;
    }
    if (from.status != JO_OK) {
        jo_soft_destroy(soft);
        *out = NULL;
    }
    return from.status;
}
