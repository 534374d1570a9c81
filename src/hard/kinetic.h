/* kinetic.h — how hard polygons and their triangulation lie in memory.
 *
 * Times are local: since `base`, which moves on with every epoch of the calendar. Each body has its
 * own clock, the local time for which its place is stored; to bring it to another time changes
 * nothing but rounding. A triangle's plan is when it will be looked at next, and why. An entry of
 * the calendar that differs from the plan of its triangle was replaced.
 *
 * Bodies that never move have their corners' places as arms and all share one motion, `still`. */
#ifndef JO_HARD_KINETIC_H
#define JO_HARD_KINETIC_H

#include "hard/calendar.h"
#include "hard/flat_time.h"
#include "hard/tri.h"
#include "jostle/kinetic.h"

typedef struct kin_body {
    flat_body motion; /* at `clock` */
    double clock, angle;
    double inverse_mass, inverse_inertia; /* 0: fixed */
    double mass, inertia, radius;         /* largest arm */
    uint64_t id;
    uint32_t first, count; /* its corners */
    uint32_t material;
    bool still;
    bool gone;    /* was taken out; its place in the arrays waits to be used (kinetic_change.c) */
    bool held;    /* rests on others: its weight waits (kinetic_rest.c) … */
    double since; /* … since that time … */
    double held_x[2]; /* … and place */
    uint32_t hits;    /* collisions since rest was last solved for */
} kin_body;

/* A contact that carries weight, and its impulses when that was last solved. */
typedef struct kin_touch {
    uint64_t key; /* which corners */
    double push, rub;
} kin_touch;

typedef enum plan_kind {
    PLAN_NONE,   /* three corners that move as one: never */
    PLAN_RENEW,  /* certain up to here: look again */
    PLAN_NEAR,   /* a corner comes near the line of a mandatory side */
    PLAN_FLAT,   /* goes flat */
    PLAN_STUCK,  /* is flat, and stays so unless it is flipped */
    PLAN_CORNERS /* two corners come near each other */
} plan_kind;

typedef struct kin_plan {
    double time;
    plan_kind kind;
    uint32_t seen; /* the round of predictions it was last part of */
} kin_plan;

struct jo_kinetic {
    /* bodies, and one for the boundary; those that came later are behind it */
    uint32_t bodies, corners, boundary;
    uint64_t next_id; /* above all ids there were */
    uint32_t gone;    /* how many of them are no more */
    size_t room_bodies, room_corners, room_triangles;
    kin_body *body;
    double *local;   /* corners from the centre of mass at angle 0 */
    double *arm;     /* the same at the body's angle, at its clock */
    uint32_t *owner; /* of a corner */
    uint32_t *next;
    flat_body still;
    /* triangles */
    tri_mesh mesh;
    kin_plan *plan;
    struct plan *due; /* times of plans where the calendar looks them up */
    uint64_t *order;  /* 0, 1, 2 …: decides between equal times */
    calendar calendar;
    /* time */
    double base, now;           /* local time is since base */
    uint64_t taken, taken_most; /* events in this epoch; more make it shorter */
    double instant;             /* local time of the event before */
    uint64_t at_instant;        /* events at that very time */
    double crowd_since; /* time of an event, and how many since then and hardly later; not saved */
    uint64_t crowd;
    /* bodies at rest: kinetic_rest.c */
    double rest_at; /* local time of the next solution; INFINITY: never */
    double rest_period, rest_gap, part_speed;
    double elastic_speed; /* at which bodies part that never rest, at least */
    kin_touch *touch;
    size_t touches;
    uint32_t *member; /* of a cluster: between calls of no meaning */
    buffer memory_touch, memory_contacts,
        memory_rest; /* the latter two: between calls of no meaning */
    /* parameters */
    double gravity[2], gap, least_speed, period;
    double turn_most; /* radians for which the series holds */
    flat_method method;
    uint32_t materials;
    double *friction, *restitution;
    /* counters */
    jo_kinetic_stats stats;
    uint64_t events;
    jo_kinetic_event last;
    uint32_t round;
    bool rebuilt; /* by the present event */
    jo_status failed;
    char failure[JO_ERROR_TEXT];
    /* for looking */
    double *seen_place;
    uint64_t *ids; /* of bodies, for messages */
    buffer memory_look, memory_saved, memory_near;
};

static inline const flat_body *motion_of(const jo_kinetic *k, uint32_t body)
{
    return k->body[body].still ? &k->still : &k->body[body].motion;
}

/* Puts the plan of triangle t into the calendar. */
static inline void enter_plan(jo_kinetic *k, uint32_t t)
{
    k->due[t].meet = k->due[t].leave = k->plan[t].time;
    calendar_put(&k->calendar, k->plan[t].time, t);
}

/* The number of a body, not the boundary; TRI_NONE: there is none. */
uint32_t jo_kinetic_find(const jo_kinetic *k, uint64_t id);
/* Takes a body out, by its number: other numbers stay as they are until jo_kinetic_pack. */
jo_status jo_kinetic_take_out(jo_kinetic *k, uint32_t body, jo_error *error);
/* Is a circle clear of everything solid? Changes nothing. */
bool jo_kinetic_is_clear(jo_kinetic *k, const double x[2], double radius);
/* Brings a body to the present. */
void jo_kinetic_bring(jo_kinetic *k, uint32_t body);
/* The present place of a corner whose body was brought to the present. */
static inline void corner_place(const jo_kinetic *k, uint32_t v, double out[2])
{
    const flat_body *m = motion_of(k, k->owner[v]);
    out[0] = m->x[0] + k->arm[2 * (size_t)v];
    out[1] = m->x[1] + k->arm[2 * (size_t)v + 1];
}

/* Places of all corners now, without moving anything; into k->seen_place. */
void jo_kinetic_places(jo_kinetic *k);
tri_input jo_kinetic_input(const jo_kinetic *k);

/* Zeroed arrays for so many bodies (the boundary counts), and an empty calendar; false: no
 * memory. */
bool jo_kinetic_make_room(jo_kinetic *k, size_t bodies, size_t corners, size_t materials);
/* The same arrays for more of them; what they hold stays. */
bool jo_kinetic_more_room(jo_kinetic *k, size_t bodies, size_t corners);
/* Body i from a definition of one body or more, of which it is number `which`. */
jo_status jo_kinetic_add_body(jo_kinetic *k, const jo_kinetic_def *def, size_t which, uint32_t i,
                              uint64_t id, jo_error *error);
/* Makes numbers of bodies and corners consecutive where some are gone. Changes no result. */
void jo_kinetic_pack(jo_kinetic *k);

/* Triangulates anew at the present, and predicts everything. */
jo_status jo_kinetic_rebuild(jo_kinetic *k, jo_error *error);

/* Looks ahead for triangle t, whose bodies are brought to the present, and enters what is found.
 * touching: it has just collided. */
void jo_kinetic_predict(jo_kinetic *k, uint32_t t, bool touching);
/* The same for all triangles at a body, each once in a round; `touching` is one that has just
 * collided. */
void jo_kinetic_predict_body(jo_kinetic *k, uint32_t body, uint32_t touching);
/* An empty calendar of that length from the present epoch's start, with all plans. */
void jo_kinetic_begin_epoch(jo_kinetic *k, double length);

/* After triangle t was made by triangulating; its bodies are at the present. */
jo_status jo_kinetic_tidy(jo_kinetic *k, uint32_t t, jo_error *error);
/* What happens to triangle t, whose plan is due now. */
jo_status jo_kinetic_happen(jo_kinetic *k, uint32_t t, jo_error *error);

/* Parameters of rest, for bodies of that mean radius. */
void jo_kinetic_choose_rest(jo_kinetic *k, double size);
/* Solves for the impulses of contacts that last, at rest_at. */
jo_status jo_kinetic_rest(jo_kinetic *k, jo_error *error);
/* One of two bodies, which are at the present, leans on the other: it is held where that is. */
void jo_kinetic_lean(jo_kinetic *k, uint32_t one, uint32_t two);
/* Counts a collision of two bodies: have they had many since rest was last solved for? */
bool jo_kinetic_is_restless(jo_kinetic *k, uint32_t one, uint32_t two);
/* A joint impact of these two bodies and those that touch them. */
jo_status jo_kinetic_calm(jo_kinetic *k, uint32_t one, uint32_t two, jo_error *error);
/* Corners have other names: now[v], TRI_NONE where v is gone. */
void jo_kinetic_rename_touches(jo_kinetic *k, const uint32_t *now);
/* The energy that a held body, now at x, has lost by moving without its weight. */
double jo_kinetic_unpaid(const jo_kinetic *k, uint32_t body, const double x[2]);

#endif
