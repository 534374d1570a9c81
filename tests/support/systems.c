/* systems.c — a number becomes a system of bodies.
 *
 * A recipe places centres and sizes in units of about one diameter; then come, each by chance,
 * bodies moved by whole periods, a shift of the origin up to where coordinates have few digits
 * left, a scale up to where squares overflow or vanish, and one of four ways to lie in memory. Gaps
 * between strided values are NaN, so that a method that reads them is found out. */
#include "support/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: splitmix64 as a sequence */

rng rng_seeded(uint64_t seed)
{
    rng g = {seed * 0xD1342543DE82EF95u + 0x5851F42D4C957F2Du};
    rng_next(&g);
    return g;
}

uint64_t rng_next(rng *g)
{
    uint64_t z = g->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double rng_unit(rng *g)
{
    return (double)(rng_next(g) >> 11) * 0x1p-53;
}

double rng_between(rng *g, double lo, double hi)
{
    return lo + (hi - lo) * rng_unit(g);
}

double rng_log(rng *g, double lo, double hi)
{
    return lo * pow(hi / lo, rng_unit(g));
}

size_t rng_below(rng *g, size_t n)
{
    return n > 0 ? (size_t)(rng_next(g) % n) : 0;
}

bool rng_chance(rng *g, double probability)
{
    return rng_unit(g) < probability;
}

/* ---- recipes: each fills centre, half and edge; lo is 0 */

static void sizes_between(test_system *s, double d_min, double d_max)
{
    for (size_t i = 0; i < s->n; i++) {
        const double r = 0.5 * (d_min == d_max ? d_max : rng_log(&s->random, d_min, d_max));
        for (int a = 0; a < 3; a++)
            s->half[a][i] = s->bodies.shape == JO_BOXES ? r * rng_between(&s->random, 0.2, 1.0) : r;
    }
}

static void cube(test_system *s, double edge)
{
    for (int a = 0; a < 3; a++)
        s->edge[a] = edge;
}

static void scatter(test_system *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (int a = 0; a < 3; a++)
            s->centre[a][i] = s->edge[a] * rng_unit(&s->random);
}

/* The edge of a box with this volume for each body, in unit volumes. */
static double edge_for(const test_system *s, double volume_each)
{
    return pow(volume_each * (double)(s->n + 1), 1.0 / s->bodies.dim);
}

static void random_near_equal(test_system *s)
{
    sizes_between(s, rng_between(&s->random, 0.3, 1.0), 1.0);
    cube(s, edge_for(s, rng_log(&s->random, 0.3, 100)));
    scatter(s);
}

static void random_equal(test_system *s)
{
    sizes_between(s, 1, 1);
    cube(s, edge_for(s, rng_log(&s->random, 0.3, 30)));
    scatter(s);
}

static void wide_sizes(test_system *s)
{
    const double ratio = pow(10.0, rng_between(&s->random, 1, 4));
    sizes_between(s, 1.0 / ratio, 1.0);
    cube(s, edge_for(s, rng_log(&s->random, 1.0 / ratio, 0.3)));
    scatter(s);
}

static void two_sizes(test_system *s)
{
    const double ratio = rng_log(&s->random, 2, 1e4), share = rng_log(&s->random, 0.005, 0.5);
    sizes_between(s, 1, 1);
    for (size_t i = 0; i < s->n; i++)
        if (!rng_chance(&s->random, share))
            for (int a = 0; a < 3; a++)
                s->half[a][i] /= ratio;
    cube(s, edge_for(s, rng_log(&s->random, 0.01, 3)));
    scatter(s);
}

static void one_giant(test_system *s)
{
    random_near_equal(s);
    if (s->n == 0) return;
    const size_t k = rng_below(&s->random, s->n);
    for (int a = 0; a < 3; a++)
        s->half[a][k] = s->edge[0] * rng_log(&s->random, 0.1, 1e3);
}

static void clusters(test_system *s)
{
    sizes_between(s, 0.5, 1);
    cube(s, edge_for(s, rng_log(&s->random, 10, 1e5)));
    scatter(s);
    const size_t clumps = 1 + rng_below(&s->random, 1 + s->n / 8);
    const double width = rng_log(&s->random, 0.5, 10);
    for (size_t i = clumps; i < s->n; i++)
        for (int a = 0; a < 3; a++)
            s->centre[a][i] = s->centre[a][i % clumps] + width * (rng_unit(&s->random) - 0.5);
}

static void outliers(test_system *s)
{
    random_near_equal(s);
    const double far = rng_log(&s->random, 1e2, 1e12);
    for (size_t k = 0; k < 3 && k < s->n; k++)
        for (int a = 0; a < 3; a++)
            if (rng_chance(&s->random, 0.7))
                s->centre[a][rng_below(&s->random, s->n)] *= far * (rng_unit(&s->random) - 0.5);
}

/* Equal bodies on a lattice whose spacing is exactly one diameter, as far as doubles go: the i-th
 * at i·d or at d added i times, which differ by rounding. */
static void exact_lattice(test_system *s)
{
    static const double spacings[] = {1.0, 0.1, 0.3, 1.0 / 3, 0.7, 1.1, 0.01, 0.5};
    const double d = spacings[rng_below(&s->random, sizeof spacings / sizeof *spacings)];
    const bool added = rng_chance(&s->random, 0.5);
    const double start = rng_chance(&s->random, 0.5) ? 0.0 : 0.5 * d;
    size_t side = 1;
    while (pow((double)side, s->bodies.dim) < (double)s->n)
        side++;
    for (size_t i = 0; i < s->n; i++) {
        size_t index = i;
        for (int a = 0; a < 3; a++) {
            const size_t k = index % side;
            double x = start;
            for (size_t m = 0; added && m < k; m++)
                x += d;
            s->centre[a][i] = added ? x : start + (double)k * d;
            s->half[a][i] = 0.5 * d;
            index /= side;
        }
    }
    cube(s, (double)side * d);
}

/* Distances that miss ri + rj by an ulp or two, either way, along axes and diagonals. */
static void a_hair_apart(test_system *s)
{
    sizes_between(s, 0.5, 1);
    cube(s, edge_for(s, 30));
    scatter(s);
    for (size_t i = 1; i < s->n; i += 2) {
        const bool diagonal = rng_chance(&s->random, 0.5);
        const int along = (int)rng_below(&s->random, (size_t)s->bodies.dim);
        for (int a = 0; a < 3; a++) {
            const double reach = s->half[a][i] + s->half[a][i - 1];
            double x = s->centre[a][i - 1];
            if (diagonal)
                x += reach / sqrt((double)s->bodies.dim);
            else if (a == along)
                x += reach;
            for (size_t ulps = rng_below(&s->random, 4); ulps > 0; ulps--)
                x = nextafter(x, rng_chance(&s->random, 0.5) ? 1e9 : -1e9);
            s->centre[a][i] = x;
        }
    }
}

static void all_together(test_system *s)
{
    sizes_between(s, 0.5, 1);
    cube(s, rng_log(&s->random, 0.01, 2));
    scatter(s);
    cube(s, rng_log(&s->random, 2, 100));
}

static void all_coincident(test_system *s)
{
    sizes_between(s, rng_chance(&s->random, 0.5) ? 1 : 0.001, 1);
    cube(s, rng_log(&s->random, 1.5, 100));
    const double at = rng_chance(&s->random, 0.3) ? 0.0 : s->edge[0] * rng_unit(&s->random);
    for (size_t i = 0; i < s->n; i++)
        for (int a = 0; a < 3; a++)
            s->centre[a][i] = at;
}

/* Many copies of a few points. */
static void few_points(test_system *s)
{
    random_near_equal(s);
    const size_t points = 1 + rng_below(&s->random, 6);
    for (size_t i = points; i < s->n; i++)
        for (int a = 0; a < 3; a++)
            s->centre[a][i] = s->centre[a][i % points];
}

static void points_without_size(test_system *s)
{
    random_near_equal(s);
    const double share = rng_chance(&s->random, 0.5) ? 1.0 : 0.5;
    for (size_t i = 0; i < s->n; i++)
        if (rng_chance(&s->random, share))
            for (int a = 0; a < 3; a++)
                s->half[a][i] = 0.0;
    for (size_t i = 3; i < s->n; i += 3) /* a third coincide */
        for (int a = 0; a < 3; a++)
            s->centre[a][i] = s->centre[a][i - 3];
}

/* Centres on the faces of cells of one diameter and on the faces of the box, minus zero included.
 */
static void on_cell_faces(test_system *s)
{
    sizes_between(s, 1, 1);
    const double cells = 2.0 + (double)rng_below(&s->random, 9);
    cube(s, cells);
    for (size_t i = 0; i < s->n; i++)
        for (int a = 0; a < 3; a++) {
            const double x = (double)rng_below(&s->random, 2 * (size_t)cells + 1) * 0.5;
            s->centre[a][i] = x == 0.0 && rng_chance(&s->random, 0.5) ? -0.0 : x;
            if (rng_chance(&s->random, 0.1))
                s->centre[a][i] = nextafter(s->centre[a][i], rng_unit(&s->random) - 0.5);
        }
}

static void larger_than_the_box(test_system *s)
{
    cube(s, rng_log(&s->random, 1, 4));
    sizes_between(s, 0.05, 1);
    const double share = rng_log(&s->random, 0.02, 0.5);
    for (size_t i = 0; i < s->n; i++)
        if (rng_chance(&s->random, share)) {
            const double times = s->edge[0] * rng_between(&s->random, 0.4, 5);
            for (int a = 0; a < 3; a++)
                s->half[a][i] *= times;
        }
    scatter(s);
}

static void thin(test_system *s)
{
    sizes_between(s, 0.3, 1);
    const double length = edge_for(s, 1) * rng_log(&s->random, 1, 30);
    for (int a = 0; a < 3; a++)
        s->edge[a] = rng_chance(&s->random, 0.5) ? length : rng_log(&s->random, 1e-3, 2);
    scatter(s);
    if (rng_chance(&s->random, 0.3)) /* no extent at all */
        for (size_t i = 0; i < s->n; i++)
            s->centre[0][i] = 0.25;
}

static void diagonal(test_system *s)
{
    sizes_between(s, 0.2, 1);
    cube(s, (double)(s->n + 1) * rng_log(&s->random, 0.05, 2));
    for (size_t i = 0; i < s->n; i++) {
        const double t = rng_unit(&s->random);
        for (int a = 0; a < 3; a++)
            s->centre[a][i] = s->edge[a] * t;
    }
}

/* Balls in a row, each touching the next as nearly as doubles allow, sorted or not. */
static void chain(test_system *s)
{
    sizes_between(s, 0.01, 1);
    double x = 0.0;
    const bool shuffled = rng_chance(&s->random, 0.5);
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0) x += s->half[0][i - 1] + s->half[0][i];
        s->centre[0][i] = x;
        s->centre[1][i] = s->centre[2][i] = 0.5;
    }
    for (size_t i = s->n; shuffled && i > 1; i--) {
        const size_t j = rng_below(&s->random, i);
        const double c = s->centre[0][i - 1], h = s->half[0][i - 1];
        s->centre[0][i - 1] = s->centre[0][j], s->centre[0][j] = c;
        s->half[0][i - 1] = s->half[0][j], s->half[0][j] = h;
    }
    cube(s, x + 1.0);
}

/* Whole-number corners: boxes that share faces, edges and corners. */
static void whole_numbers(test_system *s)
{
    const size_t span = 3 + rng_below(&s->random, 12);
    cube(s, (double)span);
    for (size_t i = 0; i < s->n; i++)
        for (int a = 0; a < 3; a++) {
            s->centre[a][i] = (double)rng_below(&s->random, span);
            s->half[a][i] = 0.5 * (double)rng_below(&s->random, 4);
        }
}

typedef struct recipe {
    const char *name;
    void (*fill)(test_system *);
    size_t most; /* bodies: some recipes make all of them touch */
    bool large;  /* tens of thousands are fine too: each touches few others */
} recipe;

static const recipe recipes[] = {
    {"random, equal", random_equal, 3000, true},
    {"random, near-equal", random_near_equal, 3000, true},
    {"wide sizes", wide_sizes, 2000, true},
    {"two sizes", two_sizes, 2000, false},
    {"one giant", one_giant, 1500, true},
    {"clusters", clusters, 1500, false},
    {"outliers", outliers, 1000, true},
    {"exact lattice", exact_lattice, 1500, true},
    {"a hair apart", a_hair_apart, 1000, true},
    {"all together", all_together, 120, false},
    {"all coincident", all_coincident, 120, false},
    {"few points", few_points, 250, false},
    {"points without size", points_without_size, 600, false},
    {"on cell faces", on_cell_faces, 600, false},
    {"larger than the box", larger_than_the_box, 250, false},
    {"thin", thin, 1000, false},
    {"diagonal", diagonal, 600, false},
    {"chain", chain, 600, true},
    {"whole numbers", whole_numbers, 300, false},
};

/* ---- from a recipe to a system */

static size_t choose_number(rng *g, size_t most)
{
    static const size_t bounds[] = {4, 40, 150, 500, 3001};
    const double u = rng_unit(g);
    const size_t k = u < 0.10 ? 0 : u < 0.45 ? 1 : u < 0.85 ? 2 : u < 0.95 ? 3 : 4;
    const size_t n = rng_below(g, bounds[k]);
    return n < most ? n : most;
}

static void choose_domain(test_system *s)
{
    s->domain = (jo_domain){0};
    if (!rng_chance(&s->random, 0.5)) return;
    const uint64_t axes = 1 + rng_below(&s->random, 7);
    for (int a = 0; a < 3; a++)
        s->domain.periodic[a] = (axes >> a & 1) != 0;
}

static bool has_period(const test_system *s)
{
    return s->domain.periodic[0] || s->domain.periodic[1] || s->domain.periodic[2];
}

static void stretch(test_system *s, double factor)
{
    s->unit *= factor;
    for (int a = 0; a < 3; a++) {
        s->edge[a] *= factor;
        for (size_t i = 0; i < s->n; i++) {
            s->centre[a][i] *= factor;
            s->half[a][i] *= factor;
        }
    }
}

static void shift(test_system *s, double by)
{
    for (int a = 0; a < 3; a++) {
        s->lo[a] += by;
        for (size_t i = 0; i < s->n; i++)
            s->centre[a][i] += by;
    }
}

/* Bodies by whole periods away from the box they are wrapped into. */
static void unwrap(test_system *s, double periods)
{
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; i < s->n; i++)
            if (s->domain.periodic[a])
                s->centre[a][i] += s->edge[a] * rint(rng_between(&s->random, -periods, periods));
}

/* Squares overflow above 1e150 and vanish below 1e-160: half a system beyond the latter touches. */
static double choose_scale(test_system *s, bool far)
{
    static const double open[] = {1e-200, 1e-162, 1e-160, 1e-155, 1e-100, 1e100, 1e140};
    static const double closed[] = {1e-140, 1e-100, 1e-9, 1e9, 1e100, 1e140};
    if (far || rng_chance(&s->random, 0.85)) return 1.0;
    if (has_period(s)) return closed[rng_below(&s->random, 6)];
    const double scale = open[rng_below(&s->random, 7)];
    return scale < 1e-150 && s->n > 100 ? 1.0 : scale;
}

static double choose_shift(test_system *s)
{
    static const double shifts[] = {1e9, -1e9, 1e12, 12345.678, -0.5, -1e3, 1e15};
    if (rng_chance(&s->random, 0.75)) return 0.0;
    const double by = shifts[rng_below(&s->random, 7)];
    /* A period must stay well above the spacing of doubles out there. */
    for (int a = 0; a < 3; a++)
        if (s->domain.periodic[a] && s->edge[a] < 1e-11 * fabs(by)) return -0.5;
    return by;
}

static bool allocate(test_system *s)
{
    s->room = s->n + 24;
    for (int a = 0; a < 3; a++) {
        s->centre[a] = calloc(s->room, sizeof(double));
        s->half[a] = calloc(s->room, sizeof(double));
        s->velocity[a] = calloc(s->room, sizeof(double));
        if (s->centre[a] == NULL || s->half[a] == NULL || s->velocity[a] == NULL) return false;
    }
    s->arrays = malloc(12 * s->room * sizeof(double));
    return s->arrays != NULL;
}

/* Writes the bodies to the arrays that the view shows. */
static void show(test_system *s)
{
    jo_bodies *b = &s->bodies;
    const size_t dim = (size_t)b->dim, room = s->room;
    const size_t stride = s->storage == PACKED        ? 1
                          : s->storage == INTERLEAVED ? dim
                          : s->storage == WITH_GAPS   ? 5
                                                      : dim + 1;
    double *upper = s->arrays + 5 * room, *radii = s->arrays + 10 * room;
    for (size_t k = 0; k < 12 * room; k++)
        s->arrays[k] = NAN;
    b->n = s->n;
    b->x_stride = stride;
    b->r_stride = s->storage == WITH_GAPS ? 2 : 1;
    for (size_t a = 0; a < 3; a++) {
        const size_t offset = s->storage == PACKED ? a * room : a;
        b->x[a] = a < dim ? s->arrays + offset : NULL;
        b->upper[a] = a < dim && b->shape == JO_BOXES ? upper + offset : NULL;
        for (size_t i = 0; a < dim && i < s->n; i++) {
            const double c = s->centre[a][i], h = s->half[a][i];
            s->arrays[offset + i * stride] = b->shape == JO_BOXES ? c - h : c;
            if (b->shape == JO_BOXES) upper[offset + i * stride] = c + h;
        }
    }
    b->r = NULL;
    if (b->shape == JO_BOXES) return;
    if (s->storage == WITH_RADII) { /* x y [z] r, x y [z] r, … */
        radii = s->arrays + dim;
        b->r_stride = stride;
    }
    b->r = radii;
    for (size_t i = 0; i < s->n; i++)
        radii[i * b->r_stride] = s->half[0][i];
}

static void describe(test_system *s, const char *name, double scale, double by)
{
    static const char *const stored[] = {"packed", "interleaved", "with gaps", "with radii"};
    snprintf(s->label, sizeof s->label,
             "%s: %d-dimensional, %zu %s, periodic %d%d%d, scale %g, shifted by %g, %s%s", name,
             s->bodies.dim, s->n, s->bodies.shape == JO_BOXES ? "boxes" : "spheres",
             s->domain.periodic[0], s->domain.periodic[1], s->domain.periodic[2], scale, by,
             stored[s->storage], s->moving ? ", moving" : "");
}

bool system_make(test_system *s, uint64_t number)
{
    return system_make_large(s, number, 0);
}

bool system_make_large(test_system *s, uint64_t number, size_t n)
{
    *s = (test_system){.number = number, .random = rng_seeded(number), .unit = 1.0};
    const recipe *made;
    do
        made = &recipes[rng_below(&s->random, sizeof recipes / sizeof *recipes)];
    while (n > 0 && !made->large);
    s->bodies.dim = 2 + (int)rng_below(&s->random, 2);
    s->bodies.shape = rng_chance(&s->random, 0.25) ? JO_BOXES : JO_SPHERES;
    s->n = n > 0 ? n : choose_number(&s->random, made->most);
    s->storage = (storage)rng_below(&s->random, STORAGES);
    s->moving = s->n < 150 ? rng_chance(&s->random, 0.30) : rng_chance(&s->random, 0.05);
    s->pace = rng_log(&s->random, 1e-3, 2);
    choose_domain(s);
    if (!allocate(s)) return false;

    made->fill(s);
    const bool far = made->fill == outliers || made->fill == one_giant;
    if (rng_chance(&s->random, 0.3)) unwrap(s, rng_chance(&s->random, 0.5) ? 1.6 : 1e3);
    const double by = choose_shift(s), scale = by == 0.0 ? choose_scale(s, far) : 1.0;
    stretch(s, scale);
    shift(s, by);
    for (int a = 0; a < 3; a++) {
        s->domain.lo[a] = s->lo[a];
        s->domain.hi[a] = s->lo[a] + s->edge[a];
        for (size_t i = 0; i < s->room; i++)
            s->velocity[a][i] = s->unit * s->pace * rng_between(&s->random, -1, 1);
    }
    describe(s, made->name, scale, by);
    show(s);
    return true;
}

void system_free(test_system *s)
{
    for (int a = 0; a < 3; a++) {
        free(s->centre[a]);
        free(s->half[a]);
        free(s->velocity[a]);
    }
    free(s->arrays);
    *s = (test_system){0};
}

/* ---- moves */

static void jiggle(test_system *s)
{
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; i < s->n; i++)
            s->centre[a][i] += s->unit * s->pace * rng_between(&s->random, -1, 1);
}

static void drift(test_system *s)
{
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; i < s->n; i++)
            s->centre[a][i] += s->velocity[a][i];
}

static void place_anywhere(test_system *s, size_t i)
{
    for (int a = 0; a < 3; a++)
        s->centre[a][i] = s->lo[a] + s->edge[a] * rng_between(&s->random, -0.2, 1.2);
}

static void teleport(test_system *s)
{
    const size_t some = rng_chance(&s->random, 0.1) ? s->n : 1 + rng_below(&s->random, 4);
    for (size_t k = 0; k < some && s->n > 0; k++)
        place_anywhere(s, rng_below(&s->random, s->n));
}

static void resize(test_system *s)
{
    const double most = rng_chance(&s->random, 0.1) ? 20.0 : 2.0;
    for (size_t k = 0; k < 1 + s->n / 8 && s->n > 0; k++) {
        const size_t i = rng_below(&s->random, s->n);
        const double times = rng_chance(&s->random, 0.1) ? 0.0 : rng_between(&s->random, 0, most);
        for (int a = 0; a < 3; a++) {
            s->half[a][i] *= times;
            if (s->half[a][i] > 50 * s->unit) s->half[a][i] = s->unit;
            if (s->half[a][i] == 0.0 && rng_chance(&s->random, 0.5)) s->half[a][i] = s->unit;
        }
    }
}

static void swap_places(test_system *s)
{
    if (s->n < 2) return;
    const size_t i = rng_below(&s->random, s->n), j = rng_below(&s->random, s->n);
    for (int a = 0; a < 3; a++) {
        const double c = s->centre[a][i];
        s->centre[a][i] = s->centre[a][j];
        s->centre[a][j] = c;
    }
}

static void join_places(test_system *s)
{
    if (s->n < 2) return;
    const size_t i = rng_below(&s->random, s->n), j = rng_below(&s->random, s->n);
    for (int a = 0; a < 3; a++)
        s->centre[a][i] = s->centre[a][j];
}

static void change_number(test_system *s)
{
    const size_t to = s->n + rng_below(&s->random, 4);
    if (rng_chance(&s->random, 0.5)) {
        s->n -= s->n >= 3 ? rng_below(&s->random, 4) : 0;
        return;
    }
    for (; s->n < to && s->n < s->room; s->n++) {
        place_anywhere(s, s->n);
        for (int a = 0; a < 3; a++)
            s->half[a][s->n] = 0.5 * s->unit;
    }
}

static void by_periods(test_system *s)
{
    unwrap(s, 2.4);
}

static void rest(test_system *s)
{
    (void)s;
}

void system_move(test_system *s)
{
    static const struct {
        double until; /* cumulative probability */
        void (*act)(test_system *);
    } moves[] = {{0.40, jiggle},     {0.65, drift},       {0.75, teleport},
                 {0.82, resize},     {0.86, swap_places}, {0.89, join_places},
                 {0.92, by_periods}, {0.96, rest},        {1.00, change_number}};
    const double u = rng_unit(&s->random);
    size_t k = 0;
    while (u >= moves[k].until)
        k++;
    moves[k].act(s);
    show(s);
}

/* ---- pairs */

static bool append(pair_array *list, size_t i, size_t j)
{
    if (list->count == list->room) {
        const size_t room = 2 * list->room + 64;
        jo_pair *pairs = realloc(list->pairs, room * sizeof *pairs);
        if (pairs == NULL) return false;
        list->pairs = pairs;
        list->room = room;
    }
    list->pairs[list->count++] = (jo_pair){(uint32_t)i, (uint32_t)j};
    return true;
}

bool pairs_by_definition(const jo_bodies *bodies, const jo_domain *domain, pair_array *out)
{
    out->count = 0;
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t j = i + 1; j < bodies->n; j++)
            if (jo_bodies_touch(bodies, domain, i, j) && !append(out, i, j)) return false;
    return true;
}

static int compare(const void *a, const void *b)
{
    const jo_pair *p = a, *q = b;
    if (p->i != q->i) return p->i < q->i ? -1 : 1;
    return p->j < q->j ? -1 : p->j > q->j;
}

void pairs_sort(jo_pair *pairs, size_t count)
{
    if (count > 1) qsort(pairs, count, sizeof *pairs, compare);
}

bool pairs_minus(const pair_array *a, const pair_array *b, pair_array *out)
{
    out->count = 0;
    size_t k = 0;
    for (size_t m = 0; m < a->count; m++) {
        while (k < b->count && compare(&b->pairs[k], &a->pairs[m]) < 0)
            k++;
        if (k < b->count && compare(&b->pairs[k], &a->pairs[m]) == 0) continue;
        if (!append(out, a->pairs[m].i, a->pairs[m].j)) return false;
    }
    return true;
}

void pairs_free(pair_array *list)
{
    free(list->pairs);
    *list = (pair_array){0};
}
