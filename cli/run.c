/* run.c — `jostle run`: a scene from its first moment to its end.
 *
 * Nothing is written before the scene is read, its bodies are placed and the output folder is known
 * to be free, so that a mistake leaves no trace. */
#include <math.h>

#include "progress.h"
#include "simulate.h"

static const struct argp argp = {
    .children = run_options_child, /* gets the input, as there is no parser here */
    .args_doc = "SCENE",
    .doc = "Simulates the scene of a file and writes what the scene asks for: a trajectory "
           "(trajectory.h5), a table of measures (series.csv), files for ParaView (run.pvd) and "
           "OVITO (dump.lammpstrj), and checkpoints (checkpoint.h5).\v"
           "The files go to a folder named after the scene, with -out, unless --out says "
           "otherwise. Ctrl-C (or SIGTERM, or closing the terminal) finishes the step, writes a "
           "checkpoint and says how to go on; a run that went on ends with the same state and "
           "files as one that was never stopped, and so does a run with another number of "
           "threads.\n\n"
           "Examples:\n"
           "  jostle run silo.yaml\n"
           "  jostle run silo.yaml --until 0.5 --threads 2 --out /tmp/try\n"
           "  jostle run silo.yaml --set engine.time_step=1e-6 --set 'gravity=[0, 0, -1.62]'\n"
           "  jostle run silo.yaml --json --force | tail -1\n"
           "  jostle run polygon-hopper.yaml --until 0.7 --png moment.svg\n"
           "  jostle run silo.yaml --replay silo-out/changes.csv --out again\n"
           "  jostle resume silo-out/checkpoint.h5\n"};

/* Places the bodies; nothing is on disk yet, so a signal may end the program at once. */
static int create_engine(simulation *s, jo_error *error)
{
    progress placing = cli_progress_start("placing bodies");
    jo_status status = engine_find(s->scene, &s->engine.kind, error);
    if (status == JO_OK) status = can_draw(s, error);
    if (status == JO_OK)
        status = s->engine.kind->create(s->scene, s->options->threads, cli_progress_show, &placing,
                                        &s->engine.state, error);
    cli_progress_clear();
    if (status == JO_OK) return CLI_OK;
    return cli_fail_with(status == JO_ERR_MEMORY ? CLI_FAILED
                         : status == JO_ERR_IO   ? CLI_FAILED
                                                 : CLI_BAD_DATA,
                         "%s: %s", s->name, error->text);
}

static int run_in(simulation *s, const char *folder)
{
    jo_error error = {0};
    jo_status status = recorder_check(s->scene, s->until, &error);
    if (status != JO_OK) return cli_fail_with(CLI_BAD_DATA, "%s: %s", s->name, error.text);
    status = rundir_free(folder, s->options->force, &error);
    if (status != JO_OK) return cli_fail(&error);
    const int code = create_engine(s, &error);
    if (code != CLI_OK) return code;
    const engine *e = &s->engine;
    s->end_tick = e->kind->tick(e->state, s->until);
    cli_signals_hold();
    s->started = cli_seconds();
    if (s->options->replay != NULL)
        status = changes_load(&s->changes, s->options->replay, s->scene, e, &error);
    if (status == JO_OK) status = view_live_start(s, &s->view, &error);
    if (status == JO_OK)
        status = recorder_start(&s->recorder, s->scene, e, folder, rundir_begin(s->options->force),
                                s->until, &s->changes, &error);
    if (status != JO_OK) {
        jo_error closing;
        const int failed = cli_fail(&error);
        view_live_free(s->view);
        changes_free(&s->changes);
        rundir_discard(&s->recorder.folder);
        recorder_close(&s->recorder, &closing);
        e->kind->destroy(e->state);
        return failed;
    }
    summary_plan(s);
    return simulate(s);
}

/* Reads the scene and tells what is wrong with it. Returns an exit code. */
static int load(const char *path, const settings *set, jo_scene *scene)
{
    jo_problems problems;
    jo_error error = {0};
    const jo_status status = scene_load(path, set, scene, &problems, &error);
    cli_print_problems(path, &problems, stderr);
    const bool told = problems.errors > 0;
    jo_problems_free(&problems);
    return status == JO_OK ? CLI_OK : told ? CLI_BAD_DATA : cli_fail(&error);
}

int run_scene(const run_options *options, const char *path)
{
    jo_scene scene = {0};
    jo_error error = {0};
    char folder[RUNDIR_PATH];
    int code = load(path, &options->set, &scene);
    if (code != CLI_OK) return code;
    simulation s = {.options = options,
                    .scene = &scene,
                    .name = path,
                    .until = isnan(options->until) ? scene.duration : options->until};
    if (options->folder != NULL)
        code = run_in(&s, options->folder);
    else if (rundir_name(path, folder, sizeof folder, &error) == JO_OK)
        code = run_in(&s, folder);
    else
        code = cli_fail(&error);
    jo_scene_free(&scene);
    cli_signals_release(); /* ends the program here if a signal stopped the run */
    return code;
}

int cli_run(int argc, char **argv)
{
    run_options o = run_options_default();
    o.missing = "which scene? Give a file, as in 'jostle run silo.yaml'";
    cli_parse(&argp, argc, argv, &o);
    return run_scene(&o, o.input);
}
