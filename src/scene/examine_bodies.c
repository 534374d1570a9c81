/* examine_bodies.c — groups of bodies: sizes, regions, counts, and whether they can be placed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/io.h"
#include "scene/crystal.h"
#include "scene/examiner.h"
#include "scene/region.h"
#include "scene/sizes.h"

#define PI 3.14159265358979323846

/* Denser than this no mixture of spheres (discs) is placed. */
static double densest(int dim)
{
    return dim == 3 ? 0.74 : 0.9;
}

static void examine_sizes(examiner *e, const jo_sizes *s, const char *who)
{
    if (s->kind == JO_SIZE_LIST) {
        if (s->count == 0 || s->count > JO_SIZES_MAX) {
            jo_complain(e, "bodies %s have %zu sizes; 1 to %d are possible", who, s->count,
                        JO_SIZES_MAX);
            return;
        }
        double total = 0.0;
        for (size_t k = 0; k < s->count; k++) {
            if (!(s->weight[k] >= 0.0)) total = (double)NAN;
            total += s->weight[k];
        }
        if (!(total > 0.0 && isfinite(total)))
            jo_complain(e, "bodies %s have sizes whose weights are negative or all 0", who);
    }
    const double smallest = jo_sizes_smallest(s), largest = jo_sizes_largest(s);
    if (isnan(smallest)) {
        jo_complain(e, "bodies %s need 'radius'", who);
    } else if (!(smallest > 0.0 && largest <= JO_COORDINATE_MAX)) {
        const bool cut = s->kind == JO_SIZE_NORMAL && isnan(s->lo);
        jo_complain(e, "bodies %s have radii from %g to %g; they must be above 0%s", who, smallest,
                    largest, cut ? ": give 'lo', below which the distribution is cut" : "");
    } else if (!(smallest <= largest)) {
        jo_complain(e, "bodies %s have sizes whose lo is above hi", who);
    }
    if ((s->kind == JO_SIZE_NORMAL || s->kind == JO_SIZE_LOGNORMAL) && s->b > 0.0) {
        double lo, hi;
        jo_sizes_bounds(s, &lo, &hi);
        const double nearest = s->a < lo ? lo : s->a > hi ? hi : s->a;
        const double off = s->kind == JO_SIZE_NORMAL ? fabs(nearest - s->a) / s->b
                                                     : fabs(log(nearest / s->a)) / s->b;
        if (!(off <= 3.0))
            jo_complain(
                e, "bodies %s have sizes cut to %g … %g, more than 3 deviations from the middle %g",
                who, lo, hi, s->a);
    }
}

static bool region_valid(examiner *e, const jo_group *g, const char *who)
{
    const jo_region *r = &g->region;
    const int dim = e->scene->dim;
    if (r->kind == JO_REGION_CYLINDER && dim == 2) {
        jo_complain(
            e, "bodies %s fill a cylinder; in a scene of dimension 2 give centre and radius", who);
        return false;
    }
    for (int a = 0; a < dim && r->kind == JO_REGION_BOX; a++)
        if (!(r->lo[a] < r->hi[a])) {
            const jo_domain *box = &e->scene->domain;
            if (e->scene->has_box && r->lo[a] == box->lo[a] && r->hi[a] == box->hi[a])
                return false; /* it is the box, and was told about that */
            jo_complain(e,
                        "the region of bodies %s has lo %g and hi %g along %c; lo must be below hi",
                        who, r->lo[a], r->hi[a], "xyz"[a]);
            return false;
        }
    const bool round = r->kind != JO_REGION_BOX;
    const bool fine = round ? r->radius > 0.0 && isfinite(r->radius) && jo_is_finite3(r->centre)
                            : jo_is_finite3(r->lo) && jo_is_finite3(r->hi);
    if (!fine || (r->kind == JO_REGION_CYLINDER &&
                  !(r->length > 0.0 && isfinite(r->length) && jo_is_unit3(r->axis)))) {
        jo_complain(e, "the region of bodies %s must be finite, with a radius and length above 0",
                    who);
        return false;
    }
    return true;
}

static void examine_region(examiner *e, const jo_group *g, const char *who)
{
    const jo_scene *s = e->scene;
    bool open[3];
    double lo[3], hi[3];
    if (!region_valid(e, g, who)) return;
    jo_region_bounds(&g->region, s->dim, lo, hi);
    for (int a = 0; a < s->dim && s->has_box && s->leaving != JO_LEAVING_KEEP; a++) {
        const double slack = 1e-9 * (s->domain.hi[a] - s->domain.lo[a]);
        if (lo[a] < s->domain.lo[a] - slack || hi[a] > s->domain.hi[a] + slack)
            jo_complain(e,
                        "the region of bodies %s, %g … %g along %c, is not inside the box, %g … %g",
                        who, lo[a], hi[a], "xyz"[a], s -> domain.lo[a], s->domain.hi[a]);
    }
    jo_region_open_axes(&g->region, s, open);
    const double largest = jo_sizes_largest(&g->sizes),
                 room = jo_region_room(&g->region, s->dim, open);
    for (int a = 0; a < s->dim; a++)
        if (open[a] && 2.0 * largest > s->domain.hi[a] - s->domain.lo[a])
            jo_complain(e, "bodies %s are larger than the period along %c", who, "xyz"[a]);
    if (largest > room * (1.0 + 1e-12))
        jo_complain(e, "the region of bodies %s has room for a radius of %g; the largest is %g",
                    who, room, largest);
}

static void examine_random(examiner *e, const jo_group *g, const char *who)
{
    const jo_scene *s = e->scene;
    const bool by_fraction = !isnan(g->fraction);
    if (by_fraction && g->count > 0)
        jo_complain(e, "bodies %s have count and fraction; give one of them", who);
    if (!by_fraction && g->count == 0)
        jo_complain(e, "bodies %s need 'count' (above 0) or 'fraction'", who);
    if (by_fraction && !(g->fraction > 0.0 && g->fraction <= densest(s->dim)))
        jo_complain(e, "bodies %s have fraction %g; it must be above 0 and at most %g", who,
                    g->fraction, densest(s->dim));
    if (g->count > JO_BODIES_MAX)
        jo_complain(e, "bodies %s are %llu; at most %zu are possible", who,
                    (unsigned long long)g->count, JO_BODIES_MAX);
    const double smallest = jo_sizes_smallest(&g->sizes),
                 volume = jo_region_volume(&g->region, s->dim);
    const double each =
        s->dim == 2 ? PI * smallest * smallest : 4.0 / 3.0 * PI * smallest * smallest * smallest;
    if ((double)g->count * each > densest(s->dim) * volume)
        jo_complain(
            e,
            "%llu bodies %s do not fit into their region: even the smallest would fill %.3g of it",
            (unsigned long long)g->count, who, (double)g->count * each / volume);
}

/* Bodies of one shape that are turned alike: what they are says whether they overlap. */
static void examine_stacking(examiner *e, const jo_group *g, const crystal *c, double radius,
                             const char *who)
{
    const jo_polyhedron *shape = e->scene->shapes[g->shape];
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    const double depth = jo_crystal_overlap(c, g->spacing, shape, radius, g->orientation);
    if (depth > 0.2 * radius * v.inradius / v.radius)
        jo_complain(e, "bodies %s have a spacing of %g: they would overlap by %.3g", who,
                    g->spacing, depth);
    else if (depth > 1e-9 * radius)
        jo_warn(e, "bodies %s have a spacing of %g: they overlap by %.3g at the start", who,
                g->spacing, depth);
}

static void examine_spacing(examiner *e, const jo_group *g, const crystal *c, const char *who)
{
    const double largest = jo_sizes_largest(&g->sizes);
    const bool round = g->shapes == 0 && !g->polygon.given;
    const bool alike = !round && !isnan(g->orientation[0]); /* turned so */
    if (!(g->spacing > 0.0 && isfinite(g->spacing)))
        jo_complain(e, "bodies %s have a spacing of %g; it must be above 0", who, g->spacing);
    else if (alike && g->shapes == 1 && g->shape < e->scene->shape_count && largest > 0.0)
        examine_stacking(e, g, c, largest, who);
    else if (g->spacing < 1.8 * largest && !alike)
        jo_complain(e, "bodies %s have a spacing of %g, but radii up to %g: they would overlap%s",
                    who, g->spacing, largest,
                    round ? "" : ", turned at random; give an orientation, or more room");
    else if (g->spacing < 2.0 * largest)
        jo_warn(e,
                "bodies %s have a spacing of %g, but radii up to %g: they %soverlap at the start",
                who, g->spacing, largest, round ? "" : "may ");
}

static void examine_lattice(examiner *e, const jo_group *g, const char *who)
{
    const int dim = e->scene->dim;
    const crystal *c = jo_crystal(g, dim);
    if (c == NULL)
        jo_complain(e, "bodies %s are on the lattice '%.15s'; in dimension %d there are: %s", who,
                    g->lattice, dim, dim == 2 ? "square, hexagonal" : "cubic, bcc, fcc, hcp");
    else if (!isnan(g->spacing))
        examine_spacing(e, g, c, who);
}

static void examine_factory(examiner *e, const jo_group *g, const char *who)
{
    const bool by_number = !isnan(g->rate), by_mass = !isnan(g->mass_rate);
    if (by_number == by_mass)
        jo_complain(e,
                    by_number ? "the factory of bodies %s has rate and mass_rate; give one of them"
                              : "the factory of bodies %s needs 'rate' or 'mass_rate'",
                    who);
    if (by_number && !(g->rate > 0.0 && isfinite(g->rate)))
        jo_complain(e, "the factory of bodies %s has rate %g; it must be above 0", who, g->rate);
    if (by_mass && !(g->mass_rate > 0.0 && isfinite(g->mass_rate)))
        jo_complain(e, "the factory of bodies %s has mass_rate %g; it must be above 0", who,
                    g->mass_rate);
    if (!(g->start < g->stop) || !(g->start >= 0.0))
        jo_complain(
            e, "the factory of bodies %s starts at %g and stops at %g; start must be before stop",
            who, g->start, g->stop);
    else if (g->start >= e->scene->duration)
        jo_warn(e, "the factory of bodies %s starts at %g, after the end of the simulation", who,
                g->start);
    if (g->fixed)
        jo_complain(e, "the factory of bodies %s cannot make fixed bodies: they would block it",
                    who);
}

static bool body_values(const jo_population *p, size_t i)
{
    return jo_is_finite3(p->x + 3 * i) && jo_is_finite3(p->v + 3 * i) &&
           jo_is_finite3(p->w + 3 * i) && p->r[i] <= JO_COORDINATE_MAX;
}

static void examine_body(examiner *e, const jo_population *p, size_t k, size_t i, const char *who)
{
    const jo_scene *s = e->scene;
    jo_examine_at(e, "bodies[%zu].list[%zu]", k, i);
    if (!(p->r[i] > 0.0))
        jo_complain(e, "body %zu of %s has radius %g; it must be above 0", i + 1, who, p->r[i]);
    else if (!body_values(p, i))
        jo_complain(e, "body %zu of %s has a value that is not finite", i + 1, who);
    if (p->material[i] >= s->material_count)
        jo_complain(e, "body %zu of %s has material %u; there are %zu", i + 1, who, p->material[i],
                    s->material_count);
    if (s->dim == 2 && p->x[3 * i + 2] != 0.0)
        jo_complain(e, "body %zu of %s is not in the plane z = 0", i + 1, who);
    for (int a = 0; a < s->dim && s->has_box; a++) {
        const double x = p->x[3 * i + a];
        if (s->domain.periodic[a]) {
            if (2.0 * p->r[i] > s->domain.hi[a] - s->domain.lo[a])
                jo_complain(e, "body %zu of %s is larger than the period along %c", i + 1, who,
                            "xyz"[a]);
        } else if (s->leaving != JO_LEAVING_KEEP &&
                   !(x >= s->domain.lo[a] && x <= s->domain.hi[a])) {
            jo_complain(e, "body %zu of %s is at %c = %g, outside the box (%g … %g)", i + 1, who,
                        "xyz"[a], x, s -> domain.lo[a], s->domain.hi[a]);
        }
    }
}

static int by_place(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(double));
}

/* No force has a direction that could part two bodies in one place. */
static void examine_places(examiner *e, const jo_population *p, size_t k, const char *who)
{
    typedef struct spot {
        double x[3];
        size_t body;
    } spot;
    spot *all = p->n > 1 ? malloc(p->n * sizeof *all) : NULL;
    if (all == NULL) return; /* the engine will tell */
    for (size_t i = 0; i < p->n; i++) {
        for (int a = 0; a < 3; a++)
            all[i].x[a] = p->x[3 * i + (size_t)a] + 0.0; /* -0 becomes 0 */
        all[i].body = i;
    }
    qsort(all, p->n, sizeof *all, by_place);
    for (size_t i = 1; i < p->n; i++) {
        if (by_place(&all[i - 1], &all[i]) != 0) continue;
        const size_t one = all[i - 1].body, two = all[i].body;
        jo_examine_at(e, "bodies[%zu].list[%zu]", k, one > two ? one : two);
        jo_complain(e, "bodies %zu and %zu of %s are in one place; move or remove one",
                    (one < two ? one : two) + 1, (one > two ? one : two) + 1, who);
    }
    free(all);
}

static void examine_listed(examiner *e, size_t k, const char *who)
{
    const jo_population *p = &e->scene->groups[k].listed;
    if (p->n == 0) {
        jo_warn(e, "the list of bodies %s is empty", who);
        return;
    }
    if (p->x == NULL || p->v == NULL || p->w == NULL || p->r == NULL || p->material == NULL ||
        p->fixed == NULL) {
        jo_complain(e, "the list of bodies %s lacks arrays", who);
        return;
    }
    for (size_t i = 0; i < p->n; i++)
        examine_body(e, p, k, i, who);
    examine_places(e, p, k, who);
}

/* Parts of the law that contacts of polyhedra have no use for. */
static void examine_flat_law(examiner *e, const char *who)
{
    const jo_law *law = &e->scene->law;
    if (law->cohesion != JO_COHESION_NONE)
        jo_complain(e, "bodies %s are polyhedra, whose contacts have no cohesion", who);
    if (law->rolling != JO_ROLLING_NONE)
        jo_warn(e,
                "rolling friction acts between spheres and walls alone: polyhedra such as %s "
                "resist rolling by their faces",
                who);
    if (law->tangential == JO_TANGENTIAL_MINDLIN_FORCE)
        jo_warn(e,
                "law.tangential mindlin_force acts between spheres and walls alone: contacts of "
                "polyhedra such as %s take mindlin",
                who);
    if (law->dashpot_loads_spring)
        jo_warn(e,
                "law.dashpot_loads_spring acts between spheres and walls alone: contacts of "
                "polyhedra such as %s do without it",
                who);
}

static void examine_shapes(examiner *e, const jo_group *g, size_t k, const char *who)
{
    const jo_scene *s = e->scene;
    bool any = g->shapes > 0;
    for (size_t i = 0; i < g->listed.n && g->listed.shape != NULL; i++) {
        const uint32_t shape = g->listed.shape[i];
        any = any || shape != JO_NO_SHAPE;
        if (shape != JO_NO_SHAPE && shape >= s->shape_count)
            jo_complain(e, "body %zu of %s has shape %u; there are %zu", i + 1, who, shape,
                        s->shape_count);
    }
    if (!any) return;
    jo_examine_at(e, "bodies[%zu].shape", k);
    if (g->shapes > 0 && (size_t)g->shape + g->shapes > s->shape_count)
        jo_complain(e, "bodies %s have shapes up to %zu; there are %zu", who,
                    (size_t)g->shape + g->shapes, s->shape_count);
    if (s->dim != 3)
        jo_complain(e, "bodies %s are polyhedra, which need a scene of dimension 3", who);
    if (strcmp(s->engine, "soft") != 0)
        jo_complain(e, "bodies %s are polyhedra, which engine %s does not have; engine soft does",
                    who, s->engine);
    examine_flat_law(e, who);
    jo_examine_at(e, "bodies[%zu]", k);
}

static void examine_polygon(examiner *e, const jo_group *g, size_t k, const char *who)
{
    const jo_scene *s = e->scene;
    const jo_polygon_shape *p = &g->polygon;
    if (!p->given) return;
    jo_examine_at(e, "bodies[%zu].shape", k);
    if (s->dim != 2)
        jo_complain(e, "bodies %s are polygons, which need a scene of dimension 2", who);
    if (strcmp(s->engine, "kinetic") != 0)
        jo_complain(e,
                    "bodies %s are polygons, which engine %.15s does not have; engine kinetic does",
                    who, s->engine);
    if (p->kind == JO_POLYGON_OUTLINE ? p->points == NULL || p->count < 3
                                      : p->corners_min < 3 || p->corners_max < p->corners_min ||
                                            p->corners_max > JO_POLYGON_CORNERS_MAX)
        jo_complain(e, "bodies %s need polygons of 3 to %d corners", who, JO_POLYGON_CORNERS_MAX);
    if (p->kind == JO_POLYGON_GRAIN &&
        !(p->irregularity >= 0.0 && p->irregularity < 1.0 && p->aspect >= 1.0 && p->aspect <= 1e3))
        jo_complain(e,
                    "bodies %s have irregularity %g and aspect %g; they must be from 0 to below 1, "
                    "and from 1 on",
                    who, p->irregularity, p->aspect);
    jo_examine_at(e, "bodies[%zu]", k);
}

static bool any_of3(const double x[3])
{
    return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
}

/* What is given for bodies that have no use for it (orientations of round ones: groups.c). */
static void examine_unused(examiner *e, const jo_group *g, const char *who)
{
    const jo_population *p = &g->listed;
    bool moving = g->fixed && (any_of3(g->velocity) || any_of3(g->spin));
    for (size_t i = 0; i < p->n && p->fixed != NULL && p->v != NULL && p->w != NULL; i++)
        moving = moving || (p->fixed[i] && (any_of3(p->v + 3 * i) || any_of3(p->w + 3 * i)));
    if (moving)
        jo_warn(e, "bodies %s are fixed: their velocity and spin are not used; walls can move",
                who);
}

static void examine_group(examiner *e, size_t k)
{
    const jo_scene *s = e->scene;
    const jo_group *g = &s->groups[k];
    char name[JO_NAME_SIZE];
    const char *who = jo_examine_name(g->name, k, name);
    jo_examine_at(e, "bodies[%zu]", k);
    if (g->material >= s->material_count && s->material_count > 0)
        jo_complain(e, "bodies %s have material %u; there are %zu", who, g->material,
                    s->material_count);
    if (!jo_is_finite3(g->velocity) || !jo_is_finite3(g->spin) ||
        !(g->velocity_spread >= 0.0 && isfinite(g->velocity_spread)))
        jo_complain(e,
                    "bodies %s need a finite velocity and spin, and a velocity_spread of 0 or more",
                    who);
    examine_unused(e, g, who);
    examine_shapes(e, g, k, who);
    examine_polygon(e, g, k, who);
    if (g->kind == JO_GROUP_EXPLICIT) {
        examine_listed(e, k, who);
        return;
    }
    if (g->kind == JO_GROUP_FILE) {
        if (g->path == NULL || *g->path == '\0')
            jo_complain(e, "bodies %s need the path of a file", who);
        if (!isnan(g->sizes.a) || g->sizes.kind == JO_SIZE_LIST) examine_sizes(e, &g->sizes, who);
        jo_examine_at(e, "bodies[%zu].file", k);
        if (g->path != NULL && !g->fixed && jo_dump_has_velocities(g->path))
            jo_warn(e,
                    "bodies %s come from a dump with velocities or spins, which are not read: they "
                    "begin with the velocity and spin of their group",
                    who);
        return;
    }
    static const char *const kinds[] = {"list", "file", "lattice", "random", "factory"};
    jo_examine_at(e, "bodies[%zu].radius", k);
    examine_sizes(e, &g->sizes, who);
    jo_examine_at(e, "bodies[%zu].%s.region", k, kinds[g->kind]);
    examine_region(e, g, who);
    jo_examine_at(e, "bodies[%zu].%s", k, kinds[g->kind]);
    if (g->kind == JO_GROUP_RANDOM) examine_random(e, g, who);
    if (g->kind == JO_GROUP_LATTICE) examine_lattice(e, g, who);
    if (g->kind == JO_GROUP_FACTORY) examine_factory(e, g, who);
}

void jo_examine_groups(examiner *e)
{
    jo_examine_at(e, "bodies");
    if (e->scene->group_count == 0)
        jo_complain(e, "there are no bodies; at least one group is needed");
    for (size_t k = 0; k < e->scene->group_count; k++)
        examine_group(e, k);
}
