/* auto.c — the method that chooses among the others, and says why.
 *
 * From scratch: a handful of bodies are compared all with all; otherwise the cost model of
 * rows_plan.c divides the sizes into levels, and if one level is the cheapest it is `grid`, else
 * `hgrid`. The other methods are never faster in this implementation (`jostle compare` shows it on
 * any data; the benchmark's table "auto" measures it on many).
 *
 * Moving bodies: `verlet`, whose skin is tuned from the motion it sees. When things move so fast that
 * no skin pays it says so, and the next updates are searches from scratch, 16 at first and twice as
 * many each time, before the lists are given another try.
 *
 * All methods return the same set, so switching is invisible but for its speed.
 *
 * Cost: that of the method chosen, and one plan. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "broad/rows.h"

extern const method jo_method_brute, jo_method_grid, jo_method_hgrid, jo_method_verlet;

enum { BRUTE_MAX = 48, REST_FIRST = 16, REST_MAX = 1024 };

typedef enum choice { BRUTE, GRID, HGRID, VERLET, CHOICES } choice;

static const method *const method_of[CHOICES] = {&jo_method_brute, &jo_method_grid,
                                                 &jo_method_hgrid, &jo_method_verlet};

typedef struct auto_state {
    void *state[CHOICES]; /* made when first needed */
    choice last;
    bool chosen;          /* `last` means something */
    bool following;       /* verlet's state is that of the last call */
    unsigned rest, rested; /* updates to go from scratch; how long the last such rest was */
    char why[400];
} auto_state;

static const char *shape_of(const query *q)
{
    if (q->bodies->shape == JO_BOXES) return "boxes";
    return q->bodies->dim == 2 ? "discs" : "spheres";
}

/* Runs a method and counts a change of method. */
static jo_status run(auto_state *s, choice c, bool coherent, const query *q, pairlist *out,
                     jo_broad_stats *stats, jo_error *error)
{
    const method *m = method_of[c];
    if (s->state[c] == NULL) s->state[c] = calloc(1, m->state_size);
    if (s->state[c] == NULL) return jo_fail_memory(error, m->state_size, "a method's state");
    if (s->chosen && s->last != c) stats->switches++;
    s->last = c;
    s->chosen = true;
    stats->method = m->info.name;
    return (coherent ? m->update : m->find)(s->state[c], q, out, stats, error);
}

/* The method for a search from scratch, and the reason. */
static choice choose(auto_state *s, const query *q)
{
    const survey *v = q->survey;
    if (q->bodies->n <= BRUTE_MAX) {
        snprintf(s->why, sizeof s->why, "brute: for %zu %s comparing all pairs is the fastest",
                 q->bodies->n, shape_of(q));
        return BRUTE;
    }
    rows_plan plan, single;
    jo_rows_plan(q, ROWS_LEVELS_MAX, 0.0, 1.0, &plan);
    const double ratio = v->r_min > 0.0 ? v->r_max / v->r_min : 0.0;
    char sizes[64] = "some of size zero";
    if (ratio > 0.0) snprintf(sizes, sizeof sizes, "sizes 1:%.3g", ratio);
    if (plan.levels == 1) {
        snprintf(s->why, sizeof s->why,
                 "grid: %zu %s, %s: one grid is predicted to take %.0f ns a body, and dividing them "
                 "into levels by size would not pay",
                 q->bodies->n, shape_of(q), sizes, plan.nanoseconds);
        return GRID;
    }
    jo_rows_plan(q, 1, 0.0, 1.0, &single);
    snprintf(s->why, sizeof s->why,
             "hgrid: %zu %s, %s: %d levels by size are predicted to take %.0f ns a body, against "
             "%.0f in one grid",
             q->bodies->n, shape_of(q), sizes, plan.levels, plan.nanoseconds, single.nanoseconds);
    return HGRID;
}

/* Lists for moving bodies: begun by a find, then updated; given up for a while when no skin pays. */
static jo_status follow(auto_state *s, const query *q, pairlist *out, jo_broad_stats *stats,
                        jo_error *error)
{
    const bool first = !s->following;
    const jo_status status = run(s, VERLET, !first, q, out, stats, error);
    s->following = status == JO_OK;
    if (status != JO_OK) return status;
    if (first) {
        snprintf(s->why, sizeof s->why,
                 "verlet: %zu %s are being followed; the next update sees how fast they move",
                 q->bodies->n, shape_of(q));
    } else if (stats->skin > 0.0 || q->def->skin >= 0.0) {
        s->rested = 0;
        snprintf(s->why, sizeof s->why,
                 "verlet: the bodies move slowly enough between updates for lists with a skin of "
                 "%.3g to last",
                 stats->skin);
    } else {
        s->rested = s->rested == 0 ? REST_FIRST : s->rested < REST_MAX ? 2 * s->rested : REST_MAX;
        s->rest = s->rested;
        s->following = false;
        snprintf(s->why, sizeof s->why,
                 "verlet: the bodies move too fast for lists; the next %u updates are from scratch",
                 s->rest);
    }
    return JO_OK;
}

static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    auto_state *s = state;
    s->following = false;
    if (s->rest > 0) s->rest--;
    else if (q->moving && q->bodies->n > BRUTE_MAX) return follow(s, q, out, stats, error);
    return run(s, choose(s, q), false, q, out, stats, error);
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
        if (s->state[c] != NULL) total += method_of[c]->state_size + method_of[c]->bytes(s->state[c]);
    return total;
}

static const char *why(const void *state)
{
    const auto_state *s = state;
    return s->chosen ? s->why : "nothing has been searched yet";
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
