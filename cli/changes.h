/* changes.h — what was changed while a run went on: changes.csv, and repeating it.
 *
 * docs/viewer.md describes the file. A change happens at a tick, after whatever is written at that
 * tick, checkpoints included, and before the run goes on. */
#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H

#include "engines.h"
#include "rundir.h"

enum { CHANGE_TEXT = 400 };
#define CHANGES_FILE "changes.csv"

typedef struct change {
    uint64_t count; /* steps or events done */
    double time;
    int line; /* of the file it was read from; 0: none */
    char text[CHANGE_TEXT];
    engine_change what;
} change;

typedef struct changes {
    change *list; /* by ticks; the first `next` are done */
    size_t count, next, room;
    char source[RUNDIR_PATH]; /* the file that those to come were read from, for messages */
} changes;

/* One change as text, see docs/viewer.md. JO_ERR_DATA tells what is wrong with it. */
jo_status change_read(const jo_scene *scene, const char *text, engine_change *what,
                      jo_error *error);
/* And back: the text that every number of it comes back from. */
void change_write(const jo_scene *scene, const engine_change *what, char text[CHANGE_TEXT]);

/* Reads a file; a complaint names it and the line. Where the engine has come to, those before are
 * done. */
jo_status changes_load(changes *c, const char *path, const jo_scene *scene, const engine *e,
                       jo_error *error);
void changes_free(changes *c);

/* The tick of the next one; infinite: there is none. */
double changes_next(const changes *c, const engine *e);
/* Does those that are due at the present tick. */
jo_status changes_due(changes *c, const engine *e, jo_error *error);
/* Changes the run now, and adds it to those done. A refusal (JO_ERR_DATA) changes nothing. */
jo_status changes_now(changes *c, const jo_scene *scene, const engine *e, const char *text,
                      jo_error *error);
/* Writes the file to a run's folder, if there is anything to write. */
jo_status changes_save(const changes *c, const rundir *folder, jo_error *error);

#endif
