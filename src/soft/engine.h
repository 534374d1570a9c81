/* engine.h — what the files of the soft engine share.
 *
 * Bodies live in arrays of rows, sorted along a space-filling curve and cut into blocks of
 * BLOCK_BODIES. A block is the unit of work: one thread computes the forces on its bodies, reading
 * those of other blocks. A contact between two blocks is computed by both, each for its own body,
 * with the same operands in the same order: so both get the same bits, nothing is summed across
 * threads, and the result does not depend on how many there are.
 *
 * A step (soft.c): move, walls, lists when bodies have moved too far, forces. Between steps the
 * arrays hold positions at time t, velocities half a step before, and forces at t. */
#ifndef JO_SOFT_ENGINE_H
#define JO_SOFT_ENGINE_H

#include "base/memory.h"
#include "jostle/broad.h"
#include "jostle/soft.h"
#include "law/law.h"
#include "narrow/wall.h"
#include "soft/memos.h"

enum { BLOCK_BODIES = 1024, MANY_BODIES = 128 * BLOCK_BODIES };

/* Entries of the lists. Pairs within a block ("inner"): both places in the block, the smaller
 * first. Pairs with another block ("outer"): the other body's index; the own one's place is in
 * `own`. The highest bit says whether they are in contact. */
#define ENTRY_TOUCHING ((uint32_t)1 << 31)
#define ENTRY_BODY     (ENTRY_TOUCHING - 1)
#define INNER_A(entry) ((entry)&0x7fff)
#define INNER_B(entry) ((entry) >> 15 & 0xffff)
#define INNER(a, b)    ((uint32_t)(a) | (uint32_t)(b) << 15)

/* The entries of one block: rows [row, row + inner) and then `outer` more; and where its part of
 * `own` begins. Either part lists first the contacts that there were when the lists were made, then
 * the other pairs by how far apart they were, in classes: a pair cannot touch before bodies have
 * moved that far, so that until then it need not be looked at. end[part][k] is where class k
 * begins.
 *
 * The first of both parts, [0, end[part][0]), have the block's first memos, in their order; the
 * others get one when they become contacts, and `late` says which. */
enum { NEAR_CLASSES = 8 };
typedef struct block_list {
    size_t row, own, late, page; /* where its part of each array begins */
    uint32_t inner, outer;
    uint32_t memos; /* given out so far */
    uint32_t end[2][NEAR_CLASSES + 1];
} block_list;

/* Doubles of history per contact with a wall: tangential xi, and the dashpot's force a step ago. */
enum { HISTORY = 4 };

/* Floats that the account of energy notes per contact with a wall: force of the tangential dashpot
 * (3, unused) and torque of rolling resistance (likewise) a step ago. */
enum { NOTE = 8 };

/* As far as anything can come: lists that lack a body or a wall have to be made anew. Finite, for
 * it may be saved. */
static const double far_off = 1e300;

/* The box as kernels need it. */
typedef struct box4 {
    bool periodic[3], any;
    double size[3], inverse[3];
    bool sheared;
    double offset; /* of the image above, along x */
    double jump;   /* its velocity */
} box4;

/* What one block reports of a step; summed in the order of blocks. */
typedef struct block_sums {
    double dissipated;
    double work;                   /* by the shear of the box */
    double speed2_max;             /* after the move */
    double slowest[4], fastest[4]; /* bounds of the velocities; the last of four means nothing */
    double deep; /* overlap over the smaller radius, of the first contact beyond the alarm */
    uint32_t deep_a, deep_b;
    uint32_t deep_wall; /* instead of deep_b; UINT32_MAX: none */
    uint32_t deep_count;
    uint32_t lost; /* first body whose velocity is not finite, or UINT32_MAX */
    bool no_room;  /* memory for what a contact remembers ran out */
} block_sums;

/* A body near a primitive or several of one wall. */
typedef struct wall_near {
    uint32_t body;
    uint32_t wall;
    uint32_t first, count; /* in the block's primitives */
} wall_near;

typedef struct wall_contact {
    uint32_t body;
    uint32_t wall;
    uint32_t feature;
    uint32_t matched;
    double history[HISTORY];
    double roll[3];
    double normal[3], gap; /* those of the last step: where its force pointed, and its lever arm */
    float note[NOTE];
} wall_contact;

typedef struct block_walls {
    buffer near;       /* wall_near */
    buffer primitives; /* uint32_t */
    buffer contacts;   /* wall_contact, sorted by body, wall, feature */
    size_t near_count, primitive_count, contact_count;
} block_walls;

typedef struct wall_rate {
    double velocity[3], spin[3];
} wall_rate;

/* A wall while it runs. */
typedef struct wall_live {
    jo_wall def;
    wall_shape *shape;
    wall_pose now;                         /* at time t */
    wall_pose before;                      /* a step ago, but with the servo's speed since then */
    double velocity_half[3], spin_half[3]; /* half a step before */
    wall_rate was, is;  /* over which the forces of a step ago and of now act in the last step, in
                           the account */
    double servo_shift; /* along servo.direction, so far */
    double servo_speed;
    double force[3], torque[3]; /* of the bodies on the wall; torque about the moved pivot */
    bool present;
} wall_live;

/* Everything a kernel reads and writes; pointers into the engine's buffers. */
typedef struct view {
    size_t n;
    size_t many; /* bodies: what is written of so many leaves the caches before it is read */
    bool ahead;  /* memory that is needed soon is asked for (kernel_ahead.h) */
    int dim;
    double *x; /* rows x, y, z, radius */
    double *v; /* rows vx, vy, vz, 1 / mass (0: fixed), half a step back */
    double *w; /* rows wx, wy, wz, 1 / moment of inertia */
    float *c;  /* rows of 6: half a step's velocity change, the same of the spin */
    double *f; /* rows of 6: force, torque */
    uint8_t *material;
    block_list *list; /* per block */
    uint32_t *entry;
    uint16_t *own;   /* of outer entries */
    uint32_t *late;  /* of entries beyond the first ones: number of the memo, or NO_ROW */
    memo_page *page; /* of each block's memos */
    memo_layout memo;
    memo_pool *pool;
    block_sums *sums;
    block_walls *walls;
    const wall_live *live;
    size_t wall_count;
    double *wall_forces; /* blocks x walls x 6: force, torque */
    const law *law;
    const law_pair *uniform; /* of bodies that are all of one material; NULL: they are not */
    double radius,
        lightness; /* of bodies that are all alike, but for fixed ones; 0: they are not */
    box4 box;
    double step; /* time step */
    double gravity[3];
    double reach; /* how far contacts may last beyond touching, at most */
    int classes;  /* of pairs in the lists that may have come into contact */
    double deep_alarm;
    bool account;
} view;

/* What belongs to one thread. */
typedef struct scratch {
    buffer sums;  /* rows of 8, BLOCK_BODIES + 1: forces and torques of the block, and a sink */
    buffer words; /* uint32_t: entries of the block that are contacts, and where they are; each
                        with room for all entries of any block */
    size_t room;
    buffer walls;        /* wall_contact: those of a block a step ago, with room for any block's */
    double wall_seconds; /* spent on walls since somebody asked */
    char nowhere[128];   /* the memo of pairs that turn out to be no contacts */
    char apart[64];      /* no line of the cache is written by two threads */
} scratch;

/* A contact as measured. */
typedef struct contact_record {
    uint32_t a, b; /* bodies; b is UINT32_MAX for a wall */
    uint32_t wall, sliding;
    double overlap, elastic, normal;
    double bend;     /* the normal spring's part in the account's own term: law_normal_bend */
    double n[3];     /* from b to a */
    double force[3]; /* on a */
    double arm;      /* from a's centre to the contact, along -n; NaN: at `point` from it */
    double point[3];
    double branch[3]; /* from b's centre to a's; from the contact point, for walls */
} contact_record;

/* The kernels, compiled plain and for AVX2. */
typedef struct kernels {
    void (*move)(const view *s, size_t block);
    void (*pairs)(const view *s, size_t block, scratch *own, double dt);
    void (*walls)(const view *s, size_t block, scratch *own, double dt);
    /* Contacts that block reports: each contact of the system is reported by exactly one block. out
     * has room for all its entries and wall contacts. Changes nothing. */
    size_t (*measure)(const view *s, size_t block, contact_record *out);
} kernels;
extern const kernels jo_soft_kernels_plain, jo_soft_kernels_avx2, jo_soft_kernels_avx512;

typedef struct factory {
    jo_group group;
    double owed;          /* mass or bodies due and not inserted yet */
    uint64_t made, tries; /* counters that number the random draws */
    uint64_t blocked;     /* how often in a row no room was found */
} factory;

/* The step as a fraction, so that times are rounded once: clock.c. */
typedef struct step_clock {
    double numerator, denominator;
} step_clock;

struct jo_soft {
    jo_scene scene; /* plain values; arrays below are copies */
    jo_material *materials;
    jo_contact_def *contacts; /* materials x materials, as they are now */
    bool changed;             /* something of the scene was, while it ran */
    law law;
    view s; /* the kernels' view */
    const kernels *run;
    int threads;
    scratch *scratch; /* per thread */
    size_t blocks;
    size_t listed_blocks; /* blocks when the lists were made: bodies inserted since have none */
    buffer x, v, w, c, f, id, material, list, entry, own, late_memo, page, sums, wall_forces;
    memo_pool pool;
    uint32_t *map; /* old index to new, while lists are made; in the forces' room. NULL: they are
                      the same */
    buffer block_walls;
    size_t block_walls_made;
    buffer records, pages_before, ghosts, ghost_of;
    jo_broad *search;
    const char *search_method;
    size_t pairs_found;  /* by the last search */
    double found_within; /* of contact */

    wall_live *live;
    size_t wall_count;
    factory *factories;
    size_t factory_count;

    uint64_t steps;
    step_clock clock;
    uint64_t next_id;
    double skin;                /* in use */
    double skin_low, skin_high; /* bounds within which it adapts; equal: fixed by the scene */
    double apart;               /* how much nearer two bodies can have come since lists were made */
    double travel;              /* how far any body can have moved since then */
    double wall_travel;         /* likewise any wall */
    double shear_travel;        /* likewise the image across the sheared boundary */
    uint64_t list_step;         /* when they were made */
    double unsorted; /* `apart` since bodies were put in order; infinity: they must be now */
    double largest;  /* radius */
    double smallest;
    double mean_radius;
    double wall_range; /* how far from the origin bodies may be, for speeds of turning walls */
    double dissipated, work, gone, energy_start;
    double late; /* of `work`, what the present forces will have done half a step later */
    uint64_t inserted, removed;
    double *beyond_removed; /* per gate: mass of removed bodies beyond it */

    jo_step_advice advice;
    jo_alarm alarms[JO_ALARM_COUNT];
    jo_alarm alarm_list[JO_ALARM_COUNT];
    size_t alarm_count;
    bool dead; /* blew up */

    struct poly_world *poly; /* poly.h */

    jo_soft_stats stats;
    buffer frame[14]; /* arrays of the last frame */
    buffer contact_out, saved, order;
    buffer rank; /* glances: places in the order of ids */
    bool ranked; /* they are those of the bodies as they lie now */
};

static inline size_t block_first(size_t block)
{
    return block * BLOCK_BODIES;
}
static inline size_t block_count(const view *s, size_t block)
{
    const size_t first = block_first(block);
    return s->n - first < BLOCK_BODIES ? s->n - first : BLOCK_BODIES;
}
/* Which memo of its block an entry has: the k-th of the inner part (0) or the outer one (1).
 * NO_ROW: none. */
static inline uint32_t *late_of(const view *s, const block_list *list, int part, uint32_t k)
{
    const uint32_t before = part ? list->inner - list->end[0][0] : 0;
    return &s->late[list->late + before + (k - list->end[part][0])];
}
static inline uint32_t memo_of(const view *s, const block_list *list, int part, uint32_t k)
{
    if (k < list->end[part][0]) return part ? list->end[0][0] + k : k;
    return *late_of(s, list, part, k);
}
/* Where it lies. */
static inline char *memo_at(const view *s, const block_list *list, uint32_t memo)
{
    memo_page *page = &s->page[list->page + memo / MEMO_ROWS];
    return atomic_load_explicit(page, memory_order_relaxed) +
           (size_t)(memo % MEMO_ROWS) * s->memo.size;
}

/* Where a body of before the sorting is now; UINT32_MAX: gone. */
static inline uint32_t now_at(const jo_soft *soft, uint32_t before)
{
    return soft->map != NULL ? soft->map[before] : before;
}

/* state.c: the arrays. */
jo_status jo_state_room(jo_soft *soft, size_t n, jo_error *error);
void jo_state_view(jo_soft *soft);
void jo_state_uniform(jo_soft *soft); /* are all bodies of one material, and alike? */
void jo_state_put(jo_soft *soft, size_t i, uint64_t id, const double x[3], const double v[3],
                  const double w[3], double r, uint32_t material, bool fixed);
void jo_state_sort(jo_soft *soft); /* and fills map: old index to new */
void jo_state_velocity(const jo_soft *soft, size_t i, double v[3], double w[3]); /* at time t */
size_t jo_state_bytes(const jo_soft *soft);
jo_status jo_state_order(jo_soft *soft, uint32_t **order, jo_error *error); /* indices by id */

/* lists.c: who is near whom. */
jo_status jo_lists_room(jo_soft *soft, size_t entries, size_t outer, jo_error *error);
/* memos.c. Where each block's pages are noted: as many as if all its entries became contacts. How
 * many? */
size_t jo_lists_pages(jo_soft *soft);
/* Room for the memos of entries that are in place; the first ones' pages come later. */
jo_status jo_lists_memos(jo_soft *soft, jo_error *error);
/* The other entries may get memos from now on. */
jo_status jo_lists_late(jo_soft *soft, jo_error *error);
/* Gives entry k of a part a memo; NULL: memory ran out. By who works on the block. */
char *jo_lists_remember(const view *s, block_list *list, int part, uint32_t k);
void jo_lists_drop(jo_soft *soft);                           /* when they could not be made */
bool jo_lists_reserve(buffer *b, size_t count, size_t size); /* contents are lost */
jo_status jo_lists_rebuild(jo_soft *soft, jo_error *error);
bool jo_lists_due(const jo_soft *soft);
void jo_lists_awake(jo_soft *soft); /* which classes of pairs are to be looked at now */

/* wrap.c */
void jo_box_wrap(
    jo_soft *soft); /* all bodies are in the periodic box again; the work it took is counted */

/* soft_walls.c */
jo_status jo_walls_create(jo_soft *soft, jo_error *error);
void jo_walls_destroy(jo_soft *soft);
void jo_walls_move(jo_soft *soft, double t, double dt);
/* Whether a wall comes or goes with the step that ends at time t. */
bool jo_walls_change(const jo_soft *soft, double t);
/* Whether a wall is there, also after the present moment. */
bool jo_wall_stays(const jo_soft *soft, const wall_live *wall);
jo_status jo_walls_near(jo_soft *soft, jo_error *error);
/* While lists are made: copies the contacts with walls (for free()), hands them to their bodies'
 * new blocks. */
jo_status jo_walls_take(jo_soft *soft, size_t blocks_before, wall_contact **all, size_t *count,
                        jo_error *error);
jo_status jo_walls_settle(jo_soft *soft, wall_contact *all, size_t n, jo_error *error);
void jo_walls_gather(jo_soft *soft, double dt);

/* insert.c */
jo_status jo_insert_due(jo_soft *soft, bool *changed, jo_error *error);
jo_status jo_remove_gone(jo_soft *soft, bool *changed, jo_error *error);
/* Appends a body that has just begun to fall freely; lists do not know it yet. */
jo_status jo_insert_body(jo_soft *soft, const jo_body_def *body, bool fixed, jo_error *error);
bool jo_wall_touches(const wall_live *wall, const double x[3], double r);

/* change.c: what was changed while it ran, as numbers that are saved. */
size_t jo_changes_count(const jo_soft *soft); /* 0: nothing was */
void jo_changes_pack(const jo_soft *soft, double *out);
bool jo_changes_unpack(jo_soft *soft, const double *in, jo_error *error);

/* advice.c */
void jo_advice(jo_soft *soft);
void jo_alarm_raise(jo_soft *soft, jo_alarm_kind kind, uint64_t id, const char *format, ...)
    JO_PRINTF(4, 5);

/* A contact beyond the alarm, of a body with another, or with a wall (UINT32_MAX: none). At the
 * start bodies were placed so. */
typedef enum deep_how {
    DEEP_RADIUS,    /* `part` is its overlap over the smaller radius */
    DEEP_THICKNESS, /* over the thickness of the thinner body */
    DEEP_WHOLLY     /* one is inside the other, or behind the wall, and nothing presses it out */
} deep_how;
void jo_alarm_deep(jo_soft *soft, size_t body, size_t other, uint32_t wall, deep_how how,
                   double part, bool start);

/* clock.c: sets the step, and how times are made of it. */
void jo_clock_given(jo_soft *soft, double step);
void jo_clock_choose(jo_soft *soft, double longest); /* the duration's even share, or less */

/* same_place.c: JO_ERR_DATA names two bodies at one point. */
jo_status jo_same_place(const jo_soft *soft, jo_error *error);

/* measure.c */
/* What the energy is off by; for the account itself. */
jo_status jo_soft_balance(jo_soft *soft, double *off, jo_error *error);
double jo_body_energy(const jo_soft *soft, size_t i); /* kinetic and potential */

/* soft.c */
jo_status jo_soft_make(const jo_scene *scene, const jo_soft_options *options, jo_soft **out,
                       jo_error *error);
jo_status jo_soft_forces(jo_soft *soft, double dt, jo_error *error);
jo_status jo_soft_box_fits(const jo_soft *soft, double largest, double reach, jo_error *error);
void jo_soft_set_skin(jo_soft *soft);

#endif
