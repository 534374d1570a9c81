/* kernel_avx512.c — the kernels for processors with AVX-512: still four contacts at a time, but
 * with twice the registers. */
#if defined(__AVX512VL__)
#include "soft/kernel.h"

const kernels jo_soft_kernels_avx512 = {move_block, pairs_of_block, walls_of_block, measure_block};
#else
typedef int kernel_avx512_is_empty_here;
#endif
