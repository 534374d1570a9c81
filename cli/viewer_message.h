/* viewer_message.h — messages to the page, made from what engines and files give. docs/viewer.md
 * describes them byte by byte; web/src/protocol.js reads them. */
#ifndef CLI_VIEWER_MESSAGE_H
#define CLI_VIEWER_MESSAGE_H

#include "json.h"
#include "view_pair.h"
#include "viewer.h"

enum { MESSAGE_VERSION = 1 };
typedef enum message_kind {
    MESSAGE_BODIES = 1,
    MESSAGE_WALLS = 2,
    MESSAGE_FRAME = 3,
    MESSAGE_ROWS = 4,
    MESSAGE_LINES = 5
} message_kind;

/* Remembers what was sent last, so that what did not change is not sent again. Zeroed to begin. */
typedef struct messenger {
    uint32_t serial; /* of the last message made */
    blob *bodies, *walls;
    uint64_t *id; /* of the bodies message */
    double *r;
    uint32_t *material;
    size_t n, room;
    bool shaped; /* some are polyhedra */
    float grain; /* see blob */
} messenger;

void messenger_free(messenger *m);

/* The messages of a moment; each is held for the caller. lines and detail may be NULL. */
typedef struct moment {
    blob *bodies, *walls, *frame, *lines, *detail, *next;
} moment;

/* What positions are relative to: the lower corner of the box, or 0. */
void find_origin(const jo_domain *domain, double origin[3]);

/* index counts frames; triangles are 9 doubles each, with the wall that each belongs to. */
jo_status moment_make(messenger *m, const jo_frame *f, uint64_t index, unsigned wants,
                      const double *triangles, const uint32_t *owner, size_t triangle_count,
                      moment *made, jo_error *error);
/* The same from a glance, where ids, radii and materials are those of the moment before: room for n
 * bodies in a message; fill g->x and the others wanted, then end. NULL: no memory. */
blob *glance_start(const messenger *m, const double origin[3], size_t n, unsigned wants,
                   jo_glance *g);
jo_status glance_end(messenger *m, blob *frame, const jo_glance *g, uint64_t index,
                     const double *triangles, const uint32_t *owner, size_t triangle_count,
                     moment *made, jo_error *error);
/* To one client, or VIEWER_EVERYONE. */
void moment_hand_over(viewer *v, uint64_t client, moment *made);

blob *message_rows(const double *values, size_t columns, size_t rows, size_t first);
blob *message_lines(const jo_frame *f, const jo_soft_contact *contacts, size_t count,
                    uint64_t index);

/* JSON: start, write to j, end. */
typedef struct text_message {
    char *text;
    size_t size;
    FILE *file;
    json j;
} text_message;
bool text_message_start(text_message *t);
blob *text_message_end(text_message *t); /* NULL: no memory */

/* Bodies to be told about. */
typedef struct detail_wishes {
    uint64_t ids[VIEWER_CLIENTS], pairs[VIEWER_CLIENTS][2];
    size_t id_count, pair_count;
    bool told; /* of what they touch: `contacts`, else what can be found with `walls` */
    const jo_soft_contact *contacts;
    size_t contact_count;
    wall_triangles walls;
} detail_wishes;
blob *message_detail(const jo_frame *f, const detail_wishes *wishes);

/* Events to come. */
blob *message_next(const jo_frame *f, const jo_hard_event *events, size_t count, uint64_t index);

#endif
