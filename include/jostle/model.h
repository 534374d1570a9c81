/* jostle/model.h — a simulation, described: box, materials, contact laws, bodies, walls, how long,
 * what to write.
 *
 * A jo_scene is plain data. It comes from a scene file (jostle/scenefile.h) or is filled in C; an
 * engine (jostle/soft.h) runs it. Units are SI, or any other consistent set: jostle never mixes in
 * constants of its own. In 2D (dim 2) bodies are discs in the plane z = 0: densities are masses
 * per area, only z-components of spins and torques exist, and everything else keeps its meaning.
 *
 * Numbers that were not given are NaN; jo_scene_check says which are needed. */
#ifndef JOSTLE_MODEL_H
#define JOSTLE_MODEL_H

#include "jostle/polyhedron.h"
#include "jostle/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JO_NAME_SIZE     64 /* bytes of a name, its terminator included */
#define JO_MATERIALS_MAX 64
#define JO_WALLS_MAX     256
#define JO_WRITES_MAX    1e8 /* times that an output of a run may be due */

/* ---- materials ---- */

typedef struct jo_material {
    char name[JO_NAME_SIZE];
    double density; /* > 0 */
    double young;   /* Young's modulus, > 0; for laws that need it */
    double poisson; /* -1 < nu <= 0.5 */
} jo_material;

/* What two materials (or one with itself) do at contact. Which fields are read depends on the
 * law. */
typedef struct jo_contact_def {
    double normal_stiffness;     /* linear: k_n [N/m]; hertz: K_n [Pa] in F = K_n sqrt(R) d^(3/2);
                                    NaN: hertz from the moduli, 4/3 E*; linear: an error */
    double tangential_stiffness; /* linear: k_t [N/m], NaN: 2/7 k_n; mindlin: K_t [Pa] in
                                    F = K_t sqrt(R d) xi, NaN: 8 G* from the moduli */
    double contact_time; /* energy: how long a collision of two bodies lasts [s], > 0; takes the
                            place of normal_stiffness and tangential_stiffness */
    double restitution;  /* 0 < e <= 1; damping "restitution"; hard balls (NaN: 1) */
    double restitution_speed;      /* hard balls: below this speed v0 restitution is
                                      1 - (1 - e) (v/v0)^(3/4) instead of e; NaN: e at every speed */
    double tangential_restitution; /* hard balls: -1 to 1, where friction holds; NaN: 0 */
    double normal_damping;         /* viscous: gamma_n [1/s] (linear: F = m* gamma_n v) or [1/(m s)]
                                      (hertz: F = m* gamma_n sqrt(R d) v) */
    double tangential_damping;     /* viscous: gamma_t likewise; NaN: gamma_n / 2; 0: none */
    double friction;               /* Coulomb's coefficient, >= 0 */
    double rolling_friction;       /* >= 0, dimensionless: torque <= mu_r R F_n */
    double rolling_stiffness;      /* epsd: k_r [N m]; NaN: 2.25 k_n mu_r^2 R^2 (Ai et al. 2011) */
    double rolling_damping;        /* epsd: share of critical damping, >= 0; NaN: 0.3 */
    double surface_energy;         /* jkr: work of adhesion w [J/m^2], >= 0 */
    double cohesion_density;       /* sjkr: energy per contact volume [J/m^3], >= 0 */
    double liquid_volume;          /* liquid: of one bridge [m^3], >= 0 */
    double surface_tension;        /* liquid: [N/m] */
    double wetting_angle;          /* liquid: radians, 0 to pi/2 */
} jo_contact_def;

/* Every field NaN, except friction, rolling_friction and those of cohesion: 0. */
JO_API jo_contact_def jo_contact_def_default(void);

/* ---- the law: one choice per part, the same for all contacts of a scene ---- */

typedef enum jo_normal_law {
    JO_NORMAL_LINEAR, /* F = k_n d */
    JO_NORMAL_HERTZ,  /* F = K_n sqrt(R) d^(3/2) */
    JO_NORMAL_ENERGY /* Pournin, Liebling and Mocellin (2001): a linear spring and dashpot made from
                        contact_time and restitution; tangential none or linear */
} jo_normal_law;

typedef enum jo_damping_law {
    JO_DAMPING_NONE,
    JO_DAMPING_RESTITUTION, /* the same restitution at every speed: linear by its closed form, hertz
                               by Tsuji's F = alpha(e) sqrt(m* K) d^(1/4) v */
    JO_DAMPING_VISCOUS      /* coefficients given: normal_damping, tangential_damping */
} jo_damping_law;

typedef enum jo_tangential_law {
    JO_TANGENTIAL_NONE,
    JO_TANGENTIAL_LINEAR,       /* F = k_t xi, |F| <= mu F_n, xi the history */
    JO_TANGENTIAL_MINDLIN,      /* F = K_t sqrt(R d) xi */
    JO_TANGENTIAL_MINDLIN_FORCE /* dF = K_t sqrt(R d) dxi: the force is what is carried along */
} jo_tangential_law;

typedef enum jo_rolling_law {
    JO_ROLLING_NONE,
    JO_ROLLING_CONSTANT,
    JO_ROLLING_EPSD
} jo_rolling_law;

typedef enum jo_cohesion_law {
    JO_COHESION_NONE,
    JO_COHESION_JKR,   /* Johnson, Kendall, Roberts: with hertz */
    JO_COHESION_SJKR,  /* F = -cohesion_density * contact area */
    JO_COHESION_LIQUID /* a pendular bridge of constant volume that forms at contact and breaks */
} jo_cohesion_law;

typedef struct jo_law {
    jo_normal_law normal;         /* default hertz */
    jo_damping_law damping;       /* default restitution */
    jo_tangential_law tangential; /* default mindlin */
    jo_rolling_law rolling;       /* default none */
    jo_cohesion_law cohesion;     /* default none */
    /* A dashpot beside the tangential spring, from the restitution; default false. (Damping
     * "viscous" has a coefficient of its own for it.) */
    bool tangential_damping;
    bool dashpot_loads_spring; /* while a contact slides, the spring is set so that spring and
                                  dashpot together give Coulomb's limit, as some codes do; default
                                  false: the dashpot gives way to friction. See
                                  docs/methods/soft.md */
    bool clip_attraction;      /* no pull from the dashpot at the end of contact; default false.
                                  Restitution is calibrated for either choice */
} jo_law;

JO_API jo_law jo_law_default(void);

/* What laws can be composed of: `part` and `name` as in a scene's `law`. NULL from the last on. */
typedef struct jo_law_part_info {
    const char *part, *name, *summary;
} jo_law_part_info;
JO_API const jo_law_part_info *jo_law_part(size_t k);

/* ---- bodies ---- */

/* Radii. */
typedef enum jo_size_kind {
    JO_SIZE_FIXED,     /* a */
    JO_SIZE_UNIFORM,   /* between a and b */
    JO_SIZE_NORMAL,    /* mean a, standard deviation b, cut to [lo, hi] */
    JO_SIZE_LOGNORMAL, /* median a, deviation of the logarithm b, cut to [lo, hi] */
    JO_SIZE_LIST       /* values with weights (by number) */
} jo_size_kind;

#define JO_SIZES_MAX 16

typedef struct jo_sizes {
    jo_size_kind kind;
    double a, b, lo, hi;
    size_t count;
    double value[JO_SIZES_MAX], weight[JO_SIZES_MAX];
} jo_sizes;

/* A radius: the same for the same (seed, index) on every machine. */
JO_API double jo_sizes_draw(const jo_sizes *sizes, uint64_t seed, uint64_t index);
JO_API double jo_sizes_smallest(const jo_sizes *sizes);
JO_API double jo_sizes_largest(const jo_sizes *sizes);
JO_API double jo_sizes_mean(const jo_sizes *sizes);

/* Bodies as arrays, owned: free with jo_population_free. Vectors are interleaved, three doubles a
 * body also in 2D. */
typedef struct jo_population {
    size_t n;
    double *x, *v, *w;  /* position, velocity, spin: 3 n each */
    double *r;          /* radius */
    uint32_t *material; /* index into the scene's materials */
    uint8_t *fixed;     /* 1: does not move (infinitely heavy) but is touched */
    uint64_t *id;       /* unique; numbering starts at 0 in the order of the scene */
    uint32_t *shape;    /* index into the scene's shapes, or JO_NO_SHAPE for a sphere; NULL: all are
                           spheres. The radius is that of the sphere around a polyhedron */
    double *q; /* 4 n: orientations, quaternions (w, x, y, z) of length 1; NULL where shape is */
    size_t *outline_first; /* n + 1: body i has the corners outline_first[i] … [i + 1] - 1 of
                              outline; NULL: bodies are round. Engine "kinetic" alone */
    double *outline;       /* x, y of each corner from the centre of mass, counter-clockwise */
} jo_population;

JO_API jo_status jo_population_allocate(jo_population *p, size_t n, jo_error *error);
JO_API void jo_population_free(jo_population *p);
/* Gives a population of spheres the arrays shape and q: all spheres still, turned by nothing. */
JO_API jo_status jo_population_allocate_shapes(jo_population *p, jo_error *error);

typedef enum jo_group_kind {
    JO_GROUP_EXPLICIT, /* the arrays of `listed` */
    JO_GROUP_FILE,     /* a particle file that jo_particles_read understands */
    JO_GROUP_LATTICE,  /* cubic, bcc, fcc, hcp (2D: square, hexagonal) filling a region */
    JO_GROUP_RANDOM,   /* at random places of a region without overlap */
    JO_GROUP_FACTORY   /* inserted while the simulation runs */
} jo_group_kind;

typedef enum jo_region_kind { JO_REGION_BOX, JO_REGION_CYLINDER, JO_REGION_SPHERE } jo_region_kind;

typedef struct jo_region {
    jo_region_kind kind;
    double lo[3], hi[3];    /* box */
    double centre[3];       /* cylinder: centre of its base; sphere: centre */
    double axis[3], length; /* cylinder: unit vector and length */
    double radius;          /* cylinder, sphere */
} jo_region;

/* Bodies of two dimensions as polygons, for engine "kinetic". A body's radius is that of the circle
 * around its centre of mass that holds all corners. */
typedef enum jo_polygon_kind {
    JO_POLYGON_REGULAR, /* corners_min of them; many make a disc */
    JO_POLYGON_GRAIN,   /* convex, at random, each body another: see jo_grain_def */
    JO_POLYGON_OUTLINE  /* given corner by corner, convex or not */
} jo_polygon_kind;

#define JO_DISC_CORNERS        24
#define JO_POLYGON_CORNERS_MAX 1000

typedef struct jo_polygon_shape {
    bool given; /* false (default): discs, regular with JO_DISC_CORNERS */
    jo_polygon_kind kind;
    uint64_t corners_min, corners_max; /* 3 to JO_POLYGON_CORNERS_MAX */
    double irregularity, aspect;       /* grain: 0 to below 1; 1 or more */
    size_t count;
    double *points; /* outline: 2 per corner, simple, in any unit; owned */
} jo_polygon_shape;

typedef struct jo_group {
    jo_group_kind kind;
    char name[JO_NAME_SIZE];
    uint32_t material;
    jo_sizes sizes;         /* lattice, random, factory; file: where it has no radii */
    jo_region region;       /* lattice, random, factory: bodies lie wholly inside */
    double velocity[3];     /* initial; explicit bodies have their own */
    double velocity_spread; /* each component gets a normal deviate of this size */
    double spin[3];
    bool fixed;
    uint64_t seed;
    jo_population listed; /* explicit */
    char *path;           /* file; resolved against the scene file's folder */
    char *file_format;    /* NULL: by extension */
    size_t frame;         /* file: which, from 0 (default), or JO_FRAME_LAST */
    char lattice[16];     /* lattice: cubic, bcc, fcc, hcp, square, hexagonal */
    double spacing;       /* lattice: nearest distance of centres; NaN: twice the largest radius */
    uint64_t count;       /* lattice: at most; random: how many; factory: in all (0: no limit) */
    double fraction;      /* random: solid fraction of the region instead of a count; NaN: count */
    double rate;          /* factory: bodies per unit time */
    double mass_rate;     /* factory: mass per unit time instead; NaN: rate */
    double start, stop;   /* factory: when; default 0 and infinity */
    uint32_t shape, shapes; /* bodies are of scene.shapes[shape] … [shape + shapes - 1], which of
                               them is drawn; shapes 0 (default): spheres. Their radius is that of
                               the sphere around them; see jo_group_radius */
    double orientation[4];  /* of polyhedra and polygons: a quaternion (w, x, y, z), not 0; NaN
                               (default): random */
    jo_polygon_shape polygon; /* 2D, engine "kinetic" */
} jo_group;

#define JO_SHAPE_SIZES 16

/* An empty group of that kind, numbers not given NaN. */
JO_API jo_group jo_group_default(jo_group_kind kind);

/* The outline of body k of a group, for a radius drawn for it and its orientation: corners
 * counter-clockwise from the centre of mass; *n of them, at most jo_group_outline_room. Random ones
 * are the same on every machine. JO_ERR_DATA where the shape is out of bounds. */
JO_API size_t jo_group_outline_room(const jo_group *group);
JO_API jo_status jo_group_outline(const jo_group *group, uint64_t k, double radius, double *points,
                                  size_t *n, jo_error *error);

/* ---- walls ---- */

typedef enum jo_wall_kind {
    JO_WALL_PLANE,    /* infinite: point, normal towards the bodies */
    JO_WALL_BOX,      /* lo, hi: six faces (2D: four); bodies inside unless `outside` */
    JO_WALL_CYLINDER, /* side of a cylinder from point along axis; open ends unless `caps`; 2D: a
                         circle */
    JO_WALL_CONE,     /* side of a truncated cone: radius at point, radius_end at the other end */
    JO_WALL_MESH      /* triangles, both sides solid */
} jo_wall_kind;

/* What is solid of a polygon of segments. Soft discs and hard balls touch the segments from either
 * side whatever this says; it decides where bodies are placed, and what engine "kinetic" takes for
 * the wall. */
typedef enum jo_wall_solid {
    JO_SOLID_NONE,   /* the segments alone (default) */
    JO_SOLID_INSIDE, /* an obstacle */
    JO_SOLID_OUTSIDE /* bodies are inside */
} jo_wall_solid;

/* How a wall moves, as a rigid body. All parts add up; times outside [start, stop] stand still. */
typedef struct jo_motion {
    double velocity[3];                    /* constant translation */
    double spin[3], pivot[3];              /* rotation [rad/s] about an axis through pivot, which
                                              moves with the translation */
    double amplitude[3], frequency, phase; /* amplitude * sin(2 pi frequency (t - start) + phase) */
    double start, stop;                    /* default 0 and infinity */
} jo_motion;

/* Moves a wall along `direction` until the bodies press on it with `stress` (or `force`). */
typedef struct jo_servo {
    bool on;
    double direction[3]; /* unit vector: the way the wall pushes */
    double stress, area; /* target force is stress * area; */
    double force;        /* or this, where stress is NaN */
    double gain;         /* velocity per unit of missing force [m/(N s)]; NaN: chosen */
    double speed_max;    /* > 0 */
} jo_servo;

typedef struct jo_wall {
    jo_wall_kind kind;
    char name[JO_NAME_SIZE];
    uint32_t material;
    double point[3], normal[3]; /* plane; unit normal */
    double lo[3], hi[3];        /* box */
    double axis[3], length;     /* cylinder, cone: unit axis; length may be infinite (cylinder) */
    double radius, radius_end;  /* cylinder: radius; cone: both, >= 0 */
    bool outside;               /* bodies are outside the box, cylinder or cone; default false */
    bool caps;                  /* cylinder, cone: closed by discs at both ends */
    jo_wall_solid solid; /* 2D, a mesh whose segments follow one another and close: a polygon */
    double *triangles;   /* mesh: 9 doubles each (2D: segments, 4 doubles each); owned */
    size_t triangle_count;
    char *path; /* mesh: the file it came from; may be NULL */
    jo_motion motion;
    jo_servo servo;
    double from, until; /* the wall is there between these times; default 0, infinity */
} jo_wall;

JO_API jo_wall jo_wall_default(jo_wall_kind kind);

/* ---- what to measure and write ---- */

/* Mass flow is counted through these. */
typedef struct jo_gate {
    char name[JO_NAME_SIZE];
    double point[3], normal[3];
} jo_gate;

/* Every interval is in simulated time; NaN: not written. */
typedef struct jo_outputs {
    double trajectory;      /* H5MD, trajectory.h5 */
    double vtp;             /* VTP and .pvd for ParaView */
    double dump;            /* LAMMPS dump text */
    double series;          /* CSV of measures, series.csv */
    double checkpoint;      /* simulated time; a signal writes one, too */
    double checkpoint_wall; /* seconds of wall time between checkpoints; default 600 */
    bool contacts;          /* trajectory and vtp: contacts with forces as well */
    bool events;            /* engine hard: every collision, events.csv */
    bool triangulation;     /* engine kinetic: the trajectory holds the sides of triangles, too */
} jo_outputs;

typedef enum jo_leaving {
    JO_LEAVING_ALARM,  /* a body that leaves the box is removed, counted and reported (default) */
    JO_LEAVING_REMOVE, /* expected: removed and counted */
    JO_LEAVING_KEEP    /* the box is only for pictures */
} jo_leaving;

/* ---- the event-driven engine's own options ---- */
typedef struct jo_hard_def {
    double contact_duration; /* TC model: a collision of a body that had another one less than this
                                before loses no energy; 0: off; NaN (default): chosen */
    double temperature;      /* of a thermostat, as energy kT; NaN (default): none */
    /* How often it gives a body a new velocity: per body and unit time, > 0. */
    double thermostat_rate;
    double growth;          /* radii grow by this share of themselves per unit time; default 0 */
    double growth_until;    /* solid fraction at which they stop; NaN: they do not */
    double growth_pressure; /* p V / (N kT) at which they stop: large; NaN (default): they do not */
} jo_hard_def;

/* ---- options of hard polygons by kinetic triangulation ---- */
typedef enum jo_root_method { JO_ROOTS_FAST, JO_ROOTS_STURM, JO_ROOTS_EXACT } jo_root_method;
typedef struct jo_kinetic_options {
    jo_root_method roots; /* default fast; see jo_kinetic_roots */
    double gap;           /* distance at which bodies collide, > 0; NaN (default): chosen */
    double least_speed;   /* at which bodies part from a collision at least, > 0; NaN: chosen */
    double period;        /* how far ahead triangles are looked at, at most; NaN: chosen */
    double look_every;    /* time between looks for bodies that left the box; NaN: chosen */
    double patience;      /* no body left for so long, and some are there: a jam; NaN: chosen */
} jo_kinetic_options;

/* ---- the scene ---- */

/* A file that a scene has a shape or a mesh from, as it was when it was read. */
typedef struct jo_geometry_file {
    char *name; /* as the scene's text has it; owned, as are the bytes */
    void *bytes;
    size_t size;
} jo_geometry_file;

typedef struct jo_scene {
    char *title; /* owned; may be NULL */
    int dim;     /* 2 or 3 */
    bool has_box;
    jo_domain domain; /* lo, hi of the box if has_box; axes that are not periodic are limits that
                         bodies may leave through, not walls */
    jo_leaving leaving;
    /* Lees-Edwards: velocity along x grows by this with y; needs periodic x, y. */
    double shear_rate;
    double gravity[3];
    jo_law law;
    size_t material_count;
    jo_material *materials;   /* owned */
    jo_contact_def *contacts; /* owned: material_count x material_count, symmetric */
    size_t group_count;
    jo_group *groups; /* owned */
    size_t shape_count;
    jo_polyhedron **shapes; /* owned; of any size: bodies are scaled to their radius */
    size_t wall_count;
    jo_wall *walls; /* owned */
    size_t gate_count;
    jo_gate *gates;             /* owned */
    char engine[16];            /* "soft", "hard" or "kinetic" */
    jo_hard_def hard;           /* read by engine "hard" alone */
    jo_kinetic_options kinetic; /* read by engine "kinetic" alone */
    double duration;            /* simulated time */
    double time_step;           /* NaN: chosen */
    double skin;                /* how far lists reach beyond contact; NaN: chosen and adapted */
    char broad[16];       /* contact search; "auto". Engine "hard": "auto", "cells" or "verlet" */
    bool account_energy;  /* follow dissipation contact by contact; default true */
    double overlap_alarm; /* overlap over the smaller radius that is an alarm; default 0.1 */
    uint64_t seed;
    jo_outputs outputs;
    char *source; /* the text it was read from; owned, may be NULL. Checkpoints carry it */
    char *folder; /* that paths in it are relative to; owned, may be NULL */
    size_t geometry_count;
    jo_geometry_file *geometry; /* that it was read from, each once; owned. Checkpoints carry it */
} jo_scene;

/* An empty 3D scene with the defaults above. */
JO_API jo_scene jo_scene_default(void);
JO_API void jo_scene_free(jo_scene *scene); /* zeroes it; NULL and zeroed are fine */

/* Hands a polyhedron to the scene, whose it is from then on, also on failure; its index. */
JO_API jo_status jo_scene_add_shape(jo_scene *scene, jo_polyhedron *shape, uint32_t *index,
                                    jo_error *error);
/* The radius drawn for body number k of a group that is not listed. That of polyhedra is one of
 * JO_SHAPE_SIZES from the smallest to the largest of a distribution, evenly spaced: the next below
 * or above what is drawn, by a chance that keeps the mean of r^3, and so the mass. */
JO_API double jo_group_radius(const jo_group *group, uint64_t k);
/* Its shape (JO_NO_SHAPE: a sphere) and orientation. */
JO_API void jo_group_shape(const jo_group *group, uint64_t k, uint32_t *shape, double q[4]);

/* Everything wrong with a scene, one sentence each, joined by "; ". JO_ERR_DATA or JO_OK. */
JO_API jo_status jo_scene_check(const jo_scene *scene, jo_error *error);

/* Makes the bodies of all groups but factories, in the order of the scene. JO_ERR_DATA when random
 * places cannot be found (after a bounded number of tries), JO_ERR_IO for files. progress may be
 * NULL. */
JO_API jo_status jo_scene_populate(const jo_scene *scene, jo_population *population,
                                   jo_progress progress, void *context, jo_error *error);

#ifdef __cplusplus
}
#endif
#endif
