/* test_flat_pairs.c — when two polygons that fly and turn first meet, against the true motion in
 * quadruple precision.
 *
 * Random pairs, convex, stars, combs and squares, thrown at each other with spins of either kind,
 * under gravity, asked of the engine as a whole (jostle/kinetic.h): its triangulation, its flips,
 * its roots. The reference knows no triangles. It knows how far every corner of one is from every
 * edge of the other, and that no two points approach each other faster than the bodies' relative
 * velocity and spins allow; so it walks, never farther than the distance over that speed: nothing
 * can be stepped over. Far apart the walk is in double; within 2e-6 in long double, with those
 * corners and edges that can matter; the last bit, from a thousandth of the gap on, in quadruple
 * precision by bisection with its own sine and cosine.
 *
 * Bodies meet when a corner is as near to an edge as `gap`. Demanded, where that happens between
 * the ends of the edge:
 *
 *   of `exact`: the reference's time within 1e-12 (where they approach so slowly that rounding of
 * places decides, slower than a thousandth of the speed: the distance within 1e-14); of `fast` and
 * `sturm`: the distance at their time is the gap within 4 % of it, which is what the series of two
 *     bodies, each held to 2 %, may be off by, and the time accordingly.
 *
 * Combs that meet teeth to teeth while they hardly turn (by 1e-9 of a radian) have many corners
 * within a gap of each other's lines; one may be hidden behind the others for a while. There a
 * distance from 0.01 of the gap on is accepted, once in a thousand meetings.
 *
 * Where a corner meets a corner, the distance is the gap within 5 %. A meeting that one of the two
 * does not see must be such a one, or come within 0.1 % of not being one.
 *
 * 2,000 pairs; JOSTLE_TEST_SCALE=0.02 tries 10^5, and JOSTLE_TEST_FIRST=k begins with the k-th. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/quad_balls.h" /* what a quad is */

#if QUAD_AVAILABLE

#include "jostle/kinetic.h"
#include "support/polygon_scenes.h"
#include "support/quad_turn.h"
#include "support/scaled.h"

enum { CORNERS_MAX = 32, NEAR_MAX = 64 };
static const double UNTIL = 2.0, GRAVITY = 0.5, NEAR = 2e-6, ASIDE = 1e-3, END = -1.0;

typedef struct rigid {
    double x[2], v[2], spin;
    size_t n;
    double arm[2 * CORNERS_MAX]; /* at time 0 */
} rigid;

typedef struct pair {
    rigid body[2];
    double gap, fastest; /* no two points of the bodies approach each other faster */
} pair;

typedef struct feature { /* a corner of one and an edge of the other */
    int of;
    size_t corner, edge;
} feature;

/* What the two have come to at a time: their distance, and whether it is that of a corner from a
 * corner. */
typedef struct meeting {
    double distance;
    bool at_end;
} meeting;

#define REAL          double
#define REACH(name)   plain_##name
#define TURN(a, c, s) (*(c) = cos(a), *(s) = sin(a))
#define ROOT(a)       sqrt(a)
#include "support/pair_distance.h"

#define REAL          long double
#define REACH(name)   long_##name
#define TURN(a, c, s) (*(c) = cosl(a), *(s) = sinl(a))
#define ROOT(a)       sqrtl(a)
#include "support/pair_distance.h"

#define REAL          quad
#define REACH(name)   quad_##name
#define TURN(a, c, s) quad_turn(a, c, s)
#define ROOT(a)       quad_root(a)
#include "support/pair_distance.h"

static quad quad_apart(const pair *p, const feature *f, size_t n, quad t)
{
    quad least = 1, along;
    for (size_t k = 0; k < n; k++) {
        const quad d = quad_distance(p, &f[k], t, &along);
        if (d < least) least = d;
    }
    return least;
}

/* All that are nearer than `within` at t; the least distance. */
static double collect(const pair *p, double t, double within, feature *near, size_t *count)
{
    double place[2][2 * CORNERS_MAX], least = INFINITY;
    for (int b = 0; b < 2; b++)
        plain_places(&p->body[b], t, place[b]);
    *count = 0;
    for (int of = 0; of < 2; of++)
        for (size_t c = 0; c < p->body[of].n; c++)
            for (size_t e = 0, n = p->body[1 - of].n; e < n; e++) {
                double along;
                const double d = plain_from_edge(place[of] + 2 * c, place[1 - of] + 2 * e,
                                                 place[1 - of] + 2 * ((e + 1) % n), &along);
                least = fmin(least, d);
                if (d >= within) continue;
                assert_true(*count < NEAR_MAX);
                near[(*count)++] = (feature){of, c, e};
            }
    return least;
}

/* From `t`, where no corner but those in `near` is nearer than ASIDE. True: the time of meeting,
 * between *t and *after, is found; false: nothing meets until *t, and all have to be looked at
 * again. */
static bool walk_near(const pair *p, const feature *near, size_t count, double *t, double *after)
{
    const long double fastest = p->fastest, gap = p->gap;
    const long double limit = *t + 0.9L * ASIDE / fastest;
    long double now = *t;
    while (now < limit && now < UNTIL) {
        long double least = 1.0L, along;
        for (size_t k = 0; k < count; k++)
            least = fminl(least, long_distance(p, &near[k], now, &along));
        const long double free = least - gap;
        if (free > 2 * NEAR) break;
        *t = (double)now;
        if (free < 1e-3L * gap) {
            /* Certain not to have met just before, whatever rounding of the time to double did. */
            *t -= 4e-16;
            *after = *t + 1e-15 + 2e-3 * p->gap / p->fastest;
            return true;
        }
        now += free / fastest;
    }
    *t = fmin((double)now, UNTIL);
    return false;
}

/* The first time at which they are as near as the gap; END if they never are. */
static double first_meeting(const pair *p)
{
    feature near[NEAR_MAX];
    size_t count;
    double t = 0.0, after;
    while (t < UNTIL) {
        const double free = collect(p, t, 0.0, near, &count) - p->gap;
        if (free > NEAR) {
            t += (free - 1e-12) / p->fastest;
            continue;
        }
        collect(p, t, ASIDE, near, &count);
        if (!walk_near(p, near, count, &t, &after)) continue;
        /* It grazes: within a thousandth of the gap, and yet not quite. */
        double step = after - t;
        quad lo = t, hi = after;
        bool met = true;
        while (met && quad_apart(p, near, count, hi) > (quad)p->gap) {
            lo = hi;
            hi += step;
            met = quad_apart(p, near, count, lo) < (quad)p->gap * (quad)1.001 && hi < UNTIL;
        }
        if (!met) {
            t = (double)lo;
            continue;
        }
        for (int k = 0; k < 70; k++) {
            const quad mid = (lo + hi) / 2;
            if (quad_apart(p, near, count, mid) > (quad)p->gap)
                lo = mid;
            else
                hi = mid;
        }
        return (double)lo;
    }
    return END;
}

static meeting look_at(const pair *p, double t)
{
    feature near[NEAR_MAX];
    size_t count;
    collect(p, t, 1e-6, near, &count);
    quad least = 1;
    meeting m = {.distance = INFINITY};
    for (size_t k = 0; k < count; k++) {
        quad along;
        const quad d = quad_distance(p, &near[k], t, &along);
        if (d >= least) continue;
        least = d;
        m.distance = (double)d;
        m.at_end = along < 2 * (quad)p->gap; /* how far the foot is from the nearer end */
    }
    return m;
}

/* ---- pairs, and what the engine says of them ---- */

typedef struct thrown {
    polygon_scene scene;
    double v[4], spin[2];
    size_t first[3];
} thrown;

/* A seventh does not turn, another hardly: edges then are parallel, or nearly so, when they
 * meet. */
static bool are_slow(uint64_t number)
{
    return number / 24 % 7 == 5;
}

static bool are_slow_combs(uint64_t number)
{
    return are_slow(number) && number % POLYGONS_KINDS == POLYGONS_COMBS;
}

static thrown throw_pair(uint64_t number)
{
    const polygon_kind kind = (polygon_kind)(number % POLYGONS_KINDS);
    random_stream r = jo_random_start(21, number);
    thrown t = {.scene = polygon_scene_make(2, kind, number)};
    const double fast = number / 4 % 3 == 0 ? 15.0 : number / 4 % 3 == 1 ? 4.0 : 0.5;
    const double aside = number / 12 % 2 == 0 ? 0.5 : 0.1;
    const double v[4] = {1.0, aside * jo_random_normal(&r), -1.0, aside * jo_random_normal(&r)};
    for (int k = 0; k < 4; k++)
        t.v[k] = v[k];
    const double slow = pow(10.0, -12.0 * jo_random_uniform(&r));
    const double most = number / 24 % 7 == 6 ? 0.0 : are_slow(number) ? slow : fast;
    for (int k = 0; k < 2; k++)
        t.spin[k] = most * jo_random_normal(&r);
    for (int k = 0; k < 3; k++)
        t.first[k] = t.scene.first[k + 1] - t.scene.first[1];
    return t;
}

static jo_kinetic *make_world(const thrown *t, jo_kinetic_roots roots)
{
    static const double far[] = {-50, -50, 50, -50, 50, 50, -50, 50};
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = 2;
    def.first = t->first;
    def.corners = t->scene.place + 2 * t->scene.first[1];
    def.v = t->v;
    def.spin = t->spin;
    def.gravity[1] = -GRAVITY;
    def.boundary = 4;
    def.boundary_corners = far;
    def.roots = roots;
    jo_kinetic *world;
    jo_error error;
    if (jo_kinetic_create(&def, &world, &error) != JO_OK) fail_msg("%s", error.text);
    return world;
}

static pair pair_of(jo_kinetic *world)
{
    jo_kinetic_frame f;
    jo_error error;
    pair p = {.gap = jo_kinetic_statistics(world).gap};
    assert_int_equal(jo_kinetic_look(world, &f, &error), JO_OK);
    for (size_t i = 0; i < 2; i++) {
        rigid *b = &p.body[i];
        *b = (rigid){.x = {f.x[2 * i], f.x[2 * i + 1]},
                     .v = {f.v[2 * i], f.v[2 * i + 1]},
                     .spin = f.spin[i],
                     .n = f.first[i + 1] - f.first[i]};
        assert_true(b->n <= CORNERS_MAX);
        double reach = 0.0;
        for (size_t c = 0; c < b->n; c++) {
            for (size_t d = 0; d < 2; d++)
                b->arm[2 * c + d] = f.corner[2 * (f.first[i] + c) + d] - b->x[d];
            reach = fmax(reach, hypot(b->arm[2 * c], b->arm[2 * c + 1]));
        }
        p.fastest += fabs(b->spin) * reach;
    }
    /* Both fall alike. */
    p.fastest += hypot(p.body[0].v[0] - p.body[1].v[0], p.body[0].v[1] - p.body[1].v[1]);
    p.fastest *= 1.0 + 1e-9;
    return p;
}

static double engine_meeting(jo_kinetic *world)
{
    jo_error error;
    while (jo_kinetic_time(world) < UNTIL) {
        if (jo_kinetic_advance(world, UNTIL, 1, &error) != JO_OK) fail_msg("%s", error.text);
        if (jo_kinetic_statistics(world).collisions > 0) return jo_kinetic_time(world);
    }
    return END;
}

typedef struct tally {
    size_t pairs, met, at_ends, slow, unseen, hidden;
    double time[3], distance[3]; /* the largest deviations, between the ends; distances over gaps */
    double nearest, farthest;    /* of corners that meet corners, over gaps */
} tally;

static void judge_end(const pair *p, const meeting *m, uint64_t number, tally *all)
{
    const double over = m->distance / p->gap;
    if (!(m->at_end && over > 0.95 && over < 1.05))
        fail_msg("pair %llu: met at %.4g gaps, %s", (unsigned long long)number, over,
                 m->at_end ? "corner and corner" : "not at a corner");
    all->nearest = fmin(all->nearest, over);
    all->farthest = fmax(all->farthest, over);
}

static void judge_both(const pair *p, int roots, double truth, double found, uint64_t number,
                       tally *all)
{
    const meeting due = look_at(p, truth), m = look_at(p, found);
    const double off = fabs(m.distance - p->gap), late = fabs(found - truth);
    all->met++;
    if (m.at_end || due.at_end) {
        all->at_ends++;
        if (m.at_end) judge_end(p, &m, number, all);
        return;
    }
    const meeting before = look_at(p, truth - 1e-9);
    const double speed = (before.distance - due.distance) / 1e-9;
    const double allowed =
        roots == JO_KINETIC_EXACT ? 1e-14 + 1e-12 * fmax(speed, 0.0) : 0.04 * p->gap;
    if (off > allowed && m.distance < p->gap && m.distance > 0.01 * p->gap &&
        are_slow_combs(number)) {
        all->hidden++;
        return;
    }
    all->distance[roots] = fmax(all->distance[roots], off / p->gap);
    if (!(off <= allowed))
        fail_msg("pair %llu, roots %d: met at %.17g, %.6g gaps apart; truly at %.17g",
                 (unsigned long long)number, roots, found, m.distance / p->gap, truth);
    if (speed < 1e-3) {
        all->slow++;
        return;
    }
    all->time[roots] = fmax(all->time[roots], late);
    if (!(late <= (roots == JO_KINETIC_EXACT ? 1e-12 : 0.04 * p->gap / speed + 1e-12)))
        fail_msg("pair %llu, roots %d: met at %.17g, truly at %.17g, at speed %g",
                 (unsigned long long)number, roots, found, truth, speed);
}

static void try_pair(uint64_t number, tally *all)
{
    thrown t = throw_pair(number);
    double truth = END;
    pair p = {.gap = 0.0};
    for (int roots = 0; roots < 3; roots++) {
        jo_kinetic *world = make_world(&t, (jo_kinetic_roots)roots);
        if (roots == 0) {
            p = pair_of(world);
            truth = first_meeting(&p);
        }
        const double found = engine_meeting(world);
        jo_kinetic_destroy(world);
        if (truth >= 0.0 && found >= 0.0) {
            judge_both(&p, roots, truth, found, number, all);
        } else if (truth >= 0.0 || found >= 0.0) {
            const meeting m = look_at(&p, fmax(truth, found));
            all->unseen++;
            if (!m.at_end && !(m.distance > 0.999 * p.gap))
                fail_msg("pair %llu, roots %d: met at %.17g, truly at %.17g (-1: never)",
                         (unsigned long long)number, roots, found, truth);
        }
    }
    all->pairs++;
    polygon_scene_free(&t.scene);
}

static void pairs_meet_in_time(void **state)
{
    (void)state;
    const char *text = getenv("JOSTLE_TEST_FIRST");
    const uint64_t start = text != NULL ? strtoull(text, NULL, 10) : 0;
    const size_t count = scaled(2000);
    tally all = {.nearest = INFINITY};
    for (uint64_t k = start; k < start + count; k++)
        try_pair(k, &all);
    printf("    %zu pairs from %llu, %zu meetings, %zu of them of corners (%.3g to %.3g gaps), %zu "
           "slow, %zu hidden, %zu seen by one only\n",
           all.pairs, (unsigned long long)start, all.met, all.at_ends, all.nearest, all.farthest,
           all.slow, all.hidden, all.unseen);
    printf("    off by at most %.2g, %.2g, %.2g (fast, sturm, exact), distances by %.2g, %.2g, "
           "%.2g gaps\n",
           all.time[0], all.time[1], all.time[2], all.distance[0], all.distance[1],
           all.distance[2]);
    assert_true(all.met > count); /* of three times as many */
    assert_true(20 * all.at_ends < all.met && 100 * all.slow < all.met);
    assert_true(1000 * all.unseen <= all.met && 1000 * all.hidden <= all.met);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_meet_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("no quadruple precision on this machine: skipped");
    return 0;
}

#endif
