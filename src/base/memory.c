/* memory.c — growing, aligned, reusable buffers. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

static void *allocate(size_t bytes)
{
    const bool huge = bytes >= 2 * HUGE_PAGE;
    const size_t align = huge ? HUGE_PAGE : JO_ALIGNMENT;
    if (bytes > SIZE_MAX - align) return NULL;
    void *data = aligned_alloc(align, (bytes + align - 1) / align * align);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (huge && data != NULL) madvise(data, bytes, MADV_HUGEPAGE);
#endif
    return data;
}

static bool multiply(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

bool jo_buffer_reserve(buffer *b, size_t count, size_t size)
{
    size_t bytes;
    if (!multiply(count, size, &bytes)) return false;
    if (bytes <= b->size) return true;
    void *data = allocate(bytes);
    if (data == NULL) return false;
    free(b->data);
    b->data = data;
    b->size = bytes;
    return true;
}

bool jo_buffer_grow(buffer *b, size_t used, size_t count, size_t size)
{
    size_t bytes;
    if (!multiply(count, size, &bytes)) return false;
    if (bytes <= b->size) return true;
    const size_t generous = b->size + b->size / 2;
    if (bytes < generous) bytes = generous;
    void *data = allocate(bytes);
    if (data == NULL) return false;
    if (used > 0) memcpy(data, b->data, used);
    free(b->data);
    b->data = data;
    b->size = bytes;
    return true;
}

void jo_buffer_free(buffer *b)
{
    free(b->data);
    *b = (buffer){0};
}
