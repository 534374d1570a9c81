/* press.h — how two overlapping convex bodies press on each other: forces that have a potential.
 *
 * Each body has a field: the depth below its own surface, which is the least height over its faces.
 * The bodies' potential is the integral of the smaller of the two depths over what they share. Its
 * gradient is a pressure on the surface where both depths are equal: see press.c. Everything here
 * is for a stiffness of 1: pressure is depth.
 *
 * A body is given by planes of its faces, only those near the contact: jo_press_cap finds them. A
 * wall is given by its plane, and cut off from neighbouring pieces of wall by `parts`. */
#ifndef JO_NARROW_PRESS_H
#define JO_NARROW_PRESS_H

#include "base/memory.h"
#include "jostle/features.h"

/* Memory of one thread; zeroed at first. */
typedef struct press_scratch {
    buffer vertex_seen, face_seen;          /* uint32_t, stamped */
    buffer stack;                           /* uint32_t */
    buffer corners;                         /* of polygons */
    buffer seen, queue;                     /* pieces */
    buffer order;                           /* of planes: uint32_t */
    buffer near_stamps[2], near_numbers[2]; /* uint32_t, by face; of press_near.c, as all below */
    buffer near_planes[2], near_faces[2];   /* double[4], uint32_t */
    buffer near_spans[2], near_lists[2];    /* faces beside them: uint32_t[2], uint32_t */
    buffer near_columns[2];                 /* their planes: double */
    buffer near_seen, near_queue;           /* pieces: uint64_t, uint32_t */
    /* What it found: pieces as numbers of both faces and of sides, and what made the sides: 2 k or
     * 2 k + 1 for number k of a or b, CUT_ZERO, CUT_PART less the part's number. */
    buffer record_pieces, record_cuts; /* uint32_t[3], int32_t */
    size_t recorded, recorded_cuts, near_count[2];
    uint32_t stamp, near_stamp;
} press_scratch;
void jo_press_scratch_free(press_scratch *s);

/* Planes in the world's axes, from an origin that both bodies share: unit normal n and offset d,
 * inside n·x < d; and the faces they belong to. */
typedef struct press_planes {
    buffer planes, faces; /* double[4], uint32_t */
    size_t count;
} press_planes;
void jo_press_planes_free(press_planes *p);

/* The planes of all faces of the body that come closer than `depth` to its topmost point in
 * direction `up` (world), `top` being a vertex that is extreme there. `origin` is taken off
 * positions; `more` is added to offsets, so that faces of two bodies in one plane are never equally
 * deep. Other planes of the body cannot matter to what it shares with one below. False: no
 * memory. */
bool jo_press_cap(const jo_polyhedron *body, const jo_pose *pose, const double origin[3],
                  const double up[3], uint32_t top, double depth, double more, press_scratch *s,
                  press_planes *out);
/* A plane that is no face. */
bool jo_press_plane(press_planes *out, const double normal[3], double offset, uint32_t face);

typedef struct press {
    double force[3];  /* on a */
    double moment[3]; /* likewise, about the origin */
    double total;     /* integral of the pressure */
    double first[3];  /* of pressure times place */
    double second[6]; /* of pressure times place twice: xx, yy, zz, xy, xz, yz */
    double area[3];   /* of the surface, with its normal from b to a */
    double deepest;   /* largest pressure */
    uint32_t a, b;    /* faces that meet in a piece of it: where to start next time */
    uint32_t pieces;
    bool islands; /* it does not hang together: jo_press_near */
} press;

/* False: they share nothing, or (out->pieces UINT32_MAX) there was no memory. start_a and start_b
 * are faces of a piece, or anything. `size`: all of it lies closer than that to the origin.
 * `parts`: of four numbers each, s·x + c >= 0 holds. */
bool jo_press(const press_planes *a, const press_planes *b, const double (*parts)[4],
              size_t part_count, double size, uint32_t start_a, uint32_t start_b, press_scratch *s,
              press *out);

/* The potential, of which force and moment above are the gradient. NAN: no memory. */
double jo_press_energy(const press_planes *a, const press_planes *b, const double (*parts)[4],
                       size_t part_count, double size, const press *known, press_scratch *s);

#endif
