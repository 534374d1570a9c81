/* kernel_pairs.h — forces between bodies, block by block; a part of kernel.h.
 *
 * kernel_collect.h walks the lists and keeps those in contact, then JO_LANES contacts at a time are
 * gathered, evaluated by the law and added to the block's own sums, which stay in the cache. A
 * contact is always evaluated with the body of the smaller index as a; where the other body lies in
 * another block, its half goes to a sink here and is computed again there. */
#ifndef JO_SOFT_KERNEL_PAIRS_H
#define JO_SOFT_KERNEL_PAIRS_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

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

/* Up to JO_LANES contacts of a block; lanes beyond repeat the first. */
typedef struct group {
    body_at a[JO_LANES], b[JO_LANES];          /* bodies */
    body_at other[JO_LANES];                   /* those of other blocks, of outer entries */
    double *own_a[JO_LANES], *own_b[JO_LANES]; /* rows of a and b in the block's sums */
    char *memo[JO_LANES];
    uint32_t row[JO_LANES]; /* of the entry, in its part of the block's list */
    unsigned was;           /* bits: contacts a step ago */
    int lanes;
    bool steady;               /* all lanes, and all were */
    const struct group *later; /* whose turn comes some groups later; NULL: there is none */
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
    ahead next; /* block */
} totals;

/* What a later group needs, and some of what the next block does. */
static __attribute__((noinline)) void fetch(const view *s, const group *g, totals *total)
{
    const group *later = g->later;
    if (total->next.left > 0) fetch_turn(&total->next);
    if (later == NULL) return;
    if (total->part == 1)
        for (int l = 0; l < JO_LANES; l++) {
            __builtin_prefetch(row_of(s->v, later->other[l]), 0, 2);
            __builtin_prefetch(row_of(s->w, later->other[l]), 0, 2);
            __builtin_prefetch(changes_of(s->c, later->other[l]), 0, 2);
        }
    for (int l = 0; l < JO_LANES; l++)
        __builtin_prefetch(later->memo[l], 1, 2);
}

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

static __attribute__((noinline)) void find_memos_apart(const view *s, group *g, const totals *total)
{
    for (int l = 0; l < JO_LANES; l++) {
        const uint32_t memo = memo_of(s, total->list, total->part, g->row[l]);
        g->memo[l] = memo != NO_ROW ? memo_at(s, total->list, memo) : total->nowhere;
    }
}

/* Where the group's contacts remember. Rows ascend, and mostly all are of the first ones, on one
 * page. */
INLINE void find_memos(const view *s, const first_memos *m, const uint32_t *rows, group *g,
                       const totals *total)
{
    /* From where `rows` lie, not from the group: what has just been stored by twos cannot be loaded
     * by fours until the group before has gone all its way. */
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

/* The fourth of four is not read: z once more, for it is at hand. */
INLINE void add_forces(const group *g, const contact4 *k, vec4x3 turn_a, vec4x3 turn_b)
{
    row4 force[JO_LANES], ta[JO_LANES], tb[JO_LANES];
    v4_rows(k->force.x, k->force.y, k->force.z, k->force.z, force);
    v4_rows(turn_a.x, turn_a.y, turn_a.z, turn_a.z, ta);
    v4_rows(turn_b.x, turn_b.y, turn_b.z, turn_b.z, tb);
    for (int l = 0; l < JO_LANES; l++) {
        double *at = g->own_a[l];
        add_row(at, force[l]);
        add_row(at + 4, ta[l]);
    }
    for (int l = 0; l < JO_LANES; l++) {
        double *at = g->own_b[l];
        add_row(at, -force[l]);
        add_row(at + 4, tb[l]);
    }
}

/* Gathered, evaluated, added up. Returns false, with nothing done, where contacts that should be
 * steady have ended. */
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
    add_forces(g, &k, turn_a, turn_b);
    if (how->account) total->dissipated += v4_all(share_of(total)) * k.dissipated;
    if (s->box.sheared)
        total->work += v4_all(share_of(total) * s->box.jump * total->dt) * k.force.x * p.up;
    return true;
}

/* The same for contacts that were and are, of bodies that are alike. Those that are too deep, too,
 * go the general way, where they are noted. */
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
    add_forces(g, &k, turn, turn);
    return true;
}

/* The commonest laws are compiled by themselves: with their parts known, little is left of the
 * branches. And without the account most of what is computed is for contacts that begin or end:
 * those that were and are have their own way through, and another where bodies are alike. */
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
        for (const group *end = g + count; g < end; g++) {                                         \
            if (s->ahead) fetch(s, g, total);                                                      \
            if (ACCOUNT || !g->steady || !NAME##_if(true, s, g, total))                            \
                NAME##_changing(s, g, total);                                                      \
        }                                                                                          \
    }
#define SPECIAL_ALIKE(NAME, PARTS)                                                                 \
    static void NAME##_alike(const view *s, group *g, size_t count, totals *total)                 \
    {                                                                                              \
        const jo_law parts = PARTS(s);                                                             \
        for (const group *end = g + count; g < end; g++) {                                         \
            if (s->ahead) fetch(s, g, total);                                                      \
            if (!g->steady || !evaluate_alike(&parts, s, g, total))                                \
                NAME##_one_changing(s, g, total);                                                  \
        }                                                                                          \
    }
#define SPECIAL_ROLLING(NAME, PARTS)                                                               \
    static void NAME##_alike(const view *s, group *g, size_t count, totals *total)                 \
    {                                                                                              \
        NAME##_one(s, g, count, total);                                                            \
    }
/* For several materials, for one and for bodies that are alike; without the account of energy and
 * with it. */
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
    for (const group *end = g + count; g < end; g++) {
        if (s->ahead) fetch(s, g, total);
        evaluate_with(&how, s, g, total);
    }
}

static evaluation choose_evaluation(const view *s, const alike4 *same)
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
    const int bodies = same->are ? 2 : s->uniform != NULL ? 1 : 0;
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

INLINE void write_own(double **to, const double *sums, words4 index)
{
    const mask4 rows = (words_widen(index) << 6) + (int64_t)(uintptr_t)sums;
    memcpy(to, &rows, sizeof rows);
}

INLINE void which_lanes(words4 entry, size_t left, double *sums, group *g)
{
    g->was = words_high(entry);
    g->steady = left >= JO_LANES && g->was == ALL_LANES;
    g->lanes = JO_LANES;
    if (left >= JO_LANES) return;
    g->lanes = (int)left;
    for (int l = g->lanes; l < JO_LANES; l++)
        g->own_a[l] = g->own_b[l] = sums + 8 * BLOCK_BODIES;
}

/* Groups are made ready a few at a time, then evaluated: what one evaluation has to set up serves
 * them all. Those that follow are ready by then, so that what they need is known. */
enum { GROUPS = 8, READY = GROUPS * JO_LANES };

/* Of the contacts found, the k-th and so on; returns how many groups they are. */
static size_t ready_inner(const view *s, size_t block, const found *f, size_t k,
                          const totals *total, group *g)
{
    const uint32_t first = (uint32_t)block_first(block);
    const first_memos memos = memos_of_first(s, &s->list[block], 0);
    size_t n = 0;
    for (; n < GROUPS && k < f->count; n++, g++, k += JO_LANES) {
        const words4 entry = words_load(f->entry + k);
        write_places(g->a, INNER_A(entry) + first);
        write_places(g->b, INNER_B(entry) + first);
        write_own(g->own_a, total->sums, INNER_A(entry));
        write_own(g->own_b, total->sums, INNER_B(entry));
        which_lanes(entry, f->count - k, total->sums, g);
        find_memos(s, &memos, f->row + k, g, total);
    }
    return n;
}

static size_t ready_outer(const view *s, size_t block, const found *f, size_t k,
                          const totals *total, group *g)
{
    const uint32_t first = (uint32_t)block_first(block);
    const uint16_t *place = s->own + s->list[block].own;
    const first_memos memos = memos_of_first(s, &s->list[block], 1);
    size_t n = 0;
    for (; n < GROUPS && k < f->count; n++, g++, k += JO_LANES) {
        const uint32_t *row = f->row + k;
        const words4 own = {place[row[0]], place[row[1]], place[row[2]], place[row[3]]};
        const words4 entry = words_load(f->entry + k);
        const words4 is_a = outer_bodies(entry, own + first, g->a, g->b);
        const words4 own_a = (own & is_a) | (~is_a & BLOCK_BODIES);
        write_places(g->other, entry & ENTRY_BODY);
        write_own(g->own_a, total->sums, own_a);
        write_own(g->own_b, total->sums, own ^ own_a ^ BLOCK_BODIES);
        which_lanes(entry, f->count - k, total->sums, g);
        find_memos(s, &memos, f->row + k, g, total);
    }
    return n;
}

typedef size_t (*preparation)(const view *s, size_t block, const found *f, size_t k,
                              const totals *total, group *g);

static void evaluate_found(const view *s, evaluation evaluate, preparation prepare, size_t block,
                           found *f, totals *total)
{
    group groups[2][GROUPS];
    int now = 0;
    fill_up(f);
    size_t count = prepare(s, block, f, 0, total, groups[now]), next;
    for (size_t k = READY; count > 0; k += READY, now = !now, count = next) {
        group *later = groups[!now];
        next = prepare(s, block, f, k, total, later);
        for (size_t g = 0; g < count; g++)
            groups[now][g].later = g < next ? &later[g] : NULL;
        evaluate(s, groups[now], count, total);
    }
}

/* The block's sums become its bodies' forces. Where many bodies follow, those would leave the cache
 * before anybody reads them: they go to memory at once, which need not be read then, either. Unless
 * walls come to add theirs. */
static void store_forces(const view *s, size_t block, const double *sums)
{
    const size_t first = block_first(block), count = block_count(s, block);
    if (s->n < s->many || s->walls[block].near_count > 0) {
        for (size_t i = 0; i < count; i++) {
            double *f = s->f + 6 * (first + i);
            row_store(f, row_load(sums + 8 * i)); /* and one more, to be written over */
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
    const alike4 same = alike_pairs(s, dt);
    const evaluation evaluate = choose_evaluation(s, &same);
    totals total = {.dissipated = v4_zero(),
                    .work = v4_zero(),
                    .sums = own->sums.data,
                    .out = &s->sums[block],
                    .nowhere = own->nowhere,
                    .list = &s->list[block],
                    .dt = dt,
                    .same = &same,
                    .next = look_ahead(s, block + 1)};
    memset(total.sums, 0, block_count(s, block) * 8 * sizeof *total.sums);
    total.out->deep_count = 0;
    total.out->no_room = false;
    found f = {.entry = own->words.data, .row = (uint32_t *)own->words.data + own->room};
    collect_inner(s, &same, block, &f);
    in_turns(&total.next, f.count / JO_LANES);
    total.part = 0;
    evaluate_found(s, evaluate, ready_inner, block, &f, &total);
    f.count = 0;
    collect_outer(s, &same, block, &f);
    total.part = 1;
    evaluate_found(s, evaluate, ready_outer, block, &f, &total);
    store_forces(s, block, total.sums);
    const vec4 d = total.dissipated, w = total.work;
    total.out->dissipated = (d[0] + d[1]) + (d[2] + d[3]);
    total.out->work = (w[0] + w[1]) + (w[2] + w[3]);
}

#endif
