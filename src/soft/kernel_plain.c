/* kernel_plain.c — the kernels for any processor. */
#include "soft/kernel.h"

const kernels jo_soft_kernels_plain = {move_block, pairs_of_block, walls_of_block, measure_block};
