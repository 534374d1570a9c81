/* convex_judge.h — whether an answer about two convex polyhedra is right, in long double.
 *
 * No search: an answer is proved. Apart: the two points belong to the bodies (the distance is at
 * most theirs), and all of one body lies behind the plane through its point, all of the other
 * before the plane through its own (it is at least theirs). Overlapping: a common point belongs to
 * both. A depth is right if the bodies' supports along the normal say so, and if no face of one and
 * no pair of edges gives less, which is tried for all of them. */
#ifndef TESTS_CONVEX_JUDGE_H
#define TESTS_CONVEX_JUDGE_H

#include "jostle/features.h"

/* How wrong an answer may be at most: an error of the distance, relative to (1e-10 × distance +
 * 1e-14 × size), must be below 1. */
typedef struct verdict {
    long double lower, upper; /* the true distance is between; of an overlap, 0 and 0 */
    long double error;        /* of the distance given, in units of what is allowed */
    const char *fault;        /* NULL: all is well */
} verdict;

verdict judge_distance(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                       const jo_pose *pose_b, const jo_closest *answer);

/* The distance of two polyhedra by brute force over all pairs of features, or minus the depth over
 * all axes. O(edges²). */
long double brute_distance(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                           const jo_pose *pose_b);

#endif
