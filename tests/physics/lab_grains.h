/* lab_grains.h — random numbers and a material with every property there is, for tests of what all
 * laws have in common. */
#ifndef JO_TESTS_LAB_GRAINS_H
#define JO_TESTS_LAB_GRAINS_H

#include "physics/lab.h"

static uint64_t seed;
static inline double draw(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static inline void materials(lab *l)
{
    l->materials[0].young = l->scene.dim == 2 ? 2e9 : 1e7; /* discs of this density are heavy */
    l->materials[0].poisson = 0.25;
    jo_contact_def *c = lab_contact(l, 0, 0);
    c->restitution = 0.6;
    c->friction = 0.4;
    c->rolling_friction = 0.05;
    c->surface_energy = 0.02;
    c->cohesion_density = 1e4;
    c->liquid_volume = 1e-13;
    c->surface_tension = 0.07;
    c->wetting_angle = 0.2;
}

/* What the law wants beside. */
static inline void materials_for_law(lab *l)
{
    materials(l);
    jo_contact_def *c = lab_contact(l, 0, 0);
    if (l->scene.law.normal == JO_NORMAL_LINEAR)
        c->normal_stiffness = l->scene.dim == 2 ? 1e7 : 1e4; /* discs of this density are heavy */
    if (l->scene.law.normal == JO_NORMAL_ENERGY) c->contact_time = 1e-4;
    if (l->scene.law.damping == JO_DAMPING_VISCOUS)
        c->normal_damping = l->scene.law.normal == JO_NORMAL_LINEAR ? 500 : 2e5;
}

#endif
