/* section_moving.c — contacts kept current while everything moves.
 *
 * Paper 1's B in 3D, 10^5 spheres; each step every sphere moves 1 % of a mean diameter, in a new
 * random direction (a random walk) or always in its own (straight flight), for 50 steps; contacts
 * are listed after every step. The positions of all steps are computed before, so every contender
 * sees the same; the first list is made untimed. jostle's update also tells which contacts began
 * and ended, which the peers do not. LAMMPS runs with several skins, the best of which is its row
 * to beat, twice: from the caller's positions, as everyone else, and with positions moved in its
 * own spatially sorted storage, to which jostle with bodies stored in spatial order compares. */
#include "bench.h"

#include <math.h>
#include <string.h>

enum { STEPS = 50, CONTENDERS_MAX = 48 };

typedef struct path {
    size_t n;
    double *x[STEPS + 1], *y[STEPS + 1], *z[STEPS + 1];
} path;

static void path_free(path *p)
{
    for (int k = 0; k <= STEPS; k++) {
        free(p->x[k]);
        free(p->y[k]);
        free(p->z[k]);
    }
}

static double *copy_of(const double *values, size_t n)
{
    double *copy = malloc(n * sizeof *copy);
    if (copy == NULL) abort();
    memcpy(copy, values, n * sizeof *copy);
    return copy;
}

/* The system is left at the last step; its extents are widened to those of the whole path. */
static path path_make(bench_system *system, bool straight)
{
    path p = {.n = system->spheres.n};
    const double step = 0.01 * (system->spheres.r_min + system->spheres.r_max);
    for (int k = 0; k <= STEPS; k++) {
        if (k > 0) scene_move(&system->particles, step, 7, (uint64_t)k, straight);
        p.x[k] = copy_of(system->particles.x, p.n);
        p.y[k] = copy_of(system->particles.y, p.n);
        p.z[k] = copy_of(system->particles.z, p.n);
    }
    for (int a = 0; a < 3; a++) {
        system->spheres.lo[a] -= step * STEPS;
        system->spheres.hi[a] += step * STEPS;
    }
    return p;
}

/* One contender through all steps; returns the hash over all steps' contacts, 0 when it failed. */
static bool fly(contender *c, bench_system *system, const path *p, double limit)
{
    system_place(system, p->x[0], p->y[0], p->z[0]);
    const bool resort = c->peer == NULL && c->spatial;
    if ((resort && !system_sort(system)) || !contender_start(c, system)) return false;
    double total = 0;
    uint64_t hash = 0;
    clocks start = clocks_now();
    bool fine = c->peer == NULL ? contender_update(c, system) : contender_find(c, system);
    if (fine && clocks_since(c, start) > limit / 10) { /* the first list alone is far too slow */
        c->absent_note = "too slow";
        fine = false;
    }
    for (int k = 1; fine && k <= STEPS; k++) {
        system_place(system, p->x[k], p->y[k], p->z[k]);
        contender_place(c, system);
        if (resort) system_sort(system);
        start = clocks_now();
        fine = contender_update(c, system);
        total += clocks_since(c, start);
        c->contacts = contender_pairs(c).count;
        hash = hash * 31 + contender_hash(c, system);
        if (total > limit) {
            c->absent_note = "too slow";
            fine = false;
        }
    }
    if (fine) {
        c->times[c->runs++] = total / STEPS;
        c->hash = hash;
        c->present = true;
        snprintf(c->chosen, sizeof c->chosen, "%s",
                 c->peer == NULL ? jo_broad_statistics(c->search).method : "");
    }
    contender_stop(c);
    return fine;
}

static size_t list_contenders(contender *list)
{
    size_t count = 0;
    for (size_t k = 0; peer_table[k] != NULL; k++)
        if (peer_table[k]->where & PEER_MOVING) list[count++] = contender_peer(peer_table[k]);
    for (size_t k = 0; k < jo_broad_method_count(); k++)
        list[count++] = contender_jostle(jo_broad_method(k)->name, false, 1);
    list[count] = contender_jostle("grid", false, 1);
    list[count].from_scratch = true;
    snprintf(list[count].name, sizeof list[count].name, "jostle grid, find");
    count++;
    list[count++] = contender_jostle("auto", true, 1);
    list[count++] = contender_jostle("auto", false, 2);
    list[count] = contender_jostle("auto", false, 1);
    list[count].spatial = true;
    snprintf(list[count].name, sizeof list[count].name, "jostle auto, bodies in spatial order");
    count++;
    list[count++] = contender_jostle("auto", false, 1);
    return count;
}

static bool is_lammps(const contender *c)
{
    return c->peer != NULL && strncmp(c->peer->name, "lammps", 6) == 0;
}

/* The fastest of LAMMPS' rows (spatial: those on its own storage), or of the other peers'; NULL:
 * none was measured. */
static const contender *best_of(const contender *list, size_t count, bool lammps, bool spatial)
{
    const contender *best = NULL;
    for (size_t k = 0; k < count; k++) {
        const contender *c = &list[k];
        if (c->peer == NULL || !c->present || c->wrong) continue;
        if (is_lammps(c) != lammps || c->spatial != spatial) continue;
        if (best == NULL || c->best < best->best) best = c;
    }
    return best;
}

static void compare(report *r, const contender *own, const contender *rival, const char *who,
                    double goal, size_t n)
{
    if (!own->present || rival == NULL) return;
    const double to_ns = 1e9 / (double)n;
    report_say(r, "%s (%s) %.1f ns, %s (%s) %.1f ns per body and step: %.2f times faster; goal %g.",
               own->name, own->chosen, own->best * to_ns, who, rival->name, rival->best * to_ns,
               rival->best / own->best, goal);
}

static void write_goal(report *r, const contender *list, size_t count, size_t n)
{
    const contender *own = &list[count - 1], *resident = &list[count - 2];
    compare(r, own, best_of(list, count, true, false), "LAMMPS with its best skin", 1.5, n);
    compare(r, resident, best_of(list, count, true, true), "LAMMPS on its own storage", 1.5, n);
    compare(r, own, best_of(list, count, false, false), "the best other peer", 5, n);
}

static void write_motion(report *r, const contender *list, size_t count, size_t n,
                         const char *motion)
{
    char title[128];
    snprintf(title, sizeof title, "B3, %zu spheres, %s: ns per body and step", n, motion);
    table t = table_new(title);
    table_head(&t, "contender|best|median|runs|note");
    const double to_ns = 1e9 / (double)n;
    for (size_t k = 0; k < count; k++) {
        const contender *c = &list[k];
        table_cell(&t, "%s", c->name);
        table_number(&t, c->present ? c->best * to_ns : NAN);
        table_number(&t, c->present ? c->median * to_ns : NAN);
        table_cell(&t, "%zu", c->runs);
        table_cell(&t, "%s", c->wrong ? "WRONG" : c->present ? c->chosen : c->absent_note);
    }
    table_report(&t, r);
    char name[64];
    snprintf(name, sizeof name, "moving-%s", motion[0] == 'r' ? "walk" : "straight");
    table_csv(&t, r, name);
    table_free(&t);
}

static void draw(report *r, contender lists[2][CONTENDERS_MAX], size_t count, size_t n)
{
    const char *names[CONTENDERS_MAX];
    double x[CONTENDERS_MAX], walk[CONTENDERS_MAX], flight[CONTENDERS_MAX];
    size_t bars = 0;
    for (size_t k = 0; k < count; k++) {
        if (!lists[0][k].present && !lists[1][k].present) continue;
        names[bars] = lists[0][k].name;
        x[bars] = (double)bars;
        walk[bars] = lists[0][k].present ? lists[0][k].best * 1e9 / (double)n : NAN;
        flight[bars++] = lists[1][k].present ? lists[1][k].best * 1e9 / (double)n : NAN;
    }
    const jo_series series[] = {{.name = "random walk", .n = bars, .x = x, .y = walk},
                                {.name = "straight flight", .n = bars, .x = x, .y = flight}};
    report_plot(r, "moving",
                &(jo_plot){.title = "Contacts kept current, 1 % of a mean diameter per step",
                           .y_label = "ns per body and step",
                           .y_log = true,
                           .series = series,
                           .n_series = 2,
                           .x_names = names,
                           .n_x_names = bars,
                           .width = 1300,
                           .height = 650});
}

/* Small standing systems first: they tell who could not even make the first list in time. */
static size_t probe(contender *list, size_t count, size_t n)
{
    const effort e = {.budget = 0, .runs = 1, .cap_peer = 1e9, .cap_jostle = 1e9};
    size_t wrong = 0;
    for (size_t part = 50; part >= 10; part /= 5) {
        bench_system system;
        if (!system_make(&system, "B3", n / part)) return 1;
        wrong += measure_find(list, count, &system, &e);
        system_free(&system);
    }
    for (size_t k = 0; k < count; k++) {
        list[k].runs = 0;
        list[k].present = false;
    }
    return wrong;
}

static size_t measure_motion(contender *list, size_t count, bool straight, const options *o,
                             size_t n)
{
    bench_system system;
    if (!system_make(&system, "B3", n)) return 1;
    path p = path_make(&system, straight);
    const double limit = o->quick ? 2.0 : 10.0, budget = o->quick ? 0.4 : 2.0;
    const size_t rounds = o->quick ? 2 : 5;
    size_t wrong = probe(list, count, n);
    for (size_t k = 0; k < count; k++) {
        const bool slow = contender_foresee(&list[k], (double)n) > limit / 10;
        list[k].absent_note = slow ? "too slow" : "failed";
    }
    for (size_t round = 0; round < rounds; round++)
        for (size_t k = 0; k < count; k++) {
            contender *c = &list[k];
            if (strcmp(c->absent_note, "too slow") == 0) continue;
            if (round > 0 && (!c->present || c->times[0] * STEPS * (double)round > budget))
                continue;
            if (round == 0) fprintf(stderr, "moving %s …\n", c->name);
            fly(c, &system, &p, limit);
        }
    for (size_t k = 0; k < count; k++)
        contender_summarise(&list[k]);
    path_free(&p);
    system_free(&system);
    wrong += contenders_agree(list, count, straight ? "straight flight" : "random walk");
    return wrong;
}

size_t section_moving(const options *o)
{
    report r;
    if (!report_open(&r, o, "moving", "A moving system")) return 1;
    static contender lists[2][CONTENDERS_MAX];
    const size_t n = o->quick ? 20000 : 100000;
    const char *motions[] = {"random walk", "straight flight"};
    size_t wrong = 0, count = 0;
    for (int m = 0; m < 2; m++) {
        count = list_contenders(lists[m]);
        wrong += measure_motion(lists[m], count, m == 1, o, n);
        write_motion(&r, lists[m], count, n, motions[m]);
        write_goal(&r, lists[m], count, n);
    }
    draw(&r, lists, count, n);
    report_close(&r);
    return wrong;
}
