/* shape_ccd.c — libccd: depth by MPR and by GJK with EPA. It gives no distances.
 *
 * Its users write the support function: here a climb from vertex to neighbouring vertex, starting
 * where the last one ended, which for many faces is far faster than looking at all vertices. */
#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

typedef struct body {
    jo_polyhedron_view v;
    const jo_pose *pose;
    uint32_t at; /* vertex */
} body;

typedef struct state {
    body a, b;
    ccd_t ccd;
    const jo_pose *poses;
    size_t pairs;
} state;

static void support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    body *o = (body *)(uintptr_t)object;
    const double *m = o->pose->turn, *e = dir->v;
    const double d[3] = {m[0] * e[0] + m[3] * e[1] + m[6] * e[2],
                         m[1] * e[0] + m[4] * e[1] + m[7] * e[2],
                         m[2] * e[0] + m[5] * e[1] + m[8] * e[2]};
    const double *x = o->v.points + 3 * (size_t)o->at;
    double height = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
    for (uint32_t better = o->at;;) {
        for (uint32_t h = o->v.first[o->at]; h < o->v.first[o->at + 1]; h++) {
            const uint32_t to = o->v.origin[o->v.twin[h]];
            const double *y = o->v.points + 3 * (size_t)to;
            const double other = d[0] * y[0] + d[1] * y[1] + d[2] * y[2];
            if (other > height) {
                height = other;
                better = to;
            }
        }
        if (better == o->at) break;
        o->at = better;
    }
    x = o->v.points + 3 * (size_t)o->at;
    for (int k = 0; k < 3; k++)
        out->v[k] = m[3 * k] * x[0] + m[3 * k + 1] * x[1] + m[3 * k + 2] * x[2] + o->pose->at[k];
}

static void centre(const void *object, ccd_vec3_t *out)
{
    const body *o = object;
    ccdVec3Set(out, o->pose->at[0], o->pose->at[1], o->pose->at[2]);
}

static void *create(const jo_polyhedron *a, const jo_polyhedron *b, shape_task task)
{
    state *s = calloc(1, sizeof *s);
    (void)task;
    if (s == NULL) return NULL;
    s->a.v = jo_polyhedron_look(a);
    s->b.v = jo_polyhedron_look(b);
    CCD_INIT(&s->ccd);
    s->ccd.support1 = s->ccd.support2 = support;
    s->ccd.center1 = s->ccd.center2 = centre;
    s->ccd.max_iterations = 1000;
    s->ccd.epa_tolerance = 1e-6;
    s->ccd.mpr_tolerance = 1e-6;
    return s;
}

static void poses(void *own, const jo_pose *poses_now, size_t pairs)
{
    state *s = own;
    s->poses = poses_now;
    s->pairs = pairs;
}

static void query(state *s, bool mpr, double *distance)
{
    for (size_t k = 0; k < s->pairs; k++) {
        ccd_real_t depth = 0.0;
        ccd_vec3_t dir, pos;
        s->a.pose = s->poses + 2 * k;
        s->b.pose = s->poses + 2 * k + 1;
        const int rc = mpr ? ccdMPRPenetration(&s->a, &s->b, &s->ccd, &depth, &dir, &pos)
                           : ccdGJKPenetration(&s->a, &s->b, &s->ccd, &depth, &dir, &pos);
        distance[k] = rc == 0 ? -depth : 0.0;
    }
}

static void query_mpr(void *own, bool coherent, double *distance)
{
    (void)coherent;
    query(own, true, distance);
}

static void query_epa(void *own, bool coherent, double *distance)
{
    (void)coherent;
    query(own, false, distance);
}

const shape_peer shape_ccd_mpr = {
    "libccd MPR", "depth along the ray between centres, not the least",
    false,        true,
    INFINITY,     create,
    poses,        query_mpr,
    free};
const shape_peer shape_ccd_epa = {"libccd EPA", "tolerance 1e-6", false, true, 1e-4, create,
                                  poses,        query_epa,        free};
