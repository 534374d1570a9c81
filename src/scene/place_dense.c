/* place_dense.c — dense random groups: overlapping bodies pushed apart until none overlaps.
 *
 * Random centres, inside the region and clear of walls (a body on the wrong side of one would stay
 * there), get their final radii at once; overlapping pairs repel each other in proportion to
 * their overlap, walls, the border of the region and bodies placed before push likewise, and the
 * energy is minimised by FIRE (Bitzek et al., Phys. Rev. Lett. 97, 170201, 2006). Quenching random
 * soft spheres jams near a solid fraction of 0.64 in 3D and 0.84 in 2D (O'Hern et al., Phys. Rev. E
 * 68, 011306, 2003); below that the overlaps vanish. Each body weighs as much as it has neighbours,
 * which bounds every frequency of the system, so that one time step fits all sizes.
 *
 * Radii are enlarged by MARGIN, and overlaps below half of that are accepted: bodies with their
 * true radii then touch nothing. Sums run in the order of the sorted list of pairs, so the result
 * does not depend on the number of threads that searched. Cost: O(n) per round, some hundred
 * rounds; near jamming thousands, as long as every PATIENCE of them make overlaps smaller; at most
 * ROUNDS. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "jostle/broad.h"
#include "scene/placing.h"
#include "scene/region.h"

enum {
    ROUNDS = 20000,
    PATIENCE = 1500,
    START_TRIES = 400,
    STREAM_START = 0x64656e,
    REPORT_EVERY = 16
};
#define MARGIN 1e-6

typedef struct quench {
    placing *p;
    const jo_group *g;
    int dim;
    bool open[3];
    size_t n, all;             /* bodies that move, and with those that were there before */
    double *x, *v, *f, *start; /* 3 per body */
    double *r, *wide, *mass;
    double *memory;
    uint8_t *border; /* 1: a wall or the border of the region may come near before the next list */
    double skin, deepest; /* deepest: largest relative overlap of the last round */
    double step, mixing;  /* FIRE's dt and alpha */
    int downhill;
    jo_broad *search;
} quench;

/* Whether a sphere lies in the region, clear of walls. */
static bool fits(const quench *q, const double x[3], double r)
{
    return jo_region_holds(&q->g->region, q->dim, q->open, x, r) &&
           jo_surfaces_clear(q->p->walls, x, r);
}

/* The first random place with room for the body, or at least for its centre. */
static void random_start(const quench *q, size_t i)
{
    double lo[3], hi[3], *x = q->x + 3 * i;
    random_stream s = jo_random_start(q->g->seed ^ STREAM_START, i);
    jo_region_bounds(&q->g->region, q->dim, lo, hi);
    for (int tries = 0; tries < START_TRIES; tries++) {
        const double r = tries < START_TRIES / 2 ? q->r[i] : 0.0;
        for (int a = 0; a < q->dim; a++)
            x[a] = lo[a] + (hi[a] - lo[a]) * jo_random_uniform(&s);
        if (fits(q, x, r) && !jo_nest_touches(&q->p->placed, x, r)) return;
    }
}

static jo_status prepare(quench *q, const batch *b)
{
    const nest *before = &q->p->placed;
    q->n = b->n;
    q->all = b->n + before->n;
    const size_t n = q->all;
    q->memory = calloc(15 * n, sizeof *q->memory);
    q->border = calloc(n, sizeof *q->border);
    if (q->memory == NULL || q->border == NULL)
        return jo_fail_memory(q->p->error, 15 * n * sizeof *q->memory, "random bodies");
    q->x = q->memory;
    q->v = q->x + 3 * n;
    q->f = q->v + 3 * n;
    q->start = q->f + 3 * n;
    q->r = q->start + 3 * n;
    q->wide = q->r + n;
    q->mass = q->wide + n;
    for (size_t i = 0; i < before->n; i++)
        memcpy(q->x + 3 * (q->n + i), before->bodies[i].x, 3 * sizeof *q->x);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        q->r[i] = (i < q->n ? b->r[i] : before->bodies[i - q->n].r) * (1.0 + MARGIN);
        if (i < q->n) random_start(q, i);
        if (i < q->n) sum += q->r[i];
    }
    q->skin = 0.3 * sum / (double)q->n;
    for (size_t i = 0; i < n; i++)
        q->wide[i] = q->r[i] + 0.5 * q->skin;
    q->step = 0.3;
    q->mixing = 0.1;
    jo_broad_def def = jo_broad_def_default();
    def.domain = before->domain;
    return jo_broad_create(&def, &q->search, q->p->error);
}

/* Lists the neighbours and weighs every body by their number. */
static jo_status list_neighbours(quench *q)
{
    const jo_domain *d = &q->p->placed.domain;
    for (size_t i = 0; i < q->n; i++) {
        for (int a = 0; a < q->dim; a++) {
            double *x = &q->x[3 * i + (size_t)a];
            const double period = d->hi[a] - d->lo[a];
            if (q->open[a]) *x -= period * floor((*x - d->lo[a]) / period);
            q->start[3 * i + (size_t)a] = *x;
        }
        q->mass[i] = 1.0;
        q->border[i] = !fits(q, q->x + 3 * i, q->r[i] + q->skin);
    }
    jo_bodies bodies = jo_spheres(q->all, q->dim, q->x, q->x + 1, q->x + 2, q->wide);
    bodies.x_stride = 3;
    const jo_status status = jo_broad_find(q->search, &bodies, q->p->error);
    const jo_pairs near = jo_broad_contacts(q->search);
    for (size_t c = 0; status == JO_OK && c < near.count; c++) {
        q->mass[near.pairs[c].i] += 1.0;
        q->mass[near.pairs[c].j] += 1.0;
    }
    return status;
}

static bool strayed(const quench *q)
{
    const double limit = 0.25 * q->skin * q->skin; /* half a skin, squared */
    for (size_t i = 0; i < q->n; i++) {
        double square = 0.0;
        for (size_t a = 3 * i; a < 3 * i + 3; a++)
            square += (q->x[a] - q->start[a]) * (q->x[a] - q->start[a]);
        if (square > limit) return true;
    }
    return false;
}

static void push_from_borders(quench *q)
{
    for (size_t i = 0; i < q->n; i++) {
        if (!q->border[i]) continue;
        double push[3] = {0.0, 0.0, 0.0}, square = 0.0;
        const double *x = q->x + 3 * i, r = q->r[i];
        jo_region_push(&q->g->region, q->dim, q->open, x, r, push);
        jo_surfaces_push(q->p->walls, x, r, push);
        for (size_t a = 0; a < 3; a++) {
            q->f[3 * i + a] += push[a];
            square += push[a] * push[a];
        }
        const double depth = sqrt(square) / (2.0 * r);
        if (depth > q->deepest) q->deepest = depth;
    }
}

static void sum_forces(quench *q)
{
    const jo_domain *domain = &q->p->placed.domain;
    const jo_pairs near = jo_broad_contacts(q->search);
    memset(q->f, 0, 3 * q->all * sizeof *q->f);
    q->deepest = 0.0;
    for (size_t c = 0; c < near.count; c++) {
        const size_t i = near.pairs[c].i, j = near.pairs[c].j;
        double d[3], square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            d[a] = q->x[3 * i + a] - q->x[3 * j + a];
            if (domain->periodic[a]) {
                const double period = domain->hi[a] - domain->lo[a];
                d[a] -= period * rint(d[a] / period);
            }
            square += d[a] * d[a];
        }
        const double reach = q->r[i] + q->r[j];
        if (square >= reach * reach || i >= q->n) continue; /* j > i: then neither moves */
        const double distance = sqrt(square), overlap = reach - distance;
        if (overlap > q->deepest * reach) q->deepest = overlap / reach;
        if (distance == 0.0) d[0] = 1.0; /* coincident: any direction will do */
        const double scale = overlap / (distance > 0.0 ? distance : 1.0);
        for (size_t a = 0; a < 3; a++) {
            q->f[3 * i + a] += scale * d[a];
            q->f[3 * j + a] -= scale * d[a];
        }
    }
    push_from_borders(q);
}

/* One step of FIRE with the published constants, in mass-weighted coordinates. */
static void move(quench *q)
{
    const double longest_step = 1.0; /* stable below 2 / sqrt(2) */
    double power = 0.0, speed2 = 0.0, force2 = 0.0;
    for (size_t k = 0; k < 3 * q->n; k++) {
        const double m = q->mass[k / 3];
        power += q->f[k] * q->v[k];
        speed2 += m * q->v[k] * q->v[k];
        force2 += q->f[k] * q->f[k] / m;
    }
    double keep = 1.0, steer = 0.0;
    if (power > 0.0) {
        keep = 1.0 - q->mixing;
        steer = force2 > 0.0 ? q->mixing * sqrt(speed2 / force2) : 0.0;
        if (++q->downhill > 5) {
            q->step = fmin(1.1 * q->step, longest_step);
            q->mixing *= 0.99;
        }
    } else if (speed2 > 0.0) {
        keep = 0.0;
        q->step = fmax(0.5 * q->step, 1e-3);
        q->mixing = 0.1;
        q->downhill = 0;
    }
    for (size_t k = 0; k < 3 * q->n; k++) {
        q->v[k] = keep * q->v[k] + (steer + q->step) * q->f[k] / q->mass[k / 3];
        q->x[k] += q->step * q->v[k];
    }
}

/* Overlaps vanish by the factor: how far that has come. */
static double progress_of(const quench *q, double deepest_first)
{
    const double least = 0.4 * MARGIN;
    if (!(deepest_first > least) || !(q->deepest > least)) return 1.0;
    return fmax(0.0, 1.0 - log(q->deepest / least) / log(deepest_first / least));
}

static jo_status relax(quench *q)
{
    double first = 0.0, before = (double)INFINITY;
    jo_status status = list_neighbours(q);
    for (int round = 0; status == JO_OK && round < ROUNDS; round++) {
        sum_forces(q);
        if (round == 0) first = q->deepest;
        if (q->deepest <= 0.4 * MARGIN) return JO_OK;
        if (round % PATIENCE == PATIENCE - 1) {
            if (q->deepest > 0.7 * before) break; /* jammed */
            before = q->deepest;
        }
        move(q);
        if (strayed(q)) status = list_neighbours(q);
        if (status == JO_OK && round % REPORT_EVERY == 0)
            status = jo_placing_report(q->p, progress_of(q, first));
    }
    return status == JO_OK ? JO_ERR_DATA : status;
}

/* Where walls are closer than a diameter, pushes from both sides may hide an overlap: by how much a
 * body would have to shrink there. 0: all lie as they should. */
static double hidden_overlap(const quench *q, const batch *out)
{
    double worst = 0.0;
    for (size_t i = 0; i < q->n; i++) {
        double low = 0.0, high = out->r[i];
        if (fits(q, q->x + 3 * i, high)) continue;
        for (int k = 0; k < 30; k++) {
            const double middle = 0.5 * (low + high);
            if (fits(q, q->x + 3 * i, middle))
                low = middle;
            else
                high = middle;
        }
        worst = fmax(worst, 0.5 * (1.0 - low / out->r[i]));
    }
    return worst;
}

jo_status jo_place_dense(placing *p, const jo_group *g, batch *out, double *overlap)
{
    quench q = {.p = p, .g = g, .dim = p->scene->dim};
    jo_region_open_axes(&g->region, p->scene, q.open);
    jo_status status = prepare(&q, out);
    if (status == JO_OK) status = relax(&q);
    if (status == JO_ERR_DATA) *overlap = q.deepest;
    if (status == JO_OK) status = list_neighbours(&q); /* wraps */
    if (status == JO_OK) {
        *overlap = hidden_overlap(&q, out);
        if (*overlap > 0.0) status = JO_ERR_DATA;
    }
    if (status == JO_OK) memcpy(out->x, q.x, 3 * q.n * sizeof *q.x);
    jo_broad_destroy(q.search);
    free(q.memory);
    free(q.border);
    return status;
}
