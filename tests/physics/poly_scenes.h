/* poly_scenes.h — scenes of polyhedra for tests, as text. */
#ifndef POLY_SCENES_H
#define POLY_SCENES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jostle/scenefile.h"
#include "jostle/soft.h"

static inline jo_scene read_scene(const char *text)
{
    jo_scene scene;
    jo_problems problems;
    const jo_status status =
        jo_scene_parse(text, strlen(text), "test", NULL, &scene, &problems, NULL);
    if (status != JO_OK)
        fail_msg("%s", problems.count > 0 ? problems.list[0].text : "the scene is refused");
    jo_problems_free(&problems);
    return scene;
}

static inline jo_soft *start(const jo_scene *scene, int threads)
{
    jo_soft_options options = jo_soft_options_default();
    jo_soft *soft;
    jo_error error;
    options.threads = threads;
    if (jo_soft_create(scene, &options, &soft, &error) != JO_OK) fail_msg("%s", error.text);
    return soft;
}

static inline void advance(jo_soft *soft, uint64_t steps)
{
    jo_error error;
    if (jo_soft_advance(soft, steps, &error) != JO_OK) fail_msg("%s", error.text);
}

static inline void advance_to(jo_soft *soft, double time)
{
    const double left = time - jo_soft_time(soft);
    if (left > 0) advance(soft, (uint64_t)ceil(left / jo_soft_time_step(soft)));
}

static inline jo_measures measure(jo_soft *soft)
{
    jo_measures m;
    jo_error error;
    if (jo_soft_measure(soft, &m, &error) != JO_OK) fail_msg("%s", error.text);
    return m;
}

static inline jo_frame frame_of(jo_soft *soft)
{
    jo_frame f;
    jo_error error;
    if (jo_soft_frame(soft, &f, &error) != JO_OK) fail_msg("%s", error.text);
    return f;
}

/* The balance of energy, to what was turned over. */
static inline double imbalance(const jo_measures *m)
{
    const double turned = fabs(m->energy.kinetic) + fabs(m->energy.elastic) +
                          fabs(m->energy.dissipated) + fabs(m->energy.work);
    return fabs(m->energy.balance) / turned;
}

/* How far a body's axis `k` is from the vertical, as an angle. */
static inline double lean(const double q[4], int k)
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double up = k == 0   ? 2 * (x * z - w * y)
                      : k == 1 ? 2 * (y * z + w * x)
                               : w * w - x * x - y * y + z * z;
    return acos(fmin(fabs(up), 1));
}

#endif
