/* motion.h — balls between collisions: where they are, when they leave their cell or shell. */
#ifndef JO_HARD_MOTION_H
#define JO_HARD_MOTION_H

#include "hard/approach.h"

/* ---- places in the grid ---- */

static inline size_t grid_cell(const ball_grid *g, const int32_t place[3])
{
    return (size_t)g->step[0][3 * place[0] + 1].cells + g->step[1][3 * place[1] + 1].cells +
           g->step[2][3 * place[2] + 1].cells;
}

static inline uint32_t grid_pack(const ball_grid *g, const int32_t place[3])
{
    return (uint32_t)place[0] | (uint32_t)place[1] << g->shift[1] |
           (uint32_t)place[2] << g->shift[2];
}

static inline void grid_unpack(const ball_grid *g, uint32_t packed, int32_t place[3])
{
    place[0] = (int32_t)(packed & ((1u << g->shift[1]) - 1));
    place[1] = (int32_t)(packed >> g->shift[1] & ((1u << (g->shift[2] - g->shift[1])) - 1));
    place[2] = (int32_t)(packed >> g->shift[2]);
}

static inline void chain_add(jo_hard *h, size_t cell, uint32_t i)
{
    h->balls[i].next = h->grid.heads[cell];
    h->grid.heads[cell] = i;
}

static inline void chain_remove(jo_hard *h, size_t cell, uint32_t i)
{
    uint32_t *link = &h->grid.heads[cell];
    while (*link != i)
        link = &h->balls[*link].next;
    *link = h->balls[i].next;
}

/* ---- positions ---- */

/* Where ball i is and how fast, at the present moment. */
ALWAYS_INLINE void ball_now(const jo_hard *h, uint32_t i, double x[3], double v[3], const int mode)
{
    const ball *b = &h->balls[i];
    const double dt = h->now - b->clock;
    const bool falls = (mode & MODE_GENERAL) && h->falls && i < h->movers;
    for (int k = 0; k < 3; k++) {
        x[k] = b->x[k] + b->v[k] * dt;
        v[k] = b->v[k];
        if (falls) {
            x[k] += h->g[k] * (0.5 * dt * dt);
            v[k] += h->g[k] * dt;
        }
    }
}

ALWAYS_INLINE void flyer_at(const jo_hard *h, uint32_t i, uint32_t skip, flyer *f, const int mode)
{
    ball_now(h, i, f->x, f->v, mode);
    f->now = h->now;
    f->self = i;
    f->skip = skip;
    if (mode & MODE_GENERAL) {
        f->r = h->r[i];
        f->scale = growth_now(h);
    }
}

/* Sets a ball's own clock to the present moment. */
ALWAYS_INLINE void move_to_now(const jo_hard *h, uint32_t i, const int mode)
{
    double x[3], v[3];
    ball *b = &h->balls[i];
    ball_now(h, i, x, v, mode);
    for (int k = 0; k < 3; k++) {
        b->x[k] = x[k];
        b->v[k] = v[k];
    }
    b->clock = h->now;
}

/* From a to the nearest image of b. */
ALWAYS_INLINE void nearest_image(const jo_hard *h, const double a[3], const double b[3],
                                 double d[3])
{
    const ball_grid *g = &h->grid;
    for (int k = 0; k < 3; k++) {
        d[k] = b[k] - a[k];
        d[k] -= g->period[k] * rint(d[k] * g->per_period[k]);
    }
}

/* ---- leaving ---- */

/* When something at x that flies with v and falls with g leaves the slab lo … hi, and where:
 * upwards or not. What is outside by rounding leaves when it goes further out. */
static inline double leave_slab(double x, double v, double g, double lo, double hi, bool *up)
{
    const double half = 0.5 * g;
    double best = (double)INFINITY;
    for (int side = 0; side < 2; side++) {
        /* Distance to the border, made a fall from above zero: c - b t - a t^2 with sign. */
        const double sign = side == 0 ? 1.0 : -1.0;
        const double c = sign * (x - (side == 0 ? lo : hi)), b = sign * v, a = sign * half;
        double t = (double)INFINITY;
        if (c <= 0.0 && (b < 0.0 || (b == 0.0 && a < 0.0))) {
            t = 0.0;
        } else {
            const double root2 = fmax(b * b - 4.0 * a * c, a < 0.0 ? 0.0 : -1.0);
            if (a < 0.0) /* falls in the end: the later root */
                t = b > 0.0 ? (b + sqrt(root2)) / (-2.0 * a) : 2.0 * c / (sqrt(root2) - b);
            else if (b < 0.0 && root2 >= 0.0) /* rises in the end: the earlier root, if any */
                t = 2.0 * c / (sqrt(root2) - b);
        }
        if (t < best) {
            best = t;
            *up = side == 1;
        }
    }
    return best < 0.0 ? 0.0 : best;
}

/* Seen from the present moment: on a parabola a border may have been crossed before. */
static inline void leave_cell_falling(jo_hard *h, uint32_t i, const int32_t place[3])
{
    const ball_grid *g = &h->grid;
    plan *p = &h->plans[i];
    double x[3], v[3], least = (double)INFINITY;
    ball_now(h, i, x, v, MODE_GENERAL);
    unsigned border = 0;
    for (int k = 0; k < h->dim; k++) {
        const int32_t turns = g->period[k] > 0.0 ? 0 : h->wraps[3 * (size_t)i + k];
        const double at = (double)place[k] + (double)turns * g->cells[k];
        bool up = false;
        const double t = leave_slab(x[k], v[k], h->g[k], g->lo[k] + at * g->size[k],
                                    g->lo[k] + (at + 1.0) * g->size[k], &up);
        if (t < least) {
            least = t;
            border = (unsigned)(2 * k + up);
        }
    }
    p->leave = h->now + least;
    p->partner = (p->partner & PARTNER) | border << BORDER_SHIFT;
}

/* When it crosses the next border of its cell, and which. */
ALWAYS_INLINE void leave_cell(jo_hard *h, uint32_t i, const int mode)
{
    const ball_grid *g = &h->grid;
    const ball *b = &h->balls[i];
    plan *p = &h->plans[i];
    int32_t place[3];
    grid_unpack(g, p->place, place);
    if ((mode & MODE_GENERAL) && h->falls) {
        leave_cell_falling(h, i, place);
        return;
    }
    for (int k = 0; k < 3; k++)
        if ((mode & MODE_GENERAL) && g->period[k] == 0.0)
            place[k] += h->wraps[3 * (size_t)i + k] * g->cells[k];
    /* Three axes at once, and no branch; the fourth lane holds whatever comes next in memory. */
    const vec4 x = row_load(b->x), v = row_load(b->v);
    const vec4 at = {(double)place[0], (double)place[1], (double)place[2], 0.0};
    const vec4 border = row_load(g->lo) + (at + v4_only(v > 0, v4_all(1.0))) * row_load(g->size);
    const vec4 t = v4_pick(v != 0, (border - x) / v, v4_all((double)INFINITY));
    const unsigned upwards = v4_bits(v > 0);
    const unsigned second = t[1] < t[0];
    double least = t[1] < t[0] ? t[1] : t[0];
    const unsigned third = t[2] < least;
    least = t[2] < least ? t[2] : least;
    const unsigned axis = third << 1 | (second & ~third);
    const double time = b->clock + least;
    p->leave = time > h->now ? time : h->now;
    p->partner = (p->partner & PARTNER) | (2 * axis + (upwards >> axis & 1)) << BORDER_SHIFT;
}

/* When it leaves its shell. In gravity: not before then, which is looked at again. */
ALWAYS_INLINE void leave_shell(jo_hard *h, uint32_t i, const int mode)
{
    const float *centre = h->shells[i].centre;
    double x[3], v[3], a = 0.0, b = 0.0, c = -h->reach * h->reach;
    ball_now(h, i, x, v, mode);
    for (int k = 0; k < 3; k++) {
        const double d = x[k] - (double)centre[k];
        a += v[k] * v[k];
        b += d * v[k];
        c += d * d;
    }
    double t;
    if ((mode & MODE_GENERAL) && h->falls) {
        /* |v| t + |g| t^2 / 2 is what is left to the shell. */
        const double g = sqrt(h->g[0] * h->g[0] + h->g[1] * h->g[1] + h->g[2] * h->g[2]);
        const double left = fmax(h->reach - sqrt(fmax(c + h->reach * h->reach, 0.0)), 0.0);
        t = 2.0 * left / (sqrt(a) + sqrt(a + 2.0 * g * left));
    } else {
        /* |d + v t| = reach, c <= 0: the later root, without cancellation either way. */
        const double root2 = b * b - a * c, sum = sqrt(root2 > 0.0 ? root2 : 0.0) + fabs(b);
        const double over = b > 0.0 ? -c : sum, under = b > 0.0 ? sum : a;
        t = a > 0.0 ? over / under : (double)INFINITY;
    }
    h->plans[i].leave = t > 0.0 ? h->now + t : h->now;
}

ALWAYS_INLINE void set_leave(jo_hard *h, uint32_t i, const int mode)
{
    if (mode & MODE_LISTS)
        leave_shell(h, i, mode);
    else
        leave_cell(h, i, mode);
}

#endif
