/* compare.c — `jostle compare`: every method on the same particles.
 *
 * All must return the same pairs: their hashes are compared, and a difference is a failure of
 * jostle (exit code 1), not a detail.
 *
 * Some methods would take hours on large systems, so each is tried first on the particles of a
 * small and of a larger box around the middle (1/64 and 1/8 of all). The growth between the two, at
 * least linear and at most quadratic, is extended to the whole; what would pass the limit is left
 * out, and that is said. With --moving the first steps are the trial. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "measure.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "search.h"
#include "source.h"
#include "table.h"

enum { METHODS_MAX = 32, SMALL = 3000 };

typedef struct compare_options {
    source from;
    jo_broad_def def;
    const char *methods[METHODS_MAX + 1];
    size_t n_methods;
    int repeat, moving;
    double step, limit;
    const char *csv, *png;
    bool json, straight, step_set;
} compare_options;

enum {
    KEY_METHODS = 0x5000,
    KEY_REPEAT,
    KEY_MOVING,
    KEY_STEP,
    KEY_STRAIGHT,
    KEY_LIMIT,
    KEY_CSV,
    KEY_PNG,
    KEY_JSON,
    KEY_THREADS
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to compare:", 3},
    {"methods", KEY_METHODS, "A,B,...", 0, "these methods alone; default: all, and auto", 3},
    {"threads", KEY_THREADS, "K", 0, "number of threads; default: all", 3},
    {"repeat", KEY_REPEAT, "K", 0, "take the best of K searches (default 3)", 3},
    {"moving", KEY_MOVING, "STEPS", 0,
     "follow a motion of so many steps instead of searching from "
     "scratch",
     3},
    {"step", KEY_STEP, "FRACTION", 0,
     "with --moving: how far each particle goes per step, in mean diameters (default 0.01)", 3},
    {"straight", KEY_STRAIGHT, 0, 0, "with --moving: straight lines instead of a random walk", 3},
    {"limit", KEY_LIMIT, "SECONDS", 0,
     "leave out a method that would take longer than this for one search, or for the motion "
     "(default 5)",
     3},
    {0, 0, 0, 0, "What to give back besides the table:", 4},
    {"csv", KEY_CSV, "FILE", 0, "the table as CSV", 4},
    {"png", KEY_PNG, "FILE", 0, "a bar plot (.png, .svg or .pdf)", 4},
    {"json", KEY_JSON, 0, 0, "one JSON object instead of the table", 4},
    {0}};

static const struct argp_child children[] = {{&source_argp, 0, NULL, 0}, {0}};

static void parse_methods(compare_options *o, char *text, struct argp_state *state)
{
    char *rest = text;
    o->n_methods = 0;
    for (char *word; (word = strsep(&rest, ",")) != NULL && o->n_methods < METHODS_MAX;)
        o->methods[o->n_methods++] = cli_method(state, word);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    compare_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->from;
        return 0;
    case KEY_METHODS:
        parse_methods(o, text, state);
        return 0;
    case KEY_THREADS:
        o->def.threads = (int)cli_count(state, "threads", text, 0, JO_THREADS_MAX);
        return 0;
    case KEY_REPEAT:
        o->repeat = (int)cli_count(state, "repeat", text, 1, 1000);
        return 0;
    case KEY_MOVING:
        o->moving = (int)cli_count(state, "moving", text, 1, 1000000);
        return 0;
    case KEY_STEP:
        o->step = cli_real(state, "step", text, 0.0, 1e6);
        o->step_set = true;
        return 0;
    case KEY_STRAIGHT:
        o->straight = true;
        return 0;
    case KEY_LIMIT:
        o->limit = cli_real(state, "limit", text, 0.001, 1e9);
        return 0;
    case KEY_CSV:
        o->csv = text;
        return 0;
    case KEY_PNG:
        o->png = text;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_END:
        if (o->moving == 0 && (o->straight || o->step_set))
            argp_error(state, "--step and --straight belong to --moving STEPS");
        if ((output_is_standard(o->csv) && (o->json || output_is_standard(o->png))) ||
            (output_is_standard(o->png) && o->json))
            argp_error(state, "--json, --csv - and --png - cannot share standard output");
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
    .doc = "Runs every method on the same particles, checks that all find the same contacts, and "
           "shows which is fastest. Exit code 1 if two methods disagree.\v"
           "Examples:\n"
           "  jostle compare grains.csv\n"
           "  jostle compare --workload L3 --n 1e5 --png mixed.png\n"
           "  jostle compare --workload B3 --n 1e5 --moving 50 --step 0.01\n"
           "  jostle compare grains.csv --methods grid,hgrid,cells --threads 1 --repeat 10\n"};

/* What became of one method. */
typedef struct entry {
    const char *name;
    measurement m;
    bool done, agrees;
    char skipped[120]; /* why it did not run */
} entry;

static jo_status time_once(const jo_broad_def *def, const jo_particles *p, double *seconds,
                           jo_error *error)
{
    measurement m;
    jo_broad_def open = *def;
    open.domain = (jo_domain){0};
    const jo_bodies bodies = jo_particles_view(p);
    jo_status status = measure_find(&open, &bodies, 1, &m, error);
    *seconds = m.seconds;
    /* The first search also starts threads and takes memory: a short one gets other chances. */
    if (status == JO_OK && m.seconds < 0.1) {
        status = measure_find(&open, &bodies, 2, &m, error);
        *seconds = fmin(*seconds, m.seconds);
    }
    return status;
}

/* Seconds one search should take; 0 when the system is too small to wonder. */
static jo_status estimate(const jo_broad_def *def, const jo_particles *all,
                          const jo_particles parts[2], double *seconds, jo_error *error)
{
    double t[2];
    *seconds = 0.0;
    if (all->n <= SMALL || parts[0].n < 100 || parts[1].n < 2 * parts[0].n) {
        if (strcmp(def->method, "brute") == 0) *seconds = 1e-9 * (double)all->n * (double)all->n;
        return JO_OK;
    }
    jo_status status = time_once(def, &parts[0], &t[0], error);
    if (status != JO_OK) return status;
    const double n0 = (double)parts[0].n, n1 = (double)parts[1].n, n = (double)all->n;
    double power = 1.0;
    if (t[0] * (n1 / n0) * (n1 / n0) < 5.0) { /* else the small box alone says enough */
        status = time_once(def, &parts[1], &t[1], error);
        power = fmin(2.0, fmax(1.0, log(t[1] / t[0]) / log(n1 / n0)));
        *seconds = t[1] * pow(n / n1, power);
    } else
        *seconds = t[0] * pow(n / n0, 1.5);
    return status;
}

static jo_status run_one(const compare_options *o, const jo_particles *p,
                         const jo_particles parts[2], entry *e, jo_error *error)
{
    double expected = 0.0;
    char time[32];
    jo_broad_def def = o->def;
    def.method = e->name;
    def.domain = p->domain;
    cli_progress_say("trying %s…", e->name);
    jo_status status = estimate(&def, p, parts, &expected, error);
    if (status != JO_OK) return status;
    if (expected > o->limit) {
        snprintf(e->skipped, sizeof e->skipped, "left out: would take about %s, limit %g s",
                 text_seconds(time, sizeof time, expected), o->limit);
        return JO_OK;
    }
    cli_progress_say("running %s…", e->name);
    if (o->moving > 0) {
        const motion how = {.steps = o->moving,
                            .length = o->step * 2.0 * mean_radius(p),
                            .persistent = o->straight,
                            .seed = o->from.seed,
                            .limit = o->limit};
        status = measure_motion(&def, p, &how, &e->m, error);
        if (e->m.stopped)
            snprintf(e->skipped, sizeof e->skipped, "stopped at the limit of %g s: %s per step",
                     o->limit, text_seconds(time, sizeof time, e->m.seconds));
    } else {
        const jo_bodies bodies = jo_particles_view(p);
        const int repeat = expected * o->repeat > o->limit ? 1 : o->repeat;
        status = measure_find(&def, &bodies, repeat, &e->m, error);
    }
    e->done = status == JO_OK && !e->m.stopped;
    return status;
}

/* The first method that ran to the end sets what the others must find; false if one differs. */
static bool check_agreement(entry *entries, size_t count)
{
    const entry *first = NULL;
    bool agree = true;
    for (size_t k = 0; k < count; k++) {
        if (!entries[k].done) continue;
        if (first == NULL) first = &entries[k];
        entries[k].agrees = entries[k].m.hash == first->m.hash;
        agree = agree && entries[k].agrees;
    }
    return agree;
}

static size_t count_done(const entry *entries, size_t count)
{
    size_t done = 0;
    for (size_t k = 0; k < count; k++)
        done += entries[k].done;
    return done;
}

static double best_time(const entry *entries, size_t count)
{
    double best = INFINITY;
    for (size_t k = 0; k < count; k++)
        if (entries[k].done) best = fmin(best, entries[k].m.seconds);
    return best;
}

static const char *entry_name(const entry *e, char text[64])
{
    if (e->done && strcmp(e->name, e->m.method) != 0)
        snprintf(text, 64, "%s (%s)", e->name, e->m.method);
    else
        snprintf(text, 64, "%s", e->name);
    return text;
}

static void print_text(const compare_options *o, const jo_particles *p, const entry *entries,
                       size_t count, bool agree)
{
    char a[64], b[64], c[64];
    const double n = p->n > 0 ? (double)p->n : 1.0, best = best_time(entries, count);
    printf("%s: %s particles, %dD; ", source_name(&o->from), text_count(a, sizeof a, (double)p->n),
           p->dim);
    if (o->moving > 0)
        printf("%d steps of %g mean diameters, time per step\n", o->moving, o->step);
    else
        printf("one search from scratch, best of %d\n", o->repeat);
    printf("%s\n", o->def.threads == 1 ? "one thread, processor time\n" : "");
    table t =
        table_start("method|time|ns/particle|relative|tested/particle|bytes/particle|contacts");
    for (size_t k = 0; k < count; k++) {
        const entry *e = &entries[k];
        if (!e->done) continue;
        table_row(&t, "%s|%s|%.1f|%.2f|%.4g|%.1f|%s%s", entry_name(e, a),
                  text_seconds(b, sizeof b, e->m.seconds), 1e9 * e->m.seconds / n,
                  e->m.seconds / best, (double)e->m.tested / n, e->m.bytes / n,
                  text_count(c, sizeof c, (double)e->m.contacts), e->agrees ? "" : " DIFFERENT");
    }
    table_print(&t, stdout, "  ");
    table_free(&t);
    for (size_t k = 0; k < count; k++)
        if (!entries[k].done) printf("  %s: %s\n", entries[k].name, entries[k].skipped);
    const size_t ran = count_done(entries, count);
    printf("\n%s\n", !agree     ? "THE METHODS DISAGREE: this is a bug in jostle; please report it."
                     : ran > 1  ? "All agree on every contact."
                     : ran == 1 ? "One method ran: there was nothing to compare it with."
                                : "No method ran: a larger --limit would let the fastest.");
}

static void print_json(const compare_options *o, const jo_particles *p, const entry *entries,
                       size_t count, bool agree)
{
    char hash[20];
    const double best = best_time(entries, count);
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_integer(&j, "n", p->n);
    json_integer(&j, "dim", (uint64_t)p->dim);
    json_integer(&j, "steps", (uint64_t)o->moving);
    json_bool(&j, "agree", agree);
    json_array(&j, "methods");
    for (size_t k = 0; k < count; k++) {
        const entry *e = &entries[k];
        json_object(&j, NULL);
        json_string(&j, "name", e->name);
        json_bool(&j, "ran", e->done);
        if (e->done) {
            snprintf(hash, sizeof hash, "%016llx", (unsigned long long)e->m.hash);
            json_string(&j, "method", e->m.method);
            json_real(&j, "seconds", e->m.seconds);
            json_real(&j, "relative", e->m.seconds / best);
            json_integer(&j, "contacts", e->m.contacts);
            json_string(&j, "hash", hash);
            json_integer(&j, "pairs_tested", e->m.tested);
            json_real(&j, "bytes", e->m.bytes);
        } else
            json_string(&j, "skipped", e->skipped);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static jo_status write_csv(const char *path, const jo_particles *p, const entry *entries,
                           size_t count, jo_error *error)
{
    output o;
    const double n = p->n > 0 ? (double)p->n : 1.0;
    if (output_open(&o, path, error) != JO_OK) return error->status;
    fputs("method,ran_as,seconds,ns_per_particle,relative,tested_per_particle,bytes_per_particle,"
          "contacts,agrees\n",
          o.file);
    for (size_t k = 0; k < count; k++) {
        const entry *e = &entries[k];
        if (!e->done)
            fprintf(o.file, "%s,,,,,,,,\n", e->name);
        else
            fprintf(o.file, "%s,%s,%.9g,%.6g,%.4g,%.6g,%.6g,%llu,%s\n", e->name, e->m.method,
                    e->m.seconds, 1e9 * e->m.seconds / n, e->m.seconds / best_time(entries, count),
                    (double)e->m.tested / n, e->m.bytes / n, (unsigned long long)e->m.contacts,
                    e->agrees ? "yes" : "no");
    }
    return output_close(&o, error);
}

static jo_status draw(const compare_options *o, const jo_particles *p, const entry *entries,
                      size_t count, jo_error *error)
{
    report r = {0};
    char text[64];
    report_plot *plot = report_plot_add(
        &r, "compare", source_name(&o->from), "method",
        o->moving > 0 ? "ns per particle and step" : "ns per particle", false, true);
    size_t bar = 0;
    for (size_t k = 0; k < count; k++) {
        if (!entries[k].done) continue;
        report_bar_name(&r, plot, bar, entry_name(&entries[k], text));
        report_point(&r, plot, "time", (double)bar++,
                     1e9 * entries[k].m.seconds / (p->n > 0 ? (double)p->n : 1.0));
    }
    jo_status status = JO_OK;
    if (plot != NULL && !r.failed) {
        char n[32];
        snprintf(plot->subtitle, sizeof plot->subtitle, "%s particles, %dD",
                 text_count(n, sizeof n, (double)p->n), p->dim);
        status = report_draw(plot, o->png, error);
    }
    report_free(&r);
    return status;
}

static int deliver(const compare_options *o, const jo_particles *p, entry *entries, size_t count)
{
    jo_error error = {0};
    jo_status status = JO_OK;
    const bool agree = check_agreement(entries, count);
    if (o->json)
        print_json(o, p, entries, count, agree);
    else if (!output_is_standard(o->csv) && !output_is_standard(o->png))
        print_text(o, p, entries, count, agree);
    if (o->csv != NULL) status = write_csv(o->csv, p, entries, count, &error);
    if (status == JO_OK && o->png != NULL) {
        cli_signals_hold();
        status = draw(o, p, entries, count, &error);
        cli_signals_release();
    }
    if (status != JO_OK) return cli_fail(&error);
    if (o->csv != NULL && !output_is_standard(o->csv)) cli_note("wrote %s", o->csv);
    if (o->png != NULL && !output_is_standard(o->png)) cli_note("drew %s", o->png);
    return agree ? CLI_OK : CLI_FAILED;
}

static int compare_all(const compare_options *o, const jo_particles *p)
{
    jo_error error = {0};
    jo_particles parts[2] = {{0}};
    entry entries[METHODS_MAX] = {{0}};
    jo_status status = JO_OK;
    if (p->n > SMALL) {
        status = take_middle(p, 1.0 / 64.0, &parts[0], &error);
        if (status == JO_OK) status = take_middle(p, 1.0 / 8.0, &parts[1], &error);
    }
    for (size_t k = 0; k < o->n_methods && status == JO_OK; k++) {
        entries[k].name = o->methods[k];
        status = run_one(o, p, parts, &entries[k], &error);
    }
    cli_progress_clear();
    const int code = status == JO_OK ? deliver(o, p, entries, o->n_methods) : cli_fail(&error);
    jo_particles_free(&parts[0]);
    jo_particles_free(&parts[1]);
    return code;
}

int cli_compare(int argc, char **argv)
{
    jo_error error = {0};
    jo_particles particles = {0};
    compare_options o = {.from = source_default(),
                         .def = jo_broad_def_default(),
                         .repeat = 3,
                         .step = 0.01,
                         .limit = 5.0};
    for (size_t k = 0; k < jo_broad_method_count() && o.n_methods < METHODS_MAX - 1; k++)
        o.methods[o.n_methods++] = jo_broad_method(k)->name;
    o.methods[o.n_methods++] = "auto";
    cli_parse(&argp, argc, argv, &o);
    if (o.csv != NULL && output_possible(o.csv, &error) != JO_OK) return cli_fail(&error);
    if (o.png != NULL && output_picture_possible(o.png, &error) != JO_OK) return cli_fail(&error);
    int code = source_load(&o.from, &particles);
    if (code != CLI_OK) return code;
    code = compare_all(&o, &particles);
    jo_particles_free(&particles);
    return code;
}
