/* system.c — makes a workload and shows it to jostle and to the peers in their forms. */
#include "bench.h"

#include <string.h>

void system_place(bench_system *system, const double *x, const double *y, const double *z)
{
    peer_spheres *s = &system->spheres;
    s->x = x;
    s->y = y;
    s->z = s->dim == 3 ? z : system->zeros;
    system->bodies = jo_spheres(s->n, s->dim, x, y, s->dim == 3 ? z : NULL, s->r);
}

static void measure_extents(peer_spheres *s)
{
    const double *centre[3] = {s->x, s->y, s->z};
    s->r_max = 0;
    s->r_min = s->n > 0 ? s->r[0] : 0;
    for (size_t i = 0; i < s->n; i++) {
        s->r_max = s->r[i] > s->r_max ? s->r[i] : s->r_max;
        s->r_min = s->r[i] < s->r_min ? s->r[i] : s->r_min;
    }
    for (int a = 0; a < 3; a++) {
        s->lo[a] = s->hi[a] = s->n > 0 ? centre[a][0] : 0;
        for (size_t i = 0; i < s->n; i++) {
            s->lo[a] = centre[a][i] < s->lo[a] ? centre[a][i] : s->lo[a];
            s->hi[a] = centre[a][i] > s->hi[a] ? centre[a][i] : s->hi[a];
        }
    }
}

bool system_make_from(bench_system *system, const scene_def *def, const char *what)
{
    memset(system, 0, sizeof *system);
    jo_error error;
    if (scene_generate(def, &system->particles, &error) != JO_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, error.text);
        return false;
    }
    const jo_particles *p = &system->particles;
    if (p->dim == 2) system->zeros = calloc(p->n + 1, sizeof *system->zeros);
    if (p->dim == 2 && system->zeros == NULL) {
        fprintf(stderr, "bench: %s: out of memory\n", what);
        jo_particles_free(&system->particles);
        return false;
    }
    system->spheres.n = p->n;
    system->spheres.dim = p->dim;
    system->spheres.r = p->r;
    system_place(system, p->x, p->y, p->z);
    measure_extents(&system->spheres);
    return true;
}

bool system_make(bench_system *system, const char *workload, size_t n)
{
    scene_def def;
    if (!scene_by_name(workload, n, &def)) {
        fprintf(stderr, "bench: there is no workload '%s'\n", workload);
        return false;
    }
    return system_make_from(system, &def, workload);
}

/* Places on a Z-order curve, with about 8 bodies per cell or fewer. */
typedef struct keyed {
    uint64_t key;
    uint32_t index;
} keyed;

static int compare_keys(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static uint64_t place_of(const peer_spheres *s, size_t i)
{
    const double *centre[3] = {s->x, s->y, s->z};
    uint64_t key = 0;
    for (int a = 0; a < s->dim; a++) {
        const double width = s->hi[a] - s->lo[a];
        double part = width > 0 ? (centre[a][i] - s->lo[a]) / width * 1024.0 : 0;
        part = part < 0 ? 0 : part > 1023 ? 1023 : part;
        const uint64_t cell = (uint64_t)part;
        for (int bit = 0; bit < 10; bit++)
            key |= ((cell >> bit) & 1) << (bit * s->dim + a);
    }
    return key;
}

static bool make_order(bench_system *system)
{
    const size_t n = system->spheres.n;
    keyed *keys = malloc((n + 1) * sizeof *keys);
    system->order = malloc((n + 1) * sizeof *system->order);
    bool fine = keys != NULL && system->order != NULL;
    for (int a = 0; a < 4; a++) {
        system->sorted_values[a] = malloc((n + 1) * sizeof(double));
        fine = fine && system->sorted_values[a] != NULL;
    }
    for (size_t i = 0; fine && i < n; i++)
        keys[i] = (keyed){place_of(&system->spheres, i), (uint32_t)i};
    if (fine) qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; fine && i < n; i++)
        system->order[i] = keys[i].index;
    free(keys);
    return fine;
}

bool system_sort(bench_system *system)
{
    const peer_spheres *s = &system->spheres;
    if (system->order == NULL && !make_order(system)) return false;
    const double *from[4] = {s->x, s->y, s->z, s->r};
    double **to = system->sorted_values;
    for (int a = 0; a < 4; a++)
        for (size_t k = 0; k < s->n; k++)
            to[a][k] = from[a][system->order[k]];
    system->sorted = jo_spheres(s->n, s->dim, to[0], to[1], s->dim == 3 ? to[2] : NULL, to[3]);
    return true;
}

void system_free(bench_system *system)
{
    free(system->order);
    for (int a = 0; a < 4; a++)
        free(system->sorted_values[a]);
    jo_particles_free(&system->particles);
    free(system->zeros);
    memset(system, 0, sizeof *system);
}
