/* kinetic_corners.c — when corners meet corners.
 *
 * Bodies collide when their distance is the gap. Where that is the distance of a corner from the
 * inside of an edge, a triangle's area tells (kinetic_events.c). Where it is that of two corners,
 * neither over an edge of the other, no area does: which triangles are at the two, and what they
 * are worth at that instant, is a matter of who else is around. So their distance itself is asked
 * for, whose square is a polynomial of the same degree (flat_time.h). A side of a triangle is no
 * shorter than its height over the longest one: triangles that are low, which are looked at once at
 * twice the gap, are asked so for their sides, and for the pair that their longest side keeps
 * apart; nothing else is.
 *
 * The square of a distance of 1e-9 is lost in rounding next to that of what bodies travel in a
 * period. So the question is put for a time in which the corners go no farther than a few times
 * their distance, and down to a 32nd part of it at a time. */
#include <math.h>

#include "hard/kinetic_see.h"

static const double TOUCH = 1.001;                       /* of the gap: as good as it */
static const double NEARER = 1.0 / 32.0, FARTHEST = 4.0; /* of the present distance */
static const double BELOW = 0.8, BELOW_LAST = 1e-3;      /* of it; of the gap: corners over edges */
static const double ASIDE = 1e-2;                        /* of the gap: more than rounding */
static const double AT_ONCE = 1e-13;                     /* of the period */

/* Two corners, from v to u. */
typedef struct corner_pair {
    double d[2], w[2];            /* place and velocity of u from v */
    double distance, speed, pull; /* pull: no less than the acceleration */
} corner_pair;

static double add_velocity(const jo_kinetic *k, uint32_t v, double sign, double w[2])
{
    const flat_body *m = motion_of(k, k->owner[v]);
    const double *r = k->arm + 2 * (size_t)v;
    if (m == &k->still) return 0.0;
    w[0] += sign * (m->v[0] - m->spin * r[1]);
    w[1] += sign * (m->v[1] + m->spin * r[0]);
    return m->spin * m->spin * hypot(r[0], r[1]);
}

static corner_pair see_pair(const jo_kinetic *k, uint32_t u, uint32_t v)
{
    const flat_body *mu = motion_of(k, k->owner[u]), *mv = motion_of(k, k->owner[v]);
    corner_pair p = {0};
    double a[2], b[2];
    corner_place(k, u, a);
    corner_place(k, v, b);
    for (int i = 0; i < 2; i++)
        p.d[i] = a[i] - b[i];
    p.pull = add_velocity(k, u, 1.0, p.w) + add_velocity(k, v, -1.0, p.w);
    p.pull += hypot(mu->a[0] - mv->a[0], mu->a[1] - mv->a[1]);
    p.distance = sqrt(p.d[0] * p.d[0] + p.d[1] * p.d[1]);
    p.speed = sqrt(p.w[0] * p.w[0] + p.w[1] * p.w[1]);
    return p;
}

static bool is_closing(const corner_pair *p)
{
    return p->d[0] * p->w[0] + p->d[1] * p->w[1] < 0.0;
}

/* Over an edge by rounding alone, where edges come flat on one another with their ends at ends, is
 * not over it. */
static bool are_over(const jo_kinetic *k, uint32_t u, uint32_t v)
{
    return is_over(k, u, v, ASIDE * k->gap) || is_over(k, v, u, ASIDE * k->gap);
}

bool jo_kinetic_corners_meet(const jo_kinetic *k, uint32_t u, uint32_t v, over_edge *out)
{
    const corner_pair p = see_pair(k, u, v);
    if (!(p.distance < TOUCH * k->gap && p.distance > 0.0) || !is_closing(&p) || are_over(k, u, v))
        return false;
    *out = (over_edge){.height = p.distance, .normal = {p.d[0] / p.distance, p.d[1] / p.distance}};
    return true;
}

/* For how long the corners go no farther than a few times their distance, but no longer than
 * `until`. */
static double in_sight(const corner_pair *p, double until)
{
    const double way = FARTHEST * p->distance;
    if (p->speed * until > way) until = way / p->speed;
    if (p->pull * until * until > way) until = sqrt(way / p->pull);
    return until;
}

flat_answer jo_kinetic_corners_time(const jo_kinetic *k, uint32_t u, uint32_t v, double until)
{
    const corner_pair p = see_pair(k, u, v);
    if (p.distance > k->gap + until * (p.speed + until * p.pull))
        return (flat_answer){false, until};
    const bool near = p.distance < TOUCH * k->gap;
    double level = fmax(k->gap, NEARER * p.distance);
    if (near && are_over(k, u, v))
        level = BELOW * p.distance; /* theirs is an edge's business, as long as that lasts */
    else if (near && is_closing(&p))
        return (flat_answer){true, 0.0};
    flat_triangle ask = {.until = in_sight(&p, until), .distance = true};
    for (int c = 0; c < 3; c++) {
        const uint32_t w = c == 0 ? u : v;
        ask.corner[c] = (flat_corner){motion_of(k, k->owner[w]),
                                      {k->arm[2 * (size_t)w], k->arm[2 * (size_t)w + 1]}};
    }
    for (; level > BELOW_LAST * k->gap; level *= BELOW) {
        ask.level = level * level;
        const flat_answer answer = jo_flat_time(&ask, k->method);
        /* Now, though they do not approach: that is rounding. */
        if (!answer.flat || answer.when > AT_ONCE * k->period) return answer;
    }
    return (flat_answer){false, ask.until};
}
