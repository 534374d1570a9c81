/* paper1.c — Leszczynski and Ciesielski: "Effective Algorithm for Detection of a Collision
 * between Spherical Particles", reproduced.
 *
 * The paper's systems: centres uniform in a square or cube, diameters uniform in [0.05, 0.1] (A),
 * [0.02, 0.05] (B) or [0.005, 0.02] (C), 100 particles per unit area, 1000 per unit volume.
 * "LCMk" is linked cells with k particles per cell on average. What is measured here:
 *
 *   ratios   contacts per particle, beside the paper's percentages and beside the exact
 *            expectation in an open box: n (n − 1) / 2 E[P(s)], where P(s) is the probability
 *            that two uniform points of a box of edge L are within s = ri + rj (t = s / L):
 *              2D  π t² − 8/3 t³ + t⁴/2
 *              3D  4π/3 t³ − 3π/2 t⁴ + 8/5 t⁵ − t⁶/6
 *   Fig. 2   time over the number of particles. The figure's values are not printed in the
 *            paper, so there is no number to put beside ours; its statements are checked.
 *   Table 1  10000 discs, d in [0.02, 1]. LCM100, 204, 625, 1111 are 10², 7², 4² and 3² cells;
 *            cells of at least d_max = 1 make the box 10 × 10. Ours is 10.05: our cells divide
 *            the extent of the centres, which is a little smaller than the box.
 *   Table 2  100 discs, d in [0.1, 2]. LCM11, 25, 100 are 3², 2² and 1 cells; 3² but not 4²
 *            cells of at least 2 put the edge between 6 and 8: 7 here.
 *   Table 3  100 discs, d in [0.1, 0.3], and one of 5.64 in one cell. The edge is at least 5.64,
 *            and below 11.28 lest there be 4 cells: 10 here (the big disc covers a quarter).
 *            In Tables 2 and 3 one cell costs 1.59 s for 4950 pairs and 1.38 s for 5050. That
 *            is 0.3 ms per pair if it was one run, where Table 1's LCM100 spends 0.25 µs per
 *            pair: the times must be sums of about 1000 runs. Ours are of exactly 1000.
 *
 * The paper's machine is 20 years older: compare the ratios. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "measure.h"
#include "progress.h"
#include "reproduce.h"

static const char *const tests[] = {"A", "B", "C"};

/* ---- contact ratios */

/* The probability that two uniform points of a square or cube of edge 1 are within t <= 1. */
static double within(double t, int dim)
{
    const double t2 = t * t, t3 = t2 * t, t4 = t2 * t2;
    if (dim == 2) return M_PI * t2 - 8.0 / 3.0 * t3 + 0.5 * t4;
    return 4.0 / 3.0 * M_PI * t3 - 1.5 * M_PI * t4 + 1.6 * t4 * t - t3 * t3 / 6.0;
}

/* Contacts per particle expected in the open box: the mean over the sum of two uniform radii by the
 * midpoint rule, exact to about 1e-6. */
static double expected_open(const scene_def *def, double edge)
{
    enum { STEPS = 1000 };
    double sum = 0.0;
    for (int a = 0; a < STEPS; a++) {
        /* s / d_max − d_min … has the density of a sum of two uniform numbers: a triangle. */
        const double u = (a + 0.5) / STEPS * 2.0, weight = u < 1.0 ? u : 2.0 - u;
        const double s = def->d_min + 0.5 * u * (def->d_max - def->d_min);
        sum += weight * within(s / edge, def->dim) * (2.0 / STEPS);
    }
    return 0.5 * ((double)def->n - 1.0) * sum;
}

static jo_status count_contacts(const scene_def *def, double *ratio, double *edge, jo_error *error)
{
    jo_particles p = {0};
    measurement m;
    jo_status status = scene_generate(def, &p, error);
    if (status != JO_OK) return status;
    jo_broad_def search = jo_broad_def_default();
    search.method = "cells";
    search.threads = 1;
    const jo_bodies bodies = jo_particles_view(&p);
    status = measure_find(&search, &bodies, 1, &m, error);
    *ratio = (double)m.contacts / (double)p.n;
    *edge = p.domain.hi[0] - p.domain.lo[0];
    jo_particles_free(&p);
    return status;
}

static jo_status ratios(report *out, const effort *how, jo_error *error)
{
    static const double printed[2][3] = {{0.87, 0.19, 0.02}, {0.90, 0.10, 0.04}};
    const size_t n = 10000;
    const int systems = how->quick ? 4 : 20;
    report_section(out, "Contacts per particle (section 3)");
    report_plot *plot = report_plot_add(out, "ratios", "Contacts per particle", "test",
                                        "contacts per particle", false, true);
    for (int dim = 2; dim <= 3; dim++)
        for (int t = 0; t < 3; t++) {
            char name[8], label[64];
            double sum = 0.0, edge = 1.0;
            scene_def def;
            snprintf(name, sizeof name, "%s%d", tests[t], dim);
            scene_by_name(name, n, &def);
            for (int k = 0; k < systems; k++) {
                double ratio = 0.0;
                def.seed = how->seed + (uint64_t)k;
                const jo_status status = count_contacts(&def, &ratio, &edge, error);
                if (status != JO_OK) return status;
                sum += ratio / systems;
            }
            const bool wrong = dim == 3 && t == 2;
            snprintf(label, sizeof label, "%dD %s", dim, tests[t]);
            report_row_add(out, label, printed[dim - 2][t], sum, "contacts/particle",
                           "geometry: %.5f without edges, %.5f in the open box of 10000%s",
                           scene_expected_contacts(&def, edge), expected_open(&def, edge),
                           wrong ? "; 4 % cannot be right" : "");
            const size_t bar = (size_t)(3 * (dim - 2) + t);
            report_bar_name(out, plot, bar, label);
            report_point(out, plot, "paper", (double)bar, printed[dim - 2][t]);
            report_point(out, plot, "ours", (double)bar, sum);
            report_point(out, plot, "geometry", (double)bar, expected_open(&def, edge));
        }
    report_finding(
        out, "The paper's contact ratio for 3D, test C, is 4 %%. Its own parameters (1000 "
             "per unit volume, d in [0.005, 0.02]) give n/2V · 4π/3 · E[(ri+rj)³] = 0.483 %%, "
             "whatever the number of particles. The other five "
             "agree with geometry, edge effects of some thousand particles included; 2D C is "
             "2.6 %%, printed as 2 %%: cut, not rounded.");
    return JO_OK;
}

/* ---- Fig. 2 */

typedef struct contender {
    const char *name, *method;
    double per_cell;
} contender;

static const contender contenders[] = {{"radial", "radial", 0.0},
                                       {"LCM1", "cells", 1.0},
                                       {"LCM5", "cells", 5.0},
                                       {"LCM10", "cells", 10.0},
                                       {"grid (ours)", "grid", 0.0}};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

static jo_status time_contender(const jo_particles *p, const contender *c, int repeat,
                                measurement *m, jo_error *error)
{
    jo_broad_def def = jo_broad_def_default();
    def.method = c->method;
    def.per_cell = c->per_cell;
    def.threads = 1;
    const jo_bodies bodies = jo_particles_view(p);
    return measure_find(&def, &bodies, repeat, m, error);
}

/* What is kept of one curve: its last two points, for the growth. Pairs tested are exact, so their
 * growth is that of the algorithm; times grow a little faster where caches overflow. */
typedef struct growth {
    double n[2], seconds[2], tested[2];
} growth;

static jo_status figure_point(report *out, report_plot *plot, const scene_def *def,
                              growth curves[CONTENDERS], jo_error *error)
{
    jo_particles p = {0};
    jo_status status = scene_generate(def, &p, error);
    for (int c = 0; c < CONTENDERS && status == JO_OK; c++) {
        measurement m;
        status = time_contender(&p, &contenders[c], def->n <= 30000 ? 3 : 1, &m, error);
        if (status != JO_OK) break;
        report_point(out, plot, contenders[c].name, (double)def->n, m.seconds);
        growth *g = &curves[c];
        g->n[0] = g->n[1];
        g->seconds[0] = g->seconds[1];
        g->tested[0] = g->tested[1];
        g->n[1] = (double)def->n;
        g->seconds[1] = m.seconds;
        g->tested[1] = (double)m.tested;
    }
    jo_particles_free(&p);
    return status;
}

static double exponent(const double n[2], const double value[2])
{
    return log(value[1] / value[0]) / log(n[1] / n[0]);
}

static void figure_rows(report *out, int dim, const char *test, const growth curves[CONTENDERS])
{
    char name[REPORT_NAME], formula[80];
    const double factor = dim == 2 ? 4.5 : 13.5;
    for (int c = 0; c < CONTENDERS; c++) {
        const growth *g = &curves[c];
        formula[0] = '\0';
        if (contenders[c].per_cell > 0.0)
            snprintf(formula, sizeof formula, ", paper's formula %g N p = %.3g", factor,
                     factor * g->n[1] * contenders[c].per_cell);
        snprintf(name, sizeof name, "%dD %s, %s", dim, test, contenders[c].name);
        report_row_add(out, name, NAN, g->seconds[1], "s",
                       "N = %.0f; %.3g pairs tested%s; time grows as N^%.2f, tests as N^%.2f",
                       g->n[1], g->tested[1], formula, exponent(g->n, g->seconds),
                       exponent(g->n, g->tested));
    }
}

/* The paper's statements about Fig. 2, over all six systems. */
typedef struct statements {
    int fewer_is_faster;    /* systems in which LCM1 < LCM5 < LCM10 */
    double radial_power[4]; /* growth of the tests of the novel algorithm, sum by dimension */
} statements;

static void figure_statements(const growth curves[CONTENDERS], int dim, statements *s)
{
    const double *lcm1 = curves[1].seconds, *lcm5 = curves[2].seconds, *lcm10 = curves[3].seconds;
    s->fewer_is_faster += lcm1[1] < lcm5[1] && lcm5[1] < lcm10[1];
    s->radial_power[dim] += exponent(curves[0].n, curves[0].tested) / 3.0;
}

static jo_status figure2(report *out, const effort *how, jo_error *error)
{
    static const size_t full[] = {1000, 3000, 10000, 30000, 100000, 200000};
    static const size_t quick[] = {3000, 10000};
    const size_t *counts = how->quick ? quick : full;
    const size_t n_counts = how->quick ? 2 : 6;
    statements found = {0};
    report_section(out, "Fig. 2: time over the number of particles");
    for (int dim = 2; dim <= 3; dim++)
        for (int t = 0; t < 3; t++) {
            char file[32], title[80], name[8];
            growth curves[CONTENDERS] = {{{0}, {0}, {0}}};
            scene_def def;
            snprintf(file, sizeof file, "fig2-%dd-%s", dim, tests[t]);
            snprintf(title, sizeof title, "Fig. 2, %dD, test %s", dim, tests[t]);
            snprintf(name, sizeof name, "%s%d", tests[t], dim);
            report_plot *plot = report_plot_add(out, file, title, "number of particles",
                                                "seconds for one search", true, true);
            for (size_t k = 0; k < n_counts; k++) {
                scene_by_name(name, counts[k], &def);
                def.seed = how->seed;
                cli_progress_say("Fig. 2, %dD, test %s, %zu particles…", dim, tests[t], counts[k]);
                const jo_status status = figure_point(out, plot, &def, curves, error);
                if (status != JO_OK) return status;
            }
            figure_rows(out, dim, tests[t], curves);
            figure_statements(curves, dim, &found);
        }
    report_finding(
        out,
        "Fig. 2: the paper says that linked cells take less time with fewer particles per "
        "cell; LCM1 < LCM5 < LCM10 in %d of 6 systems. The novel algorithm's shells hold "
        "more particles as the box grows: its tests grow as N^%.2f in 2D and N^%.2f in 3D "
        "(3/2 and 5/3 from geometry), those of cells as N. So at any density it loses "
        "to LCM1 from some N on, which the paper does not say.",
        found.fewer_is_faster, found.radial_power[2], found.radial_power[3]);
    return JO_OK;
}

/* ---- Tables */

typedef struct table_entry {
    contender what;
    double paper; /* seconds */
} table_entry;

/* Adds one row per entry, and one for its time relative to that of the first: the times are of
 * different machines, their ratios should be alike. */
static jo_status table_rows(report *out, const char *table, const jo_particles *p,
                            const table_entry *entries, size_t count, int runs, jo_error *error)
{
    double first = 0.0;
    for (size_t k = 0; k < count; k++) {
        char name[REPORT_NAME];
        measurement m;
        jo_status status = time_contender(p, &entries[k].what, runs > 1 ? runs / 10 : 5, &m, error);
        if (status != JO_OK) return status;
        const double seconds = m.seconds * runs;
        if (k == 0) first = seconds;
        snprintf(name, sizeof name, "%s, %s", table, entries[k].what.name);
        if (m.cells > 0)
            report_row_add(out, name, entries[k].paper, seconds, "s",
                           "%d run%s; %.0f cells; %.4g pairs tested", runs, runs > 1 ? "s" : "",
                           m.cells, (double)m.tested);
        else
            report_row_add(out, name, entries[k].paper, seconds, "s", "%d run%s; %.4g pairs tested",
                           runs, runs > 1 ? "s" : "", (double)m.tested);
        if (k == 0) continue;
        snprintf(name, sizeof name, "%s, %s over the novel algorithm", table, entries[k].what.name);
        report_row_add(out, name,
                       isnan(entries[k].paper) ? NAN : entries[k].paper / entries[0].paper,
                       seconds / first, "ratio", "above 1: the novel algorithm is faster");
    }
    return JO_OK;
}

static jo_status table1(report *out, const effort *how, jo_error *error)
{
    static const table_entry entries[] = {
        {{"novel algorithm", "radial", 0}, 1.627}, {{"LCM100", "cells", 100}, 1.141},
        {{"LCM204", "cells", 204.0}, 2.296},       {{"LCM625", "cells", 625}, 8.828},
        {{"LCM1111", "cells", 1111}, 12.332},      {{"hgrid (ours)", "hgrid", 0}, NAN}};
    jo_particles p = {0};
    scene_def def;
    scene_by_name("P2", 10000, &def);
    def.seed = how->seed;
    def.density = 0.0;
    def.edge = 10.05;
    report_section(out, "Table 1: 10000 discs, d in [0.02, 1], box 10.05 x 10.05");
    jo_status status = scene_generate(&def, &p, error);
    if (status == JO_OK) status = table_rows(out, "Table 1", &p, entries, 6, 1, error);
    jo_particles_free(&p);
    report_finding(out,
                   "Table 1: LCM100, 204, 625 and 1111 are 10², 7², 4² and 3² cells, so the box is "
                   "10 × 10: the density of 100 per unit area again. The paper's 1.141 s for "
                   "4.5 · 10⁴ · 100 pair tests is 0.25 µs per test.");
    return status;
}

static jo_status table2(report *out, const effort *how, jo_error *error)
{
    static const table_entry entries[] = {{{"novel algorithm", "radial", 0}, 0.37},
                                          {{"LCM11", "cells", 11.11}, 1.01},
                                          {{"LCM25", "cells", 25}, 1.4},
                                          {{"LCM100", "cells", 100}, 1.59},
                                          {{"grid (ours)", "grid", 0}, NAN}};
    jo_particles p = {0};
    scene_def def = scene_def_default();
    def.dim = 2;
    def.n = 100;
    def.seed = how->seed;
    def.d_min = 0.1;
    def.d_max = 2.0;
    def.density = 0.0;
    def.edge = 7.0;
    report_section(out, "Table 2: 100 discs, d in [0.1, 2], box 7 x 7 and 1000 runs (our choice)");
    jo_status status = scene_generate(&def, &p, error);
    if (status == JO_OK) status = table_rows(out, "Table 2", &p, entries, 5, 1000, error);
    jo_particles_free(&p);
    return status;
}

static jo_status table3(report *out, const effort *how, jo_error *error)
{
    static const table_entry entries[] = {{{"novel algorithm", "radial", 0}, 0.197},
                                          {{"LCM101", "cells", 101}, 1.38},
                                          {{"hgrid (ours)", "hgrid", 0}, NAN}};
    jo_particles p = {0};
    scene_def def = scene_def_default();
    def.dim = 2;
    def.n = 101;
    def.seed = how->seed;
    def.d_min = 0.1;
    def.d_max = 0.3;
    def.density = 0.0;
    def.edge = 10.0;
    report_section(
        out, "Table 3: 100 discs, d in [0.1, 0.3], and one of 5.64, box 10 x 10 and 1000 runs "
             "(our choice)");
    jo_status status = scene_generate(&def, &p, error);
    if (status == JO_OK) {
        p.x[0] = p.y[0] = 5.0; /* the big one in the middle */
        p.r[0] = 2.82;
        status = table_rows(out, "Table 3", &p, entries, 3, 1000, error);
    }
    jo_particles_free(&p);
    report_finding(
        out, "Tables 2 and 3 leave the box and the number of repeats open. One cell with all "
             "particles takes the paper 1.59 s for 4950 pairs and 1.38 s for 5050; at Table 1's "
             "0.25 µs per pair that is about 1000 repeats, which is what ours are. Table 2's "
             "3², 2² and 1 cells of at least 2 need an edge from 6 to 8 (7 here); Table 3's "
             "single cell needs one from 5.64 to 11.28 (10 here, so that the big disc covers a "
             "quarter of the box).");
    return status;
}

jo_status reproduce_paper1(report *out, const effort *how, jo_error *error)
{
    jo_status status = ratios(out, how, error);
    if (status == JO_OK) status = figure2(out, how, error);
    if (status == JO_OK) status = table1(out, how, error);
    if (status == JO_OK) status = table2(out, how, error);
    if (status == JO_OK) status = table3(out, how, error);
    return status;
}
