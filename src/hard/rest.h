/* rest.h — what only setting up, measuring and saving need of the engine. */
#ifndef JO_HARD_REST_H
#define JO_HARD_REST_H

#include "base/random.h"
#include "hard/balls.h"
#include "hard/surfaces.h"

/* The sums and state at which an interval of observables began. */
typedef struct hard_mark {
    double time;
    hard_sums sums;
    double kinetic; /* energy of translation about the centre of mass */
} hard_mark;

struct hard_rest {
    jo_domain domain;
    bool has_box;
    jo_leaving leaving;
    double largest; /* diameter that any ball will have */
    double volume;  /* of the box, or of the bodies' bounds at the start where there is none */
    jo_wall *walls; /* without their triangles */
    size_t wall_count;
    jo_gate *gates;
    size_t gate_count;
    surface_list surfaces;
    double *densities;    /* of materials */
    bool tc_chosen;       /* the scene leaves contact_duration open */
    bool changed;         /* gravity or impacts were, while it ran */
    double *wall_marked;  /* impulses of walls at the mark */
    double grown;         /* growth ends when balls are this many times what they were */
    double grow_stop;     /* absolute time of that; INFINITY */
    double grow_pressure; /* growth ends at this reduced pressure; NaN: whatever it is */
    /* It is looked at after so many events, as the mean since the last look. */
    uint64_t look_at;
    double looked_at, looked_stress; /* time, and sum of the virial, of that look */
    double temperature, kick_rate, next_kick;
    random_stream kicks;
    double first_length; /* of the first epoch */
    double energy_start;
    hard_mark observed;
    double *marked; /* positions at the mark, unwrapped; NULL: no mark yet */
    jo_alarm alarms[JO_ALARM_COUNT], raised[JO_ALARM_COUNT];
    jo_status failed;
    char failure[JO_ERROR_TEXT];
    bool order_known; /* `order` is that of the ids */
    double sorted_at; /* collisions per ball when balls were last put in order */
    size_t bytes_peak;
    buffer frame_x, frame_v, frame_w, frame_zero, frame_r, frame_mass, frame_id, frame_material,
        frame_fixed, frame_touching, order, saved, marked_memory, log_out;
};

/* ---- hard_make.c ---- */
/* Puts balls into cells, or makes lists, for the present positions; and predicts all. */
jo_status jo_hard_settle(jo_hard *hard, jo_error *error);
/* Sorts balls along a curve through space, so that those near each other are near in memory. */
jo_status jo_hard_sort(jo_hard *hard, jo_error *error);
size_t jo_hard_bytes(const jo_hard *hard);
/* Everything but the balls' state: from a scene, for n balls. */
jo_status jo_hard_prepare(const jo_scene *scene, const jo_hard_options *options, size_t n,
                          jo_hard **hard, jo_error *error);
/* Reads off sizes and masses, chooses the search unless that is decided, makes room. */
jo_status jo_hard_arrange(jo_hard *hard, const jo_scene *scene, bool decided, jo_error *error);
/* After gravity or impacts have changed: what follows from them. */
jo_status jo_hard_adapt(jo_hard *hard, jo_error *error);
double jo_ball_mass(const jo_hard *hard, uint32_t i);

/* ---- hard.c ---- */
/* A new epoch of that length, from all plans. */
void jo_hard_begin_epoch(jo_hard *hard, double length);
/* Predicts everything anew: all ways, or sizes, have changed. */
void jo_hard_restart(jo_hard *hard);

/* ---- hard_change.c ---- */
/* What was changed while it ran, as numbers that are saved; 0: nothing was. */
size_t jo_hard_changes_count(const jo_hard *hard);
void jo_hard_changes_pack(const jo_hard *hard, double *out);
/* To be called before balls are arranged, and again afterwards. False: they cannot be. */
bool jo_hard_changes_unpack(jo_hard *hard, const double *in);

/* ---- hard_measure.c ---- */
/* Indices of the balls in the order of their ids. */
const uint32_t *jo_hard_order(jo_hard *hard);
/* JO_ERR_DATA naming the first two that overlap, or the ball that overlaps a wall. */
jo_status jo_hard_no_overlaps(jo_hard *hard, jo_error *error);
/* Raises the alarm for balls that left the box through an open side. */
void jo_hard_find_escaped(jo_hard *hard);
void jo_hard_raise(jo_hard *hard, jo_alarm_kind kind, uint64_t id, const char *format, ...)
    JO_PRINTF(4, 5);
/* Energy of translation and rotation, and in gravity. */
void jo_hard_energies(const jo_hard *hard, double *translation, double *rotation,
                      double *potential);
/* Kinetic energy about the centre of mass, twice that over mass and dimension summed: kT N. */
double jo_hard_thermal(const jo_hard *hard);

#endif
