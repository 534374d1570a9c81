/* tune.c — `jostle tune`: the best cell size and the best skin for the user's own particles,
 * measured, beside what theory says and what jostle would choose by itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curves.h"
#include "json.h"
#include "output.h"
#include "progress.h"
#include "source.h"
#include "table.h"

typedef struct tune_options {
    source from;
    bool quick, json;
    int repeat, steps;
    double step;
    const char *folder;
} tune_options;

enum { KEY_QUICK = 0x6000, KEY_REPEAT, KEY_STEPS, KEY_STEP, KEY_OUT, KEY_JSON };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to measure:", 3},
    {"quick", KEY_QUICK, 0, 0, "fewer points, fewer repeats", 3},
    {"repeat", KEY_REPEAT, "K", 0, "take the best of K searches (default 3)", 3},
    {"steps", KEY_STEPS, "K", 0, "the motion that skins are tried on: so many steps (default 30)",
     3},
    {"step", KEY_STEP, "FRACTION", 0, "and how far per step, in mean diameters (default 0.01)", 3},
    {0, 0, 0, 0, "What to give back besides the tables:", 4},
    {"out", KEY_OUT, "FOLDER", 0, "write cells.csv, skin.csv and their plots there", 4},
    {"json", KEY_JSON, 0, 0, "one JSON object instead of the tables", 4},
    {0}};

static const struct argp_child children[] = {{&source_argp, 0, NULL, 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    tune_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->from;
        return 0;
    case KEY_QUICK:
        o->quick = true;
        return 0;
    case KEY_REPEAT:
        o->repeat = (int)cli_count(state, "repeat", text, 1, 1000);
        return 0;
    case KEY_STEPS:
        o->steps = (int)cli_count(state, "steps", text, 1, 100000);
        return 0;
    case KEY_STEP:
        o->step = cli_real(state, "step", text, 0.0, 100.0);
        return 0;
    case KEY_OUT:
        o->folder = text;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE\n-\n--workload NAME",
    .children = children,
    .doc =
        "Measures how the time of 'cells' depends on the size of a cell, and that of 'verlet' on "
        "its skin, on your particles. The model of Mio et al. (2005) for the best cell is shown "
        "beside the measurement, with its coefficients as this machine has them.\v"
        "One thread. jostle chooses both by itself when you do not; this shows how well.\n\n"
        "Examples:\n"
        "  jostle tune grains.csv\n"
        "  jostle tune --workload D3 --n 1e5 --out out/tune\n"
        "  jostle tune --workload B3 --n 2e4 --steps 100 --step 0.002\n"};

static void print_cells(const cell_curve *c)
{
    printf("Cells: time of 'cells' over the edge c of a cell, r = %g the mean radius\n\n",
           c->radius);
    table t = table_start("c / r|per cell|tested/particle|ns/particle|fit|relative");
    for (size_t k = 0; k < c->n; k++) {
        const cell_point *p = &c->points[k];
        table_row(&t, "%.2f|%.3g|%.4g|%.1f|%.1f|%.2f", p->lambda, p->per_cell, p->tested,
                  1e9 * p->work, 1e9 * curve_fit(c, p), p->work / c->best.work);
    }
    table_print(&t, stdout, "  ");
    table_free(&t);
    printf("\n  solid fraction (mean-sized particles)  %.3g\n", c->solid);
    printf(
        "  measured best   c/r = %.2f, %.2f particles per cell; within 10 %% from %.2f to %.2f\n",
        c->best.lambda, c->best.per_cell, c->low, c->high);
    if (c->best.lambda >= c->points[c->n - 1].lambda)
        printf("                  (the largest cell tried: larger ones may be better still)\n");
    printf("  model's best    c/r = %.2f with kappa = 10.47 (Mio et al.)\n", c->model);
    if (isfinite(c->fitted))
        printf("  model's best    c/r = %.2f with kappa = %.2f of this machine (%.2f ns per cell, "
               "%.2f ns per pair)\n",
               c->fitted, c->kappa, 1e9 * c->sc, 1e9 * c->cc);
    else
        printf("  the fit has no cost %s: kappa of this machine cannot be told from this curve\n",
               c->sc > 0.0 ? "per pair" : "per cell");
}

static void print_skins(const skin_curve *s, const tune_options *o)
{
    char time[32];
    printf("\nSkin: time of 'verlet' per step, %d steps of %g mean diameters\n\n", o->steps,
           o->step);
    table t = table_start("skin / d|time per step|rebuilds|relative");
    for (size_t k = 0; k < s->n; k++)
        table_row(&t, "%.3f|%s|%llu|%.2f", s->points[k].skin,
                  text_seconds(time, sizeof time, s->points[k].seconds),
                  (unsigned long long)s->points[k].rebuilds,
                  s->points[k].seconds / s->best.seconds);
    table_row(&t, "%.3f (tuned)|%s|%llu|%.2f", s->tuned.skin,
              text_seconds(time, sizeof time, s->tuned.seconds),
              (unsigned long long)s->tuned.rebuilds, s->tuned.seconds / s->best.seconds);
    table_print(&t, stdout, "  ");
    table_free(&t);
    printf("\n  measured best   skin = %.3f mean diameters\n", s->best.skin);
    printf("  from scratch    %s per step with 'cells'\n",
           text_seconds(time, sizeof time, s->anew));
}

static void json_cell_point(json *j, const char *key, const cell_point *p)
{
    json_object(j, key);
    json_real(j, "lambda", p->lambda);
    json_real(j, "per_cell", p->per_cell);
    json_real(j, "seconds_per_particle", p->work);
    json_real(j, "tested_per_particle", p->tested);
    json_end(j);
}

static void json_skin_point(json *j, const char *key, const skin_point *p)
{
    json_object(j, key);
    json_real(j, "skin", p->skin);
    json_real(j, "seconds_per_step", p->seconds);
    json_integer(j, "rebuilds", p->rebuilds);
    json_end(j);
}

static void print_json(const cell_curve *c, const skin_curve *s, const jo_particles *p)
{
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_integer(&j, "n", p->n);
    json_integer(&j, "dim", (uint64_t)p->dim);
    json_object(&j, "cells");
    json_array(&j, "curve");
    for (size_t k = 0; k < c->n; k++)
        json_cell_point(&j, NULL, &c->points[k]);
    json_end(&j);
    json_cell_point(&j, "best", &c->best);
    json_real(&j, "model_lambda", c->model);
    json_real(&j, "kappa", c->kappa);
    json_real(&j, "fitted_lambda", c->fitted);
    json_real(&j, "solid_fraction", c->solid);
    json_end(&j);
    json_object(&j, "verlet");
    json_array(&j, "curve");
    for (size_t k = 0; k < s->n; k++)
        json_skin_point(&j, NULL, &s->points[k]);
    json_end(&j);
    json_skin_point(&j, "best", &s->best);
    json_skin_point(&j, "tuned", &s->tuned);
    json_real(&j, "from_scratch", s->anew);
    json_end(&j);
    json_end(&j);
}

static jo_status write_plots(const char *folder, const cell_curve *c, const skin_curve *s, int dim,
                             const char *title, jo_error *error)
{
    report r = {0};
    char path[1200];
    jo_status status = output_folder(folder, error);
    curve_plot_cells(&r, c, dim, title);
    curve_plot_skins(&r, s, title);
    for (size_t k = 0; k < r.n_plots && status == JO_OK; k++) {
        snprintf(path, sizeof path, "%.1000s/%s.csv", folder, r.plots[k].file);
        status = report_plot_csv(&r.plots[k], path, error);
        snprintf(path, sizeof path, "%.1000s/%s.png", folder, r.plots[k].file);
        if (status == JO_OK && jo_pictures_available())
            status = report_draw(&r.plots[k], path, error);
    }
    report_free(&r);
    return status;
}

static jo_status measure_all(const tune_options *o, const jo_particles *p, cell_curve *cells,
                             skin_curve *skins, jo_error *error)
{
    static const double lambdas[] = {0.6, 0.8, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0};
    static const double lambdas_quick[] = {0.8, 1.25, 1.5, 2.0, 3.0, 5.0};
    static const double sizes[] = {0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8};
    static const double sizes_quick[] = {0.05, 0.15, 0.4};
    const motion how = {
        .steps = o->steps, .length = o->step * 2.0 * mean_radius(p), .seed = o->from.seed};
    cli_progress_say("measuring cells…");
    const jo_status status = curve_cells(p, o->quick ? lambdas_quick : lambdas, o->quick ? 6 : 12,
                                         o->quick ? 2 : o->repeat, cells, error);
    if (status != JO_OK) return status;
    cli_progress_say("measuring skins…");
    return curve_skins(p, &how, o->quick ? sizes_quick : sizes, o->quick ? 3 : 9, skins, error);
}

static int tune(const tune_options *o, const jo_particles *p)
{
    jo_error error = {0};
    cell_curve cells;
    skin_curve skins;
    jo_status status = measure_all(o, p, &cells, &skins, &error);
    cli_progress_clear();
    if (status == JO_OK) {
        if (o->json)
            print_json(&cells, &skins, p);
        else {
            print_cells(&cells);
            print_skins(&skins, o);
        }
        cli_signals_hold();
        if (o->folder != NULL)
            status = write_plots(o->folder, &cells, &skins, p->dim, source_name(&o->from), &error);
        cli_signals_release();
    }
    if (status != JO_OK) return cli_fail(&error);
    if (o->folder != NULL) cli_note("wrote cells and skin (.csv, .png) to %s", o->folder);
    return CLI_OK;
}

int cli_tune(int argc, char **argv)
{
    jo_particles particles = {0};
    tune_options o = {.from = source_default(), .repeat = 3, .steps = 30, .step = 0.01};
    cli_parse(&argp, argc, argv, &o);
    int code = source_load(&o.from, &particles);
    if (code != CLI_OK) return code;
    if (particles.n < 2 || !(mean_radius(&particles) > 0.0))
        code = cli_fail_with(CLI_BAD_DATA,
                             "%s has %zu particles of mean radius %g; tuning needs at "
                             "least 2 with a size",
                             source_name(&o.from), particles.n, mean_radius(&particles));
    else
        code = tune(&o, &particles);
    jo_particles_free(&particles);
    return code;
}
