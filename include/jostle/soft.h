/* jostle/soft.h — the time-stepped engine: soft spheres and discs with rotation.
 *
 *     jo_soft *soft;
 *     jo_soft_create(&scene, NULL, &soft, &error);
 *     jo_soft_advance(soft, 1000, &error);              // steps
 *     jo_frame frame = jo_soft_frame(soft);             // where everything is now
 *     jo_measures m = jo_soft_measure(soft);            // energies, contacts, stress
 *     jo_soft_destroy(soft);
 *
 * Velocity Verlet of second order also with velocity-dependent forces. Results are the same to the
 * last bit for any number of threads, and for a run that was saved and restored.
 * A jo_soft is used by one thread at a time. */
#ifndef JOSTLE_SOFT_H
#define JOSTLE_SOFT_H

#include "jostle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_soft jo_soft;

typedef struct jo_soft_options {
    int threads;          /* 0 (default): OMP_NUM_THREADS, or one per processor */
    jo_progress progress; /* while bodies are being placed; may be NULL */
    void *progress_context;
} jo_soft_options;

JO_API jo_soft_options jo_soft_options_default(void);

/* Places the scene's bodies, chooses the time step if the scene leaves it open, and computes the
 * first forces. The scene is copied as far as it is needed. options may be NULL. */
JO_API jo_status jo_soft_create(const jo_scene *scene, const jo_soft_options *options,
                                jo_soft **soft, jo_error *error);
/* The same with bodies made by the caller instead of the scene's groups (factories still run). */
JO_API jo_status jo_soft_create_with(const jo_scene *scene, const jo_population *bodies,
                                     const jo_soft_options *options, jo_soft **soft,
                                     jo_error *error);
JO_API void jo_soft_destroy(jo_soft *soft); /* NULL is fine */

/* Takes `steps` time steps. JO_ERR_PHYSICS when the simulation blew up (NaN, a body that crossed
 * its own size in one step): the alarms tell where; the state is that of the last good moment it
 * was looked at and may be saved for a post-mortem, not continued. */
JO_API jo_status jo_soft_advance(jo_soft *soft, uint64_t steps, jo_error *error);

JO_API double jo_soft_time(const jo_soft *soft);
JO_API uint64_t jo_soft_step_count(const jo_soft *soft);
/* A step the scene leaves open divides its duration and, where they allow it, the intervals of its
 * outputs; it is never longer than the one recommended. */
JO_API double jo_soft_time_step(const jo_soft *soft);
/* The time after so many steps from the start: the step's exact multiple, rounded once. */
JO_API double jo_soft_time_at(const jo_soft *soft, uint64_t step);

/* The step the engine recommends: the smaller of a share of the Rayleigh time (for laws with
 * moduli) and of the shortest contact time expected; `why` (static) says which decided. */
typedef struct jo_step_advice {
    double recommended; /* what a scene without time_step gets */
    double largest;     /* beyond this results are wrong: an alarm */
    double rayleigh;    /* Rayleigh time of the smallest, stiffest body; NaN for linear laws */
    double contact;     /* shortest contact time; NaN where it is not known */
    const char *why;
} jo_step_advice;
JO_API jo_step_advice jo_soft_advice(const jo_soft *soft);

/* Bodies at the present moment, in order of their ids; owned by the engine, valid until its next
 * call. Vectors are interleaved, 3 per body. */
typedef struct jo_frame {
    double time;
    uint64_t step;
    int dim;
    size_t n;
    const uint64_t *id;
    const double *x, *v, *w;
    const double *force, *torque; /* gravity not included */
    const double *r, *mass;
    const uint32_t *material;
    const uint8_t *fixed;
    const uint32_t *touching; /* number of bodies and walls touched */
    const uint32_t *shape;    /* index into shapes, JO_NO_SHAPE for spheres; NULL: all are */
    const double *q; /* orientations of polyhedra, quaternions (w, x, y, z); NULL where shape is
                        and bodies are no polygons */
    const jo_polyhedron *const *shapes; /* of radius 1: a point p of one is at x + r q p q* */
    size_t shape_count;
    jo_domain domain;
    double shear_offset; /* Lees-Edwards: by how much the image above is displaced along x */
    /* polygons (engine "kinetic"): body i has the corners outline_first[i] … outline_first[i + 1] -
     * 1 */
    const size_t *outline_first; /* n + 1; NULL: bodies are round, or polyhedra */
    const double *outline; /* x, y of each from the centre of mass, of a body that is not turned */
    const double *angle;   /* by how much each is turned */
    size_t side_count;   /* of the triangulation of the space between: sides that are no edges of */
    const double *sides; /* bodies or walls; 4 each: x, y of both ends. NULL: not known */
    const uint32_t *side_key; /* of each: the same as long as it is between the same two corners (of
                                 all but one in 2^32 others it differs). NULL: not known */
    uint32_t event_points;    /* what happened last: 0 nothing; 4 a flip, the corners of the
                                 quadrilateral, */
    double event[8]; /* the new side from the first to the third; 3 a collision: the corner that
                        hit, and the ends of the edge */
} jo_frame;
JO_API jo_status jo_soft_frame(jo_soft *soft, jo_frame *frame, jo_error *error);

/* A glance: what a picture needs many times a second, far cheaper than a frame. Positions relative
 * to an origin, and sizes of vectors, as floats in the order of ids, into arrays of the
 * caller's. */
typedef struct jo_glance {
    double origin[3];            /* set by the caller, like the rest down to spin */
    size_t room;                 /* bodies that the arrays have room for */
    float *x;                    /* 3 each */
    float *speed, *force, *spin; /* one each; NULL: not wanted */
    double time;                 /* given back, like the rest */
    uint64_t step;
    size_t n;
    /* Grows when bodies come or go; while it stays, ids, radii and materials do. */
    uint64_t changes;
} jo_glance;
/* JO_ERR_LIMIT where the room is too small; n then says how much is needed. Changes nothing of the
 * engine's state. */
JO_API jo_status jo_soft_glance(jo_soft *soft, jo_glance *glance, jo_error *error);

/* Contacts at the present moment, sorted by (a, b), b == JO_NO_BODY for a wall. */
#define JO_NO_BODY UINT64_MAX
typedef struct jo_soft_contact {
    uint64_t a, b;    /* ids, a < b */
    uint32_t wall;    /* index of the wall where b is JO_NO_BODY, else UINT32_MAX */
    uint32_t sliding; /* 1: at the Coulomb limit */
    double overlap;
    double point[3];
    double force[3];     /* on a */
    double normal_force; /* > 0 pushes apart */
} jo_soft_contact;
JO_API jo_status jo_soft_contacts(jo_soft *soft, const jo_soft_contact **contacts, size_t *count,
                                  jo_error *error);

typedef struct jo_energy {
    double kinetic;    /* translation and rotation */
    double potential;  /* in gravity, relative to the origin */
    double elastic;    /* in contacts: normal, tangential, rolling springs, adhesion */
    double dissipated; /* since the start: dashpots, sliding, rolling, stiffness that changed under
                          load */
    double work;    /* done on the bodies since the start by moving walls and Lees-Edwards shear */
    double gone;    /* carried away by bodies that were removed, less that of bodies inserted */
    double balance; /* kinetic + potential + elastic + dissipated - work + gone - (its value at the
                       start): 0 but for the integrator's error */
} jo_energy;

typedef struct jo_measures {
    double time;
    uint64_t step;
    uint64_t bodies, inserted, removed;
    uint64_t contacts; /* between bodies */
    uint64_t wall_contacts;
    uint64_t sliding;    /* contacts at the Coulomb limit */
    double coordination; /* mean number of bodies touched, per body that is not fixed */
    double overlap_mean; /* over the smaller radius, over contacts between bodies */
    double overlap_max;
    double speed_max;
    jo_energy energy;
    double momentum[3], angular_momentum[3]; /* the latter about the origin */
    double centre[3];                        /* of mass */
    double mass;
    double stress[9]; /* row-major, compression positive: contacts + kinetic part, times
                         volume of the box (or of the bodies' bounds where there is none) */
    double volume;    /* that volume */
} jo_measures;
JO_API jo_status jo_soft_measure(jo_soft *soft, jo_measures *measures, jo_error *error);

typedef struct jo_wall_state {
    double displacement[3]; /* since the start */
    double velocity[3];
    double angle;     /* turned since the start [rad] */
    double force[3];  /* of the bodies on the wall, now */
    double torque[3]; /* likewise, about the wall's pivot (its point, where it does not turn) */
    bool present;
    double rotation[9]; /* row-major: a point p of the wall as described is now at
                           pivot + displacement + rotation (p - pivot) */
} jo_wall_state;
JO_API jo_wall_state jo_soft_wall(const jo_soft *soft, size_t wall);

/* Mass that lies, or lay when it was removed, beyond gate g. */
JO_API double jo_soft_mass_beyond(jo_soft *soft, size_t gate);

/* ---- changes while it runs ----
 *
 * Between two calls of advance, at the present moment; forces feel them from the next step on. A
 * run that is repeated with the same changes after the same numbers of steps ends with the same
 * bits, and so does one that was saved and restored in between: what was changed is part of what is
 * saved. A change that cannot be is refused (JO_ERR_DATA and a sentence), and then nothing has
 * changed: values that a scene file could not have either, a time step that would be too long,
 * bodies in the way. */

/* Velocities stay; the change of potential energy counts as work. */
JO_API jo_status jo_soft_set_gravity(jo_soft *soft, const double gravity[3], jo_error *error);
/* Between two materials, by their indices in the scene, or one and itself. Refused where the law
 * does not read the value. */
JO_API jo_status jo_soft_set_friction(jo_soft *soft, uint32_t a, uint32_t b, double friction,
                                      jo_error *error);
JO_API jo_status jo_soft_set_restitution(jo_soft *soft, uint32_t a, uint32_t b, double restitution,
                                         jo_error *error);
/* Takes a wall away (opens an outlet), or puts it back where no body is in the way; from now on,
 * whatever its `from` and `until` said. */
JO_API jo_status jo_soft_set_wall(jo_soft *soft, size_t wall, bool present, jo_error *error);

/* A body to add. */
typedef struct jo_body_def {
    double x[3], v[3], w[3]; /* position, velocity, spin; default 0 */
    double r;                /* radius, of a polyhedron that of the sphere around it; > 0 */
    uint32_t material;       /* index into the scene's materials; default 0 */
    uint32_t shape; /* index into the scene's shapes; default JO_NO_SHAPE: a sphere or disc */
    double q[4];    /* orientation, a quaternion (w, x, y, z), not 0; default 1, 0, 0, 0 */
} jo_body_def;
JO_API jo_body_def jo_body_def_default(void);
/* Refused where it would overlap a body or a wall; polyhedra count as the spheres around them. Its
 * id (may be NULL) is the next one. */
JO_API jo_status jo_soft_add(jo_soft *soft, const jo_body_def *body, uint64_t *id, jo_error *error);

/* As they are now. */
JO_API void jo_soft_gravity(const jo_soft *soft, double gravity[3]);
JO_API jo_contact_def jo_soft_contact_def(const jo_soft *soft, uint32_t a, uint32_t b);

/* ---- alarms ---- */
typedef enum jo_alarm_kind {
    JO_ALARM_STEP,     /* the time step is larger than it should be */
    JO_ALARM_OVERLAP,  /* a contact deeper than the scene allows */
    JO_ALARM_SPEED,    /* a body moved further in a step than its radius */
    JO_ALARM_BLOWUP,   /* a NaN or an infinity */
    JO_ALARM_ESCAPE,   /* a body left the box */
    JO_ALARM_INITIAL,  /* bodies overlap at the start */
    JO_ALARM_ENERGY,   /* the energy balance is off by more than 1 % of the energy turned over */
    JO_ALARM_INSERT,   /* a factory finds no room */
    JO_ALARM_COLLAPSE, /* hard balls: inelastic collapse was prevented */
    JO_ALARM_JAM,      /* polygons: no body leaves any more, though some are there */
    JO_ALARM_COUNT
} jo_alarm_kind;

typedef struct jo_alarm {
    jo_alarm_kind kind;
    uint64_t count; /* how often */
    double time;    /* of the first */
    uint64_t id;    /* body of the first; JO_NO_BODY: none */
    char text[240]; /* a sentence: what happened and the likely cause */
} jo_alarm;
JO_API const char *jo_alarm_name(jo_alarm_kind kind);
/* The kinds that went off; owned by the engine. */
JO_API const jo_alarm *jo_soft_alarms(const jo_soft *soft, size_t *count);

/* ---- time per stage ---- */
typedef enum jo_soft_stage {
    JO_SOFT_MOVE,      /* integrating */
    JO_SOFT_INSERT,    /* factories, removal */
    JO_SOFT_SORT,      /* putting bodies in spatial order */
    JO_SOFT_SEARCH,    /* the contact search */
    JO_SOFT_LIST,      /* making lists, carrying history over */
    JO_SOFT_PAIRS,     /* forces between bodies */
    JO_SOFT_WALLS,     /* forces with walls; as threads spent it, taken off the pairs' */
    JO_SOFT_POLYHEDRA, /* all forces in which polyhedra take part */
    JO_SOFT_STAGES
} jo_soft_stage;
JO_API const char *jo_soft_stage_name(jo_soft_stage stage);

typedef struct jo_soft_stats {
    double seconds[JO_SOFT_STAGES];
    uint64_t calls[JO_SOFT_STAGES];
    uint64_t body_steps; /* bodies times steps */
    uint64_t rebuilds;
    double skin;
    size_t bytes;        /* held by the engine now, without copies for frames and checkpoints */
    size_t bytes_peak;   /* the most it held so far in this process */
    uint64_t list_pairs; /* pairs in the lists now */
    const char *search;  /* the contact search that built them */
} jo_soft_stats;
JO_API jo_soft_stats jo_soft_statistics(const jo_soft *soft);

/* ---- saving ---- */

/* The state as named arrays, complete: restore gives an engine that goes on with the same bits. */
typedef enum jo_chunk_type {
    JO_CHUNK_F64,
    JO_CHUNK_F32,
    JO_CHUNK_U64,
    JO_CHUNK_U32,
    JO_CHUNK_U8
} jo_chunk_type;
typedef struct jo_chunk {
    char name[32];
    jo_chunk_type type;
    size_t count;     /* elements */
    const void *data; /* owned by the engine (saving) or the caller (restoring) */
} jo_chunk;
#define JO_CHUNKS_MAX 64

/* Fills chunks[JO_CHUNKS_MAX]; valid until the engine's next call. */
JO_API jo_status jo_soft_save(jo_soft *soft, jo_chunk *chunks, size_t *count, jo_error *error);
/* An engine in the saved state. The scene must be the one it was created from. JO_ERR_DATA names
 * the chunk that is missing or cannot be right. */
JO_API jo_status jo_soft_restore(const jo_scene *scene, const jo_soft_options *options,
                                 const jo_chunk *chunks, size_t count, jo_soft **soft,
                                 jo_error *error);

/* A hash of all ids, positions, velocities and spins, bit by bit, in the order of ids. */
JO_API uint64_t jo_soft_hash(jo_soft *soft);

#ifdef __cplusplus
}
#endif
#endif
