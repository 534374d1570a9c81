/* classic_systems.h — small random and awkward systems for the tests of single methods, and the
 * comparison with brute force. */
#ifndef TESTS_CLASSIC_SYSTEMS_H
#define TESTS_CLASSIC_SYSTEMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the above first */
#include <cmocka.h>

#include "base/mix.h"
#include "jostle/broad.h"

enum { SYSTEM_MAX = 400 };

typedef struct test_system {
    int dim;
    size_t n;
    jo_shape shape;
    jo_domain domain;
    double x[3][SYSTEM_MAX], upper[3][SYSTEM_MAX], r[SYSTEM_MAX];
} test_system;

static inline double uniform(uint64_t *state)
{
    *state += 0x632be59bd9b4e019u;
    return (double)(jo_mix64(*state) >> 11) * 0x1p-53;
}

static inline jo_bodies system_bodies(const test_system *s)
{
    jo_bodies b = jo_spheres(s->n, s->dim, s->x[0], s->x[1], s->x[2], s->r);
    b.shape = s->shape;
    for (int a = 0; a < 3; a++)
        b.upper[a] = s->upper[a];
    return b;
}

/* A system whose kind, size, shape, periodicity and awkwardness follow from the seed. */
static inline void system_random(test_system *s, uint64_t seed)
{
    uint64_t u = seed * 7919 + 1;
    memset(s, 0, sizeof *s);
    s->dim = seed % 2 ? 3 : 2;
    s->shape = seed / 2 % 3 == 0 ? JO_BOXES : JO_SPHERES;
    const double pick = uniform(&u);
    s->n = pick < 0.1 ? (size_t)(4 * uniform(&u)) : (size_t)(10 + 290 * uniform(&u) * uniform(&u));
    const double scale = uniform(&u) < 0.2 ? pow(10.0, 40.0 * uniform(&u) - 20.0) : 1.0;
    const double offset = uniform(&u) < 0.2 ? scale * pow(10.0, 11.0 * uniform(&u)) : 0.0;
    const double ratio = uniform(&u) < 0.5 ? 2.0 : pow(10.0, 4.0 * uniform(&u));
    const double r_max = scale * (uniform(&u) < 0.15 ? 2.0 * uniform(&u) : 0.12 * uniform(&u));
    const bool lattice = uniform(&u) < 0.15, coincident = uniform(&u) < 0.05;
    const bool flat = uniform(&u) < 0.1, beyond = uniform(&u) < 0.4;
    for (int a = 0; a < s->dim; a++) {
        s->domain.periodic[a] = uniform(&u) < 0.45;
        s->domain.lo[a] = offset + scale * uniform(&u);
        s->domain.hi[a] = s->domain.lo[a] + scale * (uniform(&u) < 0.2 ? 0.3 : 1.0);
    }
    const size_t row = 5;
    for (size_t i = 0; i < s->n; i++) {
        s->r[i] = lattice ? 0.1 * scale : r_max * pow(ratio, -uniform(&u));
        if (uniform(&u) < 0.02) s->r[i] = 0.0;
        const size_t place[3] = {i % row, i / row % row, i / row / row};
        for (int a = 0; a < s->dim; a++) {
            double x = lattice ? 0.2 * (double)place[a] : uniform(&u);
            if (coincident || (flat && a == 1)) x = 0.5;
            if (beyond) x = 5.0 * x - 2.0;
            s->x[a][i] = offset + scale * x;
            s->upper[a][i] = s->x[a][i] + 2.0 * s->r[i] * uniform(&u);
        }
    }
}

/* Moves everything by up to `step` boxes, now and then far. */
static inline void system_move(test_system *s, double step, uint64_t seed)
{
    uint64_t u = seed * 104729 + 7;
    for (size_t i = 0; i < s->n; i++) {
        const double far = uniform(&u) < 0.02 ? 20.0 : 1.0;
        if (uniform(&u) < 0.05) s->r[i] *= 0.5 + uniform(&u); /* radii may change, too */
        for (int a = 0; a < s->dim; a++) {
            const double length = s->domain.hi[a] - s->domain.lo[a];
            const double d = far * step * length * (2.0 * uniform(&u) - 1.0);
            const double edge = s->upper[a][i] - s->x[a][i];
            s->x[a][i] += d;
            s->upper[a][i] = s->x[a][i] + edge;
        }
    }
}

static inline void assert_same_pairs(jo_pairs got, jo_pairs want, const char *what, uint64_t seed)
{
    bool same = got.count == want.count;
    for (size_t k = 0; same && k < got.count; k++)
        same = got.pairs[k].i == want.pairs[k].i && got.pairs[k].j == want.pairs[k].j;
    if (!same)
        fail_msg("%s, system %llu: %zu pairs instead of %zu, or others", what,
                 (unsigned long long)seed, got.count, want.count);
}

static inline jo_broad *search_create(jo_broad_def def)
{
    jo_broad *search = NULL;
    jo_error error = {0};
    if (jo_broad_create(&def, &search, &error) != JO_OK) fail_msg("%s", error.text);
    return search;
}

static inline void must(jo_status status, const jo_error *error)
{
    if (status != JO_OK) fail_msg("%s", error->text);
}

static inline jo_broad_def method_def(const char *name)
{
    jo_broad_def def = jo_broad_def_default();
    def.method = name;
    return def;
}

/* One system: find, then `moves` updates, all against brute force. */
static inline void compare_system(jo_broad_def def, test_system *s, int moves, const char *what,
                                  uint64_t seed)
{
    jo_error error = {0};
    jo_broad_def brute = def;
    def.domain = brute.domain = s->domain;
    brute.method = "brute";
    jo_broad *a = search_create(def), *b = search_create(brute);
    const jo_bodies bodies = system_bodies(s);
    must(jo_broad_find(a, &bodies, &error), &error);
    must(jo_broad_find(b, &bodies, &error), &error);
    assert_same_pairs(jo_broad_contacts(a), jo_broad_contacts(b), what, seed);
    for (int k = 0; k < moves; k++) {
        if (k > 0) system_move(s, k % 7 == 6 ? 0.2 : 0.01, seed * 1000 + (uint64_t)k);
        must(jo_broad_update(a, &bodies, &error), &error);
        must(jo_broad_update(b, &bodies, &error), &error);
        assert_same_pairs(jo_broad_contacts(a), jo_broad_contacts(b), what, seed);
        assert_same_pairs(jo_broad_begun(a), jo_broad_begun(b), what, seed);
    }
    jo_broad_destroy(a);
    jo_broad_destroy(b);
}

/* A method, with options, on `count` systems; `moves` updates on each. */
static inline void compare_with_brute(jo_broad_def def, uint64_t count, int moves)
{
    static test_system s;
    for (uint64_t seed = 1; seed <= count; seed++) {
        system_random(&s, seed);
        compare_system(def, &s, moves, "random", seed);
    }
}

/* Lattices at the edges of what doubles hold. */
static inline void compare_extremes(jo_broad_def def)
{
    static const struct {
        double spacing, r, offset;
    } cases[] = {
        {1e-200, 1e-200, 0.0}, {1e-170, 0.0, 0.0}, {3e-162, 1e-162, 0.0}, {1.0, 0.5, 0.0},
        {0.2, 0.1, 0.0},       {1.0, 0.5, 1e15},   {2.0, 1.0, 1e15},      {1e100, 1.0, 0.0},
        {1e148, 1e148, 0.0},   {1e-310, 0.0, 0.0}, {0.1, 0.05, -1.0 / 3}, {1e-3, 1e3, 0.0},
    };
    static test_system s;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int variant = 0; variant < 8; variant++) {
            /* A box that small, that far out, is refused. */
            if (variant & 4 && cases[c].offset > 1e11 * cases[c].spacing) continue;
            memset(&s, 0, sizeof s);
            s.dim = variant % 2 ? 3 : 2;
            s.shape = variant & 2 ? JO_BOXES : JO_SPHERES;
            s.n = 125;
            for (int a = 0; a < s.dim; a++) {
                s.domain.periodic[a] = (variant & 4) != 0;
                s.domain.lo[a] = cases[c].offset;
                s.domain.hi[a] = cases[c].offset + fmax(5.0 * cases[c].spacing, 1e-149);
            }
            for (size_t i = 0; i < s.n; i++) {
                const size_t place[3] = {i % 5, i / 5 % 5, i / 25};
                s.r[i] = cases[c].r;
                for (int a = 0; a < s.dim; a++) {
                    s.x[a][i] = cases[c].offset + cases[c].spacing * (double)place[a];
                    s.upper[a][i] = s.x[a][i] + 2.0 * cases[c].r;
                }
            }
            compare_system(def, &s, 3, "extreme", c * 100 + (uint64_t)variant);
        }
}

#endif
