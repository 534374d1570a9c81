/* demo_cmd.c — `jostle demo`: runs a scene that comes with jostle, or lists them.
 *
 * The scenes are files: installed under share/jostle/scenes, or beside a program that was not
 * installed. Both are found from the place of the program itself, so a moved installation works. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gallery.h"
#include "json.h"
#include "table.h"

#ifndef JOSTLE_SCENES_FROM_PROGRAM
#define JOSTLE_SCENES_FROM_PROGRAM "../share/jostle/scenes"
#endif

typedef struct demo_options {
    run_options run;
    bool list;
} demo_options;

enum { KEY_LIST = 0x7200 };

static const struct argp_option options[] = {
    {"list", KEY_LIST, 0, 0, "name every scene, with a line about each", 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    (void)text;
    demo_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->run;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case ARGP_KEY_END:
        if (o->run.input == NULL && !o->list && !o->run.view.on)
            argp_error(state,
                       "which one? 'jostle demo --list' names them, and 'jostle demo --view' "
                       "shows them in a browser");
        if (o->run.input != NULL && o->list)
            argp_error(state, "--list names all scenes; leave out '%s'", o->run.input);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = run_options_child,
    .args_doc = "NAME",
    .doc = "Runs a scene that comes with jostle, as 'jostle run' does. The scenes are text files "
           "with comments: copy one and change it.\v"
           "Examples:\n"
           "  jostle demo --list\n"
           "  jostle demo --view                   (a page to choose from)\n"
           "  jostle demo silo\n"
           "  jostle demo drum --until 1 --out /tmp/drum\n"};

/* ---- finding them */

static bool holds_scenes(const char *folder)
{
    char path[RUNDIR_PATH + 16];
    snprintf(path, sizeof path, "%s/silo.yaml", folder);
    return access(path, R_OK) == 0;
}

static int find_folder(char *folder, size_t size)
{
    static const char *const places[] = {JOSTLE_SCENES_FROM_PROGRAM, "scenes"};
    char program[RUNDIR_PATH / 2];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return cli_fail_with(CLI_FAILED, "the program's own place cannot be found");
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(folder, size, "%s/%s", program, places[k]);
        if (holds_scenes(folder)) return CLI_OK;
    }
    return cli_fail_with(CLI_FAILED, "the scenes are not there: neither in %s/%s nor in %s/%s",
                         program, places[0], program, places[1]);
}

void scenes_free(scene_names *s)
{
    for (size_t k = 0; k < s->count; k++)
        free(s->names[k]);
    s->count = 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_names(scene_names *s)
{
    DIR *listing = opendir(s->folder);
    if (listing == NULL)
        return cli_fail_with(CLI_FAILED, "%s: cannot be read: %s", s->folder, strerror(errno));
    for (struct dirent *entry; s->count < SCENES_MAX && (entry = readdir(listing)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || dot == entry->d_name || strcmp(dot, ".yaml") != 0) continue;
        char *name = strndup(entry->d_name, (size_t)(dot - entry->d_name));
        if (name != NULL) s->names[s->count++] = name;
    }
    closedir(listing);
    qsort(s->names, s->count, sizeof *s->names, by_name);
    return CLI_OK;
}

int scenes_find(scene_names *s)
{
    *s = (scene_names){0};
    const int code = find_folder(s->folder, sizeof s->folder);
    return code == CLI_OK ? read_names(s) : code;
}

/* ---- listing */

void scene_title(const scene_names *s, size_t k, char *title, size_t size)
{
    char path[RUNDIR_PATH + 300];
    jo_scene scene = {0};
    jo_problems problems = {0};
    jo_error error = {0};
    snprintf(path, sizeof path, "%s/%s.yaml", s->folder, s->names[k]);
    const jo_status status = jo_scene_read(path, &scene, &problems, &error);
    if (status != JO_OK)
        snprintf(title, size, "(cannot be read; 'jostle check' on its file tells why)");
    else
        snprintf(title, size, "%s", scene.title != NULL ? scene.title : "");
    jo_problems_free(&problems);
    jo_scene_free(&scene);
}

static void list_scenes(const scene_names *s, bool as_json)
{
    char title[TABLE_TEXT];
    table t = table_start("name|what");
    json j = json_start_line(stdout);
    if (as_json) json_object(&j, NULL);
    if (as_json) json_array(&j, "scenes");
    for (size_t k = 0; k < s->count; k++) {
        scene_title(s, k, title, sizeof title);
        table_row(&t, "%s|%s", s->names[k], title);
        if (!as_json) continue;
        json_object(&j, NULL);
        json_string(&j, "name", s->names[k]);
        json_string(&j, "title", title);
        json_end(&j);
    }
    if (as_json) {
        json_end(&j);
        json_string(&j, "folder", s->folder);
        json_end(&j);
    } else {
        table_print(&t, stdout, "");
        printf("The files are in %s\n", s->folder);
    }
    table_free(&t);
}

static int unknown_scene(const char *name, const scene_names *s)
{
    const char *meant = cli_suggest(name, (const char *const *)s->names);
    fprintf(stderr, "jostle demo: there is no scene '%s'", name);
    if (meant != NULL) fprintf(stderr, "; did you mean '%s'?", meant);
    fputs("\n'jostle demo --list' names them all; a file of your own runs with 'jostle run'.\n",
          stderr);
    return CLI_MISUSE;
}

int cli_demo(int argc, char **argv)
{
    demo_options o = {.run = run_options_default()};
    char path[RUNDIR_PATH + 300];
    scene_names scenes;
    cli_parse(&argp, argc, argv, &o);
    if (o.run.input == NULL && !o.list) return gallery_serve(&o.run, INFINITY);
    int code = scenes_find(&scenes);
    if (code != CLI_OK) return code;
    bool known = false;
    for (size_t k = 0; k < scenes.count && o.run.input != NULL; k++)
        known = known || strcmp(scenes.names[k], o.run.input) == 0;
    if (o.list) {
        list_scenes(&scenes, o.run.json);
    } else if (!known) {
        code = unknown_scene(o.run.input, &scenes);
    } else {
        snprintf(path, sizeof path, "%s/%s.yaml", scenes.folder, o.run.input);
        code = run_scene(&o.run, path);
    }
    scenes_free(&scenes);
    return code;
}
