/* simulate.c — a run from its first moment, or from a checkpoint, to its end.
 *
 * The loop: go to the next moment at which something is due, in slices short enough to answer a
 * signal, the clock and the person who watches; write what is due; again. SIGINT, SIGTERM and
 * SIGHUP are held all the while and looked at between slices: the run then stops after a whole
 * step, with everything written, and can be resumed as if nothing had happened. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "progress.h"
#include "simulate.h"

enum {
    KEY_JSON = 0x7100,
    KEY_THREADS,
    KEY_UNTIL,
    KEY_OUT,
    KEY_FORCE,
    KEY_QUIET,
    KEY_SET,
    KEY_REPLAY,
    KEY_PNG,
    KEY_VIEW,
    KEY_VIEW_PORT,
    KEY_VIEW_ADDRESS,
    KEY_VIEW_WAIT,
    KEY_VIEW_PAUSE,
    KEY_VIEW_KEEP
};

/* Seconds between looks at signals, the clock and the terminal. */
static const double slice = 0.1;

run_options run_options_default(void)
{
    return (run_options){.until = NAN};
}

static const struct argp_option options[] = {
    {"json", KEY_JSON, 0, 0, "end with one line of JSON instead of a table", 0},
    {"threads", KEY_THREADS, "N", 0,
     "threads to use (default: all cores); the result does not depend on it", 0},
    {"until", KEY_UNTIL, "TIME", 0,
     "simulated time to stop at, instead of the scene's duration: 0.5 (seconds), '500 ms', 2min",
     0},
    {"set", KEY_SET, "KEY=VALUE", 0,
     "change a value of a new run's scene, as in engine.time_step=1e-6; the output's scene has it, "
     "too",
     0},
    {"replay", KEY_REPLAY, "FILE", 0,
     "change a new run as another one was changed while it went on: a run's changes.csv", 0},
    {"png", KEY_PNG, "FILE", 0,
     "polygons: a picture of the end (.png, .svg, .pdf) with grains, triangulation, mandatory "
     "edges "
     "and the event that just happened; with --until at any moment. For frames of a run, and other "
     "bodies, see jostle render",
     0},
    {"svg", 0, 0, OPTION_ALIAS, 0, 0},
    {"out", KEY_OUT, "FOLDER", 0, "where the files go", 0},
    {"force", KEY_FORCE, 0, 0, "replace the run that the folder holds", 0},
    {"quiet", KEY_QUIET, 0, 0, "say nothing but errors and alarms", 0},
    {"view", KEY_VIEW, 0, 0, "watch it in a browser while it runs: prints an address to open", 0},
    {"view-port", KEY_VIEW_PORT, "N", 0, "the port of that address (default: a free one)", 0},
    {"view-address", KEY_VIEW_ADDRESS, "IP", 0,
     "let other machines watch, too: an address of this one, or 0.0.0.0 (default: 127.0.0.1); the "
     "address printed then holds a token",
     0},
    {"view-wait", KEY_VIEW_WAIT, 0, 0, "begin when someone looks", 0},
    {"view-pause", KEY_VIEW_PAUSE, 0, 0, "begin paused: the page lets it go on or takes steps", 0},
    {"view-keep", KEY_VIEW_KEEP, 0, 0, "keep showing the end until Ctrl-C", 0},
    {0}};

static double read_until(struct argp_state *state, const char *text)
{
    double until = 0.0;
    jo_error error = {0};
    if (jo_time_read(text, &until, &error) != JO_OK) argp_error(state, "--until %s", error.text);
    if (!(until > 0.0 && until <= 1e300))
        argp_error(state, "--until is '%s'; it must be above 0 and finite", text);
    return until;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    run_options *o = state->input;
    switch (key) {
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_THREADS:
        o->threads = (int)cli_count(state, "threads", text, 1, JO_THREADS_MAX);
        return 0;
    case KEY_UNTIL:
        o->until = read_until(state, text);
        return 0;
    case KEY_SET:
        settings_add(&o->set, state, text);
        return 0;
    case KEY_REPLAY:
        o->replay = text;
        return 0;
    case KEY_PNG:
        if (*text == '\0') argp_error(state, "--png needs the name of a file");
        o->png = text;
        return 0;
    case KEY_OUT:
        if (*text == '\0') argp_error(state, "--out needs the name of a folder");
        o->folder = text;
        return 0;
    case KEY_FORCE:
        o->force = true;
        return 0;
    case KEY_QUIET:
        o->quiet = true;
        return 0;
    case KEY_VIEW:
    case KEY_VIEW_PORT:
    case KEY_VIEW_ADDRESS:
    case KEY_VIEW_WAIT:
    case KEY_VIEW_PAUSE:
    case KEY_VIEW_KEEP:
        o->view.on = true;
        if (key == KEY_VIEW_PORT)
            o->view.server.port = (int)cli_count(state, "view-port", text, 0, 65535);
        if (key == KEY_VIEW_ADDRESS) o->view.server.address = text;
        if (key == KEY_VIEW_WAIT) o->view.wait = true;
        if (key == KEY_VIEW_PAUSE) o->view.pause = true;
        if (key == KEY_VIEW_KEEP) o->view.keep = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->input != NULL) argp_error(state, "one at a time, please: '%s' is too many", text);
        o->input = text;
        return 0;
    case ARGP_KEY_END:
        if (o->input == NULL && o->missing != NULL) argp_error(state, "%s", o->missing);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = options, .parser = parse};
const struct argp_child run_options_child[] = {{&argp, 0, NULL, 0}, {0}};

/* ---- watching */

static void text_left(char *text, size_t size, double seconds)
{
    const long s = lrint(fmin(seconds, 1e8));
    if (s >= 3600)
        snprintf(text, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(text, size, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(text, size, "%ld s", s);
}

static void show_progress(const simulation *s)
{
    const engine *e = &s->engine;
    const double now = e->kind->now(e->state), spent = cli_seconds() - s->started;
    const double share = (now - s->begin_tick) / fmax(s->end_tick - s->begin_tick, 1e-300);
    char left[48] = "", rate[48];
    if (s->options->quiet || !isatty(STDERR_FILENO)) return;
    text_left(left, sizeof left, share > 0.0 ? spent * (1.0 - share) / share : 0.0);
    const double work = e->kind->costs(e->state).work - s->begin.work;
    snprintf(rate, sizeof rate, "%.3g M", 1e-6 * work / fmax(s->advancing, 1e-9));
    cli_progress_say("%3.0f %%, time %.4g of %.4g, %s %s/s%s%s%s",
                     100.0 * now / fmax(s->end_tick, 1e-300), e->kind->time_of(e->state, now),
                     s->until, rate, e->kind->rate, share > 0.005 ? ", " : "",
                     share > 0.005 ? left : "", share > 0.005 ? " left" : "");
}

/* ---- the loop */

jo_status simulation_change(simulation *s, const char *text, jo_error *error)
{
    if (s->engine.kind->change == NULL)
        return cli_error(error, JO_ERR_DATA, "engine %s cannot be changed while it runs",
                         s->engine.kind->name);
    const jo_status status = changes_now(&s->changes, s->scene, &s->engine, text, error);
    return status == JO_OK ? changes_save(&s->changes, &s->recorder.folder, error) : status;
}

/* To the next moment at which something is due, or until a signal comes. */
static jo_status advance(simulation *s, jo_error *error)
{
    const engine *e = &s->engine;
    const jo_status due = changes_due(&s->changes, e, error);
    if (due != JO_OK) return due;
    const double target =
        fmin(fmin(recorder_next(&s->recorder), s->end_tick), changes_next(&s->changes, e));
    const double wall = s->scene->outputs.checkpoint_wall;
    do { /* at least a step: what was changed at a moment is not in a checkpoint of that moment */
        if (s->view != NULL) view_live_look(s->view, s);
        const uint64_t steps = view_live_steps(s->view);
        const uint64_t before = e->kind->count(e->state);
        const double begin = cli_seconds();
        const jo_status status =
            steps > 0 ? e->kind->step(e->state, target, steps, error)
                      : e->kind->advance(e->state, target, view_live_slice(s->view, slice), error);
        const double took = cli_seconds() - begin;
        s->advancing += took;
        if (steps > 0) view_live_took(s->view, e->kind->count(e->state) - before, took);
        summary_alarms(s);
        if (status != JO_OK) return status;
        show_progress(s);
        if (cli_seconds() - s->recorder.checkpoint_clock > wall) break;
    } while (e->kind->now(e->state) < target && !cli_interrupted());
    return JO_OK;
}

static run_outcome outcome_of(jo_status status)
{
    return status == JO_OK ? RUN_COMPLETE : status == JO_ERR_PHYSICS ? RUN_BLEW_UP : RUN_FAILED;
}

/* What is due now; a row of measures goes to the viewer as well. */
static jo_status write_due(simulation *s, jo_error *error)
{
    recorder *r = &s->recorder;
    const uint64_t rows = r->calls[RECORD_SERIES];
    const jo_status status = recorder_write(r, error);
    if (r->calls[RECORD_SERIES] > rows) view_live_row(s->view, r->rows.values, r->rows.columns);
    return status;
}

static jo_status loop(simulation *s, jo_error *error)
{
    const engine *e = &s->engine;
    const bool anything = e->kind->now(e->state) < s->end_tick;
    jo_status status = write_due(s, error);
    while (status == JO_OK && e->kind->now(e->state) < s->end_tick && !cli_interrupted()) {
        status = advance(s, error);
        if (status == JO_OK) status = write_due(s, error);
    }
    if (status == JO_OK && (anything || !s->resumed))
        status = recorder_checkpoint(&s->recorder, error);
    s->outcome = outcome_of(status);
    if (status == JO_OK && e->kind->now(e->state) < s->end_tick) s->outcome = RUN_INTERRUPTED;
    return status;
}

/* ---- the end */

static void tell_how_to_resume(const simulation *s)
{
    const recorder *r = &s->recorder;
    if (r->no_checkpoints || isnan(r->checkpoint_time)) return;
    cli_note("checkpoint at time %.6g; go on with:\n  jostle resume %s/%s", r->checkpoint_time,
             r->folder.path, record_files[RECORD_CHECKPOINT]);
}

static void tell_blow_up(simulation *s)
{
    jo_error error = {0};
    summary_alarms(s);
    if (recorder_postmortem(&s->recorder, &error) == JO_OK)
        cli_note("the last state is in %s/postmortem.h5 and .vtp, to look at",
                 s->recorder.folder.path);
    else
        cli_note("the last state could not be written: %s", error.text);
    if (!isnan(s->recorder.checkpoint_time))
        cli_note("the last good checkpoint, at time %.6g, is %s/%s", s->recorder.checkpoint_time,
                 s->recorder.folder.path, record_files[RECORD_CHECKPOINT]);
}

/* The same line of JSON that --json prints, for whoever comes back later. */
static jo_status write_summary(const simulation *s, jo_error *error)
{
    char path[RUNDIR_PATH + 64];
    output o;
    jo_status status = rundir_path(&s->recorder.folder, "run.json", path, sizeof path, error);
    if (status == JO_OK) status = output_open(&o, path, error);
    if (status != JO_OK) return status;
    summary_json(s, o.file);
    return output_close(&o, error);
}

jo_status can_draw(const simulation *s, jo_error *error)
{
    if (s->options->png == NULL || s->engine.kind->draw != NULL) return JO_OK;
    error->status = JO_ERR_DATA;
    snprintf(
        error->text, sizeof error->text,
        "--png draws polygons (engine kinetic), and this is engine %s: draw what the run wrote, "
        "with 'jostle render FOLDER'",
        s->engine.kind->name);
    return JO_ERR_DATA;
}

static int draw_end(simulation *s)
{
    jo_error error = {0};
    if (s->options->png == NULL || s->outcome == RUN_FAILED) return CLI_OK;
    if (s->engine.kind->draw(s->engine.state, s->scene, s->options->png, &error) != JO_OK)
        return cli_fail(&error);
    if (!s->options->quiet && !s->options->json) printf("  picture  %s\n", s->options->png);
    return CLI_OK;
}

static int finish(simulation *s, jo_status status, jo_error *error)
{
    int code = CLI_OK;
    cli_progress_clear();
    s->seconds = cli_seconds() - s->started;
    if (status != JO_OK) {
        code = cli_fail(error);
        if (code != CLI_BAD_DATA) code = CLI_FAILED;
    }
    if (s->outcome == RUN_BLEW_UP) tell_blow_up(s);
    if (s->outcome == RUN_FAILED) tell_how_to_resume(s);
    if (s->outcome != RUN_FAILED) {
        status = write_summary(s, error);
        if (status != JO_OK) code = cli_fail(error);
    }
    if (s->options->json)
        summary_json(s, stdout);
    else if (!s->options->quiet)
        summary_print(s);
    if (s->outcome == RUN_INTERRUPTED) {
        fflush(stdout);
        cli_note("stopped by a signal");
        tell_how_to_resume(s);
    }
    return code;
}

int simulate(simulation *s)
{
    jo_error error = {0}, closing = {0};
    const engine *e = &s->engine;
    s->begin_tick = e->kind->now(e->state);
    s->begin = e->kind->costs(e->state);
    view_live_begin(s->view, s);
    const jo_status status = loop(s, &error);
    int code = finish(s, status, &error);
    const int drawn = draw_end(s);
    if (code == CLI_OK) code = drawn;
    view_live_end(s->view, s);
    if (recorder_close(&s->recorder, &closing) != JO_OK && code == CLI_OK)
        code = cli_fail(&closing);
    e->kind->destroy(e->state);
    s->engine.state = NULL;
    changes_free(&s->changes);
    return code;
}
