/* soft_bench.h — what the parts of the soft-sphere benchmark share: the cases, their start states,
 * the contenders and what they report.
 *
 * Units are reduced: diameter, mass and gravity are 1. Every measurement is a process of its own,
 * so that its peak of memory is its own too; the program that starts them stays small. */
#ifndef BENCH_SOFT_BENCH_H
#define BENCH_SOFT_BENCH_H

#include "jostle/jostle.h"
#include "jostle/model.h"
#include "jostle/soft.h"

#include <stdio.h>

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

enum { TILE_BODIES = 32000 }; /* a start state; larger systems are copies of it side by side */
#define TILE_X 40.0
#define TILE_Y 20.0

/* ---- the cases */
typedef struct soft_case {
    const char *name;  /* "linear" */
    const char *title; /* "settled packing, linear" */
    bool chute;        /* the chute; else the settled packing */
    bool hertz;
    bool yade; /* YADE takes part */
} soft_case;

extern const soft_case soft_cases[];
extern const size_t soft_case_count;
const soft_case *case_named(const char *name); /* NULL: there is none */
/* Gravity, law, wall and box for copies[0] x copies[1] tiles; `same_work`: skin 0.1 and no account
 * of energy, what the peers do; else jostle's defaults. For jo_scene_free. */
bool case_scene(const soft_case *c, const int copies[2], bool same_work, jo_scene *scene);

/* ---- start states: bodies at one moment, in a file of our own. Contacts begin without history. */
bool state_write(const char *path, const jo_population *p);
bool state_read(const char *path, const int copies[2], jo_population *p);
bool state_of_frame(const jo_frame *frame, jo_population *p);
/* Makes the settled packing (from nothing, or from the centres in `source`) or the chute's flow
 * (from the settled packing in `source`) and writes it to `path`; `quick`: less settled. */
int state_make_settled(const char *path, const char *source, bool quick);
int state_make_chute(const char *path, const char *source, bool quick);
/* The same bodies for a peer: a LAMMPS data file, or lines "x y z". */
int state_export(const char *state, const char *format, const char *path);

/* ---- one measurement */
typedef struct job {
    const soft_case *which;
    int copies[2];
    int cores;
    unsigned warmup, steps;
    const char *state; /* path of the start state, and of what a peer reads instead */
    const char *input;
    const char *final; /* where to write the state at the end; NULL: nowhere */
} job;

typedef struct outcome {
    bool ok;
    double seconds; /* of the timed steps: CPU time on one core, wall time on two */
    double rate;    /* body-steps per second */
    double peak;    /* bytes resident at most, per body; of one process */
    double held;    /* jostle: bytes it says it held at most, per body */
    double kinetic, height, contacts; /* at the end; contacts between bodies */
    double stage[JO_SOFT_STAGES];     /* jostle: seconds of the timed steps */
    double rebuilds;                  /* lists made anew during the timed steps */
} outcome;

typedef struct soft_contender {
    const char *name;
    bool (*run)(const job *j, outcome *o);
} soft_contender;

bool run_jostle(const job *j, outcome *o);          /* the peers' work */
bool run_jostle_defaults(const job *j, outcome *o); /* skin chosen, energy accounted for */
bool run_lammps(const job *j, outcome *o);
bool run_yade(const job *j, outcome *o);
bool program_found(const char *name); /* on the PATH */
void launch_setup(const char *self, const char *scripts, const char *directory);
/* Runs a program to its end with its output in `log`; the peak of its memory in bytes. */
bool launch(char *const *arguments, int cores, const char *log, double *peak);
const char *launch_self(void);

/* The process that run_jostle starts: times the steps and prints "bench KEY VALUE" lines. */
int time_jostle(const job *j, bool same_work);

/* ---- do they compute the same? */
typedef struct agreement {
    double position_max, position_rms, velocity_rms, speed_rms; /* of the moving bodies */
} agreement;
/* jostle's final state against LAMMPS' dump, of a single tile. */
bool compare_final(const char *state, const char *dump, agreement *a);

/* ---- results */
enum { ROUNDS_MAX = 16 };
typedef struct result {
    const soft_case *which;
    size_t bodies;
    int cores;
    const char *contender;
    unsigned steps;
    size_t runs;
    outcome best;
    double rates[ROUNDS_MAX];
} result;

typedef struct results {
    result *list;
    size_t count, capacity;
    struct {
        const soft_case *which;
        agreement a;
    } agreements[8];
    size_t agreement_count;
} results;

result *results_entry(results *all, const job *j, const char *who);
const result *results_find(const results *all, const soft_case *c, size_t bodies, int cores,
                           const char *who);
size_t job_bodies(const job *j);
/* Tables, CSV and plots. Returns how many physical results disagree. */
size_t results_report(const results *all, const char *directory, bool quick);

#endif
