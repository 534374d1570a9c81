/* lab.h — small scenes for the physics tests: a few materials, bodies and walls, and the engine,
 * through the public interface alone. Any error fails the test. */
#ifndef TESTS_LAB_H
#define TESTS_LAB_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jostle/soft.h"

enum { LAB_MATERIALS = 3, LAB_WALLS = 6, LAB_BODIES = 4096 };

static const double lab_pi = 3.14159265358979323846;

typedef struct lab {
    jo_scene scene;
    jo_material materials[LAB_MATERIALS];
    jo_contact_def contacts[LAB_MATERIALS * LAB_MATERIALS];
    jo_wall walls[LAB_WALLS];
    jo_population bodies; /* arrays with room for LAB_BODIES */
    jo_soft *soft;
    jo_frame frame; /* of the last lab_look */
    jo_measures now;
} lab;

/* One material, no friction, nothing else; `law` NULL: the default. */
static inline lab *lab_new(int dim, const jo_law *law)
{
    lab *l = calloc(1, sizeof *l);
    assert_non_null(l);
    jo_error error = {0};
    l->scene = jo_scene_default();
    l->scene.dim = dim;
    if (law != NULL) l->scene.law = *law;
    l->scene.material_count = 1;
    l->scene.materials = l->materials;
    l->scene.contacts = l->contacts;
    l->scene.walls = l->walls;
    for (int k = 0; k < LAB_MATERIALS; k++)
        l->materials[k] =
            (jo_material){.name = "stuff", .density = 2500, .young = NAN, .poisson = NAN};
    for (int k = 0; k < LAB_MATERIALS * LAB_MATERIALS; k++)
        l->contacts[k] = jo_contact_def_default();
    if (jo_population_allocate(&l->bodies, LAB_BODIES, &error) != JO_OK) fail_msg("%s", error.text);
    l->bodies.n = 0;
    return l;
}

/* The contact of materials a and b; set both with lab_contact_same when they differ. */
static inline jo_contact_def *lab_contact(lab *l, size_t a, size_t b)
{
    return &l->contacts[a * l->scene.material_count + b];
}

static inline void lab_symmetric(lab *l)
{
    for (size_t a = 0; a < l->scene.material_count; a++)
        for (size_t b = 0; b < a; b++)
            *lab_contact(l, a, b) = *lab_contact(l, b, a);
}

static inline size_t lab_body(lab *l, double x, double y, double z, double r, uint32_t material)
{
    const size_t i = l->bodies.n++;
    assert_true(i < LAB_BODIES);
    const double at[3] = {x, y, z};
    for (int a = 0; a < 3; a++) {
        l->bodies.x[3 * i + a] = at[a];
        l->bodies.v[3 * i + a] = l->bodies.w[3 * i + a] = 0;
    }
    l->bodies.r[i] = r;
    l->bodies.material[i] = material;
    l->bodies.fixed[i] = 0;
    l->bodies.id[i] = i;
    return i;
}

static inline void lab_velocity(lab *l, size_t i, double x, double y, double z)
{
    l->bodies.v[3 * i] = x;
    l->bodies.v[3 * i + 1] = y;
    l->bodies.v[3 * i + 2] = z;
}

static inline void lab_spin(lab *l, size_t i, double x, double y, double z)
{
    l->bodies.w[3 * i] = x;
    l->bodies.w[3 * i + 1] = y;
    l->bodies.w[3 * i + 2] = z;
}

static inline jo_wall *lab_plane(lab *l, double px, double py, double pz, double nx, double ny,
                                 double nz, uint32_t material)
{
    assert_true(l->scene.wall_count < LAB_WALLS);
    jo_wall *w = &l->walls[l->scene.wall_count++];
    *w = jo_wall_default(JO_WALL_PLANE);
    const double p[3] = {px, py, pz}, n[3] = {nx, ny, nz};
    memcpy(w->point, p, sizeof p);
    memcpy(w->normal, n, sizeof n);
    w->material = material;
    return w;
}

static inline void lab_start(lab *l, double step)
{
    jo_error error = {0};
    jo_soft_options options = jo_soft_options_default();
    options.threads = 1;
    l->scene.time_step = step;
    if (jo_soft_create_with(&l->scene, &l->bodies, &options, &l->soft, &error) != JO_OK)
        fail_msg("%s", error.text);
}

static inline void lab_go(lab *l, uint64_t steps)
{
    jo_error error = {0};
    if (jo_soft_advance(l->soft, steps, &error) != JO_OK) fail_msg("%s", error.text);
}

static inline void lab_look(lab *l)
{
    jo_error error = {0};
    if (jo_soft_measure(l->soft, &l->now, &error) != JO_OK ||
        jo_soft_frame(l->soft, &l->frame, &error) != JO_OK)
        fail_msg("%s", error.text);
}

static inline size_t lab_contacts(lab *l)
{
    jo_error error = {0};
    const jo_soft_contact *contacts;
    size_t count;
    if (jo_soft_contacts(l->soft, &contacts, &count, &error) != JO_OK) fail_msg("%s", error.text);
    return count;
}

/* As many steps as it takes until no contact is left (after there was one); fails past `most`. */
static inline void lab_until_apart(lab *l, uint64_t most)
{
    bool touched = false;
    for (uint64_t k = 0; k < most; k++) {
        lab_go(l, 1);
        const bool now = lab_contacts(l) > 0;
        if (touched && !now) {
            lab_look(l);
            return;
        }
        touched = touched || now;
    }
    fail_msg("no collision ended within %llu steps", (unsigned long long)most);
}

static inline void lab_stop(lab *l)
{
    jo_soft_destroy(l->soft);
    l->soft = NULL;
}

static inline void lab_free(lab *l)
{
    lab_stop(l);
    jo_population_free(&l->bodies);
    free(l);
}

/* JOSTLE_TEST_SCALE: whether a sanitizer makes everything slow, so that fewer bodies will do. */
static inline bool lab_in_short(void)
{
    const char *scale = getenv("JOSTLE_TEST_SCALE");
    return scale != NULL && atoi(scale) > 1;
}

/* found = wanted within a part of `scale`. */
static inline void lab_near(double found, double wanted, double tolerance, double scale,
                            const char *what, double of)
{
    if (!(fabs(found - wanted) <= tolerance * scale))
        fail_msg("%s (%g): %.9g, should be %.9g within %.3g; off by %.3g", what, of, found, wanted,
                 tolerance * scale, found - wanted);
}

#endif
