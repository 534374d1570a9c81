/* schema.h — what may be in a scene file: every key with its type, unit, bounds, default and
 * meaning.
 *
 * The reader (fields.c, parts.c), the checker and the printed reference (reference.c) are made from
 * these tables (schema.c), so they cannot disagree. A section is a mapping; reading it fills a
 * struct, each key at its offset. */
#ifndef JO_SCENE_SCHEMA_H
#define JO_SCENE_SCHEMA_H

#include "jostle/model.h"
#include "scene/units.h"

struct reader;
struct key_def;

typedef enum key_kind {
    KEY_REAL,      /* double */
    KEY_AUTO,      /* double; the word auto gives NaN */
    KEY_VECTOR,    /* double[3]: 3 numbers, in 2D 2 */
    KEY_DIRECTION, /* double[3], made a unit vector; or +x, -z … */
    KEY_TURN,      /* double[3]: a vector, in 2D one number about z */
    KEY_BOOL,      /* bool */
    KEY_COUNT,     /* uint64_t */
    KEY_CHOICE,    /* an enum: index into choices */
    KEY_WORD,      /* char[16]: one of the choices */
    KEY_NAME,      /* char[JO_NAME_SIZE] */
    KEY_TEXT,      /* char *, owned */
    KEY_SECTION,   /* a struct, filled by its own section */
    KEY_CUSTOM     /* read by a function of its own */
} key_kind;

/* Units that depend on the scene's law or dimension. */
typedef enum unit_rule {
    UNIT_FIXED,
    UNIT_DENSITY,              /* mass per area in 2D */
    UNIT_NORMAL_STIFFNESS,     /* N/m or Pa, by law.normal */
    UNIT_TANGENTIAL_STIFFNESS, /* likewise, by law.tangential */
    UNIT_DAMPING               /* 1/s or 1/(m s), by law.normal */
} unit_rule;

typedef struct key_bounds {
    double lo, hi;
    bool above_lo, below_hi; /* the bound itself is excluded */
    bool infinite;           /* infinity is allowed */
} key_bounds;

typedef struct section_def {
    const char *name;           /* as the reference calls it: "walls.plane" */
    const char *summary;        /* what it describes */
    const struct key_def *keys; /* ends with name NULL */
    const char *example;        /* may be NULL */
} section_def;

/* Reads the value of a key into the section's struct. node is an index into the document. */
typedef void (*key_reader)(struct reader *r, int node, const struct key_def *key, void *target);

typedef struct key_def {
    const char *name;
    key_kind kind;
    size_t offset;
    dimension unit;
    unit_rule rule;
    key_bounds bounds;
    const char *const *choices; /* ends with NULL */
    const section_def *section; /* KEY_SECTION, or what a custom key holds (for the reference) */
    key_reader read;            /* KEY_CUSTOM */
    const char *form;           /* KEY_CUSTOM: its type in words */
    bool required;
    const char *fallback; /* the default in words; NULL: none */
    const char *meaning;
} key_def;

enum { SECTION_KEYS_MAX = 64 };

/* The whole file, and all sections in the order of the reference (ends with NULL). */
extern const section_def jo_schema_top;
extern const section_def *const jo_schema_sections[];
/* Those that the parts of the reader read by themselves. */
extern const section_def jo_region_section, jo_group_section, jo_wall_section, jo_motion_section,
    jo_servo_section, jo_gate_section, jo_engine_section;

/* The unit of a key, where the law or the dimension decides: for the reference. */
const char *jo_schema_unit(const key_def *key);

/* ---- what sections are read into where no public struct is the right one ---- */

typedef struct material_entry {
    jo_material material;
    jo_contact_def own; /* fields not given are NaN */
} material_entry;

typedef struct contact_entry {
    uint32_t a, b;
    bool named;
    jo_contact_def given; /* fields not given are NaN */
} contact_entry;

/* One body of a list. */
typedef struct body_entry {
    double position[3], velocity[3], spin[3], radius, diameter;
    double orientation[4];
    uint32_t material;
    bool fixed;
    int corners_node; /* negative: it has none */
} body_entry;

/* What bodies of a group look like. */
typedef struct shape_entry {
    char solid[16];
    uint64_t sides, faces, seed, variants;
    double height, axes[3], irregularity;
    char *file;
    bool hull;
    int vertices_node;
    uint64_t corners[2]; /* of grains: fewest, most */
    double aspect;
} shape_entry;

/* A group, and what has to be turned into its fields. */
typedef struct group_entry {
    jo_group group;
    bool material_given, sizes_given, region_given;
    int shape_node; /* 0: it has no shape */
    int list_node;
    int kinds; /* how many of list, file … were given */
} group_entry;

/* A wall, and what has to be turned into its fields. */
typedef struct wall_entry {
    jo_wall wall;
    bool material_given, pivot_given;
    int kinds;
    double mesh_scale, mesh_shift[3];
    bool mesh_closed;
    int triangles_node, path_node;
    char *file;
    char form[16]; /* the key that says what it is, and its value */
    int form_node;
    bool around;                              /* polygon */
    double thickness;                         /* bar */
    double neck, slope, width, height, depth; /* hopper */
} wall_entry;

typedef struct distribution_entry {
    double middle, deviation, lo, hi;
} distribution_entry;

typedef struct gravity_entry {
    double magnitude, direction[3], tilt;
} gravity_entry;

/* ---- readers of custom keys, in groups.c, wallparts.c and parts.c ---- */
void jo_read_dimension(struct reader *r, int node, const key_def *key, void *target);
void jo_read_gravity(struct reader *r, int node, const key_def *key, void *target);
void jo_read_periodic(struct reader *r, int node, const key_def *key, void *target);
void jo_read_box(struct reader *r, int node, const key_def *key, void *target);
void jo_read_materials(struct reader *r, int node, const key_def *key, void *target);
void jo_read_contacts(struct reader *r, int node, const key_def *key, void *target);
void jo_read_between(struct reader *r, int node, const key_def *key, void *target);
void jo_read_attraction(struct reader *r, int node, const key_def *key, void *target);
void jo_read_bodies(struct reader *r, int node, const key_def *key, void *target);
void jo_read_frame(struct reader *r, int node, const key_def *key, void *target);
void jo_read_sizes(struct reader *r, int node, const key_def *key, void *target);
void jo_read_uniform(struct reader *r, int node, const key_def *key, void *target);
void jo_read_distribution(struct reader *r, int node, const key_def *key, void *target);
void jo_read_size_values(struct reader *r, int node, const key_def *key, void *target);
void jo_read_size_weights(struct reader *r, int node, const key_def *key, void *target);
void jo_read_shape(struct reader *r, int node, const key_def *key, void *target);
void jo_read_orientation(struct reader *r, int node, const key_def *key, void *target);
void jo_read_shape_corners(struct reader *r, int node, const key_def *key, void *target);
void jo_read_shape_vertices(struct reader *r, int node, const key_def *key, void *target);
void jo_read_group_kind(struct reader *r, int node, const key_def *key, void *target);
void jo_read_region(struct reader *r, int node, const key_def *key, void *target);
void jo_read_group_material(struct reader *r, int node, const key_def *key, void *target);
void jo_read_wall_material(struct reader *r, int node, const key_def *key, void *target);
void jo_read_body_material(struct reader *r, int node, const key_def *key, void *target);
void jo_read_walls(struct reader *r, int node, const key_def *key, void *target);
void jo_read_wall_kind(struct reader *r, int node, const key_def *key, void *target);
void jo_read_motion(struct reader *r, int node, const key_def *key, void *target);
void jo_read_servo(struct reader *r, int node, const key_def *key, void *target);
void jo_read_note_node(struct reader *r, int node, const key_def *key, void *target);
void jo_read_gates(struct reader *r, int node, const key_def *key, void *target);
void jo_read_engine(struct reader *r, int node, const key_def *key, void *target);
void jo_read_interval(struct reader *r, int node, const key_def *key, void *target);

#endif
