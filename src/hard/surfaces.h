/* surfaces.h — walls as the pieces a ball can hit: planes, tubes, triangles, edges, corners. */
#ifndef JO_HARD_SURFACES_H
#define JO_HARD_SURFACES_H

#include "hard/balls.h"

typedef enum surface_kind {
    SURFACE_PLANE, /* normal towards the balls */
    SURFACE_TUBE,  /* side of a cylinder (2D: a circle) */
    SURFACE_FACE,  /* triangle (2D: segment), both sides */
    SURFACE_EDGE,  /* segment, all around */
    SURFACE_CORNER /* point */
} surface_kind;

typedef struct surface {
    surface_kind kind;
    uint32_t wall, face; /* as in jo_hard_event */
    uint32_t material;
    double point[3];    /* of the plane, the tube's axis, the face, the edge; the corner */
    double normal[3];   /* plane, face; tube: the axis */
    double along[2][3]; /* face: its two sides from the point; edge: to its other end */
    double radius, length;
    bool outside; /* tube: balls are outside of it */
    jo_motion motion;
    bool moves, swings;
    double from, until;
} surface;

typedef struct surface_list {
    surface *list;
    uint32_t count, room;
} surface_list;

/* What happens when: a ball at x, falling, of radius r that grows at the rate r_rate. */
typedef struct approach_to {
    double x[3], v[3], g[3];
    double r, r_rate;
    double time; /* absolute */
} approach_to;

/* How long until the ball hits the surface, at most `until`; INFINITY: not. *again is lowered to the
 * moment up to which the answer holds, where that is not for ever. */
double jo_surface_time(const surface *s, int dim, const approach_to *b, double until,
                       double *again);
/* The unit normal there, towards the ball at x, and the surface's velocity at that point. */
void jo_surface_contact(const surface *s, int dim, double time, const double x[3], double normal[3],
                        double velocity[3]);
/* Distance of the ball's surface from it; INFINITY where it cannot be touched. */
double jo_surface_gap(const surface *s, int dim, double time, const double x[3], double r);

/* The pieces of the scene's walls; JO_ERR_DATA for a wall that hard balls cannot have. */
jo_status jo_surfaces_make(const jo_scene *scene, surface_list *out, jo_error *error);

/* Whether a ball of that radius with its centre in the cell may touch it, ever. */
bool jo_surface_near(const surface *s, int dim, const double lo[3], const double hi[3],
                     double reach);

/* How long until a ball that falls hits ball j, which is fixed. image: shift of j, or NULL: nearest. */
double jo_fixed_time(const jo_hard *h, const double x[3], const double v[3], double r, uint32_t j,
                     double until, const double *image, bool just_met);

#endif
