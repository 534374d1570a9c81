/* approach.h — when does a ball meet four others: the inner loop of every prediction.
 *
 * For balls at d = xj - xi with w = vj - vi at a common moment, b = d.w, a = w.w, c = d.d - s^2, s
 * the sum of radii, the first contact is at t = c / (-b + sqrt(b^2 - a c)), which does not cancel.
 * Balls that do not approach (b >= 0) or pass (b^2 < a c) do not meet. Balls that touch within
 * rounding and approach (c <= 0) meet now. With growing radii, s' = ds/dt: b - s s' takes the place
 * of b, and a - s'^2 that of a; balls then approach while b - s s' < 0. Where a - s'^2 < 0 they
 * grow faster than they can part, and meet even if b - s s' >= 0: at (b + sqrt(b^2 - a c)) / -a
 * with these in place. */
#ifndef JO_HARD_APPROACH_H
#define JO_HARD_APPROACH_H

#include "base/vec4.h"
#include "hard/balls.h"
#include "hard/surfaces.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What a loop is compiled for. */
enum {
    MODE_LISTS = 1, /* neighbours from rows; else from cells */
    MODE_GENERAL =
        2, /* gravity, sizes, growth, walls, inelastic … as flags say; else equal elastic balls */
    MODE_TINY = 4 /* cells, few along a periodic axis: each candidate has the code of its image;
                     else the nearest image is the one */
};

/* A ball at the present moment. */
typedef struct flyer {
    double now;
    double x[3], v[3];
    double r; /* its radius at the start, and how much larger balls are now */
    double scale;
    uint32_t self;
    uint32_t skip; /* the ball it has just met */
} flyer;

typedef struct meeting {
    double time;
    uint32_t partner;
} meeting;

/* Keeps the earlier; of two at the same time that with the smaller id. */
ALWAYS_INLINE void keep_earlier(const jo_hard *h, meeting *best, double time, uint32_t partner)
{
    if (time > best->time) return;
    if (time == best->time && best->partner != PARTNER) {
        if (best->partner >= SURFACES || h->id[best->partner] <= h->id[partner]) return;
    }
    best->time = time;
    best->partner = partner;
}

/* The earliest meeting in each of four lanes, while neighbours are looked at; INFINITY: none. */
typedef struct meeting4 {
    vec4 time;
    mask4 partner;
} meeting4;

ALWAYS_INLINE vec4 gather4(const double *p, const uint32_t *k)
{
    return (vec4){p[k[0]], p[k[1]], p[k[2]], p[k[3]]};
}

/* Out of the balls' last eight bytes. What stands in the lower half must not count. */
ALWAYS_INLINE vec4 bounds4(vec4 last)
{
    const int64_t upper = (int64_t)0xffffffff00000000;
    return (vec4)((mask4)last & (mask4){upper, upper, upper, upper});
}

/* Where four balls are seen from one, and what they are seen to do. */
typedef struct near4 {
    vec4 a, b, c;
    vec4 bound; /* of the balls */
} near4;

ALWAYS_INLINE near4 approach4(const jo_hard *h, const flyer *f, const uint32_t *id,
                              const uint8_t *code, const int mode)
{
    const ball *balls = h->balls;
    row4 one[4], two[4];
    vec4 p[4], q[4];
    near4 n;
    for (int l = 0; l < 4; l++) {
        one[l] = row_load(balls[id[l]].x);
        two[l] = row_load(balls[id[l]].x + 4);
    }
    v4_columns(one, p);
    v4_columns(two, q);
    const vec4 dt = v4_all(f->now) - q[2];
    vec4x3 v = {p[3], q[0], q[1]};
    vec4x3 x = {p[0] + v.x * dt, p[1] + v.y * dt, p[2] + v.z * dt};
    if ((mode & MODE_GENERAL) && h->falls) {
        /* Fixed balls do not fall; try4 sees to them. */
        const vec4 half = v4_all(0.5) * dt * dt;
        x.x += v4_all(h->g[0]) * half;
        x.y += v4_all(h->g[1]) * half;
        x.z += v4_all(h->g[2]) * half;
        v.x += v4_all(h->g[0]) * dt;
        v.y += v4_all(h->g[1]) * dt;
        v.z += v4_all(h->g[2]) * dt;
    }
    vec4x3 d = {x.x - v4_all(f->x[0]), x.y - v4_all(f->x[1]), x.z - v4_all(f->x[2])};
    const ball_grid *g = &h->grid;
    if (mode & MODE_TINY) {
        const double(*m)[3] = g->image;
        d.x += (vec4){m[code[0]][0], m[code[1]][0], m[code[2]][0], m[code[3]][0]};
        d.y += (vec4){m[code[0]][1], m[code[1]][1], m[code[2]][1], m[code[3]][1]};
        d.z += (vec4){m[code[0]][2], m[code[1]][2], m[code[2]][2], m[code[3]][2]};
    } else {
        d.x -= v4_all(g->period[0]) * v4_round(d.x * v4_all(g->per_period[0]));
        d.y -= v4_all(g->period[1]) * v4_round(d.y * v4_all(g->per_period[1]));
        d.z -= v4_all(g->period[2]) * v4_round(d.z * v4_all(g->per_period[2]));
    }
    const vec4x3 w = {v.x - v4_all(f->v[0]), v.y - v4_all(f->v[1]), v.z - v4_all(f->v[2])};
    vec4 s2 = v4_all(h->diameter2);
    n.a = v4_dot(w, w);
    n.b = v4_dot(d, w);
    if ((mode & MODE_GENERAL) && (h->poly || h->grows)) {
        const vec4 sum = v4_all(f->r) + gather4(h->r, id), s = v4_all(f->scale) * sum;
        const vec4 rate = v4_all(h->scale_rate) * sum;
        s2 = s * s;
        n.a -= rate * rate;
        n.b -= s * rate;
    }
    n.c = v4_dot(d, d) - s2;
    n.bound = bounds4(q[3]);
    return n;
}

/* Two at the same time in one lane: the smaller id. */
static __attribute__((noinline)) mask4 smaller_ids(const jo_hard *h, mask4 same, mask4 a, mask4 b)
{
    for (int l = 0; l < 4; l++)
        if (same[l] && h->id[b[l]] < h->id[a[l]]) a[l] = b[l];
    return a;
}

/* Fixed balls that do not fall with the others, one by one. */
static __attribute__((noinline)) void
try_fixed(const jo_hard *h, const flyer *f, const uint32_t *id, const uint8_t *code, meeting *best)
{
    for (int l = 0; l < 4; l++) {
        if (id[l] < h->movers) continue;
        const double t =
            jo_fixed_time(h, f->x, f->v, f->r, id[l], best->time - f->now,
                          code != NULL ? h->grid.image[code[l]] : NULL, id[l] == f->skip);
        if (t < (double)INFINITY) keep_earlier(h, best, f->now + t, id[l]);
    }
}

/* Looks at four neighbours. Nothing here branches on where balls are, which no processor foresees:
 * except, in cells, whether any of the four is met at all, for there it is rare. */
ALWAYS_INLINE void try4(const jo_hard *h, const flyer *f, const uint32_t *id, const uint8_t *code,
                        meeting *best, meeting4 *found, const int mode)
{
    const near4 n = approach4(h, f, id, code, mode);
    const vec4 root2 = n.b * n.b - n.a * n.c;
    mask4 meets = (n.b < 0) & (root2 >= 0);
    mask4 swallowed = v4_none(); /* they grow faster than they part */
    if ((mode & MODE_GENERAL) && h->grows) {
        swallowed = (n.b >= 0) & (n.a < 0) & (n.c > 0);
        /* Lanes that are left over hold the ball itself: only growth makes it approach itself. */
        meets = (meets | swallowed) & (words_wide(id) != words_all(f->self));
    }
    if ((mode & MODE_GENERAL) && h->fixed_falls) {
        try_fixed(h, f, id, (mode & MODE_TINY) ? code : NULL, best);
        meets &= words_wide(id) < words_all(h->movers);
    }
    if (!(mode & MODE_LISTS) && !v4_any(meets)) return;
    const mask4 who = words_wide(id);
    /* The ball it has just met, which it still touches. */
    meets &= ~((who == words_all(f->skip)) & (n.c < v4_all(1e-9 * h->diameter2)));
    const vec4 root = v4_sqrt(root2);
    vec4 t = v4_max(n.c, v4_zero()) / (root - n.b);
    if ((mode & MODE_GENERAL) && h->grows) t = v4_pick(swallowed, (n.b + root) / -n.a, t);
    const vec4 time = v4_all(f->now) + t;
    meets &= time <= n.bound;
    const mask4 earlier = meets & (time < found->time), same = meets & (time == found->time);
    found->time = v4_pick(earlier, time, found->time);
    found->partner = (earlier & who) | (~earlier & found->partner);
    if (v4_any(same)) found->partner = smaller_ids(h, same, found->partner, who);
}

ALWAYS_INLINE meeting4 nobody_met(void)
{
    return (meeting4){v4_all((double)INFINITY), words_all(PARTNER)};
}

/* The earliest of the lanes, if it is earlier than what is known. */
ALWAYS_INLINE void keep_found(const jo_hard *h, meeting *best, const meeting4 *found)
{
    const double first = v4_least(found->time);
    if (!(first < (double)INFINITY)) return;
    unsigned bits = v4_bits(found->time == v4_all(first));
    for (; bits != 0; bits &= bits - 1)
        keep_earlier(h, best, first, (uint32_t)found->partner[__builtin_ctz(bits)]);
}

#endif
