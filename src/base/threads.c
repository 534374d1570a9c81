/* threads.c — OpenMP behind two functions. */
#include "base/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int jo_threads(int asked)
{
    int threads = asked;
#ifdef _OPENMP
    if (threads <= 0) threads = omp_get_max_threads();
#else
    threads = 1;
#endif
    if (threads < 1) threads = 1;
    return threads < JO_THREADS_MAX ? threads : JO_THREADS_MAX;
}

void jo_threads_run(int threads, jo_thread_work work, void *context)
{
#ifdef _OPENMP
    if (threads > 1) {
/* A loop rather than one call per thread: OpenMP may grant fewer threads than asked for. */
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int t = 0; t < threads; t++)
            work(context, t, threads);
        return;
    }
#endif
    for (int t = 0; t < threads; t++)
        work(context, t, threads);
}
