/* collide.c — collisions of balls of any size and mass, with restitution, friction and spin.
 *
 * The impulses come from the impact law (law/impact.h), in the frame of the surfaces: where balls
 * grow or a wall moves they push, and what that adds to the energy is counted as work. The TC
 * model: a collision of a ball that had its last one less than tc ago loses no energy. In gravity,
 * a ball that comes to rest on something that does not fall would collide infinitely often in no
 * time; it leaves at no less than half of what it falls in tc, so that it is off for tc. */
#include "hard/collide.h"

#include "hard/motion.h"
#include "narrow/vec3.h"

void jo_log_event(jo_hard *h, jo_hard_event_kind kind, uint32_t face, uint64_t a, uint64_t b,
                  double speed)
{
    const bool swap = kind == JO_HARD_BALLS && b < a;
    h->log[h->event_count % h->log_size] = (jo_hard_event){.time = h->base + h->now,
                                                           .kind = kind,
                                                           .face = face,
                                                           .a = swap ? b : a,
                                                           .b = swap ? a : b,
                                                           .speed = speed};
}

/* From i to the image of j that it touches. Where the period is short that may not be the nearest,
 * and two may touch: the one that is approached counts. */
static void touching_image(const jo_hard *h, uint32_t i, uint32_t j, double d[3])
{
    const ball *a = &h->balls[i], *b = &h->balls[j];
    nearest_image(h, a->x, b->x, d);
    if (!h->tiny) return;
    const double s = (h->r[i] + h->r[j]) * growth_now(h),
                 w[3] = {b->v[0] - a->v[0], b->v[1] - a->v[1], b->v[2] - a->v[2]};
    double best = (double)INFINITY;
    const double near[3] = {d[0], d[1], d[2]};
    for (int code = 0; code < 27; code++) {
        double e[3];
        for (int k = 0; k < 3; k++)
            e[k] = near[k] + h->grid.image[code][k];
        const double off = fabs(dot3(e, e) - s * s);
        if (dot3(e, w) - s * h->scale_rate * (h->r[i] + h->r[j]) < 0.0 && off < best) {
            best = off;
            for (int k = 0; k < 3; k++)
                d[k] = e[k];
        }
    }
}

static double energy_of(const jo_hard *h, uint32_t i)
{
    const double m = h->inverse_mass[i] > 0.0 ? 1.0 / h->inverse_mass[i] : 0.0;
    const double *v = h->balls[i].v;
    double e = 0.5 * m * dot3(v, v);
    if (h->spins) {
        const double r = h->r[i] * growth_now(h), *w = h->spin + 3 * (size_t)i;
        e += 0.5 * m * r * r / h->turning * dot3(w, w);
    }
    return e;
}

/* Gives ball i an impulse; arm is from its centre to the contact. */
static void kick(jo_hard *h, uint32_t i, const double impulse[3], const double tangential[3],
                 const double arm[3])
{
    const double im = h->inverse_mass[i];
    for (int k = 0; k < 3; k++)
        h->balls[i].v[k] += im * impulse[k];
    if (!h->spins) return;
    double torque[3];
    cross3(arm, tangential, torque);
    const double inverse_inertia = h->turning * im / dot3(arm, arm);
    for (int k = 0; k < 3; k++)
        h->spin[3 * (size_t)i + k] += inverse_inertia * torque[k];
}

/* The velocity of i's surface at an arm from its centre. */
static void surface_velocity(const jo_hard *h, uint32_t i, const double arm[3], double v[3])
{
    double turn[3] = {0};
    if (h->spins) cross3(h->spin + 3 * (size_t)i, arm, turn);
    for (int k = 0; k < 3; k++)
        v[k] = h->balls[i].v[k] + turn[k];
}

/* Whether one of the two had its last collision less than tc ago; notes this one. */
static bool too_soon(jo_hard *h, uint32_t i, uint32_t j)
{
    if (h->tc <= 0.0) return false;
    const double time = h->base + h->now;
    const bool soon = time - h->last[i] < h->tc || (j < h->movers && time - h->last[j] < h->tc);
    h->last[i] = time;
    if (j < h->movers) h->last[j] = time;
    return soon;
}

static impact_result solve(jo_hard *h, const impact_pair *law, bool soon, impact_body a,
                           impact_body b, double approach, const double slide[3])
{
    const double e = impact_restitution(law, approach);
    if (soon && e < 1.0) {
        h->sums.tc_collisions++;
        h->sums.tc_energy +=
            0.5 * (1.0 - e * e) * approach * approach / (a.inverse_mass + b.inverse_mass);
    }
    return impact_solve(law, soon ? 1.0 : e, a, b, approach, slide);
}

/* The speed at which something that rests on what does not fall has to leave, see above. */
static double least_parting(const jo_hard *h, const double normal[3])
{
    return h->falls ? fmax(-0.5 * dot3(h->g, normal) * h->tc, 0.0) : 0.0;
}

/* The part of w across the normal. */
static void sliding(const double w[3], const double normal[3], double slide[3])
{
    const double along = dot3(w, normal);
    for (int k = 0; k < 3; k++)
        slide[k] = w[k] - along * normal[k];
}

/* Applies what was found: `normal` from the first to the second body; j at NOBODY is a wall. */
static void apply(jo_hard *h, uint32_t i, uint32_t j, const double normal[3],
                  const impact_result *out, const double arm_i[3], const double arm_j[3])
{
    double on_j[3], on_i[3], back[3];
    for (int k = 0; k < 3; k++) {
        on_j[k] = out->normal * normal[k] + out->tangential[k];
        on_i[k] = -on_j[k];
        back[k] = -out->tangential[k];
    }
    kick(h, i, on_i, back, arm_i);
    if (j != NOBODY) kick(h, j, on_j, out->tangential, arm_j);
}

static void count_collision(jo_hard *h, const impact_result *out, double before, double after)
{
    h->sums.dissipated += out->lost;
    h->sums.work += after - before + out->lost;
}

void jo_collide_balls(jo_hard *h, uint32_t i, uint32_t j)
{
    double d[3], vi[3], vj[3], w[3], slide[3], arm_i[3], arm_j[3];
    move_to_now(h, i, MODE_GENERAL);
    if (j < h->movers) move_to_now(h, j, MODE_GENERAL);
    touching_image(h, i, j, d);
    double normal[3] = {d[0], d[1], d[2]};
    const double distance = unit3(normal), share = h->r[i] / (h->r[i] + h->r[j]);
    for (int k = 0; k < 3; k++) {
        arm_i[k] = share * d[k];
        arm_j[k] = (share - 1.0) * d[k];
    }
    surface_velocity(h, i, arm_i, vi);
    surface_velocity(h, j, arm_j, vj);
    sub3(vj, vi, w);
    sliding(w, normal, slide);
    const double growing = h->scale_rate * (h->r[i] + h->r[j]);
    const double approach = fmax(growing - dot3(w, normal), 0.0);
    const impact_pair *law = &h->impacts[h->material[i] * h->material_count + h->material[j]];
    const impact_body a = {h->inverse_mass[i], h->spins ? h->turning : 0.0},
                      b = {h->inverse_mass[j], h->spins ? h->turning : 0.0};
    const bool soon = too_soon(h, i, j), counts = h->grows || j >= h->movers;
    const double before = counts ? energy_of(h, i) + energy_of(h, j) : 0.0;
    impact_result out = solve(h, law, soon, a, b, approach, slide);
    if (j >= h->movers) {
        /* normal points from i to the fixed ball. */
        const double up[3] = {-normal[0], -normal[1], -normal[2]};
        const double least = least_parting(h, up) / a.inverse_mass + approach / a.inverse_mass;
        if (out.normal < least) out.normal = least;
    }
    apply(h, i, j, normal, &out, arm_i, arm_j);
    if (counts)
        count_collision(h, &out, before, energy_of(h, i) + energy_of(h, j));
    else
        h->sums.dissipated += out.lost;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            h->sums.stress[3 * k + l] +=
                (out.normal * normal[k] + out.tangential[k]) * distance * normal[l];
    if (h->log != NULL) jo_log_event(h, JO_HARD_BALLS, 0, h->id[i], h->id[j], approach - growing);
    h->sums.collisions++;
}

void jo_collide_surface(jo_hard *h, uint32_t i, uint32_t k)
{
    const surface *s = &h->surfaces[k];
    double normal[3], velocity[3], v[3], w[3], arm[3], slide[3];
    move_to_now(h, i, MODE_GENERAL);
    const double r = h->r[i] * growth_now(h);
    jo_surface_contact(s, h->base + h->now, h->balls[i].x, r, normal, velocity);
    for (int l = 0; l < 3; l++) {
        arm[l] = -r * normal[l];
        normal[l] = -normal[l]; /* from the ball to the wall */
    }
    surface_velocity(h, i, arm, v);
    sub3(velocity, v, w);
    sliding(w, normal, slide);
    const double approach = fmax(h->scale_rate * h->r[i] - dot3(w, normal), 0.0);
    const impact_pair *law = &h->impacts[h->material[i] * h->material_count + s->material];
    const impact_body a = {h->inverse_mass[i], h->spins ? h->turning : 0.0}, wall = {0};
    const double before = energy_of(h, i);
    impact_result out = solve(h, law, too_soon(h, i, NOBODY), a, wall, approach, slide);
    const double up[3] = {-normal[0], -normal[1], -normal[2]};
    const double least = (least_parting(h, up) + approach) / a.inverse_mass;
    if (out.normal < least) out.normal = least;
    apply(h, i, NOBODY, normal, &out, arm, NULL);
    count_collision(h, &out, before, energy_of(h, i));
    for (int l = 0; l < 3; l++)
        h->wall_impulse[3 * s->wall + l] += out.normal * normal[l] + out.tangential[l];
    if (h->log != NULL) jo_log_event(h, JO_HARD_WALL, s->face, h->id[i], s->wall, approach);
    h->sums.wall_collisions++;
}
