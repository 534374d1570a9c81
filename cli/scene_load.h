/* scene_load.h — a scene file, changed by what --set says. */
#ifndef CLI_SCENE_LOAD_H
#define CLI_SCENE_LOAD_H

#include "args.h"

enum { SETTINGS_MAX = 64 };

typedef struct settings {
    const char *list[SETTINGS_MAX]; /* KEY=VALUE */
    size_t count;
} settings;

/* Takes one more, or ends the program with what is wrong with it. */
void settings_add(settings *set, struct argp_state *state, const char *text);

/* As jo_scene_read, with the settings; problems that come from one of them begin with it. The
 * scene's folder is absolute. */
jo_status scene_load(const char *path, const settings *set, jo_scene *scene, jo_problems *problems,
                     jo_error *error);

#endif
