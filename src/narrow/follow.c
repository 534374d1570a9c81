/* follow.c — an overlap that the walk has seen, measured along the axis of the step before
 * (follow_steps.h). */
#include "narrow/follow_steps.h"

bool jo_follow(walk *w, const jo_feature from[2], double *depth, double n[3], double x[3],
               double y[3])
{
    const double narrow = fmin(w->side[0].p->inradius, w->side[1].p->inradius);
    walk_axis t;
    if (!begin_axis(w, from, &t) || !descend(w, &t, STEPS_MAX)) return false;
    if (t.depth > walk_deep * narrow) {
        /* Perhaps the bodies are about to leave each other another way: look from where the walk
         * saw one's surface inside the other. Any axis less deep is a better one, found to the end
         * or not. */
        jo_feature met[2] = {w->feature[0], w->feature[1]};
        walk_axis other;
        for (int i = 0; i < 2; i++)
            if (met[i].kind == JO_FEATURE_EDGE && met[1 - i].kind == JO_FEATURE_FACE)
                met[i] = (jo_feature){JO_FEATURE_VERTEX, w->side[i].p->origin[met[i].index]};
        if (begin_axis(w, met, &other)) {
            descend(w, &other, LOOK_MAX);
            if (other.depth >= 0.0 && other.depth < t.depth) t = other;
        }
    }
    *depth = t.depth;
    memcpy(n, t.n, sizeof t.n);
    jo_axis_points(w, &t, x, y);
    return true;
}
