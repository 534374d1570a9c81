/* kernel_alike.h — contacts between bodies that are alike: of one material and one radius, and of
 * one mass but for those that are fixed; a part of kernel.h.
 *
 * What `meet` (kernel_gather.h) computes for every pair is then mostly the same number, and both
 * arms are equal. The formulas are the same with the same operands, so the results are the same
 * bits. For contacts that last, without the account, in boxes that are not sheared. */
#ifndef JO_SOFT_KERNEL_ALIKE_H
#define JO_SOFT_KERNEL_ALIKE_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

/* Numbers as often as there are lanes: the instruction that uses one loads it, too. */
typedef struct alike4 {
    bool are; /* alike, and the box is not sheared; else the rest means nothing */
    law_pair4 c;
    vec4 radius, sum;      /* of two radii */
    vec4 effective;        /* radius */
    vec4 mass, mass_fixed; /* effective; where one of the two is fixed */
    vec4 near2;            /* square of the distance within which they may be contacts */
    vec4 deep;             /* overlap beyond which there is alarm */
    vec4 step;
    vec4 size[3], inverse[3]; /* of the box */
    vec4 magic;               /* v4_round's */
} alike4;

static alike4 alike_pairs(const view *s, double dt)
{
    alike4 all = {.are = s->radius > 0 && !s->box.sheared && s->uniform != NULL};
    const law_pair *p = s->uniform;
    if (!all.are) return all;
    all.c.kn = v4_all(p->kn);
    all.c.kt = v4_all(p->kt);
    all.c.damp_n = v4_all(p->damp_n);
    all.c.damp_t = v4_all(p->damp_t);
    all.c.mu = v4_all(p->mu);
    all.step = v4_all(dt);
    all.magic = v4_all(V4_ROUND);
    all.radius = v4_all(s->radius);
    all.sum = all.radius + all.radius;
    all.effective = all.radius * all.radius / all.sum;
    const vec4 light = v4_all(s->lightness);
    all.mass = v4_all(1) / (light + light);
    all.mass_fixed = v4_all(1) / (light + v4_zero());
    const vec4 near = all.sum + v4_all(s->reach);
    all.near2 = near * near;
    all.deep = v4_all(s->deep_alarm) * all.radius;
    for (int a = 0; a < 3; a++) {
        all.size[a] = v4_all(s->box.size[a]);
        all.inverse[a] = v4_all(s->box.inverse[a]);
    }
    return all;
}

INLINE vec4 alike_nearest(const alike4 *same, int axis, vec4 d)
{
    return d - same->size[axis] * ((d * same->inverse[axis] + same->magic) - same->magic);
}

/* From b to a. */
INLINE vec4x3 alike_between(const view *s, const alike4 *same, const body_at *a, const body_at *b)
{
    vec4 x[4];
    differences(s->x, a, b, x);
    if (s->box.periodic[0]) x[0] = alike_nearest(same, 0, x[0]);
    if (s->box.periodic[1]) x[1] = alike_nearest(same, 1, x[1]);
    if (s->box.periodic[2]) x[2] = alike_nearest(same, 2, x[2]);
    return three(x);
}

/* Normal and overlap. */
INLINE void alike_places(const view *s, const alike4 *same, const body_at *a, const body_at *b,
                         contact4 *k)
{
    const vec4x3 d = alike_between(s, same, a, b);
    const vec4 square = v4_dot(d, d), distance = v4_sqrt(square);
    k->overlap = same->sum - distance;
    k->n = v4_scale3(distance * (v4_all(1) / v4_max(square, v4_all(1e-300))), d);
}

/* Motion and the rest; returns the lever arm. */
INLINE vec4 alike_motion(const view *s, const alike4 *same, const body_at *a, const body_at *b,
                         contact4 *k)
{
    vec4 v[4], w[4], c[4];
    row4 spin[JO_LANES], turn[JO_LANES], change[JO_LANES];
    const vec4 arm = same->radius - v4_all(0.5) * k->overlap;
    for (int l = 0; l < JO_LANES; l++)
        spin[l] = row_all(arm[l]) * row_load(row_of(s->w, a[l])) +
                  row_all(arm[l]) * row_load(row_of(s->w, b[l]));
    v4_columns(spin, w);
    differences(s->v, a, b, v);
    /* One that is fixed has no lightness: the two differ. */
    k->mass = v4_pick(v[3] == v4_zero(), same->mass, same->mass_fixed);
    k->radius = same->effective;
    const vec4x3 u = v4_sub3(three(v), v4_cross(three(w), k->n));
    const vec4 un = v4_dot(u, k->n);
    const vec4x3 ut = v4_sub3(u, v4_scale3(un, k->n));
    k->step = same->step;
    k->slid = v4_scale3(k->step, ut);
    for (int l = 0; l < JO_LANES; l++) {
        const float *of_a = changes_of(s->c, a[l]), *of_b = changes_of(s->c, b[l]);
        turn[l] =
            row_all(arm[l]) * row_of_floats(of_a + 3) + row_all(arm[l]) * row_of_floats(of_b + 3);
        change[l] = row_of_floats(of_a) - row_of_floats(of_b);
    }
    v4_columns(turn, w);
    v4_columns(change, c);
    const vec4x3 more = v4_sub3(three(c), v4_cross(three(w), k->n));
    const vec4 along = v4_dot(more, k->n);
    k->vn = un + along;
    k->vt = v4_add3(ut, v4_sub3(more, v4_scale3(along, k->n)));
    k->fresh = v4_none();
    k->on = ~v4_none();
    k->account = false;
    return arm;
}

#endif
