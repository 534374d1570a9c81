/* follow.c — an overlap that the walk has seen, measured along the axis of the step before
 * (follow_steps.h). */
#include "narrow/follow_steps.h"

bool jo_follow(walk *w, const jo_feature from[2], double *depth, double n[3], double x[3],
               double y[3])
{
    walk_axis t;
    if (!begin_axis(w, from, &t) || !descend(w, &t, STEPS_MAX)) return false;
    *depth = t.depth;
    memcpy(n, t.n, sizeof t.n);
    jo_axis_points(w, &t, x, y);
    return true;
}
