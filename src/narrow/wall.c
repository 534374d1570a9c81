/* wall.c — walls as callers see them, and the flat ones: planes, boxes, blocks.
 *
 * A plane is a half-space: everything behind it is solid, so the gap of a centre behind it is
 * negative. A box around bodies is six (2D: four) half-spaces: a body inside lies against each face
 * at the foot of its perpendicular, which is always within the face, and edges and corners are
 * never nearest. A block, a box seen from outside, is solid and convex: it has one nearest point,
 * in a face, on an edge or at a corner; of a centre inside it the nearest face counts, with a
 * negative gap.
 *
 * Features: the number of the half-space; for a block 9 a + 3 b + c, where a, b, c say for x, y, z
 * whether the nearest point is at lo (0), between (1) or at hi (2).
 *
 * Cost: some 10 operations per half-space. Nothing is allocated after creation, and nothing is
 * written: every query is thread-safe. */
#include "narrow/wall_shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "narrow/vec3.h"

/* ---- flat walls ---- */

static jo_status make_plane(const jo_wall *wall, int dim, wall_flat *flat, jo_error *error)
{
    double normal[3] = {wall->normal[0], wall->normal[1], dim == 2 ? 0.0 : wall->normal[2]};
    const double length = unit3(normal);
    if (!(length > 0.0) || !isfinite(length))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s': the normal of a plane must be a vector that is not zero",
                       wall->name);
    flat->count = 1;
    memcpy(flat->normal[0], normal, sizeof normal);
    memcpy(flat->point[0], wall->point, sizeof wall->point);
    return JO_OK;
}

static jo_status make_box(const jo_wall *wall, int dim, wall_flat *flat, jo_error *error)
{
    for (int a = 0; a < dim; a++) {
        if (!(wall->lo[a] < wall->hi[a]) || !isfinite(wall->hi[a] - wall->lo[a]))
            return jo_fail(
                error, JO_ERR_DATA,
                "wall '%s': a box needs lo below hi on every axis, but on axis %c they are "
                "%.17g and %.17g",
                wall->name, "xyz"[a], wall -> lo[a], wall -> hi[a]);
        flat->lo[a] = wall->lo[a];
        flat->hi[a] = wall->hi[a];
    }
    flat->block = wall->outside;
    if (flat->block) return JO_OK;
    flat->count = 2 * (size_t)dim;
    for (int a = 0; a < dim; a++) {
        flat->point[2 * a][a] = wall->lo[a];
        flat->normal[2 * a][a] = 1.0;
        flat->point[2 * a + 1][a] = wall->hi[a];
        flat->normal[2 * a + 1][a] = -1.0;
    }
    return JO_OK;
}

static double half_space_gap(const wall_flat *flat, uint32_t k, const double x[3])
{
    double d[3];
    sub3(x, flat->point[k], d);
    return dot3(flat->normal[k], d);
}

/* The touch with a block, whatever its gap. */
static wall_touch block_touch(const wall_flat *flat, int dim, const double x[3])
{
    wall_touch t = {.feature = 13};
    static const uint32_t weight[3] = {9, 3, 1};
    double nearest = INFINITY;
    int axis = 0, side = 0;
    bool inside = true;
    for (int a = 0; a < dim; a++) {
        const double below = flat->lo[a] - x[a], above = x[a] - flat->hi[a];
        if (below >= 0.0 || above >= 0.0) {
            inside = false;
            t.normal[a] = below >= 0.0 ? -below : above;
            t.feature += below >= 0.0 ? -weight[a] : weight[a];
        }
        if (-below < nearest) nearest = -below, axis = a, side = -1;
        if (-above < nearest) nearest = -above, axis = a, side = 1;
    }
    if (!inside) t.gap = unit3(t.normal);
    if (!inside && t.gap > 0.0) return t;
    t = (wall_touch){.gap = inside ? -nearest : 0.0};
    t.normal[axis] = side;
    t.feature = 13 + (uint32_t)side * weight[axis];
    return t;
}

static size_t flat_near(const wall_flat *flat, int dim, const double x[3], double reach,
                        uint32_t *primitives, size_t room)
{
    size_t found = 0;
    if (flat->block) {
        if (block_touch(flat, dim, x).gap > reach) return 0;
        if (room > 0) primitives[0] = 0;
        return 1;
    }
    for (uint32_t k = 0; k < flat->count; k++)
        if (half_space_gap(flat, k, x) <= reach) {
            if (found < room) primitives[found] = k;
            found++;
        }
    return found;
}

static size_t flat_touch(const wall_flat *flat, int dim, const double x[3], double reach,
                         const uint32_t *primitives, size_t count, wall_touch *touches)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        wall_touch t;
        if (flat->block) {
            t = block_touch(flat, dim, x);
        } else {
            t.gap = half_space_gap(flat, primitives[k], x);
            t.feature = primitives[k];
            memcpy(t.normal, flat->normal[primitives[k]], sizeof t.normal);
        }
        if (t.gap < reach) wall_touch_add(touches, &found, &t);
    }
    return found;
}

/* ---- all walls ---- */

static jo_status make(const jo_wall *wall, int dim, wall_shape *s, jo_error *error)
{
    switch (wall->kind) {
    case JO_WALL_PLANE:
        return make_plane(wall, dim, &s->flat, error);
    case JO_WALL_BOX:
        return make_box(wall, dim, &s->flat, error);
    case JO_WALL_CYLINDER:
    case JO_WALL_CONE:
        s->form = FORM_ROUND;
        return jo_wall_round_make(wall, dim, &s->round, error);
    case JO_WALL_MESH:
        s->form = FORM_MESH;
        return jo_wall_mesh_make(wall, dim, &s->mesh, error);
    }
    return jo_fail(error, JO_ERR_ARGUMENT, "wall '%s': its kind, %d, is none of jo_wall_kind",
                   wall->name, (int)wall->kind);
}

jo_status jo_wall_shape_create(const jo_wall *wall, int dim, wall_shape **shape, jo_error *error)
{
    *shape = NULL;
    if (dim != 2 && dim != 3)
        return jo_fail(error, JO_ERR_ARGUMENT, "walls exist in 2 or 3 dimensions, not in %d", dim);
    wall_shape *s = calloc(1, sizeof *s);
    if (s == NULL) return jo_fail_memory(error, sizeof *s, "a wall");
    s->dim = dim;
    s->form = FORM_FLAT;
    const jo_status status = make(wall, dim, s, error);
    if (status != JO_OK) {
        jo_wall_shape_destroy(s);
        return status;
    }
    *shape = s;
    return JO_OK;
}

void jo_wall_shape_destroy(wall_shape *shape)
{
    if (shape == NULL) return;
    jo_wall_mesh_free(shape->mesh);
    free(shape);
}

size_t jo_wall_shape_bytes(const wall_shape *shape)
{
    return sizeof *shape + (shape->mesh == NULL ? 0 : jo_wall_mesh_bytes(shape->mesh));
}

size_t jo_wall_shape_primitives(const wall_shape *shape)
{
    if (shape->form == FORM_MESH) return jo_wall_mesh_primitives(shape->mesh);
    if (shape->form == FORM_ROUND) return jo_wall_round_primitives(&shape->round);
    return shape->flat.block ? 1 : shape->flat.count;
}

size_t jo_wall_near(const wall_shape *shape, const double x[3], double reach, uint32_t *primitives,
                    size_t room)
{
    const double p[3] = {x[0], x[1], shape->dim == 2 ? 0.0 : x[2]};
    if (shape->form == FORM_MESH) return jo_wall_mesh_near(shape->mesh, p, reach, primitives, room);
    if (shape->form == FORM_ROUND)
        return jo_wall_round_near(&shape->round, p, reach, primitives, room);
    return flat_near(&shape->flat, shape->dim, p, reach, primitives, room);
}

bool jo_wall_passed(const wall_shape *shape, const double from[3], const double to[3])
{
    return shape->form == FORM_ROUND && shape->dim == 3 &&
           jo_wall_round_passed(&shape->round, from, to);
}

size_t jo_wall_touch(const wall_shape *shape, const double x[3], double reach,
                     const uint32_t *primitives, size_t count, wall_touch touches[WALL_TOUCHES])
{
    const double p[3] = {x[0], x[1], shape->dim == 2 ? 0.0 : x[2]};
    if (shape->form == FORM_MESH)
        return jo_wall_mesh_touch(shape->mesh, p, reach, primitives, count, touches);
    if (shape->form == FORM_ROUND)
        return jo_wall_round_touch(&shape->round, p, reach, primitives, count, touches);
    return flat_touch(&shape->flat, shape->dim, p, reach, primitives, count, touches);
}
