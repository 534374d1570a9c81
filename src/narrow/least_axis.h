/* least_axis.h — the axis of least depth among all, found by sorting out; compiled plain (walk.c) and for AVX2.
 *
 * Depth along a unit vector n from a to b is h(n) = max n·a - min n·b. Its least value is at the normal of a
 * face of the polytope M of all differences: a face of one body, or a crossing of two edges' arcs (see
 * follow.c). There are few of them that matter. Each body holds a sphere around its centre, so with R the sum of
 * their radii and c the way between the centres h(n) >= R - n·c: once some axis of depth d is known, only
 * normals in the cap n·c > R - d can be better. Of bodies that overlap little the cap is small: it holds some ten
 * arcs of each body whatever the number of faces, and those are found from above (scene/poly_arcs.c).
 *
 * Faces are measured first, which makes d smaller; then every arc that can hold a better axis (arcs_below) is held
 * against every one of the other body, eight at a time and in float with a margin; those that cross are measured in
 * double. So nothing is missed: the result is proved to be the least. Where the cap holds too many arcs (thin bodies, deep
 * overlaps of bodies with many faces) it gives up, and depth.c grows a polytope.
 *
 * Which arcs and faces are left differs from query to query, and a branch on it is mostly predicted wrong. So
 * each pass writes a list without asking, and the next goes through it four or eight at a time.
 *
 * Crossing: with n0, n1 the normals left and right of an edge along u, n0 × n1 is along u. The arc of u crosses
 * that of v, the latter turned inside out (-m0 to -m1), if n0·v, -n1·v, m0·u, -m1·u all have one sign; the
 * normal there is u × v if they are positive, else its opposite. */
#ifndef JO_NARROW_LEAST_AXIS_H
#define JO_NARROW_LEAST_AXIS_H

#include <string.h>

#include "narrow/walk.h"

enum { ARCS_MAX = 128, ARCS_ROW = 136, EIGHTS_MAX = 64, CROSSINGS_MAX = 64, TRIED_MAX = 8192, LOOKED_MAX = 64, FEW_FACES = 64, FEW_ARCS = 24 };

typedef float floats8 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));

static inline floats8 f8_load(const float *p)
{
    floats8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* All eight at once: a load of what was stored in two halves has to wait. */
static inline void f8_store(float *p, floats8 v)
{
    memcpy(p, &v, sizeof v);
}

static inline floats8 f8_all(float a)
{
    return (floats8){a, a, a, a, a, a, a, a};
}

static inline unsigned f8_bits(ints8 m)
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)m);
#else
    unsigned bits = 0;
    for (int l = 0; l < 8; l++)
        bits |= (unsigned)(m[l] < 0) << l;
    return bits;
#endif
}

static inline floats8 f8_sqrt(floats8 a)
{
#if defined(__AVX__)
    return (floats8)_mm256_sqrt_ps((__m256)a);
#else
    for (int l = 0; l < 8; l++)
        a[l] = sqrtf(a[l]);
    return a;
#endif
}

static inline floats8 f8_max(floats8 a, floats8 b)
{
#if defined(__AVX__)
    return (floats8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const ints8 m = a > b;
    return (floats8)((m & (ints8)a) | (~m & (ints8)b));
#endif
}

static inline floats8 f8_min(floats8 a, floats8 b)
{
#if defined(__AVX__)
    return (floats8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    const ints8 m = a < b;
    return (floats8)((m & (ints8)a) | (~m & (ints8)b));
#endif
}

/* a where the mask is set, b elsewhere. */
static inline floats8 f8_pick(ints8 m, floats8 a, floats8 b)
{
#if defined(__AVX__)
    return (floats8)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
#else
    return (floats8)((m & (ints8)a) | (~m & (ints8)b));
#endif
}

static inline floats8 f8_abs(floats8 a)
{
    return (floats8)((ints8)a & ~(ints8)f8_all(-0.0f));
}

/* a b + c d + e f: only sorts out, so that it does not matter how it is rounded. */
static inline floats8 f8_dot(floats8 a, floats8 b, floats8 c, floats8 d, floats8 e, floats8 f)
{
#if defined(__FMA__)
    const __m256 two = _mm256_fmadd_ps((__m256)c, (__m256)d, _mm256_mul_ps((__m256)a, (__m256)b));
    return (floats8)_mm256_fmadd_ps((__m256)e, (__m256)f, two);
#else
    return a * b + c * d + e * f;
#endif
}

/* The same with one vector for all. */
static inline floats8 f8_along(floats8 x, floats8 y, floats8 z, float a, float b, float c)
{
    return f8_dot(x, f8_all(a), y, f8_all(b), z, f8_all(c));
}

static inline float f8_least(floats8 a)
{
    const floats8 four = f8_min(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    const floats8 two = f8_min(four, __builtin_shufflevector(four, four, 2, 3, 0, 1, 6, 7, 4, 5));
    return two[0] < two[1] ? two[0] : two[1];
}

/* What the search for side i's arcs needs, in float and in units of the bodies' size: the other's centre, the
 * own radius, and what n·(a - c) must be below. `way`: between the centres. */
typedef struct arc_limits {
    float x, y, z, own, below, least, way;
    float vertex[3], depth; /* of a face: a vertex of the other body, which it must not be above by more */
} arc_limits;

typedef struct arc_list {
    float u[3][ARCS_ROW], n0[3][ARCS_ROW], n1[3][ARCS_ROW], a[3][ARCS_ROW];
    uint32_t edge[ARCS_MAX];
    int n;
} arc_list;

typedef struct axis_search {
    const walk *w;
    double centre[2][3]; /* the other's, in the frame of each */
    double size;
    /* The same in float and in units of the size: the other's centre, the own radius, and the turn into the
     * other's frame by columns. */
    float at[2][4], own[2], turn[2][3][4];
    uint32_t near[2]; /* vertices that are extreme towards the other, of bodies without corners */
    uint32_t eight[2][EIGHTS_MAX + 8];
    int eights[2];
    arc_list list[2];
} axis_search;

static inline arc_limits limits_of(const axis_search *s, int i, double depth)
{
    const double share = 1.0 / s->size;
    const double below = (depth - s->w->side[1 - i].p->inradius) * share;
    const float x = s->at[i][0], y = s->at[i][1], z = s->at[i][2];
    return (arc_limits){.x = x,
                        .y = y,
                        .z = z,
                        .own = s->own[i],
                        .below = (float)below + 1e-6f,
                        .least = below < 0.0 ? (float)(below * below) - 4e-6f : -1.0f,
                        .way = sqrtf(x * x + y * y + z * z)};
}

static inline void limit_faces(const axis_search *s, int i, double depth, arc_limits *c)
{
    const walk *w = s->w;
    double x[3];
    walk_across(w, 1 - i, walk_point(w, 1 - i, s->near[1 - i]), x);
    for (int k = 0; k < 3; k++)
        c->vertex[k] = (float)(x[k] / s->size);
    c->depth = (float)(depth / s->size) + 2e-6f;
}

/* Which of the eight cones may hold such a normal: n·c > reach - below somewhere in the cone. */
static inline unsigned cones_below(const poly_cones *p, const arc_limits *c)
{
    const floats8 needed = f8_load(p->reach) * c->own - c->below, way = f8_all(c->way);
    const floats8 square = f8_max(way * way - needed * needed, f8_all(0.0f));
    const floats8 along = f8_load(p->x) * c->x + f8_load(p->y) * c->y + f8_load(p->z) * c->z;
    /* cos(t + s) of the cone's angle t and the cap's angle s, cos s = needed/way. */
    const floats8 least = f8_load(p->cosine) * needed - f8_load(p->sine) * f8_sqrt(square);
    return f8_bits(((along > least - 1e-5f) & (needed < way)) | (needed < f8_all(0.0f)));
}

/* Of eight arcs, bits: `arcs` of those that have a normal n with h(n) < depth, as far as the sphere inside the
 * other body tells, `end[i]` of those whose normal n_i is one. Along the arc the own body reaches n·a, so that
 * h(n) >= n·(a - c) + r: a sinusoid, least at an end or where n is opposite to a - c. */
typedef struct arc_bits {
    unsigned arcs, end[2];
} arc_bits;

static inline arc_bits arcs_below(const poly_arcs *a, const arc_limits *c)
{
    const floats8 ux = f8_load(a->u[0]), uy = f8_load(a->u[1]), uz = f8_load(a->u[2]),
                  px = f8_load(a->n0[0]), py = f8_load(a->n0[1]), pz = f8_load(a->n0[2]),
                  qx = f8_load(a->n1[0]), qy = f8_load(a->n1[1]), qz = f8_load(a->n1[2]);
    const floats8 at0 = f8_load(a->off0) * c->own - f8_along(px, py, pz, c->x, c->y, c->z);
    const floats8 at1 = f8_load(a->off1) * c->own + f8_along(qx, qy, qz, c->x, c->y, c->z);
    const floats8 wx = f8_load(a->a[0]) * c->own - c->x, wy = f8_load(a->a[1]) * c->own - c->y,
                  wz = f8_load(a->a[2]) * c->own - c->z;
    const floats8 x = wy * uz - wz * uy, y = wz * ux - wx * uz, z = wx * uy - wy * ux;
    const ints8 low = f8_max(f8_dot(px, x, py, y, pz, z), f8_dot(qx, x, qy, y, qz, z)) < f8_all(1e-6f);
    const ints8 inside = low & (f8_dot(x, x, y, y, z, z) > f8_all(c->least));
    const ints8 below0 = at0 < f8_all(c->below), below1 = at1 < f8_all(c->below);
    const unsigned there = (1u << a->count) - 1u;
    return (arc_bits){.arcs = there & f8_bits(inside | below0 | below1),
                      .end = {there & f8_bits(below0), there & f8_bits(below1)}};
}

/* Of those ends, the ones that the vertex of the other body does not show to be no better. */
static inline arc_bits faces_below(const poly_arcs *a, const arc_limits *c, arc_bits bits)
{
    const float x = c->vertex[0], y = c->vertex[1], z = c->vertex[2];
    const floats8 at0 = f8_load(a->off0) * c->own -
                        (f8_load(a->n0[0]) * x + f8_load(a->n0[1]) * y + f8_load(a->n0[2]) * z);
    const floats8 at1 = f8_load(a->off1) * c->own +
                        (f8_load(a->n1[0]) * x + f8_load(a->n1[1]) * y + f8_load(a->n1[2]) * z);
    bits.end[0] &= f8_bits(at0 < f8_all(c->depth)) & a->first_of[0];
    bits.end[1] &= f8_bits(at1 < f8_all(c->depth)) & a->first_of[1];
    return bits;
}

/* Writes base + l for each bit l that is set, closed up; up to eight words from `to` on are overwritten. */
static inline int list_bits(unsigned bits, uint32_t base, uint32_t *to)
{
    const uint32_t low[4] = {base, base + 1, base + 2, base + 3};
    const uint32_t high[4] = {base + 4, base + 5, base + 6, base + 7};
    uint32_t *end = words_keep(low, bits & 15u, to);
    if (bits > 15u) end = words_keep(high, bits >> 4, end);
    return (int)(end - to);
}

/* The eights of arcs that may matter; false when they are too many. */
static bool find_eights(axis_search *s, int i, const arc_limits *c)
{
    const jo_polyhedron *p = s->w->side[i].p;
    uint32_t from[EIGHTS_MAX + 8], *to = s->eight[i];
    int n = 1;
    if (p->n_arcs <= 8) {
        for (uint32_t k = 0; k < 8; k++)
            to[k] = k;
        s->eights[i] = (int)p->n_arcs;
        return true;
    }
    to[0] = 0;
    for (uint32_t l = p->levels; l-- > 0;) {
        const uint32_t below = l > 0 ? p->level_count[l - 1] : p->n_arcs;
        const int m = n;
        memcpy(from, to, (size_t)n * sizeof *from);
        n = 0;
        for (int k = 0; k < m; k++) {
            const uint32_t begin = 8 * from[k], left = below - begin;
            const unsigned bits = cones_below(&p->cones[p->level[l] + from[k]], c);
            n += list_bits(bits & (left < 8 ? (1u << left) - 1u : 255u), begin, to + n);
            if (n > EIGHTS_MAX) return false;
        }
    }
    s->eights[i] = n;
    return true;
}

/* How far body p reaches along d. */
static inline double reach_of(const jo_polyhedron *p, const double d[3], uint32_t *near)
{
    if (p->corners == NULL) {
        *near = poly_support(p, d);
        return dot3(d, p->points + 3 * (size_t)*near);
    }
    const vec4 dx = v4_all(d[0]), dy = v4_all(d[1]), dz = v4_all(d[2]);
    const double *c = p->corners;
    vec4 most = v4_load(c) * dx + v4_load(c + 4) * dy + v4_load(c + 8) * dz;
    for (uint32_t k = 1; k < p->corner_fours; k++) {
        c += 12;
        most = v4_max(most, v4_load(c) * dx + v4_load(c + 4) * dy + v4_load(c + 8) * dz);
    }
    return -v4_least(-most);
}

/* The vertex that does; of bodies without corners, climbing from vertex `near`. */
static inline uint32_t reaching(const jo_polyhedron *p, const double d[3], uint32_t near)
{
    if (p->corners == NULL) return poly_climb(p, d, near);
    const double most = reach_of(p, d, &near);
    const vec4 dx = v4_all(d[0]), dy = v4_all(d[1]), dz = v4_all(d[2]), all = v4_all(most);
    const double *c = p->corners;
    for (uint32_t k = 0; k < p->corner_fours; k++, c += 12) {
        const unsigned bits =
            v4_bits(v4_load(c) * dx + v4_load(c + 4) * dy + v4_load(c + 8) * dz == all);
        if (bits != 0) return 4 * k + (uint32_t)__builtin_ctz(bits);
    }
    return 0;
}

/* How far four directions, one in each lane, reach. */
static inline vec4 reach_of_four(const jo_polyhedron *p, vec4x3 d, uint32_t near)
{
    const double *x = p->points;
    vec4 most = v4_all(-INFINITY);
    if (p->corners != NULL) {
        for (size_t k = 0; k < p->nv; k++, x += 3)
            most = v4_max(most, x[0] * d.x + x[1] * d.y + x[2] * d.z);
        return most;
    }
    for (int l = 0; l < 4; l++) {
        const double one[3] = {d.x[l], d.y[l], d.z[l]};
        const double *y = p->points + 3 * (size_t)poly_climb(p, one, near);
        most[l] = one[0] * y[0] + one[1] * y[1] + one[2] * y[2];
    }
    return most;
}

/* The depth along n, a unit vector in the frame of side 0. */
static inline double depth_along(axis_search *s, const double n[3])
{
    double down[3];
    walk_turn(s->w, 0, n, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    return reach_of(s->w->side[0].p, n, &s->near[0]) +
           reach_of(s->w->side[1].p, down, &s->near[1]) - dot3(n, s->centre[0]);
}

/* The direction of the axis of features `from`, if they are such. */
static inline bool direction_of(const axis_search *s, const jo_feature from[2], double n[3])
{
    const walk *w = s->w;
    if (from[0].kind == JO_FEATURE_EDGE && from[1].kind == JO_FEATURE_EDGE) {
        double v[3];
        walk_turn(w, 1, w->side[1].p->walls[from[1].index].ve, v);
        cross3(w->side[0].p->walls[from[0].index].ve, v, n);
        const double sign = dot3(n, s->centre[0]) < 0.0 ? -1.0 : 1.0;
        if (!(unit3(n) > 1e-6)) return false;
        for (int k = 0; k < 3; k++)
            n[k] *= sign;
        return true;
    }
    if (from[0].kind == JO_FEATURE_FACE) {
        memcpy(n, w->side[0].p->planes + 4 * (size_t)from[0].index, 3 * sizeof *n);
        return true;
    }
    if (from[1].kind != JO_FEATURE_FACE) return false;
    walk_turn(w, 1, w->side[1].p->planes + 4 * (size_t)from[1].index, n);
    for (int k = 0; k < 3; k++)
        n[k] = -n[k];
    return true;
}

/* Some depth that the least is below or equal to: of the axis of `from`, else of the line between centres. */
static double known_depth(axis_search *s, const jo_feature from[2])
{
    double n[3];
    if (from == NULL || !direction_of(s, from, n)) {
        const double way = norm3(s->centre[0]);
        for (int k = 0; k < 3; k++)
            n[k] = way > 0.0 ? s->centre[0][k] / way : (double)(k == 0);
    }
    return depth_along(s, n);
}

/* Four faces of side i against the vertices of the other that reach deepest. */
static inline vec4 four_faces(const axis_search *s, int i, const uint32_t f[4])
{
    const jo_polyhedron *p = s->w->side[i].p;
    const vec4 *m = s->w->side[i].column;
    const double *c = s->centre[i];
    row4 rows[4];
    vec4 n[4];
    for (int l = 0; l < 4; l++)
        rows[l] = row_load(p->planes + 4 * (size_t)f[l]);
    v4_columns(rows, n);
    const vec4x3 down = {-(n[0] * m[0][0] + n[1] * m[1][0] + n[2] * m[2][0]),
                         -(n[0] * m[0][1] + n[1] * m[1][1] + n[2] * m[2][1]),
                         -(n[0] * m[0][2] + n[1] * m[1][2] + n[2] * m[2][2])};
    return n[3] - (n[0] * c[0] + n[1] * c[1] + n[2] * c[2]) +
           reach_of_four(s->w->side[1 - i].p, down, s->near[1 - i]);
}

/* The faces of side i that may be better; eights without arcs that may be are taken off. False when they are too
 * many. */
static bool measure_faces(axis_search *s, int i, walk_axis *best)
{
    const jo_polyhedron *p = s->w->side[i].p;
    arc_limits c = limits_of(s, i, best->depth);
    uint32_t slot[2 * ARCS_MAX + 16];
    int n = 0, kept = 0;
    limit_faces(s, i, best->depth, &c);
    for (int k = 0; k < s->eights[i]; k++) {
        const uint32_t eight = s->eight[i][k];
        const poly_arcs *a = &p->arcs[eight];
        const arc_bits bits = faces_below(a, &c, arcs_below(a, &c));
        s->eight[i][kept] = eight;
        kept += bits.arcs != 0;
        if (n > 2 * ARCS_MAX - 16) return false;
        if ((bits.end[0] | bits.end[1]) == 0) continue;
        n += list_bits(bits.end[0], 16 * eight, slot + n);
        n += list_bits(bits.end[1], 16 * eight + 8, slot + n);
    }
    s->eights[i] = kept;
    for (int k = 0; k < n; k += 4) {
        uint32_t f[4];
        for (int l = 0; l < 4; l++) {
            const uint32_t at = slot[k + l < n ? k + l : n - 1];
            f[l] = p->arcs[at / 16].face[at % 16];
        }
        const vec4 depth = four_faces(s, i, f);
        const double least = v4_least(depth);
        if (!(least < best->depth)) continue;
        best->depth = least;
        best->feature[i] =
            (jo_feature){JO_FEATURE_FACE, f[__builtin_ctz(v4_bits(depth == v4_all(least)))]};
        best->feature[1 - i] = (jo_feature){JO_FEATURE_VERTEX, 0};
    }
    return true;
}

/* Those of eight whose bits are set, closed up; eight from `to` on may be overwritten. */
static inline void eight_keep(const float *from, unsigned bits, float *to)
{
    floats_keep(from + 4, bits >> 4, floats_keep(from, bits & 15u, to));
}

/* The arcs of side i that may be better, and arcs of nothing up to a multiple of eight; false when they are too
 * many. */
static bool list_arcs(axis_search *s, int i, double depth)
{
    const jo_polyhedron *p = s->w->side[i].p;
    const arc_limits c = limits_of(s, i, depth);
    const floats8 nothing = f8_all(0.0f);
    arc_list *to = &s->list[i];
    uint32_t eight[EIGHTS_MAX + 8];
    uint8_t bits_of[EIGHTS_MAX + 8];
    int n = 0, eights = 0;
    for (int k = 0; k < s->eights[i]; k++) {
        eight[eights] = s->eight[i][k];
        bits_of[eights] = (uint8_t)arcs_below(&p->arcs[eight[eights]], &c).arcs;
        eights += bits_of[eights] != 0;
    }
    for (int k = 0; k < eights; k++) {
        const poly_arcs *a = &p->arcs[eight[k]];
        const unsigned bits = bits_of[k];
        if (n > ARCS_MAX - 16) return false;
        for (int x = 0; x < 3; x++) {
            eight_keep(a->u[x], bits, to->u[x] + n);
            eight_keep(a->n0[x], bits, to->n0[x] + n);
            eight_keep(a->n1[x], bits, to->n1[x] + n);
            eight_keep(a->a[x], bits, to->a[x] + n);
        }
        words_keep(a->edge + 4, bits >> 4, words_keep(a->edge, bits & 15u, to->edge + n));
        n += __builtin_popcount(bits);
    }
    to->n = n;
    for (int x = 0; x < 3; x++) {
        memcpy(to->u[x] + n, &nothing, sizeof nothing);
        memcpy(to->n0[x] + n, &nothing, sizeof nothing);
        memcpy(to->n1[x] + n, &nothing, sizeof nothing);
        memcpy(to->a[x] + n, &nothing, sizeof nothing);
    }
    return true;
}

static inline void turn_eight(const float (*m)[4], float v[3][ARCS_ROW], int k)
{
    const floats8 x = f8_load(&v[0][k]), y = f8_load(&v[1][k]), z = f8_load(&v[2][k]);
    for (int r = 0; r < 3; r++) {
        const floats8 turned = f8_along(x, y, z, m[0][r], m[1][r], m[2][r]);
        memcpy(&v[r][k], &turned, sizeof turned);
    }
}

/* Whether the arcs of two edges cross: 1 or -1, see above, or 0. */
static int crossing_sign(const walk *w, uint32_t h, uint32_t g)
{
    const jo_polyhedron *p = w->side[0].p, *q = w->side[1].p;
    const poly_walls *e = &p->walls[h], *f = &q->walls[g];
    const double *n0 = p->planes + 4 * (size_t)e->face, *m0 = q->planes + 4 * (size_t)f->face;
    const double *n1 = p->planes + 4 * (size_t)p->face[e->twin];
    const double *m1 = q->planes + 4 * (size_t)q->face[f->twin];
    double u[3], v[3];
    walk_turn(w, 0, e->ve, u);
    walk_turn(w, 1, f->ve, v);
    const double s0 = dot3(n0, v), s1 = -dot3(n1, v), s2 = dot3(m0, u), s3 = -dot3(m1, u);
    if (s0 > 0.0 && s1 > 0.0 && s2 > 0.0 && s3 > 0.0) return 1;
    return s0 < 0.0 && s1 < 0.0 && s2 < 0.0 && s3 < 0.0 ? -1 : 0;
}

/* Two edges that cross. */
typedef struct crossing {
    uint32_t h, g;
    double sign;
} crossing;

static inline vec4x3 four_rows(const double *const row[4])
{
    const row4 rows[4] = {row_load(row[0]), row_load(row[1]), row_load(row[2]), row_load(row[3])};
    vec4 c[4];
    v4_columns(rows, c);
    return (vec4x3){c[0], c[1], c[2]};
}

static inline vec4x3 turn_four(const walk_side *s, vec4x3 a)
{
    const vec4 *m = s->column;
    return (vec4x3){a.x * m[0][0] + a.y * m[1][0] + a.z * m[2][0],
                    a.x * m[0][1] + a.y * m[1][1] + a.z * m[2][1],
                    a.x * m[0][2] + a.y * m[1][2] + a.z * m[2][2]};
}

/* Four crossings. Edges nearly parallel are left out: what they make of M is a sliver along an edge, and never
 * nearer than the faces beside it. */
static inline void four_crossings(const axis_search *s, const crossing t[4], walk_axis *best)
{
    const walk *w = s->w;
    const double *ve[2][4], *from[2][4];
    for (int l = 0; l < 4; l++) {
        const poly_walls *e = &w->side[0].p->walls[t[l].h], *f = &w->side[1].p->walls[t[l].g];
        ve[0][l] = e->ve;
        ve[1][l] = f->ve;
        from[0][l] = e->from;
        from[1][l] = f->from;
    }
    const vec4x3 u = four_rows(ve[0]), v = turn_four(&w->side[1], four_rows(ve[1]));
    const vec4 *at = &w->side[1].at;
    const vec4x3 b = turn_four(&w->side[1], four_rows(from[1]));
    const vec4x3 d =
        v4_sub3(four_rows(from[0]), (vec4x3){b.x + (*at)[0], b.y + (*at)[1], b.z + (*at)[2]});
    const vec4x3 n = v4_cross(u, v);
    const vec4 square = v4_dot(n, n), length = v4_sqrt(square);
    const vec4 sign = {t[0].sign, t[1].sign, t[2].sign, t[3].sign};
    const vec4 depth =
        v4_pick(square > v4_all(1e-18), sign * v4_dot(n, d) / length, v4_all(INFINITY));
    const double least = v4_least(depth);
    if (!(least < best->depth - 1e-14 * s->size)) return;
    const int l = __builtin_ctz(v4_bits(depth == v4_all(least)));
    const double share = t[l].sign / length[l];
    best->depth = least;
    best->n[0] = share * n.x[l];
    best->n[1] = share * n.y[l];
    best->n[2] = share * n.z[l];
    best->feature[0] = (jo_feature){JO_FEATURE_EDGE, t[l].h};
    best->feature[1] = (jo_feature){JO_FEATURE_EDGE, t[l].g};
    best->a = w->side[0].p->origin[t[l].h];
    best->b = w->side[1].p->origin[t[l].g];
}

/* One of them, by the same operations. */
static inline void one_crossing(const axis_search *s, const crossing *t, walk_axis *best)
{
    const walk *w = s->w;
    const poly_walls *e = &w->side[0].p->walls[t->h], *f = &w->side[1].p->walls[t->g];
    double v[3], b[3], d[3], n[3];
    walk_turn(w, 1, f->ve, v);
    walk_across(w, 1, f->from, b);
    sub3(e->from, b, d);
    cross3(e->ve, v, n);
    const double square = dot3(n, n), length = sqrt(square);
    const double depth = square > 1e-18 ? t->sign * dot3(n, d) / length : INFINITY;
    if (!(depth < best->depth - 1e-14 * s->size)) return;
    const double share = t->sign / length;
    best->depth = depth;
    for (int k = 0; k < 3; k++)
        best->n[k] = share * n[k];
    best->feature[0] = (jo_feature){JO_FEATURE_EDGE, t->h};
    best->feature[1] = (jo_feature){JO_FEATURE_EDGE, t->g};
    best->a = e->origin;
    best->b = f->origin;
}

/* Measures the crossings listed, and empties the list. */
static void measure_crossings(const axis_search *s, crossing *t, int *n, walk_axis *best)
{
    if (*n == 0) return;
    if (*n == 1) {
        one_crossing(s, t, best);
        *n = 0;
        return;
    }
    for (int k = *n; k % 4 != 0; k++)
        t[k] = t[*n - 1];
    for (int k = 0; k < *n; k += 4)
        four_crossings(s, t + k, best);
    *n = 0;
}

/* Crossings looked at: the square of how deep they are at least, with its sign, in units of the bodies' size; whether they surely are, and of which
 * sign, one bit each; and of which arcs: `arc` of side 0 and the eight from `eight` on of side 1. */
typedef struct looked_at {
    float least[8 * LOOKED_MAX];
    uint16_t arc[LOOKED_MAX], eight[LOOKED_MAX];
    uint8_t sure[LOOKED_MAX], minus[LOOKED_MAX];
    int n;
} looked_at;

/* An arc of side 0 and eight of side 1. Where they do not cross, the depth is infinite, and minus that where float
 * cannot tell. `bound` becomes what the least of those that do cross surely is below, lane by lane. */
static inline void cross_eight(const axis_search *s, int i, int k, floats8 *bound, looked_at *l)
{
    const float margin = 4e-6f, loss = 4e-6f;
    const arc_list *a = &s->list[0], *b = &s->list[1];
    const floats8 vx = f8_load(&b->u[0][k]), vy = f8_load(&b->u[1][k]), vz = f8_load(&b->u[2][k]);
    const floats8 s0 = f8_along(vx, vy, vz, a->n0[0][i], a->n0[1][i], a->n0[2][i]);
    const floats8 s1 = f8_along(vx, vy, vz, a->n1[0][i], a->n1[1][i], a->n1[2][i]);
    const float ux = a->u[0][i], uy = a->u[1][i], uz = a->u[2][i];
    const floats8 s2 = f8_along(f8_load(&b->n0[0][k]), f8_load(&b->n0[1][k]),
                                f8_load(&b->n0[2][k]), ux, uy, uz);
    const floats8 s3 = f8_along(f8_load(&b->n1[0][k]), f8_load(&b->n1[1][k]),
                                f8_load(&b->n1[2][k]), ux, uy, uz);
    const floats8 most = f8_max(f8_max(s0, s1), f8_max(s2, s3));
    const floats8 least = f8_min(f8_min(s0, s1), f8_min(s2, s3));
    const floats8 x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const floats8 off =
        f8_dot(x, a->a[0][i] - f8_load(&b->a[0][k]), y, a->a[1][i] - f8_load(&b->a[1][k]), z,
               a->a[2][i] - f8_load(&b->a[2][k]));
    const floats8 share = 1.0f / f8_max(f8_dot(x, x, y, y, z, z), f8_all(1e-12f));
    const ints8 plus = least > f8_all(margin), minus = most < f8_all(-margin);
    const ints8 can = (least > f8_all(-margin)) | (most < f8_all(margin));
    const floats8 out = f8_pick(minus, -off, off), low = out - loss, high = out + loss;
    const ints8 sure = plus | minus;
    *bound = f8_min(*bound, f8_pick(sure, high * f8_abs(high) * share, f8_all(INFINITY)));
    const floats8 unsure = f8_pick(can, f8_all(-INFINITY), f8_all(INFINITY));
    const floats8 lowest = f8_pick(sure, low * f8_abs(low) * share, unsure);
    memcpy(l->least + 8 * l->n, &lowest, sizeof lowest);
    l->sure[l->n] = (uint8_t)f8_bits(sure);
    l->minus[l->n] = (uint8_t)f8_bits(minus);
    l->arc[l->n] = (uint16_t)i;
    l->eight[l->n++] = (uint16_t)k;
}

/* Measures those that may be the best, and forgets the others. */
static void measure_looked(const axis_search *s, looked_at *l, floats8 bound, walk_axis *best)
{
    const arc_list *a = &s->list[0], *b = &s->list[1];
    const floats8 limit = f8_all(f8_least(bound));
    crossing t[CROSSINGS_MAX + 68];
    int n = 0;
    for (int first = 0; first < l->n; first += 8) {
        uint64_t bits = 0;
        for (int k = first; k < l->n && k < first + 8; k++) {
            const int left = b->n - l->eight[k];
            const unsigned there = left < 8 ? (1u << left) - 1u : 255u;
            bits |= (uint64_t)(there & f8_bits(f8_load(l->least + 8 * k) <= limit))
                    << (8 * (k - first));
        }
        for (; bits != 0; bits &= bits - 1) {
            const int k = first + __builtin_ctzll(bits) / 8, at = __builtin_ctzll(bits) % 8;
            t[n] = (crossing){a->edge[l->arc[k]], b->edge[l->eight[k] + at],
                              l->minus[k] >> at & 1 ? -1.0 : 1.0};
            if (!(l->sure[k] >> at & 1)) t[n].sign = crossing_sign(s->w, t[n].h, t[n].g);
            n += t[n].sign != 0.0;
        }
        if (n > CROSSINGS_MAX) measure_crossings(s, t, &n, best);
    }
    measure_crossings(s, t, &n, best);
    l->n = 0;
}

/* Brings the arcs of side 1 into the frame of side 0, and origins of both into units of the bodies' size. */
static void bring_together(axis_search *s)
{
    arc_list *a = &s->list[0], *b = &s->list[1];
    const axis_search *known_of = s;
    const float(*m)[4] = known_of->turn[1];
    for (int k = 0; k < b->n; k += 8) {
        turn_eight(m, b->u, k);
        turn_eight(m, b->n0, k);
        turn_eight(m, b->n1, k);
        turn_eight(m, b->a, k);
        for (int x = 0; x < 3; x++) {
            const floats8 at = f8_load(&b->a[x][k]) * s->own[1] + s->at[0][x];
            memcpy(&b->a[x][k], &at, sizeof at);
        }
    }
    for (int k = 0; k < a->n; k += 8)
        for (int x = 0; x < 3; x++) {
            const floats8 at = f8_load(&a->a[x][k]) * s->own[0];
            memcpy(&a->a[x][k], &at, sizeof at);
        }
}

static inline float signed_square(float a)
{
    return a * fabsf(a);
}

/* Every arc of side 0 on the list against every one of side 1; *limit, in units of the bodies' size, is what the least
 * is below, and becomes less. */
static void try_crossings(axis_search *s, looked_at *l, float *limit, walk_axis *best)
{
    floats8 bound = f8_all(signed_square(*limit));
    l->n = 0;
    bring_together(s);
    for (int i = 0; i < s->list[0].n; i++)
        for (int k = 0; k < s->list[1].n; k += 8) {
            if (l->n == LOOKED_MAX) measure_looked(s, l, bound, best);
            cross_eight(s, i, k, &bound, l);
        }
    const float square = f8_least(bound);
    *limit = copysignf(sqrtf(fabsf(square)), square);
}

/* Direction and vertices of an axis that is a face's normal. */
static void complete_axis(const axis_search *s, walk_axis *t)
{
    const walk *w = s->w;
    const int i = t->feature[0].kind == JO_FEATURE_FACE ? 0 : 1;
    if (t->feature[i].kind != JO_FEATURE_FACE) return;
    const jo_polyhedron *p = w->side[i].p, *q = w->side[1 - i].p;
    const uint32_t f = t->feature[i].index, own = p->origin[p->face_edge[f]];
    const double *plane = p->planes + 4 * (size_t)f;
    double across[3], down[3];
    walk_turn(w, i, plane, across);
    for (int k = 0; k < 3; k++) {
        down[k] = -across[k];
        t->n[k] = i == 0 ? plane[k] : down[k];
    }
    const uint32_t other = reaching(q, down, s->near[1 - i]);
    t->feature[1 - i].index = other;
    t->a = i == 0 ? own : other;
    t->b = i == 0 ? other : own;
}

/* ---- bodies of few faces ---- */

/* How deep eight faces of side i are, by float: within `face_loss`, in units of the bodies' size. */
static inline floats8 eight_faces(const axis_search *s, int i, const poly_faces *f)
{
    const float(*m)[4] = s->turn[i], *c = s->at[i];
    const jo_polyhedron *q = s->w->side[1 - i].p;
    const floats8 x = f8_load(f->n[0]), y = f8_load(f->n[1]), z = f8_load(f->n[2]);
    const floats8 dx = f8_along(x, y, z, m[0][0], m[1][0], m[2][0]),
                  dy = f8_along(x, y, z, m[0][1], m[1][1], m[2][1]),
                  dz = f8_along(x, y, z, m[0][2], m[1][2], m[2][2]);
    const float *v = q->spots;
    floats8 far = f8_along(dx, dy, dz, v[0], v[1], v[2]);
    for (size_t k = 1; k < q->nv; k++) {
        v += 3;
        far = f8_min(far, f8_along(dx, dy, dz, v[0], v[1], v[2]));
    }
    return f8_load(f->off) * s->own[i] - far * s->own[1 - i] - f8_along(x, y, z, c[0], c[1], c[2]);
}

static const float face_loss = 2e-6f;

/* All arcs of side i, as they lie. */
static void list_all(axis_search *s, int i)
{
    const jo_polyhedron *p = s->w->side[i].p;
    arc_list *to = &s->list[i];
    to->n = (int)(p->nh / 2);
    for (uint32_t k = 0; k < p->n_arcs; k++) {
        const poly_arcs *a = &p->arcs[k];
        for (int x = 0; x < 3; x++) {
            f8_store(to->u[x] + 8 * k, f8_load(a->u[x]));
            f8_store(to->n0[x] + 8 * k, f8_load(a->n0[x]));
            f8_store(to->n1[x] + 8 * k, f8_load(a->n1[x]));
            f8_store(to->a[x] + 8 * k, f8_load(a->a[x]));
        }
        memcpy(to->edge + 8 * k, a->edge, sizeof a->edge);
    }
}

/* Whether all faces of side i against all vertices of the other are fewer than what it takes to sort them. */
static inline bool few_faces(const walk *w, int i)
{
    const uint32_t eights = w->side[i].p->face_eights;
    return eights > 0 && w->side[1 - i].p->spots != NULL &&
           eights * w->side[1 - i].p->nv <= FEW_FACES;
}

static inline void measure_face(const axis_search *s, int i, uint32_t f, walk_axis *best)
{
    const double *plane = s->w->side[i].p->planes + 4 * (size_t)f;
    double down[3];
    uint32_t near;
    walk_turn(s->w, i, plane, down);
    for (int k = 0; k < 3; k++)
        down[k] = -down[k];
    const double depth =
        plane[3] - dot3(plane, s->centre[i]) + reach_of(s->w->side[1 - i].p, down, &near);
    if (!(depth < best->depth)) return;
    best->depth = depth;
    best->feature[i] = (jo_feature){JO_FEATURE_FACE, f};
    best->feature[1 - i] = (jo_feature){JO_FEATURE_VERTEX, 0};
}

/* Those of the faces that may be the least. */
static void measure_few(const axis_search *s, int i, const floats8 *depth, float limit,
                        walk_axis *best)
{
    const uint32_t nf = (uint32_t)s->w->side[i].p->nf;
    uint64_t bits = 0;
    for (uint32_t k = 0; 8 * k < nf; k++)
        bits |= (uint64_t)f8_bits(depth[k] <= f8_all(limit)) << (8 * k);
    for (bits &= UINT64_MAX >> (64 - nf); bits != 0; bits &= bits - 1)
        measure_face(s, i, (uint32_t)__builtin_ctzll(bits), best);
}

/* Of bodies with few faces: all of them in float, then arcs that may be better, all if they are few; only what may
 * be the least is measured in double. */
static bool least_of_few(axis_search *s, bool overlap, walk_axis *best)
{
    const walk *w = s->w;
    floats8 depth[2][POLY_FACES / 8], least = f8_all(INFINITY);
    looked_at l;
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < w->side[i].p->face_eights; k++) {
            depth[i][k] = eight_faces(s, i, &w->side[i].p->faces[k]);
            least = f8_min(least, depth[i][k]);
        }
    float limit = f8_least(least) + face_loss;
    if (overlap && !(limit > 0.0f)) return false;
    if (w->side[0].p->nh / 2 * w->side[1].p->n_arcs <= FEW_ARCS) {
        list_all(s, 0);
        list_all(s, 1);
    } else {
        for (int i = 0; i < 2; i++) {
            const double known = ((double)limit + 1e-6) * s->size;
            const arc_limits c = limits_of(s, i, known);
            if (!find_eights(s, i, &c) || !list_arcs(s, i, known)) return false;
        }
        if (s->list[0].n * s->list[1].n > TRIED_MAX) return false;
    }
    try_crossings(s, &l, &limit, best);
    for (int i = 0; i < 2; i++)
        measure_few(s, i, depth[i], limit + face_loss, best);
    measure_looked(s, &l, f8_all(signed_square(limit + 1e-6f)), best);
    return true;
}

static inline void in_float(axis_search *s)
{
    const double share = 1.0 / s->size;
    for (int i = 0; i < 2; i++) {
        s->own[i] = (float)(s->w->side[i].p->radius * share);
        row_to_floats(s->at[i], s->w->side[1 - i].at * share);
        for (int x = 0; x < 3; x++)
            row_to_floats(s->turn[i][x], s->w->side[i].column[x]);
    }
}

/* See jo_least_axis. */
static inline bool least_axis(const walk *w, const jo_feature from[2], double known, bool overlap,
                              walk_axis *best)
{
    axis_search s;
    s.w = w;
    walk_other(w, 0, s.centre[0]);
    walk_other(w, 1, s.centre[1]);
    s.size = w->side[0].p->radius + w->side[1].p->radius;
    in_float(&s);
    best->feature[0].kind = best->feature[1].kind = JO_FEATURE_NONE;
    if (few_faces(w, 0) && few_faces(w, 1)) {
        best->depth = INFINITY;
        if (!least_of_few(&s, overlap, best)) return false;
        complete_axis(&s, best);
        return best->feature[0].kind != JO_FEATURE_NONE;
    }
    for (int i = 0; i < 2; i++)
        s.near[i] = w->side[i].p->map[poly_map_cell(s.centre[i], w->side[i].p->map_size)];
    if (!(known < INFINITY)) known = known_depth(&s, from);
    if (!(known < INFINITY) || (overlap && !(known > 0.0))) return false;
    best->depth = known + 1e-12 * s.size;
    for (int i = 0; i < 2; i++) {
        const arc_limits c = limits_of(&s, i, best->depth);
        if (!find_eights(&s, i, &c)) return false;
    }
    if (!measure_faces(&s, 0, best) || !measure_faces(&s, 1, best)) return false;
    if (!list_arcs(&s, 0, best->depth) || !list_arcs(&s, 1, best->depth) ||
        s.list[0].n * s.list[1].n > TRIED_MAX)
        return false;
    looked_at l;
    float limit = (float)(best->depth / s.size) + 1e-6f;
    try_crossings(&s, &l, &limit, best);
    measure_looked(&s, &l, f8_all(signed_square(limit + 1e-6f)), best);
    complete_axis(&s, best);
    return best->feature[0].kind != JO_FEATURE_NONE;
}

#endif
