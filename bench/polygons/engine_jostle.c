/* engine_jostle.c — the hopper in jostle's engine of hard polygons.
 *
 * The boundary is one polygon: the hopper, and below its outlet a shaft as wide in which grains
 * fall. The lid is a fixed bar in the outlet, with a hair's breadth of space at its ends; grains
 * that are far below are taken out a few times in a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hopper.h"
#include "jostle/kinetic.h"

enum { LID = 1000000000 };
static const double LID_THICKNESS = 0.2, SHAFT = 600.0, GONE = -20.0, TAKEN_EVERY = 0.05;

typedef struct world_jostle {
    jo_kinetic *world;
    hopper_pose *last; /* of those that are gone, too */
    size_t count;
    double taken; /* when grains were last taken out */
} world_jostle;

static double *corners_of(const hopper *h, size_t *first)
{
    size_t total = 4;
    for (size_t i = 0; i < h->count; i++)
        total += h->grain[i].n;
    double *p = malloc(2 * total * sizeof *p);
    if (p == NULL) return NULL;
    size_t at = 0;
    for (size_t i = 0; i < h->count; i++) {
        const hopper_grain *g = &h->grain[i];
        first[i] = at;
        for (size_t k = 0; k < g->n; k++, at++) {
            p[2 * at] = g->x[0] + g->corner[2 * k];
            p[2 * at + 1] = g->x[1] + g->corner[2 * k + 1];
        }
    }
    const double d = 0.5 * h->outlet - 1e-4, y = -LID_THICKNESS;
    const double lid[8] = {-d, y, d, y, d, 0.0, -d, 0.0};
    first[h->count] = at;
    for (int k = 0; k < 8; k++)
        p[2 * at + (size_t)k] = lid[k];
    first[h->count + 1] = at + 4;
    return p;
}

static jo_kinetic *make_world(const hopper *h)
{
    const double d = 0.5 * h->outlet, w = 0.5 * h->width, knee = h->wall[0][3];
    const double neck = -LID_THICKNESS, wide = neck - 1.0;
    const double boundary[] = {d,  neck, d,  0.0,  w,  knee, w,  h->top, -w, h->top, -w, knee,
                               -d, 0.0,  -d, neck, -w, wide, -w, -SHAFT, w,  -SHAFT, w,  wide};
    const size_t n = h->count + 1;
    size_t *first = malloc((n + 1) * sizeof *first);
    double *v = calloc(2 * n, sizeof *v), *p = first != NULL ? corners_of(h, first) : NULL;
    uint8_t *fixed = calloc(n, 1);
    uint64_t *id = malloc(n * sizeof *id);
    jo_kinetic *world = NULL;
    if (v != NULL && p != NULL && fixed != NULL && id != NULL) {
        for (size_t i = 0; i < n; i++) {
            id[i] = i < h->count ? i : LID;
            for (int k = 0; k < 2 && i < h->count; k++)
                v[2 * i + k] = h->grain[i].v[k];
        }
        fixed[h->count] = 1;
        jo_kinetic_def def = jo_kinetic_def_default();
        def.bodies = n;
        def.first = first;
        def.corners = p;
        def.v = v;
        def.fixed = fixed;
        def.id = id;
        def.boundary = sizeof boundary / sizeof *boundary / 2;
        def.boundary_corners = boundary;
        def.materials = 1;
        def.restitution = &h->restitution;
        def.friction = &h->friction;
        def.gravity[1] = -h->gravity;
        def.least_speed = h->least_speed;
        def.period = h->period;
        def.roots = (jo_kinetic_roots)h->roots;
        jo_error error;
        if (jo_kinetic_create(&def, &world, &error) != JO_OK) fprintf(stderr, "%s\n", error.text);
    }
    free(first);
    free(v);
    free(p);
    free(fixed);
    free(id);
    return world;
}

static void *create(const hopper *h, double rate)
{
    (void)rate;
    world_jostle *w = calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    w->count = h->count;
    w->last = calloc(h->count, sizeof *w->last);
    w->world = w->last != NULL ? make_world(h) : NULL;
    if (w->world != NULL) return w;
    free(w->last);
    free(w);
    return NULL;
}

static void open_lid(void *world)
{
    world_jostle *w = world;
    const uint64_t lid = LID;
    jo_error error;
    if (jo_kinetic_remove(w->world, &lid, 1, &error) != JO_OK) fprintf(stderr, "%s\n", error.text);
}

static bool look(world_jostle *w, uint64_t *gone, size_t *count)
{
    jo_kinetic_frame f;
    jo_error error;
    *count = 0;
    if (jo_kinetic_look(w->world, &f, &error) != JO_OK) return false;
    for (size_t i = 0; i < f.bodies; i++) {
        if (f.id[i] == LID) continue;
        w->last[f.id[i]] = (hopper_pose){{f.x[2 * i], f.x[2 * i + 1]}, f.angle[i]};
        if (gone != NULL && f.x[2 * i + 1] < GONE) gone[(*count)++] = f.id[i];
    }
    return true;
}

static bool take_out(world_jostle *w, jo_error *error)
{
    uint64_t *gone = malloc(w->count * sizeof *gone);
    size_t count = 0;
    bool ok = gone != NULL && look(w, gone, &count);
    if (ok && count > 0) ok = jo_kinetic_remove(w->world, gone, count, error) == JO_OK;
    /* They stay out for whoever looks, and meet nobody. */
    for (size_t k = 0; ok && k < count; k++)
        w->last[gone[k]].x[1] = -1e3 * (double)(1 + gone[k]);
    free(gone);
    return ok;
}

static bool advance(void *world, double until)
{
    world_jostle *w = world;
    jo_error error = {JO_OK, ""};
    bool ok = jo_kinetic_advance(w->world, until, 0, &error) == JO_OK;
    if (ok && until - w->taken > TAKEN_EVERY) {
        w->taken = until;
        ok = take_out(w, &error);
    }
    if (!ok) fprintf(stderr, "%s\n", error.text);
    return ok;
}

static void poses(void *world, hopper_pose *out)
{
    world_jostle *w = world;
    size_t none;
    if (!look(w, NULL, &none)) return;
    for (size_t i = 0; i < w->count; i++)
        out[i] = w->last[i];
}

static void destroy(void *world)
{
    world_jostle *w = world;
    const jo_kinetic_stats s = jo_kinetic_statistics(w->world);
    const double collisions = (double)(s.collisions + s.wall_collisions);
    printf("    %.4g collisions, %.4g flips, %.4g renewals, %.4g events/s; least speed %g, energy "
           "lost %.4g, added %.4g\n",
           collisions, (double)s.flips, (double)s.renewals,
           (collisions + (double)s.flips) / s.seconds, s.least_speed, s.lost, s.added);
    jo_kinetic_destroy(w->world);
    free(w->last);
    free(w);
}

const hopper_engine engine_jostle = {"jostle", false, create, open_lid, advance, poses, destroy};
