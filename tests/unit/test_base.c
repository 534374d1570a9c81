/* test_base.c — buffers, threads, errors, the clock, the mixer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/threads.h"
#include "base/timer.h"

static void buffers_grow_are_aligned_and_keep(void **state)
{
    (void)state;
    buffer b = {0};
    assert_true(jo_buffer_reserve(&b, 0, 8));
    assert_true(jo_buffer_reserve(&b, 1000, 8));
    assert_true(b.size >= 8000);
    assert_int_equal((uintptr_t)b.data % JO_ALIGNMENT, 0);
    void *const same = b.data;
    assert_true(jo_buffer_reserve(&b, 10, 8)); /* smaller: nothing happens */
    assert_ptr_equal(b.data, same);

    memset(b.data, 0x5a, 8000);
    assert_true(jo_buffer_grow(&b, 8000, 1u << 20, 8)); /* large enough for huge pages */
    assert_true(b.size >= (size_t)8 << 20);
    assert_int_equal((uintptr_t)b.data % JO_ALIGNMENT, 0);
    for (size_t k = 0; k < 8000; k++)
        assert_int_equal(((unsigned char *)b.data)[k], 0x5a);
    memset(b.data, 1, b.size); /* every byte it claims is ours */
    jo_buffer_free(&b);
    assert_null(b.data);
    assert_int_equal(b.size, 0);
    jo_buffer_free(&b);
}

static void buffers_grow_by_half_at_least(void **state)
{
    (void)state;
    buffer b = {0};
    int grown = 0;
    size_t last = 0;
    for (size_t k = 1; k <= 100000; k++) {
        assert_true(jo_buffer_grow(&b, (k - 1) * 4, k, 4));
        grown += b.size != last;
        last = b.size;
    }
    assert_in_range(grown, 5, 40); /* log(1e5) / log(1.5) = 28 */
    jo_buffer_free(&b);
}

static void buffers_refuse_overflow(void **state)
{
    (void)state;
    buffer b = {0};
    assert_true(jo_buffer_reserve(&b, 4, 8));
    void *const data = b.data;
    const size_t size = b.size;
    assert_false(jo_buffer_reserve(&b, SIZE_MAX / 4, 8));
    assert_false(jo_buffer_grow(&b, 16, SIZE_MAX / 8 + 2, 8));
    assert_false(jo_buffer_reserve(&b, SIZE_MAX - 3, 1));
    assert_ptr_equal(b.data, data);
    assert_int_equal(b.size, size);
    jo_buffer_free(&b);
}

typedef struct tally {
    int runs[JO_THREADS_MAX];
    int threads;
} tally;

static void count(void *context, int thread, int threads)
{
    tally *t = context;
    t->runs[thread]++; /* each thread its own */
    if (thread == 0) t->threads = threads;
}

static void every_share_runs_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 9; threads++) {
        tally t = {0};
        jo_threads_run(threads, count, &t);
        assert_int_equal(t.threads, threads);
        for (int k = 0; k < JO_THREADS_MAX; k++)
            assert_int_equal(t.runs[k], k < threads);
    }
    assert_in_range(jo_threads(0), 1, JO_THREADS_MAX);
    assert_in_range(jo_threads(100000), 1, JO_THREADS_MAX);
    assert_int_equal(jo_threads(1), 1);
}

static void shares_cover_everything(void **state)
{
    (void)state;
    for (size_t items = 0; items < 50; items++)
        for (int threads = 1; threads < 12; threads++) {
            size_t next = 0;
            for (int t = 0; t < threads; t++) {
                size_t begin, end;
                jo_thread_share(items, t, threads, &begin, &end);
                assert_int_equal(begin, next);
                assert_in_range(end - begin, items / (size_t)threads, items / (size_t)threads + 1);
                next = end;
            }
            assert_int_equal(next, items);
        }
}

static void errors_are_filled_and_cut(void **state)
{
    (void)state;
    jo_error error = {0};
    assert_int_equal(jo_fail(&error, JO_ERR_DATA, "body %d is %s", 7, "odd"), JO_ERR_DATA);
    assert_int_equal(error.status, JO_ERR_DATA);
    assert_string_equal(error.text, "body 7 is odd");
    assert_int_equal(jo_fail(NULL, JO_ERR_IO, "nobody listens"), JO_ERR_IO);
    char longer[2 * JO_ERROR_TEXT];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    jo_fail(&error, JO_ERR_IO, "%s", longer);
    assert_int_equal(strlen(error.text), JO_ERROR_TEXT - 1);
    assert_int_equal(jo_fail_memory(&error, 123, "a test"), JO_ERR_MEMORY);
    assert_non_null(strstr(error.text, "123 bytes"));
    assert_int_equal(jo_error_file(&error, "out.csv", "written", ENOSPC), JO_ERR_SPACE);
    assert_string_equal(error.text,
                        "out.csv: cannot be written: No space left on device; make room "
                        "there, or write to another disk");
    assert_int_equal(jo_error_file(&error, "out.csv", "written", EDQUOT), JO_ERR_SPACE);
    assert_int_equal(jo_error_file(NULL, "out.csv", "written", EFBIG), JO_ERR_SPACE);
    assert_int_equal(jo_error_file(&error, longer, "opened", EACCES), JO_ERR_IO);
    assert_non_null(strstr(error.text, "xxx: cannot be opened: Permission denied"));
    for (int s = JO_OK; s <= JO_ERR_SPACE; s++)
        assert_string_not_equal(jo_status_name((jo_status)s), "unknown status");
    assert_string_equal(jo_status_name((jo_status)99), "unknown status");
    assert_string_equal(jo_version(), JO_VERSION_STRING);
}

static void the_clock_goes_forward(void **state)
{
    (void)state;
    double last = jo_seconds();
    for (int k = 0; k < 1000; k++) {
        const double now = jo_seconds();
        assert_true(now >= last);
        last = now;
    }
}

/* The first outputs of splitmix64 with seed 0, as its author publishes them. */
static void the_mixer_is_splitmix64(void **state)
{
    (void)state;
    const uint64_t golden = 0x9E3779B97F4A7C15u;
    assert_true(jo_mix64(0) == 0xE220A8397B1DCDAFu);
    assert_true(jo_mix64(golden) == 0x6E789E6AA1B965F4u);
    assert_true(jo_mix64(2 * golden) == 0x06C45D188009454Fu);
}

/* What is lent serves others meanwhile, and then its owner again. */
static void memory_is_lent(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    buffer owner = {0}, first = {0}, second = {0}, small = {0}, other = {0};
    assert_true(jo_buffer_reserve(&owner, 8, MIB));
    char *const memory = owner.data;
    assert_false(jo_buffer_lend(memory, MIB / 2)); /* too little to be of use */
    assert_true(jo_buffer_lend(memory + 1, 8 * MIB - 1));
    assert_true(jo_buffer_reserve(&first, 2 * MIB + 1, 1));
    assert_true(jo_buffer_reserve(&second, 3, MIB));
    assert_true(jo_buffer_reserve(&small, 100, 1));
    assert_true(jo_buffer_reserve(&other, 3, MIB)); /* no longer fits */
    assert_ptr_equal(first.data, memory + 64);
    assert_ptr_equal(second.data, memory + 2 * MIB + 128);
    assert_true((char *)small.data < memory || (char *)small.data >= memory + 8 * MIB);
    assert_true((char *)other.data < memory || (char *)other.data >= memory + 8 * MIB);
    assert_int_equal(jo_buffer_lent_used(), 5 * MIB + 64);
    assert_false(jo_buffer_lend(other.data, other.size)); /* one at a time */
    memset(second.data, 7, 3 * MIB);
    assert_true(jo_buffer_grow(&second, 3 * MIB, 4, MIB)); /* by half: elsewhere, contents along */
    assert_int_equal(((char *)second.data)[3 * MIB - 1], 7);
    jo_buffer_free(&second);
    jo_buffer_lend_stop();
    assert_true(jo_buffer_reserve(&second, 1, MIB)); /* nothing is cut any more */
    assert_true((char *)second.data < memory || (char *)second.data >= memory + 8 * MIB);
    jo_buffer_free(&first);
    jo_buffer_lend_end();
    assert_int_equal(jo_buffer_lent_used(), 0);
    assert_true(jo_buffer_lend(memory, 8 * MIB));
    jo_buffer_lend_end();
    jo_buffer_free(&owner);
    jo_buffer_free(&second);
    jo_buffer_free(&other);
    jo_buffer_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_grow_are_aligned_and_keep),
        cmocka_unit_test(memory_is_lent),
        cmocka_unit_test(buffers_grow_by_half_at_least),
        cmocka_unit_test(buffers_refuse_overflow),
        cmocka_unit_test(every_share_runs_once),
        cmocka_unit_test(shares_cover_everything),
        cmocka_unit_test(errors_are_filled_and_cut),
        cmocka_unit_test(the_clock_goes_forward),
        cmocka_unit_test(the_mixer_is_splitmix64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
