/* plan.h — what a ball will do next. */
#ifndef JO_HARD_PLAN_H
#define JO_HARD_PLAN_H

#include <stdint.h>

typedef struct plan {
    double meet;      /* time of the next collision; INFINITY: none known */
    double leave;     /* when it leaves its cell or shell */
    uint32_t turns;   /* how often its way has changed */
    uint32_t partner; /* PARTNER bits: a ball, or a surface from SURFACES on, or one of the words
                               below; above: which border it crosses, 2 * axis, + 1 upwards */
    uint32_t partner_turns; /* the partner's when this was planned */
    uint32_t place;         /* its cell: coordinates packed */
} plan;

#define NOBODY       0xffffffffu /* end of a chain */
#define PARTNER      0x1fffffffu /* also: none */
#define LOOK_AGAIN   0x1ffffffeu /* not a collision: how far a moving wall was looked at */
#define SURFACES     0x10000000u /* balls are below */
#define BORDER_SHIFT 29

/* When its next event is due. */
static inline double pending(const plan *p)
{
    return p->meet <= p->leave ? p->meet : p->leave;
}

#endif
