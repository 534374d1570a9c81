/* model.c — scenes as data: defaults, ownership, populations. */
#include "jostle/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "scene/geometry_files.h"

static const double none = (double)NAN;

jo_contact_def jo_contact_def_default(void)
{
    return (jo_contact_def){.normal_stiffness = none,
                            .tangential_stiffness = none,
                            .contact_time = none,
                            .restitution = none,
                            .restitution_speed = none,
                            .tangential_restitution = none,
                            .normal_damping = none,
                            .tangential_damping = none,
                            .rolling_stiffness = none,
                            .rolling_damping = none};
}

jo_law jo_law_default(void)
{
    return (jo_law){.normal = JO_NORMAL_HERTZ,
                    .damping = JO_DAMPING_RESTITUTION,
                    .tangential = JO_TANGENTIAL_MINDLIN,
                    .rolling = JO_ROLLING_NONE,
                    .cohesion = JO_COHESION_NONE,
                    .tangential_damping = false,
                    .clip_attraction = false};
}

jo_wall jo_wall_default(jo_wall_kind kind)
{
    return (jo_wall){
        .kind = kind,
        .normal = {0.0, 0.0, 1.0},
        .axis = {0.0, 0.0, 1.0},
        .length = (double)INFINITY,
        .motion = {.stop = (double)INFINITY},
        .servo = {.stress = none, .area = none, .force = none, .gain = none, .speed_max = none},
        .until = (double)INFINITY};
}

jo_group jo_group_default(jo_group_kind kind)
{
    return (jo_group){
        .kind = kind,
        .sizes = {.kind = JO_SIZE_FIXED, .a = none, .b = none, .lo = none, .hi = none},
        .region = {.axis = {0.0, 0.0, 1.0}},
        .seed = 0,
        .spacing = none,
        .fraction = none,
        .rate = none,
        .mass_rate = none,
        .stop = (double)INFINITY,
        .orientation = {none, none, none, none},
        .polygon = {.corners_min = JO_DISC_CORNERS,
                    .corners_max = JO_DISC_CORNERS,
                    .irregularity = 0.6,
                    .aspect = 1.0}};
}

jo_scene jo_scene_default(void)
{
    jo_scene s = {.dim = 3,
                  .law = jo_law_default(),
                  .duration = none,
                  .time_step = none,
                  .skin = none,
                  .hard = {.contact_duration = none,
                           .temperature = none,
                           .thermostat_rate = none,
                           .growth_until = none,
                           .growth_pressure = none},
                  .kinetic = {.gap = none,
                              .least_speed = none,
                              .period = none,
                              .look_every = none,
                              .patience = none},
                  .account_energy = true,
                  .overlap_alarm = 0.1,
                  .seed = 1,
                  .outputs = {.trajectory = none,
                              .vtp = none,
                              .dump = none,
                              .series = none,
                              .checkpoint = none,
                              .checkpoint_wall = 600.0}};
    strcpy(s.engine, "soft");
    strcpy(s.broad, "auto");
    return s;
}

void jo_scene_free(jo_scene *scene)
{
    if (scene == NULL) return;
    for (size_t k = 0; k < scene->group_count; k++) {
        jo_population_free(&scene->groups[k].listed);
        free(scene->groups[k].path);
        free(scene->groups[k].file_format);
        free(scene->groups[k].polygon.points);
    }
    for (size_t k = 0; k < scene->wall_count; k++) {
        free(scene->walls[k].triangles);
        free(scene->walls[k].path);
    }
    for (size_t k = 0; k < scene->shape_count; k++)
        jo_polyhedron_destroy(scene->shapes[k]);
    free(scene->shapes);
    free(scene->title);
    free(scene->materials);
    free(scene->contacts);
    free(scene->groups);
    free(scene->walls);
    free(scene->gates);
    free(scene->source);
    free(scene->folder);
    jo_geometry_files_free(scene->geometry, scene->geometry_count);
    *scene = (jo_scene){0};
}

jo_status jo_population_allocate(jo_population *p, size_t n, jo_error *error)
{
    *p = (jo_population){0};
    if (n > JO_BODIES_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "%zu bodies; jostle can hold at most %zu", n,
                       JO_BODIES_MAX);
    const size_t room = n > 0 ? n : 1;
    p->x = calloc(room * 3, sizeof *p->x);
    p->v = calloc(room * 3, sizeof *p->v);
    p->w = calloc(room * 3, sizeof *p->w);
    p->r = calloc(room, sizeof *p->r);
    p->material = calloc(room, sizeof *p->material);
    p->fixed = calloc(room, sizeof *p->fixed);
    p->id = calloc(room, sizeof *p->id);
    if (p->x == NULL || p->v == NULL || p->w == NULL || p->r == NULL || p->material == NULL ||
        p->fixed == NULL || p->id == NULL) {
        jo_population_free(p);
        return jo_fail_memory(error, room * (10 * sizeof(double) + 13), "the bodies");
    }
    p->n = n;
    for (size_t i = 0; i < n; i++)
        p->id[i] = i;
    return JO_OK;
}

void jo_population_free(jo_population *p)
{
    if (p == NULL) return;
    free(p->x);
    free(p->v);
    free(p->w);
    free(p->r);
    free(p->material);
    free(p->fixed);
    free(p->id);
    free(p->shape);
    free(p->q);
    free(p->outline_first);
    free(p->outline);
    *p = (jo_population){0};
}

jo_status jo_population_allocate_shapes(jo_population *p, jo_error *error)
{
    const size_t room = p->n > 0 ? p->n : 1;
    p->shape = malloc(room * sizeof *p->shape);
    p->q = calloc(room * 4, sizeof *p->q);
    if (p->shape == NULL || p->q == NULL)
        return jo_fail_memory(error, room * (4 * sizeof(double) + 4), "the bodies' shapes");
    for (size_t i = 0; i < p->n; i++) {
        p->shape[i] = JO_NO_SHAPE;
        p->q[4 * i] = 1.0;
    }
    return JO_OK;
}

jo_status jo_scene_add_shape(jo_scene *scene, jo_polyhedron *shape, uint32_t *index,
                             jo_error *error)
{
    jo_polyhedron **grown =
        realloc(scene->shapes, (scene->shape_count + 1) * sizeof *scene->shapes);
    if (grown == NULL) {
        jo_polyhedron_destroy(shape);
        return jo_fail_memory(error, sizeof *grown, "the shapes of bodies");
    }
    scene->shapes = grown;
    *index = (uint32_t)scene->shape_count;
    scene->shapes[scene->shape_count++] = shape;
    return JO_OK;
}

/* A rotation at random, evenly over all: a direction in four dimensions. */
static void random_turn(random_stream *r, double q[4])
{
    double square = 0.0;
    for (int a = 0; a < 4; a++) {
        q[a] = jo_random_normal(r);
        square += q[a] * q[a];
    }
    for (int a = 0; a < 4; a++)
        q[a] = square > 0.0 ? q[a] / sqrt(square) : a == 0;
}

/* One of the two sizes around a radius, by a chance that keeps the mean of the cubes: each size of
 * a polyhedron is a body of its own in memory, so that there can only be a few. */
static double size_around(double lo, double hi, double radius, double chance)
{
    enum { LAST = JO_SHAPE_SIZES - 1 };
    const double class = fmin(floor((radius - lo) / (hi - lo) * LAST), LAST - 1.0);
    const double below = lo + (hi - lo) * class / LAST,
                 above = fmin(lo + (hi - lo) * (class + 1.0) / LAST, hi);
    const double cube = below * below * below;
    const double share = (radius * radius * radius - cube) / (above * above * above - cube);
    return chance < share ? above : below;
}

double jo_group_radius(const jo_group *group, uint64_t k)
{
    enum { STREAM_SIZE = 0x73697a };
    const jo_sizes *sizes = &group->sizes;
    const double radius = jo_sizes_draw(sizes, group->seed, k);
    const double lo = jo_sizes_smallest(sizes), hi = jo_sizes_largest(sizes);
    const bool few = sizes->kind == JO_SIZE_FIXED || sizes->kind == JO_SIZE_LIST;
    if (group->shapes == 0 || few || !(hi > lo)) return radius;
    random_stream r = jo_random_start(group->seed ^ STREAM_SIZE, k);
    return size_around(lo, hi, radius, jo_random_uniform(&r));
}

void jo_group_shape(const jo_group *group, uint64_t k, uint32_t *shape, double q[4])
{
    enum { STREAM_SHAPE = 0x736861 };
    *shape = JO_NO_SHAPE;
    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
    if (group->shapes == 0) return;
    random_stream r = jo_random_start(group->seed ^ STREAM_SHAPE, k);
    *shape = group->shape + (uint32_t)(jo_random_uniform(&r) * group->shapes);
    if (isnan(group->orientation[0]))
        random_turn(&r, q);
    else {
        double square = 0.0;
        for (int a = 0; a < 4; a++)
            square += group->orientation[a] * group->orientation[a];
        for (int a = 0; a < 4; a++)
            q[a] = group->orientation[a] / sqrt(square);
    }
}
