/* soft_report.c — what was measured, as tables, CSV and plots, and whether the physics agree.
 *
 * The best run of each contender counts. jostle and LAMMPS started from the same state and took the
 * same steps: their kinetic energy, contacts and height must agree within the bounds below, or the
 * benchmark compared two different problems and fails. The bounds are wide enough for how
 * differently the codes take velocities into their dashpots, and far below what another stiffness,
 * friction or damping would do. */
#include "bench.h"
#include "soft_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KINETIC_BOUND  0.01
#define CONTACTS_BOUND 0.01
#define FLOWING_BOUND  0.03 /* contacts of a flow come and go: sqrt(n) of them is 0.6 % */
#define HEIGHT_BOUND   1e-4

result *results_entry(results *all, const job *j, const char *who)
{
    result *known = (result *)results_find(all, j->which, job_bodies(j), j->cores, who);
    if (known != NULL) return known;
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 16;
        all->list = realloc(all->list, all->capacity * sizeof *all->list);
        if (all->list == NULL) abort();
    }
    all->list[all->count] = (result){.which = j->which,
                                     .bodies = job_bodies(j),
                                     .cores = j->cores,
                                     .contender = who,
                                     .steps = j->steps};
    return &all->list[all->count++];
}

const result *results_find(const results *all, const soft_case *c, size_t bodies, int cores,
                           const char *who)
{
    for (size_t k = 0; k < all->count; k++) {
        const result *r = &all->list[k];
        if (r->which == c && r->bodies == bodies && r->cores == cores &&
            strcmp(r->contender, who) == 0)
            return r;
    }
    return NULL;
}

static double rate_of(const results *all, const soft_case *c, size_t bodies, int cores,
                      const char *who)
{
    const result *r = results_find(all, c, bodies, cores, who);
    return r != NULL ? 1e-6 * r->best.rate : NAN;
}

/* Calls `row` for every case and size that was measured. */
typedef struct visit {
    const results *all;
    report *report;
    table *table;
} visit;

static void each_system(const visit *v, void (*row)(const visit *, const soft_case *, size_t))
{
    for (size_t k = 0; k < soft_case_count; k++)
        for (size_t copies = 1; copies <= 30; copies++) {
            const size_t bodies = copies * TILE_BODIES;
            if (results_find(v->all, &soft_cases[k], bodies, 1, "jostle") != NULL)
                row(v, &soft_cases[k], bodies);
        }
}

static size_t largest(const results *all)
{
    size_t most = 0;
    for (size_t k = 0; k < all->count; k++)
        most = all->list[k].bodies > most ? all->list[k].bodies : most;
    return most;
}

/* ---- tables */

static void speed_row(const visit *v, const soft_case *c, size_t bodies)
{
    table_cell(v->table, "%s, %zu", c->title, bodies);
    for (int cores = 1; cores <= 2; cores++) {
        const double ours = rate_of(v->all, c, bodies, cores, "jostle");
        const double lammps = rate_of(v->all, c, bodies, cores, "LAMMPS");
        const double yade = rate_of(v->all, c, bodies, cores, "YADE");
        table_number(v->table, ours);
        table_number(v->table, lammps);
        table_number(v->table, yade);
        table_number(v->table, ours / lammps);
        table_number(v->table, ours / yade);
    }
    table_number(v->table, rate_of(v->all, c, bodies, 1, "jostle, defaults"));
}

static void memory_row(const visit *v, const soft_case *c, size_t bodies)
{
    const result *ours = results_find(v->all, c, bodies, 1, "jostle");
    const result *usual = results_find(v->all, c, bodies, 1, "jostle, defaults");
    const result *lammps = results_find(v->all, c, bodies, 1, "LAMMPS");
    const result *yade = results_find(v->all, c, bodies, 1, "YADE");
    table_cell(v->table, "%s, %zu", c->title, bodies);
    table_number(v->table, ours->best.held);
    table_number(v->table, ours->best.peak);
    table_number(v->table, usual != NULL ? usual->best.held : NAN);
    table_number(v->table, usual != NULL ? usual->best.peak : NAN);
    table_number(v->table, lammps != NULL ? lammps->best.peak : NAN);
    table_number(v->table, yade != NULL ? yade->best.peak : NAN);
}

/* Stages are timed by the clock on the wall: their shares are taken, of the CPU time. */
static void stage_row(const visit *v, const soft_case *c, size_t bodies)
{
    const result *r = results_find(v->all, c, bodies, 1, "jostle");
    const double each = 1e9 * r->best.seconds / ((double)bodies * r->steps);
    double sum = 0.0;
    for (int k = 0; k < JO_SOFT_STAGES; k++)
        sum += r->best.stage[k];
    table_cell(v->table, "%s, %zu", c->title, bodies);
    for (int k = 0; k < JO_SOFT_STAGES; k++)
        table_number(v->table, each * r->best.stage[k] / sum);
    table_number(v->table, each);
    table_number(v->table, r->best.rebuilds);
    const result *lammps = results_find(v->all, c, bodies, 1, "LAMMPS");
    table_number(v->table, lammps != NULL ? lammps->best.rebuilds : NAN);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How much slower the largest system is than the smallest, of the rounds in which both were run one
 * after the other: by the best runs of either, or the median over rounds. */
static double drop_of(const results *all, const soft_case *c, int cores, const char *who,
                      bool by_rounds)
{
    const size_t most = largest(all);
    const result *few = results_find(all, c, TILE_BODIES, cores, who);
    const result *many = results_find(all, c, most, cores, who);
    if (few == NULL || many == NULL) return NAN;
    double ratio[ROUNDS_MAX], best_few = 0, best_many = 0;
    size_t n = few->runs < many->runs ? few->runs : many->runs;
    n = n < ROUNDS_MAX ? n : ROUNDS_MAX;
    for (size_t k = 0; k < n; k++) {
        ratio[k] = few->rates[k] / many->rates[k];
        best_few = fmax(best_few, few->rates[k]);
        best_many = fmax(best_many, many->rates[k]);
    }
    if (!by_rounds) return best_few / best_many;
    qsort(ratio, n, sizeof *ratio, ascending);
    return n > 0 ? 0.5 * (ratio[n / 2] + ratio[(n - 1) / 2]) : (double)NAN;
}

static void drop_rows(const results *all, table *t, bool by_rounds)
{
    static const char *const names[] = {"jostle", "jostle, defaults", "LAMMPS", "YADE"};
    for (size_t k = 0; k < soft_case_count; k++) {
        if (results_find(all, &soft_cases[k], TILE_BODIES, 1, "jostle") == NULL) continue;
        table_cell(t, "%s, %s", soft_cases[k].title, by_rounds ? "median" : "best runs");
        for (size_t m = 0; m < COUNT_OF(names); m++)
            for (int cores = 1; cores <= (m == 0 || m == 2 ? 2 : 1); cores++)
                table_number(t, drop_of(all, &soft_cases[k], cores, names[m], by_rounds));
    }
}

static void physics_row(const visit *v, const soft_case *c, size_t bodies)
{
    static const char *const names[] = {"jostle", "LAMMPS", "YADE"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        const result *r = results_find(v->all, c, bodies, 1, names[k]);
        if (r == NULL) continue;
        const double n = (double)bodies;
        table_cell(v->table, "%s, %zu: %s", c->title, bodies, names[k]);
        table_cell(v->table, "%u", r->steps);
        table_cell(v->table, "%.6g", r->best.kinetic / n);
        table_cell(v->table, "%.5f", 2.0 * r->best.contacts / n);
        table_cell(v->table, "%.7f", r->best.height);
    }
}

/* ---- agreement with LAMMPS */

static size_t disagreements(const results *all, report *r)
{
    size_t wrong = 0;
    for (size_t k = 0; k < all->count; k++) {
        const result *ours = &all->list[k];
        if (strcmp(ours->contender, "jostle") != 0) continue;
        const result *lammps = results_find(all, ours->which, ours->bodies, ours->cores, "LAMMPS");
        if (lammps == NULL) continue;
        const outcome *a = &ours->best, *b = &lammps->best;
        const double kinetic = fabs(a->kinetic / b->kinetic - 1.0);
        const double contacts = fabs(a->contacts / b->contacts - 1.0);
        const double height = fabs(a->height - b->height);
        const bool same = kinetic <= KINETIC_BOUND &&
                          contacts <= (ours->which->chute ? FLOWING_BOUND : CONTACTS_BOUND) &&
                          height <= HEIGHT_BOUND;
        report_say(r,
                   "%s%s, %zu bodies, %d core%s: kinetic energy differs from LAMMPS' by %.2g, "
                   "contacts by %.2g (relative), height by %.2g.",
                   same ? "" : "DIFFERENT PHYSICS: ", ours->which->title, ours->bodies, ours->cores,
                   ours->cores > 1 ? "s" : "", kinetic, contacts, height);
        wrong += !same;
    }
    for (size_t k = 0; k < all->agreement_count; k++) {
        const agreement *a = &all->agreements[k].a;
        report_say(r,
                   "%s, body by body at the end: positions differ by %.2g at most and %.2g rms, "
                   "velocities by %.2g rms of %.2g rms.",
                   all->agreements[k].which->title, a->position_max, a->position_rms,
                   a->velocity_rms, a->speed_rms);
    }
    return wrong;
}

/* ---- plots */

static void plot_speeds(const results *all, report *r, int cores)
{
    static const char *const names[] = {"jostle", "LAMMPS", "YADE"};
    enum { BARS = 8, NAMES = COUNT_OF(names) };
    double x[BARS], y[NAMES][BARS];
    char label[BARS][64];
    const char *labels[BARS];
    size_t bars = 0;
    const size_t sizes[2] = {TILE_BODIES, largest(all)};
    for (size_t k = 0; k < soft_case_count; k++)
        for (size_t s = 0; s < 2; s++) {
            if (results_find(all, &soft_cases[k], sizes[s], cores, "jostle") == NULL) continue;
            x[bars] = (double)bars;
            snprintf(label[bars], sizeof label[bars], "%s %zuk", soft_cases[k].name,
                     sizes[s] / 1000);
            labels[bars] = label[bars];
            for (size_t m = 0; m < NAMES; m++)
                y[m][bars] = rate_of(all, &soft_cases[k], sizes[s], cores, names[m]);
            bars++;
        }
    if (bars == 0) return;
    jo_series series[NAMES];
    for (size_t m = 0; m < NAMES; m++)
        series[m] = (jo_series){.name = names[m], .n = bars, .x = x, .y = y[m]};
    const jo_plot plot = {.title =
                              cores == 1 ? "Soft spheres, one core" : "Soft spheres, two cores",
                          .subtitle = "linear, hertz: settled packing; chute: dense flow",
                          .x_label = "problem and number of bodies",
                          .y_label = "million body-steps per second",
                          .series = series,
                          .n_series = NAMES,
                          .x_names = labels,
                          .n_x_names = bars};
    report_plot(r, cores == 1 ? "soft-1-core" : "soft-2-cores", &plot);
}

static void write_runs(const results *all, report *r)
{
    table t = table_new("every run");
    table_head(&t, "case|bodies|cores|contender|steps|round|million body-steps per second");
    for (size_t k = 0; k < all->count; k++)
        for (size_t m = 0; m < all->list[k].runs && m < ROUNDS_MAX; m++) {
            const result *e = &all->list[k];
            table_cell(&t, "%s", e->which->name);
            table_cell(&t, "%zu", e->bodies);
            table_cell(&t, "%d", e->cores);
            table_cell(&t, "%s", e->contender);
            table_cell(&t, "%u", e->steps);
            table_cell(&t, "%zu", m + 1);
            table_cell(&t, "%.6g", 1e-6 * e->rates[m]);
        }
    table_csv(&t, r, "soft-runs");
    table_free(&t);
}

static void make_table(const results *all, report *r, const char *name, const char *title,
                       const char *heads, void (*row)(const visit *, const soft_case *, size_t))
{
    table t = table_new(title);
    table_head(&t, heads);
    const visit v = {.all = all, .report = r, .table = &t};
    if (row != NULL)
        each_system(&v, row);
    else {
        drop_rows(all, &t, false);
        drop_rows(all, &t, true);
    }
    table_report(&t, r);
    table_csv(&t, r, name);
    table_free(&t);
}

static void stage_table(const results *all, report *r)
{
    char heads[512];
    int used = snprintf(heads, sizeof heads, "problem, bodies");
    for (int k = 0; k < JO_SOFT_STAGES; k++)
        used += snprintf(heads + used, sizeof heads - (size_t)used, "|%s",
                         jo_soft_stage_name((jo_soft_stage)k));
    snprintf(heads + used, sizeof heads - (size_t)used, "|all|lists made|by LAMMPS");
    make_table(all, r, "soft-stages", "Where jostle's time goes: ns per body and step, one core",
               heads, stage_row);
}

size_t results_report(const results *all, const char *directory, bool quick)
{
    const options o = {.quick = quick, .directory = directory};
    report r;
    if (!report_open(&r, &o, "soft", "Soft spheres: jostle, LAMMPS and YADE")) return 1;
    make_table(
        all, &r, "soft-speed",
        "Million body-steps per second (best run; CPU time on one core, wall time on two)",
        "problem, bodies|jostle, 1 core|LAMMPS|YADE|jostle / LAMMPS|jostle / YADE|"
        "jostle, 2 cores|LAMMPS|YADE|jostle / LAMMPS|jostle / YADE|jostle's defaults, 1 core",
        speed_row);
    plot_speeds(all, &r, 1);
    plot_speeds(all, &r, 2);
    char title[96];
    snprintf(title, sizeof title, "How much slower per body at %zu than at %d", largest(all),
             TILE_BODIES);
    make_table(all, &r, "soft-drop", title,
               "problem|jostle, 1 core|jostle, 2 cores|jostle's defaults|LAMMPS, 1 core|"
               "LAMMPS, 2 cores|YADE",
               NULL);
    make_table(all, &r, "soft-memory", "Bytes per body at the peak, one core",
               "problem, bodies|jostle, stated|resident|jostle's defaults, stated|resident|"
               "LAMMPS, resident|YADE, resident",
               memory_row);
    stage_table(all, &r);
    make_table(all, &r, "soft-physics", "At the end of the timed steps",
               "problem, bodies|steps timed|kinetic energy per body|contacts per body, twice|"
               "height of the centre",
               physics_row);
    const size_t wrong = disagreements(all, &r);
    write_runs(all, &r);
    report_close(&r);
    return wrong;
}
