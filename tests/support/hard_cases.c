/* hard_cases.c — scenes of hard balls for tests. */
#include "support/hard_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static const double pi = 3.14159265358979323846;

jo_scene hard_scene(int dim, const double size[3], const char *periodic)
{
    jo_scene s = jo_scene_default();
    strcpy(s.engine, "hard");
    s.dim = dim;
    s.has_box = true;
    s.leaving = JO_LEAVING_KEEP;
    for (int k = 0; k < dim; k++) {
        s.domain.hi[k] = size[k];
        s.domain.periodic[k] = strchr(periodic, "xyz"[k]) != NULL;
    }
    s.duration = 1.0;
    s.material_count = 1;
    s.materials = calloc(1, sizeof *s.materials);
    s.contacts = calloc(1, sizeof *s.contacts);
    s.groups = calloc(1, sizeof *s.groups);
    s.walls = calloc(8, sizeof *s.walls);
    strcpy(s.materials[0].name, "ball");
    s.materials[0].density = dim == 2 ? 4.0 / pi : 6.0 / pi;
    s.materials[0].young = s.materials[0].poisson = (double)NAN;
    s.contacts[0] = jo_contact_def_default();
    s.contacts[0].restitution = 1.0;
    /* A scene has to have bodies; the tests bring their own. */
    s.group_count = 1;
    s.groups[0] = jo_group_default(JO_GROUP_RANDOM);
    s.groups[0].sizes.a = 1e-3;
    s.groups[0].count = 1;
    for (int k = 0; k < 3; k++) {
        s.groups[0].region.lo[k] = s.domain.lo[k];
        s.groups[0].region.hi[k] = s.domain.hi[k];
    }
    return s;
}

void hard_scene_free(jo_scene *s)
{
    jo_scene_free(s);
}

void hard_scene_walls(jo_scene *s)
{
    jo_wall w = jo_wall_default(JO_WALL_BOX);
    strcpy(w.name, "cube");
    memcpy(w.lo, s->domain.lo, sizeof w.lo);
    memcpy(w.hi, s->domain.hi, sizeof w.hi);
    s->walls[s->wall_count++] = w;
}

double hard_edge(int dim, size_t n, double fraction)
{
    return dim == 2 ? sqrt((double)n * pi / 4.0 / fraction) : cbrt((double)n * pi / 6.0 / fraction);
}

static void no_momentum(jo_population *p, int dim)
{
    double mean[3] = {0}, energy = 0.0;
    for (size_t i = 0; i < p->n; i++)
        for (int k = 0; k < dim; k++)
            mean[k] += p->v[3 * i + k] / (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        for (int k = 0; k < dim; k++) {
            p->v[3 * i + k] -= mean[k];
            energy += p->v[3 * i + k] * p->v[3 * i + k];
        }
    for (size_t i = 0; i < 3 * p->n; i++)
        p->v[i] /= sqrt(energy / (dim * (double)p->n));
}

jo_population hard_gas(const jo_scene *scene, size_t n, uint64_t seed)
{
    jo_population p;
    jo_error error = {JO_OK, ""};
    jo_scene s = *scene;
    jo_group g = scene->groups[0];
    g.sizes.a = 0.5;
    g.count = n;
    g.seed = seed;
    g.velocity_spread = 1.0;
    s.groups = &g;
    s.seed = seed;
    if (jo_scene_populate(&s, &p, NULL, NULL, &error) != JO_OK) {
        fprintf(stderr, "placing: %s\n", error.text);
        abort();
    }
    no_momentum(&p, scene->dim);
    return p;
}

jo_population hard_balls(size_t n, double (*list)[7])
{
    jo_population p;
    jo_error error;
    if (jo_population_allocate(&p, n, &error) != JO_OK) abort();
    for (size_t i = 0; i < n; i++) {
        memcpy(p.x + 3 * i, list[i], 3 * sizeof(double));
        memcpy(p.v + 3 * i, list[i] + 3, 3 * sizeof(double));
        memset(p.w + 3 * i, 0, 3 * sizeof(double));
        p.r[i] = list[i][6];
        p.material[i] = 0;
        p.fixed[i] = 0;
        p.id[i] = i;
    }
    return p;
}

jo_hard *hard_make(const jo_scene *scene, const jo_population *bodies, size_t log)
{
    jo_hard *hard;
    jo_error error = {JO_OK, ""};
    jo_hard_options options = jo_hard_options_default();
    options.log = log;
    if (jo_hard_create_with(scene, bodies, &options, &hard, &error) != JO_OK) {
        fprintf(stderr, "creating: %s\n", error.text);
        abort();
    }
    return hard;
}
