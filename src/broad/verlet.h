/* verlet.h — what auto needs of verlet beyond its descriptor. */
#ifndef JO_BROAD_VERLET_H
#define JO_BROAD_VERLET_H

#include "broad/method.h"

/* Makes the state (of verlet's state_size, zeroed) remember where some bodies are, as if verlet had
 * done the search just done by another method: an update may follow. Costs next to nothing. */
void jo_verlet_watch(void *state, const query *q);

#endif
