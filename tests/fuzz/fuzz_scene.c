/* fuzz_scene.c — the reader of scene files on arbitrary bytes.
 *
 * Beside what the sanitizers watch, the promises of jostle/scenefile.h are checked: success gives a
 * scene that jo_scene_check accepts, failure at least one error with a place and a clean sentence,
 * and nothing left. Small valid scenes are populated, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/scenefile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool kept, const char *promise, const jo_error *error)
{
    if (kept) return;
    fprintf(stderr, "broken promise: %s (status %s, text '%s')\n", promise,
            jo_status_name(error->status), error->text);
    abort();
}

static void check_problems(const jo_problems *problems, const jo_error *error)
{
    size_t errors = 0;
    for (size_t k = 0; k < problems->count; k++) {
        const jo_problem *p = &problems->list[k];
        errors += p->severity == JO_SEVERITY_ERROR;
        demand(p->text[0] != '\0' && memchr(p->text, '\0', sizeof p->text) != NULL, "a sentence",
               error);
        for (const char *c = p->text; *c != '\0'; c++)
            demand((unsigned char)*c >= 0x20 && *c != 0x7F, "no control characters", error);
        demand((p->line == 0) == (p->column == 0), "a place", error);
    }
    demand(errors <= problems->errors, "errors are counted", error);
}

/* Few enough bodies to be placed in no time. */
static bool is_small(const jo_scene *s)
{
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        if (g->kind == JO_GROUP_FILE || g->kind == JO_GROUP_LATTICE) return false;
        if (g->kind == JO_GROUP_RANDOM && (!isnan(g->fraction) || g->count > 50)) return false;
    }
    return s->group_count < 10;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jo_scene scene;
    jo_problems problems;
    jo_error error = {JO_OK, ""};
    const jo_status status =
        jo_scene_parse((const char *)data, size, "input", NULL, &scene, &problems, &error);
    check_problems(&problems, &error);
    if (status == JO_OK) {
        demand(problems.errors == 0, "no error on success", &error);
        demand(jo_scene_check(&scene, &error) == JO_OK, "the check accepts what was read", &error);
        jo_population bodies = {0};
        if (is_small(&scene)) (void)jo_scene_populate(&scene, &bodies, NULL, NULL, &error);
        jo_population_free(&bodies);
    } else {
        demand(problems.errors > 0 && problems.count > 0, "at least one error", &error);
        demand(error.status == status && error.text[0] != '\0', "the error is filled", &error);
        demand(scene.groups == NULL && scene.walls == NULL && scene.source == NULL,
               "nothing is left", &error);
    }
    jo_scene_free(&scene);
    jo_problems_free(&problems);
    return 0;
}
