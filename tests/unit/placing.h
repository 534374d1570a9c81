/* placing.h — scenes to place bodies in, and what the tests of placing look at. */
#ifndef TESTS_UNIT_PLACING_H
#define TESTS_UNIT_PLACING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jostle/jostle.h"

static const double pi = 3.14159265358979323846;

/* JOSTLE_TEST_SCALE: whether a sanitizer makes everything slow, so that fewer bodies will do. */
static inline bool in_short(void)
{
    const char *scale = getenv("JOSTLE_TEST_SCALE");
    return scale != NULL && atoi(scale) > 1;
}

/* A scene with one material, a box, and room for groups. */
static inline jo_scene start(int dim, double edge, bool periodic, size_t groups)
{
    jo_scene s = jo_scene_default();
    s.dim = dim;
    s.duration = 1.0;
    s.has_box = true;
    for (int a = 0; a < dim; a++) {
        s.domain.hi[a] = edge;
        s.domain.periodic[a] = periodic;
    }
    s.material_count = 1;
    s.materials = calloc(1, sizeof *s.materials);
    s.contacts = calloc(1, sizeof *s.contacts);
    strcpy(s.materials[0].name, "stuff");
    s.materials[0].density = 2000.0;
    s.materials[0].young = 1e7;
    s.materials[0].poisson = 0.3;
    s.contacts[0] = jo_contact_def_default();
    s.contacts[0].restitution = 0.9;
    s.group_count = groups;
    s.groups = calloc(groups, sizeof *s.groups);
    for (size_t k = 0; k < groups; k++) {
        s.groups[k] = jo_group_default(JO_GROUP_RANDOM);
        s.groups[k].seed = k + 1;
        for (int a = 0; a < dim; a++)
            s.groups[k].region.hi[a] = edge;
    }
    return s;
}

static inline jo_population populate(const jo_scene *s)
{
    jo_population p;
    jo_error error = {JO_OK, ""};
    if (jo_scene_populate(s, &p, NULL, NULL, &error) != JO_OK) fail_msg("%s", error.text);
    for (size_t i = 0; i < p.n; i++)
        assert_true(p.id[i] == i);
    return p;
}

static inline size_t contacts_of(const jo_scene *s, const jo_population *p)
{
    jo_broad_def def = jo_broad_def_default();
    jo_broad *search;
    jo_error error = {JO_OK, ""};
    def.domain = s->domain;
    jo_bodies bodies = jo_spheres(p->n, s->dim, p->x, p->x + 1, p->x + 2, p->r);
    bodies.x_stride = 3;
    if (jo_broad_create(&def, &search, &error) != JO_OK ||
        jo_broad_find(search, &bodies, &error) != JO_OK)
        fail_msg("%s", error.text);
    const size_t count = jo_broad_contacts(search).count;
    jo_broad_destroy(search);
    return count;
}

static inline double filled(const jo_scene *s, const jo_population *p)
{
    double sum = 0.0;
    for (size_t i = 0; i < p->n; i++)
        sum += s->dim == 3 ? 4.0 / 3.0 * pi * pow(p->r[i], 3) : pi * p->r[i] * p->r[i];
    return sum;
}

#endif
