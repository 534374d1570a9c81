/* scene_load.c — a scene file for a run: read, with everything that is wrong printed the way
 * compilers do, so that editors find the place. */
#include <stdlib.h>

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

int load_scene(const char *path, jo_scene *scene)
{
    jo_problems problems = {0};
    jo_error error = {0};
    const jo_status status = jo_scene_read(path, scene, &problems, &error);
    cli_print_problems(path, &problems, stderr);
    const bool explained = problems.errors > 0;
    jo_problems_free(&problems);
    if (status == JO_OK) {
        make_folder_absolute(scene);
        return CLI_OK;
    }
    return explained ? CLI_BAD_DATA : cli_fail(&error);
}
