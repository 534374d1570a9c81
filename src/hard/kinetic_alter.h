/* kinetic_alter.h — hard polygons: what may be changed about a world while it runs. */
#ifndef JO_HARD_KINETIC_ALTER_H
#define JO_HARD_KINETIC_ALTER_H

#include "hard/kinetic.h"

/* From the present time on; values were checked. */
void jo_kinetic_set_contact(jo_kinetic *k, uint32_t a, uint32_t b, double friction,
                            double restitution);
jo_status jo_kinetic_set_gravity(jo_kinetic *k, const double gravity[2], jo_error *error);

#endif
