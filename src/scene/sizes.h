/* sizes.h — the bounds a distribution of radii is cut to. */
#ifndef JO_SCENE_SIZES_H
#define JO_SCENE_SIZES_H

#include "jostle/model.h"

/* Of a normal or lognormal distribution: as given, or three deviations from its middle. */
void jo_sizes_bounds(const jo_sizes *sizes, double *lo, double *hi);

#endif
