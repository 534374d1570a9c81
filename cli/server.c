/* server.c — the viewer's server: HTTP for the page, a WebSocket for what it shows.
 *
 * One thread runs libwebsockets' loop; nothing else in the program touches a socket. The page's
 * files are part of the program and found by comparing names, so there is no path to leave a folder
 * by. It listens on 127.0.0.1 unless told otherwise; then whoever connects must know a token, and
 * the address printed has it. On 127.0.0.1 a page from elsewhere is kept out by its Origin, and by
 * the Host it asked for (a name of its own that points here).
 *
 * What clients may do to the program is bounded: so many of them, lines of so many bytes, so many
 * lines a second (then reading from them rests a while), one message per slot on the way to them;
 * one that answers no ping is dropped. Messages go out in pieces as the socket takes them. */
#include "viewer_state.h"

#ifndef JOSTLE_HAVE_VIEWER

bool viewer_available(void)
{
    return false;
}

jo_status server_start(viewer *v, const viewer_options *options, struct server **made,
                       jo_error *error)
{
    (void)v;
    (void)options;
    *made = NULL;
    return cli_error(error, JO_ERR_UNSUPPORTED,
                     "the viewer was left out of this build of jostle: it needs libwebsockets, "
                     "esbuild and npm when jostle is built (tools/install-deps.sh build)");
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

#else

#include <errno.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "viewer_assets.h"

enum {
    /* Bytes handed to the socket at a time: less than is free when it says that it can be written
     * to (a third of its room). What does not fit libwebsockets would keep, and try again and again
     * without sleeping. */
    PIECE = 32 * 1024,
    SOCKET = 128 * 1024, /* bytes the kernel may hold (it takes twice that): used again and again */
    LINE = 200,          /* the longest line a client may send */
    LINES_A_SECOND = 400, /* then reading rests */
    REST_US = 250000,
    TOKEN = 32
};

struct server {
    viewer *v;
    struct lws_context *context;
    pthread_t thread;
    bool running;
    atomic_bool ended;
    char address[64], token[TOKEN + 1]; /* empty: none is needed */
    int port;
};

/* What belongs to one connection of each kind; zeroed by libwebsockets. */
typedef struct page_session {
    const viewer_asset *asset;
    size_t sent;
} page_session;

typedef struct stream_session {
    uint64_t client;
    blob *sending;
    size_t sent;
    char line[LINE + 1];
    size_t length;
    double second; /* when counting began */
    int lines;
} stream_session;

static struct server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

bool viewer_available(void)
{
    return true;
}

/* ---- who may connect */

/* A header into text; false where it is missing or too long. */
static bool header(struct lws *wsi, enum lws_token_indexes which, char *text, int size)
{
    text[0] = '\0';
    const int length = lws_hdr_total_length(wsi, which);
    return length > 0 && length < size && lws_hdr_copy(wsi, text, size, which) > 0;
}

/* On 127.0.0.1 a page asked for by another name is somebody else's trick. */
static bool host_is_ours(struct lws *wsi, const struct server *s)
{
    char host[128], ours[128];
    if (s->token[0] != '\0') return true; /* the token decides */
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host)) return false;
    snprintf(ours, sizeof ours, "%s:%d", s->address, s->port);
    if (strcmp(host, ours) == 0) return true;
    snprintf(ours, sizeof ours, "localhost:%d", s->port);
    return strcmp(host, ours) == 0;
}

/* Browsers send an Origin with every WebSocket; it must be the page's own. */
static bool origin_is_ours(struct lws *wsi)
{
    char origin[160], host[128], ours[160];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) <= 0) return true; /* no browser */
    if (!header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return false;
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host)) return false;
    snprintf(ours, sizeof ours, "http://%s", host);
    return strcmp(origin, ours) == 0;
}

static bool token_is_right(struct lws *wsi, const struct server *s)
{
    char said[TOKEN + 16]; /* name and value */
    if (s->token[0] == '\0') return true;
    const char *value = lws_get_urlarg_by_name(wsi, "token=", said, sizeof said);
    if (value == NULL || strlen(value) != TOKEN) return false;
    unsigned char difference = 0; /* every letter is compared: the time tells nothing */
    for (int k = 0; k < TOKEN; k++)
        difference |= (unsigned char)(value[k] ^ s->token[k]);
    return difference == 0;
}

/* ---- the page */

static int answer_with(struct lws *wsi, unsigned code)
{
    return lws_return_http_status(wsi, code, NULL) != 0 || lws_http_transaction_completed(wsi) ? -1
                                                                                               : 0;
}

static int begin_page(struct lws *wsi, page_session *p, const char *path)
{
    uint8_t room[LWS_PRE + 1024], *start = room + LWS_PRE, *at = start, *end = room + sizeof room;
    const viewer_asset *a = viewer_assets;
    if (!host_is_ours(wsi, server_of(wsi))) return answer_with(wsi, HTTP_STATUS_FORBIDDEN);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return answer_with(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    while (a->path != NULL && strcmp(a->path, path) != 0)
        a++;
    if (a->path == NULL) return answer_with(wsi, HTTP_STATUS_NOT_FOUND);
    p->asset = a;
    p->sent = 0;
    static const unsigned char cache[] = "no-cache";
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, a->type, a->size, &at, end) != 0 ||
        lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CACHE_CONTROL, cache, 8, &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return 1;
    lws_callback_on_writable(wsi);
    return 0;
}

static int go_on_with_page(struct lws *wsi, page_session *p)
{
    static _Thread_local uint8_t room[LWS_PRE + PIECE];
    if (p->asset == NULL) return -1;
    const size_t left = p->asset->size - p->sent, n = left < PIECE ? left : PIECE;
    memcpy(room + LWS_PRE, p->asset->data + p->sent, n);
    p->sent += n;
    const bool last = p->sent == p->asset->size;
    if (lws_write(wsi, room + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n)
        return -1;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    p->asset = NULL;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_page(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in,
                   size_t length)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return begin_page(wsi, session, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return go_on_with_page(wsi, session);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a WebSocket that does not speak ours */
        return 1;
    default:
        return lws_callback_http_dummy(wsi, reason, session, in, length);
    }
}

/* ---- the stream */

static const struct lws_protocols protocols[3];

static int refuse(struct lws *wsi, enum lws_close_status code, const char *why)
{
    unsigned char text[64];
    const size_t length = (size_t)snprintf((char *)text, sizeof text, "%s", why);
    lws_close_reason(wsi, code, text, length);
    return -1;
}

/* One piece of the message under way, or of the next one; *sent tells whether there was any. */
static int send_piece(struct lws *wsi, stream_session *s, viewer *v, bool *sent)
{
    static _Thread_local uint8_t room[LWS_PRE + PIECE];
    if (s->sending == NULL) {
        s->sending = viewer_next(v, s->client);
        s->sent = 0;
    }
    *sent = s->sending != NULL;
    if (s->sending == NULL) return 0;
    const size_t left = s->sending->size - s->sent, n = left < PIECE ? left : PIECE;
    memcpy(room + LWS_PRE, s->sending->data + s->sent, n);
    int how = s->sent > 0        ? LWS_WRITE_CONTINUATION
              : s->sending->text ? LWS_WRITE_TEXT
                                 : LWS_WRITE_BINARY;
    if (n < left) how |= LWS_WRITE_NO_FIN;
    if (lws_write(wsi, room + LWS_PRE, n, (enum lws_write_protocol)how) < (int)n) return -1;
    s->sent += n;
    if (n == left) {
        blob_drop(s->sending);
        s->sending = NULL;
    }
    return 0;
}

/* As much as the socket takes now. */
static int send_pieces(struct lws *wsi, stream_session *s, viewer *v)
{
    enum { AT_ONCE = 64 }; /* then others have their turn */
    bool sent = true;
    for (int k = 0; k < AT_ONCE && sent; k++) {
        if (k > 0 && lws_send_pipe_choked(wsi)) break;
        if (send_piece(wsi, s, v, &sent) != 0) return -1;
    }
    if (s->sending != NULL || viewer_waiting(v, s->client)) lws_callback_on_writable(wsi);
    return 0;
}

/* Reading rests when there is too much to read. */
static void count_line(struct lws *wsi, stream_session *s)
{
    const double now = cli_seconds();
    if (now - s->second > 1.0) {
        s->second = now;
        s->lines = 0;
    }
    if (++s->lines < LINES_A_SECOND) return;
    lws_rx_flow_control(wsi, 0);
    lws_set_timer_usecs(wsi, REST_US);
}

static int receive(struct lws *wsi, stream_session *s, viewer *v, const char *in, size_t length)
{
    if (lws_frame_is_binary(wsi))
        return refuse(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "lines of text, please");
    if (lws_is_first_fragment(wsi)) s->length = 0;
    if (s->length + length > LINE || lws_remaining_packet_payload(wsi) > LINE)
        return refuse(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "that line is too long");
    memcpy(s->line + s->length, in, length);
    s->length += length;
    if (!lws_is_final_fragment(wsi)) return 0;
    s->line[s->length] = '\0';
    count_line(wsi, s);
    if (strlen(s->line) != s->length || !viewer_said(v, s->client, s->line))
        return refuse(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "that line makes no sense");
    lws_callback_on_writable(wsi);
    return 0;
}

static int on_stream(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in,
                     size_t length)
{
    struct server *server = server_of(wsi);
    stream_session *s = session;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return host_is_ours(wsi, server) && origin_is_ours(wsi) && token_is_right(wsi, server) ? 0
                                                                                               : 1;
    case LWS_CALLBACK_ESTABLISHED:
        *s = (stream_session){.client = viewer_join(server->v)};
        if (s->client == 0)
            return refuse(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many viewers");
        setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &(int){SOCKET}, sizeof(int));
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_pieces(wsi, s, server->v);
    case LWS_CALLBACK_RECEIVE:
        return receive(wsi, s, server->v, in, length);
    case LWS_CALLBACK_TIMER:
        lws_rx_flow_control(wsi, 1);
        return 0;
    case LWS_CALLBACK_CLOSED:
        if (s->client != 0) viewer_leave(server->v, s->client);
        blob_drop(s->sending);
        *s = (stream_session){0};
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: /* once for each protocol: something waits */
        lws_callback_on_writable_all_protocol(server->context, &protocols[1]);
        return 0;
    default:
        return 0;
    }
}

/* The last number is how much goes to the kernel at a time; it would be that of a line
 * otherwise. */
static const struct lws_protocols protocols[3] = {
    {"http", on_page, sizeof(page_session), 0, 0, NULL, PIECE + 64},
    {"jostle", on_stream, sizeof(stream_session), LINE + 1, 0, NULL, PIECE + 64},
    {0}};

/* ---- the thread */

static void *serve(void *argument)
{
    struct server *s = argument;
    while (!atomic_load(&s->ended) && lws_service(s->context, 0) >= 0) {
    }
    return NULL;
}

void server_wake(struct server *s)
{
    if (s != NULL && s->running) lws_cancel_service(s->context);
}

void server_stop(struct server *s, double patience)
{
    if (s == NULL) return;
    const double end = cli_seconds() + patience;
    while (s->running && cli_seconds() < end && viewer_unsent(s->v)) {
        lws_cancel_service(s->context);
        usleep(5000);
    }
    if (s->running && patience > 0.0) usleep(20000); /* what was taken last is still under way */
    atomic_store(&s->ended, true);
    if (s->running) {
        lws_cancel_service(s->context);
        pthread_join(s->thread, NULL);
    }
    if (s->context != NULL) lws_context_destroy(s->context);
    free(s);
}

/* ---- beginning */

static jo_status make_token(char token[TOKEN + 1], jo_error *error)
{
    unsigned char bytes[TOKEN / 2];
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const bool read_all = file >= 0 && read(file, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    if (file >= 0) close(file);
    if (!read_all) return cli_error(error, JO_ERR_IO, "/dev/urandom: cannot be read");
    for (int k = 0; k < TOKEN / 2; k++)
        snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return JO_OK;
}

/* libwebsockets takes SIGPIPE for the whole program; it is given back. */
static struct lws_context *make_context(struct server *s, int port)
{
    static const lws_retry_bo_t idle = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 50};
    struct lws_context_creation_info info = {
        .port = port,
        .iface = s->address,
        .protocols = protocols,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .user = s,
        .timeout_secs = 10,
        .keepalive_timeout = 10,
        .fd_limit_per_thread = 64 + VIEWER_CLIENTS,
        .retry_and_idle_policy = &idle,
        .options = LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE |
                   LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND};
    struct sigaction before;
    lws_set_log_level(0, NULL);
    sigaction(SIGPIPE, NULL, &before);
    struct lws_context *context = lws_create_context(&info);
    sigaction(SIGPIPE, &before, NULL);
    return context;
}

/* Signals are the program's, not this thread's. */
static int start_thread(struct server *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int failed = pthread_create(&s->thread, NULL, serve, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    s->running = failed == 0;
    return failed;
}

jo_status server_start(viewer *v, const viewer_options *options, struct server **made,
                       jo_error *error)
{
    struct server *s = calloc(1, sizeof *s);
    *made = s;
    if (s == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for the viewer");
    s->v = v;
    snprintf(s->address, sizeof s->address, "%s",
             options->address != NULL ? options->address : "127.0.0.1");
    jo_status status = JO_OK;
    if (strcmp(s->address, "127.0.0.1") != 0) status = make_token(s->token, error);
    if (status != JO_OK) return status;
    s->context = make_context(s, options->port);
    struct lws_vhost *host =
        s->context != NULL ? lws_get_vhost_by_name(s->context, "default") : NULL;
    s->port = host != NULL ? lws_get_vhost_listen_port(host) : 0;
    if (s->port <= 0)
        return cli_error(error, JO_ERR_IO,
                         "the viewer cannot listen on %.60s, port %d: is the address this "
                         "machine's, and the port free? Port 0 takes any",
                         s->address, options->port);
    const int failed = start_thread(s);
    if (failed != 0)
        return cli_error(error, JO_ERR_IO, "the viewer's thread cannot start: %s",
                         strerror(failed));
    snprintf(v->url, sizeof v->url, "http://%.60s:%d/%s%s", s->address, s->port,
             s->token[0] != '\0' ? "?token=" : "", s->token);
    return JO_OK;
}

#endif
