/* test_press.c — pressing bodies: the force is the gradient of the potential, the potential the
 * integral it is said to be, and what one body gets the other gives. */
#include "narrow/press_piece.h"
#include "narrow/press_tangent.h"
#include "support/press_pairs.h"

/* A body's depth at a point, by all of its faces. */
static double depth_at(const jo_polyhedron *body, const jo_pose *pose, const double x[3])
{
    double least = INFINITY, d[3], y[3];
    for (int k = 0; k < 3; k++)
        d[k] = x[k] - pose->at[k];
    for (int k = 0; k < 3; k++)
        y[k] = pose->turn[k] * d[0] + pose->turn[3 + k] * d[1] + pose->turn[6 + k] * d[2];
    for (size_t f = 0; f < body->nf; f++) {
        const double *n = body->planes + 4 * f;
        least = fmin(least, n[3] - n[0] * y[0] - n[1] * y[1] - n[2] * y[2]);
    }
    return least;
}

/* The same integral on a grid. */
static double energy_on_grid(const pair *p, int cells)
{
    double sum = 0, lo = -p->size, step = 2 * p->size / cells;
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++)
            for (int k = 0; k < cells; k++) {
                const double x[3] = {lo + (i + 0.5) * step, lo + (j + 0.5) * step,
                                     lo + (k + 0.5) * step};
                const double deep =
                    fmin(depth_at(p->a, &p->pose_a, x), depth_at(p->b, &p->pose_b, x));
                if (deep > 0) sum += deep * step * step * step;
            }
    return sum;
}

static void make(pair *p, int which, uint64_t seed, double apart)
{
    random_stream r = jo_random_start(91, seed);
    double q[4], at[3] = {0, 0, 0};
    p->a = which == 0 ? solid("cube") : which == 1 ? rock(60, seed) : solid("tetrahedron");
    p->b = which == 0 ? solid("cube") : which == 1 ? rock(400, seed + 50) : rock(30, seed);
    p->size = 2.0;
    for (int k = 0; k < 4; k++)
        q[k] = jo_random_normal(&r);
    turned(&p->pose_a, q, at);
    for (int k = 0; k < 4; k++)
        q[k] = jo_random_normal(&r);
    double norm = 0;
    for (int k = 0; k < 3; k++) {
        at[k] = jo_random_normal(&r);
        norm += at[k] * at[k];
    }
    for (int k = 0; k < 3; k++)
        at[k] *= apart / sqrt(norm);
    turned(&p->pose_b, q, at);
}

static void test_gradient(void **state)
{
    (void)state;
    int touched = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        pair p;
        press now, scrap;
        make(&p, (int)(seed % 3), seed, 1.2 + 0.1 * (double)(seed % 5));
        const double u = energy(&p, &now);
        if (u > 1e-9) {
            touched++;
            const double scale = now.total;
            for (int k = 0; k < 6; k++) {
                const double by = 1e-6;
                pair moved = p;
                nudge(&moved.pose_a, k, by);
                const double up = energy(&moved, &scrap);
                moved = p;
                nudge(&moved.pose_a, k, -by);
                const double down = energy(&moved, &scrap);
                const double slope = -(up - down) / (2 * by);
                const double said = k < 3 ? now.force[k] : now.moment[k - 3];
                assert_true(fabs(slope - said) <= 2e-5 * scale + 1e-9);
            }
        }
        discard(&p);
    }
    assert_true(touched > 20);
}

static void test_integral(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        pair p;
        press now;
        make(&p, (int)(seed % 3), 100 + seed, 0.8);
        const double u = energy(&p, &now), grid = energy_on_grid(&p, 60);
        assert_true(grid > 1e-4);
        assert_true(fabs(u - grid) < 0.02 * grid);
        discard(&p);
    }
}

/* A cube's face on a plane: a mattress of springs. */
static void test_mattress(void **state)
{
    (void)state;
    jo_polyhedron *cube = solid("cube");
    const double h = 1 / sqrt(3.0), d = 1e-3, up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
    const double q[4] = {1, 0, 0, 0}, origin[3] = {0, 0, 0}, at[3] = {0, 0, h - d};
    press_scratch s = {.stamp = 0};
    press_planes a = {.count = 0}, b = {.count = 0};
    press now;
    jo_pose pose;
    turned(&pose, q, at);
    const uint32_t top = poly_support(cube, down);
    assert_true(jo_press_cap(cube, &pose, origin, down, top, d, 0, &s, &a));
    assert_true(jo_press_plane(&b, up, 0, 7));
    assert_true(jo_press(&a, &b, NULL, 0, 2.0, 0, 0, &s, &now));
    const double side = 2 * h;
    assert_true(fabs(now.force[2] - side * side * d / 2) < 0.01 * now.force[2]);
    assert_true(fabs(now.force[0]) + fabs(now.force[1]) < 1e-12);
    assert_true(fabs(now.moment[0]) + fabs(now.moment[1]) + fabs(now.moment[2]) < 1e-12);
    /* Cut into four quarters by parts, it is the same in all. */
    double sum = 0, stored = 0;
    for (int quarter = 0; quarter < 4; quarter++) {
        const double parts[2][4] = {{quarter & 1 ? 1 : -1, 0, 0, 0},
                                    {0, quarter & 2 ? 1 : -1, 0, 0}};
        press part;
        assert_true(jo_press(&a, &b, parts, 2, 2.0, 0, 0, &s, &part));
        sum += part.force[2];
        stored += jo_press_energy(&a, &b, parts, 2, 2.0, &part, &s);
    }
    const double whole = jo_press_energy(&a, &b, NULL, 0, 2.0, &now, &s);
    assert_true(fabs(sum - now.force[2]) < 1e-12 * sum);
    assert_true(fabs(stored - whole) < 1e-9 * whole);
    assert_true(fabs(whole - side * side * d * d / 4) < 0.01 * whole);
    jo_press_planes_free(&a);
    jo_press_planes_free(&b);
    jo_press_scratch_free(&s);
    jo_polyhedron_destroy(cube);
}

/* ---- the walk over faces beside each other ---- */

/* The faces whose room has a wall with face f's, found by all planes: points of rooms on a fine
 * grid would miss thin ones, so points are drawn inside the body and walked from f's room along a
 * line to another's. */
static void test_cells(void **state)
{
    (void)state;
    jo_polyhedron *const bodies[] = {solid("cube"), solid("octahedron"), rock(40, 3), rock(700, 4)};
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        const jo_polyhedron *body = bodies[k];
        press_cells cells = {.depth = 0};
        random_stream r = jo_random_start(7, k);
        size_t crossed = 0;
        assert_true(jo_press_cells_make(body, &cells));
        const uint32_t *first = cells.first.data, *beside = cells.beside.data;
        for (int line = 0; line < 20000; line++) { /* from a room into the next one along a line */
            double x[3], y[3];
            uint32_t face[2] = {0, 0};
            for (int a = 0; a < 3; a++) {
                x[a] = body->radius * (2 * jo_random_uniform(&r) - 1);
                y[a] = x[a] + 0.05 * body->radius * jo_random_normal(&r);
            }
            double depth[2] = {INFINITY, INFINITY};
            for (uint32_t f = 0; f < body->nf; f++)
                for (int e = 0; e < 2; e++) {
                    const double *n = body->planes + 4 * f, *z = e == 0 ? x : y;
                    const double high = n[3] - n[0] * z[0] - n[1] * z[1] - n[2] * z[2];
                    if (high < depth[e]) {
                        depth[e] = high;
                        face[e] = f;
                    }
                }
            if (!(depth[0] > 0 && depth[1] > 0) || depth[0] > cells.depth || depth[1] > cells.depth)
                continue;
            /* Walking along the lists from either face leads to the lowest at the other end. */
            for (int e = 0; e < 2; e++) {
                const double *z = e == 0 ? y : x;
                uint32_t at = face[e];
                for (bool lower = true; lower;) {
                    const double *n = body->planes + 4 * at;
                    double low = n[3] - n[0] * z[0] - n[1] * z[1] - n[2] * z[2];
                    lower = false;
                    for (uint32_t c = first[at]; c < first[at + 1]; c++) {
                        const double *m = body->planes + 4 * beside[c];
                        const double high = m[3] - m[0] * z[0] - m[1] * z[1] - m[2] * z[2];
                        if (high < low) {
                            low = high;
                            at = beside[c];
                            lower = true;
                        }
                    }
                }
                assert_true(at == face[1 - e]);
            }
            crossed += face[0] != face[1];
        }
        assert_true(crossed > 100);
        for (uint32_t f = 0; f < body->nf; f++) /* either both know each other or none */
            for (uint32_t c = first[f]; c < first[f + 1]; c++) {
                bool known = false;
                for (uint32_t d = first[beside[c]]; d < first[beside[c] + 1]; d++)
                    known = known || beside[d] == f;
                assert_true(known);
            }
        jo_press_cells_free(&cells);
        jo_polyhedron_destroy(bodies[k]);
    }
}

/* A coin of many sides: its faces are beside all of them, each of those beside two and the faces.
 */
static void test_coin_cells(void **state)
{
    (void)state;
    jo_solid_def def = jo_solid_def_default("prism");
    jo_polyhedron *coin;
    press_cells cells = {.depth = 0};
    def.sides = 40000;
    def.height = 0.5;
    assert_int_equal(jo_polyhedron_solid(&def, &coin, NULL), JO_OK);
    assert_true(jo_press_cells_make(coin, &cells));
    const uint32_t *first = cells.first.data;
    for (uint32_t f = 0; f < coin->nf; f++) {
        size_t edges = 0;
        uint32_t h = coin->face_edge[f];
        do {
            edges++;
            h = coin->next[h];
        } while (h != coin->face_edge[f]);
        const uint32_t count = first[f + 1] - first[f];
        assert_true(edges > 4 ? count >= 40000 : count >= 4 && count < 40);
    }
    jo_press_cells_free(&cells);
    jo_polyhedron_destroy(coin);
}

static void assert_same(const press *p, const press *q)
{
    assert_true(fabs(p->total - q->total) < 1e-9 * q->total);
    assert_true(fabs(p->deepest - q->deepest) < 1e-9 * q->deepest);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(p->force[k] - q->force[k]) < 1e-9 * q->total);
        assert_true(fabs(p->moment[k] - q->moment[k]) < 1e-9 * q->total);
        assert_true(fabs(p->first[k] - q->first[k]) < 1e-9 * q->total);
        assert_true(fabs(p->second[k] - q->second[k]) < 1e-9 * q->total);
        assert_true(fabs(p->second[3 + k] - q->second[3 + k]) < 1e-9 * q->total);
    }
}

/* Walking over faces beside each other gives what all planes give, wherever it begins. */
static void test_near(void **state)
{
    (void)state;
    static const double origin[3] = {0, 0, 0};
    int compared = 0, lost = 0;
    press_scratch s = {.stamp = 0};
    press_planes a = {.count = 0}, b = {.count = 0};
    for (uint64_t seed = 0; seed < 120; seed++) {
        pair p;
        press all, near;
        make(&p, (int)(seed % 3), seed, 1.0 + 0.1 * (double)(seed % 8));
        planes_of(&p, &s, &a, &b);
        if (a.count > 0 && jo_press(&a, &b, NULL, 0, p.size, 0, 0, &s, &all)) {
            press_cells cells[2] = {{.depth = 0}, {.depth = 0}};
            assert_true(jo_press_cells_make(p.a, &cells[0]) && jo_press_cells_make(p.b, &cells[1]));
            for (int start = 0; start < 3; start++) { /* known faces, a hint, nothing at all */
                const press_side one = {.body = p.a,
                                        .cells = &cells[0],
                                        .pose = &p.pose_a,
                                        .start = start == 0 ? all.a : UINT32_MAX},
                                 two = {.body = p.b,
                                        .cells = &cells[1],
                                        .pose = &p.pose_b,
                                        .more = 1e-13,
                                        .start = start == 0 ? all.b : UINT32_MAX};
                double hint[3];
                for (int k = 0; k < 3; k++)
                    hint[k] = start == 1 ? all.first[k] / all.total : 0.5 * p.pose_b.at[k];
                const press_found found =
                    jo_press_near(&one, &two, NULL, 0, origin, p.size, hint, &s, &near);
                if (found == PRESS_DEEP) {
                    assert_true(all.deepest > fmin(cells[0].depth, cells[1].depth));
                    continue;
                }
                if (start < 2) assert_int_equal(found, PRESS_YES);
                lost += found != PRESS_YES;
                if (found != PRESS_YES) continue;
                assert_same(&near, &all);
                compared++;
            }
            jo_press_cells_free(&cells[0]);
            jo_press_cells_free(&cells[1]);
        }
        discard(&p);
    }
    jo_press_planes_free(&a);
    jo_press_planes_free(&b);
    jo_press_scratch_free(&s);
    printf("compared %d, lost %d\n", compared, lost);
    assert_true(compared > 100 && lost < compared / 10);
}

/* Prisms of many sides, flat on each other or on a floor: more faces beside a piece than are usual
 * are no reason to look at all of them. */
static void test_coins(void **state)
{
    (void)state;
    static const double origin[3] = {0, 0, 0}, floor_plane[1][4] = {{0, 0, 1, 0}};
    static const size_t sides[] = {7, 30, 31, 62, 100};
    press_scratch s = {.stamp = 0};
    press_planes a = {.count = 0}, b = {.count = 0};
    for (size_t k = 0; k < 2 * sizeof sides / sizeof *sides; k++) {
        const bool on_floor = k % 2;
        jo_solid_def def = jo_solid_def_default("prism");
        pair p = {.size = 4};
        press near, all;
        press_cells cells = {.depth = 0};
        def.sides = sides[k / 2];
        def.height = 0.4;
        assert_int_equal(jo_polyhedron_solid(&def, &p.a, NULL), JO_OK);
        p.b = p.a;
        turned(&p.pose_a, (double[4]){1, 0, 0, 0.1}, (double[3]){0, 0, 0.19});
        turned(&p.pose_b, (double[4]){1, 0.001, 0, 0}, (double[3]){0.1, 0, 0.58});
        assert_true(jo_press_cells_make(p.a, &cells));
        planes_of(&p, &s, &a, &b);
        if (on_floor) {
            const double down[3] = {0, 0, -1};
            a.count = b.count = 0;
            assert_true(jo_press_cap(p.a, &p.pose_a, origin, down, poly_support(p.a, down), 0.01, 0,
                                     &s, &a));
            assert_true(jo_press_plane(&b, floor_plane[0], 0, 0));
        }
        assert_true(jo_press(&a, &b, NULL, 0, p.size, 0, 0, &s, &all));
        const press_side lower = {.body = p.a, .cells = &cells, .pose = &p.pose_a, .start = all.a};
        const press_side upper = {.body = on_floor ? NULL : p.b,
                                  .cells = &cells,
                                  .pose = &p.pose_b,
                                  .planes = floor_plane,
                                  .plane_count = 1,
                                  .more = 1e-13,
                                  .start = all.b};
        const press_found found =
            jo_press_near(&lower, &upper, NULL, 0, origin, p.size, origin, &s, &near);
        assert_int_equal(found, PRESS_YES);
        assert_same(&near, &all);
        jo_press_cells_free(&cells);
        jo_polyhedron_destroy(p.a);
    }
    jo_press_planes_free(&a);
    jo_press_planes_free(&b);
    jo_press_scratch_free(&s);
}

/* Lines that nearly go through one point: rounding puts corners there on either side, yet no cut
 * adds more than one corner, for which there is room. */
static void test_cuts_through_a_point(void **state)
{
    (void)state;
    enum { LINES = 60 };
    void *memory = calloc(1, polygons_size(4 + LINES));
    random_stream r = jo_random_start(11, 0);
    assert_non_null(memory);
    for (int trial = 0; trial < 20000; trial++) {
        polygon room[2], *from = &room[0], *to = &room[1];
        const double u = jo_random_uniform(&r) - 0.5, v = jo_random_uniform(&r) - 0.5;
        polygons_place(memory, 4 + LINES, room);
        start_polygon(from, 1);
        for (int k = 0; k < LINES && from->n > 0; k++) {
            const double angle = 3.2 * jo_random_uniform(&r) + 0.3 * (double)(trial % 7);
            const linear h = {-cos(angle) * u - sin(angle) * v, cos(angle), sin(angle)};
            const size_t before = from->n;
            cut_polygon(&from, &to, h, k);
            assert_true(from->n <= before + 1);
        }
    }
    free(memory);
}

/* ---- what is kept from step to step ---- */

typedef struct tally {
    int looked, again, made, longest;
} tally;

/* What is kept gives the same bits whatever it was compiled for, and becomes the same. */
static bool again_alike(press_kept *kept, const press_side *one, const press_side *two, double size,
                        press *out)
{
    _Alignas(64) unsigned char copy[KEPT_BYTES];
    press_kept *other = (press_kept *)(void *)copy;
    press plain;
    memset(out, 0, sizeof *out);
    memset(&plain, 0, sizeof plain);
    memcpy(copy, kept, KEPT_BYTES);
    const bool is = jo_press_again(kept, one, two, NULL, 0, size, out);
    assert_int_equal(is, jo_press_again_plain(other, one, two, NULL, 0, size, &plain));
    if (!is) return false;
    assert_memory_equal(out, &plain, sizeof plain);
    assert_memory_equal(kept, other, press_kept_bytes(kept));
#ifdef JO_TEST_AVX2
    if (__builtin_cpu_supports("avx2")) {
        memcpy(copy, kept, KEPT_BYTES);
        assert_true(jo_press_again_avx2(other, one, two, NULL, 0, size, &plain));
        assert_memory_equal(out, &plain, sizeof plain);
    }
#endif
    return true;
}

/* Moves both bodies by little and then more, and compares what the kept surface says, wherever it
 * says anything, with all planes. */
static void follow_kept(pair *p, const press_cells cells[2], random_stream *r, tally *t)
{
    static const double origin[3] = {0, 0, 0};
    press_scratch s = {.stamp = 0};
    press_planes a = {.count = 0}, b = {.count = 0};
    _Alignas(64) unsigned char memory[KEPT_BYTES];
    press_kept *kept = (press_kept *)(void *)memory;
    press all = {.total = 0}, now;
    double near[3] = {0, 0, 0};
    memset(memory, 0, sizeof memory); /* nothing is kept */
    int run = 0;
    for (int step = 0; step < 400; step++) {
        const double by = step % 4 == 3 ? 3e-3 : step % 2 ? 1e-4 : 1e-7;
        for (int k = 0; k < 6; k++) {
            if (k > 2) nudge(&p->pose_a, k, by * jo_random_normal(r)); /* it stays at the origin */
            nudge(&p->pose_b, k, by * jo_random_normal(r));
        }
        planes_of(p, &s, &a, &b);
        if (a.count == 0 || !jo_press(&a, &b, NULL, 0, p->size, all.a, all.b, &s, &all)) break;
        const press_side one = {.body = p->a,
                                .cells = &cells[0],
                                .pose = &p->pose_a,
                                .start = all.a},
                         two = {.body = p->b,
                                .cells = &cells[1],
                                .pose = &p->pose_b,
                                .more = 1e-13,
                                .start = all.b};
        t->looked++;
        if (again_alike(kept, &one, &two, p->size, &now)) {
            assert_same(&now, &all);
            for (int k = 0; k < 3; k++)
                assert_true(fabs(now.area[k] - all.area[k]) < 1e-8 * all.total / all.deepest);
            t->again++;
            run++;
        } else {
            if (run > t->longest) t->longest = run;
            run = 0;
            kept->pieces = 0;
            if (jo_press_near(&one, &two, NULL, 0, origin, p->size, near, &s, &now) == PRESS_YES) {
                const size_t took = jo_press_keep(&one, &two, 0, &now, &s, kept, KEPT_BYTES);
                t->made += took > 0;
                assert_true(jo_press_kept_fine(kept, KEPT_BYTES, p->a->nf, p->b->nf, 0));
                assert_true(took == 0 || took == press_kept_bytes(kept));
            }
        }
        for (int k = 0; k < 3; k++)
            near[k] = all.first[k] / all.total;
    }
    jo_press_planes_free(&a);
    jo_press_planes_free(&b);
    jo_press_scratch_free(&s);
}

static void test_kept(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 0; seed < 90; seed++) {
        pair p;
        press_cells cells[2] = {{.depth = 0}, {.depth = 0}};
        random_stream r = jo_random_start(17, seed);
        make(&p, (int)(seed % 3), seed, 2.2);
        assert_true(jo_press_cells_make(p.a, &cells[0]) && jo_press_cells_make(p.b, &cells[1]));
        double deep = 0.01 * (double)(1 + seed % 4); /* b comes nearer until they overlap */
        for (double far = 2.2; far > 0.2; far -= deep) {
            press now;
            for (int k = 0; k < 3; k++)
                p.pose_b.at[k] *= (far - deep) / far;
            if (energy(&p, &now) > 0) break;
        }
        follow_kept(&p, cells, &r, &t);
        jo_press_cells_free(&cells[0]);
        jo_press_cells_free(&cells[1]);
        discard(&p);
    }
    printf("looked %d, from what was kept %d, made %d, longest %d\n", t.looked, t.again, t.made,
           t.longest);
    assert_true(t.again > t.looked / 2 && t.made > 100);
}

/* ---- the tangent ---- */

typedef struct asking {
    const pair *p;
    press_scratch *s;
} asking;

/* How b presses on a, which is at the origin, if it is there: by all planes. */
static bool ask_planes(void *context, const jo_pose *there, press *out)
{
    const asking *c = context;
    pair p = *c->p;
    press_planes a = {.count = 0}, b = {.count = 0};
    p.pose_b = *there;
    planes_of(&p, c->s, &a, &b);
    const bool is = a.count > 0 && jo_press(&a, &b, NULL, 0, p.size, 0, 0, c->s, out);
    jo_press_planes_free(&a);
    jo_press_planes_free(&b);
    return is;
}

/* By how much what the tangent says is off: force and total over the total, moment about the centre
 * over that and the surface's radius, the centre over the radius, area and mean squares of the
 * distance from the centre in hundredths of its square. */
static double off_by(const press *p, const press *q, double wide)
{
    double most = fabs(p->total - q->total) / q->total, moment[2][3];
    for (int e = 0; e < 2; e++) {
        const press *of = e == 0 ? p : q;
        for (int k = 0; k < 3; k++) {
            const int y = (k + 1) % 3, z = (k + 2) % 3;
            moment[e][k] = of->moment[k] -
                           (q->first[y] * of->force[z] - q->first[z] * of->force[y]) / q->total;
        }
    }
    for (int k = 0; k < 3; k++) {
        const double force = fabs(p->force[k] - q->force[k]) / q->total;
        const double centre = fabs(p->first[k] / p->total - q->first[k] / q->total) / wide;
        const double turning = fabs(moment[0][k] - moment[1][k]) / (q->total * wide);
        const double area = fabs(p->area[k] - q->area[k]) / (100 * wide * wide);
        most = fmax(most, fmax(fmax(force, area), fmax(centre, turning)));
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        const double said =
            p->second[k] / p->total - p->first[row[k]] / p->total * p->first[column[k]] / p->total;
        const double is =
            q->second[k] / q->total - q->first[row[k]] / q->total * q->first[column[k]] / q->total;
        most = fmax(most, fabs(said - is) / (100 * wide * wide));
    }
    return most;
}

typedef struct tangent_tally {
    int taken, refused, compared, beyond;
    double worst, reach; /* mean of reach over depth */
} tangent_tally;

/* Moves b about where the tangent was taken, and compares. */
static void around_tangent(const press_tangent *t, const pair *p, const asking *c, random_stream *r,
                           tangent_tally *sum)
{
    double place[3];
    for (int k = 0; k < 3; k++)
        place[k] = p->pose_a.turn[3 * k] * t->ref[0] + p->pose_a.turn[3 * k + 1] * t->ref[1] +
                   p->pose_a.turn[3 * k + 2] * t->ref[2];
    for (int trial = 0; trial < 20; trial++) {
        pair moved = *p;
        press said, is;
        const double far = trial < 16 ? 0.5 : 3; /* parts of reach */
        for (int k = 0; k < 3; k++)
            moved.pose_b.at[k] -= place[k]; /* turns are about the surface */
        for (int k = 0; k < 6; k++)
            nudge(&moved.pose_b, k,
                  far * t->reach / (k < 3 ? 1 : t->wide) * (2 * jo_random_uniform(r) - 1));
        for (int k = 0; k < 3; k++)
            moved.pose_b.at[k] += place[k];
        /* Both are carried along: only where one is in the frame of the other matters. */
        if (trial % 2) {
            const double turn = 0.3 * jo_random_normal(r);
            nudge(&moved.pose_a, 3 + trial % 3, turn);
            nudge(&moved.pose_b, 3 + trial % 3, turn);
        }
        if (!jo_press_tangent(t, &moved.pose_a, &moved.pose_b, &said)) {
            sum->beyond++;
            continue;
        }
        const asking there = {&moved, c->s};
        assert_true(ask_planes((void *)&there, &moved.pose_b, &is));
        sum->worst = fmax(sum->worst, off_by(&said, &is, t->wide));
        sum->compared++;
    }
}

/* Within its reach the tangent is what all planes say. */
static void test_tangent(void **state)
{
    (void)state;
    tangent_tally sum = {0};
    press_scratch s = {.stamp = 0};
    for (uint64_t seed = 0; seed < 120; seed++) {
        pair p;
        press now;
        random_stream r = jo_random_start(23, seed);
        make(&p, (int)(seed % 3), seed, 2.2);
        const double deep = 0.004 * (double)(1 + seed % 5);
        bool met = false;
        for (double far = 2.2; far > 0.2 && !met; far -= deep) {
            for (int k = 0; k < 3; k++)
                p.pose_b.at[k] *= (far - deep) / far;
            met = energy(&p, &now) > 0;
        }
        const asking c = {&p, &s};
        press_tangent t = {.trial = 1e-4 * now.deepest};
        press told;
        assert_false(jo_press_tangent(&t, &p.pose_a, &p.pose_b, &told));
        for (int again = 0; again < 3; again++) {
            jo_press_take_tangent(&t, &p.pose_a, &p.pose_b, &now, ask_planes, (void *)&c);
            assert_true(t.trial > 0 && isfinite(t.trial));
        }
        sum.taken += t.reach > 0;
        sum.refused += !(t.reach > 0);
        if (t.reach > 0) {
            assert_true(jo_press_tangent(&t, &p.pose_a, &p.pose_b, &told));
            assert_same(&told, &now);
            sum.reach += t.reach / now.deepest;
            around_tangent(&t, &p, &c, &r, &sum);
        }
        discard(&p);
    }
    jo_press_scratch_free(&s);
    printf("tangents taken %d, refused %d, mean reach %.2g depths; compared %d, beyond %d, off by "
           "%.2g\n",
           sum.taken, sum.refused, sum.reach / sum.taken, sum.compared, sum.beyond, sum.worst);
    assert_true(sum.taken > 110 && sum.compared > 1000 && sum.beyond > 200);
    assert_true(sum.worst < 4 * TANGENT_PRECISION);
}

/* Cubes on each other edge to edge: a face beside the contact jumps from one to the other as they
 * slide, and forces have a kink or jump, where there is no tangent. Near it there may be one, which
 * must be as good as any. */
static void test_tangent_at_edges(void **state)
{
    (void)state;
    static const double offsets[] = {0, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
    static const double q[2][4] = {{1, 0, 0, 0}, {1, 1e-7, 2e-8, 0}};
    const double h = 1 / sqrt(3.0), origin[3] = {0, 0, 0};
    tangent_tally sum = {0};
    press_scratch s = {.stamp = 0};
    for (size_t k = 0; k < 2 * sizeof offsets / sizeof *offsets; k++) {
        const double x = offsets[k / 2], at[3] = {x, 0.3 * x, 2 * h - 0.01};
        pair p = {.a = solid("cube"), .b = solid("cube"), .size = 2};
        press now;
        random_stream r = jo_random_start(29, k);
        turned(&p.pose_a, q[0], origin);
        turned(&p.pose_b, q[k % 2], at);
        const asking c = {&p, &s};
        assert_true(ask_planes((void *)&c, &p.pose_b, &now));
        press_tangent t = {.trial = 1e-4 * now.deepest};
        for (int again = 0; again < 8; again++) {
            jo_press_take_tangent(&t, &p.pose_a, &p.pose_b, &now, ask_planes, (void *)&c);
            sum.taken += t.reach > 0;
            sum.refused += !(t.reach > 0);
            if (t.reach > 0) around_tangent(&t, &p, &c, &r, &sum);
        }
        discard(&p);
    }
    jo_press_scratch_free(&s);
    printf("tangents at edges: taken %d, refused %d; compared %d, off by %.2g\n", sum.taken,
           sum.refused, sum.compared, sum.worst);
    assert_true(sum.refused > 10 && sum.compared > 100);
    assert_true(sum.worst < 4 * TANGENT_PRECISION);
}

/* Half a turn about the surface's middle leaves that where it was; nothing else is. */
static void test_tangent_half_turn(void **state)
{
    (void)state;
    for (int axis = 3; axis < 6; axis++) {
        press_tangent t = {.on_b = {0, 0, 0}, .wide = 0.1, .total = 1, .reach = 1e-3};
        jo_pose a, b;
        press out;
        const double q[4] = {1, 0.2, 0.1, 0.3}, origin[3] = {0, 0, 0};
        turned(&a, q, origin);
        turned(&b, q, origin);
        for (int k = 0; k < 3; k++)
            t.turn[4 * k] = 1;
        assert_true(jo_press_tangent(&t, &a, &b, &out));
        nudge(&b, axis, 3.14159265358979);
        assert_false(jo_press_tangent(&t, &a, &b, &out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells),
                                       cmocka_unit_test(test_coin_cells),
                                       cmocka_unit_test(test_near),
                                       cmocka_unit_test(test_coins),
                                       cmocka_unit_test(test_cuts_through_a_point),
                                       cmocka_unit_test(test_kept),
                                       cmocka_unit_test(test_tangent),
                                       cmocka_unit_test(test_tangent_at_edges),
                                       cmocka_unit_test(test_tangent_half_turn),
                                       cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_integral),
                                       cmocka_unit_test(test_mattress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
