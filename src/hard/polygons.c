/* polygons.c — hard polygons as scenes describe them: making, and going on.
 *
 * The world of kinetic.h runs from one of the times in polygons.h to the next. None of these
 * depends on how a run is cut into calls, so neither does the result. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "hard/polygons.h"
#include "jostle/outline.h"
#include "scene/wall_outline.h"

/* Events between marks, and the part of a period that they must take at least. */
enum { MARK_EVENTS = 20000 };
static const double MARK_TIME = 1e-5;

/* Looks for bodies that left per time to cross a mean radius; patience in such times. */
static const double LOOKS = 1.0, PATIENCE = 40.0;

JO_API jo_polygons_options jo_polygons_options_default(void)
{
    return (jo_polygons_options){0};
}

JO_API void jo_polygons_destroy(jo_polygons *p)
{
    if (p == NULL) return;
    jo_kinetic_destroy(p->world);
    for (size_t w = 0; w < p->wall_count && p->walls != NULL; w++)
        free(p->walls[w].outline);
    free(p->density);
    free(p->walls);
    free(p->gates);
    free(p->beyond);
    jo_polygons_free_factories(p);
    jo_buffer_free(&p->memory_frame);
    jo_buffer_free(&p->memory_sides);
    jo_buffer_free(&p->memory_saved);
    jo_buffer_free(&p->memory_leavers);
    jo_buffer_free(&p->memory_outline);
    free(p);
}

void jo_polygons_raise(jo_polygons *p, jo_alarm_kind kind, uint64_t id, const char *format, ...)
{
    jo_alarm *alarm = &p->alarms[kind];
    if (alarm->count++ > 0) return;
    alarm->kind = kind;
    alarm->time = p->time;
    alarm->id = id;
    va_list args;
    va_start(args, format);
    vsnprintf(alarm->text, sizeof alarm->text, format, args);
    va_end(args);
}

/* ---- making ---- */

static bool is_moving(const jo_motion *m)
{
    return m->velocity[0] != 0.0 || m->velocity[1] != 0.0 || m->spin[2] != 0.0 ||
           m->amplitude[0] != 0.0 || m->amplitude[1] != 0.0;
}

static jo_status prepare_wall(polygon_wall *to, const jo_wall *wall, jo_error *error)
{
    const size_t n = jo_wall_corners(wall);
    double *corners = malloc(2 * n * sizeof *corners);
    if (corners == NULL) return jo_fail_memory(error, 16 * n, "a wall");
    jo_wall_outline(wall, corners);
    const jo_outline_mass m = jo_outline_measure(corners, n);
    *to = (polygon_wall){.wall = *wall,
                         .centre = {m.centre[0], m.centre[1]},
                         .until = wall->until,
                         .turn = (double)INFINITY,
                         .moves = is_moving(&wall->motion),
                         .outline = corners,
                         .corners = n};
    to->wall.triangles = NULL;
    to->wall.path = NULL;
    if (to->moves) to->turn = 0.0;
    return JO_OK;
}

jo_status jo_polygons_prepare(const jo_scene *scene, jo_polygons **polygons, jo_error *error)
{
    *polygons = NULL;
    if (strcmp(scene->engine, "kinetic") != 0)
        return jo_fail(error, JO_ERR_ARGUMENT, "the scene is for engine %.15s, not kinetic",
                       scene->engine);
    jo_polygons *p = calloc(1, sizeof *p);
    if (p == NULL) return jo_fail_memory(error, sizeof *p, "polygons");
    p->box = scene->domain;
    p->has_box = scene->has_box;
    p->leaving = scene->leaving;
    p->gravity[0] = scene->gravity[0];
    p->gravity[1] = scene->gravity[1];
    p->wall_count = scene->wall_count;
    p->gate_count = scene->gate_count;
    p->walls = calloc(scene->wall_count + 1, sizeof *p->walls);
    p->gates = calloc(scene->gate_count + 1, sizeof *p->gates);
    p->beyond = calloc(scene->gate_count + 1, sizeof *p->beyond);
    p->density = calloc(scene->material_count + 1, sizeof *p->density);
    jo_status status =
        p->walls != NULL && p->gates != NULL && p->beyond != NULL && p->density != NULL
            ? JO_OK
            : jo_fail_memory(error, sizeof *p->walls, "polygons");
    for (size_t k = 0; k < scene->material_count && status == JO_OK; k++)
        p->density[k] = scene->materials[k].density;
    for (size_t w = 0; w < scene->wall_count && status == JO_OK; w++)
        status = prepare_wall(&p->walls[w], &scene->walls[w], error);
    if (status == JO_OK) status = jo_polygons_factories(p, scene, error);
    if (status != JO_OK) {
        jo_polygons_destroy(p);
        return status;
    }
    if (scene->gate_count > 0) memcpy(p->gates, scene->gates, scene->gate_count * sizeof *p->gates);
    *polygons = p;
    return JO_OK;
}

void jo_polygons_choose(jo_polygons *p, const jo_scene *scene)
{
    const double period = p->world->period;
    p->look_every = isnan(scene->kinetic.look_every) ? LOOKS * period : scene->kinetic.look_every;
    p->patience = isnan(scene->kinetic.patience) ? PATIENCE * period : scene->kinetic.patience;
}

/* The arrays of a definition: bodies, then walls. */
typedef struct making {
    jo_kinetic_def def;
    size_t *first;
    double *corners, *v, *spin, *density, *boundary, *restitution, *friction;
    uint8_t *fixed;
    uint32_t *material;
    uint64_t *id;
} making;

static void making_free(making *m)
{
    free(m->first);
    free(m->corners);
    free(m->v);
    free(m->spin);
    free(m->density);
    free(m->boundary);
    free(m->restitution);
    free(m->friction);
    free(m->fixed);
    free(m->material);
    free(m->id);
}

static bool making_start(making *m, const jo_scene *s, const jo_population *bodies)
{
    const size_t n = bodies->n + s->wall_count + 1, pairs = s->material_count * s->material_count;
    size_t corners = bodies->n > 0 ? bodies->outline_first[bodies->n] : 0;
    for (size_t w = 0; w < s->wall_count; w++)
        corners += jo_wall_corners(&s->walls[w]);
    m->first = calloc(n + 1, sizeof *m->first);
    m->corners = calloc(2 * corners + 2, sizeof *m->corners);
    m->v = calloc(2 * n, sizeof *m->v);
    m->spin = calloc(n, sizeof *m->spin);
    m->density = calloc(n, sizeof *m->density);
    m->boundary = calloc(2 * corners + 2, sizeof *m->boundary);
    m->restitution = calloc(pairs + 1, sizeof *m->restitution);
    m->friction = calloc(pairs + 1, sizeof *m->friction);
    m->fixed = calloc(n, 1);
    m->material = calloc(n, sizeof *m->material);
    m->id = calloc(n, sizeof *m->id);
    return m->first != NULL && m->corners != NULL && m->v != NULL && m->spin != NULL &&
           m->density != NULL && m->boundary != NULL && m->restitution != NULL &&
           m->friction != NULL && m->fixed != NULL && m->material != NULL && m->id != NULL;
}

static void add_bodies(making *m, const jo_scene *s, const jo_population *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const size_t from = p->outline_first[i], to = p->outline_first[i + 1];
        for (size_t c = from; c < to; c++)
            for (size_t a = 0; a < 2; a++)
                m->corners[2 * c + a] = p->x[3 * i + a] + p->outline[2 * c + a];
        m->first[i + 1] = to;
        for (size_t a = 0; a < 2; a++)
            m->v[2 * i + a] = p->fixed[i] ? 0.0 : p->v[3 * i + a];
        m->spin[i] = p->fixed[i] ? 0.0 : p->w[3 * i + 2];
        m->fixed[i] = p->fixed[i] ? 1 : 0;
        m->density[i] = s->materials[p->material[i]].density;
        m->material[i] = p->material[i];
        m->id[i] = p->id[i];
    }
    m->def.bodies = p->n;
}

/* A wall as it stands at time 0: the boundary, or a fixed body. */
static void add_wall(making *m, const jo_scene *s, const polygon_wall *w, size_t index)
{
    const jo_wall *wall = &s->walls[index];
    const size_t n = jo_wall_corners(wall), i = m->def.bodies;
    if (jo_wall_is_around(wall)) {
        jo_wall_outline(wall, m->boundary);
        m->def.boundary = n;
        m->def.boundary_material = wall->material;
        return;
    }
    double centre[2], angle, *corners = m->corners + 2 * m->first[i];
    jo_wall_outline(wall, corners);
    jo_polygon_wall_pose(w, 0.0, centre, &angle); /* not turned at time 0 */
    for (size_t c = 0; c < 2 * n; c++)
        corners[c] += centre[c % 2] - w->centre[c % 2];
    m->first[i + 1] = m->first[i] + n;
    m->fixed[i] = w->moves ? 2 : 1;
    m->density[i] = 1.0;
    m->material[i] = wall->material;
    m->id[i] = JO_POLYGONS_WALL + index;
    m->def.bodies++;
}

static void add_rest(making *m, const jo_scene *s)
{
    const jo_kinetic_options *o = &s->kinetic;
    for (size_t k = 0; k < s->material_count * s->material_count; k++) {
        m->restitution[k] = isnan(s->contacts[k].restitution) ? 1.0 : s->contacts[k].restitution;
        m->friction[k] = s->contacts[k].friction;
    }
    m->def.first = m->first;
    m->def.corners = m->corners;
    m->def.v = m->v;
    m->def.spin = m->spin;
    m->def.density = m->density;
    m->def.fixed = m->fixed;
    m->def.material = m->material;
    m->def.id = m->id;
    m->def.boundary_corners = m->boundary;
    m->def.materials = s->material_count;
    m->def.restitution = m->restitution;
    m->def.friction = m->friction;
    m->def.gravity[0] = s->gravity[0];
    m->def.gravity[1] = s->gravity[1];
    m->def.gap = isnan(o->gap) ? 0.0 : o->gap;
    m->def.least_speed = isnan(o->least_speed) ? 0.0 : o->least_speed;
    m->def.period = isnan(o->period) ? 0.0 : o->period;
    m->def.roots = o->roots == JO_ROOTS_STURM   ? JO_KINETIC_STURM
                   : o->roots == JO_ROOTS_EXACT ? JO_KINETIC_EXACT
                                                : JO_KINETIC_FAST;
}

/* The world knows walls as bodies with large ids: messages get their names. */
jo_status jo_polygons_fail_named(const jo_polygons *p, const jo_error *why, jo_error *error)
{
    char text[JO_ERROR_TEXT];
    size_t used = 0;
    const char *from = why->text;
    while (*from != '\0' && used + 1 < sizeof text) {
        char *end;
        const bool body = strncmp(from, "body ", 5) == 0;
        const unsigned long long id = body ? strtoull(from + 5, &end, 10) : 0;
        if (body && id >= JO_POLYGONS_WALL && id - JO_POLYGONS_WALL < p->wall_count) {
            used += (size_t)snprintf(text + used, sizeof text - used, "wall '%s'",
                                     p->walls[id - JO_POLYGONS_WALL].wall.name);
            if (used > sizeof text - 1) used = sizeof text - 1;
            from = end;
        } else {
            text[used++] = *from++;
        }
    }
    text[used] = '\0';
    return jo_fail(error, why->status, "%s", text);
}

static jo_status check_population(const jo_population *b, jo_error *error)
{
    if (b->n > 0 && (b->outline_first == NULL || b->outline == NULL))
        return jo_fail(error, JO_ERR_ARGUMENT, "engine kinetic needs bodies with outlines");
    return JO_OK;
}

static jo_status make_world(jo_polygons *p, const jo_scene *scene, const jo_population *bodies,
                            jo_error *error)
{
    making m = {.def = jo_kinetic_def_default()};
    jo_status status = JO_OK;
    jo_error why = {0};
    if (!making_start(&m, scene, bodies)) {
        status = jo_fail_memory(error, bodies->n, "polygons");
    } else {
        add_bodies(&m, scene, bodies);
        for (size_t w = 0; w < scene->wall_count; w++)
            add_wall(&m, scene, &p->walls[w], w);
        add_rest(&m, scene);
        m.def.size = jo_polygons_factory_size(p);
        status = jo_kinetic_create(&m.def, &p->world, &why);
        if (status != JO_OK) jo_polygons_fail_named(p, &why, error);
    }
    making_free(&m);
    return status;
}

static double energy_of(jo_polygons *p)
{
    const jo_kinetic_energy e = jo_kinetic_measure(p->world);
    return e.translation + e.rotation + e.potential;
}

static jo_status do_due(jo_polygons *p, jo_error *error);

JO_API jo_status jo_polygons_create_with(const jo_scene *scene, const jo_population *bodies,
                                         jo_polygons **polygons, jo_error *error)
{
    const double begin = jo_seconds();
    *polygons = NULL;
    jo_polygons *p = NULL;
    jo_status status = jo_scene_check(scene, error);
    if (status == JO_OK) status = check_population(bodies, error);
    if (status == JO_OK) status = jo_polygons_prepare(scene, &p, error);
    if (status == JO_OK) status = make_world(p, scene, bodies, error);
    if (status == JO_OK) {
        jo_polygons_choose(p, scene);
        p->mark_every = MARK_EVENTS + JO_POLYGONS_MARK_PER_BODY * (uint64_t)p->world->bodies;
        p->start = energy_of(p);
        for (size_t i = 0; i < bodies->n; i++)
            p->next_id = bodies->id[i] >= p->next_id ? bodies->id[i] + 1 : p->next_id;
        status = do_due(p, error);
    }
    if (status != JO_OK) {
        jo_polygons_destroy(p);
        return status;
    }
    p->seconds_making = jo_seconds() - begin;
    *polygons = p;
    return JO_OK;
}

JO_API jo_status jo_polygons_create(const jo_scene *scene, const jo_polygons_options *options,
                                    jo_polygons **polygons, jo_error *error)
{
    const double begin = jo_seconds();
    const jo_polygons_options o = options != NULL ? *options : jo_polygons_options_default();
    jo_population bodies;
    *polygons = NULL;
    jo_status status = jo_scene_populate(scene, &bodies, o.progress, o.progress_context, error);
    if (status == JO_OK) status = jo_polygons_create_with(scene, &bodies, polygons, error);
    jo_population_free(&bodies);
    if (status == JO_OK) (*polygons)->seconds_making = jo_seconds() - begin;
    return status;
}

/* ---- what is due ---- */

uint32_t jo_polygons_bodies(const jo_polygons *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->world->bodies; i++)
        n += is_grain(p, i);
    return n;
}

uint32_t jo_polygons_wall_body(const jo_polygons *p, size_t wall)
{
    const jo_kinetic *k = p->world;
    const uint64_t id = JO_POLYGONS_WALL + wall;
    uint32_t *known = &p->walls[wall].body; /* numbers change when bodies before it leave */
    if (!(*known < k->bodies) || k->body[*known].id != id || k->body[*known].gone)
        *known = jo_kinetic_find(k, id);
    return *known;
}

static bool lets_leave(const jo_polygons *p)
{
    return p->has_box && p->leaving != JO_LEAVING_KEEP;
}

static bool looks(const jo_polygons *p)
{
    return lets_leave(p) || p->factory_count > 0;
}

static double next_look(const jo_polygons *p)
{
    return looks(p) ? (double)(p->looks + 1) * p->look_every : (double)INFINITY;
}

static double next_due(const jo_polygons *p)
{
    double next = next_look(p);
    for (size_t w = 0; w < p->wall_count; w++)
        next = fmin(next, fmin(p->walls[w].until, p->walls[w].turn));
    return next;
}

static jo_status take_wall_away(jo_polygons *p, size_t w, jo_error *error)
{
    const uint32_t body = jo_polygons_wall_body(p, w);
    p->walls[w].until = p->walls[w].turn = (double)INFINITY;
    p->walls[w].gone = true;
    p->last_left = p->time; /* a way out may be open now */
    p->jammed = false;
    return jo_kinetic_take_out(p->world, body, error);
}

/* Notes what a body takes along that is to be removed. */
static void count_out(jo_polygons *p, uint32_t i, const polygon_now *now)
{
    const kin_body *b = &p->world->body[i];
    const double *x = now->x, *v = now->v;
    p->gone += 0.5 * b->mass * (v[0] * v[0] + v[1] * v[1]) +
               0.5 * b->inertia * now->spin * now->spin -
               b->mass * (p->gravity[0] * x[0] + p->gravity[1] * x[1]);
    for (size_t g = 0; g < p->gate_count; g++) {
        const jo_gate *gate = &p->gates[g];
        if ((x[0] - gate->point[0]) * gate->normal[0] + (x[1] - gate->point[1]) * gate->normal[1] >
            0.0)
            p->beyond[g] += b->mass;
    }
    p->removed++;
    p->last_left = p->time;
    p->jammed = false;
    if (p->leaving == JO_LEAVING_ALARM)
        jo_polygons_raise(
            p, JO_ALARM_ESCAPE, b->id,
            "body %llu is at (%g, %g), outside the box, and was removed. If it may leave, say "
            "'leaving: remove'",
            (unsigned long long)b->id, x[0], x[1]);
}

static void look_for_jam(jo_polygons *p, uint32_t bodies)
{
    if (p->leaving != JO_LEAVING_REMOVE || p->jammed || bodies == 0) return;
    if (!(p->time - p->last_left > p->patience)) return;
    for (size_t w = 0; w < p->wall_count; w++)
        if (isfinite(p->walls[w].until)) return; /* a lid is still there */
    p->jammed = true;
    jo_polygons_raise(
        p, JO_ALARM_JAM, JO_NO_BODY,
        "the hopper has jammed at t = %.6g: no body has left since then; %u %s still there",
        p->last_left, bodies, bodies == 1 ? "is" : "are");
}

static jo_status look_for_leavers(jo_polygons *p, jo_error *error)
{
    jo_kinetic *k = p->world;
    uint32_t movable = 0;
    size_t count = 0;
    jo_kinetic_pack(k);
    if (!jo_buffer_reserve(&p->memory_leavers, k->bodies, sizeof(uint32_t)))
        return jo_fail_memory(error, 4 * (size_t)k->bodies, "bodies that left");
    uint32_t *leavers = p->memory_leavers.data;
    for (uint32_t i = 0; i < k->bodies; i++) {
        if (!is_grain(p, i) || k->body[i].inverse_mass == 0.0) continue;
        const polygon_now now = jo_polygons_see(p, i);
        bool out = false;
        for (int a = 0; a < 2; a++)
            out = out || now.x[a] < p->box.lo[a] || now.x[a] > p->box.hi[a];
        movable += !out;
        if (!out) continue;
        count_out(p, i, &now);
        leavers[count++] = i;
    }
    look_for_jam(p, movable);
    jo_status status = JO_OK;
    while (count > 0 && status == JO_OK) /* from the last: numbers before it stay */
        status = jo_kinetic_take_out(k, leavers[--count], error);
    return status;
}

/* All that is due at the present time. */
static jo_status do_due(jo_polygons *p, jo_error *error)
{
    jo_status status = JO_OK;
    for (size_t w = 0; w < p->wall_count && status == JO_OK; w++)
        if (p->walls[w].until <= p->time) status = take_wall_away(p, w, error);
    for (size_t w = 0; w < p->wall_count && status == JO_OK; w++)
        if (p->walls[w].turn <= p->time) status = jo_polygon_wall_steer(p, w, error);
    if (status != JO_OK || !(next_look(p) <= p->time)) return status;
    p->looks++;
    if (lets_leave(p)) status = look_for_leavers(p, error);
    return status == JO_OK ? jo_polygons_pay(p, error) : status;
}

/* ---- going on ---- */

/* Walls that move may leave no room for what is between them: then events come ever faster, and
 * there is no end to them. */
static jo_status look_for_crush(jo_polygons *p, jo_error *error)
{
    const jo_kinetic *k = p->world;
    const double now = k->base + k->now, since = now - p->mark_time;
    p->mark_time = now;
    if (since > MARK_TIME * k->period) return JO_OK;
    const tri_input in = jo_kinetic_input(k);
    const uint32_t *corner = k->last.corner;
    return jo_fail(error, JO_ERR_PHYSICS,
                   "bodies are crushed at time %.9g: %llu events in %.3g, the last of them between "
                   "%s and %s; perhaps a wall that moves leaves no room",
                   now, (unsigned long long)p->mark_every, since, jo_tri_name(&in, corner[0]).text,
                   jo_tri_name(&in, corner[1]).text);
}

/* To the time `until`, from mark to mark; *there is false where `stop` events came first. */
static jo_status run_world(jo_polygons *p, double until, uint64_t stop, bool *there,
                           jo_error *error)
{
    jo_kinetic *k = p->world;
    *there = true;
    while (until > jo_kinetic_time(k) && k->events < stop) {
        const uint64_t mark = (k->events / p->mark_every + 1) * p->mark_every;
        const uint64_t most = (mark < stop ? mark : stop) - k->events, before = k->events;
        jo_status status = jo_kinetic_advance(k, until, most, error);
        if (status == JO_OK && k->events >= mark) status = look_for_crush(p, error);
        if (status != JO_OK) return status;
        if (k->events - before < most) return JO_OK;
    }
    *there = !(until > jo_kinetic_time(k));
    return JO_OK;
}

JO_API jo_status jo_polygons_advance(jo_polygons *p, double until, uint64_t events, jo_error *error)
{
    jo_kinetic *world = p->world;
    const uint64_t stop = events > 0 ? world->events + events : UINT64_MAX;
    jo_error why = {0};
    if (!(until >= p->time))
        return jo_fail(error, JO_ERR_ARGUMENT, "time is %g already; there is no way back to %g",
                       p->time, until);
    if (isinf(until) && events == 0)
        return jo_fail(error, JO_ERR_ARGUMENT, "a run needs an end: a time or a number of events");
    while (p->time < until && world->events < stop) {
        const double due = next_due(p), target = due < until ? due : until;
        bool there;
        jo_status status = run_world(p, target, stop, &there, &why);
        if (status != JO_OK) return jo_polygons_fail_named(p, &why, error);
        if (!there) {
            p->time = jo_kinetic_time(world);
            break;
        }
        p->time = target;
        if (target == due) status = do_due(p, &why);
        if (status != JO_OK) return jo_polygons_fail_named(p, &why, error);
    }
    return JO_OK;
}

JO_API double jo_polygons_time(const jo_polygons *p)
{
    return p->time;
}

JO_API uint64_t jo_polygons_event_count(const jo_polygons *p)
{
    return p->world->events;
}
