/* paper3.c — collision detection of complex polyhedra after D. Baraff and M. C. Lin: bounding boxes
 * kept sorted, closest features tracked; the paper's table and Fig. 6, reproduced.
 *
 * The paper's experiment: two particles that rotate, 100,000 computations of their distance, each
 * starting from the closest features of the one before; how many took 1, 2, 3 or more iterations,
 * and the microseconds each, for 13 numbers of faces. It does not print the shapes, their distance
 * or the angle of a step. Its totals of features are 3 F + 2, so all faces are triangles; ours are
 * rocks of triangles (jo_polyhedron_rock) with radius 1, centres 2.1 apart, both turning about
 * fixed axes. The angle follows from the table: a change of features is the rarer the smaller the
 * step, and the share of 920 faces (2.3 % of computations) fixes it; it is measured here
 * (`step_section`).
 *
 * Beyond the paper: 5,000 and 100,000 faces, orientations without coherence, and overlaps (centres
 * at 0.99 of the sum of the inner radii). */
#include <math.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "reproduce.h"

enum { ROWS = 13, EXTRA = 2, COMPUTATIONS = 100000, BLOCK = 100, PASSES = 3 };

typedef struct published {
    size_t faces;
    int features;
    int took[4]; /* 1, 2, 3, more iterations */
    double microseconds;
} published;

static const published table[ROWS] = {
    {4, 14, {98290, 1430, 259, 20}, 63},     {8, 26, {99803, 196, 0, 2}, 83},
    {20, 62, {99497, 465, 36, 2}, 71},       {32, 98, {99703, 296, 0, 1}, 69},
    {40, 122, {99702, 222, 75, 1}, 72},      {80, 242, {99164, 737, 97, 2}, 76},
    {100, 302, {99563, 292, 144, 1}, 70},    {140, 422, {99486, 436, 77, 1}, 63},
    {160, 482, {99442, 549, 8, 1}, 70},      {200, 602, {99361, 630, 8, 1}, 78},
    {400, 1202, {98907, 1057, 35, 1}, 74},   {600, 1802, {98271, 1667, 57, 5}, 78},
    {920, 2762, {97661, 2217, 112, 10}, 58},
};
static const size_t extra[EXTRA] = {5000, 100000};

/* The angle of a step, in rad; see step_section. */
static const double paper_step = 0.0008;

/* ---- two bodies that turn ---- */

typedef enum motion_kind { TURNING, SHUFFLED, FOLLOWED, DEEPEST } motion_kind;

typedef struct outcome {
    size_t faces, features;
    double nanoseconds; /* per query */
    uint64_t took[4];
    double overlaps;   /* share of queries */
    double mean_depth; /* of those */
    uint64_t inexact;
} outcome;

static uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t key)
{
    return (double)(mix(key) >> 11) * 0x1p-53;
}

/* A uniform quaternion (K. Shoemake 1992). */
static void random_turn(uint64_t key, double q[4])
{
    const double u = uniform(3 * key), a = 6.283185307179586 * uniform(3 * key + 1),
                 b = 6.283185307179586 * uniform(3 * key + 2);
    q[0] = sqrt(1.0 - u) * sin(a);
    q[1] = sqrt(1.0 - u) * cos(a);
    q[2] = sqrt(u) * sin(b);
    q[3] = sqrt(u) * cos(b);
}

/* The pose of body 0 or 1 at step k: turned from a random orientation about a random axis. */
static void pose_at(motion_kind kind, uint64_t seed, int body, uint64_t k, double step,
                    double centres, jo_pose *pose)
{
    const uint64_t key = mix(seed) + 1000003u * (uint64_t)body;
    double start[4], axis[4], q[4];
    memset(pose->at, 0, sizeof pose->at);
    pose->at[0] = body == 0 ? 0.0 : centres;
    random_turn(kind == SHUFFLED ? key + 7 * k + 1 : key, start);
    if (kind == SHUFFLED) {
        jo_pose_turn(pose, start);
        return;
    }
    random_turn(key + 17, axis);
    const double length = sqrt(axis[1] * axis[1] + axis[2] * axis[2] + axis[3] * axis[3]);
    const double half = 0.5 * step * (double)k, c = cos(half), s = sin(half) / length;
    const double w = c, x = s * axis[1], y = s * axis[2], z = s * axis[3];
    q[0] = w * start[0] - x * start[1] - y * start[2] - z * start[3];
    q[1] = w * start[1] + x * start[0] + y * start[3] - z * start[2];
    q[2] = w * start[2] - x * start[3] + y * start[0] + z * start[1];
    q[3] = w * start[3] + x * start[2] - y * start[1] + z * start[0];
    jo_pose_turn(pose, q);
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Queries in blocks: poses are made before the clock runs. */
static void run_pass(const jo_polyhedron *a, const jo_polyhedron *b, motion_kind kind, size_t count,
                     double step, uint64_t seed, outcome *o)
{
    const bool overlap = kind == FOLLOWED || kind == DEEPEST;
    const double centres =
        overlap ? 0.99 * (jo_polyhedron_look(a).inradius + jo_polyhedron_look(b).inradius) : 2.1;
    static jo_pose poses[BLOCK][2];
    static jo_closest closest[BLOCK];
    jo_feature_pair pair = {{JO_FEATURE_NONE, 0}, {JO_FEATURE_NONE, 0}};
    double seconds = 0.0;
    o->overlaps = o->mean_depth = 0.0;
    o->inexact = 0;
    memset(o->took, 0, sizeof o->took);
    for (size_t done = 0; done < count; done += BLOCK) {
        for (size_t k = 0; k < BLOCK; k++)
            for (int body = 0; body < 2; body++)
                pose_at(kind, seed, body, done + k, step, centres, &poses[k][body]);
        const double start = processor_seconds();
        for (size_t k = 0; k < BLOCK; k++) {
            if (kind == SHUFFLED) pair.a.kind = JO_FEATURE_NONE;
            if (kind == FOLLOWED)
                jo_features_follow(a, &poses[k][0], b, &poses[k][1], &pair, &closest[k]);
            else if (kind == DEEPEST)
                jo_features_contact(a, &poses[k][0], b, &poses[k][1], &pair, &closest[k]);
            else
                jo_features_distance(a, &poses[k][0], b, &poses[k][1], &pair, &closest[k]);
        }
        seconds += processor_seconds() - start;
        for (size_t k = 0; k < BLOCK; k++) {
            const uint32_t n = closest[k].iterations;
            o->took[n < 4 ? n - 1 : 3]++;
            o->overlaps += closest[k].overlap;
            if (closest[k].overlap) o->mean_depth -= closest[k].distance;
            o->inexact += !closest[k].exact;
        }
    }
    if (o->overlaps > 0.0) o->mean_depth /= o->overlaps;
    o->overlaps /= (double)count;
    o->nanoseconds = fmin(o->nanoseconds, 1e9 * seconds / (double)count);
}

static jo_status measure(size_t faces, motion_kind kind, size_t count, double step,
                         const effort *how, outcome *o, jo_error *error)
{
    jo_rock_def def = jo_rock_def_default();
    jo_polyhedron *a = NULL, *b = NULL;
    def.faces = faces;
    def.irregularity = 0.3;
    def.seed = how->seed;
    jo_status status = jo_polyhedron_rock(&def, &a, error);
    def.seed++;
    if (status == JO_OK) status = jo_polyhedron_rock(&def, &b, error);
    if (status == JO_OK) {
        const jo_polyhedron_view v = jo_polyhedron_look(a);
        *o = (outcome){
            .faces = faces, .features = v.vertices + v.edges + v.faces, .nanoseconds = INFINITY};
        for (int pass = 0; pass < (how->quick ? 1 : PASSES); pass++)
            run_pass(a, b, kind, count, step, how->seed + faces, o);
    }
    jo_polyhedron_destroy(a);
    jo_polyhedron_destroy(b);
    return status;
}

/* ---- sections ---- */

static void table_rows(report *out, const published *p, const outcome *o)
{
    static const char *const names[4] = {"1 iteration", "2 iterations", "3 iterations",
                                         "4 or more iterations"};
    char name[REPORT_NAME];
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "%zu faces, %s", p->faces, names[k]);
        report_row_add(out, name, p->took[k], (double)o->took[k], "of 100000", "%s",
                       k == 0 ? "the features of the step before were the closest again" : "");
    }
    snprintf(name, sizeof name, "%zu faces, time", p->faces);
    report_row_add(out, name, p->microseconds, 1e-3 * o->nanoseconds, "microseconds",
                   "%zu features (paper %d); the paper's on an IBM Power 2", o->features,
                   p->features);
}

static void figure_points(report *out, report_plot *plot, const published *p, const outcome *o)
{
    report_point(out, plot, "ours", (double)o->features, 1e-3 * o->nanoseconds);
    if (p == NULL) return;
    report_point(out, plot, "paper", (double)p->features, p->microseconds);
    report_dashed(plot, "paper");
}

static jo_status table_section(report *out, const effort *how, outcome all[ROWS + EXTRA],
                               jo_error *error)
{
    report_section(out, "Table: iterations and time of 100,000 distance computations");
    const size_t plot = out->n_plots;
    report_plot_add(out, "fig6-time", "Fig. 6: time over features of a polyhedron",
                    "faces + edges + vertices", "microseconds per distance", true, true);
    for (size_t k = 0; k < ROWS + EXTRA; k++) {
        const size_t faces = k < ROWS ? table[k].faces : extra[k - ROWS];
        cli_progress_say("%zu faces…", faces);
        const jo_status status =
            measure(faces, TURNING, COMPUTATIONS, paper_step, how, &all[k], error);
        if (status != JO_OK) return status;
        if (k < ROWS) table_rows(out, &table[k], &all[k]);
        if (!out->failed)
            figure_points(out, &out->plots[plot], k < ROWS ? &table[k] : NULL, &all[k]);
    }
    return JO_OK;
}

static void flat_section(report *out, const outcome all[ROWS + EXTRA])
{
    char name[REPORT_NAME];
    report_section(out, "Beyond the paper: more faces");
    for (size_t k = ROWS; k < ROWS + EXTRA; k++) {
        snprintf(name, sizeof name, "%zu faces, 1 iteration", all[k].faces);
        report_row_add(out, name, NAN, (double)all[k].took[0], "of 100000", "%zu features",
                       all[k].features);
        snprintf(name, sizeof name, "%zu faces, time", all[k].faces);
        report_row_add(out, name, NAN, 1e-3 * all[k].nanoseconds, "microseconds", "coherent");
    }
    const double least = all[0].nanoseconds;
    report_row_add(out, "time at 920 faces over time at 4", table[12].microseconds / 63.0,
                   all[12].nanoseconds / least, "ratio", "the claim: independent of the shape");
    report_row_add(out, "time at 100000 faces over time at 4", NAN,
                   all[ROWS + 1].nanoseconds / least, "ratio",
                   "a step changes features more often the smaller they are: %.1f %% of queries",
                   100.0 - 1e-3 * (double)all[ROWS + 1].took[0]);
}

/* The step at which 920 faces need one iteration as often as in the paper: changes are proportional
 * to it. */
static jo_status step_section(report *out, const effort *how, const outcome all[ROWS + EXTRA],
                              jo_error *error)
{
    report_section(out, "The angle of a step, which the paper does not print");
    const double rare = 1.0 - 1e-5 * table[12].took[0];
    const double ours = 1.0 - 1e-5 * (double)all[12].took[0];
    const double step = ours > 0.0 ? paper_step * rare / ours : paper_step;
    outcome o;
    const jo_status status = measure(920, TURNING, COMPUTATIONS, step, how, &o, error);
    if (status != JO_OK) return status;
    report_row_add(out, "step that gives the paper's share at 920 faces", NAN, step, "rad",
                   "both bodies turn by it; with it %.2f %% take one iteration (paper 97.66 %%)",
                   1e-3 * (double)o.took[0]);
    report_row_add(out, "computations with more than 1 iteration, 920 faces over 8",
                   (1e5 - table[12].took[0]) / (1e5 - table[1].took[0]),
                   (1e5 - (double)all[12].took[0]) / (1e5 - (double)all[1].took[0]), "ratio",
                   "the square root of the ratio of faces is %.3g", sqrt(920.0 / 8.0));
    report_finding(
        out,
        "The paper prints neither the shapes nor the angle between two computations. Its shares of "
        "more than one iteration grow as the square root of the number of faces (11.9-fold from 8 "
        "to 920, where the root is 10.7), as they must: a feature is as wide as the root of its "
        "share of the sphere. All rows of the table use %.3g rad.",
        paper_step);
    return JO_OK;
}

static jo_status other_section(report *out, const effort *how, jo_error *error)
{
    static const size_t faces[] = {4, 20, 80, 200, 400, 920, 5000, 100000};
    static const motion_kind kinds[] = {SHUFFLED, FOLLOWED, DEEPEST};
    static const char *const names[] = {"fresh orientations", "overlap followed",
                                        "overlap, least depth proved"};
    char name[REPORT_NAME];
    const size_t plot = out->n_plots;
    report_section(out, "Beyond the paper: without coherence, and overlapping");
    report_plot_add(out, "other-time", "Queries without coherence, and overlaps with their depth",
                    "faces", "nanoseconds per query", true, true);
    for (size_t k = 0; k < sizeof faces / sizeof *faces; k++)
        for (int i = 0; i < 3; i++) {
            outcome o;
            size_t count = how->quick ? 5000 : 50000;
            if (kinds[i] == DEEPEST) count = faces[k] > 1000 ? 500 : count / 5;
            cli_progress_say("%zu faces, %s…", faces[k], names[i]);
            const jo_status status = measure(faces[k], kinds[i], count, 0.01, how, &o, error);
            if (status != JO_OK) return status;
            snprintf(name, sizeof name, "%zu faces, %s", faces[k], names[i]);
            if (kinds[i] == SHUFFLED)
                report_row_add(out, name, NAN, o.nanoseconds, "ns", "no pair to start from");
            else
                report_row_add(
                    out, name, NAN, o.nanoseconds, "ns",
                    "0.01 rad a step, %.0f %% overlap, mean depth %.3g of radius 1; bound "
                    "hit %llu times",
                    100.0 * o.overlaps, o.mean_depth, (unsigned long long)o.inexact);
            if (!out->failed)
                report_point(out, &out->plots[plot], names[i], (double)faces[k], o.nanoseconds);
        }
    return JO_OK;
}

jo_status reproduce_paper3(report *out, const effort *how, jo_error *error)
{
    outcome all[ROWS + EXTRA];
    jo_status status = table_section(out, how, all, error);
    if (status != JO_OK) return status;
    flat_section(out, all);
    status = step_section(out, how, all, error);
    if (status == JO_OK) status = other_section(out, how, error);
    return status == JO_OK ? reproduce_heaps(out, how, error) : status;
}
