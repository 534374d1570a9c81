/* surface_pieces.c — when a ball on its parabola hits a piece of a wall that is at rest.
 *
 * For each piece there is a polynomial of time that is positive while the ball is off the piece's
 * endless continuation (of a side of a cone: both cones; of a triangle: its plane) and falls through
 * zero as they meet:
 *   tube, edge, corner   |across|^2 - (R + r)^2             degree 2, in gravity 4
 *   cone                 |across|^2 - (radius there + r / cos)^2   2, 4
 *   rim                  (|d|^2 + R^2 - r^2)^2 - 4 R^2 |across|^2     4, 8: the torus around the circle
 *   face, disc           height - r                          1, 2
 * The zeros at which it falls are found in order by bracketing (roots.c), so none is missed, and the
 * first at which the ball is at the piece itself is the hit: its distance there, from geometry alone,
 * must be the ball's radius. So a ball that passes beside a piece and falls back on it is found, and
 * what the polynomial says of the other cone, or of a ball on the other side of a thin wall, is not
 * taken for a hit. Where the ball is off the piece but its nearest point lies beyond it, the next
 * smaller piece (edge, rim, corner) is hit instead; borders belong to both.
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
    const double du = dot3(d, u), uu = dot3(u, u);
    if (dim == 2) return du >= 0.0 && du <= uu;
    const double dw = dot3(d, w), uw = dot3(u, w), ww = dot3(w, w), det = uu * ww - uw * uw;
    const double p = du * ww - dw * uw, q = dw * uu - du * uw;
    return p >= 0.0 && q >= 0.0 && p + q <= det;
}

static double cone_distance(const surface *s, double rho, double z)
{
    const double out = (rho - s->radius) * s->cosine - z * s->sine;
    const double foot = (rho - s->radius) * s->sine + z * s->cosine;
    if (!isinf(s->length) && !(foot >= 0.0 && foot * s->cosine <= s->length))
        return (double)INFINITY;
    return s->outside ? out : -out;
}

double jo_piece_distance(const surface *s, int dim, const double x[3])
{
    double d[3], off[3];
    sub3(x, s->point, d);
    const double z = dot3(d, s->normal);
    if (s->kind == SURFACE_CORNER) return norm3(d);
    if (s->kind == SURFACE_PLANE) return z;
    if (s->kind == SURFACE_FACE) return on_face(s, dim, d) ? fabs(z) : (double)INFINITY;
    across(d, s->normal, off);
    const double rho = norm3(off);
    switch (s->kind) {
    case SURFACE_DISC:
        return rho <= s->radius ? z : (double)INFINITY;
    case SURFACE_RIM:
        return hypot(rho - s->radius, z);
    case SURFACE_CONE:
        return cone_distance(s, rho, z);
    default: /* tube, edge */
        if (!isinf(s->length) && !(z >= 0.0 && z <= s->length)) return (double)INFINITY;
        return s->kind == SURFACE_EDGE ? rho : s->outside ? rho - s->radius : s->radius - rho;
    }
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

static void turn_sign(double *c, int degree)
{
    for (int k = 0; k <= degree; k++)
        c[k] = -c[k];
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
    const int degree = jo_distance_polynomial(m.d, m.v, m.g, r, inside ? -b->r_rate : b->r_rate, c);
    if (inside) turn_sign(c, degree);
    return degree;
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
    if (!s->outside) turn_sign(c, 4);
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
    memset(c, 0, (JO_FALLS_DEGREE + 1) * sizeof *c);
    for (int i = 0; i <= degree; i++) {
        c[i] -= 4.0 * s->radius * s->radius * off[i];
        for (int j = 0; j <= degree; j++)
            c[i + j] += near[i] * near[j];
    }
    return 2 * degree;
}

/* Height above it, from the side given, less the ball's radius. */
static int flat_polynomial(const surface *s, const approach_to *b, double side, double *c)
{
    double d[3];
    sub3(b->x, s->point, d);
    c[0] = side * dot3(d, s->normal) - b->r;
    c[1] = side * dot3(b->v, s->normal) - b->r_rate;
    c[2] = side * 0.5 * dot3(b->g, s->normal);
    return 2;
}

/* ---- when ---- */

/* How far off a ball may be that touches: polynomials round, and so do their roots. */
static double slack(const surface *s, const approach_to *b)
{
    double d[3];
    sub3(b->x, s->point, d);
    return 1e-6 * b->r + 1e-12 * (dot3(d, d) + s->radius * s->radius) / b->r;
}

/* Improves a root of a polynomial of high degree by the distance itself. */
static double polish(const surface *s, int dim, const approach_to *b, double t, double until)
{
    for (int step = 0; step < 3; step++) {
        double x[3], normal[3], rate = -b->r_rate;
        place_at(b, t, x);
        const double off = jo_piece_distance(s, dim, x) - b->r - b->r_rate * t;
        jo_piece_normal(s, x, normal);
        for (int k = 0; k < 3; k++)
            rate += normal[k] * (b->v[k] + b->g[k] * t);
        const double next = t - off / rate;
        /* A grazing hit is as good as it is. */
        if (!(rate < 0.0) || !(fabs(off) < 1e-6 * b->r) || !(next >= 0.0 && next <= until))
            return t;
        if (next == t) return t;
        t = next;
    }
    return t;
}

/* The first fall at which the ball is at the piece; side: of a face, which of them, else 0. */
static double first_hit(const surface *s, int dim, const approach_to *b, double until,
                        const double *c, int degree, double side)
{
    double found[JO_FALLS_DEGREE];
    const int count = jo_falls(c, degree, until, found);
    const double most = slack(s, b);
    for (int k = 0; k < count; k++) {
        const double t = found[k];
        double x[3], d[3];
        place_at(b, t, x);
        sub3(x, s->point, d);
        if (side != 0.0 && !(side * dot3(d, s->normal) > 0.0)) continue;
        const double off = jo_piece_distance(s, dim, x) - b->r - b->r_rate * t;
        if (!(fabs(off) <= most)) continue;
        return s->kind == SURFACE_RIM ? polish(s, dim, b, t, until) : t;
    }
    return (double)INFINITY;
}

double jo_piece_time(const surface *s, int dim, const approach_to *b, double until)
{
    double c[JO_FALLS_DEGREE + 1], d[3];
    int degree;
    switch (s->kind) {
    case SURFACE_FACE: {
        const double up = first_hit(s, dim, b, until, c, flat_polynomial(s, b, 1.0, c), 1.0);
        return fmin(up,
                    first_hit(s, dim, b, fmin(until, up), c, flat_polynomial(s, b, -1.0, c), -1.0));
    }
    case SURFACE_DISC:
        degree = flat_polynomial(s, b, 1.0, c);
        break;
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
    return first_hit(s, dim, b, until, c, degree, 0.0);
}
