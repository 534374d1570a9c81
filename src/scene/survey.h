/* survey.h — one pass over the bodies: are they valid, where are they, how large. */
#ifndef JO_SCENE_SURVEY_H
#define JO_SCENE_SURVEY_H

#include "jostle/scene.h"

/* For boxes "radius" is half the longest edge, and centres are the boxes' centres. */
typedef struct survey {
    double lo[3], hi[3]; /* the smallest box that holds all centres; 0 when there are none */
    double r_min, r_max; /* 0 when there are no bodies */
    double r_mean;
} survey;

/* The part of the checks that does not look at the bodies' values: arrays, strides, dimension,
 * domain. */
jo_status jo_check_view(const jo_bodies *bodies, const jo_domain *domain, jo_error *error);

/* Checks everything jo_bodies_check promises and measures. */
jo_status jo_survey(const jo_bodies *bodies, const jo_domain *domain, survey *out, jo_error *error);

/* The centre of body i on axis a, and its "radius" as above. */
static inline double body_centre(const jo_bodies *b, size_t i, int a)
{
    const double x = b->x[a][i * b->x_stride];
    return b->shape == JO_SPHERES ? x : 0.5 * x + 0.5 * b->upper[a][i * b->x_stride];
}

static inline double body_radius(const jo_bodies *b, size_t i)
{
    if (b->shape == JO_SPHERES) return b->r[i * b->r_stride];
    double r = 0.0;
    for (int a = 0; a < b->dim; a++) {
        const double half = 0.5 * b->upper[a][i * b->x_stride] - 0.5 * b->x[a][i * b->x_stride];
        if (half > r) r = half;
    }
    return r;
}

/* The lower and upper end of body i's bounding box on axis a, in rounded arithmetic: touching
 * bodies may miss each other by a rounding error, so callers widen it with body_slack. */
static inline void body_interval(const jo_bodies *b, size_t i, int a, double *lower, double *upper)
{
    const double x = b->x[a][i * b->x_stride];
    if (b->shape == JO_SPHERES) {
        const double r = b->r[i * b->r_stride];
        *lower = x - r;
        *upper = x + r;
    } else {
        *lower = x;
        *upper = b->upper[a][i * b->x_stride];
    }
}

/* How far an interval or a reach must be widened so that no contact by the definition in touch.h is
 * lost to rounding: a few ulps of the coordinates and sizes involved, and of the square root of the
 * smallest double, because tiny squares underflow. `magnitude` bounds |coordinate| + radius of
 * every body concerned, period included. */
static inline double body_slack(double magnitude)
{
    return 16 * 2.220446049250313e-16 * magnitude + 1e-160;
}

/* The largest |coordinate| + radius that can occur, for body_slack. */
double jo_survey_magnitude(const survey *s, const jo_domain *domain, int dim);

#endif
