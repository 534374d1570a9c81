/* test_generate.c — the generators: same bits for ever, boxes from closed forms, contacts as
 * geometry expects them, packings without overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "generate.h"

static jo_particles made(const scene_def *def)
{
    jo_particles p;
    jo_error error = {0};
    if (scene_generate(def, &p, &error) != JO_OK) fail_msg("%s", error.text);
    return p;
}

static jo_particles made_by_name(const char *name, size_t n)
{
    scene_def def;
    assert_true(scene_by_name(name, n, &def));
    return made(&def);
}

static const double *axis(const jo_particles *p, int a)
{
    return a == 0 ? p->x : a == 1 ? p->y : p->z;
}

static size_t contacts_of(const jo_particles *p)
{
    jo_broad_def def = jo_broad_def_default();
    jo_broad *search;
    def.method = "brute";
    def.domain = p->domain;
    assert_int_equal(jo_broad_create(&def, &search, NULL), JO_OK);
    const jo_bodies bodies = jo_particles_view(p);
    assert_int_equal(jo_broad_find(search, &bodies, NULL), JO_OK);
    const size_t count = jo_broad_contacts(search).count;
    jo_broad_destroy(search);
    return count;
}

/* FNV-1a over the bits of all coordinates and radii. */
static uint64_t bits_of(const jo_particles *p)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < p->n; i++) {
        const double v[4] = {p->x[i], p->y[i], p->dim == 3 ? p->z[i] : 0.0, p->r[i]};
        for (int k = 0; k < 4; k++) {
            uint64_t word;
            memcpy(&word, &v[k], sizeof word);
            for (int byte = 0; byte < 8; byte++)
                hash = (hash ^ (word >> 8 * byte & 0xff)) * 0x100000001b3u;
        }
    }
    return hash;
}

/* ---- determinism */

static void random_numbers_are_fixed_and_uniform(void **state)
{
    (void)state;
    assert_true(scene_random(1, 0, 0) == 0x1.631405e8db1bp-1);
    double sum = 0.0, square = 0.0, product = 0.0;
    enum { N = 100000 };
    for (uint64_t k = 0; k < N; k++) {
        const double u = scene_random(7, 2, k);
        assert_true(u >= 0.0 && u < 1.0);
        sum += u;
        square += u * u;
        product += u * scene_random(7, 3, k); /* another stream: independent */
    }
    assert_true(fabs(sum / N - 0.5) < 4.0 * sqrt(1.0 / 12 / N));
    assert_true(fabs(square / N - 1.0 / 3) < 4.0 * sqrt(4.0 / 45 / N));
    assert_true(fabs(product / N - 0.25) < 4.0 * sqrt(7.0 / 144 / N));
}

static void every_workload_has_its_bits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t bits;
    } fixed[] = {
        {"A2", 0xC3C3FC3976ED8F72u},          {"B2", 0x2F1C1188F3319E09u},
        {"C2", 0x1B80E4EF3C7BFC35u},          {"A3", 0x5A030343820D8A1Fu},
        {"B3", 0x51377C947F3F9A24u},          {"C3", 0xF914DD333F7A02E4u},
        {"P2", 0x514AE0B42A2384E1u},          {"P3", 0xA2A63EF843B22273u},
        {"D2", 0xF8029018895C7A47u},          {"D3", 0x0F2A4B9843DA7367u},
        {"L2", 0xA775FA8EFC7A5C88u},          {"L3", 0x3241C3B10CAFFA51u},
        {"L2-10", 0x70C1E579676C227Au},       {"L3-10", 0x1FAF1CFF9404699Du},
        {"L2-1000", 0xA11AB31F4A46C31Du},     {"L3-1000", 0xFF269F8A12CD0B80u},
        {"L3-10000", 0x0B5C8DFC82CE92EBu},    {"M2", 0xC63C4E33C3FE85F2u},
        {"M3", 0xB83E2B39CC134F63u},          {"M2-many", 0xC26E6BFABC40EBB1u},
        {"M3-many", 0x68C3F10FE9B02025u},     {"M2-periodic", 0xC63C4E33C3FE85F2u},
        {"M3-periodic", 0xB83E2B39CC134F63u}, {"gas2", 0xE89E29E1033E74F8u},
        {"gas", 0x8C2773EB98A22632u},         {"big1-2", 0xAF8369F46579A6ADu},
        {"big1", 0x86A518D7AD91A002u},        {"bimodal2", 0x41DEB47F8B39A680u},
        {"bimodal", 0xD7B2D74CD949C454u},     {"clusters2", 0x5250123C0C22BDE1u},
        {"clusters", 0xA35B639B513AC356u},    {"clusters-mixed", 0xAAD8134A8AF56F96u},
        {"outlier2", 0x76339F9CD253D127u},    {"outlier", 0x94CB23A75DE16EFAu},
        {"line2", 0x85108BE1BE8C3559u},       {"line", 0xBEE125BC98B9F934u},
        {"plane", 0xAB13A746A04FA37Fu},       {"shell2", 0x472397DD0F5B8C7Eu},
        {"shell", 0x75C8DBF0EB6E8350u},       {"lattice2", 0xC8AE8C878F3A70ADu},
        {"lattice", 0xD0D83A8A04B5591Du},     {"hex", 0x126A1920042AC5D0u},
        {"fcc", 0x7C99B57AE3F0BC41u},         {"packing2", 0x39CC45B23C07ECB4u},
        {"packing", 0xF2CE98967FB9E0ACu},     {"packing-mixed", 0x06D5D3485385CAD8u},
    };
    size_t listed = 0;
    while (scene_name(listed) != NULL)
        listed++;
    assert_int_equal(listed, sizeof fixed / sizeof *fixed);
    for (size_t k = 0; k < listed; k++) {
        assert_string_equal(scene_name(k), fixed[k].name);
        jo_particles p = made_by_name(fixed[k].name, 300);
        if (bits_of(&p) != fixed[k].bits)
            fail_msg("{\"%s\", 0x%016llXu},", fixed[k].name, (unsigned long long)bits_of(&p));
        jo_particles_free(&p);
    }
}

static void seeds_and_lengths(void **state)
{
    (void)state;
    scene_def def = scene_def_default();
    jo_particles a = made(&def);
    def.n = 500;
    jo_particles shorter = made(&def);
    assert_memory_equal(a.r, shorter.r, 500 * sizeof *a.r); /* sizes do not depend on n */
    def.n = 1000;
    def.seed = 2;
    jo_particles other = made(&def);
    assert_true(bits_of(&a) != bits_of(&other));
    jo_particles_free(&a);
    jo_particles_free(&shorter);
    jo_particles_free(&other);
}

/* ---- every named workload */

static void workloads_are_valid_at_any_number(void **state)
{
    (void)state;
    static const size_t numbers[] = {0, 1, 2, 3, 257, 1000};
    for (size_t k = 0; scene_name(k) != NULL; k++) {
        assert_true(strlen(scene_summary(k)) > 10);
        for (size_t m = 0; m < sizeof numbers / sizeof *numbers; m++) {
            scene_def def;
            assert_true(scene_by_name(scene_name(k), numbers[m], &def));
            /* Two or three spheres cannot be dense among their own images. */
            if (def.layout == SCENE_PACKING && (numbers[m] == 2 || numbers[m] == 3)) continue;
            jo_particles p = made(&def);
            assert_int_equal(p.n, numbers[m]);
            assert_int_equal(p.dim, def.dim);
            assert_true(p.has_domain);
            assert_true((p.z != NULL) == (p.dim == 3));
            const jo_bodies bodies = jo_particles_view(&p);
            assert_int_equal(jo_bodies_check(&bodies, &p.domain, NULL), JO_OK);
            for (size_t i = 0; i < p.n; i++) {
                const double least = def.sizes == SCENE_EQUAL ? def.d_max : def.d_min;
                assert_true(2 * p.r[i] >= least * (1 - 1e-15));
                assert_true(2 * p.r[i] <= def.d_max * (1 + 1e-15));
                for (int a = 0; a < p.dim && (def.outlier == 0.0 || i + 1 < p.n); a++)
                    assert_true(axis(&p, a)[i] >= 0.0 && axis(&p, a)[i] <= p.domain.hi[a]);
            }
            jo_particles_free(&p);
        }
    }
    assert_null(scene_summary(1000));
    scene_def def;
    assert_false(scene_by_name("Z9", 10, &def));
}

/* ---- boxes */

static void the_tests_of_paper_1(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double contacts, printed; /* to half of the last digit */
    } paper[] = {{"A2", 0.900, 5e-4}, {"B2", 0.198, 5e-4},  {"C2", 0.0260, 5e-5},
                 {"A3", 0.933, 5e-4}, {"B3", 0.0980, 5e-5}, {"C3", 0.00483, 5e-6}};
    enum { N = 3000, SEEDS = 5 };
    for (size_t k = 0; k < sizeof paper / sizeof *paper; k++) {
        scene_def def;
        assert_true(scene_by_name(paper[k].name, N, &def));
        for (int a = 0; a < 3; a++)
            def.periodic[a] = true; /* no edge effects */
        double count = 0.0;
        for (def.seed = 1; def.seed <= SEEDS; def.seed++) {
            jo_particles p = made(&def);
            const double expected = scene_expected_contacts(&def, p.domain.hi[0]);
            assert_true(fabs(expected - paper[k].contacts) < paper[k].printed);
            assert_true(fabs(pow(p.domain.hi[0], def.dim) * def.density / N - 1) < 1e-12);
            count += (double)contacts_of(&p);
            jo_particles_free(&p);
        }
        /* Contacts of independent centres are pairwise independent: the variance is the mean. The
         * sizes vary too, by a fraction of 1/sqrt(N SEEDS) of order one. */
        const double mean = paper[k].contacts * N * SEEDS;
        assert_true(fabs(count - mean) < 4 * sqrt(mean) + 2 * mean / sqrt(N * SEEDS));
    }
}

static void boxes_give_the_contacts_asked_for(void **state)
{
    (void)state;
    static const char *const names[] = {"L2", "L3",      "L3-10", "L2-1000", "M2",
                                        "M3", "M3-many", "P3",    "bimodal2"};
    enum { N = 2500, SEEDS = 4 };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        scene_def def;
        assert_true(scene_by_name(names[k], N, &def));
        for (int a = 0; a < 3; a++)
            def.periodic[a] = true;
        double count = 0.0;
        for (def.seed = 1; def.seed <= SEEDS; def.seed++) {
            jo_particles p = made(&def);
            assert_true(fabs(scene_expected_contacts(&def, p.domain.hi[0]) / def.contacts - 1) <
                        1e-12);
            count += (double)contacts_of(&p);
            jo_particles_free(&p);
        }
        const double mean = def.contacts * (N - 1) * SEEDS;
        /* Few large bodies make many contacts: the spread of sizes dominates. */
        const double spread = def.sizes == SCENE_EQUAL ? 0.0 : 10.0;
        if (!(fabs(count - mean) < 4 * sqrt(mean) + spread * mean / sqrt(N * SEEDS)))
            fail_msg("%s: %g contacts, %g expected", names[k], count, mean);
    }
}

static void boxes_give_the_fraction_asked_for(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int sizes = SCENE_EQUAL; sizes <= SCENE_GIANT; sizes++) {
            scene_def def = {.layout = SCENE_RANDOM,
                             .sizes = (scene_sizes)sizes,
                             .dim = dim,
                             .n = 700,
                             .seed = 3,
                             .d_min = 0.1,
                             .d_max = 0.7,
                             .big_fraction = 0.1,
                             .fraction = 0.3};
            jo_particles p = made(&def);
            double solid = 0.0;
            for (size_t i = 0; i < p.n; i++)
                solid += dim == 2 ? acos(-1) * p.r[i] * p.r[i]
                                  : 4 * acos(-1) / 3 * p.r[i] * p.r[i] * p.r[i];
            assert_true(fabs(solid / pow(p.domain.hi[0], dim) - 0.3) < 1e-12);
            jo_particles_free(&p);
        }
    scene_def def = scene_def_default();
    def.edge = 12.5; /* comes before density */
    jo_particles p = made(&def);
    assert_true(p.domain.hi[0] == 12.5 && p.domain.hi[2] == 12.5);
    jo_particles_free(&p);
}

static void surfaces_and_lines(void **state)
{
    (void)state;
    /* Contacts per body in the dimension of the line or surface; the layer is one diameter thick,
     * so it has fewer than a plane. */
    static const struct {
        const char *name;
        double low, high;
    } cases[] = {{"line", 0.9, 1.1},     {"line2", 0.9, 1.1}, {"shell", 0.9, 1.1},
                 {"shell2", 0.9, 1.1},   {"plane", 1.4, 2.0}, {"clusters", 1.4, 2.2},
                 {"clusters2", 1.6, 2.4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jo_particles p = made_by_name(cases[k].name, 4000);
        const double each = (double)contacts_of(&p) / 4000;
        if (each < cases[k].low || each > cases[k].high)
            fail_msg("%s: %g contacts per body", cases[k].name, each);
        jo_particles_free(&p);
    }
}

/* ---- lattices */

static void lattices_touch_as_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n, per_body; /* n fills the box, which is then made periodic */
    } cases[] = {{"lattice2", 144, 2}, {"lattice", 1000, 3}, {"hex", 200, 3}, {"fcc", 864, 6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scene_def def;
        assert_true(scene_by_name(cases[k].name, cases[k].n, &def));
        for (int a = 0; a < 3; a++)
            def.periodic[a] = true;
        jo_particles p = made(&def);
        assert_int_equal(contacts_of(&p), cases[k].n * cases[k].per_body);
        jo_particles_free(&p);
    }
}

static void jittered_lattices_are_dense(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const size_t n = dim == 2 ? 2 * 40 * 40 : 4 * 10 * 10 * 10; /* fills the box */
        jo_particles p = made_by_name(dim == 2 ? "D2" : "D3", n);
        double solid = 0.0, volume = 1.0;
        for (int a = 0; a < dim; a++)
            volume *= p.domain.hi[a];
        for (size_t i = 0; i < n; i++)
            solid +=
                dim == 2 ? acos(-1) * p.r[i] * p.r[i] : 4 * acos(-1) / 3 * p.r[i] * p.r[i] * p.r[i];
        assert_true(fabs(solid / volume - (dim == 2 ? 0.8 : 0.6)) < 1e-9);
        const double each = (double)contacts_of(&p) / (double)n;
        assert_true(each > 0.8 && each < 2.5);
        jo_particles_free(&p);
    }
}

/* ---- packings */

/* The deepest overlap relative to the sum of radii, over all pairs and nearest images. */
static double deepest_overlap(const jo_particles *p)
{
    double deepest = 0.0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i + 1; j < p->n; j++) {
            double square = 0.0;
            for (int a = 0; a < p->dim; a++) {
                double d = axis(p, a)[i] - axis(p, a)[j];
                if (p->domain.periodic[a]) d = remainder(d, p->domain.hi[a]);
                square += d * d;
            }
            const double reach = p->r[i] + p->r[j];
            deepest = fmax(deepest, (reach - sqrt(square)) / reach);
        }
    return deepest;
}

static void packings_do_not_overlap(void **state)
{
    (void)state;
    static const char *const names[] = {"packing2", "packing", "packing-mixed"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        jo_particles p = made_by_name(names[k], 800);
        assert_true(deepest_overlap(&p) <= 1.001e-3);
        assert_true(contacts_of(&p) > 400); /* dense: they do touch */
        jo_particles_free(&p);
    }
    scene_def walls; /* without periods spheres stay between walls */
    assert_true(scene_by_name("packing", 500, &walls));
    walls.fraction = 0.5;
    for (int a = 0; a < 3; a++)
        walls.periodic[a] = false;
    jo_particles p = made(&walls);
    /* Those that leaned into a wall are put back at the end, which may double an overlap. */
    assert_true(deepest_overlap(&p) <= 4e-3);
    for (size_t i = 0; i < p.n; i++)
        for (int a = 0; a < 3; a++) {
            assert_true(axis(&p, a)[i] >= p.r[i]);
            assert_true(axis(&p, a)[i] <= p.domain.hi[a] - p.r[i]);
        }
    jo_particles_free(&p);
}

static void packings_have_a_limit(void **state)
{
    (void)state;
    scene_def def;
    assert_true(scene_by_name("packing", 40, &def));
    def.fraction = 0.9;
    jo_particles p;
    jo_error error = {0};
    assert_int_equal(scene_generate(&def, &p, &error), JO_ERR_LIMIT);
    assert_non_null(strstr(error.text, "lower solid fraction"));
    assert_null(p.x); /* nothing is left behind */
    assert_int_equal(p.n, 0);
}

/* ---- errors and motion */

static void bad_definitions_are_explained_at_once(void **state)
{
    (void)state;
    jo_particles p;
    jo_error error = {0};
    scene_def def = scene_def_default();
    assert_int_equal(scene_check(&def, &error), JO_OK);
    def.dim = 4;
    def.d_max = -1;
    def.density = 0;
    assert_int_equal(scene_generate(&def, &p, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "2 or 3"));
    assert_non_null(strstr(error.text, "d_max"));
    assert_non_null(strstr(error.text, "the box is not given"));
    assert_null(p.x);

    def = scene_def_default();
    def.sizes = SCENE_LOG_UNIFORM;
    def.d_min = 0;
    assert_int_equal(scene_check(&def, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "log-uniform"));
    def = scene_def_default();
    def.density = NAN;
    assert_int_equal(scene_check(&def, NULL), JO_ERR_ARGUMENT);
    def = scene_def_default();
    def.d_min = 0.2; /* above d_max */
    assert_int_equal(scene_check(&def, NULL), JO_ERR_ARGUMENT);
    def = scene_def_default();
    def.n = JO_BODIES_MAX + 1;
    assert_int_equal(scene_check(&def, NULL), JO_ERR_LIMIT);
    def = scene_def_default();
    def.sizes = SCENE_BIMODAL;
    def.big_fraction = 1.5;
    assert_int_equal(scene_check(&def, NULL), JO_ERR_ARGUMENT);
    def = scene_def_default();
    def.layout = SCENE_JITTERED; /* with a density only */
    assert_int_equal(scene_check(&def, NULL), JO_ERR_ARGUMENT);
}

static void moves_have_the_length_asked_for(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int persistent = 0; persistent <= 1; persistent++) {
            const char *name = dim == 2 ? "A2" : "A3";
            jo_particles from = made_by_name(name, 500), once = made_by_name(name, 500),
                         twice = made_by_name(name, 500);
            scene_move(&once, 0.01, 5, 0, persistent);
            scene_move(&twice, 0.01, 5, 0, persistent);
            scene_move(&twice, 0.01, 5, 1, persistent);
            double mean[3] = {0}, straight = 0.0;
            for (size_t i = 0; i < 500; i++) {
                double first = 0.0, both = 0.0;
                for (int a = 0; a < dim; a++) {
                    const double d = axis(&once, a)[i] - axis(&from, a)[i];
                    const double e = axis(&twice, a)[i] - axis(&from, a)[i];
                    first += d * d;
                    both += e * e;
                    mean[a] += d / 0.01 / 500;
                }
                assert_true(fabs(sqrt(first) - 0.01) < 1e-12);
                assert_true(memcmp(&from.r[i], &once.r[i], sizeof(double)) == 0);
                straight += sqrt(both) / 0.02 / 500;
            }
            for (int a = 0; a < dim; a++)
                assert_true(fabs(mean[a]) <
                            4 * sqrt(1.0 / dim / 500)); /* no direction is favoured */
            assert_true(persistent ? fabs(straight - 1) < 1e-9 : straight < 0.8);
            jo_particles_free(&from);
            jo_particles_free(&once);
            jo_particles_free(&twice);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_fixed_and_uniform),
        cmocka_unit_test(every_workload_has_its_bits),
        cmocka_unit_test(seeds_and_lengths),
        cmocka_unit_test(workloads_are_valid_at_any_number),
        cmocka_unit_test(the_tests_of_paper_1),
        cmocka_unit_test(boxes_give_the_contacts_asked_for),
        cmocka_unit_test(boxes_give_the_fraction_asked_for),
        cmocka_unit_test(surfaces_and_lines),
        cmocka_unit_test(lattices_touch_as_they_should),
        cmocka_unit_test(jittered_lattices_are_dense),
        cmocka_unit_test(packings_do_not_overlap),
        cmocka_unit_test(packings_have_a_limit),
        cmocka_unit_test(bad_definitions_are_explained_at_once),
        cmocka_unit_test(moves_have_the_length_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
