/* wall_oracle.c — distances from walls, from their descriptions. */
#include "support/wall_oracle.h"

#include <math.h>

static const real two_pi = 6.28318530717958647692528676655900577L;

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- motion ---- */

static real clock_of(const jo_motion *m, real t)
{
    if (t > (real)m->stop) t = (real)m->stop;
    return t > (real)m->start ? t - (real)m->start : 0.0L;
}

void oracle_velocity(const jo_wall *w, real t, real v[3])
{
    const jo_motion *m = &w->motion;
    const real angle = two_pi * (real)m->frequency * clock_of(m, t) + (real)m->phase;
    const bool moving = t >= (real)m->start && t < (real)m->stop;
    for (int k = 0; k < 3; k++)
        v[k] = moving ? (real)m->velocity[k] +
                            (real)m->amplitude[k] * two_pi * (real)m->frequency * cosl(angle)
                      : 0.0L;
}

real oracle_speed(const jo_wall *w)
{
    const jo_motion *m = &w->motion;
    real v = 0.0L, a = 0.0L;
    for (int k = 0; k < 3; k++) {
        v += (real)m->velocity[k] * (real)m->velocity[k];
        a += (real)m->amplitude[k] * (real)m->amplitude[k];
    }
    return sqrtl(v) + two_pi * (real)m->frequency * sqrtl(a);
}

/* ---- shapes, all at rest; p is relative to nothing ---- */

/* Of the segment from (x0, y0) to (x1, y1) in a plane. */
static real from_segment(real x, real y, real x0, real y0, real x1, real y1)
{
    const real dx = x1 - x0, dy = y1 - y0;
    real s = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy);
    s = s < 0.0L ? 0.0L : s > 1.0L ? 1.0L : s;
    return hypotl(x - x0 - s * dx, y - y0 - s * dy);
}

static real from_round(const jo_wall *w, int dim, const real p[3])
{
    real axis[3] = {0.0L, 0.0L, 1.0L}, d[3], off2 = 0.0L;
    for (int k = 0; k < 3; k++) {
        if (dim == 3) axis[k] = (real)w->axis[k];
        d[k] = dim == 2 && k == 2 ? 0.0L : p[k] - (real)w->point[k];
    }
    const real z = dot(d, axis);
    for (int k = 0; k < 3; k++)
        off2 += (d[k] - z * axis[k]) * (d[k] - z * axis[k]);
    const real rho = sqrtl(off2), r0 = (real)w->radius,
               r1 = w->kind == JO_WALL_CONE ? (real)w->radius_end : r0, length = (real)w->length;
    if (dim == 2 || isinf(w->length)) return w->outside ? rho - r0 : r0 - rho;
    const real side = from_segment(rho, z, r0, 0.0L, r1, length);
    if (!w->caps) return side;
    /* The section through the axis is a trapezium; its border without the axis is the wall. */
    real least = side;
    if (r0 > 0.0L) least = fminl(least, from_segment(rho, z, 0.0L, 0.0L, r0, 0.0L));
    if (r1 > 0.0L) least = fminl(least, from_segment(rho, z, 0.0L, length, r1, length));
    const bool within = z >= 0.0L && z <= length && rho <= r0 + (r1 - r0) * z / length;
    return within == w->outside ? -least : least;
}

static real from_box(const jo_wall *w, int dim, const real p[3])
{
    real outside2 = 0.0L, inside = (real)INFINITY;
    for (int k = 0; k < dim; k++) {
        const real below = (real)w->lo[k] - p[k], above = p[k] - (real)w->hi[k];
        const real out = fmaxl(0.0L, fmaxl(below, above));
        outside2 += out * out;
        inside = fminl(inside, fminl(-below, -above));
    }
    const real out = inside >= 0.0L ? -inside : sqrtl(outside2);
    return w->outside ? out : -out;
}

/* Of a triangle: from its plane where the foot is within, else from the nearest of its sides. */
static real from_triangle(const double *t, const real p[3])
{
    real a[3][3], n[3], least = (real)INFINITY;
    for (int k = 0; k < 9; k++)
        a[k / 3][k % 3] = (real)t[k];
    real u[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = a[1][k] - a[0][k];
        w[k] = a[2][k] - a[0][k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
    bool within = true;
    for (int e = 0; e < 3; e++) {
        real side[3], d[3], in[3], foot = 0.0L, far = 0.0L;
        for (int k = 0; k < 3; k++) {
            side[k] = a[(e + 1) % 3][k] - a[e][k];
            d[k] = p[k] - a[e][k];
        }
        for (int k = 0; k < 3; k++)
            in[k] = n[(k + 1) % 3] * side[(k + 2) % 3] - n[(k + 2) % 3] * side[(k + 1) % 3];
        within = within && dot(in, d) >= 0.0L;
        foot = dot(d, side) / dot(side, side);
        foot = foot < 0.0L ? 0.0L : foot > 1.0L ? 1.0L : foot;
        for (int k = 0; k < 3; k++)
            far += (d[k] - foot * side[k]) * (d[k] - foot * side[k]);
        least = fminl(least, sqrtl(far));
    }
    if (!within) return least;
    real height = 0.0L;
    for (int k = 0; k < 3; k++)
        height += n[k] * (p[k] - a[0][k]);
    return fabsl(height) / sqrtl(dot(n, n));
}

static real from_mesh(const jo_wall *w, int dim, const real p[3])
{
    real least = (real)INFINITY;
    for (size_t k = 0; k < w->triangle_count; k++) {
        const double *t = w->triangles + (dim == 2 ? 4 : 9) * k;
        least = fminl(least, dim == 2 ? from_segment(p[0], p[1], (real)t[0], (real)t[1], (real)t[2],
                                                     (real)t[3])
                                      : from_triangle(t, p));
    }
    return least;
}

real oracle_distance(const jo_wall *w, int dim, real t, const real x[3])
{
    const jo_motion *m = &w->motion;
    const real s = clock_of(m, t), swing = sinl(two_pi * (real)m->frequency * s + (real)m->phase);
    real p[3], height = 0.0L;
    for (int k = 0; k < 3; k++)
        p[k] = x[k] - (real)m->velocity[k] * s - (real)m->amplitude[k] * swing;
    switch (w->kind) {
    case JO_WALL_PLANE:
        for (int k = 0; k < 3; k++)
            height += (real)w->normal[k] * (p[k] - (real)w->point[k]);
        return height;
    case JO_WALL_BOX:
        return from_box(w, dim, p);
    case JO_WALL_MESH:
        return from_mesh(w, dim, p);
    default:
        return from_round(w, dim, p);
    }
}
