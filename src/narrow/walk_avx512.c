/* walk_avx512.c — the walk for processors with AVX-512, entered only after asking: compiled as for
 * AVX2, for the wider registers make nothing quicker but faces and arcs of small bodies, which are
 * in few_axis_avx512.c. The bits are those of walk.c. */
#if defined(__AVX2__)
#define JO_SIXTEEN_FACES 1
#include "narrow/follow_quick.h"
#include "narrow/least_axis.h"
#include "narrow/walk_states.h"

const walk_level jo_walk_avx512 = {"AVX-512", query_apart, query_contact, query_followed,
                                   least_axis};
#else
typedef int walk_avx512_is_empty_here;
#endif
