/* box.h — the box that some particle files state; see box.c. */
#ifndef JO_IO_BOX_H
#define JO_IO_BOX_H

#include "io/input.h"

/* Makes the box of a file that of particles of dimension dim: an axis they do not have is open, and
 * periodic axes are checked as searches will check them. Fails about the line last read. */
jo_status jo_box_settle(jo_domain *box, int dim, const input *in, jo_error *error);

/* The box to write into a file: the particles' own on its periodic axes and wherever it has a
 * length, else the extent of the particles; z from -0.5 to 0.5 in two dimensions. */
jo_domain jo_box_for_writing(const jo_particles *particles);

#endif
