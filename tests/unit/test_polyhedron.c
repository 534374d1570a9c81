/* Convex polyhedra as shapes: closed forms of mass and inertia, topology, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jostle/polyhedron.h"

static jo_polyhedron *solid(const char *name, double radius, size_t sides, double height)
{
    jo_polyhedron *p;
    jo_error error = {0};
    const jo_solid_def def = {name, radius, sides, height};
    if (jo_polyhedron_solid(&def, &p, &error) != JO_OK) fail_msg("%s: %s", name, error.text);
    return p;
}

static void close_to(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fabs(b))) fail_msg("%.17g is not %.17g", a, b);
}

/* What every polyhedron must be: its half-edges fit together, every vertex lies below every face,
 * on those it belongs to. */
static void check_valid(const jo_polyhedron *p)
{
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    assert_int_equal(v.vertices + v.faces, v.edges + 2);
    for (size_t h = 0; h < 2 * v.edges; h++) {
        assert_int_equal(v.twin[v.twin[h]], h);
        assert_true(v.twin[h] != h && v.face[v.twin[h]] != v.face[h]);
        assert_int_equal(v.face[v.next[h]], v.face[h]);
        assert_int_equal(v.origin[v.next[h]], v.origin[v.twin[h]]);
        assert_true(h >= v.first[v.origin[h]] && h < v.first[v.origin[h] + 1]);
    }
    for (size_t k = 0; k < v.vertices; k++)
        assert_true(v.first[k + 1] >= v.first[k] + 3);
    if (v.vertices * v.faces > 4000000) return;
    for (size_t f = 0; f < v.faces; f++)
        for (size_t k = 0; k < v.vertices; k++) {
            const double *n = v.planes + 4 * f, *x = v.points + 3 * k;
            const double height = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - n[3];
            bool on = false;
            for (uint32_t h = v.first[k]; h < v.first[k + 1]; h++)
                on = on || v.face[h] == f;
            if (on ? fabs(height) > 1e-12 * v.radius : height > -1e-13 * v.radius)
                fail_msg("vertex %zu stands %g over face %zu", k, height, f);
        }
}

static void regular_solids(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t v, e, f;
        double edge;    /* for circumradius 1 */
        double volume;  /* over edge³ */
        double inertia; /* over mass edge² */
    } known[] = {
        {"tetrahedron", 4, 6, 4, 1.632993161855452, 0.11785113019775792, 1.0 / 20.0},
        {"cube", 8, 12, 6, 1.1547005383792515, 1.0, 1.0 / 6.0},
        {"octahedron", 6, 12, 8, 1.4142135623730951, 0.47140452079103168, 1.0 / 10.0},
        {"dodecahedron", 20, 30, 12, 0.71364417954617987, 7.6631189606246320,
         (39.0 * 1.6180339887498949 + 28.0) / 150.0},
        {"icosahedron", 12, 30, 20, 1.0514622242382672, 2.1816949906249124,
         1.6180339887498949 * 1.6180339887498949 / 10.0},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        jo_polyhedron *p = solid(known[k].name, 2.0, 0, 0.0);
        const jo_polyhedron_view v = jo_polyhedron_look(p);
        const double edge = 2.0 * known[k].edge;
        assert_int_equal(v.vertices, known[k].v);
        assert_int_equal(v.edges, known[k].e);
        assert_int_equal(v.faces, known[k].f);
        close_to(v.volume, known[k].volume * edge * edge * edge, 1e-14);
        for (int i = 0; i < 9; i++)
            if (i % 4 == 0)
                close_to(v.inertia[i], known[k].inertia * v.volume * edge * edge, 1e-13);
            else
                assert_true(fabs(v.inertia[i]) < 1e-14 * v.inertia[0]);
        close_to(v.radius, 2.0, 1e-15);
        assert_true(fabs(v.origin_moved[0]) < 1e-15 && fabs(v.origin_moved[2]) < 1e-15);
        /* A regular solid is a pyramid of its faces: volume = area × inradius / 3. */
        close_to(v.volume, v.area * v.inradius / 3.0, 1e-13);
        check_valid(p);
        jo_polyhedron_destroy(p);
    }
}

static void prisms(void **state)
{
    (void)state;
    for (size_t n = 3; n < 3000; n = 3 * n - 2) {
        jo_polyhedron *p = solid("prism", 1.5, n, 0.25);
        const jo_polyhedron_view v = jo_polyhedron_look(p);
        const double angle = 2.0 * acos(-1.0) / (double)n, r = 1.5, h = 0.25;
        const double base = 0.5 * (double)n * r * r * sin(angle);
        const double mass = base * h;
        assert_int_equal(v.faces, n + 2);
        assert_int_equal(v.edges, 3 * n);
        close_to(v.volume, mass, 1e-12);
        const double polar = mass * r * r * (2.0 + cos(angle)) / 6.0;
        close_to(v.inertia[8], polar, 1e-12);
        close_to(v.inertia[0], 0.5 * polar + mass * h * h / 12.0, 1e-12);
        close_to(v.inertia[4], 0.5 * polar + mass * h * h / 12.0, 1e-12);
        check_valid(p);
        jo_polyhedron_destroy(p);
    }
}

/* A box whose corners come as points, with more points inside, on faces and on edges; far away. */
static void hull_of_box(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    double points[27 * 3];
    size_t n = 0;
    for (int i = 0; i < 27; i++, n++) {
        points[3 * n] = 100.0 + (double)(i % 3);
        points[3 * n + 1] = -50.0 + 2.0 * (double)(i / 3 % 3);
        points[3 * n + 2] = 0.5 * (double)(i / 9);
    }
    jo_polyhedron *p;
    jo_error error = {0};
    if (jo_polyhedron_from_points(points, n, &p, &error) != JO_OK) fail_msg("%s", error.text);
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    assert_int_equal(v.vertices, 8);
    assert_int_equal(v.faces, 6);
    close_to(v.volume, 8.0, 1e-13);
    close_to(v.area, 2.0 * (8.0 + 2.0 + 4.0), 1e-13);
    close_to(v.inertia[0], 8.0 * (16.0 + 1.0) / 12.0, 1e-13);
    close_to(v.inertia[4], 8.0 * (4.0 + 1.0) / 12.0, 1e-13);
    close_to(v.inertia[8], 8.0 * (4.0 + 16.0) / 12.0, 1e-13);
    close_to(v.origin_moved[0], 101.0, 1e-15);
    close_to(v.origin_moved[1], -48.0, 1e-15);
    close_to(v.origin_moved[2], 0.5, 1e-14);
    check_valid(p);
    jo_polyhedron_destroy(p);
}

static void rocks(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    static const size_t faces[] = {4, 8, 20, 100, 920, 5000, 100000};
    for (size_t k = 0; k < sizeof faces / sizeof *faces; k++)
        for (int rough = 0; rough < 3; rough++) {
            jo_rock_def def = jo_rock_def_default();
            jo_polyhedron *p;
            jo_error error = {0};
            def.faces = faces[k];
            def.irregularity = 0.5 * rough;
            def.seed = 7 + (uint64_t)k;
            def.axes[0] = 2.0;
            def.axes[2] = 0.5;
            if (jo_polyhedron_rock(&def, &p, &error) != JO_OK) fail_msg("%s", error.text);
            const jo_polyhedron_view v = jo_polyhedron_look(p);
            assert_int_equal(v.faces, faces[k]);
            check_valid(p);
            if (faces[k] == 100000 && rough < 2) close_to(v.volume, 4.0 / 3.0 * acos(-1.0), 2e-4);
            jo_polyhedron_destroy(p);
        }
}

/* The surface integral and the tetrahedra of another corner agree: a rock's inertia by brute force
 * over random points would be 1e-3; instead, cutting it in two must add up. */
static void inertia_of_parts(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    /* A box [0,2]×[0,1]×[0,1] cut by the plane x + y = 1.5 into two prisms. */
    static const double left[] = {0, 0, 0, 1.5, 0, 0, 0.5, 1, 0, 0, 1, 0,
                                  0, 0, 1, 1.5, 0, 1, 0.5, 1, 1, 0, 1, 1};
    static const double right[] = {1.5, 0, 0, 2, 0, 0, 2, 1, 0, 0.5, 1, 0,
                                   1.5, 0, 1, 2, 0, 1, 2, 1, 1, 0.5, 1, 1};
    const double *part[2] = {left, right};
    double mass = 0.0, first[3] = {0}, about[9] = {0};
    for (int k = 0; k < 2; k++) {
        jo_polyhedron *p;
        jo_error error = {0};
        if (jo_polyhedron_from_points(part[k], 8, &p, &error) != JO_OK) fail_msg("%s", error.text);
        const jo_polyhedron_view v = jo_polyhedron_look(p);
        const double *c = v.origin_moved;
        const double c2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        mass += v.volume;
        for (int i = 0; i < 3; i++) {
            first[i] += v.volume * c[i];
            for (int j = 0; j < 3; j++)
                about[3 * i + j] +=
                    v.inertia[3 * i + j] + v.volume * ((i == j ? c2 : 0.0) - c[i] * c[j]);
        }
        jo_polyhedron_destroy(p);
    }
    close_to(mass, 2.0, 1e-14);
    close_to(first[0] / mass, 1.0, 1e-14);
    close_to(first[1] / mass, 0.5, 1e-14);
    close_to(about[0], 2.0 * (1.0 + 1.0) / 3.0, 1e-14);
    close_to(about[4], 2.0 * (4.0 + 1.0) / 3.0, 1e-14);
    close_to(about[1], -2.0 * 1.0 * 0.5, 1e-14);
}

/* ---- what is refused ---- */

static void refused(jo_status status, jo_polyhedron **p, const jo_error *error, const char *word)
{
    if (status == JO_OK) fail_msg("accepted, where '%s' was expected", word);
    assert_null(*p);
    assert_int_equal(status, JO_ERR_DATA);
    if (strstr(error->text, word) == NULL) fail_msg("'%s' does not say '%s'", error->text, word);
}

static const double cube_points[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                       0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const uint32_t cube_corners[24] = {3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4,
                                          1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static const size_t cube_offset[7] = {0, 4, 8, 12, 16, 20, 24};

static void with_cube(const double *points, size_t n, const uint32_t *corner, size_t faces,
                      const char *word)
{
    jo_polyhedron *p = (jo_polyhedron *)1;
    jo_error error = {0};
    const jo_status status =
        jo_polyhedron_from_faces(points, n, cube_offset, corner, faces, &p, &error);
    if (word != NULL) {
        refused(status, &p, &error, word);
        return;
    }
    if (status != JO_OK) fail_msg("%s", error.text);
    check_valid(p);
    jo_polyhedron_destroy(p);
}

static void bad_faces(void **state)
{
    (void)state;
    double points[27];
    uint32_t corner[24];
    with_cube(cube_points, 8, cube_corners, 6, NULL);
    with_cube(cube_points, 8, cube_corners, 5, "open");
    for (int k = 0; k < 24; k++) /* all faces the other way around */
        corner[k] = cube_corners[k / 4 * 4 + 3 - k % 4];
    with_cube(cube_points, 8, corner, 6, "inverted");
    memcpy(corner, cube_corners, sizeof corner); /* one face the other way around */
    corner[0] = 0, corner[1] = 1, corner[2] = 2, corner[3] = 3;
    with_cube(cube_points, 8, corner, 6, "inverted");
    memcpy(points, cube_points, sizeof cube_points);
    memcpy(points + 24, cube_points + 3, 24); /* point 8 is where point 1 is */
    with_cube(points, 9, cube_corners, 6, "duplicate points: 1 and 8");
    points[24] = 5.0;
    with_cube(points, 9, cube_corners, 6, "point 8 belongs to no face");
    points[3] = NAN;
    with_cube(points, 8, cube_corners, 6, "finite");
    for (int k = 0; k < 24; k++)
        points[k] = 1e99 * cube_points[k];
    with_cube(points, 8, cube_corners, 6, "choose another unit");
    for (int k = 0; k < 24; k++)
        points[k] = 1e-99 * cube_points[k];
    with_cube(points, 8, cube_corners, 6, "choose another unit");
    memcpy(points, cube_points, sizeof cube_points);
    points[20] = 1.1; /* corner 6 lifted: its quadrilaterals are bent */
    with_cube(points, 8, cube_corners, 6, "not flat");
    memcpy(points, cube_points, sizeof cube_points);
    for (int k = 0; k < 8; k++) { /* pressed into a plane */
        points[3 * k] += 0.3 * points[3 * k + 2];
        points[3 * k + 2] *= 1e-14;
    }
    with_cube(points, 8, cube_corners, 6, "flat");
    memcpy(corner, cube_corners, sizeof corner);
    corner[5] = 8;
    with_cube(cube_points, 8, corner, 6, "names point 8");
    with_cube(cube_points, 8, cube_corners, 3, "at least four");
}

/* Lists of corners that begin late, or run backwards: no corner is looked at then. */
static void bad_offsets(void **state)
{
    (void)state;
    static const struct {
        size_t which, value;
        const char *word;
    } cases[] = {{0, 4, "begin at 4"},
                 {3, 4, "face 2 has fewer than three"},
                 {5, SIZE_MAX / 2, "face 5 has fewer than three"},
                 {1, 23, "face 1 has fewer than three"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t offset[7];
        jo_polyhedron *p = (jo_polyhedron *)1;
        jo_error error = {0};
        memcpy(offset, cube_offset, sizeof offset);
        offset[cases[k].which] = cases[k].value;
        const jo_status status =
            jo_polyhedron_from_faces(cube_points, 8, offset, cube_corners, 6, &p, &error);
        refused(status, &p, &error, cases[k].word);
    }
}

/* A tetrahedron whose faces are three triangles each; the middle of one pushed in. */
static void dented(void **state)
{
    (void)state;
    static const double big[4][3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    double triangles[12 * 9];
    jo_polyhedron *p;
    jo_error error = {0};
    for (int depth = 0; depth < 3; depth++) {
        size_t at = 0;
        for (int f = 0; f < 4; f++) {
            double middle[3];
            for (int k = 0; k < 3; k++) {
                middle[k] = (big[face[f][0]][k] + big[face[f][1]][k] + big[face[f][2]][k]) / 3.0;
                if (f == 2) middle[k] -= depth == 0 ? 0.0 : depth == 1 ? 1e-7 : 0.1;
            }
            for (int c = 0; c < 3; c++, at += 9) {
                memcpy(triangles + at, big[face[f][c]], 24);
                memcpy(triangles + at + 3, big[face[f][(c + 1) % 3]], 24);
                memcpy(triangles + at + 6, middle, 24);
            }
        }
        const jo_status status = jo_polyhedron_from_triangles(triangles, 12, "dent", &p, &error);
        if (depth == 2 || (depth == 1 && !jo_hulls_available())) {
            refused(status, &p, &error, "not convex");
            assert_non_null(strstr(error.text, "dent: "));
            continue;
        }
        if (status != JO_OK) fail_msg("%s", error.text);
        assert_int_equal(jo_polyhedron_look(p).faces, 4);
        close_to(jo_polyhedron_look(p).volume, 4.5, 1e-14);
        check_valid(p);
        jo_polyhedron_destroy(p);
    }
}

static void bad_points(void **state)
{
    (void)state;
    if (!jo_hulls_available()) skip();
    jo_polyhedron *p;
    jo_error error = {0};
    double points[30];
    for (int k = 0; k < 30; k++)
        points[k] = k % 3 == 2 ? 0.25 : sin(1.0 + k);
    refused(jo_polyhedron_from_points(points, 10, &p, &error), &p, &error, "flat");
    for (int k = 0; k < 30; k++)
        points[k] = (double)(k / 3) * (double)(k % 3 + 1);
    refused(jo_polyhedron_from_points(points, 10, &p, &error), &p, &error, "on one line");
    for (int k = 0; k < 30; k++)
        points[k] = sin(1.0 + k * k);
    memcpy(points + 21, points + 6, 24);
    refused(jo_polyhedron_from_points(points, 10, &p, &error), &p, &error,
            "duplicate points: 2 and 7");
    points[21] = INFINITY;
    refused(jo_polyhedron_from_points(points, 10, &p, &error), &p, &error, "point 7");
    refused(jo_polyhedron_from_points(points, 3, &p, &error), &p, &error, "at least four");
}

/* The great icosahedron is closed, has Euler's number and convex edges, and goes around seven
 * times. */
static void great_icosahedron(void **state)
{
    (void)state;
    jo_polyhedron *ico = solid("icosahedron", 1.0, 0, 0.0), *p;
    const jo_polyhedron_view v = jo_polyhedron_look(ico);
    uint32_t corner[60];
    size_t offset[21], faces = 0;
    const double edge = 1.0514622242382672 * 1.6180339887498949; /* diagonals of pentagons */
    for (uint32_t a = 0; a < 12; a++)
        for (uint32_t b = a + 1; b < 12; b++)
            for (uint32_t c = b + 1; c < 12; c++) {
                double d[3] = {0};
                const uint32_t pair[3][2] = {{a, b}, {b, c}, {c, a}};
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++)
                        d[i] += pow(v.points[3 * pair[i][0] + k] - v.points[3 * pair[i][1] + k], 2);
                if (fabs(d[0] - edge * edge) > 1e-9 || fabs(d[1] - edge * edge) > 1e-9 ||
                    fabs(d[2] - edge * edge) > 1e-9)
                    continue;
                const double *x = v.points + 3 * a, *y = v.points + 3 * b, *z = v.points + 3 * c;
                const double det = x[0] * (y[1] * z[2] - y[2] * z[1]) +
                                   x[1] * (y[2] * z[0] - y[0] * z[2]) +
                                   x[2] * (y[0] * z[1] - y[1] * z[0]);
                if (fabs(det) < 1e-9) continue;
                offset[faces] = 3 * faces;
                corner[3 * faces] = a;
                corner[3 * faces + 1] = det > 0.0 ? b : c;
                corner[3 * faces + 2] = det > 0.0 ? c : b;
                faces++;
            }
    offset[faces] = 3 * faces;
    assert_int_equal(faces, 20);
    jo_error error = {0};
    refused(jo_polyhedron_from_faces(v.points, 12, offset, corner, faces, &p, &error), &p, &error,
            "not convex: it goes around its middle 7 times");
    jo_polyhedron_destroy(ico);
}

static void bad_definitions(void **state)
{
    (void)state;
    static const struct {
        jo_solid_def def;
        const char *word;
    } bad[] = {{{"teapot", 1.0, 6, 1.0}, "teapot"},
               {{"cube", -1.0, 6, 1.0}, "radius"},
               {{"prism", 1.0, 2, 1.0}, "sides"},
               {{"prism", 1.0, 6, NAN}, "height"}};
    jo_polyhedron *p;
    jo_error error = {0};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(jo_polyhedron_solid(&bad[k].def, &p, &error), JO_ERR_ARGUMENT);
        assert_null(p);
        assert_non_null(strstr(error.text, bad[k].word));
    }
    const jo_solid_def needle = {"prism", 1.0, 5, 1e7};
    refused(jo_polyhedron_solid(&needle, &p, &error), &p, &error, "too thin");
    jo_rock_def rock = jo_rock_def_default();
    rock.faces = 7;
    assert_int_equal(jo_polyhedron_rock(&rock, &p, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "even"));
    for (const char *const *name = jo_solid_names(); *name != NULL; name++)
        jo_polyhedron_destroy(solid(*name, 1.0, 6, 1.0));
}

/* What is not there is an argument's fault, and no crash. */
static void missing(void **state)
{
    (void)state;
    jo_polyhedron *p;
    jo_polygon *flat;
    const jo_solid_def nameless = jo_solid_def_default(NULL);
    for (int k = 0; k < 10; k++) {
        jo_error error = {0};
        jo_status status = JO_OK;
        p = (jo_polyhedron *)1;
        flat = (jo_polygon *)1;
        if (k == 0) status = jo_polyhedron_from_points(NULL, 8, &p, &error);
        if (k == 1) status = jo_polyhedron_from_triangles(NULL, 4, NULL, &p, &error);
        if (k == 2)
            status = jo_polyhedron_from_faces(NULL, 8, cube_offset, cube_corners, 6, &p, &error);
        if (k == 3)
            status = jo_polyhedron_from_faces(cube_points, 8, NULL, cube_corners, 6, &p, &error);
        if (k == 4)
            status = jo_polyhedron_from_faces(cube_points, 8, cube_offset, NULL, 6, &p, &error);
        if (k == 5) status = jo_polyhedron_solid(NULL, &p, &error);
        if (k == 6) status = jo_polyhedron_solid(&nameless, &p, &error);
        if (k == 7) status = jo_polyhedron_rock(NULL, &p, &error);
        if (k == 8) status = jo_polyhedron_parse(NULL, 4, "data", &p, &error);
        if (k == 9) status = jo_polygon_create(NULL, 4, &flat, &error);
        assert_int_equal(status, JO_ERR_ARGUMENT);
        assert_true(k == 9 ? flat == NULL : p == NULL);
        assert_non_null(strstr(error.text, "NULL"));
    }
    assert_int_not_equal(jo_polyhedron_parse("OFF\n", 4, NULL, &p, NULL), JO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_solids),   cmocka_unit_test(prisms),
        cmocka_unit_test(hull_of_box),      cmocka_unit_test(rocks),
        cmocka_unit_test(inertia_of_parts), cmocka_unit_test(bad_faces),
        cmocka_unit_test(bad_offsets),      cmocka_unit_test(dented),
        cmocka_unit_test(bad_points),       cmocka_unit_test(great_icosahedron),
        cmocka_unit_test(bad_definitions),  cmocka_unit_test(missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
