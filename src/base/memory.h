/* memory.h — buffers that grow and are reused.
 *
 * A buffer keeps what it has until jo_buffer_free, so that the second search of the same size
 * allocates nothing. Large buffers are aligned and, on Linux, asked to use huge pages: touching
 * fresh 4 KiB pages costs as much as the search itself at a million bodies. */
#ifndef JO_BASE_MEMORY_H
#define JO_BASE_MEMORY_H

#include "jostle/base.h"

#define JO_ALIGNMENT 64

typedef struct buffer {
    void *data;  /* aligned to JO_ALIGNMENT; NULL when empty */
    size_t size; /* bytes */
} buffer;

/* Makes room for count elements of size bytes; the old contents are lost when it has to grow.
 * Returns false when memory ran out: the buffer is then as before. */
bool jo_buffer_reserve(buffer *b, size_t count, size_t size);

/* The same, but the first `used` bytes survive, and it grows by at least half. */
bool jo_buffer_grow(buffer *b, size_t used, size_t count, size_t size);

void jo_buffer_free(buffer *b);

/* Instead of jo_buffer_free by one who will want it again soon: until jo_buffer_take_back, large buffers
 * are cut from its memory. Where another is lent already, or it is small, it is freed and the answer
 * false. */
bool jo_buffer_lend(buffer *b);
/* By who has lent, once: puts the memory into b, which is empty; b stays so when pieces of it are still
 * in use. Reserve as always. */
void jo_buffer_take_back(buffer *b);
size_t jo_buffer_lent_unused(void); /* bytes that nobody uses just now */

#endif
