/* polygon_hopper.h — a hopper full of polygonal grains, for jostle/kinetic.h. Centimetres, seconds,
 * grams. */
#ifndef JOSTLE_SCENES_POLYGON_HOPPER_H
#define JOSTLE_SCENES_POLYGON_HOPPER_H

#include "jostle/kinetic.h"

typedef struct hopper_options {
    uint32_t grains;
    double neck;                  /* width of the outlet */
    double slope;                 /* of the walls against the horizontal, degrees, 10 to 85 */
    double width;                 /* of the bin above; 0: for about 20 rows of grains */
    double friction, restitution; /* of grains with each other and with walls */
    double smallest, largest;     /* radius of a grain's circle */
    uint32_t corners_min, corners_max;
    double least_speed; /* see jo_kinetic_def */
    uint64_t seed;
} hopper_options;

/* 400 grains of 5 to 8 corners, 1 to 2 cm across; walls at 60 degrees, neck 8 cm. */
hopper_options hopper_default(void);

/* A definition and the arrays it points to. */
typedef struct hopper {
    jo_kinetic_def def;
    uint64_t lid; /* id of the body that closes the outlet */
    double top;   /* of the boundary */
    void *memory;
} hopper;

/* How a hopper emptied. Times are those of the simulation, from the opening of the lid. */
enum { HOPPER_CURVE = 2000 };
typedef struct hopper_outcome {
    bool jammed;     /* grains were left, and none came out for the time `patience` */
    uint32_t left;   /* in the hopper at the end */
    double emptied;  /* when the last grain came out, so far */
    double rate;     /* grains per second between a fifth and four fifths of them; NaN if never */
    double settled;  /* kinetic energy per grain when the lid was opened */
    uint64_t checks; /* of the triangulation, all passed */
    jo_kinetic_stats stats;
    size_t points; /* of the curve: grains that are out, in steps of curve_step */
    double curve_step;
    uint32_t out[HOPPER_CURVE];
} hopper_outcome;

/* Lets the grains come to rest for the time `settle`, opens the lid, and removes grains as their
 * centres come below -1, until all are out or none came for `patience`. Calls watch (may be NULL)
 * in steps of 0.01 s with the frame; it returns false to stop, which is JO_ERR_CANCELLED. The
 * triangulation is checked at each of these moments. */
typedef bool (*hopper_watch)(void *context, const jo_kinetic_frame *frame, uint32_t out);
jo_status hopper_empty(const hopper *h, double settle, double patience, hopper_watch watch,
                       void *context, hopper_outcome *outcome, jo_error *error);

/* JO_ERR_ARGUMENT where an option is out of bounds. hopper_free when done. */
jo_status hopper_make(const hopper_options *options, hopper *out, jo_error *error);
void hopper_free(hopper *h);

#endif
