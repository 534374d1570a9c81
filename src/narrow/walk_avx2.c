/* walk_avx2.c — the walk for processors with AVX2, entered only after asking. The bits are those of walk.c. */
#if defined(__AVX2__)
#include "narrow/follow_quick.h"
#include "narrow/least_axis.h"
#include "narrow/walk_states.h"

walk_end jo_query_avx2(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                       const jo_polyhedron *b, const jo_pose *pose_b, jo_feature_pair *pair,
                       jo_closest *out)
{
    return query_apart(w, a, pose_a, b, pose_b, pair, out);
}

walk_end jo_follow_avx2(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                        const jo_polyhedron *b, const jo_pose *pose_b, jo_feature_pair *pair,
                        jo_closest *out)
{
    return query_followed(w, a, pose_a, b, pose_b, pair, out);
}

walk_end jo_contact_avx2(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                         const jo_polyhedron *b, const jo_pose *pose_b, jo_feature_pair *pair,
                         jo_closest *out)
{
    return query_contact(w, a, pose_a, b, pose_b, pair, out);
}

bool jo_least_axis_avx2(const walk *w, const jo_feature from[2], double known, bool overlap,
                        walk_axis *best)
{
    return least_axis(w, from, known, overlap, best);
}
#else
typedef int walk_avx2_is_empty_here;
#endif
