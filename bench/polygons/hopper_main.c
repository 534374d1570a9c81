/* hopper_main.c — a hopper of polygons emptied by several engines: time, flow, and how deep grains
 * overlap.
 *
 *     jostle-bench-hopper [--grains N] [--outlet D] [--seconds S] [--settle S] [--seed K] [--engine
 * NAME]
 *                         [--least-speed V] [--period S] [--roots fast|sturm|exact]
 *
 * Grains fall onto a lid, which is opened after --settle seconds (1.5); then --seconds (1.5) of
 * flow are timed. Each engine with steps runs at 600 and at 2400 of them in a second. CPU seconds
 * of the process are counted, per simulated second. Every hundredth of a second of the flow all
 * pairs of grains (and grains and walls) are looked at by one judge, the same for all: the depth of
 * an overlap is the least way by which it ends, over the normals of all edges. A grain is out when
 * its centre is below -1; the rate is that between a tenth and six tenths of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hopper.h"
#include "jostle/outline.h"

typedef struct options {
    size_t grains;
    double outlet, seconds, settle, least_speed, period;
    int roots;
    uint64_t seed;
    const char *engine;
} options;

typedef struct corners {
    size_t n;
    double p[2 * HOPPER_CORNERS];
    double x[2], radius;
} corners;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the scene ---- */

static uint64_t mixed(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return (double)(mixed(state) >> 11) * 0x1p-53;
}

static void build_walls(hopper *h, double outlet, size_t grains)
{
    const double slope = sqrt(3.0), d = 0.5 * outlet;
    h->outlet = outlet;
    h->width = grains <= 1000 ? 40.0 : 80.0;
    const double w = 0.5 * h->width, knee = (w - d) * slope;
    h->top = knee + 2.5 * (double)grains * 4.41 / h->width + 20.0;
    const double wall[HOPPER_WALLS][4] = {
        {-d, 0, -w, knee}, {-w, knee, -w, h->top}, {d, 0, w, knee}, {w, knee, w, h->top}};
    memcpy(h->wall, wall, sizeof wall);
    const double lid[4] = {-d, 0, d, 0};
    memcpy(h->lid, lid, sizeof lid);
    h->friction = h->restitution = 0.3;
    h->gravity = 981.0;
}

static bool build(hopper *h, const options *o)
{
    jo_error error;
    jo_grain_def def = jo_grain_def_default();
    def.radius = (jo_sizes){.kind = JO_SIZE_UNIFORM, .a = 0.5, .b = 1.0};
    def.seed = o->seed;
    build_walls(h, o->outlet, o->grains);
    h->count = o->grains;
    h->least_speed = o->least_speed;
    h->period = o->period;
    h->roots = o->roots;
    h->grain = calloc(o->grains, sizeof *h->grain);
    if (h->grain == NULL) return false;
    uint64_t state = o->seed;
    double x = 0.0, y = 1.7, reach = -1.0;
    for (size_t i = 0; i < o->grains; i++, x += 2.1) {
        while (x > reach) { /* the next row that has room for one */
            if (reach >= 0.0) y += 2.1;
            reach = fmin(0.5 * h->width, 0.5 * h->outlet + y / sqrt(3.0)) - 2.3;
            x = -reach;
        }
        hopper_grain *g = &h->grain[i];
        if (jo_outline_grain(&def, i, g->corner, &g->n, &error) != JO_OK) return false;
        const jo_outline_mass m = jo_outline_measure(g->corner, g->n);
        g->area = m.area;
        g->inertia = m.inertia;
        g->radius = m.radius;
        g->x[0] = x;
        g->x[1] = y;
        for (int k = 0; k < 2; k++)
            g->v[k] = 20.0 * uniform(&state) - 10.0;
    }
    return true;
}

/* ---- the judge of overlap ---- */

static void place(const hopper_grain *g, const hopper_pose *at, corners *out)
{
    const double c = cos(at->angle), s = sin(at->angle);
    out->n = g->n;
    out->radius = g->radius;
    for (int k = 0; k < 2; k++)
        out->x[k] = at->x[k];
    for (size_t k = 0; k < g->n; k++) {
        const double *p = g->corner + 2 * k;
        out->p[2 * k] = at->x[0] + c * p[0] - s * p[1];
        out->p[2 * k + 1] = at->x[1] + s * p[0] + c * p[1];
    }
}

/* How far the second reaches behind the edges of the first, at the edge where that is least. */
static double depth_behind(const corners *a, const corners *b)
{
    double least = INFINITY;
    for (size_t k = 0; k < a->n && least > 0.0; k++) {
        const double *p = a->p + 2 * k, *q = a->p + 2 * ((k + 1) % a->n);
        const double n[2] = {q[1] - p[1], p[0] - q[0]}, length = hypot(n[0], n[1]);
        double deepest = -INFINITY;
        for (size_t i = 0; i < b->n; i++)
            deepest = fmax(deepest, (p[0] - b->p[2 * i]) * n[0] + (p[1] - b->p[2 * i + 1]) * n[1]);
        least = fmin(least, deepest / length);
    }
    return least;
}

static double depth(const corners *a, const corners *b)
{
    const double dx = a->x[0] - b->x[0], dy = a->x[1] - b->x[1], r = a->radius + b->radius;
    if (dx * dx + dy * dy >= r * r) return 0.0;
    const double d = depth_behind(a, b);
    return d > 0.0 ? fmax(0.0, fmin(d, depth_behind(b, a))) : 0.0;
}

/* A corner beyond a wall, beside it: not below the outlet, where there are no walls. */
static double depth_in_walls(const hopper *h, const corners *a)
{
    double deepest = 0.0;
    for (size_t k = 0; k < a->n; k++) {
        const double x = fabs(a->p[2 * k]), y = a->p[2 * k + 1];
        if (y <= 0.0 || a->x[1] <= 0.0) continue;
        deepest = fmax(deepest, x - 0.5 * h->width);
        deepest = fmax(deepest, (x - 0.5 * h->outlet - y / sqrt(3.0)) * 0.5 * sqrt(3.0));
    }
    return deepest;
}

static double deepest_overlap(const hopper *h, const hopper_pose *pose, corners *work)
{
    double deepest = 0.0;
    for (size_t i = 0; i < h->count; i++) {
        place(&h->grain[i], &pose[i], &work[i]);
        deepest = fmax(deepest, depth_in_walls(h, &work[i]));
        for (size_t j = 0; j < i; j++)
            if (fabs(work[i].x[0] - work[j].x[0]) < 4.0)
                deepest = fmax(deepest, depth(&work[i], &work[j]));
    }
    return deepest;
}

static size_t out_of(const hopper *h, const hopper_pose *pose)
{
    size_t out = 0;
    for (size_t i = 0; i < h->count; i++)
        out += pose[i].x[1] < -1.0;
    return out;
}

/* ---- one run ---- */

static bool run(const hopper *h, const hopper_engine *e, double rate, const options *o)
{
    hopper_pose *pose = calloc(h->count, sizeof *pose);
    corners *work = calloc(h->count, sizeof *work);
    void *world = pose != NULL && work != NULL ? e->create(h, rate) : NULL;
    bool ok = world != NULL;
    double start = cpu_seconds(), settled = 0.0, flow = 0.0, deepest = 0.0;
    if (ok) ok = e->advance(world, o->settle);
    settled = cpu_seconds() - start;
    if (ok) e->open(world);
    const int frames = (int)ceil(100.0 * o->seconds);
    size_t out = 0, counted[2] = {0};
    double began = 0.0, ended = 0.0; /* a tenth and six tenths of the grains are out */
    for (int k = 1; k <= frames && ok; k++) {
        start = cpu_seconds();
        ok = e->advance(world, o->settle + 0.01 * k);
        flow += cpu_seconds() - start;
        e->poses(world, pose);
        deepest = fmax(deepest, deepest_overlap(h, pose, work));
        out = out_of(h, pose);
        if (10 * out <= h->count) began = 0.01 * k, counted[0] = out;
        if (10 * out <= 6 * h->count) ended = 0.01 * k, counted[1] = out;
    }
    const double rate_out =
        ended > began ? (double)(counted[1] - counted[0]) / (ended - began) : 0.0;
    char steps[32] = "events";
    if (e->steps) snprintf(steps, sizeof steps, "%.0f Hz", rate);
    if (ok)
        printf("%-12s %8s %12.3f %12.3f %14.4g %10.0f %8zu\n", e->name, steps, settled / o->settle,
               flow / (0.01 * frames), 10.0 * deepest, rate_out, out);
    else
        printf("%-12s failed\n", e->name);
    fflush(stdout);
    if (world != NULL) e->destroy(world);
    free(pose);
    free(work);
    return ok;
}

static bool read_options(int argc, char **argv, options *o)
{
    for (int k = 1; k < argc; k += 2) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (value == NULL) return false;
        if (strcmp(argv[k], "--grains") == 0)
            o->grains = (size_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[k], "--outlet") == 0)
            o->outlet = strtod(value, NULL);
        else if (strcmp(argv[k], "--seconds") == 0)
            o->seconds = strtod(value, NULL);
        else if (strcmp(argv[k], "--settle") == 0)
            o->settle = strtod(value, NULL);
        else if (strcmp(argv[k], "--seed") == 0)
            o->seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[k], "--least-speed") == 0)
            o->least_speed = strtod(value, NULL);
        else if (strcmp(argv[k], "--period") == 0)
            o->period = strtod(value, NULL);
        else if (strcmp(argv[k], "--roots") == 0)
            o->roots = value[0] == 'e' ? 2 : value[0] == 's' ? 1 : 0;
        else if (strcmp(argv[k], "--engine") == 0)
            o->engine = value;
        else
            return false;
    }
    return o->grains > 0 && o->outlet > 0.0 && o->seconds > 0.0 && o->settle > 0.0;
}

int main(int argc, char **argv)
{
    static const hopper_engine *const engines[] = {
#ifdef HAVE_BOX2D
        &engine_box2d,
#endif
#ifdef HAVE_CHIPMUNK
        &engine_chipmunk,
#endif
        &engine_jostle, NULL};
    options o = {.grains = 400, .outlet = 10.0, .seconds = 1.5, .settle = 1.5, .seed = 1};
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr,
                "usage: %s [--grains N] [--outlet D] [--seconds S] [--settle S] [--seed K] "
                "[--engine NAME] [--least-speed V] [--period S] [--roots fast|sturm|exact]\n",
                argv[0]);
        return 64;
    }
    hopper h = {0};
    if (!build(&h, &o)) return 1;
    printf("%zu grains, outlet %g cm, seed %llu\n", o.grains, o.outlet, (unsigned long long)o.seed);
    printf("%-12s %8s %12s %12s %14s %10s %8s\n", "engine", "", "settle s/s", "flow s/s",
           "overlap mm", "grains/s", "out");
    bool ok = true;
    for (size_t k = 0; engines[k] != NULL; k++) {
        if (o.engine != NULL && strncmp(engines[k]->name, o.engine, strlen(o.engine)) != 0)
            continue;
        ok &= run(&h, engines[k], 600.0, &o);
        if (engines[k]->steps) ok &= run(&h, engines[k], 2400.0, &o);
    }
    free(h.grain);
    return ok ? 0 : 1;
}
