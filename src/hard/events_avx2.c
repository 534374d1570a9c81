/* events_avx2.c — events.h for processors with AVX2. */
#if defined(__AVX2__)
#define JO_HARD_RUN         jo_hard_run_avx2
#define JO_HARD_FORESEE_ALL jo_hard_foresee_all_avx2
#define JO_HARD_TURNED      jo_hard_turned_avx2
#include "hard/events.h"
#else
typedef int events_avx2_is_empty_here;
#endif
