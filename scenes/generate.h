/* generate.h — seeded systems of spheres, shared by the program, the tests and the benchmarks.
 *
 * The same definition gives the same bits on every machine: random numbers are functions of
 * (seed, stream, index), and no function of libm is used but those that round exactly. Uses the
 * public headers only. */
#ifndef SCENES_GENERATE_H
#define SCENES_GENERATE_H

#include "jostle/io.h"

typedef enum scene_layout {
    SCENE_RANDOM,  /* independent uniform centres; spheres may overlap (paper 1) */
    SCENE_LATTICE, /* square or simple cubic, spacing d_max: equal spheres touch exactly */
    SCENE_CLOSE,   /* hexagonal or face-centred cubic close packing, spacing d_max less 1e-11 of it,
                      so that rounding does not part what touches */
    SCENE_JITTERED, /* face-centred lattice (hexagonal in 2D) scaled to the solid fraction, each
                       centre moved a little: dense at any size, made in one pass */
    SCENE_PACKING,  /* dense random packing: random centres relaxed until (almost) none overlap */
    SCENE_CLUSTERS, /* random centres gathered in dense clumps far apart */
    SCENE_SHELL,    /* random centres on the surface of a sphere (on a circle in 2D) */
    SCENE_LINE,     /* random centres on the diagonal of the box */
    SCENE_SLAB      /* random centres in a layer one d_max thick across the last axis */
} scene_layout;

typedef enum scene_sizes {
    SCENE_EQUAL,       /* d_max */
    SCENE_UNIFORM,     /* diameters uniform in [d_min, d_max] (paper 1) */
    SCENE_LOG_UNIFORM, /* logarithm uniform */
    SCENE_BIMODAL,     /* d_max with probability big_fraction, else d_min */
    SCENE_GIANT        /* body 0 has d_max, all others d_min */
} scene_sizes;

typedef struct scene_def {
    scene_layout layout;
    scene_sizes sizes;
    int dim; /* 2 or 3 */
    size_t n;
    uint64_t seed;
    double d_min, d_max; /* diameters, lengths */
    double big_fraction; /* SCENE_BIMODAL: 0 to 1, default 0.01 */
    /* The box edge follows from the first of these that is not 0 (lattices have their own box and
     * read none; SCENE_JITTERED reads fraction alone; for SCENE_CLUSTERS density, fraction and
     * contacts are those inside a clump; for SCENE_SHELL, _LINE and _SLAB they are meant in the
     * one or two dimensions of the surface, line or layer): */
    double edge;     /* a length */
    double density;  /* bodies per unit volume (area) */
    double fraction; /* sum of the spheres' volumes over the box's */
    double contacts; /* expected contacts per body, N_contacts / n, for independent centres */
    bool periodic[3];
    double outlier; /* not 0: the last body lies this many edges outside the box */
} scene_def;

scene_def scene_def_default(void); /* SCENE_RANDOM, SCENE_UNIFORM, 3D, 1000, seed 1, paper 1's A */

/* Everything that is wrong with a definition, in words, joined by "; ". JO_ERR_ARGUMENT or
 * JO_ERR_LIMIT (too many bodies). */
jo_status scene_check(const scene_def *def, jo_error *error);

/* Named workloads: "A2" "B2" "C2" "A3" "B3" "C3" (paper 1's tests, 2D and 3D), "P2" (paper 1's
 * Table 1: d in [0.02, 1], density 100), "D3" (dense jittered, fraction 0.6), "L3" (log-uniform
 * 1:100, 3 contacts per body), … ; scene_name(k) lists them, NULL after the last. False: no such
 * name. */
bool scene_by_name(const char *name, size_t n, scene_def *def);
const char *scene_name(size_t index);
const char *scene_summary(size_t index);

/* The expected contacts per body N_contacts / n of independent uniform centres in a box of this
 * edge, from geometry, before edge effects:
 *   n / (2 V) c E[(ri + rj)^dim],   c = pi (2D) or 4 pi / 3 (3D).
 * def->dim, n and the sizes are read. */
double scene_expected_contacts(const scene_def *def, double edge);

/* Makes the system; free with jo_particles_free. has_domain is set, from 0 to the edge on every
 * axis (lattices and slabs have a different edge on each). JO_ERR_LIMIT when a packing was asked to
 * be denser than it could be made. error may be NULL. */
jo_status scene_generate(const scene_def *def, jo_particles *particles, jo_error *error);

/* Moves every centre by `step` in a random direction that depends on (seed, round, index): a random
 * walk over rounds. With persistent = true the direction depends on (seed, index) only: straight
 * lines. Nothing is wrapped or reflected. */
void scene_move(jo_particles *particles, double step, uint64_t seed, uint64_t round,
                bool persistent);

/* A random number in [0, 1) from (seed, stream, index). */
double scene_random(uint64_t seed, uint64_t stream, uint64_t index);

#endif
