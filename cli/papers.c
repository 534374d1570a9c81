/* papers.c — the table of papers that `jostle reproduce` knows: one line each. */
#include "reproduce.h"

const paper reproduce_papers[] = {
    {1,
     "J. S. Leszczynski, M. Ciesielski: Effective Algorithm for Detection of a Collision between "
     "Spherical Particles (distances from a point, sorted, against linked cells)",
     reproduce_paper1},
    {2,
     "DEM Modeling, Lecture 11: Coarse Contact Detection (brute force, neighbouring cells and "
     "their "
     "best size after Mio et al. 2005, nearest neighbours, sweep and prune)",
     reproduce_paper2},
    {3,
     "Collision detection of complex polyhedra, after D. Baraff and M. C. Lin (bounding boxes kept "
     "sorted, closest features tracked through time)",
     reproduce_paper3},
    {4,
     "X. Ding, D. Zhang: Implementing A Particle Collision Model (elastic balls in a cube, "
     "collision "
     "by collision)",
     reproduce_paper4},
    {5,
     "D. Mueller, Th. M. Liebling: Detection of Collisions of Polygons by Using a Triangulation "
     "(grains in a hopper)",
     reproduce_paper5},
    {0, NULL, NULL},
};
