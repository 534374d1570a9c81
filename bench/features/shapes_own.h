/* shapes_own.h — jostle's own rows. */
#ifndef JO_BENCH_SHAPES_OWN_H
#define JO_BENCH_SHAPES_OWN_H

#include "shapes.h"

extern const shape_peer shape_jostle, shape_jostle_proved, shape_jostle_told;

/* All peers that were found when this was built; ends with NULL. */
extern const shape_peer *const shape_peers[];

#endif
