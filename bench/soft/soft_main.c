/* soft_main.c — the soft-sphere benchmark's program: the plan of what is run, in which order.
 *
 *     jostle-bench-soft [--quick] [--out DIR] [--cache DIR] [--scripts DIR] [--settled FILE]
 *                       [--only CASE] [--rounds N] [--no-peers]
 *
 * Contenders and sizes take turns, round by round, so that a slow spell of the machine falls on all
 * of them; the best run counts, and how much larger systems are slower is also told by the median
 * of the rounds. Also its own helpers, each a process of its own: `time` (soft_time.c), `settled`,
 * `chute` and `export` (soft_state.c).
 *
 * Exit status: 0, 1 when something could not be run or jostle and LAMMPS do not compute the same,
 * 64 misuse. Never a verdict on seconds. */
#include "soft_bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct plan {
    bool quick, peers;
    int rounds; /* 0: as many as fit */
    const char *directory, *cache, *scripts, *settled;
    const char *only;
    char state[2][1024], data[2][1024], centres[1024]; /* of the packing, of the chute */
} plan;

/* How much a contender does with a system. */
typedef struct amount {
    unsigned warmup, steps;
    int rounds; /* 0: does not take part */
} amount;

static int usage(void)
{
    fputs("usage: jostle-bench-soft [--quick] [--out DIR] [--cache DIR] [--scripts DIR]\n"
          "                         [--settled FILE] [--only linear|hertz|chute] [--rounds N]\n"
          "                         [--no-peers]\n",
          stderr);
    return 64;
}

size_t job_bodies(const job *j)
{
    return TILE_BODIES * (size_t)(j->copies[0] * j->copies[1]);
}

/* ---- start states */

static bool prepare_one(const plan *p, const char *verb, const char *path, const char *source)
{
    if (access(path, R_OK) == 0) return true;
    printf("making %s%s%s\n", path, source != NULL ? " from " : "", source != NULL ? source : "");
    char log[1024];
    snprintf(log, sizeof log, "%s/%s.log", p->directory, verb);
    const char *arguments[] = {
        launch_self(), verb, path, source != NULL ? source : "none", p->quick ? "quick" : "full",
        NULL};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return launch((char *const *)arguments, cores > 0 ? (int)cores : 1, log, NULL);
}

static bool export_one(const plan *p, const char *state, const char *format, const char *path)
{
    char log[1024];
    snprintf(log, sizeof log, "%s/export.log", p->directory);
    const char *arguments[] = {launch_self(), "export", state, format, path, NULL};
    return launch((char *const *)arguments, 1, log, NULL);
}

static bool wanted(const plan *p, const soft_case *c)
{
    return p->only == NULL || strcmp(p->only, c->name) == 0;
}

static bool prepare_states(plan *p)
{
    const char *kind = p->settled != NULL ? "given" : p->quick ? "quick" : "full";
    for (int k = 0; k < 2; k++) {
        const char *name = k == 0 ? "packing" : "chute";
        snprintf(p->state[k], sizeof p->state[k], "%s/%s-%s.state", p->cache, name, kind);
        snprintf(p->data[k], sizeof p->data[k], "%s/%s-%s.data", p->cache, name, kind);
    }
    snprintf(p->centres, sizeof p->centres, "%s/packing-%s.xyz", p->cache, kind);
    const bool packing = prepare_one(p, "settled", p->state[0], p->settled) &&
                         export_one(p, p->state[0], "lammps", p->data[0]) &&
                         export_one(p, p->state[0], "xyz", p->centres);
    if (!packing || !wanted(p, case_named("chute"))) return packing;
    return prepare_one(p, "chute", p->state[1], p->state[0]) &&
           export_one(p, p->state[1], "lammps", p->data[1]);
}

/* ---- who runs what */

static const soft_contender contenders[] = {
    {"jostle", run_jostle},
    {"LAMMPS", run_lammps},
    {"jostle, defaults", run_jostle_defaults},
    {"YADE", run_yade},
};

/* YADE is an order slower and gets fewer steps; its largest system is run once, on one core. */
static amount amount_of(const plan *p, const job *j, const soft_contender *c)
{
    const bool large = j->copies[0] > 1;
    amount a = large ? (amount){30, 120, 3} : (amount){200, 1000, 6};
    if (p->quick) a = large ? (amount){20, 30, 1} : (amount){100, 300, 1};
    if (p->rounds > 0) a.rounds = p->rounds;
    if (c->run == run_jostle_defaults) a.rounds = j->cores == 1;
    if (c->run == run_lammps && !p->peers) a.rounds = 0;
    if (c->run != run_yade) return a;
    if (large)
        a = (amount){3, 10, j->cores == 1 && j->which->hertz && !p->quick};
    else
        a = (amount){p->quick ? 20 : 100, p->quick ? 50 : 200, 1};
    if (!j->which->yade || !p->peers) a.rounds = 0;
    return a;
}

static bool available(const soft_contender *c, int cores)
{
    if (c->run == run_yade) return program_found("yade");
    if (c->run == run_lammps)
        return program_found("lmp") && (cores == 1 || program_found("mpirun"));
    return true;
}

static bool run_one(const plan *p, job j, const soft_contender *c, int round, results *all)
{
    const amount a = amount_of(p, &j, c);
    if (round >= a.rounds || !available(c, j.cores)) return true;
    j.warmup = a.warmup;
    j.steps = a.steps;
    j.input = c->run == run_yade ? p->centres : p->data[j.which->chute];
    char final[1024];
    snprintf(final, sizeof final, "%s/final-%s-%s", p->directory, j.which->name, c->name);
    const bool compared = c->run == run_jostle || c->run == run_lammps;
    if (round == 0 && j.cores == 1 && j.copies[0] == 1 && compared) j.final = final;
    outcome o = {0};
    if (!c->run(&j, &o)) {
        fprintf(stderr, "bench: %s, %zu bodies: %s gave no result\n", j.which->title,
                job_bodies(&j), c->name);
        return false;
    }
    result *r = results_entry(all, &j, c->name);
    r->rates[r->runs % ROUNDS_MAX] = o.rate;
    if (r->runs == 0 || o.rate > r->best.rate) r->best = o;
    r->runs++;
    printf("%-32s %7zu bodies  %d core%s  %-16s %8.3f s for %u steps  %7.3f million/s\n",
           j.which->title, job_bodies(&j), j.cores, j.cores > 1 ? "s" : " ", c->name, o.seconds,
           j.steps, 1e-6 * o.rate);
    return true;
}

static void compare_ends(const plan *p, const soft_case *c, results *all)
{
    char ours[1024], theirs[1024];
    snprintf(ours, sizeof ours, "%s/final-%s-jostle", p->directory, c->name);
    snprintf(theirs, sizeof theirs, "%s/final-%s-LAMMPS", p->directory, c->name);
    agreement a;
    if (access(ours, R_OK) == 0 && access(theirs, R_OK) == 0 && compare_final(ours, theirs, &a)) {
        all->agreements[all->agreement_count].which = c;
        all->agreements[all->agreement_count++].a = a;
    }
    remove(ours);
    remove(theirs);
}

static size_t run_case(const plan *p, const soft_case *c, results *all)
{
    const int sizes[2][2] = {{1, 1}, {p->quick ? 3 : 6, p->quick ? 2 : 5}};
    size_t failures = 0;
    for (int round = 0; round < ROUNDS_MAX; round++)
        for (int cores = 1; cores <= 2; cores++)
            for (size_t k = 0; k < COUNT_OF(contenders); k++)
                for (size_t s = 0; s < COUNT_OF(sizes); s++) { /* side by side: they are compared */
                    const job j = {.which = c,
                                   .copies = {sizes[s][0], sizes[s][1]},
                                   .cores = cores,
                                   .state = p->state[c->chute]};
                    failures += !run_one(p, j, &contenders[k], round, all);
                }
    compare_ends(p, c, all);
    return failures;
}

static int run_all(plan *p)
{
    mkdir(p->directory, 0777); /* run.sh makes the parents */
    mkdir(p->cache, 0777);
    if (p->peers && !program_found("lmp")) puts("LAMMPS (lmp) is not installed: left out");
    if (p->peers && !program_found("yade")) puts("YADE (yade) is not installed: left out");
    if (!prepare_states(p)) return 1;
    results all = {0};
    size_t failures = 0;
    for (size_t k = 0; k < soft_case_count; k++)
        if (wanted(p, &soft_cases[k])) failures += run_case(p, &soft_cases[k], &all);
    failures += results_report(&all, p->directory, p->quick);
    free(all.list);
    return failures > 0;
}

/* ---- the command line */

static int helper(int argc, char **argv)
{
    const char *verb = argv[1];
    const bool none = argc > 3 && strcmp(argv[3], "none") == 0;
    if (strcmp(verb, "settled") == 0 && argc == 5)
        return state_make_settled(argv[2], none ? NULL : argv[3], strcmp(argv[4], "quick") == 0);
    if (strcmp(verb, "chute") == 0 && argc == 5)
        return state_make_chute(argv[2], argv[3], strcmp(argv[4], "quick") == 0);
    if (strcmp(verb, "export") == 0 && argc == 5) return state_export(argv[2], argv[3], argv[4]);
    if (strcmp(verb, "time") != 0 || argc != 11) return usage();
    const job j = {.which = case_named(argv[3]),
                   .state = argv[4],
                   .copies = {atoi(argv[5]), atoi(argv[6])},
                   .warmup = (unsigned)atoi(argv[7]),
                   .steps = (unsigned)atoi(argv[8]),
                   .cores = atoi(argv[9]),
                   .final = strcmp(argv[10], "none") == 0 ? NULL : argv[10]};
    if (j.which == NULL || j.copies[0] < 1 || j.copies[1] < 1 || j.cores < 1) return usage();
    return time_jostle(&j, strcmp(argv[2], "same") == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-') return helper(argc, argv);
    plan p = {.peers = true,
              .directory = "out/bench-soft",
              .cache = "build/bench-soft",
              .scripts = "bench/soft"};
    for (int k = 1; k < argc; k++) {
        const char **value = NULL;
        if (strcmp(argv[k], "--quick") == 0)
            p.quick = true;
        else if (strcmp(argv[k], "--no-peers") == 0)
            p.peers = false;
        else if (strcmp(argv[k], "--out") == 0)
            value = &p.directory;
        else if (strcmp(argv[k], "--cache") == 0)
            value = &p.cache;
        else if (strcmp(argv[k], "--scripts") == 0)
            value = &p.scripts;
        else if (strcmp(argv[k], "--settled") == 0)
            value = &p.settled;
        else if (strcmp(argv[k], "--only") == 0)
            value = &p.only;
        else if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            p.rounds = atoi(argv[++k]);
        else
            return usage();
        if (value != NULL && k + 1 == argc) return usage();
        if (value != NULL) *value = argv[++k];
    }
    if ((p.only != NULL && case_named(p.only) == NULL) || p.rounds < 0 || p.rounds > ROUNDS_MAX)
        return usage();
    char self[1024];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return 1;
    self[length] = '\0';
    launch_setup(self, p.scripts, p.directory);
    setvbuf(stdout, NULL, _IOLBF, 0);
    return run_all(&p);
}
