/* particles.c — particles owned by the library, and how readers gather them.
 *
 * A jo_particles holds packed arrays, each an allocation of its own that free(3) releases. Readers
 * do not know how many particles come, or must not believe what a file claims; they gather into
 * arrays that grow by half at least, or at once to the number that the size of the file and the
 * length of its first rows suggest. What was gathered is handed over without a copy.
 *
 * Invariant: the arrays in use have room for `capacity` doubles, n of them filled. Pointers are
 * never NULL after success, also for n = 0, except z in two dimensions. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/gather.h"

enum { FIRST_CAPACITY = 256, GUESS_AFTER = 100 };

const char *const jo_role_names[ROLE_COUNT] = {"x",     "y",     "z",     "r",     "id", "quatw",
                                               "quati", "quatj", "quatk", "shape", "d",  "other"};

gather jo_gather_begin(int dim, bool ids)
{
    gather g = {.used = {true, true, dim == 3, true, ids}};
    for (int c = 0; c < ROLE_GATHERED; c++)
        g.column[c].plain = true;
    return g;
}

static jo_status reserve(gather *g, size_t capacity, jo_error *error)
{
    for (int c = 0; c < ROLE_GATHERED; c++) {
        if (!g->used[c]) continue;
        if (!jo_buffer_grow(&g->column[c], g->n * sizeof(double), capacity, sizeof(double)))
            return jo_fail_memory(error, capacity * sizeof(double), "particles");
    }
    g->capacity = capacity;
    return JO_OK;
}

jo_status jo_gather_more(gather *g, size_t expected, jo_error *error)
{
    if (g->n < g->capacity) return JO_OK;
    if (g->n >= JO_BODIES_MAX)
        return jo_fail(error, JO_ERR_LIMIT,
                       "more than %zu particles; that many do not fit one "
                       "search",
                       JO_BODIES_MAX);
    size_t capacity = g->capacity + g->capacity / 2;
    if (capacity < FIRST_CAPACITY) capacity = FIRST_CAPACITY;
    if (capacity > JO_BODIES_MAX) capacity = JO_BODIES_MAX;
    if (expected > JO_BODIES_MAX) expected = JO_BODIES_MAX;
    /* A guess that does not fit into memory may be wrong; what is needed now may still fit. */
    if (expected > capacity && reserve(g, expected, NULL) == JO_OK) return JO_OK;
    return reserve(g, capacity, error);
}

size_t jo_gather_guess(const gather *g, const input *in, uint64_t first_row_offset)
{
    const uint64_t offset = jo_input_offset(in);
    if (!in->size_known || g->n < GUESS_AFTER || offset <= first_row_offset || in->size < offset)
        return 0;
    const double bytes_per_row = (double)(offset - first_row_offset) / (double)g->n;
    const double rows = (double)(in->size - first_row_offset) / bytes_per_row;
    return rows < (double)JO_BODIES_MAX ? (size_t)(rows * 1.01) + 1000 : 0;
}

bool jo_values_good(const double *values, int dim, role *bad)
{
    for (int a = 0; a < dim; a++)
        if (!(fabs(values[ROLE_X + a]) <= JO_COORDINATE_MAX)) {
            *bad = (role)(ROLE_X + a);
            return false;
        }
    *bad = ROLE_R;
    return values[ROLE_R] >= 0.0 && values[ROLE_R] <= JO_COORDINATE_MAX;
}

const char *jo_role_demand(role which)
{
    return which == ROLE_R || which == ROLE_D
               ? "radii must be finite, at least 0 and at most 1e150"
               : "coordinates must be finite and at most 1e150 in magnitude";
}

void jo_gather_finish(gather *g, jo_particles *particles)
{
    *particles = (jo_particles){.n = g->n,
                                .dim = g->used[ROLE_Z] ? 3 : 2,
                                .x = gathered(g, ROLE_X),
                                .y = gathered(g, ROLE_Y),
                                .z = gathered(g, ROLE_Z),
                                .r = gathered(g, ROLE_R),
                                .shape = gathered(g, ROLE_SHAPE)};
    for (int c = 0; c < 4; c++)
        particles->q[c] = gathered(g, (role)(ROLE_QW + c));
    jo_buffer_free(&g->column[ROLE_ID]);
    *g = (gather){0};
}

void jo_gather_free(gather *g)
{
    for (int c = 0; c < ROLE_GATHERED; c++)
        jo_buffer_free(&g->column[c]);
    *g = (gather){0};
}

jo_status jo_particles_allocate(jo_particles *particles, size_t n, int dim, jo_error *error)
{
    *particles = (jo_particles){0};
    if (dim != 2 && dim != 3)
        return jo_fail(error, JO_ERR_ARGUMENT, "dimension is %d; it must be 2 or 3", dim);
    if (n > JO_BODIES_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "%zu particles; at most %zu fit one search", n,
                       JO_BODIES_MAX);
    gather g = jo_gather_begin(dim, false);
    const jo_status status = reserve(&g, n > 0 ? n : 1, error);
    if (status != JO_OK) {
        jo_gather_free(&g);
        return status;
    }
    g.n = n;
    jo_gather_finish(&g, particles);
    return JO_OK;
}

void jo_particles_free(jo_particles *particles)
{
    if (particles == NULL) return;
    free(particles->x);
    free(particles->y);
    free(particles->z);
    free(particles->r);
    free(particles->shape);
    for (int c = 0; c < 4; c++)
        free(particles->q[c]);
    *particles = (jo_particles){0};
}

jo_bodies jo_particles_view(const jo_particles *particles)
{
    return jo_spheres(particles->n, particles->dim, particles->x, particles->y, particles->z,
                      particles->r);
}
