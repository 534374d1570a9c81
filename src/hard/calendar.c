/* calendar.c — days that are joined to the run, pages that are filled, the heap beside them.
 *
 * A day is sorted by counting, for each entry, those before it, which needs no branch; a long one
 * (at the start of a lattice all collisions may fall on one day) by merging, so that the worst is
 * O(n log n). Full pages of a day that was joined are free for days to come. */
#include "hard/calendar.h"

#include <string.h>

enum { DAYS_MIN = 16, PAGES_MIN = 64, RUN_MIN = 256, SHORT_DAY = 48, COUNTED_DAY = 20 };

bool jo_calendar_make(calendar *c, uint32_t days)
{
    if (days < DAYS_MIN) days = DAYS_MIN;
    if (!jo_buffer_reserve(&c->memory_pages, (size_t)days + PAGES_MIN, sizeof *c->pages) ||
        !jo_buffer_reserve(&c->memory_run, RUN_MIN, 2 * sizeof *c->run) ||
        !jo_buffer_reserve(&c->memory_heap, RUN_MIN, sizeof *c->heap))
        return false;
    c->days = days;
    c->pages = c->memory_pages.data;
    c->page_room = (uint32_t)(c->memory_pages.size / sizeof *c->pages);
    c->run = c->memory_run.data;
    c->run_room = c->memory_run.size / sizeof *c->run / 2;
    c->heap = c->memory_heap.data;
    c->heap_room = c->memory_heap.size / sizeof *c->heap;
    return true;
}

void jo_calendar_free(calendar *c)
{
    jo_buffer_free(&c->memory_pages);
    jo_buffer_free(&c->memory_run);
    jo_buffer_free(&c->memory_heap);
    *c = (calendar){0};
}

size_t jo_calendar_bytes(const calendar *c)
{
    return c->memory_pages.size + c->memory_run.size + c->memory_heap.size;
}

void jo_calendar_begin(calendar *c, double length)
{
    c->length = length;
    c->per_time = c->days / length;
    c->day = 0;
    for (uint32_t day = 0; day < c->days; day++) {
        c->pages[day].count = 0;
        c->pages[day].next = PAGE_NONE;
    }
    c->page_count = c->days;
    c->page_free = PAGE_NONE;
    c->run_count = c->run_at = c->heap_count = 0;
    c->wait_count = 0;
}

/* Moves the contents of a full page, so that the day's own is empty again. */
void jo_calendar_turn_page(calendar *c, uint32_t day)
{
    uint32_t p = c->page_free;
    if (p != PAGE_NONE) {
        c->page_free = c->pages[p].next;
    } else {
        if (c->page_count == c->page_room) {
            const size_t used = c->page_count * sizeof *c->pages;
            if (!jo_buffer_grow(&c->memory_pages, used, (size_t)c->page_count + PAGES_MIN,
                                sizeof *c->pages)) {
                c->failed = true;
                return;
            }
            c->pages = c->memory_pages.data;
            c->page_room = (uint32_t)(c->memory_pages.size / sizeof *c->pages);
        }
        p = c->page_count++;
    }
    c->pages[p] = c->pages[day];
    c->pages[day].count = 0;
    c->pages[day].next = p;
}

/* ---- the heap ---- */

void jo_calendar_push(calendar *c, entry e)
{
    if (c->heap_count == c->heap_room) {
        if (!jo_buffer_grow(&c->memory_heap, c->heap_count * sizeof *c->heap, 2 * c->heap_room,
                            sizeof *c->heap)) {
            c->failed = true;
            return;
        }
        c->heap = c->memory_heap.data;
        c->heap_room = c->memory_heap.size / sizeof *c->heap;
    }
    size_t k = c->heap_count++;
    while (k > 0 && entry_before(c, &e, &c->heap[(k - 1) / 2])) {
        c->heap[k] = c->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    c->heap[k] = e;
}

void jo_calendar_pop_heap(calendar *c)
{
    const entry last = c->heap[--c->heap_count];
    const size_t n = c->heap_count;
    size_t k = 0;
    for (size_t child = 1; child < n; child = 2 * k + 1) {
        if (child + 1 < n && entry_before(c, &c->heap[child + 1], &c->heap[child])) child++;
        if (!entry_before(c, &c->heap[child], &last)) break;
        c->heap[k] = c->heap[child];
        k = child;
    }
    c->heap[k] = last;
}

/* ---- days ---- */

static void sort_short(const calendar *c, entry *e, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        const entry x = e[k];
        size_t at = k;
        for (; at > 0 && entry_before(c, &x, &e[at - 1]); at--)
            e[at] = e[at - 1];
        e[at] = x;
    }
}

/* How many are before each is where it goes. False where times are equal. */
static bool sort_counted(entry *e, size_t n)
{
    double time[COUNTED_DAY];
    uint32_t ball[COUNTED_DAY];
    uint64_t taken = 0;
    for (size_t k = 0; k < n; k++) {
        time[k] = e[k].time;
        ball[k] = e[k].ball;
    }
    for (size_t k = 0; k < n; k++) {
        uint64_t before = 0;
        for (size_t l = 0; l < n; l++)
            before += time[l] < time[k];
        taken |= UINT64_C(1) << before;
        e[before].time = time[k];
        e[before].ball = ball[k];
    }
    if (taken + 1 == UINT64_C(1) << n) return true;
    for (size_t k = 0; k < n; k++)
        e[k] = (entry){time[k], ball[k], 0};
    return false;
}

/* Runs of SHORT_DAY sorted by insertion, merged pair by pair between the day and the spare room. */
static void sort_long(const calendar *c, entry *day, size_t n, entry *spare)
{
    entry *from = day, *to = spare;
    for (size_t at = 0; at < n; at += SHORT_DAY)
        sort_short(c, from + at, n - at < SHORT_DAY ? n - at : SHORT_DAY);
    for (size_t width = SHORT_DAY; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            const size_t middle = at + width < n ? at + width : n;
            const size_t end = at + 2 * width < n ? at + 2 * width : n;
            size_t a = at, b = middle;
            for (size_t k = at; k < end; k++)
                to[k] = b >= end || (a < middle && !entry_before(c, &from[b], &from[a]))
                            ? from[a++]
                            : from[b++];
        }
        entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != day) memcpy(day, from, n * sizeof *from);
}

/* Room for the run with a day joined to it, and as much again to sort in. */
static bool room_for_day(calendar *c, size_t count)
{
    c->run_count -= c->run_at;
    memmove(c->run, c->run + c->run_at, c->run_count * sizeof *c->run);
    c->run_at = 0;
    const size_t all = c->run_count + count;
    if (all <= c->run_room) return true;
    if (!jo_buffer_grow(&c->memory_run, c->run_count * sizeof *c->run, 2 * all, sizeof *c->run)) {
        c->failed = true;
        return false;
    }
    c->run = c->memory_run.data;
    c->run_room = c->memory_run.size / sizeof *c->run / 2;
    return true;
}

/* Writes the entries of a page that are current, and returns where the next go. */
static entry *look_up(const calendar *c, uint32_t day, const page *from, entry *to)
{
    for (uint32_t k = 0; k < from->count; k++) {
        const uint32_t ball = from->ball[k];
        const double time = pending(&c->plans[ball]);
        to->time = time;
        to->ball = ball;
        to += time < c->length && calendar_day(c, time) == day;
    }
    return to;
}

static void open_day(calendar *c, uint32_t day)
{
    page *first = &c->pages[day];
    size_t room = first->count;
    for (uint32_t p = first->next; p != PAGE_NONE; p = c->pages[p].next)
        room += PAGE_BALLS;
    if (!room_for_day(c, room + 1)) return;
    entry *from = c->run + c->run_count, *to = look_up(c, day, first, from);
    while (first->next != PAGE_NONE) {
        const uint32_t p = first->next;
        to = look_up(c, day, &c->pages[p], to);
        first->next = c->pages[p].next;
        c->pages[p].next = c->page_free;
        c->page_free = p;
    }
    first->count = 0;
    const size_t count = (size_t)(to - from);
    if (count > SHORT_DAY)
        sort_long(c, from, count, c->run + c->run_room);
    else if (count > COUNTED_DAY || !sort_counted(from, count))
        sort_short(c, from, count);
    c->run_count += count;
}

/* Asks memory for the plans of the balls of a page. */
static void fetch_plans(const calendar *c, const page *from)
{
    for (uint32_t k = 0; k < from->count; k++)
        __builtin_prefetch(&c->plans[from->ball[k]], 1);
}

void jo_calendar_next_day(calendar *c)
{
    for (; c->wait_count > 0; c->wait_count--) {
        const waiting w = c->wait[(c->wait_at - c->wait_count) % CALENDAR_WAITING];
        calendar_write(c, w.day, w.ball);
    }
    while (++c->day < c->days) {
        if (c->pages[c->day].count == 0) continue;
        if (c->far_apart && c->day + 1 < c->days) fetch_plans(c, &c->pages[c->day + 1]);
        open_day(c, c->day);
        return;
    }
}
