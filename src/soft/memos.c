/* memos.c — pages for what contacts remember: see memos.h.
 *
 * The pool is a list of unused pages behind a lock that is held for a few instructions; pages are
 * asked for when contacts begin that lists did not foresee, and while lists are made. It grows by
 * pieces of a part of what it has, and never gives memory back before its end. */
#include <string.h>

#include "base/error.h"
#include "soft/engine.h"

memo_layout jo_memo_layout(const law *l, bool account)
{
    enum { XI = 3 * sizeof(double), VECTOR = 3 * sizeof(float) };
    memo_layout memo = {.size = XI + sizeof(double)};
    uint32_t *const places[] = {&memo.drag, &memo.twist, &memo.roll};
    const bool needed[] = {account && l->notes_drag, account && l->parts.rolling != JO_ROLLING_NONE,
                           l->remembers_rolling};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (needed[k]) {
            if (memo.pull == 0) {
                memo.pull = XI;
                memo.size = needed[0] ? XI : XI + sizeof(float);
            }
            *places[k] = memo.size;
            memo.size += VECTOR;
        }
    return memo;
}

void jo_memo_turn(const memo_layout *memo, char *row)
{
    double xi[3];
    memcpy(xi, row, sizeof xi);
    for (int a = 0; a < 3; a++)
        xi[a] = -xi[a];
    memcpy(row, xi, sizeof xi);
    const uint32_t places[] = {memo->drag, memo->twist, memo->roll};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        float vector[3];
        if (places[k] == 0) continue;
        memcpy(vector, row + places[k], sizeof vector);
        for (int a = 0; a < 3; a++)
            vector[a] = -vector[a];
        memcpy(row + places[k], vector, sizeof vector);
    }
}

/* ---- the pool ---- */

static void enter(memo_pool *pool)
{
    while (atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
    }
}

static void leave(memo_pool *pool)
{
    atomic_flag_clear_explicit(&pool->busy, memory_order_release);
}

void jo_memo_pool_start(memo_pool *pool, const memo_layout *memo)
{
    *pool = (memo_pool){.page_size = MEMO_ROWS * memo->size};
    atomic_flag_clear(&pool->busy);
}

void jo_memo_pool_end(memo_pool *pool)
{
    buffer *pieces = pool->pieces.data;
    for (size_t k = 0; k < pool->piece_count; k++)
        jo_buffer_free(&pieces[k]);
    jo_buffer_free(&pool->pieces);
    pool->piece_count = 0;
}

static void put(memo_pool *pool, char *page)
{
    memcpy(page, &pool->unused, sizeof pool->unused);
    pool->unused = page;
}

/* By who is alone with the pool. */
static bool more_pages(memo_pool *pool, size_t pages)
{
    enum { BEYOND = 16 }; /* vectors of four floats are read where there are three */
    buffer piece = {0};
    if (!jo_buffer_grow(&pool->pieces, pool->piece_count * sizeof piece, pool->piece_count + 1,
                        sizeof piece) ||
        !jo_buffer_reserve(&piece, pages * pool->page_size + BEYOND, 1))
        return false;
    ((buffer *)pool->pieces.data)[pool->piece_count++] = piece;
    for (size_t k = pages; k-- > 0;) /* taken in the order in which they lie */
        put(pool, (char *)piece.data + k * pool->page_size);
    pool->pages += pages;
    pool->bytes += piece.size;
    return true;
}

char *jo_memo_take(memo_pool *pool)
{
    enum { LEAST = 8, PART = 256 };
    enter(pool);
    if (pool->unused == NULL) more_pages(pool, LEAST + pool->pages / PART);
    char *page = pool->unused;
    if (page != NULL) memcpy(&pool->unused, page, sizeof pool->unused);
    leave(pool);
    return page;
}

void jo_memo_give(memo_pool *pool, char *page)
{
    enter(pool);
    put(pool, page);
    leave(pool);
}

char *jo_memo_page(memo_pool *pool, memo_page *place)
{
    char *page = atomic_load_explicit(place, memory_order_acquire), *none = NULL;
    if (page != NULL) return page;
    char *taken = jo_memo_take(pool);
    if (taken == NULL || atomic_compare_exchange_strong(place, &none, taken)) return taken;
    jo_memo_give(pool, taken); /* another was faster */
    return none;
}

bool jo_memo_reserve(memo_pool *pool, size_t pages)
{
    enter(pool);
    const bool enough = pages <= pool->pages || more_pages(pool, pages - pool->pages);
    leave(pool);
    return enough;
}

/* ---- the memos of lists ---- */

/* Buffers whose size changes a little each time are made larger by this part, so that most of the
 * time they are large enough: fresh memory costs more than what is done with it. */
bool jo_lists_reserve(buffer *b, size_t count, size_t size)
{
    enum { PART = 32 };
    if (count < SIZE_MAX / size && b->size >= count * size) return true;
    jo_buffer_free(b); /* what it holds is not needed, and there must not be both at a time */
    return jo_buffer_reserve(b, count + count / PART, size);
}

size_t jo_lists_pages(jo_soft *soft)
{
    size_t pages = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        block_list *list = &soft->s.list[b];
        list->page = pages;
        pages += ((size_t)list->inner + list->outer) / MEMO_ROWS + 1;
    }
    return pages;
}

void jo_lists_drop(jo_soft *soft)
{
    for (size_t b = 0; b < soft->blocks; b++)
        soft->s.list[b] = (block_list){0};
    soft->stats.list_pairs = 0;
}

jo_status jo_lists_memos(jo_soft *soft, jo_error *error)
{
    size_t late = 0, pages = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        block_list *list = &soft->s.list[b];
        list->late = late;
        list->memos = list->end[0][0] + list->end[1][0];
        late += (size_t)list->inner + list->outer - list->memos;
        pages += (list->memos + MEMO_ROWS - 1) / MEMO_ROWS;
    }
    if (!jo_memo_reserve(&soft->pool, pages))
        return jo_fail_memory(error, pages * soft->pool.page_size, "what contacts remember");
    return JO_OK;
}

jo_status jo_lists_late(jo_soft *soft, jo_error *error)
{
    size_t late = soft->stats.list_pairs;
    for (size_t b = 0; b < soft->blocks; b++)
        late -= soft->s.list[b].memos;
    if (!jo_lists_reserve(&soft->late_memo, late + 1, sizeof(uint32_t)))
        return jo_fail_memory(error, late * sizeof(uint32_t), "what contacts remember");
    memset(soft->late_memo.data, 0xff, late * sizeof(uint32_t)); /* NO_ROW */
    jo_state_view(soft);
    return JO_OK;
}

char *jo_lists_remember(const view *s, block_list *list, int part, uint32_t k)
{
    const uint32_t memo = list->memos;
    if (jo_memo_page(s->pool, &s->page[list->page + memo / MEMO_ROWS]) == NULL) return NULL;
    *late_of(s, list, part, k) = memo;
    list->memos++;
    return memo_at(s, list, memo);
}
