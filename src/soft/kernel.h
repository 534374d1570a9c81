/* kernel.h — the inner loops of the soft engine: moving bodies, forces of pairs and of walls.
 *
 * Included by kernel_plain.c and kernel_avx2.c, which differ in compiler options alone: the results
 * are the same bits (base/vec4.h).
 *
 * Pairs, block by block: `collect` walks the lists and keeps those that touch, then four contacts at
 * a time are gathered, evaluated by the law and added to the block's own sums, which stay in the
 * cache. A contact is always evaluated with the body of the smaller index as a; where the other body
 * lies in another block, its half goes to a sink here and is computed again there. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "law/contact4.h"
#include "soft/engine.h"

/* ---- moving ---- */

static inline vec4 first_three(vec4 a)
{
    return (vec4)((mask4)a & (mask4){ -1, -1, -1, 0 });
}

static inline void store_floats(float *to, vec4 a)
{
    typedef float float4 __attribute__((vector_size(16)));
    const float4 f = __builtin_convertvector(a, float4);
    memcpy(to, &f, sizeof f);
}

/* Kick and drift: v(t + dt/2) = v(t - dt/2) + dt a(t), x(t + dt) = x(t) + dt v(t + dt/2). */
static void move_block(const view *s, size_t block)
{
    const size_t first = block_first(block), end = first + block_count(s, block);
    const vec4 dt = { s->step, s->step, s->step, 0 }, half = v4_all(0.5) * dt;
    const vec4 gravity = { s->gravity[0], s->gravity[1], s->gravity[2], 0 };
    double fastest = 0;
    uint32_t lost = UINT32_MAX;
    for (size_t i = first; i < end; i++) {
        const vec4 force = first_three(v4_load(s->f + 6 * i));
        const vec4 torque = first_three(v4_load(s->f + 6 * i + 3));
        vec4 v = v4_load(s->v + 4 * i), w = v4_load(s->w + 4 * i);
        const vec4 lightness = v4_all(v[3]);
        const vec4 a = force * lightness + v4_only(lightness > v4_zero(), gravity);
        const vec4 turn = torque * v4_all(w[3]);
        v += dt * a;
        w += dt * turn;
        v4_store(s->v + 4 * i, v);
        v4_store(s->w + 4 * i, w);
        v4_store(s->x + 4 * i, v4_load(s->x + 4 * i) + dt * v);
        store_floats(s->c + 8 * i, half * a);
        store_floats(s->c + 8 * i + 4, half * turn);
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

/* Row index[0..3] of an array of rows of four doubles, turned into columns. */
static inline void columns(const double *rows, const uint32_t index[4], vec4 out[4])
{
    for (int l = 0; l < 4; l++)
        out[l] = v4_load(rows + 4 * (size_t)index[l]);
    v4_transpose(&out[0], &out[1], &out[2], &out[3]);
}

static inline vec4 load_floats(const float *p)
{
    typedef float float4 __attribute__((vector_size(16)));
    float4 f;
    memcpy(&f, p, sizeof f);
    return __builtin_convertvector(f, vec4);
}

/* The changes of velocity and spin over half a step: rows of eight floats. */
static inline vec4x3 change(const float *rows, const uint32_t index[4], int part)
{
    vec4 r[4];
    for (int l = 0; l < 4; l++)
        r[l] = load_floats(rows + 8 * (size_t)index[l] + 4 * part);
    v4_transpose(&r[0], &r[1], &r[2], &r[3]);
    return (vec4x3){ r[0], r[1], r[2] };
}

static inline vec4x3 three(const vec4 c[4]) { return (vec4x3){ c[0], c[1], c[2] }; }

/* Nearest image of the distance; `up` is how often the sheared boundary lies between. */
static inline vec4x3 nearest(const box4 *box, vec4x3 d, vec4 *up)
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

static inline double nearest_on(const box4 *box, int axis, double d)
{
    if (!box->periodic[axis])
        return d;
    const double magic = 6755399441055744.0;
    const double turns = (d * box->inverse[axis] + magic) - magic;
    return d - box->size[axis] * turns;
}

/* Coefficients of the four pairs of materials. */
static inline law_pair4 coefficients(const law *l, const uint8_t *material, const uint32_t a[4],
                                     const uint32_t b[4])
{
    const law_pair *p[4];
    for (int k = 0; k < 4; k++)
        p[k] = &l->pairs[l->materials == 1 ? 0 : material[a[k]] * l->materials + material[b[k]]];
#define LANES(field) { p[0]->field, p[1]->field, p[2]->field, p[3]->field }
    law_pair4 c = { .kn = LANES(kn), .kt = LANES(kt), .damp_n = LANES(damp_n),
                    .damp_t = LANES(damp_t), .mu = LANES(mu) };
    if (l->parts.rolling != JO_ROLLING_NONE) {
        c.mu_r = (vec4)LANES(mu_r);
        c.kr = (vec4)LANES(kr);
        c.eta_r = (vec4)LANES(eta_r);
    }
    if (l->parts.cohesion != JO_COHESION_NONE) {
        c.adhesion = (vec4)LANES(adhesion);
        c.reach = (vec4)LANES(reach);
        c.bridge = (vec4)LANES(bridge);
    }
#undef LANES
    return c;
}

/* What the caller needs beside the contact itself. */
typedef struct pair4 {
    vec4 arm_a, arm_b; /* from the centres to the contact */
    vec4 smaller;      /* radius */
    vec4 up;
    vec4x3 branch;     /* from b to a */
} pair4;

/* Geometry and motion of four contacts; dt is the step that led here, 0 for none. */
static inline void meet(const view *s, const uint32_t a[4], const uint32_t b[4], double dt,
                        contact4 *k, pair4 *p)
{
    vec4 xa[4], xb[4], va[4], vb[4], wa[4], wb[4];
    columns(s->x, a, xa);
    columns(s->x, b, xb);
    columns(s->v, a, va);
    columns(s->v, b, vb);
    columns(s->w, a, wa);
    columns(s->w, b, wb);
    const vec4x3 d = nearest(&s->box, v4_sub3(three(xa), three(xb)), &p->up);
    const vec4 square = v4_dot(d, d), distance = v4_sqrt(square);
    k->n = v4_scale3(v4_all(1) / v4_max(distance, v4_all(1e-300)), d);
    k->overlap = xa[3] + xb[3] - distance;
    k->radius = xa[3] * xb[3] / (xa[3] + xb[3]);
    k->mass = v4_all(1) / (va[3] + vb[3]);
    p->branch = d;
    p->smaller = v4_min(xa[3], xb[3]);
    p->arm_a = xa[3] - v4_all(0.5) * k->overlap;
    p->arm_b = xb[3] - v4_all(0.5) * k->overlap;

    vec4x3 u = v4_sub3(three(va), three(vb));
    if (s->box.sheared)
        u.x -= p->up * v4_all(s->box.jump);
    const vec4 speed2 = v4_dot(u, u);
    const vec4x3 surface = v4_add3(v4_scale3(p->arm_a, three(wa)), v4_scale3(p->arm_b, three(wb)));
    u = v4_sub3(u, v4_cross(surface, k->n));
    k->step = v4_all(dt);
    k->vn = v4_dot(u, k->n);
    k->vt = v4_sub3(u, v4_scale3(k->vn, k->n));
    /* How the overlap changed: along the normal, and by centres passing each other. */
    k->closed = -k->vn * k->step + v4_all(0.5 * dt * dt) * (speed2 - k->vn * k->vn) /
                                       v4_max(distance, v4_all(1e-300));
    k->slid = v4_scale3(k->step, k->vt);
    const bool rolls = s->law->parts.rolling != JO_ROLLING_NONE;
    if (rolls) {
        k->spin = v4_sub3(three(wa), three(wb));
        k->rolled = v4_scale3(k->step, k->spin);
    }
    if (s->law->parts.damping == JO_DAMPING_NONE && !rolls)
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

/* ---- pairs ---- */

/* Keeps the entries of the block that touch (or may, for laws that reach further), and those that
 * touched a step ago: the law accounts what they lost at last. */
static size_t collect(const view *s, size_t block, scratch *own)
{
    const size_t first = block_first(block), count = block_count(s, block);
    const uint32_t *start = block_start(s, block);
    uint32_t *entry = s->entry + s->base[block];
    const uint32_t ending = s->account;
    candidate *out = own->contacts.data;
    size_t found = 0;
    for (size_t local = 0; local < count; local++) {
        const uint32_t i = (uint32_t)(first + local);
        const double *xi = s->x + 4 * (size_t)i;
        const double x = xi[0], y = xi[1], z = xi[2], r = xi[3] + s->reach;
        for (uint32_t e = start[local]; e < start[local + 1]; e++) {
            const uint32_t j = entry[e] & ENTRY_BODY, was = entry[e] >> 31;
            const double *xj = s->x + 4 * (size_t)j;
            double dx = x - xj[0], dy = y - xj[1], dz = z - xj[2];
            if (s->box.any) {
                if (s->box.sheared) {
                    const double magic = 6755399441055744.0;
                    dx -= ((dy * s->box.inverse[1] + magic) - magic) * s->box.offset;
                }
                dx = nearest_on(&s->box, 0, dx);
                dy = nearest_on(&s->box, 1, dy);
                dz = nearest_on(&s->box, 2, dz);
            }
            const double sum = r + xj[3];
            const uint32_t is = sum * sum - (dx * dx + dy * dy + dz * dz) >= 0;
            out[found] = i < j ? (candidate){ i, j, e, !was } : (candidate){ j, i, e, !was };
            found += is | (was & ending);
            if (is != was && !s->law->reaches)
                entry[e] = j | is << 31;
            else if (was && !is)
                entry[e] = j;
        }
    }
    return found;
}

/* History rows of up to four entries; zero where the contact is fresh. */
static inline void recall(const view *s, const size_t row[4], contact4 *k)
{
    vec4 h[4];
    for (int l = 0; l < 4; l++)
        h[l] = v4_load(s->history + HISTORY * row[l]);
    v4_transpose(&h[0], &h[1], &h[2], &h[3]);
    k->xi = v4_only3(~k->fresh, (vec4x3){ h[0], h[1], h[2] });
    k->pull = v4_only(~k->fresh, h[3]);
    if (s->roll == NULL)
        return;
    for (int l = 0; l < 4; l++)
        h[l] = v4_load(s->roll + 4 * row[l]);
    v4_transpose(&h[0], &h[1], &h[2], &h[3]);
    k->roll = v4_only3(~k->fresh, (vec4x3){ h[0], h[1], h[2] });
}

static inline void remember(const view *s, const size_t row[4], int lanes, const contact4 *k)
{
    vec4 h[4] = { k->xi.x, k->xi.y, k->xi.z, k->pull };
    v4_transpose(&h[0], &h[1], &h[2], &h[3]);
    for (int l = 0; l < lanes; l++)
        v4_store(s->history + HISTORY * row[l], h[l]);
    if (s->roll == NULL)
        return;
    vec4 g[4] = { k->roll.x, k->roll.y, k->roll.z, v4_zero() };
    v4_transpose(&g[0], &g[1], &g[2], &g[3]);
    for (int l = 0; l < lanes; l++)
        v4_store(s->roll + 4 * row[l], g[l]);
}

/* Adds (or subtracts) columns to the rows of the block's sums. */
static inline void add_rows(double *sums, const uint32_t row[4], int part, vec4x3 columns3, bool minus)
{
    vec4 r[4] = { columns3.x, columns3.y, columns3.z, v4_zero() };
    v4_transpose(&r[0], &r[1], &r[2], &r[3]);
    for (int l = 0; l < 4; l++) {
        double *at = sums + 8 * (size_t)row[l] + 4 * part;
        v4_store(at, minus ? v4_load(at) - r[l] : v4_load(at) + r[l]);
    }
}

static inline mask4 lanes_on(int lanes)
{
    return (mask4){ 0, 1, 2, 3 } < (mask4){ lanes, lanes, lanes, lanes };
}

typedef struct group_sums {
    vec4 dissipated, work;
    block_sums *out;
} group_sums;

static void note_deep(const view *s, const candidate *q, const contact4 *k, const pair4 *p, int lanes,
                      block_sums *out)
{
    for (int l = 0; l < lanes; l++)
        if (k->overlap[l] > s->deep_alarm * p->smaller[l]) {
            if (out->deep_count == 0) {
                out->deep = k->overlap[l] / p->smaller[l];
                out->deep_a = q[l].a;
                out->deep_b = q[l].b;
            }
            out->deep_count++;
        }
}

/* Up to four contacts of a block: gathered, evaluated, added up. */
static inline void four_contacts(const view *s, size_t block, const candidate *q, int lanes, double dt,
                                 double *sums, group_sums *total)
{
    const size_t first = block_first(block), count = block_count(s, block), base = s->base[block];
    uint32_t a[4], b[4], own_a[4], own_b[4];
    size_t row[4];
    contact4 k;
    pair4 p;
    vec4 share;
    for (int l = 0; l < 4; l++) {
        const candidate *c = &q[l < lanes ? l : lanes - 1];
        a[l] = c->a;
        b[l] = c->b;
        row[l] = base + c->entry;
        k.fresh[l] = -(int64_t)c->fresh;
        const bool in_a = a[l] - first < count, in_b = b[l] - first < count;
        own_a[l] = in_a ? (uint32_t)(a[l] - first) : BLOCK_BODIES;
        own_b[l] = in_b ? (uint32_t)(b[l] - first) : BLOCK_BODIES;
        share[l] = in_a && in_b ? 1 : 0.5;
    }
    k.on = lanes_on(lanes);
    k.account = s->account;
    k.c = coefficients(s->law, s->material, a, b);
    meet(s, a, b, dt, &k, &p);
    if (v4_any(k.fresh)) {
        /* A contact that began during the step slid only from there on. */
        const vec4 part = v4_pick(k.fresh & (k.overlap < k.closed),
                                  k.overlap / v4_max(k.closed, v4_all(1e-300)), v4_all(1));
        k.slid = v4_scale3(part, k.slid);
    }
    recall(s, row, &k);
    law_evaluate(s->law, &k);
    remember(s, row, lanes, &k);
    if (s->law->reaches)
        for (int l = 0; l < lanes; l++) {
            uint32_t *entry = &s->entry[row[l]];
            *entry = (*entry & ENTRY_BODY) | (k.on[l] ? ENTRY_TOUCHING : 0);
        }
    if (v4_any(k.overlap > v4_all(s->deep_alarm) * p.smaller))
        note_deep(s, q, &k, &p, lanes, total->out);

    const vec4x3 lever = v4_cross(k.n, k.force);
    vec4x3 turn_a = v4_scale3(-p.arm_a, lever), turn_b = v4_scale3(-p.arm_b, lever);
    if (s->law->parts.rolling != JO_ROLLING_NONE) {
        turn_a = v4_add3(turn_a, k.torque);
        turn_b = v4_sub3(turn_b, k.torque);
    }
    add_rows(sums, own_a, 0, k.force, false);
    add_rows(sums, own_b, 0, k.force, true);
    add_rows(sums, own_a, 1, turn_a, false);
    add_rows(sums, own_b, 1, turn_b, false);
    total->dissipated += share * k.dissipated;
    if (s->box.sheared)
        total->work += share * k.force.x * p.up * v4_all(s->box.jump * dt);
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
    double *sums = own->sums.data;
    memset(sums, 0, (block_count(s, block)) * 8 * sizeof *sums);
    memset(sums + 8 * BLOCK_BODIES, 0, 8 * sizeof *sums);
    group_sums total = { v4_zero(), v4_zero(), &s->sums[block] };
    total.out->deep_count = 0;
    const size_t found = collect(s, block, own);
    const candidate *q = own->contacts.data;
    for (size_t k = 0; k < found; k += 4)
        four_contacts(s, block, q + k, found - k < 4 ? (int)(found - k) : 4, dt, sums, &total);
    store_forces(s, block, sums);
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
    wall_contact *contact[4];
    wall_touch touch[4];
    double at[4][3];    /* the wall's velocity at the contact, now */
    double lever[4][3]; /* from the wall's pivot to the contact */
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
    for (int l = 0; l < 4; l++) {
        if (l >= q->lanes) {
            q->contact[l] = q->contact[q->lanes - 1];
            q->touch[l] = q->touch[q->lanes - 1];
        }
        wall_lane(s, q, l, dt, k);
    }
    k->on = lanes_on(q->lanes);
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
            if (q.lanes == 4)
                wall_contacts_add(s, block, &q, dt);
        }
        old = old_end;
        count += added;
    }
    wall_contacts_add(s, block, &q, dt);
    w->contact_count = count;
}

/* ---- measuring: the same contacts once more, changing nothing ---- */

static void record_pairs(const view *s, size_t block, const candidate *q, int lanes,
                         contact_record *out)
{
    uint32_t a[4], b[4];
    size_t row[4];
    contact4 k;
    pair4 p;
    for (int l = 0; l < 4; l++) {
        const candidate *c = &q[l < lanes ? l : lanes - 1];
        a[l] = c->a;
        b[l] = c->b;
        row[l] = s->base[block] + c->entry;
        k.fresh[l] = 0;
    }
    k.on = lanes_on(lanes);
    k.account = false;
    k.c = coefficients(s->law, s->material, a, b);
    meet(s, a, b, 0, &k, &p);
    recall(s, row, &k);
    law_evaluate(s->law, &k);
    for (int l = 0; l < lanes; l++) {
        const law_pair *pair = &s->law->pairs[s->material[a[l]] * s->law->materials +
                                              s->material[b[l]]];
        out[l] = (contact_record){
            .a = a[l], .b = b[l], .wall = UINT32_MAX, .sliding = k.sliding[l] != 0,
            .overlap = k.overlap[l], .normal = k.normal[l],
            .n = { k.n.x[l], k.n.y[l], k.n.z[l] },
            .force = { k.force.x[l], k.force.y[l], k.force.z[l] }, .arm = p.arm_a[l],
            .branch = { p.branch.x[l], p.branch.y[l], p.branch.z[l] },
            .elastic = law_stored_energy(s->law, pair, k.overlap[l], k.radius[l], k.mass[l],
                                         s->history + HISTORY * row[l],
                                         s->roll == NULL ? NULL : s->roll + 4 * row[l]) };
    }
}

static size_t measure_pairs(const view *s, size_t block, scratch *own, contact_record *out)
{
    const size_t first = block_first(block), count = block_count(s, block);
    const uint32_t *start = block_start(s, block), *entry = s->entry + s->base[block];
    candidate *q = own->contacts.data;
    size_t found = 0;
    for (size_t local = 0; local < count; local++)
        for (uint32_t e = start[local]; e < start[local + 1]; e++) {
            const uint32_t i = (uint32_t)(first + local), j = entry[e] & ENTRY_BODY;
            if ((entry[e] & ENTRY_TOUCHING) && i < j)
                q[found++] = (candidate){ i, j, e, 0 };
        }
    for (size_t k = 0; k < found; k += 4)
        record_pairs(s, block, q + k, found - k < 4 ? (int)(found - k) : 4, out + k);
    return found;
}

static size_t measure_walls(const view *s, size_t block, contact_record *out)
{
    const block_walls *w = &s->walls[block];
    const wall_contact *stored = w->contacts.data;
    const wall_near *near = w->near.data;
    size_t found = 0, at = 0;
    for (size_t k = 0; k < w->near_count; k++) {
        wall_touch touches[WALL_TOUCHES];
        wall_contact now[WALL_TOUCHES];
        if (!s->live[near[k].wall].present)
            continue;
        const size_t n = touches_of(s, &near[k], w->primitives.data, touches);
        contacts_of(&near[k], touches, n, now);
        for (size_t t = 0; t < n; t++, at++) {
            if (at == w->contact_count) /* a blow-up: bodies have moved on since forces were known */
                return found;
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
            contact_record *r = &out[found++];
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
    return found;
}

static size_t measure_block(const view *s, size_t block, scratch *own, contact_record *out)
{
    const size_t pairs = measure_pairs(s, block, own, out);
    return pairs + measure_walls(s, block, out + pairs);
}
