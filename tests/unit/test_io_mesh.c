/* Meshes: STL in both forms, OBJ, tables; what is cut short, degenerate or no number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jostle/io.h"

/* Parses a copy that ends where the data ends, so that a sanitizer sees a read beyond it. */
static jo_status parse(const void *data, size_t size, double **triangles, size_t *count,
                       jo_error *error)
{
    char *copy = malloc(size + (size == 0));
    memcpy(copy, data, size);
    const jo_status status = jo_mesh_parse(copy, size, "mesh", triangles, count, error);
    free(copy);
    return status;
}

static void expect_mesh(const void *data, size_t size, const double *expected, size_t n)
{
    double *triangles;
    size_t count;
    jo_error error = {JO_OK, ""};
    if (parse(data, size, &triangles, &count, &error) != JO_OK) fail_msg("refused: %s", error.text);
    assert_int_equal(count, n);
    assert_memory_equal(triangles, expected, 9 * n * sizeof *expected);
    free(triangles);
}

static const double two[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5, 1, 0, 0.5, 0, 1, 0.5};

static size_t binary_stl(const double *triangles, size_t n, const char *title, unsigned char *out)
{
    memset(out, ' ', 80);
    memcpy(out, title, strlen(title));
    for (int k = 0; k < 4; k++)
        out[80 + k] = (unsigned char)(n >> 8 * k);
    unsigned char *at = out + 84;
    for (size_t i = 0; i < n; i++, at += 50) {
        memset(at, 0, 50);
        for (size_t c = 0; c < 9; c++) {
            const float value = (float)triangles[9 * i + c];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (int k = 0; k < 4; k++)
                at[12 + 4 * c + (size_t)k] = (unsigned char)(bits >> 8 * k);
        }
    }
    return 84 + 50 * n;
}

static void stl(void **state)
{
    (void)state;
    unsigned char bytes[300];
    expect_mesh(bytes, binary_stl(two, 2, "made by a test", bytes), two, 2);
    /* Binary files may begin as ASCII ones do. */
    expect_mesh(bytes, binary_stl(two, 2, "solid thing", bytes), two, 2);
    const char *text =
        "solid a name with words\n"
        "  facet normal 0 0 1\n    outer loop\n      vertex 0 0 0\n      vertex 1 0 0\n"
        "      vertex 0 1 0\n    endloop\n  endfacet\n"
        "FACET NORMAL 0 0 1\r\nOUTER LOOP\r\nVERTEX 0 0 5e-1\r\nVERTEX 1 0 .5\r\nVERTEX 0 1 0.5\r\n"
        "ENDLOOP\r\nENDFACET\r\nendsolid\n";
    expect_mesh(text, strlen(text), two, 2);
}

static void obj_and_tables(void **state)
{
    (void)state;
    const char *obj = "# a comment\nmtllib x.mtl\no thing\nv 0 0 0 1.0\nv 1 0 0\nvn 0 0 1\nv 0 1 "
                      "0\nf 1/1/1 2//1 3\n"
                      "v 0 0 0.5\nv 1 0 0.5\nv 0 1 0.5\nf -3 -2 -1\n";
    expect_mesh(obj, strlen(obj), two, 2);
    const char *quad = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    const double halves[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    expect_mesh(quad, strlen(quad), halves, 2);
    const char *table =
        "vertex1_X[m] vertex1_Y[m] vertex1_Z[m] vertex2_X[m] vertex2_Y[m] vertex2_Z[m] "
        "vertex3_X[m] "
        "vertex3_Y[m] vertex3_Z[m]\n0\t0\t0\t1\t0\t0\t0\t1\t0\n0 0 0.5 1 0 0.5 0 1 0.5\n";
    expect_mesh(table, strlen(table), two, 2);
    const char *commas = "0,0,0,1,0,0,0,1,0\n0, 0, 0.5, 1, 0, 0.5, 0, 1, 0.5\n";
    expect_mesh(commas, strlen(commas), two, 2);
}

static void refuse(const void *data, size_t size, const char *fragment)
{
    double *triangles = (double *)1;
    size_t count = 9;
    jo_error error = {JO_OK, ""};
    const jo_status status = parse(data, size, &triangles, &count, &error);
    if (status != JO_ERR_DATA || strstr(error.text, fragment) == NULL)
        fail_msg("%s: '%s', expected '%s'", jo_status_name(status), error.text, fragment);
    assert_null(triangles);
    assert_int_equal(count, 0);
}

static void refusals(void **state)
{
    (void)state;
    const struct {
        const char *text, *fragment;
    } cases[] = {
        {"", "is empty"},
        {"\n\n  \n", "is empty"},
        {"hello", "neither STL nor OBJ"},
        {"# a comment, and nothing else", "is empty"},
        {"# a comment\nhello\n", "begins with 'hello'"},
        {"solid a\nendsolid a\n", "has no triangles"},
        {"solid a\n", "without 'endsolid'"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n",
         "mesh:4: 'vertex X Y Z' expected"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n",
         "mesh:4: 'vertex X Y Z' expected"},
        {"solid a\nfacet normal 0 0 1\nvertex 0 0 0\n", "mesh:3: 'outer loop' expected"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "cut short"},
        {"solid a\nvertex 0 0 0\n", "mesh:2: 'facet normal"},
        {"solid a\nendsolid\nfacet normal 0 0 1\n", "mesh:3: 'facet normal"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex inf 0 "
         "0\nendloop\nendfacet\nendsolid",
         "mesh:6: the coordinate inf is not finite"},
        {"v 0 0 0\nv nan 0 0\n", "mesh:2: the coordinate nan is not finite"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n", "mesh:4: the face goes on in the next line"},
        {"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n", "mesh:6: goes on after the 1 faces"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "mesh:4: the number of a point above"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "mesh:4: the number of a point above"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "mesh:4: the number of a point above"},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "2 corners; it needs three"},
        {"v 0 0\n", "mesh:1: 'v X Y Z' expected"},
        {"v 0 0 0\nwhat 1 2\n", "mesh:2: a line of OBJ"},
        {"v 0 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n", "has no triangles with an area"},
        {"0 0 0 1 0 0 0 1 0\n0 0 0 1 0 0 0 1\n", "mesh:2: nine numbers"},
        {"0 0 0 1 0 0 0 1 0 7\n", "mesh:1: nine numbers"},
        {"0 0 0 1 0 0 0 nan 0\n", "not finite"},
        {"0 0 0 1 1 1 2 2 2\n", "has no triangles with an area"},
        {"0 0 0 1e200 0 0 0 1 0\n", "is beyond 1e+150"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refuse(cases[k].text, strlen(cases[k].text), cases[k].fragment);
    unsigned char bytes[300];
    const size_t size = binary_stl(two, 2, "", bytes);
    for (size_t cut = 84; cut < size; cut++) {
        bytes[3] = 0; /* no text has such a byte */
        refuse(bytes, cut, "cut short");
    }
    memcpy(bytes + 80, (const unsigned char[4]){1, 0, 0, 0}, 4);
    refuse(bytes, size, "goes on after the 1 triangles its header promises");
    double flat[18];
    memcpy(flat, two, sizeof flat);
    flat[9] = (double)NAN;
    refuse(bytes, binary_stl(flat, 2, "", bytes), "triangle 2: the coordinate nan is not finite");
}

static void files(void **state)
{
    (void)state;
    double *triangles;
    size_t count;
    jo_error error = {JO_OK, ""};
    assert_int_equal(jo_mesh_read("/nonexistent/mesh.stl", &triangles, &count, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "cannot be opened"));
    assert_int_equal(jo_mesh_read("/tmp", &triangles, &count, &error), JO_ERR_IO);
    assert_int_equal(jo_mesh_read("/dev/zero", &triangles, &count, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "no regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stl),
        cmocka_unit_test(obj_and_tables),
        cmocka_unit_test(refusals),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
