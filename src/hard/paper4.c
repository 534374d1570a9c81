/* paper4.c — equal elastic balls in a cube: paper 4's event-driven method, the reference.
 *
 * Method (X. Ding, D. Zhang, "Implementing A Particle Collision Model", 2015; the functions carry
 * the paper's names): colli[i] holds the next collision of ball i, a partner and a time. The
 * earliest entry is the next event. All balls are moved there, the two that collide exchange their
 * normal velocities (a wall reflects), and entries are computed anew for
 *   - the balls that collided,
 *   - balls that WERE going to collide with one of them: their partner has gone another way.
 * A ball that one of them IS going to meet, earlier than what that ball had in store, gets the same
 * entry.
 *
 * Invariants, between events:
 *   - every entry is the true time of its pair: neither of the two had a collision since;
 *   - no pair, and no ball and wall, collides before the earliest entry: of two balls, the one that
 *     was computed later looked at the other.
 * The paper is silent on rounding; here
 *   - a time to contact is c / (-b + sqrt(D)), which does not cancel, and balls that touch or
 * overlap by rounding and approach collide at once;
 *   - two balls that have just collided with each other are not asked again before one of them met
 *     something else: in free flight they cannot meet. The same holds for a ball and a wall. So no
 *     collision can be repeated by rounding, however grazing;
 *   - times are counted from an epoch that follows every few collisions, so that they stay as exact
 *     as flights are short however long a run is; the epoch itself is summed with its rounding
 * error. Ties go to the walls in their order, then to the smaller index: runs are deterministic.
 *
 * Cost: O(n²) to begin; O(n) per collision: moving, finding the earliest, and some five balls
 * compared with all others. 68 bytes per ball. */
#include "jostle/paper4.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"

enum {
    NOBODY = INT32_MIN, /* the partner of a ball that nothing happens to */
    EPOCH_COLLISIONS = 16
};

/* The next collision of a ball; walls are negative partners. */
typedef struct colli {
    double t; /* since the epoch; INFINITY: none */
    int32_t p;
} colli;

struct jo_paper4 {
    size_t n;
    double w, r;
    double now;          /* since the epoch */
    double epoch, small; /* the epoch's time, and what rounding left of it */
    double *x, *v;       /* 3 n each */
    colli *next;         /* the paper's colli[] */
    int32_t *last;       /* what each ball collided with last */
    jo_paper4_stats stats;
};

/* ---- the initial state */

double jo_paper4_radius(size_t nbs, double w)
{
    return w / (cbrt(30.0 * 3.14159265358979323846) * (double)nbs);
}

void jo_paper4_grid(size_t nbs, double w, double speed, uint64_t seed, double *x, double *v)
{
    const double spacing = w / (double)(nbs + 1);
    random_stream random = jo_random_start(seed, 0x70617065723400u);
    for (size_t ball = 0; ball < nbs * nbs * nbs; ball++) {
        const size_t place[3] = {ball / (nbs * nbs), ball / nbs % nbs, ball % nbs};
        for (int axis = 0; axis < 3; axis++) {
            x[3 * ball + axis] = spacing * (double)(place[axis] + 1) - 0.5 * w;
            v[3 * ball + axis] = speed * (2.0 * jo_random_uniform(&random) - 1.0);
        }
    }
}

/* ---- times to collision, from now; negative: never (the paper's -1) */

/* Two balls whose centres are `apart` and move with `closing` relative to each other, radii
 * together `sigma`: |apart + closing t| = sigma for the first time. */
static double cal_b2b_time(const double apart[3], const double closing[3], double sigma)
{
    const double b = apart[0] * closing[0] + apart[1] * closing[1] + apart[2] * closing[2];
    if (b >= 0.0) return -1.0;
    const double c =
        apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] - sigma * sigma;
    if (c <= 0.0) return 0.0;
    const double a = closing[0] * closing[0] + closing[1] * closing[1] + closing[2] * closing[2];
    const double d = b * b - a * c;
    if (d < 0.0) return -1.0;
    return c / (sqrt(d) - b);
}

/* A ball on one axis and the wall that it moves towards; `reach` is how far centres may go. */
static double cal_b2w_time(double x, double v, double reach)
{
    if (v == 0.0) return -1.0;
    const double t = ((v > 0.0 ? reach : -reach) - x) / v;
    return t > 0.0 ? t : 0.0;
}

/* The first collision of ball i with anything. */
static colli cal_one_ball_colli(jo_paper4 *s, size_t i)
{
    const double *xi = s->x + 3 * i, *vi = s->v + 3 * i;
    const double reach = 0.5 * s->w - s->r, sigma = 2.0 * s->r;
    colli first = {INFINITY, NOBODY};
    for (int axis = 0; axis < 3; axis++) {
        const int32_t wall = -1 - 2 * axis - (vi[axis] > 0.0);
        const double t = cal_b2w_time(xi[axis], vi[axis], reach);
        if (t >= 0.0 && t < first.t && s->last[i] != wall) first = (colli){t, wall};
    }
    for (size_t j = 0; j < s->n; j++) {
        if (j == i || (s->last[i] == (int32_t)j && s->last[j] == (int32_t)i)) continue;
        const double *xj = s->x + 3 * j, *vj = s->v + 3 * j;
        const double apart[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
        const double closing[3] = {vi[0] - vj[0], vi[1] - vj[1], vi[2] - vj[2]};
        const double t = cal_b2b_time(apart, closing, sigma);
        if (t >= 0.0 && t < first.t) first = (colli){t, (int32_t)j};
    }
    s->stats.pair_tests += s->n - 1;
    first.t += s->now;
    return first;
}

static void init_collision(jo_paper4 *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->next[i] = cal_one_ball_colli(s, i);
}

/* ---- collisions */

/* The velocities along the line of centres are exchanged. */
static void bounce_two_balls(jo_paper4 *s, size_t i, size_t j)
{
    const double *xi = s->x + 3 * i, *xj = s->x + 3 * j;
    double *vi = s->v + 3 * i, *vj = s->v + 3 * j;
    const double line[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
    const double length2 = line[0] * line[0] + line[1] * line[1] + line[2] * line[2];
    const double closing =
        line[0] * (vi[0] - vj[0]) + line[1] * (vi[1] - vj[1]) + line[2] * (vi[2] - vj[2]);
    for (int axis = 0; axis < 3; axis++) {
        const double exchanged = closing / length2 * line[axis];
        vi[axis] -= exchanged;
        vj[axis] += exchanged;
    }
}

static void recalculate(jo_paper4 *s, size_t i)
{
    s->next[i] = cal_one_ball_colli(s, i);
    s->stats.recalculated++;
}

/* The partner that ball i IS going to meet learns of it, if it has nothing earlier in store. */
static void tell_partner(jo_paper4 *s, size_t i)
{
    const colli mine = s->next[i];
    if (mine.p >= 0 && mine.t < s->next[mine.p].t) s->next[mine.p] = (colli){mine.t, (int32_t)i};
}

static void update_b2b_colli(jo_paper4 *s, size_t i, size_t j)
{
    bounce_two_balls(s, i, j);
    s->last[i] = (int32_t)j;
    s->last[j] = (int32_t)i;
    s->stats.with_balls++;
    for (size_t k = 0; k < s->n; k++)
        if (k == i || k == j || s->next[k].p == (int32_t)i || s->next[k].p == (int32_t)j)
            recalculate(s, k);
    tell_partner(s, i);
    tell_partner(s, j);
}

static void update_b2w_colli(jo_paper4 *s, size_t i, int32_t wall)
{
    const int axis = (-1 - wall) / 2;
    s->v[3 * i + (size_t)axis] = -s->v[3 * i + (size_t)axis];
    s->last[i] = wall;
    s->stats.with_walls++;
    for (size_t k = 0; k < s->n; k++)
        if (k == i || s->next[k].p == (int32_t)i) recalculate(s, k);
    tell_partner(s, i);
}

static void move_balls(jo_paper4 *s, double until)
{
    const double step = until - s->now;
    for (size_t k = 0; k < 3 * s->n; k++)
        s->x[k] += s->v[k] * step;
    s->now = until;
}

/* The present becomes the epoch. */
static void set_epoch(jo_paper4 *s)
{
    const double sum = s->epoch + s->now; /* Knuth's two-sum: what rounding takes is kept */
    const double part = sum - s->epoch;
    s->small += (s->epoch - (sum - part)) + (s->now - part);
    s->epoch = sum;
    for (size_t i = 0; i < s->n; i++)
        s->next[i].t -= s->now;
    s->now = 0.0;
}

static double since_start(const jo_paper4 *s, double t)
{
    return s->epoch + (s->small + t);
}

static double since_epoch(const jo_paper4 *s, double time)
{
    return (time - s->epoch) - s->small;
}

static size_t earliest(const jo_paper4 *s)
{
    size_t first = 0;
    for (size_t i = 1; i < s->n; i++)
        if (s->next[i].t < s->next[first].t) first = i;
    return first;
}

/* Carries out the collision that ball i has in store. */
static void update_colli(jo_paper4 *s, size_t i)
{
    const colli mine = s->next[i];
    move_balls(s, mine.t);
    if (mine.p < 0)
        update_b2w_colli(s, i, mine.p);
    else
        update_b2b_colli(s, i, (size_t)mine.p);
    if ((s->stats.with_balls + s->stats.with_walls) % EPOCH_COLLISIONS == 0) set_epoch(s);
}

/* ---- what callers see */

static jo_paper4_event describe(const jo_paper4 *s, size_t i)
{
    const colli mine = s->next[i];
    const int32_t ball = (int32_t)i;
    const double time = since_start(s, mine.t);
    if (mine.p >= 0 && mine.p < ball) return (jo_paper4_event){time, mine.p, ball};
    return (jo_paper4_event){time, ball, mine.p};
}

bool jo_paper4_next(const jo_paper4 *s, jo_paper4_event *event)
{
    const size_t i = earliest(s);
    if (isinf(s->next[i].t)) return false;
    *event = describe(s, i);
    return true;
}

bool jo_paper4_collide(jo_paper4 *s, jo_paper4_event *event)
{
    const size_t i = earliest(s);
    if (isinf(s->next[i].t)) return false;
    if (event != NULL) *event = describe(s, i);
    update_colli(s, i);
    return true;
}

uint64_t jo_paper4_advance(jo_paper4 *s, double until)
{
    uint64_t collisions = 0;
    for (size_t i = earliest(s); s->next[i].t <= since_epoch(s, until);
         i = earliest(s), collisions++)
        update_colli(s, i);
    if (since_epoch(s, until) > s->now) move_balls(s, since_epoch(s, until));
    return collisions;
}

jo_paper4_state jo_paper4_now(const jo_paper4 *s)
{
    return (jo_paper4_state){
        .n = s->n, .w = s->w, .r = s->r, .time = since_start(s, s->now), .x = s->x, .v = s->v};
}

jo_paper4_stats jo_paper4_statistics(const jo_paper4 *s)
{
    return s->stats;
}

/* ---- making one */

static jo_status check_ball(const jo_paper4 *s, size_t i, jo_error *error)
{
    static const char names[] = "xyz";
    const double reach = 0.5 * s->w - s->r;
    for (int axis = 0; axis < 3; axis++) {
        const double x = s->x[3 * i + (size_t)axis];
        if (!isfinite(x) || !isfinite(s->v[3 * i + (size_t)axis]))
            return jo_fail(error, JO_ERR_DATA, "ball %zu: its place or velocity is not finite", i);
        if (fabs(x) > reach)
            return jo_fail(error, JO_ERR_DATA,
                           "ball %zu reaches out of the cube: its %c is %g, and must be between %g "
                           "and %g",
                           i, names[axis], x, -reach, reach);
    }
    for (size_t j = 0; j < i; j++) {
        double distance2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            const double apart = s->x[3 * i + axis] - s->x[3 * j + axis];
            distance2 += apart * apart;
        }
        /* Contacts made by decimal numbers are a rounding error away from touching. */
        if (distance2 < 4.0 * s->r * s->r * (1.0 - 1e-14))
            return jo_fail(error, JO_ERR_DATA,
                           "balls %zu and %zu overlap: their centres are %g apart, and must be at "
                           "least %g",
                           j, i, sqrt(distance2), 2.0 * s->r);
    }
    return JO_OK;
}

static jo_status check_size(size_t n, double w, double r, jo_error *error)
{
    if (n == 0) return jo_fail(error, JO_ERR_ARGUMENT, "no balls: there must be at least one");
    if (n > JO_PAPER4_BALLS_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "%zu balls: paper4 takes at most %zu", n,
                       JO_PAPER4_BALLS_MAX);
    if (!(w > 0.0) || !(r > 0.0) || !isfinite(w))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "cube of edge %g, balls of radius %g: both must be positive", w, r);
    if (!(2.0 * r <= w))
        return jo_fail(error, JO_ERR_DATA, "balls of radius %g do not fit into a cube of edge %g",
                       r, w);
    return JO_OK;
}

static bool allocate(jo_paper4 *s, size_t n)
{
    s->x = malloc(3 * n * sizeof *s->x);
    s->v = malloc(3 * n * sizeof *s->v);
    s->next = malloc(n * sizeof *s->next);
    s->last = malloc(n * sizeof *s->last);
    s->stats.bytes =
        sizeof *s + n * (3 * sizeof *s->x + 3 * sizeof *s->v + sizeof *s->next + sizeof *s->last);
    return s->x != NULL && s->v != NULL && s->next != NULL && s->last != NULL;
}

jo_status jo_paper4_create(size_t n, double w, double r, const double *x, const double *v,
                           jo_paper4 **balls, jo_error *error)
{
    *balls = NULL;
    jo_status status = check_size(n, w, r, error);
    if (status != JO_OK) return status;
    jo_paper4 *s = calloc(1, sizeof *s);
    if (s == NULL || !allocate(s, n)) {
        jo_paper4_destroy(s);
        return jo_fail_memory(error, n * 68, "balls");
    }
    s->n = n;
    s->w = w;
    s->r = r;
    memcpy(s->x, x, 3 * n * sizeof *x);
    memcpy(s->v, v, 3 * n * sizeof *v);
    for (size_t i = 0; i < n && status == JO_OK; i++) {
        s->last[i] = NOBODY;
        status = check_ball(s, i, error);
    }
    if (status != JO_OK) {
        jo_paper4_destroy(s);
        return status;
    }
    init_collision(s);
    *balls = s;
    return JO_OK;
}

void jo_paper4_destroy(jo_paper4 *s)
{
    if (s == NULL) return;
    free(s->x);
    free(s->v);
    free(s->next);
    free(s->last);
    free(s);
}
