/* surface_pieces.c — when a ball on its parabola hits a piece of a wall that is at rest.
 *
 * A piece is part of something endless: of a plane, of a tube, of one cone, of the torus around a
 * rim. The distance of the ball's centre from that, less its radius, is the height h(t); a hit is a
 * zero at which h falls and the nearest point lies on the piece. Where it lies beyond, the next
 * smaller piece (edge, rim, corner) is hit instead; borders belong to both.
 *
 * Heights above round things have roots in them, but there is a polynomial p whose zeros are those
 * of h (and more: those of the other side, of the other cone): tube, edge, corner   |across|^2 - (R
 * + r)^2                    degree 2, in gravity 4 cone                 |across|^2 - (radius there
 * + r / cos)^2          2, 4 rim                  (|d|^2 + R^2 - r^2)^2 - 4 R^2 |across|^2 4, 8
 * Where p turns is found by bracketing (roots.c); between two turns p is monotone, so that h
 * changes its sign at most once there, and does not touch zero and come back. So h at the turns
 * tells in which stretch it falls through zero, and is solved there: no hit is missed, also where p
 * has a double zero without a change of sign (a ball on the axis of a ring, or in the tip of a
 * cone), and none is taken for one that is a zero of p alone. All falls are looked at in order: a
 * ball may pass beside a piece and fall back on it.
 *
 * What is thin has two sides: tubes and cones as two pieces, faces as one. */
#include <string.h>

#include "hard/roots.h"
#include "hard/surfaces.h"
#include "narrow/vec3.h"

/* What is left of a vector across a unit axis. */
static void across(const double a[3], const double axis[3], double out[3])
{
    along3(a, -dot3(a, axis), axis, out);
}

static void place_at(const approach_to *b, double t, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = b->x[k] + (b->v[k] + 0.5 * b->g[k] * t) * t;
}

/* ---- where ---- */

/* Whether the foot of x on the face's plane lies in the triangle (2D: on the segment). */
static bool on_face(const surface *s, int dim, const double d[3])
{
    const double *u = s->along[0], *w = s->along[1];
    if (dim == 2) return dot3(d, u) >= 0.0 && dot3(d, u) <= dot3(u, u);
    /* Areas as seen along the normal: for needles, too, these keep their digits. */
    double uw[3], dw[3], ud[3];
    cross3(u, w, uw);
    cross3(d, w, dw);
    cross3(u, d, ud);
    const double p = dot3(dw, s->normal), q = dot3(ud, s->normal);
    return p >= 0.0 && q >= 0.0 && p + q <= dot3(uw, s->normal);
}

/* Where a centre is as seen along the axis. */
typedef struct meridian {
    double rho, z;
} meridian;

static meridian meridian_of(const surface *s, const double d[3])
{
    double off[3];
    across(d, s->normal, off);
    return (meridian){norm3(off), dot3(d, s->normal)};
}

/* Distance from the endless thing that a piece is part of; d leads from the piece's point. */
static double endless_distance(const surface *s, const double d[3])
{
    if (s->kind == SURFACE_CORNER) return norm3(d);
    const meridian m = meridian_of(s, d);
    double out;
    switch (s->kind) {
    case SURFACE_PLANE:
    case SURFACE_DISC:
        return m.z;
    case SURFACE_FACE:
        return fabs(m.z);
    case SURFACE_RIM:
        return hypot(m.rho - s->radius, m.z);
    case SURFACE_CONE:
        out = (m.rho - s->radius) * s->cosine - m.z * s->sine;
        return s->outside ? out : -out;
    case SURFACE_TUBE:
        return s->outside ? m.rho - s->radius : s->radius - m.rho;
    default:
        return m.rho;
    }
}

/* Whether the nearest point of that is on the piece. */
static bool is_on_piece(const surface *s, int dim, const double d[3])
{
    if (s->kind == SURFACE_FACE) return on_face(s, dim, d);
    if (s->kind != SURFACE_DISC && isinf(s->length)) return true;
    const meridian m = meridian_of(s, d);
    if (s->kind == SURFACE_DISC) return m.rho <= s->radius;
    if (s->kind != SURFACE_CONE) return m.z >= 0.0 && m.z <= s->length;
    const double foot = (m.rho - s->radius) * s->sine + m.z * s->cosine;
    return foot >= 0.0 && foot * s->cosine <= s->length;
}

double jo_piece_distance(const surface *s, int dim, const double x[3])
{
    double d[3];
    sub3(x, s->point, d);
    return is_on_piece(s, dim, d) ? endless_distance(s, d) : (double)INFINITY;
}

void jo_piece_normal(const surface *s, const double x[3], double normal[3])
{
    double d[3], off[3];
    sub3(x, s->point, d);
    const double z = dot3(d, s->normal);
    if (s->kind == SURFACE_CORNER) {
        memcpy(normal, d, sizeof d);
        unit3(normal);
        return;
    }
    across(d, s->normal, off);
    const double rho = unit3(off);
    double radial = 0.0, axial = 1.0;
    if (s->kind == SURFACE_FACE) {
        axial = z >= 0.0 ? 1.0 : -1.0;
    } else if (s->kind == SURFACE_RIM) {
        radial = rho - s->radius;
        axial = z;
    } else if (s->kind == SURFACE_CONE) {
        radial = s->outside ? s->cosine : -s->cosine;
        axial = s->outside ? -s->sine : s->sine;
    } else if (s->kind == SURFACE_TUBE || s->kind == SURFACE_EDGE) {
        radial = s->kind == SURFACE_EDGE || s->outside ? 1.0 : -1.0;
        axial = 0.0;
    }
    for (int k = 0; k < 3; k++)
        normal[k] = radial * off[k] + axial * s->normal[k];
    unit3(normal);
}

bool jo_piece_bounds(const surface *s, int dim, double lo[3], double hi[3])
{
    const bool round = s->kind == SURFACE_TUBE || s->kind == SURFACE_CONE ||
                       s->kind == SURFACE_RIM || s->kind == SURFACE_DISC;
    if (s->kind == SURFACE_PLANE ||
        ((s->kind == SURFACE_TUBE || s->kind == SURFACE_CONE) && isinf(s->length)))
        return false;
    for (int k = 0; k < 3; k++) {
        const double a = s->point[k];
        lo[k] = hi[k] = a;
        if (round) {
            /* A circle of radius R across the axis reaches R sqrt(1 - axis_k^2) along k. */
            const double tilt = sqrt(fmax(1.0 - s->normal[k] * s->normal[k], 0.0));
            const bool side = s->kind == SURFACE_TUBE || s->kind == SURFACE_CONE;
            const double b = side ? a + s->length * s->normal[k] : a;
            const double wide = side && s->kind == SURFACE_CONE
                                    ? s->radius + s->length * s->sine / s->cosine
                                    : s->radius;
            lo[k] = fmin(a - s->radius * tilt, b - wide * tilt);
            hi[k] = fmax(a + s->radius * tilt, b + wide * tilt);
            continue;
        }
        for (int j = 0; j < 2; j++) {
            if (s->kind == SURFACE_CORNER || (j == 1 && (s->kind == SURFACE_EDGE || dim == 2)))
                continue;
            lo[k] = fmin(lo[k], a + s->along[j][k]);
            hi[k] = fmax(hi[k], a + s->along[j][k]);
        }
    }
    return true;
}

/* ---- when, as polynomials ---- */

int jo_distance_polynomial(const double d[3], const double v[3], const double g[3], double r,
                           double rate, double c[5])
{
    c[0] = dot3(d, d) - r * r;
    c[1] = 2.0 * (dot3(d, v) - r * rate);
    c[2] = dot3(v, v) + dot3(d, g) - rate * rate;
    c[3] = dot3(v, g);
    c[4] = 0.25 * dot3(g, g);
    return c[4] > 0.0 ? 4 : 2;
}

/* Parts of the motion across the axis. */
typedef struct crosswise {
    double d[3], v[3], g[3];
    double z, vz, gz; /* and along it */
} crosswise;

static crosswise seen_along(const surface *s, const approach_to *b)
{
    crosswise c;
    double d[3];
    sub3(b->x, s->point, d);
    across(d, s->normal, c.d);
    across(b->v, s->normal, c.v);
    across(b->g, s->normal, c.g);
    c.z = dot3(d, s->normal);
    c.vz = dot3(b->v, s->normal);
    c.gz = dot3(b->g, s->normal);
    return c;
}

static int tube_polynomial(const surface *s, const approach_to *b, double *c)
{
    const crosswise m = seen_along(s, b);
    const bool inside = s->kind == SURFACE_TUBE && !s->outside;
    const double radius = s->kind == SURFACE_TUBE ? s->radius : 0.0;
    const double r = inside ? radius - b->r : radius + b->r;
    return jo_distance_polynomial(m.d, m.v, m.g, r, inside ? -b->r_rate : b->r_rate, c);
}

static int cone_polynomial(const surface *s, const approach_to *b, double *c)
{
    const crosswise m = seen_along(s, b);
    const double slope = s->sine / s->cosine, side = s->outside ? 1.0 : -1.0;
    /* How far from the axis a ball that touches is: l0 + l1 t + l2 t^2. */
    const double l0 = s->radius + slope * m.z + side * b->r / s->cosine,
                 l1 = slope * m.vz + side * b->r_rate / s->cosine, l2 = 0.5 * slope * m.gz;
    jo_distance_polynomial(m.d, m.v, m.g, 0.0, 0.0, c);
    c[0] -= l0 * l0;
    c[1] -= 2.0 * l0 * l1;
    c[2] -= l1 * l1 + 2.0 * l0 * l2;
    c[3] -= 2.0 * l1 * l2;
    c[4] -= l2 * l2;
    return 4;
}

static int rim_polynomial(const surface *s, const approach_to *b, double *c)
{
    double d[3], near[5], off[5];
    const crosswise m = seen_along(s, b);
    sub3(b->x, s->point, d);
    const int degree = jo_distance_polynomial(d, b->v, b->g, b->r, b->r_rate, near);
    jo_distance_polynomial(m.d, m.v, m.g, 0.0, 0.0, off);
    near[0] += s->radius * s->radius;
    memset(c, 0, (JO_DEGREE_MAX + 1) * sizeof *c);
    for (int i = 0; i <= degree; i++) {
        c[i] -= 4.0 * s->radius * s->radius * off[i];
        for (int j = 0; j <= degree; j++)
            c[i + j] += near[i] * near[j];
    }
    return 2 * degree;
}

/* ---- when ---- */

/* How deep a ball may be by rounding where it touches. */
static double slack(const surface *s, const approach_to *b)
{
    double d[3];
    sub3(b->x, s->point, d);
    return 1e-6 * b->r + 1e-12 * (dot3(d, d) + s->radius * s->radius) / b->r;
}

static double height_at(const surface *s, const approach_to *b, double t)
{
    double x[3], d[3];
    place_at(b, t, x);
    sub3(x, s->point, d);
    return endless_distance(s, d) - b->r - b->r_rate * t;
}

static double rate_at(const surface *s, const approach_to *b, double t)
{
    double x[3], normal[3], rate = -b->r_rate;
    place_at(b, t, x);
    jo_piece_normal(s, x, normal);
    for (int k = 0; k < 3; k++)
        rate += normal[k] * (b->v[k] + b->g[k] * t);
    return rate;
}

static bool hits_at(const surface *s, int dim, const approach_to *b, double t)
{
    double x[3], d[3];
    place_at(b, t, x);
    sub3(x, s->point, d);
    return is_on_piece(s, dim, d);
}

/* The zero of the height between lo, where it is above, and hi, where it is not: Newton's steps as
 * long as they stay between, else halves. */
static double landing(const surface *s, const approach_to *b, double lo, double hi)
{
    double t = hi;
    for (int step = 0; step < 200; step++) {
        const double h = height_at(s, b, t);
        if (h > 0.0)
            lo = t;
        else
            hi = t;
        const double newton = t - h / rate_at(s, b, t);
        const double next = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
        if (next <= lo || next >= hi || fabs(next - t) <= 1e-16 * t) return next;
        t = next;
    }
    return t;
}

/* Whether it is off the piece, or touches within `deepest` and does not come nearer. */
static bool is_above(const surface *s, const approach_to *b, double t, double deepest)
{
    const double h = height_at(s, b, t);
    return h > 0.0 || (h >= -deepest && rate_at(s, b, t) >= 0.0);
}

/* Whether the plane of the ball's parabola passes the piece by: the usual case, and cheap to
 * see. */
static bool flies_past(const surface *s, const approach_to *b)
{
    double plane[3], d[3];
    if (b->r_rate != 0.0 || s->kind == SURFACE_TUBE || s->kind == SURFACE_CONE) return false;
    cross3(b->v, b->g, plane);
    if (!(unit3(plane) > 1e-6 * norm3(b->v) * norm3(b->g))) return false; /* or a line, no plane */
    sub3(s->point, b->x, d);
    const double one = dot3(d, plane),
                 two = s->kind == SURFACE_EDGE ? one + dot3(s->along[0], plane) : one;
    const double reach = b->r + s->radius + 1e-9 * (b->r + norm3(d) + fabs(two - one));
    return fmin(one, two) > reach || fmax(one, two) < -reach;
}

/* The first hit of a round piece, whose polynomial is c. */
static double round_time(const surface *s, int dim, const approach_to *b, double until,
                         const double *c, int degree)
{
    double turn[JO_DEGREE_MAX + 1], lo = 0.0, d[3];
    const double deepest = slack(s, b);
    bool above = is_above(s, b, 0.0, deepest);
    if (!above && height_at(s, b, 0.0) >= -deepest && hits_at(s, dim, b, 0.0)) return 0.0;
    /* What has just been left may be at its double zero still, to rounding. */
    sub3(b->x, s->point, d);
    const double rounding = 1e-14 * (norm3(d) + s->radius + b->r);
    const int turns = jo_turns(c, degree, until, turn);
    for (int k = 0; k < turns; k++) {
        const double hi = turn[k];
        const bool above_then = is_above(s, b, hi, rounding);
        if (above && !above_then) {
            const double t = landing(s, b, lo, hi);
            if (t <= until && hits_at(s, dim, b, t)) return t;
        }
        above = above_then;
        lo = hi;
    }
    return (double)INFINITY;
}

/* The first hit of a flat one from a side: a height of at most second degree, one fall. */
static double flat_time(const surface *s, int dim, const approach_to *b, double until, double side)
{
    double d[3], x[3];
    sub3(b->x, s->point, d);
    const double c[3] = {side * dot3(d, s->normal) - b->r, side * dot3(b->v, s->normal) - b->r_rate,
                         side * 0.5 * dot3(b->g, s->normal)};
    const double t = jo_first_fall(c, 2, until);
    if (isinf(t)) return t;
    place_at(b, t, x);
    sub3(x, s->point, d);
    const double off = side * dot3(d, s->normal) - b->r - b->r_rate * t;
    /* From far behind it seems to fall at once, and is not there. */
    return fabs(off) <= slack(s, b) && is_on_piece(s, dim, d) ? t : (double)INFINITY;
}

double jo_piece_time(const surface *s, int dim, const approach_to *b, double until)
{
    double c[JO_DEGREE_MAX + 1], d[3];
    int degree;
    if (s->kind != SURFACE_FACE && s->kind != SURFACE_DISC && flies_past(s, b))
        return (double)INFINITY;
    switch (s->kind) {
    case SURFACE_FACE: {
        const double up = flat_time(s, dim, b, until, 1.0);
        return fmin(up, flat_time(s, dim, b, until, -1.0));
    }
    case SURFACE_DISC:
        return flat_time(s, dim, b, until, 1.0);
    case SURFACE_RIM:
        degree = rim_polynomial(s, b, c);
        break;
    case SURFACE_CONE:
        degree = cone_polynomial(s, b, c);
        break;
    case SURFACE_CORNER:
        sub3(b->x, s->point, d);
        degree = jo_distance_polynomial(d, b->v, b->g, b->r, b->r_rate, c);
        break;
    default:
        degree = tube_polynomial(s, b, c);
        break;
    }
    return round_time(s, dim, b, until, c, degree);
}
