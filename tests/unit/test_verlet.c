/* test_verlet.c — neighbour lists: when they must be made again, what is looked at in between, and
 * what may happen to bodies while they are being followed. */
#include "unit/classic_systems.h"

/* An update, and what it did by itself. */
typedef struct done {
    uint64_t rebuilds, tested;
    size_t contacts;
    double skin;
} done;

static done step(jo_broad *search, const jo_bodies *bodies)
{
    jo_error error = {0};
    jo_broad_statistics_reset(search);
    must(jo_broad_update(search, bodies, &error), &error);
    const jo_broad_stats s = jo_broad_statistics(search);
    return (done){s.rebuilds, s.pairs_tested, jo_broad_contacts(search).count, s.skin};
}

/* A search whose list is built: the first update is a find, which keeps none. */
static jo_broad *following(const jo_bodies *bodies, const jo_domain *domain, double skin)
{
    jo_broad_def def = method_def("verlet");
    def.skin = skin;
    if (domain != NULL) def.domain = *domain;
    jo_broad *search = search_create(def);
    assert_int_equal(step(search, bodies).rebuilds, 1);
    const done d = step(search, bodies);
    assert_int_equal(d.rebuilds, 1);
    assert_true(skin < 0.0 ? d.skin > 0.0 : d.skin == skin);
    return search;
}

static size_t touching(const jo_bodies *bodies, const jo_domain *domain)
{
    size_t count = 0;
    for (size_t j = 0; j < bodies->n; j++)
        for (size_t i = 0; i < j; i++)
            count += jo_bodies_touch(bodies, domain, i, j);
    return count;
}

static void same_as_brute(void **state)
{
    (void)state;
    jo_broad_def def = method_def("verlet");
    compare_with_brute(def, 150, 25);
    compare_extremes(def);
    static const double skins[] = {0.0, 1e-300, 0.02, 3.0, 1e150};
    for (size_t k = 0; k < sizeof skins / sizeof *skins; k++) {
        def.skin = skins[k];
        compare_with_brute(def, 40, 10);
        compare_extremes(def);
    }
}

/* Radius 1 and R_nbr = 2.5, so the free gap, the skin, is 0.5. The lecture rebuilds when twice the
 * path of the fastest reaches R_nbr: the spheres would have gone through each other by then. */
static void the_free_gap_decides_and_not_the_whole_radius(void **state)
{
    (void)state;
    double x[] = {0.0, 2.6}, y[] = {0.0, 0.0}, z[] = {0.0, 0.0}, r[] = {1.0, 1.0};
    const jo_bodies bodies = jo_spheres(2, 3, x, y, z, r);
    jo_broad *search = following(&bodies, NULL, 0.5);
    x[0] += 0.2;
    x[1] -= 0.2; /* 0.4 of 0.5 used */
    done d = step(search, &bodies);
    assert_true(d.rebuilds == 0 && d.contacts == 0 && d.tested == 0); /* not even listed */
    x[0] += 0.11;
    x[1] -= 0.11; /* 0.62 used: they touch; the lecture would wait for 2.5 */
    d = step(search, &bodies);
    assert_true(d.rebuilds == 1 && d.contacts == 1);
    jo_broad_destroy(search);
}

/* The two largest moves count, not twice the largest; and moves, not paths. */
static void lists_last_as_long_as_they_may(void **state)
{
    (void)state;
    double x[] = {0.0, 50.0, 100.0}, y[] = {0.0, 0.0, 0.0}, r[] = {1.0, 1.0, 1.0};
    const jo_bodies bodies = jo_spheres(3, 2, x, y, NULL, r);
    jo_broad *search = following(&bodies, NULL, 1.0);
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 7; k++) { /* alone it may go the whole skin: 7/8 */
            x[1] += 0.125;
            assert_int_equal(step(search, &bodies).rebuilds, 0);
        }
        x[1] += 0.125;
        assert_int_equal(step(search, &bodies).rebuilds, 1);
    }
    for (int k = 0; k < 50; k++) { /* rattling far longer than the skin, never far from home */
        x[0] = k % 2 ? 0.4 : 0.0;
        assert_int_equal(step(search, &bodies).rebuilds, 0);
    }
    x[0] = 0.4;
    x[2] += 0.55; /* 0.95 */
    assert_int_equal(step(search, &bodies).rebuilds, 0);
    r[0] += 0.06; /* growing uses up the skin as moving does */
    assert_int_equal(step(search, &bodies).rebuilds, 1);
    jo_broad_destroy(search);
}

/* Only pairs whose gap may have closed or opened are looked at. */
static void pairs_far_from_changing_are_skipped(void **state)
{
    (void)state;
    /* Overlapping by 0.5, touching exactly, apart by 0.25, apart by more than the skin. */
    double x[] = {0.0, 1.5, 10.0, 12.0, 20.0, 22.25, 30.0, 34.0}, y[8] = {0.0}, r[8];
    for (int k = 0; k < 8; k++)
        r[k] = 1.0;
    const jo_bodies bodies = jo_spheres(8, 2, x, y, NULL, r);
    jo_broad *search = following(&bodies, NULL, 1.0);
    done d = step(search, &bodies);
    assert_true(d.rebuilds == 0 && d.tested == 1 && d.contacts == 2);
    x[7] += 0.2; /* someone moved: the gap of exactly 0 is in doubt, the others are not */
    d = step(search, &bodies);
    assert_true(d.rebuilds == 0 && d.tested == 1 && d.contacts == 2);
    x[5] -= 0.25; /* 0.45 in all: now 0.25 is in doubt, too, and touches */
    d = step(search, &bodies);
    assert_true(d.rebuilds == 0 && d.tested == 2 && d.contacts == 3);
    x[7] -= 0.1;
    x[0] -= 0.5; /* 0.75: all three */
    d = step(search, &bodies);
    assert_true(d.rebuilds == 0 && d.tested == 3 && d.contacts == 3);
    jo_broad_destroy(search);
}

static void crossing_a_periodic_edge_is_no_move(void **state)
{
    (void)state;
    double x[] = {0.1, 9.65}, y[] = {5.0, 5.0}, r[] = {0.2, 0.2};
    const jo_domain domain = {.hi = {10.0, 10.0, 0.0}, .periodic = {true, true, false}};
    const jo_bodies bodies = jo_spheres(2, 2, x, y, NULL, r);
    jo_broad *search = following(&bodies, &domain, 0.6);
    x[0] -= 0.1;
    assert_int_equal(step(search, &bodies).contacts, 1);
    x[0] += 10.0 - 0.05; /* the caller wraps it */
    y[0] -= 70.0;
    const done d = step(search, &bodies);
    assert_true(d.rebuilds == 0 && d.contacts == 1);
    jo_broad_destroy(search);
}

/* Many periods away: hardly a move, but the definition rounds more coarsely there. */
static void rounding_far_outside_the_box(void **state)
{
    (void)state;
    enum { N = 64 };
    double x[N], y[N], r[N];
    const jo_domain domain = {.hi = {0.7, 0.7, 0.0}, .periodic = {true, true, false}};
    uint64_t u = 11;
    for (int boxes = 0; boxes < 2; boxes++)
        for (int far = 0; far < 12; far++) {
            double upper_x[N], upper_y[N];
            for (int i = 0; i < N; i++) {
                x[i] = 0.7 / 8 * (i % 8);
                y[i] = 0.7 / 8 * (int)(i / 8);
                const double off = (uniform(&u) - 0.5) * 1e-15 * pow(10.0, far);
                r[i] = 0.7 / 16 + off;
                upper_x[i] = x[i] + 0.7 / 8 + off;
                upper_y[i] = y[i] + 0.7 / 8;
            }
            jo_bodies bodies = jo_spheres(N, 2, x, y, NULL, r);
            bodies.shape = boxes ? JO_BOXES : JO_SPHERES;
            bodies.upper[0] = upper_x;
            bodies.upper[1] = upper_y;
            jo_broad *search = following(&bodies, &domain, 0.05);
            for (int i = 0; i < N; i += 3) {
                x[i] += 0.7 * pow(10.0, far);
                upper_x[i] += 0.7 * pow(10.0, far);
            }
            if (step(search, &bodies).contacts != touching(&bodies, &domain))
                fail_msg("%s, 10^%d periods away", boxes ? "boxes" : "spheres", far);
            jo_broad_destroy(search);
        }
}

/* Boxes a few roundings large: growing them by half a skin moves their middles, beyond where they
 * were surveyed. */
static void boxes_as_small_as_rounding(void **state)
{
    (void)state;
    enum { N = 300 };
    double lower[2 * N], upper[2 * N];
    uint64_t u = 5;
    for (int trial = 0; trial < 100; trial++) {
        const double base = ldexp(1.0, 20 + trial % 20), ulp = base * 0x1p-52;
        for (int k = 0; k < 2 * N; k++) {
            lower[k] = base + ulp * floor(40.0 * uniform(&u));
            upper[k] = lower[k] + ulp * floor(5.0 * uniform(&u));
        }
        const jo_bodies bodies = jo_boxes_interleaved(N, 2, lower, upper);
        jo_broad *search = following(&bodies, NULL, ulp * (1 + 2 * (trial % 3)));
        assert_int_equal(step(search, &bodies).contacts, touching(&bodies, NULL));
        jo_broad_destroy(search);
    }
}

static void boxes_that_change_size(void **state)
{
    (void)state;
    double lower[] = {0, 0, 3, 0}, upper[] = {1, 1, 4, 1};
    const jo_bodies bodies = jo_boxes_interleaved(2, 2, lower, upper);
    jo_broad *search = following(&bodies, NULL, 1.0);
    upper[0] = 1.9; /* 0.9 of the skin */
    assert_int_equal(step(search, &bodies).rebuilds, 0);
    upper[0] = 3.0; /* a face moved by the whole gap, the others stayed */
    const done d = step(search, &bodies);
    assert_true(d.rebuilds == 1 && d.contacts == 1);
    jo_broad_destroy(search);
}

/* Without a skin, every update is a search from scratch. */
static void no_skin_no_list(void **state)
{
    (void)state;
    double x[] = {0.0, 1.9}, y[] = {0.0, 0.0}, r[] = {1.0, 1.0};
    const jo_bodies bodies = jo_spheres(2, 2, x, y, NULL, r);
    jo_broad_def def = method_def("verlet");
    def.skin = 0.0;
    jo_broad *search = search_create(def);
    for (int k = 0; k < 5; k++) {
        x[1] = k % 2 ? 2.1 : 1.9;
        const done d = step(search, &bodies);
        assert_true(d.rebuilds == 1 && d.skin == 0.0 && d.contacts == (k % 2 ? 0 : 1));
    }
    jo_broad_destroy(search);
}

/* The skin follows the motion: slow, and it is small and lasts; too fast, and there is none. */
static void the_skin_is_tuned(void **state)
{
    (void)state;
    enum { N = 2000 };
    static double x[3][N], r[N];
    uint64_t u = 3;
    for (int i = 0; i < N; i++) {
        for (int a = 0; a < 3; a++)
            x[a][i] = 12.0 * uniform(&u);
        r[i] = 0.5;
    }
    const jo_bodies bodies = jo_spheres(N, 3, x[0], x[1], x[2], r);
    double skins[3];
    for (int k = 0; k < 3; k++) {
        const double pace = k == 0 ? 1e-4 : k == 1 ? 0.05 : 3.0;
        jo_broad *search = search_create(method_def("verlet"));
        uint64_t rebuilds = 0;
        for (int t = 0; t < 20; t++) {
            for (int i = 0; i < N; i++)
                for (int a = 0; a < 3; a++)
                    x[a][i] += pace * (uniform(&u) - 0.5);
            const done d = step(search, &bodies);
            rebuilds += d.rebuilds;
            skins[k] = d.skin;
            assert_int_equal(d.contacts, touching(&bodies, NULL));
        }
        if (k == 0) assert_true(rebuilds <= 3);
        if (k == 1) assert_true(rebuilds > 2 && rebuilds < 20);
        if (k == 2) assert_true(rebuilds == 20);
        jo_broad_destroy(search);
    }
    assert_true(0.0 < skins[0] && skins[0] < skins[1]);
    assert_true(skins[2] == 0.0);
}

/* Invalid values are named at once even where the update would not have looked at them, and the
 * search goes on afterwards. */
static void invalid_values_are_named(void **state)
{
    (void)state;
    enum { N = 20, AT = 13 };
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e151, -2e200};
    double lower[2 * N], upper[2 * N], r[N];
    for (int periodic = 0; periodic < 2; periodic++)
        for (int boxes = 0; boxes < 2; boxes++)
            for (size_t k = 0; k < 3 * sizeof bad / sizeof *bad; k++) {
                for (int i = 0; i < N; i++) {
                    r[i] = 0.5;
                    lower[2 * i] = i;
                    lower[2 * i + 1] = 0.0;
                    upper[2 * i] = upper[2 * i + 1] = i + 1.0;
                }
                const jo_bodies bodies = boxes ? jo_boxes_interleaved(N, 2, lower, upper)
                                               : jo_spheres_interleaved(N, 2, lower, r);
                const jo_domain domain = {.hi = {20.0, 20.0, 0.0},
                                          .periodic = {periodic, periodic, false}};
                jo_broad *search = following(&bodies, &domain, k % 2 ? 0.25 : -1.0);
                const size_t contacts = jo_broad_contacts(search).count;
                const size_t which = k / 5; /* x, y, or the upper corner or radius */
                double *value = which < 2 ? &lower[2 * AT + which]
                                : boxes   ? &upper[2 * AT]
                                          : &r[AT];
                const double keep = *value;
                jo_error error = {0};
                *value = bad[k % 5];
                assert_int_equal(jo_broad_update(search, &bodies, &error), JO_ERR_DATA);
                assert_non_null(strstr(error.text, "body 13:"));
                assert_int_equal(jo_broad_contacts(search).count, 0);
                *value = keep;
                must(jo_broad_update(search, &bodies, &error), &error);
                assert_int_equal(jo_broad_contacts(search).count, contacts);
                assert_int_equal(jo_broad_begun(search).count, contacts);
                assert_int_equal(jo_broad_ended(search).count, 0);
                jo_broad_destroy(search);
            }
}

/* Another number of bodies between two updates, and a find in between. */
static void starting_anew(void **state)
{
    (void)state;
    double x[] = {0.0, 1.5, 3.0}, y[3] = {0.0}, r[] = {1.0, 1.0, 1.0};
    jo_bodies bodies = jo_spheres(3, 2, x, y, NULL, r);
    jo_error error = {0};
    jo_broad *search = following(&bodies, NULL, 1.0);
    bodies.n = 2;
    assert_int_equal(step(search, &bodies).contacts, 1);
    assert_int_equal(jo_broad_ended(search).count, 1);
    bodies.n = 3;
    x[2] = 3.5;
    must(jo_broad_find(search, &bodies, &error), &error);
    assert_int_equal(jo_broad_contacts(search).count, 2);
    x[2] = 3.6;
    assert_int_equal(step(search, &bodies).contacts, 1);
    assert_int_equal(jo_broad_ended(search).count, 1);
    bodies.n = 0;
    assert_int_equal(step(search, &bodies).contacts, 0);
    assert_int_equal(step(search, &bodies).contacts, 0);
    jo_broad_destroy(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute),
        cmocka_unit_test(the_free_gap_decides_and_not_the_whole_radius),
        cmocka_unit_test(lists_last_as_long_as_they_may),
        cmocka_unit_test(pairs_far_from_changing_are_skipped),
        cmocka_unit_test(crossing_a_periodic_edge_is_no_move),
        cmocka_unit_test(rounding_far_outside_the_box),
        cmocka_unit_test(boxes_as_small_as_rounding),
        cmocka_unit_test(boxes_that_change_size),
        cmocka_unit_test(no_skin_no_list),
        cmocka_unit_test(the_skin_is_tuned),
        cmocka_unit_test(invalid_values_are_named),
        cmocka_unit_test(starting_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
