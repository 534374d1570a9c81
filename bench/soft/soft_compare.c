/* soft_compare.c — the same physics? Positions and velocities of jostle and of LAMMPS at the end.
 *
 * Both started from the same doubles and took the same steps, so they differ by rounding and by how
 * they treat velocities in the dashpots (LAMMPS takes those of the half step before, jostle
 * extrapolates). In a packing at rest such differences stay small; in a flow they grow with every
 * collision. The bodies of LAMMPS' dump are sorted by id, which starts at 1; copies of a tile are
 * counted in another order there, so only single tiles are compared. */
#include "soft_bench.h"

#include <math.h>
#include <string.h>

static double nearest(double d, double period)
{
    return d - period * nearbyint(d / period);
}

static void add_body(const jo_population *p, size_t i, const double q[6], agreement *a)
{
    static const double period[2] = {TILE_X, TILE_Y};
    double apart = 0.0, other = 0.0, speed = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double d = q[k] - p->x[3 * i + k];
        if (k < 2) d = nearest(d, period[k]);
        const double dv = q[3 + k] - p->v[3 * i + k];
        apart += d * d;
        other += dv * dv;
        speed += p->v[3 * i + k] * p->v[3 * i + k];
    }
    a->position_max = fmax(a->position_max, sqrt(apart));
    a->position_rms += apart;
    a->velocity_rms += other;
    a->speed_rms += speed;
}

static bool compare_bodies(const jo_population *p, FILE *dump, agreement *a)
{
    char line[512];
    bool data = false;
    size_t seen = 0, moving = 0;
    *a = (agreement){0};
    while (fgets(line, sizeof line, dump) != NULL) {
        if (!data) {
            data = strncmp(line, "ITEM: ATOMS", 11) == 0;
            continue;
        }
        size_t id;
        double q[6];
        if (sscanf(line, "%zu %lf %lf %lf %lf %lf %lf", &id, q, q + 1, q + 2, q + 3, q + 4,
                   q + 5) != 7 ||
            id < 1 || id > p->n)
            return false;
        seen++;
        if (p->fixed[id - 1]) continue;
        add_body(p, id - 1, q, a);
        moving++;
    }
    if (seen != p->n || moving == 0) return false;
    a->position_rms = sqrt(a->position_rms / (double)moving);
    a->velocity_rms = sqrt(a->velocity_rms / (double)moving);
    a->speed_rms = sqrt(a->speed_rms / (double)moving);
    return true;
}

bool compare_final(const char *state, const char *dump, agreement *a)
{
    const int one[2] = {1, 1};
    jo_population p;
    if (!state_read(state, one, &p)) return false;
    FILE *file = fopen(dump, "r");
    const bool ok = file != NULL && compare_bodies(&p, file, a);
    if (file != NULL) fclose(file);
    if (!ok)
        fprintf(stderr, "bench: %s: not the dump of %zu bodies that was expected\n", dump, p.n);
    jo_population_free(&p);
    return ok;
}
