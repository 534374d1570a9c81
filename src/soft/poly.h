/* poly.h — polyhedra in the soft engine: how they lie in memory, and what the engine calls.
 *
 * The engine's arrays hold every body as the sphere around it: sorting, searching, moving in space
 * and removing need no more. A scene with polyhedra has `slots` beside them: one for each body,
 * spheres included, given for life, so that contacts can name bodies while those are put in other
 * orders. Slots hold what turning needs. A polyhedron's row of `w` has 0 where a sphere has the
 * inverse of its moment of inertia: the engine's kernels leave its spin alone, which is done here.
 *
 * Pairs in which a polyhedron takes part are in a list of their own, sorted by slots; each
 * remembers what a contact remembers and gets its forces written into it by whichever thread comes,
 * and forces are summed in the order of the list: no bit depends on the number of threads. */
#ifndef JO_SOFT_POLY_H
#define JO_SOFT_POLY_H

#include "base/memory.h"
#include "jostle/features.h"
#include "jostle/soft.h"
#include "law/law.h"
#include "narrow/press.h"
#include "narrow/press_cells.h"
#include "narrow/press_kept.h"
#include "narrow/press_tangent.h"
#include "soft/engine.h"

#define NO_SLOT UINT32_MAX
#define NO_KIND UINT32_MAX

enum {
    SURFACE_UNIT = 64, /* bytes: a line of the cache */
    TANGENT_UNITS = (sizeof(press_tangent) + SURFACE_UNIT - 1) / SURFACE_UNIT
};
#define TANGENT_WANTED UINT32_MAX

/* A shape of the scene at one size. */
typedef struct poly_kind {
    jo_polyhedron *shape;
    uint32_t of;           /* which shape of the scene */
    double radius;         /* of the sphere around it */
    double equivalent;     /* radius of the sphere of the same volume */
    double volume, widest; /* its largest face */
    double moment[3];      /* principal moments of inertia, for density 1 */
    double axes[4];        /* quaternion: the principal axes in the shape's frame */
    press_cells cells;     /* which faces are beside which */
} poly_kind;

typedef struct poly_body {
    uint32_t kind;       /* NO_KIND: a sphere */
    uint32_t index;      /* in the engine's arrays; UINT32_MAX: it has gone */
    double q[4];         /* of the principal axes, now */
    double spin[3];      /* angular momentum, half a step back */
    double change[3];    /* of it, over half a step */
    double w_half[3];    /* angular velocity half a step back */
    double w[3];         /* and now, predicted */
    double inverse[3];   /* of the principal moments; 0: fixed */
    uint32_t extreme[6]; /* vertices farthest along -x, +x, -y …, when lists were made */
    double lo[3], hi[3]; /* its box then, from its centre */
    jo_pose pose;        /* of the shape's frame */
} poly_body;

typedef enum poly_pair_kind { PAIR_BODIES, PAIR_SPHERE, PAIR_WALL } poly_pair_kind;

/* Two bodies that are near each other, at least a being a polyhedron, or a and a piece of a
 * wall. */
typedef struct poly_pair {
    uint32_t a, b;           /* slots, or b: a wall */
    uint32_t piece;          /* of a wall */
    uint32_t behind;         /* a is on the other side of that, a thin one */
    uint32_t kind;           /* poly_pair_kind */
    uint32_t touching;       /* in contact a step ago */
    uint32_t sliding;        /* at Coulomb's limit */
    uint32_t top_a, top_b;   /* vertices that are extreme along the axis */
    uint32_t face_a, face_b; /* where they pressed */
    uint32_t kept, room; /* the surface between them: where in `surfaces` it is kept (0: nowhere),
                          * and how many units it has there */
    uint32_t want;       /* units that it should have; no gaps: pairs are saved as they are */
    /* Bodies cannot touch before they have moved so far, see jo_poly_moved; so far down the line of
     * the cache has all that is read of pairs that sleep. */
    double asleep;
    uint32_t tangent; /* likewise in `surfaces`: how they press while they hardly move (0: unknown,
                       * or TANGENT_WANTED) */
    uint32_t taken;   /* in which step it was taken: the last digits of the number */
    uint64_t crossings; /* of sharp bodies, as of the surface kept: narrow/press_islands.h */
    jo_feature_pair features;
    double axis[3]; /* unit vector from a to b along which they are (or are nearly) apart */
    /* what a contact remembers */
    double xi[3], twist;      /* tangential spring, and that of turning about the normal */
    double stored;            /* in both */
    double stiffness, others; /* of a piece of wall: its own, and what other pieces of the wall have
                               * along its normal */
    double drag[3], torsion;  /* their force on a and torque a step ago */
    double pushed[3], rocked[3]; /* the normal dashpots' force on a and couple a step ago */
    /* of the present step */
    double point[3]; /* from a's centre */
    double normal;   /* force */
    double overlap;  /* where they do not touch: of one that is wholly inside the other */
    double force[3], couple[3]; /* on a, at the point; b has the opposite */
    double branch[3];           /* from b's centre (the point, for walls) to a's */
    double lost, worked;        /* since the step before: dissipated, done by shear */
} poly_pair;

/* A piece of wall, in the wall's frame: flat, with room behind it that is the wall's. */
typedef struct poly_piece {
    double plane[4];         /* its face: unit normal towards the bodies, offset */
    double rims[4][4];       /* other faces, where the wall ends */
    double parts[4][4];      /* borders with the next pieces: s·x + c >= 0 */
    double centre[3], reach; /* a sphere that holds it; reach infinite: it is everywhere */
    uint32_t rim_count, part_count;
} poly_piece;

typedef struct poly_wall {
    poly_piece *pieces;
    size_t count;
    jo_polyhedron *solid; /* the wall is a convex body; pieces NULL */
    press_cells cells;    /* of that */
    bool thin;            /* felt from either side */
    uint32_t *place;      /* of a mesh, by piece: scratch of jo_poly_walls_sides; all 0 */
} poly_wall;

/* Memory of one thread. */
typedef struct poly_scratch {
    press_scratch press;
    press_planes a, b;
    bool failed; /* no memory */
} poly_scratch;

typedef struct poly_world { /* what the engine holds of them */
    bool on;                /* there are polyhedra, or a factory may make some */
    buffer slot;            /* uint32_t: of each body of the engine */
    buffer bodies;          /* poly_body, by slot */
    size_t slots;
    poly_kind *kinds;
    size_t kind_count;
    jo_polyhedron **shapes; /* of the scene, at radius 1 */
    size_t shape_count;
    buffer pairs; /* poly_pair */
    buffer spare; /* likewise, while lists are made */
    buffer boxes; /* of all bodies, for the search by boxes */
    size_t pair_count;
    buffer surfaces, moved; /* what contacts keep (press_kept.h, press_tangent.h), in units; `moved`
                             * while lists are made */
    size_t surface_units;   /* of which the first is nobody's */
    poly_wall *walls;       /* as many as the engine has */
    poly_scratch *scratch;  /* per thread */
    double turned;          /* how far turning can have moved any point since lists were made */
    double *wall_sums;      /* 6 per wall: force, torque */
    size_t run_from, run_to; /* pairs of one body with one wall, while forces are summed up */
    size_t deep;             /* pairs beyond the alarm in this step */
} poly_world;

/* What a pair keeps; NULL: nothing. */
static inline press_kept *poly_kept(const poly_world *p, const poly_pair *pair)
{
    return pair->kept == 0 ? NULL
                           : (press_kept *)(void *)((unsigned char *)p->surfaces.data +
                                                    SURFACE_UNIT * (size_t)pair->kept);
}
static inline press_tangent *poly_tangent(const poly_world *p, const poly_pair *pair)
{
    return pair->tangent == 0 || pair->tangent == TANGENT_WANTED
               ? NULL
               : (press_tangent *)(void *)((unsigned char *)p->surfaces.data +
                                           SURFACE_UNIT * (size_t)pair->tangent);
}
static inline const uint32_t *poly_slots(const poly_world *p)
{
    return p->slot.data;
}
static inline poly_body *poly_bodies(const poly_world *p)
{
    return p->bodies.data;
}

/* poly_bodies.c */
jo_status jo_poly_create(jo_soft *soft, const jo_scene *scene, jo_error *error);
void jo_poly_destroy(jo_soft *soft);
jo_status jo_poly_room(jo_soft *soft, size_t n, jo_error *error);
/* After jo_state_put: body i is of that shape; JO_NO_SHAPE: a sphere. */
jo_status jo_poly_put(jo_soft *soft, size_t i, uint32_t shape, const double q[4], const double w[3],
                      bool fixed, jo_error *error);
/* The kind of a shape at a radius, made where there is none yet. */
jo_status jo_poly_kind(jo_soft *soft, uint32_t shape, double radius, uint32_t *kind,
                       jo_error *error);
double jo_poly_mass(jo_soft *soft, uint32_t shape, double r, uint32_t material);
void jo_poly_indices(jo_soft *soft);            /* after bodies were put in another order */
bool jo_poly_move(jo_soft *soft, size_t *lost); /* turns them; false: a spin is not finite */
void jo_poly_step_back(jo_soft *soft);
void jo_poly_spin(const jo_soft *soft, size_t i, double w[3], double momentum[3]); /* now */
bool jo_poly_is(const jo_soft *soft, size_t i);
void jo_poly_orientation(const jo_soft *soft, size_t i, double q[4], uint32_t *shape);
double jo_poly_step(const jo_soft *soft); /* the longest time step advised */
void jo_poly_base_q(const poly_kind *kind, const double body[4], double principal[4]);

/* poly_lists.c */
/* The box around a body, from its centre. `extreme`: the vertices farthest along -x, +x, -y … as
 * they were and are, from which the new ones are climbed to; anything is valid. */
void jo_poly_box(const jo_polyhedron *shape, const double turn[9], uint32_t extreme[6],
                 double lo[3], double hi[3]);
void jo_poly_boxes(jo_soft *soft);              /* of all bodies, before lists are made */
bool jo_poly_search_boxes(const jo_soft *soft); /* whether the search is for boxes, and is kept */
jo_status jo_poly_boxes_to_search(jo_soft *soft, double beyond, jo_bodies *bodies, jo_error *error);
bool jo_poly_within_reach(const jo_soft *soft, size_t i, size_t j); /* spheres among the boxes */
jo_status jo_poly_lists(jo_soft *soft, jo_pairs pairs, size_t ghosts_from, const uint32_t *ghost_of,
                        jo_error *error);
double jo_poly_moved(const jo_soft *soft, uint32_t kind);

/* poly_walls.c */
jo_status jo_poly_walls_create(jo_soft *soft, jo_error *error);
void jo_poly_walls_destroy(jo_soft *soft);
/* Pieces of a wall that a body at x (in the wall's frame) of that radius may touch. */
size_t jo_poly_walls_near(const jo_soft *soft, size_t wall, const double x[3], double reach,
                          uint32_t *pieces, size_t room);
/* Of each of those pieces, whether a body there is behind it: that can be of thin walls. Pieces are
 * put in another order. */
void jo_poly_walls_sides(const jo_soft *soft, size_t wall, const double x[3], uint32_t *pieces,
                         size_t count, bool *behind);

/* poly_save.c */
size_t jo_poly_save_bytes(const jo_soft *soft);
void jo_poly_save(jo_soft *soft, void *room, jo_chunk *chunks, size_t *count);
jo_status jo_poly_restore(jo_soft *soft, const jo_chunk *chunks, size_t count, jo_error *error);

/* poly_contact.c */
jo_status jo_poly_forces(jo_soft *soft, double dt, jo_error *error);
/* Stiffness per area of two bodies (size_b 0: a wall) whose spheres of equal volume have those
 * radii. */
double jo_poly_bedding(const law *l, const law_pair *c, double size_a, double size_b, double mass);
double jo_poly_elastic(const jo_soft *soft, const poly_pair *p, poly_scratch *s);

#endif
