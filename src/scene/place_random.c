/* place_random.c — bodies at random places that overlap nothing.
 *
 * Random sequential addition: the largest first, each at the first of its random places that is
 * free. That comes to an end near a solid fraction of 0.38 for equal spheres and 0.55 for equal
 * discs (Feder, J. Theor. Biol. 87, 237, 1980; Zhang and Torquato, Phys. Rev. E 88, 053312, 2013),
 * and takes ever longer before it does, so denser groups are left to place_dense.c.
 *
 * Trying places all over the region would miss the cache with every one. So each body first draws a
 * block of the region, bodies of about one size are placed block by block, and a body looks for a
 * place in its block; only where that is full it looks everywhere.
 *
 * Invariants: a body lies wholly inside its region, touches no other body and no wall.
 * Body i tries the places of its own stream of random numbers. Cost: at fraction 0.3 about a dozen
 * tries for a body, some seconds for 10^6. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/random.h"
#include "scene/placing.h"
#include "scene/region.h"

#define PI 3.14159265358979323846

enum {
    STREAM_PLACE = 0x706c61,
    STREAM_HOME = 0x686f6d,
    BLOCK_BODIES = 2000,
    TRIES_BLOCK = 500,
    TRIES_MAX = 20000,
    REPORT_EVERY = 4096
};

static double volume_of(int dim, double r)
{
    return dim == 2 ? PI * r * r : 4.0 / 3.0 * PI * r * r * r;
}

/* Radii by count, or until the fraction is reached. */
static jo_status draw_radii(placing *p, const jo_group *g, batch *out, double *fraction)
{
    const int dim = p->scene->dim;
    const double none[3] = {0.0, 0.0, 0.0}, room = jo_region_volume(&g->region, dim);
    const double wanted = isnan(g->fraction) ? (double)INFINITY : g->fraction * room;
    double filled = 0.0;
    for (uint64_t i = 0; isnan(g->fraction) ? i < g->count : true; i++) {
        const double r = jo_group_radius(g, i);
        /* The last body only if it brings the sum closer to what was asked for. */
        if (filled + 0.5 * volume_of(dim, r) > wanted) break;
        if (out->n == JO_BODIES_MAX)
            return jo_fail(p->error, JO_ERR_LIMIT, "more than %zu bodies", JO_BODIES_MAX);
        filled += volume_of(dim, r);
        if (!jo_batch_add(out, none, r))
            return jo_fail_memory(p->error, 32 * out->n, "random bodies");
    }
    *fraction = filled / room;
    return JO_OK;
}

/* Blocks of the region for bodies of one size class. */
typedef struct blocks {
    double count[3], edge[3];
} blocks;

enum { CLASSES = 32 };

typedef struct insertion {
    placing *p;
    const jo_group *g;
    int dim;
    bool open[3];
    double lo[3], hi[3]; /* of the region */
    double largest;      /* radius */
    blocks by_class[CLASSES];
    nest around; /* bodies of this group only; those before are in p->placed */
} insertion;

/* Class k has radii in (largest 2^-(k+1), largest 2^-k]. */
static int class_of(const insertion *n, double r)
{
    int k;
    frexp(n->largest / r, &k);
    return k < 1 ? 0 : k - 1 < CLASSES ? k - 1 : CLASSES - 1;
}

/* Blocks of some BLOCK_BODIES bodies, never narrower than a few of them. */
static void make_blocks(insertion *n, const batch *b)
{
    size_t count[CLASSES] = {0};
    double volume = 1.0;
    for (size_t i = 0; i < b->n; i++)
        count[class_of(n, b->r[i])]++;
    for (int a = 0; a < n->dim; a++)
        volume *= n->hi[a] - n->lo[a];
    for (int k = 0; k < CLASSES; k++) {
        const double share = volume * BLOCK_BODIES / (double)(count[k] > 0 ? count[k] : 1);
        const double wide = n->dim == 3 ? cbrt(share) : sqrt(share);
        const double least = fmax(wide, 8.0 * ldexp(n->largest, -k));
        for (int a = 0; a < 3; a++) {
            const double extent = n->hi[a] - n->lo[a];
            n->by_class[k].count[a] =
                a < n->dim ? fmin(fmax(floor(extent / least), 1.0), 1024.0) : 1.0;
            n->by_class[k].edge[a] = extent / n->by_class[k].count[a];
        }
    }
}

/* The block that body i looks for its place in first. In a box the blocks take turns in a sequence
 * of low discrepancy, so that none gets many more bodies than it can hold; else it is the block of
 * a random point of the region. */
static void home_of(const insertion *n, size_t i, double r, double home[3])
{
    random_stream s = jo_random_start(n->g->seed ^ STREAM_HOME, i);
    const blocks *b = &n->by_class[class_of(n, r)];
    const bool box = n->g->region.kind == JO_REGION_BOX;
    /* Multiples of the powers of the root of x^4 = x + 1, modulo 1. */
    static const double turns[3] = {0.81917251339616443, 0.67104360670378921, 0.54970047790197027};
    for (int tries = 0; tries < 100; tries++) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3; a++) {
            home[a] = 0.0;
            if (a >= n->dim) continue;
            const double turn = (double)(i % 0x100000000) * turns[a];
            const double u = box ? turn - floor(turn) : jo_random_uniform(&s);
            x[a] = n->lo[a] + (n->hi[a] - n->lo[a]) * u;
            home[a] = fmin(floor((x[a] - n->lo[a]) / b->edge[a]), b->count[a] - 1.0);
        }
        if (box || jo_region_holds(&n->g->region, n->dim, n->open, x, 0.0)) return;
    }
}

static bool free_place(const insertion *n, const double x[3], double r)
{
    return jo_region_holds(&n->g->region, n->dim, n->open, x, r) &&
           !jo_nest_touches(&n->around, x, r) && !jo_nest_touches(&n->p->placed, x, r) &&
           jo_surfaces_clear(n->p->walls, x, r);
}

/* Looks for a place between lo and hi. */
static bool look(const insertion *n, const double lo[3], const double hi[3], double r, int tries,
                 random_stream *s, double *x)
{
    for (; tries > 0; tries--) {
        for (int a = 0; a < 3; a++)
            x[a] = a < n->dim ? lo[a] + (hi[a] - lo[a]) * jo_random_uniform(s) : 0.0;
        if (free_place(n, x, r)) return true;
    }
    return false;
}

static bool insert(const insertion *n, size_t i, double *x, double r)
{
    random_stream s = jo_random_start(n->g->seed ^ STREAM_PLACE, i);
    const blocks *b = &n->by_class[class_of(n, r)];
    double home[3], lo[3], hi[3], block_lo[3], block_hi[3];
    home_of(n, i, r, home);
    for (int a = 0; a < 3; a++) {
        const double rim = n->open[a] ? 0.0 : r;
        lo[a] = n->lo[a] + rim;
        hi[a] = n->hi[a] - rim;
        block_lo[a] = fmax(lo[a], n->lo[a] + home[a] * b->edge[a]);
        block_hi[a] = fmin(hi[a], n->lo[a] + (home[a] + 1.0) * b->edge[a]);
    }
    return look(n, block_lo, block_hi, r, TRIES_BLOCK, &s, x) ||
           look(n, lo, hi, r, TRIES_MAX, &s, x);
}

/* The order of placing: large classes first, block by block, in a block the largest first. */
static uint32_t *order_of(const insertion *n, const batch *b)
{
    keyed *items = malloc(2 * (b->n + 1) * sizeof *items);
    uint32_t *order = malloc((b->n + 1) * sizeof *order);
    for (size_t i = 0; items != NULL && order != NULL && i < b->n; i++) {
        double home[3];
        home_of(n, i, b->r[i], home);
        const uint64_t class = (uint64_t)class_of(n, b->r[i]);
        const uint64_t block =
            (uint64_t)home[2] << 20 | (uint64_t)home[1] << 10 | (uint64_t)home[0];
        const uint64_t smaller = (uint64_t)((1.0 - b->r[i] / n->largest) * 0x1p24);
        items[i] = (keyed){class << 56 | block << 25 | smaller, (uint32_t)i, 0};
    }
    if (items != NULL && order != NULL) {
        jo_keysort(items, items + b->n, b->n);
        for (size_t i = 0; i < b->n; i++)
            order[i] = items[i].id;
    }
    if (items == NULL) {
        free(order);
        order = NULL;
    }
    free(items);
    return order;
}

/* *placed is how many found a place: all of them, or those before the one that did not. */
static jo_status insert_all(insertion *n, batch *out, size_t *placed)
{
    uint32_t *order = order_of(n, out);
    if (order == NULL) return jo_fail_memory(n->p->error, 36 * out->n, "random bodies");
    jo_status status = JO_OK;
    for (*placed = 0; *placed < out->n && status == JO_OK; ++*placed) {
        const size_t i = order[*placed];
        if (!insert(n, i, out->x + 3 * i, out->r[i])) break;
        if (!jo_nest_add(&n->around, out->x + 3 * i, out->r[i]))
            status = jo_fail_memory(n->p->error, 40 * out->n, "random bodies");
        else if (*placed % REPORT_EVERY == 0)
            status = jo_placing_report(n->p, (double)*placed / (double)out->n);
    }
    free(order);
    return status;
}

/* Above this the sequential way is slow or hopeless. */
static double sequential_limit(int dim)
{
    return dim == 3 ? 0.31 : 0.47;
}

/* The share of the region that walls and bodies placed before leave, by counting random points. */
static double share_left(const insertion *n)
{
    enum { POINTS = 4096 };
    random_stream s = jo_random_start(n->g->seed ^ STREAM_HOME, 0);
    int inside = 0, left = 0;
    for (int k = 0; k < POINTS; k++) {
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = a < n->dim ? n->lo[a] + (n->hi[a] - n->lo[a]) * jo_random_uniform(&s) : 0.0;
        if (!jo_region_holds(&n->g->region, n->dim, n->open, x, 0.0)) continue;
        inside++;
        left += jo_surfaces_clear(n->p->walls, x, 0.0) && !jo_nest_touches(&n->p->placed, x, 0.0);
    }
    return inside > 0 ? (double)left / inside : 1.0;
}

static jo_status tell_failure(const insertion *n, size_t bodies, double fraction, double overlap)
{
    char who[JO_NAME_SIZE], left[80] = "";
    const double share = share_left(n);
    if (share < 0.995)
        snprintf(left, sizeof left, " (walls and other bodies leave %.2g of it)", share);
    return jo_fail(n->p->error, JO_ERR_DATA,
                   "bodies %s cannot be placed at random: %zu of them fill %.3g of their region%s; "
                   "pushed apart as far as they go, some still overlap by %.2g of their diameter. "
                   "Random places fill at most some %s: take fewer, smaller ones, or a larger "
                   "region",
                   jo_placing_who(n->p, who), bodies, fraction, left, overlap,
                   n->dim == 3 ? "0.64" : "0.84");
}

jo_status jo_place_random(placing *p, const jo_group *g, batch *out)
{
    double fraction = 0.0, overlap = 0.0;
    size_t placed = 0;
    jo_status status = draw_radii(p, g, out, &fraction);
    if (status != JO_OK || out->n == 0) return status;
    insertion n = {.p = p, .g = g, .dim = p->scene->dim, .largest = jo_sizes_largest(&g->sizes)};
    jo_region_open_axes(&g->region, p->scene, n.open);
    jo_region_bounds(&g->region, n.dim, n.lo, n.hi);
    make_blocks(&n, out);
    if (fraction <= sequential_limit(p->scene->dim)) {
        jo_nest_start(&n.around, n.dim, &p->scene->domain, n.largest);
        status = insert_all(&n, out, &placed);
        jo_nest_free(&n.around);
        if (status != JO_OK || placed == out->n) return status;
    }
    /* Too dense, or walls and other bodies take the room: let overlapping bodies push each other.
     */
    status = jo_place_dense(p, g, out, &overlap);
    return status != JO_ERR_DATA ? status : tell_failure(&n, out->n, fraction, overlap);
}
