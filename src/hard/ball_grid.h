/* ball_grid.h — cells for balls or their shells. */
#ifndef JO_HARD_BALL_GRID_H
#define JO_HARD_BALL_GRID_H

#include "hard/balls.h"

/* Cells of at least `size` over lo … hi (open axes) and the grid's periods, which are set. */
jo_status jo_ball_grid_make(jo_hard *hard, const double lo[3], const double hi[3], double size,
                            jo_error *error);
/* The rest of a grid whose lo, size and cells are set. */
jo_status jo_ball_grid_build(jo_hard *hard, jo_error *error);
size_t jo_ball_grid_cells(const ball_grid *grid);
/* Notes for each cell the surfaces within reach of a centre in it. */
jo_status jo_ball_grid_walls(jo_hard *hard, double reach, jo_error *error);
/* The cell of a ball at its own position, which is brought back into the box on periodic axes. */
void jo_ball_grid_place(jo_hard *hard, uint32_t i);
/* Chains all balls in their cells. */
void jo_ball_grid_link(jo_hard *hard);

#endif
