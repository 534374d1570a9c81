/* observe.c — observables of a gas of hard balls, and the validator.
 *
 * Pressure comes from the virial: p V = N kT + (1 / dim) (sum over collisions of r . dp) / dt,
 * where r leads from centre to centre and dp is what is passed on. Collisions are instantaneous, so
 * this is exact, whatever the interval. The temperature of an interval is the mean of its ends;
 * where energy is conserved it is the same all the time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hard/motion.h"
#include "hard/rest.h"
#include "jostle/broad.h"
#include "narrow/vec3.h"

#define PI 3.14159265358979323846

/* Deeper than this share of the sum of radii is not rounding. */
static const double rounding = 1e-9;

static double trace(const double a[9])
{
    return a[0] + a[4] + a[8];
}

static double solid_fraction(const jo_hard *h)
{
    double solid = 0.0;
    const double grown = growth_now(h);
    for (uint32_t i = 0; i < h->n; i++) {
        const double r = h->r[i] * grown;
        solid += h->dim == 2 ? PI * r * r : 4.0 / 3.0 * PI * r * r * r;
    }
    return solid / h->rest->volume;
}

/* Where a ball is without wrapping. */
static void unwrapped(const jo_hard *h, uint32_t i, double x[3])
{
    double v[3];
    ball_now(h, i, x, v, MODE_GENERAL);
    for (int k = 0; k < 3; k++)
        x[k] += h->grid.period[k] * h->wraps[3 * (size_t)i + k];
}

static double displacement2(const jo_hard *h)
{
    double sum = 0.0;
    if (h->rest->marked == NULL || h->movers == 0) return 0.0;
    for (uint32_t i = 0; i < h->movers; i++) {
        double x[3];
        unwrapped(h, i, x);
        for (int k = 0; k < 3; k++) {
            const double d = x[k] - h->rest->marked[3 * (size_t)i + k];
            sum += d * d;
        }
    }
    return sum / h->movers;
}

/* Means of powers of speeds about the centre of mass. */
static void speeds(const jo_hard *h, double *v1, double *v2, double *v4)
{
    double mean[3] = {0}, mass = 0.0;
    *v1 = *v2 = *v4 = 0.0;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < h->movers; i++) {
            double x[3], v[3];
            ball_now(h, i, x, v, MODE_GENERAL);
            if (round == 0) {
                mass += 1.0 / h->inverse_mass[i];
                for (int k = 0; k < 3; k++)
                    mean[k] += v[k] / h->inverse_mass[i];
                continue;
            }
            for (int k = 0; k < 3; k++)
                v[k] -= mean[k] / mass;
            const double s2 = dot3(v, v);
            *v1 += sqrt(s2) / h->movers;
            *v2 += s2 / h->movers;
            *v4 += s2 * s2 / h->movers;
        }
}

JO_API jo_status jo_hard_observe(jo_hard *h, jo_hard_observables *out, jo_error *error)
{
    const hard_mark *from = &h->rest->observed;
    const hard_sums *s = &h->sums;
    const double dt = h->time - from->time, n = h->movers, dim = h->dim;
    (void)error;
    double potential, v1;
    *out = (jo_hard_observables){.since = from->time,
                                 .time = h->time,
                                 .collisions = s->collisions - from->sums.collisions,
                                 .wall_collisions = s->wall_collisions - from->sums.wall_collisions,
                                 .dissipated = s->dissipated,
                                 .work = s->work,
                                 .tc_collisions = s->tc_collisions,
                                 .tc_energy = s->tc_energy,
                                 .fraction = solid_fraction(h),
                                 .displacement2 = displacement2(h)};
    jo_hard_energies(h, &out->kinetic, &out->rotational, &potential);
    speeds(h, &v1, &out->v2, &out->v4);
    const double thermal = jo_hard_thermal(h), mean = 0.5 * (thermal + from->kinetic);
    out->temperature = n > 0.0 ? 2.0 / dim * thermal / n : 0.0;
    if (!(dt > 0.0) || n == 0.0) return JO_OK;
    const double kinetic = 2.0 / dim * mean; /* N kT */
    const double virial = (trace(s->stress) - trace(from->sums.stress)) / (dim * dt);
    out->pressure = (kinetic + virial) / h->rest->volume;
    out->compressibility = kinetic > 0.0 ? 1.0 + virial / kinetic : (double)NAN;
    out->rate = 2.0 * (double)out->collisions / (n * dt);
    const double all = (2.0 * (double)out->collisions + (double)out->wall_collisions) / (n * dt);
    out->free_path = all > 0.0 ? v1 / all : (double)INFINITY;
    return JO_OK;
}

JO_API jo_status jo_hard_mark(jo_hard *h, jo_error *error)
{
    struct hard_rest *rest = h->rest;
    if (!jo_buffer_reserve(&rest->marked_memory, 3 * (size_t)h->n + 1, sizeof *rest->marked))
        return jo_fail_memory(error, 24 * (size_t)h->n, "positions at the mark");
    rest->marked = rest->marked_memory.data;
    for (uint32_t i = 0; i < h->n; i++)
        unwrapped(h, i, rest->marked + 3 * (size_t)i);
    rest->observed = (hard_mark){h->time, h->sums, jo_hard_thermal(h)};
    memcpy(rest->wall_marked, h->wall_impulse, 3 * rest->wall_count * sizeof *rest->wall_marked);
    return JO_OK;
}

/* ---- measures as the soft engine has them ---- */

static void add_momenta(const jo_hard *h, jo_measures *m, double kinetic[9])
{
    const double grown = growth_now(h);
    for (uint32_t i = 0; i < h->movers; i++) {
        double x[3], v[3], arm[3];
        ball_now(h, i, x, v, MODE_GENERAL);
        const double mass = 1.0 / h->inverse_mass[i], r = h->r[i] * grown;
        cross3(x, v, arm);
        m->mass += mass;
        m->speed_max = fmax(m->speed_max, norm3(v));
        for (int k = 0; k < 3; k++) {
            m->momentum[k] += mass * v[k];
            m->centre[k] += mass * x[k];
            m->angular_momentum[k] +=
                mass * arm[k] + mass * r * r / h->turning * h->spin[3 * (size_t)i + k];
            for (int l = 0; l < 3; l++)
                kinetic[3 * k + l] += mass * v[k] * v[l];
        }
    }
    for (int k = 0; k < 3 && m->mass > 0.0; k++)
        m->centre[k] /= m->mass;
}

JO_API jo_status jo_hard_measure(jo_hard *h, jo_measures *m, jo_error *error)
{
    struct hard_rest *rest = h->rest;
    double translation, rotation, potential, kinetic[9] = {0};
    (void)error;
    *m = (jo_measures){
        .time = h->time, .step = h->event_count, .bodies = h->n, .volume = rest->volume};
    jo_hard_energies(h, &translation, &rotation, &potential);
    m->energy.kinetic = translation + rotation;
    m->energy.potential = potential;
    m->energy.dissipated = h->sums.dissipated;
    m->energy.work = h->sums.work;
    m->energy.balance =
        translation + rotation + potential + h->sums.dissipated - h->sums.work - rest->energy_start;
    add_momenta(h, m, kinetic);
    const double since = h->time - rest->observed.time;
    for (int k = 0; k < 9; k++) {
        m->stress[k] = kinetic[k];
        if (since > 0.0)
            m->stress[k] += (h->sums.stress[k] - rest->observed.sums.stress[k]) / since;
    }
    return JO_OK;
}

/* ---- pair correlation ---- */

typedef struct pair_histogram {
    double reach;
    size_t bins;
    double *count;
} pair_histogram;

static void count_pair(const jo_hard *h, const jo_frame *f, jo_pair pair, pair_histogram *to)
{
    double d[3];
    nearest_image(h, f->x + 3 * (size_t)pair.i, f->x + 3 * (size_t)pair.j, d);
    const double bin = norm3(d) / to->reach * (double)to->bins;
    if (bin < (double)to->bins) to->count[(size_t)bin] += 2.0;
}

/* All pairs nearer than reach: balls of half that radius which touch. */
static jo_status near_pairs(const jo_frame *f, const double *r, jo_broad **search, jo_error *error)
{
    jo_broad_def def = jo_broad_def_default();
    def.domain = f->domain;
    jo_status status = jo_broad_create(&def, search, error);
    if (status != JO_OK) return status;
    jo_bodies bodies = {.shape = JO_SPHERES,
                        .dim = f->dim,
                        .n = f->n,
                        .x = {f->x, f->x + 1, f->x + 2},
                        .r = r,
                        .x_stride = 3,
                        .r_stride = 1};
    return jo_broad_find(*search, &bodies, error);
}

JO_API jo_status jo_hard_pair_correlation(jo_hard *h, double reach, size_t bins, double *g,
                                          jo_error *error)
{
    jo_frame f;
    jo_broad *search = NULL;
    if (!(reach > 0.0) || bins == 0)
        return jo_fail(error, JO_ERR_ARGUMENT, "the pair correlation needs a reach and bins");
    jo_status status = jo_hard_frame(h, &f, error);
    if (status != JO_OK) return status;
    double *half = malloc((f.n + 1) * sizeof *half);
    if (half == NULL) return jo_fail_memory(error, f.n * sizeof *half, "the pair correlation");
    for (size_t i = 0; i < f.n; i++)
        half[i] = 0.5 * reach;
    memset(g, 0, bins * sizeof *g);
    status = near_pairs(&f, half, &search, error);
    if (status == JO_OK) {
        const jo_pairs pairs = jo_broad_contacts(search);
        pair_histogram to = {reach, bins, g};
        for (size_t k = 0; k < pairs.count; k++)
            count_pair(h, &f, pairs.pairs[k], &to);
        const double density = (double)f.n / h->rest->volume, width = reach / (double)bins;
        for (size_t b = 0; b < bins; b++) {
            const double lo = (double)b * width, hi = lo + width;
            const double ring = h->dim == 2 ? PI * (hi * hi - lo * lo)
                                            : 4.0 / 3.0 * PI * (hi * hi * hi - lo * lo * lo);
            g[b] /= (double)f.n * density * ring;
        }
    }
    jo_broad_destroy(search);
    free(half);
    return status;
}

/* ---- validation ---- */

static void check_walls(const jo_hard *h, const jo_frame *f, jo_hard_check *check)
{
    for (size_t i = 0; i < f->n && h->surface_count > 0; i++) {
        if (f->fixed[i]) continue;
        for (uint32_t s = 0; s < h->surface_count; s++) {
            const double gap =
                jo_surface_gap(&h->surfaces[s], h->dim, f->time, f->x + 3 * i, f->r[i]);
            const double depth = -gap / f->r[i];
            if (depth > rounding) check->overlaps++;
            if (depth > check->deepest) {
                check->deepest = depth;
                check->a = f->id[i];
                check->b = JO_NO_BODY;
                check->wall = h->surfaces[s].wall;
            }
        }
    }
}

JO_API jo_status jo_hard_validate(jo_hard *h, jo_hard_check *check, jo_error *error)
{
    jo_frame f;
    jo_broad *search = NULL;
    jo_status status = jo_hard_frame(h, &f, error);
    if (status != JO_OK) return status;
    *check = (jo_hard_check){
        .pairs = (uint64_t)f.n * (f.n > 0 ? f.n - 1 : 0) / 2, .a = JO_NO_BODY, .b = JO_NO_BODY};
    status = near_pairs(&f, f.r, &search, error);
    if (status == JO_OK) {
        const jo_pairs pairs = jo_broad_contacts(search);
        for (size_t k = 0; k < pairs.count; k++) {
            const size_t i = pairs.pairs[k].i, j = pairs.pairs[k].j;
            double d[3];
            if (f.fixed[i] && f.fixed[j]) continue;
            nearest_image(h, f.x + 3 * i, f.x + 3 * j, d);
            const double depth = 1.0 - norm3(d) / (f.r[i] + f.r[j]);
            if (depth > rounding) check->overlaps++;
            if (depth > check->deepest) {
                check->deepest = depth;
                check->a = f.id[i];
                check->b = f.id[j];
            }
        }
        check_walls(h, &f, check);
    }
    jo_broad_destroy(search);
    return status;
}

jo_status jo_hard_no_overlaps(jo_hard *h, jo_error *error)
{
    jo_hard_check check;
    const jo_status status = jo_hard_validate(h, &check, error);
    if (status != JO_OK || check.overlaps == 0) return status;
    const unsigned long long a = (unsigned long long)check.a, b = (unsigned long long)check.b;
    if (check.b == JO_NO_BODY)
        return jo_fail(error, JO_ERR_DATA,
                       "body %llu overlaps wall '%s' at the start, by %.3g of its radius (%llu "
                       "overlaps in all): hard balls must begin apart",
                       a, h->rest->walls[check.wall].name, check.deepest,
                       (unsigned long long)check.overlaps);
    return jo_fail(error, JO_ERR_DATA,
                   "bodies %llu and %llu overlap at the start, by %.3g of the sum of their radii "
                   "(%llu overlaps in all): hard balls must begin apart",
                   a, b, check.deepest, (unsigned long long)check.overlaps);
}
