/* surfaces_make.c — a scene's walls as surfaces that hard balls hit.
 *
 * A box that balls are in is its faces as planes; one they are outside of, and meshes, are triangles
 * (2D: segments) with edges and corners, each of these once however many triangles share it.
 * Cylinders are tubes; the caps of one that balls are in are planes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hard/surfaces.h"
#include "narrow/vec3.h"

static surface *add(surface_list *out)
{
    if (out->count == out->room) {
        const uint32_t room = 2 * out->room + 16;
        surface *list = realloc(out->list, room * sizeof *list);
        if (list == NULL) return NULL;
        out->list = list;
        out->room = room;
    }
    surface *s = &out->list[out->count++];
    *s = (surface){.length = (double)INFINITY};
    return s;
}

static surface *add_for(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face)
{
    surface *s = add(out);
    if (s == NULL) return NULL;
    s->wall = wall;
    s->face = face;
    s->material = w->material;
    s->motion = w->motion;
    s->from = w->from;
    s->until = w->until;
    s->moves = norm3(w->motion.velocity) > 0.0;
    s->swings = norm3(w->motion.amplitude) > 0.0 && w->motion.frequency != 0.0;
    return s;
}

static bool add_plane(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                      const double point[3], const double normal[3])
{
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_PLANE;
    memcpy(s->point, point, sizeof s->point);
    memcpy(s->normal, normal, sizeof s->normal);
    return true;
}

static bool add_box(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    for (int face = 0; face < 2 * dim; face++) {
        double normal[3] = {0};
        normal[face / 2] = face % 2 ? -1.0 : 1.0;
        if (!add_plane(out, w, wall, (uint32_t)face, face % 2 ? w->hi : w->lo, normal))
            return false;
    }
    return true;
}

static bool add_tube(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    surface *s = add_for(out, w, wall, 0);
    if (s == NULL) return false;
    s->kind = SURFACE_TUBE;
    memcpy(s->point, w->point, sizeof s->point);
    if (dim == 2)
        s->normal[2] = 1.0;
    else
        memcpy(s->normal, w->axis, sizeof s->normal);
    s->radius = w->radius;
    s->length = dim == 2 ? (double)INFINITY : w->length;
    s->outside = w->outside;
    if (!w->caps || dim == 2) return true;
    double end[3], back[3];
    along3(w->point, w->length, w->axis, end);
    for (int k = 0; k < 3; k++)
        back[k] = -w->axis[k];
    return add_plane(out, w, wall, 1, w->point, w->axis) && add_plane(out, w, wall, 2, end, back);
}

/* ---- meshes ---- */

static bool same(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool add_corner(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                       const double p[3], uint32_t first)
{
    for (uint32_t k = first; k < out->count; k++)
        if (out->list[k].kind == SURFACE_CORNER && same(out->list[k].point, p)) return true;
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_CORNER;
    memcpy(s->point, p, sizeof s->point);
    return true;
}

static bool add_edge(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                     const double a[3], const double b[3], uint32_t first)
{
    double end[3];
    for (uint32_t k = first; k < out->count; k++) {
        const surface *s = &out->list[k];
        if (s->kind != SURFACE_EDGE) continue;
        along3(s->point, 1.0, s->along[0], end);
        if ((same(s->point, a) && same(end, b)) || (same(s->point, b) && same(end, a))) return true;
    }
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_EDGE;
    memcpy(s->point, a, sizeof s->point);
    sub3(b, a, s->along[0]);
    memcpy(s->normal, s->along[0], sizeof s->normal);
    s->length = unit3(s->normal);
    return true;
}

static bool add_triangle(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                         const double p[9], uint32_t first)
{
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_FACE;
    memcpy(s->point, p, sizeof s->point);
    sub3(p + 3, p, s->along[0]);
    sub3(p + 6, p, s->along[1]);
    cross3(s->along[0], s->along[1], s->normal);
    unit3(s->normal);
    for (int k = 0; k < 3; k++)
        if (!add_edge(out, w, wall, face, p + 3 * k, p + 3 * ((k + 1) % 3), first) ||
            !add_corner(out, w, wall, face, p + 3 * k, first))
            return false;
    return true;
}

static bool add_segment(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                        const double a[2], const double b[2], uint32_t first)
{
    const double one[3] = {a[0], a[1], 0.0}, two[3] = {b[0], b[1], 0.0};
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_FACE;
    memcpy(s->point, one, sizeof s->point);
    sub3(two, one, s->along[0]);
    s->normal[0] = -s->along[0][1];
    s->normal[1] = s->along[0][0];
    unit3(s->normal);
    return add_corner(out, w, wall, face, one, first) && add_corner(out, w, wall, face, two, first);
}

static bool add_mesh(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    const uint32_t first = out->count;
    for (size_t k = 0; k < w->triangle_count; k++) {
        const double *p = w->triangles + (dim == 2 ? 4 : 9) * k;
        const bool fine = dim == 2 ? add_segment(out, w, wall, (uint32_t)k, p, p + 2, first)
                                   : add_triangle(out, w, wall, (uint32_t)k, p, first);
        if (!fine) return false;
    }
    return true;
}

/* A box from outside: its sides cut into triangles. */
static bool add_block(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    const uint32_t first = out->count;
    if (dim == 2) {
        const double p[4][2] = {
            {w->lo[0], w->lo[1]}, {w->hi[0], w->lo[1]}, {w->hi[0], w->hi[1]}, {w->lo[0], w->hi[1]}};
        for (uint32_t k = 0; k < 4; k++)
            if (!add_segment(out, w, wall, k, p[k], p[(k + 1) % 4], first)) return false;
        return true;
    }
    for (uint32_t face = 0; face < 6; face++) {
        const int a = (int)face / 2, b = (a + 1) % 3, c = (a + 2) % 3;
        double corner[4][3], triangle[9];
        for (int k = 0; k < 4; k++) {
            corner[k][a] = face % 2 ? w->hi[a] : w->lo[a];
            corner[k][b] = k == 1 || k == 2 ? w->hi[b] : w->lo[b];
            corner[k][c] = k >= 2 ? w->hi[c] : w->lo[c];
        }
        for (int half = 0; half < 2; half++) {
            memcpy(triangle, corner[0], sizeof corner[0]);
            memcpy(triangle + 3, corner[1 + half], sizeof corner[0]);
            memcpy(triangle + 6, corner[2 + half], sizeof corner[0]);
            if (!add_triangle(out, w, wall, face, triangle, first)) return false;
        }
    }
    return true;
}

/* ---- what hard balls cannot have ---- */

static bool turns_in_itself(const jo_wall *w, int dim)
{
    double axis[3], across_[3], arm[3];
    if (norm3(w->motion.spin) == 0.0) return true;
    memcpy(axis, w->motion.spin, sizeof axis);
    unit3(axis);
    if (w->kind == JO_WALL_PLANE) {
        cross3(axis, w->normal, across_);
        return norm3(across_) < 1e-9;
    }
    if (w->kind != JO_WALL_CYLINDER) return false;
    const double z[3] = {0.0, 0.0, 1.0};
    cross3(axis, dim == 2 ? z : w->axis, across_);
    sub3(w->motion.pivot, w->point, arm);
    double off[3];
    cross3(arm, dim == 2 ? z : w->axis, off);
    return norm3(across_) < 1e-9 && norm3(off) < 1e-9 * w->radius;
}

static jo_status check_wall(const jo_wall *w, int dim, jo_error *error)
{
    const bool flat = w->kind == JO_WALL_PLANE || (w->kind == JO_WALL_BOX && !w->outside);
    const bool moves = norm3(w->motion.velocity) > 0.0 || norm3(w->motion.amplitude) > 0.0;
    if (w->kind == JO_WALL_CONE)
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s' is a cone, which engine hard does not have; give a mesh",
                       w->name);
    if (w->servo.on)
        return jo_fail(error, JO_ERR_DATA, "wall '%s': engine hard has no servos", w->name);
    if (moves && !flat)
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s' moves; with engine hard only planes and boxes that bodies are in "
                       "can, others may turn about their own axis",
                       w->name);
    if (!turns_in_itself(w, dim))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s' turns; with engine hard only planes about their normal and "
                       "cylinders about their axis can",
                       w->name);
    if (w->kind == JO_WALL_CYLINDER && w->outside && dim == 3 && !isinf(w->length))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s' is a cylinder with an end, from outside, which engine hard does "
                       "not have; give it no length, or a mesh",
                       w->name);
    return JO_OK;
}

jo_status jo_surfaces_make(const jo_scene *scene, surface_list *out, jo_error *error)
{
    *out = (surface_list){0};
    for (size_t k = 0; k < scene->wall_count; k++) {
        const jo_wall *w = &scene->walls[k];
        const uint32_t wall = (uint32_t)k;
        const jo_status status = check_wall(w, scene->dim, error);
        if (status != JO_OK) return status;
        bool fine = true;
        if (w->kind == JO_WALL_PLANE)
            fine = add_plane(out, w, wall, 0, w->point, w->normal);
        else if (w->kind == JO_WALL_BOX)
            fine = (w->outside ? add_block : add_box)(out, w, wall, scene->dim);
        else if (w->kind == JO_WALL_CYLINDER)
            fine = add_tube(out, w, wall, scene->dim);
        else
            fine = add_mesh(out, w, wall, scene->dim);
        if (!fine) return jo_fail_memory(error, out->count * sizeof(surface), "walls");
    }
    if (out->count >= LOOK_AGAIN - SURFACES)
        return jo_fail(error, JO_ERR_LIMIT, "walls of %u pieces are too many", out->count);
    return JO_OK;
}
