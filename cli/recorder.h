/* recorder.h — everything a run writes, when it is due. */
#ifndef CLI_RECORDER_H
#define CLI_RECORDER_H

#include "changes.h"
#include "engines.h"
#include "rundir.h"
#include "series.h"

typedef enum record {
    RECORD_MEASURE, /* computing the row, whatever it goes to */
    RECORD_SERIES,
    RECORD_TRAJECTORY,
    RECORD_VTP,
    RECORD_DUMP,
    RECORD_EVENTS, /* as they happen, by the engine itself */
    RECORD_CHECKPOINT,
    RECORDS
} record;

/* When an output is due: at interval * 0, 1, 2 …, each taken to the nearest tick by itself, so that
 * nothing adds up. */
typedef struct schedule {
    double interval; /* NaN: never */
    uint64_t index;  /* of the next one */
    double tick;     /* of the next one; infinite: never */
} schedule;

typedef struct recorder {
    const jo_scene *scene;
    const engine *engine;
    rundir folder;
    schedule due[RECORDS];
    series rows;
    jo_trajectory *trajectory;
    jo_wall_state *walls;
    char **vtp_files; /* names relative to the folder, bodies, walls and shapes in turns */
    double *vtp_times;
    size_t vtp_count, vtp_capacity; /* pairs of files */
    double until;                   /* the run's end, kept in checkpoints */
    bool present;                   /* what is due at the present tick is written */
    bool no_checkpoints;            /* this build has no HDF5 */
    double checkpoint_time;         /* simulated time of the last one; NaN: none */
    double checkpoint_clock;        /* cli_seconds() of the last one */
    double seconds[RECORDS];
    uint64_t calls[RECORDS];
} recorder;

extern const char *const record_names[RECORDS];
/* The files they go to, relative to the folder; NULL for measures. */
extern const char *const record_files[RECORDS];

/* Whether the intervals make sense for a run up to `until`. */
jo_status recorder_check(const jo_scene *scene, double until, jo_error *error);

/* Opens the folder for a new run and writes the first checkpoint, so that the run can be resumed
 * from here on, with the changes that are to be made. */
jo_status recorder_start(recorder *r, const jo_scene *scene, const engine *e, const char *folder,
                         rundir_use use, double until, const changes *to_come, jo_error *error);
/* Opens the folder to go on from a checkpoint. RUNDIR_GO_ON: it is the run's own, files are cut to
 * the checkpoint's moment; otherwise they begin there. */
jo_status recorder_continue(recorder *r, const jo_scene *scene, const engine *e, const char *folder,
                            rundir_use use, double until, const jo_checkpoint *from,
                            const changes *to_come, jo_error *error);
/* Closes every file; to be called after a failure, too. Zeroed is fine. */
jo_status recorder_close(recorder *r, jo_error *error);

/* The next tick at which something is due; infinite: never. */
double recorder_next(const recorder *r);
/* Writes what is due now; a checkpoint also when the last one is old by the clock. */
jo_status recorder_write(recorder *r, jo_error *error);
jo_status recorder_checkpoint(recorder *r, jo_error *error);
/* The state as it is after a blow-up: a trajectory of one frame, and a VTP. */
jo_status recorder_postmortem(recorder *r, jo_error *error);

/* Checkpoints also hold what the program itself must know to go on. Copies the others, which
 * are the engine's, to `others` (room for count), and tells the end that the run was to have. */
jo_status recorder_read_chunks(const jo_chunk *chunks, size_t count, jo_chunk *others,
                               size_t *other_count, double *until, jo_error *error);

#endif
