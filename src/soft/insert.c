/* insert.c — bodies that come and go: factories, and those that leave the box.
 *
 * A factory owes bodies at its rate. From time to time it pays: for each body a radius and a place
 * in its region are drawn, by counters and not by chance, until the place is free of bodies and
 * walls. What finds no room is owed on; a factory that is blocked for long raises an alarm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "base/timer.h"
#include "scene/region.h"
#include "soft/poly.h"

/* Factories pay at most once in so many steps, and look for a place so many times per body. */
enum { PAY_EVERY = 50, TRIES = 40, BLOCKED_ALARM = 100 };
/* Bodies that are due and find no room; more than are there: alarm at once. */
static const double debt_alarm = 100;

static double uniform(uint64_t seed, uint64_t counter, uint64_t which)
{
    return (double)(jo_mix64(jo_mix64(seed + which) ^ counter) >> 11) * 0x1p-53;
}

/* A box around the region. */
static void region_bounds(const jo_region *g, double lo[3], double hi[3])
{
    for (int a = 0; a < 3; a++) {
        const double far = g->kind == JO_REGION_CYLINDER ? g->length * g->axis[a] : 0;
        lo[a] = g->kind == JO_REGION_BOX ? g->lo[a] : g->centre[a] + fmin(far, 0) - g->radius;
        hi[a] = g->kind == JO_REGION_BOX ? g->hi[a] : g->centre[a] + fmax(far, 0) + g->radius;
    }
}

/* Bodies in or near the region: rows of x, y, z, r. */
typedef struct crowd {
    buffer rows;
    size_t n;
} crowd;

static bool crowd_add(crowd *c, const double row[4])
{
    if (!jo_buffer_grow(&c->rows, 4 * c->n * sizeof(double), 4 * (c->n + 1), sizeof(double)))
        return false;
    memcpy((double *)c->rows.data + 4 * c->n++, row, 4 * sizeof(double));
    return true;
}

/* Whether it may reach into the bounds, or one of its images: across a sheared boundary those are
 * anywhere along x. */
static bool comes_near(const view *s, const double row[4], const double lo[3], const double hi[3])
{
    for (int a = 0; a < s->dim; a++) {
        if (s->box.sheared && a == 0) continue;
        double d = row[a] - 0.5 * (lo[a] + hi[a]);
        if (s->box.periodic[a]) d -= s->box.size[a] * nearbyint(d * s->box.inverse[a]);
        if (fabs(d) > 0.5 * (hi[a] - lo[a]) + row[3]) return false;
    }
    return true;
}

static bool crowd_gather(const jo_soft *soft, const jo_region *region, crowd *c)
{
    const view *s = &soft->s;
    double lo[3], hi[3];
    region_bounds(region, lo, hi);
    for (size_t i = 0; i < s->n; i++)
        if (comes_near(s, s->x + 4 * i, lo, hi) && !crowd_add(c, s->x + 4 * i)) return false;
    return true;
}

static bool is_free(const jo_soft *soft, const crowd *c, const double x[3], double r)
{
    const view *s = &soft->s;
    const double *rows = c->rows.data;
    for (size_t k = 0; k < c->n; k++) {
        double d[3], d2 = 0;
        for (int a = 0; a < 3; a++)
            d[a] = x[a] - rows[4 * k + a];
        if (s->box.sheared) d[0] -= nearbyint(d[1] * s->box.inverse[1]) * s->box.offset;
        for (int a = 0; a < s->dim; a++) {
            if (s->box.periodic[a]) d[a] -= s->box.size[a] * nearbyint(d[a] * s->box.inverse[a]);
            d2 += d[a] * d[a];
        }
        const double sum = r + rows[4 * k + 3];
        if (d2 < sum * sum) return false;
    }
    return true;
}

/* Where primitives are within reach, the wall touches it. */
bool jo_wall_touches(const wall_live *w, const double x[3], double r)
{
    double d[3], own[3];
    for (int a = 0; a < 3; a++)
        d[a] = x[a] - w->now.pivot[a] - w->now.displacement[a];
    for (int a = 0; a < 3; a++) /* the inverse of a rotation is its transpose */
        own[a] = w->now.pivot[a] + w->now.rotation[a] * d[0] + w->now.rotation[3 + a] * d[1] +
                 w->now.rotation[6 + a] * d[2];
    return jo_wall_near(w->shape, own, r * (1 - 1e-6), NULL, 0) > 0;
}

/* Whether no wall that is there touches it. */
static bool is_clear(const jo_soft *soft, const double x[3], double r)
{
    for (size_t k = 0; k < soft->wall_count; k++)
        if (jo_wall_stays(soft, &soft->live[k]) && jo_wall_touches(&soft->live[k], x, r))
            return false;
    return true;
}

/* Of body number k of the group. */
static double mass_of(jo_soft *soft, const jo_group *g, uint64_t k)
{
    const double r = jo_group_radius(g, k);
    uint32_t shape;
    double q[4];
    jo_group_shape(g, k, &shape, q);
    if (shape != JO_NO_SHAPE) return jo_poly_mass(soft, shape, r, g->material);
    const double pi = 3.14159265358979323846, density = soft->materials[g->material].density;
    return soft->s.dim == 2 ? density * pi * r * r : density * 4 / 3 * pi * r * r * r;
}

jo_status jo_insert_body(jo_soft *soft, const jo_body_def *b, bool fixed, jo_error *error)
{
    view *s = &soft->s;
    const size_t i = s->n;
    jo_status status = jo_state_room(soft, i + 1, error);
    if (status != JO_OK) return status;
    jo_state_put(soft, i, soft->next_id++, b->x, b->v, b->w, b->r, b->material, fixed);
    s->n++;
    jo_state_view(soft);
    status = jo_poly_put(soft, i, b->shape, b->q, b->w, fixed, error);
    if (status != JO_OK) return status;
    for (int a = 0; a < s->dim && !fixed; a++) {
        const double half = 0.5 * s->step * s->gravity[a];
        s->v[4 * i + a] -= half;
        s->c[6 * i + a] = (float)half;
    }
    soft->inserted++;
    soft->gone -= jo_body_energy(soft, i);
    return JO_OK;
}

/* Body number k of a factory's group. */
static jo_status append(jo_soft *soft, const jo_group *g, uint64_t k, const double x[3],
                        const double v[3], double r, jo_error *error)
{
    jo_body_def b = {.r = r, .material = g->material};
    memcpy(b.x, x, sizeof b.x);
    memcpy(b.v, v, sizeof b.v);
    memcpy(b.w, g->spin, sizeof b.w);
    jo_group_shape(g, k, &b.shape, b.q);
    return jo_insert_body(soft, &b, g->fixed, error);
}

/* A normal deviate for the spread of velocities. */
static double deviate(uint64_t seed, uint64_t counter, uint64_t which)
{
    const double u = uniform(seed, counter, which), w = uniform(seed, counter, which + 1);
    return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979323846 * w);
}

/* Tries to insert one body; *placed tells whether there was room. */
static jo_status insert_one(jo_soft *soft, factory *f, crowd *c, bool *placed, jo_error *error)
{
    const jo_group *g = &f->group;
    const double r = jo_group_radius(g, f->made);
    *placed = false;
    for (int t = 0; t < TRIES && !*placed; t++) {
        const uint64_t k = f->tries++;
        const double u[3] = {uniform(g->seed, k, 1), uniform(g->seed, k, 2),
                             uniform(g->seed, k, 3)};
        double x[3], v[3];
        if (!jo_region_draw(&g->region, soft->s.dim, r, u, x))
            return jo_fail(error, JO_ERR_DATA,
                           "factory '%s': a body of radius %g does not fit into its region",
                           g->name, r);
        if (!is_free(soft, c, x, r) || !is_clear(soft, x, r)) continue;
        for (int a = 0; a < 3; a++)
            v[a] = g->velocity[a] +
                   (g->velocity_spread > 0 && a < soft->s.dim
                        ? g->velocity_spread * deviate(g->seed, f->made, 4 + 2 * (uint64_t)a)
                        : 0);
        const jo_status status = append(soft, g, f->made, x, v, r, error);
        const double row[4] = {x[0], x[1], x[2], r};
        if (status != JO_OK || !crowd_add(c, row))
            return status != JO_OK ? status : jo_fail_memory(error, sizeof row, "a factory");
        *placed = true;
    }
    return JO_OK;
}

static jo_status pay(jo_soft *soft, factory *f, bool *changed, jo_error *error)
{
    const jo_group *g = &f->group;
    crowd c = {.n = 0};
    jo_status status = JO_OK;
    if (!crowd_gather(soft, &g->region, &c)) status = jo_fail_memory(error, c.n * 32, "a factory");
    const double due =
        (isnan(g->mass_rate) ? g->rate : g->mass_rate) * (jo_soft_time(soft) - g->start);
    double price = 1;
    bool room = true;
    size_t placed = 0;
    while (status == JO_OK && room && (g->count == 0 || f->made < g->count)) {
        const bool by_mass = !isnan(g->mass_rate);
        price = by_mass ? mass_of(soft, g, f->made) : 1;
        if (f->owed < price) break;
        status = insert_one(soft, f, &c, &room, error);
        if (room && status == JO_OK) {
            f->owed -= price;
            f->made++;
            placed++;
            *changed = true;
            soft->unsorted = INFINITY; /* it is the last now */
        }
    }
    jo_buffer_free(&c.rows);
    const uint64_t before = f->blocked;
    if (!room && f->owed > debt_alarm * price && f->owed > 0.5 * due)
        f->blocked = before > BLOCKED_ALARM ? before : BLOCKED_ALARM;
    else
        f->blocked = room || placed > 0 ? 0 : before + 1;
    if (before < BLOCKED_ALARM && f->blocked >= BLOCKED_ALARM)
        jo_alarm_raise(
            soft, JO_ALARM_INSERT, JO_NO_BODY,
            "%s%s%s finds no room: its region is full, and %llu bodies have come from it so far; "
            "lower the rate, or let bodies leave the region faster",
            g->name[0] != '\0' ? "factory '" : "the factory", g->name,
            g->name[0] != '\0' ? "'" : "", (unsigned long long)f->made);
    return status;
}

jo_status jo_insert_due(jo_soft *soft, bool *changed, jo_error *error)
{
    const double begin = jo_seconds(), t = jo_soft_time(soft);
    jo_status status = JO_OK;
    for (size_t k = 0; k < soft->factory_count && status == JO_OK; k++) {
        factory *f = &soft->factories[k];
        const jo_group *g = &f->group;
        if (t < g->start || t >= g->stop || (g->count > 0 && f->made >= g->count)) continue;
        f->owed += (isnan(g->mass_rate) ? g->rate : g->mass_rate) * soft->s.step;
        if (soft->steps % PAY_EVERY == 0) status = pay(soft, f, changed, error);
    }
    soft->stats.seconds[JO_SOFT_INSERT] += jo_seconds() - begin;
    soft->stats.calls[JO_SOFT_INSERT]++;
    return status;
}

/* Bodies whose centre is outside the box on an axis that is not periodic are marked by a negative
 * radius: the sort that follows drops them. */
jo_status jo_remove_gone(jo_soft *soft, bool *changed, jo_error *error)
{
    const jo_scene *scene = &soft->scene;
    view *s = &soft->s;
    (void)error;
    if (!scene->has_box || scene->leaving == JO_LEAVING_KEEP) return JO_OK;
    for (size_t i = 0; i < s->n; i++) {
        const double *x = s->x + 4 * i;
        bool out = false;
        for (int a = 0; a < s->dim; a++)
            out = out || (!s->box.periodic[a] &&
                          (x[a] < scene->domain.lo[a] || x[a] > scene->domain.hi[a]));
        if (!out || s->v[4 * i + 3] == 0) continue;
        const double mass = 1 / s->v[4 * i + 3];
        const uint64_t id = ((const uint64_t *)soft->id.data)[i];
        for (size_t g = 0; g < scene->gate_count; g++) {
            const jo_gate *gate = &scene->gates[g];
            double along = 0;
            for (int a = 0; a < 3; a++)
                along += (x[a] - gate->point[a]) * gate->normal[a];
            soft->beyond_removed[g] += along > 0 ? mass : 0;
        }
        soft->gone += jo_body_energy(soft, i);
        soft->removed++;
        if (scene->leaving == JO_LEAVING_ALARM)
            jo_alarm_raise(
                soft, JO_ALARM_ESCAPE, id,
                "body %llu left the box at (%.6g, %.6g, %.6g) and was removed: a gap between "
                "walls, a body pushed through one, or a box that is too small; 'leaving: "
                "remove' says that this is expected",
                (unsigned long long)id, x[0], x[1], x[2]);
        s->x[4 * i + 3] = -x[3];
        *changed = true;
        soft->unsorted = INFINITY; /* sorting takes it out */
    }
    return JO_OK;
}
