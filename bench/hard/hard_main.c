/* hard_main.c — collisions per second of hard balls over their number and the share of space they
 * fill.
 *
 *     jostle-bench-hard [--quick] [--n N] [--fraction F] [--search auto|cells|verlet] [--csv FILE]
 *     jostle-bench-hard --endure COLLISIONS [--n N] [--fraction F] [--search auto|cells|verlet]
 *
 * Equal elastic balls in a periodic cube, from random places, equilibrated, one thread. The clock
 * is the process's own (CPU time); each point is measured several times and the best and the median
 * are shown: other work on the machine only ever makes it slower. Beside it the best figure of the
 * public codes that were measured on a machine of this kind, under load.
 *
 * --endure: a long run (10,000 balls at 0.3 unless told otherwise) in which all pairs are looked at
 * every ten million collisions; tells the deepest overlap, and how far energy and momentum have
 * drifted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jostle/hard.h"

static const double pi = 3.14159265358979323846;
enum { WINDOWS_MAX = 9, NUMBERS = 4, FRACTIONS = 3 };

/* Thousands of collisions per second of CPU: the best of six public codes at each point. */
static const double numbers[NUMBERS] = {1e3, 1e4, 1e5, 1e6};
static const double fractions[FRACTIONS] = {2.0 / 45.0, 0.30, 0.49};
static const double others[FRACTIONS][NUMBERS] = {
    {574, 483, 163, 102}, {716, 555, 206, 176}, {1089, 1006, 383, 470}};

typedef struct bench_options {
    double n, fraction, endure;
    const char *search, *csv;
    bool quick;
} bench_options;

typedef struct bench_result {
    double best, median; /* collisions per CPU second */
    double bytes, crossings, invalid, pressure, deepest;
    jo_hard_stats stats;
} bench_result;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const jo_error *error)
{
    fprintf(stderr, "jostle-bench-hard: %s\n", error->text);
    exit(1);
}

static jo_scene make_scene(const bench_options *o, double n, double fraction, jo_material *material,
                           jo_contact_def *contact, jo_group *group)
{
    jo_scene s = jo_scene_default();
    const double edge = cbrt(n * pi / 6.0 / fraction);
    strcpy(s.engine, "hard");
    snprintf(s.broad, sizeof s.broad, "%s", o->search);
    s.has_box = true;
    *group = jo_group_default(JO_GROUP_RANDOM);
    for (int k = 0; k < 3; k++) {
        s.domain.hi[k] = group->region.hi[k] = edge;
        s.domain.periodic[k] = true;
    }
    s.duration = 1.0;
    *material = (jo_material){.name = "ball", .density = 6.0 / pi, .young = NAN, .poisson = NAN};
    *contact = jo_contact_def_default();
    contact->restitution = 1.0;
    group->sizes.a = 0.5;
    group->count = (uint64_t)n;
    group->velocity_spread = 1.0;
    s.material_count = 1;
    s.materials = material;
    s.contacts = contact;
    s.group_count = 1;
    s.groups = group;
    return s;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bench_result measure(const bench_options *o, double n, double fraction)
{
    jo_material material;
    jo_contact_def contact;
    jo_group group;
    jo_error error = {JO_OK, ""};
    jo_hard *hard;
    jo_hard_check check;
    jo_hard_observables seen;
    const jo_scene s = make_scene(o, n, fraction, &material, &contact, &group);
    bench_result r = {0};
    double rate[WINDOWS_MAX];
    const int windows = o->quick ? 3 : WINDOWS_MAX;
    const double least = o->quick ? 1e5 : 3e5;
    const uint64_t collisions = (uint64_t)fmax(least, (o->quick ? 0.2 : 0.5) * n);
    if (jo_hard_create(&s, NULL, &hard, &error) != JO_OK) stop(&error);
    if (jo_hard_advance(hard, INFINITY,
                        (uint64_t)fmin(20.0 * n, fmax(2e6, (o->quick ? 4.0 : 10.0) * n)),
                        &error) != JO_OK)
        stop(&error);
    const jo_hard_stats before = jo_hard_statistics(hard);
    if (jo_hard_mark(hard, &error) != JO_OK) stop(&error);
    for (int k = 0; k < windows; k++) {
        const double begin = cpu_seconds();
        if (jo_hard_advance(hard, INFINITY, collisions, &error) != JO_OK) stop(&error);
        rate[k] = (double)collisions / (cpu_seconds() - begin);
    }
    qsort(rate, (size_t)windows, sizeof *rate, by_value);
    r.best = rate[windows - 1];
    r.median = rate[windows / 2];
    r.stats = jo_hard_statistics(hard);
    r.bytes = (double)(r.stats.bytes) / n;
    const double all = (double)(r.stats.collisions - before.collisions);
    r.crossings =
        (double)(r.stats.crossings + r.stats.rebuilds - before.crossings - before.rebuilds) / all;
    r.invalid = (double)(r.stats.invalid - before.invalid) / all;
    if (jo_hard_observe(hard, &seen, &error) != JO_OK) stop(&error);
    r.pressure = seen.compressibility;
    if (jo_hard_validate(hard, &check, &error) != JO_OK) stop(&error);
    r.deepest = check.deepest;
    if (check.overlaps > 0) {
        fprintf(stderr, "jostle-bench-hard: %llu balls overlap\n",
                (unsigned long long)check.overlaps);
        exit(1);
    }
    jo_hard_destroy(hard);
    return r;
}

/* How far the momentum has moved, over the sum of all bodies' amounts of it. */
static double momentum_drift(jo_hard *hard, const jo_measures *first, const jo_measures *now)
{
    jo_error error = {JO_OK, ""};
    jo_frame frame;
    double sum = 0.0, square = 0.0;
    if (jo_hard_frame(hard, &frame, &error) != JO_OK) stop(&error);
    for (size_t i = 0; i < frame.n; i++)
        sum += frame.mass[i] *
               sqrt(frame.v[3 * i] * frame.v[3 * i] + frame.v[3 * i + 1] * frame.v[3 * i + 1] +
                    frame.v[3 * i + 2] * frame.v[3 * i + 2]);
    for (int k = 0; k < 3; k++)
        square += pow(now->momentum[k] - first->momentum[k], 2.0);
    return sqrt(square) / sum;
}

/* Exits with 1 where a pair overlaps by more than rounding. */
static int endure(const bench_options *o)
{
    jo_material material;
    jo_contact_def contact;
    jo_group group;
    jo_error error = {JO_OK, ""};
    jo_hard *hard;
    jo_measures first, now;
    const double n = isnan(o->n) ? 1e4 : o->n, fraction = isnan(o->fraction) ? 0.3 : o->fraction;
    const jo_scene s = make_scene(o, n, fraction, &material, &contact, &group);
    if (jo_hard_create(&s, NULL, &hard, &error) != JO_OK) stop(&error);
    if (jo_hard_measure(hard, &first, &error) != JO_OK) stop(&error);
    const double begin = cpu_seconds();
    printf("%.0f balls, %.4f of space: energy's drift, momentum's, deepest overlap over the "
           "diameter, overlaps\n",
           n, fraction);
    for (double done = 0.0; done < o->endure;) {
        const double more = fmin(1e7, o->endure - done);
        jo_hard_check check;
        if (jo_hard_advance(hard, INFINITY, (uint64_t)more, &error) != JO_OK) stop(&error);
        done += more;
        if (jo_hard_measure(hard, &now, &error) != JO_OK) stop(&error);
        if (jo_hard_validate(hard, &check, &error) != JO_OK) stop(&error);
        printf("%12.0f  %+.3e  %.3e  %+.3e  %llu  %.0f s\n", done,
               now.energy.kinetic / first.energy.kinetic - 1.0, momentum_drift(hard, &first, &now),
               check.deepest, (unsigned long long)check.overlaps, cpu_seconds() - begin);
        fflush(stdout);
        if (check.overlaps > 0) return 1;
    }
    jo_hard_destroy(hard);
    return 0;
}

static void report(FILE *csv, double n, double fraction, const bench_result *r, double other)
{
    const double g = (1.0 - 0.5 * fraction) / pow(1.0 - fraction, 3.0);
    printf("%9.0f  %6.4f  %-6s %8.0f %8.0f  %7.0f  %6.2f  %6.0f  %6.3f %6.3f  %8.4f %8.4f\n", n,
           fraction, r->stats.search, 1e-3 * r->best, 1e-3 * r->median, other,
           other > 0.0 ? 1e-3 * r->best / other : 0.0, r->bytes, r->crossings, r->invalid,
           r->pressure, 1.0 + 4.0 * fraction * g);
    fflush(stdout);
    if (csv == NULL) return;
    fprintf(csv, "%.0f,%.6f,%s,%.0f,%.0f,%.0f,%.1f,%.5f\n", n, fraction, r->stats.search, r->best,
            r->median, 1e3 * other, r->bytes, r->pressure);
}

static bench_options read_arguments(int argc, char **argv)
{
    bench_options o = {.n = NAN, .fraction = NAN, .search = "auto"};
    for (int k = 1; k < argc; k++) {
        const char *next = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--quick") == 0)
            o.quick = true;
        else if (strcmp(argv[k], "--n") == 0)
            o.n = atof(next), k++;
        else if (strcmp(argv[k], "--fraction") == 0)
            o.fraction = atof(next), k++;
        else if (strcmp(argv[k], "--search") == 0)
            o.search = next, k++;
        else if (strcmp(argv[k], "--csv") == 0)
            o.csv = next, k++;
        else if (strcmp(argv[k], "--endure") == 0)
            o.endure = atof(next), k++;
        else {
            fprintf(stderr, "usage: jostle-bench-hard [--quick | --endure COLLISIONS] [--n N] "
                            "[--fraction F] [--search auto|cells|verlet] [--csv FILE]\n");
            exit(64);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    const bench_options o = read_arguments(argc, argv);
    if (o.endure > 0.0) return endure(&o);
    FILE *csv = o.csv != NULL ? fopen(o.csv, "w") : NULL;
    if (o.csv != NULL && csv == NULL) {
        fprintf(stderr, "jostle-bench-hard: %s cannot be written\n", o.csv);
        return 1;
    }
    if (csv != NULL)
        fprintf(csv,
                "balls,fraction,search,best_per_s,median_per_s,others_best_per_s,bytes_per_ball,"
                "compressibility\n");
    printf("thousands of collisions per CPU second, one thread\n");
    printf("    balls  fills   search     best   median   others   times   bytes  leave   void"
           "    Z         Carnahan-Starling\n");
    for (int f = 0; f < FRACTIONS; f++)
        for (int k = 0; k < NUMBERS; k++) {
            if (!isnan(o.n) && o.n != numbers[k]) continue;
            if (!isnan(o.fraction) && fabs(o.fraction - fractions[f]) > 1e-3) continue;
            const bench_result r = measure(&o, numbers[k], fractions[f]);
            report(csv, numbers[k], fractions[f], &r, others[f][k]);
        }
    if (csv != NULL) fclose(csv);
    return 0;
}
