/* flat_main.c — how long it takes to know when a triangle goes flat: sturm, fast, exact, in
 * nanoseconds.
 *
 * Triangles as between the grains of a hopper, in centimetres: two or three grains of radius 0.5 to
 * 1 that move with some 10 cm/s against each other, turn with some 5 rad/s, and fall. `none` are
 * triangles that do not go flat within the time looked at, `flat` those that do, `mix` as they
 * come, `grazing` those that only just do or just do not. All methods get the same ones. The time
 * looked at is that for which the series is good to 1e-11 of a radius, at most 5 ms. The least of
 * several passes counts.
 *
 *     jostle-bench-flat [--count N] [--only METHOD KIND]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/timer.h"
#include "hard/flat_time.h"

enum { PASSES = 7, KINDS = 4, METHODS = 3 };

static const char *const kind_names[KINDS] = {"none", "flat", "mix", "grazing"};
static const char *const method_names[METHODS] = {"fast", "sturm", "exact"};

typedef struct sample {
    flat_body body[3];
    flat_triangle triangle;
} sample;

static double between(random_stream *r, double lo, double hi)
{
    return lo + (hi - lo) * jo_random_uniform(r);
}

static void make(random_stream *r, sample *s)
{
    double spin = 0.0;
    const bool three = jo_random_uniform(r) < 0.5;
    for (int k = 0; k < 3; k++) {
        flat_body *b = &s->body[k];
        *b = (flat_body){.a = {0.0, -981.0}, .spin = 5.0 * jo_random_normal(r)};
        spin = fmax(spin, fabs(b->spin));
        for (int i = 0; i < 2; i++) {
            b->x[i] = between(r, -1.0, 1.0);
            b->v[i] = 10.0 * jo_random_normal(r);
        }
    }
    const double height = pow(10.0, between(r, -3.0, 0.0)), along = between(r, -0.5, 1.5);
    const double place[3][2] = {{0, 0}, {between(r, 0.5, 1.5), 0}, {along, height}};
    const int of[2][3] = {{0, 0, 1}, {0, 1, 2}};
    s->triangle = (flat_triangle){.until = fmin(5e-3, jo_flat_period(spin, 1e-11))};
    for (int k = 0; k < 3; k++) {
        const flat_body *b = &s->body[of[three][k]];
        s->triangle.corner[k] = (flat_corner){b, {place[k][0] - b->x[0], place[k][1] - b->x[1]}};
    }
}

/* Moves the level such that the lowest place before the end is next to zero. False: there is none
 * inside. */
static bool graze(random_stream *r, sample *s)
{
    double low = INFINITY, at = 0.0;
    for (int k = 0; k <= 200; k++) {
        const double u = s->triangle.until * k / 200, v = jo_flat_value(&s->triangle, u, NULL);
        if (v < low) {
            low = v;
            at = u;
        }
    }
    if (!(at > 0.0 && at < s->triangle.until)) return false;
    for (double step = s->triangle.until / 200; step > 1e-9 * at; step *= 0.5) {
        double slope;
        jo_flat_value(&s->triangle, at, &slope);
        at += slope > 0.0 ? -step : step;
    }
    s->triangle.level = jo_flat_value(&s->triangle, at, NULL) + 1e-14 * between(r, -1.0, 1.0);
    return true;
}

static bool fits(random_stream *r, int kind, sample *s)
{
    if (kind == 3) {
        s->body[1].a[1] = 981.0; /* pushed away: it comes near and leaves */
        s->triangle.until = 5e-3;
        return graze(r, s);
    }
    if (kind == 2) return true;
    return jo_flat_time(&s->triangle, FLAT_EXACT).flat == (kind == 1);
}

static double pass(const sample *all, size_t n, flat_method method, double *sum)
{
    const double start = jo_seconds();
    for (size_t k = 0; k < n; k++)
        *sum += jo_flat_time(&all[k].triangle, method).when;
    return jo_seconds() - start;
}

static double least_time(const sample *all, size_t n, flat_method method, int passes)
{
    double least = INFINITY, sum = 0.0;
    for (int k = 0; k < passes; k++)
        least = fmin(least, pass(all, n, method, &sum));
    if (sum < 0.0) puts("times are never negative"); /* so that the sum is needed */
    return 1e9 * least / (double)n;
}

static void fill(sample *all, size_t n, int kind)
{
    random_stream r = jo_random_start(5, (uint64_t)kind);
    for (size_t k = 0; k < n; k++)
        do
            make(&r, &all[k]);
        while (!fits(&r, kind, &all[k]));
}

int main(int argc, char **argv)
{
    size_t n = 2000;
    const char *method = NULL, *kind = NULL;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--count") == 0 && k + 1 < argc)
            n = (size_t)strtoul(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--only") == 0 && k + 2 < argc)
            method = argv[++k], kind = argv[++k];
        else
            return fprintf(stderr, "usage: %s [--count N] [--only METHOD KIND]\n", argv[0]), 64;
    }
    sample *all = malloc((n > 0 ? n : 1) * sizeof *all);
    if (all == NULL) return 1;
    printf("%-8s", "ns");
    for (int i = 0; i < METHODS; i++)
        printf("%10s", method_names[i]);
    for (int j = 0; j < KINDS; j++) {
        if (kind != NULL && strcmp(kind, kind_names[j]) != 0) continue;
        fill(all, n, j);
        printf("\n%-8s", kind_names[j]);
        for (int i = 0; i < METHODS; i++) {
            if (method != NULL && strcmp(method, method_names[i]) != 0) continue;
            const flat_method which[METHODS] = {FLAT_FAST, FLAT_STURM, FLAT_EXACT};
            printf("%10.1f", least_time(all, n, which[i], method != NULL ? 1 : PASSES));
        }
    }
    puts("");
    free(all);
    return 0;
}
