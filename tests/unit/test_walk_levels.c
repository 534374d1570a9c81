/* The walk compiled for several kinds of processors finds the same to the last bit: features,
 * points, depths, of pairs that are apart, touch, overlap little and deeply, from scratch and
 * followed; bodies of few faces, where the ways differ most, and of as many as the searches have
 * limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "narrow/walk.h"

enum { BODIES_MAX = 32 };

typedef struct bodies {
    jo_polyhedron *body[BODIES_MAX];
    int count;
} bodies;

static void add_solid(bodies *to, const char *name, int sides)
{
    jo_solid_def def = jo_solid_def_default(name);
    jo_error error = {0};
    if (sides > 0) def.sides = (size_t)sides;
    if (jo_polyhedron_solid(&def, &to->body[to->count++], &error) != JO_OK)
        fail_msg("%s", error.text);
}

static void add_rock(bodies *to, int faces, uint64_t seed)
{
    jo_rock_def def = jo_rock_def_default();
    jo_error error = {0};
    def.faces = (size_t)faces;
    def.seed = seed;
    def.irregularity = 0.3;
    if (jo_polyhedron_rock(&def, &to->body[to->count++], &error) != JO_OK)
        fail_msg("%s", error.text);
}

/* A box whose third side is short. */
static void add_plate(bodies *to, double thin)
{
    double x[24];
    jo_error error = {0};
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            x[3 * k + i] = (k >> i & 1 ? 1.0 : -1.0) * (i == 2 ? thin : 1.0);
    if (jo_polyhedron_from_points(x, 8, &to->body[to->count++], &error) != JO_OK)
        fail_msg("%s", error.text);
}

static void make_bodies(bodies *to)
{
    static const char *const named[] = {"tetrahedron", "cube", "octahedron", "dodecahedron",
                                        "icosahedron"};
    static const int faces[] = {4, 6, 8, 10, 12, 14, 16, 18, 20, 32, 48, 64, 66, 72, 74, 100, 200};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        add_solid(to, named[k], 0);
    for (int sides = 3; sides <= 7; sides++)
        add_solid(to, "prism", sides);
    add_plate(to, 0.01);
    for (size_t k = 0; k < sizeof faces / sizeof *faces; k++)
        add_rock(to, faces[k], k + 1);
}

/* What a query gave, without what it leaves open. */
typedef struct answer {
    walk_end end;
    jo_feature_pair pair;
    jo_closest out;
} answer;

static answer ask(walk_query *query, const jo_polyhedron *a, const jo_pose *pose_a,
                  const jo_polyhedron *b, const jo_pose *pose_b, jo_feature_pair from)
{
    walk w;
    answer it;
    memset(&it, 0, sizeof it);
    it.pair = from;
    it.end = query(&w, a, pose_a, b, pose_b, &it.pair, &it.out);
    if (it.end == WALK_APART || it.end == WALK_FOLLOWED) return it;
    memset(&it.out, 0, sizeof it.out);
    it.pair = (jo_feature_pair){w.feature[0], w.feature[1]};
    return it;
}

/* From scratch, followed, and as if apart. */
static void ask_all(const walk_level *level, const jo_polyhedron *a, const jo_polyhedron *b,
                    const jo_pose pose[2], jo_feature_pair from, answer to[3])
{
    const jo_feature_pair none = {{0, 0}, {0, 0}};
    to[0] = ask(level->contact, a, &pose[0], b, &pose[1], none);
    to[1] = ask(level->follow, a, &pose[0], b, &pose[1], from);
    to[2] = ask(level->apart, a, &pose[0], b, &pose[1], from);
}

static bool same3(const double a[3], const double b[3])
{
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

static bool same_answer(const answer *a, const answer *b)
{
    const jo_closest *x = &a->out, *y = &b->out;
    return a->end == b->end && memcmp(&a->pair, &b->pair, sizeof a->pair) == 0 &&
           x->distance == y->distance && same3(x->on_a, y->on_a) && same3(x->on_b, y->on_b) &&
           same3(x->normal, y->normal) && x->overlap == y->overlap && x->exact == y->exact &&
           x->proved == y->proved;
}

typedef struct tally {
    long asked, overlaps, followed;
} tally;

/* Two bodies at some distance, turned a little from step to step: all levels, each query from
 * scratch and followed. Those that are `aligned` are not turned: many axes are equal then. */
static void compare(const bodies *of, random_stream *r, double share, int steps, bool aligned,
                    tally *t)
{
    const walk_level *levels[3];
    const size_t n = jo_walk_levels(levels);
    const jo_polyhedron *a = of->body[jo_random_bits(r) % (uint64_t)of->count];
    const jo_polyhedron *b = of->body[jo_random_bits(r) % (uint64_t)of->count];
    const double inner = jo_polyhedron_look(a).inradius + jo_polyhedron_look(b).inradius;
    jo_feature_pair pair = {{0, 0}, {0, 0}};
    jo_pose pose[2] = {{{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                       {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    double q[2][4];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            q[i][k] = aligned ? (double)(k == 0) : jo_random_normal(r);
    pose[1].at[0] = share * inner;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 4; k++)
                q[i][k] += aligned ? 0.0 : 0.01 * jo_random_normal(r);
            jo_pose_turn(&pose[i], q[i]);
        }
        answer first[3], it[3];
        ask_all(&jo_walk_plain, a, b, pose, pair, first);
        for (size_t l = 1; l < n; l++) {
            ask_all(levels[l], a, b, pose, pair, it);
            for (int k = 0; k < 3; k++)
                if (!same_answer(&first[k], &it[k]))
                    fail_msg("query %d, %zu and %zu faces, %g of the inner radii: %.17g by %s, "
                             "%.17g plain",
                             k, jo_polyhedron_look(a).faces, jo_polyhedron_look(b).faces, share,
                             it[k].out.distance, levels[l]->name, first[k].out.distance);
        }
        pair = first[0].pair;
        t->asked++;
        t->overlaps += first[0].out.overlap;
        t->followed += first[1].end == WALK_FOLLOWED;
    }
}

static void levels_agree(void **state)
{
    (void)state;
    static const double share[] = {0.0, 0.3, 0.9, 0.99, 1.0, 1.1, 1.3, 2.0};
    random_stream r = jo_random_start(7, 0);
    bodies all = {.count = 0};
    tally t = {0, 0, 0};
    make_bodies(&all);
    for (int k = 0; k < 4000; k++)
        compare(&all, &r, share[k % 8], 10, k % 10 == 9, &t);
    print_message("%ld poses, %ld overlaps, %ld followed\n", t.asked, t.overlaps, t.followed);
    assert_true(t.overlaps > t.asked / 4 && t.overlaps < t.asked);
    assert_true(t.followed > t.asked / 4);
    for (int k = 0; k < all.count; k++)
        jo_polyhedron_destroy(all.body[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
