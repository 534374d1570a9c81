/* viewer_state.c — messages on their way to clients, and what clients ask for.
 *
 * The rule that keeps a run from waiting and memory from growing: a slot holds one message, the
 * latest. Handing one over swaps pointers under the lock; whatever it replaces is freed if nobody
 * is sending it. Rows of measures are the exception: none may be missing from a plot, so they are
 * kept once, and each client has a mark of how far it has got. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "viewer_message.h"
#include "viewer_pack.h"
#include "viewer_state.h"

/* ---- blobs */

enum { SHELF = 6, LARGE = 64 * 1024 };
static pthread_mutex_t shelf_lock = PTHREAD_MUTEX_INITIALIZER;
static blob *shelf[SHELF];

/* One from the shelf that is large enough and not far too large. */
static blob *take_from_shelf(size_t size)
{
    blob *found = NULL;
    if (size < LARGE) return NULL;
    pthread_mutex_lock(&shelf_lock);
    for (int k = 0; k < SHELF && found == NULL; k++)
        if (shelf[k] != NULL && shelf[k]->capacity >= size && shelf[k]->capacity / 2 <= size) {
            found = shelf[k];
            shelf[k] = NULL;
        }
    pthread_mutex_unlock(&shelf_lock);
    return found;
}

/* Puts one there, where there is room or in place of the oldest. */
static blob *put_on_shelf(blob *b)
{
    int room = 0;
    if (b->capacity < LARGE) return b;
    pthread_mutex_lock(&shelf_lock);
    while (room < SHELF - 1 && shelf[room] != NULL)
        room++;
    blob *last = shelf[room];
    memmove(shelf + 1, shelf, (size_t)room * sizeof *shelf);
    shelf[0] = b;
    pthread_mutex_unlock(&shelf_lock);
    return last;
}

void blob_forget(void)
{
    pthread_mutex_lock(&shelf_lock);
    for (int k = 0; k < SHELF; k++) {
        free(shelf[k]);
        shelf[k] = NULL;
    }
    pthread_mutex_unlock(&shelf_lock);
}

blob *blob_make(size_t size)
{
    blob *b = take_from_shelf(size);
    const size_t capacity = b != NULL ? b->capacity : size + (size >= LARGE ? size / 16 : 0);
    if (b == NULL) b = malloc(sizeof *b + capacity);
    if (b == NULL) return NULL;
    b->text = false;
    b->serial = 0;
    b->grain = 0.0f;
    b->small = NULL;
    b->size = size;
    b->capacity = capacity;
    atomic_init(&b->holders, 1);
    return b;
}

blob *blob_keep(blob *b)
{
    if (b != NULL) atomic_fetch_add_explicit(&b->holders, 1, memory_order_relaxed);
    return b;
}

void blob_drop(blob *b)
{
    if (b == NULL || atomic_fetch_sub_explicit(&b->holders, 1, memory_order_acq_rel) != 1) return;
    blob_drop(b->small);
    b->small = NULL;
    free(put_on_shelf(b));
}

/* ---- beginning and end */

jo_status viewer_start(const viewer_options *options, viewer **made, jo_error *error)
{
    viewer *v = calloc(1, sizeof *v);
    if (v == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for the viewer");
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&v->lock, NULL);
    pthread_cond_init(&v->something, &attributes);
    pthread_condattr_destroy(&attributes);
    const jo_status status = server_start(v, options, &v->server, error);
    if (status == JO_OK)
        *made = v;
    else
        viewer_stop(v, 0.0);
    return status;
}

void viewer_stop(viewer *v, double patience)
{
    if (v == NULL) return;
    server_stop(v->server, patience);
    for (size_t c = 0; c < VIEWER_CLIENTS; c++)
        viewer_leave(v, v->clients[c].id);
    for (int k = 0; k < SLOTS; k++)
        blob_drop(v->current[k]);
    pthread_cond_destroy(&v->something);
    pthread_mutex_destroy(&v->lock);
    free(v->rows);
    free(v);
    blob_forget();
}

const char *viewer_url(const viewer *v)
{
    return v->url;
}

/* ---- clients, for the server */

static viewer_client *find(viewer *v, uint64_t id)
{
    for (size_t c = 0; c < VIEWER_CLIENTS && id != 0; c++)
        if (v->clients[c].id == id) return &v->clients[c];
    return NULL;
}

uint64_t viewer_join(viewer *v)
{
    uint64_t id = 0;
    pthread_mutex_lock(&v->lock);
    for (size_t c = 0; c < VIEWER_CLIENTS && id == 0; c++)
        if (v->clients[c].id == 0) {
            v->clients[c] =
                (viewer_client){.id = id = ++v->last_id, .pick = JO_NO_BODY, .other = JO_NO_BODY};
            v->changes++;
            for (int k = 0; k < SLOTS; k++)
                v->clients[c].waiting[k] = blob_keep(v->current[k]);
        }
    pthread_cond_broadcast(&v->something);
    pthread_mutex_unlock(&v->lock);
    return id;
}

void viewer_leave(viewer *v, uint64_t id)
{
    pthread_mutex_lock(&v->lock);
    viewer_client *c = find(v, id);
    for (int k = 0; k < SLOTS && c != NULL; k++)
        blob_drop(c->waiting[k]);
    if (c != NULL) *c = (viewer_client){0};
    if (c != NULL) v->changes++;
    pthread_cond_broadcast(&v->something);
    pthread_mutex_unlock(&v->lock);
}

static void queue_command(viewer *v, const char *line)
{
    if (v->command_count == VIEWER_COMMANDS) return; /* nobody types that fast */
    const size_t k = (v->command_first + v->command_count++) % VIEWER_COMMANDS;
    snprintf(v->commands[k], VIEWER_COMMAND, "%s", line);
}

/* A whole number and nothing else. */
static bool whole(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* "pick A", "pick A B" or "pick none". */
static bool pick_bodies(viewer_client *c, const char *text)
{
    char one[24];
    uint64_t first = JO_NO_BODY, second = JO_NO_BODY;
    const size_t length = strcspn(text, " ");
    if (length >= sizeof one) return false;
    memcpy(one, text, length);
    one[length] = '\0';
    if (strcmp(text, "none") != 0 && !whole(one, &first)) return false;
    if (text[length] != '\0' && !whole(text + length + 1, &second)) return false;
    c->pick = first;
    c->other = second;
    return true;
}

static bool understood(viewer *v, viewer_client *c, const char *line)
{
    uint64_t value;
    if (strncmp(line, "frame ", 6) == 0 && whole(line + 6, &value)) {
        c->wish = value;
        c->wishes = true;
    } else if (strcmp(line, "got") == 0) {
        c->paced = true;
        if (c->under_way > 0) c->under_way--;
    } else if (strncmp(line, "want ", 5) == 0 && whole(line + 5, &value)) {
        c->wants = (unsigned)(value & 0xffff);
        c->changes++;
        v->changes++;
    } else if (strncmp(line, "pick ", 5) == 0) {
        if (!pick_bodies(c, line + 5)) return false;
        c->changes++;
        v->changes++;
    } else if (strncmp(line, "run ", 4) == 0 && line[4] != '\0') {
        queue_command(v, line + 4);
    } else {
        return false;
    }
    return true;
}

bool viewer_said(viewer *v, uint64_t id, const char *line)
{
    pthread_mutex_lock(&v->lock);
    viewer_client *c = find(v, id);
    const bool sense = c != NULL && understood(v, c, line);
    pthread_cond_broadcast(&v->something);
    pthread_mutex_unlock(&v->lock);
    return sense;
}

/* A message of the rows that a client has not got, as many as fit. */
static blob *rows_for(viewer *v, viewer_client *c)
{
    enum { ROOM = 256 * 1024 };
    size_t rows = v->row_count - c->rows_sent;
    const size_t most = ROOM / (v->columns * sizeof(float)) + 1;
    if (rows > most) rows = most;
    blob *b = message_rows(v->rows + c->rows_sent * v->columns, v->columns, rows, c->rows_sent);
    if (b != NULL) c->rows_sent += rows;
    return b;
}

/* A page that draws slowly must not have a growing number of frames before it: sockets and browsers
 * would take and keep them, and what it shows would be ever older. */
static bool is_behind(const viewer *v, const viewer_client *c)
{
    return c->paced && c->under_way >= VIEWER_UNDER_WAY && !v->ending;
}

static bool has_something(const viewer *v, const viewer_client *c)
{
    bool something = v->row_count > c->rows_sent;
    for (int k = 0; k < SLOTS; k++)
        something = something || c->waiting[k] != NULL;
    return something;
}

/* What waits in a slot, unless the client was sent it before. */
static blob *take(viewer *v, viewer_client *c, int slot)
{
    if (slot == SLOT_ROWS) return v->row_count > c->rows_sent ? rows_for(v, c) : NULL;
    blob *b = c->waiting[slot];
    c->waiting[slot] = NULL;
    if (b != NULL && b->serial != 0 && b->serial == c->sent[slot]) {
        blob_drop(b);
        return NULL;
    }
    if (b != NULL) c->sent[slot] = b->serial;
    if (b != NULL && slot == SLOT_FRAME) c->under_way++;
    return b;
}

/* Everything has its turn, so that neither frames nor rows without end keep a status from being
 * sent; but nothing comes between a frame and the bodies and walls that it belongs to: up to the
 * frame, slots are looked at from the first one on. */
static blob *next_exact(viewer *v, uint64_t id, bool *exact)
{
    blob *next = NULL;
    pthread_mutex_lock(&v->lock);
    viewer_client *c = find(v, id);
    if (c != NULL && is_behind(v, c)) c = NULL;
    for (int round = 0; round < 2 && c != NULL && next == NULL; round++) {
        int k = round == 0 ? c->turn : 0;
        for (; k < SLOTS && next == NULL; k++)
            next = take(v, c, k);
        c->turn = k > SLOT_FRAME && k < SLOTS ? k : 0;
    }
    *exact = c == NULL || (c->wants & WANT_EXACT) != 0;
    pthread_mutex_unlock(&v->lock);
    return next;
}

/* A frame of many bodies is packed by whoever sends it first (one thread sends): the run goes on
 * meanwhile. */
blob *viewer_next(viewer *v, uint64_t id)
{
    bool exact;
    blob *next = next_exact(v, id, &exact);
    if (next == NULL || exact || next->grain <= 0.0f) return next;
    if (next->small == NULL) next->small = frame_pack(next);
    blob *small = blob_keep(next->small);
    if (small == NULL) return next;
    blob_drop(next);
    return small;
}

bool viewer_waiting(viewer *v, uint64_t id)
{
    pthread_mutex_lock(&v->lock);
    const viewer_client *c = find(v, id);
    const bool waiting = c != NULL && !is_behind(v, c) && has_something(v, c);
    pthread_mutex_unlock(&v->lock);
    return waiting;
}

bool viewer_unsent(viewer *v)
{
    bool unsent = false;
    pthread_mutex_lock(&v->lock);
    v->ending = true;
    for (size_t c = 0; c < VIEWER_CLIENTS; c++)
        unsent = unsent || (v->clients[c].id != 0 && has_something(v, &v->clients[c]));
    pthread_mutex_unlock(&v->lock);
    return unsent;
}

/* ---- for the program */

size_t viewer_clients(viewer *v)
{
    size_t count = 0;
    pthread_mutex_lock(&v->lock);
    for (size_t c = 0; c < VIEWER_CLIENTS; c++)
        count += v->clients[c].id != 0;
    pthread_mutex_unlock(&v->lock);
    return count;
}

unsigned viewer_wants(viewer *v)
{
    unsigned wants = 0;
    pthread_mutex_lock(&v->lock);
    for (size_t c = 0; c < VIEWER_CLIENTS; c++)
        if (v->clients[c].id != 0) wants |= v->clients[c].wants;
    pthread_mutex_unlock(&v->lock);
    return wants;
}

size_t viewer_picks(viewer *v, uint64_t ids[VIEWER_CLIENTS])
{
    size_t count = 0;
    pthread_mutex_lock(&v->lock);
    for (size_t c = 0; c < VIEWER_CLIENTS; c++) {
        const uint64_t pick = v->clients[c].pick;
        bool known = v->clients[c].id == 0 || pick == JO_NO_BODY;
        for (size_t k = 0; k < count && !known; k++)
            known = ids[k] == pick;
        if (!known) ids[count++] = pick;
    }
    pthread_mutex_unlock(&v->lock);
    return count;
}

size_t viewer_pairs(viewer *v, uint64_t pairs[VIEWER_CLIENTS][2])
{
    size_t count = 0;
    pthread_mutex_lock(&v->lock);
    for (size_t c = 0; c < VIEWER_CLIENTS; c++) {
        const viewer_client *one = &v->clients[c];
        if (one->id == 0 || one->pick == JO_NO_BODY || one->other == JO_NO_BODY) continue;
        pairs[count][0] = one->pick;
        pairs[count++][1] = one->other;
    }
    pthread_mutex_unlock(&v->lock);
    return count;
}

uint64_t viewer_changes(viewer *v)
{
    pthread_mutex_lock(&v->lock);
    const uint64_t changes = v->changes;
    pthread_mutex_unlock(&v->lock);
    return changes;
}

static void put(blob **place, blob *message)
{
    blob_drop(*place);
    *place = message;
}

void viewer_hand_over(viewer *v, uint64_t client, blob *messages[SLOTS])
{
    pthread_mutex_lock(&v->lock);
    for (int k = 0; k < SLOTS; k++) {
        if (messages[k] == NULL) continue;
        for (size_t c = 0; c < VIEWER_CLIENTS; c++)
            if (v->clients[c].id != 0 && (client == VIEWER_EVERYONE || v->clients[c].id == client))
                put(&v->clients[c].waiting[k], blob_keep(messages[k]));
        if (client == VIEWER_EVERYONE)
            put(&v->current[k], messages[k]);
        else
            blob_drop(messages[k]);
    }
    pthread_mutex_unlock(&v->lock);
    server_wake(v->server);
}

void viewer_publish(viewer *v, viewer_slot slot, blob *message)
{
    blob *messages[SLOTS] = {NULL};
    messages[slot] = message;
    viewer_hand_over(v, VIEWER_EVERYONE, messages);
}

jo_status viewer_rows(viewer *v, const double *values, size_t columns, size_t rows, jo_error *error)
{
    pthread_mutex_lock(&v->lock);
    v->columns = columns;
    bool room = true;
    if (v->row_count + rows > v->row_room) {
        const size_t wanted = 2 * (v->row_count + rows) + 64;
        double *grown = realloc(v->rows, wanted * columns * sizeof *grown);
        room = grown != NULL;
        if (room) v->rows = grown, v->row_room = wanted;
    }
    if (room) memcpy(v->rows + v->row_count * columns, values, rows * columns * sizeof *values);
    if (room) v->row_count += rows;
    pthread_mutex_unlock(&v->lock);
    if (!room) return cli_error(error, JO_ERR_MEMORY, "not enough memory for the viewer's plots");
    server_wake(v->server);
    return JO_OK;
}

/* ---- waiting, which a signal ends */

static struct timespec deadline_in(double seconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    const double whole_seconds = floor(seconds);
    at.tv_sec += (time_t)whole_seconds;
    at.tv_nsec += lrint(1e9 * (seconds - whole_seconds));
    if (at.tv_nsec >= 1000000000L) {
        at.tv_nsec -= 1000000000L;
        at.tv_sec++;
    }
    return at;
}

static viewer_client *wishing(viewer *v)
{
    for (size_t k = 0; k < VIEWER_CLIENTS; k++) {
        viewer_client *c = &v->clients[(v->turn + k) % VIEWER_CLIENTS];
        if (c->id == 0 || !c->wishes) continue;
        v->turn = (v->turn + k + 1) % VIEWER_CLIENTS;
        return c;
    }
    return NULL;
}

bool viewer_wish_next(viewer *v, double seconds, viewer_wish *wish)
{
    const struct timespec until = deadline_in(seconds);
    viewer_client *c;
    pthread_mutex_lock(&v->lock);
    while ((c = wishing(v)) == NULL)
        if (pthread_cond_timedwait(&v->something, &v->lock, &until) == ETIMEDOUT) break;
    if (c != NULL) {
        *wish = (viewer_wish){.client = c->id,
                              .frame = c->wish,
                              .wants = c->wants,
                              .pick = c->pick,
                              .other = c->other,
                              .of_pick = c->changes};
        c->wishes = false;
    }
    pthread_mutex_unlock(&v->lock);
    return c != NULL;
}

bool viewer_command(viewer *v, double seconds, char text[VIEWER_COMMAND])
{
    const struct timespec until = deadline_in(seconds);
    pthread_mutex_lock(&v->lock);
    while (v->command_count == 0 && seconds > 0.0)
        if (pthread_cond_timedwait(&v->something, &v->lock, &until) == ETIMEDOUT) break;
    const bool any = v->command_count > 0;
    if (any) {
        memcpy(text, v->commands[v->command_first], VIEWER_COMMAND);
        v->command_first = (v->command_first + 1) % VIEWER_COMMANDS;
        v->command_count--;
    }
    pthread_mutex_unlock(&v->lock);
    return any;
}
