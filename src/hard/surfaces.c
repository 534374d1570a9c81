/* surfaces.c — when a ball on its parabola hits a wall that may move.
 *
 * A wall that moves with constant velocity is at rest for who moves with it: planes are a
 * quadratic, other pieces are looked at in surface_pieces.c. A plane that swings is approached by
 * steps that are too short by construction: with gap f, its rate f' and a bound A on |f''|, f stays
 * positive until f + f' t - A t^2 / 2 = 0; these steps converge to the contact quadratically, and
 * never jump over one. Where motion begins or ends, and where a wall appears, the ball looks
 * again. */
#include "hard/surfaces.h"

#include <string.h>

#include "hard/roots.h"
#include "narrow/vec3.h"

enum { SWING_STEPS = 200 };
static const double two_pi = 6.283185307179586476925286766559;

/* What is left of a vector across a unit axis. */
static void across(const double a[3], const double axis[3], double out[3])
{
    along3(a, -dot3(a, axis), axis, out);
}

/* ---- motion of walls ---- */

static double motion_clock(const jo_motion *m, double t)
{
    const double end = t < m->stop ? t : m->stop;
    return end > m->start ? end - m->start : 0.0;
}

static void motion_at(const jo_motion *m, double t, double shift[3], double velocity[3])
{
    const double s = motion_clock(m, t);
    const bool moving = t >= m->start && t < m->stop;
    const double w = two_pi * m->frequency, swing = sin(w * s + m->phase),
                 rate = w * cos(w * s + m->phase);
    const bool swings = norm3(m->amplitude) > 0.0;
    for (int k = 0; k < 3; k++) {
        shift[k] = m->velocity[k] * s + (swings ? m->amplitude[k] * swing : 0.0);
        velocity[k] = moving ? m->velocity[k] + (swings ? m->amplitude[k] * rate : 0.0) : 0.0;
    }
}

/* ---- planes ---- */

/* First fall of c + b t + a t^2 to zero. */
static double fall(double c, double b, double a)
{
    if (c <= 0.0 && (b < 0.0 || (b == 0.0 && a < 0.0))) return 0.0;
    const double root2 = b * b - 4.0 * a * c;
    if (a < 0.0) {
        const double root = sqrt(fmax(root2, 0.0));
        return b > 0.0 ? (b + root) / (-2.0 * a) : 2.0 * c / (root - b);
    }
    return b < 0.0 && root2 >= 0.0 ? 2.0 * c / (sqrt(root2) - b) : (double)INFINITY;
}

/* A swinging plane, looked at for one period. */
static double swing_time(const surface *s, const approach_to *b, double until, double *again)
{
    const jo_motion *m = &s->motion;
    const double w = two_pi * fabs(m->frequency), swing = fabs(dot3(s->normal, m->amplitude));
    const double most = fabs(dot3(s->normal, b->g)) + swing * w * w;
    const double window = fmin(until, 1.0 / fabs(m->frequency));
    double t = 0.0;
    for (int step = 0; step < SWING_STEPS && t <= window; step++) {
        double shift[3], velocity[3], gap = -b->r - b->r_rate * t, rate = -b->r_rate;
        motion_at(m, b->time + t, shift, velocity);
        for (int k = 0; k < 3; k++) {
            const double x = b->x[k] + (b->v[k] + 0.5 * b->g[k] * t) * t;
            gap += s->normal[k] * (x - s->point[k] - shift[k]);
            rate += s->normal[k] * (b->v[k] + b->g[k] * t - velocity[k]);
        }
        if (gap <= 1e-13 * b->r && rate < 0.0) return t;
        const double root = sqrt(rate * rate + 2.0 * most * fmax(gap, 0.0));
        const double ahead = rate > 0.0 ? (rate + root) / most : 2.0 * gap / (root - rate);
        const double tick = 4e-16 * (t + fabs(b->time));
        if (!(ahead > tick) && rate < 0.0) return t;
        t += fmax(ahead, tick); /* what parts this slowly may come back at once: it is looked at */
    }
    *again = fmin(*again, fmin(t, window));
    return (double)INFINITY;
}

static double plane_time(const surface *s, const approach_to *b, double until)
{
    double d[3];
    sub3(b->x, s->point, d);
    const double t = fall(dot3(d, s->normal) - b->r, dot3(b->v, s->normal) - b->r_rate,
                          0.5 * dot3(b->g, s->normal));
    return t <= until ? t : (double)INFINITY;
}

/* ---- walls ---- */

/* The ball as seen from the wall, and until when it moves as it does now. */
static approach_to seen_from(const surface *s, const approach_to *b, double *change)
{
    approach_to seen = *b;
    *change = (double)INFINITY;
    if (!s->moves && !s->swings) return seen;
    double shift[3], velocity[3];
    motion_at(&s->motion, b->time, shift, velocity);
    sub3(b->x, shift, seen.x);
    sub3(b->v, velocity, seen.v);
    if (b->time < s->motion.stop)
        *change = (b->time < s->motion.start ? s->motion.start : s->motion.stop) - b->time;
    return seen;
}

double jo_surface_time(const surface *s, int dim, const approach_to *b, double until, double *again)
{
    const double t = b->time;
    double change;
    if (t >= s->until) return (double)INFINITY;
    if (t < s->from) {
        if (s->from - t < until) *again = fmin(*again, s->from - t);
        return (double)INFINITY;
    }
    until = fmin(until, s->until - t);
    const approach_to seen = seen_from(s, b, &change);
    if (change < until) {
        *again = fmin(*again, change);
        until = change;
    }
    if (s->swings && t >= s->motion.start && t < s->motion.stop)
        return swing_time(s, b, until, again);
    return s->kind == SURFACE_PLANE ? plane_time(s, &seen, until)
                                    : jo_piece_time(s, dim, &seen, until);
}

void jo_surface_contact(const surface *s, double time, const double x[3], double r,
                        double normal[3], double velocity[3])
{
    double seen[3], shift[3];
    motion_at(&s->motion, time, shift, velocity);
    sub3(x, shift, seen);
    if (s->kind == SURFACE_PLANE)
        memcpy(normal, s->normal, sizeof s->normal);
    else
        jo_piece_normal(s, seen, normal);
    /* A wall that turns without changing its shape drags its surface along. */
    if (norm3(s->motion.spin) > 0.0 && time >= s->motion.start && time < s->motion.stop) {
        double arm[3], drag[3];
        for (int k = 0; k < 3; k++)
            arm[k] = seen[k] - r * normal[k] - s->motion.pivot[k];
        cross3(s->motion.spin, arm, drag);
        const double off = dot3(drag, normal);
        for (int k = 0; k < 3; k++)
            velocity[k] += drag[k] - off * normal[k];
    }
}

double jo_surface_gap(const surface *s, int dim, double time, const double x[3], double r)
{
    double seen[3], shift[3], velocity[3], d[3];
    if (time < s->from || time >= s->until) return (double)INFINITY;
    motion_at(&s->motion, time, shift, velocity);
    sub3(x, shift, seen);
    const double distance = jo_piece_distance(s, dim, seen);
    /* Behind a solid's end, or a cone's side, is the solid, of which the side tells, or what lies
     * beyond. */
    sub3(seen, s->point, d);
    const double z = dot3(d, s->normal);
    if (s->kind == SURFACE_DISC && distance < 0.0) return (double)INFINITY;
    if (s->kind == SURFACE_CONE && distance < 0.0 && !(z >= 0.0 && z <= s->length))
        return (double)INFINITY;
    return (s->shell ? fabs(distance) : distance) - r;
}

/* ---- which cells a surface is near ---- */

bool jo_surface_near(const surface *s, int dim, const double lo[3], const double hi[3],
                     double reach)
{
    double centre[3] = {0}, size = 0.0, d[3], low[3], high[3], off[3];
    if (s->moves) return true;
    if (s->swings) reach += norm3(s->motion.amplitude);
    if (jo_piece_bounds(s, dim, low, high))
        for (int k = 0; k < dim; k++)
            if (low[k] - reach > hi[k] || high[k] + reach < lo[k]) return false;
    for (int k = 0; k < dim; k++) {
        centre[k] = 0.5 * (lo[k] + hi[k]);
        size += 0.25 * (hi[k] - lo[k]) * (hi[k] - lo[k]);
    }
    const double around = sqrt(size) + reach;
    sub3(centre, s->point, d);
    const double z = dot3(d, s->normal);
    if (s->kind == SURFACE_PLANE) return z <= around;
    across(d, s->normal, off);
    const double rho = norm3(off);
    if (s->kind == SURFACE_TUBE) {
        if (s->shell) return fabs(rho - s->radius) <= around;
        return s->outside ? rho - around <= s->radius : rho + around >= s->radius;
    }
    if (s->kind == SURFACE_RIM) return hypot(rho - s->radius, z) <= around;
    if (s->kind == SURFACE_CONE) {
        const double out = (rho - s->radius) * s->cosine - z * s->sine;
        if (s->shell) return fabs(out) <= around;
        return s->outside ? out <= around : -out <= around;
    }
    return true; /* the box around it has said all */
}

/* ---- fixed balls ---- */

double jo_fixed_time(const jo_hard *h, const double x[3], const double v[3], double r, uint32_t j,
                     double until, const double *image, bool just_met)
{
    const ball_grid *grid = &h->grid;
    const double *other = h->balls[j].x;
    double d[3], c[5];
    for (int k = 0; k < 3; k++) {
        d[k] = x[k] - other[k];
        if (image != NULL)
            d[k] -= image[k];
        else
            d[k] -= grid->period[k] * rint(d[k] * grid->per_period[k]);
    }
    const double sum = r + h->r[j];
    const int degree =
        jo_distance_polynomial(d, v, h->g, sum * growth_now(h), sum * h->scale_rate, c);
    /* A ball that has just left it: what rounding says about now does not count. */
    if (just_met && fabs(c[0]) < 1e-9 * h->diameter2 && c[1] <= 0.0) c[1] = -c[1];
    const double t = jo_first_fall(c, degree, until);
    return t <= until ? t : (double)INFINITY;
}
