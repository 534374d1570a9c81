/* shape_jostle.c — jostle itself, in three rows: followed from pair to pair, or from scratch; the
 * depth that is proved to be the least; and distances whose closest features are told beforehand:
 * what is left then, no search for them can save. */
#include <stdlib.h>

#include "shapes_own.h"

enum { TOLD = 128 };

typedef struct state {
    const jo_polyhedron *a, *b;
    shape_task task;
    const jo_pose *poses;
    size_t pairs;
    jo_feature_pair pair;
    jo_feature_pair told[TOLD];
} state;

static void *create(const jo_polyhedron *a, const jo_polyhedron *b, shape_task task)
{
    state *s = calloc(1, sizeof *s);
    if (s != NULL) *s = (state){.a = a, .b = b, .task = task};
    return s;
}

static void poses(void *own, const jo_pose *poses_now, size_t pairs)
{
    state *s = own;
    s->poses = poses_now;
    s->pairs = pairs;
}

static void query(void *own, bool coherent, double *distance)
{
    state *s = own;
    for (size_t k = 0; k < s->pairs; k++) {
        const jo_pose *p = s->poses + 2 * k;
        jo_closest o;
        if (!coherent) s->pair.a.kind = JO_FEATURE_NONE;
        if (s->task == TASK_DISTANCE)
            jo_features_distance(s->a, p, s->b, p + 1, &s->pair, &o);
        else
            jo_features_follow(s->a, p, s->b, p + 1, &s->pair, &o);
        distance[k] = o.distance;
    }
}

static void query_proved(void *own, bool coherent, double *distance)
{
    state *s = own;
    (void)coherent;
    for (size_t k = 0; k < s->pairs; k++) {
        const jo_pose *p = s->poses + 2 * k;
        jo_closest o;
        s->pair.a.kind = JO_FEATURE_NONE;
        jo_features_contact(s->a, p, s->b, p + 1, &s->pair, &o);
        distance[k] = o.distance;
    }
}

static void tell(void *own, const jo_pose *poses_now, size_t pairs)
{
    state *s = own;
    poses(own, poses_now, pairs < TOLD ? pairs : TOLD);
    for (size_t k = 0; k < s->pairs; k++) {
        const jo_pose *p = s->poses + 2 * k;
        jo_closest o;
        jo_features_distance(s->a, p, s->b, p + 1, &s->pair, &o);
        s->told[k] = s->pair;
    }
}

static void query_told(void *own, bool coherent, double *distance)
{
    state *s = own;
    (void)coherent;
    for (size_t k = 0; k < s->pairs; k++) {
        const jo_pose *p = s->poses + 2 * k;
        jo_closest o;
        jo_features_distance(s->a, p, s->b, p + 1, &s->told[k], &o);
        distance[k] = o.distance;
    }
}

const shape_peer shape_jostle = {
    "jostle", "closest features, followed", true, true, 1e-10, create, poses, query, free};
const shape_peer shape_jostle_proved = {"jostle, proved",
                                        "least depth, from scratch",
                                        false,
                                        true,
                                        1e-10,
                                        create,
                                        poses,
                                        query_proved,
                                        free};
const shape_peer shape_jostle_told = {"jostle, features told",
                                      "nothing to search for",
                                      true,
                                      false,
                                      1e-10,
                                      create,
                                      tell,
                                      query_told,
                                      free};
