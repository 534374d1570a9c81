/* cube_far.c — paper 4's cube far beyond the paper: the engine `hard`, up to a million balls.
 *
 * The same frames and samples as for paper4, at nbs = 11, 20, 40, 50 and 100; where there are many
 * collisions to a frame, fewer samples say as much. Two clocks for the limit of 20 frames a second:
 * that of the authors' program, and a faster one, at which collisions of balls alone and without
 * walls would make the paper's 0.00486 nbs^4 a frame. */
#include <math.h>

#include "cube.h"
#include "progress.h"

static const size_t sizes[] = {11, 20, 40, 50, 100}, quick_sizes[] = {11, 20, 40};

typedef struct far_result {
    size_t nbs, n;
    cube_samples samples;
    cube_verdict theory;
    double bytes; /* per ball */
} far_result;

/* As many samples as make about `collisions` collisions, within reason. */
static int sample_count(const cube *c, double collisions)
{
    const cube_rates rate = cube_theory(c->n, cube_edge, c->r, c->kt);
    const double per_sample = (rate.balls + rate.walls) * c->frame * CUBE_EVERY;
    return (int)fmin(fmax(collisions / per_sample, 3.0), CUBE_SAMPLES);
}

static jo_status measure(const cube_engine *engine, size_t nbs, const effort *how, far_result *f,
                         jo_error *error)
{
    cube c;
    cli_progress_say("%s, nbs = %zu…", engine->name, nbs);
    jo_status status = cube_open(engine, nbs, how->seed, &c, error);
    if (status == JO_OK) status = cube_settle(&c, error);
    if (status == JO_OK)
        status = cube_sample(&c, sample_count(&c, how->quick ? 1e5 : 3e6), how->quick ? 1 : 3,
                             &f->samples, error);
    if (status == JO_OK)
        status = cube_judge(&c, how->quick ? 5e4 : 1e6 + (double)c.n, &f->theory, error);
    f->nbs = nbs;
    f->n = c.n;
    if (status == JO_OK) f->bytes = (double)engine->bytes(c.self) / (double)c.n;
    cube_close(&c);
    return status;
}

static double speed(const far_result *f)
{
    return (f->samples.balls + f->samples.walls) / f->samples.seconds;
}

static void rows(report *out, const cube_engine *engine, const far_result *f)
{
    char name[REPORT_NAME];
    const cube_samples *s = &f->samples;
    const cube_rates p = f->theory.predicted;
    snprintf(name, sizeof name, "%s, nbs = %zu, t12", engine->name, f->nbs);
    report_row_add(out, name, NAN, 100.0 * s->stage[1] / cube_frame_seconds, "% of 1/20 s",
                   "%zu balls; %.3g collisions per second", f->n, speed(f));
    if (s->drawn > 0.0) {
        snprintf(name, sizeof name, "%s, nbs = %zu, t34", engine->name, f->nbs);
        report_row_add(out, name, NAN, 100.0 * s->stage[3] / cube_frame_seconds, "% of 1/20 s",
                       "drawing the balls");
    }
    snprintf(name, sizeof name, "%s, nbs = %zu, bytes per ball", engine->name, f->nbs);
    report_row_add(out, name, NAN, f->bytes, "bytes", "held by the engine");
    snprintf(name, sizeof name, "%s, nbs = %zu, collisions per frame", engine->name, f->nbs);
    report_row_add(out, name, NAN, s->mean, "collisions",
                   "± %.2g, %d samples; theory %.5g: balls %.5g, walls %.4g; over nbs^4 %.5f",
                   s->deviation / sqrt(s->samples), s->samples, p.balls + p.walls, p.balls, p.walls,
                   s->mean / pow((double)f->nbs, 4.0));
    snprintf(name, sizeof name, "%s, nbs = %zu, balls, measured over predicted", engine->name,
             f->nbs);
    report_row_add(out, name, NAN, f->theory.ratio.balls, "ratio", "± %.2g", f->theory.error.balls);
    snprintf(name, sizeof name, "%s, nbs = %zu, walls, measured over predicted", engine->name,
             f->nbs);
    report_row_add(out, name, NAN, f->theory.ratio.walls, "ratio", "± %.2g", f->theory.error.walls);
}

static jo_status limits(report *out, const cube_engine *engine, const far_result *f,
                        const effort *how, jo_error *error)
{
    static const char *const what[] = {"", ", without drawing",
                                       ", without drawing, clock of 0.00486 nbs^4"};
    const double bulk =
        cube_theory_bulk(1000, cube_edge, jo_paper4_radius(10, cube_edge), 1.0 / 3.0);
    const double fast = cube_frame * 0.00486 / (bulk * cube_frame / 1e4);
    report_section(out, "How many balls at 20 frames a second: engine hard");
    for (int k = how->quick ? 1 : 0; k < 3; k++) {
        char name[REPORT_NAME];
        cube_limit l;
        const double length = k == 2 ? fast : cube_frame;
        const double taken = f->samples.stage[1] * length / cube_frame +
                             (k == 0 ? f->samples.stage[0] + f->samples.stage[3] : 0.0);
        const double guess = (double)f->nbs * pow(cube_frame_seconds / taken, 1.0 / engine->growth);
        if (k == 0 && !jo_pictures_available()) continue;
        const jo_status status =
            cube_largest(engine, length, k == 0, guess, how->quick ? 3 : 10, how->seed, &l, error);
        if (status != JO_OK) return status;
        snprintf(name, sizeof name, "largest nbs at 20 frames/s, %s%s", engine->name, what[k]);
        report_row_add(out, name, 11.0, (double)l.nbs, "balls per edge",
                       "%zu balls; a frame takes %.1f ms, at nbs = %zu %.1f ms%s",
                       l.nbs * l.nbs * l.nbs, 1e3 * l.seconds, l.above, 1e3 * l.seconds_above,
                       k > 0 ? "; the paper's 11 is with drawing" : "");
    }
    return JO_OK;
}

jo_status cube_far(report *out, const effort *how, double paper4_speed, jo_error *error)
{
    const cube_engine *engine = &cube_hard;
    const size_t *list = how->quick ? quick_sizes : sizes;
    const size_t count =
        how->quick ? sizeof quick_sizes / sizeof *quick_sizes : sizeof sizes / sizeof *sizes;
    far_result f = {0}, forty = {0};
    double eleven = 0.0;
    report_section(out, "Far beyond the paper: engine hard");
    report_plot *plot = report_plot_add(out, "far-speed", "Collisions per second of processor time",
                                        "number of balls", "collisions per second", true, true);
    for (size_t k = 0; k < count; k++) {
        const jo_status status = measure(engine, list[k], how, &f, error);
        if (status != JO_OK) return status;
        rows(out, engine, &f);
        report_point(out, plot, "hard", (double)f.n, speed(&f));
        if (f.nbs == 11) eleven = speed(&f);
        if (f.nbs == 40) forty = f;
    }
    report_point(out, plot, "paper4", 1331.0, paper4_speed);
    report_points_only(plot, "paper4");
    report_row_add(out, "hard over paper4, collisions per second at nbs = 11", NAN,
                   eleven / paper4_speed, "ratio", "%.3g over %.3g per second of processor time",
                   eleven, paper4_speed);
    report_finding(
        out,
        "Engine hard makes %.0f times as many collisions per second as the paper's method "
        "at nbs = 11, and its cost per collision hardly grows with the number of balls: "
        "the plot far-speed. Collision rates stay those of kinetic theory.",
        eleven / paper4_speed);
    return limits(out, engine, &forty, how, error);
}
