/* poly_meet.h — a contact of a polyhedron as geometry leaves it to the law. */
#ifndef JO_SOFT_POLY_MEET_H
#define JO_SOFT_POLY_MEET_H

#include <string.h>

#include "soft/poly.h"

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const double a[3], const double b[3], double out[3])
{
    const double r[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, r, sizeof r);
}

/* One of the two sides of a contact: where it is and how it moves, now and half a step before. */
typedef struct side {
    double x[3], v[3], w[3], v_half[3], w_half[3];
    double lightness; /* 1 / mass */
    double size;      /* radius of the sphere of the same volume; of the sphere itself */
} side;

/* A contact as geometry leaves it to the law. */
typedef struct meeting {
    double n[3];      /* unit vector from b to a */
    double elastic;   /* normal force of the spring */
    double aside[3];  /* what else it does: of pieces of walls (stand_on_piece) */
    double couple[3]; /* of that about the centre */
    double centre[3]; /* from a's centre */
    double spread[9]; /* mean square of the distance from there, weighted by pressure */
    double middle[3]; /* of the area pressed, from the centre */
    double stiffness, tangent, dashpot, drag; /* normal and tangential */
    double overlap;
    bool from_tangent; /* narrow/press_tangent.h */
    bool leans;        /* a piece of wall presses aside, and must not pull */
} meeting;

void jo_poly_side_of_body(const jo_soft *soft, uint32_t slot, side *out);
/* A wall as if it were a body at `x`. */
void jo_poly_side_of_wall(const wall_live *wall, const double x[3], side *out);
/* Moves b to the image that is nearest to a; returns how many boundaries up it is. */
double jo_poly_nearest_image(const jo_soft *soft, const side *a, side *b);
const law_pair *jo_poly_law(const jo_soft *soft, const poly_pair *p); /* of the two materials */
/* Whether a and b touch, and how. If not, p may sleep from `moved` on, or one is wholly inside the
 * other: then m has the overlap and nothing else. */
bool jo_poly_meet(const jo_soft *soft, poly_pair *p, const side *a, const side *b, double moved,
                  poly_scratch *s, meeting *m);
/* After the two met as m: if they hardly move against each other, the next steps shall be told from
 * the tangent. */
void jo_poly_take_tangent(const jo_soft *soft, poly_pair *p, const side *a, const side *b,
                          double dt, poly_scratch *s, const meeting *m);

#endif
