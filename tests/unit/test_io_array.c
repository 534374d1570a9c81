/* test_io_array.c — NumPy and raw arrays: versions, types, orders, shapes, and what is refused. */
#include <stdio.h>

#include "unit/io_cases.h"

enum { ROOM = 4096 };

/* A NumPy file built by hand: version, dictionary, numbers as bytes. Returns its size. */
static size_t build(char *file, int version, const char *dictionary, const void *numbers,
                    size_t bytes)
{
    const size_t length = strlen(dictionary);
    size_t n = 6;
    memcpy(file, "\x93NUMPY", 6);
    file[n++] = (char)version;
    file[n++] = 0;
    file[n++] = (char)(length & 255);
    file[n++] = (char)(length >> 8);
    if (version != 1) {
        file[n++] = 0;
        file[n++] = 0;
    }
    memcpy(file + n, dictionary, length);
    if (bytes > 0) memcpy(file + n + length, numbers, bytes);
    return n + length + bytes;
}

static const double rows_f8[] = {1, 2, 3, 0.5, 4, 5, 6, 0.75};
static const double columns_f8[] = {1, 4, 2, 5, 3, 6, 0.5, 0.75};
static const float rows_f4[] = {1, 2, 3, 0.5, 4, 5, 6, 0.75};

static void reads_npy(void **state)
{
    (void)state;
    static const struct {
        int version;
        const char *dictionary;
        const void *numbers;
        size_t bytes;
    } cases[] = {
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }      \n", rows_f8, 64},
        {2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }\n", rows_f8, 64},
        {3, "{'shape': (2, 4), 'fortran_order': True, 'descr': '<f8'}", columns_f8, 64},
        {1, "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2L,4L,)}", rows_f4, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[ROOM];
        const size_t size =
            build(file, cases[i].version, cases[i].dictionary, cases[i].numbers, cases[i].bytes);
        jo_particles p;
        jo_error error = {0};
        if (parse_bytes(i % 2 ? "a.npy" : "unnamed", file, size, NULL, &p, &error) != JO_OK)
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(p.n, 2);
        assert_int_equal(p.dim, 3);
        expect_particle(&p, 0, 1, 2, 3, 0.5);
        expect_particle(&p, 1, 4, 5, 6, 0.75);
        jo_particles_free(&p);
        /* z is dropped in two dimensions, in either order. */
        const jo_read_options flat = options_of(2, NAN, 0);
        assert_int_equal(parse_bytes("a.npy", file, size, &flat, &p, NULL), JO_OK);
        assert_null(p.z);
        expect_particle(&p, 1, 4, 5, 0, 0.75);
        jo_particles_free(&p);
    }
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        bool fortran;
        int dim;
        double radius;
        int dim_got;
        double z, r; /* of the first particle */
    } cases[] = {
        {"(2, 3)", false, 0, NAN, 2, 0, 3}, {"(2, 3)", true, 0, NAN, 2, 0, 3},
        {"(2, 3)", false, 0, 9, 2, 0, 3},   {"(2, 3)", false, 3, 9, 3, 3, 9},
        {"(2, 3)", true, 3, 9, 3, 3, 9},
    };
    static const double by_rows[] = {1, 2, 3, 4, 5, 6}, by_columns[] = {1, 4, 2, 5, 3, 6};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[ROOM], dictionary[128];
        sprintf(dictionary, "{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }\n",
                cases[i].fortran ? "True" : "False", cases[i].shape);
        const size_t size = build(file, 1, dictionary, cases[i].fortran ? by_columns : by_rows, 48);
        jo_particles p;
        jo_error error = {0};
        const jo_read_options options = options_of(cases[i].dim, cases[i].radius, 0);
        if (parse_bytes("a.npy", file, size, &options, &p, &error) != JO_OK)
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(p.dim, cases[i].dim_got);
        expect_particle(&p, 0, 1, 2, cases[i].z, cases[i].r);
        jo_particles_free(&p);
    }
    char file[ROOM];
    jo_particles p;
    size_t size =
        build(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }", "", 0);
    assert_int_equal(parse_bytes("a.npy", file, size, NULL, &p, NULL), JO_OK);
    assert_int_equal(p.n, 0);
    assert_non_null(p.z);
    jo_particles_free(&p);
    size =
        build(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", by_rows, 48);
    const jo_read_options options = options_of(0, 0.5, 0);
    assert_int_equal(parse_bytes("a.npy", file, size, &options, &p, NULL), JO_OK);
    expect_particle(&p, 2, 5, 6, 0, 0.5);
    jo_particles_free(&p);
}

static void refuses_npy(void **state)
{
    (void)state;
    static const double bad[] = {1, 2, 3, 0.5, 4, NAN, 6, 0.75},
                        negative[] = {1, 4, 2, 5, 3, 6, 1, -1};
    static const struct {
        int version;
        const char *dictionary;
        const void *numbers;
        size_t bytes;
        jo_status status;
        const char *fragment;
    } cases[] = {
        {4, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }", rows_f8, 64, JO_ERR_DATA,
         "a.npy: byte 6: version 4"},
        {1, "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 4), }", rows_f8, 64, JO_ERR_DATA,
         "numbers of type '>f8'; little-endian float64"},
        {1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 4), }", rows_f8, 64, JO_ERR_DATA,
         "numbers of type '<i8'"},
        {1, "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,), }", rows_f8, 64,
         JO_ERR_DATA, "byte 10: the header is not understood"},
        {1, "{'descr': '<f8', 'fortran_order': Perhaps, 'shape': (2, 4), }", rows_f8, 64,
         JO_ERR_DATA, "the header is not understood"},
        {1, "{'descr': '<f8', 'shape': (2, 4), }", rows_f8, 64, JO_ERR_DATA, "is not understood"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), 'more': 1}", rows_f8, 64,
         JO_ERR_DATA, "is not understood"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4)", rows_f8, 0, JO_ERR_DATA,
         "is not understood"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, -4), }", rows_f8, 64,
         JO_ERR_DATA, "is not understood"},
        {1, "{'descr': '<f8, 'fortran_order': False, 'shape': (2, 4), }", rows_f8, 64, JO_ERR_DATA,
         "is not understood"},
        {1, "", rows_f8, 0, JO_ERR_DATA, "ends within its header"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (8,), }", rows_f8, 64, JO_ERR_DATA,
         "an array with 1 axes; expected the shape (n, 3) or (n, 4)"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", rows_f8, 8,
         JO_ERR_DATA, "is not understood"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 8), }", rows_f8, 64, JO_ERR_DATA,
         "has the shape (1, 8); expected (n, 3)"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }", rows_f8, 64, JO_ERR_DATA,
         "has the shape (4, 2)"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", rows_f8, 64, JO_ERR_DATA,
         "the shape (3, 4) means 96 bytes of numbers, but the file holds fewer"},
        {1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 4), }", rows_f8, 64, JO_ERR_DATA,
         "the shape (1, 4) means 32 bytes of numbers, but the file holds more"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 4), }", rows_f8, 64,
         JO_ERR_DATA, "means 32000000000 bytes of numbers, but the file holds fewer"},
        {1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1000000000000000000, 4), }", rows_f8,
         64, JO_ERR_LIMIT, "claims 1000000000000000000 particles"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 4), }",
         rows_f8, 64, JO_ERR_LIMIT, "particles; at most"},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4)}", bad, 64, JO_ERR_DATA,
         "a.npy: byte 99: particle 1: y is nan; coordinates must be finite"},
        {1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 4)}", negative, 64, JO_ERR_DATA,
         "particle 1: r is -1; radii must be finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[ROOM];
        const size_t size =
            build(file, cases[i].version, cases[i].dictionary, cases[i].numbers, cases[i].bytes);
        jo_particles p = {.n = 9};
        jo_error error = {0};
        const jo_status status = parse_bytes("a.npy", file, size, NULL, &p, &error);
        if (status != cases[i].status || strstr(error.text, cases[i].fragment) == NULL)
            fail_msg("case %zu gave %s: '%s', expected '%s'", i, jo_status_name(status), error.text,
                     cases[i].fragment);
        assert_int_equal(p.n, 0);
        assert_null(p.x);
    }
}

/* Every cut of a good file is an error, and none reads beyond it. */
static void every_truncation(void **state)
{
    (void)state;
    char file[ROOM];
    const size_t size = build(
        file, 2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }\n", rows_f8, 64);
    for (size_t cut = 0; cut < size; cut++) {
        jo_particles p;
        jo_error error = {0};
        assert_int_equal(parse_bytes("a.npy", file, cut, NULL, &p, &error), JO_ERR_DATA);
        assert_true(strncmp(error.text, "a.npy: ", 7) == 0);
    }
}

static void raw(void **state)
{
    (void)state;
    jo_particles p;
    jo_error error = {0};
    assert_int_equal(parse_bytes("a.raw", rows_f8, 64, NULL, &p, &error), JO_OK);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.dim, 3);
    expect_particle(&p, 1, 4, 5, 6, 0.75);
    jo_particles_free(&p);
    jo_read_options options = options_of(2, NAN, 0);
    assert_int_equal(parse_bytes("a.f64", rows_f8, 48, &options, &p, &error), JO_OK);
    assert_int_equal(p.n, 2);
    expect_particle(&p, 1, 0.5, 4, 0, 5);
    jo_particles_free(&p);
    assert_int_equal(parse_bytes("a.bin", rows_f8, 48, NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text,
                           "a.bin: 16 bytes are left over behind the last whole record; in 3 "
                           "dimensions a record is 4 doubles (x y z r), 32 bytes"));
    assert_int_equal(parse_bytes("a.bin", rows_f8, 7, NULL, &p, &error), JO_ERR_DATA);
    assert_int_equal(parse_bytes("a.bin", rows_f8, 0, NULL, &p, &error), JO_ERR_DATA);
    static const double bad[] = {1, 2, 3, 4, 1, 2, -(double)INFINITY, 4};
    assert_int_equal(parse_bytes("a.raw", bad, 64, NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "a.raw: byte 32: particle 1: z is -inf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_npy),        cmocka_unit_test(shapes), cmocka_unit_test(refuses_npy),
        cmocka_unit_test(every_truncation), cmocka_unit_test(raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
