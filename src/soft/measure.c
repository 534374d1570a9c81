/* measure.c — what can be said about the present moment: energies, contacts, stress, frames.
 *
 * Velocities are brought from half a step back to now with the forces at hand. The energy balance
 * compares what the integrator conserves to fourth order, which is the energy plus
 *     dt^2 (sum over normal springs of v U'' v / 12  -  sum over bodies of F^2 / 24 m),
 * where v U'' v is F' v_n^2 - F v_t^2 / r, v_t being how fast the centres, r apart, pass each
 * other. Why: m v^2 / 2 - dt^2 F^2 / 8m changes over a step by the way times the mean of old and
 * new force, exactly. For a spring that mean differs from its energy by dt^2 F'' v^3 / 12 dt, which
 * is the change of v U'' v / 12 less F-dot a / 6 dt; of all other forces the law takes f-dot a / 6
 * off when it sums up their work (contact4.h); and the sum of both is the change of m a^2 / 12. The
 * kinetic energy reported is the plain one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "soft/poly.h"

/* The largest number of contacts a block can report. */
static size_t most_records(const jo_soft *soft)
{
    size_t most = 1;
    for (size_t b = 0; b < soft->blocks; b++) {
        const block_list *list = &soft->s.list[b];
        const size_t n = (size_t)list->inner + list->outer + soft->s.walls[b].contact_count + 8;
        most = n > most ? n : most;
    }
    return most;
}

typedef void (*record_use)(void *context, const jo_soft *soft, const contact_record *r);

/* A contact in which a polyhedron takes part; what its springs hold only where it is asked for. */
static void record_of_pair(jo_soft *soft, const poly_pair *p, bool energy, contact_record *r)
{
    const poly_body *bodies = poly_bodies(soft->poly);
    const bool wall = p->kind == PAIR_WALL;
    *r = (contact_record){.a = bodies[p->a].index,
                          .b = wall ? UINT32_MAX : bodies[p->b].index,
                          .wall = wall ? p->b : UINT32_MAX,
                          .sliding = p->sliding,
                          .overlap = p->overlap,
                          .normal = p->normal,
                          .arm = NAN};
    memcpy(r->force, p->force, sizeof r->force);
    memcpy(r->branch, p->branch, sizeof r->branch);
    memcpy(r->point, p->point, sizeof r->point);
    for (int a = 0; a < 3; a++)
        r->n[a] = -p->axis[a];
    if (energy) r->elastic = jo_poly_elastic(soft, p, &soft->poly->scratch[0]);
}

static jo_status for_each_contact(jo_soft *soft, record_use use, void *context, bool energies,
                                  jo_error *error)
{
    const size_t most = most_records(soft);
    if (!jo_buffer_reserve(&soft->saved, most, sizeof(contact_record)))
        return jo_fail_memory(error, most * sizeof(contact_record), "measuring contacts");
    contact_record *records = soft->saved.data;
    for (size_t b = 0; b < soft->blocks; b++) {
        const size_t n = soft->run->measure(&soft->s, b, records);
        for (size_t k = 0; k < n; k++)
            use(context, soft, &records[k]);
    }
    const poly_pair *pairs = soft->poly->pairs.data;
    for (size_t k = 0; k < soft->poly->pair_count; k++) {
        contact_record r;
        if (!pairs[k].touching) continue;
        record_of_pair(soft, &pairs[k], energies, &r);
        use(context, soft, &r);
    }
    return JO_OK;
}

double jo_body_energy(const jo_soft *soft, size_t i)
{
    const view *s = &soft->s;
    double v[3], w[3], energy = 0;
    if (s->v[4 * i + 3] == 0) return 0;
    const double mass = 1 / s->v[4 * i + 3],
                 inertia = s->w[4 * i + 3] > 0 ? 1 / s->w[4 * i + 3] : 0;
    jo_state_velocity(soft, i, v, w);
    for (int a = 0; a < 3; a++)
        energy += 0.5 * mass * v[a] * v[a] + 0.5 * inertia * w[a] * w[a] -
                  mass * s->gravity[a] * s->x[4 * i + a];
    double momentum[3];
    if (!jo_poly_is(soft, i)) return energy;
    jo_poly_spin(soft, i, w, momentum);
    return energy + 0.5 * (w[0] * momentum[0] + w[1] * momentum[1] + w[2] * momentum[2]);
}

/* ---- sums over bodies ---- */

static void bounds_volume(const jo_soft *soft, jo_measures *m)
{
    const view *s = &soft->s;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < s->n; i++)
        for (int a = 0; a < s->dim; a++) {
            lo[a] = fmin(lo[a], s->x[4 * i + a] - s->x[4 * i + 3]);
            hi[a] = fmax(hi[a], s->x[4 * i + a] + s->x[4 * i + 3]);
        }
    m->volume = 1;
    for (int a = 0; a < s->dim; a++)
        m->volume *= soft->scene.has_box ? soft->scene.domain.hi[a] - soft->scene.domain.lo[a]
                                         : hi[a] - lo[a];
    if (s->n == 0 && !soft->scene.has_box) m->volume = 0;
}

/* Velocity of the mean flow at height y. */
static double stream(const jo_soft *soft, double y)
{
    const box4 *box = &soft->s.box;
    if (!box->sheared) return 0;
    const double middle = 0.5 * (soft->scene.domain.lo[1] + soft->scene.domain.hi[1]);
    return soft->scene.shear_rate * (y - middle);
}

/* Energies, momenta, centre and the kinetic stress; returns the integrator's own term, F^2 dt^2 / 8
 * m. */
static double sum_bodies(const jo_soft *soft, jo_measures *m)
{
    const view *s = &soft->s;
    double own = 0, moving = 0, speed2 = 0, flow[3] = {0, 0, 0};
    for (size_t i = 0; i < s->n; i++) {
        const double *x = s->x + 4 * i;
        if (s->v[4 * i + 3] == 0) continue;
        const double mass = 1 / s->v[4 * i + 3];
        const double inertia = s->w[4 * i + 3] > 0 ? 1 / s->w[4 * i + 3] : 0;
        double v[3], w[3], dv2 = 0, dw2 = 0, v2 = 0, w2 = 0;
        jo_state_velocity(soft, i, v, w);
        for (int a = 0; a < 3; a++) {
            const double dv = v[a] - s->v[4 * i + a], dw = w[a] - s->w[4 * i + a];
            dv2 += dv * dv;
            dw2 += dw * dw;
            v2 += v[a] * v[a];
            w2 += w[a] * w[a];
            m->momentum[a] += mass * v[a];
            m->centre[a] += mass * x[a];
            m->energy.potential -= mass * s->gravity[a] * x[a];
            m->angular_momentum[a] +=
                mass * (x[(a + 1) % 3] * v[(a + 2) % 3] - x[(a + 2) % 3] * v[(a + 1) % 3]) +
                inertia * w[a];
        }
        m->energy.kinetic += 0.5 * mass * v2 + 0.5 * inertia * w2;
        if (jo_poly_is(soft, i)) {
            double momentum[3];
            jo_poly_spin(soft, i, w, momentum);
            for (int a = 0; a < 3; a++) {
                m->angular_momentum[a] += momentum[a];
                m->energy.kinetic += 0.5 * w[a] * momentum[a];
            }
            dv2 = 0; /* contacts of polyhedra are not corrected for the step */
        }
        own += 0.5 * mass * dv2 + 0.5 * inertia * dw2;
        m->mass += mass;
        moving++;
        speed2 = fmax(speed2, v2);
    }
    for (int a = 0; a < 3 && m->mass > 0; a++) {
        flow[a] = m->momentum[a] / m->mass;
        m->centre[a] /= m->mass;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[4 * i + 3] == 0) continue;
        double v[3], w[3];
        jo_state_velocity(soft, i, v, w);
        if (s->box.sheared) v[0] -= stream(soft, s->x[4 * i + 1]);
        for (int a = 0; a < 3; a++)
            v[a] -= s->box.sheared ? 0 : flow[a];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                m->stress[3 * a + b] += v[a] * v[b] / s->v[4 * i + 3];
    }
    m->speed_max = sqrt(speed2);
    m->coordination = moving;
    return own;
}

typedef struct contact_sums {
    jo_measures *m;
    double bend;
} contact_sums;

static void sum_contact(void *context, const jo_soft *soft, const contact_record *r)
{
    contact_sums *sums = context;
    jo_measures *m = sums->m;
    sums->bend += r->bend;
    m->energy.elastic += r->elastic;
    m->sliding += r->sliding;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            m->stress[3 * a + b] += r->branch[a] * r->force[b];
    if (r->b == UINT32_MAX) {
        m->wall_contacts++;
        return;
    }
    const double smaller = fmin(soft->s.x[4 * (size_t)r->a + 3], soft->s.x[4 * (size_t)r->b + 3]);
    m->contacts++;
    m->overlap_mean += r->overlap / smaller;
    m->overlap_max = fmax(m->overlap_max, r->overlap / smaller);
}

/* What was turned over is the scale; a billionth of the potential energy is rounding. */
static void check_balance(jo_soft *soft, const jo_energy *e)
{
    const double turned =
        fabs(e->kinetic) + fabs(e->elastic) + fabs(e->dissipated) + fabs(e->work) + fabs(e->gone);
    if (!soft->s.account || fabs(e->balance) <= 0.01 * turned + 1e-9 * fabs(e->potential)) return;
    jo_alarm_raise(
        soft, JO_ALARM_ENERGY, JO_NO_BODY,
        "the energy balance is off by %.3g, %.2g of the %.3g turned over: the time step is too "
        "large, or bodies pass through walls or each other",
        e->balance, turned > 0 ? fabs(e->balance) / turned : 1, turned);
}

static jo_status measure(jo_soft *soft, jo_measures *m, jo_error *error)
{
    *m = (jo_measures){.time = jo_soft_time(soft),
                       .step = soft->steps,
                       .bodies = soft->s.n,
                       .inserted = soft->inserted,
                       .removed = soft->removed};
    double own = sum_bodies(soft, m);
    const double moving = m->coordination;
    contact_sums sums = {.m = m};
    const jo_status status = for_each_contact(soft, sum_contact, &sums, true, error);
    if (status != JO_OK) return status;
    bounds_volume(soft, m);
    for (int k = 0; k < 9; k++)
        m->stress[k] = m->volume > 0 ? m->stress[k] / m->volume : 0;
    m->overlap_mean = m->contacts > 0 ? m->overlap_mean / (double)m->contacts : 0;
    m->coordination = moving > 0 ? 2 * (double)m->contacts / moving : 0;
    jo_energy *e = &m->energy;
    e->dissipated = soft->dissipated;
    e->work = soft->work - soft->late;
    e->gone = soft->gone;
    own = soft->s.step * soft->s.step * sums.bend / 12 - own / 3;
    e->balance = e->kinetic + own + e->potential + e->elastic + e->dissipated - e->work + e->gone -
                 soft->energy_start;
    return JO_OK;
}

JO_API jo_status jo_soft_measure(jo_soft *soft, jo_measures *m, jo_error *error)
{
    const jo_status status = measure(soft, m, error);
    if (status == JO_OK && soft->steps > 0) check_balance(soft, &m->energy);
    return status;
}

jo_status jo_soft_balance(jo_soft *soft, double *off, jo_error *error)
{
    jo_measures m;
    const jo_status status = measure(soft, &m, error);
    *off = m.energy.balance;
    return status;
}

/* ---- frames and contacts for output ---- */

static void count_touching(void *context, const jo_soft *soft, const contact_record *r)
{
    uint32_t *touching = context;
    (void)soft;
    touching[r->a]++;
    if (r->b != UINT32_MAX) touching[r->b]++;
}

enum {
    FRAME_ID,
    FRAME_X,
    FRAME_V,
    FRAME_W,
    FRAME_FORCE,
    FRAME_TORQUE,
    FRAME_R,
    FRAME_MASS,
    FRAME_MATERIAL,
    FRAME_FIXED,
    FRAME_TOUCHING,
    FRAME_COUNTED,
    FRAME_SHAPE,
    FRAME_Q
};

static jo_status frame_room(jo_soft *soft, jo_error *error)
{
    static const size_t sizes[] = {8, 24, 24, 24, 24, 24, 8, 8, 4, 1, 4, 4, 4, 32};
    const size_t arrays = soft->poly->on ? sizeof sizes / sizeof *sizes : FRAME_SHAPE;
    for (size_t k = 0; k < arrays; k++)
        if (!jo_buffer_reserve(&soft->frame[k], soft->s.n + 1, sizes[k]))
            return jo_fail_memory(error, soft->s.n * sizes[k], "a frame");
    return JO_OK;
}

JO_API jo_status jo_soft_frame(jo_soft *soft, jo_frame *out, jo_error *error)
{
    const view *s = &soft->s;
    uint32_t *order;
    jo_status status = frame_room(soft, error);
    uint32_t *counted = soft->frame[FRAME_COUNTED].data;
    if (status == JO_OK) {
        memset(counted, 0, s->n * sizeof *counted);
        status = for_each_contact(soft, count_touching, counted, false, error);
    }
    if (status == JO_OK) status = jo_state_order(soft, &order, error);
    if (status != JO_OK) return status;
    double *x = soft->frame[FRAME_X].data, *v = soft->frame[FRAME_V].data,
           *w = soft->frame[FRAME_W].data;
    double *force = soft->frame[FRAME_FORCE].data, *torque = soft->frame[FRAME_TORQUE].data;
    for (size_t k = 0; k < s->n; k++) {
        const size_t i = order[k];
        memcpy(x + 3 * k, s->x + 4 * i, 3 * sizeof *x);
        memcpy(force + 3 * k, s->f + 6 * i, 3 * sizeof *force);
        memcpy(torque + 3 * k, s->f + 6 * i + 3, 3 * sizeof *torque);
        jo_state_velocity(soft, i, v + 3 * k, w + 3 * k);
        ((uint64_t *)soft->frame[FRAME_ID].data)[k] = ((const uint64_t *)soft->id.data)[i];
        ((double *)soft->frame[FRAME_R].data)[k] = s->x[4 * i + 3];
        const double r = s->x[4 * i + 3], density = soft->materials[s->material[i]].density;
        const double pi = 3.14159265358979323846;
        ((double *)soft->frame[FRAME_MASS].data)[k] = s->v[4 * i + 3] > 0 ? 1 / s->v[4 * i + 3]
                                                      : s->dim == 2
                                                          ? density * pi * r * r
                                                          : density * 4 / 3 * pi * r * r * r;
        ((uint32_t *)soft->frame[FRAME_MATERIAL].data)[k] = s->material[i];
        ((uint8_t *)soft->frame[FRAME_FIXED].data)[k] = s->v[4 * i + 3] == 0;
        ((uint32_t *)soft->frame[FRAME_TOUCHING].data)[k] = counted[i];
        if (!soft->poly->on) continue;
        uint32_t *shape = (uint32_t *)soft->frame[FRAME_SHAPE].data + k;
        jo_poly_orientation(soft, i, (double *)soft->frame[FRAME_Q].data + 4 * k, shape);
        if (*shape != JO_NO_SHAPE && s->v[4 * i + 3] == 0)
            ((double *)soft->frame[FRAME_MASS].data)[k] =
                jo_poly_mass(soft, *shape, r, s->material[i]);
    }
    *out = (jo_frame){.time = jo_soft_time(soft),
                      .step = soft->steps,
                      .dim = s->dim,
                      .n = s->n,
                      .id = soft->frame[FRAME_ID].data,
                      .x = x,
                      .v = v,
                      .w = w,
                      .force = force,
                      .torque = torque,
                      .r = soft->frame[FRAME_R].data,
                      .mass = soft->frame[FRAME_MASS].data,
                      .material = soft->frame[FRAME_MATERIAL].data,
                      .fixed = soft->frame[FRAME_FIXED].data,
                      .touching = soft->frame[FRAME_TOUCHING].data,
                      .shape = soft->poly->on ? soft->frame[FRAME_SHAPE].data : NULL,
                      .q = soft->poly->on ? soft->frame[FRAME_Q].data : NULL,
                      .shapes = (const jo_polyhedron *const *)soft->poly->shapes,
                      .shape_count = soft->poly->shape_count,
                      .domain = soft->scene.domain,
                      .shear_offset = s->box.offset};
    for (int a = 0; a < 3; a++)
        out->domain.periodic[a] = s->box.periodic[a];
    return JO_OK;
}

typedef struct contact_list {
    jo_soft_contact *out;
    size_t n;
} contact_list;

static void list_contact(void *context, const jo_soft *soft, const contact_record *r)
{
    contact_list *list = context;
    jo_soft_contact *c = &list->out[list->n++];
    const uint64_t *id = soft->id.data;
    const double *x = soft->s.x + 4 * (size_t)r->a;
    *c = (jo_soft_contact){.a = id[r->a],
                           .b = r->b == UINT32_MAX ? JO_NO_BODY : id[r->b],
                           .wall = r->wall,
                           .sliding = r->sliding,
                           .overlap = r->overlap,
                           .normal_force = r->normal};
    for (int a = 0; a < 3; a++) {
        c->point[a] = x[a] + (isnan(r->arm) ? r->point[a] : -r->arm * r->n[a]);
        c->force[a] = r->force[a];
    }
    if (c->a > c->b) { /* seen from the body with the smaller id */
        const uint64_t swap = c->a;
        c->a = c->b;
        c->b = swap;
        for (int a = 0; a < 3; a++)
            c->force[a] = -c->force[a];
    }
}

static int by_ids(const void *p, const void *q)
{
    const jo_soft_contact *a = p, *b = q;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return a->wall < b->wall ? -1 : a->wall > b->wall;
}

JO_API jo_status jo_soft_contacts(jo_soft *soft, const jo_soft_contact **contacts, size_t *count,
                                  jo_error *error)
{
    size_t most = soft->stats.list_pairs + soft->poly->pair_count;
    for (size_t b = 0; b < soft->blocks; b++)
        most += soft->s.walls[b].contact_count;
    if (!jo_buffer_reserve(&soft->contact_out, most + 1, sizeof(jo_soft_contact)))
        return jo_fail_memory(error, most * sizeof(jo_soft_contact), "contacts");
    contact_list list = {soft->contact_out.data, 0};
    const jo_status status = for_each_contact(soft, list_contact, &list, false, error);
    if (status != JO_OK) return status;
    qsort(list.out, list.n, sizeof *list.out, by_ids);
    *contacts = list.out;
    *count = list.n;
    return JO_OK;
}

JO_API double jo_soft_mass_beyond(jo_soft *soft, size_t gate)
{
    const jo_gate *g = &soft->scene.gates[gate];
    double mass = soft->beyond_removed[gate];
    uint32_t *order;
    if (jo_state_order(soft, &order, NULL) != JO_OK) return NAN;
    for (size_t k = 0; k < soft->s.n; k++) { /* by ids: the same sum whatever the order in memory */
        const size_t i = order[k];
        const double *x = soft->s.x + 4 * i;
        double along = 0;
        for (int a = 0; a < 3; a++)
            along += (x[a] - g->point[a]) * g->normal[a];
        if (along > 0 && soft->s.v[4 * i + 3] > 0) mass += 1 / soft->s.v[4 * i + 3];
    }
    return mass;
}

JO_API uint64_t jo_soft_hash(jo_soft *soft)
{
    uint32_t *order;
    if (jo_state_order(soft, &order, NULL) != JO_OK) return 0;
    uint64_t hash = jo_mix64(soft->s.n ^ soft->steps << 32);
    for (size_t k = 0; k < soft->s.n; k++) {
        const size_t i = order[k];
        uint64_t words[10] = {((const uint64_t *)soft->id.data)[i]};
        memcpy(words + 1, soft->s.x + 4 * i, 24);
        memcpy(words + 4, soft->s.v + 4 * i, 24);
        memcpy(words + 7, soft->s.w + 4 * i, 24);
        if (jo_poly_is(soft, i)) { /* how it is turned, and its angular momentum */
            const poly_body *b = poly_bodies(soft->poly) + poly_slots(soft->poly)[i];
            uint64_t more[7];
            memcpy(more, b->q, 32);
            memcpy(more + 4, b->spin, 24);
            for (int c = 0; c < 7; c++)
                hash = jo_mix64(hash ^ more[c]);
        }
        for (int j = 0; j < 10; j++)
            hash = jo_mix64(hash ^ words[j]);
    }
    return hash;
}
