/* place_random.c — bodies at random places that overlap nothing.
 *
 * Random sequential addition: the largest first, each at the first of its random places that is free.
 * That comes to an end near a solid fraction of 0.38 for equal spheres and 0.55 for equal discs
 * (Feder, J. Theor. Biol. 87, 237, 1980; Zhang and Torquato, Phys. Rev. E 88, 053312, 2013), and takes
 * ever longer before it does, so denser groups are left to place_dense.c.
 *
 * Invariants: a body lies wholly inside its region, touches no other body and no wall (but meshes). Body
 * i tries the places of its own stream of random numbers. Cost: at fraction 0.3 some twenty tries for a
 * body, about 2 s for 10^6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/random.h"
#include "scene/barrier.h"
#include "scene/placing.h"
#include "scene/region.h"

#define PI 3.14159265358979323846

enum { STREAM_PLACE = 0x706c61, TRIES_MAX = 20000, REPORT_EVERY = 4096 };

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
        const double r = jo_sizes_draw(&g->sizes, g->seed, i);
        /* The last body only if it brings the sum closer to what was asked for. */
        if (filled + 0.5 * volume_of(dim, r) > wanted) break;
        if (out->n == JO_BODIES_MAX)
            return jo_fail(p->error, JO_ERR_LIMIT, "more than %zu bodies", JO_BODIES_MAX);
        filled += volume_of(dim, r);
        if (!jo_batch_add(out, none, r)) return jo_fail_memory(p->error, 32 * out->n, "random bodies");
    }
    *fraction = filled / room;
    return JO_OK;
}

/* Uniform in the region shrunk by r, without looking at other bodies. */
static void random_place(const jo_region *g, int dim, const bool open[3], double r, random_stream *s,
                         double x[3])
{
    double lo[3], hi[3];
    jo_region_bounds(g, dim, lo, hi);
    for (int tries = 0; tries < 100; tries++) {
        for (int a = 0; a < 3; a++) {
            x[a] = 0.0;
            if (a >= dim) continue;
            const double rim = open[a] ? 0.0 : r;
            x[a] = lo[a] + rim + (hi[a] - lo[a] - 2.0 * rim) * jo_random_uniform(s);
        }
        if (jo_region_holds(g, dim, open, x, r)) return;
    }
}

typedef struct insertion {
    placing *p;
    const jo_group *g;
    bool open[3];
    nest around; /* bodies of this group only; those before are in p->placed */
} insertion;

static bool free_place(const insertion *n, const double x[3], double r)
{
    return jo_region_holds(&n->g->region, n->p->scene->dim, n->open, x, r) &&
           !jo_nest_touches(&n->around, x, r) && !jo_nest_touches(&n->p->placed, x, r) &&
           jo_walls_clear(n->p->scene, x, r);
}

static bool insert(insertion *n, size_t i, double *x, double r)
{
    random_stream s = jo_random_start(n->g->seed ^ STREAM_PLACE, i);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        random_place(&n->g->region, n->p->scene->dim, n->open, r, &s, x);
        if (free_place(n, x, r)) return true;
    }
    return false;
}

/* Indices by falling radius, equal ones by rising index. */
static uint32_t *largest_first(const batch *b)
{
    keyed *items = malloc(2 * (b->n + 1) * sizeof *items);
    uint32_t *order = malloc((b->n + 1) * sizeof *order);
    if (items != NULL && order != NULL) {
        for (size_t i = 0; i < b->n; i++)
            items[i] = (keyed){~key_of_double(b->r[i]), (uint32_t)i, 0};
        jo_keysort(items, items + b->n, b->n);
        for (size_t i = 0; i < b->n; i++)
            order[i] = items[i].id;
    } else {
        free(order);
        order = NULL;
    }
    free(items);
    return order;
}

/* *placed is how many found a place: all of them, or those before the one that did not. */
static jo_status insert_all(insertion *n, batch *out, size_t *placed)
{
    uint32_t *order = largest_first(out);
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

jo_status jo_place_random(placing *p, const jo_group *g, batch *out)
{
    char who[JO_NAME_SIZE];
    double fraction = 0.0, reached = 0.0;
    size_t placed = 0;
    jo_status status = draw_radii(p, g, out, &fraction);
    if (status != JO_OK || out->n == 0) return status;
    insertion n = {.p = p, .g = g};
    jo_region_open_axes(&g->region, p->scene, n.open);
    if (fraction <= sequential_limit(p->scene->dim)) {
        jo_nest_start(&n.around, p->scene->dim, &p->scene->domain, jo_sizes_largest(&g->sizes));
        status = insert_all(&n, out, &placed);
        jo_nest_free(&n.around);
        if (status != JO_OK || placed == out->n) return status;
    }
    /* Too dense, or walls and other bodies take the room: let overlapping bodies push each other. */
    status = jo_place_dense(p, g, out, &reached);
    if (status != JO_ERR_DATA) return status;
    return jo_fail(p->error, JO_ERR_DATA,
                   "bodies %s cannot be placed at random: %zu of them fill %.3g of their region, and only "
                   "%.3g was reached without overlap; take fewer, smaller ones, or a larger region",
                   jo_placing_who(p, who), out->n, fraction,
                   fraction * (p->scene->dim == 3 ? reached * reached * reached : reached * reached));
}
