/* poly_meet.c — where polyhedra touch each other, spheres and walls, and how hard springs press
 * there.
 *
 * A pair that does not touch is first shown to be apart: along an axis it remembers, or by the
 * closest features. What overlaps is walked over from the faces that pressed hardest a step before
 * (narrow/press_near.c); where that does not find a beginning, or is deeper than its lists reach,
 * all faces near the contact are looked at (narrow/press.c): slower, and never wrong. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "narrow/press_islands.h"
#include "narrow/press_near.h"
#include "scene/poly.h"
#include "soft/poly_meet.h"

static const double pi = 3.14159265358979323846;

/* ---- where bodies and walls are ---- */

void jo_poly_side_of_body(const jo_soft *soft, uint32_t slot, side *out)
{
    const poly_body *b = poly_bodies(soft->poly) + slot;
    const view *s = &soft->s;
    const size_t i = b->index;
    for (int a = 0; a < 3; a++) {
        out->x[a] = s->x[4 * i + a];
        out->v_half[a] = s->v[4 * i + a];
        out->v[a] = s->v[4 * i + a] + (double)s->c[6 * i + a];
        out->w_half[a] = b->kind == NO_KIND ? s->w[4 * i + a] : b->w_half[a];
        out->w[a] = b->kind == NO_KIND ? s->w[4 * i + a] + (double)s->c[6 * i + 3 + a] : b->w[a];
    }
    out->lightness = s->v[4 * i + 3];
    out->size = b->kind == NO_KIND ? s->x[4 * i + 3] : soft->poly->kinds[b->kind].equivalent;
}

/* A wall as if it were a body at `x`. */
void jo_poly_side_of_wall(const wall_live *wall, const double x[3], side *out)
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
double jo_poly_nearest_image(const jo_soft *soft, const side *a, side *b)
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

const law_pair *jo_poly_law(const jo_soft *soft, const poly_pair *p)
{
    const uint8_t *material = soft->s.material;
    const poly_body *bodies = poly_bodies(soft->poly);
    const uint32_t other =
        p->kind == PAIR_WALL ? soft->live[p->b].def.material : material[bodies[p->b].index];
    return &soft->law.pairs[material[bodies[p->a].index] * soft->law.materials + other];
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

/* Tangential stiffness and dashpots of a contact with normal stiffness `stiffness` and radius
 * `wide`. The dashpot of hertz is made for a stiffness that grows; on a mattress of springs the
 * same restitution takes 2 / sqrt(5) of it. Dashpots of a contact in pieces are to be together what
 * they are of one in one piece: `share` is what this piece has of the stiffness. */
static void set_parts(const law *l, const law_pair *c, double mass, double wide, bool mattress,
                      double share, meeting *m)
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
    m->dashpot =
        viscous ? share * given * c->damp_n : form * c->damp_n * sqrt(mass * m->stiffness * share);
    if (l->drags)
        m->drag = viscous ? share * given * c->damp_t : c->damp_t * sqrt(mass * m->tangent * share);
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

/* How far the body reaches along a direction from its centre; *top is where to begin and where it
 * is. */
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

/* A piece of wall against body a. */
typedef struct piece_now {
    double planes[5][4], parts[4][4]; /* in the world's axes, from a's centre */
    size_t plane_count, part_count;
} piece_now;

/* What body a meets: a convex body, which may be a wall, or a piece of a wall. */
typedef struct rival {
    const jo_polyhedron *shape; /* NULL: a piece */
    const press_cells *cells;
    jo_pose pose;        /* perhaps of an image; of a wall with pieces that of its pivot */
    const double *pivot; /* of such a wall, in its description */
    piece_now piece;     /* as it is with that pose, after lay_piece */
} rival;

static void turn_plane(const jo_pose *pose, const double pivot[3], const double centre[3],
                       const double in[4], double out[4])
{
    /* n·p = d for p of the description; p = R^T (x - at) + pivot. */
    for (int r = 0; r < 3; r++)
        out[r] = dot3(pose->turn + 3 * r, in);
    double offset = in[3] - dot3(in, pivot);
    for (int r = 0; r < 3; r++)
        offset += out[r] * (pose->at[r] - centre[r]);
    out[3] = offset;
}

/* The planes of a piece of wall, where it is; nothing for others. */
static void lay_piece(const jo_soft *soft, const poly_pair *p, rival *b)
{
    const double *centre = poly_bodies(soft->poly)[p->a].pose.at;
    piece_now *out = &b->piece;
    out->part_count = out->plane_count = 0;
    if (b->shape != NULL) return;
    const poly_piece *piece = &soft->poly->walls[p->b].pieces[p->piece];
    turn_plane(&b->pose, b->pivot, centre, piece->plane, out->planes[0]);
    for (int k = 0; k < 4 && p->behind; k++) /* a thin wall's face is the one on the body's side */
        out->planes[0][k] = -out->planes[0][k];
    for (size_t k = 0; k < piece->rim_count; k++)
        turn_plane(&b->pose, b->pivot, centre, piece->rims[k], out->planes[1 + k]);
    out->plane_count = 1 + piece->rim_count;
    out->part_count = piece->part_count;
    for (size_t k = 0; k < piece->part_count; k++) {
        const double *in = piece->parts[k], plane[4] = {in[0], in[1], in[2], -in[3]};
        turn_plane(&b->pose, b->pivot, centre, plane, out->parts[k]);
        out->parts[k][3] = -out->parts[k][3];
    }
}

static void rival_of(const jo_soft *soft, const poly_pair *p, const side *other, rival *out)
{
    if (p->kind == PAIR_BODIES) {
        const poly_body *b = poly_bodies(soft->poly) + p->b;
        out->shape = soft->poly->kinds[b->kind].shape;
        out->cells = &soft->poly->kinds[b->kind].cells;
        out->pose = b->pose;
        memcpy(out->pose.at, other->x, sizeof out->pose.at);
        return;
    }
    const poly_wall *wall = &soft->poly->walls[p->b];
    const wall_pose *now = &soft->live[p->b].now;
    double from[3] = {0, 0, 0}; /* a solid's centre from the pivot */
    out->shape = wall->solid;
    out->cells = &wall->cells;
    out->pivot = now->pivot;
    memcpy(out->pose.turn, now->rotation, sizeof out->pose.turn);
    for (int r = 0; r < 3 && wall->solid != NULL; r++)
        from[r] = wall->solid->centre[r] - now->pivot[r];
    for (int r = 0; r < 3; r++)
        out->pose.at[r] = now->pivot[r] + now->displacement[r] + dot3(now->rotation + 3 * r, from);
}

/* By how much a and b overlap along the pair's axis, or below 0 the gap. */
static double overlap_along(poly_pair *p, const poly_body *a, const jo_polyhedron *body,
                            const rival *b)
{
    const double apart[3] = {b->pose.at[0] - a->pose.at[0], b->pose.at[1] - a->pose.at[1],
                             b->pose.at[2] - a->pose.at[2]};
    return reach_along(body, &a->pose, p->axis, 1, &p->top_a) +
           reach_along(b->shape, &b->pose, p->axis, -1, &p->top_b) - dot3(apart, p->axis);
}

/* By how much a reaches below the face of a piece of wall. */
static double overlap_below(poly_pair *p, const poly_body *a, const jo_polyhedron *body,
                            const rival *b)
{
    for (int k = 0; k < 3; k++)
        p->axis[k] = -b->piece.planes[0][k];
    return reach_along(body, &a->pose, p->axis, 1, &p->top_a) + b->piece.planes[0][3];
}

static uint32_t face_at(const jo_polyhedron *p, jo_feature f)
{
    if (f.kind == JO_FEATURE_FACE) return f.index;
    return p->face[f.kind == JO_FEATURE_EDGE ? f.index : p->first[f.index]];
}

/* Whether bodies that did not touch are still apart: then they sleep. If not, where they may
 * touch. */
static bool still_apart(const jo_soft *soft, poly_pair *p, const rival *b, double moved,
                        double hint[3])
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const jo_polyhedron *body = soft->poly->kinds[a->kind].shape;
    double depth = 0;
    if (b->shape == NULL)
        depth = overlap_below(p, a, body, b);
    else if (dot3(p->axis, p->axis) > 0)
        depth = overlap_along(p, a, body, b);
    if (depth < 0 || (b->shape == NULL && depth == 0)) {
        p->asleep = moved - depth * (1 - 1e-9);
        return true;
    }
    if (b->shape == NULL) {
        double d[3];
        into_frame(&a->pose, p->axis, 1, d);
        for (int k = 0; k < 3; k++)
            hint[k] = dot3(a->pose.turn + 3 * k, body->points + 3 * (size_t)p->top_a) -
                      0.5 * depth * p->axis[k];
        p->face_a = body->face[body->first[p->top_a]];
        p->face_b = 0;
        return false;
    }
    jo_closest near; /* the axis does not separate them: is there one that does? */
    jo_features_follow(body, &a->pose, b->shape, &b->pose, &p->features, &near);
    memcpy(p->axis, near.normal, sizeof p->axis);
    if (!near.overlap && near.distance > 0) {
        p->asleep = moved + near.distance * (1 - 1e-9);
        return true;
    }
    for (int k = 0; k < 3; k++)
        hint[k] = 0.5 * (near.on_a[k] + near.on_b[k]) - a->pose.at[k];
    p->face_a = face_at(body, near.features.a);
    p->face_b = face_at(b->shape, near.features.b);
    return false;
}

/* All planes of both near the contact, from a's centre. False: they are apart along the axis, and p
 * sleeps. */
static bool caps_of(const jo_soft *soft, poly_pair *p, const rival *b, double moved,
                    poly_scratch *s)
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const jo_polyhedron *body = soft->poly->kinds[a->kind].shape;
    const double depth =
        b->shape == NULL ? overlap_below(p, a, body, b) : overlap_along(p, a, body, b);
    if (!(depth > 0)) {
        p->asleep = moved - depth * (1 - 1e-9);
        return false;
    }
    const double down[3] = {-p->axis[0], -p->axis[1], -p->axis[2]}, more = 1e-13 * body->radius;
    s->a.count = s->b.count = 0;
    bool fine =
        jo_press_cap(body, &a->pose, a->pose.at, p->axis, p->top_a, depth, 0, &s->press, &s->a);
    if (b->shape != NULL)
        fine = fine && jo_press_cap(b->shape, &b->pose, a->pose.at, down, p->top_b, depth, more,
                                    &s->press, &s->b);
    else
        for (size_t k = 0; k < b->piece.plane_count && fine; k++)
            fine = jo_press_plane(&s->b, b->piece.planes[k], b->piece.planes[k][3], (uint32_t)k);
    if (!fine) s->failed = true;
    return fine;
}

/* How they press by all planes near the contact. */
static bool press_caps(const jo_soft *soft, poly_pair *p, const rival *b, double size, double moved,
                       poly_scratch *s, press *g)
{
    if (!caps_of(soft, p, b, moved, s)) return false;
    const bool found = jo_press(&s->a, &s->b, (const double(*)[4])b->piece.parts,
                                b->piece.part_count, size, p->face_a, p->face_b, &s->press, g);
    if (g->pieces == UINT32_MAX) s->failed = true;
    return found;
}

/* Body a and what it meets, as the search for how they press has them. */
static void sides_of(const jo_soft *soft, const poly_pair *p, const rival *b, press_side *one,
                     press_side *two)
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const poly_kind *kind = &soft->poly->kinds[a->kind];
    *one = (press_side){
        .body = kind->shape, .cells = &kind->cells, .pose = &a->pose, .start = p->face_a};
    *two = (press_side){.body = b->shape,
                        .cells = b->cells,
                        .pose = &b->pose,
                        .planes = (const double(*)[4])b->piece.planes,
                        .plane_count = b->piece.plane_count,
                        .more = b->shape != NULL ? 1e-13 * kind->shape->radius : 0,
                        .start = p->face_b};
}

/* Whether an island of the surface may have begun since the step before. */
static bool may_have_islands(poly_pair *p, const press_side *one, const press_side *two)
{
    press_crossings now;
    if (!jo_press_sharp(one, two)) return false;
    jo_press_crossings(one, two, &now);
    const bool others = now.hash != p->crossings;
    p->crossings = now.hash;
    return others;
}

/* How they press by the faces beside those that pressed before, or by all. */
static bool press_pair(const jo_soft *soft, poly_pair *p, const rival *b, double size, double moved,
                       poly_scratch *s, press *g)
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const double(*parts)[4] = (const double(*)[4])b->piece.parts;
    press_kept *kept = poly_kept(soft->poly, p);
    press_side one, two;
    double hint[3];
    memcpy(hint, p->point, sizeof hint);
    if (!p->touching && still_apart(soft, p, b, moved, hint)) return false;
    sides_of(soft, p, b, &one, &two);
    const bool same = !may_have_islands(p, &one, &two);
    if (same && kept != NULL && p->touching &&
        jo_press_again(kept, &one, &two, parts, b->piece.part_count, size, g))
        return true;
    const press_found found =
        jo_press_near(&one, &two, parts, b->piece.part_count, a->pose.at, size, hint, &s->press, g);
    if (found == PRESS_YES && !g->islands) {
        const size_t bytes = jo_press_keep(&one, &two, b->piece.part_count, g, &s->press, kept,
                                           SURFACE_UNIT * (size_t)p->room);
        p->want = (uint32_t)((bytes + SURFACE_UNIT - 1) / SURFACE_UNIT);
        return true;
    }
    if (kept != NULL) kept->pieces = 0;
    if (found == PRESS_YES) return true;
    if (found == PRESS_NO) return false;
    if (found == PRESS_NO_MEMORY) s->failed = true;
    if (found == PRESS_NO_MEMORY || !press_caps(soft, p, b, size, moved, s, g)) return false;
    if (!jo_press_sharp(&one, &two)) return true;
    one.start = g->a; /* that is one island, perhaps of several */
    two.start = g->b;
    return jo_press_near(&one, &two, parts, b->piece.part_count, a->pose.at, size, hint, &s->press,
                         g) == PRESS_YES;
}

/* Everything lies closer to a's centre than that. */
static double room_around(const jo_soft *soft, const poly_pair *p)
{
    return 2 * soft->s.x[4 * (size_t)poly_bodies(soft->poly)[p->a].index + 3];
}

/* All pieces of a flat wall together press along its normal, but one that catches only the rim of a
 * face leans, and is held against by the next. Dashpots and friction are not: they take the wall's
 * normal, or smooth bodies would be slowed at every seam. A piece with a rim may as well press from
 * the side. Around an edge of the wall, next to the face a body lies on, there is only a sliver of
 * a piece, whose normal is the way the body slides: it leans, and does not hold it back. */
static void stand_on_piece(const jo_soft *soft, const poly_pair *p, const rival *b, meeting *m)
{
    const poly_piece *piece = &soft->poly->walls[p->b].pieces[p->piece];
    const double sign = p->behind ? -1 : 1;
    double n[3];
    for (int k = 0; k < 3; k++)
        n[k] = sign * dot3(b->pose.turn + 3 * k, piece->plane);
    const double up = dot3(n, m->n);
    m->leans = up < 0.9;
    if (piece->part_count == 0 || !(up > (piece->rim_count > 0 ? 0.5 : 0.0))) return;
    for (int k = 0; k < 3; k++)
        m->aside[k] = m->elastic * (m->n[k] - up * n[k]);
    m->elastic *= up;
    memcpy(m->n, n, sizeof n);
}

/* What a contact has of the stiffness of all pieces of its wall along its normal. They are known
 * from the step before; a piece that begins has no dashpot in its first step. */
static double share_of(const jo_soft *soft, const poly_pair *p, double stiffness)
{
    const poly_piece *pieces = p->kind == PAIR_WALL ? soft->poly->walls[p->b].pieces : NULL;
    if (pieces == NULL || pieces[p->piece].part_count == 0) return 1;
    return p->touching ? stiffness / (stiffness + p->others) : 0;
}

/* Of two that do not press on each other: how deep one is inside the other or behind the wall, or
 * 0. A body there has no surface in common with what it is in. Thin walls have no inside. */
static double depth_inside(const jo_soft *soft, poly_pair *p, const rival *b)
{
    const poly_body *a = poly_bodies(soft->poly) + p->a;
    const jo_polyhedron *body = soft->poly->kinds[a->kind].shape;
    if (b->shape != NULL) {
        jo_closest near;
        jo_features_follow(body, &a->pose, b->shape, &b->pose, &p->features, &near);
        return near.overlap ? -near.distance : 0;
    }
    if (soft->poly->walls[p->b].thin) return 0;
    for (size_t k = 0; k < b->piece.plane_count; k++) /* seen from its centre */
        if (b->piece.planes[k][3] < 0) return 0;
    for (size_t k = 0; k < b->piece.part_count; k++)
        if (b->piece.parts[k][3] < 0) return 0;
    return overlap_below(p, a, body, b);
}

/* The unit normal, outwards, of the face of b that presses; false: of a rim of a piece, or none. */
static bool normal_of_rival(const jo_soft *soft, const poly_pair *p, const rival *b, double out[3])
{
    const poly_piece *piece = b->shape == NULL ? &soft->poly->walls[p->b].pieces[p->piece] : NULL;
    if (p->face_b >= (piece == NULL ? b->shape->nf : 1)) return false;
    const double *n = piece == NULL ? b->shape->planes + 4 * (size_t)p->face_b : piece->plane;
    for (int k = 0; k < 3; k++)
        out[k] = (piece != NULL && p->behind ? -1 : 1) * dot3(b->pose.turn + 3 * k, n);
    return true;
}

/* The middle of the area pressed, from the centre of pressure. Where one face presses on one that
 * is nearly parallel to it, pressure grows evenly across, by as much as they are tilted. Else, and
 * where more of a body presses than its widest face, hence several faces do, that says nothing, and
 * the centre of pressure is taken. */
static void find_middle(const jo_soft *soft, const poly_pair *p, const rival *b, double area,
                        meeting *m)
{
    const double several = 1.1, steep = 0.1;
    const poly_body *bodies = poly_bodies(soft->poly), *a = &bodies[p->a];
    const poly_kind *kinds = soft->poly->kinds;
    double tilt[3];
    if (p->face_a >= kinds[a->kind].shape->nf || !normal_of_rival(soft, p, b, tilt)) return;
    double widest = kinds[a->kind].widest;
    if (p->kind == PAIR_BODIES) widest = fmin(widest, kinds[bodies[p->b].kind].widest);
    if (area > several * widest) return;
    const double *face = kinds[a->kind].shape->planes + 4 * (size_t)p->face_a;
    for (int k = 0; k < 3; k++)
        tilt[k] += dot3(a->pose.turn + 3 * k, face);
    if (dot3(tilt, tilt) > steep * steep) return;
    for (int k = 0; k < 3; k++)
        m->middle[k] = m->stiffness / m->elastic * dot3(m->spread + 3 * k, tilt);
}

/* The wall's half-space or the other body presses on a. */
static bool meet_flat(const jo_soft *soft, poly_pair *p, const side *a, const side *b, double moved,
                      poly_scratch *s, meeting *m)
{
    const press_tangent *tangent = poly_tangent(soft->poly, p);
    const jo_pose *pose = &poly_bodies(soft->poly)[p->a].pose;
    rival other;
    press g;
    rival_of(soft, p, b, &other);
    m->from_tangent =
        tangent != NULL && p->touching && jo_press_tangent(tangent, pose, &other.pose, &g);
    if (!m->from_tangent) {
        lay_piece(soft, p, &other);
        if (!press_pair(soft, p, &other, room_around(soft, p), moved, s, &g)) {
            if (!(p->asleep > moved)) m->overlap = depth_inside(soft, p, &other);
            return false;
        }
        p->face_a = g.a;
        p->face_b = g.b;
    }
    const law_pair *c = jo_poly_law(soft, p);
    const double mass = mass_of(a, b),
                 kappa = jo_poly_bedding(&soft->law, c, a->size, b->size, mass);
    if (!(dot3(g.force, g.force) > 0)) return false;
    meet_pressing(&g, 2 * kappa, m);
    find_middle(soft, p, &other, m->stiffness / kappa, m);
    if (other.shape == NULL) stand_on_piece(soft, p, &other, m);
    const double share = share_of(soft, p, m->stiffness);
    set_parts(&soft->law, c, mass, sqrt(sqrt(dot3(g.area, g.area)) / pi), true, share, m);
    for (int k = 0; k < 3 && other.shape != NULL; k++)
        p->axis[k] = -m->n[k];
    return true;
}

/* ---- contacts that hardly move ---- */

typedef struct asked {
    const jo_soft *soft;
    const poly_pair *pair;
    const rival *rival;
    poly_scratch *scratch;
} asked;

/* How the other would press on a if it were there. */
static bool press_there(void *context, const jo_pose *there, press *out)
{
    const asked *c = context;
    const poly_pair *p = c->pair;
    press_kept *kept = poly_kept(c->soft->poly, p);
    const double size = room_around(c->soft, p);
    rival b = *c->rival;
    press_side one, two;
    b.pose = *there;
    lay_piece(c->soft, p, &b);
    sides_of(c->soft, p, &b, &one, &two);
    const double(*parts)[4] = (const double(*)[4])b.piece.parts;
    if (kept != NULL && jo_press_again(kept, &one, &two, parts, b.piece.part_count, size, out))
        return true;
    const press_found found = jo_press_near(&one, &two, parts, b.piece.part_count, one.pose->at,
                                            size, p->point, &c->scratch->press, out);
    if (found == PRESS_NO_MEMORY) c->scratch->failed = true;
    return found == PRESS_YES;
}

/* How far the surface of one moves against the other's in a step. */
static double motion_in_step(const poly_pair *p, const side *a, const side *b, const meeting *m,
                             double dt)
{
    const double wide2 = 4 * (m->spread[0] + m->spread[4] + m->spread[8]);
    double spin[3], turn_a[3], turn_b[3], arm[3], v[3];
    for (int k = 0; k < 3; k++) {
        arm[k] = a->x[k] + p->point[k] - b->x[k];
        spin[k] = a->w[k] - b->w[k];
    }
    cross3(a->w, p->point, turn_a);
    cross3(b->w, arm, turn_b);
    for (int k = 0; k < 3; k++)
        v[k] = a->v[k] + turn_a[k] - b->v[k] - turn_b[k];
    return dt * (sqrt(dot3(v, v)) + sqrt(fmax(wide2, 0) * dot3(spin, spin)));
}

void jo_poly_take_tangent(const jo_soft *soft, poly_pair *p, const side *a, const side *b,
                          double dt, poly_scratch *s, const meeting *m)
{
    /* Taking it costs as much as some steps; it should serve for many more. Where there is none, as
     * at a kink, bodies may have moved away from there after many. */
    enum { LASTING = 64, LATER = 4096 };
    const double least = 1e-8 * m->overlap, most = 1e-2 * m->overlap;
    const uint32_t now_is = (uint32_t)soft->steps;
    press_tangent *tangent = poly_tangent(soft->poly, p);
    const bool first = tangent == NULL || tangent->trial == 0 ||
                       (tangent->trial <= least && now_is - p->taken >= LATER);
    const double trial = first ? 1e-4 * m->overlap : fmin(tangent->trial, most);
    if (!(LASTING * motion_in_step(p, a, b, m, dt) < trial) || !(trial > least) || dt == 0) return;
    /* Where bodies swing they stand still for a moment, again and again. */
    if (!first && now_is - p->taken < LASTING) return;
    if (tangent == NULL) {
        p->tangent = TANGENT_WANTED;
        return;
    }
    rival other;
    press now;
    rival_of(soft, p, b, &other);
    asked context = {soft, p, &other, s};
    tangent->trial = trial;
    p->taken = now_is;
    if (press_there(&context, &other.pose, &now))
        jo_press_take_tangent(tangent, &poly_bodies(soft->poly)[p->a].pose, &other.pose, &now,
                              press_there, &context);
}

/* A sphere against a polyhedron: one point, the law of spheres on a flat wall. */
static bool meet_sphere(const jo_soft *soft, poly_pair *p, const side *a, const side *b,
                        double moved, meeting *m)
{
    const poly_body *body = poly_bodies(soft->poly) + p->a;
    const double r = b->size, mass = mass_of(a, b);
    const law_pair *c = jo_poly_law(soft, p);
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
    set_parts(&soft->law, c, mass, root, false, 1, m);
    if (hertz && soft->law.parts.tangential >= JO_TANGENTIAL_MINDLIN) m->tangent = c->kt * root;
    return true;
}

bool jo_poly_meet(const jo_soft *soft, poly_pair *p, const side *a, const side *b, double moved,
                  poly_scratch *s, meeting *m)
{
    return p->kind == PAIR_SPHERE ? meet_sphere(soft, p, a, b, moved, m)
                                  : meet_flat(soft, p, a, b, moved, s, m);
}

/* What a contact holds: the springs against sliding, and the potential of pressing. */
double jo_poly_elastic(const jo_soft *soft, const poly_pair *pair, poly_scratch *s)
{
    poly_pair p = *pair; /* looking changes where the next search begins */
    side a, b = {.lightness = 0};
    press g;
    rival other;
    jo_poly_side_of_body(soft, p.a, &a);
    if (p.kind != PAIR_WALL) {
        jo_poly_side_of_body(soft, p.b, &b);
        jo_poly_nearest_image(soft, &a, &b);
    }
    const double mass = mass_of(&a, &b);
    if (p.kind == PAIR_SPHERE) {
        meeting m = {.elastic = 0};
        if (!meet_sphere(soft, &p, &a, &b, 0, &m)) return p.stored;
        return p.stored +
               (soft->law.parts.normal == JO_NORMAL_HERTZ ? 0.4 : 0.5) * m.elastic * m.overlap;
    }
    const double size = room_around(soft, &p);
    rival_of(soft, &p, &b, &other);
    lay_piece(soft, &p, &other);
    if (!press_caps(soft, &p, &other, size, 0, s, &g)) return p.stored;
    return p.stored + 2 * jo_poly_bedding(&soft->law, jo_poly_law(soft, &p), a.size, b.size, mass) *
                          jo_press_energy(&s->a, &s->b, (const double(*)[4])other.piece.parts,
                                          other.piece.part_count, size, &g, &s->press);
}
