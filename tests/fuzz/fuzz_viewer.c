/* fuzz_viewer.c — what clients of the viewer say: lines as they come out of WebSocket messages, the
 * commands and the changes of a run in them. (HTTP and the frames around lines are libwebsockets';
 * tests/web/noise.mjs throws random bytes at the whole server.)
 *
 * Input is cut into lines; the first byte of each says which of three clients speaks, or that one
 * comes, goes or is sent what waits for it. Promises: a line that makes no sense changes nothing, a
 * command is text that ends, a client behind is sent no more than two frames ahead, and a change
 * that is understood is written as text that means the same. */
#include "changes.h"
#include "fuzz_reader.h"
#include "jostle/scenefile.h"
#include "viewer_state.h"

/* In place of server.c: nobody listens. */
bool viewer_available(void)
{
    return true;
}

jo_status server_start(viewer *v, const viewer_options *options, struct server **made,
                       jo_error *error)
{
    (void)v;
    (void)options;
    (void)error;
    *made = NULL;
    return JO_OK;
}

void server_wake(struct server *s)
{
    (void)s;
}

void server_stop(struct server *s, double patience)
{
    (void)s;
    (void)patience;
}

enum { SPEAKERS = 3 };
static const jo_error none = {JO_OK, ""};

static const jo_scene *scene(void)
{
    static const char text[] =
        "materials:\n"
        "  grain: {density: 2500, young: 5 MPa, poisson: 0.3, restitution: 0.6, friction: 0.5}\n"
        "  'two words': {density: 7800, young: 5 MPa, poisson: 0.3, restitution: 0.6}\n"
        "bodies:\n  - {material: grain, radius: 1 mm, random: {count: 1, region: {lo: [0, 0, 0], "
        "hi: [1, 1, 1]}}}\n"
        "walls:\n  floor: {plane: {point: [0, 0, 0], normal: +z}, material: grain}\n"
        "duration: 1\n";
    static jo_scene made;
    static bool is_made;
    jo_error error = {0};
    if (!is_made)
        fuzz_demand(jo_scene_parse(text, strlen(text), "fuzz.yaml", NULL, &made, NULL, &error) ==
                        JO_OK,
                    "the scene can be read", &error);
    is_made = true;
    return &made;
}

/* There and back; numbers as bits, since a NaN is one, too. */
static void try_change(const char *line)
{
    engine_change one, two;
    char text[CHANGE_TEXT], again[CHANGE_TEXT];
    jo_error error = {0};
    if (change_read(scene(), line, &one, &error) != JO_OK) {
        fuzz_demand(error.text[0] != '\0', "a refusal says why", &error);
        return;
    }
    change_write(scene(), &one, text);
    fuzz_demand(change_read(scene(), text, &two, &error) == JO_OK, "what was written is read",
                &error);
    change_write(scene(), &two, again);
    fuzz_demand(strcmp(text, again) == 0, "and means the same", &error);
}

static void hear_commands(viewer *v)
{
    char text[VIEWER_COMMAND];
    for (int k = 0; viewer_command(v, 0.0, text); k++) {
        fuzz_demand(memchr(text, '\0', sizeof text) != NULL, "a command ends", &none);
        fuzz_demand(k < VIEWER_COMMANDS, "no more commands than there is room for", &none);
        if (strncmp(text, "change ", 7) == 0) try_change(text + 7);
    }
}

static void say(viewer *v, uint64_t id, const char *line)
{
    const viewer_client before = v->clients[0];
    const size_t commands = v->command_count;
    if (viewer_said(v, id, line) || v->clients[0].id != id) return;
    fuzz_demand(memcmp(&before, &v->clients[0], sizeof before) == 0 && commands == v->command_count,
                "what makes no sense changes nothing", &none);
}

static void send_all(viewer *v, uint64_t id)
{
    const double row[2] = {1.0, 2.0};
    jo_error error = {0};
    blob *frame = blob_make(100), *status = blob_make(10), *b;
    fuzz_demand(frame != NULL && status != NULL, "there is memory", &none);
    memset(frame->data, 0, 100);
    memset(status->data, 0, 10);
    viewer_publish(v, SLOT_FRAME, frame);
    viewer_publish(v, SLOT_STATUS, status);
    if (v->row_count < 1000) viewer_rows(v, row, 2, 1, &error);
    for (int k = 0; viewer_waiting(v, id); k++) {
        fuzz_demand(k < 2 * SLOTS, "sending comes to an end", &none);
        b = viewer_next(v, id);
        blob_drop(b);
    }
    for (size_t c = 0; c < VIEWER_CLIENTS; c++)
        fuzz_demand(!v->clients[c].paced || v->clients[c].id != id ||
                        v->clients[c].under_way <= VIEWER_UNDER_WAY + 64,
                    "few frames are under way", &none);
}

static void act(viewer *v, uint64_t ids[SPEAKERS], char *line)
{
    uint64_t *id = &ids[(unsigned char)line[0] % SPEAKERS];
    viewer_wish wish;
    uint64_t picks[VIEWER_CLIENTS];
    if (*id == 0) *id = viewer_join(v);
    switch (line[0] & 0x18) {
    case 0x08:
        viewer_leave(v, *id);
        *id = 0;
        break;
    case 0x10:
        send_all(v, *id);
        break;
    default:
        say(v, *id, line + 1);
    }
    viewer_wish_next(v, 0.0, &wish);
    fuzz_demand(viewer_picks(v, picks) <= SPEAKERS, "each picks one body at most", &none);
    fuzz_demand(viewer_wants(v) <= 0xffff, "wants are bits that there are", &none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const viewer_options options = {0};
    viewer *v = NULL;
    jo_error error = {0};
    uint64_t ids[SPEAKERS] = {0};
    char line[202];
    if (size > 4096 || viewer_start(&options, &v, &error) != JO_OK) return 0;
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end != NULL ? (size_t)(end - data) : size;
        const size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, data, kept);
        line[kept] = '\0';
        if (kept > 0) act(v, ids, line);
        size -= length + (end != NULL);
        data += length + (end != NULL);
    }
    hear_commands(v);
    viewer_stop(v, 0.0);
    return 0;
}
