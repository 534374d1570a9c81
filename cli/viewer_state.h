/* viewer_state.h — what the server's thread and the program share: one lock, held for moments.
 *
 * viewer_state.c works on it for the program and for the server; server.c, which alone knows
 * libwebsockets, asks it what to send. No socket is touched and nothing is copied but rows of
 * measures while the lock is held, so that neither side waits for the other. */
#ifndef CLI_VIEWER_STATE_H
#define CLI_VIEWER_STATE_H

#include <pthread.h>

#include "viewer.h"

typedef struct viewer_client {
    uint64_t id; /* 0: this place is free */
    blob *waiting[SLOTS];
    uint32_t sent[SLOTS]; /* serials */
    size_t rows_sent;
    int turn;           /* the slot to look at next */
    bool paced;         /* it says when it has shown a frame */
    unsigned under_way; /* frames sent that it has not shown */
    bool wishes;        /* for a frame */
    uint64_t wish;
    unsigned wants;
    uint64_t pick, other, changes;
} viewer_client;

enum { VIEWER_COMMANDS = 64, VIEWER_UNDER_WAY = 2 };

struct viewer {
    pthread_mutex_t lock;
    pthread_cond_t something; /* a wish or a command came */
    viewer_client clients[VIEWER_CLIENTS];
    uint64_t last_id, changes;
    size_t turn; /* whose wish is next */
    blob *current[SLOTS];
    double *rows;
    size_t columns, row_count, row_room;
    char commands[VIEWER_COMMANDS][VIEWER_COMMAND]; /* a ring */
    size_t command_first, command_count;
    bool ending; /* what waits is sent, whoever is behind */
    struct server *server;
    char url[VIEWER_URL];
};

/* server.c */
struct server;
jo_status server_start(viewer *v, const viewer_options *options, struct server **made,
                       jo_error *error);
void server_wake(struct server *s); /* something waits to be sent */
void server_stop(struct server *s, double patience);

/* A client came (0: there is no room) or went. */
uint64_t viewer_join(viewer *v);
void viewer_leave(viewer *v, uint64_t id);
/* A line that a client sent; false: it makes no sense. */
bool viewer_said(viewer *v, uint64_t id, const char *line);
/* The next message for a client, held for the caller; NULL: nothing waits. */
blob *viewer_next(viewer *v, uint64_t id);
bool viewer_waiting(viewer *v, uint64_t id); /* whether there is one */
/* The end: nobody is spared from now on. Whether anything is still to be sent to anyone. */
bool viewer_unsent(viewer *v);

#endif
