/* rows_avx2.c — the search of rows.h, compiled for AVX2; entered only where the processor has it.
 */
#if defined(__AVX2__)
#define ROWS_SEARCH jo_rows_search_avx2
#include "broad/rows_search.h"
#else
typedef int rows_avx2_is_empty_here;
#endif
