/* polygons_change.c — scenes of hard polygons changed while they run: gravity, contacts, walls that
 * are opened and shut, bodies that are added.
 *
 * A change is made at a time, after everything that happens up to it: what is cut into calls of
 * advance in another way, and changed at the same times, ends with the same bits. Events have times
 * to the last digit, and the times of a run are sums; so a change that follows an event waits for a
 * few last digits more, until it is certain that the event is before it.
 *
 * What is changed is part of the world, and saved with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hard/kinetic_alter.h"
#include "hard/polygons.h"

enum { DEFAULT_CORNERS = 8 };
static const double LAST_DIGITS = 8e-16;

static bool follows_event(const jo_polygons *p)
{
    const jo_kinetic *k = p->world;
    return !(p->time > k->last.time) || !(k->now > k->instant);
}

static jo_status settle(jo_polygons *p, jo_error *error)
{
    jo_status status = JO_OK;
    for (int tries = 0; tries < 100 && p->time > 0.0 && follows_event(p) && status == JO_OK;
         tries++)
        status = jo_polygons_advance(p, p->time * (1.0 + LAST_DIGITS), 0, error);
    return status;
}

static double energy_of(jo_polygons *p)
{
    const jo_kinetic_energy e = jo_kinetic_measure(p->world);
    return e.translation + e.rotation + e.potential;
}

JO_API jo_status jo_polygons_set_gravity(jo_polygons *p, const double gravity[3], jo_error *error)
{
    if (!isfinite(gravity[0]) || !isfinite(gravity[1]) || gravity[2] != 0.0)
        return jo_fail(error, JO_ERR_DATA,
                       "gravity (%g, %g, %g): it must be finite, and 0 along z in two dimensions",
                       gravity[0], gravity[1], gravity[2]);
    jo_status status = settle(p, error);
    if (status != JO_OK) return status;
    const double before = jo_kinetic_measure(p->world).potential;
    status = jo_kinetic_set_gravity(p->world, gravity, error);
    p->gravity[0] = gravity[0];
    p->gravity[1] = gravity[1];
    p->start += jo_kinetic_measure(p->world).potential - before; /* heights count otherwise now */
    return status;
}

static jo_status set_contact(jo_polygons *p, uint32_t a, uint32_t b, double friction,
                             double restitution, jo_error *error)
{
    jo_kinetic *k = p->world;
    if (a >= k->materials || b >= k->materials)
        return jo_fail(error, JO_ERR_DATA, "materials %u and %u: there are %u", a, b, k->materials);
    const size_t pair = (size_t)a * k->materials + b;
    const jo_status status = settle(p, error);
    if (status != JO_OK) return status;
    jo_kinetic_set_contact(k, a, b, isnan(friction) ? k->friction[pair] : friction,
                           isnan(restitution) ? k->restitution[pair] : restitution);
    return JO_OK;
}

JO_API jo_status jo_polygons_set_friction(jo_polygons *p, uint32_t a, uint32_t b, double friction,
                                          jo_error *error)
{
    if (!(friction >= 0.0) || !isfinite(friction))
        return jo_fail(error, JO_ERR_DATA, "friction %g; it must be 0 or above and finite",
                       friction);
    return set_contact(p, a, b, friction, (double)NAN, error);
}

JO_API jo_status jo_polygons_set_restitution(jo_polygons *p, uint32_t a, uint32_t b,
                                             double restitution, jo_error *error)
{
    if (!(restitution >= 0.0 && restitution <= 1.0))
        return jo_fail(error, JO_ERR_DATA, "restitution %g; it must be from 0 to 1", restitution);
    return set_contact(p, a, b, (double)NAN, restitution, error);
}

JO_API void jo_polygons_gravity(const jo_polygons *p, double gravity[3])
{
    gravity[0] = p->world->gravity[0];
    gravity[1] = p->world->gravity[1];
    gravity[2] = 0.0;
}

JO_API jo_contact_def jo_polygons_contact_def(const jo_polygons *p, uint32_t a, uint32_t b)
{
    const jo_kinetic *k = p->world;
    const size_t pair = (size_t)a * k->materials + b;
    jo_contact_def c = {0};
    if (a >= k->materials || b >= k->materials) return c;
    c.friction = k->friction[pair];
    c.restitution = k->restitution[pair];
    return c;
}

/* ---- bodies and walls that are put in ---- */

/* One body, put in now; a refusal changes nothing. */
static jo_status put_in(jo_polygons *p, const jo_kinetic_def *one, const char *what,
                        jo_error *error)
{
    jo_error why = {0}, named = {0};
    jo_status status = jo_kinetic_insert(p->world, one, NULL, &why);
    if (status == JO_OK) return JO_OK;
    jo_polygons_fail_named(p, &why, &named);
    return jo_fail(error, status, "%s: %.400s", what, named.text);
}

static jo_status shut(jo_polygons *p, size_t wall, jo_error *error)
{
    polygon_wall *w = &p->walls[wall];
    double centre[2], angle, *corners = malloc(2 * w->corners * sizeof *corners);
    const size_t first[2] = {0, w->corners};
    const double density = 1.0;
    const uint8_t fixed = w->moves ? 2 : 1;
    const uint64_t id = JO_POLYGONS_WALL + wall;
    char what[128];
    if (corners == NULL) return jo_fail_memory(error, 16 * w->corners, "a wall");
    jo_polygon_wall_pose(w, p->time, centre, &angle);
    for (size_t c = 0; c < w->corners; c++) {
        const double x = w->outline[2 * c] - w->centre[0], y = w->outline[2 * c + 1] - w->centre[1];
        corners[2 * c] = centre[0] + cos(angle) * x - sin(angle) * y;
        corners[2 * c + 1] = centre[1] + sin(angle) * x + cos(angle) * y;
    }
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = 1;
    def.first = first;
    def.corners = corners;
    def.density = &density;
    def.fixed = &fixed;
    def.material = &w->wall.material;
    def.id = &id;
    snprintf(what, sizeof what, "wall '%.60s' cannot be shut", w->wall.name);
    jo_status status = put_in(p, &def, what, error);
    free(corners);
    if (status != JO_OK) return status;
    w->gone = false;
    w->turn = w->moves ? p->time : (double)INFINITY;
    return w->moves ? jo_polygon_wall_steer(p, wall, error) : JO_OK;
}

JO_API jo_status jo_polygons_set_wall(jo_polygons *p, size_t wall, bool present, jo_error *error)
{
    if (wall >= p->wall_count)
        return jo_fail(error, JO_ERR_DATA, "there is no wall %zu; there are %zu", wall,
                       p->wall_count);
    jo_status status = settle(p, error);
    if (status != JO_OK) return status;
    polygon_wall *w = &p->walls[wall];
    if (w->gone && present) return shut(p, wall, error);
    const uint32_t body = w->gone ? TRI_NONE : jo_polygons_wall_body(p, wall);
    if (!w->gone && body == TRI_NONE)
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%.60s' is around everything: it stays where it is", w->wall.name);
    w->until = (double)INFINITY;
    if (present || w->gone) return JO_OK;
    w->turn = (double)INFINITY;
    w->gone = true;
    p->last_left = p->time; /* a way out may be open now */
    p->jammed = false;
    return jo_kinetic_take_out(p->world, body, error);
}

/* The body that a new one is to look like: the one of that id, or the first that moves; TRI_NONE:
 * there is none. */
static uint32_t find_model(const jo_polygons *p, uint32_t like)
{
    const jo_kinetic *k = p->world;
    uint32_t found = TRI_NONE;
    for (uint32_t i = 0; i < k->bodies; i++) {
        const kin_body *b = &k->body[i];
        if (!is_grain(p, i) || (like == JO_NO_SHAPE ? b->inverse_mass == 0.0 : b->id != like))
            continue;
        if (found == TRI_NONE || b->id < k->body[found].id) found = i;
    }
    return found;
}

/* Corners of radius r around x, like the model's, or equal ones. */
static void put_corners(const jo_polygons *p, uint32_t model, const jo_body_def *body, size_t n,
                        double *corners)
{
    const jo_kinetic *k = p->world;
    for (size_t c = 0; c < n; c++) {
        const double turn = 6.283185307179586 * (double)c / (double)n;
        double at[2] = {cos(turn), sin(turn)}, scale = body->r;
        if (model != TRI_NONE) {
            memcpy(at, k->local + 2 * (k->body[model].first + c), sizeof at);
            scale /= k->body[model].radius;
        }
        corners[2 * c] = body->x[0] + scale * at[0];
        corners[2 * c + 1] = body->x[1] + scale * at[1];
    }
}

static jo_status check_added(const jo_polygons *p, const jo_body_def *b, jo_error *error)
{
    if (b->material >= p->world->materials)
        return jo_fail(error, JO_ERR_DATA, "material %u: there are %u", b->material,
                       p->world->materials);
    if (!(b->r > 0.0) || !isfinite(b->r))
        return jo_fail(error, JO_ERR_DATA, "a radius of %g; it must be above 0 and finite", b->r);
    if (!isfinite(b->x[0] + b->x[1] + b->v[0] + b->v[1] + b->w[2]))
        return jo_fail(error, JO_ERR_DATA, "place, velocity and spin must be finite");
    return JO_OK;
}

JO_API jo_status jo_polygons_add(jo_polygons *p, const jo_body_def *body, uint64_t *id,
                                 jo_error *error)
{
    jo_status status = check_added(p, body, error);
    if (status == JO_OK) status = settle(p, error);
    if (status != JO_OK) return status;
    const uint32_t model = find_model(p, body->shape);
    if (model == TRI_NONE && body->shape != JO_NO_SHAPE)
        return jo_fail(error, JO_ERR_DATA, "there is no body %u to take the shape of", body->shape);
    const size_t n = model != TRI_NONE ? p->world->body[model].count : DEFAULT_CORNERS;
    const size_t first[2] = {0, n};
    const uint64_t next = p->next_id;
    double *corners = malloc(2 * n * sizeof *corners);
    if (corners == NULL) return jo_fail_memory(error, 16 * n, "a body");
    put_corners(p, model, body, n, corners);
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = 1;
    def.first = first;
    def.corners = corners;
    def.v = body->v;
    def.spin = &body->w[2];
    def.density = &p->density[body->material];
    def.material = &body->material;
    def.id = &next;
    const double before = energy_of(p);
    status = put_in(p, &def, "the body cannot be added", error);
    free(corners);
    if (status != JO_OK) return status;
    p->start += energy_of(p) - before;
    p->inserted++;
    p->next_id++;
    p->mark_every += JO_POLYGONS_MARK_PER_BODY;
    if (id != NULL) *id = next;
    return JO_OK;
}
