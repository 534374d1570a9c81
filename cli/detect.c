/* detect.c — `jostle detect`: the contacts among the particles of a file.
 *
 * One search from scratch. What is printed depends on what is asked: a summary for a person, the
 * count, the reason for the method, or one JSON object; pairs and picture go to files. Output paths
 * are tried before the search, so that an hour of work does not end at a missing folder. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "output.h"
#include "progress.h"
#include "search.h"
#include "source.h"
#include "table.h"

typedef struct detect_options {
    source from;
    jo_broad_def def;
    const char *pairs, *png;
    bool count, json, why, stats;
} detect_options;

enum { KEY_COUNT = 0x3000, KEY_JSON, KEY_PNG, KEY_WHY, KEY_STATS };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to give back (without any of these, a summary):", 4},
    {"output", 'o', "FILE", 0,
     "write the pairs (zero-based i < j) to FILE.csv or FILE.npy; - is "
     "standard output (csv)",
     4},
    {"count", KEY_COUNT, 0, 0, "print the number of contacts alone", 4},
    {"json", KEY_JSON, 0, 0, "print one JSON object", 4},
    {"png", KEY_PNG, "FILE", 0, "draw particles and contacts", 4},
    {"why", KEY_WHY, 0, 0, "print the method that ran, and why it was chosen", 4},
    {"stats", KEY_STATS, 0, 0, "add memory and counters to the summary", 4},
    {0}};

static const struct argp_child children[] = {
    {&source_argp, 0, NULL, 0}, {&search_argp, 0, NULL, 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    detect_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->from;
        state->child_inputs[1] = &o->def;
        return 0;
    case 'o':
        if (strcmp(text, "-") != 0 && !output_has_extension(text, ".csv") &&
            !output_has_extension(text, ".npy"))
            argp_error(state, "--output '%s' must end in .csv or .npy", text);
        o->pairs = text;
        return 0;
    case KEY_PNG:
        o->png = text;
        return 0;
    case KEY_COUNT:
        o->count = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_WHY:
        o->why = true;
        return 0;
    case KEY_STATS:
        o->stats = true;
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
        "Finds every pair of particles that touch: (ri + rj)^2 - |xi - xj|^2 >= 0. All methods "
        "give exactly the same pairs; they differ in speed.\v"
        "FILE is CSV (x,y[,z],r with or without a header), extended XYZ, a LAMMPS dump or an npy "
        "array; 'jostle list' shows the formats.\n\n"
        "Examples:\n"
        "  jostle detect grains.csv\n"
        "  jostle detect grains.csv --method cells --per-cell 5 --json\n"
        "  jostle detect dump.lammpstrj --frame 10 --periodic xy -o pairs.npy\n"
        "  jostle detect grains.csv --periodic all --box 0,10 --count\n"
        "  jostle detect --workload L3 --n 1e6 --png look.png --why\n"};

/* Smallest, mean and largest radius. */
static void sizes(const jo_particles *p, double *smallest, double *mean, double *largest)
{
    double lo = INFINITY, hi = 0.0, sum = 0.0;
    for (size_t k = 0; k < p->n; k++) {
        lo = fmin(lo, p->r[k]);
        hi = fmax(hi, p->r[k]);
        sum += p->r[k];
    }
    *smallest = p->n > 0 ? lo : 0.0;
    *mean = p->n > 0 ? sum / (double)p->n : 0.0;
    *largest = hi;
}

static double total(const jo_broad_stats *s)
{
    double sum = 0.0;
    for (int k = 0; k < JO_STAGE_COUNT; k++)
        sum += s->seconds[k];
    return sum;
}

/* What one run of the command knows when the search is over. */
typedef struct outcome {
    const detect_options *o;
    const jo_particles *particles;
    const jo_broad *search;
    jo_broad_stats stats;
    jo_pairs pairs;
    double seconds;
} outcome;

static void axes_text(const jo_domain *domain, char text[8])
{
    size_t used = 0;
    for (int a = 0; a < 3; a++)
        if (domain->periodic[a]) text[used++] = (char)('x' + a);
    text[used] = '\0';
    if (used == 0) strcpy(text, "none");
}

static void print_json(const outcome *r)
{
    char hash[20], periodic[8];
    double smallest, mean, largest;
    sizes(r->particles, &smallest, &mean, &largest);
    axes_text(&r->particles->domain, periodic);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)jo_pairs_hash(r->pairs));
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_integer(&j, "n", r->particles->n);
    json_integer(&j, "dim", (uint64_t)r->particles->dim);
    json_string(&j, "method", r->stats.method);
    json_string(&j, "asked", r->o->def.method);
    json_string(&j, "why", jo_broad_why(r->search));
    json_integer(&j, "contacts", r->pairs.count);
    json_real(&j, "seconds", r->seconds);
    json_real(&j, "read_seconds", r->o->from.read_seconds);
    json_string(&j, "pairs_hash", hash);
    json_string(&j, "periodic", periodic);
    json_real(&j, "r_min", smallest);
    json_real(&j, "r_mean", mean);
    json_real(&j, "r_max", largest);
    json_integer(&j, "pairs_tested", r->stats.pairs_tested);
    json_integer(&j, "cells", r->stats.cells);
    json_real(&j, "skin", r->stats.skin);
    json_integer(&j, "bytes", r->stats.bytes);
    json_integer(&j, "bytes_lists", r->stats.bytes_lists);
    json_object(&j, "stages");
    for (int k = 0; k < JO_STAGE_COUNT; k++)
        json_real(&j, jo_broad_stage_name((jo_broad_stage)k), r->stats.seconds[k]);
    json_end(&j);
    json_end(&j);
}

static void print_stages(const outcome *r)
{
    char time[32];
    const double all = total(&r->stats);
    printf("time      %s", text_seconds(time, sizeof time, r->seconds));
    const char *before = ": ";
    for (int k = 0; k < JO_STAGE_COUNT; k++) {
        const double seconds = r->stats.seconds[k];
        if (!(seconds > 0.0)) continue;
        printf("%s%s %s (%.0f %%)", before, jo_broad_stage_name((jo_broad_stage)k),
               text_seconds(time, sizeof time, seconds), 100.0 * seconds / all);
        before = ", ";
    }
    printf("\n          %s to %s\n", text_seconds(time, sizeof time, r->o->from.read_seconds),
           r->o->from.workload != NULL ? "make the particles" : "read the file");
}

static void print_counters(const outcome *r)
{
    char a[32], b[32];
    printf("memory    %s for the search, %s for the contacts (%.1f bytes per particle)\n",
           text_bytes(a, sizeof a, (double)r->stats.bytes),
           text_bytes(b, sizeof b, (double)r->stats.bytes_lists),
           r->particles->n > 0 ? (double)r->stats.bytes / (double)r->particles->n : 0.0);
    if (r->stats.cells > 0)
        printf("cells     %s (%.3g particles each)\n",
               text_count(a, sizeof a, (double)r->stats.cells),
               (double)r->particles->n / (double)r->stats.cells);
    if (r->stats.skin > 0.0) printf("skin      %g\n", r->stats.skin);
    if (r->stats.swaps > 0)
        printf("swaps     %s\n", text_count(a, sizeof a, (double)r->stats.swaps));
}

/* The method and why, wrapped; a reason that already begins with the method's name stands alone. */
static void print_why(const outcome *r, int indent)
{
    char text[700];
    const char *why = jo_broad_why(r->search);
    const size_t length = strlen(r->stats.method);
    if (strncmp(why, r->stats.method, length) == 0 && why[length] == ':')
        snprintf(text, sizeof text, "%s", why);
    else
        snprintf(text, sizeof text, "%s: %s", r->stats.method, why);
    text_wrap(stdout, text, indent, 96);
}

static void print_summary(const outcome *r)
{
    char a[40], periodic[8];
    double smallest, mean, largest;
    const double n = (double)r->particles->n;
    sizes(r->particles, &smallest, &mean, &largest);
    axes_text(&r->particles->domain, periodic);
    printf("particles %s, %dD, from %s\n", text_count(a, sizeof a, n), r->particles->dim,
           source_name(&r->o->from));
    printf("radii     %g to %g, mean %g%s\n", smallest, largest, mean,
           largest > smallest ? "" : " (all equal)");
    printf("periodic  %s\n", periodic);
    printf("method    ");
    print_why(r, 10);
    printf("contacts  %s", text_count(a, sizeof a, (double)r->pairs.count));
    if (n > 0) printf(" (%.4g per particle)", (double)r->pairs.count / n);
    printf("\ntested    %s pairs", text_count(a, sizeof a, (double)r->stats.pairs_tested));
    if (n > 0) printf(" (%.4g per particle)", (double)r->stats.pairs_tested / n);
    printf("\n");
    print_stages(r);
    if (r->o->stats) print_counters(r);
    printf("hash      %016llx\n", (unsigned long long)jo_pairs_hash(r->pairs));
}

static jo_status draw(const outcome *r, jo_error *error)
{
    char title[160], caption[200], n[32], contacts[32];
    jo_picture picture = jo_picture_default();
    snprintf(title, sizeof title, "%.100s", source_name(&r->o->from));
    snprintf(caption, sizeof caption, "%s particles, %s contacts, found by %s",
             text_count(n, sizeof n, (double)r->particles->n),
             text_count(contacts, sizeof contacts, (double)r->pairs.count), r->stats.method);
    picture.title = title;
    picture.caption = caption;
    const jo_bodies bodies = jo_particles_view(r->particles);
    cli_progress_say("drawing %s…", r->o->png);
    const jo_status status =
        jo_picture_write(r->o->png, &picture, &bodies, &r->particles->domain, r->pairs, error);
    cli_progress_clear();
    return status;
}

/* Files first: what is printed afterwards then speaks of files that exist. */
static int write_files(const outcome *r)
{
    jo_error error = {0};
    const detect_options *o = r->o;
    char count[32];
    jo_status status = JO_OK;
    cli_signals_hold();
    if (o->pairs != NULL) {
        const bool standard = output_is_standard(o->pairs);
        cli_progress_say("writing %s…", o->pairs);
        status = jo_pairs_write(o->pairs, standard ? "csv" : NULL, r->pairs, &error);
        cli_progress_clear();
        if (status == JO_OK && !standard)
            cli_note("wrote %s pairs to %s",
                     text_count(count, sizeof count, (double)r->pairs.count), o->pairs);
    }
    if (status == JO_OK && o->png != NULL) {
        status = draw(r, &error);
        if (status == JO_OK && !output_is_standard(o->png)) cli_note("drew %s", o->png);
    }
    cli_signals_release();
    return status == JO_OK ? CLI_OK : cli_fail(&error);
}

static int report(const outcome *r)
{
    const detect_options *o = r->o;
    const int code = write_files(r);
    if (code != CLI_OK) return code;
    if (o->json) {
        print_json(r); /* which has the count, the reason and the counters in it */
    } else if (o->stats) {
        print_summary(r);
    } else if (o->count || o->why) {
        if (o->count) printf("%zu\n", r->pairs.count);
        if (o->why) print_why(r, 0);
    } else if (o->pairs == NULL && !output_is_standard(o->png)) {
        print_summary(r);
    }
    return CLI_OK;
}

static int search_and_report(detect_options *o, const jo_particles *particles)
{
    jo_error error = {0};
    jo_broad *search = NULL;
    o->def.domain = particles->domain;
    if (jo_broad_create(&o->def, &search, &error) != JO_OK) return cli_fail(&error);
    const jo_bodies bodies = jo_particles_view(particles);
    cli_progress_say("searching %zu particles…", particles->n);
    const double start = cli_seconds();
    const jo_status status = jo_broad_find(search, &bodies, &error);
    const double seconds = cli_seconds() - start;
    cli_progress_clear();
    int code;
    if (status != JO_OK)
        code = cli_fail(&error);
    else {
        const outcome result = {.o = o,
                                .particles = particles,
                                .search = search,
                                .stats = jo_broad_statistics(search),
                                .pairs = jo_broad_contacts(search),
                                .seconds = seconds};
        code = report(&result);
    }
    jo_broad_destroy(search);
    return code;
}

int cli_detect(int argc, char **argv)
{
    jo_error error = {0};
    jo_particles particles = {0};
    detect_options o = {.from = source_default(), .def = jo_broad_def_default()};
    cli_parse(&argp, argc, argv, &o);
    const bool pairs_out = output_is_standard(o.pairs), picture_out = output_is_standard(o.png);
    if ((pairs_out || picture_out) && (o.json || o.count || o.why || o.stats))
        return cli_fail_with(CLI_MISUSE,
                             "%s - fills standard output with %s; leave out "
                             "--json, --count, --why and --stats",
                             pairs_out ? "--output" : "--png", pairs_out ? "pairs" : "a picture");
    if (pairs_out && picture_out)
        return cli_fail_with(CLI_MISUSE, "--output - and --png - cannot share standard output");
    if (o.pairs != NULL && output_possible(o.pairs, &error) != JO_OK) return cli_fail(&error);
    if (o.png != NULL && output_picture_possible(o.png, &error) != JO_OK) return cli_fail(&error);
    search_note_unread(&o.def);
    const int code = source_load(&o.from, &particles);
    if (code != CLI_OK) return code;
    const int result = search_and_report(&o, &particles);
    jo_particles_free(&particles);
    return result;
}
