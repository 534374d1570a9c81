/* wall.h — a sphere (or disc) against a wall: where they touch, each place once.
 *
 * A wall_shape is the geometry of one jo_wall made ready, in the wall's own frame; the engine moves
 * bodies into that frame. Searching is in two steps, so that a time step costs little: now and then
 * `near` lists the primitives (a plane, a face of a box, a side, a cap, a triangle) within reach, and
 * every step `touch` looks at those alone. Where a body lies against an edge or corner shared by
 * several primitives, one touch comes out, not several. */
#ifndef JO_NARROW_WALL_H
#define JO_NARROW_WALL_H

#include "jostle/model.h"

typedef struct wall_shape wall_shape;

jo_status jo_wall_shape_create(const jo_wall *wall, int dim, wall_shape **shape, jo_error *error);
void jo_wall_shape_destroy(wall_shape *shape);
size_t jo_wall_shape_bytes(const wall_shape *shape);
size_t jo_wall_shape_primitives(const wall_shape *shape);

/* Primitives whose distance from x is at most reach (a few more do no harm), ascending. Returns how
 * many there are; writes at most `room`. Thread-safe. */
size_t jo_wall_near(const wall_shape *shape, const double x[3], double reach, uint32_t *primitives,
                    size_t room);

typedef struct wall_touch {
    double normal[3]; /* unit vector from the wall to the centre */
    double gap;       /* distance of the centre from the wall, < reach; negative behind a plane */
    uint32_t feature; /* the face, edge or corner: the same number as long as the body stays on it */
} wall_touch;

enum { WALL_TOUCHES = 16 };

/* Touches of a sphere whose centre is x, closer than reach; deepest first, at most WALL_TOUCHES. A
 * touch with a face of a mesh or box rules out those with its edges and corners; one with an edge
 * those with its corners; edges between faces that are (nearly) in one plane are no features.
 * Thread-safe; the same for the same input whatever the order of primitives is not required: they
 * come ascending. */
size_t jo_wall_touch(const wall_shape *shape, const double x[3], double reach,
                     const uint32_t *primitives, size_t count, wall_touch touches[WALL_TOUCHES]);

/* Where a wall is at time t, by its motion alone (the engine adds what a servo did to displacement
 * and velocity). A point p of the description is at pivot + displacement + rotation (p - pivot). */
typedef struct wall_pose {
    double displacement[3];
    double rotation[9]; /* row-major */
    double angle;
    double velocity[3]; /* of the pivot */
    double spin[3];
    double pivot[3];    /* at time 0 */
} wall_pose;
void jo_wall_pose(const jo_wall *wall, double t, wall_pose *pose);

/* The largest speed of any point of the wall closer than `range` to the pivot, at any time from now
 * on: how fast lists age. range is how far bodies are from the pivot at most. */
double jo_wall_speed_bound(const jo_wall *wall, double range);

/* The speed along servo->direction for the coming step, given the force of the bodies on the wall
 * now and the speed before. */
double jo_wall_servo_speed(const jo_servo *servo, const double force[3], double speed_before,
                           double time_step);

#endif
