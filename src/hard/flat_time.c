/* flat_time.c — when a triangle of three moving corners goes flat.
 *
 * A corner at r from the centre of a body that turns at the rate w is, with q = w u, at
 *
 *     x(u) = x + vx u + ax u^2/2 + rx cos q - ry sin q
 *     y(u) = y + vy u + ay u^2/2 + ry cos q + rx sin q.
 *
 * With cos q = 1 - q^2/2 + q^4/24 and sin q = q - q^3/6 that is, writing r' = (-ry, rx) for r
 * turned left,
 *
 *     (x + r) + (v + w r') u + (a - w^2 r)/2 u^2 - w^3 r'/6 u^3 + w^4 r/24 u^4
 *
 * (equations 4a, 4b of Mueller & Liebling, whose printed signs of r_x w^2 in the first and of r_x w
 * in the second are wrong: turning left moves a corner by +w r', and pulls it by -w^2 r). What is
 * left out of exp(iq) after its fifth term is at most |q|^5/120, so the series misplaces a corner
 * by at most |r| |w u|^5 / 120: 8.4e-8 |r| at 0.1 radians. jo_flat_period turns that round.
 *
 * First, cheaply, whether the triangle can go flat at all. Up to second order both edges e1, e2
 * from corner 0 are exact with two coefficients more than the place, and the rest of an edge is at
 * most (sum of |r| |w|^3/6) u^3, for the sine and (with a factor 1 + |w u|/4) for the series. So
 * det >= c0 + c1 s + c2 s^2 - t s^3, s = u/until, with t from a few products; its coefficients in
 * Bernstein's basis all positive mean that it does not. Most triangles end here, without a
 * polynomial of degree 8 and without a sine.
 *
 * `fast` and `sturm` then make that polynomial (flat_roots.c, flat_sturm.c). `exact` walks: what
 * the series leaves out is at most E s^5, so the polynomial less E s^5 lies below det; up to its
 * first root det is certain to be positive, and there the polynomial is made anew, with the true
 * sine and cosine. It ends where the polynomial plus E s^5 is below zero next to that root. Steps
 * get short very fast (the fifth power), so two are the rule, and no root is ever stepped over. */
#include "hard/flat_time.h"

#include <math.h>
#include <string.h>

#include "hard/flat_roots.h"

enum { STEPS_MAX = 60 };

/* An edge from corner 0 to another over a time h, in s = u/h: k0 + k1 s + k2 s^2 + rest, |rest| <=
 * rest s^3. */
typedef struct flat_edge {
    double k[5][2];
    double rest;
} flat_edge;

/* det - level >= c0 + c1 s + … + c4 s^4 - rest s^3. */
typedef struct flat_bound {
    double c[5];
    double rest;
} flat_bound;

/* |det - level - (c0 + c1 s + … + c8 s^8)| <= tail s^5. */
typedef struct flat_series {
    double c[FLAT_DEGREE + 1];
    double tail;
} flat_series;

static inline double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* Not below the length of a vector, and without a root. */
static inline double length_above(const double a[2])
{
    const double x = fabs(a[0]), y = fabs(a[1]);
    const double more = x > y ? x : y, less = x > y ? y : x;
    return more + 0.41421356237309515 * less;
}

static inline double rest_of(const flat_corner *c, double w)
{
    const double q = fabs(w);
    return length_above(c->r) * q * q * q * (1.0 + 0.25 * q) / 6.0;
}

static inline flat_edge edge_between(const flat_corner *from, const flat_corner *to, double h)
{
    const flat_body *a = from->body, *b = to->body;
    const double wa = a->spin * h, wb = b->spin * h;
    flat_edge e;
    for (int i = 0; i < 2; i++) {
        const double turn_a = i == 0 ? -from->r[1] : from->r[0];
        const double turn_b = i == 0 ? -to->r[1] : to->r[0];
        e.k[0][i] = (b->x[i] - a->x[i]) + (to->r[i] - from->r[i]);
        e.k[1][i] = (b->v[i] - a->v[i]) * h + (wb * turn_b - wa * turn_a);
        e.k[2][i] =
            0.5 * ((b->a[i] - a->a[i]) * h * h - (wb * wb * to->r[i] - wa * wa * from->r[i]));
    }
    e.rest = rest_of(from, wa) + rest_of(to, wb);
    return e;
}

static inline void extend_edge(flat_edge *e, const flat_corner *from, const flat_corner *to,
                               double h)
{
    const double wa = from->body->spin * h, wb = to->body->spin * h;
    const double a3 = wa * wa * wa / 6.0, b3 = wb * wb * wb / 6.0;
    const double a4 = a3 * wa * 0.25, b4 = b3 * wb * 0.25;
    for (int i = 0; i < 2; i++) {
        const double turn_a = i == 0 ? -from->r[1] : from->r[0];
        const double turn_b = i == 0 ? -to->r[1] : to->r[0];
        e->k[3][i] = a3 * turn_a - b3 * turn_b;
        e->k[4][i] = b4 * to->r[i] - a4 * from->r[i];
    }
}

/* Of a distance the second edge is the first, turned left: their product is |e|^2. */
static inline void turn_second(const flat_triangle *t, flat_edge *f, int from, int to)
{
    if (!t->distance) return;
    for (int i = from; i < to; i++) {
        const double x = f->k[i][0];
        f->k[i][0] = -f->k[i][1];
        f->k[i][1] = x;
    }
}

static inline flat_bound bound_below(const flat_edge *e, const flat_edge *f, double level)
{
    flat_bound b;
    b.c[0] = cross(e->k[0], f->k[0]) - level;
    b.c[1] = cross(e->k[0], f->k[1]) + cross(e->k[1], f->k[0]);
    b.c[2] = cross(e->k[0], f->k[2]) + cross(e->k[1], f->k[1]) + cross(e->k[2], f->k[0]);
    b.c[3] = cross(e->k[1], f->k[2]) + cross(e->k[2], f->k[1]);
    b.c[4] = cross(e->k[2], f->k[2]);
    const double size_e = length_above(e->k[0]) + length_above(e->k[1]) + length_above(e->k[2]);
    const double size_f = length_above(f->k[0]) + length_above(f->k[1]) + length_above(f->k[2]);
    b.rest = e->rest * size_f + f->rest * size_e + e->rest * f->rest;
    return b;
}

/* Whether the bound is positive on all of (0, 1]. */
static inline bool stays_above(const flat_bound *b, bool touching)
{
    const double *c = b->c, tail = fabs(c[3]) + fabs(c[4]) + b->rest;
    if (touching) return c[1] > 0.0 && 2.0 * c[1] + c[2] > 0.0 && c[1] + c[2] > tail;
    return c[0] > 0.0 && 3.0 * c[0] + c[1] > 0.0 && 3.0 * c[0] + 2.0 * c[1] + c[2] > 0.0 &&
           c[0] + c[1] + c[2] > tail;
}

static void assemble(flat_edge *e, flat_edge *f, const flat_triangle *t, double h,
                     double c[FLAT_DEGREE + 1])
{
    extend_edge(e, &t->corner[0], &t->corner[1], h);
    extend_edge(f, &t->corner[0], &t->corner[2], h);
    turn_second(t, f, 3, 5);
    for (int n = 0; n <= FLAT_DEGREE; n++)
        c[n] = 0.0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            c[i + j] += cross(e->k[i], f->k[j]);
    c[0] -= t->level;
}

void jo_flat_series(const flat_triangle *t, double c[FLAT_DEGREE + 1])
{
    flat_edge e = edge_between(&t->corner[0], &t->corner[1], t->until);
    flat_edge f = edge_between(&t->corner[0], &t->corner[2], t->until);
    turn_second(t, &f, 0, 3);
    assemble(&e, &f, t, t->until, c);
}

double jo_flat_period(double spin, double accuracy)
{
    return spin == 0.0 ? (double)INFINITY : pow(120.0 * accuracy, 0.2) / fabs(spin);
}

/* What the series leaves out of a corner's place at s = 1. */
static inline double left_out(const flat_corner *c, double h)
{
    const double q = fabs(c->body->spin * h), q2 = q * q;
    return length_above(c->r) * q2 * q2 * q * (1.0 / 120.0);
}

/* E: what that makes of the area. An edge is no longer than its terms up to second order and the
 * rest. */
static double tail_of(const flat_triangle *t, const flat_edge *e, const flat_edge *f, double h)
{
    const double d0 = left_out(&t->corner[0], h);
    const double d1 = d0 + left_out(&t->corner[1], h), d2 = d0 + left_out(&t->corner[2], h);
    double size_e = e->rest, size_f = f->rest;
    for (int i = 0; i < 3; i++) {
        size_e += length_above(e->k[i]);
        size_f += length_above(f->k[i]);
    }
    return d1 * size_f + d2 * size_e + d1 * d2;
}

static flat_series series_at(const flat_triangle *t, double h)
{
    flat_series s;
    flat_edge e = edge_between(&t->corner[0], &t->corner[1], h);
    flat_edge f = edge_between(&t->corner[0], &t->corner[2], h);
    turn_second(t, &f, 0, 3);
    assemble(&e, &f, t, h, s.c);
    s.tail = tail_of(t, &e, &f, h);
    return s;
}

double jo_flat_series_error(const flat_triangle *t)
{
    flat_edge e = edge_between(&t->corner[0], &t->corner[1], t->until);
    flat_edge f = edge_between(&t->corner[0], &t->corner[2], t->until);
    turn_second(t, &f, 0, 3);
    return tail_of(t, &e, &f, t->until);
}

flat_body jo_flat_body_at(const flat_body *body, double u)
{
    flat_body out = *body;
    for (int i = 0; i < 2; i++) {
        out.x[i] += u * (body->v[i] + 0.5 * u * body->a[i]);
        out.v[i] += u * body->a[i];
    }
    return out;
}

void jo_flat_arm_at(const flat_body *body, const double r[2], double u, double out[2])
{
    const double c = cos(body->spin * u), s = sin(body->spin * u);
    const double x = c * r[0] - s * r[1], y = c * r[1] + s * r[0];
    out[0] = x;
    out[1] = y;
}

/* The triangle at a later time, with room for its bodies. */
typedef struct flat_later {
    flat_triangle triangle;
    flat_body body[3];
} flat_later;

static void move_to(const flat_triangle *t, double u, flat_later *out)
{
    double turn[3][2];
    out->triangle = *t;
    for (int k = 0; k < 3; k++) {
        const flat_corner *c = &t->corner[k];
        flat_corner *moved = &out->triangle.corner[k];
        int same = 0;
        while (t->corner[same].body != c->body)
            same++;
        if (same == k) {
            out->body[k] = jo_flat_body_at(c->body, u);
            turn[k][0] = c->body->spin == 0.0 ? 1.0 : cos(c->body->spin * u);
            turn[k][1] = c->body->spin == 0.0 ? 0.0 : sin(c->body->spin * u);
        }
        moved->body = &out->body[same];
        moved->r[0] = turn[same][0] * c->r[0] - turn[same][1] * c->r[1];
        moved->r[1] = turn[same][0] * c->r[1] + turn[same][1] * c->r[0];
    }
}

double jo_flat_value(const flat_triangle *t, double u, double *slope)
{
    flat_later later;
    move_to(t, u, &later);
    flat_edge e = edge_between(&later.triangle.corner[0], &later.triangle.corner[1], 1.0);
    flat_edge f = edge_between(&later.triangle.corner[0], &later.triangle.corner[2], 1.0);
    turn_second(&later.triangle, &f, 0, 3);
    if (slope != NULL) *slope = cross(e.k[0], f.k[1]) + cross(e.k[1], f.k[0]);
    return cross(e.k[0], f.k[0]) - t->level;
}

/* From u, where det is not above zero, back to where it is, but not before `least`. */
static double back_off(const flat_triangle *t, double least, double u)
{
    double step = 0x1p-51 * u;
    while (u > least && jo_flat_value(t, u, NULL) < 0.0) {
        u -= step;
        step *= 4.0;
    }
    return fmax(u, least);
}

/* How far, as a fraction of the time that the series is for, det is certain to stay above zero, or
 * if it is not above zero (inverted) to rise; INFINITY: all of it. */
static double certain(const flat_series *p, bool inverted)
{
    double c[FLAT_DEGREE + 1];
    memcpy(c, p->c, sizeof c);
    if (!inverted) {
        c[5] -= p->tail;
        return jo_flat_isolate(c, FLAT_DEGREE);
    }
    for (int k = 1; k <= FLAT_DEGREE; k++)
        c[k - 1] = k * c[k];
    c[4] -=
        10.0 * p->tail; /* the derivatives of what makes up the tail are at most as many times it */
    return c[0] > 0.0 ? jo_flat_isolate(c, FLAT_DEGREE - 1) : 0.0;
}

/* The first step from a start that is zero: 0 where det falls at once, else how far it is certain
 * to be above zero. The series is true up to order 4; where all these are zero, so are the others
 * but for the tail, and a little of the time is certain only in so far as nothing can be told from
 * zero. */
static double leave_zero(const flat_series *p)
{
    double c[FLAT_DEGREE + 1];
    memcpy(c, p->c, sizeof c);
    c[5] -= p->tail;
    for (int k = 1; k < 5; k++) {
        if (c[k] < 0.0) return 0.0;
        if (c[k] > 0.0) return jo_flat_isolate(c + k, FLAT_DEGREE - k);
    }
    return p->tail > 0.0 ? 0x1p-10 : (double)INFINITY;
}

/* Whether det is certain to be below zero just after s, within rounding of the time u + s h: then s
 * is the answer, and no smaller difference of places need be taken. From a start that is zero,
 * which is divided out, this tells bounces that are lower than rounding of the places. */
static bool closes(const flat_series *p, double s, double u, double h, bool from_zero)
{
    const double at = s + 0x1p-47 * (u / h + s), at2 = at * at;
    const double high = flat_poly(p->c + 1, FLAT_DEGREE - 1, at) + p->tail * at2 * at2;
    return from_zero ? high <= 0.0 : p->c[0] + at * high <= 0.0;
}

static flat_answer walk(const flat_triangle *t, const flat_series *start)
{
    flat_later now;
    flat_series p = *start;
    double u = 0.0, h = t->until;
    bool inverted = !t->touching && p.c[0] < 0.0;
    for (int step = 0; step < STEPS_MAX; step++) {
        const bool from_zero = step == 0 && (t->touching || p.c[0] == 0.0);
        const double s = from_zero ? leave_zero(&p) : certain(&p, inverted), before = u;
        if (s == 0.0) return (flat_answer){true, u};
        if (s > 1.0) {
            u = u + h;
            if (u >= t->until * (1.0 - 0x1p-50)) return (flat_answer){false, t->until};
            h = fmin(t->until - u, 2.0 * h);
        } else {
            u += s * h;
            if (!inverted && closes(&p, s, before, h, from_zero)) return (flat_answer){true, u};
            if (u - before <= 0x1p-50 * u) return (flat_answer){true, before};
            h = fmin(t->until - u, 4.0 * s * h);
            if (!(h > 0.0)) return (flat_answer){false, t->until};
        }
        move_to(t, u, &now);
        p = series_at(&now.triangle, h);
        if (inverted)
            inverted = !(p.c[0] > 0.0);
        else if (!(p.c[0] > 0.0))
            return (flat_answer){true, back_off(t, before, u)};
    }
    return (flat_answer){false, u};
}

flat_answer jo_flat_time(const flat_triangle *t, flat_method method)
{
    const flat_body *one = t->corner[0].body;
    const flat_answer never = {false, t->until};
    if (one == t->corner[1].body && one == t->corner[2].body) return never;
    flat_edge e = edge_between(&t->corner[0], &t->corner[1], t->until);
    flat_edge f = edge_between(&t->corner[0], &t->corner[2], t->until);
    turn_second(t, &f, 0, 3);
    const flat_bound b = bound_below(&e, &f, t->level);
    if (stays_above(&b, t->touching)) return never;
    flat_series p;
    assemble(&e, &f, t, t->until, p.c);
    if (method == FLAT_EXACT) {
        p.tail = tail_of(t, &e, &f, t->until);
        return walk(t, &p);
    }
    const double s = method == FLAT_STURM ? jo_flat_root_sturm(p.c, t->touching)
                                          : jo_flat_root_fast(p.c, t->touching);
    return s <= 1.0 ? (flat_answer){true, s * t->until} : never;
}
