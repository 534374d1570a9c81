/* bench.h — what the sections of the benchmark share: systems, contenders, timing, reports. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "generate.h"
#include "jostle/jostle.h"
#include "peer.h"

#include <stdio.h>

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

/* ---- how a run was asked for */
typedef struct options {
    bool quick;
    const char *directory; /* where CSV, plots and reports go */
    const char *only;      /* NULL, or the one workload to measure */
} options;

/* ---- a system of spheres, as jostle and the peers see it */
typedef struct bench_system {
    jo_particles particles;
    peer_spheres spheres;
    jo_bodies bodies;
    double *zeros; /* z of 2D systems */
    /* The same spheres stored in spatial order, as a simulation that reorders its bodies has them;
     * order[k] is the place in the arrays above of the k-th. Made by system_sort. */
    uint32_t *order;
    double *sorted_values[4]; /* x, y, z, r */
    jo_bodies sorted;
} bench_system;

/* False: no such workload, or out of memory; says so on stderr. */
bool system_make(bench_system *system, const char *workload, size_t n);
bool system_make_from(bench_system *system, const scene_def *def, const char *what);
void system_free(bench_system *system);
/* Points the peers' view at other centres of the same spheres (z NULL in 2D). */
void system_place(bench_system *system, const double *x, const double *y, const double *z);
/* Makes, or refills after the centres moved, the copy in spatial order. The order is made once. */
bool system_sort(bench_system *system);

/* ---- a contender: one of jostle's methods with its options, or a peer */
enum { RUNS_MAX = 32 };

typedef struct contender {
    char name[48];
    const peer *peer;  /* NULL: jostle */
    jo_broad_def def;  /* jostle: how to search */
    bool from_scratch; /* moving: find every step, where update is possible too */
    bool spatial;      /* is given, or keeps, the bodies in spatial order */

    /* While it runs. */
    void *state;
    jo_broad *search;
    peer_pairs out;

    /* The last measurement. */
    bool present;            /* it was measured */
    bool wrong;              /* its contacts differ from the others' */
    const char *absent_note; /* why not, when it was not */
    double best, median;     /* seconds per search (CPU time; wall time with several threads) */
    double times[RUNS_MAX];
    size_t runs;
    size_t contacts;
    uint64_t hash;
    char chosen[24]; /* the method that did the search */

    /* Sizes and costs before, from which too long runs are foreseen. */
    double past_n[2], past_seconds[2];
} contender;

contender contender_jostle(const char *method, bool ordered, int threads);
contender contender_peer(const peer *other);
bool contender_start(contender *c, bench_system *system);
void contender_stop(contender *c);
bool contender_find(contender *c, bench_system *system);
bool contender_update(contender *c, bench_system *system);
void contender_place(contender *c, bench_system *system); /* untimed, before update */
jo_pairs contender_pairs(const contender *c);
uint64_t contender_hash(const contender *c, const bench_system *system); /* in the caller's order */
void contender_forget(contender *c); /* a new family of workloads: no foresight */

/* ---- measuring */
typedef struct clocks {
    double cpu, wall;
} clocks;
clocks clocks_now(void);
/* Seconds since `start` that count for c: CPU time, or wall time with several threads. */
double clocks_since(const contender *c, clocks start);

typedef struct effort {
    double budget;               /* seconds per contender and system, beyond the first run */
    size_t runs;                 /* at most */
    double cap_peer, cap_jostle; /* a run that would take longer is not started, seconds */
} effort;
effort effort_of(const options *o);

/* Measures every contender on the system, interleaved round by round, and compares their contacts.
 * Returns the number of contenders whose contacts were wrong. */
size_t measure_find(contender *contenders, size_t count, bench_system *system, const effort *e);
/* Seconds a search among n bodies would take, from the sizes measured before; 0: unknown. */
double contender_foresee(const contender *c, double n);
void contender_summarise(contender *c);
/* Compares the hashes of all that are present with the majority's; marks and counts the others. */
size_t contenders_agree(contender *contenders, size_t count, const char *where);
double median_of(double *values, size_t count); /* sorts them */

/* The least a search could cost, from memory traffic alone, measured now: ns per body. */
typedef struct floor_parts {
    double read, scatter, look, write, total; /* ns per body */
    double copy_gb;                           /* memcpy, GB/s */
} floor_parts;
floor_parts floor_measure(size_t n, int dim, double contacts_per_body);

/* ---- reports: a table is printed, and written as Markdown and HTML */
typedef struct report {
    const char *directory;
    FILE *markdown, *html;
} report;
bool report_open(report *r, const options *o, const char *section, const char *title);
void report_close(report *r);
void report_say(report *r, const char *format, ...) JO_PRINTF(2, 3); /* a paragraph */
void report_plot(report *r, const char *name, const jo_plot *plot);

typedef struct table {
    const char *title;
    char **cells;
    size_t columns, cells_used, capacity;
} table;
table table_new(const char *title);
void table_head(table *t, const char *heads); /* separated by | */
void table_cell(table *t, const char *format, ...) JO_PRINTF(2, 3);
void table_number(table *t, double value); /* three figures; "-" for NaN */
void table_report(table *t, report *r);
void table_csv(const table *t, const report *r, const char *name);
void table_free(table *t);

/* ---- the sections; each returns the number of wrong results */
size_t section_peers(const options *o);
size_t section_moving(const options *o);
size_t section_auto(const options *o);
size_t section_scaling(const options *o);
size_t section_memory(const options *o);

#endif
