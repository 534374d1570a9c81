/* follow_quick.h — an overlap whose axis is still the one of the step before, at little cost;
 * compiled plain (walk.c) and for AVX2. What it cannot settle is left to follow.c.
 *
 * The axis belongs to a face F of the polytope M of all differences (see follow.c), at the distance
 * d from the origin. Going over the rim of F into a neighbour G, the normal turns by some angle t
 * about that rim's direction; with q the distance of the origin's foot in F from the rim, G is at d
 * cos t + q sin t. That is less than d only if tan(t/2) > q/d. And G is no farther around than the
 * next face of the body whose edge the rim is, an angle that is known: so a few products show that
 * no neighbour is nearer.
 *
 * Mostly it is even proved that no axis at all is nearer. A direction n in which M reaches as far
 * as d is no better. Those that F's own corners p do not reach, n·p < d for all of them, are around
 * F's normal no farther than the corners of what they cut out of the sphere: the normals n_k of the
 * planes through a rim that touch the sphere of radius d. And n can only be better where the
 * spheres inside the bodies do not show the contrary: n·c > R - d, with c the way between the
 * centres and R the sum of the radii, a cap (see least_axis.h). Seen from behind F's normal by
 * stereographic projection and turned inside out, what F does not reach is a polygon and what is
 * beyond the cap a disc: so if no n_k is in the cap, nothing is.
 *
 * That the bodies overlap at all is shown by that; or by a point: the deepest vertex, or the
 * deepest point of an edge, is inside the other body (ray_face); or the spheres inside the bodies
 * meet.
 *
 * An axis that is deep and not proved is not believed: another way out may have become the shorter
 * one. */
#ifndef JO_NARROW_FOLLOW_QUICK_H
#define JO_NARROW_FOLLOW_QUICK_H

#include "narrow/follow_steps.h"
#include "narrow/least_axis.h"
#include "narrow/walk_states.h"

/* What is the same for all rims of F: depth, n·c, and R - d less what rounding may be. */
typedef struct rims {
    double d, square, along, rest;
} rims;

static inline rims rims_of(const walk *w, double depth, double along)
{
    const jo_polyhedron *a = w->side[0].p, *b = w->side[1].p;
    return (rims){depth, depth * depth, along,
                  a->inradius + b->inradius - depth - 1e-10 * (a->radius + b->radius)};
}

/* Whether n_k is not in the cap, for a rim at distance q whose outward normal m in F's plane has
 * m·c = across: n_k is F's normal turned towards m by t, tan(t/2) = q/d. */
static inline bool beyond_cap(const rims *r, double q, double across)
{
    const double qq = q * q;
    return q > 0.0 &&
           r->rest * (r->square + qq) > (r->square - qq) * r->along + 2.0 * r->d * q * across;
}

/* A face of side i against the vertex of the other, if it is still the extreme one. */
static inline bool settled_face(const walk *w, int i, followed *t)
{
    const jo_polyhedron *p = w->side[i].p, *q = w->side[1 - i].p;
    const uint32_t f = w->start[i].index, v = w->start[1 - i].index;
    const double *plane = p->planes + 4 * (size_t)f;
    double x[3], m[3];
    walk_across(w, 1 - i, walk_point(w, 1 - i, v), x);
    t->depth = plane[3] - dot3(plane, x);
    if (!(t->depth > 0.0)) return false;
    double c[3];
    walk_other(w, i, c);
    const rims r = rims_of(w, t->depth, dot3(plane, c));
    const uint32_t start = p->face_edge[f];
    uint32_t h = start;
    bool least = true;
    t->proved = true;
    do {
        const poly_walls *side = &p->walls[h];
        const double off = poly_side(side->fe, x);
        t->proved = t->proved && beyond_cap(&r, off, -dot3(side->fe, c));
        least = least && off > t->depth * side->bend;
        if (!least && !t->proved) return false;
        h = side->next;
    } while (h != start);
    walk_turn(w, i, plane, m);
    for (uint32_t k = q->first[v]; k < q->first[v + 1]; k++)
        if (dot3(m, q->walls[k].ve) < 0.0) return false;
    t->frame = i;
    along3(x, t->depth, plane, t->on);
    memcpy(t->inner, x, sizeof x);
    memcpy(t->n, plane, sizeof t->n);
    t->face = f;
    return true;
}

/* Whether the neighbour over a rim at distance q, around by the angle with this cosine at most, is
 * no nearer. */
static inline bool holds(double q, double cosine, double depth)
{
    return q > 0.0 && q * q * (1.0 + cosine) > 1.000001 * depth * depth * (1.0 - cosine);
}

/* All four rims of two edges along u and v, cosine and sine between them, at the distances q:
 * towards the head and tail of u, and then of v. Where b goes, M goes the other way. */
static inline bool beyond_caps(const walk *w, const double u[3], const double v[3],
                               const followed *t, double cosine, double sine, const double q[4])
{
    double c[3];
    walk_other(w, 0, c);
    const rims r = rims_of(w, t->depth, dot3(t->n, c));
    const double uc = dot3(u, c), vc = dot3(v, c);
    const double mu = (uc - cosine * vc) / sine, mv = (vc - cosine * uc) / sine;
    return beyond_cap(&r, q[0], mu) && beyond_cap(&r, q[1], -mu) && beyond_cap(&r, q[2], -mv) &&
           beyond_cap(&r, q[3], mv);
}

/* Two edges whose arcs still cross; found in the frame of side 0. */
static inline bool settled_edges(const walk *w, followed *t)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const poly_walls *e = &p->walls[w->start[0].index], *g = &q->walls[w->start[1].index];
    const double *u = e->ve;
    const double *n0 = p->planes + 4 * (size_t)e->face;
    const double *n1 = p->planes + 4 * (size_t)p->walls[e->twin].face;
    const double *m0 = q->planes + 4 * (size_t)g->face;
    const double *m1 = q->planes + 4 * (size_t)q->walls[g->twin].face;
    double v[3], b0[3], r[3], u1[3], across[3];
    walk_turn(w, 1, g->ve, v);
    walk_across(w, 1, g->from, b0);
    sub3(e->from, b0, r);
    cross3(
        u, v,
        t->n); /* its length, not 1 - (u·v)²: that has no digits where edges are nearly parallel */
    const double det = dot3(t->n, t->n);
    t->depth = 0.0;
    if (!(det > 1e-6)) return false;
    const double sine = sqrt(det), c = dot3(u, v), d = dot3(u, r), f = dot3(v, r);
    const double s = (c * f - d) / det, l = c * s + f;
    const double outwards = dot3(t->n, n0) + dot3(t->n, n1) < 0.0 ? -1.0 / sine : 1.0 / sine;
    for (int k = 0; k < 3; k++)
        t->n[k] *= outwards;
    t->depth = dot3(t->n, r);
    if (!(t->depth > 0.0)) return false;
    if (!(s > 0.0 && s < e->length && l > 0.0 && l < g->length)) return false;
    /* The arc of each edge, from the normal of one of its faces to the other's, crosses the
     * other's. */
    const double a0 = dot3(n0, v), a1 = dot3(n1, v);
    walk_turn(w, 0, u, u1);
    const double k0 = dot3(m0, u1), k1 = dot3(m1, u1);
    if (!(a0 * a1 < 0.0 && k0 * k1 < 0.0)) return false;
    walk_turn(w, 0, t->n, across);
    const double c0 = -dot3(m0, across), c1 = -dot3(m1, across);
    const double h0 = dot3(n0, t->n), h1 = dot3(n1, t->n);
    if (!(c0 > 0.0 && c1 > 0.0 && h0 > 0.0 && h1 > 0.0)) return false;
    const double rim[4] = {sine * (e->length - s), sine * s, sine * (g->length - l), sine * l};
    t->proved = beyond_caps(w, u, v, t, c, sine, rim);
    if (!t->proved && !(holds(rim[0], k0 < 0.0 ? c0 : c1, t->depth) &&
                        holds(rim[1], k0 < 0.0 ? c1 : c0, t->depth) &&
                        holds(rim[2], a0 < 0.0 ? h0 : h1, t->depth) &&
                        holds(rim[3], a0 < 0.0 ? h1 : h0, t->depth)))
        return false;
    t->frame = 0;
    along3(e->from, s, u, t->on);
    along3(b0, l, v, t->inner);
    t->face = e->face;
    return true;
}

/* The features of the step before, if they are face and vertex or two edges and still give the
 * least depth among their neighbours. If not, t->depth is what they give now, or not above 0. */
static inline bool settled(const walk *w, followed *t)
{
    switch (4 * w->start[0].kind + w->start[1].kind) {
    case 4 * JO_FEATURE_FACE + JO_FEATURE_VERTEX:
        return settled_face(w, 0, t);
    case 4 * JO_FEATURE_VERTEX + JO_FEATURE_FACE:
        return settled_face(w, 1, t);
    case 4 * JO_FEATURE_EDGE + JO_FEATURE_EDGE:
        return settled_edges(w, t);
    default:
        t->depth = 0.0;
        return false;
    }
}

/* Whether the centres are nearer than a share of the sum of the inner radii: with a share below 1
 * the spheres inside the bodies meet. */
static inline bool centres_within(const walk *w, double share)
{
    const vec4 d = w->side[1].at;
    const double inner = share * (w->side[0].p->inradius + w->side[1].p->inradius);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < inner * inner;
}

static inline bool surely_overlap(const walk *w, const followed *t)
{
    const jo_polyhedron *p = w->side[t->frame].p;
    if (centres_within(w, 0.9999995)) return true;
    const double *plane = p->planes + 4 * (size_t)ray_face(p, t->inner, t->face);
    return dot3(plane, t->inner) - plane[3] < -w->slack;
}

static inline bool shallow(const walk *w, double depth)
{
    return depth <= walk_deep * fmin(w->side[0].p->inradius, w->side[1].p->inradius);
}

/* Whether an axis is proved to be the least and that to be an overlap. */
static inline bool proved(const walk *w, const followed *t)
{
    return t->proved && t->depth > walk_touching * (w->side[0].p->radius + w->side[1].p->radius);
}

/* Whether an axis that is least among its neighbours may be believed. */
static inline bool believed(const walk *w, const followed *t)
{
    return proved(w, t) || (shallow(w, t->depth) && surely_overlap(w, t));
}

static inline void tell_followed(const followed *t, const jo_feature feature[2],
                                 const jo_pose *pose_a, const jo_pose *pose_b,
                                 jo_feature_pair *pair, jo_closest *out)
{
    tell_points(t->frame, t->on, t->n, -t->depth, pose_a, pose_b, out);
    out->overlap = out->exact = true;
    out->proved = t->proved;
    out->iterations = 1;
    out->features = *pair = (jo_feature_pair){feature[0], feature[1]};
}

/* ---- the least of all axes ---- */

/* An axis as what was followed; false when two edges are nearly parallel or do not meet between
 * their ends, or the vertex is not below the face, as where faces lie on each other. */
static inline bool as_followed(const walk *w, const walk_axis *axis, followed *t)
{
    t->depth = axis->depth;
    t->proved = true;
    t->frame = axis->feature[1].kind == JO_FEATURE_FACE ? 1 : 0;
    if (axis->feature[0].kind == JO_FEATURE_EDGE) {
        const poly_walls *e = &w->side[0].p->walls[axis->feature[0].index];
        const poly_walls *g = &w->side[1].p->walls[axis->feature[1].index];
        double v[3], b[3], r[3];
        walk_turn(w, 1, g->ve, v);
        walk_across(w, 1, g->from, b);
        sub3(e->from, b, r);
        const double c = dot3(e->ve, v), f = dot3(v, r), det = 1.0 - c * c;
        const double s = (c * f - dot3(e->ve, r)) / det, l = c * s + f;
        if (!(det > 1e-4 && s > 0.0 && s < e->length && l > 0.0 && l < g->length)) return false;
        along3(e->from, s, e->ve, t->on);
        memcpy(t->n, axis->n, sizeof t->n);
        return true;
    }
    const int i = t->frame;
    double x[3];
    walk_across(w, 1 - i, walk_point(w, 1 - i, axis->feature[1 - i].index), x);
    memcpy(t->n, w->side[i].p->planes + 4 * (size_t)axis->feature[i].index, sizeof t->n);
    along3(x, t->depth, t->n, t->on);
    const poly_walls *walls = w->side[i].p->walls;
    const uint32_t start = w->side[i].p->face_edge[axis->feature[i].index];
    uint32_t h = start;
    double least = INFINITY;
    do {
        const double off = poly_side(walls[h].fe, x);
        least = off < least ? off : least;
        h = walls[h].next;
    } while (h != start);
    return least >= 0.0;
}

/* An overlap whose least depth is found without a walk; false when there is none for sure, or it
 * takes more. `from` and `known` as for jo_least_axis. */
static bool tell_least(walk *w, const jo_feature from[2], double known_one, const jo_pose *pose_a,
                       const jo_pose *pose_b, jo_feature_pair *pair, jo_closest *out)
{
    walk_axis axis;
    followed t;
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    if (!least_axis(w, from, known_one, true, &axis) || !(axis.depth > walk_touching * size))
        return false;
    if (as_followed(w, &axis, &t)) {
        tell_followed(&t, axis.feature, pose_a, pose_b, pair, out);
        return true;
    }
    const jo_feature kept[2] = {w->feature[0], w->feature[1]};
    double y[3];
    jo_axis_points(w, &axis, t.on, y);
    memcpy(w->feature, kept, sizeof kept);
    t.frame = 0;
    memcpy(t.n, axis.n, sizeof t.n);
    tell_followed(&t, axis.feature, pose_a, pose_b, pair, out);
    walk_to_world(pose_a, y, out->on_b);
    return true;
}

/* Bodies with few faces: looking at all axes takes less than following one. */
static inline bool few_axes(const walk *w)
{
    return w->side[0].p->nf + w->side[1].p->nf < 100 || (few_faces(w, 0) && few_faces(w, 1));
}

/* The least depth without a pair: true when there is an overlap, and all is told. An axis followed
 * from the line between the centres mostly is the least, and proved. */
static inline bool tell_first(walk *w, const jo_pose *pose_a, const jo_pose *pose_b,
                              jo_feature_pair *pair, jo_closest *out)
{
    followed proof;
    walk_axis axis;
    const jo_feature *from = NULL;
    double known_one = INFINITY;
    if (!few_axes(w) && find_from_centres(w, &axis)) {
        if (settled(w, &proof) && proved(w, &proof)) {
            tell_followed(&proof, w->start, pose_a, pose_b, pair, out);
            return true;
        }
        known_one = axis.depth;
        from = w->start;
    }
    return tell_least(w, from, known_one, pose_a, pose_b, pair, out);
}

/* A query for the least depth, with or without a pair: WALK_FOLLOWED when there is an overlap, or
 * WALK_APART when the bodies are apart: then all is told; anything else as the walk ended. */
static inline walk_end query_contact(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                                     const jo_polyhedron *b, const jo_pose *pose_b,
                                     jo_feature_pair *pair, jo_closest *out)
{
    followed t;
    bool look = true;
    open_walk(w, a, pose_a, b, pose_b);
    if (pair->a.kind != JO_FEATURE_NONE) {
        begin_walk(w, pair);
        if (settled(w, &t) && proved(w, &t)) {
            tell_followed(&t, w->start, pose_a, pose_b, pair, out);
            return WALK_FOLLOWED;
        }
        look = t.depth > 0.0;
    }
    if (look && tell_first(w, pose_a, pose_b, pair, out)) return WALK_FOLLOWED;
    begin_walk(w, pair);
    return walk_apart(w, pose_a, pose_b, pair, out);
}

/* ---- bodies that are followed ---- */

/* Whether the axis of the step before shows the bodies to be apart by `gap` or more, or overlapping
 * by no more than -gap; without an axis they are taken to be. */
static inline bool apart_by(const walk *w, double gap)
{
    double n[3], x[3], v[3], r[3];
    for (int i = 0; i < 2; i++) {
        if (w->start[i].kind != JO_FEATURE_FACE || w->start[1 - i].kind != JO_FEATURE_VERTEX)
            continue;
        const double *plane = w->side[i].p->planes + 4 * (size_t)w->start[i].index;
        walk_across(w, 1 - i, walk_point(w, 1 - i, w->start[1 - i].index), x);
        return dot3(plane, x) - plane[3] >= gap;
    }
    if (w->start[0].kind != JO_FEATURE_EDGE || w->start[1].kind != JO_FEATURE_EDGE) return true;
    const poly_walls *e = &w->side[0].p->walls[w->start[0].index];
    const poly_walls *g = &w->side[1].p->walls[w->start[1].index];
    walk_turn(w, 1, g->ve, v);
    walk_across(w, 1, g->from, x);
    sub3(x, e->from, r);
    cross3(e->ve, v, n);
    const double off =
        copysign(dot3(n, r), dot3(n, r) * dot3(n, w->side[0].p->planes + 4 * (size_t)e->face));
    return off * fabs(off) >= gap * fabs(gap) * dot3(n, n);
}

/* Whether to look at all axes at once, of bodies that have so few that it takes no more than
 * looking after one: tetrahedra that overlap or nearly do, and others that overlap deeply. How near
 * the centres are tells that sooner than the axis of the step before; the inner spheres of bodies
 * that rest on each other hardly meet. */
static inline bool look_at_all(const walk *w)
{
    const jo_polyhedron *a = w->side[0].p, *b = w->side[1].p;
    if (a->few == NULL || b->few == NULL) return false;
    if (a->tetra != NULL && b->tetra != NULL) return !apart_by(w, 0.02 * (a->radius + b->radius));
    return centres_within(w, 0.995) || !apart_by(w, -walk_deep * fmin(a->inradius, b->inradius));
}

/* From an axis that has neighbours less deep to the least of them, if that may be believed. */
static inline bool tell_next(walk *w, const jo_pose *pose_a, const jo_pose *pose_b,
                             jo_feature_pair *pair, jo_closest *out)
{
    followed t, proof;
    if (!follow_axis(w, &t)) return false;
    if (settled(w, &proof)) t = proof;
    if (!believed(w, &t)) return false;
    tell_followed(&t, w->start, pose_a, pose_b, pair, out);
    return true;
}

/* A query of bodies that are followed: WALK_FOLLOWED when the axis of the step before, or where it
 * leads to, settles it, or WALK_APART when the bodies are apart: then all is told; anything else as
 * the walk ended. */
static inline walk_end query_followed(walk *w, const jo_polyhedron *a, const jo_pose *pose_a,
                                      const jo_polyhedron *b, const jo_pose *pose_b,
                                      jo_feature_pair *pair, jo_closest *out)
{
    followed t;
    open_walk(w, a, pose_a, b, pose_b);
    begin_walk(w, pair);
    if (look_at_all(w) && tell_least(w, w->start, INFINITY, pose_a, pose_b, pair, out))
        return WALK_FOLLOWED;
    const bool same = settled(w, &t);
    if (same && believed(w, &t)) {
        tell_followed(&t, w->start, pose_a, pose_b, pair, out);
        return WALK_FOLLOWED;
    }
    if (t.depth > 0.0 && !shallow(w, t.depth)) {
        if (tell_least(w, w->start, same ? t.depth : INFINITY, pose_a, pose_b, pair, out))
            return WALK_FOLLOWED;
    } else if (!same && t.depth > 0.0) {
        if (tell_next(w, pose_a, pose_b, pair, out)) return WALK_FOLLOWED;
        begin_walk(w, pair);
    }
    return walk_apart(w, pose_a, pose_b, pair, out);
}

#endif
