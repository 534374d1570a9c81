/* walk.c — the walk (walk_states.h) for any processor, and what others need of it. */
#include "narrow/follow_quick.h"
#include "narrow/least_axis.h"
#include "narrow/walk_states.h"

void jo_walk_open(walk *w, const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                  const jo_pose *pose_b)
{
    open_walk(w, a, pose_a, b, pose_b);
}

walk_end jo_walk(walk *w, uint32_t bound)
{
    return walk_on(w, bound);
}

uint32_t jo_ray_face(const jo_polyhedron *p, const double x[3], uint32_t f)
{
    return ray_face(p, x, f);
}

double jo_walk_points(const walk *w, double x[3], double y[3], double n[3])
{
    double on[3], other[3];
    memcpy(on, w->on, sizeof on);
    along3(on, w->distance, w->n, other);
    if (w->frame == 0) {
        memcpy(x, on, sizeof on);
        memcpy(y, other, sizeof other);
        memcpy(n, w->n, sizeof w->n);
        return w->distance;
    }
    walk_across(w, 1, other, x);
    walk_across(w, 1, on, y);
    walk_turn(w, 1, w->n, n);
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
    return w->distance;
}

const walk_level jo_walk_plain = {"plain", query_apart, query_contact, query_followed, least_axis};
