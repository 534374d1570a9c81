/* examiner.h — what the parts of the examination of a scene share. */
#ifndef JO_SCENE_EXAMINER_H
#define JO_SCENE_EXAMINER_H

#include "scene/examine.h"

typedef struct examiner {
    const jo_scene *scene;
    complaint say;
    void *context;
    char path[200]; /* of what is being looked at */
} examiner;

/* Sets the path of the complaints that follow. */
void jo_examine_at(examiner *e, const char *format, ...) JO_PRINTF(2, 3);
void jo_complain(examiner *e, const char *format, ...) JO_PRINTF(2, 3);
void jo_warn(examiner *e, const char *format, ...) JO_PRINTF(2, 3);

bool jo_is_finite3(const double v[3]);
bool jo_is_unit3(const double v[3]);
/* A name for messages: its own, or "number k" from 1. */
const char *jo_examine_name(const char *name, size_t k, char text[JO_NAME_SIZE]);

void jo_examine_hard(examiner *e);    /* examine_hard.c: what engine "hard" has and has not */
void jo_examine_kinetic(examiner *e); /* examine_kinetic.c: likewise engine "kinetic" */
void jo_examine_laws(examiner *e);    /* examine_laws.c: materials, contacts, the law */
void jo_examine_groups(examiner *e);  /* examine_bodies.c */
void jo_examine_walls(examiner *e);   /* examine_walls.c */

#endif
