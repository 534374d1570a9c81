/* resume.c — `jostle resume`: a run goes on from a checkpoint.
 *
 * The checkpoint holds the state, the text of the scene and its geometry; the files of the run lie
 * beside it and are cut back to its moment. What comes out is the same, byte for byte, as if the
 * run had never been stopped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "simulate.h"

static const struct argp argp = {
    .children = run_options_child, /* gets the input, as there is no parser here */
    .args_doc = "CHECKPOINT|FOLDER",
    .doc = "Goes on with a run that was stopped, killed or is to last longer, from its last "
           "checkpoint.\v"
           "The run goes on in the folder of the checkpoint, to the end it was to have; --until "
           "gives it another. With --out it goes on elsewhere: files begin at the checkpoint's "
           "moment there, and those of the run stay as they are. Changed files of scene, shapes "
           "and meshes do not matter: the checkpoint has copies of its "
           "own.\n\n"
           "Examples:\n"
           "  jostle resume silo-out\n"
           "  jostle resume silo-out/checkpoint.h5 --until 20\n"};

/* The checkpoint of a folder, or the file itself; and the folder of either. */
static jo_status find_checkpoint(const char *given, char *path, char *folder, size_t size,
                                 jo_error *error)
{
    struct stat about;
    const bool is_folder = stat(given, &about) == 0 && S_ISDIR(about.st_mode);
    size_t length = strlen(given);
    while (is_folder && length > 1 && given[length - 1] == '/')
        length--;
    if (length + 32 > size)
        return cli_error(error, JO_ERR_IO, "%.100s…: the path is too long", given);
    if (is_folder) {
        snprintf(folder, size, "%.*s", (int)length, given);
        snprintf(path, size, "%.*s/%s", (int)length, given, record_files[RECORD_CHECKPOINT]);
        return JO_OK;
    }
    snprintf(path, size, "%s", given);
    const char *slash = strrchr(given, '/');
    if (slash == NULL)
        snprintf(folder, size, ".");
    else
        snprintf(folder, size, "%.*s", slash == given ? 1 : (int)(slash - given), given);
    return JO_OK;
}

static int load_checkpoint_scene(const char *path, const jo_checkpoint *c, jo_scene *scene)
{
    jo_problems problems = {0};
    jo_error error = {0};
    const jo_status status = jo_scene_parse_checkpoint(c, path, scene, &problems, &error);
    if (status != JO_OK) cli_print_problems(path, &problems, stderr);
    const bool explained = problems.errors > 0;
    jo_problems_free(&problems);
    if (status == JO_OK) return CLI_OK;
    return explained ? CLI_BAD_DATA : cli_fail(&error);
}

static jo_status restore(simulation *s, const jo_checkpoint *c, jo_error *error)
{
    double until;
    size_t count;
    jo_chunk *chunks = calloc(c->count + 1, sizeof *chunks);
    if (chunks == NULL)
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for a checkpoint");
    jo_status status = recorder_read_chunks(c->chunks, c->count, chunks, &count, &until, error);
    if (status == JO_OK) status = engine_find(s->scene, &s->engine.kind, error);
    if (status == JO_OK) status = can_draw(s, error);
    if (status == JO_OK)
        status = s->engine.kind->restore(s->scene, s->options->threads, chunks, count,
                                         &s->engine.state, error);
    free(chunks);
    if (status == JO_OK) s->until = isnan(s->options->until) ? until : s->options->until;
    return status;
}

/* A checkpoint cannot be run backwards: --until before it is a mistake, not a run that is
 * complete. */
static bool is_past(const simulation *s)
{
    const engine *e = &s->engine;
    const double now = e->kind->now(e->state);
    return !isnan(s->options->until) && now > e->kind->tick(e->state, s->until);
}

static void tell_complete(const simulation *s)
{
    const engine *e = &s->engine;
    const double now = e->kind->now(e->state);
    if (now >= s->end_tick && !s->options->quiet)
        cli_note("%s: the run is complete: it is at time %.6g and was to end at %.6g; --until lets "
                 "it go on",
                 s->name, e->kind->time_of(e->state, now), s->until);
}

/* Of the run's own changes those that the checkpoint has not are made again. */
static jo_status load_changes(simulation *s, const char *folder, jo_error *error)
{
    char path[RUNDIR_PATH + 64];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, CHANGES_FILE);
    return stat(path, &about) == 0 ? changes_load(&s->changes, path, s->scene, &s->engine, error)
                                   : JO_OK;
}

static int resume_in(simulation *s, const jo_checkpoint *c, const char *from, const char *folder,
                     bool elsewhere)
{
    jo_error error = {0};
    jo_status status = JO_OK;
    if (elsewhere) status = rundir_free(folder, s->options->force, &error);
    if (status != JO_OK) return cli_fail(&error);
    status = restore(s, c, &error);
    if (status == JO_OK) status = recorder_check(s->scene, s->until, &error);
    if (status == JO_OK) status = load_changes(s, from, &error);
    if (status != JO_OK) {
        changes_free(&s->changes);
        if (s->engine.state != NULL) s->engine.kind->destroy(s->engine.state);
        return cli_fail_with(status == JO_ERR_MEMORY ? CLI_FAILED : CLI_BAD_DATA, "%s: %s", s->name,
                             error.text);
    }
    const engine *e = &s->engine;
    if (is_past(s)) {
        const double at = e->kind->time_of(e->state, e->kind->now(e->state));
        e->kind->destroy(e->state);
        changes_free(&s->changes);
        return cli_fail_with(CLI_MISUSE,
                             "%s: the checkpoint is at time %.6g already, and --until says %.6g",
                             s->name, at, s->until);
    }
    s->end_tick = e->kind->tick(e->state, s->until);
    tell_complete(s);
    cli_signals_hold();
    s->started = cli_seconds();
    status = view_live_start(s, &s->view, &error);
    if (status == JO_OK)
        status = recorder_continue(&s->recorder, s->scene, e, folder,
                                   elsewhere ? rundir_begin(s->options->force) : RUNDIR_GO_ON,
                                   s->until, c, &s->changes, &error);
    if (status != JO_OK) {
        jo_error closing;
        const int failed = cli_fail(&error);
        view_live_free(s->view);
        if (elsewhere) rundir_discard(&s->recorder.folder); /* the run itself is where it was */
        changes_free(&s->changes);
        recorder_close(&s->recorder, &closing);
        e->kind->destroy(e->state);
        return failed;
    }
    summary_plan(s);
    return simulate(s);
}

int cli_resume(int argc, char **argv)
{
    run_options o = run_options_default();
    o.missing = "which run? Give its checkpoint, as in 'jostle resume silo-out/checkpoint.h5', or "
                "its folder";
    jo_error error = {0};
    jo_checkpoint checkpoint = {0};
    jo_scene scene = {0};
    char path[RUNDIR_PATH], folder[RUNDIR_PATH];
    cli_parse(&argp, argc, argv, &o);
    if (o.set.count > 0)
        return cli_fail_with(CLI_MISUSE, "--set is for new runs: the state of a checkpoint belongs "
                                         "to its scene");
    if (o.replay != NULL)
        return cli_fail_with(CLI_MISUSE, "--replay is for new runs: a run that goes on has its "
                                         "changes in its folder");
    jo_status status = find_checkpoint(o.input, path, folder, sizeof path, &error);
    if (status == JO_OK) status = jo_checkpoint_read(path, &checkpoint, &error);
    if (status != JO_OK) return cli_fail(&error);
    int code = load_checkpoint_scene(path, &checkpoint, &scene);
    if (code == CLI_OK) {
        simulation s = {.options = &o, .scene = &scene, .name = path, .resumed = true};
        const bool elsewhere = o.folder != NULL && !rundir_same(o.folder, folder);
        code = resume_in(&s, &checkpoint, folder, elsewhere ? o.folder : folder, elsewhere);
    }
    jo_checkpoint_free(&checkpoint);
    jo_scene_free(&scene);
    cli_signals_release();
    return code;
}
