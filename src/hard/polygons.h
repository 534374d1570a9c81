/* polygons.h — a scene of hard polygons in memory: the world of kinetic.h, and what happens to it
 * at times that are known beforehand.
 *
 * `time` is the time that was asked for last, and reached; the world's own may differ from it by
 * rounding, or be that of the last event. What is due at a time is done when the time is reached,
 * and before anything later: first walls that go away, then walls that turn to another velocity,
 * then the look for bodies that left. */
#ifndef JO_HARD_POLYGONS_H
#define JO_HARD_POLYGONS_H

#include "hard/kinetic.h"
#include "jostle/polygons.h"

typedef struct polygon_wall {
    jo_wall wall;     /* without what it owns */
    double centre[2]; /* of mass, as described */
    double until;     /* infinite: for ever, or gone already */
    double turn;      /* when it gets its next velocity; infinite: never */
    bool moves, gone;
    uint32_t body;   /* its number in the world, when that was last looked up */
    double *outline; /* as described: `corners` of them */
    size_t corners;
} polygon_wall;

enum { JO_POLYGONS_MARK_PER_BODY = 500 }; /* see polygons.c */

typedef struct polygon_factory {
    jo_group group;       /* with its own outline, without the rest that it owns */
    double density, paid; /* mass or bodies so far */
    uint64_t made, tries; /* counters that number the random draws */
    uint64_t blocked;     /* how often in a row no room was found */
} polygon_factory;

struct jo_polygons {
    jo_kinetic *world;
    double time;
    /* the scene */
    jo_domain box;
    jo_leaving leaving;
    bool has_box;
    double gravity[2];
    size_t wall_count, gate_count, factory_count;
    polygon_wall *walls;
    polygon_factory *factories;
    jo_gate *gates;
    double *beyond;  /* of each gate: mass that was there when it was removed */
    double *density; /* of each material */
    /* what happened */
    double look_every, patience;
    uint64_t looks; /* done */
    uint64_t removed, inserted, next_id;
    double last_left; /* when a body left last, or the way out was opened */
    bool jammed;
    uint64_t mark_every; /* so many events must bring time on, or bodies are being crushed */
    double mark_time;    /* at the last of these marks */
    double gone, start;  /* energies: of bodies that left; at the beginning */
    jo_alarm alarms[JO_ALARM_COUNT];
    jo_alarm raised[JO_ALARM_COUNT];
    double seconds_making;
    /* for looking and saving */
    buffer memory_frame, memory_sides, memory_saved, memory_leavers, memory_outline;
};

/* Everything but the world and its history, from a scene that was checked. */
jo_status jo_polygons_prepare(const jo_scene *scene, jo_polygons **polygons, jo_error *error);
/* Times between looks that the scene leaves open, from the world. */
void jo_polygons_choose(jo_polygons *p, const jo_scene *scene);

/* A body as it is now; walls, too. */
typedef struct polygon_now {
    double x[2], v[2], angle, spin;
} polygon_now;
polygon_now jo_polygons_see(const jo_polygons *p, uint32_t body);

/* Is body i of the world one of the scene's, that is there, and no wall? */
static inline bool is_grain(const jo_polygons *p, uint32_t i)
{
    return p->world->body[i].id < JO_POLYGONS_WALL && !p->world->body[i].gone;
}

/* How many of these there are. */
uint32_t jo_polygons_bodies(const jo_polygons *p);
/* The number of a wall that is there in the world; TRI_NONE: it is the boundary, or gone. */
uint32_t jo_polygons_wall_body(const jo_polygons *p, size_t wall);

/* polygons_factory.c: factories of a scene; their bodies' mean radius (0: there are none); what
 * they owe now is made. */
jo_status jo_polygons_factories(jo_polygons *p, const jo_scene *scene, jo_error *error);
void jo_polygons_free_factories(jo_polygons *p);
double jo_polygons_factory_size(const jo_polygons *p);
jo_status jo_polygons_pay(jo_polygons *p, jo_error *error);

/* polygon_walls.c: where a wall's centre is to be at a time, and by how much it is turned; when it
 * turns to another velocity after that; and giving it that. */
double jo_polygon_wall_next(const polygon_wall *w, double time);
jo_status jo_polygon_wall_steer(jo_polygons *p, size_t wall, jo_error *error);
void jo_polygon_wall_pose(const polygon_wall *w, double time, double centre[2], double *angle);

/* The sentence of a failure of the world's, with names of walls in it. */
jo_status jo_polygons_fail_named(const jo_polygons *p, const jo_error *why, jo_error *error);

void jo_polygons_raise(jo_polygons *p, jo_alarm_kind kind, uint64_t id, const char *format, ...)
    JO_PRINTF(4, 5);

#endif
