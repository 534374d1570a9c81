/* test_io_xyz.c — XYZ and extended XYZ: frames, boxes, properties, and what is refused. */
#include "unit/io_cases.h"

#define PROPERTIES "Properties=species:S:1:pos:R:3:radius:R:1"

static void reads_extended(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2\nLattice=\"10 0 0 0 20 0 0 0 30\" pbc=\"T T F\" " PROPERTIES
        "\nA 1 2 3 0.5\nB 4 5 6 0.75\n",
        "2\r\npbc=\"1 1 0\" lattice='10 0 0  0 20 0  0 0 30' " PROPERTIES
        "\r\nA 1 2 3 0.5\r\nB 4 5 6 0.75\r\n\r\n",
        "\n 2 \nLattice={10 0 0 0 20 0 0 0 30} Origin=\"0 0 0\" energy=-3 note=\"a b\" free words "
        "Properties=radius:R:1:id:I:1:pos:R:3:velo:R:3:on:L:1 pbc=\"true TRUE false\""
        "\n0.5 1 1 2 3 0 0 0 T\n0.75 2 4 5 6 0 0 0 F",
        "2\nLattice=\"10,0,0,0,20,0,0,0,30\" pbc=\"T T F\" Properties=pos:R:3:Diameter:R:1\n"
        "1 2 3 1\n4 5 6 1.5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        jo_particles p = parse_good("a.xyz", texts[i], 0, NAN, 0);
        assert_int_equal(p.n, 2);
        assert_int_equal(p.dim, 3);
        expect_particle(&p, 0, 1, 2, 3, 0.5);
        expect_particle(&p, 1, 4, 5, 6, 0.75);
        assert_true(p.has_domain);
        assert_true(p.domain.periodic[0] && p.domain.periodic[1] && !p.domain.periodic[2]);
        assert_true(p.domain.lo[0] == 0 && p.domain.hi[0] == 10 && p.domain.hi[1] == 20 &&
                    p.domain.hi[2] == 30);
        jo_particles_free(&p);
    }
}

static void reads_plain(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1\n\nH 1 2 3\n",
        "1\nwater\n8 1 2 3 0.1 0.2\n",
        "1\n# any\n1 2 3\n",
        "1\npbc=\"F F F\"\n \t H\t1 2 3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        jo_particles p = parse_good("a.xyz", texts[i], 0, 0.25, 0);
        assert_int_equal(p.n, 1);
        expect_particle(&p, 0, 1, 2, 3, 0.25);
        assert_false(p.has_domain);
        jo_particles_free(&p);
    }
    /* By its first bytes alone. */
    jo_particles p = parse_good("unnamed", texts[0], 2, 0.25, 0);
    assert_int_equal(p.dim, 2);
    assert_null(p.z);
    jo_particles_free(&p);
}

static void origin_dimension_and_defaults(void **state)
{
    (void)state;
    jo_particles p = parse_good("a.xyz",
                                "1\nLattice=\"2 0 0 0 3 0 0 0 0\" Origin=\"-1 5 7\" pbc=\"T T F\" "
                                "dim=2 " PROPERTIES "\nA 1 2 9 0.5\n",
                                0, NAN, 0);
    assert_int_equal(p.dim, 2);
    assert_true(p.domain.lo[0] == -1 && p.domain.hi[0] == 1 && p.domain.lo[1] == 5 &&
                p.domain.hi[1] == 8 && !p.domain.periodic[2]);
    jo_particles_free(&p);
    /* Lattice alone means periodic. */
    p = parse_good("a.xyz", "0\nLattice=\"2 0 0 0 3 0 0 0 4\" " PROPERTIES "\n", 0, NAN, 0);
    assert_int_equal(p.n, 0);
    assert_non_null(p.x);
    assert_true(p.domain.periodic[0] && p.domain.periodic[1] && p.domain.periodic[2]);
    jo_particles_free(&p);
    p = parse_good("a.xyz", "0\n\n", 0, NAN, 0);
    assert_int_equal(p.n, 0);
    jo_particles_free(&p);
    /* Two position columns are two dimensions. */
    p = parse_good("a.xyz", "1\nProperties=pos:R:2:radius:R:1\n1 2 3\n", 0, NAN, 0);
    assert_int_equal(p.dim, 2);
    expect_particle(&p, 0, 1, 2, 0, 3);
    jo_particles_free(&p);
}

static void frames(void **state)
{
    (void)state;
    static const char text_of[] =
        "1\n" PROPERTIES "\nA 1 1 1 1\n2\n" PROPERTIES "\nA 2 2 2 2\nA 3 3 3 3\n0\n" PROPERTIES
        "\n1\n" PROPERTIES "\nA 4 4 4 4\n\n";
    static const size_t counts[] = {1, 2, 0, 1};
    static const double first[] = {1, 2, 0, 4};
    for (size_t f = 0; f < 4; f++) {
        jo_particles p = parse_good("a.xyz", text_of, 0, NAN, f);
        assert_int_equal(p.n, counts[f]);
        if (p.n > 0) expect_particle(&p, 0, first[f], first[f], first[f], first[f]);
        jo_particles_free(&p);
    }
    jo_particles p;
    jo_error error;
    jo_read_options options = options_of(0, NAN, 4);
    assert_int_equal(parse_text("a.xyz", text_of, &options, &p, &error), JO_ERR_DATA);
    assert_string_equal(error.text, "a.xyz: frame 4 was asked for, but the file has 4, from 0");
    p = parse_good("a.xyz", text_of, 0, NAN, JO_FRAME_LAST);
    expect_particle(&p, 0, 4, 4, 4, 4);
    jo_particles_free(&p);
    options.frame = 1;
    assert_int_equal(parse_text("a.xyz", "3\n\nA 1 1 1 1\n", &options, &p, &error), JO_ERR_DATA);
    assert_string_equal(error.text, "a.xyz:3: the file ends after 1 of 3 particles");
}

static void refuses(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"", 0, 1, "a.xyz: is empty"},
        {"\n\n", 0, 1, "holds only blank lines"},
        {"2", 0, 1, "a.xyz:1: the file ends here; a comment line"},
        {"x\n", 0, 1, "a.xyz:1: expected the number of particles on a line of its own, found 'x'"},
        {"-3\n\n", 0, 1, "found '-3'"},
        {"2.0\n\n", 0, 1, "found '2.0'"},
        {"1 2 3\n4 5 6\n", 0, NAN, "lines of x y z alone are read as format csv"},
        {"2\n\nA 1 2 3\n", 0, 1, "a.xyz:3: the file ends after 1 of 2 particles"},
        {"2000000000\n\nA 1 2 3\n", 0, 1, "the file ends after 1 of 2000000000 particles"},
        {"1\n\nA 1 2 3\nA 1 2 3\n", 0, 1,
         "a.xyz:4: expected the number of particles on a line of its own, found 'A 1 2 3'; are "
         "there "
         "more lines than the count before says?"},
        {"1\n\nA 1 2 3\n", 0, NAN, "a comment line without Properties names no radii"},
        {"1\n\nA 1 2\n", 0, 1, "a.xyz:3: 'A' is not a number (column 1, x)"},
        {"1\n\nA 1\n", 0, 1, "a.xyz:3: expected 4 values (other x y z), found 2"},
        {"1\n\n\n", 0, 1, "a.xyz:3: expected 4 values (other x y z), found 0"},
        {"1\n\nA 1 b 3\n", 0, 1, "a.xyz:3: 'b' is not a number (column 3, y)"},
        {"1\n\nA 1 nan 3\n", 0, 1, "a.xyz:3: y is nan"},
        {"1\n" PROPERTIES "\nA 1 2 3\n", 0, NAN,
         "a.xyz:3: expected 5 values (other x y z r), found 4"},
        {"1\n" PROPERTIES "\nA 1 2 3 4 5\n", 0, NAN, "expected 5 values (other x y z r), found 6"},
        {"1\n" PROPERTIES "\nA 1 2 3 -4\n", 0, NAN, "a.xyz:3: r is -4"},
        {"1\nProperties=species:S:1\nA\n", 0, 1, "a.xyz:2: Properties names no column for x"},
        {"1\nProperties=pos:R:3\n1 2 3\n", 0, NAN, "a.xyz:2: Properties names no radii"},
        {"1\nProperties=pos:R\n1 2 3\n", 0, 1, "Properties is 'pos:R'; expected name:type:count"},
        {"1\nProperties=pos:R:x\n1 2 3\n", 0, 1, "expected name:type:count"},
        {"1\nProperties=pos:R:0\n1 2 3\n", 0, 1, "expected name:type:count"},
        {"1\nProperties=pos:R:3:f:R:999\n1 2 3\n", 0, 1, "at most 256 columns"},
        {"1\nProperties=pos:R:3:pos:R:3\n1 2 3 1 2 3\n", 0, 1, "Properties names x 2 times"},
        {"1\nProperties=pos:R:2\n1 2\n", 3, 1, "Properties names no column for z"},
        {"1\nLattice=\"1 0 0\"\nA 1 2 3\n", 0, 1, "a.xyz:2: Lattice is '1 0 0'; expected nine"},
        {"1\nLattice=\"1 0 0 0 1 0 0 0 x\"\nA 1 2 3\n", 0, 1, "expected nine numbers"},
        {"1\nLattice=\"1 0.1 0 0 1 0 0 0 1\"\nA 1 2 3\n", 0, 1, "not along the axes"},
        {"1\nLattice=\"-1 0 0 0 1 0 0 0 1\"\nA 1 2 3\n", 0, 1, "the periodic box on x is [0, -1]"},
        {"1\nLattice=\"1 0 0 0 0 0 0 0 1\"\nA 1 2 3\n", 0, 1, "the periodic box on y is [0, 0]"},
        {"1\nLattice=\"nan 0 0 0 1 0 0 0 1\"\nA 1 2 3\n", 0, 1, "expected nine numbers"},
        {"1\nLattice=\"1 0 0 0 1 0 0 0 1\" Origin=\"1 2\"\nA 1 2 3\n", 0, 1, "Origin is '1 2'"},
        {"1\npbc=\"T T\"\nA 1 2 3\n", 0, 1, "pbc is 'T T'; expected T or F"},
        {"1\npbc=\"T T X\"\nA 1 2 3\n", 0, 1, "pbc is 'T T X'"},
        {"1\npbc=\"F F T\"\nA 1 2 3\n", 0, 1, "no Lattice gives their length"},
    };
    expect_refused("a.xyz", NULL, cases, sizeof cases / sizeof cases[0]);
    jo_particles p;
    jo_error error;
    assert_int_equal(parse_text("a.xyz", "1000000000000000000\n\nA 1 2 3\n", NULL, &p, &error),
                     JO_ERR_LIMIT);
    assert_non_null(strstr(error.text, "a.xyz:1: '1000000000000000000' particles are announced"));
    assert_int_equal(parse_text("a.xyz", "99999999999999999999999999\n\n", NULL, &p, &error),
                     JO_ERR_LIMIT);
}

/* Bare x y z under the name .xyz: only with dimension and radius. */
static void bare_triples(void **state)
{
    (void)state;
    jo_particles p = parse_good("a.xyz", "0.1 0.2 0.3\n1 2 3\n", 3, 0.5, 0);
    assert_int_equal(p.n, 2);
    expect_particle(&p, 1, 1, 2, 3, 0.5);
    jo_particles_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_extended),
        cmocka_unit_test(reads_plain),
        cmocka_unit_test(origin_dimension_and_defaults),
        cmocka_unit_test(frames),
        cmocka_unit_test(refuses),
        cmocka_unit_test(bare_triples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
