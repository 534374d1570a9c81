/* surfaces.h — walls as the pieces a ball can hit: planes, sides of cylinders and cones, rims,
 * discs, triangles, edges, corners. */
#ifndef JO_HARD_SURFACES_H
#define JO_HARD_SURFACES_H

#include "hard/balls.h"

typedef enum surface_kind {
    SURFACE_PLANE, /* normal towards the balls; all behind it is solid */
    SURFACE_TUBE,  /* side of a cylinder (2D: a circle), from one side */
    SURFACE_CONE,  /* side of a cone, from one side */
    SURFACE_RIM,   /* circle, all around */
    SURFACE_DISC,  /* flat end, from the side of its normal */
    SURFACE_FACE,  /* triangle (2D: segment), both sides */
    SURFACE_EDGE,  /* segment, all around */
    SURFACE_CORNER /* point */
} surface_kind;

typedef struct surface {
    surface_kind kind;
    uint32_t wall, face; /* as in jo_hard_event */
    uint32_t material;
    double point[3];     /* of the plane, the axis, the face, the edge; centre of rim and disc; the
                            corner */
    double normal[3];    /* plane, face, disc; tube, cone, rim: the axis; edge: its direction */
    double along[2][3];  /* face: its two sides from the point; edge: to its other end */
    double radius;       /* of tube, rim, disc; of a cone at its point */
    double length;       /* of tube, cone, edge; INFINITY: without ends */
    double cosine, sine; /* cone: of the angle between its side and its axis; > 0: it widens */
    bool outside;        /* tube, cone: this is the outer side */
    bool shell;          /* tube, cone: thin; balls may be on the other side, too */
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

/* ---- surfaces.c: walls that may move ---- */

/* How long until the ball hits the surface, at most `until`; INFINITY: not. *again is lowered to
 * the moment up to which the answer holds, where that is not for ever. */
double jo_surface_time(const surface *s, int dim, const approach_to *b, double until,
                       double *again);
/* For a ball of radius r at x that touches it: the unit normal towards the ball, and the surface's
 * velocity at the point where they touch. */
void jo_surface_contact(const surface *s, double time, const double x[3], double r,
                        double normal[3], double velocity[3]);
/* Distance of the ball's surface from it; INFINITY where it cannot be touched. */
double jo_surface_gap(const surface *s, int dim, double time, const double x[3], double r);

/* Whether a ball of that radius with its centre in the cell may touch it, ever. */
bool jo_surface_near(const surface *s, int dim, const double lo[3], const double hi[3],
                     double reach);

/* How long until a ball that falls hits ball j, which is fixed. image: shift of j, or NULL:
 * nearest. */
double jo_fixed_time(const jo_hard *h, const double x[3], const double v[3], double r, uint32_t j,
                     double until, const double *image, bool just_met);

/* ---- surface_pieces.c: one that is at rest, or seen from where it is ---- */

/* As jo_surface_time; not for planes. */
double jo_piece_time(const surface *s, int dim, const approach_to *b, double until);
/* The unit normal towards a centre at x. */
void jo_piece_normal(const surface *s, const double x[3], double normal[3]);
/* Distance of a centre at x from it, negative beyond where there is only one side; INFINITY where
 * the nearest point is not on this piece. */
double jo_piece_distance(const surface *s, int dim, const double x[3]);
/* The box around a piece that has ends: all but planes, and tubes without. */
bool jo_piece_bounds(const surface *s, int dim, double lo[3], double hi[3]);
/* |d + v t + g t^2 / 2|^2 - (r + rate t)^2 as a polynomial; returns its degree. */
int jo_distance_polynomial(const double d[3], const double v[3], const double g[3], double r,
                           double rate, double c[5]);

/* ---- surfaces_make.c ---- */

/* The pieces of the scene's walls; JO_ERR_DATA for a wall that hard balls cannot have. */
jo_status jo_surfaces_make(const jo_scene *scene, surface_list *out, jo_error *error);

#endif
