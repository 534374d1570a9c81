/* section_peers.c — contacts from scratch: jostle against the peers, on identical input.
 *
 * Paper 1's systems A, B and C in 2D and 3D, a dense packing (D3), log-uniform sizes 1:100 (L3) and
 * paper 1's mixed sizes (P2), each at growing numbers of bodies, so that a contender that could not
 * finish a size is known from the size before. */
#include "bench.h"

#include <math.h>
#include <string.h>

typedef struct workload {
    const char *name;
    size_t largest; /* number of bodies, at most */
    double goal;    /* times faster than the best peer */
    /* Figures measured on a similar machine with more libraries than Debian packages: Embree, and
     * the best of all, ns per body at `largest`. They turn the Embree time measured here into an
     * estimate of that best one. */
    double embree, best;
    const char *best_name;
} workload;

static const workload workloads[] = {
    {"A2", 1000000, 3, 623, 480, "ArborX"},       {"B2", 1000000, 3, 467, 409, "ArborX"},
    {"C2", 1000000, 3, 387, 283, "PhysX"},        {"A3", 1000000, 3, 823, 692, "ArborX"},
    {"B3", 1000000, 3, 533, 452, "ArborX"},       {"C3", 1000000, 3, 394, 325, "ArborX"},
    {"D3", 1000000, 3, 1297, 875, "TreeNSearch"}, {"L3", 1000000, 2, 1268, 1092, "ArborX"},
    {"P2", 100000, 2, 4104, 2233, "CGAL"},
};
static const size_t sizes[] = {10000, 100000, 1000000};
enum { WORKLOADS = COUNT_OF(workloads), SIZES = COUNT_OF(sizes), CONTENDERS_MAX = 48 };

typedef struct cell {
    double best, median; /* ns per body; NaN: not measured */
    size_t runs, contacts;
    bool wrong;
    char chosen[24];
} cell;

typedef struct results {
    contender contenders[CONTENDERS_MAX];
    size_t count;
    size_t jostle_auto; /* index of the row that is compared with the peers */
    cell cells[WORKLOADS][SIZES][CONTENDERS_MAX];
    floor_parts floors[WORKLOADS][SIZES];
    double contacts[WORKLOADS][SIZES]; /* per body */
    size_t wrong;
} results;

static void add(results *all, contender c)
{
    if (all->count < CONTENDERS_MAX) all->contenders[all->count++] = c;
}

static void list_contenders(results *all)
{
    for (size_t k = 0; peer_table[k] != NULL; k++)
        if (peer_table[k]->where & PEER_STATIC) add(all, contender_peer(peer_table[k]));
    for (size_t k = 0; k < jo_broad_method_count(); k++)
        add(all, contender_jostle(jo_broad_method(k)->name, false, 1));
    add(all, contender_jostle("auto", true, 1));
    add(all, contender_jostle("auto", false, 2));
    contender resident = contender_jostle("auto", false, 1);
    resident.spatial = true;
    snprintf(resident.name, sizeof resident.name, "jostle auto, bodies in spatial order");
    add(all, resident);
    all->jostle_auto = all->count;
    add(all, contender_jostle("auto", false, 1));
}

static void measure_one(results *all, size_t w, size_t k, const effort *e)
{
    bench_system system;
    if (!system_make(&system, workloads[w].name, sizes[k])) {
        all->wrong++;
        return;
    }
    fprintf(stderr, "measuring %s, %zu bodies …\n", workloads[w].name, sizes[k]);
    all->wrong += measure_find(all->contenders, all->count, &system, e);
    const double to_ns = 1e9 / (double)sizes[k];
    for (size_t c = 0; c < all->count; c++) {
        const contender *from = &all->contenders[c];
        cell *to = &all->cells[w][k][c];
        *to = (cell){from->best * to_ns, from->median * to_ns, from->runs,
                     from->contacts,     from->wrong,          ""};
        memcpy(to->chosen, from->chosen, sizeof to->chosen);
    }
    double contacts = 0;
    for (size_t c = 0; c < all->count; c++)
        if (all->contenders[c].present && !all->contenders[c].wrong)
            contacts = (double)all->contenders[c].contacts / (double)sizes[k];
    all->contacts[w][k] = contacts;
    all->floors[w][k] = floor_measure(sizes[k], system.spheres.dim, contacts);
    system_free(&system);
}

static bool wanted(const options *o, size_t w, size_t k)
{
    if (o->only != NULL && strcmp(o->only, workloads[w].name) != 0) return false;
    return sizes[k] <= (o->quick ? 100000 : workloads[w].largest) &&
           sizes[k] <= workloads[w].largest;
}

/* One run of everyone on a small system, so that the growth of each is known from 10^4 on. */
static void probe(results *all, const char *name)
{
    const effort e = {.budget = 0, .runs = 1, .cap_peer = 1e9, .cap_jostle = 1e9};
    bench_system system;
    for (size_t c = 0; c < all->count; c++)
        contender_forget(&all->contenders[c]);
    if (!system_make(&system, name, 2000)) return;
    all->wrong += measure_find(all->contenders, all->count, &system, &e);
    system_free(&system);
}

static void measure_all(results *all, const options *o)
{
    const effort e = effort_of(o);
    for (size_t w = 0; w < WORKLOADS; w++) {
        if (wanted(o, w, 0)) probe(all, workloads[w].name);
        for (size_t k = 0; k < SIZES; k++) {
            for (size_t c = 0; c < CONTENDERS_MAX; c++)
                all->cells[w][k][c].best = all->cells[w][k][c].median = NAN;
            if (wanted(o, w, k)) measure_one(all, w, k, &e);
        }
    }
}

static void write_times(const results *all, const options *o, report *r)
{
    for (size_t k = 0; k < SIZES; k++) {
        char title[128], heads[256] = "contender";
        snprintf(title, sizeof title, "%zu bodies, ns per body (best run)", sizes[k]);
        for (size_t w = 0; w < WORKLOADS; w++)
            if (wanted(o, w, k))
                snprintf(heads + strlen(heads), sizeof heads - strlen(heads), "|%s",
                         workloads[w].name);
        if (strchr(heads, '|') == NULL) continue;
        table t = table_new(title);
        table_head(&t, heads);
        for (size_t c = 0; c < all->count; c++) {
            table_cell(&t, "%s", all->contenders[c].name);
            for (size_t w = 0; w < WORKLOADS; w++) {
                if (!wanted(o, w, k)) continue;
                const cell *at = &all->cells[w][k][c];
                if (at->wrong)
                    table_cell(&t, "WRONG");
                else if (isnan(at->best))
                    table_cell(&t, "-");
                else
                    table_cell(&t, "%.0f", at->best);
            }
        }
        table_report(&t, r);
        table_free(&t);
    }
    report_say(
        r, "A dash: not run, because its times at smaller sizes show that it would take too long.");
}

static void write_data(const results *all, const report *r)
{
    table t = table_new("peers");
    table_head(&t, "workload|bodies|contender|library|best_ns_per_body|median_ns_per_body|runs|"
                   "contacts|method_used");
    for (size_t w = 0; w < WORKLOADS; w++)
        for (size_t k = 0; k < SIZES; k++)
            for (size_t c = 0; c < all->count; c++) {
                const cell *at = &all->cells[w][k][c];
                if (isnan(at->best)) continue;
                const peer *p = all->contenders[c].peer;
                table_cell(&t, "%s", workloads[w].name);
                table_cell(&t, "%zu", sizes[k]);
                table_cell(&t, "%s", all->contenders[c].name);
                table_cell(&t, "%s", p != NULL ? p->library : "jostle " JO_VERSION_STRING);
                table_cell(&t, "%.2f", at->best);
                table_cell(&t, "%.2f", at->median);
                table_cell(&t, "%zu", at->runs);
                table_cell(&t, "%zu", at->contacts);
                table_cell(&t, "%s", at->chosen);
            }
    table_csv(&t, r, "peers");
    table_free(&t);
}

/* A peer that starts from atoms already stored in spatial order has another input than the rest. */
static bool comparable(const contender *c)
{
    return c->peer != NULL && !c->spatial;
}

static size_t best_peer(const results *all, size_t w, size_t k)
{
    size_t best = all->count;
    for (size_t c = 0; c < all->count; c++) {
        const cell *at = &all->cells[w][k][c];
        if (!comparable(&all->contenders[c]) || isnan(at->best) || at->wrong) continue;
        if (best == all->count || at->best < all->cells[w][k][best].best) best = c;
    }
    return best;
}

static double embree_time(const results *all, size_t w, size_t k)
{
    for (size_t c = 0; c < all->count; c++)
        if (strcmp(all->contenders[c].name, "embree") == 0) return all->cells[w][k][c].best;
    return NAN;
}

static void write_ratios(const results *all, const options *o, report *r)
{
    table t = table_new("How many times faster jostle (auto, one thread) is than the best peer");
    table_head(&t, "workload|bodies|contacts per body|jostle|method|best peer|its ns|ratio|goal|"
                   "best unpackaged|its ns (estimate)|ratio (estimate)|floor ns|jostle / floor");
    for (size_t w = 0; w < WORKLOADS; w++)
        for (size_t k = 0; k < SIZES; k++) {
            if (!wanted(o, w, k)) continue;
            const cell *own = &all->cells[w][k][all->jostle_auto];
            const size_t rival = best_peer(all, w, k);
            const double theirs = rival < all->count ? all->cells[w][k][rival].best : NAN;
            const bool known = sizes[k] == workloads[w].largest;
            const double estimate =
                known ? embree_time(all, w, k) * workloads[w].best / workloads[w].embree : NAN;
            table_cell(&t, "%s", workloads[w].name);
            table_cell(&t, "%zu", sizes[k]);
            table_number(&t, all->contacts[w][k]);
            table_number(&t, own->best);
            table_cell(&t, "%s", own->chosen);
            table_cell(&t, "%s", rival < all->count ? all->contenders[rival].name : "-");
            table_number(&t, theirs);
            table_number(&t, theirs / own->best);
            table_cell(&t, "%.0f", workloads[w].goal);
            table_cell(&t, "%s", known ? workloads[w].best_name : "-");
            table_number(&t, estimate);
            table_number(&t, estimate / own->best);
            table_number(&t, all->floors[w][k].total);
            table_number(&t, own->best / all->floors[w][k].total);
        }
    table_report(&t, r);
    table_csv(&t, r, "ratios");
    table_free(&t);
    report_say(
        r, "Best peer: among those measured here, from the same unsorted input (so without "
           "lammps-sorted, to which the row in spatial order compares). Best unpackaged: the "
           "fastest of a wider field (ArborX, PhysX, TreeNSearch "
           "and others, not in Debian), estimated as the Embree time measured here times the ratio "
           "of the two on another machine. The floor is memory traffic alone, measured here, where "
           "reads and writes overlap; taken one by one it was put at 25 to 35 ns per body at 10^6. "
           "The "
           "goal is within 3 times of it.");
}

static void write_floor(const results *all, const options *o, report *r)
{
    table t = table_new(
        "The floor: memory traffic that no search avoids, measured in this run, ns per body");
    table_head(&t, "workload|bodies|copy GB/s|read in order|read, write at random|look at random|"
                   "write contacts|floor");
    for (size_t w = 0; w < WORKLOADS; w++)
        for (size_t k = 0; k < SIZES; k++) {
            if (!wanted(o, w, k)) continue;
            const floor_parts *f = &all->floors[w][k];
            table_cell(&t, "%s", workloads[w].name);
            table_cell(&t, "%zu", sizes[k]);
            table_number(&t, f->copy_gb);
            table_number(&t, f->read);
            table_number(&t, f->scatter);
            table_number(&t, f->look);
            table_number(&t, f->write);
            table_number(&t, f->total);
        }
    table_report(&t, r);
    table_csv(&t, r, "floor");
    table_free(&t);
}

static void write_plots(const results *all, const options *o, report *r)
{
    for (size_t w = 0; w < WORKLOADS; w++) {
        jo_series series[CONTENDERS_MAX];
        double x[SIZES], y[CONTENDERS_MAX][SIZES];
        size_t lines = 0, points = 0;
        for (size_t k = 0; k < SIZES; k++)
            points += wanted(o, w, k);
        if (points < 2) continue;
        for (size_t c = 0; c < all->count; c++) {
            for (size_t k = 0; k < points; k++) {
                x[k] = (double)sizes[k];
                y[c][k] = all->cells[w][k][c].best;
            }
            const bool sorted = all->contenders[c].peer == NULL && all->contenders[c].def.ordered;
            if (isnan(y[c][0]) || sorted) continue;
            series[lines++] = (jo_series){.name = all->contenders[c].name,
                                          .n = points,
                                          .x = x,
                                          .y = y[c],
                                          .dashed = all->contenders[c].peer != NULL};
        }
        char title[64], name[32];
        snprintf(title, sizeof title, "Contacts from scratch, %s", workloads[w].name);
        snprintf(name, sizeof name, "peers-%s", workloads[w].name);
        report_plot(r, name,
                    &(jo_plot){.title = title,
                               .subtitle = "one thread unless stated; peers dashed",
                               .x_label = "bodies",
                               .y_label = "ns per body",
                               .x_log = true,
                               .y_log = true,
                               .series = series,
                               .n_series = lines,
                               .width = 1000,
                               .height = 650});
    }
}

static void write_bars(const results *all, const options *o, report *r)
{
    const char *names[WORKLOADS];
    double x[WORKLOADS], y[CONTENDERS_MAX][WORKLOADS];
    jo_series series[CONTENDERS_MAX];
    size_t bars = 0, lines = 0;
    for (size_t w = 0; w < WORKLOADS; w++) {
        const size_t k = !o->quick && workloads[w].largest == 1000000 ? 2 : 1;
        if (!wanted(o, w, k)) continue;
        for (size_t c = 0; c < all->count; c++)
            y[c][bars] = all->cells[w][k][c].best;
        x[bars] = (double)bars;
        names[bars++] = workloads[w].name;
    }
    for (size_t c = 0; c < all->count; c++)
        if (comparable(&all->contenders[c]) || c == all->jostle_auto)
            series[lines++] =
                (jo_series){.name = all->contenders[c].name, .n = bars, .x = x, .y = y[c]};
    if (bars > 0)
        report_plot(r, "peers",
                    &(jo_plot){.title = "Contacts from scratch, one thread",
                               .subtitle = "the largest size of each workload",
                               .y_label = "ns per body",
                               .y_log = true,
                               .series = series,
                               .n_series = lines,
                               .x_names = names,
                               .n_x_names = bars,
                               .width = 1200,
                               .height = 650});
}

static void write_who(const results *all, report *r)
{
    table t = table_new("The peers, and how each is used");
    table_head(&t, "contender|library|use");
    for (size_t c = 0; c < all->count; c++) {
        const peer *p = all->contenders[c].peer;
        if (p == NULL) continue;
        table_cell(&t, "%s", p->name);
        table_cell(&t, "%s", p->library);
        table_cell(&t, "%s", p->how);
    }
    table_report(&t, r);
    table_free(&t);
    for (size_t k = 0; peer_missing[k] != NULL; k++)
        report_say(r, "%s is not installed: its rows are missing.", peer_missing[k]);
}

size_t section_peers(const options *o)
{
    results *all = calloc(1, sizeof *all);
    report r;
    if (all == NULL ||
        !report_open(&r, o, "peers", "Contacts from scratch, against other libraries")) {
        free(all);
        return 1;
    }
    list_contenders(all);
    measure_all(all, o);
    write_who(all, &r);
    write_times(all, o, &r);
    write_ratios(all, o, &r);
    write_floor(all, o, &r);
    write_bars(all, o, &r);
    write_plots(all, o, &r);
    write_data(all, &r);
    report_close(&r);
    const size_t wrong = all->wrong;
    free(all);
    return wrong;
}
