/* peer.h — another library's contact search, as the benchmark sees it.
 *
 * A peer is one .cpp file with one const descriptor. It is given the same spheres as jostle and
 * must append every touching pair once, in any order. What a peer finds by boxes, in single
 * precision or with a longer reach it must filter with peer_touch inside find, as its user would
 * have to: the benchmark compares the sets, and times everything between the caller's arrays and
 * the pairs.
 *
 * One thread. State lives in what create returns, so that a peer can keep its memory between calls
 * wherever its own interface allows that. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "jostle/broad.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_pairs {
    jo_pair *pairs;
    size_t count, capacity;
} peer_pairs;

/* The spheres as plain arrays; in 2D z is an array of zeros, so that 3D libraries can read it. */
typedef struct peer_spheres {
    size_t n;
    int dim;
    const double *x, *y, *z, *r;
    double r_max, r_min;
    double lo[3], hi[3]; /* bounds of the centres, over the whole motion where things move */
} peer_spheres;

typedef struct peer {
    const char *name;
    const char *library; /* the library and its version */
    const char *how;     /* how it is used here, one sentence */

    void *(*create)(const peer_spheres *spheres);
    void (*destroy)(void *state);
    /* Lists the contacts from scratch; false: it could not. */
    bool (*find)(void *state, const peer_spheres *spheres, peer_pairs *out);
    /* Makes the contacts current after the spheres moved; NULL: the peer only works from scratch.
     */
    bool (*update)(void *state, const peer_spheres *spheres, peer_pairs *out);
    /* Untimed, before each update: hands over positions where the library's own storage would have
     * been moved in place by its own integrator. NULL: nothing to do. */
    void (*place)(void *state, const peer_spheres *spheres);
    int where; /* of the PEER_ values below */
} peer;

enum {
    PEER_STATIC = 1, /* takes part in the tables of lists from scratch */
    PEER_MOVING = 2, /* takes part in the moving ones */
    PEER_SORTED = 4 /* starts from bodies stored in spatial order: not the same input as the rest */
};

/* Every peer of this build, then NULL; and the names of those whose library was not found. */
extern const peer *const peer_table[];
extern const char *const peer_missing[];

/* The definition of contact, with the same arithmetic in the same order as jo_bodies_touch. */
static inline bool peer_touch(const peer_spheres *s, size_t i, size_t j)
{
    const double dx = s->x[i] - s->x[j], dy = s->y[i] - s->y[j], dz = s->z[i] - s->z[j];
    const double reach = s->r[i] + s->r[j];
    double square = dx * dx + dy * dy;
    square += dz * dz;
    return reach * reach - square >= 0;
}

bool peer_pairs_grow(peer_pairs *out);

static inline bool peer_emit(peer_pairs *out, size_t i, size_t j)
{
    if (out->count == out->capacity && !peer_pairs_grow(out)) return false;
    jo_pair pair;
    pair.i = (uint32_t)(i < j ? i : j);
    pair.j = (uint32_t)(i < j ? j : i);
    out->pairs[out->count++] = pair;
    return true;
}

static inline void peer_test(const peer_spheres *s, peer_pairs *out, size_t i, size_t j)
{
    if (peer_touch(s, i, j)) peer_emit(out, i, j);
}

/* Bounds of a sphere in single precision, rounded outward so that no contact is missed. */
#ifdef __cplusplus
}
#include <cmath>
static inline float peer_below(double v)
{
    return std::nextafterf((float)v, -INFINITY);
}
static inline float peer_above(double v)
{
    return std::nextafterf((float)v, INFINITY);
}
#endif
#endif
