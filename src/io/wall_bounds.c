/* wall_bounds.c — how much of an endless wall to show.
 *
 * Planes and endless cylinders have to be cut to something for pictures: the scene's box, or where
 * there is none the bounds of everything that has bounds. */
#include "io/wall_bounds.h"

#include <math.h>
#include <string.h>

void jo_wall_bounds_add(wall_bounds *bounds, const double centre[3], double radius)
{
    if (bounds->fixed) return;
    for (int a = 0; a < 3; a++)
        if (!isfinite(centre[a]) || !isfinite(radius)) return;
    for (int a = 0; a < 3; a++) {
        const double lo = centre[a] - radius, hi = centre[a] + radius;
        if (bounds->empty || lo < bounds->lo[a]) bounds->lo[a] = lo;
        if (bounds->empty || hi > bounds->hi[a]) bounds->hi[a] = hi;
    }
    bounds->empty = false;
}

static void include_tube(wall_bounds *w, const double at[3], const double axis[3], double length,
                         double radius, double radius_end)
{
    const double end[3] = {at[0] + length * axis[0], at[1] + length * axis[1],
                           at[2] + length * axis[2]};
    jo_wall_bounds_add(w, at, radius);
    jo_wall_bounds_add(w, end, radius_end);
}

static void include_wall(wall_bounds *w, const jo_wall *wall, int dim)
{
    switch (wall->kind) {
    case JO_WALL_PLANE:
        break;
    case JO_WALL_BOX:
        jo_wall_bounds_add(w, wall->lo, 0.0);
        jo_wall_bounds_add(w, wall->hi, 0.0);
        break;
    case JO_WALL_CYLINDER:
        include_tube(w, wall->point, wall->axis, dim == 3 ? wall->length : 0.0, wall->radius,
                     wall->radius);
        break;
    case JO_WALL_CONE:
        include_tube(w, wall->point, wall->axis, wall->length, wall->radius, wall->radius_end);
        break;
    case JO_WALL_MESH:
        for (size_t k = 0; k < wall->triangle_count; k++)
            for (int c = 0; c < (dim == 3 ? 3 : 2); c++) {
                const double *p = wall->triangles + (dim == 3 ? 9 * k + 3 * c : 4 * k + 2 * c);
                const double corner[3] = {p[0], p[1], dim == 3 ? p[2] : 0.0};
                jo_wall_bounds_add(w, corner, 0.0);
            }
        break;
    }
}

static void include_group(wall_bounds *w, const jo_group *g)
{
    const jo_region *r = &g->region;
    if (g->kind == JO_GROUP_EXPLICIT) {
        for (size_t k = 0; k < g->listed.n; k++)
            jo_wall_bounds_add(w, g->listed.x + 3 * k, g->listed.r[k]);
    } else if (g->kind != JO_GROUP_FILE) {
        if (r->kind == JO_REGION_SPHERE) jo_wall_bounds_add(w, r->centre, r->radius);
        if (r->kind == JO_REGION_CYLINDER)
            include_tube(w, r->centre, r->axis, r->length, r->radius, r->radius);
        if (r->kind == JO_REGION_BOX) {
            jo_wall_bounds_add(w, r->lo, 0.0);
            jo_wall_bounds_add(w, r->hi, 0.0);
        }
    }
}

wall_bounds jo_wall_bounds_of(const jo_scene *scene)
{
    wall_bounds bounds = {.lo = {-1, -1, -1}, .hi = {1, 1, 1}, .empty = true};
    if (scene->has_box) {
        memcpy(bounds.lo, scene->domain.lo, sizeof bounds.lo);
        memcpy(bounds.hi, scene->domain.hi, sizeof bounds.hi);
        bounds.empty = false;
        bounds.fixed = true;
        return bounds;
    }
    for (size_t k = 0; k < scene->wall_count; k++)
        include_wall(&bounds, &scene->walls[k], scene->dim);
    for (size_t k = 0; k < scene->group_count; k++)
        include_group(&bounds, &scene->groups[k]);
    return bounds;
}
