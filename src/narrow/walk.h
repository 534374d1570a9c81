/* walk.h — two polyhedra seen from each other's frame, and the searches on them. */
#ifndef JO_NARROW_WALK_H
#define JO_NARROW_WALK_H

#include <string.h>

#include "base/vec4.h"
#include "jostle/features.h"
#include "narrow/vec3.h"
#include "scene/poly.h"

/* One of the two bodies: x in its own frame is column[0] x[0] + column[1] x[1] + column[2] x[2] +
 * at in the other's. The fourth lanes mean nothing. */
typedef struct walk_side {
    const jo_polyhedron *p;
    vec4 column[3], at;
} walk_side;

/* The state: side i has the feature `feature[i]`. Everything happens in the two bodies' own frames;
 * the world is not seen. */
typedef struct walk {
    walk_side side[2];
    jo_feature feature[2];
    /* On the way: a half-edge of each feature, of a vertex the first that leaves it, and how many
     * do. */
    uint32_t edge[2], edges[2];
    /* Of a query: the caller's features, NONE when they are not of these bodies. */
    jo_feature start[2];
    uint32_t iterations;
    double slack; /* what rounding can make of a distance from a plane */
    /* Of an edge that goes through a face (WALK_OVERLAP): where along the edge, 0 to 1. */
    double meet;
    /* Of closest features (WALK_APART): the point on side `frame`, in its frame; the unit vector
     * from there to the point on the other side; the distance. */
    int frame;
    double on[3], n[3], distance;
    bool on_both; /* of an axis: its points are on both surfaces (jo_axis_points) */
} walk;

typedef enum walk_end {
    WALK_ON,
    WALK_APART,
    WALK_OVERLAP,
    WALK_BOUND,
    WALK_NEAR,
    WALK_FOLLOWED
} walk_end;

/* Of bodies that are this near, relative to their size, the two points give no direction. */
#define walk_touching 1e-13
/* Deeper than this share of the narrower body's inner radius, an axis that is followed is not
 * trusted alone. */
#define walk_deep 0.25

static inline void turn3(const double m[9], const double x[3], double y[3])
{
    y[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    y[1] = m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
    y[2] = m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
}

/* A point of a body in the world. */
static inline void walk_to_world(const jo_pose *pose, const double x[3], double y[3])
{
    turn3(pose->turn, x, y);
    along3(y, 1.0, pose->at, y);
}

/* A direction of side i in the other's frame. */
static inline void walk_turn(const walk *w, int i, const double x[3], double y[3])
{
    const walk_side *s = &w->side[i];
    const vec4 v = s->column[0] * x[0] + s->column[1] * x[1] + s->column[2] * x[2];
    y[0] = v[0];
    y[1] = v[1];
    y[2] = v[2];
}

/* A point of side i in the other's frame. */
static inline void walk_across(const walk *w, int i, const double x[3], double y[3])
{
    const walk_side *s = &w->side[i];
    const vec4 v = s->column[0] * x[0] + s->column[1] * x[1] + s->column[2] * x[2] + s->at;
    y[0] = v[0];
    y[1] = v[1];
    y[2] = v[2];
}

/* Where the other body's centre is, in the frame of side i. */
static inline void walk_other(const walk *w, int i, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = w->side[1 - i].at[k];
}

static inline const double *walk_point(const walk *w, int i, uint32_t vertex)
{
    return w->side[i].p->points + 3 * (size_t)vertex;
}

/* Whether a point in a face's plane is in the face, by `slack` and more. */
static inline bool walk_in_face(const jo_polyhedron *p, uint32_t f, const double x[3], double slack)
{
    uint32_t h = p->face_edge[f];
    do {
        if (poly_side(p->walls[h].fe, x) < slack) return false;
        h = p->walls[h].next;
    } while (h != p->face_edge[f]);
    return true;
}

/* The vertex behind half-edge h. */
static inline uint32_t walk_head(const jo_polyhedron *p, uint32_t h)
{
    return p->origin[p->twin[h]];
}

/* The corner farthest along n of the polytope of all differences (depth.c), n being in the frame of
 * side 0: *a and *b, from which the climb begins, become the vertices it is between. */
static inline void walk_support(const walk *w, const double n[3], uint32_t *a, uint32_t *b,
                                double point[3])
{
    double down[3], y[3];
    *a = poly_climb(w->side[0].p, n, *a);
    walk_turn(w, 0, n, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    *b = poly_climb(w->side[1].p, down, *b);
    walk_across(w, 1, walk_point(w, 1, *b), y);
    sub3(walk_point(w, 0, *a), y, point);
}

/* Edges at an angle with a smaller sine are called nearly parallel. */
#define walk_parallel 1e-3

/* The depth along what is square to edges that are nearly parallel, and cross: n, the product of
 * their directions of which u is one, becomes that unit vector or its opposite, whichever has the
 * sign of `sign`. Rounding turns it about u, by 1e-16 over the angle. Where the edges' ends see
 * each other nothing is lost by that, elsewhere much; so the depth is that of the bodies, never
 * that of the edges: never less than it is, and as it is where it may be the least. Infinite if
 * they are parallel. */
static inline double walk_sliver(const walk *w, uint32_t a, uint32_t b, const double u[3],
                                 double sign, double n[3])
{
    double point[3];
    if (!(unit3(n) > 1e-14)) return INFINITY;
    const double along = dot3(n, u);
    for (int k = 0; k < 3; k++)
        n[k] = copysign(1.0, sign) * (n[k] - along * u[k]);
    unit3(n);
    walk_support(w, n, &a, &b, point);
    return dot3(n, point);
}

/* The relative poses. */
void jo_walk_open(walk *w, const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                  const jo_pose *pose_b);

/* Walks from the present features to the closest, at most `bound` states. */
walk_end jo_walk(walk *w, uint32_t bound);

/* What the walk ended with (WALK_APART), all in the frame of side 0: the points on side 0 and 1,
 * and the unit normal from side 0 to 1; returns the distance. */
double jo_walk_points(const walk *w, double x[3], double y[3], double n[3]);

/* How many states a walk may take. */
static inline uint32_t walk_bound(const walk *w)
{
    return 100 + w->side[0].p->bound + w->side[1].p->bound;
}

/* Whether rounding may have made a pair of features the closest: of thin bodies, whose Voronoi
 * planes are nearly square to all that matters, it can do so at a larger distance. */
static inline bool walk_near(const walk *w, double distance)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const double size = p->radius + q->radius;
    return distance <= walk_touching * size ||
           distance * fmin(p->inradius, q->inradius) <= 1e-14 * size * size;
}

/* How far apart the bodies are along n, in the frame of side 0; below 0 if they overlap along it.
 */
static inline double walk_apart_along(const walk *w, const double n[3])
{
    double point[3];
    uint32_t v[2];
    for (int i = 0; i < 2; i++)
        v[i] = w->side[i].p->walls[w->edge[i]].origin;
    walk_support(w, n, &v[0], &v[1], point);
    return -dot3(n, point);
}

/* Whether bodies that a walk ended with as apart are: a direction told by points a distance d apart
 * may be off by slack/d, and what lies across the bodies from there be nearer, or overlap. So those
 * that are near must be as far apart along the normal told. One of a face, which no points told,
 * is. */
static inline bool walk_shown(const walk *w)
{
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    if (w->distance > 1e-4 * size) return true;
    if (w->feature[0].kind == JO_FEATURE_FACE || w->feature[1].kind == JO_FEATURE_FACE) return true;
    double n[3];
    memcpy(n, w->n, sizeof n);
    if (w->frame == 1) {
        walk_turn(w, 1, w->n, n);
        for (int k = 0; k < 3; k++)
            n[k] = -n[k];
    }
    return walk_apart_along(w, n) >= w->distance * (1.0 - 1e-9) - walk_touching * size;
}

/* An axis of least depth as found by follow_quick.h, in the frame of side `frame`: the point on
 * that side's surface, the point of the other side below it, outward normal, depth; and a face near
 * the point. */
typedef struct followed {
    double on[3], inner[3], n[3], depth;
    int frame;
    uint32_t face;
    bool proved; /* that no axis at all is less deep */
} followed;

/* The two closest points of segments p + s u and q + t v, s, t in [0, 1]: of parallel ones, the
 * middle of where they run side by side. */
void jo_segments(const double p[3], const double u[3], const double q[3], const double v[3],
                 double *s, double *t);

/* The face by which the ray from the centre of p through x leaves it, climbing from face f: x is
 * inside if and only if it is not above that face. */
uint32_t jo_ray_face(const jo_polyhedron *p, const double x[3], uint32_t f);

/* A point that both bodies have, in the frame of side 0, after the walk ended with WALK_OVERLAP: a
 * vertex that is inside, or where an edge goes through a face. */
void jo_common_point(const walk *w, double x[3]);

/* Points told apart by so little that the bodies may be nearer elsewhere, or overlap (walk_near,
 * walk_shown): looks there (near.c). Then the walk's features are those of the closest points x, y,
 * all in the frame of side 0; of an overlap, x is a point of both. *exact is false where it is not
 * shown that the bodies are as far apart along n as the points. */
walk_end jo_look_elsewhere(walk *w, double *distance, double x[3], double y[3], double n[3],
                           bool *exact);

/* GJK: independent of the walk, for when that hits its bound. On return the features are those of
 * the simplex found; x, y its closest points in the frame of side 0. */
walk_end jo_gjk(walk *w, double x[3], double y[3]);

/* A direction along which the bodies overlap by `depth`, in the frame of side 0 and away from it,
 * and the features that are extreme along it: face and vertex, or two edges. a and b are vertices
 * of them. */
typedef struct walk_axis {
    double n[3], depth;
    uint32_t a, b;
    jo_feature feature[2];
} walk_axis;

/* The feature all of which is as far along d as vertex v is, within a share of the radius, and its
 * middle. */
jo_feature jo_level_feature(const jo_polyhedron *p, uint32_t v, const double d[3], double within,
                            double x[3]);

/* Where the two surfaces are, depth apart along the axis; the walk's features become the axis's. */
void jo_axis_points(walk *w, const walk_axis *axis, double x[3], double y[3]);

/* The axis of least depth among its neighbours, from the features `from` of one a step before;
 * false when they are no such features, or the bound was hit. See follow.c. */
bool jo_follow(walk *w, const jo_feature from[2], double *depth, double n[3], double x[3],
               double y[3]);

/* The axis of least depth among all. `known` is a depth that some axis has; if it is infinite, that
 * of the axis of the features `from` is taken or, where that is NULL or they are none, that along
 * the line between the centres. False when there are too many axes to look at, and with `overlap`
 * also when the known one already shows that the bodies are apart; *best then means nothing. A
 * depth below 0 means that they are apart. See least_axis.h. */
bool jo_least_axis(const walk *w, const jo_feature from[2], double known, bool overlap,
                   walk_axis *best);
/* A query from beginning to end. What it cannot settle it leaves to the caller, with the walk as it
 * ended: WALK_OVERLAP, WALK_BOUND, or WALK_NEAR (apart, but so little that rounding may have done
 * it). */
typedef walk_end walk_query(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                            const jo_polyhedron *b, const jo_pose *pose_b, jo_feature_pair *pair,
                            jo_closest *out);

/* The walk as compiled for some processors; what it finds is the same to the last bit. */
typedef struct walk_level {
    const char *name;
    walk_query *apart; /* of bodies that are apart */
    walk_query *contact,
        *follow; /* with the least depth of an overlap; of bodies that are followed */
    bool (*least_axis)(const walk *w, const jo_feature from[2], double known, bool overlap,
                       walk_axis *best);
} walk_level;

extern const walk_level jo_walk_plain, jo_walk_avx2, jo_walk_avx512;

/* Those that this processor can run, the quickest one last. */
size_t jo_walk_levels(const walk_level *levels[3]);

/* The depth of an overlap; see depth.c. Returns false when the bound was hit. */
bool jo_depth(walk *w, double *depth, double n[3], double x[3], double y[3]);
bool jo_depth_polytope(walk *w, double *depth, double n[3], double x[3], double y[3]);

#endif
