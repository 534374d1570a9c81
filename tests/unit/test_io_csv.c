/* test_io_csv.c — the csv reader and writer: every accepted way of writing, every refused one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/io_cases.h"

/* Texts that all mean (1, 2, 0.5), (3, 4.25, 1). */
static void accepts_discs(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1,2,0.5\n3,4.25,1\n",
        "1,2,0.5\n3,4.25,1",
        "1;2;0.5\n3;4.25;1\n",
        "1\t2\t0.5\n3\t4.25\t1\n",
        "  1  2  0.5 \n 3 4.25 1  \n",
        "1, 2, 0.5\r\n3, 4.25, 1\r\n",
        "\xef\xbb\xbfx,y,r\n1,2,.5\n3,4.25,1.\n",
        "# discs\n\nx,y,r\n\n1,2,0.5 # the first\n# between\n3,4.25,1\n\n\n",
        "R,X,Y\n0.5,1,2\n1,3,4.25\n",
        "Radius[m] PosX[m] PosY[m]\r\n 0.5 1 2\r\n 1 3 4.25\r\n",
        "Radius [m] PosX [m] PosY [m]\n0.5 1 2\n1 3 4.25\n",
        "Radius (mm), x (mm), y (mm)\n0.5,1,2\n1,3,4.25\n",
        "x/mm;y/mm;d/mm\n1;2;1\n3;4.25;2\n",
        "x,y,diameter\n1,2,1\n3,4.25,2\n",
        "x,y,r,d\n1,2,0.5,7\n3,4.25,1,7\n",
        "name,x,y,r,mass\nsteel ball,1,2,0.5,\n,3,4.25,1,8.5\n",
        "\"name\",\"x\",\"y\",\"r\"\n\"a, b\",\"1\",2,0.5\n\"c\",3,4.25,\"1\"\n",
        "x,y,r,\n1,2,0.5,\n3,4.25,1,\n",
        "1,2,0.5,\n3,4.25,1,\n",
        "x y r\n1,2,0.5\n3,4.25,1\n",
        "# r x y\n0.5 1 2\n1 3 4.25\n",
        "# two discs by hand, as follows\n1 2 0.5\n3 4.25 1\n",
        "Points:0,Points:1,Points:2,radius\n1,2,9,0.5\n3,4.25,9,1\n",
        "+1,2e0,5E-1\n3.000,0.425e+1,1d0\n",
        "1e0,2.0000000000000000000000000000,0.5\n3,4.25,0.00001e5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        jo_particles p;
        jo_error error = {0};
        jo_read_options options = jo_read_options_default();
        options.dim = 2;
        const jo_status status = parse_text("balls.csv", texts[i], &options, &p, &error);
        if (status != JO_OK) fail_msg("%s: %s", texts[i], error.text);
        assert_int_equal(p.n, 2);
        assert_int_equal(p.dim, 2);
        assert_null(p.z);
        assert_false(p.has_domain);
        if (!(p.x[0] == 1 && p.y[0] == 2 && p.r[0] == 0.5 && p.x[1] == 3 && p.y[1] == 4.25 &&
              p.r[1] == 1))
            fail_msg("text %zu: %g %g %g / %g %g %g", i, p.x[0], p.y[0], p.r[0], p.x[1], p.y[1],
                     p.r[1]);
        jo_particles_free(&p);
    }
}

static void dimension_and_radius(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int dim;
        double radius;
        int dim_got;
        double x, y, z, r;
    } cases[] = {
        {"1 2 3 4\n", 0, NAN, 3, 1, 2, 3, 4},
        {"1 2 3 4\n", 2, NAN, 2, 1, 2, 0, 4},
        {"1 2 3 4\n", 3, 9, 3, 1, 2, 3, 4},
        {"1 2 3\n", 0, NAN, 2, 1, 2, 0, 3},
        {"1 2 3\n", 0, 9, 2, 1, 2, 0, 3},
        {"1 2 3\n", 3, 9, 3, 1, 2, 3, 9},
        {"1 2\n", 0, 9, 2, 1, 2, 0, 9},
        {"x y z\n1 2 3\n", 0, 9, 3, 1, 2, 3, 9},
        {"x y z\n1 2 3\n", 2, 9, 2, 1, 2, 0, 9},
        {"z r y x\n3 4 2 1\n", 0, NAN, 3, 1, 2, 3, 4},
        {"# d x y z\n8 1 2 3\n", 0, NAN, 3, 1, 2, 3, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jo_particles p;
        jo_error error = {0};
        jo_read_options options = jo_read_options_default();
        options.dim = cases[i].dim;
        options.radius = cases[i].radius;
        if (parse_text("balls.csv", cases[i].text, &options, &p, &error) != JO_OK)
            fail_msg("%s", error.text);
        assert_int_equal(p.dim, cases[i].dim_got);
        assert_true(p.x[0] == cases[i].x && p.y[0] == cases[i].y && p.r[0] == cases[i].r);
        if (p.dim == 3)
            assert_true(p.z[0] == cases[i].z);
        else
            assert_null(p.z);
        jo_particles_free(&p);
    }
}

static void header_alone_is_no_particles(void **state)
{
    (void)state;
    jo_particles p;
    jo_error error = {0};
    assert_int_equal(parse_text("balls.csv", "x,y,z,r\n", NULL, &p, &error), JO_OK);
    assert_int_equal(p.n, 0);
    assert_int_equal(p.dim, 3);
    jo_particles_free(&p);
}

static void refuses(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"", 0, NAN, "balls.csv: is empty"},
        {"\n\n  \n", 0, NAN, "holds no particles and no header"},
        {"# nothing\n", 0, NAN, "holds no particles and no header"},
        {"1,2,3,4\n1,2,3\n", 0, NAN, "balls.csv:2: expected 4 values (x y z r), found 3"},
        {"1,2,3,4\n1,2,3,\n", 0, NAN, "balls.csv:2: column 4 (r) is empty"},
        {"1,2,3,4\n1,2,\n", 0, NAN, "balls.csv:2: expected 4 values (x y z r), found 2"},
        {"1,2,3\n1,2,3,4\n", 0, NAN, "balls.csv:2: expected 3 values (x y r), found 4"},
        {"1 2 3\n\n# c\n1 2\n", 0, NAN, "balls.csv:4: expected 3 values (x y r), found 2"},
        {"1,2,3\n1,abc,3\n", 0, NAN, "balls.csv:2: 'abc' is not a number (column 2, y)"},
        {"1,abc,3\n", 0, NAN, "balls.csv:1: 'abc' is not a number (column 2, y)"},
        {"1,2,3\n1,,3\n", 0, NAN, "balls.csv:2: column 2 (y) is empty"},
        {"1,2,3\n1,2 3,3\n", 0, NAN, "'2 3' is not a number"},
        {"1,2,3\n1,2,3x\n", 0, NAN, "'3x' is not a number (column 3, r)"},
        {"1,2,3\n1,2,3e\n", 0, NAN, "'3e' is not a number"},
        {"1,2,3\n1,2,0x10\n", 0, NAN, "'0x10' is not a number"},
        {"1,2,3\n1,-,3\n", 0, NAN, "'-' is not a number"},
        {"1,2,3\n1,.,3\n", 0, NAN, "'.' is not a number"},
        {"1,2,3\n1,1.2.3,3\n", 0, NAN, "'1.2.3' is not a number"},
        {"x;y;r\n1;2,5;3\n", 0, NAN, "'2,5' is not a number (column 2, y); numbers need a decimal"},
        {"1;2;3\n4,5,6\n", 0, NAN, "decimal point, not a comma"},
        {"1,2,nan\n", 0, NAN, "balls.csv:1: r is nan; radii must be finite"},
        {"1,NaN,1\n", 0, NAN, "balls.csv:1: y is nan; coordinates must be finite"},
        {"1,2,1\n-inf,2,1\n", 0, NAN, "balls.csv:2: x is -inf"},
        {"1,Infinity,1\n", 0, NAN, "y is inf"},
        {"1,1e999,1\n", 0, NAN, "y is inf"},
        {"1,1e151,1\n", 0, NAN, "y is 1e+151; coordinates must be finite and at most 1e150"},
        {"1,2,-0.5\n", 0, NAN, "balls.csv:1: r is -0.5; radii must be finite, at least 0"},
        {"x,y,d\n1,2,-3\n", 0, NAN, "balls.csv:2: r is -1.5"},
        {"1\n", 0, NAN, "balls.csv:1: expected 3 values (x y r) or 4 (x y z r), found 1"},
        {"1,2\n", 0, NAN, "found 2; x and y alone need one radius"},
        {"1,2,3,4,5\n", 0, NAN, "found 5; more columns need a header"},
        {"1 2 3\n", 3, NAN, "3 columns without a header are x, y, r; in 3 dimensions"},
        {"x,y,r\n1,2,3\n", 3, NAN, "names no column for z"},
        {"a,b,c\n1,2,3\n", 0, NAN, "balls.csv:1: the header 'a,b,c' names no column for x"},
        {"x,z,r\n1,2,3\n", 0, NAN, "names no column for y"},
        {"x,y\n1,2\n", 0, NAN, "names no radii, and no radius for all was given; a column r or d"},
        {"x,y,x,r\n1,2,3,4\n", 0, NAN, "names x 2 times"},
        {"x,y,r\nx,y,r\n", 0, NAN, "balls.csv:2: 'x' is not a number (column 1, x)"},
        {"x,y,r,q\n1,2,3\n", 0, NAN, "balls.csv:2: expected 4 values (x y r other), found 3"},
        {"\xff\xfex\0y", 0, NAN, "is UTF-16 text"},
        {"\x1f\x8b\x08", 0, NAN, "is compressed"},
        {"1,2,3\r4,5,6\r", 0, NAN, "found 5"},
        {"1,2,\"3\n", 0, NAN, "'\"3' is not a number"},
    };
    expect_refused("balls.csv", NULL, cases, sizeof cases / sizeof cases[0]);
}

static void refuses_bytes(void **state)
{
    (void)state;
    jo_particles p;
    jo_error error;
    static const char with_nul[] = "1,2,3\n1,2\0,3\n";
    assert_int_equal(jo_particles_parse(with_nul, sizeof with_nul - 1, "b.csv", NULL, &p, &error),
                     JO_ERR_DATA);
    assert_non_null(strstr(error.text, "b.csv:2: the line holds a NUL byte"));
    static const char header_nul[] = "x\0,y,r\n1,2,3\n";
    assert_int_equal(
        jo_particles_parse(header_nul, sizeof header_nul - 1, "b.csv", NULL, &p, &error),
        JO_ERR_DATA);
    assert_non_null(strstr(error.text, "b.csv:1: the line holds a NUL byte"));

    const size_t size = (size_t)3 << 20;
    char *line = malloc(size);
    memset(line, '7', size);
    assert_int_equal(jo_particles_parse(line, size, "b.csv", NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "b.csv:1: the line is longer than 1048576 bytes"));
    for (size_t i = 1; i < (1 << 20); i += 2)
        line[i] = ',';
    assert_int_equal(jo_particles_parse(line, 1 << 20, "b.csv", NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "found 524288; more columns need a header"));
    for (size_t i = 0; i < (1 << 20); i += 2)
        line[i] = 'x';
    assert_int_equal(jo_particles_parse(line, 1 << 20, "b.csv", NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "the header names more than 256 columns"));
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_discs),
        cmocka_unit_test(dimension_and_radius),
        cmocka_unit_test(header_alone_is_no_particles),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
