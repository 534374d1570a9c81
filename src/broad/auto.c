/* auto.c — the method that chooses among the others, and says why.
 *
 * From scratch: a handful of bodies are compared all with all; otherwise the cost model of
 * rows_plan.c divides the sizes into levels; if one level is the cheapest that is `grid`, else
 * `hgrid`, and the same plan is then carried out. The other methods are never faster in this
 * implementation (`jostle compare` shows it on any data; the benchmark's table "auto" measures it
 * on many).
 *
 * Moving bodies: every find leaves word where some bodies are, so that the first update knows how
 * fast they move and can go on with `verlet`. When things move so fast that no skin pays it says
 * so, and the next updates are searches from scratch, 16 at first and twice as many each time,
 * before the lists are given another try.
 *
 * All methods return the same set, so switching is invisible but for its speed.
 *
 * Cost: that of the method chosen. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "broad/rows.h"
#include "broad/verlet.h"

extern const method jo_method_brute, jo_method_grid, jo_method_hgrid, jo_method_verlet;

enum { BRUTE_MAX = 40, REST_FIRST = 16, REST_MAX = 1024 };

/* hgrid with one level is grid, so one state serves both. */
typedef enum choice { BRUTE, ROWS, VERLET, CHOICES } choice;

static const method *const method_of[CHOICES] = {&jo_method_brute, &jo_method_hgrid,
                                                 &jo_method_verlet};

typedef struct auto_state {
    void *state[CHOICES]; /* made when first needed */
    choice last;
    bool chosen;           /* `last` means something */
    const char *method;    /* its name: grid or hgrid for ROWS */
    bool following;        /* verlet's state is that of the last call */
    unsigned rest, rested; /* updates to go from scratch; how long the last such rest was */

    /* for the reason */
    size_t n;
    const char *bodies;
    double ratio, skin;
    bool slow; /* verlet has a list */
    char why[400];
} auto_state;

static bool need_state(auto_state *s, choice c)
{
    const size_t size = method_of[c]->state_size;
    if (s->state[c] == NULL && size > 0) s->state[c] = calloc(1, size);
    return s->state[c] != NULL || size == 0;
}

/* Runs a method, remembers what the reason needs, and counts a change of method. */
static jo_status run(auto_state *s, choice c, bool coherent, const query *q, pairlist *out,
                     jo_broad_stats *stats, jo_error *error)
{
    const method *m = method_of[c];
    if (!need_state(s, c)) return jo_fail_memory(error, m->state_size, "a method's state");
    const jo_status status = (coherent ? m->update : m->find)(s->state[c], q, out, stats, error);
    if (status != JO_OK) return status;

    const char *name = m->info.name;
    if (c == ROWS && ((rows *)s->state[c])->levels == 1) name = jo_method_grid.info.name;
    stats->method = name;
    if (s->chosen && s->method != name) stats->switches++;
    s->last = c;
    s->chosen = true;
    s->method = name;
    s->n = q->bodies->n;
    s->bodies = q->bodies->shape == JO_BOXES ? "boxes" : q->bodies->dim == 2 ? "discs" : "spheres";
    if (q->survey != NULL)
        s->ratio = q->survey->r_min > 0.0 ? q->survey->r_max / q->survey->r_min : 0.0;
    return JO_OK;
}

/* Lists for moving bodies; given up for a while when no skin pays. */
static jo_status follow(auto_state *s, const query *q, pairlist *out, jo_broad_stats *stats,
                        jo_error *error)
{
    const jo_status status = run(s, VERLET, true, q, out, stats, error);
    s->following = status == JO_OK;
    if (status != JO_OK) return status;
    s->skin = stats->skin;
    s->slow = stats->skin > 0.0 || q->def->skin >= 0.0;
    if (s->slow) {
        s->rested = 0;
    } else {
        s->rested = s->rested == 0 ? REST_FIRST : s->rested < REST_MAX ? 2 * s->rested : REST_MAX;
        s->rest = s->rested;
        s->following = false;
    }
    return JO_OK;
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    auto_state *s = state;
    const choice c = q->bodies->n <= BRUTE_MAX ? BRUTE : ROWS;
    const jo_status status = run(s, c, false, q, out, stats, error);
    s->following = false;
    if (s->rest > 0)
        s->rest--;
    else if (status == JO_OK && c == ROWS && need_state(s, VERLET)) {
        jo_verlet_watch(s->state[VERLET], q);
        s->following = true;
    }
    return status;
}

static jo_status update(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                        jo_error *error)
{
    auto_state *s = state;
    if (s->following) return follow(s, q, out, stats, error);
    survey measured;
    const jo_status status = jo_survey(q->bodies, q->domain, &measured, error);
    if (status != JO_OK) return status;
    query surveyed = *q;
    surveyed.survey = &measured;
    return find(state, &surveyed, out, stats, error);
}

static void release(void *state)
{
    auto_state *s = state;
    for (int c = 0; c < CHOICES; c++) {
        if (s->state[c] == NULL) continue;
        method_of[c]->release(s->state[c]);
        free(s->state[c]);
    }
}

static size_t bytes(const void *state)
{
    const auto_state *s = state;
    size_t total = 0;
    for (int c = 0; c < CHOICES; c++)
        if (s->state[c] != NULL)
            total += method_of[c]->state_size + method_of[c]->bytes(s->state[c]);
    return total;
}

static void explain_rows(const auto_state *s, char *text, size_t size)
{
    const rows_plan *plan = &((const rows *)s->state[ROWS])->plan;
    char sizes[64] = "some of size zero";
    if (s->ratio > 0.0) snprintf(sizes, sizeof sizes, "sizes 1:%.3g", s->ratio);
    if (plan->levels == 1)
        snprintf(
            text, size,
            "grid: %zu %s, %s: one grid is predicted to take %.0f ns a body, and dividing them "
            "into levels by size would not pay",
            s->n, s->bodies, sizes, plan->nanoseconds);
    else
        snprintf(text, size,
                 "hgrid: %zu %s, %s: %d levels by size are predicted to take %.0f ns a body, "
                 "against %.0f in one grid",
                 s->n, s->bodies, sizes, plan->levels, plan->nanoseconds, plan->nanoseconds_one);
}

static void explain_verlet(const auto_state *s, char *text, size_t size)
{
    if (s->slow)
        snprintf(text, size,
                 "verlet: the %zu %s move slowly enough between updates for lists with a skin of "
                 "%.3g to last",
                 s->n, s->bodies, s->skin);
    else
        snprintf(text, size,
                 "verlet: the %zu %s move too fast for lists; the next %u updates are from scratch",
                 s->n, s->bodies, s->rest);
}

/* The reason is put into words only when somebody asks. */
static const char *why(void *state)
{
    auto_state *s = state;
    if (!s->chosen) return "nothing has been searched yet";
    if (s->last == ROWS)
        explain_rows(s, s->why, sizeof s->why);
    else if (s->last == VERLET)
        explain_verlet(s, s->why, sizeof s->why);
    else
        snprintf(s->why, sizeof s->why, "brute: for %zu %s comparing all pairs is the fastest",
                 s->n, s->bodies);
    return s->why;
}

const method jo_method_auto = {
    .info = {.name = "auto",
             .summary = "chooses among the methods from the data, and says why",
             .source = "jostle",
             .cost = "that of the method chosen",
             .when = "always, unless you know better",
             .options = "skin",
             .coherent = true,
             .threaded = true},
    .state_size = sizeof(auto_state),
    .find = find,
    .update = update,
    .update_surveys = true,
    .release = release,
    .bytes = bytes,
    .why = why,
};
