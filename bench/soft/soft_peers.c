/* soft_peers.c — runs the contenders, each in a process of its own, and reads what they print.
 *
 * jostle is this program again in its mode `time`; LAMMPS is `lmp`, on two cores under mpirun with
 * two processes; YADE is `yade` with its threads. Each gets the input of bench/soft and reads the
 * same start. Times: LAMMPS' own loop time (times the share of CPU it states, on one core), YADE's
 * steps timed in its script, jostle's by soft_time.c.
 *
 * The peak of memory is the kernel's for the process and what it waited for: a process is born with
 * its parent's peak, which is why this program never holds a system itself. Under mpirun it is the
 * larger of the two, so memory is compared on one core only. */
#include "soft_bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self_path, *script_directory, *log_directory;

void launch_setup(const char *self, const char *scripts, const char *directory)
{
    self_path = self;
    script_directory = scripts;
    log_directory = directory;
}

const char *launch_self(void)
{
    return self_path;
}

bool program_found(const char *name)
{
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        char candidate[1024];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        if (access(candidate, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static void become(char *const *arguments, int cores, const char *log)
{
    const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) _exit(126);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    char threads[16];
    snprintf(threads, sizeof threads, "%d", cores);
    setenv("OMP_NUM_THREADS", threads, 1);
    execvp(arguments[0], arguments);
    _exit(127);
}

bool launch(char *const *arguments, int cores, const char *log, double *peak)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) become(arguments, cores, log);
    int status = 0;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) return false;
    if (peak != NULL) *peak = 1024.0 * (double)usage.ru_maxrss;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    fprintf(stderr, "bench: %s failed; its words are in %s\n", arguments[0], log);
    return false;
}

static void log_path(char *path, size_t size, const job *j, const char *contender)
{
    snprintf(path, size, "%s/%s-%s-%zu-%d.log", log_directory, contender, j->which->name,
             job_bodies(j), j->cores);
}

/* The value after "bench KEY "; NaN where there is none. */
static double number_in(const char *text, const char *key)
{
    char wanted[96];
    snprintf(wanted, sizeof wanted, "bench %s ", key);
    double value = NAN;
    for (const char *at = strstr(text, wanted); at != NULL; at = strstr(at + 1, wanted)) {
        char *end;
        const double read = strtod(at + strlen(wanted), &end);
        if (end != at + strlen(wanted)) value = read; /* LAMMPS echoes the command first */
    }
    return value;
}

static char *slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST + 1);
    if (text != NULL) text[fread(text, 1, MOST, file)] = '\0';
    fclose(file);
    return text;
}

static bool finish(const job *j, outcome *o, double seconds, const char *text, double peak)
{
    o->seconds = seconds;
    o->rate = (double)job_bodies(j) * j->steps / seconds;
    o->peak = peak / (double)job_bodies(j);
    o->kinetic = number_in(text, "kinetic");
    o->contacts = number_in(text, "contacts");
    o->height = number_in(text, "height");
    o->ok = seconds > 0.0 && isfinite(o->kinetic) && isfinite(o->contacts) && isfinite(o->height);
    return o->ok;
}

/* A command line as it is put together. */
typedef struct command {
    const char *words[48];
    size_t count;
    char numbers[8][16];
    size_t numbers_used;
} command;

static void add(command *c, const char *word)
{
    c->words[c->count++] = word;
    c->words[c->count] = NULL;
}

static void add_number(command *c, const char *before, unsigned value)
{
    char *text = c->numbers[c->numbers_used++];
    snprintf(text, sizeof c->numbers[0], "%s%u", before, value);
    add(c, text);
}

static void add_plan(command *c, const job *j)
{
    add_number(c, "", (unsigned)j->copies[0]);
    add_number(c, "", (unsigned)j->copies[1]);
    add_number(c, "", j->warmup);
    add_number(c, "", j->steps);
}

/* ---- jostle */

static bool run_this(const job *j, outcome *o, bool same_work)
{
    char log[1024];
    log_path(log, sizeof log, j, same_work ? "jostle" : "jostle-defaults");
    command c = {.count = 0};
    add(&c, self_path);
    add(&c, "time");
    add(&c, same_work ? "same" : "defaults");
    add(&c, j->which->name);
    add(&c, j->state);
    add_plan(&c, j);
    add_number(&c, "", (unsigned)j->cores);
    add(&c, j->final != NULL ? j->final : "none");
    double peak = 0.0;
    if (!launch((char *const *)c.words, j->cores, log, &peak)) return false;
    char *text = slurp(log);
    if (text == NULL) return false;
    const bool ok = finish(j, o, number_in(text, "seconds"), text, peak);
    for (int k = 0; k < JO_SOFT_STAGES; k++) {
        char key[64];
        snprintf(key, sizeof key, "stage.%s", jo_soft_stage_name((jo_soft_stage)k));
        o->stage[k] = number_in(text, key);
    }
    o->held = number_in(text, "held");
    o->rebuilds = number_in(text, "rebuilds");
    free(text);
    return ok;
}

bool run_jostle(const job *j, outcome *o)
{
    return run_this(j, o, true);
}

bool run_jostle_defaults(const job *j, outcome *o)
{
    return run_this(j, o, false);
}

/* ---- LAMMPS */

/* Seconds of the last loop of `steps` steps, from "Loop time of S on P procs for N steps" and the
 * line "C% CPU use" after it. */
static double lammps_seconds(const char *text, const job *j, double *builds)
{
    double seconds = NAN;
    for (const char *at = strstr(text, "Loop time of "); at != NULL;
         at = strstr(at + 1, "Loop time of ")) {
        double loop, share;
        unsigned procs, steps;
        if (sscanf(at, "Loop time of %lf on %u procs for %u steps", &loop, &procs, &steps) != 3 ||
            steps != j->steps)
            continue;
        const char *use = strstr(at, "% CPU use");
        while (use != NULL && use > at && use[-1] != '\n')
            use--;
        if (use == NULL || sscanf(use, "%lf%%", &share) != 1) continue;
        seconds = j->cores == 1 ? loop * share / 100.0 : loop;
        const char *lists = strstr(at, "Neighbor list builds = ");
        if (lists != NULL) sscanf(lists, "Neighbor list builds = %lf", builds);
    }
    return seconds;
}

static void add_variable(command *c, const char *name, const char *value)
{
    add(c, "-var");
    add(c, name);
    add(c, value);
}

static void add_count(command *c, const char *name, unsigned value)
{
    add(c, "-var");
    add(c, name);
    add_number(c, "", value);
}

bool run_lammps(const job *j, outcome *o)
{
    char log[1024], script[1024];
    log_path(log, sizeof log, j, "lammps");
    snprintf(script, sizeof script, "%s/%s.lammps", script_directory,
             j->which->chute ? "chute" : "packing");
    command c = {.count = 0};
    if (j->cores > 1) {
        add(&c, "mpirun");
        add(&c, "--oversubscribe");
        add(&c, "-np");
        add_number(&c, "", (unsigned)j->cores);
    }
    add(&c, "lmp");
    add(&c, "-in");
    add(&c, script);
    add(&c, "-log");
    add(&c, "none");
    add_variable(&c, "law", j->which->name);
    add_variable(&c, "data", j->input);
    add_count(&c, "nx", (unsigned)j->copies[0]);
    add_count(&c, "ny", (unsigned)j->copies[1]);
    add_count(&c, "warmup", j->warmup);
    add_count(&c, "steps", j->steps);
    add_variable(&c, "compare", j->final != NULL ? "yes" : "no");
    add_variable(&c, "final", j->final != NULL ? j->final : "none");
    double peak = 0.0;
    /* LAMMPS' MPI processes have one thread each. */
    if (!launch((char *const *)c.words, 1, log, &peak)) return false;
    char *text = slurp(log);
    if (text == NULL) return false;
    const double seconds = lammps_seconds(text, j, &o->rebuilds);
    const bool ok = finish(j, o, seconds, text, peak);
    free(text);
    return ok;
}

/* ---- YADE */

bool run_yade(const job *j, outcome *o)
{
    char log[1024], script[1024];
    log_path(log, sizeof log, j, "yade");
    snprintf(script, sizeof script, "%s/packing.py", script_directory);
    command c = {.count = 0};
    add(&c, "yade");
    add_number(&c, "-j", (unsigned)j->cores);
    add(&c, "-n");
    add(&c, "-x");
    add(&c, script);
    add(&c, j->which->name);
    add(&c, j->input);
    add_plan(&c, j);
    double peak = 0.0;
    if (!launch((char *const *)c.words, j->cores, log, &peak)) return false;
    char *text = slurp(log);
    if (text == NULL) return false;
    const double seconds = number_in(text, j->cores == 1 ? "cpu" : "wall");
    const bool ok = finish(j, o, seconds, text, peak);
    free(text);
    return ok;
}
