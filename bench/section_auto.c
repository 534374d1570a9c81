/* section_auto.c — is the automatic choice a good one?
 *
 * Every method that can finish in reasonable time, and auto, on every named system of the catalogue
 * (standing), on some of them at other sizes, and on moving ones; one thread, contacts in any
 * order. The ratio is auto's time over the best method's; 1.15 is the goal everywhere. */
#include "bench.h"

#include <math.h>
#include <string.h>

enum { METHODS_MAX = 24, STEPS = 40 };

typedef struct summary {
    double worst;
    char where[64];
    size_t systems, within;
    double ratios[256];
    size_t wrong;
} summary;

static size_t list_methods(contender *list)
{
    size_t count = 0;
    for (size_t k = 0; k < jo_broad_method_count() && count + 1 < METHODS_MAX; k++)
        list[count++] = contender_jostle(jo_broad_method(k)->name, false, 1);
    list[count++] = contender_jostle("auto", false, 1);
    return count;
}

static void write_row(table *t, summary *sum, const contender *list, size_t count, const char *name,
                      size_t n)
{
    const contender *own = &list[count - 1], *best = NULL;
    for (size_t k = 0; k + 1 < count; k++)
        if (list[k].present && !list[k].wrong && (best == NULL || list[k].best < best->best))
            best = &list[k];
    const double to_ns = 1e9 / (double)n;
    const double ratio = own->present && best != NULL ? own->best / best->best : NAN;
    table_cell(t, "%s", name);
    table_cell(t, "%zu", n);
    for (size_t k = 0; k < count; k++) {
        if (list[k].wrong)
            table_cell(t, "WRONG");
        else
            table_number(t, list[k].present ? list[k].best * to_ns : NAN);
    }
    table_cell(t, "%s", own->present ? own->chosen : "-");
    table_cell(t, "%s", best != NULL ? best->def.method : "-");
    table_number(t, ratio);
    if (isnan(ratio)) return;
    if (ratio > sum->worst) {
        sum->worst = ratio;
        snprintf(sum->where, sizeof sum->where, "%s, %zu bodies", name, n);
    }
    sum->within += ratio <= 1.15;
    if (sum->systems < COUNT_OF(sum->ratios)) sum->ratios[sum->systems++] = ratio;
}

/* A quick look at a tenth of the bodies tells which methods would be too slow. */
static void standing(table *t, summary *sum, const options *o, const char *name, size_t n)
{
    contender list[METHODS_MAX];
    const size_t count = list_methods(list);
    effort e = effort_of(o);
    e.budget = o->quick ? 0.05 : 0.25;
    e.runs = 15;
    e.cap_jostle = o->quick ? 0.1 : 0.5;
    bench_system small, system;
    if (n >= 1000 && system_make(&small, name, n / 10)) {
        const effort probe = {.budget = 0, .runs = 1, .cap_jostle = 1e9};
        sum->wrong += measure_find(list, count, &small, &probe);
        system_free(&small);
    }
    if (!system_make(&system, name, n)) return;
    sum->wrong += measure_find(list, count, &system, &e);
    write_row(t, sum, list, count, name, system.spheres.n);
    system_free(&system);
}

/* One contender through the motion, from the system as generated. */
static bool fly(contender *c, const char *name, size_t n, double step, double cap)
{
    bench_system system;
    if (!system_make(&system, name, n)) return false;
    bool fine = contender_start(c, &system);
    double total = 0, mean = 0;
    uint64_t hash = 0;
    for (size_t i = 0; i < n; i++)
        mean += 2 * system.particles.r[i] / (double)n;
    for (uint64_t k = 0; fine && k <= STEPS; k++) {
        if (k > 0) scene_move(&system.particles, step * mean, 3, k, false);
        const clocks start = clocks_now();
        fine = contender_update(c, &system);
        if (k > 0) total += clocks_since(c, start);
        if (fine) hash = hash * 31 + jo_pairs_hash(contender_pairs(c));
        if (total > cap) fine = false;
    }
    if (fine) {
        c->times[c->runs++] = total / STEPS;
        c->hash = hash;
        c->present = true;
        snprintf(c->chosen, sizeof c->chosen, "%s", jo_broad_statistics(c->search).method);
    }
    contender_stop(c);
    system_free(&system);
    return fine;
}

static void moving(table *t, summary *sum, const options *o, const char *name, size_t n,
                   double step)
{
    contender list[METHODS_MAX];
    const size_t count = list_methods(list), rounds = o->quick ? 2 : 4;
    const double cap = o->quick ? 0.5 : 3.0;
    for (size_t round = 0; round < rounds; round++)
        for (size_t k = 0; k < count; k++) {
            const bool hopeless = strcmp(list[k].def.method, "brute") == 0 && n > 5000;
            const bool slow = round > 0 && (!list[k].present || list[k].times[0] * STEPS > cap / 3);
            if (!hopeless && !slow) fly(&list[k], name, n, step, cap);
        }
    char label[64];
    snprintf(label, sizeof label, "%s, moving %g %%", name, 100 * step);
    for (size_t k = 0; k < count; k++)
        contender_summarise(&list[k]);
    sum->wrong += contenders_agree(list, count, label);
    write_row(t, sum, list, count, label, n);
}

static void draw(report *r, const summary *sum)
{
    double x[256], goal[2] = {1.15, 1.15};
    double sorted[256], ends[2] = {1, (double)sum->systems};
    memcpy(sorted, sum->ratios, sizeof sorted);
    median_of(sorted, sum->systems);
    for (size_t k = 0; k < sum->systems; k++)
        x[k] = (double)(k + 1);
    const jo_series series[] = {
        {.name = "auto / best method", .n = sum->systems, .x = x, .y = sorted, .points_only = true},
        {.name = "goal", .n = 2, .x = ends, .y = goal, .dashed = true}};
    report_plot(r, "auto",
                &(jo_plot){.title = "The automatic choice against the best method",
                           .x_label = "systems, from best to worst",
                           .y_label = "ratio of times",
                           .series = series,
                           .n_series = 2});
}

static void measure_systems(table *t, summary *sum, const options *o)
{
    static const struct {
        const char *name;
        double step;
    } motions[] = {{"B3", 0.01}, {"B3", 0.1},   {"B3", 1.0},      {"A2", 0.01},
                   {"C3", 0.01}, {"D3", 0.001}, {"D3", 0.02},     {"L3", 0.01},
                   {"P2", 0.01}, {"M2", 0.05},  {"bimodal", 0.01}};
    static const char *const resized[] = {"A2", "B3", "D3", "L3", "P2"};
    for (size_t k = 0; scene_name(k) != NULL; k++) {
        if (o->only != NULL && strcmp(o->only, scene_name(k)) != 0) continue;
        fprintf(stderr, "choosing for %s …\n", scene_name(k));
        standing(t, sum, o, scene_name(k), o->quick ? 5000 : 50000);
    }
    for (size_t k = 0; k < COUNT_OF(resized); k++) {
        if (o->only != NULL && strcmp(o->only, resized[k]) != 0) continue;
        standing(t, sum, o, resized[k], 100);
        standing(t, sum, o, resized[k], 2000);
        if (!o->quick)
            standing(t, sum, o, resized[k], strcmp(resized[k], "P2") == 0 ? 200000 : 1000000);
    }
    for (size_t k = 0; k < COUNT_OF(motions); k++) {
        if (o->only != NULL && strcmp(o->only, motions[k].name) != 0) continue;
        fprintf(stderr, "choosing for %s in motion …\n", motions[k].name);
        moving(t, sum, o, motions[k].name, o->quick ? 3000 : 50000, motions[k].step);
    }
}

size_t section_auto(const options *o)
{
    report r;
    if (!report_open(&r, o, "auto", "The automatic choice of method")) return 1;
    summary sum = {0};
    table t = table_new("ns per body (and step, where moving); '-': too slow to run");
    char heads[512] = "system|bodies";
    for (size_t k = 0; k < jo_broad_method_count(); k++)
        snprintf(heads + strlen(heads), sizeof heads - strlen(heads), "|%s",
                 jo_broad_method(k)->name);
    snprintf(heads + strlen(heads), sizeof heads - strlen(heads),
             "|auto|auto chose|best|auto / best");
    table_head(&t, heads);
    measure_systems(&t, &sum, o);
    table_report(&t, &r);
    table_csv(&t, &r, "auto");
    table_free(&t);
    report_say(
        &r,
        "%zu systems: auto within 1.15 of the best method on %zu, worst %.2f (%s), median %.3f.",
        sum.systems, sum.within, sum.worst, sum.where, median_of(sum.ratios, sum.systems));
    if (sum.systems > 1) draw(&r, &sum);
    report_close(&r);
    return sum.wrong;
}
