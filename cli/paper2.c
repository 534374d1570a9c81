/* paper2.c — DEM Modeling, Lecture 11: "Coarse Contact Detection", reproduced.
 *
 *   counts   brute force tests N(N−1)/2 pairs; cells test (N − c) c + … with c = 26 in the
 *            lecture, 13.5 N p in paper 1; each method's own count, measured.
 *   cell     the best edge of a cell (Mio et al. 2005): λ = c / r ≈ 1.5, 0.7 to 0.8 particles
 *            per cell, λ growing as the solid fraction falls. Measured on equal spheres of
 *            several solid fractions, beside the model with Mio's κ = 10.47.
 *   methods  what the lecture says of which method wins where (nearest neighbours for
 *            quasi-static systems, sweep and prune for large size differences …), each
 *            statement measured, with our own methods beside.
 *   ratio    pairs that cells test as the ratio of sizes grows: two slides contradict.
 *   sweep    "O(N) by coherence": the swaps that a small step costs, counted for growing N.
 *   lists    the lecture renews neighbour lists when Σ 2 |v|max Δt ≥ R_nbr. That compares a
 *            path with a radius that starts at the centre; contact happens after the free gap
 *            is used up, R_nbr − (ri + rj). Both criteria are run on the same motion, and the
 *            contacts missed are counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curves.h"
#include "generate.h"
#include "progress.h"
#include "reproduce.h"

static jo_status make(const char *workload, size_t n, uint64_t seed, jo_particles *p,
                      jo_error *error)
{
    scene_def def;
    scene_by_name(workload, n, &def);
    def.seed = seed;
    return scene_generate(&def, p, error);
}

static jo_broad_def one_thread(const char *method, const jo_particles *p)
{
    jo_broad_def def = jo_broad_def_default();
    def.method = method;
    def.domain = p->domain;
    def.threads = 1;
    return def;
}

/* ---- operation counts */

static jo_status counts_of(report *out, const jo_particles *p, jo_error *error)
{
    const double n = (double)p->n, all = 0.5 * n * (n - 1.0);
    const jo_bodies bodies = jo_particles_view(p);
    for (size_t k = 0; k < jo_broad_method_count(); k++) {
        const char *method = jo_broad_method(k)->name;
        measurement m;
        const jo_broad_def def = one_thread(method, p);
        const jo_status status = measure_find(&def, &bodies, 1, &m, error);
        if (status != JO_OK) return status;
        char name[REPORT_NAME];
        snprintf(name, sizeof name, "pairs tested by %s", method);
        if (strcmp(method, "brute") == 0)
            report_row_add(out, name, all, (double)m.tested, "pairs", "N(N-1)/2");
        else
            report_row_add(out, name, NAN, (double)m.tested, "pairs",
                           "%.3g per particle, %.3g %% of all", (double)m.tested / n,
                           100.0 * (double)m.tested / all);
    }
    return JO_OK;
}

static jo_status lcm_count(report *out, const jo_particles *p, double per_cell, jo_error *error)
{
    const double n = (double)p->n;
    const jo_bodies bodies = jo_particles_view(p);
    measurement m;
    jo_broad_def def = one_thread("cells", p);
    def.per_cell = per_cell;
    const jo_status status = measure_find(&def, &bodies, 1, &m, error);
    if (status != JO_OK) return status;
    const double average = n / m.cells;
    char name[REPORT_NAME];
    snprintf(name, sizeof name, "pairs tested by cells, %g per cell", per_cell);
    report_row_add(
        out, name, 13.5 * n * average, (double)m.tested, "pairs",
        "13.5 N p with p = %.3g in use; open box: cells at the rim have fewer neighbours", average);
    if (per_cell == 1.0)
        report_row_add(
            out, "the same by the lecture's sum with c = 26", 26.0 * (n - 26.0) + 325.0,
            (double)m.tested, "pairs",
            "(N-c)c + (c-1) + ... + 1 counts every pair from both sides: twice too many");
    return JO_OK;
}

static jo_status counts(report *out, const effort *how, jo_error *error)
{
    jo_particles p = {0};
    const size_t n = how->quick ? 4000 : 20000;
    report_section(out, how->quick ? "Operation counts: 4000 spheres, A3"
                                   : "Operation counts: 20000 spheres, A3");
    cli_progress_say("operation counts…");
    jo_status status = make("A3", n, how->seed, &p, error);
    if (status == JO_OK) status = counts_of(out, &p, error);
    if (status == JO_OK) status = lcm_count(out, &p, 1.0, error);
    if (status == JO_OK) status = lcm_count(out, &p, 5.0, error);
    jo_particles_free(&p);
    report_finding(
        out, "The lecture's sum (N-c)c + (c-1) + … with c = 26 (one particle in each of the 26 "
             "cells around) tests every pair from both sides; with each pair once, as paper 1 "
             "counts, it is half: 13 to 13.5 N.");
    return status;
}

/* ---- the cell-size optimum */

static void curve_rows(report *out, const cell_curve *c, double fraction)
{
    char name[REPORT_NAME];
    /* The lecture's numbers are for dense systems; it says that λ grows as they thin out. */
    const bool stated = fraction > 0.5;
    const double at_model = c->density * pow(c->model * c->radius, 3.0);
    snprintf(name, sizeof name, "best c/r, solid fraction %.2f, measured", fraction);
    report_row_add(out, name, stated ? 1.5 : NAN, c->best.lambda, "c/r",
                   "within 10 %% from %.2f to %.2f", c->low, c->high);
    snprintf(name, sizeof name, "best c/r, solid fraction %.2f, Mio's model", fraction);
    report_row_add(out, name, stated ? 1.5 : NAN, c->model, "c/r",
                   "kappa = 10.47, n_s = 1.14 exp(2.65/(c/r + 0.8))");
    snprintf(name, sizeof name, "particles per cell at it, %.2f, measured", fraction);
    report_row_add(out, name, stated ? 0.75 : NAN, c->best.per_cell, "particles",
                   "the lecture says 0.7 to 0.8");
    snprintf(name, sizeof name, "particles per cell at it, %.2f, model", fraction);
    report_row_add(out, name, stated ? 0.75 : NAN, at_model, "particles",
                   "c/r = 1.5 would give %.2f at this fraction",
                   fraction * 3.375 * 3.0 / (4.0 * M_PI));
    snprintf(name, sizeof name, "kappa_cc / kappa_sc of this machine, %.2f", fraction);
    if (isfinite(c->kappa))
        report_row_add(out, name, 10.47, c->kappa, "ratio",
                       "%.2f ns per cell, %.2f ns per pair; model's best c/r then %.2f",
                       1e9 * c->sc, 1e9 * c->cc, c->fitted);
}

static jo_status optimum_at(report *out, const effort *how, double fraction, cell_curve *curve,
                            jo_error *error)
{
    static const double full[] = {0.7,  0.85, 1.0, 1.2, 1.4, 1.6, 1.8,
                                  2.05, 2.4,  3.0, 4.0, 5.5, 8.0};
    static const double quick[] = {0.85, 1.1, 1.4, 1.7, 2.05, 2.6, 4.0};
    jo_particles p = {0};
    scene_def def;
    /* A lattice would fall in step with the cells at some sizes: a random packing does not. */
    scene_by_name("packing", how->quick ? 6000 : 40000, &def);
    def.sizes = SCENE_EQUAL;
    def.fraction = fraction;
    def.seed = how->seed;
    cli_progress_say("cell size, solid fraction %.2f…", fraction);
    jo_status status = scene_generate(&def, &p, error);
    if (status == JO_OK)
        status = curve_cells(&p, how->quick ? quick : full, how->quick ? 7 : 13, how->quick ? 4 : 5,
                             curve, error);
    if (status == JO_OK) {
        char title[100];
        curve_rows(out, curve, fraction);
        snprintf(title, sizeof title, "Best cell: equal spheres, solid fraction %.2f", fraction);
        report_plot *drawn = curve_plot_cells(out, curve, 3, title);
        if (drawn != NULL)
            snprintf(drawn->file, sizeof drawn->file, "cell-size-%02.0f", 100.0 * fraction);
    }
    jo_particles_free(&p);
    return status;
}

static jo_status optimum(report *out, const effort *how, jo_error *error)
{
    static const double full[] = {0.6, 0.4, 0.2, 0.1, 0.05};
    static const double quick[] = {0.6, 0.2};
    const double *fractions = how->quick ? quick : full;
    const size_t count = how->quick ? 2 : 5;
    cell_curve curves[5];
    report_section(out, "Best size of a cell (Mio et al. 2005)");
    for (size_t k = 0; k < count; k++) {
        const jo_status status = optimum_at(out, how, fractions[k], &curves[k], error);
        if (status != JO_OK) return status;
    }
    const cell_curve *dense = &curves[0], *dilute = &curves[count - 1];
    report_row_add(out, "model's best c/r, dilute over dense", NAN, dilute->model / dense->model,
                   "ratio", "above 1: c/r grows as the solid fraction falls, as the lecture says");
    report_finding(
        out,
        "\"λ = c/r ≈ 1.5\" and \"0.7 to 0.8 particles per cell\" cannot both hold: a cell "
        "of 1.5 r holds φ · 3/(4π) · 1.5³ = 0.81 φ particles, which is 0.75 only for a "
        "solid fraction φ of 0.93, beyond the densest packing of equal spheres (0.74). "
        "The model itself, with κ = 10.47, has its optimum at λ = %.2f for φ = 0.6, that "
        "is %.2f particles per cell.",
        dense->model, 0.6 * 0.75 / M_PI * pow(dense->model, 3.0));
    report_finding(
        out,
        "On this machine the best cell at φ = 0.6 has λ = %.2f (%.2f particles per cell), "
        "within 10 %% from %.2f to %.2f: looking into a cell costs %.2g ns and testing a "
        "pair %.2g ns, κ = %.2g (Mio: 10.47). The model with that κ has its optimum at λ = %.2f; "
        "it leaves "
        "out what filling the cells costs.",
        dense->best.lambda, dense->best.per_cell, dense->low, dense->high, 1e9 * dense->sc,
        1e9 * dense->cc, dense->kappa, dense->fitted);
    return JO_OK;
}

/* ---- which method is best */

/* A statement of the lecture: in this system, `winner` takes less time than `loser`. */
typedef struct contest {
    const char *label, *title, *workload;
    size_t quick, full;
    double step; /* in mean diameters; 0: one search from scratch */
    const char *winner, *loser, *statement;
} contest;

static const contest contests[] = {
    {"quasi-static", "quasi-static: B3, 0.1 % of d per step", "B3", 4000, 50000, 0.001, "verlet",
     "cells", "quasi-static systems: nearest neighbor"},
    {"fast", "fast: B3, 30 % of d per step", "B3", 4000, 50000, 0.3, "cells", "verlet",
     "nearest neighbor becomes less efficient as lists are renewed more often (that cells then win "
     "is our reading; the lecture names no winner)"},
    {"equal, dilute", "equal sizes, dilute: gas, from scratch", "gas", 4000, 50000, 0.0, "cells",
     "sweep", "sweep and prune has no advantage for simple systems"},
    {"dense", "dense: D3, 1 % of d per step", "D3", 2000, 20000, 0.01, "sweep", "cells",
     "sweep and prune deals with high density systems more efficiently"},
    {"wide, anew", "wide sizes: L3, 1:100, from scratch", "L3", 4000, 50000, 0.0, "sweep", "cells",
     "systems with large size differences: sweep and prune"},
    {"wide, moving", "wide sizes: L3, 1:100, 1 % of d per step", "L3", 4000, 20000, 0.01, "sweep",
     "cells", "systems with large size differences: sweep and prune"},
};
enum { CONTESTS = sizeof contests / sizeof *contests };

static const char *const rivals[] = {"cells", "verlet", "sweep", "subcells", "grid", "hgrid"};
enum { RIVALS = sizeof rivals / sizeof *rivals };

static jo_status time_rival(const contest *c, const char *method, const jo_particles *p,
                            const effort *how, measurement *m, jo_error *error)
{
    const jo_broad_def def = one_thread(method, p);
    if (c->step == 0.0) {
        const jo_bodies bodies = jo_particles_view(p);
        return measure_find(&def, &bodies, 3, m, error);
    }
    const motion moves = {.steps = how->quick ? 12 : 50,
                          .length = c->step * 2.0 * mean_radius(p),
                          .seed = how->seed,
                          .limit = how->quick ? 1.5 : 60.0};
    return measure_motion(&def, p, &moves, m, error);
}

/* The statement as a row: the winner's time over the loser's, below 1 if it holds. */
static void judge(report *out, const contest *c, size_t n, const double ns[RIVALS])
{
    char name[REPORT_NAME];
    size_t winner = 0, loser = 0, best = 0;
    for (size_t k = 0; k < RIVALS; k++) {
        if (strcmp(rivals[k], c->winner) == 0) winner = k;
        if (strcmp(rivals[k], c->loser) == 0) loser = k;
        if (ns[k] < ns[best]) best = k;
    }
    const double ratio = ns[winner] / ns[loser];
    const char *verdict = ratio < 0.95 ? "holds" : ratio < 1.05 ? "is a draw" : "does not hold";
    snprintf(name, sizeof name, "%s: %s over %s", c->title, c->winner, c->loser);
    report_row_add(out, name, NAN, ratio, "ratio",
                   "below 1 if the statement holds; it %s; best of all: %s", verdict, rivals[best]);
    report_finding(
        out,
        "The lecture: %s. This %s for %zu particles (%s): %s takes %.4g ns per particle, "
        "%s %.4g; best of all is %s with %.4g.",
        c->statement, verdict, n, c->title, c->winner, ns[winner], c->loser, ns[loser],
        rivals[best], ns[best]);
}

static jo_status run_contest(report *out, const effort *how, size_t index, report_plot *plot,
                             jo_error *error)
{
    const contest *c = &contests[index];
    jo_particles p = {0};
    double ns[RIVALS];
    const size_t n = how->quick ? c->quick : c->full;
    jo_status status = make(c->workload, n, how->seed, &p, error);
    report_bar_name(out, plot, index, c->label);
    for (size_t k = 0; k < RIVALS && status == JO_OK; k++) {
        measurement m;
        char name[REPORT_NAME];
        cli_progress_say("%s: %s…", c->title, rivals[k]);
        status = time_rival(c, rivals[k], &p, how, &m, error);
        if (status != JO_OK) break;
        ns[k] = 1e9 * m.seconds / (double)p.n;
        snprintf(name, sizeof name, "%s: %s", c->title, rivals[k]);
        report_row_add(out, name, NAN, ns[k], c->step > 0.0 ? "ns/particle/step" : "ns/particle",
                       "N = %zu; %.3g pairs tested per particle%s", n, (double)m.tested / (double)n,
                       m.stopped ? "; stopped early" : "");
        report_point(out, plot, rivals[k], (double)index, ns[k]);
    }
    if (status == JO_OK) judge(out, c, n, ns);
    jo_particles_free(&p);
    return status;
}

static jo_status best_methods(report *out, const effort *how, jo_error *error)
{
    report_section(out, "Which method is best (summary slide)");
    report_plot *plot = report_plot_add(out, "methods", "Which method for which system", "",
                                        "ns per particle (and step)", false, true);
    for (size_t k = 0; k < CONTESTS; k++) {
        const jo_status status = run_contest(out, how, k, plot, error);
        if (status != JO_OK) return status;
    }
    report_finding(
        out,
        "The lecture renews neighbour lists by an N² search. Ours are renewed from a "
        "grid and their skin is tuned: verlet is not the lecture's nearest neighbor in that, and "
        "its times say nothing about lists renewed by brute force.");
    return JO_OK;
}

/* ---- cells and the size ratio */

static jo_status size_ratio(report *out, const effort *how, jo_error *error)
{
    static const double ratios[] = {1.0, 10.0, 100.0, 1000.0};
    const size_t n = how->quick ? 4000 : 20000;
    double tested[4] = {0};
    report_section(out, "Cells and the ratio of sizes (log-uniform, 3 contacts per particle)");
    report_plot *plot =
        report_plot_add(out, "size-ratio", "Pairs tested over the ratio of sizes",
                        "largest over smallest diameter", "pairs per particle", true, true);
    static const char *const methods[] = {"cells", "subcells", "sweep", "grid", "hgrid"};
    for (size_t k = 0; k < 4; k++) {
        scene_def def = scene_def_default();
        jo_particles p = {0};
        def.sizes = SCENE_LOG_UNIFORM;
        def.n = n;
        def.seed = how->seed;
        def.d_max = 1.0;
        def.d_min = 1.0 / ratios[k];
        def.density = 0.0;
        def.contacts = 3.0;
        cli_progress_say("size ratio 1:%g…", ratios[k]);
        jo_status status = scene_generate(&def, &p, error);
        const jo_bodies bodies = jo_particles_view(&p);
        for (size_t m = 0; m < sizeof methods / sizeof *methods && status == JO_OK; m++) {
            measurement got;
            const jo_broad_def search = one_thread(methods[m], &p);
            status = measure_find(&search, &bodies, 1, &got, error);
            report_point(out, plot, methods[m], ratios[k], (double)got.tested / (double)n);
            if (m == 0) tested[k] = (double)got.tested / (double)n;
        }
        jo_particles_free(&p);
        if (status != JO_OK) return status;
        char name[REPORT_NAME];
        snprintf(name, sizeof name, "pairs tested per particle by cells, sizes 1:%g", ratios[k]);
        report_row_add(out, name, NAN, tested[k], "pairs", "N = %zu; N/2 would be brute force", n);
    }
    report_row_add(out, "their growth from 1:1 to 1:1000", 1.0, tested[3] / tested[0], "ratio",
                   "one slide (Zhao et al.): insensitive to size ratio; another: degenerates");
    report_finding(
        out,
        "Two slides contradict each other: cells are \"insensitive to particle size "
        "ratio\" (Zhao et al.), and they \"degenerate to the brute force method\" for "
        "large size differences. With cells of at least the largest diameter, measured: "
        "%.3g pairs tested per particle for equal sizes, %.3g for 1:1000 (brute force: %.3g).",
        tested[0], tested[3], 0.5 * ((double)n - 1.0));
    return JO_OK;
}

/* ---- sweep and prune: what coherence costs */

static jo_status coherence(report *out, const effort *how, jo_error *error)
{
    static const size_t sizes[] = {1000, 8000, 27000};
    double swaps[3] = {0};
    const size_t count = how->quick ? 2 : 3;
    report_section(out, "Sweep and prune: \"O(N) by coherence\" (B3, 1 % of d per step)");
    for (size_t k = 0; k < count; k++) {
        jo_particles p = {0};
        measurement m = {0};
        char name[REPORT_NAME];
        cli_progress_say("sweep, %zu particles…", sizes[k]);
        jo_status status = make("B3", sizes[k], how->seed, &p, error);
        if (status == JO_OK) {
            const motion moves = {.steps = 5, .length = 0.02 * mean_radius(&p), .seed = how->seed};
            const jo_broad_def def = one_thread("sweep", &p);
            status = measure_motion(&def, &p, &moves, &m, error);
        }
        jo_particles_free(&p);
        if (status != JO_OK) return status;
        swaps[k] = (double)m.swaps / 5.0 / (double)sizes[k];
        snprintf(name, sizeof name, "swaps per particle and step, N = %zu", sizes[k]);
        report_row_add(out, name, NAN, swaps[k], "swaps", "%.3g ns per particle and step",
                       1e9 * m.seconds / (double)sizes[k]);
    }
    report_row_add(out, "their growth from N = 1000 to 8000", 1.0, swaps[1] / swaps[0], "ratio",
                   "O(N) in all would be 1; end points per length of an axis grow as N^(2/3): 4");
    report_finding(out,
                   "Updating sorted lists is O(N) only while nothing moves past anything. At a "
                   "fixed step the swaps per particle grow with the end points per unit length of "
                   "an axis, N^(2/3) in 3D (measured: %.2f-fold from 1000 to 8000 particles, 4 "
                   "expected), so one update costs N^(5/3).",
                   swaps[1] / swaps[0]);
    return JO_OK;
}

/* ---- when to renew neighbour lists */

typedef struct missed {
    uint64_t contacts, missed;
    int renewals;
} missed;

/* Bitwise search in a sorted list of pairs. */
static bool listed(const jo_pair *list, size_t count, jo_pair pair)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        const jo_pair m = list[middle];
        if (m.i < pair.i || (m.i == pair.i && m.j < pair.j))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < count && list[lo].i == pair.i && list[lo].j == pair.j;
}

/* Lists all pairs within skin of contact: a search with radii larger by half the skin. */
static jo_status renew(jo_broad *lists, const jo_particles *p, double *wide, double skin,
                       jo_error *error)
{
    for (size_t k = 0; k < p->n; k++)
        wide[k] = p->r[k] + 0.5 * skin;
    const jo_bodies bodies = jo_spheres(p->n, p->dim, p->x, p->y, p->z, wide);
    return jo_broad_find(lists, &bodies, error);
}

/* Follows a straight motion and counts contacts that are in no list when lists are renewed once
 * twice the path of the fastest reaches `budget`. */
static jo_status count_missed(jo_particles *p, double skin, double budget, const motion *how,
                              missed *found, jo_error *error)
{
    jo_broad *truth = NULL, *lists = NULL;
    double *wide = calloc(p->n > 0 ? p->n : 1, sizeof *wide);
    const jo_broad_def def = one_thread("cells", p);
    jo_status status = wide != NULL ? jo_broad_create(&def, &truth, error) : JO_ERR_MEMORY;
    if (wide == NULL) *error = (jo_error){.status = JO_ERR_MEMORY, .text = "no memory for radii"};
    if (status == JO_OK) status = jo_broad_create(&def, &lists, error);
    if (status == JO_OK) status = renew(lists, p, wide, skin, error);
    double used = 0.0;
    *found = (missed){.renewals = 1};
    for (int step = 0; step < how->steps && status == JO_OK; step++) {
        scene_move(p, how->length, how->seed, (uint64_t)step, true);
        used += 2.0 * how->length;
        if (used >= budget) {
            status = renew(lists, p, wide, skin, error);
            used = 0.0;
            found->renewals++;
        }
        const jo_bodies bodies = jo_particles_view(p);
        if (status == JO_OK) status = jo_broad_find(truth, &bodies, error);
        if (status != JO_OK) break;
        const jo_pairs now = jo_broad_contacts(truth), known = jo_broad_contacts(lists);
        found->contacts += now.count;
        for (size_t k = 0; k < now.count; k++)
            found->missed += !listed(known.pairs, known.count, now.pairs[k]);
    }
    jo_broad_destroy(truth);
    jo_broad_destroy(lists);
    free(wide);
    return status;
}

static jo_status criterion(report *out, const effort *how, jo_error *error)
{
    report_section(out, "When to renew neighbour lists (straight motion, A3)");
    missed found[2];
    for (int safe = 0; safe < 2; safe++) {
        jo_particles p = {0};
        jo_status status = make("A3", how->quick ? 3000 : 20000, how->seed, &p, error);
        if (status != JO_OK) return status;
        const double d = 2.0 * mean_radius(&p), skin = 0.3 * d;
        const motion moves = {.steps = 60, .length = 0.02 * d, .seed = how->seed};
        /* R_nbr reaches from centre to centre: the pair's radii plus the free gap. */
        const double budget = safe ? skin : d + skin;
        cli_progress_say("neighbour lists…");
        status = count_missed(&p, skin, budget, &moves, &found[safe], error);
        jo_particles_free(&p);
        if (status != JO_OK) return status;
    }
    report_row_add(out, "contacts missed by the lecture's criterion", 0.0, (double)found[0].missed,
                   "contacts",
                   "of %llu over 60 steps; renewed when the path reaches R_nbr, %d times",
                   (unsigned long long)found[0].contacts, found[0].renewals);
    report_row_add(out, "contacts missed by the safe criterion", 0.0, (double)found[1].missed,
                   "contacts",
                   "of %llu; renewed when it could use up the gap R_nbr - (ri + rj), %d times",
                   (unsigned long long)found[1].contacts, found[1].renewals);
    report_row_add(out, "two spheres, r = 1, R_nbr = 2.5, 2.6 apart: path to contact", 2.5, 0.6,
                   "lengths", "the lecture renews after 2.5, R_nbr; safe would be the gap, 0.5");
    report_finding(
        out,
        "The lecture renews neighbour lists when Σ 2|v|max Δt ≥ R_nbr. Two spheres of "
        "radius 1 with R_nbr = 2.5 that start 2.6 apart are no neighbours; closing in, they "
        "touch after 0.6, yet the lists are renewed only after 2.5. What the motion may use "
        "up is the free gap R_nbr − (ri + rj) = 0.5. On a system of moving spheres the "
        "lecture's rule missed %llu of %llu contacts, the safe rule %llu.",
        (unsigned long long)found[0].missed, (unsigned long long)found[0].contacts,
        (unsigned long long)found[1].missed);
    return JO_OK;
}

jo_status reproduce_paper2(report *out, const effort *how, jo_error *error)
{
    jo_status status = counts(out, how, error);
    if (status == JO_OK) status = optimum(out, how, error);
    if (status == JO_OK) status = best_methods(out, how, error);
    if (status == JO_OK) status = size_ratio(out, how, error);
    if (status == JO_OK) status = coherence(out, how, error);
    if (status == JO_OK) status = criterion(out, how, error);
    return status;
}
