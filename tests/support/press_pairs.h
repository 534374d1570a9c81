/* press_pairs.h — two bodies that press on each other, for tests. */
#ifndef PRESS_PAIRS_H
#define PRESS_PAIRS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "narrow/press_kept.h"
#include "scene/poly.h"

typedef struct pair {
    jo_polyhedron *a, *b;
    jo_pose pose_a, pose_b;
    double size;
} pair;

enum { KEPT_BYTES = 8192 };

static inline void turned(jo_pose *pose, const double q[4], const double at[3])
{
    memcpy(pose->at, at, 3 * sizeof *at);
    jo_pose_turn(pose, q);
}

static inline jo_polyhedron *rock(size_t faces, uint64_t seed)
{
    jo_rock_def def = jo_rock_def_default();
    jo_polyhedron *made;
    def.faces = faces;
    def.seed = seed;
    assert_int_equal(jo_polyhedron_rock(&def, &made, NULL), JO_OK);
    return made;
}

static inline jo_polyhedron *solid(const char *name)
{
    const jo_solid_def def = jo_solid_def_default(name);
    jo_polyhedron *made;
    assert_int_equal(jo_polyhedron_solid(&def, &made, NULL), JO_OK);
    return made;
}

/* The planes of both, by caps along the axis from a to b. */
static inline void planes_of(const pair *p, press_scratch *s, press_planes *a, press_planes *b)
{
    static const double origin[3] = {0, 0, 0};
    double axis[3], length = 0, local[3], back[3], reach = 0;
    for (int k = 0; k < 3; k++) {
        axis[k] = p->pose_b.at[k] - p->pose_a.at[k];
        length += axis[k] * axis[k];
    }
    for (int k = 0; k < 3; k++)
        axis[k] /= sqrt(length);
    const double down[3] = {-axis[0], -axis[1], -axis[2]};
    const double *m = p->pose_a.turn, *n = p->pose_b.turn;
    for (int k = 0; k < 3; k++) {
        local[k] = m[k] * axis[0] + m[3 + k] * axis[1] + m[6 + k] * axis[2];
        back[k] = n[k] * down[0] + n[3 + k] * down[1] + n[6 + k] * down[2];
    }
    const uint32_t top = poly_support(p->a, local), bottom = poly_support(p->b, back);
    for (int k = 0; k < 3; k++)
        reach += local[k] * p->a->points[3 * top + k] + back[k] * p->b->points[3 * bottom + k];
    const double depth = reach - sqrt(length);
    a->count = b->count = 0;
    if (depth <= 0) return;
    assert_true(jo_press_cap(p->a, &p->pose_a, origin, axis, top, depth, 0, s, a));
    assert_true(jo_press_cap(p->b, &p->pose_b, origin, down, bottom, depth, 1e-13, s, b));
}

static inline double energy(const pair *p, press *out)
{
    press_scratch s = {.stamp = 0};
    press_planes a = {.count = 0}, b = {.count = 0};
    double result = 0;
    planes_of(p, &s, &a, &b);
    if (a.count > 0 && jo_press(&a, &b, NULL, 0, p->size, UINT32_MAX, UINT32_MAX, &s, out))
        result = jo_press_energy(&a, &b, NULL, 0, p->size, out, &s);
    jo_press_planes_free(&a);
    jo_press_planes_free(&b);
    jo_press_scratch_free(&s);
    return result;
}

static inline void discard(pair *p)
{
    jo_polyhedron_destroy(p->a);
    jo_polyhedron_destroy(p->b);
}

/* Moves or turns a by a little about the origin. */
static inline void nudge(jo_pose *pose, int k, double by)
{
    if (k < 3) {
        pose->at[k] += by;
        return;
    }
    const int x = (k + 1) % 3, y = (k + 2) % 3;
    const double c = cos(by), s = sin(by);
    for (int column = 0; column < 3; column++) {
        const double u = pose->turn[3 * x + column], v = pose->turn[3 * y + column];
        pose->turn[3 * x + column] = c * u - s * v;
        pose->turn[3 * y + column] = s * u + c * v;
    }
    const double u = pose->at[x], v = pose->at[y];
    pose->at[x] = c * u - s * v;
    pose->at[y] = s * u + c * v;
}

#endif
