/* test_tri.c — triangulations of the space between polygons: made, checked, refused, flipped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/orient.h"
#include "support/polygon_scenes.h"

static void must_hold(const tri_mesh *m, const polygon_scene *s)
{
    const tri_input in = polygon_scene_input(s);
    jo_error error;
    tri_report report;
    if (jo_tri_check(m, &in, &report, &error) != JO_OK) fail_msg("%s", error.text);
    assert_true(report.least > 0.0);
}

static void must_make(tri_mesh *m, const polygon_scene *s)
{
    const tri_input in = polygon_scene_input(s);
    jo_error error;
    if (jo_tri_make(m, &in, &error) != JO_OK) fail_msg("%s", error.text);
    must_hold(m, s);
    if (s->partitions == 0) /* h grains and the boundary */
        assert_int_equal(m->count, s->vertices + 2 * (s->bodies - 2));
}

static void random_scenes(void **state)
{
    (void)state;
    tri_mesh m = {0};
    const uint32_t counts[] = {1, 2, 3, 5, 10, 50, 400, 2000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int kind = 0; kind < POLYGONS_KINDS; kind++)
            for (uint64_t seed = 0; seed < (counts[c] < 100 ? 40 : 2); seed++) {
                polygon_scene s = polygon_scene_make(counts[c], (polygon_kind)kind, seed);
                uint32_t pair[2];
                assert_false(polygon_scene_overlap(&s, pair));
                must_make(&m, &s);
                polygon_scene_free(&s);
            }
    jo_tri_free(&m);
}

/* Turned scenes: nothing is parallel to an axis, and squares' corners are only nearly on one
 * line. */
static void turned_scenes(void **state)
{
    (void)state;
    tri_mesh m = {0};
    for (int k = 1; k < 60; k++) {
        polygon_scene s = polygon_scene_make(30, POLYGONS_SQUARES + (k % 2 ? 0 : -1), 3);
        const double c = cos(0.11 * k), n = sin(0.11 * k);
        for (uint32_t v = 0; v < s.vertices; v++) {
            const double x = s.place[2 * v], y = s.place[2 * v + 1];
            s.place[2 * v] = 1e3 + c * x - n * y;
            s.place[2 * v + 1] = n * x + c * y;
        }
        must_make(&m, &s);
        polygon_scene_free(&s);
    }
    jo_tri_free(&m);
}

static void partitions(void **state)
{
    (void)state;
    tri_mesh m = {0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        polygon_scene s = polygon_scene_make(12, POLYGONS_CONVEX, seed);
        double *p = s.place + 2 * s.vertices; /* a chain that is free, and one more of two edges */
        const double at[] = {0.5, 0.5, 0.51, 1.3, 1.5, 0.5, 1.5, 1.5, 2.45, 1.5};
        memcpy(p, at, sizeof at);
        for (uint32_t k = 0; k < 5; k++) {
            s.next[s.vertices + k] = TRI_NONE;
            s.owner[s.vertices + k] = 99;
        }
        const uint32_t v = s.vertices, chains[] = {v, v + 1, v + 2, v + 3, v + 3, v + 4};
        memcpy(s.partition, chains, sizeof chains);
        s.vertices += 5;
        s.partitions = 3;
        tri_input in = polygon_scene_input(&s);
        jo_error error;
        const jo_status status = jo_tri_make(&m, &in, &error);
        if (status != JO_OK) { /* a grain is in the way: it must be the partition's fault */
            assert_non_null(strstr(error.text, "99"));
        } else {
            must_hold(&m, &s);
        }
        polygon_scene_free(&s);
    }
    /* A lid from wall to wall cuts free space in two. */
    polygon_scene s = polygon_scene_make(2, POLYGONS_SQUARES, 1);
    s.next[0] = s.vertices; /* a corner more in the boundary's lower and upper edge each */
    s.place[2 * s.vertices] = -0.5, s.place[2 * s.vertices + 1] = 0.375;
    s.place[2 * s.vertices + 2] = 1.5, s.place[2 * s.vertices + 3] = 0.375;
    s.next[s.vertices] = 1;
    s.next[2] = s.vertices + 1;
    s.next[s.vertices + 1] = 3;
    s.owner[s.vertices] = s.owner[s.vertices + 1] = 0;
    s.partition[0] = s.vertices;
    s.partition[1] = s.vertices + 1;
    s.partitions = 1;
    s.vertices += 2;
    const tri_input in = polygon_scene_input(&s);
    jo_error error;
    if (jo_tri_make(&m, &in, &error) != JO_OK) fail_msg("%s", error.text);
    must_hold(&m, &s);
    polygon_scene_free(&s);
    jo_tri_free(&m);
}

/* Moves body 1 by (x, y) and expects refusal with these words, or none. */
static void refuse(polygon_kind kind, double x, double y, const char *words)
{
    tri_mesh m = {0};
    polygon_scene s = polygon_scene_make(4, kind, 1);
    for (uint32_t v = s.first[1]; v < s.first[2]; v++) {
        s.place[2 * v] += x;
        s.place[2 * v + 1] += y;
    }
    const tri_input in = polygon_scene_input(&s);
    jo_error error = {0};
    const jo_status status = jo_tri_make(&m, &in, &error);
    if (words == NULL) {
        assert_int_equal(status, JO_OK);
    } else {
        assert_int_equal(status, JO_ERR_DATA);
        if (strstr(error.text, words) == NULL) fail_msg("'%s' is not in: %s", words, error.text);
    }
    polygon_scene_free(&s);
    jo_tri_free(&m);
}

static void overlaps_are_refused(void **state)
{
    (void)state;
    refuse(POLYGONS_SQUARES, 0.0, 0.0, NULL);
    refuse(POLYGONS_SQUARES, 0.5, 0.125, "lies on an edge of body");
    refuse(POLYGONS_SQUARES, 0.5, 0.0, "both have a corner at (0.75, -0.25)");
    refuse(POLYGONS_SQUARES, 0.625, 0.0625, "body 1 and body 2 overlap");
    refuse(POLYGONS_SQUARES, 0.5 - 0x1p-52, 0.125, NULL);
    refuse(POLYGONS_SQUARES, -0.5, 0.0, "overlap");
    refuse(POLYGONS_SQUARES, -5.0, 0.0, "is outside the boundary");
}

static void nested_and_crossed_are_refused(void **state)
{
    (void)state;
    tri_mesh m = {0};
    jo_error error;
    polygon_scene s = polygon_scene_make(2, POLYGONS_SQUARES, 1);
    tri_input in = polygon_scene_input(&s);
    for (uint32_t v = s.first[2]; v < s.first[3]; v++) { /* body 2 small, in body 1 */
        s.place[2 * v] = 0.5 * (s.place[2 * v] - 1.0);
        s.place[2 * v + 1] *= 0.5;
    }
    assert_int_equal(jo_tri_make(&m, &in, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "body 2, at"));
    assert_non_null(strstr(error.text, "lies in the solid of body 1"));
    polygon_scene_free(&s);

    s = polygon_scene_make(2, POLYGONS_SQUARES, 1); /* a bow tie */
    in = polygon_scene_input(&s);
    const uint32_t v = s.first[1];
    const double x = s.place[2 * v], y = s.place[2 * v + 1];
    memcpy(s.place + 2 * v, s.place + 2 * v + 2, 2 * sizeof x);
    s.place[2 * v + 2] = x, s.place[2 * v + 3] = y;
    assert_int_equal(jo_tri_make(&m, &in, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "the outline of body 1 crosses itself"));
    polygon_scene_free(&s);
    jo_tri_free(&m);
}

/* All sides that may be flipped are, at random: the triangulation stays one. And the checker sees
 * when it does not. */
static void flips(void **state)
{
    (void)state;
    tri_mesh m = {0};
    random_stream r = jo_random_start(2, 2);
    polygon_scene s = polygon_scene_make(40, POLYGONS_STARS, 7);
    tri_input in = polygon_scene_input(&s);
    must_make(&m, &s);
    int flipped = 0;
    for (int k = 0; k < 4000; k++) {
        const uint32_t t = (uint32_t)(jo_random_bits(&r) % m.count);
        const int side = (int)(jo_random_bits(&r) % 3);
        if (m.t[t].n[side] == TRI_NONE) continue;
        const triangle *other = &m.t[m.t[t].n[side]];
        const double *a = s.place + 2 * m.t[t].v[side];
        const double *b = s.place + 2 * m.t[t].v[TRI_NEXT[side]];
        const double *c = s.place + 2 * m.t[t].v[TRI_PREVIOUS[side]];
        const double *d = s.place + 2 * other->v[tri_side(other, t)];
        if (!(jo_orient(a, b, d) > 0.0) || !(jo_orient(a, d, c) > 0.0)) continue;
        jo_tri_flip(&m, t, side);
        flipped++;
        if (k % 50 == 0) must_hold(&m, &s);
    }
    must_hold(&m, &s);
    assert_true(flipped > 500);
    int side;
    const uint32_t p = s.first[3], t = jo_tri_find_side(&m, s.next[p], p, &side);
    assert_true(t != TRI_NONE && m.t[t].n[side] == TRI_NONE);

    jo_error error;
    s.place[2 * p] += 100.0;
    assert_int_equal(jo_tri_check(&m, &in, NULL, &error), JO_ERR_PHYSICS);
    s.place[2 * p] -= 100.0;
    m.t[5].n[0] = m.t[5].n[0] == TRI_NONE ? 6 : TRI_NONE;
    assert_int_equal(jo_tri_check(&m, &in, NULL, &error), JO_ERR_PHYSICS);
    polygon_scene_free(&s);
    jo_tri_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scenes),
        cmocka_unit_test(turned_scenes),
        cmocka_unit_test(partitions),
        cmocka_unit_test(overlaps_are_refused),
        cmocka_unit_test(nested_and_crossed_are_refused),
        cmocka_unit_test(flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
