/* soft_time.c — jostle's turn: a process that reads a start state, warms up, times the steps and
 * prints what it measured as lines "bench KEY VALUE".
 *
 * Only jo_soft_advance is timed: CPU time on one core, since other processes may share the machine,
 * and wall time on several. */
#include "soft_bench.h"

#include <stdlib.h>
#include <time.h>

static double seconds_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_number(const char *key, double value)
{
    printf("bench %s %.17g\n", key, value);
}

static bool print_end(jo_soft *soft, const job *j, jo_error *error)
{
    jo_measures m;
    jo_frame frame;
    jo_population end;
    if (jo_soft_measure(soft, &m, error) != JO_OK) return false;
    print_number("kinetic", m.energy.kinetic);
    print_number("contacts", (double)m.contacts);
    if (jo_soft_frame(soft, &frame, error) != JO_OK) return false;
    double height = 0.0; /* of all bodies, the fixed ones too, as the peers count it */
    for (size_t i = 0; i < frame.n; i++)
        height += frame.x[3 * i + 2];
    print_number("height", height / (double)frame.n);
    if (j->final == NULL) return true;
    if (!state_of_frame(&frame, &end)) return false;
    const bool ok = state_write(j->final, &end);
    jo_population_free(&end);
    return ok;
}

static bool time_steps(jo_soft *soft, const job *j, jo_error *error)
{
    if (jo_soft_advance(soft, j->warmup, error) != JO_OK) return false;
    const clockid_t clock = j->cores == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    const jo_soft_stats before = jo_soft_statistics(soft);
    const double start = seconds_on(clock);
    if (jo_soft_advance(soft, j->steps, error) != JO_OK) return false;
    print_number("seconds", seconds_on(clock) - start);
    const jo_soft_stats after = jo_soft_statistics(soft);
    for (int k = 0; k < JO_SOFT_STAGES; k++)
        printf("bench stage.%s %.17g\n", jo_soft_stage_name((jo_soft_stage)k),
               after.seconds[k] - before.seconds[k]);
    print_number("rebuilds", (double)(after.rebuilds - before.rebuilds));
    print_number("held", (double)after.bytes_peak / (double)job_bodies(j));
    return true;
}

int time_jostle(const job *j, bool same_work)
{
    jo_population p;
    jo_scene scene;
    jo_error error = {.text = "out of memory"};
    if (!state_read(j->state, j->copies, &p)) return 1;
    if (!case_scene(j->which, j->copies, same_work, &scene)) {
        jo_population_free(&p);
        return 1;
    }
    jo_soft *soft = NULL;
    jo_soft_options options = jo_soft_options_default();
    options.threads = j->cores;
    bool ok = jo_soft_create_with(&scene, &p, &options, &soft, &error) == JO_OK;
    jo_population_free(&p);
    ok = ok && time_steps(soft, j, &error) && print_end(soft, j, &error);
    size_t alarms = 0;
    const jo_alarm *alarm = soft != NULL ? jo_soft_alarms(soft, &alarms) : NULL;
    for (size_t k = 0; k < alarms; k++)
        fprintf(stderr, "bench: %s: alarm: %s\n", j->which->name, alarm[k].text);
    if (!ok) fprintf(stderr, "bench: %s: %s\n", j->which->name, error.text);
    jo_soft_destroy(soft);
    jo_scene_free(&scene);
    return ok ? 0 : 1;
}
