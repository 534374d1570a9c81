/* patch.c — what two bodies have in common: its volume, its middle, and how the volume changes.
 *
 * Method: the common body is bounded by the faces of a, cut off by b, and the faces of b, cut off
 * by a. Volume and centre follow from those polygons by the divergence theorem; nobody needs to
 * know how they are joined, so that nothing can fail to join: every polygon is cut by one plane
 * after the other. With n the shortest way out, heights h = n·x and N a polygon's normal, ∫ dV = Σ
 * N·n ∫ h dS    ∫ x dV = Q - n (Q·n)/2,  Q = Σ N·n ∫ x h dS, where faces along n count for nothing:
 * stacked cubes that are flush cost no digits. The gradient of the volume, by moving and by turning
 * b, is -∫ N dS and -∫ x × N dS over the faces of a alone.
 *
 * Only faces that reach into the layer between the deepest points take part: the bodies have
 * nothing in common elsewhere. They are found from the deepest vertex on, neighbour by neighbour. A
 * face that lies in the plane of one of the other's would count twice or not at all, as rounding
 * has it: so planes of b are moved outwards, those of a inwards, by what rounding can do.
 *
 * Everything happens in the frame of a, about a point between the deepest points. No memory but the
 * stack's: what does not fit is told by `measured`. */
#include <string.h>

#include "narrow/one_run.h"
#include "narrow/walk.h"

enum { FACES_MAX = 256, CORNERS_MAX = 1536, POLYGON_MAX = 384, SLOTS = 1024 };

static const double pi = 3.14159265358979323846;

typedef struct polygon {
    int n;
    double x[POLYGON_MAX][3];
} polygon;

/* The faces of one body that reach into the layer, cut off at its border. */
typedef struct cap {
    int faces, corners;
    int largest; /* corners of a polygon */
    bool whole;
    double plane[FACES_MAX][4]; /* unit normal, offset */
    uint32_t face[FACES_MAX];
    int first[FACES_MAX + 1];
    double corner[CORNERS_MAX][3];
    uint16_t slot[SLOTS]; /* which faces are there: 1 + number, by their own number */
} cap;

/* A body as it stands in the common frame: x there is turn x + at, or x + at without a turn. The
 * layer is where down·x, in the body's own frame, is more than `level`. */
typedef struct placed {
    const jo_polyhedron *p;
    const double *turn;
    double at[3], down[3], level;
} placed;

typedef struct sums {
    double area[3], moment[3]; /* ∫ N dS, ∫ x × N dS */
    double volume, first[3];   /* ∫ dV, Q */
} sums;

static void place(const placed *b, const double x[3], double y[3])
{
    if (b->turn != NULL)
        turn3(b->turn, x, y);
    else
        memcpy(y, x, 3 * sizeof *y);
    for (int k = 0; k < 3; k++)
        y[k] += b->at[k];
}

/* What of a polygon is not above the plane n·x = d + more. */
static void cut(const polygon *in, const double plane[4], double more, polygon *out)
{
    double side[POLYGON_MAX];
    const double d = plane[3] + more;
    int changes = 0;
    for (int k = 0; k < in->n; k++) {
        side[k] = d - dot3(plane, in->x[k]);
        changes += k > 0 && stays(side[k]) != stays(side[k - 1]);
    }
    if (changes == 0 && stays(side[0])) {
        out->n = in->n;
        memcpy(out->x, in->x, (size_t)in->n * sizeof in->x[0]);
        return;
    }
    if (changes > 2) one_run(side, (size_t)in->n);
    out->n = 0;
    for (int k = 0; k < in->n; k++) {
        const int next = k + 1 < in->n ? k + 1 : 0;
        const double s = side[k], t = side[next];
        if (stays(s)) memcpy(out->x[out->n++], in->x[k], sizeof in->x[k]);
        if ((s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0)) {
            const double share = s / (s - t);
            for (int i = 0; i < 3; i++)
                out->x[out->n][i] = in->x[k][i] + share * (in->x[next][i] - in->x[k][i]);
            out->n++;
        }
    }
    if (out->n < 3) out->n = 0;
}

/* ---- the layer ---- */

static void add_face(cap *c, uint32_t f)
{
    uint32_t s = f * 2654435761u >> 22;
    while (c->slot[s] != 0 && c->face[c->slot[s] - 1] != f)
        s = (s + 1) % SLOTS;
    if (c->slot[s] != 0) return;
    if (c->faces == FACES_MAX) {
        c->whole = false;
        return;
    }
    c->face[c->faces++] = f;
    c->slot[s] = (uint16_t)c->faces;
}

/* The part of face number k inside the layer; its neighbours that reach there, too. */
static void add_polygon(cap *c, const placed *b, int k)
{
    const jo_polyhedron *p = b->p;
    const uint32_t f = c->face[k], start = p->face_edge[f];
    const double *plane = p->planes + 4 * (size_t)f;
    uint32_t h = start;
    const double *x = p->points + 3 * (size_t)p->origin[h];
    double height = dot3(b->down, x) - b->level;
    if (b->turn != NULL)
        turn3(b->turn, plane, c->plane[k]);
    else
        memcpy(c->plane[k], plane, 3 * sizeof *plane);
    c->plane[k][3] = plane[3] + dot3(c->plane[k], b->at);
    do {
        const uint32_t next = p->next[h];
        const double *y = p->points + 3 * (size_t)p->origin[next];
        const double other = dot3(b->down, y) - b->level;
        if (height > 0.0 || other > 0.0) add_face(c, p->face[p->twin[h]]);
        if (c->corners + 2 > CORNERS_MAX) {
            c->whole = false;
            break;
        }
        if (height >= 0.0) place(b, x, c->corner[c->corners++]);
        if ((height < 0.0 && other > 0.0) || (height > 0.0 && other < 0.0)) {
            double z[3];
            sub3(y, x, z);
            along3(x, height / (height - other), z, z);
            place(b, z, c->corner[c->corners++]);
        }
        h = next;
        x = y;
        height = other;
    } while (h != start);
    c->first[k + 1] = c->corners;
    if (c->corners - c->first[k] > c->largest) c->largest = c->corners - c->first[k];
}

/* From a vertex in the layer on. */
static void gather(cap *c, const placed *b, uint32_t vertex)
{
    c->faces = c->corners = c->largest = c->first[0] = 0;
    c->whole = true;
    memset(c->slot, 0, sizeof c->slot);
    add_face(c, b->p->face[b->p->first[vertex]]);
    for (int k = 0; k < c->faces && c->whole; k++)
        add_polygon(c, b, k);
}

/* ---- sums ---- */

static void add_integrals(const double (*x)[3], int count, const double normal[3],
                          const double n[3], bool surface, sums *s)
{
    const double lean = dot3(normal, n), *o = x[0];
    const double h0 = dot3(n, o);
    double area = 0.0, middle[3] = {0};
    for (int k = 1; k + 1 < count; k++) {
        double u[3], v[3], c[3];
        sub3(x[k], o, u);
        sub3(x[k + 1], o, v);
        cross3(u, v, c);
        const double part = 0.5 * dot3(c, normal), h1 = dot3(n, x[k]), h2 = dot3(n, x[k + 1]);
        const double h = h0 + h1 + h2, flux = lean * part / 12.0;
        area += part;
        s->volume += lean * part * h / 3.0;
        for (int i = 0; i < 3; i++) {
            const double sum = o[i] + x[k][i] + x[k + 1][i];
            middle[i] += part * sum / 3.0;
            s->first[i] += flux * (sum * h + o[i] * h0 + x[k][i] * h1 + x[k + 1][i] * h2);
        }
    }
    if (!surface) return;
    double moment[3];
    cross3(middle, normal, moment);
    along3(s->area, area, normal, s->area);
    along3(s->moment, 1.0, moment, s->moment);
}

/* The faces of one cap, cut off by the planes of the other. */
static void add_cap(const cap *c, const cap *by, double more, const double n[3], bool surface,
                    sums *s)
{
    polygon one, two;
    int emptied = 0; /* the plane that left nothing of the face before may do so again: it begins */
    for (int k = 0; k < c->faces; k++) {
        polygon *is = &one, *becomes = &two;
        is->n = c->first[k + 1] - c->first[k];
        if (is->n < 3) continue;
        memcpy(is->x, c->corner[c->first[k]], (size_t)is->n * sizeof is->x[0]);
        for (int j = 0; j < by->faces && is->n > 0; j++) {
            const int g = (emptied + j) % by->faces;
            cut(is, by->plane[g], more, becomes);
            polygon *kept = becomes;
            becomes = is;
            is = kept;
            if (is->n == 0) emptied = g;
        }
        if (is->n > 0) add_integrals((const double(*)[3])is->x, is->n, c->plane[k], n, surface, s);
    }
}

/* Sums about the origin of the common frame, which stands at `origin` in a's, into results in the
 * world. */
static void conclude(const sums *s, const double n[3], const double origin[3], const jo_pose *pose,
                     jo_patch *out)
{
    double middle[3], moved[3], x[3];
    const double half = 0.5 * dot3(s->first, n);
    for (int k = 0; k < 3; k++)
        middle[k] = (s->first[k] - half * n[k]) / s->volume;
    cross3(middle, s->area, moved);
    sub3(s->moment, moved, moved);
    for (int k = 0; k < 3; k++)
        middle[k] += origin[k];
    turn3(pose->turn, middle, x);
    along3(x, 1.0, pose->at, out->point);
    turn3(pose->turn, s->area, out->push);
    turn3(pose->turn, moved, out->twist);
    out->volume = s->volume;
    out->area = norm3(out->push);
}

/* Spheres of this reduced radius instead, r1 r2/(r1 + r2). */
static void estimate(double reduced, jo_patch *out)
{
    const double depth = -out->closest.distance;
    out->measured = false;
    out->area = 2.0 * pi * reduced * depth;
    out->volume = 0.5 * out->area * depth;
    for (int k = 0; k < 3; k++)
        out->push[k] = out->area * out->closest.normal[k];
}

/* Nothing in common, and the point between the closest points: what is true unless more is
 * found. */
static bool begin(jo_patch *out)
{
    for (int k = 0; k < 3; k++) {
        out->point[k] = 0.5 * (out->closest.on_a[k] + out->closest.on_b[k]);
        out->push[k] = out->twist[k] = 0.0;
    }
    out->volume = out->area = 0.0;
    out->measured = true;
    return out->closest.overlap && out->closest.distance < 0.0;
}

static uint32_t vertex_of(const jo_polyhedron *p, jo_feature f)
{
    if (f.kind == JO_FEATURE_VERTEX) return f.index;
    return p->origin[f.kind == JO_FEATURE_EDGE ? f.index : p->face_edge[f.index]];
}

/* y = mᵀ x */
static void turn_back(const double m[9], const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++)
        y[k] = m[k] * x[0] + m[3 + k] * x[1] + m[6 + k] * x[2];
}

void jo_features_patch(const jo_polyhedron *a, const jo_pose *pose_a, const jo_polyhedron *b,
                       const jo_pose *pose_b, jo_feature_pair *pair, jo_patch *out)
{
    jo_features_follow(a, pose_a, b, pose_b, pair, &out->closest);
    if (!begin(out)) return;
    const uint32_t va = vertex_of(a, out->closest.features.a),
                   vb = vertex_of(b, out->closest.features.b);
    walk w;
    jo_walk_open(&w, a, pose_a, b, pose_b);
    double n[3], middle[3], d[3], deepest[3];
    turn_back(pose_a->turn, out->closest.normal, n);
    sub3(out->point, pose_a->at, d);
    turn_back(pose_a->turn, d, middle);
    walk_across(&w, 1, b->points + 3 * (size_t)vb, deepest);
    placed in_a = {.p = a, .level = dot3(n, deepest)};
    double turn[9];
    for (int k = 0; k < 9; k++)
        turn[k] = w.side[1].column[k % 3][k / 3];
    placed in_b = {.p = b, .turn = turn};
    memcpy(in_a.down, n, sizeof n);
    walk_turn(&w, 0, n, in_b.down);
    for (int k = 0; k < 3; k++) {
        in_a.at[k] = -middle[k];
        in_b.at[k] = w.side[1].at[k] - middle[k];
        in_b.down[k] = -in_b.down[k];
    }
    double other[3];
    walk_other(&w, 0, other);
    in_b.level = dot3(n, other) - dot3(n, a->points + 3 * (size_t)va);
    cap cap_a, cap_b;
    gather(&cap_a, &in_a, va);
    if (cap_a.whole) gather(&cap_b, &in_b, vb);
    /* A cut adds a corner at most. */
    if (!cap_a.whole || !cap_b.whole || cap_a.largest + cap_b.faces > POLYGON_MAX ||
        cap_b.largest + cap_a.faces > POLYGON_MAX) {
        estimate(a->radius * b->radius / (a->radius + b->radius), out);
        return;
    }
    const double slack = 4.0 * w.slack;
    sums s = {.volume = 0.0};
    add_cap(&cap_a, &cap_b, slack, n, true, &s);
    add_cap(&cap_b, &cap_a, -slack, n, false, &s);
    /* A layer thinner than rounding has nothing to measure. */
    if (s.volume > 0.0) conclude(&s, n, middle, pose_a, out);
}

void jo_features_plane_patch(const jo_polyhedron *a, const jo_pose *pose_a, const double normal[3],
                             double offset, jo_feature *feature, jo_patch *out)
{
    jo_features_plane(a, pose_a, normal, offset, feature, &out->closest);
    if (!begin(out)) return;
    placed in_a = {.p = a};
    double d[3], middle[3];
    turn_back(pose_a->turn, out->closest.normal, in_a.down);
    sub3(out->closest.on_b, pose_a->at, d);
    turn_back(pose_a->turn, d, middle);
    in_a.level = dot3(normal, pose_a->at) - offset;
    for (int k = 0; k < 3; k++)
        in_a.at[k] = -middle[k];
    cap cap_a;
    gather(&cap_a, &in_a, vertex_of(a, *feature));
    if (!cap_a.whole) {
        estimate(a->radius, out);
        return;
    }
    sums s = {.volume = 0.0};
    for (int k = 0; k < cap_a.faces; k++)
        add_integrals((const double(*)[3])(cap_a.corner + cap_a.first[k]),
                      cap_a.first[k + 1] - cap_a.first[k], cap_a.plane[k], in_a.down, true, &s);
    if (s.volume > 0.0) conclude(&s, in_a.down, middle, pose_a, out);
}

void jo_features_sphere_patch(const jo_polyhedron *a, const jo_pose *pose_a, const double centre[3],
                              double radius, jo_feature *feature, jo_patch *out)
{
    jo_features_sphere(a, pose_a, centre, radius, feature, &out->closest);
    if (!begin(out)) return;
    /* Beyond its middle a sphere is pushed as much as there. */
    const double depth = -out->closest.distance, height = fmin(depth, radius);
    out->area = pi * height * (2.0 * radius - height);
    out->volume = pi * height * height * (radius - height / 3.0) + out->area * (depth - height);
    for (int k = 0; k < 3; k++)
        out->push[k] = out->area * out->closest.normal[k];
}
