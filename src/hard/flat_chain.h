/* flat_chain.h — Sturm's sequence of a polynomial, compiled once for double and once for pairs of
 * doubles (some 32 digits) in flat_sturm.c, which defines before including this:
 *
 *   CHAIN(name)            the name for this kind of number
 *   REAL, ZERO             the kind of number
 *   ADD, SUB, MUL, DIV     on two of them
 *   HALF_OF(a)             a rounded to double, to compare magnitudes and for signs
 *   FROM(x)                of a double
 *   SMALL                  what rounding leaves of 1 - 1 along the sequence
 *
 * p0 = p, p1 = p', p(k+1) = -remainder(p(k-1), p(k)), until nothing is left. By Sturm's theorem the
 * polynomial has V(a) - V(b) different roots in (a, b], V being the number of sign changes along
 * the sequence at a place, if p is not zero at a. A coefficient of a remainder that rounding may
 * have made of nothing is nothing; with a common divisor of p and p' (a multiple root) the sequence
 * ends early, and the theorem holds all the same. */

typedef struct CHAIN(chain) {
    int count; /* of polynomials */
    int degree[FLAT_DEGREE + 2];
    REAL c[FLAT_DEGREE + 2][FLAT_DEGREE + 1];
} CHAIN(chain);

/* a - (q1 x + q0) b, negated, of degree < degree of b, scaled by a power of two; its degree, or
 * -1. */
static int CHAIN(remainder)(const REAL *a, int n, const REAL *b, int m, REAL *out)
{
    REAL work[FLAT_DEGREE + 1];
    double size[FLAT_DEGREE + 1]; /* of what was added up */
    for (int k = 0; k <= n; k++) {
        work[k] = a[k];
        size[k] = fabs(HALF_OF(a[k]));
    }
    for (int top = n; top >= m; top--) {
        const REAL q = DIV(work[top], b[m]);
        for (int k = 0; k < m; k++) {
            const REAL term = MUL(q, b[k]);
            work[top - m + k] = SUB(work[top - m + k], term);
            size[top - m + k] += fabs(HALF_OF(term));
        }
    }
    double most = 0.0;
    int degree = -1;
    for (int k = 0; k < m; k++) {
        if (fabs(HALF_OF(work[k])) <= SMALL * size[k]) work[k] = ZERO;
        if (HALF_OF(work[k]) != 0.0) degree = k;
        most = fmax(most, fabs(HALF_OF(work[k])));
    }
    if (degree < 0) return -1;
    const REAL scale = FROM(-ldexp(1.0, -ilogb(most)));
    for (int k = 0; k <= degree; k++)
        out[k] = MUL(work[k], scale);
    return degree;
}

static void CHAIN(make)(CHAIN(chain) * s, const double *c, int n)
{
    for (int k = 0; k <= n; k++)
        s->c[0][k] = FROM(c[k]);
    for (int k = 1; k <= n; k++)
        s->c[1][k - 1] = MUL(FROM(k), FROM(c[k]));
    s->degree[0] = n;
    s->degree[1] = n - 1;
    s->count = 2;
    while (s->degree[s->count - 1] > 0) {
        const int k = s->count;
        s->degree[k] =
            CHAIN(remainder)(s->c[k - 2], s->degree[k - 2], s->c[k - 1], s->degree[k - 1], s->c[k]);
        if (s->degree[k] < 0) break;
        s->count++;
    }
}

static double CHAIN(value)(const CHAIN(chain) * s, int i, double x)
{
    const REAL *c = s->c[i];
    REAL p = c[s->degree[i]];
    for (int k = s->degree[i] - 1; k >= 0; k--)
        p = ADD(MUL(p, FROM(x)), c[k]);
    return HALF_OF(p);
}

/* The number of sign changes along the sequence at x; zeros are left out. */
static int CHAIN(changes)(const CHAIN(chain) * s, double x)
{
    int changes = 0, before = 0;
    for (int i = 0; i < s->count; i++) {
        const double v = CHAIN(value)(s, i, x);
        const int sign = (v > 0.0) - (v < 0.0);
        if (sign == 0) continue;
        changes += before != 0 && sign != before;
        before = sign;
    }
    return changes;
}

/* The root between lo and hi, where the polynomial is above and below zero and has one root:
 * Newton's method, and bisection where that leaves the bracket or does not halve it. */
static double CHAIN(refine)(const CHAIN(chain) * s, double lo, double hi)
{
    double t = 0.5 * (lo + hi), last = hi - lo;
    while (hi - lo > 0x1p-51 * hi) {
        const double p = CHAIN(value)(s, 0, t);
        if (p > 0.0)
            lo = t;
        else
            hi = t;
        double next = t - p / CHAIN(value)(s, 1, t), step = fabs(next - t);
        /* Next to the root it comes from one side only: a small step too far brings in the
         * other. */
        if (step <= 0x1p-52 * t) next = p > 0.0 ? t + 0x1p-51 * t : t - 0x1p-51 * t;
        if (!(next > lo && next < hi) || 2.0 * step > last) next = 0.5 * (lo + hi);
        last = step;
        if (next <= lo || next >= hi) break;
        t = next;
    }
    return lo;
}

/* The first root in (0, 1]: halves the interval until it holds one root only, then refines. */
static double CHAIN(first)(const double *c, int n)
{
    CHAIN(chain) s;
    CHAIN(make)(&s, c, n);
    double lo = 0.0, hi = 1.0;
    const int start = CHAIN(changes)(&s, 0.0);
    int inside = start - CHAIN(changes)(&s, 1.0);
    if (inside <= 0) return (double)INFINITY;
    while (hi - lo > 0x1p-52 * hi) {
        if (inside == 1 && CHAIN(value)(&s, 0, hi) < 0.0) return CHAIN(refine)(&s, lo, hi);
        const double mid = 0.5 * (lo + hi);
        const int left = start - CHAIN(changes)(&s, mid);
        if (left > 0) {
            hi = mid;
            inside = left;
        } else {
            lo = mid;
        }
        if (hi < 0x1p-1000) break;
    }
    return lo;
}

#undef CHAIN
#undef REAL
#undef ZERO
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef HALF_OF
#undef FROM
#undef SMALL
