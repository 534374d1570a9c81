/* scene_load.c — a scene file for a run: read, with everything that is wrong printed the way
 * compilers do, so that editors find the place. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "simulate.h"

/* A checkpoint keeps the folder that paths are relative to: it must mean the same from elsewhere.
 */
static void make_folder_absolute(jo_scene *scene)
{
    char *absolute = realpath(scene->folder != NULL ? scene->folder : ".", NULL);
    if (absolute == NULL) return;
    free(scene->folder);
    scene->folder = absolute;
}

/* ---- --set */

typedef struct changed_scene {
    const char *path, *folder;
    char *text[SETTINGS_MAX + 1]; /* the file's, and after each setting */
    size_t size[SETTINGS_MAX + 1];
} changed_scene;

static jo_status read_text(const char *path, char **text, size_t *size, jo_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return cli_error(error, JO_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    *size = 0;
    for (size_t room = 0, got = 1; got > 0; *size += got) {
        if (*size == room) {
            room = room > 0 ? 2 * room : 1 << 16;
            char *grown = realloc(*text, room);
            if (grown == NULL) break;
            *text = grown;
        }
        got = fread(*text + *size, 1, room - *size, file);
    }
    const bool whole = feof(file) && !ferror(file);
    fclose(file);
    return whole ? JO_OK : cli_error(error, JO_ERR_IO, "%s: cannot be read", path);
}

/* Says what a setting did: the errors of the whole that first came with it. */
static void tell_errors(const changed_scene *c, const run_options *o, const jo_problems *last)
{
    for (size_t p = 0; p < last->count; p++) {
        size_t k = 0;
        for (bool there = false; k < o->setting_count; k++) {
            jo_problems early = {0};
            jo_scene scene;
            jo_error error = {0};
            if (jo_scene_parse(c->text[k], c->size[k], c->path, c->folder, &scene, &early,
                               &error) == JO_OK)
                jo_scene_free(&scene);
            for (size_t q = 0; q < early.count && !there; q++)
                there = strcmp(early.list[q].text, last->list[p].text) == 0;
            jo_problems_free(&early);
            if (there) break;
        }
        const jo_problems one = {.count = 1, .list = &last->list[p]};
        if (k == 0)
            cli_print_problems(c->path, &one, stderr);
        else if (last->list[p].severity == JO_SEVERITY_ERROR)
            cli_fail_with(CLI_BAD_DATA, "--set %s: %s", o->settings[k - 1], last->list[p].text);
    }
}

static int load_changed(changed_scene *c, const run_options *o, jo_scene *scene)
{
    jo_error error = {0};
    jo_problems problems = {0};
    jo_status status = read_text(c->path, &c->text[0], &c->size[0], &error);
    if (status != JO_OK) return cli_fail(&error);
    for (size_t k = 0; k < o->setting_count; k++) {
        char key[256];
        const char *value = strchr(o->settings[k], '=') + 1;
        snprintf(key, sizeof key, "%.*s", (int)(value - 1 - o->settings[k]), o->settings[k]);
        status = jo_scene_override(c->text[k], c->size[k], key, value, &c->text[k + 1],
                                   &c->size[k + 1], &error);
        if (status != JO_OK)
            return cli_fail_with(CLI_BAD_DATA, "%s: --set %s: %s", c->path, o->settings[k],
                                 error.text);
    }
    status = jo_scene_parse(c->text[o->setting_count], c->size[o->setting_count], c->path,
                            c->folder, scene, &problems, &error);
    if (problems.errors > 0) tell_errors(c, o, &problems);
    const int code = problems.errors > 0 ? CLI_BAD_DATA
                     : status != JO_OK   ? cli_fail(&error)
                                         : CLI_OK;
    jo_problems_free(&problems);
    return code;
}

static int load_with_settings(const char *path, const run_options *o, jo_scene *scene)
{
    char *name = strdup(path);
    changed_scene c = {.path = path, .folder = name != NULL ? dirname(name) : "."};
    const int code = load_changed(&c, o, scene);
    for (size_t k = 0; k <= o->setting_count; k++)
        free(c.text[k]);
    free(name);
    return code;
}

/* ---- both ways */

static int load_plain(const char *path, jo_scene *scene)
{
    jo_problems problems = {0};
    jo_error error = {0};
    const jo_status status = jo_scene_read(path, scene, &problems, &error);
    cli_print_problems(path, &problems, stderr);
    const bool explained = problems.errors > 0;
    jo_problems_free(&problems);
    return status == JO_OK ? CLI_OK : explained ? CLI_BAD_DATA : cli_fail(&error);
}

int load_scene(const char *path, const run_options *options, jo_scene *scene)
{
    const int code = options->setting_count > 0 ? load_with_settings(path, options, scene)
                                                : load_plain(path, scene);
    if (code == CLI_OK) make_folder_absolute(scene);
    return code;
}
