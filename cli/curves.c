/* curves.c — how the time of `cells` depends on the cell, and that of `verlet` on the skin.
 *
 * Cells, after Mio et al. (paper 2): a particle looks into n_s^dim cells and tests n_cc pairs; the
 * load is kappa_sc n_s^dim + kappa_cc n_cc. n_s is the paper's fit, n_cc is counted. The two
 * coefficients are fitted to the time of the search alone; what it takes to fill the cells, which
 * the model leaves out, is the mean rest.
 *
 * Skins: a motion is followed with each skin, and once with the skin verlet tunes by itself. */
#include <math.h>
#include <string.h>

#include "curves.h"

const double mio_kappa = 10.47;

/* ---- the fit */

/* Least squares of the relative errors of searching = sc searched + cc tested: two equations. A
 * coefficient that would be negative is 0, and the other fitted alone. */
static void fit(cell_curve *c)
{
    double ss = 0.0, st = 0.0, tt = 0.0, s1 = 0.0, t1 = 0.0, rest = 0.0;
    for (size_t k = 0; k < c->n; k++) {
        const cell_point *p = &c->points[k];
        const double s = p->searched / p->searching, t = p->tested / p->searching;
        ss += s * s;
        st += s * t;
        tt += t * t;
        s1 += s;
        t1 += t;
        rest += (p->work - p->searching) / (double)c->n;
    }
    const double determinant = ss * tt - st * st;
    c->fixed = fmax(rest, 0.0);
    c->sc = determinant > 0.0 ? (s1 * tt - t1 * st) / determinant : 0.0;
    c->cc = determinant > 0.0 ? (t1 * ss - s1 * st) / determinant : 0.0;
    if (c->sc < 0.0) c->sc = 0.0, c->cc = tt > 0.0 ? t1 / tt : 0.0;
    if (c->cc < 0.0) c->cc = 0.0, c->sc = ss > 0.0 ? s1 / ss : 0.0;
}

double curve_fit(const cell_curve *curve, const cell_point *point)
{
    return curve->fixed + curve->sc * point->searched + curve->cc * point->tested;
}

/* ---- cells */

/* The volume the lattice divides: the box on periodic axes, the extent of the centres on others. */
static double lattice_volume(const jo_particles *p)
{
    const double *const axis[3] = {p->x, p->y, p->z};
    double volume = 1.0;
    for (int a = 0; a < p->dim; a++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t k = 0; k < p->n; k++) {
            lo = fmin(lo, axis[a][k]);
            hi = fmax(hi, axis[a][k]);
        }
        volume *= p->domain.periodic[a] ? p->domain.hi[a] - p->domain.lo[a] : hi - lo;
    }
    return volume;
}

static void describe(cell_curve *c, const jo_particles *p, double volume)
{
    const double n = (double)p->n;
    c->radius = mean_radius(p);
    c->density = n / volume;
    c->solid = c->density * (p->dim == 2 ? M_PI : 4.0 / 3.0 * M_PI) * pow(c->radius, p->dim);
    c->model = jo_cell_optimum(c->radius, c->density, p->dim, mio_kappa);
}

static void find_best(cell_curve *c)
{
    c->best = c->points[0];
    for (size_t k = 1; k < c->n; k++)
        if (c->points[k].work < c->best.work) c->best = c->points[k];
    c->low = c->high = c->best.lambda;
    for (size_t k = 0; k < c->n; k++) {
        if (c->points[k].work > 1.1 * c->best.work) continue;
        c->low = fmin(c->low, c->points[k].lambda);
        c->high = fmax(c->high, c->points[k].lambda);
    }
}

jo_status curve_cells(const jo_particles *p, const double *lambdas, size_t n, int repeat,
                      cell_curve *curve, jo_error *error)
{
    const double volume = lattice_volume(p);
    const jo_bodies bodies = jo_particles_view(p);
    *curve = (cell_curve){0};
    if (!(volume > 0.0) || !isfinite(volume)) {
        return cli_error(error, JO_ERR_DATA,
                         "the centres lie on one %s: there is no density to tune cells for",
                         p->dim == 2 ? "line along an axis" : "plane across an axis");
    }
    describe(curve, p, volume);
    for (size_t k = 0; k < n && k < CURVE_POINTS; k++) {
        measurement m;
        jo_broad_def def = jo_broad_def_default();
        def.method = "cells";
        def.domain = p->domain;
        def.threads = 1;
        def.ordered = false;
        def.cell = lambdas[k] * curve->radius;
        const jo_status status = measure_find(&def, &bodies, repeat, &m, error);
        if (status != JO_OK) return status;
        const double edge = pow(volume / fmax(m.cells, 1.0), 1.0 / p->dim);
        cell_point *point = &curve->points[curve->n++];
        point->lambda = edge / curve->radius;
        point->per_cell = (double)p->n / fmax(m.cells, 1.0);
        point->work = m.seconds / (double)p->n;
        point->searching = m.searching / (double)p->n;
        point->tested = (double)m.tested / (double)p->n;
        /* A load with kappa = 0 is the number of cells searched alone. */
        point->searched = jo_cell_load(point->lambda, curve->radius, curve->density, p->dim, 0.0);
    }
    find_best(curve);
    fit(curve);
    curve->kappa = curve->cc / curve->sc;
    curve->fitted = curve->sc > 0.0 && curve->cc > 0.0
                        ? jo_cell_optimum(curve->radius, curve->density, p->dim, curve->kappa)
                        : NAN;
    return JO_OK;
}

report_plot *curve_plot_cells(report *r, const cell_curve *c, int dim, const char *title)
{
    report_plot *plot = report_plot_add(r, "cells", title, "cell edge over mean radius, λ = c / r",
                                        "ns per particle", true, true);
    if (plot == NULL) return NULL;
    snprintf(plot->subtitle, sizeof plot->subtitle,
             "measured best λ = %.2f (%.2f per cell); model's best λ = %.2f (κ = 10.47)",
             c->best.lambda, c->best.per_cell, c->model);
    /* The model gives a shape; it is scaled to meet the fit at the model's optimum. */
    const double least = jo_cell_load(c->model, c->radius, c->density, dim, mio_kappa);
    for (size_t k = 0; k < c->n; k++) {
        const cell_point *p = &c->points[k];
        report_point(r, plot, "measured", p->lambda, 1e9 * p->work);
        report_point(r, plot, "fit: fixed + sc·cells + cc·pairs", p->lambda, 1e9 * curve_fit(c, p));
    }
    enum { STEPS = 40 };
    const double first = c->points[0].lambda, last = c->points[c->n - 1].lambda;
    for (int k = 0; k <= STEPS; k++) {
        const double lambda = first * pow(last / first, (double)k / STEPS);
        const double load = jo_cell_load(lambda, c->radius, c->density, dim, mio_kappa);
        report_point(r, plot, "Mio's model, κ = 10.47 (scaled)", lambda,
                     1e9 * c->best.work * load / least);
    }
    report_dashed(plot, "fit: fixed + sc·cells + cc·pairs");
    report_dashed(plot, "Mio's model, κ = 10.47 (scaled)");
    return plot;
}

/* ---- skins */

static jo_status one_skin(const jo_particles *p, const motion *how, double skin, skin_point *point,
                          jo_error *error)
{
    measurement m;
    jo_broad_def def = jo_broad_def_default();
    def.method = "verlet";
    def.domain = p->domain;
    def.threads = 1;
    def.skin = skin;
    const jo_status status = measure_motion(&def, p, how, &m, error);
    if (status != JO_OK) return status;
    *point = (skin_point){
        .skin = m.skin / (2.0 * mean_radius(p)), .seconds = m.seconds, .rebuilds = m.rebuilds};
    return JO_OK;
}

jo_status curve_skins(const jo_particles *p, const motion *how, const double *skins, size_t n,
                      skin_curve *curve, jo_error *error)
{
    const double diameter = 2.0 * mean_radius(p);
    *curve = (skin_curve){0};
    for (size_t k = 0; k < n && k < CURVE_POINTS; k++) {
        const jo_status status =
            one_skin(p, how, skins[k] * diameter, &curve->points[curve->n], error);
        if (status != JO_OK) return status;
        const skin_point *point = &curve->points[curve->n++];
        if (curve->n == 1 || point->seconds < curve->best.seconds) curve->best = *point;
    }
    jo_status status = one_skin(p, how, -1.0, &curve->tuned, error);
    if (status != JO_OK) return status;
    measurement m;
    jo_broad_def def = jo_broad_def_default();
    def.method = "cells";
    def.domain = p->domain;
    def.threads = 1;
    const jo_bodies bodies = jo_particles_view(p);
    status = measure_find(&def, &bodies, 2, &m, error);
    curve->anew = m.seconds;
    return status;
}

report_plot *curve_plot_skins(report *r, const skin_curve *curve, const char *title)
{
    report_plot *plot =
        report_plot_add(r, "skin", title, "skin in mean diameters", "ms per step", true, true);
    if (plot == NULL) return NULL;
    snprintf(plot->subtitle, sizeof plot->subtitle,
             "measured best skin = %.3f mean diameters; tuned by itself to %.3f", curve->best.skin,
             curve->tuned.skin);
    for (size_t k = 0; k < curve->n; k++) {
        report_point(r, plot, "verlet, this skin", curve->points[k].skin,
                     1e3 * curve->points[k].seconds);
        report_point(r, plot, "cells, from scratch", curve->points[k].skin, 1e3 * curve->anew);
    }
    report_point(r, plot, "verlet, tuned by itself", curve->tuned.skin, 1e3 * curve->tuned.seconds);
    report_dashed(plot, "cells, from scratch");
    report_points_only(plot, "verlet, tuned by itself");
    return plot;
}
