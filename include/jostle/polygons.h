/* jostle/polygons.h — hard polygons as scenes describe them: jostle/kinetic.h with walls, a box
 * that bodies leave, and what a run measures and saves.
 *
 *     jo_polygons *polygons;
 *     jo_polygons_create(&scene, NULL, &polygons, &error);   // scene.engine is "kinetic"
 *     jo_polygons_advance(polygons, 1.0, 0, &error);
 *     jo_polygons_frame(polygons, &frame, &error);
 *     jo_polygons_destroy(polygons);
 *
 * Walls are polygons: one around everything, which stands still, and any number inside of it, which
 * may move. A wall that moves otherwise than at constant velocity and spin about its own centre of
 * mass moves in straight pieces, JO_POLYGONS_PIECES of them in a period, that begin and end where
 * it should be. A wall whose time ends is taken away; bodies whose centres leave the scene's box
 * are removed, or an alarm besides, as the scene says; they are looked for at fixed times.
 *
 * A jo_polygons is used by one thread at a time, and uses no other. Runs are the same to the last
 * bit however they are cut into calls, and when they are saved and restored on the way. */
#ifndef JOSTLE_POLYGONS_H
#define JOSTLE_POLYGONS_H

#include "jostle/kinetic.h"
#include "jostle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JO_POLYGONS_PIECES 32

typedef struct jo_polygons jo_polygons;

typedef struct jo_polygons_options {
    jo_progress progress; /* while bodies are being placed; may be NULL */
    void *progress_context;
} jo_polygons_options;
JO_API jo_polygons_options jo_polygons_options_default(void);

/* Places the scene's bodies and triangulates the space between. The scene is copied as far as it is
 * needed. JO_ERR_DATA where bodies or walls touch, overlap or are outside of the wall around,
 * naming them, or where the scene asks for what the engine has not. options may be NULL. */
JO_API jo_status jo_polygons_create(const jo_scene *scene, const jo_polygons_options *options,
                                    jo_polygons **polygons, jo_error *error);
/* The same with bodies made by the caller; they need outlines. */
JO_API jo_status jo_polygons_create_with(const jo_scene *scene, const jo_population *bodies,
                                         jo_polygons **polygons, jo_error *error);
JO_API void jo_polygons_destroy(jo_polygons *polygons); /* NULL is fine */

/* Goes on to the time `until`, or for `events` flips and collisions (0: no limit), whichever comes
 * first. JO_ERR_PHYSICS where time stands still, naming the bodies. */
JO_API jo_status jo_polygons_advance(jo_polygons *polygons, double until, uint64_t events,
                                     jo_error *error);
JO_API double jo_polygons_time(const jo_polygons *polygons);
JO_API uint64_t jo_polygons_event_count(const jo_polygons *polygons);

/* Bodies now, in order of their ids, walls not among them: outlines, the sides of the
 * triangulation, what happened last. Owned by the engine, valid until its next call. */
JO_API jo_status jo_polygons_frame(jo_polygons *polygons, jo_frame *frame, jo_error *error);
/* The triangulation with everything in it: walls follow the bodies, with ids from JO_POLYGONS_WALL
 * on. */
#define JO_POLYGONS_WALL ((uint64_t)1 << 62)
JO_API jo_status jo_polygons_look(jo_polygons *polygons, jo_kinetic_frame *frame, jo_error *error);

/* Energies: dissipated in collisions; work is that of moving walls and of the least speed of
 * parting. Contacts take no time, so there are none; stress is that of the motion alone. */
JO_API jo_status jo_polygons_measure(jo_polygons *polygons, jo_measures *measures, jo_error *error);
/* Forces and torques are not measured: 0. */
JO_API jo_wall_state jo_polygons_wall(const jo_polygons *polygons, size_t wall);
JO_API double jo_polygons_mass_beyond(jo_polygons *polygons, size_t gate);
JO_API const jo_alarm *jo_polygons_alarms(const jo_polygons *polygons, size_t *count);

typedef struct jo_polygons_stats {
    jo_kinetic_stats kinetic;
    uint64_t removed; /* bodies that left */
    uint64_t jams;    /* how often no body left for longer than the patience */
    double jammed;    /* since when none has left, where it is jammed now; NaN: it is not */
    double look_every, patience; /* as chosen */
    double seconds_making;       /* placing bodies, the first triangulation */
} jo_polygons_stats;
JO_API jo_polygons_stats jo_polygons_statistics(const jo_polygons *polygons);

/* ---- changes while it runs ----
 *
 * As those of jostle/soft.h: at the present time (or a last digit later), after all events up to
 * it; what cannot be is refused (JO_ERR_DATA and a sentence), and then nothing has changed but that
 * time. A run that is repeated with the same changes at the same times ends with the same bits,
 * also when it was saved and restored in between. */
JO_API jo_status jo_polygons_set_gravity(jo_polygons *polygons, const double gravity[3],
                                         jo_error *error);
JO_API jo_status jo_polygons_set_friction(jo_polygons *polygons, uint32_t a, uint32_t b,
                                          double friction, jo_error *error);
JO_API jo_status jo_polygons_set_restitution(jo_polygons *polygons, uint32_t a, uint32_t b,
                                             double restitution, jo_error *error);
/* Takes a wall away, or puts it back where it would be now and no body is in the way. The wall
 * around everything stays. */
JO_API jo_status jo_polygons_set_wall(jo_polygons *polygons, size_t wall, bool present,
                                      jo_error *error);
/* Adds a polygon of the radius body->r (the largest distance of a corner from its centre of mass),
 * not turned: the shape of the body whose id is body->shape, or, with JO_NO_SHAPE, of the first one
 * that moves (eight equal corners where there is none). id may be NULL. */
JO_API jo_status jo_polygons_add(jo_polygons *polygons, const jo_body_def *body, uint64_t *id,
                                 jo_error *error);
JO_API void jo_polygons_gravity(const jo_polygons *polygons, double gravity[3]);
JO_API jo_contact_def jo_polygons_contact_def(const jo_polygons *polygons, uint32_t a, uint32_t b);

/* As jo_kinetic_check: a proof that no two bodies overlap. */
JO_API jo_status jo_polygons_check(jo_polygons *polygons, jo_error *error);

/* As jo_soft_save and jo_soft_restore. */
JO_API jo_status jo_polygons_save(jo_polygons *polygons, jo_chunk *chunks, size_t *count,
                                  jo_error *error);
JO_API jo_status jo_polygons_restore(const jo_scene *scene, const jo_chunk *chunks, size_t count,
                                     jo_polygons **polygons, jo_error *error);
JO_API uint64_t jo_polygons_hash(jo_polygons *polygons);

#ifdef __cplusplus
}
#endif
#endif
