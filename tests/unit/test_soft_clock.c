/* test_soft_clock.c — times are what a person would write, chosen steps divide what they should,
 * and bodies at one point are refused. */
#include "physics/lab.h"

/* A ball that flies, and perhaps the same place twice. */
static lab *ball(void)
{
    lab *l = lab_new(3, NULL);
    l->materials[0].young = 1e7;
    l->materials[0].poisson = 0.25;
    lab_contact(l, 0, 0)->restitution = 0.9;
    lab_body(l, 0, 0, 0, 1e-3, 0);
    lab_velocity(l, 0, 0.1, 0, 0);
    return l;
}

static void times_are_rounded_once(void **unused)
{
    (void)unused;
    lab *l = ball();
    lab_start(l, 5e-5);
    assert_true(jo_soft_time_step(l->soft) == 5e-5);
    /* Multiples of the step itself would be 0.23500000000000001 and 0.15000000000000002. */
    assert_true(jo_soft_time_at(l->soft, 4700) == 0.235);
    assert_true(jo_soft_time_at(l->soft, 3000) == 0.15);
    assert_true(jo_soft_time_at(l->soft, 0) == 0);
    lab_go(l, 7);
    assert_true(jo_soft_time(l->soft) == 3.5e-4);
    lab_stop(l);
    const double odd = 1e-5 / 3;
    lab_start(l, odd);
    assert_true(jo_soft_time_step(l->soft) == odd);
    assert_true(jo_soft_time_at(l->soft, 1000) == 1000 * odd);
    lab_free(l);
}

/* Whether a moment is a whole number of steps, to the last bit. */
static bool is_reached(const lab *l, double time)
{
    const double steps = rint(time / jo_soft_time_step(l->soft));
    return jo_soft_time_at(l->soft, (uint64_t)steps) == time;
}

static void chosen_steps_divide(void **unused)
{
    (void)unused;
    const struct {
        double duration, series, trajectory;
        bool series_too, trajectory_too;
    } cases[] = {
        {2, 0.01, 0.05, true, true},         {0.3, 0.002, 0.007, true, true},
        {1, 0.001, 1e-7, true, true},        {0.7, NAN, 0.3, false, true},
        {1.0 / 3, 0.01, 0.01, false, false}, /* no decimal fraction of few digits */
        {1e-9, 0.01, NAN, false, false},     {3600, 0.25, 60, true, true},
    };
    lab *l = ball();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        l->scene.duration = cases[k].duration;
        l->scene.outputs.series = cases[k].series;
        l->scene.outputs.trajectory = cases[k].trajectory;
        lab_start(l, NAN);
        const double step = jo_soft_time_step(l->soft),
                     longest = jo_soft_advice(l->soft).recommended;
        assert_true(step <= longest * (1 + 1e-11));
        assert_false(step > cases[k].series || step > cases[k].trajectory); /* NaN: no interval */
        if (cases[k].duration > 20 * longest) assert_true(step > 0.95 * longest);
        if (cases[k].duration != 1.0 / 3) assert_true(is_reached(l, cases[k].duration));
        if (cases[k].series_too)
            assert_true(is_reached(l, 7 * cases[k].series) || is_reached(l, 8 * cases[k].series));
        if (cases[k].series_too) assert_true(is_reached(l, cases[k].series));
        if (cases[k].trajectory_too) assert_true(is_reached(l, cases[k].trajectory));
        lab_stop(l);
    }
    lab_free(l);
}

/* The clock comes back with the state. */
static void a_restored_clock_goes_on(void **unused)
{
    (void)unused;
    lab *l = ball();
    l->scene.duration = 0.3;
    l->scene.outputs.series = 0.002;
    lab_start(l, NAN);
    lab_go(l, 50);
    jo_error error = {0};
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_soft *second = NULL;
    l->scene.duration = 0.77; /* as when a run is resumed for longer */
    assert_int_equal(jo_soft_save(l->soft, chunks, &count, &error), JO_OK);
    assert_int_equal(jo_soft_restore(&l->scene, NULL, chunks, count, &second, &error), JO_OK);
    assert_true(jo_soft_time(second) == jo_soft_time(l->soft));
    for (uint64_t step = 1; step < 100000; step = 2 * step + 1)
        assert_true(jo_soft_time_at(second, step) == jo_soft_time_at(l->soft, step));
    jo_soft_destroy(second);
    lab_free(l);
}

static void one_point_is_for_one_body(void **unused)
{
    (void)unused;
    jo_error error = {0};
    jo_soft *soft = NULL;
    lab *l = ball();
    for (int k = 1; k < 50; k++)
        lab_body(l, 3e-3 * k, 0, 0, 1e-3, 0);
    lab_body(l, 3e-3 * 17, -0.0, 0, 0.5e-3, 0);
    assert_int_equal(jo_soft_create_with(&l->scene, &l->bodies, NULL, &soft, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "bodies 17 and 50 are both at (0.051, 0, 0)"));
    /* Not if both stand still for ever. */
    l->bodies.fixed[17] = l->bodies.fixed[50] = 1;
    lab_start(l, 1e-6);
    lab_stop(l);
    l->bodies.fixed[17] = 0;
    /* An image is a place, too. */
    for (int a = 0; a < 2; a++) { /* fractions of two: nothing is rounded */
        l->bodies.x[3 * 17 + a] = 0.0625;
        l->bodies.x[3 * 50 + a] = 0.0625 + 0.5 * a;
    }
    l->scene.has_box = true;
    for (int a = 0; a < 3; a++) {
        l->scene.domain.lo[a] = -0.25;
        l->scene.domain.hi[a] = 0.25;
        l->scene.domain.periodic[a] = true;
    }
    assert_int_equal(jo_soft_create_with(&l->scene, &l->bodies, NULL, &soft, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "bodies 17 and 50"));
    l->bodies.x[3 * 50 + 1] = 2e-3;
    lab_start(l, 1e-6);
    lab_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_rounded_once),
        cmocka_unit_test(chosen_steps_divide),
        cmocka_unit_test(a_restored_clock_goes_on),
        cmocka_unit_test(one_point_is_for_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
