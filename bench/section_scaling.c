/* section_scaling.c — does the cost per body stay the same as systems grow, and as sizes spread?
 *
 * grid: ns per body from 10^4 to 10^7 bodies, on paper 1's systems. hgrid: ns per contact for equal
 * spheres and for log-uniform diameters over 1:10, 1:100 and 1:1000, at the same number of contacts
 * per body. */
#include "bench.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = {10000, 100000, 1000000, 10000000};
static const char *const systems[] = {"A2", "B2", "C2", "A3", "B3", "C3"};
enum { SIZES = COUNT_OF(sizes), SYSTEMS = COUNT_OF(systems), METHODS = 3 };

static size_t contenders_of(contender *list)
{
    list[0] = contender_jostle("grid", false, 1);
    list[1] = contender_jostle("auto", false, 1);
    list[2] = contender_jostle("auto", false, 2);
    return METHODS;
}

static effort patient(const options *o)
{
    effort e = effort_of(o);
    e.cap_jostle = 60.0;
    e.budget = o->quick ? 0.3 : 2.0;
    return e;
}

static size_t measure_growth(const options *o, report *r, double ns[SYSTEMS][METHODS][SIZES])
{
    const effort e = patient(o);
    const size_t largest = o->quick ? 1000000 : 10000000;
    size_t wrong = 0;
    table t = table_new("ns per body as the number of bodies grows");
    table_head(&t, "workload|contender|10^4|10^5|10^6|10^7|last / 10^5");
    for (size_t s = 0; s < SYSTEMS; s++) {
        contender list[METHODS];
        const size_t count = contenders_of(list);
        for (size_t k = 0; k < SIZES; k++) {
            bench_system system;
            for (size_t c = 0; c < count; c++)
                ns[s][c][k] = NAN;
            if (sizes[k] > largest || !system_make(&system, systems[s], sizes[k])) continue;
            fprintf(stderr, "growing %s, %zu bodies …\n", systems[s], sizes[k]);
            wrong += measure_find(list, count, &system, &e);
            for (size_t c = 0; c < count; c++)
                ns[s][c][k] = list[c].best * 1e9 / (double)sizes[k];
            system_free(&system);
        }
        for (size_t c = 0; c < count; c++) {
            table_cell(&t, "%s", systems[s]);
            table_cell(&t, "%s", list[c].name);
            for (size_t k = 0; k < SIZES; k++)
                table_number(&t, ns[s][c][k]);
            table_number(&t, ns[s][c][o->quick ? 2 : 3] / ns[s][c][1]);
        }
    }
    table_report(&t, r);
    table_csv(&t, r, "scaling-bodies");
    table_free(&t);
    return wrong;
}

static void say_growth(const options *o, report *r, double ns[SYSTEMS][METHODS][SIZES])
{
    double worst = 0;
    const char *where = "none";
    for (size_t s = 0; s < SYSTEMS; s++) {
        const double ratio = ns[s][0][o->quick ? 2 : 3] / ns[s][0][1];
        if (ratio > worst) worst = ratio, where = systems[s];
    }
    report_say(r,
               "grid, %s bodies against 10^5: at most %.2f times the cost per body (%s); goal 1.5.",
               o->quick ? "10^6" : "10^7", worst, where);
}

static void draw_growth(report *r, double ns[SYSTEMS][METHODS][SIZES])
{
    double x[SIZES];
    jo_series series[SYSTEMS];
    for (size_t k = 0; k < SIZES; k++)
        x[k] = (double)sizes[k];
    for (size_t s = 0; s < SYSTEMS; s++)
        series[s] = (jo_series){.name = systems[s], .n = SIZES, .x = x, .y = ns[s][0]};
    report_plot(r, "scaling-bodies",
                &(jo_plot){.title = "grid: cost per body over the number of bodies, one thread",
                           .x_label = "bodies",
                           .y_label = "ns per body",
                           .x_log = true,
                           .series = series,
                           .n_series = SYSTEMS});
}

/* The same contacts per body for every ratio of sizes. */
static size_t measure_spread(const options *o, report *r, int dim)
{
    static const double ratios[] = {1, 10, 100, 1000};
    enum { RATIOS = COUNT_OF(ratios), SEARCHERS = 2 };
    const effort e = patient(o);
    const size_t n = o->quick ? 100000 : 1000000;
    double per_contact[SEARCHERS][RATIOS];
    size_t wrong = 0;
    char title[96], name[48];
    snprintf(title, sizeof title,
             "%dD, %zu bodies, 3 contacts per body: cost over the ratio of sizes", dim, n);
    table t = table_new(title);
    table_head(
        &t,
        "largest : smallest|contender|contacts per body|ns per body|ns per contact|against 1:1");
    contender list[SEARCHERS] = {contender_jostle("hgrid", false, 1),
                                 contender_jostle("auto", false, 1)};
    for (size_t k = 0; k < RATIOS; k++) {
        scene_def def = scene_def_default();
        def.dim = dim;
        def.n = n;
        def.sizes = k == 0 ? SCENE_EQUAL : SCENE_LOG_UNIFORM;
        def.d_min = 1.0 / ratios[k];
        def.d_max = 1.0;
        def.edge = def.density = def.fraction = 0;
        def.contacts = 3;
        bench_system system;
        if (!system_make_from(&system, &def, "a spread of sizes")) return wrong + 1;
        fprintf(stderr, "spreading %dD, 1:%.0f …\n", dim, ratios[k]);
        for (size_t c = 0; c < SEARCHERS; c++)
            contender_forget(&list[c]);
        wrong += measure_find(list, SEARCHERS, &system, &e);
        system_free(&system);
        for (size_t c = 0; c < SEARCHERS; c++) {
            per_contact[c][k] = list[c].best * 1e9 / (double)list[c].contacts;
            table_cell(&t, "%.0f", ratios[k]);
            table_cell(&t, "%s", list[c].name);
            table_number(&t, (double)list[c].contacts / (double)n);
            table_number(&t, list[c].best * 1e9 / (double)n);
            table_number(&t, per_contact[c][k]);
            table_number(&t, per_contact[c][k] / per_contact[c][0]);
        }
    }
    table_report(&t, r);
    snprintf(name, sizeof name, "scaling-sizes-%dd", dim);
    table_csv(&t, r, name);
    table_free(&t);
    report_say(r, "hgrid, %dD: a contact at 1:1000 costs %.2f times one at 1:1; goal 2.", dim,
               per_contact[0][RATIOS - 1] / per_contact[0][0]);
    const jo_series series[] = {{.name = "hgrid", .n = RATIOS, .x = ratios, .y = per_contact[0]},
                                {.name = "auto", .n = RATIOS, .x = ratios, .y = per_contact[1]}};
    report_plot(r, name,
                &(jo_plot){.title = title,
                           .x_label = "largest / smallest diameter",
                           .y_label = "ns per contact",
                           .x_log = true,
                           .series = series,
                           .n_series = 2});
    return wrong;
}

size_t section_scaling(const options *o)
{
    report r;
    if (!report_open(&r, o, "scaling", "Growing systems, and spreading sizes")) return 1;
    double ns[SYSTEMS][METHODS][SIZES];
    size_t wrong = measure_growth(o, &r, ns);
    say_growth(o, &r, ns);
    draw_growth(&r, ns);
    wrong += measure_spread(o, &r, 2);
    wrong += measure_spread(o, &r, 3);
    report_close(&r);
    return wrong;
}
