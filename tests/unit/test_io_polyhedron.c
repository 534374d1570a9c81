/* Polyhedra from files: OFF, OBJ and STL of the same bodies, and what is no convex body. */
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
#include "jostle/polyhedron.h"

static jo_polyhedron *parse(const char *data)
{
    jo_polyhedron *p;
    jo_error error = {0};
    if (jo_polyhedron_parse(data, strlen(data), "body", &p, &error) != JO_OK)
        fail_msg("refused: %s", error.text);
    return p;
}

static void refuse(const char *data, const char *words)
{
    jo_polyhedron *p = (jo_polyhedron *)1;
    jo_error error = {0};
    const jo_status status = jo_polyhedron_parse(data, strlen(data), "body", &p, &error);
    if (status != JO_ERR_DATA) fail_msg("status %d where '%s' was expected", (int)status, words);
    assert_null(p);
    if (strstr(error.text, words) == NULL || strncmp(error.text, "body", 4) != 0)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void check_cube(jo_polyhedron *p)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    assert_int_equal(v.vertices, 8);
    assert_int_equal(v.faces, 6);
    assert_true(fabs(v.volume - 8.0) < 1e-14);
    assert_true(fabs(v.origin_moved[1] - 1.0) < 1e-15);
    assert_true(fabs(v.inertia[4] - 8.0 * 8.0 / 12.0) < 1e-13);
    jo_polyhedron_destroy(p);
}

static void formats(void **state)
{
    (void)state;
    check_cube(parse("OFF\n8 6 12\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n0 0 2\n2 0 2\n2 2 2\n0 2 2\n"
                     "4 3 2 1 0\n4 4 5 6 7 255 0 0\n\n# a comment\n4 0 1 5 4\n4 1 2 6 5\n"
                     "4 2 3 7 6\n4 3 0 4 7\n"));
    check_cube(
        parse("OFF 8 6 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n0 0 2\n2 0 2\n2 2 2\n0 2 2\n4 3 2 1 0\n"
              "4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n"));
    /* With a byte-order mark, as some editors write it. */
    check_cube(
        parse("\xEF\xBB\xBFv 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
              "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"));
    refuse("\xFF\xFEv", "UTF-16");
    refuse("v 1e200 0 0\nv 2 0 0\nv 2 2 0\nf 1 2 3\n", "is beyond 1e+150");
}

/* Coordinates rounded to seven digits: faces that were flat are bent a little, in or out. */
static void rounded(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    const jo_solid_def def = {"dodecahedron", 1.0, 0, 0.0};
    jo_polyhedron *exact, *read;
    jo_error error = {0};
    assert_int_equal(jo_polyhedron_solid(&def, &exact, &error), JO_OK);
    const jo_polyhedron_view v = jo_polyhedron_look(exact);
    char text[8192];
    int used = snprintf(text, sizeof text, "OFF\n%zu %zu 0\n", v.vertices, v.faces);
    for (size_t k = 0; k < v.vertices; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%.7f %.7f %.7f\n",
                         v.points[3 * k], v.points[3 * k + 1], v.points[3 * k + 2]);
    for (size_t f = 0; f < v.faces; f++) {
        uint32_t h = v.face_edge[f];
        used += snprintf(text + used, sizeof text - (size_t)used, "5");
        for (int k = 0; k < 5; k++, h = v.next[h])
            used += snprintf(text + used, sizeof text - (size_t)used, " %u", v.origin[h]);
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    }
    read = parse(text);
    assert_int_equal(jo_polyhedron_look(read).vertices, 20);
    assert_true(fabs(jo_polyhedron_look(read).volume - v.volume) < 1e-6);
    jo_polyhedron_destroy(exact);
    jo_polyhedron_destroy(read);
}

/* A prism with bases of 200 corners, as OFF (first: 0) or OBJ (first: 1). */
static jo_polyhedron *many_sided(bool off)
{
    enum { N = 200 };
    static char text[65536];
    size_t used = 0, first = off ? 0 : 1;
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    if (off) ADD("OFF\n%d %d 0\n", 2 * N, N + 2);
    for (int k = 0; k < 2 * N; k++)
        ADD("%s%.17g %.17g %d\n", off ? "" : "v ", cos(k % N * 0.0314159265358979323846),
            sin(k % N * 0.0314159265358979323846), k / N);
    for (int base = 0; base < 2; base++) {
        ADD(off ? "200" : "f");
        for (size_t k = 0; k < N; k++)
            ADD(" %zu", first + (base == 0 ? N - 1 - k : N + k));
        ADD("\n");
    }
    for (size_t k = 0; k < N; k++)
        ADD("%s %zu %zu %zu %zu\n", off ? "4" : "f", first + k, first + (k + 1) % N,
            first + (k + 1) % N + N, first + k + N);
#undef ADD
    return parse(text);
}

static void faces_of_many_corners(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        jo_polyhedron *p = many_sided(off);
        const jo_polyhedron_view v = jo_polyhedron_look(p);
        assert_int_equal(v.vertices, 400);
        assert_int_equal(v.faces, 202);
        assert_true(fabs(v.volume - 100.0 * sin(0.0314159265358979323846)) < 1e-12);
        jo_polyhedron_destroy(p);
    }
}

static void refused(void **state)
{
    (void)state;
    refuse("OFF\n", "counts");
    refuse("OFF\n4 4 x\n", "numbers of points");
    refuse("OFF\n4 4 6\n0 0 0\n", "cut short");
    refuse("OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "the number of a point");
    refuse("OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "three");
    refuse("OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 nan\n3 0 1 2\n", "");
    refuse("OFF\n4 3 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n", "at least four");
    refuse("OFF\n5 5 8\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 2 2\n3 0 2 1\n3 0 1 3\n3 1 4 3\n3 1 2 4\n"
           "3 3 4 2\n",
           "open");
    refuse("OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 3 1\n3 1 3 2\n3 0 2 3\n",
           "inverted");
    assert_int_equal(jo_polyhedron_read("/no/such/file.off", &(jo_polyhedron *){NULL}, NULL),
                     JO_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats), cmocka_unit_test(rounded),
                                       cmocka_unit_test(faces_of_many_corners),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
