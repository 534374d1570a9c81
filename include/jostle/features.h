/* jostle/features.h — the closest features of two convex bodies, followed through time.
 *
 * Two convex bodies have a pair of closest features (vertex, edge or face of each). The search
 * walks from pair to neighbouring pair until the closest points lie in each other's Voronoi regions
 * (paper 3: Lin and Canny, in the robust form of Mirtich's V-Clip). Given the pair of the step
 * before it rarely takes more than one step, whatever the number of faces. How it works, what it
 * costs and what happens in degenerate cases: docs/methods/features.md.
 *
 * Nothing here allocates, and nothing but the arguments is written: any number of threads may ask.
 * Results do not depend on anything but the arguments. */
#ifndef JOSTLE_FEATURES_H
#define JOSTLE_FEATURES_H

#include "jostle/polyhedron.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a body is: a point x of its own frame is at `at` + `turn` x. */
typedef struct jo_pose {
    double at[3];
    double turn[9]; /* a rotation, row by row */
} jo_pose;

/* A rotation from a quaternion (w, x, y, z), which need not have length 1 but must not be 0. */
JO_API void jo_pose_turn(jo_pose *pose, const double quaternion[4]);

typedef enum jo_feature_kind {
    JO_FEATURE_NONE = 0, /* unknown: the search finds its own start */
    JO_FEATURE_VERTEX,
    JO_FEATURE_EDGE, /* index: one of its half-edges */
    JO_FEATURE_FACE
} jo_feature_kind;

typedef struct jo_feature {
    uint32_t kind, index;
} jo_feature;

/* What a caller keeps for each pair of bodies. Zeroed at first; any pair of features of the two
 * bodies is a valid start. */
typedef struct jo_feature_pair {
    jo_feature a, b;
} jo_feature_pair;

typedef struct jo_closest {
    double distance;         /* of the surfaces; below 0: minus the depth of the overlap */
    double on_a[3], on_b[3]; /* the closest points; of an overlap, where it is deepest on each */
    double normal[3];        /* unit, from a to b: b moved by depth along it just touches. Of points
                              * that coincide within 1e-13 of the size: that of the axis along which
                              * the bodies are the farthest apart */
    jo_feature_pair features;
    uint32_t iterations; /* states of the walk looked at, at least 1 */
    bool overlap;        /* the bodies have a point in common */
    bool exact;  /* false: the walk or the search for the depth hit its bound, or bodies that nearly
                  * touch are not shown to be as far apart as told. The distance is then that of the
                  * nearest points found, or the depth that of an axis that does separate the bodies
                  * but may not be the shortest way. */
    bool proved; /* of an overlap's depth: no axis at all has less; mostly also when followed */
} jo_closest;

/* The distance of two polyhedra, or that they overlap: then distance is 0, on_a = on_b is a common
 * point (of thin bodies: within 1e-14 size²/inner radius) and the normal is not set. *pair is where
 * to start, and is replaced by where it ended. */
JO_API void jo_features_distance(const jo_polyhedron *a, const jo_pose *pose_a,
                                 const jo_polyhedron *b, const jo_pose *pose_b,
                                 jo_feature_pair *pair, jo_closest *out);

/* The same, and of an overlap its depth: the shortest way that separates the bodies. The features
 * are then those whose planes touch: face and vertex, or two edges. */
JO_API void jo_features_contact(const jo_polyhedron *a, const jo_pose *pose_a,
                                const jo_polyhedron *b, const jo_pose *pose_b,
                                jo_feature_pair *pair, jo_closest *out);

/* The same for bodies that are followed through time: of an overlap that *pair knows from a step
 * before (or from touching with a face or two edges), the depth is the least among the neighbours
 * of that axis, found in constant time. It is a way out whatever happens, and practically always
 * the shortest while overlaps are shallow, which `proved` mostly shows; of deep ones all axes are
 * looked at where it does not. The normal does not jump. Without such a pair:
 * jo_features_contact. */
JO_API void jo_features_follow(const jo_polyhedron *a, const jo_pose *pose_a,
                               const jo_polyhedron *b, const jo_pose *pose_b, jo_feature_pair *pair,
                               jo_closest *out);

/* A sphere (as b) against a polyhedron. feature is the cache. If the centre is inside, the depth is
 * to the nearest face: among the neighbours of the face that *feature knows (`proved` is false: a
 * face far away may be nearer when the centre is deep), or of all without one, O(faces). */
JO_API void jo_features_sphere(const jo_polyhedron *a, const jo_pose *pose_a,
                               const double centre[3], double radius, jo_feature *feature,
                               jo_closest *out);

/* A polyhedron (as a) against the half-space n·x < offset (as b), n a unit vector. The vertex that
 * is deepest is the cache; where an edge or a face is as deep (within 1e-12 of the body's size),
 * the feature is that and the point its middle. */
JO_API void jo_features_plane(const jo_polyhedron *a, const jo_pose *pose_a, const double normal[3],
                              double offset, jo_feature *feature, jo_closest *out);

/* ---- what two bodies have in common ---- */

/* The overlap of two bodies as a body of its own, for forces: its volume, its middle, and how the
 * volume changes when a body moves. All of it changes continuously as the bodies move, also where
 * the shortest way out jumps from one axis to another; so does the direction of `push`, which is
 * the normal of the face that a vertex or an edge is pressed into, and square to both of two edges.
 * A force k push on b at `point`, with the torque k twist (and the opposite on a), is the one that
 * has the energy k volume: it is what a uniform pressure k on the common surface amounts to. The
 * one exception: while a face of a and one of b slide over each other in one plane and on the same
 * side (cubes stacked flush), the volume has a ridge, and push jumps along that face's normal by
 * the area of the two faces' overlap, which is about depth × width. */
typedef struct jo_patch {
    jo_closest closest; /* as jo_features_follow, _sphere or _plane */
    double point[3]; /* centre of the common volume; of bodies apart, between the closest points */
    double volume;   /* common to both; 0 when apart */
    double push[3];  /* area vector, from a to b: b moved by dx changes the volume by -push·dx */
    double twist[3]; /* its moment about `point`: b turned about it by dw: by -twist·dw */
    double area;     /* |push|: of the patch in which surfaces meet, seen along push */
    bool measured; /* false: more faces take part than fit (some hundred of a body); volume and area
                    * are then those of spheres as large as the bodies, and point lies between
                    * the deepest points */
} jo_patch;

/* Two polyhedra; *pair as for jo_features_follow. Cost, beyond that: about faces of a × faces of b
 * that take part (10 ns each): those that reach into the layer `depth` between the deepest
 * points. */
JO_API void jo_features_patch(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                              const jo_pose *pose_b, jo_feature_pair *pair, jo_patch *out);

/* A polyhedron (as a) and the half-space n·x < offset (as b); *feature as for jo_features_plane. */
JO_API void jo_features_plane_patch(const jo_polyhedron *a, const jo_pose *pose_a,
                                    const double normal[3], double offset, jo_feature *feature,
                                    jo_patch *out);

/* A polyhedron (as a) and a sphere (as b); *feature as for jo_features_sphere. The volume is that
 * of the sphere's cap below a plane `depth` deep, also at edges and vertices, and push is along the
 * normal; from the depth of a radius on, push stays the same. So the volume, a function of the
 * depth alone, still is an energy. twist is 0. */
JO_API void jo_features_sphere_patch(const jo_polyhedron *a, const jo_pose *pose_a,
                                     const double centre[3], double radius, jo_feature *feature,
                                     jo_patch *out);

/* ---- two dimensions: convex polygons ---- */

/* Where a polygon is: a point x of its own frame is at `at` + rotation by (cosine, sine) of x. */
typedef struct jo_pose2 {
    double at[2], cosine, sine;
} jo_pose2;

/* The distance or the depth of two polygons; features are vertices, and edges (index: that of the
 * corner it starts from). The depth costs O(corners). on_a[2], on_b[2], normal[2] are 0. */
JO_API void jo_features_polygons(const jo_polygon *a, const jo_pose2 *pose_a, const jo_polygon *b,
                                 const jo_pose2 *pose_b, jo_feature_pair *pair, jo_closest *out);

#ifdef __cplusplus
}
#endif
#endif
