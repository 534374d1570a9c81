/* engine_chipmunk.c — the hopper in Chipmunk 7. One length unit is a centimetre; overlap that it
 * leaves alone (its slop, 0.1 by default) is set to 0.01, and ten iterations are its default. */
#include <chipmunk/chipmunk.h>
#include <stdlib.h>

#include "hopper.h"

typedef struct world_chipmunk {
    cpSpace *space;
    cpBody **grain;
    cpShape **shape;
    cpShape *fixed[HOPPER_WALLS + 1]; /* the lid last */
    size_t count;
    double time, step;
    bool open;
} world_chipmunk;

static cpShape *add_segment(world_chipmunk *w, const hopper *h, const double s[4])
{
    cpShape *shape =
        cpSegmentShapeNew(cpSpaceGetStaticBody(w->space), cpv(s[0], s[1]), cpv(s[2], s[3]), 0.0);
    cpShapeSetFriction(shape, h->friction);
    cpShapeSetElasticity(shape, h->restitution);
    return cpSpaceAddShape(w->space, shape);
}

static void add_grain(world_chipmunk *w, const hopper *h, size_t i)
{
    const hopper_grain *g = &h->grain[i];
    cpVect corner[HOPPER_CORNERS];
    for (size_t k = 0; k < g->n; k++)
        corner[k] = cpv(g->corner[2 * k], g->corner[2 * k + 1]);
    cpBody *body = cpSpaceAddBody(w->space, cpBodyNew(g->area, g->inertia));
    cpBodySetPosition(body, cpv(g->x[0], g->x[1]));
    cpBodySetVelocity(body, cpv(g->v[0], g->v[1]));
    cpShape *shape = cpPolyShapeNewRaw(body, (int)g->n, corner, 0.0);
    /* It multiplies the two bodies' coefficients. */
    cpShapeSetFriction(shape, 1.0);
    cpShapeSetElasticity(shape, 1.0);
    w->grain[i] = body;
    w->shape[i] = cpSpaceAddShape(w->space, shape);
}

/* All contacts have the scene's friction and restitution, whatever the product says. */
static cpBool same_for_all(cpArbiter *arbiter, cpSpace *space, cpDataPointer data)
{
    (void)space;
    const hopper *h = data;
    cpArbiterSetFriction(arbiter, h->friction);
    cpArbiterSetRestitution(arbiter, h->restitution);
    return cpTrue;
}

static void *create(const hopper *h, double rate)
{
    world_chipmunk *w = calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    w->space = cpSpaceNew();
    w->count = h->count;
    w->step = 1.0 / rate;
    w->grain = calloc(h->count, sizeof *w->grain);
    w->shape = calloc(h->count, sizeof *w->shape);
    if (w->grain == NULL || w->shape == NULL) return NULL;
    cpSpaceSetGravity(w->space, cpv(0.0, -h->gravity));
    cpSpaceSetCollisionSlop(w->space, 0.01);
    cpCollisionHandler *handler = cpSpaceAddDefaultCollisionHandler(w->space);
    handler->preSolveFunc = same_for_all;
    handler->userData = (cpDataPointer)(uintptr_t)h;
    for (int k = 0; k < HOPPER_WALLS; k++)
        w->fixed[k] = add_segment(w, h, h->wall[k]);
    w->fixed[HOPPER_WALLS] = add_segment(w, h, h->lid);
    for (size_t i = 0; i < h->count; i++)
        add_grain(w, h, i);
    return w;
}

static void open_lid(void *world)
{
    world_chipmunk *w = world;
    cpSpaceRemoveShape(w->space, w->fixed[HOPPER_WALLS]);
    w->open = true;
}

static bool advance(void *world, double until)
{
    world_chipmunk *w = world;
    for (; w->time < until - 0.5 * w->step; w->time += w->step)
        cpSpaceStep(w->space, w->step);
    return true;
}

static void poses(void *world, hopper_pose *out)
{
    const world_chipmunk *w = world;
    for (size_t i = 0; i < w->count; i++) {
        const cpVect p = cpBodyGetPosition(w->grain[i]);
        out[i] = (hopper_pose){{p.x, p.y}, cpBodyGetAngle(w->grain[i])};
    }
}

static void destroy(void *world)
{
    world_chipmunk *w = world;
    for (size_t i = 0; i < w->count; i++) {
        cpSpaceRemoveShape(w->space, w->shape[i]);
        cpSpaceRemoveBody(w->space, w->grain[i]);
        cpShapeFree(w->shape[i]);
        cpBodyFree(w->grain[i]);
    }
    for (int k = 0; k <= HOPPER_WALLS; k++) {
        if (k < HOPPER_WALLS || !w->open) cpSpaceRemoveShape(w->space, w->fixed[k]);
        cpShapeFree(w->fixed[k]);
    }
    cpSpaceFree(w->space);
    free(w->grain);
    free(w->shape);
    free(w);
}

const hopper_engine engine_chipmunk = {"Chipmunk 7", true,  create, open_lid,
                                       advance,      poses, destroy};
