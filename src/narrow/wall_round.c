/* wall_round.c — walls of revolution: cylinders, cones, and circles in 2D.
 *
 * Everything happens in the half-plane through the axis and the body's centre, with coordinates
 * (rho, z): distance from the axis, and height above the wall's point. There the side is the
 * segment from (radius, 0) to (radius_end, length), and caps are segments from the axis to its
 * ends.
 *
 * What is solid:
 *   - endless cylinders and circles have a solid side: bodies are inside or outside, and the gap of
 * a centre that got behind the surface is negative;
 *   - closed ones (caps) likewise: a container seen from inside, where a body lies against the side
 * and each cap, or a solid seen from outside, which is convex and has one nearest point, perhaps on
 * a rim;
 *   - open ones are thin shells, felt from both sides whatever `outside` says: what has run out of
 * a funnel may pile up around it. Their rims (a rim of radius 0 is the apex) are touched where the
 *     nearest point of the side is at its end.
 *
 * A ball in the tip of a cone, or on a rim it does not fit through, touches along a circle. Of that
 * circle the point next to the centre and the one opposite are reported. As the centre crosses the
 * axis the two change places, so the sum of their forces is continuous, and zero across the axis
 * when the ball is centred. The opposite point counts only for a centre on the axis' side of the
 * surface, where it can be reached.
 *
 * Primitives: 0 the side (or the whole solid), 1 and 2 the caps of a container at point and at the
 * other end. Cost: about 30 operations and two square roots. Nothing is allocated or written. */
#include "narrow/wall_shape.h"

#include <string.h>

#include "base/error.h"
#include "narrow/vec3.h"

enum {
    SIDE,
    CAP,
    RIM = CAP + 2,
    OPPOSITE_SIDE = RIM + 2,
    OPPOSITE_RIM,
    FEATURES = OPPOSITE_RIM + 2
};

/* A centre in the half-plane; u is the direction of growing rho. */
typedef struct meridian {
    double rho, z;
    double u[3];
} meridian;

/* The nearest point of a segment. */
typedef struct foot {
    double rho, z;
    int end; /* -1: within; 0 or 1: at that end */
} foot;

static meridian meridian_of(const wall_round *w, const double x[3])
{
    meridian m;
    double d[3];
    sub3(x, w->point, d);
    m.z = dot3(d, w->axis);
    along3(d, -m.z, w->axis, m.u);
    m.rho = unit3(m.u);
    if (!(m.rho > 0.0)) memcpy(m.u, w->across, sizeof m.u);
    return m;
}

static foot nearest(double rho, double z, double rho0, double z0, double rho1, double z1)
{
    const double dr = rho1 - rho0, dz = z1 - z0;
    const double t = ((rho - rho0) * dr + (z - z0) * dz) / (dr * dr + dz * dz);
    if (t <= 0.0) return (foot){rho0, z0, 0};
    if (t >= 1.0) return (foot){rho1, z1, 1};
    return (foot){rho0 + t * dr, z0 + t * dz, -1};
}

static foot nearest_on_side(const wall_round *w, double rho, double z)
{
    return nearest(rho, z, w->radius[0], 0.0, w->radius[1], w->length);
}

/* The side's unit normal towards the axis, and the height of (rho, z) above it. */
static double side_height(const wall_round *w, double rho, double z, double *normal_rho,
                          double *normal_z)
{
    const double slope = w->radius[1] - w->radius[0];
    const double size = sqrt(slope * slope + w->length * w->length);
    *normal_rho = -w->length / size;
    *normal_z = slope / size;
    return (rho - w->radius[0]) * *normal_rho + z * *normal_z;
}

/* A vector of the half-plane in space. */
static void lift(const wall_round *w, const meridian *m, double rho, double z, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = rho * m->u[k] + z * w->axis[k];
}

/* The touch with the point (rho, z), rho < 0 being opposite; `spare` is the normal where the centre
 * is that very point. */
static wall_touch point_touch(const wall_round *w, const meridian *m, double rho, double z,
                              uint32_t feature, const double spare[2])
{
    wall_touch t = {.feature = feature};
    lift(w, m, m->rho - rho, m->z - z, t.normal);
    t.gap = unit3(t.normal);
    if (!(t.gap > 0.0)) lift(w, m, spare[0], spare[1], t.normal);
    return t;
}

/* ---- the four modes: each adds touches nearer than reach ---- */

static void endless_touch(const wall_round *w, const meridian *m, double reach, wall_touch *touches,
                          size_t *count)
{
    const double sign = w->outside ? 1.0 : -1.0;
    wall_touch t = {.gap = sign * (m->rho - w->radius[0]), .feature = SIDE};
    lift(w, m, sign, 0.0, t.normal);
    if (t.gap < reach) wall_touch_add(touches, count, &t);
}

static void shell_touch(const wall_round *w, const meridian *m, double reach, wall_touch *touches,
                        size_t *count)
{
    double spare[2];
    const bool within = side_height(w, m->rho, m->z, &spare[0], &spare[1]) >= 0.0;
    if (w->outside) spare[0] = -spare[0], spare[1] = -spare[1];
    foot f = nearest_on_side(w, m->rho, m->z);
    wall_touch t = point_touch(w, m, f.rho, f.z, f.end < 0 ? SIDE : RIM + (uint32_t)f.end, spare);
    if (t.gap < reach) wall_touch_add(touches, count, &t);
    f = nearest_on_side(w, -m->rho, m->z);
    if (f.end < 0 ? !within : m->rho >= f.rho) return;
    t = point_touch(w, m, -f.rho, f.z, f.end < 0 ? OPPOSITE_SIDE : OPPOSITE_RIM + (uint32_t)f.end,
                    spare);
    if (t.gap < reach) wall_touch_add(touches, count, &t);
}

/* The side of a container: a centre behind it touches wherever it is, one before it where the foot
 * is within the side (else a cap is nearer). */
static void container_side_touch(const wall_round *w, const meridian *m, double reach,
                                 wall_touch *touches, size_t *count)
{
    for (int opposite = 0; opposite < 2; opposite++) {
        const double rho = opposite ? -m->rho : m->rho;
        double nr, nz;
        const double gap = side_height(w, rho, m->z, &nr, &nz);
        if (!(gap < reach) || (opposite && gap < 0.0)) continue;
        if (gap >= 0.0 && nearest_on_side(w, rho, m->z).end >= 0) continue;
        wall_touch t = {.gap = gap, .feature = opposite ? OPPOSITE_SIDE : SIDE};
        lift(w, m, opposite ? -nr : nr, nz, t.normal);
        wall_touch_add(touches, count, &t);
    }
}

static void container_cap_touch(const wall_round *w, const meridian *m, int end, double reach,
                                wall_touch *touches, size_t *count)
{
    wall_touch t = {.gap = end ? w->length - m->z : m->z, .feature = CAP + (uint32_t)end};
    if (!(t.gap < reach) || (t.gap >= 0.0 && m->rho > w->radius[end])) return;
    lift(w, m, 0.0, end ? -1.0 : 1.0, t.normal);
    wall_touch_add(touches, count, &t);
}

/* The touch with a solid, whatever its gap. */
static wall_touch solid_touch(const wall_round *w, const meridian *m)
{
    double spare[2];
    const double height = side_height(w, m->rho, m->z, &spare[0], &spare[1]);
    const double depth[3] = {height, m->z, w->length - m->z};
    if (height >= 0.0 && depth[1] >= 0.0 && depth[2] >= 0.0) { /* the centre is inside */
        int k = 0;
        for (int j = 1; j < 3; j++)
            if (w->radius[j - 1] > 0.0 && depth[j] < depth[k]) k = j;
        wall_touch t = {.gap = -depth[k], .feature = k == 0 ? SIDE : CAP + (uint32_t)(k - 1)};
        if (k == 0)
            lift(w, m, -spare[0], -spare[1], t.normal);
        else
            lift(w, m, 0.0, k == 1 ? -1.0 : 1.0, t.normal);
        return t;
    }
    spare[0] = -spare[0], spare[1] = -spare[1];
    const foot f = nearest_on_side(w, m->rho, m->z);
    wall_touch best =
        point_touch(w, m, f.rho, f.z, f.end < 0 ? SIDE : RIM + (uint32_t)f.end, spare);
    for (int end = 0; end < 2; end++) { /* above a cap the cap is nearest */
        if (depth[1 + end] > 0.0 || m->rho >= w->radius[end]) continue;
        best = (wall_touch){.gap = -depth[1 + end], .feature = CAP + (uint32_t)end};
        lift(w, m, 0.0, end ? 1.0 : -1.0, best.normal);
    }
    return best;
}

/* ---- the wall ---- */

size_t jo_wall_round_primitives(const wall_round *w)
{
    return w->mode == ROUND_CONTAINER ? 3 : 1;
}

size_t jo_wall_round_touch(const wall_round *w, const double x[3], double reach,
                           const uint32_t *primitives, size_t count,
                           wall_touch touches[WALL_TOUCHES])
{
    const meridian m = meridian_of(w, x);
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        if (w->mode == ROUND_ENDLESS)
            endless_touch(w, &m, reach, touches, &found);
        else if (w->mode == ROUND_SHELL)
            shell_touch(w, &m, reach, touches, &found);
        else if (w->mode == ROUND_SOLID) {
            const wall_touch t = solid_touch(w, &m);
            if (t.gap < reach) wall_touch_add(touches, &found, &t);
        } else if (primitives[k] == 0)
            container_side_touch(w, &m, reach, touches, &found);
        else if (w->radius[primitives[k] - 1] > 0.0)
            container_cap_touch(w, &m, (int)primitives[k] - 1, reach, touches, &found);
    }
    return found;
}

/* Only walls with two touches, next to the centre and opposite, have sides that change places. */
bool jo_wall_round_passed(const wall_round *w, const double from[3], const double to[3])
{
    double a[3], b[3];
    if (w->mode != ROUND_SHELL && w->mode != ROUND_CONTAINER) return false;
    sub3(from, w->point, a);
    sub3(to, w->point, b);
    return dot3(a, b) - dot3(a, w->axis) * dot3(b, w->axis) < 0.0;
}

uint32_t jo_wall_opposite(uint32_t feature)
{
    static const uint32_t opposite[FEATURES] = {OPPOSITE_SIDE,    CAP,  CAP + 1, OPPOSITE_RIM,
                                                OPPOSITE_RIM + 1, SIDE, RIM,     RIM + 1};
    return feature < FEATURES ? opposite[feature] : feature;
}

/* A gap below which nothing of the primitive is: lists may hold a few too many. */
static double least_gap(const wall_round *w, const meridian *m, uint32_t primitive)
{
    double nr, nz;
    switch (w->mode) {
    case ROUND_ENDLESS:
        return w->outside ? m->rho - w->radius[0] : w->radius[0] - m->rho;
    case ROUND_SHELL: {
        const foot f = nearest_on_side(w, m->rho, m->z);
        return hypot(m->rho - f.rho, m->z - f.z);
    }
    case ROUND_SOLID:
        return solid_touch(w, m).gap;
    case ROUND_CONTAINER:
        break;
    }
    if (primitive == 0) return side_height(w, m->rho, m->z, &nr, &nz);
    return primitive == 1 ? m->z : w->length - m->z;
}

size_t jo_wall_round_near(const wall_round *w, const double x[3], double reach,
                          uint32_t *primitives, size_t room)
{
    const meridian m = meridian_of(w, x);
    size_t found = 0;
    for (uint32_t k = 0; k < jo_wall_round_primitives(w); k++)
        if (least_gap(w, &m, k) <= reach) {
            if (found < room) primitives[found] = k;
            found++;
        }
    return found;
}

static jo_status check(const jo_wall *wall, int dim, jo_error *error)
{
    const bool cone = wall->kind == JO_WALL_CONE;
    const char *what = cone ? "cone" : "cylinder";
    if (cone && dim == 2)
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s': a cone exists in 3D only; in 2D two planes or a "
                       "chain of segments make a funnel",
                       wall->name);
    if (!isfinite(wall->radius) || wall->radius < 0.0 || (!cone && wall->radius == 0.0))
        return jo_fail(error, JO_ERR_DATA, "wall '%s': the radius of a %s must be %s, but is %.17g",
                       wall->name, what, cone ? "0 or more" : "above 0", wall->radius);
    if (cone && (!isfinite(wall->radius_end) || wall->radius_end < 0.0 ||
                 wall->radius + wall->radius_end == 0.0))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s': the radii of a cone must be 0 or more and not "
                       "both 0, but are %.17g and %.17g",
                       wall->name, wall->radius, wall->radius_end);
    if (dim == 2) return JO_OK;
    const double axis = norm3(wall->axis);
    if (!(axis > 0.0) || !isfinite(axis))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s': the axis of a %s must be a vector that is not "
                       "zero",
                       wall->name, what);
    if (!(wall->length > 0.0) || (isinf(wall->length) && (cone || wall->caps)))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s': the length of a %s must be above 0%s, but is "
                       "%.17g",
                       wall->name, what, cone || wall->caps ? " and finite" : "", wall->length);
    return JO_OK;
}

jo_status jo_wall_round_make(const jo_wall *wall, int dim, wall_round *w, jo_error *error)
{
    const jo_status status = check(wall, dim, error);
    if (status != JO_OK) return status;
    *w = (wall_round){.outside = wall->outside, .axis = {0.0, 0.0, 1.0}};
    memcpy(w->point, wall->point, sizeof w->point);
    if (dim == 2)
        w->point[2] = 0.0;
    else
        memcpy(w->axis, wall->axis, sizeof w->axis);
    unit3(w->axis);
    w->radius[0] = wall->radius;
    w->radius[1] = wall->kind == JO_WALL_CONE ? wall->radius_end : wall->radius;
    w->length = wall->length;
    if (dim == 2 || isinf(wall->length))
        w->mode = ROUND_ENDLESS;
    else if (!wall->caps)
        w->mode = ROUND_SHELL;
    else
        w->mode = wall->outside ? ROUND_SOLID : ROUND_CONTAINER;
    int thin = 0; /* the axis' smallest component: crossing with it is well conditioned */
    for (int k = 1; k < 3; k++)
        if (fabs(w->axis[k]) < fabs(w->axis[thin])) thin = k;
    double e[3] = {0.0, 0.0, 0.0};
    e[thin] = 1.0;
    cross3(w->axis, e, w->across);
    unit3(w->across);
    return JO_OK;
}
