/* distribution_cmd.c — `jostle distribution`: velocities and distances of a run's bodies, as
 * densities.
 *
 * From the frames of a trajectory, whichever engine wrote it: the components and magnitudes of
 * velocities about the centre of mass's, with Maxwell's distribution at the same temperature beside
 * them, and the pair correlation g(r). Bodies that are fixed do not count. On an open axis bodies
 * near the border have fewer neighbours, so that g comes out below 1 far away. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "output.h"
#include "table.h"

typedef struct options {
    const char *run, *picture, *csv;
    double from, to, reach;
    long bins;
} options;

enum { KEY_PNG = 0x6100, KEY_CSV, KEY_FROM, KEY_TO, KEY_REACH, KEY_BINS };

static const struct argp_option argp_options[] = {
    {"png", KEY_PNG, "FILE", 0, "draw them; .svg and .pdf, too", 1},
    {"csv", KEY_CSV, "FILE", 0, "write them as columns; - is standard output", 1},
    {"from", KEY_FROM, "TIME", 0, "frames from this time on (default: the middle of the run)", 2},
    {"to", KEY_TO, "TIME", 0, "frames up to this time (default: all)", 2},
    {"bins", KEY_BINS, "N", 0, "of each distribution (default: 100)", 2},
    {"reach", KEY_REACH, "R", 0, "of the pair correlation (default: six mean radii)", 2},
    {0}};

static double read_real(struct argp_state *state, const char *what, const char *text, bool time)
{
    double value = 0.0;
    jo_error error = {0};
    char *end;
    if (time && jo_time_read(text, &value, &error) == JO_OK) return value;
    if (time) argp_error(state, "--%s %s", what, error.text);
    value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0.0 && isfinite(value)))
        argp_error(state, "--%s is '%s'; it must be a number above 0", what, text);
    return value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (o->run != NULL) argp_error(state, "one run at a time; '%s' is too many", text);
        o->run = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which run? Name its trajectory (.h5) or folder");
        return 0;
    case KEY_PNG:
        o->picture = text;
        return 0;
    case KEY_CSV:
        o->csv = text;
        return 0;
    case KEY_FROM:
        o->from = read_real(state, "from", text, true);
        return 0;
    case KEY_TO:
        o->to = read_real(state, "to", text, true);
        return 0;
    case KEY_REACH:
        o->reach = read_real(state, "reach", text, false);
        return 0;
    case KEY_BINS:
        o->bins = (long)cli_count(state, "bins", text, 2, 100000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "RUN.h5|FOLDER",
    .doc =
        "Velocities and distances of a run's bodies: Maxwell's distribution beside theirs, and the "
        "pair correlation.\v"
        "Examples:\n"
        "  jostle distribution gas-out\n"
        "  jostle distribution gas-out --from 5 --csv gas.csv --png gas.png\n"};

/* ---- counting */

typedef struct counts {
    size_t bins, frames;
    int dim;
    double spread; /* sqrt(kT/m) of the first frame: velocities are counted up to six of it */
    double reach;
    double *component, *speed, *pairs; /* densities; pairs: g */
    double *half;                      /* radii for the search of pairs */
    size_t half_room;
    double temperature, v2, v4, samples; /* sums over frames and bodies */
} counts;

static bool make_counts(counts *c)
{
    c->component = calloc(c->bins, sizeof *c->component);
    c->speed = calloc(c->bins, sizeof *c->speed);
    c->pairs = calloc(c->bins, sizeof *c->pairs);
    return c->component != NULL && c->speed != NULL && c->pairs != NULL;
}

static void free_counts(counts *c)
{
    free(c->component);
    free(c->speed);
    free(c->pairs);
    free(c->half);
}

/* The velocity of the centre of mass; returns how many bodies move. */
static size_t drift(const jo_frame *f, double mean[3])
{
    double mass = 0.0;
    size_t movers = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (size_t i = 0; i < f->n; i++) {
        if (f->fixed[i]) continue;
        movers++;
        mass += f->mass[i];
        for (int k = 0; k < 3; k++)
            mean[k] += f->mass[i] * f->v[3 * i + k];
    }
    for (int k = 0; k < 3 && mass > 0.0; k++)
        mean[k] /= mass;
    return movers;
}

static void put(double *bin, size_t bins, double at, double amount)
{
    if (at >= 0.0 && at < (double)bins) bin[(size_t)at] += amount;
}

/* Velocities are scaled by sqrt(m over the mean mass), so that unequal bodies are comparable. */
static void count_velocities(counts *c, const jo_frame *f)
{
    double mean[3], energy = 0.0, mass = 0.0;
    const size_t movers = drift(f, mean);
    for (int round = 0; round < 2 && movers > 0; round++) {
        if (round == 1 && !(c->spread > 0.0)) c->spread = sqrt(energy / (c->dim * mass));
        for (size_t i = 0; i < f->n; i++) {
            if (f->fixed[i]) continue;
            double s2 = 0.0;
            const double scale = round == 0 ? 1.0 : sqrt(f->mass[i] * (double)movers / mass);
            for (int k = 0; k < c->dim; k++) {
                const double v = scale * (f->v[3 * i + k] - mean[k]);
                s2 += v * v;
                if (round == 1 && c->spread > 0.0)
                    put(c->component, c->bins, (v / c->spread + 6.0) / 12.0 * (double)c->bins, 1.0);
            }
            if (round == 0) {
                energy += f->mass[i] * s2;
                mass += f->mass[i];
                continue;
            }
            c->v2 += s2;
            c->v4 += s2 * s2;
            c->samples += 1.0;
            if (c->spread > 0.0)
                put(c->speed, c->bins, sqrt(s2) / c->spread / 6.0 * (double)c->bins, 1.0);
        }
    }
    if (movers > 0) c->temperature += energy / (c->dim * (double)movers);
}

/* The space bodies are in: the box, on axes where they have not left it, else what they span. */
static double volume(const jo_frame *f)
{
    double product = 1.0;
    for (int k = 0; k < f->dim; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < f->n; i++) {
            lo = fmin(lo, f->x[3 * i + k] - f->r[i]);
            hi = fmax(hi, f->x[3 * i + k] + f->r[i]);
        }
        const double box = f->domain.hi[k] - f->domain.lo[k];
        product *= f->domain.periodic[k] ? box : hi - lo;
    }
    return product;
}

static double gap2(const jo_frame *f, jo_pair p)
{
    double sum = 0.0;
    for (int k = 0; k < f->dim; k++) {
        double d = f->x[3 * (size_t)p.j + k] - f->x[3 * (size_t)p.i + k];
        const double period = f->domain.hi[k] - f->domain.lo[k];
        if (f->domain.periodic[k]) d -= period * rint(d / period);
        sum += d * d;
    }
    return sum;
}

/* Pairs nearer than reach are those of balls of half that radius which touch. */
static jo_status count_pairs(counts *c, const jo_frame *f, jo_error *error)
{
    jo_broad *search = NULL;
    jo_broad_def def = jo_broad_def_default();
    if (f->n < 2) return JO_OK;
    if (c->half_room < f->n) {
        double *more = realloc(c->half, f->n * sizeof *more);
        if (more == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for pairs");
        c->half = more;
        c->half_room = f->n;
    }
    for (size_t i = 0; i < f->n; i++)
        c->half[i] = 0.5 * c->reach;
    def.domain = f->domain;
    jo_bodies bodies = {.shape = JO_SPHERES,
                        .dim = f->dim,
                        .n = f->n,
                        .x = {f->x, f->x + 1, f->x + 2},
                        .r = c->half,
                        .x_stride = 3,
                        .r_stride = 1};
    jo_status status = jo_broad_create(&def, &search, error);
    if (status == JO_OK) status = jo_broad_find(search, &bodies, error);
    if (status == JO_OK) {
        const jo_pairs pairs = jo_broad_contacts(search);
        const double one = 2.0 * volume(f) / ((double)f->n * (double)f->n);
        for (size_t k = 0; k < pairs.count; k++)
            put(c->pairs, c->bins, sqrt(gap2(f, pairs.pairs[k])) / c->reach * (double)c->bins, one);
    }
    jo_broad_destroy(search);
    return status;
}

static int no_frames(const char *run)
{
    return cli_fail_with(CLI_BAD_DATA,
                         "%s: has no frames at the times asked for; a run writes them where the "
                         "scene says output: trajectory",
                         run);
}

static int count_all(counts *c, const options *o, jo_replay *replay)
{
    jo_error error = {0};
    jo_frame f;
    const size_t frames = jo_replay_frames(replay);
    double last = 0.0;
    if (frames > 0) {
        if (jo_replay_frame(replay, frames - 1, &f, &error) != JO_OK) return cli_fail(&error);
        last = f.time;
    }
    const double from = isnan(o->from) ? 0.5 * last : o->from;
    for (size_t k = 0; k < frames; k++) {
        if (jo_replay_frame(replay, k, &f, &error) != JO_OK) return cli_fail(&error);
        if (f.time < from || f.time > o->to) continue;
        if (c->frames == 0) {
            double radius = 0.0;
            c->dim = f.dim;
            for (size_t i = 0; i < f.n; i++)
                radius += f.r[i] / (double)f.n;
            c->reach = isnan(o->reach) ? 6.0 * radius : o->reach;
        }
        count_velocities(c, &f);
        if (count_pairs(c, &f, &error) != JO_OK) return cli_fail(&error);
        c->frames++;
    }
    return c->frames > 0 ? CLI_OK : no_frames(o->run);
}

/* Numbers to densities. */
static void normalise(counts *c)
{
    const double n = (double)c->bins, wide = 12.0 * c->spread / n, step = c->reach / n;
    for (size_t b = 0; b < c->bins; b++) {
        const double lo = (double)b * step, hi = lo + step;
        const double ring = c->dim == 2 ? M_PI * (hi * hi - lo * lo)
                                        : 4.0 / 3.0 * M_PI * (hi * hi * hi - lo * lo * lo);
        c->pairs[b] /= ring * (double)c->frames;
        if (!(c->samples > 0.0) || !(wide > 0.0)) continue;
        c->component[b] /= c->dim * c->samples * wide;
        c->speed[b] /= c->samples * 0.5 * wide;
    }
}

/* ---- telling */

typedef struct columns {
    double *at[8]; /* v, density, Maxwell's; speed, density, Maxwell's; r, g */
} columns;

static const char *const names[8] = {
    "v", "v_density", "v_maxwell", "speed", "speed_density", "speed_maxwell", "r", "g"};

static bool make_columns(const counts *c, columns *out)
{
    const double n = (double)c->bins, t = c->v2 / (c->dim * c->samples);
    for (int k = 0; k < 8; k++) {
        out->at[k] = calloc(c->bins, sizeof **out->at);
        if (out->at[k] == NULL) return false;
    }
    for (size_t b = 0; b < c->bins; b++) {
        const double middle = ((double)b + 0.5) / n, v = (12.0 * middle - 6.0) * c->spread,
                     s = 6.0 * middle * c->spread;
        const double in_two = s / t * exp(-0.5 * s * s / t);
        const double row[8] = {v,
                               c->component[b],
                               exp(-0.5 * v * v / t) / sqrt(2.0 * M_PI * t),
                               s,
                               c->speed[b],
                               c->dim == 2 ? in_two : in_two * s * sqrt(2.0 / (M_PI * t)),
                               middle * c->reach,
                               c->pairs[b]};
        for (int k = 0; k < 8; k++)
            out->at[k][b] = row[k];
    }
    return true;
}

static int write_csv(const columns *all, size_t bins, const char *path)
{
    output out;
    jo_error error = {0};
    if (output_open(&out, path, &error) != JO_OK) return cli_fail(&error);
    for (int k = 0; k < 8; k++)
        fprintf(out.file, "%s%c", names[k], k < 7 ? ',' : '\n');
    for (size_t b = 0; b < bins; b++)
        for (int k = 0; k < 8; k++) {
            char text[32];
            fprintf(out.file, "%s%c", text_real(text, sizeof text, all->at[k][b]),
                    k < 7 ? ',' : '\n');
        }
    return output_close(&out, &error) == JO_OK ? CLI_OK : cli_fail(&error);
}

static int draw(const columns *all, const counts *c, const char *title, const char *path)
{
    jo_error error = {0};
    jo_series series[5] = {{.name = "bodies", .x = all->at[0], .y = all->at[1]},
                           {.name = "Maxwell", .x = all->at[0], .y = all->at[2]},
                           {.name = "bodies", .x = all->at[3], .y = all->at[4]},
                           {.name = "Maxwell", .x = all->at[3], .y = all->at[5]},
                           {.x = all->at[6], .y = all->at[7]}};
    for (int k = 0; k < 5; k++) {
        series[k].n = c->bins;
        series[k].line_only = true;
    }
    jo_plot plots[3] = {{.title = "components of velocities", .series = series, .n_series = 2},
                        {.title = "speeds", .series = series + 2, .n_series = 2},
                        {.title = "pair correlation", .series = series + 4, .n_series = 1}};
    const jo_panels sheet = {.title = title[0] != '\0' ? title : NULL, .plots = plots, .count = 3};
    cli_signals_hold();
    const jo_status status = jo_panels_write(path, &sheet, &error);
    cli_signals_release();
    return status == JO_OK ? CLI_OK : cli_fail(&error);
}

static int tell(const counts *c, const options *o, const char *title)
{
    columns all = {{NULL}};
    int code =
        make_columns(c, &all) ? CLI_OK : cli_fail_with(CLI_FAILED, "out of memory for the columns");
    if (code == CLI_OK) {
        size_t peak = 0;
        for (size_t b = 1; b < c->bins; b++)
            if (c->pairs[b] > c->pairs[peak]) peak = b;
        const double even = c->v4 * c->samples / (c->v2 * c->v2);
        FILE *to = o->csv != NULL && output_is_standard(o->csv) ? stderr : stdout;
        fprintf(to, "  frames        %zu, %.0f velocities\n", c->frames, c->samples);
        fprintf(to, "  temperature   kT = %.6g\n", c->temperature / (double)c->frames);
        fprintf(to, "  <v^4>/<v^2>^2 %.4f (Maxwell: %.4f)\n", even, c->dim == 2 ? 2.0 : 5.0 / 3.0);
        fprintf(to, "  g(r)          highest %.4g, at r = %.4g\n", c->pairs[peak], all.at[6][peak]);
    }
    if (code == CLI_OK && o->csv != NULL) code = write_csv(&all, c->bins, o->csv);
    if (code == CLI_OK && o->picture != NULL) code = draw(&all, c, title, o->picture);
    for (int k = 0; k < 8; k++)
        free(all.at[k]);
    return code;
}

int cli_distribution(int argc, char **argv)
{
    jo_error error = {0};
    options o = {.from = NAN, .to = INFINITY, .reach = NAN, .bins = 100};
    char room[4096];
    jo_replay *replay;
    cli_parse(&argp, argc, argv, &o);
    o.run = cli_run_file(o.run, room, sizeof room);
    if (o.picture != NULL && output_picture_possible(o.picture, &error) != JO_OK)
        return cli_fail(&error);
    if (jo_replay_open(o.run, &replay, &error) != JO_OK) return cli_fail(&error);
    counts c = {.bins = (size_t)o.bins};
    int code = make_counts(&c) ? CLI_OK : cli_fail_with(CLI_FAILED, "out of memory for the bins");
    if (code == CLI_OK) code = count_all(&c, &o, replay);
    if (code == CLI_OK) {
        normalise(&c);
        code = tell(&c, &o, jo_replay_title(replay));
    }
    free_counts(&c);
    jo_replay_close(replay);
    return code;
}
