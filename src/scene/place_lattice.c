/* place_lattice.c — bodies on lattices.
 *
 * Sites are those of an orthogonal cell with a few points in it, repeated over the box around the
 * region; a site is kept when a sphere of the largest radius lies inside the region, clear of walls
 * and of bodies placed before. Along a periodic axis that the region spans, a whole number of cells
 * is used, so that images keep their distance. Sites are sorted from below (along the last axis
 * first), so that a limited count fills the region from its bottom. Cost: O(sites log sites). */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "scene/crystal.h"
#include "scene/placing.h"
#include "scene/region.h"

typedef struct frame {
    const crystal *c;
    double lo[3], edge[3];
    double count[3]; /* cells */
    bool open[3];
} frame;

static int by_height(const void *a, const void *b)
{
    const double *u = a, *v = b;
    for (int k = 2; k >= 0; k--)
        if (u[k] != v[k]) return u[k] < v[k] ? -1 : 1;
    return 0;
}

static frame make_frame(const placing *p, const jo_group *g, double spacing, double radius)
{
    const int dim = p->scene->dim;
    frame f = {.c = jo_crystal(g, dim)};
    double hi[3];
    JO_ASSERT(f.c != NULL);
    jo_region_bounds(&g->region, dim, f.lo, hi);
    jo_region_open_axes(&g->region, p->scene, f.open);
    for (int a = 0; a < 3; a++) {
        f.count[a] = 1.0;
        f.edge[a] = spacing * f.c->edge[a];
        if (a >= dim) continue;
        if (f.open[a]) {
            f.count[a] = floor((hi[a] - f.lo[a]) / f.edge[a] * (1.0 + 1e-12));
            continue;
        }
        f.lo[a] += radius;
        f.count[a] = floor((hi[a] - radius - f.lo[a]) / f.edge[a] * (1.0 + 1e-12)) + 1.0;
    }
    return f;
}

static jo_status keep_site(placing *p, const jo_group *g, const frame *f, const double x[3],
                           double radius, batch *sites)
{
    if (!jo_region_holds(&g->region, p->scene->dim, f->open, x, radius * (1.0 - 1e-9)))
        return JO_OK;
    if (!jo_surfaces_clear(p->walls, x, radius)) return JO_OK;
    if (p->placed.n > 0 && jo_nest_touches(&p->placed, x, radius)) return JO_OK;
    return jo_batch_add(sites, x, radius) ? JO_OK
                                          : jo_fail_memory(p->error, 32 * sites->n, "a lattice");
}

static jo_status collect(placing *p, const jo_group *g, const frame *f, double radius, batch *sites)
{
    jo_status status = JO_OK;
    for (double k = 0; k < f->count[2] && status == JO_OK; k++)
        for (double j = 0; j < f->count[1] && status == JO_OK; j++) {
            for (double i = 0; i < f->count[0] && status == JO_OK; i++)
                for (int s = 0; s < f->c->sites && status == JO_OK; s++) {
                    const double at[3] = {i, j, k};
                    double x[3] = {0.0, 0.0, 0.0};
                    for (int a = 0; a < p->scene->dim; a++)
                        x[a] = f->lo[a] + (at[a] + f->c->at[s][a]) * f->edge[a];
                    status = keep_site(p, g, f, x, radius, sites);
                }
            if (status == JO_OK) status = jo_placing_report(p, 0.5 * k / f->count[2]);
        }
    return status;
}

jo_status jo_place_lattice(placing *p, const jo_group *g, batch *out)
{
    char who[JO_NAME_SIZE];
    const double radius = jo_sizes_largest(&g->sizes);
    const double spacing = isnan(g->spacing) ? 2.0 * radius : g->spacing;
    const frame f = make_frame(p, g, spacing, radius);
    const double most = f.count[0] * f.count[1] * f.count[2] * f.c->sites;
    if (!(most <= (double)JO_BODIES_MAX))
        return jo_fail(p->error, JO_ERR_LIMIT,
                       "the lattice of bodies %s has %.3g sites; at most %zu are possible",
                       jo_placing_who(p, who), most, JO_BODIES_MAX);
    batch sites = {0};
    jo_status status = collect(p, g, &f, radius, &sites);
    if (status == JO_OK && sites.n == 0)
        status = jo_fail(
            p->error, JO_ERR_DATA,
            "the lattice of bodies %s has no site inside its region that is clear of walls and "
            "other bodies",
            jo_placing_who(p, who));
    if (status == JO_OK) qsort(sites.x, sites.n, 3 * sizeof *sites.x, by_height);
    const size_t n = g->count > 0 && g->count < sites.n ? (size_t)g->count : sites.n;
    for (size_t i = 0; i < n && status == JO_OK; i++)
        if (!jo_batch_add(out, sites.x + 3 * i, jo_group_radius(g, i)))
            status = jo_fail_memory(p->error, 32 * n, "a lattice");
    jo_batch_free(&sites);
    return status;
}
