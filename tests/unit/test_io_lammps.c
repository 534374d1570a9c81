/* test_io_lammps.c — LAMMPS dump text: columns, boxes, order by id, frames, and what is refused. */
#include <stdio.h>

#include "unit/io_cases.h"

#define HEAD(n) "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n" n "\n"
#define BOX     "ITEM: BOX BOUNDS pp ff pp\n0 10\n-5 5\n1e0 3.0\n"
#define ATOMS   "ITEM: ATOMS id type x y z radius\n"

static void reads(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD("2") BOX ATOMS "1 1 1 2 2 0.5\n2 1 3 4 2.5 1\n",
        HEAD("2") BOX ATOMS "2 1 3 4 2.5 1 \n1 1 1 2 2 0.5 \n",
        "ITEM: UNITS\nsi\nITEM: TIME\n0.5\n" HEAD("2") BOX
        "ITEM: ATOMS diameter z y x id type q\n2 2.5 4 3 77 a b\n1 2 2 1 5 c d",
        HEAD("2") BOX "ITEM: ATOMS id xs ys zs radius\n9 0.3 0.9 0.75 1\n8 0.1 0.7 0.5 0.5\n",
        HEAD("2") BOX "ITEM: ATOMS xu yu zu radius\n1 2 2 0.5\n3 4 2.5 1\n",
        HEAD("2") BOX "ITEM: ATOMS xu x xs yu y ys zsu zu z radius\n"
                      "7 1 7 7 2 7 7 7 2 0.5\n7 3 7 7 4 7 7 7 2.5 1\n",
        "ITEM: TIMESTEP\r\n0\r\nITEM: NUMBER OF ATOMS\r\n2\r\nITEM: BOX BOUNDS xy xz yz pp ff "
        "pp\r\n"
        "0 10 0\r\n-5 5 0.0\r\n1 3 0\r\n" ATOMS "1 1 1 2 2 0.5\r\n2 1 3 4 2.5 1\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        jo_particles p = parse_good(i % 2 ? "a.dump" : "unnamed", texts[i], 0, NAN, 0);
        assert_int_equal(p.n, 2);
        assert_int_equal(p.dim, 3);
        expect_particle(&p, 0, 1, 2, 2, 0.5);
        expect_particle(&p, 1, 3, 4, 2.5, 1);
        assert_true(p.has_domain);
        assert_true(p.domain.periodic[0] && !p.domain.periodic[1] && p.domain.periodic[2]);
        assert_true(p.domain.lo[1] == -5 && p.domain.hi[2] == 3);
        jo_particles_free(&p);
    }
}

static void dimension_radius_and_no_box(void **state)
{
    (void)state;
    jo_particles p = parse_good("a.dump", HEAD("1") BOX ATOMS "1 1 1 2 9 0.5\n", 2, NAN, 0);
    assert_int_equal(p.dim, 2);
    assert_null(p.z);
    assert_false(p.domain.periodic[2]);
    jo_particles_free(&p);
    p = parse_good("a.dump", HEAD("1") "ITEM: ATOMS x y z\n1 2 3\n", 0, 0.25, 0);
    assert_false(p.has_domain);
    expect_particle(&p, 0, 1, 2, 3, 0.25);
    jo_particles_free(&p);
    p = parse_good("a.dump", HEAD("1") "ITEM: BOX BOUNDS\n0 1\n0 1\n0 1\nITEM: ATOMS x y\n1 2\n", 0,
                   0.25, 0);
    assert_int_equal(p.dim, 2);
    assert_false(p.domain.periodic[0]);
    jo_particles_free(&p);
    p = parse_good("a.dump", HEAD("0") BOX ATOMS, 0, NAN, 0);
    assert_int_equal(p.n, 0);
    assert_non_null(p.r);
    jo_particles_free(&p);
}

static void frames(void **state)
{
    (void)state;
    static const char text_of[] = HEAD("1") BOX ATOMS
        "1 1 1 1 1 1\n" HEAD("2") "ITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n" ATOMS
                                  "2 1 3 3 3 3\n1 1 2 2 2 2\n\n";
    for (size_t f = 0; f < 2; f++) {
        jo_particles p = parse_good("a.dump", text_of, 0, NAN, f);
        assert_int_equal(p.n, f + 1);
        expect_particle(&p, 0, (double)f + 1, (double)f + 1, (double)f + 1, (double)f + 1);
        assert_int_equal(p.domain.periodic[0], f == 0);
        jo_particles_free(&p);
    }
    jo_particles p;
    jo_error error;
    const jo_read_options options = options_of(0, NAN, 2);
    assert_int_equal(parse_text("a.dump", text_of, &options, &p, &error), JO_ERR_DATA);
    assert_string_equal(error.text, "a.dump: frame 2 was asked for, but the file has 2, from 0");
    p = parse_good("a.dump", text_of, 0, NAN, JO_FRAME_LAST);
    assert_int_equal(p.n, 2);
    expect_particle(&p, 0, 2, 2, 2, 2);
    assert_false(p.domain.periodic[0]);
    jo_particles_free(&p);
    const jo_read_options last = options_of(0, NAN, JO_FRAME_LAST);
    assert_int_equal(parse_text("a.dump", "ITEM: TIMESTEP\n0\n", &last, &p, &error), JO_ERR_DATA);
    assert_string_equal(error.text, "a.dump: the last frame was asked for, but the file has none");
}

/* Read when asked for, and put in the order of ids with the rest. */
static void orientations(void **state)
{
    (void)state;
    static const char turned[] =
        HEAD("2") BOX "ITEM: ATOMS id quatk x y z radius quatj quati quatw shape\n"
                      "2 0.25 3 4 2.5 1 -0.5 0.75 0.125 3\n1 0 1 2 2 0.5 0 0 1 0\n";
    jo_read_options options = options_of(0, NAN, 0);
    jo_particles p = parse_good("a.dump", turned, 0, NAN, 0);
    assert_null(p.q[0]);
    assert_null(p.shape);
    jo_particles_free(&p);
    jo_error error;
    options.orientations = true;
    assert_int_equal(parse_text("a.dump", turned, &options, &p, &error), JO_OK);
    static const double second[4] = {0.125, 0.75, -0.5, 0.25};
    for (int c = 0; c < 4; c++) {
        assert_true(p.q[c][0] == (c == 0 ? 1.0 : 0.0));
        assert_true(p.q[c][1] == second[c]);
    }
    assert_true(p.shape[0] == 0.0 && p.shape[1] == 3.0);
    expect_particle(&p, 1, 3, 4, 2.5, 1);
    jo_particles_free(&p);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {HEAD("1") BOX "ITEM: ATOMS x y z radius quatw quati\n1 1 1 1 1 0\n",
         "a.dump:9: ATOMS names some of quatw, quati, quatj, quatk; an orientation is all four"},
        {HEAD("1") BOX
         "ITEM: ATOMS x y z radius quatw quati quatj quatk shape\n1 1 1 1 1 0 0 0 0.5\n",
         "a.dump:10: shape is 0.5; shapes are whole numbers, 0 for a sphere"},
    };
    for (int k = 0; k < 2; k++) {
        assert_int_equal(parse_text("a.dump", bad[k].text, &options, &p, &error), JO_ERR_DATA);
        assert_string_equal(error.text, bad[k].says);
    }
    /* A shape without an orientation is any column. */
    assert_int_equal(parse_text("a.dump",
                                HEAD("1") BOX "ITEM: ATOMS x y z radius shape\n1 1 1 1 a\n",
                                &options, &p, &error),
                     JO_OK);
    assert_null(p.shape);
    jo_particles_free(&p);
}

/* Many atoms with scattered ids: the order in the file must not matter. */
static void order_by_id(void **state)
{
    (void)state;
    enum { N = 5000 };
    char *data = malloc(N * 64 + 1000);
    int n = sprintf(data, HEAD("5000") BOX ATOMS);
    for (unsigned i = 0; i < N; i++) {
        const unsigned k = i * 1237u % N; /* 1237 and 5000 share no factor */
        n += sprintf(data + n, "%llu 1 %u %u 2 0.5\n", 70000ULL * k * k + k, k, k);
    }
    jo_particles p = parse_good("a.dump", data, 0, NAN, 0);
    assert_int_equal(p.n, N);
    for (unsigned i = 0; i < N; i++)
        expect_particle(&p, i, i, i, 2, 0.5);
    jo_particles_free(&p);
    free(data);
}

static void refuses(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"", 0, NAN, "a.dump: is empty"},
        {"hello\n", 0, NAN, "a.dump:1: expected a line that starts with ITEM:, found 'hello'"},
        {"ITEM: TIMESTEP\n0\n", 0, NAN, "frame 0 was asked for, but the file has 0"},
        {"ITEM: NUMBER OF ATOMS\n", 0, NAN, "a.dump:1: the file ends here; expected the number"},
        {"ITEM: NUMBER OF ATOMS\nmany\n", 0, NAN, "a.dump:2: expected the number of atoms, found"},
        {"ITEM: NUMBER OF ATOMS\n1\nx\n", 0, NAN,
         "a.dump:3: expected a line that starts with ITEM:"},
        {ATOMS "1 1 1 1 1 1\n", 0, NAN, "a.dump:1: ATOMS comes before any ITEM: NUMBER OF ATOMS"},
        {HEAD("2") ATOMS "1 1 1 1 1 1\n", 0, NAN, "a.dump:6: the file ends after 1 of 2 atoms"},
        {HEAD("1") ATOMS "1 1 1 1 1 1\n2 1 1 1 1 1\n", 0, NAN,
         "a.dump:7: expected ITEM: or the end of the file after 1 atoms, found '2 1 1 1 1 1'"},
        {HEAD("1") ATOMS "1 1 1 1 1\n", 0, NAN,
         "a.dump:6: expected 6 values (id other x y z r), found 5"},
        {HEAD("1") ATOMS "1 1 1 b 1 1\n", 0, NAN, "a.dump:6: 'b' is not a number (column 4, y)"},
        {HEAD("1") ATOMS "1.5 1 1 1 1 1\n", 0, NAN, "a.dump:6: id is 1.5; ids are whole numbers"},
        {HEAD("1") ATOMS "-1 1 1 1 1 1\n", 0, NAN, "id is -1"},
        {HEAD("1") ATOMS "1 1 inf 1 1 1\n", 0, NAN, "a.dump:6: x is inf"},
        {HEAD("1") ATOMS "1 1 1 1 1 -1\n", 0, NAN, "a.dump:6: r is -1"},
        {HEAD("3") ATOMS "4 1 1 1 1 1\n2 1 1 1 1 1\n4 1 1 1 1 1\n", 0, NAN,
         "a.dump:8: id 4 was already on line 6"},
        {HEAD("1") "ITEM: ATOMS id y z radius\n1 1 1 1\n", 0, NAN, "ATOMS names no column for x"},
        {HEAD("1") "ITEM: ATOMS id x y z\n1 1 1 1\n", 0, NAN,
         "a.dump:5: ATOMS names no radii, and no radius for all was given; a column radius or"},
        {HEAD("1") "ITEM: ATOMS xs ys zs\n1 1 1\n", 0, 1, "positions are scaled (xs), but no BOX"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n0 1e150\n0 1\n0 1\nITEM: ATOMS xs ys zs\n1e9 1 1\n",
         0, 1, "a.dump:10: x is 1e+159; coordinates must be finite"},
        {HEAD("1") "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 1 0.5\n0 1 0\n0 1 0\n", 0, 1,
         "a.dump:6: the box is triclinic (tilt 0.5)"},
        {HEAD("1") "ITEM: BOX BOUNDS abc origin pp pp pp\n", 0, 1,
         "the box is triclinic (abc origin)"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n0 1\n0\n0 1\n", 0, 1,
         "a.dump:7: expected the bounds of the box on y, lo hi with lo <= hi, found '0'"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n0 1 2\n0 1\n0 1\n", 0, 1, "bounds of the box on x"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n5 1\n0 1\n0 1\n", 0, 1, "found '5 1'"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\nnan 1\n0 1\n0 1\n", 0, 1, "found 'nan 1'"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n0 1\n", 0, 1,
         "expected the bounds of the box, lo hi"},
        {HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n0 1\n2 2\n0 1\n" ATOMS "1 1 1 1 1 1\n", 0, 1,
         "the periodic box on y is [2, 2]"},
    };
    expect_refused("a.dump", NULL, cases, sizeof cases / sizeof cases[0]);
    jo_particles p;
    jo_error error;
    assert_int_equal(parse_text("a.dump", HEAD("99999999999") ATOMS, NULL, &p, &error),
                     JO_ERR_LIMIT);
    assert_non_null(strstr(error.text, "a.dump:4: '99999999999' atoms are announced"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),   cmocka_unit_test(dimension_radius_and_no_box),
        cmocka_unit_test(frames),  cmocka_unit_test(order_by_id),
        cmocka_unit_test(refuses), cmocka_unit_test(orientations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
