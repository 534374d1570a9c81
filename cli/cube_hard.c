/* cube_hard.c — the engine `hard` running paper 4's cube. */
#include <stdlib.h>
#include <string.h>

#include "cube.h"

typedef struct hard_cube {
    jo_hard *hard;
    jo_frame frame;
} hard_cube;

/* A cube of walls and one elastic, smooth material. The scene owns what is allocated. */
static jo_status make_scene(double w, jo_scene *s, jo_error *error)
{
    *s = jo_scene_default();
    snprintf(s->engine, sizeof s->engine, "hard");
    s->duration = 1.0;
    s->has_box = true;
    s->materials = calloc(1, sizeof *s->materials);
    s->contacts = calloc(1, sizeof *s->contacts);
    s->walls = calloc(1, sizeof *s->walls);
    if (s->materials == NULL || s->contacts == NULL || s->walls == NULL) {
        jo_scene_free(s);
        *error = (jo_error){.status = JO_ERR_MEMORY, .text = "no memory for the scene"};
        return JO_ERR_MEMORY;
    }
    s->material_count = s->wall_count = 1;
    s->materials[0] = (jo_material){.name = "ball", .density = 1.0, .young = 1e7, .poisson = 0.3};
    s->contacts[0] = jo_contact_def_default();
    s->contacts[0].restitution = 1.0;
    s->walls[0] = jo_wall_default(JO_WALL_BOX);
    snprintf(s->walls[0].name, sizeof s->walls[0].name, "cube");
    for (int axis = 0; axis < 3; axis++) {
        s->domain.lo[axis] = s->walls[0].lo[axis] = -0.5 * w;
        s->domain.hi[axis] = s->walls[0].hi[axis] = 0.5 * w;
    }
    return JO_OK;
}

static void hard_destroy(void *self)
{
    hard_cube *c = self;
    jo_hard_destroy(c->hard);
    free(c);
}

/* The balls as the scene's only group. */
static jo_status add_balls(size_t n, double r, const double *x, const double *v, jo_scene *s,
                           jo_error *error)
{
    jo_population p = {0};
    s->groups = calloc(1, sizeof *s->groups);
    if (s->groups == NULL) {
        *error = (jo_error){.status = JO_ERR_MEMORY, .text = "no memory for the scene"};
        return JO_ERR_MEMORY;
    }
    const jo_status status = jo_population_allocate(&p, n, error);
    if (status != JO_OK) return status;
    memcpy(p.x, x, 3 * n * sizeof *x);
    memcpy(p.v, v, 3 * n * sizeof *v);
    memset(p.w, 0, 3 * n * sizeof *p.w);
    for (size_t i = 0; i < n; i++) {
        p.r[i] = r;
        p.material[i] = 0;
        p.fixed[i] = 0;
        p.id[i] = i;
    }
    s->groups[0] = jo_group_default(JO_GROUP_EXPLICIT);
    s->groups[0].listed = p;
    s->group_count = 1;
    return JO_OK;
}

static jo_status hard_create(size_t n, double w, double r, const double *x, const double *v,
                             void **self, jo_error *error)
{
    jo_scene scene;
    hard_cube *c = calloc(1, sizeof *c);
    *self = NULL;
    if (c == NULL) {
        *error = (jo_error){.status = JO_ERR_MEMORY, .text = "no memory for the cube"};
        return JO_ERR_MEMORY;
    }
    jo_status status = make_scene(w, &scene, error);
    if (status == JO_OK) {
        status = add_balls(n, r, x, v, &scene, error);
        if (status == JO_OK) status = jo_hard_create(&scene, NULL, &c->hard, error);
        jo_scene_free(&scene);
    }
    if (status != JO_OK)
        free(c);
    else
        *self = c;
    return status;
}

static jo_status hard_advance(void *self, double until, cube_rates *count, jo_error *error)
{
    hard_cube *c = self;
    const jo_hard_stats before = jo_hard_statistics(c->hard);
    const jo_status status = jo_hard_advance(c->hard, until, 0, error);
    const jo_hard_stats after = jo_hard_statistics(c->hard);
    count->balls += (double)(after.collisions - before.collisions);
    count->walls += (double)(after.wall_collisions - before.wall_collisions);
    return status;
}

static jo_status hard_places(void *self, const double **x, jo_error *error)
{
    hard_cube *c = self;
    const jo_status status = jo_hard_frame(c->hard, &c->frame, error);
    *x = c->frame.x;
    return status;
}

static size_t hard_bytes(void *self)
{
    return jo_hard_statistics(((hard_cube *)self)->hard).bytes;
}

/* A fixed cost per collision and nbs^4 collisions per frame. */
const cube_engine cube_hard = {"hard",      4.0,        hard_create, hard_advance,
                               hard_places, hard_bytes, hard_destroy};
