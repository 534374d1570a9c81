/* advice.c — which time step is right, and what to say when physics goes wrong.
 *
 * Time step. A contact must be resolved. For laws with moduli the classical bound is the Rayleigh
 * time, how long a surface wave takes around half a sphere:
 *     T_R = pi r sqrt(rho / G) / (0.1631 nu + 0.8766),
 * of which a fifth is taken. Faster impacts are shorter: a fiftieth of the shortest Hertz contact
 * at the speed to be expected (of the bodies now, of walls, of a fall through the scene) is the
 * second bound; for linear laws, whose contact time knows no speed, the only one. Where dashpots
 * take much of an impact a fiftieth would miss the balance of energy by more than a millionth, and
 * it is less. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "soft/poly.h"

static const double pi = 3.14159265358979323846;

typedef struct extremes {
    double mass[JO_MATERIALS_MAX];   /* least of each material; infinite: none */
    double radius[JO_MATERIALS_MAX]; /* of that body */
    double speed, lo[3], hi[3];
} extremes;

static extremes survey(const jo_soft *soft)
{
    const view *s = &soft->s;
    extremes e = {.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t m = 0; m < JO_MATERIALS_MAX; m++)
        e.mass[m] = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        const double *v = s->v + 4 * i, *x = s->x + 4 * i;
        if (v[3] > 0 && 1 / v[3] < e.mass[s->material[i]]) {
            e.mass[s->material[i]] = 1 / v[3];
            e.radius[s->material[i]] = x[3];
        }
        e.speed = fmax(e.speed, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        for (int a = 0; a < 3; a++) {
            e.lo[a] = fmin(e.lo[a], x[a] - x[3]);
            e.hi[a] = fmax(e.hi[a], x[a] + x[3]);
        }
    }
    for (size_t k = 0; k < soft->factory_count; k++) {
        const jo_group *g = &soft->factories[k].group;
        const double r = jo_sizes_smallest(&g->sizes),
                     density = soft->materials[g->material].density;
        const double mass = s->dim == 2 ? density * pi * r * r : density * 4 / 3 * pi * r * r * r;
        if (mass < e.mass[g->material]) {
            e.mass[g->material] = mass;
            e.radius[g->material] = r;
        }
        e.speed =
            fmax(e.speed, sqrt(g->velocity[0] * g->velocity[0] + g->velocity[1] * g->velocity[1] +
                               g->velocity[2] * g->velocity[2]));
    }
    return e;
}

/* The speed that impacts may have: bodies, walls, and half the height of a free fall. */
static double expected_speed(const jo_soft *soft, const extremes *e)
{
    double speed = e->speed, fall = 0;
    for (size_t k = 0; k < soft->wall_count; k++) {
        const jo_wall *wall = &soft->live[k].def;
        const double servo = wall->servo.on ? wall->servo.speed_max : 0;
        speed = fmax(speed, e->speed + servo + jo_wall_speed_bound(wall, soft->largest * 2));
    }
    for (int a = 0; a < 3; a++) {
        double height = e->hi[a] - e->lo[a];
        if (soft->scene.has_box)
            height = fmax(height, soft->scene.domain.hi[a] - soft->scene.domain.lo[a]);
        if (height > 0 && isfinite(height)) fall += fabs(soft->s.gravity[a]) * height;
    }
    return fmax(fmax(speed, sqrt(fall)), 1e-3 * soft->mean_radius);
}

/* Of walls that oscillate; infinite: none does. */
static double shortest_period(const jo_soft *soft)
{
    double period = INFINITY;
    for (size_t k = 0; k < soft->wall_count; k++) {
        const jo_motion *m = &soft->live[k].def.motion;
        const bool shakes = m->amplitude[0] != 0 || m->amplitude[1] != 0 || m->amplitude[2] != 0;
        if (shakes && m->frequency != 0) period = fmin(period, 1 / fabs(m->frequency));
    }
    return period;
}

static double rayleigh(const jo_material *m, double radius)
{
    const double shear = m->young / (2 * (1 + m->poisson));
    return pi * radius * sqrt(m->density / shear) / (0.1631 * m->poisson + 0.8766);
}

void jo_advice(jo_soft *soft)
{
    const extremes e = survey(soft);
    const double speed = expected_speed(soft, &e);
    const bool linear = soft->law.parts.normal == JO_NORMAL_LINEAR;
    double contact = INFINITY, resolved = INFINITY, wave = INFINITY, swing = INFINITY;
    for (size_t a = 0; a < soft->law.materials; a++) {
        if (!isfinite(e.mass[a])) continue;
        if (!linear && soft->materials[a].young > 0)
            wave = fmin(wave, rayleigh(&soft->materials[a], e.radius[a]));
        for (size_t b = 0; b < soft->law.materials; b++) {
            const law_pair *pair = &soft->law.pairs[a * soft->law.materials + b];
            const bool two = isfinite(e.mass[b]); /* else only walls are made of b */
            const double mass = two ? 1 / (1 / e.mass[a] + 1 / e.mass[b]) : e.mass[a];
            const double radius = two ? 1 / (1 / e.radius[a] + 1 / e.radius[b]) : e.radius[a];
            contact = fmin(contact, jo_law_contact_time(&soft->law, pair, radius, mass, speed));
            resolved = fmin(resolved, jo_law_resolved_time(&soft->law, pair, radius, mass, speed));
            swing = fmin(swing, jo_law_tangential_time(&soft->law, pair, radius, mass, speed));
        }
    }
    jo_step_advice *out = &soft->advice;
    *out = (jo_step_advice){.rayleigh = isfinite(wave) ? wave : NAN,
                            .contact = isfinite(contact) ? contact : NAN};
    /* A tangential spring that is stiffer than moduli make it swings faster than contacts last. */
    const bool stiff = swing < 0.5 * resolved, damped = resolved < 0.99 * contact;
    if (stiff) resolved = 2 * swing;
    contact = fmin(contact, 2 * swing);
    out->recommended = fmin(0.2 * wave, resolved / 50);
    out->largest = fmin(0.5 * wave, contact / 12);
    out->why = 0.2 * wave < resolved / 50 ? "a fifth of the Rayleigh time of the smallest body"
               : stiff                    ? "a twenty-fifth of a swing of the tangential spring"
               : damped ? "a fiftieth of the shortest contact expected, less for its damping"
                        : "a fiftieth of the shortest contact expected";
    const double flat = jo_poly_step(soft);
    if (flat < out->recommended) {
        out->recommended = flat;
        out->why = "a fortieth of the period of a polyhedron on its largest face";
    }
    out->largest = fmin(out->largest, 4 * flat);
    const double shake = shortest_period(soft);
    if (shake / 40 < out->recommended) {
        out->recommended = shake / 40;
        out->why = "a fortieth of the period of the wall that shakes fastest";
    }
    out->largest = fmin(out->largest, shake / 10);
    if (!isfinite(out->recommended)) { /* no bodies yet: anything will do */
        out->recommended = out->largest =
            soft->scene.duration > 0 ? soft->scene.duration / 1000 : 1e-3;
        out->why = "no bodies: a thousandth of the duration";
    }
}

void jo_alarm_raise(jo_soft *soft, jo_alarm_kind kind, uint64_t id, const char *format, ...)
{
    jo_alarm *alarm = &soft->alarms[kind];
    if (alarm->count++ > 0) return;
    alarm->kind = kind;
    alarm->time = jo_soft_time(soft);
    alarm->id = id;
    va_list args;
    va_start(args, format);
    vsnprintf(alarm->text, sizeof alarm->text, format, args);
    va_end(args);
}

void jo_alarm_deep(jo_soft *soft, size_t body, size_t other, uint32_t wall, deep_how how,
                   double part, bool start)
{
    const uint64_t *id = soft->id.data;
    const bool pair = wall == UINT32_MAX;
    const jo_alarm_kind kind = start ? JO_ALARM_INITIAL : JO_ALARM_OVERLAP;
    const unsigned long long own = id[body];
    char what[JO_NAME_SIZE + 16];
    if (pair)
        snprintf(what, sizeof what, "body %llu", (unsigned long long)id[other]);
    else if (soft->live[wall].def.name[0] != '\0')
        snprintf(what, sizeof what, "wall '%s'", soft->live[wall].def.name);
    else
        snprintf(what, sizeof what, "wall %u", (unsigned)wall);
    if (how == DEEP_WHOLLY) {
        jo_alarm_raise(soft, kind, own, "body %llu is wholly %s %s%s: nothing presses it out%s",
                       own, pair ? "inside, or around," : "behind, or inside,", what,
                       start ? " at the start" : "",
                       start ? "; place it elsewhere"
                             : ", and when it comes out again it is thrown; the stiffness is too "
                               "low for the speeds, or the time step too large");
        return;
    }
    jo_alarm_raise(soft, kind, own, "body %llu overlaps %s by %.3g of the %s%s", own, what, part,
                   how == DEEP_THICKNESS ? "thinner one's thickness"
                   : pair                ? "smaller radius"
                                         : "radius",
                   start
                       ? pair ? " at the start: they will fly apart; place them further apart"
                              : " at the start: it will be thrown off; place it further away"
                       : ": the stiffness is too low for the speeds or loads, or the time step too "
                         "large");
}

JO_API const char *jo_alarm_name(jo_alarm_kind kind)
{
    static const char *const names[JO_ALARM_COUNT] = {[JO_ALARM_STEP] = "time step",
                                                      [JO_ALARM_OVERLAP] = "overlap",
                                                      [JO_ALARM_SPEED] = "speed",
                                                      [JO_ALARM_BLOWUP] = "blow-up",
                                                      [JO_ALARM_ESCAPE] = "escape",
                                                      [JO_ALARM_INITIAL] = "initial overlap",
                                                      [JO_ALARM_ENERGY] = "energy",
                                                      [JO_ALARM_INSERT] = "insertion",
                                                      [JO_ALARM_COLLAPSE] = "inelastic collapse",
                                                      [JO_ALARM_JAM] = "jam"};
    return (unsigned)kind < JO_ALARM_COUNT ? names[kind] : "unknown";
}

JO_API const jo_alarm *jo_soft_alarms(const jo_soft *soft, size_t *count)
{
    jo_soft *own = (jo_soft *)soft; /* the list is a copy made for the caller */
    own->alarm_count = 0;
    for (int k = 0; k < JO_ALARM_COUNT; k++)
        if (soft->alarms[k].count > 0) own->alarm_list[own->alarm_count++] = soft->alarms[k];
    for (size_t k = 1; k < own->alarm_count; k++) /* the first first: it is the likely cause */
        for (size_t m = k; m > 0 && own->alarm_list[m].time < own->alarm_list[m - 1].time; m--) {
            const jo_alarm later = own->alarm_list[m - 1];
            own->alarm_list[m - 1] = own->alarm_list[m];
            own->alarm_list[m] = later;
        }
    *count = own->alarm_count;
    return own->alarm_list;
}
