/* memory.c — growing, aligned, reusable buffers.
 *
 * Lending: who has much memory that is dead for a while can lend it. Large buffers that the same thread
 * makes then are cut from it, one behind the other, and cost no fresh pages, which the system would have
 * to clear: at a million bodies that takes longer than what is done with them. One owner lends at a
 * time in a process; any thread may free what was cut. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

/* ---- what is lent */

enum { LENT_LEAST = 1 << 20 }; /* smaller buffers are not cut from it */

typedef struct loan {
    char *data;
    size_t size, used;
    size_t pieces;     /* not given back yet */
    const char *owner; /* the thread that may cut; NULL: nobody any more */
} loan;

static loan lent;
static atomic_bool is_lent; /* looked at first: most of the time nothing is */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Thread_local char this_thread;

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
    }
}

static void leave(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static size_t aligned_size(size_t bytes)
{
    return (bytes + JO_ALIGNMENT - 1) / JO_ALIGNMENT * JO_ALIGNMENT;
}

static void *cut(size_t bytes)
{
    void *piece = NULL;
    if (bytes < LENT_LEAST || !atomic_load(&is_lent)) return NULL;
    enter();
    if (lent.owner == &this_thread && bytes <= lent.size - lent.used &&
        aligned_size(bytes) <= lent.size - lent.used) {
        piece = lent.data + lent.used;
        lent.used += aligned_size(bytes);
        lent.pieces++;
    }
    leave();
    return piece;
}

/* Whether data was a piece of what is lent. */
static bool give_back(void *data, size_t bytes)
{
    char *const piece = data;
    if (!atomic_load(&is_lent)) return false;
    enter();
    const bool is_piece = lent.data != NULL && piece >= lent.data && piece < lent.data + lent.size;
    if (is_piece) {
        lent.pieces--;
        if (piece + aligned_size(bytes) == lent.data + lent.used) lent.used -= aligned_size(bytes);
        if (lent.pieces == 0) lent.used = 0;
    }
    leave();
    return is_piece;
}

bool jo_buffer_lend(void *data, size_t size)
{
    const size_t before = (JO_ALIGNMENT - (uintptr_t)data % JO_ALIGNMENT) % JO_ALIGNMENT;
    if (size < LENT_LEAST + before) return false;
    enter();
    const bool taken = lent.data == NULL;
    if (taken) {
        lent = (loan){.data = (char *)data + before, .size = size - before, .owner = &this_thread};
        atomic_store(&is_lent, true);
    }
    leave();
    return taken;
}

size_t jo_buffer_lent_used(void)
{
    enter();
    const size_t used = lent.used;
    leave();
    return used;
}

void jo_buffer_lend_stop(void)
{
    enter();
    lent.owner = NULL;
    leave();
}

void jo_buffer_lend_end(void)
{
    enter();
    const size_t pieces = lent.pieces;
    lent = (loan){0};
    atomic_store(&is_lent, false);
    leave();
    JO_ASSERT(pieces == 0);
}

/* ---- buffers */

static void *allocate(size_t bytes)
{
    void *piece = cut(bytes);
    if (piece != NULL) return piece;
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

static void release(buffer *b)
{
    if (b->data != NULL && !give_back(b->data, b->size)) free(b->data);
}

bool jo_buffer_reserve(buffer *b, size_t count, size_t size)
{
    size_t bytes;
    if (!multiply(count, size, &bytes)) return false;
    if (bytes <= b->size) return true;
    void *data = allocate(bytes);
    if (data == NULL) return false;
    release(b);
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
    release(b);
    b->data = data;
    b->size = bytes;
    return true;
}

void jo_buffer_free(buffer *b)
{
    release(b);
    *b = (buffer){0};
}
