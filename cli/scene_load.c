/* scene_load.c — a scene file for a run or a check, changed by --set. Each setting changes the
 * file's text; a problem belongs to the first setting with which it appears. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "scene_load.h"

/* A checkpoint keeps the folder that paths are relative to: it must mean the same from
 * elsewhere. */
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

/* A problem's text begins with the setting that it first came with, and has no place in the file
 * then. */
static void name_settings(const changed_scene *c, const settings *set, jo_problems *last)
{
    for (size_t p = 0; p < last->count; p++) {
        jo_problem *problem = &last->list[p];
        size_t k = 0;
        for (bool there = false; k < set->count; k++) {
            jo_problems early = {0};
            jo_scene scene;
            jo_error error = {0};
            if (jo_scene_parse(c->text[k], c->size[k], c->path, c->folder, &scene, &early,
                               &error) == JO_OK)
                jo_scene_free(&scene);
            for (size_t q = 0; q < early.count && !there; q++)
                there = strcmp(early.list[q].text, problem->text) == 0;
            jo_problems_free(&early);
            if (there) break;
        }
        if (k == 0) continue;
        char text[sizeof problem->text];
        memcpy(text, problem->text, sizeof text);
        snprintf(problem->text, sizeof problem->text, "--set %.120s: %.260s", set->list[k - 1],
                 text);
        problem->line = problem->column = 0;
    }
}

static jo_status read_changed(changed_scene *c, const settings *set, jo_scene *scene,
                              jo_problems *problems, jo_error *error)
{
    jo_status status = read_text(c->path, &c->text[0], &c->size[0], error);
    for (size_t k = 0; k < set->count && status == JO_OK; k++) {
        char key[256];
        jo_error refused = {0};
        const char *value = strchr(set->list[k], '=') + 1;
        snprintf(key, sizeof key, "%.*s", (int)(value - 1 - set->list[k]), set->list[k]);
        status = jo_scene_override(c->text[k], c->size[k], key, value, &c->text[k + 1],
                                   &c->size[k + 1], &refused);
        if (status != JO_OK)
            cli_error(error, status, "%s: --set %s: %s", c->path, set->list[k], refused.text);
    }
    if (status != JO_OK) return status;
    status = jo_scene_parse(c->text[set->count], c->size[set->count], c->path, c->folder, scene,
                            problems, error);
    name_settings(c, set, problems);
    return status;
}

static jo_status read_with_settings(const char *path, const settings *set, jo_scene *scene,
                                    jo_problems *problems, jo_error *error)
{
    char *name = strdup(path);
    changed_scene c = {.path = path, .folder = name != NULL ? dirname(name) : "."};
    const jo_status status = read_changed(&c, set, scene, problems, error);
    for (size_t k = 0; k <= set->count; k++)
        free(c.text[k]);
    free(name);
    return status;
}

void settings_add(settings *set, struct argp_state *state, const char *text)
{
    if (strchr(text, '=') == NULL || *text == '=')
        argp_error(state, "--set '%s' must be like engine.time_step=1e-6", text);
    if (set->count == SETTINGS_MAX)
        argp_error(state, "more than %d times --set: write a scene file", SETTINGS_MAX);
    set->list[set->count++] = text;
}

/* ---- both ways */

jo_status scene_load(const char *path, const settings *set, jo_scene *scene, jo_problems *problems,
                     jo_error *error)
{
    *scene = (jo_scene){0};
    *problems = (jo_problems){0};
    const jo_status status = set->count > 0 ? read_with_settings(path, set, scene, problems, error)
                                            : jo_scene_read(path, scene, problems, error);
    if (status == JO_OK) make_folder_absolute(scene);
    return status;
}
