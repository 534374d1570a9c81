/* flat_time.h — when a triangle of three moving corners goes flat.
 *
 * Between events a body's centre runs on a parabola and the body turns at a constant rate. Twice
 * the area of a triangle whose corners are fixed to such bodies, det(u) = (p1 - p0) x (p2 - p0),
 * positive when counter-clockwise, is a function of the time u since an instant common to all.
 * Asked for is the first u in [0, until] at which det - level falls and is zero or below: where it
 * comes down to zero, or, where it was not above zero at the start, where it begins to fall. So a
 * triangle that is flat at the start is judged by its derivatives: falling is an answer of 0,
 * rising is none.
 *
 * Three methods. `sturm` and `fast` take the corners' motion as the paper's series in u (a
 * polynomial of degree 8 for det), good for a period that jo_flat_period chooses; `exact` takes the
 * true sine and cosine and knows no period. See flat_time.c for the series, its error, and how
 * roots are found. */
#ifndef JO_HARD_FLAT_TIME_H
#define JO_HARD_FLAT_TIME_H

#include <stdbool.h>

enum { FLAT_DEGREE = 8 };

/* A body at the instant u = 0; one that never moves has zeros but for x. Corners of one body share
 * the pointer: that is how they are known to move together. */
typedef struct flat_body {
    double x[2], v[2], a[2]; /* centre of mass: place, velocity, acceleration */
    double spin;             /* radians per time, counter-clockwise */
} flat_body;

typedef struct flat_corner {
    const flat_body *body;
    double r[2]; /* from the body's centre to the corner at u = 0, along the world's axes */
} flat_corner;

typedef struct flat_triangle {
    flat_corner corner[3];
    double level;  /* flat means det <= level; 0, or for a gap d above an edge of length l: d l */
    double until;  /* how far to look; finite */
    bool touching; /* det - level is zero at the start whatever rounding makes of it: after an
                      impact */
    bool distance; /* of corners 0 and 1 instead: det is its square, and so is level; corner 2 is
                      corner 1 */
} flat_triangle;

typedef enum flat_method { FLAT_FAST, FLAT_STURM, FLAT_EXACT } flat_method;

typedef struct flat_answer {
    bool flat;   /* it goes flat, at `when` */
    double when; /* not flat: the time up to which it is certain not to; at least `until`, but for
                    `exact` possibly before, where it would take too many steps to see further */
} flat_answer;

/* The answer is on the early side: det - level, as the series gives it, is not negative at `when`
 * (but for a triangle that began inverted), and within a few units in the last place of `when` it
 * is; of `exact` that holds of the true det up to rounding of places. Three corners of one body
 * never go flat. */
flat_answer jo_flat_time(const flat_triangle *triangle, flat_method method);

/* The longest period for bodies that turn at no more than |spin|, such that the series places a
 * corner with an error of at most accuracy times its distance from the centre: (120 accuracy)^(1/5)
 * / |spin|, INFINITY for spin 0. The paper's 1e-7 at 0.1 radians is accuracy 8.4e-8. */
double jo_flat_period(double spin, double accuracy);

/* How much det of the series and the true det can differ at any time in [0, until]. */
double jo_flat_series_error(const flat_triangle *triangle);

/* det - level as a polynomial in s = u / until: c[0] + c[1] s + … + c[8] s^8. */
void jo_flat_series(const flat_triangle *triangle, double c[FLAT_DEGREE + 1]);

/* The true det - level at u, and if slope is not NULL its derivative. */
double jo_flat_value(const flat_triangle *triangle, double u, double *slope);

/* Of a polynomial of degree at most 8, the first s in [0, 1] at which it falls and is zero or
 * below; INFINITY if there is none. `touching`: c[0] counts as zero. */
double jo_flat_root_sturm(const double c[FLAT_DEGREE + 1], bool touching);
double jo_flat_root_fast(const double c[FLAT_DEGREE + 1], bool touching);

/* Brings a body and a corner's arm to the instant u, by the true motion. */
flat_body jo_flat_body_at(const flat_body *body, double u);
void jo_flat_arm_at(const flat_body *body, const double r[2], double u, double out[2]);

#endif
