/* cube_run.c — paper 4's cube of balls on an engine: frames, samples, rates, the largest that is
 * fast enough.
 *
 * Times are processor time of all threads: physics has one, drawing all. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cube.h"
#include "progress.h"

const double cube_edge = 400.0, cube_frame = 3.0, cube_frame_seconds = 0.05;

enum { PIXELS = 600 };

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- paper4 as an engine */

static jo_status paper4_create(size_t n, double w, double r, const double *x, const double *v,
                               void **self, jo_error *error)
{
    jo_paper4 *balls = NULL;
    const jo_status status = jo_paper4_create(n, w, r, x, v, &balls, error);
    *self = balls;
    return status;
}

static jo_status paper4_advance(void *self, double until, cube_rates *count, jo_error *error)
{
    (void)error;
    const jo_paper4_stats before = jo_paper4_statistics(self);
    jo_paper4_advance(self, until);
    const jo_paper4_stats after = jo_paper4_statistics(self);
    count->balls += (double)(after.with_balls - before.with_balls);
    count->walls += (double)(after.with_walls - before.with_walls);
    return JO_OK;
}

static jo_status paper4_places(void *self, const double **x, jo_error *error)
{
    (void)error;
    *x = jo_paper4_now(self).x;
    return JO_OK;
}

static void paper4_destroy(void *self)
{
    jo_paper4_destroy(self);
}

static size_t paper4_bytes(void *self)
{
    return jo_paper4_statistics(self).bytes;
}

/* O(n) per collision and nbs^4 collisions per frame. */
const cube_engine cube_paper4 = {"paper4",      7.0,          paper4_create, paper4_advance,
                                 paper4_places, paper4_bytes, paper4_destroy};

/* ---- a cube that runs */

void cube_close(cube *c)
{
    if (c->self != NULL) c->engine->destroy(c->self);
    free(c->x);
    free(c->v);
    free(c->radii);
    free(c->pixels);
    *c = (cube){0};
}

jo_status cube_open(const cube_engine *engine, size_t nbs, uint64_t seed, cube *c, jo_error *error)
{
    const size_t n = nbs * nbs * nbs;
    *c = (cube){.engine = engine,
                .nbs = nbs,
                .n = n,
                .r = jo_paper4_radius(nbs, cube_edge),
                .frame = cube_frame};
    c->x = malloc(3 * n * sizeof *c->x);
    c->v = malloc(3 * n * sizeof *c->v);
    c->radii = malloc(n * sizeof *c->radii);
    c->pixels = malloc((size_t)3 * PIXELS * PIXELS);
    if (c->x == NULL || c->v == NULL || c->radii == NULL || c->pixels == NULL) {
        *error = (jo_error){.status = JO_ERR_MEMORY, .text = "no memory for the balls"};
        return JO_ERR_MEMORY;
    }
    jo_paper4_grid(nbs, cube_edge, 1.0, seed, c->x, c->v);
    for (size_t k = 0; k < 3 * n; k++)
        c->kt += c->v[k] * c->v[k] / (3.0 * (double)n);
    for (size_t k = 0; k < n; k++)
        c->radii[k] = c->r;
    return engine->create(n, cube_edge, c->r, c->x, c->v, &c->self, error);
}

static jo_status cube_advance(cube *c, double by, cube_rates *count, jo_error *error)
{
    c->time += by;
    return c->engine->advance(c->self, c->time, count, error);
}

jo_status cube_places(cube *c, const double **x, jo_error *error)
{
    return c->engine->places(c->self, x, error);
}

/* Draws the floor of the cube with the first n balls: 0 is the scene before balls are drawn. */
static jo_status cube_draw(cube *c, size_t n, jo_error *error)
{
    const double h = 0.5 * cube_edge;
    const double floor[] = {-h, -h, -h, h, -h, -h, h, h, -h, -h, -h, -h, h, h, -h, -h, h, -h};
    jo_picture p = jo_picture_default();
    p.width = p.height = PIXELS;
    p.colour = JO_COLOUR_INDEX;
    p.draw_contacts = false;
    p.walls = floor;
    p.wall_count = 2;
    p.has_bounds = true;
    for (int axis = 0; axis < 3; axis++) {
        p.bounds_lo[axis] = -h;
        p.bounds_hi[axis] = h;
    }
    const double *x = NULL;
    const jo_status status = cube_places(c, &x, error);
    if (status != JO_OK) return status;
    const jo_bodies bodies = jo_spheres_interleaved(n, 3, x, c->radii);
    return jo_picture_pixels(c->pixels, &p, &bodies, NULL, (jo_pairs){0}, error);
}

/* ---- samples */

/* One frame as the paper's program has it; drawing is timed if asked for. */
static jo_status frame(cube *c, bool draw, double stage[CUBE_STAGES], cube_rates *count,
                       jo_error *error)
{
    jo_status status = JO_OK;
    double t[CUBE_STAGES + 1];
    t[0] = processor_seconds();
    if (draw) status = cube_draw(c, 0, error);
    t[1] = processor_seconds();
    if (status == JO_OK) status = cube_advance(c, c->frame, count, error);
    t[2] = processor_seconds();
    t[3] = processor_seconds(); /* the paper's place for animation between frames: empty */
    if (draw && status == JO_OK) status = cube_draw(c, c->n, error);
    t[4] = processor_seconds();
    for (int k = 0; k < CUBE_STAGES; k++)
        stage[k] = t[k + 1] - t[k];
    return status;
}

jo_status cube_sample(cube *c, int samples, int drawn, cube_samples *s, jo_error *error)
{
    double sum = 0.0, sum2 = 0.0;
    *s = (cube_samples){.samples = samples};
    for (int k = 0; k < samples * CUBE_EVERY; k++) {
        double stage[CUBE_STAGES];
        cube_rates count = {0};
        const bool sampled = k % CUBE_EVERY == CUBE_EVERY - 1;
        const bool draw = sampled && jo_pictures_available() && s->drawn < drawn;
        const jo_status status = frame(c, draw, stage, &count, error);
        if (status != JO_OK) return status;
        s->balls += count.balls;
        s->walls += count.walls;
        s->seconds += stage[1];
        if (!sampled) continue;
        for (int m = 0; m < CUBE_STAGES; m++)
            s->stage[m] += stage[m];
        s->drawn += draw;
        sum += count.balls + count.walls;
        sum2 += pow(count.balls + count.walls, 2.0);
    }
    for (int m = 0; m < CUBE_STAGES; m++)
        s->stage[m] /= m == 0 || m == 3 ? fmax(s->drawn, 1.0) : samples;
    s->mean = sum / samples;
    s->deviation = sqrt(fmax(sum2 / samples - s->mean * s->mean, 0.0));
    return JO_OK;
}

/* In 20 parts, for the error. */
jo_status cube_judge(cube *c, double collisions, cube_verdict *v, jo_error *error)
{
    enum { PARTS = 20 };
    const cube_rates theory = cube_theory(c->n, cube_edge, c->r, c->kt);
    const double part = collisions / (theory.balls + theory.walls) / PARTS;
    double balls = 0.0, balls2 = 0.0, walls = 0.0, walls2 = 0.0;
    for (int k = 0; k < PARTS; k++) {
        cube_rates count = {0};
        const jo_status status = cube_advance(c, part, &count, error);
        if (status != JO_OK) return status;
        const double b = count.balls / (theory.balls * part),
                     w = count.walls / (theory.walls * part);
        balls += b / PARTS;
        balls2 += b * b / PARTS;
        walls += w / PARTS;
        walls2 += w * w / PARTS;
    }
    v->ratio = (cube_rates){balls, walls};
    v->error = (cube_rates){sqrt(fmax(balls2 - balls * balls, 0.0) / (PARTS - 1)),
                            sqrt(fmax(walls2 - walls * walls, 0.0) / (PARTS - 1))};
    v->predicted = (cube_rates){theory.balls * c->frame, theory.walls * c->frame};
    return JO_OK;
}

jo_status cube_settle(cube *c, jo_error *error)
{
    cube_rates ignored = {0};
    const double rate = 2.0 * cube_theory(c->n, cube_edge, c->r, c->kt).balls / (double)c->n;
    return cube_advance(c, 4.0 / rate, &ignored, error);
}

/* ---- the largest nbs */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a frame, drawn or not, a free path from the start: the middle one of `frames`, which
 * other programs on the machine disturb least. */
static jo_status time_frames(const cube_engine *engine, size_t nbs, double length, bool draw,
                             int frames, uint64_t seed, double *seconds, jo_error *error)
{
    enum { MOST = 32 };
    cube c;
    cube_rates ignored = {0};
    double taken[MOST] = {0};
    cli_progress_say("%s, nbs = %zu: as fast as 20 frames a second?", engine->name, nbs);
    jo_status status = cube_open(engine, nbs, seed, &c, error);
    c.frame = length;
    /* The first collisions come when balls have left their places of the grid. */
    if (status == JO_OK) status = cube_advance(&c, cube_edge / (double)nbs, &ignored, error);
    frames = frames < MOST ? frames : MOST;
    for (int k = 0; k < frames && status == JO_OK; k++) {
        double stage[CUBE_STAGES];
        status = frame(&c, draw, stage, &ignored, error);
        for (int m = 0; m < CUBE_STAGES; m++)
            taken[k] += stage[m];
    }
    qsort(taken, (size_t)frames, sizeof *taken, by_value);
    *seconds = taken[frames / 2];
    cube_close(&c);
    return status;
}

/* Between the largest known to be fast enough and the smallest known not to be, the next to try is
 * where the time would be right if it grew by a power: the engine's, then the one that was seen. */
jo_status cube_largest(const cube_engine *engine, double length, bool draw, double guess,
                       int frames, uint64_t seed, cube_limit *limit, jo_error *error)
{
    enum { TRIALS = 10, MOST = 300 };
    double power = engine->growth, last_nbs = 0.0, last_seconds = 0.0;
    *limit = (cube_limit){.above = MOST + 1, .seconds_above = NAN};
    for (int k = 0; k < TRIALS && limit->above > limit->nbs + 1 && limit->above > 2; k++) {
        double seconds = 0.0;
        const double low = fmax((double)limit->nbs + 1.0, 2.0), high = (double)limit->above - 1.0;
        const size_t nbs = (size_t)fmin(fmax(guess, low), high);
        const jo_status status =
            time_frames(engine, nbs, length, draw, frames, seed, &seconds, error);
        if (status != JO_OK) return status;
        if (seconds < cube_frame_seconds) {
            limit->nbs = nbs;
            limit->seconds = seconds;
        } else {
            limit->above = nbs;
            limit->seconds_above = seconds;
        }
        if (last_nbs > 0.0) {
            const double seen = log(seconds / last_seconds) / log((double)nbs / last_nbs);
            power = fmin(fmax(seen, 0.5), 8.0);
        }
        last_nbs = (double)nbs;
        last_seconds = seconds;
        guess = (double)nbs * pow(cube_frame_seconds / seconds, 1.0 / power);
    }
    return JO_OK;
}
