/* cell_model.c — how large a linked cell should be: the model of Mio et al. (2005), as paper 2
 * gives it.
 *
 * A body searches the cells that its search range, two radii to either side of its centre,
 * overlaps. With lambda = edge / r these are n_s per axis on average; the paper fits n_s = 1.14
 * exp(2.65 / (lambda + 0.80)). The exact mean is n_s = 1 + 4 / lambda, from which the fit departs
 * by less than 8 % between lambda 0.5 and 20: that is what n_s means, and it counts both sides. The
 * load per body is one unit per searched cell and kappa units per pair tested.
 *
 * With the exact n_s the optimum has a closed form, the solution of lambda^(dim+1) = 8 / (kappa
 * density r^dim): good for checking, see docs/methods/cells.md. */
#include <math.h>

#include "jostle/broad.h"

#define LAMBDA_MIN 0.25
#define LAMBDA_MAX 20.0

double jo_cell_load(double lambda, double r, double density, int dim, double kappa)
{
    const double searched = 1.14 * exp(2.65 / (lambda + 0.80));
    double cells = 1.0, bodies = density;
    for (int a = 0; a < dim; a++) {
        cells *= searched;
        bodies *= searched * lambda * r;
    }
    return cells + 0.5 * kappa * (bodies - 1.0);
}

double jo_cell_optimum(double r, double density, int dim, double kappa)
{
    /* A coarse scan brackets the least value, golden sections narrow it down. */
    enum { STEPS = 64 };
    const double ratio = pow(LAMBDA_MAX / LAMBDA_MIN, 1.0 / STEPS);
    double best = LAMBDA_MIN, least = INFINITY, lambda = LAMBDA_MIN;
    for (int k = 0; k <= STEPS; k++, lambda *= ratio) {
        const double load = jo_cell_load(lambda, r, density, dim, kappa);
        if (load < least) least = load, best = lambda;
    }
    double lo = fmax(best / ratio, LAMBDA_MIN), hi = fmin(best * ratio, LAMBDA_MAX);
    const double golden = 0.6180339887498949;
    while (hi - lo > 5e-4) {
        const double left = hi - golden * (hi - lo), right = lo + golden * (hi - lo);
        if (jo_cell_load(left, r, density, dim, kappa) <
            jo_cell_load(right, r, density, dim, kappa))
            hi = right;
        else
            lo = left;
    }
    return 0.5 * (lo + hi);
}
