/* kernel_pairs.h — forces between bodies, block by block; a part of kernel.h.
 *
 * `collect` walks the lists and keeps those in contact, then JO_LANES contacts at a time are gathered,
 * evaluated by the law and added to the block's own sums, which stay in the cache. A contact is always
 * evaluated with the body of the smaller index as a; where the other body lies in another block, its
 * half goes to a sink here and is computed again there. */
#ifndef JO_SOFT_KERNEL_PAIRS_H
#define JO_SOFT_KERNEL_PAIRS_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

/* ---- which pairs are in contact ---- */

/* Which of the pairs touch, or may for laws that reach further: a bit each. Rows are subtracted before they are
 * made columns, of which there are half as many then; radii are added that way. */
INLINE unsigned touching(const view *s, const uint32_t *a, const uint32_t *b)
{
    vec4 c[4], up;
    row4 r[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        r[l] =
            row_load(s->x + 4 * (size_t)a[l]) - fourth_negative(row_load(s->x + 4 * (size_t)b[l]));
    v4_columns(r, c);
    const vec4x3 d = nearest(&s->box, s->box.sheared, three(c), &up);
    const vec4 sum = c[3] + v4_all(s->reach);
    return v4_bits(sum * sum - v4_dot(d, d) >= v4_zero());
}

/* Contacts of a block: their entries, with the bit that says whether they were contacts a step ago,
 * and the rows where those lie, from the block's first. */
typedef struct found {
    uint32_t *entry, *row;
    size_t count;
} found;

/* Bodies of inner entries. */
INLINE void inner_bodies(const uint32_t *entry, size_t first, uint32_t *a, uint32_t *b)
{
    for (int l = 0; l < JO_LANES; l++) {
        a[l] = (uint32_t)first + INNER_A(entry[l]);
        b[l] = (uint32_t)first + INNER_B(entry[l]);
    }
}

/* Bodies of outer entries, the smaller index first. */
INLINE void outer_bodies(const uint32_t *entry, const uint32_t *own, uint32_t *a, uint32_t *b)
{
    for (int l = 0; l < JO_LANES; l++) {
        const uint32_t other = entry[l] & ENTRY_BODY;
        a[l] = own[l] < other ? own[l] : other;
        b[l] = own[l] < other ? other : own[l];
    }
}

/* A pair is kept if it touches, and once more after it has parted: the law settles accounts. So what
 * was a contact need not be looked at here. */
INLINE void keep(const view *s, const uint32_t *entry, const uint32_t *a, const uint32_t *b,
                 uint32_t from, uint32_t lanes, found *f)
{
    uint32_t rows[JO_LANES];
    const unsigned all = (1u << lanes) - 1;
    unsigned kept = words_signs(entry) & all;
    if (kept != all) kept |= touching(s, a, b) & all;
    for (uint32_t l = 0; l < JO_LANES; l++)
        rows[l] = from + l;
    uint32_t *end = words_keep(entry, kept, f->entry + f->count);
    words_keep(rows, kept, f->row + f->count);
    f->count = (size_t)(end - f->entry);
}

INLINE void fetch_memo(const view *s, const block_list *list, int part, uint32_t k)
{
    const uint32_t memo = memo_of(s, list, part, k);
    if (memo != NO_ROW) __builtin_prefetch(memo_at(s, list, memo), 1, 2);
}

/* Memos of the contacts that there were when the lists were made have been fetched with the
 * block; those of later ones lie apart. */
static void collect_inner(const view *s, size_t block, found *f)
{
    const block_list *list = &s->list[block];
    const uint32_t *entry = s->entry + list->row, count = list->end[0][s->classes];
    const size_t first = block_first(block);
    const bool many = s->n >= s->many;
    uint32_t a[JO_LANES], b[JO_LANES], last[JO_LANES] = {0}, k = 0;
    for (; k + JO_LANES <= count; k += JO_LANES) {
        const size_t before = f->count;
        inner_bodies(entry + k, first, a, b);
        keep(s, entry + k, a, b, k, JO_LANES, f);
        if (many && k >= list->end[0][0])
            for (size_t c = before; c < f->count; c++)
                fetch_memo(s, list, 0, f->row[c]);
    }
    if (k < count) { /* lanes beyond the end: the block's first body, masked */
        memcpy(last, entry + k, (count - k) * sizeof *last);
        inner_bodies(last, first, a, b);
        keep(s, last, a, b, k, count - k, f);
    }
}

INLINE void own_bodies(const view *s, size_t block, const uint32_t *row, uint32_t *own)
{
    const uint16_t *place = s->own + s->list[block].own;
    for (int l = 0; l < JO_LANES; l++)
        own[l] = (uint32_t)block_first(block) + place[row[l]];
}

/* Bodies of other blocks may be far away in memory: those that the search for contacts comes to
 * soon, and the motion of those it has found. */
INLINE void fetch_places(const view *s, const uint32_t *entry)
{
    for (int l = 0; l < JO_LANES; l++)
        __builtin_prefetch(s->x + 4 * (size_t)(entry[l] & ENTRY_BODY), 0, 3);
}

INLINE void fetch_motion(const view *s, uint32_t entry)
{
    const size_t body = entry & ENTRY_BODY;
    __builtin_prefetch(s->v + 4 * body, 0, 2);
    __builtin_prefetch(s->w + 4 * body, 0, 2);
    __builtin_prefetch(s->c + 6 * body, 0, 2);
}

/* Up to JO_LANES outer entries, the first of which is the list's k-th. */
INLINE void collect_outer_few(const view *s, size_t block, const uint32_t *entry,
                              const uint16_t *place, uint32_t k, uint32_t lanes, found *f)
{
    const block_list *list = &s->list[block];
    const bool many = s->n >= s->many;
    uint32_t a[JO_LANES], b[JO_LANES], own[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        own[l] = (uint32_t)block_first(block) + place[l];
    outer_bodies(entry, own, a, b);
    const size_t before = f->count;
    keep(s, entry, a, b, k, lanes, f);
    for (size_t c = before; c < f->count; c++) {
        fetch_motion(s, f->entry[c]);
        if (many && f->row[c] >= list->end[1][0]) fetch_memo(s, list, 1, f->row[c]);
    }
}

static void collect_outer(const view *s, size_t block, found *f)
{
    enum { AHEAD = 8 * JO_LANES };
    const block_list *list = &s->list[block];
    const uint32_t *entry = s->entry + list->row + list->inner, count = list->end[1][s->classes];
    const uint16_t *place = s->own + list->own;
    uint32_t k = 0;
    for (; k + JO_LANES <= count; k += JO_LANES) {
        if (k + AHEAD + JO_LANES <= count) fetch_places(s, entry + k + AHEAD);
        collect_outer_few(s, block, entry + k, place + k, k, JO_LANES, f);
    }
    if (k < count) { /* lanes beyond the end: the last entry once more, masked */
        uint32_t last[JO_LANES];
        uint16_t where[JO_LANES];
        for (uint32_t l = 0; l < JO_LANES; l++) {
            last[l] = entry[k + l < count ? k + l : count - 1];
            where[l] = place[k + l < count ? k + l : count - 1];
        }
        collect_outer_few(s, block, last, where, k, count - k, f);
    }
}

/* ---- forces of pairs ---- */

/* Three floats of each memo; zero where the contact is fresh. */
INLINE vec4x3 noted(char *const *memo, uint32_t at, mask4 fresh)
{
    row4 r[JO_LANES];
    vec4 h[4];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_of_floats(memo[l] + at);
    v4_columns(r, h);
    return v4_only3(~fresh, three(h));
}

INLINE void note_down(char *const *memo, uint32_t at, int lanes, vec4x3 what)
{
    row4 r[JO_LANES];
    v4_rows(what.x, what.y, what.z, v4_zero(), r);
    for (int l = 0; l < lanes; l++)
        row_to_three_floats(memo[l] + at, r[l]);
}

/* The dashpots' force of a step ago: two floats have been loaded with xi. */
INLINE vec4x3 recall_dashpots(char *const *memo, uint32_t at, vec4 two)
{
    vec4x3 force;
    float z[JO_LANES];
    v4_of_two_floats(two, &force.x, &force.y);
    for (int l = 0; l < JO_LANES; l++)
        memcpy(&z[l], memo[l] + at + 2 * sizeof *z, sizeof *z);
    force.z = v4_of_floats((floats4){z[0], z[1], z[2], z[3]});
    return force;
}

/* It comes apart along the line of centres as it was then. */
INLINE void part_dashpots(vec4x3 force, contact4 *k)
{
    const vec4x3 branch = k->drift.branch;
    const vec4 along = v4_dot(force, branch) / v4_max(v4_dot(branch, branch), v4_all(1e-300));
    k->pull = along * k->drift.apart;
    k->drag = v4_sub3(force, v4_scale3(along, branch));
}

/* Whether memos may have more than xi and pull. */
INLINE bool may_note(const known *how)
{
    return how->account || how->parts.rolling != JO_ROLLING_NONE;
}

/* What contacts remember; zero where they are fresh. */
INLINE void recall(const view *s, const known *how, char *const *memo, contact4 *k)
{
    row4 r[JO_LANES];
    vec4 h[4];
    const void *at[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        at[l] = memo[l];
    v4_gather(at, h);
    k->xi = v4_only3(~k->fresh, three(h));
    k->pull = v4_only(~k->fresh, h[3]);
    k->drag = k->twist = k->roll = (vec4x3){v4_zero(), v4_zero(), v4_zero()};
    if (!may_note(how) || s->memo.pull == 0) return;
    if (s->memo.drag > 0) {
        const vec4x3 dashpots = v4_only3(~k->fresh, recall_dashpots(memo, s->memo.drag, h[3]));
        if (how->account)
            part_dashpots(dashpots, k);
        else /* only looked at: bodies are where they were then */
            k->pull = v4_dot(dashpots, k->n);
        if (how->parts.rolling == JO_ROLLING_NONE) return;
        if (how->account) k->twist = noted(memo, s->memo.twist, k->fresh);
        if (how->parts.rolling == JO_ROLLING_EPSD) k->roll = noted(memo, s->memo.roll, k->fresh);
        return;
    }
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_of_floats(memo[l] + s->memo.pull);
    v4_columns(r, h);
    k->pull = v4_only(~k->fresh, h[0]);
    if (how->parts.rolling == JO_ROLLING_NONE) return;
    const vec4x3 first = v4_only3(~k->fresh, (vec4x3){h[1], h[2], h[3]});
    if (how->account) k->twist = first;
    if (how->parts.rolling == JO_ROLLING_EPSD)
        k->roll = how->account ? noted(memo, s->memo.roll, k->fresh) : first;
}

INLINE void remember(const view *s, const known *how, char *const *memo, int lanes,
                     const contact4 *k)
{
    row4 r[JO_LANES];
    const bool notes = may_note(how) && s->memo.pull > 0;
    const bool rolls = how->parts.rolling != JO_ROLLING_NONE;
    const bool twists = how->account && rolls;
    if (notes && how->account && s->memo.drag > 0) {
        vec4x3 dashpots = v4_scale3(k->pull, k->n);
        if (s->law->drags) dashpots = v4_add3(dashpots, k->drag);
        const floats4 z = v4_to_floats(dashpots.z);
        v4_rows(k->xi.x, k->xi.y, k->xi.z, v4_two_floats(dashpots.x, dashpots.y), r);
        for (int l = 0; l < lanes; l++) {
            row_store(memo[l], r[l]);
            const float last = z[l];
            memcpy(memo[l] + s->memo.drag + 2 * sizeof last, &last, sizeof last);
        }
        if (twists) note_down(memo, s->memo.twist, lanes, k->twist);
        if (how->parts.rolling == JO_ROLLING_EPSD) note_down(memo, s->memo.roll, lanes, k->roll);
        return;
    }
    void *at[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        at[l] = memo[l];
    v4_scatter(at, lanes, k->xi.x, k->xi.y, k->xi.z, k->pull);
    if (!notes) return;
    /* Over the double that was written with xi. */
    vec4x3 first = {v4_zero(), v4_zero(), v4_zero()};
    if (rolls) first = twists ? k->twist : k->roll;
    v4_rows(k->pull, first.x, first.y, first.z, r);
    for (int l = 0; l < lanes; l++)
        row_to_floats((float *)(void *)(memo[l] + s->memo.pull), r[l]);
    if (twists && how->parts.rolling == JO_ROLLING_EPSD)
        note_down(memo, s->memo.roll, lanes, k->roll);
}

enum { ALL_LANES = (1 << JO_LANES) - 1 };

/* Up to JO_LANES contacts of a block; lanes beyond repeat the first. */
typedef struct group {
    body_at a[JO_LANES], b[JO_LANES];         /* bodies */
    body_at own_a[JO_LANES], own_b[JO_LANES]; /* their rows in the block's sums */
    char *memo[JO_LANES];
    uint32_t row[JO_LANES]; /* of the entry, in its part of the block's list */
    unsigned was;           /* bits: contacts a step ago */
    int lanes;
    bool steady; /* all lanes, and all were */
} group;

typedef struct totals {
    vec4 dissipated, work;
    double *sums; /* rows of eight: force, torque */
    block_sums *out;
    char *nowhere; /* for pairs that remember nothing */
    block_list *list;
    int part; /* of the list */
    double dt;
    const alike4 *same;
} totals;

/* A contact between blocks is computed by both. */
INLINE double share_of(const totals *total)
{
    return total->part == 0 ? 1 : 0.5;
}

static __attribute__((noinline)) void note_deep(const view *s, const group *g, vec4 overlap,
                                                vec4 smaller, block_sums *out)
{
    for (int l = 0; l < g->lanes; l++)
        if (overlap[l] > s->deep_alarm * smaller[l]) {
            if (out->deep_count == 0) {
                out->deep = overlap[l] / smaller[l];
                out->deep_a = (uint32_t)(g->a[l] / 8);
                out->deep_b = (uint32_t)(g->b[l] / 8);
                out->deep_wall = UINT32_MAX;
            }
            out->deep_count++;
        }
}

static void note_begun_and_ended(const view *s, group *g, unsigned on, const totals *total)
{
    const size_t first = total->list->row + (total->part ? total->list->inner : 0);
    for (int l = 0; l < g->lanes; l++) {
        uint32_t *entry = &s->entry[first + g->row[l]];
        *entry = (*entry & ENTRY_BODY) | (on >> l & 1) << 31;
        if (!(on >> l & 1) || g->memo[l] != total->nowhere) continue;
        char *memo = jo_lists_remember(s, total->list, total->part, g->row[l]);
        if (memo != NULL)
            g->memo[l] = memo;
        else
            total->out->no_room = true;
    }
}

/* Memos of the first entries of a part of a block's list, which lie in their order. */
typedef struct first_memos {
    memo_page *page;
    uint32_t from, count, size;
} first_memos;

INLINE first_memos memos_of_first(const view *s, const block_list *list, int part)
{
    return (first_memos){s->page + list->page, part ? list->end[0][0] : 0, list->end[part][0],
                         s->memo.size};
}

static __attribute__((noinline)) void find_memos_apart(const view *s, group *g,
                                                       const totals *total)
{
    for (int l = 0; l < JO_LANES; l++) {
        const uint32_t memo = memo_of(s, total->list, total->part, g->row[l]);
        g->memo[l] = memo != NO_ROW ? memo_at(s, total->list, memo) : total->nowhere;
    }
}

/* Where the group's contacts remember. Rows ascend, and mostly all are of the first ones, on one page. */
INLINE void find_memos(const view *s, const first_memos *m, const uint32_t *rows, group *g,
                       const totals *total)
{
    /* From where `rows` lie, not from the group: what has just been stored by twos cannot be loaded by fours
     * until the group before has gone all its way. */
    const words4 row = words_load(rows);
    const uint32_t low = m->from + rows[0], high = m->from + rows[JO_LANES - 1];
    words_store(g->row, row);
    if (rows[JO_LANES - 1] >= m->count || low / MEMO_ROWS != high / MEMO_ROWS) {
        find_memos_apart(s, g, total);
        return;
    }
    char *page = atomic_load_explicit(&m->page[low / MEMO_ROWS], memory_order_relaxed);
    const words4 at = (row + m->from) % MEMO_ROWS * m->size;
    for (int l = 0; l < JO_LANES; l++)
        g->memo[l] = page + at[l];
}

/* A contact that began during the step slid only from there on. */
static inline void slide_since_contact(contact4 *k)
{
    const vec4 part = v4_pick(k->fresh & (k->overlap < k->closed),
                              k->overlap / v4_max(k->closed, v4_all(1e-300)), v4_all(1));
    k->slid = v4_scale3(part, k->slid);
}

INLINE void add_row(double *at, row4 more)
{
    row_store(at, row_load(at) + more);
}

INLINE void add_forces(const group *g, const contact4 *k, vec4x3 turn_a, vec4x3 turn_b,
                       double *sums)
{
    row4 force[JO_LANES], ta[JO_LANES], tb[JO_LANES];
    v4_rows(k->force.x, k->force.y, k->force.z, v4_zero(), force);
    v4_rows(turn_a.x, turn_a.y, turn_a.z, v4_zero(), ta);
    v4_rows(turn_b.x, turn_b.y, turn_b.z, v4_zero(), tb);
    for (int l = 0; l < JO_LANES; l++) {
        double *at = sums + g->own_a[l];
        add_row(at, force[l]);
        add_row(at + 4, ta[l]);
    }
    for (int l = 0; l < JO_LANES; l++) {
        double *at = sums + g->own_b[l];
        add_row(at, -force[l]);
        add_row(at + 4, tb[l]);
    }
}

/* Gathered, evaluated, added up. Returns false, with nothing done, where contacts that should be steady
 * have ended. */
INLINE bool evaluate_with(const known *how, const view *s, group *g, totals *total)
{
    contact4 k;
    pair4 p;
    const unsigned lanes = (1u << g->lanes) - 1;
    k.on = how->steady ? ~v4_none() : v4_mask(lanes);
    k.fresh = how->steady ? v4_none() : v4_mask(~g->was);
    k.account = how->account;
    coefficients(s, how, g->a, g->b, &k.c);
    meet(s, how, g->a, g->b, total->dt, &k, &p);
    if (how->steady && v4_bits(k.overlap >= v4_zero()) != ALL_LANES) return false;
    if (!how->steady && (~g->was & lanes)) slide_since_contact(&k);
    recall(s, how, g->memo, &k);
    law_apply(s->law, &how->parts, how->reaches, how->steady, &k);
    if (!how->steady) {
        const unsigned on = v4_bits(k.on);
        if ((on ^ g->was) & lanes) note_begun_and_ended(s, g, on, total);
    }
    remember(s, how, g->memo, how->steady ? JO_LANES : g->lanes, &k);
    if (v4_any(k.overlap > v4_all(s->deep_alarm) * p.smaller))
        note_deep(s, g, k.overlap, p.smaller, total->out);

    const vec4x3 lever = v4_cross(k.n, k.force);
    vec4x3 turn_a = v4_scale3(-p.arm_a, lever), turn_b = v4_scale3(-p.arm_b, lever);
    if (how->parts.rolling != JO_ROLLING_NONE) {
        turn_a = v4_add3(turn_a, k.torque);
        turn_b = v4_sub3(turn_b, k.torque);
    }
    add_forces(g, &k, turn_a, turn_b, total->sums);
    if (how->account) total->dissipated += v4_all(share_of(total)) * k.dissipated;
    if (s->box.sheared)
        total->work += v4_all(share_of(total) * s->box.jump * total->dt) * k.force.x * p.up;
    return true;
}

/* The same for contacts that were and are, of bodies that are alike. Those that are too deep, too, go the general
 * way, where they are noted. */
INLINE bool evaluate_alike(const jo_law *parts, const view *s, group *g, totals *total)
{
    const alike4 *same = total->same;
    const known how = {*parts, true, false, false, true};
    contact4 k;
    alike_places(s, same, g->a, g->b, &k);
    if (v4_bits((k.overlap >= v4_zero()) & (k.overlap <= same->deep)) != ALL_LANES) return false;
    const vec4 arm = alike_motion(s, same, g->a, g->b, &k);
    recall(s, &how, g->memo, &k);
    k.c = same->c;
    law_apply(s->law, parts, false, true, &k);
    remember(s, &how, g->memo, JO_LANES, &k);
    const vec4x3 turn = v4_scale3(-arm, v4_cross(k.n, k.force));
    add_forces(g, &k, turn, turn, total->sums);
    return true;
}

/* The commonest laws are compiled by themselves: with their parts known, little is left of the
 * branches. And without the account most of what is computed is for contacts that begin or end: those that were and
 * are have their own way through, and another where bodies are alike. */
typedef void (*evaluation)(const view *s, group *g, size_t count, totals *total);

#define SPECIAL(NAME, PARTS, ONE_MATERIAL, ACCOUNT)                                                \
    INLINE bool NAME##_if(bool steady, const view *s, group *g, totals *total)                     \
    {                                                                                              \
        const known how = {PARTS(s), ONE_MATERIAL, ACCOUNT, false, steady};                        \
        return evaluate_with(&how, s, g, total);                                                   \
    }                                                                                              \
    static __attribute__((noinline)) void NAME##_changing(const view *s, group *g, totals *total)  \
    {                                                                                              \
        NAME##_if(false, s, g, total);                                                             \
    }                                                                                              \
    static void NAME(const view *s, group *g, size_t count, totals *total)                         \
    {                                                                                              \
        for (const group *end = g + count; g < end; g++)                                           \
            if (ACCOUNT || !g->steady || !NAME##_if(true, s, g, total))                            \
                NAME##_changing(s, g, total);                                                      \
    }
#define SPECIAL_ALIKE(NAME, PARTS)                                                                 \
    static void NAME##_alike(const view *s, group *g, size_t count, totals *total)                 \
    {                                                                                              \
        const jo_law parts = PARTS(s);                                                             \
        for (const group *end = g + count; g < end; g++)                                           \
            if (!g->steady || !evaluate_alike(&parts, s, g, total))                                \
                NAME##_one_changing(s, g, total);                                                  \
    }
#define SPECIAL_ROLLING(NAME, PARTS)                                                               \
    static void NAME##_alike(const view *s, group *g, size_t count, totals *total)                 \
    {                                                                                              \
        NAME##_one(s, g, count, total);                                                            \
    }
/* For several materials, for one and for bodies that are alike; without the account of energy and with it. */
#define SPECIALS(NAME, NORMAL, DAMPING, TANGENTIAL, ROLLING, ALIKE)                                \
    INLINE jo_law NAME##_parts(const view *s)                                                      \
    {                                                                                              \
        return (jo_law){.normal = NORMAL,                                                          \
                        .damping = DAMPING,                                                        \
                        .tangential = TANGENTIAL,                                                  \
                        .rolling = ROLLING,                                                        \
                        .cohesion = JO_COHESION_NONE,                                              \
                        .dashpot_loads_spring = s->law->parts.dashpot_loads_spring};               \
    }                                                                                              \
    SPECIAL(NAME##_mixed, NAME##_parts, false, false)                                              \
    SPECIAL(NAME##_mixed_account, NAME##_parts, false, true)                                       \
    SPECIAL(NAME##_one, NAME##_parts, true, false)                                                 \
    SPECIAL(NAME##_one_account, NAME##_parts, true, true)                                          \
    ALIKE(NAME, NAME##_parts)                                                                      \
    static const evaluation NAME[3][2] = {{NAME##_mixed, NAME##_mixed_account},                    \
                                          {NAME##_one, NAME##_one_account},                        \
                                          {NAME##_alike, NAME##_one_account}};
SPECIALS(linear_viscous, JO_NORMAL_LINEAR, JO_DAMPING_VISCOUS, JO_TANGENTIAL_LINEAR,
         JO_ROLLING_NONE, SPECIAL_ALIKE)
SPECIALS(linear_restitution, JO_NORMAL_LINEAR, JO_DAMPING_RESTITUTION, JO_TANGENTIAL_LINEAR,
         JO_ROLLING_NONE, SPECIAL_ALIKE)
SPECIALS(hertz_viscous, JO_NORMAL_HERTZ, JO_DAMPING_VISCOUS, JO_TANGENTIAL_MINDLIN, JO_ROLLING_NONE,
         SPECIAL_ALIKE)
SPECIALS(hertz_restitution, JO_NORMAL_HERTZ, JO_DAMPING_RESTITUTION, JO_TANGENTIAL_MINDLIN,
         JO_ROLLING_NONE, SPECIAL_ALIKE)
SPECIALS(hertz_rolling, JO_NORMAL_HERTZ, JO_DAMPING_RESTITUTION, JO_TANGENTIAL_MINDLIN,
         JO_ROLLING_EPSD, SPECIAL_ROLLING)
#undef SPECIALS
#undef SPECIAL_ROLLING
#undef SPECIAL_ALIKE
#undef SPECIAL

static void any_law(const view *s, group *g, size_t count, totals *total)
{
    const known how = {s->law->parts, false, s->account, s->law->reaches, false};
    for (const group *end = g + count; g < end; g++)
        evaluate_with(&how, s, g, total);
}

static evaluation choose_evaluation(const view *s)
{
    const jo_law *parts = &s->law->parts;
    const bool hertz = parts->normal == JO_NORMAL_HERTZ;
    const bool viscous = parts->damping == JO_DAMPING_VISCOUS;
    const bool rolling = parts->rolling == JO_ROLLING_EPSD && hertz && !viscous;
    if ((parts->rolling != JO_ROLLING_NONE && !rolling) || parts->cohesion != JO_COHESION_NONE ||
        parts->clip_attraction || parts->damping == JO_DAMPING_NONE ||
        parts->normal == JO_NORMAL_ENERGY ||
        parts->tangential != (hertz ? JO_TANGENTIAL_MINDLIN : JO_TANGENTIAL_LINEAR))
        return any_law;
    const int bodies = s->uniform == NULL ? 0 : s->radius > 0 && !s->box.sheared ? 2 : 1;
    if (rolling) return hertz_rolling[bodies][s->account];
    if (hertz) return (viscous ? hertz_viscous : hertz_restitution)[bodies][s->account];
    return (viscous ? linear_viscous : linear_restitution)[bodies][s->account];
}

/* The last contact once more, as often as lanes may be left over. */
static inline void fill_up(found *f)
{
    for (int l = 0; l < JO_LANES && f->count > 0; l++) {
        f->entry[f->count + l] = f->entry[f->count - 1];
        f->row[f->count + l] = f->row[f->count - 1];
    }
}

/* Brings the block that comes next into the cache while this one is computed, a few lines per group:
 * its bodies are read in an order that the processor does not foresee. */
typedef struct ahead {
    const char *rows[3], *changes, *forces, *entries;
    memo_page *page;          /* after this one */
    const char *memos;        /* the next line of this page */
    uint32_t left;            /* lines of it */
    size_t line;              /* the next one of each array of rows */
    size_t lines, memo_lines; /* of 64 bytes: of each array of rows, of memos */
    size_t each, memo_each;   /* how many of them per group, so that all are fetched */
    size_t entry_bytes;       /* of the list, per line of rows */
} ahead;

static ahead look_ahead(const view *s, size_t block, size_t groups)
{
    ahead next = {.lines = 0};
    if (block_first(block + 1) >= s->n) return next;
    const size_t first = block_first(block + 1);
    const block_list *list = &s->list[block + 1];
    const double *const arrays[3] = {s->x, s->v, s->w};
    for (int k = 0; k < 3; k++)
        next.rows[k] = (const char *)(arrays[k] + 4 * first);
    next.changes = (const char *)(s->c + 6 * first);
    next.forces = s->n < s->many ? (const char *)(s->f + 6 * first) : NULL;
    next.entries = (const char *)(s->entry + list->row);
    next.page = s->page + list->page;
    next.memos = atomic_load_explicit(next.page, memory_order_relaxed);
    next.left = s->memo.size; /* MEMO_ROWS memos are as many lines as a memo has bytes */
    next.lines = block_count(s, block + 1) / 2;
    next.memo_lines = (size_t)(list->end[0][0] + list->end[1][0]) * s->memo.size / 64;
    next.each = next.lines / (groups + 1) + 1;
    next.memo_each = s->n >= s->many ? next.memo_lines / (groups + 1) + 1 : 0;
    next.entry_bytes = list->end[0][s->classes] * sizeof(uint32_t) / (next.lines + 1);
    return next;
}

INLINE void fetch_ahead(ahead *next, uint32_t page_lines)
{
    size_t k = next->line;
    for (size_t end = k + next->each; k < end && k < next->lines; k++) {
        for (int array = 0; array < 3; array++)
            __builtin_prefetch(next->rows[array] + 64 * k, 1, 2);
        __builtin_prefetch(next->changes + 48 * k, 1, 2);
        if (next->forces != NULL) { /* of two bodies: a line and a half */
            __builtin_prefetch(next->forces + 96 * k, 1, 2);
            __builtin_prefetch(next->forces + 96 * k + 64, 1, 2);
        }
        __builtin_prefetch(next->entries + next->entry_bytes * k, 0, 2);
    }
    next->line = k;
    for (k = 0; k < next->memo_each; k++, next->memos += 64) {
        if (next->left == 0) {
            if (next->memo_lines <= page_lines) return; /* the rest is not worth it */
            next->memo_lines -= page_lines;
            next->left = page_lines;
            next->memos = atomic_load_explicit(++next->page, memory_order_relaxed);
        }
        __builtin_prefetch(next->memos, 1, 2);
        next->left--;
    }
}

/* Groups are made ready a few at a time, then evaluated: what one evaluation has to set up serves them all. */
enum { GROUPS = 8 };

INLINE void group_begins(const found *f, size_t k, group *g)
{
    const size_t left = f->count - k;
    g->lanes = left < JO_LANES ? (int)left : JO_LANES;
    g->was = words_signs(f->entry + k);
    g->steady = left >= JO_LANES && g->was == ALL_LANES;
}

static void evaluate_inner(const view *s, evaluation evaluate, size_t block, found *f,
                           totals *total)
{
    const uint64_t first = 8 * block_first(block);
    ahead next = look_ahead(s, block, f->count / JO_LANES);
    const first_memos memos = memos_of_first(s, &s->list[block], 0);
    group groups[GROUPS];
    total->part = 0;
    fill_up(f);
    for (size_t k = 0; k < f->count;) {
        group *g = groups;
        for (; g < groups + GROUPS && k < f->count; g++, k += JO_LANES) {
            const words4 entry = words_load(f->entry + k);
            const mask4 own_a = words_widen(8 * INNER_A(entry));
            const mask4 own_b = words_widen(8 * INNER_B(entry));
            memcpy(g->own_a, &own_a, sizeof own_a);
            memcpy(g->own_b, &own_b, sizeof own_b);
            const mask4 a = own_a + (int64_t)first, b = own_b + (int64_t)first;
            memcpy(g->a, &a, sizeof a);
            memcpy(g->b, &b, sizeof b);
            group_begins(f, k, g);
            for (int l = g->lanes; l < JO_LANES; l++)
                g->own_a[l] = g->own_b[l] = 8 * BLOCK_BODIES;
            find_memos(s, &memos, f->row + k, g, total);
            fetch_ahead(&next, s->memo.size);
        }
        evaluate(s, groups, (size_t)(g - groups), total);
    }
}

static void evaluate_outer(const view *s, evaluation evaluate, size_t block, found *f,
                           totals *total)
{
    const uint32_t first = (uint32_t)block_first(block);
    const first_memos memos = memos_of_first(s, &s->list[block], 1);
    group groups[GROUPS];
    total->part = 1;
    fill_up(f);
    for (size_t k = 0; k < f->count;) {
        group *g = groups;
        for (; g < groups + GROUPS && k < f->count; g++, k += JO_LANES) {
            uint32_t own[JO_LANES], a[JO_LANES], b[JO_LANES];
            own_bodies(s, block, f->row + k, own);
            outer_bodies(f->entry + k, own, a, b);
            group_begins(f, k, g);
            for (int l = 0; l < JO_LANES; l++) {
                g->a[l] = 8 * (body_at)a[l];
                g->b[l] = 8 * (body_at)b[l];
                g->own_a[l] = 8 * (l < g->lanes && a[l] == own[l] ? own[l] - first : BLOCK_BODIES);
                g->own_b[l] = 8 * (l < g->lanes && a[l] != own[l] ? own[l] - first : BLOCK_BODIES);
            }
            find_memos(s, &memos, f->row + k, g, total);
        }
        evaluate(s, groups, (size_t)(g - groups), total);
    }
}

/* The block's sums become its bodies' forces. Where many bodies follow, those would leave the cache before
 * anybody reads them: they go to memory at once, which need not be read then, either. Unless walls
 * come to add theirs. */
static void store_forces(const view *s, size_t block, const double *sums)
{
    const size_t first = block_first(block), count = block_count(s, block);
    if (s->n < s->many || s->walls[block].near_count > 0) {
        for (size_t i = 0; i < count; i++) {
            double *f = s->f + 6 * (first + i);
            memcpy(f, sums + 8 * i, 3 * sizeof *f);
            memcpy(f + 3, sums + 8 * i + 4, 3 * sizeof *f);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double *from = sums + 8 * i;
        double *f = s->f + 6 * (first + i);
        two_past_cache(f, from[0], from[1]);
        two_past_cache(f + 2, from[2], from[4]);
        two_past_cache(f + 4, from[5], from[6]);
    }
    past_cache_end();
}

static void pairs_of_block(const view *s, size_t block, scratch *own, double dt)
{
    const evaluation evaluate = choose_evaluation(s);
    const alike4 same = alike_pairs(s, dt);
    totals total = {.dissipated = v4_zero(),
                    .work = v4_zero(),
                    .sums = own->sums.data,
                    .out = &s->sums[block],
                    .nowhere = own->nowhere,
                    .list = &s->list[block],
                    .dt = dt,
                    .same = &same};
    memset(total.sums, 0, block_count(s, block) * 8 * sizeof *total.sums);
    total.out->deep_count = 0;
    total.out->no_room = false;
    found f = {.entry = own->words.data, .row = (uint32_t *)own->words.data + own->room};
    collect_inner(s, block, &f);
    evaluate_inner(s, evaluate, block, &f, &total);
    f.count = 0;
    collect_outer(s, block, &f);
    evaluate_outer(s, evaluate, block, &f, &total);
    store_forces(s, block, total.sums);
    const vec4 d = total.dissipated, w = total.work;
    total.out->dissipated = (d[0] + d[1]) + (d[2] + d[3]);
    total.out->work = (w[0] + w[1]) + (w[2] + w[3]);
}

#endif
