/* curves.h — how the time of `cells` depends on the cell, and that of `verlet` on the skin. */
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "measure.h"
#include "report.h"

enum { CURVE_POINTS = 24 };

/* One cell size. */
typedef struct cell_point {
    double lambda;    /* edge in use over the mean radius */
    double per_cell;  /* mean number of particles in a cell */
    double work;      /* seconds per particle of one search, contacts unsorted */
    double searching; /* the part of it that looks into cells and tests pairs */
    double tested;    /* pairs tested per particle */
    double searched;  /* the model's number of cells searched per particle, n_s^dim */
} cell_point;

/* The curve over the cell size, the model's optimum beside the measured one, and the model's
 * coefficients as this machine has them: searching = sc searched + cc tested, and a mean rest. */
typedef struct cell_curve {
    cell_point points[CURVE_POINTS];
    size_t n;
    double radius, density; /* mean radius; particles per unit volume */
    double solid;           /* fraction of the volume that mean-sized particles fill */
    cell_point best;        /* the fastest point */
    double low, high;       /* lambda between which the time is within 10 % of the best */
    double model;           /* lambda of least load for kappa = 10.47 */
    double fixed, sc, cc;   /* seconds; fitted, never negative */
    double kappa;           /* cc / sc; infinite when sc is 0 */
    double fitted;          /* lambda of least load for that kappa; NaN when sc or cc is 0 */
} cell_curve;

extern const double mio_kappa; /* 10.47 */

/* Measures `cells` at each lambda (edge = lambda * mean radius), the best of `repeat` searches. */
jo_status curve_cells(const jo_particles *p, const double *lambdas, size_t n, int repeat,
                      cell_curve *curve, jo_error *error);
/* The load of the model at a point, in seconds per particle, scaled to the fit. */
double curve_fit(const cell_curve *curve, const cell_point *point);
report_plot *curve_plot_cells(report *r, const cell_curve *curve, int dim, const char *title);

typedef struct skin_point {
    double skin; /* in mean diameters */
    double seconds;
    uint64_t rebuilds;
} skin_point;

typedef struct skin_curve {
    skin_point points[CURVE_POINTS];
    size_t n;
    skin_point tuned; /* the skin verlet chose by itself, at the end */
    skin_point best;
    double anew; /* seconds per step of a search from scratch by the fastest cell method */
} skin_curve;

jo_status curve_skins(const jo_particles *p, const motion *how, const double *skins, size_t n,
                      skin_curve *curve, jo_error *error);
report_plot *curve_plot_skins(report *r, const skin_curve *curve, const char *title);

#endif
