/* calendar.h — which ball has the next event: a calendar queue of one epoch.
 *
 * Time in an epoch, [0, length), is cut into days of equal length. A day has a page with the balls
 * that have an event on it, in no order and without the time: that stands in the ball's plan.
 * Shortly before a day begins its balls are looked up; those whose plans have moved to another day
 * are dropped, the others sorted and joined to the run of what comes up next, so that there is
 * always a stretch of the future to look at (for prefetching). What is put into days that were
 * joined goes into a small heap. Nothing is ever taken out: an entry is current if its time is
 * still that of its ball's plan. Events beyond the epoch are not kept at all; their owner puts them
 * in when the next epoch begins. So everything is O(1) as long as a day has a bounded number of
 * entries, and putting in touches one line of memory.
 *
 * The order is total: by time, and by the balls' ids where times are equal. It does not depend on
 * how the epoch is cut. */
#ifndef JO_HARD_CALENDAR_H
#define JO_HARD_CALENDAR_H

#include "base/memory.h"
#include "hard/plan.h"

typedef struct entry {
    double time;
    uint32_t ball;
    uint32_t spare;
} entry;

enum { PAGE_BALLS = 14, CALENDAR_AHEAD = 20, CALENDAR_WAITING = 8 };
#define PAGE_NONE 0xffffffffu

/* Balls of one day: a cache line. When it is full its contents move to a page of their own. */
typedef struct page {
    uint32_t count;
    uint32_t ball[PAGE_BALLS];
    uint32_t next; /* full pages, linked */
} page;

typedef struct waiting {
    uint32_t day, ball;
} waiting;

typedef struct calendar {
    double length;                             /* of the epoch */
    double per_time;                           /* days per unit of time */
    uint32_t days, day;                        /* the last day in the run */
    page *pages;                               /* one for each day, and behind them the full ones */
    uint32_t page_count, page_room, page_free; /* free ones are linked */
    entry *run;                                /* entries of days that were joined, in order */
    size_t run_count, run_room, run_at;
    entry *heap; /* those put in later */
    size_t heap_count, heap_room;
    const plan *plans;  /* of the balls: say when */
    const uint64_t *id; /* and these decide between equal times */
    bool far_apart;     /* plans and pages are too many for the caches */
    /* If they are, what is put in waits here for its page to be fetched; a ring. */
    waiting wait[CALENDAR_WAITING];
    uint32_t wait_at, wait_count;
    bool failed; /* memory ran out: an entry was lost */
    buffer memory_pages, memory_run, memory_heap;
} calendar;

static inline bool entry_before(const calendar *c, const entry *a, const entry *b)
{
    if (a->time != b->time) return a->time < b->time;
    return c->id[a->ball] < c->id[b->ball];
}

/* Room for `days` days; false when memory ran out. */
bool jo_calendar_make(calendar *c, uint32_t days);
void jo_calendar_free(calendar *c);
size_t jo_calendar_bytes(const calendar *c);

/* An empty epoch of that length, at its first day. */
void jo_calendar_begin(calendar *c, double length);

/* What the inline functions leave to these. */
void jo_calendar_turn_page(calendar *c, uint32_t day);
void jo_calendar_push(calendar *c, entry e);
void jo_calendar_pop_heap(calendar *c);
/* Joins the next day that has entries to the run, if there is one. */
void jo_calendar_next_day(calendar *c);

static inline uint32_t calendar_day(const calendar *c, double time)
{
    const uint32_t day = time > 0.0 ? (uint32_t)(time * c->per_time) : 0;
    return day < c->days ? day : c->days - 1; /* by rounding */
}

static inline void calendar_write(calendar *c, uint32_t day, uint32_t ball)
{
    if (c->pages[day].count == PAGE_BALLS) {
        jo_calendar_turn_page(c, day);
        if (c->failed) return;
    }
    page *to = &c->pages[day];
    to->ball[to->count++] = ball;
}

/* `time` is what the ball's plan says. */
static inline void calendar_put(calendar *c, double time, uint32_t ball)
{
    if (!(time < c->length)) return;
    const uint32_t day = calendar_day(c, time);
    if (day <= c->day) {
        jo_calendar_push(c, (entry){time, ball, 0});
        return;
    }
    if (!c->far_apart) {
        calendar_write(c, day, ball);
        return;
    }
    __builtin_prefetch(&c->pages[day], 1);
    waiting *w = &c->wait[c->wait_at++ % CALENDAR_WAITING];
    if (c->wait_count == CALENDAR_WAITING)
        calendar_write(c, w->day, w->ball);
    else
        c->wait_count++;
    *w = (waiting){day, ball};
}

/* The entry that comes up next, still in the calendar; NULL at the end of the epoch. */
static inline const entry *calendar_peek(calendar *c)
{
    while (c->run_count - c->run_at < CALENDAR_AHEAD && c->day < c->days)
        jo_calendar_next_day(c);
    const bool in_run = c->run_at < c->run_count;
    if (c->heap_count == 0) return in_run ? &c->run[c->run_at] : NULL;
    if (in_run && !entry_before(c, &c->heap[0], &c->run[c->run_at])) return &c->run[c->run_at];
    return &c->heap[0];
}

/* Takes out what peek returned. */
static inline void calendar_drop(calendar *c, const entry *peeked)
{
    if (peeked == c->heap && c->heap_count > 0)
        jo_calendar_pop_heap(c);
    else
        c->run_at++;
}

#endif
