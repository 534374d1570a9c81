/* summary.c — what a run is about to do, and what it did: as a table for people and as one line of
 * JSON for programs. Costs are those of this process: a resumed run counts from where it went
 * on. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "json.h"
#include "progress.h"
#include "simulate.h"
#include "table.h"

/* ---- the plan */

static const char *law_text(const jo_law *law, char *text, size_t size)
{
    static const char *const normal[] = {"linear", "hertz", "energy"};
    static const char *const damping[] = {"none", "restitution", "viscous"};
    static const char *const tangential[] = {"none", "linear", "mindlin", "mindlin-force"};
    static const char *const rolling[] = {"none", "constant", "epsd"};
    static const char *const cohesion[] = {"none", "jkr", "sjkr", "liquid"};
    snprintf(text, size, "%s, damping %s, tangential %s, rolling %s, cohesion %s",
             normal[law->normal], damping[law->damping], tangential[law->tangential],
             rolling[law->rolling], cohesion[law->cohesion]);
    return text;
}

static void plan_bodies(const simulation *s)
{
    jo_measures m;
    jo_error error;
    char count[32];
    const jo_scene *scene = s->scene;
    if (s->engine.kind->measure(s->engine.state, &m, &error) != JO_OK) return;
    printf("  bodies   %s", text_count(count, sizeof count, (double)m.bodies));
    for (size_t g = 0; g < scene->group_count; g++) {
        const jo_group *group = &scene->groups[g];
        if (group->kind != JO_GROUP_FACTORY) continue;
        printf("; factory");
        if (group->name[0] != '\0') printf(" '%s'", group->name);
        if (group->count > 0)
            printf(": %s in all", text_count(count, sizeof count, (double)group->count));
    }
    putchar('\n');
}

static void plan_walls(const jo_scene *scene)
{
    static const char *const kinds[] = {"plane", "box", "cylinder", "cone", "mesh"};
    printf("  walls    %zu", scene->wall_count);
    for (size_t w = 0; w < scene->wall_count && w < 8; w++) {
        const jo_wall *wall = &scene->walls[w];
        printf("%s%s", w > 0 ? ", " : ": ", kinds[wall->kind]);
        if (wall->name[0] != '\0') printf(" '%s'", wall->name);
        if (wall->from > 0.0) printf(" from %g", wall->from);
        if (isfinite(wall->until)) printf(" until %g", wall->until);
    }
    puts(scene->wall_count > 8 ? ", …" : "");
}

static void plan_files(const simulation *s)
{
    const recorder *r = &s->recorder;
    bool first = true;
    printf("  writes   ");
    for (int k = 0; k < RECORDS; k++) {
        if (isnan(r->due[k].interval)) continue;
        printf("%s%s every %g", first ? "" : ", ", record_files[k], r->due[k].interval);
        first = false;
    }
    if (isnan(r->due[RECORD_CHECKPOINT].interval) && !r->no_checkpoints)
        printf("%s%s every %g s of real time and at the end", first ? "" : ", ",
               record_files[RECORD_CHECKPOINT], s->scene->outputs.checkpoint_wall);
    printf("\n  to       %s/\n", r->folder.path);
}

void summary_plan(const simulation *s)
{
    char text[512], count[32];
    const engine *e = &s->engine;
    if (s->options->quiet || s->options->json) return;
    printf("%s%s%s\n", s->name, s->scene->title != NULL ? ": " : "",
           s->scene->title != NULL ? s->scene->title : "");
    plan_bodies(s);
    plan_walls(s->scene);
    if (strcmp(e->kind->name, "soft") == 0)
        printf("  law      %s\n", law_text(&s->scene->law, text, sizeof text));
    e->kind->describe(e->state, s->scene, text, sizeof text);
    printf("  step     ");
    text_wrap(stdout, text, 11, 100);
    const double now = e->kind->now(e->state);
    printf("  time     %.6g to %.6g", e->kind->time_of(e->state, now), s->until);
    if (strcmp(e->kind->unit, "steps") == 0)
        printf(": %s steps", text_count(count, sizeof count, fmax(s->end_tick - now, 0.0)));
    putchar('\n');
    plan_files(s);
    fflush(stdout);
}

/* ---- alarms */

static void print_alarm(FILE *out, const jo_alarm *a)
{
    fprintf(out, "alarm (%s) at time %.6g", jo_alarm_name(a->kind), a->time);
    if (a->id != JO_NO_BODY) fprintf(out, ", body %" PRIu64, a->id);
    fprintf(out, ": %s\n", a->text);
}

void summary_alarms(simulation *s)
{
    size_t count;
    const jo_alarm *alarms = s->engine.kind->alarms(s->engine.state, &count);
    if (count <= s->alarms_told) return;
    cli_progress_clear();
    fflush(stdout);
    /* Which of the kinds are new, the engine does not say: each is remembered by its bit. */
    for (size_t k = 0; k < count; k++) {
        const unsigned bit = 1u << alarms[k].kind;
        if ((s->alarm_kinds & bit) == 0) print_alarm(stderr, &alarms[k]);
        s->alarm_kinds |= bit;
    }
    s->alarms_told = count;
}

/* ---- the end */

/* Costs of this process alone. */
static engine_costs costs_of(const simulation *s)
{
    engine_costs c = s->engine.kind->costs(s->engine.state);
    for (size_t k = 0; k < c.stages; k++) {
        c.seconds[k] -= s->begin.seconds[k];
        c.calls[k] -= s->begin.calls[k];
    }
    c.work -= s->begin.work;
    return c;
}

static double rate_of(const simulation *s, const engine_costs *c)
{
    return s->advancing > 0.0 ? c->work / s->advancing : 0.0;
}

static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : NAN;
}

/* How many bodies shared the memory: as many as there were at most, as far as is known. The
 * engine's work over its steps is the mean, where work counts bodies times steps. */
static double most_bodies(const simulation *s, const engine_costs *c, const jo_measures *m)
{
    const engine *e = &s->engine;
    const double steps = e->kind->now(e->state) - s->begin_tick;
    const double mean = strcmp(e->kind->unit, "steps") == 0 && steps > 0.0 ? c->work / steps : 0.0;
    return fmax(fmax(s->recorder.rows.bodies_most, (double)m->bodies), fmax(mean, 1.0));
}

static const char *outcome_name(run_outcome outcome)
{
    static const char *const names[] = {"complete", "interrupted", "blew up", "failed"};
    return names[outcome];
}

static void add_stage(table *t, const simulation *s, const char *name, uint64_t calls,
                      double seconds)
{
    char time[32], count[32];
    if (calls == 0 && seconds <= 0.0) return;
    table_row(t, "%s|%s|%s|%.1f %%", name, text_count(count, sizeof count, (double)calls),
              text_seconds(time, sizeof time, seconds), 100.0 * seconds / s->seconds);
}

static void print_stages(const simulation *s, const engine_costs *c)
{
    table t = table_start("stage|calls|time|share");
    double named = 0.0;
    for (size_t k = 0; k < c->stages; k++) {
        add_stage(&t, s, c->stage[k], c->calls[k], c->seconds[k]);
        named += c->seconds[k];
    }
    for (int k = 0; k < RECORDS; k++) {
        add_stage(&t, s, record_names[k], s->recorder.calls[k], s->recorder.seconds[k]);
        named += s->recorder.seconds[k];
    }
    char time[32];
    table_row(&t, "the rest||%s|%.1f %%", text_seconds(time, sizeof time, s->seconds - named),
              100.0 * (s->seconds - named) / s->seconds);
    table_row(&t, "all||%s|100 %%", text_seconds(time, sizeof time, s->seconds));
    table_print(&t, stdout, "  ");
    table_free(&t);
}

static void print_energy(const jo_energy *e)
{
    const double turned =
        fabs(e->kinetic) + fabs(e->elastic) + fabs(e->dissipated) + fabs(e->work) + fabs(e->gone);
    printf("  energy   kinetic %.5g, potential %.5g, elastic %.5g, dissipated %.5g, work %.5g, "
           "gone %.5g\n",
           e->kinetic, e->potential, e->elastic, e->dissipated, e->work, e->gone);
    printf("  balance  %.3g", e->balance);
    if (turned > 0.0) printf(", %.2g of what was turned over", fabs(e->balance) / turned);
    putchar('\n');
}

static void print_counters(const simulation *s, const jo_measures *m, const engine_costs *c)
{
    char count[32], engine_text[32], all_text[32];
    printf("  bodies   %s", text_count(count, sizeof count, (double)m->bodies));
    if (m->inserted > 0) printf(", %" PRIu64 " inserted", m->inserted);
    if (m->removed > 0) printf(", %" PRIu64 " removed", m->removed);
    printf("; contacts %" PRIu64 " (%.2f per body), with walls %" PRIu64 ", sliding %" PRIu64 "\n",
           m->contacts, m->coordination, m->wall_contacts, m->sliding);
    printf("  overlap  mean %.2g, largest %.2g of a radius\n", m->overlap_mean, m->overlap_max);
    print_energy(&m->energy);
    printf("  counted ");
    for (size_t k = 0; k < c->counters; k++)
        printf("%s %s %.6g", k > 0 ? "," : "", c->counter[k], c->count[k]);
    if (c->search != NULL) printf("; search by %s", c->search);
    putchar('\n');
    text_bytes(engine_text, sizeof engine_text, (double)c->bytes_peak);
    text_bytes(all_text, sizeof all_text, peak_memory());
    printf("  memory   engine %s (%.0f bytes per body), program %s at most\n", engine_text,
           (double)c->bytes_peak / most_bodies(s, c, m), all_text);
    printf("  speed    %.4g million %s per second, output excluded\n", 1e-6 * rate_of(s, c),
           s->engine.kind->rate);
}

static void print_alarms(const simulation *s)
{
    size_t count;
    const jo_alarm *alarms = s->engine.kind->alarms(s->engine.state, &count);
    if (count == 0) {
        printf("  alarms   none\n");
        return;
    }
    for (size_t k = 0; k < count; k++) {
        printf("  alarms   %s, %" PRIu64 " time%s: ", jo_alarm_name(alarms[k].kind),
               alarms[k].count, alarms[k].count == 1 ? "" : "s");
        text_wrap(stdout, alarms[k].text, 11, 100);
    }
}

static void print_files(const simulation *s)
{
    const recorder *r = &s->recorder;
    bool first = true;
    printf("  files    %s/: ", r->folder.path);
    for (int k = 0; k < RECORDS; k++) {
        if (record_files[k] == NULL || !rundir_has(&r->folder, record_files[k])) continue;
        printf("%s%s", first ? "" : ", ", record_files[k]);
        first = false;
    }
    putchar('\n');
}

void summary_print(const simulation *s)
{
    const engine *e = &s->engine;
    const engine_costs c = costs_of(s);
    jo_measures m = {0};
    jo_error error;
    char count[32], time[32];
    printf("%s: %s at time %.6g, %s %s in all, %s\n", s->name, outcome_name(s->outcome),
           e->kind->time_of(e->state, e->kind->now(e->state)),
           text_count(count, sizeof count, (double)e->kind->count(e->state)), e->kind->unit,
           text_seconds(time, sizeof time, s->seconds));
    print_stages(s, &c);
    if (e->kind->measure(e->state, &m, &error) == JO_OK) print_counters(s, &m, &c);
    print_alarms(s);
    printf("  state    %016" PRIx64 "\n", e->kind->hash(e->state));
    print_files(s);
}

/* ---- JSON */

static void json_energy(json *j, const jo_energy *e)
{
    json_object(j, "energy");
    json_real(j, "kinetic", e->kinetic);
    json_real(j, "potential", e->potential);
    json_real(j, "elastic", e->elastic);
    json_real(j, "dissipated", e->dissipated);
    json_real(j, "work", e->work);
    json_real(j, "gone", e->gone);
    json_real(j, "balance", e->balance);
    json_end(j);
}

static void json_measures(json *j, const jo_measures *m)
{
    json_energy(j, &m->energy);
    json_integer(j, "contacts", m->contacts);
    json_integer(j, "wall_contacts", m->wall_contacts);
    json_real(j, "coordination", m->coordination);
    json_real(j, "overlap_mean", m->overlap_mean);
    json_real(j, "overlap_max", m->overlap_max);
    json_integer(j, "inserted", m->inserted);
    json_integer(j, "removed", m->removed);
}

static void json_alarms(json *j, const simulation *s)
{
    size_t count;
    const jo_alarm *alarms = s->engine.kind->alarms(s->engine.state, &count);
    json_array(j, "alarms");
    for (size_t k = 0; k < count; k++) {
        json_object(j, NULL);
        json_string(j, "kind", jo_alarm_name(alarms[k].kind));
        json_integer(j, "count", alarms[k].count);
        json_real(j, "time", alarms[k].time);
        if (alarms[k].id == JO_NO_BODY)
            json_string(j, "body", NULL);
        else
            json_integer(j, "body", alarms[k].id);
        json_string(j, "text", alarms[k].text);
        json_end(j);
    }
    json_end(j);
}

static void json_stage(json *j, const char *name, uint64_t calls, double seconds)
{
    json_object(j, name);
    json_integer(j, "calls", calls);
    json_real(j, "seconds", seconds);
    json_end(j);
}

static void json_costs(json *j, const simulation *s, const engine_costs *c, double bodies)
{
    json_object(j, "stages");
    for (size_t k = 0; k < c->stages; k++)
        json_stage(j, c->stage[k], c->calls[k], c->seconds[k]);
    for (int k = 0; k < RECORDS; k++)
        json_stage(j, record_names[k], s->recorder.calls[k], s->recorder.seconds[k]);
    json_end(j);
    json_object(j, "counters");
    for (size_t k = 0; k < c->counters; k++)
        json_real(j, c->counter[k], c->count[k]);
    json_end(j);
    json_object(j, "memory");
    json_integer(j, "engine", c->bytes);
    json_integer(j, "engine_peak", c->bytes_peak);
    json_real(j, "program_peak", peak_memory());
    json_real(j, "engine_per_body", (double)c->bytes_peak / bodies);
    json_real(j, "program_per_body", peak_memory() / bodies);
    json_end(j);
}

static void json_files(json *j, const recorder *r)
{
    char path[RUNDIR_PATH + 64];
    jo_error error;
    json_string(j, "folder", r->folder.path);
    json_object(j, "files");
    for (int k = 0; k < RECORDS; k++)
        if (record_files[k] != NULL && rundir_has(&r->folder, record_files[k]) &&
            rundir_path(&r->folder, record_files[k], path, sizeof path, &error) == JO_OK)
            json_string(j, record_names[k], path);
    json_end(j);
}

void summary_json(const simulation *s, FILE *out)
{
    const engine *e = &s->engine;
    const engine_costs c = costs_of(s);
    jo_measures m = {0};
    jo_error error;
    char hash[20];
    json j = json_start_line(out);
    json_object(&j, NULL);
    json_string(&j, "status", outcome_name(s->outcome));
    json_string(&j, "engine", e->kind->name);
    const bool measured = e->kind->measure(e->state, &m, &error) == JO_OK;
    json_integer(&j, "bodies", m.bodies);
    json_integer(&j, e->kind->unit, e->kind->count(e->state));
    json_real(&j, "sim_time", e->kind->time_of(e->state, e->kind->now(e->state)));
    json_real(&j, "seconds", s->seconds);
    json_real(&j, "rate", rate_of(s, &c));
    snprintf(hash, sizeof hash, "%016" PRIx64, e->kind->hash(e->state));
    json_string(&j, "state_hash", hash);
    if (measured) json_measures(&j, &m);
    json_alarms(&j, s);
    json_costs(&j, s, &c, most_bodies(s, &c, &m));
    json_string(&j, "search", c.search);
    json_files(&j, &s->recorder);
    json_end(&j);
}
