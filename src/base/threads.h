/* threads.h — the one place that knows how threads are made (POSIX, or none). */
#ifndef JO_BASE_THREADS_H
#define JO_BASE_THREADS_H

#include "jostle/base.h"

/* How many threads to use when the caller asked for `asked` (0: OMP_NUM_THREADS, or as many as
 * there are processors for this process). */
int jo_threads(int asked);

/* Runs work(context, t, threads) for t = 0 … threads − 1, at the same time where possible, and
 * waits for all of them. Every t runs exactly once even where fewer threads could be had. */
typedef void (*jo_thread_work)(void *context, int thread, int threads);
void jo_threads_run(int threads, jo_thread_work work, void *context);

/* The part [*begin, *end) of `count` items that thread t of `threads` takes. */
static inline void jo_thread_share(size_t count, int t, int threads, size_t *begin, size_t *end)
{
    const size_t each = count / (size_t)threads, more = count % (size_t)threads, s = (size_t)t;
    *begin = s * each + (s < more ? s : more);
    *end = *begin + each + (s < more ? 1 : 0);
}

#endif
