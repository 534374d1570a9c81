/* polygons_look.c — hard polygons of a scene looked at: frames, energies, walls, alarms.
 *
 * Nothing here moves a body: looking does not change a run. */
#include <math.h>
#include <string.h>

#include "hard/polygons.h"

polygon_now jo_polygons_see(const jo_polygons *p, uint32_t i)
{
    const jo_kinetic *k = p->world;
    const kin_body *b = &k->body[i];
    const flat_body *m = &b->motion;
    const double dt = b->still ? 0.0 : k->now - b->clock;
    polygon_now now = {.angle = b->angle + dt * m->spin, .spin = m->spin};
    for (int a = 0; a < 2; a++) {
        now.x[a] = m->x[a] + dt * (m->v[a] + 0.5 * dt * m->a[a]);
        now.v[a] = m->v[a] + dt * m->a[a];
    }
    return now;
}

JO_API jo_status jo_polygons_look(jo_polygons *p, jo_kinetic_frame *frame, jo_error *error)
{
    return jo_kinetic_look(p->world, frame, error);
}

JO_API jo_status jo_polygons_check(jo_polygons *p, jo_error *error)
{
    return jo_kinetic_check(p->world, error);
}

JO_API uint64_t jo_polygons_hash(jo_polygons *p)
{
    return jo_kinetic_hash(p->world);
}

/* ---- frames ---- */

typedef struct frame_arrays {
    uint64_t *id;
    double *x, *v, *w, *q, *zero, *r, *mass, *angle, *outline;
    uint32_t *material, *touching;
    size_t *first;
    uint8_t *fixed;
} frame_arrays;

/* Cuts the next array off a block of memory; first with block NULL, to count. */
static void *cut(char *block, size_t *used, size_t count, size_t size)
{
    void *array = block != NULL ? block + *used : NULL;
    *used += (count * size + 15) / 16 * 16;
    return array;
}

static frame_arrays lay_out(const jo_polygons *p, char *block, size_t *used)
{
    const size_t n = jo_polygons_bodies(p), corners = p->world->corners;
    *used = 0;
    return (frame_arrays){.id = cut(block, used, n, sizeof(uint64_t)),
                          .x = cut(block, used, 3 * n, sizeof(double)),
                          .v = cut(block, used, 3 * n, sizeof(double)),
                          .w = cut(block, used, 3 * n, sizeof(double)),
                          .q = cut(block, used, 4 * n, sizeof(double)),
                          .zero = cut(block, used, 3 * n, sizeof(double)),
                          .r = cut(block, used, n, sizeof(double)),
                          .mass = cut(block, used, n, sizeof(double)),
                          .angle = cut(block, used, n, sizeof(double)),
                          .outline = cut(block, used, 2 * corners, sizeof(double)),
                          .material = cut(block, used, n, sizeof(uint32_t)),
                          .touching = cut(block, used, n, sizeof(uint32_t)),
                          .first = cut(block, used, n + 1, sizeof(size_t)),
                          .fixed = cut(block, used, n, 1)};
}

/* Bodies that are fixed and still have their corners' places for arms: as if their centres were at
 * 0. */
static void fill_body(const jo_polygons *p, uint32_t body, size_t i, frame_arrays *a)
{
    const jo_kinetic *k = p->world;
    const kin_body *b = &k->body[body];
    const polygon_now now = jo_polygons_see(p, body);
    double centre[2] = {0.0, 0.0};
    if (b->still) { /* its middle will do */
        for (uint32_t c = 0; c < b->count; c++)
            for (size_t d = 0; d < 2; d++)
                centre[d] += k->local[2 * (size_t)(b->first + c) + d] / b->count;
    }
    a->id[i] = b->id;
    a->mass[i] = b->mass;
    a->angle[i] = b->still ? 0.0 : now.angle;
    a->q[4 * i] = cos(0.5 * a->angle[i]);
    a->q[4 * i + 3] = sin(0.5 * a->angle[i]);
    a->material[i] = b->material;
    a->fixed[i] = b->inverse_mass == 0.0;
    a->r[i] = 0.0;
    for (size_t d = 0; d < 2; d++) {
        a->x[3 * i + d] = b->still ? centre[d] : now.x[d];
        a->v[3 * i + d] = b->still ? 0.0 : now.v[d];
    }
    a->w[3 * i + 2] = b->still ? 0.0 : now.spin;
    a->first[i + 1] = a->first[i] + b->count;
    for (uint32_t c = 0; c < b->count; c++) {
        const double *from = k->local + 2 * (size_t)(b->first + c);
        double *to = a->outline + 2 * (a->first[i] + c);
        to[0] = from[0] - centre[0];
        to[1] = from[1] - centre[1];
        a->r[i] = fmax(a->r[i], hypot(to[0], to[1]));
    }
}

/* A number for a corner that stays with it, whatever numbers others have. */
static uint64_t corner_key(const jo_kinetic *k, uint32_t v)
{
    const kin_body *b = &k->body[k->owner[v]];
    uint64_t x = (b->id + 1) * 0x9e3779b97f4a7c15u + (v - b->first);
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

/* Sides between two triangles, each once; and where the last event was. */
static jo_status add_sides(jo_polygons *p, jo_frame *out, jo_error *error)
{
    const jo_kinetic *k = p->world;
    const size_t most = 3 * (size_t)k->mesh.count / 2 + 1; /* two triangles have each */
    if (!jo_buffer_reserve(&p->memory_sides, 5 * most, sizeof(double)))
        return jo_fail_memory(error, 40 * most, "the sides of triangles");
    double *side = p->memory_sides.data;
    uint32_t *key = (uint32_t *)(void *)(side + 4 * most);
    size_t count = 0;
    jo_kinetic_places(p->world);
    for (uint32_t t = 0; t < k->mesh.count; t++)
        for (int c = 0; c < 3; c++) {
            const triangle *tri = &k->mesh.t[t];
            if (tri->n[c] == TRI_NONE || tri->n[c] < t) continue;
            const uint32_t u = tri->v[TRI_NEXT[c]], v = tri->v[TRI_PREVIOUS[c]];
            const uint64_t both = corner_key(k, u) + corner_key(k, v);
            memcpy(side + 4 * count, k->seen_place + 2 * (size_t)u, 16);
            memcpy(side + 4 * count + 2, k->seen_place + 2 * (size_t)v, 16);
            key[count++] = (uint32_t)(both ^ both >> 32);
        }
    out->sides = side;
    out->side_key = key;
    out->side_count = count;
    out->event_points = k->last.kind == JO_KINETIC_FLIP        ? 4
                        : k->last.kind == JO_KINETIC_COLLISION ? 3
                                                               : 0;
    for (uint32_t c = 0; c < out->event_points; c++)
        memcpy(out->event + 2 * c, k->seen_place + 2 * (size_t)k->last.corner[c], 16);
    return JO_OK;
}

JO_API jo_status jo_polygons_frame(jo_polygons *p, jo_frame *frame, jo_error *error)
{
    size_t bytes;
    jo_kinetic_pack(p->world);
    const uint32_t n = jo_polygons_bodies(p);
    lay_out(p, NULL, &bytes);
    if (!jo_buffer_reserve(&p->memory_frame, bytes + 16, 1))
        return jo_fail_memory(error, bytes, "a frame");
    memset(p->memory_frame.data, 0, bytes);
    frame_arrays a = lay_out(p, p->memory_frame.data, &bytes);
    size_t filled = 0;
    for (uint32_t i = 0; i < p->world->bodies; i++)
        if (is_grain(p, i)) fill_body(p, i, filled++, &a);
    *frame = (jo_frame){.time = p->time,
                        .step = p->world->events,
                        .dim = 2,
                        .n = n,
                        .id = a.id,
                        .x = a.x,
                        .v = a.v,
                        .w = a.w,
                        .q = a.q,
                        .force = a.zero,
                        .torque = a.zero,
                        .r = a.r,
                        .mass = a.mass,
                        .material = a.material,
                        .fixed = a.fixed,
                        .touching = a.touching,
                        .domain = p->box,
                        .outline_first = a.first,
                        .outline = a.outline,
                        .angle = a.angle};
    return add_sides(p, frame, error);
}

/* ---- measures ---- */

static void add_motion(jo_measures *m, const kin_body *b, const polygon_now *now)
{
    const double *x = now->x, *v = now->v;
    m->mass += b->mass;
    m->speed_max = fmax(m->speed_max, hypot(v[0], v[1]));
    for (int a = 0; a < 2; a++) {
        m->centre[a] += b->mass * x[a];
        for (int c = 0; c < 2; c++)
            m->stress[3 * a + c] += b->mass * v[a] * v[c];
    }
}

JO_API jo_status jo_polygons_measure(jo_polygons *p, jo_measures *measures, jo_error *error)
{
    const uint32_t n = jo_polygons_bodies(p);
    const jo_kinetic_energy e = jo_kinetic_measure(p->world);
    const jo_kinetic_stats s = jo_kinetic_statistics(p->world); /* what held bodies owe, too */
    jo_measures m = {.time = p->time,
                     .step = p->world->events,
                     .bodies = n,
                     .removed = p->removed,
                     .inserted = p->inserted,
                     .volume = 1.0};
    (void)error;
    for (uint32_t i = 0; i < p->world->bodies; i++) {
        if (!is_grain(p, i) || p->world->body[i].inverse_mass == 0.0) continue;
        const polygon_now now = jo_polygons_see(p, i);
        add_motion(&m, &p->world->body[i], &now);
    }
    for (int a = 0; a < 2; a++) {
        m.momentum[a] = e.momentum[a];
        if (m.mass > 0.0) m.centre[a] /= m.mass;
        if (p->has_box) m.volume *= p->box.hi[a] - p->box.lo[a];
    }
    for (int a = 0; a < 9; a++)
        m.stress[a] /= m.volume;
    m.angular_momentum[2] = e.angular_momentum;
    m.energy = (jo_energy){.kinetic = e.translation + e.rotation,
                           .potential = e.potential,
                           .dissipated = s.lost,
                           .work = s.added + s.work,
                           .gone = p->gone};
    m.energy.balance = m.energy.kinetic + m.energy.potential + m.energy.dissipated - m.energy.work +
                       m.energy.gone - p->start;
    *measures = m;
    return JO_OK;
}

JO_API jo_wall_state jo_polygons_wall(const jo_polygons *p, size_t wall)
{
    jo_wall_state s = {.present = !p->walls[wall].gone, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const polygon_wall *w = &p->walls[wall];
    const uint32_t i = w->moves ? jo_polygons_wall_body(p, wall) : TRI_NONE;
    if (i == TRI_NONE) return s;
    const polygon_now now = jo_polygons_see(p, i);
    const double c = cos(now.angle), n = sin(now.angle);
    const double *pivot = w->wall.motion.pivot;
    const double arm[2] = {pivot[0] - w->centre[0], pivot[1] - w->centre[1]};
    s.rotation[0] = s.rotation[4] = c;
    s.rotation[1] = -n;
    s.rotation[3] = n;
    s.angle = now.angle;
    s.displacement[0] = now.x[0] - pivot[0] + c * arm[0] - n * arm[1];
    s.displacement[1] = now.x[1] - pivot[1] + n * arm[0] + c * arm[1];
    s.velocity[0] = now.v[0];
    s.velocity[1] = now.v[1];
    return s;
}

JO_API double jo_polygons_mass_beyond(jo_polygons *p, size_t gate)
{
    const jo_gate *g = &p->gates[gate];
    double mass = p->beyond[gate];
    for (uint32_t i = 0; i < p->world->bodies; i++) {
        if (!is_grain(p, i) || p->world->body[i].inverse_mass == 0.0) continue;
        const polygon_now now = jo_polygons_see(p, i);
        if ((now.x[0] - g->point[0]) * g->normal[0] + (now.x[1] - g->point[1]) * g->normal[1] > 0.0)
            mass += p->world->body[i].mass;
    }
    return mass;
}

JO_API const jo_alarm *jo_polygons_alarms(const jo_polygons *p, size_t *count)
{
    jo_polygons *own = (jo_polygons *)(uintptr_t)p; /* the list is made anew, nothing else */
    *count = 0;
    for (int k = 0; k < JO_ALARM_COUNT; k++)
        if (p->alarms[k].count > 0) own->raised[(*count)++] = p->alarms[k];
    return p->raised;
}

JO_API jo_polygons_stats jo_polygons_statistics(const jo_polygons *p)
{
    return (jo_polygons_stats){.kinetic = jo_kinetic_statistics(p->world),
                               .removed = p->removed,
                               .jams = p->alarms[JO_ALARM_JAM].count,
                               .jammed = p->jammed ? p->last_left : (double)NAN,
                               .look_every = p->look_every,
                               .patience = p->patience,
                               .seconds_making = p->seconds_making};
}
