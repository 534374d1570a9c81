/* gather.h — particles as a reader finds them: arrays that grow; see particles.c. */
#ifndef JO_IO_GATHER_H
#define JO_IO_GATHER_H

#include "io/input.h"

/* The columns of a gather; a file's columns play one of these roles, or none. */
typedef enum role {
    ROLE_X,
    ROLE_Y,
    ROLE_Z,
    ROLE_R,
    ROLE_ID,
    ROLE_QW, /* a quaternion, if all four are there */
    ROLE_QX,
    ROLE_QY,
    ROLE_QZ,
    ROLE_SHAPE,
    ROLE_GATHERED,          /* how many of the above */
    ROLE_D = ROLE_GATHERED, /* a diameter, gathered as the radius it means */
    ROLE_NONE,
    ROLE_COUNT
} role;

extern const char *const jo_role_names[ROLE_COUNT];

typedef struct gather {
    buffer column[ROLE_GATHERED]; /* doubles */
    bool used[ROLE_GATHERED];
    size_t n;
    size_t capacity; /* of every used column */
} gather;

/* Arrays for dim axes, radii, and ids if asked. */
gather jo_gather_begin(int dim, bool ids);

/* Makes room for one more particle. `expected` is how many there may be in all as far as the file
 * shows, 0 if unknown: a guess worth one allocation, never a claim taken at its word. */
jo_status jo_gather_more(gather *g, size_t expected, jo_error *error);

/* How many rows the whole input may hold, judged by what the first rows took; 0 if unknown. */
size_t jo_gather_guess(const gather *g, const input *in, uint64_t first_row_offset);

static inline double *gathered(const gather *g, role which)
{
    return g->column[which].data;
}

/* Checks particle values as searches will; NULL if good, else the role that is bad, in *bad. */
bool jo_values_good(const double *values, int dim, role *bad);

/* What a value of that role must be, for messages. */
const char *jo_role_demand(role which);

/* Hands the arrays over; the gather is empty afterwards. */
void jo_gather_finish(gather *g, jo_particles *particles);
void jo_gather_free(gather *g);

#endif
