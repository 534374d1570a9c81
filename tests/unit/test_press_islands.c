/* test_press_islands.c — sharp bodies, whose surface between them may have islands: all of them
 * press, and none comes unseen. */
#include "narrow/press_islands.h"
#include "support/press_pairs.h"

/* Two sharp bodies at random, near each other. */
static void make_sharp(pair *p, uint64_t seed)
{
    random_stream r = jo_random_start(97, seed);
    jo_solid_def wedge = jo_solid_def_default("prism");
    double q[4], at[3] = {0, 0, 0};
    wedge.sides = 3;
    for (int side = 0; side < 2; side++) {
        jo_polyhedron **made = side == 0 ? &p->a : &p->b;
        const double kind = jo_random_uniform(&r);
        if (kind < 0.5)
            *made = solid("tetrahedron");
        else if (kind < 0.7)
            assert_int_equal(jo_polyhedron_solid(&wedge, made, NULL), JO_OK);
        else
            *made = kind < 0.9 ? rock(8, seed) : solid("cube");
        for (int k = 0; k < 4; k++)
            q[k] = jo_random_normal(&r);
        for (int k = 0; k < 3 && side == 1; k++)
            at[k] = 0.5 * jo_random_normal(&r);
        turned(side == 0 ? &p->pose_a : &p->pose_b, q, at);
    }
    p->size = 2.5;
}

/* How sharp bodies press, by the walk; false: not at all. */
static bool press_sharp(const pair *p, const press_cells cells[2], press_scratch *s, press *out)
{
    static const double origin[3] = {0, 0, 0};
    press known;
    if (!(energy(p, &known) > 0)) return false;
    const press_side one = {.body = p->a, .cells = &cells[0], .pose = &p->pose_a, .start = known.a};
    const press_side two = {
        .body = p->b, .cells = &cells[1], .pose = &p->pose_b, .more = 1e-13, .start = known.b};
    assert_int_equal(jo_press_near(&one, &two, NULL, 0, origin, p->size, origin, s, out),
                     PRESS_YES);
    return true;
}

/* Pulled apart bit by bit: as long as edges go through the same faces, what is kept of a surface
 * without islands is all of it, or known to be another now. Returns how often islands came. */
static int follow_islands(pair *p, const press_cells cells[2], press_scratch *s)
{
    _Alignas(64) unsigned char memory[KEPT_BYTES];
    press_kept *kept = (press_kept *)(void *)memory;
    press_crossings crossings;
    uint64_t hash = 0;
    bool had = true;
    int begun = 0;
    press now, again;
    memset(memory, 0, sizeof memory);
    while (press_sharp(p, cells, s, &now)) {
        const press_side one = {.body = p->a, .cells = &cells[0], .pose = &p->pose_a},
                         two = {
                             .body = p->b, .cells = &cells[1], .pose = &p->pose_b, .more = 1e-13};
        const bool sharp = jo_press_sharp(&one, &two);
        assert_true(sharp || !now.islands);
        crossings.hash = 0;
        if (sharp) jo_press_crossings(&one, &two, &crossings);
        begun += now.islands && !had;
        had = now.islands;
        if (hash == crossings.hash && kept->pieces > 0 &&
            jo_press_again(kept, &one, &two, NULL, 0, p->size, &again))
            assert_true(fabs(again.total - now.total) < 5e-4 * now.total + 1e-12);
        hash = crossings.hash;
        kept->pieces = 0;
        if (!now.islands) jo_press_keep(&one, &two, 0, &now, s, kept, KEPT_BYTES);
        for (int k = 0; k < 3; k++)
            p->pose_b.at[k] = 1.01 * p->pose_b.at[k] + 1e-4;
    }
    return begun;
}

/* A corner that comes out again beyond an edge: the surface has islands, and all of them press.
 * Which islands there are can be told from the places where edges go through faces. */
static void test_islands(void **state)
{
    (void)state;
    press_scratch s = {.stamp = 0};
    int touched = 0, islands = 0, begun = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        pair p;
        press now, scrap;
        press_cells cells[2] = {{.depth = 0}, {.depth = 0}};
        make_sharp(&p, seed);
        assert_true(jo_press_cells_make(p.a, &cells[0]) && jo_press_cells_make(p.b, &cells[1]));
        const bool touch = press_sharp(&p, cells, &s, &now);
        touched += touch;
        islands += touch && now.islands;
        for (int k = 0; k < 6 && touch && now.islands; k++) {
            const double by = 1e-6;
            pair up = p, down = p;
            nudge(&up.pose_a, k, by);
            nudge(&down.pose_a, k, -by);
            const double slope = (energy(&down, &scrap) - energy(&up, &scrap)) / (2 * by);
            const double said = k < 3 ? now.force[k] : now.moment[k - 3];
            if (!(fabs(slope - said) <= 2e-5 * now.total + 1e-9))
                fail_msg("pair %d: %g, the potential says %g", (int)seed, said, slope);
        }
        if (touch) begun += follow_islands(&p, cells, &s);
        jo_press_cells_free(&cells[0]);
        jo_press_cells_free(&cells[1]);
        discard(&p);
    }
    jo_press_scratch_free(&s);
    printf("%d touched, %d with islands, %d of which began on the way\n", touched, islands, begun);
    assert_true(touched > 1000 && islands > 50 && begun > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_islands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
