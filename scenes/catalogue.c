/* catalogue.c — systems by name: the workloads of paper 1, and a spread of others on which methods
 * of contact detection differ. One line each; the order is that of `jostle list`.
 *
 * Each definition scales: the density, not the box, is fixed, so a system of any number of bodies
 * has the same surroundings for each of them. */
#include <string.h>

#include "generate.h"

typedef struct workload {
    const char *name, *summary;
    scene_def def; /* n and seed are set when it is asked for */
} workload;

#define PERIODIC .periodic = {true, true, true}
#define PAPER(d, low, high, rho)                                                                   \
    {                                                                                              \
        .dim = (d), .sizes = SCENE_UNIFORM, .d_min = (low), .d_max = (high), .density = (rho)      \
    }
#define LOG_UNIFORM(d, ratio)                                                                      \
    {                                                                                              \
        .dim = (d), .sizes = SCENE_LOG_UNIFORM, .d_min = 1.0 / (ratio), .d_max = 1, .contacts = 3  \
    }
#define EQUAL(d, where, ...)                                                                       \
    {                                                                                              \
        .dim = (d), .layout = (where), .sizes = SCENE_EQUAL, .d_max = 1, __VA_ARGS__               \
    }
#define NEAR_EQUAL(d, where, ...)                                                                  \
    {                                                                                              \
        .dim = (d), .layout = (where), .sizes = SCENE_UNIFORM, .d_min = 0.9, .d_max = 1,           \
        __VA_ARGS__                                                                                \
    }

static const workload workloads[] = {
    {"A2", "paper 1, test A, 2D: d in [0.05, 0.1], 100 per unit area", PAPER(2, 0.05, 0.1, 100)},
    {"B2", "paper 1, test B, 2D: d in [0.02, 0.05], 100 per unit area", PAPER(2, 0.02, 0.05, 100)},
    {"C2", "paper 1, test C, 2D: d in [0.005, 0.02], 100 per unit area",
     PAPER(2, 0.005, 0.02, 100)},
    {"A3", "paper 1, test A, 3D: d in [0.05, 0.1], 1000 per unit volume",
     PAPER(3, 0.05, 0.1, 1000)},
    {"B3", "paper 1, test B, 3D: d in [0.02, 0.05], 1000 per unit volume",
     PAPER(3, 0.02, 0.05, 1000)},
    {"C3", "paper 1, test C, 3D: d in [0.005, 0.02], 1000 per unit volume",
     PAPER(3, 0.005, 0.02, 1000)},
    {"P2", "paper 1, Table 1: d in [0.02, 1], 100 per unit area, 47 contacts per disc",
     PAPER(2, 0.02, 1.0, 100)},
    {"P3",
     "as P2 in 3D: d in [0.02, 1], 3 contacts per sphere",
     {.dim = 3, .sizes = SCENE_UNIFORM, .d_min = 0.02, .d_max = 1, .contacts = 3}},
    {"D2", "dense, near-equal discs, area fraction 0.8 (jittered lattice)",
     NEAR_EQUAL(2, SCENE_JITTERED, .fraction = 0.8)},
    {"D3", "dense, near-equal spheres, volume fraction 0.6 (jittered lattice)",
     NEAR_EQUAL(3, SCENE_JITTERED, .fraction = 0.6)},
    {"L2", "log-uniform diameters 1:100 in 2D, 3 contacts per disc", LOG_UNIFORM(2, 100.0)},
    {"L3", "log-uniform diameters 1:100, 3 contacts per sphere", LOG_UNIFORM(3, 100.0)},
    {"L2-10", "log-uniform diameters 1:10 in 2D, 3 contacts per disc", LOG_UNIFORM(2, 10.0)},
    {"L3-10", "log-uniform diameters 1:10, 3 contacts per sphere", LOG_UNIFORM(3, 10.0)},
    {"L2-1000", "log-uniform diameters 1:1000 in 2D, 3 contacts per disc", LOG_UNIFORM(2, 1000.0)},
    {"L3-1000", "log-uniform diameters 1:1000, 3 contacts per sphere", LOG_UNIFORM(3, 1000.0)},
    {"L3-10000", "log-uniform diameters 1:10000, 3 contacts per sphere", LOG_UNIFORM(3, 10000.0)},
    {"M2", "equal discs at random, 1 contact per disc", EQUAL(2, SCENE_RANDOM, .contacts = 1)},
    {"M3", "equal spheres at random, 1 contact per sphere", EQUAL(3, SCENE_RANDOM, .contacts = 1)},
    {"M2-many", "equal discs at random, 10 contacts per disc",
     EQUAL(2, SCENE_RANDOM, .contacts = 10)},
    {"M3-many", "equal spheres at random, 10 contacts per sphere",
     EQUAL(3, SCENE_RANDOM, .contacts = 10)},
    {"M2-periodic", "M2 in a periodic box", EQUAL(2, SCENE_RANDOM, .contacts = 1, PERIODIC)},
    {"M3-periodic", "M3 in a periodic box", EQUAL(3, SCENE_RANDOM, .contacts = 1, PERIODIC)},
    {"gas2", "equal discs, very dilute: fraction 0.001", EQUAL(2, SCENE_RANDOM, .fraction = 0.001)},
    {"gas", "equal spheres, very dilute: fraction 0.0001",
     EQUAL(3, SCENE_RANDOM, .fraction = 0.0001)},
    {"big1-2",
     "one giant disc, a third of the box across, among equal ones",
     {.dim = 2, .sizes = SCENE_GIANT, .d_min = 1, .d_max = 1, .density = 0.4}},
    {"big1",
     "one giant sphere, a third of the box across, among equal ones",
     {.dim = 3, .sizes = SCENE_GIANT, .d_min = 1, .d_max = 1, .density = 0.2}},
    {"bimodal2",
     "1 % discs of diameter 10 among discs of diameter 1",
     {.dim = 2,
      .sizes = SCENE_BIMODAL,
      .d_min = 1,
      .d_max = 10,
      .big_fraction = 0.01,
      .contacts = 2}},
    {"bimodal",
     "0.1 % spheres of diameter 20 among spheres of diameter 1",
     {.dim = 3,
      .sizes = SCENE_BIMODAL,
      .d_min = 1,
      .d_max = 20,
      .big_fraction = 0.001,
      .contacts = 2}},
    {"clusters2", "clumps of 256 discs, 2 contacts each, in 50 times their area",
     NEAR_EQUAL(2, SCENE_CLUSTERS, .contacts = 2)},
    {"clusters", "clumps of 256 spheres, 2 contacts each, in 50 times their volume",
     NEAR_EQUAL(3, SCENE_CLUSTERS, .contacts = 2)},
    {"clusters-mixed",
     "clumps of 256 spheres of log-uniform diameters 1:30",
     {.dim = 3,
      .layout = SCENE_CLUSTERS,
      .sizes = SCENE_LOG_UNIFORM,
      .d_min = 1.0 / 30,
      .d_max = 1,
      .contacts = 2}},
    {"outlier2", "M2 with one disc a million box edges away",
     EQUAL(2, SCENE_RANDOM, .contacts = 1, .outlier = 1e6)},
    {"outlier", "M3 with one sphere a million box edges away",
     EQUAL(3, SCENE_RANDOM, .contacts = 1, .outlier = 1e6)},
    {"line2", "discs along a diagonal line, 1 contact per disc",
     EQUAL(2, SCENE_LINE, .contacts = 1)},
    {"line", "spheres along a diagonal line, 1 contact per sphere",
     EQUAL(3, SCENE_LINE, .contacts = 1)},
    {"plane", "spheres in a layer one diameter thick", EQUAL(3, SCENE_SLAB, .contacts = 2)},
    {"shell2", "discs on a circle", EQUAL(2, SCENE_SHELL, .contacts = 1)},
    {"shell", "spheres on the surface of a large sphere", EQUAL(3, SCENE_SHELL, .contacts = 1)},
    {"lattice2", "equal discs on a square lattice, touching exactly",
     EQUAL(2, SCENE_LATTICE, .contacts = 0)},
    {"lattice", "equal spheres on a cubic lattice, touching exactly",
     EQUAL(3, SCENE_LATTICE, .contacts = 0)},
    {"hex", "equal discs in hexagonal close packing", EQUAL(2, SCENE_CLOSE, .contacts = 0)},
    {"fcc", "equal spheres in face-centred cubic close packing",
     EQUAL(3, SCENE_CLOSE, .contacts = 0)},
    {"packing2", "dense random packing of near-equal discs, area fraction 0.81, periodic",
     NEAR_EQUAL(2, SCENE_PACKING, .fraction = 0.81, PERIODIC)},
    {"packing", "dense random packing of near-equal spheres, fraction 0.62, periodic",
     NEAR_EQUAL(3, SCENE_PACKING, .fraction = 0.62, PERIODIC)},
    {"packing-mixed",
     "dense random packing of log-uniform diameters 1:5, fraction 0.64, periodic",
     {.dim = 3,
      .layout = SCENE_PACKING,
      .sizes = SCENE_LOG_UNIFORM,
      .d_min = 0.2,
      .d_max = 1,
      .fraction = 0.64,
      PERIODIC}},
};

enum { WORKLOADS = sizeof workloads / sizeof workloads[0] };

/* A giant a third of the box across depends on the box, and so on n. */
static void size_giant(scene_def *def)
{
    double edge = 1.0;
    while ((def->dim == 2 ? edge * edge : edge * edge * edge) * def->density < (double)def->n)
        edge *= 1.0625;
    def->d_max = edge / 3.0 > def->d_min ? edge / 3.0 : def->d_min;
}

bool scene_by_name(const char *name, size_t n, scene_def *def)
{
    for (size_t k = 0; k < WORKLOADS; k++) {
        if (strcmp(workloads[k].name, name) != 0) continue;
        *def = workloads[k].def;
        def->n = n;
        def->seed = 1;
        if (def->sizes == SCENE_GIANT) size_giant(def);
        return true;
    }
    return false;
}

const char *scene_name(size_t index)
{
    return index < WORKLOADS ? workloads[index].name : NULL;
}

const char *scene_summary(size_t index)
{
    return index < WORKLOADS ? workloads[index].summary : NULL;
}
