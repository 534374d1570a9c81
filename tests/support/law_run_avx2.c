/* law_run_avx2.c — the contact law compiled for AVX2; entered only where the processor has it. */
#include "support/law_run.h"

bool law_run_avx2(const law *l, contact4 *contacts, size_t count)
{
#if defined(__AVX2__)
    if (!__builtin_cpu_supports("avx2")) return false;
    for (size_t k = 0; k < count; k++)
        law_evaluate(l, &contacts[k]);
    return true;
#else
    (void)l, (void)contacts, (void)count;
    return false;
#endif
}
