/* poly_contact.c — forces of contacts in which a polyhedron takes part.
 *
 * Normal. Two polyhedra, or one and a wall, press on each other as narrow/press.c says: springs of
 * stiffness kappa per area, spread over the surface between the two, whose force has a potential. With
 * moduli kappa = E* / L, the bodies being layers as thick together as L, the sum of the radii of spheres
 * of their volumes; with a linear law kappa = k_n / (pi R²), R the smaller of those radii, so
 * that a contact as wide as the body has the stiffness given. A sphere touches a polyhedron in one
 * point, as it touches a wall, with the law as it is.
 *
 * Damping. c = alpha(e) sqrt(m k), k = kappa times area, on the normal velocity at the centre of
 * pressure; and, spread as the pressure is, on rocking: without it a cube would rock on its face for ever.
 *
 * Friction. A spring against sliding at the centre of pressure, carried along with the contact's plane
 * and cut at mu times the normal force; and one against turning about the normal, cut at mu times the
 * normal force times the pressure's mean arm. Their stiffness is to that of the normal as the law has it.
 * Dashpots beside them, in the same ratio to the normal one unless the law says otherwise, let stacks
 * come to rest.
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
#include "soft/poly.h"

static const double pi = 3.14159265358979323846;

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    const double r[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, r, sizeof r);
}

/* One of the two sides of a contact: where it is and how it moves, now and half a step before. */
typedef struct side {
    double x[3], v[3], w[3], v_half[3], w_half[3];
    double lightness; /* 1 / mass */
    double size;      /* radius of the sphere of the same volume; of the sphere itself */
} side;

/* A contact as geometry leaves it to the law. */
typedef struct meeting {
    double n[3];      /* unit vector from b to a */
    double elastic;   /* normal force of the spring */
    double couple[3]; /* of that about the centre */
    double centre[3]; /* from a's centre */
    double spread[9]; /* mean square of the distance from there, weighted by pressure */
    double stiffness, tangent, dashpot, drag; /* normal and tangential */
    double overlap;
} meeting;

/* ---- where bodies and walls are ---- */

static void side_of_body(const jo_soft *soft, uint32_t slot, side *out)
{
    const poly_body *b = poly_bodies(soft->poly) + slot;
    const view *s = &soft->s;
    const size_t i = b->index;
    for (int a = 0; a < 3; a++) {
        out->x[a] = s->x[4 * i + a];
        out->v_half[a] = s->v[4 * i + a];
        out->v[a] = s->v[4 * i + a] + (double)s->c[8 * i + a];
        out->w_half[a] = b->kind == NO_KIND ? s->w[4 * i + a] : b->w_half[a];
        out->w[a] = b->kind == NO_KIND ? s->w[4 * i + a] + (double)s->c[8 * i + 4 + a] : b->w[a];
    }
    out->lightness = s->v[4 * i + 3];
    out->size = b->kind == NO_KIND ? s->x[4 * i + 3] : soft->poly->kinds[b->kind].equivalent;
}

/* A wall as if it were a body at `x`. */
static void side_of_wall(const wall_live *wall, const double x[3], side *out)
{
    double lever[3], turn[3];
    *out = (side){.lightness = 0};
    for (int a = 0; a < 3; a++) {
        out->x[a] = x[a];
        lever[a] = x[a] - wall->now.pivot[a] - wall->now.displacement[a];
        out->w[a] = wall->now.spin[a];
        out->w_half[a] = wall->spin_half[a];
    }
    cross3(wall->now.spin, lever, turn);
    for (int a = 0; a < 3; a++)
        out->v[a] = wall->now.velocity[a] + turn[a];
    cross3(wall->spin_half, lever, turn);
    for (int a = 0; a < 3; a++)
        out->v_half[a] = wall->velocity_half[a] + turn[a];
}

/* Moves b to the image that is nearest to a; returns how many boundaries up it is. */
static double nearest_image(const jo_soft *soft, const side *a, side *b)
{
    const box4 *box = &soft->s.box;
    double up = 0;
    if (!box->any) return 0;
    double d[3] = {a->x[0] - b->x[0], a->x[1] - b->x[1], a->x[2] - b->x[2]};
    for (int k = 2; k >= 0; k--) {
        if (!box->periodic[k]) continue;
        const double turns = nearbyint(d[k] * box->inverse[k]);
        b->x[k] += turns * box->size[k];
        if (k == 1 && box->sheared) {
            up = turns;
            b->x[0] += turns * box->offset;
            b->v[0] += turns * box->jump;
            b->v_half[0] += turns * box->jump;
            d[0] -= turns * box->offset;
        }
    }
    return up;
}

/* ---- stiffness ---- */

static const law_pair *pair_of(const jo_soft *soft, uint32_t a, uint32_t other)
{
    const uint8_t *material = soft->s.material;
    return &soft->law
                .pairs[material[poly_bodies(soft->poly)[a].index] * soft->law.materials + other];
}

static double mass_of(const side *a, const side *b)
{
    return 1 / (a->lightness + b->lightness);
}

/* Stiffness per area; see the top. */
double jo_poly_bedding(const law *l, const law_pair *c, double size_a, double size_b, double mass)
{
    const double smaller = size_b > 0 && size_b < size_a ? size_b : size_a;
    if (l->parts.normal == JO_NORMAL_HERTZ) return 0.75 * c->kn / (size_a + size_b);
    const double kn = l->parts.normal == JO_NORMAL_ENERGY ? c->kn * mass : c->kn;
    return kn / (pi * smaller * smaller);
}

/* Tangential stiffness and dashpots of a contact with normal stiffness `stiffness` and radius `wide`. The
 * dashpot of hertz is made for a stiffness that grows; on a mattress of springs the same restitution
 * takes 2 / sqrt(5) of it. */
static void set_parts(const law *l, const law_pair *c, double mass, double wide, bool mattress,
                      meeting *m)
{
    const jo_law *parts = &l->parts;
    const bool hertz = parts->normal == JO_NORMAL_HERTZ;
    const bool mindlin = parts->tangential >= JO_TANGENTIAL_MINDLIN;
    m->tangent = 0;
    if (parts->tangential != JO_TANGENTIAL_NONE) {
        if (hertz && mindlin)
            m->tangent = m->stiffness * c->kt / (1.5 * c->kn);
        else if (!hertz && !mindlin)
            m->tangent = m->stiffness * c->kt / c->kn;
        else
            m->tangent = mindlin ? c->kt * wide : c->kt;
    }
    const bool viscous = parts->damping == JO_DAMPING_VISCOUS;
    const double given = mass * (hertz ? wide : 1);
    if (parts->damping == JO_DAMPING_NONE) return;
    const double form = mattress && hertz ? 0.894427190999915878 : 1;
    m->dashpot = viscous ? given * c->damp_n : form * c->damp_n * sqrt(mass * m->stiffness);
    if (l->drags)
        m->drag = viscous ? given * c->damp_t : c->damp_t * sqrt(mass * m->tangent);
    else if (m->stiffness > 0) /* else stacks would sway for ever */
        m->drag = m->dashpot * m->tangent / m->stiffness;
}

/* ---- geometry ---- */

/* A direction of the world in the frame of a pose. */
static void into_frame(const jo_pose *pose, const double up[3], double sign, double out[3])
{
    const double *m = pose->turn;
    for (int k = 0; k < 3; k++)
        out[k] = sign * (m[k] * up[0] + m[3 + k] * up[1] + m[6 + k] * up[2]);
}

/* How far the body reaches along a direction from its centre; *top is where to begin and where it is. */
static double reach_along(const jo_polyhedron *body, const jo_pose *pose, const double up[3],
                          double sign, uint32_t *top)
{
    double d[3];
    into_frame(pose, up, sign, d);
    *top = poly_climb(body, d, *top < body->nv ? *top : 0);
    return dot3(d, body->points + 3 * (size_t)*top);
}

/* What pressing gives, as a meeting. */
static void meet_pressing(const press *g, double slope, meeting *m)
{
    const double length = sqrt(dot3(g->force, g->force));
    double lever[3];
    m->elastic = slope * length;
    m->stiffness = 0.5 * slope * sqrt(dot3(g->area, g->area));
    m->overlap = 2 * g->deepest;
    for (int a = 0; a < 3; a++) {
        m->n[a] = g->force[a] / length;
        m->centre[a] = g->first[a] / g->total;
    }
    cross3(m->centre, g->force, lever);
    for (int a = 0; a < 3; a++)
        m->couple[a] = slope * (g->moment[a] - lever[a]);
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m->spread[3 * r + c] =
                g->second[place[3 * r + c]] / g->total - m->centre[r] * m->centre[c];
}

/* A wall's convex body, or a body, against body a: planes of both, or that they are apart. */
typedef struct rival {
    const jo_polyhedron *shape;
    const jo_pose *pose;
} rival;

/* Whether a and b overlap along the pair's axis; *depth by how much, or below 0 the gap. */
static bool overlap_along(const poly_pair *p, const poly_body *a, const jo_polyhedron *body,
                          const rival *b, uint32_t tops[2], double *depth)
{
    const double apart[3] = {b->pose->at[0] - a->pose.at[0], b->pose->at[1] - a->pose.at[1],
                             b->pose->at[2] - a->pose.at[2]};
    *depth = reach_along(body, &a->pose, p->axis, 1, &tops[0]) +
             reach_along(b->shape, b->pose, p->axis, -1, &tops[1]) - dot3(apart, p->axis);
    return *depth > 0;
}

/* The planes of both near the contact, from a's centre. False: they are apart, and p sleeps. */
static bool caps_of(const jo_soft *soft, poly_pair *p, const rival *b, double moved,
                    poly_scratch *s)
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const jo_polyhedron *body = soft->poly->kinds[a->kind].shape;
    uint32_t tops[2] = {p->top_a, p->top_b};
    double depth = 0;
    if (p->touching || dot3(p->axis, p->axis) > 0) {
        const bool overlap = overlap_along(p, a, body, b, tops, &depth);
        p->top_a = tops[0];
        p->top_b = tops[1];
        if (!overlap) {
            p->asleep = moved - depth * (1 - 1e-9);
            return false;
        }
    }
    if (!p->touching) { /* the axis does not separate them: is there one that does? */
        jo_closest near;
        jo_features_follow(body, &a->pose, b->shape, b->pose, &p->features, &near);
        memcpy(p->axis, near.normal, sizeof p->axis);
        if (!near.overlap && near.distance > 0) {
            p->asleep = moved + near.distance * (1 - 1e-9);
            return false;
        }
        if (!overlap_along(p, a, body, b, tops, &depth)) return false;
        p->top_a = tops[0];
        p->top_b = tops[1];
    }
    const double down[3] = {-p->axis[0], -p->axis[1], -p->axis[2]}, more = 1e-13 * body->radius;
    s->a.count = s->b.count = 0;
    if (!jo_press_cap(body, &a->pose, a->pose.at, p->axis, p->top_a, depth, 0, &s->press, &s->a) ||
        !jo_press_cap(b->shape, b->pose, a->pose.at, down, p->top_b, depth, more, &s->press,
                      &s->b)) {
        s->failed = true;
        return false;
    }
    return true;
}

/* A piece of wall against body a. */
typedef struct piece_now {
    double planes[5][4], parts[4][4]; /* in the world's axes, from a's centre */
    size_t plane_count, part_count;
} piece_now;

static void turn_plane(const wall_pose *pose, const double centre[3], const double in[4],
                       double sign, double out[4])
{
    /* n·p = d for p of the description; p = R^T (x - pivot - displacement) + pivot. */
    for (int r = 0; r < 3; r++)
        out[r] = sign * (pose->rotation[3 * r] * in[0] + pose->rotation[3 * r + 1] * in[1] +
                         pose->rotation[3 * r + 2] * in[2]);
    double offset = sign * (in[3] - dot3(in, pose->pivot));
    for (int r = 0; r < 3; r++)
        offset += out[r] * (pose->pivot[r] + pose->displacement[r] - centre[r]);
    out[3] = offset;
}

static void piece_in_world(const jo_soft *soft, const poly_pair *p, const double centre[3],
                           piece_now *out)
{
    const poly_piece *piece = &soft->poly->walls[p->b].pieces[p->piece];
    const wall_pose *pose = &soft->live[p->b].now;
    turn_plane(pose, centre, piece->plane, 1, out->planes[0]);
    for (int k = 0; k < 4 && p->behind; k++) /* a thin wall's face is the one on the body's side */
        out->planes[0][k] = -out->planes[0][k];
    for (size_t k = 0; k < piece->rim_count; k++)
        turn_plane(pose, centre, piece->rims[k], 1, out->planes[1 + k]);
    out->plane_count = 1 + piece->rim_count;
    out->part_count = piece->part_count;
    for (size_t k = 0; k < piece->part_count; k++) {
        const double *in = piece->parts[k], plane[4] = {in[0], in[1], in[2], -in[3]};
        turn_plane(pose, centre, plane, 1, out->parts[k]);
        out->parts[k][3] = -out->parts[k][3];
    }
}

/* Planes of body and piece; false: apart. */
static bool caps_of_piece(const jo_soft *soft, poly_pair *p, double moved, poly_scratch *s,
                          piece_now *piece)
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const jo_polyhedron *body = soft->poly->kinds[a->kind].shape;
    double down[3];
    piece_in_world(soft, p, a->pose.at, piece);
    for (int k = 0; k < 3; k++)
        p->axis[k] = down[k] = -piece->planes[0][k];
    uint32_t top = p->top_a;
    const double depth = reach_along(body, &a->pose, down, 1, &top) + piece->planes[0][3];
    p->top_a = top;
    if (!(depth > 0)) {
        p->asleep = moved - depth * (1 - 1e-9);
        return false;
    }
    s->a.count = s->b.count = 0;
    bool fine = jo_press_cap(body, &a->pose, a->pose.at, down, top, depth, 0, &s->press, &s->a);
    for (size_t k = 0; k < piece->plane_count && fine; k++)
        fine = jo_press_plane(&s->b, piece->planes[k], piece->planes[k][3], (uint32_t)k);
    if (!fine) s->failed = true;
    return fine;
}

/* The pose of a wall that is a convex body. */
static void pose_of_wall(const wall_pose *wall, const jo_polyhedron *solid, jo_pose *out)
{
    double from[3];
    memcpy(out->turn, wall->rotation, sizeof out->turn);
    for (int r = 0; r < 3; r++)
        from[r] = solid->centre[r] - wall->pivot[r];
    for (int r = 0; r < 3; r++)
        out->at[r] = wall->pivot[r] + wall->displacement[r] + dot3(wall->rotation + 3 * r, from);
}

/* Planes of both and what cuts them: leaves them in the scratch. */
static bool planes_of(const jo_soft *soft, poly_pair *p, const side *other, double moved,
                      poly_scratch *s, piece_now *piece)
{
    piece->part_count = 0;
    if (p->kind == PAIR_BODIES) {
        const poly_body *b = poly_bodies(soft->poly) + p->b;
        jo_pose pose = b->pose;
        memcpy(pose.at, other->x, sizeof pose.at); /* perhaps an image */
        const rival one = {soft->poly->kinds[b->kind].shape, &pose};
        return caps_of(soft, p, &one, moved, s);
    }
    const poly_wall *wall = &soft->poly->walls[p->b];
    if (wall->solid == NULL) return caps_of_piece(soft, p, moved, s, piece);
    jo_pose pose;
    pose_of_wall(&soft->live[p->b].now, wall->solid, &pose);
    const rival one = {wall->solid, &pose};
    return caps_of(soft, p, &one, moved, s);
}

/* The wall's half-space or the other body presses on a. */
static bool meet_flat(const jo_soft *soft, poly_pair *p, const side *a, const side *b, double moved,
                      poly_scratch *s, meeting *m)
{
    piece_now piece;
    press g;
    const uint32_t other = p->kind == PAIR_WALL
                               ? soft->live[p->b].def.material
                               : soft->s.material[poly_bodies(soft->poly)[p->b].index];
    const law_pair *c = pair_of(soft, p->a, other);
    if (!planes_of(soft, p, b, moved, s, &piece)) return false;
    const double size = 2 * soft->s.x[4 * (size_t)poly_bodies(soft->poly)[p->a].index + 3];
    if (!jo_press(&s->a, &s->b, (const double(*)[4])piece.parts, piece.part_count, size, p->face_a,
                  p->face_b, &s->press, &g)) {
        if (g.pieces == UINT32_MAX) s->failed = true;
        return false;
    }
    p->face_a = g.a;
    p->face_b = g.b;
    const double mass = mass_of(a, b),
                 kappa = jo_poly_bedding(&soft->law, c, a->size, b->size, mass);
    if (!(dot3(g.force, g.force) > 0)) return false;
    meet_pressing(&g, 2 * kappa, m);
    set_parts(&soft->law, c, mass, sqrt(sqrt(dot3(g.area, g.area)) / pi), true, m);
    for (int k = 0; k < 3 && p->kind == PAIR_BODIES; k++)
        p->axis[k] = -m->n[k];
    for (int k = 0; k < 3 && p->kind == PAIR_WALL && soft->poly->walls[p->b].solid != NULL; k++)
        p->axis[k] = -m->n[k];
    return true;
}

/* A sphere against a polyhedron: one point, the law of spheres on a flat wall. */
static bool meet_sphere(const jo_soft *soft, poly_pair *p, const side *a, const side *b,
                        double moved, meeting *m)
{
    const poly_body *body = poly_bodies(soft->poly) + p->a;
    const double r = b->size, mass = mass_of(a, b);
    const law_pair *c = pair_of(soft, p->a, soft->s.material[poly_bodies(soft->poly)[p->b].index]);
    jo_closest near;
    jo_features_sphere(soft->poly->kinds[body->kind].shape, &body->pose, b->x, r, &p->features.a,
                       &near);
    if (!(near.distance < 0)) {
        p->asleep = moved + near.distance * (1 - 1e-9);
        return false;
    }
    const double d = -near.distance, root = sqrt(r * d);
    const bool hertz = soft->law.parts.normal == JO_NORMAL_HERTZ;
    const double kn = soft->law.parts.normal == JO_NORMAL_ENERGY ? c->kn * mass : c->kn;
    m->elastic = hertz ? c->kn * root * d : kn * d;
    m->stiffness = hertz ? c->kn * root : kn;
    m->overlap = d;
    for (int k = 0; k < 3; k++) {
        m->n[k] = -near.normal[k];
        m->centre[k] = near.on_a[k] - a->x[k];
    }
    set_parts(&soft->law, c, mass, root, false, m);
    if (hertz && soft->law.parts.tangential >= JO_TANGENTIAL_MINDLIN) m->tangent = c->kt * root;
    return true;
}

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

/* Turns the tangential spring into the present plane, and with the mean turning about its normal. */
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

/* Sliding and turning about the normal: springs cut at Coulomb's limit. */
static void rub(poly_pair *p, const meeting *m, double mu, double push, const double slid[3],
                double turned, const double sliding[3], double turning)
{
    const double limit = mu * fmax(push, 0);
    double square = 0, arm2 = 0, along = 0;
    for (int r = 0; r < 3; r++) {
        arm2 += m->spread[4 * r];
        for (int c = 0; c < 3; c++)
            along += m->n[r] * m->spread[3 * r + c] * m->n[c];
    }
    arm2 = fmax(arm2 - along, 0);
    for (int k = 0; k < 3; k++)
        p->xi[k] += slid[k];
    const double held = m->tangent * sqrt(dot3(p->xi, p->xi));
    p->sliding = held > limit;
    if (held > limit)
        for (int k = 0; k < 3; k++)
            p->xi[k] *= limit / held;
    for (int k = 0; k < 3; k++) {
        p->drag[k] = -m->tangent * p->xi[k] - m->drag * sliding[k];
        square += p->drag[k] * p->drag[k];
    }
    if (square > limit * limit)
        for (int k = 0; k < 3; k++)
            p->drag[k] *= limit / sqrt(square);
    p->twist += turned;
    const double stiff = m->tangent * arm2, most = 0.943 * limit * sqrt(arm2);
    if (stiff * fabs(p->twist) > most) p->twist = copysign(stiff > 0 ? most / stiff : 0, p->twist);
    /* Nothing else would damp turning about the normal: a dashpot in the ratio of the stiffnesses. */
    const double viscous = m->stiffness > 0 ? m->dashpot * stiff / m->stiffness : 0;
    const double torsion = -stiff * p->twist - viscous * turning;
    p->torsion = copysign(fmin(fabs(torsion), most), torsion);
    p->stored = 0.5 * (m->tangent * dot3(p->xi, p->xi) + stiff * p->twist * p->twist);
}

/* Dashpots on approach and on rocking; returns the normal force. */
static double damp(const jo_soft *soft, const meeting *m, double approach, const double spin[3],
                   double torque[3])
{
    double force = -m->dashpot * approach, u[3], turn[3];
    if (soft->law.parts.clip_attraction && m->elastic + force < 0) force = -m->elastic;
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
    for (int k = 0; k < 3; k++) {
        p->point[k] = m->centre[k];
        p->force[k] = p->normal * m->n[k] + p->drag[k];
        p->couple[k] = m->couple[k] + rocked[k] + p->torsion * m->n[k];
        p->pushed[k] = push * m->n[k];
        p->rocked[k] = rocked[k];
    }
    for (int k = 0; k < 3; k++) /* … and half of this one's */
        lost -= 0.5 * dt * (p->pushed[k] * half[k] + p->rocked[k] * (a->w_half[k] - b->w_half[k])) +
                0.5 * p->drag[k] * slid[k];
    p->lost = lost - (p->stored - stored) - 0.5 * (torsion + p->torsion) * turned;
}

/* A contact that is none any more: what its springs hold is lost, and its last forces acted for half a
 * step more. */
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
    p->touching = p->sliding = 0;
}

static void evaluate(const jo_soft *soft, poly_pair *p, double dt, poly_scratch *s)
{
    const double moved = jo_poly_moved(soft, p->kind);
    p->lost = p->worked = 0;
    if (!p->touching && moved < p->asleep) return;
    side a, b;
    meeting m = {.elastic = 0};
    double up = 0, mu;
    side_of_body(soft, p->a, &a);
    bool meets = true;
    if (p->kind == PAIR_WALL) {
        const wall_live *wall = &soft->live[p->b];
        meets = wall->present;
        b = (side){.lightness = 0};
        mu = pair_of(soft, p->a, wall->def.material)->mu;
    } else {
        side_of_body(soft, p->b, &b);
        up = nearest_image(soft, &a, &b);
        mu = pair_of(soft, p->a, soft->s.material[poly_bodies(soft->poly)[p->b].index])->mu;
    }
    if (meets)
        meets = p->kind == PAIR_SPHERE ? meet_sphere(soft, p, &a, &b, moved, &m)
                                       : meet_flat(soft, p, &a, &b, moved, s, &m);
    if (p->kind == PAIR_WALL) {
        const double *arm = meets ? m.centre : p->point;
        const double at[3] = {a.x[0] + arm[0], a.x[1] + arm[1], a.x[2] + arm[2]};
        side_of_wall(&soft->live[p->b], at, &b);
    }
    if (!meets) {
        end_contact(p, &a, &b, dt);
        return;
    }
    act(soft, p, &a, &b, &m, mu, dt);
    for (int k = 0; k < 3; k++)
        p->branch[k] = a.x[k] - b.x[k];
    p->touching = 1;
    p->worked = p->kind == PAIR_WALL ? dot3(p->force, b.v) + dot3(p->couple, b.w)
                                     : soft->s.box.jump * p->force[0] * up;
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

static void tell_deep(jo_soft *soft, const poly_pair *p, double part, bool start)
{
    const poly_body *bodies = poly_bodies(soft->poly);
    const bool wall = p->kind == PAIR_WALL;
    jo_alarm_deep(soft, bodies[p->a].index, wall ? 0 : bodies[p->b].index, wall ? p->b : UINT32_MAX,
                  part, start);
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
    double *sum = soft->poly->wall_sums + 7 * (size_t)p->b, lever[3], turn[3];
    for (int k = 0; k < 3; k++)
        lever[k] = x[k] + p->point[k] - wall->now.pivot[k] - wall->now.displacement[k];
    cross3(lever, p->force, turn);
    for (int k = 0; k < 3; k++) {
        sum[k] -= p->force[k];
        sum[3 + k] -= turn[k] + p->couple[k];
    }
    sum[6] += p->worked;
}

/* In the order of the list, whoever computed them. */
static void gather(jo_soft *soft, double dt)
{
    poly_world *w = soft->poly;
    const poly_pair *pairs = w->pairs.data;
    memset(w->wall_sums, 0, 7 * soft->wall_count * sizeof *w->wall_sums);
    for (size_t k = 0; k < w->pair_count; k++) {
        const poly_pair *p = &pairs[k];
        if (soft->s.account) soft->dissipated += p->lost;
        if (!p->touching) continue;
        const size_t i = poly_bodies(w)[p->a].index;
        double smaller = soft->s.x[4 * i + 3];
        add_to_body(soft, p->a, 1, p->force, p->couple, p->point);
        if (p->kind == PAIR_WALL)
            add_to_wall(soft, p);
        else {
            double arm[3];
            for (int c = 0; c < 3; c++)
                arm[c] = p->branch[c] + p->point[c];
            add_to_body(soft, p->b, -1, p->force, p->couple, arm);
            soft->work += p->worked * dt;
            soft->late += 0.5 * p->worked * dt;
            smaller = fmin(smaller, soft->s.x[4 * (size_t)poly_bodies(w)[p->b].index + 3]);
        }
        if (p->overlap > soft->s.deep_alarm * smaller)
            tell_deep(soft, p, p->overlap / smaller, dt == 0);
    }
}

jo_status jo_poly_forces(jo_soft *soft, double dt, jo_error *error)
{
    poly_world *w = soft->poly;
    if (!w->on) return JO_OK;
    force_work work = {.soft = soft, .dt = dt};
    const int threads = w->pair_count > 2 * CHUNK ? soft->threads : 1;
    jo_threads_run(threads, work_on_pairs, &work);
    for (int t = 0; t < soft->threads; t++)
        if (w->scratch[t].failed) return jo_fail_memory(error, 0, "contacts of polyhedra");
    gather(soft, dt);
    return JO_OK;
}

/* What a contact holds: the springs against sliding, and the potential of pressing. */
double jo_poly_elastic(const jo_soft *soft, const poly_pair *pair, poly_scratch *s)
{
    poly_pair p = *pair; /* looking changes where the next search begins */
    side a, b = {.lightness = 0};
    press g;
    piece_now piece;
    side_of_body(soft, p.a, &a);
    if (p.kind != PAIR_WALL) {
        side_of_body(soft, p.b, &b);
        nearest_image(soft, &a, &b);
    }
    const uint32_t other = p.kind == PAIR_WALL
                               ? soft->live[p.b].def.material
                               : soft->s.material[poly_bodies(soft->poly)[p.b].index];
    const law_pair *c = pair_of(soft, p.a, other);
    const double mass = mass_of(&a, &b);
    if (p.kind == PAIR_SPHERE) {
        meeting m = {.elastic = 0};
        if (!meet_sphere(soft, &p, &a, &b, 0, &m)) return p.stored;
        return p.stored +
               (soft->law.parts.normal == JO_NORMAL_HERTZ ? 0.4 : 0.5) * m.elastic * m.overlap;
    }
    const double size = 2 * soft->s.x[4 * (size_t)poly_bodies(soft->poly)[p.a].index + 3];
    const double(*parts)[4] = (const double(*)[4])piece.parts;
    if (!planes_of(soft, &p, &b, 0, s, &piece) ||
        !jo_press(&s->a, &s->b, parts, piece.part_count, size, p.face_a, p.face_b, &s->press, &g))
        return p.stored;
    return p.stored +
           2 * jo_poly_bedding(&soft->law, c, a.size, b.size, mass) *
               jo_press_energy(&s->a, &s->b, parts, piece.part_count, size, &g, &s->press);
}
