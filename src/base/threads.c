/* threads.c — a team of threads that waits for work.
 *
 * A time step asks for its team several times, thousands of times a second, so the threads are made
 * once and kept. Who waits looks for some microseconds whether there is work, goes on looking for
 * half a millisecond or so while others that want the processor go first, and then sleeps: a
 * team that only looks (as OpenMP's does) stands still on a machine that has other things to do as
 * well, and one that sleeps at once wakes late, most of all on virtual machines. There is one team
 * per process; who asks while it is at work, or from within, does the work alone. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* which processors are ours */
#endif
#include "base/threads.h"

#ifdef JO_HAVE_THREADS
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOKS = 2000, YIELDS = 1000 }; /* before sleeping */

static struct team {
    pthread_mutex_t taken; /* by the caller whose work is done */
    pthread_mutex_t mutex; /* for sleeping */
    pthread_cond_t begin, end;
    atomic_uint round; /* goes up when there is work */
    atomic_int left;   /* members still at it */
    atomic_int asleep; /* members that wait at `begin` */
    atomic_int caller_asleep;
    atomic_bool over; /* the process ends */
    jo_thread_work work;
    void *context;
    int threads; /* wanted this round, the caller's own among them */
    int made;    /* members there are */
    pthread_t members[JO_THREADS_MAX];
    unsigned joined[JO_THREADS_MAX]; /* the round that was over when each came */
} team = {.taken = PTHREAD_MUTEX_INITIALIZER,
          .mutex = PTHREAD_MUTEX_INITIALIZER,
          .begin = PTHREAD_COND_INITIALIZER,
          .end = PTHREAD_COND_INITIALIZER};

/* Between the k-th look and the next. */
static inline void look_away(int k)
{
    if (k >= LOOKS) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}

/* Waits until the round is another than the one seen. */
static unsigned await_round(unsigned seen)
{
    for (int k = 0; k < LOOKS + YIELDS; k++) {
        const unsigned round = atomic_load_explicit(&team.round, memory_order_acquire);
        if (round != seen) return round;
        look_away(k);
    }
    pthread_mutex_lock(&team.mutex);
    atomic_fetch_add(&team.asleep,
                     1); /* before looking once more: the caller does it the other way */
    while (atomic_load(&team.round) == seen)
        pthread_cond_wait(&team.begin, &team.mutex);
    atomic_fetch_sub(&team.asleep, 1);
    pthread_mutex_unlock(&team.mutex);
    return atomic_load(&team.round);
}

static void *member(void *which)
{
    const int self = (int)(size_t)which;
    for (unsigned seen = team.joined[self - 1];;) {
        seen = await_round(seen);
        if (atomic_load(&team.over)) return NULL;
        if (self < team.threads) team.work(team.context, self, team.threads);
        if (atomic_fetch_sub(&team.left, 1) == 1 && atomic_load(&team.caller_asleep)) {
            pthread_mutex_lock(&team.mutex);
            pthread_cond_signal(&team.end);
            pthread_mutex_unlock(&team.mutex);
        }
    }
}

static void start_round(void)
{
    atomic_store(&team.left, team.made);
    atomic_fetch_add(&team.round, 1);
    if (atomic_load(&team.asleep) > 0) {
        pthread_mutex_lock(&team.mutex);
        pthread_cond_broadcast(&team.begin);
        pthread_mutex_unlock(&team.mutex);
    }
}

static void await_end(void)
{
    for (int k = 0; k < LOOKS + YIELDS; k++) {
        if (atomic_load_explicit(&team.left, memory_order_acquire) == 0) return;
        look_away(k);
    }
    pthread_mutex_lock(&team.mutex);
    atomic_store(&team.caller_asleep, 1);
    while (atomic_load(&team.left) > 0)
        pthread_cond_wait(&team.end, &team.mutex);
    atomic_store(&team.caller_asleep, 0);
    pthread_mutex_unlock(&team.mutex);
}

/* A child process has this thread alone. */
static void in_child(void)
{
    pthread_mutex_init(&team.taken, NULL);
    pthread_mutex_init(&team.mutex, NULL);
    pthread_cond_init(&team.begin, NULL);
    pthread_cond_init(&team.end, NULL);
    atomic_store(&team.round, 0);
    atomic_store(&team.asleep, 0);
    team.made = 0;
}

static void dismiss(void)
{
    if (team.made == 0 || pthread_mutex_trylock(&team.taken) != 0) return;
    atomic_store(&team.over, true);
    start_round();
    for (int k = 0; k < team.made; k++)
        pthread_join(team.members[k], NULL);
    team.made = 0;
    pthread_mutex_unlock(&team.taken);
}

/* Makes members until there are enough, or as many as the system gives. Nobody is at work. */
static void gather(int threads)
{
    static bool known;
    if (!known) {
        pthread_atfork(NULL, NULL, in_child);
        atexit(dismiss);
        known = true;
    }
    while (team.made + 1 < threads) {
        team.joined[team.made] = atomic_load(&team.round);
        if (pthread_create(&team.members[team.made], NULL, member,
                           (void *)(size_t)(team.made + 1)) != 0)
            return;
        team.made++;
    }
}

/* What the team at hand cannot do at the same time, its caller does afterwards. */
static bool with_team(int threads, jo_thread_work work, void *context)
{
    if (pthread_mutex_trylock(&team.taken) != 0) return false;
    gather(threads);
    team.work = work;
    team.context = context;
    team.threads = threads;
    start_round();
    work(context, 0, threads);
    for (int t = team.made + 1; t < threads; t++)
        work(context, t, threads);
    await_end();
    pthread_mutex_unlock(&team.taken);
    return true;
}

static int processors(void)
{
    const char *asked = getenv("OMP_NUM_THREADS"); /* the usual way to say it */
    const int wanted = asked != NULL ? atoi(asked) : 0;
    if (wanted > 0) return wanted;
#ifdef __linux__
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) return CPU_COUNT(&mine);
#endif
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
#endif

int jo_threads(int asked)
{
    int threads = asked;
#ifdef JO_HAVE_THREADS
    if (threads <= 0) threads = processors();
#else
    threads = 1;
#endif
    if (threads < 1) threads = 1;
    return threads < JO_THREADS_MAX ? threads : JO_THREADS_MAX;
}

void jo_threads_run(int threads, jo_thread_work work, void *context)
{
#ifdef JO_HAVE_THREADS
    if (threads > 1 && with_team(threads, work, context)) return;
#endif
    for (int t = 0; t < threads; t++)
        work(context, t, threads);
}
