/* fuzz_server.c — whatever comes over a connection to the viewer: the real server with
 * libwebsockets on a port of this machine, one connection for each input.
 *
 * The first byte says how the rest is sent: as it is (HTTP), after a proper handshake as it is
 * (WebSocket frames), or each line in a frame of its own, masked as it should be. A second byte
 * says in pieces of what size. Then the connection is shut, and what the server says is read to its
 * end. Promises: it says something or closes, within seconds; now and then a proper client asks for
 * the page and gets it; sanitizers watch the rest. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz_reader.h"
#include "viewer_assets.h"
#include "viewer_state.h"

static const unsigned char page[] = "<!doctype html>";
const viewer_asset viewer_assets[] = {{"/", "text/html", page, sizeof page - 1}, {0}};

enum { PATIENCE = 10 };
static const jo_error none = {JO_OK, ""};
static viewer *served;
static int port;

static void start(void)
{
    const viewer_options options = {0};
    jo_error error = {0};
    if (served != NULL) return;
    fuzz_demand(viewer_start(&options, &served, &error) == JO_OK, "the server starts", &error);
    port = atoi(strrchr(viewer_url(served), ':') + 1);
    blob *frame = blob_make(300000), *hello = blob_make(20);
    memset(frame->data, 0, frame->size);
    memcpy(hello->data, "{\"type\": \"hello\"}   ", 20);
    hello->text = true;
    viewer_publish(served, SLOT_HELLO, hello);
    viewer_publish(served, SLOT_FRAME, frame);
}

static int join(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const struct timeval patience = {.tv_sec = PATIENCE};
    const struct linger gone = {1, 0}; /* no port is left waiting */
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(s, SOL_SOCKET, SO_LINGER, &gone, sizeof gone);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    fuzz_demand(s >= 0 && connect(s, (struct sockaddr *)&to, sizeof to) == 0, "it listens", &none);
    return s;
}

/* The server may have closed by now. */
static void say(int s, const void *data, size_t size)
{
    if (size > 0) (void)!send(s, data, size, MSG_NOSIGNAL);
}

static size_t hear(int s, char *text, size_t room)
{
    static char rest[65536];
    size_t all = 0;
    for (;;) {
        char *to = all < room ? text + all : rest;
        const ssize_t n = recv(s, to, all < room ? room - all : sizeof rest, 0);
        fuzz_demand(n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK), "it closes in time",
                    &none);
        if (n <= 0) return all;
        all += (size_t)n;
    }
}

static void ask_properly(void)
{
    char text[512], answer[256] = {0};
    const int s = join();
    const int size =
        snprintf(text, sizeof text,
                 "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", port);
    say(s, text, (size_t)size);
    hear(s, answer, sizeof answer - 1);
    fuzz_demand(strncmp(answer, "HTTP/1.1 200", 12) == 0, "the page is there", &none);
    close(s);
}

static void shake_hands(int s)
{
    char text[512];
    const int size =
        snprintf(text, sizeof text,
                 "GET /stream HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: jostle\r\n\r\n",
                 port);
    say(s, text, (size_t)size);
}

static void say_line(int s, const uint8_t *line, size_t size)
{
    uint8_t frame[200];
    const size_t n = size < 120 ? size : 120;
    frame[0] = 0x81;
    frame[1] = (uint8_t)(0x80 | n);
    memcpy(frame + 2, "\x11\x22\x33\x44", 4);
    for (size_t k = 0; k < n; k++)
        frame[6 + k] = line[k] ^ frame[2 + k % 4];
    say(s, frame, 6 + n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned count;
    if (size < 2 || size > 4096) return 0;
    start();
    if (++count % 512 == 0) ask_properly();
    const int s = join();
    const unsigned how = data[0] % 3;
    const size_t piece = 1 + 64 * (size_t)data[1];
    data += 2;
    size -= 2;
    if (how > 0) shake_hands(s);
    while (size > 0) {
        const uint8_t *end = how == 2 ? memchr(data, '\n', size) : NULL;
        const size_t n = end != NULL ? (size_t)(end - data) + 1 : size < piece ? size : piece;
        if (how == 2)
            say_line(s, data, end != NULL ? n - 1 : n);
        else
            say(s, data, n);
        data += n;
        size -= n;
    }
    shutdown(s, SHUT_WR);
    hear(s, NULL, 0);
    close(s);
    return 0;
}
