/* viewer_layout.h — how binary messages to the page lie in memory: a header, then blocks, each an
 * array that begins at a multiple of 8 bytes. docs/viewer.md describes them byte by byte. */
#ifndef CLI_VIEWER_LAYOUT_H
#define CLI_VIEWER_LAYOUT_H

#include <string.h>

#include "viewer.h"

enum {
    HEADER = 80,
    BLOCK = 16,
    TYPE_F32 = 1,
    TYPE_U32 = 2,
    TYPE_U8 = 3,
    TYPE_F64 = 4,
    TYPE_U16 = 5,
    TYPE_F16 = 6,
    TYPE_I16 = 7
};
enum {
    BLOCK_POSITION = 1,
    BLOCK_SPEED,
    BLOCK_FORCE,
    BLOCK_CONTACTS,
    BLOCK_SPIN,
    BLOCK_ID,
    BLOCK_RADIUS,
    BLOCK_MATERIAL,
    BLOCK_FIXED,
    BLOCK_TRIANGLES,
    BLOCK_OWNER,
    BLOCK_ROWS,
    BLOCK_LINES,
    BLOCK_SHAPE,
    BLOCK_ORIENTATION,
    BLOCK_OUTLINE,
    BLOCK_CORNERS,
    BLOCK_SIDES,
    BLOCK_EVENT,
    BLOCK_SCALE,
    BLOCK_BOX,
    BLOCK_SIDE_KEYS
};

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "messages are written as they lie in memory: a big-endian machine needs them turned around"
#endif

typedef struct message_header {
    uint32_t kind, version, serial, blocks;
    uint32_t bodies, walls; /* serials of the messages that a frame belongs to */
    double time, step, index;
    double origin[3];
    uint32_t n, first;
} message_header;
_Static_assert(sizeof(message_header) == HEADER, "as docs/viewer.md says");

static inline size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static inline size_t block_size(size_t count, size_t width)
{
    return BLOCK + padded(count * width);
}

/* A block's header at *at; returns where its values go, and moves *at behind it. */
static inline void *block(uint8_t **at, uint32_t what, uint32_t type, uint32_t components,
                          size_t bytes)
{
    const uint32_t head[4] = {what, type, components, (uint32_t)bytes};
    memcpy(*at, head, sizeof head);
    uint8_t *values = *at + BLOCK;
    memset(values + bytes, 0, padded(bytes) - bytes);
    *at = values + padded(bytes);
    return values;
}

#endif
