/* kinetic_look.c — hard polygons looked at: frames, energies, checks, the hash.
 *
 * Nothing here moves a body: places are computed for the present from where bodies were at their
 * clocks, so that looking does not change a run. */
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "hard/kinetic.h"

/* A body now. */
typedef struct present {
    double x[2], v[2], angle, spin;
} present;

static present see(const jo_kinetic *k, uint32_t i)
{
    const kin_body *b = &k->body[i];
    const flat_body *m = motion_of(k, i);
    const double dt = b->still ? 0.0 : k->now - b->clock;
    return (present){{m->x[0] + dt * (m->v[0] + 0.5 * dt * m->a[0]),
                      m->x[1] + dt * (m->v[1] + 0.5 * dt * m->a[1])},
                     {m->v[0] + dt * m->a[0], m->v[1] + dt * m->a[1]},
                     b->angle + dt * m->spin,
                     m->spin};
}

void jo_kinetic_places(jo_kinetic *k)
{
    for (uint32_t i = 0; i < k->bodies; i++) {
        const kin_body *b = &k->body[i];
        const present p = see(k, i);
        const double c = cos(p.angle), s = sin(p.angle);
        for (uint32_t v = b->first; v < b->first + b->count; v++) {
            const double *r = k->local + 2 * (size_t)v;
            k->seen_place[2 * (size_t)v] = p.x[0] + (c * r[0] - s * r[1]);
            k->seen_place[2 * (size_t)v + 1] = p.x[1] + (s * r[0] + c * r[1]);
        }
    }
}

JO_API jo_status jo_kinetic_check(jo_kinetic *k, jo_error *error)
{
    jo_kinetic_pack(k);
    jo_kinetic_places(k);
    const tri_input in = jo_kinetic_input(k);
    return jo_tri_check(&k->mesh, &in, NULL, error);
}

JO_API jo_kinetic_energy jo_kinetic_measure(jo_kinetic *k)
{
    jo_kinetic_energy e = {0};
    for (uint32_t i = 0; i < k->bodies; i++) {
        const kin_body *b = &k->body[i];
        if (b->inverse_mass == 0.0 || b->gone) continue;
        const present p = see(k, i);
        e.translation += 0.5 * b->mass * (p.v[0] * p.v[0] + p.v[1] * p.v[1]);
        e.rotation += 0.5 * b->inertia * p.spin * p.spin;
        e.potential -= b->mass * (k->gravity[0] * p.x[0] + k->gravity[1] * p.x[1]);
        e.momentum[0] += b->mass * p.v[0];
        e.momentum[1] += b->mass * p.v[1];
        e.angular_momentum += b->mass * (p.x[0] * p.v[1] - p.x[1] * p.v[0]) + b->inertia * p.spin;
    }
    return e;
}

static uint64_t mix_double(uint64_t h, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return jo_mix64(h ^ bits);
}

JO_API uint64_t jo_kinetic_hash(jo_kinetic *k)
{
    uint64_t h = jo_mix64(k->bodies - k->gone);
    for (uint32_t i = 0; i < k->bodies; i++) {
        if (i == k->boundary || k->body[i].gone) continue;
        const present p = see(k, i);
        const double values[6] = {p.x[0], p.x[1], p.v[0], p.v[1], p.angle, p.spin};
        h = jo_mix64(h ^ k->body[i].id);
        for (int c = 0; c < 6; c++)
            h = mix_double(h, values[c]);
    }
    return h;
}

/* ---- frames ---- */

/* Cuts the next array off a block of memory; first with block NULL, to count. */
static void *cut(char *block, size_t *used, size_t count, size_t size)
{
    void *array = block != NULL ? block + *used : NULL;
    *used += (count * size + 15) / 16 * 16;
    return array;
}

typedef struct look_arrays {
    uint64_t *id;
    double *x, *v, *angle, *spin, *mass, *corner;
    size_t *first;
    uint8_t *fixed, *mandatory;
    uint32_t *triangle;
} look_arrays;

static look_arrays lay_out(const jo_kinetic *k, char *block, size_t *used)
{
    const size_t n = k->bodies, t = k->mesh.count;
    *used = 0;
    return (look_arrays){.id = cut(block, used, n, sizeof(uint64_t)),
                         .x = cut(block, used, 2 * n, sizeof(double)),
                         .v = cut(block, used, 2 * n, sizeof(double)),
                         .angle = cut(block, used, n, sizeof(double)),
                         .spin = cut(block, used, n, sizeof(double)),
                         .mass = cut(block, used, n, sizeof(double)),
                         .corner = cut(block, used, 2 * (size_t)k->corners, sizeof(double)),
                         .first = cut(block, used, n + 1, sizeof(size_t)),
                         .fixed = cut(block, used, n, 1),
                         .mandatory = cut(block, used, t, 1),
                         .triangle = cut(block, used, 3 * t, sizeof(uint32_t))};
}

/* What a frame calls corner v: the boundary's come last there. */
static uint32_t shown_corner(const jo_kinetic *k, uint32_t v)
{
    const kin_body *b = &k->body[k->boundary];
    if (v < b->first) return v;
    return v < b->first + b->count ? v - b->first + (k->corners - b->count) : v - b->count;
}

static void fill(const jo_kinetic *k, look_arrays *a)
{
    size_t n = 0;
    for (uint32_t i = 0; i < k->bodies; i++) {
        const kin_body *b = &k->body[i];
        const present p = see(k, i);
        if (i == k->boundary) continue;
        a->id[n] = b->id;
        a->first[n] = shown_corner(k, b->first);
        memcpy(a->x + 2 * n, p.x, sizeof p.x);
        memcpy(a->v + 2 * n, p.v, sizeof p.v);
        a->angle[n] = p.angle;
        a->spin[n] = p.spin;
        a->mass[n] = b->mass;
        a->fixed[n++] = b->inverse_mass == 0.0;
    }
    a->first[n] = k->corners - k->body[k->boundary].count;
    for (uint32_t v = 0; v < k->corners; v++)
        memcpy(a->corner + 2 * (size_t)shown_corner(k, v), k->seen_place + 2 * (size_t)v, 16);
    for (uint32_t t = 0; t < k->mesh.count; t++) {
        const triangle *tri = &k->mesh.t[t];
        a->mandatory[t] = 0;
        for (int c = 0; c < 3; c++) {
            a->triangle[3 * (size_t)t + (size_t)c] = shown_corner(k, tri->v[c]);
            if (tri->n[c] == TRI_NONE) a->mandatory[t] |= (uint8_t)(1 << c);
        }
    }
}

JO_API jo_status jo_kinetic_look(jo_kinetic *k, jo_kinetic_frame *frame, jo_error *error)
{
    size_t bytes;
    jo_kinetic_pack(k);
    lay_out(k, NULL, &bytes);
    if (!jo_buffer_reserve(&k->memory_look, bytes, 1))
        return jo_fail_memory(error, bytes, "a frame");
    look_arrays a = lay_out(k, k->memory_look.data, &bytes);
    jo_kinetic_places(k);
    fill(k, &a);
    const uint32_t around = k->body[k->boundary].count;
    *frame = (jo_kinetic_frame){.time = k->base + k->now,
                                .bodies = k->bodies - 1,
                                .corners = k->corners - around,
                                .triangles = k->mesh.count,
                                .id = a.id,
                                .x = a.x,
                                .v = a.v,
                                .angle = a.angle,
                                .spin = a.spin,
                                .mass = a.mass,
                                .fixed = a.fixed,
                                .first = a.first,
                                .corner = a.corner,
                                .boundary = around,
                                .triangle = a.triangle,
                                .mandatory = a.mandatory,
                                .last = k->last};
    if (k->last.kind == JO_KINETIC_FLIP || k->last.kind == JO_KINETIC_COLLISION)
        for (int c = 0; c < 4; c++)
            frame->last.corner[c] = shown_corner(k, k->last.corner[c]);
    return JO_OK;
}
