/* surfaces.c — when a ball on its parabola hits a piece of a wall.
 *
 * A ball touches a plane when its centre is a radius away: a quadratic. Around a tube's axis, an edge
 * or a corner the squared distance is a polynomial of degree two, or four in gravity, whose first
 * fall to zero is found by bracketing (roots.c). A face counts where the point of contact lies
 * within it; where it does not, the edge or corner beside it is hit instead. A plane that swings is
 * approached by steps that are too short by construction: with gap f, its rate f' and a bound A on
 * |f''|, f stays positive until f + f' t - A t^2 / 2 = 0; these steps converge to the contact
 * quadratically, and never jump over one. */
#include "hard/surfaces.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hard/roots.h"
#include "narrow/vec3.h"
#include "narrow/wall.h"

enum { SWING_STEPS = 200 };
static const double two_pi = 6.283185307179586476925286766559;

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
        if (!(ahead > 1e-15 * (t + fabs(b->time)))) return rate < 0.0 ? t : (double)INFINITY;
        t += ahead;
    }
    *again = fmin(*again, fmin(t, window));
    return (double)INFINITY;
}

static double plane_time(const surface *s, const approach_to *b, double until, double *again)
{
    double shift[3] = {0}, velocity[3] = {0}, c = -b->r, rate = -b->r_rate, a = 0.0;
    if (s->swings && b->time < s->motion.stop) {
        if (b->time >= s->motion.start) {
            const double stop = s->motion.stop - b->time;
            if (stop < until) *again = fmin(*again, stop);
            return swing_time(s, b, fmin(until, stop), again);
        }
    }
    if (s->moves || s->swings) {
        motion_at(&s->motion, b->time, shift, velocity);
        const double change = b->time < s->motion.start  ? s->motion.start - b->time
                              : b->time < s->motion.stop ? s->motion.stop - b->time
                                                         : (double)INFINITY;
        if (change < until) *again = fmin(*again, change);
        until = fmin(until, change);
    }
    for (int k = 0; k < 3; k++) {
        c += s->normal[k] * (b->x[k] - s->point[k] - shift[k]);
        rate += s->normal[k] * (b->v[k] - velocity[k]);
        a += 0.5 * s->normal[k] * b->g[k];
    }
    const double t = fall(c, rate, a);
    return t <= until ? t : (double)INFINITY;
}

/* ---- round ones ---- */

/* |d + v t + g t^2 / 2|^2 - (r + rate t)^2 as a polynomial. */
static int distance_polynomial(const double d[3], const double v[3], const double g[3], double r,
                               double rate, double c[5])
{
    c[0] = dot3(d, d) - r * r;
    c[1] = 2.0 * (dot3(d, v) - r * rate);
    c[2] = dot3(v, v) + dot3(d, g) - rate * rate;
    c[3] = dot3(v, g);
    c[4] = 0.25 * dot3(g, g);
    return c[4] > 0.0 ? 4 : 2;
}

/* What is left of a vector across a unit axis. */
static void across(const double a[3], const double axis[3], double out[3])
{
    const double along = dot3(a, axis);
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - along * axis[k];
}

/* Where along the axis from the surface's point, at a time. */
static double along_at(const surface *s, const double axis[3], const approach_to *b, double t)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += axis[k] * (b->x[k] + (b->v[k] + 0.5 * b->g[k] * t) * t - s->point[k]);
    return sum;
}

static double round_time(const surface *s, const double axis[3], const approach_to *b, double until)
{
    double d[3], dd[3], v[3], g[3], c[5];
    sub3(b->x, s->point, d);
    across(d, axis, dd);
    across(b->v, axis, v);
    across(b->g, axis, g);
    const bool inside = s->kind == SURFACE_TUBE && !s->outside;
    const double r = inside ? s->radius - b->r : s->radius + b->r;
    const int degree = distance_polynomial(dd, v, g, r, inside ? -b->r_rate : b->r_rate, c);
    if (inside)
        for (int k = 0; k <= degree; k++)
            c[k] = -c[k];
    const double t = jo_first_fall(c, degree, until);
    if (!(t <= until) || isinf(s->length)) return t <= until ? t : (double)INFINITY;
    const double at = along_at(s, axis, b, t);
    return at >= 0.0 && at <= s->length ? t : (double)INFINITY;
}

static double corner_time(const surface *s, const approach_to *b, double until)
{
    double d[3], c[5];
    sub3(b->x, s->point, d);
    const int degree = distance_polynomial(d, b->v, b->g, b->r, b->r_rate, c);
    const double t = jo_first_fall(c, degree, until);
    return t <= until ? t : (double)INFINITY;
}

/* ---- faces ---- */

/* Whether the foot of x on the face's plane lies in the triangle (2D: on the segment). */
static bool on_face(const surface *s, int dim, const double x[3])
{
    double d[3];
    sub3(x, s->point, d);
    const double *u = s->along[0], *w = s->along[1];
    const double du = dot3(d, u), uu = dot3(u, u);
    if (dim == 2) return du >= 0.0 && du <= uu;
    const double dw = dot3(d, w), uw = dot3(u, w), ww = dot3(w, w), det = uu * ww - uw * uw;
    const double p = du * ww - dw * uw, q = dw * uu - du * uw;
    return p >= 0.0 && q >= 0.0 && p + q <= det;
}

static double face_time(const surface *s, int dim, const approach_to *b, double until)
{
    double c = 0.0, rate = 0.0, a = 0.0, at[3];
    for (int k = 0; k < 3; k++) {
        c += s->normal[k] * (b->x[k] - s->point[k]);
        rate += s->normal[k] * b->v[k];
        a += 0.5 * s->normal[k] * b->g[k];
    }
    const double side = c >= 0.0 ? 1.0 : -1.0;
    const double t = fall(side * c - b->r, side * rate - b->r_rate, side * a);
    if (!(t <= until)) return (double)INFINITY;
    for (int k = 0; k < 3; k++)
        at[k] = b->x[k] + (b->v[k] + 0.5 * b->g[k] * t) * t;
    return on_face(s, dim, at) ? t : (double)INFINITY;
}

double jo_surface_time(const surface *s, int dim, const approach_to *b, double until, double *again)
{
    const double t = b->time;
    if (t >= s->until) return (double)INFINITY;
    if (t < s->from) {
        if (s->from - t < until) *again = fmin(*again, s->from - t);
        return (double)INFINITY;
    }
    until = fmin(until, s->until - t);
    switch (s->kind) {
    case SURFACE_PLANE:
        return plane_time(s, b, until, again);
    case SURFACE_TUBE:
        return round_time(s, s->normal, b, until);
    case SURFACE_EDGE:
        return round_time(s, s->normal, b, until);
    case SURFACE_FACE:
        return face_time(s, dim, b, until);
    case SURFACE_CORNER:
        return corner_time(s, b, until);
    }
    return (double)INFINITY;
}

void jo_surface_contact(const surface *s, int dim, double time, const double x[3], double normal[3],
                        double velocity[3])
{
    double d[3], shift[3];
    (void)dim;
    motion_at(&s->motion, time, shift, velocity);
    sub3(x, s->point, d);
    if (s->kind == SURFACE_PLANE || s->kind == SURFACE_FACE) {
        const double side = s->kind == SURFACE_PLANE || dot3(d, s->normal) >= 0.0 ? 1.0 : -1.0;
        for (int k = 0; k < 3; k++)
            normal[k] = side * s->normal[k];
    } else if (s->kind == SURFACE_CORNER) {
        memcpy(normal, d, sizeof d);
        unit3(normal);
    } else {
        across(d, s->normal, normal);
        unit3(normal);
        if (s->kind == SURFACE_TUBE && !s->outside)
            for (int k = 0; k < 3; k++)
                normal[k] = -normal[k];
    }
    /* A wall that turns without changing its shape drags its surface along. */
    if (norm3(s->motion.spin) > 0.0 && time >= s->motion.start && time < s->motion.stop) {
        double arm[3], drag[3];
        for (int k = 0; k < 3; k++)
            arm[k] = x[k] - s->motion.pivot[k] - shift[k];
        cross3(s->motion.spin, arm, drag);
        const double off = dot3(drag, normal);
        for (int k = 0; k < 3; k++)
            velocity[k] += drag[k] - off * normal[k];
    }
}

double jo_surface_gap(const surface *s, int dim, double time, const double x[3], double r)
{
    double d[3], shift[3], velocity[3], off[3];
    if (time < s->from || time >= s->until) return (double)INFINITY;
    motion_at(&s->motion, time, shift, velocity);
    for (int k = 0; k < 3; k++)
        d[k] = x[k] - s->point[k] - shift[k];
    switch (s->kind) {
    case SURFACE_PLANE:
        return dot3(d, s->normal) - r;
    case SURFACE_FACE:
        return on_face(s, dim, x) ? fabs(dot3(d, s->normal)) - r : (double)INFINITY;
    case SURFACE_CORNER:
        return norm3(d) - r;
    case SURFACE_TUBE:
    case SURFACE_EDGE: {
        const double along = dot3(d, s->normal);
        across(d, s->normal, off);
        if (along < 0.0 || along > s->length) return (double)INFINITY;
        const double distance = norm3(off);
        return s->kind == SURFACE_TUBE && !s->outside ? s->radius - distance - r
                                                      : distance - s->radius - r;
    }
    }
    return (double)INFINITY;
}

/* ---- which cells a surface is near ---- */

bool jo_surface_near(const surface *s, int dim, const double lo[3], const double hi[3],
                     double reach)
{
    double centre[3] = {0}, half[3] = {0}, size = 0.0, d[3];
    for (int k = 0; k < dim; k++) {
        centre[k] = 0.5 * (lo[k] + hi[k]);
        half[k] = 0.5 * (hi[k] - lo[k]);
        size += half[k] * half[k];
    }
    if (s->moves) return true;
    const double around = sqrt(size) + reach + (s->swings ? norm3(s->motion.amplitude) : 0.0);
    sub3(centre, s->point, d);
    if (s->kind == SURFACE_PLANE) return dot3(d, s->normal) <= around;
    if (s->kind == SURFACE_TUBE) {
        double off[3];
        across(d, s->normal, off);
        const double distance = norm3(off);
        return s->outside ? distance - around <= s->radius : distance + around >= s->radius;
    }
    /* Faces, edges, corners: the box around them. */
    for (int k = 0; k < dim; k++) {
        const double a = s->kind == SURFACE_CORNER ? 0.0 : s->along[0][k],
                     b = s->kind == SURFACE_FACE && dim == 3 ? s->along[1][k] : 0.0;
        const double low = s->point[k] + fmin(0.0, fmin(a, b)),
                     high = s->point[k] + fmax(0.0, fmax(a, b));
        if (low - reach > hi[k] || high + reach < lo[k]) return false;
    }
    return true;
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
    const int degree = distance_polynomial(d, v, h->g, sum * growth_now(h), sum * h->scale_rate, c);
    /* A ball that has just left it: what rounding says about now does not count. */
    if (just_met && fabs(c[0]) < 1e-9 * h->diameter2 && c[1] <= 0.0) c[1] = -c[1];
    const double t = jo_first_fall(c, degree, until);
    return t <= until ? t : (double)INFINITY;
}
