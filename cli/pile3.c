/* pile3.c — paper 3's claim for whole simulations: the time per particle depends neither on how
 * many particles there are nor on how many faces they have.
 *
 * The paper shows it for the detection of contacts alone. Here it is the soft engine with
 * everything: a heap of rocks that came to rest under gravity in a box that is periodic sideways,
 * forces with friction, on one thread; contacts by boxes in sorted lists (`sweep`) over faces.
 * Large heaps are a small one side by side with itself. Lengths are in radii, times in sqrt(radius
 * / gravity).
 *
 * Others may use the machine, and heaps are compared: so all heaps are made first, then a block of
 * steps of each is timed in turn (time of the processor, one thread), round after round, and of
 * each the least counts (the median is told beside it). What slows the machine for a while slows
 * some blocks of every heap, not all blocks of one.
 *
 * More faces meet in deeper contacts. Heaps come to rest with overlaps of about 1 % of the radius,
 * are timed, and then made four times as stiff, twice, coming to rest each time; overlaps are about
 * 0.3 % in the end. The number of contacts is the shapes' own: times are also told per contact. At
 * rest is a heap whose bodies have 1e-7 of the energy of a fall by their radius, for as long as
 * such a fall takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jostle/soft.h"
#include "progress.h"
#include "reproduce.h"

enum { ROUNDS_MAX = 40 };

typedef struct heap {
    jo_scene scene;
    jo_population bodies;
    double edge;   /* of the box, along x and y */
    double weight; /* of a body */
} heap;

typedef struct pace {
    double microseconds; /* per body and step: the least */
    double median;
    double contacts; /* per body */
    double overlap;  /* mean, over the radius */
    double bytes;    /* per body */
} pace;

static void heap_free(heap *h)
{
    jo_scene_free(&h->scene);
    jo_population_free(&h->bodies);
}

/* Rocks in a column, as a scene in C. */
static jo_status make_scene(size_t count, size_t faces, uint64_t seed, heap *h, jo_error *error)
{
    jo_rock_def rock = jo_rock_def_default();
    jo_polyhedron *shape;
    jo_scene *s = &h->scene;
    uint32_t index;
    *h = (heap){.scene = jo_scene_default()};
    rock.faces = faces;
    rock.seed = seed;
    jo_status status = jo_polyhedron_rock(&rock, &shape, error);
    if (status == JO_OK) h->weight = jo_polyhedron_look(shape).volume;
    if (status == JO_OK) status = jo_scene_add_shape(s, shape, &index, error);
    if (status != JO_OK) return status;
    s->materials = calloc(1, sizeof *s->materials);
    s->contacts = calloc(1, sizeof *s->contacts);
    s->groups = calloc(1, sizeof *s->groups);
    s->walls = calloc(1, sizeof *s->walls);
    if (s->materials == NULL || s->contacts == NULL || s->groups == NULL || s->walls == NULL)
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for a scene");
    s->material_count = s->group_count = s->wall_count = 1;
    s->materials[0] = (jo_material){.name = "rock", .density = 1, .young = 200000, .poisson = 0.25};
    s->contacts[0] = jo_contact_def_default();
    s->contacts[0].restitution = 0.2;
    s->contacts[0].friction = 0.5;
    s->gravity[2] = -1;
    s->duration = 1000;
    s->skin = 0.15;
    snprintf(s->broad, sizeof s->broad, "sweep");
    s->account_energy = false;
    h->edge = fmax(count < 30 ? 4.5 : 6.5, 2 * sqrt((double)count / 8)); /* about eight layers */
    s->has_box = true;
    s->leaving = JO_LEAVING_KEEP;
    s->domain = (jo_domain){{0, 0, -10}, {h->edge, h->edge, 1e4}, {true, true, false}};
    s->walls[0] = jo_wall_default(JO_WALL_PLANE);
    jo_group *g = &s->groups[0];
    *g = jo_group_default(JO_GROUP_RANDOM);
    g->sizes.a = 1;
    g->count = count;
    g->seed = seed;
    g->shape = index;
    g->shapes = 1;
    g->velocity[2] = -2;
    g->region = (jo_region){.kind = JO_REGION_BOX};
    g->region.hi[0] = g->region.hi[1] = h->edge;
    g->region.hi[2] = 4.19 * (double)count / (0.4 * h->edge * h->edge) + 2;
    return JO_OK;
}

static jo_status keep(jo_soft *soft, heap *h, jo_error *error)
{
    jo_frame f;
    jo_status status = jo_soft_frame(soft, &f, error);
    jo_population_free(&h->bodies);
    if (status == JO_OK) status = jo_population_allocate(&h->bodies, f.n, error);
    if (status == JO_OK) status = jo_population_allocate_shapes(&h->bodies, error);
    if (status != JO_OK) return status;
    memcpy(h->bodies.x, f.x, 3 * f.n * sizeof *f.x);
    memcpy(h->bodies.v, f.v, 3 * f.n * sizeof *f.v);
    memcpy(h->bodies.w, f.w, 3 * f.n * sizeof *f.w);
    memcpy(h->bodies.r, f.r, f.n * sizeof *f.r);
    memcpy(h->bodies.q, f.q, 4 * f.n * sizeof *f.q);
    memcpy(h->bodies.shape, f.shape, f.n * sizeof *f.shape);
    return JO_OK;
}

/* Lets them fall, or go on from where they are, on one thread, until they are at rest; *soft is
 * NULL or has them as they lie. */
static jo_status settle(heap *h, jo_soft **soft, jo_error *error)
{
    enum { LONGEST = 200, LOOKS = 20 }; /* times; looks in each, for rocks swing */
    const double rest = 1e-7;
    jo_soft_options options = jo_soft_options_default();
    options.threads = 1;
    *soft = NULL;
    jo_status status = h->bodies.n > 0
                           ? jo_soft_create_with(&h->scene, &h->bodies, &options, soft, error)
                           : jo_soft_create(&h->scene, &options, soft, error);
    if (status != JO_OK) return status;
    progress p = cli_progress_start("a heap comes to rest");
    const uint64_t steps = (uint64_t)(1 / (LOOKS * jo_soft_time_step(*soft))) + 1;
    int quiet = 0;
    for (int k = 0; k < LONGEST * LOOKS && quiet < LOOKS && status == JO_OK; k++) {
        jo_measures m;
        status = jo_soft_advance(*soft, steps, error);
        if (status == JO_OK && !cli_progress_show(&p, (double)k / (LONGEST * LOOKS)))
            status = JO_ERR_CANCELLED;
        if (status == JO_OK) status = jo_soft_measure(*soft, &m, error);
        quiet = status == JO_OK && m.energy.kinetic < rest * (double)m.bodies * h->weight
                    ? quiet + 1
                    : 0;
    }
    cli_progress_clear();
    return status == JO_OK ? keep(*soft, h, error) : status;
}

/* The heap beside itself, times x times. */
static jo_status repeat(const heap *h, size_t times, heap *out, jo_error *error)
{
    const size_t n = h->bodies.n;
    jo_status status = jo_population_allocate(&out->bodies, n * times * times, error);
    if (status == JO_OK) status = jo_population_allocate_shapes(&out->bodies, error);
    if (status != JO_OK) return status;
    for (size_t k = 0; k < times * times; k++)
        for (size_t i = 0; i < n; i++) {
            const size_t to = k * n + i;
            for (size_t a = 0; a < 3; a++) {
                const double shift = a == 0   ? (double)(k % times)
                                     : a == 1 ? (double)(k / times)
                                              : 0;
                out->bodies.x[3 * to + a] = h->bodies.x[3 * i + a] + shift * h->edge;
            }
            out->bodies.r[to] = h->bodies.r[i];
            out->bodies.shape[to] = h->bodies.shape[i];
            memcpy(out->bodies.q + 4 * to, h->bodies.q + 4 * i, 4 * sizeof(double));
        }
    return JO_OK;
}

/* A heap that is timed in turn with others. */
typedef struct trial {
    jo_soft *soft;
    uint64_t steps; /* of a block */
    double seconds[ROUNDS_MAX];
} trial;

/* The heap beside itself, times x times, on one thread. */
static jo_status start_trial(heap *h, size_t times, uint64_t steps, trial *t, jo_error *error)
{
    heap many = {.bodies = {0}};
    jo_soft_options options = jo_soft_options_default();
    const double edge = h->edge;
    *t = (trial){.steps = steps};
    options.threads = 1;
    jo_status status = repeat(h, times, &many, error);
    h->scene.domain.hi[0] = h->scene.domain.hi[1] = edge * (double)times;
    if (status == JO_OK)
        status = jo_soft_create_with(&h->scene, &many.bodies, &options, &t->soft, error);
    jo_population_free(&many.bodies);
    h->scene.domain.hi[0] = h->scene.domain.hi[1] = edge;
    return status == JO_OK ? jo_soft_advance(t->soft, 20, error) : status;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* All trials, one block each, round after round. */
static jo_status take_turns(trial *trials, size_t count, size_t rounds, jo_error *error)
{
    progress p = cli_progress_start("heaps are timed in turn");
    jo_status status = JO_OK;
    for (size_t k = 0; k < rounds * count && status == JO_OK; k++) {
        trial *t = &trials[k % count];
        const double begin = processor_seconds();
        status = jo_soft_advance(t->soft, t->steps, error);
        t->seconds[k / count] = processor_seconds() - begin;
        if (status == JO_OK && !cli_progress_show(&p, (double)k / (double)(rounds * count)))
            status = JO_ERR_CANCELLED;
    }
    cli_progress_clear();
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static jo_status pace_of(trial *t, size_t rounds, pace *out, jo_error *error)
{
    jo_measures m;
    const jo_status status = jo_soft_measure(t->soft, &m, error);
    if (status != JO_OK) return status;
    qsort(t->seconds, rounds, sizeof *t->seconds, by_size);
    const double scale = 1e6 / (double)(t->steps * m.bodies);
    *out = (pace){scale * t->seconds[0], scale * t->seconds[rounds / 2],
                  (double)(m.contacts + m.wall_contacts) / (double)m.bodies, m.overlap_mean,
                  (double)jo_soft_statistics(t->soft).bytes / (double)m.bodies};
    return JO_OK;
}

static void end_trials(trial *trials, size_t count)
{
    for (size_t k = 0; k < count; k++)
        jo_soft_destroy(trials[k].soft);
}

static void tell_pace(report *out, size_t plot, const char *line, double x, const char *name,
                      size_t rounds, const pace *p)
{
    report_row_add(
        out, name, NAN, p->microseconds, "us",
        "per body and step, the least of %zu (median %.2f); %.2f us a contact; %.2f contacts per "
        "body, mean overlap %.2g of the radius, %.0f bytes per body",
        rounds, p->median, p->microseconds / p->contacts, p->contacts, p->overlap, p->bytes);
    if (!out->failed) report_point(out, &out->plots[plot], line, x, p->microseconds);
}

/* Stages of stiffness; with --quick only the first. */
enum { STAGES = 3, STIFFER = 4 };

/* The slowest and fastest of several heaps, by bodies and by contacts. */
typedef struct spread {
    double lo, hi, median_lo, median_hi, contact_lo, contact_hi;
} spread;

static const spread nothing = {INFINITY, 0, INFINITY, 0, INFINITY, 0};

static void widen(spread *s, const pace *p)
{
    s->lo = fmin(s->lo, p->microseconds);
    s->hi = fmax(s->hi, p->microseconds);
    s->median_lo = fmin(s->median_lo, p->median);
    s->median_hi = fmax(s->median_hi, p->median);
    s->contact_lo = fmin(s->contact_lo, p->microseconds / p->contacts);
    s->contact_hi = fmax(s->contact_hi, p->microseconds / p->contacts);
}

/* One heap, ever stiffer: a trial for each stiffness. */
static jo_status harden(const effort *how, size_t faces, size_t stages, trial *to, jo_error *error)
{
    heap h;
    jo_status status = make_scene(how->quick ? 24 : 48, faces, how->seed, &h, error);
    for (size_t k = 0; k < stages && status == JO_OK; k++) {
        to[k] = (trial){.steps = how->quick ? 100 : 300};
        status = settle(&h, &to[k].soft, error);
        h.scene.materials[0].young *= STIFFER;
    }
    heap_free(&h);
    return status;
}

/* Rows of all heaps, trials[k] being that of faces[k / stages] with stiffness k % stages, and of
 * each stiffness. */
static jo_status tell_faces(report *out, size_t plot, const size_t *faces, size_t count,
                            size_t stages, size_t rounds, trial *trials, jo_error *error)
{
    spread spreads[STAGES];
    double overlap[STAGES] = {0};
    for (int k = 0; k < STAGES; k++)
        spreads[k] = nothing;
    for (size_t k = 0; k < count * stages; k++) {
        pace p;
        char name[80], line[40];
        const double stiffness = pow(STIFFER, (double)(k % stages));
        const jo_status status = pace_of(&trials[k], rounds, &p, error);
        if (status != JO_OK) return status;
        snprintf(name, sizeof name, "heap of rocks with %zu faces, stiffness x %g",
                 faces[k / stages], stiffness);
        snprintf(line, sizeof line, "stiffness x %g", stiffness);
        tell_pace(out, plot, line, (double)faces[k / stages], name, rounds, &p);
        widen(&spreads[k % stages], &p);
        overlap[k % stages] += p.overlap / (double)count;
    }
    for (size_t k = 0; k < stages; k++) {
        char name[80];
        snprintf(name, sizeof name, "heap: slowest over fastest, 4 to 920 faces, stiffness x %g",
                 pow(STIFFER, (double)k));
        report_row_add(out, name, NAN, spreads[k].hi / spreads[k].lo, "ratio",
                       "per body, overlaps of %.2g of the radius; of medians %.2f; per contact "
                       "%.2f; independence of the number of faces: 1",
                       overlap[k], spreads[k].median_hi / spreads[k].median_lo,
                       spreads[k].contact_hi / spreads[k].contact_lo);
    }
    return JO_OK;
}

static jo_status over_faces(report *out, const effort *how, size_t plot, jo_error *error)
{
    enum { FACES = 6, FEW = 3 };
    static const size_t many[FACES] = {4, 8, 20, 80, 320, 920}, few[FEW] = {4, 20, 920};
    const size_t count = how->quick ? FEW : FACES, stages = how->quick ? 1 : STAGES;
    const size_t *faces = how->quick ? few : many, rounds = ROUNDS_MAX;
    trial trials[FACES * STAGES] = {0};
    jo_status status = JO_OK;
    for (size_t k = 0; k < count && status == JO_OK; k++)
        status = harden(how, faces[k], stages, &trials[k * stages], error);
    if (status == JO_OK) status = take_turns(trials, count * stages, rounds, error);
    if (status == JO_OK)
        status = tell_faces(out, plot, faces, count, stages, rounds, trials, error);
    end_trials(trials, count * stages);
    return status;
}

static jo_status over_bodies(report *out, const effort *how, size_t plot, jo_error *error)
{
    enum { SIZES = 4, ROUNDS = 5 };
    static const size_t times[SIZES] = {1, 3, 10, 32};
    const size_t count = how->quick ? 2 : SIZES;
    trial trials[SIZES] = {0};
    heap h;
    jo_soft *settled = NULL;
    spread all = nothing;
    jo_status status = make_scene(how->quick ? 12 : 100, 80, how->seed, &h, error);
    if (how->quick && status == JO_OK) h.scene.materials[0].young /= 8;
    if (status == JO_OK) status = settle(&h, &settled, error);
    jo_soft_destroy(settled);
    for (size_t k = 0; k < count && status == JO_OK; k++) {
        const size_t n = h.bodies.n * times[k] * times[k];
        const uint64_t steps = n > 20000 ? 10 : 50;
        status = start_trial(&h, times[k], steps, &trials[k], error);
    }
    if (status == JO_OK) status = take_turns(trials, count, ROUNDS, error);
    for (size_t k = 0; k < count && status == JO_OK; k++) {
        pace p;
        char name[80];
        const size_t n = h.bodies.n * times[k] * times[k];
        status = pace_of(&trials[k], ROUNDS, &p, error);
        if (status != JO_OK) break;
        snprintf(name, sizeof name, "heap of %zu rocks", n);
        tell_pace(out, plot, "bodies", (double)n, name, ROUNDS, &p);
        widen(&all, &p);
    }
    end_trials(trials, count);
    heap_free(&h);
    if (status == JO_OK)
        report_row_add(out, "heap: slowest over fastest, by number of bodies", NAN, all.hi / all.lo,
                       "ratio", "80 faces; of medians %.2f", all.median_hi / all.median_lo);
    return status;
}

jo_status reproduce_heaps(report *out, const effort *how, jo_error *error)
{
    report_section(out, "Beyond the paper: whole simulations");
    const size_t plot = out->n_plots;
    report_plot_add(out, "heaps-faces", "Heaps of rocks: time over faces", "faces",
                    "microseconds per body and step", true, false);
    report_plot_add(out, "heaps-bodies", "Heaps of rocks: time over bodies", "bodies",
                    "microseconds per body and step", true, false);
    const jo_status status = over_faces(out, how, plot, error);
    return status == JO_OK ? over_bodies(out, how, plot + 1, error) : status;
}
