/* view_cmd.c — `jostle view`: a run that was written, in the browser.
 *
 * The page asks for frames by number and shows them as fast as it likes; the program reads each
 * from the file when it is asked for. Several pages may look at different frames. A run that is
 * still being written is looked at again when its end was reached. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery.h"
#include "viewer_message.h"

typedef struct options {
    const char *run;
    viewer_options server;
    double seconds; /* how long; infinite: until a signal */
} options;

enum { KEY_PORT = 0x7500, KEY_ADDRESS, KEY_FOR };

static const struct argp_option argp_options[] = {
    {"port", KEY_PORT, "N", 0, "the port to listen on (default: a free one)", 0},
    {"address", KEY_ADDRESS, "IP", 0,
     "listen on another address of this machine than 127.0.0.1 (0.0.0.0: all); the page's address "
     "then holds a token that keeps others out",
     0},
    {"for", KEY_FOR, "SECONDS", 0, "end after so long (default: at Ctrl-C)", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (o->run != NULL) argp_error(state, "one RUN.h5 at a time, not also '%s'", text);
        o->run = text;
        return 0;
    case KEY_PORT:
        o->server.port = (int)cli_count(state, "port", text, 0, 65535);
        return 0;
    case KEY_ADDRESS:
        o->server.address = text;
        return 0;
    case KEY_FOR:
        o->seconds = cli_real(state, "for", text, 0.0, 1e9);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "[RUN.h5|FOLDER]",
    .doc =
        "Shows a run in the browser: prints an address of this machine to open. The page turns, "
        "plays, colours and measures it; nothing leaves the machine. Without a run the page shows "
        "the scenes that come with jostle, and starts the one that is chosen.\v"
        "Examples:\n"
        "  jostle view silo-out\n"
        "  jostle view silo-out/trajectory.h5 --port 8080\n"
        "  jostle run silo.yaml --view          (while it computes)\n"};

typedef struct showing {
    const char *path;
    jo_replay *replay;
    size_t frames;
    viewer *v;
    messenger messages;
    double looked; /* when the file was last asked for more frames */
} showing;

/* ---- what is shown */

static jo_status put_series(showing *g, json *j, jo_error *error)
{
    const char *const *names;
    const double *values;
    size_t columns = 0, rows = 0;
    const jo_status status = jo_replay_series(g->replay, &names, &columns, &values, &rows, error);
    if (status != JO_OK) return status;
    json_array(j, "series");
    for (size_t c = 0; c < columns; c++)
        json_string(j, NULL, names[c]);
    json_end(j);
    return rows > 0 ? viewer_rows(g->v, values, columns, rows, error) : JO_OK;
}

static void put_vector(json *j, const char *key, const double *v)
{
    json_array(j, key);
    for (int a = 0; a < 3; a++)
        json_real(j, NULL, v[a]);
    json_end(j);
}

static void put_names(showing *g, json *j)
{
    size_t count = 0;
    for (size_t k = 0; k < JO_MATERIALS_MAX; k++)
        if (jo_replay_material(g->replay, k)[0] != '\0') count = k + 1;
    json_array(j, "materials");
    for (size_t k = 0; k < count; k++)
        json_string(j, NULL, jo_replay_material(g->replay, k));
    json_end(j);
}

static jo_status put_times(showing *g, json *j, jo_error *error)
{
    jo_frame first, last;
    jo_status status = jo_replay_frame(g->replay, 0, &first, error);
    if (status != JO_OK) return status;
    const double begin = first.time;
    json_integer(j, "dim", (uint64_t)first.dim);
    json_bool(j, "has_box", first.domain.hi[0] > first.domain.lo[0]);
    put_vector(j, "lo", first.domain.lo);
    put_vector(j, "hi", first.domain.hi);
    json_array(j, "periodic");
    for (int a = 0; a < 3; a++)
        json_bool(j, NULL, first.domain.periodic[a]);
    json_end(j);
    status = jo_replay_frame(g->replay, g->frames - 1, &last, error);
    if (status != JO_OK) return status;
    json_real(j, "begin", begin);
    json_real(j, "until", last.time);
    return JO_OK;
}

static jo_status say_hello(showing *g, jo_error *error)
{
    text_message t;
    if (!text_message_start(&t))
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for the viewer");
    const char *title = jo_replay_title(g->replay);
    json_object(&t.j, NULL);
    json_string(&t.j, "type", "hello");
    json_integer(&t.j, "protocol", MESSAGE_VERSION);
    json_string(&t.j, "version", jo_version());
    json_string(&t.j, "mode", "replay");
    json_string(&t.j, "title", title[0] != '\0' ? title : g->path);
    json_string(&t.j, "file", g->path);
    json_integer(&t.j, "frames", g->frames);
    put_names(g, &t.j);
    jo_status status = put_times(g, &t.j, error);
    if (status == JO_OK) status = put_series(g, &t.j, error);
    json_end(&t.j);
    blob *hello = text_message_end(&t);
    if (status == JO_OK)
        viewer_publish(g->v, SLOT_HELLO, hello);
    else
        blob_drop(hello);
    return status;
}

/* ---- frames */

static jo_status answer(showing *g, const viewer_wish *wish, jo_error *error)
{
    jo_frame f;
    moment made;
    const double *triangles;
    const uint32_t *owner;
    size_t count;
    const size_t k = wish->frame < g->frames ? (size_t)wish->frame : g->frames - 1;
    jo_status status = jo_replay_walls(g->replay, k, &triangles, &owner, &count, error);
    if (status == JO_OK) status = jo_replay_frame(g->replay, k, &f, error);
    if (status == JO_OK)
        status =
            moment_make(&g->messages, &f, k, wish->wants, triangles, owner, count, &made, error);
    if (status != JO_OK) return status;
    const detail_wishes w = {.ids = {wish->pick},
                             .id_count = 1,
                             .pairs = {{wish->pick, wish->other}},
                             .pair_count = wish->other != JO_NO_BODY,
                             .walls = {triangles, owner, count}};
    if (wish->pick != JO_NO_BODY) made.detail = message_detail(&f, &w);
    moment_hand_over(g->v, wish->client, &made);
    return JO_OK;
}

static int serve(showing *g, double seconds)
{
    jo_error error = {0};
    const double end = cli_seconds() + seconds;
    jo_status status = say_hello(g, &error);
    while (status == JO_OK && !cli_interrupted() && cli_seconds() < end) {
        viewer_wish wish;
        if (viewer_wish_next(g->v, fmin(0.1, end - cli_seconds()), &wish))
            status = answer(g, &wish, &error);
    }
    return status == JO_OK ? CLI_OK : cli_fail(&error);
}

int cli_view(int argc, char **argv)
{
    jo_error error = {0};
    options o = {.seconds = INFINITY};
    char room[4096];
    cli_parse(&argp, argc, argv, &o);
    if (o.run == NULL) {
        run_options runs = run_options_default();
        runs.view.server = o.server;
        return gallery_serve(&runs, o.seconds);
    }
    showing g = {.path = cli_run_file(o.run, room, sizeof room)};
    if (jo_replay_open(g.path, &g.replay, &error) != JO_OK) return cli_fail(&error);
    g.frames = jo_replay_frames(g.replay);
    int code = CLI_OK;
    if (g.frames == 0)
        code = cli_fail_with(CLI_BAD_DATA, "%s: holds no frames yet", g.path);
    else if (viewer_start(&o.server, &g.v, &error) != JO_OK)
        code = cli_fail(&error);
    if (code == CLI_OK) {
        cli_signals_hold();
        printf("%s\n", viewer_url(g.v));
        fflush(stdout);
        cli_note("open this address in a browser; Ctrl-C ends");
        code = serve(&g, o.seconds);
        viewer_stop(g.v, 0.2);
    }
    messenger_free(&g.messages);
    jo_replay_close(g.replay);
    cli_signals_release();
    return code;
}
