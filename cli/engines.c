/* engines.c — the engines there are. */
#include <string.h>

#include "engines.h"

static const engine_kind *const engines[] = {&engine_soft, &engine_hard, &engine_kinetic};
enum { ENGINES = sizeof engines / sizeof *engines };

const engine_kind *engine_number(size_t k)
{
    return k < ENGINES ? engines[k] : NULL;
}

jo_status engine_find(const jo_scene *scene, const engine_kind **kind, jo_error *error)
{
    char names[128] = "";
    size_t used = 0;
    for (int k = 0; k < ENGINES; k++) {
        if (strcmp(engines[k]->name, scene->engine) == 0) {
            *kind = engines[k];
            return JO_OK;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k > 0 ? ", " : "",
                                     engines[k]->name);
    }
    return cli_error(error, JO_ERR_DATA, "this version of jostle has no engine '%s'; there are: %s",
                     scene->engine, names);
}
