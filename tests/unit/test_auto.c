/* test_auto.c — the method that chooses: what it takes for which bodies, what it says about it, and
 * when it changes its mind. */
#include "unit/classic_systems.h"

enum { MANY = 4000 };
static double xs[3][MANY], rs[MANY];

/* n spheres in a cube, about one contact each; with sizes 1 : ratio, as many of each octave. */
static jo_bodies spheres(size_t n, int dim, double ratio)
{
    uint64_t u = n + 1;
    const double r = 0.5 * pow((double)n, -1.0 / dim);
    for (size_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++)
            xs[a][i] = uniform(&u);
        rs[i] = r * pow(ratio, -uniform(&u));
    }
    return jo_spheres(n, dim, xs[0], xs[1], xs[2], rs);
}

/* One large sphere to a hundred small ones. */
static jo_bodies mixture(double ratio)
{
    const jo_bodies bodies = spheres(MANY, 3, 1.0);
    for (size_t i = 0; i < MANY; i++)
        rs[i] = i % 100 == 0 ? 0.1 : 0.1 / ratio;
    return bodies;
}

static void move_all(size_t n, double pace, uint64_t seed)
{
    uint64_t u = seed;
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++)
            xs[a][i] += pace * (2.0 * uniform(&u) - 1.0);
}

static void says(const jo_broad *search, const char *part)
{
    const char *why = jo_broad_why(search);
    if (strstr(why, part) == NULL) fail_msg("\"%s\" does not say \"%s\"", why, part);
}

static void uses(const jo_broad *search, const char *method)
{
    assert_string_equal(jo_broad_statistics(search).method, method);
    char start[32];
    snprintf(start, sizeof start, "%s: ", method);
    if (strncmp(jo_broad_why(search), start, strlen(start)) != 0)
        fail_msg("\"%s\" does not begin with %s", jo_broad_why(search), start);
}

static void check_contacts(const jo_broad *search, const jo_bodies *bodies)
{
    jo_error error = {0};
    jo_broad *brute = search_create(method_def("brute"));
    must(jo_broad_find(brute, bodies, &error), &error);
    assert_same_pairs(jo_broad_contacts(search), jo_broad_contacts(brute), "auto", bodies->n);
    jo_broad_destroy(brute);
}

static void find(jo_broad *search, const jo_bodies *bodies)
{
    jo_error error = {0};
    must(jo_broad_find(search, bodies, &error), &error);
    check_contacts(search, bodies);
}

static void update(jo_broad *search, const jo_bodies *bodies)
{
    jo_error error = {0};
    must(jo_broad_update(search, bodies, &error), &error);
    check_contacts(search, bodies);
}

static void same_as_brute(void **state)
{
    (void)state;
    jo_broad_def def = method_def("auto");
    compare_with_brute(def, 200, 25);
    compare_extremes(def);
    def.skin = 0.05;
    compare_with_brute(def, 50, 10);
}

static void choices_from_scratch(void **state)
{
    (void)state;
    jo_broad *search = search_create(method_def("auto"));
    says(search, "nothing has been searched yet");

    jo_bodies bodies = spheres(12, 3, 2.0);
    find(search, &bodies);
    uses(search, "brute");
    says(search, "12 spheres");

    bodies = spheres(MANY, 3, 1.5);
    find(search, &bodies);
    uses(search, "grid");
    says(search, "4000 spheres, sizes 1:1.5: one grid");
    assert_int_equal(jo_broad_statistics(search).switches, 1);

    bodies = spheres(MANY, 2, 1.0);
    find(search, &bodies);
    uses(search, "grid");
    says(search, "4000 discs, sizes 1:1:");
    assert_int_equal(jo_broad_statistics(search).switches, 1);

    bodies = mixture(300.0);
    find(search, &bodies);
    uses(search, "hgrid");
    says(search, "levels by size");
    assert_int_equal(jo_broad_statistics(search).switches, 2);

    rs[5] = 0.0;
    find(search, &bodies);
    says(search, "some of size zero");

    bodies = spheres(0, 2, 1.0);
    find(search, &bodies);
    uses(search, "brute");
    jo_broad_destroy(search);
}

/* What it predicts for levels is less than for one grid, or it would not take them. */
static void levels_only_where_they_pay(void **state)
{
    (void)state;
    jo_broad *search = search_create(method_def("auto"));
    int divided = 0;
    for (double ratio = 1.0; ratio < 1e5; ratio *= 4.0) {
        const jo_bodies bodies = mixture(ratio);
        find(search, &bodies);
        double levels, one;
        int count;
        const char *sizes = strstr(jo_broad_why(search), "sizes 1:");
        assert_non_null(sizes);
        if (sscanf(sizes,
                   "sizes 1:%*f: %d levels by size are predicted to take %lf ns a body, against "
                   "%lf in one",
                   &count, &levels, &one) != 3) {
            says(search, "would not pay");
            continue;
        }
        divided++;
        assert_true(count >= 2 && levels <= one);
    }
    assert_true(divided >= 3 && divided < 9); /* of 9 */
    jo_broad_destroy(search);
}

static void slow_bodies_are_followed(void **state)
{
    (void)state;
    const jo_bodies bodies = spheres(MANY, 3, 1.5);
    jo_broad *search = search_create(method_def("auto"));
    find(search, &bodies);
    uses(search, "grid");
    move_all(MANY, 1e-5, 1);
    update(search, &bodies); /* the first update sees how fast they move, and makes the list */
    uses(search, "verlet");
    for (uint64_t t = 0; t < 10; t++) {
        move_all(MANY, 1e-5, t);
        update(search, &bodies);
    }
    uses(search, "verlet");
    says(search, "slowly enough");
    const jo_broad_stats s = jo_broad_statistics(search);
    assert_true(s.skin > 0.0 && s.switches == 1 && s.rebuilds < 6);
    find(search, &bodies); /* from scratch is from scratch */
    uses(search, "grid");
    jo_broad_destroy(search);
}

/* Counts updates until lists are tried again; the search must be resting. */
static unsigned rest_of(jo_broad *search, const jo_bodies *bodies)
{
    unsigned updates = 0;
    for (; updates < 300; updates++) {
        move_all(bodies->n, 0.3, updates + 1);
        jo_error error = {0};
        must(jo_broad_update(search, bodies, &error), &error);
        if (strcmp(jo_broad_statistics(search).method, "grid") != 0) break;
    }
    return updates;
}

/* Bodies that fly about are searched from scratch, and tried again ever more rarely; when they have
 * calmed down they are followed. */
static void fast_bodies_are_not(void **state)
{
    (void)state;
    const jo_bodies bodies = spheres(500, 3, 1.2);
    jo_broad *search = search_create(method_def("auto"));
    for (uint64_t t = 0; t < 3; t++) {
        move_all(500, 0.3, t);
        update(search, &bodies);
    }
    /* An update to see the motion, then the first rest, and another look. */
    assert_true(rest_of(search, &bodies) < 20);
    uses(search, "verlet");
    says(search, "too fast for lists; the next 32 updates are from scratch");
    for (uint64_t t = 0; t < 33; t++) { /* the last of them leaves word where bodies are */
        move_all(500, 0.3, t);
        update(search, &bodies);
        uses(search, "grid");
    }
    update(search, &bodies); /* at rest at last */
    uses(search, "verlet");
    says(search, "slowly enough");
    move_all(500, 0.3, 78);
    update(search, &bodies);
    says(search, "the next 16 updates"); /* calm was seen: patience starts anew */
    jo_broad_destroy(search);
}

/* With a skin given there is nothing to tune and nothing to give up. */
static void a_given_skin_is_kept(void **state)
{
    (void)state;
    const jo_bodies bodies = spheres(500, 3, 1.2);
    jo_broad_def def = method_def("auto");
    def.skin = 0.01;
    jo_broad *search = search_create(def);
    for (uint64_t t = 0; t < 30; t++) {
        move_all(500, 0.3, t);
        update(search, &bodies);
    }
    uses(search, "verlet");
    assert_true(jo_broad_statistics(search).skin == 0.01);
    jo_broad_destroy(search);
}

/* The number of bodies, and with it the method, may change at any update; an invalid one is named
 * and forgotten. */
static void changes_during_a_run(void **state)
{
    (void)state;
    jo_error error = {0};
    jo_broad *search = search_create(method_def("auto"));
    static const size_t numbers[] = {500, 20, 0, 41, 40, 500, 3};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const jo_bodies bodies = spheres(numbers[k], 2, 3.0);
        for (uint64_t t = 0; t < 4; t++) {
            update(search, &bodies);
            move_all(bodies.n, 1e-4, t);
        }
        uses(search, bodies.n > 40 ? "verlet" : "brute");
        if (bodies.n == 0) continue;
        const double keep = xs[1][2];
        xs[1][2] = NAN;
        assert_int_equal(jo_broad_update(search, &bodies, &error), JO_ERR_DATA);
        assert_non_null(strstr(error.text, "body 2: y is nan"));
        xs[1][2] = keep;
        update(search, &bodies);
        assert_int_equal(jo_broad_begun(search).count, jo_broad_contacts(search).count);
    }
    /* grid, verlet and, after the error, grid again for 500, 41 and 500; brute after each of
     * them. */
    assert_int_equal(jo_broad_statistics(search).switches, 11);
    jo_broad_destroy(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute),
        cmocka_unit_test(choices_from_scratch),
        cmocka_unit_test(levels_only_where_they_pay),
        cmocka_unit_test(slow_bodies_are_followed),
        cmocka_unit_test(fast_bodies_are_not),
        cmocka_unit_test(a_given_skin_is_kept),
        cmocka_unit_test(changes_during_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
