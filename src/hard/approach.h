/* approach.h — when does a ball meet four others: the inner loop of every prediction.
 *
 * For balls at d = xj - xi with w = vj - vi at a common moment, b = d.w, a = w.w, c = d.d - s^2, s the
 * sum of radii, the first contact is at t = c / (-b + sqrt(b^2 - a c)), which does not cancel. Balls
 * that do not approach (b >= 0), that pass (b^2 < a c), and that meet later than what is known
 * (t >= c / (-2 b)) are sorted out before the square root. Balls that touch within rounding and
 * approach (c <= 0) meet now. With growing radii, s' = ds/dt: b - s s' takes the place of b, and
 * a - s'^2 that of a; balls then approach while b - s s' < 0. Where a - s'^2 < 0 they grow faster than
 * they can part, and meet even if b - s s' >= 0: at (b + sqrt(b^2 - a c)) / -a with these in place. */
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
    MODE_TINY =
        4 /* cells, few along a periodic axis: each candidate has the code of its image; else
                         the nearest image is the one */
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

typedef struct near4 {
    vec4 a, b, c, root; /* root: b^2 - a c */
} near4;

ALWAYS_INLINE vec4 gather4(const double *p, const uint32_t *k)
{
    return (vec4){p[k[0]], p[k[1]], p[k[2]], p[k[3]]};
}

/* Bits of those that may be met before `best`. */
ALWAYS_INLINE unsigned approach4(const jo_hard *h, const flyer *f, const uint32_t *id,
                                 const uint8_t *code, double remaining, near4 *out, const int mode)
{
    const ball *balls = h->balls;
    row4 one[4], two[4];
    vec4 p[4], q[4];
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
    vec4 a = v4_dot(w, w), b = v4_dot(d, w), s2 = v4_all(h->diameter2);
    if ((mode & MODE_GENERAL) && (h->poly || h->grows)) {
        const vec4 sum = v4_all(f->r) + gather4(h->r, id), s = v4_all(f->scale) * sum;
        const vec4 rate = v4_all(h->scale_rate) * sum;
        s2 = s * s;
        a -= rate * rate;
        b -= s * rate;
    }
    const vec4 c = v4_dot(d, d) - s2;
    const vec4 root = b * b - a * c;
    out->a = a;
    out->b = b;
    out->c = c;
    out->root = root;
    const vec4 late = c + v4_all(2.0 * remaining) * b; /* >= 0: later than what is known */
    const unsigned bits = v4_bits((b < 0) & (root >= 0) & (late < 0));
    if ((mode & MODE_GENERAL) && h->grows) return bits | v4_bits((b >= 0) & (a < 0) & (c > 0));
    return bits;
}

/* Those of four neighbours that are met earlier than `best`. */
ALWAYS_INLINE void try4(const jo_hard *h, const flyer *f, const uint32_t *id, const uint8_t *code,
                        meeting *best, const int mode)
{
    near4 n;
    unsigned bits = approach4(h, f, id, code, best->time - f->now, &n, mode);
    if ((mode & MODE_GENERAL) && h->fixed_falls)
        for (int l = 0; l < 4; l++) {
            if (id[l] < h->movers) continue;
            bits &= ~(1u << l);
            const double t =
                jo_fixed_time(h, f->x, f->v, f->r, id[l], best->time - f->now,
                              (mode & MODE_TINY) ? h->grid.image[code[l]] : NULL, id[l] == f->skip);
            if (t < (double)INFINITY) keep_earlier(h, best, f->now + t, id[l]);
        }
    while (bits != 0) {
        const int l = __builtin_ctz(bits);
        bits &= bits - 1;
        const uint32_t j = id[l];
        const double c = n.c[l];
        if (j == f->skip && c < 1e-9 * h->diameter2) continue;
        /* Lanes that are left over hold the ball itself: only growth makes it approach itself. */
        if ((mode & MODE_GENERAL) && j == f->self) continue;
        double t = c > 0.0 ? c / (sqrt(n.root[l]) - n.b[l]) : 0.0;
        if ((mode & MODE_GENERAL) && n.b[l] >= 0.0) t = (n.b[l] + sqrt(n.root[l])) / -n.a[l];
        const double time = f->now + t;
        if (time > (double)h->balls[j].bound) continue;
        keep_earlier(h, best, time, j);
    }
}

#endif
