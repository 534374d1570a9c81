/* polygons_factory.c — hard polygons that are made while a scene runs.
 *
 * A factory owes bodies at its rate, from its start on. Whenever the scene is looked at for bodies
 * that left, it pays: for each body a radius and a shape are drawn by its number, and places in the
 * region by a counter, until the circle around it is clear of everything. What finds no room is
 * owed on; a factory that is blocked for long raises an alarm. Cost per body: a walk through the
 * triangulation for each place that is tried, and the triangles around the one it gets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "hard/polygons.h"
#include "jostle/outline.h"
#include "scene/region.h"

enum { TRIES = 40, BLOCKED_ALARM = 100, STREAM_PLACE = 0x706c61, STREAM_VELOCITY = 0x76656c };

jo_status jo_polygons_factories(jo_polygons *p, const jo_scene *scene, jo_error *error)
{
    p->factories = calloc(scene->group_count + 1, sizeof *p->factories);
    if (p->factories == NULL) return jo_fail_memory(error, sizeof *p->factories, "factories");
    for (size_t g = 0; g < scene->group_count; g++) {
        if (scene->groups[g].kind != JO_GROUP_FACTORY) continue;
        polygon_factory *f = &p->factories[p->factory_count++];
        f->group = scene->groups[g];
        f->density = scene->materials[f->group.material].density;
        f->group.path = f->group.file_format = NULL;
        f->group.listed = (jo_population){0};
        const jo_polygon_shape *shape = &scene->groups[g].polygon;
        f->group.polygon.points = NULL;
        if (shape->points == NULL) continue;
        f->group.polygon.points = malloc(2 * shape->count * sizeof(double));
        if (f->group.polygon.points == NULL)
            return jo_fail_memory(error, 16 * shape->count, "factories");
        memcpy(f->group.polygon.points, shape->points, 2 * shape->count * sizeof(double));
    }
    return JO_OK;
}

void jo_polygons_free_factories(jo_polygons *p)
{
    for (size_t k = 0; k < p->factory_count; k++)
        free(p->factories[k].group.polygon.points);
    free(p->factories);
}

double jo_polygons_factory_size(const jo_polygons *p)
{
    double sum = 0.0;
    for (size_t k = 0; k < p->factory_count; k++)
        sum += jo_sizes_mean(&p->factories[k].group.sizes);
    return p->factory_count > 0 ? sum / (double)p->factory_count : 0.0;
}

/* What it should have made by now, in bodies or mass. */
static double owed(const polygon_factory *f, double time)
{
    const jo_group *g = &f->group;
    const double end = fmin(time, g->stop);
    if (!(end > g->start) || (g->count > 0 && f->made >= g->count)) return 0.0;
    return (isnan(g->mass_rate) ? g->rate : g->mass_rate) * (end - g->start) - f->paid;
}

/* Looks for a place; false: none of those tried is free. */
static jo_status find_place(jo_polygons *p, polygon_factory *f, double r, double x[3], bool *found,
                            jo_error *error)
{
    const jo_group *g = &f->group;
    *found = false;
    for (int t = 0; t < TRIES && !*found; t++) {
        random_stream s = jo_random_start(g->seed ^ STREAM_PLACE, f->tries++);
        const double u[3] = {jo_random_uniform(&s), jo_random_uniform(&s), 0.0};
        if (!jo_region_draw(&g->region, 2, r, u, x))
            return jo_fail(error, JO_ERR_DATA,
                           "factory '%s': a body of radius %g does not fit into its region",
                           g->name, r);
        *found = jo_kinetic_is_clear(p->world, x, r);
    }
    return JO_OK;
}

static void count_in(jo_polygons *p, const kin_body *b)
{
    const flat_body *m = &b->motion;
    p->gone -= 0.5 * b->mass * (m->v[0] * m->v[0] + m->v[1] * m->v[1]) +
               0.5 * b->inertia * m->spin * m->spin -
               b->mass * (p->gravity[0] * m->x[0] + p->gravity[1] * m->x[1]);
    p->inserted++;
    p->next_id++;
    p->mark_every += JO_POLYGONS_MARK_PER_BODY;
}

/* Body number f->made at x, with the n corners around it. */
static jo_status insert(jo_polygons *p, polygon_factory *f, const double x[3], double *points,
                        size_t n, jo_error *error)
{
    const jo_group *g = &f->group;
    const size_t first[2] = {0, n};
    random_stream s = jo_random_start(g->seed ^ STREAM_VELOCITY, f->made);
    double v[2];
    for (size_t a = 0; a < 2; a++)
        v[a] = g->velocity[a] +
               (g->velocity_spread > 0.0 ? g->velocity_spread * jo_random_normal(&s) : 0.0);
    for (size_t c = 0; c < 2 * n; c++)
        points[c] += x[c % 2];
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = 1;
    def.first = first;
    def.corners = points;
    def.v = v;
    def.spin = &g->spin[2];
    def.density = &f->density;
    def.material = &g->material;
    def.id = &p->next_id;
    const jo_status status = jo_kinetic_insert(p->world, &def, NULL, error);
    if (status == JO_OK) count_in(p, &p->world->body[p->world->bodies - 1]);
    return status;
}

static jo_status pay(jo_polygons *p, polygon_factory *f, double *points, jo_error *error)
{
    const jo_group *g = &f->group;
    jo_status status = JO_OK;
    bool room = true;
    size_t placed = 0;
    while (status == JO_OK && room) {
        const double r = jo_sizes_draw(&g->sizes, g->seed, f->made);
        size_t n;
        double x[3];
        status = jo_group_outline(g, f->made, r, points, &n, error);
        if (status != JO_OK) break;
        const double mass = f->density * jo_outline_measure(points, n).area;
        const double price = isnan(g->mass_rate) ? 1.0 : mass;
        if (owed(f, p->time) < price) break;
        status = find_place(p, f, r, x, &room, error);
        if (status == JO_OK && room) status = insert(p, f, x, points, n, error);
        if (status != JO_OK || !room) break;
        f->paid += price;
        f->made++;
        placed++;
    }
    f->blocked = room || placed > 0 ? 0 : f->blocked + 1;
    if (f->blocked == BLOCKED_ALARM)
        jo_polygons_raise(
            p, JO_ALARM_INSERT, JO_NO_BODY,
            "factory '%s' finds no room: its region is full; lower the rate, or let bodies "
            "leave the region faster",
            g->name);
    return status;
}

jo_status jo_polygons_pay(jo_polygons *p, jo_error *error)
{
    jo_status status = JO_OK;
    for (size_t k = 0; k < p->factory_count && status == JO_OK; k++) {
        polygon_factory *f = &p->factories[k];
        const size_t room = jo_group_outline_room(&f->group);
        if (!jo_buffer_reserve(&p->memory_outline, 2 * room, sizeof(double)))
            return jo_fail_memory(error, 16 * room, "a factory");
        status = pay(p, f, p->memory_outline.data, error);
    }
    return status;
}
