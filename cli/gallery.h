/* gallery.h — the scenes that come with jostle as a page to choose from. */
#ifndef CLI_GALLERY_H
#define CLI_GALLERY_H

#include "simulate.h"

enum { SCENES_MAX = 64 };

typedef struct scene_names {
    size_t count;
    char folder[RUNDIR_PATH];
    char *names[SCENES_MAX + 1]; /* NULL at the end */
} scene_names;

/* demo_cmd.c: the scenes, by name; free them. Returns an exit code. */
int scenes_find(scene_names *scenes);
void scenes_free(scene_names *scenes);
void scene_title(const scene_names *scenes, size_t k, char *title, size_t size);

/* Serves the page for so many seconds (infinite: until a signal) and starts what is chosen there.
 * Runs get the threads of the options. Returns an exit code. */
int gallery_serve(const run_options *options, double seconds);

#endif
