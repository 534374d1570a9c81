/* recorder.c — everything a run writes, when it is due.
 *
 * The order at one moment is measures, series, trajectory, VTP, dump, and the checkpoint last: a
 * checkpoint states that everything up to its moment is in the files. Resuming cuts the files back
 * to that moment and goes on, so the files of a run that was stopped (or killed, any number of
 * times) end up the same as those of a run that was not. The one exception is the first checkpoint,
 * written before anything else; its run begins anew. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "recorder.h"

const char *const record_names[RECORDS] = {"measure", "series",    "trajectory", "vtp",
                                           "dump",    "event_log", "checkpoint"};
const char *const record_files[RECORDS] = {NULL,           "series.csv",     "trajectory.h5",
                                           "run.pvd",      "dump.lammpstrj", "events.csv",
                                           "checkpoint.h5"};

enum { PATH = RUNDIR_PATH + 64, VTP_KINDS = 3 };

static const char *const vtp_kinds[VTP_KINDS] = {"bodies", "walls", "shapes"};

/* ---- when */

static double interval_of(const jo_outputs *o, record kind)
{
    switch (kind) {
    case RECORD_SERIES:
        return o->series;
    case RECORD_TRAJECTORY:
        return o->trajectory;
    case RECORD_VTP:
        return o->vtp;
    case RECORD_DUMP:
        return o->dump;
    case RECORD_CHECKPOINT:
        return o->checkpoint;
    default:
        return NAN;
    }
}

jo_status recorder_check(const jo_scene *scene, double until, jo_error *error)
{
    const double most = JO_WRITES_MAX; /* --until may be longer than the scene's duration */
    for (int k = 0; k < RECORDS; k++) {
        const double interval = interval_of(&scene->outputs, (record)k);
        if (isnan(interval)) continue;
        if (!(interval > 0.0))
            return cli_error(error, JO_ERR_DATA,
                             "output: %s every %g: the interval must be above 0", record_names[k],
                             interval);
        if (until / interval > most)
            return cli_error(
                error, JO_ERR_DATA,
                "output: %s every %g would be written %.3g times until %g; more than %g "
                "is surely not meant",
                record_names[k], interval, until / interval, until, most);
    }
    return JO_OK;
}

/* Finds the first moment after `tick`. */
static void schedule_after(schedule *s, const engine *e, double tick)
{
    s->tick = INFINITY;
    if (isnan(s->interval)) return;
    const double guess = floor(e->kind->time_of(e->state, tick) / s->interval) - 1.0;
    s->index = guess > 0.0 ? (uint64_t)guess : 0;
    do /* at most a few: interval and step are comparable, see recorder_check */
        s->tick = e->kind->tick(e->state, (double)s->index++ * s->interval);
    while (s->tick <= tick);
    s->index--;
}

static void schedule_all(recorder *r, double after)
{
    for (int k = 0; k < RECORDS; k++) {
        r->due[k].interval = interval_of(&r->scene->outputs, (record)k);
        schedule_after(&r->due[k], r->engine, after);
    }
}

double recorder_next(const recorder *r)
{
    double next = INFINITY;
    for (int k = 0; k < RECORDS; k++)
        next = fmin(next, r->due[k].tick);
    return next;
}

/* ---- opening and closing */

static jo_status path_of(const recorder *r, const char *name, char *path, jo_error *error)
{
    return rundir_path(&r->folder, name, path, PATH, error);
}

static jo_status prepare(recorder *r, const jo_scene *scene, const engine *e, const char *folder,
                         rundir_use use, double until, jo_error *error)
{
    *r = (recorder){.scene = scene,
                    .engine = e,
                    .until = until,
                    .folder = {.lock = -1},
                    .checkpoint_time = NAN,
                    .checkpoint_clock = cli_seconds()};
    r->walls = calloc(scene->wall_count + 1, sizeof *r->walls);
    if (r->walls == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for the walls");
    const jo_status status = series_start(&r->rows, scene, error);
    if (status != JO_OK) return status;
    return rundir_open(&r->folder, folder, use, error);
}

static bool wanted(const recorder *r, record kind)
{
    return !isnan(interval_of(&r->scene->outputs, kind));
}

static jo_status create_series(recorder *r, jo_error *error)
{
    char path[PATH];
    const jo_status status = path_of(r, record_files[RECORD_SERIES], path, error);
    return status != JO_OK ? status : series_create(&r->rows, path, error);
}

static jo_status create_trajectory(recorder *r, jo_error *error)
{
    char path[PATH];
    const jo_status status = path_of(r, record_files[RECORD_TRAJECTORY], path, error);
    return status != JO_OK ? status : jo_trajectory_create(path, r->scene, &r->trajectory, error);
}

static jo_status make_vtp_folder(recorder *r, jo_error *error)
{
    char path[PATH];
    const jo_status status = path_of(r, "vtp", path, error);
    return status != JO_OK ? status : output_folder(path, error);
}

/* Begins the log of events, or goes on with it: the engine appends to it. */
static jo_status log_events(recorder *r, jo_error *error)
{
    char path[PATH];
    if (!r->scene->outputs.events || r->engine->kind->log_events == NULL) return JO_OK;
    const jo_status status = path_of(r, record_files[RECORD_EVENTS], path, error);
    return status != JO_OK ? status : r->engine->kind->log_events(r->engine->state, path, error);
}

static jo_status create_files(recorder *r, jo_error *error)
{
    jo_status status = log_events(r, error);
    if (status != JO_OK) return status;
    if (wanted(r, RECORD_SERIES)) status = create_series(r, error);
    if (status == JO_OK && wanted(r, RECORD_TRAJECTORY)) status = create_trajectory(r, error);
    if (status == JO_OK && wanted(r, RECORD_VTP)) status = make_vtp_folder(r, error);
    return status;
}

jo_status recorder_start(recorder *r, const jo_scene *scene, const engine *e, const char *folder,
                         rundir_use use, double until, const changes *to_come, jo_error *error)
{
    jo_status status = prepare(r, scene, e, folder, use, until, error);
    if (status == JO_OK) status = changes_save(to_come, &r->folder, error);
    if (status == JO_OK) status = recorder_checkpoint(r, error);
    if (status != JO_OK) return status;
    schedule_all(r, -1.0);
    return create_files(r, error);
}

jo_status recorder_close(recorder *r, jo_error *error)
{
    if (r->scene == NULL) return JO_OK;
    const jo_status status = jo_trajectory_close(r->trajectory, error);
    series_free(&r->rows);
    rundir_close(&r->folder);
    for (size_t k = 0; k < VTP_KINDS * r->vtp_count; k++)
        free(r->vtp_files[k]);
    free(r->vtp_files);
    free(r->vtp_times);
    free(r->walls);
    *r = (recorder){0};
    return status;
}

/* ---- writing */

static void clock_stop(recorder *r, record kind, double started)
{
    r->seconds[kind] += cli_seconds() - started;
    r->calls[kind]++;
}

static void read_walls(recorder *r)
{
    for (size_t w = 0; w < r->scene->wall_count; w++)
        r->walls[w] = r->engine->kind->wall(r->engine->state, w);
}

/* Bodies, and their contacts if the scene wants them. */
static jo_status snapshot(recorder *r, jo_frame *frame, const jo_soft_contact **contacts,
                          size_t *count, jo_error *error)
{
    const engine *e = r->engine;
    *contacts = NULL;
    *count = 0;
    jo_status status = JO_OK;
    if (r->scene->outputs.contacts) status = e->kind->contacts(e->state, contacts, count, error);
    if (status == JO_OK) status = e->kind->frame(e->state, frame, error);
    if (status == JO_OK && !r->scene->outputs.triangulation) frame->sides = NULL;
    if (status == JO_OK) read_walls(r);
    return status;
}

static jo_status write_series(recorder *r, jo_error *error)
{
    double started = cli_seconds();
    jo_status status = series_measure(&r->rows, r->engine, error);
    clock_stop(r, RECORD_MEASURE, started);
    if (status != JO_OK) return status;
    started = cli_seconds();
    status = series_append(&r->rows, error);
    if (status == JO_OK && r->trajectory != NULL)
        status = jo_trajectory_observe(r->trajectory, r->engine->kind->count(r->engine->state),
                                       r->rows.names, r->rows.values, r->rows.columns, error);
    clock_stop(r, RECORD_SERIES, started);
    return status;
}

static jo_status write_trajectory(recorder *r, jo_error *error)
{
    jo_frame frame;
    const jo_soft_contact *contacts;
    size_t count;
    const double started = cli_seconds();
    jo_status status = snapshot(r, &frame, &contacts, &count, error);
    if (status == JO_OK)
        status = jo_trajectory_append(r->trajectory, &frame, r->walls, r->scene->wall_count,
                                      contacts, count, error);
    clock_stop(r, RECORD_TRAJECTORY, started);
    return status;
}

/* Remembers the VTP files with this number. */
static jo_status list_vtp(recorder *r, uint64_t index, double time, jo_error *error)
{
    char name[64];
    if (r->vtp_count == r->vtp_capacity) {
        const size_t capacity = r->vtp_capacity > 0 ? 2 * r->vtp_capacity : 64;
        char **files = realloc(r->vtp_files, VTP_KINDS * capacity * sizeof *files);
        if (files != NULL) r->vtp_files = files;
        double *times = realloc(r->vtp_times, capacity * sizeof *times);
        if (times != NULL) r->vtp_times = times;
        if (files == NULL || times == NULL)
            return cli_error(error, JO_ERR_MEMORY, "not enough memory for a list of files");
        r->vtp_capacity = capacity;
    }
    char **names = r->vtp_files + VTP_KINDS * r->vtp_count;
    bool fine = true;
    for (int k = 0; k < VTP_KINDS; k++) {
        rundir_vtp_name(vtp_kinds[k], index, name, sizeof name);
        names[k] = strdup(name);
        fine = fine && names[k] != NULL;
    }
    for (int k = 0; k < VTP_KINDS && !fine; k++)
        free(names[k]);
    if (!fine) return cli_error(error, JO_ERR_MEMORY, "not enough memory for a list of files");
    r->vtp_times[r->vtp_count++] = time;
    return JO_OK;
}

/* run.pvd lists the bodies' files (first = 0), walls.pvd the walls', shapes.pvd those of
 * polyhedra. */
static jo_status write_pvd(recorder *r, const char *name, size_t first, jo_error *error)
{
    char path[PATH];
    jo_status status = path_of(r, name, path, error);
    if (status != JO_OK) return status;
    const char **files = calloc(r->vtp_count + 1, sizeof *files);
    if (files == NULL)
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for a list of files");
    for (size_t k = 0; k < r->vtp_count; k++)
        files[k] = r->vtp_files[VTP_KINDS * k + first];
    status = jo_pvd_write(path, files, r->vtp_times, r->vtp_count, error);
    free(files);
    return status;
}

static jo_status write_vtp(recorder *r, jo_error *error)
{
    jo_frame frame;
    const jo_soft_contact *contacts;
    size_t count;
    char path[PATH];
    const bool walls = r->scene->wall_count > 0;
    const double started = cli_seconds();
    jo_status status = snapshot(r, &frame, &contacts, &count, error);
    if (status == JO_OK) status = list_vtp(r, r->due[RECORD_VTP].index, frame.time, error);
    if (status != JO_OK) return status;
    char *const *pair = r->vtp_files + VTP_KINDS * (r->vtp_count - 1);
    const bool shapes = frame.shape != NULL || frame.outline_first != NULL;
    status = path_of(r, pair[0], path, error);
    if (status == JO_OK) status = jo_vtp_write(path, &frame, contacts, count, error);
    if (status == JO_OK && walls) status = path_of(r, pair[1], path, error);
    if (status == JO_OK && walls) status = jo_vtp_walls_write(path, r->scene, r->walls, error);
    if (status == JO_OK && shapes) status = path_of(r, pair[2], path, error);
    if (status == JO_OK && shapes) status = jo_vtp_shapes_write(path, &frame, error);
    if (status == JO_OK) status = write_pvd(r, record_files[RECORD_VTP], 0, error);
    if (status == JO_OK && walls) status = write_pvd(r, "walls.pvd", 1, error);
    if (status == JO_OK && shapes) status = write_pvd(r, "shapes.pvd", 2, error);
    clock_stop(r, RECORD_VTP, started);
    return status;
}

static jo_status write_dump(recorder *r, jo_error *error)
{
    jo_frame frame;
    char path[PATH];
    const double started = cli_seconds();
    jo_status status = path_of(r, record_files[RECORD_DUMP], path, error);
    if (status == JO_OK) status = r->engine->kind->frame(r->engine->state, &frame, error);
    if (status == JO_OK) status = jo_dump_append(path, &frame, error);
    clock_stop(r, RECORD_DUMP, started);
    return status;
}

jo_status recorder_write(recorder *r, jo_error *error)
{
    static jo_status (*const writers[RECORDS])(recorder *, jo_error *) = {
        [RECORD_SERIES] = write_series,
        [RECORD_TRAJECTORY] = write_trajectory,
        [RECORD_VTP] = write_vtp,
        [RECORD_DUMP] = write_dump,
        [RECORD_CHECKPOINT] = recorder_checkpoint,
    };
    const double now = r->engine->kind->now(r->engine->state);
    r->present = true; /* for the checkpoint, which comes last */
    for (int k = 0; k < RECORDS; k++) {
        if (r->due[k].tick > now) continue;
        const jo_status status = writers[k](r, error);
        if (status != JO_OK) return status;
        schedule_after(&r->due[k], r->engine, now);
    }
    if (cli_seconds() - r->checkpoint_clock > r->scene->outputs.checkpoint_wall)
        return recorder_checkpoint(r, error);
    return JO_OK;
}

jo_status recorder_postmortem(recorder *r, jo_error *error)
{
    jo_frame frame;
    const jo_soft_contact *contacts;
    size_t count;
    char path[PATH];
    jo_trajectory *one = NULL;
    jo_status status = snapshot(r, &frame, &contacts, &count, error);
    if (status == JO_OK) status = path_of(r, "postmortem.vtp", path, error);
    if (status == JO_OK) status = jo_vtp_write(path, &frame, contacts, count, error);
    if (status == JO_OK) status = path_of(r, "postmortem.h5", path, error);
    if (status == JO_OK) status = jo_trajectory_create(path, r->scene, &one, error);
    if (status != JO_OK) return status;
    status =
        jo_trajectory_append(one, &frame, r->walls, r->scene->wall_count, contacts, count, error);
    jo_error later = {0};
    const jo_status closed = jo_trajectory_close(one, status == JO_OK ? error : &later);
    return status != JO_OK ? status : closed;
}

/* ---- checkpoints */

/* The program's own chunks; the engine's never begin with "run.". */
static const char chunk_until[] = "run.until", chunk_present[] = "run.present",
                  chunk_gates[] = "run.gates";
enum { OWN_CHUNKS = 3 };

static void add_chunk(jo_chunk *chunks, size_t *count, const char *name, jo_chunk_type type,
                      const void *data, size_t elements)
{
    jo_chunk *c = &chunks[(*count)++];
    *c = (jo_chunk){.type = type, .count = elements, .data = data};
    snprintf(c->name, sizeof c->name, "%s", name);
}

jo_status recorder_checkpoint(recorder *r, jo_error *error)
{
    jo_chunk chunks[JO_CHUNKS_MAX + OWN_CHUNKS];
    size_t count = 0;
    char path[PATH];
    const engine *e = r->engine;
    const size_t gates = r->scene->gate_count;
    const double started = cli_seconds();
    if (r->no_checkpoints) return JO_OK;
    double *gate_values = malloc((gates + 1) * sizeof *gate_values);
    if (gate_values == NULL)
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for the gates");
    gate_values[0] = r->rows.previous_time;
    memcpy(gate_values + 1, r->rows.previous_mass, gates * sizeof *gate_values);
    const uint8_t present = r->present;
    jo_status status = e->kind->save(e->state, chunks, &count, error);
    if (status == JO_OK) {
        add_chunk(chunks, &count, chunk_until, JO_CHUNK_F64, &r->until, 1);
        add_chunk(chunks, &count, chunk_present, JO_CHUNK_U8, &present, 1);
        add_chunk(chunks, &count, chunk_gates, JO_CHUNK_F64, gate_values, gates + 1);
        status = path_of(r, record_files[RECORD_CHECKPOINT], path, error);
    }
    if (status == JO_OK) status = jo_checkpoint_write(path, r->scene, chunks, count, error);
    free(gate_values);
    clock_stop(r, RECORD_CHECKPOINT, started);
    r->checkpoint_clock = cli_seconds();
    if (status == JO_ERR_UNSUPPORTED) {
        r->no_checkpoints = true;
        cli_note("note: %s; this run cannot be resumed", error->text);
        return JO_OK;
    }
    if (status == JO_OK) r->checkpoint_time = e->kind->time_of(e->state, e->kind->now(e->state));
    return status;
}

static const jo_chunk *find_chunk(const jo_chunk *chunks, size_t count, const char *name,
                                  jo_chunk_type type, size_t elements)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(chunks[k].name, name) == 0 && chunks[k].type == type &&
            chunks[k].count == elements)
            return &chunks[k];
    return NULL;
}

jo_status recorder_read_chunks(const jo_chunk *chunks, size_t count, jo_chunk *others,
                               size_t *other_count, double *until, jo_error *error)
{
    *other_count = 0;
    for (size_t k = 0; k < count; k++)
        if (strncmp(chunks[k].name, "run.", 4) != 0) others[(*other_count)++] = chunks[k];
    const jo_chunk *end = find_chunk(chunks, count, chunk_until, JO_CHUNK_F64, 1);
    if (end == NULL || !(*(const double *)end->data > 0.0))
        return cli_error(error, JO_ERR_DATA, "it does not say how long the run was to be (%s)",
                         chunk_until);
    *until = *(const double *)end->data;
    return JO_OK;
}

/* ---- going on */

/* A file that is not there (an output folder of one's own) begins at the checkpoint's moment. */
static jo_status continue_files(recorder *r, jo_error *error)
{
    const engine *e = r->engine;
    char path[PATH];
    const double time = e->kind->time_of(e->state, e->kind->now(e->state));
    jo_status status = log_events(r, error);
    if (status != JO_OK) return status;
    if (wanted(r, RECORD_SERIES) && !rundir_has(&r->folder, record_files[RECORD_SERIES]))
        status = create_series(r, error);
    else if (wanted(r, RECORD_SERIES)) {
        status = path_of(r, record_files[RECORD_SERIES], path, error);
        if (status == JO_OK) status = series_continue(&r->rows, path, time, error);
    }
    if (status != JO_OK || !wanted(r, RECORD_TRAJECTORY)) return status;
    if (!rundir_has(&r->folder, record_files[RECORD_TRAJECTORY]))
        return create_trajectory(r, error);
    status = path_of(r, record_files[RECORD_TRAJECTORY], path, error);
    if (status != JO_OK) return status;
    return jo_trajectory_continue(path, e->kind->count(e->state), &r->trajectory, error);
}

/* The VTP files up to now are listed, later ones (of a run that was killed) are removed. */
static jo_status continue_vtp(recorder *r, jo_error *error)
{
    const engine *e = r->engine;
    const uint64_t next = r->due[RECORD_VTP].index;
    char name[64], path[PATH];
    jo_status status = make_vtp_folder(r, error);
    double last = -1.0;
    for (uint64_t k = 0; status == JO_OK && k < next; k++) {
        const double tick = e->kind->tick(e->state, (double)k * r->due[RECORD_VTP].interval);
        rundir_vtp_name("bodies", k, name, sizeof name);
        if (tick > last && rundir_has(&r->folder, name))
            status = list_vtp(r, k, e->kind->time_of(e->state, tick), error);
        last = tick;
    }
    for (int kind = 0; kind < VTP_KINDS; kind++)
        for (uint64_t k = next; status == JO_OK; k++) {
            rundir_vtp_name(vtp_kinds[kind], k, name, sizeof name);
            status = path_of(r, name, path, error);
            if (status != JO_OK || unlink(path) != 0) break;
        }
    return status;
}

jo_status recorder_continue(recorder *r, const jo_scene *scene, const engine *e, const char *folder,
                            rundir_use use, double until, const jo_checkpoint *from,
                            const changes *to_come, jo_error *error)
{
    const jo_chunk *present = find_chunk(from->chunks, from->count, chunk_present, JO_CHUNK_U8, 1);
    const jo_chunk *gates =
        find_chunk(from->chunks, from->count, chunk_gates, JO_CHUNK_F64, scene->gate_count + 1);
    if (present == NULL || gates == NULL)
        return cli_error(error, JO_ERR_DATA, "the checkpoint lacks %s",
                         present == NULL ? chunk_present : chunk_gates);
    jo_status status = prepare(r, scene, e, folder, use, until, error);
    if (status == JO_OK) status = changes_save(to_come, &r->folder, error);
    if (status != JO_OK) return status;
    r->present = *(const uint8_t *)present->data != 0;
    r->checkpoint_time = e->kind->time_of(e->state, e->kind->now(e->state));
    const double *values = gates->data;
    r->rows.previous_time = values[0];
    memcpy(r->rows.previous_mass, values + 1, scene->gate_count * sizeof *values);
    schedule_all(r, r->present ? e->kind->now(e->state) : -1.0);
    if (use != RUNDIR_GO_ON)
        status = recorder_checkpoint(r, error); /* before any other file, as at a start */
    if (status != JO_OK) return status;
    if (!r->present) return create_files(r, error);
    status = continue_files(r, error);
    if (status == JO_OK && wanted(r, RECORD_VTP)) status = continue_vtp(r, error);
    return status;
}
