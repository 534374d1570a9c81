/* measure.c — how long a method takes: searches from scratch, and searches that follow motion.
 *
 * The best of several searches is the time that other programs on the machine disturbed least. A
 * search object is reused, as a simulation would: memory is there, pages are mapped. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "generate.h"
#include "measure.h"

static double now(const jo_broad_def *def)
{
    struct timespec t;
    if (def->threads != 1) return cli_seconds();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void collect(const jo_broad *search, measurement *m)
{
    const jo_broad_stats s = jo_broad_statistics(search);
    m->contacts = s.contacts;
    m->cells = (double)s.cells;
    m->skin = s.skin;
    m->bytes = (double)s.bytes;
    m->method = s.method;
}

/* The share of its time that the last search spent testing pairs; stages are timed by the wall. */
static double search_share(const jo_broad *search)
{
    const jo_broad_stats s = jo_broad_statistics(search);
    double all = 0.0;
    for (int k = 0; k < JO_STAGE_COUNT; k++)
        all += s.seconds[k];
    return all > 0.0 ? s.seconds[JO_STAGE_SEARCH] / all : 0.0;
}

jo_status measure_find(const jo_broad_def *def, const jo_bodies *bodies, int repeat, measurement *m,
                       jo_error *error)
{
    jo_broad *search = NULL;
    *m = (measurement){.seconds = INFINITY};
    jo_status status = jo_broad_create(def, &search, error);
    if (status == JO_OK && repeat > 1) status = jo_broad_find(search, bodies, error);
    for (int k = 0; k < repeat && status == JO_OK; k++) {
        jo_broad_statistics_reset(search);
        const double start = now(def);
        status = jo_broad_find(search, bodies, error);
        const double seconds = now(def) - start;
        if (seconds >= m->seconds) continue;
        m->seconds = seconds;
        m->searching = seconds * search_share(search);
    }
    if (status == JO_OK) {
        m->tested = jo_broad_statistics(search).pairs_tested;
        m->hash = jo_pairs_hash(jo_broad_contacts(search));
        collect(search, m);
    }
    jo_broad_destroy(search);
    return status;
}

static jo_status follow(const jo_broad_def *def, jo_broad *search, jo_particles *p,
                        const motion *how, measurement *m, jo_error *error)
{
    const jo_bodies bodies = jo_particles_view(p);
    const double begun = cli_seconds();
    int done = 0;
    jo_status status = jo_broad_find(search, &bodies, error);
    jo_broad_statistics_reset(search);
    for (; done < how->steps && status == JO_OK; done++) {
        if (how->limit > 0.0 && done > 0 && cli_seconds() - begun > how->limit) {
            m->stopped = true;
            break;
        }
        scene_move(p, how->length, how->seed, (uint64_t)done, how->persistent);
        const double start = now(def);
        status = jo_broad_update(search, &bodies, error);
        m->seconds += now(def) - start;
        /* The order of steps matters, so the sum is turned before each is added. */
        m->hash = (m->hash << 1 | m->hash >> 63) + jo_pairs_hash(jo_broad_contacts(search));
    }
    const jo_broad_stats s = jo_broad_statistics(search);
    m->seconds /= done > 0 ? done : 1;
    m->tested = s.pairs_tested / (uint64_t)(done > 0 ? done : 1);
    m->rebuilds = s.rebuilds;
    m->swaps = s.swaps;
    return status;
}

jo_status measure_motion(const jo_broad_def *def, const jo_particles *particles, const motion *how,
                         measurement *m, jo_error *error)
{
    jo_broad *search = NULL;
    jo_particles p = {0};
    *m = (measurement){0};
    jo_status status = copy_particles(particles, &p, error);
    if (status == JO_OK) status = jo_broad_create(def, &search, error);
    if (status == JO_OK) status = follow(def, search, &p, how, m, error);
    if (status == JO_OK) collect(search, m);
    jo_broad_destroy(search);
    jo_particles_free(&p);
    return status;
}

jo_status copy_particles(const jo_particles *from, jo_particles *to, jo_error *error)
{
    const jo_status status = jo_particles_allocate(to, from->n, from->dim, error);
    if (status != JO_OK) return status;
    const size_t size = from->n * sizeof(double);
    if (size > 0) {
        memcpy(to->x, from->x, size);
        memcpy(to->y, from->y, size);
        if (from->dim == 3) memcpy(to->z, from->z, size);
        memcpy(to->r, from->r, size);
    }
    to->has_domain = from->has_domain;
    to->domain = from->domain;
    return JO_OK;
}

static void extent(const double *x, size_t n, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        *lo = fmin(*lo, x[k]);
        *hi = fmax(*hi, x[k]);
    }
}

jo_status take_middle(const jo_particles *from, double share, jo_particles *to, jo_error *error)
{
    const double *const axis[3] = {from->x, from->y, from->z};
    double lo[3], hi[3];
    const double part = pow(share, 1.0 / from->dim);
    for (int a = 0; a < from->dim; a++) {
        extent(axis[a], from->n, &lo[a], &hi[a]);
        const double middle = 0.5 * (lo[a] + hi[a]), half = 0.5 * part * (hi[a] - lo[a]);
        lo[a] = middle - half;
        hi[a] = middle + half;
    }
    const jo_status status = copy_particles(from, to, error);
    if (status != JO_OK) return status;
    size_t kept = 0;
    for (size_t k = 0; k < from->n; k++) {
        bool inside = true;
        for (int a = 0; a < from->dim; a++)
            inside = inside && axis[a][k] >= lo[a] && axis[a][k] <= hi[a];
        if (!inside) continue;
        to->x[kept] = from->x[k];
        to->y[kept] = from->y[k];
        if (from->dim == 3) to->z[kept] = from->z[k];
        to->r[kept++] = from->r[k];
    }
    to->n = kept;
    to->domain = (jo_domain){0};
    return JO_OK;
}

double mean_radius(const jo_particles *p)
{
    double sum = 0.0;
    for (size_t k = 0; k < p->n; k++)
        sum += p->r[k];
    return p->n > 0 ? sum / (double)p->n : 0.0;
}
