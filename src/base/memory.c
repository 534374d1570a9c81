/* memory.c — growing, aligned, reusable buffers.
 *
 * Lending: who has much memory that is dead for a while can lend it. Large buffers that the same
 * thread makes then are cut from it, one behind the other, and cost no fresh pages, which the
 * system would have to clear: at a million bodies that takes longer than what is done with them.
 * One owner lends at a time in a process; any thread may free what was cut. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* mmap, madvise */
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
    size_t left;       /* kept for what comes later: cuts stop before it */
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
    const size_t unused = lent.size - lent.used;
    const size_t most = unused > lent.left ? unused - lent.left : 0;
    if (lent.owner == &this_thread && bytes <= most && aligned_size(bytes) <= most) {
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

void jo_buffer_lend_leave(size_t bytes)
{
    enter();
    if (lent.owner == &this_thread) lent.left = bytes;
    leave();
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

/* Large buffers come from the system and go back to it at once: what free() keeps of them for later
 * is memory that is held, too, an eighth more at a million bodies. Sanitizers get to see them
 * instead. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__linux__) && defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__) &&              \
    !defined(SANITIZED)
static bool is_mapped(size_t bytes)
{
    return bytes >= 2 * HUGE_PAGE;
}

/* What is mapped for so many bytes: whole small pages, so that no huge one is cleared for a few. */
static size_t mapped_size(size_t bytes)
{
    enum { PAGE = 4096 };
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void *map(size_t bytes)
{
    const size_t size = mapped_size(bytes);
    char *data =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)data % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0) munmap(data, before);
    data += before;
    if (HUGE_PAGE > before) munmap(data + size, HUGE_PAGE - before);
    madvise(data, size, MADV_HUGEPAGE);
    return data;
}

static void unmap(void *data, size_t bytes)
{
    munmap(data, mapped_size(bytes));
}
#else
static bool is_mapped(size_t bytes)
{
    (void)bytes;
    return false;
}

static void *map(size_t bytes)
{
    (void)bytes;
    return NULL;
}

static void unmap(void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}
#endif

static void *allocate(size_t bytes, bool plain)
{
    void *piece = plain ? NULL : cut(bytes);
    if (piece != NULL) return piece;
    if (bytes > SIZE_MAX / 2) return NULL;
    return is_mapped(bytes) && !plain ? map(bytes)
                                      : aligned_alloc(JO_ALIGNMENT, aligned_size(bytes));
}

static bool multiply(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

static void release(buffer *b)
{
    if (b->data == NULL || give_back(b->data, b->size)) return;
    if (is_mapped(b->size) && !b->plain)
        unmap(b->data, b->size);
    else
        free(b->data);
}

bool jo_buffer_reserve(buffer *b, size_t count, size_t size)
{
    size_t bytes;
    if (!multiply(count, size, &bytes)) return false;
    if (bytes <= b->size) return true;
    void *data = allocate(bytes, b->plain);
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
    void *data = allocate(bytes, b->plain);
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
