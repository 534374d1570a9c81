/* flow_main.c — discharge of a hopper of polygons over the width of its neck: Beverloo's law in 2D,
 * and jams.
 *
 *     jostle-bench-flow FILE.csv --neck D [--grains N] [--seeds FROM TO]     one row for each seed
 * is added jostle-bench-flow FILE.csv --fit [--plot flow.svg] [--jams jams.svg]   what the rows say
 *
 * A run is hopper_default() of scenes/polygon_hopper.h: grains of 5 to 8 corners in a hopper of 60
 * degrees, half a second to come to rest, then the lid is opened, and it flows until it is empty or
 * no grain came out for a second, which is a jam. The rate is that between a fifth and four fifths
 * of the grains, in area of grains (density 1) per second; `packing` is the share of the settled
 * bed that grains fill, in a slab away from the bed's top and from the outlet.
 *
 * The law, W = C rho sqrt(g) (D - k d)^(3/2), is linear in W^(2/3): a straight line is fitted to
 * the means over seeds, each weighted by its standard error; the errors of the constants are those
 * of the fit, times the root of chi^2 per degree of freedom where that is above 1. d is the
 * diameter of the disc with a grain's mean area. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/outline.h"
#include "jostle/picture.h"
#include "polygon_hopper.h"

enum { NECKS_MAX = 64, CURVE = 60 };
static const double GRAVITY = 981.0, SETTLE = 0.5, PATIENCE = 1.0, DISC = 0.78539816339744828;

typedef struct row {
    unsigned grains, seed, jammed, left;
    double neck, area, packing, rate, emptied, events, checks, nearest, seconds;
} row;

/* ---- one run ---- */

/* Share of the slab between `low` and `high` that grains fill whose centres are in it. */
typedef struct bed {
    const hopper_options *options;
    double packing, width;
} bed;

static double width_at(const bed *b, double y)
{
    const double slope = tan(b->options->slope * DISC / 45.0);
    return fmin(b->width, b->options->neck + 2.0 * y / slope);
}

static double slab_area(const bed *b, double low, double high)
{
    double area = 0.0;
    const int slices = 1000;
    for (int k = 0; k < slices; k++)
        area += width_at(b, low + (high - low) * (k + 0.5) / slices) * (high - low) / slices;
    return area;
}

static bool look_at_bed(void *context, const jo_kinetic_frame *f, uint32_t out)
{
    (void)out;
    bed *b = context;
    if (b->packing > 0.0) return true;
    double top = 0.0, filled = 0.0;
    for (size_t i = 0; i < f->bodies; i++)
        if (!f->fixed[i]) top = fmax(top, f->x[2 * i + 1]);
    const double low = 4.0, high = 0.75 * top;
    for (size_t i = 0; i < f->bodies; i++)
        if (!f->fixed[i] && f->x[2 * i + 1] > low && f->x[2 * i + 1] < high) filled += f->mass[i];
    b->packing = filled / slab_area(b, low, high);
    return true;
}

static double mean_area(const hopper *h)
{
    double area = 0.0;
    for (size_t i = 0; i < h->lid; i++)
        area += fabs(jo_outline_measure(h->def.corners + 2 * h->def.first[i],
                                        h->def.first[i + 1] - h->def.first[i])
                         .area);
    return area / (double)h->lid;
}

static bool run(const hopper_options *o, row *r)
{
    hopper h;
    hopper_outcome outcome;
    jo_error error;
    bed b = {.options = o};
    if (hopper_make(o, &h, &error) != JO_OK) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    for (size_t k = 0; k < h.def.boundary; k++)
        b.width = fmax(b.width, 2.0 * h.def.boundary_corners[2 * k]);
    const double area = mean_area(&h);
    const jo_status status = hopper_empty(&h, SETTLE, PATIENCE, look_at_bed, &b, &outcome, &error);
    hopper_free(&h);
    if (status != JO_OK) {
        fprintf(stderr, "neck %g, seed %llu: %s\n", o->neck, (unsigned long long)o->seed,
                error.text);
        return false;
    }
    const jo_kinetic_stats *s = &outcome.stats;
    *r = (row){.grains = o->grains,
               .seed = (unsigned)o->seed,
               .jammed = outcome.jammed,
               .left = outcome.left,
               .neck = o->neck,
               .area = area,
               .packing = b.packing,
               .rate = outcome.rate * area,
               .emptied = outcome.emptied,
               .events = (double)(s->flips + s->collisions + s->wall_collisions + s->rests),
               .checks = (double)outcome.checks,
               .nearest = s->nearest,
               .seconds = s->seconds};
    return true;
}

static bool add_rows(const char *path, hopper_options o, unsigned from, unsigned to)
{
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be written\n", path);
        return false;
    }
    if (ftell(file) == 0)
        fprintf(file, "grains,neck,seed,jammed,left,area,packing,rate,emptied,events,checks,"
                      "nearest,seconds\n");
    bool ok = true;
    for (o.seed = from; ok && o.seed <= to; o.seed++) {
        row r;
        ok = run(&o, &r);
        if (!ok) break;
        fprintf(file, "%u,%g,%u,%u,%u,%.6g,%.6g,%.6g,%.4g,%.0f,%.0f,%.6g,%.4g\n", r.grains, r.neck,
                r.seed, r.jammed, r.left, r.area, r.packing, r.rate, r.emptied, r.events, r.checks,
                r.nearest, r.seconds);
        fflush(file);
        printf("%u grains, neck %g, seed %u: %s, %u left, %.4g cm2/s, %.0f events, %.3g s\n",
               r.grains, r.neck, r.seed, r.jammed ? "jammed" : "empty", r.left, r.rate, r.events,
               r.seconds);
        fflush(stdout);
    }
    return fclose(file) == 0 && ok;
}

/* ---- what the rows say ---- */

typedef struct group {                  /* all runs with one neck and one number of grains */
    unsigned grains, runs, jams, flows; /* flows: those whose rate is known */
    double neck, rate, square, area, packing;
} group;

typedef struct table {
    group group[NECKS_MAX];
    size_t count;
    double events, checks, nearest;
} table;

static void add_to(table *t, const row *r)
{
    size_t k = 0;
    while (k < t->count && (t->group[k].neck != r->neck || t->group[k].grains != r->grains))
        k++;
    if (k == NECKS_MAX) return;
    if (k == t->count) t->group[t->count++] = (group){.grains = r->grains, .neck = r->neck};
    group *g = &t->group[k];
    g->runs++;
    g->jams += r->jammed;
    g->area += r->area;
    g->packing += r->packing;
    if (!r->jammed && isfinite(r->rate)) {
        g->flows++;
        g->rate += r->rate;
        g->square += r->rate * r->rate;
    }
    t->events += r->events;
    t->checks += r->checks;
    t->nearest = fmin(t->nearest, r->nearest);
}

static int by_neck(const void *a, const void *b)
{
    const group *one = a, *two = b;
    if (one->grains != two->grains) return one->grains < two->grains ? -1 : 1;
    return one->neck < two->neck ? -1 : one->neck > two->neck;
}

static bool read_table(const char *path, table *t)
{
    FILE *file = fopen(path, "r");
    char line[512];
    if (file == NULL || fgets(line, sizeof line, file) == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        if (file != NULL) fclose(file);
        return false;
    }
    t->nearest = INFINITY;
    while (fgets(line, sizeof line, file) != NULL) {
        row r;
        if (sscanf(line, "%u,%lf,%u,%u,%u,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &r.grains, &r.neck,
                   &r.seed, &r.jammed, &r.left, &r.area, &r.packing, &r.rate, &r.emptied, &r.events,
                   &r.checks, &r.nearest, &r.seconds) == 13)
            add_to(t, &r);
    }
    fclose(file);
    for (size_t k = 0; k < t->count; k++) {
        group *g = &t->group[k];
        const double n = g->flows;
        g->area /= g->runs;
        g->packing /= g->runs;
        g->rate = n > 0.0 ? g->rate / n : NAN;
        const double spread = n > 1.0 ? fmax(g->square / n - g->rate * g->rate, 0.0) : NAN;
        g->square = sqrt(spread / (n - 1.0)); /* from here on the mean's standard error */
    }
    qsort(t->group, t->count, sizeof *t->group, by_neck);
    return true;
}

/* Points of the straight line W^(2/3) = slope (D - start). */
typedef struct points {
    size_t n;
    double x[NECKS_MAX], y[NECKS_MAX], error[NECKS_MAX], area, packing;
} points;

typedef struct law {
    double slope, start, slope_error, start_error, chi2;
} law;

static points points_of(const table *t, unsigned grains)
{
    points p = {0};
    for (size_t k = 0; k < t->count; k++) {
        const group *g = &t->group[k];
        /* Where many runs jam, those that do not are not a fair sample. */
        if (g->grains != grains || g->flows < 3 || 10 * g->jams > g->runs) continue;
        p.x[p.n] = g->neck;
        p.y[p.n] = pow(g->rate, 2.0 / 3.0);
        p.error[p.n] = 2.0 / 3.0 * p.y[p.n] * g->square / g->rate;
        p.area += g->area;
        p.packing += g->packing;
        p.n++;
    }
    p.area /= (double)p.n;
    p.packing /= (double)p.n;
    return p;
}

static law fit(const points *p)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t k = 0; k < p->n; k++) {
        const double weight = 1.0 / (p->error[k] * p->error[k]);
        w += weight;
        x += weight * p->x[k];
        y += weight * p->y[k];
    }
    x /= w, y /= w;
    for (size_t k = 0; k < p->n; k++) {
        const double weight = 1.0 / (p->error[k] * p->error[k]), dx = p->x[k] - x;
        xx += weight * dx * dx;
        xy += weight * dx * (p->y[k] - y);
    }
    law l = {.slope = xy / xx};
    l.start = x - y / l.slope;
    for (size_t k = 0; k < p->n; k++) {
        const double off = (p->y[k] - l.slope * (p->x[k] - l.start)) / p->error[k];
        l.chi2 += off * off;
    }
    const double more = fmax(1.0, sqrt(l.chi2 / fmax(1.0, (double)p->n - 2.0)));
    l.slope_error = more / sqrt(xx);
    /* start = x - y / slope, with y and slope independent about the weighted centre */
    l.start_error = more / l.slope * sqrt(1.0 / w + (x - l.start) * (x - l.start) / xx);
    return l;
}

static void tell_table(const table *t)
{
    printf("%7s %6s %5s %7s %8s %12s %10s\n", "grains", "neck", "runs", "jammed", "packing",
           "cm2/s", "+-");
    for (size_t k = 0; k < t->count; k++) {
        const group *g = &t->group[k];
        printf("%7u %6g %5u %7u %8.4f %12.1f %10.1f\n", g->grains, g->neck, g->runs, g->jams,
               g->packing, g->rate, g->square);
    }
    printf("%.4g events, %.4g checks, nearest %.3g gaps\n", t->events, t->checks, t->nearest);
}

static void tell_law(const points *p, const law *l, unsigned grains)
{
    const double d = sqrt(p->area / DISC), density = pow(l->slope, 1.5) / sqrt(GRAVITY);
    const double share = 1.5 * l->slope_error / l->slope;
    printf("%u grains, %zu necks: D0 = %.3f +- %.3f cm, C rho = %.4f +- %.4f, chi2 %.2f for %zu\n",
           grains, p->n, l->start, l->start_error, density, density * share, l->chi2, p->n - 2);
    printf("    d = %.4f cm, k = D0/d = %.3f +- %.3f; packing %.4f, C = %.3f +- %.3f\n", d,
           l->start / d, l->start_error / d, p->packing, density / p->packing,
           density * share / p->packing);
}

static void curve_of(const law *l, double to, double *x, double *y)
{
    for (int k = 0; k < CURVE; k++) {
        x[k] = l->start + (to - l->start) * k / (CURVE - 1);
        y[k] = pow(l->slope * (x[k] - l->start), 1.5);
    }
}

enum { SETS_MAX = 4 };

static bool draw_flow(const char *path, const table *t, const unsigned *sets, size_t count)
{
    static double x[SETS_MAX][NECKS_MAX], y[SETS_MAX][NECKS_MAX], e[SETS_MAX][NECKS_MAX];
    static double cx[SETS_MAX][CURVE], cy[SETS_MAX][CURVE];
    static char names[2 * SETS_MAX][64];
    jo_series series[2 * SETS_MAX];
    size_t n = 0;
    for (size_t s = 0; s < count; s++) {
        size_t m = 0;
        for (size_t k = 0; k < t->count; k++)
            if (t->group[k].grains == sets[s] && t->group[k].flows > 1) {
                x[s][m] = t->group[k].neck;
                y[s][m] = t->group[k].rate;
                e[s][m++] = t->group[k].square;
            }
        const points p = points_of(t, sets[s]);
        const law l = fit(&p);
        curve_of(&l, x[s][m - 1] + 1.0, cx[s], cy[s]);
        snprintf(names[n], sizeof names[n], "%u grains", sets[s]);
        series[n] = (jo_series){
            .name = names[n], .n = m, .x = x[s], .y = y[s], .error = e[s], .points_only = true};
        n++;
        snprintf(names[n], sizeof names[n], "Beverloo, D0 = %.2f cm", l.start);
        series[n] = (jo_series){.name = names[n],
                                .n = CURVE,
                                .x = cx[s],
                                .y = cy[s],
                                .dashed = true,
                                .line_only = true};
        n++;
    }
    const jo_plot plot = {.title = "Discharge of a hopper of polygons",
                          .subtitle =
                              "5 to 8 corners, 1 to 2 cm, walls at 60 degrees, friction and "
                              "restitution 0.3",
                          .x_label = "neck, cm",
                          .y_label = "area of grains per second, cm2/s",
                          .series = series,
                          .n_series = n};
    jo_error error;
    if (jo_plot_write(path, &plot, &error) == JO_OK) return true;
    fprintf(stderr, "%s\n", error.text);
    return false;
}

static bool draw_jams(const char *path, const table *t, const unsigned *sets, size_t count)
{
    static double x[SETS_MAX][NECKS_MAX], y[SETS_MAX][NECKS_MAX], e[SETS_MAX][NECKS_MAX];
    static char names[SETS_MAX][64];
    jo_series series[SETS_MAX];
    for (size_t s = 0; s < count; s++) {
        size_t m = 0;
        for (size_t k = 0; k < t->count; k++) {
            const group *g = &t->group[k];
            if (g->grains != sets[s]) continue;
            x[s][m] = g->neck;
            y[s][m] = (double)g->jams / g->runs;
            e[s][m] = sqrt(y[s][m] * (1.0 - y[s][m]) / g->runs);
            m++;
        }
        snprintf(names[s], sizeof names[s], "%u grains", sets[s]);
        series[s] = (jo_series){.name = names[s], .n = m, .x = x[s], .y = y[s], .error = e[s]};
    }
    const jo_plot plot = {.title = "Hoppers that jam before they are empty",
                          .x_label = "neck, cm",
                          .y_label = "share of runs",
                          .series = series,
                          .n_series = count};
    jo_error error;
    if (jo_plot_write(path, &plot, &error) == JO_OK) return true;
    fprintf(stderr, "%s\n", error.text);
    return false;
}

static bool tell(const char *path, const char *plot, const char *jams)
{
    table t = {0};
    if (!read_table(path, &t)) return false;
    tell_table(&t);
    unsigned sets[SETS_MAX], all[SETS_MAX];
    size_t count = 0, every = 0;
    for (size_t k = 0; k < t.count; k++) {
        const unsigned grains = t.group[k].grains;
        if (k > 0 && t.group[k - 1].grains == grains) continue;
        if (every < SETS_MAX) all[every++] = grains;
        const points p = points_of(&t, grains);
        if (p.n < 3 || count == SETS_MAX) continue;
        const law l = fit(&p);
        tell_law(&p, &l, grains);
        sets[count++] = grains;
    }
    bool ok = true;
    if (plot != NULL && count > 0) ok &= draw_flow(plot, &t, sets, count);
    if (jams != NULL) ok &= draw_jams(jams, &t, all, every);
    return ok;
}

int main(int argc, char **argv)
{
    hopper_options o = hopper_default();
    unsigned from = 1, to = 1;
    bool fits = false, ok = argc > 2;
    const char *plot = NULL, *jams = NULL;
    for (int k = 2; ok && k < argc; k++) {
        const int more = argc - k - 1;
        if (strcmp(argv[k], "--fit") == 0)
            fits = true;
        else if (strcmp(argv[k], "--grains") == 0 && more > 0)
            o.grains = (uint32_t)strtoul(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--neck") == 0 && more > 0)
            o.neck = strtod(argv[++k], NULL);
        else if (strcmp(argv[k], "--plot") == 0 && more > 0)
            plot = argv[++k];
        else if (strcmp(argv[k], "--jams") == 0 && more > 0)
            jams = argv[++k];
        else if (strcmp(argv[k], "--seeds") == 0 && more > 1) {
            from = (unsigned)strtoul(argv[++k], NULL, 10);
            to = (unsigned)strtoul(argv[++k], NULL, 10);
        } else
            ok = false;
    }
    if (!ok) {
        fprintf(stderr,
                "usage: %s FILE.csv --neck D [--grains N] [--seeds FROM TO]\n"
                "       %s FILE.csv --fit [--plot flow.svg] [--jams jams.svg]\n",
                argv[0], argv[0]);
        return 64;
    }
    return (fits ? tell(argv[1], plot, jams) : add_rows(argv[1], o, from, to)) ? 0 : 1;
}
