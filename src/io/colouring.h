/* colouring.h — which colour a body gets, and what the colours mean. */
#ifndef JO_IO_COLOURING_H
#define JO_IO_COLOURING_H

#include "io/palette.h"
#include "jostle/picture.h"
#include "scene/survey.h"

#define COLOURING_STEPS 256

typedef struct colouring {
    jo_colour_by by;
    bool logarithmic; /* positions on the map follow the logarithm (of 1 + value for contacts) */
    bool discrete;    /* contacts, few enough that every number has its own colour */
    bool exceeded;    /* some bodies lie beyond hi, and have its colour */
    bool uniform;     /* every body has the same value */
    double lo, hi;    /* values at the ends of the map */
    uint32_t table[COLOURING_STEPS];
    uint32_t free_rgb;      /* contacts: bodies without any */
    bool any_free;          /* there are such bodies */
    const uint32_t *counts; /* contacts per body; the caller's */
    const double *values;   /* of each body; the caller's */
    const char *name;       /* of the values; may be NULL */
    const uint32_t *kinds;  /* of each body; the caller's */
    const char *const *kind_names;
    size_t kind_count;
} colouring;

/* counts: contacts per body, read for JO_COLOUR_CONTACTS. */
void jo_colouring_make(colouring *c, const jo_picture *picture, const jo_bodies *bodies,
                       const survey *sizes, const uint32_t *counts, const theme *look);

/* Where a value lies on the map, 0 to 1. */
double jo_colouring_position(const colouring *c, double value);

uint32_t jo_colouring_rgb(const colouring *c, double value);
uint32_t jo_colouring_kind(const colouring *c, size_t kind);
uint32_t jo_colouring_body(const colouring *c, const jo_bodies *bodies, size_t i);

/* What is coloured, for the legend: "contacts per body". */
const char *jo_colouring_label(const colouring *c, const jo_bodies *bodies);

#endif
