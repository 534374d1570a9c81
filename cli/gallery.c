/* gallery.c — the scenes that come with jostle as a page to choose from.
 *
 * A scene that is chosen is run by a process of its own, `jostle demo NAME --view-wait`, whose page
 * the browser goes to; the gallery stays, and so does the way back. What runs say is passed on.
 * Runs go into folders of their own, NAME-out, NAME-out-2 …, so that none replaces another. When
 * the gallery ends, what it started is told to end, too, and has time to write its checkpoint. */
#include "gallery.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "viewer_assets.h"
#include "viewer_message.h"

extern char **environ;

enum { RUNS_MAX = 4, SAID_MAX = 1024 };

typedef struct gallery_run {
    pid_t pid; /* 0: none */
    int said;  /* what it says on standard error */
    char name[JO_NAME_SIZE], folder[RUNDIR_PATH], url[VIEWER_URL], line[SAID_MAX];
    size_t used;
} gallery_run;

typedef struct gallery {
    const run_options *options;
    const scene_names *scenes;
    viewer *v;
    gallery_run runs[RUNS_MAX];
    uint64_t refusals;
    char refused[JO_ERROR_TEXT];
} gallery;

/* ---- what the page is told */

/* The first sentence of a scene file's comment. */
static void summary_of(const scene_names *scenes, size_t k, char *text, size_t size)
{
    char path[RUNDIR_PATH + 300];
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/%s.yaml", scenes->folder, scenes->names[k]);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    char line[400];
    if (fgets(line, sizeof line, file) != NULL && line[0] == '#') {
        line[strcspn(line, "\r\n")] = '\0';
        snprintf(text, size, "%s", line + 1 + strspn(line + 1, " "));
    }
    fclose(file);
}

/* Whether the page has a picture of it. */
static bool has_picture(const char *name)
{
#ifdef JOSTLE_HAVE_VIEWER
    char path[JO_NAME_SIZE + 40];
    snprintf(path, sizeof path, "/thumbnails/%.60s.png", name);
    for (const viewer_asset *a = viewer_assets; a->path != NULL; a++)
        if (strcmp(a->path, path) == 0) return true;
#else
    (void)name;
#endif
    return false;
}

static blob *make_hello(const gallery *g)
{
    text_message t;
    if (!text_message_start(&t)) return NULL;
    json_object(&t.j, NULL);
    json_string(&t.j, "type", "hello");
    json_integer(&t.j, "protocol", MESSAGE_VERSION);
    json_string(&t.j, "version", jo_version());
    json_string(&t.j, "mode", "gallery");
    json_string(&t.j, "title", "jostle");
    json_array(&t.j, "scenes");
    for (size_t k = 0; k < g->scenes->count; k++) {
        char text[400];
        json_object(&t.j, NULL);
        json_string(&t.j, "name", g->scenes->names[k]);
        json_bool(&t.j, "picture", has_picture(g->scenes->names[k]));
        scene_title(g->scenes, k, text, sizeof text);
        json_string(&t.j, "title", text);
        summary_of(g->scenes, k, text, sizeof text);
        json_string(&t.j, "summary", text);
        json_end(&t.j);
    }
    json_end(&t.j);
    json_end(&t.j);
    return text_message_end(&t);
}

static void show_runs(gallery *g)
{
    text_message t;
    if (!text_message_start(&t)) return;
    json_object(&t.j, NULL);
    json_string(&t.j, "type", "gallery");
    json_array(&t.j, "runs");
    for (size_t k = 0; k < RUNS_MAX; k++) {
        if (g->runs[k].pid == 0) continue;
        json_object(&t.j, NULL);
        json_integer(&t.j, "process", (uint64_t)g->runs[k].pid);
        json_string(&t.j, "name", g->runs[k].name);
        json_string(&t.j, "folder", g->runs[k].folder);
        json_string(&t.j, "url", g->runs[k].url);
        json_end(&t.j);
    }
    json_end(&t.j);
    json_integer(&t.j, "refusals", g->refusals);
    json_string(&t.j, "refused", g->refused);
    json_end(&t.j);
    viewer_publish(g->v, SLOT_STATUS, text_message_end(&t));
}

/* ---- runs */

/* A folder that is not there yet. */
static void free_folder(const char *name, char *folder, size_t size)
{
    struct stat about;
    snprintf(folder, size, "%s-out", name);
    for (int k = 2; stat(folder, &about) == 0 && k < 10000; k++)
        snprintf(folder, size, "%s-out-%d", name, k);
}

static jo_status spawn_run(gallery *g, gallery_run *run, jo_error *error)
{
    char threads[16];
    const run_options *o = g->options;
    int ends[2];
    snprintf(threads, sizeof threads, "%d", o->threads);
    const char *address = o->view.server.address != NULL ? o->view.server.address : "127.0.0.1";
    const char *args[16] = {"jostle",      "demo",  run->name,   "--quiet",
                            "--view-wait", "--out", run->folder, NULL};
    size_t count = 7;
    if (o->view.server.address != NULL) {
        args[count++] = "--view-address";
        args[count++] = address;
    }
    if (o->threads > 0) {
        args[count++] = "--threads";
        args[count++] = threads;
    }
    args[count] = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
        return cli_error(error, JO_ERR_IO, "no pipe for another process: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const int failed = posix_spawn(&run->pid, "/proc/self/exe", &actions, NULL,
                                   (char *const *)(uintptr_t)args, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    run->said = ends[0];
    if (failed == 0) return JO_OK;
    close(ends[0]);
    run->pid = 0;
    return cli_error(error, JO_ERR_IO, "'%s' could not be started: %s", run->name,
                     strerror(failed));
}

static jo_status start_run(gallery *g, const char *name, jo_error *error)
{
    bool known = false;
    size_t place = RUNS_MAX;
    for (size_t k = 0; k < g->scenes->count; k++)
        known = known || strcmp(g->scenes->names[k], name) == 0;
    if (!known) return cli_error(error, JO_ERR_DATA, "there is no scene '%.60s'", name);
    for (size_t k = RUNS_MAX; k-- > 0;)
        if (g->runs[k].pid == 0) place = k;
    if (place == RUNS_MAX)
        return cli_error(error, JO_ERR_LIMIT,
                         "%d scenes are running; wait for one to end, or end one with Ctrl-C",
                         RUNS_MAX);
    gallery_run *run = &g->runs[place];
    *run = (gallery_run){0};
    snprintf(run->name, sizeof run->name, "%.60s", name);
    free_folder(name, run->folder, sizeof run->folder);
    return spawn_run(g, run, error);
}

/* A line of a run: its address is for the page, the rest for the person at the terminal. */
static bool hear_line(gallery_run *run)
{
    const char *address = strstr(run->line, "http://");
    if (run->url[0] == '\0' && address != NULL) {
        snprintf(run->url, sizeof run->url, "%.*s", (int)strcspn(address, " "), address);
        return true;
    }
    cli_note("%s: %s", run->name, run->line);
    return false;
}

/* What a run has said since; true: there is news for the page. */
static bool hear(gallery_run *run)
{
    bool news = false;
    char c;
    while (run->pid != 0 && read(run->said, &c, 1) == 1) {
        if (c == '\n' || run->used == sizeof run->line - 1) {
            run->line[run->used] = '\0';
            run->used = 0;
            news = hear_line(run) || news;
        } else {
            run->line[run->used++] = c;
        }
    }
    return news;
}

/* Whether a run has ended; it is forgotten then. */
static bool reap(gallery_run *run, int how)
{
    int result;
    if (run->pid == 0 || waitpid(run->pid, &result, how) != run->pid) return false;
    hear(run);
    close(run->said);
    cli_note("%s has ended; look again with: jostle view %s", run->name, run->folder);
    *run = (gallery_run){0};
    return true;
}

static void end_runs(gallery *g)
{
    for (size_t k = 0; k < RUNS_MAX; k++)
        if (g->runs[k].pid != 0) kill(g->runs[k].pid, SIGTERM);
    for (size_t k = 0; k < RUNS_MAX; k++)
        reap(&g->runs[k], 0);
}

/* ---- serving */

static void obey(gallery *g, const char *line)
{
    jo_error error = {0};
    if (strncmp(line, "start ", 6) != 0) return;
    if (start_run(g, line + 6, &error) == JO_OK) return;
    g->refusals++;
    snprintf(g->refused, sizeof g->refused, "%s", error.text);
}

static void serve(gallery *g, double seconds)
{
    const double end = cli_seconds() + seconds;
    char line[VIEWER_COMMAND];
    viewer_publish(g->v, SLOT_HELLO, make_hello(g));
    show_runs(g);
    while (!cli_interrupted() && cli_seconds() < end) {
        bool news = viewer_command(g->v, fmin(0.05, fmax(end - cli_seconds(), 0.0)), line);
        if (news) obey(g, line);
        for (size_t k = 0; k < RUNS_MAX; k++) {
            news = hear(&g->runs[k]) || news;
            news = reap(&g->runs[k], WNOHANG) || news;
        }
        if (news) show_runs(g);
    }
}

int gallery_serve(const run_options *options, double seconds)
{
    jo_error error = {0};
    scene_names scenes;
    int code = scenes_find(&scenes);
    if (code != CLI_OK) return code;
    gallery g = {.options = options, .scenes = &scenes};
    if (viewer_start(&options->view.server, &g.v, &error) != JO_OK) {
        code = cli_fail(&error);
    } else {
        cli_signals_hold();
        printf("%s\n", viewer_url(g.v));
        fflush(stdout);
        cli_note("open this address in a browser and choose a scene; Ctrl-C ends");
        serve(&g, seconds);
        end_runs(&g);
        viewer_stop(g.v, 0.2);
    }
    scenes_free(&scenes);
    cli_signals_release();
    return code;
}
