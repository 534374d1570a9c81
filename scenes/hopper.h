/* hopper.h — a hopper full of polygonal grains, for jostle/kinetic.h. Centimetres, seconds, grams. */
#ifndef JOSTLE_SCENES_HOPPER_H
#define JOSTLE_SCENES_HOPPER_H

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

/* JO_ERR_ARGUMENT where an option is out of bounds. hopper_free when done. */
jo_status hopper_make(const hopper_options *options, hopper *out, jo_error *error);
void hopper_free(hopper *h);

#endif
