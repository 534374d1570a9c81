/* view_live.c — a run that is watched in the browser while it goes on.
 *
 * The run shows itself between two slices of its work: it copies the present moment into messages
 * and hands them to the server's thread. That happens about 20 times a second, only while someone
 * looks, and never takes more than 3 % of the run's time, whole frames (where bodies came or went,
 * or one was picked) 2 % and measures 1 %: what each costs is measured, and the next one is put off
 * accordingly. Showing changes
 * nothing of the engine's state, so a run that was watched ends with the same bits; what watchers
 * change is noted (changes.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "simulate.h"
#include "viewer_message.h"

static const double frame_interval = 1.0 / 21.0, status_interval = 0.25, row_interval = 0.5;
/* Whatever took t is done again after this times t of work at the earliest. */
static const double frame_share = 33.0, whole_share = 50.0, row_share = 200.0;

enum { EVENTS_TOLD = 12 };

typedef struct wall_shape {
    double *triangles; /* in the wall's own frame */
    size_t count;
} wall_shape;

struct view_live {
    viewer *v;
    messenger messages;
    wall_shape *walls;
    size_t wall_count, triangle_count;
    double *posed;
    uint32_t *owner;
    series own; /* rows, where the run makes none */
    bool own_rows;
    uint64_t index; /* of the next frame */
    double frame_due, status_due, row_due;
    double whole_soonest, detail_due;
    uint64_t whole_of; /* viewer_changes at the last whole frame */
    unsigned shown_wants;
    double origin[3]; /* of the last frame, and the engine's count of changes then */
    uint64_t changes;
    bool paused, over;
    uint64_t refusals; /* of changes that watchers asked for, and why the last one was */
    char refused[JO_ERROR_TEXT];
    uint64_t steps;    /* to take before the next rest; 0: as many as there are */
    uint64_t stride;   /* how many of them before looking again */
    double spent;      /* seconds */
    const char *state; /* for the page */
};

/* ---- walls */

static jo_status find_bounds(const simulation *s, double lo[3], double hi[3], jo_error *error)
{
    jo_frame f;
    if (s->scene->has_box) {
        memcpy(lo, s->scene->domain.lo, 3 * sizeof *lo);
        memcpy(hi, s->scene->domain.hi, 3 * sizeof *hi);
        return JO_OK;
    }
    const jo_status status = s->engine.kind->frame(s->engine.state, &f, error);
    if (status != JO_OK) return status;
    for (int a = 0; a < 3; a++)
        lo[a] = f.n > 0 ? INFINITY : -1.0, hi[a] = f.n > 0 ? -INFINITY : 1.0;
    double reach = 0.0;
    for (size_t i = 0; i < f.n; i++)
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], f.x[3 * i + (size_t)a] - f.r[i]);
            hi[a] = fmax(hi[a], f.x[3 * i + (size_t)a] + f.r[i]);
            reach = fmax(reach, 0.25 * (hi[a] - lo[a]));
        }
    for (int a = 0; a < 3; a++)
        lo[a] -= reach, hi[a] += reach;
    return JO_OK;
}

static jo_status make_walls(view_live *l, const simulation *s, jo_error *error)
{
    double lo[3], hi[3];
    l->wall_count = s->scene->wall_count;
    l->walls = calloc(l->wall_count + 1, sizeof *l->walls);
    if (l->walls == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for walls");
    jo_status status = find_bounds(s, lo, hi, error);
    for (size_t w = 0; w < l->wall_count && status == JO_OK; w++) {
        wall_shape *shape = &l->walls[w];
        status = jo_wall_triangles(&s->scene->walls[w], s->scene->dim, lo, hi, &shape->triangles,
                                   &shape->count, error);
        if (status == JO_OK) l->triangle_count += shape->count;
    }
    if (status != JO_OK) return status;
    l->posed = malloc((9 * l->triangle_count + 1) * sizeof *l->posed);
    l->owner = malloc((l->triangle_count + 1) * sizeof *l->owner);
    if (l->posed == NULL || l->owner == NULL)
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for walls");
    return JO_OK;
}

/* The triangles where they are now; returns how many there are. */
static size_t pose_walls(view_live *l, const simulation *s)
{
    size_t count = 0;
    for (size_t w = 0; w < l->wall_count; w++) {
        const jo_wall_state state = s->engine.kind->wall(s->engine.state, w);
        const double *pivot = s->scene->walls[w].motion.pivot;
        if (!state.present) continue;
        for (size_t c = 0; c < 3 * l->walls[w].count; c++) {
            const double *from = l->walls[w].triangles + 3 * c;
            double *to = l->posed + 9 * count + 3 * c;
            for (int a = 0; a < 3; a++) {
                to[a] = pivot[a] + state.displacement[a];
                for (int b = 0; b < 3; b++)
                    to[a] += state.rotation[3 * a + b] * (from[b] - pivot[b]);
            }
        }
        for (size_t t = 0; t < l->walls[w].count; t++)
            l->owner[count + t] = (uint32_t)w;
        count += l->walls[w].count;
    }
    return count;
}

/* ---- what the page is told about the run */

static void put_vector(json *j, const char *key, const double *v)
{
    json_array(j, key);
    for (int a = 0; a < 3; a++)
        json_real(j, NULL, v[a]);
    json_end(j);
}

static void put_scene(json *j, const simulation *s)
{
    const jo_scene *scene = s->scene;
    json_string(j, "title", scene->title != NULL ? scene->title : s->name);
    json_string(j, "file", s->name);
    json_string(j, "engine", s->engine.kind->name);
    json_string(j, "unit", s->engine.kind->unit);
    json_integer(j, "dim", (uint64_t)scene->dim);
    json_bool(j, "has_box", scene->has_box);
    put_vector(j, "lo", scene->domain.lo);
    put_vector(j, "hi", scene->domain.hi);
    json_array(j, "periodic");
    for (int a = 0; a < 3; a++)
        json_bool(j, NULL, scene->domain.periodic[a]);
    json_end(j);
    put_vector(j, "gravity", scene->gravity);
    json_real(j, "until", s->until);
    json_array(j, "materials");
    for (size_t k = 0; k < scene->material_count; k++)
        json_string(j, NULL, scene->materials[k].name);
    json_end(j);
    json_array(j, "walls");
    for (size_t k = 0; k < scene->wall_count; k++)
        json_string(j, NULL, scene->walls[k].name);
    json_end(j);
    json_integer(j, "shapes", scene->shape_count);
}

static blob *make_hello(const view_live *l, const simulation *s)
{
    text_message t;
    if (!text_message_start(&t)) return NULL;
    const series *rows = &l->own;
    json_object(&t.j, NULL);
    json_string(&t.j, "type", "hello");
    json_integer(&t.j, "protocol", MESSAGE_VERSION);
    json_string(&t.j, "version", jo_version());
    json_string(&t.j, "mode", "live");
    put_scene(&t.j, s);
    json_array(&t.j, "series");
    for (size_t k = 0; k < rows->columns; k++)
        json_string(&t.j, NULL, rows->names[k]);
    json_end(&t.j);
    json_end(&t.j);
    return text_message_end(&t);
}

static void put_costs(json *j, const simulation *s)
{
    const engine_costs c = s->engine.kind->costs(s->engine.state);
    json_array(j, "stages");
    for (size_t k = 0; k < c.stages; k++) {
        json_object(j, NULL);
        json_string(j, "name", c.stage[k]);
        json_real(j, "seconds", c.seconds[k] - s->begin.seconds[k]);
        json_end(j);
    }
    json_end(j);
    json_object(j, "counters");
    for (size_t k = 0; k < c.counters; k++)
        json_real(j, c.counter[k], c.count[k]);
    json_end(j);
    json_string(j, "search", c.search);
    json_string(j, "rate_unit", s->engine.kind->rate);
    json_real(j, "rate", (c.work - s->begin.work) / fmax(s->advancing, 1e-9));
    json_real(j, "bytes", (double)c.bytes);
}

static void put_alarms(json *j, const simulation *s)
{
    size_t count;
    const jo_alarm *alarms = s->engine.kind->alarms(s->engine.state, &count);
    json_array(j, "alarms");
    for (size_t k = 0; k < count; k++) {
        json_object(j, NULL);
        json_string(j, "kind", jo_alarm_name(alarms[k].kind));
        json_real(j, "time", alarms[k].time);
        json_integer(j, "count", alarms[k].count);
        json_string(j, "text", alarms[k].text);
        json_end(j);
    }
    json_end(j);
}

static void put_contacts(json *j, const simulation *s)
{
    const engine *e = &s->engine;
    const uint32_t n = (uint32_t)(s->scene->material_count < 12 ? s->scene->material_count : 12);
    json_array(j, "contacts");
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a; b < n; b++) {
            const jo_contact_def c = e->kind->contact(e->state, a, b);
            json_object(j, NULL);
            json_integer(j, "a", a);
            json_integer(j, "b", b);
            json_real(j, "friction", c.friction);
            json_real(j, "restitution", c.restitution);
            json_end(j);
        }
    json_end(j);
}

/* What can be changed, and how it is now. */
static void put_controls(json *j, const view_live *l, const simulation *s)
{
    const engine *e = &s->engine;
    double gravity[3];
    if (e->kind->change == NULL) return;
    json_object(j, "controls");
    json_integer(j, "changeable", l->over ? 0 : e->kind->changeable);
    e->kind->gravity(e->state, gravity);
    put_vector(j, "gravity", gravity);
    put_contacts(j, s);
    json_array(j, "walls");
    for (size_t w = 0; w < s->scene->wall_count; w++)
        json_bool(j, NULL, e->kind->wall(e->state, w).present);
    json_end(j);
    json_integer(j, "changes", s->changes.next);
    json_string(j, "last", s->changes.next > 0 ? s->changes.list[s->changes.next - 1].text : "");
    json_integer(j, "refusals", l->refusals);
    json_string(j, "refused", l->refused);
    json_end(j);
}

static void show_status(view_live *l, const simulation *s)
{
    text_message t;
    const engine *e = &s->engine;
    const double now = e->kind->now(e->state);
    if (!text_message_start(&t)) return;
    json_object(&t.j, NULL);
    json_string(&t.j, "type", "status");
    json_string(&t.j, "state", l->state);
    json_real(&t.j, "time", e->kind->time_of(e->state, now));
    json_integer(&t.j, "count", e->kind->count(e->state));
    json_real(&t.j, "share", now / fmax(s->end_tick, 1e-300));
    json_real(&t.j, "seconds", cli_seconds() - s->started);
    json_real(&t.j, "viewer_seconds", l->spent);
    put_costs(&t.j, s);
    put_alarms(&t.j, s);
    put_controls(&t.j, l, s);
    json_end(&t.j);
    viewer_publish(l->v, SLOT_STATUS, text_message_end(&t));
}

/* ---- moments */

/* All that a frame has; bodies' ids, radii and materials with it. */
static jo_status make_whole(view_live *l, const simulation *s, unsigned wants, moment *made,
                            jo_error *error)
{
    const engine *e = &s->engine;
    jo_frame f;
    detail_wishes w = {.told = true};
    w.id_count = viewer_picks(l->v, w.ids);
    w.pair_count = viewer_pairs(l->v, w.pairs);
    jo_status status = JO_OK;
    if ((wants & WANT_LINES) || w.id_count > 0)
        status = e->kind->contacts(e->state, &w.contacts, &w.contact_count, error);
    if (status == JO_OK) status = e->kind->frame(e->state, &f, error);
    if (status == JO_OK)
        status = moment_make(&l->messages, &f, l->index, wants, l->posed, l->owner,
                             pose_walls(l, s), made, error);
    if (status != JO_OK) return status;
    if (wants & WANT_LINES) made->lines = message_lines(&f, w.contacts, w.contact_count, l->index);
    if (w.id_count > 0) made->detail = message_detail(&f, &w);
    if ((wants & WANT_NEXT) && e->kind->upcoming != NULL) {
        jo_hard_event events[EVENTS_TOLD];
        const size_t told = e->kind->upcoming(e->state, events, EVENTS_TOLD);
        made->next = message_next(&f, events, told, l->index);
    }
    find_origin(&f.domain, l->origin);
    return JO_OK;
}

/* The engine's count of bodies that came or went; asked without room for anything else. */
static uint64_t changes_of(const simulation *s)
{
    jo_error error;
    jo_glance g = {0};
    s->engine.kind->glance(s->engine.state, &g, &error);
    return g.changes;
}

/* A glance will do while bodies are the same and nobody wants to know about contacts, or (for
 * layers) how a periodic box is now. */
static bool glance_will_do(const view_live *l, const simulation *s, unsigned wants)
{
    const bool *periodic = s->scene->domain.periodic;
    if ((wants & WANT_EXACT) && (periodic[0] || periodic[1] || periodic[2])) return false;
    return s->engine.kind->glance != NULL && l->messages.bodies != NULL && !l->messages.shaped &&
           (wants & (WANT_LINES | WANT_CONTACTS | WANT_NEXT)) == 0 && changes_of(s) == l->changes;
}

/* A whole frame is asked for where a glance will not do, and for the numbers of bodies that were
 * picked: with many bodies these come less often, but sooner for one that was picked just now. */
static bool whole_is_due(const view_live *l, double now, bool glance_will_do)
{
    uint64_t picks[VIEWER_CLIENTS];
    if (!glance_will_do) return now >= l->whole_soonest;
    if (viewer_picks(l->v, picks) == 0) return false;
    const bool others = viewer_changes(l->v) != l->whole_of;
    return now >= (others ? l->whole_soonest : l->detail_due);
}

static jo_status make_glance(view_live *l, const simulation *s, unsigned wants, moment *made,
                             jo_error *error)
{
    jo_glance g;
    blob *frame = glance_start(&l->messages, l->origin, l->messages.n, wants, &g);
    if (frame == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for a frame");
    const jo_status status = s->engine.kind->glance(s->engine.state, &g, error);
    if (status != JO_OK) {
        blob_drop(frame);
        return status;
    }
    return glance_end(&l->messages, frame, &g, l->index, l->posed, l->owner, pose_walls(l, s), made,
                      error);
}

static jo_status show_moment(view_live *l, simulation *s, bool glance, jo_error *error)
{
    moment made;
    const unsigned wants = viewer_wants(l->v);
    const jo_status status =
        glance ? make_glance(l, s, wants, &made, error) : make_whole(l, s, wants, &made, error);
    if (status != JO_OK) return status;
    if (!glance && s->engine.kind->glance != NULL) l->changes = changes_of(s);
    moment_hand_over(l->v, VIEWER_EVERYONE, &made);
    l->index++;
    l->shown_wants = wants;
    return JO_OK;
}

static void show_row(view_live *l, const simulation *s)
{
    jo_error error = {0};
    if (series_measure(&l->own, &s->engine, &error) == JO_OK)
        viewer_rows(l->v, l->own.values, l->own.columns, 1, &error);
}

/* Time on the clock, and what this thread has worked: on a machine that does other things as well,
 * waiting for a processor is no cost of the viewer's. */
typedef struct moment_of_work {
    double clock, work;
} moment_of_work;

static moment_of_work work_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (moment_of_work){cli_seconds(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

/* When the next one is due: an interval after this one was due, and so late that this one was its
 * share of the time. Steps are whole, so each comes a little late; that does not add up, unless it
 * is late by an interval or more. */
static double next_due(view_live *l, double due, moment_of_work begin, double interval,
                       double share)
{
    const moment_of_work end = work_now();
    const double took = end.work - begin.work;
    l->spent += took;
    return fmax(fmax(due, begin.clock - interval) + interval, end.clock + share * took);
}

/* A glance, or a whole frame if that is due; what each costs puts off its like. So one whole frame
 * of many bodies, for someone who comes, does not keep the glances after it waiting. */
static jo_status show_frame(view_live *l, simulation *s, moment_of_work begin)
{
    jo_error error = {0};
    const bool will_do = glance_will_do(l, s, viewer_wants(l->v));
    const bool whole = whole_is_due(l, begin.clock, will_do);
    const uint64_t present = viewer_changes(l->v);
    jo_status status = JO_OK;
    if (whole || will_do) status = show_moment(l, s, !whole, &error);
    if (whole) {
        const double share = s->engine.kind->glance != NULL ? whole_share : frame_share;
        l->whole_soonest = next_due(l, 0.0, begin, 0.0, share);
        l->detail_due = l->whole_soonest + share * (work_now().work - begin.work);
        l->whole_of = present;
        begin = work_now();
    }
    l->frame_due = next_due(l, l->frame_due, begin, frame_interval, frame_share);
    return status;
}

/* What is due now. A viewer that fails is no reason for the run to fail: it shows nothing then. */
static void show_due(view_live *l, simulation *s)
{
    moment_of_work begin = work_now();
    if (viewer_clients(l->v) == 0) return;
    if (begin.clock >= l->frame_due && show_frame(l, s, begin) != JO_OK)
        l->state = "the viewer has no memory";
    begin = work_now();
    if (begin.clock >= l->status_due) {
        show_status(l, s);
        l->status_due = next_due(l, l->status_due, begin, status_interval, row_share);
        begin = work_now();
    }
    if (l->own_rows && begin.clock >= l->row_due) {
        show_row(l, s);
        l->row_due = next_due(l, l->row_due, begin, row_interval, row_share);
    }
}

/* ---- what watchers ask for */

/* A change that is refused is told on the page; the run goes on as it was. */
static void change_run(view_live *l, simulation *s, const char *text)
{
    jo_error error = {0};
    const jo_status status =
        l->over ? cli_error(&error, JO_ERR_DATA, "the run is over: nothing can be changed any more")
                : simulation_change(s, text, &error);
    l->status_due = l->frame_due = 0.0;
    if (status == JO_OK) return;
    l->refusals++;
    snprintf(l->refused, sizeof l->refused, "%s", error.text);
}

static void obey(view_live *l, simulation *s, const char *line)
{
    if (strcmp(line, "pause") == 0) {
        l->paused = true;
        l->steps = 0;
    } else if (strcmp(line, "go") == 0) {
        l->paused = false;
        l->steps = 0;
    } else if (strncmp(line, "step ", 5) == 0) {
        /* Asked for again before the first were taken: these come on top. */
        const uint64_t more = strtoull(line + 5, NULL, 10);
        l->steps = more < UINT64_MAX - l->steps ? l->steps + more : UINT64_MAX;
        l->paused = l->steps == 0;
        l->stride = 1;
    } else if (strncmp(line, "change ", 7) == 0) {
        change_run(l, s, line + 7);
    }
}

/* While the run is paused the page can still ask for other colours or another body. */
static void rest(view_live *l, simulation *s)
{
    char line[VIEWER_COMMAND];
    jo_error error = {0};
    uint64_t before = viewer_changes(l->v);
    if (!l->over) l->state = "paused";
    show_moment(l, s, false, &error);
    show_status(l, s);
    while ((l->paused || l->over) && !cli_interrupted()) {
        const bool told = viewer_command(l->v, 0.05, line);
        if (told) obey(l, s, line);
        if (told && (l->paused || l->over)) show_status(l, s);
        const uint64_t present = viewer_changes(l->v);
        if (!told && present == before) continue;
        before = present;
        show_moment(l, s, false, &error);
    }
    if (!l->over) l->state = "running";
    l->status_due = 0.0;
}

void view_live_look(view_live *l, simulation *s)
{
    char line[VIEWER_COMMAND];
    while (viewer_command(l->v, 0.0, line))
        obey(l, s, line);
    if (l->paused) rest(l, s);
    show_due(l, s);
}

uint64_t view_live_steps(const view_live *l)
{
    if (l == NULL || l->steps == 0) return 0;
    return l->steps < l->stride ? l->steps : l->stride;
}

/* Output may be due before all are taken: the rest comes after it. Strides grow until they last
 * about as long as a slice, so that a large number of steps can be paused and interrupted. */
void view_live_took(view_live *l, uint64_t steps, double seconds)
{
    if (l == NULL || l->steps == 0) return;
    l->steps -= steps < l->steps ? steps : l->steps;
    l->paused = l->steps == 0;
    if (seconds < 0.25 * frame_interval && l->stride < UINT64_MAX / 2) l->stride *= 2;
    if (seconds > frame_interval && l->stride > 1) l->stride /= 2;
}

double view_live_slice(const view_live *l, double otherwise)
{
    if (l == NULL || viewer_clients(l->v) == 0) return otherwise;
    const double left = l->frame_due - cli_seconds();
    return fmin(otherwise, fmin(0.5 * frame_interval, fmax(left, 0.001)));
}

void view_live_row(view_live *l, const double *values, size_t columns)
{
    jo_error error = {0};
    if (l != NULL) viewer_rows(l->v, values, columns, 1, &error);
}

/* ---- beginning and end */

static void free_live(view_live *l, double patience)
{
    viewer_stop(l->v, patience);
    messenger_free(&l->messages);
    for (size_t w = 0; w < l->wall_count && l->walls != NULL; w++)
        free(l->walls[w].triangles);
    free(l->walls);
    free(l->posed);
    free(l->owner);
    series_free(&l->own);
    free(l);
}

void view_live_free(view_live *l)
{
    if (l != NULL) free_live(l, 0.0);
}

jo_status view_live_start(const simulation *s, view_live **made, jo_error *error)
{
    const view_choice *choice = &s->options->view;
    *made = NULL;
    if (!choice->on) return JO_OK;
    view_live *l = calloc(1, sizeof *l);
    if (l == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for the viewer");
    l->state = "running";
    l->paused = choice->pause;
    l->own_rows = isnan(s->scene->outputs.series);
    jo_status status = make_walls(l, s, error);
    if (status == JO_OK) status = series_start(&l->own, s->scene, error);
    if (status == JO_OK) status = viewer_start(&choice->server, &l->v, error);
    if (status != JO_OK) {
        free_live(l, 0.0);
        return status;
    }
    viewer_publish(l->v, SLOT_HELLO, make_hello(l, s));
    *made = l;
    return JO_OK;
}

void view_live_begin(view_live *l, simulation *s)
{
    char line[VIEWER_COMMAND];
    if (l == NULL) return;
    cli_note("watch it: %s%s", viewer_url(l->v),
             l->paused               ? " (it begins when someone there says so)"
             : s->options->view.wait ? " (it begins when someone looks)"
                                     : "");
    while (s->options->view.wait && viewer_clients(l->v) == 0 && !cli_interrupted())
        if (viewer_command(l->v, 0.05, line)) obey(l, s, line);
    if (s->options->view.wait) s->started = cli_seconds(); /* waiting is no part of the run */
}

/* After the end, for those who still look. */
static void stay(view_live *l, simulation *s)
{
    cli_note("the run is over; the viewer stays until Ctrl-C: %s", viewer_url(l->v));
    while (!cli_interrupted())
        rest(l, s);
}

void view_live_end(view_live *l, simulation *s)
{
    static const char *const outcomes[] = {"complete", "interrupted", "blew up", "failed"};
    jo_error error = {0};
    if (l == NULL) return;
    l->state = outcomes[s->outcome];
    l->over = true;
    show_moment(l, s, false, &error);
    show_status(l, s);
    if (s->options->view.keep) stay(l, s);
    free_live(l, 1.0);
}
