/* scenefile.c — a scene from a YAML (or JSON) file.
 *
 * The text becomes a tree (tree.c), the tree is read by the schema into a jo_scene (fields.c,
 * parts.c, groups.c, wallparts.c), and the scene is examined as one made in C would be (examine.c).
 * All of it happens in one pass even where something is wrong, so that a person sees every problem
 * at once; a complaint of the last stage is dropped where reading already found an error, because
 * the value it is about may not be what the file meant.
 *
 * Bounds: SIZE_MAX_BYTES of text, VISITS nodes beyond four times those in the document (aliases can
 * unfold exponentially), PROBLEMS_MAX problems. Cost: linear in the text. */
#include "jostle/scenefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "scene/examine.h"
#include "scene/reader.h"
#include "scene/units.h"

#define SIZE_MAX_BYTES ((size_t)256 << 20)
enum { VISITS = 1000000 };

JO_API jo_status jo_time_read(const char *text, double *seconds, jo_error *error)
{
    char why[300];
    if (jo_quantity_read(text, DIM_TIME, seconds, why, sizeof why)) return JO_OK;
    return jo_fail(error, JO_ERR_DATA, "%s", why);
}

/* Whether an error was reported about the file's outermost map itself: a key it lacks. */
static bool root_is_wrong(const reader *r)
{
    const tree_node *root = jo_node(r, 0);
    for (size_t k = 0; k < r->problems->count; k++)
        if (r->problems->list[k].severity == JO_SEVERITY_ERROR &&
            r->problems->list[k].line == root->line && r->problems->list[k].column == root->column)
            return true;
    return false;
}

/* A complaint about the scene becomes a problem at the place its path leads to. */
static void place_complaint(void *context, bool warning, const char *path, const char *text)
{
    reader *r = context;
    bool whole;
    const int node = jo_reader_find(r, path, &whole);
    if (node != 0 && jo_reader_wrong_inside(r, node)) return;
    if (node == 0 && !warning && root_is_wrong(r)) return; /* the missing key was told already */
    jo_problem_at(r, warning ? JO_SEVERITY_WARNING : JO_SEVERITY_ERROR, node, "%s", text);
}

/* Reads the document into the scene; the problems tell whether it is a good one. */
static void read_document(reader *r, const char *text, size_t size)
{
    jo_scene *scene = r->scene;
    jo_read_section(r, 0, &jo_schema_top, scene);
    jo_settle_contacts(r);
    jo_settle_orientations(r);
    scene->source = malloc(size + 1);
    if (scene->source == NULL) {
        r->out_of_memory = true;
        return;
    }
    memcpy(scene->source, text, size);
    scene->source[size] = '\0';
    if (r->folder != NULL) jo_read_copy(r, r->folder, &scene->folder);
    if (!r->out_of_memory && r->problems->errors < PROBLEMS_MAX)
        jo_scene_examine(scene, place_complaint, r);
}

static jo_status verdict(const reader *r, const char *name, jo_error *error)
{
    if (r->out_of_memory) return jo_fail(error, JO_ERR_MEMORY, "%s: out of memory", name);
    if (r->problems->errors == 0) return JO_OK;
    const jo_problem *first = r->problems->list; /* sorted; warnings may come first */
    for (size_t k = 0; k < r->problems->count; k++)
        if (r->problems->list[k].severity == JO_SEVERITY_ERROR) {
            first = &r->problems->list[k];
            break;
        }
    if (first == NULL) return jo_fail(error, JO_ERR_DATA, "%s: the scene is not valid", name);
    if (r->problems->errors > 1)
        return jo_fail(error, JO_ERR_DATA, "%s:%u:%u: %s (and %zu more)", name, first->line,
                       first->column, first->text, r->problems->errors - 1);
    return jo_fail(error, JO_ERR_DATA, "%s:%u:%u: %s", name, first->line, first->column,
                   first->text);
}

static jo_status tree_failed(jo_status status, const tree_error *wrong, const char *name,
                             jo_problems *problems, jo_error *error)
{
    if (status == JO_ERR_MEMORY) return jo_fail(error, status, "%s: out of memory", name);
    if (status == JO_ERR_UNSUPPORTED)
        return jo_fail(error, status,
                       "scene files cannot be read: jostle was built without libyaml");
    jo_problem_place(problems, JO_SEVERITY_ERROR, wrong->line, wrong->column, wrong->text);
    return jo_fail(error, status, "%s:%u:%u: %s", name, wrong->line, wrong->column, wrong->text);
}

/* checkpoint: NULL where the text is from none. */
static jo_status parse(const char *text, size_t size, const char *name, const char *folder,
                       const jo_checkpoint *checkpoint, jo_scene *scene, jo_problems *problems,
                       jo_error *error)
{
    jo_problems own = {0};
    tree_error wrong;
    *scene = (jo_scene){0};
    if (problems != NULL) *problems = (jo_problems){0};
    jo_scene made = jo_scene_default();
    reader r = {.folder = folder, .checkpoint = checkpoint, .scene = &made, .problems = &own};
    jo_status status = jo_tree_parse(text != NULL ? text : "", size, &r.document, &wrong);
    if (status == JO_OK) {
        r.visits_max = VISITS + 4 * r.document.node_count;
        read_document(&r, text, size);
        jo_problems_sort(&own);
        status = verdict(&r, name, error);
    } else {
        status = tree_failed(status, &wrong, name, &own, error);
    }
    jo_tree_free(&r.document);
    free(r.materials);
    free(r.orientations);
    if (status == JO_OK)
        *scene = made;
    else
        jo_scene_free(&made);
    if (problems != NULL)
        *problems = own;
    else
        jo_problems_free(&own);
    return status;
}

jo_status jo_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                         jo_scene *scene, jo_problems *problems, jo_error *error)
{
    return parse(text, size, name, folder, NULL, scene, problems, error);
}

jo_status jo_scene_parse_checkpoint(const jo_checkpoint *checkpoint, const char *name,
                                    jo_scene *scene, jo_problems *problems, jo_error *error)
{
    const char *text = checkpoint->scene_text;
    return parse(text, strlen(text), name, checkpoint->scene_folder, checkpoint, scene, problems,
                 error);
}

/* All of a regular file or pipe. */
static jo_status read_all(FILE *file, const char *path, char **text, size_t *size, jo_error *error)
{
    size_t room = 1 << 16;
    *text = malloc(room);
    *size = 0;
    while (*text != NULL) {
        *size += fread(*text + *size, 1, room - *size, file);
        if (ferror(file))
            return jo_fail(error, JO_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (*size < room) return JO_OK;
        if (room >= SIZE_MAX_BYTES)
            return jo_fail(error, JO_ERR_IO, "%s: is larger than %zu MiB; is this a scene file?",
                           path, SIZE_MAX_BYTES >> 20);
        room *= 2;
        char *grown = realloc(*text, room);
        if (grown == NULL) break;
        *text = grown;
    }
    return jo_fail_memory(error, room, "a scene file");
}

/* The folder a file is in; NULL when memory ran out. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 1 : (size_t)(slash - path) + (slash == path);
    char *folder = malloc(length + 1);
    if (folder == NULL) return NULL;
    memcpy(folder, slash == NULL ? "." : path, length);
    folder[length] = '\0';
    return folder;
}

jo_status jo_scene_read(const char *path, jo_scene *scene, jo_problems *problems, jo_error *error)
{
    *scene = (jo_scene){0};
    if (problems != NULL) *problems = (jo_problems){0};
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return jo_fail(error, JO_ERR_IO, "%s: is a directory; name a scene file in it", path);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return jo_fail(error, JO_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    char *text = NULL;
    size_t size = 0;
    jo_status status = read_all(file, path, &text, &size, error);
    fclose(file);
    char *folder = folder_of(path);
    if (status == JO_OK && folder == NULL) status = jo_fail_memory(error, strlen(path), "a path");
    if (status == JO_OK) status = jo_scene_parse(text, size, path, folder, scene, problems, error);
    free(folder);
    free(text);
    return status;
}
