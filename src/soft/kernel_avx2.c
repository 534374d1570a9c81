/* kernel_avx2.c — the kernels for processors with AVX2; entered only after asking. */
#if defined(__AVX2__)
#include "soft/kernel.h"

const kernels jo_soft_kernels_avx2 = {move_block, pairs_of_block, walls_of_block, measure_block};
#else
typedef int kernel_avx2_is_empty_here;
#endif
