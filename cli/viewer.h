/* viewer.h — the page in the browser, as the rest of the program sees it: a server in a thread of
 * its own that is handed messages and never makes anyone wait. See docs/viewer.md for the protocol.
 *
 * A message is a `blob`: bytes that do not change, shared by counting. Each client has one place
 * per slot; a message that was not sent yet when the next one comes is dropped. So a client that
 * reads slowly misses frames, and holds at most one message per slot and the one under way. */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include <stdatomic.h>

#include "cli.h"

typedef struct blob {
    atomic_uint holders;
    bool text;       /* JSON; else binary */
    uint32_t serial; /* not 0: a client that was sent it is not sent it again */
    float grain;     /* of a frame: how far apart positions may be; 0: only exactly as they are */
    struct blob *small; /* the same, packed; the server's thread makes it where that will do */
    size_t size, capacity;
    uint8_t data[];
} blob;

/* NULL: no memory. The caller holds it. Large ones are used again: fresh memory costs more than
 * what is written into it. */
blob *blob_make(size_t size);
blob *blob_keep(blob *b);
void blob_drop(blob *b); /* NULL is fine */
void blob_forget(void);  /* gives back what is kept for use */

/* In the order in which they are sent; after a frame the others have their turn before the next. */
typedef enum viewer_slot {
    SLOT_HELLO,  /* JSON: what is shown */
    SLOT_BODIES, /* what seldom changes about bodies */
    SLOT_WALLS,
    SLOT_FRAME,
    SLOT_LINES,  /* contacts, where someone wants them */
    SLOT_ROWS,   /* measures: nothing is handed over here, see viewer_rows */
    SLOT_STATUS, /* JSON: how far, where the time goes, alarms */
    SLOT_DETAIL, /* JSON: the body that was picked */
    SLOT_NEXT,   /* JSON: events to come, where someone wants them */
    SLOTS
} viewer_slot;

/* What clients may want of frames beyond positions: bits. */
enum {
    WANT_SPEED = 1,
    WANT_FORCE = 2,
    WANT_CONTACTS = 4, /* their number */
    WANT_SPIN = 8,
    WANT_LINES = 16, /* the contacts themselves */
    WANT_NEXT = 32,  /* the next events */
    WANT_TRIANGULATION = 64,
    WANT_EXACT = 128 /* positions as floats, however many bodies there are */
};

enum { VIEWER_CLIENTS = 16, VIEWER_COMMAND = 256, VIEWER_URL = 200 };

typedef struct viewer_options {
    const char *address; /* NULL: 127.0.0.1; others need the token in the address printed */
    int port;            /* 0: a free one */
} viewer_options;

typedef struct viewer viewer;

/* Whether this build can; and if not, the sentence that says so. */
bool viewer_available(void);
jo_status viewer_start(const viewer_options *options, viewer **made, jo_error *error);
/* Sends what is waiting to those who read, for at most `patience` seconds, and ends. NULL is
 * fine. */
void viewer_stop(viewer *v, double patience);
const char *viewer_url(const viewer *v);

size_t viewer_clients(viewer *v); /* connected now */
unsigned viewer_wants(viewer *v); /* of all of them together */
/* Ids of the bodies that were picked, each once; returns how many. */
size_t viewer_picks(viewer *v, uint64_t ids[VIEWER_CLIENTS]);
/* Likewise pairs of bodies to be told about. */
size_t viewer_pairs(viewer *v, uint64_t pairs[VIEWER_CLIENTS][2]);
/* Grows whenever a client comes, goes, wants something else or picks another body. */
uint64_t viewer_changes(viewer *v);

/* Hands a message over (the caller's hold with it) to everyone, now and later. */
void viewer_publish(viewer *v, viewer_slot slot, blob *message);
/* Several at once, so that nobody gets one without the others; NULL: that slot stays as it is. With
 * a client's number only that one gets them, if it is still there. */
void viewer_hand_over(viewer *v, uint64_t client, blob *messages[SLOTS]);
enum { VIEWER_EVERYONE = 0 };

/* Rows of measures: kept, and sent to each client from the first on. */
jo_status viewer_rows(viewer *v, const double *values, size_t columns, size_t rows,
                      jo_error *error);

/* What a client asks for. */
typedef struct viewer_wish {
    uint64_t client;
    uint64_t frame;
    unsigned wants;   /* that client's */
    uint64_t pick;    /* that client's; JO_NO_BODY: none */
    uint64_t other;   /* the second body of a pair; JO_NO_BODY: none */
    uint64_t of_pick; /* differs when the pick or the wants have changed */
} viewer_wish;
/* The next wish for a frame, waiting for it up to so many seconds; false: none came. Clients take
 * turns; of one client the latest wish counts. */
bool viewer_wish_next(viewer *v, double seconds, viewer_wish *wish);
/* The next line that a client sent for the run to act on, waiting up to so many seconds. */
bool viewer_command(viewer *v, double seconds, char text[VIEWER_COMMAND]);

#endif
