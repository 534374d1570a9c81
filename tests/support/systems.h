/* systems.h — small systems of bodies for tests: random, degenerate and adversarial ones, and what
 * can happen to them between two searches. */
#ifndef TESTS_SUPPORT_SYSTEMS_H
#define TESTS_SUPPORT_SYSTEMS_H

#include "jostle/broad.h"

/* A sequence of random numbers. */
typedef struct rng {
    uint64_t state;
} rng;

rng rng_seeded(uint64_t seed);
uint64_t rng_next(rng *g);
double rng_unit(rng *g);                          /* [0, 1) */
double rng_between(rng *g, double lo, double hi); /* uniform */
double rng_log(rng *g, double lo, double hi);     /* log-uniform, lo > 0 */
size_t rng_below(rng *g, size_t n);               /* 0 … n − 1; 0 when n is 0 */
bool rng_chance(rng *g, double probability);

/* How the caller's arrays lie in memory. */
typedef enum storage { PACKED, INTERLEAVED, WITH_GAPS, WITH_RADII, STORAGES } storage;

typedef struct test_system {
    uint64_t number;
    char label[256];  /* what it is, for a person */
    jo_bodies bodies; /* the view to search; valid until the next change */
    jo_domain domain;
    bool moving; /* worth a long run of moves */
    double pace; /* how far things move in one move, in units of `unit` */
    /* The bodies themselves: centres and half sizes (spheres: half[0] is the radius). */
    size_t n, room;
    double *centre[3], *half[3], *velocity[3];
    double unit;    /* a typical diameter */
    double lo[3];   /* the corner of the region they were made in */
    double edge[3]; /* and its edges: the periods, on periodic axes */
    double *arrays; /* what the view shows */
    storage storage;
    rng random;
} test_system;

/* System `number`, the same in every run. Returns false when memory ran out. */
bool system_make(test_system *s, uint64_t number);
/* The same with n bodies, of a kind in which each touches few others. */
bool system_make_large(test_system *s, uint64_t number, size_t n);
void system_free(test_system *s);

/* One random move: a jiggle, a drift, a teleport, a change of sizes or of number, a swap, … */
void system_move(test_system *s);

/* Sorted pairs, owned by the caller. */
typedef struct pair_array {
    jo_pair *pairs;
    size_t count, room;
} pair_array;

/* All touching pairs by jo_bodies_touch on each of n (n − 1) / 2. */
bool pairs_by_definition(const jo_bodies *bodies, const jo_domain *domain, pair_array *out);
/* What is in `a` and not in `b`. */
bool pairs_minus(const pair_array *a, const pair_array *b, pair_array *out);
void pairs_sort(jo_pair *pairs, size_t count);
void pairs_free(pair_array *list);

#endif
