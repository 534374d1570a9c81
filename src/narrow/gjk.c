/* gjk.c — the distance of two polyhedra by GJK: the second opinion.
 *
 * Method: E. G. Gilbert, D. W. Johnson, S. S. Keerthi (1988). The points a - b of two bodies make a
 * convex set; a simplex of its extreme points is moved towards the origin until no extreme point
 * lies nearer. The nearest point of the simplex is the best of those of its (at most 15) parts: not
 * the fastest way, but one without cases, and this runs only when the walk went in circles.
 *
 * Invariant: the squared distance falls in every round, so it ends; the bound is for rounding. */
#include <string.h>

#include "narrow/walk.h"

enum { ROUNDS_MAX = 256 };

typedef struct simplex {
    int n;
    double w[4][3];
    uint32_t a[4], b[4];
    double part[4]; /* the nearest point is the sum of part × w */
    double near[3];
} simplex;

/* The point of the plane, line or point through the corners in `set` that is nearest to the origin,
 * if it is between them: parts by Cramer's rule on the edges' products. */
static bool project(const simplex *s, const int *set, int n, double part[4])
{
    double e[3][3], g[3][3], r[3];
    const double *o = s->w[set[0]];
    for (int i = 1; i < n; i++)
        sub3(s->w[set[i]], o, e[i - 1]);
    for (int i = 0; i + 1 < n; i++) {
        r[i] = -dot3(e[i], o);
        for (int j = 0; j + 1 < n; j++)
            g[i][j] = dot3(e[i], e[j]);
    }
    double x[3] = {0}, det = 1.0;
    if (n == 2) {
        det = g[0][0];
        x[0] = r[0];
    } else if (n == 3) {
        det = g[0][0] * g[1][1] - g[0][1] * g[0][1];
        x[0] = r[0] * g[1][1] - r[1] * g[0][1];
        x[1] = r[1] * g[0][0] - r[0] * g[0][1];
    } else if (n == 4) {
        double c[3];
        cross3(e[1], e[2], c);
        det = dot3(e[0], c);
        x[0] = -dot3(o, c);
        cross3(e[2], e[0], c);
        x[1] = -dot3(o, c);
        cross3(e[0], e[1], c);
        x[2] = -dot3(o, c);
        if (det < 0.0) {
            det = -det;
            for (int k = 0; k < 3; k++)
                x[k] = -x[k];
        }
    }
    if (!(det > 0.0)) return false;
    double rest = 1.0;
    for (int i = 0; i + 1 < n; i++) {
        part[i + 1] = x[i] / det;
        if (!(part[i + 1] >= 0.0)) return false;
        rest -= part[i + 1];
    }
    part[0] = rest;
    return rest >= 0.0;
}

/* Reduces the simplex to the part that its nearest point lies in. True: the origin is inside. */
static bool reduce(simplex *s)
{
    simplex best = {.n = 0};
    double least = INFINITY;
    for (int mask = 1; mask < 1 << s->n; mask++) {
        int set[4], n = 0;
        double part[4] = {1.0}, near[3] = {0};
        for (int k = 0; k < s->n; k++)
            if (mask >> k & 1) set[n++] = k;
        if (!project(s, set, n, part)) continue;
        for (int k = 0; k < n; k++)
            along3(near, part[k], s->w[set[k]], near);
        const double square = n == 4 ? 0.0 : dot3(near, near);
        if (square >= least) continue;
        least = square;
        best.n = n;
        memcpy(best.near, near, sizeof near);
        for (int k = 0; k < n; k++) {
            memcpy(best.w[k], s->w[set[k]], sizeof best.w[k]);
            best.a[k] = s->a[set[k]];
            best.b[k] = s->b[set[k]];
            best.part[k] = part[k];
        }
    }
    *s = best;
    return s->n == 4;
}

/* The extreme point against v: a's vertex farthest along -v less b's farthest along v. */
static void extreme(const walk *w, const double v[3], uint32_t *a, uint32_t *b, double point[3])
{
    const double down[3] = {-v[0], -v[1], -v[2]};
    double across[3], y[3];
    *a = poly_climb(w->side[0].p, down, *a);
    walk_turn(w, 0, v, across);
    *b = poly_climb(w->side[1].p, across, *b);
    walk_across(w, 1, walk_point(w, 1, *b), y);
    sub3(walk_point(w, 0, *a), y, point);
}

/* The feature that has all of the given vertices, as far as there is one. */
static jo_feature feature_of(const jo_polyhedron *p, const uint32_t *vertex, int n)
{
    for (uint32_t h = p->first[vertex[0]]; n > 1 && h < p->first[vertex[0] + 1]; h++) {
        int found = 1;
        if (n == 2 && walk_head(p, h) == vertex[1]) return (jo_feature){JO_FEATURE_EDGE, h};
        for (uint32_t k = p->next[h]; k != h; k = p->next[k])
            for (int i = 1; i < n; i++)
                found += p->origin[k] == vertex[i];
        if (found == n && n > 2) return (jo_feature){JO_FEATURE_FACE, p->face[h]};
    }
    return (jo_feature){JO_FEATURE_VERTEX, vertex[0]};
}

static void take_features(walk *w, const simplex *s)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t *from = i == 0 ? s->a : s->b;
        uint32_t vertex[4] = {0};
        int n = 0;
        for (int k = 0; k < s->n; k++) {
            int j = 0;
            while (j < n && vertex[j] != from[k])
                j++;
            if (j == n) vertex[n++] = from[k];
        }
        w->feature[i] = feature_of(w->side[i].p, vertex, n);
    }
}

walk_end jo_gjk(walk *w, double x[3], double y[3])
{
    const double size = w->side[0].p->radius + w->side[1].p->radius;
    uint32_t a = 0, b = 0;
    simplex s = {.n = 1};
    const double first[3] = {-w->side[1].at[0], -w->side[1].at[1], -w->side[1].at[2]};
    bool inside = false;
    extreme(w, first, &a, &b, s.w[0]);
    s.a[0] = a;
    s.b[0] = b;
    reduce(&s);
    for (int round = 0; round < ROUNDS_MAX && !inside; round++) {
        double next[3];
        const double square = dot3(s.near, s.near);
        if (square <= 1e-30 * size * size) inside = true;
        if (inside) break;
        extreme(w, s.near, &a, &b, next);
        if (square - dot3(s.near, next) <= 1e-15 * square) break;
        bool again = false;
        for (int k = 0; k < s.n; k++)
            again = again || (s.a[k] == a && s.b[k] == b);
        if (again) break;
        simplex grown = s;
        memcpy(grown.w[s.n], next, sizeof next);
        grown.a[s.n] = a;
        grown.b[s.n] = b;
        grown.n++;
        inside = reduce(&grown);
        if (!inside && !(dot3(grown.near, grown.near) < square)) break;
        s = grown;
    }
    x[0] = x[1] = x[2] = 0.0;
    for (int k = 0; k < s.n; k++)
        along3(x, s.part[k], walk_point(w, 0, s.a[k]), x);
    sub3(x, s.near, y);
    if (!inside || s.n < 4) take_features(w, &s);
    return inside ? WALK_OVERLAP : WALK_APART;
}
