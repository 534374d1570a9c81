/* measure.c — clocks, rounds, and the floor that memory sets.
 *
 * Contenders take turns, round by round, so that a slow spell of the machine falls on all of them;
 * the best run counts, the median is kept beside it. CPU time is used for one thread, as other
 * processes may share the machine; wall time for several. Before the first timed round every
 * contender has run once, so that memory that can be kept has been allocated (that first run is
 * timed as well, and is the only one of a contender that takes seconds). Runs are never
 * extrapolated: a contender that is bound to exceed the cap, judged from its times at smaller
 * sizes, is left out. */
#include "bench.h"

#include <math.h>
#include <string.h>
#include <time.h>

static double seconds_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

clocks clocks_now(void)
{
    return (clocks){seconds_on(CLOCK_PROCESS_CPUTIME_ID), seconds_on(CLOCK_MONOTONIC)};
}

double clocks_since(const contender *c, clocks start)
{
    const clocks now = clocks_now();
    const bool several = c->peer == NULL && c->def.threads != 1;
    return several ? now.wall - start.wall : now.cpu - start.cpu;
}

effort effort_of(const options *o)
{
    if (o->quick) return (effort){.budget = 0.15, .runs = 5, .cap_peer = 1.0, .cap_jostle = 0.5};
    return (effort){.budget = 1.0, .runs = 11, .cap_peer = 12.0, .cap_jostle = 3.0};
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *values, size_t count)
{
    if (count == 0) return NAN;
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

void contender_summarise(contender *c)
{
    double sorted[RUNS_MAX];
    memcpy(sorted, c->times, c->runs * sizeof *sorted);
    c->median = median_of(sorted, c->runs);
    c->best = c->runs > 0 ? sorted[0] : NAN;
}

/* What n bodies will take, from the two sizes before; 0: unknown. Growth is taken at least linear.
 */
double contender_foresee(const contender *c, double n)
{
    if (c->past_n[0] == 0) return 0;
    double power = 1.0;
    if (c->past_n[1] > 0 && c->past_n[1] < c->past_n[0])
        power = log(c->past_seconds[0] / c->past_seconds[1]) / log(c->past_n[0] / c->past_n[1]);
    return c->past_seconds[0] * pow(n / c->past_n[0], power > 1 ? power : 1.0);
}

static void remember(contender *c, double n)
{
    if (n == c->past_n[0]) return;
    c->past_n[1] = c->past_n[0];
    c->past_seconds[1] = c->past_seconds[0];
    c->past_n[0] = n;
    c->past_seconds[0] = c->best;
}

/* One timed run; searches shorter than 2 ms are repeated within it. */
static bool run_once(contender *c, bench_system *system)
{
    const double last = c->runs > 0 ? c->times[c->runs - 1] : 1.0;
    const size_t repeats = last < 2e-3 ? (size_t)(2e-3 / (last > 1e-7 ? last : 1e-7)) + 1 : 1;
    const clocks start = clocks_now();
    for (size_t k = 0; k < repeats; k++)
        if (!contender_find(c, system)) return false;
    c->times[c->runs++] = clocks_since(c, start) / (double)repeats;
    return true;
}

static void first_run(contender *c, bench_system *system)
{
    c->present = contender_start(c, system) && run_once(c, system);
    if (!c->present) {
        c->absent_note = "failed";
        return;
    }
    c->contacts = contender_pairs(c).count;
    c->hash = contender_hash(c, system);
    snprintf(c->chosen, sizeof c->chosen, "%s",
             c->peer == NULL ? jo_broad_statistics(c->search).method : "");
}

size_t contenders_agree(contender *contenders, size_t count, const char *where)
{
    size_t most = 0, wrong = 0;
    uint64_t right = 0;
    for (size_t i = 0; i < count; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < count; j++)
            votes += contenders[j].present && contenders[j].hash == contenders[i].hash;
        if (contenders[i].present && votes > most) {
            most = votes;
            right = contenders[i].hash;
        }
    }
    for (size_t i = 0; i < count; i++) {
        contender *c = &contenders[i];
        c->wrong = c->present && c->hash != right;
        if (!c->wrong) continue;
        wrong++;
        fprintf(
            stderr, "bench: WRONG: %s on %s found %zu contacts, hash %016llx; the others %016llx\n",
            c->name, where, c->contacts, (unsigned long long)c->hash, (unsigned long long)right);
    }
    return wrong;
}

static bool wants_more(const contender *c, const effort *e)
{
    if (!c->present || c->runs >= e->runs || c->runs >= RUNS_MAX) return false;
    double spent = 0;
    for (size_t k = 0; k < c->runs; k++)
        spent += c->times[k] < 2e-3 ? 2e-3 : c->times[k];
    if (c->runs < 3) return c->times[0] < 2 * e->budget;
    return spent < e->budget;
}

size_t measure_find(contender *contenders, size_t count, bench_system *system, const effort *e)
{
    const double n = (double)system->spheres.n;
    for (size_t k = 0; k < count; k++) {
        contender *c = &contenders[k];
        const double cap = c->peer != NULL ? e->cap_peer : e->cap_jostle;
        c->present = c->wrong = false;
        c->runs = 0;
        c->best = c->median = NAN;
        c->absent_note = "too slow";
        if (c->peer == NULL && c->spatial && !system_sort(system)) continue;
        if (contender_foresee(c, n) > cap) continue;
        first_run(c, system);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < count; k++)
            if (wants_more(&contenders[k], e)) more |= run_once(&contenders[k], system);
    }
    for (size_t k = 0; k < count; k++) {
        contender_stop(&contenders[k]);
        if (!contenders[k].present) continue;
        contender_summarise(&contenders[k]);
        remember(&contenders[k], n);
    }
    char where[64];
    snprintf(where, sizeof where, "%zu bodies in %dD", system->spheres.n, system->spheres.dim);
    return contenders_agree(contenders, count, where);
}
