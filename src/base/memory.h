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
    bool plain;  /* set by the owner of an empty one: data may be given away, to free() */
} buffer;

/* Makes room for count elements of size bytes; the old contents are lost when it has to grow.
 * Returns false when memory ran out: the buffer is then as before. */
bool jo_buffer_reserve(buffer *b, size_t count, size_t size);

/* The same, but the first `used` bytes survive, and it grows by at least half. */
bool jo_buffer_grow(buffer *b, size_t used, size_t count, size_t size);

void jo_buffer_free(buffer *b);

/* Memory that its owner does not need just now: until jo_buffer_lend_stop, large buffers that this
 * thread makes are cut from it. False where other memory is lent already, or there is little of
 * it. */
bool jo_buffer_lend(void *data, size_t size);
size_t jo_buffer_lent_used(void); /* bytes */
/* From now on what this thread cuts leaves so many bytes, for what comes later. */
void jo_buffer_lend_leave(size_t bytes);
void jo_buffer_lend_stop(void); /* buffers that have been cut stay */
void jo_buffer_lend_end(void);  /* all of them have been freed: it is the owner's alone again */

#endif
