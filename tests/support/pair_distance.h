/* pair_distance.h — where corners of two polygons that fly and turn are, and how far a corner is
 * from an edge; compiled once for each kind of number by test_flat_pairs.c, which defines before
 * including this:
 *
 *   REAL           the kind of number
 *   REACH(name)    the name for it
 *   TURN(a, c, s)  sets *c and *s to cosine and sine of a
 *   ROOT(a)        the square root
 *
 * Gravity, the same for both, is left out: it does not change how far apart they are. */

/* How far x is from the edge p q; *along: how far the foot, if it is on the edge, is from the
 * nearer end, else 0. */
static REAL REACH(from_edge)(const REAL x[2], const REAL p[2], const REAL q[2], REAL *along)
{
    const REAL u = q[0] - p[0], w = q[1] - p[1], l2 = u * u + w * w;
    REAL s = ((x[0] - p[0]) * u + (x[1] - p[1]) * w) / l2;
    if (s < 0) s = 0;
    if (s > 1) s = 1;
    const REAL a = x[0] - p[0] - s * u, b = x[1] - p[1] - s * w;
    *along = (s < 1 - s ? s : 1 - s) * ROOT(l2);
    return ROOT(a * a + b * b);
}

static inline void REACH(place)(const rigid *b, size_t corner, REAL t, REAL c, REAL s, REAL out[2])
{
    const REAL r0 = b->arm[2 * corner], r1 = b->arm[2 * corner + 1];
    out[0] = b->x[0] + b->v[0] * t + c * r0 - s * r1;
    out[1] = b->x[1] + b->v[1] * t + s * r0 + c * r1;
}

static inline void REACH(places)(const rigid *b, REAL t, REAL *out)
{
    REAL c, s;
    TURN(b->spin * t, &c, &s);
    for (size_t k = 0; k < b->n; k++)
        REACH(place)(b, k, t, c, s, out + 2 * k);
}

static inline REAL REACH(distance)(const pair *p, const feature *f, REAL t, REAL *along)
{
    const rigid *one = &p->body[f->of], *two = &p->body[1 - f->of];
    REAL c, s, x[2], a[2], b[2];
    TURN(one->spin * t, &c, &s);
    REACH(place)(one, f->corner, t, c, s, x);
    TURN(two->spin * t, &c, &s);
    REACH(place)(two, f->edge, t, c, s, a);
    REACH(place)(two, (f->edge + 1) % two->n, t, c, s, b);
    return REACH(from_edge)(x, a, b, along);
}

#undef REAL
#undef REACH
#undef TURN
#undef ROOT
