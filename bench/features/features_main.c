/* features_main.c — nanoseconds per query of two convex bodies, over their number of faces, against
 * other libraries.
 *
 *     jostle-bench-features [--quick] [--faces N,N...] [--kind K] [--out DIRECTORY]
 *
 * Two rocks of triangles with radius 1 (jo_polyhedron_rock). Kinds of queries:
 *   turning        centres 2.1 apart, both turn by 0.01 rad between queries; the distance
 *   slowly         the same, by 0.0008 rad: the step of paper 3
 *   fresh          centres 2.1 apart, each query with new random orientations; the distance
 *   overlap        centres at 0.99 of the sum of the inner radii, 0.01 rad; the depth
 *   overlap-fresh  the same with new orientations; the depth
 *   shallow        centres where the least depth is 0.02, 0.01 rad: what an engine with soft
 *                  contacts sees; the depth
 *   shallow-fresh  the same with new orientations; the depth
 *
 * All contenders get the same poses in the same run, one after the other and round by round, in
 * their own form before the clock (the thread's CPU time) starts; the best round counts. Answers
 * are compared: distances with jostle's, depths with the least depth as jostle proves it; those of
 * depth also by how many are within 1 % of it. A table per kind goes to the screen, all figures to
 * features.csv, a plot to features.svg. Fails when distances disagree, never for being slow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jostle/picture.h"
#include "shapes_own.h"

/* Many rounds: where others use the machine, some fall between their spells. The first OWN
 * contenders are jostle itself. */
enum { BLOCK = 100, USUAL = 8, SIZES = 16, KINDS = 7, CONTENDERS_MAX = 12, OWN = 3, ROUNDS = 15 };
/* Answers of the first COMPARED queries are looked at; centres of shallow overlaps are known for
 * CYCLE poses, which then come again. */
enum { COMPARED = 1000, CYCLE = 2000 };

/* The depth of shallow overlaps. */
static const double shallow = 0.02;

/* Faces of the bodies, unless the command names others. */
static const size_t usual[USUAL] = {4, 20, 80, 200, 400, 920, 5000, 100000};

typedef struct query_kind {
    const char *name, *title;
    shape_task task;
    bool coherent;
    double step;
    bool shallow;
} query_kind;

static const query_kind kinds[KINDS] = {
    {"turning", "distance, both turn by 0.01 rad", TASK_DISTANCE, true, 0.01, false},
    {"slowly", "distance, both turn by 0.0008 rad", TASK_DISTANCE, true, 0.0008, false},
    {"fresh", "distance, fresh orientations", TASK_DISTANCE, false, 0.0, false},
    {"overlap", "deep, both turn by 0.01 rad", TASK_DEPTH, true, 0.01, false},
    {"overlap-fresh", "deep, fresh orientations", TASK_DEPTH, false, 0.0, false},
    {"shallow", "2 % deep, both turn by 0.01 rad", TASK_DEPTH, true, 0.01, true},
    {"shallow-fresh", "2 % deep, fresh orientations", TASK_DEPTH, false, 0.0, true},
};

/* What else is known, in ns: measured on a machine of this kind with codes that Debian does not
 * have. */
typedef struct known_row {
    const char *kind, *name;
    double ns[6]; /* the first of the usual numbers of faces */
} known_row;

static const known_row known[] = {
    {"turning", "V-Clip (elsewhere)", {71, 87, 102, 112, 118, 135}},
    {"turning", "SWIFT++ (elsewhere)", {112, 135, 165, 179, 185, 196}},
    {"fresh", "openGJK (elsewhere)", {207, 411, 933, 1949, 3984, 9002}},
    {"fresh", "V-Clip (elsewhere)", {310, 618, 1131, 1758, 2671, 4243}},
    {"fresh", "SWIFT++ (elsewhere)", {352, 632, 1158, 1828, 2588, 4355}},
};

typedef struct cell {
    double ns;    /* best round; NAN: not run */
    double worst; /* largest difference of an answer */
    /* Answers that differ by more than the contender promises, that are within 1 %, of all
     * compared. */
    double differ, close, all;
} cell;

typedef struct bench {
    bool quick;
    size_t faces[SIZES];
    int sizes;
    const char *only_kind, *directory;
    const shape_peer *contender[CONTENDERS_MAX];
    size_t contenders;
    cell cells[KINDS][CONTENDERS_MAX][SIZES];
} bench;

/* ---- poses ---- */

static uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A uniform quaternion (K. Shoemake 1992). */
static void random_turn(uint64_t key, double q[4])
{
    double u[3];
    for (uint64_t k = 0; k < 3; k++)
        u[k] = (double)(mix(3 * key + k) >> 11) * 0x1p-53;
    const double a = 6.283185307179586 * u[1], b = 6.283185307179586 * u[2];
    q[0] = sqrt(1.0 - u[0]) * sin(a);
    q[1] = sqrt(1.0 - u[0]) * cos(a);
    q[2] = sqrt(u[0]) * sin(b);
    q[3] = sqrt(u[0]) * cos(b);
}

/* Body 0 or 1 at step k: turned from a random orientation about a random axis, or at random. */
static void pose_at(const query_kind *kind, uint64_t body, uint64_t k, double centres,
                    jo_pose *pose)
{
    const uint64_t key = 1000003u * (body + 1);
    double start[4], axis[4], q[4];
    memset(pose->at, 0, sizeof pose->at);
    pose->at[0] = body == 0 ? 0.0 : centres;
    random_turn(kind->coherent ? key : key + 7 * k + 1, start);
    if (!kind->coherent) {
        jo_pose_turn(pose, start);
        return;
    }
    random_turn(key + 17, axis);
    const double length = sqrt(axis[1] * axis[1] + axis[2] * axis[2] + axis[3] * axis[3]);
    const double half = 0.5 * kind->step * (double)k, w = cos(half), s = sin(half) / length;
    const double x = s * axis[1], y = s * axis[2], z = s * axis[3];
    q[0] = w * start[0] - x * start[1] - y * start[2] - z * start[3];
    q[1] = w * start[1] + x * start[0] + y * start[3] - z * start[2];
    q[2] = w * start[2] - x * start[3] + y * start[0] + z * start[1];
    q[3] = w * start[3] + x * start[2] - y * start[1] + z * start[0];
    jo_pose_turn(pose, q);
}

/* Two bodies, and how far apart their centres are: the same for all poses, or one for each of
 * CYCLE. */
typedef struct scene {
    const jo_polyhedron *a, *b;
    const query_kind *kind;
    double centres, centres_of[CYCLE];
} scene;

static void pair_at(const scene *s, uint64_t k, jo_pose pose[2])
{
    const uint64_t at = s->kind->shallow ? k % CYCLE : k;
    const double centres = s->kind->shallow ? s->centres_of[at] : s->centres;
    pose_at(s->kind, 0, at, centres, &pose[0]);
    pose_at(s->kind, 1, at, centres, &pose[1]);
}

/* Where the bodies of pose k are `shallow` deep: the distance as it is signed falls with that of
 * the centres. */
static double shallow_centres(const scene *s, uint64_t k)
{
    double low = 0.5 * s->centres, high = 2.1;
    for (int step = 0; step < 30; step++) {
        const double middle = 0.5 * (low + high);
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_pose pose[2];
        jo_closest o;
        pose_at(s->kind, 0, k, middle, &pose[0]);
        pose_at(s->kind, 1, k, middle, &pose[1]);
        jo_features_contact(s->a, &pose[0], s->b, &pose[1], &pair, &o);
        *(o.distance < -shallow ? &low : &high) = middle;
    }
    return high;
}

static void set_scene(scene *s, const query_kind *kind, const jo_polyhedron *a,
                      const jo_polyhedron *b)
{
    const double inner = jo_polyhedron_look(a).inradius + jo_polyhedron_look(b).inradius;
    s->a = a;
    s->b = b;
    s->kind = kind;
    s->centres = kind->task == TASK_DEPTH ? 0.99 * inner : 2.1;
    for (uint64_t k = 0; k < CYCLE && kind->shallow; k++)
        s->centres_of[k] = shallow_centres(s, k);
}

/* ---- measuring ---- */

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The answers everyone is compared with. */
static void reference(const scene *s, double *distance)
{
    for (uint64_t k = 0; k < COMPARED; k++) {
        jo_feature_pair pair = {{0, 0}, {0, 0}};
        jo_pose pose[2];
        jo_closest o;
        pair_at(s, k, pose);
        if (s->kind->task == TASK_DISTANCE)
            jo_features_distance(s->a, &pose[0], s->b, &pose[1], &pair, &o);
        else
            jo_features_contact(s->a, &pose[0], s->b, &pose[1], &pair, &o);
        distance[k] = o.distance;
    }
}

static void compare(const shape_peer *p, const double *is, const double *should, cell *c)
{
    for (size_t k = 0; k < BLOCK; k++) {
        const double off = fabs(is[k] - should[k]);
        c->worst = fmax(c->worst, off);
        c->differ += off > p->exact;
        c->close += off <= 0.01 * fabs(should[k]);
        c->all += 1.0;
    }
}

/* One round: as many blocks of queries as it takes for `seconds`; returns ns per query. */
static double one_round(const shape_peer *p, void *own, const scene *s, double seconds,
                        const double *should, cell *c)
{
    static jo_pose poses[2 * BLOCK];
    static double distance[BLOCK];
    double spent = 0.0, queries = 0.0;
    for (uint64_t block = 0; spent < seconds; block++) {
        for (uint64_t k = 0; k < BLOCK; k++)
            pair_at(s, block * BLOCK + k, &poses[2 * k]);
        p->poses(own, poses, BLOCK);
        const double begin = processor_seconds();
        p->query(own, s->kind->coherent, distance);
        spent += processor_seconds() - begin;
        queries += BLOCK;
        if ((block + 1) * BLOCK <= COMPARED && should != NULL)
            compare(p, distance, should + block * BLOCK, c);
    }
    return 1e9 * spent / queries;
}

static bool can(const shape_peer *p, shape_task task)
{
    return task == TASK_DISTANCE ? p->distance : p->depth;
}

static void measure(bench *x, int kind, int size, const jo_polyhedron *a, const jo_polyhedron *b)
{
    const query_kind *q = &kinds[kind];
    static scene s;
    static double should[COMPARED];
    void *own[CONTENDERS_MAX] = {0};
    set_scene(&s, q, a, b);
    reference(&s, should);
    for (size_t c = 0; c < x->contenders; c++)
        if (can(x->contender[c], q->task)) own[c] = x->contender[c]->create(a, b, q->task);
    const int rounds = x->quick ? 4 : ROUNDS;
    for (int round = 0; round < rounds; round++)
        for (size_t c = 0; c < x->contenders; c++) {
            cell *out = &x->cells[kind][c][size];
            if (own[c] == NULL || (round > 1 && out->ns > 1e5)) continue; /* slow: twice will do */
            const double ns = one_round(x->contender[c], own[c], &s, x->quick ? 0.01 : 0.03,
                                        round == 0 ? should : NULL, out);
            out->ns = fmin(isnan(out->ns) ? INFINITY : out->ns, ns);
        }
    for (size_t c = 0; c < x->contenders; c++)
        if (own[c] != NULL) x->contender[c]->destroy(own[c]);
}

static jo_polyhedron *rock(size_t faces, uint64_t seed)
{
    jo_rock_def def = jo_rock_def_default();
    jo_polyhedron *shape;
    jo_error error = {JO_OK, ""};
    def.faces = faces;
    def.irregularity = 0.3;
    def.seed = seed;
    if (jo_polyhedron_rock(&def, &shape, &error) == JO_OK) return shape;
    fprintf(stderr, "jostle-bench-features: %s\n", error.text);
    exit(1);
}

/* ---- telling ---- */

static double known_at(const known_row *row, size_t faces)
{
    for (int k = 0; k < 6; k++)
        if (usual[k] == faces) return row->ns[k];
    return NAN;
}

static void print_row(const char *name, const double *ns, int count)
{
    printf("%-22s", name);
    for (int k = 0; k < count; k++)
        isnan(ns[k]) ? printf(" %9s", "-") : printf(" %9.0f", ns[k]);
    printf("\n");
}

/* The best peer's time over jostle's, of all peers or of those with this share of answers within 1
 * %. */
static void print_lead(const bench *x, int kind, const char *name, double share)
{
    printf("%-22s", name);
    for (int k = 0; k < x->sizes; k++) {
        double own = NAN, best = INFINITY;
        for (size_t c = 0; c < x->contenders; c++) {
            const cell *o = &x->cells[kind][c][k];
            if (c == 0)
                own = o->ns;
            else if (c >= OWN && o->close >= share * o->all && o->ns < best)
                best = o->ns;
        }
        isnan(own) || isinf(best) ? printf(" %9s", "-") : printf(" %9.1f", best / own);
    }
    printf("\n");
}

/* How many depths are the least, within 1 %. */
static void print_close(const bench *x, int kind)
{
    printf("%% of depths within 1 %% of the least\n");
    for (size_t c = 0; c < x->contenders; c++) {
        if (!can(x->contender[c], TASK_DEPTH)) continue;
        printf("%-22s", x->contender[c]->name);
        for (int k = 0; k < x->sizes; k++) {
            const cell *o = &x->cells[kind][c][k];
            o->all > 0.0 ? printf(" %9.1f", 100.0 * o->close / o->all) : printf(" %9s", "-");
        }
        printf("\n");
    }
}

static void print_kind(const bench *x, int kind)
{
    printf("\n%s: %s; ns per query\n%-22s", kinds[kind].name, kinds[kind].title, "faces");
    for (int k = 0; k < x->sizes; k++)
        printf(" %9zu", x->faces[k]);
    printf("\n");
    for (size_t c = 0; c < x->contenders; c++) {
        double ns[SIZES];
        if (!can(x->contender[c], kinds[kind].task)) continue;
        for (int k = 0; k < x->sizes; k++)
            ns[k] = x->cells[kind][c][k].ns;
        print_row(x->contender[c]->name, ns, x->sizes);
    }
    for (size_t row = 0; row < sizeof known / sizeof *known; row++) {
        double ns[SIZES];
        if (strcmp(known[row].kind, kinds[kind].name) != 0) continue;
        for (int k = 0; k < x->sizes; k++)
            ns[k] = known_at(&known[row], x->faces[k]);
        print_row(known[row].name, ns, x->sizes);
    }
    print_lead(x, kind, "best peer / jostle", 0.0);
    if (kinds[kind].task != TASK_DEPTH) return;
    print_lead(x, kind, "best with the least", 0.95);
    print_close(x, kind);
}

/* Returns whether everyone's distances are right. */
static bool print_agreement(const bench *x)
{
    bool fine = true;
    printf("\nanswers that differ from the reference by more than promised, and the largest "
           "difference\n");
    for (size_t c = 0; c < x->contenders; c++) {
        double differ[2] = {0}, all[2] = {0}, worst[2] = {0};
        for (int kind = 0; kind < KINDS; kind++)
            for (int k = 0; k < x->sizes; k++) {
                const cell *o = &x->cells[kind][c][k];
                const int task = kinds[kind].task == TASK_DEPTH;
                differ[task] += o->differ;
                all[task] += o->all;
                worst[task] = fmax(worst[task], o->worst);
            }
        printf("%-16s %-50s", x->contender[c]->name, x->contender[c]->how);
        if (all[0] > 0.0) printf(" distance %4.0f of %.0f, %.1e;", differ[0], all[0], worst[0]);
        if (all[1] > 0.0) printf(" depth %4.0f of %.0f, %.1e", differ[1], all[1], worst[1]);
        printf("\n");
        fine = fine && differ[0] <= 0.01 * all[0];
    }
    return fine;
}

static void write_csv(const bench *x)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/features.csv", x->directory);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "jostle-bench-features: %s cannot be written\n", path);
        exit(1);
    }
    fprintf(file, "kind,contender,faces,ns,worst_difference,differing,close,compared\n");
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t c = 0; c < x->contenders; c++)
            for (int k = 0; k < x->sizes; k++) {
                const cell *o = &x->cells[kind][c][k];
                if (!isnan(o->ns))
                    fprintf(file, "%s,\"%s\",%zu,%.1f,%.3g,%.0f,%.0f,%.0f\n", kinds[kind].name,
                            x->contender[c]->name, x->faces[k], o->ns, o->worst, o->differ,
                            o->close, o->all);
            }
    fclose(file);
}

static void write_plot(const bench *x)
{
    static double faces[SIZES], six[6], ns[KINDS][CONTENDERS_MAX][SIZES];
    static jo_series series[KINDS][CONTENDERS_MAX + 4];
    jo_plot plots[KINDS];
    char path[1024];
    jo_error error = {JO_OK, ""};
    for (int k = 0; k < x->sizes; k++)
        faces[k] = (double)x->faces[k];
    for (int k = 0; k < 6; k++)
        six[k] = (double)usual[k];
    for (int kind = 0; kind < KINDS; kind++) {
        size_t n = 0;
        for (size_t c = 0; c < x->contenders; c++) {
            if (!can(x->contender[c], kinds[kind].task)) continue;
            for (int k = 0; k < x->sizes; k++)
                ns[kind][c][k] = x->cells[kind][c][k].ns;
            series[kind][n++] = (jo_series){
                .name = x->contender[c]->name, .n = (size_t)x->sizes, .x = faces, .y = ns[kind][c]};
        }
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(known[k].kind, kinds[kind].name) == 0)
                series[kind][n++] = (jo_series){
                    .name = known[k].name, .n = 6, .x = six, .y = known[k].ns, .dashed = true};
        plots[kind] = (jo_plot){.title = kinds[kind].title,
                                .x_label = "faces of each body",
                                .y_label = "ns per query",
                                .x_log = true,
                                .y_log = true,
                                .series = series[kind],
                                .n_series = n};
    }
    snprintf(path, sizeof path, "%s/features.svg", x->directory);
    const jo_panels page = {
        .title = "Queries of two convex polyhedra", .plots = plots, .count = KINDS};
    if (jo_panels_write(path, &page, &error) != JO_OK)
        fprintf(stderr, "jostle-bench-features: no plot: %s\n", error.text);
}

static void wrong_arguments(void)
{
    fprintf(stderr,
            "usage: jostle-bench-features [--quick] [--faces N,N...] [--kind K] "
            "[--out DIRECTORY]\n  N: from 4, up to %d of them; K:",
            SIZES);
    for (int kind = 0; kind < KINDS; kind++)
        fprintf(stderr, " %s", kinds[kind].name);
    fprintf(stderr, "\n");
    exit(64);
}

static void read_faces(bench *x, const char *text)
{
    char *end;
    for (x->sizes = 0; x->sizes < SIZES; text = end + 1) {
        const unsigned long long faces = strtoull(text, &end, 10);
        if (end == text || faces < 4) wrong_arguments();
        x->faces[x->sizes++] = (size_t)faces;
        if (*end == '\0') return;
        if (*end != ',') break;
    }
    wrong_arguments();
}

static const char *read_kind(const char *name)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (strcmp(kinds[kind].name, name) == 0) return name;
    wrong_arguments();
    return NULL;
}

static bench read_arguments(int argc, char **argv)
{
    bench x = {.directory = ".", .sizes = USUAL};
    memcpy(x.faces, usual, sizeof usual);
    for (int k = 1; k < argc; k++) {
        const char *next = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--quick") == 0)
            x.quick = true;
        else if (strcmp(argv[k], "--faces") == 0)
            read_faces(&x, next), k++;
        else if (strcmp(argv[k], "--kind") == 0)
            x.only_kind = read_kind(next), k++;
        else if (strcmp(argv[k], "--out") == 0)
            x.directory = next, k++;
        else
            wrong_arguments();
    }
    x.contender[x.contenders++] = &shape_jostle;
    x.contender[x.contenders++] = &shape_jostle_proved;
    x.contender[x.contenders++] = &shape_jostle_told;
    for (size_t k = 0; shape_peers[k] != NULL; k++)
        x.contender[x.contenders++] = shape_peers[k];
    return x;
}

int main(int argc, char **argv)
{
    static bench x;
    x = read_arguments(argc, argv);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t c = 0; c < CONTENDERS_MAX; c++)
            for (int k = 0; k < SIZES; k++)
                x.cells[kind][c][k].ns = NAN;
    for (int k = 0; k < x.sizes; k++) {
        jo_polyhedron *a = rock(x.faces[k], 1), *b = rock(x.faces[k], 2);
        for (int kind = 0; kind < KINDS; kind++)
            if (x.only_kind == NULL || strcmp(x.only_kind, kinds[kind].name) == 0)
                measure(&x, kind, k, a, b);
        jo_polyhedron_destroy(a);
        jo_polyhedron_destroy(b);
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (x.only_kind == NULL || strcmp(x.only_kind, kinds[kind].name) == 0) print_kind(&x, kind);
    const bool fine = print_agreement(&x);
    write_csv(&x);
    write_plot(&x);
    if (!fine) fprintf(stderr, "jostle-bench-features: distances disagree\n");
    return fine ? 0 : 1;
}
