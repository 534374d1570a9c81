/* memos.h — room for what contacts remember from step to step.
 *
 * A contact's memo is a row of bytes: the tangential history xi and the normal dashpot's force a
 * step ago ("pull"), as doubles; where the law and the account of energy need more, that follows as
 * floats, and pull is the first of them: torque of rolling resistance a step ago, the rolling
 * spring's moment. With a tangential dashpot the force of both dashpots takes the place of pull:
 * one of them acts along the line of centres and the other across, so that three numbers are
 * enough. Only entries that are contacts have a memo. A block's memos are numbered and lie in
 * pages, MEMO_ROWS on each, which all blocks take from one pool: so one block can grow while others
 * give back, and while lists are made memos move to their new blocks page by page, with no room for
 * a second copy. Where a page lies depends on which thread came first; what is on it does not. */
#ifndef JO_SOFT_MEMOS_H
#define JO_SOFT_MEMOS_H

#include <stdatomic.h>

#include "base/memory.h"
#include "law/law.h"

enum { MEMO_ROWS = 64 };
#define NO_ROW UINT32_MAX

/* Bytes of a memo, and where in it are the float of pull (0: it is a double; where there is drag:
 * it is in that) and three floats each of the others (0: the law does not need them), in this
 * order. */
typedef struct memo_layout {
    uint32_t size, pull, drag, twist, roll;
} memo_layout;

memo_layout jo_memo_layout(const law *l, bool account);
/* The contact is seen from its other body. */
void jo_memo_turn(const memo_layout *memo, char *row);

/* A page, or NULL: several threads may ask for the same. */
typedef _Atomic(char *) memo_page;

typedef struct memo_pool {
    atomic_flag busy;
    size_t page_size;
    char *unused;  /* list of pages, each beginning with the address of the next */
    size_t pages;  /* of all pieces */
    buffer pieces; /* of buffers */
    size_t piece_count;
    size_t bytes;
} memo_pool;

void jo_memo_pool_start(memo_pool *pool, const memo_layout *memo);
void jo_memo_pool_end(memo_pool *pool);
/* Any thread; NULL: memory ran out. */
char *jo_memo_take(memo_pool *pool);
void jo_memo_give(memo_pool *pool, char *page);
/* The page of that place, taken now if there is none yet. Any thread. */
char *jo_memo_page(memo_pool *pool, memo_page *place);
/* Makes at least as many pages in one piece, unless there are as many in all. */
bool jo_memo_reserve(memo_pool *pool, size_t pages);

#endif
