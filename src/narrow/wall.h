/* wall.h — a sphere (or disc) against a wall: where they touch, each place once.
 *
 * A wall_shape is the geometry of one jo_wall made ready, in the wall's own frame; the engine moves
 * bodies into that frame. Searching is in two steps, so that a time step costs little: now and then
 * `near` lists the primitives (a plane, a face of a box, a side, a cap, a triangle) within reach,
 * and every step `touch` looks at those alone. Where a body lies against an edge or corner shared
 * by several primitives, one touch comes out, not several. */
#ifndef JO_NARROW_WALL_H
#define JO_NARROW_WALL_H

#include "jostle/model.h"

/* What is solid: everything behind a plane and outside a box, an endless or a closed cylinder, a
 * closed cone (inside, where the bodies are `outside`): gaps of centres that got there are
 * negative. Open cylinders and cones are thin shells and meshes thin sheets, felt from both sides,
 * with gaps > 0. */
typedef struct wall_shape wall_shape;

/* JO_ERR_DATA names the wall and what it lacks; degenerate triangles are refused by number. The
 * wall is not needed afterwards. *shape is for jo_wall_shape_destroy, NULL on failure. */
jo_status jo_wall_shape_create(const jo_wall *wall, int dim, wall_shape **shape, jo_error *error);
void jo_wall_shape_destroy(wall_shape *shape);
size_t jo_wall_shape_bytes(const wall_shape *shape);
size_t jo_wall_shape_primitives(const wall_shape *shape);

/* Primitives whose distance from x is at most reach (or a little more), ascending. Returns how many
 * there are and writes at most `room`: if there are more, which ones is not said. Thread-safe. */
size_t jo_wall_near(const wall_shape *shape, const double x[3], double reach, uint32_t *primitives,
                    size_t room);

typedef struct wall_touch {
    double normal[3]; /* unit vector from the wall to the centre */
    double gap;       /* distance of the centre from the wall, < reach; negative behind a plane */
    /* The face, edge or corner: the same number as long as the body stays on it. */
    uint32_t feature;
} wall_touch;

enum { WALL_TOUCHES = 16 };

/* Touches of a sphere whose centre is x, closer than reach; nearest first, at most WALL_TOUCHES. A
 * touch is a place where the distance of the wall has a local minimum: one with a face rules out
 * those with its edges and corners, edges between faces in one plane are no features, and in a
 * concave edge there are two touches, one with each face. All touches have different features.
 * primitives come ascending, from `near` with at least this reach (and the body moved less since
 * than the difference); what else is among them changes nothing, not even a bit. Thread-safe. */
size_t jo_wall_touch(const wall_shape *shape, const double x[3], double reach,
                     const uint32_t *primitives, size_t count, wall_touch touches[WALL_TOUCHES]);

/* Whether the sides of a round wall have changed places for a body whose centre moved from `from`
 * to `to`: it passed the axis. What was on one side is then on the other: jo_wall_opposite tells
 * the number of the feature. Thread-safe. */
bool jo_wall_passed(const wall_shape *shape, const double from[3], const double to[3]);
uint32_t jo_wall_opposite(uint32_t feature);

/* Where a wall is at time t, by its motion alone (the engine adds what a servo did to displacement
 * and velocity). A point p of the description is at pivot + displacement + rotation (p - pivot). */
typedef struct wall_pose {
    double displacement[3];
    double rotation[9]; /* row-major */
    double angle;
    double velocity[3]; /* of the pivot: a point q of space that is on the wall moves with
                           velocity + spin x (q - pivot - displacement) */
    double spin[3];
    double pivot[3]; /* at time 0 */
} wall_pose;
void jo_wall_pose(const jo_wall *wall, double t, wall_pose *pose);

/* The largest speed of any point of the wall closer than `range` to the pivot, at any time from now
 * on: how fast lists age. What a servo adds the engine knows better. range is how far bodies are
 * from the pivot at most. */
double jo_wall_speed_bound(const jo_wall *wall, double range);

/* The speed along servo->direction for the coming step, given the force of the bodies on the wall
 * now and the speed in the step before: gain times the missing force, at most speed_max. Without a
 * gain it is chosen, and stable against any stiffness: wall_motion.c. */
double jo_wall_servo_speed(const jo_servo *servo, const double force[3], double speed_before,
                           double time_step);

#endif
