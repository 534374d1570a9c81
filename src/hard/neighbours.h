/* neighbours.h — rows of neighbours, one per ball. */
#ifndef JO_HARD_NEIGHBOURS_H
#define JO_HARD_NEIGHBOURS_H

#include "hard/balls.h"

/* Makes all rows anew, with shells about the present positions or, not centred, where they are. The
 * grid's chains must be empty. false: memory ran out. */
bool jo_neighbours_make(jo_hard *hard, bool centred);
/* Sets the shell of a ball about its present position, and mends its row and those of the balls it
 * came near to or left. A failure is noted in hard->failed. */
void jo_neighbours_renew(jo_hard *hard, uint32_t i);

#endif
