/* jostle/trajectory.h — what a run writes, and how it is read back.
 *
 * Trajectories are H5MD 1.1 (HDF5); without HDF5 those functions return JO_ERR_UNSUPPORTED. Every
 * file is either whole or, while it grows, readable up to its last complete frame: a process killed
 * at any moment leaves nothing corrupt. */
#ifndef JOSTLE_TRAJECTORY_H
#define JOSTLE_TRAJECTORY_H

#include "jostle/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- H5MD trajectory ---- */
typedef struct jo_trajectory jo_trajectory;

/* Creates the file, or opens one for going on: frames later than `step` are then cut off. The scene
 * is stored with it (its source, walls as triangles for pictures). */
JO_API jo_status jo_trajectory_create(const char *path, const jo_scene *scene,
                                      jo_trajectory **trajectory, jo_error *error);
JO_API jo_status jo_trajectory_continue(const char *path, uint64_t step, jo_trajectory **trajectory,
                                        jo_error *error);
/* Appends a frame; contacts may be NULL. Walls' present poses are kept with the frame. */
JO_API jo_status jo_trajectory_append(jo_trajectory *trajectory, const jo_frame *frame,
                                      const jo_wall_state *walls, size_t wall_count,
                                      const jo_soft_contact *contacts, size_t contact_count,
                                      jo_error *error);
/* Appends a row to the observables (the same columns as series.csv), names[0] being "time". */
JO_API jo_status jo_trajectory_observe(jo_trajectory *trajectory, uint64_t step,
                                       const char *const *names, const double *values, size_t count,
                                       jo_error *error);
JO_API jo_status jo_trajectory_close(jo_trajectory *trajectory, jo_error *error); /* NULL is fine */

/* Reading; also while another process writes. */
typedef struct jo_replay jo_replay;
JO_API jo_status jo_replay_open(const char *path, jo_replay **replay, jo_error *error);
JO_API void jo_replay_close(jo_replay *replay);
JO_API size_t jo_replay_frames(const jo_replay *replay);
/* Frame k; owned by the replay, valid until its next call. */
JO_API jo_status jo_replay_frame(jo_replay *replay, size_t k, jo_frame *frame, jo_error *error);
/* Walls' triangles (9 doubles each) as posed in frame k, with the wall each belongs to; owned. */
JO_API jo_status jo_replay_walls(jo_replay *replay, size_t k, const double **triangles,
                                 const uint32_t **wall, size_t *count, jo_error *error);
/* Observables: column names and values (rows x columns); owned. */
JO_API jo_status jo_replay_series(jo_replay *replay, const char *const **names, size_t *columns,
                                  const double **values, size_t *rows, jo_error *error);
/* The text of the scene file it was made from; "" if there was none. Owned. */
JO_API const char *jo_replay_scene(const jo_replay *replay);
/* Its title, and the name of material k; "" where there is none. Owned. */
JO_API const char *jo_replay_title(const jo_replay *replay);
JO_API const char *jo_replay_material(const jo_replay *replay, size_t k);

/* ---- checkpoints: HDF5, written beside and renamed ---- */
JO_API jo_status jo_checkpoint_write(const char *path, const jo_scene *scene,
                                     const jo_chunk *chunks, size_t count, jo_error *error);
/* Chunks read back; owned: free with jo_checkpoint_free. scene_text is the scene's source and
 * folder the one its paths are relative to; geometry is what it was read from
 * (jo_scene_parse_checkpoint). */
typedef struct jo_checkpoint {
    jo_chunk *chunks;
    size_t count;
    char *scene_text, *scene_folder;
    size_t geometry_count;
    jo_geometry_file *geometry;
} jo_checkpoint;
JO_API jo_status jo_checkpoint_read(const char *path, jo_checkpoint *checkpoint, jo_error *error);
JO_API void jo_checkpoint_free(jo_checkpoint *checkpoint);

/* ---- other formats ---- */
/* One frame as VTP with raw appended data (bodies as points; contacts, where given, as lines). */
JO_API jo_status jo_vtp_write(const char *path, const jo_frame *frame,
                              const jo_soft_contact *contacts, size_t contact_count,
                              jo_error *error);
/* The polyhedra or polygons of a frame: faces, each with its body's id, material, speed and
 * contacts. */
JO_API jo_status jo_vtp_shapes_write(const char *path, const jo_frame *frame, jo_error *error);
/* Walls as posed: triangles. */
JO_API jo_status jo_vtp_walls_write(const char *path, const jo_scene *scene,
                                    const jo_wall_state *walls, jo_error *error);
/* The collection of files written so far, with their times: rewritten whole each time. */
JO_API jo_status jo_pvd_write(const char *path, const char *const *files, const double *times,
                              size_t count, jo_error *error);
/* Appends a frame to a LAMMPS dump (id type x y z radius vx vy vz omegax …); truncates the file to
 * whole frames not later than the frame's step first. */
JO_API jo_status jo_dump_append(const char *path, const jo_frame *frame, jo_error *error);

/* A wall as triangles for pictures (9 doubles each, owned by the caller: free()), in its own frame.
 * Planes are cut to the box given by lo and hi. In 2D: segments as degenerate triangles. */
JO_API jo_status jo_wall_triangles(const jo_wall *wall, int dim, const double lo[3],
                                   const double hi[3], double **triangles, size_t *count,
                                   jo_error *error);

#ifdef __cplusplus
}
#endif
#endif
