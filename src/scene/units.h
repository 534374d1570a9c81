/* units.h — numbers with units, and the dimension each key of a scene wants; see units.c. */
#ifndef JO_SCENE_UNITS_H
#define JO_SCENE_UNITS_H

#include "jostle/base.h"

/* What a number measures. */
typedef enum dimension {
    DIM_NUMBER, /* a plain number, or per cent */
    DIM_LENGTH,
    DIM_AREA,
    DIM_VOLUME,
    DIM_TIME,
    DIM_FREQUENCY,
    DIM_RATE,
    DIM_ANGLE,
    DIM_SPIN,
    DIM_SPEED,
    DIM_ACCELERATION,
    DIM_DENSITY,
    DIM_DENSITY_2D,
    DIM_PRESSURE,
    DIM_FORCE,
    DIM_STIFFNESS,
    DIM_MOMENT,
    DIM_ENERGY_AREA,
    DIM_ENERGY_VOLUME,
    DIM_MASS_RATE,
    DIM_DAMPING_AREA,
    DIM_GAIN,
    DIMENSIONS
} dimension;

typedef struct dimension_info {
    const char *name;          /* with its article: "a length" */
    const char *unit;          /* the SI unit a plain number is in: "m"; "" for DIM_NUMBER */
    const char *example;       /* "0.5 mm" */
    signed char m, kg, s, rad; /* powers */
} dimension_info;

const dimension_info *jo_dimension(dimension which);

/* Reads "0.5 mm", "1e7MPa", "2 g/cm^3", "30 deg" or a plain number (SI) as a value of dimension
 * `want`. A decimal number with a decimal prefix is correctly rounded: "0.5 mm" is 0.0005 to the
 * last bit. Infinities pass, NaN does not. On failure writes what is wrong, as the end of a
 * sentence that starts with the key's name ("is '5 s', a time; it wants a length such as 0.5 mm").
 */
bool jo_quantity_read(const char *text, dimension want, double *value, char *why, size_t why_size);

#endif
