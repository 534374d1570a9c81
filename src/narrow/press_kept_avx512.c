/* press_kept_avx512.c — press_kept_eval.h for processors with AVX-512, entered only after asking:
 * still four at a time, but with twice the registers. The bits are those of press_kept.c. */
#if defined(__AVX512VL__)
#include "narrow/press_kept_eval.h"

bool jo_press_again_avx512(press_kept *kept, const press_side *a, const press_side *b,
                           const double (*parts)[4], size_t part_count, double size, press *out)
{
    return again(kept, a, b, parts, part_count, size, out);
}
#else
typedef int press_kept_avx512_is_empty_here;
#endif
