/* kinetic_events.c — when triangles go flat, and what happens then.
 *
 * A triangle with corners of several bodies is asked when it goes flat (flat_time.h). If its
 * longest side is then mandatory, the corner opposite has hit that edge: a collision. If not, the
 * side is exchanged for the other diagonal of the quadrilateral it is in: a flip. Only triangles at
 * bodies whose motion changed, or that were flipped, are asked again.
 *
 * Collisions take place at a small distance, the gap, so that neither rounding nor the error of the
 * series ever lets bodies overlap. For a triangle with a mandatory side of length l (rigid, so l is
 * constant) the question is when det comes down to gap l. If the corner is then above the edge,
 * they collide. Beside it, it can hit no more than a corner, at the gap's distance
 * (kinetic_corners.c).
 *
 * Otherwise the triangle is due to be flipped when it goes flat, but it is looked at once before,
 * at a height of twice the gap over its longest side, and then, if need be, on a ladder of heights
 * below: whether the corner has come in reach of the edge after all; and whether a flip is wanted
 * already. It is where a corner d of the triangle is in reach of a mandatory edge, and lower than
 * the corners that are between the two in the fan around an end of the edge: d may be a corner of a
 * grain that lies flat on a wall, or that is in the corner of a box. Without that, d would be seen
 * only when it came down to the line from such a corner to the end of the edge, which near that end
 * is much less than the gap; with it, a corner is seen when it has lost little more than a rung of
 * the ladder. Nothing can go back and forth: at any instant such flips only bring lower corners
 * nearer to edges.
 *
 * A triangle that is flat and rising is no event (flat_time.h); one that stays flat, because its
 * bodies came to rest, is flipped at once. Where two go flat at once, a flip may be impossible
 * until the neighbour, whose far corner lies beyond, was flipped: that is done first. Two that
 * share their longest side, with both corners above it at once, are flipped where the new triangles
 * are positive but for an error of gap times their size, unless three corners of one body would
 * make one of them (it would stay flat for ever); falling, they are due again at once. Where no
 * flip is possible the triangulation is made anew at this instant, which needs nothing but bodies
 * that do not overlap.
 *
 * How far ahead: the series holds for a small angle only. So far as a triangle is far from flat it
 * is asked over a longer time whether it comes near the level by more than the series' error there;
 * only where it does, the question is put as it should be. */
#include <math.h>

#include "base/orient.h"
#include "hard/kinetic_see.h"
#include "law/impact_planar.h"

enum {
    FLIPS_FIRST = 64, /* how many neighbours may have to be flipped before a triangle */
    FLIPS_ROUND = 8   /* after so many, those on one line only take turns */
};

static const double TURN = 6.283185307179586;
static const double RUNG = 0.8, LAST_RUNG = 1e-4; /* of the first */
static const double SAME_HEIGHT = 1e-3;           /* in gaps: corners of edges that are parallel */
static const double SHORTER = 0.9;   /* a diagonal, squared, that is better than the other */
static const double AT_ONCE = 1e-13; /* of the period: sooner than a look can tell from now */
static const double CREEP = 1e-9;    /* of least_speed: no approach but by rounding */
static const double CLEAR = 1e-3;    /* in gaps: more than rounding of places */
static const double FAR_TURN = 0.5;  /* radians over which a triangle far from flat is asked */

void jo_kinetic_bring(jo_kinetic *k, uint32_t body)
{
    kin_body *b = &k->body[body];
    flat_body *m = &b->motion;
    const double dt = k->now - b->clock;
    if (b->still || dt == 0.0) return;
    for (int d = 0; d < 2; d++) {
        m->x[d] += dt * (m->v[d] + 0.5 * dt * m->a[d]);
        m->v[d] += dt * m->a[d];
    }
    b->clock = k->now;
    if (m->spin == 0.0) return;
    b->angle += dt * m->spin;
    if (fabs(b->angle) > TURN) b->angle = remainder(b->angle, TURN);
    const double c = cos(b->angle), s = sin(b->angle);
    for (uint32_t v = b->first; v < b->first + b->count; v++) {
        const double *r = k->local + 2 * (size_t)v;
        k->arm[2 * (size_t)v] = c * r[0] - s * r[1];
        k->arm[2 * (size_t)v + 1] = s * r[0] + c * r[1];
    }
}

/* ---- quadrilaterals ---- */

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* The corners of t and its neighbour beyond `side`, and what triangles a flip would make of
 * them. */
typedef struct quad {
    uint32_t v[4]; /* a, b, c as seen from `side`, and the far corner d */
    double p[4][2];
} quad;

static quad see_quad(jo_kinetic *k, uint32_t t, int side)
{
    const triangle *one = &k->mesh.t[t], *two = &k->mesh.t[one->n[side]];
    quad q = {.v = {one->v[side], one->v[TRI_NEXT[side]], one->v[TRI_PREVIOUS[side]],
                    two->v[tri_side(two, t)]}};
    for (int c = 0; c < 4; c++) {
        jo_kinetic_bring(k, k->owner[q.v[c]]);
        corner_place(k, q.v[c], q.p[c]);
    }
    return q;
}

static bool is_rigid(const jo_kinetic *k, uint32_t a, uint32_t b, uint32_t c)
{
    const flat_body *m = motion_of(k, k->owner[a]);
    return m == motion_of(k, k->owner[b]) && m == motion_of(k, k->owner[c]);
}

/* Is the triangle of three of the four corners positive? One of a single body, which stays as it is
 * for ever, must be so by more than rounding. */
static bool is_positive(const jo_kinetic *k, const quad *q, int a, int b, int c)
{
    const double twice = jo_orient(q->p[a], q->p[b], q->p[c]);
    if (!is_rigid(k, q->v[a], q->v[b], q->v[c])) return twice > 0.0;
    return twice > k->gap * (distance(q->p[a], q->p[b]) + distance(q->p[b], q->p[c]));
}

static bool is_convex(const jo_kinetic *k, const quad *q)
{
    return is_positive(k, q, 0, 1, 3) && is_positive(k, q, 0, 3, 2);
}

/* Both corners lie on the line of b and c, but for rounding. */
static bool may_cross(const jo_kinetic *k, const quad *q)
{
    const double allowed = -k->gap * (distance(q->p[0], q->p[3]) + distance(q->p[1], q->p[2]));
    return twice_area(q->p[0], q->p[1], q->p[3]) > allowed &&
           twice_area(q->p[0], q->p[3], q->p[2]) > allowed &&
           !is_rigid(k, q->v[0], q->v[1], q->v[3]) && !is_rigid(k, q->v[0], q->v[3], q->v[2]);
}

/* ---- triangles that stay flat ---- */

/* Do bodies that move thus keep their places to each other? */
static bool moves_alike(const flat_body *a, const flat_body *b)
{
    return a == b || (a->spin == 0.0 && b->spin == 0.0 && a->v[0] == b->v[0] &&
                      a->v[1] == b->v[1] && a->a[0] == b->a[0] && a->a[1] == b->a[1]);
}

/* How flat a triangle is: exactly so, or inverted; so flat that places as they are rounded later
 * may make it so. */
typedef enum flatness { SOLID, THIN, FLAT } flatness;

/* How far a corner near p may be from where it should be. */
static double rounding(const double p[2])
{
    return 0x1p-50 * fmax(fabs(p[0]), fabs(p[1]));
}

static flatness how_flat(jo_kinetic *k, uint32_t t)
{
    const uint32_t *v = k->mesh.t[t].v;
    double p[3][2], square, twice;
    for (int c = 0; c < 3; c++) {
        jo_kinetic_bring(k, k->owner[v[c]]);
        corner_place(k, v[c], p[c]);
    }
    longest_side(k, &k->mesh.t[t], &square, &twice);
    if (twice > rounding(p[0]) * sqrt(square)) return SOLID;
    return jo_orient(p[0], p[1], p[2]) > 0.0 ? THIN : FLAT;
}

/* Are the triangles that a flip makes far from thin? */
static bool is_clear(const jo_kinetic *k, const quad *q)
{
    const double least = fmax(CLEAR * k->gap, 4.0 * rounding(q->p[0])) *
                         (distance(q->p[0], q->p[3]) + distance(q->p[1], q->p[2]));
    return twice_area(q->p[0], q->p[1], q->p[3]) > least &&
           twice_area(q->p[0], q->p[3], q->p[2]) > least;
}

/* Is t flat, or may be so by rounding, and mended by flipping its longest side? That is so where
 * bodies came to rest, or were turned around, as it was about to be flipped, or with corners on one
 * line. Either both triangles are clearly positive then; or, if nothing moves, both are positive
 * after one was not, or both were flat and get shorter: so such flips come to an end. */
static bool is_stuck(jo_kinetic *k, uint32_t t)
{
    const flatness flat = how_flat(k, t);
    if (flat == SOLID) return false;
    const uint32_t *v = k->mesh.t[t].v;
    double square, twice;
    const int side = longest_side(k, &k->mesh.t[t], &square, &twice);
    if (k->mesh.t[t].n[side] == TRI_NONE) return false;
    const quad q = see_quad(k, t, side);
    const bool convex = is_convex(k, &q);
    if (convex && is_clear(k, &q)) return true;
    const flat_body *m = motion_of(k, k->owner[v[0]]);
    if (flat != FLAT || !moves_alike(m, motion_of(k, k->owner[v[1]])) ||
        !moves_alike(m, motion_of(k, k->owner[v[2]])))
        return false;
    return convex || (how_flat(k, k->mesh.t[t].n[side]) == FLAT && may_cross(k, &q) &&
                      distance(q.p[0], q.p[3]) < distance(q.p[1], q.p[2]));
}

/* ---- looking ahead ---- */

/* The corner of triangle t opposite its mandatory side `side`. */
static over_edge see_edge(const jo_kinetic *k, const triangle *t, int side)
{
    return see_over(k, t->v[TRI_NEXT[side]], t->v[TRI_PREVIOUS[side]], t->v[side]);
}

static double shortest_square(const jo_kinetic *k, const triangle *t)
{
    double p[3][2], least = INFINITY;
    for (int c = 0; c < 3; c++)
        corner_place(k, t->v[c], p[c]);
    for (int c = 0; c < 3; c++) {
        const double *q = p[c], *r = p[TRI_NEXT[c]];
        least = fmin(least, (q[0] - r[0]) * (q[0] - r[0]) + (q[1] - r[1]) * (q[1] - r[1]));
    }
    return least;
}

/* How far a corner is beside its edge. */
static double beside(const over_edge *e)
{
    return fmax(0.0, fmax(-e->along, e->along - e->length));
}

/* Can the corner hit the edge that it is opposite of? Beside it, it can hit no more than a corner
 * (kinetic_corners.c). */
static bool can_hit(const over_edge *e)
{
    return beside(e) == 0.0;
}

/* Is d to be the edge's corner rather than x? Where it is in reach of the edge and lower, or as
 * high while x is beside the edge; or, where both are as high and beside it, if it is nearer. The
 * latter are edges that come down flat on one another with many corners on a line (squares, combs):
 * step by step a corner that is above the edge gets to it. Nothing can go back and forth: corners
 * come down, or at one height nearer. */
static bool is_nearer(const jo_kinetic *k, const over_edge *d, const over_edge *x)
{
    const double same = SAME_HEIGHT * k->gap;
    if (in_reach(k, d)) return d->height < x->height + (in_reach(k, x) ? 0.0 : same);
    return fabs(d->height - x->height) < same && beside(d) + k->gap < beside(x);
}

/* Is a corner of t, whose longest side has the length squared `square`, about to touch a mandatory
 * side that it is not in a triangle with, or on its way there? Between two edges that come down
 * flat on one another t is asked when they are farther apart than t is high, by as much as its
 * longest side is longer than the shortest. */
static bool beside_contact(const jo_kinetic *k, const triangle *t, double square)
{
    const double near = 4.0 * k->gap * sqrt(square / shortest_square(k, t));
    for (int way = 0; way < 6; way++) {
        const fan_view f = look_over(k, t, way);
        if (t->n[f.side] == TRI_NONE || k->owner[f.d] == k->owner[f.first]) continue;
        const over_edge d = see_over(k, f.first, f.last, f.d);
        if (!(d.height < near)) continue;
        if (in_reach(k, &d)) return true;
        const over_edge x = see_over(k, f.first, f.last, f.x);
        if (is_nearer(k, &d, &x)) return true;
    }
    return false;
}

/* Has t, as a mandatory side's triangle, a corner in reach of it? */
static bool has_contact(const jo_kinetic *k, const triangle *t)
{
    const int side = mandatory_side(t);
    if (side < 0) return false;
    const over_edge e = see_edge(k, t, side);
    return in_reach(k, &e);
}

static bool is_low(const jo_kinetic *k, const triangle *t)
{
    double square, twice;
    longest_side(k, t, &square, &twice);
    return twice < 4.0 * k->gap * sqrt(square);
}

/* Where two bodies have many corners on lines that come down flat on one another, their triangles
 * should join corners that are near: each edge then has the corner that is above it. Is t's longest
 * side, in the low quadrilateral that it crosses, longer than the other diagonal, with no contact
 * to be lost? */
static bool is_crossed(const jo_kinetic *k, const triangle *t)
{
    double square, twice, p[2], q[2];
    const int side = longest_side(k, t, &square, &twice);
    if (t->n[side] == TRI_NONE) return false;
    const triangle *u = &k->mesh.t[t->n[side]];
    const uint32_t a = t->v[side], b = t->v[TRI_NEXT[side]], c = t->v[TRI_PREVIOUS[side]];
    const uint32_t d = u->v[tri_side(u, (uint32_t)(t - k->mesh.t))];
    if (k->owner[b] == k->owner[c] || k->owner[a] == k->owner[d]) return false;
    if (k->owner[a] != k->owner[b] && k->owner[a] != k->owner[c]) return false;
    if (k->owner[d] != k->owner[b] && k->owner[d] != k->owner[c]) return false;
    corner_place(k, a, p);
    corner_place(k, d, q);
    const double other = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
    return other < SHORTER * square && is_low(k, u) && !has_contact(k, t) && !has_contact(k, u);
}

/* det at which triangle t is due; *rung: only to be looked at. */
static double due_level(jo_kinetic *k, const triangle *t, bool *rung)
{
    double square, twice;
    const int side = mandatory_side(t);
    longest_side(k, t, &square, &twice);
    const double top = 2.0 * k->gap * sqrt(square);
    *rung = false;
    if (side >= 0) {
        const over_edge e = see_edge(k, t, side);
        if (can_hit(&e)) return k->gap * e.length;
    }
    *rung = true;
    if (twice > 1.25 * top) return top;
    const bool beside = beside_contact(k, t, square) || is_crossed(k, t);
    if (!beside && side < 0) return 0.0;
    const double step = beside ? RUNG : 0.5;
    for (double level = top; level > LAST_RUNG * top; level *= step)
        if (level < 0.9 * twice) return level;
    return 0.0;
}

/* Corners that may meet each other next to a low triangle: the ends of its sides, and those that
 * the longest one keeps apart. */
typedef struct near_corners {
    uint32_t pair[4][2];
    int count;
} near_corners;

static near_corners corners_of(jo_kinetic *k, uint32_t t)
{
    const triangle *tri = &k->mesh.t[t];
    near_corners out = {.count = 0};
    double square, twice;
    for (int c = 0; c < 3; c++) {
        const uint32_t u = tri->v[c], v = tri->v[TRI_NEXT[c]];
        if (k->owner[u] == k->owner[v]) continue;
        out.pair[out.count][0] = u;
        out.pair[out.count++][1] = v;
    }
    const int longest = longest_side(k, tri, &square, &twice);
    if (tri->n[longest] == TRI_NONE) return out;
    const quad q = see_quad(k, t, longest);
    if (k->owner[q.v[0]] == k->owner[q.v[3]] || !is_convex(k, &q)) return out;
    out.pair[out.count][0] = q.v[0];
    out.pair[out.count++][1] = q.v[3];
    return out;
}

static void enter(jo_kinetic *k, uint32_t t, double time, plan_kind kind)
{
    k->plan[t].time = time;
    k->plan[t].kind = kind;
    enter_plan(k, t);
}

/* Up to when a triangle stays clear of its level, by the series with its error over a longer
 * time. */
static double certain_until(const jo_kinetic *k, flat_triangle ask, double spin)
{
    if (spin * ask.until > FAR_TURN) ask.until = FAR_TURN / spin;
    ask.level += jo_flat_series_error(&ask);
    ask.touching = false;
    return jo_flat_time(&ask, k->method).when;
}

/* The plan of a low triangle, unless corners come together before. */
static void enter_low(jo_kinetic *k, uint32_t t, double time, plan_kind kind, double until)
{
    const near_corners near = corners_of(k, t);
    for (int i = 0; i < near.count; i++) {
        const flat_answer a = jo_kinetic_corners_time(k, near.pair[i][0], near.pair[i][1],
                                                      fmin(until, time - k->now));
        if (k->now + a.when > time || (!a.flat && k->now + a.when == time)) continue;
        time = k->now + a.when;
        kind = a.flat ? PLAN_CORNERS : PLAN_RENEW;
    }
    enter(k, t, time, kind);
}

/* When the triangle comes down to its level. If that is a rung that it should be above, and it is
 * at it or below: far from the origin rounding hides the lowest ones, and to look again, now or by
 * less than places can tell later, would change nothing; so then, when it goes flat. */
static flat_answer ask_once(const jo_kinetic *k, flat_triangle *ask, bool rung)
{
    const flat_answer answer = jo_flat_time(ask, k->method);
    if (!answer.flat || answer.when > AT_ONCE * k->period || !rung || !(ask->level > 0.0))
        return answer;
    ask->level = 0.0;
    return jo_flat_time(ask, k->method);
}

void jo_kinetic_predict(jo_kinetic *k, uint32_t t, bool touching)
{
    const triangle *tri = &k->mesh.t[t];
    const flat_body *motion[3];
    flat_triangle ask = {.until = k->period, .touching = touching};
    double spin = 0.0;
    bool rung;
    for (int c = 0; c < 3; c++) {
        const uint32_t body = k->owner[tri->v[c]];
        jo_kinetic_bring(k, body);
        motion[c] = motion_of(k, body);
        spin = fmax(spin, fabs(motion[c]->spin));
        ask.corner[c] = (flat_corner){
            motion[c], {k->arm[2 * (size_t)tri->v[c]], k->arm[2 * (size_t)tri->v[c] + 1]}};
    }
    if (motion[0] == motion[1] && motion[1] == motion[2]) {
        k->plan[t].time = (double)INFINITY;
        k->plan[t].kind = PLAN_NONE;
        return;
    }
    if (is_stuck(k, t)) {
        enter(k, t, k->now, PLAN_STUCK);
        return;
    }
    ask.level = due_level(k, tri, &rung);
    k->stats.predictions++;
    const bool low = is_low(k, tri);
    if (k->method != FLAT_EXACT && spin * ask.until > k->turn_most) {
        const double certain = certain_until(k, ask, spin);
        ask.until = k->turn_most / spin;
        if (certain > ask.until && !low) {
            enter(k, t, k->now + certain, PLAN_RENEW);
            return;
        }
    }
    const flat_answer answer = ask_once(k, &ask, rung);
    const plan_kind kind = !answer.flat ? PLAN_RENEW : ask.level > 0.0 ? PLAN_NEAR : PLAN_FLAT;
    if (low)
        enter_low(k, t, k->now + answer.when, kind, ask.until);
    else
        enter(k, t, k->now + answer.when, kind);
}

/* Triangles around corner v, each once in a round. */
static void predict_fan(jo_kinetic *k, uint32_t v, uint32_t touching)
{
    const triangle *tri = k->mesh.t;
    uint32_t t = k->mesh.at[v];
    for (uint32_t n = t; n != TRI_NONE; n = tri[t].n[TRI_PREVIOUS[tri_corner(&tri[t], v)]])
        t = n; /* to the last one of the fan */
    for (; t != TRI_NONE; t = tri[t].n[TRI_NEXT[tri_corner(&tri[t], v)]]) {
        if (k->plan[t].seen == k->round) continue;
        k->plan[t].seen = k->round;
        jo_kinetic_predict(k, t, t == touching);
    }
}

void jo_kinetic_predict_body(jo_kinetic *k, uint32_t body, uint32_t touching)
{
    const kin_body *b = &k->body[body];
    for (uint32_t v = b->first; v < b->first + b->count; v++)
        predict_fan(k, v, touching);
}

/* ---- collisions ---- */

static planar_body planar(const kin_body *b, const flat_body *m)
{
    return (planar_body){b->inverse_mass, b->inverse_inertia, {m->v[0], m->v[1]}, m->spin};
}

static void set_velocity(kin_body *b, const planar_body *p)
{
    if (b->inverse_mass == 0.0) return;
    b->motion.v[0] = p->v[0];
    b->motion.v[1] = p->v[1];
    b->motion.spin = p->spin;
}

static void count_collision(jo_kinetic *k, const planar_impulse *impulse, double height, bool wall)
{
    jo_kinetic_stats *s = &k->stats;
    if (wall)
        s->wall_collisions++;
    else
        s->collisions++;
    s->lost += impulse->lost;
    s->added += impulse->added;
    s->slow += impulse->added > 0.0;
    s->nearest = fmin(s->nearest, height / k->gap);
}

/* What a collision adds to the energy of a body. */
static double gained(const kin_body *b, const flat_body *before, const planar_body *after)
{
    if (b->inverse_mass == 0.0) return 0.0;
    const double *v = after->v, *u = before->v;
    return 0.5 * b->mass * (v[0] * v[0] + v[1] * v[1] - u[0] * u[0] - u[1] * u[1]) +
           0.5 * b->inertia * (after->spin * after->spin - before->spin * before->spin);
}

/* A corner that hits an edge, or a corner, which is `first` and `last` then. */
typedef struct hit {
    uint32_t corner, first, last;
    const over_edge *over;
} hit;

static jo_status collide(jo_kinetic *k, uint32_t t, const hit *h, jo_error *error)
{
    const over_edge *e = h->over;
    const uint32_t one = k->owner[h->corner], two = k->owner[h->first];
    kin_body *a = &k->body[one], *b = &k->body[two];
    const flat_body *ma = motion_of(k, one), *mb = motion_of(k, two);
    if (a->inverse_mass + b->inverse_mass == 0.0)
        return jo_fail(error, JO_ERR_PHYSICS,
                       "bodies %llu and %llu run into each other at time %.9g; both are fixed",
                       (unsigned long long)a->id, (unsigned long long)b->id, k->base + k->now);
    double c[2];
    corner_place(k, h->corner, c);
    const double arm_a[2] = {c[0] - ma->x[0], c[1] - ma->x[1]};
    const double arm_b[2] = {c[0] - mb->x[0], c[1] - mb->x[1]};
    planar_body pa = planar(a, ma), pb = planar(b, mb);
    planar_contact contact = jo_planar_contact(&pa, &pb, arm_a, arm_b, e->normal);
    /* det is falling; that these do not approach can only be rounding. */
    if (!(contact.normal < -CREEP * k->least_speed)) contact.normal = -CREEP * k->least_speed;
    const size_t pair = (size_t)a->material * k->materials + b->material;
    const bool resting = k->rest_period > 0.0 && k->restitution[pair] < 1.0;
    const bool slow = resting && contact.normal > -k->least_speed;
    const planar_impulse impulse =
        jo_planar_impact(&contact, k->friction[pair], slow ? 0.0 : k->restitution[pair],
                         resting ? k->part_speed : k->elastic_speed);
    jo_planar_apply(&impulse, &pa, &pb, arm_a, arm_b, e->normal);
    if ((a->inverse_mass == 0.0 && !a->still) || (b->inverse_mass == 0.0 && !b->still))
        k->stats.work += gained(a, ma, &pa) + gained(b, mb, &pb) + impulse.lost - impulse.added;
    set_velocity(a, &pa);
    set_velocity(b, &pb);
    if (slow) jo_kinetic_lean(k, one, two);
    count_collision(k, &impulse, e->height, a->inverse_mass == 0.0 || b->inverse_mass == 0.0);
    k->last = (jo_kinetic_event){.kind = JO_KINETIC_COLLISION,
                                 .time = k->base + k->now,
                                 .corner = {h->corner, h->first, h->last, 0},
                                 .speed = -contact.normal};
    k->events++;
    if (k->restitution[pair] < 1.0 && jo_kinetic_is_restless(k, one, two))
        return jo_kinetic_calm(k, one, two, error);
    k->round++;
    if (a->inverse_mass > 0.0) jo_kinetic_predict_body(k, one, t);
    if (b->inverse_mass > 0.0) jo_kinetic_predict_body(k, two, t);
    return JO_OK;
}

/* Two corners of triangle t, or those that its longest side keeps apart, have come near each
 * other. */
static jo_status meet_corners(jo_kinetic *k, uint32_t t, jo_error *error)
{
    const near_corners near = corners_of(k, t);
    for (int i = 0; i < near.count; i++) {
        const uint32_t u = near.pair[i][0], v = near.pair[i][1];
        over_edge e;
        if (!jo_kinetic_corners_meet(k, u, v, &e)) continue;
        const hit h = {u, v, v, &e};
        return collide(k, t, &h, error);
    }
    jo_kinetic_predict(k, t, false);
    return JO_OK;
}

/* ---- flips ---- */

static jo_status make_anew(jo_kinetic *k, jo_error *error)
{
    if (k->rebuilt) return JO_OK;
    k->stats.rebuilds++;
    k->rebuilt = true;
    return jo_kinetic_rebuild(k, error);
}

static void do_flip(jo_kinetic *k, uint32_t t, int side)
{
    const uint32_t u = k->mesh.t[t].n[side];
    jo_tri_flip(&k->mesh, t, side);
    const uint32_t *v = k->mesh.t[t].v; /* a, b, d; the neighbour: a, d, c */
    k->last = (jo_kinetic_event){.kind = JO_KINETIC_FLIP,
                                 .time = k->base + k->now,
                                 .corner = {v[0], v[1], v[2], k->mesh.t[u].v[2]}};
    k->stats.flips++;
    k->events++;
    jo_kinetic_predict(k, t, false);
    jo_kinetic_predict(k, u, false);
}

/* Flips the longest side of a triangle that stays flat, if it still is so; those around may now be
 * flipped as well. */
static void unstick(jo_kinetic *k, uint32_t t)
{
    double square, twice;
    if (!is_stuck(k, t)) {
        jo_kinetic_predict(k, t, false);
        return;
    }
    const int side = longest_side(k, &k->mesh.t[t], &square, &twice);
    const uint32_t pair[2] = {t, k->mesh.t[t].n[side]};
    do_flip(k, t, side);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            const uint32_t around = k->mesh.t[pair[i]].n[c];
            if (around != TRI_NONE && around != pair[1 - i] && is_stuck(k, around))
                jo_kinetic_predict(k, around, false);
        }
}

static jo_status flip(jo_kinetic *k, uint32_t t, int side, int depth, jo_error *error)
{
    for (int tries = 0; tries < FLIPS_FIRST; tries++) {
        const quad q = see_quad(k, t, side);
        if (is_convex(k, &q)) {
            do_flip(k, t, side);
            return JO_OK;
        }
        double square, twice;
        const uint32_t u = k->mesh.t[t].n[side];
        const int first = longest_side(k, &k->mesh.t[u], &square, &twice);
        const uint32_t beyond = k->mesh.t[u].n[first];
        if (beyond == t || beyond == TRI_NONE || depth == FLIPS_FIRST || tries == FLIPS_ROUND) {
            if (!may_cross(k, &q)) break;
            do_flip(k, t, side);
            return JO_OK;
        }
        const jo_status status = flip(k, u, first, depth + 1, error);
        if (status != JO_OK || k->rebuilt) return status;
    }
    return make_anew(k, error);
}

/* Gives a mandatory side a nearer corner: d as t sees it, if it is that. x, which is between the
 * two in the fan, may have to come down first itself. */
static bool bring_down(jo_kinetic *k, uint32_t t, int way, int depth)
{
    const triangle *tri = &k->mesh.t[t];
    const fan_view f = look_over(k, tri, way);
    const uint32_t u = tri->n[f.side], b = tri->v[way / 2];
    if (u == TRI_NONE || k->owner[f.d] == k->owner[f.first]) return false;
    const over_edge d = see_over(k, f.first, f.last, f.d), x = see_over(k, f.first, f.last, f.x);
    if (d.height > 4.0 * k->gap || !is_nearer(k, &d, &x)) return false;
    quad q = see_quad(k, t, f.side);
    if (!is_convex(k, &q)) {
        const int same = 2 * tri_corner(&k->mesh.t[u], b) + way % 2;
        if (depth == FLIPS_FIRST || !bring_down(k, u, same, depth + 1)) return false;
        q = see_quad(k, t, f.side); /* t has kept that side */
        if (!is_convex(k, &q)) return false;
    }
    do_flip(k, t, f.side);
    return true;
}

static bool bring_nearer(jo_kinetic *k, uint32_t t)
{
    for (int way = 0; way < 6; way++)
        if (bring_down(k, t, way, 0)) return true;
    const triangle *tri = &k->mesh.t[t];
    if (!is_low(k, tri) || !is_crossed(k, tri)) return false;
    double square, twice;
    const int side = longest_side(k, tri, &square, &twice);
    const quad q = see_quad(k, t, side);
    if (!is_convex(k, &q)) return false;
    do_flip(k, t, side);
    return true;
}

/* Triangles of three corners of one body on a line, which the triangulation may have, are flipped
 * away. */
jo_status jo_kinetic_tidy(jo_kinetic *k, uint32_t t, jo_error *error)
{
    const triangle *tri = &k->mesh.t[t];
    double square, twice;
    if (!is_rigid(k, tri->v[0], tri->v[1], tri->v[2])) return JO_OK;
    const int side = longest_side(k, tri, &square, &twice);
    if (twice > 2.0 * k->gap * sqrt(square) || tri->n[side] == TRI_NONE) return JO_OK;
    k->rebuilt = true; /* what cannot be flipped stays */
    return flip(k, t, side, 0, error);
}

jo_status jo_kinetic_happen(jo_kinetic *k, uint32_t t, jo_error *error)
{
    const triangle *tri = &k->mesh.t[t];
    const plan_kind kind = k->plan[t].kind;
    double square, twice;
    k->rebuilt = false;
    if (kind == PLAN_RENEW) {
        k->stats.renewals++;
        jo_kinetic_predict(k, t, false);
        return JO_OK;
    }
    if (kind == PLAN_STUCK) {
        unstick(k, t);
        return JO_OK;
    }
    for (int c = 0; c < 3; c++)
        jo_kinetic_bring(k, k->owner[tri->v[c]]);
    if (kind == PLAN_CORNERS) return meet_corners(k, t, error);
    const int side = mandatory_side(tri);
    const int longest = longest_side(k, tri, &square, &twice);
    if (side >= 0) {
        const over_edge e = see_edge(k, tri, side);
        const bool touches = kind == PLAN_FLAT || e.height < 1.25 * k->gap;
        if (can_hit(&e) && touches) {
            const hit h = {tri->v[side], tri->v[TRI_NEXT[side]], tri->v[TRI_PREVIOUS[side]], &e};
            return collide(k, t, &h, error);
        }
    }
    if (kind == PLAN_NEAR) {
        if (!bring_nearer(k, t)) jo_kinetic_predict(k, t, false);
        return JO_OK;
    }
    return flip(k, t, longest, 0, error);
}
