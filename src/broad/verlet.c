/* verlet.c — neighbour lists with a skin.
 *
 * Method (paper 2, "Nearest Neighbor"): list every pair whose gap is at most the skin s, and until
 * the list may have become incomplete test only those pairs. Pairs not listed had a gap above s;
 * the gap shrinks by at most what the two bodies have moved (and grown) since. So the list is
 * complete as long as the two largest such moves add up to less than s:
 *
 *     u1 + u2 < s,   u_i = |x_i − x_i(build)| + |r_i − r_i(build)|.
 *
 * The lecture rebuilds when twice the path of the fastest body reaches R_nbr, the radius of the
 * whole neighbourhood. That counts R_nbr where the free gap s = R_nbr − (r_i + r_j) belongs and so
 * rebuilds too late: two spheres of radius 1 with R_nbr = 2.5 may touch after moving 0.25 each,
 * while its formula allows 1.25 each. (It also adds up path lengths, which is safe but wasteful for
 * bodies that rattle.) docs/methods/verlet.md shows both.
 *
 * Two things make a step cheap. The list remembers each pair's gap g at the build: while u1 + u2 <
 * |g| the pair cannot have changed its state and is not even looked at. And the list is in the
 * order of (i, j), so contacts come out sorted.
 *
 * The skin is tuned by a model, unless the caller fixes it: a build costs so much per body and per
 * listed pair, a step so much per listed pair, the number of pairs grows with the reach to the
 * power of the dimension, and how long a skin lasts is extrapolated from the motion seen. The first
 * find makes no list at all: only the first update sees, on some of the bodies, how fast things
 * move. When they move so fast that no skin pays, every update is a search from scratch.
 *
 * Boxes: the same with u_i the farthest that any face has moved, and gaps between boxes.
 *
 * Cost: O(N) per step, O(N) per build; 40 (2D: 32) bytes a body and 12 a listed pair, and while
 * building what hgrid takes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "base/timer.h"
#include "broad/rows.h"
#include "broad/verlet.h"
#include "scene/touch.h"

enum { WATCHED = 128 };

typedef struct verlet_state {
    rows inner;
    bool listed; /* the list is valid for the bodies at `built` */
    double skin;
    pairlist list;     /* sorted */
    buffer gaps;       /* float per listed pair: gap at the build, less rounding, towards zero */
    buffer scratch;    /* for sorting */
    buffer copies;     /* positions (lower corners), then radii (upper corners), at the build */
    jo_bodies built;   /* a packed view of `copies`; radii are the true ones */
    buffer inflated;   /* radii with the skin; for boxes all corners */
    double magnitude;  /* of coordinates at the build, for body_slack */
    unsigned steps;    /* since the build */
    double first_move; /* u1 + u2 after the first step since the build */
    double watched[WATCHED][3]; /* where some of the bodies were at the last call without a list */
    size_t watching;            /* how many */
} verlet_state;

/* ---- how far things moved */

typedef struct moves {
    double first, second; /* the two largest */
    double farthest;      /* the largest |coordinate|, where moves do not bound it: periodic axes */
    bool bad;             /* a NaN or a negative size was seen */
} moves;

static inline void note(moves *m, double u)
{
    m->bad |= u != u;
    m->second = fmax(m->second, fmin(m->first, u));
    m->first = fmax(m->first, u);
}

static inline double separation(const jo_domain *domain, int a, double now, double then)
{
    return fabs(touch_separation(domain, a, now, then));
}

static double move_of_sphere(const query *q, const jo_bodies *built, size_t i, double *farthest)
{
    const jo_bodies *b = q->bodies;
    double d2 = 0.0;
    for (int a = 0; a < b->dim; a++) {
        const double x = b->x[a][i * b->x_stride];
        const double d = separation(q->domain, a, x, built->x[a][i]);
        d2 += d * d;
        *farthest = fabs(x) > *farthest ? fabs(x) : *farthest;
    }
    const double r = b->r[i * b->r_stride];
    return r < 0.0 ? NAN : sqrt(d2) + fabs(r - built->r[i]);
}

static double move_of_box(const query *q, const jo_bodies *built, size_t i, double *farthest)
{
    const jo_bodies *b = q->bodies;
    double u = 0.0;
    for (int a = 0; a < b->dim; a++) {
        const double lower = b->x[a][i * b->x_stride], upper = b->upper[a][i * b->x_stride];
        if (!(lower <= upper)) return NAN;
        u = fmax(u, fabs((upper - lower) - (built->upper[a][i] - built->x[a][i])) +
                        separation(q->domain, a, lower, built->x[a][i]));
        *farthest = fmax(*farthest, fmax(fabs(lower), fabs(upper)));
    }
    return u;
}

enum { LANES = 8 };

/* Running maxima of eight lanes, for vector code. */
typedef struct lanes {
    double first[LANES], second[LANES]; /* the two largest squared distances */
    double change[LANES];               /* the largest change of a radius */
    int bad;
} lanes;

/* The common case, spheres in packed arrays without periodic axes. No square root in the loop; the
 * largest change of any radius is counted for both bodies (radii mostly stay: then it is exact). */
static inline void note_lanes(lanes *m, const jo_bodies *b, const jo_bodies *built, size_t i,
                              size_t count)
{
    const double *x = b->x[0] + i, *y = b->x[1] + i, *z = b->dim == 3 ? b->x[2] + i : y;
    const double *x0 = built->x[0] + i, *y0 = built->x[1] + i;
    const double *z0 = b->dim == 3 ? built->x[2] + i : y0, *r = b->r + i, *r0 = built->r + i;
    const double third = b->dim == 3 ? 1.0 : 0.0;
    for (size_t k = 0; k < count; k++) {
        const double dx = x[k] - x0[k], dy = y[k] - y0[k], dz = (z[k] - z0[k]) * third;
        const double u = dx * dx + dy * dy + dz * dz, dr = fabs(r[k] - r0[k]);
        m->bad |= (u != u) | (dr != dr) | (r[k] < 0.0);
        const double least = u < m->first[k] ? u : m->first[k];
        m->second[k] = least > m->second[k] ? least : m->second[k];
        m->first[k] = u > m->first[k] ? u : m->first[k];
        m->change[k] = dr > m->change[k] ? dr : m->change[k];
    }
}

static moves moves_packed(const jo_bodies *b, const jo_bodies *built, size_t begin, size_t end)
{
    lanes l = {.bad = 0};
    size_t i = begin;
    for (; i + LANES <= end; i += LANES)
        note_lanes(&l, b, built, i, LANES);
    note_lanes(&l, b, built, i, end - i);
    moves m = {.bad = l.bad != 0};
    double change = 0.0;
    for (size_t k = 0; k < LANES; k++) {
        note(&m, sqrt(l.first[k]));
        note(&m, sqrt(l.second[k]));
        change = fmax(change, l.change[k]);
    }
    m.first += change;
    m.second += change;
    return m;
}

typedef struct move_job {
    const query *q;
    const jo_bodies *built;
    moves of[JO_THREADS_MAX];
} move_job;

static void measure_moves(void *context, int t, int threads)
{
    move_job *job = context;
    const jo_bodies *b = job->q->bodies;
    const jo_domain *d = job->q->domain;
    size_t begin, end;
    jo_thread_share(b->n, t, threads, &begin, &end);
    moves m = {0};
    if (b->shape == JO_BOXES) {
        for (size_t i = begin; i < end; i++)
            note(&m, move_of_box(job->q, job->built, i, &m.farthest));
    } else if (b->x_stride == 1 && b->r_stride == 1 && !d->periodic[0] && !d->periodic[1] &&
               !(b->dim == 3 && d->periodic[2])) {
        m = moves_packed(b, job->built, begin, end);
    } else {
        for (size_t i = begin; i < end; i++)
            note(&m, move_of_sphere(job->q, job->built, i, &m.farthest));
    }
    job->of[t] = m;
}

/* u1 + u2, widened by the rounding of all that is compared with it; infinite when a body is or may
 * be invalid. A body may have gone many periods away: hardly a move, but rounding grows with it. */
static double largest_moves(const verlet_state *s, const query *q, int threads)
{
    move_job job = {.q = q, .built = &s->built};
    jo_threads_run(threads, measure_moves, &job);
    moves m = {0};
    for (int t = 0; t < threads; t++) {
        note(&m, job.of[t].first);
        note(&m, job.of[t].second);
        m.farthest = fmax(m.farthest, job.of[t].farthest);
        m.bad |= job.of[t].bad;
    }
    const double magnitude = s->magnitude + m.first + m.farthest;
    if (m.bad || !(magnitude <= JO_COORDINATE_MAX)) return INFINITY;
    const double slack = body_slack(magnitude);
    return (m.first + m.second) * (1 + 1e-12) + 2 * slack;
}

/* Without a list only the speed of things matters, to tune the skin: a few bodies tell. */
void jo_verlet_watch(void *state, const query *q)
{
    verlet_state *s = state;
    const size_t n = q->bodies->n;
    s->listed = false;
    s->skin = 0.0;
    s->watching = n < WATCHED ? n : WATCHED;
    for (size_t k = 0; k < s->watching; k++)
        for (int a = 0; a < q->bodies->dim; a++)
            s->watched[k][a] = body_centre(q->bodies, k * (n / s->watching), a);
}

/* An estimate of u1 + u2 since then. The fastest of all are faster than the fastest of a sample. */
static double watched_moves(const verlet_state *s, const query *q)
{
    const jo_bodies *b = q->bodies;
    moves m = {0};
    for (size_t k = 0; k < s->watching; k++) {
        double d2 = 0.0;
        for (int a = 0; a < b->dim; a++) {
            const double d = separation(q->domain, a, body_centre(b, k * (b->n / s->watching), a),
                                        s->watched[k][a]);
            d2 += d * d;
        }
        note(&m, sqrt(d2));
    }
    return (m.first + m.second) * (s->watching < b->n ? 1.3 : 1.0);
}

/* ---- tuning the skin */

/* Nanoseconds, as measured on one machine; only their ratios matter. */
#define COST_BUILD 60.0 /* per body */
#define COST_LIST  25.0 /* per listed pair: emitted, sorted, its gap */
#define COST_TEST  6.0  /* per listed pair and step */

/* Listed pairs per body with skin s, for bodies spread evenly. */
static double listed_pairs(const query *q, double s)
{
    const int dim = q->bodies->dim;
    double volume = 1.0;
    for (int a = 0; a < dim; a++)
        volume *= q->domain->periodic[a]
                      ? q->domain->hi[a] - q->domain->lo[a]
                      : q->survey->hi[a] - q->survey->lo[a] + 2 * q->survey->r_mean;
    const double reach = 2 * q->survey->r_mean + s;
    const double ball = dim == 3 ? 4.18879 * reach * reach * reach : 3.14159 * reach * reach;
    return fmin(0.5 * (double)q->bodies->n * ball / fmax(volume, DBL_MIN), (double)q->bodies->n);
}

/* Time per body and step with a skin that lasts `steps`. */
static double step_cost(const query *q, double s, double steps)
{
    const double pairs = listed_pairs(q, s);
    return COST_TEST * pairs + (COST_BUILD + COST_LIST * pairs) / fmax(steps, 1.0);
}

/* The skin with the least predicted time, given that the two largest moves add up to `per_step` in
 * one step and, if steps > 1, to `so_far` in `steps`. 0: no skin pays, search every time. */
static double tune_skin(const query *q, double per_step, double so_far, unsigned steps)
{
    const double size = fmax(2 * q->survey->r_mean, DBL_MIN);
    if (per_step <= 0.0) return 0.3 * size; /* nothing moved: anything will do */
    /* Moves grow as a power of time: 1 when straight, 1/2 when at random. */
    double power = 1.0;
    if (steps > 2 && so_far > per_step) power = log(so_far / per_step) / log((double)steps);
    power = fmin(fmax(power, 0.4), 1.0);
    double best = 0.0, least = COST_BUILD + (COST_LIST - COST_TEST) * listed_pairs(q, 0.0);
    for (double s = 4.0 * size; s > 1e-4 * size && s > per_step; s *= 0.8) {
        const double lasts = pow(s / per_step, 1.0 / power);
        const double cost = step_cost(q, s, lasts);
        if (cost < least) {
            least = cost;
            best = s;
        }
    }
    return best;
}

/* ---- building the list */

static bool keep_copies(verlet_state *s, const query *q)
{
    const jo_bodies *b = q->bodies;
    const size_t n = b->n, dim = (size_t)b->dim;
    const bool boxes = b->shape == JO_BOXES;
    if (!jo_buffer_reserve(&s->copies, n * (boxes ? 2 * dim : dim + 1) + 1, sizeof(double)))
        return false;
    double *next = s->copies.data;
    s->built = (jo_bodies){.shape = b->shape, .dim = b->dim, .n = n, .x_stride = 1, .r_stride = 1};
    for (size_t a = 0; a < dim; a++, next += n) {
        for (size_t i = 0; i < n; i++)
            next[i] = b->x[a][i * b->x_stride];
        s->built.x[a] = next;
    }
    for (size_t a = 0; a < (boxes ? dim : 1); a++, next += n) {
        for (size_t i = 0; i < n; i++)
            next[i] = boxes ? b->upper[a][i * b->x_stride] : b->r[i * b->r_stride];
        *(boxes ? &s->built.upper[a] : &s->built.r) = next;
    }
    s->magnitude = jo_survey_magnitude(q->survey, q->domain, b->dim);
    s->steps = 0;
    return true;
}

/* A view of the bodies at the build, each grown by half the skin. */
static bool inflate(verlet_state *s, jo_bodies *grown)
{
    const jo_bodies *b = &s->built;
    const size_t n = b->n, dim = (size_t)b->dim;
    const double half = 0.5 * s->skin;
    *grown = *b;
    const bool boxes = b->shape == JO_BOXES;
    if (!jo_buffer_reserve(&s->inflated, n * (boxes ? 2 * dim : 1) + 1, sizeof(double)))
        return false;
    double *next = s->inflated.data;
    if (!boxes) {
        for (size_t i = 0; i < n; i++)
            next[i] = b->r[i] + half;
        grown->r = next;
        return true;
    }
    for (size_t a = 0; a < dim; a++) {
        for (size_t i = 0; i < n; i++)
            next[i] = b->x[a][i] - half;
        grown->x[a] = next;
        next += n;
        for (size_t i = 0; i < n; i++)
            next[i] = b->upper[a][i] + half;
        grown->upper[a] = next;
        next += n;
    }
    return true;
}

/* The gap of a pair at the build: below 0 when it touches. Within a rounding error of 0 it is 0, so
 * that the pair is always asked of the definition. */
static float gap_of(const verlet_state *s, const jo_domain *domain, jo_pair p, double slack)
{
    const jo_bodies *b = &s->built;
    double gap;
    if (b->shape == JO_SPHERES) {
        double d2 = 0.0;
        for (int a = 0; a < b->dim; a++) {
            const double d = touch_separation(domain, a, b->x[a][p.i], b->x[a][p.j]);
            d2 += d * d;
        }
        gap = sqrt(d2) - (b->r[p.i] + b->r[p.j]);
    } else {
        gap = -INFINITY;
        for (int a = 0; a < b->dim; a++) {
            const double size_i = b->upper[a][p.i] - b->x[a][p.i];
            const double size_j = b->upper[a][p.j] - b->x[a][p.j];
            const double centres = touch_separation(domain, a, b->x[a][p.i] + 0.5 * size_i,
                                                    b->x[a][p.j] + 0.5 * size_j);
            gap = fmax(gap, fabs(centres) - 0.5 * (size_i + size_j));
        }
    }
    /* Away from zero by more than any rounding, and never rounded outward to float. */
    const double sure = (fabs(gap) - slack) * (1 - 1e-6);
    return sure > 0.0 ? (float)copysign(sure, gap) : 0.0f;
}

typedef struct gap_job {
    const verlet_state *s;
    const query *q;
    double slack;
} gap_job;

static void measure_gaps(void *context, int t, int threads)
{
    const gap_job *job = context;
    const jo_pair *pairs = pairlist_data(&job->s->list);
    float *gaps = job->s->gaps.data;
    size_t begin, end;
    jo_thread_share(job->s->list.count, t, threads, &begin, &end);
    for (size_t k = begin; k < end; k++)
        gaps[k] = gap_of(job->s, job->q->domain, pairs[k], job->slack);
}

/* The pairs that touch, from scratch; all of it counts as building. */
static jo_status find_contacts(verlet_state *s, const query *q, pairlist *out,
                               jo_broad_stats *stats, jo_error *error)
{
    jo_broad_stats inner = {0};
    pairlist_clear(out);
    const jo_status status = jo_rows_find(&s->inner, q, ROWS_LEVELS_MAX, out, &inner, error);
    stats->pairs_tested += inner.pairs_tested;
    stats->rebuilds += inner.rebuilds;
    stats->cells = inner.cells;
    return status;
}

static jo_status build_list(verlet_state *s, const query *q, int threads, jo_broad_stats *stats,
                            jo_error *error)
{
    jo_bodies grown;
    s->listed = false;
    if (!keep_copies(s, q) || !inflate(s, &grown))
        return jo_fail_memory(error, q->bodies->n * sizeof(double), "copies of the bodies");
    survey measured = *q->survey;
    measured.r_min += 0.5 * s->skin;
    measured.r_max += 0.5 * s->skin;
    measured.r_mean += 0.5 * s->skin;
    const query inner = {.bodies = &grown,
                         .domain = q->domain,
                         .survey = &measured,
                         .def = q->def,
                         .threads = q->threads,
                         .parts = q->parts};
    const jo_status status = find_contacts(s, &inner, &s->list, stats, error);
    if (status != JO_OK) return status;
    if (!jo_pairlist_sort(&s->list, q->bodies->n, &s->scratch, threads) ||
        !jo_buffer_reserve(&s->gaps, s->list.count + 1, sizeof(float)))
        return jo_fail_memory(error, s->list.count * sizeof(jo_pair), "the neighbour list");
    gap_job job = {.s = s,
                   .q = q,
                   .slack =
                       4 * body_slack(jo_survey_magnitude(&measured, q->domain, q->bodies->dim))};
    jo_threads_run(threads, measure_gaps, &job);
    s->listed = true;
    return JO_OK;
}

/* ---- testing the list */

typedef struct test_job {
    const verlet_state *s;
    const query *q;
    float moved; /* u1 + u2, rounded up */
    pairlist *out[JO_THREADS_MAX];
    uint64_t tested[JO_THREADS_MAX];
    bool failed[JO_THREADS_MAX];
} test_job;

enum { BLOCK = 512 };

/* Three short loops a block, none with a branch that cannot be foretold: which pairs must be looked
 * at; look at them; write down those that touch. */
static size_t test_block(const test_job *job, const jo_pair *pairs, const float *gaps, size_t count,
                         jo_pair **write)
{
    const query *q = job->q;
    uint16_t todo[BLOCK];
    bool touching[BLOCK];
    size_t asked = 0;
    for (size_t k = 0; k < count; k++) {
        touching[k] = gaps[k] < 0.0f;
        todo[asked] = (uint16_t)k;
        asked += fabsf(gaps[k]) <= job->moved;
    }
    for (size_t m = 0; m < asked; m++) {
        const jo_pair p = pairs[todo[m]];
        touching[todo[m]] = touch(q->bodies, q->domain, p.i, p.j);
    }
    jo_pair *next = *write;
    for (size_t k = 0; k < count; k++) {
        *next = pairs[k];
        next += touching[k];
    }
    *write = next;
    return asked;
}

static void test_list(void *context, int t, int threads)
{
    test_job *job = context;
    const jo_pair *pairs = pairlist_data(&job->s->list);
    const float *gaps = job->s->gaps.data;
    size_t begin, end;
    jo_thread_share(job->s->list.count, t, threads, &begin, &end);
    pairlist *out = job->out[t];
    if (!jo_pairlist_reserve(out, end - begin + 1)) {
        job->failed[t] = true;
        return;
    }
    jo_pair *write = pairlist_data(out) + out->count;
    for (size_t k = begin; k < end; k += BLOCK)
        job->tested[t] +=
            test_block(job, pairs + k, gaps + k, end - k < BLOCK ? end - k : BLOCK, &write);
    out->count = (size_t)(write - pairlist_data(out));
}

static jo_status search_list(verlet_state *s, const query *q, int threads, double moved,
                             pairlist *out, jo_broad_stats *stats, jo_error *error)
{
    const float rounded_up = moved < 1e38 ? nextafterf((float)moved, INFINITY) : INFINITY;
    test_job job = {.s = s, .q = q, .moved = rounded_up};
    for (int t = 0; t < threads; t++)
        job.out[t] = pairparts_list(q->parts, t, out);
    jo_threads_run(threads, test_list, &job);
    bool failed = false;
    for (int t = 0; t < threads; t++) {
        stats->pairs_tested += job.tested[t];
        failed |= job.failed[t];
    }
    if (failed || !jo_pairparts_join(q->parts, threads, out))
        return jo_fail_memory(error, s->list.count * sizeof(jo_pair), "contacts");
    out->sorted = true;
    return JO_OK;
}

/* ---- the method */

/* From scratch and without a list, remembering where some of the bodies are. */
static jo_status find(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error)
{
    verlet_state *s = state;
    jo_verlet_watch(s, q);
    return jo_rows_find(&s->inner, q, ROWS_LEVELS_MAX, out, stats, error);
}

/* A new list for a new skin, or none if none pays. */
static jo_status rebuild(verlet_state *s, const query *q, double moved, int threads,
                         jo_broad_stats *stats, jo_error *error)
{
    survey measured;
    const jo_status status = jo_survey(q->bodies, q->domain, &measured, error);
    if (status != JO_OK) return status;
    query surveyed = *q;
    surveyed.survey = &measured;
    s->skin = q->def->skin;
    if (s->skin < 0.0)
        s->skin = tune_skin(&surveyed, s->listed ? s->first_move : moved, moved,
                            s->listed ? s->steps : 1);
    if (s->skin > 0.0) return build_list(s, &surveyed, threads, stats, error);
    jo_verlet_watch(s, &surveyed);
    return find_contacts(s, &surveyed, &s->list, stats, error);
}

static jo_status update(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                        jo_error *error)
{
    verlet_state *s = state;
    const int threads = q->bodies->n < 20000 ? 1 : q->threads;
    const double start = jo_seconds();
    double moved = s->listed ? largest_moves(s, q, threads) : watched_moves(s, q);
    if (++s->steps == 1) s->first_move = moved;
    if (!s->listed || !(moved < s->skin)) {
        const jo_status status = rebuild(s, q, moved, threads, stats, error);
        if (status != JO_OK) return status;
        moved = 0.0;
    }
    const double built = jo_seconds();
    stats->seconds[JO_STAGE_BUILD] += built - start;
    stats->skin = s->skin;
    if (!s->listed) { /* the list is of the contacts themselves */
        const pairlist contacts = s->list;
        s->list = *out;
        *out = contacts;
        return JO_OK;
    }
    const jo_status status = search_list(s, q, threads, moved, out, stats, error);
    stats->seconds[JO_STAGE_SEARCH] += jo_seconds() - built;
    return status;
}

static void release(void *state)
{
    verlet_state *s = state;
    jo_rows_release(&s->inner);
    jo_pairlist_free(&s->list);
    jo_buffer_free(&s->gaps);
    jo_buffer_free(&s->scratch);
    jo_buffer_free(&s->copies);
    jo_buffer_free(&s->inflated);
}

static size_t bytes(const void *state)
{
    const verlet_state *s = state;
    return jo_rows_bytes(&s->inner) + s->list.memory.size + s->gaps.size + s->scratch.size +
           s->copies.size + s->inflated.size;
}

const method jo_method_verlet = {
    .info = {.name = "verlet",
             .summary = "neighbour lists with a self-tuned skin: fastest when bodies move slowly",
             .source = "paper 2 (lecture), nearest neighbor; Verlet 1967",
             .cost =
                 "time O(N) a step, O(N) a rebuild; about 100 bytes a body and 12 a listed pair",
             .when = "bodies that move a small part of their size between calls of update",
             .options = "skin",
             .coherent = true,
             .threaded = true},
    .state_size = sizeof(verlet_state),
    .find = find,
    .update = update,
    .update_surveys = true,
    .release = release,
    .bytes = bytes,
};
