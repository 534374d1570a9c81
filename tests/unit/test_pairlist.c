/* test_pairlist.c — lists of pairs: growth, sorting against qsort, differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "broad/pairlist.h"
#include "support/systems.h"

static void push_orders_and_keeps_all(void **state)
{
    (void)state;
    pairlist list = {0};
    for (size_t k = 0; k < 5000; k++)
        assert_true(pairlist_push(&list, k % 2 ? k + 1 : k + 7, k % 2 ? k + 7 : k + 1));
    assert_int_equal(list.count, 5000);
    for (uint32_t k = 0; k < 5000; k++) {
        assert_int_equal(pairlist_data(&list)[k].i, k + 1);
        assert_int_equal(pairlist_data(&list)[k].j, k + 7);
    }
    const size_t held = list.memory.size;
    pairlist_clear(&list);
    assert_int_equal(list.count, 0);
    assert_int_equal(list.memory.size, held); /* memory is kept */
    jo_pairlist_free(&list);
    assert_null(list.memory.data);
}

static void reserve_refuses_what_no_machine_has(void **state)
{
    (void)state;
    pairlist list = {0};
    assert_true(pairlist_push(&list, 1, 2));
    assert_false(jo_pairlist_reserve(&list, SIZE_MAX / 2));
    assert_false(jo_pairlist_reserve(&list, SIZE_MAX));
    assert_false(jo_pairlist_reserve(&list, SIZE_MAX / sizeof(jo_pair) - 1));
    assert_int_equal(list.count, 1); /* and what was there still is */
    assert_int_equal(pairlist_data(&list)[0].j, 2);
    jo_pairlist_free(&list);
}

/* A list of `count` pairs below n; `shape` makes the distributions that sorting could trip over. */
static void fill(pairlist *list, rng *g, size_t count, size_t n, int shape)
{
    pairlist_clear(list);
    for (size_t k = 0; k < count; k++) {
        size_t i = rng_below(g, n), j = rng_below(g, n);
        if (shape == 1) i = 0;                           /* all in one bucket */
        if (shape == 2) i = n - 1 - rng_below(g, 3) % n; /* all in the last */
        if (shape == 3) i = k % n, j = (k * 7 + 1) % n;
        if (shape == 4) j = i + 1; /* nearly sorted later digits */
        assert_true(pairlist_push(list, i, j));
    }
}

static void sorting_equals_qsort(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 47, 48, 49, 1023, 1024, 1025, 20000, 70000};
    static const size_t numbers[] = {2, 3, 255, 256, 257, 65536, 1000003, 0x7ffffffe};
    rng g = rng_seeded(5);
    pairlist list = {0};
    buffer scratch = {0};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t m = 0; m < sizeof numbers / sizeof *numbers; m++)
            for (int shape = 0; shape < 5; shape++) {
                fill(&list, &g, counts[c], numbers[m], shape);
                const size_t bytes = list.count * sizeof(jo_pair);
                jo_pair *wanted = malloc(bytes + 1);
                assert_non_null(wanted);
                if (bytes > 0) memcpy(wanted, pairlist_data(&list), bytes);
                pairs_sort(wanted, list.count);
                /* pair j may be n: shape 4; sorting needs i < n only through i < j */
                assert_true(jo_pairlist_sort(&list, numbers[m] + 1, &scratch, 1 + shape % 3));
                assert_true(list.sorted);
                if (bytes > 0) assert_memory_equal(pairlist_data(&list), wanted, bytes);
                free(wanted);
            }
    jo_pairlist_free(&list);
    jo_buffer_free(&scratch);
}

static void differences(void **state)
{
    (void)state;
    rng g = rng_seeded(6);
    pairlist before = {0}, now = {0}, begun = {0}, ended = {0};
    for (int round = 0; round < 200; round++) {
        pair_array a = {0}, b = {0}, only_a = {0}, only_b = {0};
        pairlist_clear(&before);
        pairlist_clear(&now);
        const double p = rng_unit(&g), q = rng_unit(&g);
        for (size_t i = 0; i < 20; i++)
            for (size_t j = i + 1; j < 20; j++) {
                if (rng_chance(&g, p)) assert_true(pairlist_push(&before, i, j));
                if (rng_chance(&g, q)) assert_true(pairlist_push(&now, i, j));
            }
        a = (pair_array){.pairs = pairlist_data(&before), .count = before.count};
        b = (pair_array){.pairs = pairlist_data(&now), .count = now.count};
        assert_true(pairs_minus(&a, &b, &only_a) && pairs_minus(&b, &a, &only_b));
        assert_true(jo_pairlist_difference(&before, &now, &begun, &ended));
        assert_int_equal(begun.count, only_b.count);
        assert_int_equal(ended.count, only_a.count);
        if (begun.count > 0)
            assert_memory_equal(pairlist_data(&begun), only_b.pairs, begun.count * 8);
        if (ended.count > 0)
            assert_memory_equal(pairlist_data(&ended), only_a.pairs, ended.count * 8);
        pairs_free(&only_a);
        pairs_free(&only_b);
    }
    jo_pairlist_free(&before);
    jo_pairlist_free(&now);
    jo_pairlist_free(&begun);
    jo_pairlist_free(&ended);
}

/* Threads write to shares of one list and beyond them; joined, all stand in the order of
 * threads. */
static void shares_keep_the_order_of_threads(void **state)
{
    (void)state;
    rng g = rng_seeded(11);
    for (int round = 0; round < 400; round++) {
        const int threads = 2 + round % 5;
        const size_t expected = rng_below(&g, 300), before = rng_below(&g, 4);
        pairlist out = {0}, share[JO_THREADS_MAX];
        static pairparts parts;
        for (uint32_t k = 0; k < before; k++)
            assert_true(pairlist_push(&out, k, k + 1));
        assert_true(jo_pairparts_share(&parts, threads, expected, &out, share));
        uint32_t next = (uint32_t)before;
        for (int t = 0; t < threads; t++) {
            const size_t room = pairlist_capacity(&share[t]);
            const size_t count = rng_below(&g, round % 3 == 0 ? room + 1 : 2 * room + 20);
            for (size_t k = 0; k < count; k++, next++) {
                pairlist *to = k < room ? &share[t] : &parts.part[t];
                assert_true(pairlist_push(to, next, next + 1));
            }
        }
        assert_true(jo_pairparts_join_shares(&parts, threads, &out, share));
        assert_int_equal(out.count, next);
        for (uint32_t k = 0; k < next; k++) {
            assert_int_equal(pairlist_data(&out)[k].i, k);
            assert_int_equal(pairlist_data(&out)[k].j, k + 1);
        }
        jo_pairlist_free(&out);
        jo_pairparts_free(&parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(push_orders_and_keeps_all),
        cmocka_unit_test(reserve_refuses_what_no_machine_has),
        cmocka_unit_test(sorting_equals_qsort),
        cmocka_unit_test(differences),
        cmocka_unit_test(shares_keep_the_order_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
