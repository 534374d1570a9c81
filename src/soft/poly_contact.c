/* poly_contact.c — forces of contacts in which a polyhedron takes part.
 *
 * Normal. Two polyhedra, or one and a wall, press on each other as narrow/press.c says: springs of
 * stiffness kappa per area, spread over the surface between the two, whose force has a potential.
 * With moduli kappa = E* / L, the bodies being layers as thick together as L, the sum of the radii
 * of spheres of their volumes; with a linear law kappa = k_n / (pi R²), R the smaller of those
 * radii, so that a contact as wide as the body has the stiffness given. A sphere touches a
 * polyhedron in one point, as it touches a wall, with the law as it is.
 *
 * Damping. c = alpha(e) sqrt(m k), k = kappa times area, on the normal velocity at the centre of
 * pressure; and, spread as the pressure is, on rocking: without it a cube would rock on its face
 * for ever.
 *
 * Friction. A spring against sliding, carried along with the contact's plane, and one against
 * turning about the normal. Their stiffness is to that of the normal as the law has it. Dashpots
 * beside them, in the same ratio to the normal one unless the law says otherwise, let stacks come
 * to rest. Force F and torque M have one limit, since what slides all over the surface can be held
 * once only: (F / mu N)² + (M / M_max)² <= 1, an ellipsoid close to what friction spread over the
 * surface holds (Howe and Cutkosky 1996), with M_max = mu N times the pressure's mean arm, which is
 * 0.943 of the root of its mean square for a disc.
 *   What slides is held at the centre of pressure. What sticks is held by springs spread evenly
 * over the area pressed, hence at its middle, which stays where it is while a body rocks on a whole
 * face. The centre of pressure does not. A force that went with it would turn about the normal a
 * body that rolls, while turning would not roll it likewise: such forces have no potential, and
 * rocking close to tipping would grow by itself.
 *
 * Account. What resists motion is summed by the trapezoidal rule, springs by the difference of work
 * done on them and what they hold. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "scene/poly.h"
#include "soft/poly_meet.h"

/* ---- the law ---- */

/* Velocity of a's surface against b's at the contact. */
static void surface_velocity(const double va[3], const double wa[3], const double vb[3],
                             const double wb[3], const double arm_a[3], const double arm_b[3],
                             double out[3])
{
    double ta[3], tb[3];
    cross3(wa, arm_a, ta);
    cross3(wb, arm_b, tb);
    for (int k = 0; k < 3; k++)
        out[k] = va[k] + ta[k] - vb[k] - tb[k];
}

/* Turns the tangential spring into the present plane, and with the mean turning about its
 * normal. */
static void carry_spring(poly_pair *p, const double n[3], double turned)
{
    const double length2 = dot3(p->xi, p->xi), along = dot3(p->xi, n);
    double turn[3];
    if (length2 == 0) return;
    cross3(n, p->xi, turn);
    for (int k = 0; k < 3; k++)
        p->xi[k] += turned * turn[k] - along * n[k];
    const double now2 = dot3(p->xi, p->xi), scale = now2 > 0 ? sqrt(length2 / now2) : 0;
    for (int k = 0; k < 3; k++)
        p->xi[k] *= scale;
}

/* What part of a force and of a torque about the normal Coulomb's friction can hold, of both alike:
 * it holds `limit` of force alone, `most` of torque alone, and an ellipse between the two. */
static double part_held(double force, double torque, double limit, double most)
{
    if (force == 0 && torque == 0) return 1;
    if (!(limit > 0)) return 0;
    const double f = force / limit, t = most > 0 ? torque / most : 0;
    return fmin(1, 1 / sqrt(f * f + t * t));
}

/* Mean square of the distance from the axis along the normal through the centre of pressure. */
static double arm_squared(const meeting *m)
{
    double sum = 0, along = 0;
    for (int r = 0; r < 3; r++) {
        sum += m->spread[4 * r];
        for (int c = 0; c < 3; c++)
            along += m->n[r] * m->spread[3 * r + c] * m->n[c];
    }
    return fmax(sum - along, 0);
}

/* Sliding and turning about the normal: springs, then springs and dashpots, cut at what friction
 * holds of both together. The force of a contact that sticks acts at the middle of its area, where
 * the spring is measured, too; about the centre of pressure that is a torque. */
static void rub(poly_pair *p, const meeting *m, double mu, double push, const double slid[3],
                double turned, const double sliding[3], double turning)
{
    const double limit = mu * fmax(push, 0), arm2 = arm_squared(m), stiff = m->tangent * arm2;
    const double most = 0.943 * limit * sqrt(arm2);
    double around[3] = {0, 0, 0};
    if (!p->sliding) cross3(m->n, m->middle, around);
    for (int k = 0; k < 3; k++)
        p->xi[k] += slid[k] + turned * around[k];
    p->twist += turned;
    const double spring =
        part_held(m->tangent * sqrt(dot3(p->xi, p->xi)),
                  stiff * p->twist + m->tangent * dot3(around, p->xi), limit, most);
    p->sliding = spring < 1;
    p->twist *= spring;
    for (int k = 0; k < 3; k++) {
        p->xi[k] *= spring;
        p->drag[k] = -m->tangent * p->xi[k] - m->drag * (sliding[k] + turning * around[k]);
    }
    /* Nothing else would damp turning about the normal: a dashpot in the ratio of the
     * stiffnesses. */
    const double viscous = m->stiffness > 0 ? m->dashpot * stiff / m->stiffness : 0;
    p->torsion = dot3(around, p->drag) - stiff * p->twist - viscous * turning;
    const double all = part_held(sqrt(dot3(p->drag, p->drag)), p->torsion, limit, most);
    p->torsion *= all;
    for (int k = 0; k < 3; k++)
        p->drag[k] *= all;
    p->stored = 0.5 * (m->tangent * dot3(p->xi, p->xi) + stiff * p->twist * p->twist);
}

/* Dashpots on approach and on rocking; returns the normal force. */
static double damp(const jo_soft *soft, const meeting *m, double approach, const double spin[3],
                   double torque[3])
{
    double force = -m->dashpot * approach, u[3], turn[3];
    if ((soft->law.parts.clip_attraction || m->leans) && m->elastic + force < 0)
        force = -m->elastic;
    cross3(spin, m->n, u); /* the gradient of the normal velocity in the plane is  -(spin x n) … */
    for (int r = 0; r < 3; r++)
        turn[r] = -m->dashpot * dot3(m->spread + 3 * r, u);
    cross3(m->n, turn, torque); /* … so this is  -c [n] S [n]^T spin */
    return force;
}

static void act(const jo_soft *soft, poly_pair *p, const side *a, const side *b, const meeting *m,
                double mu, double dt)
{
    double arm_b[3], was_b[3], now[3], half[3], was[3], slid[3], sliding[3], spin[3], rocked[3];
    const double stored = p->stored, torsion = p->torsion;
    double lost = 0;
    for (int k = 0; k < 3; k++) {
        arm_b[k] = a->x[k] + m->centre[k] - b->x[k];
        was_b[k] = a->x[k] + p->point[k] - b->x[k];
        spin[k] = a->w[k] - b->w[k];
    }
    surface_velocity(a->v_half, a->w_half, b->v_half, b->w_half, p->point, was_b, was);
    surface_velocity(a->v, a->w, b->v, b->w, m->centre, arm_b, now);
    surface_velocity(a->v_half, a->w_half, b->v_half, b->w_half, m->centre, arm_b, half);
    const double approach = dot3(now, m->n), closing = dot3(half, m->n);
    for (int k = 0; k < 3; k++) {
        slid[k] = dt * (half[k] - closing * m->n[k]);
        sliding[k] = now[k] - approach * m->n[k];
    }
    const double turned = dt * (dot3(a->w_half, m->n) - dot3(b->w_half, m->n));
    const double push = damp(soft, m, approach, spin, rocked);
    for (int k = 0; k < 3; k++) /* half of last step's resistance along this step's way, there … */
        lost -=
            0.5 * dt *
            ((p->pushed[k] + p->drag[k]) * was[k] + p->rocked[k] * (a->w_half[k] - b->w_half[k]));
    carry_spring(p, m->n, 0.5 * dt * (dot3(a->w_half, m->n) + dot3(b->w_half, m->n)));
    rub(p, m, mu, m->elastic + push, slid, turned, sliding, dot3(spin, m->n));
    p->normal = m->elastic + push;
    p->overlap = m->overlap;
    p->stiffness = m->stiffness;
    for (int k = 0; k < 3; k++) {
        p->point[k] = m->centre[k];
        p->force[k] = p->normal * m->n[k] + m->aside[k] + p->drag[k];
        p->couple[k] = m->couple[k] + rocked[k] + p->torsion * m->n[k];
        p->pushed[k] = push * m->n[k];
        p->rocked[k] = rocked[k];
    }
    for (int k = 0; k < 3; k++) /* … and half of this one's */
        lost -= 0.5 * dt * (p->pushed[k] * half[k] + p->rocked[k] * (a->w_half[k] - b->w_half[k])) +
                0.5 * p->drag[k] * slid[k];
    p->lost = lost - (p->stored - stored) - 0.5 * (torsion + p->torsion) * turned;
}

/* A contact that is none any more: what its springs hold is lost, and its last forces acted for
 * half a step more. */
static void end_contact(poly_pair *p, const side *a, const side *b, double dt)
{
    p->lost = 0;
    if (p->touching) {
        double arm_b[3], half[3];
        for (int k = 0; k < 3; k++)
            arm_b[k] = a->x[k] + p->point[k] - b->x[k];
        surface_velocity(a->v_half, a->w_half, b->v_half, b->w_half, p->point, arm_b, half);
        p->lost = p->stored;
        for (int k = 0; k < 3; k++)
            p->lost -= 0.5 * dt *
                       ((p->pushed[k] + p->drag[k]) * half[k] +
                        p->rocked[k] * (a->w_half[k] - b->w_half[k]));
    }
    memset(p->xi, 0, sizeof p->xi);
    memset(p->drag, 0, sizeof p->drag);
    memset(p->pushed, 0, sizeof p->pushed);
    memset(p->rocked, 0, sizeof p->rocked);
    memset(p->force, 0, sizeof p->force);
    memset(p->couple, 0, sizeof p->couple);
    p->twist = p->stored = p->torsion = p->normal = p->overlap = p->worked = 0;
    p->stiffness = p->others = 0;
    p->touching = p->sliding = 0;
}

static void evaluate(const jo_soft *soft, poly_pair *p, double dt, poly_scratch *s)
{
    const double moved = jo_poly_moved(soft, p->kind);
    p->lost = p->worked = 0;
    if (!p->touching && moved < p->asleep) return;
    side a, b;
    meeting m = {.elastic = 0};
    double up = 0;
    jo_poly_side_of_body(soft, p->a, &a);
    bool meets = true;
    if (p->kind == PAIR_WALL) {
        const wall_live *wall = &soft->live[p->b];
        meets = wall->present;
        b = (side){.lightness = 0};
    } else {
        jo_poly_side_of_body(soft, p->b, &b);
        up = jo_poly_nearest_image(soft, &a, &b);
    }
    if (meets) meets = jo_poly_meet(soft, p, &a, &b, moved, s, &m);
    if (p->kind == PAIR_WALL) {
        const double *arm = meets ? m.centre : p->point;
        const double at[3] = {a.x[0] + arm[0], a.x[1] + arm[1], a.x[2] + arm[2]};
        jo_poly_side_of_wall(&soft->live[p->b], at, &b);
    }
    if (!meets) {
        end_contact(p, &a, &b, dt);
        p->overlap = m.overlap;
        return;
    }
    act(soft, p, &a, &b, &m, jo_poly_law(soft, p)->mu, dt);
    if (p->kind != PAIR_SPHERE && !m.from_tangent) jo_poly_take_tangent(soft, p, &a, &b, dt, s, &m);
    for (int k = 0; k < 3; k++)
        p->branch[k] = a.x[k] - b.x[k];
    p->touching = 1;
    p->worked = p->kind == PAIR_WALL ? 0 : soft->s.box.jump * p->force[0] * up;
}

/* ---- all of them ---- */

enum { CHUNK = 32 };

typedef struct force_work {
    jo_soft *soft;
    double dt;
    atomic_size_t next;
} force_work;

static void work_on_pairs(void *context, int t, int threads)
{
    force_work *work = context;
    poly_world *w = work->soft->poly;
    poly_pair *pairs = w->pairs.data;
    (void)threads;
    for (;;) {
        const size_t from = atomic_fetch_add_explicit(&work->next, CHUNK, memory_order_relaxed);
        if (from >= w->pair_count) return;
        const size_t end = from + CHUNK < w->pair_count ? from + CHUNK : w->pair_count;
        for (size_t k = from; k < end; k++)
            evaluate(work->soft, &pairs[k], work->dt, &w->scratch[t]);
    }
}

/* The radius of a body and its thickness. */
static void sizes_of(const jo_soft *soft, uint32_t slot, double size[2])
{
    const poly_body *b = poly_bodies(soft->poly) + slot;
    const double radius = soft->s.x[4 * (size_t)b->index + 3];
    size[0] = radius;
    size[1] = 2 * (b->kind == NO_KIND ? radius : soft->poly->kinds[b->kind].shape->inradius);
}

/* Contacts that are too deep: measured by the smaller radius, or by the thickness of a thin body,
 * beyond which its own depth does not go. */
static void watch_depth(jo_soft *soft, const poly_pair *p, bool start)
{
    const double flat = 2.5; /* a quarter of the thickness where a tenth of the radius is told */
    const poly_body *bodies = poly_bodies(soft->poly);
    const bool wall = p->kind == PAIR_WALL;
    double size[2];
    sizes_of(soft, p->a, size);
    if (!wall) {
        double other[2];
        sizes_of(soft, p->b, other);
        for (int k = 0; k < 2; k++)
            size[k] = fmin(size[k], other[k]);
    }
    const bool thin = flat * size[1] < size[0];
    const double most = soft->s.deep_alarm * (thin ? flat * size[1] : size[0]);
    if (!(p->overlap > most)) return;
    const deep_how how = !p->touching ? DEEP_WHOLLY : thin ? DEEP_THICKNESS : DEEP_RADIUS;
    jo_alarm_deep(soft, bodies[p->a].index, wall ? 0 : bodies[p->b].index, wall ? p->b : UINT32_MAX,
                  how, p->overlap / size[thin], start);
}

static void add_to_body(const jo_soft *soft, uint32_t slot, double sign, const double force[3],
                        const double couple[3], const double arm[3])
{
    double *f = soft->s.f + 6 * (size_t)poly_bodies(soft->poly)[slot].index, turn[3];
    cross3(arm, force, turn);
    for (int k = 0; k < 3; k++) {
        f[k] += sign * force[k];
        f[3 + k] += sign * (turn[k] + couple[k]);
    }
}

static void add_to_wall(jo_soft *soft, const poly_pair *p)
{
    const wall_live *wall = &soft->live[p->b];
    const double *x = soft->s.x + 4 * (size_t)poly_bodies(soft->poly)[p->a].index;
    double *sum = soft->poly->wall_sums + 6 * (size_t)p->b, lever[3], turn[3];
    for (int k = 0; k < 3; k++)
        lever[k] = x[k] + p->point[k] - wall->now.pivot[k] - wall->now.displacement[k];
    cross3(lever, p->force, turn);
    for (int k = 0; k < 3; k++) {
        sum[k] -= p->force[k];
        sum[3 + k] -= turn[k] + p->couple[k];
    }
}

/* Tells the pieces of one wall that one body touches what the others do along their normal. */
static void end_run(poly_world *w)
{
    poly_pair *pairs = w->pairs.data;
    for (size_t i = w->run_from; i < w->run_to; i++) {
        const poly_piece *pieces = w->walls[pairs[i].b].pieces;
        double others = 0;
        for (size_t j = w->run_from; j < w->run_to && pairs[i].touching; j++) {
            if (j == i || !pairs[j].touching) continue;
            const double along = dot3(pieces[pairs[i].piece].plane, pieces[pairs[j].piece].plane);
            others += pairs[j].stiffness * along * along;
        }
        pairs[i].others = others;
    }
    w->run_from = w->run_to = 0;
}

/* Pairs of a body with a wall lie beside each other. */
static void add_to_run(poly_world *w, size_t k)
{
    const poly_pair *pairs = w->pairs.data, *first = &pairs[w->run_from], *p = &pairs[k];
    if (w->run_to == 0 || first->a != p->a || first->b != p->b) {
        end_run(w);
        w->run_from = k;
    }
    w->run_to = k + 1;
}

static bool make_room(poly_world *w, size_t units, uint32_t *at)
{
    if (w->surface_units + units >= TANGENT_WANTED) return true;
    if (!jo_buffer_grow(&w->surfaces, SURFACE_UNIT * w->surface_units, w->surface_units + units,
                        SURFACE_UNIT))
        return false;
    *at = (uint32_t)w->surface_units;
    memset((unsigned char *)w->surfaces.data + SURFACE_UNIT * w->surface_units, 0,
           SURFACE_UNIT * units);
    w->surface_units += units;
    return true;
}

/* A contact that has found its surface gets room to keep it, in the order of the list; from the
 * next time on that it looks for it. Likewise for its tangent. */
static bool make_rooms(poly_world *w, poly_pair *p)
{
    if (p->want > p->room) {
        const size_t units = p->want + p->want / 4; /* it may grow a little */
        const uint32_t before = p->kept;
        if (!make_room(w, units, &p->kept)) return false;
        if (p->kept != before) p->room = (uint32_t)units;
    }
    return p->tangent != TANGENT_WANTED || make_room(w, TANGENT_UNITS, &p->tangent);
}

/* In the order of the list, whoever computed them. */
static bool gather(jo_soft *soft, double dt, size_t from, size_t end)
{
    poly_world *w = soft->poly;
    poly_pair *pairs = w->pairs.data;
    for (size_t k = from; k < end; k++) {
        poly_pair *p = &pairs[k];
        if (soft->s.account) soft->dissipated += p->lost;
        if (p->overlap > 0) watch_depth(soft, p, dt == 0);
        if (!p->touching) continue;
        if (!make_rooms(w, p)) return false;
        add_to_body(soft, p->a, 1, p->force, p->couple, p->point);
        if (p->kind == PAIR_WALL) {
            add_to_wall(soft, p);
            if (w->walls[p->b].pieces != NULL) add_to_run(w, k);
        } else {
            double arm[3];
            for (int c = 0; c < 3; c++)
                arm[c] = p->branch[c] + p->point[c];
            add_to_body(soft, p->b, -1, p->force, p->couple, arm);
            soft->work += p->worked * dt;
            soft->late += 0.5 * p->worked * dt;
        }
    }
    return true;
}

jo_status jo_poly_forces(jo_soft *soft, double dt, jo_error *error)
{
    poly_world *w = soft->poly;
    if (!w->on) return JO_OK;
    force_work work = {.soft = soft, .dt = dt};
    bool fine = true;
    memset(w->wall_sums, 0, 6 * soft->wall_count * sizeof *w->wall_sums);
    if (soft->threads > 1 && w->pair_count > 2 * CHUNK) {
        jo_threads_run(soft->threads, work_on_pairs, &work);
        fine = gather(soft, dt, 0, w->pair_count);
    } else { /* the same order, while they are in the cache */
        for (size_t from = 0, end; from < w->pair_count && fine; from = end) {
            end = from + CHUNK < w->pair_count ? from + CHUNK : w->pair_count;
            for (size_t k = from; k < end; k++)
                evaluate(soft, (poly_pair *)w->pairs.data + k, dt, &w->scratch[0]);
            fine = gather(soft, dt, from, end);
        }
    }
    end_run(w);
    for (int t = 0; t < soft->threads; t++)
        if (w->scratch[t].failed) fine = false;
    return fine ? JO_OK
                : jo_fail_memory(error, SURFACE_UNIT * w->surface_units, "contacts of polyhedra");
}
