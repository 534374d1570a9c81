/* test_soft_save.c — the engine's state as arrays: the same state gives the same bytes, and comes
 * back. */
#include "physics/lab.h"

static const jo_chunk *chunk_of(const jo_chunk *chunks, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(chunks[k].name, name) == 0) return &chunks[k];
    fail_msg("no chunk %s", name);
    return NULL;
}

/* Bodies on a lattice that fly at random: most of what is listed touches now and then. */
static lab *gas(void)
{
    jo_law law = jo_law_default();
    law.rolling = JO_ROLLING_EPSD;
    lab *l = lab_new(3, &law);
    l->materials[0].young = 1e7;
    l->materials[0].poisson = 0.25;
    jo_contact_def *c = lab_contact(l, 0, 0);
    c->restitution = 0.9;
    c->friction = 0.4;
    c->rolling_friction = 0.05;
    uint64_t seed = 7;
    for (int k = 0; k < 216; k++) {
        const size_t i =
            lab_body(l, 2.2e-3 * (k % 6), 2.2e-3 * (k / 6 % 6), 2.2e-3 * (k / 36), 1e-3, 0);
        for (int a = 0; a < 3; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            l->bodies.v[3 * i + a] = (double)(seed >> 40) * 0x1p-24 - 0.5;
        }
    }
    lab_start(l, NAN);
    return l;
}

static void what_is_no_contact_remembers_nothing(void **unused)
{
    (void)unused;
    lab *l = gas();
    size_t idle = 0, touching = 0;
    for (int part = 0; part < 20; part++) {
        lab_go(l, 50);
        jo_error error = {0};
        jo_chunk chunks[JO_CHUNKS_MAX];
        size_t count;
        assert_int_equal(jo_soft_save(l->soft, chunks, &count, &error), JO_OK);
        const jo_chunk *entry = chunk_of(chunks, count, "entry");
        size_t on = 0;
        for (size_t row = 0; row < entry->count; row++)
            on += ((const uint32_t *)entry->data)[row] >> 31;
        const size_t bytes = chunk_of(chunks, count, "memos")->count;
        assert_int_equal(bytes, on * (3 * sizeof(double) + 7 * sizeof(float)));
        idle += entry->count - on;
        touching += on;
    }
    assert_true(idle > 100 && touching > 100);
    lab_free(l);
}

/* Restored and saved again, it is the same bytes; a chunk cut short is refused by name. */
static void it_comes_back(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {[JO_CHUNK_F64] = 8,
                                   [JO_CHUNK_F32] = 4,
                                   [JO_CHUNK_U64] = 8,
                                   [JO_CHUNK_U32] = 4,
                                   [JO_CHUNK_U8] = 1};
    lab *l = gas();
    lab_go(l, 400);
    jo_error error = {0};
    jo_chunk chunks[JO_CHUNKS_MAX], again[JO_CHUNKS_MAX];
    size_t count, count_again;
    jo_soft_options options = jo_soft_options_default();
    jo_soft *second = NULL;
    assert_int_equal(jo_soft_save(l->soft, chunks, &count, &error), JO_OK);
    assert_int_equal(jo_soft_restore(&l->scene, &options, chunks, count, &second, &error), JO_OK);
    assert_int_equal(jo_soft_save(second, again, &count_again, &error), JO_OK);
    assert_int_equal(count, count_again);
    for (size_t k = 0; k < count; k++) {
        assert_string_equal(chunks[k].name, again[k].name);
        assert_int_equal(chunks[k].count, again[k].count);
        if (chunks[k].count > 0)
            assert_memory_equal(chunks[k].data, again[k].data,
                                chunks[k].count * sizes[chunks[k].type]);
    }
    jo_soft_destroy(second);
    for (size_t k = 0; k < count; k++) {
        if (chunks[k].count == 0) continue;
        chunks[k].count--;
        assert_int_equal(jo_soft_restore(&l->scene, &options, chunks, count, &second, &error),
                         JO_ERR_DATA);
        assert_null(second);
        chunks[k].count++;
    }
    lab_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_contact_remembers_nothing),
        cmocka_unit_test(it_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
