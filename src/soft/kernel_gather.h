/* kernel_gather.h — what the kernels know of contacts between bodies: geometry, motion,
 * coefficients; a part of kernel.h. */
#ifndef JO_SOFT_KERNEL_GATHER_H
#define JO_SOFT_KERNEL_GATHER_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

/* Where a body's numbers lie: eight times its index, of which the address of any of its rows is
 * made by one multiplication that the processor does as it loads. */
typedef uint64_t body_at;

INLINE const double *row_of(const double *rows, body_at at)
{
    return (const double *)(const void *)((const char *)rows + 4 * at);
}

/* The changes of velocity and spin over half a step lie in rows of six floats. */
INLINE const float *changes_of(const float *rows, body_at at)
{
    return (const float *)(const void *)((const char *)rows + 3 * at);
}

INLINE void columns(const double *rows, const body_at body[JO_LANES], vec4 out[4])
{
    const void *at[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        at[l] = row_of(rows, body[l]);
    v4_gather(at, out);
}

/* Rows of a less those of b: subtracted before they are made columns, of which there are half as
 * many then. */
INLINE void differences(const double *rows, const body_at *a, const body_at *b, vec4 out[4])
{
    row4 r[JO_LANES];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_load(row_of(rows, a[l])) - row_load(row_of(rows, b[l]));
    v4_columns(r, out);
}

/* Changes of spin. */
INLINE vec4x3 change_of_spin(const float *rows, const body_at body[JO_LANES])
{
    row4 r[JO_LANES];
    vec4 c[4];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_of_floats(changes_of(rows, body[l]) + 3);
    v4_columns(r, c);
    return (vec4x3){c[0], c[1], c[2]};
}

/* Those of the velocities of a less those of b. */
INLINE vec4x3 change_between(const float *rows, const body_at a[JO_LANES],
                             const body_at b[JO_LANES])
{
    row4 r[JO_LANES];
    vec4 c[4];
    for (int l = 0; l < JO_LANES; l++)
        r[l] = row_of_floats(changes_of(rows, a[l])) - row_of_floats(changes_of(rows, b[l]));
    v4_columns(r, c);
    return (vec4x3){c[0], c[1], c[2]};
}

static inline row4 fourth_negative(row4 a)
{
    typedef int64_t bits4 __attribute__((vector_size(32)));
    return (row4)((bits4)a ^ (bits4){0, 0, 0, INT64_MIN});
}

static inline vec4x3 three(const vec4 c[4])
{
    return (vec4x3){c[0], c[1], c[2]};
}

/* Nearest image of the distance; `up` is how often the sheared boundary lies between. */
INLINE vec4x3 nearest(const box4 *box, bool sheared, vec4x3 d, vec4 *up)
{
    *up = v4_zero();
    if (!box->any) return d;
    if (sheared) {
        *up = v4_round(d.y * v4_all(box->inverse[1]));
        d.x -= *up * v4_all(box->offset);
    }
    if (box->periodic[0]) d.x -= v4_all(box->size[0]) * v4_round(d.x * v4_all(box->inverse[0]));
    if (box->periodic[1]) d.y -= v4_all(box->size[1]) * v4_round(d.y * v4_all(box->inverse[1]));
    if (box->periodic[2]) d.z -= v4_all(box->size[2]) * v4_round(d.z * v4_all(box->inverse[2]));
    return d;
}

/* What is known of a scene's law when a kernel is compiled; `parts` may also be read at run
 * time. */
typedef struct known {
    jo_law parts;
    bool one_material;
    bool account;
    bool reaches;
    bool steady; /* all lanes were contacts a step ago; seen when it runs */
} known;

/* Coefficients of the pairs of materials. */
INLINE void coefficients(const view *s, const known *how, const body_at *a, const body_at *b,
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
        if (how->parts.rolling != JO_ROLLING_NONE) {
            c->mu_r = v4_all(p->mu_r);
            c->kr = v4_all(p->kr);
            c->eta_r = v4_all(p->eta_r);
        }
        return;
    }
    const double *pair[JO_LANES];
    for (int k = 0; k < JO_LANES; k++)
        pair[k] = &l->pairs[s->material[a[k] / 8] * l->materials + s->material[b[k] / 8]].kn;
    const int rows = how->parts.cohesion != JO_COHESION_NONE ? 3 : 2;
    for (int part = 0; part < rows; part++) {
        row4 r[JO_LANES];
        for (int k = 0; k < JO_LANES; k++)
            r[k] = row_load(pair[k] + 4 * part);
        v4_columns(r, (vec4 *)c + 4 * part);
    }
}

/* What the caller needs beside the contact itself. */
typedef struct pair4 {
    vec4 arm_a, arm_b; /* from the centres to the contact */
    vec4 smaller;      /* radius */
    vec4 up;
    vec4 swing;    /* how fast the distance's change grows by centres passing each other; for
                      measuring */
    vec4x3 branch; /* from b to a */
} pair4;

/* How the bodies of contacts move: the velocity of a's centre against b's and their spins half a
 * step back, what those changed by over half the last step, and what a force or a torque of 1 makes
 * of them. */
typedef struct motion4 {
    vec4x3 u, wa, wb;
    vec4x3 more, ta, tb;
    vec4 light, turns_a, turns_b;
} motion4;

/* A velocity less two thirds of what it changes by in half a step. */
INLINE vec4x3 less_two_thirds(vec4x3 velocity, vec4x3 change)
{
    return v4_sub3(velocity, v4_scale3(v4_all(2.0 / 3.0), change));
}

/* What the account wants to know. The normal and the lever arms a step ago follow from where the
 * bodies were. `ut` and `un`: the velocities of the surfaces half a step back. */
INLINE void drift_of(const pair4 *p, const motion4 *m, vec4x3 ut, vec4 un, vec4 distance,
                     contact4 *k)
{
    drift4 *d = &k->drift;
    const vec4 longer = v4_all(0.5) * k->closed, apart = distance + k->closed;
    d->branch = v4_sub3(p->branch, v4_scale3(k->step, m->u));
    d->apart = apart;
    const vec4x3 n = v4_scale3(v4_all(1) / v4_max(apart, v4_all(1e-300)), d->branch);
    const vec4x3 centres = less_two_thirds(m->u, m->more);
    const vec4x3 surface = v4_add3(v4_scale3(p->arm_a + longer, less_two_thirds(m->wa, m->ta)),
                                   v4_scale3(p->arm_b + longer, less_two_thirds(m->wb, m->tb)));
    d->first = v4_sub3(centres, v4_cross(surface, n));
    d->first_in = -v4_dot(centres, n);
    d->second = v4_sub3(k->vt, v4_scale3(v4_all(1.0 / 3.0), v4_sub3(k->vt, ut)));
    d->second_in = v4_all(1.0 / 3.0) * (k->vn - un) - k->vn;
    const vec4 tilt_a = p->arm_a * m->turns_a, tilt_b = p->arm_b * m->turns_b;
    d->gives = m->light + p->arm_a * tilt_a + p->arm_b * tilt_b;
    d->gave = d->gives + k->closed * (tilt_a + tilt_b);
    d->skew = tilt_a - tilt_b;
}

/* Geometry and motion of contacts; dt is the step that led here, 0 for none. */
INLINE void meet(const view *s, const known *how, const body_at *a, const body_at *b, double dt,
                 contact4 *k, pair4 *p)
{
    vec4 xa[4], xb[4], va[4], vb[4], wa[4], wb[4];
    columns(s->x, a, xa);
    columns(s->x, b, xb);
    const vec4x3 d = nearest(&s->box, s->box.sheared, v4_sub3(three(xa), three(xb)), &p->up);
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
    motion4 m;
    m.u = v4_sub3(three(va), three(vb));
    m.light = va[3] + vb[3];
    k->mass = v4_all(1) / m.light;
    if (s->box.sheared) m.u.x -= p->up * v4_all(s->box.jump);
    const vec4 speed2 = v4_dot(m.u, m.u);
    columns(s->w, a, wa);
    columns(s->w, b, wb);
    m.wa = three(wa);
    m.wb = three(wb);
    m.turns_a = wa[3];
    m.turns_b = wb[3];
    const vec4x3 surface = v4_add3(v4_scale3(p->arm_a, m.wa), v4_scale3(p->arm_b, m.wb));
    const vec4x3 u = v4_sub3(m.u, v4_cross(surface, k->n));
    const vec4 un = v4_dot(u, k->n);
    const vec4x3 ut = v4_sub3(u, v4_scale3(un, k->n));
    k->step = v4_all(dt);
    /* How the overlap changed: along the normal, and by centres passing each other. */
    p->swing = (speed2 - un * un) * inverse;
    k->closed = v4_all(0.5 * dt * dt) * (speed2 - un * un) * inverse - un * k->step;
    k->slid = v4_scale3(k->step, ut);
    const bool rolls = how->parts.rolling != JO_ROLLING_NONE;
    if (rolls) {
        k->spin = v4_sub3(m.wa, m.wb);
        k->rolled = v4_scale3(k->step, k->spin);
        k->turns = m.turns_a + m.turns_b;
    }
    /* From half a step back to now: add what velocities changed by over half the last step. */
    m.more = change_between(s->c, a, b);
    m.ta = change_of_spin(s->c, a);
    m.tb = change_of_spin(s->c, b);
    const vec4x3 turning = v4_add3(v4_scale3(p->arm_a, m.ta), v4_scale3(p->arm_b, m.tb));
    const vec4x3 more = v4_sub3(m.more, v4_cross(turning, k->n));
    const vec4 along = v4_dot(more, k->n);
    k->vn = un + along;
    k->vt = v4_add3(ut, v4_sub3(more, v4_scale3(along, k->n)));
    if (rolls) k->spin = v4_add3(k->spin, v4_sub3(m.ta, m.tb));
    if (how->account) drift_of(p, &m, ut, un, distance, k);
}

#endif
