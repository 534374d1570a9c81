/* test_threads.c — the team of threads: every part of the work done exactly once, whoever asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/threads.h"

typedef struct tally {
    atomic_int done[JO_THREADS_MAX];
    int plain[JO_THREADS_MAX]; /* not atomic: what a member wrote must be seen when the round is
                                  over */
    int threads;
} tally;

static void count(void *context, int t, int threads)
{
    tally *all = context;
    if (t == 0) all->threads = threads;
    all->plain[t]++;
    atomic_fetch_add(&all->done[t], 1);
}

static void check(const tally *all, int threads, int rounds)
{
    for (int t = 0; t < threads; t++) {
        assert_int_equal(atomic_load(&all->done[t]), rounds);
        assert_int_equal(all->plain[t], rounds);
    }
}

/* The same team in turns: it grows, does not shrink, and sits out where fewer are wanted. */
static void test_each_part_once(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 5, 3, 16, 2, 7, 64, 1, 4};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        tally all = {.threads = 0};
        for (int round = 0; round < 300; round++)
            jo_threads_run(sizes[k], count, &all);
        check(&all, sizes[k], 300);
        assert_int_equal(all.threads, sizes[k]);
    }
}

/* After a pause the members sleep and have to be woken. */
static void test_after_sleep(void **state)
{
    (void)state;
    tally all = {.threads = 0};
    for (int round = 0; round < 20; round++) {
        usleep(2000);
        jo_threads_run(4, count, &all);
    }
    check(&all, 4, 20);
}

static void ask_again(void *context, int t, int threads)
{
    (void)threads;
    tally *inner = (tally *)context + t;
    jo_threads_run(3, count, inner);
}

static void test_from_within(void **state)
{
    (void)state;
    static tally inner[4];
    for (int round = 0; round < 50; round++)
        jo_threads_run(4, ask_again, inner);
    for (int t = 0; t < 4; t++)
        check(&inner[t], 3, 50);
}

static void *caller(void *context)
{
    for (int round = 0; round < 500; round++)
        jo_threads_run(3, count, context);
    return NULL;
}

static void test_several_callers(void **state)
{
    (void)state;
    static tally all[3];
    pthread_t threads[3];
    for (int k = 0; k < 3; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, caller, &all[k]), 0);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < 3; k++)
        check(&all[k], 3, 500);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

static void test_in_a_child(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* which allows no threads in a child of several */
#endif
    tally all = {.threads = 0};
    jo_threads_run(3, count, &all);
    const pid_t child = fork();
    if (child == 0) {
        jo_threads_run(4, count, &all);
        bool fine = true;
        for (int t = 0; t < 4; t++)
            fine = fine && all.plain[t] == (t < 3 ? 2 : 1);
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    jo_threads_run(3, count, &all);
    check(&all, 3, 2);
}

static void test_how_many(void **state)
{
    (void)state;
    assert_int_equal(setenv("OMP_NUM_THREADS", "5", 1), 0);
    const int with = jo_threads(0);
    assert_true(with == 5 || with == 1); /* 1: built without threads */
    setenv("OMP_NUM_THREADS", "rubbish", 1);
    assert_true(jo_threads(0) >= 1);
    unsetenv("OMP_NUM_THREADS");
    assert_true(jo_threads(0) >= 1 && jo_threads(0) <= JO_THREADS_MAX);
    assert_true(jo_threads(100000) <= JO_THREADS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_once), cmocka_unit_test(test_after_sleep),
        cmocka_unit_test(test_from_within),    cmocka_unit_test(test_several_callers),
        cmocka_unit_test(test_in_a_child),     cmocka_unit_test(test_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
