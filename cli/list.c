/* list.c — `jostle list`: what there is, printed from the descriptors themselves, so that it cannot
 * drift from the code. */
#include <string.h>

#include "args.h"
#include "engines.h"
#include "generate.h"
#include "json.h"
#include "reproduce.h"
#include "table.h"

typedef struct list_options {
    bool json;
    const char *method;
} list_options;

static const struct argp_option options[] = {
    {"json", 'j', 0, 0, "one JSON object: broad, engines, laws, formats, workloads, papers", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    list_options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->method != NULL) argp_error(state, "one METHOD, please");
        o->method = cli_method(state, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[METHOD]",
    .doc = "Lists the methods of contact search, the engines and contact laws of simulations, the "
           "file "
           "formats, the named workloads and the papers that can be reproduced; with METHOD, "
           "everything about one method of contact search.\v"
           "Examples:\n"
           "  jostle list\n"
           "  jostle list hgrid\n"
           "  jostle list --json | python3 -m json.tool\n"};

static const jo_method_info *find_method(const char *name)
{
    for (size_t k = 0; k < jo_broad_method_count(); k++)
        if (strcmp(jo_broad_method(k)->name, name) == 0) return jo_broad_method(k);
    return NULL;
}

static const char *const auto_summary =
    "chooses among them from the data, says why, and can switch during a run";

static void print_field(const char *name, const char *text)
{
    printf("  %-9s", name);
    text_wrap(stdout, text, 11, 96);
}

static void print_method(const char *name)
{
    const jo_method_info *m = find_method(name);
    if (m == NULL) {
        printf("auto\n");
        print_field("what", auto_summary);
        print_field("when",
                    "the default: use it unless you know better; 'jostle detect --why' tells "
                    "what it chose, 'jostle compare' whether it was right");
        return;
    }
    printf("%s\n", m->name);
    print_field("what", m->summary);
    print_field("source", m->source);
    print_field("cost", m->cost);
    print_field("when", m->when);
    print_field("options", *m->options != '\0' ? m->options : "none");
    print_field("motion", m->coherent
                              ? "keeps its structure: an update after little motion is cheap"
                              : "an update costs as much as a search from scratch");
    print_field("threads", m->threaded ? "uses all it is given" : "uses one");
}

static void print_simulation(void)
{
    printf("\nEngines (engine: {type: NAME} in a scene):\n");
    table t = table_start("name|what");
    for (size_t k = 0; engine_number(k) != NULL; k++)
        table_row(&t, "%s|%s", engine_number(k)->name, engine_number(k)->summary);
    table_print(&t, stdout, "  ");
    table_free(&t);

    printf("\nContact laws of the engine soft (law: {PART: NAME} in a scene):\n");
    t = table_start("part|name|what");
    for (size_t k = 0; jo_law_part(k) != NULL; k++)
        table_row(&t, "%s|%s|%s", jo_law_part(k)->part, jo_law_part(k)->name,
                  jo_law_part(k)->summary);
    table_print(&t, stdout, "  ");
    table_free(&t);
}

static void print_text(void)
{
    printf("Methods (jostle detect --method NAME; jostle list NAME tells all):\n");
    table t = table_start("name|threads|moving|what");
    for (size_t k = 0; k < jo_broad_method_count(); k++) {
        const jo_method_info *m = jo_broad_method(k);
        table_row(&t, "%s|%s|%s|%s", m->name, m->threaded ? "many" : "one",
                  m->coherent ? "keeps up" : "anew", m->summary);
    }
    table_row(&t, "auto|||%s", auto_summary);
    table_print(&t, stdout, "  ");
    table_free(&t);

    print_simulation();

    printf("\nFile formats:\n");
    t = table_start("name|reads|writes|extensions|what");
    for (size_t k = 0; k < jo_format_count(); k++) {
        const jo_format_info *f = jo_format(k);
        table_row(&t, "%s|%s|%s|%s|%s", f->name, f->reads ? "yes" : "no", f->writes ? "yes" : "no",
                  f->extensions, f->summary);
    }
    table_print(&t, stdout, "  ");
    table_free(&t);

    printf("\nWorkloads (--workload NAME --n COUNT):\n");
    t = table_start("name|what");
    for (size_t k = 0; scene_name(k) != NULL; k++)
        table_row(&t, "%s|%s", scene_name(k), scene_summary(k));
    table_print(&t, stdout, "  ");
    table_free(&t);

    printf("\nPapers (jostle reproduce N):\n");
    for (size_t k = 0; reproduce_papers[k].title != NULL; k++) {
        printf("  %d  ", reproduce_papers[k].number);
        text_wrap(stdout, reproduce_papers[k].title, 5, 96);
    }
}

static void json_methods(json *j)
{
    json_array(j, "broad");
    for (size_t k = 0; k < jo_broad_method_count(); k++) {
        const jo_method_info *m = jo_broad_method(k);
        json_object(j, NULL);
        json_string(j, "name", m->name);
        json_string(j, "summary", m->summary);
        json_string(j, "source", m->source);
        json_string(j, "cost", m->cost);
        json_string(j, "when", m->when);
        json_string(j, "options", m->options);
        json_bool(j, "coherent", m->coherent);
        json_bool(j, "threaded", m->threaded);
        json_end(j);
    }
    json_end(j);
}

static void print_json(void)
{
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_string(&j, "version", jo_version());
    json_methods(&j);
    json_array(&j, "engines");
    for (size_t k = 0; engine_number(k) != NULL; k++) {
        json_object(&j, NULL);
        json_string(&j, "name", engine_number(k)->name);
        json_string(&j, "summary", engine_number(k)->summary);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "laws");
    for (size_t k = 0; jo_law_part(k) != NULL; k++) {
        json_object(&j, NULL);
        json_string(&j, "part", jo_law_part(k)->part);
        json_string(&j, "name", jo_law_part(k)->name);
        json_string(&j, "summary", jo_law_part(k)->summary);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "formats");
    for (size_t k = 0; k < jo_format_count(); k++) {
        const jo_format_info *f = jo_format(k);
        json_object(&j, NULL);
        json_string(&j, "name", f->name);
        json_string(&j, "extensions", f->extensions);
        json_string(&j, "summary", f->summary);
        json_bool(&j, "reads", f->reads);
        json_bool(&j, "writes", f->writes);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "workloads");
    for (size_t k = 0; scene_name(k) != NULL; k++) {
        json_object(&j, NULL);
        json_string(&j, "name", scene_name(k));
        json_string(&j, "summary", scene_summary(k));
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "papers");
    for (size_t k = 0; reproduce_papers[k].title != NULL; k++) {
        json_object(&j, NULL);
        json_integer(&j, "paper", (uint64_t)reproduce_papers[k].number);
        json_string(&j, "title", reproduce_papers[k].title);
        json_end(&j);
    }
    json_end(&j);
    json_bool(&j, "pictures", jo_pictures_available());
    json_end(&j);
}

int cli_list(int argc, char **argv)
{
    list_options o = {0};
    cli_parse(&argp, argc, argv, &o);
    if (o.json)
        print_json();
    else if (o.method != NULL)
        print_method(o.method);
    else
        print_text();
    return CLI_OK;
}
