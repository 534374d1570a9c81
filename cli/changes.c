/* changes.c — what was changed while a run went on: changes.csv, and repeating it.
 *
 * The file has a row for each change: steps (events) and time when it was made, and the change as a
 * line of words. The page sends the same line. The file holds those to come as well, where a run is
 * repeated, so that a run that is stopped, or killed, goes on with them. It is small and written
 * anew after each change. */
#include "changes.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "table.h"

static const char header[] = "step,time,change";
enum { WORDS_MAX = 16 };

/* ---- words */

typedef struct words {
    char text[CHANGE_TEXT];
    char *word[WORDS_MAX];
    size_t count, at;
} words;

static bool split(const char *text, words *w)
{
    *w = (words){0};
    if (strlen(text) >= sizeof w->text) return false;
    strcpy(w->text, text);
    for (char *rest = w->text, *word; (word = strtok_r(rest, " \t\r\n", &rest)) != NULL;) {
        if (w->count == WORDS_MAX) return false;
        w->word[w->count++] = word;
    }
    return w->count > 0;
}

static jo_status read_number(words *w, const char *what, double *value, jo_error *error)
{
    char *end;
    if (w->at >= w->count) return cli_error(error, JO_ERR_DATA, "%s is missing", what);
    const char *word = w->word[w->at++];
    *value = strtod(word, &end);
    if (*end == '\0' && end != word && !isspace((unsigned char)*word)) return JO_OK;
    return cli_error(error, JO_ERR_DATA, "%s is '%.60s', which is no number", what, word);
}

static jo_status read_numbers(words *w, const char *const what[], size_t count, double *values,
                              jo_error *error)
{
    jo_status status = JO_OK;
    for (size_t k = 0; k < count && status == JO_OK; k++)
        status = read_number(w, what[k], &values[k], error);
    return status;
}

static bool is_whole(double value, double most)
{
    return value >= 0.0 && value <= most && value == floor(value);
}

/* A name as it can be written: #k, its number, where it has blanks or looks like one. */
static const char *name_of(const char *name, size_t k, char room[JO_NAME_SIZE])
{
    if (name[0] != '\0' && name[0] != '#' && strpbrk(name, " \t\r\n") == NULL) return name;
    snprintf(room, JO_NAME_SIZE, "#%zu", k);
    return room;
}

typedef const char *(*namer)(const jo_scene *scene, size_t k);

static const char *material_name(const jo_scene *scene, size_t k)
{
    return scene->materials[k].name;
}

static const char *wall_name(const jo_scene *scene, size_t k)
{
    return scene->walls[k].name;
}

static jo_status read_name(words *w, const char *what, const jo_scene *scene, namer name,
                           size_t count, size_t *found, jo_error *error)
{
    if (w->at >= w->count) return cli_error(error, JO_ERR_DATA, "the %s is missing", what);
    const char *word = w->word[w->at++];
    char *end;
    const unsigned long number = word[0] == '#' ? strtoul(word + 1, &end, 10) : 0;
    *found = word[0] == '#' && *end == '\0' && end > word + 1 ? number : count;
    for (size_t k = 0; k < count && word[0] != '#'; k++)
        if (strcmp(name(scene, k), word) == 0) *found = k;
    if (*found < count) return JO_OK;
    return cli_error(error, JO_ERR_DATA, "the scene has no %s '%.60s'", what, word);
}

/* ---- changes as text */

static jo_status read_gravity(words *w, const jo_scene *scene, engine_change *c, jo_error *error)
{
    static const char *const what[] = {"gravity's x", "gravity's y", "gravity's z"};
    (void)scene;
    return read_numbers(w, what, 3, c->gravity, error);
}

static jo_status read_contact(words *w, const jo_scene *scene, engine_change *c, jo_error *error)
{
    size_t a, b;
    const size_t n = scene->material_count;
    jo_status status = read_name(w, "material", scene, material_name, n, &a, error);
    if (status == JO_OK) status = read_name(w, "material", scene, material_name, n, &b, error);
    if (status != JO_OK) return status;
    c->a = (uint32_t)a;
    c->b = (uint32_t)b;
    return read_number(w, c->kind == CHANGE_FRICTION ? "friction" : "restitution", &c->value,
                       error);
}

static jo_status read_wall(words *w, const jo_scene *scene, engine_change *c, jo_error *error)
{
    const jo_status status =
        read_name(w, "wall", scene, wall_name, scene->wall_count, &c->wall, error);
    if (status != JO_OK) return status;
    const char *word = w->at < w->count ? w->word[w->at++] : "";
    c->present = strcmp(word, "shut") == 0;
    if (c->present || strcmp(word, "open") == 0) return JO_OK;
    return cli_error(error, JO_ERR_DATA, "a wall can be 'open' or 'shut', not '%.60s'", word);
}

static jo_status read_body(words *w, const jo_scene *scene, engine_change *c, jo_error *error)
{
    static const char *const place[] = {"the radius", "the body's x", "the body's y",
                                        "the body's z"};
    static const char *const speed[] = {"the velocity's x", "the velocity's y", "the velocity's z"};
    double values[4], shape;
    size_t material;
    c->body = jo_body_def_default();
    jo_status status =
        read_name(w, "material", scene, material_name, scene->material_count, &material, error);
    if (status == JO_OK) status = read_numbers(w, place, 4, values, error);
    if (status != JO_OK) return status;
    c->body.material = (uint32_t)material;
    c->body.r = values[0];
    memcpy(c->body.x, values + 1, sizeof c->body.x);
    while (status == JO_OK && w->at < w->count) {
        const char *word = w->word[w->at++];
        if (strcmp(word, "moving") == 0) {
            status = read_numbers(w, speed, 3, c->body.v, error);
        } else if (strcmp(word, "shape") == 0) {
            status = read_number(w, "the shape", &shape, error);
            if (status == JO_OK && !is_whole(shape, 4e9))
                status = cli_error(error, JO_ERR_DATA, "the shape is %g, which is no number of one",
                                   shape);
            if (status == JO_OK) c->body.shape = (uint32_t)shape;
        } else {
            status = cli_error(error, JO_ERR_DATA, "'%.60s' is not understood here", word);
        }
    }
    return status;
}

static const struct {
    const char *word;
    engine_change_kind kind;
    jo_status (*read)(words *, const jo_scene *, engine_change *, jo_error *);
} kinds[] = {{"gravity", CHANGE_GRAVITY, read_gravity},
             {"friction", CHANGE_FRICTION, read_contact},
             {"restitution", CHANGE_RESTITUTION, read_contact},
             {"wall", CHANGE_WALL, read_wall},
             {"add", CHANGE_ADD, read_body}};

jo_status change_read(const jo_scene *scene, const char *text, engine_change *what, jo_error *error)
{
    words w;
    *what = (engine_change){0};
    if (!split(text, &w))
        return cli_error(error, JO_ERR_DATA, "a change is missing, or has too many words");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(w.word[0], kinds[k].word) != 0) continue;
        what->kind = kinds[k].kind;
        w.at = 1;
        const jo_status status = kinds[k].read(&w, scene, what, error);
        if (status != JO_OK || w.at == w.count) return status;
        return cli_error(error, JO_ERR_DATA, "'%.60s' is one word too many", w.word[w.at]);
    }
    return cli_error(error, JO_ERR_DATA,
                     "'%.60s' cannot be changed: gravity, friction, restitution and walls can, and "
                     "bodies be added",
                     w.word[0]);
}

static void put_numbers(char text[CHANGE_TEXT], const double *values, size_t count)
{
    char number[32];
    for (size_t k = 0; k < count; k++) {
        const size_t used = strlen(text);
        snprintf(text + used, CHANGE_TEXT - used, " %s",
                 text_real(number, sizeof number, values[k]));
    }
}

void change_write(const jo_scene *scene, const engine_change *c, char text[CHANGE_TEXT])
{
    char one[JO_NAME_SIZE], other[JO_NAME_SIZE];
    switch (c->kind) {
    case CHANGE_GRAVITY:
        strcpy(text, "gravity");
        put_numbers(text, c->gravity, 3);
        return;
    case CHANGE_FRICTION:
    case CHANGE_RESTITUTION:
        snprintf(text, CHANGE_TEXT, "%s %s %s",
                 c->kind == CHANGE_FRICTION ? "friction" : "restitution",
                 name_of(material_name(scene, c->a), c->a, one),
                 name_of(material_name(scene, c->b), c->b, other));
        put_numbers(text, &c->value, 1);
        return;
    case CHANGE_WALL:
        snprintf(text, CHANGE_TEXT, "wall %s %s", name_of(wall_name(scene, c->wall), c->wall, one),
                 c->present ? "shut" : "open");
        return;
    case CHANGE_ADD:
        snprintf(text, CHANGE_TEXT, "add %s",
                 name_of(material_name(scene, c->body.material), c->body.material, one));
        put_numbers(text, &c->body.r, 1);
        put_numbers(text, c->body.x, 3);
        if (c->body.v[0] != 0.0 || c->body.v[1] != 0.0 || c->body.v[2] != 0.0) {
            strcat(text, " moving");
            put_numbers(text, c->body.v, 3);
        }
        if (c->body.shape != JO_NO_SHAPE) {
            const size_t used = strlen(text);
            snprintf(text + used, CHANGE_TEXT - used, " shape %u", c->body.shape);
        }
        return;
    }
}

/* ---- the list */

void changes_free(changes *c)
{
    free(c->list);
    *c = (changes){0};
}

static jo_status insert(changes *c, size_t at, const change *one, jo_error *error)
{
    if (c->count == c->room) {
        const size_t room = 2 * c->room + 16;
        change *grown = realloc(c->list, room * sizeof *grown);
        if (grown == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for changes");
        c->list = grown;
        c->room = room;
    }
    memmove(c->list + at + 1, c->list + at, (c->count - at) * sizeof *c->list);
    c->list[at] = *one;
    c->count++;
    return JO_OK;
}

static double tick_of(const change *one, const engine *e)
{
    return e->kind->counted ? (double)one->count : one->time;
}

double changes_next(const changes *c, const engine *e)
{
    return c->next < c->count ? tick_of(&c->list[c->next], e) : (double)INFINITY;
}

jo_status changes_due(changes *c, const engine *e, jo_error *error)
{
    while (changes_next(c, e) <= e->kind->now(e->state)) {
        const change *one = &c->list[c->next];
        jo_error why = {0};
        const jo_status status = e->kind->change(e->state, &one->what, &why);
        if (status != JO_OK)
            return cli_error(error, status, "%.200s:%d: '%.100s' was refused: %.300s", c->source,
                             one->line, one->text, why.text);
        c->next++;
    }
    return JO_OK;
}

jo_status changes_now(changes *c, const jo_scene *scene, const engine *e, const char *text,
                      jo_error *error)
{
    change one = {0};
    jo_status status = change_read(scene, text, &one.what, error);
    if (status == JO_OK) status = e->kind->change(e->state, &one.what, error);
    if (status != JO_OK) return status;
    change_write(scene, &one.what, one.text);
    one.count = e->kind->count(e->state);
    one.time = e->kind->time_of(e->state, e->kind->now(e->state));
    status = insert(c, c->next, &one, error);
    if (status == JO_OK) c->next++;
    return status;
}

/* ---- the file */

static jo_status read_row(char *line, const jo_scene *scene, change *one, jo_error *error)
{
    char *end, *after;
    errno = 0;
    one->count = strtoull(line, &end, 10);
    if (errno != 0 || end == line || *end != ',' || !isdigit((unsigned char)*line))
        return cli_error(error, JO_ERR_DATA, "begins with no number of steps");
    one->time = strtod(end + 1, &after);
    if (after == end + 1 || *after != ',' || !(one->time >= 0.0 && isfinite(one->time)))
        return cli_error(error, JO_ERR_DATA, "has no time in its second column");
    const jo_status status = change_read(scene, after + 1, &one->what, error);
    if (status == JO_OK) change_write(scene, &one->what, one->text);
    return status;
}

static jo_status read_file(changes *c, FILE *file, const jo_scene *scene, const engine *e,
                           jo_error *error)
{
    char line[CHANGE_TEXT + 100];
    jo_status status = JO_OK;
    bool begun = false;
    for (int number = 1; status == JO_OK && fgets(line, sizeof line, file) != NULL; number++) {
        change one = {.line = number};
        jo_error why = {0};
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#') continue;
        if (!begun) {
            begun = strcmp(line, header) == 0;
            if (!begun)
                status = cli_error(error, JO_ERR_DATA,
                                   "%.300s:%d: is not a file of changes: it should begin with '%s'",
                                   c->source, number, header);
            continue;
        }
        status = read_row(line, scene, &one, &why);
        if (status == JO_OK && c->count > 0 &&
            tick_of(&one, e) < tick_of(&c->list[c->count - 1], e))
            status = cli_error(&why, JO_ERR_DATA, "is earlier than the row before");
        if (status != JO_OK)
            return cli_error(error, JO_ERR_DATA, "%.300s:%d: %.300s", c->source, number, why.text);
        status = insert(c, c->count, &one, error);
    }
    return status;
}

jo_status changes_load(changes *c, const char *path, const jo_scene *scene, const engine *e,
                       jo_error *error)
{
    changes_free(c);
    snprintf(c->source, sizeof c->source, "%s", path);
    if (e->kind->change == NULL)
        return cli_error(error, JO_ERR_DATA, "engine %s cannot be changed while it runs",
                         e->kind->name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return cli_error(error, JO_ERR_IO, "%.300s: cannot be read: %s", path, strerror(errno));
    const jo_status status = read_file(c, file, scene, e, error);
    fclose(file);
    while (status == JO_OK && changes_next(c, e) < e->kind->now(e->state))
        c->next++;
    return status;
}

jo_status changes_save(const changes *c, const rundir *folder, jo_error *error)
{
    char path[RUNDIR_PATH + 64], time[32];
    output o;
    if (c->count == 0) return JO_OK;
    jo_status status = rundir_path(folder, CHANGES_FILE, path, sizeof path, error);
    if (status == JO_OK) status = output_open(&o, path, error);
    if (status != JO_OK) return status;
    fprintf(o.file, "%s\n", header);
    for (size_t k = 0; k < c->count; k++)
        fprintf(o.file, "%llu,%s,%s\n", (unsigned long long)c->list[k].count,
                text_real(time, sizeof time, c->list[k].time), c->list[k].text);
    return output_close(&o, error);
}
