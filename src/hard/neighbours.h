/* neighbours.h — rows of neighbours, one per ball. */
#ifndef JO_HARD_NEIGHBOURS_H
#define JO_HARD_NEIGHBOURS_H

#include "hard/balls.h"

/* Makes all rows anew, with shells about the present positions or, not centred, where they are. The
 * grid's chains must be empty. false: memory ran out. */
bool jo_neighbours_make(jo_hard *hard, bool centred);
/* All rows with room for that many numbers each. false: memory ran out. */
bool jo_neighbours_widen(jo_hard *hard, uint32_t room);

#endif
