/* reproduce.c — `jostle reproduce`: the measurements of a paper, its numbers beside ours.
 *
 * Each paper is one file (paper1.c, paper2.c, paper3.c, cube.c, paper5.c) that fills a report; this
 * one runs it and delivers the report: a table, one JSON object, or a folder with CSV files, plots
 * and a page. */
#include <string.h>

#include "args.h"
#include "output.h"
#include "progress.h"
#include "reproduce.h"

typedef struct reproduce_options {
    const paper *chosen;
    effort how;
    bool json;
    const char *folder;
} reproduce_options;

enum { KEY_QUICK = 0x7000, KEY_JSON, KEY_OUT, KEY_SEED };

static const struct argp_option options[] = {
    {"quick", KEY_QUICK, 0, 0, "smaller systems, some seconds; writes files only with --out", 0},
    {"json", KEY_JSON, 0, 0, "print one JSON object instead of the table", 0},
    {"out", KEY_OUT, "FOLDER", 0,
     "where CSV files, plots and index.html go (default "
     "out/reproduce-N)",
     0},
    {"seed", KEY_SEED, "SEED", 0, "random seed (default 1)", 0},
    {0}};

static const paper *find_paper(const char *text)
{
    for (const paper *p = reproduce_papers; p->title != NULL; p++) {
        char number[12];
        snprintf(number, sizeof number, "%d", p->number);
        if (strcmp(number, text) == 0) return p;
    }
    return NULL;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    reproduce_options *o = state->input;
    switch (key) {
    case KEY_QUICK:
        o->how.quick = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_OUT:
        o->folder = text;
        return 0;
    case KEY_SEED:
        o->how.seed = cli_seed(state, "seed", text);
        return 0;
    case ARGP_KEY_ARG:
        if (o->chosen != NULL) argp_error(state, "one paper at a time, please");
        o->chosen = find_paper(text);
        if (o->chosen == NULL)
            argp_error(state, "there is no paper '%s' to reproduce; 'jostle list' shows them",
                       text);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which paper? Give 1, 2, 3, 4 or 5");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "1|2|3|4|5",
    .doc = "Repeats the measurements of a paper and prints its numbers beside ours; says where a "
           "number of the paper cannot be right, and why.\n"
           "  1  Leszczynski, Ciesielski: sorted distances against linked cells\n"
           "  2  DEM Modeling, Lecture 11: coarse contact detection\n"
           "  3  Baraff's and Lin's collision detection of complex polyhedra\n"
           "  4  Ding, Zhang: elastic balls in a cube, collision by collision\n"
           "  5  Mueller, Liebling: polygons by a triangulation, a hopper\v"
           "A full run takes a minute (5: some minutes) and writes CSV files, plots and one "
           "self-contained page "
           "index.html. All searches use one thread.\n\n"
           "Examples:\n"
           "  jostle reproduce 1\n"
           "  jostle reproduce 2 --quick\n"
           "  jostle reproduce 1 --quick --json\n"
           "  jostle reproduce 2 --out /tmp/lecture\n"};

static int deliver(const reproduce_options *o, const report *r)
{
    jo_error error = {0};
    char folder[64];
    const char *target = o->folder;
    if (o->json)
        report_json(r, stdout);
    else
        report_print(r, stdout);
    if (target == NULL && o->how.quick) return CLI_OK;
    snprintf(folder, sizeof folder, "out/reproduce-%d", r->paper);
    if (target == NULL) target = folder;
    cli_signals_hold();
    const jo_status status = report_write(r, target, &error);
    cli_signals_release();
    if (status != JO_OK) return cli_fail(&error);
    cli_note("wrote %s/index.html, with every table and plot beside it", target);
    return CLI_OK;
}

int cli_reproduce(int argc, char **argv)
{
    jo_error error = {0};
    report r = {0};
    reproduce_options o = {.how = {.seed = 1}};
    cli_parse(&argp, argc, argv, &o);
    r.paper = o.chosen->number;
    snprintf(r.title, sizeof r.title, "%s", o.chosen->title);
    const jo_status status = o.chosen->run(&r, &o.how, &error);
    cli_progress_clear();
    int code;
    if (status != JO_OK)
        code = cli_fail(&error);
    else if (r.failed)
        code = cli_fail_with(CLI_FAILED, "not enough memory for the report");
    else
        code = deliver(&o, &r);
    report_free(&r);
    return code;
}
