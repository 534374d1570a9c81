/* examine.c — everything wrong with a scene: the frame, and what belongs to no other part.
 *
 * Bounds of single values are checked here, too, although the reader of scene files has its own
 * from the schema: scenes made in C pass no reader. Each complaint carries the path of what it is
 * about. */
#include "scene/examine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "jostle/broad.h"
#include "scene/examiner.h"

void jo_examine_at(examiner *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->path, sizeof e->path, format, args);
    va_end(args);
}

static void say(examiner *e, bool warning, const char *format, va_list args)
{
    char text[400];
    vsnprintf(text, sizeof text, format, args);
    e->say(e->context, warning, e->path, text);
}

void jo_complain(examiner *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(e, false, format, args);
    va_end(args);
}

void jo_warn(examiner *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(e, true, format, args);
    va_end(args);
}

bool jo_is_finite3(const double v[3])
{
    for (int a = 0; a < 3; a++)
        if (!(fabs(v[a]) <= JO_COORDINATE_MAX)) return false;
    return true;
}

bool jo_is_unit3(const double v[3])
{
    return jo_is_finite3(v) && fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1.0) < 1e-9;
}

const char *jo_examine_name(const char *name, size_t k, char text[JO_NAME_SIZE])
{
    if (name[0] != '\0')
        snprintf(text, JO_NAME_SIZE, "'%.60s'", name);
    else
        snprintf(text, JO_NAME_SIZE, "number %zu", k + 1);
    return text;
}

static void examine_box(examiner *e)
{
    const jo_scene *s = e->scene;
    static const char axes[] = "xyz";
    for (int a = 0; a < 3; a++) {
        jo_examine_at(e, "box");
        if (a >= s->dim) {
            if (s->domain.periodic[a])
                jo_complain(e, "the box is periodic along z, but a scene of dimension 2 has no z");
            continue;
        }
        if (s->domain.periodic[a] && !s->has_box)
            jo_complain(e, "%c is periodic, but there is no box that says with which period",
                        axes[a]);
        if (s->has_box && !(s->domain.lo[a] < s->domain.hi[a]))
            jo_complain(e, "the box has lo %g and hi %g along %c; lo must be below hi",
                        s->domain.lo[a], s->domain.hi[a], axes[a]);
    }
    if (s->has_box && (!jo_is_finite3(s->domain.lo) || !jo_is_finite3(s->domain.hi)))
        jo_complain(e, "the box's corners must be finite");
    jo_examine_at(e, "box.shear_rate");
    if (!isfinite(s->shear_rate)) jo_complain(e, "shear_rate must be finite");
    if (s->shear_rate != 0.0 && !(s->domain.periodic[0] && s->domain.periodic[1]))
        jo_complain(e, "shear_rate (Lees-Edwards) needs a box that is periodic along x and y");
    jo_examine_at(e, "gravity");
    if (!jo_is_finite3(s->gravity)) jo_complain(e, "gravity must be finite");
    if (s->dim == 2 && s->gravity[2] != 0.0)
        jo_complain(e, "gravity points out of the plane of a scene of dimension 2");
}

static bool known_search(const char *name)
{
    for (size_t k = 0; k < jo_broad_method_count(); k++)
        if (strcmp(jo_broad_method(k)->name, name) == 0) return true;
    return strcmp(name, "auto") == 0;
}

/* A single body takes decades for so many. */
static const double most_steps = 1e15;

static void examine_engine(examiner *e)
{
    const jo_scene *s = e->scene;
    jo_examine_at(e, "engine");
    if (memchr(s->engine, '\0', sizeof s->engine) == NULL ||
        (strcmp(s->engine, "soft") != 0 && strcmp(s->engine, "hard") != 0 &&
         strcmp(s->engine, "kinetic") != 0))
        jo_complain(e, "there is no engine '%.15s'; there are: soft, hard, kinetic", s->engine);
    jo_examine_at(e, "engine.search");
    if (memchr(s->broad, '\0', sizeof s->broad) == NULL || !known_search(s->broad))
        jo_complain(e, "there is no contact search '%.15s'; 'jostle list' names them", s->broad);
    jo_examine_at(e, "engine.time_step");
    if (!isnan(s->time_step) && !(s->time_step > 0.0 && isfinite(s->time_step)))
        jo_complain(e, "time_step is %g; it must be above 0", s->time_step);
    if (s->time_step > s->duration)
        jo_complain(e, "time_step is %g, longer than the duration of %g", s->time_step,
                    s->duration);
    if (s->time_step > 0.0 && s->duration / s->time_step > most_steps)
        jo_complain(
            e,
            "time_step is %g: %.3g steps for a duration of %g; more than %g are surely not meant",
            s->time_step, s->duration / s->time_step, s->duration, most_steps);
    jo_examine_at(e, "engine.skin");
    if (!isnan(s->skin) && !(s->skin > 0.0 && isfinite(s->skin)))
        jo_complain(e, "skin is %g; it must be above 0", s->skin);
    jo_examine_at(e, "engine.overlap_alarm");
    if (!(s->overlap_alarm > 0.0))
        jo_complain(e, "overlap_alarm is %g; it must be above 0", s->overlap_alarm);
    jo_examine_at(e, "duration");
    if (!(s->duration > 0.0 && isfinite(s->duration)))
        jo_complain(e, "duration is %g; it must be above 0 and finite", s->duration);
}

/* What only other engines read. */
static void examine_foreign_options(examiner *e)
{
    const jo_scene *s = e->scene;
    const bool hard = strncmp(s->engine, "hard", sizeof s->engine) == 0;
    const bool kinetic = strncmp(s->engine, "kinetic", sizeof s->engine) == 0;
    const struct {
        const char *name;
        double value; /* NAN: not given */
        bool is_read;
    } all[] = {{"contact_duration", s->hard.contact_duration, hard},
               {"temperature", s->hard.temperature, hard},
               {"thermostat_rate", s->hard.thermostat_rate, hard},
               {"growth", s->hard.growth > 0.0 ? s->hard.growth : (double)NAN, hard},
               {"gap", s->kinetic.gap, kinetic},
               {"least_speed", s->kinetic.least_speed, kinetic},
               {"period", s->kinetic.period, kinetic},
               {"look_every", s->kinetic.look_every, kinetic},
               {"patience", s->kinetic.patience, kinetic}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (isnan(all[k].value) || all[k].is_read) continue;
        jo_examine_at(e, "engine.%s", all[k].name);
        jo_warn(e, "engine %.15s has no %s: it is not used", s->engine, all[k].name);
    }
}

static void examine_outputs(examiner *e)
{
    const jo_outputs *o = &e->scene->outputs;
    const struct {
        const char *name;
        double every;
    } all[] = {{"trajectory", o->trajectory},
               {"vtp", o->vtp},
               {"dump", o->dump},
               {"series", o->series},
               {"checkpoint", o->checkpoint}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (isnan(all[k].every)) continue;
        jo_examine_at(e, "output.%s", all[k].name);
        if (!(all[k].every > 0.0 && isfinite(all[k].every)))
            jo_complain(e, "output.%s is every %g; it must be above 0", all[k].name, all[k].every);
        else if (all[k].every < e->scene->time_step)
            jo_complain(e, "output.%s is every %g, less than a time step of %g", all[k].name,
                        all[k].every, e->scene->time_step);
        else if (e->scene->duration / all[k].every > JO_WRITES_MAX)
            jo_complain(e,
                        "output.%s is every %g: it would be written %.3g times in %g; more than %g "
                        "is surely not meant",
                        all[k].name, all[k].every, e->scene->duration / all[k].every,
                        e->scene->duration, JO_WRITES_MAX);
        else if (all[k].every > e->scene->duration)
            jo_warn(
                e,
                "output.%s is every %g, longer than the duration of %g: only the first state is "
                "written",
                all[k].name, all[k].every, e->scene->duration);
    }
    jo_examine_at(e, "output.events");
    if (o->events && strncmp(e->scene->engine, "hard", sizeof e->scene->engine) != 0)
        jo_warn(e, "only engine hard has events: events.csv is not written");
    jo_examine_at(e, "output.checkpoint_wall");
    if (!(o->checkpoint_wall > 0.0))
        jo_complain(e, "output.checkpoint_wall is %g; it must be above 0", o->checkpoint_wall);
}

static void examine_gates(examiner *e)
{
    const jo_scene *s = e->scene;
    char name[JO_NAME_SIZE];
    for (size_t k = 0; k < s->gate_count; k++) {
        const jo_gate *g = &s->gates[k];
        jo_examine_at(e, "gates[%zu]", k);
        if (!jo_is_finite3(g->point) || !jo_is_unit3(g->normal))
            jo_complain(e, "gate %s needs a finite point and a normal of length 1",
                        jo_examine_name(g->name, k, name));
        for (size_t j = 0; j < k; j++)
            if (strcmp(s->gates[j].name, g->name) == 0)
                jo_complain(e, "there are two gates %s", jo_examine_name(g->name, k, name));
    }
}

void jo_scene_examine(const jo_scene *scene, complaint complain, void *context)
{
    examiner e = {.scene = scene, .say = complain, .context = context};
    if (scene->dim != 2 && scene->dim != 3) {
        jo_examine_at(&e, "dimension");
        jo_complain(&e, "dimension is %d; it must be 2 or 3", scene->dim);
        return;
    }
    examine_box(&e);
    examine_engine(&e);
    examine_foreign_options(&e);
    examine_outputs(&e);
    examine_gates(&e);
    if (strncmp(scene->engine, "hard", sizeof scene->engine) == 0) jo_examine_hard(&e);
    if (strncmp(scene->engine, "kinetic", sizeof scene->engine) == 0) jo_examine_kinetic(&e);
    jo_examine_laws(&e);
    jo_examine_groups(&e);
    jo_examine_walls(&e);
}

/* ---- the check for scenes made in C ---- */

typedef struct joined {
    char text[JO_ERROR_TEXT];
    size_t used, count;
} joined;

static void join(void *context, bool warning, const char *path, const char *text)
{
    joined *j = context;
    (void)path;
    if (warning) return;
    const int wrote = snprintf(j->text + j->used, sizeof j->text - j->used, "%s%s",
                               j->count > 0 ? "; " : "", text);
    j->used += (size_t)wrote;
    if (j->used > sizeof j->text - 1) j->used = sizeof j->text - 1;
    j->count++;
}

jo_status jo_scene_check(const jo_scene *scene, jo_error *error)
{
    joined j = {.text = ""};
    jo_scene_examine(scene, join, &j);
    return j.count == 0 ? JO_OK : jo_fail(error, JO_ERR_DATA, "%s", j.text);
}
