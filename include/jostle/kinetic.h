/* jostle/kinetic.h — hard polygons, event by event, by a triangulation that moves with them.
 *
 *     jo_kinetic_def def = jo_kinetic_def_default();
 *     def.bodies = 2; def.first = …; def.corners = …; def.boundary = …;
 *     jo_kinetic *world;
 *     jo_kinetic_create(&def, &world, &error);
 *     jo_kinetic_advance(world, 1.0, 0, &error);       // to time 1
 *     jo_kinetic_destroy(world);
 *
 * Simple polygons, convex or not, inside a boundary. Between collisions centres of mass run on
 * parabolas and bodies turn at constant rates. The space between them is triangulated; a triangle
 * that goes flat is either a collision, or a side to be exchanged for another (a flip). Collisions
 * take no time: Wang & Mason's law with friction and restitution. See docs/methods/kinetic.md.
 *
 * Bodies never overlap: they collide when a corner has come as near to an edge, or a corner, as
 * `gap`. Under gravity, bodies whose collisions are slower than `least_speed` rest on one another:
 * the impulses of all contacts that carry them are found together, once in a short period. What
 * that does to energy is counted.
 *
 * A jo_kinetic is used by one thread at a time, and uses no other. A run is the same to the last
 * bit whenever it is repeated, and however it is cut into calls of advance. */
#ifndef JOSTLE_KINETIC_H
#define JOSTLE_KINETIC_H

#include "jostle/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_kinetic jo_kinetic;

/* How the time at which a triangle goes flat is found. */
typedef enum jo_kinetic_roots {
    JO_KINETIC_FAST,  /* the paper's series; rejection, Newton, subdivision */
    JO_KINETIC_STURM, /* the paper's series; Sturm's sequences, as in the paper */
    JO_KINETIC_EXACT  /* the true motion */
} jo_kinetic_roots;

/* What there is at time 0. Arrays are the caller's, and copied. Those marked so may be NULL. */
typedef struct jo_kinetic_def {
    size_t bodies;
    const size_t *first;   /* bodies + 1: corners first[i] … first[i + 1] - 1 are body i's */
    const double *corners; /* x, y of each, in order around the body, either way */
    const double *v;       /* x, y of each body's centre of mass; NULL: at rest */
    const double *spin;    /* counter-clockwise; NULL: none */
    const double *density; /* mass over area, > 0; NULL: 1 */
    const uint8_t *fixed;  /* 1: collisions do not move it; with v or spin it moves steadily; 2: the
                              same, and  jo_kinetic_steer may be called for it; NULL: 0 */
    const uint32_t *material; /* NULL: 0 */
    const uint64_t *id;       /* NULL: the index */
    size_t boundary;          /* corners of the polygon around everything */
    const double *boundary_corners;
    uint32_t boundary_material;
    size_t materials;          /* at least 1 */
    const double *restitution; /* materials^2, symmetric, 0 to 1; NULL: 1 */
    const double *friction;    /* the same, >= 0; NULL: 0 */
    double gravity[2];         /* default 0, 0 */
    double size;               /* radius to expect where there is no body yet; default 0: 1 */
    double gap;                /* default 0: 1e-9 of the bodies' mean radius */
    double least_speed; /* slower collisions have no restitution, and bodies so in contact rest on
                           one another; without gravity bodies part at least so fast; default 0: 0.1
                           of what a fall by the mean radius gives, or 1e-3 of the mean speed at the
                           start */
    double period;      /* how far ahead a triangle is looked at, at most; default 0: chosen */
    jo_kinetic_roots roots;
} jo_kinetic_def;

JO_API jo_kinetic_def jo_kinetic_def_default(void);

/* JO_ERR_DATA, with a sentence that names them, where bodies touch, overlap, cross themselves or
 * are outside the boundary. */
JO_API jo_status jo_kinetic_create(const jo_kinetic_def *def, jo_kinetic **world, jo_error *error);
JO_API void jo_kinetic_destroy(jo_kinetic *world); /* NULL is fine */

/* Goes on to the time `until`, or for `events` events (flips, collisions, and instants
 * at which bodies at rest get their weight; 0: no limit), whichever
 * comes first. JO_ERR_PHYSICS where time stands still: the sentence names the bodies. */
JO_API jo_status jo_kinetic_advance(jo_kinetic *world, double until, uint64_t events,
                                    jo_error *error);

/* Takes bodies out; only triangles around them are changed. JO_ERR_ARGUMENT where one of them is
 * not there. */
JO_API jo_status jo_kinetic_remove(jo_kinetic *world, const uint64_t *ids, size_t count,
                                   jo_error *error);

/* Puts the bodies of a definition in, now; only triangles around them are changed. Of the
 * definition, bodies and what describes them are read (ids NULL: numbers not in use, in order),
 * nothing else; materials are the world's. JO_ERR_DATA, with a sentence that names them, where one
 * touches, overlaps or contains another or lies outside: those before it were put in, and *inserted
 * (may be NULL) says how many. */
JO_API jo_status jo_kinetic_insert(jo_kinetic *world, const jo_kinetic_def *def, size_t *inserted,
                                   jo_error *error);

/* Gives a body that was defined with fixed = 2 another velocity and spin from now on.
 * JO_ERR_ARGUMENT where there is no such body. */
JO_API jo_status jo_kinetic_steer(jo_kinetic *world, uint64_t id, const double v[2], double spin,
                                  jo_error *error);

JO_API double jo_kinetic_time(const jo_kinetic *world);

/* What happened last. */
typedef enum jo_kinetic_event_kind {
    JO_KINETIC_NOTHING,
    JO_KINETIC_FLIP,
    JO_KINETIC_COLLISION,
    JO_KINETIC_REST /* bodies at rest on one another got their weight, and what carries it */
} jo_kinetic_event_kind;
typedef struct jo_kinetic_event {
    jo_kinetic_event_kind kind;
    double time;
    uint32_t corner[4]; /* flip: around the quadrilateral, the new side from 0 to 2; collision: the
                           corner that hit, and the ends of the edge, or twice the other corner; of
                           the frame at that time */
    double speed;       /* collision: at which they approached, along the edge's normal */
} jo_kinetic_event;

/* Where everything is now; arrays are the engine's, valid until its next call. Bodies are in the
 * order of the definition, less those removed, then those inserted; the boundary is not among
 * them. */
typedef struct jo_kinetic_frame {
    double time;
    size_t bodies, corners, triangles;
    const uint64_t *id;
    const double *x, *v; /* 2 per body */
    const double *angle, *spin, *mass;
    const uint8_t *fixed;
    const size_t *first;      /* bodies + 1, as in the definition */
    const double *corner;     /* 2 per corner; the boundary's follow those of the bodies */
    size_t boundary;          /* how many these are */
    const uint32_t *triangle; /* 3 corners each, counter-clockwise */
    const uint8_t *mandatory; /* per triangle, bit k: the side opposite corner k is mandatory */
    jo_kinetic_event last;
} jo_kinetic_frame;
JO_API jo_status jo_kinetic_look(jo_kinetic *world, jo_kinetic_frame *frame, jo_error *error);

/* Draws a frame to a PNG, SVG or PDF by the path's extension: grains, the triangulation, and what
 * happened last (a flip: the quadrilateral; a collision: a ring around the corner). */
typedef struct jo_kinetic_picture {
    int width, height;   /* pixels, 16 to 16384; default 1000 x 1000 */
    const char *title;   /* may be NULL */
    const char *caption; /* likewise */
    bool triangles;      /* default true */
    bool event;          /* default false: show what happened last */
    bool dark;
    double lo[2], hi[2]; /* the part to show; equal (default): all of the boundary */
} jo_kinetic_picture;
JO_API jo_kinetic_picture jo_kinetic_picture_default(void);
JO_API jo_status jo_kinetic_draw(const char *path, const jo_kinetic_picture *picture,
                                 const jo_kinetic_frame *frame, jo_error *error);

typedef struct jo_kinetic_stats {
    uint64_t flips, collisions, wall_collisions; /* of two bodies; of a body with a fixed one */
    uint64_t renewals; /* triangles looked at again at the end of their period */
    uint64_t predictions;
    uint64_t stale;             /* entries of the calendar that had been replaced */
    uint64_t rebuilds;          /* triangulations made anew */
    uint64_t inserted, removed; /* bodies */
    uint64_t slow;              /* collisions to which least_speed gave something */
    uint64_t rests, sweeps; /* solutions for bodies at rest; sweeps over contacts that they took */
    uint64_t calms;         /* joint impacts of bodies that collided too often */
    uint64_t limited;       /* solutions whose velocities were made smaller, for energy's sake */
    uint64_t touches;       /* contacts that carried something, over all solutions */
    uint64_t held;          /* bodies at rest on others by the last one */
    double lost,
        added;   /* energy lost in collisions and at rest; put in by least speeds and clearances */
    double work; /* done on bodies by fixed ones that move */
    double nearest; /* smallest distance at which a collision took place, over gap */
    double gap, least_speed, period; /* as chosen */
    double seconds;
    size_t bytes;
} jo_kinetic_stats;
JO_API jo_kinetic_stats jo_kinetic_statistics(const jo_kinetic *world);

typedef struct jo_kinetic_energy {
    double translation, rotation, potential; /* potential relative to the origin */
    double momentum[2], angular_momentum;    /* of bodies that are not fixed; about the origin */
} jo_kinetic_energy;
JO_API jo_kinetic_energy jo_kinetic_measure(jo_kinetic *world);

/* Does the triangulation hold, now? All triangles counter-clockwise (exactly, at the rounded places
 * of the corners), all mandatory edges there, Euler's formula, areas: together a proof that no two
 * bodies overlap. JO_ERR_PHYSICS with a sentence where it does not. */
JO_API jo_status jo_kinetic_check(jo_kinetic *world, jo_error *error);

/* The state as named arrays, complete: restore gives a world that goes on with the same bits. Fills
 * chunks[JO_CHUNKS_MAX]; valid until the world's next call. */
JO_API jo_status jo_kinetic_save(jo_kinetic *world, jo_chunk *chunks, size_t *count,
                                 jo_error *error);
/* JO_ERR_DATA names the chunk that is missing or what cannot be right. */
JO_API jo_status jo_kinetic_restore(const jo_chunk *chunks, size_t count, jo_kinetic **world,
                                    jo_error *error);

/* A hash of all ids, places, velocities, angles and spins now, bit by bit. */
JO_API uint64_t jo_kinetic_hash(jo_kinetic *world);

#ifdef __cplusplus
}
#endif
#endif
