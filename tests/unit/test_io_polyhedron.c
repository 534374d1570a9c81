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

/* Words that some programs write: what is behind a point's coordinates is not read. */
static void kinds_of_off(void **state)
{
    (void)state;
    static const char *const faces = "4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n"
                                     "4 3 0 4 7\n";
    static const struct {
        const char *head, *behind;
    } kinds[] = {{"# made by hand\n\n  # twice\nOFF\n", ""},
                 {"COFF\n", " 255 0 0 255"},
                 {"NOFF\n", " 0 0 1"},
                 {"# both\nCNOFF ", " 0 0 1 0.5 0.5 0.5 1"},
                 {"STOFF\n", " 0.5 0.5"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[1024];
        int used = snprintf(text, sizeof text, "%s8 6 12\n", kinds[k].head);
        for (int v = 0; v < 8; v++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%d %d %d%s\n",
                             2 * ((v + 1) / 2 % 2), 2 * (v / 2 % 2), 2 * (v / 4), kinds[k].behind);
        snprintf(text + used, sizeof text - (size_t)used, "%s", faces);
        check_cube(parse(text));
    }
    refuse("XOFF\n", "neither STL nor OBJ nor OFF");
}

/* ---- surfaces that files have spoilt ---- */

/* A body's surface as loose triangles; room for 9 doubles for each. Returns how many. */
static size_t loosen(const jo_polyhedron *p, double *triangles)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    size_t count = 0;
    for (size_t f = 0; f < v.faces; f++) {
        const uint32_t first = v.face_edge[f];
        for (uint32_t h = v.next[first]; v.next[h] != first; h = v.next[h], count++) {
            const uint32_t corner[3] = {v.origin[first], v.origin[h], v.origin[v.next[h]]};
            for (size_t c = 0; c < 3; c++)
                memcpy(triangles + 9 * count + 3 * c, v.points + 3 * (size_t)corner[c], 24);
        }
    }
    return count;
}

/* Moves every corner by up to so much, each triangle's own. */
static void shake(double *triangles, size_t count, double by)
{
    uint32_t random = 1;
    for (size_t k = 0; k < 9 * count; k++) {
        random = 1664525 * random + 1013904223;
        triangles[k] += by * ((double)random / 2147483648.0 - 1.0);
    }
}

static jo_polyhedron *rock(size_t faces, double flatness)
{
    jo_polyhedron *p;
    jo_rock_def def = jo_rock_def_default();
    def.faces = faces;
    def.axes[2] = flatness;
    assert_int_equal(jo_polyhedron_rock(&def, &p, NULL), JO_OK);
    return p;
}

enum { FACES = 2000 };

static void corners_that_differ(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    static double triangles[9 * FACES];
    static const double by[] = {0.0, 1e-15, 1e-12, 1e-9, 1e-7, 4e-7};
    for (size_t flat = 0; flat < 2; flat++) {
        jo_polyhedron *exact = rock(FACES, flat ? 0.01 : 1.0), *read;
        const jo_polyhedron_view v = jo_polyhedron_look(exact);
        for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
            jo_error error = {JO_OK, "untouched"};
            const size_t count = loosen(exact, triangles);
            shake(triangles, count, by[k]);
            if (jo_polyhedron_from_triangles(triangles, count, "rock", &read, &error) != JO_OK)
                fail_msg("%g: %s", by[k], error.text);
            const jo_polyhedron_view w = jo_polyhedron_look(read);
            assert_string_equal(error.text, "untouched");
            assert_int_equal(w.vertices, v.vertices);
            assert_true(fabs(w.volume - v.volume) <= 2.0 * by[k] * v.area + 1e-12 * v.volume);
            jo_polyhedron_destroy(read);
        }
        jo_polyhedron_destroy(exact);
    }
}

/* What is more than rounding stays an error: a face that is missing, twice there, inverted or
 * shifted. */
static void more_than_rounding(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    static double triangles[9 * (FACES + 1)];
    static const char *const words[] = {"open", "belongs to", "inverted", "open", "not convex"};
    jo_polyhedron *exact = rock(FACES, 1.0), *read;
    for (int way = 0; way < 5; way++) {
        jo_error error = {0};
        size_t count = loosen(exact, triangles);
        double *last = triangles + 9 * (count - 1), keep[3];
        if (way == 0) count--;
        if (way == 1) memcpy(triangles + 9 * count++, last, 9 * sizeof *last);
        if (way == 2)
            memcpy(keep, last, 24), memcpy(last, last + 3, 24), memcpy(last + 3, keep, 24);
        for (int k = 0; k < 9 && way == 3; k++)
            last[k] *= 1.0 - 1e-4;
        const double corner[3] = {last[0], last[1], last[2]};
        for (size_t k = 0; k < 3 * count && way == 4; k++) /* one corner, of all its triangles */
            if (memcmp(triangles + 3 * k, corner, 24) == 0)
                for (size_t a = 0; a < 3; a++)
                    triangles[3 * k + a] *= 0.97;
        const jo_status status =
            jo_polyhedron_from_triangles(triangles, count, "rock", &read, &error);
        if (status != JO_ERR_DATA || strstr(error.text, words[way]) == NULL)
            fail_msg("way %d: '%s'", way, error.text);
        assert_null(read);
    }
    jo_polyhedron_destroy(exact);
}

/* A cube whose lower face is cut at a point in the middle of an edge, which its neighbour does not
 * know: with a sliver between them, and without. */
static void slivers(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    static const char *const points = "0 0 0\n2 0 0\n2 2 0\n0 2 0\n0 0 2\n2 0 2\n2 2 2\n0 2 2\n";
    static const char *const ends[] = {"3 0 1 8\n", "", "3 0 1 8\n3 2 2 6\n3 6 2 6\n3 0 0 0\n"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (int high = 0; high < 2; high++) { /* exactly on the edge, or 1e-9 beside it */
            char text[1024];
            snprintf(text, sizeof text,
                     "OFF\n9 %d 0\n%s1 0 %s\n3 3 2 8\n3 8 2 1\n3 3 8 0\n4 4 5 6 7\n4 0 1 5 4\n"
                     "4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n%s",
                     k == 0   ? 9
                     : k == 1 ? 8
                              : 12,
                     points, high ? "1e-9" : "0", ends[k]);
            jo_polyhedron *p = parse(text);
            const jo_polyhedron_view v = jo_polyhedron_look(p);
            assert_true(v.vertices == 8 || high);
            assert_true(fabs(v.volume - 8.0) < 1e-8);
            jo_polyhedron_destroy(p);
        }
    /* A face twice, and the one across missing. */
    char text[1024];
    snprintf(text, sizeof text,
             "OFF\n8 6 0\n%s4 3 2 1 0\n4 3 2 1 0\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n",
             points);
    refuse(text, "belongs to 3 faces");
}

/* Points and faces have no numbers that the file knows: their places are told. */
static void places(void **state)
{
    (void)state;
    refuse("OFF\n8 5 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n0 0 2\n2 0 2\n2 2 2\n0 2 2\n4 3 2 1 0\n"
           "4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n",
           "from point (0, 0, 2) to (0, 0, 0) of the face around (0.666667, 0, 1.33333) has no");
    refuse("OFF\n5 6 0\n0 0 0\n3 0 0\n0 3 0\n0 0 3\n0.5 0.5 0.5\n3 0 2 1\n3 0 1 3\n3 0 3 2\n"
           "3 1 2 4\n3 2 3 4\n3 3 1 4\n",
           "between points (0, 3, 0) and (0.5, 0.5, 0.5), the face around (");
    refuse("OFF\n5 6 0\n0 0 0\n3 0 0\n0 3 0\n0 0 3\n0.5 0.5 0.5\n3 0 2 1\n3 0 1 3\n3 0 3 2\n"
           "3 1 2 4\n3 2 3 4\n3 3 1 4\n",
           "take the hull of its points ('hull: true' with a file)");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats),
                                       cmocka_unit_test(kinds_of_off),
                                       cmocka_unit_test(corners_that_differ),
                                       cmocka_unit_test(more_than_rounding),
                                       cmocka_unit_test(slivers),
                                       cmocka_unit_test(places),
                                       cmocka_unit_test(rounded),
                                       cmocka_unit_test(faces_of_many_corners),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
