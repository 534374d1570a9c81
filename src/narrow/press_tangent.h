/* press_tangent.h — how two bodies press that hardly move against each other.
 *
 * In a heap at rest bodies move by less than a millionth of their overlap in a step. How they press
 * is a smooth function of where one is in the frame of the other: six numbers. So it is asked once
 * with its slopes along all six, and from then on, as long as they stay near there, it is that
 * tangent: the same few products whatever the number of faces and pieces.
 *
 * How near is found from the function itself. It is asked a little to either side along each of the
 * six; slopes are half of the differences. By how much the mean of the two differs from the middle,
 * and the tangent from what is asked along all six at once, tells whether it can be trusted so far:
 * forces, moments and centres of pressure must not be off by more than TANGENT_PRECISION. */
#ifndef JO_NARROW_PRESS_TANGENT_H
#define JO_NARROW_PRESS_TANGENT_H

#include "narrow/press.h"

/* Of the force, and of the force times the radius of the surface. What only dashpots need, area and
 * second moments, may be off by a hundred times as much. */
#define TANGENT_PRECISION 1e-7

enum { TANGENT_NUMBERS = 20, TANGENT_WIDTH = 24 }; /* sums and the depth; eights of floats */

/* Zeroed: nothing is known. Numbers are as in press_sums.h, in the frame of a and about ref, over
 * the total pressure and powers of `wide`. */
typedef struct press_tangent {
    double turn[9];         /* how b was turned in the frame of a */
    double ref[3], on_b[3]; /* a point in the middle of the surface, in both frames */
    double value[TANGENT_NUMBERS];
    double wide;  /* radius of the surface: turning by t counts as moving by wide t */
    double total; /* pressure */
    double reach; /* so far b may be from there; 0: nothing is known */
    double trial; /* so far to either side it is asked the next time */
    float slope[6][TANGENT_WIDTH]; /* times reach; moves along, turns about the axes of a */
} press_tangent;

/* As jo_press_near with a's place as origin; a and b as they are now. False: they have moved too
 * far. */
bool jo_press_tangent(const press_tangent *t, const jo_pose *a, const jo_pose *b, press *out);

/* How b would press on a if it were there; false: not at all, or that cannot be told. */
typedef bool press_ask(void *context, const jo_pose *b, press *out);

/* Takes the tangent where they are now; `now` is how they press. Leaves reach 0 where there is
 * none, and in any case a `trial` from which to go on. */
void jo_press_take_tangent(press_tangent *t, const jo_pose *a, const jo_pose *b, const press *now,
                           press_ask *ask, void *context);

#endif
