/* nest.h — spheres placed one by one: does a new one overlap any that is there? See nest.c. */
#ifndef JO_SCENE_NEST_H
#define JO_SCENE_NEST_H

#include "base/memory.h"
#include "jostle/model.h"

enum { NEST_LEVELS = 48 };

typedef struct nest_level {
    uint32_t *heads; /* slot → first body in it, or NEST_NONE */
    size_t slots;    /* a power of two; 0: no body of this size yet */
    size_t count;
    double edge[3];
    int64_t cells[3]; /* along periodic axes: how many; 0: open */
    double largest;   /* radius */
    uint32_t first;   /* all bodies of the level, chained by `peer` */
} nest_level;

typedef struct nest_body {
    double x[3], r;
} nest_body;

typedef struct nest {
    int dim;
    jo_domain domain;
    double unit; /* radii in (unit 2^-(k+1), unit 2^-k] are level k; larger ones are level 0 */
    nest_level levels[NEST_LEVELS];
    int used;       /* levels from here on are empty */
    double near[3]; /* separations below this need no look at images */
    nest_body *bodies;
    uint32_t *next, *peer;
    size_t n, capacity;
} nest;

#define NEST_NONE UINT32_MAX

void jo_nest_start(nest *t, int dim, const jo_domain *domain, double largest);
void jo_nest_free(nest *t);
/* Whether a sphere would touch one that is there. */
bool jo_nest_touches(const nest *t, const double x[3], double r);
/* Adds a sphere, without asking. False when memory ran out. */
bool jo_nest_add(nest *t, const double x[3], double r);

#endif
