/* surfaces.c — the walls of a scene at time 0, for placing bodies.
 *
 * Nothing of its own: the shapes and touches of wall.c in the pose of time 0, so that a body is
 * clear of a wall exactly when an engine would find no contact.
 *
 * Cost: that of a touch, log n of the triangles for meshes. The list of primitives near a body has
 * room for all of the largest wall, so queries allocate nothing. */
#include "jostle/surfaces.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "narrow/vec3.h"
#include "narrow/wall.h"

typedef struct surface {
    wall_shape *shape;
    wall_pose pose;
    jo_wall_solid solid; /* of a polygon, and its segments */
    double *segments;
    size_t segment_count;
} surface;

struct jo_surfaces {
    size_t count;
    surface *walls;
    uint32_t *near; /* primitives */
    size_t room;
};

JO_API void jo_surfaces_destroy(jo_surfaces *s)
{
    if (s == NULL) return;
    for (size_t k = 0; k < s->count; k++) {
        jo_wall_shape_destroy(s->walls[k].shape);
        free(s->walls[k].segments);
    }
    free(s->walls);
    free(s->near);
    free(s);
}

static jo_status fill(jo_surfaces *s, const jo_scene *scene, jo_error *error)
{
    s->walls = calloc(scene->wall_count + 1, sizeof *s->walls);
    if (s->walls == NULL) return jo_fail_memory(error, sizeof *s->walls, "the walls");
    for (size_t k = 0; k < scene->wall_count; k++) {
        const jo_wall *wall = &scene->walls[k];
        if (wall->from > 0.0) continue;
        surface *to = &s->walls[s->count];
        const jo_status status = jo_wall_shape_create(wall, scene->dim, &to->shape, error);
        if (status != JO_OK) return status;
        s->count++;
        jo_wall_pose(wall, 0.0, &to->pose);
        if (scene->dim == 2 && wall->kind == JO_WALL_MESH && wall->solid != JO_SOLID_NONE) {
            to->segments = malloc(4 * wall->triangle_count * sizeof *to->segments);
            if (to->segments == NULL)
                return jo_fail_memory(error, wall->triangle_count, "the walls");
            memcpy(to->segments, wall->triangles, 4 * wall->triangle_count * sizeof *to->segments);
            to->segment_count = wall->triangle_count;
            to->solid = wall->solid;
        }
        const size_t primitives = jo_wall_shape_primitives(to->shape);
        if (primitives > s->room) s->room = primitives;
    }
    s->near = malloc((s->room + 1) * sizeof *s->near);
    return s->near != NULL ? JO_OK : jo_fail_memory(error, s->room * sizeof *s->near, "the walls");
}

JO_API jo_status jo_surfaces_create(const jo_scene *scene, jo_surfaces **surfaces, jo_error *error)
{
    *surfaces = NULL;
    jo_surfaces *s = calloc(1, sizeof *s);
    if (s == NULL) return jo_fail_memory(error, sizeof *s, "the walls");
    const jo_status status = fill(s, scene, error);
    if (status == JO_OK)
        *surfaces = s;
    else
        jo_surfaces_destroy(s);
    return status;
}

/* A point as the wall sees it. */
static void own_place(const surface *w, const double x[3], double own[3])
{
    double d[3];
    for (int a = 0; a < 3; a++)
        d[a] = x[a] - w->pose.pivot[a] - w->pose.displacement[a];
    for (int a = 0; a < 3; a++) /* the inverse of a rotation is its transpose */
        own[a] = w->pose.pivot[a] + w->pose.rotation[a] * d[0] + w->pose.rotation[3 + a] * d[1] +
                 w->pose.rotation[6 + a] * d[2];
}

/* Whether a point is in what a polygon says is solid: on which side of how many segments it is. */
static bool in_solid(const surface *w, const double x[3])
{
    double own[3];
    bool inside = false;
    if (w->solid == JO_SOLID_NONE) return false;
    own_place(w, x, own);
    for (size_t k = 0; k < w->segment_count; k++) {
        const double *s = w->segments + 4 * k;
        if ((s[1] > own[1]) != (s[3] > own[1]) &&
            own[0] < s[0] + (s[2] - s[0]) * (own[1] - s[1]) / (s[3] - s[1]))
            inside = !inside;
    }
    return inside == (w->solid == JO_SOLID_INSIDE);
}

static size_t touches_of(jo_surfaces *s, const surface *w, const double x[3], double r,
                         wall_touch touches[WALL_TOUCHES])
{
    double own[3];
    own_place(w, x, own);
    const size_t near = jo_wall_near(w->shape, own, r, s->near, s->room);
    return near == 0 ? 0 : jo_wall_touch(w->shape, own, r, s->near, near, touches);
}

JO_API bool jo_surfaces_clear(jo_surfaces *s, const double x[3], double r)
{
    wall_touch touches[WALL_TOUCHES];
    for (size_t k = 0; k < s->count; k++)
        if (in_solid(&s->walls[k], x) ||
            touches_of(s, &s->walls[k], x, r * (1.0 - 1e-9), touches) > 0)
            return false;
    return true;
}

JO_API void jo_surfaces_push(jo_surfaces *s, const double x[3], double r, double push[3])
{
    wall_touch touches[WALL_TOUCHES];
    for (size_t k = 0; k < s->count; k++) {
        const double *rotation = s->walls[k].pose.rotation;
        const size_t count = touches_of(s, &s->walls[k], x, r, touches);
        for (size_t t = 0; t < count; t++)
            for (int a = 0; a < 3; a++)
                push[a] += (r - touches[t].gap) * dot3(rotation + 3 * a, touches[t].normal);
    }
}
