/* scale_main.c — what an event of hard polygons costs, over the number of grains: 100 to 5,000.
 *
 *     jostle-bench-scale [--events E]
 *
 * Gas: convex grains of 5 to 8 corners, radius 0.3 to 0.48, on a lattice of spacing 1 in a square
 * box, with random velocities and spins, elastic; nothing is held, every event is a flip or a
 * collision. Each has a number of events to forget its lattice before E (default 60,000) are timed.
 * CPU seconds of the process. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jostle/kinetic.h"
#include "jostle/outline.h"

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static jo_kinetic *make(size_t n)
{
    const size_t side = (size_t)ceil(sqrt((double)n));
    const double wide = (double)side - 0.5;
    const double box[8] = {-0.5, -0.5, wide, -0.5, wide, wide, -0.5, wide};
    size_t *first = calloc(n + 1, sizeof *first);
    double *corner = malloc(16 * n * sizeof *corner), *v = malloc(2 * n * sizeof *v);
    double *spin = malloc(n * sizeof *spin);
    jo_kinetic *world = NULL;
    jo_error error = {JO_OK, "out of memory"};
    bool ok = first != NULL && corner != NULL && v != NULL && spin != NULL;
    jo_grain_def grain = jo_grain_def_default();
    grain.radius = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = 0.3, .b = 0.48};
    uint64_t state = n;
    for (size_t i = 0; i < n && ok; i++) {
        double *p = corner + 2 * first[i];
        size_t corners;
        ok = jo_outline_grain(&grain, i, p, &corners, &error) == JO_OK && corners <= 8;
        for (size_t c = 0; c < corners && ok; c++) {
            p[2 * c] += (double)(i % side);
            p[2 * c + 1] += (double)(i / side);
        }
        first[i + 1] = first[i] + corners;
        v[2 * i] = 2.0 * uniform(&state) - 1.0;
        v[2 * i + 1] = 2.0 * uniform(&state) - 1.0;
        spin[i] = 4.0 * uniform(&state) - 2.0;
    }
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = n;
    def.first = first;
    def.corners = corner;
    def.v = v;
    def.spin = spin;
    def.boundary = 4;
    def.boundary_corners = box;
    ok = ok && jo_kinetic_create(&def, &world, &error) == JO_OK;
    if (!ok) fprintf(stderr, "%zu grains: %s\n", n, error.text);
    free(first);
    free(corner);
    free(v);
    free(spin);
    return ok ? world : NULL;
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {100, 200, 500, 1000, 2000, 5000};
    uint64_t events = 60000;
    if (argc == 3 && strcmp(argv[1], "--events") == 0)
        events = strtoull(argv[2], NULL, 10);
    else if (argc != 1) {
        fprintf(stderr, "usage: %s [--events E]\n", argv[0]);
        return 64;
    }
    printf("%7s %12s %12s %14s\n", "grains", "events/s", "us/event", "collisions");
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        jo_kinetic *world = make(counts[k]);
        jo_error error;
        if (world == NULL) return 1;
        bool ok = jo_kinetic_advance(world, INFINITY, 20 * counts[k], &error) == JO_OK;
        const uint64_t before = jo_kinetic_statistics(world).collisions;
        const double start = cpu_seconds();
        ok = ok && jo_kinetic_advance(world, INFINITY, events, &error) == JO_OK;
        const double seconds = cpu_seconds() - start;
        if (!ok || jo_kinetic_check(world, &error) != JO_OK) {
            fprintf(stderr, "%zu grains: %s\n", counts[k], error.text);
            return 1;
        }
        printf("%7zu %12.0f %12.2f %14llu\n", counts[k], (double)events / seconds,
               1e6 * seconds / (double)events,
               (unsigned long long)(jo_kinetic_statistics(world).collisions - before));
        fflush(stdout);
        jo_kinetic_destroy(world);
    }
    return 0;
}
