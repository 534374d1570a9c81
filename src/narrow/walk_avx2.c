/* walk_avx2.c — the walk for processors with AVX2, entered only after asking. The bits are those of
 * walk.c. */
#if defined(__AVX2__)
#include "narrow/follow_quick.h"
#include "narrow/least_axis.h"
#include "narrow/walk_states.h"

const walk_level jo_walk_avx2 = {"AVX2", query_apart, query_contact, query_followed, least_axis};
#else
typedef int walk_avx2_is_empty_here;
#endif
