/* cube.c — Ding and Zhang, "Implementing A Particle Collision Model" (2015): nbs³ elastic balls in
 * a cube, reproduced.
 *
 * The paper's experiment: balls on a grid (initPointsOnGrid) with random velocities, radius
 * w / ((30π)^(1/3) nbs), 20 frames a second; in each of 50 samples, one every 5 frames, the times
 * of a frame's four stages and the number of collisions. It does not print the clock, nor what is
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
 *   beyond  the same with the engine `hard`, up to a million balls (cube_far.c) */
#include <math.h>

#include "cube.h"
#include "progress.h"

enum { FIRST = 2, LAST = 11 };

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

/* ---- Figs. 1 and 2 */

typedef struct outcome {
    size_t nbs;
    cube_samples samples;
    cube_verdict theory;
} outcome;

/* A picture of the largest cube of the paper. */
static jo_status portrait(report *out, cube *c, jo_error *error)
{
    const double *x = NULL;
    const jo_status status = cube_places(c, &x, error);
    if (status != JO_OK) return status;
    report_picture *p = report_picture_add(out, "cube", "nbs = 11: 1331 balls in the cube", c->n, x,
                                           c->r, cube_edge);
    if (p != NULL)
        snprintf(
            p->caption, sizeof p->caption,
            "After %.0f frames. The balls fill 4/90 of the cube. Colours: where they came from "
            "on the grid.",
            c->time / c->frame);
    return JO_OK;
}

static jo_status run_one(report *out, const cube_engine *engine, size_t nbs, const effort *how,
                         outcome *o, jo_error *error)
{
    cube c;
    const double collisions = how->quick ? 20000.0 : 200000.0;
    o->nbs = nbs;
    cli_progress_say("%s, nbs = %zu…", engine->name, nbs);
    jo_status status = cube_open(engine, nbs, how->seed, &c, error);
    if (status == JO_OK) status = cube_settle(&c, error);
    if (status == JO_OK)
        status = cube_sample(&c, CUBE_SAMPLES, how->quick ? 2 : CUBE_SAMPLES, &o->samples, error);
    if (status == JO_OK) status = cube_judge(&c, collisions, &o->theory, error);
    if (status == JO_OK && nbs == LAST) status = portrait(out, &c, error);
    cube_close(&c);
    return status;
}

static double per_cent(double seconds)
{
    return 100.0 * seconds / cube_frame_seconds;
}

static void stage_rows(report *out, report_plot *plot, const outcome *o)
{
    static const char *const names[CUBE_STAGES] = {"t01", "t12", "t23", "t34"};
    const published *p = o->nbs >= 4 && o->nbs <= LAST ? &figures[o->nbs] : NULL;
    const double printed[CUBE_STAGES] = {p ? p->t01 : NAN, p ? p->t12 : NAN, p ? p->t23 : NAN,
                                         p ? p->t34 : NAN};
    static const char *const notes[CUBE_STAGES] = {"setting up the scene: here an empty picture",
                                                   "physics: collisions and motion",
                                                   "nothing happens here", "drawing the balls"};
    for (int k = 0; k < CUBE_STAGES; k++) {
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
                   bulk * cube_frame / 1e4, "collisions/frame",
                   "1/2 N nu = 0.767 nbs^4 sqrt(kT/m)/w: what nbs^4 alone would give");
    report_finding(
        out,
        "The paper's y = 0.00486 nbs^4 is the slope of a line with an offset. What it counts is "
        "not proportional to nbs^4: collisions with walls, proportional to nbs^3, are counted, "
        "too, and are a quarter of all at nbs = 11. Kinetic theory, with nothing fitted, gives "
        "%.5f for the same line; ball against ball alone, without walls, would be %.5f.",
        predicted, bulk * cube_frame / 1e4);
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
        report_point_error(out, over, "paper", x, p->collisions, p->deviation / sqrt(CUBE_SAMPLES));
        report_point_error(out, divided, "paper", nbs, p->collisions / x,
                           p->deviation / sqrt(CUBE_SAMPLES) / x);
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
        const cube_verdict *v = &all[k].theory;
        snprintf(name, sizeof name, "balls, measured over predicted, nbs = %zu", all[k].nbs);
        report_row_add(out, name, NAN, v->ratio.balls, "ratio", "± %.2g; predicted %.4g per frame",
                       v->error.balls, v->predicted.balls);
        snprintf(name, sizeof name, "walls, measured over predicted, nbs = %zu", all[k].nbs);
        report_row_add(out, name, NAN, v->ratio.walls, "ratio", "± %.2g; predicted %.4g per frame",
                       v->error.walls, v->predicted.walls);
    }
}

/* ---- the largest nbs */

static jo_status limit_row(report *out, const cube_engine *engine, bool draw, double guess,
                           const effort *how, jo_error *error)
{
    char name[REPORT_NAME];
    cube_limit l;
    const jo_status status =
        cube_largest(engine, cube_frame, draw, guess, how->quick ? 4 : 10, how->seed, &l, error);
    if (status != JO_OK) return status;
    snprintf(name, sizeof name, "largest nbs at 20 frames/s, %s%s", engine->name,
             draw ? "" : ", without drawing");
    report_row_add(out, name, 11.0, (double)l.nbs, "balls per edge",
                   "%zu balls; a frame takes %.1f ms, at nbs = %zu %.1f ms%s",
                   l.nbs * l.nbs * l.nbs, 1e3 * l.seconds, l.above, 1e3 * l.seconds_above,
                   draw ? "" : "; the paper's 11 is with drawing");
    return JO_OK;
}

/* nbs at which t12, growing by its power, fills what drawing leaves of a frame. */
static double guess_largest(const cube_engine *engine, const outcome *o, bool draw)
{
    const double physics = fmax(o->samples.stage[1], 1e-9);
    const double drawing = draw ? 1.3 * (o->samples.stage[0] + o->samples.stage[3]) : 0.0;
    const double room = fmax(cube_frame_seconds - drawing, 0.05 * cube_frame_seconds);
    return (double)o->nbs * pow(room / physics, 1.0 / engine->growth);
}

static jo_status limit_section(report *out, const outcome *last, const effort *how, jo_error *error)
{
    const cube_engine *engine = &cube_paper4;
    report_section(out, "How many balls at 20 frames a second");
    jo_status status = JO_OK;
    if (jo_pictures_available())
        status = limit_row(out, engine, true, guess_largest(engine, last, true), how, error);
    if (status == JO_OK)
        status = limit_row(out, engine, false, guess_largest(engine, last, false), how, error);
    return status;
}

jo_status reproduce_paper4(report *out, const effort *how, jo_error *error)
{
    outcome all[LAST - FIRST + 1] = {0};
    const size_t count = LAST - FIRST + 1;
    for (size_t k = 0; k < count; k++) {
        const jo_status status = run_one(out, &cube_paper4, FIRST + k, how, &all[k], error);
        if (status != JO_OK) return status;
    }
    stages_section(out, all, count);
    collisions_section(out, all, count);
    theory_section(out, all, count);
    const outcome *last = &all[count - 1];
    const jo_status status = limit_section(out, last, how, error);
    if (status != JO_OK) return status;
    const cube_samples *s = &last->samples;
    return cube_far(out, how, (s->balls + s->walls) / s->seconds, error);
}
