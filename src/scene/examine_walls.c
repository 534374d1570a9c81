/* examine_walls.c — walls: their shapes, motions and servos, and whether they exclude each
 * other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/examiner.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The radius of the largest sphere inside a body of that shape, for a radius of 1. */
static double inner_radius(const jo_scene *s, uint32_t shape)
{
    if (shape >= s->shape_count) return 1.0; /* a sphere */
    const jo_polyhedron_view v = jo_polyhedron_look(s->shapes[shape]);
    return v.inradius / v.radius;
}

static double smallest_listed(const jo_scene *s, const jo_population *p)
{
    double smallest = (double)INFINITY;
    for (size_t i = 0; i < p->n && p->r != NULL; i++) {
        const uint32_t shape = p->shape != NULL ? p->shape[i] : JO_NO_SHAPE;
        smallest = fmin(smallest, p->r[i] * inner_radius(s, shape));
    }
    return smallest;
}

static double smallest_drawn(const jo_scene *s, const jo_group *g)
{
    double share = 1.0;
    for (size_t k = g->shape; k < s->shape_count && k - g->shape < g->shapes; k++)
        share = fmin(share, inner_radius(s, (uint32_t)k));
    return share * jo_sizes_smallest(&g->sizes);
}

/* The smallest radius of a sphere that a body holds, of all bodies that the scene describes by
 * itself; 0 if there are none, or if nothing is known of some. Where even that has no room, no body
 * has. */
static double smallest_body(const jo_scene *s)
{
    double smallest = (double)INFINITY;
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        if (g->kind == JO_GROUP_FILE || g->polygon.given) return 0.0;
        smallest = fmin(smallest, g->kind == JO_GROUP_EXPLICIT ? smallest_listed(s, &g->listed)
                                                               : smallest_drawn(s, g));
    }
    return isinf(smallest) ? 0.0 : smallest;
}

static void examine_plane(examiner *e, const jo_wall *w, const char *who)
{
    const jo_scene *s = e->scene;
    if (!jo_is_finite3(w->point) || !jo_is_unit3(w->normal)) {
        jo_complain(e, "wall %s needs a finite point and a normal of length 1", who);
        return;
    }
    for (int a = 0; a < s->dim; a++)
        if (s->domain.periodic[a] && w->normal[a] != 0.0)
            jo_complain(
                e,
                "wall %s is a plane across %c, which is periodic: bodies would come through it "
                "from the other side",
                who, "xyz"[a]);
    if (s->dim == 2 && w->normal[2] != 0.0)
        jo_complain(e, "wall %s has a normal out of the plane of a scene of dimension 2", who);
}

static void examine_box(examiner *e, const jo_wall *w, const char *who, double smallest)
{
    for (int a = 0; a < e->scene->dim; a++) {
        if (!(w->lo[a] < w->hi[a])) {
            jo_complain(e, "wall %s has lo %g and hi %g along %c; lo must be below hi", who,
                        w->lo[a], w->hi[a], "xyz"[a]);
            return;
        }
        if (!w->outside && w->hi[a] - w->lo[a] < 2.0 * smallest)
            jo_complain(
                e, "wall %s is %g wide along %c inside, less than the smallest body is thick, %g",
                who, w->hi[a] - w->lo[a], "xyz"[a], 2.0 * smallest);
        if (e->scene->domain.periodic[a] && !w->outside)
            jo_warn(e, "wall %s closes %c, which is periodic: nothing can pass there", who,
                    "xyz"[a]);
    }
    if (!jo_is_finite3(w->lo) || !jo_is_finite3(w->hi))
        jo_complain(e, "wall %s must be finite", who);
}

/* Bodies may be around a thin wall instead, or block it. */
static void examine_narrow(examiner *e, const jo_wall *w, const char *who, double most,
                           double smallest)
{
    const bool thin = e->scene->dim == 3 && !w->caps && isfinite(w->length);
    (thin ? jo_warn
          : jo_complain)(e, "wall %s is %g wide inside, less than the smallest body is thick, %g",
                         who, 2.0 * most, 2.0 * smallest);
}

static void examine_round(examiner *e, const jo_wall *w, const char *who, double smallest)
{
    const bool cone = w->kind == JO_WALL_CONE;
    if (cone && e->scene->dim == 2) {
        jo_complain(e, "wall %s is a cone; in a scene of dimension 2 give a mesh with a path", who);
        return;
    }
    if (!jo_is_finite3(w->point) || (e->scene->dim == 3 && !jo_is_unit3(w->axis)))
        jo_complain(e, "wall %s needs a finite point and an axis of length 1", who);
    if (!(w->length > 0.0) || (isinf(w->length) && (cone || w->caps)))
        jo_complain(e, "wall %s has length %g; it must be above 0%s", who, w->length,
                    isinf(w->length) ? " and, for a cone or caps, finite" : "");
    const double most = cone ? fmax(w->radius, w->radius_end) : w->radius;
    if (!(most > 0.0 && isfinite(most)) || !(w->radius >= 0.0) || (cone && !(w->radius_end >= 0.0)))
        jo_complain(e, "wall %s has a radius that is not above 0", who);
    else if (!w->outside && most < smallest)
        examine_narrow(e, w, who, most, smallest);
}

/* As engine soft makes walls: twice the area is next to nothing beside the longest edge's
 * square. */
static bool has_no_area(const double t[9])
{
    double u[3], v[3], longest = 0.0;
    for (int a = 0; a < 3; a++) {
        u[a] = t[3 + a] - t[a];
        v[a] = t[6 + a] - t[a];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    double edges[3] = {0.0, 0.0, 0.0}, area2 = 0.0;
    for (int a = 0; a < 3; a++) {
        edges[0] += u[a] * u[a];
        edges[1] += v[a] * v[a];
        edges[2] += (u[a] - v[a]) * (u[a] - v[a]);
        area2 += n[a] * n[a];
    }
    longest = fmax(edges[0], fmax(edges[1], edges[2]));
    return !(sqrt(area2) > 1e-12 * longest);
}

static void examine_mesh(examiner *e, const jo_wall *w, const char *who)
{
    const size_t each = e->scene->dim == 3 ? 9 : 4;
    if (w->triangles == NULL || w->triangle_count == 0) {
        jo_complain(e, "wall %s is a mesh without %s", who, each == 9 ? "triangles" : "segments");
        return;
    }
    const bool soft = strncmp(e->scene->engine, "soft", sizeof e->scene->engine) == 0;
    size_t flat = 0, first = 0;
    for (size_t k = 0; k < w->triangle_count; k++) {
        const double *t = w->triangles + each * k;
        bool finite = true;
        for (size_t c = 0; c < each; c++)
            finite = finite && fabs(t[c]) <= JO_COORDINATE_MAX;
        if (!finite) {
            jo_complain(e, "wall %s has a %s, number %zu, with a corner that is not finite", who,
                        each == 9 ? "triangle" : "segment", k + 1);
            return;
        }
        const bool none = each == 4 ? t[0] == t[2] && t[1] == t[3] : soft && has_no_area(t);
        if (none && flat++ == 0) first = k + 1;
    }
    if (flat > 0 && each == 4)
        jo_complain(e, "wall %s has %zu segments of length 0", who, flat);
    else if (flat > 0)
        jo_complain(e,
                    "wall %s has a triangle without area, number %zu%s: two corners are the same, "
                    "or all three lie on a line",
                    who, first, flat > 1 ? ", and more" : "");
}

static void examine_motion(examiner *e, const jo_wall *w, const char *who)
{
    const jo_motion *m = &w->motion;
    if (!jo_is_finite3(m->velocity) || !jo_is_finite3(m->spin) || !jo_is_finite3(m->pivot) ||
        !jo_is_finite3(m->amplitude) || !isfinite(m->frequency) || !isfinite(m->phase))
        jo_complain(e, "the motion of wall %s must be finite", who);
    if (!(m->start <= m->stop))
        jo_complain(e,
                    "the motion of wall %s starts at %g and stops at %g; start must be before stop",
                    who, m->start, m->stop);
    if (m->frequency < 0.0) jo_complain(e, "the motion of wall %s has a negative frequency", who);
    if (e->scene->dim == 2 &&
        (m->velocity[2] != 0.0 || m->amplitude[2] != 0.0 || m->spin[0] != 0.0 || m->spin[1] != 0.0))
        jo_complain(e, "the motion of wall %s leaves the plane of a scene of dimension 2", who);
}

static void examine_servo(examiner *e, const jo_wall *w, const char *who)
{
    const jo_servo *v = &w->servo;
    if (!v->on) return;
    if (!jo_is_unit3(v->direction))
        jo_complain(e, "the servo of wall %s needs a direction of length 1", who);
    if (isnan(v->stress) && isnan(v->force))
        jo_complain(e, "the servo of wall %s needs a stress or a force: what to press with", who);
    if (!isnan(v->stress) && !(v->stress >= 0.0 && v->area > 0.0 && isfinite(v->stress * v->area)))
        jo_complain(e, "the servo of wall %s needs a stress of 0 or more and an area above 0", who);
    if (isnan(v->stress) && !isnan(v->force) && !(v->force >= 0.0 && isfinite(v->force)))
        jo_complain(e, "the servo of wall %s has force %g; it must be 0 or more", who, v->force);
    if (!isnan(v->gain) && !(v->gain > 0.0 && isfinite(v->gain)))
        jo_complain(e, "the servo of wall %s has gain %g; it must be above 0", who, v->gain);
    if (!(v->speed_max > 0.0 && isfinite(v->speed_max)))
        jo_complain(e, "the servo of wall %s has speed_max %g; it must be above 0", who,
                    v->speed_max);
    if (dot(w->motion.velocity, v->direction) != 0.0)
        jo_warn(e, "wall %s moves along the direction of its servo: both add up", who);
}

/* ---- pairs of walls ---- */

static bool same3(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool same_shape(const jo_wall *a, const jo_wall *b, size_t each)
{
    if (a->kind != b->kind || a->outside != b->outside) return false;
    switch (a->kind) {
    case JO_WALL_PLANE: {
        const double d[3] = {a->point[0] - b->point[0], a->point[1] - b->point[1],
                             a->point[2] - b->point[2]};
        return same3(a->normal, b->normal) && dot(d, a->normal) == 0.0;
    }
    case JO_WALL_BOX:
        return same3(a->lo, b->lo) && same3(a->hi, b->hi);
    case JO_WALL_CYLINDER:
    case JO_WALL_CONE:
        return same3(a->point, b->point) && same3(a->axis, b->axis) && a->length == b->length &&
               a->radius == b->radius &&
               (a->kind == JO_WALL_CYLINDER || a->radius_end == b->radius_end);
    case JO_WALL_MESH:
        return a->triangle_count == b->triangle_count && a->triangles != NULL &&
               b->triangles != NULL &&
               memcmp(a->triangles, b->triangles, each * a->triangle_count * sizeof(double)) == 0;
    }
    return false;
}

/* From where to where a wall reaches along an axis; of walls that have a rim. */
static bool extent_along(const jo_wall *w, int axis, double *lo, double *hi)
{
    *lo = (double)INFINITY;
    *hi = -(double)INFINITY;
    if (w->kind == JO_WALL_MESH) {
        for (size_t c = 0; c < 3 * w->triangle_count && w->triangles != NULL; c++) {
            *lo = fmin(*lo, w->triangles[3 * c + (size_t)axis]);
            *hi = fmax(*hi, w->triangles[3 * c + (size_t)axis]);
        }
        return w->triangle_count > 0;
    }
    if ((w->kind != JO_WALL_CYLINDER && w->kind != JO_WALL_CONE) || !isfinite(w->length))
        return false;
    const double end = w->point[axis] + w->length * w->axis[axis];
    *lo = fmin(w->point[axis], end);
    *hi = fmax(w->point[axis], end);
    return fabs(w->axis[axis]) > 0.999999;
}

/* Polyhedra meet walls where they are, not their images: of one that ends at a periodic border they
 * meet the rim there. */
static void examine_borders(examiner *e, const jo_wall *w, const char *who)
{
    const jo_domain *d = &e->scene->domain;
    double lo, hi;
    if (e->scene->shape_count == 0 || e->scene->dim != 3) return;
    for (int a = 0; a < 3; a++) {
        if (!d->periodic[a] || !extent_along(w, a, &lo, &hi)) continue;
        const double close = 1e-6 * (d->hi[a] - d->lo[a]);
        if (fabs(lo - d->lo[a]) <= close || fabs(hi - d->hi[a]) <= close)
            jo_warn(e,
                    "wall %s ends at the border along %c, which is periodic: polyhedra that reach "
                    "across feel its rim there; let it go on beyond by more than their radius",
                    who, "xyz"[a]);
    }
}

static bool moves(const jo_wall *w)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    return w->servo.on || !same3(w->motion.velocity, zero) || !same3(w->motion.spin, zero) ||
           !same3(w->motion.amplitude, zero);
}

/* Two planes that face each other and leave less than a body between them. */
static bool no_room(const jo_wall *a, const jo_wall *b, double smallest, double *gap)
{
    if (a->kind != JO_WALL_PLANE || b->kind != JO_WALL_PLANE) return false;
    if (!(dot(a->normal, b->normal) < -1.0 + 1e-12)) return false;
    const double d[3] = {b->point[0] - a->point[0], b->point[1] - a->point[1],
                         b->point[2] - a->point[2]};
    *gap = dot(d, a->normal);
    return *gap < 2.0 * smallest * (1.0 - 1e-9) || *gap <= 0.0;
}

static void examine_pair(examiner *e, size_t j, size_t k, double smallest)
{
    const jo_wall *a = &e->scene->walls[j], *b = &e->scene->walls[k];
    char first[JO_NAME_SIZE], second[JO_NAME_SIZE];
    double gap;
    jo_examine_name(a->name, j, first);
    jo_examine_name(b->name, k, second);
    if (strcmp(a->name, b->name) == 0) jo_complain(e, "there are two walls %s", first);
    const bool together = a->from < b->until && b->from < a->until;
    if (!together || (moves(a) && moves(b))) return;
    if (same_shape(a, b, e->scene->dim == 3 ? 9 : 4))
        jo_complain(e, "wall %s is the same as wall %s: every contact would count twice", second,
                    first);
    else if (no_room(a, b, smallest, &gap) && !moves(a) && !moves(b))
        jo_complain(e,
                    "walls %s and %s face each other with %g between them: no body has room there",
                    first, second, gap);
}

static void examine_wall(examiner *e, size_t k, double smallest)
{
    const jo_wall *w = &e->scene->walls[k];
    char name[JO_NAME_SIZE];
    const char *who = jo_examine_name(w->name, k, name);
    jo_examine_at(e, "walls[%zu]", k);
    if (w->material >= e->scene->material_count && e->scene->material_count > 0)
        jo_complain(e, "wall %s has material %u; there are %zu", who, w->material,
                    e->scene->material_count);
    static const char *const kinds[] = {"plane", "box", "cylinder", "cone", "mesh"};
    jo_examine_at(e, "walls[%zu].%s", k, kinds[w->kind]);
    switch (w->kind) {
    case JO_WALL_PLANE:
        examine_plane(e, w, who);
        break;
    case JO_WALL_BOX:
        examine_box(e, w, who, smallest);
        break;
    case JO_WALL_CYLINDER:
    case JO_WALL_CONE:
        examine_round(e, w, who, smallest);
        break;
    case JO_WALL_MESH:
        examine_mesh(e, w, who);
        break;
    }
    examine_borders(e, w, who);
    jo_examine_at(e, "walls[%zu].motion", k);
    examine_motion(e, w, who);
    jo_examine_at(e, "walls[%zu].servo", k);
    examine_servo(e, w, who);
    jo_examine_at(e, "walls[%zu]", k);
    if (!(w->from < w->until))
        jo_complain(e, "wall %s is there from %g until %g; from must be before until", who, w->from,
                    w->until);
    for (size_t j = 0; j < k; j++)
        examine_pair(e, j, k, smallest);
}

void jo_examine_walls(examiner *e)
{
    const jo_scene *s = e->scene;
    jo_examine_at(e, "walls");
    if (s->wall_count > JO_WALLS_MAX) {
        jo_complain(e, "there are %zu walls; at most %d are possible", s->wall_count, JO_WALLS_MAX);
        return;
    }
    const double smallest = smallest_body(s);
    for (size_t k = 0; k < s->wall_count; k++)
        examine_wall(e, k, smallest);
}
