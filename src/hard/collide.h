/* collide.h — what collisions do: to velocities, spins, sums and the log. */
#ifndef JO_HARD_COLLIDE_H
#define JO_HARD_COLLIDE_H

#include "hard/balls.h"

/* Two balls, or a ball and a surface, at the present moment; clocks are set to it. */
void jo_collide_balls(jo_hard *hard, uint32_t i, uint32_t j);
void jo_collide_surface(jo_hard *hard, uint32_t i, uint32_t surface);

/* Notes an event in the ring. */
void jo_log_event(jo_hard *hard, jo_hard_event_kind kind, uint32_t face, uint64_t a, uint64_t b,
                  double speed);

#endif
