/* examine.h — everything wrong with a scene, complaint by complaint. */
#ifndef JO_SCENE_EXAMINE_H
#define JO_SCENE_EXAMINE_H

#include "jostle/model.h"

/* path says what it is about as a scene file would ("walls[2].servo.force"); text is a sentence
 * that makes sense without it. A warning is about what may be meant but probably is not. */
typedef void (*complaint)(void *context, bool warning, const char *path, const char *text);

void jo_scene_examine(const jo_scene *scene, complaint say, void *context);

#endif
