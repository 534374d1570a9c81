/* kernel.h — the inner loops of the soft engine: moving bodies, forces of pairs and of walls.
 *
 * Included by kernel_plain.c, kernel_avx2.c and kernel_avx512.c, which differ in compiler options
 * alone: the results are the same bits (base/vec4.h).
 *
 * Pairs, block by block: `collect` walks the lists and keeps those in contact, then JO_LANES contacts
 * at a time are gathered, evaluated by the law and added to the block's own sums, which stay in the
 * cache. A contact is always evaluated with the body of the smaller index as a; where the other body
 * lies in another block, its half goes to a sink here and is computed again there. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "law/contact4.h"
#include "soft/engine.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- moving ---- */

static inline row4 first_three(row4 a)
{
    typedef int64_t bits4 __attribute__((vector_size(32)));
    return (row4)((bits4)a & (bits4){ -1, -1, -1, 0 });
}

/* Kick and drift: v(t + dt/2) = v(t - dt/2) + dt a(t), x(t + dt) = x(t) + dt v(t + dt/2). */
static void move_block(const view *s, size_t block)
{
    const size_t first = block_first(block), end = first + block_count(s, block);
    const row4 dt = { s->step, s->step, s->step, 0 }, half = row_all(0.5) * dt;
    const row4 gravity = { s->gravity[0], s->gravity[1], s->gravity[2], 0 };
    double fastest = 0;
    uint32_t lost = UINT32_MAX;
    for (size_t i = first; i < end; i++) {
        const row4 force = first_three(row_load(s->f + 6 * i));
        const row4 torque = first_three(row_load(s->f + 6 * i + 3));
        row4 v = row_load(s->v + 4 * i), w = row_load(s->w + 4 * i);
        const double lightness = v[3];
        const row4 a = force * row_all(lightness) + (lightness > 0 ? gravity : row_all(0));
        const row4 turn = torque * row_all(w[3]);
        v += dt * a;
        w += dt * turn;
        row_store(s->v + 4 * i, v);
        row_store(s->w + 4 * i, w);
        row_store(s->x + 4 * i, row_load(s->x + 4 * i) + dt * v);
        row_to_floats(s->c + 8 * i, half * a);
        row_to_floats(s->c + 8 * i + 4, half * turn);
        const double speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (speed2 > fastest)
            fastest = speed2;
        if (!(speed2 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2] < 1e300) && lost == UINT32_MAX)
            lost = (uint32_t)i;
    }
    s->sums[block].speed2_max = fastest;
    s->sums[block].lost = lost;
}

/* ---- gathering ---- */

INLINE void columns(const double *rows, const uint32_t index[JO_LANES], vec4 out[4])
{
    row4 r[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_load(rows + 4 * (size_t)index[l]);
    v4_columns(r, out);
}

/* The changes of velocity (part 0) or spin (part 1) over half a step: rows of eight floats. */
INLINE vec4x3 change(const float *rows, const uint32_t index[JO_LANES], int part)
{
    row4 r[JO_LANES];
    vec4 c[4];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_of_floats(rows + 8 * (size_t)index[l] + 4 * part);
    v4_columns(r, c);
    return (vec4x3){ c[0], c[1], c[2] };
}

static inline vec4x3 three(const vec4 c[4]) { return (vec4x3){ c[0], c[1], c[2] }; }

/* Nearest image of the distance; `up` is how often the sheared boundary lies between. */
INLINE vec4x3 nearest(const box4 *box, vec4x3 d, vec4 *up)
{
    *up = v4_zero();
    if (!box->any)
        return d;
    if (box->sheared) {
        *up = v4_round(d.y * v4_all(box->inverse[1]));
        d.x -= *up * v4_all(box->offset);
    }
    if (box->periodic[0])
        d.x -= v4_all(box->size[0]) * v4_round(d.x * v4_all(box->inverse[0]));
    if (box->periodic[1])
        d.y -= v4_all(box->size[1]) * v4_round(d.y * v4_all(box->inverse[1]));
    if (box->periodic[2])
        d.z -= v4_all(box->size[2]) * v4_round(d.z * v4_all(box->inverse[2]));
    return d;
}

/* What is known of a scene's law when a kernel is compiled; `parts` may also be read at run time. */
typedef struct known {
    jo_law parts;
    bool one_material;
    bool account;
    bool reaches;
} known;

/* Coefficients of the pairs of materials. */
INLINE void coefficients(const view *s, const known *how, const uint32_t *a, const uint32_t *b,
                         law_pair4 *c)
{
    const law *l = s->law;
    if (how->one_material) {
        const law_pair *p = s->uniform;
        c->kn = v4_all(p->kn);
        c->kt = v4_all(p->kt);
        c->damp_n = v4_all(p->damp_n);
        c->damp_t = v4_all(p->damp_t);
        c->mu = v4_all(p->mu);
        return;
    }
    for (int k = 0; k < JO_LANES; k++) {
        const double *p = (const double *)&l->pairs[s->material[a[k]] * l->materials + s->material[b[k]]];
        for (size_t field = 0; field < sizeof(law_pair) / sizeof *p; field++)
            ((vec4 *)c)[field][k] = p[field];
    }
}

/* What the caller needs beside the contact itself. */
typedef struct pair4 {
    vec4 arm_a, arm_b; /* from the centres to the contact */
    vec4 smaller;      /* radius */
    vec4 up;
    vec4x3 branch;     /* from b to a */
} pair4;

/* Geometry and motion of contacts; dt is the step that led here, 0 for none. */
INLINE void meet(const view *s, const known *how, const uint32_t *a, const uint32_t *b, double dt,
                 contact4 *k, pair4 *p)
{
    vec4 xa[4], xb[4], va[4], vb[4], wa[4], wb[4];
    columns(s->x, a, xa);
    columns(s->x, b, xb);
    const vec4x3 d = nearest(&s->box, v4_sub3(three(xa), three(xb)), &p->up);
    /* 1 / r as r / r^2: the root and the division go on at the same time. */
    const vec4 square = v4_dot(d, d), distance = v4_sqrt(square), sum = xa[3] + xb[3];
    const vec4 inverse = distance * (v4_all(1) / v4_max(square, v4_all(1e-300)));
    k->n = v4_scale3(inverse, d);
    k->overlap = sum - distance;
    k->radius = xa[3] * xb[3] / sum;
    p->branch = d;
    p->smaller = v4_min(xa[3], xb[3]);
    p->arm_a = xa[3] - v4_all(0.5) * k->overlap;
    p->arm_b = xb[3] - v4_all(0.5) * k->overlap;

    columns(s->v, a, va);
    columns(s->v, b, vb);
    k->mass = v4_all(1) / (va[3] + vb[3]);
    vec4x3 u = v4_sub3(three(va), three(vb));
    if (s->box.sheared)
        u.x -= p->up * v4_all(s->box.jump);
    const vec4 speed2 = v4_dot(u, u);
    columns(s->w, a, wa);
    columns(s->w, b, wb);
    const vec4x3 surface = v4_add3(v4_scale3(p->arm_a, three(wa)), v4_scale3(p->arm_b, three(wb)));
    u = v4_sub3(u, v4_cross(surface, k->n));
    k->step = v4_all(dt);
    k->vn = v4_dot(u, k->n);
    k->vt = v4_sub3(u, v4_scale3(k->vn, k->n));
    /* How the overlap changed: along the normal, and by centres passing each other. */
    k->closed = v4_all(0.5 * dt * dt) * (speed2 - k->vn * k->vn) * inverse - k->vn * k->step;
    k->slid = v4_scale3(k->step, k->vt);
    const bool rolls = how->parts.rolling != JO_ROLLING_NONE;
    if (rolls) {
        k->spin = v4_sub3(three(wa), three(wb));
        k->rolled = v4_scale3(k->step, k->spin);
    }
    if (how->parts.damping == JO_DAMPING_NONE && !rolls)
        return;
    /* From half a step back to now: add what velocities changed by over half the last step. */
    const vec4x3 ca = change(s->c, a, 0), cb = change(s->c, b, 0);
    const vec4x3 ta = change(s->c, a, 1), tb = change(s->c, b, 1);
    const vec4x3 turning = v4_add3(v4_scale3(p->arm_a, ta), v4_scale3(p->arm_b, tb));
    const vec4x3 more = v4_sub3(v4_sub3(ca, cb), v4_cross(turning, k->n));
    const vec4 along = v4_dot(more, k->n);
    k->vn += along;
    k->vt = v4_add3(k->vt, v4_sub3(more, v4_scale3(along, k->n)));
    if (rolls)
        k->spin = v4_add3(k->spin, v4_sub3(ta, tb));
}

/* ---- which pairs are in contact ---- */

/* Which of the pairs touch, or may for laws that reach further: a bit each. */
INLINE unsigned touching(const view *s, const uint32_t *a, const uint32_t *b)
{
    vec4 xa[4], xb[4], up;
    columns(s->x, a, xa);
    columns(s->x, b, xb);
    const vec4x3 d = nearest(&s->box, v4_sub3(three(xa), three(xb)), &up);
    const vec4 sum = xa[3] + xb[3] + v4_all(s->reach);
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

/* A pair is kept if it touches, and once more after it has parted: the law settles accounts. */
INLINE void keep(const uint32_t *entry, unsigned is, uint32_t from, uint32_t lanes, found *f)
{
    uint32_t rows[JO_LANES];
    const unsigned kept = (is | words_signs(entry)) & ((1u << lanes) - 1);
    for (uint32_t l = 0; l < JO_LANES; l++)
        rows[l] = from + l;
    uint32_t *end = words_keep(entry, kept, f->entry + f->count);
    words_keep(rows, kept, f->row + f->count);
    f->count = (size_t)(end - f->entry);
}

static void collect_inner(const view *s, size_t block, found *f)
{
    const block_list *list = &s->list[block];
    const uint32_t *entry = s->entry + list->row;
    const size_t first = block_first(block);
    uint32_t a[JO_LANES], b[JO_LANES], last[JO_LANES] = { 0 }, k = 0;
    for (; k + JO_LANES <= list->inner; k += JO_LANES) {
        inner_bodies(entry + k, first, a, b);
        keep(entry + k, touching(s, a, b), k, JO_LANES, f);
    }
    if (k < list->inner) { /* lanes beyond the end: the block's first body, masked */
        memcpy(last, entry + k, (list->inner - k) * sizeof *last);
        inner_bodies(last, first, a, b);
        keep(last, touching(s, a, b), k, list->inner - k, f);
    }
}

INLINE void own_bodies(const view *s, size_t block, const uint32_t *row, uint32_t *own)
{
    const uint16_t *place = s->own + s->list[block].own;
    for (int l = 0; l < JO_LANES; l++)
        own[l] = (uint32_t)block_first(block) + place[row[l]];
}

static void collect_outer(const view *s, size_t block, found *f)
{
    const block_list *list = &s->list[block];
    const uint32_t *entry = s->entry + list->row + list->inner;
    for (uint32_t k = 0; k < list->outer; k += JO_LANES) {
        uint32_t a[JO_LANES], b[JO_LANES], own[JO_LANES], entries[JO_LANES], row[JO_LANES];
        const uint32_t lanes = list->outer - k < JO_LANES ? list->outer - k : JO_LANES;
        for (uint32_t l = 0; l < JO_LANES; l++) {
            row[l] = l < lanes ? k + l : k;
            entries[l] = entry[row[l]];
        }
        own_bodies(s, block, row, own);
        outer_bodies(entries, own, a, b);
        keep(entries, touching(s, a, b), k, lanes, f);
    }
}

/* ---- forces of pairs ---- */

/* History rows; zero where the contact is fresh. */
INLINE void recall(const view *s, const known *how, const size_t *row, contact4 *k)
{
    row4 r[JO_LANES];
    vec4 h[4];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_load(s->history + HISTORY * row[l]);
    v4_columns(r, h);
    k->xi = v4_only3(~k->fresh, three(h));
    k->pull = v4_only(~k->fresh, h[3]);
    if (how->parts.rolling != JO_ROLLING_EPSD)
        return;
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_load(s->roll + 4 * row[l]);
    v4_columns(r, h);
    k->roll = v4_only3(~k->fresh, three(h));
}

INLINE void remember(const view *s, const known *how, const size_t *row, int lanes,
                     const contact4 *k)
{
    row4 r[JO_LANES];
    v4_rows(k->xi.x, k->xi.y, k->xi.z, k->pull, r);
    for (int l = 0; l < lanes; l++)
        row_store(s->history + HISTORY * row[l], r[l]);
    if (how->parts.rolling != JO_ROLLING_EPSD)
        return;
    v4_rows(k->roll.x, k->roll.y, k->roll.z, v4_zero(), r);
    for (int l = 0; l < lanes; l++)
        row_store(s->roll + 4 * row[l], r[l]);
}

/* Up to JO_LANES contacts of a block; lanes beyond repeat the first. */
typedef struct group {
    uint32_t a[JO_LANES], b[JO_LANES];         /* bodies */
    uint32_t own_a[JO_LANES], own_b[JO_LANES]; /* their rows in the block's sums */
    size_t row[JO_LANES];                      /* of entry and history */
    unsigned was;                              /* bits: contacts a step ago */
    int lanes;
} group;

typedef struct totals {
    vec4 dissipated, work;
    double *sums; /* rows of eight: force, torque */
    block_sums *out;
} totals;

static __attribute__((noinline)) void note_deep(const view *s, const group *g, vec4 overlap,
                                                vec4 smaller, block_sums *out)
{
    for (int l = 0; l < g->lanes; l++)
        if (overlap[l] > s->deep_alarm * smaller[l]) {
            if (out->deep_count == 0) {
                out->deep = overlap[l] / smaller[l];
                out->deep_a = g->a[l];
                out->deep_b = g->b[l];
            }
            out->deep_count++;
        }
}

static void note_begun_and_ended(const view *s, const group *g, unsigned on)
{
    for (int l = 0; l < g->lanes; l++) {
        uint32_t *entry = &s->entry[g->row[l]];
        *entry = (*entry & ENTRY_BODY) | (on >> l & 1) << 31;
    }
}

/* A contact that began during the step slid only from there on. */
static inline void slide_since_contact(contact4 *k)
{
    const vec4 part = v4_pick(k->fresh & (k->overlap < k->closed),
                              k->overlap / v4_max(k->closed, v4_all(1e-300)), v4_all(1));
    k->slid = v4_scale3(part, k->slid);
}

INLINE void add_row(double *at, row4 more) { row_store(at, row_load(at) + more); }

INLINE void add_forces(const group *g, const contact4 *k, vec4x3 turn_a, vec4x3 turn_b, double *sums)
{
    row4 force[JO_LANES], ta[JO_LANES], tb[JO_LANES];
    v4_rows(k->force.x, k->force.y, k->force.z, v4_zero(), force);
    v4_rows(turn_a.x, turn_a.y, turn_a.z, v4_zero(), ta);
    v4_rows(turn_b.x, turn_b.y, turn_b.z, v4_zero(), tb);
    for (int l = 0; l < JO_LANES; l++) {
        double *at = sums + 8 * (size_t)g->own_a[l];
        add_row(at, force[l]);
        add_row(at + 4, ta[l]);
    }
    for (int l = 0; l < JO_LANES; l++) {
        double *at = sums + 8 * (size_t)g->own_b[l];
        add_row(at, -force[l]);
        add_row(at + 4, tb[l]);
    }
}

/* Gathered, evaluated, added up. */
INLINE void evaluate_with(const known *how, const view *s, const group *g, double dt, double share,
                          totals *total)
{
    contact4 k;
    pair4 p;
    const unsigned lanes = (1u << g->lanes) - 1;
    k.on = v4_mask(lanes);
    k.fresh = v4_mask(~g->was);
    k.account = how->account;
    coefficients(s, how, g->a, g->b, &k.c);
    meet(s, how, g->a, g->b, dt, &k, &p);
    if (~g->was & lanes)
        slide_since_contact(&k);
    recall(s, how, g->row, &k);
    law_apply(s->law, &how->parts, how->reaches, &k);
    remember(s, how, g->row, g->lanes, &k);
    const unsigned on = v4_bits(k.on);
    if ((on ^ g->was) & lanes)
        note_begun_and_ended(s, g, on);
    if (v4_any(k.overlap > v4_all(s->deep_alarm) * p.smaller))
        note_deep(s, g, k.overlap, p.smaller, total->out);

    const vec4x3 lever = v4_cross(k.n, k.force);
    vec4x3 turn_a = v4_scale3(-p.arm_a, lever), turn_b = v4_scale3(-p.arm_b, lever);
    if (how->parts.rolling != JO_ROLLING_NONE) {
        turn_a = v4_add3(turn_a, k.torque);
        turn_b = v4_sub3(turn_b, k.torque);
    }
    add_forces(g, &k, turn_a, turn_b, total->sums);
    if (how->account)
        total->dissipated += v4_all(share) * k.dissipated;
    if (s->box.sheared)
        total->work += v4_all(share * s->box.jump * dt) * k.force.x * p.up;
}

/* The commonest laws are compiled by themselves: with their parts known, little is left of the
 * branches. */
typedef void (*evaluation)(const view *s, const group *g, double dt, double share, totals *total);

#define SPECIAL(NAME, NORMAL, DAMPING, TANGENTIAL, ACCOUNT)                                      \
    static void NAME(const view *s, const group *g, double dt, double share, totals *total)      \
    {                                                                                            \
        const known how = { { .normal = NORMAL, .damping = DAMPING, .tangential = TANGENTIAL,    \
                              .rolling = JO_ROLLING_NONE, .cohesion = JO_COHESION_NONE,         \
                              .dashpot_loads_spring = s->law->parts.dashpot_loads_spring },      \
                            true, ACCOUNT, false };                                              \
        evaluate_with(&how, s, g, dt, share, total);                                             \
    }
#define BOTH(NAME, NORMAL, DAMPING, TANGENTIAL)                                                  \
    SPECIAL(NAME, NORMAL, DAMPING, TANGENTIAL, true)                                             \
    SPECIAL(NAME##_only, NORMAL, DAMPING, TANGENTIAL, false)
BOTH(linear_viscous, JO_NORMAL_LINEAR, JO_DAMPING_VISCOUS, JO_TANGENTIAL_LINEAR)
BOTH(linear_restitution, JO_NORMAL_LINEAR, JO_DAMPING_RESTITUTION, JO_TANGENTIAL_LINEAR)
BOTH(hertz_viscous, JO_NORMAL_HERTZ, JO_DAMPING_VISCOUS, JO_TANGENTIAL_MINDLIN)
BOTH(hertz_restitution, JO_NORMAL_HERTZ, JO_DAMPING_RESTITUTION, JO_TANGENTIAL_MINDLIN)
#undef BOTH
#undef SPECIAL

static void any_law(const view *s, const group *g, double dt, double share, totals *total)
{
    const known how = { s->law->parts, false, s->account, s->law->reaches };
    evaluate_with(&how, s, g, dt, share, total);
}

static evaluation choose_evaluation(const view *s)
{
    static const evaluation springs[2][2][2] = { /* [hertz][viscous][accounting] */
        { { linear_restitution_only, linear_restitution }, { linear_viscous_only, linear_viscous } },
        { { hertz_restitution_only, hertz_restitution }, { hertz_viscous_only, hertz_viscous } },
    };
    const jo_law *parts = &s->law->parts;
    const bool hertz = parts->normal == JO_NORMAL_HERTZ;
    if (s->uniform == NULL || parts->rolling != JO_ROLLING_NONE ||
        parts->cohesion != JO_COHESION_NONE || parts->clip_attraction ||
        parts->damping == JO_DAMPING_NONE ||
        parts->normal == JO_NORMAL_ENERGY ||
        parts->tangential != (hertz ? JO_TANGENTIAL_MINDLIN : JO_TANGENTIAL_LINEAR))
        return any_law;
    return springs[hertz][parts->damping == JO_DAMPING_VISCOUS][s->account];
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
    const char *rows[4], *history;
    size_t lines, history_lines; /* of 64 bytes: of each array of rows, of histories */
} ahead;

static ahead look_ahead(const view *s, size_t block)
{
    ahead next = { .lines = 0 };
    if (block_first(block + 1) >= s->n)
        return next;
    const size_t first = block_first(block + 1);
    const double *const arrays[3] = { s->x, s->v, s->w };
    for (int k = 0; k < 3; k++)
        next.rows[k] = (const char *)(arrays[k] + 4 * first);
    next.rows[3] = (const char *)(s->c + 8 * first);
    next.history = (const char *)(s->history + HISTORY * s->list[block + 1].row);
    next.lines = block_count(s, block + 1) / 2;
    next.history_lines = s->list[block + 1].inner / 2;
    return next;
}

INLINE void fetch_ahead(const ahead *next, size_t turn)
{
    if (turn < next->lines)
        for (int k = 0; k < 4; k++)
            __builtin_prefetch(next->rows[k] + 64 * turn, 1, 2);
    for (size_t k = 3 * turn; k < 3 * turn + 3 && k < next->history_lines; k++)
        __builtin_prefetch(next->history + 64 * k, 1, 2);
}

static void evaluate_inner(const view *s, evaluation evaluate, size_t block, found *f, double dt,
                           totals *total)
{
    const size_t base = s->list[block].row;
    const uint32_t first = (uint32_t)block_first(block);
    const ahead next = look_ahead(s, block);
    fill_up(f);
    for (size_t k = 0; k < f->count; k += JO_LANES) {
        group g;
        g.lanes = f->count - k < JO_LANES ? (int)(f->count - k) : JO_LANES;
        for (int l = 0; l < JO_LANES; l++) {
            g.own_a[l] = INNER_A(f->entry[k + l]);
            g.own_b[l] = INNER_B(f->entry[k + l]);
            g.row[l] = base + f->row[k + l];
            g.a[l] = first + g.own_a[l];
            g.b[l] = first + g.own_b[l];
        }
        for (int l = g.lanes; l < JO_LANES; l++)
            g.own_a[l] = g.own_b[l] = BLOCK_BODIES;
        g.was = words_signs(f->entry + k);
        fetch_ahead(&next, k / JO_LANES);
        evaluate(s, &g, dt, 1, total);
    }
}

static void evaluate_outer(const view *s, evaluation evaluate, size_t block, found *f, double dt,
                           totals *total)
{
    const uint32_t first = (uint32_t)block_first(block);
    const block_list *list = &s->list[block];
    fill_up(f);
    for (size_t k = 0; k < f->count; k += JO_LANES) {
        group g;
        uint32_t own[JO_LANES];
        g.lanes = f->count - k < JO_LANES ? (int)(f->count - k) : JO_LANES;
        own_bodies(s, block, f->row + k, own);
        outer_bodies(f->entry + k, own, g.a, g.b);
        for (int l = 0; l < JO_LANES; l++) {
            g.row[l] = list->row + list->inner + f->row[k + l];
            g.own_a[l] = l < g.lanes && g.a[l] == own[l] ? own[l] - first : BLOCK_BODIES;
            g.own_b[l] = l < g.lanes && g.a[l] != own[l] ? own[l] - first : BLOCK_BODIES;
        }
        g.was = words_signs(f->entry + k);
        evaluate(s, &g, dt, 0.5, total);
    }
}

/* The block's sums become its bodies' forces. */
static void store_forces(const view *s, size_t block, const double *sums)
{
    const size_t first = block_first(block), count = block_count(s, block);
    for (size_t i = 0; i < count; i++) {
        double *f = s->f + 6 * (first + i);
        memcpy(f, sums + 8 * i, 3 * sizeof *f);
        memcpy(f + 3, sums + 8 * i + 4, 3 * sizeof *f);
    }
}

static void pairs_of_block(const view *s, size_t block, scratch *own, double dt)
{
    const evaluation evaluate = choose_evaluation(s);
    totals total = { v4_zero(), v4_zero(), own->sums.data, &s->sums[block] };
    memset(total.sums, 0, block_count(s, block) * 8 * sizeof *total.sums);
    total.out->deep_count = 0;
    found f = { .entry = own->words.data, .row = (uint32_t *)own->words.data + own->room };
    collect_inner(s, block, &f);
    evaluate_inner(s, evaluate, block, &f, dt, &total);
    f.count = 0;
    collect_outer(s, block, &f);
    evaluate_outer(s, evaluate, block, &f, dt, &total);
    store_forces(s, block, total.sums);
    const vec4 d = total.dissipated, w = total.work;
    total.out->dissipated = (d[0] + d[1]) + (d[2] + d[3]);
    total.out->work = (w[0] + w[1]) + (w[2] + w[3]);
}

/* ---- walls ---- */

static inline void rotate(const double m[9], const double a[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = m[3 * r] * a[0] + m[3 * r + 1] * a[1] + m[3 * r + 2] * a[2];
}

static inline void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* A body's touches with one wall, in the world's frame. */
static size_t touches_of(const view *s, const wall_near *near, const uint32_t *primitives,
                         wall_touch out[WALL_TOUCHES])
{
    const wall_live *wall = &s->live[near->wall];
    const double *x = s->x + 4 * (size_t)near->body;
    double from[3], local[3];
    for (int a = 0; a < 3; a++)
        from[a] = x[a] - wall->now.pivot[a] - wall->now.displacement[a];
    const double *m = wall->now.rotation;
    for (int a = 0; a < 3; a++) /* transposed: back into the wall's frame */
        local[a] = m[a] * from[0] + m[3 + a] * from[1] + m[6 + a] * from[2] + wall->now.pivot[a];
    /* A little further than touching, so that the end of a contact is seen and accounted. */
    const double reach = s->account ? fmax(s->reach, 0.03 * x[3]) : s->reach;
    const size_t n = jo_wall_touch(wall->shape, local, x[3] + reach, primitives + near->first,
                                   near->count, out);
    for (size_t t = 0; t < n; t++) {
        const double normal[3] = { out[t].normal[0], out[t].normal[1], out[t].normal[2] };
        rotate(m, normal, out[t].normal);
    }
    return n;
}

/* Finds the history of a touch among those a step ago of the same body and wall; failing that, takes
 * one that nothing else continues: a body that rolled on to the next face. */
static void inherit(wall_contact *now, size_t count, wall_contact *before, size_t before_count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t o = 0; o < before_count; o++)
            if (!before[o].matched && before[o].feature == now[k].feature) {
                memcpy(now[k].history, before[o].history, sizeof now[k].history);
                memcpy(now[k].roll, before[o].roll, sizeof now[k].roll);
                now[k].matched = before[o].matched = 1;
                break;
            }
    for (size_t k = 0; k < count; k++)
        for (size_t o = 0; o < before_count && !now[k].matched; o++)
            if (!before[o].matched) {
                memcpy(now[k].history, before[o].history, sizeof now[k].history);
                memcpy(now[k].roll, before[o].roll, sizeof now[k].roll);
                now[k].matched = before[o].matched = 1;
            }
}

/* Four contacts with walls, as the law wants them; lanes beyond `lanes` repeat the last. */
typedef struct wall4 {
    wall_contact *contact[JO_LANES];
    wall_touch touch[JO_LANES];
    double at[JO_LANES][3];    /* the wall's velocity at the contact, now */
    double lever[JO_LANES][3]; /* from the wall's pivot to the contact */
    int lanes;
} wall4;

static void wall_velocity(const wall_live *wall, const double velocity[3], const double spin[3],
                          const double lever[3], double out[3])
{
    (void)wall;
    cross3(spin, lever, out);
    for (int a = 0; a < 3; a++)
        out[a] += velocity[a];
}

/* The velocity of the body's surface against the wall, and of its centre's. */
static void against_wall(const double v[3], const double w[3], const double wall[3],
                         const double n[3], double arm, double *normal, double tangential[3])
{
    double turn[3], u[3];
    cross3(w, n, turn);
    for (int a = 0; a < 3; a++)
        u[a] = v[a] - wall[a] - arm * turn[a];
    *normal = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
    for (int a = 0; a < 3; a++)
        tangential[a] = u[a] - *normal * n[a];
}

static void set_lane(vec4x3 *to, int l, const double from[3])
{
    to->x[l] = from[0];
    to->y[l] = from[1];
    to->z[l] = from[2];
}

static void wall_lane(const view *s, wall4 *q, int l, double dt, contact4 *k)
{
    const wall_contact *c = q->contact[l];
    const wall_touch *touch = &q->touch[l];
    const wall_live *wall = &s->live[c->wall];
    const size_t i = c->body;
    const double *x = s->x + 4 * i, *v = s->v + 4 * i, *w = s->w + 4 * i;
    const float *change_v = s->c + 8 * i, *change_w = change_v + 4;
    double v_now[3], w_now[3], at_half[3], tangential[3], normal;
    for (int a = 0; a < 3; a++) {
        q->lever[l][a] = x[a] - touch->gap * touch->normal[a] - wall->now.pivot[a] -
                         wall->now.displacement[a];
        v_now[a] = v[a] + (double)change_v[a];
        w_now[a] = w[a] + (double)change_w[a];
    }
    wall_velocity(wall, wall->now.velocity, wall->now.spin, q->lever[l], q->at[l]);
    wall_velocity(wall, wall->velocity_half, wall->spin_half, q->lever[l], at_half);
    set_lane(&k->n, l, touch->normal);
    k->overlap[l] = x[3] - touch->gap;
    k->radius[l] = x[3];
    k->mass[l] = 1 / v[3];
    against_wall(v_now, w_now, q->at[l], touch->normal, touch->gap, &normal, tangential);
    k->vn[l] = normal;
    set_lane(&k->vt, l, tangential);
    against_wall(v, w, at_half, touch->normal, touch->gap, &normal, tangential);
    k->closed[l] = -normal * dt;
    /* What it slid, with the lever arm halfway through the step: else of first order only. */
    against_wall(v, w, at_half, touch->normal, touch->gap + 0.5 * k->closed[l], &normal, tangential);
    /* A contact that began during the step slid only from there on. */
    const bool began = !c->matched && k->overlap[l] < k->closed[l];
    const double part = began ? k->overlap[l] / k->closed[l] : 1;
    for (int a = 0; a < 3; a++)
        tangential[a] *= dt * part;
    set_lane(&k->slid, l, tangential);
    double rolled[3];
    for (int a = 0; a < 3; a++) {
        w_now[a] -= wall->now.spin[a];
        rolled[a] = (w[a] - wall->spin_half[a]) * dt;
    }
    set_lane(&k->spin, l, w_now);
    set_lane(&k->rolled, l, rolled);
    k->fresh[l] = c->matched ? 0 : -1;
    set_lane(&k->xi, l, c->history);
    k->pull[l] = c->history[3];
    set_lane(&k->roll, l, c->roll);
    const law_pair *pair = &s->law->pairs[s->material[i] * s->law->materials + wall->def.material];
    const double *from = (const double *)pair;
    for (size_t field = 0; field < sizeof *pair / sizeof *from; field++)
        ((vec4 *)&k->c)[field][l] = from[field];
}

static void wall_contacts_load(const view *s, wall4 *q, double dt, contact4 *k)
{
    memset(k, 0, sizeof *k);
    for (int l = 0; l < JO_LANES; l++) {
        if (l >= q->lanes) {
            q->contact[l] = q->contact[q->lanes - 1];
            q->touch[l] = q->touch[q->lanes - 1];
        }
        wall_lane(s, q, l, dt, k);
    }
    k->on = v4_mask((1u << q->lanes) - 1);
    k->account = s->account;
    k->step = v4_all(dt);
}

/* Evaluates what is gathered, and adds it to bodies and walls. */
static void wall_contacts_add(const view *s, size_t block, wall4 *q, double dt)
{
    contact4 k;
    if (q->lanes == 0)
        return;
    wall_contacts_load(s, q, dt, &k);
    law_evaluate(s->law, &k);
    block_sums *out = &s->sums[block];
    for (int l = 0; l < q->lanes; l++) {
        wall_contact *c = q->contact[l];
        c->matched = k.on[l] != 0; /* laws that reach: broken or not formed */
        c->history[0] = k.xi.x[l];
        c->history[1] = k.xi.y[l];
        c->history[2] = k.xi.z[l];
        c->history[3] = k.pull[l];
        c->roll[0] = k.roll.x[l];
        c->roll[1] = k.roll.y[l];
        c->roll[2] = k.roll.z[l];
        const double force[3] = { k.force.x[l], k.force.y[l], k.force.z[l] };
        const double roll[3] = { k.torque.x[l], k.torque.y[l], k.torque.z[l] };
        double *f = s->f + 6 * (size_t)c->body, turn[3], on_wall[3];
        double *wall = s->wall_forces + 7 * (block * s->wall_count + c->wall);
        cross3(q->touch[l].normal, force, turn);
        cross3(q->lever[l], force, on_wall);
        for (int a = 0; a < 3; a++) {
            f[a] += force[a];
            f[3 + a] += (s->law->parts.rolling != JO_ROLLING_NONE ? roll[a] : 0) -
                        q->touch[l].gap * turn[a];
            wall[a] -= force[a];
            wall[3 + a] -= on_wall[a];
            wall[6] += force[a] * q->at[l][a];
        }
        out->dissipated += k.dissipated[l];
        if (k.overlap[l] > s->deep_alarm * k.radius[l]) {
            if (out->deep_count == 0) {
                out->deep = k.overlap[l] / k.radius[l];
                out->deep_a = out->deep_b = c->body;
            }
            out->deep_count++;
        }
    }
    q->lanes = 0;
}

/* Touches of one body with one wall become contacts, in the order of their features. */
static size_t contacts_of(const wall_near *near, wall_touch *touches, size_t n, wall_contact *now)
{
    for (size_t k = 1; k < n; k++) /* at most WALL_TOUCHES */
        for (size_t m = k; m > 0 && touches[m].feature < touches[m - 1].feature; m--) {
            const wall_touch t = touches[m];
            touches[m] = touches[m - 1];
            touches[m - 1] = t;
        }
    for (size_t k = 0; k < n; k++)
        now[k] = (wall_contact){ .body = near->body, .wall = near->wall,
                                 .feature = touches[k].feature };
    return n;
}

static void walls_of_block(const view *s, size_t block, double dt)
{
    block_walls *w = &s->walls[block];
    if (w->near_count == 0 && w->contact_count == 0)
        return;
    const wall_near *near = w->near.data;
    const uint32_t *primitives = w->primitives.data;
    wall_contact *before = w->before.data, *now = w->contacts.data;
    if (w->contact_count > 0)
        memcpy(before, now, w->contact_count * sizeof *now);
    const size_t before_count = w->contact_count;
    wall4 q = { .lanes = 0 };
    size_t count = 0, old = 0;
    for (size_t k = 0; k < w->near_count; k++) {
        if (!s->live[near[k].wall].present)
            continue;
        wall_touch touches[WALL_TOUCHES];
        const size_t n = touches_of(s, &near[k], primitives, touches);
        const size_t added = contacts_of(&near[k], touches, n, now + count);
        while (old < before_count &&
               (before[old].body < near[k].body ||
                (before[old].body == near[k].body && before[old].wall < near[k].wall)))
            old++;
        size_t old_end = old;
        while (old_end < before_count && before[old_end].body == near[k].body &&
               before[old_end].wall == near[k].wall) {
            /* What was within reach but no contact has nothing to hand on. */
            before[old_end].matched = !before[old_end].matched;
            old_end++;
        }
        inherit(now + count, added, before + old, old_end - old);
        for (size_t t = 0; t < added; t++) {
            q.contact[q.lanes] = now + count + t;
            q.touch[q.lanes++] = touches[t];
            if (q.lanes == JO_LANES)
                wall_contacts_add(s, block, &q, dt);
        }
        old = old_end;
        count += added;
    }
    wall_contacts_add(s, block, &q, dt);
    w->contact_count = count;
}

/* ---- measuring: the same contacts once more, changing nothing ---- */

static void record_pairs(const view *s, const group *g, contact_record *out)
{
    const known how = { s->law->parts, false, false, s->law->reaches };
    contact4 k;
    pair4 p;
    k.on = v4_mask((1u << g->lanes) - 1);
    k.fresh = v4_none();
    k.account = false;
    coefficients(s, &how, g->a, g->b, &k.c);
    meet(s, &how, g->a, g->b, 0, &k, &p);
    recall(s, &how, g->row, &k);
    law_evaluate(s->law, &k);
    for (int l = 0; l < g->lanes; l++) {
        const size_t row = g->row[l];
        const law_pair *pair = &s->law->pairs[s->material[g->a[l]] * s->law->materials +
                                              s->material[g->b[l]]];
        out[l] = (contact_record){
            .a = g->a[l], .b = g->b[l], .wall = UINT32_MAX, .sliding = k.sliding[l] != 0,
            .overlap = k.overlap[l], .normal = k.normal[l],
            .n = { k.n.x[l], k.n.y[l], k.n.z[l] },
            .force = { k.force.x[l], k.force.y[l], k.force.z[l] }, .arm = p.arm_a[l],
            .branch = { p.branch.x[l], p.branch.y[l], p.branch.z[l] },
            .elastic = law_stored_energy(s->law, pair, k.overlap[l], k.radius[l], k.mass[l],
                                         s->history + HISTORY * row,
                                         s->roll != NULL ? s->roll + 4 * row : NULL) };
    }
}

/* Gathers contacts until there are enough for all lanes. */
static size_t add_record(const view *s, group *g, uint32_t a, uint32_t b, size_t row,
                         contact_record *out)
{
    g->a[g->lanes] = a;
    g->b[g->lanes] = b;
    g->row[g->lanes++] = row;
    if (g->lanes < JO_LANES)
        return 0;
    record_pairs(s, g, out);
    g->lanes = 0;
    return JO_LANES;
}

static size_t measure_pairs(const view *s, size_t block, contact_record *out)
{
    const block_list *list = &s->list[block];
    const uint32_t first = (uint32_t)block_first(block);
    const uint32_t *entry = s->entry + list->row;
    group g = { .lanes = 0 };
    size_t listed = 0;
    for (size_t k = 0; k < list->inner; k++)
        if (entry[k] & ENTRY_TOUCHING)
            listed += add_record(s, &g, first + INNER_A(entry[k]), first + INNER_B(entry[k]),
                                list->row + k, out + listed);
    for (size_t k = 0; k < list->outer; k++) {
        const uint32_t e = entry[list->inner + k], own = first + s->own[list->own + k];
        if ((e & ENTRY_TOUCHING) && own < (e & ENTRY_BODY)) /* the other block has it, too */
            listed += add_record(s, &g, own, e & ENTRY_BODY, list->row + list->inner + k, out + listed);
    }
    if (g.lanes > 0) {
        for (int l = g.lanes; l < JO_LANES; l++) {
            g.a[l] = g.a[0];
            g.b[l] = g.b[0];
            g.row[l] = g.row[0];
        }
        record_pairs(s, &g, out + listed);
    }
    return listed + (size_t)g.lanes;
}

static size_t measure_walls(const view *s, size_t block, contact_record *out)
{
    const block_walls *w = &s->walls[block];
    const wall_contact *stored = w->contacts.data;
    const wall_near *near = w->near.data;
    size_t listed = 0, at = 0;
    for (size_t k = 0; k < w->near_count; k++) {
        wall_touch touches[WALL_TOUCHES];
        wall_contact now[WALL_TOUCHES];
        if (!s->live[near[k].wall].present)
            continue;
        const size_t n = touches_of(s, &near[k], w->primitives.data, touches);
        contacts_of(&near[k], touches, n, now);
        for (size_t t = 0; t < n; t++, at++) {
            if (at == w->contact_count) /* a blow-up: bodies have moved on since forces were known */
                return listed;
            wall_contact copy = stored[at];
            if (!copy.matched)
                continue; /* within reach, but no contact */
            wall4 q = { .contact = { &copy }, .touch = { touches[t] }, .lanes = 1 };
            contact4 c;
            wall_contacts_load(s, &q, 0, &c);
            c.account = false;
            law_evaluate(s->law, &c);
            const law_pair *pair = &s->law->pairs[s->material[copy.body] * s->law->materials +
                                                  s->live[copy.wall].def.material];
            contact_record *r = &out[listed++];
            *r = (contact_record){
                .a = copy.body, .b = UINT32_MAX, .wall = copy.wall, .sliding = c.sliding[0] != 0,
                .overlap = c.overlap[0], .normal = c.normal[0], .arm = touches[t].gap,
                .force = { c.force.x[0], c.force.y[0], c.force.z[0] },
                .elastic = law_stored_energy(s->law, pair, c.overlap[0], c.radius[0], c.mass[0],
                                             copy.history, copy.roll) };
            memcpy(r->n, touches[t].normal, sizeof r->n);
            for (int a = 0; a < 3; a++)
                r->branch[a] = touches[t].gap * touches[t].normal[a];
        }
    }
    return listed;
}

static size_t measure_block(const view *s, size_t block, contact_record *out)
{
    const size_t pairs = measure_pairs(s, block, out);
    return pairs + measure_walls(s, block, out + pairs);
}
