/* rundir.h — the folder a run writes to. */
#ifndef CLI_RUNDIR_H
#define CLI_RUNDIR_H

#include "cli.h"

enum { RUNDIR_PATH = 1024 };

typedef struct rundir {
    char path[RUNDIR_PATH];
    int lock; /* an open descriptor that holds the lock; -1: none */
} rundir;

/* The default folder of a scene: its file's name without extension, with -out, in the present
 * folder. */
jo_status rundir_name(const char *scene, char *folder, size_t size, jo_error *error);

/* Whether a new run may begin in folder, asked before long work: it holds no other run, or `force`
 * says that one may go. Nothing is made or removed. */
jo_status rundir_free(const char *folder, bool force, jo_error *error);

typedef enum rundir_use {
    RUNDIR_GO_ON,  /* with the run that is there */
    RUNDIR_NEW,    /* there must be none, not even one that came since rundir_free was asked */
    RUNDIR_REPLACE /* an older run's files are removed */
} rundir_use;

/* For a run that begins in a folder. */
static inline rundir_use rundir_begin(bool force)
{
    return force ? RUNDIR_REPLACE : RUNDIR_NEW;
}

/* Makes the folder and locks it against other runs. */
jo_status rundir_open(rundir *d, const char *folder, rundir_use use, jo_error *error);
void rundir_close(rundir *d);
/* Removes what a run that could not begin has left, and the folder if nothing else is in it. */
void rundir_discard(const rundir *d);

/* path + "/" + name. A failure names the path. */
jo_status rundir_path(const rundir *d, const char *name, char *path, size_t size, jo_error *error);
bool rundir_has(const rundir *d, const char *name);
/* Whether two paths are the same folder, by whatever name. */
bool rundir_same(const char *a, const char *b);

/* The k-th VTP file of a kind ("bodies", "walls"), relative to the folder. */
void rundir_vtp_name(const char *kind, uint64_t index, char *name, size_t size);

#endif
