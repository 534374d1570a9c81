/* cube.c — Ding and Zhang, "Implementing A Particle Collision Model" (2015): nbs³ elastic balls in a
 * cube, reproduced.
 *
 * The paper's experiment: balls on a grid (initPointsOnGrid) with random velocities, radius
 * w / ((30π)^(1/3) nbs), 20 frames a second; in each of 50 samples, one every 5 frames, the times of
 * a frame's four stages and the number of collisions. It does not print the clock, nor what is
 * counted; its figures are reproduced from the authors' published program and samples (repository
 * subhdas/cs6491 on GitHub, folder project1): w = 400, components of velocities uniform in ±1,
 * 3 units of time to a frame; both collisions of balls and with walls are counted; the
 * stages are
 *   t01  setting up the scene        t12  the physics: collisions and motion
 *   t23  nothing                     t34  drawing the balls
 * in per cent of 1/20 s, by a clock of milliseconds. What is measured here:
 *
 *   Fig. 1  the stages, with jostle's rasteriser at the paper's 600 × 600 pixels
 *   Fig. 2  collisions per frame, and the slope over nbs⁴
 *   theory  collisions of both kinds against kinetic theory, nothing fitted (cube_theory.c)
 *   limit   the largest nbs that 20 frames a second leave time for
 *
 * Times are processor time of all threads: physics has one, drawing all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cube.h"
#include "progress.h"
#include "reproduce.h"

static const double cube_edge = 400.0, frame_time = 3.0, frame_seconds = 0.05;

enum { STAGES = 4, SAMPLES = 50, EVERY = 5, FIRST = 2, LAST = 11, PIXELS = 600 };

/* The authors' samples, nbs 4 to 11: means of 50. */
typedef struct published {
    double t01, t12, t23, t34; /* per cent of a frame */
    double collisions;         /* per frame */
    double deviation;          /* of the samples, not of the mean */
} published;

static const published figures[LAST + 1] = {
    [4] = {NAN, 0.16, NAN, 2.44, 1.52, 1.330},    [5] = {NAN, 0.08, NAN, 3.48, 4.24, 1.644},
    [6] = {NAN, 0.32, NAN, 4.84, 7.86, 3.033},    [7] = {NAN, 0.76, NAN, 6.32, 13.94, 4.226},
    [8] = {NAN, 1.80, NAN, 8.36, 22.14, 5.589},   [9] = {NAN, 5.12, NAN, 12.12, 36.08, 6.951},
    [10] = {NAN, 8.96, NAN, 15.24, 50.24, 7.190}, [11] = {0.92, 22.72, 0.0, 18.40, 71.72, 11.474},
};

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

const cube_engine cube_paper4 = {"paper4", paper4_create, paper4_advance, paper4_places,
                                 paper4_destroy};

/* ---- a cube that runs */

typedef struct cube {
    const cube_engine *engine;
    void *self;
    size_t nbs, n;
    double r, kt, time;
    double *x, *v, *radii; /* at the start; radii for pictures */
    uint8_t *pixels;
} cube;

static void cube_close(cube *c)
{
    if (c->self != NULL) c->engine->destroy(c->self);
    free(c->x);
    free(c->v);
    free(c->radii);
    free(c->pixels);
    *c = (cube){0};
}

static jo_status cube_open(const cube_engine *engine, size_t nbs, uint64_t seed, cube *c,
                           jo_error *error)
{
    const size_t n = nbs * nbs * nbs;
    *c = (cube){.engine = engine, .nbs = nbs, .n = n, .r = jo_paper4_radius(nbs, cube_edge)};
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
    const jo_status status = c->engine->places(c->self, &x, error);
    if (status != JO_OK) return status;
    const jo_bodies bodies = jo_spheres_interleaved(n, 3, x, c->radii);
    return jo_picture_pixels(c->pixels, &p, &bodies, NULL, (jo_pairs){0}, error);
}

/* ---- samples */

typedef struct sample_set {
    double stage[STAGES];   /* mean seconds per frame */
    double drawn;           /* samples in which stages 0 and 3 were measured */
    double mean, deviation; /* collisions per frame, all kinds */
    int samples;
} sample_set;

/* One frame as the paper's program has it; drawing is timed if asked for. */
static jo_status frame(cube *c, bool draw, double stage[STAGES], cube_rates *count, jo_error *error)
{
    jo_status status = JO_OK;
    double t[STAGES + 1];
    t[0] = processor_seconds();
    if (draw) status = cube_draw(c, 0, error);
    t[1] = processor_seconds();
    if (status == JO_OK) status = cube_advance(c, frame_time, count, error);
    t[2] = processor_seconds();
    t[3] = processor_seconds(); /* the paper's place for animation between frames: empty */
    if (draw && status == JO_OK) status = cube_draw(c, c->n, error);
    t[4] = processor_seconds();
    for (int k = 0; k < STAGES; k++)
        stage[k] = t[k + 1] - t[k];
    return status;
}

/* The paper's measurement: every EVERY-th frame is a sample. Of `samples`, `drawn` are drawn. */
static jo_status take_samples(cube *c, int samples, int drawn, sample_set *s, jo_error *error)
{
    double sum = 0.0, sum2 = 0.0;
    *s = (sample_set){.samples = samples};
    for (int k = 0; k < samples * EVERY; k++) {
        double stage[STAGES];
        cube_rates count = {0};
        const bool sampled = k % EVERY == EVERY - 1;
        const bool draw = sampled && jo_pictures_available() && s->drawn < drawn;
        const jo_status status = frame(c, draw, stage, &count, error);
        if (status != JO_OK) return status;
        if (!sampled) continue;
        for (int m = 0; m < STAGES; m++)
            s->stage[m] += stage[m];
        s->drawn += draw;
        sum += count.balls + count.walls;
        sum2 += pow(count.balls + count.walls, 2.0);
    }
    for (int m = 0; m < STAGES; m++)
        s->stage[m] /= m == 0 || m == 3 ? fmax(s->drawn, 1.0) : samples;
    s->mean = sum / samples;
    s->deviation = sqrt(fmax(sum2 / samples - s->mean * s->mean, 0.0));
    return JO_OK;
}

/* Collisions over a longer time, in 20 parts for an error: as ratios to theory. */
typedef struct verdict {
    cube_rates ratio, error, predicted; /* predicted per frame */
} verdict;

static jo_status judge(cube *c, double collisions, verdict *v, jo_error *error)
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
    v->predicted = (cube_rates){theory.balls * frame_time, theory.walls * frame_time};
    return JO_OK;
}

/* ---- Figs. 1 and 2 */

/* Equilibrium first: four collisions per ball, by theory. */
static jo_status settle(cube *c, jo_error *error)
{
    cube_rates ignored = {0};
    const double rate = 2.0 * cube_theory(c->n, cube_edge, c->r, c->kt).balls / (double)c->n;
    return cube_advance(c, 4.0 / rate, &ignored, error);
}

typedef struct outcome {
    size_t nbs;
    sample_set samples;
    verdict theory;
} outcome;

static jo_status run_one(const cube_engine *engine, size_t nbs, const effort *how, outcome *o,
                         jo_error *error)
{
    cube c;
    const double collisions = how->quick ? 20000.0 : 200000.0;
    o->nbs = nbs;
    cli_progress_say("%s, nbs = %zu…", engine->name, nbs);
    jo_status status = cube_open(engine, nbs, how->seed, &c, error);
    if (status == JO_OK) status = settle(&c, error);
    if (status == JO_OK)
        status = take_samples(&c, SAMPLES, how->quick ? 2 : SAMPLES, &o->samples, error);
    if (status == JO_OK) status = judge(&c, collisions, &o->theory, error);
    cube_close(&c);
    return status;
}

static double per_cent(double seconds)
{
    return 100.0 * seconds / frame_seconds;
}

static void stage_rows(report *out, report_plot *plot, const outcome *o)
{
    static const char *const names[STAGES] = {"t01", "t12", "t23", "t34"};
    const published *p = o->nbs >= 4 && o->nbs <= LAST ? &figures[o->nbs] : NULL;
    const double printed[STAGES] = {p ? p->t01 : NAN, p ? p->t12 : NAN, p ? p->t23 : NAN,
                                    p ? p->t34 : NAN};
    static const char *const notes[STAGES] = {"setting up the scene: here an empty picture",
                                              "physics: collisions and motion",
                                              "nothing happens here", "drawing the balls"};
    for (int k = 0; k < STAGES; k++) {
        char name[REPORT_NAME];
        if ((k == 0 || k == 3) && o->samples.drawn == 0.0) continue;
        snprintf(name, sizeof name, "nbs = %zu, %s", o->nbs, names[k]);
        report_row_add(out, name, printed[k], per_cent(o->samples.stage[k]), "% of 1/20 s", "%s%s",
                       notes[k], o->nbs == LAST && k == 1 ? "; the text prints 23 % as t01" : "");
        report_point(out, plot, names[k], (double)o->nbs, per_cent(o->samples.stage[k]));
        if ((k == 1 || k == 3) && !isnan(printed[k])) {
            char series[32];
            snprintf(series, sizeof series, "%s, paper", names[k]);
            report_point(out, plot, series, (double)o->nbs, printed[k]);
            report_dashed(plot, series);
        }
    }
}

static void stages_section(report *out, const outcome *all, size_t count)
{
    report_section(out, "Fig. 1: the stages of a frame (method paper4)");
    report_plot *plot = report_plot_add(out, "fig1-stages", "Fig. 1: the stages of a frame", "nbs",
                                        "per cent of 1/20 s", false, true);
    for (size_t k = 0; k < count; k++)
        stage_rows(out, plot, &all[k]);
    const double *s10 = all[count - 2].samples.stage, *s11 = all[count - 1].samples.stage;
    report_row_add(out, "growth of t12 from nbs = 10 to 11", figures[11].t12 / figures[10].t12,
                   s11[1] / s10[1], "ratio", "O(n) per collision and nbs^4 collisions: nbs^7, %.2f",
                   pow(1.1, 7.0));
    report_finding(
        out,
        "The paper calls t12 the physics and t34 the drawing, then gives \"t01 = 23 %%\" at "
        "nbs = 11 and says that t01 grows faster than the number of balls. Both mean t12: in the "
        "authors' samples t01 is 0.9 %% there and t12 22.7 %%.");
    report_finding(
        out,
        "All stages together take 42 %% of a frame at nbs = 11 in the paper, so nbs = 11 is not "
        "where time runs out on average: at nbs^7 nbs = 12 would take some 64 %%. The authors' "
        "program stops for good at the first single frame that takes too long.");
}

/* Least squares of y = offset + slope x over nbs 4 … 11, as the paper's figure was made. */
static double slope(const double y[LAST + 1], double *offset)
{
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 4; k <= LAST; k++) {
        const double x = pow(k, 4.0);
        n += 1.0;
        sx += x;
        sy += y[k];
        sxx += x * x;
        sxy += x * y[k];
    }
    const double b = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    *offset = (sy - b * sx) / n;
    return b;
}

static void slope_rows(report *out, const double ours[LAST + 1], const double theory[LAST + 1])
{
    double offset, samples[LAST + 1];
    for (int k = 0; k <= LAST; k++)
        samples[k] = figures[k].collisions;
    const double authors = slope(samples, &offset);
    report_row_add(out, "slope over nbs^4, from the authors' samples", 0.00486, authors,
                   "collisions/frame",
                   "the fit has an offset of %.2f that the paper does not mention", offset);
    const double measured = slope(ours, &offset);
    report_row_add(out, "slope over nbs^4, measured", 0.00486, measured, "collisions/frame",
                   "nbs 4 to 11, offset %.2f", offset);
    const double predicted = slope(theory, &offset);
    report_row_add(out, "slope over nbs^4, kinetic theory", 0.00486, predicted, "collisions/frame",
                   "nothing fitted: the same line through the predicted numbers; offset %.2f",
                   offset);
    const double bulk =
        cube_theory_bulk(1000, cube_edge, jo_paper4_radius(10, cube_edge), 1.0 / 3.0);
    report_row_add(out, "slope over nbs^4 without walls, kinetic theory", NAN,
                   bulk * frame_time / 1e4, "collisions/frame",
                   "1/2 N nu = 0.767 nbs^4 sqrt(kT/m)/w: what nbs^4 alone would give");
    report_finding(
        out,
        "The paper's y = 0.00486 nbs^4 is the slope of a line with an offset. What it counts is "
        "not proportional to nbs^4: collisions with walls, proportional to nbs^3, are counted, "
        "too, and are a quarter of all at nbs = 11. Kinetic theory, with nothing fitted, gives "
        "%.5f for the same line; ball against ball alone, without walls, would be %.5f.",
        predicted, bulk * frame_time / 1e4);
    report_finding(
        out,
        "The authors count slightly more collisions than theory and we do (4 %% at nbs = 11). "
        "Their program lets balls bounce where they are at the start of a frame, not where they "
        "meet; ours moves them to the place of contact. If the slope were all ball against ball, "
        "velocities would have to be 46 %% higher.");
}

/* One nbs in both plots of Fig. 2: over nbs^4, and divided by it. */
static void collision_points(report *out, size_t plots, const outcome *o)
{
    const double nbs = (double)o->nbs, x = pow(nbs, 4.0);
    const double predicted = o->theory.predicted.balls + o->theory.predicted.walls;
    const double balls = o->theory.predicted.balls;
    const double error = o->samples.deviation / sqrt(o->samples.samples);
    report_plot *over = &out->plots[plots], *divided = &out->plots[plots + 1];
    report_point(out, over, "kinetic theory", x, predicted);
    report_point(out, over, "0.00486 nbs^4", x, 0.00486 * x);
    report_point_error(out, over, "measured", x, o->samples.mean, error);
    report_point(out, divided, "kinetic theory", nbs, predicted / x);
    report_point(out, divided, "kinetic theory, balls alone", nbs, balls / x);
    report_point(out, divided, "0.00486 nbs^4", nbs, 0.00486);
    report_point_error(out, divided, "measured", nbs, o->samples.mean / x, error / x);
    if (o->nbs >= 4 && o->nbs <= LAST) {
        const published *p = &figures[o->nbs];
        report_point_error(out, over, "paper", x, p->collisions, p->deviation / sqrt(SAMPLES));
        report_point_error(out, divided, "paper", nbs, p->collisions / x,
                           p->deviation / sqrt(SAMPLES) / x);
    }
    for (size_t k = plots; k < plots + 2; k++) {
        report_points_only(&out->plots[k], "measured");
        report_points_only(&out->plots[k], "paper");
        report_dashed(&out->plots[k], "0.00486 nbs^4");
        report_dashed(&out->plots[k], "kinetic theory, balls alone");
    }
}

static void collisions_section(report *out, const outcome *all, size_t count)
{
    double ours[LAST + 1] = {0}, theory[LAST + 1] = {0};
    const size_t plots = out->n_plots;
    report_section(out, "Fig. 2: collisions per frame (50 samples, one every 5 frames)");
    report_plot_add(out, "fig2-collisions", "Fig. 2: collisions per frame", "nbs^4",
                    "collisions per frame", true, true);
    report_plot_add(out, "fig2-divided", "Collisions per frame over nbs^4", "nbs",
                    "collisions per frame / nbs^4", false, false);
    for (size_t k = 0; k < count; k++) {
        char name[REPORT_NAME];
        const outcome *o = &all[k];
        const double x = pow((double)o->nbs, 4.0);
        const double drawn = o->nbs >= 4 ? figures[o->nbs].collisions : NAN;
        const cube_rates p = o->theory.predicted;
        ours[o->nbs] = o->samples.mean;
        theory[o->nbs] = p.balls + p.walls;
        snprintf(name, sizeof name, "collisions per frame, nbs = %zu", o->nbs);
        report_row_add(out, name, drawn, o->samples.mean, "collisions",
                       "± %.2g (deviation %.2g); theory %.4g: balls %.4g, walls %.4g; over nbs^4 "
                       "%.5f",
                       o->samples.deviation / sqrt(o->samples.samples), o->samples.deviation,
                       theory[o->nbs], p.balls, p.walls, o->samples.mean / x);
        if (!out->failed) collision_points(out, plots, o);
    }
    slope_rows(out, ours, theory);
}

static void theory_section(report *out, const outcome *all, size_t count)
{
    report_section(out, "Collision rates over kinetic theory (nothing fitted)");
    for (size_t k = 0; k < count; k++) {
        char name[REPORT_NAME];
        const verdict *v = &all[k].theory;
        snprintf(name, sizeof name, "balls, measured over predicted, nbs = %zu", all[k].nbs);
        report_row_add(out, name, NAN, v->ratio.balls, "ratio", "± %.2g; predicted %.4g per frame",
                       v->error.balls, v->predicted.balls);
        snprintf(name, sizeof name, "walls, measured over predicted, nbs = %zu", all[k].nbs);
        report_row_add(out, name, NAN, v->ratio.walls, "ratio", "± %.2g; predicted %.4g per frame",
                       v->error.walls, v->predicted.walls);
    }
}

/* ---- the largest nbs */

/* Mean seconds of a frame, drawn or not, some frames from the start. */
static jo_status time_frames(const cube_engine *engine, size_t nbs, bool draw, const effort *how,
                             double *seconds, jo_error *error)
{
    cube c;
    cube_rates ignored = {0};
    const int frames = how->quick ? 4 : 10;
    *seconds = 0.0;
    cli_progress_say("%s, nbs = %zu: as fast as 20 frames a second?", engine->name, nbs);
    jo_status status = cube_open(engine, nbs, how->seed, &c, error);
    /* The first collisions come when balls have left their places of the grid. */
    if (status == JO_OK) status = cube_advance(&c, 8.0 * frame_time, &ignored, error);
    for (int k = 0; k < frames && status == JO_OK; k++) {
        double stage[STAGES];
        status = frame(&c, draw, stage, &ignored, error);
        for (int m = 0; m < STAGES; m++)
            *seconds += stage[m] / frames;
    }
    cube_close(&c);
    return status;
}

/* The largest nbs whose frames take less than 1/20 s, searched up or down from a guess. */
static jo_status largest(report *out, const cube_engine *engine, bool draw, double guess,
                         const effort *how, jo_error *error)
{
    char name[REPORT_NAME];
    size_t best = 0, nbs = (size_t)fmin(fmax(guess, 2.0), 300.0);
    double taken = 0.0, above = NAN;
    while (nbs >= 2) {
        double seconds = 0.0;
        const jo_status status = time_frames(engine, nbs, draw, how, &seconds, error);
        if (status != JO_OK) return status;
        const bool sustained = seconds < frame_seconds;
        if (sustained) {
            best = nbs;
            taken = seconds;
        } else
            above = seconds;
        if (best > 0 && !isnan(above))
            break; /* neighbours: the last that is, the first that is not */
        nbs = sustained ? nbs + 1 : nbs - 1;
    }
    snprintf(name, sizeof name, "largest nbs at 20 frames/s, %s%s", engine->name,
             draw ? "" : ", without drawing");
    report_row_add(out, name, draw ? 11.0 : NAN, (double)best, "balls per edge",
                   "%zu balls; a frame takes %.1f ms, with one more per edge %.1f ms",
                   best * best * best, 1e3 * taken, 1e3 * above);
    return JO_OK;
}

/* nbs at which t12, growing as nbs^7, fills what drawing leaves of a frame. */
static double guess_largest(const outcome *o, bool draw)
{
    const double physics = fmax(o->samples.stage[1], 1e-9);
    const double drawing = draw ? 1.3 * (o->samples.stage[0] + o->samples.stage[3]) : 0.0;
    const double room = fmax(frame_seconds - drawing, 0.05 * frame_seconds);
    return floor((double)o->nbs * pow(room / physics, 1.0 / 7.0));
}

static jo_status limit_section(report *out, const outcome *last, const effort *how, jo_error *error)
{
    report_section(out, "How many balls at 20 frames a second");
    jo_status status = JO_OK;
    if (jo_pictures_available())
        status = largest(out, &cube_paper4, true, guess_largest(last, true), how, error);
    if (status == JO_OK)
        status = largest(out, &cube_paper4, false, guess_largest(last, false), how, error);
    return status;
}

jo_status reproduce_paper4(report *out, const effort *how, jo_error *error)
{
    outcome all[LAST - FIRST + 1] = {0};
    const size_t count = LAST - FIRST + 1;
    for (size_t k = 0; k < count; k++) {
        const jo_status status = run_one(&cube_paper4, FIRST + k, how, &all[k], error);
        if (status != JO_OK) return status;
    }
    stages_section(out, all, count);
    collisions_section(out, all, count);
    theory_section(out, all, count);
    return limit_section(out, &all[count - 1], how, error);
}
