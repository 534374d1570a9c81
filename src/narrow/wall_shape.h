/* wall_shape.h — the forms behind wall.h: flat walls, walls of revolution, meshes. */
#ifndef JO_NARROW_WALL_SHAPE_H
#define JO_NARROW_WALL_SHAPE_H

#include "narrow/wall.h"

/* ---- half-spaces (a plane, a box from inside) and solid blocks ---- */

typedef struct wall_flat {
    bool block;   /* a solid box seen from outside: one primitive */
    size_t count; /* half-spaces, else */
    double point[6][3], normal[6][3];
    double lo[3], hi[3]; /* block */
} wall_flat;

/* ---- walls of revolution: cylinders, cones, circles ---- */

typedef enum round_mode {
    ROUND_ENDLESS,   /* an infinite cylinder or a circle: a surface with a solid side */
    ROUND_SHELL,     /* open ends: thin, felt from both sides */
    ROUND_CONTAINER, /* closed, bodies inside */
    ROUND_SOLID      /* closed, bodies outside */
} round_mode;

typedef struct wall_round {
    round_mode mode;
    bool outside;
    double point[3], axis[3], across[3]; /* across: a unit vector normal to the axis */
    double length, radius[2];
} wall_round;

typedef struct wall_mesh wall_mesh;

typedef enum wall_form { FORM_FLAT, FORM_ROUND, FORM_MESH } wall_form;

struct wall_shape {
    wall_form form;
    int dim;
    wall_flat flat;
    wall_round round;
    wall_mesh *mesh; /* owned; NULL unless FORM_MESH */
};

/* Touches are kept sorted by gap, the nearest WALL_TOUCHES of them; equal gaps in order of arrival.
 */
static inline void wall_touch_add(wall_touch *touches, size_t *count, const wall_touch *touch)
{
    size_t k = *count < WALL_TOUCHES ? (*count)++ : WALL_TOUCHES;
    if (k == WALL_TOUCHES) {
        if (touch->gap >= touches[--k].gap) return;
    }
    for (; k > 0 && touches[k - 1].gap > touch->gap; k--)
        touches[k] = touches[k - 1];
    touches[k] = *touch;
}

jo_status jo_wall_round_make(const jo_wall *wall, int dim, wall_round *round, jo_error *error);
size_t jo_wall_round_primitives(const wall_round *round);
size_t jo_wall_round_near(const wall_round *round, const double x[3], double reach,
                          uint32_t *primitives, size_t room);
bool jo_wall_round_passed(const wall_round *round, const double from[3], const double to[3]);
size_t jo_wall_round_touch(const wall_round *round, const double x[3], double reach,
                           const uint32_t *primitives, size_t count,
                           wall_touch touches[WALL_TOUCHES]);

jo_status jo_wall_mesh_make(const jo_wall *wall, int dim, wall_mesh **mesh, jo_error *error);
void jo_wall_mesh_free(wall_mesh *mesh);
size_t jo_wall_mesh_bytes(const wall_mesh *mesh);
size_t jo_wall_mesh_primitives(const wall_mesh *mesh);
size_t jo_wall_mesh_near(const wall_mesh *mesh, const double x[3], double reach,
                         uint32_t *primitives, size_t room);
size_t jo_wall_mesh_touch(const wall_mesh *mesh, const double x[3], double reach,
                          const uint32_t *primitives, size_t count,
                          wall_touch touches[WALL_TOUCHES]);

#endif
